"""Bounds as text: an upper bound is rounded up, and a lower bound down."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

import radprog as rp
from radprog.analysis.bounds import bound_parts
from radprog.analysis.complexities import class_parts
from radprog.base.sections import Table, bounded, pairs, records, text_lines
from radprog.result import result_of
from radprog.telling import compression_line, summary_lines, theory

STYLES = (".1%", ".2%", ".3g", ".4g", ".6g", ".10g")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("up", [True, False])
def test_the_text_is_a_bound_and_the_nearest_one(style: str, up: bool) -> None:
    values = np.random.default_rng(5).lognormal(0.0, 4.0, 500).tolist()
    values += [-one for one in values] * ("%" not in style)
    moved = 0
    for value in values:
        given = Fraction(f"{value:.14g}") * (100 if "%" in style else 1)
        text = bounded(value, style, up=up)
        end, nearest = Fraction(text), Fraction(f"{float(given):{style.replace('%', 'f')}}")
        assert end >= given if up else end <= given, (value, text)
        # no further than the neighbour of the nearest number of as many digits
        assert abs(end - given) <= 2 * abs(nearest - given) or abs(end - given) < abs(
            given / 50 if "g" in style else 1
        )
        moved += end != nearest
    assert moved > 100  # numbers that plain formatting rounds to the wrong side


def test_texts() -> None:
    assert bounded(0.1 + 0.2, ".3g") == "0.3"  # the rounding error of a sum is no digit
    told = {0.0: ".1%", 1.0: ".4g", 1e-7: ".3g", 123456.0: ".6g", math.inf: ".3g", None: ".3g"}
    texts = [bounded(value, style) for value, style in told.items()]
    assert texts == ["0.0", "1", "1e-07", "123456", "inf", "-"]


@pytest.mark.parametrize("bound", np.random.default_rng(1).uniform(0.05, 0.95, 12).tolist())
def test_no_printed_bound_is_below_its_value(bound: float) -> None:
    line = compression_line(bound, 0.05, 3, 40)
    assert float(re.findall(r"error <= (\S+) %", line)[0]) / 100 >= bound
    (line,) = theory([{"name": "b", "value": bound, "vacuous": False, "caveats": []}])
    assert float(line.rpartition(" ")[2]) >= bound
    shown = [
        pairs("test", {"error_upper_bound": bound}),
        records("cells", [{"certified_upper": bound}]),
    ]
    for table in shown:
        assert float(table.cells()[-1][-1]) >= bound


def data(n: int = 40, seed: int = 3) -> rp.Dataset:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return rp.dataset(X, np.where(X[:, 0] + 0.4 * rng.normal(size=n) > 0, 1, -1))


def test_the_lines_of_results() -> None:
    train, test = data(), data(31, seed=4)
    result = result_of(rp.fit(rp.VKR(kernels="poly:1-2"), train), train, test)
    lines = "\n".join(summary_lines(result))
    upper = result["test"]["error_upper_bound"]
    assert float(re.findall(r"at most (\S+) %", lines)[0]) / 100 >= upper
    table = rp.bounds(result, train, holdout=0.3)
    tables = [part for part in bound_parts(table) if isinstance(part, Table)]
    cells = [row for part in tables for row in part.cells()]
    assert table["rows"]
    for row in table["rows"]:
        (printed,) = {line[0] for line in cells if line[-1].partition(" (")[0] == row["name"]}
        assert float(printed) >= row["value"] * (1 - 1e-14)
    held = re.findall(r"hold-out   (\S+) by", "\n".join(text_lines(bound_parts(table))))
    assert float(held[0]) >= table["holdout"]["upper"]
    table = rp.complexity(rp.VKR(kernels="poly:1-2"), train, trials=4)
    (part,) = [part for part in class_parts(table) if isinstance(part, Table)]
    head, *rows = part.cells()
    for line, row in zip(rows, table["classes"], strict=True):
        if row["certified_upper"] is not None:
            assert float(line[head.index("at most")]) >= row["certified_upper"]
