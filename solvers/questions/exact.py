"""Linear programs in rational arithmetic, with the proof as a VIPR certificate.

The method is iterative refinement (Gleixner, Steffy and Wolter 2016), with a rational solution of
each basis. The numbers are the decimals of a file, or the doubles of a program. HiGHS first solves
the program in floating-point arithmetic. The violations at HiGHS's last basis are then computed
with many digits. The program is shifted to this point, scaled until the violations are about 1, and
rounded to floating-point numbers. HiGHS solves this program, and thus reduces violations below its
tolerance. The basis of a round has a rational point and rational multipliers. If both are feasible,
they are optimal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from typing import Any

import highspy
import numpy as np
from highspy import HighsBasisStatus
from scipy import sparse

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import poll
from radprog.base.tolerances import HIGHS_LEAST
from radprog.base.types import FloatArray
from radprog.solvers.adapters.highs import STATUS, new_highs, pass_program, run
from radprog.solvers.claims import elastic
from radprog.solvers.dense.linear_systems import common, solve_square
from radprog.solvers.formats.reading import ExactNumbers
from radprog.solvers.program import INFINITE, ProblemClass, Program, SolveSettings, Status
from radprog.solvers.rescale import Scaling, equal_units

Statuses = Sequence[HighsBasisStatus]


@dataclass(frozen=True, kw_only=True)
class ExactAnswer:
    """The exact answer to a linear program: an optimum or a proof of infeasibility.

    The point x (n,) has the value ``objective``, with the constant. The multipliers of ``rows``
    (m,) and ``bounds`` (n,) prove that x is optimal; if x is None, they prove that the program is
    infeasible. If ``crossing`` is a number, the lower end of that column, or row after the n
    columns, is above its upper end, which proves it.
    """

    x: list[Fraction] | None
    objective: Fraction | None
    rows: list[Fraction]
    bounds: list[Fraction]
    crossing: int | None = None


def solve_exactly(
    program: Program, load: Callable[[], Any], numbers: ExactNumbers | None = None
) -> ExactAnswer:
    """The optimum of a linear program, or a proof that it is infeasible, in rational numbers.

    ``load`` returns the module of python-flint. ``numbers`` are the decimals of the program's file,
    by default the doubles. Raises CapabilityError for another class, too many rows or an unbounded
    program, SolverError if refinement does not end, and OutOfBudget when a current limit is
    reached.
    """
    if program.problem_class is not ProblemClass.LP:
        raise CapabilityError(
            f"no exact proof of a {program.problem_class}: expected an LP; without a proof, "
            "radprog certify says how far its bound reaches"
        )
    limit = 600  # rows
    if len(program.row_lower) > limit:
        raise CapabilityError(
            f"{len(program.row_lower)} rows: linear programs of up to {limit} are solved in "
            "rational numbers; radprog certify recomputes a bound in floating point"
        )
    numbers = numbers or numbers_of(program)
    exact = _RationalProgram.of(numbers, load())
    # ends that cross are a proof by themselves
    for k, (low, high) in enumerate(zip(exact.low, exact.high, strict=True)):
        if low is not None and high is not None and low > high:
            none = [Fraction(0)] * exact.m, [Fraction(0)] * exact.n
            return ExactAnswer(x=None, objective=None, rows=none[0], bounds=none[1], crossing=k)
    solved = _refine(program, exact)
    if solved is not None:
        x, y = solved
        objective = sum((c * v for c, v in zip(exact.cost, x, strict=False)), numbers.constant)
        bounds = exact.reduced_costs(y)[: exact.n]
        return ExactAnswer(x=x, objective=objective, rows=y, bounds=bounds)
    # no feasible point: the least sum of violations is above 0, and its multipliers prove it
    relaxed = exact.elastic()
    proof = _refine(elastic(program), relaxed)
    if proof is None or not any(proof[0][exact.n :]):
        raise SolverError("HiGHS says infeasible, which rational numbers do not prove")
    bounds = relaxed.reduced_costs(proof[1])[: exact.n]
    return ExactAnswer(x=None, objective=None, rows=proof[1], bounds=bounds)


def numbers_of(program: Program, exact: Callable[[float], Fraction] = Fraction) -> ExactNumbers:
    """The numbers of a program in memory, each made a fraction by ``exact``."""

    def ends(values: FloatArray) -> list[Fraction | None]:
        return [exact(v) if math.isfinite(v) else None for v in values.tolist()]

    matrix = program.rows
    places = itertools.pairwise(matrix.indptr.tolist())
    js, values = matrix.indices.tolist(), [*map(exact, matrix.data.tolist())]
    return ExactNumbers(
        cost=[*map(exact, program.cost.tolist())],
        rows=[dict(zip(js[a:b], values[a:b], strict=True)) for a, b in places],
        row_lower=ends(program.row_lower),
        row_upper=ends(program.row_upper),
        lower=ends(program.lower),
        upper=ends(program.upper),
        constant=exact(program.constant),
    )


def _refine(
    program: Program, unscaled: _RationalProgram
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The optimum x (n,) and multipliers y (m,) by iterative refinement; None if HiGHS calls a
    round infeasible.
    """
    units = equal_units(program)  # powers of two
    exact = unscaled.scaled(units)
    statuses = [HighsBasisStatus.kLower] * exact.n + [HighsBasisStatus.kBasic] * exact.m
    tried = set[tuple[int, ...]]()
    for number in range(50):
        poll()
        # solve the program about the last basis in floats, its violations enlarged
        dictionary, status = exact.about(statuses), Status.FAILED
        if (key := tuple(map(int, statuses))) not in tried:
            tried.add(key)
            highs = new_highs(SolveSettings(tol=HIGHS_LEAST), presolve="off")
            pass_program(highs, dictionary.enlarged())
            highs = run(highs, SolveSettings())
            status = STATUS[highs.getModelStatus()]
        # the basis at which HiGHS ends, or, where that leads nowhere, one simplex step
        if status is Status.OPTIMAL:
            statuses = dictionary.statuses(highs.getBasis())
        elif number or status is Status.FAILED:
            status = dictionary.step(statuses)
        if status is Status.INFEASIBLE:
            return None
        if status is Status.UNBOUNDED:
            raise CapabilityError(
                "the program is unbounded: exact proofs are of an optimum, or of infeasibility"
            )
        # it is the answer, if it is optimal in rational numbers; then in the units of the program
        vertex = exact.vertex(statuses)
        if vertex is not None:
            columns, rows = (map(Fraction, part.tolist()) for part in (units.columns, units.rows))
            factor = Fraction(units.objective)
            x = [value / size for value, size in zip(vertex[0], columns, strict=True)]
            return x, [v * size / factor for v, size in zip(vertex[1], rows, strict=True)]
    raise SolverError(
        "50 refinements ended at no optimum: its numbers are of sizes that floats do "
        "not tell apart; scale the data"
    )


