"""Column generation for any linear program written in Pyomo."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name

from radprog.decompositions.drivers.exchange import Answer, MasterPoint, exchange
from radprog.decompositions.drivers.live import NewColumns, UnboundedError, live_program
from radprog.decompositions.loop import (
    Budget,
    GapReached,
    Reason,
    Record,
    relative_gap,
)
from radprog.decompositions.options import known_options
from radprog.decompositions.own.certificate import contradictory, lagrangian_bound, usable
from radprog.decompositions.own.columns import (
    Column,
    Generated,
    Multipliers,
    Price,
    PricedColumns,
    PricingModel,
    priced,
)
from radprog.decompositions.own.near_multipliers import near_multipliers
from radprog.decompositions.own.restricted import Restricted
from radprog.decompositions.own.result import (
    RELAXED,
    OwnRun,
    called,
    clone_of,
    driver_settings,
    ended,
    linear_program,
    looped,
    signed,
    status_of,
)
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.errors import OptionError, RadprogError, SolverError
from radprog.instances.tolerances import CLAIM_TOLERANCE, IMPROVING_COST, LEEWAY, PRICED_EXACTLY
from radprog.instances.types import BoolArray, FloatArray
from radprog.models.algebra import linear
from radprog.solvers.answer import relative_violation
from radprog.solvers.compile import variables_and_rows
from radprog.solvers.program import Program, Solution, SolveSettings
from radprog.solvers.registry import solve_model

SMOOTHED_FROM = 10  # rounds after which multipliers are smoothed unless said otherwise
SMOOTHING = 0.8


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnRun(OwnRun):
    """Of column generation: objective and bound of the linear program, in the model's own sense,
    recomputed from its matrices, or None.

    status: ``optimal`` where they certify each other, ``feasible``, ``limit``, ``infeasible`` or
    ``failed``; reason: why it ended; trace: a :class:`Record` a round; seconds: of wall time;
    message: what else is to be said, or "". multipliers: of the master's constraints in the last
    round, by component, d objective / d right-hand side; columns: the t that were generated, as
    :class:`Column`, with their values (t,); relaxed: whether the master has integer variables,
    which the linear program leaves out.
    """

    multipliers: Multipliers
    columns: Sequence[Column]
    values: FloatArray
    relaxed: bool
    _master: pyo.ConcreteModel = field(repr=False)
    _x: FloatArray | None = field(repr=False)
    _sense: int = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """A copy of the master with the generated columns in it: a Var ``generated``, indexed from
        0, in the constraints and the objective. It holds the last point."""
        model = clone_of(self._master)
        _extend(model, self._master, self.columns, whole=False)
        if self._x is not None:
            for variable, value in zip(variables_and_rows(model)[0], self._x, strict=True):
                variable.set_value(float(value), skip_validation=True)
        return model

    def round(self, solver: str = "highs", **settings: Any) -> Rounded:
        """Solve the restricted integer program over the columns at hand: a feasible point of the
        master with whole columns, if there is one. It is a heuristic: columns that were never
        priced may make a better one. settings: as :func:`radprog.solve`.
        """
        model = clone_of(self._master)
        _extend(model, self._master, self.columns, whole=True)
        asked = SolveSettings(**known_options(SolveSettings, settings))
        solution = solve_model(model, solver, asked).in_sense(self._sense)
        return Rounded(solution.objective, self.bound, solution, model)


@dataclass(frozen=True)
class Rounded:
    """The restricted integer program: its ``objective``, in the model's sense, beside the ``bound``
    of the linear program over *all* columns (None where there is none). solution: a
    :class:`Solution`, what its solver proved of the restricted program alone; model: the Pyomo
    model, which holds the point."""

    objective: float | None
    bound: float | None
    solution: Solution
    model: pyo.ConcreteModel

    @property
    def gap(self) -> float | None:
        """|objective - bound| / max(|objective|, 1e-10)."""
        return relative_gap(self.objective, self.bound)


def column_generation(
    master: pyo.ConcreteModel,
    price: Price | PricingModel | Sequence[Price | PricingModel],
    *,
    smoothing: float | None = None,
    level: float | None = None,
    **settings: Any,
) -> ColumnRun:
    """min (or max) cost'x over the rows of ``master`` and the columns that pricing finds.

    Every round solves the restricted master, hands its multipliers pi to the pricers and adds the
    columns whose reduced cost c - pi'a improves. Where every pricer p is exact, its best reduced
    cost r_p, of either sign, over all its columns, of which a solution uses at most n_p, gives for
    any pi

        optimum >= L(pi) + sum_p n_p min(r_p, 0)

    with L the Lagrangian bound of the master's own columns and of those generated that are better
    than their r_p, as one at its upper bound may be, which the pricer need not count
    (:func:`~radprog.decompositions.own.certificate.lagrangian_bound`); the best of all rounds is
    the bound.

    master: a linear Pyomo model, which is not changed. Integer variables are relaxed, and the run
    says so: value and bound are of the linear program; :meth:`ColumnRun.round` has them whole, over
    the columns at hand. price: one or several pricers: called with :class:`Multipliers`, each
    returns columns, or :class:`PricedColumns` with what makes a bound; a :class:`PricingModel` is
    solved. A first master that is infeasible gets artificial columns, which are priced out.
    smoothing: share in [0, 1) of the multipliers of the best bound in those that are asked about;
    None is 0, and 0.8 from round 10 on. level: in its place, those are asked about that are nearest
    to the multipliers of the best bound where the restricted dual is at least bound + level (value
    - bound), a share in [0, 1): fewer rounds, and a quadratic program over all columns in each
    (:func:`~radprog.decompositions.own.near_multipliers.near_multipliers`). settings: ``tol`` and
    ``abs_tol``, the relative and absolute gap of a certificate; ``time_limit``, seconds;
    ``max_iter``, rounds; ``solver``, any with duals, None for the live HiGHS, its
    ``solver_options``, ``seed``, ``threads`` and ``log``; ``observe``, called with the
    :class:`Record` of every round; ``interrupted``, asked whether to stop. Ctrl-C and limits keep
    what was found.

    Raises CapabilityError where the master is not linear, OptionError for settings that have no
    meaning; StoppedError, whose ``run`` is what was found until then, where a pricer answers
    nonsense or the solver fails.
    """
    asked = driver_settings(settings)
    _check_share("smoothing", smoothing)
    _check_share("level", level)
    if smoothing is not None and level is not None:
        raise OptionError("smoothing, level: expected one of the two")
    pricers = tuple(price) if isinstance(price, Sequence) else (price,)
    if not pricers:
        raise OptionError("price: expected at least one pricer")
    for kind in (type(pricer).__name__ for pricer in pricers if not callable(pricer)):
        raise OptionError(f"price: {kind} is given, expected functions or rp.PricingModel")
    return _Pricing(master, pricers, asked, smoothing, level).run()


def _check_share(name: str, given: Any) -> None:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if given is not None and not (number and 0.0 <= given < 1.0):
        raise OptionError(f"{name} {given!r}: expected a number in [0, 1)")


class _Pricing:
    """The restricted master, the pricers and the best found so far, as a minimisation."""

    def __init__(
        self,
        master: pyo.ConcreteModel,
        pricers: Sequence[Price | PricingModel],
        settings: RunSettings,
        smoothing: float | None,
        level: float | None,
    ) -> None:
        program, self.relaxed = linear_program(master, "master is a {}: column generation needs")
        self.master, self.sense, self.pricers = master, program.sense, pricers
        self.settings, self.smoothing, self.level = settings, smoothing, level
        self.constraints = variables_and_rows(master)[1]
        self.family = Generated(self.constraints, set(program.column_names))
        self.restricted = Restricted(
            live_program(program, settings.solver, settings.for_solver(Budget()))
        )
        self.own = program.cost.size  # columns of the master itself
        self.origin: list[int] = []  # which pricer each generated column is from
        self.rounds, self.finished, self.nothing_improves = 0, False, False
        self.objective: float | None = None
        self.bound: float | None = None
        self.x: FloatArray | None = None
        self.y = self.best_y = np.zeros(len(self.constraints))

    @property
    def program(self) -> Program:
        """The restricted master."""
        return self.restricted.program

    def run(self) -> ColumnRun:
        """The loop, and what it leaves."""
        asked, budget, sense = self.settings, self.settings.budget(), self.sense
        stops = GapReached(asked.tol, asked.abs_tol), _Finished(self)
        step = exchange(self.restricted, self)
        reason, trace, failure = looped(step, stops, budget, asked, sense)
        status = status_of(self.objective, self.bound, asked, reason)
        message = f"{RELAXED}: run.round() has them whole" if self.relaxed else ""
        if isinstance(failure, UnboundedError):
            status, failure = RunStatus.UNBOUNDED, None
            message = "the restricted master is unbounded"
        elif self.finished and self.objective is None:
            status = RunStatus.INFEASIBLE if self.nothing_improves else RunStatus.LIMIT
            message = (
                f"artificial columns of sum {self.restricted.left:.3g} remain at a penalty of "
                f"{self.restricted.penalty:.3g} each, and no column is found that replaces them"
                + ("" if self.nothing_improves else ": no pricer says that there is none")
            )
        values = np.zeros(len(self.family.columns)) if self.x is None else self.x[self.own :]
        found = ColumnRun(
            objective=signed(self.objective, sense),
            bound=signed(self.bound, sense),
            status=status,
            reason=reason,
            trace=trace,
            seconds=budget.seconds,
            message=message,
            multipliers=Multipliers(self.constraints, self.y, sense),
            columns=tuple(self.family.columns),
            values=np.append(values, np.zeros(len(self.family.columns) - len(values))),
            relaxed=self.relaxed,
            _master=self.master,
            _x=self.x,
            _sense=sense,
        )
        return ended(found, failure)

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[NewColumns]:
        """The oracle: value, bound and improving columns at a point of the restricted master."""
        self._value(point)
        self.y = usable(self.program, point.multipliers)
        asked = self._stabilised(self.y)
        new = self._priced(asked, budget)
        if new is None and asked is not self.y:
            new = self._priced(self.y, budget)
        self.finished = new is None and not (self.restricted.left and self.restricted.dearer())
        self.rounds += 1
        return Answer(self.objective, self.bound, new, {"artificial": self.restricted.left})

    def _value(self, point: MasterPoint) -> None:
        if not self.restricted.left:
            value = self.program.objective(point.x)
            allowed = relative_violation(self.program, point.x, leeway=LEEWAY) <= CLAIM_TOLERANCE
            if allowed and (self.objective is None or value <= self.objective):
                self.objective, self.x = value, point.x

    def _stabilised(self, y: FloatArray) -> FloatArray:
        """Multipliers between the master's y (m,) and those of the best bound."""
        if self.level is not None:
            if self.objective is None or self.bound is None or self.restricted.left:
                return y
            level = self.bound + self.level * max(0.0, self.objective - self.bound)
            near = near_multipliers(self.program, self.best_y, level)
            return y if near is None else near
        share = self.smoothing
        if share is None:
            share = SMOOTHING if self.rounds >= SMOOTHED_FROM else 0.0
        if not share or self.bound is None:
            return y
        return share * self.best_y + (1.0 - share) * y

    def _priced(self, y: FloatArray, budget: Budget) -> NewColumns | None:
        """Ask every pricer at the multipliers y (m,): the bound, and columns that improve, or
        None."""
        multipliers = Multipliers(self.constraints, y, self.sense)
        chosen: list[Column] = []
        vectors: list[FloatArray] = []
        answers = []
        for place, pricer in enumerate(self.pricers):
            budget.check()
            answer = self._answer(place, pricer, multipliers, budget)
            answers.append(answer)
            for column, vector in self._improving(place, answer, y):
                if self.family.new(column, vector):
                    chosen.append(column)
                    vectors.append(vector)
                    self.origin.append(place)
        self._bounded(y, answers)
        if not chosen:
            self.nothing_improves = all(map(self._nothing, self.pricers, answers))
            return None
        return self.family.admitted(chosen, np.array(vectors), self.sense)

    def _nothing(self, pricer: Price | PricingModel, answer: PricedColumns) -> bool:
        """Whether a pricer says that no column improves, but for the rounding of its solver."""
        rounding = IMPROVING_COST if isinstance(pricer, PricingModel) else PRICED_EXACTLY
        least = answer.reduced_cost
        allowed = rounding * max(1.0, self.restricted.penalty)
        return least is not None and self.sense * least >= -allowed

    def _answer(
        self, place: int, pricer: Price | PricingModel, multipliers: Multipliers, budget: Budget
    ) -> PricedColumns:
        name = f"pricer {place + 1}"
        if not isinstance(pricer, PricingModel):
            return called(name, lambda: priced(pricer(multipliers), name))
        settings = replace(self.settings.for_solver(budget), options={})

        def asked() -> PricedColumns:
            try:
                return pricer(multipliers, settings, self.sense)
            except RadprogError as error:
                raise SolverError(f"{name}: {error}") from error

        return called(name, asked)

    def _improving(
        self, place: int, answer: PricedColumns, y: FloatArray
    ) -> Iterator[tuple[Column, FloatArray]]:
        """Columns whose reduced cost improves at the master's own multipliers; by levels also those
        that improve at y (m,), which they cut off from the next level set."""
        sense, least, rounding = self.sense, math.inf, 0.0
        for column in answer.columns:
            vector = self.family.vector(column, f"pricer {place + 1}")
            if math.isfinite(column.upper) and self.family.known(column, vector):
                continue
            terms = abs(column.cost) + float(np.abs(vector) @ np.abs(self.y))
            reduced = sense * column.cost - float(vector @ self.y)
            at_y = sense * column.cost - float(vector @ y)
            least = min(least, at_y + IMPROVING_COST * terms)
            rounding = max(rounding, IMPROVING_COST * terms)
            improves = reduced if self.level is None else min(reduced, at_y)
            if improves < -IMPROVING_COST * terms:
                yield column, vector
        said = answer.reduced_cost
        improves_by = 0.0 if said is None else -sense * said - CLAIM_TOLERANCE - rounding
        if improves_by > 0.0 and 0.0 <= least < math.inf:
            raise SolverError(
                f"pricer {place + 1} says that a column has the reduced cost {said:.6g}, but none "
                "that it returned improves"
            )
        if said is not None and least < sense * said - CLAIM_TOLERANCE * max(1.0, abs(said)):
            raise SolverError(
                f"pricer {place + 1} says that the best reduced cost is {said:.6g}, but a column "
                f"that it returned has {sense * least:.6g}"
            )

    def _bounded(self, y: FloatArray, answers: Sequence[PricedColumns]) -> None:
        """Take the bound that the pricers' answers at y prove, if it is better."""
        sense = self.sense
        bounds = [sense * answer.bound for answer in answers if answer.bound is not None]
        exact = [a.reduced_cost is not None and a.count is not None for a in answers]
        if all(exact):
            covered = self._covered(y, answers)
            value = lagrangian_bound(
                self.program, y, covered=covered, whole=False, x=self.x_now(len(covered))
            )
            for answer in answers:
                assert answer.reduced_cost is not None
                assert answer.count is not None
                if sense * answer.reduced_cost < 0.0:
                    value += sense * answer.reduced_cost * answer.count
            bounds.append(value)
        for value in bounds:
            if self.objective is not None and contradictory(self.objective, value):
                raise SolverError(
                    f"the pricers' answers make a bound of {sense * value:.10g}, beyond the value "
                    f"{sense * self.objective:.10g} of a feasible point"
                )
            if math.isfinite(value) and (self.bound is None or value > self.bound):
                self.bound, self.best_y = value, y

    def _covered(self, y: FloatArray, answers: Sequence[PricedColumns]) -> BoolArray:
        """Columns (n,) that the best reduced costs at y speak for: generated ones from 0 on that
        are not better. Others have a term of their own in the bound."""
        program, own = self.program, self.own
        said = np.array([self.sense * (answer.reduced_cost or 0.0) for answer in answers])
        said = said[self.origin[: program.cost.size - own]]
        room = CLAIM_TOLERANCE * np.maximum(1.0, np.abs(said))
        terms = np.abs(program.cost) + abs(program.rows).T @ np.abs(y)
        d = program.reduced_costs(np.zeros_like(program.cost), y) + IMPROVING_COST * terms
        covered = np.zeros(program.cost.size, dtype=np.bool_)
        covered[own:] = (program.lower[own:] == 0.0) & (d[own:] >= said - room)
        return covered

    def x_now(self, size: int) -> FloatArray | None:
        """The best point, 0 in columns that are newer."""
        return None if self.x is None else np.append(self.x, np.zeros(size - len(self.x)))


