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


def test_a_zero_tail_is_refused_with_kernel_rank_and_theta() -> None:
    kernels = kernel_set(rp.MKL(), grams(low_rank(8), low_rank(3, 1)))
    assert kernels.tails(2).min() > 0
    refused(rp.OptionError, r"gram:1 has rank 3, so with theta 3 its tail sum", kernels.tails, 3)
    for theta in (8, 20):
        refused(rp.OptionError, f"theta {theta}: expected 0 <= theta < 8", kernels.tails, theta)


def test_tails_are_those_of_the_prepared_kernels() -> None:
    kernels = kernel_set(rp.MKL(), grams(low_rank(5), low_rank(8, 1)))
    for theta in (0, 1, 4):
        expected = [np.linalg.eigvalsh(K)[: 8 - theta].sum() for K in kernels.K]
        assert kernels.tails(theta) == pytest.approx(expected)


INDEFINITE = np.diag([3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.5])


def test_an_indefinite_kernel_is_refused() -> None:
    with pytest.raises(rp.DataError, match=r"gram:0 is not positive semidefinite.*-0.5"):
        kernel_set(rp.MKL(), grams(INDEFINITE))


def test_rounding_below_zero_is_no_indefiniteness() -> None:
    tiny = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.9e-8])
    assert kernel_set(rp.MKL(), grams(tiny)).warnings == ()
    with pytest.raises(rp.DataError, match="not positive semidefinite"):
        kernel_set(rp.MKL(), grams(np.diag([1.0] * 7 + [-2e-8])))
    assert kernel_set(rp.MKL(), grams(low_rank(2))).warnings == ()


def test_zero_and_duplicate_kernels() -> None:
    with pytest.raises(rp.DataError, match="gram:1 is zero on these points: leave it out"):
        kernel_set(rp.MKL(), grams(low_rank(3), np.zeros((8, 8))))
    with pytest.raises(rp.DataError, match="gram:0 is zero on these points once it is centred"):
        kernel_set(rp.MKL(center=True), grams(np.ones((8, 8)), low_rank(3)))
    assert kernel_set(rp.MKL(), grams(low_rank(3), low_rank(4, 1), 5.0 * low_rank(3))).warnings == (
        "kernels gram:0 and gram:2 are the same up to scale: their weights are not unique",
    )


def test_a_kernel_that_is_not_symmetric_is_refused() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    skew = rp.Kernel("skew", lambda A, B: A @ B.T + np.subtract.outer(A[:, 0], B[:, 1]))
    with pytest.raises(rp.DataError, match="skew is not a symmetric matrix"):
        kernel_set(rp.MKL(kernels=skew), rp.dataset(X, np.sign(X[:, 0])))
    even = rp.Kernel("even", lambda A, B: A @ B.T)
    K = kernel_set(rp.MKL(kernels=even, normalize="none"), rp.dataset(X, np.sign(X[:, 0]))).K[0]
    np.testing.assert_allclose(K, X @ X.T, rtol=1e-14)
    assert (K == K.T).all()


def test_one_class_is_refused() -> None:
    data = grams(low_rank(3)).take(np.array([0, 2, 4]))
    refused(rp.DataError, "all 3 points are of one class", kernel_set, rp.MKL(), data)


def test_kernels_of_a_data_set() -> None:
    X = np.random.default_rng(0).normal(size=(8, 3))
    data = rp.dataset(X, Y)
    kernels = kernel_set(rp.MKL(kernels="linear,rbf:0.5", normalize="none"), data)
    assert kernels.names == ("linear", "rbf:0.5")
    assert kernels.K[0] == pytest.approx(X @ X.T)
    assert kernels.K[1] == pytest.approx(parse_kernels("rbf:0.5")[0](X, X))
    assert kernel_set(rp.MKL(), data).M == 5  # the default: decades of rbf from 1e-3 to 1e1
    with pytest.raises(rp.OptionError, match="leave the option kernels out"):
        kernel_set(rp.MKL(kernels="linear"), grams(low_rank(3)))


def test_a_raw_kernel_may_see_some_columns_only() -> None:
    X = np.random.default_rng(0).normal(size=(6, 4))
    kernel = RawKernel(name="linear", columns=(1, 3))
    assert kernel(X, X[:2]) == pytest.approx(X[:, 1:3] @ X[:2, 1:3].T)
