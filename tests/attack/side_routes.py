"""Random small programs through every route beside ``fit``, against their exact optimum.

python tests/attack/side_routes.py --count 2000 --seed 0 --jobs 1

One line for each false claim, with its program; exit code 1 where there is one. ``--routes
cuts,columns`` draws these alone. The optimum is known in rational arithmetic
(``exact_programs.py``): nothing of the project judges.
"""

import math
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pyomo.environ as pyo
from exact_programs import INF, TOLERANCE, Small, Truth, along, truth_of
from integer_programs import LOOSE, Drawn, completed, exactly, outside
from script_options import run, silent

import radprog as rp

SOLVERS = ("highs", "piqp", "ipopt", "clarabel", "scip")
ROUNDING, LEAST_GAP = Fraction(1, 10**12), Fraction(1, 10**9)  # of a sum's terms; of an objective
Point = Sequence[float | None] | None


@dataclass(frozen=True)
class Claim:
    """What a route says of the minimisation; ``unit``: what its objective was multiplied by.

    status: ``optimal``, ``infeasible``, ``unbounded`` where these are said to be proved, else any
    other word. points: what it returned and what it left in the model. given: the point that it
    judged. proved: the bound is a proof, and not the word of a search."""

    status: str
    objective: float | None = None
    bound: float | None = None
    points: dict[str, Point] = field(default_factory=dict)
    given: Sequence[float] | None = None
    proved: bool = False
    unit: float = 1.0
    fault: str = ""


def fault_of(program: Small, truth: Truth, claim: Claim) -> str:
    """What is false in a claim, beginning with its kind, or nothing."""
    unit, whole = Fraction(claim.unit), any(program.whole)
    value = truth.value * unit
    told = f"it is {truth.status} {float(value):.15g}"
    # the word against the truth
    false = {
        "infeasible": ("optimal", "at most", "unbounded"),
        "unbounded": ("optimal", "infeasible"),
        "optimal": ("infeasible", "unbounded"),
        "feasible": ("infeasible",) if whole else (),
    }
    if not claim.fault and truth.status in false.get(claim.status, ()):
        return f"{claim.status}: {claim.objective!r}, but {told}"
    # points are feasible, whatever is said of them
    fault = claim.fault or _points_fault(program, claim, told) or _given_fault(program, claim)
    if fault:
        return fault
    # a bound is not beyond the optimum, but for the rounding of its sum; that of a search, of
    # programs with integers alone
    room = ROUNDING * truth.size * abs(unit)
    allowed = max(TOLERANCE * abs(value), LEAST_GAP)
    judged = claim.bound is not None and claim.bound > -INF and (claim.proved or whole)
    if judged and truth.status == "unbounded" and claim.bound < INF:
        return f"bound: {claim.bound!r}, but {told}"
    if truth.status not in ("optimal", "at most"):
        return ""
    if judged:
        over = INF if claim.bound == INF else Fraction(claim.bound) - value
        if over > room + (0 if claim.proved else allowed):
            return f"bound: {claim.bound!r} beyond, {told}"
    # an objective is not better than the optimum, and no worse than the tolerance
    if claim.status not in ("optimal", "feasible"):
        return ""
    if claim.objective is None or not math.isfinite(claim.objective):
        return f"{claim.status}: objective {claim.objective!r}, but {told}"
    off = Fraction(claim.objective) - value
    below = room if whole and all(program.whole) else room + allowed + 2 * truth.leeway * abs(unit)
    better = truth.status == "optimal" and off < -below
    if better or (claim.status == "optimal" and off > allowed + room):
        return f"{claim.status}: {claim.objective!r}, but {told}"
    return ""


