"""Penalties of a bank: which formula a method means, and where it is refused."""

import itertools
import math

import numpy as np
import pytest

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import RBF, Polynomial, Precomputed, parse_kernels
from radprog.models.vkr import penalties as module
from radprog.models.vkr.penalties import (
    kernel_penalties,
    local_fixed_point,
    local_penalty,
)


def ball(m: int, d: int = 3, seed: int = 0) -> FloatArray:
    X = np.random.default_rng(seed).normal(size=(m, d))
    return X / np.linalg.norm(X, axis=1).max()


def bank(spec: str, m: int = 9, centres: FloatArray | None = None) -> KernelBank:
    return KernelBank(parse_kernels(spec), ball(m), centres)


def given_bank(K: FloatArray, more: str = "") -> KernelBank:
    kernels = [*(parse_kernels(more) if more else ()), Precomputed("K.npy", K)]
    return KernelBank(kernels, ball(len(K)))


# ---------------------------------------------------------------- what each method means


def test_trace_is_lemma_3() -> None:
    b = bank("poly:1-3,rbf:0.5")
    norms = [float(x @ x) + 1.0 for x in b.X]
    expected = [
        math.sqrt(max(n**k for n in norms)) * math.sqrt(sum(n**k for n in norms)) / 9
        for k in (1, 2, 3)
    ]
    assert kernel_penalties(b, "trace").r == pytest.approx(np.array([*expected, 1 / 3]))


def test_massart() -> None:
    b = bank("poly:2,laplace:1")
    expected = [
        max(math.sqrt(sum(v * v for v in column)) for column in b.gram(k).T.tolist())
        * math.sqrt(2 * math.log(18))
        / 9
        for k in range(2)
    ]
    assert kernel_penalties(b, "massart").r == pytest.approx(np.array(expected))


def test_montecarlo_enumerates_small_samples() -> None:
    b = bank("poly:2,rbf:1", m=6)
    found = kernel_penalties(b, "montecarlo", trials=5, seed=3)
    expected = [
        np.mean(
            [
                np.abs(np.array(signs) @ b.gram(k)).max() / 6
                for signs in itertools.product((-1.0, 1.0), repeat=6)
            ]
        )
        for k in range(2)
    ]
    assert found.r == pytest.approx(np.array(expected), rel=1e-12)
    assert found.standard_error.tolist() == [0.0, 0.0]
    assert found.warnings == ()


def test_montecarlo_samples_large_ones() -> None:
    b = bank("poly:2,rbf:1", m=30)
    found = kernel_penalties(b, "montecarlo", trials=400, seed=1)
    again = kernel_penalties(b, "montecarlo", trials=400, seed=1)
    other = kernel_penalties(b, "montecarlo", trials=400, seed=2)
    assert found.r.tolist() == again.r.tolist()
    assert found.r.tolist() != other.r.tolist()
    errors = np.hypot(found.standard_error, other.standard_error)
    assert (np.abs(found.r - other.r) < 5 * errors).all()
    assert (found.standard_error > 0).all()
    assert "give more trials" in found.warnings[0]
    assert kernel_penalties(b, "montecarlo", seed=1).r.tolist() == pytest.approx(
        kernel_penalties(b, "montecarlo", trials=2000, seed=1).r.tolist(), rel=1e-15
    )


def test_local() -> None:
    b = bank("poly:2,rbf:1", m=8)
    for r in (0.03, "0.03"):
        found = kernel_penalties(b, "local", local_r=r)
        expected = []
        for k in range(2):
            kappa2 = float(b.gram(k).diagonal().max())
            eigenvalues = np.linalg.eigvalsh(b.gram(k)) / 8
            capped = sum(min(0.03, kappa2 * max(0.0, float(e))) for e in eigenvalues)
            expected.append(math.sqrt(2 * capped / 8))
        assert found.r == pytest.approx(np.array(expected), rel=1e-10)
        assert found.local_radius.tolist() == [0.03, 0.03]
        assert found.warnings == ()


def test_local_auto_is_its_fixed_point() -> None:
    b = bank("rbf:1,poly:2", m=8)
    found = kernel_penalties(b, "local")
    assert found.r == pytest.approx(found.local_radius, rel=1e-9)
    assert found.r.tolist() == kernel_penalties(b, "local", local_r="auto").r.tolist()
    # K(x, x) = 1 for rbf; the polynomial's fixed point depends on its scale.
    assert len(found.warnings) == 1
    assert "kernel poly:2" in found.warnings[0]


# ---------------------------------------------------------------- extra centres


