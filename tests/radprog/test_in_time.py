"""Limits outside of the methods: reading, exporting, tuning, complexities."""

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog import cli, tuning
from radprog.catalog import Entry, entry_of
from radprog.decompositions.run import RunSettings


@pytest.mark.parametrize("command", ["solve svm", "export svm", "tune svm", "complexity vkr"])
def test_reading_counts_towards_the_limit(radprog, folder, command: str) -> None:
    known = {"export svm": "-o r.mps", "tune svm": "--grid C=1,2 --json r.json"}
    before = set(Path().iterdir())
    more = known.get(command, "--json r.json")
    found = radprog(command, "train.csv", more, "--time-limit", 1e-9)
    assert found.code == 1
    assert found.err.startswith("radprog: error: time_limit: ended before the first step")
    assert set(Path().iterdir()) == before


def test_the_start_of_the_process_counts(folder, monkeypatch, capsys) -> None:
    """Of the command line of a process, and of no other call."""
    monkeypatch.setattr(sys, "argv", ["radprog", "solve", "svm", "train.csv", "--json", "r.json"])
    monkeypatch.setattr(cli.time, "process_time", lambda: 1e6)
    sys.argv += ["--time-limit", "100000"]
    assert cli.main() == 1
    assert not Path("r.json").exists()
    assert cli.main(sys.argv[1:]) == 0
    assert json.loads(Path("r.json").read_text())["certified"]


def test_what_folds_share_counts_towards_the_limit() -> None:
    """Tables of all patterns, and prepared kernels, before the first fit."""
    series = rp.series(np.random.default_rng(0).normal(size=(40, 30)), [0, 1] * 20)
    for spec, data in (
        (rp.LPBoost(length="6"), series),
        (rp.MKL(kernels="rbf:1,rbf:2"), rp.dataset(series.X, series.targets)),
    ):
        asked = itertools.count()
        settings = RunSettings(interrupted=lambda asked=asked: next(asked) >= 1)
        with pytest.raises(rp.UnfinishedError, match="fitted on the first of 5 folds"):
            tuning.tune_by_folds(entry_of(spec).name, [spec], data, settings)


def test_the_fit_of_the_choice_has_what_the_grid_left(radprog, folder, monkeypatch) -> None:
    given = []
    fit = Entry.fit

    def seen(entry, spec, data, settings):
        given.append(settings)
        return fit(entry, spec, data, settings)

    monkeypatch.setattr(Entry, "fit", seen)
    asked = ("--grid", "C=1,2", "--time-limit", 100, "--save", "f.json", "--quiet")
    assert (radprog("tune", "svm", "train.csv", *asked).code, given[-1].time_limit) == (0, 100)
    assert 0.0 < given[-1].used < 100.0
