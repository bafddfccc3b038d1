"""Pyomo models as matrices of a :class:`Program`, and solutions loaded into models."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.errors import CapabilityError, DataError, OptionError, SolverError
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.solvers.formats.valid_names import matched, unique_names
from radprog.solvers.program import INFINITE, Program, Solution, finite_number
from radprog.solvers.rescale import Scaling

if TYPE_CHECKING:
    from radprog.solvers.bodies import BodyReader

SCALING = "scaling_factor"  # Pyomo's name of the suffix
CHANGED = "the model has changed since it was compiled or certified: do this again"


def check_model(model: Any) -> None:
    """Raise OptionError unless the object is a Pyomo model with its components."""
    from pyomo.core.base.block import BlockData

    if not isinstance(model, BlockData):
        raise OptionError(f"{type(model).__name__} is given, expected a Pyomo ConcreteModel")
    if not model.is_constructed():
        raise OptionError(f"model {model.name} is not constructed: give model.create_instance()")


def compile_model(model: pyo.ConcreteModel, exchanged: Mapping[int, Any] | None = None) -> Program:
    """The matrices of a linear or quadratic model, always as a minimisation.

    Columns are the unfixed variables, and rows the active constraints, in order of declaration;
    fixed variables are numbers. A ranged constraint is one row. The constant of a constraint is
    moved into its bounds. The constant of the objective is ``constant``. The program keeps the
    names in the model, with ``[2,5]`` written as ``(2.5)``. Invalid names (see
    :func:`is_valid_name`) are changed. ``exchanged`` maps ids of named expressions to the variables
    that replace them; these variables are the last columns.

    A bound of 1e20 or more, in both the model's and the solver's units, is infinite. Raises
    OptionError for an object that is not a constructed model. Raises NonlinearError for algebra
    that is neither linear nor quadratic, CapabilityError for other components, and DataError for
    non-finite numbers. Limits are polled between rows.
    """
    from radprog.solvers.bodies import BodyReader  # loads pyomo

    check_model(model)
    declared = _variables(model)
    variables = [*declared, *(exchanged or {}).values()]
    reader = BodyReader(variables, exchanged)
    constraints = _constraints(model)
    bodies, row_lower, row_upper = [], [], []
    # rows: the constant of a body moves into its sides
    for constraint in constraints:
        try:
            lower, expression, upper = constraint.to_bounded_expression(evaluate_bounds=True)
        except ValueError as error:
            raise DataError(str(error)) from None
        bodies.append(body := reader.read(expression, constraint))
        row_lower.append(None if lower is None else lower - body.constant)
        row_upper.append(None if upper is None else upper - body.constant)
    joined = itertools.chain.from_iterable
    n, lengths = len(variables), [len(body.columns) for body in bodies]
    # all bodies one after the other: the rows of a sparse matrix
    rows = sparse.csr_array(
        (
            np.fromiter(joined(body.coefficients for body in bodies), np.float64, sum(lengths)),
            np.fromiter(joined(body.columns for body in bodies), np.int64, sum(lengths)),
            np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
        ),
        shape=(len(constraints), n),
    )
    rows.sum_duplicates()
    rows.eliminate_zeros()
    # objective as a minimisation; bounds that are infinite in the model's units are none
    cost, constant, sense, quadratic = _objective(model, reader)
    factors = scaling_of(model, declared, constraints)
    units = np.append(factors.columns, np.ones(len(exchanged or {})))
    try:
        ends = [variable.bounds for variable in variables]
    except ValueError as error:
        raise DataError(str(error)) from None
    largest = (INFINITE / np.minimum(units, 1.0)).tolist()
    for variable, (bottom, top), none in zip(variables, ends, largest, strict=True):
        if (bottom is not None and bottom >= none) or (top is not None and top <= -none):
            raise DataError(f"{variable.name} has no value within its bounds {bottom} and {top}")
    lower, upper = ends_of([bottom for bottom, _ in ends], [top for _, top in ends], units)
    integer = [not variable.is_continuous() for variable in variables]
    for variable in itertools.compress(variables, integer):
        if not (variable.is_integer() or variable.is_binary()):
            raise CapabilityError(f"{variable.name} has a domain that is neither real nor integer")
    low, high = ends_of(row_lower, row_upper, factors.rows)
    return Program(
        cost=cost,
        rows=rows,
        row_lower=low,
        row_upper=high,
        lower=lower,
        upper=upper,
        integer=np.array(integer, dtype=np.bool_),
        column_names=unique_names(map(_label, names_of(variables))),
        row_names=unique_names(map(_label, names_of(constraints))),
        constant=constant,
        sense=sense,
        quadratic=quadratic,
        quadratic_rows={
            row: matrix
            for row, body in enumerate(bodies)
            if (matrix := _symmetric(body.quadratic, n)) is not None
        },
    )


def compile_objectives(
    model: pyo.ConcreteModel, parts: Sequence[Any]
) -> tuple[Program, list[tuple[FloatArray, float, int, str]]]:
    """The matrices of a model without its objectives, and those of other linear objectives.

    Each has costs (n,), a constant, its sense, and the name of its component, if it is one. A
    mapping of columns to costs is minimised. Raises CapabilityError for one that is not linear.
    """
    from radprog.solvers.bodies import BodyReader  # loads pyomo

    check_model(model)
    active = list(model.component_data_objects(pyo.Objective, active=True))
    for objective in active:
        objective.deactivate()
    try:
        program, reader = compile_model(model), BodyReader(_variables(model))
    finally:
        for objective in active:
            objective.activate()
    objectives = list[tuple[FloatArray, float, int, str]]()
    for place, part in enumerate(parts, 1):
        if isinstance(part, Mapping):
            cost = vector_of(model, part, component_names(model)[0], "cost", 0.0)
            objectives.append((cost, 0.0, 1, ""))
            continue
        is_objective = getattr(part, "ctype", None) is pyo.Objective
        title = part.name if hasattr(part, "ctype") else ""
        name = title or f"objective {place}"
        if not hasattr(part, "is_expression_type") or getattr(part, "is_indexed", bool)():
            raise OptionError(f"{name} is {part!r}: expected a linear expression, or a mapping")
        body = reader.read(part.expr if is_objective else part, SimpleNamespace(name=name))
        if body.quadratic:
            raise CapabilityError(f"{name} is not linear")
        cost = np.zeros(reader.size)
        np.add.at(cost, body.columns, body.coefficients)
        sense = -1 if is_objective and part.sense == pyo.maximize else 1
        objectives.append((cost, body.constant, sense, title))
    return program, objectives


def vector_of(
    model: Any,
    values: Mapping[Any, float] | FloatArray,
    names: Sequence[str],
    noun: str,
    missing: float | None = None,
) -> FloatArray:
    """The values in the order of the names, from an array or from a mapping by name or component.

    A name without a value has ``missing``, if this is a number. Raises OptionError for a missing or
    non-finite value, or an unknown name.
    """
    if isinstance(values, np.ndarray) and values.shape == (len(names),):
        if values.dtype == np.float64 and np.isfinite(values).all():
            return values.copy()
        values = dict(zip(names, values.tolist(), strict=True))
    if not isinstance(values, Mapping):
        raise OptionError(
            f"{noun}s {values!r}: expected a mapping by name or component, or an array of "
            f"{len(names)} numbers"
        )
    names = [plain_name(name) for name in names]
    by_name = {plain_name(getattr(key, "name", str(key))): value for key, value in values.items()}
    to = matched(by_name, names)[0]
    by_name = {to[name]: value for name, value in by_name.items()}
    # a model may hold fixed variables and inactive rows, which are not in the program
    unknown = by_name.keys() - set(names)
    if unknown and hasattr(model, "component_data_objects"):
        parts = model.component_data_objects((pyo.Var, pyo.Constraint))
        unknown -= {plain_name(part.name) for part in parts}
    if unknown:
        name = min(unknown)
        similar = [*(other for other in names if other.startswith(f"{name}[")), *names][:1]
        hint = f": expected one such as {similar[0]}" if similar else ""
        raise OptionError(f"{name} has a {noun}, and the program has no such name{hint}")
    vector = np.empty(len(names))
    for i, name in enumerate(names):
        entry = by_name.get(name, missing)
        number = entry if entry is missing else finite_number(entry)
        if number is None:
            problem = f"no {noun}" if entry is None else f"the {noun} {entry!r}"
            raise OptionError(f"{name} has {problem}, expected a finite number")
        vector[i] = number
    return vector


def ends_of(
    low: Sequence[float | None], high: Sequence[float | None], factors: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds (k,), (k,) from numbers or None.

    A number is infinite if its absolute value is at least 1e20, both before and after
    multiplication by ``factors`` (k,).
    """
    lower = np.array([-math.inf if end is None else end for end in low], dtype=np.float64)
    upper = np.array([math.inf if end is None else end for end in high], dtype=np.float64)
    limit = INFINITE / np.minimum(factors, 1.0)
    lower[lower <= -limit] = -math.inf
    upper[upper >= limit] = math.inf
    return lower, upper


