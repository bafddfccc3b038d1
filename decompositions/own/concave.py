"""Marks of the concave parts of a Pyomo model, and the model in which they are variables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.base.expression import ScalarExpression
from pyomo.core.base.var import ScalarVar, VarData
from pyomo.core.expr.numeric_expr import LinearExpression
from pyomo.core.expr.relational_expr import RelationalExpression
from pyomo.core.expr.visitor import ExpressionReplacementVisitor
from scipy import sparse

from radprog.base.errors import CapabilityError, ConvexityError, OptionError, SolverError
from radprog.base.tolerances import CLAIM_TOLERANCE, FREE_SLACK
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.drivers.exchange import Cuts
from radprog.decompositions.drivers.live import NewColumns, grown
from radprog.decompositions.own.concave_parts import ConcaveParts
from radprog.decompositions.own.points import POINTS_KEPT, SplitPoint, SplitPoints
from radprog.decompositions.own.result import clone_of
from radprog.solvers.bodies import named_in
from radprog.solvers.compile import check_model, compile_model, variables_and_rows
from radprog.solvers.program import Program

NUDGES = (1e-16, 1e-12, 1e-8, 1e-4)  # shares of the way inside from a point without derivative

DRAW = 10.0  # points are drawn within this distance where a variable has no bounds
LINES = 64  # on which parts are compared with the middle of their values
UNMARKED = {int, float, LinearExpression, ScalarVar, VarData}  # what holds no named expression


class ConcavePart(ScalarExpression):  # type: ignore[misc]
    """A named Pyomo expression that :func:`concave` marked as concave in the model's variables: a
    term of an objective or a constraint."""


def concave(expression: Any) -> ConcavePart:
    """Mark a concave part of a minimised objective, or of a constraint ``body <= number``, for
    :func:`dca`: ``model.f = pyo.Objective(expr=model.x**2 + rp.concave(-abs(model.x - 1)))``.

    In a maximisation, or in ``body >= number``, it is a part that is subtracted. Any expression
    that Pyomo differentiates is taken, ``abs`` with one of its subgradients. :func:`dca` raises
    RadprogError where a mark is no term of a sum, stands in an equality, or is not concave.
    OptionError for what is no expression.
    """
    part = ConcavePart(expr=0.0)
    part.construct()
    with suppress(TypeError, ValueError, KeyError, AttributeError):
        if expression is not None:
            part.set_value(expression)
            return part
    kind = type(expression).__name__
    raise OptionError(f"concave: {kind} is given, expected a Pyomo expression")


@dataclass
class ConcaveSplit:
    """A model whose concave part k is the free variable t_k, as a minimisation:

        min g(x, t) + price sum_i s_i   s.t.  rows of (x, t), those with a t_k loosened by s_i >= 0

    convex, and with t_k = c_k(x) and s = 0 the model itself. ``program``: its matrices over
    (x, t, s); ``own``, ``parts``, ``slack``: where these stand; ``loose``: rows with a t_k.
    """

    model: pyo.ConcreteModel
    program: Program
    marks: list[Any]
    names: list[str]
    variables: list[Any]
    own: slice
    parts: slice
    slack: slice
    loose: BoolArray

    def __post_init__(self) -> None:
        self.concave = ConcaveParts(self.marks, self.names, self.variables)
        self.points = SplitPoints(self.program, self.own, self.parts, self.slack, self.loose)
        self._known: dict[bytes, FloatArray] = {}
        lower, upper = self.program.lower[self.own], self.program.upper[self.own]
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0) - DRAW)
        high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower, 0.0) + DRAW)
        self.box = low, np.maximum(low, high)  # crossed bounds: no step has a point
        self.inside = np.random.default_rng(0).uniform(*self.box)

    def values(self, x: FloatArray) -> FloatArray:
        """c(x) (k,) at x (n,); SolverError where a part has no value there."""
        found = self._known.get(key := x.tobytes())
        if found is None:
            if len(self._known) >= POINTS_KEPT:
                self._known.clear()
            found = self._known[key] = self.concave.values(x)
        bad = np.flatnonzero(~np.isfinite(found))
        if len(bad):
            raise SolverError(f"the concave part {self.names[bad[0]]} has no value at a point")
        return found

    def tangents(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes (k, n) and offsets (k,) of the tangents at x (n,), t_k = offset_k + slope_k'x.

        A part without a derivative at x has its tangent at a point beside it, towards ``inside``:
        it lies above the part all the same. SolverError where there is none either.
        """
        slopes = self.concave.slopes(x)
        offsets = self.concave.values(x) - slopes @ x
        for step in NUDGES:
            bad = ~(np.isfinite(slopes).all(axis=1) & np.isfinite(offsets))
            if not bad.any():
                return slopes, offsets
            beside = x + step * (self.inside - x)
            slopes[bad] = self.concave.slopes(beside)[bad]
            offsets[bad] = (self.concave.values(beside) - slopes @ beside)[bad]
        bad = ~(np.isfinite(slopes).all(axis=1) & np.isfinite(offsets))
        if bad.any():
            raise SolverError(f"{self.names[int(bad.argmax())]} has no derivative at a point")
        return slopes, offsets

    def check_concave(self) -> None:
        """Raise ConvexityError where a part is not concave: quadratic ones by their matrices,
        others along random lines between points that meet the bounds and the convex rows."""
        self.concave.check_quadratic()
        if not self.concave.general:
            return
        rng = np.random.default_rng(0)
        for reach in np.geomspace(1.0, 1e-2, LINES).tolist():
            u, end = rng.uniform(*self.box, size=(2, len(self.inside)))
            v = u + reach * (end - u)
            said = self.concave.bent_up(u, v)
            if said and self.holds(u) and self.holds(v):
                raise ConvexityError(said)

    def holds(self, x: FloatArray) -> bool:
        """Whether x (n,) meets the bounds and the rows without their concave parts."""
        try:
            return self.point(x).violation <= CLAIM_TOLERANCE
        except SolverError:
            return False

    def step(self, x: FloatArray, price: float) -> Program:
        """The convex program with every t_k its tangent at x (n,), slack at ``price``."""
        slopes, offsets = self.tangents(x)
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
        return grown(program, rows)

    def point(self, x: FloatArray) -> SplitPoint:
        """(x, c(x), s) with the least slack s that meets the rows, and its values."""
        return self.points.at(x, self.values(x))

    def tangent_model(self, x: FloatArray) -> pyo.ConcreteModel:
        """The convex step at x (n,) as a Pyomo model with these values: ``concave[k]`` stands for
        the part k."""
        slopes, offsets = self.tangents(x)
        model, marks = _copied(self.model, self.marks)
        own = variables_and_rows(model)[0]
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
                parts[k] - sum(slopes[k, j] * own[j] for j in np.flatnonzero(slopes[k]).tolist())
                == offsets[k]
            ),
        )
        model.add_component(unique_component_name(model, "tangent"), rows)
        values = np.concatenate([x, offsets + slopes @ x])
        for variable, value in zip([*own, *parts.values()], values.tolist(), strict=True):
            variable.set_value(value, skip_validation=True)
        return model


