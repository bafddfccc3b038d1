"""Linear programs in rational arithmetic: simplex steps from a basis that floats end at.

The floats of the program are rationals. With a slack s = A x of every row the program is
min c'x, A x - s = 0, both in their intervals. HiGHS ends at a basis; where that is not optimal in
rational numbers, steps in pairs of floats lead to one that most often is (precision boosting:
Eifler, Nicolas-Thouvenin, Gleixner, 2024). A rational step solves two or three square systems anew,
and Bland's rule ends them. A basis whose slacks are left out of a system leaves one of as many
equations as it has columns of the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import highspy
import numpy as np

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import poll
from radprog.base.tolerances import HIGHS_LEAST
from radprog.solvers.adapters.highs import new_highs, pass_program, run
from radprog.solvers.dense.paired_simplex import PairedSimplex
from radprog.solvers.dense.rational import common
from radprog.solvers.program import ProblemClass, Program, SolveSettings

LARGEST_BASIS_SYSTEM = 600  # rows
MOST_STEPS = 2000
PAIRED_FROM = 3  # rational steps before those in pairs of floats
LARGEST_PAIRED = 4_000_000  # entries, dense
STEEP_STEPS = 1000  # of these by the largest violation, before Bland's rule
_Basis = highspy.HighsBasisStatus
_Entries = dict[int, int]


@dataclass(frozen=True, kw_only=True)
class ExactAnswer:
    """x (n,) with the value ``objective``, and multipliers of rows (m,) and bounds (n,) that prove
    it to be the least; or, where x is None, that no point is feasible."""

    x: list[Fraction] | None
    objective: Fraction | None
    rows: list[Fraction]
    bounds: list[Fraction]


def solve_exactly(
    program: Program, library: Any, watch: Callable[[int], None] = lambda step: None
) -> ExactAnswer:
    """The optimum of a linear program, or why there is none, in rational numbers.

    library: python-flint. ``watch`` is told the number of every step. Raises CapabilityError for
    another class or too many rows, SolverError for an unbounded program, and where the steps do not
    end; OutOfBudget at a limit in force.
    """
    if program.problem_class is not ProblemClass.LP:
        raise CapabilityError(f"a {program.problem_class} is not proved: expected an LP")
    if len(program.row_lower) > LARGEST_BASIS_SYSTEM:
        raise CapabilityError(
            f"{len(program.row_lower)} rows: up to {LARGEST_BASIS_SYSTEM} are solved in rational "
            "numbers; 'radprog prove RUN.json DATA' has no such limit"
        )
    settings = SolveSettings(tolerance=HIGHS_LEAST, options={"presolve": "off"})
    highs = new_highs(settings)
    pass_program(highs, program)
    run(highs, settings)
    simplex, paired = _RationalSimplex(program, highs.getBasis(), library), 0
    for number in range(MOST_STEPS):
        poll()
        if number == PAIRED_FROM and math.prod(program.rows.shape) <= LARGEST_PAIRED:
            paired = simplex.closer(program, lambda step: watch(PAIRED_FROM + step))
        watch(paired + number)
        answer = simplex.step(first=number >= STEEP_STEPS)
        if answer is not None:
            return answer
    raise SolverError(
        f"{MOST_STEPS} steps in rational numbers ended at no optimum: its numbers are of sizes "
        "that floats do not tell apart; scale the data"
    )


class _RationalSimplex:
    """Variables 0 ... n - 1 are the columns, n ... n + m - 1 the slacks of the rows.

    columns, places: the entries of each, integers over 2^places.
    """

    def __init__(self, program: Program, basis: Any, library: Any) -> None:
        self.library, self.n, self.m = library, len(program.cost), len(program.row_lower)
        self.own = [Fraction(value) for value in program.cost.tolist()] + [Fraction(0)] * self.m
        self.cost = list(self.own)
        self.low = [*map(_end, (*program.lower.tolist(), *program.row_lower.tolist()))]
        self.high = [*map(_end, (*program.upper.tolist(), *program.row_upper.tolist()))]
        matrix = program.rows.tocsc()
        self.columns, self.places = list[_Entries](), list[int]()
        for j in range(self.n):
            part = slice(matrix.indptr[j], matrix.indptr[j + 1])
            numbers, below = common([*map(Fraction, matrix.data[part].tolist())])
            entries = zip(matrix.indices[part].tolist(), numbers, strict=True)
            self.columns.append({r: value for r, value in entries if value})
            self.places.append(below.bit_length() - 1)
        self.columns += [{r: -1} for r in range(self.m)]
        self.places += [0] * self.m
        status = [*basis.col_status, *basis.row_status] if basis.valid else []
        if sum(word == _Basis.kBasic for word in status) != self.m:
            status = [_Basis.kLower] * self.n + [_Basis.kBasic] * self.m
        self.basic = [k for k, word in enumerate(status) if word == _Basis.kBasic]
        self.at: dict[int, Fraction] = {}
        for k, word in enumerate(status):
            if word != _Basis.kBasic:
                ends = (self.high[k], self.low[k])
                first, second = ends if word == _Basis.kUpper else ends[::-1]
                self.at[k] = first if first is not None else second or Fraction(0)

    def closer(self, program: Program, watch: Callable[[int], None]) -> int:
        """Go to the basis where steps in pairs of floats end, and say how many these were."""
        upper = [k in self.at and self.at[k] == self.high[k] for k in range(self.n + self.m)]
        pairs = PairedSimplex(
            program.rows.toarray(),
            program.cost,
            np.append(program.lower, program.row_lower),
            np.append(program.upper, program.row_upper),
            np.array(self.basic),
            np.array(upper),
        )
        steps = pairs.run(MOST_STEPS, watch)
        self.basic = sorted(pairs.rows.tolist())
        self.at = dict(zip(pairs.columns.tolist(), map(Fraction, pairs.at.tolist()), strict=True))
        return steps

    def step(self, *, first: bool) -> ExactAnswer | None:
        """One step, or the answer where none is left; first: of what is wrong the first (Bland's
        rule, which ends), not the worst."""
        x = self._point()
        y = self._solve([self.cost[k] for k in self.basic], transposed=True)
        z = {j: self.cost[j] - value for j, value in self._along(y, self.at).items()}
        outside = [k for k in self.basic if self._violation(k, x[k])]
        better = [j for j in sorted(self.at) if z[j] and self._moves(j, -1 if z[j] > 0 else 1)]
        if not outside and not better:
            if self.cost == self.own:
                return self._answer(x, y)
            self.cost = list(self.own)
            return None
        if outside:
            for j in better:  # for now: what it costs too little is forgiven
                self.cost[j] -= z[j]
                z[j] = Fraction(0)
            worst = max(outside, key=lambda k: self._violation(k, x[k]))
            return self._leave(outside[0] if first else worst, x, z)
        j = better[0] if first else max(better, key=lambda j: abs(z[j]))
        self._enter(j, 1 if z[j] < 0 else -1, x)
        return None

    def _leave(self, k: int, x: list[Fraction], z: dict[int, Fraction]) -> ExactAnswer | None:
        """A dual step: variable k goes to the end that it is beyond."""
        place = self.basic.index(k)
        unit = [Fraction(int(i == place)) for i in range(self.m)]
        rho = self._solve(unit, transposed=True)
        along, low = self._along(rho, self.at), self.low[k]
        up = 1 if low is not None and x[k] < low else -1
        best: tuple[Fraction, int] | None = None
        for j in sorted(self.at):
            alpha = along[j]
            if alpha and self._moves(j, -up if alpha > 0 else up):
                ratio = abs(z[j] / alpha)
                if best is None or ratio < best[0]:
                    best = ratio, j
        if best is None:  # x_k = -sum alpha_j x_j cannot come up, or down, to its end
            rows = [-up * value for value in rho]
            bounds = [-value for value in self._along(rows, range(self.n)).values()]
            return ExactAnswer(x=None, objective=None, rows=rows, bounds=bounds)
        end = self.low[k] if up > 0 else self.high[k]
        assert end is not None
        self.at[k] = end
        del self.at[best[1]]
        self.basic[place] = best[1]
        return None

    def _enter(self, j: int, way: int, x: list[Fraction]) -> None:
        """A primal step: variable j moves until something stops it."""
        column = self._image({j: Fraction(1)})
        change = [-way * value for value in self._solve(column)]
        low, high = self.low[j], self.high[j]
        best = None if low is None or high is None else (high - low, -1)
        for place, k in sorted(enumerate(self.basic), key=lambda pair: pair[1]):
            end = self.high[k] if change[place] > 0 else self.low[k]
            if change[place] and end is not None:
                ratio = (end - x[k]) / change[place]
                if best is None or ratio < best[0]:
                    best = ratio, place
        if best is None:
            raise SolverError("the program is unbounded: nothing to prove")
        if best[1] < 0:
            self.at[j] += way * best[0]
            return
        k = self.basic[best[1]]
        end = self.high[k] if change[best[1]] > 0 else self.low[k]
        assert end is not None
        self.at[k] = end
        del self.at[j]
        self.basic[best[1]] = j

    def _answer(self, x: list[Fraction], y: list[Fraction]) -> ExactAnswer:
        along = self._along(y, range(self.n))
        bounds = [self.own[j] - along[j] for j in range(self.n)]
        objective = sum((c * v for c, v in zip(self.own, x, strict=True)), Fraction(0))
        return ExactAnswer(x=x[: self.n], objective=objective, rows=y, bounds=bounds)

    def _point(self) -> list[Fraction]:
        """Columns and rows (n + m,) at the vertex of the basis."""
        right = [-value for value in self._image({j: v for j, v in self.at.items() if v})]
        x = [self.at.get(k, Fraction(0)) for k in range(self.n + self.m)]
        for k, value in zip(self.basic, self._solve(right), strict=True):
            x[k] = value
        return x

    def _along(self, y: Sequence[Fraction], js: Iterable[int]) -> dict[int, Fraction]:
        """y'A_j of the columns js."""
        poll()
        numbers, below = common(y)
        return {
            j: Fraction(
                sum(numbers[r] * value for r, value in self.columns[j].items()),
                below << self.places[j],
            )
            for j in js
        }

    def _image(self, x: Mapping[int, Fraction]) -> list[Fraction]:
        """sum_j A_j x_j (m,)."""
        numbers, below = common([*x.values()])
        most, total = max((self.places[j] for j in x), default=0), [0] * self.m
        for j, number in zip(x, numbers, strict=True):
            factor = number << most - self.places[j]
            for r, value in self.columns[j].items():
                total[r] += factor * value
        return [Fraction(value, below << most) for value in total]

    def _violation(self, k: int, value: Fraction) -> Fraction:
        """How far a value is beyond an end of variable k; 0 within."""
        low, high = self.low[k], self.high[k]
        if low is not None and value < low:
            return low - value
        return value - high if high is not None and value > high else Fraction(0)

    def _moves(self, j: int, way: int) -> bool:
        """Whether nonbasic variable j can go that way."""
        end = self.high[j] if way > 0 else self.low[j]
        return end is None or (self.at[j] < end if way > 0 else self.at[j] > end)

    def _solve(self, b: Sequence[Fraction], *, transposed: bool = False) -> list[Fraction]:
        """B^-1 b, or B'^-1 b, for the columns B of the basis, of which slacks are put aside."""
        slacks = {k - self.n for k in self.basic if k >= self.n}
        kept = [k for k in self.basic if k < self.n]
        rows = [r for r in range(self.m) if r not in slacks]
        square = [[self.columns[k].get(r, 0) for k in kept] for r in rows]
        if not transposed:
            found = self._square(square, [b[r] for r in rows])
            x = {k: value * (1 << self.places[k]) for k, value in zip(kept, found, strict=True)}
            image = self._image(x)
            return [x[k] if k < self.n else image[k - self.n] - b[k - self.n] for k in self.basic]
        y = [Fraction(0)] * self.m
        for k, value in zip(self.basic, b, strict=True):
            if k >= self.n:
                y[k - self.n] = -value
        held = self._along(y, kept)
        right = [
            (value - held[k]) * (1 << self.places[k])
            for k, value in zip(self.basic, b, strict=True)
            if k < self.n
        ]
        turned = [list(column) for column in zip(*square, strict=True)]
        for r, value in zip(rows, self._square(turned, right), strict=True):
            y[r] = value
        return y

    def _square(self, A: list[list[int]], b: Sequence[Fraction]) -> list[Fraction]:
        """A^-1 b."""
        if not A:
            return []
        poll()
        library = self.library
        right = library.fmpq_mat([[library.fmpq(v.numerator, v.denominator)] for v in b])
        try:
            found = library.fmpq_mat(library.fmpz_mat(A)).solve(right)
        except ZeroDivisionError:
            raise SolverError("the basis of HiGHS is singular in rational numbers") from None
        return [Fraction(int(value.p), int(value.q)) for value in found.entries()]


def _end(value: float) -> Fraction | None:
    """None for an infinite one."""
    return Fraction(value) if np.isfinite(value) else None
