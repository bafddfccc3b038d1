"""Branching rules: the restrictions of a node, the choice of a branch at a fractional point, and
their records."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.repn import generate_standard_repn

from radprog.base.errors import CapabilityError
from radprog.base.types import FloatArray
from radprog.decompositions.own.columns import Column, Components, PricingModel, between
from radprog.decompositions.own.result import WHOLE
from radprog.decompositions.own.tree import as_json
from radprog.solvers.program import Program

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Restrictions:
    """The restrictions that a node imposes on the columns. They are the second argument of a
    pricer.

    Attributes
    ----------
    together : tuple of pairs
        Pairs of rows of the master. A column covers both rows of a pair or neither.
    apart : tuple of pairs
        Pairs of rows of the master. A column covers at most one row of each pair.
    bounds : tuple of (variable, float, float)
        Variables, each with a lower and an upper bound: a variable of the master, the sum of the
        columns in a :class:`radprog.Components`, or a pair (pricer, variable) of the number of a
        :class:`radprog.PricingModel` and a variable of its model.

    Examples
    --------
    >>> import radprog as rp
    >>> node = rp.Restrictions(together=(("a", "b"),), apart=(("b", "c"),))
    >>> node.allow({"a", "b"}.__contains__)
    True
    >>> node.allow({"a"}.__contains__), node.allow({"a", "b", "c"}.__contains__)
    (False, False)
    >>> node
    Restrictions(a and b together, b and c apart)
    """

    together: tuple[tuple[Any, Any], ...] = ()
    apart: tuple[tuple[Any, Any], ...] = ()
    bounds: tuple[tuple[Any, float, float], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether the restrictions are the same, in the same order."""
        return isinstance(other, Restrictions) and self._key() == other._key()

    def _key(self) -> tuple[Any, ...]:
        parts = [(_identity(variable), *sides) for variable, *sides in self.bounds]
        return self.together, self.apart, parts

    def __repr__(self) -> str:
        words = [f"{_names(pair)} together" for pair in self.together]
        words += [f"{_names(pair)} apart" for pair in self.apart]
        return f"Restrictions({', '.join([*words, *(between(*bound) for bound in self.bounds)])})"

    @property
    def components(self) -> tuple[Components, ...]:
        """The sets of columns whose sums are bounded. ``multipliers[s]`` lowers the reduced cost
        of each column in the set ``s``.
        """
        return tuple(bounds_of_sums(self))

    def allow(self, covered: Callable[[Any], bool]) -> bool:
        """Whether the pairs allow a column; ``covered(row)`` returns whether the column covers a
        row.
        """
        return all(covered(r) == covered(s) for r, s in self.together) and not any(
            covered(r) and covered(s) for r, s in self.apart
        )


class PricerVariable(NamedTuple):
    """A variable of a pricing model, and the number of the pricer. Pricers may share a model."""

    pricer: int
    variable: Any

    @property
    def name(self) -> str:
        """The name of the variable."""
        return str(self.variable.name)


def _identity(variable: Any) -> Any:
    """What a restriction bounds, with variables by identity: Pyomo's ``==`` makes a constraint."""
    if isinstance(variable, PricerVariable):
        return variable.pricer, id(variable.variable)
    return variable if isinstance(variable, Components) else id(variable)


def takes_restrictions(price: Any) -> bool:
    """Whether a pricer takes a second argument. One with a default is the user's own, unless its
    name is ``restrictions``.
    """
    try:
        parameters = list(inspect.signature(price).parameters.values())
    except ValueError:  # a callable of compiled code has no signature
        return True
    positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if any(p.kind is p.VAR_POSITIONAL for p in positional):
        return True
    required = sum(p.default is p.empty for p in positional)
    return required == 2 or (required < 2 and [p.name for p in positional[1:2]] == ["restrictions"])


def _names(pair: tuple[Any, Any]) -> str:
    """The names of two rows."""
    return " and ".join(str(getattr(row, "name", row)) for row in pair)


def bounds_of_sums(limits: Restrictions) -> dict[Components, tuple[float, float]]:
    """Bounds on the sum of the columns in each set of components."""
    sums: dict[Components, tuple[float, float]] = {}
    for sets, lower, upper in limits.bounds:
        if isinstance(sets, Components):
            low, high = sums.get(sets, (-math.inf, math.inf))
            sums[sets] = max(low, lower), min(high, upper)
    return sums


