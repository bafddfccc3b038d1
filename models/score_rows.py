"""Linear constraints on a fit: rows G f(X) <= h on the scores.

The scores f(x_i) are computed at the m points. Settings have tuples of :class:`ScoreRow`; programs
have the arrays :class:`ScoreRows`. In every program the components ``SCORE_ROW`` are the rows. In a
dual the components ``ROW_PRICE`` are the multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray

SCORES_MET = 1e-8  # violation of a constraint in scores, relative to its terms, that is none

SCORE_ROW, ROW_PRICE = "score_row", "row_price"
OWN_ROWS = "linear constraints on the scores of the points, set by rp.fit(constraints=...)"
OWN_ROWS_REFUSED = "constraints of one's own are about these points: leave them out"


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """The row sum_i weights_i f(x_{points_i}) <= bound; points are counted from 0.

    ``of`` is the name of the constraint to which the row belongs. The price of a constraint is the
    sum of the prices of its rows. ``label`` is the class whose classifier has the scores f, if
    there is one classifier per class. If ``rate`` is True, the row is that of all points of a rate,
    and sum_i |weights_i| max(0, 1 + s_i f) <= bound + sum_i |weights_i| with the signs s of the
    weights is required, which is a row for each set of points.
    """

    name: str
    of: str
    points: tuple[int, ...]
    weights: tuple[float, ...]
    bound: float
    label: str | None = None
    rate: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(int(point) for point in self.points))
        object.__setattr__(self, "weights", tuple(float(weight) for weight in self.weights))
        if len(self.points) != len(self.weights) or len(set(self.points)) != len(self.points):
            raise OptionError(
                f"constraint '{self.name}': {len(self.weights)} weights for {len(self.points)} "
                "points, expected one for each of different points"
            )
        if not all(map(math.isfinite, (*self.weights, self.bound))):
            raise OptionError(f"constraint '{self.name}': expected finite numbers")

    def violated(self, f: FloatArray, number: int) -> list[ScoreRow]:
        """The most violated row of a rate at scores f (m,), if any; ``number`` marks its name."""
        weights, values = np.array(self.weights), f[list(self.points)]
        shares, sign = np.abs(weights), np.sign(weights)
        # the points of the surrogate's positive terms are the most violated set
        terms, side = np.maximum(0.0, 1.0 + sign * values), self.bound + float(shares.sum())
        if shares @ terms <= side + SCORES_MET * max(side, float(shares @ (1.0 + np.abs(values)))):
            return []
        some = np.flatnonzero(terms)
        return [
            replace(
                self,
                name=f"{self.of}, row {number}",
                points=tuple(np.array(self.points)[some].tolist()),
                weights=tuple(weights[some].tolist()),
                bound=side - float(shares[some].sum()),
                rate=False,
            )
        ]


@dataclass(frozen=True, kw_only=True)
class CoefficientSign:
    """The bound sign w_j >= 0 on the coefficient of the feature j of a linear model, counted from
    0; sign is 1 or -1.
    """

    name: str
    feature: int
    sign: int
    label: str | None = None


AnyRow: TypeAlias = ScoreRow | CoefficientSign


def parse_rows(constraints: Any) -> tuple[AnyRow, ...] | None:
    """The rows of the setting ``constraints``: rows or their JSON form. None if there are none.

    Raises OptionError for any other value.
    """
    if constraints is None:
        return None
    kinds: dict[str, Any] = {"points": ScoreRow, "feature": CoefficientSign}
    rows: list[AnyRow] = []
    for row in constraints:
        if isinstance(row, ScoreRow | CoefficientSign):
            rows.append(row)
            continue
        kind = next((kinds[key] for key in kinds if isinstance(row, Mapping) and key in row), None)
        if kind is None:
            raise OptionError(
                f"constraints: {row!r} is not a row; rp.fit(constraints=...) makes them"
            )
        rows.append(kind(**row))
    return tuple(rows) or None


def is_rate(row: AnyRow) -> TypeGuard[ScoreRow]:
    """Whether the row is that of all points of a rate."""
    return isinstance(row, ScoreRow) and row.rate


def named_rows(rows: Sequence[AnyRow] | None) -> dict[str, list[str]] | None:
    """The names of the rows, for the tables of an analysis; None if there are none."""
    if not rows:
        return None
    return {"score_rows": [row.name for row in rows if isinstance(row, ScoreRow)]}


def refuse_rows(rows: Sequence[AnyRow] | None, reason: str) -> None:
    """Raise OptionError if there are constraints, for this ``reason``."""
    if rows:
        raise OptionError(f"constraints: {reason}")


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreRows:
    """The constraints G f <= h with G (R, m) and h (R,), and the names of rows and constraints."""

    G: FloatArray
    h: FloatArray
    names: tuple[str, ...]
    of: tuple[str, ...]
    #: The rows as they were given; () for a matrix without.
    source: tuple[ScoreRow, ...] = ()
    #: The sizes max_i |G_ri| (R,) by which rows are divided for solvers; 1 for zero rows.
    sizes: FloatArray = field(init=False)
    #: Whether scores of 0 satisfy all rows.
    zero: bool = field(init=False)

    def __post_init__(self) -> None:
        largest = np.abs(self.G).max(axis=1, initial=0.0)
        sizes, zero = np.where(largest > 0.0, largest, 1.0), bool((self.h >= 0.0).all())
        self.__dict__.update(sizes=sizes, zero=zero)

    @staticmethod
    def of_points(rows: Sequence[ScoreRow], m: int) -> ScoreRows:
        """The rows over m points. Raises OptionError for a point that does not exist."""
        if len(rows) * m > 50_000_000:  # of the matrix G
            raise OptionError(f"constraints: {len(rows)} rows over {m} points are too many")
        # a dense matrix: rows are few, and groups name most points
        G = np.zeros((len(rows), m))
        for r, row in enumerate(rows):
            if row.points and not 0 <= min(row.points) <= max(row.points) < m:
                raise OptionError(
                    f"constraint '{row.name}' is over {max(row.points) + 1} points or more, "
                    f"the data have {m}"
                )
            G[r, list(row.points)] = row.weights
        return ScoreRows(
            G=G,
            h=np.array([row.bound for row in rows]),
            names=tuple(row.name for row in rows),
            of=tuple(row.of for row in rows),
            source=tuple(rows),
        )

    @property
    def new_rates(self) -> bool:
        """Whether there are rates, and each has no other row yet than that of all points."""
        rates = [row.of for row in self.source if row.rate]
        return bool(rates) and sum(name in rates for name in self.of) == len(rates)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows in errors: all rows of a rate have its name."""
        rates = {row.of for row in self.source if row.rate}
        return tuple(
            rule if rule in rates else name for rule, name in zip(self.of, self.names, strict=True)
        )

    def __len__(self) -> int:
        return len(self.h)

    def excess(self, scores: FloatArray) -> FloatArray:
        """The relative violations (R,) of the rows at scores f (m,).

        The violation G f - h of row r is divided by the largest of |h_r|, sum_i |G_ri f_i| and
        max_i |G_ri| max_i |f_i|.
        """
        # relative to what is added up, so that the units of a row do not matter; a score of 0 is a
        # sum of terms as large as other scores
        terms = np.maximum(np.abs(self.G) @ np.abs(scores), np.abs(self.h))
        terms = np.maximum(terms, self.sizes * np.abs(scores).max(initial=0.0))
        over = self.G @ scores - self.h
        return np.where(terms > 0.0, over / np.where(terms > 0.0, terms, 1.0), 0.0)

    def met(self, scores: FloatArray) -> bool:
        """Whether scores (m,) satisfy all rows, within 1e-8 of their terms."""
        return not len(self) or bool(self.excess(scores).max() <= SCORES_MET)

    def shift(self, mu: FloatArray) -> FloatArray:
        """The vector G'mu (m,), which the multipliers mu (R,) subtract from the pricing vector."""
        return np.asarray(mu @ self.G)

    def without_opposites(self, mu: FloatArray) -> FloatArray:
        """The multipliers mu (R,), less the common part of the multipliers of opposite rows.

        Opposite rows are f - g <= eps and g - f <= eps. For eps = 0 they are an equality, and only
        the difference of their multipliers is determined.
        """
        place = {(row + 0.0).tobytes(): r for r, row in enumerate(self.G)}
        reduced = mu.copy()
        for r, row in enumerate(self.G):
            opposite = place.get((0.0 - row).tobytes(), r)
            if opposite != r and self.h[r] + self.h[opposite] >= 0.0:
                reduced[[r, opposite]] -= reduced[[r, opposite]].min()
        return reduced

    def doubt(self, d: FloatArray, mu: FloatArray) -> FloatArray:
        """An upper bound on the rounding error of each entry of y d - G'mu (m,)."""
        terms: FloatArray = np.abs(d) + np.abs(mu) @ np.abs(self.G)
        return (len(self) + 3) * UNIT_ROUNDOFF * terms


NO_ROWS = ScoreRows(G=np.zeros((0, 0)), h=np.zeros(0), names=(), of=())


def arrays_of(rows: Sequence[AnyRow] | None, m: int) -> ScoreRows:
    """The rows on the scores as arrays, for m points.

    Raises OptionError for a row on other points.
    """
    scores = [row for row in rows or () if isinstance(row, ScoreRow)]
    return ScoreRows.of_points(scores, m) if scores else NO_ROWS


def constraint_values(
    names: Sequence[str], values: FloatArray, bounds: FloatArray, prices: FloatArray
) -> list[dict[str, Any]]:
    """The number of rows, the smallest slack and the price of each constraint.

    The price bounds the improvement of the objective if the bounds of all rows of the constraint
    increase by one. If the optimal value is differentiable in these bounds, the price is its rate
    of change.
    """
    constraints: dict[str, dict[str, Any]] = {}
    for name, value, bound, price in zip(names, values, bounds, prices, strict=True):
        slack = float(bound - value)
        entry = constraints.setdefault(
            name, {"name": name, "rows": 0, "slack": slack, "price": 0.0}
        )
        entry["rows"] += 1
        entry["slack"] = min(entry["slack"], slack)
        entry["price"] += float(price)
    return list(constraints.values())
