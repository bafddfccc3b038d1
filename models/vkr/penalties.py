"""Penalties r_k of every family in a kernel bank, by the method a user names.

Of rows with weights w_i the penalty is that of the sample in which row i stands w_i times, which is
of W = sum w rows. Lemma 3 there is kappa sqrt(sum_i w_i K(x_i, x_i)) / W, a formula for any weights
> 0: its proof bounds E |sum_i s_i phi(x_i)| by (sum_i Var(s_i) K(x_i, x_i))^(1/2), and the sum s_i
of w_i independent signs has the variance w_i. (One sign for all copies would give w_i^2, the
complexity of m points, which is another number for weight 2 than for two rows.) So weights are
counts: doubling them all leaves the losses as they are and divides this penalty by sqrt 2. Lemma 4
depends on kappa alone. The other penalties count points or centres, or draw a sign for each, and
have no such formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from radprog.base.errors import OptionError, RadprogError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import SAME_KERNEL
from radprog.base.types import FloatArray
from radprog.models.complexity import massart, psd_spectrum, resolution
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernel_functions import Linear, Polynomial
from radprog.models.own_kernels import OwnKernel, Penalty, own_of, read_only
from radprog.models.vkr.family_complexity import (
    kernel_radius,
    local_fixed_point,
    local_penalty,
    pseudo_dimension_penalty,
    rademacher_complexities,
    trace_penalty,
)

EQUAL_PENALTIES = 1e-9  # relative difference up to which penalties are equal
UNIT_DIAGONAL = 1e-6  # how far K(x, x) may be from 1 where local_r is found

DEFAULT_TRIALS = 2000
UNWEIGHED = ("local", "massart", "montecarlo")
RESOLVED = 1.01  # ratio of local penalties up to which eigenvalues that are lost do not matter
LARGEST_SPECTRUM = 6000  # points up to which all eigenvalues are computed
OWN_PENALTY = (
    "the bounds of the error take the penalties that were given for bounds of the complexities: "
    "nothing was checked of that"
)
INDIFFERENT = (
    "the trace penalty is the same for all kernels, as their diagonals are: it does not tell them "
    "apart; 'massart', 'montecarlo' or 'local' would"
)


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """r (p,) in kernel units; standard_error (p,) where sampled; radius (p,) of local balls."""

    r: FloatArray
    standard_error: FloatArray | None = None
    local_radius: FloatArray | None = None
    warnings: tuple[str, ...] = field(default=())


def kernel_penalties(
    bank: KernelBank,
    method: str | Penalty | Sequence[float],
    *,
    local_r: str | float | None = None,
    trials: int | None = None,
    seed: int = 0,
    weights: FloatArray | None = None,
) -> Penalties:
    """Penalties by ``method``: trace (Lemma 3), poly (Lemma 4), massart, montecarlo, local, none;
    or of the user's own: numbers r (p,), or a function of K_k (m, c).

    weights: of the rows (m,), taken by trace, poly, none and numbers. Raises OptionError, naming
    the kernel, where a penalty is undefined.
    """
    p = bank.shape[0]
    alike = isinstance(method, str) and (method in UNWEIGHED or bool(own_of(method)))
    if weights is not None and alike:
        raise OptionError(
            f"complexity '{method}' is of rows that count alike, and these have weights: expected "
            "trace, poly, none or numbers"
        )
    if not isinstance(method, str) or own_of(method):
        return Penalties(r=_given(bank, method), warnings=(OWN_PENALTY,))
    if method == "none":
        return Penalties(r=np.zeros(p))
    if method == "montecarlo":
        estimates = rademacher_complexities(
            bank.correlate, bank.shape, trials=trials or DEFAULT_TRIALS, seed=seed
        )
        errors = np.array([estimate.standard_error for estimate in estimates])
        values = np.array([estimate.value for estimate in estimates])
        worst = float((errors / np.maximum(values, np.finfo(float).tiny)).max())
        noisy = (
            f"the Monte Carlo penalties have a standard error of {worst:.1%} of their value: "
            "give more trials",
        )
        return Penalties(r=values, standard_error=errors, warnings=noisy if worst > 0.01 else ())
    if method == "massart":
        norms = bank.column_norms
        return Penalties(r=np.array([massart(norms[k], bank.shape[1]) for k in range(p)]))
    if method == "local":
        return _local(bank, "auto" if local_r is None else local_r)
    if method == "trace":
        r = _per_kernel(bank, partial(_by_trace, weights=weights))
        alike = p > 1 and float(np.ptp(r)) <= EQUAL_PENALTIES * float(r.max())
        return Penalties(r=r, warnings=(INDIFFERENT,) if alike else ())
    if method == "poly":
        return Penalties(r=_per_kernel(bank, _by_dimension))
    raise OptionError(f"unknown complexity '{method}'")


def _given(bank: KernelBank, method: str | Penalty | Sequence[float]) -> FloatArray:
    """The user's own penalties (p,)."""
    p = bank.shape[0]
    if not isinstance(method, str) and isinstance(method, Sequence):
        if len(method) != p:
            raise OptionError(f"complexity: {len(method)} penalties given for {p} kernels")
        return np.array(method, dtype=np.float64)
    (function,) = own_of(method).values()
    values = np.empty(p)
    for k, kernel in enumerate(bank.kernels):
        try:
            values[k] = function(read_only(bank.gram(k)))
        except (RadprogError, OutOfBudget):
            raise
        except Exception as error:  # whatever a user's function does
            raise OptionError(
                f"complexity of kernel {kernel.name} failed: {type(error).__name__}: {error}"
            ) from error
        if not (np.isfinite(values[k]) and values[k] >= 0):
            raise OptionError(
                f"complexity of kernel {kernel.name} is {values[k]}: expected a finite number >= 0"
            )
    return values


