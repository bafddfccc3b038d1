"""Branching rules: the restrictions of a node, the choice of a branch at a fractional point, and
their records."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.repn import generate_standard_repn

from radprog.base.errors import CapabilityError
from radprog.base.types import FloatArray
from radprog.decompositions.own.columns import Column, Components, PricingModel, between
from radprog.decompositions.own.result import WHOLE
from radprog.decompositions.own.tree import plain
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
        parts = [(_identified(one), *sides) for one, *sides in self.bounds]
        return self.together, self.apart, parts

    def __repr__(self) -> str:
        words = [f"{_names(pair)} together" for pair in self.together]
        words += [f"{_names(pair)} apart" for pair in self.apart]
        return f"Restrictions({', '.join([*words, *(between(*bound) for bound in self.bounds)])})"

    @property
    def components(self) -> tuple[Components, ...]:
        """The sets of columns whose sums are bounded. ``multipliers[one]`` lowers the reduced cost
        of each column in the set ``one``.
        """
        return tuple(bounds_of_sums(self))

    def allow(self, covered: Callable[[Any], bool]) -> bool:
        """Whether the pairs allow a column; ``covered(row)`` returns whether the column covers a
        row.
        """
        return all(covered(r) == covered(s) for r, s in self.together) and not any(
            covered(r) and covered(s) for r, s in self.apart
        )


class OfPricer(NamedTuple):
    """A variable of a pricing model, and the number of the pricer. Pricers may share a model."""

    pricer: int
    variable: Any

    @property
    def name(self) -> str:
        """The name of the variable."""
        return str(self.variable.name)


def _identified(one: Any) -> Any:
    """What a restriction bounds, with variables by identity: Pyomo's ``==`` makes a constraint."""
    if isinstance(one, OfPricer):
        return one.pricer, id(one.variable)
    return one if isinstance(one, Components) else id(one)


def takes_restrictions(price: Any) -> bool:
    """Whether a pricer takes a second argument. One with a default is the user's own, unless its
    name is ``restrictions``.
    """
    try:
        parameters = list(inspect.signature(price).parameters.values())
    except ValueError:  # a callable of compiled code has no signature
        return True
    places = [one for one in parameters if one.kind is not one.KEYWORD_ONLY]
    if any(one.kind is one.VAR_POSITIONAL for one in places):
        return True
    required = sum(one.default is one.empty for one in places)
    return required == 2 or (required < 2 and [one.name for one in places[1:2]] == ["restrictions"])


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
class Pair:
    """Two rows such that the values of the columns covering both have a fractional sum (Ryan and
    Foster 1981).
    """

    rows: tuple[Any, Any]
    least: ClassVar[float] = math.inf  # the children have all points

    def __repr__(self) -> str:
        return f"Pair({_names(self.rows)}: together or apart)"

    def children(self, limits: Restrictions) -> tuple[Restrictions, Restrictions]:
        """The restrictions of the two children: together, and apart."""
        return (
            replace(limits, together=(*limits.together, self.rows)),
            replace(limits, apart=(*limits.apart, self.rows)),
        )


