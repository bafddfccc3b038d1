"""DCA (difference of convex functions; CCCP): linearise the concave part, solve, repeat.

DCA minimises f = g - h with g, h convex. At x_t the concave part -h is replaced by its tangent. The
result is a convex function above f (a majoriser). Let x_{t+1} be the minimiser of this function,
and model_{t+1} its minimum. Then

    f(x_{t+1}) <= model_{t+1} <= f(x_t)        (the sandwich)

Arrays have a leading batch axis for many starts, or for many problems of the same shape. A single
run is a batch of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget, Reason, Record, Step, Stop

Objective = Callable[[FloatArray, IntArray], FloatArray]
Majorise = Callable[[FloatArray, IntArray, Budget], tuple[FloatArray, FloatArray]]


@dataclass
class Batch:
    """Points x (B, n) with their objectives (B,).

    ``active`` (B,) marks the rows whose descent has not ended.
    """

    x: FloatArray
    objective: FloatArray
    active: NDArray[np.bool_]

    @staticmethod
    def of(x: FloatArray, objective: Objective) -> Batch:
        """A batch at its starting points (B, n)."""
        rows = np.arange(len(x))
        return Batch(x.copy(), objective(x, rows), np.ones(len(x), dtype=bool))

    @property
    def best(self) -> int:
        """The row with the smallest objective."""
        return int(np.argmin(self.objective))


def dca_step(
    batch: Batch,
    objective: Objective,
    majorise: Majorise,
    *,
    tolerance: float = 1e-9,  # relative decrease at which a start ends
    sandwich: float = 1e-7,
    least_step: float = 0.0,
    dropped: Callable[[int, str], None] | None = None,
) -> Step:
    """Perform one DCA step for every active row of the batch.

    ``objective`` returns the objectives (b,) at the points (b, n) of the rows (b,). ``majorise``
    returns the minimisers (b, n) and minima (b,) of the majorisers at these points, including the
    constants of the tangents. A row ends when its objective decreases by at most ``tolerance``
    (relative), or its point moves by at most ``least_step``, relative to max(1, |x|). If a step
    does not decrease the objective, the row keeps its point.

    The trace contains the best objective, the smallest model value among the active rows, the row
    ``start`` of this model and its objective ``start_objective``, the largest step, the number of
    active rows, and the largest residual f(x_t) - model_{t+1}. The residual is 0 at a critical
    point.

    A starting point may be infeasible, with an infinite objective. Raises SolverError if a model
    value is NaN, or outside the sandwich by more than ``sandwich``, relative to max(1,
    |objective|). In that case, the majoriser is wrong or was not minimised. If ``dropped`` is
    passed, no error is raised. Only the descent of this row ends, at its current point.
    """

    def step(iteration: int, budget: Budget) -> Record:
        # minimise the majoriser of every row that still moves
        rows = np.flatnonzero(batch.active)
        previous = batch.objective[rows]
        x, model = majorise(batch.x[rows], rows, budget)
        values = objective(x, rows)
        # the sandwich objective <= model <= previous objective, or the majoriser is wrong
        scale = np.maximum(np.abs(values), 1.0)
        with np.errstate(invalid="ignore"):  # starts may have infinite objectives
            worst = np.maximum(values - model, model - previous) / scale
            decrease = previous - values
        failed = ~(worst <= sandwich)
        for place in np.flatnonzero(failed):
            message = (
                f"DCA step {iteration}, start {rows[place]}: objective {values[place]} <= model "
                f"{model[place]} <= previous objective {previous[place]} does not hold"
            )
            if dropped is None:
                raise SolverError(message)
            dropped(int(rows[place]), message)
        # a step that does not descend is rounding: it is not taken
        descends = (values < previous) & ~failed
        moved = np.abs(x - batch.x[rows]).max(axis=1, initial=0.0)
        size = np.maximum(1.0, np.abs(x).max(axis=1, initial=0.0))
        taken = rows[descends]
        batch.x[taken] = x[descends]
        batch.objective[taken] = values[descends]
        # a row ends where the objective has stopped falling, or the point has stopped moving
        # the decrease is relative to |objective|, or to 1e-12 if that is larger
        threshold = tolerance * np.maximum(np.abs(values), 1e-12)
        batch.active[rows] = (decrease > threshold) & (moved > least_step * size) & ~failed
        # the start of least model: the objective of the record may be that of another start
        detail = {}
        if len(batch.x) > 1 and len(rows):
            start = rows[np.argmin(np.where(failed, np.inf, model))]
            detail = {"start": float(start), "start_objective": float(batch.objective[start])}
        return Record(
            iteration,
            budget.seconds,
            float(batch.objective.min()),
            None,
            {
                **detail,
                "model": float(model[~failed].min(initial=np.inf)),
                "step": float(moved.max(initial=0.0)),
                "model_decrease": float((previous - model)[~failed].max(initial=0.0)),
                "active": float(batch.active.sum()),
            },
        )

    return step


def none_active(batch: Batch) -> Stop:
    """Stop when no row of the batch is active."""
    return Stop(Reason.CRITICAL, lambda trace: not batch.active.any())
