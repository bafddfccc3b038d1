"""The exchange method: column generation in the primal or, equivalently, cutting planes in the
semi-infinite dual.

Plain exchange calls the oracle at the optimum of the restricted master. With few cuts, this optimum
changes considerably from round to round. The cuts are lower bounds on a convex function. Let H be
the second derivative of this function at the best point. In place of the linear master,
``CurvedMaster`` solves

    min  cost'x + 1/2 (x - centre)'H(x - centre)   over box and cuts.

Near a smooth minimum, the solution is a Newton step. Far from the minimum, the cuts keep the step
short. The multipliers of the cuts are still a dual point, so the bound is computed as before.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Loop, Record, Step
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.registry import CRASHES

CURVATURE_RIDGES = (1e-9, 1e-6, 1e-3)  # of a singular curvature, more where the program fails

Added = TypeVar("Added", bound=Sized)  # what an oracle finds and a master takes: cuts, columns
Taken = TypeVar("Taken", bound=Sized, contravariant=True)


@dataclass(frozen=True)
class Cuts:
    """Rows lower <= matrix x <= upper as arrays, the fastest answer of a separator.

    Parameters
    ----------
    matrix : sparse or dense array (t, n)
        Coefficients of the rows in the n unfixed variables of the model, in the order of their
        declarations. This is the order of ``values.x``.
    lower, upper : array (t,)
        Sides of the rows; an infinite side is none.
    names : tuple of str
        Names of the rows, used inside radprog.

    Examples
    --------
    Maximise x + y over the unit disc, by two tangents a round:

    >>> import numpy as np
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x, model.y = pyo.Var(bounds=(0, 2)), pyo.Var(bounds=(0, 2))
    >>> model.f = pyo.Objective(expr=model.x + model.y, sense=pyo.maximize)
    >>> def separate(values):
    ...     r = np.linalg.norm(values.x)
    ...     tangents = np.array([values.x / r, values.x[::-1] / r])
    ...     return [] if r <= 1 + 1e-7 else rp.Cuts(tangents, np.full(2, -np.inf), np.ones(2))
    >>> run = rp.cutting_planes(model, separate)
    >>> abs(run.objective - 2**0.5) < 1e-4
    True
    """

    matrix: Any
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True)
class MasterPoint:
    """The solution of the restricted master: x (n,) and a multiplier for each cut, in the order of
    the cuts.

    Multipliers are d objective / d right-hand side of the minimisation problem;
    :func:`coefficients_of` explains their signs.
    """

    x: FloatArray
    multipliers: FloatArray
    value: float


def coefficients_of(multipliers: FloatArray) -> FloatArray:
    """The coefficients of the columns for rows ``row'x <= upper`` of a minimisation problem.

    A multiplier is d objective / d right-hand side of the minimisation problem, for all solvers. It
    is <= 0 if a row's upper side binds, and >= 0 if its lower side does. A row of a dual program is
    a column of its primal. The coefficient of this column is minus the multiplier: the decrease in
    the objective per unit of the upper side. For a row ``>=``, the coefficient is the multiplier
    itself. Signs of multipliers change only in this function.
    """
    return -multipliers


class Master(Protocol[Taken]):
    """A restricted master: a linear program with the rows or columns generated so far."""

    def add(self, cuts: Taken) -> None:
        """Append the new rows or columns of the oracle."""
        ...

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the master. Raises OutOfBudget if the budget ends during the call."""
        ...


@dataclass(frozen=True)
class Answer(Generic[Added]):
    """The answer of the oracle at a point of the master.

    ``objective`` and ``bound`` are the best values so far, recomputed from the data. ``cuts`` is
    None if no cut is violated.
    """

    objective: float | None
    bound: float | None
    cuts: Added | None
    detail: dict[str, float] = field(default_factory=dict)

    def record(self, iteration: int, seconds: float, point: MasterPoint) -> Record:
        """The record of the round at the master's ``point``."""
        added = 0 if self.cuts is None else len(self.cuts)
        detail = {"master": point.value, "added": added, **self.detail}
        return Record(iteration, seconds, self.objective, self.bound, detail)


Oracle = Callable[[MasterPoint, Budget], Answer[Added]]


def exchange(master: Master[Added], oracle: Oracle[Added], loop: Loop) -> None:
    """Repeat rounds: solve the master, price columns, and add the violated rows or new columns."""
    for number in loop:
        with loop.round():
            # restricted master, pricing at its multipliers, what pricing found into the master
            point = master.solve(loop.budget)
            answer = oracle(point, loop.budget)
            if answer.cuts is not None:
                master.add(answer.cuts)
            loop.trace.append(answer.record(number, loop.budget.seconds, point))


