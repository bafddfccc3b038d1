"""Programs as matrices, the input of all solver adapters; their settings, and solutions, their
output.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from radprog.base.errors import OptionError, OutputError
from radprog.base.limits import never
from radprog.base.sections import Part, Shown, pairs
from radprog.base.settings import Settings, function, option
from radprog.base.tolerances import CERTIFIED_DIFFERENCE, CERTIFIED_GAP, GAP_FLOOR
from radprog.base.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from scipy import sparse

INFINITE = 1e20  # bounds from here on are none, to solvers and here
_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def parsed(solver: str, name: str, text: str, kind: type) -> bool | int | float | str:
    """Convert ``text`` to a ``kind``: bool, int, float or str. Raises OptionError for an invalid
    string.
    """
    try:
        if kind is bool:
            return _BOOLEANS[text.lower()]
        if kind is int:
            return int(text)
        if kind is float:
            return float(text)
    except (KeyError, ValueError):
        expected = {bool: "true or false", int: "an integer", float: "a number"}[kind]
        raise OptionError(f"{solver} option {name} takes {expected}, not {text!r}") from None
    return text


def set_attributes(solver: str, target: Any, options: Mapping[str, str]) -> None:
    """Set the options of a solver whose settings are the attributes of an object."""
    for name, text in options.items():
        present = getattr(target, name, None)
        if not isinstance(present, bool | int | float | str):
            raise OptionError(f"{solver} has no option {name!r}")
        setattr(target, name, parsed(solver, name, text, type(present)))


def refuse_no_number(
    name: str,
    value: Any,
    least: int = 0,
    *,
    whole: bool = False,
    positive: bool = False,
    finite: bool = False,
) -> None:
    """Raise OptionError unless ``value`` is a number of at least ``least``.

    With ``whole`` it must be a whole number. Strings and truth values are rejected.
    """
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise OptionError(f"{name} {value!r}: expected a {'whole ' * whole}number")
    if value >= least and not (positive and value == 0) and not (finite and value == math.inf):
        return
    expected = f"at least {least}" if least else f"a {'finite ' * finite}number >= 0"
    shown = value if whole else f"{value:g}"
    raise OptionError(f"{name} {shown}: expected {'a positive number' if positive else expected}")


def finite_number(value: Any) -> float | None:
    """The value as a finite float, or None."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def option_texts(options: Any) -> dict[str, str]:
    """The options of a solver by name, with their values as strings.

    Raises OptionError unless ``options`` maps names to numbers or strings.
    """
    valid = isinstance(options, Mapping)
    for key, value in options.items() if valid else ():
        valid &= isinstance(key, str) and isinstance(value, str | int | float | np.number)
    if not valid:
        raise OptionError(
            f"solver_options {options!r}: expected names with numbers or texts, as "
            "{'presolve': 'off'}"
        )
    return {key: str(value) for key, value in options.items()}


def log_path(log: Any) -> str | None:
    """The path of a log, or None. Raises OptionError for any other value."""
    if not isinstance(log, str | None):
        raise OptionError(
            f"log {log!r}: expected the path of a file, as a string; a function that fits and "
            "drivers call after every round is observe"
        )
    return log


def check_log(path: str) -> None:
    """Raise OutputError if the log cannot be written."""
    try:
        with open(path, "a"):
            pass
    except OSError as error:
        raise OutputError(f"cannot write the log {path}: {error.strerror}") from None


class ProblemClass(StrEnum):
    """The class of a program. A solver of the program must support this class."""

    LP = "LP"
    QP = "QP"
    QCQP = "QCQP"
    MILP = "MILP"
    MIQP = "MIQP"
    MIQCQP = "MIQCQP"


class Status(StrEnum):
    """The status of a solution or of a run. A limit is never reported as infeasible, and
    ``optimal`` requires a recomputed certificate.
    """

    OPTIMAL = "optimal"
    CRITICAL_POINT = "critical_point"  # of a run alone
    FEASIBLE = "feasible"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"  # of a solver alone: a run has a limit
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


