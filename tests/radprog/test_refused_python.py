"""Bad values from Python: an error of the project's own, that says what was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.base.errors import DataError, OptionError, OutputError
from radprog.tuning import make_folds

X = np.random.default_rng(0).normal(size=(12, 2))
DATA = rp.dataset(X, X[:, 0] > 0)
SPEC = rp.L1SVM(kernels="linear", beta=0.1)
GRID = {"beta": [0.1]}
TUNED: list[tuple[dict[str, Any], str]] = [
    ({"data": None}, "tuned on a data set: none given"),
    ({"grid": None}, "grid None: expected the values of every option"),
    ({"grid": {"beta": range(1, 10**9)}}, "settings, expected 1 to 100000"),
    ({"grid": {"beta": np.array(np.nan)}}, "expected a number"),
    ({"grid": {"scale": None}}, "unknown scale 'None'"),
    ({"folds": 2.5}, "folds 2.5: expected a whole number"),
    ({"folds": "3"}, "folds '3': expected a whole number"),
    ({"protocol": "kfold"}, "unknown protocol 'kfold'"),
    ({"protocol": True}, "unknown protocol 'True'"),
    ({"by": np.zeros(2)}, "unknown by"),
    ({"watch": None}, "watch None: expected a function"),
    ({"jobs": np.zeros(2)}, "expected a whole number >= 1"),
    ({"checkpoint": True}, "checkpoint True: expected text"),
    ({"checkpoint": "\0"}, "expected text"),
    ({"scheduler": 3}, "scheduler 3: expected text"),
    ({"method": np.zeros(2)}, "expected the name of one"),
]
PATHS: list[tuple[dict[str, Any], str]] = [
    ({"data": None}, "works on Dataset"),
    ({"path": None}, "path 'None': expected NAME=FROM..TO"),
    ({"rows": "many"}, "rows 'many': expected a whole number"),
    ({"validate": rp.series(X, X[:, 0] > 0)}, "is no data set like"),
    ({"validate": rp.dataset(X[:, :1], X[:, 0] > 0)}, "is no data set like"),
    ({"by": "compression", "values": 2.5}, "values 2.5: expected a whole number"),
    ({"constraints": np.zeros(2)}, "is none; rp.scores, rp.parity make one"),
]


@pytest.mark.parametrize(("given", "said"), TUNED)
def test_what_tune_refuses(given: dict[str, Any], said: str) -> None:
    asked = {"data": DATA, "grid": GRID, "folds": 3, **given}
    with pytest.raises(OptionError, match=said):
        rp.tune(SPEC, **asked)


@pytest.mark.parametrize(("given", "said"), PATHS)
def test_what_path_refuses(given: dict[str, Any], said: str) -> None:
    asked = {"data": DATA, "path": ("beta", 0.1, 0.2), **given}
    with pytest.raises(OptionError, match=said):
        rp.path(SPEC, **asked)


def test_an_unknown_protocol_is_no_other() -> None:
    with pytest.raises(OptionError, match="expected one of cv, paper, holdout"):
        make_folds(12, 3, "kfold", 0)


@pytest.mark.parametrize("table", [None, {}, {"model": "l1svm", "best": None}, np.zeros(2)])
def test_what_is_no_table_of_tune(table: Any) -> None:
    with pytest.raises(OptionError, match="expected a table that"):
        rp.chosen(table, SPEC, DATA)


def test_a_table_of_other_options_is_refused() -> None:
    table = {"model": "l1svm", "best": {"params": {"colour": "red"}}}
    with pytest.raises(OptionError, match="a table of other options than l1svm has"):
        rp.chosen(table, SPEC, DATA)


@pytest.mark.parametrize("place", [None, True, "\0", b"a"])
def test_what_is_no_path_of_a_file_is_not_written(place: Any) -> None:
    run = rp.fit(SPEC, DATA)
    for write in (rp.save_fit, rp.save_run):
        with pytest.raises(OutputError, match="expected the path of a file"):
            write(run, DATA, place)
    if place is not None:
        with pytest.raises(OptionError, match="expected one of"):
            rp.plot(run, file=place)


@pytest.mark.parametrize("given", [None, 3, SPEC, "run.json"])
def test_what_is_no_run_is_neither_kept_nor_drawn(given: Any, tmp_path: Any) -> None:
    asked = (
        lambda: rp.plot(given, DATA),
        lambda: rp.save_fit(given, DATA, tmp_path / "f.json"),
        lambda: rp.save_run(given, DATA, tmp_path / "r.json"),
    )
    for call in asked:
        with pytest.raises(OptionError, match="expected a run, as rp"):
            call()
    assert not list(tmp_path.iterdir())


def test_a_run_is_kept_and_drawn_with_data_of_its_kind(tmp_path: Any) -> None:
    run = rp.fit(SPEC, DATA)
    other = rp.regression_data(X, X[:, 0])
    for given in (None, other):
        for write in (rp.save_fit, rp.save_run):
            with pytest.raises(OptionError):
                write(run, given, tmp_path / "f.json")
    with pytest.raises(OptionError, match="works on Dataset"):
        rp.plot(run, other)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", [None, 3, b"f.json", ["f.json"]])
def test_what_is_no_path_of_a_file_is_not_read(place: Any) -> None:
    for read in (rp.load_fit, rp.verify):
        with pytest.raises(DataError, match="expected the path of a file"):
            read(place)
    with pytest.raises(DataError, match="File name too long"):
        rp.verify("x" * 5000)


EXPORTS: list[tuple[dict[str, Any], str]] = [
    ({"model": None}, "None is no Pyomo model"),
    ({"expected": "1"}, "expected '1': expected a number"),
    ({"sense": 0.0}, "sense 0.0: expected 1 or -1"),
    ({"name": b"n"}, "name b'n': expected text"),
    ({"form": "\ud800"}, "expected text"),
    ({"iterate": {"a": {1j}}}, "iterate: no JSON"),
]


@pytest.mark.parametrize(("given", "said"), EXPORTS)
def test_an_export_that_is_refused_leaves_the_files_as_they_were(
    given: dict[str, Any], said: str, tmp_path: Any
) -> None:
    asked: dict[str, Any] = {"model": rp.build(SPEC, DATA), "path": tmp_path / "p.lp"}
    rp.export(**asked)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(OptionError, match=said):
        rp.export(**{**asked, "model": rp.build(rp.SVM(), DATA), **given})
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"trials": 10**30}, "at most"),
        ({"trials": 2.5}, "trials 2.5: expected a whole number"),
        ({"trials": None}, "trials None"),
        ({"watch": None}, "watch None: expected a function"),
        ({"kind": ["rademacher"]}, "unknown kind"),
    ],
)
def test_what_complexity_refuses(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        rp.complexity(SPEC, DATA, **given)


def test_a_table_without_a_name() -> None:
    with pytest.raises(OptionError, match="unknown table"):
        rp.reproduce(["vkr"])  # type: ignore[arg-type]
