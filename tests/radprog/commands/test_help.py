"""Help says what a command takes."""

import re
from pathlib import Path

import pytest
from refusals import refused

import radprog as rp
from radprog.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[3]


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


def test_the_help_begins_with_the_words_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    refused(SystemExit, "0", main, ["--help"])
    said = capsys.readouterr().out
    readme = (ROOT / "README.md").read_text().split("\n\n")[1]
    assert readme.partition(".")[0] in " ".join(said.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_function_of_every_command_is_in_the_reference(command: str) -> None:
    text = (ROOT / "docs/reference/api.md").read_text()
    assert hasattr(rp, command) or re.search(rf"^\|.*`{command}`.*\|$", text, re.MULTILINE)