def _points_fault(program: Small, claim: Claim, told: str) -> str:
    """What is false in the points: of integers in any, else in those that are called optimal."""
    whole = any(program.whole)
    p, unit = exactly(program) if whole else program, Fraction(claim.unit)
    exact = not program.epigraph and (all(program.whole) or not whole)
    for name, values in claim.points.items():
        if values is None or all(v is None for v in values):
            continue
        if any(v is None or not math.isfinite(v) for v in values):
            return f"{name}: holds {values}"
        x = [Fraction(v) for v in values if v is not None]
        if whole:
            decimals = [_decimal(v, w) for v, w in zip(x, p.whole, strict=True)]
            broken = outside(p, decimals)
        else:
            miss = p.outside(x) if claim.status == "optimal" else Fraction()
            broken = f"outside by {float(miss):.3g}" if miss > TOLERANCE * Fraction(1.01) else ""
        if broken:
            return f"{name}: {broken}, {claim.status} {claim.objective!r}, {told}"
        if claim.objective is not None and claim.status in ("optimal", "feasible"):
            room = sum(map(abs, p.terms(x)), Fraction(1)) * (ROUNDING if exact else TOLERANCE)
            if abs(Fraction(claim.objective) - p.value(x) * unit) > room * abs(unit):
                return f"{name}: objective {claim.objective!r} is {float(p.value(x)):.15g}"
    return ""


def _decimal(value: Fraction, whole: bool) -> Fraction:
    """A whole number as it is; any other as the decimal that is written for it."""
    return value if whole else Fraction(repr(float(value)))


def _given_fault(program: Small, claim: Claim) -> str:
    """What is false in the judgement of a point that was given, of a program with integers."""
    if claim.given is None:
        return ""
    p, x = exactly(program), [Fraction(repr(v)) for v in claim.given]
    near = [Fraction(round(v)) if w else v for v, w in zip(x, p.whole, strict=True)]
    whole = all(abs(v - u) <= TOLERANCE for v, u in zip(x, near, strict=True))
    broken = outside(p, near) if whole else "not whole"
    if claim.status == "violated" and near == x and not outside(p, x, Fraction()):
        return "violated: said of a feasible point"
    if claim.status in ("optimal", "feasible") and broken:
        # the continuous columns may be solved for again
        fixed = {j: v for j, (v, w) in enumerate(zip(near, p.whole, strict=True)) if w}
        if all(p.whole) or not whole or completed(p, fixed, 2 * TOLERANCE).status == "infeasible":
            return f"{claim.status}: {claim.objective!r} of a point where {broken}"
    return ""


# The programs


def draw(seed: int) -> Small:
    """The program of a seed."""
    rng = random.Random(f"side routes {seed}")
    outside = rng.random() < 0.1  # of what is promised: slightly indefinite, or of unlike units
    # the family: linear, convex, whole, or one outside the promise
    family = rng.choice(("blocks", "units") if outside else ("linear", "linear", "convex", "whole"))
    program = _linear(rng, rng.choice((2, 2, 3, 3, 4, 5, 8)), rng.randint(0, 4))
    if family == "convex":
        program = _with_squares(rng, program)
    elif family == "blocks":
        program = _blocks(rng)
    elif family == "whole":
        program = _whole(rng, _linear(rng, rng.randint(2, 4), rng.randint(1, 3)))
    elif family == "units":
        program = _in_units(rng, program)
    # a constant, factors of the user, a sense, squares in a row
    if rng.random() < 0.3:
        program = replace(program, constant=float(rng.choice((1, -40, 1e6, 0.1))))
    if rng.random() < 0.2:
        size = 1 + len(program.rows) + len(program.cost)
        factors = [float(rng.choice((1, 1, 7, 1e-3, 1e4))) for _ in range(size)]
        program = replace(program, factors=tuple(factors))
    epigraph = bool(program.squares) and not any(program.whole) and rng.random() < 0.15
    return replace(program, maximise=rng.random() < 0.3, epigraph=epigraph)


