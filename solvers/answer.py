"""What adapters declare and answer, and the only function that turns a claim into a status."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from radprog.base.tolerances import CERTIFIED_GAP, CLAIM_TOLERANCE, LEEWAY
from radprog.base.types import FloatArray
from radprog.solvers.integers import bound_met
from radprog.solvers.program import (
    ProblemClass,
    Program,
    Solution,
    SolveSettings,
    Status,
    relative_gap,
    tolerance_met,
)
from radprog.solvers.violations import relative_violation


@dataclass(frozen=True, kw_only=True)
class SolverAnswer:
    """The answer of a solver before verification: status, point (n,), objective, row duals (m,).

    ``bound`` is the lower bound of branch and bound, or None. If a claimed optimum has no proof,
    :func:`proved` replaces the message by the reason. ``processor`` has the processor seconds of a
    search that goes on.
    """

    status: Status
    x: FloatArray | None = None
    claimed: float | None = None
    row_duals: FloatArray | None = None
    message: str = ""
    bound: float | None = None
    processor: float = 0.0


@dataclass(frozen=True)
class FileAnswer:
    """The answer of a solver to a file, before recomputation.

    ``x`` maps names of columns to values, and is empty if there is no point. ``row_duals`` maps
    names of rows to d objective / d right-hand side of the minimisation, or is None. ``bound`` is
    the lower bound of branch and bound, or None. The caller sets ``solver``, ``version``, and the
    ``seconds`` of reading and solving.
    """

    status: Status
    objective: float | None = None
    x: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    row_duals: Mapping[str, float] | None = None
    bound: float | None = None
    solver: str = ""
    version: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The capabilities of an adapter, as ``DECLARED``; the tests solve a program of each.

    - classes: the classes of programs that the solver supports.
    - duals: whether the solver returns duals of all continuous programs.
    - hot_start: whether the solver can continue from its last basis after a change.
    - convex_only: whether programs must pass a test of convexity.
    - cones: whether the solver accepts second-order cones as indefinite quadratic rows.
    - starts: whether a search can begin with ``settings.start``.
    - formats: the file formats (``lp``, ``mps``) that the solver reads, through ``solve_file``.
    - logs: whether the solver writes a log to ``settings.log``.
    - timed: whether the solver keeps to ``settings.time_limit``.
    - missing: a function that returns the reason why the adapter is unusable although its module
      can be imported ("is not installed: no glpsol"), or "".
    - note: for an adapter without a class, what it solves.
    """

    classes: frozenset[ProblemClass] = frozenset()
    duals: bool = False
    hot_start: bool = False
    convex_only: bool = True
    cones: bool = False
    starts: bool = False
    formats: frozenset[str] = frozenset()
    logs: bool = False
    timed: bool = True
    missing: Callable[[], str] | None = None
    note: str = ""


class Adapter(Protocol):
    """The interface of the adapters.

    An adapter solves programs as matrices, or as .lp or .mps files, or both. Its answers are not
    verified.
    """

    @property
    def DECLARED(self) -> Declared: ...
    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer: ...
    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer: ...


@np.errstate(over="ignore", invalid="ignore")  # of a solver's numbers that are far too large
def judge(
    program: Program,
    answer: SolverAnswer,
    *,
    solver: str,
    version: str,
    seconds: float,
    settings: SolveSettings,
    convex: bool = True,
    psd: bool = False,
) -> Solution:
    """Recompute the answer of an adapter from the matrices, and return it as a Solution.

    All answers of adapters pass through this function. The solution is FAILED if the solver returns
    an infeasible point as feasible, or an optimum that differs from the objective of its point. It
    is optimal only if :func:`proved` confirms it. Until they are proved, "infeasible" and
    "unbounded" are only a ``claim`` of a FAILED solution (see :mod:`radprog.solvers.claims`). With
    ``psd``, the quadratic part is not tested for convexity. The point of a program with integers is
    one of :func:`~radprog.solvers.integers.judge_integers`.
    """
    # what the solver says, numbers where they are numbers
    answer = plain(answer)
    solution = Solution(
        status=answer.status,
        solver=solver,
        version=version,
        seconds=seconds,
        claimed=answer.claimed,
        message=answer.message,
        options=dict(settings.solver_options),
    )
    if answer.status in CLAIMS:
        return claiming(solution, answer.status)
    if answer.status not in _MAY_HOLD_A_POINT:
        return replace(solution, status=Status.FAILED)
    # its point must be feasible, and have the objective that it claims
    tolerance = max(CLAIM_TOLERANCE, 10 * (settings.tol or 0.0))
    x, fault = answer.x, "without a finite point"
    if x is not None and x.shape == program.cost.shape and np.isfinite(x).all():
        violation = relative_violation(program, x, leeway=LEEWAY)
        within = violation <= tolerance
        fault = "" if within else f"at a point that violates it by {violation:.3g}"
    if program.integer.any() or not convex:
        solution = replace(solution, bound=answer.bound)
    if fault or x is None:
        if answer.status not in _MUST_HOLD_A_POINT:
            return solution
        text = f"{solver} says {answer.status} {fault}"
        return replace(solution, status=Status.FAILED, message=text)
    # an optimum that stands for infinity is a claim of its own
    objective = program.objective(x)
    if answer.status is Status.OPTIMAL and not convex and not abs(objective) < 1e19:
        text = f"{solver} says optimal at {objective:g}, which stands for infinity"
        return replace(claiming(solution, Status.UNBOUNDED), message=text, bound=None)
    claimed, allowed = answer.claimed, tolerance * max(1.0, abs(objective))
    optimal = answer.status is Status.OPTIMAL
    if optimal and claimed is not None and not abs(objective - claimed) <= allowed:
        text = f"{solver} claims an optimum of {claimed!r} at a point of {objective!r}"
        return replace(solution, status=Status.FAILED, x=x, message=text)
    solution = replace(solution, x=x, row_duals=answer.row_duals, claimed_optimal=optimal)
    return proved(program, solution, settings, convex=convex, psd=psd)


