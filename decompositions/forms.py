"""Common parts of the exported forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from radprog.base.errors import NonlinearError, OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import EXPECTED_TOL, KNOWN_GAP
from radprog.decompositions.run import Run, RunSettings, Spec
from radprog.solvers.program import SOLVER_DEFAULTS, Program, SolveSettings, Status

_PLACE = "_radprog_origin"  # of a model that was built from settings and data


@dataclass(frozen=True)
class BuiltForm:
    """A program ready for export.

    - optimum: the optimal value of the program as a minimisation problem, or a function that
      computes it. The value is None if unknown, and infinite if the program is infeasible.
    - sense: the factor that converts the objective in the file to the reported objective.
    - iterate: plain values of the iterate at which the form was built.
    """

    model: pyo.ConcreteModel
    optimum: float | Callable[[], float | None] | None
    sense: float = 1.0
    iterate: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def expected(self) -> float | None:
        """The optimal value, computed only once."""
        return self.optimum() if callable(self.optimum) else self.optimum


@dataclass(frozen=True, kw_only=True, eq=False)
class Origin:
    """The origin of a model: its settings, data and form, and its state when it was built.

    Copies of the model have the same origin.
    """

    spec: Spec
    data: Any
    form: str
    built: BuiltForm
    seed: int
    as_built: Any = None

    def __deepcopy__(self, memo: Any) -> Origin:
        return self

    def keep(self) -> pyo.ConcreteModel:
        """Store the origin in the model, and return the model."""
        model = self.built.model
        setattr(model, _PLACE, replace(self, as_built=_state_of(model)))
        return model

    def describes(self, model: pyo.ConcreteModel) -> bool:
        """Whether the model, or a copy, still has the program that was built."""
        (names, built), (same_names, now) = self.as_built, _state_of(model)
        if not (isinstance(built, Program) and isinstance(now, Program)):
            return bool(names == same_names and built == now)
        return names == same_names and built.same_numbers(now)


def _state_of(model: pyo.ConcreteModel) -> tuple[Any, Any]:
    """The names of columns and rows, and the program; the expressions of one that is nonlinear."""
    from radprog.solvers.compile import compile_model, component_names, variables_and_rows

    names = component_names(model)
    with suppress(NonlinearError):
        return names, compile_model(model)
    variables, rows = variables_and_rows(model)
    objectives = model.component_data_objects(pyo.Objective, active=True)
    ends = [(*variable.bounds, variable.domain.name) for variable in variables]
    costs = [f"{objective.sense}: {objective.expr}" for objective in objectives]
    return names, [ends, [str(row.expr) for row in rows], costs]


def expected_value(run: Run, sign: float = 1.0) -> float | None:
    """The optimal value as a minimisation problem, from a certified run or a run with a very small
    gap. Otherwise None.
    """
    close = run.gap is not None and run.gap <= KNOWN_GAP and not run.crossed
    if run.objective is None or not (run.certified or close):
        return None
    return sign * run.objective


def tight(settings: RunSettings, **changes: Any) -> RunSettings:
    """The settings, with small tolerances, of a run that computes the optimal value of a file."""
    return replace(settings, tol=min(settings.tol, EXPECTED_TOL), **changes)


def proved_optimum(
    model: pyo.ConcreteModel, settings: SolveSettings = SOLVER_DEFAULTS
) -> float | None:
    """The proved optimal value of a model as a minimisation problem, or None."""
    from radprog.solvers.registry import solve_model

    solution = solve_model(model, None, settings)
    return solution.objective if solution.status is Status.OPTIMAL else None


def origin_of(model: pyo.ConcreteModel) -> Origin | None:
    """The origin of a model or of a copy, or None if ``rp.build`` did not build the model."""
    origin: Origin | None = getattr(model, _PLACE, None)
    return origin


def known_origin(model: pyo.ConcreteModel) -> Origin:
    """The origin of a model. Raises OptionError if ``rp.build`` did not build it."""
    origin = origin_of(model)
    if origin is None:
        raise OptionError("expected a model of rp.build, or a copy of one")
    return origin
