"""All error classes of radprog.

A message names the given value, the expected value and a remedy.
"""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

#: Options with the same role in different models.
ROLES = {"beta": "nu", "--beta": "--nu", "tolerance": "tol", "options": "solver_options"}
ROLES |= {"mipgap": "tol", "mip_rel_gap": "tol", "gap": "tol", "timelimit": "time_limit"}

#: Packages that stand between a user's call and a warning about it.
PASSED_THROUGH = ("radprog", "sklearn", "joblib", "numpy")

#: The errors from reading unexpected entries of a file.
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, OverflowError)

#: The solvers with readable solution files, and their options for writing all digits and duals.
SOLUTION_FILES = (
    "HiGHS (style raw), SCIP, GLPK (-w), CBC (printi all), Gurobi (.sol, .json), COPT, CPLEX or "
    "Xpress (.slx)"
)


def meant(word: str, words: Iterable[str]) -> str:
    """The question "did you mean" with the valid word of the same role or the closest one; empty if
    no word is close.
    """
    import difflib  # only after a typing error

    # only one close match
    words = list(words)
    close = [name for name in words if name == ROLES.get(word)]
    close = close or difflib.get_close_matches(word, words, n=1)
    return f"; did you mean {close[0]}?" if close else ""


class RadprogError(Exception):
    """Base class of all errors that radprog raises intentionally.

    A message has parameters and their values in backticks, such as `time_limit`. The command line
    prints its options in their place.

    Attributes
    ----------
    exit_code : int
        Exit code of the command: 2, unless the error class documents a different one.

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


class DataError(RadprogError):
    """A data file or array that radprog cannot use. The message names the file, the row and the
    column.

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
    """Arrays that an estimator cannot use for a fit or a prediction.

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
    """An invalid option, or an invalid combination of options.

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
    """A keyword that the settings class or the estimator does not accept.

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
    """A package from one of radprog's extras is not installed.

    Examples
    --------
    >>> import radprog as rp
    >>> issubclass(rp.ExtraError, ImportError)  # what an import would have raised
    True
    """


class SettingError(OptionError):
    """An option value that is invalid for the given data. Another value may be valid.

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
    """A user-defined kernel function that is missing or returns an invalid matrix.

    Attributes
    ----------
    fit : predictor or None
        The last predictor before the error, or None.

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
    """A program from a class that the chosen solver does not support.

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
    ...     print(str(error).partition(", ")[0])
    solver clarabel cannot solve programs of class MILP: use highs
    """


class NonlinearError(CapabilityError):
    """A model that is neither linear nor quadratic was passed to a function that requires one of
    these, or a quadratic part in place of a linear one.

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
    model.lp: f is neither linear nor quadratic, which .lp and .mps cannot hold: choose .nl
    """


class ConvexityError(RadprogError):
    """A nonconvex quadratic program was passed to a function that requires a convex one.

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
    """A solver crashed or returned an invalid answer. The exit code is 3.

    Examples
    --------
    >>> import radprog as rp
    >>> rp.SolverError.exit_code
    3
    """

    exit_code = 3


class StoppedError(RadprogError):
    """A function of yours, such as a pricer or ``stop``, failed or gave something invalid, or the
    solver of a driver failed. The exit code is 2, and after a failed solver 3.

    Attributes
    ----------
    run : Run, ColumnRun or other result
        What the call had found by then: what it returns after a limit, or None if there is nothing.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.demand = pyo.Constraint(expr=master.none >= 4)
    >>> master.cost = pyo.Objective(expr=master.none)
    >>> try:
    ...     rp.column_generation(master, lambda multipliers: 1 / 0)
    ... except rp.StoppedError as error:
    ...     print(error)
    ...     print(error.run)
    pricer 1 failed: ZeroDivisionError: division by zero
    <ColumnRun failed: objective none, bound none, gap none, 0 rounds>
    """

    run: Any = None


class UnitError(RadprogError):
    """One unit of work of a sweep failed with an unexpected error, its worker process died, or the
    connection to the scheduler was lost.

    A sweep consists of many fits, and a unit is a part of the sweep. The message names the unit.
    The exit code is 3.

    Examples
    --------
    >>> import radprog as rp
    >>> rp.UnitError.exit_code
    3
    """

    exit_code = 3


class UnfinishedError(RadprogError):
    """A limit or an interrupt ended the run before its first step, so there is no result. The exit
    code is 1.

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
    """A solver that radprog supports is not installed. The exit code is 3.

    Examples
    --------
    >>> import radprog as rp
    >>> issubclass(rp.SolverMissingError, rp.SolverError)
    True
    """


class RadprogWarning(UserWarning):
    """Base class of all radprog warnings about a run or its data.

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


class WeakFitWarning(RadprogWarning):
    """The warning that a classifier is useless on its own training rows.

    It predicts one class, gives every row the same score, or recognises at most one row in 20 of a
    class. A small gap to the optimum does not exclude this: the optimum itself may be constant.

    Examples
    --------
    >>> import radprog as rp
    >>> import warnings
    >>> import numpy as np
    >>> rare = rp.dataset(np.arange(20.0)[:, None] % 7, [1] * 2 + [-1] * 18)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", rp.WeakFitWarning)
    ...     run = rp.fit(rp.L1SVM(kernels="poly:1"), rare)
    >>> run.certified, str(caught[0].message).partition(":")[0]
    (True, 'the fit gives every training row the same score')
    """


_ISSUED: set[tuple[str, type[Warning], str, int]] = set()


def warn_user(message: str, kind: type[Warning] = RadprogWarning) -> None:
    """Issue a warning, attributed to the first caller outside the packages
    PASSED_THROUGH.

    Without a filter for it, a warning is issued once a line, as Python does. Python forgets its
    warnings at each fit of scikit-learn's searches, which change the filters.
    """
    # the first frame outside of these packages is the user's
    level, frame = 1, sys._getframe()
    while (
        frame.f_back is not None
        and str(frame.f_globals.get("__name__", "")).partition(".")[0] in PASSED_THROUGH
    ):
        level, frame = level + 1, frame.f_back
    place = (message, kind, frame.f_code.co_filename, frame.f_lineno)
    filters = [
        text or "" for _, text, category, *_ in warnings.filters if issubclass(kind, category)
    ]
    if place not in _ISSUED or any(re.match(text, message) for text in filters):
        warnings.warn(message, kind, stacklevel=level)
    _ISSUED.add(place)


def pip_install(name: str, package: str = "") -> str:
    """The commands that install an extra: by name in a checkout, elsewhere by its packages, or by
    the one that begins with ``package``.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = [line.replace("'", '"') for line in requires("radprog") or ()]
    except PackageNotFoundError:  # imported from a zip file
        lines = []
    requirements = [
        line.partition(";")[0]
        for line in lines
        if line.endswith(f'extra == "{name}"') and line.startswith(package)
    ]
    packages = " ".join(f"'{package.strip()}'" for package in requirements) or f"the extra {name}"
    return f"pip install '.[{name}]' in a checkout, or pip install {packages}"


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """A context for imports from the extra ``radprog[name]``. Raises ExtraError for a missing
    package.

    ``what`` is the feature that needs these packages.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = ExtraError(
            f"{what} needs {error.name}, which is not installed: {pip_install(name)}"
        )
        missing.name = error.name
        raise missing from None
