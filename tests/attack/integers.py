"""Random small programs with integers through every route, against their exact optimum.

python tests/attack/integers.py --count 2000 --seed 0 --jobs 1

One line for each false claim, and a smaller program that shows it as a script; at the end, what
was claimed of each kind and how long it took. Exit code 1 where a claim is false. ``--routes
solve,certify`` and ``--kinds "big M,subset"`` draw these alone. ``--time`` measures ``rp.solve``
alone. The optimum is known in rational arithmetic (``integer_programs.py``).
"""

import argparse
import contextlib
import io
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pyomo.environ as pyo
from differential import silent
from exact_programs import Small
from integer_programs import (
    KINDS,
    Drawn,
    Known,
    TooLargeError,
    completed,
    draw,
    exactly,
    optimum,
    outside,
    smaller,
)

import radprog as rp
from radprog.cli import main as command

SOLVERS = ("", "highs", "scip")
GAP, LEAST_GAP = Fraction(1, 10**6), Fraction(1, 10**9)  # of an optimum, relative and absolute
ROUNDING = Fraction(1, 10**12)  # of a sum, relative to its terms
LIMIT = 5.0  # seconds of one call
SHRUNK = 3  # programs made smaller for one fault of one route

Point = Sequence[float | None] | None


@dataclass(frozen=True)
class Claim:
    """What a route says of the minimisation.

    points: what it returned and what it left in the model. given: the point that it judged.
    proved: the bound is a proof, and not the word of a search."""

    status: str
    objective: float | None = None
    bound: float | None = None
    points: dict[str, Point] = field(default_factory=dict)
    given: Sequence[float] | None = None
    proved: bool = False
    fault: str = ""


def fault_of(program: Small, known: Known, claim: Claim) -> str:
    """What is false in a claim, beginning with its kind, or nothing."""
    if claim.fault:
        return claim.fault
    p, truth = exactly(program), f"{known.status} {float(known.value):.15g}"
    pure = all(p.whole)
    # the word against the truth
    words = {"optimal", "feasible"} if known.status == "infeasible" else {"optimal"}
    if claim.status in (words if known.status != "optimal" else ()):
        return f"{claim.status}: {claim.objective!r} of one that is {known.status}"
    if claim.status in ("infeasible", "unbounded") and claim.status != known.status:
        return f"{claim.status}: it is {truth}"
    # points are feasible, whatever is said of them
    for name, values in claim.points.items():
        if values is None or all(v is None for v in values):
            continue
        if any(v is None or not math.isfinite(v) for v in values):
            return f"{name}: holds {values}"
        x = [Fraction(v) for v in values if v is not None]
        if broken := outside(p, [_decimal(v, w) for v, w in zip(x, p.whole, strict=True)]):
            return f"{name}: {broken}, {claim.status} {claim.objective!r} where it is {truth}"
        if claim.objective is not None and claim.status in ("optimal", "feasible"):
            size = sum(map(abs, p.terms(x)), Fraction(1))
            if abs(Fraction(claim.objective) - p.value(x)) > (ROUNDING if pure else GAP) * size:
                return f"{name}: objective {claim.objective!r} is {float(p.value(x))!r}"
    if fault := _given(p, claim):
        return fault
    if known.status == "unbounded" and claim.bound is not None and math.isfinite(claim.bound):
        return f"bound: {claim.bound!r} of one that is unbounded"
    if known.status != "optimal":
        return ""
    # a bound is not beyond the optimum
    size = 1 + abs(known.value) if known.x is None else sum(map(abs, p.terms(known.x)), Fraction(1))
    room, allowed = ROUNDING * size, max(GAP * abs(known.value), LEAST_GAP)
    if claim.bound is not None and claim.bound > -math.inf:
        over = math.inf if claim.bound == math.inf else Fraction(claim.bound) - known.value
        if over > room + (0 if claim.proved else allowed):
            return f"bound: {claim.bound!r} beyond {truth}"
    # an objective is not better than the optimum, and no worse than the tolerance
    if claim.status not in ("optimal", "feasible"):
        return ""
    if claim.objective is None or not math.isfinite(claim.objective):
        return f"{claim.status}: objective {claim.objective!r} where it is {truth}"
    off = Fraction(claim.objective) - known.value
    below = room if pure else room + allowed + 2 * (known.value - known.lowest)
    if off < -below or (claim.status == "optimal" and off > allowed + room):
        return f"{claim.status}: {claim.objective!r} where it is {truth}"
    return ""


