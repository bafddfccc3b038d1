"""Global optima of signed bounded losses by every convex piece: a second route beside search."""

import itertools

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression.cccp import Fits, Radius, StepCounts, far_from
from radprog.models.regression.problem import Hinges, RegressionClass, bounded_loss_bias, piece
from radprog.solvers.dense.hinges import HingeProgram, solve_hinges

EXACT_PIECE_GAP = 1e-10
PIECES_AT_ONCE = 4096


def convex_pieces(problem: RegressionClass, signs: FloatArray, far: float) -> Hinges:
    """The P convex pieces of one sign vector (n,): the objective is the least of these sums."""
    several = 3 if problem.loss.low > 0 else 2
    kinds = [range(several if sign > 0 else 2) for sign in signs.tolist()]
    table = np.array(list(itertools.product(*kinds)))
    rows = np.broadcast_to(signs, table.shape)
    return piece(problem.y, rows, problem.loss, far, table)


def enumerate_pieces(
    problem: RegressionClass, signs: FloatArray, A: float, budget: Budget
) -> tuple[Fits, FloatArray]:
    """Global optima for sign vectors (T, n) by all convex pieces, and lower bounds (T,) of them.

    Raises OutOfBudget where the budget is spent before all are solved.
    """
    T, r, up = len(signs), problem.rank, problem.loss.up
    none = np.zeros(T, dtype=np.intp)
    x = np.zeros((T, r + 1))
    x[:, -1], values = bounded_loss_bias(np.zeros_like(signs), problem.y, signs, problem.loss)
    if A == 0 or r == 0:
        record = Record(0, budget.seconds, float(values.mean()), None)
        return Fits(x, values, Reason.SOLVER, [record], StepCounts(), none), values
    # the least of all convex pieces is the objective: the least bound of them bounds it from below
    solved, bounds, far = 0, np.full(T, np.inf), far_from(problem, A)
    for t in range(T):
        # every convex piece of the objective, a hinge regression each
        pieces = convex_pieces(problem, signs[t], far)
        for start in range(0, len(pieces.t1), PIECES_AT_ONCE):
            part = pieces.take(np.arange(start, min(start + PIECES_AT_ONCE, len(pieces.t1))))
            program = HingeProgram(
                F=problem.factor,
                t1=part.t1,
                t2=part.t2,
                c=np.zeros_like(part.t1),
                box=problem.bias_box(A),
                radius=float(np.sqrt(A)),
            )
            solution = solve_hinges(program, tolerance=EXACT_PIECE_GAP, poll=budget.check)
            # the best function, and the bound of all pieces
            totals = (solution.value + part.constant) / up
            bounds[t] = min(bounds[t], float(((solution.bound + part.constant) / up).min()))
            k = int(totals.argmin())
            solved += len(totals)
            if totals[k] < values[t]:
                values[t], x[t] = totals[k], np.append(solution.w[k], solution.b[k])
    values = Radius(A=A).objective(problem, x, signs)
    record = Record(0, budget.seconds, float(values.mean()), None, {"pieces": float(solved)})
    return Fits(x, values, Reason.SOLVER, [record], StepCounts(solved), none), bounds
