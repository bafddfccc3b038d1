"""Random programs through the routes beside ``fit``, their exact optimum, and false claims."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from effort import seeds
from exact_programs import INF, Small, truth_of
from side_routes import Claim, draw, examine, fault_of

import radprog as rp


def test_random_programs_show_nothing() -> None:
    assert [str(found) for seed in seeds(36, 8) for found in examine(seed, most=5)] == []


def test_a_convex_optimum_and_the_lowest_known_value_of_a_saddle() -> None:
    # min (x - 1)^2 + (x + y)^2 over x + y >= 1: (1, 0) but for the row, 1 on it
    squares = ((0, 0, 2.0), (0, 1, 2.0), (1, 1, 1.0))
    bowl = Small((-2.0, 0.0), (-INF, -INF), (INF, INF), (((1.0, 1.0), 1.0, INF),), squares)
    truth = truth_of(replace(bowl, constant=1.0))
    assert (truth.status, truth.value) == ("optimal", 1)
    saddle = Small((0.0,) * 3, (-1.0,) * 3, (1.0,) * 3, (), ((0, 0, 2e8), (1, 2, 1.0)))
    assert (truth_of(saddle).status, truth_of(saddle).value) == ("at most", -1)
    assert truth_of(replace(bowl, squares=())).status == "unbounded"
    whole = Small(
        (-1.0, -1.0), (0.0, 0.0), (3.0, 3.0), (((2.0, 2.0), -INF, 5.0),), (), (True, True)
    )
    assert truth_of(whole).value == -2


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        (Claim("optimal", 1.00001), "optimal"),
        (Claim("optimal", 0.99), "optimal"),
        (Claim("feasible", 1.0, 1.0 + 1e-9, proved=True), "bound"),
        (Claim("infeasible"), "infeasible"),
        (Claim("unbounded"), "unbounded"),
        (Claim("optimal", 1.0, 1.0, {"stored": [0.9]}), "stored"),
        (Claim("optimal", 1.0, 1.0, {"stored": [1.0]}), ""),
        (Claim("feasible", 7.0, -INF), ""),
    ],
)
def test_false_claims_are_found(claim: Claim, kind: str) -> None:
    program = Small((1.0,), (0.0,), (5.0,), (((1.0,), 1.0, INF),))
    truth = truth_of(program)
    assert truth.value == Fraction(1)
    assert fault_of(program, truth, claim).partition(":")[0] == kind


def test_a_bound_that_is_lifted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = rp.solve

    def lifted(*given: Any, **settings: Any) -> rp.Solution:
        solution = true(*given, **settings)
        by = solution.sense * 1e-3 * (1 + abs(solution.bound or 0.0))
        return replace(solution, bound=None if solution.bound is None else solution.bound + by)

    monkeypatch.setattr(rp, "solve", lifted)
    seed = next(
        s for s in range(50)
        if truth_of(draw(s)).status == "optimal" and draw(s).rows and not any(draw(s).whole)
    )  # fmt: skip
    (found,) = examine(seed, ["solve:highs"])
    assert found.fault.startswith("bound")