def _decimal(value: Fraction, whole: bool) -> Fraction:
    """A whole number as it is; any other as the decimal that is written for it."""
    return value if whole else Fraction(repr(float(value)))


def _given(p: Small, claim: Claim) -> str:
    """What is false in the judgement of a point that was given."""
    if claim.given is None:
        return ""
    x = [Fraction(repr(v)) for v in claim.given]
    near = [Fraction(round(v)) if w else v for v, w in zip(x, p.whole, strict=True)]
    whole = all(abs(v - u) <= Fraction(1, 10**6) for v, u in zip(x, near, strict=True))
    broken = outside(p, near) if whole else "not whole"
    if claim.status == "violated" and near == x and not outside(p, x, Fraction()):
        return "violated: said of a feasible point"
    if claim.status in ("optimal", "feasible") and broken:
        # the continuous columns may be solved for again
        fixed = {j: v for j, (v, w) in enumerate(zip(near, p.whole, strict=True)) if w}
        if all(p.whole) or not whole or completed(p, fixed, 2 * GAP).status == "infeasible":
            return f"{claim.status}: {claim.objective!r} of a point where {broken}"
    return ""


# The program, as a model and as a file


def build(program: Small, *, rows: Sequence[int] | None = None) -> Any:
    """The program in Pyomo, with these of its rows."""
    m = pyo.ConcreteModel()
    n = len(program.cost)

    def bounds(_: Any, j: int) -> tuple[float | None, float | None]:
        low, high = program.lower[j], program.upper[j]
        return low if math.isfinite(low) else None, high if math.isfinite(high) else None

    m.x = pyo.Var(
        range(n), bounds=bounds, domain=lambda _, j: pyo.Integers if program.whole[j] else pyo.Reals
    )
    chosen = range(len(program.rows)) if rows is None else rows
    m.row = pyo.Constraint(chosen, rule=lambda _, i: written(m, program, i))
    sign = -1 if program.maximise else 1
    value = sum((sign * c * m.x[j] for j, c in enumerate(program.cost) if c), 0.0 * m.x[0])
    m.objective = pyo.Objective(
        expr=value + sign * program.constant,
        sense=pyo.maximize if program.maximise else pyo.minimize,
    )
    return m


def written(m: Any, program: Small, i: int) -> Any:
    """A row as a Pyomo inequality."""
    a, low, high = program.rows[i]
    if not any(a):
        inside = low <= 0 <= high
        return pyo.Constraint.Feasible if inside else pyo.Constraint.Infeasible
    body = sum(v * m.x[j] for j, v in enumerate(a) if v)
    if low == high:
        return body == low
    if math.isinf(low) or math.isinf(high):
        return body <= high if math.isinf(low) else body >= low
    return pyo.inequality(low, body, high)


def lp_text(program: Small) -> str:
    """The program as an .lp file."""
    sign = -1 if program.maximise else 1

    def linear(a: Sequence[float], by: int = 1) -> str:
        return " ".join(f"{by * v:+.17g} x{j}" for j, v in enumerate(a) if v) or "0 x0"

    constant = f" {sign * program.constant:+.17g}" if program.constant else ""
    lines = ["maximize" if program.maximise else "minimize"]
    lines += [f" obj: {linear(program.cost, sign)}{constant}", "subject to"]
    for i, (a, low, high) in enumerate(program.rows):
        if low == high:
            lines.append(f" row{i}: {linear(a)} = {low!r}")
            continue
        lines += [f" low{i}: {linear(a)} >= {low!r}"] * math.isfinite(low)
        lines += [f" high{i}: {linear(a)} <= {high!r}"] * math.isfinite(high)
    lines.append("bounds")
    for j, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        ends = [
            "-inf" if low == -math.inf else repr(low),
            "inf" if high == math.inf else repr(high),
        ]
        lines.append(f" {ends[0]} <= x{j} <= {ends[1]}")
    lines += ["general", " " + " ".join(f"x{j}" for j, w in enumerate(program.whole) if w)]
    return "\n".join([*lines, "end", ""])


