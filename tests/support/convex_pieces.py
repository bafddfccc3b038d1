"""Global optima of signed bounded losses by every convex piece: a second route beside search."""

import itertools

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.regression.cccp import far_kink
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


def least_values(problem: RegressionClass, signs: FloatArray, A: float) -> FloatArray:
    """Global optima for sign vectors (T, n) by all convex pieces."""
    up = problem.loss.up
    _, values = bounded_loss_bias(np.zeros_like(signs), problem.y, signs, problem.loss)
    if A == 0 or problem.rank == 0:
        return values
    far = far_kink(problem, A)
    for t in range(len(signs)):
        # every convex piece of the objective, a hinge regression each: the least of them is it
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
            solution = solve_hinges(program, tolerance=EXACT_PIECE_GAP)
            values[t] = min(values[t], float(((solution.value + part.constant) / up).min()))
    return values
