"""Bounds of "Learning Kernels Using Local Rademacher Complexity": as functions of arrays, and those
of a fit at its learned kernel, norm and intercept.

Logarithms are natural. Wrong formulas of the paper are corrected, and terms of order 1/n that the
paper does not state are omitted. The docstrings list the corrections and the omitted terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.bounds import DELTA, Bound, check_delta
from radprog.models.complexity import fixed_point
from radprog.models.mkl.kernel_sets import FULL_SPECTRUM, spectrum
from radprog.models.mkl.problem import MultipleKernels, Value, ball_of
from radprog.models.mkl.settings import MKL

EXPONENTS, LARGEST_EXPONENT = 9, 16.0  # that Theorem 6 is tried with
LEAST_KERNELS = 8  # log M >= 2: the exponent log M of the underlying theorem must be at least 2


_OPEN = "a term of order 1/n with unknown constant is left out"
_UNCORRELATED = "the theorem needs uncorrelated kernels, bounded on the whole input space"
_FITTED = (
    "the class is that of the fit's norm |w| and bias and of the tail sums of these points, while "
    "the theorem fixes it in advance: the price of choosing it by the data is left out"
)
_LEARNED = (
    "the weights of the kernels and the norm |w| are those of the fit, while the theorem fixes "
    "both in advance: the price of choosing them by the data is left out"
)
_RAMP = (
    "of the ramp loss min(1, max(0, 1 - y f)) and its minimiser over the class; the fit minimises "
    "another loss: its own ramp loss exceeds that on these points by at most half the value"
)
_DEVIATION = "Sigma(G) <= 1 of a loss in [0, 1] stands in for the largest deviation"
_JENSEN = "the complexity is bounded by Jensen's inequality and a sum over the kernels"
_SPECTRUM = "eigenvalues of the kernel matrices stand in for those of the integral operators"
_NO_BIAS = "of functions without a bias"
_RADIUS = (
    "the value is the r at which the bound of the local complexity is r: excess risks are a "
    "constant times it, for losses as regular as the squared loss, which the hinge loss is not"
)
_UNKNOWN = "the absolute constant c of the lower bound is unknown: its value is for c = 1"
_SQUARED = "the theorem is about the squared loss: the hinge loss is not covered"
_ORDER = "the value is the fixed point r*: the excess risk is a constant times it"


def excess_risks(
    complexity: float, n: int, delta: float, deviation: float = 1.0
) -> tuple[Bound, Bound]:
    """The bounds (1) and (2) on the excess risk E g_n - E g* with probability 1 - delta.

    (1) is 4 R_n(G) + sqrt(2 log(2/delta) / n), and (2) is
    8 R_n(G) + Sigma(G) sqrt(8 log(2/delta) / n) + 3 log(2/delta) / n. ``complexity`` is R_n(G) >= 0
    for the loss class G of functions with values in [0, 1], and ``deviation`` is Sigma(G), the
    largest root mean square of a function of G.
    """
    check_delta(delta)
    if not 0.0 <= complexity < math.inf:
        raise OptionError(f"complexity {complexity:g}: expected a finite number >= 0")
    log = math.log(2.0 / delta)
    first = {"complexity": 4.0 * complexity, "confidence": math.sqrt(2.0 * log / n)}
    second = {
        "complexity": 8.0 * complexity,
        "variance": deviation * math.sqrt(8.0 * log / n),
        "confidence": 3.0 * log / n,
    }
    return Bound.summed("(1)", first), Bound.summed("(2)", second)


def theorem_3(eigenvalues: FloatArray, n: int, r: float, *, lower: bool = False) -> Bound:
    """The bound (3) on the local complexity of the unit ball: sqrt((2/n) sum_j min(r, lambda_j)).

    ``eigenvalues`` are the eigenvalues of the kernel's integral operator, estimated by the
    eigenvalues of K/n. r > 0. For infinite r the bound is sqrt(2 Tr k / n); the paper's text omits
    the factor 2.

    If ``lower`` is True, the result is the lower bound (c / sqrt n) sqrt(sum_j min(r, lambda_j)),
    for lambda_1, r >= 1/n. The printed formula lacks the root over the sum. Without the root,
    scaling k and r by s^2 would scale the complexity by s, but its lower bound by s^2.
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    if not r > 0:
        raise OptionError(f"radius r = {r:g}: expected a positive number")
    if values.size == 0 or not np.isfinite(values).all() or values.min() < 0:
        raise OptionError("eigenvalues must be finite and not negative")
    if lower and not (r >= 1.0 / n and float(values.max()) >= 1.0 / n):
        raise OptionError(f"the lower bound needs r and the largest eigenvalue >= 1/n = {1 / n:g}")
    value = math.sqrt((1.0 if lower else 2.0) / n * float(np.minimum(r, values).sum()))
    if lower:
        return Bound(name="lower bound of (3)", value=value, caveats=(_UNKNOWN,))
    return Bound(name="(3)", value=value)


def cutoff_terms(eigenvalues: FloatArray, r: float) -> FloatArray:
    """The terms theta r + sum_{j > theta} lambda_j for theta = 0..n; the sum in (3) is the
    smallest.
    """
    values = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
    # sums of the eigenvalues beyond every cutoff
    tails = np.concatenate([np.cumsum(values[::-1])[::-1], [0.0]])
    return np.asarray(np.arange(len(tails)) * r + tails)


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


