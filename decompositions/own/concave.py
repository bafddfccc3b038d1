"""Marked concave parts of a Pyomo model, and the model with variables in place of these parts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.base.expression import ScalarExpression
from pyomo.core.base.var import ScalarVar, VarData
from pyomo.core.expr.numeric_expr import LinearExpression, UnaryFunctionExpression
from pyomo.core.expr.relational_expr import RelationalExpression
from pyomo.core.expr.visitor import ExpressionReplacementVisitor
from scipy import sparse

from radprog.base.errors import (
    CapabilityError,
    ConvexityError,
    NonlinearError,
    OptionError,
    SolverError,
)
from radprog.base.tolerances import (
    CLAIM_TOLERANCE,
    FREE_SLACK,
    LEEWAY,
    ROW_ROUNDING,
)
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.drivers.exchange import Cuts
from radprog.decompositions.drivers.masters import NewColumns, extend_program
from radprog.decompositions.own.result import clone_of
from radprog.solvers.bodies import BodyReader, named_in, nodes_in
from radprog.solvers.compile import check_model, compile_model, variables_and_rows
from radprog.solvers.convexity import negative_eigenvalue
from radprog.solvers.derivatives import Smooth
from radprog.solvers.program import Program
from radprog.solvers.violations import bound_scale, row_sizes

UNMARKED = {int, float, LinearExpression, ScalarVar, VarData}  # what holds no named expression


class ConcavePart(ScalarExpression):  # type: ignore[misc]
    """A named Pyomo expression marked by :func:`radprog.concave` as concave in the variables.

    The expression is a term of an objective or a constraint.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(initialize=3.0)
    >>> part = rp.concave(-4 * abs(model.x - 1))
    >>> isinstance(part, rp.ConcavePart), pyo.value(part)
    (True, -8.0)
    """


def concave(expression: Any) -> ConcavePart:
    """Mark a concave part of a program for :func:`dca`.

    The part is a term of a minimised objective or of a constraint ``body <= number``: ``model.f =
    pyo.Objective(expr=model.x**2 + rp.concave(-abs(model.x - 1)))``.

    In a maximisation problem or in ``body >= number``, subtract the marked part. :func:`dca` raises
    RadprogError if a marked part is not concave, is not a term of a sum, or occurs in an equality.

    Parameters
    ----------
    expression : Pyomo expression
        Any expression that Pyomo can differentiate. For ``abs``, a subgradient is used at 0.

    Returns
    -------
    ConcavePart
        The marked expression.

    Raises
    ------
    OptionError
        If ``expression`` is not a Pyomo expression.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(-3, 3), initialize=2.0)
    >>> model.f = pyo.Objective(expr=model.x**2 + rp.concave(-4 * abs(model.x - 1)))
    >>> rp.dca(model, starts=2).certified  # critical points have no bound
    False
    """
    part = ConcavePart(expr=0.0)
    part.construct()
    with suppress(TypeError, ValueError, KeyError, AttributeError):
        if expression is not None:
            part.set_value(expression)
            return part
    kind = type(expression).__name__
    raise OptionError(f"concave: {kind} is given, expected a Pyomo expression")


class ConcaveParts:
    """The marked parts c(x) (k,) as functions of x (n,), with values and slopes (k, n).

    A quadratic part is read only once, as c_k = constant_k + L_k'x + sum of a x_i x_j.
    """

    def __init__(
        self, marks: Sequence[Any], names: Sequence[str], variables: Sequence[Any]
    ) -> None:
        self.names = names
        place = {id(variable): j for j, variable in enumerate(variables)}
        self.constant = np.zeros(len(marks))
        self.linear = np.zeros((len(marks), len(variables)))
        self.general: list[tuple[int, Smooth]] = []
        squares: list[tuple[int, int, int, float]] = []
        reader = BodyReader(list(variables))
        for k, mark in enumerate(marks):
            # quadratic parts become matrices; others keep their algebra and its derivatives
            try:
                quadratic = (
                    None
                    if any(
                        isinstance(node, UnaryFunctionExpression) for node in nodes_in(mark.expr)
                    )
                    else reader.read(mark.expr, mark)
                )
            except NonlinearError:
                quadratic = None
            if quadratic is None:
                self.general.append((k, Smooth(mark.expr, place)))
                continue
            self.constant[k] = quadratic.constant
            np.add.at(self.linear[k], quadratic.columns, quadratic.coefficients)
            squares += [(k, i, j, value) for i, j, value in quadratic.quadratic]
        triples = np.array([item[:3] for item in squares], dtype=np.intp).reshape(-1, 3)
        self.k, self.i, self.j = triples.T
        self.a = np.array([item[3] for item in squares], dtype=np.float64)

    def values(self, x: FloatArray) -> FloatArray:
        """The values c(x) (k,). The value is NaN if a part is not defined at x."""
        values = self.constant + self.linear @ x
        values += np.bincount(self.k, self.a * x[self.i] * x[self.j], minlength=len(values))
        point = x.tolist() if self.general else []
        for k, part in self.general:
            values[k] = part.value(point)
        return values

    def slopes(self, x: FloatArray) -> FloatArray:
        """The slopes c'(x) (k, n). A slope that is not defined is NaN or infinite.

        The slope of |u| at 0 is 0.
        """
        slopes = self.linear.copy()
        np.add.at(slopes, (self.k, self.i), self.a * x[self.j])
        np.add.at(slopes, (self.k, self.j), self.a * x[self.i])
        point = x.tolist() if self.general else []
        for k, part in self.general:
            slopes[k, list(part.columns)] = part.gradient(point)
        return slopes

    def check_quadratic(self) -> None:
        """Raise ConvexityError if a quadratic part is not concave."""
        n = self.linear.shape[1]
        for k in np.unique(self.k).tolist():
            part = self.k == k
            # concave: the negated second derivative has no negative eigenvalue
            half = sparse.coo_array((self.a[part], (self.i[part], self.j[part])), shape=(n, n))
            eigenvalue = negative_eigenvalue(sparse.csc_array(-(half + half.T)))
            if eigenvalue is not None:
                raise ConvexityError(
                    f"{self.names[k]} is marked as concave, and is not: its second derivative is "
                    f"{-eigenvalue:.6g} along a line"
                )

    def fault_between(self, u: FloatArray, v: FloatArray) -> str:
        """An error message if a part is not concave between u and v (n,), otherwise "".

        The value of such a part at the midpoint is below the mean of its values at u and v by more
        than the rounding errors.
        """
        # midpoint concavity along one line
        points = [x.tolist() for x in (u, (u + v) / 2.0, v)]
        for k, part in self.general:
            left, middle, right = (part.value(point) for point in points)
            size = max(1.0, abs(left), abs(middle), abs(right))
            if (left + right) / 2.0 - middle > 1e-6 * size:
                return (
                    f"{self.names[k]} is marked as concave, and is not: {middle:.6g} between two "
                    f"points where it is {left:.6g} and {right:.6g}: {_shown(points[0], part)} and "
                    f"{_shown(points[2], part)}"
                )
        return ""


def _shown(point: Sequence[float], part: Smooth) -> str:
    """The values of the first variables of a part at a point, as a string."""
    shown = ", ".join(f"{point[j]:.6g}" for j in part.columns[:5])
    return f"({shown}, ...)" if len(part.columns) > 5 else f"({shown})"


@dataclass(frozen=True)
class SplitPoint:
    """The point z = (x, c(x), s) with the smallest slack s that satisfies the rows.

    ``objective`` excludes the penalty on slack. ``loose`` is the sum of the slack beyond the free
    amount. ``violation`` is relative to the right-hand sides of rows and to the bounds.
    """

    z: FloatArray
    objective: float
    loose: float
    slack: float
    violation: float


@dataclass
class ConcaveSplit:
    """A model, as a minimisation problem, in which a free variable t_k replaces the concave part k:

        min g(x, t) + price sum_i s_i   s.t.  rows of (x, t), those with a t_k loosened by s_i >= 0

    This program is convex. With t_k = c_k(x) and s = 0 it is the original model. ``program``
    contains its matrices over (x, t, s). ``own``, ``parts`` and ``slack`` contain the positions of
    x, t and s. ``loose`` marks the rows that contain a t_k.
    """

    model: pyo.ConcreteModel
    program: Program
    marks: list[Any]
    names: list[str]
    variables: list[Any]
    columns: slice
    parts: slice
    slack: slice
    loose: BoolArray

    def __post_init__(self) -> None:
        self.concave = ConcaveParts(self.marks, self.names, self.variables)
        # the box in which points are drawn, within 10 of a bound where there is no other
        lower, upper = self.program.lower[self.columns], self.program.upper[self.columns]
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0) - 10.0)
        high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower, 0.0) + 10.0)
        self.box = low, np.maximum(low, high)  # crossed bounds: no step has a point
        self.inside = np.random.default_rng(0).uniform(*self.box)
        # a violation is measured in units of its row or bound, which do not change (60 starts of 10
        # variables: 0.58 s, and 0.85 by relative_violation)
        program, sides = self.program, (self.program.row_lower, self.program.row_upper)
        sizes = LEEWAY * row_sizes(program, np.zeros_like(program.cost))
        self.sizes = abs(program.rows)
        self.row_scales = tuple(bound_scale(side, sizes) for side in sides)
        self.column_scales = tuple(bound_scale(side) for side in (program.lower, program.upper))
        # points are requested repeatedly at the same x
        self._point = lru_cache(64)(lambda x: self.point_at(np.frombuffer(x)))

    def values(self, x: FloatArray) -> FloatArray:
        """The values c(x) (k,) at x (n,). Raises SolverError for a part that is not defined at
        x.
        """
        values = self.concave.values(x)
        undefined = np.flatnonzero(~np.isfinite(values))
        if len(undefined):
            raise SolverError(
                f"the concave part {self.names[undefined[0]]} has no value at a point: bound its "
                "variables away from there"
            )
        return values

    def point(self, x: FloatArray) -> SplitPoint:
        """The point (x, c(x), s) with the smallest slack s that satisfies the rows, and its
        values."""
        return self._point(x.tobytes())

    def point_at(self, x: FloatArray) -> SplitPoint:
        """:meth:`point`, computed anew."""
        program, loose = self.program, self.loose
        z = np.zeros(program.cost.size)
        z[self.columns], z[self.parts] = x, self.values(x)
        # the least slack that meets the rows with concave parts
        body = program.activity(z)[loose]
        excess = np.maximum(program.row_lower[loose] - body, body - program.row_upper[loose])
        slack = z[self.slack] = np.maximum(0.0, excess)
        penalised = float(np.maximum(0.0, slack - 2.0 * FREE_SLACK).sum())
        value, largest = program.objective(z), float(slack.max(initial=0.0))
        return SplitPoint(z, value, penalised, largest, self.violation(z))

    def violation(self, z: FloatArray) -> float:
        """The :func:`radprog.solvers.answer.relative_violation` of z, without the violation of
        integrality.

        Row violations are relative to the sizes of the rows at z = 0, with the tolerance of
        solvers.
        """
        program, activity = self.program, self.program.activity(z)
        noise = ROW_ROUNDING * (self.sizes @ np.abs(z))
        excess = (
            (program.row_lower - activity - noise) / self.row_scales[0],
            (activity - program.row_upper - noise) / self.row_scales[1],
            (program.lower - z) / self.column_scales[0],
            (z - program.upper) / self.column_scales[1],
        )
        return max([0.0, *(float(part.max()) for part in excess if part.size)])

    def tangents(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes (k, n) and offsets (k,) of the tangents t_k = offset_k + slope_k'x at x (n,).

        If a part has no derivative at x, its tangent at a nearby point in the direction of
        ``inside`` is used. This tangent also lies above the part. Raises SolverError if the part
        has no derivative there either.
        """
        slopes = self.concave.slopes(x)
        offsets = self.concave.values(x) - slopes @ x
        # shares of the way inside from a point without derivative
        for share in (1e-16, 1e-12, 1e-8, 1e-4, None):
            undefined = ~(np.isfinite(slopes).all(axis=1) & np.isfinite(offsets))
            if not undefined.any():
                return slopes, offsets
            if share is not None:
                nearby = x + share * (self.inside - x)
                slopes[undefined] = self.concave.slopes(nearby)[undefined]
                offsets[undefined] = (self.concave.values(nearby) - slopes @ nearby)[undefined]
        raise SolverError(f"{self.names[int(undefined.argmax())]} has no derivative at a point")

    def check_concave(self) -> None:
        """Raise ConvexityError if a part is not concave.

        Quadratic parts are checked through their matrices. Other parts are checked along random
        lines between points that satisfy the bounds and the convex rows.
        """
        self.concave.check_quadratic()
        if not self.concave.general:
            return
        # random lines, shorter and shorter: far points seldom meet the rows
        rng = np.random.default_rng(0)
        for reach in np.geomspace(1.0, 1e-2, 64).tolist():
            u, target = rng.uniform(*self.box, size=(2, len(self.inside)))
            v = u + reach * (target - u)
            message = self.concave.fault_between(u, v)
            if message and self.holds(u) and self.holds(v):
                raise ConvexityError(message)

    def holds(self, x: FloatArray) -> bool:
        """Whether x (n,) satisfies the bounds and the rows without concave parts."""
        try:
            return self.point(x).violation <= CLAIM_TOLERANCE
        except SolverError:
            return False

    def step(self, x: FloatArray, price: float) -> Program:
        """The convex program in which every t_k is replaced by its tangent at x (n,). The penalty
        per unit of slack is ``price``.
        """
        slopes, offsets = self.tangents(x)
        # rows t_k - slope_k'x = offset_k beside those of the split program
        k, n = slopes.shape
        matrix = sparse.hstack(
            [
                sparse.csr_array(-slopes),
                sparse.eye_array(k),
                sparse.csr_array((k, self.program.cost.size - n - k)),
            ],
            format="csr",
        )
        cost = self.program.cost.copy()
        cost[self.slack] = price
        names = tuple(f"tangent({i})" for i in range(k))
        rows = Cuts(sparse.csr_array(matrix), offsets, offsets, names)
        room = np.where(self.loose, FREE_SLACK, 0.0)
        low, high = self.program.row_lower - room, self.program.row_upper + room
        program = replace(self.program, cost=cost, row_lower=low, row_upper=high)
        return extend_program(program, rows)

    def tangent_model(self, x: FloatArray) -> pyo.ConcreteModel:
        """The convex subproblem at x (n,) as a Pyomo model. ``concave[k]`` is the variable for part
        k.
        """
        slopes, offsets = self.tangents(x)
        # marks become variables in a copy of the model
        model, marks = _copy_marked(self.model, self.marks)
        variables = variables_and_rows(model)[0]
        parts = pyo.Var(pyo.RangeSet(0, len(marks) - 1))
        model.add_component(unique_component_name(model, "concave"), parts)
        exchanged = {id(mark): parts[k] for k, mark in enumerate(marks)}
        visitor = ExpressionReplacementVisitor(substitute=exchanged, remove_named_expressions=True)
        for row in model.component_data_objects(pyo.Constraint, active=True):
            if _marks_in(row.body):
                row.set_value((row.lower, visitor.walk_expression(row.body), row.upper))
        for objective in model.component_data_objects(pyo.Objective, active=True):
            objective.set_value(visitor.walk_expression(objective.expr))
        rows = pyo.Constraint(
            pyo.RangeSet(0, len(marks) - 1),
            rule=lambda _, k: (
                parts[k]
                - sum(slopes[k, j] * variables[j] for j in np.flatnonzero(slopes[k]).tolist())
                == offsets[k]
            ),
        )
        model.add_component(unique_component_name(model, "tangent"), rows)
        values = np.concatenate([x, offsets + slopes @ x])
        for variable, value in zip([*variables, *parts.values()], values.tolist(), strict=True):
            variable.set_value(value, skip_validation=True)
        return model


