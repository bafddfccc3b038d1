"""Level-stabilised exchange: ask the oracle near the best point so far, not at the master's corner.

The restricted master min cost'x over rows and cuts jumps between far corners while it knows few
cuts. Its value is a lower bound all the same: a level between this bound and the best objective
cuts out a level set, and the point of that set nearest to the best point is asked next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import Cuts, Master, MasterPoint, Oracle
from radprog.decompositions.loop import Budget, Record, Step
from radprog.solvers.dense.nearest import nearest_point

LEVEL_RATIO = 0.7  # where the level lies between the master's value (0) and the best objective (1)


@dataclass
class LevelSet:
    """Projections onto {x: cost'x <= level, cuts, lower <= x <= upper}.

    The distance is sum_j metric_j (x_j - centre_j)^2; a metric of 0 leaves a variable out, such
    as the epigraph variable of the objective. cost, lower, upper, metric (n,).
    """

    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    metric: FloatArray

    def __post_init__(self) -> None:
        self._rows: list[Cuts] = []

    def add(self, cuts: Cuts) -> None:
        """Append cuts."""
        self._rows.append(cuts)

    def project(self, centre: FloatArray, level: float) -> FloatArray | None:
        """The point of the level set nearest to ``centre`` (n,); None where none was found."""
        # the level is one more row beside the cuts
        sides = (
            np.concatenate([[-np.inf], *(cuts.lower for cuts in self._rows)]),
            np.concatenate([[level], *(cuts.upper for cuts in self._rows)]),
        )
        matrix = np.vstack([self.cost, *(cuts.matrix for cuts in self._rows)])
        return nearest_point(centre, self.metric, matrix, sides, (self.lower, self.upper))

    def same(self, x: FloatArray, z: FloatArray) -> bool:
        """Whether two points are at distance 0."""
        return bool(np.array_equal(self.metric * x, self.metric * z))


def level_exchange(
    master: Master[Cuts],
    oracle: Oracle[Cuts],
    level_set: LevelSet,
    centre: FloatArray,
    *,
    best: float | None = None,
    ratio: float = LEVEL_RATIO,
) -> Step:
    """One round: solve the master, project the centre onto its level set, price there, add cuts.

    The master minimises a function that its cuts bound from below. ``best`` is the function's value
    at ``centre`` (n,); without it the centre is the first point asked. The oracle's ``objective``
    is the least value so far, in the master's units. It gets the point asked with the multipliers
    and the value of the master; the centre moves to every point that improves the objective. The
    master's own point is asked where the projection fails, and where it is the same point as in the
    round before: it is optimal then, or soon cut off.
    """
    previous: FloatArray | None = None

    def query(point: MasterPoint) -> FloatArray:
        nonlocal previous
        if best is None:
            return centre
        repeated = previous is not None and level_set.same(previous, point.x)
        previous = point.x
        # a corner that comes again is optimal, or soon cut off
        if repeated:
            return point.x
        # the level lies between the master's lower bound and the best objective
        level = point.value + ratio * max(0.0, best - point.value)
        found = level_set.project(centre, level)
        return point.x if found is None else found

    def step(iteration: int, budget: Budget) -> Record:
        nonlocal best, centre
        # lower bound, query point, cuts there
        point = master.solve(budget)
        x = query(point)
        answer = oracle(MasterPoint(x, point.multipliers, point.value), budget)
        # the stability centre moves to every point that is better
        if answer.objective is not None and (best is None or answer.objective < best):
            best, centre = answer.objective, x
        if answer.cuts is not None:
            master.add(answer.cuts)
            level_set.add(answer.cuts)
        return answer.record(iteration, budget.seconds, point)

    return step
