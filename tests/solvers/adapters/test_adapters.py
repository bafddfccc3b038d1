"""What is particular to PIQP, SCIP and the bridge to Pyomo: words, options, limits."""

import os
import subprocess
import time
from dataclasses import replace
from typing import ClassVar

import numpy as np
import piqp
import pytest
from cut_off import polled
from processes import PATIENCE
from program_files import read_file_with
from pyomo.opt import TerminationCondition
from pyscipopt import SCIP_STATUS, Model
from refusals import refused
from scipy import sparse
from small_programs import make_program

from radprog.base.errors import CapabilityError, OptionError, OutputError, SolverError
from radprog.solvers.adapters import piqp as piqp_adapter
from radprog.solvers.adapters import pyomo_bridge
from radprog.solvers.adapters import scip as scip_adapter
from radprog.solvers.adapters.pyomo_bridge import PyomoSolver, to_pyomo
from radprog.solvers.compile import compile_model
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status, parsed
from radprog.solvers.registry import solve_program, solver


def test_every_word_of_piqp_has_a_meaning() -> None:
    failures = {piqp.PIQP_NUMERICS, piqp.PIQP_UNSOLVED, piqp.PIQP_INVALID_SETTINGS}
    assert set(piqp.Status.__members__.values()) == failures | set(piqp_adapter.STATUS)
    assert {piqp_adapter.STATUS[word] for word in failures} == {Status.FAILED}
    assert piqp_adapter.STATUS[piqp.PIQP_MAX_ITER_REACHED] is Status.LIMIT
    optimal = [word for word, status in piqp_adapter.STATUS.items() if status is Status.OPTIMAL]
    assert optimal == [piqp.PIQP_SOLVED]


def test_every_word_of_scip_has_a_meaning() -> None:
    words = {name.lower() for name in vars(SCIP_STATUS) if name.isupper()}
    assert len(words) >= 15
    assert words - set(scip_adapter.STATUS) == {"unknown", "inforunbd"}
    assert scip_adapter.STATUS[Model().getStatus()] is Status.FAILED
    limits = {word for word in words if word.endswith("limit")} - {"gaplimit"}
    assert {scip_adapter.STATUS[word] for word in limits} == {Status.LIMIT}
    optimal = [word for word, status in scip_adapter.STATUS.items() if status is Status.OPTIMAL]
    assert optimal == ["optimal", "gaplimit"]


def test_every_word_of_pyomo_has_a_meaning() -> None:
    failures = set(TerminationCondition) - set(pyomo_bridge.STATUS)
    assert {word.name for word in failures} == {
        *("unknown", "other", "infeasibleOrUnbounded", "invalidProblem", "solverFailure"),
        *("internalSolverError", "error", "licensingProblems"),
    }
    assert pyomo_bridge.STATUS[TerminationCondition.error] is Status.FAILED
    assert pyomo_bridge.STATUS[TerminationCondition.maxTimeLimit] is Status.LIMIT
    infeasible = [w for w, s in pyomo_bridge.STATUS.items() if s is Status.INFEASIBLE]
    assert infeasible == [TerminationCondition.infeasible]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [("on", bool, True), ("False", bool, False), ("-3", int, -3), ("1e-3", float, 1e-3)],
)
def test_options_as_text(text, kind, value) -> None:
    found = parsed("X", "name", text, kind)
    assert (found, type(found)) == (value, kind)
    assert parsed("X", "name", text, str) == text


@pytest.mark.parametrize(("text", "kind"), [("2", bool), ("1.5", int), ("", float), ("x", float)])
def test_options_that_are_no_value(text, kind) -> None:
    refused(OptionError, f"X option name takes .*, not '{text}'", parsed, "X", "name", text, kind)


BAD_OPTIONS = [
    ("highs", {"nosuch": "1"}, "no option 'nosuch'"),
    ("highs", {"threads": "two"}, "takes an integer, not 'two'"),
    ("highs", {"output_flag": "maybe"}, "takes true or false, not 'maybe'"),
    ("highs", {"time_limit": "soon"}, "takes a number, not 'soon'"),
    ("highs", {"presolve": "perhaps"}, "does not take 'perhaps'"),
    ("highs", {"primal_feasibility_tolerance": "-1"}, "does not take -1.0"),
    ("ipopt", {"nosuch": "1"}, "(?i)ipopt"),
    ("ipopt", {"max_iter": "many"}, "(?i)ipopt"),
    ("ipopt", {"tol": "small"}, "(?i)ipopt"),
    ("ipopt", {"mu_strategy": "best"}, "(?i)ipopt"),
    ("clarabel", {"nosuch": "1"}, "(?i)clarabel"),
    ("clarabel", {"max_iter": "many"}, "(?i)clarabel"),
    ("clarabel", {"__class__": "1"}, "(?i)clarabel"),
    ("piqp", {"nosuch": "1"}, "no option 'nosuch'"),
    ("piqp", {"max_iter": "many"}, "takes an integer"),
    ("piqp", {"backend": "cuda"}, "takes dense or sparse"),
    ("piqp", {"__class__": "1"}, "no option"),
    ("scip", {"nosuch": "1"}, "no option 'nosuch'"),
    ("scip", {"limits/nodes": "many"}, "takes an integer"),
    ("scip", {"limits/time": "-5"}, "does not take -5.0"),
]


@pytest.mark.parametrize(("name", "options", "part"), BAD_OPTIONS)
def test_bad_options(name, options, part, known) -> None:
    with pytest.raises(OptionError, match=part):
        solve_program(
            known(0, ProblemClass.QP).program, name, SolveSettings(solver_options=options)
        )