@dataclass(frozen=True)
class PairBranch:
    """Two rows such that the values of the columns covering both have a fractional sum (Ryan and
    Foster 1981).
    """

    rows: tuple[Any, Any]

    def __repr__(self) -> str:
        return f"Pair({_names(self.rows)}: together or apart)"

    def children(self, limits: Restrictions) -> tuple[Restrictions, Restrictions]:
        """The restrictions of the two children: together, and apart."""
        return (
            replace(limits, together=(*limits.together, self.rows)),
            replace(limits, apart=(*limits.apart, self.rows)),
        )


@dataclass(frozen=True)
class BoundBranch:
    """A branch on a variable, or on the sum of the columns in :class:`Components`.

    The variable or sum is at least ``below`` + 1 in the first child, and at most ``below`` in the
    second.
    """

    variable: Any
    below: float

    def __repr__(self) -> str:
        name = getattr(self.variable, "name", self.variable)
        return f"Bound({name} >= {self.below + 1.0:g} or <= {self.below:g})"

    def children(self, limits: Restrictions) -> tuple[Restrictions, Restrictions]:
        """The restrictions of the two children: above, and below."""
        above = (self.variable, self.below + 1.0, math.inf)
        return (
            replace(limits, bounds=(*limits.bounds, above)),
            replace(limits, bounds=(*limits.bounds, (self.variable, -math.inf, self.below))),
        )


@dataclass(frozen=True)
class Original:
    """The payload of a column if ``branch`` is "bounds": the values of the variables of its pricing
    model.

    These values distinguish columns that have equal coefficients.
    """

    values: tuple[float, ...]
    payload: Any


