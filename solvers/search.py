"""Branch and bound by a solver: its program in small numbers, and its point judged."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import replace

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


def search(
    adapter: Adapter, program: Program, settings: SolveSettings, solve: Solve
) -> SolverAnswer:
    """Search a program with integers by an adapter. Its point is judged with ``solve``.

    If the judged point is worse than the solver's claim, or infeasible, the solver has used its
    tolerances, and searches once more to a tighter one. If its claim does not hold even then, the
    answer is no more than a point with a bound, or a failure without a point.
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

    def judge(x: FloatArray, limit: float) -> tuple[FloatArray | None, str]:
        limited = replace(settings, time_limit=max(limit, 0.01))
        return judge_integers(program, x, solve, limited)

    best, remaining = None, settings
    if settings.start is not None:
        x = _whole_start(program, settings, solve)
        if x is not None:
            best, fault = judge(x, math.inf)
            if fault:
                warn_user(f"start: a point {fault}: left out")
        remaining = replace(settings.after(time.monotonic() - started), start=best)
    first = _ask(adapter, program, remaining)
    x, seconds = first.x, time.monotonic() - started
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        if best is None or first.status is Status.UNBOUNDED:
            return first
        # no worse than the start
        if first.status in (Status.INFEASIBLE, Status.OPTIMAL):
            text = f"claimed {first.status.value}, which the start refutes"
            return SolverAnswer(status=Status.FEASIBLE, x=best, message=text)
        return replace(first, x=best, claimed=None)
    claimed = program.objective(x) if first.claimed is None else first.claimed
    point, fault = judge(x, max(0.5, own_limit(settings, seconds)))  # handing over
    values = [math.inf if x is None else program.objective(x) for x in (point, best)]
    value, least = values[0], min(values)
    answer = replace(first, x=point if value <= values[1] else best, claimed=None)
    answer = replace(answer, message=fault or first.message)
    if first.status is not Status.OPTIMAL or bound_met(program, least, claimed):
        # the claim is about the solver's point
        is_best = not fault and value == least and not beyond(value, claimed)
        return replace(answer, claimed=first.claimed) if is_best else answer
    if settings.tol is None or settings.tol > 1e-9:
        used = time.monotonic() - started
        tighter = replace(settings.after(used), tol=1e-9, start=answer.x, log=None)
        limit = 10.0 * seconds + 2.0
        if tighter.time_limit is not None:
            limit = min(limit, tighter.time_limit)
        # a failure leaves the first answer
        with suppress(RadprogError, RuntimeError):
            second = search(adapter, program, replace(tighter, time_limit=limit), solve)
            if second.status is Status.OPTIMAL:
                return second
    # without a judged point, the fault in the solver's point is the answer
    word = Status.FAILED if answer.x is None else Status.FEASIBLE
    bound = claimed if first.bound is None else min(claimed, first.bound)
    return replace(answer, status=word, bound=bound)


def _whole_start(program: Program, settings: SolveSettings, solve: Solve) -> FloatArray | None:
    """The start (n,), whose missing values (NaN) are searched for.

    Warns if no point has the start's values of the integer columns: then there is none.
    """
    start = np.asarray(settings.start)
    is_set = np.isfinite(start)
    if is_set.all():
        return start
    fixed = is_set & program.integer
    lower, upper = (np.where(fixed, start, end) for end in (program.lower, program.upper))
    # a tenth of the limit: without a point the search goes on
    limit = 10.0 if settings.time_limit is None else settings.time_limit / 10.0
    brief = replace(settings, start=None, time_limit=limit, log=None)
    part = replace(program, lower=lower, upper=upper)
    answer = solve(part, part, brief)
    if answer.x is None:
        known = Status.INFEASIBLE in (answer.status, answer.claim)
        ending = "" if known else f", after {limit:g} s"
        warn_user(f"start: no point has its values of integer columns{ending}: left out")
    return answer.x


def _ask(adapter: Adapter, program: Program, settings: SolveSettings) -> SolverAnswer:
    """The answer of the adapter to the program, in units that suit its absolute tolerances."""
    n, written = program.cost.size, with_whole_numbers(program)
    # integers far from 0 are counted from their lower ends: presolves lose points at 1e6
    far = program.integer & np.isfinite(program.lower) & (np.abs(program.lower) >= 100.0)
    squares = program.quadratic is not None or program.quadratic_rows
    origin = np.where(far & (not squares), program.lower, 0.0)
    if origin.any():
        activity = written.rows @ origin
        written = replace(
            written,
            lower=program.lower - origin,
            upper=program.upper - origin,
            row_lower=written.row_lower - activity,
            row_upper=written.row_upper - activity,
            constant=program.constant + float(program.cost @ origin),
        )
    written = with_short_numbers(written)
    units = search_units(written)
    if settings.start is not None:
        blanks = np.full(units.columns.size - n, np.nan)  # columns that short numbers add
        start = np.append(settings.start - origin, blanks) * units.columns
        settings = replace(settings, start=start)
    answer = plain(adapter.solve(units.scaled(written), settings))
    x = answer.x
    if x is not None and x.shape == units.columns.shape:
        x = (x / units.columns)[:n] + origin
    claimed, bound = (
        None if value is None else value / units.objective
        for value in (answer.claimed, answer.bound)
    )
    return replace(answer, x=x, claimed=claimed, bound=bound)


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
