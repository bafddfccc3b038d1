"""Dantzig-Wolfe decomposition of a compact program, in a tree where it has integers.

The points X_k of a kind of N_k identical blocks (:mod:`radprog.decompositions.programs.structure`)
become columns:

    min  sum_k sum_q (c_k'x_q) w_kq + c'x
    s.t. l <= sum_k sum_q (D_k x_q) w_kq + D x <= u
         sum_q w_kq = N_k,   w >= 0,  x in its bounds

The Lagrangian bound at multipliers mu of the linking rows is

    side(mu) + sum_k N_k min_{x in X_k} (c_k - D_k'mu)'x + min_x (c - D'mu)'x

A node divides a kind into groups: a number of blocks with bounds on their integers. If w is
fractional, the sum a of the w_q with x_qj >= v is too, for some column j and value v (or a division
of the group makes it so). Either at least ceil(a) blocks have x_j >= v, or at least N - floor(a)
have x_j <= v - 1: both children only bound columns of blocks, and pricing stays what it is
(F. Vanderbeck, Branching in branch-and-price: a generic scheme, 2011, in its simplest form).
"""

from __future__ import annotations

import bisect
import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.drivers.masters import UnboundedError
from radprog.decompositions.loop import Budget, Record
from radprog.decompositions.own.result import WHOLE
from radprog.decompositions.programs.blocks import (
    BlockAnswer,
    BlockPricer,
    ask_blocks,
    block_program,
    price_blocks,
)
from radprog.decompositions.programs.structure import Structure
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.units import Executor
from radprog.solvers.adapters.highs import Highs, accepted, new_highs, set_option
from radprog.solvers.integers import bound_met, judge_integers, raised_bound
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solved_by_any

PRICED_OUT = 1e-9  # a reduced cost, relative to the costs, that is 0


@dataclass(frozen=True)
class Group:
    """A number of blocks of a kind, with bounds (n_k,) on their columns."""

    kind: int
    count: int
    lower: FloatArray
    upper: FloatArray

    def bounded(self, count: int, column: int, low: float, high: float) -> Group:
        """``count`` of the blocks, with tighter bounds on a column."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[column], upper[column] = max(lower[column], low), min(upper[column], high)
        return Group(self.kind, count, lower, upper)


@dataclass(frozen=True)
class Node:
    """A node of the tree: groups, and bounds (n_0,) of the linking columns.

    The multipliers prove the bound, also for every part of the node.
    """

    groups: tuple[Group, ...]
    lower: FloatArray
    upper: FloatArray
    bound: float = -math.inf
    depth: int = 0
    multipliers: FloatArray | None = None


@dataclass(frozen=True)
class Branch:
    """How a node is divided.

    Of a linking column ``column``, if ``group`` is None: at most ``below``, or at least ``below`` +
    1. Of a group: at most ``below`` blocks have x_column >= ``level``, or at least ``below`` + 1;
    with ``exactly``, fewer than ``below``, ``below``, or more.
    """

    group: int | None
    column: int
    below: int
    level: float = 0.0
    exactly: bool = False


@dataclass
class Closed:
    """What became of a node: multipliers that close it, of phase one or two, or its children.

    A child without a branch is the node without the ends of columns that the multipliers close.
    """

    node: Node
    multipliers: FloatArray | None = None
    phase_one: bool = False
    branch: Branch | None = None
    children: tuple[Node, ...] = ()


@dataclass
class Pool:
    """The points of a kind so far, as columns of the master."""

    program: Program  # of the block
    links: sparse.csr_array  # (m_0, n_k): the block's entries in linking rows
    turned: sparse.csr_array  # its transpose
    points: list[FloatArray] = field(default_factory=list)
    rays: list[bool] = field(default_factory=list)
    seen: dict[bytes, int] = field(default_factory=dict)
    # linking rows and values, after -1 for the row of a point's group
    entries: list[tuple[IntArray, FloatArray]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    _integers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def add(self, x: FloatArray, *, ray: bool = False) -> int:
        """The place of a point or a ray, new or old."""
        key = (b"r" if ray else b"p") + (x + 0.0).tobytes()
        if key not in self.seen:
            self.seen[key] = len(self.points)
            self.points.append(x)
            self.rays.append(ray)
            values = self.links @ x
            rows = np.flatnonzero(values)
            own = 0 if ray else 1
            at: IntArray = np.append(np.full(own, -1), rows).astype(np.int32)
            data: FloatArray = np.append(np.ones(own), values[rows])
            self.entries.append((at, data))
            self.costs.append(float(self.program.cost @ x))
        return self.seen[key]

    def useful(self, place: int) -> bool:
        """Whether a point has an entry in a linking row."""
        return bool((self.entries[place][0] >= 0).any())

    def within(self, group: Group) -> IntArray:
        """The places of the points and rays that a group's bounds allow."""
        integer = self.program.integer
        old = self._integers.reshape(len(self._integers), int(integer.sum()))
        if len(old) < len(self.points):
            new = [point[integer] for point in self.points[len(old) :]]
            old = np.concatenate([old, np.array(new)])
        self._integers = old
        low, high = group.lower[integer], group.upper[integer]
        fits = ((self._integers >= low) & (self._integers <= high)).all(axis=1)
        fits |= np.array(self.rays, dtype=np.bool_)
        return np.flatnonzero(fits)


@dataclass(frozen=True)
class Relaxed:
    """The solution of a node's master: weights of points by group, linking columns, its bound."""

    value: float
    bound: float
    weights: tuple[dict[int, float], ...]
    x: FloatArray
    multipliers: FloatArray