class Rows:
    """The rows ``= 1`` of the master. The rule "pairs" branches on pairs of these rows."""

    def __init__(self, program: Program, rows: Sequence[Any]) -> None:
        sides = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
        self.places = [i for i, (low, high) in enumerate(sides) if low == high == 1.0]
        self.rows = [rows[i] for i in self.places]
        self.place = {id(row): k for k, row in enumerate(self.rows)}
        self.numbers = np.full(len(rows) + 1, -1)  # of each row of the master, or -1
        self.numbers[self.places] = np.arange(len(self.places))
        self._pairs: tuple[Restrictions, list[Any]] = Restrictions(), []  # the last ones

    def covered(self, rows: Any, columns: Any, n: int) -> BoolArray:
        """Whether each of n columns, with entries in these places, covers each row ``= 1``, as an
        array (n, rows).
        """
        # rows of bounded sums follow those of the master: all of them have the last number, -1
        cover = np.zeros((n, len(self.places) + 1), dtype=np.bool_)
        cover[columns, self.numbers.take(rows, mode="clip")] = True
        return cover[:, :-1]

    def allowed(self, cover: BoolArray, limits: Restrictions) -> BoolArray:
        """Whether the pairs of a node allow each column (n,); ``cover`` has shape (n, rows)."""
        if self._pairs[0] is not limits:
            parts = (limits.together, np.not_equal), (limits.apart, np.logical_and)
            self._pairs = (
                limits,
                [
                    (*(np.array([self.place[id(p[k])] for p in pairs]) for k in (0, 1)), forbidden)
                    for pairs, forbidden in parts
                    if pairs
                ],
            )
        keep = np.ones(len(cover), dtype=np.bool_)
        for r, s, forbidden in self._pairs[1]:
            keep &= ~forbidden(cover[:, r], cover[:, s]).any(axis=1)
        return keep

    def rule(self, program: Program, models: Sequence[PricingModel]) -> str:
        """The first rule that can separate all columns of the pricing models.

        "pairs" requires coefficients 0 or 1 in the rows ``= 1``. "bounds" requires models with only
        integer variables and with a convexity row. "components" requires bounded integer
        coefficients. If no rule can separate all columns, the result is "pairs".
        """
        rule = "pairs"  # without bounds of the coefficients, no rule divides all columns
        with suppress(CapabilityError):
            spans = [(id(r), *span(r, a)) for p in models for r, a in p.coefficients.items()]
            binary = set(program.rows[self.places].data.tolist()) <= {1.0}
            if binary and all(r in self.place and low >= 0.0 and up <= 1.0 for r, low, up in spans):
                return "pairs"
            rule = "components"
        with suppress(CapabilityError):
            for p in models:
                integers_of(p.model)
            self.check_convexity(program, models)
            return "bounds"
        return rule

    def check_convexity(self, program: Program, models: Sequence[PricingModel]) -> None:
        """Raise CapabilityError unless each pricing model has a row ``= 1`` with only its own
        columns, each with coefficient 1.
        """
        parts = [{id(r): part for r, part in pricer.coefficients.items()} for pricer in models]
        # rows without columns of the master itself, but those that are fixed at 0
        free = (program.lower != 0.0) | (program.upper != 0.0)
        empty = (abs(program.rows) @ free) == 0.0
        unshared = [row for k, row in zip(self.places, self.rows, strict=True) if empty[k]]
        for number, entries in enumerate(parts):
            others = [other for other in parts if other is not entries]
            units = [
                row
                for row in self.rows
                if isinstance(entries.get(id(row)), int | float) and entries[id(row)] == 1.0
            ]
            if not any(
                row in unshared and not any(id(row) in other for other in others) for row in units
            ):
                mixed = f": {units[0].name} has others too" if units else ""
                raise CapabilityError(
                    f"pricer {number + 1}: expected a row of the master = 1 with coefficient 1 in "
                    "all its columns, and without columns of other pricers or variables of the "
                    f"master (but those fixed at 0){mixed}: branching on bounds needs exactly one "
                    "column of every pricing model"
                )

    def pair(
        self, cover: BoolArray, x: FloatArray, groups: Sequence[Any], weight: float
    ) -> PairBranch | None:
        """The pair of rows for which the values of the common columns have the sum closest to
        ``weight``.

        Returns None if all sums are integers. Pairs that include a row covered by all columns of a
        pricer are preferred, because they determine all other pairs. ``groups`` contains the column
        indices of each pricer.
        """
        convexity = np.zeros(cover.shape[1], dtype=np.bool_)
        for group in groups if len(groups) > 1 else ():
            convexity |= cover[group].all(axis=0) & (len(group) > 0)
        positive = x > WHOLE
        sets = cover[positive].astype(np.float64)
        together = np.triu(sets.T @ (sets * x[positive, None]), 1)
        distance = np.abs(together - weight)
        distance[(together <= WHOLE) | (together >= 1.0 - WHOLE)] = math.inf
        preferred = np.where(convexity[:, None] | convexity, distance, math.inf)
        for choice in (preferred, distance):
            if choice.size and np.isfinite(choice.min()):
                r, s = np.unravel_index(int(choice.argmin()), choice.shape)
                return PairBranch((self.rows[r], self.rows[s]))
        return None


def integers_of(model: pyo.ConcreteModel) -> list[Any]:
    """The variables of a pricing model. Raises CapabilityError if a variable is not integer."""
    variables = list(model.component_data_objects(pyo.Var, active=True, descend_into=True))
    for variable in variables:
        if not variable.is_integer():
            raise CapabilityError(
                f"{variable.name} of a pricing model is not an integer: branching on bounds "
                "divides only integers"
            )
    return variables


def span(row: Any, part: Any) -> tuple[float, float]:
    """The smallest and the largest value of a coefficient.

    Raises CapabilityError unless the coefficient is a linear expression with integer factors in
    integer variables with finite bounds.
    """
    form = generate_standard_repn(part, compute_values=True)
    # the first condition that fails, in words
    lack = "" if form.is_linear() else "it is not linear"
    if not all(float(a).is_integer() for a in (form.constant, *form.linear_coefs)):
        lack = lack or "a factor is not an integer"
    for variable in form.linear_vars:
        if not variable.is_integer():
            lack = lack or f"{variable.name} is not an integer"
        if variable.lb is None or variable.ub is None:
            end = "lower" if variable.lb is None else "upper"
            lack = lack or f"{variable.name} has no {end} bound"
    if lack:
        raise CapabilityError(
            f"the coefficient in {row.name}: {lack}: branching on components needs linear "
            "expressions of integer variables with finite bounds and integer factors"
        )
    ends = [
        sorted((a * v.lb, a * v.ub))
        for a, v in zip(form.linear_coefs, form.linear_vars, strict=True)
    ]
    low, high = (form.constant + sum(end[k] for end in ends) for k in (0, 1))
    return float(low), float(high)


