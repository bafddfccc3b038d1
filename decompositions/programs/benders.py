"""Benders decomposition of a compact program with two stages.

    min  c'y + sum_s q_s'x_s
    s.t. l_0 <= A y <= u_0                      rows of the first stage
         l_s <= T_s y + W_s x_s <= u_s          rows of the second stages s = 1, ..., S
         y, x_s in their bounds, y_j integer for j in J

The first stage is the linking columns y of the structure, and each block is a second stage. With
theta_s for the value of stage s, the master is min c'y + sum_s theta_s over the first stage and
cuts. Multipliers lam of the rows of stage s give the cut

    theta_s >= side(lam) + min over the bounds of (q_s - W_s'lam)'x_s - (T_s'lam)'y

which holds for any lam. Without costs, lam of an infeasible stage cuts off y (Farkas).
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import OutOfBudget, never
from radprog.base.sections import amount
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.drivers.masters import UnboundedError, recover_solution
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.own.result import ModelLoop
from radprog.decompositions.own.tree import (
    identity,
    invalid_record,
    read_checkpoint,
    write_checkpoint,
)
from radprog.decompositions.programs.blocks import block_program, call_blocks, multiplier_bound
from radprog.decompositions.programs.structure import Block, Structure, refine_colours
from radprog.decompositions.sweeps.units import Inside
from radprog.solvers.adapters.highs import (
    STATUS,
    Highs,
    accepted,
    new_highs,
    pass_program,
    set_option,
)
from radprog.solvers.claims import infeasibility
from radprog.solvers.integers import as_given, bound_met, judge_integers, raised_bound
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.rescale import row_units
from radprog.solvers.violations import relative_violation

BELOW = -1e9  # times the scale of costs: the bound of theta before its first cut
VIOLATED = 1e-9  # relative to the value of a stage: a cut that is worth its row
NO_THETA = -1

#: The values (k,) of second stages, their points (k, n) and their multipliers (k, m).
StageAnswers = tuple[FloatArray, FloatArray, FloatArray]


class StageCuts(NamedTuple):
    """theta_k >= constant + slope'y, or 0 >= constant + slope'y where ``theta`` is NO_THETA.

    ``origin`` (t,) is the number of the round times the stages, plus that of the stage or the
    group of stages.
    """

    theta: IntArray
    constants: FloatArray
    slopes: FloatArray
    origin: IntArray

    def take(self, indices: Any) -> StageCuts:
        """Some of the cuts."""
        return StageCuts(*(part[indices] for part in self))


class Recourse:
    """Second stages with one matrix W, live in HiGHS; a call changes what differs.

    Stage s has the rows ``rows[s]`` (m,) and the columns ``columns[s]`` (n,) of the program. Each
    solve starts from the last basis of its stage.
    """

    def __init__(
        self,
        program: Program,
        rows: IntArray,
        columns: IntArray,
        linking: IntArray,
        settings: SolveSettings,
    ) -> None:
        self.rows, self.columns, self.lean = rows, columns, settings
        self.program = block_program(program, Block(rows[0], columns[0]))
        self.transpose = self.program.rows.T.tocsr()
        self.coupling = program.rows[rows.ravel()][:, linking].tocsr()  # T_s, one below the other
        self.cost, self.lower, self.upper = (
            part[columns] for part in (program.cost, program.lower, program.upper)
        )
        self.row_lower, self.row_upper = program.row_lower[rows], program.row_upper[rows]
        self.alike = all((part == part[0]).all() for part in (self.cost, self.lower, self.upper))
        self.highs: Highs | None = None
        self.bases = dict[int, Any]()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"highs": None, "bases": {}}

    def solve(self, stages: IntArray, y: FloatArray, inside: Inside) -> StageAnswers:
        """The values (k,) at y (n_0,), inf for a stage without a point, the points (k, n) and the
        multipliers (k, m), which are those of a ray there.

        Raises UnboundedError for a stage whose value falls without end.
        """
        if self.highs is None:
            self.highs = new_highs(self.lean)
            pass_program(self.highs, self.program)
        (m, n), highs = (self.rows.shape[1], self.columns.shape[1]), self.highs
        of_row, of_column = np.arange(m, dtype=np.int32), np.arange(n, dtype=np.int32)
        shift = (self.coupling @ y).reshape(self.rows.shape)
        lower, upper = self.row_lower - shift, self.row_upper - shift
        values, points = np.full(stages.size, math.inf), np.zeros((stages.size, n))
        multipliers = np.zeros((stages.size, m))
        for k, s in enumerate(stages.tolist()):
            if inside.interrupted():
                raise OutOfBudget
            if not self.alike:
                highs.changeColsCost(n, of_column, self.cost[s])
                highs.changeColsBounds(n, of_column, self.lower[s], self.upper[s])
            highs.changeRowsBounds(m, of_row, lower[s], upper[s])
            # its last basis: 0.12 ms, 0.24 from that of another stage
            if s in self.bases:
                highs.setBasis(self.bases[s])
            highs.run()
            if STATUS[highs.getModelStatus()] is Status.FAILED:
                highs = self.highs = recover_solution(highs)
            word = highs.getModelStatus()
            status = STATUS[word]
            if status is Status.OPTIMAL:
                solution = highs.getSolution()
                values[k] = highs.getObjectiveValue()
                points[k], multipliers[k] = solution.col_value, solution.row_dual
                self.bases[s] = highs.getBasis()
            elif status is Status.INFEASIBLE:
                ray = highs.getDualRay()
                ray_multipliers = np.array(ray[-1]) if len(ray) > 1 and ray[1] else np.zeros(0)
                if ray_multipliers.shape != (m,):
                    raise SolverError("a second stage is infeasible, and HiGHS gives no ray of it")
                multipliers[k] = ray_multipliers / max(np.abs(ray_multipliers).max(), 1e-300)
            elif status is Status.UNBOUNDED:
                raise UnboundedError("a second stage is unbounded: Benders needs finite bounds")
            elif status in (Status.INTERRUPTED, Status.LIMIT):
                raise OutOfBudget
            else:
                words = highs.modelStatusToString(word)
                raise SolverError(f"HiGHS ended a second stage with '{words}'")
        return values, points, multipliers

    def cuts(self, multipliers: FloatArray, farkas: BoolArray) -> tuple[FloatArray, FloatArray]:
        """The constants (S,) and slopes (S, n_0) of the cuts of multipliers (S, m); a constant may
        be -inf. Costs are left out where ``farkas`` (S,) is true.
        """
        # side(lam), without multipliers of infinite sides
        side = np.where(multipliers > 0.0, self.row_lower, self.row_upper)
        lam = np.where(np.isfinite(side), multipliers, 0.0)
        constants = (lam * np.where(lam == 0.0, 0.0, side)).sum(axis=1)
        # min over the bounds of the reduced costs; rounding has no term at an infinite bound
        cost = np.where(farkas[:, None], 0.0, self.cost)
        reduced = cost - (self.transpose @ lam.T).T
        bounds = np.where(reduced > 0.0, self.lower, self.upper)
        noise = 1e-9 * np.maximum(1.0, np.abs(cost).max(axis=1, initial=0.0))
        nonzero = (reduced != 0.0) & (np.isfinite(bounds) | (np.abs(reduced) > noise[:, None]))
        constants += (reduced * np.where(nonzero, bounds, 0.0)).sum(axis=1)
        # -T_s'lam of each stage
        size, m = self.coupling.shape[1], self.rows.shape[1]
        entry = np.repeat(np.arange(lam.size), np.diff(self.coupling.indptr))
        terms = -self.coupling.data * lam.ravel()[entry]
        places = entry // m * size + self.coupling.indices
        slopes: FloatArray = np.bincount(places, terms, len(lam) * size).astype(np.float64)
        return constants, slopes.reshape(-1, size)


def group_stages(structure: Structure, settings: SolveSettings) -> list[Recourse]:
    """The second stages, those with equal matrices together."""
    program, blocks = structure.program, structure.blocks
    heights = np.array([block.rows.size for block in blocks])
    widths = np.array([block.columns.size for block in blocks])
    # in the order of the program, in which models and files have scenarios that are alike
    rows = np.concatenate([np.sort(block.rows) for block in blocks])
    columns = np.concatenate([np.sort(block.columns) for block in blocks])
    groups = _equal_blocks(program, rows, columns, heights, widths)
    if len(groups) > 1:
        # in the order of colours, which no order of the program changes: costs by their rank, as a
        # scenario's may have its probability as a factor, and the matrix
        matrix = program.rows[rows][:, columns].tocoo()
        r, c = (part.astype(np.intp) for part in matrix.coords)
        parts = np.split(program.cost[columns], np.cumsum(widths)[:-1])
        ranks = np.concatenate([np.unique(part, return_inverse=True)[1] for part in parts])
        of_row, of_column = refine_colours(
            np.zeros(rows.size, dtype=np.uint64), ranks.astype(np.uint64), r, c, matrix.data
        )
        block_of = (np.repeat(np.arange(len(blocks)), sizes) for sizes in (heights, widths))
        rows = rows[np.lexsort((of_row, next(block_of)))]
        columns = columns[np.lexsort((of_column, next(block_of)))]
        groups = min(groups, _equal_blocks(program, rows, columns, heights, widths), key=len)
    return [Recourse(program, *parts, structure.linking_columns, settings) for parts in groups]


def _equal_blocks(
    program: Program, rows: IntArray, columns: IntArray, heights: IntArray, widths: IntArray
) -> list[tuple[IntArray, IntArray]]:
    """The rows (S, m) and columns (S, n) of the blocks, which are one after the other, that have
    equal matrices in these orders.
    """
    matrix = program.rows[rows][:, columns].tocsr()
    matrix.sort_indices()
    groups: dict[Any, tuple[list[IntArray], list[IntArray]]] = {}
    i = j = 0
    for height, width in zip(heights.tolist(), widths.tolist(), strict=True):
        starts = matrix.indptr[i : i + height + 1]
        part = slice(starts[0], starts[-1])
        places, values = matrix.indices[part] - j, matrix.data[part]
        key = width, (starts - starts[0]).tobytes(), places.tobytes(), values.tobytes()
        group = groups.setdefault(key, ([], []))
        group[0].append(rows[i : i + height])
        group[1].append(columns[j : j + width])
        i, j = i + height, j + width
    return [(np.stack(of_row), np.stack(of_column)) for of_row, of_column in groups.values()]


def solve_stages(
    parts: Sequence[Recourse], requests: Sequence[tuple[int, IntArray, FloatArray]], inside: Inside
) -> list[StageAnswers]:
    """The answers of the stages of (number of the recourse, stages, y)."""
    return [parts[k].solve(stages, y, inside) for k, stages, y in requests]


class TwoStages:
    """The master over the first stage, and its second stages."""

    def __init__(self, structure: Structure, loop: ModelLoop, budget: Budget) -> None:
        settings = loop.settings
        self.structure, self.loop, self.settings, self.budget = structure, loop, settings, budget
        program = self.program = row_units(structure.program).scaled(structure.program)
        columns = structure.linking_columns
        check_stages(structure)
        self.lean = replace(
            settings.for_solver(budget), solver_options={}, log=None, time_limit=None
        )
        # a stage takes under a millisecond; to ask for an interrupt costs a fifth of it
        live = replace(
            self.lean, solver_options={"presolve": "off", "solver": "simplex"}, interrupted=never
        )
        budget.check()
        self.recourses = group_stages(replace(structure, program=program), live)
        counts = [len(kind.rows) for kind in self.recourses]
        self.n, self.S = columns.size, sum(counts)
        self.integer = program.integer[columns]
        self.scale = float(np.abs(program.cost).max(initial=0.0)) or 1.0
        # the first stage without integers
        rows = structure.linking_rows
        self.stage_one = replace(
            program,
            cost=program.cost[columns],
            rows=program.rows[rows][:, columns].tocsr(),
            row_lower=program.row_lower[rows],
            row_upper=program.row_upper[rows],
            lower=program.lower[columns],
            upper=program.upper[columns],
            integer=np.zeros(columns.size, dtype=np.bool_),
            column_names=(),
            row_names=(),
        )
        self.transpose = self.stage_one.rows.T.tocsr()
        # a theta for each second stage, or for each of 800 groups (3,250 stages: 18 s, 27 with a
        # theta each); of 100 in the tree (of 200 stages, 30 groups need 59 rounds of cuts, 100 need
        # 40 and 200 need 36 of longer programs)
        self.thetas, self.groups = min(self.S, 800), min(self.S, 100)
        self.cuts = self._no_cuts()
        self.live = replace(live, interrupted=self.lean.interrupted)
        self.highs = new_highs(self.live)
        pass_program(self.highs, self._master_program(self.cuts, *self._box))
        # the best multipliers of the relaxation, with its thetas and cuts
        self.relaxation: tuple[int, StageCuts, FloatArray] | None = None
        # the tree: where nodes were divided, with the numbers of their parts, and the
        # multipliers of the others, None for a node without a point
        self.splits: dict[int, tuple[int, float, int, int]] = {}
        self.leaves: dict[int, FloatArray | None] = {}
        # nodes of a checkpoint: number, depth, box and bound of each
        self.reopened: list[tuple[int, int, tuple[FloatArray, FloatArray], float]] = []
        # the multipliers (S, m) of each recourse in each round, and whether costs are left out
        self.proofs: list[list[tuple[FloatArray, BoolArray]]] = []
        self.best: FloatArray | None = None
        self.value = math.inf
        self.bound = -math.inf
        self.searched = False  # no bound is that of a solver's search
        self.rounds = 0
        self.message = self.resumed = ""
        self.checkpoint, self.saved = settings.sharing.checkpoint, 0.0
        self.resume()

    @property
    def iterations(self) -> int:
        """The number of rounds."""
        return self.rounds

    @property
    def size(self) -> int:
        """The number of cuts."""
        return self.cuts.theta.size

    @property
    def counts(self) -> dict[str, Any]:
        """The detail of a record."""
        return {"cuts": self.size, "rounds": self.rounds}

    @property
    def _box(self) -> tuple[FloatArray, FloatArray]:
        """The bounds (n_0,), (n_0,) of the first stage."""
        return self.stage_one.lower, self.stage_one.upper

    def lower_bound(self) -> float:
        """The bound of the minimisation."""
        return min(self.bound, self.value)

    def progress(self) -> tuple[float | None, float]:
        """The value of the best point and the bound."""
        return None if self.best is None else self.value, self.bound

    def run(self) -> Status:
        """Cuts until the bound meets the best point or the budget ends."""
        try:
            with self.settings.sharing.executor(self.S, self.budget) as self.executor:
                # a finished checkpoint needs no round
                status = Status.OPTIMAL if self.closed() else self._relaxation()
                if status is Status.OPTIMAL and self.bound == -math.inf:
                    # values of stages fall as far as theta may: a ray, or numbers that are too far
                    # apart
                    raise UnboundedError("the master has no bound")
                if status is Status.OPTIMAL and self.integer.any() and not self.closed():
                    status = self._search()
        except (OutOfBudget, KeyboardInterrupt):
            return Status.LIMIT
        return status

    def closed(self, bound: float | None = None) -> bool:
        """Whether a bound, that of the program by default, proves the best point."""
        met = self.bound if bound is None else bound
        return math.isfinite(self.value) and bound_met(
            self.program, self.value, met, self.settings.tol
        )

    def _relaxation(self) -> Status:
        """Cuts at points of the master without integers, on the way from a core point (in-out)."""
        core: FloatArray | None = None
        previous, separated = core, False  # the master's point, and whether cuts were made at it
        upper = math.inf  # of the relaxation
        while not self.loop.ended(self.rounds):
            z, value, duals = self._solve_master(*self._box)
            if z is None or duals is None:
                self.message = "no point meets all rows: proved by multipliers of the master"
                return Status.INFEASIBLE
            y = z[: self.n]
            if value > self.bound:
                self.relaxation = self.thetas, self.cuts, duals
            self._raise(value)
            # early points, without which the tree may take long
            if self.integer.any() and self.rounds & (self.rounds - 1) == 0:
                self._offer_lifted(z)
            # the search of a program with integers raises the bound further
            close = 1e-2 if self.integer.any() else 1e-9
            converged = math.isfinite(upper) and upper - self.bound <= close * abs(upper)
            # a point that new cuts do not move, as they hold within the tolerances of HiGHS
            unmoved = previous is not None and bool((z == previous).all())
            if converged or self.closed() or (unmoved and separated):
                return Status.OPTIMAL
            previous, separated = z, core is None or unmoved
            # 0.7 of the way: 14 rounds for 1,000 stages, 17 with 0.5
            trial = y if core is None or separated else core + 0.7 * (y - core)
            total, added, point = self._separate(trial, z)
            if point is not None:
                upper = min(upper, total)
                core = trial if core is None or total <= upper else core
                self._offer(point)
            if not added:
                if trial is y:
                    return Status.OPTIMAL
                # no cut between the two points: cuts at the master's own point
                core = None
                total, added, point = self._separate(y, z)
                if point is not None:
                    self._offer(point)
                    upper, core = min(upper, total), y
                if not added:
                    return Status.OPTIMAL
            self._observe()
        return Status.LIMIT

    def _offer_lifted(self, z: FloatArray) -> None:
        """Offer the point of a master with its integers whole: down, then up where rows allow it,
        as capacity that is bought leaves the second stages a point.
        """
        stage, (lower, upper) = self.stage_one, self._box
        rounded = np.round(z[: self.n], 6)
        if (rounded == np.rint(rounded))[self.integer].all():
            return  # its own cuts give the point
        y = np.where(self.integer, np.maximum(np.floor(rounded), np.ceil(lower)), z[: self.n])
        activity = stage.rows @ y
        for j in np.argsort(y - rounded, kind="stable"):  # the largest fractions first
            part = slice(*self.transpose.indptr[j : j + 2])
            i, entries = self.transpose.indices[part], self.transpose.data[part]
            raised = activity[i] + entries
            side = np.where(entries > 0.0, stage.row_upper[i] - raised, raised - stage.row_lower[i])
            if self.integer[j] and y[j] < rounded[j] and y[j] < upper[j] and (side >= -1e-9).all():
                y[j], activity[i] = y[j] + 1.0, raised
        if relative_violation(stage, y) <= CLAIM_TOLERANCE:
            point = self._separate(y, z)[-1]
            if point is not None:
                self._offer(point)

    def _search(self) -> Status:
        """Branch and cut: a tree over boxes of the integers, with cuts at its points."""
        # a master with a theta for each group
        if self.groups < self.thetas:
            self.thetas = self.groups
            self.cuts = self._all_cuts(self.thetas)
            self.highs = new_highs(self.live)
            pass_program(self.highs, self._master_program(self.cuts, *self._box))
        # the bounds of nodes that are not divided, the nodes that are open, and their depths
        bounds, boxes, depth, undecided = {0: -math.inf}, {0: self._box}, {0: 0}, False
        if self.reopened:  # of a checkpoint
            bounds = {number: bound for number, _, _, bound in self.reopened}
            boxes = {number: box for number, _, box, bound in self.reopened if bound < math.inf}
            depth = {number: level for number, level, _, _ in self.reopened}
        dives = self.best is None or not self.reopened
        while boxes and not self.loop.ended(self.rounds):
            # the last node until the tree has a point, then that of the least bound
            node = max(boxes) if dives else min(boxes, key=bounds.__getitem__)
            (lower, upper), previous = boxes.pop(node), None
            while not self.loop.ended(self.rounds):
                z, bound, duals = self._solve_master(lower, upper)
                if bound >= bounds[node]:
                    bounds[node], self.leaves[node] = bound, duals
                if z is None or self.closed(bounds[node]):
                    break
                stuck = previous is not None and (z == previous).all()  # new cuts do not move it
                if previous is None and (node == 0 or self.rounds % 16 == 0):
                    self._offer_lifted(z)
                previous = z
                # cuts at whole points, and at others in the first nodes, or where they cost less
                # than nodes: cuts of 10 stages take the seconds of a node
                y = z[: self.n].copy()
                distance = np.where(self.integer, np.abs(y - np.rint(y)), 0.0)
                is_integer = bool(distance.max() <= 1e-6)
                y[self.integer & is_integer] = np.rint(y[self.integer & is_integer])
                added, offered, few = 0, False, len(self.proofs) * self.S < 10 * self.rounds
                if not stuck and (is_integer or depth[node] < 3 or few):
                    _, added, point = self._separate(y, z)
                    if is_integer:
                        offered = point is not None and self._offer(point)
                        dives &= not offered
                    self._raise(min(bounds.values()))
                    self._observe()
                if is_integer and offered and not added:
                    break
                if not is_integer or not added:
                    # two parts by the integer that is farthest from whole; one of 1e-8 under a big
                    # M is whole, but no point
                    free = self.integer & (lower < upper)
                    if not free.any():
                        undecided = True  # neither a cut nor a point
                        break
                    j = int(np.argmax(np.where(free, distance, -1.0)))
                    level = min(math.floor(y[j]), math.ceil(upper[j]) - 1)
                    parts = len(bounds) + len(self.splits), len(bounds) + len(self.splits) + 1
                    self.splits[node] = j, level, *parts
                    halves = upper.copy(), lower.copy()
                    halves[0][j], halves[1][j] = level, level + 1.0
                    boxes[parts[0]], boxes[parts[1]] = (lower, halves[0]), (halves[1], upper)
                    bound = bounds.pop(node)
                    for part in parts:
                        bounds[part], depth[part] = bound, depth[node] + 1
                        self.leaves[part] = duals
                    del self.leaves[node]
                    break
            self._raise(min(bounds.values()))
            if self.closed():
                return Status.OPTIMAL
        if self.loop.reason in (Reason.OWN_RULE, Reason.MAX_ITER):
            return Status.LIMIT
        if self.best is not None or undecided:
            return Status.FAILED
        self.message = "no node of the tree over the integers of the first stage has a point"
        return Status.INFEASIBLE

    def _raise(self, bound: float) -> None:
        """A new bound, raised to the next possible objective."""
        self.bound = max(self.bound, raised_bound(self.program, bound))

    def _solve_master(
        self, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray | None, float, FloatArray | None]:
        """The point (n_0 + thetas,) of the master without integers in a box (n_0,), its recomputed
        bound and its multipliers; None without a point.
        """
        places = np.arange(self.n, dtype=np.int32)
        accepted(self.highs.changeColsBounds(self.n, places, lower, upper), "new bounds")
        limit = self.budget.limit
        if limit is not None:
            set_option(self.highs, "time_limit", self.highs.getRunTime() + limit)
        self.highs.run()
        self.budget.check()
        if STATUS[self.highs.getModelStatus()] is Status.FAILED:
            self.highs = recover_solution(self.highs)
        word = self.highs.getModelStatus()
        if STATUS[word] is Status.INFEASIBLE:
            timed = replace(self.lean, time_limit=self.budget.limit)
            if infeasibility(self._master_program(self.cuts, lower, upper), timed) is None:
                self.budget.check()
                raise SolverError("highs has no point of the master, and no multipliers prove it")
            return None, math.inf, None
        if STATUS[word] is Status.UNBOUNDED:
            raise UnboundedError(
                "the first stage is unbounded without cuts: Benders needs finite bounds"
            )
        if word != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                f"HiGHS ended the master with '{self.highs.modelStatusToString(word)}'"
            )
        solution = self.highs.getSolution()
        z, duals = np.array(solution.col_value), np.array(solution.row_dual)
        self.rounds += 1
        return z, self._bound(self.thetas, self.cuts, duals, lower, upper), duals

    def _bound(
        self,
        thetas: int,
        cuts: StageCuts,
        multipliers: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> float:
        """The bound of multipliers of a master in a box (n_0,), or -inf if a theta has none."""
        # theta is at least the mean of its cuts, weighted by their multipliers
        program, rows = self.stage_one, self.stage_one.row_lower.size
        lam, costly = np.maximum(multipliers[rows:], 0.0), cuts.theta != NO_THETA
        weights = np.bincount(cuts.theta[costly], lam[costly], thetas)
        if not (weights > 0.0).all():
            return -math.inf
        lam[costly] /= weights[cuts.theta[costly]]
        program = replace(program, cost=program.cost + lam @ cuts.slopes, lower=lower, upper=upper)
        bound = multiplier_bound(program, self.transpose, multipliers[:rows])
        return bound + float(lam @ cuts.constants) + program.constant

    def _master_program(self, cuts: StageCuts, lower: FloatArray, upper: FloatArray) -> Program:
        """The first stage in a box (n_0,) with thetas, and cuts as rows."""
        stage, size, rows = self.stage_one, cuts.theta.size, np.flatnonzero(cuts.theta != NO_THETA)
        # -slope'y + theta >= constant
        ones = sparse.csr_array((np.ones(rows.size), (rows, cuts.theta[rows])), (size, self.thetas))
        zeros = sparse.csr_array((stage.row_lower.size, self.thetas))
        return replace(
            stage,
            cost=np.append(stage.cost, np.ones(self.thetas)),
            rows=sparse.block_array(
                [[stage.rows, zeros], [sparse.csr_array(-cuts.slopes), ones]], format="csr"
            ),
            row_lower=np.append(stage.row_lower, cuts.constants),
            row_upper=np.append(stage.row_upper, np.full(size, np.inf)),
            lower=np.append(lower, np.full(self.thetas, BELOW * self.scale)),
            upper=np.append(upper, np.full(self.thetas, np.inf)),
            integer=np.zeros(self.n + self.thetas, dtype=np.bool_),
            column_names=(),
            row_names=(),
        )

    def _separate(self, y: FloatArray, z: FloatArray) -> tuple[float, int, FloatArray | None]:
        """The objective at y (n_0,), the number of new cuts that z violates, and the point (n,).

        The point is None if a stage has none at y.
        """
        # the stages of each recourse, a part for each worker
        width = self.executor.width
        requests = [
            (number, stages, y)
            for number, kind in enumerate(self.recourses)
            for stages in np.array_split(np.arange(len(kind.rows)), min(width, len(kind.rows)))
        ]
        answers = call_blocks(self.executor, solve_stages, self.recourses, requests, self.budget)
        total, x = self.stage_one.objective(y), np.zeros(self.program.cost.size)
        x[self.structure.linking_columns] = y
        proof = []
        for number, kind in enumerate(self.recourses):
            parts = [a for (k, *_), a in zip(requests, answers, strict=True) if k == number]
            values, points, multipliers = (np.concatenate(p) for p in zip(*parts, strict=True))
            total += float(values.sum())
            x[kind.columns] = points
            proof.append((multipliers, np.isinf(values)))
        cuts = self._cuts_of(len(self.proofs), proof, self.thetas)
        self.proofs.append(proof)
        thetas = np.where(cuts.theta == NO_THETA, 0.0, z[self.n + cuts.theta])
        heights = cuts.constants + cuts.slopes @ z[: self.n]
        violated = cuts.take(heights - thetas > VIOLATED * np.maximum(1.0, np.abs(heights)))
        self._add(violated)
        return total, violated.theta.size, x if math.isfinite(total) else None

    def _cuts_of(
        self, number: int, proof: Sequence[tuple[FloatArray, BoolArray]], thetas: int
    ) -> StageCuts:
        """The cuts of the multipliers of a round, without those whose constant is -inf.

        With fewer thetas than stages, a cut with costs is the sum over the stages of a group, which
        all need one.
        """
        parts = [kind.cuts(*part) for kind, part in zip(self.recourses, proof, strict=True)]
        constants, slopes = (np.concatenate(part) for part in zip(*parts, strict=True))
        farkas = np.concatenate([is_ray for _, is_ray in proof])
        cuts = StageCuts(
            np.where(farkas, NO_THETA, np.arange(self.S)),
            constants,
            slopes,
            number * self.S + np.arange(self.S),
        )
        finite = np.isfinite(constants)
        if thetas == self.S:
            return cuts.take(finite)
        starts = np.array([part[0] for part in np.array_split(np.arange(self.S), thetas)])
        complete = np.logical_and.reduceat(finite & ~farkas, starts)
        sums = StageCuts(
            np.arange(thetas),
            np.add.reduceat(constants, starts),
            np.add.reduceat(slopes, starts),
            cuts.origin[starts],
        )
        return _join(cuts.take(finite & farkas), sums.take(complete))

    def _all_cuts(self, thetas: int, origins: Sequence[int] | None = None) -> StageCuts:
        """The cuts of all rounds, or of some origins, computed from their multipliers."""
        rounds = (self._cuts_of(number, proof, thetas) for number, proof in enumerate(self.proofs))
        cuts = _join(self._no_cuts(), *rounds)
        return cuts if origins is None else cuts.take(np.isin(cuts.origin, origins))

    def _no_cuts(self) -> StageCuts:
        """No cut."""
        empty = np.zeros(0, dtype=np.intp)
        return StageCuts(empty, np.zeros(0), np.zeros((0, self.n)), empty)

    def _add(self, cuts: StageCuts) -> None:
        """Append cuts to the live master."""
        if not cuts.theta.size:
            return
        rows = self._master_program(cuts, *self._box).rows[self.stage_one.row_lower.size :]
        status = self.highs.addRows(
            cuts.theta.size, cuts.constants, np.full(cuts.theta.size, np.inf),
            rows.nnz, rows.indptr[:-1], rows.indices, rows.data,
        )  # fmt: skip
        accepted(status, "new cuts", rows.data)
        self.cuts = _join(self.cuts, cuts)

    def _offer(self, x: FloatArray) -> bool:
        """Whether a point (n,) of the program is one; it is kept if it is the best."""
        program = self.structure.program
        judged: FloatArray | None = None
        if program.integer.any():
            judged, _ = judge_integers(program, x, as_given)
        elif relative_violation(program, x) <= CLAIM_TOLERANCE:
            judged = x
        if judged is None:
            return False
        value = self.program.objective(judged)
        if value < self.value:
            self.best, self.value = judged, value
        return True

    def _observe(self) -> None:
        """Append a record to the trace, and keep what there is."""
        self.loop.record(self.value, self.bound, **self.counts)
        self.save(30.0)

    # records

    @property
    def identity(self) -> dict[str, str]:
        """The values that identify the program and its stages in a record."""
        stages = [[kind.rows.tolist(), kind.columns.tolist()] for kind in self.recourses]
        return identity(self.program, self.program.integer.tolist(), stages)

    def save(self, seconds: float) -> bool:
        """Write the checkpoint if the last one is at least this many seconds old, and return
        whether it was written.

        It has the best point and the multipliers, as the bytes of their numbers: cuts and bounds
        follow from them.
        """
        if self.checkpoint is None or self.budget.seconds - self.saved < seconds:
            return False
        self.saved = self.budget.seconds
        relaxation = None
        if self.relaxation is not None:
            thetas, cuts, duals = self.relaxation
            relaxation = thetas, cuts.origin.tolist(), _encode(duals)
        record = {
            "rounds": [
                [[_encode(y), farkas.tolist()] for y, farkas in proof] for proof in self.proofs
            ],
            "solved": self.rounds,
            "point": None if self.best is None else self.best.tolist(),
            "records": self.loop.earlier + len(self.loop.trace),
            "cuts": (self.thetas, self.cuts.origin.tolist()),
            "relaxation": relaxation,
            "splits": list(self.splits.items()),
            "leaves": [(k, None if y is None else _encode(y)) for k, y in self.leaves.items()],
        }
        return write_checkpoint(self.checkpoint, self.identity | record)

    def resume(self) -> None:
        """Resume from the checkpoint, if there is one: cuts and bounds from its multipliers, its
        tree and its point.
        """
        place = self.checkpoint
        stored = None if place is None else read_checkpoint(place, self.identity)
        if place is None or stored is None:
            return
        with invalid_record(place):
            for proof in stored["rounds"]:
                parts = zip(proof, self.recourses, strict=True)
                self.proofs.append([
                    (
                        _decode(lam).reshape(kind.rows.shape),
                        np.array(farkas, dtype=np.bool_).reshape(len(kind.rows)),
                    )
                    for (lam, farkas), kind in parts
                ])  # fmt: skip
            self.rounds, self.loop.earlier = int(stored["solved"]), int(stored["records"])
            self.thetas, origins = int(stored["cuts"][0]), stored["cuts"][1]
            self.cuts = self._all_cuts(self.thetas, origins)
            pass_program(self.highs, self._master_program(self.cuts, *self._box))
            if stored["relaxation"] is not None:
                thetas, origins, duals = stored["relaxation"]
                self.relaxation = thetas, self._all_cuts(thetas, origins), _decode(duals)
                self._raise(self._bound(*self.relaxation, *self._box))
            self.splits = {int(node): tuple(split) for node, split in stored["splits"]}
            # every part comes from exactly one division
            numbers = sorted(part for _, _, *parts in self.splits.values() for part in parts)
            if numbers != list(range(1, len(numbers) + 1)):
                raise ValueError
            self.leaves = {k: None if y is None else _decode(y) for k, y in stored["leaves"]}
            if self.leaves:
                self.reopened = [
                    (number, level, box, self._leaf_bound(number, *box))
                    for number, level, box in self._leaf_boxes()
                ]
                self._raise(min(bound for *_, bound in self.reopened))
            if stored["point"] is not None:
                self._offer(np.array(stored["point"], dtype=np.float64))
        self.resumed = f"resumed from {place}: {amount(self.size, 'cut')}"

    def faults(self, bound: float | None) -> Iterator[str]:
        """What a second computation of the cuts, and of the bounds of the tree, finds wrong."""
        if self.relaxation is None:
            return
        cuts, relaxed = self.cuts, self._bound(*self.relaxation, *self._box)
        for thetas, old in (self.relaxation[:2], (self.thetas, cuts)):
            proved = self._all_cuts(thetas)
            positions = np.searchsorted(proved.origin, old.origin)
            new = proved.take(np.minimum(positions, proved.origin.size - 1))
            wrong = (new.origin != old.origin) | (new.theta != old.theta)
            wrong |= (new.constants < old.constants) | (new.slopes != old.slopes).any(axis=1)
            for origin in old.origin[wrong].tolist():
                yield f"a cut of stage {origin % self.S} does not follow from its multipliers"
        if bound is None:
            return
        # the parts of the tree cover the box of the first stage
        parts = self._leaf_boxes() if self.leaves else ()
        lowest = min((self._leaf_bound(node, *box) for node, _, box in parts), default=-math.inf)
        best = raised_bound(self.program, max(relaxed, lowest))
        if bound > best + 1e-6 * max(1.0, abs(bound)):
            yield f"the bound {bound:.10g} is above {best:.10g}, that of its multipliers"

    def _leaf_boxes(self) -> Iterator[tuple[int, int, tuple[FloatArray, FloatArray]]]:
        """The nodes that are not divided, with their depths and boxes, by the divisions."""
        stack = [(0, 0, self._box)]
        while stack:
            node, level, (lower, upper) = stack.pop()
            if node not in self.splits:
                yield node, level, (lower, upper)
                continue
            j, largest, *parts = self.splits[node]
            high, low = upper.copy(), lower.copy()
            high[j], low[j] = largest, largest + 1.0
            stack += [(parts[0], level + 1, (lower, high)), (parts[1], level + 1, (low, upper))]

    def _leaf_bound(self, node: int, lower: FloatArray, upper: FloatArray) -> float:
        """The bound at the multipliers of a node, which later cuts have none of."""
        duals, cuts = self.leaves.get(node), self.cuts
        if duals is not None:
            zeros = np.zeros(self.stage_one.row_lower.size + cuts.theta.size - duals.size)
            return self._bound(self.thetas, cuts, np.append(duals, zeros), lower, upper)
        proof = infeasibility(self._master_program(cuts, lower, upper), SolveSettings())
        return -math.inf if proof is None else math.inf


def _encode(numbers: FloatArray) -> str:
    """Numbers as the text of their bytes."""
    return b64encode(numbers.tobytes()).decode()


def _decode(text: str) -> FloatArray:
    """The numbers of :func:`_encode`. Raises ValueError if one is not finite."""
    numbers = np.frombuffer(b64decode(text))
    if not np.isfinite(numbers).all():
        raise ValueError
    return numbers


def _join(*parts: StageCuts) -> StageCuts:
    """The cuts, in the order of their origins."""
    cuts = StageCuts(*map(np.concatenate, zip(*parts, strict=True)))
    return cuts.take(np.argsort(cuts.origin, kind="stable"))


def check_stages(structure: Structure) -> None:
    """Raise CapabilityError unless the blocks are second stages of the linking columns."""
    program = structure.program
    if not structure.kinds or not structure.linking_columns.size:
        raise CapabilityError(
            "the program has no second stages: name the columns of the first by `first`"
        )
    outside = np.ones(program.cost.size, dtype=np.bool_)
    outside[structure.linking_columns] = False
    part = program.rows[structure.linking_rows][:, outside]
    crossing = np.flatnonzero(np.diff(part.indptr))
    if crossing.size:
        name = program.row_names[structure.linking_rows[crossing[0]]]
        raise CapabilityError(
            f"row {name} links second stages, expected rows of one stage each: name the columns of "
            "the first by `first`"
        )
    stage_integers = program.integer & outside
    if stage_integers.any():
        name = program.column_names[int(np.flatnonzero(stage_integers)[0])]
        raise CapabilityError(
            f"{name} is an integer of a second stage: Benders cuts need linear second stages; use "
            "rp.dantzig_wolfe(model, method='auto'), or `method='auto'` of rp.two_stage"
        )
