"""Solvers by name: capability, convexity, crashes; every registered solver against known optima."""

import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from effort import seeds
from refusals import refused
from scipy import sparse

import radprog as rp
from radprog.solvers import registry
from radprog.solvers.adapters import highs
from radprog.solvers.adapters.pyomo_bridge import PyomoSolver
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.registry import (
    FILE_READERS,
    SOLVERS,
    able,
    list_solvers,
    solve_program,
    solver,
)
from radprog.testing import check_solver

EXTERNAL = {"pyomo:glpk", "pyomo:cbc"}
DECLARED = [
    pytest.param(name, kind, marks=[pytest.mark.slow] if name in EXTERNAL else [])
    for name, spec in SOLVERS.items()
    for kind in ProblemClass
    if spec.takes(kind)
]
CHECKED = [
    pytest.param(
        name,
        marks=[pytest.mark.slow] * (name in EXTERNAL) + [pytest.mark.thorough] * (name == "scip"),
    )
    for name in SOLVERS
    if name != "libsvm"  # which takes no program as matrices
]


@pytest.mark.parametrize("name", CHECKED)
def test_a_solver_keeps_what_every_solver_keeps(name) -> None:
    if not SOLVERS[name].installed():
        pytest.skip(f"{name} is not installed")
    check_solver(name)


def test_a_broken_solver_is_named_with_what_is_wrong(monkeypatch) -> None:
    """Plants an error in each part of the answers of HiGHS."""
    honest = highs.solve

    def planted(change):
        def solve(program, settings):
            return change(honest(program, settings))

        return solve

    for change, words in (
        (lambda a: replace(a, row_duals=None), "no row_duals, although"),
        (lambda a: a if a.row_duals is None else replace(a, row_duals=-a.row_duals), "gap of"),
        (lambda a: a if a.x is None else replace(a, x=a.x + 0.1), "LP 0: .*violates"),
        (lambda a: replace(a, claimed=(a.claimed or 0.0) - 2.5), "claims an optimum of"),
        (lambda a: replace(a, status=Status.INFEASIBLE), "LP 0: infeasible"),
        (
            lambda a: replace(a, status=Status.INFEASIBLE) if a.status == "unbounded" else a,
            "unbounded program is called infeasible",
        ),
        (
            lambda a: replace(a, status=Status.INFEASIBLE) if a.status == "limit" else a,
            "0: an optimal program is called infeasible",
        ),
    ):
        monkeypatch.setattr(highs, "solve", planted(change))
        refused(AssertionError, f"solver highs, .*{words}", check_solver, "highs")


@pytest.mark.parametrize(("name", "kind"), DECLARED)
@pytest.mark.parametrize("seed", seeds(12, 1))
def test_every_declared_class_is_solved(name, kind, seed, known) -> None:
    case = known(100 + seed, kind)
    solution = solve_program(case.program, name)
    # duals are computed where a solver gives none; of integers, a search's bound proves its point
    by = solution.proved_by
    if not case.program.integer.any():
        assert by == "duals"
    elif name == "highs":
        assert by == "solver"
    assert solution.status is (Status.OPTIMAL if by else Status.FEASIBLE)
    assert solution.claimed_optimal
    assert by or solution.message.startswith(f"claimed optimal by {name}")
    tolerance = 1e-6 * max(1.0, abs(case.objective))
    assert solution.objective == pytest.approx(case.objective, abs=tolerance)
    assert solution.solver == name
    assert solution.version
    assert (solution.row_duals is not None) == (not case.program.integer.any())


def test_integer_programs_differ_from_their_relaxations(known) -> None:
    """The random integer programs could not be solved by forgetting integrality."""
    different = 0
    for seed in range(12):
        case = known(100 + seed, ProblemClass.MILP)
        relaxed = replace(case.program, integer=np.zeros(4, dtype=np.bool_))
        objective = solve_program(relaxed).objective
        assert objective <= case.objective + 1e-9
        different += objective < case.objective - 1e-3
    assert different >= 8


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in EXTERNAL])
def test_undeclared_classes_are_refused(name, known) -> None:
    for kind in ProblemClass:
        if SOLVERS[name].takes(kind):
            continue
        words = f"{name} cannot solve programs of class {kind}: use .*scip"
        refused(rp.CapabilityError, words, solve_program, known(0, kind).program, name)


@pytest.mark.parametrize("name", ["nosuch", "pyomo:nosuch", "pyomo:", "pyomo:ls", "HIGHS", ""])
def test_unknown_names(name, small_lp) -> None:
    with pytest.raises(rp.OptionError, match=f"unknown solver '{name}'") as caught:
        solve_program(small_lp, name)
    assert caught.value.exit_code == 2


def test_a_solver_that_pyomo_knows_is_called_through_it() -> None:
    refused(rp.OptionError, r"unknown solver 'gurobi': .*; write pyomo:gurobi$", solver, "gurobi")


def test_vendors_that_pyomo_finds_are_listed(monkeypatch) -> None:
    here = {"xpress", "mosek"}
    found = lambda bridge: "" if bridge.name in here else "is not installed"  # noqa: E731
    monkeypatch.setattr(PyomoSolver, "missing", found)
    listed = list_solvers()
    assert listed[: len(SOLVERS)] == [*SOLVERS]
    # those of other packages, which a developer's computer may have, stand between them
    assert listed[-2:] == ["pyomo:xpress", "pyomo:mosek"]
    assert not {"pyomo:xpress", "pyomo:mosek"} & set(able(ProblemClass.MIQP))  # none is chosen