@dataclass(frozen=True)
class Bound:
    """A branch on a variable, or on the sum of the columns in :class:`Components`.

    The variable or sum is at least ``below`` + 1 in the first child, and at most ``below`` in the
    second.
    """

    variable: Any
    below: float
    least: ClassVar[float] = math.inf  # the children have all points

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
        self.at = np.full(len(rows) + 1, -1)  # the number of each row of the master, or -1
        self.at[self.places] = np.arange(len(self.places))
        self._pairs: tuple[Restrictions, list[Any]] = Restrictions(), []  # the last ones

    def covered(self, rows: Any, columns: Any, n: int) -> BoolArray:
        """Whether each of n columns, with entries in these places, covers each row ``= 1``, as an
        array (n, rows).
        """
        at = self.at[np.minimum(rows, len(self.at) - 1)]  # rows of sums follow those of the master
        cover = np.zeros((n, len(self.places)), dtype=np.bool_)
        cover[columns[at >= 0], at[at >= 0]] = True
        return cover

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
        last = "pairs"  # without bounds of the coefficients, no rule divides all columns
        with suppress(CapabilityError):
            spans = [(id(r), *span(r, a)) for one in models for r, a in one.coefficients.items()]
            own = set(program.rows[self.places].data.tolist()) <= {1.0}
            if own and all(r in self.place and low >= 0.0 and up <= 1.0 for r, low, up in spans):
                return "pairs"
            last = "components"
        with suppress(CapabilityError):
            for one in models:
                integers_of(one.model)
            self.check_convexity(program, models)
            return "bounds"
        return last

    def check_convexity(self, program: Program, models: Sequence[PricingModel]) -> None:
        """Raise CapabilityError unless each pricing model has a row ``= 1`` with only its own
        columns, each with coefficient 1.
        """
        parts = [{id(r): part for r, part in one.coefficients.items()} for one in models]
        # rows without columns of the master itself, but those that are fixed at 0
        free = (program.lower != 0.0) | (program.upper != 0.0)
        empty = (abs(program.rows) @ free) == 0.0
        alone = [row for k, row in zip(self.places, self.rows, strict=True) if empty[k]]
        for number, mine in enumerate(parts):
            others = [other for other in parts if other is not mine]
            ones = [
                row
                for row in self.rows
                if isinstance(mine.get(id(row)), int | float) and mine[id(row)] == 1.0
            ]
            if not any(
                row in alone and not any(id(row) in other for other in others) for row in ones
            ):
                mixed = f": {ones[0].name} has others too" if ones else ""
                raise CapabilityError(
                    f"pricer {number + 1}: expected a row of the master = 1 with coefficient 1 in "
                    "all its columns, and without columns of other pricers or variables of the "
                    f"master (but those fixed at 0){mixed}: branching on bounds needs exactly one "
                    "column of every pricing model"
                )

    def pair(
        self, cover: BoolArray, x: FloatArray, groups: Sequence[Any], weight: float
    ) -> Pair | None:
        """The pair of rows for which the values of the common columns have the sum closest to
        ``weight``.

        Returns None if all sums are integers. Pairs that include a row covered by all columns of a
        pricer are preferred, because they determine all other pairs. ``groups`` contains the column
        indices of each pricer.
        """
        convexity = np.zeros(cover.shape[1], dtype=np.bool_)
        for group in groups if len(groups) > 1 else ():
            convexity |= cover[group].all(axis=0) & (len(group) > 0)
        used = x > WHOLE
        sets = cover[used].astype(np.float64)
        together = np.triu(sets.T @ (sets * x[used, None]), 1)
        off = np.abs(together - weight)
        off[(together <= WHOLE) | (together >= 1.0 - WHOLE)] = math.inf
        first = np.where(convexity[:, None] | convexity, off, math.inf)
        for choice in (first, off):
            if choice.size and np.isfinite(choice.min()):
                r, s = np.unravel_index(int(choice.argmin()), choice.shape)
                return Pair((self.rows[r], self.rows[s]))
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
    lacks = "" if form.is_linear() else "it is not linear"
    if not all(float(a).is_integer() for a in (form.constant, *form.linear_coefs)):
        lacks = lacks or "a factor is not an integer"
    for variable in form.linear_vars:
        if not variable.is_integer():
            lacks = lacks or f"{variable.name} is not an integer"
        if variable.lb is None or variable.ub is None:
            end = "lower" if variable.lb is None else "upper"
            lacks = lacks or f"{variable.name} has no {end} bound"
    if lacks:
        raise CapabilityError(
            f"the coefficient in {row.name}: {lacks}: branching on components needs linear "
            "expressions of integer variables with finite bounds and integer factors"
        )
    ends = [
        sorted((a * v.lb, a * v.ub))
        for a, v in zip(form.linear_coefs, form.linear_vars, strict=True)
    ]
    low, high = (form.constant + sum(end[k] for end in ends) for k in (0, 1))
    return float(low), float(high)


def undivided(branch: str, prices: Sequence[Any]) -> str:
    """A message about columns that a rule cannot separate. It includes a hint about
    "components".
    """
    said = f"a node has fractional columns that branch={branch!r} does not divide"
    if branch == "components":
        return said
    try:
        for price in prices:
            for row, part in getattr(price, "coefficients", {}).items():
                span(row, part)
    except CapabilityError as refused:
        return f"{said}; {refused}"
    return f'{said}: use branch="components"'