def _linear(rng: random.Random, n: int, m: int) -> Small:
    """A linear program around a point that is optimal, or of any costs; at times infeasible.

    Its numbers are multiples of 1/4: without rounding, costs that are planted are what they are."""
    fine = rng.random() < 0.3

    def number(size: int = 5) -> float:
        return rng.randint(-4 * size, 4 * size) / 4 if fine else float(rng.randint(-size, size))

    x, lower, upper, cost = [], [], [], [0.0] * n
    kinds = rng.choice((("free", "box", "low", "low", "high"), ("box",)))
    for j in range(n):
        # the planted point: inside, or at an end with the sign of reduced cost that keeps it
        kind, at, width = rng.choice(kinds), number(3), rng.randint(1, 5)
        end = rng.random() < 0.5  # at an end, with a reduced cost that keeps it there
        lower.append(at - (0 if end else width) if kind in ("low", "box") else -INF)
        upper.append(at + (0 if end else width) if kind == "high" else INF)
        if kind == "box":
            upper[j] = lower[j] + width + (0 if end else width)
        x.append(at)
        if end and kind != "free":
            cost[j] = abs(number()) * (-1 if kind == "high" else 1)
    rows = []
    for _ in range(m):
        # a row through the planted point, tight or with slack
        a = tuple(number() if rng.random() < 0.7 else 0.0 for _ in range(n))
        activity, slack = sum(map(float.__mul__, a, x)), float(rng.choice((0, 0, 1, 10)))
        kind, price = rng.choice(("at most", "at least", "equal", "range")), abs(number())
        low = -INF if kind == "at most" else activity - (slack if kind != "equal" else 0.0)
        high = INF if kind == "at least" else activity + (slack if kind == "at most" else 0.0)
        high = activity + 2.0 if kind == "range" else high
        rows.append((a, low, high))
        if not slack or kind == "equal":  # the row is tight: it may have a price
            sign = -1 if kind == "at most" else 1
            cost = [c + sign * price * v for c, v in zip(cost, a, strict=True)]
    if rng.random() < 0.15:
        cost = [number() for _ in range(n)]  # unbounded, as often as not
    if rows and rng.random() < 0.1:  # a row that contradicts another one
        a, low, high = rng.choice(rows)
        far = high + rng.choice((1e-2, 1, 1e3)) if high < INF else low - 1.0
        rows.append((a, far, INF) if high < INF else (a, -INF, far))
    return Small(tuple(cost), tuple(lower), tuple(upper), tuple(rows))


def _with_squares(rng: random.Random, program: Small) -> Small:
    """Convex squares of sums of variables, of very different sizes."""
    n = len(program.cost)
    squares: dict[tuple[int, int], float] = {}
    for _ in range(rng.randint(1, n)):
        # weight (a'x)^2, as its products
        a = [float(rng.choice((0, 0, 1, -1, 2))) for _ in range(n)]
        weight = 2.0 ** rng.choice((-1, 0, 0, 1))
        for i, j in combinations_with_replacement([k for k in range(n) if a[k]], 2):
            entry = weight * a[i] * a[j] * (1 if i == j else 2)
            squares[i, j] = squares.get((i, j), 0.0) + entry
    return replace(program, squares=tuple((i, j, v) for (i, j), v in squares.items() if v))


def _blocks(rng: random.Random) -> Small:
    """Squares of very different sizes, slightly indefinite or nearly flat ones, in a box."""
    size = float(rng.choice((1, 1, 10, 1e3, 1e4, 1e5)))
    big = float(rng.choice((1, 1e4, 2e8)))
    eps = rng.choice((-1, -1, 1)) * 10.0 ** rng.uniform(-9, -7)
    kind = rng.choice(("product", "flat", "both"))
    squares, n = [(0, 0, big)], 3
    if kind == "product":
        squares.append((1, 2, rng.choice((1.0, 1e-2, 3.0))))
    elif kind == "flat":  # (y + z)^2 + eps (y - z)^2
        squares += [(1, 1, 1 + eps), (2, 2, 1 + eps), (1, 2, 2 - 2 * eps)]
    else:
        squares, n = [(0, 0, 1.0), (0, 1, 2.0), (1, 1, 1.0 + eps), (2, 2, big)], 3
    cost = tuple(float(rng.choice((0, 0, 0, 1, -1))) for _ in range(n))
    rows = (((1.0, 1.0, 1.0), -INF, size),) if rng.random() < 0.3 else ()
    return Small(cost, (-size,) * n, (size,) * n, rows, tuple(squares))