@pytest.mark.parametrize(("kind", "words"), [("MIQP", "a MIQP"), ("QP", "a nonconvex QP")])
def test_a_class_without_a_solver(monkeypatch, kind, words) -> None:
    """A convex MIQP also needs a search, and is not called nonconvex."""
    monkeypatch.setattr(registry, "able", lambda *_, **__: iter(()))
    with pytest.raises(rp.SolverMissingError, match=f"no solver for {words} is installed"):
        registry.preferred(ProblemClass(kind), nonconvex=True)


@pytest.mark.parametrize("name", ["pyomo:gurobi", "pyomo:conopt"])
def test_known_but_not_installed(name, small_lp, monkeypatch) -> None:
    monkeypatch.setattr(type(solver(name)), "installed", lambda self: False)
    with pytest.raises(rp.SolverMissingError, match=f"{name} is not installed") as caught:
        solve_program(small_lp, name)
    assert caught.value.exit_code == 3


def test_a_package_that_is_missing(small_lp, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.clarabel", raising=False)
    assert SOLVERS["clarabel"].declared.classes == frozenset()
    with pytest.raises(rp.SolverMissingError, match="clarabel is not installed: no clarabel"):
        solve_program(small_lp, "clarabel")


def test_nonconvex_programs_are_refused_by_convex_solvers(known) -> None:
    program = known(1, ProblemClass.QP).program
    saddle = replace(
        program, quadratic=program.quadratic - 0.501 * sparse.eye_array(len(program.cost))
    )
    for name in ("highs", "piqp"):
        refused(rp.ConvexityError, r"smallest eigenvalue -0\.5", solve_program, saddle, name)


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), ValueError("boom"), rp.SolverError("boom")]
)
def test_a_crash_is_an_error_and_nothing_is_written(error, small_lp, monkeypatch, tmp_path) -> None:
    """The coefficients of a program are its user's data."""

    def crash(program: Program, settings: SolveSettings) -> SolverAnswer:
        raise error

    monkeypatch.setattr(highs, "solve", crash)
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    refused(rp.SolverError, "boom", solve_program, small_lp)
    assert not [*tmp_path.iterdir()]


def test_rows_and_declarations_agree() -> None:
    """Help names the readers of files without loading a solver."""
    for name, spec in SOLVERS.items():
        declared = spec.declared
        if declared != Declared():
            assert (name.removeprefix("pyomo:") in FILE_READERS) == bool(declared.formats), name
    preference = [next(able(kind)) for kind in ProblemClass]
    assert preference == ["highs", "highs", "ipopt", "highs", "scip", "scip"]
    assert next(able(ProblemClass.QCQP, nonconvex=True)) == "scip"
    assert list(able(ProblemClass.QCQP, cones=True)) == ["ipopt", "scip"]


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_only_adapters_that_may_be_chosen_are_imported(kind: ProblemClass) -> None:
    code = "import sys\nfrom radprog.solvers.program import ProblemClass\n"
    code += f"from radprog.solvers.registry import able\nlist(able(ProblemClass({kind.value!r})))\n"
    code += "print(*[name.rpartition('.')[2] for name in sys.modules if '.adapters.' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    declared = {name for name, spec in SOLVERS.items() if kind in spec.loaded().DECLARED.classes}
    assert set(done.stdout.split()) <= declared | {"highs", "scip", "pyomo_bridge"}
    assert all(spec.loaded().DECLARED.classes <= spec.only for spec in SOLVERS.values())


@pytest.mark.parametrize("ended", ["limit", "interrupt"])
def test_no_solver_is_asked_after_the_limit(ended: str, small_lp, monkeypatch) -> None:
    """Whatever the ones before have done with the time."""
    asked: list[str] = []

    def crash(program: Program, name: str, settings: SolveSettings, **how: bool) -> None:
        asked.append(name)
        time.sleep(0.2)
        raise rp.SolverError("crashed")

    monkeypatch.setattr(registry, "solve_program", crash)
    given = {"limit": {"time_limit": 0.1}, "interrupt": {"interrupted": lambda: len(asked) > 0}}
    for settings in (SolveSettings(**given[ended]), SolveSettings()):
        asked.clear()
        with pytest.raises(rp.SolverError, match="crashed"):
            registry.solved_by_any(small_lp, small_lp, settings)
        assert (len(asked) == 1) == (settings != SolveSettings())


def test_a_solver_after_an_unproved_unbounded_has_a_limit(small_lp, monkeypatch) -> None:
    """SCIP follows a ray that rounding spoils without end."""
    limits: list[float | None] = []

    def claims(program: Program, name: str, settings: SolveSettings, **how: bool) -> Solution:
        limits.append(settings.time_limit)
        claim = Status.UNBOUNDED
        return Solution(status=Status.FAILED, solver=name, version="", claim=claim)

    monkeypatch.setattr(registry, "solve_program", claims)
    registry.solved_by_any(small_lp, small_lp, SolveSettings())
    assert limits[0] is None
    assert 1.0 <= max(limits[1:]) < 2.0