def script(program: Small, route: str) -> str:
    """The program as a script that a reader can run."""
    n, sign = len(program.cost), -1 if program.maximise else 1
    names = [f"x[{j}]" for j in range(n)]

    def linear(a: Sequence[float], by: int = 1) -> str:
        return (
            " + ".join(f"{by * v!r} * m.{x}" for v, x in zip(a, names, strict=True) if v)
            or "0.0 * m.x[0]"
        )

    ends = [
        [None if math.isinf(v) else v for v in b]
        for b in zip(program.lower, program.upper, strict=True)
    ]
    lines = [f"# {route}", "m = pyo.ConcreteModel()", f"ends, whole = {ends}, {program.whole}"]
    lines.append(
        f"m.x = pyo.Var(range({n}), bounds=lambda m, j: ends[j], "
        "domain=lambda m, j: pyo.Integers if whole[j] else pyo.Reals)"
    )
    for i, (a, low, high) in enumerate(program.rows):
        sides = [None if math.isinf(v) else v for v in (low, high)]
        lines.append(f"m.row{i} = pyo.Constraint(expr=({sides[0]}, {linear(a)}, {sides[1]}))")
    value = f"{linear(program.cost, sign)} + {sign * program.constant!r}"
    lines.append(
        f"m.f = pyo.Objective(expr={value}, sense=pyo.{'maximize' if sign < 0 else 'minimize'})"
    )
    return "\n".join("    " + line for line in lines)


# The routes


def _signed(program: Small, value: Any) -> float | None:
    if value is None:
        return None
    return float(-value if program.maximise else value)


def _values(m: Any) -> Point:
    return [v.value for v in m.x.values()]


def _solved(program: Small, found: Any, **points: Point) -> Claim:
    objective, bound = (_signed(program, v) for v in (found.objective, found.bound))
    return Claim(found.status.value, objective, bound, points)


def _solve(drawn: Drawn, name: str) -> Claim:
    m = build(drawn.program)
    found = rp.solve(m, name or None, time_limit=LIMIT)
    x = None if found.x is None else [float(v) for v in found.x]
    return _solved(drawn.program, found, returned=x, stored=_values(m))


def _file(drawn: Drawn, _: str) -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.lp")
        path.write_text(lp_text(drawn.program))
        found = rp.solve(path, time_limit=LIMIT)
        return _solved(drawn.program, found)


def _answer(drawn: Drawn, how: str) -> list[float] | None:
    """An optimal point, or the nearest to one, as it is or spoilt."""
    p, rng = drawn.program, random.Random(drawn.program.text())
    if drawn.known.x is None:
        return None
    x = [float(v) for v in drawn.known.x]
    whole = [j for j, w in enumerate(p.whole) if w]
    if how == "spoilt":  # one unit off, in one or two columns
        for j in rng.sample(whole, min(len(whole), rng.choice((1, 1, 2)))):
            by = rng.choice((-1.0, 1.0))
            x[j] += by if p.lower[j] <= x[j] + by <= p.upper[j] else -by
    elif how == "rounded":  # as solvers print it
        for j in range(len(x)):
            x[j] = x[j] + rng.choice((0.0, 4e-7, -4e-7)) if p.whole[j] else float(f"{x[j]:.7g}")
    return x


def _certify(drawn: Drawn, how: str) -> Claim:
    x = _answer(drawn, how)
    if x is None:
        return Claim("no point")
    m = build(drawn.program)
    for j, v in enumerate(x):
        m.x[j].set_value(v, skip_validation=True)
    found = rp.certify(m)
    status = "optimal" if found.certified else found.status
    objective, bound = (_signed(drawn.program, v) for v in (found.objective, found.bound))
    return Claim(status, objective, bound, given=x, proved=True)


