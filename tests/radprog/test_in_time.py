"""Limits outside of the methods: reading, exporting, several machines."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog import cli, tuning
from radprog import result as result_module
from radprog.analysis.complexities import complexity_table
from radprog.base.errors import UnfinishedError
from radprog.base.limits import under
from radprog.catalog import Entry, entry_named, entry_of
from radprog.commands import export
from radprog.decompositions import loop
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.result import NOT_TESTED, result_of
from radprog.saved import digest_of
from radprog.solvers.formats import program_writer


@dataclass
class Questions:
    """Spent from the given question on."""

    left: float
    asked: itertools.count[int] = field(default_factory=itertools.count)

    def spent(self) -> bool:
        return next(self.asked) >= self.left


@pytest.mark.parametrize("command", ["solve svm {} --json r.json", "export svm {} -o r.mps"])
def test_reading_counts_towards_the_limit(radprog, folder, no_grace, command: str) -> None:
    before = set(Path().iterdir())
    found = radprog(*command.format("train.csv").split(), "--time-limit", 1e-9)
    assert found.code == 1
    assert "the time limit of 1e-09 s was over before the data were read" in found.err
    assert set(Path().iterdir()) == before


def test_small_data_are_read_all_the_same(radprog, folder) -> None:
    found = radprog("solve", "svm", "train.csv", "--time-limit", 1e-9, "--json", "r.json")
    assert found.code in (0, 1)
    assert Path("r.json").exists()


def test_the_start_of_the_process_counts(folder, monkeypatch, capsys) -> None:
    """Of the command line of a process, and of no other call."""
    monkeypatch.setattr(sys, "argv", ["radprog", "solve", "svm", "train.csv", "--json", "r.json"])
    monkeypatch.setattr(cli.time, "process_time", lambda: 1e6)
    sys.argv += ["--time-limit", "100000"]
    assert cli.main() == 1
    assert json.loads(Path("r.json").read_text())["stopped_by"] == "time_limit"
    assert cli.main(sys.argv[1:]) == 0


def test_what_was_used_is_gone() -> None:
    assert RunSettings(time_limit=5.0, used=4.0).budget().remaining <= 1.0
    assert RunSettings(time_limit=5.0, used=6.0).budget().spent()
    assert not RunSettings(used=6.0).budget().spent()


POINTS = rp.dataset(np.arange(30.0)[:, None], [-1.0, 1.0] * 15)


def test_a_program_that_cannot_be_built_in_time_is_not_written(no_grace, tmp_path) -> None:
    asked = entry_named("vkr"), rp.VKR(), POINTS, "dual", RunSettings(time_limit=1e-9)
    with pytest.raises(UnfinishedError, match="cut off before form dual was built: nothing is"):
        export._written(*asked, str(tmp_path / "p.mps"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["p.mps", "p.lp.gz", "p.nl"])
def test_a_program_that_cannot_be_written_in_time_leaves_no_file(
    folder, no_grace, monkeypatch, name: str
) -> None:
    """The limit strikes while the file is written."""
    writing, never = threading.Event(), threading.Event()

    def endless(*given: object) -> None:
        writing.set()
        never.wait()

    monkeypatch.setattr(program_writer, "write_mps", endless)
    monkeypatch.setattr(program_writer, "write_lp", endless)
    monkeypatch.setattr(program_writer.NLWriter, "write", endless)
    Path(name).write_text("old")
    settings = RunSettings(interrupted=writing.is_set)
    with pytest.raises(UnfinishedError, match="cut off before form dual was written out: nothing"):
        export._written(entry_named("vkr"), rp.VKR(), POINTS, "dual", settings, name)
    never.set()
    assert Path(name).read_text() == "old"
    assert not [path for path in Path().iterdir() if path.name.startswith((".radprog", "p.names"))]


@pytest.mark.parametrize("command", ["tune svm {} --grid C=1,2", "complexity vkr {} --trials 5"])
def test_other_commands_read_in_time_too(radprog, folder, no_grace, command: str) -> None:
    found = radprog(*command.format("train.csv").split(), "--time-limit", 1e-9)
    assert found.code == 1
    assert "the time limit of 1e-09 s was over before the data were read" in found.err


def test_what_folds_share_counts_towards_the_limit(no_grace) -> None:
    """Tables of all patterns, and prepared kernels, before the first fit."""
    series = rp.series(np.random.default_rng(0).normal(size=(40, 30)), [0, 1] * 20)
    for spec, data in (
        (rp.LPBoost(length="6"), series),
        (rp.MKL(kernels="rbf:1,rbf:2"), rp.dataset(series.X, series.targets)),
    ):
        asked = itertools.count()
        settings = RunSettings(interrupted=lambda asked=asked: next(asked) >= 1)
        with pytest.raises(UnfinishedError, match="ended before the first of 5 folds"):
            tuning.tune_by_folds(entry_of(spec).name, [spec], data, settings)


def test_the_fit_of_the_choice_has_what_the_grid_left(radprog, folder, monkeypatch) -> None:
    given = []
    fit = Entry.fit

    def seen(entry, spec, data, settings):
        given.append(settings)
        return fit(entry, spec, data, settings)

    monkeypatch.setattr(Entry, "fit", seen)
    asked = ("--grid", "C=1,2", "--time-limit", 100, "--save", "f.json", "--quiet")
    assert radprog("tune", "svm", "train.csv", *asked).code == 0
    assert given[-1].time_limit == 100
    assert 0.0 < given[-1].used < 100.0


@pytest.mark.parametrize("model", ["svm", "lpboost", "svr", "mkl"])
def test_test_rows_that_cannot_be_scored_in_time(model: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 8)), [-1.0, 1.0] * 6
    make = {"lpboost": rp.series, "svr": rp.regression_data}.get(model, rp.dataset)
    spec = {"lpboost": rp.LPBoost(length="3"), "svr": rp.SVR(C=1.0)}.get(model)
    spec = spec or (rp.SVM() if model == "svm" else rp.MKL(kernels="linear"))
    data, settings = make(X, y), RunSettings()
    run = entry_named(model).fit(spec, data, settings)
    with under(Questions(0)):
        result = result_of(run, data, settings, data)
    assert result["test"] is None
    assert f"{NOT_TESTED}: there is no test block" in result["warnings"]
    assert result["digest"] == digest_of(result)
    assert result_of(run, data, settings, data)["test"]["rows"] == 12


def test_a_run_without_its_test_block_has_not_ended(radprog, folder, monkeypatch) -> None:
    late = threading.Event()
    monkeypatch.setattr(result_module, "test_block", lambda *given: late.wait())
    monkeypatch.setattr(loop, "GRACE", (0.0, 0.0))
    monkeypatch.setattr(loop, "WAITING", 0.0)
    asked = ("solve", "svm", "train.csv", "--test", "test.csv", "--json", "-", "--time-limit", 1.0)
    found = radprog(*asked)
    late.set()
    assert found.code == 1
    assert json.loads(found.out)["test"] is None
    assert NOT_TESTED in found.err


def test_classes_that_there_was_no_time_for(no_grace) -> None:
    entry = entry_named("vkr")
    for polls, complete in ((0, False), (10**6, True)):
        asked = itertools.count()
        settings = RunSettings(interrupted=lambda: next(asked) >= polls)  # noqa: B023
        given = {"trials": 5, "kind": "rademacher", "settings": settings}
        if complete:
            assert complexity_table(entry, rp.VKR(kernels="poly:1-2"), POINTS, **given)["complete"]
        else:
            with pytest.raises(UnfinishedError, match="before two sign vectors were done"):
                complexity_table(entry, rp.VKR(kernels="poly:1-2"), POINTS, **given)


@pytest.mark.parametrize("polls", [0, 5, 20, 40, 60, 100])
@pytest.mark.parametrize("spec", [rp.VKR(), rp.SVM(), rp.SimSVM(kernels="rbf:1")], ids=str)
def test_machines_one_after_the_other(no_grace, spec, polls: int) -> None:
    """Those that there was no time for are constant."""
    rng = np.random.default_rng(0)
    data = rp.dataset(rng.normal(size=(30, 2)), np.repeat(["a", "b", "c"], 10), one_vs_rest=True)
    asked = itertools.count()
    run = rp.fit(spec, data, time_limit=1e6, interrupted=lambda: next(asked) >= polls)
    assert run.status is RunStatus.LIMIT or polls > 20
    assert len(run.fit.fits) == 3
    assert 0.0 <= run.bound <= run.objective
    assert set(run.fit.predict(data.X)) <= {0.0, 1.0, 2.0}
