"""Usage: help, unknown words, and options that a variant does not use."""

import argparse
import json
from pathlib import Path

import pytest

from radprog.cli import build_parser, main
from radprog.terminal.parser import filled

NEEDY = ["solve", "solve vkr", "export vkr x.csv", "tune vkr x.csv", "verify", "predict f.json",
         "check r.json"]  # fmt: skip


@pytest.mark.parametrize("line", NEEDY)
def test_what_is_left_out_is_named(radprog, folder, line) -> None:
    assert "--help" in radprog.refused("required", line)


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
