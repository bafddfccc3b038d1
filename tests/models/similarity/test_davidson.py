"""Lowest eigenpairs from vectors near them: LAPACK's, and a proof that sees what is missed."""

import numpy as np
import pytest

from radprog.base.types import FloatArray
from radprog.models.lapack import positive_definite
from radprog.models.similarity.spectral import davidson, eigenvalue_error


def matrix(values: FloatArray, seed: int) -> FloatArray:
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    return np.asarray((Q * values) @ Q.T)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("copies", [1, 3])
def test_pairs_are_those_of_lapack_and_proved(seed: int, copies: int) -> None:
    """From random vectors, of single and of triple eigenvalues."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.repeat(rng.uniform(0, 1, 2), copies), rng.uniform(2, 9, 60)])
    M = matrix(values, seed)
    k = 2 * copies + 1
    found = davidson(M, rng.normal(size=(len(M), k)), 1e-9 / M.diagonal().max(), 200)
    low, vectors, residuals = found
    np.testing.assert_allclose(low, np.sort(values)[:k], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    assert residuals.max() <= 1e-9
    error = eigenvalue_error(M, found)
    assert 0.0 <= error < 1e-15
    for missed in range(k - 1):
        kept = np.delete(np.arange(k), missed)
        pairs = low[kept], vectors[:, kept], residuals[kept]
        assert eigenvalue_error(M, pairs) is None


def test_rough_pairs_are_off_by_no_more_than_said() -> None:
    rng = np.random.default_rng(5)
    M = matrix(np.concatenate([np.linspace(0, 1, 4), rng.uniform(1.5, 9, 60)]), 5)
    exact = np.linalg.eigvalsh(M)
    found = davidson(M, np.linalg.eigh(M)[1][:, :5] + 1e-2 * rng.normal(size=(64, 5)), 0.0, 2)
    error = eigenvalue_error(M, found)
    assert (found[0][:4] - exact[:4]).max() > 1e-9
    assert (found[0][:4] - error <= exact[:4]).all()


@pytest.mark.parametrize("n", [3, 450])
def test_a_factorisation_tells_positive_definite_matrices(n: int) -> None:
    values = np.linspace(1e-6, 1.0, n)
    assert positive_definite(matrix(values, 0))
    assert not positive_definite(matrix(values - 1e-5, 0))
