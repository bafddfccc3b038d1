"""Text on stdout, and coloured lines on terminals, for verdicts and errors."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from radprog.base.errors import OutputError, safe

#: Coloured texts with their codes of ANSI: failures, unproved results, proved results; the first
#: match decides.
STYLES = (
    (r"^radprog: error:|\bDOES NOT HOLD\b|\bDIFFERS\b|\bNOT FEASIBLE\b|\bBROKEN\b", "1;31"),
    (r"^radprog: warning:|\bnot certified\b|\bnot proved\b", "33"),
    (r"(?<=: )(?:certified\b|optimal, proved)|\bthe certificate holds\b", "32"),
)
PATTERN = re.compile("|".join(f"(?P<s{i}>{p})" for i, (p, _) in enumerate(STYLES)), re.MULTILINE)


def is_coloured(stream: TextIO) -> bool:
    """Whether to colour text on a stream. NO_COLOR and FORCE_COLOR override the default, which is
    to colour text only on terminals.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") not in (None, "dumb")


def coloured(text: str, stream: TextIO) -> str:
    """The text for the stream; unchanged if the stream shows no colours."""
    if not is_coloured(stream):
        return text

    def paint(match: re.Match[str]) -> str:
        code = STYLES[int(str(match.lastgroup)[1:])][1]
        return f"\033[{code}m{match[0]}\033[0m"

    return PATTERN.sub(paint, text)


def emit(text: str, *, for_people: bool = False) -> None:
    """Print the result of a command to stdout.

    On a terminal, control characters are replaced, and text ``for_people`` may be coloured.
    """
    try:
        text = safe(text) if sys.stdout.isatty() else text
        text = coloured(text, sys.stdout) if for_people else text
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # the reader closed the pipe: later flushes go to the null device
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to flush
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None
