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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import OutOfBudget, never
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.masters import UnboundedError
from radprog.decompositions.loop import Budget, Record
from radprog.decompositions.programs.blocks import ask_blocks, block_program, multiplier_bound
from radprog.decompositions.programs.structure import Block, Structure
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.units import Inside
from radprog.solvers.adapters.highs import (
    STATUS,
    Highs,
    accepted,
    new_highs,
    pass_program,
    set_option,
)
from radprog.solvers.certificate import dual_bound
from radprog.solvers.integers import bound_met, judge_integers, raised_bound
from radprog.solvers.program import Program, Solution, SolveSettings, Status
from radprog.solvers.registry import solved_by_any

BELOW = -1e9  # times the scale of costs: the bound of theta before its first cut
VIOLATED = 1e-9  # relative to the value of a stage: a cut that is worth its row


@dataclass(frozen=True)
class Cut:
    """theta >= constant + slope'y, or 0 >= constant + slope'y without costs.

    ``theta`` is the number of the stage, or of a group of stages whose cuts are added. The parts
    are the stages with their multipliers.
    """

    theta: int
    constant: float
    slope: FloatArray
    parts: tuple[tuple[int, FloatArray], ...]
    farkas: bool = False


class Stage:
    """A second stage, live in HiGHS; a call changes the sides of its rows."""

    def __init__(self, program: Program, block: Block, first: IntArray, how: SolveSettings) -> None:
        self.block = block
        self.across = program.rows[block.rows][:, first].tocsr()  # T_s
        self.turned = self.across.T.tocsr()
        self.program = block_program(program, block)
        self.columns = self.program.rows.T.tocsr()
        self.how = how
        self.highs: Highs | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"highs": None}

    def solve(self, y: FloatArray) -> tuple[float, FloatArray | None, FloatArray, bool]:
        """The value at y (n_0,), the point, the multipliers (m_s,), and whether there is a point.

        Raises UnboundedError for a stage whose value falls without end.
        """
        if self.highs is None:
            self.highs = new_highs(self.how)
            pass_program(self.highs, self.program)
        shift = self.across @ y
        m = shift.size
        lower, upper = self.program.row_lower - shift, self.program.row_upper - shift
        self.highs.changeRowsBounds(m, np.arange(m, dtype=np.int32), lower, upper)
        self.highs.run()
        word = self.highs.getModelStatus()
        if word == highspy.HighsModelStatus.kOptimal:
            solution = self.highs.getSolution()
            value = float(self.highs.getInfo().objective_function_value)
            return value, np.array(solution.col_value), np.array(solution.row_dual), True
        if STATUS[word] is Status.INFEASIBLE:
            ray = self.highs.getDualRay()
            values = np.array(ray[-1]) if len(ray) > 1 and ray[1] else np.zeros(0)
            if values.shape == (m,):
                return math.inf, None, values / max(np.abs(values).max(), 1e-300), False
            raise SolverError("a second stage is infeasible, and HiGHS gives no ray of it")
        if STATUS[word] is Status.UNBOUNDED:
            raise UnboundedError("a second stage is unbounded")
        if STATUS[word] in (Status.INTERRUPTED, Status.LIMIT):
            raise OutOfBudget
        self.highs.clearSolver()
        raise SolverError(
            f"HiGHS ended a second stage with '{self.highs.modelStatusToString(word)}'"
        )

    def cut(self, number: int, multipliers: FloatArray, *, farkas: bool) -> Cut | None:
        """The cut of multipliers (m_s,), or None if its constant is -inf."""
        program = self.program
        if farkas:
            program = replace(program, cost=np.zeros_like(program.cost))
        constant, lam = multiplier_bound(program, self.columns, multipliers)
        if not math.isfinite(constant):
            return None
        return Cut(number, constant, -(self.turned @ lam), ((number, lam),), farkas)


def solved_before(program: Program, scaled: Program, settings: SolveSettings) -> Solution:
    """Raise SolverError: the second stages are solved at the integers of the point already."""
    raise SolverError("the second stages are solved at these integers")


def solve_stages(
    stages: Sequence[Stage], asks: Sequence[tuple[int, FloatArray]], inside: Inside
) -> list[tuple[float, FloatArray | None, FloatArray, bool]]:
    """The answers of stages to (number, y)."""
    found = []
    for number, y in asks:
        if inside.interrupted():
            raise OutOfBudget
        found.append(stages[number].solve(y))
    return found


