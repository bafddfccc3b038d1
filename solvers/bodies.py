"""Coefficients of Pyomo expressions over given variables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NoReturn

from pyomo.common.numeric_types import native_types
from pyomo.core.base.var import ScalarVar, VarData
from pyomo.core.expr.numeric_expr import (
    AbsExpression,
    LinearExpression,
    MonomialTermExpression,
)
from pyomo.core.expr.relational_expr import (
    EqualityExpression,
    InequalityExpression,
    RangedExpression,
)
from pyomo.core.expr.visitor import ExpressionReplacementVisitor
from pyomo.repn.quadratic import QuadraticRepnVisitor

from radprog.base.errors import CapabilityError, DataError, NonlinearError
from radprog.base.limits import poll


@dataclass(slots=True)
class Body:
    """The expression constant + coefficients'x[columns] + sum of c x_i x_j over ``quadratic``.

    ``quadratic`` contains the triples (i, j, c).
    """

    constant: float
    columns: list[int]
    coefficients: list[float]
    quadratic: list[tuple[int, int, float]] = field(default_factory=list)

    @property
    def finite(self) -> bool:
        """Whether all numbers are finite."""
        numbers = (self.constant, *(value for _, _, value in self.quadratic))
        return all(map(math.isfinite, self.coefficients)) and all(map(math.isfinite, numbers))


class _Visitor(QuadraticRepnVisitor):  # type: ignore[misc]
    """Pyomo's visitor with a correct treatment of ``Expr_if``.

    After one AttributeError for a fixed condition, Pyomo's visitor evaluates every condition.
    This class reads the parts of each condition instead.
    """

    before_child_dispatcher = type(QuadraticRepnVisitor.before_child_dispatcher)()
    for _kind in (EqualityExpression, InequalityExpression, RangedExpression):
        before_child_dispatcher[_kind] = before_child_dispatcher._before_general_expression


class BodyReader:
    """A reader of the coefficients of expressions over the unfixed variables of a model."""

    def __init__(self, variables: list[Any], exchanged: Mapping[int, Any] | None = None) -> None:
        self.size = len(variables)
        self._variables, self._exchanged = variables, exchanged or {}
        self._exchange = ExpressionReplacementVisitor(
            substitute=self._exchanged, remove_named_expressions=True
        )
        self._owner = ""  # of the expression that is read, for errors
        self._position = {id(variable): j for j, variable in enumerate(variables)}

    @cached_property
    def _visitor(self) -> QuadraticRepnVisitor:
        def refuse(variable: Any) -> NoReturn:
            raise CapabilityError(
                f"{self._owner} uses {variable.name}, which is not in the model, or on an inactive "
                "block"
            )

        known = {id(variable): variable for variable in self._variables}
        recorder = SimpleNamespace(var_map=known, var_order=self._position, add=refuse)
        return _Visitor({}, var_recorder=recorder)

    def read(self, expression: Any, owner: Any) -> Body:
        """The body of a constraint or objective; error messages name the ``owner``."""
        poll()
        # rows that are written as LinearExpression: voted kernels 0.08 s, 0.17 by the visitor; a
        # variable alone: 10,000 rows 0.02 s, 0.08
        body = None
        if expression.__class__ is LinearExpression:
            body = self._linear(expression.args)
        elif expression.__class__ is VarData or expression.__class__ is ScalarVar:
            body = self._linear((expression,))
        if body is None:
            # named expressions that are read as variables
            if self._exchanged and any(id(n) in self._exchanged for n in named_in(expression)):
                expression = self._exchange.walk_expression(expression)
            self._owner = owner.name
            try:
                form = self._visitor.walk_expression(expression)
            except ValueError as error:  # a Param without a value
                raise DataError(f"{owner.name}: {' '.join(str(error).split())}") from None
            # what is left over is neither linear nor quadratic
            if form.nonlinear is not None:
                bent = any(node.__class__ is AbsExpression for node in nodes_in(expression))
                hint = "; write abs(x) as a variable t with rows t >= x, t >= -x" if bent else ""
                raise NonlinearError(f"{owner.name} is neither linear nor quadratic{hint}")
            position, squares = self._position, (form.quadratic or {}).items()
            try:
                coefficients = [float(value) for value in form.linear.values()]
                quadratic = [(position[i], position[j], float(value)) for (i, j), value in squares]
                constant = float(form.constant)
            except (TypeError, ValueError):
                raise DataError(f"{owner.name} has a coefficient that is not a number") from None
            body = Body(constant, [position[i] for i in form.linear], coefficients, quadratic)
        if not body.finite:
            raise DataError(f"{owner.name} has a coefficient that is not finite")
        return body

    def _linear(self, parts: Sequence[Any]) -> Body | None:
        """A sum, read directly. Returns None if one of its terms contains a Param or a fixed
        variable.
        """
        columns, coefficients, constant = list[int](), list[float](), 0.0
        try:
            for term in parts:
                if term.__class__ is float or term.__class__ is int:
                    constant += term
                    continue
                monomial = term.__class__ is MonomialTermExpression
                coefficient, variable = term.args if monomial else (1.0, term)
                columns.append(self._position[id(variable)])
                coefficients.append(float(coefficient))
        except (TypeError, ValueError, KeyError):
            return None
        return Body(constant, columns, coefficients)


def nodes_in(expression: Any) -> Iterator[Any]:
    """The subexpressions of an expression, outer ones first."""
    ahead = [expression]
    while ahead:
        node = ahead.pop()
        if node.__class__ in native_types or not node.is_expression_type():
            continue
        yield node
        if node.__class__ is not LinearExpression:
            ahead += [part for part in node.args if part.__class__ is not MonomialTermExpression]


def named_in(expression: Any) -> Iterator[Any]:
    """The named expressions in an expression, outer ones first."""
    return (node for node in nodes_in(expression) if node.is_named_expression_type())
