"""Settings of a fit and of its solver, and the run that it hands back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias, TypedDict, TypeVar

from radprog.base.errors import OptionError, SettingError, SolverError, SolverMissingError
from radprog.base.modelling import pyo
from radprog.base.sections import Part, Shown, named, pairs
from radprog.base.tolerances import CERTIFIED_DIFFERENCE, CERTIFIED_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.loop import (
    Budget,
    GapReached,
    MaxIterations,
    Observer,
    Reason,
    Record,
    Stop,
    certified_by,
    crossed,
    ignore,
    never,
    relative_gap,
)
from radprog.decompositions.sweeps.sharing import ALONE, Sharing
from radprog.instances.data import FEW
from radprog.solvers.options import option_texts, refuse_no_number, refuse_no_path
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import offered

#: What is said of a method that has no use for a setting.
UNUSED = {
    "max_iter": "is one solver call: max_iter has no meaning",
    "start": "cannot use an earlier fit: leave --start out",
    "solver": "calls no solver: leave --solver out",
    "solver_options": "calls no solver: leave --solver-option out",
    "log": "calls no solver: leave --log out",
    "threads": "runs on one thread: leave --threads out",
}


class Spec(Protocol):
    """Settings of a model: a frozen dataclass whose class holds its methods and the forms of its
    programs, the default first.

    Two more are declared where a model has them. ``unused``: of each method, the run settings that
    have no meaning in it. ``own_code``: of each method that calls no solver unless one is named,
    the name of the code that solves in its place, which takes no options and writes no log.
    """

    methods: ClassVar[tuple[str, ...]]
    forms: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[dict[str, Any]]


def model_name(spec: Spec | type[Spec]) -> str:
    """The model of a settings object (or class): the name of its class, in small letters."""
    return (spec if isinstance(spec, type) else type(spec)).__name__.lower()


def settings_of(spec: Spec) -> dict[str, Any]:
    """The settings of a model by name, without those that are left out."""
    return {key: value for key, value in asdict(spec).items() if value is not None}


class RunStatus(StrEnum):
    """What a run holds. ``optimal`` only with a recomputed certificate."""

    OPTIMAL = "optimal"
    CRITICAL_POINT = "critical_point"
    FEASIBLE = "feasible"
    LIMIT = "limit"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"


def setting(
    default: Any, help: str | Callable[[], str], parse: Callable[[str], Any] = str, **more: Any
) -> Any:
    """A setting with its help text (or a function of it) and its parser.

    ``more`` has further metadata of its command-line option.
    """
    return field(default=default, metadata={"help": help, "parse": parse, **more})


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Options common to all models. Every field with metadata is an option of the command line.

    Parameters
    ----------
    method : str, optional
        Name of the method. None means the first method of the model.
    solver : str, optional
        Name of the solver. None means the default solver of the method.
    tol, abs_tol : float
        Relative and absolute gap of a certificate.
    time_limit : float, optional
        Time limit in seconds.
    max_iter : int, optional
        Maximum number of iterations of the method.
    seed, threads : int
        Seed of all random numbers, and number of threads of the solver.
    solver_options : mapping
        Options of the solver, by the solver's names.
    log : str, optional
        Path of the solver's log.
    start : Fit, optional
        An earlier fit to start from.
    observe : callable
        Function that is called with the Record of each iteration.
    interrupted : callable
        Function that returns whether to stop.
    used : float
        Seconds of the time limit that passed before the start, for example for reading the data.
    sharing : Sharing
        The workers, and the place of finished parts.
    """

    method: str | None = setting(None, "method of the model")
    solver: str | None = setting(None, offered)
    tol: float = setting(CERTIFIED_GAP, "relative gap of a certificate (1e-6)", float)
    abs_tol: float = setting(CERTIFIED_DIFFERENCE, "absolute gap of a certificate (1e-9)", float)
    time_limit: float | None = setting(
        None, "time limit; the best answer at that time is kept", float, metavar="SECONDS"
    )
    max_iter: int | None = setting(None, "maximum number of iterations", int, metavar="N")
    seed: int = setting(0, "seed of all random numbers (0)", int)
    threads: int = setting(1, "number of threads of the solver (1)", int)
    solver_options: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "option of the solver", "parse": str, "metavar": "K=V"},
    )
    log: str | None = setting(None, "file for the solver's log", metavar="FILE")
    start: Any = None
    observe: Observer = ignore
    interrupted: Callable[[], bool] = never
    used: float = 0.0
    sharing: Sharing = ALONE

    def __post_init__(self) -> None:
        # numbers, then texts, then functions
        refuse_no_number("tol", self.tol, finite=True)
        refuse_no_number("abs_tol", self.abs_tol, finite=True)
        if self.max_iter is not None:
            refuse_no_number("max_iter", self.max_iter, whole=True)
        refuse_no_number("seed", self.seed, whole=True)
        refuse_no_number("threads", self.threads, 1, whole=True)
        options = option_texts("solver_options", self.solver_options)
        object.__setattr__(self, "solver_options", options)
        for name in ("method", "solver"):
            if not isinstance(given := getattr(self, name), str | None):
                raise OptionError(f"{name} {given!r}: expected the name of one")
        for name in ("observe", "interrupted"):
            if not callable(getattr(self, name)):
                raise OptionError(f"{name} {getattr(self, name)!r}: expected a function")
        refuse_no_path(self.log)
        if self.time_limit is not None:
            refuse_no_number("time_limit", self.time_limit, positive=True)

    def check(self, spec: Spec | type[Spec], methods: Sequence[str] = (), of: str = "") -> str:
        """The method: the one named, or the first of the model's (``methods``: of some only,
        which ``of`` says in words).

        OptionError where it is none of these, or a setting is given that the model declares as
        unused by it (:class:`Spec`).
        """
        methods = methods or spec.methods
        method = self.method or methods[0]
        if method not in methods:
            raise OptionError(
                f"unknown method '{method}'{of}: expected one of {', '.join(methods)}"
            )
        # settings without a meaning in this method
        for name in getattr(spec, "unused", {}).get(method, ()):
            value = getattr(self, name)
            if value > 1 if name == "threads" else value is not None and value != {}:
                raise OptionError(f"{model_name(spec)}: method '{method}' {UNUSED[name]}")
        # our own code has no options and no log
        code = getattr(spec, "own_code", {}).get(method)
        if code is not None and self.solver in (None, code):
            if self.solver_options:
                raise OptionError(
                    f"{code} takes no solver options: name another solver, or leave "
                    "--solver-option out"
                )
            if self.log is not None:
                raise OptionError(f"{code} writes no log: name another solver, or leave --log out")
        return method

    def budget(self) -> Budget:
        """A budget that starts now."""
        return Budget(self.time_limit, self.interrupted, self.used)

    def gap_reached(self, sense: int = 1) -> GapReached:
        """The rule that ends a run at its tolerances; sense: -1 of a maximisation."""
        return GapReached(self.tol, self.abs_tol, sense)

    def stops(self, *own: Stop, most: int | None = None, done: int = 0) -> list[Stop]:
        """The rules of a method in order of precedence, then its iteration limit: max_iter, else
        ``most``, where there is one; ``done`` of them are used up."""
        limit = most if self.max_iter is None else self.max_iter
        return [*own] if limit is None else [*own, MaxIterations(limit - done)]

    def for_units(self) -> RunSettings:
        """The settings of the fits of a sweep, which another process can read: the sweep's time and
        interrupt are not theirs."""
        return replace(
            self, time_limit=None, used=0.0, observe=ignore, interrupted=never, sharing=ALONE
        )

    def for_solver(self, budget: Budget, tolerance: float | None = None) -> SolveSettings:
        """The settings of a solver that starts now: the time left of the budget and its interrupt,
        threads, seed, options and log; ``tolerance`` None keeps the solver's own."""
        return SolveSettings(
            tolerance=tolerance,
            time_limit=budget.limit,
            threads=self.threads,
            seed=self.seed,
            options=self.solver_options,
            log=self.log,
            interrupt=budget.spent,
        )

    def for_own_solver(self, budget: Budget, patience: float) -> SolveSettings:
        """The same for a solver that nobody named: without options and log, which are for the one
        that was; without a time limit ``patience`` seconds."""
        # options and a log are for the solver that was named
        limit = patience if budget.limit is None else budget.limit
        return replace(self.for_solver(budget), time_limit=limit, options={}, log=None)


