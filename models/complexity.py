"""Rademacher complexities of the classes of the other models, from what their pricing computes.

One oracle, one complexity: (1/m) E_sigma sup_h sum_i sigma_i h(x_i) needs the supremum over the
class, and that is what a pricing problem solves, with the signs in place of the weighted labels.
For kernel families K(., x') of VKR see :func:`radprog.models.complexity.rademacher_complexities`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.models.complexity import ENUMERABLE, psd_spectrum
from radprog.models.regression.problem import all_signs, check_kind, draw_signs, standard_error

Suprema = Callable[[FloatArray], FloatArray]

BLOCK = 64  # sign vectors at once, between which an estimate may be ended


@dataclass(frozen=True, kw_only=True)
class ClassComplexity:
    """(1/m) E sup sum sigma_i h(x_i): ``exact`` suprema, or each one a value from below.

    standard_error is 0 and trials all sign vectors where they were enumerated.
    """

    value: float
    standard_error: float
    trials: int
    exact: bool


def class_complexity(
    suprema: Suprema,
    m: int,
    *,
    trials: int | None = 100,
    seed: int = 0,
    kind: str = "rademacher",
    exact: bool = True,
    stop: Callable[[int, int], bool] = lambda done, total: False,
) -> ClassComplexity | None:
    """Mean of suprema((T, m) signs) -> (T,) over random sign vectors, or all (trials None).

    exact: whether the oracle solves its problem to optimality. The sign vectors are those of
    :func:`radprog.models.regression.problem.draw_signs`, the same for every class.
    stop(done, total) is asked after every block of them: the mean is then over those done, None
    where fewer than two random ones, or not all of an enumeration, are.
    """
    if trials is None:
        check_kind(kind, m)
        if m > ENUMERABLE:
            raise OptionError(f"{m} points have 2^{m} sign vectors: at most {ENUMERABLE} points")
        signs = all_signs(m, kind)
    else:
        signs = draw_signs(m, trials, seed, kind)
    blocks = []
    size = BLOCK if exact else 1
    for start in range(0, len(signs), size):
        blocks.append(np.asarray(suprema(signs[start : start + size]), dtype=np.float64) / m)
        if stop(sum(map(len, blocks)), len(signs)):
            break
    values = np.concatenate(blocks)
    if len(values) < (len(signs) if trials is None else 2):
        return None
    error = 0.0 if trials is None else standard_error(values)
    return ClassComplexity(
        value=float(values.mean()), standard_error=error, trials=len(values), exact=exact
    )


def finite_suprema(features: FloatArray, *, both_signs: bool = False) -> Suprema:
    """The class of the columns of ``features`` (m, p), h_j(x_i) = features_ij: LPBoost's shapelet
    class with one column per candidate pattern; ``both_signs``: and their negatives. Exact."""
    if features.ndim != 2 or 0 in features.shape:
        raise OptionError(f"features of shape {features.shape}: expected (points, hypotheses)")

    def suprema(signs: FloatArray) -> FloatArray:
        sums = signs @ features
        return np.asarray((np.abs(sums) if both_signs else sums).max(axis=1))

    return suprema


def oracle_suprema(oracle: Callable[[FloatArray], float]) -> Suprema:
    """A pricing oracle sigma (m,) -> the largest sum_i sigma_i h(x_i) it finds; where it searches
    locally (balls of l1 or of an RKHS over patterns) the complexity is one from below."""
    return lambda signs: np.array([oracle(sigma) for sigma in signs], dtype=np.float64)


def kernel_suprema(grams: FloatArray, support: Callable[[FloatArray], float]) -> Suprema:
    """{x -> w'phi_mu(x): |w| <= 1, mu in a set}: sup_h sum sigma_i h(x_i) = sqrt(support(q)) with
    q_m = sigma'K_m sigma (M,) and support(q) = max <q, mu> over the set. grams (M, m, m)."""

    def suprema(signs: FloatArray) -> FloatArray:
        energies = np.array([np.einsum("ti,ti->t", signs @ K, signs) for K in grams]).T
        return np.sqrt([support(np.maximum(q, 0.0)) for q in energies])

    return suprema


def mkl_suprema(grams: FloatArray, tails: FloatArray, radius: float = 1.0) -> Suprema:
    """The class of learned kernels: {x -> w'phi_mu(x): |w|^2 <= radius^2, sum_m mu_m T(K_m) <= 1}.

    sup_h sum sigma_i h(x_i) = radius max_mu sqrt(sigma' K_mu sigma), and the maximum of a linear
    function of mu is at one kernel: radius sqrt(max_m sigma' K_m sigma / T(K_m)); exact.
    The set T(K_mu) <= 1 of ``dc`` has the same complexity: T, a sum of smallest eigenvalues, is
    concave and homogeneous, so sum mu_m T(K_m) <= T(K_mu) and the set lies in that of ``conv``,
    whose vertices e_m / T(K_m) it contains; and the maximum is at a vertex.
    grams (M, m, m) positive semidefinite, tails T(K_m) > 0 (M,).
    """
    if grams.ndim != 3 or tails.shape != (len(grams),):
        raise OptionError(f"grams {grams.shape} and tails {tails.shape}: expected (M, m, m), (M,)")
    if not (np.isfinite(tails).all() and tails.min() > 0 and radius >= 0):
        raise OptionError("a class of kernels needs tail sums > 0 and a radius >= 0")
    for K in grams:
        psd_spectrum(K)

    return kernel_suprema(grams, lambda q: radius**2 * float((q / tails).max()))
