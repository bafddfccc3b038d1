"""Programs that solvers failed on: where they are, and how many."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from program_files import read_program

from radprog.instances.errors import SolverError
from radprog.solvers.adapters import highs
from radprog.solvers.kept import MOST, keep_failed, state_folder
from radprog.solvers.program import Program
from radprog.solvers.registry import solve_program


@pytest.mark.parametrize("relative", [None, "", "state", "./state"])
def test_the_state_folder(
    relative: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that is not absolute is passed over, as the standard asks for."""
    monkeypatch.setenv("HOME", str(tmp_path))
    if relative is None:
        monkeypatch.delenv("XDG_STATE_HOME")
    else:
        monkeypatch.setenv("XDG_STATE_HOME", relative)
    assert state_folder() == tmp_path / ".local" / "state" / "radprog"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "x"))
    assert state_folder() == tmp_path / "x" / "radprog"


def test_the_last_ten_are_kept(
    small_lp: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(program: Program, settings: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(highs, "solve", crash)
    told: list[Path] = []
    for moment in range(MOST + 3):
        with pytest.raises(SolverError, match=f"the last {MOST} are") as caught:
            solve_program(small_lp)
        found = re.search(r"kept in (\S+\.mps),", str(caught.value))
        assert found is not None
        told.append(Path(found[1]))
        os.utime(told[-1], (moment, moment))
    kept = set((tmp_path / "radprog" / "failed").iterdir())
    assert kept == set(told[-MOST:])
    assert read_program(told[-1]).row_names == small_lp.row_names


def test_where_nothing_can_be_kept(
    small_lp: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert keep_failed(small_lp).startswith("it could not be kept (")
