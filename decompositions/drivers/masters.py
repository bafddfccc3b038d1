"""Restricted masters. In HiGHS, they stay in memory between rounds. For other solvers that return
duals, they are rebuilt.

``LiveProgram`` is a linear program in HiGHS to which rows and columns are appended. Each solve
starts from the last basis. ``HighsMaster`` holds dense cuts, in units that preserve the digits of
tiny optima and large entries.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import OutOfBudget, poll
from radprog.base.tolerances import CLAIM_TOLERANCE, MASTER_TOLERANCE, ROW_ROUNDING
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.solvers.adapters.highs import (
    STATUS,
    Compressed,
    Highs,
    accepted,
    new_highs,
    pass_program,
    renewed,
    set_option,
)
from radprog.solvers.certificate import Priced
from radprog.solvers.claims import unbounded_ray
from radprog.solvers.dense.linear_systems import ROUNDED, refining
from radprog.solvers.program import SOLVER_DEFAULTS, ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import solve_program
from radprog.solvers.registry import solver as solver_named
from radprog.solvers.violations import bound_scale

DUAL, PRIMAL = 1, 4  # HiGHS's numbers of its simplex methods
BASIC = highspy.HighsBasisStatus.kBasic
AT_UPPER = highspy.HighsBasisStatus.kUpper
SMALL_POINT = 1e-2  # rescale when no variable of the scaled master is larger than this


def run_live(highs: Highs) -> Highs:
    """Solve a live program from its last basis, and return the object with the answer."""
    highs = renewed(highs) if highs.failed else highs
    highs.run()
    return recover_solution(highs)


def recover_solution(highs: Highs) -> Highs:
    """The object with the answer to a live program that ``highs`` has just solved.

    If HiGHS failed or claims that there is no optimum, the program is solved once more by a new
    object, without a basis. Nearly equal rows may cause both. After a second failure, the primal
    simplex method is used. A failed object must not run again.
    """
    final = {Status.OPTIMAL, Status.LIMIT, Status.INTERRUPTED}
    for strategy in (DUAL, PRIMAL):
        if STATUS[highs.getModelStatus()] in final:
            break
        highs = renewed(highs)
        set_option(highs, "simplex_strategy", strategy)
        highs.run()
        # a claim, such as infeasible, is left to the caller
        final = {*STATUS.values()} - {Status.FAILED}
        set_option(highs, "simplex_strategy", DUAL)
    return highs


def solution_of(highs: Highs, place: str) -> Any:
    """The optimal point that HiGHS found for the program ``place``.

    If there is none, raises OutOfBudget after an interrupt, and SolverError otherwise.
    """
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        return highs.getSolution()
    if STATUS[status] is Status.INTERRUPTED:
        raise OutOfBudget
    word = highs.modelStatusToString(status)
    raise SolverError(f"HiGHS stopped in {place} with status '{word}'")


class HighsMaster:
    """The master min cost'x, lower <= x <= upper in HiGHS, to which cuts are added.

    The dual simplex method restarts from the last basis. This basis remains dual feasible when rows
    are added.

    The variables in HiGHS are v = x / (scale units). The scale makes absolute tolerances suitable
    even for a tiny optimum. A row with large entries is divided by a power of two.
    The units (n,) are 1 unless HiGHS fails; then they scale the columns of the cuts to similar
    sizes. ``cost``, ``upper`` and ``lower`` have shape (n,). ``lower`` is 0 by default, and bounds
    may be infinite. ``settings`` contains threads, seed, options and log. The time limit of a solve
    comes from its budget.
    """

    #: Entries of the cuts above which reduced programs are solved, in a master that does so.
    sifting_size = math.inf

    def __init__(
        self,
        cost: FloatArray,
        upper: FloatArray,
        settings: SolveSettings = SOLVER_DEFAULTS,
        lower: FloatArray | None = None,
    ) -> None:
        self.cost, self.upper = cost, upper
        self.lower = np.zeros(len(cost)) if lower is None else lower
        self.scale, self._units = 1.0, np.ones(len(cost))
        self._cuts: list[Cuts] = []
        self._large = False  # whether reduced programs are solved, and HiGHS does not hold the cuts
        self._factors: list[FloatArray] = []
        self._start_basis: tuple[list[Any], list[Any]] | None = None
        self._settings = replace(settings, tol=MASTER_TOLERANCE)
        # the dual simplex method restarts where rows were added; rows come scaled, and where other
        # units are needed HiGHS scales too (L1Linear with features of 1e6: certified by that alone)
        box = boxed_program(cost, self.lower, upper)
        self._live = LiveProgram(box, self._settings, simplex_scale_strategy=0)
        self.version = str(self._live.highs.version())

    def add(self, cuts: Cuts) -> None:
        """Append cuts. Raises SolverError if HiGHS rejects their coefficients or bounds."""
        self._cuts.append(cuts)
        self._large = sum(map(len, self._cuts)) * len(self.cost) > self.sifting_size
        if self._large:
            return
        # in units of v, rows with large entries divided
        matrix = cuts.matrix * (self.scale * self._units)
        self._factors.append(factors := row_factors(matrix))
        rows = sparse.csr_array(matrix / factors[:, None])
        self._live.add(Cuts(rows, cuts.lower / factors, cuts.upper / factors))
        if self._start_basis is not None:
            columns, statuses = self._start_basis
            self._start_basis = columns, [*statuses, *[BASIC] * len(cuts)]

    def basis(self) -> tuple[list[Any], list[Any]]:
        """The basis statuses of the columns and of the cuts. Positive scaling does not change them.

        Before a solve, these are the given statuses, because HiGHS changes a basis that is singular
        in its units.
        """
        if self._large:
            return self._sifted_basis()
        if self._start_basis is not None:
            return self._start_basis
        basis = self._live.highs.getBasis()
        return list(basis.col_status), list(basis.row_status)

    def hot_start(self, columns: list[Any], cuts: list[Any]) -> None:
        """Start the next solve from these basis statuses, one per column and per cut."""
        if self._large:
            self._sift_from(columns, cuts)
            return
        # HiGHS changes a basis that is singular in its units: it is remembered as passed
        self._start_basis = columns, cuts
        # the basis is passed as HiGHS statuses
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = columns, cuts
        basis.valid = True
        self._live.highs.setBasis(basis)

    # a large master (SiftedMaster) solves reduced programs with these
    _sift: Callable[[Budget], MasterPoint]
    _sifted_basis: Callable[[], tuple[list[Any], list[Any]]]
    _sift_from: Callable[[list[Any], list[Any]], None]

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve from the last basis. Raises OutOfBudget, or SolverError for any status other than
        optimal.
        """
        if self._large:
            return self._sift(budget)
        self._start_basis, rescaled, failed = None, 0, False
        while True:
            basis = None
            try:
                point = self._live.solve(budget)
            except (InfeasibleError, UnboundedError):
                raise
            except SolverError:
                if failed or not self._cuts:
                    raise
                # entries of all orders of magnitude: in units in which the largest of a column is 1
                units, _ = equilibrated(self._joined()[0])
                self._units, self.scale, failed = units / units.max(), 1.0, True
            else:
                # where the optimum is tiny, once more with x in units in which it is about 1
                largest = float(np.max(np.abs(point.x), initial=0.0))
                if rescaled == 8 or not 0.0 < largest < SMALL_POINT:
                    break
                basis = self._live.highs.getBasis()
                self.scale, rescaled, failed = self.scale * largest, rescaled + 1, False
            # a new program in these units
            units, cost = self.scale * self._units, self.cost * self._units / self._units.max()
            box = boxed_program(cost, self.lower / units, self.upper / units)
            self._live, self._factors = LiveProgram(box, self._settings), []
            before, self._cuts = self._cuts, []
            for cuts in before:
                self.add(cuts)
            if basis is not None:
                self._live.highs.setBasis(basis)
        # back to the units of the program
        x = point.x * (self.scale * self._units)
        multipliers = point.multipliers * (self.scale * self._units.max())
        if self._factors:
            multipliers /= np.concatenate(self._factors)
        return MasterPoint(x, multipliers, float(self.cost @ x))

    def _joined(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """All cuts: matrix (t, n), lower and upper (t,)."""
        parts = zip(*((cuts.matrix, cuts.lower, cuts.upper) for cuts in self._cuts), strict=True)
        matrix, lower, upper = (np.concatenate(part) for part in parts)
        return matrix, lower, upper

    def refine(self, budget: Budget) -> None:
        """Continue from the last basis, after scaling that makes the largest entries, sides and
        costs about 1.

        Without this scaling, the tolerance may be a large fraction of the side of a row. If HiGHS
        fails, or if there are too many entries, the last basis is kept.
        """
        # a master of more entries is not solved in other units
        if not 0 < sum(map(len, self._cuts)) * len(self.cost) <= (10**7):
            return
        # equilibrate the rows and columns, then the sides and the costs
        matrix, lower, upper = self._joined()
        units, sizes = equilibrated(matrix)
        sides = np.abs(sizes * np.concatenate([[lower], [upper]]))
        length = sides[np.isfinite(sides)].max(initial=0.0) or 1.0
        cost, factors = self.cost * units, sizes / length
        low, high = (bound / (units * length) for bound in (self.lower, self.upper))
        # a separate master in these units, started from the last basis
        scaled = HighsMaster(cost / np.abs(cost).max(), high, self._settings, low)
        scaled.add(Cuts(sizes[:, None] * matrix * units, lower * factors, upper * factors))
        # the basis has no units: it goes there and back
        scaled.hot_start(*self.basis())
        with suppress(SolverError):
            scaled.solve(budget)
            self.hot_start(*scaled.basis())

    def vertex(self) -> MasterPoint | None:
        """The vertex of the last basis, without tolerances, or None if the basis is missing or
        singular.

        It is computed by one LU factorisation of the basis matrix, with residuals in extended
        precision. The solution is then accurate to the last digits.
        """
        if not self._cuts:
            return None
        columns, rows = self.basis()
        status = np.array([int(word) for word in columns])
        row_status = np.array([int(word) for word in rows])
        matrix, lower, upper = self._joined()
        basic, active = status == int(BASIC), row_status != int(BASIC)
        if basic.sum() != active.sum():
            return None
        # nonbasic variables are at their bounds
        x = np.where(status == int(AT_UPPER), self.upper, self.lower)
        x[basic] = 0.0
        side = np.where(row_status == int(AT_UPPER), upper, lower)[active]
        fixed = matrix[np.ix_(active, ~basic)].astype(np.longdouble) @ x[~basic]
        # B x = side - fixed for the basic variables, with sides that rounding moves towards 0
        square, cost = matrix[np.ix_(active, basic)], self.cost[basic]
        solve = refining(square)
        x[basic] = solve(side - fixed)
        doubt = ROUNDED * (np.abs(matrix[active]) @ np.abs(x))
        side = side - np.sign(side) * np.minimum(doubt, 0.5 * np.abs(side))
        x[basic] = solve(side - fixed)
        # B'y = cost for the multipliers, with costs lowered by rounding
        solve, multipliers = refining(square.T), np.zeros(len(lower))
        priced = solve(cost)
        multipliers[active] = solve(cost - ROUNDED * (np.abs(priced) @ np.abs(square)))
        if not (np.isfinite(x[basic]).all() and np.isfinite(multipliers).all()):
            return None
        return MasterPoint(x, multipliers, float(self.cost @ x))


def row_factors(matrix: FloatArray) -> FloatArray:
    """The powers of two (r,) by which rows with large entries are divided."""
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    # above 2^16, the rounding errors of a scaled row exceed the tolerance
    return np.asarray(np.exp2(np.ceil(np.log2(np.maximum(largest / 2.0**16, 1.0)))))


def equilibrated(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Powers of two for columns (n,) and rows (r,).

    After multiplication by these powers, the largest entry of each column and row is about 1.
    """
    sizes = np.abs(matrix)
    units, factors = np.ones(matrix.shape[1]), np.ones(len(matrix))
    for _ in range(10):  # passes over the rows and columns of an ill-scaled master
        poll()
        # geometric scaling (Ruiz): divide rows, then columns, by the root of their largest entry
        rows = np.sqrt(sizes.max(axis=1, initial=0.0))
        rows[rows == 0.0] = 1.0
        sizes /= rows[:, None]
        columns = np.sqrt(sizes.max(axis=0, initial=0.0))
        columns[columns == 0.0] = 1.0
        sizes /= columns
        units, factors = units / columns, factors / rows
    return np.exp2(np.round(np.log2(units))), np.exp2(np.round(np.log2(factors)))


class InfeasibleError(SolverError):
    """The solver reported that the program has no feasible point."""


class UnboundedError(SolverError):
    """The program is unbounded, and a ray proves this."""


@dataclass(frozen=True)
class NewColumns:
    """New variables: their coefficients ``matrix`` (m, t) in the rows, by columns, their costs and
    bounds (t,), and their names, if they have some.
    """

    matrix: Any  # of scipy, or Compressed
    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.cost)


class Entries:
    """A sparse matrix (m, n) to which columns are appended, and its products.

    Its products are sums over the entries: on small masters, those of scipy's matrices take five
    times the seconds, and appending a column copies the matrix.
    """

    def __init__(self, matrix: Any) -> None:
        self.m, self.n = matrix.shape
        csc = sparse.csc_array(matrix)
        self._size = csc.nnz
        self._rows, self._values = csc.indices.astype(np.intp), csc.data.astype(np.float64)
        self._columns = np.repeat(np.arange(self.n), np.diff(csc.indptr))
        self.count = np.diff(csc.indptr).astype(np.float64)

    def append(self, matrix: sparse.csc_array | Compressed) -> None:
        """Append columns."""
        size, added = self._size, matrix.nnz
        if size + added > len(self._rows):
            room = np.zeros(size + 2 * added)
            self._rows = np.append(self._rows[:size], room.astype(np.intp))
            self._columns = np.append(self._columns[:size], room.astype(np.intp))
            self._values = np.append(self._values[:size], room)
        lengths = matrix.indptr[1:] - matrix.indptr[:-1]
        part = slice(size, size + added)
        self._rows[part], self._values[part] = matrix.indices, matrix.data
        self._columns[part] = np.arange(self.n, self.n + len(lengths)).repeat(lengths)
        self.count = np.concatenate([self.count, lengths])
        self._size, self.n = size + added, self.n + len(lengths)

    def take(self, columns: BoolArray) -> Entries:
        """Some of the columns."""
        part, (rows, places, values) = copy.copy(self), self.parts
        included, part.count = columns[places], self.count[columns]
        part._rows, part._values = rows[included], values[included]
        part.n, part._size = len(part.count), len(part._rows)
        part._columns = np.arange(part.n).repeat(part.count.astype(np.intp))
        return part

    def compressed(self) -> Compressed:
        """The entries as those of columns."""
        starts = np.concatenate([[0.0], self.count]).cumsum().astype(np.int32)
        return Compressed(starts, self._rows[: self._size], self._values[: self._size])

    @property
    def parts(self) -> tuple[Any, Any, FloatArray]:
        """The rows, columns and values of the entries, by columns."""
        return self._rows[: self._size], self._columns[: self._size], self._values[: self._size]

    def matrix(self) -> sparse.csr_array:
        """The matrix of scipy."""
        rows, columns, values = self.parts
        return sparse.csr_array((values, (rows, columns)), shape=(self.m, self.n))

    def priced(self, cost: FloatArray, y: FloatArray) -> Priced:
        """The reduced costs of the columns at multipliers y (m,)."""
        rows, columns, values = self.parts
        products = values * y[rows]
        reduced: FloatArray = cost - np.bincount(columns, products, self.n)
        terms: FloatArray = np.abs(cost) + np.bincount(columns, np.abs(products), self.n)
        return Priced(y, reduced, terms, self.count)

    def meet(
        self,
        x: FloatArray,
        row_lower: FloatArray,
        row_upper: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
    ) -> bool:
        """Whether the :func:`radprog.solvers.violations.relative_violation` of a linear program at
        x (n,) is at most 1e-6.
        """
        rows, columns, values = self.parts
        products = values * x[columns]
        activity = np.bincount(rows, products, self.m)
        # at a glance: no scale of a bound is below 1, and none of a row below its least entry
        excess = np.maximum(row_lower - activity, activity - row_upper).max(initial=0.0)
        outside = np.maximum(lower - x, x - upper).max(initial=0.0)
        smallest = np.abs(values).min(initial=1.0)
        if outside <= CLAIM_TOLERANCE and excess <= CLAIM_TOLERANCE * smallest:
            return True
        sizes, noise = np.zeros(self.m), np.bincount(rows, np.abs(products), self.m) * ROW_ROUNDING
        np.maximum.at(sizes, rows, np.abs(values) * np.maximum(1.0, np.abs(x))[columns])
        sizes[sizes == 0.0] = 1.0
        parts = (
            (row_lower - activity - noise) / bound_scale(row_lower, sizes),
            (activity - row_upper - noise) / bound_scale(row_upper, sizes),
            (lower - x) / bound_scale(lower),
            (x - upper) / bound_scale(upper),
        )
        return max(float(part.max(initial=0.0)) for part in parts) <= CLAIM_TOLERANCE


def boxed_program(cost: FloatArray, lower: FloatArray, upper: FloatArray) -> Program:
    """The program min cost'x over a box, without rows; all arrays have shape (n,)."""
    n = len(cost)
    return Program(
        cost=cost,
        rows=sparse.csr_array((0, n)),
        row_lower=np.zeros(0),
        row_upper=np.zeros(0),
        lower=lower,
        upper=upper,
    )


def extend_program(program: Program, part: Cuts | NewColumns) -> Program:
    """The program with rows or columns appended."""
    size = len(part)
    if not size:
        return program
    if isinstance(part, Cuts):
        names = part.names or [f"cut({program.row_lower.size + i})" for i in range(size)]
        return program.with_rows(part.matrix, part.lower, part.upper, names)
    parts = part.matrix.data, part.matrix.indices, part.matrix.indptr
    matrix = sparse.csc_array(parts, shape=(program.row_lower.size, size))
    return program.with_columns(matrix, part.cost, part.lower, part.upper, names=part.names)


class LiveProgram:
    """A linear ``program`` in HiGHS, with ``options`` that those of the user override. Each
    solve starts from the last basis.
    """

    def __init__(
        self, program: Program, settings: SolveSettings = SOLVER_DEFAULTS, **options: int
    ) -> None:
        self._added, self._budget = list[Cuts | NewColumns](), Budget()
        # presolve would lose the basis; HiGHS polls the budget of the current solve
        live = replace(
            settings,
            tol=settings.tol or MASTER_TOLERANCE,
            time_limit=None,
            interrupted=lambda: self._budget.spent(),
        )
        self.highs = new_highs(live, presolve="off", solver="simplex", **options)
        self.replace(program)

    def replace(self, program: Program, columns: NewColumns | None = None) -> None:
        """Solve another program from now on, from nothing; of one without columns, with these."""
        self._program, self._added = program, [] if columns is None else [columns]
        part = program if columns is None else columns
        self._cost = part.cost.copy()
        self._lower, self._upper = part.lower.copy(), part.upper.copy()
        if self.highs.failed:
            self.highs = renewed(self.highs)
        pass_program(self.highs, program, columns)
        set_option(self.highs, "simplex_strategy", DUAL)

    @property
    def program(self) -> Program:
        """The program with all appended rows and columns, assembled on demand."""
        for part in self._added:
            self._program = extend_program(self._program, part)
        self._added.clear()
        program = self._program
        for target, values in (
            (program.cost, self._cost),
            (program.lower, self._lower),
            (program.upper, self._upper),
        ):
            target[:] = values
        return self._program

    def add(self, cuts: Cuts | NewColumns) -> None:
        """Append rows or columns. Raises SolverError if HiGHS rejects their coefficients or
        bounds.
        """
        self._added.append(cuts)
        # rows and columns travel in compressed form
        rows, part, size = isinstance(cuts, Cuts), cuts.matrix, len(cuts)
        parts = part.indptr[:-1], part.indices, part.data
        if isinstance(cuts, Cuts):
            status = self.highs.addRows(size, cuts.lower, cuts.upper, part.nnz, *parts)
        else:
            status = self.highs.addCols(size, cuts.cost, cuts.lower, cuts.upper, part.nnz, *parts)
            self._cost = np.concatenate([self._cost, cuts.cost])
            self._lower = np.concatenate([self._lower, cuts.lower])
            self._upper = np.concatenate([self._upper, cuts.upper])
        accepted(status, "new rows" if rows else "new columns", part.data)
        # the last basis stays dual feasible beside new rows, primal feasible beside new columns
        set_option(self.highs, "simplex_strategy", DUAL if rows else PRIMAL)

    def reprice(self, columns: slice, cost: FloatArray) -> None:
        """Change the costs of columns."""
        places = np.arange(len(self._cost), dtype=np.int32)[columns]
        changed = cost != self._cost[columns]
        self._cost[columns] = cost
        places, cost = places[changed], cost[changed]
        if len(places):
            accepted(self.highs.changeColsCost(len(places), places, cost), "new costs", cost)

    def bound(self, columns: slice, lower: FloatArray, upper: FloatArray) -> None:
        """Change the bounds of columns. The last basis remains dual feasible."""
        places = np.arange(len(self._cost), dtype=np.int32)[columns]
        changed = (lower != self._lower[columns]) | (upper != self._upper[columns])
        self._lower[columns], self._upper[columns] = lower, upper
        places, lower, upper = places[changed], lower[changed], upper[changed]
        if len(places):
            status = self.highs.changeColsBounds(len(places), places, lower, upper)
            accepted(status, "new bounds", upper)
        set_option(self.highs, "simplex_strategy", DUAL)

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the program from the last basis. Raises OutOfBudget, InfeasibleError,
        UnboundedError, or SolverError if HiGHS fails.
        """
        if not len(self._cost):
            low, high = self.program.row_lower, self.program.row_upper
            if max(low.max(initial=0.0), -high.min(initial=0.0)) > 0.0:
                raise InfeasibleError("the program has no variable, and a row that does not hold")
            return MasterPoint(np.zeros(0), np.zeros(low.size), self.program.constant)
        self._budget = budget
        if self.highs.failed:
            self.highs = renewed(self.highs)
        # a small run ends in milliseconds, and a limit is looked at before it: an event for each
        # iteration, and signals held until the end, are 15 % of a node (myciel4: 5.9 and 5.0 ms)
        budget.check()
        self.highs.hear(self.highs.getNumNz() > 1e4)
        self.highs.run()  # as run_live, with one frame less above HiGHS
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.highs = recover_solution(self.highs)
            status = STATUS[self.highs.getModelStatus()]
            # "infeasible" is believed here, as the caller proves it; "unbounded" needs a ray
            if status is Status.INFEASIBLE:
                raise InfeasibleError("the program has no feasible point, says highs")
            if status is Status.UNBOUNDED:
                settings = SolveSettings(time_limit=budget.limit, interrupted=budget.spent)
                if unbounded_ray(self.program, settings) is None:
                    raise SolverError(
                        "highs says that the program is unbounded, and no ray shows it"
                    )
                raise UnboundedError("the program is unbounded, says highs")
        solution = solution_of(self.highs, "the restricted master")
        x, multipliers = np.array(solution.col_value), np.array(solution.row_dual)
        # a status of optimal is not believed without the numbers
        for values, size in ((x, self.highs.getNumCol()), (multipliers, self.highs.getNumRow())):
            if values.shape != (size,) or not np.isfinite(values).all():
                raise SolverError(
                    f"HiGHS gave no {size} finite numbers as an answer to the restricted master"
                )
        return MasterPoint(x, multipliers, float(self._cost @ x) + self._program.constant)


class RebuiltProgram:
    """A linear program for any solver that returns duals. Each round solves it from scratch."""

    def __init__(
        self, program: Program, solver: str, settings: SolveSettings = SOLVER_DEFAULTS
    ) -> None:
        check_master(solver)
        self.program, self._solver, self._settings = program, solver, settings
        self.version = ""

    def replace(self, program: Program, columns: NewColumns | None = None) -> None:
        """Solve another program from now on; of one without columns, with these."""
        self.program = program if columns is None else extend_program(program, columns)

    def add(self, cuts: Cuts | NewColumns) -> None:
        """Append rows or columns."""
        self.program = extend_program(self.program, cuts)

    def reprice(self, columns: slice, cost: FloatArray) -> None:
        """Change the costs of columns."""
        self.program.cost[columns] = cost

    def bound(self, columns: slice, lower: FloatArray, upper: FloatArray) -> None:
        """Change the bounds of columns."""
        self.program.lower[columns], self.program.upper[columns] = lower, upper

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the program. Raises the same errors as :meth:`LiveProgram.solve`."""
        budget.check()
        settings = replace(self._settings, time_limit=budget.limit, interrupted=budget.spent)
        # from nothing, in the time that is left
        solution = solve_program(self.program, self._solver, settings)
        self.version = solution.version
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        if solution.x is None:
            LiveProgram(self.program).solve(budget)  # raises where the program has no optimum
            raise SolverError(f"{self._solver} gave no point: {solution.message}")
        duals = solution.row_duals if self.program.row_lower.size else np.zeros(0)
        if solution.x is None or duals is None:
            raise SolverError(f"{self._solver} gave no duals: use highs")
        return MasterPoint(solution.x, duals, self.program.objective(solution.x))


def check_master(solver: str) -> None:
    """Raise CapabilityError unless a solver solves linear programs and returns duals.

    Raises OptionError for an unknown solver.
    """
    spec = solver_named(solver)
    spec.check(ProblemClass.LP)
    if not spec.declared.duals:
        raise CapabilityError(f"solver {solver} gives no duals, which pricing needs: use highs")


def live_program(
    program: Program, solver: str | None = None, settings: SolveSettings = SOLVER_DEFAULTS
) -> LiveProgram | RebuiltProgram:
    """A live program in HiGHS (the default), or a rebuilt program for another solver."""
    if solver in (None, "highs"):
        return LiveProgram(program, settings)
    return RebuiltProgram(program, solver, settings)


def master_for(
    settings: RunSettings, cost: FloatArray, upper: FloatArray, lower: FloatArray | None = None
) -> HighsMaster | RebuiltProgram:
    """A live master in HiGHS (the default), or a rebuilt master for another solver.

    Raises CapabilityError if the solver returns no duals.
    """
    options = settings.for_solver(Budget())
    if settings.solver in (None, "highs"):
        return HighsMaster(cost, upper, options, lower)
    box = np.zeros(len(cost)) if lower is None else lower
    return RebuiltProgram(boxed_program(cost, box, upper), settings.solver, options)


def plain_highs(settings: RunSettings) -> bool:
    """Whether HiGHS is the solver and has neither options nor a log."""
    return settings.solver in (None, "highs") and not settings.solver_options and not settings.log
