"""``radprog help``: the options of a command, and topics that concern several commands."""

from __future__ import annotations

import argparse

from radprog.base.errors import OptionError, meant
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit
from radprog.terminal.topics import TOPICS, listed_topics, text_of

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
    """Print the text of a topic, the help of a command, or the list of topics; raises
    OptionError.
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
