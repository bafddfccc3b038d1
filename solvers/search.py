"""Branch and bound by a solver: scaled before, its point judged, and divided where it is wrong."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from radprog.base.errors import RadprogError, warn_user
from radprog.base.tolerances import CERTIFIED_GAP
from radprog.base.types import FloatArray
from radprog.solvers.answer import Adapter, SolverAnswer, own_limit, plain
from radprog.solvers.certificate import beyond
from radprog.solvers.integers import Solve, bound_met, judge_integers
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.rescale import largest_entries, search_units
from radprog.solvers.violations import EXACT, in_units, row_places


@dataclass(order=True)
class _Node:
    """A part of the program, between lower and upper bounds (n,), with the solver's point."""

    bound: float
    number: int
    lower: FloatArray = field(compare=False)
    upper: FloatArray = field(compare=False)
    x: FloatArray = field(compare=False)


@dataclass
class _Search:
    """A search by an adapter, in units that suit its absolute tolerances."""

    adapter: Adapter
    program: Program
    settings: SolveSettings
    solve: Solve
    best: FloatArray | None = None
    value: float = math.inf

    def __post_init__(self) -> None:
        self.written = with_short_numbers(with_whole_numbers(self.program))
        self.units = search_units(self.written)

    def ask(self, lower: FloatArray, upper: FloatArray, settings: SolveSettings) -> SolverAnswer:
        """The answer of the adapter to the program between bounds (n,), in the program's units."""
        units, n = self.units, lower.size
        written = replace(
            self.written,
            lower=np.append(lower, self.written.lower[n:]),
            upper=np.append(upper, self.written.upper[n:]),
        )
        if settings.start is not None:
            blanks = np.full(units.columns.size - n, np.nan)  # columns that short numbers add
            settings = replace(settings, start=np.append(settings.start, blanks) * units.columns)
        answer = plain(self.adapter.solve(units.scaled(written), settings))
        x = answer.x
        if x is not None and x.shape == units.columns.shape:
            x = (x / units.columns)[:n]
        claimed, bound = (
            None if value is None else value / units.objective
            for value in (answer.claimed, answer.bound)
        )
        return replace(answer, x=x, claimed=claimed, bound=bound)

    def judge(self, x: FloatArray, limit: float) -> tuple[float, str]:
        """The value of the judged point, which is kept if it is the best; or the fault in it."""
        limited = replace(self.settings, time_limit=max(limit, 0.01))
        point = judge_integers(self.program, x, self.solve, limited)
        if point.x is None:
            return math.inf, point.fault
        value = self.program.objective(point.x)
        if value < self.value:
            self.best, self.value = point.x, value
        return value, ""

    def begin(self, start: FloatArray) -> None:
        """Keep the judged point of a start (n,), whose missing values (NaN) are searched for.

        Warns if no point has the start's values of the integer columns.
        """
        program, is_set, x = self.program, np.isfinite(start), start
        if not is_set.all():
            fixed = is_set & program.integer
            lower, upper = (np.where(fixed, start, end) for end in (program.lower, program.upper))
            # a tenth of the limit: without a point the search goes on
            limit = 10.0 if self.settings.time_limit is None else self.settings.time_limit / 10.0
            brief = replace(self.settings, start=None, time_limit=limit, log=None)
            part = replace(program, lower=lower, upper=upper)
            answer = self.solve(part, part, brief)
            if answer.x is None:
                known = Status.INFEASIBLE in (answer.status, answer.claim)
                ending = "" if known else f", after {limit:g} s"
                warn_user(f"start: no point has its values of integer columns{ending}: left out")
                return
            x = answer.x
        _, fault = self.judge(x, math.inf)
        if fault:
            warn_user(f"start: a point {fault}: left out")


