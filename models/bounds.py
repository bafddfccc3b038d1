"""The common form of all theorems' bounds, the exact binomial limit, and the compression bound.

The compression bound is an error bound without test data, from the number of support points.
Source: Campi and Garatti, Compression, Generalization and Learning, JMLR 24 (2023), Theorem 7.
docs/explanation/theory.md has the conditions and the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Data, Points
from radprog.models.kernels import RBF, KernelFunction

DELTA = 0.05  # probability that a bound fails, where none is given
DELTA_HELP = "probability that an error bound fails; divide it by the number of fits in a grid"
WEIGHED = "rows have weights, and the bound needs rows without weights: leave them out"
UNSEEN = (
    "an estimator does not see what steps before it, such as a scaling in a pipeline, or a choice "
    "of settings took from these rows: rp.fit states the bound, of data as they are given"
)
BY_ESTIMATOR = "by_estimator"  # the key of a result that says so
SCALES = "`scale='unit'` or none"
LEVELS = (
    "the levels of text columns come from the whole sample, and a new level has no feature: "
    "fit rp.PickToLearn to a pipeline that encodes these columns; or make columns of 0 and 1 for "
    "levels fixed in advance"
)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound with its parts.

    - value: the bound on an error probability, an excess risk or a complexity.
    - terms: the summands of the value, if it is a sum.
    - caveats: conditions of the theorem that data cannot verify, and omitted terms.
    - parameters: the quantities in the formula.
    - trivial: the smallest vacuous value.
    """

    name: str
    value: float
    terms: Mapping[str, float] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    trivial: float = 1.0

    @staticmethod
    def summed(name: str, terms: Mapping[str, float], **fields: Any) -> Bound:
        """A bound whose value is the sum of its terms."""
        return Bound(name=name, value=sum(terms.values()), terms=terms, **fields)

    def to_dict(self) -> dict[str, Any]:
        """The bound as JSON values, with ``vacuous``: whether it is at least ``trivial``."""
        return {
            "name": self.name,
            "value": self.value,
            "terms": dict(self.terms),
            "vacuous": not self.value < self.trivial,
            "caveats": self.caveats,
            "parameters": dict(self.parameters),
        }


def ramp(t: FloatArray) -> FloatArray:
    """The ramp function: 1 for t < 0, 1 - t on [0, 1], and 0 for t > 1."""
    return np.asarray(np.clip(1.0 - t, 0.0, 1.0))


def trace_bound(
    name: str,
    margin: FloatArray,
    parts: Sequence[tuple[float, FloatArray]],
    delta: float,
    *,
    caveats: tuple[str, ...] = (),
) -> Bound:
    """A bound on the error of f = sum_p w_p'phi_p, |w_p| <= B_p, from margins y_i f(x_i) (n,).

    The bound is the mean of ramp(margin)
    + 4 / n sum_p B_p sqrt(sum_i k_p(x_i, x_i))
    + (8 r + 1) sqrt(log(4/delta) / (2n)), of the theorem with gamma = 1.

    ``parts`` contains B_p and the diagonal (n,) of each kernel. Here r = max(1, R sum_p B_p), where
    R^2 is the largest diagonal entry of all kernels. For one kernel this is Theorem 21 of P. L.
    Bartlett and S. Mendelson, Rademacher and Gaussian Complexities (2002).
    """
    check_delta(delta)
    # traces of the parts bound the empirical complexity; the range of f scales the deviation
    n, total = len(margin), sum(B for B, _ in parts)
    spread = sum(B * math.sqrt(float(diagonal.sum())) for B, diagonal in parts)
    reach = total * math.sqrt(max(float(diagonal.max(initial=0.0)) for _, diagonal in parts))
    deviation = math.sqrt(math.log(4 / delta) / (2 * n))
    terms = {
        "empirical_error": float(ramp(margin).mean()),
        "complexity": 4 * spread / n,
        "confidence": (8 * max(1.0, reach) + 1.0) * deviation,
    }
    norms = {f"B{p + 1}" if len(parts) > 1 else "B": B for p, (B, _) in enumerate(parts)}
    parameters = {"n": n, **norms, "range": reach, "gamma": 1.0, "delta": delta}
    return Bound.summed(name, terms, caveats=caveats, parameters=parameters)


FITTED_SIZE = "B is that of the fit, while the theorem fixes it in advance"


def check_delta(delta: float) -> None:
    """Raise OptionError unless delta lies strictly between 0 and 1."""
    if not 0 < delta < 1:
        raise OptionError(f"delta {delta:g}: expected a probability strictly between 0 and 1")


def binomial_upper(errors: int, n: int, delta: float) -> float:
    """The exact upper limit of the error probability after ``errors`` errors on n test points.

    The test points are independent. The limit is the largest q with P(Binomial(n, q) <= errors) >=
    delta (Clopper and Pearson, one-sided). It is the (1 - delta) quantile of Beta(errors + 1,
    n - errors), or 1 if errors = n. Raises OptionError for n = 0, errors outside 0..n or delta
    outside (0, 1).
    """
    check_delta(delta)
    if n < 1 or not 0 <= errors <= n:
        raise OptionError(
            f"{errors} errors among {n} test points: expected 0 <= errors <= n, n > 0"
        )
    # a quantile of a beta distribution: Clopper and Pearson
    from scipy.special import betainccinv  # slow to import

    return 1.0 if errors == n else float(betainccinv(errors + 1, n - errors, delta))


def about_error(row: Mapping[str, Any]) -> bool:
    """Whether plain values of a bound are about an error, and not the complexity of a class."""
    return not str(row["name"]).startswith(("complexity", "fixed point"))