def split_concave(model: pyo.ConcreteModel) -> ConcaveSplit:
    """The model with variables in place of its marked parts. The original is left unchanged.

    Raises OptionError if no part is marked, or if a mark is not a concave part of a minimisation
    problem. The latter includes marks in an equality, in a ranged constraint or in another mark,
    and a mark times a negative number in ``<=``. Raises CapabilityError if the remaining program is
    not quadratic.
    """
    check_model(model)
    # distinct marks in objectives, and in bodies and sides of constraints
    marked: dict[int, Any] = {}
    for holder in model.component_data_objects((pyo.Constraint, pyo.Objective), active=True):
        row = isinstance(holder.expr, RelationalExpression)
        for side in holder.expr.args if row else [holder.expr]:
            if side.__class__ not in UNMARKED:
                marked |= {id(mark): mark for mark in _marks_in(side)}
    if not marked:
        raise OptionError("no part of the model is marked: write rp.concave(expression)")
    marks = list(marked.values())
    names = [
        f"concave_part_{i}" if mark.parent_block() is None else mark.name
        for i, mark in enumerate(marks, start=1)
    ]
    for mark, name in zip(marks, names, strict=True):
        if _marks_in(mark.expr):
            raise OptionError(f"{name} holds another mark: mark the whole")
    # the program with a variable for every mark
    parts = pyo.Var(pyo.RangeSet(0, len(marks) - 1), name="concave")
    parts.construct()
    program = compile_model(model, {id(mark): parts[k] for k, mark in enumerate(marks)})
    if program.integer.any():
        raise CapabilityError("the model has integer variables: dca needs continuous ones")
    k = len(marks)
    n = program.cost.size - k
    # slack for the rows that hold a mark
    loose = _check_rows(program, slice(n, n + k), names)
    size = int(loose.sum())
    sides = np.where(np.isfinite(program.row_upper[loose]), -1.0, 1.0)
    place = np.flatnonzero(loose), np.arange(size)
    matrix = sparse.csc_array((sides, place), shape=(len(loose), size))
    zero, slacks = np.zeros(size), tuple(f"slack({i})" for i in range(size))
    program = extend_program(program, NewColumns(matrix, zero, zero, np.full(size, np.inf), slacks))
    ends = slice(0, n), slice(n, n + k), slice(n + k, n + k + size)
    return ConcaveSplit(model, program, marks, names, variables_and_rows(model)[0], *ends, loose)