def without_point(
    solution: Solution, status: Status, message: str, claim: Status | None = None
) -> Solution:
    """The answer of the same solver with another status, and without its point and bound."""
    return Solution(
        status=status,
        solver=solution.solver,
        version=solution.version,
        seconds=solution.seconds,
        options=solution.options,
        message=message,
        claim=claim,
    )


def own_limit(settings: SolveSettings, seconds: float) -> float:
    """The time limit of a solve of our own that judges another one of ``seconds``: twice its time
    and a second, within the remaining time.
    """
    limit = math.inf if settings.time_limit is None else settings.time_limit - seconds
    return max(0.01, min(limit, 2.0 * seconds + 1.0))


BELOW = "; the objective is"  # begins the words for an objective below its bound
BY_DUALS, BY_SOLVER = "duals", "solver"  # what proves an optimum
CLAIMS = (Status.INFEASIBLE, Status.UNBOUNDED)  # words that need a proof of their own


def claiming(solution: Solution, claim: Status) -> Solution:
    """The solution with an unproved claim and therefore the status FAILED."""
    claim_text = f"{solution.solver} claims {claim.value}, and nothing proves it"
    text = f"{claim_text}: {solution.message}" if solution.message else claim_text
    return replace(solution, status=Status.FAILED, claim=claim, message=text)


def proved(
    program: Program,
    solution: Solution,
    settings: SolveSettings,
    *,
    convex: bool = True,
    psd: bool = False,
) -> Solution:
    """The solution with the status that its point and its duals prove.

    Only this function sets the status OPTIMAL. Objective, violation, bound and gap are recomputed.
    The solution of a continuous and ``convex`` program is OPTIMAL under two conditions:

    - The largest relative violation of a row is at most 1e-6.
    - The bound of its multipliers is within 1e-6 of its objective, or 1e-9, or the requested
      tolerance (``proved_by`` duals).

    The multipliers are repaired if necessary (:func:`~radprog.solvers.certificate.dual_bound`).

    With integers and a convex relaxation, the solution is OPTIMAL if the search ended and the
    solver's bound meets the second condition (``proved_by`` solver). This bound of branch and bound
    is not verified. In all other cases the solution is FEASIBLE. ``claimed_optimal`` is True if the
    solver returned "optimal" and no large gap refutes the claim. The message gives the reason for a
    missing proof.
    """
    from radprog.solvers.certificate import beyond, contradictory, dual_bound  # loads scipy

    x, duals, name = solution.x, solution.row_duals, solution.solver
    assert x is not None
    objective, tolerance = program.objective(x), settings.tol or 0.0
    result = replace(solution, objective=objective, violation=program.violation(x), row_duals=None)
    word = Status.FEASIBLE if solution.claimed_optimal else solution.status
    result = replace(result, status=word)
    complete = (
        duals is not None
        and duals.shape == program.row_lower.shape
        and bool(np.isfinite(duals).all())
    )
    if not program.cost.any() and program.quadratic is None:  # every feasible point is optimal
        y = duals if complete and duals is not None else np.zeros(program.row_lower.size)
        result = replace(result, row_duals=y, reduced_costs=program.reduced_costs(x, y))
        result = replace(result, bound=objective)
        optimal = solution.claimed_optimal and relative_violation(program, x) <= CLAIM_TOLERANCE
        return replace(result, status=Status.OPTIMAL, proved_by=BY_DUALS) if optimal else result
    # integers and nonconvex squares: the search's own bound, unless it contradicts the point
    if program.integer.any() or not convex:
        bound, allowed = result.bound, max(CERTIFIED_GAP, tolerance)
        false = bound is not None and contradictory(objective, bound)
        if bound is not None and program.integer.any():  # beyond a judged point
            false = beyond(objective, bound, allowed)
        if false:
            text = f"{name} gives a bound of {bound!r} beyond its own point of {objective!r}"
            return replace(result, bound=None, claimed_optimal=False, message=text)
        # a search that ends with its own bound at its point
        outside = relative_violation(program, x)
        met = outside <= max(CLAIM_TOLERANCE, 0.0 if program.integer.any() else 10.0 * tolerance)
        ended = bound is not None and bound_met(program, objective, bound, tolerance)
        if ended and met and solution.claimed_optimal:
            return replace(result, status=Status.OPTIMAL, proved_by=BY_SOLVER)
        lack = "there is no dual proof where integers or squares make a program nonconvex"
        if bound is not None and not ended:
            gap = relative_gap(objective, bound)
            lack = f"its search ended at a gap of {gap:.2g}, above the tolerance {allowed:g}"
        return _unproved(result, lack)
    if duals is None:
        return _unproved(result, "it gives no duals, which would prove it")
    if not complete:
        return _unproved(result, "its duals are not finite numbers, one a row")
    # the bound of the multipliers, and the gap between it and the point
    bound, y = dual_bound(program, duals, x=x, best=objective, psd=psd)
    result = replace(result, row_duals=y, reduced_costs=program.reduced_costs(x, y))
    if not math.isfinite(bound):
        result = replace(result, bound=None)
        return _unproved(result, "its duals point to bounds that are infinite")
    gap = objective - bound
    result = replace(result, bound=bound)
    if -gap > max(CLAIM_TOLERANCE, tolerance) * max(1.0, abs(objective)):
        return _unproved(result, f"its point is outside its bounds, which gains {-gap:.3g}")
    if not tolerance_met(objective, bound, max(CERTIFIED_GAP, tolerance)):
        moved = not np.array_equal(y, duals)  # to signs that prove something: no word against it
        refuted = gap > 1e-5 * max(1.0, abs(objective)) and not moved
        result = replace(result, claimed_optimal=result.claimed_optimal and not refuted)
        return _unproved(result, f"its duals leave a gap of {abs(gap):.3g}", refuted=refuted)
    # last the point: it may violate no row by more than a millionth of its size
    outside = relative_violation(program, x)
    if outside > max(CLAIM_TOLERANCE, 10.0 * tolerance):
        return _unproved(result, f"its point violates a row by {outside:.3g} of the row's size")
    if not solution.claimed_optimal:
        return result
    if -gap > 1e-9 * max(1.0, abs(objective)):  # more than rounding
        message = result.message.partition(BELOW)[0]  # not that of a scaled program
        text = f"{message}{BELOW} {-gap:.2g} below its bound, since rows hold within tolerances"
        result = replace(result, message=text.removeprefix("; "))
    return replace(result, status=Status.OPTIMAL, proved_by=BY_DUALS)


