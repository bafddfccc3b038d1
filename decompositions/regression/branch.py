"""The global optimum for a small number of points, by branch and bound over the set of saturated
points.

In a node, a saturated point has the loss 1, and a free point has the loss 0. A fitted point has the
convex loss (|r| - eps_low)_+ / eps_up. The program of a node is convex, and its multipliers prove
its bound (:mod:`radprog.models.regression.certificate`). The child that saturates a point has the
program of its parent. A node is not split if its bound excludes a better value. A point with a
maximised loss is in one of three states. It can be fitted on either of two sides; each side has its
own convex function. Otherwise it is free and contributes -1.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget, Record
from radprog.decompositions.regression.cccp import Radius, far_kink
from radprog.models.regression.certificate import (
    FITTED,
    FREE,
    MIRRORED,
    SATURATED,
    balanced,
    piece_bounds,
)
from radprog.models.regression.problem import RegressionClass, bounded_loss_bias, piece
from radprog.solvers.dense.hinges import HingeProgram, solve_hinges

GLOBAL_POINTS = 40  # that a tree is for at most
NODES_AT_ONCE = 128  # split in a round


@dataclass
class Cell:
    """A node: the states (n,) of the points, the function values h (n,), the multipliers g (n,) of
    the program, and the bound.
    """

    states: IntArray
    h: FloatArray
    g: FloatArray
    bound: float


@dataclass
class CellTree:
    """The search tree: open nodes ordered by bound, closed nodes, and the best function x (r + 1,)
    with its objective.

    ``signs`` (n,) contains -1 for a minimised loss and +1 for a maximised loss. The default is -1.
    """

    problem: RegressionClass
    radius: Radius
    tol: float
    abs_tol: float
    x: FloatArray
    signs: FloatArray | None = None
    best: float = np.inf
    open: list[tuple[float, int, Cell]] = field(default_factory=list)
    closed: list[Cell] = field(default_factory=list)
    made: int = 0
    solved: int = 0

    def __post_init__(self) -> None:
        n = self.problem.n
        self.unit = 1.0 if self.radius.C is None else self.radius.C
        self.norm = self.radius.norm(n)
        self.flat = self.norm == 0.0 or self.problem.rank == 0
        self.factor = np.zeros((n, 1)) if self.flat else self.problem.factor
        self.sigma = -np.ones(n) if self.signs is None else self.signs
        self.raised = self.sigma > 0
        self.offer(self.x[None])
        # a free point costs what it may cost at least: nothing, or -1 where its loss is maximised
        lower = -self.unit * float(self.raised.sum())
        self._add(Cell(np.full(n, FREE), np.full(n, self.x[-1]), np.zeros(n), lower))

    def leaves(self) -> tuple[IntArray, FloatArray]:
        """The states and multipliers (L, n) of all nodes that are not split. These nodes cover all
        cases.
        """
        nodes = [*self.closed, *(node for _, _, node in self.open)]
        return np.array([node.states for node in nodes]), np.array([node.g for node in nodes])

    @property
    def floor(self) -> float:
        """The lower bound on the optimum from the nodes that are not split."""
        nodes = min((node.bound for node in self.closed), default=np.inf)
        return min(self.open[0][0] if self.open else np.inf, nodes, self.best)

    def take(self, count: int) -> list[Cell]:
        """Remove and return the open nodes with the smallest bounds, at most ``count``."""
        return [heapq.heappop(self.open)[2] for _ in range(min(count, len(self.open)))]

    def step(self, iteration: int, budget: Budget) -> Record:
        """Split the open nodes with the smallest bounds."""
        # best first, many at once: their programs are one batch
        nodes = self.take(NODES_AT_ONCE)
        try:
            split_nodes([(self, nodes)], budget)
        except OutOfBudget:
            for node in nodes:
                self._add(node)
            raise
        detail = {"open": float(len(self.open)), "nodes": float(self.solved)}
        return Record(iteration, budget.seconds, self.best, self.floor, detail)

    def branch(self, nodes: list[Cell]) -> tuple[list[Cell], IntArray, IntArray]:
        """The children with new programs, by their parents and states (L, n), and the branching
        points.
        """
        # branch on the free point that costs most above its share of the bound, of the largest
        # |residual|, or eps_low + eps_up - |residual| where its loss is maximised: fitted, or
        # saturated; a maximised loss has a convex piece on each side
        states = np.array([node.states for node in nodes])
        r = np.abs(self.problem.y - np.array([node.h for node in nodes]))
        loss, rows = self.problem.loss, np.arange(len(nodes))
        over = np.where(self.raised, loss.low + loss.up - r, r)
        points = np.where(states == FREE, over, -np.inf).argmax(axis=1)
        states[rows, points] = FITTED
        sides = np.flatnonzero(self.raised[points])
        mirrored = states[sides]
        mirrored[np.arange(len(sides)), points[sides]] = MIRRORED
        parents = [*nodes, *(nodes[k] for k in sides)]
        return parents, np.concatenate([states, mirrored]), points

    def grow(
        self, nodes: list[Cell], points: IntArray, parents: list[Cell], children: list[Cell]
    ) -> None:
        """Store the children of the nodes that were split at ``points``."""
        self.solved += len(children)
        for parent, child in zip(parents, children, strict=True):
            child.bound = max(child.bound, parent.bound)
            self._add(child)
        for node, point in zip(nodes, points, strict=True):
            # the saturated child has the program of its parent, and costs 1 more; a maximised
            # loss is 0 only inside of the tube
            if self.raised[point] and self.problem.loss.low == 0.0:
                continue
            sibling = node.states.copy()
            sibling[point] = SATURATED
            self._add(Cell(sibling, node.h, node.g, node.bound + self.unit))

    def _add(self, node: Cell) -> None:
        """Store a node. It is open if it may contain a better function and has a free point."""
        # pruned where its bound leaves no value better by half the tolerance
        room = 0.5 * max(self.tol * abs(self.best), self.abs_tol)
        if node.bound >= self.best - room or not (node.states == FREE).any():
            self.closed.append(node)
            return
        heapq.heappush(self.open, (node.bound, self.made, node))
        self.made += 1

    def solve(
        self, states: IntArray, sigma: FloatArray, budget: Budget
    ) -> tuple[FloatArray, list[Cell]]:
        """The functions x (L, r + 1) for states and signs (L, n), and the nodes with their
        bounds.
        """
        problem, far = self.problem, far_kink(self.problem, self.norm)
        raised = sigma > 0
        # a hinge regression of the fitted points; the others have no loss
        signs = np.where(states == FREE, 0.0, sigma)
        choice = np.where(states == FITTED, 0, np.where(raised & (states == SATURATED), 2, 1))
        hinges = piece(problem.y, signs, problem.loss, far, choice)
        program = HingeProgram(
            F=self.factor,
            t1=hinges.t1,
            t2=hinges.t2,
            c=np.zeros(states.shape),
            box=problem.bias_box(self.norm),
            radius=1.0 if self.flat else float(np.sqrt(self.norm)),
            price=self.radius.price(problem.loss.up),
        )
        # gap of a convex piece of bounded losses, relative to 1 + |value|
        solution = solve_hinges(program, tolerance=1e-10, poll=budget.check)
        w = np.zeros((len(states), problem.rank)) if self.flat else solution.w
        x = np.concatenate([w, solution.b[:, None]], axis=1)
        # its multipliers prove the bound despite rounding if all losses are minimised
        g = balanced(solution.pull, states)
        if raised.any():
            free = problem.loss.up * (raised & (states == FREE)).sum(axis=1)
            bounds = (solution.bound + hinges.constant - free) * self.unit / problem.loss.up
        else:
            bounds = piece_bounds(problem, states, g, self.radius.A, self.radius.C)
        h = problem.functions(x)
        return x, [Cell(*parts) for parts in zip(states, h, g, bounds.tolist(), strict=True)]

    def offer(self, x: FloatArray) -> None:
        """Store the best of the points x (L, r + 1) if it improves the objective. Each point is
        also tried with its best intercept.
        """
        signs = np.tile(self.sigma, (len(x), 1))
        g = x[:, :-1] @ self.problem.factor.T
        b, _ = bounded_loss_bias(g, self.problem.y, signs, self.problem.loss)
        polished = np.concatenate([x[:, :-1], b[:, None]], axis=1)
        for points in (x, polished):
            values = self.radius.objective(self.problem, points, signs)
            k = int(values.argmin())
            if values[k] < self.best:
                self.best, self.x = float(values[k]), points[k]


def split_nodes(parts: Sequence[tuple[CellTree, list[Cell]]], budget: Budget) -> int:
    """Split nodes of trees that differ only in their signs. Return the number of solved programs.

    All programs are solved in one batch.
    """
    branched = [tree.branch(nodes) for tree, nodes in parts]
    states = np.concatenate([states for _, states, _ in branched])
    counts = [len(parents) for parents, _, _ in branched]
    sigma = np.repeat([tree.sigma for tree, _ in parts], counts, axis=0)
    x, children = parts[0][0].solve(states, sigma, budget)
    ends = np.cumsum(counts)
    for (tree, nodes), (parents, _, points), end in zip(parts, branched, ends, strict=True):
        rows = slice(end - len(parents), end)
        tree.offer(x[rows])
        tree.grow(nodes, points, parents, children[rows])
    return len(states)


def complete_trees(trees: Iterator[CellTree], budget: Budget) -> Iterator[tuple[CellTree, int]]:
    """Yield each completed tree, in order, and the number of programs solved so far.

    The trees differ only in their signs. A batch takes nodes from the first open tree before nodes
    from the next trees. Raises OutOfBudget.
    """
    # all 1,024 sign vectors of 10 rows in shared batches: 3 s, 54 each tree by itself
    begun: deque[CellTree] = deque()
    solved = 0
    while True:
        budget.check()
        room, parts, waiting = NODES_AT_ONCE, list[tuple[CellTree, list[Cell]]](), deque(begun)
        while room:
            if not waiting:
                begun.extend(added := list(islice(trees, 1)))
                waiting.extend(added)
            if not waiting:
                break
            tree = waiting.popleft()
            if nodes := tree.take(room):
                parts.append((tree, nodes))
                room -= len(nodes)
        if parts:
            solved += split_nodes(parts, budget)
        while begun and not begun[0].open:
            yield begun.popleft(), solved
        if not (begun or parts):
            return
