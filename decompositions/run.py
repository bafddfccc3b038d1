"""The settings of a fit and its solver, and the resulting run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import (
    OptionError,
    RadprogError,
    SettingError,
    SolverError,
    SolverMissingError,
    StoppedError,
    UnfinishedError,
    meant,
)
from radprog.base.limits import UsersFunction, never, stopped_by_ctrl_c
from radprog.base.modelling import pyo
from radprog.base.sections import Part, Shown, bounded, named, pairs
from radprog.base.settings import Settings, function, option
from radprog.base.tolerances import CERTIFIED_DIFFERENCE, CERTIFIED_GAP
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import (
    Budget,
    Observer,
    Reason,
    Record,
    Stop,
    certified_by,
    crossed,
    ignore,
    max_iterations,
)
from radprog.decompositions.sweeps.sharing import ALONE, Sharing
from radprog.instances.data import FEW
from radprog.solvers.answer import BY_DUALS, BY_SOLVER
from radprog.solvers.program import (
    SolverOptions,
    SolverSettings,
    SolveSettings,
    Status,
    refuse_no_number,
    relative_gap,
)
from radprog.solvers.registry import no_log, offered
from radprog.solvers.registry import solver as registered

#: Messages about settings that a method does not use.
UNUSED = {
    "max_iter": "is one solver call: `max_iter` has no meaning",
    "stop": "has no rounds: leave `stop` out",
    "start": "cannot use an earlier fit: leave `start` out",
    "solver": "calls no solver: leave `solver` out",
    "solver_options": "calls no solver: leave `solver_options` out",
    "log": "calls no solver: leave `log` out",
    "threads": "runs on one thread: leave `threads` out",
}
#: The weakness of a fit that does not tell rows apart.
EQUAL_SCORES = "gives every training row the same score"
ALIKE = ", of classes that weigh alike"
NONE_RARE = ", with no rare class"

Spec: TypeAlias = Settings  # of a model


def first_form(spec: Spec) -> str:
    """The default form: the first form available for these settings."""
    written: tuple[str, ...] = getattr(spec, "written", spec.forms)
    return written[0]


def settings_of(spec: Spec) -> dict[str, Any]:
    """The settings of a model by name, except those that are None."""
    return {key: value for key, value in asdict(spec).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class RunSettings(SolverSettings):
    """Settings of a run, common to all models."""

    method: str | None = option(None, str, "method of the model")
    solver: str | None = option(None, str, offered)
    tol: float = option(
        CERTIFIED_GAP, float, "largest relative gap of a certified result",
        check=partial(refuse_no_number, finite=True),
    )  # fmt: skip
    abs_tol: float = option(
        CERTIFIED_DIFFERENCE, float, "largest absolute gap of a certified result",
        check=partial(refuse_no_number, finite=True),
    )  # fmt: skip
    max_iter: int | None = option(
        None, int, "maximum number of iterations",
        check=partial(refuse_no_number, whole=True), metavar="N",
    )  # fmt: skip
    start: Any = option(None, None, "an earlier fit to start from")
    observe: Observer = option(
        ignore, None, "function that is called with the Record of each iteration", check=function
    )
    stop: Callable[[Sequence[Record]], bool] | None = option(
        None, None, "function of the trace, from the first record on, that is true where to end",
        check=function,
    )  # fmt: skip
    used: float = option(0.0, None, "seconds of the time limit that had passed before the start")
    sharing: Sharing = option(ALONE, None, "the workers and the folder for finished parts")

    def method_of(self, spec: Spec | type[Spec], methods: Sequence[str] = (), of: str = "") -> str:
        """The requested method, or by default the first of ``methods``.

        By default, ``methods`` contains the methods of the model. ``of`` describes them in
        messages. Raises OptionError if the method is not in ``methods``, or if a setting does not
        apply to the method (:class:`Spec`), and SolverMissingError if the solver is not installed.
        """
        methods = methods or spec.methods
        method = self.method or methods[0]
        if method not in methods:
            raise OptionError(
                f"unknown method '{method}'{of}: expected one of {', '.join(methods)}"
            )
        # settings without a meaning in this method
        unused = getattr(spec, "unused", {}).get(method, ())
        # one call has no rounds that a rule of the user could end
        for name in (*unused, "stop") if "max_iter" in unused else unused:
            value = getattr(self, name)
            if value > 1 if name == "threads" else value is not None and value != {}:
                raise OptionError(f"{spec.model_name}: method '{method}' {UNUSED[name]}")
        # our own code has no options and no log
        code = getattr(spec, "own_code", {}).get(method)
        if self.solver is not None and self.solver != code:
            registered(self.solver).adapter()  # unknown, or not installed: named before any work
        elif code is not None:
            if self.solver_options:
                raise OptionError(
                    f"{code} takes no solver options: name another solver, or leave "
                    "`solver_options` out"
                )
            if self.log is not None:
                writers = offered(logs=True)
                raise OptionError(f"{code} writes no log: name {writers}, or leave `log` out")
        return method

    def budget(self) -> Budget:
        """A budget that starts now."""
        return Budget(self.time_limit, self.interrupted, self.used)

    def gap_reached(self, sense: int = 1) -> Stop:
        """The rule that ends a run when its gap is within the tolerances. ``sense`` is -1 for a
        maximisation problem.
        """
        return Stop(
            Reason.TOLERANCE,
            lambda trace: (
                bool(trace)
                and certified_by(
                    trace[-1].objective, trace[-1].bound, self.tol, self.abs_tol, sense
                )
                is not None
            ),
        )

    def own_rule(self, trace: Sequence[Record]) -> bool:
        """Whether the user's rule ``stop`` ends a run; it is not called before the first record."""
        return self.stop is not None and bool(trace) and bool(self.stop(trace))

    def stops(self, *rules: Stop, most: int | None = None, done: int = 0) -> list[Stop]:
        """The stop rules of a method in order of precedence, followed by its iteration limit.

        The limit is ``max_iter`` minus the ``done`` iterations. If ``max_iter`` is None, ``most``
        replaces it. The user's rule ``stop`` stands before the limit.
        """
        limit = most if self.max_iter is None else self.max_iter
        users = [] if self.stop is None else [Stop(Reason.OWN_RULE, self.own_rule)]
        limits = [] if limit is None else [max_iterations(limit - done)]
        return [*rules, *users, *limits]

    def for_units(self) -> RunSettings:
        """The settings for fits in other processes, without a time limit, observer, interrupt or
        workers.
        """
        return replace(
            self, time_limit=None, used=0.0, observe=ignore, interrupted=never, sharing=ALONE
        )

    def for_solver(self, budget: Budget, tol: float | None = None) -> SolveSettings:
        """The settings of a solver that starts now.

        The remaining time and the interrupt come from the budget, each as what it is, so that the
        answer of a solver tells which of the two ended it. Threads, seed, options and log
        come from the run. If ``tol`` is None, the solver uses its default.
        """
        shared = {field.name: getattr(self, field.name) for field in fields(SolverSettings)}
        # a function of the budget's own, as Ctrl-C reaches only solvers that poll one
        limits = {"time_limit": budget.limit, "interrupted": lambda: budget.interrupted()}
        return SolveSettings(**shared | limits, tol=tol)

    def for_own_solver(self, budget: Budget, patience: float | None) -> SolveSettings:
        """The settings of a default solver, without options or a log.

        Options and the log apply only to a solver that the user has named. If the run has no time
        limit, the solver's limit is ``patience`` seconds. If ``patience`` is None, there is no
        limit.
        """
        # options and a log are for the solver that was named
        limit = patience if budget.limit is None else budget.limit
        return replace(self.for_solver(budget), time_limit=limit, solver_options={}, log=None)


