"""Support vector machines in exact arithmetic: the solution of a run and its values.

The multipliers strictly inside their box and the intercept solve a linear system. The rational
solution is optimal if its objective and bound are equal. If the solution is worse or outside the
box, this module uses the floating-point multipliers of the run. They are changed so that y'a = 0
holds exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.tolerances import INNER_WEIGHT, PROVED_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import ExactPair
from radprog.models.exact import BITS, ExactKernels, flint
from radprog.solvers.dense.linear_systems import common, solve_refined


@dataclass(frozen=True, kw_only=True)
class ExactSvm:
    """The program ``unit`` times min over w, b of 1/2 |w|^2 + C sum_i max(0, 1 - y_i (<w, phi(x_i)>
    + b)).

    ``exact`` contains the values of one kernel between its points. y (m,) is in {-1, 1}. If
    ``bias`` is False, b is 0.
    """

    exact: ExactKernels
    y: list[int]
    C: Fraction
    unit: Fraction
    bias: bool

    def prove(self, a: FloatArray, settings: Mapping[str, Any]) -> ExactPair:
        """Prove the solution near a (m,). If this fails, prove a itself. ``settings`` contains the
        numbers of the program.
        """
        if a.shape != (len(self.y),) or not np.isfinite(a).all():
            raise DataError("the stored multipliers do not fit this data set")
        # the float point in its box, as rational numbers
        inside = [min(max(Fraction(value), Fraction(0)), self.C) for value in a.tolist()]
        # bounded support vectors are at C exactly, free ones are unknowns of a linear system
        margin = Fraction(INNER_WEIGHT) * self.C
        capped = [i for i, value in enumerate(inside) if value >= self.C - margin]
        free = [i for i, value in enumerate(inside) if margin < value < self.C - margin]
        for i in capped:
            inside[i] = self.C
        # the vertex; if there is none, or it has a gap, the balanced floats
        solved = self.solve_free(inside, free, capped)
        vertex = None if solved is None else self._pair(solved, settings, vertex=True)
        if vertex is not None and vertex.gap <= Fraction(PROVED_GAP) * vertex.objective:
            return vertex
        floats = self._pair(self.balanced(inside), settings, vertex=False)
        return vertex if vertex is not None and vertex.gap < floats.gap else floats

    def solve_free(
        self, a: list[Fraction], free: list[int], capped: list[int]
    ) -> list[Fraction] | None:
        """Multipliers with a zero derivative at the ``free`` points. ``capped`` multipliers stay at
        C; all others are 0.
        """
        if len(free) > 400:  # equations
            return None
        y, exact, scale = self.y, self.exact, 1 << self.exact.places(0)
        columns = {j: exact.column(0, j) for j in {*free, *capped}}
        # zero derivative at the free points: y_i (sum_j y_j K_ij a_j + b) = 1
        A = [[y[i] * y[j] * columns[j][i] for j in free] for i in free]
        right = [scale - self.C * y[i] * sum(y[j] * columns[j][i] for j in capped) for i in free]
        start = [a[i] for i in free]
        if self.bias:
            A = [[*row, y[i]] for row, i in zip(A, free, strict=True)] + [
                [y[i] for i in free] + [0]
            ]
            right.append(-self.C * sum(y[j] for j in capped))
            start.append(Fraction(0))
        solved = solve_refined(flint(), A, right, start)
        if solved is None:
            return None
        alpha = [value if i in columns else Fraction(0) for i, value in enumerate(a)]
        for i, value in zip(free, solved, strict=False):
            alpha[i] = value if not exact.wide(0) else Fraction(int(value * (1 << BITS)), 1 << BITS)
        if not all(0 <= value <= self.C for value in alpha):
            return None
        return self.balanced(alpha) if exact.wide(0) else alpha

    def balanced(self, a: list[Fraction]) -> list[Fraction]:
        """The multipliers a. If there is an intercept, they are changed so that y'a = 0."""
        return balanced(a, self.y, self.C) if self.bias else a

    def inside(self, a: FloatArray) -> list[Fraction]:
        """A feasible point near a (m,)."""
        return self.balanced(
            [min(max(Fraction(value), Fraction(0)), self.C) for value in a.tolist()]
        )

    def best_bias(self, scores: Sequence[int], scale: int) -> Fraction:
        """The intercept with the smallest losses for scores y_i f(x_i) = scores_i / scale (m,).

        It is 0 if there is no intercept.
        """
        if not self.bias:
            return Fraction(0)
        # the losses are piecewise linear in b: their least kink, by the median rule
        kinks = sorted(sign * (scale - s) for sign, s in zip(self.y, scores, strict=True))
        return Fraction(kinks[max(self.y.count(1), 1) - 1], scale)

    def _pair(self, a: list[Fraction], settings: Mapping[str, Any], *, vertex: bool) -> ExactPair:
        """The multipliers a with their best intercept, objective and bound."""
        y, exact, m = self.y, self.exact, len(self.y)
        # integers over one denominator: sums without fractions
        numbers, divisor = common(a)
        c = list(map(mul, numbers, y))
        total, doubt = [0] * m, exact.wide(0) * sum(map(abs, c))
        for j, n in enumerate(c):
            if n:
                total = [s + n * v for s, v in zip(total, exact.column(0, j), strict=True)]
        # half |w|^2 and the losses of the primal point, rounded to the worse side
        scale = divisor << exact.places(0)
        half = Fraction(sum(map(mul, c, total)) + doubt * sum(map(abs, c)), 2 * divisor * scale)
        norm = 2 * half
        bias = self.best_bias(list(map(mul, y, total)), scale)
        losses = sum(
            max(Fraction(0), 1 - Fraction(sign * s - doubt, scale) - sign * bias)
            for sign, s in zip(y, total, strict=True)
        )
        return ExactPair(
            kernels=(exact.kernels[0].name,),
            settings={**settings, "bias": self.bias},
            primal={"numbers": numbers, "over": divisor, "weights": [1], "below": 1, "bias": bias},
            dual={"numbers": numbers, "over": divisor, "norm": norm},
            objective=self.unit * (half + self.C * losses),
            bound=self.unit * (Fraction(sum(numbers), divisor) - norm / 2),
            vertex=vertex,
        )


def balanced(a: list[Fraction], y: Sequence[int], C: Fraction) -> list[Fraction]:
    """The multipliers a (m,) in [0, C], changed so that y'a = 0. One entry is moved, or the class
    with the larger sum is scaled down.
    """
    # what is missing to y'a = 0
    imbalance = sum(map(mul, a, y), Fraction(0))
    if imbalance == 0:
        return a
    for i, sign in enumerate(y):
        moved = a[i] - imbalance * sign
        if a[i] and 0 <= moved <= C:
            return [*a[:i], moved, *a[i + 1 :]]
    # no single entry has the room: shrink all of the heavier side
    heavy = 1 if imbalance > 0 else -1
    total = sum(value for value, sign in zip(a, y, strict=True) if sign == heavy)
    share = 1 - abs(imbalance) / total
    return [value * share if sign == heavy else value for value, sign in zip(a, y, strict=True)]