def split_concave(model: pyo.ConcreteModel) -> ConcaveSplit:
    """The model with its marked parts as variables; it is read, and not changed.

    Raises OptionError where nothing is marked, or a mark stands where it is no concave part of a
    minimisation: in an equality or a range, times a negative number in ``<=``, in another mark;
    CapabilityError where what is left is not quadratic.
    """
    check_model(model)
    marks = _marks_of(model)
    names = [
        f"concave_part_{i}" if mark.parent_block() is None else mark.name
        for i, mark in enumerate(marks, start=1)
    ]
    for mark, name in zip(marks, names, strict=True):
        if _marks_in(mark.expr):
            raise OptionError(f"{name} holds another mark: mark the whole")
    parts = pyo.Var(pyo.RangeSet(0, len(marks) - 1), name="concave")
    parts.construct()
    program = compile_model(model, {id(mark): parts[k] for k, mark in enumerate(marks)})
    if program.integer.any():
        raise CapabilityError("the model has integer variables: dca needs continuous ones")
    k = len(marks)
    n = program.cost.size - k
    loose = _checked(program, slice(n, n + k), names)
    size = int(loose.sum())
    sides = np.where(np.isfinite(program.row_upper[loose]), -1.0, 1.0)
    place = np.flatnonzero(loose), np.arange(size)
    matrix = sparse.csc_array((sides, place), shape=(len(loose), size))
    zero, slacks = np.zeros(size), tuple(f"slack({i})" for i in range(size))
    program = grown(program, NewColumns(matrix, zero, zero, np.full(size, np.inf), slacks))
    ends = slice(0, n), slice(n, n + k), slice(n + k, n + k + size)
    return ConcaveSplit(model, program, marks, names, variables_and_rows(model)[0], *ends, loose)


def _marks_in(expression: Any) -> list[Any]:
    return [node for node in named_in(expression) if isinstance(node, ConcavePart)]


def _sides(expression: Any) -> list[Any]:
    """What a mark may be in of a relation's body and sides, or of an objective."""
    if not isinstance(expression, RelationalExpression):
        return [expression]
    return [side for side in expression.args if side.__class__ not in UNMARKED]


def _marks_of(model: pyo.ConcreteModel) -> list[Any]:
    """The marks of a model, each once."""
    kinds = (pyo.Constraint, pyo.Objective)
    holders = [*model.component_data_objects(kinds, active=True)]
    parts = [part for holder in holders for part in _sides(holder.expr)]
    found = {id(mark): mark for part in parts for mark in _marks_in(part)}
    if not found:
        raise OptionError("no part of the model is marked: write rp.concave(expression)")
    return list(found.values())


def _copied(model: pyo.ConcreteModel, marks: list[Any]) -> tuple[pyo.ConcreteModel, list[Any]]:
    """A copy of the model and the marks in it; marks that stand on no block are put on one while
    it is copied."""
    lent = [mark for mark in marks if mark.parent_block() is None]
    for i, mark in enumerate(lent):
        model.add_component(unique_component_name(model, f"concave_part_{i + 1}"), mark)
    try:
        names = [mark.name for mark in marks]
        copy = clone_of(model)
        return copy, [copy.find_component(name) for name in names]
    finally:
        for mark in lent:
            model.del_component(mark)


def _checked(program: Program, parts: slice, names: list[str]) -> BoolArray:
    """Rows with a part; OptionError where one does not enter as the concave part of ``<= 0``."""
    matrices = [program.quadratic, *program.quadratic_rows.values()]
    for matrix in matrices:
        if matrix is not None and matrix.indptr[parts.stop] > matrix.indptr[parts.start]:
            raise OptionError("a concave part is multiplied by a variable: only numbers may be")
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
        own = slice(indptr[row], indptr[row + 1])
        entries = data[own][inside[own]]
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