def search(
    adapter: Adapter, program: Program, settings: SolveSettings, solve: Solve
) -> SolverAnswer:
    """Search a program with integers by an adapter. Its point is judged with ``solve``.

    If the judged point is worse than the solver's claim, or infeasible, the solver has used its
    tolerances. A best-first tree then divides the program at the most fractional integer column,
    and the adapter searches the parts to a tighter tolerance. It ends when the bound of all
    parts meets the best judged point, or at a limit in proportion to the first search.
    """
    started = time.monotonic()
    # a wide tolerance is of the gap alone: rows hold as ever
    if settings.tol is not None and settings.tol > CERTIFIED_GAP:
        settings = replace(settings, tol=None, gap=settings.tol)
    # whole ends of integer columns: HiGHS's presolve loses points beside others
    lower = np.where(program.integer, np.ceil(program.lower), program.lower)
    upper = np.where(program.integer, np.floor(program.upper), program.upper)
    if (lower > upper).any():
        return SolverAnswer(status=Status.INFEASIBLE)
    program = replace(program, lower=lower, upper=upper)
    tree, remaining = _Search(adapter, program, settings, solve), settings
    if settings.start is not None:
        tree.begin(settings.start)
        remaining = replace(settings.after(time.monotonic() - started), start=tree.best)
    first = tree.ask(program.lower, program.upper, remaining)
    x, seconds = first.x, time.monotonic() - started
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        if tree.best is None or first.status is Status.UNBOUNDED:
            return first
        # no worse than the start
        if first.status in (Status.INFEASIBLE, Status.OPTIMAL):
            text = f"claimed {first.status.value}, which the start refutes"
            return SolverAnswer(status=Status.FEASIBLE, x=tree.best, message=text)
        return replace(first, x=tree.best, claimed=None)
    claimed = program.objective(x) if first.claimed is None else first.claimed
    value, fault = tree.judge(x, max(0.5, own_limit(settings, seconds)))  # handing over
    answer = replace(first, x=tree.best, claimed=None, message=fault or first.message)
    answer = replace(answer, bound=first.bound)
    if first.status is not Status.OPTIMAL or bound_met(program, tree.value, claimed):
        # the claim is about the solver's point
        is_best = not fault and value == tree.value and not beyond(value, claimed)
        return replace(answer, claimed=first.claimed) if is_best else answer
    bound = claimed if first.bound is None else min(claimed, first.bound)
    deadline = time.monotonic() + 10.0 * seconds + 2.0
    if settings.time_limit is not None:
        deadline = min(deadline, started + settings.time_limit)
    bound, finished = _divide_tree(tree, _Node(bound, 0, program.lower, program.upper, x), deadline)
    if not finished:
        # without a judged point, the fault in the solver's point is the answer
        word = Status.FEASIBLE if tree.best is not None else Status.FAILED
        return replace(answer, status=word, x=tree.best, bound=bound)
    if tree.best is None:
        return replace(answer, status=Status.INFEASIBLE, x=None, bound=None, message="")
    return replace(answer, x=tree.best, bound=bound, message=first.message)


def _divide_tree(tree: _Search, root: _Node, deadline: float) -> tuple[float, bool]:
    """The lower bound of a tree from the root, and whether it meets the best judged point."""
    program, settings = tree.program, replace(tree.settings, log=None, tol=1e-9, start=None)
    open_nodes, closed, count = [root], math.inf, 0
    while open_nodes and not bound_met(program, tree.value, open_nodes[0].bound):
        # searches of a tree at most
        if count >= 300 or time.monotonic() >= deadline or settings.interrupted():
            break
        # the part with the least bound is divided
        node = heapq.heappop(open_nodes)
        for lower, upper in _children(program, node):
            count += 1
            seconds = max(0.01, deadline - time.monotonic())
            try:
                answer = tree.ask(lower, upper, replace(settings, time_limit=seconds))
            except (RadprogError, RuntimeError):
                return node.bound, False
            if answer.status is Status.INFEASIBLE:
                continue
            x = answer.x
            if answer.status is not Status.OPTIMAL or x is None or x.shape != lower.shape:
                return node.bound, False
            # a part is closed by a judged point that meets its bound
            value, _ = tree.judge(x, seconds)
            claimed = answer.bound if answer.bound is not None else answer.claimed
            bound = node.bound if claimed is None else max(node.bound, claimed)
            if beyond(value, bound):
                return node.bound, False
            if (lower == upper)[program.integer].all():
                closed = min(closed, value)
            elif bound_met(program, value, bound):
                closed = min(closed, max(bound, node.bound))
            else:
                heapq.heappush(open_nodes, _Node(bound, count, lower, upper, x))
    lowest = min([closed, tree.value, *(node.bound for node in open_nodes)])
    met = not open_nodes or bound_met(program, tree.value, open_nodes[0].bound)
    return lowest, met


