"""Bounds of "Learning Kernels Using Local Rademacher Complexity" as functions of arrays.

Logarithms are natural. Wrong formulas of the paper are corrected, and terms of order 1/n that the
paper does not state are omitted. The docstrings list the corrections and the omitted terms.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.bounds import Bound, check_delta
from radprog.models.settings import nonnegative

EXPONENTS, LARGEST_EXPONENT = 9, 16.0  # that Theorem 6 is tried with
LEAST_KERNELS = 8  # log M >= 2: the exponent log M of the underlying theorem must be at least 2


_OPEN = "a term of order 1/n with unknown constant is left out"
_UNCORRELATED = "the theorem needs uncorrelated kernels, bounded on the whole input space"
_UNKNOWN = "the absolute constant c of the lower bound is unknown: its value is for c = 1"
_SQUARED = "the theorem is about the squared loss: the hinge loss is not covered"
_ORDER = "the value is the fixed point r*: the excess risk is a constant times it"
_BOUNDED = "the loss must lie in [0, 1], which the hinge loss does not"


def excess_risk_global(complexity: float, n: int, delta: float) -> Bound:
    """The bound (1): E g_n - E g* <= 4 R_n(G) + sqrt(2 log(2/delta) / n).

    It holds with probability 1 - delta.

    ``complexity`` is R_n(G) >= 0 for the loss class G. The functions in G have values in [0, 1].
    """
    check_delta(delta)
    nonnegative("complexity", complexity)
    terms = {
        "complexity": 4.0 * complexity,
        "confidence": math.sqrt(2.0 * math.log(2.0 / delta) / n),
    }
    return Bound.summed("(1)", terms, caveats=(_BOUNDED,))


def excess_risk_variance(complexity: float, deviation: float, n: int, delta: float) -> Bound:
    """Bound (2): E g_n - E g* <= 8 R_n(G) + Sigma(G) sqrt(8 log(2/delta) / n) + 3 log(2/delta) / n.

    ``deviation`` is Sigma(G), the largest root mean square of a function of G.
    """
    check_delta(delta)
    nonnegative("complexity", complexity)
    log = math.log(2.0 / delta)
    terms = {
        "complexity": 8.0 * complexity,
        "variance": deviation * math.sqrt(8.0 * log / n),
        "confidence": 3.0 * log / n,
    }
    return Bound.summed("(2)", terms, caveats=(_BOUNDED,))


def theorem_3_upper(eigenvalues: FloatArray, n: int, r: float) -> Bound:
    """The bound (3) on the local complexity of the unit ball: sqrt((2/n) sum_j min(r, lambda_j)).

    ``eigenvalues`` are the eigenvalues of the kernel's integral operator, estimated by the
    eigenvalues of K/n. r > 0. For infinite r the bound is sqrt(2 Tr k / n); the paper's text omits
    the factor 2.
    """
    return Bound(name="(3)", value=math.sqrt(2.0 / n * _capped(eigenvalues, r)))


def cutoff_terms(eigenvalues: FloatArray, r: float) -> FloatArray:
    """The terms theta r + sum_{j > theta} lambda_j for theta = 0..n; the sum in (3) is the
    smallest.
    """
    values = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
    # sums of the eigenvalues beyond every cutoff
    tails = np.concatenate([np.cumsum(values[::-1])[::-1], [0.0]])
    return np.asarray(np.arange(len(tails)) * r + tails)


def theorem_3_lower(eigenvalues: FloatArray, n: int, r: float) -> Bound:
    """The lower bound of (3): (c / sqrt n) sqrt(sum_j min(r, lambda_j)), for lambda_1, r >= 1/n.

    The printed formula lacks the root over the sum. Without the root, scaling k and r by s^2 would
    scale the complexity by s, but its lower bound by s^2.
    """
    if not (r >= 1.0 / n and float(np.max(eigenvalues)) >= 1.0 / n):
        raise OptionError(f"the lower bound needs r and the largest eigenvalue >= 1/n = {1 / n:g}")
    value = math.sqrt(_capped(eigenvalues, r) / n)
    return Bound(name="lower bound of (3)", value=value, caveats=(_UNKNOWN,))


def theorem_6(spectra: ArrayLike, n: int, r: float, radius: float, norm: float = 1.0) -> Bound:
    """A bound on the local complexity of the class of variant ``conv``.

    For P = 1 and M >= 8 kernels it is sqrt((16 / n) max_m sum_j min(r M, e^3 L^2 log^2 M
    lambda_mj)). In all other cases it is the minimum over several t in [2, q*] of

    sqrt((16 / n) ||(sum_j min(r M^(1-2/t), e L^2 t^2 lambda_mj))_m||_{t/2}).

    Here q* = 2 P / (P - 1) is the dual of q = 2 P / (P + 1), the block norm of the ball
    ||mu||_P <= 1. The source is Theorem 5 of M. Kloft and G. Blanchard, On the Convergence Rate of
    lp-Norm Multiple Kernel Learning (2012). The paper's Theorem 6 is the case t = log M, with the
    same constants 16 and e^3.

    ``spectra`` (M, n) are the eigenvalues of the normalised kernels k_m / T(k_m), estimated by
    eig(K_m) / T(K_m), without 1/n. ``radius`` is L, the bound on |w|. ``norm`` is P >= 1. The
    printed formula has min(r, e^2 L^2 log^2 M lambda_j) and a factor e before the sum. For M
    uncorrelated kernels of rank one and r = 1/M its value is below the complexity.
    """
    values = np.asarray(spectra, dtype=np.float64)
    M = len(values)
    if norm == 1.0 and M >= LEAST_KERNELS:
        # the largest capped sum over the kernels
        scale = math.e**3 * (radius * math.log(M)) ** 2
        size = float(np.minimum(r * M, scale * values).sum(axis=1).max())
    else:
        largest = math.inf if norm == 1.0 else 2.0 * norm / (norm - 1.0)
        size = math.inf
        for t in np.geomspace(2.0, min(largest, LARGEST_EXPONENT), EXPONENTS):
            caps = r * M ** (1.0 - 2.0 / t), math.e * (radius * t) ** 2
            sums = np.minimum(caps[0], caps[1] * values).sum(axis=1)
            size = min(size, float(np.linalg.norm(sums, t / 2.0)))
    caveats = (_UNCORRELATED, _OPEN)
    value = math.sqrt(16.0 / n * size)
    return Bound(name="Theorem 6", value=value, caveats=caveats)


def decay(spectra: FloatArray, alpha: float) -> float:
    """The smallest d with lambda_j <= d j^-alpha for all rows of spectra (M, n), each
    descending."""
    return float((spectra * np.arange(1.0, spectra.shape[1] + 1.0) ** alpha).max())


def theorem_7(alpha: float, d: float, n: int, kernels: int, radius: float) -> Bound:
    """The rate n^(-alpha/(alpha+1)) of the excess risk if lambda_j(k_m / T(k_m)) <= d j^-alpha.

    The value is the fixed point r* of Theorem 6, to which the excess risk is proportional:
    (16 alpha / ((alpha-1) n))^(alpha/(alpha+1)) (e^3 L^2 log^2 M d)^(1/(alpha+1))
    M^((alpha-1)/(alpha+1)). The printed constant contains sqrt((3 - alpha) / (1 - alpha)). This
    root is imaginary for alpha in (1, 3). Raises OptionError for alpha <= 1 and fewer than 8
    kernels.
    """
    if not alpha > 1:
        raise OptionError(f"alpha {alpha:g}: Theorem 7 needs eigenvalues that decay with alpha > 1")
    if kernels < LEAST_KERNELS:
        raise OptionError(f"{kernels} kernels: Theorem 7 needs log M >= 2, {LEAST_KERNELS} or more")
    # exponents of n and of the number of kernels
    rate, share = alpha / (alpha + 1.0), (alpha - 1.0) / (alpha + 1.0)
    value = (
        (16.0 * alpha / ((alpha - 1.0) * n)) ** rate
        * (math.e**3 * radius**2 * math.log(kernels) ** 2 * d) ** (1.0 / (alpha + 1.0))
        * kernels**share
    )
    caveats = (_SQUARED, _UNCORRELATED, _OPEN, _ORDER)
    return Bound(name="Theorem 7", value=value, caveats=caveats)


def _capped(eigenvalues: FloatArray, r: float) -> float:
    if not r > 0:
        raise OptionError(f"radius r = {r:g}: expected a positive number")
    values = np.asarray(eigenvalues, dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all() or values.min() < 0:
        raise OptionError("eigenvalues must be finite and not negative")
    return float(np.minimum(r, values).sum())
