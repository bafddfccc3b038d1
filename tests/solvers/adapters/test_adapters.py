"""What is particular to HiGHS, PIQP, SCIP, Ipopt, Clarabel and the bridge to Pyomo."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import clarabel
import highspy
import numpy as np
import piqp
import pyomo.environ as pyo
import pytest
from bad_endings import ends_its_process, never_ends
from cut_off import polled
from processes import PATIENCE
from program_files import read_file_with
from pyomo.opt import TerminationCondition
from pyscipopt import SCIP_STATUS
from refusals import refused
from scipy import sparse
from small_models import small_model
from small_programs import make_program

from radprog.base.errors import CapabilityError, OptionError, OutputError, SolverError
from radprog.decompositions.drivers.masters import run_live
from radprog.solvers.adapters import clarabel as clarabel_adapter
from radprog.solvers.adapters import highs as highs_adapter
from radprog.solvers.adapters import ipopt as ipopt_adapter
from radprog.solvers.adapters import piqp as piqp_adapter
from radprog.solvers.adapters import pyomo_bridge
from radprog.solvers.adapters import scip as scip_adapter
from radprog.solvers.adapters.highs import STATUS
from radprog.solvers.adapters.pyomo_bridge import PyomoSolver, to_pyomo
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.compile import compile_model
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status, parsed
from radprog.solvers.registry import solve_model, solve_program, solver

Word = TerminationCondition
ROOT = Path(__file__).resolve().parents[3]
WORDS = {  # all words of a solver, those that are failures, those of an optimum, and of limits
    highs_adapter: (
        set(highspy.HighsModelStatus.__members__),
        {f"k{part}Error" for part in ("Load", "Model", "Presolve", "Solve", "Postsolve")}
        | {"kNotset", "kUnboundedOrInfeasible", "kUnknown"},
        {"kOptimal", "kModelEmpty"},
        {f"k{part}Limit" for part in ("Time", "Iteration", "Solution", "Memory")}
        | {"kObjectiveBound", "kObjectiveTarget"},
    ),
    piqp_adapter: (
        set(piqp.Status.__members__.values()),
        {piqp.PIQP_NUMERICS, piqp.PIQP_UNSOLVED, piqp.PIQP_INVALID_SETTINGS},
        {piqp.PIQP_SOLVED},
        {piqp.PIQP_MAX_ITER_REACHED},
    ),
    scip_adapter: (
        {name.lower() for name in vars(SCIP_STATUS) if name.isupper()},
        {"unknown", "inforunbd"},
        {"optimal", "gaplimit"},
        {f"{part}limit" for part in ("node", "time", "mem", "primal", "dual", "sol", "restart")},
    ),
    pyomo_bridge: (
        set(Word),
        {Word.unknown, Word.other, Word.infeasibleOrUnbounded, Word.invalidProblem, Word.error}
        | {Word.solverFailure, Word.internalSolverError, Word.licensingProblems},
        {Word.globallyOptimal, Word.locallyOptimal, Word.optimal},
        {Word.maxTimeLimit, Word.maxIterations},
    ),
    ipopt_adapter: (
        {*range(-5, 7), *range(-13, -9), *range(-102, -99), -199},
        {3, -2, -3, *range(-13, -9), *range(-102, -99), -199},
        {0, 1},
        {-1, -4, -5},
    ),
    clarabel_adapter: (
        {word for word in dir(clarabel.SolverStatus) if word[0].isupper()},
        {"Unsolved", "AlmostPrimalInfeasible", "AlmostDualInfeasible", "NumericalError"}
        | {"InsufficientProgress"},
        {"Solved", "AlmostSolved"},
        {"MaxIterations", "MaxTime"},
    ),
}


@pytest.mark.parametrize("adapter", WORDS, ids=lambda adapter: adapter.__name__)
def test_every_word_has_a_meaning(adapter) -> None:
    words, failures, optimal, limits = WORDS[adapter]
    status_of = getattr(adapter, "MEANING", adapter.STATUS)
    assert len(words) >= 7
    assert words - set(status_of) <= failures
    assert {status_of[word] for word in failures} == {Status.FAILED}
    for status, said in ((Status.OPTIMAL, optimal), (Status.LIMIT, limits)):
        assert said <= {word for word, meaning in status_of.items() if meaning is status}
    meanings = [*status_of.values()]
    assert meanings.count(Status.OPTIMAL) == len(optimal)
    assert meanings.count(Status.INFEASIBLE) == 1


def test_options_as_text() -> None:
    for text, value in (("on", True), ("False", False), ("-3", -3), ("1e-3", 1e-3), ("on", "on")):
        found = parsed("X", "name", text, type(value))
        assert (found, type(found)) == (value, type(value))
    for text, kind in (("2", bool), ("1.5", int), ("", float), ("x", float)):
        words = f"X option name takes .*, not '{text}'"
        refused(OptionError, words, parsed, "X", "name", text, kind)


def test_bad_options(known) -> None:
    program = known(0, ProblemClass.QP).program
    for name, options, part in (
        ("highs", {"nosuch": "1"}, "no option 'nosuch'"),
        ("highs", {"threads": "two"}, "takes an integer, not 'two'"),
        ("highs", {"output_flag": "maybe"}, "takes true or false, not 'maybe'"),
        ("highs", {"time_limit": "soon"}, "takes a number, not 'soon'"),
        ("highs", {"presolve": "perhaps"}, "does not take 'perhaps'"),
        ("highs", {"primal_feasibility_tolerance": "-1"}, "does not take -1.0"),
        *((name, {"nosuch": "1"}, f"(?i){name}") for name in ("ipopt", "clarabel")),
        *((name, {"max_iter": "many"}, f"(?i){name}") for name in ("ipopt", "clarabel")),
        ("ipopt", {"mu_strategy": "best"}, "(?i)ipopt"),
        ("clarabel", {"__class__": "1"}, "(?i)clarabel"),
        ("piqp", {"max_iter": "many"}, "takes an integer"),
        ("piqp", {"backend": "cuda"}, "takes dense or sparse"),
        ("piqp", {"__class__": "1"}, "no option"),
        ("scip", {"nosuch": "1"}, "no option 'nosuch'"),
        ("scip", {"limits/nodes": "many"}, "takes an integer"),
        ("scip", {"limits/time": "-5"}, "does not take -5.0"),
    ):
        settings = SolveSettings(solver_options=options)
        refused(OptionError, part, solve_program, program, name, settings)


@pytest.mark.parametrize("name", ["piqp", "scip"])
def test_infeasible_and_unbounded(name) -> None:
    def square(upper: float, weight: float) -> Program:
        """min x^2/2 - y over x + y <= upper, x + weight y >= 0, y >= 1."""
        rows, low, high = [[1.0, 1.0], [1.0, weight]], [-np.inf, 0.0], [upper, np.inf]
        square = np.diag([1.0, 0.0])
        return make_program([0.0, -1.0], rows, low, high, lower=[0.0, 1.0], quadratic=square)

    assert solve_program(square(3.0, 1.0), name).objective == pytest.approx(-3, abs=1e-6)
    # PIQP may give up instead, and then says so
    unsure = {Status.LIMIT} if name == "piqp" else set()
    assert solve_program(square(0.5, 1.0), name).status in {Status.INFEASIBLE} | unsure
    assert solve_program(square(np.inf, 1.0), name).status in {Status.UNBOUNDED} | unsure


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_limits_and_interrupts_of_branch_and_bound(name, market_split) -> None:
    start = time.process_time()
    assert solve_program(market_split, name, SolveSettings(time_limit=0.5)).status is Status.LIMIT
    settings = SolveSettings(interrupted=polled(10)[0], time_limit=PATIENCE)
    assert solve_program(market_split, name, settings).status is Status.INTERRUPTED
    assert time.process_time() - start < 20


@pytest.mark.parametrize("part", ["cost", "rows"])
def test_scip_says_that_it_takes_large_numbers_for_infinite(tmp_path, small_lp, part) -> None:
    program = replace(small_lp, **{part: getattr(small_lp, part) * 1e21})
    refused(CapabilityError, "from 1e20 on are infinite", solve_program, program, "scip")
    path = tmp_path / "large.mps"
    write_program(program, path)
    refused(CapabilityError, "from 1e20 on are infinite", read_file_with, "scip", path)


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_the_pyomo_model_of_a_program_compiles_back(kind, known) -> None:
    """Same objective and same feasible set; ranged rows are two."""
    case, rng = known(5, kind), np.random.default_rng(0)
    back = compile_model(to_pyomo(case.program))
    assert back.problem_class is kind
    for _ in range(20):
        step = rng.normal(size=case.x.size)
        x = np.round(case.x + 2 * step) if kind.startswith("MI") else case.x + 0.1 * step
        assert back.objective(x) == pytest.approx(case.program.objective(x), abs=1e-9)
        assert back.violation(x) == pytest.approx(case.program.violation(x), abs=1e-9)
    written = np.isfinite(np.concatenate((case.program.row_lower, case.program.row_upper)))
    assert back.row_lower.size <= written.sum()


def test_rows_without_coefficients_decide_before_the_bridge() -> None:
    fact = make_program(np.ones(1), sparse.csr_array((1, 1)), [1.0], upper=1.0)
    assert PyomoSolver("appsi_highs").solve(fact, SolveSettings()).status is Status.INFEASIBLE


def test_what_a_vendor_raises(small_lp, monkeypatch) -> None:
    """Time that is over is its limit, and any other error is one of the solver, in one line."""

    def bridged(error: Exception, *, broken: bool = False) -> None:
        def fails(*_: object, **__: object) -> None:
            raise error

        parts = {"options": {}, "version": lambda: (1, 0), "solve": fails}
        available = fails if broken else lambda **_: True
        vendor = SimpleNamespace(**parts, available=available)
        monkeypatch.setattr(PyomoSolver, "_solver", lambda bridge: vendor)

    bridged(subprocess.TimeoutExpired("late", 3.0))
    stopped = solve_program(small_lp, "pyomo:cbc")
    assert (stopped.status, stopped.objective) == (Status.LIMIT, None)
    bridged(Exception("no licence:\n\tlooked in '/opt'\n" + "and elsewhere, " * 1000))
    with pytest.raises(SolverError, match="pyomo:mosek crashed: no licence: looked in") as caught:
        solve_program(small_lp, "pyomo:mosek")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    bridged(KeyError("version"), broken=True)
    assert PyomoSolver("xpress").missing().startswith("cannot be used")


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_a_search_in_a_file_tells_its_bound(name, tmp_path) -> None:
    text = "Minimize\n obj: 2 x + 3 y\nSubject To\n r: 2 x + 2 y >= 3\nGenerals\n x y\nEnd\n"
    (tmp_path / "m.lp").write_text(text)
    claim = solver(name).adapter().solve_file(tmp_path / "m.lp", SolveSettings())
    assert (claim.objective, claim.bound) == pytest.approx((4.0, 4.0))


@pytest.mark.parametrize(
    ("name", "words"), [("highs", "HiGHS"), ("scip", "SCIP Status"), ("ipopt", "iter")]
)
def test_a_log_is_in_its_file_alone(name, words, known, tmp_path, capfd) -> None:
    kind = ProblemClass.QP if name == "ipopt" else ProblemClass.LP
    program, log = known(1, kind).program, tmp_path / "solver.log"
    solve_program(program, name, SolveSettings(log=str(log)))
    solve_program(program, name)
    assert words in log.read_text()
    assert capfd.readouterr() == ("", "")
    if name != "ipopt":
        settings = SolveSettings(log=str(log / "below"))
        refused(OutputError, "cannot write the log .*below", solve_program, program, name, settings)


def line(coefficient: float, *, curved: bool = False) -> Program:
    """max x with coefficient * x <= 1."""
    square = np.ones((1, 1)) if curved else None
    return make_program([-1.0], [[coefficient]], row_upper=1.0, quadratic=square)


def test_scip_solves_everything_apart_and_a_crash_is_an_error(monkeypatch) -> None:
    real, limit = scip_adapter._apart, SolveSettings(time_limit=0.1)
    refused(SolverError, "SCIP crashed", real, SolverAnswer, ends_its_process, "", SolveSettings())
    assert real(SolverAnswer, never_ends, "", limit).status is Status.LIMIT
    apart, spy = [], lambda *given: apart.append(given[2]) or real(*given)
    monkeypatch.setattr(scip_adapter, "_apart", spy)
    programs = [line(1.0), line(1e12), line(1.0, curved=True)]
    for program in programs:
        answer = scip_adapter.solve(program, SolveSettings(time_limit=60.0))
        assert answer.status is Status.OPTIMAL
    assert apart == programs


BOTH = ("ipopt", "clarabel")


def disc(upper: float = 2.0) -> pyo.ConcreteModel:
    """min x + 2y + z over x^2 + y^2 <= upper, z >= x + 1, z free."""
    free = dict.fromkeys("xyz", (None, None))
    model = small_model(lambda m: m.x + 2 * m.y + m.z, lambda m: m.z >= m.x + 1, **free)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= upper)
    return model


@pytest.mark.parametrize("name", BOTH)
def test_a_quadratic_row(name) -> None:
    """The optimum is 1 - sqrt(2 * 8), at (-1, -1, 0)."""
    model = disc()
    solution = solve_model(model, name)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(-3.0, abs=1e-7)
    assert (model.x.value, model.y.value) == pytest.approx((-1.0, -1.0), abs=1e-5)
    assert model.z.value == pytest.approx(0.0, abs=1e-5)
    # the same by a concave row that is bounded below
    model = disc()
    model.disc.deactivate()
    model.other = pyo.Constraint(expr=3 - model.x**2 - model.y**2 >= 1)
    assert solve_model(model, name).objective == pytest.approx(-3.0, abs=1e-7)
    # infeasible and unbounded
    model = disc()
    model.far = pyo.Constraint(expr=model.x >= 3)
    assert solve_model(model, name).status is Status.INFEASIBLE
    free = disc()
    free.row.deactivate()
    assert solve_model(free, name).status is Status.UNBOUNDED


def test_good_options_and_limits(known) -> None:
    case = known(3, ProblemClass.QP)
    for name, options in (
        ("ipopt", {"max_iter": "500", "tol": "1e-7", "mu_strategy": "monotone"}),
        ("clarabel", {"max_iter": "90", "equilibrate_enable": "off", "tol_feas": "1e-7"}),
        *(("piqp", {"backend": backend}) for backend in ("dense", "sparse")),
    ):
        how = {} if name == "piqp" else {"time_limit": 50.0}
        settings = SolveSettings(tol=1e-8, threads=1, solver_options=options, **how)
        solution = solve_program(case.program, name, settings)
        assert solution.objective == pytest.approx(case.objective, rel=1e-5)
        assert solution.options == options
        few = SolveSettings(solver_options={"max_iter": "2"})
        assert solve_program(case.program, name, few).status is Status.LIMIT


def test_ipopt_is_interrupted(known) -> None:
    program = known(2, ProblemClass.QCQP).program
    interrupt, asked = polled(2)
    solution = solve_program(program, "ipopt", SolveSettings(interrupted=interrupt))
    assert solution.status is Status.INTERRUPTED
    assert len(asked) == 3


@pytest.mark.parametrize("name", BOTH)
def test_rows_without_bounds_and_fixed_columns(name, known) -> None:
    program: Program = known(5, ProblemClass.QP).program
    n, best = program.cost.size, solve_program(program, "highs")
    fixed = np.arange(n) == 1
    ends = {part: np.where(fixed, best.x, getattr(program, part)) for part in ("lower", "upper")}
    wider = program.with_rows(np.ones((1, n)), [-np.inf], [np.inf], ["free"])
    for other in (wider, replace(program, **ends)):
        assert solve_program(other, name).objective == pytest.approx(best.objective, rel=1e-6)


def dense_lp(n: int) -> Program:
    """max sum x over random dense packing rows: minutes of work for a few hundred rows."""
    rng = np.random.default_rng(0)
    return make_program(-np.ones(n), rng.random((n, n)), row_upper=n / 20)


def test_settings_arrive() -> None:
    options = {"presolve": "off", "simplex_strategy": "4", "mps_parser_type_free": "false"}
    how = {"tol": 1e-12, "time_limit": 7.5, "threads": 1, "seed": 2**31 + 5}
    highs = highs_adapter.new_highs(SolveSettings(**how, solver_options=options))
    expected = dict.fromkeys([f"{s}_feasibility_tolerance" for s in ("primal", "dual")], 1e-10)
    expected |= {"time_limit": 7.5, "threads": 1, "random_seed": 6, "presolve": "off"}
    expected |= {"simplex_strategy": 4, "mps_parser_type_free": False, "output_flag": False}
    assert {name: highs.getOptionValue(name)[1] for name in expected} == expected


def test_a_banner_is_silenced(monkeypatch, capfd) -> None:
    """From 1.16 on, HiGHS prints one where callbacks are enabled, unless output is off."""

    def talking(highs) -> None:
        if highs.getOptionValue("output_flag")[1]:
            os.write(1, b"Running HiGHS\n")

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", talking)
    highspy.Highs()
    assert capfd.readouterr().out == "Running HiGHS\n"
    highs_adapter.new_highs(SolveSettings())
    assert highs_adapter.version()
    assert capfd.readouterr().out == ""


def test_highs_is_made_in_one_class() -> None:
    """The one without a banner, that holds signals back."""
    made = [
        path.relative_to(ROOT).as_posix()
        for folder in ("radprog", "instances", "models", "solvers", "decompositions")
        for path in (ROOT / folder).rglob("*.py")
        for line in re.findall(r".*highspy\.Highs\b.*", path.read_text())
        if not re.search(">>>|resetGlobalScheduler", line)  # >>>: what a user's own code does
    ]
    assert made == ["solvers/foreign.py", "solvers/adapters/highs.py"]  # foreign: by its name


PRINTING = """
import os, subprocess, sys, threading
import pyomo.environ as pyo, radprog as rp
child = [sys.executable, "-c", "import os; os.write(1, bytes([10]).join([b'child', b'']))"]
model = pyo.ConcreteModel()
model.x = pyo.Var(range(3), bounds=(0, 4), domain=pyo.{domain})
model.row = pyo.Constraint(expr=sum(model.x.values()) <= 7.5)
model.f = pyo.Objective(expr=-sum((i + 1) * x for i, x in model.x.items()))
done, lines = threading.Event(), []
def prints():
    while not done.wait(1e-4):
        lines.append(os.write(1, b"line %d\\n" % len(lines)))
