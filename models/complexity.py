"""Rademacher complexities of function classes, computed by solving pricing problems.

The complexity (1/m) E_sigma sup_h sum_i sigma_i h(x_i) needs the supremum over the class. A pricing
problem computes this supremum; the signs replace the weighted labels. The kernel families K(., x')
of VKR are in :mod:`radprog.models.vkr.penalties`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.settings import one_of, whole_number
from radprog.base.tolerances import PSD_TOLERANCE, UNIT_ROUNDOFF
from radprog.base.types import FloatArray

Suprema = Callable[[FloatArray], FloatArray]

SIGN_KINDS = ("rademacher", "discrepancy")
KINDS = (*SIGN_KINDS, "gaussian")  # standard normal numbers in place of signs
MOST_SIGNS = 1 << 31  # that are drawn, of all vectors and points
GOLDEN, GOLDEN_STEPS = (math.sqrt(5.0) - 1.0) / 2.0, 50  # ratio; steps to 3e-11 of an interval


def check_kind(kind: str, n: int) -> None:
    """Raise OptionError for an unknown kind, and for the discrepancy of an odd number of points."""
    one_of("kind", kind, KINDS)
    if kind == "discrepancy" and n % 2:
        raise OptionError(
            f"the maximal discrepancy of {n} points is not defined: signs that sum to 0 need an "
            "even number of points"
        )


def draw_signs(n: int, trials: int, seed: int, kind: str) -> FloatArray:
    """Draw sign vectors (trials, n).

    All classes receive the same sign vectors, so their complexities are comparable. For the kind
    ``rademacher``, the signs are independent and uniform. For ``discrepancy`` each vector has as
    many +1 as -1. For ``gaussian`` the entries are independent standard normal numbers. Raises
    OptionError for an unknown kind, an invalid number of trials, or an odd n with ``discrepancy``.
    """
    check_kind(kind, n)
    whole_number("trials", trials)
    if not 2 <= trials <= MOST_SIGNS // max(n, 1):
        raise OptionError(
            f"trials {trials}: expected 2 to {MOST_SIGNS // max(n, 1)}: a standard error needs 2, "
            f"and {MOST_SIGNS} signs are the most in memory, {n} a vector"
        )
    rng = np.random.default_rng(seed)
    if kind == "rademacher":
        return np.where(rng.random((trials, n)) < 0.5, -1.0, 1.0)
    if kind == "gaussian":
        return rng.standard_normal((trials, n))
    # as many of either sign, permuted in every row
    balanced = np.tile(np.repeat([-1.0, 1.0], n // 2), (trials, 1))
    return rng.permuted(balanced, axis=1)


def all_signs(n: int, kind: str) -> FloatArray:
    """All sign vectors of a kind: 2^n, or C(n, n/2) for the discrepancy, each with n entries."""
    check_kind(kind, n)
    # the bits of a number are its signs
    codes = np.arange(2**n)[:, None]
    signs = np.where((codes >> np.arange(n)) & 1, 1.0, -1.0)
    return signs if kind == "rademacher" else signs[signs.sum(axis=1) == 0]


def standard_error(terms: FloatArray) -> float:
    """The standard error of the mean of terms (T,)."""
    return float(terms.std(ddof=1)) / math.sqrt(len(terms))


def sign_blocks(
    m: int, trials: int | None, seed: int, kind: str, *, exact: bool
) -> list[FloatArray]:
    """Blocks (b, m) of all sign vectors if ``trials`` is None, otherwise of random sign vectors.

    The sign vectors are the same for every class. The suprema of a block are computed together.
    Blocks are larger if suprema are ``exact``.
    """
    enumerable = 20  # beyond this many points enumeration is refused
    if trials is None:
        check_kind(kind, m)
        if kind == "gaussian":
            raise OptionError("kind gaussian: normal vectors are drawn, and cannot be enumerated")
        if m > enumerable:
            raise OptionError(f"{m} points have 2^{m} sign vectors: at most {enumerable} points")
        signs = all_signs(m, kind)
    else:
        signs = draw_signs(m, trials, seed, kind)
    size = 64 if exact else 1  # sign vectors at once, between which an estimate may be ended
    return [signs[start : start + size] for start in range(0, len(signs), size)]


def estimate_of(
    values: FloatArray, total: int, *, enumerated: bool, exact: bool
) -> dict[str, Any] | None:
    """The mean over sign vectors, such as (1/m) E sup sum sigma_i h(x_i), from the values (t,) of
    t finished sign vectors out of ``total``.

    The entries are ``value``, its ``standard_error``, 0 if all sign vectors were enumerated, the
    number ``trials`` of evaluated sign vectors, and ``exact``: whether each supremum is exact;
    otherwise ``value`` may be too low. Returns None for fewer than two random sign vectors, or if
    an enumeration is not complete.
    """
    if len(values) < (total if enumerated else 2):
        return None
    error = 0.0 if enumerated else standard_error(values)
    value = float(values.mean())
    return {"value": value, "standard_error": error, "trials": len(values), "exact": exact}


def finite_suprema(features: FloatArray, *, both_signs: bool = False) -> Suprema:
    """The exact suprema over the columns of ``features`` (m, p), h_j(x_i) = features_ij.

    In LPBoost, each candidate shapelet is one column. ``both_signs`` includes the functions -h_j.
    """
    if features.ndim != 2 or 0 in features.shape:
        raise OptionError(f"features of shape {features.shape}: expected (points, hypotheses)")

    def suprema(signs: FloatArray) -> FloatArray:
        sums = signs @ features
        return np.asarray((np.abs(sums) if both_signs else sums).max(axis=1))

    return suprema


def oracle_suprema(oracle: Callable[[FloatArray], float]) -> Suprema:
    """The suprema by a pricing oracle, which maps sigma (m,) to max_h sum_i sigma_i h(x_i).

    If the oracle is a local search, the complexity may be underestimated. This is the case for l1
    and RKHS balls over patterns.
    """
    return lambda signs: np.array([oracle(sigma) for sigma in signs], dtype=np.float64)


def kernel_suprema(grams: FloatArray, support: Callable[[FloatArray], float]) -> Suprema:
    """The suprema over the functions {x -> w'phi_mu(x): |w| <= 1, mu in a set}.

    A supremum of sum sigma_i h(x_i) is sqrt(support(q)). Here q_m = sigma'K_m sigma (M,), and
    support(q) is the maximum of <q, mu> over the set. ``grams`` is (M, m, m).
    """

    # the supremum over w is a norm, over mu a support function
    def suprema(signs: FloatArray) -> FloatArray:
        energies = np.array([np.einsum("ti,ti->t", signs @ K, signs) for K in grams]).T
        return np.sqrt([support(np.maximum(q, 0.0)) for q in energies])

    return suprema


def local_suprema(K: FloatArray, r: float) -> Suprema:
    """The exact suprema over functions with norm at most 1 and mean square at most r on the points.

    K (m, m) is the positive semidefinite kernel matrix, and r > 0.

    With K = V diag(l) V', f = V diag(sqrt l) u and c = V'sigma, the supremum is that of sum_j c_j
    sqrt(l_j) u_j over |u|^2 <= 1, sum_j l_j u_j^2 <= m r. By Lagrangian duality its square is the
    minimum of sum_j c_j^2 l_j / (1 - t + t l_j / (m r)) over t in [0, 1]. This function is convex
    in t.
    """
    values, vectors = np.linalg.eigh(K)
    positive = values > len(K) * UNIT_ROUNDOFF * values[-1]
    values, vectors = values[positive], vectors[:, positive]
    ratios = values / (len(K) * r)

    def suprema(signs: FloatArray) -> FloatArray:
        squares = (signs @ vectors) ** 2 * values
        left, right = np.zeros(len(signs)), np.ones(len(signs))

        def norms(t: FloatArray) -> FloatArray:
            sizes = np.multiply.outer(t, ratios) + (1.0 - t)[:, None]
            return np.asarray((squares / sizes).sum(axis=1))

        # golden section, of all sign vectors at once
        for _ in range(GOLDEN_STEPS):
            width = GOLDEN * (right - left)
            falls = norms(right - width) > norms(left + width)
            left, right = np.where(falls, right - width, left), np.where(falls, right, left + width)
        lowest = np.minimum.reduce([norms(t) for t in (left, right, 0.0 * left, 1.0 + 0.0 * left)])
        return np.asarray(np.sqrt(lowest))

    return suprema


def fixed_point(psi: Callable[[float], float]) -> float:
    """The fixed point r > 0 of a function psi.

    psi is positive, nondecreasing and bounded, and psi(r) / sqrt(r) is decreasing. Bounds on local
    complexities are such functions, and the excess risk is of the order of the fixed point. Each
    step r <- psi(r) from above at least halves the distance of log r to its limit.
    """
    # from above: psi is bounded, and falls with r
    r = psi(math.inf)
    # relative step below which a fixed point is reached
    while (image := psi(r)) < r * (1.0 - 1e-13):
        r = image
    return image


def psd_spectrum(K: FloatArray) -> FloatArray:
    """The m eigenvalues of K/m in decreasing order, for a symmetric positive semidefinite K (m, m).

    Eigenvalues of at most m 2^-52 times the largest are treated as rounding errors and set to 0.
    Raises OptionError unless K is square, symmetric to 1e-8 of its largest entry, and without
    eigenvalues below -1e-8 times the largest.
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise OptionError(f"a kernel matrix of shape {K.shape} has no eigenvalues: expected (m, m)")
    if not np.all(np.isfinite(K)):
        raise OptionError("the kernel matrix has entries that are not finite")
    asymmetry = float(np.abs(K - K.T).max())
    if asymmetry > PSD_TOLERANCE * float(np.abs(K).max()):
        raise OptionError(
            f"the kernel matrix is not symmetric (entries differ by {asymmetry:g}), so it has no "
            "feature map"
        )
    # within the tolerance the matrix is its symmetric part
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)[::-1] / len(K)
    largest, smallest = float(eigenvalues[0]), float(eigenvalues[-1])
    if smallest < -PSD_TOLERANCE * largest:
        raise OptionError(
            f"the kernel matrix is not positive semidefinite (smallest eigenvalue of K/m is "
            f"{smallest:g}), so it has no feature map"
        )
    return np.where(eigenvalues > len(K) * 2.0**-52 * largest, eigenvalues, 0.0)


def massart(column_norms: FloatArray, m: int) -> float:
    """Massart's bound r = max_j |K(:, j)|_2 sqrt(2 log(2c)) / m for the 2c vectors +-K(:, j).

    For any kernel, r is an upper bound on the empirical Rademacher complexity with these c centres.
    ``column_norms`` (c,) are the Euclidean norms of the columns of K (m, c). Raises OptionError
    if there are no columns, or if a norm is not finite.
    """
    # 2c vectors: the columns and their negatives
    c = len(column_norms)
    if c == 0 or m < 1 or not np.all(np.isfinite(column_norms)):
        raise OptionError("Massart's bound needs a kernel matrix with finite, non-empty columns")
    return float(column_norms.max()) * math.sqrt(2 * math.log(2 * c)) / m