def _command(drawn: Drawn, how: str) -> Claim:
    """``radprog certify``, and its exit code."""
    x, sign = _answer(drawn, how), -1 if drawn.program.maximise else 1
    if x is None:
        return Claim("no point")
    with tempfile.TemporaryDirectory() as folder:
        path, answer, verdict = (Path(folder, name) for name in ("p.lp", "p.sol", "v.json"))
        path.write_text(lp_text(drawn.program))
        value = sign * float(exactly(drawn.program).value([Fraction(repr(v)) for v in x]))
        lines = [f"# Objective value = {value!r}", *(f"x{j} {v!r}" for j, v in enumerate(x))]
        answer.write_text("\n".join(lines) + "\n")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = command(["certify", str(path), str(answer), "--json", str(verdict)])
        if code > 1:
            return Claim("refused")
        found = json.loads(verdict.read_text())
    status = "optimal" if code == 0 and found["status"] == "feasible" else found["status"]
    objective, bound = (_signed(drawn.program, found[k]) for k in ("objective", "bound"))
    return Claim(status, objective, bound, given=x, proved=True)


def _verify(drawn: Drawn, detail: str) -> Claim:
    name, _, form = detail.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/program.{form}"
        rp.export(build(drawn.program), path)
        found = rp.verify(path, name, time_limit=LIMIT)
    # the file is a minimisation
    status = found.answer.status.value if found.agrees else "does not agree"
    return Claim(status, found.objective)


def _analyze(drawn: Drawn, how: str) -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.lp")
        path.write_text(lp_text(drawn.program))
        found = rp.analyze(path if how == "file" else build(drawn.program), time_limit=LIMIT)
    objective, bound = (_signed(drawn.program, found.get(k)) for k in ("objective", "bound"))
    # by name: a file has its columns in the order in which they come up
    listed = {part["name"]: part["value"] for part in found.get("columns") or []}
    names = [f"x{j}" if how == "file" else f"x[{j}]" for j in range(len(drawn.program.cost))]
    point = [listed[name] for name in names] if {*names} <= {*listed} else None
    return Claim(str(found["status"]), objective, bound, {"columns": point})


def _cuts(drawn: Drawn, how: str) -> Claim:
    """Rows that are left out, each returned when a point breaks it."""
    program, p = drawn.program, exactly(drawn.program)
    hidden = [i for i in range(len(p.rows)) if any(p.rows[i][0]) and (how == "all" or i % 2 == 0)]
    m = build(program, rows=[i for i in range(len(p.rows)) if i not in hidden])
    free: dict[str, Any] = {"lower": (-math.inf,) * len(p.cost), "upper": (math.inf,) * len(p.cost)}
    returned: set[int] = set()

    def separate(values: Any) -> list[Any]:
        x = [Fraction(repr(values[m.x[j]])) for j in m.x]
        kept = tuple(w and v.denominator == 1 for v, w in zip(x, p.whole, strict=True))
        new = [
            i for i in hidden
            if i not in returned and outside(replace(p, rows=(p.rows[i],), whole=kept, **free), x)
        ]  # fmt: skip
        returned.update(new)
        return [written(m, program, i) for i in new]

    found = rp.cutting_planes(m, separate, time_limit=LIMIT)
    claim = _solved(program, found, stored=_values(m) if found.objective is not None else None)
    # unbounded is said of the rows so far
    return replace(claim, status="limit") if claim.status == "unbounded" else claim


def _tree(drawn: Drawn, _: str) -> Claim:
    if not all(drawn.program.whole):
        return Claim("not of integers alone")
    program = replace(drawn.program, maximise=False)
    m = build(program)

    def price(multipliers: Any, restrictions: Any = None) -> rp.PricedColumns:
        return rp.PricedColumns([], reduced_cost=0.0, count=0.0)

    found = rp.branch_and_price(m, price, time_limit=LIMIT)
    stored = None
    if found.objective is not None:
        best = found.model()
        stored = [best.find_component(v.name).value for v in m.x.values()]
    return replace(_solved(program, found, stored=stored), proved=True)


def _alternate(drawn: Drawn, _: str) -> Claim:
    """From an optimal point, over one column and over the others."""
    if drawn.known.x is None or drawn.known.status != "optimal" or len(drawn.known.x) < 2:
        return Claim("no point")
    m = build(drawn.program)
    for j, v in enumerate(drawn.known.x):
        m.x[j].set_value(float(v), skip_validation=True)
    found = rp.alternate(m, [[m.x[0]], [m.x[j] for j in m.x if j]], time_limit=LIMIT)
    x = [found.values[v.name] for v in m.x.values()]
    objective = _signed(drawn.program, found.objective)
    return Claim("feasible", objective, None, {"returned": x})


