"""Exchange: column generation in the primal = cutting planes on the semi-infinite dual.

Plain exchange calls the oracle at the optimum of the restricted master, which jumps between distant
corners while there are few cuts. Cuts bound a convex function from below. With the second
derivative H at the best point, ``CurvedMaster`` solves

    min  cost'x + 1/2 (x - centre)'H(x - centre)   over box and cuts

in place of the linear master. Near a smooth minimum its solution is Newton's step, and the cuts
keep it safe elsewhere. The multipliers of the cuts still form a point of the dual, so no other
bound is necessary.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Record, Step
from radprog.solvers.dense.nearest import minimise_quadratic

CURVATURE_RIDGES = (1e-9, 1e-6, 1e-3)  # of a singular curvature, more where the program fails

Added = TypeVar("Added", bound=Sized)  # what an oracle finds and a master takes: cuts, columns
Taken = TypeVar("Taken", bound=Sized, contravariant=True)


@dataclass(frozen=True)
class Cuts:
    """Rows lower <= matrix @ x <= upper; matrix (t, n), dense or sparse, lower and upper (t,)."""

    matrix: Any
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True)
class MasterPoint:
    """Solution of the restricted master: x (n,) and one multiplier per cut, in the order added.

    Multipliers are d objective / d right-hand side of the minimisation; their signs:
    :func:`coefficients_of`.
    """

    x: FloatArray
    multipliers: FloatArray
    value: float


def coefficients_of(multipliers: FloatArray) -> FloatArray:
    """The coefficients of the columns for rows ``row'x <= upper`` of a minimisation.

    A multiplier is d objective / d right-hand side of the minimisation, for all solvers. It is <= 0
    if a row's upper side binds, and >= 0 if its lower side does. A row of a dual program is a
    column of its primal. Its coefficient is the decrease of the objective per unit of the upper
    side: minus the multiplier. This is the only place that changes the sign of multipliers. A row
    written ``>=`` has the multiplier as its coefficient.
    """
    return -multipliers


class Master(Protocol[Taken]):
    """A restricted master: a linear program with the rows or columns so far."""

    def add(self, cuts: Taken) -> None:
        """Append the new rows or columns of the oracle."""
        ...

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve; raises OutOfBudget if the budget ends during the call."""
        ...


@dataclass(frozen=True)
class Answer(Generic[Added]):
    """The answer of the oracle at a master point.

    ``objective`` and ``bound`` are the best so far, recomputed from the data. ``cuts`` is None if
    nothing is violated.
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


def exchange(master: Master[Added], oracle: Oracle[Added]) -> Step:
    """One round: solve the master, price, and add violated rows or columns."""

    def step(iteration: int, budget: Budget) -> Record:
        # restricted master, pricing at its multipliers, what pricing found into the master
        point = master.solve(budget)
        answer = oracle(point, budget)
        if answer.cuts is not None:
            master.add(answer.cuts)
        return answer.record(iteration, budget.seconds, point)

    return step


def polish(master: Any, oracle: Oracle[Cuts], done: int) -> Step:
    """One round at the vertex of the last basis of the live ``master``.

    It closes the gap that the master's tolerances leave; violated rows are added. ``done`` rounds
    came before.
    """

    def step(iteration: int, budget: Budget) -> Record:
        if iteration:  # with the rows that the vertex violated
            master.solve(budget)
        # the basis in equilibrated units, then its vertex without tolerances
        master.refine(budget)
        point = master.vertex() or master.solve(budget)
        answer = oracle(point, budget)
        if answer.cuts is not None:
            master.add(answer.cuts)
        return answer.record(done + iteration, budget.seconds, point)

    return step


class CurvedMaster:
    """min cost'x + 1/2 (x - centre)'H(x - centre), lower <= x <= upper and the cuts so far.

    cost, lower, upper are (n,). ``move`` sets the centre and H, which are 0 and the identity at
    first. ``curved`` (n,) marks the variables of H; others, such as an epigraph, have no ridge.
    """

    def __init__(
        self,
        cost: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        curved: NDArray[np.bool_],
    ) -> None:
        self.cost, self.bounds, self.curved = cost, (lower, upper), curved
        self._cuts: list[Cuts] = []
        self.move(np.zeros(len(cost)), np.diag(curved.astype(np.float64)))

    def add(self, cuts: Cuts) -> None:
        """Append cuts."""
        self._cuts.append(cuts)

    def move(self, centre: FloatArray, curvature: FloatArray) -> None:
        """A new centre (n,) with H (n, n) positive semidefinite."""
        self.centre, self.curvature = centre, curvature

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve; ``value`` is cost'x. Raises OutOfBudget, and SolverError without a solution."""
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
                return MasterPoint(solution.x, solution.multipliers, float(self.cost @ solution.x))
        raise SolverError("the quadratic master was not solved, even with a large ridge")
