"""The discrete problem for few points: every labelling, cuts on a mixed-integer LP, or a MIQP.

min over labellings y with sizes in a range and weights a of J(a, y): for every y a convex program
in a, whose value at any point less its Frank-Wolfe gap is a lower bound of its optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import piqp

from radprog.base.errors import OptionError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import (
    Budget,
    GapReached,
    MaxIterations,
    Reason,
    Record,
    Stop,
    run,
)
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.decompositions.similarity.weight_step import convex_minimum
from radprog.models.similarity.problem import DensityWeighted, Weighted, frank_wolfe_gap, indicator
from radprog.models.similarity.programs import build_labels
from radprog.solvers.program import Solution, Status
from radprog.solvers.registry import solve_model

MOST_LABELLINGS = 20_000
MIXED_INTEGER_QUADRATIC = ("scip",)  # solvers that take the program whole
CUT_ROUNDS = 60


@dataclass(frozen=True, kw_only=True)
class Discrete:
    """The best labelling (n,) found, weights, value, lower bound."""

    codes: IntArray
    a: FloatArray
    value: float
    bound: float | None
    reason: Reason
    trace: Sequence[Record] | None
    solver: SolverUse
    evidence: Mapping[str, Any] = field(default_factory=dict)


def labellings(n: int, c: int, sizes: tuple[int, int]) -> Iterator[IntArray]:
    """All partitions of n points into c clusters (n,) whose sizes lie in the range, numbered by
    first appearance."""
    low, high = sizes
    codes = np.zeros(n, dtype=np.intp)
    counts = [0] * c

    def extend(i: int, used: int) -> Iterator[IntArray]:
        if i == n:
            yield codes.copy()
            return
        for k in range(min(used + 1, c)):
            if counts[k] == high:
                continue
            counts[k] += 1
            missing = sum(max(low - count, 0) for count in counts)
            if missing <= n - i - 1:
                codes[i] = k
                yield from extend(i + 1, max(used, k + 1))
            counts[k] -= 1

    yield from extend(0, 0)


def enclosed(problem: Weighted, codes: IntArray, c: int, a: FloatArray) -> tuple[float, float]:
    """At least J of a labelling at weights a (n,), and at most its minimum over the weights.

    J = a'Qa + b'a is convex for a labelling, so that its minimum is at least J - (g'a - min g's),
    g its gradient. Both hold in exact arithmetic for the similarities at hand, |s| being positive
    semidefinite, and for weights whose sum is 1 to rounding: with B_i = 3 sum_j |s_ij|, what b is
    summed from, a float evaluation is off by at most k 2^-53 times the sum of the sizes of its
    terms, k = 8 n + 64: J by a'|Q|a + B'a, g_i by G_i = 2 (|Q|a)_i + B_i, the gap by G'a + 2 max G.
    """
    Q, b = _quadratic(problem, codes, c)
    product, sizes = Q @ a, np.abs(Q) @ a
    B = 3.0 * np.abs(problem.s).sum(axis=1)
    rounding = (8 * problem.n + 64) * UNIT_ROUNDOFF
    value, loss = float(a @ product + b @ a), rounding * float(a @ sizes + B @ a)
    slopes = 2.0 * sizes + B
    doubt = rounding * float(slopes @ a + 2.0 * slopes.max())
    gap = frank_wolfe_gap(2.0 * product + b, a, problem.upper)
    return value + loss, value - gap - loss - doubt


def _quadratic(problem: Weighted, codes: IntArray, c: int) -> tuple[FloatArray, FloatArray]:
    if isinstance(problem, DensityWeighted):
        return problem.quadratic(np.where(codes == 0, -1.0, 1.0)[:, None])
    return problem.quadratic(indicator(codes, c))


def discrete_bound(
    problem: Weighted, c: int, sizes: tuple[int, int], points: FloatArray
) -> float | None:
    """The least of the labellings' bounds, weights (count, n) in the order of ``labellings``; None
    where their number is another one."""
    every = list(labellings(problem.n, c, sizes))
    if len(every) != len(points):
        return None
    return min(enclosed(problem, codes, c, a)[1] for codes, a in zip(every, points, strict=True))


def solve_discrete(
    problem: Weighted, c: int, sizes: tuple[int, int], settings: RunSettings, budget: Budget
) -> Discrete:
    """Enumerate (no solver named), or solve the mixed-integer program by the solver named.

    Raises OptionError where there is no labelling, or too many of them to enumerate.
    """
    if sizes[0] * c > problem.n or sizes[1] * c < problem.n:
        raise OptionError(
            f"no labelling of {problem.n} points into {c} clusters of {sizes[0]} to {sizes[1]}"
        )
    if settings.solver is None:
        return enumerate_labellings(problem, c, sizes, budget)
    if isinstance(problem, DensityWeighted):
        raise OptionError("objective 'ise' is solved by enumeration: leave --solver out")
    if settings.solver in MIXED_INTEGER_QUADRATIC:
        return _whole(problem, c, sizes, settings, budget)
    return solve_by_cuts(problem, c, sizes, settings, budget)


def enumerate_labellings(
    problem: Weighted, c: int, sizes: tuple[int, int], budget: Budget
) -> Discrete:
    """One convex program per labelling."""
    best: tuple[float, IntArray, FloatArray] | None = None
    bound, points = np.inf, []
    reason = Reason.TOLERANCE
    every = list(islice(labellings(problem.n, c, sizes), MOST_LABELLINGS + 1))
    if len(every) > MOST_LABELLINGS:
        raise OptionError(
            f"method exact: more than {MOST_LABELLINGS} labellings of {problem.n} points into "
            f"{c} clusters: use method alternate"
        )
    for codes in every:
        if best is not None and budget.spent():
            reason = budget.reason
            break
        a = convex_minimum(*_quadratic(problem, codes, c), problem.upper, Budget())
        value, low = enclosed(problem, codes, c, a)
        points.append(a)
        bound = min(bound, low)
        if best is None or value < best[0]:
            best = value, codes, a
    if best is None:
        raise OptionError("there is no labelling with these sizes")
    complete = reason is Reason.TOLERANCE
    return Discrete(
        codes=best[1],
        a=best[2],
        value=best[0],
        bound=bound if complete else None,
        reason=reason,
        trace=None,
        solver=SolverUse("piqp", piqp.__version__, {}),
        evidence={"labellings": np.array(points)} if complete else {},
    )


def _labelled(problem: Weighted, c: int, solution: Solution) -> tuple[IntArray, FloatArray, float]:
    """The labelling of a solution of ``build_labels`` with its best weights and J."""
    if solution.x is None:
        raise SolverError(f"{solution.solver} found no labelling: {solution.message}")
    n = problem.n
    z = solution.x[: n * c].reshape(n, c)
    codes = np.asarray(z.argmax(axis=1), dtype=np.intp)
    a = convex_minimum(*_quadratic(problem, codes, c), problem.upper, Budget())
    return codes, a, enclosed(problem, codes, c, a)[0]


def _whole(
    problem: Weighted, c: int, sizes: tuple[int, int], settings: RunSettings, budget: Budget
) -> Discrete:
    model = build_labels(problem, c, sizes)
    solution = solve_model(model, settings.solver or "", settings.for_solver(budget))
    if solution.status in (Status.LIMIT, Status.INTERRUPTED) and solution.x is None:
        raise OutOfBudget
    codes, a, value = _labelled(problem, c, solution)
    finished = solution.claimed_optimal
    return Discrete(
        codes=codes,
        a=a,
        value=value,
        bound=None,
        reason=Reason.SOLVER if finished else budget.reason,
        trace=None,
        solver=SolverUse(solution.solver, solution.version, settings.solver_options),
    )


def solve_by_cuts(
    problem: Weighted, c: int, sizes: tuple[int, int], settings: RunSettings, budget: Budget
) -> Discrete:
    """Outer approximation: tangents of the class norms, a mixed-integer LP a round.

    The optimum of a round bounds J from below as far as its solver is right; the labelling of a
    round with its best weights bounds it from above, and gives the next tangents.
    """
    tangents: list[FloatArray] = [np.full((problem.n, c), 1.0 / (problem.n * c))]
    best: list[tuple[float, IntArray, FloatArray]] = []
    bounds: list[float] = []
    used: list[Solution] = []

    def step(iteration: int, budget: Budget) -> Record:
        model = build_labels(problem, c, sizes, tangents=tangents)
        solution = solve_model(model, settings.solver or "", settings.for_solver(budget))
        if not solution.claimed_optimal:
            budget.check()
            raise SolverError(f"{solution.solver}: {solution.status} {solution.message}")
        used.append(solution)
        bounds.append(float(solution.objective or 0.0))
        codes, a, value = _labelled(problem, c, solution)
        if not best or value < best[0][0]:
            best[:] = [(value, codes, a)]
        assert solution.x is not None
        n = problem.n
        tangents.append(solution.x[n * c : 2 * n * c].reshape(n, c))
        tangents.append(a[:, None] * indicator(codes, c))
        return Record(iteration, budget.seconds, best[0][0], max(bounds))

    limit = CUT_ROUNDS if settings.max_iter is None else max(1, settings.max_iter)
    stops: list[Stop] = [GapReached(settings.tol, settings.abs_tol), MaxIterations(limit)]
    reason, trace = run(step, stops, budget, settings.observe)
    if not best:
        raise OutOfBudget
    value, codes, a = best[0]
    return Discrete(
        codes=codes,
        a=a,
        value=value,
        bound=None,
        reason=Reason.SOLVER if reason is Reason.TOLERANCE else reason,
        trace=trace,
        solver=SolverUse(used[-1].solver, used[-1].version, settings.solver_options),
    )
