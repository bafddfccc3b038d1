"""Global optimisation of the variant dc for a small number of kernels, by branch and bound over
cones.

A cone is spanned by directions d_1..d_M with T(K_{d_i}) = budget. T is superadditive, so any
weights mu = sum nu_i d_i with T(K_mu) <= budget satisfy sum nu_i <= 1. The minimum of J over this
simplex is a convex program, and its value is a lower bound on J in the cone. The value of any point
in the cone, scaled to T = budget, is an upper bound on the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import linalg

from radprog.base.tolerances import relative_gap
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, When, ignore, run
from radprog.decompositions.mkl.exchange import BestWeights, ValueOracle, minimise_over_ball
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.problem import TailBudget, Value, WeightBall

SIMPLEX_SLACK = 1e-10  # slack of the simplex: the tail sums of directions are rounded

MOST_BRANCHED = 3
PRUNE = 0.5  # cones whose bound is within this share of the tolerance are not split
NODE_TOLERANCE = 0.1  # gap of a cone's own program, relative to the tolerance
NODE_SHARE = 0.2  # ... or to the distance between its bound and the best value
LEAST_SHARE = 0.1  # of an edge that is cut off it


@dataclass
class Cone:
    """A cone: its directions, the columns of a matrix (M, M) with T = budget, and the solution of
    its program.

    The solution contains the dual point (k, n) that gives the lower bound, and the coordinates nu
    (M,) of the best weights.
    """

    number: int
    directions: FloatArray
    dual: FloatArray
    bound: float
    nu: FloatArray


def simplex(directions: FloatArray) -> WeightBall:
    """The simplex of the weights sum_i nu_i d_i, nu >= 0, sum nu_i <= 1, enlarged by the rounding
    error.
    """
    return WeightBall(np.full(directions.shape[1], 1.0 - SIMPLEX_SLACK), 1.0, directions)


def halves(
    constraint: TailBudget, directions: FloatArray, i: int, j: int, share: float
) -> tuple[FloatArray, FloatArray]:
    """The two parts of a cone, cut at the point share d_i + (1 - share) d_j of the edge (i, j).

    The point is scaled to T = budget, and 0 < share < 1.
    """
    if not 0.0 < share < 1.0:
        raise ValueError(f"an edge is cut at {share!r}, outside of it")
    # the new ray, scaled to T = budget
    middle = constraint.to_boundary(share * directions[:, i] + (1.0 - share) * directions[:, j])
    first, second = directions.copy(), directions.copy()
    first[:, i], second[:, j] = middle, middle
    return first, second


def root(constraint: TailBudget) -> FloatArray:
    """The first cone, which is the nonnegative orthant. Its directions are the unit vectors, scaled
    to T = budget.
    """
    return np.diag(constraint.budget / constraint.problem.kernels.tails(constraint.theta))


def worst_edge(constraint: TailBudget, cone: Cone) -> tuple[int, int, float]:
    """The cut of a cone: an edge (i, j) and the share of d_i. The share is kept away from 0 and 1.

    The edge maximises T(nu_i d_i + nu_j d_j) - budget (nu_i + nu_j) at the optimum sum nu_i d_i of
    the cone. On this edge, the linear approximation of T is least accurate.
    """
    M, nu = cone.directions.shape[1], cone.nu
    # three kernels: 1.1 s, 1.3 by cutting the longest edge
    pairs = [(i, j) for i in range(M) for j in range(i + 1, M)]

    def excess(pair: tuple[int, int]) -> float:
        part = nu[list(pair)]
        mixed = cone.directions[:, list(pair)] @ part
        return constraint.tail(mixed).value - constraint.budget * float(part.sum())

    i, j = max(pairs, key=excess)
    share = float(nu[i] / (nu[i] + nu[j])) if nu[i] + nu[j] > 0 else 0.5
    return i, j, min(max(share, LEAST_SHARE), 1.0 - LEAST_SHARE)


@dataclass
class Branching:
    """The state of branch and bound: the open cones, the splits so far, and the best value."""

    values: ValueOracle
    constraint: TailBudget
    settings: RunSettings
    best: Value
    cones: dict[int, Cone] = field(default_factory=dict)
    splits: list[tuple[int, int, int, float]] = field(default_factory=list)
    made: int = 0

    @property
    def bound(self) -> float:
        """The lower bound on the optimum: the smallest bound of the cones, or the best value if it
        is smaller.
        """
        return min(min(cone.bound for cone in self.cones.values()), self.best.objective)

    @property
    def partition(self) -> dict[str, Any]:
        """The proof of the bound: the splits (cone, i, j, share) in order, and the dual point of
        each leaf. Cones are numbered in the order of their creation.
        """
        return {
            "splits": [list(split) for split in self.splits],
            "duals": {str(number): cone.dual.tolist() for number, cone in self.cones.items()},
        }

    def add(self, cones: Sequence[Cone]) -> None:
        """Add cones to the open cones."""
        self.cones |= {cone.number: cone for cone in cones}
        self.made += len(cones)

    def relaxed(
        self, number: int, directions: FloatArray, parent: Cone | None, budget: Budget
    ) -> Cone:
        """The cone with these directions and its lower bound, which is min J over their simplex.

        The bound of the parent also holds for the cone. If a point in the cone is better, it
        replaces the best value.
        """
        target = self.best.objective * (1.0 - PRUNE * self.settings.tol)

        def enough(incumbent: BestWeights) -> bool:
            distance = self.best.objective - incumbent.bound
            own = incumbent.value.objective - incumbent.bound
            return incumbent.bound >= target or own <= NODE_SHARE * distance

        # the relaxation, by exchange
        tol = NODE_TOLERANCE * self.settings.tol
        settings = replace(self.settings, tol=tol, max_iter=None, observe=ignore)
        ball, start = simplex(directions), np.ones(directions.shape[1])
        least, _, _ = minimise_over_ball(self.values, ball, start, settings, budget, enough=enough)
        # upper bound: its best weights, scaled to T = budget
        if least.value.objective < self.best.objective:
            mu = self.constraint.to_boundary(least.value.mu)
            value = self.values(mu, NODE_TOLERANCE * self.settings.tol)
            if value.objective < self.best.objective:
                self.best = value
        # where the cone will be cut: the coordinates of its own optimum
        nu = np.maximum(linalg.lstsq(directions, least.value.mu)[0], 0.0)
        if parent is not None and parent.bound >= least.bound:
            return Cone(number, directions, parent.dual, parent.bound, nu)
        return Cone(number, directions, least.dual, least.bound, nu)

    def split(self, budget: Budget) -> None:
        """Split the cone with the smallest bound at its worst edge."""
        cone = min(self.cones.values(), key=lambda cone: cone.bound)
        cut = worst_edge(self.constraint, cone)
        parts = [
            self.relaxed(self.made + i, directions, cone, budget)
            for i, directions in enumerate(halves(self.constraint, cone.directions, *cut))
        ]
        del self.cones[cone.number]
        self.add(parts)
        self.splits.append((cone.number, *cut))


def branch_and_bound(
    values: ValueOracle,
    constraint: TailBudget,
    best: Value,
    settings: RunSettings,
    budget: Budget,
) -> tuple[Branching, Reason, list[Record]]:
    """The global minimum of J subject to T(K_mu) <= budget for at most MOST_BRANCHED kernels.

    ``best`` is the value of any feasible weights. The result contains the final state, the reason
    why the search ended, and the trace. The state holds the best value and its certified lower
    bound.
    """
    branching = Branching(values, constraint, settings, best)
    # the root cone: all weights
    branching.add([branching.relaxed(0, root(constraint), None, budget)])

    def step(iteration: int, budget: Budget) -> Record:
        branching.split(budget)
        detail = {"cones": float(len(branching.cones)), "machines": float(values.calls)}
        return Record(iteration, budget.seconds, branching.best.objective, branching.bound, detail)

    def closed() -> bool:
        best, bound = branching.best.objective, branching.bound
        gap = relative_gap(best, bound) or 0.0
        return best - bound <= settings.abs_tol or gap <= settings.tol

    stops = settings.stops(When(Reason.TOLERANCE, closed))
    reason, trace = run(step, stops, budget, settings.observe)
    return branching, reason, trace


def partition_bound(constraint: TailBudget, partition: dict[str, Any]) -> float:
    """The smallest lower bound of the cones of a partition, recomputed from the stored dual points.

    The cones are rebuilt from the splits, so they cover all directions for any stored numbers.
    Raises KeyError, ValueError or IndexError if the partition is invalid.
    """
    # the cones, as the splits make them
    cones = {0: root(constraint)}
    made = 1
    for number, i, j, share in partition["splits"]:
        parts = halves(constraint, cones.pop(int(number)), int(i), int(j), float(share))
        for directions in parts:
            cones[made] = directions
            made += 1
    # the bound of each at its stored dual point
    bounds = []
    for number, directions in cones.items():
        dual = np.asarray(partition["duals"][str(number)], dtype=np.float64)
        bounds.append(constraint.problem.dual_bound(simplex(directions), dual))
    return min(bounds)
