"""Branch and price over rows that are partitioned, by Ryan and Foster's pairs."""

from __future__ import annotations

import heapq
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, count
from typing import Any

import pyomo.environ as pyo

from radprog.base.errors import CapabilityError, OptionError, SolverError
from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.own.column_generation import ColumnRun, column_generation
from radprog.decompositions.own.columns import Column, Multipliers, PricedColumns, priced
from radprog.decompositions.own.result import (
    OwnRun,
    StoppedError,
    called,
    clone_of,
    driver_settings,
    linear_program,
    status_of,
)
from radprog.decompositions.run import RunStatus
from radprog.solvers.compile import variables_and_rows

WHOLE = 1e-6  # distance to a whole number up to which a value counts as one
ROUNDED_NODES = 20  # one node in so many solves the integer program over the columns at hand
ROUNDING_SECONDS = 10.0  # for that program
CUT_OFF = (Reason.TIME_LIMIT, Reason.INTERRUPT)


@dataclass(frozen=True)
class Restrictions:
    """What a node of the tree asks of every column: pairs of the master's rows that it covers
    ``together`` or not at all, and pairs of which it covers at most one (``apart``)."""

    together: tuple[tuple[Any, Any], ...] = ()
    apart: tuple[tuple[Any, Any], ...] = ()

    def allow(self, covered: Callable[[Any], bool]) -> bool:
        """Whether a column that covers these rows may be used."""
        return all(covered(r) == covered(s) for r, s in self.together) and not any(
            covered(r) and covered(s) for r, s in self.apart
        )