def compression_bound(points: int, size: int, delta: float) -> float:
    """The bound eps_k on the probability that a new point changes the compression.

    The bound holds with probability 1 - delta over the sample. It is the root eps in (0, 1) of
        (delta/N) sum_{m=k}^{N-1} [C(m,k) / C(N,k)] (1 - eps)^{-(N-m)} = 1,
    rounded up to the next float at which the sum reaches 1. N = points, k = size, and eps_N = 1.
    Raises OptionError for N = 0, a size outside 0..N or delta outside (0, 1).
    """
    check_delta(delta)
    if points < 1 or not 0 <= size <= points:
        raise OptionError(
            f"compression to {size} of {points} points: expected 0 <= size <= points, points > 0"
        )
    if size == points:
        return 1.0
    # the sum by logarithms: its terms leave the range of floats
    j = np.arange(points, size, -1, dtype=np.float64)
    logs = -np.cumsum(np.log(j / (j - size)))  # C(m,k) / C(N,k) for m = N - 1 down to k
    removed = np.arange(1, points - size + 1)  # N - m
    # bisection of eps, down to neighbouring floats
    low, high = 0.0, 1.0
    for _ in range(200):  # of the interval of eps_k, more than floats between 0 and 1 need
        middle = (low + high) / 2
        if not low < middle < high:
            break
        terms = logs - removed * np.log1p(-middle)
        total = terms.max() + np.log(np.exp(terms - terms.max()).sum())
        low, high = (middle, high) if total < np.log(points / delta) else (low, middle)
    return high


def compression_block(
    points: int, delta: float, size: int | None, refused: str | None
) -> dict[str, Any]:
    """The ``compression`` block of a result: a compression to ``size`` of ``points`` training
    points, with its bound on the error probability (:func:`compression_bound`).

    If there is no compression, ``refused`` lists the violated conditions of the theorem, each with
    an option that would satisfy it.
    """
    bound = None if size is None else compression_bound(points, size, delta)
    return {"points": points, "size": size, "delta": delta, "bound": bound, "refused": refused}


def withhold(extra: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """A copy of ``extra`` in which the ``reason`` replaces all compression bounds."""
    blocks = dict(extra)
    block = blocks.get("compression")
    if block is not None:
        blocks["compression"] = {**block, "size": None, "bound": None, "refused": reason}
    # one-vs-rest: every class has a block of its own
    if "machines" in blocks:
        blocks["machines"] = [withhold(entry, reason) for entry in blocks["machines"]]
    return blocks


def by_estimator(result: Mapping[str, Any]) -> bool:
    """Whether an estimator produced the result; such a result has no compression bound."""
    return result.get(BY_ESTIMATOR) is True


def moved_by_sample(
    data: Data, kernels: Iterable[KernelFunction] = (), scales: str = SCALES
) -> str | None:
    """The reasons why a row of the program depends on several rows of the file, or None.

    One is a kernel whose width is computed from the sample. ``scales`` names the scalings to use
    instead.
    """
    fitted = [kernel.name for kernel in kernels if isinstance(kernel, RBF) and kernel.scaled]
    reasons = (
        f"the width of {fitted[0]} is taken from the sample: give a number" if fitted else None,
        None if data.weights is None else WEIGHED,
        LEVELS if isinstance(data, Points) and data.levels else None,
        f"scale '{data.scaling}' is fitted on the sample: use {scales}, after "
        "dividing features of large numbers by fixed ones"
        if data.scaling not in ("none", "unit")
        else None,
        "missing cells are filled with means of the sample: use `missing='drop'`"
        if data.scaler is not None and data.scaler.fill is not None
        else None,
    )
    return "; ".join(filter(None, reasons)) or None


def places(X: Any) -> IntArray:
    """The index (n,) of the first row equal to each row of X (n, d), or to each string of X (n,).

    Numbers are first rounded to multiples of 1e-12 times the largest number.
    """
    # a grid of that width, on which equal points meet
    if X.dtype.kind == "f" and X.size:
        # points are one if their rows agree to 1e-12 of the largest number
        X = np.round(X / (1e-12 * max(float(np.abs(X).max()), 1 / np.finfo(float).max)))
        X = X + 0.0  # not -0
    _, indices, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return np.asarray(indices[inverse.reshape(-1)], dtype=np.intp)


def compression_size(
    margins: FloatArray, level: float, place: IntArray, used_places: IntArray, slack: float
) -> int:
    """The size k of the compression.

    k is the number of points with margin <= level + slack, plus one for each used place without
    such a point. ``margins`` is (n,), and ``place`` (n,) contains the place of each point; equal
    points are at the same place. ``used_places`` contains the places of the columns of the
    solution.
    """
    inside = margins <= level + slack
    return int(inside.sum()) + len(np.setdiff1d(used_places, place[inside]))


def only_solution(columns: FloatArray, y: FloatArray) -> FloatArray | None:
    """The least-squares solution alpha (r,) of ``columns`` alpha = y, for columns (q, r); None if
    the columns are linearly dependent.
    """
    q, r = columns.shape
    if q < r:
        return None
    sizes = np.linalg.norm(columns, axis=0)
    if not sizes.all():
        return None
    # columns of length 1, whose condition says whether they depend on each other
    Q, R = np.linalg.qr(columns / sizes)
    # condition from which columns depend on each other
    if not np.linalg.cond(R, 1) < 1e10:
        return None
    return np.asarray(np.linalg.solve(R, Q.T @ y) / sizes)
