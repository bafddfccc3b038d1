"""What solvers claim about small programs, judged by radprog and by exact optima.

    python benchmarks/referee.py --programs 40            print the table
    python benchmarks/referee.py --programs 500 --write   also docs/reference/referee.md

HiGHS and its PDLP, and ``cbc`` and ``glpsol`` if they are on the PATH, solve an .mps file with
their own tolerances. SCIP, PIQP and Clarabel answer through radprog's adapters. ``rp.solve`` is one
more row.

A point is recomputed from the matrices. A claim is false if its point breaks a row or bound by
more than 1e-4 (relative), or if a feasible point or the exact optimum contradicts it. A claim is
loose if its point breaks a row by less, or once its integers are whole.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import highspy
import numpy as np
from measure import circumstances, shifted_mean
from scipy import sparse

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "attack"))

from integer_programs import draw  # noqa: E402
from side_routes import build  # noqa: E402

from radprog.base.errors import CapabilityError, RadprogError  # noqa: E402
from radprog.solvers.adapters.highs import read_answer  # noqa: E402
from radprog.solvers.answer import SolverAnswer, judge  # noqa: E402
from radprog.solvers.compile import compile_model  # noqa: E402
from radprog.solvers.convexity import is_convex  # noqa: E402
from radprog.solvers.foreign import foreign_program  # noqa: E402
from radprog.solvers.formats.program_writer import write_program  # noqa: E402
from radprog.solvers.formats.solution_reader import NoPointError, read_solution  # noqa: E402
from radprog.solvers.program import Program, SolveSettings, Status  # noqa: E402
from radprog.solvers.registry import SOLVERS, solve_foreign  # noqa: E402
from radprog.solvers.violations import relative_violation  # noqa: E402

LIMIT = 5.0  # seconds of a program
FALSE = 1e-4  # relative gap or violation of a false claim; solvers stop at less than it
LOOSE = 1e-6  # relative violation of a point that holds only within a tolerance
PAGE = HERE.parent / "docs" / "reference" / "referee.md"
KEPT = HERE / "referee"
OURS, PDLP = "rp.solve", "HiGHS PDLP"
HIGHS = {"HiGHS": "choose", PDLP: "pdlp"}
ADAPTERS = {"SCIP": "scip", "PIQP": "piqp", "Clarabel": "clarabel"}
COMMANDS = {"CBC": "cbc", "GLPK": "glpsol"}
GLPK_SAYS = {
    "has no feasible solution": "infeasible",
    "has no primal feasible solution": "infeasible",
    "has no integer feasible solution": "infeasible",
    "has unbounded": "unbounded",
}


@dataclass
class Case:
    """A program, and what is known of it: its exact status and value, if drawn with them."""

    name: str
    program: Program
    status: str = ""
    value: float = math.nan
    answers: dict[str, SolverAnswer] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


# The programs


def adversarial(count: int) -> Iterator[Case]:
    """Integer programs with their exact optimum: big M, rows of tiny numbers, subsets, shares."""
    for seed in range(count):
        drawn = draw(seed)
        program = compile_model(build(drawn.program))
        case = plain(f"{drawn.kind} {seed}", program)
        case.status, value = drawn.known.status, float(drawn.known.value) - program.constant
        case.value = {"optimal": value, "unbounded": -math.inf}.get(case.status, math.inf)
        yield case


def library() -> Iterator[Case]:
    """The small instances of radprog's own forms."""
    for path in sorted((HERE.parent / "instances" / "library").glob("*.mps.gz")):
        with suppress(CapabilityError), warnings.catch_warnings():  # quadratic rows
            warnings.simplefilter("ignore")  # entries that HiGHS leaves out
            program = foreign_program(path)
            assert program is not None
            yield plain(path.name.removesuffix(".mps.gz"), program)


def generated(count: int) -> Iterator[Case]:
    """Linear, quadratic and integer programs with the structure of the usual collections."""
    kinds = (transport, stages, cover, lots, portfolio, blend, flows)
    for seed in range(count):
        kind, rng = kinds[seed % len(kinds)], np.random.default_rng(seed)
        program = kind(rng)
        # a third badly scaled, and a third with a row that contradicts the others or is slack
        if seed % 3 == 1:
            program = rescaled(program, rng)
        if seed % 3 == 2:
            program = with_total(program, rng)
        yield plain(f"{kind.__name__} {seed}", program)