def status_map(**words: Sequence[Any]) -> Mapping[Any, Status]:
    """A mapping from the status words of a solver to Status; other words mean ``failed``."""
    statuses = {word: Status(name) for name in words for word in words[name]}
    return defaultdict(lambda: Status.FAILED, statuses)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A linear or quadratic program as matrices, always a minimisation.

    min  cost'x + 1/2 x'Qx + constant
    s.t. row_lower_r <= (A x)_r + 1/2 x'Q_r x <= row_upper_r,   lower <= x <= upper,
         x_j integer where ``integer``

    If the model maximises, ``sense`` is -1, and its costs are negated in the program.

    Shapes: cost, lower, upper, integer (n,); rows csr (m, n); row_lower, row_upper (m,); quadratic
    csc (n, n), symmetric, or None. ``quadratic_rows`` maps a row to its symmetric Q_r. Infinite
    bounds are +-inf. Columns are continuous by default, and named by numbers.
    """

    cost: FloatArray
    rows: sparse.csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()
    constant: float = 0.0
    sense: int = 1
    quadratic: sparse.csc_array | None = None
    quadratic_rows: Mapping[int, sparse.csc_array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # names and integers that are not said
        sizes = {"column_names": ("x", self.cost.size), "row_names": ("r", self.row_lower.size)}
        for field_name, (letter, size) in sizes.items():
            if not getattr(self, field_name):
                names = tuple(f"{letter}({i})" for i in range(size))
                object.__setattr__(self, field_name, names)
        if not self.integer.size:
            object.__setattr__(self, "integer", np.zeros(self.cost.size, dtype=np.bool_))

    @property
    def problem_class(self) -> ProblemClass:
        """The smallest class that contains this program."""
        name = "QCQP" if self.quadratic_rows else "QP" if self.quadratic is not None else "LP"
        return ProblemClass(("MI" if self.integer.any() else "") + name)

    def of_rows(self, rows: Sequence[int]) -> Program:
        """The program with only these rows, in this order."""
        places = np.asarray(rows, dtype=np.intp)
        return replace(
            self,
            rows=self.rows[places],
            row_lower=self.row_lower[places],
            row_upper=self.row_upper[places],
            row_names=tuple(self.row_names[row] for row in rows),
            quadratic_rows={
                place: self.quadratic_rows[row]
                for place, row in enumerate(rows)
                if row in self.quadratic_rows
            },
        )

    def with_rows(self, matrix: Any, lower: Any, upper: Any, names: Sequence[str] = ()) -> Program:
        """The program with further linear rows, a dense or sparse ``matrix`` (t, n)."""
        from scipy import sparse

        m, matrix = self.row_lower.size, sparse.csr_array(matrix)
        row_names = names or [f"further({m + i})" for i in range(len(lower))]
        return replace(
            self,
            rows=sparse.csr_array(sparse.vstack([self.rows, matrix], format="csr")),
            row_lower=np.append(self.row_lower, lower),
            row_upper=np.append(self.row_upper, upper),
            row_names=(*self.row_names, *row_names),
        )

    def with_columns(
        self,
        matrix: Any,
        cost: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        *,
        integer: bool = False,
        names: Sequence[str] = (),
    ) -> Program:
        """The program with further columns, in the rows by ``matrix`` (m, t), or by none."""
        from scipy import sparse

        n, count = self.cost.size, len(cost)
        shape = self.row_lower.size, count
        matrix = sparse.csr_array(shape) if matrix is None else sparse.csr_array(matrix)
        column_names = names or [f"further({n + i})" for i in range(count)]

        def larger(square: sparse.csc_array) -> sparse.csc_array:
            return sparse.csc_array(sparse.block_diag([square, sparse.csc_array((count, count))]))

        return replace(
            self,
            cost=np.append(self.cost, cost),
            rows=sparse.csr_array(sparse.hstack([self.rows, matrix], format="csr")),
            lower=np.append(self.lower, lower),
            upper=np.append(self.upper, upper),
            integer=np.append(self.integer, np.full(count, integer)),
            column_names=(*self.column_names, *column_names),
            quadratic=None if self.quadratic is None else larger(self.quadratic),
            quadratic_rows={row: larger(square) for row, square in self.quadratic_rows.items()},
        )

    def same_numbers(self, other: Program) -> bool:
        """Whether ``other`` contains the same numbers in the same places; names may differ."""

        def parts(program: Program) -> Iterator[Any]:
            yield from (program.cost, program.row_lower, program.row_upper, program.lower)
            yield from (program.upper, program.integer, [program.constant, program.sense])
            yield [*program.quadratic_rows]
            for matrix in (program.rows, program.quadratic, *program.quadratic_rows.values()):
                entries = None if matrix is None else matrix.tocoo()
                yield from () if entries is None else (*entries.coords, entries.data)

        pairs = zip_longest(parts(self), parts(other))
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def objective(self, x: FloatArray) -> float:
        """The value of the minimisation at x (n,), recomputed from the matrices."""
        value = float(self.cost @ x) + self.constant
        if self.quadratic is not None:
            value += 0.5 * float(x @ (self.quadratic @ x))
        return value

    def activity(self, x: FloatArray) -> FloatArray:
        """The row values (m,) at x (n,), including quadratic parts."""
        value = np.asarray(self.rows @ x, dtype=np.float64)
        for row, matrix in self.quadratic_rows.items():
            value[row] += 0.5 * float(x @ (matrix @ x))
        return value

    def violation(self, x: FloatArray) -> float:
        """The largest absolute violation of a row, a bound or integrality at x (n,)."""
        return max(float(part.max(initial=0.0)) for part in self.violations(x))

    def violations(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The absolute violations of the rows (m,), the bounds (n,) and integrality (n,) at x (n,).

        The first two are negative where there is none.
        """
        activity = self.activity(x)
        return (
            np.maximum(self.row_lower - activity, activity - self.row_upper),
            np.maximum(self.lower - x, x - self.upper),
            np.where(self.integer, np.abs(x - np.round(x)), 0.0),
        )

    def reduced_costs(self, x: FloatArray, row_duals: FloatArray) -> FloatArray:
        """The gradient cost + Qx - A'row_duals of the Lagrangian at x (n,) and row_duals (m,).

        Quadratic rows have their gradient at x in A.
        """
        value = np.asarray(self.cost - self.rows.T @ row_duals, dtype=np.float64)
        if self.quadratic is not None:
            value += self.quadratic @ x
        for row, matrix in self.quadratic_rows.items():
            value -= row_duals[row] * (matrix @ x)
        return value