@dataclass(frozen=True)
class _Dictionary:
    """The program in the distances t of the nonbasic variables from their ends, in floats.

    Its units are equal. Row i is the distance of ``basic[i]`` from its value at t = 0.
    """

    nonbasic: list[int]
    basic: list[int]
    floats: Program

    def violations(self) -> tuple[FloatArray, FloatArray]:
        """Violations of the bounds of rows, and of the signs of reduced costs, at t = 0."""
        part = self.floats
        bounds = np.maximum(np.maximum(part.row_lower, -part.row_upper), 0.0)
        falling = np.where(part.upper > 0.0, -part.cost, 0.0)
        return bounds, np.maximum(falling, np.where(part.lower < 0.0, part.cost, 0.0))

    def enlarged(self) -> Program:
        """The program with its bounds times a factor that makes the largest violation about 1."""
        part = self.floats
        largest = self.violations()[0].max(initial=0.0)
        factor = float(2.0 ** -np.floor(np.log2(largest))) if largest > 0.0 else 1.0
        ends: dict[str, Any] = {}
        for name in ("lower", "upper", "row_lower", "row_upper"):
            end = getattr(part, name) * factor
            ends[name] = np.where(np.abs(end) < INFINITE, end, np.copysign(np.inf, end))
        return replace(part, **ends)

    def step(self, statuses: list[HighsBasisStatus]) -> Status:
        """One dual simplex step at the largest violation, or else a primal one at the largest
        reduced cost.

        The program is infeasible, or unbounded, if the ratio test has no limit.
        """
        part, table = self.floats, self.floats.rows.toarray()
        bounds, costs = self.violations()
        with np.errstate(divide="ignore", invalid="ignore"):
            if bounds.any():
                # the row goes to the bound that it violates; ratio test over reduced costs
                r = int(bounds.argmax())
                way = 1.0 if part.row_lower[r] > 0.0 else -1.0
                able = np.where(way * table[r] > 0.0, part.upper > 0.0, part.lower < 0.0)
                able &= table[r] != 0.0
                ratio = np.where(able, np.abs(part.cost / table[r]), np.inf)
                j = int(ratio.argmin())
            else:
                # the column moves until a row, or its own other end, stops it
                j = int(costs.argmax())
                way = -np.sign(part.cost[j])
                change = way * table[:, j]
                ends = np.where(change > 0.0, part.row_upper, part.row_lower)
                ratio = np.where(change != 0.0, ends / change, np.inf)
                width = part.upper[j] if way > 0.0 else -part.lower[j]
                r = int(np.append(ratio, width).argmin())
                if r == len(ratio) and np.isfinite(width):
                    high = statuses[self.nonbasic[j]] != HighsBasisStatus.kUpper
                    statuses[self.nonbasic[j]] = _end_of(high)
                    return Status.FEASIBLE
                way = -change[r] if r < len(ratio) else 0.0
        if not np.isfinite(ratio.min(initial=np.inf)):
            return Status.INFEASIBLE if bounds.any() else Status.UNBOUNDED
        statuses[self.nonbasic[j]] = HighsBasisStatus.kBasic
        statuses[self.basic[r]] = _end_of(way < 0.0)
        return Status.FEASIBLE

    def statuses(self, basis: highspy.HighsBasis) -> list[HighsBasisStatus]:
        """The statuses of all variables at a basis of this program."""
        order, words = (*self.nonbasic, *self.basic), (*basis.col_status, *basis.row_status)
        return [word for _, word in sorted(zip(order, words, strict=True), key=itemgetter(0))]


