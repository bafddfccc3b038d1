"""Points of programs with integers, judged in rational arithmetic, and the claims of searches."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from small_programs import make_program

from radprog.base.errors import SolverError
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.compile import compile_model
from radprog.solvers.integers import bound_met, judge_integers
from radprog.solvers.program import SOLVER_DEFAULTS as DEFAULT
from radprog.solvers.program import Program, Solution, SolveSettings, Status, finite_number
from radprog.solvers.registry import contradicted, solve_model, solve_program, solved_by_any
from radprog.solvers.search import search
from radprog.solvers.violations import decimal_places

Numbers = list[Fraction]


def integer_program(rows: list[Numbers], low: Numbers, high: Numbers, n: int) -> Program:
    matrix = np.array(rows, dtype=np.float64)
    return make_program(np.zeros(n), matrix, low, high, upper=1e6, integer=True)


@pytest.mark.parametrize("seed", seeds(40))
def test_rows_of_integers_are_judged_as_in_rational_arithmetic(seed) -> None:
    """Whole and decimal coefficients, and sides that are off by nothing, a unit or a half."""
    draw = random.Random(seed)
    n, digits, places = draw.randint(1, 6), draw.randint(1, 9), draw.choice((0, 0, 1, 2, 7, 9))
    unit = Fraction(1, 10**places)
    rows = [[draw.randint(0, 10**digits) * unit for _ in range(n)] for _ in range(3)]
    x = [draw.randint(0, draw.choice((1, 9, 1000))) for _ in range(n)]
    values = [sum((a * v for a, v in zip(row, x, strict=True)), Fraction(0)) for row in rows]
    off = [draw.choice((0, 0, 0, 1, -1, Fraction(1, 2))) * unit for _ in rows]
    low = [value + by for value, by in zip(values, off, strict=True)]
    high = [side + draw.choice((0, 1)) * unit for side in low]
    held = all(a <= v <= b for a, v, b in zip(low, values, high, strict=True))
    program = integer_program(rows, low, high, n)
    judged, fault = judge_integers(program, np.array(x) + 1e-8, solved_by_any)
    assert (judged is not None) == held, fault
    assert judged is None or judged.tolist() == x


@pytest.mark.parametrize("seed", seeds(40))
def test_rows_of_integers_that_round_are_judged_to_12_digits(seed) -> None:
    """Whole rows, divided by a number that leaves no decimals; sides off by nothing or a unit."""
    draw = random.Random(seed)
    n, digits = draw.randint(2, 8), draw.randint(4, 7)
    scale = draw.choice((1 / 3, 1 / 7, 1 / 1234567, math.pi, math.sqrt(2) * 1e5, 1e-7 / 9))
    row = np.array([draw.randint(1, 10**digits) for _ in range(n)])
    x = np.array([draw.randint(0, draw.choice((1, 9, 1000))) for _ in range(n)])
    low = int(row @ x) + draw.choice((0, 0, 1, -1))
    high = low + draw.choice((0, 1))
    program = integer_program([(row * scale).tolist()], [low * scale], [high * scale], n)
    judged, fault = judge_integers(program, x + 1e-8, solve=solved_by_any)
    assert (judged is not None) == (low <= int(row @ x) <= high), fault


@pytest.mark.parametrize("value", [0.1, 1.25, 1e-9, 123.45, 7e11, 2.0**52, -0.3])
def test_a_decimal_has_the_places_that_are_printed(value) -> None:
    places = int(decimal_places(np.array([value]))[0])
    whole = Fraction(repr(value)) * 10**places
    assert whole.denominator == 1
    assert places == 0 or whole % 10
    for rounded in (1 / 3, 0.1 + 0.2, 2.0**-40, 1e300, np.pi):
        assert decimal_places(np.array([rounded])).tolist() == [-1]


@pytest.mark.parametrize("factor", [1e3, 1e6, 1e8])
@pytest.mark.parametrize("leak", [0.0, 1e-9, 5e-7])
def test_the_continuous_part_is_solved_again(factor, leak) -> None:
    """min y, y >= 0.5, y <= factor b: b is at 0 within tolerance, or open at a worse y."""
    ends = {"row_upper": 0.0, "lower": [0.0, 0.5], "upper": [1.0, np.inf]}
    program = make_program([100.0, 1.0], [[-factor, 1.0]], **ends, integer=[True, False])
    assert judge_integers(program, np.array([leak, 0.5]), solved_by_any)[0] is None
    judged, _ = judge_integers(program, np.array([1.0 - leak, 0.5 + leak]), solved_by_any)
    assert judged.tolist() == [1.0, 0.5 if leak else judged[1]]


def charge(factor: float, n: int, need: float, row: float) -> pyo.ConcreteModel:
    """Open machines at fixed charges; a row of the size ``row`` demands ``need``."""
    m = pyo.ConcreteModel()
    m.b = pyo.Var(range(n), domain=pyo.Binary)
    m.y = pyo.Var(range(n), bounds=(0, None))
    m.on = pyo.Constraint(range(n), rule=lambda m, i: m.y[i] <= factor * m.b[i])
    m.need = pyo.Constraint(expr=row * sum(m.y.values()) >= row * need)
    m.cost = pyo.Objective(expr=sum(100 * (1 + i) * m.b[i] + m.y[i] for i in range(n)))
    return m


@pytest.mark.parametrize("solver", [None, "highs", "scip"])
@pytest.mark.parametrize("factor", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("row", [1.0, 1e-6, 1e-9])
def test_a_machine_is_open_or_shut(solver, factor, row) -> None:
    model = charge(factor, 2, 0.5, row)
    found = solve_model(model, solver)
    assert found.status is Status.OPTIMAL
    assert found.proved_by == "solver"
    assert found.objective == pytest.approx(100.5)
    assert [model.b[i].value for i in range(2)] == [1.0, 0.0]


@pytest.mark.parametrize("solver", [None, "highs", "scip"])
@pytest.mark.parametrize("digits", [7, 8, 9, 10])
@pytest.mark.parametrize("seed", seeds(3))
def test_a_knapsack_is_best_by_a_unit(solver, digits, seed) -> None:
    """Large weights are the values: by enumeration of all subsets."""
    draw = random.Random(f"{seed} {digits}")
    weights = [draw.randrange(10 ** (digits - 1), 10**digits) for _ in range(10)]
    sums = {0}
    for weight in weights:
        sums |= {weight + one for one in sums}
    limit = draw.choice(sorted(sums)[100:-100]) - draw.choice((0, 1, 1))
    w = np.array(weights, dtype=float)
    program = make_program(-w, w[None], row_upper=float(limit), upper=1.0, integer=True)
    found = solve_program(program, solver) if solver else solved_by_any(program, program, DEFAULT)
    assert found.status is Status.OPTIMAL
    assert found.objective == -max(one for one in sums if one <= limit)
    assert w @ found.x == -found.objective


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("seed", [86, 89, 145, 183, *seeds(12)])  # HiGHS knew neither
def test_an_unbounded_relaxation_has_an_answer_of_its_own(solver, seed) -> None:
    """A free column in no row: unbounded if its cost is not 0 and whole values keep the rows."""
    draw = np.random.default_rng(seed)
    n, m = draw.integers(2, 5), draw.integers(1, 4)
    integer = (draw.random(n) < 0.5) | (np.arange(n) == 0)
    side, rows = draw.integers(-3, 4, m), draw.integers(-3, 4, (m, n)).astype(float)
    rows[:, -1], integer[-1] = 0.0, False
    cost, high = draw.integers(-3, 4, n), np.where(draw.random(m) < 0.3, side, np.inf)
    ends = np.where(integer, 0.0, -np.inf), np.where(integer, 3.0, np.inf)
    program = make_program(cost, rows, side, high, *ends, integer=integer)
    words = set()
    for values in itertools.product(range(4), repeat=int(integer.sum())):
        low, high = np.full(n, -np.inf), np.full(n, np.inf)
        low[integer] = high[integer] = values
        fixed = replace(program, lower=low, upper=high, integer=np.full(n, False))
        words.add(solve_program(fixed, "highs").status)
    expected = next((s for s in (Status.UNBOUNDED, Status.OPTIMAL) if s in words), None)
    found = solve_program(program, solver)
    assert found.status is (expected or Status.INFEASIBLE) or found.claim is Status.INFEASIBLE
    assert expected is None or found.claim is not Status.INFEASIBLE
    assert found.status is not Status.UNBOUNDED or found.ray is not None


@pytest.mark.parametrize(("off", "status"), [(0.0, Status.OPTIMAL), (1e-7, Status.FAILED)])
def test_a_claim_of_infeasible_contradicts_a_point(off, status) -> None:
    program = make_program([0.0], [[1.0]], 1.0 + off, 2.0, upper=1.0)
    point = Solution(status=Status.OPTIMAL, solver="one", version="", x=np.ones(1), objective=0.0)
    found = contradicted(program, point, ["other"])
    assert found.status is status
    assert "other claims infeasible" in found.message
    assert (found.x is None) == (status is Status.FAILED)


@pytest.mark.parametrize("value", [10**400, -(10**400), math.inf, math.nan, "three", None])
def test_what_is_no_finite_number_has_no_value(value) -> None:
    assert finite_number(value) is None


def test_a_bound_proves_no_value_before_a_point_is_judged() -> None:
    model = charge(1.0, 1, 1.0, 1.0)
    assert not bound_met(compile_model(model), math.inf, 0.0)


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
    adapter = Claims(*claims)
    answer = search(adapter, PROGRAM, DEFAULT, solved_by_any)
    assert (answer.status, answer.x.tolist()) == (status, [2.0])
    assert adapter.tolerances == [None, 1e-9][: len(claims)]
    assert adapter.claims == []