def dividing_components(
    rows: Sequence[Any], parts: FloatArray, x: FloatArray, weight: float = 0.5
) -> BoundBranch | None:
    """A branch on the sum of the columns whose coefficients satisfy a few bounds (Vanderbeck 2000).

    The sum is fractional, and its fractional part is close to ``weight``. Returns None if the sums
    of columns with equal coefficients are integers. ``parts`` contains the coefficients (t, rows)
    of the columns, and ``x`` (t,) their values.
    """
    positive = x > WHOLE
    vectors, numbers = np.unique(parts[positive], axis=0, return_inverse=True)
    sums = np.bincount(numbers.ravel(), x[positive], len(vectors))
    # bounds of one component, and the columns (t,) that meet them
    single = [
        ((i, low, high), (vectors[:, i] >= low) & (vectors[:, i] <= high))
        for i in np.flatnonzero(np.ptp(vectors, axis=0) if len(vectors) else np.zeros(0)).tolist()
        for level in np.unique(vectors[:, i])[1:].tolist()
        for low, high in ((level, math.inf), (-math.inf, level - 1.0))
    ]
    fractional = np.abs(sums - np.round(sums)) > WHOLE
    # each pass adds one bound to the sets: as long as all sums are whole, the columns of a set are
    # separated further, at last until a fractional column stands alone
    sets: dict[bytes, tuple[tuple[int, float, float], ...]]
    sets = {np.ones(len(sums), dtype=np.bool_).tobytes(): ()} if fractional.any() else {}
    while sets:
        masks = np.array([np.frombuffer(key, dtype=np.bool_) for key in sets])
        weights = masks @ sums
        distance = np.abs(weights - np.floor(weights) - weight)
        distance[np.abs(weights - np.round(weights)) <= WHOLE] = math.inf
        if np.isfinite(distance.min()):
            k = int(distance.argmin())
            # the bounds on a row are merged into one
            sides: dict[int, tuple[float, float]] = {}
            for i, low, high in [*sets.values()][k]:
                lower, upper = sides.get(i, (-math.inf, math.inf))
                sides[i] = max(lower, low), min(upper, high)
            merged = tuple((rows[i], *sides[i]) for i in sorted(sides))
            return BoundBranch(Components(merged), math.floor(weights[k]))
        # the 500 smallest sets are divided further
        order = np.argsort(masks.sum(axis=1), kind="stable")[:500].tolist()
        chosen = [(masks[k], [*sets.values()][k]) for k in order]
        sets = {
            (mask & single_mask).tobytes(): (*bounds, bound)
            for mask, bounds in chosen
            for bound, single_mask in single
            if (mask & single_mask & fractional).any() and (mask & ~single_mask).any()
        }
    return None


def dividing_bound(
    parts: Sequence[tuple[Sequence[PricerVariable], FloatArray, FloatArray]], weight: float
) -> BoundBranch | None:
    """The branch on a variable of a pricing model that puts a share of columns closest to
    ``weight`` in its first child.

    Returns None if the columns of each pricer have equal values. For each pricer, ``parts``
    contains its variables, the values (t, variables) and the weights (t,) of its columns.
    """
    best: tuple[float, BoundBranch] | None = None
    for variables, values, x in parts:
        positive = x > WHOLE
        levels, weights = values[positive], x[positive]
        for k in np.flatnonzero(np.ptp(levels, axis=0)).tolist() if positive.any() else ():
            for level in np.unique(levels[:, k])[:-1].tolist():
                distance = abs(float(weights[levels[:, k] > level].sum()) - weight)
                if best is None or distance < best[0] - WHOLE:
                    best = distance, BoundBranch(variables[k], level)
    return None if best is None else best[1]


