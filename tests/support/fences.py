"""The blocks of a page of the documentation, their commands, and a run of the whole page."""

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

from radprog.cli import main


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


def run_page(page: Path) -> None:
    """Run the commands and the Python of a page from top to bottom, in the current folder.

    Each block ``output`` is the whole output of the block above it; ``...`` stands for digits or
    words that differ from run to run, within a line. A line that is only ``...`` stands for lines.
    """
    from matplotlib import pyplot as plt

    plt.close("all")  # a page begins without pictures of others
    names: dict[str, Any] = {}
    printed = ""
    for kind, block in fenced(page, "text", "python", "output"):
        if kind == "output":
            lines = block.strip("\n").split("\n")
            shown = "\n".join(
                "(?s:.*)" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*")
                for line in lines
            )
            shown = re.sub(r"(\\ )+", " +", shown)
            assert re.fullmatch(shown, printed.strip("\n")), (
                f"{block}\nis not what is printed:\n{printed}"
            )
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            if kind == "python":
                exec(compile(block, page.name, "exec"), names)
            for call in commands_in(block if kind == "text" else ""):
                assert main(call) == 0, call
        printed = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
