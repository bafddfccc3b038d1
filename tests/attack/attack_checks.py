"""What must hold of every answer about one instance; what does not is a finding.

A finding begins with its kind: ``crash`` no error of ours; ``failed`` objective and bound
contradict; ``check`` the certificate is another one when recomputed from its JSON; ``objective``,
``bound``, ``optimum``, ``gap`` a number beyond its value in rational arithmetic; ``methods`` the
bound of a method beyond the objective of another; ``solvers`` a solver's point of an exported file,
or its proof, beyond our value. What is counted alone: refusals, failures of solvers, answers
without a certificate, and solvers that are wide of a badly scaled program.
"""

import json
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from attack_cases import Case
from exact_values import MOST_ROWS, Exact, exact_values
from within import within

from radprog.base.errors import CapabilityError, ConvexityError, RadprogError, SolverError
from radprog.decompositions.forms import Origin
from radprog.decompositions.run import Run, RunSettings
from radprog.exporting import AGREEMENT, export, verify
from radprog.result import result_of, to_json
from radprog.solvers.compile import compile_model, scaling_of
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import SOLVERS, readers, solve_program

SECONDS = 10.0  # a run is told
MOST_SECONDS = 90  # an instance may take before it is left
SOLVER_SECONDS = 2.0
AGREED = 1e-9  # two evaluations of a number, relative to it
CROSSED = 1e-9  # of methods whose kernel values are the same, relative to the larger value
FEASIBLE = 1e-9  # violation of a point that beats a value, of a side or bound, or of 1
LOOSE = 1e-12  # how far up an objective is rounded without being counted
PROOF = 1e-5  # a solver's gap that counts as a proof
LOCAL_OBJECTIVES = ("svr",)  # of methods without a bound, which are evaluated too
RELAXED = ("cdsk", "lpdsk", "complexity")  # whose methods have two objectives: relaxed, or drawn


class TooSlow(BaseException):
    """The instance is left."""


@dataclass
class Report:
    """What an instance showed: findings, and what is counted."""

    case: Case
    findings: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Answered:
    """A method's run with its result as read back from JSON, and the exact values."""

    method: str
    run: Run
    result: Mapping[str, Any]
    exact: Exact | None


def examine(case: Case, *, programs: bool = True) -> Report:
    """Every method, every form and every solver on one instance."""
    report = Report(case)
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with within(MOST_SECONDS, TooSlow):
                _examine(case, Path(name), report, programs)
        except TooSlow:
            report.counts["left"] += 1
    return report


def _examine(case: Case, folder: Path, report: Report, programs: bool) -> None:
    try:
        data, spec = case.data(), case.spec(folder)
    except RadprogError:
        report.counts["refused"] += 1
        return
    # every method that may run gives an answer, which is judged alone
    answers = []
    for method in case.methods():
        report.counts["methods"] += 1
        answer = _answer(case, spec, data, method, report)
        if answer is not None:
            answers.append(answer)
            _check_answer(case, spec, data, answer, report)
    # then the answers against each other, and the written-out programs of a small instance
    _check_methods(case, answers, report)
    if programs and answers and case.rows <= MOST_ROWS:
        for form in case.entry.forms:
            _check_form(case, spec, data, form, folder, report)


def _answer(case: Case, spec: Any, data: Any, method: str, report: Report) -> Answered | None:
    # what the user would get, through JSON and back
    settings = RunSettings(method=method, time_limit=SECONDS, seed=case.seed)
    with _judged(method, report):
        run = case.entry.fit(spec, data, settings)
        result = json.loads(to_json(result_of(run, data)))
        word = "certified" if run.certified else "no bound" if run.bound is None else "open"
        report.counts[word] += 1
        # what its stored points are worth in rational arithmetic
        exact = None
        if run.bound is not None or case.model in LOCAL_OBJECTIVES:
            exact = exact_values(case, spec, data, result["certificate"])
        return Answered(method, run, result, exact)
    return None


@contextmanager
def _judged(where: str, report: Report) -> Iterator[None]:
    """A refusal and the failure of a solver are counted; what is no error of ours is a crash."""
    try:
        yield
    except RadprogError as error:
        kind = "solver failed" if isinstance(error, SolverError) else "refused"
        _found(report, "crash" if "defect" in str(error) else kind, where, error)
    except Exception as error:
        _found(report, "crash", where, f"{type(error).__name__}: {error}")