thread = threading.Thread(target=prints, daemon=True)
thread.start()
for k in range({count}):
    rp.solve(model, {solver!r})
    if k % 50 == 0:
        subprocess.run(child, check=True)
done.set()
thread.join()
print("lines", len(lines))
"""


@pytest.mark.parametrize(
    ("solver", "domain", "count"), [("highs", "Reals", 300), ("scip", "Integers", 50)]
)
def test_what_threads_and_children_print_is_there(solver, domain, count) -> None:
    code = PRINTING.format(solver=solver, domain=domain, count=count)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, last = ended.stdout.splitlines()
    assert lines.count("child") == -(-count // 50)
    own = [line for line in lines if line != "child"]
    assert own == [f"line {k}" for k in range(int(last.removeprefix("lines ")))]
    assert ended.stderr == ""


FORKED = """
import os
from radprog.solvers.adapters.highs import new_highs
from radprog.solvers.program import SolveSettings
child = None
for threads in (4, 4, 1):
    highs = new_highs(SolveSettings(threads=threads))
    highs.addVar(0.0, 1.0)
    highs.run()
    child = os.fork() if child is None else child
if child:
    raise SystemExit(os.waitpid(child, 0)[1])
os._exit(0)
"""


def test_a_fork_does_not_wait_for_the_threads_of_its_caller() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=PATIENCE)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("kind", ["pressed", "raised"])
def test_nothing_is_raised_inside_a_callback(kind) -> None:
    """A run that is left by an exception breaks HiGHS: it is interrupted, and ends first."""
    asked = []

    def interrupt() -> bool:
        asked.append(kind)
        if len(asked) == 3 and kind == "raised":
            raise KeyboardInterrupt
        return len(asked) == 3 and bool(os.kill(os.getpid(), signal.SIGINT))

    highs = highs_adapter.new_highs(
        SolveSettings(interrupted=interrupt, solver_options={"presolve": "off"})
    )
    highs_adapter.pass_program(highs, dense_lp(120))
    with pytest.raises(KeyboardInterrupt):
        highs.run()
    assert STATUS[highs.getModelStatus()] is Status.INTERRUPTED


def test_what_failed_runs_again_as_a_new_object() -> None:
    program = dense_lp(30)
    highs = highs_adapter.new_highs(
        SolveSettings(time_limit=9.0, solver_options={"presolve": "off"})
    )
    highs_adapter.pass_program(highs, program)
    highs.run()
    for new in (highs_adapter.renewed(highs), highs_adapter.renewed(highs_adapter.renewed(highs))):
        assert new.getOptionValue("presolve")[1] == "off"
        assert 0.0 < new.getOptionValue("time_limit")[1] <= 9.0
        new.run()
        assert new.getObjectiveValue() == pytest.approx(highs.getObjectiveValue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(highs), "getModelStatus", lambda _: highs_adapter.Word.kSolveError)
        highs.run()
    # a change resets its status, and does not mend it
    highs.changeColCost(0, -2.0)
    refused(SolverError, "cannot run again", highs.run)
    assert STATUS[run_live(highs).getModelStatus()] is Status.OPTIMAL


def test_threads_can_change_between_solves(small_lp) -> None:
    settings = [SolveSettings(threads=threads) for threads in (1, 2, 1)]
    assert len({solve_program(small_lp, "highs", how).objective for how in settings}) == 1


@pytest.mark.parametrize("solver", ["simplex", "ipm"])
def test_interrupt_inside_a_long_solve(solver) -> None:
    stop, asked = polled(3)
    options = {"solver": solver, "presolve": "off"}
    start = time.process_time()
    settings = SolveSettings(interrupted=stop, time_limit=PATIENCE, solver_options=options)
    solution = solve_program(dense_lp(900), "highs", settings)
    assert solution.status is Status.INTERRUPTED
    assert time.process_time() - start < 20
    assert len(asked) > 2


@pytest.mark.parametrize("seed", range(3))
def test_a_first_point_that_is_not_optimal_is_left(seed) -> None:
    """min |B'x|^2 / 2 - sum x over the unit box, B (8, 2): HiGHS calls 0 optimal at once."""
    B = np.random.default_rng(seed).normal(size=(8, 2))
    program = make_program(-np.ones(8), row_lower=0.0, row_upper=0.0, upper=1.0, quadratic=B @ B.T)
    found = solve_program(program)
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(solve_program(program, "piqp").objective, abs=1e-6)
    least = replace(program, cost=np.ones(8))  # here 0 is optimal
    assert solve_program(least).objective == 0.0