@dataclass(frozen=True, kw_only=True)
class LinearRow:
    """A linear row: lower <= coefficients'x[columns] <= upper."""

    columns: NDArray[np.int64]
    coefficients: FloatArray
    lower: float
    upper: float

    def matrix(self, n: int) -> sparse.csr_array:
        """The coefficients as a (1, n) matrix."""
        place = np.zeros_like(self.columns), self.columns
        return sparse.csr_array(sparse.coo_array((self.coefficients, place), shape=(1, n)))

    def over(self, variables: list[Any]) -> Any:
        """The row as a Pyomo inequality in ``variables``. These are in the order of the columns."""
        from pyomo.core.expr.numeric_expr import LinearExpression

        body = LinearExpression(
            linear_coefs=self.coefficients.tolist(),
            linear_vars=[variables[j] for j in self.columns.tolist()],
        )
        sides = [side if math.isfinite(side) else None for side in (self.lower, self.upper)]
        return sides[0], body, sides[1]


def read_row(variables: list[Any], expression: Any, name: str) -> LinearRow:
    """Convert a Pyomo inequality or equality in the given variables to a row.

    Raises CapabilityError for a nonlinear row or another variable, and DataError for non-finite
    numbers.
    """
    from pyomo.core.expr.relational_expr import RelationalExpression

    from radprog.solvers.bodies import BodyReader

    if not isinstance(expression, (RelationalExpression, tuple)):
        shown = getattr(expression, "name", repr(expression))
        raise CapabilityError(f"{name} is {shown}: expected an inequality in variables, as x <= 1")
    # Pyomo itself splits an inequality into sides and body
    holder = pyo.Constraint(expr=expression)
    try:
        holder.construct()
        lower, body, upper = holder.to_bounded_expression(evaluate_bounds=True)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: {error}") from None
    row = BodyReader(variables).read(body, SimpleNamespace(name=name))
    if row.quadratic:
        raise CapabilityError(f"{name} is not linear")
    constant = row.constant
    return LinearRow(
        columns=np.array(row.columns, dtype=np.int64),
        coefficients=np.array(row.coefficients),
        lower=(-math.inf if lower is None else lower) - constant,
        upper=(math.inf if upper is None else upper) - constant,
    )


