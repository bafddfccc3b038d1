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
    """A question that names a known word close to the given one."""
    import difflib  # at a slip alone

    # one close match alone
    close = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean {close[0]}?" if close else ""


class RadprogError(Exception):
    """Base of every error that radprog raises on purpose.

    A message is written with the options of the command line, which ``told`` keeps; its text in
    Python names the keywords.

    Attributes
    ----------
    exit_code : int
        Exit code of the command: 2, but where a kind of error says another.

    Examples
    --------
    >>> import radprog as rp
    >>> try:
    ...     rp.VKR(beta=-1)
    ... except rp.RadprogError as error:
    ...     print(error, "| exit code", error.exit_code)
    beta -1: expected a finite number >= 0 | exit code 2
    """

    exit_code = 2

    @property
    def told(self) -> str:
        """The message as a terminal shows it."""
        return super().__str__()

    def __str__(self) -> str:
        return keyworded(self.told)


class DataError(RadprogError):
    """A data file or array that cannot be used: names the file, the row and the column.

    Examples
    --------
    >>> import radprog as rp
    >>> try:
    ...     rp.read("nowhere.csv")
    ... except rp.DataError as error:
    ...     print(error)
    nowhere.csv: no such file
    """


class ArrayError(DataError, ValueError):
    """Arrays given to an estimator that it cannot learn from, or predict.

    Examples
    --------
    >>> import radprog as rp
    >>> from radprog.estimators import VKRClassifier
    >>> try:
    ...     VKRClassifier().fit([[0.0], [1.0]], [1, 1])
    ... except rp.ArrayError as error:
    ...     print(error)
    y holds one class, 1: at least 2 are expected
    """


class OptionError(RadprogError, ValueError):
    """An option, or a combination of options, that has no meaning here.

    Examples
    --------
    >>> import radprog as rp
    >>> try:
    ...     rp.SVM(C=0)
    ... except rp.OptionError as error:
    ...     print(error)
    C 0: expected a finite number > 0
    """


class ArgumentError(OptionError, TypeError):
    """A keyword that a class of settings or an estimator does not have.

    Examples
    --------
    >>> import radprog as rp
    >>> try:
    ...     rp.VKR(bta=1)
    ... except rp.ArgumentError as error:
    ...     print(str(error).partition(" (")[0])
    VKR has no parameter bta; did you mean beta?
    """


class ExtraError(OptionError, ImportError):
    """A package that is not installed, although an extra of the project brings it.

    Examples
    --------
    >>> import radprog as rp
    >>> issubclass(rp.ExtraError, ImportError)  # what an import would have raised
    True
    """


class SettingError(OptionError):
    """A value of an option that these data do not allow, while others of a grid may do.

    Examples
    --------
    >>> import radprog as rp
    >>> import numpy as np
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> both = rp.scores([[1, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]], [-1, -1])
    >>> try:
    ...     rp.fit(rp.VKR(kernels="poly:1"), data, constraints=both)
    ... except rp.SettingError as error:
    ...     print(str(error).partition(";")[0])
    2 constraints cannot hold together: row 1 of G
    """


class KernelError(RadprogError):
    """A kernel of the user's own that is missing, or returns what is no kernel.

    Attributes
    ----------
    fit : predictor or None
        The predictor that was reached until then, if there was one.

    Examples
    --------
    >>> import radprog as rp
    >>> import numpy as np
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> broken = rp.Kernel("broken", lambda X, Z: X)  # no value for each pair of points
    >>> try:
    ...     rp.fit(rp.SVM(kernels=broken), data)
    ... except rp.KernelError as error:
    ...     print(str(error).partition(":")[2])
     expected (6, 6)
    """

    fit: Any = None


class CapabilityError(RadprogError):
    """A solver was asked for a class of program that it is not declared for.

    Examples
    --------
    >>> import radprog as rp
    >>> import pyomo.environ as pyo
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(domain=pyo.Binary)
    >>> model.f = pyo.Objective(expr=-model.x)
    >>> try:
    ...     rp.solve(model, solver="clarabel")
    ... except rp.CapabilityError as error:
    ...     print(error)
    solver clarabel cannot solve a MILP: use highs, scip
    """