@dataclass
class _RationalProgram:
    """min c'x, A x - s = 0, low <= (x, s) <= high in rational numbers.

    Variables 0 ... n - 1 are the columns x, n ... n + m - 1 the activities s of the rows. ``cost``,
    ``low`` and ``high`` follow them. ``entries`` are those of each column, and ``columns`` the same
    as integers over ``denom``. ``library`` is python-flint.
    """

    library: Any
    cost: list[Fraction]
    low: list[Fraction | None]
    high: list[Fraction | None]
    entries: list[dict[int, Fraction]]

    def __post_init__(self) -> None:
        self.n, self.m = len(self.entries), len(self.low) - len(self.entries)
        self.columns, self.denom = list[dict[int, int]](), list[int]()
        for column in self.entries:
            numbers, denom = common([*column.values()])
            self.columns.append(dict(zip(column, numbers, strict=True)))
            self.denom.append(denom)

    @classmethod
    def of(cls, numbers: ExactNumbers, library: Any) -> _RationalProgram:
        """The program with these numbers."""
        entries: list[dict[int, Fraction]] = [{} for _ in numbers.cost]
        for r, row in enumerate(numbers.rows):
            for j, value in row.items():
                if value:
                    entries[j][r] = value
        low, high = numbers.lower + numbers.row_lower, numbers.upper + numbers.row_upper
        cost = numbers.cost + [Fraction(0)] * len(numbers.row_lower)
        return cls(library, cost, low, high, entries)

    def scaled(self, units: Scaling) -> _RationalProgram:
        """The program in other units, as ``Scaling.scaled``."""
        columns, rows = ([*map(Fraction, part.tolist())] for part in (units.columns, units.rows))
        sizes, objective = columns + rows, Fraction(units.objective)
        low, high = (
            [None if v is None else v * size for v, size in zip(ends, sizes, strict=True)]
            for ends in (self.low, self.high)
        )
        return _RationalProgram(
            self.library,
            [c / size * objective for c, size in zip(self.cost, sizes, strict=True)],
            low,
            high,
            [
                {r: value * rows[r] / size for r, value in column.items()}
                for column, size in zip(self.entries, columns, strict=True)
            ],
        )

    def elastic(self) -> _RationalProgram:
        """The program that minimises the sum of the violations of rows, as ``claims.elastic``."""
        n, m, zero = self.n, self.m, Fraction(0)
        units = [{r: Fraction(sign)} for sign in (1, -1) for r in range(m)]
        return _RationalProgram(
            self.library,
            [zero] * n + [Fraction(1)] * 2 * m + [zero] * m,
            [*self.low[:n], *[zero] * 2 * m, *self.low[n:]],
            [*self.high[:n], *[None] * 2 * m, *self.high[n:]],
            self.entries + units,
        )

    def ends(self, statuses: Statuses) -> dict[int, Fraction]:
        """The nonbasic variables, each at one of its ends; a free one is at 0."""
        fixed: dict[int, Fraction] = {}
        for k, word in enumerate(statuses):
            if word != HighsBasisStatus.kBasic:
                ends = self.high[k], self.low[k]
                first, second = ends if word == HighsBasisStatus.kUpper else ends[::-1]
                fixed[k] = first if first is not None else second or Fraction(0)
        return fixed

    def about(self, statuses: Statuses) -> _Dictionary:
        """The dictionary of a basis, in balls of 512 bits and rounded.

        Let R be the rows with nonbasic activity, K the basic columns, and S, N the others:
        x_K = G (s_R - A_RN x_N) with G = A_RK^-1, and s_S = A_SK x_K + A_SN x_N.
        """
        n, library = self.n, self.library
        fixed = self.ends(statuses)
        K = [k for k in range(n) if k not in fixed]
        S = [r for r in range(self.m) if n + r not in fixed]
        R, N = [k - n for k in fixed if k >= n], [k for k in fixed if k < n]
        basic, nonbasic = [*K, *(n + r for r in S)], [*(n + r for r in R), *N]
        with library.ctx.workprec(512):
            # the table, block by block
            poll()
            G = self._block(R, K).inv() if K else library.arb_mat(0, 0)
            poll()
            top = G, -(G * self._block(R, N))
            poll()
            bottom = self._block(S, K) * top[0], self._block(S, K) * top[1] + self._block(S, N)
            table = [
                [*left, *right]
                for part in (top, bottom)
                for left, right in zip(*(block.tolist() for block in part), strict=True)
            ]
            # the vertex of the basis, and the reduced costs there
            low, high = self._balls(self.low), self._balls(self.high)
            cost = self._balls(self.cost)
            ends = self._balls([fixed[k] for k in nonbasic])
            point = [sum(a * t for a, t in zip(row, ends, strict=True)) for row in table]
            reduced = [cost[k] for k in nonbasic]
            for k, row in zip(basic, table, strict=True):
                if self.cost[k]:
                    reduced = [d + cost[k] * a for d, a in zip(reduced, row, strict=True)]
            entries = [[*map(_rounded, row)] for row in table]
            floats = Program(
                cost=np.array([*map(_rounded, reduced)]),
                rows=sparse.csr_array(np.reshape(entries, (len(basic), len(nonbasic)))),
                row_lower=_distances(low, basic, point, -np.inf),
                row_upper=_distances(high, basic, point, np.inf),
                lower=_distances(low, nonbasic, ends, -np.inf),
                upper=_distances(high, nonbasic, ends, np.inf),
            )
        return _Dictionary(nonbasic, basic, equal_units(floats).scaled(floats))

    def _block(self, rows: list[int], columns: list[int]) -> Any:
        """Entries of A as balls."""
        arb = self.library.arb
        units = {j: 1 / arb(self.denom[j]) for j in columns}
        entries = [units[j] * self.columns[j].get(r, 0) for r in rows for j in columns]
        return self.library.arb_mat(len(rows), len(columns), entries)

    def _balls(self, values: Sequence[Fraction | None]) -> list[Any]:
        """Numbers as balls; None stays None."""
        arb = self.library.arb
        return [None if v is None else arb(v.numerator) / v.denominator for v in values]

    def vertex(self, statuses: Statuses) -> tuple[list[Fraction], list[Fraction]] | None:
        """The vectors x and y of a basis if they are feasible, and therefore optimal."""
        fixed = self.ends(statuses)
        basic = [k for k in range(self.n + self.m) if k not in fixed]
        try:
            # the basic variables follow from A x = s, and must keep to their bounds
            right = [-value for value in self._image(fixed)]
            values = fixed | dict(zip(basic, self._solve(basic, right), strict=True))
            for k, value in values.items():
                low, high = self.low[k], self.high[k]
                if (low is not None and value < low) or (high is not None and value > high):
                    return None
            # the multipliers follow from the costs of the basic variables
            y = self._solve(basic, [self.cost[k] for k in basic], transposed=True)
        except ZeroDivisionError:  # the basis is singular in rational numbers
            return None
        # a reduced cost above 0 keeps its variable at the lower end, one below 0 at the upper
        reduced = self.reduced_costs(y)
        for k, value in fixed.items():
            if (reduced[k] > 0 and self.low[k] != value) or (
                reduced[k] < 0 and self.high[k] != value
            ):
                return None
        return [values[j] for j in range(self.n)], y

    def reduced_costs(self, y: Sequence[Fraction]) -> list[Fraction]:
        """c - A'y for the columns, and y for the activities (n + m,)."""
        along = self._along(y, range(self.n))
        return [*(self.cost[j] - along[j] for j in range(self.n)), *y]

    def _along(self, y: Sequence[Fraction], js: Iterable[int]) -> dict[int, Fraction]:
        """y'A_j for columns js < n."""
        poll()
        numbers, denom = common(y)
        return {
            j: Fraction(
                sum(numbers[r] * value for r, value in self.columns[j].items()),
                denom * self.denom[j],
            )
            for j in js
        }

    def _image(self, values: Mapping[int, Fraction]) -> list[Fraction]:
        """A x - s (m,) for some variables, with the others at 0."""
        poll()
        columns = [j for j in values if j < self.n]
        numbers, denom = common([values[j] for j in columns])
        multiple, total = math.lcm(*(self.denom[j] for j in columns)), [0] * self.m
        for j, number in zip(columns, numbers, strict=True):
            factor = number * (multiple // self.denom[j])
            for r, value in self.columns[j].items():
                total[r] += factor * value
        sums = [Fraction(value, denom * multiple) for value in total]
        return [v - values.get(self.n + r, Fraction(0)) for r, v in enumerate(sums)]

    def _solve(
        self, basic: Sequence[int], b: Sequence[Fraction], *, transposed: bool = False
    ) -> list[Fraction]:
        """B^-1 b, or B'^-1 b, for the columns B of the basic variables.

        Activities are eliminated first, because their columns are unit vectors. The remaining
        system has as many equations as there are basic columns of A.
        """
        n, K = self.n, [k for k in basic if k < self.n]
        S = {k - n for k in basic if k >= n}
        R = [r for r in range(self.m) if r not in S]
        square = [[self.columns[k].get(r, 0) for k in K] for r in R]
        if not transposed:
            # basic columns from the rows whose activity is nonbasic, then the activities
            columns = solve_square(self.library, square, [b[r] for r in R])
            x = {k: value * self.denom[k] for k, value in zip(K, columns, strict=True)}
            image = self._image(x)
            return [x[k] if k < n else image[k - n] - b[k - n] for k in basic]
        # multipliers of rows whose activity is basic are known; the others from a square system
        y = [Fraction(0)] * self.m
        for k, value in zip(basic, b, strict=True):
            if k >= n:
                y[k - n] = -value
        along = self._along(y, K)
        right = [
            (value - along[k]) * self.denom[k] for k, value in zip(basic, b, strict=True) if k < n
        ]
        turned = [list(column) for column in zip(*square, strict=True)]
        for r, value in zip(R, solve_square(self.library, turned, right), strict=True):
            y[r] = value
        return y


def _end_of(upper: bool) -> HighsBasisStatus:
    return HighsBasisStatus.kUpper if upper else HighsBasisStatus.kLower


def _rounded(ball: Any) -> float:
    """A ball as a float. A ball that contains 0 becomes 0, because it is only a rounding error."""
    return 0.0 if ball.contains(0) else float(ball)


def _distances(ends: list[Any], variables: list[int], point: list[Any], none: float) -> FloatArray:
    """Distances of the ends of variables from a point, in floats; ``none`` without an end."""
    pairs = zip(variables, point, strict=True)
    return np.array([none if ends[k] is None else _rounded(ends[k] - value) for k, value in pairs])


def vipr_text(program: Program, answer: ExactAnswer, numbers: ExactNumbers | None = None) -> str:
    """The certificate of an exact answer in VIPR 1.0 (Cheung, Gleixner and Steffy 2017).

    It has one derivation: a linear combination of the constraints.
    """
    numbers = numbers or numbers_of(program)
    relaxed = replace(program, integer=np.zeros_like(program.integer))
    lines, places, point = vipr_head(relaxed, numbers, answer.x)
    parts = {
        places[k, factor < 0]: factor
        for k, factor in enumerate([*answer.bounds, *answer.rows])
        if factor
    }
    if answer.crossing is not None:  # sides that cross: their difference is the proof
        parts[places[answer.crossing, False]] = Fraction(1)
        parts[places[answer.crossing, True]] = Fraction(-1)
    if answer.x is not None and numbers.constant:
        parts[places[CONSTANT, False]] = Fraction(1)
    lin = f"{{ lin {vipr_terms(sorted(parts.items()))} }} -1"
    if answer.x is None:
        low, high = numbers.lower + numbers.row_lower, numbers.upper + numbers.row_upper
        sides = {
            place: (high if upper else low)[k] for (k, upper), place in places.items() if k >= 0
        }
        short = sum((v * (sides[place] or 0) for place, v in parts.items()), Fraction(0))
        return "\n".join([*lines, "RTP infeas", "SOL 0", "DER 1", f"none G {short} 0 {lin}", ""])
    value = answer.objective
    lines += [f"RTP range {value} {value}", "SOL 1", f"best {point}"]
    return "\n".join([*lines, "DER 1", f"least G {value} OBJ {lin}", ""])


#: The number of the constant, a fixed column, among the owners of constraints.
CONSTANT = -1
#: The constraint of every finite side: its owner, a column or a row after the columns, and whether
#: it is the upper side. An equation is the constraint of both.
Places = dict[tuple[int, bool], int]


def vipr_head(
    program: Program, numbers: ExactNumbers, x: Sequence[Fraction] | None
) -> tuple[list[str], Places, str]:
    """The lines of a certificate up to its claim, the places of its constraints, and the point x.

    The constraints are the rows, the bounds, and the constant of the objective as a column that is
    fixed.
    """
    names, cost, point = [*program.column_names], [*numbers.cost], [*(x or ())]
    n, places, constraints = len(names), dict[tuple[int, bool], int](), list[str]()

    def add(k: int, name: str, terms: str, low: Fraction | None, high: Fraction | None) -> None:
        sides = [((False,), "G", low), ((True,), "L", high)]
        for owned, sense, side in [((False, True), "E", low)] if low == high else sides:
            if side is not None:
                places.update({(k, upper): len(constraints) for upper in owned})
                constraints.append(f"{name}_{sense} {sense} {side} {terms}")

    for r, row in enumerate(numbers.rows):
        terms = vipr_terms(sorted(row.items()))
        name = f"row_{program.row_names[r]}"
        add(n + r, name, terms, numbers.row_lower[r], numbers.row_upper[r])
    for j, name in enumerate(program.column_names):
        add(j, f"bound_{name}", f"1 {j} 1", numbers.lower[j], numbers.upper[j])
    if numbers.constant:
        name = "constant"
        while name in names:
            name += "_"
        add(CONSTANT, f"bound_{name}", f"1 {n} 1", numbers.constant, numbers.constant)
        names, cost, point = [*names, name], [*cost, Fraction(1)], [*point, numbers.constant]
    integers = np.flatnonzero(program.integer).tolist()
    lines = ["VER 1.0", f"VAR {len(names)}", *names, f"INT {len(integers)}"]
    lines += [" ".join(map(str, integers))] if integers else []
    lines += ["OBJ min", vipr_terms(enumerate(cost))]
    lines += [f"CON {len(constraints)} {len(constraints)}", *constraints]
    return lines, places, vipr_terms(enumerate(point))


def vipr_terms(values: Iterable[tuple[int, Fraction]]) -> str:
    """``k i v i v ...`` of the nonzero values."""
    nonzero = [(i, value) for i, value in values if value]
    return " ".join([str(len(nonzero)), *(f"{i} {value}" for i, value in nonzero)])
