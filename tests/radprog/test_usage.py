"""Usage: help, unknown words, and what every command does when all is well or an answer fails."""

import json
from pathlib import Path

import pyomo.environ as pyo
import pytest
from bad_endings import pressed_at_the_incumbent
from refusals import refused

import radprog as rp
from radprog.catalog import CATALOG
from radprog.cli import build_parser, main
from radprog.solvers import apart
from radprog.solvers.adapters import highs
from radprog.solvers.registry import SolverSpec


def test_colours_are_for_terminals_and_forced_streams(radprog, folder, monkeypatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    line = ("solve", "svm", "train.csv", "--kernels", "linear")
    plain, wrong = radprog(*line), radprog("check", "kernls.json", "x.csv")
    assert "\x1b" not in plain.out + plain.err + wrong.err
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ": \x1b[32mcertified\x1b[0m (gap" in radprog(*line).out
    assert radprog("solve", "svn").err.startswith("\x1b[1;31mradprog: error:\x1b[0m argument")
    assert "\x1b" not in radprog(*line, "--json", "-", "-q").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert radprog("check", "kernls.json", "x.csv").err == wrong.err


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [(RuntimeError("two\nlines"), 3, "RuntimeError --debug"), (MemoryError(), 2, "memory")],
)
def test_a_defect_is_one_line_too(radprog, folder, monkeypatch, error, code, words) -> None:
    def broken(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("radprog.result.result_of", broken)
    found = radprog("solve vkr train.csv --kernels linear --json r.json")
    assert (found.code, found.out) == (code, "")
    assert all(word in found.error for word in words.split())
    assert not Path("r.json").exists()


def test_a_slip_is_told_what_was_meant(capsys) -> None:
    for line, meant in (
        ("sovle vkr x.csv", "solve"),
        ("solve vkrr x.csv", "vkr"),
        ("solve vkr x.csv --kernel poly:1", "--kernels"),
        ("solve vkr x.csv --scale bal", "ball"),
    ):
        refused(SystemExit, "2", main, line.split())
        assert f" {meant}" in capsys.readouterr().err


def test_a_solver_that_is_not_installed(radprog, folder, monkeypatch) -> None:
    lacks = "solver {} is not installed"
    monkeypatch.setattr(SolverSpec, "missing", lambda self: lacks.format(self.name))
    for name in ("scip", "pyomo:gurobi"):
        found = radprog("solve vkr", "train.csv", "--method", "direct", "--solver", name)
        assert (found.code, f"{name} is not installed" in found.error) == (3, True)
    found = radprog("solve vkr", "train.csv", "--method", "direct", "--solver", "gurobi")
    assert (found.code, found.error.endswith("write pyomo:gurobi")) == (2, True)


def test_debug_shows_the_traceback(radprog, folder) -> None:
    found = radprog("solve vkr", "nobody.csv", "--debug")
    assert (found.code, "Traceback" in found.err) == (2, True)


SMALL = ("--kernels", "poly:1-3", "--scale", "ball")


def test_verbose_prints_a_line_per_iteration(radprog, folder) -> None:
    found = radprog("solve", "vkr", "train.csv", *SMALL, "--verbose", "--json", "r.json")
    result = found.json
    assert len(found.err.splitlines()) == result["iterations"]
    assert all("gap" in line for line in found.err.splitlines())


def test_log_and_solver_options_reach_the_solver(radprog, folder) -> None:
    options = "--solver-option simplex_iteration_limit=1 --solver-option presolve=off"
    found = radprog("solve vkr train.csv --method direct --log solver.log", *SMALL, options)
    assert found.code == 1
    assert Path("solver.log").stat().st_size > 0
    radprog.refused("nonsense", "solve vkr train.csv", *SMALL, "--solver-option nonsense=1")
    found = radprog("solve simsvm train.csv --kernels linear --method primal --log p.log")
    assert "no log in p.log" in found.err


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_verify_with_the_incumbent(radprog, folder, monkeypatch) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.row = pyo.Constraint(expr=2 * model.x >= 3)
    model.cost = pyo.Objective(expr=model.x)
    rp.export(model, "p.mps")
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    monkeypatch.setattr(highs, "solve_search", apart.solve_apart)
    monkeypatch.setattr(highs, "_solve_file", pressed_at_the_incumbent)
    found = radprog("verify p.mps --solver highs --solver scip --json v.json")
    assert (found.code, "cut off, at least 1.75" in found.out) == (1, True)
    (row,) = json.loads(Path("v.json").read_text())["rows"]
    assert (row["status"], row["objective"], row["cut_off"]) == ("interrupted", 2.0, True)


COMMANDS = ["solve", "export", "tune", "verify", "predict", "check", "solvers", "demo"]
COMMANDS += ["", *(f"solve {name}" for name in CATALOG)]
COMMANDS += [f"export {name}" for name, entry in CATALOG.items() if entry.forms]
COMMANDS += [f"tune {name}" for name, entry in CATALOG.items() if entry.grid_example]


@pytest.mark.cases(60)
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_examples_that_parse(radprog, command) -> None:
    found, known = radprog(command, "--help"), command.split()
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(" ".join(["usage: radprog", *known]))
    examples = found.out[found.out.rindex("example") :].splitlines()[1:]
    assert examples
    for example in examples:
        words = example.split()
        assert words[: 1 + len(known)] == ["radprog", *known]
        assert build_parser().parse_args(words[1:]).command == words[1]