def _per_kernel(bank: KernelBank, penalty: Callable[[KernelBank, int], float]) -> FloatArray:
    values = np.empty(bank.shape[0])
    for k, kernel in enumerate(bank.kernels):
        try:
            values[k] = penalty(bank, k)
        except OptionError as error:
            advice = "" if "massart" in str(error) else ": use 'massart' or 'montecarlo'"
            raise OptionError(f"kernel {kernel.name}: {error}{advice}") from None
    return values


def _radius(bank: KernelBank, k: int) -> float:
    """kappa over the points and the centres, or by a bound that was given; a matrix must be
    symmetric PSD to have one."""
    kernel = bank.kernels[k]
    if not kernel.psd:
        if kernel.base == "edit":
            return kernel_radius(bank.diagonal(k))
        psd_spectrum(kernel(bank.X, bank.X) if kernel.base == "own" else bank.gram(k))
    diagonals = [bank.diagonal(k)]
    if not bank.own_centres:
        diagonals.append(kernel.diagonal(bank.centres))
    radius = kernel_radius(*diagonals)
    if not isinstance(kernel, OwnKernel) or kernel.bound is None:
        return radius
    if radius**2 > kernel.bound * (1.0 + SAME_KERNEL):
        raise OptionError(
            f"K(x, x) is {radius**2:g} at a point, above the bound {kernel.bound:g} that was given"
        )
    return max(radius, math.sqrt(kernel.bound))


def _rank(bank: KernelBank, k: int) -> int:
    """Largest rank that the kernel's matrix can have: of its features, or of distinct points."""
    kernel, features = bank.kernels[k], bank.X.shape[1] if bank.X.ndim == 2 else 1
    if not isinstance(kernel, Polynomial | Linear):
        return bank.shape[1]
    if isinstance(kernel, Polynomial):
        features = math.comb(features + kernel.degree, kernel.degree)
    return min(features, len(np.unique(bank.X, axis=0)))


def _by_trace(bank: KernelBank, k: int, weights: FloatArray | None) -> float:
    return trace_penalty(bank.diagonal(k), _radius(bank, k), weights)


def _by_dimension(bank: KernelBank, k: int) -> float:
    kernel = bank.kernels[k]
    if not isinstance(kernel, Polynomial):
        raise OptionError("Lemma 4 ('poly') holds for polynomial kernels only")
    features = bank.X.shape[1] if bank.X.ndim == 2 else 1
    return pseudo_dimension_penalty(_radius(bank, k), features, kernel.degree)


def _local(bank: KernelBank, local_r: str | float) -> Penalties:
    if bank.shape[1] > LARGEST_SPECTRUM:
        raise OptionError(
            f"the local penalty needs all eigenvalues of a {bank.shape[1]} x {bank.shape[1]} "
            f"matrix: at most {LARGEST_SPECTRUM} points, or 'trace', 'massart', 'montecarlo'"
        )
    warnings: list[str] = []
    radii = np.empty(bank.shape[0])

    def penalty(bank: KernelBank, k: int) -> float:
        radius = _radius(bank, k)
        own = bank.kernels[k](bank.X, bank.X)
        spectrum, rank = psd_spectrum(own), _rank(bank, k)
        spectrum[rank:] = 0.0

        def at(values: FloatArray) -> tuple[float, float]:
            r = local_fixed_point(values, radius) if local_r == "auto" else float(local_r)
            return r, local_penalty(values, radius, r)

        radii[k], found = at(spectrum)
        raised = spectrum.copy()
        raised[:rank] = np.maximum(raised[:rank], resolution(spectrum))
        most = at(raised)[1]
        if most > RESOLVED * found:
            warnings.append(
                f"kernel {bank.kernels[k].name} has eigenvalues that are lost in rounding, and "
                f"left out: its local penalty is {found:.4g}, and may be up to {most:.4g} with "
                "them; scaled data have smaller kernel values"
            )
        if local_r == "auto" and abs(radius - 1.0) > UNIT_DIAGONAL:
            warnings.append(
                f"kernel {bank.kernels[k].name} has K(x, x) up to {radius**2:.3g}: the fixed point "
                "r = psi(r) compares units of K^2 with units of K, so it depends on the kernel's "
                "scale; it is meant for kernels with K(x, x) = 1"
            )
        return found

    r = _per_kernel(bank, penalty)
    return Penalties(r=r, local_radius=radii, warnings=tuple(warnings))