def _whole(rng: random.Random, program: Small) -> Small:
    """Some variables whole, between small ends."""
    whole = [rng.random() < 0.7 for _ in program.cost]
    whole[0] = True
    lower, upper = list(program.lower), list(program.upper)
    for j, is_whole in enumerate(whole):
        if is_whole or math.isinf(lower[j]) or math.isinf(upper[j]):
            lower[j] = float(rng.choice((0, 0, -2)))
            upper[j] = lower[j] + rng.randint(1, 4)
    return replace(program, whole=tuple(whole), lower=tuple(lower), upper=tuple(upper))


def _in_units(rng: random.Random, program: Small) -> Small:
    """Rows of 1e-7 or 1e4 times their numbers, variables in small units, dear costs: of powers of
    2, which are exact."""
    rows = []
    for a, low, high in program.rows:
        by = 2.0 ** rng.choice((0, -23, -23, 13))
        rows.append((tuple(by * v for v in a), by * low, by * high))
    by = 2.0 ** rng.choice((0, 0, 30, -20))
    program = replace(program, rows=tuple(rows), cost=tuple(by * c for c in program.cost))
    if rng.random() < 0.4:  # all variables in units of 1e-6 or 1e6
        unit = 2.0 ** rng.choice((-20, 20))
        rows = [(a, unit * low, unit * high) for a, low, high in program.rows]
        lower, upper = (tuple(unit * v for v in ends) for ends in (program.lower, program.upper))
        program = replace(program, rows=tuple(rows), lower=lower, upper=upper)
    return program


# The routes


def build(program: Small, *, rows: Sequence[int] | None = None) -> Any:
    """The program in Pyomo, with these of its rows: x, row, objective; ``none`` is fixed at 0."""
    program = program.doubles()
    m = pyo.ConcreteModel()
    n = len(program.cost)
    whole = program.whole or (False,) * n
    m.x = pyo.Var(
        range(n),
        bounds=lambda _, j: tuple(
            v if math.isfinite(v) else None for v in (program.lower[j], program.upper[j])
        ),
        domain=lambda _, j: pyo.Integers if whole[j] else pyo.Reals,
    )
    m.none = pyo.Var(initialize=0.0)
    m.none.fix(0.0)
    chosen = range(len(program.rows)) if rows is None else rows
    m.row = pyo.Constraint(chosen, rule=lambda _, i: written(m, program, i))
    value = sum(c * m.x[j] for j, c in enumerate(program.cost) if c) + program.constant + m.none
    curved = sum(v * m.x[i] * m.x[j] for i, j, v in program.squares)
    if program.epigraph:
        m.top = pyo.Var()
        m.below = pyo.Constraint(expr=curved - m.top <= 0)
        curved = m.top
    sign = -1 if program.maximise else 1
    sense = pyo.maximize if program.maximise else pyo.minimize
    m.objective = pyo.Objective(expr=sign * (value + curved), sense=sense)
    if program.factors:
        m.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
        parts = [m.objective, *m.x.values(), *m.row.values()]
        for part, factor in zip(parts, program.factors, strict=False):
            m.scaling_factor[part] = factor
    return m


def written(m: Any, program: Small, i: int) -> Any:
    """A row as a Pyomo inequality."""
    a, low, high = program.doubles().rows[i]
    body = sum(v * m.x[j] for j, v in enumerate(a) if v) + m.none
    if low == high:
        return body == low
    if math.isinf(low) or math.isinf(high):
        return body <= high if math.isinf(low) else body >= low
    return pyo.inequality(low, body, high)


