"""Voted Kernel Regularization in exact arithmetic: the vertex of a run and its values.

The points with margin 1, the rows G f = h with a nonzero price, and the columns with a nonzero
coefficient define two linear systems. One determines alpha, the other d and the prices u. Their
rational solutions are the optimal vertex and its dual. If the prices of the columns are also
rational, the objective and the bound are equal. Without such a solution, the floating-point numbers
of the run are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from operator import mul
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import INNER_WEIGHT, PROVED_GAP
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.analyses import ExactPair
from radprog.decompositions.vkr.fit import assemble, stored_coefficients
from radprog.instances.dataset import Dataset
from radprog.models.exact import (
    BITS,
    Enclosure,
    ExactKernels,
    flint,
    has_enclosure,
    integers,
    square_root,
)
from radprog.models.kernels import Polynomial
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR
from radprog.solvers.dense.linear_systems import common, solve_refined

REDERIVED = ("none", "trace", "poly")  # penalties that follow from the kernels


def prove_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int
) -> ExactPair:
    """The stored alpha and d, or the vertex near them, with their objective and bound in exact
    arithmetic.

    Three parts are used without proof: penalties that are not roots of kernel values, values of
    kernels that cannot be enclosed, and rows on the scores. Raises DataError if the result has no
    dual point. Raises OptionError if no exact point satisfies the rows.
    """
    problem, _ = assemble(spec, data, seed)
    if problem.centre_rows is not None:
        raise OptionError("sampled centres are not proved: give a file of centres, or none")
    pairs, alpha, z = stored_coefficients(problem, evidence)
    if z is None:
        raise DataError(
            "the result holds no dual point, so there is no bound to prove: solve to the end"
        )
    if len(problem.rows.owner):
        raise OptionError("of a fit under a rate is nothing proved")
    # values of kernels without an enclosure, and penalties without a formula, are taken as given
    bank = problem.bank
    extra = None if bank.own_centres else bank.centres[problem.m :]
    fixed = {
        k: bank.gram(k).copy() for k, kernel in enumerate(bank.kernels) if not has_enclosure(kernel)
    }
    exact = ExactKernels(bank.kernels, bank.X, extra, fixed)
    settings: dict[str, Any] = {"lam": spec.lam, "beta": spec.beta, "penalties": None}
    settings["complexity"] = complexity = (
        spec.complexity
        if spec.complexity == "none" or (spec.complexity in REDERIVED and not fixed)
        else "given"
    )
    if complexity == "given":
        settings["penalties"] = problem.penalties.tolist()
    Gh = (
        np.column_stack([problem.rows.G.toarray(), problem.rows.h])
        if len(problem.rows)
        else np.zeros((0, 0))
    )
    settings["rows"] = Gh.tolist()
    # the vertex next to the floats, or the floats themselves, whichever has the smaller gap
    prices = exact_prices(exact, spec, problem.penalties if complexity == "given" else None)
    work = _ExactVoting(problem, exact, prices, problem.y.astype(int).tolist(), Gh)
    proved = work.vertex(pairs, alpha, z)
    if proved is None or proved.objective - proved.bound > PROVED_GAP * proved.objective:
        floats = work.of_floats(pairs, alpha, z)
        candidates = [pair for pair in (proved, floats) if pair is not None]
        if not candidates:
            raise OptionError("the result keeps its constraints only up to rounding: not proved")
        proved = min(candidates, key=lambda pair: pair.objective - pair.bound)
    return replace(
        proved,
        kernels=tuple(k.name for k in bank.kernels),
        settings=settings,
        values={bank.kernels[k].name: values.tolist() for k, values in fixed.items()},
    )


def exact_prices(
    exact: ExactKernels, spec: VKR | L1SVM, penalties: FloatArray | None
) -> list[Enclosure]:
    """Lower and upper bounds on lam r_k + beta for each kernel. ``penalties`` contains those
    used without proof.
    """
    lam, beta = Fraction(spec.lam), Fraction(spec.beta)
    prices = []
    for k, kernel in enumerate(exact.kernels):
        r = (Fraction(0), Fraction(0))
        diagonal = exact.diagonal(k)
        if penalties is not None:
            r = (Fraction(float(penalties[k])),) * 2
        elif spec.complexity == "trace":
            trace = sum(diagonal[: exact.m], Fraction(0))
            r = square_root(max(diagonal) * trace / exact.m**2, BITS)
        elif spec.complexity == "poly":
            assert isinstance(kernel, Polynomial)
            features = comb(exact.features + kernel.degree, kernel.degree)
            r = square_root(max(diagonal) ** 2 * features, BITS)
        prices.append((beta + lam * r[0], beta + lam * r[1]))
    return prices


@dataclass
class _ExactVoting:
    """Exact values at points of program (1). y (m,) contains integers, and Gh (R, m + 1) is [G,
    h].
    """

    problem: VotedKernels
    exact: ExactKernels
    prices: Sequence[Enclosure]
    y: list[int]
    Gh: FloatArray

    def __post_init__(self) -> None:
        self.rows, self.e = integers(self.Gh)  # [G, h] 2^e

    @property
    def enclosed(self) -> bool:
        """Whether a kernel value or a price is only enclosed between two numbers."""
        some = any(low != high for low, high in self.prices)
        return some or any(self.exact.wide(k) for k in range(len(self.exact.kernels)))

    def of_floats(self, pairs: IntArray, alpha: FloatArray, z: FloatArray) -> ExactPair | None:
        """The floating-point solution as rational numbers. Entries of d that equal 1/m up to
        rounding become 1/m.
        """
        m = self.problem.m
        d, u = z[:m].tolist(), z[m:].tolist()
        full = [Fraction(1, m) if v * m > 1.0 - INNER_WEIGHT else Fraction(v) for v in d]
        numbers, e = integers(alpha)
        return self._pair(pairs, numbers, 1 << e, full, [*map(Fraction, u)], vertex=False)

    def _pair(
        self,
        pairs: IntArray,
        alpha: list[int],
        over: int,
        d: list[Fraction],
        u: list[Fraction],
        *,
        vertex: bool,
    ) -> ExactPair | None:
        """Both points with their values, or None if alpha violates the rows."""
        objective = self.objective(pairs, alpha, over)
        if objective is None:
            return None
        numerators, denominator = common([*d, *u])
        weights, paid = numerators[: len(d)], numerators[len(d) :]
        scale = self.scale(weights, paid, denominator)
        sides = sum(n * row[-1] for n, row in zip(paid, self.rows, strict=True))
        return ExactPair(
            kernels=(),
            settings={},
            primal={"pairs": pairs.tolist(), "numbers": alpha, "over": over},
            dual={"numbers": weights, "rows": paid, "over": denominator, "scale": scale},
            objective=objective,
            bound=scale * (sum(weights) - Fraction(sides, 1 << self.e)) / denominator,
            vertex=vertex,
        )

    def objective(self, pairs: IntArray, alpha: Sequence[int], over: int) -> Fraction | None:
        """An upper bound on F at alpha / over, from the lower ends of the margins and the upper
        ends of the prices.

        Returns None if a row G f <= h is not proved.
        """
        exact, m = self.exact, self.problem.m
        # margins in integers over one power of two, with the doubt of enclosed values
        places = max(exact.places(k) for k in range(len(exact.kernels)))
        total, doubt, norm = [0] * m, 0, Fraction(0)
        for n, (k, j) in zip(alpha, pairs.tolist(), strict=True):
            scaled = n << places - exact.places(k)
            total = [s + scaled * v for s, v in zip(total, exact.column(k, j), strict=True)]
            doubt += abs(scaled) * exact.wide(k)
            norm += self.prices[k][1] * abs(n)
        # rows that the worst end of an enclosure would break are not kept
        unit = over << places
        for *g, h in self.rows:
            if sum(map(mul, g, total)) + doubt * sum(map(abs, g)) > h * unit:
                return None
        losses = sum(max(0, unit + doubt - y * s) for y, s in zip(self.y, total, strict=True))
        return Fraction(losses, unit * m) + norm / over

    def scale(self, d: Sequence[int], u: Sequence[int], over: int) -> Fraction:
        """The largest n / 2^BITS <= 1 that makes (d, u) / over feasible."""
        # the pricing vector y d - G'u, in integers
        exact, signed = self.exact, [n * y << self.e for n, y in zip(d, self.y, strict=True)]
        for n, (*g, _) in zip(u, self.rows, strict=True):
            signed = [s - n * c for s, c in zip(signed, g, strict=True)]
        # the largest edge over the least price
        worst = Fraction(1)
        for k, (low, _) in enumerate(self.prices):
            edge = max(exact.edges(k, signed))
            worst = max(worst, Fraction(edge, over << exact.places(k) + self.e) / low)
        return Fraction((worst.denominator << BITS) // worst.numerator, 1 << BITS)

    def vertex(self, pairs: IntArray, alpha: FloatArray, z: FloatArray) -> ExactPair | None:
        """The vertex defined by the rows and columns that are tight at the floating-point solution,
        or None.
        """
        # which rows are tight and which multipliers are inside their box, by the floats
        m, bank = self.problem.m, self.problem.bank
        d, u = z[:m], z[m:]
        margins = self.problem.y * (bank.columns(pairs) @ alpha) if len(pairs) else np.zeros(m)
        paid = m + np.flatnonzero(u > INNER_WEIGHT * u.max(initial=0.0))
        inner = np.flatnonzero((d * m > INNER_WEIGHT) & (d * m < 1.0 - INNER_WEIGHT))
        # a row with a margin this close to 1 may be tight at the vertex next to a point
        tight = np.flatnonzero(np.abs(margins - 1.0) <= 1e-7)
        if not len(pairs) or max(len(inner), len(tight), len(pairs)) > 400:  # equations
            return None
        # alpha: its columns have margin 1 at the tight rows, and meet the rows G f = h
        exact, free = self.exact, [*inner.tolist(), *paid.tolist()]
        # for each pair, the entries y_i K_k(x_i, z_j), followed by -G K_k(., z_j) 2^e
        columns = []
        for k, j in pairs.tolist():
            values = exact.column(k, j)
            signed = [y * v for y, v in zip(self.y, values, strict=True)]
            columns.append(signed + [-sum(map(mul, g, values)) for *g, _ in self.rows])
        rows = free if len(free) == len(pairs) else sorted({*free, *tight.tolist()})
        powers = [1 << exact.places(k) for k in pairs[:, 0].tolist()]
        start = [Fraction(float(a)) / power for a, power in zip(alpha, powers, strict=True)]
        A = [[column[i] for column in columns] for i in rows]
        # sides 1 and -h_r 2^e, these with a margin for enclosed values and rounding
        right, size = [], (1 + int(np.abs(alpha).sum())) * self.enclosed
        for i in rows:
            *g, h = self.rows[i - m] if i >= m else (-1,)
            room = Fraction(sum(map(abs, g)) * size, 1 << BITS - 16)
            right.append(room - Fraction(h))
        scaled = solve_refined(flint(), A, right, start)
        # d and u: the edge of every used column is its price
        capped = np.flatnonzero(d * m >= 1.0 - INNER_WEIGHT).tolist()
        right = []
        for column, a, k in zip(columns, alpha.tolist(), pairs[:, 0].tolist(), strict=True):
            price = self.prices[k][0] * (1 << exact.places(k))
            right.append((price if a > 0 else -price) - Fraction(sum(column[i] for i in capped), m))
        B = [[column[i] for i in free] for column in columns]
        dual_start = [Fraction(float(z[i])) / (1 if i < m else 1 << self.e) for i in free]
        weights = solve_refined(flint(), B, right, dual_start)
        if scaled is None or weights is None or min(weights, default=0) < 0:
            return None
        # back to units of the program, d at 1/m where it is at its upper bound
        solution = [a * power for a, power in zip(scaled, powers, strict=True)]
        full = [Fraction(0)] * len(z)
        for i in capped:
            full[i] = Fraction(1, m)
        for i, weight in zip(free, weights, strict=True):
            full[i] = weight if i < m else weight * (1 << self.e)
        if max(full[:m]) * m > 1:
            return None
        # enclosed values, or points of long denominators without rows, are rounded to 2 BITS places
        long = common(full)[1].bit_length() > (1 << 15) and not self.rows
        if self.enclosed or long:
            unit = 1 << 2 * BITS
            solution = [Fraction(int(a * unit), unit) for a in solution]
            full = [w if w * m == 1 else Fraction(int(w * unit), unit) for w in full]
        numbers, over = common(solution)
        return self._pair(pairs, numbers, over, full[:m], full[m:], vertex=True)
