"""Constraints of one's own on voted kernels: a first point that keeps them, or why there is none,
and what a unit of each is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import SettingError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.decompositions.conflicts import POINT_PATIENCE, conflict_words
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.pricing import Incumbent, Warm
from radprog.models.score_rows import constraint_values
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.programs import build_feasible
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_program
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
    scaled = units.scaled(program)
    solver_settings = settings.for_own_solver(budget, POINT_PATIENCE)
    solution = solve_program(scaled, "highs", replace(solver_settings, tolerance=MASTER_TOLERANCE))
    if solution.status in (Status.LIMIT, Status.INTERRUPTED):
        raise OutOfBudget
    if solution.x is None:
        # an irreducible conflict proves that there are none
        names = (*problem.rows.names, *problem.caps.names)
        conflict = conflict_words(scaled, names, settings, budget)
        if conflict is None:
            raise SolverError(f"highs found no point that keeps the constraints: {solution.status}")
        raise SettingError(conflict)
    x = units.restored(solution, program).x
    assert x is not None
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
