"""Limits outside of the methods: reading, exporting, several machines."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.catalog import entry_named
from radprog.commands import export
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.errors import UnfinishedError
from radprog.instances.tables import LINES_AT_ONCE, to_floats


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


def test_what_was_used_is_gone() -> None:
    assert RunSettings(time_limit=5.0, used=4.0).budget().remaining <= 1.0
    assert RunSettings(time_limit=5.0, used=6.0).budget().spent()
    assert not RunSettings(used=6.0).budget().spent()


def test_a_program_that_cannot_be_built_in_time_is_not_written(no_grace) -> None:
    data = rp.dataset(np.arange(30.0)[:, None], [-1.0, 1.0] * 15)
    settings = RunSettings(time_limit=1e-9)
    with pytest.raises(UnfinishedError, match="cut off before form dual was built"):
        export._built(entry_named("vkr"), rp.VKR(), data, "dual", settings)


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


def test_cells_become_numbers_block_by_block() -> None:
    rows = [[str(i), "1"] for i in range(LINES_AT_ONCE + 3)]
    values = to_floats(rows)
    assert isinstance(values, np.ndarray)
    assert (values[:, 0] == np.arange(len(rows))).all()
    rows[-1][1] = "x"
    assert to_floats(rows) == (len(rows) - 1, 1)
