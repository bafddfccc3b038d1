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
    """The first solution and the next best ones with other values of the binary columns.

    After each solution, a row cuts off its values: the sum of 1 - b over the columns at 1 and of b
    over those at 0 is at least 1. The bound of each is that of its own search over all others.
    Raises CapabilityError if an integer column is not binary.
    """
    binary, began, solutions = program.integer, time.perf_counter(), [first]
    general = binary & ((program.lower < 0.0) | (program.upper > 1.0))
    if general.any():
        name = program.column_names[int(general.argmax())]
        raise CapabilityError(
            f"solutions: {name} is a general integer: expected binary ones, such as its bits"
        )
    complete, message = False, ""
    while len(solutions) < count and not message:
        x = solutions[-1].x
        if x is None or solutions[-1].status is not Status.OPTIMAL:
            message = "the last search ended before its bound met its point"
            break
        at_one = np.where(binary, np.rint(x), 0.0)
        cut = sparse.csr_array(np.where(binary, 1.0 - 2.0 * at_one, 0.0)[None])
        program = with_rows(program, cut, np.array([1.0 - at_one.sum()]), np.array([np.inf]))
        found = solve_foreign(program, solver, settings.after(time.perf_counter() - began))
        if Status.INFEASIBLE in (found.status, found.claim):
            complete, message = True, "there are no others"
        elif found.x is None:
            message = f"the next search ended without a point: {found.message or found.status}"
        else:
            solutions.append(found)
    kind = "best values of the binary columns, each with the bound of its own search"
    return solutions, {"kind": kind, "complete": complete, "message": message}


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
            return solutions, {"kind": kind, "complete": False, "message": ""}
    message = "no others in random directions, which proves nothing"
    return solutions, {"kind": kind, "complete": False, "message": message}
