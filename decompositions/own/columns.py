"""What a pricer is told and what it answers: multipliers, columns, what makes a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from scipy import sparse

from radprog.decompositions.drivers.live import NewColumns
from radprog.decompositions.own.result import hint_of
from radprog.instances.errors import OptionError, SolverError
from radprog.instances.types import FloatArray
from radprog.solvers.compile import check_model, compile_model
from radprog.solvers.options import finite_number, refuse_no_number
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import preferred, solve_model
from radprog.solvers.registry import solver as known_solver


@dataclass(frozen=True)
class Column:
    """A variable that enters the master: its cost and its coefficient in each constraint.

    ``cost`` is in the objective as the model writes it. ``coefficients`` maps constraints of the
    master (``model.demand[3]``) to numbers; those left out are 0. ``payload``: anything that the
    caller wants back with the column. ``whole``: whether :meth:`ColumnRun.round` asks for whole
    values of it.
    """

    cost: float
    coefficients: Mapping[Any, float]
    lower: float = 0.0
    upper: float = math.inf
    name: str | None = None
    payload: Any = None
    whole: bool = True


@dataclass(frozen=True)
class PricedColumns:
    """A pricer's answer.

    columns: those worth adding, in any number. What makes a bound, where pricing is exact: either
    ``reduced_cost``, the best over *all* its columns, of either sign (or a bound of it: least of a
    minimisation, greatest of a maximisation; those at their upper bound in the master may be left
    out), with ``count``, the largest sum that the values of its columns can have in a solution; or
    ``bound``, of the optimum outright.
    """

    columns: Sequence[Column] = ()
    reduced_cost: float | None = None
    count: float | None = None
    bound: float | None = None


class Multipliers(Mapping[Any, float]):
    """Multipliers of the master's constraints by Pyomo component: d objective / d right-hand side
    of the model as it is written, whether it minimises or maximises."""

    def __init__(self, constraints: Sequence[Any], values: FloatArray, sense: int) -> None:
        self.constraints, self.values_array = constraints, sense * values + 0.0
        self._place = {id(c): i for i, c in enumerate(constraints)}

    def __getitem__(self, constraint: Any) -> float:
        return float(self.values_array[place_of(self._place, constraint)])

    def __iter__(self) -> Any:
        return iter(self.constraints)

    def __len__(self) -> int:
        return len(self.constraints)

    def reduced_cost(self, column: Column) -> float:
        """cost - sum of multiplier times coefficient: below 0 it improves a minimisation, above 0
        a maximisation."""
        return column.cost - sum(a * self[c] for c, a in column.coefficients.items())


Price = Callable[[Multipliers], "Iterable[Column] | PricedColumns"]


def place_of(places: Mapping[int, int], constraint: Any) -> int:
    """The row of a constraint; SolverError where it is none of the master's."""
    try:
        return places[id(constraint)]
    except KeyError:
        name = getattr(constraint, "name", repr(constraint))
        hint = hint_of(constraint)
        raise SolverError(f"{name} is no active constraint of the master{hint}") from None


@dataclass
class Generated:
    """The columns that were priced in so far, as matrix columns, none twice."""

    constraints: Sequence[Any]
    taken: set[str]
    columns: list[Column] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._places = {id(c): i for i, c in enumerate(self.constraints)}
        self._known: set[Any] = set()

    def vector(self, column: Column, pricer: str) -> FloatArray:
        """Coefficients (m,) of a column; SolverError where it is none."""
        if not isinstance(column, Column):
            raise SolverError(f"{pricer} gave a {type(column).__name__}, expected rp.Column")
        values = np.zeros(len(self.constraints))
        if not isinstance(column.coefficients, Mapping):
            raise SolverError(
                f"{pricer} gave coefficients {column.coefficients!r}, expected a mapping from "
                "constraints to numbers"
            )
        for constraint, value in column.coefficients.items():
            values[place_of(self._places, constraint)] += _number(value, pricer, "a coefficient")
        _number(column.cost, pricer, "a cost")
        with suppress(TypeError, ValueError):
            if float(column.lower) <= float(column.upper):
                return values
        raise SolverError(f"{pricer} gave a column with bounds {column.lower!r}, {column.upper!r}")

    def new(self, column: Column, vector: FloatArray) -> bool:
        """Whether the column is none of the known ones; then it is known."""
        if self.known(column, vector):
            return False
        self._known.add(_key(column, vector))
        return True

    def known(self, column: Column, vector: FloatArray) -> bool:
        """Whether the column was priced in before."""
        return _key(column, vector) in self._known

    def admitted(self, columns: Sequence[Column], vectors: FloatArray, sense: int) -> NewColumns:
        """The matrix columns of new columns, which belong to the family from now on."""
        names: list[str] = []
        for column in columns:
            name = column.name or f"column_{len(self.columns) + len(names)}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            names.append(name)
        self.columns += columns
        return NewColumns(
            sparse.csc_array(vectors.T),
            np.array([sense * column.cost for column in columns]),
            np.array([float(column.lower) for column in columns]),
            np.array([float(column.upper) for column in columns]),
            tuple(names),
        )


