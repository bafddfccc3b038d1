"""Penalties r_k of the families H_k = {x -> +-K_k(x, x')} in a kernel bank, by several methods.

Source: Voted Kernel Regularization (Cortes et al.), sections 4 and 5.3. In all formulas m is the
number of sample points x_i, and c the number of centres x'_j. K is the matrix K(x_i, x'_j) of shape
(m, c). It need not be symmetric. kappa is the radius: the largest sqrt(K(x, x)). A penalty has the
units of K. The upper bounds (trace, Lemma 4, local) require a symmetric positive semidefinite
kernel. Massart's bound, enumeration and Monte Carlo do not.

For rows with weights w_i, the penalty is computed for the sample with w_i copies of row i. This
sample has W = sum w rows. For this sample, Lemma 3 gives kappa sqrt(sum_i w_i K(x_i, x_i)) / W, for
any weights > 0. Its proof bounds E |sum_i s_i phi(x_i)| by (sum_i Var(s_i) K(x_i, x_i))^(1/2), and
the sum s_i of w_i independent signs has the variance w_i. One sign for all copies would give w_i^2,
the complexity of m points, so weight 2 and two rows would differ. Weights are thus counts. Doubling
all weights keeps the losses and divides this penalty by sqrt 2. Lemma 4 depends only on kappa. The
other penalties have no such formula, because they count points or centres, or draw a sign for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import users_code
from radprog.base.types import FloatArray
from radprog.models.complexity import all_signs, fixed_point, massart, psd_spectrum
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import OwnKernel, OwnText, Penalty, Polynomial, read_only, user_objects

UNWEIGHED = ("local", "massart", "montecarlo")
LARGEST_SPECTRUM = 6000  # points up to which all eigenvalues are computed
ENUMERATED_POINTS = 16  # up to which all sign vectors are enumerated
SUMS_AT_ONCE = 2**23  # numbers held at once while sign vectors are correlated with kernels: 64 MiB
OWN_PENALTY = (
    "the error bounds assume that the given penalties bound the complexities of the kernels, which "
    "is not checked"
)
INDIFFERENT = (
    "the trace penalty is the same for all kernels, as their diagonals are: it does not tell them "
    "apart; 'massart', 'montecarlo' or 'local' would"
)
UNLIKE_UNITS = (
    "kernel {} has K(x, x) up to {:.3g}: the fixed point r = psi(r) compares units of K^2 with "
    "units of K, so it depends on the kernel's scale; it is meant for kernels with K(x, x) = 1"
)


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """The penalties r (p,) in kernel units, with standard errors (p,) of Monte Carlo means.

    ``local_radius`` (p,) contains the radii of local penalties. If ``sampled`` is True, r are means
    over drawn sign vectors, not over all.
    """

    r: FloatArray
    standard_error: FloatArray | None = None
    local_radius: FloatArray | None = None
    warnings: tuple[str, ...] = ()
    sampled: bool = False


def kernel_penalties(
    bank: KernelBank,
    method: str | Penalty | Sequence[float],
    *,
    local_r: str | float | None = None,
    trials: int | None = None,
    seed: int = 0,
    weights: FloatArray | None = None,
) -> Penalties:
    """The penalties by one of several methods.

    ``method`` is ``trace`` (Lemma 3), ``poly`` (Lemma 4), ``massart``, ``montecarlo``, ``local`` or
    ``none``. Otherwise it is a sequence of numbers r (p,), or a string that refers to the user's
    function of K_k (m, c). Only ``trace``, ``poly``, ``none`` and numbers allow ``weights`` (m,) of
    the rows. Raises OptionError for an undefined penalty.
    """
    p = bank.shape[0]
    alike = isinstance(method, str) and (method in UNWEIGHED or isinstance(method, OwnText))
    if weights is not None and alike:
        raise OptionError(
            f"complexity '{method}' needs rows without weights, and these have weights: expected "
            "trace, poly, none or numbers"
        )
    # the user's own
    if not isinstance(method, str) or isinstance(method, OwnText):
        return Penalties(r=_user_penalties(bank, method), warnings=(OWN_PENALTY,))
    if method == "none":
        return Penalties(r=np.zeros(p))
    if method == "montecarlo":
        # enumerated or sampled: a run says where the sample is too small
        values, errors = rademacher_complexities(bank.correlate, bank.shape, trials, seed)
        worst = float((errors / np.maximum(values, np.finfo(float).tiny)).max())
        noisy = (
            f"the Monte Carlo penalties have a standard error of {worst:.1%} of their value: "
            "give more trials",
        )
        # a standard error above 1 % of a penalty is worth a warning
        notes = noisy if worst > 0.01 else ()
        drawn = bool(errors.any())
        return Penalties(r=values, standard_error=errors, warnings=notes, sampled=drawn)
    if method == "massart":
        norms = bank.column_norms
        return Penalties(r=np.array([massart(norms[k], bank.shape[1]) for k in range(p)]))
    if method not in ("trace", "poly", "local"):
        raise OptionError(f"unknown complexity '{method}'")
    if method == "local" and bank.shape[1] > LARGEST_SPECTRUM:
        raise OptionError(
            f"the local penalty needs all eigenvalues of a {bank.shape[1]} x {bank.shape[1]} "
            f"matrix: at most {LARGEST_SPECTRUM} points, or 'trace', 'massart', 'montecarlo'"
        )
    # one kernel after another, from its radius; the local penalty at a radius r of its own, which
    # is given or its fixed point
    r, radii, warnings = np.empty(p), np.empty(p), list[str]()
    for k, kernel in enumerate(bank.kernels):
        try:
            if method == "poly" and not isinstance(kernel, Polynomial):
                raise OptionError("Lemma 4 ('poly') holds for polynomial kernels only")
            kappa = _radius(bank, k)
            if method == "trace":
                r[k] = trace_penalty(kernel.diagonal(bank.X), kappa, weights)
            elif method == "local":
                spectrum = psd_spectrum(kernel(bank.X, bank.X))
                automatic = local_r in (None, "auto")
                radii[k] = local_fixed_point(spectrum, kappa) if automatic else float(str(local_r))
                r[k] = local_penalty(spectrum, kappa, radii[k])
                # how far K(x, x) may be from 1 where the radius is found
                if automatic and abs(kappa - 1.0) > 1e-6:
                    warnings.append(UNLIKE_UNITS.format(kernel.name, kappa**2))
            else:
                assert isinstance(kernel, Polynomial)
                r[k] = pseudo_dimension_penalty(kappa, bank.X.shape[1], kernel.degree)
        except OptionError as error:
            advice = "" if "massart" in str(error) else ": use 'massart' or 'montecarlo'"
            raise OptionError(f"kernel {kernel.name}: {error}{advice}") from None
    # equal diagonals make equal trace penalties, up to a relative distance
    if method == "trace" and p > 1 and float(np.ptp(r)) <= 1e-9 * float(r.max()):
        warnings.append(INDIFFERENT)
    local_radius = radii if method == "local" else None
    return Penalties(r=r, local_radius=local_radius, warnings=tuple(warnings))


def _user_penalties(bank: KernelBank, method: str | Penalty | Sequence[float]) -> FloatArray:
    """The user's penalties (p,)."""
    p = bank.shape[0]
    if not isinstance(method, str) and isinstance(method, Sequence):
        if len(method) != p:
            raise OptionError(f"complexity: {len(method)} penalties given for {p} kernels")
        return np.array(method, dtype=np.float64)
    (function,) = user_objects(method).values()
    values = np.empty(p)
    for k, kernel in enumerate(bank.kernels):
        gram = read_only(bank.gram(k))
        with users_code(f"complexity of kernel {kernel.name}", OptionError):
            values[k] = function(gram)
        if not (np.isfinite(values[k]) and values[k] >= 0):
            raise OptionError(
                f"complexity of kernel {kernel.name} is {values[k]}: expected a finite number >= 0"
            )
    return values