ROUTES: dict[str, Callable[[Drawn, str], Claim]] = {
    "solve": _solve,
    "file": _file,
    "certify": _certify,
    "command": _command,
    "verify": _verify,
    "analyze": _analyze,
    "cuts": _cuts,
    "tree": _tree,
    "alternate": _alternate,
}
OTHERS = (
    *(f"certify:{how}" for how in ("right", "spoilt", "rounded")),
    *(f"command:{how}" for how in ("right", "spoilt", "rounded")),
    *("file", "analyze:model", "analyze:file", "cuts:half", "cuts:all", "tree", "alternate"),
)
# a process each: one program in five takes one of them
VERIFIED = tuple(f"verify:{name}:{form}" for name in ("highs", "scip") for form in ("mps", "lp"))


def claim_of(drawn: Drawn, route: str) -> Claim:
    """What a route says; the status is the error's name where it refuses."""
    how, _, detail = route.partition(":")
    try:
        with silent():
            return ROUTES[how](drawn, detail)
    except rp.RadprogError as error:
        return Claim(type(error).__name__)
    except Exception as error:  # a traceback: no word of the project
        return Claim("traceback", fault=f"traceback: {type(error).__name__}: {error}")


# Findings


@dataclass(frozen=True)
class Finding:
    seed: int
    route: str
    kind: str
    fault: str
    program: Small
    known: Known

    @property
    def name(self) -> tuple[str, str]:
        """What findings are counted by."""
        return self.route.partition(":")[0], self.fault.partition(":")[0]

    def __str__(self) -> str:
        return f"seed {self.seed} {self.kind}, {self.route}: {self.fault}"


@dataclass
class Report:
    drawn: Drawn
    findings: list[Finding] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    short: int = 0  # optima within the tolerance, but not the best in units


def examine(
    seed: int, only: Sequence[str] = (), kinds: Sequence[str] = (), most: int = 5
) -> Report:
    """What the routes say of the program of a seed: of solving always, of ``most`` others."""
    drawn = draw(seed, kinds)
    report, rng = Report(drawn), random.Random(seed)
    routes = [f"solve:{name}" for name in SOLVERS]
    routes += rng.sample(OTHERS, most) if not only else OTHERS
    routes += rng.sample(VERIFIED, int(rng.random() < 0.2)) if not only else VERIFIED
    for route in routes:
        if only and not {route, route.partition(":")[0]} & {*only}:
            continue
        start = time.perf_counter()
        claim = claim_of(drawn, route)
        report.seconds[route] = time.perf_counter() - start
        report.words[route] = claim.status
        if fault := fault_of(drawn.program, drawn.known, claim):
            found = Finding(seed, route, drawn.kind, fault, drawn.program, drawn.known)
            report.findings.append(found)
        elif claim.status == "optimal" and claim.objective is not None:
            off, size = Fraction(claim.objective) - drawn.known.value, 1 + abs(drawn.known.value)
            report.short += all(drawn.program.whole) and off > 1000 * ROUNDING * size
    return report


def shrunk(found: Finding, seconds: float) -> Finding:
    """The smallest program of which the same route says the same falsehood."""
    end, progress = time.perf_counter() + seconds, True
    while progress and time.perf_counter() < end:
        progress = False
        for program in smaller(found.program):
            if time.perf_counter() > end:
                break
            try:
                known = optimum(program)
            except (TooLargeError, ZeroDivisionError):
                continue
            fault = fault_of(
                program, known, claim_of(Drawn(found.kind, program, known), found.route)
            )
            if fault.partition(":")[0] == found.name[1]:
                found = replace(found, program=program, known=known, fault=fault)
                progress = True
                break
    return found


def reports(seeds: Iterable[int], one: Callable[[int], Report], jobs: int) -> Iterator[Report]:
    """Of every seed, in their order."""
    if jobs == 1:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(one, seeds, chunksize=4)