COUNTED = ("refused", "solver failed", "wide")


def natural(case: Case) -> float:
    """The objective of the zero function, or of n points: what rounding errors are relative to."""
    C = case.options.get("C")
    if case.model in ("svm", "mkl", "svr"):
        return case.rows * (1.0 if C is None and case.model == "svr" else float(C or 1.0))
    return 1.0


def _found(report: Report, kind: str, where: str, what: object) -> None:
    report.counts[kind] += 1
    if kind not in COUNTED:
        report.findings.append(f"{kind} {where}: {str(what)[:300]}")


def _check_answer(case: Case, spec: Any, data: Any, answer: Answered, report: Report) -> None:
    run, method, result = answer.run, answer.method, answer.result
    # an objective and a bound that contradict each other are both false
    if run.crossed:
        _found(report, "failed", method, f"objective {run.objective!r}, bound {run.bound!r}")
    # the certificate recomputed from the file gives the numbers of the result
    try:
        again = case.entry.recompute(spec, data, result["certificate"], case.seed)
    except RadprogError as error:
        _found(report, "check", method, error)
    else:
        for name, value in zip(("objective", "bound"), again.pair, strict=True):
            if not _same(result[name], value):
                _found(report, "check", method, f"{name} {result[name]!r} is {value!r}")
    if answer.exact is not None:
        report.counts["exact"] += 1
        _check_exact(case, answer, answer.exact, report)


def _same(claim: float | None, value: float | None) -> bool:
    if claim is None or value is None:
        return claim is value
    return abs(claim - value) <= AGREED * max(abs(value), 1e-10)


def _check_exact(case: Case, answer: Answered, exact: Exact, report: Report) -> None:
    """The claims are on the safe side of the rational values, without any tolerance."""
    run, method = answer.run, answer.method
    sense = run.spec.sense
    if run.objective is None or exact.objective is None:
        return
    # counted alone: one that is safe, but far from its point
    if abs(run.objective - float(exact.objective)) > LOOSE * max(abs(run.objective), natural(case)):
        report.counts["rounded far"] += 1
    report.counts["optimum known"] += exact.optimum is not None
    # no claim is better than its point, and each lies on its side of the optimum
    for kind, claim, value, side in (
        ("objective", run.objective, exact.objective, 1),
        ("bound", run.bound, exact.bound, -1),
        ("optimum objective", run.objective, exact.optimum, 1),
        ("optimum bound", run.bound, exact.optimum, -1),
    ):
        if claim is not None and value is not None and side * sense * (Fraction(claim) - value) < 0:
            _found(report, kind, method, _pair(claim, value))
    # the stated gap is no less than the true one
    if run.certified and exact.bound is not None and run.bound is not None:
        gap = sense * (exact.objective - exact.bound)
        if gap > abs(Fraction(run.objective) - Fraction(run.bound)):
            _found(report, "gap", method, f"{float(gap)!r} where {run.gap!r} is stated")


def _pair(claim: float, value: Fraction) -> str:
    beyond = float(Fraction(claim) - value)
    return f"{claim!r} is {float(value)!r} exactly ({beyond:.3g} off)"


def _check_methods(case: Case, answers: list[Answered], report: Report) -> None:
    """No bound lies beyond any objective of the same program."""
    for one in answers:
        for other in answers:
            bound, objective = one.run.bound, other.run.objective
            if bound is None or objective is None or one is other or case.model in RELAXED:
                continue
            report.counts["pairs"] += 1
            beyond = one.run.spec.sense * (bound - objective)
            if beyond > CROSSED * max(abs(bound), abs(objective)) + 1e-12:
                what = f"bound {bound!r}, objective {objective!r} of {other.method}"
                _found(report, "methods", one.method, what)