def test_extra_centres_enlarge_kappa() -> None:
    far = np.array([[3.0, 0.0, 0.0]])
    own, more = bank("poly:2"), bank("poly:2", centres=np.concatenate([ball(9), far]))
    ratio = 10.0 / math.sqrt(max(float(x @ x) + 1.0 for x in own.X) ** 2)
    for method in ("trace", "poly"):
        power = 1 if method == "trace" else 2
        small, large = kernel_penalties(own, method).r, kernel_penalties(more, method).r
        assert large == pytest.approx(small * ratio**power)
    r = 0.5
    small = kernel_penalties(own, "local", local_r=r).r
    assert (kernel_penalties(more, "local", local_r=r).r > small).all()
    assert (kernel_penalties(more, "montecarlo").r > kernel_penalties(own, "montecarlo").r).all()
    near = bank("poly:2", centres=np.concatenate([ball(9), np.zeros((1, 3))]))
    assert kernel_penalties(near, "trace").r == pytest.approx(kernel_penalties(own, "trace").r)


def test_massart_counts_all_centres() -> None:
    more = bank("rbf:1", centres=np.concatenate([ball(9), ball(5, seed=1)]))
    largest = max(np.linalg.norm(more.gram(0)[:, j]) for j in range(14))
    expected = largest * math.sqrt(2 * math.log(28)) / 9
    assert kernel_penalties(more, "massart").r == pytest.approx([expected])


# ---------------------------------------------------------------- refusals, naming the kernel


def words(n: int = 6) -> KernelBank:
    return KernelBank(parse_kernels("edit"), np.array(["a" * (i + 1) for i in range(n)]))


@pytest.mark.parametrize(
    ("method", "said"),
    [("trace", "0 at every point"), ("local", "0 at every point"), ("poly", "polynomial kernels")],
)
def test_edit_distance_is_refused(method: str, said: str) -> None:
    with pytest.raises(OptionError, match=f"kernel edit: .*{said}"):
        kernel_penalties(words(), method)


@pytest.mark.parametrize("method", ["trace", "local"])
@pytest.mark.parametrize(
    ("K", "said"),
    [
        (np.array([[1.0, 0.5], [0.1, 1.0]]), "not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "not positive semidefinite"),
        (np.zeros((2, 2)), "0 at every point"),
    ],
)
def test_given_matrices_without_a_feature_map(method: str, K: FloatArray, said: str) -> None:
    with pytest.raises(OptionError, match=rf"kernel file:K\.npy: .*{said}"):
        kernel_penalties(given_bank(K, "rbf:1"), method)
    assert kernel_penalties(given_bank(K, "rbf:1"), "massart").r[0] > 0


def test_a_given_semidefinite_matrix_is_treated_like_its_kernel() -> None:
    own = bank("poly:2")
    for method in ("trace", "local", "massart", "montecarlo"):
        given = kernel_penalties(given_bank(own.gram(0)), method).r
        assert given == pytest.approx(kernel_penalties(own, method).r, rel=1e-9)


@pytest.mark.parametrize("spec", ["rbf:1", "laplace:1", "linear"])
def test_lemma_4_is_for_polynomials(spec: str) -> None:
    with pytest.raises(OptionError, match=f"kernel {spec}: Lemma 4"):
        kernel_penalties(bank(f"poly:1,{spec}"), "poly")


def test_the_local_penalty_of_many_points_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(module, "LARGEST_SPECTRUM", 8)
    with pytest.raises(OptionError, match="9 x 9 matrix: at most 8 points"):
        kernel_penalties(bank("rbf:1"), "local")


def test_local_penalty_counts_no_eigenvalue_that_rounding_made() -> None:
    # (x'z + 1)^k in two dimensions has C(2 + k, k) features: the other eigenvalues are 0.
    X = 5.0 * np.random.default_rng(4).normal(size=(60, 2))
    for degree in (2, 3, 5):
        found = kernel_penalties(KernelBank([Polynomial(degree)], X), "local").r[0]
        rank = math.comb(2 + degree, degree)
        powers = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
        assert len(powers) == rank
        size = {
            (i, j): math.factorial(degree)
            / (math.factorial(i) * math.factorial(j) * math.factorial(degree - i - j))
            for i, j in powers
        }
        F = np.stack([np.sqrt(size[p]) * X[:, 0] ** p[0] * X[:, 1] ** p[1] for p in powers], 1)
        exact = np.sort(np.linalg.svd(F, compute_uv=False) ** 2 / 60)[::-1]
        radius = math.sqrt(float((F**2).sum(axis=1).max()))
        spectrum = np.pad(exact, (0, max(0, 60 - len(exact))))[:60]
        r = local_fixed_point(spectrum, radius)
        assert found == pytest.approx(local_penalty(spectrum, radius, r), rel=1e-6)


def test_equal_trace_penalties_are_told() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    warned = kernel_penalties(KernelBank([RBF(0.1), RBF(1.0)], X), "trace").warnings
    assert "does not tell them apart" in warned[0]
    assert kernel_penalties(KernelBank([RBF(0.1)], X), "trace").warnings == ()
    assert kernel_penalties(KernelBank([RBF(0.1), Polynomial(2)], X), "trace").warnings == ()