def _unproved(solution: Solution, lack: str, *, refuted: bool = False) -> Solution:
    """The solution, with the reason for the missing proof if the solver returned "optimal"."""
    if refuted:
        text = f"{solution.solver} says optimal, but {lack}"
    elif solution.claimed_optimal:
        text = f"claimed optimal by {solution.solver}: {lack}"
    else:
        return solution
    return replace(solution, message=text)


def plain(answer: SolverAnswer) -> SolverAnswer:
    """The answer with its invalid parts, such as strings in place of numbers, replaced or
    removed.
    """
    try:
        status, message = Status(answer.status), answer.message
    except ValueError:
        status, message = Status.FAILED, f"it ended with {answer.status!r}"
    claimed = answer.claimed
    usable = claimed is None or (isinstance(claimed, int | float) and claimed == claimed)
    return SolverAnswer(
        status=status,
        x=_numbers(answer.x),
        claimed=claimed if usable else math.nan,
        row_duals=_numbers(answer.row_duals),
        message=str(message),
        bound=bound_of(answer.bound),
    )


def bound_of(value: object) -> float | None:
    """The bound of a solver if it is a finite number; None if it is not, or stands for infinity."""
    return value if isinstance(value, float) and abs(value) < 1e19 else None


def _numbers(values: object) -> FloatArray | None:
    """Values as numbers. If they are not numbers, an empty matrix, which has a wrong shape."""
    if values is None:
        return None
    array = np.asarray(values)
    return array.astype(np.float64) if array.dtype.kind in "fiub" else np.empty((0, 0))


_MUST_HOLD_A_POINT = frozenset({Status.OPTIMAL, Status.FEASIBLE})
_MAY_HOLD_A_POINT = _MUST_HOLD_A_POINT | {Status.LIMIT, Status.INTERRUPTED}


def duality_gap(
    program: Program, x: FloatArray, row_duals: FloatArray, reduced_costs: FloatArray
) -> float:
    """The total :func:`complementarity` of the rows and the columns.

    For a feasible x of a convex program with finite bounds, it is the duality gap.
    """
    rows = complementarity(row_duals, program.activity(x), program.row_lower, program.row_upper)
    return rows + complementarity(reduced_costs, x, program.lower, program.upper)


def complementarity(
    multiplier: FloatArray, value: FloatArray, lower: FloatArray, upper: FloatArray
) -> float:
    """The sum of |multiplier| times the distance of the value to its bound.

    The bound is ``lower`` for a positive multiplier, and otherwise ``upper``. For an infinite bound
    the distance is max(1, |value|).
    """
    side = np.where(multiplier > 0, lower, upper)
    finite = np.isfinite(side)
    distance = np.where(finite, value - np.where(finite, side, 0.0), np.maximum(1.0, np.abs(value)))
    return float(np.abs(multiplier * distance).sum())