def test_a_program_without_columns() -> None:
    empty = make_program([], sparse.csr_array((1, 0)), row_upper=4.0, constant=3.0)
    solution = solve_program(empty)
    assert (solution.status, solution.objective) == (Status.OPTIMAL, 3)
    assert solve_program(replace(empty, row_lower=np.array([1.0]))).status is Status.INFEASIBLE
    # presolve alone cannot tell whether this is infeasible or unbounded
    both = make_program([1.0, -1.0], [[0.0, 0.0]], -1.0, 1.0)
    assert solve_program(both).status is Status.UNBOUNDED


def test_tiny_coefficients_are_not_dropped() -> None:
    """HiGHS drops entries below 1e-9 by default; here they carry the answer."""
    tight = SolveSettings(tol=1e-10)
    program = make_program([1e-3, 1.0], [[5e-10, 1.0]], 1e-3)
    assert solve_program(program, "highs", tight).objective == pytest.approx(1e-3, abs=1e-9)
    cheap = make_program([1e-12, 1.0], [[5e-10, 1.0]], 1e-3)
    assert solve_program(cheap, "highs", tight).x[0] == pytest.approx(2e6)


def test_entries_that_highs_refuses() -> None:
    words = "not a number|in it is none"
    large = r"matrices: it takes entries below 1e\+15, .* here is 1e\+16: scale the features"
    for cost, entry, low, why in (
        (1.0, 1e16, 0.0, large),
        (1.0, -1e200, 0.0, "scale the features ..scale='ball'., unit or standard."),
        (1.0, np.nan, 0.0, "cannot be given the program's matrices: an entry is not a number"),
        (np.nan, 1.0, 0.0, words),
        (1.0, 1.0, np.nan, words),
    ):
        program = make_program([1.0, cost], [[entry, 1.0]], low, 4.0)
        refused(SolverError, why, highs_adapter.solve, program, SolveSettings())