class RunOptions(TypedDict, total=False):
    """The fields of :class:`RunSettings` and of its ``sharing`` as typed keywords; start: a saved
    fit, or its path."""

    method: str | None
    solver: str | None
    tol: float
    abs_tol: float
    time_limit: float | None
    max_iter: int | None
    seed: int
    threads: int
    solver_options: Mapping[str, str]
    log: str | None
    start: Any
    observe: Observer
    interrupted: Callable[[], bool]
    used: float
    sharing: Sharing
    jobs: int | str
    scheduler: Any
    insecure: bool
    checkpoint: str | Path | None


Chosen = TypeVar("Chosen", RunSettings, SolveSettings)


class SolverOptions(TypedDict, total=False):
    """The fields of :class:`~radprog.solvers.program.SolveSettings` as typed keywords."""

    tolerance: float | None
    time_limit: float | None
    threads: int
    seed: int
    options: Mapping[str, str]
    log: str | None
    interrupt: Callable[[], bool] | None


def settings_from(
    kind: type[Chosen], options: Mapping[str, Any], names: Sequence[str] = ()
) -> Chosen:
    """Settings of a class by keywords; raises OptionError for one that is none of ``names``, ()
    for all its fields.
    """
    names = names or [field.name for field in fields(kind)]
    for name in options:
        if name not in names:
            raise OptionError(f"unknown setting '{name}': expected one of {', '.join(names)}")
    return kind(**options)