class DriverOptions(SolverOptions, total=False):
    """The settings of a method for the user's own program, as typed keywords."""

    solver: str | None
    tol: float
    abs_tol: float
    max_iter: int | None
    observe: Observer
    stop: Callable[[Sequence[Record]], bool] | None


class RunOptions(DriverOptions, total=False):
    """The settings of a run and of its workers as typed keywords."""

    method: str | None
    start: Any
    jobs: int | str
    scheduler: Any
    checkpoint: str | Path | None


Chosen = TypeVar("Chosen", RunSettings, SolveSettings)


def settings_from(
    kind: type[Chosen], options: Mapping[str, Any], names: Sequence[str] = ()
) -> Chosen:
    """The settings of class ``kind``, built from keywords. Raises OptionError for a keyword outside
    ``names``.

    If ``names`` is empty, all fields of the class that are options are allowed.
    """
    names = names or [field.name for field in fields(kind) if field.metadata]
    for name in options:
        if name not in names:
            raise OptionError(
                f"unknown setting '{name}': expected one of {', '.join(names)}{meant(name, names)}"
            )
    return kind(**options)


@contextmanager
def stoppable(settings: Chosen) -> Iterator[Chosen]:
    """A context with the settings of a call that Ctrl-C or the failure of a function of the user's
    ends like a limit.

    A failure that ``end_failed`` has not raised with the result is raised without one at the end.
    So is Ctrl-C, as a KeyboardInterrupt, before the first step.
    """
    failures = list[StoppedError]()
    with stopped_by_ctrl_c() as pressed:
        users = settings.interrupted
        ended = pressed if users is never else lambda: pressed() or users()
        functions: Any = {"interrupted": UsersFunction("interrupted", ended, failures)}
        for name in ("observe", "stop"):
            if function := getattr(settings, name, None):
                functions[name] = UsersFunction(name, function, failures)
        try:
            yield replace(settings, **functions)
        except RadprogError as error:
            for failure in failures:
                raise failure from failure.__cause__
            if isinstance(error, UnfinishedError) and pressed():
                raise KeyboardInterrupt from None
            raise
        for failure in failures:
            raise failure


