"""The generalisation bound of ensembles of kernelized shapelets, as far as it can be computed.

Source: Boosting the kernelized shapelets (Suehiro et al.), Theorem 1, with its slips mended:
Lemma 2 needs log(2/delta) with an empirical complexity; Lemma 1's constant is sqrt(pi/2); Lemma 3
as printed fails for few cells (for one cell and orthonormal features its bound is smaller than the
complexity itself), and Gaussian concentration gives R Lambda (1 + sqrt(2 ln |Theta|)) / sqrt(m)
instead. Only pairs of patterns of one series border two cells.
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
NO_GEOMETRY = (
    "for a ball of combinations only |Theta| <= Q^m is computable (the margin mu* is not), and the "
    "bound then does not fall with m"
)


def log_cells(m: int, Q: int, length: int) -> Mapping[str, float]:
    """Upper bounds of ln |Theta|: in how many ways one shapelet of ``length`` numbers can pick a
    pattern in each of m series with Q.

    naive: Q^m. printed: (m Q)^(2 l) (Theorem 2, up to its constant). all_pairs, within_series:
    the cells that the bisectors of N pairs of patterns make of R^l, sum_{k <= l} C(N, k), with
    N = mQ(mQ-1)/2, as in the proof, or the m Q(Q-1)/2 that can be borders.
    """
    n = m * Q
    return {
        "naive": m * math.log(Q),
        "printed": 2.0 * length * math.log(n),
        "all_pairs": _log_cells_of(n * (n - 1) // 2, length),
        "within_series": _log_cells_of(m * (Q * (Q - 1) // 2), length),
    }


def _log_cells_of(hyperplanes: int, dimension: int) -> float:
    """ln sum_{k <= dimension} C(hyperplanes, k)."""
    k = np.arange(min(hyperplanes, dimension) + 1, dtype=np.float64)
    N = float(hyperplanes)
    return float(logsumexp(gammaln(N + 1) - gammaln(k + 1) - gammaln(N - k + 1)))


def gaussian_complexity(radius: float, R: float, log_theta: float, m: int) -> float:
    """R Lambda (1 + sqrt(2 ln |Theta|)) / sqrt(m), a bound of the empirical Gaussian complexity of
    {h_u: |u| <= Lambda}; ``radius`` is Lambda."""
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
) -> Bound:
    """error <= margin loss + (2/rho) sqrt(pi/2) G + 3 sqrt(ln(2/delta) / (2m)).

    margins: y_i g(x_i) (m,); rho > 0; sizes: (Q, l) per length of patterns, whose cells add up;
    R >= |Phi(z)|; single: hypotheses are single shapelets and their negatives, so that ln |Theta|
    is the least of :func:`log_cells`; otherwise only Q^m holds.
    Raises OptionError for rho <= 0 or delta outside (0, 1).
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
    return Bound(
        name="margin bound of shapelet ensembles",
        value=math.fsum(terms.values()),
        terms=terms,
        caveats=(RHO_FITTED, SAMPLE_RADIUS) if single else (RHO_FITTED, SAMPLE_RADIUS, NO_GEOMETRY),
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
