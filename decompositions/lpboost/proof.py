"""LPBoost over single shapelets in exact arithmetic: the vertex of a run and its values.

Every similarity exp(-sigma min |z - x|^2) is enclosed in an interval. Margins use the interval ends
that make them smallest. Edges use the interval ends that make them largest. The objective and the
bound therefore hold for the true values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import mul, sub
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import INNER_WEIGHT, PROVED_GAP
from radprog.decompositions.analyses import ExactPair
from radprog.decompositions.lpboost.shapelets import Rows, assemble, require_bags
from radprog.models.exact import BITS, exponential_floor, flint, integers
from radprog.models.lpboost.cuts import PLAIN, parse_families
from radprog.models.lpboost.settings import LPBoost
from radprog.models.score_rows import refuse_rows
from radprog.solvers.dense.linear_systems import common, solve_refined

MOST_PRODUCTS = 10**9  # of numbers of patterns
Fractions = list[Fraction]


def prove_lpboost(spec: LPBoost, data: Rows, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored w and d, or the vertex near them, with their objective and bound in exact
    arithmetic.

    Raises OptionError if the learner has no exact pricing, if similarities cannot be enclosed, or
    if there are too many patterns. Raises DataError if the result has no dual point.
    """
    data = require_bags(spec, data)
    if not spec.exact or spec.pattern_kernel != "gauss" or spec.normalize:
        raise OptionError(
            "lpboost is proved with learner shapelet or shapelet-plus, pattern kernel gauss, and "
            "patterns as they are"
        )
    if parse_families(spec.families) != (PLAIN,):
        raise OptionError(
            f"families '{spec.families}': lpboost is proved with {PLAIN} patterns only"
        )
    refuse_rows(spec.constraints, "of lpboost with constraints on scores is nothing proved")
    if data.kind != "series" or data.X.ndim != 2:
        raise OptionError(f"{data.name}: a proof is about series of one channel")
    if evidence["d"] is None:
        raise DataError(
            "the result holds no dual point, so there is no bound to prove: solve to the end"
        )
    # what is enumerated: every pattern against every window
    families = assemble(spec, data).families
    work = sum(family.n**2 * family.cut.length for family in families)
    if work > MOST_PRODUCTS:
        raise OptionError(
            f"{work:.2g} products of patterns: at most {MOST_PRODUCTS:.2g} are proved; choose "
            "fewer or shorter lengths"
        )
    shapelets = [(float(family.kernel.sigma or 0.0), family.cut.length) for family in families]
    # series as integers over a power of two
    points, e = integers(data.X)
    boosted = _ExactBoosting(spec, points, e, data.signs.astype(int).tolist(), shapelets)
    number = {family.cut.length: k for k, family in enumerate(families)}
    pairs = [[number[item["length"]], int(item["patterns"][0])] for item in evidence["hypotheses"]]
    signs = [int(item["sign"]) for item in evidence["hypotheses"]]
    w, d = (np.asarray(evidence[key], dtype=np.float64) for key in ("w", "d"))
    if w.shape != (len(pairs),) or d.shape != (data.rows,) or not len(w):
        raise DataError("the stored points do not fit this data set")
    return boosted.prove(pairs, signs, [*map(Fraction, w.tolist())], [*map(Fraction, d.tolist())])


