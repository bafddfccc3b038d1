"""Integer programs proved by a tree of our own: each leaf is closed in rational arithmetic.

    min c'x   s.t. l <= A x <= u,  x in its bounds,  x_j integer for j in J

A node has bounds on integer columns, and its relaxation is a linear program in HiGHS. Multipliers y
of its rows, as fractions, prove the bound side(y) + sum_j min over x_j of (c - A'y)_j x_j, whatever
HiGHS says. A leaf is closed if this bound reaches the value to prove, or, without costs, if it is
above 0 (Farkas). If all costs belong to integers, bounds are rounded up to the next value that an
integer point can have. The certificate is written in VIPR (Cheung, Gleixner and Steffy 2017): a
leaf is a linear combination under assumptions, and a division an unsplit.

Before and after its relaxation is solved, columns of a node are fixed: a row alone, or the reduced
cost beside an incumbent, closes the part beyond an end. This is a division with one closed child.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import Limit, OutOfBudget, poll
from radprog.base.sections import amount
from radprog.base.types import FloatArray
from radprog.solvers.adapters.highs import STATUS, new_highs, pass_program, renewed
from radprog.solvers.certificate import dual_bound, implied_bounds
from radprog.solvers.dense.linear_systems import common
from radprog.solvers.formats.reading import ExactNumbers
from radprog.solvers.program import INFINITE, ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.questions.exact import (
    CONSTANT,
    Places,
    numbers_of,
    solve_exactly,
    vipr_head,
    vipr_terms,
)
from radprog.solvers.rescale import row_units
from radprog.solvers.violations import EXACT

NOTHING = Fraction(0)


#: Multipliers of rows; those of all others are 0.
Multipliers = dict[int, Fraction]


@dataclass
class _Box:
    """Bounds (n,) of columns; how it is closed, or divided at a column above ``floor``.

    ``y`` are multipliers (m,) of its relaxation, or those of a box around it. ``parent`` is the
    division that it comes from: its side, its column, and the distance of the column's value from
    the new end.
    """

    lower: FloatArray
    upper: FloatArray
    bound: float
    parent: tuple[int, int, float] = (0, 0, 0.0)
    y: FloatArray | None = None
    multipliers: Multipliers | None = None
    farkas: bool = False
    column: int = -1
    floor: int = 0
    children: tuple[_Box, ...] = ()


class ExactTree:
    """The tree of an integer program with the numbers of a file, or with its doubles.

    After :meth:`solve`, ``status`` is optimal, infeasible, feasible or limit. ``x`` (n,) and
    ``objective`` are exact, with the constant. ``bound`` is proved by the leaves and, without a
    proof of the optimum, by the open nodes; ``nodes`` are those that were visited.
    """

    def __init__(
        self, program: Program, load: Callable[[], Any], numbers: ExactNumbers | None = None
    ) -> None:
        if program.problem_class not in (ProblemClass.LP, ProblemClass.MILP):
            raise CapabilityError(
                f"no exact proof of a {program.problem_class}: expected linear rows and costs"
            )
        load()  # a missing package is named before a search
        self.program, self.load = program, load
        # the decimals of 15 digits that doubles in memory hold
        self.numbers = numbers or numbers_of(program, lambda v: Fraction(f"{v:.15g}"))
        # rows and costs in whole numbers, and what these are multiples of
        rows = [common([*row.values()]) for row in self.numbers.rows]
        self.rows = [
            (dict(zip(row, values, strict=True)), denom)
            for row, (values, denom) in zip(self.numbers.rows, rows, strict=True)
        ]
        self.cost, self.denom = common(self.numbers.cost)
        # every finite side of a row as a'x <= b, for columns that a row alone fixes; of a program
        # whose dense rows have more than a million entries, none
        few = len(self.rows) if len(self.rows) * len(self.cost) <= 10**6 else 0
        A = program.rows[:few].toarray()
        low, high = program.row_lower[:few], program.row_upper[:few]
        upper, lower = np.flatnonzero(np.isfinite(high)), np.flatnonzero(np.isfinite(low))
        self.sides = (
            np.vstack([A[upper], -A[lower]]),
            np.concatenate([high[upper], -low[lower]]),
        )
        self.proofs: list[Multipliers] = [{int(r): Fraction(-1)} for r in upper]
        self.proofs += [{int(r): Fraction(1)} for r in lower]
        # values of integer points are multiples of 1 / scale, if no continuous column has a cost
        self.scale: int | None = None
        if all(not c or program.integer[j] for j, c in enumerate(self.numbers.cost)):
            self.scale = math.lcm(*(c.denominator for c in self.numbers.cost), 1)
        relaxed = replace(program, integer=np.zeros_like(program.integer), constant=0.0)
        self.relaxed = relaxed
        self.highs = new_highs(SolveSettings(tol=1e-9), presolve="off")
        self.units = row_units(relaxed)
        pass_program(self.highs, self.units.scaled(relaxed))
        self.x: list[Fraction] | None = None
        self.value: Fraction | None = None
        self.root = _Box(program.lower.copy(), program.upper.copy(), -math.inf)
        self.status, self.bound, self.nodes = Status.LIMIT, -math.inf, 0
        # mean gains of the bound by a division, below and above, for each column
        n = program.cost.size
        self.gains, self.counts = np.zeros((2, n)), np.zeros((2, n))

    def solve(self, start: FloatArray | None = None) -> ExactTree:
        """Search best first until every leaf is closed, or a limit ends it.

        ``start`` (n,) is a point to begin with, such as a solver's incumbent.
        """
        numbers = itertools.count()
        heap: list[tuple[float, int, _Box]] = [(-math.inf, next(numbers), self.root)]
        node: _Box | None = None
        try:
            if start is not None:
                self._offer(start)
            while heap:
                poll()
                node = heapq.heappop(heap)[-1]
                # down to a leaf, then on with the least bound
                while node is not None:
                    poll()
                    children = self._visit(node)
                    for child in children[1:]:
                        heapq.heappush(heap, (child.bound, next(numbers), child))
                    node = children[0] if children else None
        except OutOfBudget:
            lowest = self._bound_of_open()
            self.status = Status.LIMIT if self.x is None else Status.FEASIBLE
        else:
            self.status = Status.INFEASIBLE if self.value is None else Status.OPTIMAL
            lowest = math.inf if self.value is None else float(self.target)
        self.bound = lowest + float(self.numbers.constant)
        return self

    def _bound_of_open(self) -> float:
        """A proved bound of the nodes that are not closed.

        Values of HiGHS prove nothing, so bounds of multipliers are computed: from the root on, the
        node with the least one is replaced by its children, until it has none.
        """
        lower, upper = self.relaxed.lower, self.relaxed.upper
        if self.value is not None:  # ends of columns at points that are not worse than the best
            none = np.zeros_like(lower)
            lower, upper = implied_bounds(self.relaxed, float(self.value) + 1.0, none, none)

        def bound_at(node: _Box) -> float:
            if node.y is None:
                return -math.inf
            ends = np.maximum(lower, node.lower), np.minimum(upper, node.upper)
            part = replace(self.relaxed, lower=ends[0], upper=ends[1])
            return dual_bound(part, node.y)[0]

        # the limit has passed already: 0.3 ms each, and 100 where columns have no ends
        grace = Limit(0.5)
        heap, numbers = [(bound_at(self.root), 0, self.root)], itertools.count(1)
        while heap and heap[0][-1].children and not grace.spent():
            least, _, node = heapq.heappop(heap)
            for child in node.children:
                if child.multipliers is None:
                    heapq.heappush(heap, (max(least, bound_at(child)), next(numbers), child))
        least = heap[0][0] if heap else math.inf
        least = float(self._raised(Fraction(least))) if math.isfinite(least) else least
        return least if self.value is None else min(least, float(self.target))

    @property
    def objective(self) -> Fraction | None:
        """The value of the point."""
        return None if self.value is None else self.value + self.numbers.constant

    @property
    def target(self) -> Fraction:
        """The bound to prove, without the constant: the best value."""
        assert self.value is not None
        return self.value

    def _raised(self, bound: Fraction) -> Fraction:
        """The bound, raised to the next value of an integer point."""
        if self.scale is None:
            return bound
        return Fraction(math.ceil(bound * self.scale), self.scale)

    def _visit(self, node: _Box) -> tuple[_Box, ...]:
        """Solve the relaxation of a node: close it, or divide it. The first child is dived into."""
        self.nodes += 1
        node = self._fix_by_rows(node)
        if node.multipliers is not None:
            return ()
        n = self.program.cost.size
        places = np.arange(n, dtype=np.int32)
        self.highs.changeColsBounds(n, places, node.lower, node.upper)
        status = self._run()
        if status is Status.INFEASIBLE:
            ray = self.highs.getDualRay()
            values = np.array(ray[-1]) if len(ray) > 1 and ray[1] else np.zeros(0)
            self._close_infeasible(node, values * self.units.rows[: values.size])
            return ()
        if status is Status.UNBOUNDED:
            raise CapabilityError("the relaxation is unbounded: exact proofs are of an optimum")
        if status is not Status.OPTIMAL:
            self.highs.clearSolver()
            if self._run() is not Status.OPTIMAL:
                # lost in the scale of the program: rational numbers close the node, or its parts
                x = np.clip(0.0, node.lower, node.upper)
                return () if self._close_exactly(node) else self._divide_free(node, x, node.bound)
        solution = self.highs.getSolution()
        x, y = np.array(solution.col_value), np.array(solution.row_dual) * self.units.rows
        value = float(self.highs.getInfo().objective_function_value)
        self._learn(*node.parent, value - node.bound)
        node.bound, node.y = max(node.bound, value), y
        if self.value is not None and self._close(node, y, value):
            return ()
        fraction = np.abs(x - np.rint(x))
        fraction[~self.program.integer] = 0.0
        if fraction.max(initial=0.0) <= 1e-6:
            self._offer(x, node)
            if self._close(node, y, value) or self._close_exactly(node):
                return ()
            return self._divide_free(node, x, value)  # rounded integers are not optimal here
        if self.value is not None:
            node = self._fix_by_costs(node, y, np.array(solution.col_dual), value)
            if (node.lower > node.upper).any():  # no whole number is left
                node.multipliers, node.farkas = {}, True
                return ()
        return self._divide(node, self._choose(node, x, fraction, value), x, value)

    def _run(self) -> Status:
        """Solve the live relaxation. An object that failed is replaced: it cannot run again."""
        self.highs.run()
        status = STATUS[self.highs.getModelStatus()]
        if self.highs.failed:
            self.highs = renewed(self.highs)
        return status

    def _choose(self, node: _Box, x: FloatArray, fraction: FloatArray, value: float) -> int:
        """The column to divide at, by pseudo-costs that are reliable."""
        free = np.flatnonzero(fraction > 1e-6)
        if free.size == 1 and self.program.integer.all():
            # no choice: the largest entry decides most of what a row of integers leaves
            # (subset sum of 30 columns: 350 nodes, 2,100 at the fraction)
            divisible = self.program.integer & (node.lower < node.upper)
            return int(
                np.where(divisible, np.abs(self.sides[0]).max(axis=0, initial=0.0), -1.0).argmax()
            )
        # the gains that pseudo-costs expect on both sides, and their average for other columns
        part = x[free] - np.floor(x[free])
        means = self.gains / np.maximum(self.counts, 1.0)
        average = means.sum() / max(1, np.count_nonzero(self.counts)) or 1.0
        gains = np.where(self.counts[:, free] > 0, means[:, free], average) * [part, 1.0 - part]
        order = np.argsort(-np.maximum(gains, 1e-9).prod(axis=0), kind="stable")[:8]
        # reliability: dual simplex steps for sides of the best columns without a pseudo-cost
        # (lot sizing: 576 nodes, 762 without)
        basis = self.highs.getBasis()
        for k in order.tolist():
            j = int(free[k])
            ends = (node.lower[j], math.floor(x[j])), (math.ceil(x[j]), node.upper[j])
            for side in np.flatnonzero(self.counts[:, j] == 0.0).tolist():
                poll()
                self.highs.changeColBounds(j, *ends[side])
                self.highs.setOptionValue("simplex_iteration_limit", 20)
                status = self._run()
                if status is Status.INFEASIBLE:
                    gains[side, k] = math.inf
                elif status is not Status.FAILED:
                    bound = float(self.highs.getInfo().objective_function_value)
                    gains[side, k] = max(0.0, bound - value)
                    self._learn(side, j, abs(part[k] - side), bound - value)
                self.highs.changeColBounds(j, node.lower[j], node.upper[j])
                self.highs.setBasis(basis)
        self.highs.setOptionValue("simplex_iteration_limit", 2**31 - 1)
        return int(free[order[np.maximum(gains[:, order], 1e-9).prod(axis=0).argmax()]])

    def _divide_free(self, node: _Box, x: FloatArray, value: float) -> tuple[_Box, ...]:
        """Two children by the first integer that is not fixed."""
        free = np.flatnonzero(self.program.integer & (node.lower < node.upper))
        if not free.size:
            raise SolverError("a node with fixed integers is not closed by rational numbers")
        return self._divide(node, int(free[0]), x, value)

    def _divide(self, node: _Box, j: int, x: FloatArray, value: float) -> tuple[_Box, ...]:
        """Two children: column j at most ``floor``, or at least ``floor`` + 1."""
        # a value on an end of the column, up to rounding, is divided off from the others
        floor = max(
            math.floor(x[j]), math.ceil(node.lower[j]) if node.lower[j] > -INFINITE else -math.inf
        )
        floor = int(min(floor, math.ceil(node.upper[j]) - 1 if node.upper[j] < INFINITE else floor))
        x_j = float(x[j])
        upper, lower = node.upper.copy(), node.lower.copy()
        upper[j], lower[j] = floor, floor + 1
        node.column, node.floor = j, floor
        node.children = (
            _Box(node.lower, upper, value, (0, j, x_j - floor), node.y),
            _Box(lower, node.upper, value, (1, j, floor + 1 - x_j), node.y),
        )
        # the nearer side first
        return node.children if x_j - floor <= 0.5 else node.children[::-1]

    def _learn(self, side: int, j: int, distance: float, gain: float) -> None:
        """Pseudo-costs: the gain of a division a unit of distance."""
        if distance > 1e-6:
            self.gains[side, j] += max(0.0, gain) / distance
            self.counts[side, j] += 1.0

    # fixed columns

    def _fix_by_rows(self, node: _Box) -> _Box:
        """The part of a node that each row leaves by itself; it is closed if nothing is left."""
        rows, sides = self.sides
        columns, changed = np.arange(rows.shape[1]), True
        while changed and sides.size:
            changed, lower, upper = False, node.lower, node.upper
            # least activities: what a row leaves, and how far its columns may move within it
            ends = np.clip(lower, -INFINITE, None), np.clip(upper, None, INFINITE)
            room = sides - np.maximum(rows, 0.0) @ ends[0] - np.minimum(rows, 0.0) @ ends[1]
            k = int(room.argmin())
            if room[k] < 0.0 and (self.bound_of(node, self.proofs[k], farkas=True) or 0) > 0:
                node.multipliers, node.farkas = self.proofs[k], True
                return node
            with np.errstate(divide="ignore", invalid="ignore"):
                steps = np.floor(room[:, None] / np.abs(rows) + 1e-9)
            free = self.program.integer & (lower < upper)
            for up, part in ((True, rows > 0.0), (False, rows < 0.0)):
                table = np.where(part, steps, np.inf)
                tightest = table.argmin(axis=0)
                reach = table[tightest, columns]
                for j in np.flatnonzero(free & (reach >= 0.0) & (reach < upper - lower)).tolist():
                    end = lower[j] + reach[j] if up else upper[j] - reach[j]
                    child = self._cut(node, j, end, self.proofs[tightest[j]], up=up, farkas=True)
                    changed |= child is not node
                    node = child
            if (node.lower > node.upper).any():
                node.multipliers, node.farkas = {}, True
                return node
        return node

    def _fix_by_costs(self, node: _Box, y: FloatArray, reduced: FloatArray, value: float) -> _Box:
        """The part of a node that reduced costs (n,) and the target leave."""
        multipliers = self._fractions(y, 24)
        width, size = node.upper - node.lower, np.maximum(np.abs(reduced), 1e-9)
        reach = np.floor(max(0.0, float(self.target) - value) / size + 1e-9)
        for j in np.flatnonzero(self.program.integer & (reach < width)).tolist():
            up = bool(reduced[j] > 0.0)
            end = node.lower[j] + reach[j] if up else node.upper[j] - reach[j]
            node = self._cut(node, j, end, multipliers, up=up, farkas=False)
        return node

    def _cut(
        self, node: _Box, j: int, end: float, y: Multipliers, *, up: bool, farkas: bool
    ) -> _Box:
        """The part of a node with column j up to ``end``, or from it on, if multipliers close the
        other part; otherwise the node.
        """
        if not abs(end) < EXACT or not node.lower[j] <= end - (not up) < node.upper[j]:
            return node
        poll()
        floor = math.floor(end) - (not up)
        lower, upper = node.lower.copy(), node.upper.copy()
        lower[j], upper[j] = floor + 1, floor
        parts = (
            _Box(node.lower, upper, node.bound, node.parent, node.y),
            _Box(lower, node.upper, node.bound, node.parent, node.y),
        )
        child, sibling = parts if up else parts[::-1]
        bound = self.bound_of(sibling, y, farkas=farkas)
        if bound is None or not (bound > 0 if farkas else self._raised(bound) >= self.target):
            return node
        sibling.multipliers, sibling.farkas = y, farkas
        node.column, node.floor, node.children = j, floor, parts
        return child

    # leaves in rational numbers

    def _close(self, node: _Box, y: FloatArray, value: float) -> bool:
        """Close a node by multipliers, if their exact bound reaches the target."""
        if self.value is None:
            return False
        step = 0.0 if self.scale is None else 1.0 / self.scale
        if value < float(self.target) - step * (1.0 - 1e-9) - 1e-6 * max(1.0, abs(value)):
            return False
        for bits in (24, 44, 1074):
            multipliers = self._fractions(y, bits)
            bound = self.bound_of(node, multipliers)
            if bound is not None and self._raised(bound) >= self.target:
                node.multipliers = multipliers
                return True
        return self._close_exactly(node) if step == 0.0 or value > float(self.target) else False

    def _close_exactly(self, node: _Box) -> bool:
        """Close a node by the exact multipliers of its relaxation, or by an exact integer point."""
        answer = self._exact(node.lower, node.upper)
        if answer.x is None:
            node.multipliers, node.farkas = _nonzero(answer.rows), True
            return True
        integer = np.flatnonzero(self.program.integer)
        if all(answer.x[j].denominator == 1 for j in integer):
            self._keep(answer.x)
        multipliers = _nonzero(answer.rows)
        bound = self.bound_of(node, multipliers)
        if self.value is not None and bound is not None and self._raised(bound) >= self.target:
            node.multipliers = multipliers
            return True
        return False

    def _close_infeasible(self, node: _Box, ray: FloatArray) -> None:
        """Close a node without a point by a ray, or by exact multipliers."""
        if ray.size:
            ray = ray / max(float(np.abs(ray).max(initial=0.0)), 1e-300)
            for bits in (24, 1074):
                multipliers = self._fractions(ray, bits)
                bound = self.bound_of(node, multipliers, farkas=True)
                if bound is not None and bound > 0:
                    node.multipliers, node.farkas = multipliers, True
                    return
        answer = self._exact(node.lower, node.upper)
        if answer.x is not None:
            raise SolverError("HiGHS calls a node infeasible, which rational numbers refute")
        node.multipliers, node.farkas = _nonzero(answer.rows), True

    def _fractions(self, y: FloatArray, bits: int) -> Multipliers:
        """Multipliers (m,) rounded to multiples of 2^-bits of the largest, 0 for absent sides."""
        low, high = self.numbers.row_lower, self.numbers.row_upper
        size = 2.0 ** math.ceil(math.log2(max(float(np.abs(y).max(initial=0.0)), 1e-300)))
        fractions: Multipliers = {}
        for r in np.flatnonzero(y).tolist():
            exact = Fraction(float(y[r]))
            if bits < 1000:
                unit = Fraction(2) ** bits / Fraction(size)
                exact = Fraction(round(exact * unit)) / unit
            if exact and (low[r] if exact > 0 else high[r]) is not None:
                fractions[r] = exact
        return fractions

    def bound_of(self, node: _Box, y: Multipliers, *, farkas: bool = False) -> Fraction | None:
        """The exact bound of multipliers at a node, or None if it is -inf."""
        sides, reduced, denom = self._combine(y, farkas=farkas)
        total = Fraction(sides)
        for j, value in enumerate(reduced):
            if value:
                end = self._end_of(node, j, upper=value < 0)
                if end is None:
                    return None
                total += value * end
        return total / denom

    def _combine(self, y: Multipliers, *, farkas: bool) -> tuple[Fraction, list[int], int]:
        """The sides and the reduced costs (n,) of multipliers, in units of 1 / ``denom``."""
        low, high = self.numbers.row_lower, self.numbers.row_upper
        denom = math.lcm(self.denom, *(v.denominator * self.rows[r][1] for r, v in y.items()))
        factor = denom // self.denom
        reduced = [0 if farkas else c * factor for c in self.cost]
        sides = NOTHING
        for r, value in y.items():
            row, unit = self.rows[r]
            factor = value.numerator * (denom // (value.denominator * unit))
            sides += value * ((low[r] if value > 0 else high[r]) or 0)
            for j, entry in row.items():
                reduced[j] -= factor * entry
        return sides * denom, reduced, denom

    def _end_of(self, node: _Box, j: int, *, upper: bool) -> Fraction | None:
        """An end of a column at a node: the file's, unless a division has moved it."""
        original = self.program.upper[j] if upper else self.program.lower[j]
        end = node.upper[j] if upper else node.lower[j]
        if end != original:
            return Fraction(int(end))
        return self.numbers.upper[j] if upper else self.numbers.lower[j]

    # points

    def _offer(self, x: FloatArray, node: _Box | None = None) -> None:
        """Make a point exact: its integers are rounded and fixed, and the rest is solved."""
        integer = self.program.integer
        rounded = np.where(integer, np.rint(x), x)
        if integer.all():
            self._keep([Fraction(value) for value in rounded.tolist()])
            return
        lower = np.where(integer, rounded, self.program.lower)
        upper = np.where(integer, rounded, self.program.upper)
        if node is None or ((lower >= node.lower) & (upper <= node.upper))[integer].all():
            try:
                answer = self._exact(lower, upper)
            except (CapabilityError, SolverError):
                return
            if answer.x is not None:
                self._keep(answer.x)

    def _keep(self, x: list[Fraction]) -> None:
        """Keep an exact point if it is feasible and better."""
        value = sum((c * v for c, v in zip(self.numbers.cost, x, strict=True)), NOTHING)
        if self.value is not None and value >= self.value:
            return
        numbers = self.numbers
        activities = [sum((a * x[j] for j, a in row.items()), NOTHING) for row in numbers.rows]
        for values, low, high in (
            (x, numbers.lower, numbers.upper),
            (activities, numbers.row_lower, numbers.row_upper),
        ):
            for v, lowest, highest in zip(values, low, high, strict=True):
                if (lowest is not None and v < lowest) or (highest is not None and v > highest):
                    return
        if all(x[j].denominator == 1 for j in np.flatnonzero(self.program.integer)):
            self.x, self.value = x, value

    def _exact(self, lower: FloatArray, upper: FloatArray) -> Any:
        """The exact answer to the relaxation within bounds."""
        node = _Box(lower, upper, 0.0)
        n = range(self.program.cost.size)
        numbers = replace(
            self.numbers,
            lower=[self._end_of(node, j, upper=False) for j in n],
            upper=[self._end_of(node, j, upper=True) for j in n],
            constant=NOTHING,
        )
        return solve_exactly(replace(self.relaxed, lower=lower, upper=upper), self.load, numbers)

    def prove(self, solution: Solution) -> Solution:
        """The solution of an integer program, in its sense, with what this tree proves of it."""
        begun = time.perf_counter()
        self.solve(solution.x)
        seconds = solution.seconds + time.perf_counter() - begun
        sense, nodes = solution.sense, amount(self.nodes, "node")
        bound = sense * self.bound if math.isfinite(self.bound) else None
        if self.status is Status.LIMIT or (self.x is None and solution.x is not None):
            # no exact point: the solver's answer stays, without a proof
            message = f"the tree ended with {nodes} and without an exact point"
            word = Status.FEASIBLE if solution.x is not None else solution.status
            return replace(
                solution, status=word, bound=bound, proved_by=None, message=message, seconds=seconds
            )
        proved = self.status in (Status.OPTIMAL, Status.INFEASIBLE)
        return replace(
            solution,
            status=self.status,
            x=None if self.x is None else np.array([float(v) for v in self.x]),
            objective=None if self.objective is None else sense * float(self.objective),
            bound=bound,
            proved_by="tree" if proved else None,
            claim=None,
            message="" if proved else f"the tree has {nodes} and is not finished",
            seconds=seconds,
        )

    # the certificate

    def vipr(self) -> str:
        """The certificate of the closed tree in VIPR 1.0."""
        lines, places, point = vipr_head(self.program, self.numbers, self.x)
        start, derived = len(set(places.values())), list[str]()
        numbers, scale = self.numbers, Fraction(self.scale or 1)
        n = len(numbers.cost)
        scaled = vipr_terms((j, c * scale) for j, c in enumerate(numbers.cost))
        feasible = self.value is not None

        def derive(line: str) -> int:
            derived.append(line)
            return start + len(derived) - 1

        def leaf(node: _Box, ends: Places) -> int:
            # a combination of rows, ends and assumptions
            assert node.multipliers is not None
            factor = Fraction(1) if node.farkas or not feasible else scale
            parts: dict[int, Fraction] = {}
            crossed = np.flatnonzero(node.lower > node.upper)
            if crossed.size:
                j = int(crossed[0])
                low = self._end_of(node, j, upper=False) or NOTHING
                high = self._end_of(node, j, upper=True) or NOTHING
                parts = {ends[j, False]: Fraction(1), ends[j, True]: Fraction(-1)}
                total = low - high
            else:
                y = node.multipliers
                total = factor * (self.bound_of(node, y, farkas=node.farkas) or 0)
                _, reduced, denom = self._combine(y, farkas=node.farkas)
                terms = [(ends[n + r, value < 0], value) for r, value in y.items()]
                terms += [(ends[j, d < 0], Fraction(d, denom)) for j, d in enumerate(reduced) if d]
                for k, value in terms:
                    parts[k] = parts.get(k, NOTHING) + factor * value
            combination = f"{vipr_terms(sorted(parts.items()))} }} -1"
            # ends that cross say 0 >= a positive number, whatever else closes the node
            if node.farkas or crossed.size:
                return derive(f"D{len(derived)} G {total} 0 {{ lin {combination}")
            word = "rnd" if self.scale is not None else "lin"
            side = Fraction(math.ceil(total)) if word == "rnd" else total
            return derive(f"D{len(derived)} G {side} {scaled} {{ {word} {combination}")

        # after its children: a stack of nodes, with the constraints of their ends
        goal = f"G {self.target * scale} {scaled}" if feasible else "G 1 0"
        root = self._write(self.root, places, leaf, derive, goal)
        head = ["RTP infeas", "SOL 0"]
        if self.value is not None:
            bound, value = self.target + numbers.constant, self.value + numbers.constant
            parts = {root: 1 / scale}
            if numbers.constant:
                parts[places[CONSTANT, False]] = Fraction(1)
            derive(f"least G {bound} OBJ {{ lin {vipr_terms(sorted(parts.items()))} }} -1")
            head = [f"RTP range {bound} {value}", "SOL 1", f"best {point}"]
        return "\n".join([*lines, *head, f"DER {len(derived)}", *derived, ""])

    def _write(
        self,
        root: _Box,
        places: Places,
        leaf: Callable[[_Box, Places], int],
        derive: Callable[[str], int],
        goal: str,
    ) -> int:
        """Derive the goal at every node, children first; the number of the root's constraint."""
        results: list[int] = []
        # (node, places, assumptions of its children or None at the first visit)
        stack: list[tuple[_Box, Places, tuple[int, int] | None]] = [(root, places, None)]
        while stack:
            node, ends, assumed = stack.pop()
            if not node.children:
                results.append(leaf(node, ends))
            elif assumed is None:
                j, k = node.column, node.floor
                low = derive(f"A{j}_L{k} L {k} 1 {j} 1 {{ asm }} -1")
                high = derive(f"A{j}_G{k + 1} G {k + 1} 1 {j} 1 {{ asm }} -1")
                stack.append((node, ends, (low, high)))
                stack.append((node.children[1], {**ends, (j, False): high}, None))
                stack.append((node.children[0], {**ends, (j, True): low}, None))
            else:
                upper, lower = results.pop(), results.pop()
                low, high = assumed
                results.append(derive(f"U {goal} {{ uns {lower} {low} {upper} {high} }} -1"))
        return results.pop()


def _nonzero(values: Sequence[Fraction]) -> Multipliers:
    """The multipliers other than 0."""
    return {r: value for r, value in enumerate(values) if value}