def _marks_in(expression: Any) -> list[Any]:
    return [node for node in named_in(expression) if isinstance(node, ConcavePart)]


def _copy_marked(model: pyo.ConcreteModel, marks: list[Any]) -> tuple[pyo.ConcreteModel, list[Any]]:
    """A copy of the model and its marks. Marks outside the model are added to it for the copy."""
    # Pyomo copies only components of a block
    added = [mark for mark in marks if mark.parent_block() is None]
    for i, mark in enumerate(added):
        model.add_component(unique_component_name(model, f"concave_part_{i + 1}"), mark)
    try:
        names = [mark.name for mark in marks]
        copy = clone_of(model)
        return copy, [copy.find_component(name) for name in names]
    finally:
        for mark in added:
            model.del_component(mark)


def _check_rows(program: Program, parts: slice, names: list[str]) -> BoolArray:
    """The mask of rows with a marked part. Raises OptionError if the part is not concave there."""
    matrices = [program.quadratic, *program.quadratic_rows.values()]
    for matrix in matrices:
        if matrix is not None and matrix.indptr[parts.stop] > matrix.indptr[parts.start]:
            raise OptionError("a concave part is multiplied by a variable: only numbers may be")
    # a concave part times a negative number is convex
    for k, cost in enumerate(program.cost[parts].tolist()):
        if cost < 0.0:
            raise OptionError(
                f"{names[k]} enters the minimised objective times {cost:g}: it is convex there"
            )
    indptr, data = program.rows.indptr, program.rows.data
    inside = program.rows.indices >= parts.start
    loose = np.zeros(len(indptr) - 1, dtype=np.bool_)
    loose[np.repeat(np.arange(len(loose)), np.diff(indptr))[inside]] = True
    for row in np.flatnonzero(loose):
        part = slice(indptr[row], indptr[row + 1])
        # the part must be concave in a row, too, and the row needs one side
        entries = data[part][inside[part]]
        low, high = np.isfinite(program.row_lower[row]), np.isfinite(program.row_upper[row])
        name = program.row_names[row]
        if low and high:
            kind = "an equality" if program.row_lower[row] == program.row_upper[row] else "a range"
            raise OptionError(f"{name} is {kind}: a concave part needs one side, body <= number")
        if (entries < 0).any() if high else (entries > 0).any():
            raise OptionError(
                f"{name}: the marked part makes it convex as it stands; leave the mark out, or turn"
                " the sign"
            )
    return np.asarray(loose)
