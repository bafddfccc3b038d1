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

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.masters import LiveProgram, NewColumns
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.own.engine import Engine
from radprog.decompositions.own.result import WHOLE, ModelLoop
from radprog.decompositions.own.tree import Node, Tree, as_json, identity
from radprog.decompositions.programs.blocks import (
    BlockAnswer,
    BlockPricer,
    block_program,
    call_blocks,
    price_blocks,
    with_implied_bounds,
)
from radprog.decompositions.programs.structure import Block, Structure
from radprog.decompositions.sweeps.units import Executor
from radprog.solvers.certificate import dual_bound
from radprog.solvers.integers import bound_met, raised_bound
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program

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


@dataclass(frozen=True, eq=False)
class Groups:
    """The restrictions of a node: groups of blocks, and bounds (n_0,) of the linking columns."""

    groups: tuple[Group, ...]
    lower: FloatArray
    upper: FloatArray

    @property
    def counts(self) -> list[tuple[int, int]]:
        """The kinds and the numbers of blocks."""
        return [(group.kind, group.count) for group in self.groups]

    def numbers(self) -> list[Any]:
        """The restrictions as plain numbers."""
        rows = [(g.kind, g.count, g.lower.tolist(), g.upper.tolist()) for g in self.groups]
        return [rows, self.lower.tolist(), self.upper.tolist()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups) and self.numbers() == other.numbers()


@dataclass(frozen=True)
class BlockBranch:
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

    def children(self, limits: Groups) -> tuple[Groups, ...]:
        """The restrictions of the children, which cover all points."""
        j, below, v = self.column, self.below, self.level
        if self.group is None:
            upper, lower = limits.upper.copy(), limits.lower.copy()
            upper[j], lower[j] = min(upper[j], below), max(lower[j], below + 1.0)
            return replace(limits, upper=upper), replace(limits, lower=lower)
        group = limits.groups[self.group]
        head, tail = limits.groups[: self.group], limits.groups[self.group + 1 :]

        def child(*parts: Group) -> Groups:
            return replace(limits, groups=(*head, *(p for p in parts if p.count > 0), *tail))

        def at_least(count: int) -> Groups:
            part = group.bounded(count, j, v, math.inf)
            return child(part, replace(group, count=group.count - count))

        def at_most(count: int) -> Groups:
            part = group.bounded(group.count - count, j, -math.inf, v - 1.0)
            return child(part, replace(group, count=count))

        if not self.exactly:
            return at_most(below), at_least(below + 1)
        # exactly below, fewer, or more
        exact = child(
            group.bounded(below, j, v, math.inf),
            group.bounded(group.count - below, j, -math.inf, v - 1.0),
        )
        smaller = (at_most(below - 1),) if below > 0 else ()
        larger = (at_least(below + 1),) if below < group.count else ()
        return (exact, *smaller, *larger)


@dataclass
class Pool:
    """The points of a kind so far, as columns of the master."""

    program: Program  # of the block
    links: sparse.csr_array  # (m_0, n_k): the block's entries in linking rows
    transpose: sparse.csr_array  # (n_k, m_0)
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
            leading = 0 if ray else 1
            indices: IntArray = np.append(np.full(leading, -1), rows).astype(np.int32)
            data: FloatArray = np.append(np.ones(leading), values[rows])
            self.entries.append((indices, data))
            self.costs.append(float(self.program.cost @ x))
        return self.seen[key]

    def allowed(self, group: Group) -> IntArray:
        """The places of the points and rays that a group's bounds allow."""
        integer = self.program.integer
        old = self._integers.reshape(len(self._integers), int(integer.sum()))
        if len(old) < len(self.points):
            new = [point[integer] for point in self.points[len(old) :]]
            old = np.concatenate([old, np.array(new)])
        self._integers = old
        low, high = group.lower[integer], group.upper[integer]
        part, rays = self._integers, np.array(self.rays, dtype=np.bool_)[:, None]
        # a ray stays within a bound in whose direction it does not go
        fits = (part >= np.where(rays, np.where(np.isfinite(low), 0.0, -np.inf), low)) & (
            part <= np.where(rays, np.where(np.isfinite(high), 0.0, np.inf), high)
        )
        return np.flatnonzero(fits.all(axis=1))