def plain(name: str, program: Program) -> Case:
    """The minimisation without its constant, which solvers read with two signs."""
    return Case(name, replace(program, constant=0.0, sense=1))


def made(cost: Any, rows: Any, low: Any, high: Any, **more: Any) -> Program:
    """A program over x >= 0, from dense or sparse rows."""
    cost = np.asarray(cost, dtype=float)
    ends = {"lower": np.zeros(cost.size), "upper": np.full(cost.size, np.inf), **more}
    sides = {"row_lower": np.asarray(low, float), "row_upper": np.asarray(high, float)}
    return Program(cost=cost, rows=sparse.csr_array(rows), **sides, **ends)


def transport(rng: Any) -> Program:
    """Balanced transport: every basis is degenerate where partial sums agree."""
    m, n = rng.integers(4, 20, 2)
    rows = np.vstack([np.kron(np.eye(m), np.ones((1, n))), np.kron(np.ones((1, m)), np.eye(n))])
    plan = rng.integers(0, 4, (m, n)).astype(float)
    sides = np.concatenate([plan.sum(1), plan.sum(0)])
    return made(rng.integers(1, 30, m * n), rows, sides, sides)


def stages(rng: Any) -> Program:
    """A staircase: stock carried over periods, with capacities."""
    periods, goods = int(rng.integers(4, 16)), int(rng.integers(2, 6))
    size = periods * goods
    eye = sparse.eye_array(size)
    carry = sparse.eye_array(size) - sparse.eye_array(size, k=-goods)
    balance = sparse.hstack([eye, -carry])
    use = np.kron(np.eye(periods), rng.uniform(0.5, 2.0, (1, goods)))
    capacity = np.hstack([use, np.zeros((periods, size))])
    need = rng.integers(0, 10, size).astype(float)
    room = np.full(periods, 1.4 * (use @ need).mean() + use.max() * 10)
    cost = np.concatenate([rng.uniform(1, 9, size), rng.uniform(0.1, 1, size)])
    rows = sparse.vstack([balance, capacity])
    low = np.concatenate([need, np.full(periods, -np.inf)])
    return made(cost, rows, low, np.concatenate([need, room]))


def cover(rng: Any) -> Program:
    """Set covering with integers."""
    m, n = int(rng.integers(10, 30)), int(rng.integers(15, 40))
    rows = (rng.random((m, n)) < 0.2).astype(float)
    rows[np.arange(m), rng.integers(0, n, m)] = 1.0
    ends = {"upper": np.ones(n), "integer": np.ones(n, dtype=bool)}
    return made(rng.integers(1, 20, n), rows, np.ones(m), np.full(m, np.inf), **ends)


def lots(rng: Any) -> Program:
    """Lot sizing: a fixed cost a period, and a large M."""
    n, large = int(rng.integers(5, 12)), float(10 ** rng.integers(2, 6))
    need = rng.integers(0, 20, n).astype(float)
    eye, carry = np.eye(n), np.eye(n) - np.eye(n, k=-1)
    balance = np.hstack([eye, -carry, np.zeros((n, n))])
    switch = np.hstack([eye, np.zeros((n, n)), -large * eye])
    cost = np.concatenate([rng.uniform(1, 3, n), np.full(n, 0.5), rng.integers(20, 90, n)])
    low = np.concatenate([need, np.full(n, -np.inf)])
    upper = np.concatenate([np.full(2 * n, np.inf), np.ones(n)])
    integer = np.arange(3 * n) >= 2 * n
    rows, high = np.vstack([balance, switch]), np.concatenate([need, np.zeros(n)])
    return made(cost, rows, low, high, upper=upper, integer=integer)


def portfolio(rng: Any) -> Program:
    """A convex quadratic program of low rank."""
    n, factors = int(rng.integers(8, 40)), int(rng.integers(2, 6))
    load = rng.normal(size=(n, factors)) * 10.0 ** rng.integers(-2, 2)
    gain = rng.uniform(0.0, 0.2, n)
    rows = np.vstack([np.ones(n), gain])
    low, high = [1.0, float(np.median(gain))], [1.0, np.inf]
    quadratic = sparse.csc_array(load @ load.T)
    return made(np.zeros(n), rows, low, high, upper=np.full(n, 0.5), quadratic=quadratic)


