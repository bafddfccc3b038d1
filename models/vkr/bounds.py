"""Generalisation bounds of VKR as functions of arrays. Logarithms are natural.

Sources: Voted Kernel Regularization (Cortes et al.), Theorems 1 and 2; Boosting kernelized
shapelets, Lemma 2.

A classifier is f = sum_kj alpha_kj K_k(., x'_j) with alpha (p, c). The theorems are for convex
combinations of functions with values in [-1, 1], so f is rescaled. Let M_k >= |K_k|, B = sum_k M_k
|alpha_k|_1 and rho = 1/max(1, B). The function rho f is such a combination. Its margin error at rho
counts the points with y f <= 1. The complexity term is the same for all scales of the K_k.
"""

from __future__ import annotations

import math

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import ON_MARGIN
from radprog.base.types import FloatArray
from radprog.models.bounds import Bound, check_delta

_FITTED_SCALE = (
    "the scale rho was chosen by the fit, while the theorem fixes it in advance: a term of order "
    "sqrt(log log(2/rho) / m) is left out"
)
EXPECTED_COMPLEXITY = (
    "r_k stands in for the expected complexity of family k: the deviation of the empirical from "
    "the expected one is left out"
)
SAMPLE_CENTRES = (
    "r_k is a complexity over the sample's centres only, below that of the family, whose centres "
    "are arbitrary points"
)
LOCAL_COMPLEXITY = (
    "r_k is the complexity of only the functions of small mean square, which those of the fit "
    "need not be"
)
SAMPLE_RANGE = (
    "the size M_k of kernel k is the largest |K_k| between known points, the theorem needs it over "
    "the input space"
)
TRACE_OF_SAMPLE = (
    "r_k has the largest K(x, x) of known points, the theorem needs it over the input space"
)
ROWS_OF_SAMPLE = (
    "the rows are scaled or filled by numbers of the sample, or a width is set by it: so the class "
    "depends on it"
)
CLIPPED = "n is 1: the printed ceiling is 0 or negative for so small a rho"
LACKING = (EXPECTED_COMPLEXITY, SAMPLE_CENTRES, SAMPLE_RANGE)  # where nothing is known of r and M
_UNPROVED = (
    "no complete proof of its constants is known, and the proof in print ends with the share of "
    "margins up to 3 rho / 2, not rho: a number to compare, no certificate"
)


def margin_error(margins: FloatArray) -> float:
    """The share of points with y f(x) <= 1 + 1e-9; ``margins`` are y_i f(x_i), (m,)."""
    # an optimum of a linear program has many points on the margin, give or take rounding
    return float(np.mean(margins <= 1 + ON_MARGIN))


