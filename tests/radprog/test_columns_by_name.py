"""Columns of new rows are those of the fit by their names; columns can be left out."""

import itertools
import json
from pathlib import Path
from typing import Any

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
def frame(tmp_path: Path, monkeypatch: Any) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    table().to_csv("d.csv", index=False)
    return table()


def test_a_column_like_an_id_is_named_and_can_be_dropped(radprog: Any, frame: Any) -> None:
    done = radprog.ok("solve l1linear d.csv --categorical auto")
    assert "column 3 ('id'): 60 levels in 60 rows, like an id" in done.err
    assert "--drop leaves columns out" in done.err
    assert "'day'" not in done.err
    fit = radprog.ok("solve l1linear d.csv --categorical auto --drop id,day --save f.json")
    assert "like an id" not in fit.err
    assert rp.load_fit("f.json").data.features == ("a", "b", "colour=blue", "colour=red")
    data = rp.read("d.csv", categorical="auto", drop="id,day")
    frame.drop(columns=["id", "day"]).to_csv("less.csv", index=False)
    assert np.array_equal(data.X, rp.read("less.csv", categorical="auto").X)
    # new rows have the columns left out, or not
    for name in ("d.csv", "less.csv"):
        out = radprog.ok("predict f.json", name, "-o -")
        assert out.out.count("\n") == ROWS + 1
        assert "rows wrong" in out.err
        assert "left out" not in out.err
    for wrong in ("id,id", "y", "3", "none of these"):
        refused = ("solve l1linear d.csv --label y --categorical auto --drop", Path(wrong))
        assert radprog(*refused).code == 2


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("label", ["last", "y"])
def test_columns_in_another_order_and_among_others(
    radprog: Any, frame: Any, model: str, label: str
) -> None:
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
        assert [line for line in done.err.splitlines() if "rows wrong" in line] == [
            line for line in plain.err.splitlines() if "rows wrong" in line
        ]
        for k in range(more):
            assert f"new{k}" in done.err
        other.drop(columns="y").to_csv("o.csv", index=False)
        assert radprog.ok("predict f.json o.csv -o -").out == plain.out
        other.drop(columns="b").to_csv("o.csv", index=False)
        assert "no 'b'" in radprog.refused("o.csv", "predict f.json o.csv -o -")
        # frames, as files
        fit = rp.load_fit("f.json")
        wanted = [line.split(",")[0] for line in plain.out.splitlines()[1:]]
        if more:
            with pytest.warns(rp.RadprogWarning, match="left out"):
                assert fit.predict(other.drop(columns="y")).tolist() == wanted
            with pytest.raises(rp.DataError, match="no 'b'"):
                fit.predict(other.drop(columns=["y", "b"]))


@pytest.mark.parametrize("model", ["svm", "svr", "lpdsk", "mkl --kernels rbf:1"])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_the_label_of_a_fit_has_its_name(radprog: Any, frame: Any, model: str, place: int) -> None:
    """However it was chosen, and wherever it is now: no other column is the label."""
    number = np.where(frame["y"] == "yes", 1, -1)
    frame = frame.drop(columns=["colour", "id", "day"]).assign(c=frame["b"].round(1), y=number)
    frame = frame[[*(rest := ["a", "b", "c"])[:place], "y", *rest[place:]]]
    frame.to_csv("d.csv", index=False)
    chosen = [str(place), "y", *["first"] * (place == 0), *["last"] * (place == 3)]
    for label in chosen:
        radprog.ok("solve", model, "d.csv --label", label, "--save f.json")
        plain = radprog.ok("predict f.json d.csv -o -")
        told = plain.err.splitlines()[-1]
        assert "header" not in told
        frame = frame.assign(extra=np.random.default_rng(0).choice([-1, 1], size=ROWS))
        orders = [*itertools.permutations(["extra", "y", "a", "b", "c"])]
        for order in orders[::17]:
            frame[list(order)].to_csv("o.csv", index=False)
            done = radprog.ok("predict f.json o.csv -o -")
            assert (done.out, done.err.splitlines()[-1]) == (plain.out, told)
            frame[[one for one in order if one != "y"]].to_csv("o.csv", index=False)
            done = radprog.ok("predict f.json o.csv -o -")
            assert done.out == plain.out
            assert told not in done.err
            assert "left out: 'extra'" in done.err
        # another column by request, and two of one name
        frame[["extra", "y", "a", "b", "c"]].to_csv("o.csv", index=False)
        assert told not in radprog.ok("predict f.json o.csv --label extra -o -").err
        Path("o.csv").write_text(Path("o.csv").read_text().replace("extra", "y", 1))
        radprog.refused("o.csv: label column 'y' is not one of", "predict f.json o.csv -o -")


def test_columns_that_a_fit_does_not_have_hold_anything(radprog: Any, frame: Any) -> None:
    radprog.ok("solve l1linear d.csv --categorical colour --drop id,day --save f.json")
    fit, new = rp.load_fit("f.json"), frame[["a", "b", "colour"]]
    for other in (pd.Timestamp("2024-01-01"), 2**60, [[1, 2]], 1j):
        more = new.assign(when=[other] * ROWS)
        with pytest.warns(rp.RadprogWarning, match="left out: 'when'"):
            assert fit.predict(more).tolist() == fit.predict(new).tolist()
    message = radprog.refused("drop column 'nope'", "solve l1linear d.csv --drop nope")
    assert message.endswith("expected a name of the header that occurs once")


@pytest.mark.parametrize("model", ["svm", "l1linear"])
def test_test_rows_in_another_order_and_with_new_levels(
    radprog: Any, frame: Any, model: str
) -> None:
    ask = ("solve", model, "d.csv --categorical auto --drop id,day --json r.json --test o.csv")
    frame[["y", "colour", "id", "b", "day", "a"]].to_csv("o.csv", index=False)
    radprog.ok(*ask)
    test = json.loads(Path("r.json").read_text())["test"]
    assert (test["rows"], test["shared_rows"]) == (ROWS, ROWS)
    frame["colour"] = ["green", *frame["colour"][1:]]
    frame.to_csv("o.csv", index=False)
    assert "green" in radprog.refused("o.csv, row 2", *ask)
    done = radprog.ok(*ask, "--unseen zeros")
    assert "'green' is not in the training data" in done.err
    assert json.loads(Path("r.json").read_text())["test"]["shared_rows"] == ROWS - 1
    radprog.refused("of test rows", *ask[:2], "d.csv --categorical auto --unseen zeros")
