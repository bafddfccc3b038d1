"""Multipliers between those of a restricted program and the best known; linear systems with
residuals in extended precision."""

import numpy as np
import pytest
from effort import seeds

from radprog.solvers.certificate import dual_bound
from radprog.solvers.dense.linear_systems import refining
from radprog.solvers.dense.nearest import minimise_quadratic, nearest_multipliers
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.solvers.registry import solve_program


@pytest.mark.parametrize("seed", seeds(20))
def test_nearest_multipliers_are_dual_points_of_any_program(seed, known) -> None:
    program = known(seed, ProblemClass.LP).program
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


def test_an_ill_conditioned_matrix_is_factored_once_for_sides_of_its_own() -> None:
    n = 8
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    scaled = hilbert * np.logspace(-6, 6, n)[:, None]
    solve = refining(scaled)
    for known in (np.ones(n), np.arange(1.0, n + 1.0)):
        right = scaled.astype(np.longdouble) @ known
        np.testing.assert_allclose(solve(right), known, rtol=1e-9)
        assert np.abs(np.linalg.solve(scaled, right.astype(float)) - known).max() > 1e-9


def test_a_singular_matrix_gives_no_numbers() -> None:
    assert not np.isfinite(refining(np.array([[1.0, 2.0], [2.0, 4.0]]))(np.array([1.0, 3.0]))).all()
