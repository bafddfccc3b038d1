"""Branch and price: column generation at every node of a tree, for integer columns."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import pyomo.environ as pyo

from radprog.base.errors import CapabilityError, OptionError, SolverError, StoppedError
from radprog.base.limits import OutOfBudget
from radprog.base.sections import amount
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.loop import Budget, Reason, unfinished
from radprog.decompositions.own.branching import (
    BoundBranch,
    Original,
    PairBranch,
    RecordNames,
    Restrictions,
    Rows,
    bounds_of_sums,
    dividing_bound,
    dividing_components,
    takes_restrictions,
)
from radprog.decompositions.own.column_generation import (
    Pricing,
    add_columns,
)
from radprog.decompositions.own.columns import Column, Multipliers, PricedColumns, PricingModel
from radprog.decompositions.own.engine import ENDLESS
from radprog.decompositions.own.pricing import Pricer
from radprog.decompositions.own.result import (
    WHOLE,
    ModelLoop,
    OwnRun,
    clone_of,
    driver_settings,
    linear_program,
    status_of,
    summary,
    whole_bound,
)
from radprog.decompositions.own.tree import Node, Tree, identity
from radprog.decompositions.run import DriverOptions, RunSettings
from radprog.solvers.compile import compile_model, variables_and_rows
from radprog.solvers.integers import judge_integers
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program, solved_by_any

BRANCHES = ("auto", "pairs", "bounds", "components")

RestrictedPrice = Callable[[Multipliers, Restrictions], "Sequence[Column] | PricedColumns"]


@dataclass(frozen=True, kw_only=True, repr=False)
class TreeRun(OwnRun):
    """Result of branch and price: the best integer point and a bound from the tree.

    Attributes
    ----------
    objective, bound, status, reason, seconds, message
        See :class:`radprog.ColumnRun`.
    trace : sequence of Record
        One record per round of the root, per node, and per better point of a dive.
    nodes : tuple
        Solved nodes, in order of solution. ``branch`` is a pair, a bound, or None for a leaf.
        ``side`` is 0 for the child "together" or ``>=``, and 1 for the child "apart" or ``<=``.
    open : tuple
        Unsolved nodes. If the status is "optimal", their bounds prove the objective.
    chosen : tuple of (Column, float)
        Columns of the best point, with their values.
    columns : tuple of Column
        All generated columns. ``model()`` is the integer program over them.

    Examples
    --------
    Items of sizes 2, 3 and 4 go into the smallest number of bins of size 6:

    >>> import itertools
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> master = pyo.ConcreteModel()
    >>> master.none = pyo.Var(range(3), domain=pyo.NonNegativeIntegers)
    >>> master.item = pyo.Constraint(range(3), rule=lambda m, i: m.none[i] == 1)
    >>> master.bins = pyo.Objective(expr=9 * sum(master.none.values()))
    >>> loads = [(0,), (1,), (2,), (0, 1), (0, 2)]
    >>> def price(multipliers, restrictions):
    ...     columns = [rp.Column(1.0, {master.item[i]: 1.0 for i in load}) for load in loads]
    ...     allowed = [c for c in columns if restrictions.allow(lambda r: r in c.coefficients)]
    ...     best = min(allowed, key=multipliers.reduced_cost)
    ...     return rp.PricedColumns([best], reduced_cost=multipliers.reduced_cost(best), count=3)
    >>> run = rp.branch_and_price(master, price)
    >>> run.objective, run.certified, len(run.chosen), len(run.open)
    (2.0, True, 2, 0)
    """

    nodes: tuple[Node, ...]
    open: tuple[Node, ...]
    chosen: tuple[tuple[Column, float], ...]
    columns: tuple[Column, ...]
    _master_x: FloatArray = field(repr=False)
    _tree: ColumnTree = field(repr=False)

    def __repr__(self) -> str:
        return summary(self, "", amount(len(self.nodes), "node"))

    def model(self) -> pyo.ConcreteModel:
        """A copy of the master with all generated columns, at the best point.

        They are the integer Var ``generated``, in the order of ``columns``. Its optimum is never
        worse than ``objective``, and columns that were not generated may be better.
        """
        master = self._tree.master
        model = clone_of(master)
        variables = variables_and_rows(model)[0]
        generated = add_columns(model, master, self.columns, whole=True)
        if self.objective is not None:
            values = {id(column): value for column, value in self.chosen}
            parts = [values.get(id(column), 0.0) for column in self.columns]
            x = [*self._master_x.tolist(), *parts]
            for variable, value in zip([*variables, *generated], x, strict=True):
                variable.set_value(value, skip_validation=True)
        return model

    @property
    def tree(self) -> dict[str, Any]:
        """The tree as JSON-compatible values, as in a ``checkpoint`` file.

        The entry of a node contains its parent, its side of the parent's branch, its bound, and the
        multipliers that prove the bound, in the order of ``rows``. The columns and the best point
        are also included.
        """
        return self._tree.record(self.open)

    def check(self) -> tuple[str, ...]:
        """Verify the tree again and return the faults found.

        The check verifies that the two children of each node cover all solutions of the node. It
        recomputes the bound of every leaf with one call to the pricers at the leaf's multipliers.
        The bound of the run must not exceed the smallest of these bounds. The chosen columns must
        satisfy every row and reproduce the objective of the run. The check does not verify that the
        reduced costs of the pricers are minimal. It has no time limit.
        """
        faults = [*self._tree.faults(self.bound, self.nodes, self.open)]
        # the best point: whole columns that meet every row of the master
        if self.objective is not None:
            model = self.model()
            program = compile_model(model)
            values = np.array([float(v.value) for v in variables_and_rows(model)[0]])
            _, fault = judge_integers(program, values, solved_by_any)
            if fault:
                faults.append(f"the best point is one {fault}")
            value = program.objective(values)
            if abs(value - self.objective) > CLAIM_TOLERANCE * max(1.0, abs(value)):
                faults.append(
                    f"the objective is {self.objective:.10g}, the best point's {value:.10g}"
                )
        return tuple(faults)


def branch_and_price(
    model: pyo.ConcreteModel,
    price: RestrictedPrice | PricingModel | Sequence[RestrictedPrice | PricingModel],
    *,
    branch: str = "auto",
    whole_objective: bool = False,
    checkpoint: str | Path | None = None,
    stabilise: float | None = None,
    **settings: Unpack[DriverOptions],
) -> TreeRun:
    """Solve an integer program by column generation in a branch-and-bound tree.

    The program is min cost'x over integers x, subject to the rows of ``model``. Its columns are
    the variables of ``model`` and the columns of the pricers.

    Column generation solves the linear program of a node. The recomputed Lagrangian bound is the
    bound of the node. If this bound is below the objective of the best point, the node is split
    into two children. The node with the smallest bound is solved next; ties go to the deepest node.
    Integer points come from nodes, from dives, and from the integer program over the columns so
    far. A dive fixes columns with large values or takes branches, one after another.

    Parameters
    ----------
    model : ConcreteModel
        The master: a linear minimisation problem with only integer variables. It is not modified.
        In place of a start, columns of a known point may be its variables.
    price : callable, PricingModel, or a sequence of them
        A callable takes two arguments: the multipliers, indexed by the constraints of the master,
        and the :class:`Restrictions`. It returns columns as in :func:`column_generation`. Its
        columns must satisfy the restrictions, and its reduced cost must be the smallest *of all
        such columns*. A :class:`PricingModel` receives the restrictions as rows and bounds. With
        "components", ``restrictions.components`` contains the sets of columns that the tree bounds
        (:class:`Components`). The reduced cost of a column in such a set is lower by the set's
        multiplier; ``multipliers.reduced_cost`` includes this term.
    branch : {"auto", "pairs", "bounds", "components"}
        The branching rule (see Notes). "auto" selects "pairs" for callables. For pricing models it
        selects the first of "pairs",
        "bounds" and "components" that can separate all their columns. With "components", the
        variables in the coefficients of pricing models must have finite bounds.
    whole_objective : bool
        Whether every integer point has an integer objective. Node bounds are then rounded up. This
        may save most of the nodes.
    checkpoint : str or Path, optional
        File for the tree, the columns and the best point. It is written every 30 seconds and at the
        end. If the file already exists, the run resumes from it, also with a smaller ``tol``:
        nodes that only the larger one closed are opened again. Names and payloads must be JSON
        values or NumPy scalars. Pricing functions are then called again at the stored multipliers,
        and must return the stored columns. If a limit ends this, the run has the stored point, no
        bound, and leaves the file as it is.
    stabilise
        As in :func:`column_generation`.
    **settings
        Settings of :func:`column_generation`. ``max_iter`` counts nodes, including those of the
        checkpoint. ``observe`` receives the records of the trace.

    Returns
    -------
    TreeRun
        The best point, the bound and the tree.

    Raises
    ------
    CapabilityError
        If the master is not linear, is not a minimisation problem, or has a variable that is not
        integer. For the rule "pairs", if columns of the master have coefficients other than 0 and 1
        in rows ``= 1``. For the rule "bounds", if a pricing model has no convexity row or has a
        variable that is not integer. For the rule "components", if a coefficient is not a linear
        expression with integer factors in integer variables with finite bounds.
    OptionError
        If a setting is invalid, a pricer does not accept restrictions, or the checkpoint belongs to
        another program or other pricers.
    DataError
        If the checkpoint is damaged or edited.
    StoppedError
        If a function of the user fails, a pricer returns an invalid answer or a column that
        ``checkpoint`` cannot hold, or the solver fails. The attribute ``run`` of the error contains
        the best answer so far.

    Notes
    -----
    "pairs" (Ryan and Foster 1981): the columns cover rows ``= 1`` of the master with coefficients 0
    and 1. The rule selects two rows r and s such that the values of the columns that cover both
    have a fractional sum. In one child, every column covers both rows or neither. In the other
    child, every column covers at most one of them. The row r may be one that all columns of a
    pricer cover. The pair then corresponds to a variable of the compact program, such as whether
    job j is assigned to agent i.

    "bounds": every pricer is a :class:`PricingModel` of integer variables with a convexity row. The
    convexity row is a row ``= 1`` over the pricer's columns, so exactly one of them is used. A
    variable of the model is at most b in one child, and at least b + 1 in the other.

    "components" (Vanderbeck 2000): the coefficients are integers, as in cutting-stock patterns with
    demands above 1. The rule selects a few bounds on coefficients such that the values of the
    columns within these bounds have a fractional sum. The sum is at most b in one child, and at
    least b + 1 in the other. The master gets a row for the sum. In the pricing model, the
    multiplier of this row is the cost of a binary variable that is 1 if the bounds hold.

    If no other branch is possible, all rules branch on the integer variables of the master itself.
    If the rule cannot separate the columns of a node, the node keeps its bound, and ``message``
    reports this.

    References
    ----------
    D. M. Ryan and B. A. Foster, An Integer Programming Approach to Scheduling (1981).
    F. Vanderbeck, On Dantzig-Wolfe Decomposition in Integer Programming and Ways to Perform
    Branching in a Branch-and-Price Algorithm (2000).

    Examples
    --------
    Of three jobs, a single job costs 1.5, and two jobs together cost 2. The linear program takes
    half of each pair.

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
    if branch not in BRANCHES:
        raise OptionError(f"branch {branch!r}: expected {' or '.join(map(repr, BRANCHES))}")
    pricers = tuple(price) if isinstance(price, Sequence) else (price,)
    functions = [pricer for pricer in pricers if not isinstance(pricer, PricingModel)]
    branch = "pairs" if branch == "auto" and functions else branch
    for pricer in functions:
        if branch == "bounds":
            raise OptionError(
                f"price {pricer!r}: branch='bounds' divides variables of PricingModel"
            )
        if not callable(pricer) or not takes_restrictions(pricer):
            raise OptionError(
                f"price {pricer!r}: expected a function of the multipliers and the restrictions "
                "that its columns have to meet, or rp.PricingModel"
            )
    with driver_settings(settings) as run_settings:
        budget = run_settings.budget()
        try:
            tree = ColumnTree(
                model,
                pricers,
                run_settings,
                budget,
                branch=branch,
                whole_objective=whole_objective,
                checkpoint=checkpoint,
                stabilise=stabilise,
            )
        except OutOfBudget:  # before a record was read
            raise unfinished(budget) from None
        return tree.run()


