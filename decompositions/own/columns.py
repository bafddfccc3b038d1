"""The input of a pricer (multipliers) and its output (columns and the data for a bound)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.expr.visitor import expression_to_string
from scipy import sparse

from radprog.base.errors import OptionError, SolverError
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.masters import NewColumns
from radprog.decompositions.own.result import ByComponent, place_of
from radprog.solvers.compile import check_model, compile_model
from radprog.solvers.options import finite_number, refuse_no_number
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import preferred, solve_model
from radprog.solvers.registry import solver as known_solver

ROW = "an active constraint of the master"


def between(part: Any, lower: float, upper: float) -> str:
    """The bounds of a row or variable as a string that includes its name, for a ``repr``."""
    name = getattr(part, "name", part)
    if lower == -math.inf:
        return f"{name} <= {upper:g}"
    return f"{name} >= {lower:g}" if upper == math.inf else f"{lower:g} <= {name} <= {upper:g}"


@dataclass(frozen=True)
class Column:
    """A variable that enters the master, with its cost and its coefficient in each constraint.

    Parameters
    ----------
    cost : float
        Objective coefficient of the column.
    coefficients : mapping
        Mapping from constraints of the master (``model.demand[3]``) to numbers. Omitted constraints
        have the coefficient 0.
    lower : float
        Lower bound on the value of the column; must be 0.
    upper : float
        Upper bound on the value of the column. The default is infinity.
    name, payload
        A name and an arbitrary object; results return both with the column. Columns that differ
        only in name or payload are different columns.
    whole : bool
        Whether :meth:`ColumnRun.round` requires the column to have an integer value.

    Raises
    ------
    OptionError
        If ``lower`` is not 0. Represent a variable that may be negative by two columns.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> pattern = rp.Column(1.0, {master.threes: 2, master.fours: 1}, payload="two and one")
    >>> pattern.cost, pattern.coefficients[master.fours], pattern.upper
    (1.0, 1, inf)
    >>> pattern
    Column(1.0, {threes: 2, fours: 1}, payload='two and one')
    """

    cost: float
    coefficients: Mapping[Any, float]
    lower: float = 0.0
    upper: float = math.inf
    name: str | None = None
    payload: Any = None
    whole: bool = True

    def __repr__(self) -> str:
        # names of rows without zeros, then what is not a default; str: a caller may pass anything
        rows = {getattr(row, "name", row): value for row, value in self.coefficients.items()}
        parts = ", ".join(f"{name}: {value}" for name, value in rows.items() if value != 0)
        others = [(key, getattr(self, key.name)) for key in fields(self)[2:]]
        shown = [f", {key.name}={value!r}" for key, value in others if value is not key.default]
        return f"Column({self.cost}, {{{parts}}}{''.join(shown)})"

    def __post_init__(self) -> None:
        if finite_number(self.lower) not in (None, 0.0) or self.lower == -math.inf:
            raise OptionError(
                f"a column with lower = {self.lower!r}: expected 0, the value of a column that is "
                "not in the master; write a variable of either sign as two columns, and one that "
                "has to be positive into the master"
            )


@dataclass(frozen=True)
class Components:
    """A set of columns, defined by bounds on their coefficients in rows of the master.

    A node of :func:`branch_and_price` bounds the sum of the values of these columns. The bound is a
    row of the master, and its multiplier is ``multipliers[components]``.

    Attributes
    ----------
    bounds : tuple of (constraint, float, float)
        Rows of the master, each with a lower and an upper bound on a column's coefficient in this
        row.

    Examples
    --------
    >>> import radprog as rp
    >>> twos = rp.Components((("a", 2.0, float("inf")),))
    >>> [twos.holds(rp.Column(1.0, {"a": number})) for number in (1.0, 2.0, 3.0)]
    [False, True, True]
    """

    bounds: tuple[tuple[Any, float, float], ...] = ()

    def __repr__(self) -> str:
        return f"Components({', '.join(between(*bound) for bound in self.bounds)})"

    def holds(self, column: Column) -> bool:
        """Whether the column belongs to the set."""
        parts = column.coefficients
        return all(low <= parts.get(row, 0.0) <= high for row, low, high in self.bounds)


@dataclass(frozen=True)
class PricedColumns:
    """The answer of a pricer.

    A pricer that searches all its columns proves a bound. It then returns ``reduced_cost`` and
    ``count``, or ``bound``.

    Parameters
    ----------
    columns : sequence of Column
        Any number of columns to add. Added columns stay in the master.
    reduced_cost : float, optional
        The best reduced cost over *all* columns of the pricer, or a bound on it. The best is the
        smallest for a minimisation problem and the largest for a maximisation problem; it may have
        either sign. Columns that the pricer has returned before may be excluded. Excluding columns
        at their upper bounds improves the bound of the run.
    count : float, optional
        Upper bound on the sum of the values of the pricer's columns in a solution. It is not used
        if ``reduced_cost`` does not improve the objective.
    bound : float, optional
        Bound on the optimal value.

    Examples
    --------
    >>> import radprog as rp
    >>> answer = rp.PricedColumns([], reduced_cost=0.0, count=7)  # no column improves
    >>> len(answer.columns), answer.bound is None
    (0, True)
    """

    columns: Sequence[Column] = ()
    reduced_cost: float | None = None
    count: float | None = None
    bound: float | None = None


class Multipliers(ByComponent):
    """The multipliers of the master's constraints, by Pyomo component.

    A multiplier is d objective / d right-hand side of the model as written, including maximisation
    problems.
    """

    def __init__(self, constraints: Sequence[Any], values: FloatArray, sense: int) -> None:
        super().__init__(constraints, sense * values + 0.0, ROW)

    def reduced_cost(self, column: Column) -> float:
        """The cost minus the sum of multipliers times coefficients.

        A negative value improves a minimisation problem, and a positive value a maximisation
        problem.
        """
        sets = (c for c in self if isinstance(c, Components) and c.holds(column))
        terms = sum(a * self[c] for c, a in column.coefficients.items())
        return column.cost - terms - sum(self[c] for c in sets)


Price = (
    Callable[[Multipliers], "Iterable[Column] | PricedColumns"]
    | Callable[[Multipliers, Any], "Iterable[Column] | PricedColumns"]
)


@dataclass
class Generated:
    """The distinct generated columns as matrix columns, and the indices of their pricers.

    Columns are equal if their numerical data, names and payloads are equal.
    """

    constraints: Sequence[Any]
    taken: set[str]
    columns: list[Column] = field(default_factory=list)
    pricers: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._places = {id(c): i for i, c in enumerate(self.constraints)}
        self._known: dict[Any, list[Column]] = {}  # by their numbers

    def vector(self, column: Column, pricer: str) -> FloatArray:
        """The coefficients (m,) of a column. Raises SolverError for an invalid column."""
        if not isinstance(column, Column):
            raise SolverError(f"{pricer} gave a {type(column).__name__}, expected rp.Column")
        values = np.zeros(len(self.constraints))
        if not isinstance(column.coefficients, Mapping):
            raise SolverError(
                f"{pricer} gave coefficients {column.coefficients!r}, expected a mapping from "
                "constraints to numbers"
            )
        for constraint, value in column.coefficients.items():
            values[place_of(self._places, constraint, ROW)] += _number(
                value, pricer, "a coefficient"
            )
        for i, constraint in enumerate(self.constraints):
            if isinstance(constraint, Components):
                values[i] = constraint.holds(column)
        _number(column.cost, pricer, "a cost")
        with suppress(TypeError, ValueError):
            if float(column.lower) <= float(column.upper):
                return values
        raise SolverError(f"{pricer} gave a column with bounds {column.lower!r}, {column.upper!r}")

    def new(self, column: Column, vector: FloatArray) -> bool:
        """Whether the column is new. New columns are recorded."""
        numbers = column.cost, column.lower, column.upper, (vector + 0.0).tobytes()
        same = self._known.setdefault(numbers, [])
        if any(_equal((c.name, c.payload), (column.name, column.payload)) for c in same):
            return False
        same.append(column)
        return True

    def admit(self, new: Sequence[tuple[Column, FloatArray, int]], sense: int) -> NewColumns:
        """Add new columns to the generated columns, and return them as matrix columns.

        ``new`` contains the columns, their coefficients (m,) and the indices of their pricers.
        """
        columns, vectors = [column for column, _, _ in new], np.array([v for _, v, _ in new])
        names: list[str] = []
        for column in columns:
            name = column.name or f"column_{len(self.columns) + len(names)}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            names.append(name)
        self.columns += columns
        self.pricers += [pricer for _, _, pricer in new]
        return NewColumns(
            sparse.csc_array(vectors.T),
            np.array([sense * column.cost for column in columns]),
            np.array([float(column.lower) for column in columns]),
            np.array([float(column.upper) for column in columns]),
            tuple(names),
        )


def _equal(one: Any, other: Any) -> bool:
    """Whether two of the user's objects are equal. Arrays are compared entry by entry.

    Objects that cannot be compared count as different.
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_equal, one, other))
    try:
        return one is other or bool(one == other)
    except Exception:  # any error of the user's class
        return False


