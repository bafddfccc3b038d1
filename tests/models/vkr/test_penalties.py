"""Penalties of families against closed forms, enumeration by hand and each other; which formula a
method means for a bank of kernels, and where it is refused."""

import itertools
import math

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from signs import exact_complexity, monte_carlo

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.complexity import massart, psd_spectrum
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import RBF, Polynomial, Precomputed, parse_kernels
from radprog.models.vkr import penalties as module
from radprog.models.vkr.penalties import (
    kernel_penalties,
    kernel_radius,
    local_fixed_point,
    local_lower_penalty,
    local_penalty,
    pseudo_dimension_penalty,
    trace_penalty,
)


def polynomial(seed: int, m: int, degree: int, scale: float = 1.0) -> FloatArray:
    """The kernel matrix of a degree on random points in space."""
    X = scale * np.random.default_rng(seed).normal(size=(m, 3))
    return (X @ X.T + 1.0) ** degree


def lemma_3(diagonal: FloatArray) -> float:
    """The trace penalty at the sample's own radius."""
    return trace_penalty(diagonal, kernel_radius(diagonal))


def suprema(K: FloatArray) -> FloatArray:
    """max_j |sum_i sigma_i K_ij| / m for each of the 2^m sign vectors, one at a time."""
    m, c = K.shape
    values = [
        max([abs(sum(sigma[i] * K[i, j] for i in range(m))) for j in range(c)]) / m
        for sigma in itertools.product((-1, 1), repeat=m)
    ]
    return np.array(values)


# ---------------------------------------------------------------- families of functions


def test_the_dimension_counts_monomials() -> None:
    exponents = itertools.product(range(4), repeat=3)
    assert pseudo_dimension_penalty(1.0, 3, 3) == math.sqrt(sum(sum(e) <= 3 for e in exponents))
    assert pseudo_dimension_penalty(1.0, 196, 10) == math.sqrt(30377090094628145)
    # on points of norm 1 the radius of degree k is 2^(k/2), and the dimension C(4 + k, k)
    for degree, dimension in ((1, 5), (2, 15), (5, 126)):
        radius = kernel_radius(np.full(9, 2.0**degree))
        expected = 2**degree * math.sqrt(dimension)
        assert pseudo_dimension_penalty(radius, 4, degree) == pytest.approx(expected, rel=1e-12)


@examples(40)
@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_enumeration_equals_a_loop_over_all_signs(m: int, c: int, seed: int) -> None:
    K = np.random.default_rng(seed).normal(size=(m, c)) * 10.0 ** (seed % 7 - 3)
    assert exact_complexity(K) == pytest.approx(suprema(K).mean(), rel=1e-12)


def test_monte_carlo_finds_the_enumerated_value_and_its_error(monkeypatch) -> None:
    """The standard error is the deviation over the root of the trials; blocks change nothing."""
    K = np.random.default_rng(6).normal(size=(8, 3))
    value, error = whole = monte_carlo(K, trials=40_000, seed=0)
    assert error == pytest.approx(suprema(K).std() / 200, rel=0.05)
    assert abs(value - exact_complexity(K)) <= 4 * error
    exact = exact_complexity(K)
    monkeypatch.setattr(module, "SUMS_AT_ONCE", 7 * 16)  # 7 sign vectors at a time
    assert exact_complexity(K) == pytest.approx(exact, rel=1e-13)
    assert monte_carlo(K, 40_000, seed=0) == pytest.approx(whole, rel=1e-12)


@examples(40)
@given(st.integers(2, 9), st.integers(1, 6), st.floats(0.2, 4.0), st.integers(0, 2**32 - 1))
def test_upper_bounds_are_above_enumeration(m: int, degree: int, scale: float, seed: int) -> None:
    K = polynomial(seed, m, degree, scale)
    exact = exact_complexity(K)
    assert exact > 0
    assert exact <= lemma_3(K.diagonal()) * (1 + 1e-12)
    assert exact <= massart(np.linalg.norm(K, axis=0), m) * (1 + 1e-12)
    # the columns of mean square at most r
    eigenvalues, radius = psd_spectrum(K), kernel_radius(K.diagonal())
    squares = (K**2).mean(axis=0)
    for r in np.quantile(squares, [0.0, 0.5, 1.0]) * (1 + 1e-9):
        family = K[:, squares <= r]
        assert family.shape[1] > 0
        assert exact_complexity(family) <= local_penalty(eigenvalues, radius, float(r)) * (1 + 1e-9)


def test_local_penalty_by_hand() -> None:
    # m = 3, kappa^2 = 4: 4 * (2, .5, .1) capped at 1 gives 1 + 1 + .4; sqrt(2/3 * 2.4)
    eigenvalues = np.array([2.0, 0.5, 0.1])
    assert local_penalty(eigenvalues, 2.0, 1.0) == pytest.approx(1.2649110640673518, rel=1e-14)
    assert local_lower_penalty(eigenvalues, 2.0, 1.0) == pytest.approx(math.sqrt(0.8), rel=1e-14)