class Master:
    """The restricted master of a node, live in HiGHS."""

    def __init__(self, search: Search, node: Node, *, phase_one: bool = False) -> None:
        self.search, self.phase_one = search, phase_one
        self.groups = node.groups
        m, groups = search.row_lower.size, len(node.groups)
        # linking columns, then an artificial column for each side of a row and for each group
        big = 0.0 if phase_one else 1.0
        low, high = np.isfinite(search.row_lower), np.isfinite(search.row_upper)
        rows = [*np.flatnonzero(low).tolist(), *np.flatnonzero(high).tolist()]
        rows += range(m, m + groups)
        signs = [1.0] * int(low.sum()) + [-1.0] * int(high.sum()) + [1.0] * groups
        self.static, self.artificial = search.static.shape[1], len(rows)
        self.owner: list[tuple[int, int]] = []
        self.held = [set[int]() for _ in node.groups]
        for g, group in enumerate(node.groups):
            places = search.pools[group.kind].within(group).tolist()
            self.owner += [(g, p) for p in places]
            self.held[g].update(places)
        own, own_cost = self._columns(self.owner)
        static = search.static
        one = np.arange(self.artificial + 1)
        starts, indices, data = (
            np.concatenate([one_part.astype(kind) for one_part in parts])
            for kind, parts in (
                (
                    np.int32,
                    (
                        static.indptr[:-1],
                        static.nnz + one[:-1],
                        static.nnz + self.artificial + own[0],
                    ),
                ),
                (np.int32, (static.indices, np.array(rows, dtype=np.int32), own[1])),
                (np.float64, (static.data, np.array(signs), own[2])),
            )
        )
        penalties = np.full(self.artificial, search.penalty if big else 1.0)
        counts = np.array([group.count for group in node.groups], dtype=np.float64)
        more, n = len(self.owner), self.static + self.artificial + len(self.owner)
        self.highs = search.new_highs()
        status = self.highs.passModel(
            n, m + groups, len(data), 0,
            int(highspy.MatrixFormat.kColwise), int(highspy.HessianFormat.kTriangular),
            int(highspy.ObjSense.kMinimize), 0.0,
            np.concatenate([big * search.static_cost, penalties, own_cost]),
            np.concatenate([node.lower, np.zeros(self.artificial + more)]),
            np.concatenate([node.upper, np.full(self.artificial + more, np.inf)]),
            np.append(search.row_lower, counts), np.append(search.row_upper, counts),
            starts, indices, data,
            np.empty(0), np.empty(0), np.empty(0), np.zeros(n, dtype=np.int32),
        )  # fmt: skip
        accepted(status, "the restricted master", data)

    def _columns(
        self, owners: Sequence[tuple[int, int]]
    ) -> tuple[tuple[Any, Any, FloatArray], FloatArray]:
        """The columns of points (group, place), as starts, rows and values, and their costs.

        A point has its entries in the linking rows, and 1 in the row of its group.
        """
        pools = [self.search.pools[group.kind] for group in self.groups]
        entries = [pools[g].entries[p] for g, p in owners]
        sizes = [rows.size for rows, _ in entries]
        rows = np.concatenate([np.zeros(0, dtype=np.int32), *(rows for rows, _ in entries)])
        data = np.concatenate([np.zeros(0), *(values for _, values in entries)])
        own = np.repeat([g for g, _ in owners] or [0], sizes or [0])[rows < 0]
        rows[rows < 0] = self.search.row_lower.size + own
        cost = [0.0 if self.phase_one else pools[g].costs[p] for g, p in owners]
        return (np.cumsum([0, *sizes])[:-1], rows, data), np.array(cost, dtype=np.float64)

    def move(self, node: Node) -> bool:
        """Change the bounds to those of another node; whether its groups have the same blocks."""
        one, other = ([(g.kind, g.count) for g in groups] for groups in (self.groups, node.groups))
        if one != other:
            return False
        self.groups = node.groups
        fits = [set(self.search.pools[g.kind].within(g).tolist()) for g in node.groups]
        for g, places in enumerate(fits):
            self.add(g, sorted(places))
        most = np.array([np.inf if p in fits[g] else 0.0 for g, p in self.owner])
        first = self.static + self.artificial
        columns = np.append(np.arange(self.static), np.arange(first, first + len(most)))
        self.highs.changeColsBounds(
            len(columns), columns.astype(np.int32), np.append(node.lower, np.zeros(len(most))),
            np.append(node.upper, most),
        )  # fmt: skip
        set_option(self.highs, "simplex_strategy", 1)
        return True

    def add(self, g: int, places: Sequence[int]) -> int:
        """Append the columns of new points of a group; the number of them."""
        new = [p for p in dict.fromkeys(places) if p not in self.held[g]]
        if new:
            (starts, rows, data), cost = self._columns([(g, p) for p in new])
            k = len(new)
            status = self.highs.addCols(
                k, cost, np.zeros(k), np.full(k, np.inf), len(data),
                starts.astype(np.int32), rows, data,
            )  # fmt: skip
            accepted(status, "new columns", data)
            self.owner += [(g, p) for p in new]
            self.held[g].update(new)
            set_option(self.highs, "simplex_strategy", 4)
        return len(new)

    def solve(self) -> tuple[float, FloatArray, FloatArray]:
        """The value, the point and the multipliers (m_0 + groups,)."""
        limit = self.search.budget.limit
        if limit is not None:
            set_option(self.highs, "time_limit", self.highs.getRunTime() + limit)
        self.highs.run()
        self.search.budget.check()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.highs.clearSolver()
            self.highs.run()
        status = self.highs.getModelStatus()
        if status == highspy.HighsModelStatus.kUnbounded:
            raise UnboundedError("a master is unbounded")
        if status != highspy.HighsModelStatus.kOptimal:
            text = self.highs.modelStatusToString(status)
            raise SolverError(f"HiGHS ended a restricted master with '{text}'")
        solution = self.highs.getSolution()
        return (
            float(self.highs.getInfo().objective_function_value),
            np.array(solution.col_value),
            np.array(solution.row_dual),
        )

    def artificial_sum(self, x: FloatArray) -> float:
        """The sum of the artificial columns."""
        return float(x[self.static : self.static + self.artificial].sum())

    def weights(self, x: FloatArray) -> tuple[dict[int, float], ...]:
        """The positive weights of points by group."""
        found: tuple[dict[int, float], ...] = tuple({} for _ in self.groups)
        values = x[self.static + self.artificial :]
        for k in np.flatnonzero(values > 1e-9).tolist():
            g, p = self.owner[k]
            found[g][p] = float(values[k])
        return found