def blend(rng: Any) -> Program:
    """Blending as in Netlib's oldest programs: ranges of qualities, free balances."""
    raw, goods, marks = (int(rng.integers(*ends)) for ends in ((4, 12), (2, 6), (2, 5)))
    quality = rng.uniform(60.0, 110.0, (marks, raw)) * 10.0 ** rng.integers(-3, 3, (marks, 1))
    middle = quality.mean(1)
    # columns: raw material i in good k, then a free balance of each good
    supply = np.hstack([np.kron(np.ones((1, goods)), np.eye(raw)), np.zeros((raw, goods))])
    balance = np.hstack([np.kron(np.eye(goods), np.ones((1, raw))), -np.eye(goods)])
    grade = np.kron(np.eye(goods), quality)
    spread = 0.08 * np.tile(middle, goods)
    marked = np.hstack([grade, -np.kron(np.eye(goods), middle[:, None])])
    rows = np.vstack([supply, balance, marked, np.hstack([grade, -np.kron(
        np.eye(goods), (middle * 1.05)[:, None])])])  # fmt: skip
    m = len(spread)
    low = np.concatenate([np.full(raw, -np.inf), np.zeros(goods), -20.0 * spread, [-np.inf] * m])
    high = np.concatenate([rng.integers(5, 60, raw), np.zeros(goods), 20.0 * spread, np.zeros(m)])
    cost = np.concatenate([rng.uniform(1, 4, raw * goods), -rng.uniform(2, 6, goods)])
    lower = np.concatenate([np.zeros(raw * goods), np.full(goods, -np.inf)])
    return made(cost, rows, low, high, lower=lower)


def flows(rng: Any) -> Program:
    """Flows of several goods in one network, with common capacities."""
    nodes, goods = int(rng.integers(5, 12)), int(rng.integers(2, 5))
    arcs = [(i, (i + step) % nodes) for i in range(nodes) for step in (1, 2, nodes - 1)]
    meets = np.zeros((nodes, len(arcs)))
    for j, (tail, head) in enumerate(arcs):
        meets[tail, j], meets[head, j] = 1.0, -1.0
    need = np.zeros((goods, nodes))
    for k in range(goods):
        source, sink = rng.choice(nodes, 2, replace=False)
        need[k, source], need[k, sink] = 5.0, -5.0
    rows = np.vstack([np.kron(np.eye(goods), meets), np.kron(np.ones(goods), np.eye(len(arcs)))])
    low = np.concatenate([need.ravel(), np.full(len(arcs), -np.inf)])
    high = np.concatenate([need.ravel(), rng.integers(3, 9, len(arcs))])
    return made(rng.integers(1, 20, goods * len(arcs)), rows, low, high)


def rescaled(program: Program, rng: Any) -> Program:
    """The same program with rows and costs in other units, by powers of ten."""
    by = 10.0 ** rng.integers(-4, 5, program.row_lower.size)
    return made(
        program.cost,
        sparse.diags_array(by) @ program.rows,
        by * program.row_lower,
        by * program.row_upper,
        lower=program.lower,
        upper=program.upper,
        integer=program.integer,
        quadratic=program.quadratic,
    )


def with_total(program: Program, rng: Any) -> Program:
    """The program with a cap on the sum of the first row: slack, tight or contradictory."""
    first = program.rows[[0]]
    side = program.row_lower[0] if np.isfinite(program.row_lower[0]) else 1.0
    cap = side * float(rng.choice([1.0 - 1e-3, 1.0, 1.5]))
    return made(
        program.cost,
        sparse.vstack([program.rows, first]),
        np.append(program.row_lower, -np.inf),
        np.append(program.row_upper, cap),
        lower=program.lower,
        upper=program.upper,
        integer=program.integer,
        quadratic=program.quadratic,
    )


# The answers


