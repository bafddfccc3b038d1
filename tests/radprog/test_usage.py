"""Usage: help, unknown words, and options that a variant does not use."""

import argparse
import json
from dataclasses import fields
from pathlib import Path

import pytest

from radprog.catalog import CATALOG
from radprog.cli import build_parser, main
from radprog.terminal.parser import filled

OF_MODELS = [(command, model) for command in ("solve", "export", "tune")
             for model in ("vkr", "l1svm", "svm", "mkl")]  # fmt: skip


@pytest.mark.parametrize(("command", "model"), OF_MODELS)
def test_help_names_every_option_of_the_model(radprog, command, model) -> None:
    text = radprog(command, model, "--help").out
    entry = CATALOG[model]
    for name in (field.name for field in fields(entry.spec)):
        shown = command == "export" or name not in entry.form_options
        shown &= (
            command != "tune" or name != "constraints"
        )  # which are on rows that folds leave out
        assert (f"--{name.replace('_', '-')} " in text) == shown
    words = ["--label", "--scale", "--missing", "--positive", "--strings", "--method", "--solver",
             "--tol", "--abs-tol", "--time-limit", "--max-iter", "--seed", "--threads",
             "--solver-option", "--log", "--quiet", "--verbose"]  # fmt: skip
    more = {"solve": ["--json", "--save", "--start", "--test", "--plot"],
            "export": ["--form", "--output"],
            "tune": ["--grid", "--folds", "--protocol", "--by", "--json", "--save"]}  # fmt: skip
    assert [word for word in words + more[command] if word not in text] == []


NEEDY = ["solve", "solve vkr", "export vkr x.csv", "tune vkr x.csv", "verify", "predict f.json",
         "check r.json"]  # fmt: skip


@pytest.mark.parametrize("line", NEEDY)
def test_what_is_left_out_is_named(radprog, folder, line) -> None:
    assert "--help" in radprog.refused("required", line)


def test_nothing_at_all_shows_the_help(radprog) -> None:
    found = radprog()
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("usage: radprog")


def leaves(parser, words=()):
    """Every parser without commands below it, with the words that lead to it."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not below:
        yield words, parser
    for name, under in below[0].choices.items() if below else ():
        yield from leaves(under, (*words, name))


def test_a_dash_is_stdout_where_help_says_so_and_refused_elsewhere(capsys) -> None:
    top, refused, taken, codes = filled(build_parser()), set(), set(), set()
    for words, parser in leaves(top):
        for action in parser._actions:
            key = (*action.option_strings, action.metavar)
            # switches, choices and numbers take no file
            if (
                action.nargs == 0
                or action.choices
                or action.type not in (None, str)
                or key in refused | taken
            ):
                continue
            line = list(words)
            for other in parser._actions:
                value = "-" if other is action else str(next(iter(other.choices or ["x"])))
                if other is action or other.required:
                    line += [*other.option_strings[-1:], value]
            try:
                found = getattr(top.parse_args(line), action.dest)
            except SystemExit as end:
                said = "'-' is not read or written here: expected the name of a file"
                codes.add((end.code, said in capsys.readouterr().err))
                refused.add(key)
            else:
                assert found in ("-", ["-"])
                taken.add(key)
    assert codes == {(2, True)}
    names = {"--json", "-o", "--label", "--positive", "--strings", "--weights", "--class",
             "--categorical"}  # fmt: skip
    assert {key[0] for key in taken} == names
    files = ("DATA", "FIT", "RUN.json", "SOL", "NAMES.json", "FILE.npy", "PROOF", "DIR", "OUT.html")
    assert set(files) <= {key[-1] for key in refused}


@pytest.mark.parametrize(("short", "long"), [("-q", "--quiet"), ("-v", "--verbose")])
def test_short_options_are_the_long_ones(short, long) -> None:
    for words, parser in leaves(filled(build_parser())):
        options = parser._option_string_actions
        assert options[short] is options[long], words


def test_colours_are_for_terminals_and_forced_streams(radprog, folder, monkeypatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    line = ("solve", "svm", "train.csv", "--kernels", "linear")
    plain, wrong = radprog(*line), radprog("check", "kernls.json", "x.csv")
    assert "\x1b" not in plain.out + plain.err + wrong.err
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ": \x1b[32mcertified\x1b[0m (gap" in radprog(*line).out
    assert radprog("check", "kernls.json", "x.csv").err.startswith(
        "\x1b[1;31mradprog: error:\x1b[0m kernls.json"
    )
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


def test_a_table_fits_80_columns(radprog) -> None:
    lines = [line for line in radprog("solvers").out.splitlines() if "  " in line]  # no notes
    assert len(lines) > 8
    assert max(map(len, lines)) <= 80
    assert not any("unknown" in line for line in lines)


def test_solvers_marks_what_is_missing(radprog, monkeypatch) -> None:
    from radprog.solvers.registry import SolverSpec

    real = SolverSpec.installed
    monkeypatch.setattr(SolverSpec, "installed", lambda self: self.name != "scip" and real(self))
    rows = {
        row["name"]: row for row in json.loads(radprog("solvers", "--json", "-").out)["solvers"]
    }
    assert not rows["scip"]["installed"]
    assert rows["piqp"]["classes"]["QP"] is True
    line = next(line for line in radprog("solvers").out.splitlines() if line.startswith("scip"))
    assert "not installed" in line


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["sovle", "vkr", "x.csv"], "solve"),
        (["solve", "vkrr", "x.csv"], "vkr"),
        (["solve", "vkr", "x.csv", "--kernel", "poly:1"], "--kernels"),
        (["solve", "vkr", "x.csv", "--scale", "bal"], "ball"),
        (["solve", "plan.mps"], "program plan.mps: radprog analyze"),
    ],
)
def test_a_slip_is_told_what_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert f" {meant}" in capsys.readouterr().err


def test_nothing_is_suggested_for_what_is_like_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["solve", "vkr", "x.csv", "--zzzz"])
    assert "did you mean" not in capsys.readouterr().err