class TwoStages:
    """The master over the first stage, and its second stages."""

    def __init__(
        self, structure: Structure, settings: RunSettings, budget: Budget, trace: list[Record]
    ) -> None:
        self.structure, self.settings, self.budget, self.trace = structure, settings, budget, trace
        program = self.program = structure.program
        first = structure.linking_columns
        check_stages(structure)
        self.how = replace(
            settings.for_solver(budget), solver_options={}, log=None, time_limit=None
        )
        # a stage takes under a millisecond; to ask for an interrupt costs a fifth of it
        live = replace(
            self.how, solver_options={"presolve": "off", "solver": "simplex"}, interrupted=never
        )
        self.stages = []
        for block in structure.blocks:
            budget.check()
            self.stages.append(Stage(program, block, first, live))
        self.n, self.S = first.size, len(self.stages)
        self.integer = program.integer[first]
        self.scale = float(np.abs(program.cost).max(initial=0.0)) or 1.0
        # the master has a theta for each second stage; with many stages, the search has one for
        # each of 30 groups: 16,000 cuts of 2,150 stages were no program for it
        self.first = self._first_stage(self.S)
        self.groups = self.S if self.S <= 100 else 30
        self.highs = new_highs(replace(live, interrupted=self.how.interrupted))
        pass_program(self.highs, self.first)
        self.cuts: list[Cut] = []
        self.sums: list[Cut] = self.cuts if self.groups == self.S else []
        self.best: FloatArray | None = None
        self.value = math.inf
        self.bound = -math.inf
        self.searched = False
        self.rounds = 0
        self.message = ""

    @property
    def nodes(self) -> int:
        """The number of rounds."""
        return self.rounds

    @property
    def size(self) -> int:
        """The number of cuts."""
        return len(self.cuts)

    def lower_bound(self) -> float:
        """The bound of the minimisation, without the constant."""
        return min(self.bound, self.value)

    def progress(self) -> tuple[float | None, float]:
        """The value of the best point and the bound."""
        constant = self.program.constant
        return None if self.best is None else self.value + constant, self.bound + constant

    def run(self) -> Status:
        """Cuts until the bound meets the best point or the budget ends."""
        try:
            with self.settings.sharing.executor(self.S, self.budget) as self.executor:
                status = self._relaxation()
                if status is Status.OPTIMAL and self.integer.any() and not self.closed():
                    status = self._search()
        except (OutOfBudget, KeyboardInterrupt):
            return Status.LIMIT
        return status

    def closed(self) -> bool:
        """Whether the bound proves the best point."""
        constant, tol = self.program.constant, self.settings.tol
        if not math.isfinite(self.value):
            return False
        return bound_met(self.program, self.value + constant, self.bound + constant, tol)

    def _relaxation(self) -> Status:
        """Cuts at points of the master without integers, halfway to a core point (in-out)."""
        core: FloatArray | None = None
        most = self.settings.max_iter or math.inf
        upper = math.inf  # of the relaxation
        while self.rounds < most:
            z, value = self._solve_master()
            if z is None:
                return Status.INFEASIBLE
            y = z[: self.n]
            self._raise(value)
            # the search of a program with integers raises the bound further
            close = 1e-2 if self.integer.any() else 1e-9
            near = math.isfinite(upper) and upper - self.bound <= close * abs(upper)
            if near or self.closed():
                return Status.OPTIMAL
            at = y if core is None else 0.5 * (y + core)
            total, added, point = self._separate(at, z)
            if point is not None:
                upper = min(upper, total)
                core = at if core is None or total <= upper else core
                if not self.integer.any():
                    self._offer(at, point)
            if not added:
                if at is y:
                    return Status.OPTIMAL
                # no cut between the two points: cuts at the master's own point
                core = None
                total, added, point = self._separate(y, z)
                if point is not None and not self.integer.any():
                    self._offer(y, point)
                if point is not None:
                    upper, core = min(upper, total), y
                if not added:
                    return Status.OPTIMAL
            self._observe()
        return Status.LIMIT

    def _search(self) -> Status:
        """The master as an integer program, with a gap that falls, and cuts at its points."""
        self.searched = True
        gap = 0.05
        most = self.settings.max_iter or math.inf
        while self.rounds < most:
            whole = np.append(self.integer, np.zeros(self.groups, dtype=np.bool_))
            master = self._master_program(self._first_stage(self.groups), self.sums)
            program = replace(master, integer=whole)
            options = {"mip_rel_gap": repr(gap)}
            how = replace(self.how, time_limit=self.budget.limit, solver_options=options)
            answer = solved_by_any(program, program, how)
            self.budget.check()
            if answer.status is Status.INFEASIBLE:
                return Status.INFEASIBLE
            if answer.x is None:
                self.message = f"the master has no point: {answer.message or answer.status}"
                return Status.FAILED
            if answer.bound is not None:
                self._raise(answer.bound)
            y = answer.x[: self.n].copy()
            y[self.integer] = np.rint(y[self.integer])
            before = self.value
            total, added, point = self._separate(y, answer.x)
            if point is not None and total < self.value:
                self._offer(y, point)
            self._observe()
            if self.closed():
                return Status.OPTIMAL
            if not added and self.value >= before:
                if gap <= 1e-9:
                    return Status.OPTIMAL if self.closed() else Status.FAILED
                gap *= 0.1
            elif self.bound > -math.inf and self.value < math.inf:
                gap = min(gap, max(0.1 * (self.value - self.bound) / max(abs(self.value), 1e-9), 0))
        return Status.LIMIT

    def _raise(self, bound: float) -> None:
        """A new bound, raised to the next possible objective."""
        constant = self.program.constant
        self.bound = max(self.bound, raised_bound(self.program, bound + constant) - constant)

    def _solve_master(self) -> tuple[FloatArray | None, float]:
        """The point (n_0 + S,) of the master without integers, and its recomputed bound."""
        limit = self.budget.limit
        if limit is not None:
            set_option(self.highs, "time_limit", self.highs.getRunTime() + limit)
        self.highs.run()
        self.budget.check()
        word = self.highs.getModelStatus()
        if STATUS[word] is Status.INFEASIBLE:
            return None, math.inf
        if STATUS[word] is Status.UNBOUNDED:
            raise UnboundedError("the first stage is unbounded")
        if word != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                f"HiGHS ended the master with '{self.highs.modelStatusToString(word)}'"
            )
        solution = self.highs.getSolution()
        duals = np.array(solution.row_dual)
        z = np.array(solution.col_value)
        self.rounds += 1
        master = self._master_program(self.first, self.cuts)
        value = dual_bound(master, duals, best=self.first.objective(z)).value
        # thetas without a cut make the bound that of their first bound
        return z, value if (z[self.n :] > 0.99 * BELOW * self.scale).all() else -math.inf

    def _first_stage(self, thetas: int) -> Program:
        """The first stage with a number of thetas, without integers."""
        program, first, rows = (
            self.program,
            self.structure.linking_columns,
            self.structure.linking_rows,
        )
        own = program.rows[rows][:, first].tocsr()
        return replace(
            program,
            cost=np.append(program.cost[first], np.ones(thetas)),
            rows=sparse.hstack([own, sparse.csr_array((rows.size, thetas))], format="csr"),
            row_lower=program.row_lower[rows],
            row_upper=program.row_upper[rows],
            lower=np.append(program.lower[first], np.full(thetas, BELOW * self.scale)),
            upper=np.append(program.upper[first], np.full(thetas, np.inf)),
            integer=np.zeros(self.n + thetas, dtype=np.bool_),
            column_names=(),
            row_names=(),
            constant=0.0,
        )

    def _master_program(self, first: Program, cuts: Sequence[Cut]) -> Program:
        """The first stage with cuts as rows."""
        if not cuts:
            return first
        slopes, m = np.array([cut.slope for cut in cuts]), len(cuts)
        thetas = [(k, cut.theta) for k, cut in enumerate(cuts) if not cut.farkas]
        rows, columns = np.array(thetas, dtype=np.intp).reshape(-1, 2).T
        size = first.cost.size - self.n
        ones = sparse.csr_array((np.ones(len(rows)), (rows, columns)), (m, size))
        below = sparse.hstack([sparse.csr_array(-slopes), ones], format="csr")
        constants = np.array([cut.constant for cut in cuts])
        return replace(
            first,
            rows=sparse.vstack([first.rows, below], format="csr"),
            row_lower=np.append(first.row_lower, constants),
            row_upper=np.append(first.row_upper, np.full(m, np.inf)),
            row_names=(),
        )

    def _separate(self, y: FloatArray, z: FloatArray) -> tuple[float, int, list[FloatArray] | None]:
        """The objective at y (n_0,), the number of new cuts that z violates, and points of stages.

        The points are None if a stage has none at y.
        """
        total, points, cuts = float(self.first.cost[: self.n] @ y), list[FloatArray](), list[Cut]()
        asks = [(number, y) for number in range(self.S)]
        answers = ask_blocks(self.executor, solve_stages, self.stages, asks, self.budget)
        for number, stage in enumerate(self.stages):
            value, x, multipliers, feasible = answers[number]
            cut = stage.cut(number, multipliers, farkas=not feasible)
            cuts += [] if cut is None else [cut]
            total += value
            if x is not None:
                points.append(x)
        # the search has cuts of groups, where every stage of the group has one
        sums = [cut for cut in cuts if cut.farkas] if self.groups < self.S else cuts
        if self.groups < self.S and len(cuts) - len(sums) == self.S:
            for g, part in enumerate(np.array_split(np.arange(self.S), self.groups)):
                mine = [cuts[k] for k in part.tolist()]
                constant = sum(cut.constant for cut in mine)
                slope = np.sum([cut.slope for cut in mine], axis=0)
                sums.append(Cut(g, constant, slope, tuple(cut.parts[0] for cut in mine)))
        used = cuts if z.size == self.n + self.S else sums
        new = []
        for cut in used:
            theta = 0.0 if cut.farkas else float(z[self.n + cut.theta])
            height = cut.constant + float(cut.slope @ z[: self.n])
            if height - theta > VIOLATED * max(1.0, abs(height)):
                new.append(cut)
        if used is cuts:
            self._add(new)
        if self.sums is not self.cuts:
            self.sums += sums
        return total, len(new), points if len(points) == self.S else None

    def _add(self, new: Sequence[Cut]) -> None:
        """Append cuts to the live master."""
        if not new:
            return
        starts, columns, values = [0], list[IntArray](), list[FloatArray]()
        for cut in new:
            places = np.flatnonzero(cut.slope)
            columns.append(places.astype(np.int32))
            values.append(-cut.slope[places])
            size = places.size
            if not cut.farkas:
                columns.append(np.array([self.n + cut.theta], dtype=np.int32))
                values.append(np.ones(1))
                size += 1
            starts.append(starts[-1] + size)
        data = np.concatenate(values)
        status = self.highs.addRows(
            len(new), np.array([cut.constant for cut in new]), np.full(len(new), np.inf),
            len(data), np.array(starts[:-1], dtype=np.int32), np.concatenate(columns), data,
        )  # fmt: skip
        accepted(status, "new cuts", data)
        self.cuts += new

    def _offer(self, y: FloatArray, points: Sequence[FloatArray]) -> None:
        """Judge a point of the program, and keep it if it is the best."""
        x = np.zeros(self.program.cost.size)
        x[self.structure.linking_columns] = y
        for stage, point in zip(self.stages, points, strict=True):
            x[stage.block.columns] = point
        judged: FloatArray | None = x
        if self.program.integer.any():
            judged = judge_integers(self.program, x, solved_before).x
        if judged is None:
            return
        value = self.program.objective(judged) - self.program.constant
        if value < self.value:
            self.best, self.value = judged, value

    def _observe(self) -> None:
        """Append a record to the trace, in the sense of the program."""
        sense, constant = self.program.sense, self.program.constant
        record = Record(
            iteration=self.rounds,
            seconds=self.budget.seconds,
            objective=None if self.best is None else sense * (self.value + constant),
            bound=sense * (self.bound + constant) if math.isfinite(self.bound) else None,
            detail={"cuts": float(len(self.cuts))},
        )
        self.trace.append(record)
        self.settings.observe(record)

    def faults(self, bound: float | None) -> Iterator[str]:
        """What a second computation of the cuts and of the master's bound finds wrong."""
        for cut in [*self.cuts, *(self.sums if self.sums is not self.cuts else [])]:
            again = [self.stages[k].cut(k, lam, farkas=cut.farkas) for k, lam in cut.parts]
            real = [one for one in again if one is not None]
            constant = sum(one.constant for one in real)
            slope = np.sum([one.slope for one in real], axis=0)
            if len(real) < len(again) or constant < cut.constant or (slope != cut.slope).any():
                yield f"a cut of stage {cut.parts[0][0]} does not follow from its multipliers"
        if bound is None or self.searched:
            return
        program = self._master_program(self.first, self.cuts)
        answer = solved_by_any(program, program, SolveSettings())
        least = -math.inf if answer.bound is None else answer.bound + self.program.constant
        if bound > least + 1e-6 * max(1.0, abs(least)):
            yield f"the bound {bound:.10g} is above {least:.10g}, that of the cuts"


def check_stages(structure: Structure) -> None:
    """Raise CapabilityError unless the blocks are second stages of the linking columns."""
    program = structure.program
    if not structure.kinds or not structure.linking_columns.size:
        raise CapabilityError("the program has no second stages: name the columns of the first")
    outside = np.ones(program.cost.size, dtype=np.bool_)
    outside[structure.linking_columns] = False
    part = program.rows[structure.linking_rows][:, outside]
    crossing = np.flatnonzero(np.diff(part.indptr))
    if crossing.size:
        name = program.row_names[structure.linking_rows[crossing[0]]]
        raise CapabilityError(f"row {name} links second stages: expected rows of one stage each")
    whole = program.integer & outside
    if whole.any():
        name = program.column_names[int(np.flatnonzero(whole)[0])]
        raise CapabilityError(
            f"{name} is an integer of a second stage: Benders cuts need linear second stages"
        )
