"""Column generation for Voted Kernel Regularization: the exact oracle and warm starts.

This module also finds initial columns that satisfy the constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import linalg

from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.conflicts import refuse_conflict, solve_feasible
from radprog.decompositions.drivers.exchange import Answer, Cuts, MasterPoint, coefficients_of
from radprog.decompositions.drivers.masters import BASIC
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.run import RunSettings
from radprog.models.vkr.problem import Incumbent, VotedKernels
from radprog.models.vkr.programs import build_feasible


class VotedOracle:
    """The oracle. It prices all columns at a point u = m d of the master, and computes alpha from
    the multipliers.

    The master is  min -sum u,  0 <= u <= m c,  -1 <= sum_i A_kj,i u_i / (m Lambda_k) <= 1  over the
    current columns, so alpha_kj is the coefficient of row kj over m Lambda_k. Constraints add
    nonnegative variables m s_r mu_r, with the sizes s_r of their rows. The prices of rates have
    the first rows T'mu >= 0, and are ``cap`` at most: the restricted primal is then feasible.
    """

    cap = 1e3

    def __init__(self, problem: VotedKernels, incumbent: Incumbent) -> None:
        self.problem, self.incumbent = problem, incumbent
        p, m, c = problem.bank.shape
        # columns added in a round: one in twenty points, and 40 to 300
        self.batch = int(np.clip(m // 20, 40, 300))
        self.active = np.zeros((p, c), dtype=bool)
        self.pairs: IntArray = np.zeros((0, 2), np.intp)
        self.solved = 0  # columns in the master that was solved last
        self.active_ratios: FloatArray = np.zeros(0)
        self._columns: FloatArray = np.empty((m, 0), order="F")
        self._units = problem.m * problem.rows.sizes
        self.at_cap = False  # whether a rate has the largest price
        # the master's variables: u = m d, then those of the constraints
        mu = problem.rows.h / problem.rows.sizes
        self.costs = np.concatenate([np.full(m, -1.0), mu])

    @property
    def upper(self) -> FloatArray:
        """The upper bounds of the master's variables."""
        rows, upper = self.problem.rows, np.full(len(self._units), np.inf)
        upper[rows.owner] = self.cap * self._units[rows.owner]
        return np.append(self.problem.boxes, upper)

    @property
    def terms(self) -> Cuts:
        """The first rows of a master, of the slacks of rates."""
        rows, m = self.problem.rows, self.problem.m
        K = len(rows.owner)
        matrix = np.hstack([np.zeros((K, m)), (rows.T.T / rows.sizes).toarray()])
        return Cuts(matrix, np.zeros(K), np.full(K, np.inf))

    def again(self) -> Cuts:
        """The master rows of all columns, for another master."""
        pairs, self.pairs = self.pairs, np.zeros((0, 2), np.intp)
        return self.cuts(pairs)

    def cuts(self, pairs: IntArray) -> Cuts:
        """Register new columns (r, 2), and return their master rows."""
        problem, count, r = self.problem, len(self.pairs), len(pairs)
        # the columns of the primal, in an array that doubles as it fills
        columns = problem.bank.columns(pairs)
        if count + r > self._columns.shape[1]:
            grown = np.empty((problem.m, max(2 * count, count + r)), order="F")
            grown[:, :count] = self._columns[:, :count]
            self._columns = grown
        self._columns[:, count : count + r] = columns
        self.pairs = np.concatenate([self.pairs, pairs])
        self.active[pairs[:, 0], pairs[:, 1]] = True
        # the row of a column in u = m d, divided by its price; rows G shift the pricing vector
        scale = problem.m * problem.prices[pairs[:, 0]]
        matrix = (problem.y[:, None] * columns / scale).T
        if len(problem.rows):
            shift = (problem.rows.G @ columns) / (problem.rows.sizes[:, None] * scale)
            matrix = np.hstack([matrix, -shift.T])
        return Cuts(matrix, np.full(r, -1.0), np.ones(r))

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts]:
        problem, incumbent = self.problem, self.incumbent
        # dual point: its ratios price all columns, and scale it to a bound
        self.solved = len(self.pairs)
        m = problem.m
        d = np.clip(point.x[:m], 0.0, problem.boxes) / m
        rows, mu = problem.rows, point.x[m:] / self._units
        self.at_cap = bool(mu[rows.owner].max(initial=0.0) >= (1.0 - 1e-9) * self.cap)
        z = np.concatenate([d, rows.feasible(mu)])
        ratios = problem.ratios(z)
        incumbent.offer_dual(z, problem.dual_bound(z, ratios, exact=False)[0])
        # primal point: the multipliers of the rows are coefficients of the columns
        alpha = coefficients_of(point.multipliers[len(rows.owner) :])
        alpha /= m * problem.prices[self.pairs[:, 0]]
        support = np.flatnonzero(alpha)
        value = problem.primal_value(self._columns[:, support], self.pairs[support], alpha[support])
        incumbent.offer_primal(self.pairs, alpha, value)
        worst = float(ratios.max())
        self.active_ratios = ratios[self.pairs[:, 0], self.pairs[:, 1]]
        # one column a centre, of its best kernel (german: 0.87 s, 1.65 with all that are violated)
        ratios[self.active] = 0.0
        best = ratios.argmax(axis=0)
        scores = ratios[best, np.arange(len(best))]
        # a column whose ratio exceeds 1 by more than this is violated
        centres = np.flatnonzero(scores > 1.0 + 1e-9)
        detail = {"columns": float(len(self.pairs)), "largest_ratio": worst}
        # nothing is violated: the dual point is optimal, and its bound worth the exact evaluation
        if not centres.size:
            # the cheap bound is good enough within 1e-9 of the objective
            if incumbent.objective - incumbent.bound > 1e-9 * incumbent.objective:
                incumbent.offer_dual(z, problem.dual_bound(z, problem.ratios(z))[0])
            return Answer(incumbent.value, incumbent.bound, None, detail)
        # the most violated ones
        if centres.size > self.batch:
            largest = np.argpartition(-scores[centres], self.batch - 1)[: self.batch]
            centres = np.sort(centres[largest])
        entering = np.stack([best[centres], centres], axis=1)
        return Answer(incumbent.value, incumbent.bound, self.cuts(entering), detail)