def failures_of(settings: RunSettings | SolveSettings) -> list[StoppedError] | None:
    """The failures of functions of the user's in a call, or None outside of :func:`stoppable`."""
    failures: list[StoppedError] | None = getattr(settings.interrupted, "failures", None)
    return failures


def end_failed(settings: RunSettings | SolveSettings, run: Any) -> None:
    """Raise the failure of a function of the user's, if there was one, with the ``run`` so far."""
    for failure in failures_of(settings) or ():
        failure.run = run
        raise failure


@dataclass(frozen=True)
class SolverUse:
    """The solver of the run, its version and its options."""

    name: str
    version: str
    options: Mapping[str, str]


NO_SOLVER = SolverUse("none", "", {})


class Fit(Protocol):
    """A predictor. ``kind`` identifies the function that reads its plain values."""

    @property
    def kind(self) -> str:
        """Name of this kind of predictor in a saved fit."""
        ...

    def scores(self, X: Any, cross: Any = None) -> FloatArray:
        """The decision values (n,), or (n, k) for k classes."""
        ...

    def predict(self, X: Any, cross: Any = None) -> FloatArray:
        """The predicted labels, class numbers or values (n,)."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values that are sufficient to rebuild the predictor."""
        ...


def _cells(run: Any) -> dict[str, str]:
    """The model, objective, bound, gap, certification, status and method, and of a complexity its
    standard error and its upper bound.
    """
    numbers = {"objective": run.objective, "bound": run.bound, "gap": run.gap}
    error, upper = run.standard_error, run.certified_upper
    proof = "by its solver, not proved" if run.proved_by == BY_SOLVER else "yes"
    return {
        "of": run.name,
        **{name: "none" if x is None else f"{x:.6g}" for name, x in numbers.items()},
        **({} if error is None else {"standard error": f"{error:.2g}"}),
        **({} if upper is None else {"certified upper": bounded(upper, ".6g")}),
        "certified": proof if run.certified else "no",
        "status": run.status.value,
        "method": run.method,
    }


def loosely(abs_tol: float, objective: float, bound: float) -> str:
    """A sentence about a result that is certified only by the absolute tolerance."""
    share = abs(objective - bound) / abs(objective) if objective else math.inf
    return (
        f"certified by the absolute tolerance {abs_tol:g} alone: the gap is {share:.2g} of the "
        "objective, so digits of it may be wrong; a smaller absolute tolerance asks for more"
    )


def contradiction(pair: Any) -> str:
    """A sentence about an objective and a bound that contradict each other."""
    return (
        f"the bound {pair.bound!r} lies beyond the objective {pair.objective!r} by more than "
        "rounding: one of them is wrong, and nothing is certified"
    )


Builder: TypeAlias = "Callable[[], pyo.ConcreteModel]"


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """The values at the stored points of a result, computed from its data without a solver.

    ``objective`` is None if the points violate a constraint. ``fit`` is the predictor given by the
    points, or None if the points are incomplete.
    """

    objective: float | None
    bound: float | None
    fit: Fit | None = None

    @property
    def pair(self) -> tuple[float | None, float | None]:
        """The objective and the bound."""
        return self.objective, self.bound


