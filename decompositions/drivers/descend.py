"""Descent: projected gradient with spectral (Barzilai-Borwein) steps and Armijo's rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, Step, Stop

ValueGradient = Callable[[FloatArray], tuple[float, FloatArray]]
#: Value and gradient at x + share direction, as a function of the share.
OnLine = Callable[[float], tuple[float, FloatArray]]


@dataclass
class DescentPoint:
    """The current point of the descent: x (n,), its value, gradient (n,) and stationarity gap."""

    x: FloatArray
    value: float
    gradient: FloatArray
    gap: float
    length: float | None = None

    @staticmethod
    def at(
        x: FloatArray, function: ValueGradient, gap: Callable[[FloatArray, FloatArray], float]
    ) -> DescentPoint:
        """Evaluate the function at x."""
        value, gradient = function(x)
        return DescentPoint(x.copy(), value, gradient, gap(gradient, x))


def descend(
    point: DescentPoint,
    function: ValueGradient,
    project: Callable[[FloatArray], FloatArray],
    gap: Callable[[FloatArray, FloatArray], float],
) -> Step:
    """Perform one projected gradient step. ``point`` moves only if the value decreases.

    ``function`` returns the value and the gradient, and ``project`` projects onto the feasible set.
    ``gap`` computes the stationarity gap from the gradient and the point. Before the projection,
    the first step is as long as the vector x.
    """

    def step(iteration: int, budget: Budget) -> Record:
        move(point, function, project, gap)
        return Record(iteration, budget.seconds, point.value, None, {"stationarity": point.gap})

    return step


def move(
    point: DescentPoint,
    function: ValueGradient,
    project: Callable[[FloatArray], FloatArray],
    gap: Callable[[FloatArray, FloatArray], float],
    along: Callable[[DescentPoint, FloatArray], OnLine] | None = None,
) -> bool:
    """Move ``point`` by one step. Returns False if no step along the direction decreases the value.

    ``along`` returns a function that evaluates the line, if this is cheaper than separate points.
    """
    x, g = point.x, point.gradient
    # the first step is as long as the point itself
    length = point.length
    if length is None:
        length = float(np.linalg.norm(x)) / max(float(np.linalg.norm(g)), LEAST_DIVISOR)
    # projected gradient direction, which descends unless x is stationary
    direction = project(x - length * g) - x
    slope = float(g @ direction)
    if not slope < 0:
        point.length = None
        return False
    line = None if along is None else along(point, direction)
    # line search: Armijo's rule with cuts by the parabola through both ends
    share = 1.0
    for _ in range(40):  # halvings
        trial = x + share * direction
        value, gradient = function(trial) if line is None else line(share)
        # a step must reach this share of the linear decrease
        if value <= point.value + 1e-4 * share * slope:
            # spectral length (Barzilai and Borwein) s's / s'r for the next step
            s, r = trial - x, gradient - g
            curvature = float(s @ r)
            square = float(s @ s)
            longest = 1e12 * length
            point.length = min(square / curvature, longest) if curvature > 0 else 10.0 * length
            point.x, point.value, point.gradient = trial, value, gradient
            point.gap = gap(gradient, trial)
            return True
        # the minimiser of the parabola through both ends, which shortens the step by 0.1 to 0.5
        rise, fall = value - point.value, share * slope
        shorter = -0.5 * fall / (rise - fall) if np.isfinite(rise) else 0.1
        share *= min(max(shorter, 0.1), 0.5)
    point.length = None
    return False


def stationary(point: DescentPoint, tolerance: float) -> Stop:
    """Stop when the stationarity gap is within ``tolerance``."""
    return Stop(Reason.CRITICAL, lambda trace: point.gap <= tolerance)
