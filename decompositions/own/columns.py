"""The input of a pricer (multipliers) and its output (columns and the data for a bound)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, overload

import numpy as np
import pyomo.environ as pyo
from pyomo.core.expr.visitor import expression_to_string
from scipy import sparse

from radprog.base.errors import OptionError, StoppedError
from radprog.base.sections import amount
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.masters import NewColumns
from radprog.decompositions.own.result import ByComponent, place_of
from radprog.solvers.adapters.highs import Compressed
from radprog.solvers.compile import check_model
from radprog.solvers.program import finite_number, refuse_no_number
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
        # nonzero coefficients by row, then fields that are no defaults; a caller may pass anything
        rows = {getattr(row, "name", row): value for row, value in self.coefficients.items()}
        parts = ", ".join(f"{name}: {value}" for name, value in rows.items() if value != 0)
        options = [(key, getattr(self, key.name)) for key in fields(self)[2:]]
        shown = [f", {key.name}={value!r}" for key, value in options if value is not key.default]
        return f"Column({self.cost}, {{{parts}}}{''.join(shown)})"

    def __post_init__(self) -> None:
        if finite_number(self.lower) not in (None, 0.0) or self.lower == -math.inf:
            raise OptionError(
                f"a column with lower = {self.lower!r}: expected 0, the value of a column that is "
                "not in the master; write a variable of either sign as two columns, and one that "
                "has to be positive into the master"
            )


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """Several columns as arrays, the fastest answer of a pricer.

    Parameters
    ----------
    costs : array (t,)
        Objective coefficients of the columns.
    matrix : sparse or dense array (m, t)
        Coefficients of the columns in the m active constraints of the master, in the order of its
        declarations. This is the order of the multipliers.
    upper : float or array (t,)
        Upper bounds on the values of the columns. The default is infinity.
    payloads : sequence, optional
        An arbitrary object for each column; results return it with the column.
    whole : bool
        Whether :meth:`ColumnRun.round` requires the columns to have integer values.

    Raises
    ------
    OptionError
        If the sizes of the arrays differ, or a number is not finite.

    Examples
    --------
    Four patterns of 3 and 4 are priced by one product:

    >>> import numpy as np
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> patterns, costs = np.array([[3, 2, 1, 0], [0, 1, 1, 2]]), np.ones(4)
    >>> def price(multipliers):
    ...     reduced = costs - multipliers.array @ patterns
    ...     better = reduced < -1e-9
    ...     columns = rp.Columns(costs[better], patterns[:, better])
    ...     return rp.PricedColumns(columns, reduced_cost=reduced.min(), count=7)
    >>> run = rp.column_generation(master, price)
    >>> run.certified, round(run.objective, 6)
    (True, 2.5)
    """

    costs: FloatArray
    matrix: Any
    upper: Any = math.inf
    payloads: Sequence[Any] | None = None
    whole: bool = True

    def __post_init__(self) -> None:
        try:
            costs = np.asarray(self.costs, dtype=np.float64)
            matrix = sparse.csc_array(self.matrix, dtype=np.float64)
            upper = np.broadcast_to(np.asarray(self.upper, dtype=np.float64), costs.shape)
        except (TypeError, ValueError) as error:
            raise OptionError(f"rp.Columns: {error}") from None
        sizes = {costs.size, matrix.shape[1], len(self.payloads or costs)}
        if costs.ndim != 1 or len(sizes) > 1:
            raise OptionError(
                f"rp.Columns: costs of shape {costs.shape}, a matrix of shape {matrix.shape}"
                + (f" and {len(self.payloads)} payloads" if self.payloads else "")
                + ": expected a cost, a column of the matrix and a payload for each column"
            )
        if not (np.isfinite(costs).all() and np.isfinite(matrix.data).all()):
            raise OptionError("rp.Columns: expected finite costs and coefficients")
        if not (upper >= 0.0).all():
            raise OptionError(f"rp.Columns: expected upper bounds >= 0, not {upper.min()}")
        # equal columns have equal entries; the arrays of the user stay as they are
        if not matrix.has_canonical_format or not matrix.data.all():
            matrix = matrix.copy()
            matrix.sum_duplicates()
            matrix.eliminate_zeros()
        for name, value in (("costs", costs), ("matrix", matrix), ("upper", upper)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.costs)

    def __repr__(self) -> str:
        rows, columns = map(amount, self.matrix.shape, ("row", "column"))
        return f"Columns({columns}, {rows}, {self.matrix.nnz} entries)"


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
    columns : sequence of Column, or Columns
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

    columns: Sequence[Column] | Columns = ()
    reduced_cost: float | None = None
    count: float | None = None
    bound: float | None = None


class Multipliers(ByComponent):
    """The multipliers of the master's constraints, by Pyomo component.

    A multiplier is d objective / d right-hand side of the model as written, including maximisation
    problems. ``array`` (m,) holds the multipliers of the master's active constraints, in the order
    of its declarations.
    """

    def __init__(
        self,
        constraints: Sequence[Any],
        values: FloatArray,
        sense: int,
        places: Mapping[int, int] | None = None,
    ) -> None:
        super().__init__(constraints, sense * values + 0.0, ROW, places)

    @property
    def array(self) -> FloatArray:
        """The multipliers (m,) of the master's rows; those of bounded sums follow."""
        return self._numbers

    def reduced_cost(self, column: Column) -> float:
        """The cost minus the sum of multipliers times coefficients.

        A negative value improves a minimisation problem, and a positive value a maximisation
        problem.
        """
        sets = (c for c in self if isinstance(c, Components) and c.holds(column))
        terms = sum(a * self[c] for c, a in column.coefficients.items())
        return column.cost - terms - sum(self[c] for c in sets)