def fixed_point_by_pieces(scaled: FloatArray) -> float:
    """With q eigenvalues capped, r^2 = (2/m)(q r + rest): the root that caps exactly those q."""
    descending, m = np.sort(scaled)[::-1], len(scaled)
    for q in range(m + 1):
        half, rest = q / m, float(descending[q:].sum())
        root = half + math.sqrt(half**2 + 2 * rest / m)
        below = q == m or descending[q] <= root
        if below and (q == 0 or descending[q - 1] >= root):
            return root
    raise AssertionError("no piece holds its own root")


@examples(100)
@given(
    st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=12),
    st.integers(0, 5),
    st.floats(1e-2, 1e2),
)
def test_fixed_point(positive: list[float], zeros: int, radius: float) -> None:
    eigenvalues = np.array(positive + [0.0] * zeros)
    r = local_fixed_point(eigenvalues, radius)
    assert local_penalty(eigenvalues, radius, r) == pytest.approx(r, rel=1e-12)
    assert r == pytest.approx(fixed_point_by_pieces(radius**2 * eigenvalues), rel=1e-12)


def test_what_has_no_bound_is_refused() -> None:
    words = "not positive semidefinite"
    for message, call, *given_ in (
        ("edit distance.*no penalty", lemma_3, np.zeros(5)),
        ("negative.*feature map", lemma_3, np.array([1.0, -1e-3, 2.0])),
        ("shape", psd_spectrum, np.ones((2, 3))),
        ("not symmetric", psd_spectrum, np.array([[1.0, 0.5], [0.4, 1.0]])),
        (words, psd_spectrum, np.array([[1.0, 2.0], [2.0, 1.0]])),
        ("not finite", psd_spectrum, np.array([[1.0, np.nan], [np.nan, 1.0]])),
        (words, psd_spectrum, np.diag([-1.0, -2.0])),
        ("finite", massart, np.array([1.0, np.inf]), 2),
        ("non-empty", massart, np.array([]), 2),
    ):
        refused(OptionError, message, call, *given_)
    for size in (1e-20, 1.0, 1e20):  # the test is relative
        for defect in (1e-10, 1e-6):
            skewed = np.array([[1.0, defect], [0.0, 1.0]])
            for K in (size * np.diag([1.0, 0.5, -defect]), size * skewed):
                if defect == 1e-10:
                    assert psd_spectrum(K).min() >= 0
                else:
                    refused(OptionError, "not", psd_spectrum, K)


# ---------------------------------------------------------------- banks of kernels


def ball(m: int, d: int = 3, seed: int = 0) -> FloatArray:
    X = np.random.default_rng(seed).normal(size=(m, d))
    return X / np.linalg.norm(X, axis=1).max()


def bank(spec: str, m: int = 9, centres: FloatArray | None = None) -> KernelBank:
    return KernelBank(parse_kernels(spec), ball(m), centres)


def by_loops(method: str, K: FloatArray) -> float:
    """The penalty of a kernel matrix; of the method local, at r = 0.03."""
    m, c = K.shape
    if method == "trace":
        return math.sqrt(max(K.diagonal().tolist())) * math.sqrt(sum(K.diagonal().tolist())) / m
    if method == "massart":
        largest = max(math.sqrt(sum(v * v for v in column)) for column in K.T.tolist())
        return largest * math.sqrt(2 * math.log(2 * c)) / m
    if method == "montecarlo":
        return float(suprema(K).mean())
    kappa2, eigenvalues = max(K.diagonal().tolist()), np.linalg.eigvalsh(K) / m
    capped = sum(min(0.03, kappa2 * max(0.0, e)) for e in eigenvalues.tolist())
    return math.sqrt(2 * capped / m)


@pytest.mark.parametrize("method", ["trace", "massart", "montecarlo", "local"])
def test_penalties_are_those_of_loops(method: str) -> None:
    """Also of given matrices, and montecarlo by enumeration of so few points."""
    b = bank("poly:1-3,rbf:0.5,laplace:1")
    grams = [b.gram(k) for k in range(5)]
    given_ = KernelBank([Precomputed(f"K{k}.npy", K) for k, K in enumerate(grams)], ball(9))
    expected = [by_loops(method, K) for K in grams]
    for one, r in itertools.product((b, given_), (0.03, "0.03") if method == "local" else (None,)):
        trials = 5 if method == "montecarlo" else None
        found = kernel_penalties(one, method, trials=trials, local_r=r)
        assert found.r == pytest.approx(np.array(expected), rel=1e-9)
        assert not np.any(found.standard_error)
        assert r is None or found.local_radius.tolist() == [0.03] * 5


