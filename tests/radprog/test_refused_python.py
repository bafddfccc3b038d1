"""Bad values from Python: an error of the project's own, that says what was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.instances.errors import OptionError, OutputError
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
