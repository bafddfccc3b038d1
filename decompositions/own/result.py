"""The common results and settings of the methods for the user's own programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import (
    CapabilityError,
    OptionError,
    RadprogError,
    SolverError,
    StoppedError,
)
from radprog.base.modelling import pyo
from radprog.base.sections import amount
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, Step, Stop, certified_by, run
from radprog.decompositions.run import (
    DriverOptions,
    RunSettings,
    end_failed,
    settings_from,
    stoppable,
)
from radprog.solvers.program import ProblemClass, Program, Status, relative_gap
from radprog.solvers.registry import solver

R = TypeVar("R")
RELAXED = "integer variables are relaxed"
WHOLE = 1e-6  # distance to a whole number up to which a value counts as one


def driver_settings(settings: Mapping[str, Any]) -> AbstractContextManager[RunSettings]:
    """A context with the checked settings of a method, as :func:`stoppable` gives them.

    Raises OptionError for a setting that is not one of :class:`DriverOptions` and for an unknown
    solver, and SolverMissingError if it is not installed.
    """
    checked = settings_from(RunSettings, settings, tuple(DriverOptions.__annotations__))
    if checked.solver is not None:
        solver(checked.solver).adapter()
    return stoppable(checked)


@dataclass(frozen=True, kw_only=True)
class OwnRun:
    """The result of a method for the user's own program, in the model's sense of optimisation.

    ``objective`` is the objective of a feasible point, and ``bound`` is a bound on the optimum.
    Both are recomputed from the program's matrices, and are None if unavailable. ``status`` is
    ``optimal`` only if the gap is certified. ``reason`` is why it stopped, ``stopped_by`` in JSON.
    ``trace`` contains a :class:`Record` for each round; of a tree, for each round of the
    root, each node, and each better point. ``message`` contains further information as a string.
    ``model()`` returns the program as a separate Pyomo model for
    :func:`radprog.export`, :func:`radprog.solve` and :func:`radprog.analyze`.

    Examples
    --------
    >>> import radprog as rp
    >>> kinds = rp.ColumnRun, rp.CutRun, rp.DCARun, rp.AlternateRun, rp.TreeRun
    >>> all(issubclass(kind, rp.OwnRun) for kind in kinds)
    True
    """

    objective: float | None
    bound: float | None
    status: Status
    reason: Reason
    trace: Sequence[Record]
    seconds: float
    message: str = ""

    @property
    def gap(self) -> float | None:
        """The relative gap |objective - bound| / max(|objective|, 1e-10)."""
        return relative_gap(self.objective, self.bound)

    @property
    def certified(self) -> bool:
        """Whether the bound proves the objective within the tolerances of the run."""
        return self.status is Status.OPTIMAL

    def __repr__(self) -> str:
        relaxation = " of the relaxation" if getattr(self, "relaxed", False) else ""
        return summary(self, relaxation, amount(len(self.trace), "round"))


def summary(run: Any, qualifier: str, size: str) -> str:
    """A one-line summary of a result: status, objective, bound, gap, size and message."""
    gap = "none" if run.gap is None else f"{run.gap:.1e}"
    qualifier += f", proved by {proof}" if (proof := getattr(run, "proved_by", None)) else ""
    return (
        f"<{type(run).__name__} {run.status}{qualifier}: objective {_shown(run.objective)}, bound "
        f"{_shown(run.bound)}, gap {gap}, {size}{'; ' * bool(run.message)}{run.message}>"
    )


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value + 0.0:.10g}"  # no -0


def linear_program(model: pyo.ConcreteModel, refusal: str) -> tuple[Program, NDArray[np.bool_]]:
    """The matrices of a model without its integrality conditions, and whether each variable is
    integer (n,).

    Raises CapabilityError for a nonlinear model. ``refusal`` is the beginning of the message; {} in
    it is replaced by the class of the model.
    """
    from radprog.solvers.compile import check_model, compile_model  # loads pyomo

    check_model(model)
    program = compile_model(model)
    integer = program.integer
    program = replace(program, integer=np.zeros_like(integer))
    if program.problem_class is not ProblemClass.LP:
        raise CapabilityError(f"the {refusal.format(program.problem_class)} a linear program")
    return program, integer


class ByComponent(Mapping[Any, float]):
    """A mapping by Pyomo component that raises a SolverError for an unknown component.

    ``component in mapping`` and ``mapping.get(component)`` work as in any mapping.
    """

    def __init__(
        self,
        components: Sequence[Any],
        values: FloatArray,
        unknown: str,
        places: Mapping[int, int] | None = None,
    ) -> None:
        """``unknown`` is what a component that is not there is not, in messages.

        ``places`` contains the numbers of the components by id, if they are known.
        """
        self._components, self._numbers, self._unknown = components, values, unknown
        self._places = places or {id(component): i for i, component in enumerate(components)}

    def __getitem__(self, component: Any) -> float:
        return float(self._numbers[self.place(component)])

    def place(self, component: Any) -> int:
        """The number of a component. Raises SolverError for an unknown one."""
        return place_of(self._places, component, self._unknown)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._components)

    def __len__(self) -> int:
        return len(self._components)

    def __contains__(self, component: object) -> bool:
        return self.get(component) is not None

    def __repr__(self) -> str:
        return str({component.name: value for component, value in self.items()})

    def get(self, component: Any, default: Any = None) -> Any:
        """The number for a component, or the default for an unknown component."""
        try:
            return self[component]
        except SolverError:
            return default


def place_of(places: Mapping[int, int], component: Any, unknown: str) -> int:
    """The number of a component. Raises SolverError if it is not ``unknown``, such as a variable of
    the model.
    """
    try:
        return places[id(component)]
    except KeyError:
        name = getattr(component, "name", repr(component))
        raise SolverError(f"{name} is not {unknown}{hint_of(component)}") from None


def hint_of(part: Any) -> str:
    """The hint in an error message about a wrong component of a model."""
    if isinstance(part, str):
        return f": a text is given, expected the component itself, as model.{part}"
    many = hasattr(part, "is_indexed") and part.is_indexed()
    return ": it is indexed, name its members one by one" if many else ""


def whole_bound(bound: float) -> float:
    """The bound of a minimisation problem with integer objective values: a finite bound is rounded
    up.
    """
    return float(math.ceil(bound - WHOLE)) if math.isfinite(bound) else bound


class ModelLoop:
    """The loop of a method for a user's model, with what a round does not see: limits, observer,
    failures, and the sense in which the model is optimised.
    """

    def __init__(self, settings: RunSettings, sense: int, budget: Budget | None = None) -> None:
        self.settings, self.sense = settings, sense
        self.budget = budget or settings.budget()
        self.trace: list[Record] = []
        self.reason = Reason.SOLVER  # why the rounds ended
        self.failure: RadprogError | None = None
        self.stopped = False  # by the user's rule
        self.earlier = 0  # records of the run that this one continues
        self.observed = 0.0  # seconds of the last record, infinite while it is observed

    def repeat(self, step: Step, *stops: Stop) -> None:
        """Repeat ``step`` until a rule in ``stops``, ``max_iter`` or the budget ends it.

        After Ctrl-C, a limit or a failure, ``trace`` contains the finished rounds.
        """
        failures: list[RadprogError] = []

        # a second Ctrl-C ends the round, and leaves the answer of the last one
        try:
            user_rule = Stop(Reason.OWN_RULE, lambda trace: self.stopped)
            rules = replace(self.settings, stop=None).stops(*stops, user_rule)
            self.reason, _ = run(step, rules, self.budget, self.observe, failures)
        except KeyboardInterrupt:
            self.reason = Reason.INTERRUPT
        self.failure = failures[0] if failures else self.failure
        self.reason = self.reason if self.failure is None else Reason.SOLVER

    def ended(self, rounds: int) -> bool:
        """Whether the user's rule, or ``max_iter``, ends the ``rounds`` so far; ``reason`` says
        which.
        """
        if self.stopped:
            self.reason = Reason.OWN_RULE
        elif self.settings.max_iter is not None and rounds >= self.settings.max_iter:
            self.reason = Reason.MAX_ITER
        else:
            return False
        return True

    def observe(self, record: Record) -> None:
        """Append a record to the trace in the model's sense of optimisation, and show it to the
        observer and to the user's rule.
        """
        detail = dict(record.detail)
        if "master" in detail:
            detail["master"] *= self.sense
        objective, bound = self.signed(record.objective), self.signed(record.bound)
        self.trace.append(replace(record, objective=objective, bound=bound, detail=detail))
        self.observed = math.inf
        try:
            self.settings.observe(self.trace[-1])
            self.stopped |= self.settings.own_rule(self.trace)
        finally:
            self.observed = self.budget.seconds

    def record(self, objective: float, bound: float, *, new: bool = True, **detail: float) -> None:
        """Observe a value and a bound of the minimisation problem, or the best ones so far.

        Infinite ones are none. Without ``new``, values of the last record are not repeated.
        """
        previous = self.trace[-1] if self.trace else Record(0, 0.0, None, None)
        best_value, best_bound = self.signed(previous.objective), self.signed(previous.bound)
        if math.isfinite(objective):
            best_value = objective if best_value is None else min(objective, best_value)
        if math.isfinite(bound):
            best_bound = bound if best_bound is None else max(bound, best_bound)
        recorded = self.signed(previous.objective), self.signed(previous.bound)
        if new or not self.trace or (best_value, best_bound) != recorded:
            number = self.earlier + len(self.trace) + 1
            self.observe(Record(number, self.budget.seconds, best_value, best_bound, detail))

    def signed(self, value: float | None) -> float | None:
        """Convert a value of the minimisation problem to the model's sense of optimisation."""
        return None if value is None else self.sense * value

    def result(
        self, kind: Callable[..., R], objective: float | None, bound: float | None, **parts: Any
    ) -> R:
        """The result of the rounds, with a value and a bound of the minimisation problem.

        After a failure, raises a StoppedError with the result.
        """
        ended = {"reason": self.reason, "trace": self.trace, "seconds": self.budget.seconds}
        values = {"objective": self.signed(objective), "bound": self.signed(bound)}
        answer = kind(**values, **ended, **parts)
        if self.failure is not None:
            stopped = StoppedError(str(self.failure))
            stopped.run, stopped.exit_code = answer, self.failure.exit_code
            raise stopped from self.failure
        end_failed(self.settings, answer)
        return answer


def status_of(
    objective: float | None, bound: float | None, settings: RunSettings, reason: Reason
) -> Status:
    """The status for the value and the bound of a minimisation problem."""
    if certified_by(objective, bound, settings.tol, settings.abs_tol):
        return Status.OPTIMAL
    if objective is not None:
        return Status.FEASIBLE
    return Status.FAILED if reason is Reason.SOLVER else Status.LIMIT


def clone_of(model: pyo.ConcreteModel) -> pyo.ConcreteModel:
    """A copy of a model. Raises OptionError if Pyomo cannot copy it."""
    try:
        return model.clone()
    except RadprogError:
        raise
    except Exception as error:  # any error of the user's model
        raise OptionError(f"the model {model.name} cannot be copied: {error}") from error
