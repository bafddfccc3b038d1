"""Constraints of one's own on voted kernels: a first point that keeps them, or why there is none,
and what a unit of each is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from radprog.decompositions.conflicts import solve_feasible
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.pricing import Incumbent, Warm
from radprog.models.score_rows import constraint_values
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.programs import build_feasible
from radprog.solvers.rescale import Scaling, largest_entries


def first_columns(problem: VotedKernels, settings: RunSettings, budget: Budget) -> Warm | None:
    """Columns and coefficients that keep the constraints; None where alpha = 0 does.

    The restricted master over them has a point, so that its dual, which is what is solved, is
    bounded. Raises SettingError with an irreducible conflict where nothing keeps the constraints,
    OutOfBudget, or SolverError where no solver can tell.
    """
    if problem.rows.met(np.zeros(problem.m)):
        return None
    from radprog.solvers.compile import compile_model  # loads pyomo

    # the cheapest coefficients that keep the constraints, in units in which entries are 1 at most
    program, pairs = compile_model(build_feasible(problem)), problem.all_pairs
    columns = largest_entries(program.rows, axis=0)
    rows = largest_entries(program.rows @ sparse.diags_array(1.0 / columns), axis=1)
    units = Scaling(columns, 1.0 / rows, 1.0)
    names = (*problem.rows.names, *problem.caps.names)
    x = solve_feasible(program, units, names, settings, budget)
    alpha = x[: len(pairs)] - x[len(pairs) :]
    used = np.flatnonzero(alpha)
    return Warm(pairs[used], alpha=alpha[used])


def joint(warm: Warm | None, needed: Warm | None) -> Warm | None:
    """The columns of both, with the coefficients of those that are needed."""
    if warm is None or needed is None or needed.alpha is None:
        return warm or needed
    needed_pairs = set(map(tuple, needed.pairs.tolist()))
    more = [pair for pair in warm.pairs.tolist() if tuple(pair) not in needed_pairs]
    pairs = np.concatenate([needed.pairs, np.array(more, dtype=np.intp).reshape(-1, 2)])
    return Warm(pairs, alpha=np.append(needed.alpha, np.zeros(len(more))))


def constraint_block(problem: VotedKernels, incumbent: Incumbent) -> dict[str, Any]:
    """What a result says of its constraints at a certified incumbent; nothing without any."""
    rows, caps = problem.rows, problem.caps
    if not (len(rows) or len(caps)):
        return {}
    _, mu, nu = problem.split(incumbent.d)
    sums = caps.sums(incumbent.pairs[:, 0], incumbent.alpha)
    values = np.concatenate([rows.G @ incumbent.scores, sums])
    bounds, prices = np.concatenate([rows.h, caps.limits]), np.concatenate([mu, nu])
    return {"constraints": constraint_values((*rows.of, *caps.names), values, bounds, prices)}
