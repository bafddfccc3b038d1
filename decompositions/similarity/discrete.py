"""The discrete problem for a small number of points, solved by a convex program for each labelling.

The problem is min J(a, y) over weights a and labellings y whose cluster sizes are in a range. For
each y, it is a convex program in a. The value at any point minus the Frank-Wolfe gap is a lower
bound on the optimum of this program.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.labelling import Clustering
from radprog.decompositions.similarity.weight_step import convex_minimum, solver_of
from radprog.instances.labels import UNKNOWN
from radprog.models.similarity.problem import DensityWeighted, Weighted, frank_wolfe_gap, indicator
from radprog.models.similarity.spectral import Embedding

MOST_LABELLINGS = 20_000


def labellings(
    n: int, c: int, sizes: tuple[int, int], known: IntArray | None = None
) -> Iterator[IntArray]:
    """All partitions (n,) of n points into c clusters with sizes in the range.

    Clusters are numbered by first appearance. If ``known`` codes (n,) are given, the result
    contains all labellings that agree with them. A code of -1 means unknown.
    """
    low, high = sizes
    codes = np.zeros(n, dtype=np.intp)
    counts = [0] * c

    def extend(i: int, used: int) -> Iterator[IntArray]:
        if i == n:
            yield codes.copy()
            return
        # point i has its class, or joins a cluster so far, or the next one
        for k in range(c if known is not None else min(used + 1, c)):
            if counts[k] == high or (known is not None and known[i] not in (k, UNKNOWN)):
                continue
            counts[k] += 1
            # prune where too few points are left for the least sizes
            missing = sum(max(low - count, 0) for count in counts)
            if missing <= n - i - 1:
                codes[i] = k
                yield from extend(i + 1, max(used, k + 1))
            counts[k] -= 1

    yield from extend(0, 0)


def enclosed(problem: Weighted, codes: IntArray, c: int, a: FloatArray) -> tuple[float, float]:
    """An upper bound on J of a labelling at weights a (n,), and a lower bound on its minimum.

    For a labelling, J = a'Qa + b'a is convex. Its minimum is therefore at least J - (g'a - min
    g's), where g is the gradient. If |s| is positive semidefinite, both bounds hold in exact
    arithmetic for the given similarities. The weights must sum to 1 up to rounding errors. The
    error of a floating-point evaluation is at most k 2^-53 times the sum of the absolute terms,
    with k = 8 n + 64. Let B_i = 3 sum_j |s_ij| bound the terms of b. The sum is then a'|Q|a + B'a
    for J, G_i = 2 (|Q|a)_i + B_i for g_i, and G'a + 2 max G for the gap.
    """
    # J and the sum of the sizes of its terms
    Q, b = _quadratic(problem, codes, c)
    product, sizes = Q @ a, np.abs(Q) @ a
    B = 3.0 * np.abs(problem.s).sum(axis=1)
    rounding = (8 * problem.n + 64) * UNIT_ROUNDOFF
    value, loss = float(a @ product + b @ a), rounding * float(a @ sizes + B @ a)
    # the Frank-Wolfe gap, and what rounding may have taken from it
    slopes = 2.0 * sizes + B
    doubt = rounding * float(slopes @ a + 2.0 * slopes.max())
    gap = frank_wolfe_gap(2.0 * product + b, a, problem.upper)
    return value + loss, value - gap - loss - doubt


def _quadratic(problem: Weighted, codes: IntArray, c: int) -> tuple[FloatArray, FloatArray]:
    if isinstance(problem, DensityWeighted):
        return problem.quadratic(np.where(codes == 0, -1.0, 1.0)[:, None])
    return problem.quadratic(indicator(codes, c))


def stored_pair(
    problem: Weighted,
    codes: IntArray,
    c: int,
    a: FloatArray,
    sizes: tuple[int, int],
    points: FloatArray | None,
    known: IntArray | None = None,
) -> tuple[float, float | None]:
    """The value J of a stored labelling at weights a (n,), and the smallest bound over all
    labellings.

    The bounds are computed at ``points`` (count, n), in the order of :func:`labellings`. If
    ``count`` is not the number of labellings, the bound is None.
    """
    value, every = enclosed(problem, codes, c, a)[0], list(labellings(problem.n, c, sizes, known))
    if points is None or len(every) != len(points):
        return value, None
    pairs = zip(every, points, strict=True)
    return value, min(enclosed(problem, one, c, at)[1] for one, at in pairs)


def enumerate_labellings(
    problem: Weighted,
    c: int,
    sizes: tuple[int, int],
    settings: RunSettings,
    budget: Budget,
    known: IntArray | None = None,
) -> Clustering:
    """The best labelling, found by a convex program for each labelling. It has a bound if all
    programs were solved.

    Raises OptionError if there is no labelling, or if there are too many.
    """
    # the labellings, few enough
    n = problem.n
    every = list(islice(labellings(n, c, sizes, known), MOST_LABELLINGS + 1))
    if len(every) > MOST_LABELLINGS:
        raise OptionError(
            f"method exact: more than {MOST_LABELLINGS} labellings of {n} points into {c} "
            f"{'clusters' if known is None else 'classes'}: use method alternate"
        )
    if not every:
        raise OptionError(
            f"no labelling of {n} points into {c} clusters of {sizes[0]} to {sizes[1]}"
        )
    best: tuple[float, IntArray, FloatArray] | None = None
    bound, points, reason = np.inf, [], Reason.TOLERANCE
    for codes in every:
        # the best weights of this labelling, their value, and a bound of it
        try:
            a = convex_minimum(*_quadratic(problem, codes, c), problem.upper, budget, settings)
            value, low = enclosed(problem, codes, c, a)
        except OutOfBudget:
            if best is None:
                raise
            reason = budget.reason
            break
        points.append(a)
        bound = min(bound, low)
        if best is None or value < best[0]:
            best = value, codes, a
    assert best is not None
    complete = reason is Reason.TOLERANCE
    return Clustering(
        a=best[2],
        embedding=Embedding(indicator(best[1], c), np.empty(0)),
        codes=best[1],
        objective=best[0],
        bound=bound if complete else None,
        reason=reason,
        trace=None,
        solver=solver_of(settings),
        evidence={"kind": "discrete", **({"labellings": np.array(points)} if complete else {})},
    )