@dataclass(frozen=True)
class SolverUse:
    """Which solver did the work, and how it was set."""

    name: str
    version: str
    options: Mapping[str, str]


NO_SOLVER = SolverUse("none", "", {})


class Fit(Protocol):
    """A predictor; ``to_dict`` holds plain values, ``kind`` says who reads them back."""

    @property
    def kind(self) -> str:
        """Name of this kind of predictor in a saved fit."""
        ...

    def scores(self, X: Any, cross: Any = None) -> FloatArray:
        """Decision values (n,)."""
        ...

    def predict(self, X: Any, cross: Any = None) -> FloatArray:
        """Labels in {-1, +1} (n,)."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to rebuild the predictor."""
        ...


class OneLine(Shown):
    """``repr`` and the picture in notebooks of what has an objective, a bound and a status."""

    def __repr__(self) -> str:
        cells = ", ".join(f"{name} {value}" for name, value in _cells(self).items())
        return f"<{type(self).__name__} {cells}>"

    def _parts(self) -> list[Part]:
        run: Any = self
        # the certificate, the last iterations, and the plain values of the fit
        values = {
            named(key): value
            for key, value in {**run.summary, **run.extra}.items()
            if isinstance(value, str | float | int)
        }
        return [pairs("", _cells(run) | _trace_cell(run.trace) | values)]


def _cells(run: Any) -> dict[str, str]:
    """Model, objective, bound, gap, whether these certify it, status, method."""
    numbers = {"objective": run.objective, "bound": run.bound, "gap": run.gap}
    return {
        "of": run.name,
        **{name: "none" if x is None else f"{x:.6g}" for name, x in numbers.items()},
        "certified": "yes" if run.certified else "no",
        "status": run.status.value,
        "method": run.method,
    }


def _trace_cell(trace: Sequence[Any]) -> dict[str, str]:
    """How many iterations, and the gap after the last of them; of no bound the objective."""
    # the gap where there is a bound, else the objective
    bounded = any(record.gap is not None for record in trace)
    values = [record.gap if bounded else record.objective for record in trace]
    shown = [f"{value:.2g}" if bounded else f"{value:.6g}" for value in values if value is not None]
    if len(shown) < 2:
        return {}
    cut = "..., " if len(shown) > FEW else ""
    head = f"{len(trace)} iterations, {'gap' if bounded else 'objective'} "
    return {"trace": head + cut + ", ".join(shown[-FEW:])}


