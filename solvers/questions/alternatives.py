"""The next best solutions of a program with integers, and further vertices of an optimal face."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError
from radprog.base.types import FloatArray
from radprog.solvers.answer import proved
from radprog.solvers.certificate import implied_bounds
from radprog.solvers.program import Program, Solution, SolveSettings, Status
from radprog.solvers.questions.ranging import Ranging
from radprog.solvers.registry import solve_foreign, solve_program

#: Largest integer that leaves its value: solvers hold integers of this size within 1e-6.
LARGEST = 1e5
ASKED = "these are the {} asked for, and there may be others"

#: Solutions of a program, the optimum first. The second part says by ``kind`` what they are, by
#: ``complete`` whether there are no others, which with integers is the word of a solver, and by
#: ``message`` why there are fewer than were asked for.
Alternatives: TypeAlias = tuple[list[Solution], dict[str, Any]]


def next_best(
    program: Program, first: Solution, count: int, solver: str | None, settings: SolveSettings
) -> Alternatives:
    """The first solution and the next best ones with other values of the integer columns.

    Each solution is cut off by :func:`_without`. The bound of each is that of its own search over
    all others.
    """
    began, solutions, n = time.perf_counter(), [first], program.cost.size
    complete, message = False, ""
    while len(solutions) < count and not message:
        x = solutions[-1].x
        if x is None or solutions[-1].status is not Status.OPTIMAL:
            message = "the last search ended before its bound met its point"
            break
        try:
            program = _without(program, np.rint(x), n)
        except CapabilityError as error:
            message = str(error)
            break
        answer = solve_foreign(program, solver, settings.after(time.perf_counter() - began))
        if Status.INFEASIBLE in (answer.status, answer.claim):
            complete, message = True, "there are no others"
        elif answer.x is None:
            message = f"the next search ended without a point: {answer.message or answer.status}"
        else:
            solutions.append(replace(answer, x=answer.x[:n]))
    kind = "best values of the integer columns, each with the bound of its own search"
    message = message or ASKED.format(count)
    return solutions, {"kind": kind, "complete": complete, "message": message}


def _without(program: Program, x: FloatArray, n: int) -> Program:
    """The program without these values of its integer columns, which are among the first n.

    One of the columns must leave its value v. A column at its lower end l leaves it by x - l >= 1,
    one at its upper end u by u - x >= 1. In between, binary columns p and q say that it does:

        x >= l + (v + 1 - l) p,  x <= u - (u - v + 1) q,  sum of all these terms >= 1

    Raises CapabilityError if such a column has no finite end, also by its rows.
    """
    ends = implied_bounds(program)
    low, high = np.ceil(ends[0][:n] - 1e-6), np.floor(ends[1][:n] + 1e-6)
    x, integer, size = x[:n], program.integer[:n], program.cost.size
    # up from the lower end, down from the upper one, nothing from a single value
    step = np.where(x <= low, 1.0, np.where(x >= high, -1.0, 0.0)) * (integer & (low < high))
    inner = np.flatnonzero(integer & (low < x) & (x < high))
    largest = np.maximum(-low, high)[inner]
    if (largest > LARGEST).any():
        name = program.column_names[inner[largest.argmax()]]
        raise CapabilityError(
            f"{name} has no bound that is finite and at most {LARGEST:g}: the next best need one"
        )
    k = inner.size
    leaves = sparse.lil_array((1 + 2 * k, size + 2 * k))
    leaves[0, :n], leaves[0, size:] = step, 1.0
    lower, upper = np.full(1 + 2 * k, -np.inf), np.full(1 + 2 * k, np.inf)
    lower[0] = 1.0 + step @ np.where(step, x, 0.0)
    for i, j in enumerate(inner.tolist()):
        up, down = 1 + i, 1 + k + i
        leaves[up, j], leaves[up, size + i], lower[up] = 1.0, low[j] - x[j] - 1.0, low[j]
        leaves[down, j], leaves[down, size + k + i] = 1.0, high[j] - x[j] + 1.0
        upper[down] = high[j]
    binary = np.zeros(2 * k)
    wider = program.with_columns(None, binary, binary, binary + 1.0, integer=True)
    return wider.with_rows(sparse.csr_array(leaves), lower, upper)


def other_vertices(
    program: Program, first: Solution, ranging: Ranging | None, count: int, settings: SolveSettings
) -> Alternatives:
    """An optimal vertex of a linear program, and further vertices of the face of optimal points.

    Random objectives are minimised over the face, which complementary slackness describes. The
    multipliers of the first solution prove each of the others.
    """
    kind, solutions = "vertices of the face of optimal points", [first]
    if ranging is None or not len(ranging.movable):
        unique = ranging is not None
        message = "the optimal point is unique, up to rounding" if unique else "there is no basis"
        return solutions, {"kind": kind, "complete": unique, "message": message}
    # what may move has its own bounds
    face, n = ranging.face, program.cost.size
    moves = np.isin(np.arange(n + len(program.row_lower)), ranging.movable)
    face = replace(
        face,
        lower=np.where(moves[:n], program.lower, face.lower),
        upper=np.where(moves[:n], program.upper, face.upper),
        row_lower=np.where(moves[n:], program.row_lower, face.row_lower),
        row_upper=np.where(moves[n:], program.row_upper, face.row_upper),
    )
    rng, began = np.random.default_rng(settings.seed), time.perf_counter()
    # four directions for each vertex that is wanted, since several lead to one
    for _ in range(4 * count):
        remaining = settings.after(time.perf_counter() - began)
        if remaining.time_limit is not None and remaining.time_limit <= 0.01:  # none is left
            break
        answer = solve_program(replace(face, cost=rng.normal(size=n)), "highs", remaining)
        if answer.x is None or answer.status is not Status.OPTIMAL:
            continue  # the face is unbounded in this direction
        x = answer.x
        vertex = proved(program, replace(first, x=x, message=""), settings)
        seen = (
            np.allclose(x, np.asarray(solution.x), rtol=1e-7, atol=1e-7)  # HiGHS's own tolerance
            for solution in solutions
        )
        if vertex.status is Status.OPTIMAL and not any(seen):
            solutions.append(vertex)
        if len(solutions) == count:
            return solutions, {"kind": kind, "complete": False, "message": ASKED.format(count)}
    message = "no others in random directions, which proves nothing"
    return solutions, {"kind": kind, "complete": False, "message": message}