def exchange_step(master: Master[Added], oracle: Oracle[Added]) -> Step:
    """One round of :func:`exchange`, for a loop that chooses among several steps."""

    def step(iteration: int, budget: Budget) -> Record:
        point = master.solve(budget)
        answer = oracle(point, budget)
        if answer.cuts is not None:
            master.add(answer.cuts)
        return answer.record(iteration, budget.seconds, point)

    return step


def polish(master: Any, oracle: Oracle[Cuts], loop: Loop, rounds: int) -> None:
    """Repeat rounds at the vertex of the last basis of ``master``.

    This reduces the gap that remains because of the master's tolerances. Violated rows are added.
    ``rounds`` is the number of earlier ones.
    """
    for number in loop:
        with loop.round():
            if number:  # with the rows that the vertex violated
                master.solve(loop.budget)
            # the basis in equilibrated units, then its vertex without tolerances
            master.refine(loop.budget)
            point = master.vertex() or master.solve(loop.budget)
            answer = oracle(point, loop.budget)
            if answer.cuts is not None:
                master.add(answer.cuts)
            loop.trace.append(answer.record(rounds + number, loop.budget.seconds, point))


class CurvedMaster:
    """The master min cost'x + 1/2 (x - centre)'H(x - centre), lower <= x <= upper, with the cuts so
    far.

    ``cost``, ``lower`` and ``upper`` have shape (n,). ``move`` sets the centre and H; initially
    they are 0 and the identity. ``curved`` (n,) marks the variables to which H applies. Other
    variables, such as an epigraph variable, have no quadratic term.
    """

    def __init__(
        self, cost: FloatArray, lower: FloatArray, upper: FloatArray, curved: NDArray[np.bool_]
    ) -> None:
        self.cost, self.bounds, self.curved = cost, (lower, upper), curved
        self._cuts: list[Cuts] = []
        self.move(np.zeros(len(cost)), np.diag(curved.astype(np.float64)))

    def add(self, cuts: Cuts) -> None:
        """Append cuts."""
        self._cuts.append(cuts)

    def move(self, centre: FloatArray, curvature: FloatArray) -> None:
        """Set a new centre (n,) with a positive semidefinite H (n, n)."""
        self.centre, self.curvature = centre, curvature

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the master. ``value`` is cost'x. Raises OutOfBudget, or SolverError if there is no
        solution.
        """
        budget.check()
        # all cuts are rows of one quadratic program
        matrix = np.vstack([cuts.matrix for cuts in self._cuts])
        sides = (
            np.concatenate([cuts.lower for cuts in self._cuts]),
            np.concatenate([cuts.upper for cuts in self._cuts]),
        )
        size = 1.0 + float(np.trace(self.curvature)) / max(1, int(self.curved.sum()))
        # Newton's step over the cuts; a singular curvature gets a larger ridge where it fails
        for ridge in CURVATURE_RIDGES:
            H = self.curvature + np.diag(np.where(self.curved, ridge * size, 0.0))
            cost = self.cost - H @ self.centre
            solution = minimise_quadratic(H, cost, matrix, sides, self.bounds)
            if solution is not None:
                x, multipliers = solution
                return MasterPoint(x, multipliers, float(self.cost @ x))
        raise SolverError("the quadratic master was not solved, even with a large ridge")


def minimise_quadratic(
    quadratic: FloatArray,
    cost: FloatArray,
    matrix: FloatArray,
    sides: tuple[FloatArray, FloatArray],
    bounds: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray] | None:
    """Solve min cost'x + 1/2 x'Qx, sides[0] <= matrix x <= sides[1], bounds[0] <= x <= bounds[1].

    Q (n, n) is positive semidefinite; cost and bounds are (n,), the matrix is (m, n), and the sides
    are (m,). Returns the minimiser x (n,) and the multipliers (m,) d objective / d side of
    the rows, or None if PIQP crashes or returns no valid solution within 1e-10.
    """
    try:
        result, solved = solve_dense(
            quadratic, cost, None, None, matrix, *sides, *bounds, tolerance=1e-10
        )
        x = np.asarray(result.x, dtype=np.float64)
        multipliers = np.asarray(result.z_l - result.z_u, dtype=np.float64)
    except CRASHES:
        return None
    # accept only a solved program with finite numbers of the right shapes
    shaped = x.shape == cost.shape and multipliers.shape == (len(matrix),)
    if not (solved and shaped and np.isfinite(x).all() and np.isfinite(multipliers).all()):
        return None
    return np.clip(x, *bounds), multipliers