class Search:
    """The tree: pools of points, open nodes, the best point and the bound."""

    def __init__(
        self,
        structure: Structure,
        settings: RunSettings,
        budget: Budget,
        trace: list[Record] | None = None,
    ) -> None:
        self.structure, self.settings, self.budget = structure, settings, budget
        self.trace: list[Record] = [] if trace is None else trace
        self.closed_nodes: list[Closed] = []
        self.multipliers: FloatArray | None = None  # of all rows of a linear program
        # the bound of a node that the budget cut off, and its multipliers
        self.partial: tuple[float, FloatArray | None] = (-math.inf, None)
        program = self.program = structure.program
        rows, columns = structure.linking_rows, structure.linking_columns
        links = program.rows[rows]
        self.row_lower, self.row_upper = program.row_lower[rows], program.row_upper[rows]
        self.static = links[:, columns].tocsc()
        self.turned = self.static.T.tocsr()
        self.static_cost = program.cost[columns]
        self.static_integer = program.integer[columns]
        solver = settings.for_solver(budget)
        how = replace(solver, solver_options={}, log=None, time_limit=None)
        self.how = how
        self.pools: list[Pool] = []
        self.pricers: list[BlockPricer] = []
        for kind in structure.kinds:
            block = kind.first
            own = block_program(program, block)
            entries = links[:, block.columns].tocsr()
            self.pools.append(Pool(own, entries, entries.T.tocsr()))
            self.pricers.append(BlockPricer(own, how, lambda: budget.limit))
        scale = np.abs(program.cost).max(initial=0.0) or 1.0
        self.scale = float(scale)
        # artificial columns cost more than a whole block
        self.penalty = 1e3 * self.scale
        # linking rows with only nonnegative terms bound the columns of what a dive has left
        part = links.tocoo()
        wrong = (part.data < 0.0) | (program.lower[part.coords[1]] < 0.0)
        self.packing = np.bincount(part.coords[0][wrong], minlength=rows.size) == 0
        self.tree_bound = -math.inf
        self.best: FloatArray | None = None
        self.value = math.inf
        self.numbers = itertools.count()
        self.open: list[tuple[float, int, int, Node]] = []
        self.leaves = math.inf  # the least bound of closed nodes
        self.nodes = 0
        self.rounds = 0
        self.message = ""
        self.master: Master | None = None  # of the last node of the tree
        self.executor = Executor()
        self.seconds = dict.fromkeys((0.2, 0.1), 0.0)  # of ways to points, by their shares

    def new_highs(self) -> Highs:
        """A HiGHS object for a restricted master."""
        options = {"presolve": "off", "solver": "simplex"}
        return new_highs(replace(self.how, solver_options=options))

    def root(self) -> Node:
        """The node with all blocks."""
        program, columns = self.program, self.structure.linking_columns
        groups = tuple(
            Group(k, kind.count, pool.program.lower, pool.program.upper)
            for k, (kind, pool) in enumerate(zip(self.structure.kinds, self.pools, strict=True))
        )
        return Node(groups, program.lower[columns], program.upper[columns])

    # bounds

    def price(
        self,
        node: Node,
        mu: FloatArray,
        *,
        phase_one: bool = False,
        gap: float = 0.0,
        most: int = 1,
    ) -> tuple[float, list[BlockAnswer]]:
        """The Lagrangian bound at multipliers mu (m_0,), and the answers of the groups."""
        # a multiplier of a side that is not there is 0
        mu = np.where((mu > 0.0) & np.isinf(self.row_lower), 0.0, mu)
        mu = np.where((mu < 0.0) & np.isinf(self.row_upper), 0.0, mu)
        sides = np.where(mu > 0.0, self.row_lower, self.row_upper)
        bound = float(mu[mu != 0.0] @ sides[mu != 0.0])
        reduced = (0.0 if phase_one else self.static_cost) - self.turned @ mu
        reduced[np.abs(reduced) <= PRICED_OUT * self.scale] = 0.0
        ends = np.where(reduced > 0.0, node.lower, node.upper)
        kept = reduced != 0.0
        bound += float(reduced[kept] @ ends[kept])
        asks = []
        for group in node.groups:
            pool = self.pools[group.kind]
            cost = (0.0 if phase_one else pool.program.cost) - pool.turned @ mu
            # several columns a call serve several blocks
            number = min(most, group.count)
            asks.append((group.kind, cost, group.lower, group.upper, number, gap))
            self.pricers[group.kind].calls += 1
        self.budget.check()
        answers = ask_blocks(self.executor, price_blocks, self.pricers, asks, self.budget)
        bounds = [group.count * a.bound for group, a in zip(node.groups, answers, strict=True)]
        # a block without a point leaves the node without one
        return math.inf if math.inf in bounds else bound + sum(bounds), answers

    def raised(self, bound: float) -> float:
        """The bound, raised to the next possible objective."""
        if not math.isfinite(bound):
            return bound
        constant = self.program.constant
        return raised_bound(self.program, bound + constant) - constant

    def closed(self, bound: float) -> bool:
        """Whether a bound shows that a node holds nothing better than the best point."""
        if bound == math.inf:
            return True
        constant = self.program.constant
        return self.closed_at(bound + constant, self.value + constant)

    def closed_at(self, bound: float, value: float) -> bool:
        """Whether a bound proves a value of a judged point, both with the constant."""
        return math.isfinite(value) and bound_met(self.program, value, bound, self.settings.tol)

    @property
    def size(self) -> int:
        """The number of points and rays."""
        return sum(len(pool.points) for pool in self.pools)

    @property
    def searched(self) -> bool:
        """Whether a bound is that of a search."""
        return any(pricer.searched and pricer.calls for pricer in self.pricers)

    # column generation at a node

    def relax(self, node: Node, *, record: bool = True) -> Relaxed | None:
        """Column generation at a node; None if its bound closes it, or if it has no point.

        Raises UnboundedError if the master is unbounded and has a point.

        It ends as soon as rounding raises the bound to the master's value. ``record`` is whether
        the node is one of the tree.
        """
        if not record or self.master is None or not self.master.move(node):
            self.master = Master(self, node)
        master = self.master
        best, proof, smooth = node.bound, node.multipliers, 0.0
        center: FloatArray | None = None
        gap = 0.05
        while True:
            try:
                value, x, duals = master.solve()
            except UnboundedError:
                # rays matter only if there is a point
                ray = self._phase_one(node)
                if ray is None:
                    raise
                if record:
                    self.closed_nodes.append(Closed(node, ray, phase_one=True))
                return None
            self.rounds += 1
            mu, pi = duals[: self.row_lower.size], duals[self.row_lower.size :]
            real = master.artificial_sum(x) <= 1e-7
            at = mu if center is None else smooth * center + (1.0 - smooth) * mu
            bound, answers = self.price(node, at, gap=gap, most=5)
            if bound > best or proof is None:
                best, proof = max(best, bound), at
                if record:
                    self.partial = best, proof
            center = at if center is None or bound >= best else center
            if self.closed(best):
                if record:
                    self.closed_nodes.append(Closed(node, proof))
                    self.leaves = min(self.leaves, best)
                return None
            # columns that improve the master at its own multipliers
            added = 0
            for g, (group, answer) in enumerate(zip(node.groups, answers, strict=True)):
                pool = self.pools[group.kind]
                cost = pool.program.cost - pool.turned @ mu
                slack = PRICED_OUT * max(self.scale, abs(pi[g]))
                places = [pool.add(p) for p in answer.points if cost @ p - pi[g] < -slack]
                if answer.ray is not None and cost @ answer.ray < -slack:
                    places.append(pool.add(answer.ray, ray=True))
                added += master.add(g, places)
            if added and real and self.raised(best) >= value - 1e-9 * abs(value):
                break
            if added:
                # smoothing helps far from the optimum (Wentges)
                smooth = 0.0 if node.depth else 0.5
            elif smooth > 0.0 and at is not mu:
                smooth = 0.0  # mispricing: at the master's own multipliers next
            elif gap > 0.0 and any(self.pricers[group.kind].searched for group in node.groups):
                gap = 0.0
            else:
                break
        if not real:
            ray = self._phase_one(node)
            if ray is not None:
                if record:
                    self.closed_nodes.append(Closed(node, ray, phase_one=True))
                return None
            self.penalty *= 100.0
            if self.penalty > 1e12 * self.scale:
                raise SolverError("the penalty of artificial columns grew without end")
            return self.relax(node, record=record)
        if not self.program.integer.any():
            self._join_multipliers(node, at, answers)
        n = self.static.shape[1]
        return Relaxed(value, best, master.weights(x), x[:n], proof)

    def _phase_one(self, node: Node) -> FloatArray | None:
        """Multipliers (m_0,) whose bound without costs shows that a node has no point, or None."""
        master = Master(self, node, phase_one=True)
        while True:
            value, _, duals = master.solve()
            if value <= 1e-9:
                return None
            mu = duals[: self.row_lower.size]
            bound, answers = self.price(node, mu, phase_one=True)
            if bound > self.noise(mu):
                return mu
            added = 0
            for g, (group, answer) in enumerate(zip(node.groups, answers, strict=True)):
                pool = self.pools[group.kind]
                places = [pool.add(p) for p in answer.points]
                places += [pool.add(answer.ray, ray=True)] if answer.ray is not None else []
                added += master.add(g, places)
            if not added:
                raise SolverError(f"a master is infeasible by {value:.1e}, and no bound shows it")

    def noise(self, mu: FloatArray) -> float:
        """What rounding may make of a bound of phase one at multipliers mu (m_0,)."""
        sides = np.where(mu > 0.0, self.row_lower, self.row_upper)
        terms = np.abs(mu * np.where(np.isfinite(sides), sides, 0.0)).sum()
        return 1e-7 * max(1.0, float(np.abs(mu).max(initial=0.0))) + 1e-12 * float(terms)

    def _join_multipliers(self, node: Node, mu: FloatArray, answers: Sequence[BlockAnswer]) -> None:
        """The multipliers of all rows of a linear program: mu, and those of the blocks' rows."""
        y = np.zeros(self.program.row_lower.size)
        y[self.structure.linking_rows] = mu
        for group, answer in zip(node.groups, answers, strict=True):
            if answer.multipliers is None:
                return
            for block in self.structure.kinds[group.kind].blocks:
                y[block.rows] = answer.multipliers
        self.multipliers = y

    # points

    def assemble(
        self, node: Node, weights: Sequence[dict[int, float]], static: FloatArray
    ) -> FloatArray | None:
        """The point of the program that a node's solution gives, or None if it is fractional.

        Blocks with whole weights have these points. The only block of a group has the mean of its
        points; so have all blocks of a group whose points have equal integers.
        """
        x = np.zeros(self.program.cost.size)
        x[self.structure.linking_columns] = static
        used = [0] * len(self.structure.kinds)
        for group, chosen in zip(node.groups, weights, strict=True):
            pool, kind = self.pools[group.kind], self.structure.kinds[group.kind]
            integer = pool.program.integer
            points = {p: w for p, w in chosen.items() if not pool.rays[p]}
            rays = [(p, w) for p, w in chosen.items() if pool.rays[p]]
            values: list[FloatArray] = []
            if all(abs(w - round(w)) <= WHOLE for w in points.values()):
                for p, w in points.items():
                    values += [pool.points[p].copy() for _ in range(round(w))]
            else:
                mean = sum(w / group.count * pool.points[p] for p, w in points.items())
                alike = len({pool.points[p][integer].tobytes() for p in points}) == 1
                whole = np.abs(mean - np.rint(mean))[integer].max(initial=0.0) <= WHOLE
                if not (group.count == 1 and whole) and not alike:
                    return None
                values = [np.array(mean) for _ in range(group.count)]
            if len(values) != group.count:
                return None
            for p, w in rays:
                values[0] = values[0] + w * pool.points[p]
            for value in values:
                x[kind.blocks[used[group.kind]].columns] = value
                used[group.kind] += 1
        return x

    def offer(self, x: FloatArray) -> bool:
        """Judge a point of the program; whether it is the best so far."""
        if self.program.objective(x) - self.program.constant >= self.value:
            return False
        if self.program.integer.any():
            judged = judge_integers(
                self.program, x, solved_by_any, replace(self.how, time_limit=self.budget.limit)
            ).x
        else:
            judged = x
        if judged is None:
            return False
        value = self.program.objective(judged) - self.program.constant
        if value >= self.value:
            return False
        self.best, self.value = judged, value
        return True

    # the tree

    def branch(self, node: Node, relaxed: Relaxed) -> Branch | None:
        """The division of a node at its fractional solution; None if it needs none."""
        # a linking column
        fraction = np.abs(relaxed.x - np.rint(relaxed.x))
        fraction[~self.static_integer] = 0.0
        if fraction.max(initial=0.0) > WHOLE:
            j = int(fraction.argmax())
            return Branch(None, j, math.floor(relaxed.x[j]))
        # the number of blocks with x_j >= v, or the mean of x_j in a single block
        best: tuple[float, Branch] | None = None
        spread: tuple[float, Branch] | None = None
        for g, (group, chosen) in enumerate(zip(node.groups, relaxed.weights, strict=True)):
            pool = self.pools[group.kind]
            points = [p for p in chosen if not pool.rays[p]]
            w = np.array([chosen[p] for p in points])
            values = np.array([pool.points[p] for p in points]).reshape(len(points), -1)
            integer = np.flatnonzero(pool.program.integer)
            if group.count == 1:
                mean = w @ values[:, integer]
                off = np.abs(mean - np.rint(mean))
                k = int(off.argmax()) if off.size else 0
                if off.size and off[k] > WHOLE and (best is None or off[k] > best[0]):
                    level = math.floor(mean[k]) + 1.0
                    best = float(off[k]), Branch(g, int(integer[k]), 0, level)
                continue
            fractional = np.abs(w - np.rint(w)) > WHOLE
            for j in integer[np.ptp(values[:, integer], axis=0) > 0.0].tolist():
                for v in np.unique(values[:, j])[1:].tolist():
                    a = float(w[values[:, j] >= v].sum())
                    off_a = abs(a - round(a))
                    if off_a > WHOLE:
                        if best is None or off_a > best[0]:
                            best = off_a, Branch(g, j, math.floor(a), v)
                    elif len({*(values[fractional][:, j] >= v).tolist()}) == 2:
                        # whole sums of fractional points: divide the group at this number
                        share = abs(a / group.count - 0.5)
                        if spread is None or share < spread[0]:
                            spread = share, Branch(g, j, round(a), v, exactly=True)
        chosen_branch = best or spread
        return None if chosen_branch is None else chosen_branch[1]

    def divide(self, node: Node, branch: Branch) -> tuple[Node, ...]:
        """The children of a node, which cover all its points."""
        base = replace(node, depth=node.depth + 1)
        j, below, v = branch.column, branch.below, branch.level
        if branch.group is None:
            upper, lower = node.upper.copy(), node.lower.copy()
            upper[j], lower[j] = min(upper[j], below), max(lower[j], below + 1.0)
            return replace(base, upper=upper), replace(base, lower=lower)
        group = node.groups[branch.group]
        before, after = node.groups[: branch.group], node.groups[branch.group + 1 :]

        def child(*parts: Group) -> Node:
            return replace(base, groups=(*before, *(p for p in parts if p.count > 0), *after))

        def above(least: int) -> Node:
            part = group.bounded(least, j, v, math.inf)
            return child(part, replace(group, count=group.count - least))

        def under(most: int) -> Node:
            part = group.bounded(group.count - most, j, -math.inf, v - 1.0)
            return child(part, replace(group, count=most))

        if not branch.exactly:
            return under(below), above(below + 1)
        # exactly below, fewer, or more
        exact = child(
            group.bounded(below, j, v, math.inf),
            group.bounded(group.count - below, j, -math.inf, v - 1.0),
        )
        fewer = (under(below - 1),) if below > 0 else ()
        more = (above(below + 1),) if below < group.count else ()
        return (exact, *fewer, *more)

    def possible(self, node: Node) -> bool:
        """Whether the bounds of groups and columns allow each linking row, one row at a time."""
        least = np.zeros(self.row_lower.size)
        most = np.zeros(self.row_lower.size)
        parts: list[tuple[Any, FloatArray, FloatArray, float]] = [
            (self.static, node.lower, node.upper, 1.0)
        ]
        parts += [(self.pools[g.kind].links, g.lower, g.upper, float(g.count)) for g in node.groups]
        for matrix, lower, upper, count in parts:
            if (lower > upper).any():
                return False
            entries = matrix.tocoo()
            low = np.where(entries.data > 0.0, lower[entries.coords[1]], upper[entries.coords[1]])
            high = np.where(entries.data > 0.0, upper[entries.coords[1]], lower[entries.coords[1]])
            size = self.row_lower.size
            least += count * np.bincount(entries.coords[0], entries.data * low, size)
            most += count * np.bincount(entries.coords[0], entries.data * high, size)
        room = 1e-6 * (1.0 + np.abs(np.where(np.isfinite(least), least, 0.0)))
        return not ((least > self.row_upper + room).any() or (most < self.row_lower - room).any())

    def push(self, node: Node) -> None:
        """Open a node, unless a linking row shows that it has no point."""
        if self.possible(node):
            heapq.heappush(self.open, (node.bound, -node.depth, next(self.numbers), node))

    def lower_bound(self) -> float:
        """The least bound of open and closed nodes, raised to a possible objective."""
        least = min([self.leaves, *(bound for bound, *_ in self.open[:1])])
        return self.raised(min(least, self.value))

    def progress(self) -> tuple[float | None, float]:
        """The value of the best point and the least bound, also while a node is solved."""
        open_ = [bound for bound, *_ in self.open[:1]]
        bound = min(self.leaves, self.partial[0], *open_) + self.program.constant
        return None if self.best is None else self.program.objective(self.best), bound

    def run(self) -> Status:
        """Search until the bound meets the best point or the budget ends."""
        with self.settings.sharing.executor(len(self.pricers), self.budget) as self.executor:
            return self._run()

    def _run(self) -> Status:
        self.push(self.root())
        node: Node | None = None
        most = self.settings.max_iter
        try:
            while self.open and not self.closed(self.lower_bound()):
                if most is not None and self.nodes >= most:
                    return Status.LIMIT
                node = heapq.heappop(self.open)[-1]
                self.partial = node.bound, node.multipliers
                self._visit(node)
                node = None
                self._observe()
        except (OutOfBudget, KeyboardInterrupt):
            if node is not None:
                # its bound is that of the multipliers so far
                self.push(replace(node, bound=self.partial[0], multipliers=self.partial[1]))
            self._observe()
            return Status.LIMIT
        if self.best is not None:
            return Status.OPTIMAL
        return Status.INFEASIBLE if self.leaves == math.inf else Status.FAILED

    def _visit(self, node: Node) -> None:
        """Solve a node, and divide it."""
        relaxed = self.relax(node)
        self.nodes += 1
        if relaxed is None:
            return
        node = replace(node, bound=relaxed.bound, multipliers=relaxed.multipliers)
        x = self.assemble(node, relaxed.weights, relaxed.x)
        if x is not None:
            self.offer(x)
        # points by dives and by the solver: at the root, then in a share of the time
        for way, share in ((self.dive, 0.2), (self.fix_and_solve, 0.1)):
            seconds = self.budget.seconds
            late = self.seconds[share] > share * seconds
            if not self.program.integer.any() or self.closed(node.bound) or late:
                continue
            way(node, relaxed)
            self.seconds[share] += self.budget.seconds - seconds
        tight = node if self.closed(node.bound) else self._tightened(node)
        if tight is not node:
            self.closed_nodes.append(Closed(node, relaxed.multipliers, children=(tight,)))
            node = tight
        branch = None if self.closed(node.bound) else self.branch(node, relaxed)
        if branch is None:
            self.closed_nodes.append(Closed(node, relaxed.multipliers))
            self.leaves = min(self.leaves, node.bound)
            return
        children = self.divide(node, branch)
        self.closed_nodes.append(Closed(node, branch=branch, children=children))
        for child in children:
            self.push(child)

    def _tightened(self, node: Node) -> Node:
        """The node without the ends of columns that its multipliers close (reduced costs).

        With x_j at an end, the bound is that of the other blocks and of the block's best point with
        it. Only knapsacks in groups of one block have such bounds. The node itself if none closes.
        """
        mu = node.multipliers
        if mu is None or not math.isfinite(self.value):
            return node
        bound, answers = self.price(node, mu)
        groups, closed = list(node.groups), False
        for g, (group, answer) in enumerate(zip(node.groups, answers, strict=True)):
            pool, knapsack = self.pools[group.kind], self.pricers[group.kind].knapsack
            if knapsack is None or group.count > 1:
                continue
            cost = pool.program.cost - pool.turned @ mu
            low, high = (
                bound - answer.bound + least
                for least in knapsack.forced(cost, group.lower, group.upper)
            )
            out = self._closed_among(low), self._closed_among(high)
            if out[0].any() or out[1].any():
                closed = True
                # the end that is left
                groups[g] = replace(
                    group,
                    lower=np.where(out[0], group.upper, group.lower),
                    upper=np.where(out[1], group.lower, group.upper),
                )
                self.leaves = min(self.leaves, *low[out[0]].tolist(), *high[out[1]].tolist())
        return replace(node, groups=tuple(groups)) if closed else node

    def _closed_among(self, bounds: FloatArray) -> BoolArray:
        """Which of some bounds (n,) show that there is nothing better than the best point."""
        ordered = np.unique(bounds)
        first = bisect.bisect_left(ordered, True, key=self.closed)
        return bounds >= (ordered[first] if first < ordered.size else math.inf)

    def _observe(self) -> None:
        """Append a record of the tree to the trace, in the sense of the program."""
        sense, constant = self.program.sense, self.program.constant
        bound = self.lower_bound() + constant
        record = Record(
            iteration=self.nodes,
            seconds=self.budget.seconds,
            objective=None if self.best is None else sense * (self.value + constant),
            bound=sense * bound if math.isfinite(bound) else None,
            detail={"columns": float(self.size)},
        )
        self.trace.append(record)
        self.settings.observe(record)

    def faults(self, bound: float | None) -> Iterator[str]:
        """What a second computation of the tree finds wrong with a bound of the minimisation."""
        # without the limits of the run
        self.budget, self.executor = Budget(), Executor()
        self.pricers = [
            BlockPricer(pool.program, SolveSettings(), lambda: None) for pool in self.pools
        ]
        least = math.inf
        for one in self.closed_nodes:
            if one.branch is None and one.children:
                tight, now = one.children[0], self._tightened(one.node)
                inside = all(
                    (mine.lower <= its.lower).all() and (mine.upper >= its.upper).all()
                    for mine, its in zip(tight.groups, now.groups, strict=True)
                )
                if not inside:
                    yield f"a node at depth {one.node.depth} lost points that may be better"
                continue
            if one.branch is not None:
                again = self.divide(one.node, one.branch)
                if [_numbers(child) for child in again] != [_numbers(c) for c in one.children]:
                    yield f"the children of a node at depth {one.node.depth} do not cover it"
                continue
            assert one.multipliers is not None
            value, _ = self.price(one.node, one.multipliers, phase_one=one.phase_one)
            if not one.phase_one:
                least = min(least, value)
            elif value <= self.noise(one.multipliers):
                yield f"a node at depth {one.node.depth} is not infeasible by its multipliers"
        least = min([least, *(node.bound for *_, node in self.open)])
        if bound is not None:
            found = self.raised(least) + self.program.constant
            if bound > found + 1e-6 * max(1.0, abs(found)) and bound > self.value + 1e-9:
                yield f"the bound {bound:.10g} is above {found:.10g}, the least of the leaves"

    # points by a solver

    def fix_and_solve(self, node: Node, relaxed: Relaxed) -> None:
        """Fix the integers on which a node's points agree, and solve the rest of the program.

        A block has whole means of its points, or one point with a weight of at least 1. The solver
        has a tenth of the time so far.
        """
        program = self.program
        lower, upper = program.lower.copy(), program.upper.copy()
        used = [0] * len(self.structure.kinds)
        for group, chosen in zip(node.groups, relaxed.weights, strict=True):
            pool, kind = self.pools[group.kind], self.structure.kinds[group.kind]
            integer = pool.program.integer
            blocks = kind.blocks[used[group.kind] : used[group.kind] + group.count]
            used[group.kind] += group.count
            points = [(p, w) for p, w in chosen.items() if not pool.rays[p]]
            if group.count == 1:
                mean = sum((w * pool.points[p] for p, w in points), np.zeros(integer.size))
                whole = integer & (np.abs(mean - np.rint(mean)) <= WHOLE)
                columns = blocks[0].columns[whole]
                lower[columns] = upper[columns] = np.rint(mean)[whole]
                continue
            taken = 0
            for p, w in points:
                for _ in range(math.floor(w + WHOLE)):
                    columns = blocks[taken].columns[integer]
                    lower[columns] = upper[columns] = pool.points[p][integer]
                    taken += 1
        limit = max(0.5, 0.1 * self.budget.seconds)
        left = self.budget.limit
        how = replace(self.how, time_limit=limit if left is None else min(limit, left))
        try:
            part = replace(program, lower=lower, upper=upper)
            answer = solved_by_any(part, part, how)
        except SolverError:
            return
        self.budget.check()
        if answer.x is not None:
            self.offer(answer.x)

    # dives

    def dive(self, node: Node, relaxed: Relaxed, discrepancies: int = 2) -> None:
        """Fix points of blocks one after another, pricing at each step, and turn back if it fails.

        A fixed point takes its blocks from its group, and its entries from the linking rows. A step
        may choose another point than the first at most ``discrepancies`` times.
        """
        saved = self.row_lower, self.row_upper
        try:
            self._dive(node, relaxed, [], discrepancies)
        except SolverError:
            self.message = "a dive failed"
        finally:
            self.row_lower, self.row_upper = saved

    def _dive(
        self, node: Node, relaxed: Relaxed, fixed: list[tuple[int, int, int]], discrepancies: int
    ) -> bool:
        """One level of a dive; whether it found a better point."""
        choices = sorted(
            (
                # points that do nothing come last: they are what is over in the end
                (min(1.0, w) * self.pools[node.groups[g].kind].useful(p), w, g, p)
                for g, chosen in enumerate(relaxed.weights)
                for p, w in chosen.items()
                if not self.pools[node.groups[g].kind].rays[p]
            ),
            key=lambda one: (-one[0], -(one[1] - math.floor(one[1]))),
        )
        tried = 0
        sides = self.row_lower, self.row_upper
        for _ in range(discrepancies + 1):
            if tried >= len(choices):
                return False
            # all whole parts at once, or the largest fraction
            whole = [
                (g, p, math.floor(w + WHOLE)) for share, w, g, p in choices if share >= 1.0 - WHOLE
            ]
            take = whole if whole and tried == 0 else [(choices[tried][2], choices[tried][3], 1)]
            tried += 1
            self.row_lower, self.row_upper = sides
            child, more = self._fix(node, take)
            now = [*fixed, *more]
            if not child.groups:
                if self._offer_fixed(now, relaxed):
                    return True
                continue
            if not self.possible(child):
                continue
            inner = self.relax_dive(child, now)
            if inner is None:
                continue
            x = self.assemble(child, inner.weights, inner.x)
            if x is not None and self._offer_assembled(child, inner, now):
                return True
            if self._dive(child, inner, now, discrepancies if tried == 1 else 0):
                return True
            if self.budget.spent():
                return False
        self.row_lower, self.row_upper = sides
        return False

    def _fix(
        self, node: Node, take: Sequence[tuple[int, int, int]]
    ) -> tuple[Node, list[tuple[int, int, int]]]:
        """The node without fixed blocks, and (kind, point, number) of them."""
        counts = [group.count for group in node.groups]
        fixed = []
        for g, p, number in take:
            number = min(number, counts[g])
            if not number:
                continue
            counts[g] -= number
            pool = self.pools[node.groups[g].kind]
            shift = number * (pool.links @ pool.points[p])
            self.row_lower, self.row_upper = self.row_lower - shift, self.row_upper - shift
            fixed.append((node.groups[g].kind, p, number))
        groups = []
        for group, count in zip(node.groups, counts, strict=True):
            if count:
                groups.append(replace(group, count=count, upper=self._room(group)))
        return replace(node, groups=tuple(groups), bound=-math.inf), fixed

    def _room(self, group: Group) -> FloatArray:
        """Upper bounds (n_k,) of integers that linking rows without negative entries leave."""
        links = self.pools[group.kind].links.tocoo()
        rows, columns = links.coords
        integer = self.pools[group.kind].program.integer
        kept = (links.data > 0.0) & self.packing[rows] & np.isfinite(self.row_upper[rows])
        kept &= integer[columns]
        upper = group.upper.copy()
        room = np.floor(self.row_upper[rows[kept]] / links.data[kept] + WHOLE)
        np.minimum.at(upper, columns[kept], np.maximum(room, group.lower[columns[kept]]))
        # more than a row still needs is useless in a dive, where no upper side bounds the row
        kept = (links.data > 0.0) & self.packing[rows] & np.isinf(self.row_upper[rows])
        kept &= integer[columns]
        need = np.ceil(np.maximum(self.row_lower[rows[kept]], 0.0) / links.data[kept] - WHOLE)
        np.minimum.at(upper, columns[kept], np.maximum(need, group.lower[columns[kept]]))
        return upper

    def relax_dive(self, node: Node, fixed: Sequence[tuple[int, int, int]]) -> Relaxed | None:
        """Column generation of a step of a dive, where the value of fixed points counts."""
        spent = sum(number * self.pools[k].costs[p] for k, p, number in fixed)
        value = self.value
        self.value = value - spent
        try:
            return self.relax(node, record=False)
        finally:
            self.value = value

    def _offer_fixed(self, fixed: Sequence[tuple[int, int, int]], relaxed: Relaxed) -> bool:
        """Offer the point of fixed blocks alone."""
        node = Node((), relaxed.x, relaxed.x)
        empty = replace(relaxed, weights=())
        return self._offer_assembled(node, empty, fixed)

    def _offer_assembled(
        self, node: Node, relaxed: Relaxed, fixed: Sequence[tuple[int, int, int]]
    ) -> bool:
        """Offer the point of a dive: fixed blocks and those of its last node."""
        groups = list(node.groups)
        weights = list(relaxed.weights)
        for kind, p, number in fixed:
            pool = self.pools[kind]
            groups.append(Group(kind, number, pool.program.lower, pool.program.upper))
            weights.append({p: float(number)})
        whole = replace(node, groups=tuple(groups))
        x = self.assemble(whole, weights, relaxed.x)
        return x is not None and self.offer(x)


def _numbers(node: Node) -> tuple[Any, ...]:
    """The numbers of a node, for comparison."""
    groups = [(g.kind, g.count, g.lower.tobytes(), g.upper.tobytes()) for g in node.groups]
    return (groups, node.lower.tobytes(), node.upper.tobytes())
