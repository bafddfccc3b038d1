"""What every command does when all is well, and when an answer does not hold."""

import json
from pathlib import Path

import pyomo.environ as pyo
import pytest
from bad_endings import pressed_at_the_incumbent

import radprog as rp
from radprog.catalog import CATALOG
from radprog.cli import build_parser
from radprog.solvers import apart
from radprog.solvers.adapters import highs

SMALL = ("--kernels", "poly:1-3", "--scale", "ball")


def test_solve_reports_on_stdout_and_nothing_on_stderr(radprog, folder) -> None:
    found = radprog.ok("solve", "vkr", "train.csv", *SMALL)
    assert found.err == ""
    assert "status     optimal (stopped by tolerance)" in found.out
    assert "vacuous" not in found.out  # radprog bounds lists them
    assert radprog("solve", "vkr", "train.csv", *SMALL, "--quiet").out == ""


def test_verbose_prints_a_line_per_iteration(radprog, folder) -> None:
    found = radprog("solve", "vkr", "train.csv", *SMALL, "--verbose", "--json", "r.json")
    result = json.loads(Path("r.json").read_text())
    assert len(found.err.splitlines()) == result["iterations"]
    assert all("gap" in line for line in found.err.splitlines())


def test_log_and_solver_options_reach_the_solver(radprog, folder) -> None:
    found = radprog(
        "solve", "vkr", "train.csv", *SMALL, "--method", "direct", "--log", "solver.log",
        "--solver-option", "simplex_iteration_limit=1", "--solver-option", "presolve=off",
    )  # fmt: skip
    assert found.code == 1
    assert Path("solver.log").stat().st_size > 0
    radprog.refused("nonsense", "solve vkr train.csv", *SMALL, "--solver-option nonsense=1")
    found = radprog("solve simsvm train.csv --kernels linear --method primal --log p.log")
    assert "no log in p.log" in found.err
    refused = radprog("solve", "vkr", "train.csv", *SMALL, "--solver-option", "presolve")
    assert "K=V" in refused.error


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


@pytest.mark.parametrize(
    "command",
    [
        [],
        *([name] for name in COMMANDS),
        *(["solve", name] for name in CATALOG),
        *(["export", name] for name, entry in CATALOG.items() if entry.forms),
        *(["tune", name] for name, entry in CATALOG.items() if entry.grid_example),
    ],
    ids=" ".join,
)
def test_help_of_every_command_has_examples_that_parse(radprog, command) -> None:
    found = radprog(*command, "--help")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(" ".join(["usage: radprog", *command]))
    examples = found.out[found.out.rindex("example") :].splitlines()[1:]
    assert examples
    for example in examples:
        words = example.split()
        assert words[: 1 + len(command)] == ["radprog", *command]
        assert build_parser().parse_args(words[1:]).command == words[1]