def test_piqp_backends_and_options(known) -> None:
    case = known(3, ProblemClass.QP)
    for backend in ("dense", "sparse"):
        settings = SolveSettings(tol=1e-10, solver_options={"backend": backend})
        solution = solve_program(case.program, "piqp", settings)
        assert solution.objective == pytest.approx(case.objective, rel=1e-8)
        assert solution.options == {"backend": backend}
    capped = solve_program(case.program, "piqp", SolveSettings(solver_options={"max_iter": "2"}))
    assert capped.status is Status.LIMIT
    assert capped.x is None


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


def test_scip_leaves_stderr_alone(known, capfd) -> None:
    for seed in range(3):
        solve_program(known(seed, ProblemClass.QCQP).program, "scip", SolveSettings(tol=1e-9))
    os.write(2, b"said afterwards")
    assert capfd.readouterr().err == "said afterwards"


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_the_pyomo_model_of_a_program_compiles_back(kind, known) -> None:
    """Same objective and same feasible set; ranged rows are two."""
    case = known(5, kind)
    back = compile_model(to_pyomo(case.program))
    assert back.problem_class is kind
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = case.x + 0.1 * rng.normal(size=case.x.size)
        if kind.startswith("MI"):
            x = np.round(case.x + 2 * rng.normal(size=case.x.size))
        assert back.objective(x) == pytest.approx(case.program.objective(x), abs=1e-9)
        assert back.violation(x) == pytest.approx(case.program.violation(x), abs=1e-9)
    written = np.isfinite(np.concatenate((case.program.row_lower, case.program.row_upper)))
    assert back.row_lower.size <= written.sum()


@pytest.mark.skipif(bool(PyomoSolver("glpk").missing()), reason="glpk is not installed")
def test_rows_without_coefficients_decide_before_the_bridge() -> None:
    fact = make_program(
        np.ones(1), sparse.csr_array((1, 1)), [1.0], upper=1.0, columns="x", names="fact"
    )
    assert PyomoSolver("glpk").solve(fact, SolveSettings()).status is Status.INFEASIBLE


def generic_lp(seed: int) -> Program:
    """Random numbers throughout: primal and dual answers are unique."""
    rng = np.random.default_rng(seed)
    n, m = 8, 6
    matrix, inside = rng.normal(size=(m, n)), rng.random(n)
    lower = matrix @ inside - 0.2 * rng.random(m)
    upper = lower + 0.3 * rng.random(m)
    lower[0], upper[1], upper[2], lower[3] = -np.inf, np.inf, lower[2], -np.inf
    return make_program(rng.normal(size=n), matrix, lower, upper, upper=1.0, constant=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pyomo:glpk", "pyomo:cbc", "pyomo:appsi_highs"])
def test_duals_of_the_bridge_are_those_of_highs(name) -> None:
    binding = 0
    for seed in range(20):
        program = generic_lp(seed)
        ours, other = solve_program(program), solve_program(program, name)
        assert ours.row_duals is not None
        assert other.row_duals is not None
        np.testing.assert_allclose(other.row_duals, ours.row_duals, atol=1e-5)
        np.testing.assert_allclose(other.reduced_costs, ours.reduced_costs, atol=1e-5)
        binding += np.count_nonzero(ours.row_duals)
    assert binding >= 40


class Bridged:
    """A solver behind Pyomo's bridge."""

    options: ClassVar[dict[str, str]] = {}

    def available(self, exception_flag: bool = True) -> bool:
        return True

    def version(self) -> tuple[int, ...]:
        return (1, 0)


def test_a_solver_of_the_bridge_that_outlives_its_limit_has_met_it(known, monkeypatch) -> None:
    class Late(Bridged):
        def solve(self, model: object, **how: object) -> object:
            raise subprocess.TimeoutExpired("late", 3.0)

    monkeypatch.setattr(PyomoSolver, "_solver", lambda bridge: Late())
    stopped = solve_program(known(1, ProblemClass.LP).program, "pyomo:cbc")
    assert stopped.status is Status.LIMIT
    assert stopped.objective is None


def test_what_a_vendor_raises_is_an_error_of_the_solver_in_one_line(known, monkeypatch) -> None:
    class VendorError(Exception):
        pass

    class Unlicensed(Bridged):
        def solve(self, model: object, **how: object) -> object:
            raise VendorError("no licence:\n\tlooked in '/opt'\n" + "and elsewhere, " * 1000)

    monkeypatch.setattr(PyomoSolver, "_solver", lambda bridge: Unlicensed())
    with pytest.raises(SolverError, match="pyomo:mosek crashed: no licence: looked in") as caught:
        solve_program(known(1, ProblemClass.LP).program, "pyomo:mosek")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_vendor_that_does_not_tell_its_version_cannot_be_used(monkeypatch) -> None:
    class Broken:
        def available(self, exception_flag: bool = True) -> bool:
            raise KeyError("version")

    monkeypatch.setattr(PyomoSolver, "_solver", lambda bridge: Broken())
    assert PyomoSolver("xpress").missing().startswith("cannot be used")


@pytest.mark.slow
def test_words_and_options_of_the_bridge(known, market_split) -> None:
    case = known(1, ProblemClass.LP)
    settings = SolveSettings(time_limit=PATIENCE, solver_options={"dual": ""})
    with pytest.raises(SolverError, match="pyomo:glpk crashed"):
        solve_program(case.program, "pyomo:glpk", SolveSettings(solver_options={"nosuch": "1"}))
    assert solve_program(case.program, "pyomo:glpk", settings).status is Status.OPTIMAL
    assert PyomoSolver("glpk").version().startswith(("4.", "5."))
    stopped = solve_program(market_split, "pyomo:glpk", SolveSettings(time_limit=1))
    assert stopped.status is Status.LIMIT


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
