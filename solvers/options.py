"""What solvers are told in texts: ``--solver-option NAME=TEXT``, and the place of a log."""

from __future__ import annotations

from radprog.instances.errors import OptionError, OutputError

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


def refuse_no_path(log: object) -> None:
    """OptionError where ``log`` names no file."""
    if not isinstance(log, str | None):
        raise OptionError(
            f"log {log!r}: expected the path of a file, as a string; a function that fits and "
            "drivers call after every round is observe"
        )


def check_log(path: str) -> None:
    """OutputError where no log can be written."""
    try:
        with open(path, "a"):
            pass
    except OSError as error:
        raise OutputError(f"cannot write the log {path}: {error.strerror}") from None
