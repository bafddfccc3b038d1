"""The blocks of a page of the documentation, and their commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path


def fenced(page: Path, *kinds: str) -> list[tuple[str, str]]:
    """The kind and the text of each block of these kinds, in order; "" is a kind."""
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", page.read_text(), re.M | re.S)
    return [(kind, text) for kind, text in blocks if kind in kinds]


def commands_in(block: str) -> list[list[str]]:
    """What follows ``radprog`` in each line of a block, lines that end in a backslash joined."""
    found = []
    for line in block.replace("\\\n", " ").splitlines():
        words = re.sub(r"^\s*(\$ )?", "", line)
        if words.startswith("radprog "):
            found.append(shlex.split(words, comments=True)[1:])
    return found
