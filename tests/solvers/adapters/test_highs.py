"""HiGHS: its words, options, limits, interrupts and log."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest
from cut_off import polled
from processes import PATIENCE
from refusals import refused
from scipy import sparse
from small_programs import make_program

from radprog.base.errors import SolverError
from radprog.decompositions.drivers.masters import run_live
from radprog.solvers.adapters import highs as highs_adapter
from radprog.solvers.adapters.highs import MEANING, STATUS, Word
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program

ROOT = Path(__file__).resolve().parents[3]


def dense_lp(n: int) -> Program:
    """max sum x over random dense packing rows: minutes of work for a few hundred rows."""
    rng = np.random.default_rng(0)
    return make_program(-np.ones(n), rng.random((n, n)), row_upper=n / 20)


def test_every_word_has_a_meaning() -> None:
    words = highspy.HighsModelStatus.__members__
    failures = [f"k{part}Error" for part in ("Load", "Model", "Presolve", "Solve", "Postsolve")]
    assert set(words) - set(MEANING) <= {*failures, "kNotset", "kUnboundedOrInfeasible", "kUnknown"}
    assert STATUS[words["kUnknown"]] is Status.FAILED
    assert set(STATUS) == set(words.values())
    limits = {MEANING[n] for n in MEANING if "Limit" in n or "Bound" in n or "Target" in n}
    assert not limits & {Status.OPTIMAL, Status.FEASIBLE, Status.INFEASIBLE}
    said_optimal = {name for name, status in MEANING.items() if status is Status.OPTIMAL}
    assert said_optimal == {"kOptimal", "kModelEmpty"}


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

    def talking(highs: Any) -> None:
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
        patch.setattr(type(highs), "getModelStatus", lambda _: Word.kSolveError)
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
