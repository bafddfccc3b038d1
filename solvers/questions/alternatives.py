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
from radprog.solvers.program import Program, Solution, SolveSettings, Status
from radprog.solvers.questions.ranging import Ranging
from radprog.solvers.registry import solve_foreign, solve_program

LARGEST = (
    1e5  # of an integer column that leaves its value: integers hold within 1e-6 of such a size
)

#: Solutions of a program, the optimum first. The second part says by ``kind`` what they are, by
#: ``complete`` whether there are no others, which with integers is the word of a solver, and by
#: ``message`` why there are fewer than were asked for.
Alternatives: TypeAlias = tuple[list[Solution], dict[str, Any]]


def next_best(
    program: Program,
    first: Solution,
    count: int,
    solver: str | None,
    settings: SolveSettings,
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
        left = settings.after(time.perf_counter() - began)
        try:
            program = _without(program, np.rint(x), n, left)
        except CapabilityError as error:
            message = str(error)
            break
        found = solve_foreign(program, solver, settings.after(time.perf_counter() - began))
        if Status.INFEASIBLE in (found.status, found.claim):
            complete, message = True, "there are no others"
        elif found.x is None:
            message = f"the next search ended without a point: {found.message or found.status}"
        else:
            solutions.append(replace(found, x=found.x[:n]))
    kind = "best values of the integer columns, each with the bound of its own search"
    return solutions, {"kind": kind, "complete": complete, "message": message or _asked(count)}


def _asked(count: int) -> str:
    return f"these are the {count} asked for, and there may be others"


def _without(program: Program, x: FloatArray, n: int, settings: SolveSettings) -> Program:
    """The program without these values of its integer columns, which are among the first n.

    One of the columns must leave its value v. A column at its lower end l leaves it by x - l >= 1,
    one at its upper end u by u - x >= 1. In between, binary columns p and q say that it does:

        x >= l + (v + 1 - l) p,  x <= u - (u - v + 1) q,  sum of all these terms >= 1

    Raises CapabilityError if such a column has no finite end.
    """
    low, high = np.ceil(program.lower[:n] - 1e-9), np.floor(program.upper[:n] + 1e-9)
    whole, size = program.integer[:n], program.cost.size
    # up from the lower end, down from the upper one, nothing from a single value
    step = np.where(x[:n] <= low, 1.0, np.where(x[:n] >= high, -1.0, 0.0)) * whole * (low < high)
    inner = np.flatnonzero(whole & (low < x[:n]) & (x[:n] < high)).tolist()
    k = 2 * len(inner)
    leaves = sparse.lil_array((1 + k, size + k))
    leaves[0, :n], leaves[0, size:] = step, 1.0
    lower, upper = np.full(1 + k, -np.inf), np.full(1 + k, np.inf)
    lower[0] = 1.0 + step[step != 0.0] @ x[:n][step != 0.0]
    for place, j in enumerate(inner):
        ends = _end(program, j, -1.0, low[j], settings), _end(program, j, 1.0, high[j], settings)
        for row, end, by in zip((1 + 2 * place, 2 + 2 * place), ends, (1.0, -1.0), strict=True):
            leaves[row, j], leaves[row, size + row - 1] = 1.0, end - (x[j] + by)
            (lower if by > 0 else upper)[row] = end
    added, none = np.zeros(k), sparse.csc_array((k, k))
    wider = replace(
        program,
        cost=np.append(program.cost, added),
        rows=sparse.csr_array(
            sparse.hstack([program.rows, sparse.csr_array((len(program.row_lower), k))])
        ),
        lower=np.append(program.lower, added),
        upper=np.append(program.upper, added + 1.0),
        integer=np.append(program.integer, added == 0.0),
        column_names=(*program.column_names, *(f"leaves({size + i})" for i in range(k))),
        quadratic=None
        if program.quadratic is None
        else sparse.csc_array(sparse.block_diag([program.quadratic, none])),
        quadratic_rows={
            row: sparse.csc_array(sparse.block_diag([matrix, none]))
            for row, matrix in program.quadratic_rows.items()
        },
    )
    return with_rows(wider, sparse.csr_array(leaves), lower, upper)


def _end(program: Program, j: int, sign: float, end: float, settings: SolveSettings) -> float:
    """The end of an integer column, or a finite one that the rows imply."""
    if not np.isfinite(end):
        cost = np.zeros(program.cost.size)
        cost[j] = -sign
        relaxed = replace(program, cost=cost, constant=0.0, quadratic=None, integer=cost > 2.0)
        answer = solve_program(relaxed, "highs", replace(settings, solver_options={}, log=None))
        if answer.status is Status.OPTIMAL and answer.x is not None:
            end = float(np.rint(answer.x[j] + sign))  # rounded away from the program
    if not abs(end) <= LARGEST:
        name = program.column_names[j]
        raise CapabilityError(
            f"{name} has no bound that is finite and at most {LARGEST:g}: the next best need one"
        )
    return end


def with_rows(
    program: Program, rows: sparse.csr_array, lower: FloatArray, upper: FloatArray
) -> Program:
    """The program with further linear rows."""
    names = (f"further({len(program.row_names) + i})" for i in range(len(lower)))
    return replace(
        program,
        rows=sparse.csr_array(sparse.vstack([program.rows, rows], format="csr")),
        row_lower=np.append(program.row_lower, lower),
        row_upper=np.append(program.row_upper, upper),
        row_names=(*program.row_names, *names),
    )


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
        left = settings.after(time.perf_counter() - began)
        if left.time_limit is not None and left.time_limit <= 0.01:  # none is left
            break
        answer = solve_program(replace(face, cost=rng.normal(size=n)), "highs", left)
        if answer.x is None or answer.status is not Status.OPTIMAL:
            continue  # the face is unbounded in this direction
        x = answer.x
        there = proved(program, replace(first, x=x, message=""), settings)
        known = (
            np.allclose(x, np.asarray(one.x), rtol=1e-7, atol=1e-7)  # HiGHS's own tolerance
            for one in solutions
        )
        if there.status is Status.OPTIMAL and not any(known):
            solutions.append(there)
        if len(solutions) == count:
            return solutions, {"kind": kind, "complete": False, "message": _asked(count)}
    message = "no others in random directions, which proves nothing"
    return solutions, {"kind": kind, "complete": False, "message": message}