class Tally:
    """How often each word was said of each kind by each route, and the seconds."""

    def __init__(self) -> None:
        self.words: Counter[tuple[str, str, str, str]] = Counter()
        self.seconds: dict[str, list[float]] = {}
        self.short = 0

    def add(self, report: Report) -> None:
        for route, word in report.words.items():
            self.words[route, report.drawn.kind, report.drawn.known.status, word] += 1
            self.seconds.setdefault(route, []).append(report.seconds[route])
        self.short += report.short

    def share(self, route: str, status: str, kind: str | None = None) -> str:
        """Of the programs of this status, how many a route says it of."""
        of = {
            word: sum(
                count for (r, k, s, w), count in self.words.items()
                if (r, s, w) == (route, status, word) and kind in (None, k)
            )
            for word in {key[3] for key in self.words}
        }  # fmt: skip
        total = sum(of.values())
        return f"{100 * of.get(status, 0) / total:.1f} of {total}" if total else "-"

    def lines(self) -> Iterator[str]:
        """A table of shares by kind, then the words and seconds of every route."""
        solves = [route for route in self.seconds if route.startswith("solve:")]
        kinds = [kind for kind in KINDS if any(key[1] == kind for key in self.words)]
        if solves:
            yield "optimal, in percent of those that have an optimum:"
            yield f"{'':<14}" + "".join(f"{route:>18}" for route in solves)
            for kind in (*kinds, None):
                cells = (f"{self.share(route, 'optimal', kind):>18}" for route in solves)
                yield f"{kind or 'all':<14}" + "".join(cells)
            for status in ("infeasible", "unbounded"):
                cells = (f"{self.share(route, status):>18}" for route in solves)
                yield f"{status:<14}" + "".join(cells)
            yield ""
        yield f"{'route':<20}{'calls':>7}{'median s':>10}{'most s':>8}  words, by what is true"
        for route, seconds in sorted(self.seconds.items()):
            said: Counter[str] = Counter()
            for (r, _, status, word), count in self.words.items():
                if r == route:
                    said[f"{status}: {word}"] += count
            words = ", ".join(f"{word} {count}" for word, count in sorted(said.items()))
            middle = sorted(seconds)[len(seconds) // 2]
            yield f"{route:<20}{len(seconds):>7}{middle:>10.4f}{max(seconds):>8.2f}  {words}"
        yield f"optimal within the tolerance, but not the best in units: {self.short}"


def timed(seeds: Iterable[int], kinds: Sequence[str]) -> float:
    """The seconds of ``rp.solve`` for each program, the better of two calls, added up."""
    total = 0.0
    for seed in seeds:
        drawn, best = draw(seed, kinds), math.inf
        for _ in range(2):
            m, start = build(drawn.program), time.perf_counter()
            with contextlib.suppress(rp.RadprogError), silent():
                rp.solve(m, time_limit=LIMIT)
            best = min(best, time.perf_counter() - start)
        total += best
    return total


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where a claim is false."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--routes", default="", help=f"of {','.join(ROUTES)}: these alone")
    parser.add_argument("--kinds", default="", help=f"of {','.join(KINDS)}: these alone")
    parser.add_argument("--shrink", type=float, default=10.0, help="seconds for each finding")
    parser.add_argument("--time", action="store_true", help="measure rp.solve alone")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.count)
    only, kinds = (
        [name for name in text.split(",") if name] for text in (options.routes, options.kinds)
    )
    if options.time:
        print(f"{options.count} programs in {timed(seeds, kinds):.2f} s")
        return 0
    tally, faults = Tally(), Counter[tuple[str, str]]()
    one = partial(examine, only=only, kinds=kinds)
    for done, report in enumerate(reports(seeds, one, options.jobs), 1):
        tally.add(report)
        for found in report.findings:
            faults[found.name] += 1
            print(found, flush=True)
            if faults[found.name] <= SHRUNK and options.shrink:
                small = shrunk(found, options.shrink)
                print(f"  smaller: {small.fault}", script(small.program, small.route), sep="\n")
        if done % 100 == 0:
            print(f"{done} of {options.count}, {faults.total()} false claims", file=sys.stderr)
    print(*tally.lines(), sep="\n")
    for (route, kind), count in faults.most_common():
        print(f"{route}: {kind}: {count}")
    print(f"{options.count} programs, {faults.total()} false claims")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