def loosely(abs_tol: float, objective: float, bound: float) -> str:
    """What is said of a certificate by the absolute difference only."""
    share = abs(objective - bound) / abs(objective) if objective else math.inf
    return (
        f"certified by the absolute tolerance {abs_tol:g} alone: the gap is {share:.2g} of the "
        "objective, so digits of it may be wrong; a smaller absolute tolerance asks for more"
    )


def contradiction(pair: Any) -> str:
    """What is said of an objective and a bound that cannot both be right."""
    return (
        f"the bound {pair.bound!r} lies beyond the objective {pair.objective!r} by more than "
        "rounding: one of them is wrong, and nothing is certified"
    )


Builder: TypeAlias = "Callable[[], pyo.ConcreteModel]"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a method found; objective and bound are recomputed from the data.

    ``summary`` is the ``fit`` block of the JSON result; ``evidence`` holds the primal and dual
    points behind objective and bound, so that anyone can recompute them. ``program`` builds the
    last program solved; it is a ``functools.partial`` of a function of a module, for pickle's sake.
    ``method`` is what ran where no method was asked for, the model's first unless it says another.
    ``trace`` is None where the method is one call of a solver: ``packed`` makes its only record.
    """

    objective: float | None
    bound: float | None
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
        """The same where ``part`` of the evidence, the point behind the bound, is not known."""
        return replace(self, bound=None, evidence={**self.evidence, part: None})


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """What the stored points of a result are worth on its data; no solver was called.

    objective: None where the points break a constraint. fit: their predictor, None where the points
    are not known in full.
    """

    objective: float | None
    bound: float | None
    fit: Fit | None = None

    @staticmethod
    def of(outcome: Outcome) -> Recomputed:
        """Of an outcome of the points."""
        return Recomputed(objective=outcome.objective, bound=outcome.bound, fit=outcome.fit)

    @property
    def pair(self) -> tuple[float | None, float | None]:
        """Objective and bound."""
        return self.objective, self.bound


@dataclass(frozen=True, kw_only=True, repr=False)
class Run(OneLine, Outcome):
    """Result of a fit: an outcome, its settings, and how long it took.

    Attributes
    ----------
    objective : float or None
        Of the model at the points in ``evidence``, evaluated on the data.
    bound : float or None
        Of the optimum, from below (of ``lpboost``, which maximises, from above), valid without
        trusting a solver; None where the method has none.
    spec, method, settings, tol, abs_tol
        Settings of the model and of the run.
    fit : Fit
        The predictor of rows as the program saw them.
    predictor : SavedFit or None
        That of rows as they were given; None unless ``rp.fit`` made the run.
    summary : mapping
        The ``fit`` block of the JSON result: counts, training error, weights of kernels.
    evidence : mapping
        Its ``certificate``, the primal and dual points.
    extra : mapping
        Other blocks of it: ``bounds`` of the error, ``compression``, ``constraints`` with their
        prices, ``machines`` of one-vs-rest.
    trace : sequence of Record
        One for every iteration.
    columns : int or None
        How many the last program had.
    reason : Reason
        Why the method ended.
    times : mapping
        Seconds of kernels, build, solve and total.
    solver : SolverUse
        Name, version and options.
    warnings : tuple of str
        What the result does not say elsewhere.
    program : callable
        See :meth:`model`.

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
    predictor: Any = None  # what rp.fit adds: it reads rows as they were given

    def predict(self, X: Any, cross: Any = None) -> Any:
        """Labels, or values, of rows as given for training (``fit.predict``: of scaled ones)."""
        return self._reader().predict(X, cross)

    def decision_function(self, X: Any, cross: Any = None) -> Any:
        """The scores of such rows; see :class:`radprog.SavedFit`."""
        return self._reader().decision_function(X, cross)

    def _reader(self) -> Any:
        """The predictor of rows as they were given; raises OptionError if the run has none."""
        if self.predictor is None:
            raise OptionError(
                f"this run of {self.name} holds no scaling and labels of its data, as one of "
                "rp.fit on a data set does: run.fit.predict takes rows as the program saw them"
            )
        return self.predictor

    @property
    def name(self) -> str:
        """The model."""
        return model_name(self.spec)

    @property
    def gap(self) -> float | None:
        """Relative gap of the recomputed pair."""
        return relative_gap(self.objective, self.bound)

    @property
    def certified_by(self) -> str | None:
        """Which tolerance the recomputed pair meets."""
        return certified_by(self.objective, self.bound, self.tol, self.abs_tol, sense_of(self.spec))

    @property
    def certified(self) -> bool:
        """Whether the recomputed pair meets a tolerance."""
        return self.certified_by is not None

    @property
    def crossed(self) -> bool:
        """Whether the bound lies beyond the objective: one of the two is wrong."""
        return crossed(self.objective, self.bound, sense_of(self.spec))

    @property
    def status(self) -> RunStatus:
        """``optimal``, ``critical_point``, ``feasible``, ``limit`` or ``failed``: what it holds."""
        failed = self.crossed or self.objective is None
        return run_status(self.reason, certified=self.certified, failed=failed)

    @property
    def stopped_by(self) -> Reason:
        """Why the run stopped: the tolerance whenever the certificate meets it."""
        return Reason.TOLERANCE if self.certified else self.reason

    @property
    def multipliers(self) -> dict[str, float]:
        """What a unit more of the bound of each of the user's constraints betters, by its name."""
        return {row["name"]: row["price"] for row in self.extra.get("constraints", ())}

    @property
    def standard_error(self) -> float | None:
        """Of ``complexity``: the standard error of the estimate in ``objective`` over the draws of
        signs, in units of the objective; None of other models."""
        return self.extra.get("standard_error")

    @property
    def certified_upper(self) -> float | None:
        """Of ``complexity`` and, for the chosen class, of ``srm``: what the complexity is at most,
        proved; None of other models."""
        return self.extra.get("certified_upper")

    def model(self) -> pyo.ConcreteModel:
        """The last program solved (the restricted master of a decomposition) in Pyomo."""
        return self.program()


