"""Pricing of a block: min cost'x over the points x of a block within a box.

    min cost'x   s.t. l <= A x <= u,  lower <= x <= upper,  x_j integer for j in J

A block is compiled once; a call changes the costs and the box. One row ``<=`` of integers with
whole coefficients is a knapsack, solved exactly by dynamic programming. Other blocks are live
programs in HiGHS.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget, never
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.own.result import WHOLE
from radprog.decompositions.programs.structure import Block
from radprog.decompositions.sweeps.units import Executor, Inside, Sweep, Unit, ignore_step
from radprog.solvers.adapters.highs import (
    STATUS,
    Highs,
    accepted,
    new_highs,
    pass_program,
    renewed,
    set_option,
)
from radprog.solvers.certificate import implied_bounds, usable
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.violations import decimal_places

#: Cells of a table of dynamic programming: 0.3 seconds, beyond which a search is faster.
TABLE = 3e7
#: Tolerance of integers in a search with a gap, with which HiGHS takes 33 ms a call in
#: benchmarks/columns.py, and 44 with the 1e-9 of a search that proves an optimum.
COARSE = 1e-6


@dataclass(frozen=True)
class BlockAnswer:
    """Points (n,) of a block, the best first, and a lower bound on the smallest value.

    The bound is infinite if the block has no point. ``ray`` is a direction (n,) of the block along
    which the value falls without end; the bound is then -inf. ``multipliers`` (m,) are those of the
    rows of a linear block.
    """

    points: tuple[FloatArray, ...] = ()
    bound: float = math.inf
    ray: FloatArray | None = None
    multipliers: FloatArray | None = None


NO_POINT = BlockAnswer()


def block_program(program: Program, block: Block) -> Program:
    """The rows and columns of a block as a program of its own."""
    return replace(
        program,
        cost=program.cost[block.columns],
        rows=program.rows[block.rows][:, block.columns].tocsr(),
        row_lower=program.row_lower[block.rows],
        row_upper=program.row_upper[block.rows],
        lower=program.lower[block.columns],
        upper=program.upper[block.columns],
        integer=program.integer[block.columns],
        column_names=tuple(program.column_names[j] for j in block.columns),
        row_names=tuple(program.row_names[i] for i in block.rows),
        constant=0.0,
    )


def with_implied_bounds(program: Program) -> Program:
    """A block whose integers without bounds have those that its rows imply, up to rounding."""
    low, high = implied_bounds(program)
    low = np.where(program.integer & np.isinf(program.lower), np.ceil(low - WHOLE), program.lower)
    high = np.where(
        program.integer & np.isinf(program.upper), np.floor(high + WHOLE), program.upper
    )
    return replace(program, lower=low, upper=high)


def multiplier_bound(program: Program, columns: sparse.csr_array, multipliers: FloatArray) -> float:
    """The bound side(lam) + min over the bounds of (c - A'lam)'x; lam (m,) has no wrong signs.

    ``columns`` is A'. A reduced cost of 0 up to rounding has no term if its column has no bound in
    that direction. The bound may be -inf.
    """
    lam = usable(program, multipliers)
    sides = np.where(lam > 0.0, program.row_lower, program.row_upper)
    nonzero = lam != 0.0
    bound = float(lam[nonzero] @ sides[nonzero])
    reduced = program.cost - columns @ lam
    corner = np.where(reduced > 0.0, program.lower, program.upper)
    noise = 1e-9 * max(1.0, float(np.abs(program.cost).max(initial=0.0)))
    included = (reduced != 0.0) & (np.isfinite(corner) | (np.abs(reduced) > noise))
    return bound + float(reduced[included] @ corner[included])


@dataclass
class Knapsack:
    """A block with one row of whole numbers over bounded integers, as ``weights @ x <= side``."""

    weights: IntArray
    side: int

    @staticmethod
    def of(program: Program) -> Knapsack | None:
        """The knapsack of a block, or None if the block is none."""
        bounded = np.isfinite(program.lower).all() and np.isfinite(program.upper).all()
        if program.row_lower.size != 1 or not program.integer.all() or not bounded:
            return None
        row = program.rows.toarray()[0]
        low, high = float(program.row_lower[0]), float(program.row_upper[0])
        if math.isfinite(low) and math.isfinite(high):
            return None
        row, side = (row, high) if math.isfinite(high) else (-row, -low)
        # decimals become whole numbers
        places = decimal_places(np.append(row, side))
        if (places < 0).any() or int(places.max()) > 6:
            return None
        unit = 10 ** int(places.max())
        weights, capacity = np.rint(row * unit), round(side * unit)
        if np.abs(weights).max(initial=0.0) > 1e9 or not math.isfinite(side):
            return None
        divisor = int(np.gcd.reduce(weights.astype(np.int64))) or 1
        return Knapsack(weights.astype(np.int64) // divisor, capacity // divisor)

    def cells(self, lower: FloatArray, upper: FloatArray) -> float:
        """The size of the table for a box."""
        span = upper - lower
        room = self.side - int(np.minimum(self.weights * lower, self.weights * upper).sum())
        kinds = np.ceil(np.log2(np.maximum(span, 0.0) + 1.0))[self.weights != 0].sum()
        return float(max(room, 0) + 1) * float(kinds)

    def price(
        self, cost: FloatArray, lower: FloatArray, upper: FloatArray, count: int
    ) -> BlockAnswer:
        """The best point, and up to ``count`` points, each without the items of those before."""
        # from the cheapest end of each column: items save weight at a cost, or cost weight
        weights = self.weights
        light = np.where(weights >= 0, lower, upper)
        room = self.side - int((weights * light).sum())
        if room < 0:
            return NO_POINT
        sign = np.where(weights >= 0, 1.0, -1.0)
        span = np.minimum((upper - lower).astype(np.int64), np.iinfo(np.int32).max)
        start = light.copy()
        free = (weights == 0) & (cost < 0.0)
        start[free] = upper[free]
        gain = -sign * cost
        points: list[FloatArray] = []
        usable = (weights != 0) & (gain > 0.0) & (span > 0) & (np.abs(weights) <= room)
        while usable.any() and len(points) < count:
            load = _best_load(np.abs(weights[usable]), gain[usable], span[usable], room)
            point = start.copy()
            point[usable] += sign[usable] * load
            points.append(point)
            usable[np.flatnonzero(usable)[load > 0]] = False
        if not points:
            points.append(start)
        return BlockAnswer(tuple(points), float(cost @ points[0]))


def _best_load(weights: IntArray, gains: FloatArray, limits: IntArray, room: int) -> FloatArray:
    """The numbers (k,) of each item that gain most within the room: a bounded knapsack.

    Dynamic programming over items in powers of two. The best value of each room is exact up to the
    rounding of sums.
    """
    # copies in powers of two: a number up to its limit is a sum of some of them
    items: list[tuple[int, int]] = []  # item, copies
    for k, number in enumerate(np.minimum(limits, room // weights).tolist()):
        size = 1
        while number > 0:
            items.append((k, min(size, number)))
            number -= size
            size *= 2
    value = np.zeros(room + 1)
    taken = np.zeros((len(items), room + 1), dtype=np.bool_)
    for place, (k, copies) in enumerate(items):
        weight = int(weights[k]) * copies
        if weight > room:
            continue
        with_item = value[: room + 1 - weight] + gains[k] * copies
        np.greater(with_item, value[weight:], out=taken[place, weight:])
        np.maximum(with_item, value[weight:], out=value[weight:])
    # back from the full room
    counts = np.zeros(len(weights))
    free = room
    for place in range(len(items) - 1, -1, -1):
        if taken[place, free]:
            k, copies = items[place]
            counts[k] += copies
            free -= int(weights[k]) * copies
    return counts


@dataclass
class BlockPricer:
    """A block as a program of its own; ``program.cost`` is replaced at each call."""

    program: Program
    settings: SolveSettings
    limits: Callable[[], float | None]
    knapsack: Knapsack | None = field(init=False)
    transpose: sparse.csr_array = field(init=False)  # of its rows
    integral: bool = field(init=False)  # whether rows are whole, and points within COARSE are too
    highs: Highs | None = field(init=False, default=None)
    calls: int = 0

    def __post_init__(self) -> None:
        program = self.program
        self.knapsack = Knapsack.of(program)
        self.transpose = program.rows.T.tocsr()
        numbers = np.concatenate([program.rows.data, program.row_lower, program.row_upper])
        numbers = numbers[np.isfinite(numbers)]
        moved = COARSE * abs(program.rows).sum(axis=1).max(initial=0.0)
        self.integral = bool(program.integer.all() and moved < 0.1 and not (numbers % 1.0).any())

    def __getstate__(self) -> dict[str, Any]:
        # a worker has a program of its own in HiGHS, and no limit but that of its unit
        settings = replace(self.settings, interrupted=never)
        return self.__dict__ | {"highs": None, "limits": lambda: None, "settings": settings}

    @property
    def searched(self) -> bool:
        """Whether bounds are those of a search."""
        return self.knapsack is None and bool(self.program.integer.any())

    def price(
        self,
        cost: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        count: int = 1,
        gap: float = 0.0,
    ) -> BlockAnswer:
        """Points of small value within the box, and a bound. ``gap`` is for searches."""
        if (lower > upper).any():
            return NO_POINT
        if self.knapsack is not None and self.knapsack.cells(lower, upper) <= TABLE:
            return self.knapsack.price(cost, lower, upper, count)
        return self._run(cost, lower, upper, gap)

    def _run(
        self, cost: FloatArray, lower: FloatArray, upper: FloatArray, gap: float
    ) -> BlockAnswer:
        """An answer of HiGHS."""
        integer = bool(self.program.integer.any())
        if self.highs is None:
            # lean: these programs are small, and many
            options = {"presolve": "off"}
            if integer:
                options |= {"mip_heuristic_effort": "0", "mip_detect_symmetry": "off"}
                options |= {"mip_heuristic_run_feasibility_jump": "off"}
            self.highs = new_highs(replace(self.settings, solver_options=options))
            pass_program(self.highs, self.program)
        highs = self.highs
        n = self.program.cost.size
        places = np.arange(n, dtype=np.int32)
        accepted(highs.changeColsCost(n, places, cost), "new costs", cost)
        accepted(highs.changeColsBounds(n, places, lower, upper), "new bounds")
        # without a limit, the limit of an earlier call is lifted: a check after a run has none
        limit = self.limits()
        set_option(highs, "time_limit", highs.getRunTime() + (math.inf if limit is None else limit))
        # HiGHS 1.15 without presolve calls the origin "optimal" where integers have no end
        falls = ((cost < 0.0) & np.isposinf(upper)) | ((cost > 0.0) & np.isneginf(lower))
        answer = self._ray(cost, lower, upper) if integer and falls.any() else None
        if answer is not None:
            return answer
        if integer:
            endless = bool((np.isinf(lower) | np.isinf(upper))[self.program.integer].any())
            # integers without bounds have 0.2 s, because HiGHS follows a ray of cost 0 for ever
            set_option(highs, "mip_max_nodes", 2_000 if endless else highspy.kHighsIInf)
            set_option(highs, "mip_rel_gap", gap)
            coarse = gap > 0.0 and self.integral and not endless
            set_option(highs, "mip_feasibility_tolerance", COARSE if coarse else 1e-9)
            highs.clearSolver()
        highs.run()
        word = highs.getModelStatus()
        status = STATUS[word]
        if status is Status.UNBOUNDED or word == highspy.HighsModelStatus.kUnboundedOrInfeasible:
            answer = self._ray(cost, lower, upper)
            if answer is None:
                raise SolverError("a block is unbounded, and HiGHS gives no ray of it")
            return answer
        if status is Status.FAILED:
            self.highs = renewed(highs)
            raise SolverError(f"HiGHS failed on a block: {highs.modelStatusToString(word)}")
        if status is Status.INFEASIBLE:
            return NO_POINT
        solution, info = highs.getSolution(), highs.getInfo()
        bound = float(info.mip_dual_bound if integer else info.objective_function_value)
        if integer and coarse:  # less what tolerances of columns and of reduced costs may hide
            bound -= COARSE * float((np.abs(cost) + upper - lower).sum())
        if not solution.value_valid or (not integer and status is not Status.OPTIMAL):
            return BlockAnswer((), bound if integer else -math.inf)
        x = np.clip(np.array(solution.col_value), lower, upper)
        x[self.program.integer] = np.rint(x[self.program.integer])
        value = float(cost @ x)
        if integer:
            return BlockAnswer((x,), min(bound, value))
        # a linear block: its bound is that of its multipliers, not the solver's word
        duals = np.array(solution.row_dual)
        part = replace(self.program, cost=cost, lower=lower, upper=upper)
        bound = multiplier_bound(part, self.transpose, duals)
        return BlockAnswer((x,), min(bound, value), multipliers=duals)

    def _ray(self, cost: FloatArray, lower: FloatArray, upper: FloatArray) -> BlockAnswer | None:
        """A ray of the block's relaxation, which is one of the block, or that it has no point.

        None if the relaxation has an optimum, or no ray is found.
        """
        highs = self.highs
        assert highs is not None
        n = self.program.cost.size
        places, kinds = np.arange(n, dtype=np.int32), self.program.integer.astype(np.uint8)
        if kinds.any():
            highs.changeColsIntegrality(n, places, np.zeros(n, dtype=np.uint8))
        highs.clearSolver()
        highs.run()
        model_status = highs.getModelStatus()
        ray = highs.getPrimalRay()
        if kinds.any():
            highs.changeColsIntegrality(n, places, kinds)
        if STATUS[model_status] is Status.INFEASIBLE:
            return NO_POINT
        values = np.array(ray[-1]) if len(ray) > 1 and ray[1] else np.zeros(n)
        values /= np.abs(values).max() or 1.0
        # HiGHS may return a ray with another status, or an optimum with an old ray
        program = self.program
        steps = np.append(program.rows @ values, values)
        lowest, highest = np.append(program.row_lower, lower), np.append(program.row_upper, upper)
        bad = (np.isfinite(lowest) & (steps < -1e-7)) | (np.isfinite(highest) & (steps > 1e-7))
        return None if bad.any() or cost @ values >= 0.0 else BlockAnswer((), -math.inf, ray=values)


def price_blocks(
    pricers: Sequence[BlockPricer], requests: Sequence[tuple[int, Any]], inside: Inside
) -> list[BlockAnswer]:
    """The answers of the pricers of these numbers to the arguments of :meth:`BlockPricer.price`."""
    return [pricers[number].price(*given) for number, given in requests]


def call_blocks(
    executor: Executor, call: Any, blocks: Any, requests: Sequence[Any], budget: Budget
) -> list[Any]:
    """The answers of call(blocks, requests) in the order of ``requests``, which workers divide."""
    width = min(executor.width, len(requests))
    if width <= 1:
        return list(call(blocks, requests, Inside(budget.spent)))
    units = [Unit(name=f"blocks {k}", item=requests[k::width]) for k in range(width)]
    results: list[Any] = [None] * len(requests)
    sweep = Sweep(call=call, shared=blocks, units=units)
    for number, answer in executor.answers(sweep, budget, ignore_step):
        if answer.error is not None:
            raise answer.error
        if answer.cut:
            raise OutOfBudget
        results[number::width] = answer.value
    budget.check()
    return results