@dataclass(frozen=True)
class WarmStart:
    """A warm start: the columns and basis of a neighbouring problem, or columns with coefficients
    alpha (r,).
    """

    pairs: IntArray
    column_basis: list[Any] = field(default_factory=list)
    cut_basis: list[Any] = field(default_factory=list)
    alpha: FloatArray | None = None


def merge_starts(neighbours: Sequence[WarmStart]) -> WarmStart | None:
    """The columns and basis of the first neighbour. The used columns of the other neighbours are
    added with value 0.
    """
    if not neighbours:
        return None
    # a column that is new to the first basis is basic in it
    nearest = neighbours[0]
    present = {(int(k), int(j)) for k, j in nearest.pairs}
    extra: dict[tuple[int, int], None] = {}
    for neighbour in neighbours[1:]:
        for (k, j), status in zip(neighbour.pairs.tolist(), neighbour.cut_basis, strict=True):
            if status != BASIC and (k, j) not in present:
                extra[k, j] = None
    pairs = np.concatenate([nearest.pairs, np.array(list(extra), dtype=np.intp).reshape(-1, 2)])
    return WarmStart(pairs, nearest.column_basis, [*nearest.cut_basis, *[BASIC] * len(extra)])


@dataclass(frozen=True)
class Solved:
    """The result of a method, from which the outcome is built."""

    reason: Reason
    trace: Sequence[Record] | None
    incumbent: Incumbent
    pairs: IntArray
    version: str = ""
    warnings: tuple[str, ...] = ()
    warm: WarmStart | None = None


def feasible_columns(
    problem: VotedKernels, settings: RunSettings, budget: Budget, warm: WarmStart | None = None
) -> WarmStart:
    """Columns and coefficients that satisfy the constraints but rates, and those of ``warm``.

    The restricted master over these columns is feasible. Its dual, the program that is solved, is
    therefore bounded. Raises SettingError with a conflict if no coefficients satisfy the
    constraints. Raises OutOfBudget. Raises SolverError if no solver can decide.
    """
    from radprog.solvers.compile import compile_model  # loads pyomo

    # free coefficients of independent columns reach all that those of all columns reach
    # (german, 700 points of poly:1: a conflict in 0.4 s, none after 60 s in all columns)
    problem, pairs = replace(problem, rows=problem.rows.plain), problem.all_pairs
    columns = problem.bank.columns(pairs)
    pairs = pairs[independent_columns(problem.rows.G @ columns)]
    # the smallest coefficients that keep the constraints
    program = compile_model(build_feasible(problem, pairs))
    x = solve_feasible(program, problem.rows.row_names, settings, budget)
    alpha = x[: len(pairs)] - x[len(pairs) :]
    support = np.flatnonzero(alpha)
    pairs, alpha = pairs[support], alpha[support]
    if warm is not None:
        # the columns of the warm start that are not among them, without coefficients
        present = set(map(tuple, pairs.tolist()))
        extra = [pair for pair in warm.pairs.tolist() if tuple(pair) not in present]
        pairs = np.concatenate([pairs, np.array(extra, dtype=np.intp).reshape(-1, 2)])
        alpha = np.append(alpha, np.zeros(len(extra)))
    return WarmStart(pairs, alpha=alpha)


def refuse_rates(problem: VotedKernels, settings: RunSettings, budget: Budget) -> None:
    """Raise SettingError if no coefficients satisfy the rates and the other constraints."""
    columns = problem.bank.columns(problem.all_pairs)
    part = columns[:, independent_columns(columns)]
    refuse_conflict(problem.rows, lambda G: np.asarray(G @ part), settings, budget)


def independent_columns(images: FloatArray) -> IntArray:
    """Sorted indices of columns of ``images`` (R, n) that span all its columns.

    Pivoted QR chooses them; there is always at least one.
    """
    largest = np.abs(images).max(axis=0)
    R, places = linalg.qr(images / np.where(largest > 0.0, largest, 1.0), mode="r", pivoting=True)
    sizes = np.abs(np.diag(R))
    rounding = 2.0 * max(images.shape) * UNIT_ROUNDOFF * sizes[0]
    return np.sort(places[: max(1, np.count_nonzero(sizes > rounding))])
