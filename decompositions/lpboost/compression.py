"""What an ensemble of shapelets rests on, for its error bound: conditions and proof in
docs/theory.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from radprog.base.tolerances import TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray, IntArray
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

LOCAL = "learner '{}' finds local optima: use --learner shapelet"
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
    are rho where d and its copies are neither all 0 nor all 1/(nu m).
    """
    margin, place = problem.margin, places(data.X.reshape(data.rows, -1))
    singles = SingleShapelets(problem, signed=spec.learner == "shapelet")
    d = margin.feasible(d)
    scale = singles.largest or 1.0
    copies = _copies(problem, singles.tight(d, TIGHT * scale))
    tight = [group[0] for group in copies]
    rows = _between(margin.y, place, d / margin.cap)
    H = np.array([h.values for h in tight]) * margin.y / scale
    equations = np.vstack([np.append(H[:, rows], -np.ones((1, len(rows))), axis=0).T,
                           np.append(np.ones(len(tight)), 0.0)])  # fmt: skip
    alone = only_solution(equations, np.append(np.zeros(len(rows)), 1.0))
    if alone is None:
        return None, OTHER_ENSEMBLES.format(len(tight), len(rows))
    w, rho = alone[:-1], float(alone[-1])
    margins, share = w @ H, d / margin.cap
    found = weights @ np.array([h.values for h in chosen]) * margin.y / scale
    met = (
        np.abs(margins - found).max() <= VERTEX_RESIDUAL
        and margins[share < 1.0 - TIGHT].min(initial=rho) >= rho - VERTEX_RESIDUAL
        and margins[share > TIGHT].max(initial=rho) <= rho + VERTEX_RESIDUAL
        and w.min() >= -TIGHT
    )
    if not met:
        return None, NO_VERTEX
    if rho <= VERTEX_RESIDUAL:
        return None, NO_MARGIN.format(rho * scale)
    inside = set(place[margins <= rho + VERTEX_RESIDUAL].tolist())
    used = _providers(data, problem, place, copies, inside)
    return rests_on(margins, rho, place, used, VERTEX_RESIDUAL), None


def _copies(problem: Shapelets, tight: Sequence[Hypothesis]) -> list[list[Hypothesis]]:
    """Hypotheses of the same pattern together."""
    found: dict[tuple[int, float, int], list[Hypothesis]] = {}
    for f, family in enumerate(problem.families):
        own = [h for h in tight if h.family == f]
        if own:
            same = places(family.stacked[[int(h.patterns[0]) for h in own]])
            for h, first in zip(own, same.tolist(), strict=True):
                found.setdefault((f, h.sign, first), []).append(h)
    return list(found.values())


def _between(y: FloatArray, place: IntArray, share: FloatArray) -> IntArray:
    """A row (q,) of every kind of equal ones whose shares of the cap are not all 0 nor all 1."""
    kinds, first, kind, copies = np.unique(
        np.stack([place, y.astype(np.intp)]),
        axis=1, return_index=True, return_inverse=True, return_counts=True,
    )  # fmt: skip
    total = np.zeros(kinds.shape[1])
    np.add.at(total, kind.reshape(-1), share)
    return np.asarray(first[(total > TIGHT) & (total < copies - TIGHT)], dtype=np.intp)


def _providers(
    data: Bags,
    problem: Shapelets,
    place: IntArray,
    copies: Sequence[Sequence[Hypothesis]],
    inside: set[int],
) -> IntArray:
    """The place that keeps each pattern: of series that hold it one inside, else the least in the
    order of their numbers."""
    found = set()
    for group in copies:
        series = [int(h.patterns[0]) // (problem.families[h.family].n // problem.m) for h in group]
        least = min(series, key=lambda i: tuple(data.X[i].ravel().tolist()))
        kept = [int(place[i]) for i in series if int(place[i]) in inside]
        found.add(kept[0] if kept else int(place[least]))
    return np.array(sorted(found), dtype=np.intp)