def _key(column: Column, vector: FloatArray) -> tuple[float, float, float, bytes]:
    return column.cost, column.lower, column.upper, vector.tobytes()


def _number(value: Any, pricer: str, what: str) -> float:
    number = finite_number(value)
    if number is None:
        raise SolverError(f"{pricer} gave {what} of {value!r}, expected a finite number")
    return number


def priced(answer: Any, pricer: str) -> PricedColumns:
    """A pricer's answer in one shape; SolverError where it has none."""
    if isinstance(answer, PricedColumns):
        for name in ("reduced_cost", "count", "bound"):
            value = getattr(answer, name)
            if not (value is None or isinstance(value, int | float | np.number)) or value != value:
                raise SolverError(f"{pricer} gave a {name} of {value!r}, which is no number")
        if answer.count is not None and answer.count < 0:
            raise SolverError(f"{pricer} gave a count of {answer.count:g}, expected one >= 0")
        return answer
    if isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping)):
        return PricedColumns(columns=tuple(answer))
    kind = "None" if answer is None else f"a {type(answer).__name__}"
    raise SolverError(
        f"{pricer} gave {kind}, expected columns or rp.PricedColumns, [] where none improves"
    )


@dataclass
class PricingModel:
    """A pricer that is itself a Pyomo model: its feasible points are the columns.

    model: without an objective of its own (one is deactivated); ``cost`` and ``coefficients`` are
    expressions in its variables, or numbers: the cost of a column and its coefficient in each
    constraint of the master. Every round min (or max, as the master) cost - sum of multiplier times
    coefficient is solved; the solver's dual bound of that program, not its incumbent, makes the
    bound. ``count``: the largest sum of its columns' values in a solution, 1 for a convexity row.
    ``payload``: called after a solve, with the values in the model, for the column's payload.
    """

    model: pyo.ConcreteModel
    cost: Any
    coefficients: Mapping[Any, Any]
    count: float | None = None
    solver: str | None = None
    payload: Callable[[pyo.ConcreteModel], Any] | None = None
    whole: bool = True

    def __post_init__(self) -> None:
        check_model(self.model)
        given: Any = self.coefficients
        if not isinstance(given, Mapping):
            raise OptionError(
                f"coefficients: {type(given).__name__} is given, expected a mapping from "
                "constraints of the master to expressions"
            )
        if self.count is not None:
            refuse_no_number("count", self.count)
        if self.solver is not None:
            known_solver(self.solver)

    def __call__(
        self, multipliers: Multipliers, settings: SolveSettings, sense: int
    ) -> PricedColumns:
        """The best column and the bound of its reduced cost."""
        model = self.model
        for objective in model.component_data_objects(pyo.Objective, active=True):
            objective.deactivate()
        expression = self.cost - sum(
            multipliers[constraint] * part for constraint, part in self.coefficients.items()
        )
        name = unique_component_name(model, "reduced_cost")
        direction = pyo.minimize if sense == 1 else pyo.maximize
        model.add_component(name, pyo.Objective(expr=expression, sense=direction))
        try:
            solution = solve_model(model, self.solver or _preferred(model), settings)
        finally:
            model.del_component(name)
        if solution.status is Status.INFEASIBLE:
            return PricedColumns(reduced_cost=0.0, count=0.0)
        if solution.x is None and solution.status in (Status.LIMIT, Status.INTERRUPTED):
            return PricedColumns()
        if solution.x is None:
            raise SolverError(
                f"the pricing model has no optimum, {solution.solver} says {solution.status}: are "
                "its variables bounded?"
            )
        column = Column(
            float(pyo.value(self.cost)),
            {c: float(pyo.value(part)) for c, part in self.coefficients.items()},
            payload=None if self.payload is None else self.payload(model),
            whole=self.whole,
        )
        least = solution.bound
        return PricedColumns((column,), None if least is None else sense * least, self.count)


def _preferred(model: pyo.ConcreteModel) -> str:
    kind = compile_model(model).problem_class
    linear = kind in (ProblemClass.LP, ProblemClass.MILP)
    return preferred(kind, nonconvex=not linear)
