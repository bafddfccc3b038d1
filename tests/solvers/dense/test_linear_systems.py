"""Linear systems with residuals in extended precision."""

import numpy as np

from radprog.solvers.dense.linear_systems import refining


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
