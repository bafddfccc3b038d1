"""Cutting planes for any linear program written in Pyomo: semi-infinite, or with too many rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.expr.relational_expr import RelationalExpression
from scipy import sparse

from radprog.decompositions.drivers.exchange import Answer, MasterPoint, exchange
from radprog.decompositions.drivers.live import (
    InfeasibleError,
    NewColumns,
    NewRows,
    UnboundedError,
    live_program,
)
from radprog.decompositions.loop import Budget, GapReached, NothingAdded
from radprog.decompositions.own.certificate import contradictory, lagrangian_bound
from radprog.decompositions.own.result import (
    RELAXED,
    OwnRun,
    called,
    clone_of,
    driver_settings,
    ended,
    hint_of,
    linear_program,
    looped,
    signed,
    status_of,
)
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.errors import CapabilityError, DataError, OptionError, SolverError
from radprog.instances.tolerances import CLAIM_TOLERANCE, LEEWAY, VIOLATED_ROW
from radprog.instances.types import FloatArray
from radprog.solvers.answer import relative_violation
from radprog.solvers.compile import LinearRow, read_row, variables_and_rows
from radprog.solvers.program import Program


@dataclass(frozen=True)
class Separated:
    """A separator's answer: the ``rows`` that the values violate, as Pyomo inequalities in the
    model's variables, and, where it knows one, the objective ``value`` of a point that meets *all*
    rows."""

    rows: Sequence[Any] = ()
    value: float | None = None


class PointValues(Mapping[Any, float]):
    """Values of the model's variables by Pyomo component, of fixed ones too; ``pyo.value`` of an
    expression in them gives the same, since they are in the model while a separator is asked."""

    def __init__(self, model: Any, variables: Sequence[Any], x: FloatArray) -> None:
        self._root, self.variables, self.x = model.model(), variables, x
        self._place = {id(v): j for j, v in enumerate(variables)}

    def __getitem__(self, variable: Any) -> float:
        try:
            return float(self.x[self._place[id(variable)]])
        except KeyError:
            if getattr(variable, "fixed", False) and variable.model() is self._root:
                return float(variable.value)
            name = getattr(variable, "name", repr(variable))
            raise SolverError(f"{name} is no variable of the model{hint_of(variable)}") from None

    def __iter__(self) -> Any:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)


Separate = Callable[[PointValues], "Iterable[Any] | Separated | None"]


@dataclass(frozen=True, kw_only=True, repr=False)
class CutRun(OwnRun):
    """Of cutting planes: objective, bound, status, reason, trace, seconds, message as of
    :class:`ColumnRun`.

    rows: the t that were added, as Pyomo inequalities; multipliers (t,): theirs in the last round,
    d objective / d right-hand side of the model as written; values: of the last point asked about,
    by component; relaxed: whether the model has integer variables, which count as continuous.
    """

    rows: Sequence[Any]
    multipliers: FloatArray
    values: PointValues
    relaxed: bool
    _model: pyo.ConcreteModel = field(repr=False)
    _rows: Sequence[LinearRow] = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """A copy of the model with the rows in it, as the constraints ``cut``, indexed from 0."""
        model = clone_of(self._model)
        variables = variables_and_rows(model)[0]
        cuts = pyo.Constraint(
            pyo.RangeSet(0, len(self._rows) - 1),
            rule=lambda _, i: self._rows[i].over(variables),
        )
        model.add_component(unique_component_name(model, "cut"), cuts)
        for variable, value in zip(variables, self.values.x, strict=True):
            variable.set_value(float(value), skip_validation=True)
        return model


def cutting_planes(model: pyo.ConcreteModel, separate: Separate, **settings: Any) -> CutRun:
    """min (or max) cost'x over the rows of ``model`` and all rows that separation knows of.

    Every round solves the program with the rows so far, whose value is a bound (recomputed from its
    multipliers), and hands its point to ``separate``, which adds rows that the point violates. A
    point that violates none is optimal up to the tolerance of ``separate``.

    model: a linear Pyomo model, which is not changed but for the values of its variables. Integer
    variables are relaxed, and the run says so: value and bound are of the linear program;
    ``rp.solve(run.model())`` has them whole, over the rows that were added. separate: called with
    :class:`PointValues`, returns Pyomo inequalities (``model.x[1] + model.x[2] <= 1``), or
    :class:`Separated` with the value of a point that meets all rows; nothing where the point does.
    settings: as of :func:`column_generation`.

    Raises CapabilityError where the model is not linear, OptionError for settings that have no
    meaning; StoppedError, whose ``run`` is what was found until then, where the separator answers
    nonsense or the solver fails.
    """
    asked = driver_settings(settings)
    if not callable(separate):
        raise OptionError(f"separate {separate!r}: expected a function of the values")
    return _Separation(model, separate, asked).run()


class _Separation:
    """The program with the rows so far, as a minimisation."""

    def __init__(self, model: pyo.ConcreteModel, separate: Separate, settings: RunSettings) -> None:
        program, self.relaxed = linear_program(model, "model is a {}: cutting planes need")
        self.model, self.sense, self.separate = model, program.sense, separate
        self.settings = settings
        self.variables, self.constraints = variables_and_rows(model)
        self.live = live_program(program, settings.solver, settings.for_solver(Budget()))
        self.rows: list[Any] = []
        self.read: list[LinearRow] = []
        self.objective: float | None = None
        self.bound: float | None = None
        self.point = MasterPoint(np.full(program.cost.size, np.nan), np.zeros(0), math.nan)

    @property
    def program(self) -> Program:
        """The program with the rows so far."""
        return self.live.program

    def run(self) -> CutRun:
        """The loop, and what it leaves."""
        asked, budget, sense = self.settings, self.settings.budget(), self.sense
        stops = GapReached(asked.tol, asked.abs_tol), NothingAdded()
        step = exchange(self.live, self)
        reason, trace, failure = looped(step, stops, budget, asked, sense)
        status = status_of(self.objective, self.bound, asked, reason)
        message = f"{RELAXED}: rp.solve(run.model()) has them whole" if self.relaxed else ""
        if isinstance(failure, InfeasibleError):
            status, message, failure = RunStatus.INFEASIBLE, str(failure), None
        elif isinstance(failure, UnboundedError):
            status, failure = RunStatus.UNBOUNDED, None
            message = "the program with the rows so far is unbounded: bound its variables"
        known = self.point.multipliers[len(self.constraints) :]
        found = CutRun(
            objective=signed(self.objective, sense),
            bound=signed(self.bound, sense),
            status=status,
            reason=reason,
            trace=trace,
            seconds=budget.seconds,
            message=message,
            rows=tuple(self.rows),
            multipliers=np.append(sense * known, np.zeros(len(self.rows) - len(known))),
            values=PointValues(self.model, self.variables, self.point.x),
            relaxed=self.relaxed,
            _model=self.model,
            _rows=tuple(self.read),
        )
        return ended(found, failure)

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[NewRows | NewColumns]:
        """The oracle: bound, value and violated rows at a point of the program so far."""
        self.point = point
        bound = lagrangian_bound(self.program, point.multipliers, best=self.objective, x=point.x)
        if math.isfinite(bound) and (self.bound is None or bound > self.bound):
            self.bound = bound
        answer = self._answer(point.x)
        new = self._read(answer.rows, point.x)
        if answer.value is not None:
            self._offer(self.sense * answer.value)
        violation = relative_violation(self.program, point.x, leeway=LEEWAY)
        if new is None and violation <= CLAIM_TOLERANCE:
            self._offer(self.program.objective(point.x))
        return Answer(self.objective, self.bound, new, {"rows": float(len(self.rows))})

    def _offer(self, value: float) -> None:
        if not math.isfinite(value):
            raise SolverError(f"the separator gave a value of {value}, expected a finite number")
        if self.bound is not None and contradictory(value, self.bound):
            raise SolverError(
                f"the separator says that a feasible point has the value {self.sense * value:.10g},"
                f" beyond the bound {self.sense * self.bound:.10g}"
            )
        self.objective = value if self.objective is None else min(self.objective, value)

    def _answer(self, x: FloatArray) -> Separated:
        for variable, value in zip(self.variables, x.tolist(), strict=True):
            variable.set_value(value, skip_validation=True)
        point = PointValues(self.model, self.variables, x)
        return called("the separator", lambda: _separated(self.separate(point)))

    def _read(self, rows: Sequence[Any], x: FloatArray) -> NewRows | None:
        """The rows as matrix rows; SolverError where the point meets them all."""
        try:
            read = [read_row(self.variables, row, "a row of the separator") for row in rows]
        except (CapabilityError, DataError) as error:
            raise SolverError(str(error)) from error
        if not read:
            return None
        n = len(self.variables)
        matrix = sparse.csr_array(sparse.vstack([row.matrix(n) for row in read], format="csr"))
        lower = np.array([row.lower for row in read])
        upper = np.array([row.upper for row in read])
        activity = matrix @ x
        scale = np.maximum(1.0, abs(matrix) @ np.abs(x))
        if not np.maximum(lower - activity, activity - upper).max() > 0.0:
            raise SolverError(
                f"the separator returned {len(rows)} rows, and its point meets all of them: return "
                "violated rows, or none"
            )
        if not (np.maximum(lower - activity, activity - upper) / scale).max() > VIOLATED_ROW:
            return None
        first = len(self.rows)
        self.rows += rows
        self.read += read
        names = tuple(f"cut_{first + i}" for i in range(len(rows)))
        return NewRows(matrix, lower, upper, names)


def _separated(answer: Any) -> Separated:
    """A separator's answer in one shape; SolverError where it has none."""
    if answer is None:
        return Separated()
    if isinstance(answer, Separated):
        value = answer.value
        if not (value is None or isinstance(value, int | float | np.number)):
            raise SolverError(f"the separator gave a value of {value!r}, expected a number")
        return Separated(_separated(answer.rows).rows, value)
    if isinstance(answer, RelationalExpression):
        return Separated((answer,))
    if isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping)):
        return Separated(tuple(answer))
    kind = type(answer).__name__
    raise SolverError(f"the separator gave a {kind}, expected inequalities or rp.Separated")
