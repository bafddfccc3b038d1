"""Minimise a'Qa + b'a over the simplex with an upper bound on each weight.

This is the weight step of an alternation. Q may be indefinite. If Q is positive semidefinite on the
plane 1'v = 0, the step is one convex program. Otherwise DCA is used. On this plane, Q is split by
the signs of its eigenvalues. Each DCA step replaces the concave part with its tangent and solves
the convex program. Every returned point is feasible and at least as good as the start. Its
Frank-Wolfe gap is computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.modelling import pyo
from radprog.base.tolerances import LEAST_DIVISOR, WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.drivers.descend import DescentPoint, OnLine, move
from radprog.decompositions.loop import Budget, Stop, max_iterations, run
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.decompositions.similarity.assembly import Instance
from radprog.models.lapack import positive_definite
from radprog.models.similarity.problem import frank_wolfe_gap
from radprog.models.similarity.programs import build_weights
from radprog.models.simplex import project
from radprog.solvers.dense.svm import paired_simplex_qp, simplex_program, solve_simplex_qp
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solve_program
from radprog.solvers.registry import solver as named_solver

GRADIENT_STEPS = 60  # projected gradient steps before a program is solved
RUN_DEFAULTS = RunSettings()


class Curvature(NamedTuple):
    """The matrix Q on the plane 1'v = 0, as a difference convex - concave.

    a'Qa = a'(convex - concave)a + slope'a + constant for 1'a = 1. ``lowest`` is the smallest
    eigenvalue on this plane, or None if a Cholesky factorisation proved it >= 0.
    """

    convex: FloatArray
    concave: FloatArray | None
    slope: FloatArray
    constant: float
    lowest: float | None


def curvature(Q: FloatArray) -> Curvature:
    """Split Q (n, n) on the plane 1'v = 0. A Cholesky factorisation detects the convex case."""
    # P = projection of Q on both sides: for 1'a = 1, a'Qa = a'Pa + 2 rows'a - total
    n = len(Q)
    rows = Q.mean(axis=1)
    total = float(rows.mean())
    P = Q - rows[:, None] - rows + total
    # convex: P is definite once the direction 1, where it is 0, is lifted, and eigenvalues that
    # are zero, relative to the largest entry
    top, flat = float(np.abs(P).max(initial=0.0)), 1e-10
    shifted = P + (top / n + flat * top / n)
    shifted[np.diag_indices(n)] += flat * top + LEAST_DIVISOR
    if positive_definite(shifted):
        return Curvature(P, None, 2.0 * rows, -total, None)
    # by the signs of its eigenvalues
    values, vectors = np.linalg.eigh(P)
    low = vectors[:, values < 0]
    concave = (low * -values[values < 0]) @ low.T
    return Curvature(P + concave, concave, 2.0 * rows, -total, float(values[0]))


def weight_step(
    Q: Any,
    b: FloatArray,
    upper: float,
    start: FloatArray,
    budget: Budget,
    *,
    limit: int = 50,
    settings: RunSettings = RUN_DEFAULTS,
    gradient_steps: int = GRADIENT_STEPS,
) -> tuple[DescentPoint, int, float | None]:
    """Descend from the feasible ``start`` (n,) until the Frank-Wolfe gap is at most 1e-6 n.

    A few projected gradient steps come first. If a gap remains, convex programs are solved.
    ``limit`` is the maximum number of DCA steps; it may be 0. For a sparse Q (n, n), additional
    gradient steps replace the programs. ``settings`` may name a registered solver in place of PIQP.

    Returns the weights with their value and gap, the number of programs, and the smallest
    eigenvalue on the plane 1'v = 0 of a step that is not convex, else None. Raises OutOfBudget.
    """
    tolerance = WEIGHT_STEP_GAP * len(b)
    if limit and sparse.issparse(Q):
        limit, gradient_steps = 0, 500  # of a weight step without a program

    def function(a: FloatArray) -> tuple[float, FloatArray]:
        product = Q @ a
        return float(a @ product + b @ a), 2.0 * product + b

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, upper)

    def project_onto(v: FloatArray) -> FloatArray:
        return project(v, upper)

    def restrict_to(point: DescentPoint, direction: FloatArray) -> OnLine:
        # one product with Q for the whole line
        product = Q @ direction
        slope, curved = float(point.gradient @ direction), float(direction @ product)

        def evaluate(share: float) -> tuple[float, FloatArray]:
            value = point.value + share * (slope + share * curved)
            return value, point.gradient + (2.0 * share) * product

        return evaluate

    def descend(a: FloatArray, steps: int) -> DescentPoint:
        point = DescentPoint.at(a, function, gap)
        for _ in range(steps):
            if budget.spent() or point.gap <= tolerance:
                break
            if not move(point, function, project_onto, gap, restrict_to):
                break
        return DescentPoint.at(point.x, function, gap)  # sums of steps have rounding errors

    # projected gradient steps
    point = descend(start, gradient_steps)
    steps, lowest = 0, None
    if point.gap > tolerance and limit > 0:
        # the program where it is convex, else DCA on its split
        budget.check()
        split = curvature(Q)
        lowest = split.lowest
        if split.concave is None:
            a, steps = convex_minimum(split.convex, b + split.slope, upper, budget, settings), 1
        else:
            a, steps = _dca(split, b + split.slope, upper, point.x, budget, limit, settings)
        # gradient steps once more: what the accuracy of the programs leaves
        polished = descend(a, GRADIENT_STEPS)
        point = polished if polished.value <= point.value else point
    return point, steps, lowest