RestrictedPrice = Callable[[Multipliers, Restrictions], "Sequence[Column] | PricedColumns"]


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the tree: its number, that of its parent, its restrictions, its bound, and the pair
    of rows that it is branched on, None for a leaf."""

    number: int
    parent: int | None
    restrictions: Restrictions
    bound: float
    pair: tuple[Any, Any] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TreeRun(OwnRun):
    """Of branch and price: objective, bound, status, reason, trace (a record a node), seconds and
    message as of :class:`ColumnRun`. nodes: the tree, in the order in which it was solved. chosen:
    the columns of the best point, with their values; columns: all that were generated.
    """

    nodes: tuple[Node, ...]
    chosen: tuple[tuple[Column, float], ...]
    columns: tuple[Column, ...]
    _model: pyo.ConcreteModel = field(repr=False)

    def model(self) -> pyo.ConcreteModel:
        """A copy of the master, without the generated columns."""
        return clone_of(self._model)


def branch_and_price(
    master: pyo.ConcreteModel,
    price: RestrictedPrice,
    *,
    branch: str = "pairs",
    integral: bool = False,
    **settings: Any,
) -> TreeRun:
    """min cost'x over whole numbers x of the columns of ``master`` and all that pricing finds.

    The master partitions: its rows ``= 1`` are covered by columns with coefficients 0 and 1. At a
    node column generation solves the linear program, whose recomputed Lagrangian bound is that of
    the node. Where it is below the best point, two rows r and s that are covered together by a
    fraction are branched on (Ryan and Foster 1981): in one child every column covers both or none,
    in the other at most one. The node of the least bound is next.

    Parameters
    ----------
    master : ConcreteModel
        A linear minimisation whose variables are all integers; it is not changed.
    price : callable
        Called with :class:`Multipliers` and :class:`Restrictions`, returns columns as of
        :func:`column_generation`, all of which the restrictions allow; with a reduced cost that is
        the least *of the allowed columns*.
    branch : {"pairs"}
        How to branch.
    integral : bool
        Whether every whole point has a whole objective: bounds of nodes are then rounded up.
    **settings
        As of :func:`column_generation`; ``max_iter`` counts nodes, and ``observe`` gets a record a
        node.

    Returns
    -------
    TreeRun

    Raises
    ------
    CapabilityError
        Where the master is not linear, not a minimisation, or not integer throughout, or where its
        own columns have other coefficients than 0 and 1 in rows ``= 1``.
    OptionError
        For settings that have no meaning, or a pricer that takes no restrictions.
    StoppedError
        Where the pricer answers nonsense or the solver fails; ``run`` is what was found until then.

    References
    ----------
    D. M. Ryan and B. A. Foster, An Integer Programming Approach to Scheduling (1981).

    Examples
    --------
    Three jobs: alone a job costs 1.5, two together cost 2. The linear program takes half of every
    pair.

    >>> import itertools
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(range(3), domain=pyo.NonNegativeIntegers)
    >>> master.job = pyo.Constraint(range(3), rule=lambda m, i: m.none[i] == 1)
    >>> master.cost = pyo.Objective(expr=9 * sum(master.none.values()))
    >>> loads = [*itertools.combinations(range(3), 1), *itertools.combinations(range(3), 2)]
    >>> def price(multipliers, restrictions):
    ...     columns = [
    ...         rp.Column(1.0 + 0.5 * len(load), {master.job[i]: 1.0 for i in load}, payload=load)
    ...         for load in loads
    ...     ]
    ...     allowed = [c for c in columns if restrictions.allow(lambda r: r in c.coefficients)]
    ...     best = min(allowed, key=multipliers.reduced_cost)
    ...     return rp.PricedColumns([best], reduced_cost=multipliers.reduced_cost(best), count=3)
    >>> run = rp.branch_and_price(master, price)
    >>> run.status.value, round(run.objective, 6), round(run.nodes[0].bound, 6)
    ('optimal', 3.5, 3.0)
    """
    if branch != "pairs":
        raise OptionError(f"branch {branch!r}: expected 'pairs'")
    if not callable(price) or len(inspect.signature(price).parameters) != 2:
        raise OptionError(
            f"price {price!r}: expected a function of the multipliers and the restrictions "
            "(together, apart) that its columns have to meet"
        )
    return _Tree(master, price, settings, integral=integral).run()


class _Tree:
    """The open nodes, the pool of columns and the best point."""

    def __init__(
        self,
        master: pyo.ConcreteModel,
        price: RestrictedPrice,
        settings: Mapping[str, Any],
        *,
        integral: bool,
    ) -> None:
        self.run_settings = driver_settings(dict(settings))
        self.settings = {k: v for k, v in settings.items() if k not in ("observe", "max_iter")}
        self.budget = self.run_settings.budget()
        program, integer = linear_program(master, "master is a {}: branch and price needs")
        if program.sense != 1 or not integer.all():
            raise CapabilityError(
                "the master: expected a minimisation over integer variables alone"
            )
        self.master, self.price, self.integral = master, price, integral
        self.variables, rows = variables_and_rows(master)
        # the rows that are partitioned, and which of them each column of the master covers
        sides = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
        parts = [i for i, (low, high) in enumerate(sides) if low == high == 1.0]
        self.parts = {id(rows[i]): rows[i] for i in parts}
        inside = program.rows[parts].tocoo()
        if not set(inside.data.tolist()) <= {1.0}:
            raise CapabilityError("the master's own columns: expected 0 and 1 in rows = 1")
        self.own: list[set[int]] = [set() for _ in self.variables]
        for row, column in zip(inside.row.tolist(), inside.col.tolist(), strict=True):
            self.own[column].add(id(rows[parts[row]]))
        self.pool: dict[int, Column] = {}
        self.best: tuple[float, tuple[tuple[Column, float], ...]] | None = None
        self.nodes: list[Node] = []
        self.trace: list[Record] = []
        self.left = math.inf  # least bound of nodes that no pair of rows divides

    @property
    def cutoff(self) -> float:
        """From which bound on a node holds no better point."""
        if self.best is None:
            return math.inf
        return self.best[0] - (1.0 - WHOLE if self.integral else self.run_settings.abs_tol)

    def run(self) -> TreeRun:
        """Best bound first, until no open node is below the cutoff."""
        numbers, reason, failure = count(1), Reason.TOLERANCE, None
        heap: list[tuple[float, int, int | None, Restrictions]] = [
            (-math.inf, 0, None, Restrictions())
        ]
        while heap:
            inherited, number, parent, limits = heap[0]
            if inherited >= self.cutoff:
                break
            if self.budget.spent() or len(self.nodes) == self.run_settings.max_iter:
                reason = self.budget.reason if self.budget.spent() else Reason.MAX_ITER
                break
            try:
                run = self._solved(limits)
            except StoppedError as error:
                failure, reason = error, Reason.SOLVER
                break
            bound = inherited if run.bound is None else max(inherited, run.bound)
            if run.reason in CUT_OFF:
                reason = run.reason
                break
            heapq.heappop(heap)
            if run.status is RunStatus.INFEASIBLE:
                bound = math.inf
            elif self.integral and math.isfinite(bound):
                bound = float(math.ceil(bound - WHOLE))
            pair = self._offer(run, number)
            pair = None if bound >= self.cutoff else pair
            self.nodes.append(
                Node(number=number, parent=parent, restrictions=limits, bound=bound, pair=pair)
            )
            # two children, or a node that is left with its bound
            if pair is not None:
                for child in (
                    Restrictions((*limits.together, pair), limits.apart),
                    Restrictions(limits.together, (*limits.apart, pair)),
                ):
                    heapq.heappush(heap, (bound, next(numbers), number, child))
            elif bound < self.cutoff:
                self.left = min(self.left, bound)
            self._record([node[0] for node in heap])
        found = self._found([node[0] for node in heap], reason)
        if failure is not None:
            raise StoppedError(str(failure), found) from failure
        return found

    def _bound(self, open_bounds: Sequence[float]) -> float | None:
        """What the optimum is at least: the least bound of nodes that may hold a better point."""
        least = min([self.left, *open_bounds])
        if self.best is not None and least >= self.cutoff:
            least = self.best[0]
        return least if math.isfinite(least) else None

    def _record(self, open_bounds: Sequence[float]) -> None:
        objective = None if self.best is None else self.best[0]
        detail = {"columns": float(len(self.pool)), "open": float(len(open_bounds))}
        record = Record(
            len(self.nodes), self.budget.seconds, objective, self._bound(open_bounds), detail
        )
        self.trace.append(record)
        self.run_settings.observe(record)

    def _found(self, open_bounds: Sequence[float], reason: Reason) -> TreeRun:
        objective = None if self.best is None else self.best[0]
        bound = self._bound(open_bounds)
        status = status_of(objective, bound, self.run_settings, reason)
        complete = reason is Reason.TOLERANCE and min([self.left, *open_bounds]) == math.inf
        if objective is None and complete:
            status = RunStatus.INFEASIBLE
        return TreeRun(
            objective=objective,
            bound=bound,
            status=status,
            reason=reason,
            trace=self.trace,
            seconds=self.budget.seconds,
            nodes=tuple(self.nodes),
            chosen=() if self.best is None else self.best[1],
            columns=tuple(self.pool.values()),
            _model=self.master,
        )

    def _solved(self, limits: Restrictions) -> ColumnRun:
        """The linear program of a node; its columns go to the pool."""
        # columns of the pool that the node allows come with the first answer of the pricer
        waiting = [c for c in self.pool.values() if limits.allow(partial(_covers, c))]

        def priced_here(multipliers: Multipliers) -> PricedColumns:
            answer = called(
                "the pricer", lambda: priced(self.price(multipliers, limits), "the pricer")
            )
            for column in answer.columns:
                self._check(column, limits)
            columns = [*waiting, *answer.columns]
            waiting.clear()
            return PricedColumns(columns, answer.reduced_cost, answer.count, answer.bound)

        bounds = [(variable, variable.ub) for variable in self.variables]
        left = None if self.budget.limit is None else max(0.0, self.budget.limit)
        try:
            # the master's own columns that the node forbids are fixed at 0
            for variable, covered in zip(self.variables, self.own, strict=True):
                if not limits.allow(partial(_among, covered)):
                    variable.setub(0.0)
            run = column_generation(
                self.master, priced_here, **{**self.settings, "time_limit": left}
            )
        finally:
            for variable, upper in bounds:
                variable.setub(upper)
        self.pool.update({id(column): column for column in run.columns})
        return run

    def _check(self, column: Column, limits: Restrictions) -> None:
        """SolverError for a column that is not 0 and 1 in the partition, or is not allowed."""
        for row, coefficient in column.coefficients.items():
            if id(row) in self.parts and coefficient not in (0.0, 1.0):
                raise SolverError(
                    f"the pricer gave {coefficient:g} in row {row.name}: expected 0 or 1"
                )
        if not limits.allow(partial(_covers, column)):
            raise SolverError("the pricer gave a column that its restrictions forbid")

    def _offer(self, run: ColumnRun, number: int) -> tuple[Any, Any] | None:
        """Keep a whole point of a node, and return the pair of rows to branch on, None where no
        pair is covered by a fraction."""
        if run.objective is None:
            return None
        point = run.model()
        values = [float(v.value or 0.0) for v in variables_and_rows(point)[0]]
        pair = self._pair(run, values)
        # a whole point of the node itself; now and then the best one over its columns
        found = self._whole_point(point, run) if pair is None else None
        if found is None and (pair is None or number % ROUNDED_NODES == 0):
            rounded = run.round(time_limit=ROUNDING_SECONDS)
            if rounded.objective is not None:
                found = rounded.objective, tuple(rounded.chosen)
        if found is not None and (self.best is None or found[0] < self.best[0]):
            self.best = found
        return pair

    def _pair(self, run: ColumnRun, own: Sequence[float]) -> tuple[Any, Any] | None:
        """The two rows that are covered together most nearly by a half."""
        place = {key: k for k, key in enumerate(self.parts)}
        sets = [
            ([place[id(r)] for r, a in c.coefficients.items() if a and id(r) in place], float(v))
            for c, v in zip(run.columns, run.values, strict=True)
        ]
        sets += [([place[i] for i in rows], v) for rows, v in zip(self.own, own, strict=False)]
        weights: dict[tuple[int, int], float] = {}
        for rows, value in sets:
            if value > WHOLE:
                for both in combinations(sorted(rows), 2):
                    weights[both] = weights.get(both, 0.0) + value
        halves = {p: abs(w - 0.5) for p, w in weights.items() if WHOLE < w < 1.0 - WHOLE}
        if not halves:
            return None
        r, s = min(halves, key=lambda both: (halves[both], both))
        rows = list(self.parts.values())
        return rows[r], rows[s]

    def _whole_point(
        self, model: pyo.ConcreteModel, run: ColumnRun
    ) -> tuple[float, tuple[tuple[Column, float], ...]] | None:
        """Value and columns of a node's point where it is whole and, rounded, meets every row."""
        variables, rows = variables_and_rows(model)
        for variable in variables:
            value = float(variable.value or 0.0)
            if abs(value - round(value)) > WHOLE:
                return None
            variable.set_value(float(round(value)), skip_validation=True)
        if any(min(row.lslack(), row.uslack()) < -WHOLE for row in rows):
            return None
        objective = next(model.component_data_objects(pyo.Objective, active=True))
        whole = [(c, float(round(v))) for c, v in zip(run.columns, run.values, strict=True)]
        return float(pyo.value(objective)), tuple((c, v) for c, v in whole if v)


def _among(rows: set[int], row: Any) -> bool:
    return id(row) in rows


def _covers(column: Column, row: Any) -> bool:
    return bool(column.coefficients.get(row, 0.0) != 0.0)