Attempt: TypeAlias = "Run | SettingError | SolverError"


def attempted(fit: Callable[..., Run], *arguments: Any) -> Attempt:
    """One fit of several: its run, or the error that the others need not suffer from."""
    try:
        return fit(*arguments)
    except SolverMissingError:
        raise
    except (SettingError, SolverError) as error:
        return error


def sense_of(spec: Spec | type[Spec]) -> int:
    """-1 for a model that maximises (``maximised``), whose bound is an upper one; else 1."""
    return -1 if getattr(spec, "maximised", False) else 1


def run_status(reason: Reason, *, certified: bool, failed: bool) -> RunStatus:
    """failed: a contradiction, or no feasible point; optimal: certified; critical_point: DCA;
    limit; else feasible.
    """
    if failed:
        return RunStatus.FAILED
    if certified:
        return RunStatus.OPTIMAL
    if reason is Reason.CRITICAL:
        return RunStatus.CRITICAL_POINT
    return RunStatus.LIMIT if reason.premature else RunStatus.FEASIBLE


def packed(spec: Spec, settings: RunSettings, budget: Budget, outcome: Outcome) -> Run:
    """An outcome as a Run, whose time ends here: nothing else makes one, but what reads a kept
    one.

    A bound beyond the objective is never certified: the run failed, and a warning has both values.
    A certificate by the absolute tolerance alone says how large its relative gap is.
    """
    # a contradiction is no certificate
    if crossed(outcome.objective, outcome.bound, sense_of(spec)):
        outcome = replace(outcome, warnings=(*outcome.warnings, contradiction(outcome)))
    # a method of one call has one record
    if outcome.trace is None:
        only = Record(0, budget.times()["total"], outcome.objective, outcome.bound)
        settings.observe(only)
        outcome = replace(outcome, trace=[only])
    run = Run(
        spec=spec,
        tol=settings.tol,
        abs_tol=settings.abs_tol,
        times=budget.times(),
        settings=replace(settings, start=None, observe=ignore, interrupted=never, sharing=ALONE),
        **{**vars(outcome), "method": settings.method or outcome.method or spec.methods[0]},
    )
    # certified by the absolute tolerance alone: digits may be wrong
    if run.certified_by != "abs-tol" or run.objective is None or run.bound is None:
        return run
    return replace(run, warnings=(*run.warnings, loosely(run.abs_tol, run.objective, run.bound)))
