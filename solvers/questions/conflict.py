"""Infeasible programs: an irreducible set of conditions that cannot hold together.

A condition is one side of a row, one bound of a column, or the integrality of a column. By Farkas'
lemma a linear program is infeasible if and only if another program, its alternative, is feasible.
For conditions a'x >= b, a point of the alternative has weights y >= 0 with sum y a = 0 and
sum y b = 1. The conditions with nonzero weights at a vertex are an irreducible conflict (Gleeson
and Ryan 1990). If the relaxation is feasible, or this method fails, a deletion filter removes
conditions one by one as long as the others are infeasible (Chinneck 2008). The filter starts from
the conditions with nonzero weights, if there are any.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError, UnfinishedError
from radprog.base.types import FloatArray
from radprog.solvers.claims import divided_row, elastic
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import solver

PATIENCE = 60.0  # seconds of one integer program: without bounds it might never end


@dataclass(frozen=True, order=True)
class Condition:
    """One side ("lower" or "upper") of row or column ``index``, or "integer" of a column.

    ``part`` is "row" or "column".
    """

    part: str
    index: int
    side: str

    def bound(self, program: Program) -> float:
        """The bound in the condition, which must be a side."""
        lower, upper = (
            (program.row_lower, program.row_upper)
            if self.part == "row"
            else (program.lower, program.upper)
        )
        return float((lower if self.side == "lower" else upper)[self.index])


@dataclass(frozen=True)
class Conflict:
    """Conditions that cannot hold together.

    - irreducible: whether all other conditions can hold if any single condition is removed; False
      if a limit ended the tests.
    - weights: a number >= 0 for each condition. The weighted sum of the conditions is 0 >= 1, up to
      ``residual``. None if there is no such proof, for example with integers or a quadratic part.
    - found_by: "alternative", "divisibility" or "deletion". After a deletion without weights, the
      conflict is only the claim of a solver. Feasible points prove that it is irreducible.
    """

    conditions: tuple[Condition, ...]
    irreducible: bool
    weights: FloatArray | None
    residual: float | None
    found_by: str


def least_repair(
    program: Program, settings: SolveSettings, kept: Sequence[int] = ()
) -> tuple[list[tuple[Condition, float]], bool] | None:
    """The moves of sides of rows that make an infeasible program feasible, with the least sum.

    min sum s + sum t  s.t.  lower - s <= A x <= upper + t,  s, t >= 0,  x as before

    The rows ``kept`` do not move. Returns each side with its amount, in the units of its row, and
    whether multipliers prove that no smaller sum does; otherwise the sum is the end of a search
    with integers. Returns None for quadratic rows, at a limit, or if bounds, integers of columns
    and kept rows contradict each other.
    """
    if program.quadratic_rows:
        return None
    m, n = program.rows.shape
    integer = np.append(program.integer, np.zeros(2 * m, dtype=np.bool_))
    moving = replace(elastic(program), integer=integer)
    for start in (n, n + m):
        moving.upper[start + np.array(kept, dtype=np.intp)] = 0.0
    answer = solver("highs").solve(moving, replace(settings, solver_options={}, log=None))
    if answer.x is None or answer.status is not Status.OPTIMAL:
        return None
    # a move below this share of the row's size is the solver's tolerance
    ends = np.concatenate([program.row_lower, program.row_upper])
    size = np.maximum(1.0, np.abs(np.where(np.isfinite(ends), ends, 0.0)))
    moves = [
        (Condition("row", j % m, "lower" if j < m else "upper"), float(answer.x[n + j]))
        for j in np.flatnonzero(answer.x[n:] > 1e-7 * size).tolist()
    ]
    return (moves, answer.proved_by != "solver") if moves else None


def find_conflict(program: Program, settings: SolveSettings | None = None) -> Conflict | None:
    """An irreducible conflict of an infeasible program; None if it is feasible.

    ``settings.time_limit`` is the limit of the whole search. Raises UnfinishedError if the limit is
    reached before feasibility is decided, and SolverError if no solver can decide it.
    """
    search = _ConflictSearch(program, settings or SolveSettings())
    # where a filter starts: bounds that cross, or the conditions with a weight in the relaxation
    everything = start = conditions_of(program)
    crossing = np.flatnonzero(program.lower > program.upper)
    if crossing.size:
        start = [Condition("column", int(crossing[0]), side) for side in ("lower", "upper")]
    elif (weighted := _alternative_vertex(program, everything, search.settings)) is not None:
        start, weights, residual = weighted
        # a vertex of the alternative: its weights are unique, and no condition can go
        if _has_unique_weights(program, start):
            return Conflict(tuple(start), True, weights, residual, found_by="alternative")
    # a row that no integers satisfy: both sides, without which it can hold, and its integers
    if (row := divided_row(program)) is not None:
        m = program.row_lower.size
        part, index = ("row", row) if row < m else ("column", row - m)
        columns = np.flatnonzero(program.rows[[row]].toarray()[0]).tolist() if row < m else [index]
        sides = [Condition(part, index, side) for side in ("lower", "upper")]
        integers = [Condition("column", j, "integer") for j in columns]
        return Conflict((*sides, *integers), True, None, None, found_by="divisibility")
    verdict = search.infeasible(everything)
    # a deletion is undecided after ten times the seconds of the whole program, at least 0.5 s
    search.patience = max(0.5, min(PATIENCE, 10.0 * search.seconds))
    if verdict is None:
        raise UnfinishedError("the time was too short to tell whether the program is infeasible")
    if not verdict:
        return None
    conditions, irreducible = search.reduced(start if search.removable(start) else everything)
    proof = _proof(program, conditions)
    return Conflict(tuple(conditions), irreducible, *proof, found_by="deletion")


def _alternative_vertex(
    program: Program, conditions: list[Condition], settings: SolveSettings
) -> tuple[list[Condition], FloatArray, float] | None:
    """The conditions with a weight at a vertex of the alternative, in order, the weights and their
    residual; None without weights.
    """
    while True:  # remove conditions whose weight is only rounding
        weights, residual = _proof(program, conditions, settings)
        if weights is None or residual is None:
            return None
        heavy = np.flatnonzero(weights).tolist()
        share = weights[heavy] * _scaled_conditions(program, [conditions[k] for k in heavy])[2]
        # conditions of next to no weight do not count
        heavy = [k for k, part in zip(heavy, share, strict=True) if part > 1e-9 * share.max()]
        if len(heavy) == len(conditions):
            order = sorted(heavy, key=conditions.__getitem__)
            return [conditions[k] for k in order], weights[order], residual
        conditions = [conditions[k] for k in heavy]


def _has_unique_weights(program: Program, conditions: Sequence[Condition]) -> bool:
    """Whether all weights with sum y a = 0 are multiples of one vector, by singular values.

    A conflict of fewer conditions would have other weights.
    """
    A, _, size = _scaled_conditions(program, conditions)
    k = len(conditions)
    columns = np.unique(A.indices)
    if k * columns.size > 20_000_000:  # entries of a matrix whose singular values are computed
        return False
    dense = (sparse.diags_array(1.0 / size) @ A[:, columns]).toarray()
    values = np.zeros(k)
    # one singular value of 0 and a gap before it: one weighting alone
    singular = np.linalg.svd(dense, compute_uv=False)
    values[: singular.size] = singular[:k]
    # the second smallest is above rounding, and the smallest at most 1e-3 of it
    return k == 1 or bool(values[-2] > 1e-11 * values[0] and values[-1] <= 1e-3 * values[-2])


def conditions_of(program: Program) -> list[Condition]:
    """The conditions of a program: finite bounds of columns, finite sides of rows, integrality.

    Bounds of columns come first, so that the filter tries to remove them first.
    """
    sides = (
        ("column", "lower", program.lower),
        ("column", "upper", program.upper),
        ("row", "lower", program.row_lower),
        ("row", "upper", program.row_upper),
    )
    conditions = [
        Condition(part, int(index), side)
        for part, side, bounds in sides
        for index in np.flatnonzero(np.isfinite(bounds))
    ]
    integers = np.flatnonzero(program.integer).tolist()
    return conditions + [Condition("column", j, "integer") for j in integers]


def restricted(program: Program, conditions: Sequence[Condition]) -> Program:
    """The program with only these conditions and no objective."""
    m, n = program.rows.shape
    low = {"row": np.full(m, -np.inf), "column": np.full(n, -np.inf)}
    high = {"row": np.full(m, np.inf), "column": np.full(n, np.inf)}
    integer = np.zeros_like(program.integer)
    for condition in conditions:
        if condition.side == "integer":
            integer[condition.index] = True
        else:
            ends = low if condition.side == "lower" else high
            ends[condition.part][condition.index] = condition.bound(program)
    rows = sorted({condition.index for condition in conditions if condition.part == "row"})
    return replace(
        program.of_rows(rows),
        cost=np.zeros_like(program.cost),
        quadratic=None,
        constant=0.0,
        row_lower=low["row"][rows],
        row_upper=high["row"][rows],
        lower=low["column"],
        upper=high["column"],
        integer=integer,
    )


class _ConflictSearch:
    """A search with a time limit over its feasibility problems."""

    def __init__(self, program: Program, settings: SolveSettings) -> None:
        self.program = program
        self.settings = replace(settings, solver_options={}, log=None)
        limit = settings.time_limit
        self.deadline = None if limit is None else time.monotonic() + limit
        self.solver = solver("scip" if program.quadratic_rows else "highs")
        self.patience, self.seconds = PATIENCE, 0.0  # of the next trial at most, and of the last

    def infeasible(self, conditions: Sequence[Condition]) -> bool | None:
        """Whether these conditions cannot hold together; None if the time is too short."""
        remaining = None if self.deadline is None else self.deadline - time.monotonic()
        stopped = self.settings.interrupted()
        if stopped or (remaining is not None and remaining <= 0):
            return None
        trial = restricted(self.program, conditions)
        # a search with integers might never end
        if trial.integer.any():
            remaining = min(self.patience, math.inf if remaining is None else remaining)
        limits = replace(self.settings, time_limit=remaining)
        linear = trial.problem_class is ProblemClass.LP
        trial_answer = self.solver.solve(trial, limits)
        self.seconds = trial_answer.seconds
        status = trial_answer.status
        if status in (Status.OPTIMAL, Status.FEASIBLE):
            return False
        # with integers and squares, the solver's word is all there is
        if status is Status.INFEASIBLE or (trial_answer.claim is Status.INFEASIBLE and not linear):
            return True
        if status in (Status.LIMIT, Status.INTERRUPTED):
            return None
        raise SolverError(f"solver {self.solver.name} cannot tell whether the program is feasible")

    def removable(self, conditions: Sequence[Condition]) -> bool | None:
        """Whether these conditions are still infeasible; None if a limit is reached or no solver
        can decide.
        """
        try:
            return self.infeasible(conditions)
        except SolverError:
            return None

    def reduced(self, conditions: list[Condition]) -> tuple[list[Condition], bool]:
        """A deletion filter in halving chunks.

        A necessary condition stays necessary when others are removed. A final pass over single
        conditions therefore makes the set irreducible. The second value is False if the time limit
        is reached.
        """
        size, decided = max(1, len(conditions) // 2), True
        while True:
            place = 0
            while place < len(conditions):
                trial = conditions[:place] + conditions[place + size :]
                verdict = self.removable(trial)
                decided &= verdict is not None or size > 1
                if verdict:
                    conditions = trial
                else:
                    place += size
            if size == 1:
                return sorted(conditions), decided
            size //= 2


def _scaled_conditions(
    program: Program, conditions: Sequence[Condition]
) -> tuple[sparse.csr_array, FloatArray, FloatArray]:
    """Coefficients and numbers of conditions a'x >= b, and the largest |a| of each.

    A condition without coefficients, 0 >= b, has size |b|.
    """
    signs = np.array([1.0 if c.side == "lower" else -1.0 for c in conditions])
    b = signs * np.array([c.bound(program) for c in conditions])
    stacked = sparse.vstack(
        [program.rows, sparse.eye_array(program.cost.size, format="csr")], format="csr"
    )
    shift = {"row": 0, "column": program.row_lower.size}
    A = sparse.diags_array(signs) @ stacked[[shift[c.part] + c.index for c in conditions]]
    size = abs(A).max(axis=1).toarray().ravel() if A.shape[1] else np.zeros(len(b))
    size = np.where(size > 0, size, np.maximum(np.abs(b), np.finfo(float).tiny))
    return sparse.csr_array(A), b, size


def _proof(
    program: Program, conditions: Sequence[Condition], settings: SolveSettings | None = None
) -> tuple[FloatArray | None, float | None]:
    """Farkas weights: the smallest y >= 0 with sum y_c (coefficients of c) = 0 and sum y_c b_c = 1.

    Every condition is written as coefficients'x >= b_c.
    """
    if program.quadratic_rows or not conditions:
        return None, None
    # integers have no weight
    sides = [place for place, c in enumerate(conditions) if c.side != "integer"]
    if len(sides) < len(conditions):
        y, residual = _proof(program, [conditions[place] for place in sides], settings)
        weights = np.zeros(len(conditions))
        weights[sides] = 0.0 if y is None else y
        return (None if y is None else weights), residual
    A, b, size = _scaled_conditions(program, conditions)
    columns = np.unique(A.indices)
    # Farkas: weights of conditions in equal units that sum to 0 >= 1, with the least sum
    scaled = sparse.diags_array(1.0 / size) @ A[:, columns]
    k = len(conditions)
    combined = sparse.csr_array(sparse.vstack([scaled.T, sparse.csr_array((b / size)[None])]))
    right = np.append(np.zeros(columns.size), 1.0)
    weighing = Program(
        cost=np.ones(k),
        rows=combined,
        row_lower=right,
        row_upper=right,
        lower=np.zeros(k),
        upper=np.full(k, np.inf),
    )
    # with presolve HiGHS 1.15 calls the weights that rounding leaves 1e-14 off infeasible
    options = {"solver": "simplex", "presolve": "off"}
    simplex = replace(settings or SolveSettings(), solver_options=options, log=None)
    try:
        # the weights that prove a conflict need a small tolerance
        answer = solver("highs").solve(weighing, replace(simplex, tol=1e-10))
    except SolverError:
        return None, None
    if answer.x is None or not answer.claimed_optimal:
        return None, None
    # the weights as they are after rounding: what they leave is measured
    y = np.maximum(answer.x, 0.0)
    total = float(y @ (b / size))
    if not total > 0:
        return None, None
    y /= total
    residual = float(np.abs(scaled.T @ y).max(initial=0.0)) / max(float(y.max()), 1.0)
    # the weighted conditions must add up to 0, relative to their largest coefficient
    return (y / size, residual) if residual <= 1e-7 else (None, None)
