"""Small programs with their exact optimum, in rational arithmetic and by no code of the project."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from rational import Matrix, Numbers, dot

TOLERANCE = Fraction(1, 10**6)  # within which a point may miss a side, relative to max(1, |side|)
INF = math.inf
Row = tuple[tuple[float, ...], float, float]


@dataclass(frozen=True)
class Small:
    """min cost'x + constant + sum of value x_i x_j of ``squares``, low <= a'x <= high of ``rows``.

    ``maximise`` writes it as the maximum of its negative. factors: scaling factors of objective,
    rows and columns. epigraph: the squares stand in a row, below a variable of their own."""

    cost: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    rows: tuple[Row, ...] = ()
    squares: tuple[tuple[int, int, float], ...] = ()
    whole: tuple[bool, ...] = ()
    constant: float = 0.0
    maximise: bool = False
    factors: tuple[float, ...] = ()
    epigraph: bool = False

    def value(self, x: Sequence[Fraction]) -> Fraction:
        """The objective of the minimisation."""
        return sum(self.terms(x), Fraction())

    def sides(self) -> Iterator[tuple[list[float], float, float]]:
        """Rows and bounds alike, as coefficients, low and high."""
        yield from ((list(a), low, high) for a, low, high in self.rows)
        for j, ends in enumerate(zip(self.lower, self.upper, strict=True)):
            yield [float(k == j) for k in range(len(self.cost))], *ends

    def terms(self, x: Sequence[Fraction]) -> Numbers:
        """What the objective is the sum of."""
        curved = (Fraction(v) * x[i] * x[j] for i, j, v in self.squares)
        linear = (Fraction(c) * v for c, v in zip(self.cost, x, strict=True))
        return [Fraction(self.constant), *linear, *curved]

    def hessian(self) -> Matrix:
        """The second derivatives."""
        n = len(self.cost)
        H = [[Fraction()] * n for _ in range(n)]
        for i, j, v in self.squares:
            H[i][j] += Fraction(v)
            H[j][i] += Fraction(v)
        return H

    def convex(self) -> bool:
        """Whether the second derivatives are positive semidefinite, by elimination."""
        H = self.hessian()
        while H:
            # a negative pivot, or a 0 with a row that is not 0, has a direction of negative
            # curvature
            (pivot, *row), rest = H[0], [line[1:] for line in H[1:]]
            if pivot < 0 or (pivot == 0 and any(row)):
                return False
            # the Schur complement is left
            H = [
                [v - a * b / pivot for v, b in zip(line, row, strict=True)] if pivot else line
                for line, a in zip(rest, row, strict=True)
            ]
        return True

    def outside(self, x: Sequence[Fraction]) -> Fraction:
        """The largest violation of a side, relative to max(1, |side|)."""
        worst = Fraction()
        for a, low, high in self.sides():
            activity = dot([Fraction(v) for v in a], x)
            for side, sign in ((low, -1), (high, 1)):
                if math.isfinite(side):
                    worst = max(worst, sign * (activity - Fraction(side)) / max(1, abs(side)))
        return worst

    def loosened(self) -> Small:
        """The program whose points miss the sides by a little more than the tolerance."""
        by = 1.5e-6

        def down(s: float) -> float:
            return s - by * max(1.0, abs(s)) if math.isfinite(s) else s

        rows = tuple((a, down(low), -down(-high)) for a, low, high in self.rows)
        lower, upper = map(down, self.lower), (-down(-u) for u in self.upper)
        return replace(self, rows=rows, lower=tuple(lower), upper=tuple(upper))

    def doubles(self) -> Small:
        """The program as it is handed over: fractions in its cost and its rows are rounded."""
        rows = tuple((tuple(map(float, a)), float(lo), float(hi)) for a, lo, hi in self.rows)
        return replace(self, cost=tuple(map(float, self.cost)), rows=rows)

    def text(self) -> str:
        """The program in a line."""
        self = self.doubles()
        terms = [f"{c:+.17g}*x{j}" for j, c in enumerate(self.cost) if c]
        terms += [f"{v:+.17g}*x{i}*x{j}" for i, j, v in self.squares]
        terms += [f"{self.constant:+.17g}"] * bool(self.constant)
        parts = ["min " + " ".join(terms or ["0"])]
        for a, low, high in self.rows:
            body = " ".join(f"{v:+.17g}*x{j}" for j, v in enumerate(a) if v)
            parts.append(f"{low:.17g} <= {body or 0} <= {high:.17g}")
        ends = enumerate(zip(self.lower, self.upper, strict=True))
        parts += [f"x{j} in [{low:.17g}, {high:.17g}]" for j, (low, high) in ends]
        parts += [f"whole {[j for j, w in enumerate(self.whole) if w]}"] * any(self.whole)
        parts += ["as a maximum"] * self.maximise + ["in a row"] * self.epigraph
        return "; ".join(parts + [f"factors {self.factors}"] * bool(self.factors))


def text(value: Any) -> str:
    """A double as it is printed, a fraction that ends as its decimals, infinity with its sign."""
    if isinstance(value, Fraction):
        return str(Decimal(value.numerator) / value.denominator)
    return repr(value) if math.isfinite(value) else f"{value:+}"


def lp(program: Small) -> str:
    """The program, without squares, as an .lp file."""

    def sums(a: Sequence[Any]) -> str:
        parts = (f"{'-' if v < 0 else '+'} {text(abs(v))} x{j}" for j, v in enumerate(a) if v)
        return " ".join(parts) or "0 x0"

    sign = -1 if program.maximise else 1
    constant = text(sign * program.constant)
    objective = f" obj: {sums([sign * c for c in program.cost])} {'+' * (constant[0] != '-')}"
    lines = ["Maximize" if sign < 0 else "Minimize", f"{objective} {constant}", "Subject To"]
    for r, (a, low, high) in enumerate(program.rows):
        if low == high:
            lines.append(f" r{r}: {sums(a)} = {text(low)}")
        else:
            lines += [f" r{r}l: {sums(a)} >= {text(low)}"] * (low > -INF)
            lines += [f" r{r}u: {sums(a)} <= {text(high)}"] * (high < INF)
    lines.append("Bounds")
    for j, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        lines.append(f" {text(low)} <= x{j} <= {text(high)}")
    lines += ["General"] * any(program.whole)
    lines += [f" x{j}" for j, whole in enumerate(program.whole) if whole]
    return "\n".join([*lines, "End", ""])


@dataclass(frozen=True)
class Truth:
    """``status`` optimal, infeasible, unbounded, ``at most`` (a point of this value is feasible) or
    ``blurred`` (infeasible, but not to within the tolerance).

    leeway: by how much a point that misses the sides by the tolerance can be below the optimum.
    size: of the terms that sums of the value have, for their rounding. x: an optimal point, or of
    an infeasible program in integers alone the point that misses its rows least, where known."""

    status: str
    value: Fraction = Fraction()
    leeway: Fraction = Fraction()
    size: Fraction = Fraction(1)
    x: tuple[Fraction, ...] | None = None


def complementary(M: Matrix, q: Numbers) -> Numbers | None:
    """z >= 0 with w = Mz + q >= 0 and z'w = 0, by Lemke's method with lexicographic ratios.

    None where it ends on a ray: of a positive semidefinite M there is no solution then."""
    n = len(q)
    if min(q, default=Fraction()) >= 0:
        return [Fraction()] * n
    # columns: w (n), z (n), the artificial one, right-hand side
    table = [
        [Fraction(i == j) for j in range(n)] + [-v for v in M[i]] + [Fraction(-1), q[i]]
        for i in range(n)
    ]
    basis, entering, artificial = list(range(n)), 2 * n, 2 * n

    def order(i: int) -> list[Fraction]:
        pivot = abs(table[i][entering])
        return [table[i][-1] / pivot, *(v / pivot for v in table[i][:n])]

    leaving = min(range(n), key=order)  # the most negative side
    while True:
        # pivot: the entering variable takes the place of the leaving one
        pivot = table[leaving][entering]
        row = table[leaving] = [v / pivot if v else v for v in table[leaving]]
        for i, other in enumerate(table):
            factor = other[entering]
            if i != leaving and factor:
                table[i] = [v - factor * p if p else v for v, p in zip(other, row, strict=True)]
        gone, basis[leaving] = basis[leaving], entering
        if gone == artificial:
            z = [Fraction()] * n
            for i, variable in enumerate(basis):
                if variable >= n:
                    z[variable - n] = table[i][-1]
            return z
        # the complement of what left enters; ratio test, the artificial variable first
        entering = gone + n if gone < n else gone - n
        positive = [i for i in range(n) if table[i][entering] > 0]
        if not positive:
            return None
        least = min(table[i][-1] / table[i][entering] for i in positive)
        tied = [i for i in positive if table[i][-1] == least * table[i][entering]]
        leaving = min(tied, key=lambda i: (basis[i] != artificial, order(i)))


@dataclass(frozen=True)
class _Conditions:
    """min linear's + 1/2 s'quadratic s over As >= b and s >= 0, with x = shift + T s."""

    shift: Numbers
    T: Matrix
    A: Matrix
    b: Numbers
    sides: Numbers
    linear: Numbers
    quadratic: Matrix

    def solved(self, *, feasible: bool = False) -> Numbers | None:
        """s and the multipliers of the rows; ``feasible``: of no objective."""
        n = len(self.linear)
        nothing = [Fraction()] * n
        Q, c = ([nothing] * n, nothing) if feasible else (self.quadratic, self.linear)
        top = [[*Q[k], *(-row[k] for row in self.A)] for k in range(n)]
        rest = [[*row, *[Fraction()] * len(self.A)] for row in self.A]
        return complementary(top + rest, [*c, *(-v for v in self.b)])

    def point(self, z: Numbers) -> Numbers:
        """The x of a solution."""
        s = z[: len(self.linear)]
        return [end + dot(row, s) for end, row in zip(self.shift, self.T, strict=True)]


def conditions(program: Small) -> _Conditions:
    n = len(program.cost)
    # s_j from a finite end of x_j; free variables share one that is taken off
    shift, T = [Fraction()] * n, [[Fraction()] * (n + 1) for _ in range(n)]
    for j, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        end = low if math.isfinite(low) else high
        shift[j] = Fraction(end) if math.isfinite(end) else Fraction()
        T[j][j] = Fraction(-1 if math.isinf(low) and math.isfinite(high) else 1)
        T[j][n] = Fraction(-1 if math.isinf(low) and math.isinf(high) else 0)
    columns = [list(column) for column in zip(*T, strict=True)]
    A, b, sides = [], [], []
    for place, (a, low, high) in enumerate(program.sides()):
        own = place >= len(program.rows)  # a variable, whose first end is s >= 0
        if own and not (math.isfinite(low) and math.isfinite(high)):
            continue
        exact = [Fraction(v) for v in a]
        for side, sign in ((-INF if own else low, 1), (high, -1)):
            if math.isfinite(side):
                A.append([sign * dot(exact, column) for column in columns])
                b.append(sign * (Fraction(side) - dot(exact, shift)))
                sides.append(Fraction(side))
    H = program.hessian()
    slope = [Fraction(c) + dot(H[j], shift) for j, c in enumerate(program.cost)]
    images = [[dot(row, column) for row in H] for column in columns]
    quadratic = [[dot(column, image) for image in images] for column in columns]
    return _Conditions(shift, T, A, b, sides, [dot(slope, c) for c in columns], quadratic)


def truth_of(program: Small) -> Truth:
    """What is known of the optimum: all, but of squares that are not convex."""
    if any(program.whole):
        return whole_truth(program)
    return _convex_truth(program) if program.convex() else _lowest_known(program)


def _convex_truth(program: Small) -> Truth:
    # no solution: of the conditions without the objective neither means infeasible
    asked = conditions(program)
    z = asked.solved()
    if z is None and asked.solved(feasible=True) is not None:
        return Truth("unbounded")
    if z is None:
        # a tolerance may call it feasible: nothing is said then
        loose = conditions(program.loosened()).solved(feasible=True)
        return Truth("infeasible" if loose is None else "blurred")
    # back to x; the multipliers price a miss of the sides
    n = len(program.cost)
    s, y, x = z[: n + 1], z[n + 1 :], asked.point(z)
    # reduced costs of the ends that s starts from
    d = [
        asked.linear[k] + dot(asked.quadratic[k], s) - dot(y, [row[k] for row in asked.A])
        for k in range(n)
    ]
    sides = [abs(side) for side in (*asked.shift, *asked.sides)]
    leeway = TOLERANCE * dot([*d, *y], [max(Fraction(1), side) for side in sides])
    size = dot([*d, *y], sides) + sum(map(abs, program.terms(x)))
    return Truth("optimal", program.value(x), leeway, size)


def whole_truth(program: Small, most: int | None = None) -> Truth:
    """Branch and bound; ``unknown`` where a relaxation is unbounded, or after ``most`` nodes."""
    best, waiting, nodes = Truth("infeasible"), [program], 0
    while waiting:
        if nodes == most:
            return Truth("unknown")
        nodes += 1
        # the relaxation of a node: cut off if infeasible, or no better than the best point
        node = waiting.pop()
        asked = conditions(node)
        z = asked.solved()
        if z is None:
            if asked.solved(feasible=True) is not None:
                return Truth("unknown")
            continue
        x = asked.point(z)
        value = program.value(x)
        if best.status == "optimal" and value >= best.value:
            continue
        # a whole point is the best one; else its first fraction is branched on
        broken = [j for j, whole in enumerate(program.whole) if whole and x[j].denominator > 1]
        if not broken:
            size = 1 + sum(map(abs, program.terms(x)))
            best = Truth("optimal", value, 10 * TOLERANCE * size, size)
            continue
        j, floor = broken[0], float(math.floor(x[broken[0]]))
        upper, lower = list(node.upper), list(node.lower)
        upper[j], lower[j] = floor, floor + 1.0
        waiting += [replace(node, upper=tuple(upper)), replace(node, lower=tuple(lower))]
    return best


def along(program: Small, x: Numbers, j: int) -> Numbers:
    """The best point that x becomes where x_j alone moves, exactly."""
    # how far x_j may move: every row and bound
    low, high = -INF, INF
    for a, least, most in program.sides():
        slope = Fraction(a[j])
        if slope:
            others = dot([Fraction(v) for v in a], x) - slope * x[j]
            for side, lowest in ((least, slope > 0), (most, slope < 0)):
                if math.isfinite(side):
                    end = (Fraction(side) - others) / slope
                    low, high = (max(low, end), high) if lowest else (low, min(high, end))
    # the objective along it is bend t^2 + tilt t: its ends, and its vertex
    bend = sum((Fraction(v) for i, k, v in program.squares if i == k == j), Fraction())
    tilt = Fraction(program.cost[j])
    for i, k, v in program.squares:
        if (i == j) != (k == j):
            tilt += Fraction(v) * x[k if i == j else i]
    tried = [end for end in (low, high) if math.isfinite(end)]
    if bend > 0:
        tried.append(min(max(-tilt / (2 * bend), low), high))
    points = [[*x[:j], Fraction(end), *x[j + 1 :]] for end in tried if low <= high]
    return min([x, *points], key=program.value)


def _lowest_known(program: Small) -> Truth:
    """Vertices of the box that meet the rows, each moved along its axes."""
    best = None
    ends = zip(program.lower, program.upper, strict=True)
    if all(map(math.isfinite, (*program.lower, *program.upper))):
        for corner in product(*ends):
            x = [Fraction(v) for v in corner]
            if program.outside(x) > 0:
                continue
            # two rounds along the axes
            for j in (*range(len(x)), *range(len(x))):
                x = along(program, x, j)
            best = x if best is None else min(best, x, key=program.value)
    if best is None:
        return Truth("unknown")
    return Truth("at most", program.value(best), size=1 + sum(map(abs, program.terms(best))))
