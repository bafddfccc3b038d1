"""The commands of a page of the documentation."""

from __future__ import annotations

import re
import shlex


def commands_in(block: str) -> list[list[str]]:
    """What follows ``radprog`` in each line of a block, lines that end in a backslash joined."""
    found = []
    for line in block.replace("\\\n", " ").splitlines():
        words = re.sub(r"^\s*(\$ )?(\.venv/bin/)?", "", line)
        if words.startswith("radprog "):
            found.append(shlex.split(words, comments=True)[1:])
    return found
