"""Preparing kernels: checks, centring, normalisation, zero tails."""

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.models.kernels import parse_kernels
from radprog.models.mkl.kernel_sets import RawKernel, centred, kernel_set

Y = np.array([1, -1, 1, -1, 1, -1, 1, -1])


def low_rank(rank: int, seed: int = 0, n: int = 8) -> np.ndarray:
    factor = np.random.default_rng(seed).normal(size=(n, rank))
    return factor @ factor.T


def grams(*matrices: np.ndarray):
    return rp.gram_set(np.array(matrices), Y)


def test_every_kernel_gets_trace_n() -> None:
    kernels = kernel_set(rp.MKL(), grams(low_rank(3), 50.0 * low_rank(8, 1)))
    assert np.trace(kernels.K, axis1=1, axis2=2) == pytest.approx([8.0, 8.0])
    assert kernels.K[1] == pytest.approx(50.0 * low_rank(8, 1) * kernels.factors[1])
    raw = kernel_set(rp.MKL(normalize="none"), grams(low_rank(3)))
    assert raw.factors.tolist() == [1.0]
    assert raw.K[0] == pytest.approx(low_rank(3))


def test_centring_removes_the_mean_direction() -> None:
    K = grams(low_rank(3) + 7.0).K
    H = np.eye(8) - np.ones((8, 8)) / 8
    assert centred(K[0]) == pytest.approx(H @ K[0] @ H)
    kernels = kernel_set(rp.MKL(center=True), grams(low_rank(3) + 7.0))
    assert np.abs(kernels.K[0].sum(axis=0)).max() < 1e-10
    assert kernels.means[0] == pytest.approx(K[0].mean(axis=0))


def test_tails_are_those_of_the_prepared_kernels() -> None:
    kernels = kernel_set(rp.MKL(), grams(low_rank(8), low_rank(3, 1)))
    for theta in (0, 1, 2):
        expected = [np.linalg.eigvalsh(K)[: 8 - theta].sum() for K in kernels.K]
        assert kernels.tails(theta) == pytest.approx(expected)
    refused(rp.OptionError, r"gram:1 has rank 3, so with theta 3 its tail sum", kernels.tails, 3)
    for theta in (8, 20):
        refused(rp.OptionError, f"theta {theta}: expected 0 <= theta < 8", kernels.tails, theta)


def diagonal(last: float) -> np.ndarray:
    return np.diag([3.0, *[1.0] * 6, last])


def test_matrices_that_are_no_kernels() -> None:
    for matrices, center, words in (
        ([diagonal(-0.5)], False, r"gram:0 is not positive semidefinite.*-0.5"),
        ([diagonal(-6e-8)], False, "not positive semidefinite"),
        ([low_rank(3), np.zeros((8, 8))], False, "gram:1 is zero on these points: leave it out"),
        ([np.ones((8, 8)), low_rank(3)], True, "gram:0 is zero .* once it is centred"),
    ):
        refused(rp.DataError, words, kernel_set, rp.MKL(center=center), grams(*matrices))
    data = grams(low_rank(3))
    one_class = data.take(np.array([0, 2, 4]))
    refused(rp.DataError, "all 3 points are of one class", kernel_set, rp.MKL(), one_class)
    words = "leave the option kernels out"
    refused(rp.OptionError, words, kernel_set, rp.MKL(kernels="linear"), data)


def test_warnings() -> None:
    """Rounding and a low rank have none; kernels that are the same up to scale have one."""
    for matrix in (diagonal(-2e-8), low_rank(2)):
        assert kernel_set(rp.MKL(), grams(matrix)).warnings == ()
    same = grams(low_rank(3), low_rank(4, 1), 5.0 * low_rank(3))
    (warning,) = kernel_set(rp.MKL(), same).warnings
    assert warning.startswith("kernels gram:0 and gram:2 are the same up to scale: their weights")


def test_a_kernel_that_is_not_symmetric_is_refused() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    skew = rp.Kernel("skew", lambda A, B: A @ B.T + np.subtract.outer(A[:, 0], B[:, 1]))
    data, words = rp.dataset(X, np.sign(X[:, 0])), "skew is not a symmetric matrix"
    refused(rp.DataError, words, kernel_set, rp.MKL(kernels=skew), data)
    even = rp.Kernel("even", lambda A, B: A @ B.T)
    K = kernel_set(rp.MKL(kernels=even, normalize="none"), data).K[0]
    np.testing.assert_allclose(K, X @ X.T, rtol=1e-14)
    assert (K == K.T).all()


def test_kernels_of_a_data_set() -> None:
    X = np.random.default_rng(0).normal(size=(8, 3))
    data = rp.dataset(X, Y)
    kernels = kernel_set(rp.MKL(kernels="linear,rbf:0.5", normalize="none"), data)
    assert kernels.names == ("linear", "rbf:0.5")
    assert kernels.K[0] == pytest.approx(X @ X.T)
    assert kernels.K[1] == pytest.approx(parse_kernels("rbf:0.5")[0](X, X))
    assert kernel_set(rp.MKL(), data).M == 5  # the default: decades of rbf from 1e-3 to 1e1


def test_a_raw_kernel_may_see_some_columns_only() -> None:
    X = np.random.default_rng(0).normal(size=(6, 4))
    kernel = RawKernel(name="linear", columns=(1, 3))
    assert kernel(X, X[:2]) == pytest.approx(X[:, 1:3] @ X[:2, 1:3].T)
