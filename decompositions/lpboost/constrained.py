"""Constraints of one's own on boosted shapelets: a first ensemble that keeps them, or why there is
none, and what a unit of each is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.conflicts import solve_feasible
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets
from radprog.decompositions.lpboost.weak_learners import SingleShapelets
from radprog.decompositions.run import RunSettings
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_feasible
from radprog.models.score_rows import constraint_values
from radprog.solvers.rescale import Scaling, largest_entries


def first_ensemble(
    problem: Shapelets,
    singles: SingleShapelets,
    best: Hypothesis,
    settings: RunSettings,
    budget: Budget,
) -> tuple[list[Hypothesis], FloatArray]:
    """Shapelets with weights (T,) that keep the constraints; ``best`` alone where it does, or with
    its negative, where there are negatives and h >= 0.

    The restricted master over them has a point, so that its dual, which is what is solved, is
    bounded. Raises SettingError with an irreducible conflict where nothing keeps the constraints,
    OutOfBudget, OptionError where the patterns are too many to be written out, or SolverError where
    no solver can tell.
    """
    rows = problem.margin.rows
    # the best shapelet, or half of it and half of its negative, which is the score 0
    if rows.met(best.values):
        return [best], np.ones(1)
    if singles.signed and rows.met(np.zeros(problem.m)):
        negative = problem.single(best.family, int(best.patterns[0]), -best.sign)
        return [best, negative], np.full(2, 0.5)
    # a point over all shapelets; those with weight are looked up by length and place
    every = every_shapelet(problem, signed=singles.signed)
    w = _solve_feasible(every, problem.margin, settings, budget)
    used = np.flatnonzero(w > SUPPORT * w.max())
    sizes = [family.n for family in problem.families]
    ends, n = np.cumsum(sizes), sum(sizes)
    chosen = []
    for t in used.tolist():
        f = int(np.searchsorted(ends, t % n, side="right"))
        chosen.append(problem.single(f, t % n - int(ends[f] - sizes[f]), -1.0 if t >= n else 1.0))
    return chosen, w[used] / w[used].sum()


def every_shapelet(problem: Shapelets, *, signed: bool) -> FloatArray:
    """Values (T, m) of every shapelet, and of the negatives after them where these count.
    OptionError where they are too many to be written out."""
    H = np.concatenate([family.features for family in problem.families])
    return np.concatenate([H, -H]) if signed else H


def _solve_feasible(
    H: FloatArray, margin: SoftMargin, settings: RunSettings, budget: Budget
) -> FloatArray:
    """Weights (T,) of an ensemble that keeps the constraints."""
    from radprog.solvers.compile import compile_model  # loads pyomo

    # rows and objective of size 1
    program = compile_model(build_feasible(H, margin))
    rows, cost = largest_entries(program.rows, axis=1), float(np.abs(program.cost).max()) or 1.0
    units = Scaling(np.ones(len(H)), 1.0 / rows, 1.0 / cost)
    names = margin.rows.names
    return np.maximum(
        solve_feasible(program, units, names, settings, budget, "ensemble keeps"), 0.0
    )


def constraint_block(margin: SoftMargin, scores: FloatArray, z: FloatArray) -> dict[str, Any]:
    """What a result says of its constraints at scores g (m,) and a feasible dual point z; nothing
    where it has none."""
    rows = margin.rows
    if not len(rows):
        return {}
    mu = z[margin.m :]
    return {"constraints": constraint_values(rows.of, rows.G @ scores, rows.h, mu)}
