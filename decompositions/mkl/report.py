"""The error bounds of the paper's theorems for a fit, at its learned kernel, norm and intercept."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.types import FloatArray
from radprog.models.bounds import DELTA, Bound
from radprog.models.complexity import fixed_point
from radprog.models.mkl.bounds import (
    LEAST_KERNELS,
    cutoff_terms,
    decay,
    excess_risk_global,
    excess_risk_variance,
    theorem_3_lower,
    theorem_3_upper,
    theorem_6,
    theorem_7,
)
from radprog.models.mkl.kernel_sets import FULL_SPECTRUM
from radprog.models.mkl.problem import MultipleKernels, Value, ball_of
from radprog.models.mkl.settings import MKL
from radprog.models.mkl.tail_sums import spectrum

DECAYS = np.geomspace(1.1, 20.0, 60)  # exponents alpha that are tried in Theorem 7

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
_ORDER = (
    "the value is the r at which the bound of the local complexity is r: excess risks are a "
    "constant times it, for losses as regular as the squared loss, which the hinge loss is not"
)


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
        slopes = ball_of(spec, problem).slopes(traces)
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
    risk = excess_risk_global(complexity, n, DELTA)
    varied = excess_risk_variance(complexity, 1.0, n, DELTA)
    bounds = [
        replace(risk, name="excess risk (1)", caveats=(_RAMP, _FITTED, _JENSEN)),
        replace(varied, name="excess risk (2)", caveats=(_RAMP, _FITTED, _JENSEN, _DEVIATION)),
    ]
    # (3) at the spectrum of the learned kernel, scaled by |w|^2
    if n <= FULL_SPECTRUM:
        learned = norm2 * np.maximum(spectrum(problem.combine(value.mu)), 0.0) / n
        # at its fixed point r, with the cut-off of Figure 1, how many eigenvalues are capped by r,
        # and the lower bound for c = 1 if that bound holds
        local = _fixed("fixed point of (3)", lambda r: theorem_3_upper(learned, n, r))
        r = local.parameters["r"]
        at = {"r": r, "cutoff": int(cutoff_terms(learned, r).argmin())}
        if min(r, float(learned.max())) >= 1.0 / n:
            at["lower"] = theorem_3_lower(learned, n, r).value
        bounds.append(replace(local, parameters=at, caveats=(_LEARNED, *local.caveats)))
    else:
        learned = norm2 * value.mu * np.trace(kernels.K, axis1=1, axis2=2) / n
    whole = theorem_3_upper(learned, n, math.inf)
    caveats = (_LEARNED, _NO_BIAS)
    bounds.append(replace(whole, name="complexity (3), r infinite", caveats=caveats))
    # Theorems 6 and 7 at the spectra of k_m / T(k_m)
    if spec.variant != "unif" and kernels.M > 1 and n <= FULL_SPECTRUM:
        c = ball_of(spec, problem).c
        spectra = np.array([kernels.eigenvalues(m) / (n * c[m]) for m in range(kernels.M)])
        bounds += _of_the_kernels(np.maximum(spectra, 0.0), n, norm, spec)
    return [replace(b, parameters={**parameters, **b.parameters}).to_dict() for b in bounds]


def _of_the_kernels(spectra: FloatArray, n: int, norm: float, spec: MKL) -> list[Bound]:
    """The bound of Theorem 6. For the squared loss, norm 1 and enough kernels, the bound of Theorem
    7 with the best decay is added.
    """
    sixth = _fixed("fixed point of Theorem 6", lambda r: theorem_6(spectra, n, r, norm, spec.p))
    bounds, M = [replace(sixth, caveats=(_FITTED, *sixth.caveats))], len(spectra)
    if spec.loss != "squared" or spec.p != 1.0 or M < LEAST_KERNELS:
        return bounds
    # the decay exponent that gives the least bound
    rates = [(theorem_7(a, decay(spectra, a), n, M, norm), a) for a in DECAYS.tolist()]
    best, alpha = min(rates, key=lambda pair: pair[0].value)
    caveats = (*best.caveats, _FITTED, _SPECTRUM, _NO_BIAS)
    parameters = {"alpha": alpha, "d": decay(spectra, alpha)}
    return [*bounds, replace(best, caveats=caveats, parameters=parameters)]


def _fixed(name: str, bound: Callable[[float], Bound]) -> Bound:
    """A bound on the local complexity at its fixed point, where it equals its radius r."""
    r = fixed_point(lambda r: bound(r).value)
    at = bound(r)
    caveats = (*at.caveats, _ORDER, _SPECTRUM, _NO_BIAS)
    return replace(at, name=name, caveats=caveats, parameters={"r": r})