@dataclass(frozen=True, kw_only=True)
class SolverSettings(Settings):
    """The settings of a solver that are also settings of a run."""

    time_limit: float | None = option(
        None, float, "time limit; the best answer at that time is kept",
        check=partial(refuse_no_number, positive=True), metavar="SECONDS",
    )  # fmt: skip
    seed: int = option(
        0,
        int,
        "seed of all random numbers (default 0)",
        check=partial(refuse_no_number, whole=True),
    )
    threads: int = option(
        1, int, "number of solver threads (default 1)",
        check=partial(refuse_no_number, least=1, whole=True),
    )  # fmt: skip
    solver_options: Mapping[str, str] = option(
        {}, str, "option of the solver", make=option_texts, metavar="K=V"
    )
    log: str | None = option(
        None, str, "file for the log of a solver", make=log_path, metavar="FILE"
    )
    interrupted: Callable[[], bool] = option(
        never, None, "function that returns whether to stop", check=function
    )


@dataclass(frozen=True, kw_only=True)
class SolveSettings(SolverSettings):
    """The settings of one call of a solver; a ``tol`` of None means the default of the solver."""

    tol: float | None = option(
        None, float, "tolerance of the solver", check=partial(refuse_no_number, finite=True)
    )
    start: FloatArray | None = None  # (n,) of a program with integers; NaN where there is no value
    gap: float = 0.0  # relative gap at which a search over integers may end

    def after(self, seconds: float) -> SolveSettings:
        """The settings of a further call, after some seconds of the time limit."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(0.01, self.time_limit - seconds))


class SolverOptions(TypedDict, total=False):
    """:class:`SolverSettings` as typed keywords. A test compares the two."""

    time_limit: float | None
    seed: int
    threads: int
    solver_options: Mapping[str, Any]
    log: str | None
    interrupted: Callable[[], bool]


class SolveOptions(SolverOptions, total=False):
    """:class:`SolveSettings` as typed keywords."""

    tol: float | None


SOLVER_DEFAULTS = SolveSettings()


def relative_gap(objective: float | None, bound: float | None) -> float | None:
    """The relative gap |objective - bound| / max(|objective|, 1e-10), or None if either number is
    missing.
    """
    if objective is None or bound is None:
        return None
    return abs(objective - bound) / max(abs(objective), GAP_FLOOR)


def tolerance_met(
    objective: float,
    bound: float,
    tol: float = CERTIFIED_GAP,
    abs_tol: float = CERTIFIED_DIFFERENCE,
) -> str | None:
    """The tolerance within which objective and bound agree: "tol", "abs-tol" or None.

    The denominator of the relative gap is at least 1e-10. For a tiny objective, the gap may
    therefore be within ``tol`` although the difference relative to the objective is not. The result
    is then "abs-tol".
    """
    # GAP_FLOOR makes the gap of a tiny objective smaller than its share
    gap, difference = relative_gap(objective, bound), abs(objective - bound)
    close = gap is not None and gap <= tol
    if close and difference <= tol * abs(objective):
        return "tol"
    return "abs-tol" if close or difference <= abs_tol else None


@dataclass(frozen=True, kw_only=True, repr=False)
class Solution(Shown):
    """A solver's answer in the units of the program, recomputed if possible.

    :func:`radprog.solve` returns a solution in the model's sense of optimisation. Internal
    solutions are those of the minimisation problem (``sense`` 1; see :meth:`in_sense`). There are m
    rows and n columns.

    Attributes
    ----------
    status : Status
        ``optimal`` if duals prove the optimum, or, for integer programs, if branch and bound
        finished. ``feasible`` without such a proof; ``message`` gives the reason. Otherwise
        ``limit``, ``interrupted``, ``infeasible``, ``unbounded`` or ``failed``.
    solver, version, options, seconds
        Name, version and options of the solver, and its time in seconds.
    x : ndarray (n,) or None
        Feasible point (within the tolerance), in the order of the model's variables. Integers are
        whole, and rows over integers alone hold exactly.
    objective, violation : float or None
        Recomputed objective at x, and largest absolute violation of a row or bound.
    claimed : float or None
        Objective that the solver returned.
    row_duals : ndarray (m,) or None
        Multipliers d objective / d right-hand side of the rows. For a minimisation problem, they
        are >= 0 at a binding ``>=`` row and <= 0 at a ``<=`` row. None without duals, for example
        for integer programs.
    reduced_costs : ndarray (n,) or None
        Reduced costs cost + Qx - A'row_duals: >= 0 at a lower bound, <= 0 at an upper bound. None
        without duals.
    bound : float or None
        Lower bound on the optimum of a minimisation problem, proved by ``row_duals``. For nonconvex
        or integer programs, it is the bound of the solver's search.
    gap : float or None
        Relative gap |objective - bound| / max(|objective|, 1e-10).
    claimed_optimal : bool
        Whether the solver returned "optimal" and its duals do not refute the claim.
    claim : Status or None
        The solver's unproved claim: infeasible or unbounded. The status is then ``failed``.
    proved_by : str or None
        What proves the status ``optimal``: ``duals``, or ``solver`` for a completed branch and
        bound of an integer or nonconvex program. radprog does not repeat this search.
    message : str
        Further information, or "".
    ray : ndarray or None
        Verified proof of ``infeasible`` or ``unbounded``. For ``infeasible``, a multiplier for each
        row (m,), >= 0 at a ``>=`` row and <= 0 at a ``<=`` row. The weighted sum of the rows is the
        contradiction 0 >= 1 for every x within the bounds (Farkas). None if the proof uses
        contradictory bounds, divisibility or quadratic rows. For ``unbounded``, a direction (n,) of
        the variables along which the objective improves without limit.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.y = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x + 3 * model.y)
    >>> model.demand = pyo.Constraint(expr=model.x + model.y >= 4)
    >>> solution = rp.solve(model)
    >>> solution.x, solution.row_duals, solution.reduced_costs
    (array([4., 0.]), array([2.]), array([0., 1.]))
    >>> solution.proved_by
    'duals'
    """

    status: Status
    solver: str
    version: str
    x: FloatArray | None = None
    objective: float | None = None
    claimed: float | None = None
    violation: float | None = None
    claimed_optimal: bool = False
    claim: Status | None = None
    proved_by: str | None = None
    row_duals: FloatArray | None = None
    reduced_costs: FloatArray | None = None
    seconds: float = 0.0
    message: str = ""
    bound: float | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    sense: int = 1
    ray: FloatArray | None = None

    @property
    def gap(self) -> float | None:
        """The relative gap |objective - bound| / max(|objective|, 1e-10)."""
        return relative_gap(self.objective, self.bound)

    def in_sense(self, sense: int) -> Solution:
        """The solution of the maximisation (``sense`` -1) or minimisation (``sense`` 1) problem.

        Changing the sense negates the objective, the claimed objective, the bound and the
        multipliers.
        """
        if sense == self.sense:
            return self
        return replace(
            self,
            sense=sense,
            objective=_turned(self.objective),
            claimed=_turned(self.claimed),
            bound=_turned(self.bound),
            row_duals=None if self.row_duals is None else 0.0 - self.row_duals,
            reduced_costs=None if self.reduced_costs is None else 0.0 - self.reduced_costs,
        )

    def __repr__(self) -> str:
        value = "" if self.objective is None else f", objective {self.objective:.10g}"
        gap = "" if self.gap is None else f", gap {self.gap:.1e}"
        word = ", optimal by its own word" if self.status is Status.FEASIBLE else ""
        word = word if self.claimed_optimal else ""
        word = " by its search, which is not proved" if self.proved_by == "solver" else word
        word = self._claim_words() or word
        return f"<Solution by {self.solver}: {self.status.value}{word}{value}{gap}>"

    def _claim_words(self) -> str:
        """The solver's claim and what may prove it; empty without an unproved claim."""
        if self.claim is None or self.status is not Status.FAILED:
            return ""
        proof = "with integers, prove=True searches for a proof"
        proof = f"; {proof}" * (self.claim is Status.INFEASIBLE)
        return f": {self.solver} claims {self.claim.value}, not proved{proof}"

    def _parts(self) -> list[Part]:
        values = {
            "solver": f"{self.solver} {self.version}".strip(),
            "status": self.status.value
            + ", by the solver's search, which is not proved" * (self.proved_by == "solver")
            + self._claim_words(),
            "objective": self.objective,
            "gap": self.gap,
            "violation": self.violation,
            "seconds": f"{self.seconds:.2f}",
            "message": self.message,
        }
        return [pairs("", values)]


def _turned(value: float | None) -> float | None:
    return None if value is None else 0.0 - value