@dataclass(frozen=True)
class Relaxed:
    """The solution of a master: weights of points by group, and the linking columns.

    In a dive, ``fixed`` contains points (kind, place, number) that are fixed, ``sides`` what they
    leave of the linking rows, and ``limits`` the groups that are left.
    """

    limits: Groups
    weights: tuple[dict[int, float], ...]
    x: FloatArray
    sides: tuple[FloatArray, FloatArray]
    fixed: tuple[tuple[int, int, int], ...] = ()


class Blocks(Engine):
    """Column generation over points of groups, whose numbers of blocks are rows of the master."""

    penalty = 1e3

    def __init__(self, search: BlockTree, limits: Groups, fixed: float = 0.0) -> None:
        """``fixed`` is the value of the points that a dive has fixed."""
        self.search, self.fixed, self.counts = search, fixed, limits.counts
        k = len(limits.groups)
        counts = np.array([group.count for group in limits.groups], dtype=np.float64)
        empty = sparse.csr_array((k, search.static.shape[1]))
        program = replace(
            search.blank,
            rows=sparse.vstack([search.static, empty], format="csr"),
            row_lower=np.append(search.row_lower, counts),
            row_upper=np.append(search.row_upper, counts),
            row_names=(),
            constant=search.program.constant + fixed,
        )
        super().__init__(LiveProgram(program, search.lean))
        # group and point of each column, and the column of each point by group, or -1
        self.group, self.point_number = (np.zeros(0, dtype=np.intp) for _ in range(2))
        self.column = [np.zeros(0, dtype=np.intp) for _ in limits.groups]
        self.answers: Sequence[BlockAnswer] = ()  # of the best bound

    def enter_node(self, limits: Groups, basis: Any) -> None:
        """Begin a node with a basis, or the last one, and the points that its groups allow."""
        self.limits, pools = limits, self.search.pools
        self.searches = any(self.search.pricers[g.kind].searched for g in limits.groups)
        self.share = 0.0 if self.search.current.depth else 0.5
        fits = [pools[group.kind].allowed(group) for group in limits.groups]
        # points that came since, in other groups
        self.entering = []
        for g, places in enumerate(fits):
            self.entering += [(g, p) for p in places[self.columns_of(g)[places] < 0].tolist()]
        self.enter()
        upper = np.zeros(len(self.point_number))
        for g, places in enumerate(fits):
            upper[self.column[g][places]] = np.inf
        zeros = np.zeros(len(upper))
        box = np.append(limits.lower, zeros), np.append(limits.upper, upper)
        self.begin(*box, basis)

    def columns_of(self, g: int) -> IntArray:
        """The column of each point in a group, or -1."""
        missing = len(self.search.pools[self.limits.groups[g].kind].points) - len(self.column[g])
        if missing:
            self.column[g] = np.append(self.column[g], np.full(missing, -1))
        return self.column[g]

    def admit(self) -> NewColumns:
        """A point has its entries in the linking rows, and 1 in the row of its group."""
        pools = [self.search.pools[group.kind] for group in self.limits.groups]
        entering, m = self.entering, self.search.row_lower.size
        entries = [pools[g].entries[p] for g, p in entering]
        sizes = [rows.size for rows, _ in entries]
        rows = np.concatenate([rows for rows, _ in entries])
        data = np.concatenate([values for _, values in entries])
        group_rows = np.repeat([g for g, _ in entering], sizes)[rows < 0]
        rows[rows < 0] = m + group_rows
        starts = np.cumsum([0, *sizes]).astype(np.int32)
        shape = m + len(pools), len(entering)
        for k, (g, p) in enumerate(entering, start=len(self.point_number)):
            self.column[g][p] = k
        self.group = np.append(self.group, [g for g, _ in entering]).astype(np.intp)
        self.point_number = np.append(self.point_number, [p for _, p in entering]).astype(np.intp)
        zeros = np.zeros(len(entering))
        cost = np.array([pools[g].costs[p] for g, p in entering])
        matrix = sparse.csc_array((data, rows, starts), shape=shape)
        return NewColumns(matrix, cost, zeros, zeros + np.inf)

    def price_and_bound(self, y: FloatArray, budget: Budget) -> bool:
        """Price blocks at multipliers y (m_0 + groups,), and update the bound; in phase one at its
        multipliers alone, where a bound above 0 shows that there is no point.
        """
        search, farkas = self.search, self.restricted.in_phase_one
        master_y = self.y
        if farkas:
            y = master_y = self.restricted.farkas
        bound, answers = search.price(self.limits, y, phase_one=farkas, gap=self.gap, count=5)
        if farkas:
            bound = math.inf if bound > search.noise(y) else -math.inf
        if bound > (-math.inf if self.bound is None else self.bound):
            self.bound, self.best_y, self.answers = bound + self.fixed, y, answers
        # columns that improve the master at its own multipliers
        mu, pi = np.split(master_y, [search.row_lower.size])
        for g, (group, answer) in enumerate(zip(self.limits.groups, answers, strict=True)):
            pool = search.pools[group.kind]
            cost = (0.0 if farkas else pool.program.cost) - pool.transpose @ mu
            slack = PRICED_OUT * max(1.0 if farkas else search.scale, abs(pi[g]))
            places = [pool.add(p) for p in answer.points if cost @ p - pi[g] < -slack]
            if answer.ray is not None and cost @ answer.ray < -slack:
                places.append(pool.add(answer.ray, ray=True))
            column = self.columns_of(g)
            self.entering += [(g, p) for p in dict.fromkeys(places) if column[p] < 0]
        return bool(self.entering)

    def weights(self) -> tuple[dict[int, float], ...]:
        """The positive weights of points by group, at the best point."""
        weights: tuple[dict[int, float], ...] = tuple({} for _ in self.limits.groups)
        x = self.point()
        assert x is not None
        values = x[self.n_initial :]
        for k in np.flatnonzero(values > 1e-9).tolist():
            weights[self.group[k]][int(self.point_number[k])] = float(values[k])
        return weights