def suits(name: str, program: Program) -> bool:
    """Whether a solver is installed and takes programs of this class."""
    kind = str(program.problem_class)
    if name == OURS:
        return True
    if name in COMMANDS:
        return shutil.which(COMMANDS[name]) is not None and kind in ("LP", "MILP")
    if name in HIGHS:
        return kind in (("LP",) if name == PDLP else ("LP", "QP", "MILP")) and is_convex(program)
    spec = SOLVERS[ADAPTERS[name]]
    if not spec.installed() or not spec.takes(program.problem_class):
        return False
    return not spec.declared.convex_only or is_convex(program)


def by_command(name: str, program: Program) -> SolverAnswer:
    """The answer of a command-line solver to the program as an .mps file."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "p.mps"), Path(folder, "p.sol")
        write_program(program, path)
        seconds = f"{LIMIT:g}"
        if name == "CBC":
            command = ["cbc", str(path), "-sec", seconds, "-solve", "-solu", str(out)]
        else:
            command = ["glpsol", "--freemps", str(path), "--tmlim", seconds, "-w", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not out.is_file():
            return SolverAnswer(status=Status.FAILED, message=done.stdout[-200:])
        head = " ".join(out.read_text().split("\n")[:6]).lower()
        words = done.stdout.lower()
        try:
            found = read_solution(out, program.column_names, program.row_names)
        except NoPointError as error:
            claims = [*error.claims, *(said for text, said in GLPK_SAYS.items() if text in words)]
            return SolverAnswer(status=Status((*claims, "limit")[0]), message=head)
    if found.status is not Status.FEASIBLE:
        return SolverAnswer(status=found.status)
    x = np.array([found.x.get(name, 0.0) for name in program.column_names])
    ended = re.search(r"^optimal|status: +(integer )?optimal", head) is not None
    status = Status.OPTIMAL if ended else Status.FEASIBLE
    return SolverAnswer(status=status, x=x, claimed=found.objective)


def by_highs(program: Program, method: str) -> SolverAnswer:
    """The answer of HiGHS with its own tolerances to the program as an .mps file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "p.mps")
        write_program(program, path)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.readModel(str(path))
        for option, value in (("time_limit", LIMIT), ("threads", 1), ("solver", method)):
            highs.setOptionValue(option, value)
        highs.run()
    return read_answer(highs, integer=bool(program.integer.any()))


def answer(name: str, program: Program) -> SolverAnswer:
    """The answer of a solver before any proof; of ``rp.solve`` with its proofs."""
    if name in COMMANDS:
        return by_command(name, program)
    if name in HIGHS:
        return by_highs(program, HIGHS[name])
    settings = SolveSettings(time_limit=LIMIT, threads=1)
    if name == OURS:
        found = solve_foreign(program, None, settings).in_sense(1)
        return SolverAnswer(
            status=found.status,
            x=found.x,
            claimed=found.objective,
            row_duals=found.row_duals,
            bound=found.bound,
        )
    found = SOLVERS[ADAPTERS[name]].adapter().solve(program, settings)
    assert isinstance(found, SolverAnswer)
    return found


def serve(pipe: Any) -> None:
    """Answer programs until the parent ends."""
    while True:
        name, program = pipe.recv()
        start = time.perf_counter()
        try:
            found = answer(name, program)
        except (RadprogError, ArithmeticError, RuntimeError, ValueError, OSError) as error:
            found = SolverAnswer(status=Status.FAILED, message=f"{type(error).__name__}: {error}")
        pipe.send((found, time.perf_counter() - start))


class Server:
    """A process that calls solvers, and is replaced if it crashes or ignores the limit."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A new process."""
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,))
        self.process.start()

    def ask(self, name: str, program: Program) -> tuple[SolverAnswer, float]:
        """An answer and its seconds; a failure after four times the limit."""
        self.pipe.send((name, program))
        try:
            if self.pipe.poll(4 * LIMIT):
                answered: tuple[SolverAnswer, float] = self.pipe.recv()
                return answered
            text = "ignores the limit"
        except EOFError:
            text = "crashes"
        self.close()
        self.start()
        return SolverAnswer(status=Status.FAILED, message=text), 4 * LIMIT

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()


# The judgement