def _radius(bank: KernelBank, k: int) -> float:
    """The radius kappa over the points and the centres, or from a given bound.

    A matrix must be symmetric positive semidefinite to have a radius.
    """
    kernel = bank.kernels[k]
    # a kernel that need not be PSD is tested on these points
    diagonals = [kernel.diagonal(bank.X)]
    if not kernel.psd:
        if kernel.base == "edit":
            return kernel_radius(*diagonals)
        psd_spectrum(kernel(bank.X, bank.X) if kernel.base == "own" else bank.gram(k))
    if not bank.own_centres:
        diagonals.append(kernel.diagonal(bank.centres))
    # a bound that the user gave for the whole input space is larger
    radius = kernel_radius(*diagonals)
    if not isinstance(kernel, OwnKernel) or kernel.bound is None:
        return radius
    # two evaluations of one kernel may differ by a relative 1e-9
    if radius**2 > kernel.bound * (1.0 + 1e-9):
        raise OptionError(
            f"K(x, x) is {radius**2:g} at a point, above the bound {kernel.bound:g} that was given"
        )
    return max(radius, math.sqrt(kernel.bound))


def kernel_radius(*diagonals: FloatArray) -> float:
    """The radius kappa = sqrt(max K(x, x)) over the points of the given diagonals.

    The papers define kappa by the supremum over the input space. This supremum is infinite for a
    polynomial kernel on an unbounded space. Pass the diagonals of the sample and of other centres,
    because Lemma 3 does not hold for a centre with a larger K(x', x'). Raises OptionError for a
    negative entry, or if all entries are zero.
    """
    values = np.concatenate(diagonals)
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


