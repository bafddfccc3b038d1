"""The parsers of the command line, which report an invalid call in one line."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from radprog.base.errors import meant
from radprog.base.sections import safe
from radprog.terminal.output import coloured, emit

#: Metavars of options that accept ``-``: stdout, or the name of a column or label.
DASHED = re.compile(r"\|-$|^(COLUMN|LABEL|CLASS)\b")
#: A function that adds the options of a sub-parser.
Fill = Callable[[argparse.ArgumentParser], None]


#: The sub-parser for a program file in place of a model.
FILE = "file"
PROGRAM = re.compile(r"\.(lp|mps|nl)(\.gz)?$")
CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)$")
#: argparse's message about a wrong number, and the words that replace it.
NUMBER = re.compile(r"invalid (float|int) value: ('.*')$")
KINDS = {"float": "a number", "int": "a whole number"}


class Parser(argparse.ArgumentParser):
    """A parser that reports an invalid call in one line on stderr, with exit code 2.

    Its options are added at its first use, those about the amount of output last. ``owner`` is the
    parent parser.
    """

    owner: Parser | None = None
    add_rare: Callable[[], object] | None = None  # adds sub-parsers that few calls need

    def __init__(self, *, fill: Fill | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._fill = fill
        self.add_argument(
            "-V",
            "--version",
            action=Print,
            nargs=0,
            const=version_text,
            help="show the version and exit",
        )

    def add_subparsers(self, **keywords: Any) -> Any:
        """Add sub-parsers with a reference to this parser."""
        action = super().add_subparsers(**keywords)
        vars(action)["owner"] = self
        return action

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version. Raises OutputError if stdout is closed or full."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        emit(message)

    def error(self, message: str) -> NoReturn:
        # suggest the nearest choice for a misspelt one
        if wrong := CHOICE.search(message):
            message += meant(wrong[1], wrong[2].replace("'", "").split(", "))
        message = NUMBER.sub(lambda match: f"got {match[2]}, expected {KINDS[match[1]]}", message)
        line = safe(f"radprog: error: {message} (see '{self.prog} --help')")
        self.exit(2, coloured(line, sys.stderr) + "\n")

    def subparsers(self) -> dict[str, Parser]:
        """The sub-parsers by name, with the options of this parser."""
        self.fill()
        actions = [part for part in self._actions if isinstance(part, argparse._SubParsersAction)]
        return {name: part for action in actions for name, part in action.choices.items()}

    def option_of(self, name: str) -> str | None:
        """The option of a parameter; None if there is none."""
        self.fill()
        for action in self._actions:
            names = (option.lstrip("-").replace("-", "_") for option in action.option_strings)
            if action.option_strings and name in (action.dest, *names):
                return action.option_strings[-1]
        return None

    def fill(self) -> None:
        """Add the options, unless they were added before."""
        if self._fill is None:
            return
        fill, self._fill = self._fill, None
        fill(self)
        if not self.subparsers():
            group = self.add_argument_group("messages")
            either = group.add_mutually_exclusive_group()
            for to, *names, help in (
                (either, "-q", "--quiet", "no progress, no summary, no warnings"),
                (either, "-v", "--verbose", "one line per iteration or fit"),
                (group, "--debug", "show the traceback of an error"),
            ):
                to.add_argument(*names, action="store_true", help=help)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments.

        The sub-parser of a command reports the command's unknown arguments; the top parser does
        not.
        """
        self.fill()
        if args and FILE in self.subparsers() and PROGRAM.search(args[0]):
            args = [FILE, *args]
        if self.add_rare is not None and not (args and args[0] in self.subparsers()):
            self.add_rare()
            self.add_rare = None
        # unknown arguments belong to this command
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            names = " ".join(unknown)
            close = meant(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unknown option or argument: {names}{close}")
        for action in self._actions:
            value = getattr(parsed, action.dest, None)
            dashed = "-" in (value if isinstance(value, list) else (value,))
            if dashed and not DASHED.search(str(action.metavar)):
                name = "/".join(action.option_strings) or str(action.metavar or action.dest)
                self.error(
                    f"argument {name}: '-' is not read or written here: expected the name of a "
                    "file (/dev/stdin and /dev/stdout are files, too)"
                )
        return parsed, unknown


class Print(argparse.Action):
    """Print a text that is made when the option is used, and exit.

    ``const`` makes the text from the parser and the value of the option.
    """

    def __call__(self, parser: argparse.ArgumentParser, *values: Any) -> NoReturn:
        parser._print_message(self.const(parser, values[1]) + "\n", sys.stdout)
        parser.exit()


def version_text(parser: Parser, value: Any) -> str:
    """The name and the version."""
    from importlib.metadata import version

    return f"radprog {version('radprog')}"


def listed(examples: Sequence[str]) -> str:
    """Examples of a command, one per line."""
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
    """Add a sub-parser whose help ends with examples. Its options are added at its first use.

    ``about`` is an additional paragraph of the help text.
    """
    made = subparsers.add_parser(
        name,
        help=help,
        description=f"{help}\n\n{about}".rstrip(),
        epilog=listed(examples),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        fill=fill,
    )
    made.owner = subparsers.owner
