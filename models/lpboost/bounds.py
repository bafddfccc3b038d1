"""A generalisation bound with computable terms for ensembles of kernelized shapelets.

The source is Theorem 1 of Boosting the kernelized shapelets (Suehiro et al.). Three corrections
were necessary. Lemma 2 needs log(2/delta) with an empirical complexity. The constant of Lemma 1 is
sqrt(pi/2). Lemma 3 as printed is false for few cells: for one cell and orthonormal features its
bound is smaller than the complexity itself. Gaussian concentration gives R Lambda (1 + sqrt(2 ln
|Theta|)) / sqrt(m) instead. Only the bisectors of two patterns of one series can separate cells.

Theorem 1 (iii) cannot improve the bound for a ball over a Gaussian kernel. Images of distinct
patterns are linearly independent there, so u may have any values on them. Every mapping of series
to patterns therefore comes from some u, and |Theta| is Q^m itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import gammaln, logsumexp

from radprog.base.errors import OptionError
from radprog.base.tolerances import ON_MARGIN
from radprog.base.types import FloatArray
from radprog.models.bounds import DELTA, Bound, check_delta

RHO_FITTED = (
    "the margin rho was chosen by the fit, while the theorem fixes it in advance: a term of order "
    "sqrt(log log(2/rho) / m) is left out"
)
SAMPLE_RADIUS = "R is the largest norm of a known pattern, the theorem needs one over all patterns"
SAMPLE_SIGMA = "sigma is chosen by the patterns of the sample: so the class depends on it"
NO_GEOMETRY = (
    "for a ball of combinations |Theta| <= Q^m, which is no less where the images of patterns are "
    "linearly independent, as those of a Gaussian kernel are: the bound does not fall with m"
)


def log_cells(m: int, Q: int, length: int) -> Mapping[str, float]:
    """Upper bounds on ln |Theta| for a shapelet of ``length`` l and m series of Q patterns.

    |Theta| is the number of ways in which one shapelet can select a pattern in each series. The
    bounds are the logarithms of these numbers:

    - naive: Q^m
    - all_pairs: the number sum_{k <= l} C(N, k) of cells of R^l between the bisectors of all N =
      mQ(mQ-1)/2 pairs of patterns, as in the proof
    - within_series: the same number for the N = m Q(Q-1)/2 pairs of patterns of one series
    """
    n = m * Q
    return {
        "naive": m * math.log(Q),
        "all_pairs": _log_cells_of(n * (n - 1) // 2, length),
        "within_series": _log_cells_of(m * (Q * (Q - 1) // 2), length),
    }


def _log_cells_of(hyperplanes: int, dimension: int) -> float:
    """ln sum_{k <= dimension} C(hyperplanes, k)."""
    k = np.arange(min(hyperplanes, dimension) + 1, dtype=np.float64)
    N = float(hyperplanes)
    return float(logsumexp(gammaln(N + 1) - gammaln(k + 1) - gammaln(N - k + 1)))


def gaussian_complexity(radius: float, R: float, log_theta: float, m: int) -> float:
    """The bound R Lambda (1 + sqrt(2 ln |Theta|)) / sqrt(m), where ``radius`` is Lambda.

    It is an upper bound on the empirical Gaussian complexity of {h_u: |u| <= Lambda}.
    """
    return radius * R * (1.0 + math.sqrt(2.0 * log_theta)) / math.sqrt(m)


def shapelet_bound(
    margins: FloatArray,
    rho: float,
    sizes: Sequence[tuple[int, int]],
    *,
    radius: float,
    R: float,
    delta: float = DELTA,
    single: bool = True,
    lacking: tuple[str, ...] = (SAMPLE_RADIUS,),
) -> Bound:
    """The bound error <= margin loss + (2/rho) sqrt(pi/2) G + 3 sqrt(ln(2/delta) / (2m)).

    ``margins`` (m,) are y_i g(x_i), and rho > 0. ``sizes`` has (Q, l) for each length of patterns;
    the numbers of cells of all lengths are added. R is an upper bound on |Phi(z)|. ``single`` means
    that hypotheses are single shapelets and their negatives, or linear in the pattern. In this case
    ln |Theta| is the smaller of ``naive`` and ``within_series`` of :func:`log_cells`. In all other
    cases only Q^m is valid. ``lacking`` contains the caveats about the kernel. Raises OptionError
    for rho <= 0 or delta outside (0, 1).
    """
    if not rho > 0:
        raise OptionError(f"rho {rho:g}: the bound needs a positive margin")
    check_delta(delta)
    m = len(margins)
    # cells of all lengths add up; the closure under negation shares them
    cells = [log_cells(m, Q, length) for Q, length in sizes]
    proved = ("naive", "within_series") if single else ("naive",)
    log_theta = float(logsumexp([min(counts[name] for name in proved) for counts in cells]))
    G = gaussian_complexity(radius, R, log_theta, m)
    # Theorem 1: margin loss, complexity, confidence
    terms = {
        "margin_error": float(np.mean(margins < rho * (1.0 - ON_MARGIN))),
        "complexity": 2.0 / rho * math.sqrt(math.pi / 2.0) * G,
        "confidence": 3.0 * math.sqrt(math.log(2.0 / delta) / (2.0 * m)),
    }
    candidates = {
        f"log_theta_{name}": float(logsumexp([counts[name] for counts in cells]))
        for name in cells[0]
    }
    return Bound.summed(
        "margin bound of shapelet ensembles",
        terms,
        caveats=(RHO_FITTED, *lacking, *(() if single else (NO_GEOMETRY,))),
        parameters={
            "m": m,
            "delta": delta,
            "rho": rho,
            "R": R,
            "radius": radius,
            "log_theta": log_theta,
            "gaussian_complexity": G,
            **candidates,
        },
    )
