"""The program of an .lp or .mps file as its text states it, in floats or in fractions."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import DataError
from radprog.base.types import FloatArray
from radprog.solvers.program import INFINITE, Program

Number = Callable[[str], Any]  # float or Fraction

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_INFINITY = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE)
SHOWN = 40  # characters of a file that a message repeats


@dataclass(frozen=True, kw_only=True)
class ExactNumbers:
    """The numbers of a file as fractions, for the minimisation in the Program beside it.

    ``cost``, ``lower`` and ``upper`` follow the columns, ``row_lower`` and ``row_upper`` the rows,
    and ``rows`` has the nonzero entries of each row by column. Infinite bounds are None. An entry
    whose double is 0 is an entry here.
    """

    cost: list[Fraction]
    rows: list[dict[int, Fraction]]
    row_lower: list[Fraction | None]
    row_upper: list[Fraction | None]
    lower: list[Fraction | None]
    upper: list[Fraction | None]
    constant: Fraction


@dataclass
class Reading:
    """What a file states. The numbers are of the type ``number``: float or Fraction.

    Entry k is ``values[k]`` in row ``entry_rows[k]`` and column ``entry_columns[k]``; the row
    ``COST`` is the objective, and other negative rows are left out. An unnamed row is "".
    ``squares`` has the lower triangles of symmetric matrices M: the objective has 1/2 x'Mx, a row
    x'Mx. ``notes`` are warnings about constructs with two readings, and ``differs`` the columns
    whose bounds HiGHS reads in the other way.
    """

    COST = -1
    FREE = -2

    number: Number
    columns: dict[str, int] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)
    entry_rows: array[int] = field(default_factory=lambda: array("i"))
    entry_columns: array[int] = field(default_factory=lambda: array("i"))
    values: Any = field(init=False)
    row_lower: Any = field(init=False)
    row_upper: Any = field(init=False)
    lower: Any = field(init=False)
    upper: Any = field(init=False)
    integer: bytearray = field(default_factory=bytearray)
    squares: dict[int, dict[tuple[int, int], Any]] = field(default_factory=dict)
    constant: Any = 0
    sense: int = 1
    notes: list[str] = field(default_factory=list)
    differs: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        # a list of floats has four times the bytes
        self._vector: Any = partial(array, "d") if self.number is float else list
        for name in ("values", "row_lower", "row_upper", "lower", "upper"):
            setattr(self, name, self._vector())

    def column(self, name: str) -> int:
        """The number of a column, which is added with the bounds [0, inf) if it is new."""
        return self.places((name,))[0]

    def places(self, names: Sequence[str]) -> list[int]:
        """The numbers of columns, of which new ones are added with the bounds [0, inf)."""
        if added := dict.fromkeys(name for name in names if name not in self.columns):
            self.open(tuple(added))
        return [self.columns[name] for name in names]

    def open(self, names: Sequence[str], *, integer: bool = False) -> None:
        """Add new columns with the bounds [0, inf)."""
        self.columns.update(zip(names, count(len(self.columns)), strict=False))
        self.integer.extend(bytes([integer]) * len(names))
        self.lower.extend(self._vector([0]) * len(names))
        self.upper.extend(self._vector([math.inf]) * len(names))

    def add(self, rows: Iterable[int], columns: Iterable[int], values: Iterable[Any]) -> None:
        """Add entries."""
        self.entry_rows.extend(rows)
        self.entry_columns.extend(columns)
        self.values.extend(values)

    def decimal(self, text: str) -> Any:
        """A number. Raises DataError for any other string."""
        if not _DECIMAL.fullmatch(text):
            plain = re.sub("[dD]", "E", text)
            hint = f"; D exponents are not read: {plain}" if _DECIMAL.fullmatch(plain) else ""
            raise DataError(f"got '{text[:SHOWN]}', expected a number such as -1.5 or 2e-3{hint}")
        value = self.number(text)
        if not math.isfinite(float(value)):
            raise DataError(f"the number {text[:SHOWN]} is too large")
        return value

    def side(self, text: str) -> Any:
        """A bound of a column or row: a number, or infinite from 1e20 on."""
        if infinite := _INFINITY.fullmatch(text):
            return -math.inf if infinite[1] == "-" else math.inf
        value = self.decimal(text)
        return math.copysign(math.inf, value) if abs(value) >= INFINITE else value

    def program(self) -> Program:
        """The matrices, as a minimisation."""
        # the objective, and the entries by rows, then columns, without coefficients of 0
        rows, columns = np.asarray(self.entry_rows), np.asarray(self.entry_columns)
        values = np.asarray(self.values, dtype=np.float64)
        (m, n), objective, inside = (
            (len(self.rows), len(self.columns)),
            rows == self.COST,
            rows >= 0,
        )
        cost = np.zeros(n)
        cost[columns[objective]] = self.sense * values[objective] + 0.0  # no -0.0
        entries = values[inside], (rows[inside], columns[inside])
        matrix = sparse.csr_array(sparse.coo_array(entries, shape=(m, n)))
        matrix.eliminate_zeros()
        matrix.sort_indices()
        # squares, from their lower triangles, as those of 1/2 x'Qx
        quadratic = dict[int, sparse.csc_array]()
        for row, squares in self.squares.items():
            if any(squares.values()):
                triangle = _floats([*squares.values()]), np.array(list(squares)).T
                half = sparse.csc_array(triangle, shape=(n, n))
                half.eliminate_zeros()
                factor = self.sense if row == self.COST else 2.0
                quadratic[row] = sparse.csc_array(factor * (half + sparse.tril(half, -1).T))
        return Program(
            cost=cost,
            rows=matrix,
            row_lower=_floats(self.row_lower),
            row_upper=_floats(self.row_upper),
            lower=_floats(self.lower),
            upper=_floats(self.upper),
            integer=np.array(self.integer, dtype=np.bool_),
            column_names=tuple(self.columns),
            row_names=tuple(self.rows),
            constant=self.sense * float(self.constant),
            sense=self.sense,
            quadratic=quadratic.pop(self.COST, None),
            quadratic_rows=quadratic,
        )

    def exact_numbers(self) -> ExactNumbers:
        """The fractions of a reading with the number type Fraction, for the same minimisation."""
        cost = [Fraction(0)] * len(self.columns)
        rows: list[dict[int, Fraction]] = [{} for _ in self.rows]
        for r, j, value in zip(self.entry_rows, self.entry_columns, self.values, strict=True):
            if r == self.COST:
                cost[j] += self.sense * value
            elif r >= 0 and value:
                rows[r][j] = rows[r].get(j, Fraction(0)) + value

        def ends(values: list[Any]) -> list[Fraction | None]:
            return [None if math.isinf(v) else Fraction(v) for v in values]

        return ExactNumbers(
            cost=cost,
            rows=rows,
            row_lower=ends(self.row_lower),
            row_upper=ends(self.row_upper),
            lower=ends(self.lower),
            upper=ends(self.upper),
            constant=self.sense * Fraction(self.constant),
        )


def _floats(values: Sequence[Any]) -> FloatArray:
    return np.array(values, dtype=np.float64)
