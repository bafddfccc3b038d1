"""Column generation for any linear program written in Pyomo."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from scipy import sparse

from radprog.base.errors import DataError, OptionError, SolverError, StoppedError
from radprog.base.sections import amount
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.drivers.exchange import Cuts, exchange_step
from radprog.decompositions.drivers.masters import (
    Entries,
    NewColumns,
    UnboundedError,
    extend_program,
    live_program,
)
from radprog.decompositions.loop import Budget, Reason, Stop, certified_by
from radprog.decompositions.own.columns import (
    Column,
    Components,
    Generated,
    Multipliers,
    Price,
    PricedColumns,
    PricingModel,
)
from radprog.decompositions.own.engine import ENDLESS, Engine
from radprog.decompositions.own.pricing import Pricer
from radprog.decompositions.own.result import (
    RELAXED,
    ModelLoop,
    OwnRun,
    clone_of,
    driver_settings,
    linear_program,
    status_of,
    summary,
    whole_bound,
)
from radprog.decompositions.run import (
    DriverOptions,
    RunSettings,
    end_failed,
    settings_from,
    stoppable,
)
from radprog.models.algebra import linear
from radprog.solvers.certificate import Priced, contradictory, repaired
from radprog.solvers.compile import compile_model, variables_and_rows
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import Solution, SolveOptions, SolveSettings, Status, relative_gap
from radprog.solvers.registry import solve_model, solved_by_any

IMPROVING_COST = 1e-9  # reduced cost, relative to its terms, that is worth a column


NO_SETS: Mapping[Components, tuple[float, float]] = {}


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnRun(OwnRun):
    """Result of column generation, for the linear program over all columns.

    Attributes
    ----------
    objective, bound : float or None
        Objective of the best point and bound on the optimal value, in the model's sense of
        optimisation. Both are recomputed from the matrices of the program.
    status : Status
        ``optimal`` if the bound certifies the objective; otherwise ``feasible``, ``limit``,
        ``infeasible``, ``unbounded`` or ``failed``.
    reason : Reason
        Reason why the run ended: ``tolerance``; ``no_column`` if no column improves the objective;
        ``stalled`` if a round made no progress; ``critical_point``; ``max_iter``, ``time_limit`` or
        ``interrupt``; ``own_rule`` if the setting ``stop`` ended it; ``solver`` after a failure.
    trace : sequence of Record
        One record per round.
    seconds : float
        Wall time in seconds.
    message : str
        Further information as a string, or "".
    multipliers : mapping
        Multipliers d objective / d right-hand side, by constraint of the master. They prove the
        bound. Without a bound, they come from the last round.
    columns : sequence of Column
        The t generated columns.
    values : ndarray (t,)
        Values of the generated columns.
    relaxed : bool
        Whether integer variables of the master were treated as continuous.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> def price(multipliers):
    ...     cuts = [(3, 0), (2, 1), (0, 2)]  # pieces of width 3 and 4 from a roll of width 10
    ...     patterns = [rp.Column(1.0, {master.threes: a, master.fours: b}) for a, b in cuts]
    ...     best = min(patterns, key=multipliers.reduced_cost)
    ...     return rp.PricedColumns([best], reduced_cost=multipliers.reduced_cost(best), count=7)
    >>> run = rp.column_generation(master, price)
    >>> run.certified, str(run.status), len(run.columns) == len(run.values)
    (True, 'optimal', True)
    >>> round(run.multipliers[master.threes], 6), round(run.multipliers[master.fours], 6)
    (0.25, 0.5)
    """

    multipliers: Multipliers
    columns: Sequence[Column]
    values: FloatArray
    relaxed: bool
    _master: pyo.ConcreteModel = field(repr=False)
    _x: FloatArray | None = field(repr=False)
    _sense: int = field(repr=False)
    _settings: RunSettings = field(repr=False)

    def model(self, *, integers: bool = False) -> pyo.ConcreteModel:
        """A copy of the master with the generated columns, at the last point.

        After a limit, the columns of the last round are in no solved master yet: their values are
        0, and the optimum of the copy may be better than ``objective``.
        The generated columns appear in the constraints and the objective as the Var ``generated``,
        indexed from 0. With ``integers``, integer variables and whole columns are integer, as in
        :meth:`round`; otherwise all are continuous, as in the run.
        """
        return self._restricted(integers)[0]

    def _restricted(self, integers: bool) -> tuple[pyo.ConcreteModel, list[Any]]:
        """The restricted master and its generated columns (t,)."""
        model = clone_of(self._master)
        variables = variables_and_rows(model)[0]
        # the variables become real, with bounds that may come from their domains
        for variable in variables if not integers else ():
            low, high = variable.bounds
            variable.domain = pyo.Reals
            variable.bounds = low, high
        generated = add_columns(model, self._master, self.columns, whole=integers)
        if self._x is not None:
            for variable, value in zip([*variables, *generated], self._x.tolist(), strict=True):
                variable.set_value(value, skip_validation=True)
        return model, generated

    def round(
        self,
        solver: str = "highs",
        *,
        whole_objective: bool = False,
        **settings: Unpack[SolveOptions],
    ) -> Rounded:
        """Solve the restricted integer program over the columns generated so far.

        This is a heuristic for finding a feasible point with integer columns. Columns that were not
        generated may yield a better point. ``settings`` are those of :func:`radprog.solve`. If
        every integer point has an integer objective, set ``whole_objective``. The bound is then
        rounded.
        """
        model, generated = self._restricted(integers=True)
        with stoppable(settings_from(SolveSettings, settings)) as solver_settings:
            solution = solve_model(model, solver, solver_settings).in_sense(self._sense)
            end_failed(solver_settings, solution)
        tolerances = self._settings.tol, self._settings.abs_tol
        sense, bound, objective = self._sense, self.bound, None
        if whole_objective and bound is not None:
            bound = sense * whole_bound(sense * bound)
        # the point with whole integers, and the columns that it uses
        chosen: list[tuple[Column, float]] = []
        if solution.x is not None:
            program, variables = compile_model(model), variables_and_rows(model)[0]
            judged, fault = judge_integers(program, solution.x, solved_by_any, solver_settings)
            if judged is None:
                message = f"{solution.solver} returned a point {fault}"
                solution = replace(solution, x=None, message=message)
            else:
                objective = sense * program.objective(judged)
                for variable, value in zip(variables, judged.tolist(), strict=True):
                    variable.set_value(value, skip_validation=True)
                values = (float(variable.value) for variable in generated)
                chosen = [(c, v) for c, v in zip(self.columns, values, strict=True) if v > 0.0]
        return Rounded(objective, bound, solution, model, tolerances, tuple(chosen), sense)


@dataclass(frozen=True, repr=False)
class Rounded:
    """Result of the restricted integer program over the generated columns.

    Attributes
    ----------
    objective : float or None
        Objective of the best point, in the model's sense of optimisation.
    bound : float or None
        Bound of the linear program over *all* columns, rounded with ``whole_objective``.
    solution : Solution
        Solution of the restricted program. Its proof of optimality covers only this program.
    model : ConcreteModel
        The Pyomo model at the point, including the values of the master's own variables.
    tolerances : tuple of float
        Largest relative and absolute gap of a certified result.
    chosen : tuple of (Column, float)
        The generated columns at the point, with their values. Each column keeps the payload from
        its pricer.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> def price(multipliers):
    ...     cuts = [(3, 0), (2, 1), (0, 2)]  # pieces of width 3 and 4 from a roll of width 10
    ...     patterns = [rp.Column(1.0, {master.threes: a, master.fours: b}) for a, b in cuts]
    ...     best = min(patterns, key=multipliers.reduced_cost)
    ...     return rp.PricedColumns([best], reduced_cost=multipliers.reduced_cost(best), count=7)
    >>> rounded = rp.column_generation(master, price).round()
    >>> rounded.objective, round(rounded.bound, 6)  # 3 rolls are best, since 2.5 is a bound
    (3.0, 2.5)
    >>> sum(value for column, value in rounded.chosen)
    3.0
    """

    objective: float | None
    bound: float | None
    solution: Solution
    model: pyo.ConcreteModel
    tolerances: tuple[float, float] = (RunSettings.tol, RunSettings.abs_tol)
    chosen: tuple[tuple[Column, float], ...] = ()
    _sense: int = field(default=1, repr=False)

    def __repr__(self) -> str:
        return summary(self, "", amount(len(self.chosen), "column"))

    @property
    def gap(self) -> float | None:
        """The relative gap |objective - bound| / max(|objective|, 1e-10)."""
        return relative_gap(self.objective, self.bound)

    @property
    def status(self) -> Status:
        """The status with respect to all columns.

        The status is ``optimal`` if the bound proves the objective within the tolerances of the
        run. Otherwise it is ``feasible``, or ``limit`` if there is no point.
        """
        if certified_by(self.objective, self.bound, *self.tolerances, self._sense):
            return Status.OPTIMAL
        return Status.LIMIT if self.objective is None else Status.FEASIBLE

    @property
    def message(self) -> str:
        """Further information as a string, or ""."""
        if self.status is Status.OPTIMAL:
            return ""
        if self.objective is not None:
            return "columns that were not generated may make a better point: the bound leaves a gap"
        solution = self.solution
        cause = solution.message or f"its status is {solution.claim or solution.status}"
        return f"{solution.solver} has no point of the generated columns: {cause}"


def column_generation(
    model: pyo.ConcreteModel,
    price: Price | PricingModel | Sequence[Price | PricingModel],
    *,
    stabilise: float | None = None,
    **settings: Unpack[DriverOptions],
) -> ColumnRun:
    """Solve a linear program by column generation.

    Parameters
    ----------
    model : ConcreteModel
        The master, a linear program. It is not modified. Integer variables are continuous, and
        ``message`` reports this. The objective and the bound then belong to the linear program.
        :meth:`ColumnRun.round` solves the integer program over the columns generated so far.
    price : callable, PricingModel, or a sequence of them
        A callable takes the multipliers: a mapping from the constraints of the master to numbers,
        with a method ``reduced_cost(column)``. As a second argument, it may take the
        :class:`Restrictions` of :func:`branch_and_price`; here there are none. It returns columns,
        or :class:`PricedColumns` with a bound. A :class:`PricingModel` is solved in every round.
    stabilise : float, optional
        A number in [0, 1) is the weight of the best bound's multipliers in the average at which
        columns are priced. None means 0 in the first 10 rounds and 0.8 afterwards.
    tol, abs_tol : float
        Largest relative and absolute gap of a certified result.
    time_limit, max_iter : float and int, optional
        Time limit in seconds, and maximum number of rounds.
    solver, solver_options, seed, threads, log
        A solver that returns duals, and its settings. None means HiGHS. It is warm-started from its
        last basis.
    observe, stop, interrupted : callable
        ``observe`` is called with the :class:`Record` of each round, and ``stop`` with the list of
        all records, from the first one on; the run ends when ``stop`` or ``interrupted`` returns
        True. The objective, bound and gap of a record may be None. After Ctrl-C, a limit or the
        failure of one of them, the run contains the best answer so far.

    Returns
    -------
    ColumnRun
        The best point and the best bound. The status is ``infeasible`` if the pricers' answers
        prove a bound beyond every possible objective value.

    Raises
    ------
    CapabilityError
        If the master, or the cost or a coefficient of a pricing model, is not linear.
    OptionError
        If a setting is invalid.
    StoppedError
        If a function of the user fails, a pricer returns an invalid answer, or the solver fails.
        The attribute ``run`` of the error contains the best answer so far.

    Notes
    -----
    The program is min (or max) c'x over the rows of the master and all columns of the pricers.
    Every round solves the restricted master and passes its multipliers pi to the pricers. The new
    columns enter the master and stay there. A column with cost c and coefficients a improves the
    objective if its reduced cost c - pi'a is negative (positive for max). If the master is
    infeasible, artificial columns are added and then priced out.

    Let r_p be the best reduced cost of an exact pricer p over all its columns, whether negative or
    positive. Let n_p be the largest number of columns of p in a solution. Then all pi satisfy

        optimum >= L(pi) + sum_p n_p min(r_p, 0).

    L(pi) is the Lagrangian bound of the master's own columns. r_p may exclude columns that were
    returned before. L(pi) therefore includes generated columns that have an upper bound and are
    better than their r_p. The bound of the run is the best bound of all rounds. Rounding errors may
    leave a nonzero reduced cost for a free variable. The absolute value of the variable is then
    assumed to be at most 1e6 times its largest absolute value so far.

    Examples
    --------
    Rolls of width 10 are cut into 4 pieces of width 3 and 3 pieces of width 4. A column is a
    pattern:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> patterns = [(3, 0), (2, 1), (0, 2)]
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(bounds=(0, 0))
    >>> master.threes = pyo.Constraint(expr=master.none >= 4)
    >>> master.fours = pyo.Constraint(expr=master.none >= 3)
    >>> master.rolls = pyo.Objective(expr=master.none)
    >>> def price(multipliers):
    ...     worth = [multipliers[master.threes], multipliers[master.fours]]
    ...     best = max(patterns, key=lambda p: p[0] * worth[0] + p[1] * worth[1])
    ...     column = rp.Column(1.0, {master.threes: best[0], master.fours: best[1]}, payload=best)
    ...     return rp.PricedColumns(
    ...         [column], reduced_cost=1.0 - best[0] * worth[0] - best[1] * worth[1], count=7
    ...     )
    >>> run = rp.column_generation(master, price)
    >>> run.certified, round(run.objective, 6)
    (True, 2.5)
    >>> run.round().objective  # whole rolls
    3.0
    """
    pricers = tuple(price) if isinstance(price, Sequence) else (price,)
    if not pricers:
        raise OptionError("price: expected at least one pricer")
    wrong = (p for p in pricers if not (callable(p) or isinstance(p, PricingModel)))
    for kind in (type(pricer).__name__ for pricer in wrong):
        raise OptionError(f"price: {kind} is given, expected functions or rp.PricingModel")
    with driver_settings(settings) as run_settings:
        return Pricing(model, pricers, run_settings, stabilise).run()


class Pricing(Engine):
    """The restricted master as a minimisation problem, the pricers, and the best point and
    bound.
    """

    def __init__(
        self,
        master: pyo.ConcreteModel,
        pricers: Sequence[Price | PricingModel | Pricer],
        settings: RunSettings,
        stabilise: float | None,
        counted: Mapping[Components, tuple[float, float]] = NO_SETS,
    ) -> None:
        """``counted`` contains, for each set of columns, the bounds on their sum."""
        number = isinstance(stabilise, int | float) and 0.0 <= stabilise < 1.0
        if not (stabilise is None or number):
            raise OptionError(f"stabilise {stabilise!r}: expected a number in [0, 1)")
        self.share = stabilise
        program, integer = linear_program(master, "master is a {}: column generation needs")
        sides = np.array([*counted.values()]).reshape(-1, 2)
        empty = sparse.csr_array((len(sides), program.cost.size))
        program = extend_program(program, Cuts(empty, sides[:, 0], sides[:, 1]))
        self.relaxed = bool(integer.any())
        self.master, self.sense, self.settings = master, program.sense, settings
        # options are those of the master's solver
        self.pricer_settings = replace(settings.for_solver(Budget()), solver_options={})
        self.pricers = [
            price if isinstance(price, Pricer) else Pricer(k, price, self.pricer_settings)
            for k, price in enumerate(pricers)
        ]
        self.constraints = [*variables_and_rows(master)[1], *counted]
        self.family = Generated(self.constraints)
        super().__init__(live_program(program, settings.solver, settings.for_solver(Budget())))
        self.own_entries = Entries(self.initial.rows)  # of the program's columns
        #: Called with the multipliers of a round that gave new columns.
        self.priced_at: Callable[[FloatArray], None] = lambda _: None

    @property
    def searches(self) -> bool:  # type: ignore[override]
        """Whether a gap ends searches of pricing models early."""
        return any(pricer.searches for pricer in self.pricers)

    def usable(self, y: FloatArray) -> FloatArray:
        """Multipliers near y (m,) that are dual feasible for the own columns."""
        box = self.restricted.lower[: self.n_initial], self.restricted.upper[: self.n_initial]
        if self.own_entries.priced(self.initial.cost, y).is_dual_feasible(box):
            return y
        return repaired(self.program, y, self.n_initial)

    def insert(self, columns: Sequence[Column], pricers: Sequence[int]) -> None:
        """Insert columns, with the indices of their pricers, into a restricted master without
        generated columns.

        Raises DataError for a repeated column.
        """
        batch = self.family.read(columns, "the record")
        if len(self.family.register(batch)) < len(batch):
            raise DataError("a column is there twice")
        self.entering = [(batch.take([j]), pricer) for j, pricer in enumerate(pricers)]
        self.enter()

    def admit(self) -> NewColumns:
        """The entering columns, as those of the master."""
        return self.family.admit(self.entering, self.sense)

    def run(self) -> ColumnRun:
        """Run the loop of column generation and return its result."""
        # restricted master, pricing, new columns, until the gap is closed or no column improves
        sense, loop = self.sense, ModelLoop(self.settings, self.sense)
        finished = Stop(Reason.NO_COLUMN, lambda trace: self.finished)
        loop.repeat(exchange_step(self.restricted, self), self.settings.gap_reached(), finished)
        status = status_of(self.objective, self.bound, self.settings, loop.reason)
        message = f"{RELAXED}: run.round() has them whole" if self.relaxed else ""
        artificial = self.restricted.artificial_sum
        if isinstance(loop.failure, UnboundedError) and self.bound is None:
            status, message = Status.UNBOUNDED, "the restricted master is unbounded"
            loop.failure = None
        elif isinstance(loop.failure, UnboundedError):
            loop.failure = SolverError(
                "the restricted master is unbounded, against the bound "
                f"{loop.signed(self.bound):.10g} that the pricers' answers make"
            )
        elif self.finished and self.objective is None and artificial:
            # artificial columns are left: a bound beyond every objective proves infeasibility
            proved = self.bound is not None and self.bound >= ENDLESS
            status = Status.INFEASIBLE if proved else Status.LIMIT
            infeasible = f"no point has an objective better than {sense * ENDLESS:g}"
            unproved = f"no pricer proves that there is none{self.unproved}"
            message = (
                f"artificial columns of sum {artificial:.3g} remain, and no column is found that "
                f"replaces them: {infeasible if proved else unproved}"
            )
        elif self.finished and self.objective is None:
            message = "the points of the master violate its rows by more than a proof allows"
        elif self.bound is None and self.lack:
            message = f"{message}; {self.lack}" if message else self.lack
        # columns that were admitted in the last round have no value yet
        x = self.best_x(self.n_initial + len(self.family.columns))
        y = self.y if self.bound is None else self.best_y
        return loop.result(
            *(ColumnRun, self.objective, self.bound),
            status=status,
            message=message,
            multipliers=Multipliers(self.constraints, y, sense),
            columns=self.family.columns,
            values=np.zeros(len(self.family.columns)) if x is None else x[self.n_initial :],
            relaxed=self.relaxed,
            _master=self.master,
            _x=x,
            _sense=sense,
            _settings=self.settings,
        )

    def priced(self, y: FloatArray) -> Priced:
        """The reduced costs of all columns of the master at multipliers y (m,)."""
        if self._priced is None or self._priced.y is not y or len(self._priced.reduced) < self.size:
            self._priced = self.restricted.entries.priced(self.restricted.cost, y)
        return self._priced

    @property
    def origin(self) -> Any:
        """The number of the pricer of each generated column of the master."""
        return self.family.pricers[self.places[self.n_initial :] - self.n_initial]

    def price_and_bound(self, y: FloatArray, budget: Budget) -> bool:
        """Price columns at the multipliers y (m,), and update the bound.

        Returns whether a column improves the objective.
        """
        improves, answers = self.price_columns(y, budget)
        sense = self.sense
        # bounds outright, and the Lagrangian bound where every pricer gives what it needs: without
        # a proof where the node has a better bound from its parent
        proved = [(sense * answer.bound, y) for answer in answers if answer.bound is not None]
        lacks = (
            f"pricer {k} gives no {'reduced_cost' if answer.reduced_cost is None else 'count'}"
            for k, answer in enumerate(answers, start=1)
            if answer.reduced_cost is None
            or (answer.count is None and sense * answer.reduced_cost < 0.0)
        )
        lack = next(lacks, None)
        if lack is None:
            value = self._estimate(y, answers)
            proved.append((self.lagrangian(y, answers) if value > self.floor else value, y))
        elif not proved:
            self.lack = f"{lack}, and without it there is no bound"
        # the best bound of all rounds; none lies beyond the value of a feasible point
        if self.bound is not None:
            proved.append((self.bound, self.best_y))
        for value, duals in proved:
            if self.objective is not None and contradictory(self.objective, value):
                # what the best point gains by the violations of its rows, at these multipliers
                program = self.program
                x = self.best_x(self.size)
                assert x is not None
                activity = program.activity(x)
                excess = np.maximum(program.row_lower - activity, activity - program.row_upper)
                if value - self.objective > 2.0 * float(np.abs(duals) @ np.maximum(excess, 0.0)):
                    raise SolverError(
                        f"the pricers' answers make a bound of {sense * value:.10g}, beyond the "
                        f"value {sense * self.objective:.10g} of a feasible point"
                    )
                self.objective = self.x = None  # outside its rows by more than a proof allows
            if math.isfinite(value) and (self.bound is None or value > self.bound):
                self.bound, self.best_y = value, duals
        return improves

    def price_columns(self, y: FloatArray, budget: Budget) -> tuple[bool, list[PricedColumns]]:
        """Whether a column improves the objective at the multipliers y (m,), and the answers from
        all pricers.

        New columns are appended to ``entering``. With the level method, a column that improves the
        objective at y also counts, because it changes the next level set.
        """
        sense = self.sense
        multipliers = Multipliers(self.constraints, y, sense, self.family.places)
        # every pricer is called: the bound needs all their answers
        answers = []
        for pricer in self.pricers:
            budget.check()
            model = pricer.model is not None
            settings = self._for_model(budget) if model else self.pricer_settings
            answers.append(pricer(multipliers, sense, settings, self.gap))
        # read when all are there: a limit between two pricers loses no column
        improves, n_entering = False, len(self.entering)
        for pricer, answer in zip(self.pricers, answers, strict=True):
            rounding, best, best_new = 0.0, math.inf, math.inf  # reduced costs at y
            batch = self.family.read(answer.columns, pricer.name)
            pricer.check(batch, self.constraints)
            if len(batch):
                # reduced costs at both multipliers, and what rounding makes of them
                costs = sense * batch.costs
                products, sizes = batch.products(self.y)
                margin = IMPROVING_COST * (np.abs(costs) + sizes)
                reduced = costs - products
                at_y = reduced if y is self.y else costs - batch.products(y)[0]
                rounding, best = float(margin.max()), float((at_y + margin).min())
                new = self.family.register(batch)
                if new:
                    best_new = float((at_y + margin)[new].min())
                    improves |= bool((reduced < -margin)[new].any())
                    admitted = batch if len(new) == len(batch) else batch.take(new)
                    self.entering.append((admitted, pricer.number))
            # the reduced cost that the pricer claims must agree with its columns
            claim = answer.reduced_cost
            # a pricing model claims the bound of its search, which a limit may have ended
            if claim is None or pricer.model is not None:
                continue
            # rounding at the large multipliers of phase one may be more than a claim allows
            kind = SolverError if self.restricted.in_phase_one else StoppedError
            if -sense * claim - CLAIM_TOLERANCE > rounding and 0.0 <= best < math.inf:
                raise kind(
                    f"{pricer.name} says that a column has the reduced cost {claim:.6g}, but none "
                    "that it returned improves: multipliers.reduced_cost computes it"
                )
            if best_new < sense * claim - CLAIM_TOLERANCE * max(1.0, abs(claim)):
                raise kind(
                    f"{pricer.name} says that the best reduced cost is {claim:.6g}, but a column "
                    f"that it returned has {sense * best_new:.6g}"
                )
        if len(self.entering) > n_entering:
            self.priced_at(y)
        return improves, answers

    def _for_model(self, budget: Budget) -> SolveSettings:
        """The settings of a pricing model's solver, whose options are those of the master's."""
        return replace(self.settings.for_solver(budget), solver_options={})

    def lagrangian(self, y: FloatArray, answers: Sequence[PricedColumns]) -> float:
        """The bound L(y) + sum_p n_p min(r_p, 0) at y (m,).

        r_p is the best among the reduced cost returned by pricer p and the reduced costs of its
        generated columns. If a generated column with an upper bound is better than the returned
        reduced cost, it enters L as a separate term.
        """
        n_initial, sense, size, priced = self.n_initial, self.sense, self.size, self.priced(y)
        # reduced costs of the generated columns in the master, less their rounding
        origin, generated = self.origin, priced.of(slice(n_initial, size))
        claimed = np.array([sense * (answer.reduced_cost or 0.0) for answer in answers])
        d = generated.reduced - 2.0**-53 * (generated.entries + 2.0) * generated.terms
        # columns that a pricer's claim covers count in its term of the bound, the others in L
        room = CLAIM_TOLERANCE * np.maximum(1.0, np.abs(claimed))
        counts = np.array([answer.count is not None for answer in answers])
        lower, upper = self.restricted.lower, self.restricted.upper
        covered = (np.isinf(upper[n_initial:]) | (d >= (claimed - room)[origin])) & counts[origin]
        # the term of a pricer takes the least reduced cost of its columns
        smallest = np.minimum(claimed, 0.0)
        np.minimum.at(smallest, origin[covered], d[covered])
        others: BoolArray | slice = slice(0, n_initial)
        if not covered.all():
            others = np.append(np.ones(n_initial, dtype=np.bool_), ~covered)
        x = self.best_x(size)
        box, point = (lower[others], upper[others]), (np.zeros(size) if x is None else x)[others]
        value = priced.of(others).bound(self.restricted.sides, box, point)
        terms = zip(smallest.tolist(), answers, strict=True)
        return value + math.fsum(r * answer.count for r, answer in terms if r and answer.count)

    def _estimate(self, y: FloatArray, answers: Sequence[PricedColumns]) -> float:
        """The bound at multipliers y (m,) that suit the master's own columns, but for rounding."""
        lower, upper, constant = self.restricted.sides
        used = y.nonzero()[0]
        value = constant + float(y[used] @ np.where(y > 0.0, lower, upper)[used])
        terms = ((self.sense * (a.reduced_cost or 0.0), a.count or 0.0) for a in answers)
        return value + sum(min(r, 0.0) * count for r, count in terms)

    def best_x(self, size: int) -> FloatArray | None:
        """The best point. Newer columns have the value 0."""
        return None if self.x is None else np.append(self.x, np.zeros(size - len(self.x)))


def add_columns(
    model: pyo.ConcreteModel, master: pyo.ConcreteModel, columns: Sequence[Column], *, whole: bool
) -> list[Any]:
    """Add the columns to a copy of the master as the Var ``generated``, and return its members
    (t,)."""
    # the variables, as integers if their columns are
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
    # their coefficients in the rows, their costs in the objective
    places = {id(c): i for i, c in enumerate(variables_and_rows(master)[1])}
    parts: dict[int, list[tuple[float, int]]] = {}
    for j, column in enumerate(columns):
        for constraint, value in column.coefficients.items():
            parts.setdefault(places[id(constraint)], []).append((float(value), j))
    rows = variables_and_rows(model)[1]
    for place, part in parts.items():
        values, indices = zip(*part, strict=True)
        extra = linear(np.array(values), [generated[j] for j in indices])
        rows[place].set_value((rows[place].lower, rows[place].body + extra, rows[place].upper))
    for objective in model.component_data_objects(pyo.Objective, active=True):
        costs = np.array([float(column.cost) for column in columns])
        if costs.any():
            objective.set_value(objective.expr + linear(costs, list(generated.values())))
    return list(generated.values())
