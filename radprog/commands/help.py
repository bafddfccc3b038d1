"""``radprog help``: subjects that no single command has."""

from __future__ import annotations

import argparse

from radprog.base.errors import OptionError, meant
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit
from radprog.terminal.topics import TOPICS, listed_topics, text_of

HELP = "files, kernels, methods, certificates, limits, exports: a page each"
EXAMPLES = ("help kernels", "help")


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=", ".join(TOPICS))
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """The text of a topic, or the list of all; OptionError for another one."""
    if options.topic is None:
        emit(f"radprog help TOPIC\n{listed_topics()}Of a command: radprog COMMAND --help\n")
        return 0
    if options.topic not in TOPICS:
        raise OptionError(
            f"no topic '{options.topic}': expected one of {', '.join(TOPICS)}"
            f"{meant(options.topic, TOPICS)} (of a command: radprog COMMAND --help, of a model: "
            "radprog solve MODEL --help)"
        )
    emit(text_of(options.topic))
    return 0