def complexity_upper(spec: MKL, problem: MultipleKernels) -> float:
    """An upper bound on the Rademacher complexity of {w'phi_mu: |w| <= 1, mu in the variant's set}.

    The complexity is E sqrt(max_mu sigma'K_mu sigma) / n. The ball ||c * mu||_p <= 1 contains the
    set, and a maximum is at most the sum. By Jensen's inequality, the complexity is therefore at
    most sqrt(sum_m tr(K_m) / c_m) / n.
    """
    traces = np.einsum("mii->m", problem.kernels.K)
    # sqrt(sum tr(K_m) / c_m) / n, by Jensen's inequality
    slopes = traces / problem.kernels.M
    if spec.variant != "unif":
        slopes = traces / ball_of(spec, problem).c
    return float(np.sqrt(slopes.sum())) / problem.kernels.n


def bounds_of(spec: MKL, problem: MultipleKernels, value: Value) -> list[dict[str, Any]]:
    """Bounds (1) and (2) for the class of the variant, bound (3) for the learned kernel, and the
    bounds of Theorems 6 and 7 for all kernels.

    The class is {w'phi_mu + c: |w| <= L, |c| <= |b|, mu in the set of the variant}, where L and b
    come from the fit. For the single kernel k_mu, bound (3) is computed at its fixed point and for
    infinite r. Theorem 6 needs at least two kernels. Theorem 7 needs the squared loss, norm 1, and
    at least 8 kernels. Eigenvalues are computed for up to 600 points. There are no bounds for more
    than two classes, for w = 0, or for weighted points. Weighted points are not drawn from one
    distribution.
    """
    kernels = problem.kernels
    norm2, n = float(value.energies @ value.mu), kernels.n
    if len(problem.labels) > 1 or not norm2 > 0 or kernels.weights is not None:
        return []
    norm, bias = math.sqrt(norm2), abs(float(value.biases[0]))
    parameters = {"n": n, "kernels": kernels.M, "delta": DELTA, "norm": norm, "bias": bias}
    # complexity of {w'phi + c: |w| <= L, |c| <= |b|}
    complexity = norm * complexity_upper(spec, problem) + bias / math.sqrt(n)
    risk, varied = excess_risks(complexity, n, DELTA)
    bounds = [
        replace(risk, name="excess risk (1)", caveats=(_RAMP, _FITTED, _JENSEN)),
        replace(varied, name="excess risk (2)", caveats=(_RAMP, _FITTED, _JENSEN, _DEVIATION)),
    ]
    # (3) at the spectrum of the learned kernel, scaled by |w|^2
    if n <= FULL_SPECTRUM:
        learned = norm2 * np.maximum(spectrum(problem.combine(value.mu)), 0.0) / n
        # at its fixed point r, with the cut-off of Figure 1, how many eigenvalues are capped by r,
        # and the lower bound for c = 1 if that bound holds
        local = _fixed("fixed point of (3)", lambda r: theorem_3(learned, n, r))
        r = local.parameters["r"]
        details = {"r": r, "cutoff": int(cutoff_terms(learned, r).argmin())}
        if min(r, float(learned.max())) >= 1.0 / n:
            details["lower"] = theorem_3(learned, n, r, lower=True).value
        bounds.append(replace(local, parameters=details, caveats=(_LEARNED, *local.caveats)))
    else:
        learned = norm2 * value.mu * np.trace(kernels.K, axis1=1, axis2=2) / n
    unrestricted = theorem_3(learned, n, math.inf)
    caveats = (_LEARNED, _NO_BIAS)
    bounds.append(replace(unrestricted, name="complexity (3), r infinite", caveats=caveats))
    # Theorems 6 and 7 at the spectra of k_m / T(k_m)
    if spec.variant != "unif" and kernels.M > 1 and n <= FULL_SPECTRUM:
        c = ball_of(spec, problem).c
        spectra = np.array([kernels.eigenvalues(m) / (n * c[m]) for m in range(kernels.M)])
        spectra = np.maximum(spectra, 0.0)
        sixth = _fixed("fixed point of Theorem 6", lambda r: theorem_6(spectra, n, r, norm, spec.p))
        bounds.append(replace(sixth, caveats=(_FITTED, *sixth.caveats)))
        if spec.loss == "squared" and spec.p == 1.0 and kernels.M >= LEAST_KERNELS:
            # the decay exponent, of 60, that gives the least bound
            exponents = np.geomspace(1.1, 20.0, 60).tolist()
            rates = [theorem_7(a, decay(spectra, a), n, kernels.M, norm) for a in exponents]
            best, alpha = min(zip(rates, exponents, strict=True), key=lambda pair: pair[0].value)
            decayed = (*best.caveats, _FITTED, _SPECTRUM, _NO_BIAS)
            details = {"alpha": alpha, "d": decay(spectra, alpha)}
            bounds.append(replace(best, caveats=decayed, parameters=details))
    return [replace(b, parameters={**parameters, **b.parameters}).to_dict() for b in bounds]


def _fixed(name: str, bound: Callable[[float], Bound]) -> Bound:
    """A bound on the local complexity at its fixed point, where it equals its radius r."""
    r = fixed_point(lambda r: bound(r).value)
    fixed = bound(r)
    caveats = (*fixed.caveats, _RADIUS, _SPECTRUM, _NO_BIAS)
    return replace(fixed, name=name, caveats=caveats, parameters={"r": r})
