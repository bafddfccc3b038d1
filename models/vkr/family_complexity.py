"""Complexity penalties r_k of the families H_k = {x -> +-K_k(x, x')}, one kernel at a time.

Source: Voted Kernel Regularization (Cortes et al.), sections 4 and 5.3. In all formulas m is the
number of sample points x_i, c the number of centres x'_j, K the matrix K(x_i, x'_j) of shape
(m, c), not assumed symmetric, and kappa the radius: the largest sqrt(K(x, x)).

A penalty has the units of K. The upper bounds (trace, Lemma 4, local) need a symmetric positive
semidefinite kernel; Massart's bound, enumeration and Monte Carlo need none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.complexity import ENUMERABLE, Estimate

Correlate = Callable[[FloatArray], FloatArray]

ENUMERATED_POINTS = 16  # up to this many points all sign vectors are enumerated without being asked
SUMS_AT_ONCE = 2**23  # numbers held at once while sign vectors are correlated with kernels: 64 MiB


def kernel_radius(*diagonals: FloatArray) -> float:
    """kappa = sqrt(max K(x, x)) over the points whose diagonals are given.

    The papers take the supremum over the input space, infinite for a polynomial kernel on an
    unbounded one; this is the maximum over the given points. Give the sample's diagonal and, where
    there are other centres, theirs too: Lemma 3 is no bound for a centre of larger K(x', x').
    Raises OptionError on a negative entry, a non-finite one, or zeros alone.
    """
    values = np.concatenate([np.ravel(diagonal) for diagonal in diagonals])
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise OptionError("the kernel's diagonal K(x, x) is empty or not finite")
    if values.min() < 0:
        raise OptionError(
            f"K(x, x) = {values.min():g} is negative, so the kernel is not positive semidefinite "
            "and has no feature map: use 'massart' or 'montecarlo'"
        )
    if values.max() == 0:
        raise OptionError(
            "K(x, x) is 0 at every point (as for an edit distance): a bound by the diagonal would "
            "be 0, no penalty at all: use 'massart' or 'montecarlo'"
        )
    return math.sqrt(float(values.max()))


def trace_penalty(
    diagonal: FloatArray, radius: float | None = None, weights: FloatArray | None = None
) -> float:
    """r = kappa sqrt(Tr K) / m, an upper bound of the empirical Rademacher complexity.

    Source: Voted Kernel Regularization (Cortes et al.), Lemma 3, for a symmetric positive
    semidefinite kernel, which the diagonal alone cannot show.
    diagonal: K(x_i, x_i), shape (m,). radius: kappa; without it the maximum over this sample.
    weights: w (m,), how many times each point counts: r = kappa sqrt(sum_i w_i K(x_i, x_i)) / W,
    W = sum_i w_i, the same number for the sample in which each point stands w_i times.
    Raises OptionError as ``kernel_radius`` does.
    """
    at_sample = kernel_radius(diagonal)
    kappa = at_sample if radius is None else radius
    if not kappa >= at_sample:
        raise OptionError(f"radius {kappa:g} is below the sample's own {at_sample:g}")
    if weights is None:
        return kappa * math.sqrt(float(diagonal.sum())) / len(diagonal)
    return kappa * math.sqrt(float(weights @ diagonal)) / float(weights.sum())


def feature_dimension(features: int, degree: int | None) -> int:
    """d_k = C(N + k, k), the exact integer: the dimension of the features of (x'z + 1)^k.

    Source: Voted Kernel Regularization (Cortes et al.), (3). It bounds the pseudo-dimension of
    H_k from above. features: N; degree: k, None for a kernel that is not polynomial.
    Raises OptionError where the degree or N is not a positive integer.
    """
    if degree is None:
        raise OptionError("Lemma 4 ('poly') holds for polynomial kernels only")
    if degree < 1 or features < 1:
        raise OptionError(f"degree {degree} and {features} features: expected at least 1 of each")
    return math.comb(features + degree, degree)


def pseudo_dimension_penalty(radius: float, features: int, degree: int | None) -> float:
    """r = kappa^2 sqrt(d_k), Lemma 4 without its factor 12 sqrt(pi/m), which lambda absorbs.

    Source: Voted Kernel Regularization (Cortes et al.), end of section 5.3. It is comparable
    between kernels for one m only, and not what Lemma 4 proves; that it is no less than Lemma 3 is
    since Tr K <= m kappa^2 and d_k >= 1.
    radius: kappa. Raises OptionError as ``feature_dimension`` does, and on overflow.
    """
    try:
        return radius**2 * _square_root(feature_dimension(features, degree))
    except OverflowError:
        raise OptionError(
            f"Lemma 4 overflows at degree {degree} with {features} features"
        ) from None


def _square_root(integer: int) -> float:
    """sqrt of an integer of any size: above 2^106 the integer root is exact to rounding."""
    return math.sqrt(integer) if integer.bit_length() <= 106 else float(math.isqrt(integer))


def rademacher_complexities(
    correlate: Correlate,
    shape: tuple[int, int, int],
    *,
    trials: int = 10_000,
    seed: int = 0,
    exact: bool | None = None,
) -> tuple[Estimate, ...]:
    """(1/m) E max_j |sum_i sigma_i K_k(x_i, x'_j)| of p families under the same sign vectors.

    Centres are the given ones: a lower bound of the complexity of H_k, whose x' is any point.
    correlate: V (m, T) -> (p, c, T), the sums sum_i V_it K_k(x_i, x'_j).
    shape: (p, m, c). trials, seed: of the Monte Carlo mean and its standard error.
    exact: enumerate the 2^(m-1) sign vectors that differ by more than a sign (default: m <= 16).
    Raises OptionError on fewer than 2 trials, or on enumeration beyond m = 20.
    """
    families, m, centres = shape
    if min(shape) < 1:
        raise OptionError(f"kernels of shape {shape}: expected at least one of each")
    enumerate_all = m <= ENUMERATED_POINTS if exact is None else exact
    if enumerate_all and m > ENUMERABLE:
        raise OptionError(
            f"exact complexity of {m} points needs 2^{m - 1} sign vectors: "
            f"at most {ENUMERABLE} points, or 'montecarlo'"
        )
    if trials < 2:
        raise OptionError(f"trials {trials}: a standard error needs at least 2")
    count = 2 ** (m - 1) if enumerate_all else trials
    block = max(1, SUMS_AT_ONCE // (families * centres + m))
    signs = _all_signs(m, block) if enumerate_all else _random_signs(m, trials, seed, block)
    suprema = np.empty((families, count))
    start = 0
    for V in signs:
        sums = correlate(V)
        largest = np.maximum(sums.max(axis=1), -sums.min(axis=1))
        suprema[:, start : start + V.shape[1]] = largest / m
        start += V.shape[1]
    errors = np.zeros(families) if enumerate_all else suprema.std(axis=1, ddof=1) / math.sqrt(count)
    return tuple(
        Estimate(value=float(value), standard_error=float(error), trials=count)
        for value, error in zip(suprema.mean(axis=1), errors, strict=True)
    )


def _all_signs(m: int, block: int) -> Iterator[FloatArray]:
    """The sign vectors with sigma_m = +1 as columns, at most ``block`` at a time."""
    count = 2 ** (m - 1)
    places = np.arange(m)[:, None]
    for start in range(0, count, block):
        codes = np.arange(start, min(start + block, count))
        yield np.where((codes >> places) & 1, -1.0, 1.0)


def _random_signs(m: int, trials: int, seed: int, block: int) -> Iterator[FloatArray]:
    """Independent uniform sign vectors as columns; the same ones whatever the block size."""
    generator = np.random.default_rng(seed)
    for start in range(0, trials, block):
        uniform = generator.random((min(block, trials - start), m))
        yield np.where(uniform < 0.5, -1.0, 1.0).T


def local_penalty(eigenvalues: FloatArray, radius: float, r: float) -> float:
    """sqrt((2/m) sum_j min(r, kappa^2 lambda_j)): the complexity of {h in H_k: mean h^2 <= r}.

    Source: Voted Kernel Regularization (Cortes et al.), section 5.3, stated there for the unit
    ball; H_k lies in the ball of radius kappa, hence kappa^2. The mean is that over the sample.
    eigenvalues: all m of K/m, non-negative (``psd_spectrum``). r > 0, in units of K^2; infinity
    gives sqrt(2) times Lemma 3. Raises OptionError where r is not positive.
    """
    if not r > 0:
        raise OptionError(f"local radius r = {r:g}: expected a positive number")
    capped = np.minimum(r, _scaled_spectrum(eigenvalues, radius))
    return math.sqrt(2 * float(capped.sum()) / len(eigenvalues))


def local_fixed_point(eigenvalues: FloatArray, radius: float) -> float:
    """The positive solution of r = psi(r) = sqrt((2/m) sum_j min(r, kappa^2 lambda_j)).

    It is unique: psi(r)/r is continuous, strictly decreasing, and runs from infinity to 0, unless
    the spectrum is zero: then 0. Found by bisection between min(2/m, psi(inf)) and
    min(2, psi(inf)), since sum_j min(r, a_j) lies between min(r, sum_j a_j) and m r.
    The equation equates units of K^2 with units of K: scaling a kernel does not scale r.
    """
    scaled = _scaled_spectrum(eigenvalues, radius)
    m = len(scaled)
    ceiling = math.sqrt(2 * float(scaled.sum()) / m)
    low, high = min(2 / m, ceiling), min(2.0, ceiling)
    while low < (middle := (low + high) / 2) < high:
        if math.sqrt(2 * float(np.minimum(middle, scaled).sum()) / m) > middle:
            low = middle
        else:
            high = middle
    return high


def _scaled_spectrum(eigenvalues: FloatArray, radius: float) -> FloatArray:
    """kappa^2 lambda_j, checked to be finite, non-negative and not empty."""
    scaled = radius**2 * np.asarray(eigenvalues, dtype=np.float64)
    if scaled.size == 0 or not np.all(np.isfinite(scaled)) or scaled.min() < 0:
        raise OptionError("local complexity needs the finite, non-negative spectrum of K/m")
    return scaled
