"""The weight step: min a'Qa + b'a over the simplex with a box, Q of any signature.

Where Q is positive semidefinite on the plane 1'v = 0, one convex program. Elsewhere DCA on the
split of Q on that plane by the signs of its eigenvalues: the convex part is minimised exactly, the
concave part replaced by its tangent. Every point returned is feasible, no worse than the start,
and measured by its Frank-Wolfe gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import LEAST_DIVISOR, WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.dca import Batch, NoneActive, dca_step
from radprog.decompositions.drivers.descend import DescentPoint, OnLine, move
from radprog.decompositions.loop import Budget, MaxIterations, Reason, Stop, run
from radprog.decompositions.run import RunSettings
from radprog.models.lapack import positive_definite
from radprog.models.similarity.problem import Weighted, frank_wolfe_gap, project
from radprog.models.similarity.programs import build_weights
from radprog.models.similarity.sparse import SparseWeighted
from radprog.solvers.dense.simplex_qp import (
    paired_simplex_qp,
    simplex_program,
    solve_simplex_qp,
)
from radprog.solvers.registry import solve_program

if TYPE_CHECKING:
    import pyomo.environ as pyo

FLAT_CURVATURE = 1e-10  # eigenvalue on the plane, relative to the largest entry, that is zero
WEIGHT_DECREASE = 1e-13  # relative decrease at which a step for weights ends

LARGEST_STEPS = 50  # DCA steps of one weight step
SPARSE_GRADIENT_STEPS = 500  # of a weight step without a program
GRADIENT_STEPS = 60  # projected gradient steps before a program is solved
RUN_DEFAULTS = RunSettings()


class Curvature(NamedTuple):
    """Q on the plane 1'v = 0 as convex - concave.

    a'Qa = a'(convex - concave)a + slope'a + constant for 1'a = 1; ``lowest``: the smallest
    eigenvalue there, None where a Cholesky factorisation showed it to be no less than 0.
    """

    convex: FloatArray
    concave: FloatArray | None
    slope: FloatArray
    constant: float
    lowest: float | None


@dataclass(frozen=True, kw_only=True)
class WeightAnswer:
    """Weights (n,), their value, Frank-Wolfe gap, DCA steps taken, and whether Q was convex.

    lowest: the smallest eigenvalue on the plane 1'v = 0 where it is negative; None where it is
    not, or where gradient steps were enough and nobody asked.
    """

    a: FloatArray
    value: float
    gap: float
    steps: int
    convex: bool
    lowest: float | None = None


def curvature(Q: FloatArray) -> Curvature:
    """Split Q (n, n) on the plane 1'v = 0; a Cholesky factorisation finds the convex case."""
    n = len(Q)
    rows = Q.mean(axis=1)
    total = float(rows.mean())
    P = Q - rows[:, None] - rows + total
    # For 1'a = 1, a'Qa = a'Pa + 2 rows'a - total.
    top = float(np.abs(P).max(initial=0.0))
    shifted = P + (top / n + FLAT_CURVATURE * top / n)
    shifted[np.diag_indices(n)] += FLAT_CURVATURE * top + LEAST_DIVISOR
    if positive_definite(shifted):
        return Curvature(P, None, 2.0 * rows, -total, None)
    values, vectors = np.linalg.eigh(P)
    below = int((values < 0).sum())
    if 2 * below <= n:
        low = vectors[:, :below]
        concave = (low * -values[:below]) @ low.T
        convex = P + concave
    else:
        high = vectors[:, below:]
        convex = (high * values[below:]) @ high.T
        concave = convex - P
    return Curvature(convex, concave, 2.0 * rows, -total, float(values[0]))


def weight_step(
    Q: Any,
    b: FloatArray,
    upper: float,
    start: FloatArray,
    budget: Budget,
    *,
    most: int = LARGEST_STEPS,
    settings: RunSettings = RUN_DEFAULTS,
    gradient_steps: int = GRADIENT_STEPS,
) -> WeightAnswer:
    """Descend from ``start`` (n,), feasible, until the Frank-Wolfe gap is within 1e-6 n.

    A few projected gradient steps come first; the programs follow only where they leave a gap.
    most: DCA steps, 0 for none; settings: name a solver of the registry in place of PIQP.
    Raises OutOfBudget.
    """
    n = len(b)
    enough = WEIGHT_STEP_GAP * n

    def function(a: FloatArray) -> tuple[float, FloatArray]:
        product = Q @ a
        return float(a @ product + b @ a), 2.0 * product + b

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, upper)

    def onto(v: FloatArray) -> FloatArray:
        return project(v, upper)

    def slide(a: FloatArray, steps: int) -> DescentPoint:
        point = DescentPoint.at(a, function, gap)
        for _ in range(steps):
            if budget.spent():
                break
            if point.gap <= enough or not move(point, function, onto, gap, along):
                break
        return DescentPoint.at(point.x, function, gap)  # sums of steps have rounding errors

    def along(point: DescentPoint, direction: FloatArray) -> OnLine:
        return quadratic_line(Q, point, direction)

    point = slide(start, gradient_steps)
    steps, convex, lowest = 0, False, None
    if point.gap > enough and most > 0:
        budget.check()
        split = curvature(Q)
        convex, lowest = split.concave is None, split.lowest
        a, steps = _dca(split, b, upper, point, budget, 1 if convex else most, settings)
        found = slide(a, GRADIENT_STEPS)  # what the accuracy of the programs leaves
        point = found if found.value <= point.value else point
    return WeightAnswer(
        a=point.x, value=point.value, gap=point.gap, steps=steps, convex=convex, lowest=lowest
    )