@dataclass(frozen=True, kw_only=True)
class Outcome(Recomputed):
    """The result of a method, with the objective and the bound recomputed from the data.

    ``summary`` is the ``fit`` block of the JSON result. ``evidence`` contains the primal and dual
    points from which the objective and the bound can be recomputed. ``program`` builds the last
    program. It is a ``functools.partial`` of a module function, so it can be pickled. If the
    settings do not name a method, ``method`` is the method of the run; "" means the model's first
    method. ``trace`` is None if there was a single call to a solver; ``packed`` then creates the
    only record.
    """

    fit: Fit
    summary: Mapping[str, Any]
    evidence: Mapping[str, Any]
    program: Builder
    trace: Sequence[Record] | None = None
    method: str = ""
    reason: Reason = Reason.SOLVER
    solver: SolverUse = NO_SOLVER
    columns: int | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def without_bound(self, part: str) -> Outcome:
        """The outcome without a bound, because ``part`` of the evidence is missing."""
        return replace(self, bound=None, evidence={**self.evidence, part: None})


@dataclass(frozen=True, kw_only=True, repr=False)
class Run(Shown, Outcome):
    """The result of a fit: the outcome, the settings and the times.

    Attributes
    ----------
    objective : float or None
        Objective of the model at the points in ``evidence``, recomputed from the data.
    bound : float or None
        Bound on the optimal value, recomputed from the data, or the solver's (``proved_by``). It
        is a lower bound, except for ``lpboost``: this model maximises, so it is an upper bound.
    spec, method, settings, tol, abs_tol
        Settings of the model and of the run.
    fit : Fit
        Predictor for scaled rows.
    predictor : SavedFit or None
        Predictor for rows in the units of the training data. Only runs of ``rp.fit`` have one.
    numbers : str
        Hash of the numbers of the data. Other data are refused with this run. Only runs of
        ``rp.fit`` have one.
    summary : mapping
        The ``fit`` block of the JSON result, with counts, training error and kernel weights.
    evidence : mapping
        The ``certificate`` block of the result: the primal and dual points.
    extra : mapping
        Other blocks of the result: error ``bounds``, ``compression``, ``constraints`` with their
        prices, and ``machines`` with the classifiers of one-vs-rest.
    trace : sequence of Record
        One record per iteration.
    columns : int or None
        Number of columns in the last program.
    reason : Reason
        Reason why the run ended.
    times : mapping
        Time in seconds for kernels, build and solve, and in total.
    solver : SolverUse
        Name, version and options of the solver.
    warnings : tuple of str
        Warnings about the data and the run.
    program : callable
        Function that builds the program for :meth:`model`.
    gap : float or None
        Relative gap between objective and bound.
    crossed : bool
        Whether the bound is on the wrong side of the objective, so that one of them is wrong.
    certified : bool
        Whether objective and bound meet a tolerance. Both are recomputed, except for the bound of
        a run that is ``proved_by`` ``solver``.
    certified_by : str or None
        The tolerance that they meet: "tol", "abs-tol" or None.
    proved_by : str or None
        The proof of a certified run: ``duals`` if radprog recomputed the bound, ``tree`` if the
        bound is that of its own branch and bound, ``solver`` if the bound is the end of a solver's
        search, which is not verified, and ``learner`` if it holds as far as a learner of your own
        finds the largest edges.
    status : Status
        ``optimal``, ``critical_point``, ``feasible``, ``limit`` or ``failed``.
    stopped_by : Reason
        Reason why the run ended. For a certified run it is always ``tolerance``.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> run.certified, str(run.status), run.bound <= run.objective
    (True, 'optimal', True)
    >>> run.predict(np.array([[0.0], [5.0]]))
    array([-1,  1])
    """

    spec: Any
    trace: Sequence[Record]
    tol: float
    abs_tol: float
    times: Mapping[str, float]
    settings: RunSettings = field(default_factory=RunSettings)  # without what watches the run
    reader: Callable[[Fit], Any] | None = None  # what rp.fit adds: it makes the predictor
    numbers: str = ""
    name: str = field(init=False, default="")  # of the model
    gap: float | None = field(init=False, default=None)
    crossed: bool = field(init=False, default=False)
    certified: bool = field(init=False, default=False)
    certified_by: str | None = field(init=False, default=None)
    proved_by: str | None = field(init=False, default=None)
    status: Status = field(init=False, default=Status.FAILED)
    stopped_by: Reason = field(init=False, default=Reason.SOLVER)

    def __post_init__(self) -> None:
        # what follows from the objective, the bound and the tolerances
        pair, sense, proved = (self.objective, self.bound), self.spec.sense, None
        tolerance = certified_by(*pair, self.tol, self.abs_tol, sense)
        if tolerance is not None:
            proved = getattr(self.spec, "bound_by", BY_DUALS)
            proved = "tree" if "pieces" in self.evidence else proved
            proved = BY_SOLVER if "solver_bound" in self.evidence else proved
        is_crossed = crossed(*pair, sense)
        failed = is_crossed or self.objective is None
        vars(self).update(
            name=self.spec.model_name,
            gap=relative_gap(*pair),
            crossed=is_crossed,
            certified=tolerance is not None,
            certified_by=tolerance,
            proved_by=proved,
            status=run_status(self.reason, certified=tolerance is not None, failed=failed),
            stopped_by=self.reason if tolerance is None else Reason.TOLERANCE,
        )

    def __repr__(self) -> str:
        cells = ", ".join(f"{name} {value}" for name, value in _cells(self).items())
        return f"<{type(self).__name__} {cells}>"

    def _parts(self) -> list[Part]:
        # the certificate, the last iterations, and the plain values of the fit
        values = {
            named(key): value
            for key, value in {**self.summary, **self.extra}.items()
            if isinstance(value, str | float | int)
        }
        # the last gaps where there is a bound, else the last objectives
        bounded, trace = any(record.gap is not None for record in self.trace), {}
        numbers = [record.gap if bounded else record.objective for record in self.trace]
        shown = [f"{x:{'.2g' if bounded else '.6g'}}" for x in numbers if x is not None]
        if len(shown) > 1:
            head = f"{len(self.trace)} iterations, {'gap' if bounded else 'objective'} "
            trace["trace"] = head + "..., " * (len(shown) > FEW) + ", ".join(shown[-FEW:])
        return [pairs("", _cells(self) | trace | values)]

    def predict(self, X: Any, cross: Any = None) -> Any:
        """Predicted labels or values for rows in the units of the training data, as by
        :class:`radprog.SavedFit`.

        For scaled rows, use ``fit.predict``.
        """
        return self._reader().predict(X, cross)

    def decision_function(self, X: Any, cross: Any = None) -> Any:
        """Scores for rows in the units of the training data; see :class:`radprog.SavedFit`."""
        return self._reader().decision_function(X, cross)

    @cached_property
    def predictor(self) -> Any:
        """The predictor for rows as they were given, or None if the run has none."""
        return None if self.reader is None else self.reader(self.fit)

    def _reader(self) -> Any:
        """The predictor of unscaled rows. Raises OptionError if the run has none."""
        if self.predictor is None:
            raise OptionError(
                f"this run of {self.name} holds no scaling and labels of its data, as one of "
                "rp.fit on a data set does: run.fit.predict takes rows as the program saw them"
            )
        return self.predictor

    @property
    def seconds(self) -> float:
        """The time of the run in seconds."""
        return self.times["total"]

    @property
    def multipliers(self) -> dict[str, float]:
        """The multiplier of each user constraint by name: relaxing the constraint by one unit
        improves the objective by at most that. With more than two classes, those of every class's
        classifier.
        """
        return {row["name"]: row["price"] for row in constraint_entries(self.extra)}

    @property
    def standard_error(self) -> float | None:
        """For ``complexity``, the standard error of ``objective`` over the sign vectors. It is None
        for other models.
        """
        return self.extra.get("standard_error")

    @property
    def certified_upper(self) -> float | None:
        """A proved upper bound on the complexity estimated by ``complexity``, or of the class
        chosen by ``srm``. It is None for other models. A bound from sampled signs holds with
        probability 0.95; of ``srm`` all classes have theirs together, within ``delta``.
        """
        return self.extra.get("certified_upper")

    def model(self) -> pyo.ConcreteModel:
        """The last program as a Pyomo model, for example the restricted master of a
        decomposition.
        """
        return self.program()


