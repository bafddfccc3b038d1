"""Random programs whose optimum is known by construction."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from small_programs import make_program

from radprog.base.types import FloatArray
from radprog.solvers.program import ProblemClass, Program


@dataclass(frozen=True)
class Known:
    """A program with an optimal point, its value and, where convex, row duals that prove it."""

    program: Program
    x: FloatArray
    objective: float
    row_duals: FloatArray | None


def _square(rng: np.random.Generator, n: int) -> FloatArray:
    """Positive definite, with many eigenvalues near 1e-3: a singular one of rounded numbers has
    negative eigenvalues, and nothing is proved where variables are free."""
    factor = rng.normal(size=(n, rng.integers(1, n + 1)))
    return factor @ factor.T + 1e-3 * np.eye(n)


def _convex(seed: int, kind: ProblemClass) -> Known:
    """Choose a point, which bounds bind there and multipliers of the right sign; then the cost
    that makes it stationary. All kinds of rows and columns occur."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, 12)), int(rng.integers(5, 12))
    x = np.round(rng.normal(size=n), 3) + 0.5
    matrix = np.round(rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7), 3)
    quadratic = _square(rng, n) if kind is not ProblemClass.LP else None
    row_squares = {row: _square(rng, n) for row in ((0, 2) if kind is ProblemClass.QCQP else ())}
    activity = matrix @ x
    for row, square in row_squares.items():
        activity[row] += 0.5 * x @ square @ x

    def sides(value: FloatArray, size: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lower bounds, upper bounds and multipliers for values that the bounds must hold."""
        lower, upper, multiplier = (np.zeros(size) for _ in range(3))
        for i in range(size):
            slack = 0.1 + rng.random(2)
            case = rng.integers(7)
            if kind is ProblemClass.QCQP and case == 0:
                case = 3  # with equations the feasible set could be a single point
            strength = 0.2 + rng.random()
            lower[i], upper[i], multiplier[i] = {
                0: (value[i], value[i], strength * rng.choice((-1, 1))),
                1: (value[i], np.inf, strength),
                2: (-np.inf, value[i], -strength),
                3: (value[i], value[i] + slack[0], strength),
                4: (value[i] - slack[0], value[i], -strength),
                5: (value[i] - slack[0], value[i] + slack[1], 0.0),
                6: (-np.inf, np.inf, 0.0),
            }[int(case)]
        return lower, upper, multiplier

    row_lower, row_upper, y = sides(activity, m)
    for row in row_squares:  # only <= keeps a quadratic row convex
        row_lower[row], row_upper[row], y[row] = -np.inf, activity[row], -0.2 - rng.random()
    lower, upper, d = sides(x, n)
    cost = matrix.T @ y + d
    if quadratic is not None:
        cost -= quadratic @ x
    for row, square in row_squares.items():
        cost += y[row] * (square @ x)
    names = [f"row({i}.1)" for i in range(m)]
    squares = {"quadratic": quadratic, "quadratic_rows": row_squares}
    bounds, constant = (row_lower, row_upper, lower, upper), float(rng.normal())
    program = make_program(cost, matrix, *bounds, names=names, constant=constant, **squares)
    return Known(program, x, program.objective(x), y)


def _integer(seed: int, kind: ProblemClass) -> Known:
    """Four integers in boxes of at most four values and the best of all their points."""
    rng = np.random.default_rng(seed)
    n, m = 4, 3
    lower = rng.integers(-2, 1, size=n).astype(float)
    upper = lower + rng.integers(1, 4, size=n)
    matrix = rng.integers(-4, 5, size=(m, n)).astype(float)
    inside = np.array([rng.integers(low, high + 1) for low, high in zip(lower, upper, strict=True)])
    activity = matrix @ inside
    low, high = activity[0] - 2.5, activity[0] + 0.5
    program = make_program(
        *(np.round(rng.normal(size=n), 2), matrix, [low, -np.inf, activity[2] - 1]),
        *([high, activity[1] + 0.3, np.inf], lower, upper, True),
        quadratic=_square(rng, n) if kind is not ProblemClass.MILP else None,
        quadratic_rows={1: _square(rng, n) / 4} if kind is ProblemClass.MIQCQP else {},
        constant=2.5,
        columns="k(0) k(1) k(2) k(3)",
        names="first second third",
    )
    if kind is ProblemClass.MIQCQP:
        program.row_upper[1] = program.activity(inside.astype(float))[1] + 0.3
    boxes = [np.arange(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    points = [np.array(point) for point in itertools.product(*boxes)]
    feasible = [point for point in points if program.violation(point) < 1e-9]
    best = min(feasible, key=program.objective)
    return Known(program, best, program.objective(best), None)


@pytest.fixture(scope="session")
def known() -> Callable[[int, ProblemClass], Known]:
    """(seed, class) -> a random program of that class with a known optimum."""

    def make(seed: int, kind: ProblemClass) -> Known:
        found = (_integer if kind.startswith("MI") else _convex)(seed, kind)
        assert found.program.problem_class is kind
        assert found.program.violation(found.x) < 1e-9
        return found

    return make


@pytest.fixture
def small_lp(known: Callable[[int, ProblemClass], Known]) -> Program:
    """An LP with every kind of row and column."""
    return known(0, ProblemClass.LP).program


@pytest.fixture(scope="session")
def market_split() -> Program:
    """Equations in 0-1 variables that branch and bound needs very long for."""
    rng = np.random.default_rng(0)
    n = 40
    weights = rng.integers(0, 100, size=(5, n)).astype(float)
    half = np.floor(weights.sum(1) / 2)
    return make_program(np.zeros(n), weights, half, half, upper=1.0, integer=True)