def _number(value: Any, pricer: str, what: str) -> float:
    number = finite_number(value)
    if number is None:
        raise SolverError(f"{pricer} gave {what} of {value!r}, expected a finite number")
    return number


def priced(answer: Any, pricer: str) -> PricedColumns:
    """Convert a pricer's answer to :class:`PricedColumns`. Raises SolverError if it is invalid."""
    if isinstance(answer, PricedColumns):
        for name in ("reduced_cost", "count", "bound"):
            value = getattr(answer, name)
            if not (value is None or isinstance(value, int | float | np.number)) or value != value:
                raise SolverError(f"{pricer} gave a {name} of {value!r}, which is not a number")
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
    """A pricer defined by a Pyomo model. Each feasible point of the model is a column.

    Every round minimises the cost minus the sum of multipliers times coefficients, or maximises it
    if the master is a maximisation problem. The bound of the round uses the solver's dual bound,
    not the value of its incumbent.

    Parameters
    ----------
    model : ConcreteModel
        The Pyomo model. Its objectives are deactivated.
    cost : expression or number
        Cost of a column, as an expression in the variables of ``model``.
    coefficients : mapping
        Mapping from constraints of the master to expressions or numbers.
    count : float, optional
        Upper bound on the sum of the values of the model's columns in a solution. With a convexity
        row, it is 1.
    solver : str, optional
        Name of the solver. None means the first installed solver for the class of the model.
    payload : callable, optional
        Function of ``model`` that returns the payload of a column. It is called after each solve,
        when the variables of ``model`` have the values of the column.
    whole : bool
        Whether :meth:`ColumnRun.round` requires the model's columns to have integer values.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> knapsack = pyo.ConcreteModel()  # a pattern: a pieces of width 3 and b of width 4
    >>> knapsack.a = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, 3))
    >>> knapsack.b = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, 2))
    >>> knapsack.width = pyo.Constraint(expr=3 * knapsack.a + 4 * knapsack.b <= 10)
    >>> rows = {master.threes: knapsack.a, master.fours: knapsack.b}
    >>> run = rp.column_generation(master, rp.PricingModel(knapsack, 1, rows, count=7))
    >>> run.certified, round(run.objective, 6)
    (True, 2.5)
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
        coefficients: Any = self.coefficients
        if not isinstance(coefficients, Mapping):
            raise OptionError(
                f"coefficients: {type(coefficients).__name__} is given, expected a mapping from "
                "constraints of the master to expressions"
            )
        if self.count is not None:
            refuse_no_number("count", self.count)
        if self.solver is not None:
            known_solver(self.solver)

    def text(self) -> str:
        """The program as a text with the values of its parameters. Equal texts, equal columns."""

        def shown(part: Any) -> str:
            return str(expression_to_string(part, compute_values=True))

        model = self.model
        parts = [shown(self.cost), repr((self.count, self.whole))]
        parts += [f"{row.name}: {shown(part)}" for row, part in self.coefficients.items()]
        for variable in model.component_data_objects(pyo.Var, active=True):
            value = variable.value if variable.fixed else None
            parts.append(f"{variable.name} {variable.domain} {variable.bounds} {value}")
        for row in model.component_data_objects(pyo.Constraint, active=True):
            parts.append(f"{row.name}: {row.lb} {shown(row.body)} {row.ub}")
        return "\n".join(parts)

    def __call__(
        self, multipliers: Multipliers, settings: SolveSettings, sense: int
    ) -> PricedColumns:
        """The best column and the bound on its reduced cost."""
        model = self.model
        for objective in model.component_data_objects(pyo.Objective, active=True):
            objective.deactivate()
        # the reduced cost is the objective of the pricing model
        expression = self.cost - sum(
            multipliers[constraint] * part for constraint, part in self.coefficients.items()
        )
        # multipliers of phase one are too large for solvers: they are divided by a power of two
        most = float(np.abs(list(multipliers.values())).max(initial=0.0))
        # in the objective of a pricing model
        unit = 2.0 ** math.ceil(math.log2(most)) if most > 1e8 else 1.0
        name = unique_component_name(model, "reduced_cost")
        direction = pyo.minimize if sense == 1 else pyo.maximize
        model.add_component(name, pyo.Objective(expr=expression / unit, sense=direction))
        try:
            kind = compile_model(model).problem_class
            linear = kind in (ProblemClass.LP, ProblemClass.MILP)
            chosen = self.solver or preferred(kind, nonconvex=not linear)
            solution = solve_model(model, chosen, settings)
        finally:
            model.del_component(name)
        # no column at all: its term is 0
        if solution.status is Status.INFEASIBLE:
            return PricedColumns(reduced_cost=0.0, count=0.0)
        cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
        if solution.x is None and (cut or solution.claim is Status.INFEASIBLE):
            return PricedColumns()  # nothing is proved
        if solution.x is None:
            raise SolverError(
                f"the pricing model has no optimum, {solution.solver} says {solution.status}: are "
                "its variables bounded?"
            )
        # the column at the optimum; its bound is the solver's dual one
        column = Column(
            float(pyo.value(self.cost)),
            {c: float(pyo.value(part)) for c, part in self.coefficients.items()},
            payload=None if self.payload is None else self.payload(model),
            whole=self.whole,
        )
        bound = solution.bound
        best = None if bound is None else sense * unit * bound
        return PricedColumns((column,), best, self.count)
