"""Cutting planes for any Pyomo linear program with very many or infinitely many rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.expr.relational_expr import RelationalExpression
from scipy import sparse

from radprog.base.errors import CapabilityError, DataError, OptionError, SolverError, StoppedError
from radprog.base.limits import OutOfBudget, users_code
from radprog.base.tolerances import CLAIM_TOLERANCE, MASTER_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import Answer, Cuts, MasterPoint, exchange_step
from radprog.decompositions.drivers.masters import (
    InfeasibleError,
    NewColumns,
    UnboundedError,
    live_program,
)
from radprog.decompositions.loop import Budget, Reason, Stop
from radprog.decompositions.own.result import (
    RELAXED,
    ByComponent,
    ModelLoop,
    OwnRun,
    clone_of,
    driver_settings,
    linear_program,
    status_of,
)
from radprog.decompositions.run import DriverOptions, RunSettings
from radprog.solvers.certificate import contradictory, dual_bound
from radprog.solvers.claims import infeasibility
from radprog.solvers.compile import LinearRow, read_row, variables_and_rows
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import Program, SolveSettings, Status, tolerance_met
from radprog.solvers.registry import preferred, solve_program, solved_by_any
from radprog.solvers.violations import relative_violation


@dataclass(frozen=True)
class Separated:
    """The answer of a separator.

    Attributes
    ----------
    rows : sequence, or Cuts
        The violated rows, as Pyomo inequalities in the model's variables, or as arrays.
    value : float or None
        Objective of a point that satisfies *all* rows, if the separator has one. The point may
        differ from the one passed to the separator, for example if it comes from a heuristic. The
        run does not store such a point and only compares its objective with the bound.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var()
    >>> model.y = pyo.Var()
    >>> answer = rp.Separated([model.y >= 2 * model.x - 1], value=3.0)
    >>> len(answer.rows), answer.value
    (1, 3.0)
    """

    rows: Sequence[Any] | Cuts = ()
    value: float | None = None


class PointValues(ByComponent):
    """Values of the model's variables by Pyomo component, including fixed variables.

    ``x`` (n,) holds the values of the unfixed variables, in the order of their declarations.

    ``pyo.value`` of an expression also works, because the variables of the model have these values
    while the separator runs.
    """

    def __init__(self, model: Any, variables: Sequence[Any], x: FloatArray) -> None:
        super().__init__(variables, x, "a variable of the model")
        self._root, self.x = model.model(), x

    def __getitem__(self, variable: Any) -> float:
        fixed = getattr(variable, "fixed", False) and variable.model() is self._root
        return float(variable.value) if fixed else super().__getitem__(variable)

    def load(self) -> None:
        """Store the values in the model."""
        for variable, value in zip(self, self.x.tolist(), strict=True):
            variable.set_value(value, skip_validation=True)


Separate = Callable[[PointValues], "Iterable[Any] | Cuts | Separated"]


@dataclass(frozen=True, kw_only=True, repr=False)
class CutRun(OwnRun):
    """Result of a cutting-plane method, for the program with all rows.

    Attributes
    ----------
    objective, bound, status, reason, trace, seconds, message
        See :class:`radprog.ColumnRun`.
    rows : sequence
        The t added rows, as Pyomo inequalities.
    multipliers : ndarray (t,)
        Multipliers d objective / d right-hand side of the added rows in the last round, in the
        order of ``rows``; those of rows added later are 0.
    values : mapping
        Values of the variables by component; they are also stored in the model. For these values,
        the separator returned ``objective`` or no rows. If the separator returned the objective of
        another point, these values may violate rows, and ``message`` states the objective at these
        values. If ``objective`` is None, the values come from the last relaxation and may be
        fractional.
    relaxed : bool
        Whether integer variables of the model were treated as continuous.
    proved_by : str or None
        ``duals`` if multipliers prove the bound, or multipliers, bounds or divisibility that no
        point meets the rows. ``solver`` if the bound comes from the solver's branch and bound over
        the added rows. None without a proof.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 4))
    >>> model.y = pyo.Var(bounds=(0, None))
    >>> model.f = pyo.Objective(expr=model.y - model.x)
    >>> def separate(values):  # y >= x^2 by its tangents
    ...     x, y = values[model.x], values[model.y]
    ...     return [] if y >= x**2 - 1e-7 else [model.y >= 2 * x * model.x - x**2]
    >>> run = rp.cutting_planes(model, separate)
    >>> run.certified, round(run.objective, 4), len(run.rows) == len(run.multipliers)
    (True, -0.25, True)
    """

    rows: Sequence[Any]
    multipliers: FloatArray
    values: PointValues
    relaxed: bool
    proved_by: str | None
    _model: pyo.ConcreteModel = field(repr=False)
    _rows: Sequence[LinearRow] = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """A copy of the model with the added rows as the constraints ``cut``, indexed from 0."""
        model = clone_of(self._model)
        variables = variables_and_rows(model)[0]
        cuts = pyo.Constraint(
            pyo.RangeSet(0, len(self._rows) - 1), rule=lambda _, i: self._rows[i].over(variables)
        )
        model.add_component(unique_component_name(model, "cut"), cuts)
        for variable, value in zip(variables, self.values.x, strict=True):
            variable.set_value(float(value), skip_validation=True)
        return model


def cutting_planes(
    model: pyo.ConcreteModel,
    separate: Separate,
    *,
    whole: bool = True,
    **settings: Unpack[DriverOptions],
) -> CutRun:
    """Solve a linear program with very many constraints by cutting planes.

    Parameters
    ----------
    model : ConcreteModel
        A linear program, with or without integer variables. Only the values of its variables are
        changed.
    separate : callable
        Function that receives a mapping from variables to values. It returns the violated
        constraints as Pyomo inequalities (``model.x[1] + model.x[2] <= 1``), or [] for a feasible
        point. :class:`Cuts` hold many constraints as arrays, over the variables of ``values.x``.
        It may also return :class:`Separated` with the objective of a feasible point. If
        there are integer variables, this objective is ignored at fractional points. Values within
        1e-9 of integers are rounded.
    whole : bool
        Whether integer variables must have whole values. Otherwise they are continuous, and the
        objective and the bound belong to the linear program.
    **settings
        Settings of :func:`column_generation`.

    Returns
    -------
    CutRun
        The best point, the bound and the added rows.

    Raises
    ------
    CapabilityError
        If the model is not linear.
    OptionError
        If a setting is invalid.
    StoppedError
        If the separator returns an invalid answer, or the solver fails. The attribute ``run`` of
        the error contains the best answer so far.

    Notes
    -----
    Let R_k be the constraints of round k. The relaxation

        v_k = min c'x  s.t.  a_r'x <= b_r,  r in R_k,

    satisfies v_k <= optimum. The bound of the relaxation is recomputed from its multipliers.
    ``separate`` receives the solution and returns violated constraints. These constraints enter
    R_(k+1). A point without violated constraints is optimal, up to the tolerance of ``separate``. A
    point may violate constraints that are already in R_k. Such a point counts as optimal if its
    largest relative violation of a row is at most 1e-6. Otherwise the run ends with the reason
    ``stalled``.

    With integer variables, the constraints of the linear program are generated first. Each later
    round solves the mixed-integer program over R_k and separates its integer point. The bound then
    comes from the solver's branch and bound. If a limit ends the search, its incumbent is also
    passed to the separator, and its bound is stored. The separator is not interrupted.

    Examples
    --------
    Maximise x + y over the unit disc, whose tangents are the rows:

    >>> import math
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, 2))
    >>> model.y = pyo.Var(bounds=(0, 2))
    >>> model.f = pyo.Objective(expr=model.x + model.y, sense=pyo.maximize)
    >>> def separate(values):
    ...     x, y = values[model.x], values[model.y]
    ...     r = math.hypot(x, y)
    ...     return [] if r <= 1 + 1e-7 else [x / r * model.x + y / r * model.y <= 1]
    >>> run = rp.cutting_planes(model, separate)
    >>> abs(run.objective - math.sqrt(2)) < 1e-4
    True

    Benders decomposition: the plan opens plants, and a linear program serves three customers from
    them. The multipliers of this program define the cut.

    >>> cost = [[1, 4, 5], [5, 2, 1]]
    >>> plan = pyo.ConcreteModel()
    >>> plan.opened = pyo.Var(range(2), domain=pyo.Binary)
    >>> plan.service = pyo.Var(bounds=(0, None))
    >>> plan.some = pyo.Constraint(expr=sum(plan.opened.values()) >= 1)
    >>> plan.f = pyo.Objective(expr=6 * plan.opened[0] + 3 * plan.opened[1] + plan.service)
    >>> def cut(values):
    ...     room = {(i, j): values[plan.opened[i]] for i in range(2) for j in range(3)}
    ...     sub = pyo.ConcreteModel()
    ...     sub.x = pyo.Var(list(room), bounds=(0, None))
    ...     sub.all = pyo.Constraint(range(3), rule=lambda m, j: m.x[0, j] + m.x[1, j] >= 1)
    ...     sub.room = pyo.Constraint(list(room), rule=lambda m, i, j: m.x[i, j] <= room[i, j])
    ...     sub.f = pyo.Objective(expr=sum(cost[i][j] * sub.x[i, j] for i, j in room))
    ...     if values[plan.service] >= rp.solve(sub).objective - 1e-7:
    ...         return []
    ...     worth = sum(sub.dual[row] for row in sub.all.values())
    ...     worth += sum(sub.dual[sub.room[i, j]] * plan.opened[i] for i, j in room)
    ...     return [plan.service >= worth]
    >>> run = rp.cutting_planes(plan, cut)
    >>> run.certified, run.objective, run.values[plan.opened[1]]
    (True, 11.0, 1.0)
    """
    if not callable(separate):
        raise OptionError(f"separate {separate!r}: expected a function of the values")
    with driver_settings(settings) as run_settings:
        return _Separation(model, separate, run_settings, whole=whole).run()


class _Separation:
    """The program with the rows so far, as a minimisation problem."""

    def __init__(
        self, model: pyo.ConcreteModel, separate: Separate, settings: RunSettings, *, whole: bool
    ) -> None:
        program, integer = linear_program(model, "model is a {}: cutting planes need")
        self.relaxed = not whole and bool(integer.any())
        self.integer = integer if whole else np.zeros_like(integer)
        self.fractional = bool(self.integer.any())  # while the master is the linear program
        self.model, self.sense, self.separate = model, program.sense, separate
        self.settings = settings
        self.variables, self.constraints = variables_and_rows(model)
        self.live = live_program(program, settings.solver, settings.for_solver(Budget()))
        self.rows: list[Any] = []
        self.read: list[LinearRow] = []
        self.scales: list[float] = []  # of the rows in the master
        self.keys: set[tuple[Any, ...]] = set()  # of the rows in the master
        self.violation = 0.0  # of the rows returned last, relative to their own size
        self.blocked, self.stalls, self.value = False, 0, math.nan
        self.complete = False  # whether the last point violates no row
        self.cut: Reason | None = None  # the limit that ended the last branch and bound
        self.objective: float | None = None
        self.bound: float | None = None
        self.best: FloatArray | None = None  # the separated point that gave the objective
        self.point = MasterPoint(np.full(program.cost.size, np.nan), np.zeros(0), math.nan)

    @property
    def program(self) -> Program:
        """The program with the rows so far, as matrices."""
        return self.live.program

    @property
    def whole_program(self) -> Program:
        """The program with its integers, and with the added rows in the units of the separator.

        Rows of whole or decimal numbers are judged and searched exactly in these units alone.
        """
        program = self.program
        units = np.append(np.ones(len(self.constraints)), 1.0 / np.array(self.scales))
        return replace(
            program,
            integer=self.integer,
            rows=sparse.csr_array(sparse.diags_array(units) @ program.rows),
            row_lower=units * program.row_lower,
            row_upper=units * program.row_upper,
        )

    @property
    def searching(self) -> bool:
        """Whether the master is solved by branch and bound."""
        return bool(self.integer.any()) and not self.fractional

    def run(self) -> CutRun:
        """Run the loop and return its result."""
        sense, loop = self.sense, ModelLoop(self.settings, self.sense)
        # master, separation, new rows, until the gap is closed or no row is violated
        loop.repeat(
            exchange_step(self, self),
            self.settings.gap_reached(),
            Stop(Reason.STALLED, lambda trace: self.blocked),
            Stop(Reason.NO_COLUMN, lambda trace: self.complete),
        )
        # a limit ended the search: that its point meets all rows does not make it optimal
        if loop.reason is Reason.NO_COLUMN and self.cut is not None:
            loop.reason = self.cut
        status = status_of(self.objective, self.bound, self.settings, loop.reason)
        messages = [f"{RELAXED}: for whole values leave whole=False out"] * self.relaxed
        if isinstance(loop.failure, InfeasibleError):
            limits = SolveSettings(time_limit=loop.budget.limit, interrupted=loop.budget.spent)
            proved = infeasibility(self.program, limits) is not None
            status = Status.INFEASIBLE if proved else Status.FAILED
            messages = [f"{loop.failure}: {'' if proved else 'no '}multipliers prove it"]
            if proved and self.objective is not None:
                status = Status.FAILED
                messages.append(
                    f"the separator returned the value {sense * self.objective:.10g} of a point, "
                    "and the rows have none: a row or the value is wrong"
                )
            loop.failure = None
        elif isinstance(loop.failure, UnboundedError):
            status, loop.failure = Status.FAILED, None
            messages = [
                "the program with the rows so far is unbounded, which says nothing of the whole: "
                "bound its variables"
            ]
        elif self.blocked:
            messages = [
                f"the last point violates returned rows by {self.violation:.3g} of their size, and "
                "the program has them already: scale its variables"
            ]
        elif self.best is None or self.objective is None:
            messages.append(
                "no point is known that meets all rows: the values are those of the last relaxation"
            )
        elif not tolerance_met(self.objective, value := self.program.objective(self.best)):
            messages.append(
                "the separator returned this objective, perhaps of another point: the values have "
                f"{sense * value:.10g}"
            )
        elif loop.reason is Reason.NO_COLUMN and status is Status.FEASIBLE:
            messages.append(
                "the last point violates no row, and the bound of its program leaves this gap"
            )
        proof = "solver" if self.searching and status is Status.OPTIMAL else "duals"
        # the model holds the last separated point, which need not be the best one so far
        values = PointValues(
            self.model, self.variables, self.point.x if self.best is None else self.best
        )
        if self.best is not None:
            values.load()
        # rows that were added in the last round have no multiplier yet
        priced = self.point.multipliers[len(self.constraints) :]
        later = np.zeros(len(self.rows) - len(priced))
        return loop.result(
            *(CutRun, self.objective, self.bound),
            status=status,
            message="; ".join(messages),
            rows=tuple(
                # rows that came as arrays become inequalities here
                _inequality(*read.over(self.variables)) if row is None else row
                for row, read in zip(self.rows, self.read, strict=True)
            ),
            multipliers=np.append(sense * priced * self.scales[: len(priced)], later),
            values=values,
            relaxed=self.relaxed,
            proved_by=proof if status in (Status.OPTIMAL, Status.INFEASIBLE) else None,
            _model=self.model,
            _rows=tuple(self.read),
        )

    def add(self, cuts: Cuts | NewColumns) -> None:
        """Append rows to the program."""
        self.live.add(cuts)

    def solve(self, budget: Budget) -> MasterPoint:
        """The solution of the linear program; once its rows are there, the point of branch and
        bound with rounded integers.

        The bound from branch and bound is stored. Multipliers come from the last linear program.
        """
        if not self.searching:
            return self.live.solve(budget)
        program = self.whole_program
        name = self.settings.solver or preferred(program.problem_class)
        # integers within 1e-6, which solvers take, would pass rows with large factors
        solver_settings = self.settings.for_solver(budget, MASTER_TOLERANCE)
        solution = solve_program(program, name, solver_settings)
        # what the search proves of the rows so far bounds the program with all rows, ended or not
        value = math.inf if solution.x is None else program.objective(solution.x)
        if solution.bound is not None:
            self.raise_bound(min(solution.bound, value))
        self.cut = None if solution.claimed_optimal else budget.cut
        if solution.x is None:
            limited = solution.status in (Status.LIMIT, Status.INTERRUPTED)
            if limited and self.cut is not Reason.MAX_ITER:  # which is a limit of the solver
                raise OutOfBudget
            if Status.INFEASIBLE in (solution.status, solution.claim):
                raise InfeasibleError(f"{name} has no point with whole integers")
            raise SolverError(f"{name} returned no point: {solution.message}")
        x, fault = judge_integers(program, solution.x, solved_by_any, solver_settings)
        if x is None:
            raise SolverError(f"{name} returned a point {fault}")
        return MasterPoint(x, self.point.multipliers, program.objective(x))

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts | NewColumns]:
        """The oracle. It returns the bound, the value and the violated rows at a point of the
        current program.
        """
        self.point = point
        # outer approximation: the value of the master, recomputed, is a bound; with whole integers
        # the search has given its own
        if not self.searching:
            bound, _ = dual_bound(self.program, point.multipliers, best=self.objective, x=point.x)
            self.raise_bound(bound)
        # a linear program may have whole values too, up to rounding
        fraction = np.abs(point.x - np.round(point.x))[self.integer]
        is_integer = bool(fraction.max(initial=0.0) <= MASTER_TOLERANCE)
        if is_integer and self.fractional:
            settings = self.settings.for_solver(budget)
            x, _ = judge_integers(self.whole_program, point.x, solved_by_any, settings)
            is_integer = x is not None
            if x is not None:
                self.point = point = replace(point, x=x)
        # rows that the point violates, and the value of a feasible point
        values = PointValues(self.model, self.variables, point.x)
        values.load()  # the model has the values while the separator runs
        with users_code("the separator"):
            answer = _separated(self.separate(values))
        # at a point with fractions it is the value of no whole point
        if answer.value is not None and is_integer:
            self._offer(self.sense * float(answer.value), point.x)
        new = self._new_rows(answer.rows, point.x)
        # an infinite family never lacks rows within the tolerance: count rounds without new values
        unchanged = math.isclose(point.value, self.value, rel_tol=1e-9, abs_tol=1e-12)
        self.stalls = self.stalls + 1 if unchanged and self.violation <= MASTER_TOLERANCE else 0
        self.value = point.value
        # five such rounds in a row end the run
        if self.stalls >= 5:
            new = None
        # no row is violated: the point is feasible for all
        if new is None:
            self.blocked = self.violation > CLAIM_TOLERANCE
            self.complete = is_integer and not self.blocked
            if self.complete and relative_violation(self.program, point.x) <= CLAIM_TOLERANCE:
                value = self.program.objective(point.x)
                self._offer(value, point.x)
                if self.objective is not None and tolerance_met(self.objective, value):
                    self.best = point.x  # rather than the point of a value that is not its own
            self.fractional &= self.blocked or self.complete
        return Answer(self.objective, self.bound, new, {"rows": float(len(self.rows))})

    def raise_bound(self, bound: float) -> None:
        """Store a bound on the program with all rows if it is better than the best so far."""
        if math.isfinite(bound) and (self.bound is None or bound > self.bound):
            self.bound = bound

    def _offer(self, value: float, x: FloatArray) -> None:
        """Store a better objective of a feasible point, and the point x (n,) at which it was
        found.
        """
        if not math.isfinite(value):
            raise SolverError(f"the separator gave a value of {value}, expected a finite number")
        if self.bound is not None and contradictory(value, self.bound):
            raise SolverError(
                f"the separator says that a feasible point has the value {self.sense * value:.10g},"
                f" beyond the bound {self.sense * self.bound:.10g}"
            )
        if self.objective is None or value <= self.objective:
            self.objective, self.best = value, x

    def _matrix_rows(
        self, rows: Sequence[Any] | Cuts
    ) -> tuple[sparse.csr_array, FloatArray, FloatArray]:
        """The rows of an answer as a matrix (t, n) with lower and upper sides (t,)."""
        n = len(self.variables)
        if not isinstance(rows, Cuts):
            try:
                read = [read_row(self.variables, row, "a row of the separator") for row in rows]
            except (CapabilityError, DataError) as error:
                raise SolverError(str(error)) from error
            parts = [row.matrix(n) for row in read] or [sparse.csr_array((0, n))]
            rows = Cuts(
                sparse.vstack(parts, format="csr"),
                np.array([row.lower for row in read]),
                np.array([row.upper for row in read]),
            )
        matrix = sparse.csr_array(rows.matrix, dtype=np.float64, copy=True)
        lower, upper = (np.asarray(side, dtype=np.float64) for side in (rows.lower, rows.upper))
        if matrix.shape != (lower.size, n) or lower.shape != upper.shape or lower.ndim != 1:
            raise SolverError(
                f"the separator gave a matrix of shape {matrix.shape} and sides of shapes "
                f"{lower.shape}, {upper.shape}: expected a row and two sides for each cut, and a "
                f"column for each of the {n} variables"
            )
        sided = np.isfinite(lower) | np.isfinite(upper)
        if not (np.isfinite(matrix.data).all() and (lower <= upper).all() and sided.all()):
            raise SolverError(
                "the separator gave cuts with a coefficient that is not finite, without a finite "
                "side, or with a lower side above the upper one"
            )
        matrix.sum_duplicates()
        return matrix, lower, upper

    def _new_rows(self, rows: Sequence[Any] | Cuts, x: FloatArray) -> Cuts | None:
        """The new rows as matrix rows, scaled so that the largest coefficient is about 1.

        Returns None unless x (n,) violates at least one of them. Raises SolverError if x satisfies
        all rows.
        """
        self.violation = 0.0
        matrix, lower, upper = self._matrix_rows(rows)
        if not len(lower):
            return None
        # how far each row is violated, and what of that is rounding
        activity, terms = matrix @ x, abs(matrix) @ np.abs(x)
        excess = np.maximum(lower - activity, activity - upper)
        side = np.where(lower - activity >= activity - upper, lower, upper)
        rounding = 2.0**-53 * (np.diff(matrix.indptr) + 2.0) * (terms + np.abs(side))
        if excess.max() < -rounding.max():
            raise SolverError(
                f"the separator returned {len(rows)} rows, and its point meets all of them: return "
                "violated rows, or none"
            )
        # a violation is relative to the side of its row, or to its terms, which coefficients bound
        largest = np.zeros(len(lower))
        places = np.repeat(np.arange(len(lower)), np.diff(matrix.indptr))
        np.maximum.at(largest, places, np.abs(matrix.data))
        size = np.maximum(np.abs(side), np.minimum(largest, terms))
        violated = excess > rounding
        self.violation = float((excess[violated] / size[violated]).max(initial=0.0))
        # each row once, and none that the master has: a row is known by its numbers
        parts = [slice(*matrix.indptr[i : i + 2]) for i in range(len(lower))]
        keys = [
            (matrix.indices[part].tobytes(), matrix.data[part].tobytes(), *ends)
            for part, *ends in zip(parts, lower.tolist(), upper.tolist(), strict=True)
        ]
        added = sorted({key: i for i, key in enumerate(keys) if key not in self.keys}.values())
        if not violated[added].any():
            return None
        self.keys.update(keys)
        # a power of two makes the largest coefficient of a row about 1
        scale = 2.0 ** -np.round(np.log2(np.where(largest > 0.0, largest, 1.0)))[added]
        names = tuple(f"cut_{len(self.rows) + i}" for i in range(len(added)))
        self.rows += [None if isinstance(rows, Cuts) else rows[i] for i in added]
        self.read += [
            LinearRow(
                columns=matrix.indices[parts[i]].astype(np.int64),
                coefficients=matrix.data[parts[i]],
                lower=float(lower[i]),
                upper=float(upper[i]),
            )
            for i in added
        ]
        self.scales += scale.tolist()
        scaled = sparse.csr_array(sparse.diags_array(scale) @ matrix[added])
        return Cuts(scaled, scale * lower[added], scale * upper[added], names)


def _inequality(lower: float | None, body: Any, upper: float | None) -> Any:
    """A row as a Pyomo inequality or equality."""
    if lower is not None and upper is not None:
        return body == upper if lower == upper else pyo.inequality(lower, body, upper)
    return body >= lower if upper is None else body <= upper


def _separated(answer: Any) -> Separated:
    """Convert a separator's answer to :class:`Separated`. Raises StoppedError if it is invalid."""
    if answer is None:
        raise StoppedError(
            "the separator gave None, expected inequalities or rp.Separated, [] where nothing is "
            "violated"
        )
    if isinstance(answer, Separated):
        value = answer.value
        if not (value is None or isinstance(value, int | float | np.number)):
            raise StoppedError(f"the separator gave a value of {value!r}, expected a number")
        return Separated(_separated(answer.rows).rows, value)
    if isinstance(answer, Cuts):
        return Separated(answer)
    if isinstance(answer, RelationalExpression):
        return Separated((answer,))
    if isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping)):
        return Separated(tuple(answer))
    kind = type(answer).__name__
    raise StoppedError(f"the separator gave a {kind}, expected inequalities or rp.Separated")
