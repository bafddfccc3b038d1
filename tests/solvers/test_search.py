"""A search whose claim its judged point does not meet is repeated once to a tighter tolerance."""

from typing import Any

import numpy as np
import pytest
from small_programs import make_program

from radprog.base.errors import SolverError
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import SOLVER_DEFAULTS, Program, SolveSettings, Status
from radprog.solvers.registry import solved_by_any
from radprog.solvers.search import search

PROGRAM = make_program([1.0], [[2.0]], 3.0, upper=5.0, integer=True)


class Claims:
    """An adapter that returns the optimum 2 with one claim after another; None is a crash."""

    def __init__(self, *claims: float | None) -> None:
        self.claims, self.tolerances = list(claims), list[float | None]()

    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer:
        self.tolerances.append(settings.tol)
        claim = self.claims.pop(0)
        if claim is None:
            raise SolverError("it crashed")
        value = claim * float(program.cost[0])  # in the units of the search
        return SolverAnswer(status=Status.OPTIMAL, x=np.array([2.0]), claimed=value, bound=value)


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ((2.0,), Status.OPTIMAL),
        ((1.0, 2.0), Status.OPTIMAL),
        ((1.0, 1.0), Status.FEASIBLE),
        ((1.0, None), Status.FEASIBLE),
    ],
)
def test_a_claim_that_the_point_does_not_meet(claims, status) -> None:
    adapter: Any = Claims(*claims)
    answer = search(adapter, PROGRAM, SOLVER_DEFAULTS, solved_by_any)
    assert (answer.status, answer.x.tolist()) == (status, [2.0])
    assert adapter.tolerances == [None, 1e-9][: len(claims)]
    assert adapter.claims == []