def dividing_components(
    rows: Sequence[Any], parts: FloatArray, x: FloatArray, weight: float = 0.5
) -> Bound | None:
    """A branch on the sum of the columns whose coefficients satisfy a few bounds (Vanderbeck 2000).

    The sum is fractional, and its fractional part is close to ``weight``. Returns None if the sums
    of columns with equal coefficients are integers. ``parts`` contains the coefficients (t, rows)
    of the columns, and ``x`` (t,) their values.
    """
    used = x > WHOLE
    vectors, which = np.unique(parts[used], axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), x[used], len(vectors))
    # bounds of one component, and the columns (t,) that meet them
    single = [
        ((i, low, high), (vectors[:, i] >= low) & (vectors[:, i] <= high))
        for i in np.flatnonzero(np.ptp(vectors, axis=0) if len(vectors) else np.zeros(0)).tolist()
        for level in np.unique(vectors[:, i])[1:].tolist()
        for low, high in ((level, math.inf), (-math.inf, level - 1.0))
    ]
    fractional = np.abs(sums - np.round(sums)) > WHOLE
    # sets by one bound more each time; all sums of smaller ones are whole, so that one of two
    # columns of a set is separated until it stands alone
    sets: dict[bytes, tuple[tuple[int, float, float], ...]]
    sets = {np.ones(len(sums), dtype=np.bool_).tobytes(): ()} if fractional.any() else {}
    while sets:
        held = np.array([np.frombuffer(key, dtype=np.bool_) for key in sets])
        weights = held @ sums
        off = np.abs(weights - np.floor(weights) - weight)
        off[np.abs(weights - np.round(weights)) <= WHOLE] = math.inf
        if np.isfinite(off.min()):
            k = int(off.argmin())
            # one entry a row
            sides: dict[int, tuple[float, float]] = {}
            for i, low, high in [*sets.values()][k]:
                least, most = sides.get(i, (-math.inf, math.inf))
                sides[i] = max(least, low), min(most, high)
            merged = tuple((rows[i], *sides[i]) for i in sorted(sides))
            return Bound(Components(merged), math.floor(weights[k]))
        # the 500 smallest sets are divided further
        order = np.argsort(held.sum(axis=1), kind="stable")[:500].tolist()
        chosen = [(held[k], [*sets.values()][k]) for k in order]
        sets = {
            (mask & more).tobytes(): (*bounds, bound)
            for mask, bounds in chosen
            for bound, more in single
            if (mask & more & fractional).any() and (mask & ~more).any()
        }
    return None


def dividing_bound(
    parts: Sequence[tuple[Sequence[OfPricer], FloatArray, FloatArray]], weight: float
) -> Bound | None:
    """The branch on a variable of a pricing model that puts a share of columns closest to
    ``weight`` in its first child.

    Returns None if the columns of each pricer have equal values. For each pricer, ``parts``
    contains its variables, the values (t, variables) and the weights (t,) of its columns.
    """
    best: tuple[float, Bound] | None = None
    for variables, values, x in parts:
        used = x > WHOLE
        levels, weights = values[used], x[used]
        for k in np.flatnonzero(np.ptp(levels, axis=0)).tolist() if used.any() else ():
            for below in np.unique(levels[:, k])[:-1].tolist():
                off = abs(float(weights[levels[:, k] > below].sum()) - weight)
                if best is None or off < best[0] - WHOLE:
                    best = off, Bound(variables[k], below)
    return None if best is None else best[1]


class Names:
    """The rows and variables, by their names in a record."""

    def __init__(self, rows: Sequence[Any], variables: Sequence[Any]) -> None:
        self.rows = {row.name: row for row in rows}
        self.variables = {_key(variable): variable for variable in variables}

    def write_branch(self, branch: Pair | Bound) -> dict[str, Any]:
        """The JSON-compatible values of a branch: a pair of rows, a sum over a set of columns, or a
        variable.
        """
        if isinstance(branch, Pair):
            return {"rows": [row.name for row in branch.rows]}
        return {**_write_variable(branch.variable), "below": branch.below}

    def read_branch(self, stored: Mapping[str, Any]) -> Pair | Bound:
        """The branch of a record."""
        if "rows" in stored:
            return Pair(self._pair(stored["rows"]))
        return Bound(self._read_variable(stored), float(stored["below"]))

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
        bounds = [[_write_variable(v), plain(low), plain(up)] for v, low, up in limits.bounds]
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
        """The JSON-compatible values of a column. A payload that is not a JSON value is omitted."""
        payload, values = column.payload, None
        if isinstance(payload, Original):
            payload, values = payload.payload, list(payload.values)
        stored = {
            "pricer": pricer,
            "cost": float(column.cost),
            "upper": plain(float(column.upper)),
            "name": column.name,
            "rows": {row.name: float(value) for row, value in column.coefficients.items()},
            "values": values,
        }
        with suppress(TypeError, ValueError):
            stored["payload"] = json.loads(json.dumps(payload))
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


def _key(variable: Any) -> tuple[int, str]:
    """The number of the pricer of a variable, or -1 for the master, and the variable's name."""
    return (variable.pricer if isinstance(variable, OfPricer) else -1), variable.name


def _write_variable(variable: Any) -> dict[str, Any]:
    """The JSON-compatible values of a variable, or of a set of columns."""
    if isinstance(variable, Components):
        sides = [[row.name, plain(low), plain(high)] for row, low, high in variable.bounds]
        return {"components": sides}
    return {"variable": list(_key(variable))}
