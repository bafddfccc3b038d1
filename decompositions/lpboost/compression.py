"""What an ensemble of shapelets rests on, for its error bound: conditions and proof in
docs/explanation/theory.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from radprog.base.tolerances import TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets
from radprog.decompositions.lpboost.weak_learners import SingleShapelets
from radprog.instances.bags import Bags
from radprog.models.compression import (
    WEIGHED,
    Compression,
    only_solution,
    places,
    rests_on,
)
from radprog.models.lpboost.settings import LPBoost
from radprog.models.score_rows import OWN_ROWS_REFUSED

LOCAL = "learner '{}' searches a ball, which the theorem does not cover: use --learner shapelet"
SAMPLED_SIGMA = "sigma is chosen from the sample's patterns: give --sigma a number"
NO_VERTEX = (
    "the ensemble is not an exact vertex of the program: let it end by itself (a larger "
    "--time-limit or --max-iter, a smaller --tol)"
)
OTHER_ENSEMBLES = (
    "other ensembles may be as good: {} shapelets are tight, {} margins are rho whatever the "
    "ensemble; another --nu or --length"
)
NO_MARGIN = (
    "rho = {:.3g} is no positive margin, so that an error need not be below it: another --nu"
)


def lpboost_compression(
    spec: LPBoost,
    data: Bags,
    problem: Shapelets,
    chosen: Sequence[Hypothesis],
    weights: FloatArray,
    d: FloatArray,
) -> Compression:
    """Rows of margin at most rho and series of used patterns, or why there is no bound."""
    # reasons that need no computation first
    size, refused = None, None
    if data.weights is not None:
        refused = WEIGHED
    elif spec.constraints:
        refused = OWN_ROWS_REFUSED
    elif not spec.exact:
        refused = LOCAL.format(spec.learner)
    elif spec.pattern_kernel == "gauss" and spec.fixed_sigma is None:
        refused = SAMPLED_SIGMA
    else:
        size, refused = _size(spec, data, problem, chosen, weights, d)
    return Compression(points=data.rows, size=size, delta=spec.delta, refused=refused)


def _size(
    spec: LPBoost,
    data: Bags,
    problem: Shapelets,
    chosen: Sequence[Hypothesis],
    weights: FloatArray,
    d: FloatArray,
) -> tuple[int, None] | tuple[None, str]:
    """k where the optimum (w, rho) is shown to be the only one, else why not.

    Every optimal w is 0 on shapelets whose edge at the optimal d is below the largest, and margins
    are rho where d is neither 0 nor 1/(nu m). A pattern that two series have is two shapelets, of
    which one or the other may have the weight: then there is no bound.
    """
    margin, place = problem.margin, places(data.X.reshape(data.rows, -1))
    # shapelets that may have weight, and rows whose margin is rho whatever the ensemble
    singles = SingleShapelets(problem, signed=spec.learner == "shapelet")
    d = margin.feasible(d)
    scale = singles.largest or 1.0
    tight, share = singles.tight(d, TIGHT * scale), d / margin.cap
    rows = np.flatnonzero((share > TIGHT) & (share < 1.0 - TIGHT))
    # their margins are rho and the weights sum to 1: is there but one solution?
    H = np.array([h.values for h in tight]) * margin.y / scale
    sums = np.append(np.ones(len(tight)), 0.0)
    equations = np.vstack([np.column_stack([H[:, rows].T, -np.ones(len(rows))]), sums])
    alone = only_solution(equations, np.append(np.zeros(len(rows)), 1.0))
    if alone is None:
        return None, OTHER_ENSEMBLES.format(len(tight), len(rows))
    # it must be the ensemble at hand, and optimal
    w, rho = alone[:-1], float(alone[-1])
    margins = w @ H
    scores = weights @ np.array([h.values for h in chosen]) * margin.y / scale
    met = (
        np.abs(margins - scores).max() <= VERTEX_RESIDUAL
        and margins[share < 1.0 - TIGHT].min(initial=rho) >= rho - VERTEX_RESIDUAL
        and margins[share > TIGHT].max(initial=rho) <= rho + VERTEX_RESIDUAL
        and w.min() >= -TIGHT
    )
    if not met:
        return None, NO_VERTEX
    if rho <= VERTEX_RESIDUAL:
        return None, NO_MARGIN.format(rho * scale)
    # the sample may leave out all but rows of margin at most rho and the series of patterns
    series = [int(h.patterns[0]) // (problem.families[h.family].n // problem.m) for h in tight]
    used = np.unique(place[series])
    return rests_on(margins, rho, place, used, VERTEX_RESIDUAL), None
