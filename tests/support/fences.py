"""The blocks of a page of the documentation, and their commands."""

import re
import shlex
from pathlib import Path


def fenced(page: Path, *kinds: str) -> list[tuple[str, str]]:
    """The kind and the text of each block of these kinds, in order; "" is a kind."""
    return fenced_in(page.read_text(), *kinds)


def fenced_in(text: str, *kinds: str) -> list[tuple[str, str]]:
    """The same of a part of a page."""
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S)
    return [(kind, block) for kind, block in blocks if kind in kinds]


def commands_in(block: str) -> list[list[str]]:
    """What follows ``radprog`` in each line of a block, lines that end in a backslash joined."""
    found = []
    for line in block.replace("\\\n", " ").splitlines():
        words = re.sub(r"^\s*(\$ )?", "", line)
        if words.startswith("radprog "):
            found.append(shlex.split(words, comments=True)[1:])
    return found
