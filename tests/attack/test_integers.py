"""Random programs by every route, with integers and beside ``fit``: their exact optimum, and false
claims that are found."""

from dataclasses import replace
from fractions import Fraction

import pytest
import side_routes
from effort import seeds
from exact_programs import INF, Small, lp, truth_of
from integer_programs import KINDS, TooLargeError, draw, optimum
from integers import examine
from side_routes import Claim, build, fault_of

import radprog as rp

CENTS = Small((0.0,) * 3, (0.0,) * 3, (1.0,) * 3, (((0.1, 0.2, 0.4), 0.3, 0.3),), (), (True,) * 3)
ABOVE = Small((1.0,), (0.0,), (5.0,), (((1.0,), 1.0, INF),))
TRICKLE = Small(
    (100.0, 1.0), (0.0, 0.0), (1.0, INF), (((-1e6, 1.0), -INF, 0.0), ((0.0, 1.0), 0.5, INF)), (),
    (True, False),
)  # fmt: skip


SOLVED = ["solve:highs", "solve:scip", "decompose"]
#: Routes, kinds and seeds; those from 464 on have costs of 3e-9 beside 0.8, bounds beyond small
#: objectives, rows of 1e13, ends that are not whole, and nodes that a solver gives up.
SHOWN: list[tuple[list[str], list[str], list[int]]] = [
    (["solve:", "file", "certify:rounded", "cuts:all", "tree", "alternate"],
     [kind for kind in KINDS if kind not in ("units", "long")], [*seeds(24, 2), 2046, 2047]),
    (SOLVED, ["units"], [*seeds(24, 2), 464, 664, 810, 1025, 1849, 21383, 80760]),
    (SOLVED, ["tiny rows"], [*seeds(12, 2), 80495]),
    (SOLVED, ["general"], [365, 447, 824]),  # columns from 1e6 on
    ([*SOLVED[:2], "certify:right", "command:proved", "prove"], ["long"],
     [*seeds(12, 2), 5, 47, 48]),
    (["prove"], ["general", "blocks"], [39, 84, 302, 349]),
    (["prove"], ["units"], [102, 129, 141, 150, 159]),
]  # fmt: skip


def test_random_programs_show_nothing_beside_fit() -> None:
    found = [one for seed in seeds(36, 8) for one in side_routes.examine(seed, most=5)]
    assert [str(one) for one in found] == []


@pytest.mark.cases(32)
@pytest.mark.parametrize(
    ("routes", "kinds", "seed"),
    [(routes, kinds, seed) for routes, kinds, own in SHOWN for seed in own],
)
def test_random_programs_with_integers_show_nothing(routes, kinds, seed: int) -> None:
    assert [str(found) for found in examine(seed, routes, kinds)] == []


@pytest.mark.parametrize("low", [0.2, -0.7])
def test_ends_without_a_whole_number_between_them_are_infeasible(low: float) -> None:
    program = Small((1.0, 1.0), (low, 0.0), (low + 0.6, 1.0), (), (), (True, False))
    assert optimum(program).status == "infeasible"
    for solver in ("highs", "scip"):
        assert rp.solve(build(program), solver).status.value == "infeasible"


def test_decimals_are_what_is_written() -> None:
    assert optimum(CENTS).x == (1, 1, 0)
    assert optimum(replace(CENTS, rows=(((0.1, 0.2, 0.4), 0.31, 0.31),))).status == "infeasible"
    assert optimum(TRICKLE).value == Fraction("100.5")


@pytest.mark.parametrize(
    ("program", "claim", "kind"),
    [
        (TRICKLE, Claim("optimal", 0.50005), "optimal"),
        (TRICKLE, Claim("optimal", 100.51), "optimal"),
        (TRICKLE, Claim("feasible", 100.5, 100.6), "bound"),
        (TRICKLE, Claim("feasible", 100.5, 100.5 + 1e-8, proved=True), "bound"),
        (TRICKLE, Claim("failed", points={"stored": [0.0, 0.5]}), "stored"),
        (TRICKLE, Claim("failed", points={"stored": [5e-7, 0.5]}), "stored"),
        (TRICKLE, Claim("infeasible"), "infeasible"),
        (TRICKLE, Claim("unbounded"), "unbounded"),
        (TRICKLE, Claim("violated", given=[1.0, 0.5]), "violated"),
        (TRICKLE, Claim("feasible", 0.5, given=[0.0, 0.5]), "feasible"),
        (TRICKLE, Claim("optimal", 100.5, 100.5, {"stored": [1.0, 0.5]}), ""),
        (CENTS, Claim("optimal", 0.0, points={"stored": [1.0, 1.0, 1e-9]}), "stored"),
        (CENTS, Claim("optimal", 0.0, points={"stored": [1.0, 1.0, 0.0]}), ""),
        (ABOVE, Claim("optimal", 1.00001), "optimal"),
        (ABOVE, Claim("optimal", 0.99), "optimal"),
        (ABOVE, Claim("feasible", 1.0, 1.0 + 1e-9, proved=True), "bound"),
        (ABOVE, Claim("infeasible"), "infeasible"),
        (ABOVE, Claim("unbounded"), "unbounded"),
        (ABOVE, Claim("optimal", 1.0, 1.0, {"stored": [0.9]}), "stored"),
        (ABOVE, Claim("optimal", 1.0, 1.0, {"stored": [1.0]}), ""),
        (ABOVE, Claim("feasible", 7.0, -INF), ""),
    ],
)
def test_false_claims_are_found(program: Small, claim: Claim, kind: str) -> None:
    truth = optimum(program) if any(program.whole) else truth_of(program)
    assert fault_of(program, truth, claim).partition(":")[0] == kind


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


def test_a_file_holds_the_program_of_the_model(tmp_path) -> None:
    for seed in seeds(8, 2):
        program = draw(seed, ["blocks", "general"]).program
        path = tmp_path / "program.lp"
        path.write_text(lp(program.doubles()))
        one, two = rp.solve(path), rp.solve(build(program))
        assert (one.status, one.sense) == (two.status, two.sense)
        if one.objective is not None:
            assert one.objective == pytest.approx(two.objective, rel=1e-5)


def test_a_false_word_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = rp.solve

    def worse(*given, **settings):
        found = true(*given, **settings)
        off = None if found.objective is None else found.objective + 1e-3 * found.sense
        return replace(found, objective=off)

    monkeypatch.setattr(rp, "solve", worse)
    assert examine(0, ["solve:highs"], ["general"])


def test_what_is_too_large_is_not_judged() -> None:
    with pytest.raises(TooLargeError):
        optimum(replace(TRICKLE, upper=(1e9, INF)))


def test_a_bound_that_is_lifted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    true = rp.solve

    def lifted(*given, **settings) -> rp.Solution:
        solution = true(*given, **settings)
        by = solution.sense * 1e-3 * (1 + abs(solution.bound or 0.0))
        return replace(solution, bound=None if solution.bound is None else solution.bound + by)

    monkeypatch.setattr(rp, "solve", lifted)
    drawn = ((seed, side_routes.draw(seed)) for seed in range(50))
    linear = ((seed, one) for seed, one in drawn if one.rows and not any(one.whole))
    seed = next(seed for seed, one in linear if truth_of(one).status == "optimal")
    (found,) = side_routes.examine(seed, ["solve:highs"])
    assert found.fault.startswith("bound")