Attempt: TypeAlias = "Run | SettingError | SolverError"


def attempted(fit: Callable[..., Run], *arguments: Any) -> Attempt:
    """The run or the error from one of several fits. An error does not affect the other fits."""
    try:
        return fit(*arguments)
    except SolverMissingError:
        raise
    except (SettingError, SolverError) as error:
        return error


def run_status(reason: Reason, *, certified: bool, failed: bool) -> Status:
    """The status of a run.

    - ``failed``: objective and bound contradict each other, or there is no feasible point
    - ``optimal``: the run is certified
    - ``critical_point``: a local method, such as DCA, ended by its own rule
    - ``limit``: a limit ended the run
    - ``feasible``: all other runs
    """
    if failed:
        return Status.FAILED
    if certified:
        return Status.OPTIMAL
    if reason is Reason.CRITICAL:
        return Status.CRITICAL_POINT
    return Status.LIMIT if reason.premature else Status.FEASIBLE


def signs(scores: FloatArray) -> FloatArray:
    """The labels in {-1, +1} for scores. In every model, a score of 0 has the label +1."""
    return np.where(scores >= 0, 1.0, -1.0)


def level_ties(scores: FloatArray, size: float | None = None) -> FloatArray:
    """The scores (n, k) of classes. Those that differ from the largest of a row by rounding only
    are equal to it, so that the first of them wins on every machine.

    Rounding is relative to ``size``, or to the largest absolute value of the row.
    """
    margin = 1e-10 * (np.abs(scores).max(axis=1, keepdims=True) if size is None else size)
    top = scores.max(axis=1, keepdims=True)
    return np.where(scores >= top - margin, top, scores)


