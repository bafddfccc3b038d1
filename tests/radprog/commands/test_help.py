"""Help says what a command takes; completion knows every command and option."""

import builtins
import subprocess

import pytest
from refusals import refused

from radprog.catalog import CATALOG
from radprog.cli import COMMANDS, main
from radprog.terminal.output import wrapped
from radprog.terminal.parser import SHELLS
from radprog.wiring import form_words


def test_help_of_a_model_lists_what_the_command_takes(capsys: pytest.CaptureFixture[str]) -> None:
    refused(SystemExit, "0", main, ["solve", "vkr", "--help"])
    shown = capsys.readouterr().out
    assert "problem (1)" in shown
    assert "--lam" in shown
    assert not {"Parameters", "rho", "default="} & set(shown.split())


@pytest.mark.parametrize("words", ["", "certify", "analyze", "analyze file", "load"])
def test_exit_codes_are_in_the_help(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(SystemExit, "0", main, [*words.split(), "--help"])
    shown = capsys.readouterr().out
    assert "exit codes:\n  0  " in shown
    assert all(f"  {code}  " in shown for code in (1, 2, 3))
    # a file that cannot be read is 3 of certify only, by both texts
    assert ("also a file that cannot be read" in shown) == (words == "")
    assert ("3  a file cannot be read" in shown) == (words == "certify")
    assert ("2  a file cannot be read" in shown) == (words not in ("", "certify"))


def test_every_form_has_words() -> None:
    for entry in CATALOG.values():
        assert {*entry.forms} <= {*form_words(entry.wiring, entry.name)}


def completion(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    refused(SystemExit, "0", main, ["--completion", shell])
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = completion(shell, capsys)
    assert all(command in script for command in COMMANDS)
    if shell == "bash":
        assert "--tail-budget" in script
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    script = completion("bash", capsys)
    for words, expected in (
        ("radprog veri", "verify"),
        ("radprog solve vkr --comp", "--complexity"),
    ):
        given = words.split()
        call = (
            f"COMP_WORDS=({words}); COMP_CWORD={len(given) - 1}; COMP_LINE='{words}'; "
            f"COMP_POINT={len(words)}; _shtab_radprog; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(
            ["bash", "-c", script + call], capture_output=True, text=True, check=False
        )
        assert expected in done.stdout.split(), done.stderr


def test_fish_completes_every_option_after_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    lines = completion("fish", capsys).splitlines()
    mine = [line for line in lines if "tail-budget" in line and line.startswith("complete ")]
    assert any("using solve mkl'" in line and "bound on" in line for line in mine)
    assert any(" -a verify " in line and "solve an exported" in line for line in lines)
    # names of files are completed, of data and after options
    saved = [line for line in lines if " -l save " in line]
    assert saved
    assert all("__fish_complete_path" in line for line in saved)


def test_completion_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "shtab":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["--completion", "bash"]) == 2
    assert "pip install 'shtab>=" in capsys.readouterr().err


def test_prose_is_fitted_and_tables_are_not() -> None:
    prose = "theory     " + "word " * 30
    table = f"{'a':>40}{'b':>60}"
    found = wrapped([prose, table, "short"], 80)
    assert max(map(len, found[:-2])) <= 80
    assert all(line.startswith(" " * 11 + "word") for line in found[1:-2])
    assert found[-2:] == [table, "short"]
    assert " ".join(" ".join(found[:-2]).split()) == " ".join(prose.split())