def absorbed(Q: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(Q + (b1' + 1b')/2, 0), in the place of Q (n, n): the same on the simplex, where 1'a = 1."""
    Q += b[:, None] / 2.0
    Q += b / 2.0
    return Q, np.zeros_like(b)


def paired_start(
    Q: FloatArray, b: FloatArray, upper: float, start: FloatArray, gap: float
) -> FloatArray:
    """Where libsvm's pairwise descent ends, feasible, or ``start`` (n,) where that is no better.

    Raises OutOfBudget.
    """

    def value(a: FloatArray) -> float:
        return float(a @ (Q @ a) + b @ a)

    found = paired_simplex_qp(Q, b, upper, gap)
    if found is None:
        return start
    found = project(found, upper)
    return found if value(found) < value(start) else start


def quadratic_line(Q: Any, point: DescentPoint, direction: FloatArray) -> OnLine:
    """a'Qa + b'a on the line from a point: one product with Q (n, n) for all of it."""
    product = Q @ direction
    slope, curved = float(point.gradient @ direction), float(direction @ product)

    def at(share: float) -> tuple[float, FloatArray]:
        value = point.value + share * (slope + share * curved)
        return value, point.gradient + (2.0 * share) * product

    return at


def finished_step(
    problem: Weighted,
    Q: Any,
    b: FloatArray,
    start: FloatArray,
    budget: Budget,
    settings: RunSettings = RUN_DEFAULTS,
    most: int = LARGEST_STEPS,
    gradient_steps: int = GRADIENT_STEPS,
) -> WeightAnswer:
    """:func:`weight_step` to its end; by gradient steps alone where Q (n, n) is sparse."""
    if isinstance(problem, SparseWeighted):
        most, gradient_steps = 0, SPARSE_GRADIENT_STEPS
    return weight_step(
        Q, b, problem.upper, start, budget,
        most=most, settings=settings, gradient_steps=gradient_steps,
    )  # fmt: skip


def _dca(
    split: Curvature,
    b: FloatArray,
    upper: float,
    start: DescentPoint,
    budget: Budget,
    most: int,
    settings: RunSettings,
) -> tuple[FloatArray, int]:
    """DCA from a point; the number of steps."""
    n = len(b)
    enough = WEIGHT_STEP_GAP * n
    linear = b + split.slope

    def value(a: FloatArray) -> float:
        product = split.convex @ a
        if split.concave is not None:
            product -= split.concave @ a
        return float(a @ product + linear @ a) + split.constant

    def objective(x: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        return np.array([value(a) for a in x])

    def majorise(
        x: FloatArray, rows: NDArray[np.intp], budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        a = x[0]
        tangent, constant = linear, split.constant
        if split.concave is not None:
            pull = split.concave @ a
            tangent, constant = linear - 2.0 * pull, constant + float(a @ pull)
        budget.check()
        found = convex_minimum(split.convex, tangent, upper, budget, settings)
        model = float(found @ (split.convex @ found) + tangent @ found) + constant
        before = value(a)
        if model > before:  # the solver's accuracy is spent: stay
            return x.copy(), np.array([before])
        return found[None, :], np.array([model])

    batch = Batch.of(start.x[None, :], objective)
    step = dca_step(batch, objective, majorise, tolerance=WEIGHT_DECREASE)
    reached = _GapReached(batch, split, linear, upper, enough)
    stops: list[Stop] = [reached, NoneActive(batch), MaxIterations(most)]
    reason, trace = run(step, stops, budget)
    if reason.premature and reason is not Reason.MAX_ITER and not trace:
        raise OutOfBudget
    return batch.x[0], len(trace)


@dataclass(frozen=True)
class _GapReached:
    """Stop when the Frank-Wolfe gap of the only point is small."""

    batch: Batch
    split: Curvature
    linear: FloatArray
    upper: float
    enough: float
    reason = Reason.TOLERANCE

    def __call__(self, trace: object) -> bool:
        a = self.batch.x[0]
        gradient = 2.0 * (self.split.convex @ a) + self.linear
        if self.split.concave is not None:
            gradient -= 2.0 * (self.split.concave @ a)
        return frank_wolfe_gap(gradient, a, self.upper) <= self.enough


def convex_minimum(
    Q: FloatArray,
    b: FloatArray,
    upper: float,
    budget: Budget,
    settings: RunSettings = RUN_DEFAULTS,
) -> FloatArray:
    """A minimiser (n,) of a'Qa + b'a over the simplex with a box, made exactly feasible.

    PIQP, or the solver that ``settings`` name. Raises SolverError where it finds none; OutOfBudget.
    """
    solver = settings.solver
    if solver is None:
        budget.check()
        x = solve_simplex_qp(Q, b, upper)
    else:
        shifted = Q + np.abs(Q).max(initial=0.0)  # adds a constant on the simplex
        asked = settings.for_solver(budget)
        x = solve_program(simplex_program(shifted, b, upper), solver, asked).x
        budget.check()
    if x is None:
        raise SolverError(f"{solver or 'piqp'} found no weights: a convex program over a simplex")
    return project(x, upper)


def weights_program(problem: Weighted, Y: FloatArray) -> pyo.ConcreteModel:
    """The weight step at Y (n, c)."""
    return build_weights(*problem.dense().quadratic(Y), problem.upper)
