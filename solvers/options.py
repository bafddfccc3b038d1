"""Text of ``--solver-option NAME=TEXT`` as the value that a solver's option takes."""

from __future__ import annotations

from radprog.instances.errors import OptionError

_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def parsed(solver: str, name: str, text: str, kind: type) -> bool | int | float | str:
    """``text`` as a ``kind`` (bool, int, float or str); OptionError where it is none."""
    try:
        if kind is bool:
            return _BOOLEANS[text.lower()]
        if kind is int:
            return int(text)
        if kind is float:
            return float(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "an integer", float: "a number"}[kind]
        raise OptionError(f"{solver} option {name} takes {wanted}, not {text!r}") from None
    return text