Price = (
    Callable[[Multipliers], "Iterable[Column] | Columns | PricedColumns"]
    | Callable[[Multipliers, Any], "Iterable[Column] | Columns | PricedColumns"]
)


@dataclass(frozen=True, eq=False)
class ColumnBatch:
    """Columns of an answer as arrays: costs (t,), matrix (m, t), upper bounds (t,), with the
    columns of the user.
    """

    costs: FloatArray
    matrix: Compressed | sparse.csc_array
    upper: FloatArray
    source: Sequence[Column] | Columns
    places: Sequence[int]  # in the source

    def __len__(self) -> int:
        return len(self.costs)

    def products(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A'y (t,) and |A|'|y| (t,), by sums over the entries (of few columns, a fifth of the
        seconds of scipy's products).
        """
        terms = self.matrix.data * y[self.matrix.indices]
        products: FloatArray = np.bincount(self.columns, terms, len(self)).astype(np.float64)
        sizes: FloatArray = np.bincount(self.columns, np.abs(terms), len(self)).astype(np.float64)
        return products, sizes

    @cached_property
    def columns(self) -> IntArray:
        """The column of each entry of the matrix."""
        starts = self.matrix.indptr
        return np.arange(len(self)).repeat(starts[1:] - starts[:-1])

    def take(self, chosen: Sequence[int]) -> ColumnBatch:
        """The columns at these places."""
        places, matrix, indices = [self.places[j] for j in chosen], self.matrix, np.asarray(chosen)
        starts = matrix.indptr[indices]
        lengths = matrix.indptr[indices + 1] - starts
        ends = np.append(0, lengths.cumsum()).astype(np.int32)
        entries = np.arange(ends[-1]) + (starts - ends[:-1]).repeat(lengths)
        matrix = Compressed(ends, matrix.indices[entries], matrix.data[entries])
        return ColumnBatch(self.costs[chosen], matrix, self.upper[chosen], self.source, places)

    def column(self, j: int, constraints: Sequence[Any]) -> Column:
        """A column of the batch as an object."""
        source, place = self.source, self.places[j]
        if not isinstance(source, Columns):
            return source[place]
        part = slice(*source.matrix.indptr[place : place + 2].tolist())
        rows, values = source.matrix.indices[part].tolist(), source.matrix.data[part].tolist()
        return Column(
            float(source.costs[place]),
            {constraints[i]: value for i, value in zip(rows, values, strict=True)},
            upper=float(source.upper[place]),
            payload=self.label(j)[1],
            whole=source.whole,
        )

    @property
    def whole(self) -> bool:
        """Whether all columns are whole."""
        if isinstance(self.source, Columns):
            return self.source.whole
        return all(self.source[place].whole for place in self.places)

    def label(self, j: int) -> tuple[str | None, Any]:
        """The name and the payload of a column."""
        source, place = self.source, self.places[j]
        if isinstance(source, Columns):
            return None, None if source.payloads is None else source.payloads[place]
        return source[place].name, source[place].payload

    def equals(self, j: int, other: ColumnBatch, k: int) -> bool:
        """Whether two columns have equal numbers, names and payloads."""
        if self.costs[j] != other.costs[k] or self.upper[j] != other.upper[k]:
            return False
        entries, other_entries = (
            slice(*batch.matrix.indptr[column : column + 2].tolist())
            for batch, column in ((self, j), (other, k))
        )
        return (
            np.array_equal(self.matrix.indices[entries], other.matrix.indices[other_entries])
            and np.array_equal(self.matrix.data[entries], other.matrix.data[other_entries])
            and _equal(self.label(j), other.label(k))
        )


class ColumnList(Sequence[Column]):
    """The columns of batches. Columns that came as arrays become objects when they are read."""

    def __init__(self, constraints: Sequence[Any]) -> None:
        self._constraints, self._batches, self._starts = constraints, list[ColumnBatch](), [0]

    def append(self, batch: ColumnBatch) -> None:
        """Append the columns of a batch."""
        self._batches.append(batch)
        self._starts.append(self._starts[-1] + len(batch))

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Column: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Column]: ...
    def __getitem__(self, place: int | slice) -> Column | Sequence[Column]:
        if isinstance(place, slice):
            return [self[j] for j in range(*place.indices(len(self)))]
        place = place + len(self) if place < 0 else place
        if not 0 <= place < len(self):
            raise IndexError(f"column {place} of {len(self)}")
        k = bisect_right(self._starts, place) - 1
        return self._batches[k].column(place - self._starts[k], self._constraints)


class Generated:
    """The distinct generated columns as matrix columns, and the indices of their pricers.

    Columns are equal if their numerical data, names and payloads are equal.
    """

    def __init__(self, constraints: Sequence[Any]) -> None:
        self.constraints = constraints
        self.places = {id(c): i for i, c in enumerate(constraints)}
        self._sets = [c for c in constraints if isinstance(c, Components)]
        self.columns, self.pricers = ColumnList(constraints), np.zeros(0, dtype=np.intp)
        self.upper = np.zeros(0)
        # equal columns have equal products with random weights
        self._weights = np.random.default_rng(0).random(len(constraints) + 1)
        # numbers of columns by their key, and batches with the numbers of their first columns
        self._numbers, self._read = dict[float, int](), list[tuple[int, ColumnBatch]]()

    def read(self, columns: Any, pricer: str) -> ColumnBatch:
        """The columns of an answer. Raises StoppedError for an invalid column."""
        m = len(self.constraints) - len(self._sets)
        if isinstance(columns, Columns):
            if columns.matrix.shape[0] != m:
                raise StoppedError(
                    f"{pricer} gave a matrix of {columns.matrix.shape[0]} rows, expected {m}, "
                    "one for each active constraint of the master"
                )
            source = columns
            batch = ColumnBatch(
                source.costs, source.matrix, source.upper, source, range(len(source))
            )
        else:
            batch = self._arrays(tuple(columns), pricer)
        if self._sets:
            # a row for each set: 1 for its columns
            parts, members = np.zeros((m, len(batch))), np.ones((len(self._sets), len(batch)))
            parts[batch.matrix.indices, batch.columns] = batch.matrix.data
            for member, components in zip(members, self._sets, strict=True):
                for row, low, high in components.bounds:
                    part = parts[self.places[id(row)]]
                    member *= (low <= part) & (part <= high)
            matrix = sparse.csc_array(np.concatenate([parts, members]))
            batch = replace(batch, matrix=matrix)
        return batch

    def _arrays(self, columns: Sequence[Column], pricer: str) -> ColumnBatch:
        """Columns as arrays."""
        entries, starts = list[tuple[int, float]](), [0]
        for column in columns:
            if not isinstance(column, Column):
                raise StoppedError(f"{pricer} gave a {type(column).__name__}, expected rp.Column")
            if not isinstance(column.coefficients, Mapping):
                raise StoppedError(
                    f"{pricer} gave coefficients {column.coefficients!r}, expected a mapping from "
                    "constraints to numbers"
                )
            places = [place_of(self.places, row, ROW) for row in column.coefficients]
            values = [_number(v, pricer, "a coefficient") for v in column.coefficients.values()]
            # equal columns have equal entries: in the order of rows, without zeros
            entries += sorted((i, v) for i, v in zip(places, values, strict=True) if v)
            starts.append(len(entries))
            _number(column.cost, pricer, "a cost")
            with suppress(TypeError, ValueError):
                if float(column.lower) <= float(column.upper):
                    continue
            raise StoppedError(
                f"{pricer} gave a column with bounds {column.lower!r}, {column.upper!r}"
            )
        data, rows = np.array([v for _, v in entries]), np.array([i for i, _ in entries], np.int32)
        matrix = Compressed(np.array(starts, np.int32), rows, data)
        costs = np.array([float(column.cost) for column in columns])
        upper = np.array([float(column.upper) for column in columns])
        return ColumnBatch(costs, matrix, upper, columns, range(len(columns)))

    def register(self, batch: ColumnBatch) -> Sequence[int]:
        """The places of the columns that are new. They are recorded."""
        keys = batch.products(self._weights[:-1])[0] + self._weights[-1] * batch.costs
        first = self._read[-1][0] + len(self._read[-1][1]) if self._read else 0
        self._read.append((first, batch))
        places = []
        for j, key in enumerate(keys.tolist()):
            # the key belongs to a different column: the next float is tried
            while (number := self._numbers.setdefault(key, first + j)) < first + j:
                start, earlier = self._read[bisect_right(self._read, number, key=itemgetter(0)) - 1]
                if batch.equals(j, earlier, number - start):
                    break
                key = math.nextafter(key, math.inf)
            else:
                places.append(j)
        return places

    def admit(self, entering: Sequence[tuple[ColumnBatch, int]], sense: int) -> NewColumns:
        """Add batches of new columns, with the indices of their pricers, to the generated columns,
        and return them as matrix columns.
        """
        batches, count = [batch for batch, _ in entering], len(self.columns)
        for batch in batches:
            self.columns.append(batch)
        origin = [np.full(len(batch), pricer, dtype=np.intp) for batch, pricer in entering]
        self.pricers = np.concatenate([self.pricers, *origin])
        self.upper = np.concatenate([self.upper, *(batch.upper for batch in batches)])
        matrix = batches[0].matrix
        if len(batches) > 1:
            matrix = Compressed.joined([batch.matrix for batch in batches])
        cost = sense * np.concatenate([batch.costs for batch in batches])
        return NewColumns(matrix, cost, np.zeros(len(cost)), self.upper[count:])


def _equal(first: Any, second: Any) -> bool:
    """Whether two of the user's objects are equal. Arrays are compared entry by entry.

    Objects that cannot be compared count as different.
    """
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.array_equal(first, second)
    if isinstance(first, tuple | list) and isinstance(second, tuple | list):
        return len(first) == len(second) and all(map(_equal, first, second))
    try:
        return first is second or bool(first == second)
    except Exception:  # any error of the user's class
        return False


def _number(value: Any, pricer: str, quantity: str) -> float:
    number = finite_number(value)
    if number is None:
        raise StoppedError(f"{pricer} gave {quantity} of {value!r}, expected a finite number")
    return number


def priced(answer: Any, pricer: str) -> PricedColumns:
    """A pricer's answer as :class:`PricedColumns`. Raises StoppedError if it is invalid."""
    if isinstance(answer, PricedColumns):
        for name in ("reduced_cost", "count", "bound"):
            value = getattr(answer, name)
            if not (value is None or isinstance(value, int | float | np.number)) or value != value:
                raise StoppedError(f"{pricer} gave a {name} of {value!r}, which is not a number")
        if answer.count is not None and answer.count < 0:
            raise StoppedError(f"{pricer} gave a count of {answer.count:g}, expected one >= 0")
        if isinstance(answer.columns, Columns | tuple | list):
            return answer
        return replace(answer, columns=priced(answer.columns, pricer).columns)
    if isinstance(answer, Columns):
        return PricedColumns(columns=answer)
    if isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping)):
        return PricedColumns(columns=tuple(answer))
    kind = "None" if answer is None else f"a {type(answer).__name__}"
    raise StoppedError(
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
        Cost of a column, as a linear expression in the variables of ``model``.
    coefficients : mapping
        Mapping from constraints of the master to linear expressions or numbers.
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
            known_solver(self.solver).adapter()

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