@dataclass
class Verdict:
    """What holds of the claims of a solver about one program."""

    claim: str = ""  # optimal, infeasible, unbounded or nothing
    false: str = ""
    loose: bool = False
    gap: float | None = None
    proved: bool = False


def best_of(case: Case) -> float:
    """The least objective of an exact optimum, or of a point that the judge accepts."""
    if case.status:
        return case.value
    values = [
        case.program.objective(found.x)
        for found in case.answers.values()
        if found.x is not None
        and found.x.shape == case.program.cost.shape
        and relative_violation(case.program, whole(case.program, found.x)) <= 1e-9
    ]
    return min(values, default=math.inf)


def whole(program: Program, x: Any) -> Any:
    """The point with its integers rounded."""
    return np.where(program.integer, np.rint(x), x)


def verdict(case: Case, name: str, best: float, bounded: bool) -> Verdict:
    """The judgement of an answer by the evidence of all."""
    found, program = case.answers[name], case.program
    word = str(found.status)
    if word in ("infeasible", "unbounded"):
        wrong = best < math.inf and (word == "infeasible" or bounded)
        fact = "it is unbounded" if best == -math.inf else f"a point has the objective {best:.8g}"
        text = f"{word}, but {fact}" if wrong else ""
        return Verdict(word, text)
    if word not in ("optimal", "feasible"):
        return Verdict()
    claim = word if word == "optimal" else ""
    x = found.x
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        return Verdict(claim, f"{word} without a point")
    # the point as it is, in the usual absolute and relative tolerance of solvers
    activity = program.activity(x)
    sides = np.concatenate([program.row_lower, program.row_upper, program.lower, program.upper])
    miss = np.concatenate(
        [
            program.row_lower - activity,
            activity - program.row_upper,
            program.lower - x,
            x - program.upper,
        ]
    )
    off = np.abs(x - np.rint(x))[program.integer].max(initial=0.0)
    scale = np.maximum(1.0, np.abs(np.where(np.isfinite(sides), sides, 1.0)))
    worst = max(float((miss / scale).max(initial=0.0)), off)
    if worst > FALSE:
        if not claim:
            return Verdict()  # the last point of a search that a limit ended
        return Verdict(claim, f"{word} at a point that breaks a row by {worst:.2g}")
    judged = judge(
        program, found, solver=name, version="", seconds=0.0, settings=SolveSettings(),
        convex=bounded_below(program),
    )  # fmt: skip
    value = program.objective(whole(program, x))
    size = max(1.0, abs(best))
    gap = (value - best) / size if best < math.inf else None
    loose = worst > LOOSE or judged.status is Status.FAILED or case.status == "infeasible"
    loose = loose or (gap is not None and gap < -LOOSE)
    false = ""
    if claim and gap is not None and gap > FALSE:
        fact = "it is unbounded" if best == -math.inf else f"a point has the objective {best:.8g}"
        false = f"optimal at {value:.8g}, but {fact}"
    proved = judged.status is Status.OPTIMAL and judged.proved_by == "duals"
    return Verdict(claim, false, loose, gap, proved)


def bounded_below(program: Program) -> bool:
    """Whether multipliers can prove an optimum: a convex program without integers."""
    return not program.integer.any() and is_convex(program)


# The page

OPENING = """\
# Referee: what solvers claim

`python benchmarks/referee.py --programs {count} --write` wrote this page on {date}. Each solver has
{limit:g} seconds for every program of its class:

- {exact} adversarial integer programs, whose exact optimum is known;
- {others} others: radprog's own instances, and transport, staircase, covering, lot sizing,
  portfolio programs, blending and flows in networks, a third of them badly scaled.

SCIP, PIQP and Clarabel run through radprog's adapters. The others read an .mps file and have their
default tolerances. radprog recomputes every point.

- **false**: the point breaks a row or bound by more than 1e-4 (relative), or a feasible point or
  the exact optimum contradicts the claim.
- **loose**: not false, but the point breaks a row by 1e-6 to 1e-4, or once its integers are whole,
  or it is better than the exact optimum.
- **gap**: the largest relative distance of a claimed optimum from the best value, of claims that
  are neither false nor loose.
- **proved**: optima that the solver's multipliers prove. SCIP, CBC and GLPK give none here.

| solver | programs | claims | false | loose | no claim | gap | proved | seconds |
|---|---|---|---|---|---|---|---|---|
"""


