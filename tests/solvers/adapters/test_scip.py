"""SCIP beside what every adapter does: processes of its own."""

import numpy as np
import pytest
from bad_endings import ends_its_process, never_ends
from small_programs import make_program

from radprog.base.errors import SolverError
from radprog.solvers.adapters import scip
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Program, SolveSettings, Status


def line(coefficient: float, *, curved: bool = False) -> Program:
    """max x with coefficient * x <= 1."""
    square = np.ones((1, 1)) if curved else None
    return make_program([-1.0], [[coefficient]], row_upper=1.0, quadratic=square)


def test_a_crash_is_an_error() -> None:
    with pytest.raises(SolverError, match="SCIP crashed"):
        scip._apart(SolverAnswer, ends_its_process, "", SolveSettings())


def test_it_is_ended_at_the_limit() -> None:
    answer = scip._apart(SolverAnswer, never_ends, "", SolveSettings(time_limit=0.1))
    assert answer.status is Status.LIMIT


def test_everything_is_solved_apart(monkeypatch) -> None:
    apart, real = [], scip._apart
    monkeypatch.setattr(scip, "_apart", lambda *given: apart.append(given[2]) or real(*given))
    programs = [line(1.0), line(1e12), line(1.0, curved=True)]
    for program in programs:
        answer = scip.solve(program, SolveSettings(time_limit=60.0))
        assert answer.status is Status.OPTIMAL
    assert apart == programs