def test_montecarlo_samples_large_ones() -> None:
    b, method = bank("poly:2,rbf:1", m=30), "montecarlo"
    found, again, other = (kernel_penalties(b, method, trials=400, seed=s) for s in (1, 1, 2))
    assert found.r.tolist() == again.r.tolist() != other.r.tolist()
    errors = np.hypot(found.standard_error, other.standard_error)
    assert (np.abs(found.r - other.r) < 5 * errors).all()
    assert (found.standard_error > 0).all()
    assert "give more trials" in found.warnings[0]
    default, same = (kernel_penalties(b, "montecarlo", trials=t, seed=1).r for t in (None, 2000))
    assert default.tolist() == pytest.approx(same.tolist(), rel=1e-15)


def test_local_auto_is_its_fixed_point() -> None:
    b = bank("rbf:1,poly:2", m=8)
    found = kernel_penalties(b, "local")
    assert found.r == pytest.approx(found.local_radius, rel=1e-9)
    assert found.r.tolist() == kernel_penalties(b, "local", local_r="auto").r.tolist()
    # K(x, x) = 1 for rbf; the polynomial's fixed point depends on its scale.
    assert len(found.warnings) == 1
    assert "kernel poly:2" in found.warnings[0]


def test_extra_centres_enlarge_kappa() -> None:
    far = np.array([[3.0, 0.0, 0.0]])
    own, more = bank("poly:2"), bank("poly:2", centres=np.concatenate([ball(9), far]))
    ratio = 10.0 / math.sqrt(max(float(x @ x) + 1.0 for x in own.X) ** 2)
    for method, power in (("trace", 1), ("poly", 2)):
        small, large = kernel_penalties(own, method).r, kernel_penalties(more, method).r
        assert large == pytest.approx(small * ratio**power)
    for how in ({"method": "local", "local_r": 0.5}, {"method": "montecarlo"}):
        assert (kernel_penalties(more, **how).r > kernel_penalties(own, **how).r).all()
    near = bank("poly:2", centres=np.concatenate([ball(9), np.zeros((1, 3))]))
    assert kernel_penalties(near, "trace").r == pytest.approx(kernel_penalties(own, "trace").r)
    # massart counts all centres
    expected = by_loops("massart", more.gram(0))
    assert kernel_penalties(more, "massart").r == pytest.approx([expected])


# ---------------------------------------------------------------- refusals, naming the kernel


SKEW, INDEFINITE = np.array([[1.0, 0.5], [0.1, 1.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])


def test_kernels_without_a_penalty_are_named() -> None:
    for kernel, methods, said in (
        ("edit", "trace local", "0 at every point"),
        ("edit", "poly", "polynomial kernels"),
        (SKEW, "trace local", "not symmetric"),
        (INDEFINITE, "trace local", "not positive semidefinite"),
        (np.zeros((2, 2)), "trace local", "0 at every point"),
        *((spec, "poly", "Lemma 4") for spec in ("rbf:1", "laplace:1", "linear")),
    ):
        if isinstance(kernel, str):
            points = np.array(["a", "ab", "abc"]) if kernel == "edit" else ball(9)
            b = KernelBank(parse_kernels(kernel), points)
        else:
            b = KernelBank([*parse_kernels("rbf:1"), Precomputed("K.npy", kernel)], ball(2))
            assert kernel_penalties(b, "massart").r[0] > 0
        for method in methods.split():
            words = rf"kernel {b.kernels[-1].name}: .*{said}"
            refused(OptionError, words, kernel_penalties, b, method)


def test_the_local_penalty_of_many_points_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(module, "LARGEST_SPECTRUM", 8)
    words = "9 x 9 matrix: at most 8 points"
    refused(OptionError, words, kernel_penalties, bank("rbf:1"), "local")


def test_local_penalty_counts_no_eigenvalue_that_rounding_made() -> None:
    # (x'z + 1)^k in two dimensions has C(2 + k, k) features: the other eigenvalues are 0.
    X = 5.0 * np.random.default_rng(4).normal(size=(60, 2))
    for k in (2, 3, 5):
        found = kernel_penalties(KernelBank([Polynomial(k)], X), "local").r[0]
        powers = [(i, j) for i in range(k + 1) for j in range(k + 1 - i)]
        features = [
            math.sqrt(math.comb(k, i) * math.comb(k - i, j)) * X[:, 0] ** i * X[:, 1] ** j
            for i, j in powers
        ]
        F = np.stack(features, 1)
        exact = np.linalg.svd(F, compute_uv=False) ** 2 / 60
        radius = math.sqrt(float((F**2).sum(axis=1).max()))
        spectrum = np.pad(exact, (0, 60 - len(exact)))
        r = local_fixed_point(spectrum, radius)
        assert found == pytest.approx(local_penalty(spectrum, radius, r), rel=1e-6)


def test_equal_trace_penalties_are_told() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    for kernels, told in (([RBF(0.1), RBF(1.0)], 1), ([RBF(0.1)], 0), ([RBF(1), Polynomial(2)], 0)):
        warnings = kernel_penalties(KernelBank(kernels, X), "trace").warnings
        assert ["does not tell them apart" in text for text in warnings] == [True] * told
