"""The one hierarchy of errors. A message says what was given, what was expected, and what to do."""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)

FLAG = re.compile(r"(?<![\w'\"/.-])--([a-z][a-z-]*)")
#: Keywords and functions of Python for options that are called otherwise.
CALLED = {
    "one-vs-rest": "one_vs_rest=True",
    "save": "rp.save_fit",
    "solver-option": "solver_options",
}

#: Packages that stand between a user's call and a warning about it.
PASSED_THROUGH = ("radprog", "sklearn", "joblib")

#: What reading the entries of a file raises where they are others than were expected.
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, OverflowError)


def safe(text: str) -> str:
    """Text for a terminal: control characters, changes of direction and bytes that are no text are
    written as escapes; tabs and line ends stay."""
    return UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


def in_one_line(text: str) -> str:
    """:func:`safe` text whose line ends are escapes too: a name cannot begin a line of its own."""
    return safe(text).replace("\n", "\\n")


def keyworded(text: str) -> str:
    """Options as Python names them: ``--time-limit`` of the command line is ``time_limit``."""
    return FLAG.sub(lambda match: CALLED.get(match[1], match[1].replace("-", "_")), text)


def meant(word: str, words: Iterable[str]) -> str:
    """A known word that is close to what was given, as a question."""
    import difflib  # at a slip alone

    # one close match alone
    close = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {close[0]}?" if close else ""


class RadprogError(Exception):
    """Base of every error that radprog raises on purpose; exit_code: that of the command, 2 but
    where a kind of error says another.

    A message is written with the options of the command line, which ``told`` keeps; its text in
    Python names the keywords."""

    exit_code = 2

    @property
    def told(self) -> str:
        """The message as a terminal shows it."""
        return super().__str__()

    def __str__(self) -> str:
        return keyworded(self.told)


class DataError(RadprogError):
    """A data file or array that cannot be used: names the file, the row and the column."""


class ArrayError(DataError, ValueError):
    """Arrays given to an estimator that it cannot learn from, or predict."""


class OptionError(RadprogError, ValueError):
    """An option, or a combination of options, that has no meaning here."""


class ArgumentError(OptionError, TypeError):
    """A keyword that a class of settings or an estimator does not have."""


class ExtraError(OptionError, ImportError):
    """A package that an extra of the project brings, and that this needs, is not installed."""


class SettingError(OptionError):
    """A value of an option that these data do not allow, while others of a grid may do."""


class KernelError(RadprogError):
    """A kernel of the user's own that is missing, or answers what is no kernel; ``fit`` is the
    predictor that was found until then, if there was one."""

    fit: Any = None


class CapabilityError(RadprogError):
    """A solver was asked for a class of program that it is not declared for."""


class NonlinearError(CapabilityError):
    """A model that is neither linear nor quadratic was given to what reads these alone."""


class ConvexityError(RadprogError):
    """A quadratic program that is not convex was given to a convex solver."""


class OutputError(RadprogError):
    """A file that cannot be written where it was asked for."""


class SolverError(RadprogError):
    """A solver crashed, or returned something that is no answer; exit_code 3."""

    exit_code = 3


class UnitError(RadprogError):
    """A unit of a sweep failed in a way that nobody foresaw, or its worker died: names the unit;
    exit_code 3."""

    exit_code = 3


class ConnectionLostError(RadprogError, ConnectionError):
    """The scheduler that had the units of a sweep is out of reach; exit_code 3."""

    exit_code = 3


class UnfinishedError(RadprogError):
    """Cut off, by a limit or an interrupt, before there was anything to report; exit_code 1."""

    exit_code = 1


class SolverMissingError(SolverError):
    """A known solver that is not installed; exit_code 3."""


class RadprogWarning(UserWarning):
    """What is to be known of a run or its data; base of every warning that radprog gives."""


def warn_user(message: str, kind: type[Warning] = RadprogWarning) -> None:
    """Warn, as Python names options, at the line outside PASSED_THROUGH that led here."""
    # the first frame outside of these packages is the user's
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame.f_globals) in PASSED_THROUGH:
        level, frame = level + 1, frame.f_back
    warnings.warn(keyworded(message), kind, stacklevel=level)


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Imports that ``radprog[name]`` brings, for ``what``; ExtraError where one is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = ExtraError(
            f"{what} needs {error.name}, which is not installed: pip install 'radprog[{name}]'"
        )
        missing.name = error.name
        raise missing from None