def _check_form(case: Case, spec: Any, data: Any, form: str, folder: Path, report: Report) -> None:
    """Every reader on the exported file, every other solver on its matrices, scaled alike."""
    settings = RunSettings(time_limit=SECONDS, seed=case.seed, tol=1e-8)
    # the program is built, scaled and exported; what is refused ends here
    program = None
    with _judged(form, report):
        built = case.entry.form(spec, data, form, settings)
        scaling = scaling_of(built.model)
        path = folder / f"{form}.mps"
        origin = Origin(spec=spec, data=data, form=form, built=built, seed=case.seed)
        names = export(origin.keep(), path, expected=built.expected)
        program = scaling.scaled(compile_model(built.model))
    if program is None:
        return
    report.counts["forms"] += 1
    expected = None if built.expected is None else built.expected * scaling.objective
    limit = SolveSettings(time_limit=SOLVER_SECONDS)
    for name, solver in SOLVERS.items():
        reads = name in readers("mps", program.problem_class)
        if not solver.installed() or not (reads or solver.takes(program.problem_class)):
            continue
        where = f"{form} {'in' if reads else 'by'} {name}"
        with _judged(where, report), suppress(CapabilityError, ConvexityError):
            # a solver that reads the file by itself: its point and its proof
            if reads:
                verdict = verify(path, name, time_limit=SOLVER_SECONDS)
                told = verdict.answer.x or {}
                known = verdict.violation is not None and set(program.column_names) <= set(told)
                x = [told[column] for column in program.column_names] if known else None
                claim = names["expected_objective"], verdict.objective, x, verdict.proven
            # every other solver gets the matrices
            else:
                solution = solve_program(program, name, limit)
                if solution.status in (Status.INFEASIBLE, Status.UNBOUNDED):
                    _found(report, "solvers", where, f"{solution.status}, not {expected!r}")
                x = None if solution.x is None else solution.x.tolist()
                claim = expected, solution.objective, x, solution.status is Status.OPTIMAL
            _check_claim(case, where, report, program, *claim)


def _check_claim(
    case: Case, where: str, report: Report, program: Program, expected: float | None,
    value: float | None, x: list[float] | None, proven: bool,
) -> None:  # fmt: skip
    """A minimum that we expect: no feasible point is below it, by more than the rounding of the
    data may be worth, no proof is above it. What a solver
    says of a badly scaled program proves nothing by itself."""
    if expected is None or value is None:
        return
    report.counts["compared"] += 1
    # equal within what the checks of exports allow
    size = max(1.0, abs(expected))
    if abs(expected - value) <= AGREEMENT * size:
        return
    # below: its point must be feasible, and by more than its violations are worth
    least = AGREEMENT * size + FEASIBLE * float(np.abs(program.cost * np.array(x or 0.0)).sum())
    below = expected - value > least and x is not None and feasible(program, x)
    # above: it must be proved, of data of like sizes
    above = proven and not case.harsh and value - expected > PROOF * size
    _found(report, "solvers" if below or above else "wide", where, f"{value!r}, not {expected!r}")


def feasible(program: Program, x: list[float]) -> bool:
    """Whether a point keeps every row and bound, in rational arithmetic: the rounding of a row with
    entries of 1e9, or of a side of 1e-22, may be worth more than its violation in floats says."""
    # each row: the linear terms, and those of its squares
    exact, point = np.vectorize(Fraction, otypes=[object]), np.array([*map(Fraction, x)])
    full = program.rows.toarray()
    terms = [[*row] for row in exact(full) * point] if len(full) else []
    for i, Q in program.quadratic_rows.items():
        terms[i] += [*(exact(Q.toarray()) * np.multiply.outer(point, point) / 2).ravel()]
    sides = zip(terms, program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    rows = ((sum(row), low, high, max(map(abs, row))) for row, low, high in sides)
    # integers, then the bounds of the variables
    if any(abs(v - round(v)) > FEASIBLE for v in point[program.integer]):
        return False
    ends = zip(point, program.lower.tolist(), program.upper.tolist(), map(abs, point), strict=True)
    return all(_kept(*side) for side in (*rows, *ends))


def _kept(value: Fraction, low: float, high: float, size: Fraction) -> bool:
    """low <= value <= high, but for a share of the side, or, of a side of 0, of the terms."""
    for side, sign in ((low, 1), (high, -1)):
        if np.isfinite(side):
            share = FEASIBLE * min(1.0, abs(side) or float(size))
            if sign * (Fraction(side) - value) > share:
                return False
    return True