def training_block(
    scores: FloatArray, predicted: NDArray[Any], y: NDArray[Any], weights: FloatArray | None = None
) -> dict[str, Any]:
    """The entries of a ``fit`` block about the training rows: the error, and the ``weakness`` if
    there is one.
    """
    block: dict[str, Any] = {"training_error": float(np.average(predicted != y, weights=weights))}
    weakness = weakness_of(scores, predicted, y, weights)
    return block if weakness is None else {**block, "weakness": weakness}


def weakness_of(
    scores: FloatArray,
    predicted: NDArray[Any],
    y: NDArray[Any],
    weights: FloatArray | None = None,
) -> str | None:
    """What makes a fit with scores (n,) or (n, k) useless on its training rows, or None.

    It ends with NONE_RARE if no class has more than twice as many rows as another, or with ALIKE if
    none weighs more than twice as much by the ``weights`` of the rows.
    """
    labels, weakness = np.unique(y), None
    # scores that differ by no more than rounding
    if np.ptp(scores, axis=0).max() <= 1e-9 * np.abs(scores).max():
        weakness = EQUAL_SCORES
    elif len(np.unique(predicted)) == 1 < len(labels):
        weakness = "predicts the same class for every training row"
    # a class of which at most one row in 20 is recognised
    for label in labels if weakness is None else ():
        right = (predicted == y)[y == label]
        if right.sum() <= len(right) // 20:
            weakness = f"recognises {right.sum()} of the {len(right)} training rows of a class"
            break
    if weakness and weigh_alike(y, None):
        return weakness + NONE_RARE
    return weakness + ALIKE if weakness and weigh_alike(y, weights) else weakness


def weigh_alike(y: NDArray[Any], weights: FloatArray | None) -> bool:
    """Whether no class of rows y (n,) weighs more than twice as much as another, or has more than
    twice as many rows if there are no ``weights``.
    """
    sums = np.bincount(np.unique(y, return_inverse=True)[1], weights)
    return bool(sums.max() <= 2.0 * sums.min())


def supporting(coefficients: FloatArray, diagonal: FloatArray) -> IntArray:
    """The indices (r,) of points whose terms c_i K(., x_i) are not negligible. c has shape (n,) or
    (k, n).

    The size of a term is |c_i| sqrt(K_ii). If K is positive semidefinite, this size is the norm of
    the term. Coefficients are not compared directly. If the diagonal entries differ widely, so do
    the coefficients. Terms smaller than 1e-12 times the largest are omitted. They
    change a score at x by at most 1e-12 n sqrt(K(x, x)) times the norm of the largest
    term.
    """
    sizes = np.abs(np.atleast_2d(coefficients)).max(axis=0) * np.sqrt(np.maximum(diagonal, 0.0))
    return np.flatnonzero(sizes > 1e-12 * sizes.max(initial=0.0))


