"""Random small programs with integers through every route, against their exact optimum.

python tests/attack/integers.py --count 2000 --seed 0 --jobs 1

One line for each false claim, with its program; exit code 1 where there is one. ``--routes
solve,certify`` and ``--kinds "big M,subset"`` draw these alone. The optimum is known in rational
arithmetic (``integer_programs.py``).
"""

import contextlib
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from exact_programs import lp
from integer_programs import KINDS, Drawn, draw, exactly
from script_options import TALLY, run
from side_routes import ROUTES as SHARED
from side_routes import (
    Claim,
    Finding,
    build,
    certified,
    claim_of,
    fault_of,
    signed,
    solved,
    values_in,
)  # fmt: skip

import radprog as rp
from radprog.cli import main as command

SOLVERS = ("", "highs", "scip")
LIMIT = 5.0  # seconds of one call


# The routes


def _file(drawn: Drawn, _: str) -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.lp")
        path.write_text(lp(drawn.program.doubles()))
        found = rp.solve(path, time_limit=LIMIT)
        return solved(drawn.program, found)


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
    return replace(certified(drawn.program, found), given=x)


def _command(drawn: Drawn, how: str) -> Claim:
    """``radprog certify``, and its exit code."""
    x, sign = _answer(drawn, how), -1 if drawn.program.maximise else 1
    if x is None or (how == "proved" and drawn.kind == "shares"):  # their decimals are others
        return Claim("no point")
    with tempfile.TemporaryDirectory() as folder:
        path, answer, verdict = (Path(folder, name) for name in ("p.lp", "p.sol", "v.json"))
        path.write_text(lp(drawn.program.doubles()))
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


def _analyze(drawn: Drawn, how: str) -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.lp")
        path.write_text(lp(drawn.program.doubles()))
        found = rp.analyze(path if how == "file" else build(drawn.program), time_limit=LIMIT)
    objective, bound = (signed(drawn.program, found.get(k)) for k in ("objective", "bound"))
    # by name: a file has its columns in the order in which they come up
    listed = {part["name"]: part["value"] for part in found.get("columns") or []}
    names = [f"x{j}" if how == "file" else f"x[{j}]" for j in range(len(drawn.program.cost))]
    point = [listed[name] for name in names] if {*names} <= {*listed} else None
    return Claim(str(found["status"]), objective, bound, {"columns": point})


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
    return replace(solved(program, found, stored=stored), proved=True)


def _decompose(drawn: Drawn, _: str) -> Claim:
    m = build(drawn.program)
    found = rp.dantzig_wolfe(m, method="auto", time_limit=LIMIT)
    stored = None if found.objective is None else values_in(m)
    return solved(drawn.program, found, stored=stored)


def _prove(drawn: Drawn, _: str) -> Claim:
    try:
        found = rp.solve(build(drawn.program), prove=True, time_limit=LIMIT)
    except rp.SolverError as error:
        return Claim("refused", fault=f"refused: {error}")
    return replace(solved(drawn.program, found), proved=found.proved_by == "tree")


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
    **{name: SHARED[name] for name in ("solve", "verify", "cuts")},
    "file": _file,
    "certify": _certify,
    "command": _command,
    "analyze": _analyze,
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
        claim = claim_of(ROUTES, drawn, route)
        fault = fault_of(drawn.program, drawn.known, claim)
        if route.startswith("solve:") and sum(drawn.program.whole) <= 30:
            TALLY[f"solve, at most 30 integers, {drawn.known.status}: {claim.status}"] += 1
        if fault:
            found.append(Finding(seed, f"{drawn.kind}, {route}", fault, drawn.program))
    return found


if __name__ == "__main__":
    sys.exit(run(__doc__, examine, routes=ROUTES, kinds=KINDS))
