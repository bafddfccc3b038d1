"""Convexity is decided by the smallest eigenvalue, whatever the size and the structure."""

from dataclasses import replace

import numpy as np
import pytest
from effort import seeds
from refusals import refused
from scipy import sparse
from small_programs import make_program

from radprog.base.errors import ConvexityError
from radprog.solvers import convexity
from radprog.solvers.convexity import CONVEXITY, check_convex, negative_eigenvalue
from radprog.solvers.program import Program


def program(quadratic: sparse.csc_array | None = None, n: int = 3) -> Program:
    sides = {"row_upper": 1.0, "upper": 1.0, "names": "ball"}
    return make_program(np.zeros(n), sparse.csr_array((1, n)), **sides, quadratic=quadratic)


def spectrum(rng: np.random.Generator, values: np.ndarray) -> sparse.csc_array:
    """A dense symmetric matrix with these eigenvalues."""
    basis, _ = np.linalg.qr(rng.normal(size=(values.size, values.size)))
    matrix = (basis * values) @ basis.T
    return sparse.csc_array((matrix + matrix.T) / 2)


@pytest.mark.parametrize("seed", seeds(20))
def test_against_known_spectra(seed) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random(12)
    values[: seed % 5] = 0
    assert negative_eigenvalue(spectrum(rng, values)) is None
    values[0] = -(10.0 ** -rng.integers(1, 7))
    assert negative_eigenvalue(spectrum(rng, values)) == pytest.approx(values[0], rel=1e-6)


def test_the_tolerance_is_relative_to_the_largest_entry_of_the_block() -> None:
    for scale in (1e-6, 1.0, 1e6):
        for factor, convex in ((0.5, True), (2.0, False)):
            basis = np.array([[0.8, 0.6], [-0.6, 0.8]])
            matrix = scale * (basis * [1.0, -factor * CONVEXITY]) @ basis.T / 0.64
            assert (negative_eigenvalue(sparse.csc_array(matrix)) is None) == convex


@pytest.mark.parametrize("dense_limit", [0, 10_000])
@pytest.mark.parametrize("eigenvalue_limit", [0, 2_000])
def test_all_routes_agree(dense_limit, eigenvalue_limit, monkeypatch) -> None:
    monkeypatch.setattr(convexity, "DENSE_LIMIT", dense_limit)
    monkeypatch.setattr(convexity, "EIGENVALUE_LIMIT", eigenvalue_limit)
    rng = np.random.default_rng(1)
    for lowest in (0.0, -1e-6, -1e-3, -0.5, -1.0):
        found = negative_eigenvalue(spectrum(rng, np.concatenate(([lowest], rng.random(40)))))
        assert found == (None if lowest == 0 else pytest.approx(lowest, rel=0.02))


@pytest.mark.parametrize("dense_limit", [1, 10_000])
def test_blocks_and_empty_rows(dense_limit, monkeypatch) -> None:
    monkeypatch.setattr(convexity, "DENSE_LIMIT", dense_limit)
    good = [size * np.array([[2.0, 1.0], [1.0, 2.0]]) for size in [1e8] + [1.0] * 49]
    order = np.random.default_rng(2).permutation(106)
    for bad, expected in (([[3.0]], None), ([[1.0, 2.0], [2.0, 1.0]], -1.0), ([[-0.25]], -0.25)):
        parts = [*good, np.array(bad), np.zeros((4, 4))]
        matrix = sparse.csc_array(sparse.block_diag(parts, format="csc"))
        shuffle = order[order < matrix.shape[0]]
        found = negative_eigenvalue(sparse.csc_array(matrix[shuffle][:, shuffle]))
        assert found == (None if expected is None else pytest.approx(expected, rel=0.02))
    assert negative_eigenvalue(sparse.csc_array((5, 5))) is None
    # a zero diagonal under an off-diagonal entry is indefinite: eigenvalues -1 and 1
    swap = sparse.csc_array([[0.0, 1.0], [1.0, 0.0]])
    assert negative_eigenvalue(swap) == pytest.approx(-1, rel=0.02)


def test_a_large_sparse_matrix_is_quick() -> None:
    n = 20_000
    diagonals = np.full(n, 2.0), -np.ones(n - 1), -np.ones(n - 1)
    laplace = sparse.csc_array(sparse.diags_array(diagonals, offsets=[0, 1, -1]))
    assert negative_eigenvalue(laplace) is None
    shifted = sparse.csc_array(laplace - 1e-3 * sparse.eye_array(n))
    assert negative_eigenvalue(shifted) == pytest.approx(-1e-3, rel=0.02)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("lower", [-np.inf, 0.5, 1.0])
@pytest.mark.parametrize("upper", [1.0, np.inf])
def test_rows_are_convex_on_one_side_only(sign, lower, upper) -> None:
    rows = {0: sparse.csc_array(sign * np.diag([2.0, 1.0, 0.0]))}
    sides = {"row_lower": np.array([lower]), "row_upper": np.array([upper])}
    case = replace(program(), quadratic_rows=rows, **sides)
    if np.isinf(lower if sign > 0 else upper):
        check_convex(case)
    else:
        refused(ConvexityError, "row ball is not convex", check_convex, case)