class RecordNames:
    """The rows and variables, by their names in a record."""

    def __init__(self, rows: Sequence[Any], variables: Sequence[Any]) -> None:
        self.rows = {row.name: row for row in rows}
        self.variables = {_key(variable): variable for variable in variables}

    def write_branch(self, branch: PairBranch | BoundBranch) -> dict[str, Any]:
        """The JSON-compatible values of a branch: a pair of rows, a sum over a set of columns, or a
        variable.
        """
        if isinstance(branch, PairBranch):
            return {"rows": [row.name for row in branch.rows]}
        return {**_write_variable(branch.variable), "below": branch.below}

    def read_branch(self, stored: Mapping[str, Any]) -> PairBranch | BoundBranch:
        """The branch of a record."""
        if "rows" in stored:
            return PairBranch(self._pair(stored["rows"]))
        return BoundBranch(self._read_variable(stored), float(stored["below"]))

    def _pair(self, names: Sequence[str]) -> tuple[Any, Any]:
        r, s = names
        return self.rows[r], self.rows[s]

    def _read_variable(self, stored: Mapping[str, Any]) -> Any:
        """A variable, or a set of columns, of a record."""
        if "variable" in stored:
            pricer, name = stored["variable"]
            return self.variables[pricer, name]
        return Components(
            tuple((self.rows[r], float(a), float(b)) for r, a, b in stored["components"])
        )

    def write_round(self, limits: Restrictions, multipliers: FloatArray) -> dict[str, Any]:
        """The JSON-compatible values of a round of pricing."""
        pairs = {
            name: [[row.name for row in pair] for pair in getattr(limits, name)]
            for name in ("together", "apart")
        }
        bounds = [[_write_variable(v), as_json(low), as_json(up)] for v, low, up in limits.bounds]
        return {**pairs, "bounds": bounds, "multipliers": multipliers.tolist()}

    def read_round(self, stored: Mapping[str, Any]) -> tuple[Restrictions, FloatArray]:
        """The restrictions and the multipliers of a round of pricing."""
        limits = Restrictions(
            together=tuple(map(self._pair, stored["together"])),
            apart=tuple(map(self._pair, stored["apart"])),
            bounds=tuple(
                (self._read_variable(v), float(low), float(up)) for v, low, up in stored["bounds"]
            ),
        )
        return limits, np.array(stored["multipliers"], dtype=np.float64)

    def write_column(self, column: Column, pricer: int) -> dict[str, Any]:
        """The JSON-compatible values of a column, without a name and payload that have none."""
        payload = column.payload
        stored = {
            "pricer": pricer,
            "cost": float(column.cost),
            "upper": as_json(float(column.upper)),
            "rows": {row.name: float(value) for row, value in column.coefficients.items()},
            "values": list(payload.values) if isinstance(payload, Original) else None,
        }
        with suppress(TypeError, ValueError, RecursionError):
            stored["name"], stored["payload"] = json_values(column.name, payload)
        return stored

    def read_column(self, stored: Mapping[str, Any]) -> Column:
        """The column of a record."""
        payload = stored["payload"]
        if stored["values"] is not None:
            payload = Original(tuple(stored["values"]), payload)
        return Column(
            stored["cost"],
            {self.rows[name]: value for name, value in stored["rows"].items()},
            upper=float(stored["upper"]),
            name=stored["name"],
            payload=payload,
        )


def json_values(name: Any, payload: Any) -> list[Any]:
    """The name and the payload of a column as JSON has them, with NumPy scalars as numbers.

    Raises TypeError, ValueError or RecursionError if JSON has no such value.
    """

    def number(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{type(value).__name__} is no JSON value")

    payload = payload.payload if isinstance(payload, Original) else payload
    values: list[Any] = json.loads(json.dumps([name, payload], default=number))
    return values


def _key(variable: Any) -> tuple[int, str]:
    """The number of the pricer of a variable, or -1 for the master, and the variable's name."""
    return (variable.pricer if isinstance(variable, PricerVariable) else -1), variable.name


def _write_variable(variable: Any) -> dict[str, Any]:
    """The JSON-compatible values of a variable, or of a set of columns."""
    if isinstance(variable, Components):
        sides = [[row.name, as_json(low), as_json(high)] for row, low, high in variable.bounds]
        return {"components": sides}
    return {"variable": list(_key(variable))}