def trace_penalty(diagonal: FloatArray, radius: float, weights: FloatArray | None = None) -> float:
    """The penalty r = kappa sqrt(Tr K) / m, an upper bound on the empirical Rademacher complexity.

    Source: Voted Kernel Regularization (Cortes et al.), Lemma 3. The kernel must be symmetric
    positive semidefinite. The function does not check this. ``diagonal`` (m,) is K(x_i, x_i), and
    ``radius`` is kappa. With ``weights`` w (m,) and W = sum_i w_i, r = kappa sqrt(sum_i w_i K(x_i,
    x_i)) / W, the penalty of the sample with w_i copies of each point.
    """
    w = np.ones(len(diagonal)) if weights is None else weights
    return radius * math.sqrt(float(w @ diagonal)) / float(w.sum())


def pseudo_dimension_penalty(radius: float, features: int, degree: int) -> float:
    """The penalty r = kappa^2 sqrt(d_k): Lemma 4 without its factor 12 sqrt(pi/m).

    Source: Voted Kernel Regularization (Cortes et al.), (3) and the end of section 5.3. For N
    ``features`` and ``degree`` k, d_k = C(N + k, k) is the dimension of the feature space of
    (x'z + 1)^k. It bounds the pseudo-dimension of H_k from above. ``radius`` is kappa. Use the
    value only to compare kernels for the same m; it is not the bound of Lemma 4. It is at least the
    bound of Lemma 3, because Tr K <= m kappa^2 and d_k >= 1.
    """
    return radius**2 * math.sqrt(math.comb(features + degree, degree))


def lemma_4_factor(m: int) -> float:
    """The factor 12 sqrt(pi / m) between :func:`pseudo_dimension_penalty` and Lemma 4."""
    return 12.0 * math.sqrt(math.pi / m)


def rademacher_complexities(
    correlate: Callable[[FloatArray], FloatArray],
    shape: tuple[int, int, int],
    trials: int | None = None,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """The complexities (1/m) E max_j |sum_i sigma_i K_k(x_i, x'_j)| (p,), with standard errors.

    All p families have the same sign vectors. The values are lower bounds on the complexities of
    the families H_k, in which x' is any point. ``correlate`` maps V (m, T) to the sums
    sum_i V_it K_k(x_i, x'_j) (p, c, T). ``shape`` is (p, m, c). For few points, all sign vectors
    are enumerated up to a common sign. For more points, ``trials`` sign vectors are drawn, by
    default 2,000.
    """
    families, m, centres = shape
    enumerated = m <= ENUMERATED_POINTS
    # the first half of all sign vectors: the others are their negatives
    drawn = np.empty((trials or 2000, 0))
    half = all_signs(m, "rademacher")[: 2 ** (m - 1)] if enumerated else drawn
    generator, count = np.random.default_rng(seed), len(half)
    size = max(1, SUMS_AT_ONCE // (families * centres + m))
    suprema = np.empty((families, count))
    for start in range(0, count, size):
        signs = half[start : start + size]
        if not enumerated:
            signs = np.where(generator.random((len(signs), m)) < 0.5, -1.0, 1.0)
        sums = correlate(signs.T)
        largest = np.maximum(sums.max(axis=1), -sums.min(axis=1))
        suprema[:, start : start + size] = largest / m
    errors = np.zeros(families) if enumerated else suprema.std(axis=1, ddof=1) / math.sqrt(count)
    return suprema.mean(axis=1), errors


def local_penalty(eigenvalues: FloatArray, radius: float, r: float) -> float:
    """The penalty sqrt((2/m) sum_j min(r, kappa^2 lambda_j)).

    It bounds the complexity of {h in H_k: mean h^2 <= r}, with the mean over the sample. Source:
    Voted Kernel Regularization (Cortes et al.), section 5.3, for the unit ball. H_k is in the ball
    of radius kappa, hence kappa^2. ``eigenvalues`` are all m of K/m, nonnegative
    (``psd_spectrum``). r > 0 is in units of K^2; infinity gives sqrt(2) times Lemma 3.
    """
    capped = np.minimum(r, radius**2 * eigenvalues)
    return math.sqrt(2 * float(capped.sum()) / len(eigenvalues))


def local_lower_penalty(eigenvalues: FloatArray, radius: float, r: float) -> float:
    """The lower bound sqrt((1/m) sum_j min(r, kappa^2 lambda_j)) on the local complexity.

    It holds up to an unspecified absolute constant c. Source: Voted Kernel Regularization (Cortes
    et al.), section 5.3, with the min and the root that the printed formula omits. The upper bound
    is sqrt(2) times larger, so the two bounds agree up to a constant.
    """
    return local_penalty(eigenvalues, radius, r) / math.sqrt(2.0)


def local_fixed_point(eigenvalues: FloatArray, radius: float) -> float:
    """The positive solution of r = psi(r) = sqrt((2/m) sum_j min(r, kappa^2 lambda_j)).

    The solution is unique, because psi(r)/r is continuous and decreases strictly from infinity to
    0. For a zero spectrum it is 0. The equation equates units of K^2 with units of K, so r does not
    scale with the kernel.
    """
    return fixed_point(lambda r: local_penalty(eigenvalues, radius, r))
