"""Usage: help, unknown words, and options that a variant does not use."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from radprog.catalog import CATALOG
from radprog.cli import main

COMMANDS = ("solve", "export", "verify", "predict", "tune", "check", "data", "solvers",
            "reproduce", "demo")  # fmt: skip
OF_MODELS = [(command, model) for command in ("solve", "export", "tune")
             for model in ("vkr", "l1svm", "svm", "mkl")]  # fmt: skip


@pytest.mark.parametrize("words", [(), *((c,) for c in COMMANDS), *OF_MODELS], ids=" ".join)
def test_help(radprog, words) -> None:
    found = radprog(*words, "--help")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"usage: {' '.join(('radprog', *words))}")
    assert "example" in found.out
    if not words:
        assert all(command in found.out for command in COMMANDS)


@pytest.mark.parametrize(("command", "model"), OF_MODELS)
def test_help_names_every_option_of_the_model(radprog, command, model) -> None:
    text = radprog(command, model, "--help").out
    entry = CATALOG[model]
    for name in (field.name for field in fields(entry.spec)):
        shown = command == "export" or name not in entry.form_options
        assert (f"--{name.replace('_', '-')} " in text) == shown
    words = ["--label", "--scale", "--missing", "--positive", "--strings", "--method", "--solver",
             "--tol", "--abs-tol", "--time-limit", "--max-iter", "--seed", "--threads",
             "--solver-option", "--log", "--quiet", "--verbose"]  # fmt: skip
    more = {"solve": ["--json", "--save", "--start", "--test", "--plot"],
            "export": ["--form", "--output"],
            "tune": ["--grid", "--folds", "--protocol", "--by", "--json", "--save"]}  # fmt: skip
    assert [word for word in words + more[command] if word not in text] == []


NEEDY = ["", "solve", "solve vkr", "export vkr x.csv", "tune vkr x.csv", "verify", "predict f.json",
         "check r.json", "data", "reproduce"]  # fmt: skip


@pytest.mark.parametrize("line", NEEDY)
def test_what_is_left_out_is_named(radprog, folder, line) -> None:
    found = radprog(*line.split())
    assert found.code == 2
    assert "required" in found.error
    assert "--help" in found.error
    assert found.out == ""


UNKNOWN = [
    (("dance",), "dance"),
    (("solve", "tree", "train.csv"), "tree"),
    (("export", "tree", "train.csv", "-o", "p.lp"), "tree"),
    (("solve", "vkr", "train.csv", "--colour", "red"), "--colour"),
    (("solve", "vkr", "train.csv", "--kern", "linear"), "--kern"),  # no abbreviations
    (("solve", "vkr", "train.csv", "test.csv"), "test.csv"),
    (("solve", "l1svm", "train.csv", "--lam", "1"), "--lam"),
    (("solve", "svm", "train.csv", "--beta", "1"), "--beta"),
    (("solve", "svm", "train.csv", "--method", "colgen"), "colgen"),
    (("export", "svm", "train.csv", "--form", "primal", "-o", "p.lp"), "primal"),
    (("tune", "vkr", "train.csv", "--grid", "lam=1", "--protocol", "loo"), "loo"),
    (("tune", "vkr", "train.csv", "--grid", "lam=1", "--by", "luck"), "luck"),
    (("tune", "vkr", "train.csv", "--grid", "rho=1"), "rho"),
    (("tune", "vkr", "train.csv", "--grid", "lam=1", "--folds", "two"), "two"),
    (("verify", "p.lp", "--loud"), "--loud"),
    (("data", "burn"), "burn"),
    (("data", "fetch"), "which data set"),
    (("data", "fetch", "nobody"), "nobody"),
    (("reproduce", "vkr-table9"), "vkr-table9"),
    (("reproduce", "vkr-table1", "--data", ".", "--sets", "nobody"), "nobody"),
    (("reproduce", "vkr-table1", "--data", "."), "ionosphere.csv"),
    (("reproduce", "vkr-table1", "--data", "nowhere"), "nowhere"),
    (("demo", "-o", "train.csv"), "train.csv"),
    (("demo", "-o", "/proc/nowhere"), "/proc/nowhere"),
]


@pytest.mark.parametrize(("words", "word"), UNKNOWN, ids=lambda value: str(value))
def test_unknown_words(radprog, folder, words, word) -> None:
    before = sorted(folder.rglob("*"))
    found = radprog(*words)
    assert found.code == 2
    assert word in found.error
    assert found.out == ""
    assert sorted(folder.rglob("*")) == before


def test_reproduce_without_a_folder_says_how_to_name_one(radprog, folder, monkeypatch) -> None:
    monkeypatch.delenv("RADPROG_DATA", raising=False)
    assert "RADPROG_DATA" in radprog("reproduce", "vkr-table1").error
    assert "RADPROG_DATA" in radprog("data", "fetch", "german").error


UNUSED = [
    ("solve vkr", ("--local-r", "1"), "local_r"),
    ("solve vkr", ("--trials", "9"), "trials"),
    ("solve vkr", ("--complexity", "montecarlo", "--local-r", "1"), "local_r"),
    ("solve vkr", ("--complexity", "local", "--trials", "9"), "trials"),
    ("solve vkr", ("--rho", "1"), "rho"),
    ("solve vkr", ("--method", "cd", "--solver", "highs"), "solver"),
    ("solve vkr", ("--method", "cd", "--solver-option", "a=1"), "solver"),
    ("solve vkr", ("--method", "cd", "--log", "x.log"), "log"),
    ("solve vkr", ("--method", "direct", "--max-iter", "2"), "max_iter"),
    ("solve vkr", ("--method", "dual", "--max-iter", "2"), "max_iter"),
    ("solve vkr", ("--method", "direct", "--start", "vkr.json"), "start"),
    ("solve vkr", ("--method", "cd", "--start", "vkr.json"), "start"),
    ("solve vkr", ("--start", "svm.json"), "svm"),
    ("solve l1svm", ("--start", "vkr.json"), "vkr"),
    ("solve svm", ("--start", "svm.json"), "start"),
    ("solve svm", ("--max-iter", "2"), "max_iter"),
    ("solve svm", ("--solver-option", "a=1"), "libsvm"),
    ("solve svm", ("--solver", "libsvm", "--log", "x.log"), "log"),
    ("export vkr", ("--form", "primal", "--rho", "1"), "rho"),
    ("export vkr", ("--form", "dual", "--method", "cd"), "cd"),
    ("export svm", ("--max-iter", "2"), "max_iter"),
    ("tune vkr", ("--rho", "1"), "rho"),
    ("tune svm", ("--by", "bound"), "bound"),
]


@pytest.mark.parametrize(("command", "options", "word"), UNUSED, ids=lambda value: str(value))
def test_options_without_a_use_are_refused(radprog, once, folder, command, options, word) -> None:
    for model in ("vkr", "svm"):
        saved = ("--kernels", "linear", "--save", f"{model}.json")
        assert once("solve", model, "train.csv", *saved).code == 0
    more = {"solve": (), "export": ("-o", "p.mps"), "tune": ("--grid", "kernels=linear")}
    before = sorted(folder.iterdir())
    found = radprog(*command.split(), "train.csv", *more[command.split()[0]], *options)
    assert found.code == 2, found
    assert word in found.error
    assert sorted(folder.iterdir()) == before


NUMBERS = [
    ("vkr", "--lam", ("-1", "nan", "inf", "x", "")),
    ("vkr", "--beta", ("-1e-9", "nan", "inf", "1,2")),
    ("l1svm", "--beta", ("0", "-1", "nan")),
    ("svm", "--C", ("0", "-1", "nan", "inf")),
    ("vkr", "--tol", ("-1", "nan", "inf", "small")),
    ("vkr", "--abs-tol", ("-1", "nan")),
    ("vkr", "--time-limit", ("0", "-1", "nan", "soon")),
    ("vkr", "--max-iter", ("-1", "1.5", "x")),
    ("vkr", "--threads", ("0", "-1", "x")),
    ("vkr", "--seed", ("x", "1.5", "-1")),
    ("vkr", "--kernels", ("", "poly", "poly:", "poly:x", "poly:3-1", "poly:0", "poly:51", "rbf:",
                          "rbf:0", "rbf:-1", "rbf:nan", "rbf:1..", "rbf:1e0..1e-3", "laplace:x",
                          "file:", "linear,linear", "poly:1-2,poly:2", ",")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "option", "value"),
    [(model, option, value) for model, option, values in NUMBERS for value in values],
)
def test_values_out_of_range(radprog, folder, model, option, value) -> None:
    before = sorted(folder.iterdir())
    kernels = () if option == "--kernels" else ("--kernels", "linear")
    found = radprog("solve", model, "train.csv", *kernels, f"{option}={value}", "--json", "r.json")
    assert found.code == 2, found
    name = option.removeprefix("--")
    assert name.rstrip("s") in found.error.replace("_", "-")
    assert sorted(folder.iterdir()) == before


def test_debug_adds_the_traceback_and_keeps_the_code(radprog, folder) -> None:
    found = radprog("solve", "vkr", "nobody.csv", "--debug")
    assert found.code == 2
    assert found.err.startswith("Traceback")
    assert found.err.splitlines()[-1].startswith("radprog: error: nobody.csv")


def test_a_defect_is_one_line_too(radprog, folder, monkeypatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("radprog.result.result_of", broken)
    found = radprog("solve", "vkr", "train.csv", "--kernels", "linear", "--json", "r.json")
    assert found.code == 3
    assert "RuntimeError" in found.error
    assert "--debug" in found.error
    assert not Path("r.json").exists()


def test_memory_that_is_not_there(radprog, folder, monkeypatch) -> None:
    def full(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("radprog.result.result_of", full)
    found = radprog("solve", "vkr", "train.csv", "--kernels", "linear", "--json", "r.json")
    assert found.code in (1, 2, 3)
    assert "memory" in found.error
    assert not Path("r.json").exists()


def test_main_returns_the_code_and_takes_a_list(folder, capsys) -> None:
    assert main(["solve", "vkr", "train.csv", "--kernels", "linear", "--quiet"]) == 0
    assert main(["solve", "vkr", "nobody.csv"]) == 2
    assert capsys.readouterr().out == ""


def test_data_list_shows_state_and_source(radprog, folder, monkeypatch) -> None:
    monkeypatch.setenv("RADPROG_DATA", str(folder))
    Path("vkr").mkdir()
    Path("vkr/german.csv").write_text("1,2\n")
    lines = {line.split()[0]: line for line in radprog("data", "list").out.splitlines()}
    assert "mismatch" in lines["vkr/german.csv"]
    assert "absent" in lines["vkr/diabetes.csv"]
    assert "1000 x 24" in lines["vkr/german.csv"]


def test_solvers_marks_what_is_missing(radprog, monkeypatch) -> None:
    from radprog.solvers.registry import SolverSpec

    real = SolverSpec.installed
    monkeypatch.setattr(SolverSpec, "installed", lambda self: self.name != "scip" and real(self))
    rows = {
        row["name"]: row for row in json.loads(radprog("solvers", "--json", "-").out)["solvers"]
    }
    assert not rows["scip"]["installed"]
    assert rows["piqp"]["classes"]["QP"] == "ok"
    line = next(line for line in radprog("solvers").out.splitlines() if line.startswith("scip"))
    assert "not installed" in line
