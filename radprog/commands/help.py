"""``radprog help``: show the options of a command, or a topic that concerns several commands."""

from __future__ import annotations

import argparse
import importlib.resources
from collections.abc import Callable, Mapping
from textwrap import wrap
from typing import NamedTuple

from radprog.base.errors import OptionError, meant
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit

HELP = "help on a command, or on files, kernels, methods, certificates, limits, exports"
EXAMPLES = ("help kernels", "help solve vkr", "help")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help=f"a command and a model, as in COMMAND --help, or a topic: {', '.join(TOPICS)}",
    )
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Print the text of a topic, the help of a command, or the list of topics.

    Raises OptionError for an unknown topic.
    """
    if not options.words:
        emit(f"radprog help TOPIC\n{listed_topics()}Of a command: radprog help COMMAND [MODEL]\n")
        return 0
    word, *more = options.words
    commands = options.parser.below()
    if word in commands:
        options.parser.parse_args([word, *more, "--help"])
    if word not in TOPICS or more:
        raise OptionError(
            f"no topic '{' '.join(options.words)}': expected a command, or one of "
            f"{', '.join(TOPICS)}{meant(word, [*TOPICS, *commands])} (of a model: radprog help "
            "solve MODEL)"
        )
    emit(text_of(word))
    return 0


class Topic(NamedTuple):
    """A topic that concerns several commands: a title, and a function that returns the text."""

    title: str
    text: Callable[[str], str]


def _written(name: str) -> str:
    """The text of a topic in ``topics.txt``, below a line ``## NAME``."""
    text = importlib.resources.files("radprog.terminal").joinpath("topics.txt").read_text()
    return next(t for t in text.split("## ") if t.startswith(f"{name}\n")).partition("\n")[2]


def _methods(name: str) -> str:
    from radprog.catalog import CATALOG

    lines = ["--method M; the first is the default. Those in brackets give no certificate.", ""]
    for entry in CATALOG.values():
        local = entry.local
        names = ", ".join(f"({name})" if name in local else name for name in entry.methods)
        lines.append(f"  {entry.name:<11}{names}")
    lines += [
        "",
        "colgen, silp, qcqp, direct and dual solve convex programs. cccp, dca, hybrid and",
        "algorithm1 end at critical points of programs that are not convex, alternate at",
        "points that no step over one block improves (status feasible). global and exact",
        "enclose their optimum, for few points or kernels.",
    ]
    return "\n".join(lines) + "\n"


def _exports(name: str) -> str:
    from radprog.catalog import CATALOG

    lines = [
        "radprog export MODEL DATA --form FORM -o FILE: .lp, .mps, .gz of them, or .nl,",
        "and FILE.names.json: what rows and columns mean, and what to expect.",
        "",
    ]
    for entry in CATALOG.values():
        if entry.forms:
            names = f"  {entry.name:<11}{', '.join(entry.forms)}"
            lines += wrap(names, 80, subsequent_indent=" " * 13, break_on_hyphens=False)
    lines += [
        "",
        "radprog export MODEL --help explains the forms of a model. Files are",
        "minimisations; the objective is scale * value + offset of names.json.",
        "  radprog verify FILE --solver highs --solver scip   do they agree with it?",
        "  radprog load SOL --names FILE.names.json --data DATA   and back again",
        "  radprog solvers                                    which can read what",
    ]
    return "\n".join(lines) + "\n"


TOPICS: Mapping[str, Topic] = {
    "files": Topic("what is read", _written),
    "kernels": Topic("how kernels are named", _written),
    "methods": Topic("the methods of each model", _methods),
    "constraints": Topic("learning under rows of your own", _written),
    "certificates": Topic("what optimal means here", _written),
    "limits": Topic("time, rounds, memory, interrupts", _written),
    "exports": Topic("programs as files for other solvers", _exports),
    "pipes": Topic("JSON, stdout, exit codes", _written),
    "plots": Topic("pictures and pages", _written),
}


def text_of(name: str) -> str:
    """The text of ``radprog help NAME``."""
    return TOPICS[name].text(name)


def listed_topics() -> str:
    """One line per topic."""
    return "".join(f"  {name:<14}{topic.title}\n" for name, topic in TOPICS.items())
