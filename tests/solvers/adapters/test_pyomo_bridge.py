"""Files that Pyomo hands to a command that lies, prints no text or stops half-way."""

import hashlib
import os
import time
from pathlib import Path

import pytest
from processes import PATIENCE
from pyomo.common import Executable
from refusals import refused

from radprog.base.errors import DataError, SolverError
from radprog.exporting import names_path, verify
from radprog.saved import write_json
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solver

MPS = "NAME m\nROWS\n N obj\n G r\nCOLUMNS\n x obj 2 r 1\n y obj 1 r 1\nRHS\n rhs r 2\nENDATA\n"
COLUMNS = "p lp min 1 2 2\nn z obj\nn i 1 r\nn j 1 x\nn j 2 y\ne o f\n"
BASIS = "c\ns bas 1 2 f f 2\ni 1 l 2 1\nj 1 l 0 1\nj 2 b 2 0\ne o f\n"


def install(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command glpsol; "$@" are its arguments."""
    script, version = folder / "glpsol", "GLPSOL--GLPK LP/MIP Solver 5.0"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit\n{body}\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    Executable("glpsol").rehash()  # Pyomo remembers where commands are, and that they are not


def glpsol(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, columns: str) -> None:
    """A glpsol that always answers the same."""
    (folder / "answer").write_bytes(answer)
    (folder / "columns").write_text(columns)
    copies = f'--write) cp {folder}/answer "$2";; --wglp) cp {folder}/columns "$2";;'
    body = f"while [ $# -gt 1 ]; do case $1 in {copies} esac; shift; done; printf '\\377\\376 done'"
    install(folder, body, monkeypatch)


@pytest.fixture(autouse=True)
def pyomo_forgets(monkeypatch: pytest.MonkeyPatch):
    """The commands of a test are gone after it."""
    yield
    monkeypatch.undo()
    Executable("glpsol").rehash()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """min 2x + y, x + y >= 2: (0, 2), dual 1."""
    path = tmp_path / "m.mps"
    path.write_text(MPS)
    names = {"columns": {"x": "x", "y": "y"}, "rows": {"r": "r"}, "schema": 1, "class": "LP"}
    names |= {"expected_objective": None, "sha256": hashlib.sha256(MPS.encode()).hexdigest()}
    write_json(names_path(path), names)
    return path


def test_duals_of_a_file_prove_its_point(model, tmp_path, monkeypatch) -> None:
    for name in ("highs", "scip"):  # SCIP has no duals: HiGHS's at its point
        verdict = verify(model, name)
        assert (verdict.agrees, verdict.proven, verdict.refuted) == (True, True, False)
        assert verdict.gap == pytest.approx(0.0)
    glpsol(tmp_path, monkeypatch, BASIS.encode(), COLUMNS)
    honest = verify(model, "glpk")  # Pyomo reads no duals of a file: HiGHS's at its point
    assert (honest.agrees, honest.proven, dict(honest.answer.x)) == (True, True, {"x": 0, "y": 2})


@pytest.mark.parametrize(
    ("answer", "proven"),
    [
        ("s bas 1 2 f f 4\ni 1 l 2 1\nj 1 b 2 0\nj 2 l 0 0\n", False),  # not the best
        ("s mip 1 2 o 4\ni 1 2\nj 1 2\nj 2 0\n", False),
        ("s bas 1 2 f f 1\ni 1 l 2 1\nj 1 l 0 1\nj 2 b 2 0\n", True),  # wrong value
        ("s bas 1 2 f f 1\ni 1 l 1 1\nj 1 l 0 1\nj 2 b 1 0\n", False),  # outside
        ("s bas 1 2 f f nan\ni 1 l 2 1\nj 1 l nan 1\nj 2 b nan 0\n", False),
        ("s bas 1 2 n f 0\n", False),
    ],
)
def test_a_lying_command_is_not_believed(model, tmp_path, monkeypatch, answer, proven) -> None:
    names_path(model).write_text(names_path(model).read_text().replace("null", "2.0"))
    glpsol(tmp_path, monkeypatch, f"c\n{answer}e o f\n".encode(), COLUMNS)
    verdict = verify(model, "glpk")
    assert (verdict.agrees, verdict.proven) == (False, proven)


@pytest.mark.parametrize(
    ("answer", "columns"),
    [
        (BASIS[:12], COLUMNS),
        ("", COLUMNS),
        (BASIS.replace("j 1 l 0", "j 1 l zero"), COLUMNS),
        (BASIS.replace("j 1 l 0", "j 1 l \xff"), COLUMNS),
        (BASIS, "n j 1 x\n"),
        (BASIS, COLUMNS.replace("n j 2 y", "n j 2 z")),
    ],
)
def test_half_an_answer_is_an_error(model, tmp_path, monkeypatch, answer, columns) -> None:
    glpsol(tmp_path, monkeypatch, answer.encode("latin-1"), columns)
    with pytest.raises(SolverError, match=r"pyomo:glpk (gave|crashed)") as caught:
        verify(model, "glpk")
    assert "\n" not in str(caught.value)


def test_columns_that_are_not_those_of_the_file(model) -> None:
    names = names_path(model).read_text().replace('"y"', '"z"', 1)
    names_path(model).write_text(names)
    refused(DataError, "names other columns", verify, model)


def test_a_command_ends_with_its_caller(model, tmp_path, monkeypatch) -> None:
    started = tmp_path / "pid"
    body = f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 1000"
    install(tmp_path, body, monkeypatch)
    settings = SolveSettings(interrupted=started.exists)
    assert solver("glpk").adapter().solve_file(model, settings).status is Status.INTERRUPTED
    # a killed child of a killed parent is gone once the system has taken it away
    end = time.monotonic() + PATIENCE
    place = Path(f"/proc/{started.read_text().strip()}/cmdline")
    while place.exists() and place.read_bytes():
        assert time.monotonic() < end