class BlockTree(Tree):
    """The tree of a structure, with pools of points of its blocks."""

    def __init__(self, structure: Structure, loop: ModelLoop, budget: Budget) -> None:
        settings = loop.settings
        self.structure, self.program = structure, structure.program
        program, rows, columns = self.program, structure.linking_rows, structure.linking_columns
        links = program.rows[rows]
        self.row_lower, self.row_upper = program.row_lower[rows], program.row_upper[rows]
        self.static = links[:, columns].tocsc()
        self.transpose = self.static.T.tocsr()
        self.static_integer = program.integer[columns]
        # the linking columns alone
        self.blank = replace(
            block_program(program, Block(rows, columns)), integer=self.static_integer & False
        )
        solver = settings.for_solver(budget)
        self.lean = lean = replace(solver, solver_options={}, log=None, time_limit=None)
        self.pools: list[Pool] = []
        self.pricers: list[BlockPricer] = []
        groups = []
        for k, kind in enumerate(structure.kinds):
            block = kind.first
            subprogram = with_implied_bounds(block_program(program, block))
            entries = links[:, block.columns].tocsr()
            self.pools.append(Pool(subprogram, entries, entries.T.tocsr()))
            self.pricers.append(BlockPricer(subprogram, lean, lambda: budget.limit))
            groups.append(Group(k, kind.count, subprogram.lower, subprogram.upper))
        # the root has all blocks
        root = Groups(tuple(groups), program.lower[columns], program.upper[columns])
        super().__init__(loop, budget, root, rows.size)
        # before any pricing the bounds of columns alone bound the objective
        self.current = replace(self.heap[0], bound=dual_bound(program.of_rows(()), np.zeros(0))[0])
        self.heap[0] = self.current
        self.checkpoint = settings.sharing.checkpoint
        self.multipliers: FloatArray | None = None  # of all rows of a linear program
        # the best bound of the root, and the multipliers (m_0,) of the linking rows that prove it
        self.root_bound, self.root_multipliers = -math.inf, np.zeros(rows.size)
        self.scale = float(np.abs(program.cost).max(initial=0.0)) or 1.0
        # linking rows with only nonnegative terms bound the columns that a dive has not fixed
        part = links.tocoo()
        wrong = (part.data < 0.0) | (program.lower[part.coords[1]] < 0.0)
        self.packing = np.bincount(part.coords[0][wrong], minlength=rows.size) == 0
        self.message = self.empty = ""  # ``empty``: of a block without a point
        self.relaxed = not program.integer.any()  # whether the root has its bound
        self.new_points: list[FloatArray] = []  # points from elsewhere, judged before the next node
        self.engine: Blocks | None = None  # of the last node of the tree
        self.executor = Executor()
        integer = bool(program.integer.any())
        self.heuristics = ((self.dive, 0.2), (self.fix_and_solve, 0.1)) if integer else ()
        self.resume()

    @property
    def iterations(self) -> int:
        """The number of solved nodes."""
        return len(self.nodes)

    @property
    def identity(self) -> dict[str, str]:
        """The values that identify the program and its structure in a record."""
        structure = self.structure
        kinds = [[b.rows.tolist(), b.columns.tolist()] for k in structure.kinds for b in k.blocks]
        linking = structure.linking_rows.tolist(), structure.linking_columns.tolist()
        return identity(self.program, self.program.integer.tolist(), *linking, kinds)

    # bounds

    def price(
        self,
        node: Groups,
        mu: FloatArray,
        *,
        phase_one: bool = False,
        gap: float = 0.0,
        count: int = 1,
    ) -> tuple[float, list[BlockAnswer]]:
        """The Lagrangian bound at multipliers mu (m_0,), and the answers of the groups.

        The multipliers of groups may follow in mu; the bound takes the best ones.
        """
        mu = mu[: self.row_lower.size]
        # a multiplier of a side that is not there is 0
        mu = np.where((mu > 0.0) & np.isinf(self.row_lower), 0.0, mu)
        mu = np.where((mu < 0.0) & np.isinf(self.row_upper), 0.0, mu)
        sides = np.where(mu > 0.0, self.row_lower, self.row_upper)
        bound = float(mu[mu != 0.0] @ sides[mu != 0.0])
        bound += 0.0 if phase_one else self.program.constant
        reduced = (0.0 if phase_one else self.blank.cost) - self.transpose @ mu
        reduced[np.abs(reduced) <= PRICED_OUT * self.scale] = 0.0
        corner = np.where(reduced > 0.0, node.lower, node.upper)
        nonzero = reduced != 0.0
        bound += float(reduced[nonzero] @ corner[nonzero])
        requests = []
        for group in node.groups:
            pool = self.pools[group.kind]
            cost = (0.0 if phase_one else pool.program.cost) - pool.transpose @ mu
            # several columns a call serve several blocks
            given = cost, group.lower, group.upper, min(count, group.count), gap
            requests.append((group.kind, given))
            self.pricers[group.kind].calls += 1
        self.budget.check()
        answers = call_blocks(self.executor, price_blocks, self.pricers, requests, self.budget)
        bounds = [group.count * a.bound for group, a in zip(node.groups, answers, strict=True)]
        # a block without a point leaves the node without one
        if math.inf in bounds:
            if node is self.root:
                own = self.pools[node.groups[bounds.index(math.inf)].kind].program
                self.empty = f"the block of row {own.row_names[0]} has no point"
            return math.inf, answers
        bound += sum(bounds)
        if node is self.root and not phase_one and bound > self.root_bound:
            self.root_bound, self.root_multipliers = bound, mu
        return bound, answers

    @property
    def prices(self) -> dict[str, float]:
        """The multipliers of the root's best bound by row, in the program's sense and order."""
        rows, mu = self.structure.linking_rows, self.program.sense * self.root_multipliers + 0.0
        return {self.program.row_names[rows[k]]: float(mu[k]) for k in np.argsort(rows).tolist()}

    def rounded(self, bound: float) -> float:
        """The bound, raised to the next possible objective."""
        return raised_bound(self.program, bound) if math.isfinite(bound) else bound

    def closed(self, bound: float) -> bool:
        """Whether a bound shows that there is nothing better than the best point."""
        return bound == math.inf or bound_met(self.program, self.value, bound, self.settings.tol)

    @property
    def size(self) -> int:
        """The number of points and rays."""
        return sum(len(pool.points) for pool in self.pools)

    @property
    def searched(self) -> bool:
        """Whether a bound is that of a search."""
        return any(p.searched and (p.calls or self.resumed) for p in self.pricers)

    # column generation at a node

    def relax(self, node: Node) -> Relaxed | None:
        """Column generation at a node; None if its bound closes it, or if it has no point."""
        while self.new_points:
            self.offer(self.new_points.pop())
        if not self.possible(node.restrictions):
            if node.number == 0:
                self.empty = "the bounds of the columns leave a linking row no value"
            self.current = replace(node, bound=math.inf)
            return None
        # a node with the same groups keeps the master
        if self.engine is None or self.engine.counts != node.restrictions.counts:
            self.engine = Blocks(self, node.restrictions)
        relaxed = self.solve_master(self.engine, node.restrictions)
        self.basis = None if relaxed is None else self.engine.basis()
        x = None if relaxed is None else self.assemble(relaxed)
        if x is not None:
            self.offer(x)
        return relaxed

    def solve_master(self, engine: Blocks, limits: Groups, *, tree: bool = True) -> Relaxed | None:
        """The solution of a master; None if its bound closes it, or if it has no point.

        Raises UnboundedError if the master is unbounded and has a point.
        """
        engine.enter_node(limits, self.current.basis if tree else None)
        self.generate(engine, tree=tree)
        if engine.bound is not None and self.closed(engine.bound):
            return None
        if engine.x is None:
            artificial = engine.restricted.artificial_sum
            raise SolverError(f"a master is infeasible by {artificial:.1e}, and no bound shows it")
        if engine.bound is None:
            raise SolverError("no multipliers of the blocks give a bound")
        # a linear program also has multipliers of all rows
        if all(answer.multipliers is not None for answer in engine.answers):
            y = self.multipliers = np.zeros(self.program.row_lower.size)
            y[self.structure.linking_rows] = engine.best_y[: self.row_lower.size]
            for group, answer in zip(limits.groups, engine.answers, strict=True):
                for block in self.structure.kinds[group.kind].blocks:
                    y[block.rows] = answer.multipliers
        sides = self.row_lower, self.row_upper
        return Relaxed(limits, engine.weights(), engine.x[: engine.n_initial], sides)

    def noise(self, mu: FloatArray) -> float:
        """What rounding may make of a bound of phase one at multipliers mu (m_0 + groups,)."""
        mu = mu[: self.row_lower.size]
        sides = np.where(mu > 0.0, self.row_lower, self.row_upper)
        terms = np.abs(mu * np.where(np.isfinite(sides), sides, 0.0)).sum()
        return 1e-7 * max(1.0, float(np.abs(mu).max(initial=0.0))) + 1e-12 * float(terms)

    # points

    def assemble(self, relaxed: Relaxed) -> FloatArray | None:
        """The point of the program that a master's solution gives, or None if it is fractional.

        Blocks with whole weights have these points. The only block of a group has the mean of its
        points; so have all blocks of a group whose points have equal integers.
        """
        x = np.zeros(self.program.cost.size)
        x[self.structure.linking_columns] = relaxed.x
        placed = [0] * len(self.structure.kinds)
        parts = [*zip(relaxed.limits.groups, relaxed.weights, strict=True)]
        for kind_number, p, number in relaxed.fixed:
            block = self.pools[kind_number].program
            parts.append((Group(kind_number, number, block.lower, block.upper), {p: float(number)}))
        for group, chosen in parts:
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
                same = len({pool.points[p][integer].tobytes() for p in points}) == 1
                is_integer = np.abs(mean - np.rint(mean))[integer].max(initial=0.0) <= WHOLE
                if not (group.count == 1 and is_integer) and not same:
                    return None
                values = [np.array(mean) for _ in range(group.count)]
            if len(values) != group.count:
                return None
            for p, w in rays:
                values[0] = values[0] + w * pool.points[p]
            for value in values:
                x[kind.blocks[placed[group.kind]].columns] = value
                placed[group.kind] += 1
        return x

    def offer(self, x: FloatArray) -> None:
        """Judge a point of the program, if it is better than the best so far."""
        if self.program.objective(x) < self.value:
            self.judge(self.program, x, self.lean)

    # the tree

    def divide(self, node: Node, relaxed: Relaxed) -> BlockBranch | None:
        """The division of a node at its fractional solution; None if it needs none."""
        # where all is whole but no point, as 1e-8 under a big M, at what is not quite whole
        return self._divide(relaxed, WHOLE) or self._divide(relaxed, 1e-9)

    def _divide(self, relaxed: Relaxed, tolerance: float) -> BlockBranch | None:
        """The division at numbers that are farther from whole ones than a tolerance."""
        # a linking column; outside its bounds by rounding, it would be divided for ever
        x = np.clip(relaxed.x, relaxed.limits.lower, relaxed.limits.upper)
        fraction = np.abs(x - np.rint(x))
        fraction[~self.static_integer] = 0.0
        if fraction.max(initial=0.0) > tolerance:
            j = int(fraction.argmax())
            return BlockBranch(None, j, math.floor(x[j]))
        # the number of blocks with x_j >= v, or the mean of x_j in a single block
        best: tuple[float, BlockBranch] | None = None
        spread: tuple[float, BlockBranch] | None = None
        for g, (group, chosen) in enumerate(
            zip(relaxed.limits.groups, relaxed.weights, strict=True)
        ):
            pool = self.pools[group.kind]
            points = [p for p in chosen if not pool.rays[p]]
            w = np.array([chosen[p] for p in points])
            values = np.array([pool.points[p] for p in points]).reshape(len(points), -1)
            integer = np.flatnonzero(pool.program.integer)
            # what rays add to the mean of a single block, or to one of several
            ray = np.zeros(values.shape[1])
            for p in chosen:
                ray += pool.rays[p] * chosen[p] * pool.points[p]
            if group.count == 1:
                mean = np.clip(w @ values + ray, group.lower, group.upper)[integer]
                frac = np.abs(mean - np.rint(mean))
                k = int(frac.argmax()) if frac.size else 0
                if frac.size and frac[k] > tolerance and (best is None or frac[k] > best[0]):
                    level = math.floor(mean[k]) + 1.0
                    best = float(frac[k]), BlockBranch(g, int(integer[k]), 0, level)
                continue
            for j in integer[np.abs(ray - np.rint(ray))[integer] > tolerance].tolist():
                # a block beyond all points, or none, if nothing else divides the group
                rises = ray[j] > 0.0
                v = float(values[:, j].max()) + 1.0 if rises else float(values[:, j].min())
                spread = spread or (math.inf, BlockBranch(g, j, 0 if rises else group.count - 1, v))
            fractional = np.abs(w - np.rint(w)) > tolerance
            for j in integer[np.ptp(values[:, integer], axis=0) > 0.0].tolist():
                for v in np.unique(values[:, j])[1:].tolist():
                    a = min(float(w[values[:, j] >= v].sum()), float(group.count))
                    frac_a = abs(a - round(a))
                    if frac_a > tolerance:
                        if best is None or frac_a > best[0]:
                            best = frac_a, BlockBranch(g, j, math.floor(a), v)
                    elif len({*(values[fractional][:, j] >= v).tolist()}) == 2:
                        # whole sums of fractional points: divide the group at this number
                        share = abs(a / group.count - 0.5)
                        if spread is None or share < spread[0]:
                            spread = share, BlockBranch(g, j, round(a), v, exactly=True)
        chosen_branch = best or spread
        return None if chosen_branch is None else chosen_branch[1]

    def possible(self, node: Groups) -> bool:
        """Whether the bounds of groups and columns allow each linking row, one row at a time."""
        lows = np.zeros(self.row_lower.size)
        highs = np.zeros(self.row_lower.size)
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
            lows += count * np.bincount(entries.coords[0], entries.data * low, size)
            highs += count * np.bincount(entries.coords[0], entries.data * high, size)
        room = 1e-6 * (1.0 + np.abs(np.where(np.isfinite(lows), lows, 0.0)))
        return not ((lows > self.row_upper + room).any() or (highs < self.row_lower - room).any())

    def run(self) -> Status:
        """Search until the bound meets the best point or the budget ends."""
        with self.settings.sharing.executor(len(self.pricers), self.budget) as self.executor:
            reason = self.loop.reason = self.search()
        if reason is not Reason.TOLERANCE:
            return Status.LIMIT
        if self.closed(self.lower_bound()):
            if self.best is not None:
                return Status.OPTIMAL
            root = "no points of the blocks meet the linking rows: proved by their multipliers"
            tree = "no node of the tree has a point"
            self.message = self.empty or (tree if len(self.nodes) > 1 else root)
            return Status.INFEASIBLE
        # a leaf that no branch divides
        self.loop.reason = Reason.STALLED
        self.message = "a node has a solution that is no point, and that no branch cuts off"
        return Status.FAILED

    # records, and their verification

    def write_branch(self, branch: BlockBranch) -> dict[str, Any]:
        return vars(branch)

    def read_branch(self, stored: Mapping[str, Any]) -> BlockBranch:
        return BlockBranch(**stored)

    def write_parts(self) -> dict[str, Any]:
        """The points and rays of each kind, and the best bound of the root."""
        pairs = (zip(pool.points, pool.rays, strict=True) for pool in self.pools)
        root = [as_json(self.root_bound), self.root_multipliers.tolist()]
        return {"root": root, "points": [[[x.tolist(), ray] for x, ray in pool] for pool in pairs]}

    def read_parts(self, stored: Mapping[str, Any]) -> None:
        """Resume from the points of a record, from its best point and its bound of the root."""
        self.root_bound = float(stored["root"][0])
        self.root_multipliers = np.array(stored["root"][1], dtype=np.float64)
        for pool, points in zip(self.pools, stored["points"], strict=True):
            for x, ray in points:
                pool.add(np.array(x, dtype=np.float64), ray=bool(ray))
        if stored["point"] is not None:
            self.offer(np.array(stored["point"], dtype=np.float64))

    def faults(
        self,
        bound: float | None,
        nodes: Sequence[Node] | None = None,
        open_nodes: Sequence[Node] | None = None,
    ) -> Iterator[str]:
        """What a second computation of the tree finds wrong."""
        self.lift_limits()
        yield from super().faults(bound, nodes, open_nodes)

    def lift_limits(self) -> None:
        """Price without the budget of the run, to verify bounds. A search may take as long as the
        run, and a minute.
        """
        self.executor, self.budget = Executor(), Budget()
        limit = 60.0 + (self.loop.trace[-1].seconds if self.loop.trace else 0.0)
        # Ctrl-C ends only searches that poll an interrupt
        settings = SolveSettings(interrupted=lambda: False)
        self.pricers = [BlockPricer(pool.program, settings, lambda: limit) for pool in self.pools]

    def proved(self, node: Node) -> float:
        """The bound that the multipliers of a node prove, with those of phase one for infinity."""
        limits, mu = node.restrictions, node.multipliers
        if not self.possible(limits):
            return math.inf
        if node.bound < math.inf:
            return self.price(limits, mu)[0]
        return math.inf if self.price(limits, mu, phase_one=True)[0] > self.noise(mu) else -math.inf

    # points by a solver

    def fix_and_solve(self, node: Node, relaxed: Relaxed) -> None:
        """Fix the integers on which a node's points agree, and solve the rest of the program.

        A block has whole means of its points, or one point with a weight of at least 1. The solver
        has a tenth of the time so far.
        """
        program = self.program
        lower, upper = program.lower.copy(), program.upper.copy()
        placed = [0] * len(self.structure.kinds)
        for group, chosen in zip(relaxed.limits.groups, relaxed.weights, strict=True):
            pool, kind = self.pools[group.kind], self.structure.kinds[group.kind]
            integer = pool.program.integer
            blocks = kind.blocks[placed[group.kind] : placed[group.kind] + group.count]
            placed[group.kind] += group.count
            points = [(p, w) for p, w in chosen.items() if not pool.rays[p]]
            if group.count == 1:
                mean = sum((w * pool.points[p] for p, w in points), np.zeros(integer.size))
                agreed = integer & (np.abs(mean - np.rint(mean)) <= WHOLE)
                columns = blocks[0].columns[agreed]
                lower[columns] = upper[columns] = np.rint(mean)[agreed]
                continue
            taken = 0
            for p, w in points:
                for _ in range(math.floor(w + WHOLE)):
                    columns = blocks[taken].columns[integer]
                    lower[columns] = upper[columns] = pool.points[p][integer]
                    taken += 1
        self.solve_within(lower, upper)

    def solve_within(self, lower: FloatArray, upper: FloatArray) -> None:
        """Offer the point of a solver on the program within bounds (n,), in a tenth of the time."""
        limit = max(0.2, 0.1 * self.budget.seconds)
        timed = replace(self.lean, time_limit=min(limit, self.budget.limit or limit))
        with suppress(SolverError):
            answer = solve_program(replace(self.program, lower=lower, upper=upper), settings=timed)
            self.budget.check()
            if answer.x is not None:
                self.offer(answer.x)

    def observe(self, *, new: bool = True) -> None:
        # a root of seconds: a first point by a solver (assignment of 70 jobs with conflicts: after
        # 1.3 s, without it none in 40)
        seconds = self.budget.seconds
        root = not self.nodes and 0.1 * seconds >= 0.1 + self.spent["first"]
        with suppress(OutOfBudget):
            if root and seconds >= 3.0 and not self.relaxed:
                self.bound_by_relaxation()
            if root and self.best is None:
                self.solve_within(self.program.lower, self.program.upper)
        if root:
            self.spent["first"] += self.budget.seconds - seconds
        super().observe(new=new)

    def bound_by_relaxation(self) -> None:
        """Raise the bound of the root to that at the multipliers of the relaxation of the program.

        It is at least the value of the relaxation, where columns so far may bound little.
        """
        part = replace(self.program, integer=np.zeros_like(self.program.integer))
        self.relaxed = True
        with suppress(SolverError):
            result = solve_program(part, settings=replace(self.lean, time_limit=self.budget.limit))
            self.budget.check()
            if result.row_duals is not None:
                y = result.row_duals[self.structure.linking_rows]
                bound, _ = self.price(self.root, y)
                if bound > self.current.bound:
                    y = np.append(y, np.zeros(len(self.root.groups)))
                    self.current = replace(self.current, bound=bound, multipliers=y)

    # dives

    def parts_of(self, point: Relaxed) -> Iterator[list[tuple[int, int, int]]]:
        """Points (group, place, number) to fix: all whole parts at once, or the largest fraction,
        then one point after another.
        """
        choices = sorted(
            (
                # points that meet no linking row come last, for the blocks that remain
                (min(1.0, w) * (self.pools[group.kind].entries[p][0] >= 0).any(), w, g, p)
                for g, (group, chosen) in enumerate(
                    zip(point.limits.groups, point.weights, strict=True)
                )
                for p, w in chosen.items()
                if not self.pools[group.kind].rays[p]
            ),
            key=lambda choice: (-choice[0], -(choice[1] - math.floor(choice[1]))),
        )
        groups = [
            (g, p, math.floor(w + WHOLE)) for share, w, g, p in choices if share >= 1.0 - WHOLE
        ]
        first, *later = [[(g, p, 1)] for _, _, g, p in choices] or [[]]
        yield groups or first
        yield from later

    def fix(self, point: Relaxed, part: Sequence[tuple[int, int, int]]) -> Relaxed | None:
        """Fix points of blocks, and price what is left.

        A fixed point takes its blocks from its group, and its entries from the linking rows.
        """
        counts = [group.count for group in point.limits.groups]
        fixed, sides = list(point.fixed), (self.row_lower, self.row_upper)
        lower, upper = point.sides
        for g, p, number in part:
            number = min(number, counts[g])
            if number:
                counts[g] -= number
                kind = point.limits.groups[g].kind
                shift = number * (self.pools[kind].links @ self.pools[kind].points[p])
                lower, upper = lower - shift, upper - shift
                fixed.append((kind, p, number))
        try:
            self.row_lower, self.row_upper = lower, upper
            groups = tuple(
                replace(group, count=count, upper=self._room(group))
                for group, count in zip(point.limits.groups, counts, strict=True)
                if count
            )
            limits = replace(point.limits, groups=groups)
            inner: Relaxed | None = replace(point, limits=limits, weights=())
            if groups:
                if not self.possible(limits):
                    return None
                value = sum(number * self.pools[k].costs[p] for k, p, number in fixed)
                inner = self.solve_master(Blocks(self, limits, value), limits, tree=False)
        finally:
            self.row_lower, self.row_upper = sides
        if inner is None:
            return None
        inner = replace(inner, fixed=tuple(fixed))
        x = self.assemble(inner)
        if x is not None:
            self.offer(x)
        return inner if groups else None

    def _room(self, group: Group) -> FloatArray:
        """Upper bounds (n_k,) of integers that linking rows without negative entries leave."""
        links = self.pools[group.kind].links.tocoo()
        rows, columns = links.coords
        integer = self.pools[group.kind].program.integer
        binding = (links.data > 0.0) & self.packing[rows] & np.isfinite(self.row_upper[rows])
        binding &= integer[columns]
        upper = group.upper.copy()
        room = np.floor(self.row_upper[rows[binding]] / links.data[binding] + WHOLE)
        np.minimum.at(upper, columns[binding], np.maximum(room, group.lower[columns[binding]]))
        # more than a row still needs is useless in a dive, where no upper side bounds the row
        binding = (links.data > 0.0) & self.packing[rows] & np.isinf(self.row_upper[rows])
        binding &= integer[columns]
        need = np.ceil(np.maximum(self.row_lower[rows[binding]], 0.0) / links.data[binding] - WHOLE)
        np.minimum.at(upper, columns[binding], np.maximum(need, group.lower[columns[binding]]))
        return upper
