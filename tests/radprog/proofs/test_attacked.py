"""Proofs made to deceive: claims that fit the forged points, statements that say something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from planted import claim, number, sealed, value_of, verdict

import radprog as rp
from radprog import proof_checker

pytest.importorskip("flint")
Json = dict[str, Any]


@cache
def proved(model: str) -> tuple[str, bytes]:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(14, 2)), 3)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=14) > 0, 1, -1)
    data: Any = rp.dataset(X, y)
    specs: dict[str, Any] = {
        "vkr": rp.VKR(kernels="poly:1,rbf:1", lam=0.05, beta=0.05),
        "l1svm": rp.L1SVM(kernels="poly:2", beta=0.05),
        "svm": rp.SVM(kernels="linear", C=0.5),
        "simsvm": rp.SimSVM(kernels="poly:2", lam=0.1),
        "mkl": rp.MKL(kernels="linear,poly:2", theta=0, C=0.5),
        "lpboost": rp.LPBoost(length="3", nu=0.3),
    }
    if model == "lpboost":
        data = rp.series(np.round(rng.normal(size=(8, 6)), 2), [1, -1] * 4)
    proof = rp.prove(rp.fit(specs[model], data), data)
    assert proof.data is not None
    assert verdict(dict(proof.content), proof.data).startswith("VALID")
    return proof.to_json(), proof.data


def one_multiplier_more(proof: Json) -> None:
    """A point that is none, at the top of the box: 1'a grows by C, and nothing else changes."""
    over = int(proof["dual"]["over"], 16)
    proof["dual"]["numbers"].append(hex(over // 4))
    claim(proof, bound=value_of(proof["bound"]) + Fraction(over // 4, over))


def norm_below_zero(proof: Json) -> None:
    """No multipliers, so that no norm is too small, and a bound that the norm alone makes."""
    dual, how = proof["dual"], proof["statement"]["settings"]
    dual["numbers"], dual["norm"] = ["0x0"] * len(dual["numbers"]), number(-64)
    claim(proof, bound=32 * Fraction(how.get("budget", 1)))


def settings(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"]["settings"].update(values)


def statement(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"].update(values)


def data(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"]["data"].update(values)


def table_for_a_kernel(proof: Json) -> None:
    """Values of a kernel that has a name, all half of what they are."""
    m = len(proof["dual"]["numbers"])
    proof["statement"]["values"] = {proof["statement"]["kernels"][0]: [[0.0] * m] * m}


def float_for_an_integer(proof: Json) -> None:
    proof["dual"]["over"] = float(int(proof["dual"]["over"], 16))


def swapped(part: str) -> Callable[[Json], None]:
    def swap(proof: Json) -> None:
        numbers = proof[part]["numbers"]
        used = [i for i, text in enumerate(numbers) if int(text, 16)]
        other = next(j for j, text in enumerate(numbers) if text != numbers[used[0]])
        numbers[used[0]], numbers[other] = numbers[other], numbers[used[0]]

    return swap


def sign(proof: Json) -> None:
    numbers = proof["dual"]["numbers"]
    i = next(i for i, text in enumerate(numbers) if int(text, 16))
    numbers[i] = hex(-int(numbers[i], 16))


def omitted(part: str) -> Callable[[Json], None]:
    return lambda proof: proof[part]["numbers"].pop()


def kernels_swapped(proof: Json) -> None:
    proof["statement"]["kernels"].reverse()


def row_swapped(proof: Json) -> None:
    proof["primal"]["pairs"][0][1] += 1


def words(proof: Json) -> None:
    said = proof["statement"]["program"]
    proof["statement"]["program"] = said.replace("<=", "<", 1).replace("min", "max", 1)


def label_turned(proof: Json) -> None:
    signs = proof["statement"]["data"]["signs"]
    signs.update({label: -value for label, value in signs.items()})
    signs[next(iter(signs))] *= -1


def column_missing(proof: Json) -> None:
    how = proof["statement"]["data"]
    for key in ("columns", "shift", "divisor"):
        how[key] = how[key][:-1]


FORGED: dict[str, dict[str, Callable[[Json], None]]] = {
    "vkr": {
        "kernels swapped": kernels_swapped,
        "an unknown penalty": settings(complexity="local"),
        "penalties beside a rule": settings(penalties=[1e-3, 1e-3]),
        "penalties not stated": settings(penalties=[1e-3, 1e-3], complexity="given"),
        "a rule of another kernel": settings(complexity="rbf"),
        "poly of rbf": settings(complexity="poly"),
        "lam below 0": settings(lam=-0.05),
        "a table": table_for_a_kernel,
        "windows of points": statement(kernels=["poly:1", "rbf:1:1"]),
        "gauss": statement(kernels=["poly:1", "gauss:1:2"]),
        "a huge rate": statement(kernels=["poly:1", "rbf:1e308"]),
        "fewer bits": statement(bits=64),
        "a short centre": data(centres=[[0.5]]),
    },
    "l1svm": {
        "numbers in other words": statement(numbers="every number is the decimal that is written"),
        "more given than is": statement(given=["the penalties r_k"]),
        "other words": words,
        "a note": lambda proof: proof.update(note="and its test error is 0"),
        "a further setting": settings(weights=[2, 1]),
        "a further key of the data": data(weights=[2, 1]),
        "a further key of the statement": statement(scale="unit"),
        "weights swapped": swapped("dual"),
        "coefficients swapped": swapped("primal"),
        "sign": sign,
        "weight omitted": omitted("dual"),
        "coefficient omitted": omitted("primal"),
        "row swapped": row_swapped,
        "a float": float_for_an_integer,
        "an infinite shift": data(shift=[float("inf"), 0.0]),
        "no number": data(shift=[float("nan"), 0.0]),
        "label": label_turned,
        "column": column_missing,
        "columns swapped": data(columns=[1, 0]),
        "a row left out": data(left_out=[3]),
        "rows": data(rows=13),
        "version": lambda proof: proof.update(radprog_proof="2"),
        "model": lambda proof: proof.update(model="svm"),
    },
    "svm": {
        "one multiplier more": one_multiplier_more,
        "a norm below 0": norm_below_zero,
        "a budget": settings(budget=0.5),
        "lam beside C": settings(lam=0.5),
        "a table": table_for_a_kernel,
        "no bias": settings(bias=False),
        "sign": sign,
        "weights swapped": swapped("dual"),
        "junk": lambda proof: proof["statement"].update(settings={"bias": True, "unit": 1}),
    },
    "simsvm": {"one multiplier more": one_multiplier_more, "C": settings(C=5.0)},
    "mkl": {
        "one multiplier more": one_multiplier_more,
        "tails not stated": settings(tails=[1.0, 1.0]),
        "a norm below 0": norm_below_zero,
        "a budget below 0": settings(budget=-1.0),
        "a norm below 1": settings(norm=0.5),
        "a huge norm": settings(norm=1e300),
        "kernels swapped": kernels_swapped,
    },
    "lpboost": {
        "radius": settings(radius=-1.0),
        "no radius": settings(radius=0.0),
        "nu": settings(nu=-0.3),
        "one sign": settings(signed=False),
        "sign": sign,
        "weight omitted": omitted("dual"),
        "no windows": lambda proof: proof["statement"].update(
            kernels=[proof["statement"]["kernels"][0].rsplit(":", 1)[0]]
        ),
    },
}


@pytest.mark.parametrize(
    ("model", "how"), [(model, how) for model, kinds in FORGED.items() for how in kinds]
)
def test_what_is_forged_is_refused(model: str, how: str) -> None:
    text, raw = proved(model)
    proof = json.loads(text)
    FORGED[model][how](proof)
    assert verdict(sealed(proof), raw).startswith("INVALID"), how


def test_a_bound_beyond_the_objective_needs_no_point_that_is_none() -> None:
    """Forged claims that the points do not bear: each of them alone, and all together."""
    text, raw = proved("svm")
    for name in ("objective", "bound", "gap"):
        proof = json.loads(text)
        proof[name] = number(value_of(proof[name]) + Fraction(1, 10**30))
        assert "that of the points" in verdict(sealed(proof), raw)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"bits":128', '"bits":128,"bits":128'),
        ('"rows":14', '"rows":15,"rows":14'),
        ('"left_out":[]', '"left_out":[NaN]'),
        ('"left_out":[]', '"left_out":[Infinity]'),
    ],
)
def test_text_that_readers_may_read_differently(old, new, tmp_path, capsys) -> None:
    text, raw = proved("l1svm")
    assert text.count(old) == 1
    (tmp_path / "data.csv").write_bytes(raw)
    for content, valid in ((text, True), (text.replace(old, new), False), (text + "{}", False)):
        (tmp_path / "proof.json").write_text(content)
        code = proof_checker.main([str(tmp_path / "proof.json"), str(tmp_path / "data.csv")])
        assert (code == 0) == valid, capsys.readouterr().out


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "inf", "1e999", "0x1", "", "nan"])
def test_cells_that_are_no_plain_numbers(cell: str) -> None:
    text, raw = proved("l1svm")
    lines = raw.decode().split("\n")
    lines[0] = ",".join([*lines[0].split(",")[:-1], cell])
    table = "\n".join(lines).encode()
    proof = json.loads(text)
    proof["statement"]["data"]["sha256"] = proof_checker.hashlib.sha256(table).hexdigest()
    assert verdict(sealed(proof), table).startswith("INVALID")


def test_given_numbers_are_told_with_the_verdict() -> None:
    rng = np.random.default_rng(1)
    table = rp.dataset(rng.normal(size=(12, 2)), [1, -1] * 6)
    spec = rp.VKR(kernels="poly:1", complexity="massart", lam=0.05, beta=0.05)
    proof = rp.prove(rp.fit(spec, table), table)
    said = verdict(dict(proof.content), proof.data or b"")
    assert said.endswith("; given: the penalties r_k, by 'massart'")