@dataclass
class _ExactBoosting:
    """The exact data: series as integers over 2^e, y (m,), and (sigma, length) of each family."""

    spec: LPBoost
    points: list[list[int]]
    e: int
    y: list[int]
    shapelets: list[tuple[float, int]]

    @property
    def cap(self) -> Fraction:
        """The largest weight of a row."""
        return min(Fraction(1), 1 / (Fraction(self.spec.nu) * len(self.y)))

    def windows(self, x: list[int], length: int) -> list[list[int]]:
        """The patterns of a series."""
        return [x[start : start + length] for start in range(len(x) + 1 - length)]

    def column(self, k: int, z: list[int]) -> list[int]:
        """The values floor(2^BITS h(x_i)) (m,) of the pattern z for radius 1."""
        sigma, length = self.shapelets[k]
        numerator, denominator = sigma.as_integer_ratio()
        shift, floors = 2 * self.e + denominator.bit_length() - 1, []
        for x in self.points:
            gaps = (list(map(sub, window, z)) for window in self.windows(x, length))
            size = min(sum(map(mul, gap, gap)) for gap in gaps)
            floors.append(exponential_floor(size * numerator, shift, BITS))
        return floors

    def columns(self, k: int) -> Iterator[list[int]]:
        """The columns of all patterns of family k."""
        for x in self.points:
            poll()
            yield from (self.column(k, z) for z in self.windows(x, self.shapelets[k][1]))

    def prove(
        self, pairs: list[list[int]], signs: list[int], w: Fractions, d: Fractions
    ) -> ExactPair:
        """The better of the vertex and the floating-point solution, with exact values."""
        # y_i h_t(x_i) of the hypotheses, rounded down
        columns = []
        for (k, j), sign in zip(pairs, signs, strict=True):
            length = self.shapelets[k][1]
            row, start = divmod(j, len(self.points[0]) + 1 - length)
            z = self.points[row][start : start + length]
            columns.append([sign * y * v for y, v in zip(self.y, self.column(k, z), strict=True)])
        # weights next to a bound of the box are at it
        slack = Fraction(INNER_WEIGHT) * self.cap
        d = [self.cap if value >= self.cap - slack else max(value, Fraction(0)) for value in d]
        # the vertex; if there is none or it is not tight, the floating-point point
        solved = self._vertex(columns, w, d, slack)
        best = None if solved is None else self._pair(pairs, signs, columns, *solved, vertex=True)
        if best is None or best.bound - best.objective > Fraction(PROVED_GAP) * abs(best.bound):
            floats = self._pair(pairs, signs, columns, w, self._balanced(d), vertex=False)
            if best is None or floats.bound - floats.objective < best.bound - best.objective:
                return floats
        return best

    def _vertex(
        self, columns: list[list[int]], w: Fractions, d: Fractions, slack: Fraction
    ) -> tuple[Fractions, Fractions] | None:
        """The vertex: w gives equal margins at the rows strictly inside their box, and d gives
        equal edges of the used hypotheses.
        """
        # the basis: rows strictly within the box, hypotheses with weight
        inner = [i for i, value in enumerate(d) if slack < value < self.cap]
        capped = [i for i, value in enumerate(d) if value == self.cap]
        support = [t for t, value in enumerate(w) if value > 0]
        if max(len(inner), len(support)) > 400:  # equations
            return None
        unit, zero = 1 << BITS, Fraction(0)
        # equal margins at the inner rows, weights of sum 1
        A = [[*(columns[t][i] for t in support), -unit] for i in inner] + [[1] * len(support) + [0]]
        start = [*(w[t] for t in support), zero]
        primal = solve_refined(flint(), A, [zero] * len(inner) + [Fraction(1)], start)
        # equal edges of the hypotheses used, d of sum 1
        B = [[*(columns[t][i] for i in inner), -unit] for t in support] + [[1] * len(inner) + [0]]
        right = [-self.cap * sum(columns[t][i] for i in capped) for t in support]
        start = [*(d[i] for i in inner), zero]
        dual = solve_refined(flint(), B, [*right, 1 - self.cap * len(capped)], start)
        if primal is None or dual is None or min(primal[:-1]) < 0:
            return None
        weights, rows = (
            [zero] * len(w),
            [value if i in capped else zero for i, value in enumerate(d)],
        )
        # rounded to BITS bits, d balanced again
        for t, value in zip(support, primal, strict=False):
            weights[t] = Fraction(int(value * unit), unit)
        for i, value in zip(inner, dual, strict=False):
            rows[i] = Fraction(int(value * unit), unit)
        if min(rows) < 0 or max(rows) > self.cap:
            return None
        return weights, self._balanced(rows)

    def _balanced(self, d: Fractions) -> Fractions:
        """The weights d, with entries moved within the box so that 1'd = 1."""
        deficit = 1 - sum(d)
        moved = list(d)
        for i in sorted(range(len(d)), key=lambda i: d[i] in (0, self.cap)):
            step = max(-moved[i], min(deficit, self.cap - moved[i]))
            moved[i] += step
            deficit -= step
        return moved

    def _pair(
        self,
        pairs: list[list[int]],
        signs: list[int],
        columns: list[list[int]],
        w: Fractions,
        d: Fractions,
        *,
        vertex: bool,
    ) -> ExactPair:
        # objective: the smallest margins at full weight, less the rounding of their columns
        weights, _ = common(w)
        scores = [sum(map(mul, weights, rows)) for rows in zip(*columns, strict=True)]
        rounding, value, capacity = sum(weights), Fraction(0), Fraction(1)
        for score in sorted(scores):
            value += min(self.cap, capacity) * (score - rounding)
            capacity -= min(self.cap, capacity)
        # bound: the largest edge of all patterns, more the rounding of its column
        rows, _ = common(d)
        signed, both_signs = list(map(mul, rows, self.y)), self.spec.learner == "shapelet"
        edges = (
            sum(map(mul, signed, c)) for k in range(len(self.shapelets)) for c in self.columns(k)
        )
        largest = max(map(abs, edges) if both_signs else edges) + sum(rows)
        radius = Fraction(self.spec.radius)
        return ExactPair(
            kernels=tuple(f"gauss:{sigma!r}:{length}" for sigma, length in self.shapelets),
            settings={"nu": self.spec.nu, "radius": self.spec.radius, "signed": both_signs},
            primal={
                "pairs": pairs,
                "numbers": [n * sign for n, sign in zip(weights, signs, strict=True)],
            },
            dual={"numbers": rows},
            objective=radius * value / (sum(weights) << BITS),
            bound=radius * Fraction(largest, sum(rows) << BITS),
            vertex=vertex,
        )
