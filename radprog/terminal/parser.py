"""What the command line asks of a command, and the parsers that name a misuse in one line."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from radprog.base.errors import extra, meant, safe

SHELLS = ("bash", "zsh", "tcsh")
#: Gives a sub-parser its options.
Fill = Callable[[argparse.ArgumentParser], None]


#: The sub-parser for a file of a program, which is given in place of a model.
FILE = "file"
PROGRAM = re.compile(r"\.(lp|mps)(\.gz)?$")
CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)$")


class Parser(argparse.ArgumentParser):
    """One line on stderr and exit code 2 for any misuse; options are added at the first use."""

    def __init__(self, *, fill: Fill | None = None, **how: Any) -> None:
        super().__init__(**how)
        self._fill = fill

    def error(self, message: str) -> NoReturn:
        # a misspelt choice gets the nearest one
        wrong = CHOICE.search(message)
        if wrong:
            message += meant(wrong[1], wrong[2].replace("'", "").split(", "))
        self.exit(2, safe(f"radprog: error: {message} (see '{self.prog} --help')") + "\n")

    def _below(self) -> set[str]:
        """The names of the sub-parsers."""
        actions = [one for one in self._actions if isinstance(one, argparse._SubParsersAction)]
        return {name for action in actions for name in action.choices}

    def fill(self) -> None:
        """Add the options, where they are not there yet."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Leftovers are reported by the command that they were given to, not by the top."""
        self.fill()
        if args and FILE in self._below() and PROGRAM.search(args[0]):
            args = [FILE, *args]
        # what is left over belongs to the command that it was given to
        parsed, left = super().parse_known_args(args, namespace)
        if left:
            names = " ".join(left)
            close = meant(left[0].partition("=")[0], self._option_string_actions)
            self.error(f"unknown option or argument: {names}{close}")
        return parsed, left


def filled(parser: Parser) -> Parser:
    """The parser and all below it, with their options."""
    parser.fill()
    # sub-parsers, and those below them
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                filled(below)
    return parser


class Version(argparse.Action):
    """Print the version, which is looked up when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *values: Any) -> NoReturn:
        from importlib.metadata import version

        sys.stdout.write(f"radprog {version('radprog')}\n")
        parser.exit()


class Completion(argparse.Action):
    """Print a script that completes commands, models and options; shtab writes it."""

    def __call__(self, parser: argparse.ArgumentParser, *values: Any) -> NoReturn:
        with extra("shell", "completion"):
            import shtab
        assert isinstance(parser, Parser)
        sys.stdout.write(shtab.complete(filled(parser), shell=values[1]) + "\n")
        parser.exit()


def listed(examples: Sequence[str]) -> str:
    """Examples of a command, one a line."""
    lines = "".join(f"\n  radprog {example}" for example in examples)
    return f"example{'s' * (len(examples) > 1)}:{lines}"


def add_parser(
    subparsers: Any,
    name: str,
    help: str,
    examples: Sequence[str],
    fill: Fill,
    about: str = "",
) -> None:
    """A sub-parser that ends in examples; it gets its options when it is first used.

    about: what its own help says below what it does.
    """
    subparsers.add_parser(
        name,
        help=help,
        description=f"{help}\n\n{about}".rstrip(),
        epilog=listed(examples),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        fill=fill,
    )
