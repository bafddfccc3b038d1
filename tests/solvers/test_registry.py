"""Solvers by name: capability, convexity, crashes; every registered solver against known optima."""

import subprocess
import sys
import time
from dataclasses import replace
from unittest.mock import Mock

import pytest
from contract_checks import check_solver
from refusals import refused
from scipy import sparse
from small_models import small_model

import radprog as rp
from radprog.commands.solvers import solver_rows
from radprog.solvers import registry
from radprog.solvers.adapters import highs
from radprog.solvers.adapters.pyomo_bridge import PyomoSolver
from radprog.solvers.answer import Declared
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.registry import SOLVERS

EXTERNAL = {"pyomo:glpk", "pyomo:cbc"}
MARKS = {"scip": pytest.mark.thorough, **dict.fromkeys(EXTERNAL, pytest.mark.slow)}
CHECKED = [pytest.param(name, marks=MARKS.get(name, ())) for name in SOLVERS if name != "libsvm"]


@pytest.mark.parametrize("name", CHECKED)  # libsvm takes no program as matrices
def test_a_solver_keeps_what_every_solver_keeps(name) -> None:
    if not SOLVERS[name].installed():
        pytest.skip(f"{name} is not installed")
    check_solver(name)


def test_a_broken_solver_is_named_with_what_is_wrong(monkeypatch) -> None:
    """Plants an error in each part of the answers of HiGHS."""
    honest = highs.solve

    def infeasible(word):
        return lambda a: replace(a, status=Status.INFEASIBLE) if a.status == word else a

    for change, words in (
        (lambda a: replace(a, row_duals=None), "no row_duals, although"),
        (lambda a: a if a.row_duals is None else replace(a, row_duals=-a.row_duals), "gap of"),
        (lambda a: a if a.x is None else replace(a, x=a.x + 0.1), "LP 0: .*violates"),
        (lambda a: replace(a, claimed=(a.claimed or 0.0) - 2.5), "claims an optimum of"),
        (lambda a: replace(a, status=Status.INFEASIBLE), "LP 0: infeasible"),
        (infeasible("unbounded"), "unbounded program is called infeasible"),
        (infeasible("limit"), "0: an optimal program is called infeasible"),
    ):
        monkeypatch.setattr(highs, "solve", lambda *given, change=change: change(honest(*given)))
        refused(AssertionError, f"solver highs, .*{words}", check_solver, "highs")


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in EXTERNAL])
def test_undeclared_classes_are_refused(name, known) -> None:
    for kind in ProblemClass:
        if SOLVERS[name].takes(kind):
            continue
        words = f"{name} cannot solve programs of class {kind}: use .*scip"
        refused(rp.CapabilityError, words, registry.solve_program, known(0, kind).program, name)


def test_unknown_names(small_lp) -> None:
    for name, more in (
        *((name, "") for name in ("nosuch", "pyomo:nosuch", "pyomo:", "pyomo:ls", "HIGHS", "")),
        ("gurobi", "; write pyomo:gurobi$"),  # which Pyomo knows,
    ):
        words = rf"unknown solver '{name}': .*{more}"
        refused(rp.OptionError, words, registry.solve_program, small_lp, name)


def test_vendors_that_pyomo_finds_are_listed(monkeypatch) -> None:
    here = {"xpress", "mosek"}
    found = lambda bridge: "" if bridge.name in here else "is not installed"  # noqa: E731
    monkeypatch.setattr(PyomoSolver, "missing", found)
    listed = registry.list_solvers()
    assert listed[: len(SOLVERS)] == [*SOLVERS]
    # those of other packages, which a developer's computer may have, stand between them
    assert listed[-2:] == ["pyomo:xpress", "pyomo:mosek"]
    assert not {"pyomo:xpress", "pyomo:mosek"} & set(
        registry.able(ProblemClass.MIQP)
    )  # none is chosen


def test_a_class_without_a_solver(monkeypatch) -> None:
    """A convex MIQP also needs a search, and is not called nonconvex."""
    monkeypatch.setattr(registry, "able", lambda *_, **__: iter(()))
    for kind, words in ((ProblemClass.MIQP, "a MIQP"), (ProblemClass.QP, "a nonconvex QP")):
        told = f"no solver for {words} is installed"
        refused(rp.SolverMissingError, told, registry.preferred, kind, nonconvex=True)


