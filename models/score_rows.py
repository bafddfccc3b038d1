"""Linear constraints on a fit: rows G f(X) <= h on the scores.

The scores f(x_i) are computed at the m points. Settings have tuples of :class:`ScoreRow`; programs
have the arrays :class:`~radprog.models.score_arrays.ScoreRows`. In every program the components
``SCORE_ROW`` are the rows. In a dual the components ``ROW_PRICE`` are the multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from radprog.base.errors import OptionError

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
    weights is required, with a slack for each point.
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


def named_rows(rows: Sequence[AnyRow] | None) -> dict[str, list[str]] | None:
    """The names of the rows, for the tables of an analysis; None if there are none."""
    if not rows:
        return None
    of_scores = [row for row in rows if isinstance(row, ScoreRow)]
    return {"score_rows": [*(row.name for row in of_scores), *term_names(of_scores)]}


def term_names(rows: Sequence[ScoreRow]) -> dict[str, str]:
    """The constraint of each slack of a rate, by the name of its row."""
    rates = [row for row in rows if row.rate]
    return {f"{row.of}, term {k}": row.of for row in rates for k in range(1, len(row.points) + 1)}


def refuse_rows(rows: Sequence[AnyRow] | None, reason: str) -> None:
    """Raise OptionError if there are constraints, for this ``reason``."""
    if rows:
        raise OptionError(f"constraints: {reason}")
