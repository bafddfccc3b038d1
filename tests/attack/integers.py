"""Random small programs with integers through every route, against their exact optimum.

python tests/attack/integers.py --count 2000 --seed 0 --jobs 1

One line for each false claim, with its program; exit code 1 where there is one. ``--routes
solve,certify`` and ``--kinds "big M,subset"`` draw these alone. The optimum is known in rational
arithmetic (``integer_programs.py``).
"""

import contextlib
import io
import json
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_files import Drawn as Texts
from exact_programs import Small
from integer_programs import (
    KINDS,
    Drawn,
    Known,
    completed,
    draw,
    exactly,
    outside,
)
from side_routes import Finding, build, claim_of, main, signed, written

import radprog as rp
from radprog.cli import main as command

SOLVERS = ("", "highs", "scip")
GAP, LEAST_GAP = Fraction(1, 10**6), Fraction(1, 10**9)  # of an optimum, relative and absolute
ROUNDING = Fraction(1, 10**12)  # of a sum, relative to its terms
LIMIT = 5.0  # seconds of one call

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


# The program as a file


def lp_text(program: Small) -> str:
    """The program as an .lp file."""
    program = program.doubles()
    sign = -1 if program.maximise else 1
    lower, upper = ([_text(v) for v in ends] for ends in (program.lower, program.upper))
    rows = [
        ({j: repr(v) for j, v in enumerate(a)}, _text(low), _text(high))
        for a, low, high in program.rows
    ]
    cost, constant = [repr(sign * v) for v in program.cost], repr(sign * program.constant)
    return Texts(cost, constant, program.maximise, rows, lower, upper, program.whole).lp()


def _text(end: float) -> str | None:
    return repr(end) if math.isfinite(end) else None


# The routes


def _values(m: Any) -> Point:
    return [v.value for v in m.x.values()]


def _solved(program: Small, found: Any, **points: Point) -> Claim:
    objective, bound = (signed(program, v) for v in (found.objective, found.bound))
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
    objective, bound = (signed(drawn.program, v) for v in (found.objective, found.bound))
    return Claim(status, objective, bound, given=x, proved=True)


def _command(drawn: Drawn, how: str) -> Claim:
    """``radprog certify``, and its exit code."""
    x, sign = _answer(drawn, how), -1 if drawn.program.maximise else 1
    if x is None or (how == "proved" and drawn.kind == "shares"):  # their decimals are others
        return Claim("no point")
    with tempfile.TemporaryDirectory() as folder:
        path, answer, verdict = (Path(folder, name) for name in ("p.lp", "p.sol", "v.json"))
        path.write_text(lp_text(drawn.program))
        value = sign * float(exactly(drawn.program).value([Fraction(repr(v)) for v in x]))
        lines = [f"# Objective value = {value!r}", *(f"x{j} {v!r}" for j, v in enumerate(x))]
        answer.write_text("\n".join(lines) + "\n")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            more = ["--prove", f"{folder}/p.vipr"] * (how == "proved")
            code = command(["certify", str(path), str(answer), "--json", str(verdict), *more])
        if code > 1:
            return Claim("refused")
        found = json.loads(verdict.read_text())
    status = "optimal" if code == 0 and found["status"] == "feasible" else found["status"]
    objective, bound = (signed(drawn.program, found[k]) for k in ("objective", "bound"))
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
    objective, bound = (signed(drawn.program, found.get(k)) for k in ("objective", "bound"))
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


def _decompose(drawn: Drawn, _: str) -> Claim:
    m = build(drawn.program)
    found = rp.dantzig_wolfe(m, method="auto", time_limit=LIMIT)
    return _solved(drawn.program, found, stored=_values(m) if found.objective is not None else None)


def _prove(drawn: Drawn, _: str) -> Claim:
    try:
        found = rp.solve(build(drawn.program), prove=True, time_limit=LIMIT)
    except rp.SolverError as error:
        return Claim("refused", fault=f"refused: {error}")
    return replace(_solved(drawn.program, found), proved=found.proved_by == "tree")


def _alternate(drawn: Drawn, _: str) -> Claim:
    """From an optimal point, over one column and over the others."""
    if drawn.known.x is None or drawn.known.status != "optimal" or len(drawn.known.x) < 2:
        return Claim("no point")
    m = build(drawn.program)
    for j, v in enumerate(drawn.known.x):
        m.x[j].set_value(float(v), skip_validation=True)
    found = rp.alternate(m, [[m.x[0]], [m.x[j] for j in m.x if j]], time_limit=LIMIT)
    x = [found.values[v.name] for v in m.x.values()]
    objective = signed(drawn.program, found.objective)
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
    "decompose": _decompose,
    "prove": _prove,
    "alternate": _alternate,
}
OTHERS = (
    *(f"certify:{how}" for how in ("right", "spoilt", "rounded")),
    *(f"command:{how}" for how in ("right", "spoilt", "rounded", "proved")),
    *("file", "analyze:model", "analyze:file", "cuts:half", "cuts:all", "tree", "alternate"),
    *("decompose", "prove"),
)
# a process each: one program in five takes one of them
VERIFIED = tuple(f"verify:{name}:{form}" for name in ("highs", "scip") for form in ("mps", "lp"))


#: What solving says of programs of at most 30 integers: (the truth, the status).
WORDS: Counter[tuple[str, str]] = Counter()


def examine(
    seed: int, routes: Sequence[str] = (), kinds: Sequence[str] = (), most: int = 5
) -> list[Finding]:
    """What the routes say falsely of the program of a seed: solving always, ``most`` others."""
    drawn, rng = draw(seed, kinds), random.Random(seed)
    names = [f"solve:{name}" for name in SOLVERS]
    names += rng.sample(OTHERS, most) if not routes else OTHERS
    names += rng.sample(VERIFIED, int(rng.random() < 0.2)) if not routes else VERIFIED
    found = []
    for route in names:
        if routes and not {route, route.partition(":")[0]} & {*routes}:
            continue
        claim = claim_of(ROUTES, drawn, route, Claim)
        fault = fault_of(drawn.program, drawn.known, claim)
        if route.startswith("solve:") and sum(drawn.program.whole) <= 30:
            WORDS[drawn.known.status, claim.status] += 1
        if fault:
            found.append(Finding(seed, f"{drawn.kind}, {route}", fault, drawn.program))
    return found


if __name__ == "__main__":
    code = main(examine, routes=ROUTES, kinds=KINDS)
    for (truth, word), number in sorted(WORDS.items()):  # in this process: of --jobs 1
        print(f"solve, at most 30 integers, {truth}: {number} {word}")
    sys.exit(code)