@pytest.mark.parametrize("name", ["pyomo:gurobi", "pyomo:conopt"])
def test_known_but_not_installed(name, small_lp, monkeypatch) -> None:
    monkeypatch.setattr(type(registry.solver(name)), "installed", lambda self: False)
    words = f"{name} is not installed"
    refused(rp.SolverMissingError, words, registry.solve_program, small_lp, name)


def test_a_package_that_is_missing(small_lp, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.clarabel", raising=False)
    assert SOLVERS["clarabel"].declared.classes == frozenset()
    words = "solver clarabel is not installed: no clarabel"
    refused(rp.SolverMissingError, words, registry.solve_program, small_lp, "clarabel")
    (row,) = (row for row in solver_rows() if row["name"] == "clarabel")
    assert (row["installed"], row["version"]) == (False, "")
    assert row["note"].startswith(words)
    assert not any(row["classes"].values())


def test_a_time_limit_that_a_solver_ignores_is_named() -> None:
    model = small_model(lambda m: m.x**2 - m.x, x=(0, 1))
    with pytest.warns(rp.RadprogWarning, match="time_limit: solver piqp has none"):
        rp.solve(model, "piqp", time_limit=1.0)


def test_the_table_is_what_is_declared() -> None:
    rows = {row["name"]: row for row in solver_rows()}
    assert list(rows)[: len(SOLVERS)] == list(SOLVERS)
    for name in [name for name in SOLVERS if not name.startswith("pyomo:")]:
        spec, row = SOLVERS[name], rows[name]
        assert (row["installed"], bool(row["version"])) == (True, True)
        assert row["classes"] == {str(kind): spec.takes(kind) for kind in ProblemClass}
        assert row["duals"] == spec.declared.duals


def test_nonconvex_programs_are_refused_by_convex_solvers(known) -> None:
    program = known(1, ProblemClass.QP).program
    shift = 0.501 * sparse.eye_array(len(program.cost))
    saddle = replace(program, quadratic=program.quadratic - shift)
    for name in ("highs", "piqp"):
        refused(
            rp.ConvexityError, r"smallest eigenvalue -0\.5", registry.solve_program, saddle, name
        )


def test_a_crash_is_an_error_and_nothing_is_written(small_lp, monkeypatch, tmp_path) -> None:
    """The coefficients of a program are its user's data."""
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for error in (RuntimeError("boom"), ValueError("boom"), rp.SolverError("boom")):
        monkeypatch.setattr(highs, "solve", Mock(side_effect=error))
        refused(rp.SolverError, "boom", registry.solve_program, small_lp)
    assert not [*tmp_path.iterdir()]


def test_rows_and_declarations_agree() -> None:
    """Help names the solvers of programs without loading one."""
    for name, spec in SOLVERS.items():
        declared = spec.declared
        if declared != Declared():
            assert bool(spec.only) == bool(declared.classes), name
    preference = [next(registry.able(kind)) for kind in ProblemClass]
    assert preference == ["highs", "highs", "ipopt", "highs", "scip", "scip"]
    assert next(registry.able(ProblemClass.QCQP, nonconvex=True)) == "scip"
    assert list(registry.able(ProblemClass.QCQP, cones=True)) == ["ipopt", "scip"]


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
        refused(rp.SolverError, "crashed", registry.solved_by_any, small_lp, small_lp, settings)
        assert (len(asked) == 1) == (settings != SolveSettings())


def test_a_solver_after_an_unproved_unbounded_has_a_limit(small_lp, monkeypatch) -> None:
    """SCIP follows a ray that rounding spoils without end."""
    claim = Solution(status=Status.FAILED, solver="s", version="", claim=Status.UNBOUNDED)
    asked = Mock(return_value=claim)
    monkeypatch.setattr(registry, "solve_program", asked)
    registry.solved_by_any(small_lp, small_lp, SolveSettings())
    first, *others = [call.args[2].time_limit for call in asked.call_args_list]
    assert first is None
    assert 1.0 <= max(others) < 2.0
