"""A driver as a stranger adds one: conditional gradients, whose every step has a bound."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Record, Step


@dataclass
class Iterate:
    """Where it stands: x (n,) and the best bound so far."""

    x: FloatArray
    bound: float = -np.inf


def conditional_gradient(
    at: Iterate,
    function: Callable[[FloatArray], tuple[float, FloatArray]],
    vertex: Callable[[FloatArray], FloatArray],
) -> Step:
    """min f over a polytope: f(x) + f'(x) (s - x) <= min f for s = vertex(f'(x)), which minimises
    f'(x) s; x moves by 2 / (k + 1) towards s.

    function: value and gradient of the convex f.
    """

    def step(iteration: int, budget: Budget) -> Record:
        # the linear program at the gradient gives a vertex
        value, gradient = function(at.x)
        s = vertex(gradient)
        # by convexity a lower bound, of which the best is kept
        at.bound = max(at.bound, value + float(gradient @ (s - at.x)))
        # a step of the usual length towards the vertex
        at.x = at.x + 2.0 / (iteration + 1) * (s - at.x)
        return Record(iteration, budget.seconds, function(at.x)[0], at.bound)

    return step