def theorem_1(
    alpha: FloatArray,
    kernel_sizes: FloatArray,
    penalties: FloatArray,
    margins: FloatArray,
    *,
    delta: float,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound R_rho + (4/rho) sum alpha r + (2/rho) sqrt(log p / m) + sqrt(n log p / m + l).

    Source: Voted Kernel Regularization (Cortes et al.), Theorem 1. With probability 1 - delta, R(f)
    is at most this bound. Here n is ceil((4/rho^2) log(rho^2 m / log p)), l is log(2/delta) / (2m),
    and the sum is rho sum_k |alpha_k|_1 r_k. If the ceiling is below 1, n is 1, because the root
    could be undefined. The term with log p is above 1 in this case.

    ``alpha`` (p, c) contains the coefficients, ``kernel_sizes`` (p,) the numbers M_k >= |K_k|, and
    ``penalties`` (p,) the penalties r_k in units of K. ``margins`` (m,) are y_i f(x_i). ``lacking``
    has the caveats about r and M. Raises OptionError for p = 1 (see ``margin_bound``) or delta
    outside (0, 1).
    """
    inverse_rho, complexity = _rescale(alpha, kernel_sizes, penalties, delta)
    m, p = len(margins), len(alpha)
    # n functions are drawn in the proof, by which the margin is approximated
    square = inverse_rho * inverse_rho
    n, clipped = _sample_size(4 * square, m / (square * math.log(p)))
    terms = {
        "margin_error": margin_error(margins),
        "complexity": 4 * complexity,
        "families": 2 * inverse_rho * math.sqrt(math.log(p) / m),
        "confidence": math.sqrt(n * math.log(p) / m + math.log(2 / delta) / (2 * m)),
    }
    parameters = {"m": m, "p": p, "delta": delta, "rho": 1 / inverse_rho, "n": n}
    caveats = (_FITTED_SCALE, *lacking, *clipped)
    return Bound.summed("Theorem 1", terms, caveats=caveats, parameters=parameters)


def theorem_2(
    alpha: FloatArray,
    kernel_sizes: FloatArray,
    penalties: FloatArray,
    margins: FloatArray,
    *,
    delta: float,
    tradeoff: float = 2.0,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound K/(K-1) R_rho + (6K/rho) sum alpha r + terms of order log(m)/m, for a K > 1.

    Source: Voted Kernel Regularization (Cortes et al.), Theorem 2, with the constants of its proof.
    The terms are 16 F log p/(rho^2 m) + F log(2/delta)/m + F (2n - 1) log p/m with F = max(5K, 2K +
    14/3) and n = ceil((8/rho^2) log(rho^2 (1 + K/(K-1)) m / (16 F log p))). The paper prints 8 F
    and n F with F = 5K, which its inequality (4) does not give, and 6K/rho in place of max(6K,
    12)/rho. If the ceiling is below 1, n is 1. ``tradeoff`` is K. The other arguments and the
    errors are as in ``theorem_1``.
    """
    inverse_rho, complexity = _rescale(alpha, kernel_sizes, penalties, delta)
    m, p, log_p = len(margins), len(alpha), math.log(len(alpha))
    square, ratio = inverse_rho * inverse_rho, tradeoff / (tradeoff - 1)
    # with V <= r / K the proof has 2K + 14/3, at most 5K only for K >= 14/9; the ramp from rho/2 to
    # rho has the slope 2/rho, and with it the proof has 12/rho, at most 6K/rho only for K >= 2
    five, six = max(5 * tradeoff, 2 * tradeoff + 14 / 3), max(6 * tradeoff, 12.0)
    # u = rho^2 / 8, v_1 = 1 + K/(K-1), v_2 = 2 five log p / m, of which the paper prints half
    constant = 16 * five
    argument = (1 + ratio) * m / (square * constant * log_p)
    n, clipped = _sample_size(8 * square, argument)
    terms = {
        "margin_error": ratio * margin_error(margins),
        "complexity": six * complexity,
        "families": constant * square * log_p / m,
        "confidence": five * math.log(2 / delta) / m,
        "sampling": five * (2 * n - 1) * log_p / m,
    }
    parameters = {"m": m, "p": p, "delta": delta, "rho": 1 / inverse_rho, "n": n, "K": tradeoff}
    caveats = (_UNPROVED, _FITTED_SCALE, *lacking, *clipped)
    return Bound.summed("Theorem 2", terms, caveats=caveats, parameters=parameters)


def margin_bound(
    alpha: FloatArray,
    penalty: float,
    margins: FloatArray,
    *,
    delta: float,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound R_rho + (2/rho) r + 3 sqrt(log(2/delta) / (2m)) on R(f), for a single family.

    Source: Boosting kernelized shapelets, Lemma 2 (Mohri et al., 2012, Corollary 6.1). The
    empirical complexity needs log(2/delta), where the paper prints log(1/delta). Here rho =
    1/|alpha|_1, so rho f is a convex combination of +-K(., x'_j), and (2/rho) r is 2 |alpha|_1 r.
    The functions need not be bounded.

    ``alpha`` is (c,) or (1, c). ``penalty`` is r, the empirical Rademacher complexity or an upper
    bound on it. The other arguments are as in ``theorem_1``. The bound needs neither the
    expected complexity nor M_k. Raises OptionError for p > 1 or delta outside (0, 1).
    """
    weights = np.atleast_2d(alpha)
    if weights.ndim != 2 or len(weights) != 1:
        raise OptionError(f"alpha of shape {np.shape(alpha)}: this bound is for one kernel (p = 1)")
    check_delta(delta)
    m, norm = len(margins), float(np.abs(weights).sum())
    terms = {
        "margin_error": margin_error(margins),
        "complexity": 2 * norm * penalty,
        "confidence": 3 * math.sqrt(math.log(2 / delta) / (2 * m)),
    }
    parameters = {"m": m, "p": 1, "delta": delta, "norm": norm}
    needed = [caveat for caveat in lacking if caveat not in (EXPECTED_COMPLEXITY, SAMPLE_RANGE)]
    caveats = (_FITTED_SCALE, *needed)
    return Bound.summed("margin bound", terms, caveats=caveats, parameters=parameters)


def grid_bound(values: FloatArray, complexity: float, delta: float, *, name: str) -> Bound:
    """The bound R_rho + (2/rho) c + 3 sqrt(log(2/delta_j) / (2m)) for the best rho = 2^-j.

    Source: M. Mohri, A. Rostamizadeh and A. Talwalkar, Foundations of Machine Learning (2018),
    Theorem 5.8. The union bound is over margins fixed in advance: j >= 0 has delta_j =
    delta / ((j+1)(j+2)), and the sum of all delta_j is delta.

    ``values`` (m,) are y_i g(x_i) for a function g of a class that does not depend on the sample.
    ``complexity`` is c, an upper bound on the empirical Rademacher complexity of the class. Raises
    OptionError for delta outside (0, 1).
    """
    check_delta(delta)
    m, best = len(values), None
    # every margin has its own share of delta: the best one needs no further term
    for j in range(40):  # margins 2^-j
        rho, share = 2.0**-j, delta / ((j + 1) * (j + 2))
        terms = {
            "margin_error": float(np.mean(values <= rho)),
            "complexity": 2.0 * complexity / rho,
            "confidence": 3.0 * math.sqrt(math.log(2.0 / share) / (2.0 * m)),
        }
        parameters = {"m": m, "delta": delta, "rho": rho, "grid": j}
        bound = Bound.summed(name, terms, parameters=parameters)
        best = bound if best is None or bound.value < best.value else best
    assert best is not None
    return best


def _rescale(
    alpha: FloatArray, kernel_sizes: FloatArray, penalties: FloatArray, delta: float
) -> tuple[float, float]:
    """1/rho of f as a convex combination of the families divided by their M_k, and sum_k
    |alpha_k|_1 r_k.

    See the module docstring.
    """
    if alpha.ndim != 2 or len(alpha) < 2:
        raise OptionError(
            f"alpha of shape {alpha.shape}: Theorems 1 and 2 need p > 1 kernels, alpha (p, c); "
            "for one kernel use margin_bound"
        )
    check_delta(delta)
    norms = np.abs(alpha).sum(axis=1)
    return max(1.0, float(kernel_sizes @ norms)), float(penalties @ norms)


def _sample_size(factor: float, argument: float) -> tuple[int, tuple[str, ...]]:
    """ceil(factor log(argument)), the number of functions drawn in the proofs, at least 1.

    If the ceiling is smaller, the caveat is added.
    """
    if argument > 1:
        return max(1, math.ceil(factor * math.log(argument))), ()
    return 1, (CLIPPED,)
