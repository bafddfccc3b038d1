"""Columns of an infinite family: Gaussian kernels of any width at any centre.

The paper's base functions K_k(., x') have centres x' anywhere, and its Section 5.2 has infinitely
many kernels. At a dual point the reduced cost of exp(-gamma |. - x'|^2) is a smooth function of
gamma and x', which is not concave: its largest value is searched from many starts, a heuristic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.models.kernels import parse_kernels

ANY = "any:"
STARTS, START_WIDTHS = 12, 7  # of the search: best columns of the sample's centres and these widths


@dataclass(frozen=True, kw_only=True)
class AnyGaussian:
    """The kernels exp(-gamma |x - x'|^2), low <= gamma <= high, x' in the box of the rows."""

    name: str
    low: float
    high: float


def parse_any(text: str) -> AnyGaussian:
    """``any:rbf:LOW..HIGH``; OptionError for another family, or fewer than two widths."""
    kernels = parse_kernels(text.removeprefix(ANY))
    widths = [getattr(kernel, "gamma", 0.0) for kernel in kernels if kernel.base == "squared"]
    if len(widths) != len(kernels) or len(kernels) < 2:
        raise OptionError(f"{text}: expected any:rbf:LOW..HIGH, Gaussian kernels alone")
    return AnyGaussian(name=text, low=min(widths), high=max(widths))


def largest_correlation(
    family: AnyGaussian, X: FloatArray, v: FloatArray
) -> tuple[float, float, FloatArray]:
    """The largest |sum_i v_i exp(-gamma |x_i - x'|^2)| that a search meets, with its gamma and x'.

    X: rows (m, N); v: pricing vector (m,). A lower bound of the supremum.
    """
    from scipy.optimize import minimize  # slow to import
    from scipy.spatial.distance import cdist

    box = np.column_stack([X.min(axis=0), X.max(axis=0)])
    ends = math.log(family.low), math.log(family.high)

    def negated(point: FloatArray, sign: float) -> tuple[float, FloatArray]:
        """-sign times the correlation at (log gamma, x'), and its gradient."""
        gamma, offsets = math.exp(point[0]), X - point[1:]
        squares = np.einsum("ij,ij->i", offsets, offsets)
        terms = sign * v * np.exp(-gamma * squares)
        slope = np.concatenate([[-gamma * (terms @ squares)], 2.0 * gamma * (terms @ offsets)])
        return -float(terms.sum()), -slope

    # starts: the best columns at the rows themselves, over a grid of widths
    squares = cdist(X, X, "sqeuclidean")
    candidates: list[tuple[float, float, float, int]] = []
    for gamma in np.geomspace(family.low, family.high, START_WIDTHS).tolist():
        poll()
        values = (v @ np.exp(-gamma * squares)).tolist()
        order = np.argsort(-np.abs(values))[:STARTS].tolist()
        candidates += [(abs(values[j]), math.copysign(1.0, values[j]), gamma, j) for j in order]
    candidates.sort(reverse=True)
    best = candidates[0][0], candidates[0][2], X[candidates[0][3]]
    # ascent from each, within the box and the interval of widths
    for _, sign, gamma, j in candidates[:STARTS]:
        poll()
        found = minimize(
            negated,
            np.concatenate([[math.log(gamma)], X[j]]),
            args=(sign,),
            jac=True,
            method="L-BFGS-B",
            bounds=[ends, *box.tolist()],
        )
        if -found.fun > best[0]:
            best = -float(found.fun), math.exp(found.x[0]), found.x[1:]
    return best


def correlation_ceiling(v: FloatArray) -> float:
    """At least every |sum_i v_i K(x_i, x')| for kernels with values in [0, 1]: the larger of the
    sums of the positive and of the negative entries of v (m,)."""
    return float(max(v[v > 0].sum(), -v[v < 0].sum()))
