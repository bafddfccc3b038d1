"""Multipliers between those of a restricted program and the best known."""

import numpy as np
import pytest
from effort import seeds
from small_programs import make_program

from radprog.solvers.certificate import dual_bound
from radprog.solvers.dense.nearest import minimise_quadratic, nearest_multipliers
from radprog.solvers.program import Program, SolveSettings
from radprog.solvers.registry import solve_program


def anything(rng: np.random.Generator) -> Program:
    """A feasible bounded program with rows and columns of every kind of sides."""
    m, n = 5, 7
    rows, x, y = rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)
    kinds = np.arange(m) % 4  # =, <=, >=, between
    value = rows @ x
    low = np.select([kinds == 1, kinds == 3], [-np.inf, value - 1.0], value)
    high = np.select([kinds == 2, kinds == 3], [np.inf, value + 1.0], value)
    y = np.select([kinds == 1, kinds == 2, kinds == 3], [-np.abs(y), np.abs(y), 0.0 * y], y)
    kind = np.arange(n) % 4  # free, below, above, between
    d = np.select([kind == 0, kind == 1, kind == 2], [0.0 * x, np.abs(x), -np.abs(x)], x)
    return make_program(
        rows.T @ y + d,
        rows,
        low,
        high,
        lower=np.select([kind == 1, kind == 3], [x, x - 1.0], -np.inf),
        upper=np.select([kind == 2, kind == 3], [x, x + 1.0], np.inf),
        constant=0.5,
        columns=tuple(f"x{j}" for j in range(n)),
        names=tuple(f"r{i}" for i in range(m)),
    )


@pytest.mark.parametrize("seed", seeds(20))
def test_nearest_multipliers_are_dual_points_of_any_program(seed) -> None:
    program = anything(np.random.default_rng(seed))
    solution = solve_program(program, "highs", SolveSettings())
    best = solution.objective
    for level in (best - 1.0, best - 1e-3):
        centre = np.random.default_rng(seed).normal(size=len(program.row_lower))
        y = nearest_multipliers(program, centre, level)
        assert dual_bound(program, y, x=np.zeros(len(program.cost))).value >= level - 1e-5
        own = np.linalg.norm(solution.row_duals - centre)
        assert np.linalg.norm(y - centre) <= np.sqrt(2.0) * own + 1e-5


def test_quadratic_programs_over_a_polyhedron() -> None:
    """The points of the unit box with x + y <= 1 nearest to two others; none has x + y >= 3."""
    row, bounds = np.ones((1, 2)), (np.zeros(2), np.ones(2))
    cases = ([2.0, 1.5], [0.75, 0.25], -1.25), ([0.2, 0.3], [0.2, 0.3], 0.0)
    for centre, nearest, multiplier in cases:
        cost, sides = -np.array(centre), (np.array([-np.inf]), np.array([1.0]))
        x, multipliers = minimise_quadratic(np.eye(2), cost, row, sides, bounds)
        assert x == pytest.approx(nearest, abs=1e-8)
        assert multipliers == pytest.approx([multiplier], abs=1e-6)
    sides = np.array([3.0]), np.array([np.inf])
    assert minimise_quadratic(np.eye(2), np.zeros(2), row, sides, bounds) is None