def fractional(x: FloatArray) -> bool:
    """Whether a point is too far from whole numbers to be rounded."""
    return bool(np.abs(x - np.rint(x)).max(initial=0.0) > 1e-3)


class NodePoint(NamedTuple):
    """A fractional point (n,) of a node or of a dive, its lower bounds, and the restrictions."""

    x: FloatArray
    lower: FloatArray
    limits: Restrictions


class ColumnTree(Tree):
    """The tree of a master, its pricers and their columns."""

    def __init__(
        self,
        master: pyo.ConcreteModel,
        pricers: Sequence[Any],
        settings: RunSettings,
        budget: Budget,
        *,
        branch: str,
        whole_objective: bool,
        checkpoint: str | Path | None,
        stabilise: float | None,
    ) -> None:
        program, integer = linear_program(master, "master is a {}: branch and price needs")
        self.variables, rows = variables_and_rows(master)
        super().__init__(ModelLoop(settings, 1, budget), budget, Restrictions(), len(rows))
        # a variable that is fixed at a whole number is whole, whatever its domain
        fixed = (program.lower == program.upper) & (program.lower % 1.0 == 0.0)
        integral = integer | fixed
        if program.sense != 1 or not integral.all():
            loose = [v.name for v, flag in zip(self.variables, integral, strict=True) if not flag]
            raise CapabilityError(
                "the master: expected a minimisation over only integer variables"
                + "".join(f"; the variable {name!r} is continuous" for name in loose[:1])
            )
        self.place = {id(variable): k for k, variable in enumerate(self.variables)}
        self.rows = Rows(program, rows)
        branch = self.rows.rule(program, pricers) if branch == "auto" else branch
        self.master, self.program = master, program
        self.branch, self.whole_objective, self.stabilise = branch, whole_objective, stabilise
        if branch == "pairs" and not set(program.rows[self.rows.places].data.tolist()) <= {1.0}:
            raise CapabilityError("the master's own columns: expected 0 and 1 in rows = 1")
        options = replace(settings.for_solver(Budget()), solver_options={})
        self.pricers = [Pricer(k, p, options, self.rows, branch) for k, p in enumerate(pricers)]
        if branch == "bounds":
            self.rows.check_convexity(program, pricers)
        # rows without a negative entry, whose room bounds the columns of a dive
        self.positive = np.ones(len(rows), dtype=np.bool_)
        self.positive[program.rows.nonzero()[0][program.rows.data < 0.0]] = False
        # one live master for the whole tree, as a node only changes the bounds of columns
        self.unit = WHOLE if whole_objective else 0.0
        self.functions = any(not isinstance(price, PricingModel) for price in pricers)
        self.rounds: list[tuple[Restrictions, FloatArray]] = []  # that gave new columns
        self.checkpoint, self.counted = checkpoint, bounds_of_sums(Restrictions())
        for pricer in self.pricers:
            pricer.checkpoint = checkpoint
        self.engine = self._new_engine()
        self.cover = np.zeros((0, len(self.rows.places)), dtype=np.bool_)
        self.undivided = False  # whether no rule divides the fractional columns of a leaf
        # a dive fixes columns; where a whole column would fix too much, it takes branches
        self.fixing = branch == "components" or (len(pricers) == 1 and branch == "pairs")
        self.deepening = self.deepening if self.fixing else (2,)
        self.heuristics = (self.dive, 0.1), (self.solve_restricted, 0.1)
        # rows and variables have names in a record
        pricer_variables = [variable for pricer in self.pricers for variable in pricer.branchable]
        self.names = RecordNames(rows, [*self.variables, *pricer_variables])
        self.write_branch, self.read_branch = self.names.write_branch, self.names.read_branch
        self.resume()

    @property
    def size(self) -> int:
        """The number of generated columns."""
        return len(self.engine.family.columns)

    @functools.cached_property
    def identity(self) -> dict[str, str]:
        """The values that identify the program in a record."""
        models = [
            pricer.price.text() if isinstance(pricer.price, PricingModel) else "function"
            for pricer in self.pricers
        ]
        return identity(self.program, self.branch, self.whole_objective, models)

    def closed(self, bound: float) -> bool:
        """Whether a bound rules out a better point."""
        if self.whole_objective:
            return bound >= self.value - (1.0 - WHOLE)
        room = max(self.settings.abs_tol, self.settings.tol * abs(self.value))
        return bound == math.inf or bound >= self.value - room

    def rounded(self, bound: float) -> float:
        """The bound, rounded up if every integer point has an integer objective."""
        return whole_bound(bound) if self.whole_objective else bound

    def run(self) -> TreeRun:
        """Search the tree, and return its result."""
        loop = self.loop
        try:
            reason = self.search()
        except (SolverError, StoppedError) as failure:
            loop.failure, reason = failure, Reason.SOLVER
        objective, bound = (
            value if math.isfinite(value) else None for value in (self.value, self.lower_bound())
        )
        status = status_of(objective, bound, self.settings, reason)
        complete = reason is Reason.TOLERANCE and not self.heap and self.least_leaf == math.inf
        message = ""
        if self.best is None and complete:
            status, message = Status.INFEASIBLE, "no node has a point that meets the rows"
        elif reason is Reason.TOLERANCE and status is not Status.OPTIMAL:
            # no rule divides a leaf, so that its gap remains
            message = "the bound of a node with a whole point is below the objective"
            if self.best is None:
                message = "a node has no point, and no proof that it has none"
            if self.undivided:
                message = (
                    f"a node has fractional columns that branch={self.branch!r} does not divide"
                )
                message += ': use branch="components"' * (self.branch != "components")
            reason = Reason.STALLED
        elif reason.premature and status is not Status.OPTIMAL:
            message = f"stopped by {reason} with {amount(len(self.heap), 'open node')}"
        if self.lack and (bound is None or reason is Reason.STALLED):
            message += "; " * bool(message) + self.lack
        message = "; ".join(filter(None, (self.resumed, message)))
        # columns with the user's payload in place of Original
        columns = [
            replace(column, payload=column.payload.payload)
            if isinstance(column.payload, Original)
            else column
            for column in self.engine.family.columns
        ]
        x = np.zeros(0) if self.best is None else self.best
        generated = x[len(self.variables) :].tolist()
        loop.reason = reason
        self.save(0.0)
        return loop.result(
            *(TreeRun, objective, bound),
            status=status,
            message=message,
            nodes=tuple(self.nodes),
            open=tuple(sorted(self.heap)),
            chosen=tuple((c, v) for c, v in zip(columns, generated, strict=False) if v),
            columns=tuple(columns),
            _master_x=x[: len(self.variables)],
            _tree=self,
        )

    def relax(self, node: Node) -> NodePoint | None:
        """Column generation under the restrictions of a node, until its bound decides."""
        self._enter(node.restrictions)
        engine = self.engine
        lower, upper = self._box(node.restrictions)
        if (lower > upper).any():
            self.current = replace(node, bound=math.inf)
            return None
        engine.begin(lower, upper, node.basis)
        self.generate(engine, self.settings.gap_reached())
        # an integer point closes the node; a fractional one shows where to divide it
        x = engine.point()
        if x is None or self._offer(x):
            return None
        self.basis = engine.basis()
        return NodePoint(x, np.append(lower, np.zeros(len(x) - len(lower))), node.restrictions)

    def write_parts(self) -> dict[str, Any]:
        """The rows, the columns, and the rounds of pricing functions."""
        family = self.engine.family
        columns = zip(family.columns, family.pricers.tolist(), strict=True)
        return {
            "rows": list(self.names.rows),
            "columns": [self.names.write_column(column, k) for column, k in columns],
            "rounds": [self.names.write_round(*entry) for entry in self.rounds],
        }

    def read_parts(self, stored: Mapping[str, Any]) -> None:
        """Resume from the columns of a record."""
        columns = [self.names.read_column(column) for column in stored["columns"]]
        self.engine.insert(columns, [column["pricer"] for column in stored["columns"]])
        self.rounds = [self.names.read_round(entry) for entry in stored["rounds"]]

    def resume(self) -> dict[str, Any] | None:
        """Resume from the checkpoint.

        The pricing functions are called again at the multipliers of the record. If a limit or a
        failure ends this, only the best point is kept, and the file. Raises OptionError for the
        record of other functions, with columns or bounds that these do not give.
        """
        root, stored = self.heap, super().resume()
        if stored is None:
            return None
        # the best point, before the master has a row for a sum of a node
        if stored["point"] is not None:
            x = np.array(stored["point"])
            self._offer(np.append(x, np.zeros(self.engine.total - len(x))))
        try:
            self._reproduce(stored)
        except (OutOfBudget, SolverError, StoppedError) as error:
            if not isinstance(error, OutOfBudget):
                self.loop.failure = error
            elif stored["point"] is None:
                raise
            # no bound is believed that no pricer has given again
            self.nodes, self.heap, self.checkpoint = [], root, None
            self.resumed = (
                f"{self.resumed.partition(':')[0]}: the run ended before the pricers had given its "
                "columns and bounds again; its point meets the rows with the columns of the file"
            )
        return stored

    def _reproduce(self, stored: Mapping[str, Any]) -> None:
        """Call the pricing functions again at the multipliers of a record."""
        functions = [p for p in self.pricers if not isinstance(p.price, PricingModel)]
        repriced = []
        for limits, y in self.rounds:
            constraints = [*self.names.rows.values(), *bounds_of_sums(limits)]
            for pricer in functions:
                self.budget.check()
                pricer.limits = limits
                answer = pricer(Multipliers(constraints, y, 1), 1, SolveSettings(), 0.0)
                batch = self.engine.family.read(answer.columns, pricer.name)
                columns = (batch.column(j, constraints) for j in range(len(batch)))
                repriced += [self.names.write_column(column, pricer.number) for column in columns]
        fault = f"checkpoint {self.checkpoint}: the pricers do not give its {{}}: name a new file"
        numbers = [pricer.number for pricer in functions]
        if any(c["pricer"] in numbers and c not in repriced for c in stored["columns"]):
            raise OptionError(fault.format("columns"))
        if functions and any(self.wrong_bounds([*self.nodes, *self.heap])):
            raise OptionError(fault.format("bounds"))

    def _box(self, limits: Restrictions) -> tuple[FloatArray, FloatArray]:
        """Bounds (n,), (n,) on all columns at a node; forbidden columns have upper bound 0."""
        engine, n_initial = self.engine, len(self.variables)
        generated = engine.family.upper
        lower = np.concatenate([self.program.lower, np.zeros(len(generated))])
        upper = np.concatenate([self.program.upper, generated])
        for variable, low, high in limits.bounds:
            k = self.place.get(id(variable))
            if k is not None:
                lower[k], upper[k] = max(lower[k], low), min(upper[k], high)
        keep = self.rows.allowed(self._cover(), limits)
        for pricer in self.pricers:
            if pricer.variables:
                places = self._places(pricer)
                keep[n_initial + places] &= pricer.allowed(self._values(places), limits)
        upper[~keep] = 0.0
        return lower, upper

    def _cover(self) -> BoolArray:
        """Whether each column covers each row ``= 1``, as an array (n, rows)."""
        entries, old = self.engine.entries, len(self.cover)
        if old < entries.n:
            rows, columns, _ = entries.parts
            first = int(np.searchsorted(columns, old))
            new = self.rows.covered(rows[first:], columns[first:] - old, entries.n - old)
            self.cover = np.concatenate([self.cover, new])
        return self.cover

    def _places(self, pricer: Pricer) -> Any:
        """The positions of the generated columns of a pricer."""
        return np.flatnonzero(self.engine.family.pricers == pricer.number)

    def _values(self, places: Any) -> FloatArray:
        """The values of the pricing model's variables for some columns."""
        columns = self.engine.family.columns
        return np.array([columns[j].payload.values for j in places.tolist()])

    def _enter(self, limits: Restrictions) -> None:
        """Pass a node's restrictions to the pricers; those on components become master rows."""
        for pricer in self.pricers:
            pricer.limits = limits
        counted, previous = bounds_of_sums(limits), self.engine
        # multipliers are looked up by the identity of a set: equal sets are not enough
        if counted != self.counted or not all(map(operator.is_, counted, self.counted)):
            self.counted = counted
            self.engine = self._new_engine()
            self.engine.insert(previous.family.columns, previous.family.pricers.tolist())

    def _new_engine(self) -> Pricing:
        """A restricted master with a row for each bounded sum of columns, without columns."""
        engine = Pricing(self.master, self.pricers, self.quiet, self.stabilise, self.counted)

        def offer() -> None:
            # whole points of the linear programs, and first that of the master's own columns, which
            # a limit in the root leaves
            x, value = engine.x, engine.objective
            if x is not None and value is not None and value < self.value and not fractional(x):
                self._offer(engine.all_columns(x))

        engine.improved = offer
        if self.functions and self.checkpoint is not None:
            # the multipliers of a round of pricing functions, for a record
            engine.priced_at = lambda y: self.rounds.append((self.pricers[0].limits, y))
        return engine

    def divide(self, node: Node, point: NodePoint) -> PairBranch | BoundBranch | None:
        """The branch that cuts off the point of a node, or None if no rule cuts it off."""
        branch = self._choose_branch(point.x)
        self.undivided |= branch is None
        return branch

    def _choose_branch(self, x: FloatArray, weight: float = 0.5) -> PairBranch | BoundBranch | None:
        """The branch that cuts off the point x (n,), whose share ``weight`` is best in the first
        child.
        """
        x = np.append(x, np.zeros(self.engine.total - len(x)))  # of columns that came since
        n_initial, places = len(self.variables), [*map(self._places, self.pricers)]
        branch: PairBranch | BoundBranch | None
        if self.branch == "bounds":
            branch = dividing_bound(
                [
                    (pricer.branchable, self._values(indices), x[n_initial + indices])
                    for pricer, indices in zip(self.pricers, places, strict=True)
                ],
                weight,
            )
        elif self.branch == "components":
            rows = len(self.names.rows)
            parts = self.engine.entries.matrix()[:rows, n_initial:].toarray().T
            branch = dividing_components(
                self.engine.constraints[:rows], parts, x[n_initial:], weight
            )
        else:
            cover = self._cover()
            branch = self.rows.pair(cover, x, [n_initial + indices for indices in places], weight)
        if branch is not None:
            return branch
        # variables of the master itself
        fraction = np.abs(x[:n_initial] - np.round(x[:n_initial]))
        if n_initial and fraction.max() > WHOLE:
            k = int(fraction.argmax())
            return BoundBranch(self.variables[k], math.floor(x[k]))
        return None

    def _offer(self, x: FloatArray) -> bool:
        """Store the point x (n,) if it is integer and, after rounding, satisfies every row."""
        return not fractional(x) and self.judge(self._whole_program(), x, SolveSettings())

    def _whole_program(self) -> Program:
        """The integer program over the columns so far."""
        engine, (lower, upper) = self.engine, self._box(self.root)
        rows, integer = engine.entries.matrix(), np.ones(len(lower), dtype=np.bool_)
        parts = replace(engine.initial, cost=engine.costs, rows=rows, column_names=())
        return replace(parts, lower=lower, upper=upper, integer=integer)

    def observe(self, *, new: bool = True) -> None:
        # in the rounds of a long root, points by a solver in a tenth of the time
        started = self.budget.seconds
        if new and not self.nodes and 0.1 * started >= 0.02 + self.spent["early"]:
            with suppress(OutOfBudget, SolverError):
                self.solve_restricted(self.current, None)
            self.spent["early"] += self.budget.seconds - started
        super().observe(new=new)

    def solve_restricted(self, node: Node, point: NodePoint | None) -> None:
        """Solve the integer program over the columns so far: 5 seconds for a first point.

        Without the point of a node, in a tenth of the time.
        """
        shortest = 0.0 if point is None else 5.0 if self.best is None else 0.5
        limit = min(max(shortest, 0.1 * self.budget.seconds), self.budget.limit or math.inf)
        settings = SolveSettings(time_limit=limit, interrupted=self.budget.spent)
        solution = solve_program(self._whole_program(), "highs", settings)
        if solution.x is not None:
            self._offer(solution.x)

    def dive(self, node: Node, point: NodePoint) -> None:
        """Fix columns, or take branches, one after another, with a few rounds of pricing each."""
        try:
            super().dive(node, point)
        finally:
            for pricer in self.pricers:
                pricer.room = None

    def parts_of(self, point: NodePoint) -> Iterator[int | Restrictions]:
        """Columns by their fractions, or the children of the branch nearest to the point."""
        if self.fixing:
            fraction = point.x - np.maximum(point.lower, np.floor(point.x + WHOLE))
            order = np.argsort(-fraction, kind="stable")
            yield from order[: int((fraction > WHOLE).sum())].tolist()
            return
        branch = self._choose_branch(point.x, 1.0)
        if branch is not None:
            yield from branch.children(point.limits)

    def fix(self, point: NodePoint, part: int | Restrictions) -> NodePoint | None:
        """Restrict a dive, and price columns in it.

        Of columns, whole parts stay and the fraction ``part`` is rounded up. Columns and patterns
        that exceed what the fixed ones leave of a row are left out.
        """
        engine, m = self.engine, self.program.row_lower.size
        limits = point.limits if isinstance(part, int) else part
        lower, upper = self._box(limits)
        if isinstance(part, int):
            # a row of nonnegative entries has room up to its upper side, or for what it still needs
            whole_parts = np.maximum(point.lower, np.floor(point.x + WHOLE))
            lower = np.append(whole_parts, np.zeros(len(upper) - len(whole_parts)))
            lower[part] += 1.0
            rows, columns, values = engine.entries.parts
            taken = np.bincount(rows, values * lower[columns], engine.entries.m)[:m]
            room = self.program.row_upper - taken
            need = np.ceil(np.maximum(self.program.row_lower - taken, 0.0) - WHOLE)
            room = np.where(self.positive, np.where(np.isfinite(room), room, need), math.inf)
            for pricer in self.pricers:
                pricer.room = room
            wide = np.zeros(len(upper), dtype=np.bool_)
            of_master = rows < m
            exceeds = values[of_master] > room[rows[of_master]] + WHOLE
            wide[columns[of_master][exceeds]] = True
            if (lower > upper).any():
                return None
            upper = np.where(wide, lower, upper)
        if (lower > upper).any():
            return None
        for pricer in self.pricers:
            pricer.limits = limits
        value = self._price_dive(lower, upper)
        if value == math.inf or self.closed(self.rounded(value)):
            return None
        # the point of the last round, with columns that came since at 0
        x = engine.point()
        assert x is not None
        lower = np.append(lower, np.zeros(len(x) - len(lower)))
        return None if self._offer(x) else NodePoint(x, lower, limits)

    def _price_dive(self, lower: FloatArray, upper: FloatArray) -> float:
        """Run a few rounds of pricing in a dive, and return the value of the last point.

        The value is infinite if there is no point. The rounds end early if the rounded value is at
        most the bound of the node.
        """
        engine = self.engine
        engine.begin(lower, upper)
        # rows that fixed columns cover take no further column
        taken = self._cover()[lower > 0.5].any(axis=0)
        covered = np.array(self.rows.places, dtype=np.intp)[taken & (self.branch == "pairs")]
        for rounds_left in range(8, 0, -1):  # of pricing after a column was fixed
            self.budget.check()
            point = engine.restricted.solve(self.budget)
            value = (
                math.inf
                if engine.restricted.artificial_sum
                else engine.restricted.objective(point.x)
            )
            engine.x = point.x
            if self.rounded(value) <= self.current.bound or rounds_left == 1:
                break
            y = point.multipliers.copy()
            # keeps a dive's new columns off rows that are covered
            y[covered] = -1e3 * (1.0 + np.abs(y).max())
            engine.y = y
            improves, _ = engine.price_columns(y, self.budget)
            engine.enter()
            if not improves:
                break
        return value

    def proved(self, node: Node) -> float:
        """The bound that the multipliers of a node prove, by one call to the pricers."""
        self._enter(node.restrictions)
        engine = self.engine
        lower, upper = self._box(node.restrictions)
        if (lower > upper).any():
            return math.inf
        engine.begin(lower, upper)
        engine.gap = 0.0  # searches to the end, as the bound of the node had them
        # rows that were added after the parent was solved have the multiplier 0
        engine.y = np.append(y := node.multipliers, np.zeros(len(engine.constraints) - len(y)))
        engine.price_and_bound(engine.y, self.budget)
        engine.enter()
        bound = -math.inf if engine.bound is None else engine.bound
        return math.inf if bound >= ENDLESS else bound