def signed(program: Small, value: float | None) -> float | None:
    """A value in the model's sense as one of the minimisation."""
    return value if value is None or not program.maximise else -value


def routes_of(program: Small) -> list[str]:
    """Every route that the program can take; it may be refused on each."""
    names = ["solve:", *(f"solve:{name}" for name in SOLVERS)]
    if not program.epigraph:
        names += [f"verify:{name}:{form}" for name in ("highs", "scip") for form in ("mps", "lp")]
    if any(program.whole):
        return names
    names += [f"{how}:{name}" for how in ("certify", "nudge") for name in ("", "ipopt", "piqp")]
    if not program.squares:
        names += ["cuts:all", "cuts:half", "columns:all", "columns:half", "columns:any"]
    elif not program.epigraph:
        names.append("alternate")
    return names


def values_in(m: Any) -> Point:
    """What the model holds."""
    return [v.value for v in m.x.values()]


def limit(program: Small) -> float:
    """Seconds of a call: SCIP searches for ever on what is unbounded."""
    return 5.0 if any(program.whole) else 1.0


def solved(program: Small, found: Any, *, proved: bool = False, **points: Point) -> Claim:
    """The claim of a result with an objective and a bound in the model's sense."""
    objective, bound = (signed(program, v) for v in (found.objective, found.bound))
    return Claim(found.status.value, objective, bound, points, proved=proved)


def _solve(drawn: Drawn, name: str) -> Claim:
    m = build(drawn.program)
    found = rp.solve(m, name or None, time_limit=limit(drawn.program))
    x = None if found.x is None else [float(v) for v in found.x[: len(drawn.program.cost)]]
    stored = None if x is None and not any(drawn.program.whole) else values_in(m)
    proved = found.row_duals is not None
    return solved(drawn.program, found, proved=proved, returned=x, stored=stored)


def _certify(drawn: Drawn, name: str) -> Claim:
    program = drawn.program
    m = build(program)
    rp.solve(m, name or None, time_limit=limit(program))
    return replace(certified(program, rp.certify(m)), points={"stored": values_in(m)})


def _nudge(drawn: Drawn, name: str) -> Claim:
    """Another point and other multipliers than the solver's: the bound is of any."""
    program = drawn.program
    m = build(program)
    rp.solve(m, name or None, time_limit=limit(program))
    rng = random.Random(program.text())
    if m.component("dual") is None or any(part.value is None for part in m.x.values()):
        return Claim("no point")
    for part in m.x.values():
        part.set_value(part.value + rng.choice((0, 1e-7, -1e-7, 9e-7)), skip_validation=True)
    size = rng.choice((1.0, 0.5, 1e6))
    for row in m.dual:
        m.dual[row] *= size * rng.choice((1.0, 1.0 + 1e-8, 0.99))
    return replace(certified(program, rp.certify(m)), points={"stored": values_in(m)})


def certified(program: Small, found: Any) -> Claim:
    """The claim of the judgement of a model's point."""
    objective, bound = (signed(program, v) for v in (found.objective, found.bound))
    status = "optimal" if found.certified else found.status
    return Claim(status, objective, bound, proved=True)


def _verify(drawn: Drawn, detail: str) -> Claim:
    name, _, form = detail.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/program.{form}"
        rp.export(build(drawn.program), path)
        found = rp.verify(path, name, time_limit=limit(drawn.program))
    # the file is a minimisation
    said = found.agrees if any(drawn.program.whole) else found.proven
    unit = drawn.program.factors[0] if drawn.program.factors else 1.0
    return Claim(found.answer.status.value if said else "-", found.objective, unit=unit)


