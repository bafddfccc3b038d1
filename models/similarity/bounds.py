"""Generalisation bounds of kernel and similarity classifiers, corrected.

Source: Discriminative similarity for clustering and semi-supervised learning, Lemmas 1 and 3 and
Theorems 1, 2, 3 and 6. The module corrects the following errors:

- The empirical complexity is at most its bound on every sample, so it has no deviation term (Lemmas
  1 and 3, Theorem 1).
- The range of h_S is R (B+ + B-), without the factor R^2 (Theorem 3).
- The margin is that against the best other class, because the sum over classes exceeds their
  maximum only for scores >= 0 (Theorem 3).
- int r^2, a factor 2 and one term are missing, and a probability is misprinted (Theorem 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.models.bounds import FITTED_SIZE, Bound, check_delta, ramp, trace_bound

_CHOSEN_LABELS = (
    "holds for one labelling fixed before the sample; labels chosen among c^n on the same sample "
    "have no guarantee: a criterion, no certificate"
)
_SQUARE_INTEGRAL = (
    "of ISE less int r^2, the integrated square of the difference of the classes' weighted "
    "densities, which no data show: the estimate 0 has the value 0"
)
_FITTED_WIDTH = "the bandwidth may be chosen from the data, while the theorem fixes it in advance"
_SAMPLE_SPLIT = "R and B are of the sample's eigenvalue split, not of the integral operator's"


def margins(scores: FloatArray, codes: IntArray, *, summed: bool) -> FloatArray:
    """The margins (n,) of scores (n, c) for the classes ``codes`` (n,).

    A margin is h(x_i, y_i) minus the largest score of another class, or, if ``summed``, minus the
    sum of the scores of the other classes. For a single class it is h(x_i, y_i).
    """
    rows = np.arange(len(codes))
    # against the sum of the others (1), or the best of them
    chosen = scores[rows, codes]
    if summed:
        return np.asarray(2.0 * chosen - scores.sum(axis=1))
    if scores.shape[1] == 1:
        return np.asarray(chosen)
    rivals = scores.copy()
    rivals[rows, codes] = -np.inf
    return np.asarray(chosen - rivals.max(axis=1))


def empirical_bound(scores: FloatArray, codes: IntArray, gamma: float = 1.0) -> float:
    """The right side of (10) and (24), an upper bound on the empirical error.

    The bound is the error itself if every summed margin is in [0, gamma]. The printed right side
    1 - sum_ij (a_i + a_j) s_ij / (2 n gamma) + 2 sum_{i<j} (a_i + a_j) s_ij diff_ij / (n gamma) is
    1 - mean margin / gamma, with scores h(x_i, y) = sum_j a_j s_ij [y_j = y] (n, c).
    """
    return 1.0 - float(margins(scores, codes, summed=True).mean()) / gamma


def lemma_1(n: int, c: int, B: float) -> float:
    """The bound (4) on the Rademacher complexity of the margins."""
    return (2 * c - 1) * c * B / math.sqrt(n)


def kernel_bound(
    scores: FloatArray, codes: IntArray, B: float, delta: float, *, gamma: float = 1.0
) -> Bound:
    """Theorem 1: a bound on the error of the kernel classifier with scores h(x_i, y) (n, c).

    The bound is R_hat + 8 (2c - 1) c B / (gamma sqrt n) + sqrt(log(2/delta) / (2n)), where
    B^2 = Omega. Raises OptionError for delta outside (0, 1) or gamma <= 0.
    """
    _check(delta, gamma)
    n, c = scores.shape
    complexity = lemma_1(n, c, B)
    parameters = {
        "n": n, "c": c, "B": B, "gamma": gamma, "delta": delta,
        "lemma_1": complexity, "(10)": empirical_bound(scores, codes, gamma),
    }  # fmt: skip
    margin, caveats = margins(scores, codes, summed=True), (_CHOSEN_LABELS, FITTED_SIZE)
    return _margin_bound("Theorem 1", margin, complexity, parameters, caveats)


def similarity_bound(
    scores: FloatArray,
    codes: IntArray,
    B: tuple[float, float],
    R: float,
    delta: float,
) -> Bound:
    """Theorem 3 with gamma = 1: the bound for a general similarity S = S+ - S-.

    B = (B+, B-), and R^2 >= S+(x, x), S-(x, x). The complexity is that of (22), R times (4). With
    B- = 0 and R = 1 the leading terms of the bound are those of Theorem 1.
    """
    _check(delta, 1.0)
    n, c = scores.shape
    complexity = R * lemma_1(n, c, sum(B))
    parameters = {
        "n": n, "c": c, "B_plus": B[0], "B_minus": B[1], "R": R, "gamma": 1.0, "delta": delta,
        "lemma_3": complexity, "(24)": empirical_bound(scores, codes),
    }  # fmt: skip
    caveats = (_CHOSEN_LABELS, FITTED_SIZE, _SAMPLE_SPLIT)
    margin = margins(scores, codes, summed=False)
    return _margin_bound("Theorem 3", margin, complexity, parameters, caveats)


def _margin_bound(
    name: str,
    margin: FloatArray,
    complexity: float,
    parameters: Mapping[str, float],
    caveats: tuple[str, ...],
) -> Bound:
    """Mean ramp of the margins (n,), complexity, and deviation of the mean."""
    gamma, delta = parameters["gamma"], parameters["delta"]
    terms = {
        "empirical_error": float(ramp(margin / gamma).mean()),
        "complexity": 8 / gamma * complexity,
        "confidence": math.sqrt(math.log(2 / delta) / (2 * len(margin))),
    }
    return Bound.summed(name, terms, caveats=caveats, parameters=parameters)


def simsvm_bound(
    margin: FloatArray,
    diagonals: tuple[FloatArray, FloatArray],
    B: tuple[float, float],
    bias: float,
    delta: float,
) -> Bound:
    """Theorem 6 with gamma = 1: a bound on the error of a Similarity Machine f with a bias.

    The bound is :func:`radprog.models.bounds.trace_bound` for S+ and S-, with margins y_i f(x_i)
    (n,) and the diagonals (n,) of both. The theorem has no bias: it is that of a third kernel, the
    constant R^2 with R^2 = max_i S+(x_i, x_i), S-(x_i, x_i), and B3 = |bias| / R.
    """
    parts, caveats = list(zip(B, diagonals, strict=True)), (FITTED_SIZE, _SAMPLE_SPLIT)
    if bias:
        constant = np.full(len(margin), float(np.max(diagonals)) or 1.0)
        parts.append((abs(bias) / math.sqrt(constant[0]), constant))
    return trace_bound("Theorem 6", margin, parts, delta, caveats=caveats)


def density_bound(
    K: FloatArray,
    wide: FloatArray,
    a: FloatArray,
    codes: IntArray,
    bandwidth: float,
    dimension: int,
    delta: float,
) -> Bound:
    """Theorem 2 for two classes: K = K_h, wide = K_{sqrt(2) h} (n, n), n >= 2, codes 0 and 1.

    The bound is ISE - int r^2 <= (tau0/n) ISE_hat + tau1 K(a) + 2 tau0 (2/n + 2 epsilon). It holds
    with probability at least 1 - 4 n exp(-2 (n-1) epsilon^2) = 1 - delta. The estimate 0 has the
    error int r^2, so a value >= 0 is vacuous. The factors tau0 and tau1 are computed from their
    logarithms. If they exceed the range of floating-point numbers, the value is not finite.
    """
    _check(delta, 1.0)
    n = len(a)
    # epsilon that makes the probability 1 - delta; ISE-hat and K(a) of the signed weights
    epsilon = math.sqrt(math.log(4 * n / delta) / (2 * (n - 1)))
    sign = np.where(codes == codes.min(initial=0), 1.0, -1.0)
    ise_hat = -2.0 * float((a * sign) @ (K @ sign))
    norm = float((a * sign) @ (wide @ (a * sign)))
    # tau0 = (2 pi)^(-d/2) h^(-d), tau1 = 2^(-d/2) tau0
    log_tau0 = -dimension * (0.5 * math.log(2 * math.pi) + math.log(bandwidth))
    log_tau1 = log_tau0 - 0.5 * dimension * math.log(2.0)
    tau0 = math.exp(log_tau0) if log_tau0 < 700.0 else math.inf  # of a float
    terms = {
        "ise_hat": tau0 * (ise_hat / n),
        "norm": tau0 * (norm * 2.0 ** (-dimension / 2)),
        "sampling": tau0 * (2 * (2 / n + 2 * epsilon)),
    }
    parameters = {
        "n": n, "h": bandwidth, "d": dimension, "epsilon": epsilon, "delta": delta,
        "probability": 1.0 - delta, "log_tau0": log_tau0, "log_tau1": log_tau1,
        "ise_hat": ise_hat, "K": norm,
    }  # fmt: skip
    caveats = (_SQUARE_INTEGRAL, _CHOSEN_LABELS, _FITTED_WIDTH)
    return Bound.summed("Theorem 2", terms, caveats=caveats, parameters=parameters, trivial=0.0)


def _check(delta: float, gamma: float) -> None:
    check_delta(delta)
    if not gamma > 0:
        raise OptionError(f"gamma {gamma:g}: expected a number > 0")
