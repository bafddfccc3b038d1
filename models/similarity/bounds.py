"""Generalisation bounds of kernel and similarity classifiers, as printed and as corrected.

Source: discriminative similarity for clustering and semi-supervised learning, Lemmas 1 and 3 and
Theorems 1, 2, 3 and 6. ``printed`` follows the letter. Corrections: the empirical complexity is at
most its bound on every sample, so that no deviation of it is left (Lemmas 1 and 3, Theorem 1); the
range of h_S is R (B+ + B-), not R^2 times (Theorem 3); the margin is the one against the best other
class, since the sum over classes is larger than their maximum only where scores are >= 0 (Theorem
3); int r^2, a factor 2 and one term are missing, and a probability is misprinted (Theorem 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.models.bounds import Bound, check_delta

LARGEST_LOG = 700.0  # of a float

_CHOSEN_LABELS = (
    "holds for one labelling fixed before the sample; labels chosen among c^n on the same sample "
    "have no guarantee: a criterion, no certificate"
)
_FITTED_SIZE = "B is that of the fit, while the theorem fixes it in advance"
_SQUARE_INTEGRAL = (
    "of ISE less int r^2, the integrated square of the difference of the classes' weighted "
    "densities, which no data show: the estimate 0 has the value 0"
)
_FITTED_WIDTH = "the bandwidth may be chosen from the data, while the theorem fixes it in advance"
_SAMPLE_SPLIT = "R and B are of the sample's eigenvalue split, not of the integral operator's"


def ramp(t: FloatArray) -> FloatArray:
    """Phi (9): 1 below 0, 1 - t on [0, 1], 0 above."""
    return np.asarray(np.clip(1.0 - t, 0.0, 1.0))


def margins(scores: FloatArray, codes: IntArray, *, summed: bool) -> FloatArray:
    """h(x_i, y_i) less the sum, or the largest, of the other classes' scores (n, c); (n,).

    One class alone has margin h(x_i, y_i).
    """
    rows = np.arange(len(codes))
    own = scores[rows, codes]
    if summed:
        return np.asarray(2.0 * own - scores.sum(axis=1))
    if scores.shape[1] == 1:
        return np.asarray(own)
    others = scores.copy()
    others[rows, codes] = -np.inf
    return np.asarray(own - others.max(axis=1))


def empirical_bound(scores: FloatArray, codes: IntArray, gamma: float = 1.0) -> float:
    """The right side of (10) and (24): an upper bound of the empirical error, equal to it where
    every margin against the sum lies in [0, gamma].

    1 - sum_ij (a_i + a_j) s_ij / (2 n gamma) + 2 sum_{i<j} (a_i + a_j) s_ij diff_ij / (n gamma) is
    1 - mean margin / gamma, with scores h(x_i, y) = sum_j a_j s_ij [y_j = y] (n, c).
    """
    return 1.0 - float(margins(scores, codes, summed=True).mean()) / gamma


def lemma_1(n: int, c: int, B: float, delta: float, *, printed: bool = False) -> float:
    """(4): a bound of the Rademacher complexity of the margins; printed with its deviation term."""
    _check(delta, n, c)
    lead = (2 * c - 1) * c * B / math.sqrt(n)
    if not printed:
        return lead
    return lead + math.sqrt(2.0) * B * c * (2 * c - 1) * math.sqrt(math.log(2 / delta) / (2 * n))


def lemma_3(
    n: int, c: int, B: tuple[float, float], R: float, delta: float, *, printed: bool = False
) -> float:
    """(22): the same for S = S+ - S-, B = (B+, B-), R^2 >= S+(x, x), S-(x, x)."""
    _check(delta, n, c)
    lead = R * (2 * c - 1) * c * sum(B) / math.sqrt(n)
    if not printed:
        return lead
    return lead + 2 * c * (2 * c - 1) * sum(B) * R**2 * math.sqrt(math.log(2 / delta) / (2 * n))


def kernel_bound(
    scores: FloatArray,
    codes: IntArray,
    B: float,
    delta: float,
    *,
    gamma: float = 1.0,
    printed: bool = False,
) -> Bound:
    """Theorem 1: the error of the kernel classifier from its scores h(x_i, y) (n, c), B^2 = Omega.

    corrected: R_hat + 8 (2c - 1) c B / (gamma sqrt n) + sqrt(log(2/delta) / (2n)); printed: (5).
    Raises OptionError for delta outside (0, 1) or gamma <= 0.
    """
    n, c = scores.shape
    _check(delta, n, c)
    _check_gamma(gamma)
    error = float(ramp(margins(scores, codes, summed=True) / gamma).mean())
    terms = {"empirical_error": error, "complexity": 8 / gamma * lemma_1(n, c, B, delta)}
    if printed:
        factor = 8 * math.sqrt(2.0) * B * c * (2 * c - 1) / gamma + 1.0
        terms["confidence"] = factor * math.sqrt(math.log(4 / delta) / (2 * n))
    else:
        terms["confidence"] = math.sqrt(math.log(2 / delta) / (2 * n))
    parameters = {
        "n": n, "c": c, "B": B, "gamma": gamma, "delta": delta,
        "lemma_1": lemma_1(n, c, B, delta), "(10)": empirical_bound(scores, codes, gamma),
    }  # fmt: skip
    return _bound("Theorem 1", printed, terms, (_CHOSEN_LABELS, _FITTED_SIZE), parameters)


def similarity_bound(
    scores: FloatArray,
    codes: IntArray,
    B: tuple[float, float],
    R: float,
    delta: float,
    *,
    gamma: float = 1.0,
    printed: bool = False,
) -> Bound:
    """Theorem 3: the same for a general similarity, B = (B+, B-), R^2 >= S+(x, x), S-(x, x).

    With B- = 0 and R = 1 its leading terms are those of Theorem 1. Corrected: the margin against
    the best other class, and no deviation of the complexity.
    """
    n, c = scores.shape
    _check(delta, n, c)
    _check_gamma(gamma)
    error = float(ramp(margins(scores, codes, summed=printed) / gamma).mean())
    terms = {"empirical_error": error, "complexity": 8 / gamma * lemma_3(n, c, B, R, delta)}
    if printed:
        factor = 16 * c * (2 * c - 1) * sum(B) * R**2 / gamma + 1.0
        terms["confidence"] = factor * math.sqrt(math.log(4 / delta) / (2 * n))
    else:
        terms["confidence"] = math.sqrt(math.log(2 / delta) / (2 * n))
    parameters = {
        "n": n, "c": c, "B_plus": B[0], "B_minus": B[1], "R": R, "gamma": gamma, "delta": delta,
        "lemma_3": lemma_3(n, c, B, R, delta), "(24)": empirical_bound(scores, codes, gamma),
    }  # fmt: skip
    caveats = (_CHOSEN_LABELS, _FITTED_SIZE, _SAMPLE_SPLIT)
    return _bound("Theorem 3", printed, terms, caveats, parameters)


def machine_bound(
    margin: FloatArray,
    diagonals: tuple[FloatArray, FloatArray],
    B: tuple[float, float],
    delta: float,
    *,
    gamma: float = 1.0,
    printed: bool = False,
) -> Bound:
    """Theorem 6: the error of a Similarity Machine f from its margins y_i f(x_i) (n,).

    phi-error + 4 / (n gamma) (B1 sqrt(sum s+(x_i, x_i)) + B2 sqrt(sum s-(x_i, x_i)))
    + (8 r / gamma + 1) sqrt(log(4/delta) / (2n)); diagonals: of S+ and S-, (n,) each. r is the
    range (B1 + B2) R of f, taken to be at most 1 as printed.
    """
    n = len(margin)
    _check(delta, n, 2)
    _check_gamma(gamma)
    peak = math.sqrt(max(float(part.max(initial=0.0)) for part in diagonals))
    reach = 1.0 if printed else max(1.0, sum(B) * peak)
    spread = sum(b * math.sqrt(float(part.sum())) for b, part in zip(B, diagonals, strict=True))
    terms = {
        "empirical_error": float(ramp(margin / gamma).mean()),
        "complexity": 4 * spread / (n * gamma),
        "confidence": (8 * reach / gamma + 1.0) * math.sqrt(math.log(4 / delta) / (2 * n)),
    }
    parameters = {
        "n": n, "B1": B[0], "B2": B[1], "range": sum(B) * peak, "gamma": gamma, "delta": delta,
    }  # fmt: skip
    return _bound("Theorem 6", printed, terms, (_FITTED_SIZE, _SAMPLE_SPLIT), parameters)


def density_bound(
    K: FloatArray,
    wide: FloatArray,
    a: FloatArray,
    codes: IntArray,
    bandwidth: float,
    dimension: int,
    delta: float,
    *,
    printed: bool = False,
) -> Bound:
    """Theorem 2 for two classes: K = K_h, wide = K_{sqrt(2) h} (n, n), codes 0 and 1.

    corrected: ISE - int r^2 <= (tau0/n) ISE_hat + tau1 K(a) + 2 tau0 (2/n + 2 epsilon), with
    probability at least 1 - 4 n exp(-2 (n-1) epsilon^2) = 1 - delta; printed: 1/(n-1) + epsilon in
    the last bracket, no int r^2, and a larger probability. int r^2 is the error of the estimate 0,
    so that a value >= 0 says nothing. tau0 and tau1 are given by their logarithms: the value is
    infinite where they leave the range of floats.
    """
    if not (bandwidth > 0 and dimension >= 1):
        raise OptionError("the bandwidth and the dimension must be positive")
    n = len(a)
    _check(delta, n, 2)
    if n < 2:
        raise OptionError("Theorem 2 needs at least two points")
    epsilon = math.sqrt(math.log(4 * n / delta) / (2 * (n - 1)))
    sign = np.where(codes == codes.min(initial=0), 1.0, -1.0)
    ise_hat = -2.0 * float((a * sign) @ (K @ sign))
    norm = float((a * sign) @ (wide @ (a * sign)))
    log_tau0 = -dimension * (0.5 * math.log(2 * math.pi) + math.log(bandwidth))
    log_tau1 = log_tau0 - 0.5 * dimension * math.log(2.0)
    share = 1 / (n - 1) + epsilon if printed else 2 / n + 2 * epsilon
    summands = {
        "ise_hat": ise_hat / n,
        "norm": norm * 2.0 ** (-dimension / 2),
        "sampling": 2 * share,
    }
    tau0 = math.exp(log_tau0) if log_tau0 < LARGEST_LOG else math.inf
    miss = delta
    if printed:
        miss = 2 * float((sign < 0).sum()) * math.exp(-2 * (n - 1) * epsilon**2)
        miss += 2 * n * math.exp(-2 * n * epsilon**2)
    return Bound(
        name="Theorem 2, as printed" if printed else "Theorem 2",
        value=tau0 * sum(summands.values()),
        terms={name: tau0 * part for name, part in summands.items()},
        caveats=(_SQUARE_INTEGRAL, _CHOSEN_LABELS, _FITTED_WIDTH),
        parameters={
            "n": n, "h": bandwidth, "d": dimension, "epsilon": epsilon, "delta": delta,
            "probability": 1.0 - miss, "log_tau0": log_tau0, "log_tau1": log_tau1,
            "ise_hat": ise_hat, "K": norm,
        },
        trivial=0.0,
    )  # fmt: skip


def _check(delta: float, n: int, c: int) -> None:
    check_delta(delta)
    if n < 1 or c < 1:
        raise OptionError("a bound needs at least one point and one class")


def _check_gamma(gamma: float) -> None:
    if not gamma > 0:
        raise OptionError(f"gamma {gamma:g}: expected a number > 0")


def _bound(
    name: str,
    printed: bool,
    terms: Mapping[str, float],
    caveats: tuple[str, ...],
    parameters: Mapping[str, float],
) -> Bound:
    return Bound(
        name=f"{name}, as printed" if printed else name,
        value=sum(terms.values()),
        terms=terms,
        caveats=caveats,
        parameters=parameters,
    )
