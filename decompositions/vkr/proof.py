"""Voted Kernel Regularization in exact arithmetic: the vertex that a run ended at, and its values.

Points with margin 1 and columns with a coefficient give two linear systems, one of alpha and one of
d; solved in rational numbers they are the vertex itself, and where the prices are rational too its
objective is its bound. Where the systems have no such solution the floats of the run are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from radprog.decompositions.questions import ExactPair
from radprog.decompositions.vkr.fit import assemble, stored_coefficients
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.tolerances import INNER_WEIGHT, PROVED_GAP, TIGHT_MARGIN
from radprog.instances.types import FloatArray, IntArray
from radprog.models.exact import (
    BITS,
    Enclosure,
    ExactKernels,
    dyadic,
    flint,
    has_enclosure,
    square_root,
)
from radprog.models.kernel_functions import Polynomial
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR
from radprog.solvers.dense.rational import common, solve_near

LARGEST_VERTEX = 400  # equations
LONGEST_VERTEX = 1 << 15  # bits of a denominator; longer points are rounded to 2 BITS places
REDERIVED = ("none", "trace", "poly")  # penalties that follow from the kernels


def prove_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int
) -> ExactPair:
    """The stored alpha and d, or the vertex next to them, and their values in exact arithmetic.

    Penalties that do not follow from the kernels by a root are taken as given, and so are values of
    kernels that are not enclosed. Raises DataError where there is no dual point.
    """
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    problem, _ = assemble(program, data, seed)
    if problem.centre_rows is not None:
        raise OptionError("sampled centres are not proved: give a file of centres, or none")
    pairs, alpha, d = stored_coefficients(problem, evidence)
    if d is None:
        raise DataError("the result holds no dual point, so there is no bound to prove")
    bank = problem.bank
    more = None if bank.own_centres else bank.centres[problem.m :]
    told = {
        k: bank.gram(k).copy() for k, kernel in enumerate(bank.kernels) if not has_enclosure(kernel)
    }
    exact = ExactKernels(bank.kernels, bank.X, more, told)
    settings: dict[str, Any] = {"lam": program.lam, "beta": program.beta, "penalties": None}
    settings["complexity"] = how = (
        program.complexity
        if program.complexity == "none" or (program.complexity in REDERIVED and not told)
        else "given"
    )
    given = tuple(f"the values of {bank.kernels[k].name}" for k in told)
    if how == "given":
        settings["penalties"] = problem.penalties.tolist()
        given += (f"the penalties r_k, by '{program.complexity}'",)
    prices = exact_prices(exact, program, problem.penalties if how == "given" else None)
    work = _Voted(problem, exact, prices, problem.y.astype(int).tolist())
    found = work.vertex(pairs, alpha, d)
    if found is None or found.objective - found.bound > PROVED_GAP * found.objective:
        floats = work.of_floats(pairs, alpha, d)
        found = min((pair for pair in (found, floats) if pair is not None), key=_gap)
    return replace(
        found,
        kernels=tuple(k.name for k in bank.kernels),
        settings=settings,
        given=given,
        values={bank.kernels[k].name: values.tolist() for k, values in told.items()},
    )


def _gap(pair: ExactPair) -> Fraction:
    return pair.objective - pair.bound


def exact_prices(exact: ExactKernels, spec: VKR, given: FloatArray | None) -> list[Enclosure]:
    """lam r_k + beta of every kernel, from below and from above; given: penalties that are."""
    lam, beta = Fraction(spec.lam), Fraction(spec.beta)
    found = []
    for k, kernel in enumerate(exact.kernels):
        r = (Fraction(0), Fraction(0))
        diagonal = exact.diagonal(k)
        if given is not None:
            r = (Fraction(float(given[k])),) * 2
        elif spec.complexity == "trace":
            trace = sum(diagonal[: exact.m], Fraction(0))
            r = square_root(max(diagonal) * trace / exact.m**2, BITS)
        elif spec.complexity == "poly":
            assert isinstance(kernel, Polynomial)
            features = comb(exact.features + kernel.degree, kernel.degree)
            r = square_root(max(diagonal) ** 2 * features, BITS)
        found.append((beta + lam * r[0], beta + lam * r[1]))
    return found


@dataclass
class _Voted:
    """Exact values of points of program (1); y (m,) as integers."""

    problem: VotedKernels
    exact: ExactKernels
    prices: Sequence[Enclosure]
    y: list[int]

    def of_floats(self, pairs: IntArray, alpha: FloatArray, d: FloatArray) -> ExactPair:
        """The floats as the rationals that they are; d at 1/m to rounding is 1/m."""
        m = self.problem.m
        full = [Fraction(1, m) if v * m > 1.0 - INNER_WEIGHT else Fraction(v) for v in d.tolist()]
        numbers, over = dyadic(alpha)
        return self._pair(pairs, numbers, over, full, vertex=False)

    def _pair(
        self, pairs: IntArray, alpha: list[int], over: int, d: list[Fraction], *, vertex: bool
    ) -> ExactPair:
        objective = self.objective(pairs, alpha, over)
        weights, below = common(d)
        scale = self.scale(weights, below)
        return ExactPair(
            kernels=(),
            settings={},
            primal={"pairs": pairs.tolist(), "numbers": alpha, "over": over},
            dual={"numbers": weights, "over": below, "scale": scale},
            objective=objective,
            bound=scale * sum(weights) / below,
            vertex=vertex,
        )

    def objective(self, pairs: IntArray, alpha: Sequence[int], over: int) -> Fraction:
        """F of alpha / over, at least: the losses of the margins' lower ends, the upper prices."""
        exact, m = self.exact, self.problem.m
        places = max(exact.places(k) for k in range(len(exact.kernels)))
        total, doubt, norm = [0] * m, 0, Fraction(0)
        for n, (k, j) in zip(alpha, pairs.tolist(), strict=True):
            scaled = n << places - exact.places(k)
            total = [s + scaled * v for s, v in zip(total, exact.column(k, j), strict=True)]
            doubt += abs(scaled) * exact.wide(k)
            norm += self.prices[k][1] * abs(n)
        one = over << places
        losses = sum(max(0, one + doubt - y * s) for y, s in zip(self.y, total, strict=True))
        return Fraction(losses, one * m) + norm / over

    def scale(self, d: Sequence[int], over: int) -> Fraction:
        """The largest n / 2^BITS <= 1 by which d / over is feasible."""
        exact, signed = self.exact, [n * y for n, y in zip(d, self.y, strict=True)]
        worst = Fraction(1)
        for k, (low, _) in enumerate(self.prices):
            edge = max(exact.edges(k, signed))
            worst = max(worst, Fraction(edge, over << exact.places(k)) / low)
        return Fraction((worst.denominator << BITS) // worst.numerator, 1 << BITS)

    def vertex(self, pairs: IntArray, alpha: FloatArray, d: FloatArray) -> ExactPair | None:
        """The vertex whose tight rows and columns are those of the floats, None where none is."""
        m, bank = self.problem.m, self.problem.bank
        margins = self.problem.y * (bank.columns(pairs) @ alpha) if len(pairs) else np.zeros(m)
        inner = np.flatnonzero((d * m > INNER_WEIGHT) & (d * m < 1.0 - INNER_WEIGHT))
        tight = np.flatnonzero(np.abs(margins - 1.0) <= TIGHT_MARGIN)
        if not len(pairs) or max(len(inner), len(tight), len(pairs)) > LARGEST_VERTEX:
            return None
        exact, y = self.exact, self.y
        columns = [
            [y_i * v for y_i, v in zip(y, exact.column(k, j), strict=True)]
            for k, j in pairs.tolist()
        ]
        rows = inner if len(inner) == len(pairs) else np.union1d(inner, tight)
        start = [
            Fraction(float(a)) / 2 ** exact.places(k)
            for a, k in zip(alpha, pairs[:, 0].tolist(), strict=True)
        ]
        A = [[column[i] for column in columns] for i in rows.tolist()]
        scaled = solve_near(flint(), A, [Fraction(1)] * len(A), start)
        capped = np.flatnonzero(d * m >= 1.0 - INNER_WEIGHT).tolist()
        right = []
        for column, a, k in zip(columns, alpha.tolist(), pairs[:, 0].tolist(), strict=True):
            price = self.prices[k][0] * (1 << exact.places(k))
            right.append((price if a > 0 else -price) - Fraction(sum(column[i] for i in capped), m))
        B = [[column[i] for i in inner.tolist()] for column in columns]
        weights = solve_near(flint(), B, right, [Fraction(float(d[i])) for i in inner])
        if scaled is None or weights is None or not all(0 <= w * m <= 1 for w in weights):
            return None
        solution = [
            a * 2 ** exact.places(k) for a, k in zip(scaled, pairs[:, 0].tolist(), strict=True)
        ]
        full = [Fraction(0)] * m
        for i in capped:
            full[i] = Fraction(1, m)
        for i, weight in zip(inner.tolist(), weights, strict=True):
            full[i] = weight
        enclosed = any(low != high for low, high in self.prices)
        enclosed |= any(exact.wide(k) for k in range(len(exact.kernels)))
        if enclosed or common(weights)[1].bit_length() > LONGEST_VERTEX:
            one = 1 << 2 * BITS
            solution = [Fraction(int(a * one), one) for a in solution]
            full = [w if w * m == 1 else Fraction(int(w * one), one) for w in full]
        numbers, over = common(solution)
        return self._pair(pairs, numbers, over, full, vertex=True)