def referee(
    cases: list[Case],
) -> tuple[dict[str, list[Verdict]], dict[str, list[float]], list[Any]]:
    """The verdicts and seconds of every solver, and the false claims with their programs."""
    server = Server()
    names = [*HIGHS, *ADAPTERS, *COMMANDS, OURS]
    verdicts: dict[str, list[Verdict]] = {name: [] for name in names}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    false = []
    for number, case in enumerate(cases):
        for name in names:
            if suits(name, case.program):
                case.answers[name], case.seconds[name] = server.ask(name, case.program)
        best = best_of(case)
        words = [case.status or str(found.status) for found in case.answers.values()]
        bounded = "optimal" in words
        for name in case.answers:
            one = verdict(case, name, best, bounded)
            verdicts[name].append(one)
            seconds[name].append(case.seconds[name])
            if one.false:
                false.append((name, one, case))
                print(f"{case.name}, {name}: {one.false}", flush=True)
        if number % 25 == 24:
            print(f"{number + 1} of {len(cases)}", flush=True)
    server.close()
    return verdicts, seconds, false


def page(cases: list[Case], verdicts: Any, seconds: Any, kept: list[Any]) -> str:
    """The page of the referee."""
    around = circumstances()
    packages = ", ".join(f"{name} {text}" for name, text in around["versions"].items())
    exact = sum(bool(case.status) for case in cases)
    opening = OPENING.format(
        count=len(cases), date=around["date"], limit=LIMIT, exact=exact, others=len(cases) - exact
    )
    lines = opening.splitlines()
    for name, given in verdicts.items():
        if not given:
            lines.append(f"| {name} | not installed | | | | | | | |")
            continue
        claims = [one for one in given if one.claim]
        good = [one.gap for one in claims if one.gap is not None and not (one.false or one.loose)]
        lines.append(
            f"| {'`rp.solve`' if name == OURS else name} | {len(given)} | {len(claims)} "
            f"| {sum(bool(one.false) for one in given)} | {sum(one.loose for one in given)} "
            f"| {len(given) - len(claims)} | {max(good, default=0.0):.0e} "
            f"| {sum(one.proved for one in given)} | {shifted_mean(seconds[name]):.3f} |"
        )
    lines += [
        "",
        "Seconds are shifted geometric means. `rp.solve` also judges its answers in this time,",
        "and makes no claim without a proof or the end of a search.",
        "",
        "## False claims",
        "",
    ]
    if not kept:
        lines.append("None.")
    for name, one, case, file in kept:
        lines.append(f"- {name}, `benchmarks/referee/{file}` ({case.name}): {one.false}.")
    lines += ["", f"Versions: Python {around['python']}, {packages}.", ""]
    return "\n".join(lines)


def smallest(false: list[Any], write: bool) -> list[Any]:
    """The smallest program of each solver and word; to ``write`` is beside this script."""
    chosen: dict[tuple[str, str], Any] = {}
    for name, one, case in false:
        key = name, one.claim
        if key not in chosen or case.program.rows.nnz < chosen[key][2].program.rows.nnz:
            chosen[key] = name, one, case
    kept = []
    if write:
        shutil.rmtree(KEPT, ignore_errors=True)
        KEPT.mkdir()
    for (name, claim), (_, one, case) in sorted(chosen.items()):
        file = f"{name}-{claim}.mps".replace(" ", "-").lower()
        if write:
            write_program(case.program, KEPT / file)
        kept.append((name, one, case, file))
    return kept


def main() -> None:
    """Ask, judge, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=500, help="number of programs (500)")
    parser.add_argument("--write", action="store_true", help="write the page and the .mps files")
    options = parser.parse_args()
    # three fifths adversarial, a fifth generated, and the library
    count, own = options.programs, list(library())
    random.Random(0).shuffle(own)
    own = own[: count // 6]
    made_here = list(generated(count // 5))
    cases = [*adversarial(count - len(own) - len(made_here)), *own, *made_here]
    verdicts, seconds, false = referee(cases)
    text = page(cases, verdicts, seconds, smallest(false, options.write))
    print(text)
    if options.write:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
