"""DCA (convex-concave procedure) for any Pyomo model with marked concave parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
import pyomo.environ as pyo
from scipy import linalg, optimize, sparse

from radprog.base.errors import ConvexityError, OptionError, SolverError, SolverMissingError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import CLAIM_TOLERANCE, FREE_SLACK, HIGHS_LEAST
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.drivers.masters import InfeasibleError
from radprog.decompositions.loop import Budget, Record
from radprog.decompositions.own.concave import (
    ConcaveSplit,
    split_concave,
)
from radprog.decompositions.own.result import ModelLoop, OwnRun, driver_settings, hint_of
from radprog.decompositions.run import DriverOptions, RunSettings
from radprog.solvers.answer import complementarity, duality_gap
from radprog.solvers.claims import recovered_multipliers
from radprog.solvers.compile import names_of, plain_name
from radprog.solvers.convexity import check_convex, row_as_cone, square_factor
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import able, preferred
from radprog.solvers.registry import solver as solver_named

CRITICAL_RESIDUAL = 1e-6  # of the conditions of Karush, Kuhn and Tucker, relative

PRICE, DEARER, DEAREST = 1.0, 10.0, 1e5  # of slack: at first, growth, at most


@dataclass(frozen=True, kw_only=True, repr=False)
class DCARun(OwnRun):
    """Result of DCA: the best end point over all starts.

    The point is a local solution, so the bound and the gap are None.

    Attributes
    ----------
    objective, reason, trace, seconds, message
        See :class:`radprog.ColumnRun`.
    status : Status
        ``critical_point`` if ``residual`` is at most 1e-6, otherwise ``feasible``; ``message`` then
        says what may help. Without a
        feasible end point, it is ``limit``, or ``infeasible`` if no point satisfies all rows
        without concave parts.
    residual : float or None
        Residual of the Karush-Kuhn-Tucker conditions at the point, relative to max(1, |objective|).
        It is the sum, over rows and variables, of |multiplier| times the distance to the bound.
    ends : ndarray (starts, 2)
        Objective (in the model's sense of optimisation) and violation at the end point of each
        start.
    points : sequence of mappings
        Values of the variables at the end point of each start, by name.
    violation : float
        Violation at the point, relative to the sizes of the rows.
    values : mapping
        Values of the variables at the point, by name.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(-3, 3), initialize=2.5)
    >>> model.f = pyo.Objective(expr=model.x**2 + rp.concave(-4 * abs(model.x - 1)))
    >>> run = rp.dca(model, starts=3)
    >>> str(run.status), run.ends.shape, round(run.values["x"], 4)
    ('critical_point', (3, 2), -2.0)
    >>> [round(point["x"], 4) for point in run.points]  # of all starts
    [2.0, -2.0, -2.0]
    """

    residual: float | None
    ends: FloatArray
    points: Sequence[Mapping[str, float]]
    values: Mapping[str, float]
    violation: float
    _split: ConcaveSplit = field(repr=False)
    _x: FloatArray = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """The convex subproblem at the point, as a Pyomo model.

        The model has a variable ``concave[k]`` for each marked part. The row ``tangent[k]`` sets
        the variable to the tangent of this part at the point.
        """
        return self._split.tangent_model(self._x)


def dca(
    model: pyo.ConcreteModel,
    *,
    starts: int | Sequence[Mapping[Any, float]] = 1,
    **settings: Unpack[DriverOptions],
) -> DCARun:
    """Minimise a sum of convex and marked concave parts by DCA, which linearises the concave parts.

    Parameters
    ----------
    model : ConcreteModel
        The program, with parts marked by :func:`radprog.concave`. The variables are set to the best
        point. If there is no feasible point, the model is not changed.
    starts : int, or sequence of mappings
        The number of starts. Alternatively, a sequence with one mapping per start, from names (or,
        in a ComponentMap, from variables) to values. Omitted variables have the values of the
        default first start (see Notes).
    **settings
        Settings of :func:`column_generation`. A start ends when its step is at most ``tol`` (1e-8)
        relative to max(1, |x|), or after ``max_iter`` (500) steps. By default, ``solver`` is the
        first installed solver for the class of the convex program.

    Returns
    -------
    DCARun
        The best end point over all starts.

    Raises
    ------
    OptionError
        If no part is marked, or a marked part is in an invalid place.
    CapabilityError
        If the convex part g (see Notes) is not quadratic.
    ConvexityError
        If g is not convex, or a marked part is not concave.
    StoppedError
        If every start fails. The attribute ``run`` of the error contains the best point so far.

    Notes
    -----
    Let the objective be g + h, where g is convex and quadratic, and h is the sum of the marked
    parts. Step k solves the convex program

        x_(k+1) in argmin_x g(x) + h(x_k) + h'(x_k)(x - x_k).

    The objective of this program is at least g + h, with equality at x_k. Therefore g + h never
    increases. The end point is a critical point, but not necessarily a global optimum.

    Constraints g_i(x) + h_i(x) <= b_i get slack variables. The penalty on the slack increases until
    the slack vanishes (penalty convex-concave procedure). The starting point may therefore be
    infeasible.

    The first start uses the values in the model. A variable without a value starts at the midpoint
    of its bounds. A second call therefore continues from the point of the first call. The second
    start is 0, and the other starts are drawn between the bounds with ``seed``. Values beyond a
    bound are moved to the bound.

    A start also ends when its step lowers the objective by at most 1e-13 (relative).

    Every step checks that the objective does not increase. Concavity is checked on matrices, or
    along 64 random lines. If a check fails, the start ends early, and ``message`` reports this.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(-3, 3), initialize=2.0)
    >>> model.f = pyo.Objective(expr=model.x**2 + rp.concave(-4 * abs(model.x - 1)))
    >>> run = rp.dca(model)
    >>> run.status.value
    'critical_point'
    >>> round(run.objective, 4)  # at x = 2
    0.0
    """
    with driver_settings({"tol": 1e-8, "max_iter": 500, **settings}) as chosen:
        return _Descent(split_concave(model), chosen, starts).run()


class _Descent:
    """Starts that descend together. x (B, n) contains the values of the model's own variables."""

    def __init__(
        self,
        parts: ConcaveSplit,
        settings: RunSettings,
        starts: int | Sequence[Mapping[Any, float]],
    ) -> None:
        self.split, self.settings = parts, settings
        parts.check_concave()
        self.ended: dict[int, str] = {}  # starts that ended early, and why
        self.failed: set[int] = set()  # those of them that are no use
        # starting points, at the first price of slack
        points = _starts(parts, starts, settings.seed)
        self.price = np.full(len(points), PRICE)
        if settings.solver is None:  # else a missing solver would hide the error
            check_convex(parts.program)
        # HiGHS regularises quadratic objectives, and Ipopt satisfies quadratic rows less exactly:
        # by default a solver that leaves small residuals
        kind = parts.program.problem_class
        exact = {ProblemClass.QP: "piqp", ProblemClass.QCQP: "clarabel"}.get(kind, "")
        chosen = settings.solver or (exact if exact in able(kind) else preferred(kind))
        self.solver = solver_named(chosen)
        self.checked = settings.solver is None
        # unless a solver is named, small programs are solved without the registry's overhead
        default = settings.solver is None and not settings.solver_options and settings.log is None
        self.small = small_steps(parts) if default else None
        # one batch of all starts
        self.batch = Batch.of(points, self.merit)
        self.descend = dca_step(
            self.batch,
            self.merit,
            self.majorise,
            tolerance=1e-13,  # critical to 1e-6 as a rule
            least_step=settings.tol,
            sandwich=1e-6,  # by which rounding may break f <= model <= previous f
            dropped=self.drop,
        )

    def merit(self, x: FloatArray, rows: IntArray) -> FloatArray:
        """The objective plus the penalty times the slack (b,).

        It is infinite if x violates the convex rows, or if a part is not defined at x.
        """
        return np.array(
            [self._merit(point, price) for point, price in zip(x, self.price[rows], strict=True)]
        )

    def _merit(self, x: FloatArray, price: float) -> float:
        if not self.split.holds(x):
            return np.inf
        point = self.split.point(x)
        return point.objective + price * point.loose

    def majorise(
        self, x: FloatArray, rows: IntArray, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """Minimisers (b, n) and minima (b,) of the convex subproblems at x (b, n).

        If the step of a start fails, the start keeps its point and has no minimum.
        """
        minimisers, values = x.copy(), np.full(len(x), np.nan)
        for i, (row, point) in enumerate(zip(rows.tolist(), x, strict=True)):
            try:
                minimisers[i], values[i] = self._step(point, float(self.price[row]), budget)
                # where a start counts as running off to infinity
                if (largest := float(np.abs(minimisers[i]).max(initial=0.0))) > 1e15:
                    raise SolverError(f"a start runs off to {largest:.3g}: bound the variables")
            except InfeasibleError:
                raise  # every start has these rows
            except SolverError as error:
                self.ended[row], minimisers[i], values[i] = str(error), point, np.nan
                self.failed.add(row)
        return minimisers, values

    def _step(self, point: FloatArray, price: float, budget: Budget) -> tuple[FloatArray, float]:
        """The minimiser (n,) and the minimum of the convex subproblem at a point (n,)."""
        if self.small is not None:
            budget.check()
            # the small step is taken where its value keeps the sandwich, else the ordinary one
            answer = self.small.solve(point, price, self.settings.for_solver(budget))
            merit = self._merit(point, price)
            limit = merit + 0.5 * 1e-6 * max(1.0, abs(merit))
            if answer is not None and answer[1] <= limit:  # else it is not a minimum
                self._check_concave(point, answer[0], answer[2])
                return answer[:2]
        budget.check()
        program, settings = self.split.step(point, price), self.settings.for_solver(budget)
        solution = self.solver.solve(program, settings, assume_convex=self.checked)
        self.checked = True
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        if solution.status is Status.INFEASIBLE:
            raise InfeasibleError(f"the convex rows have no common point, says {solution.solver}")
        if solution.status is Status.UNBOUNDED:
            raise SolverError(
                f"{solution.solver} finds no least value of a convex step, which is nowhere below "
                "the program: bound the variables"
            )
        if solution.x is None or solution.objective is None:
            raise SolverError(f"{solution.solver} failed in a convex step: {solution.message}")
        # the point in its bounds, and whether the parts are concave on the way
        columns = self.split.columns
        minimiser = np.clip(solution.x[columns], program.lower[columns], program.upper[columns])
        self._check_concave(point, minimiser, solution.x[self.split.parts])
        return minimiser, solution.objective

    def drop(self, row: int, message: str) -> None:
        """End a start early. Raises SolverError if all starts failed."""
        self.ended.setdefault(row, message)
        if not np.isfinite(self.batch.objective[row]):
            self.failed.add(row)
        if len(self.failed) == len(self.batch.x):
            raise SolverError(next(iter(self.ended.values())))

    def _check_concave(self, start: FloatArray, x: FloatArray, tangent: FloatArray) -> None:
        """Raise ConvexityError if a part lies above its tangent (k,) at x (n,), or is not concave
        along the step.
        """
        value = self.split.values(x)
        # the tangent of a concave part lies above it
        excess = (value - tangent) / np.maximum(1.0, np.abs(value))
        if excess.max() > 1e-6 and self.split.holds(start):
            k = int(excess.argmax())
            name = self.split.names[k]
            raise ConvexityError(
                f"{name} is marked as concave, and is not: {value[k]:.6g} at a point where its "
                f"tangent is {tangent[k]:.6g}"
            )
        message = self.split.concave.fault_between(start, x)
        if message and self.split.holds(start) and self.split.holds(x):
            raise ConvexityError(message)

    def step(self, iteration: int, budget: Budget) -> Record:
        """One DCA step. A start that ends at an infeasible point continues with a higher
        penalty.
        """
        record = self.descend(iteration, budget)
        # penalty procedure (Lipp and Boyd): a start that ends outside its rows pays more for slack
        slack = [
            0.0 if i in self.failed else self.split.point(x).slack
            for i, x in enumerate(self.batch.x)
        ]
        for row in np.flatnonzero(~self.batch.active):
            if row not in self.ended and slack[row] > CLAIM_TOLERANCE and self.price[row] < DEAREST:
                self.price[row] *= DEARER
                self.batch.objective[row] = self._merit(self.batch.x[row], self.price[row])
                self.batch.active[row] = True
        detail = {**record.detail, "slack": max(slack), "price": float(self.price.max())}
        return replace(record, detail=detail)

    def run(self) -> DCARun:
        """Run the loop and return the best feasible end point."""
        loop = ModelLoop(self.settings, self.split.program.sense)
        loop.repeat(self.step, none_active(self.batch))
        # objective and violation of the model at each end, infinite where a part is not defined
        ends = np.full((len(self.batch.x), 2), np.inf)
        for row, end in enumerate(self.batch.x):
            with suppress(SolverError):
                point = self.split.point(end)
                z = point.z.copy()
                z[self.split.slack] = 0.0
                ends[row] = point.objective, self.split.violation(z)
        # the best end point that meets the rows
        feasible = np.flatnonzero(ends[:, 1] <= CLAIM_TOLERANCE)
        if usable := [row for row in feasible.tolist() if row not in self.failed]:
            feasible = np.array(usable)
        best = int(feasible[ends[feasible, 0].argmin()]) if feasible.size else self.batch.best
        x, objective, residual = self.batch.x[best], None, None
        status, price = Status.LIMIT, float(self.price.max())
        message = (
            f"slack was not driven to zero: {ends[:, 1].min():.3g} is left at a price of {price:g}"
        )
        if feasible.size:
            for variable, value in zip(self.split.variables, x.tolist(), strict=True):
                variable.set_value(value, skip_validation=True)
            objective, status = float(ends[best, 0]), Status.FEASIBLE
            message = "a local end point: other starts may give a better one"
            if loop.reason.premature:
                message = f"stopped by {loop.reason}, before the starts ended: no end point"
            elif loop.failure is None:
                residual = self._residual(x, float(self.price[best]), loop.budget)
                if residual is not None and residual <= CRITICAL_RESIDUAL:
                    status = Status.CRITICAL_POINT
                elif residual is not None:
                    message = (
                        f"not a critical point to {CRITICAL_RESIDUAL:g}: the residual is "
                        f"{residual:.2g}; tighter tolerances in solver_options, or another solver, "
                        "may come closer"
                    )
        if isinstance(loop.failure, InfeasibleError):
            status, loop.failure = Status.INFEASIBLE, None
        if self.ended:
            row, cause = next(iter(self.ended.items()))
            summary = f"{len(self.ended)} of {len(self.price)} starts ended early"
            message += f"; {summary}, start {row}: {cause}"
        names = names_of(self.split.variables)
        points = [dict(zip(names, end.tolist(), strict=True)) for end in self.batch.x]
        return loop.result(
            *(DCARun, objective, None),
            status=status,
            message=message,
            residual=residual,
            ends=ends * np.array([loop.sense, 1.0]),
            points=points,
            values=points[best],
            violation=float(ends[best, 1]),
            _split=self.split,
            _x=x,
        )

    def _residual(self, x: FloatArray, price: float, budget: Budget) -> float | None:
        """The residual of the Karush-Kuhn-Tucker conditions at x (n,), or None if it cannot be
        computed.

        For small programs, the multipliers are computed by least squares. If the residual is not at
        most 1e-6, the multipliers come from the linearised convex subproblem over a box around x.
        """
        if self.small is not None:
            residual = self.small.residual(x, price)
            if residual is not None and residual <= CRITICAL_RESIDUAL:
                return residual
        try:
            program = self.split.step(x, price)
        except SolverError:  # a part without a derivative
            return None
        z = self.split.point(x).z.copy()
        z[self.split.slack] = 0.0
        settings = replace(self.settings.for_solver(budget), tol=HIGHS_LEAST)
        multipliers = recovered_multipliers(program, z, settings)
        if multipliers is None:
            return None
        # the variable of a part has no bounds, so that its reduced cost must be 0: this gives the
        # multipliers of the tangents, which are the last rows
        free = program.reduced_costs(z, multipliers)[self.split.parts]
        multipliers[len(multipliers) - len(free) :] += free
        reduced = program.reduced_costs(z, multipliers)
        gap = duality_gap(program, z, multipliers, reduced)
        return gap / max(1.0, abs(program.objective(z)))


def _starts(
    parts: ConcaveSplit, starts: int | Sequence[Mapping[Any, float]], seed: int
) -> FloatArray:
    """The starting points (B, n)."""
    variables = parts.variables
    lower, upper = parts.program.lower[parts.columns], parts.program.upper[parts.columns]
    low, high = parts.box
    middle = (low + high) / 2.0
    # values in the model, else the middle of the bounds
    values = [m if v.value is None else v.value for v, m in zip(variables, middle, strict=True)]
    first = np.array(values, dtype=np.float64)
    if isinstance(starts, int | np.integer):
        if not 1 <= starts <= 100_000:
            raise OptionError(f"starts {starts}: expected 1 to 100000")
        rng = np.random.default_rng(seed)
        drawn = rng.uniform(low, high, size=(max(0, starts - 2), len(first)))
        return np.clip(np.vstack([first, 0.0 * first, drawn])[:starts], lower, upper)
    mapped: Any = starts
    is_list = isinstance(mapped, Iterable) and not isinstance(mapped, str | Mapping)
    if not (is_list and all(isinstance(start, Mapping) for start in mapped)):
        raise OptionError("starts: expected a number, or mappings from variables to values")
    # mappings from variables or names
    place: dict[Any, int] = {plain_name(name): j for j, name in enumerate(names_of(variables))}
    place |= {id(variable): j for j, variable in enumerate(variables)}
    points = []
    for start in starts:
        point = first.copy()
        for variable, value in start.items():
            text = isinstance(variable, str)
            key = plain_name(variable) if text else id(variable)
            name = getattr(variable, "name", variable)
            if key not in place:
                hint = "" if text else hint_of(variable)
                raise OptionError(f"starts: {name} is no free variable of the model{hint}")
            try:
                point[place[key]] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise OptionError(f"starts: {name} is {value!r:.40}, expected a number") from None
        points.append(point)
    if not points:
        raise OptionError("starts: expected at least one")
    return np.clip(np.array(points), lower, upper)


def small_steps(split: ConcaveSplit) -> SmallSteps | None:
    """The steps of a small quadratic program if Clarabel is installed; otherwise None."""
    program, kinds = split.program, (ProblemClass.QP, ProblemClass.QCQP)
    small = program.rows.shape[0] * program.cost.size <= 200_000  # entries of a dense matrix
    if not small or program.problem_class not in kinds:
        return None
    try:
        adapter = solver_named("clarabel").adapter()
    except SolverMissingError:
        return None
    return SmallSteps(split, adapter)


class SmallSteps:
    """The convex steps of a small program over (x, s), as dense matrices solved by Clarabel. Every
    t_k is replaced by offset_k + slope_k'x.

    For small programs, the code around a solver takes more time than the solver itself. For those
    in ``benchmarks/dc_programs.py``, the processor times with these steps (without them) are: qp
    0.006 s (0.026 s), capped 0.013 s (0.081 s), bus 0.007 s (0.168 s).
    """

    def __init__(self, split: ConcaveSplit, adapter: Any) -> None:
        self.split, self.adapter = split, adapter
        # the step over (x, s): rows, bounds and the price of slack
        program, columns, slack = split.program, split.columns, split.slack
        rows = program.rows.toarray()
        self.columns = np.r_[columns, slack]
        self.base = rows[:, self.columns]
        self.weights = rows[:, split.parts]
        room = np.where(split.loose, FREE_SLACK, 0.0)
        self.low, self.high = program.row_lower - room, program.row_upper + room
        self.lower, self.upper = program.lower[self.columns], program.upper[self.columns]
        size = len(self.columns)
        Q = np.zeros((size, size))
        if program.quadratic is not None:
            Q = program.quadratic.toarray()[np.ix_(self.columns, self.columns)]
        self.Q, self.P = Q, sparse.csc_matrix(np.triu(Q))
        # linear rows by their kind, bounds as rows
        linear = np.ones(len(self.low), dtype=np.bool_)
        linear[list(program.quadratic_rows)] = False
        equal = linear & (self.low == self.high)
        self.equal = np.flatnonzero(equal)
        self.above = np.flatnonzero(linear & ~equal & np.isfinite(self.high))
        self.below = np.flatnonzero(linear & ~equal & np.isfinite(self.low))
        top, bottom = np.isfinite(self.upper), np.isfinite(self.lower)
        unit = np.eye(size)
        self.bounds = np.vstack([unit[top], -unit[bottom]])
        self.bound_sides = np.concatenate([self.upper[top], -self.lower[bottom]])
        self.cost, self.prices = program.cost[self.columns], program.cost[split.parts]
        self.constant = program.constant
        self.matrices = [
            (row, matrix.toarray()[np.ix_(self.columns, self.columns)])
            for row, matrix in program.quadratic_rows.items()
        ]
        # a quadratic row by its sign, written as <=, and its factor
        signs = np.where(np.isfinite(program.row_upper), 1.0, -1.0).tolist()
        self.squares = [
            (row, signs[row], square_factor(signs[row] * matrix)) for row, matrix in self.matrices
        ]
        self.has_tangents = bool(self.weights.any())  # whether rows contain tangents
        self._cones: tuple[sparse.csc_matrix, FloatArray, list[int]] | None = None

    def _tangent(self, x: FloatArray, price: float) -> tuple[FloatArray, ...]:
        """The step min cost'(x, s) over low <= A (x, s) <= high, and its tangents at x (n,).

        Returns A, low, high, cost, and the slopes and offsets of the tangents.
        """
        slopes, offsets = self.split.tangents(x)
        n = len(x)
        # each t_k is offset_k + slope_k'x: its column moves to those of x
        A = self.base.copy()
        A[:, :n] += self.weights @ slopes
        shift = self.weights @ offsets
        cost = self.cost.copy()
        cost[:n] += self.prices @ slopes
        cost[n:] = price
        return A, self.low - shift, self.high - shift, cost, slopes, offsets

    def residual(self, x: FloatArray, price: float) -> float | None:
        """The residual of the Karush-Kuhn-Tucker conditions at x (n,) without slack.

        The multipliers are computed by least squares. Returns None if this fails.
        """
        A, low, high, cost, _, offsets = self._tangent(x, price)
        z = np.append(x, np.zeros(len(self.columns) - len(x)))
        activity = A @ z
        for row, matrix in self.matrices:
            A[row] += matrix @ z
            activity[row] += 0.5 * float(z @ (matrix @ z))
        # rows and bounds that are active, to a relative distance of 1e-6, may have a multiplier
        margin, reach = 1e-6 * np.maximum(1.0, np.abs(activity)), 1e-6 * np.maximum(1.0, np.abs(z))
        multipliers = _multipliers(A, cost + self.Q @ z, (
            activity - low <= margin, high - activity <= margin,
            z - self.lower <= reach, self.upper - z <= reach,
        ))  # fmt: skip
        if multipliers is None:
            return None
        value = float(cost @ z + 0.5 * z @ self.Q @ z + self.prices @ offsets) + self.constant
        gap = complementarity(multipliers[0], activity, low, high)
        gap += complementarity(multipliers[1], z, self.lower, self.upper)
        return gap / max(1.0, abs(value))

    def solve(
        self, x: FloatArray, price: float, settings: SolveSettings
    ) -> tuple[FloatArray, float, FloatArray] | None:
        """The minimum of the step at x (n,): the point (n,), its value, and its tangents (k,).

        Returns None if Clarabel does not report the step as solved.
        """
        A, low, high, cost, slopes, offsets = self._tangent(x, price)
        # without tangents in rows the cones stay the same
        if self._cones is None or self.has_tangents:
            # zeros, nonnegative numbers, one second-order cone a quadratic row
            blocks = [A[self.equal], A[self.above], -A[self.below], self.bounds]
            sides = [high[self.equal], high[self.above], -low[self.below], self.bound_sides]
            counts = [len(self.equal), len(self.above) + len(self.below) + len(self.bound_sides)]
            for row, sign, factor in self.squares:
                bound = float(high[row] if sign > 0 else -low[row])
                block, side = row_as_cone(sign * A[row], bound, factor)
                blocks.append(block)
                sides.append(side)
                counts.append(len(side))
            matrix = sparse.csc_matrix(np.vstack(blocks))
            self._cones = matrix, np.concatenate(sides), counts
        y = self.adapter.minimum(self.P, cost, *self._cones, settings)
        if y is None:
            return None
        y = np.clip(y, self.lower, self.upper)
        value = float(cost @ y + 0.5 * y @ self.Q @ y + self.prices @ offsets) + self.constant
        return y[: len(x)], value, offsets + slopes @ y[: len(x)]


def _multipliers(
    rows: FloatArray, gradient: FloatArray, sides: Sequence[BoolArray]
) -> tuple[FloatArray, FloatArray] | None:
    """Multipliers y (m,) of the rows (m, n) and reduced costs (n,) by least squares.

    The multipliers minimise the residual of the gradient (n,) of the objective. ``sides`` marks the
    rows and variables at their lower and upper sides. Returns None if the least-squares problem
    cannot be solved.
    """
    # rows that are active on both sides have multipliers of either sign: by QR
    two_sided = sides[0] & sides[1]
    low, high, left, right = sides[0] & ~two_sided, sides[1] & ~two_sided, sides[2], sides[3]
    unit = np.eye(len(gradient))
    equalities = rows[two_sided].T
    try:
        orthogonal, triangle, order = linalg.qr(equalities, pivoting=True)
        sizes = np.abs(np.diagonal(triangle))
        # reciprocal condition up to which columns depend on each other
        rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
        null, basis = orthogonal[:, rank:], orthogonal[:, :rank]
        # multipliers of one-sided rows: nonnegative least squares in the null space of these
        inequalities = np.vstack([rows[low], -rows[high], unit[left], -unit[right]])
        multipliers = np.zeros(len(inequalities))
        if null.size and len(inequalities):  # nnls ends the process where there is nothing to do
            multipliers, _ = optimize.nnls(null.T @ inequalities.T, null.T @ gradient)
        remainder = gradient - inequalities.T @ multipliers
        equal = np.zeros(equalities.shape[1])
        equal[order[:rank]] = linalg.solve_triangular(triangle[:rank, :rank], basis.T @ remainder)
    except (RuntimeError, linalg.LinAlgError):
        return None
    y, count = np.zeros(len(rows)), int(low.sum())
    y[two_sided] = equal
    y[low] = multipliers[:count]
    y[high] = -multipliers[count : count + int(high.sum())]
    return y, gradient - rows.T @ y
