"""Commands that lie, print bytes that are no text, stop half-way or do not end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import PATIENCE
from program_files import read_file_with
from pyomo.common import Executable

from radprog.exporting import names_path, verify
from radprog.instances.errors import DataError, SolverError, SolverMissingError
from radprog.saved import write_json
from radprog.solvers.adapters import external
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.questions.capability import capability_table
from radprog.solvers.registry import solve_program, solver

LP = "Minimize\n obj: 2 x + y\nSubject To\n r: x + y >= 2\nBounds\n x >= 0\n y >= 0\nEnd\n"
MPS = (
    "NAME m\nROWS\n N obj\n G r\nCOLUMNS\n x obj 2 r 1\n y obj 1 r 1\nRHS\n rhs r 2\nBOUNDS\n"
    "ENDATA\n"
)
COLUMNS = "p lp min 1 2 2\nn z obj\nn i 1 r\nn j 1 x\nn j 2 y\ne o f\n"
BASIS = "s bas 1 2 f f 2\ni 1 l 2 1\nj 1 l 0 1\nj 2 b 2 0\ne o f\n"


def install(folder: Path, name: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of that name; "$@" are its arguments."""
    script = folder / name
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    Executable(name).rehash()  # Pyomo remembers where commands are, and that they are not


def glpsol(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, columns: str) -> None:
    """A glpsol that always answers the same."""
    (folder / "answer").write_bytes(answer)
    (folder / "columns").write_text(columns)
    install(
        folder,
        "glpsol",
        '[ "$1" = --version ] && echo "GLPSOL 5.0" && exit\n'
        f"cp {folder}/answer answer.txt; cp {folder}/columns columns.txt; printf '\\377\\376 done'",
        monkeypatch,
    )


@pytest.fixture(autouse=True)
def pyomo_forgets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The commands of a test are gone after it."""
    yield
    monkeypatch.undo()
    for name in ("glpsol", "cbc"):
        Executable(name).rehash()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """min 2x + y, x + y >= 2: (0, 2), dual 1."""
    path = tmp_path / "m.mps"
    path.write_text(MPS)
    write_json(
        names_path(path),
        {
            "schema": 1,
            "class": "LP",
            "expected_objective": None,
            "columns": {"x": "x", "y": "y"},
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        },
    )
    return path


def test_duals_of_a_file_prove_its_point(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("highs", "scip"):  # SCIP has no duals: HiGHS's at its point
        verdict = verify(model, name)
        assert (verdict.agrees, verdict.proven, verdict.refuted) == (True, True, False)
        assert verdict.gap == pytest.approx(0.0)
    glpsol(tmp_path, monkeypatch, BASIS.encode(), COLUMNS)
    honest = verify(model, "glpk")
    assert (honest.agrees, honest.proven, honest.answer.row_duals) == (True, True, {"r": 1.0})


@pytest.mark.parametrize(
    ("answer", "agrees", "proven", "refuted"),
    [
        (BASIS.replace("l 2 1\n", "l 2 1.9\n"), True, True, False),  # a price that is repaired
        (BASIS.replace("l 2 1\n", "l 2 -1\n"), False, False, True),
        (BASIS.replace("l 2 1\n", "l 2 nan\n"), True, True, False),  # none: HiGHS's
        ("s bas 1 2 f f 4\ni 1 l 2 1\nj 1 b 2 0\nj 2 l 0 0\n", False, False, True),  # not the best
        ("s mip 1 2 o 4\ni 1 2\nj 1 2\nj 2 0\n", True, False, False),  # no duals to refute it
        ("s bas 1 2 f f 1\ni 1 l 2 1\nj 1 l 0 1\nj 2 b 2 0\n", False, True, False),  # wrong value
        ("s bas 1 2 f f 1\ni 1 l 1 1\nj 1 l 0 1\nj 2 b 1 0\n", False, False, False),  # outside
        ("s bas 1 2 f f nan\ni 1 l 2 1\nj 1 l nan 1\nj 2 b nan 0\n", False, False, False),
        ("s bas 1 2 n f 0\n", False, False, False),
        ("", False, False, False),
    ],
)
def test_a_lying_command_is_not_believed(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    answer: str, agrees: bool, proven: bool, refuted: bool,
) -> None:  # fmt: skip
    glpsol(tmp_path, monkeypatch, answer.encode(), COLUMNS)
    verdict = verify(model, "glpk")
    assert (verdict.agrees, verdict.proven, verdict.refuted) == (agrees, proven, refuted)


@pytest.mark.parametrize(
    ("answer", "columns"),
    [
        (BASIS[: BASIS.index("j 2")].encode(), COLUMNS),  # half an answer
        (BASIS[:8].encode(), COLUMNS),
        (BASIS.replace("j 1 l 0", "j 1 l zero").encode(), COLUMNS),
        (b"s bas 1 2 f f 2\nj 1 l \xff\xfe 1\nj 2 b 2 0\n", COLUMNS),
        (b"s bas 1 2 f f \xff\xfe\nj 1 l 0 1\nj 2 b 2 0\n", COLUMNS),
        (BASIS.encode(), "n j 1 x\n"),
        (BASIS.encode(), COLUMNS.replace("n j 2 y", "n j 2 z")),
    ],
)
def test_half_an_answer_and_bytes_are_errors_of_the_solver(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, columns: str
) -> None:
    glpsol(tmp_path, monkeypatch, answer, columns)
    with pytest.raises(SolverError, match="glpk gave"):
        verify(model, "glpk")


@pytest.mark.parametrize("name", ["glpk", "cbc", "lp_solve"])
def test_bytes_that_are_no_text(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = {"glpk": "glpsol"}.get(name, name)
    noise = "printf '\\377\\376\\000 4.2\\n\\300'"
    body = f"{noise}; {noise} > answer.txt; {noise} > columns.txt"
    install(tmp_path, command, body, monkeypatch)
    assert solver(name).missing() == ""
    try:
        answer = read_file_with(name, model)
    except SolverError as error:
        assert name in str(error)  # noqa: PT017
    else:
        assert answer.status is Status.FAILED
        assert answer.x == {}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["glpk", "cbc", "lp_solve", "pyomo:glpk"])
def test_a_command_that_does_not_tell_its_version(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "_GREETING", 0.2)
    monkeypatch.setattr(external, "_GRACE", 0.1)
    command = name.removeprefix("pyomo:")
    install(tmp_path, {"glpk": "glpsol"}.get(command, command), "exec sleep 60", monkeypatch)
    reason = "cannot be used: .*(did not end within|does not tell its version)"
    with pytest.raises(SolverMissingError, match=reason) as caught:
        solver(name).adapter()
    assert caught.value.exit_code == 3
    (row,) = capability_table([name])
    assert (row.installed, row.version) == (False, "")
    assert name in row.note


def test_a_pyomo_solver_that_prints_bytes(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from program_files import read_program

    program = read_program(model)
    install(tmp_path, "glpsol", "printf '\\377\\376\\000'", monkeypatch)
    with pytest.raises(SolverError):
        solve_program(program, "pyomo:glpk", SolveSettings(time_limit=PATIENCE))


def test_a_command_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "cbc", "", monkeypatch)
    (tmp_path / "cbc").write_bytes(b"\x7fELF\x00nonsense")
    assert "cannot be run" in solver("cbc").missing()


def test_columns_that_are_not_those_of_the_file(model: Path) -> None:
    names = names_path(model).read_text().replace('"y"', '"z"', 1)
    names_path(model).write_text(names)
    with pytest.raises(DataError, match="names other columns"):
        verify(model)
