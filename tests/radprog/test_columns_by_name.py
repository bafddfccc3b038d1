"""Columns of new rows are those of the fit by their names; columns can be left out."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import radprog as rp

ROWS = 60
MODELS = ["vkr --kernels poly:1", "svm", "l1linear", "mkl --kernels rbf:1", "lpdsk"]


def table() -> pd.DataFrame:
    """Numbers, a text column, an id, a day, and a label."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 2)).round(3), columns=["a", "b"])
    frame["colour"] = rng.choice(["red", "blue"], size=ROWS)
    frame["id"] = [f"row {i}" for i in range(ROWS)]
    frame["day"] = [f"2024-01-{i % 28 + 1:02d}" for i in range(ROWS)]
    frame["y"] = np.where(frame["a"] + 0.3 * rng.normal(size=ROWS) > 0, "yes", "no")
    return frame


@pytest.fixture
def frame(empty: Path) -> pd.DataFrame:
    table().to_csv("d.csv", index=False)
    return table()


def test_a_column_like_an_id_is_named_and_can_be_dropped(radprog, frame) -> None:
    solve = "solve l1linear d.csv --categorical auto"
    done = radprog.ok(solve)
    assert "column 3 ('id'): 60 levels in 60 rows, like an id" in done.err
    assert "--drop leaves columns out" in done.err
    assert "'day'" not in done.err
    assert "like an id" not in radprog.ok(solve, "--drop id,day --save f.json").err
    assert rp.load_fit("f.json").data.features == ("a", "b", "colour=blue", "colour=red")
    data = rp.read("d.csv", categorical="auto", drop="id,day")
    frame.drop(columns=["id", "day"]).to_csv("less.csv", index=False)
    assert np.array_equal(data.X, rp.read("less.csv", categorical="auto").X)
    # one mistyped number is named, not the first row; a column of numbers may be chosen
    frame.assign(a=[*frame["a"][:4], "1O.5", *frame["a"][5:]]).to_csv("typo.csv", index=False)
    (words,) = (text for text in rp.read("typo.csv", categorical="auto", drop="id,day").warnings)
    assert "row 6, column 0 ('a'): '1O.5' is a text among numbers" in words
    assert len(rp.read("less.csv", categorical="a,colour").levels) == 2
    # new rows have the columns left out, or not
    for name in ("d.csv", "less.csv"):
        out = radprog.ok("predict f.json", name, "-o -")
        assert out.out.count("\n") == ROWS + 1
        assert "rows wrong" in out.err
        assert "left out" not in out.err
    for wrong in ("id,id", "y", "3", "none of these"):
        assert radprog(solve, "--label y --drop", Path(wrong)).code == 2


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("label", ["last", "y"])
def test_columns_in_another_order_and_among_others(radprog, frame, model, label) -> None:
    how = ("--categorical colour --drop id,day --scale standard --label", label)
    radprog.ok("solve", model, "d.csv", *how, "--save f.json")
    plain = radprog.ok("predict f.json d.csv -o -")
    rng = np.random.default_rng(1)
    for more in (0, 2):
        other = frame.assign(**{f"new{k}": rng.normal(size=ROWS) for k in range(more)})
        other = other[rng.permutation(other.columns)]
        other.to_csv("o.csv", index=False)
        done = radprog.ok("predict f.json o.csv -o -")
        assert done.out == plain.out
        told = [re.findall(".*rows wrong.*", one.err) for one in (done, plain)]
        assert told[0] == told[1]
        assert all(f"new{k}" in done.err for k in range(more))
        other.drop(columns="y").to_csv("o.csv", index=False)
        assert radprog.ok("predict f.json o.csv -o -").out == plain.out
        other.drop(columns="b").to_csv("o.csv", index=False)
        assert "no 'b'" in radprog.refused("o.csv", "predict f.json o.csv -o -")


def test_columns_that_a_fit_does_not_have_hold_anything(radprog, frame) -> None:
    radprog.ok("solve l1linear d.csv --categorical colour --drop id,day --save f.json")
    fit, new = rp.load_fit("f.json"), frame[["a", "b", "colour"]]
    for other in (pd.Timestamp("2024-01-01"), 2**60, [[1, 2]], 1j):
        more = new.assign(when=[other] * ROWS)
        with pytest.warns(rp.RadprogWarning, match="left out: 'when'"):
            assert fit.predict(more).tolist() == fit.predict(new).tolist()
    message = radprog.refused("drop column 'nope'", "solve l1linear d.csv --drop nope")
    assert message.endswith("expected a name of the header that occurs once")


@pytest.mark.parametrize("model", ["svm", "l1linear"])
def test_test_rows_in_another_order_and_with_new_levels(radprog, frame, model) -> None:
    ask = ("solve", model, "d.csv --categorical auto --drop id,day --json r.json --test o.csv")
    frame[["y", "colour", "id", "b", "day", "a"]].to_csv("o.csv", index=False)
    test = radprog.ok(*ask).json["test"]
    assert (test["rows"], test["shared_rows"]) == (ROWS, ROWS)
    frame["colour"] = ["green", *frame["colour"][1:]]
    frame.to_csv("o.csv", index=False)
    assert "green" in radprog.refused("o.csv, row 2", *ask)
