"""Patterns of the names of rows and columns, as users write them."""

from __future__ import annotations

import re
from collections.abc import Callable

#: What a character of a pattern matches, where it does not stand for itself. Files have round
#: brackets and points in an index, ``x(1.2)``, where Pyomo writes ``x[1,2]``.
_MATCHES = {"*": ".*", "?": ".", "[": r"[\[(]", "(": r"[\[(]", "]": r"[\])]", ")": r"[\])]"}


def name_pattern(pattern: str) -> Callable[[str], object]:
    """A test whether a name fits a pattern, in which ``*`` and ``?`` are the only wildcards.

    The name of a component, without an index, fits all its members.
    """
    # commas in an index may be points in the name
    parts = [_MATCHES.get(c, "[,.]" if c == "," else re.escape(c)) for c in pattern]
    if "[" not in pattern and "(" not in pattern:
        parts.append(r"([\[(].*)?")
    fits = re.compile("".join(parts), re.DOTALL).fullmatch
    return lambda name: name == pattern or fits(name)