def paired_start(Q: FloatArray, upper: float, start: FloatArray, gap: float) -> FloatArray:
    """The feasible end point of libsvm's pairwise descent on a'Qa, or ``start`` (n,) if ``start``
    is at least as good.

    Raises OutOfBudget.
    """
    # where libsvm ends lies off the simplex by its single precision
    point = paired_simplex_qp(Q, upper, gap)
    if point is None:
        return start
    point = project(point, upper)
    return point if point @ (Q @ point) < start @ (Q @ start) else start


def _dca(
    split: Curvature,
    linear: FloatArray,
    upper: float,
    start: FloatArray,
    budget: Budget,
    limit: int,
    settings: RunSettings,
) -> tuple[FloatArray, int]:
    """Run DCA on a'(convex - concave)a + linear'a. Return the end point and the number of steps."""
    convex, concave = split.convex, split.concave
    assert concave is not None

    def value(a: FloatArray) -> float:
        return float(a @ (convex @ a - concave @ a) + linear @ a)

    def objective(x: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        return np.array([value(a) for a in x])

    def majorise(
        x: FloatArray, rows: NDArray[np.intp], budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        # the concave part by its tangent at a
        a, current = x[0], value(x[0])
        pull = concave @ a
        tangent, constant = linear - 2.0 * pull, float(a @ pull)
        # stationary: stay
        gradient = 2.0 * (convex @ a) + tangent
        if frank_wolfe_gap(gradient, a, upper) <= WEIGHT_STEP_GAP * len(a):
            return x.copy(), np.array([current])
        budget.check()
        minimiser = convex_minimum(convex, tangent, upper, budget, settings)
        model = float(minimiser @ (convex @ minimiser) + tangent @ minimiser) + constant
        if model > current:  # the solver's accuracy is spent: stay
            return x.copy(), np.array([current])
        return minimiser[None, :], np.array([model])

    # a batch of one start
    batch = Batch.of(start[None, :], objective)
    # relative decrease at which a step for weights ends
    step = dca_step(batch, objective, majorise, tolerance=1e-13)
    stops: list[Stop] = [none_active(batch), max_iterations(limit)]
    _, trace = run(step, stops, budget, needed=True)
    return batch.x[0], len(trace)


def solver_of(settings: RunSettings) -> SolverUse:
    """The solver of the convex programs. Raises SolverError or OptionError if the solver is
    unsuitable.
    """
    name = settings.solver or "piqp"
    row = named_solver(name)
    row.check(ProblemClass.QP)
    return SolverUse(name, row.adapter().version(), settings.solver_options)


def convex_minimum(
    Q: FloatArray, b: FloatArray, upper: float, budget: Budget, settings: RunSettings = RUN_DEFAULTS
) -> FloatArray:
    """A minimiser (n,) of a'Qa + b'a over the simplex with upper bounds, made exactly feasible.

    The program is solved by PIQP or by the solver in ``settings``. Raises OutOfBudget. Raises
    SolverError if no solution is found.
    """
    solver = settings.solver
    if solver is None:
        budget.check()
        x = solve_simplex_qp(Q, b, upper)
    else:
        # definite along 1 too, for solvers that look at all of Q: a constant on the simplex
        shifted = Q + np.abs(Q).max(initial=0.0)
        solver_settings = settings.for_solver(budget)
        x = solve_program(simplex_program(shifted, b, upper), solver, solver_settings).x
        budget.check()
    if x is None:
        raise SolverError(f"{solver or 'piqp'} found no weights: a convex program over a simplex")
    return project(x, upper)


def weights_program(instance: Instance, Y: FloatArray) -> pyo.ConcreteModel:
    """The program of the weight step at Y (n, c), its points in the order of the data."""
    problem = instance.in_data_order().problem
    return build_weights(*problem.quadratic(instance.restored(Y)), problem.upper)