@dataclass(frozen=True)
class _Finished:
    """Stop when no pricer found a column and no penalty is left to be raised."""

    engine: _Pricing
    reason = Reason.NO_COLUMN

    def __call__(self, trace: Sequence[Record]) -> bool:
        return self.engine.finished


def _extend(
    model: pyo.ConcreteModel, master: pyo.ConcreteModel, columns: Sequence[Column], *, whole: bool
) -> None:
    """Put the columns into a copy of the master: the Var ``generated`` (t,)."""
    name = unique_component_name(model, "generated")
    domain = [pyo.Integers if whole and column.whole else pyo.Reals for column in columns]
    bounds = [
        tuple(float(v) if math.isfinite(v) else None for v in (column.lower, column.upper))
        for column in columns
    ]
    generated = pyo.Var(
        pyo.RangeSet(0, len(columns) - 1),
        domain=lambda _, j: domain[j],
        bounds=lambda _, j: bounds[j],
    )
    model.add_component(name, generated)
    places = {id(c): i for i, c in enumerate(variables_and_rows(master)[1])}
    parts: dict[int, list[tuple[float, int]]] = {}
    for j, column in enumerate(columns):
        for constraint, value in column.coefficients.items():
            parts.setdefault(places[id(constraint)], []).append((float(value), j))
    rows = variables_and_rows(model)[1]
    for place, part in parts.items():
        values, which = zip(*part, strict=True)
        extra = linear(np.array(values), [generated[j] for j in which])
        rows[place].set_value((rows[place].lower, rows[place].body + extra, rows[place].upper))
    for objective in model.component_data_objects(pyo.Objective, active=True):
        costs = np.array([float(column.cost) for column in columns])
        if costs.any():
            objective.set_value(objective.expr + linear(costs, list(generated.values())))