def _children(program: Program, node: _Node) -> Iterator[tuple[FloatArray, FloatArray]]:
    """The bounds of the parts below and above the most fractional column of a node.

    Where all columns are whole, a part is the value of the first free column alone.
    """
    lower, upper, x = node.lower, node.upper, np.clip(node.x, node.lower, node.upper)
    free = program.integer & (lower < upper)
    if not free.any():
        return
    fraction = np.where(free, np.abs(x - np.rint(x)), -1.0)
    j = int(fraction.argmax())
    value = float(x[j])
    ends = [(lower[j], math.floor(value)), (math.ceil(value), upper[j])]
    if fraction[j] == 0.0:
        ends = [(lower[j], value - 1.0), (value, value), (value + 1.0, upper[j])]
    for low, high in ends:
        if low <= high:
            part_lower, part_upper = lower.copy(), upper.copy()
            part_lower[j], part_upper[j] = low, high
            yield part_lower, part_upper


def with_whole_numbers(program: Program) -> Program:
    """The program, with rows of small decimals over integer columns alone in units of their last
    place: sums of whole numbers do not round, and a point that meets such a row by a hair stays.
    """
    places, rows = row_places(program), program.rows.copy()
    small = places > 2
    if not small.any():
        return program
    unit = 10.0 ** np.where(small, places, 0)
    units = np.repeat(unit, np.diff(rows.indptr))
    rows.data = np.where(units > 1.0, np.rint(rows.data * units), rows.data)
    sides = (in_units(side, unit) for side in (program.row_lower, program.row_upper))
    lower, upper = (
        np.where(small, rounding(side), side)
        for rounding, side in zip((np.ceil, np.floor), sides, strict=True)
    )
    return replace(program, rows=rows, row_lower=lower, row_upper=upper)


def with_short_numbers(program: Program) -> Program:
    """The program, with each row of large whole numbers written as two rows of half of the digits.

    For a base B, let a = B a1 + a0 and b = B b1 + b0. Then a'x <= b holds at whole x if and only if
    a0'x - B t <= b0 and a1'x + t <= b1 for a whole t. Solvers compare to about nine digits, so
    that a unit of larger numbers is lost. The columns t follow those of the program.
    """
    places, rows, n = row_places(program), program.rows, program.cost.size
    largest = largest_entries(rows, axis=1) * 10.0 ** np.maximum(places, 0)
    wide = np.flatnonzero((places >= 0) & (largest >= 1e7) & (largest <= EXACT / 4.0)).tolist()
    columns = n + 2 * len(wide)  # at most
    parts: list[sparse.csr_array] = []
    low: list[float] = []
    high: list[float] = []
    ends: list[tuple[float, float]] = []
    for row in wide:
        span = slice(rows.indptr[row], rows.indptr[row + 1])
        unit, indices = 10.0 ** int(places[row]), rows.indices[span]
        a = np.rint(rows.data[span] * unit).astype(np.int64)
        base = 2 ** (int(largest[row]).bit_length() // 2)
        bottom = np.ceil(in_units(program.row_lower[row], unit))
        top = np.floor(in_units(program.row_upper[row], unit))
        # an equation has one t; each side of another row its own
        sides = [(bottom, top)] if bottom == top else [(bottom, math.inf), (-math.inf, top)]
        for lower, upper in sides:
            side = lower if math.isfinite(lower) else upper
            if not math.isfinite(side):
                continue
            carry = np.append(indices, n + len(ends))
            for values, factor, digits in (
                (a % base, -base, side % base),
                (a // base, 1, side // base),
            ):
                entries = np.append(values, factor).astype(np.float64)
                place = np.zeros(carry.size, dtype=np.intp), carry
                parts.append(sparse.csr_array((entries, place), shape=(1, columns)))
                low.append(digits if math.isfinite(lower) else -math.inf)
                high.append(digits if math.isfinite(upper) else math.inf)
            # what t can be, between the least and the largest of the small digits
            reach = (
                float(np.where(a % base > 0, bound[indices], 0.0) @ (a % base))
                for bound in (program.lower, program.upper)
            )
            first, last = ((value - side % base) / base for value in reach)
            ends.append((first - 2.0, last + 2.0))
    if not ends:
        return program
    short = program.of_rows(sorted({*range(places.size)} - {*wide}))
    count = len(ends)
    first, last = np.array(ends).T
    names = [f"carry({i})" for i in range(count)]
    wider = short.with_columns(None, np.zeros(count), first, last, integer=True, names=names)
    matrix = sparse.vstack(parts, format="csr")[:, : n + count]
    return wider.with_rows(matrix, low, high, [f"digits({i})" for i in range(len(low))])
