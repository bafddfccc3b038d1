"""Values of a program with concave parts at points, each computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from radprog.base.tolerances import FREE_SLACK, LEEWAY, ROW_ROUNDING
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.answer import bound_scale, row_sizes
from radprog.solvers.program import Program

SMALL = 200_000  # rows times columns of a dense matrix
POINTS_KEPT = 64  # points


@dataclass(frozen=True)
class SplitPoint:
    """z = (x, c(x), s) with the least slack s that meets the rows; ``objective`` without the price
    of slack, ``loose`` the sum of slack that is not free, ``violation`` relative to the bounds."""

    z: FloatArray
    objective: float
    loose: float
    slack: float
    violation: float


class SplitPoints:
    """Evaluates the program of a split, of matrices that are dense where that is small."""

    def __init__(
        self, program: Program, own: slice, parts: slice, slack: slice, loosened: BoolArray
    ) -> None:
        self.program, self.own, self.parts, self.slack = program, own, parts, slack
        self.loosened = loosened
        small = program.rows.shape[0] * program.cost.size <= SMALL
        self.rows: Any = program.rows.toarray() if small else program.rows
        self.sizes = abs(self.rows)
        dense = small and program.cost.size**2 <= SMALL
        self.quadratic: Any = program.quadratic
        if dense and self.quadratic is not None:
            self.quadratic = self.quadratic.toarray()
        self.squares = {
            row: matrix.toarray() if dense else matrix
            for row, matrix in program.quadratic_rows.items()
        }
        sizes = LEEWAY * row_sizes(program, np.zeros_like(program.cost))
        sides = program.row_lower, program.row_upper
        self.row_scales = tuple(bound_scale(side, sizes) for side in sides)
        self.column_scales = tuple(bound_scale(side) for side in (program.lower, program.upper))
        self._known: dict[bytes, SplitPoint] = {}

    def activity(self, z: FloatArray) -> FloatArray:
        """Row values (m,) at z."""
        value = np.asarray(self.rows @ z, dtype=np.float64)
        for row, matrix in self.squares.items():
            value[row] += 0.5 * float(z @ (matrix @ z))
        return value

    def violation(self, z: FloatArray) -> float:
        """:func:`radprog.solvers.answer.relative_violation` of z with the leeway of solvers, rows
        measured as at z = 0, without integers."""
        program, activity = self.program, self.activity(z)
        noise = ROW_ROUNDING * (self.sizes @ np.abs(z))
        excess = (
            (program.row_lower - activity - noise) / self.row_scales[0],
            (activity - program.row_upper - noise) / self.row_scales[1],
            (program.lower - z) / self.column_scales[0],
            (z - program.upper) / self.column_scales[1],
        )
        return max([0.0, *(float(part.max()) for part in excess if part.size)])

    def objective(self, z: FloatArray) -> float:
        """Value of the minimisation at z."""
        value = float(self.program.cost @ z) + self.program.constant
        return value if self.quadratic is None else value + 0.5 * float(z @ (self.quadratic @ z))

    def at(self, x: FloatArray, values: FloatArray) -> SplitPoint:
        """The point of x (n,), where the parts have ``values`` (k,)."""
        key = x.tobytes()
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= POINTS_KEPT:
                self._known.clear()
            found = self._known[key] = self._computed(x, values)
        return found

    def _computed(self, x: FloatArray, values: FloatArray) -> SplitPoint:
        program, loosened = self.program, self.loosened
        z = np.zeros(program.cost.size)
        z[self.own], z[self.parts] = x, values
        activity = self.activity(z)[loosened]
        over = np.maximum(
            program.row_lower[loosened] - activity, activity - program.row_upper[loosened]
        )
        slack = z[self.slack] = np.maximum(0.0, over)
        return SplitPoint(
            z,
            self.objective(z),
            float(np.maximum(0.0, slack - 2.0 * FREE_SLACK).sum()),
            float(slack.max(initial=0.0)),
            self.violation(z),
        )