def _cuts(drawn: Drawn, detail: str) -> Claim:
    """Rows that are left out, each returned the first time that it is violated: without integers
    at all, else as ``outside`` says."""
    program, p = drawn.program, exactly(drawn.program)
    loose = LOOSE if any(program.whole) else Fraction()
    chosen = [i for i in range(len(p.rows)) if detail == "all" or i % 2 == 0]
    hidden = [i for i in chosen if any(p.rows[i][0])]
    m = build(program, rows=[i for i in range(len(p.rows)) if i not in hidden])
    free: dict[str, Any] = {"lower": (-INF,) * len(p.cost), "upper": (INF,) * len(p.cost)}
    returned: set[int] = set()

    def separate(values: Any) -> list[Any]:
        x = [Fraction(repr(values[m.x[j]])) for j in m.x]
        kept = tuple(w and v.denominator == 1 for v, w in zip(x, p.whole, strict=True))
        alone = {i: replace(p, rows=(p.rows[i],), whole=kept, **free) for i in hidden}
        new = [i for i in hidden if i not in returned and outside(alone[i], x, loose)]
        returned.update(new)
        return [written(m, program, i) for i in new]

    found = rp.cutting_planes(m, separate, time_limit=limit(program))
    stored = values_in(m) if found.objective is not None and any(program.whole) else None
    claim = solved(program, found, proved=not any(program.whole), stored=stored)
    # unbounded is said of the rows so far
    return replace(claim, status="limit") if claim.status == "unbounded" else claim


def _columns(drawn: Drawn, detail: str) -> Claim:
    """Columns that are left out, each returned whenever its reduced cost improves."""
    program = drawn.program
    n, sign = len(program.cost), -1.0 if program.maximise else 1.0
    hidden = [j for j in range(n) if program.lower[j] == 0.0 or detail == "any"]
    hidden = [j for j in hidden if detail != "half" or j % 2 == 0]
    master = build(program)
    for j in hidden:  # fixed at 0, for there are rows of no other variable
        master.x[j].setlb(None)
        master.x[j].setub(None)
        master.x[j].fix(0.0)
    # the largest sum that the columns can have in a solution, exactly
    sums = truth_of(replace(program, cost=tuple(-float(j in hidden) for j in range(n)), constant=0))
    count = math.nextafter(float(-sums.value), INF) if sums.status == "optimal" else None
    columns = []
    for j in hidden:
        entries = {master.row[i]: a[j] for i, (a, _, _) in enumerate(program.rows) if a[j]}
        bounds = program.lower[j], program.upper[j]
        columns.append(rp.Column(sign * program.cost[j], entries, *bounds, name=f"column{j}"))

    def price(multipliers: Any) -> rp.PricedColumns:
        costs = [sign * multipliers.reduced_cost(column) for column in columns]
        new = [column for column, cost in zip(columns, costs, strict=True) if cost < 0.0]
        return rp.PricedColumns(new, sign * min(costs, default=0.0), count)

    found = rp.column_generation(master, price, time_limit=limit(program))
    claim, fault = solved(program, found, proved=True), ""
    objective = claim.objective
    if found.certified and objective is not None:
        y = [Fraction(sign * found.multipliers[master.row[i]]) for i in master.row]
        low = max(_lagrangian(program, y, hidden, most) for most in (count, None))
        if low < objective - 2 * float(TOLERANCE) * (1 + abs(objective)):
            fault = f"multipliers: of a Lagrangian {low:.12g} for {objective:.12g}"
    return replace(claim, fault=fault)