def variables_and_rows(model: pyo.ConcreteModel) -> tuple[list[Any], list[Any]]:
    """Pyomo's variables and constraints, in the order of the columns and rows."""
    return _variables(model), _constraints(model)


def component_names(model: pyo.ConcreteModel) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Pyomo's names of the columns and of the rows, in the order of the compiled program."""
    return (tuple(names_of(_variables(model))), tuple(names_of(_constraints(model))))


def scaling_of(
    model: pyo.ConcreteModel, unfixed: list[Any] | None = None, constraints: list[Any] | None = None
) -> Scaling:
    """The factors of columns, rows and objective in the suffix ``scaling_factor``, by default 1.

    They are in the order of the compiled program, whose variables and rows may be given. Raises
    DataError unless all factors are positive numbers.
    """
    objectives = list(model.component_data_objects(pyo.Objective, active=True))[:1]
    parts = (unfixed or _variables(model), constraints or _constraints(model), objectives)
    scaled = any(suffix.local_name == SCALING for suffix in model.component_objects(pyo.Suffix))
    if not scaled:
        columns, rows, objective = (np.ones(len(part)) for part in parts)
    else:
        from pyomo.core.base.suffix import SuffixFinder

        finder = SuffixFinder(SCALING, 1.0, context=model)
        factors = [[finder.find(component) for component in part] for part in parts]
        pairs = zip(itertools.chain(*parts), itertools.chain(*factors), strict=True)
        for component, factor in pairs:
            if not (isinstance(factor, int | float) and 0.0 < factor < math.inf):
                raise DataError(
                    f"{SCALING} of {component.name} is {factor!r}, not a positive number"
                )
        columns, rows, objective = (np.array(part, dtype=np.float64) for part in factors)
    return Scaling(columns, rows, float(objective[0]) if objectives else 1.0)


