"""Pyomo models of a few single variables, written in few words."""

from collections.abc import Callable
from typing import Any

import pyomo.environ as pyo

Expression = Callable[[Any], Any]


def small_model(
    goal: Expression | None = None,
    row: Expression | None = None,
    *,
    sense: int = pyo.minimize,
    **variables: tuple[float | None, ...],
) -> Any:
    """The objective ``goal`` over variables with bounds, and perhaps a start; one row ``row``."""
    model = pyo.ConcreteModel()
    for name, (lower, upper, *start) in variables.items():
        model.add_component(name, pyo.Var(bounds=(lower, upper), initialize=(start or [None])[0]))
    if row is not None:
        model.row = pyo.Constraint(expr=row(model))
    if goal is not None:
        model.goal = pyo.Objective(expr=goal(model), sense=sense)
    return model
