"""A master with curvature: exchange that converges like Newton's method on smooth functions.

Cuts bound a convex function from below; where its second derivative at the best point is known,

    min  cost'x + 1/2 (x - centre)'H(x - centre)   over box and cuts

is asked in place of the corner of the linear master. Near a smooth minimum its solution is Newton's
step, and the cuts keep it safe elsewhere. The multipliers of the cuts still add up to a point of
the dual, so that nothing else is needed for a bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.loop import Budget
from radprog.solvers.dense.nearest import minimise_quadratic

CURVATURE_RIDGES = (1e-9, 1e-6, 1e-3)  # of a singular curvature, more where the program fails


class CurvedMaster:
    """min cost'x + 1/2 (x - centre)'H(x - centre), lower <= x <= upper and the cuts so far.

    cost, lower, upper (n,). ``move`` sets the centre and H, at first 0 and the identity.
    ``curved`` (n,) says which variables H is about: others, such as an epigraph, get no ridge.
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
            found = minimise_quadratic(H, cost, matrix, sides, self.bounds)
            if found is not None:
                return MasterPoint(found.x, found.multipliers, float(self.cost @ found.x))
        raise SolverError("the quadratic master was not solved, even with a large ridge")