def constraint_entries(extra: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of the blocks ``constraints`` of a result and of its classifiers."""
    parts = (extra, *extra.get("machines", ()))
    return [row for part in parts for row in part.get("constraints", ())]


def priced_constraints(entries: Sequence[Mapping[str, Any]]) -> str:
    """The advice to loosen the constraints with a price; "" if none has one."""
    names = "; ".join(entry["name"] for entry in entries if entry["price"] > 0.0)
    words = f"loosen what its constraints require, of which these have a price: {names}"
    return words if names else ""


def limited(reason: Reason) -> str:
    """The advice for a fit that ended before its stop rule applied; "" for other reasons."""
    return f"{reason.value} ended it, so let it go on longer" if reason.premature else ""


def remedy(spec: Spec, weakness: str = "", extra: Mapping[str, Any] | None = None) -> str:
    """The advice for a fit that is useless on its training rows, with the blocks ``extra``."""
    if text := priced_constraints(constraint_entries(extra or {})):
        return text
    if text := getattr(spec, "remedy", ""):
        return str(text)
    # with a tenth of positives no beta helps a hinge loss (benchmarks/imbalance.py): advice about
    # a penalty is for one stronger than usual, or where no class is rare
    none_rare, advice = weakness.endswith(NONE_RARE), list[str]()
    if not weakness.endswith((ALIKE, NONE_RARE)):
        balanced = "class_weight='balanced' of an estimator, or `weights`"
        advice.append(f"weigh the classes alike ({balanced})")
    if hasattr(spec, "constraints") and not none_rare:
        advice.append(
            "cap the misses of LABEL, the rare one of two classes, by rp.rate('false negative', "
            "0.2, positive=LABEL), on the command line --constraint 'rate:false negative:0.2' with "
            "--positive LABEL"
        )
    changes = []
    for name, smaller in {"lam": True, "beta": True, "C": False}.items():
        value, usual = getattr(spec, name, None), getattr(type(spec), name, None)
        if value and usual and (none_rare or (value > usual if smaller else value < usual)):
            changes.append(f"a {'smaller' if smaller else 'larger'} {name}")
    if changes:
        advice.append("if no class is rare, " * (not none_rare) + f"choose {' and '.join(changes)}")
    if none_rare and changes:
        advice.append("scale the features, as those of large numbers outweigh the others")
    advice += ["choose another nu"] * hasattr(spec, "nu")
    return ", or ".join(advice) or "the features may not tell the classes apart"


def packed(spec: Spec, settings: RunSettings, budget: Budget, outcome: Outcome) -> Run:
    """Create a Run from an outcome. The time of the run ends with this call.

    Only this function and the readers of stored runs create a Run. If the bound is on the wrong
    side of the objective, the status is failed and a warning states both values. Other warnings
    name the weakness of a fit on its training rows, and the relative gap of a run that only the
    absolute tolerance certifies.
    """
    warnings = [*outcome.warnings]
    if weakness := outcome.summary.get("weakness"):
        advice = remedy(spec, weakness, outcome.extra)
        warnings.append(f"the fit {weakness}: {limited(outcome.reason) or advice}")
    if settings.log is not None:
        warnings += no_log(settings.log, budget.seconds)
    # a method of one call has one record
    trace, total = outcome.trace, budget.seconds
    solve = max(0.0, total - budget.kernels)
    times = {"kernels": budget.kernels, "build": 0.0, "solve": solve, "total": total}
    if trace is None:
        trace = [Record(0, total, outcome.objective, outcome.bound)]
        settings.observe(trace[0])
    run = Run(
        spec=spec,
        tol=settings.tol,
        abs_tol=settings.abs_tol,
        times=times,
        settings=replace(
            settings, start=None, observe=ignore, stop=None, interrupted=never, sharing=ALONE
        ),
        **vars(outcome)
        | {
            "trace": trace,
            "method": settings.method or outcome.method or spec.methods[0],
            "warnings": tuple(warnings),
        },
    )
    # a contradiction is no certificate, and the absolute tolerance alone leaves digits in doubt
    if run.crossed:
        return replace(run, warnings=(contradiction(run), *run.warnings))
    if run.certified_by != "abs-tol" or run.objective is None or run.bound is None:
        return run
    return replace(run, warnings=(*run.warnings, loosely(run.abs_tol, run.objective, run.bound)))
