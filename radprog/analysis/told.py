"""Tables of an analysis as dictionaries that print as the command line shows them."""

from __future__ import annotations

from html import escape
from typing import Any

from radprog.instances.errors import keyworded


class ToldTable(dict[str, Any]):
    """A mapping in JSON's types, told in one line by ``repr`` and in full by ``print`` and in a
    notebook."""

    def lines(self) -> list[str]:
        """All of it, in lines of text."""
        raise NotImplementedError

    def ended(self) -> str:
        """What was found, in some words."""
        raise NotImplementedError

    def __str__(self) -> str:
        return keyworded("\n".join(self.lines()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self['model']}: {self.ended()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