def _lagrangian(
    program: Small, y: Sequence[Fraction], hidden: Sequence[int], count: float | None
) -> float:
    """The least value of the Lagrangian at multipliers of the rows, but for roundings of theirs;
    the values of hidden columns have at most the sum ``count``, or keep to their bounds."""
    value, least = Fraction(program.constant), Fraction()
    for (_, low, high), price in zip(program.rows, y, strict=True):
        side = low if price > 0 else high
        if price and math.isinf(side):
            return -INF
        value += price * Fraction(side) if price else 0
    for j, cost in enumerate(program.cost):
        pairs = zip(program.rows, y, strict=True)
        terms = [Fraction(cost), *(-p * Fraction(row[0][j]) for row, p in pairs)]
        slope = sum(terms, Fraction())
        end = program.lower[j] if slope > 0 else program.upper[j]
        rounding = abs(slope) <= Fraction(1, 10**8) * (1 + sum(map(abs, terms)))
        if j in hidden and count is not None:
            least = min(least, slope)
        elif math.isfinite(end):
            value += slope * Fraction(end)
        elif not rounding:
            return -INF
    return float(value + least * Fraction(count or 0))


def _alternate(drawn: Drawn, _: str) -> Claim:
    """Blocks of one variable and of the rest: neither may be improved along an axis of its own."""
    program = drawn.program
    m = build(program)
    n = len(program.cost)
    for j in range(n):
        low, high = program.lower[j], program.upper[j]
        m.x[j].set_value(min(max(0.0, low), high))
    found = rp.alternate(m, [[m.x[0]], [m.x[j] for j in range(1, n)]], time_limit=limit(program))
    x = [Fraction(found.values[m.x[j].name]) for j in range(n)]
    value = program.value(x)
    objective = signed(program, found.objective)
    if objective is not None:
        clipped = [
            min(max(v, Fraction(low) if low > -INF else v), Fraction(high) if high < INF else v)
            for v, low, high in zip(x, program.lower, program.upper, strict=True)
        ]
        if program.outside(clipped) == 0:
            better = min((along(program, clipped, j) for j in range(n)), key=program.value)
            told = "no block improves it" in found.message
            if told and program.value(better) < value - 2 * TOLERANCE * max(1, abs(value)):
                said = f"{objective:.12g}, an axis has {float(program.value(better)):.12g}"
                return Claim(found.status.value, objective, fault=f"alternate: {said}")
        if abs(value - Fraction(objective)) > TOLERANCE * max(1, abs(value)):
            return Claim("", fault=f"objective: {objective:.12g} is {float(value):.12g}")
    return Claim(found.status.value, objective)


ROUTES: dict[str, Callable[[Drawn, str], Claim]] = {
    "solve": _solve,
    "certify": _certify,
    "nudge": _nudge,
    "verify": _verify,
    "cuts": _cuts,
    "columns": _columns,
    "alternate": _alternate,
}


def claim_of(routes: dict[str, Callable[[Drawn, str], Claim]], drawn: Drawn, route: str) -> Claim:
    """What a route says; the status is the error's name where it is refused."""
    how, _, detail = route.partition(":")
    try:
        with silent():
            return routes[how](drawn, detail)
    except rp.RadprogError as error:
        return Claim(type(error).__name__)
    except Exception as error:  # a traceback: no word of the project
        return Claim("traceback", fault=f"traceback: {type(error).__name__}: {error}")


# Findings


@dataclass(frozen=True)
class Finding:
    seed: int
    route: str
    fault: str
    program: Small

    def __str__(self) -> str:
        return f"seed {self.seed} {self.route}: {self.fault} | {self.program.text()}"


def examine(seed: int, routes: Sequence[str] = (), most: int = 8) -> list[Finding]:
    """What the routes say falsely of the program of a seed, one finding for each kind."""
    program = draw(seed)
    drawn = Drawn("side", program, truth_of(program))
    found: dict[tuple[str, str], Finding] = {}
    names = [r for r in routes_of(program) if not routes or {r, r.partition(":")[0]} & {*routes}]
    for route in random.Random(seed).sample(names, min(len(names), most)):
        kind = route.partition(":")[0]
        fault = fault_of(program, drawn.known, claim_of(ROUTES, drawn, route))
        if fault:
            found.setdefault((kind, fault.partition(":")[0]), Finding(seed, route, fault, program))
    return [*found.values()]


if __name__ == "__main__":
    sys.exit(run(__doc__, examine, routes=ROUTES))
