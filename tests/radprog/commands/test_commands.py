"""A command is one file and one row of the table; its parser is built once."""

from pathlib import Path

from radprog import commands
from radprog.cli import COMMANDS, build_parser

SHARED = {"__init__", "common", "output", "parser"}


def test_every_file_is_a_command() -> None:
    files = {path.stem for path in Path(commands.__path__[0]).glob("*.py")}
    assert files - SHARED == set(COMMANDS)
    for name, command in COMMANDS.items():
        assert all(example.split()[0] in (name, "solve") for example in command.EXAMPLES)


def test_the_parser_is_built_once_and_keeps_nothing() -> None:
    assert build_parser() is build_parser()
    words = ["analyze", "vkr", "a.csv", "--fix", "slack=0", "--solver-option", "k=v"]
    for _ in range(2):
        given = build_parser().parse_args(words)
        assert (given.fix, given.solver_options) == (["slack=0"], ["k=v"])
    assert build_parser().parse_args(words[:3]).fix == []