def load_solution(model: pyo.ConcreteModel, program: Program, solution: Solution) -> None:
    """Load a solution of ``program = compile_model(model)`` into the model.

    The variables receive their values. The suffix ``dual`` receives the derivative of the model's
    objective with respect to the binding bound of each constraint (``constraint.lower`` or
    ``.upper``). The suffix ``rc`` receives the same for the bounds of variables. A binding >= thus
    has a dual >= 0 in a minimisation, and a dual <= 0 in a maximisation. Missing suffixes are
    added. If the solver returns no duals, the suffixes are cleared.
    """
    if solution.x is None:
        raise SolverError(f"no point to load: {solution.solver} says {solution.status}")
    if len(_constraints(model)) != program.row_lower.size:
        raise OptionError(CHANGED)
    load_values(model, np.where(program.integer, np.rint(solution.x), solution.x))
    load_duals(model, solution.row_duals, solution.reduced_costs, program.sense)


def load_values(model: pyo.ConcreteModel, x: FloatArray) -> None:
    """Load a point (n,) of the compiled model into its variables.

    Raises OptionError if the model has another number of variables now.
    """
    variables = _variables(model)
    if len(variables) != len(x):
        raise OptionError(CHANGED)
    for variable, value in zip(variables, x.tolist(), strict=True):
        is_whole = value.is_integer() and variable.is_integer()
        variable.set_value(int(value) if is_whole else value, skip_validation=True)


def load_duals(
    model: pyo.ConcreteModel,
    row_duals: FloatArray | None,
    reduced_costs: FloatArray | None,
    sense: int,
) -> None:
    """Load multipliers (m,), (n,) of the minimisation into the suffixes of a model.

    ``sense`` is the model's sense of optimisation. See :func:`load_solution`.
    """
    variables, constraints = variables_and_rows(model)
    _fill_suffix(model, "dual", constraints, row_duals, sense)
    _fill_suffix(model, "rc", variables, reduced_costs, sense)


def sense_of_model(model: pyo.ConcreteModel) -> int:
    """The number -1 if the model maximises, and 1 if it minimises."""
    objective = next(model.component_data_objects(pyo.Objective, active=True), None)
    return -1 if objective is not None and objective.sense == pyo.maximize else 1


def _fill_suffix(
    model: pyo.ConcreteModel, name: str, keys: list[Any], values: FloatArray | None, sense: int
) -> None:
    suffix = model.component(name)
    if suffix is None:
        if values is None:
            return
        suffix = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        model.add_component(name, suffix)
    elif suffix.ctype is not pyo.Suffix:
        raise OptionError(
            f"the model's {name!r} is not a Suffix: rename it to receive {name} values"
        )
    suffix.clear()
    if values is not None:
        suffix.update(zip(keys, (sense * values + 0.0).tolist(), strict=True))


