"""The global optimum for few points: branch and bound over the saturated ones.

A node says of some points that they are saturated, which costs 1, or fitted, with the convex loss
(|r| - eps_low)_+ / eps_up; the free ones cost nothing. Its program is a convex one, its multipliers
prove its bound (:mod:`radprog.models.regression.certificate`). The child that saturates a point
has the program of its parent. Nodes whose bound leaves no better value are not split.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression.cccp import Radius, far_from
from radprog.models.regression.certificate import (
    FITTED,
    FREE,
    SATURATED,
    balanced,
    least_bound,
    piece_bounds,
)
from radprog.models.regression.problem import RegressionClass, bounded_loss_bias
from radprog.solvers.dense.hinges import HingeProgram, solve_hinges

PIECE_GAP = 1e-10  # gap of a convex piece of bounded losses, relative to 1 + |value|
PRUNED = 0.5  # a node within this share of the tolerance is not split

GLOBAL_POINTS = 40
NODES_AT_ONCE = 128  # split in a round


@dataclass
class Node:
    """State of each point (n,); h (n,) and the multipliers g (n,) of its program; its bound."""

    states: IntArray
    h: FloatArray
    g: FloatArray
    bound: float


@dataclass
class Tree:
    """Open nodes by their bounds, closed ones, and the best function x (r + 1,) with its value."""

    problem: RegressionClass
    radius: Radius
    tol: float
    abs_tol: float
    x: FloatArray
    best: float = np.inf
    open: list[tuple[float, int, Node]] = field(default_factory=list)
    closed: list[Node] = field(default_factory=list)
    made: int = 0
    solved: int = 0

    def __post_init__(self) -> None:
        n = self.problem.n
        self.unit = 1.0 if self.radius.C is None else self.radius.C
        self.norm = self.radius.norm(n)
        self.flat = self.norm == 0.0 or self.problem.rank == 0
        self.factor = np.zeros((n, 1)) if self.flat else self.problem.factor
        self._offer(self.x[None])
        self._add(Node(np.full(n, FREE), np.full(n, self.x[-1]), np.zeros(n), 0.0))

    @property
    def bound(self) -> float:
        """Lower bound of the problem."""
        return self.certified(*self.leaves())

    def certified(self, states: IntArray, g: FloatArray) -> float:
        """The bound of these pieces, from the data."""
        return least_bound(self.problem, states, g, self.radius.A, self.radius.C)

    def leaves(self) -> tuple[IntArray, FloatArray]:
        """States and multipliers (L, n) of all nodes that are not split: they cover everything."""
        nodes = [*self.closed, *(node for _, _, node in self.open)]
        return np.array([node.states for node in nodes]), np.array([node.g for node in nodes])

    def step(self, iteration: int, budget: Budget) -> Record:
        """Split the open nodes of least bound."""
        # best first, many at once: their programs are one batch
        chosen = [heapq.heappop(self.open) for _ in range(min(NODES_AT_ONCE, len(self.open)))]
        try:
            self._split([node for _, _, node in chosen], budget)
        except OutOfBudget:
            for entry in chosen:
                heapq.heappush(self.open, entry)
            raise
        least = min((node.bound for node in self.closed), default=np.inf)
        bound = min(self.open[0][0] if self.open else np.inf, least, self.best)
        detail = {"open": float(len(self.open)), "nodes": float(self.solved)}
        return Record(iteration, budget.seconds, self.best, bound, detail)

    def _split(self, nodes: list[Node], budget: Budget) -> None:
        # branch on the free point of largest residual: fitted, or saturated
        points = [self._farthest(node) for node in nodes]
        states = np.array([node.states for node in nodes])
        rows = np.arange(len(nodes))
        states[rows, points] = FITTED
        fitted = self._solve(states, budget)
        for node, point, child in zip(nodes, points, fitted, strict=True):
            # the saturated child has the program of its parent, and costs 1 more
            other = node.states.copy()
            other[point] = SATURATED
            child.bound = max(child.bound, node.bound)
            self._add(child)
            self._add(Node(other, node.h, node.g, node.bound + self.unit))

    def _farthest(self, node: Node) -> int:
        """The free point whose residual is largest."""
        r = np.abs(self.problem.y - node.h)
        return int(np.where(node.states == FREE, r, -1.0).argmax())

    def _add(self, node: Node) -> None:
        """Keep a node, open where it may hold a better function and has a point to split on."""
        # pruned where its bound leaves no better value
        room = PRUNED * max(self.tol * abs(self.best), self.abs_tol)
        if node.bound >= self.best - room or not (node.states == FREE).any():
            self.closed.append(node)
            return
        heapq.heappush(self.open, (node.bound, self.made, node))
        self.made += 1

    def _solve(self, states: IntArray, budget: Budget) -> list[Node]:
        """The nodes of states (L, n), bounded; their functions are offered."""
        problem, far = self.problem, far_from(self.problem, self.norm)
        # a hinge regression of the fitted points; the others have no loss
        fitted = states == FITTED
        program = HingeProgram(
            F=self.factor,
            t1=np.where(fitted, problem.y - problem.loss.low, -far),
            t2=np.where(fitted, problem.y + problem.loss.low, far),
            c=np.zeros(states.shape),
            box=problem.bias_box(self.norm),
            radius=1.0 if self.flat else float(np.sqrt(self.norm)),
            price=self.radius.price(problem.loss.up),
        )
        solution = solve_hinges(program, tolerance=PIECE_GAP, poll=budget.check)
        self.solved += len(states)
        w = np.zeros((len(states), problem.rank)) if self.flat else solution.w
        x = np.concatenate([w, solution.b[:, None]], axis=1)
        self._offer(x)
        # its multipliers prove the bound
        g = balanced(solution.pull, states)
        bounds = piece_bounds(problem, states, g, self.radius.A, self.radius.C)
        h = problem.functions(x)
        return [Node(*parts) for parts in zip(states, h, g, bounds.tolist(), strict=True)]

    def _offer(self, x: FloatArray) -> None:
        """Take the best of the points x (L, r + 1), with their best biases, where it is better."""
        signs = -np.ones((len(x), self.problem.n))
        g = x[:, :-1] @ self.problem.factor.T
        b, _ = bounded_loss_bias(g, self.problem.y, signs, self.problem.loss)
        polished = np.concatenate([x[:, :-1], b[:, None]], axis=1)
        for points in (x, polished):
            values = self.radius.objective(self.problem, points, signs)
            k = int(values.argmin())
            if values[k] < self.best:
                self.best, self.x = float(values[k]), points[k]


@dataclass(frozen=True)
class NothingOpen:
    """Stop when no node is left to split."""

    tree: Tree
    reason = Reason.STALLED

    def __call__(self, trace: object) -> bool:
        return not self.tree.open


def check_branching(n: int) -> None:
    """OptionError where there are too many points for :class:`Tree`."""
    if n > GLOBAL_POINTS:
        raise OptionError(
            f"svr: method 'global' of {n} points branches over up to 2^{n} sets of saturated "
            f"points, at most {GLOBAL_POINTS} points are allowed: use method cccp, or export "
            "--form global for a solver of mixed-integer programs"
        )
