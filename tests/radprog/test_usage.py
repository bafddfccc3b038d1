"""Usage: help, unknown words, and options that a variant does not use."""

from pathlib import Path

import pytest

from radprog.cli import main

NEEDY = ["solve", "solve vkr", "export vkr x.csv", "tune vkr x.csv", "verify", "predict f.json"]


@pytest.mark.parametrize("line", NEEDY)
def test_what_is_left_out_is_named(radprog, folder, line) -> None:
    assert "--help" in radprog.refused("required", line)


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


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["sovle", "vkr", "x.csv"], "solve"),
        (["solve", "vkrr", "x.csv"], "vkr"),
        (["solve", "vkr", "x.csv", "--kernel", "poly:1"], "--kernels"),
        (["solve", "vkr", "x.csv", "--scale", "bal"], "ball"),
        (["solve", "plan.mps"], "program plan.mps: radprog decompose, analyze"),
    ],
)
def test_a_slip_is_told_what_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert f" {meant}" in capsys.readouterr().err