class NonlinearError(CapabilityError):
    """A model that is neither linear nor quadratic, where only these are accepted.

    Examples
    --------
    >>> import radprog as rp
    >>> import pyomo.environ as pyo
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 1))
    >>> model.f = pyo.Objective(expr=pyo.exp(model.x))
    >>> try:
    ...     rp.export(model, "model.lp")
    ... except rp.NonlinearError as error:
    ...     print(error)
    f is neither linear nor quadratic, as .lp and .mps cannot hold: write .nl
    """


class ConvexityError(RadprogError):
    """A quadratic program that is not convex was given to a convex solver.

    Examples
    --------
    >>> import radprog as rp
    >>> import pyomo.environ as pyo
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 1))
    >>> model.f = pyo.Objective(expr=-(model.x**2))
    >>> try:
    ...     rp.solve(model, solver="piqp")
    ... except rp.ConvexityError as error:
    ...     print(str(error).partition(":")[0])
    the objective is not convex
    """


class OutputError(RadprogError):
    """A file that cannot be written.

    Examples
    --------
    >>> import radprog as rp
    >>> import numpy as np
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> try:
    ...     rp.save_fit(run, data, "nowhere/fit.json")
    ... except rp.OutputError as error:
    ...     print(error.exit_code)
    2
    """


class SolverError(RadprogError):
    """A solver that crashed, or returned something that is no answer; exit code 3.

    Examples
    --------
    >>> import radprog as rp
    >>> rp.SolverError.exit_code
    3
    """

    exit_code = 3


class UnitError(RadprogError):
    """A unit of a sweep that failed for an unforeseen reason, or whose worker died; exit code 3.

    The message names the unit.

    Examples
    --------
    >>> import radprog as rp
    >>> rp.UnitError.exit_code
    3
    """

    exit_code = 3


class ConnectionLostError(RadprogError, ConnectionError):
    """The scheduler of a sweep cannot be reached any more; exit code 3.

    Examples
    --------
    >>> import radprog as rp
    >>> issubclass(rp.ConnectionLostError, ConnectionError), rp.ConnectionLostError.exit_code
    (True, 3)
    """

    exit_code = 3


class UnfinishedError(RadprogError):
    """A limit or an interrupt before the first step, so that there is no result; exit code 1.

    Examples
    --------
    >>> import radprog as rp
    >>> import numpy as np
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> try:
    ...     rp.fit(rp.VKR(kernels="poly:1"), data, time_limit=1e-9)
    ... except rp.UnfinishedError as error:
    ...     print(error, "| exit code", error.exit_code)
    time_limit: ended before the first step | exit code 1
    """

    exit_code = 1


class SolverMissingError(SolverError):
    """A solver of the table that is not installed; exit code 3.

    Examples
    --------
    >>> import radprog as rp
    >>> issubclass(rp.SolverMissingError, rp.SolverError)
    True
    """


class RadprogWarning(UserWarning):
    """Base of every warning of radprog, about a run or its data.

    Examples
    --------
    >>> import radprog as rp
    >>> import warnings
    >>> import numpy as np
    >>> from radprog.estimators import BoundedLossSVR
    >>> X = np.arange(6.0)[:, None]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", rp.RadprogWarning)
    ...     _ = BoundedLossSVR().fit(X, 100 * X[:, 0])  # residuals in units of y, most beyond 1
    >>> str(caught[0].message).partition(",")[0]
    '5 of 6 rows are saturated'
    """


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
    """Imports that ``radprog[name]`` brings, for ``what``; raises ExtraError if one is not
    there.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = ExtraError(
            f"{what} needs {error.name}, which is not installed: pip install 'radprog[{name}]'"
        )
        missing.name = error.name
        raise missing from None