def _variables(model: pyo.ConcreteModel) -> list[Any]:
    """Unfixed variables in order of declaration."""
    return [v for v in model.component_data_objects(pyo.Var, active=True) if not v.fixed]


def _constraints(model: pyo.ConcreteModel) -> list[Any]:
    """Active constraints in order of declaration. Raises an error for constraints that are not
    plain algebra.
    """
    from pyomo.repn.util import categorize_valid_components

    # components of other kinds must be transformed first
    known = {
        *(pyo.Var, pyo.Param, pyo.Set, pyo.RangeSet, pyo.Expression, pyo.Constraint, pyo.Objective),
        *(pyo.Suffix, pyo.Block, pyo.BuildAction, pyo.BuildCheck),
    }
    _, refused = categorize_valid_components(model, active=True, valid=known)
    refused[pyo.Connector] = list(model.component_objects(pyo.Connector))  # of no category
    names = ", ".join(c.name for kind in refused.values() for c in kind[:3])
    if names:
        raise CapabilityError(
            f"only variables, constraints and one objective are read, not {names}: write them so, "
            "as Pyomo's transformations gdp.bigm, core.logical_to_linear, network.expand_arcs and "
            "core.expand_connectors, and pw_repn='INC', do"
        )
    return list(model.component_data_objects(pyo.Constraint, active=True))


def _objective(
    model: pyo.ConcreteModel, reader: BodyReader
) -> tuple[FloatArray, float, int, sparse.csc_array | None]:
    """(cost, constant, sense, quadratic) of the single active objective, as a minimisation."""
    objectives = list(model.component_data_objects(pyo.Objective, active=True))
    cost = np.zeros(reader.size)
    if not objectives:
        return cost, 0.0, 1, None
    if len(objectives) > 1:
        names = ", ".join(objective.name for objective in objectives)
        raise CapabilityError(
            f"one active objective is needed, not {names}: rp.front trades two of them off"
        )
    objective = objectives[0]
    sense = -1 if objective.sense == pyo.maximize else 1
    body = reader.read(objective.expr, objective)
    np.add.at(cost, body.columns, sense * np.array(body.coefficients))
    terms = [(i, j, sense * value) for i, j, value in body.quadratic]
    return cost + 0.0, sense * body.constant + 0.0, sense, _symmetric(terms, reader.size)


def _symmetric(terms: list[tuple[int, int, float]], n: int) -> sparse.csc_array | None:
    """Q with 1/2 x'Qx = the sum of c x_i x_j over (i, j, c); None if it is 0."""
    if not terms:
        return None
    i, j, value = (np.array(part) for part in zip(*terms, strict=True))
    matrix = sparse.coo_array(
        (np.tile(value, 2), (np.concatenate((i, j)), np.concatenate((j, i)))), shape=(n, n)
    ).tocsc()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix if matrix.nnz else None


def names_of(components: Iterable[Any]) -> list[str]:
    """Pyomo's names of the components, of which those of a parent begin with one string."""
    from pyomo.core.base.component_namer import index_repr

    names, parents = [], dict[int, str]()
    for component in components:
        parent = component.parent_component()
        if parent is component:
            names.append(plain_name(component.name))
        else:
            if id(parent) not in parents:
                parents[id(parent)] = plain_name(parent.name + "[")  # keeps its quotes
            index = component.index()
            number = f"{index}]" if index.__class__ is int else plain_name(index_repr(index)[1:])
            names.append(parents[id(parent)] + number)
    return names


def plain_name(name: str) -> str:
    """A component's name without the blanks that Pyomo may write between the parts of an index, and
    without the quotes that it writes around a name such as x(1).
    """
    if name.count("'") == 2 and name[0] == name[-1] == "'":
        name = name[1:-1]
    return name.replace(", ", ",")


def _label(name: str) -> str:
    """``margin[3]`` as ``margin(3)`` and ``u[2,5]`` as ``u(2.5)``, including names in blocks."""
    return name.replace("[", "(").replace("]", ")").replace(",", ".")
