"""Exact pricing over the l1 ball, by branch and bound over the best pattern of each positive
series.

The edge of u = sum_k alpha_k Phi(z_k) is sum_p d_p max_j (K alpha)_pj - sum_q d_q max_j (K
alpha)_qj. A node restricts each positive series p to an interval J_p of its patterns, and replaces
the maximum by the bound

    max_{j in J_p} (K alpha)_pj <= sum_k alpha_k^+ max_{J_p} K_pj,k - alpha_k^- min_{J_p} K_pj,k,

with equality if J_p contains one pattern, or if alpha has one entry. The result is a linear
program. It is the convex step with different costs for the two signs of a column. On the patterns
of each negative series q, its multipliers v sum to d_q. They prove

    edge <= radius max_k max(up_k - (Kv)_k, (Kv)_k - down_k).

A tree is stored as a list of nodes, starting with the root. An inner node is a split (series, first
pattern of the upper half), and a leaf contains its multipliers. The leaves therefore cover all
choices of patterns.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import OutOfBudget, poll
from radprog.base.tolerances import LEAST_DIVISOR, UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.convex_step import L1Step, Linearised, StepAnswer, correlations
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets
from radprog.decompositions.lpboost.weak_learners import BallLearner, Priced
from radprog.models.lpboost.settings import LPBoost

SEARCHED_PATTERNS = 3000  # n up to which the search is made: it holds K (n, n)
NODE_GAP = 1e-9  # relative gap of a node's program
PRUNED_SHARE = 0.25  # of the tolerance: a node within it of the largest edge in use is closed

Interval = tuple[int, int]


@dataclass(eq=False)
class Node:
    """A node: the intervals of the positive series, the multipliers (rows, mass) and the split."""

    intervals: tuple[Interval, ...]
    bound: float
    rows: IntArray
    mass: FloatArray
    cut: tuple[int, int] | None = None
    children: list[Node] = field(default_factory=list)


class BallTree:
    """The search over one ball at weights d (m,), for patterns with kernel values K (n, n)."""

    def __init__(self, problem: Shapelets, K: FloatArray, sign: float, d: FloatArray) -> None:
        self.problem, self.K, self.d = problem, K, d
        self.Q = len(K) // problem.m
        y = sign * problem.margin.y
        # series without weight stay: which have some is a matter of rounding
        self.positive, self.negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        self._reached: dict[tuple[int, Interval], tuple[FloatArray, FloatArray]] = {}

    @property
    def whole(self) -> tuple[Interval, ...]:
        """The intervals of the root."""
        return ((0, self.Q),) * len(self.positive)

    def reach(self, intervals: tuple[Interval, ...]) -> tuple[FloatArray, FloatArray]:
        """The arrays up and down (n,): the largest and the smallest sum_p d_p K_pj over the
        intervals.
        """
        up, down = np.zeros(len(self.K)), np.zeros(len(self.K))
        for i, interval in enumerate(intervals):
            if (i, interval) not in self._reached:
                first = int(self.positive[i]) * self.Q
                block = self.K[first + interval[0] : first + interval[1]]
                self._reached[i, interval] = block.max(axis=0), block.min(axis=0)
            high, low = self._reached[i, interval]
            weight = self.d[self.positive[i]]
            up += weight * high
            down += weight * low
        return up, down

    def proved(self, intervals: tuple[Interval, ...], rows: IntArray, mass: FloatArray) -> float:
        """The bound on the edge in a node, from its multipliers after they are scaled to the sums
        d_q.

        The bound includes the rounding error.
        """
        poll()
        owner, v = rows // self.Q, np.zeros(len(self.d))
        np.add.at(v, owner, mass)
        scaled = mass * np.divide(self.d, v, out=np.zeros(len(v)), where=v > 0)[owner]
        # a series without multipliers has them on its first pattern
        bare = self.negative[v[self.negative] <= 0]
        level = scaled @ self.K[rows] + self.d[bare] @ self.K[bare * self.Q]
        largest = float(np.abs(correlations(*self.reach(intervals), level)).max())
        terms = len(self.d) + len(rows)
        error = 8.0 * (terms + 2) * UNIT_ROUNDOFF * float(np.abs(self.K).max())
        return self.problem.radius * (largest + error)

    def edge(self, alpha: FloatArray) -> tuple[float, FloatArray]:
        """The edge of coefficients alpha (n,), and their scores K alpha (n,)."""
        scores = self.K @ alpha
        best = scores.reshape(-1, self.Q).max(axis=1)
        signed = self.d[self.positive] @ best[self.positive]
        return float(signed - self.d[self.negative] @ best[self.negative]), scores

    def split(self, node: Node, answer: StepAnswer) -> tuple[int, int] | None:
        """The series with the least accurate bound and the split of its patterns, or None if all
        bounds are exact.
        """
        alpha = np.zeros(len(self.K))
        alpha[answer.patterns] = answer.alpha
        scores = self.K @ alpha
        used = answer.patterns
        worst, place = -np.inf, None
        for i, (low, high) in enumerate(node.intervals):
            if high - low == 1 or not self.d[self.positive[i]] > 0:
                continue
            first = int(self.positive[i]) * self.Q
            block = self.K[first + low : first + high][:, used] * answer.alpha
            miss = self.d[self.positive[i]] * float(
                block.max(axis=0).sum() - scores[first + low : first + high].max()
            )
            if miss > worst:
                # between the best patterns of the columns, as heavy on both sides
                tops, weight = block.argmax(axis=0), np.abs(answer.alpha)
                middle = round(float(tops @ weight / max(weight.sum(), LEAST_DIVISOR)) + 0.5)
                worst, place = miss, (i, low + min(max(middle, 1), high - low - 1))
        return place

    def search(
        self, step: L1Step, level: float, budget: Budget
    ) -> tuple[Node, FloatArray | None, float]:
        """Search until a point has an edge above ``level``, or no node can contain one.

        Returns the tree, the point alpha (n,) with the largest edge, and this edge. If the budget
        runs out, they are the best so far.
        """
        best, point = -np.inf, None
        root, answer = self._solve(self.whole, step, level, budget)
        queue: list[tuple[float, int, Node, StepAnswer]] = []
        made, fresh = 0, [(root, answer)]
        while True:
            for node, found in fresh:
                alpha = np.zeros(len(self.K))
                alpha[found.patterns] = found.alpha
                edge, _ = self.edge(alpha)
                if edge > best:
                    best, point = edge, alpha
                made += 1
                if node.bound > level:
                    heapq.heappush(queue, (-node.bound, made, node, found))
            if best > level or not queue:
                return root, point, best
            _, _, node, found = heapq.heappop(queue)
            cut = self.split(node, found)
            if cut is None:  # its program is exact: what is left is its gap
                fresh = []
                continue
            # two halves of the patterns of one series
            i, at = cut
            low, high = node.intervals[i]
            halves = [
                (*node.intervals[:i], half, *node.intervals[i + 1 :])
                for half in ((low, at), (at, high))
            ]
            try:
                fresh = [self._solve(half, step, level, budget) for half in halves]
            except OutOfBudget:
                return root, point, best
            node.cut, node.children = cut, [child for child, _ in fresh]

    def _solve(
        self, intervals: tuple[Interval, ...], step: L1Step, level: float, budget: Budget
    ) -> tuple[Node, StepAnswer]:
        answer = step(
            Linearised(
                d=self.d,
                positive=self.positive,
                negative=self.negative,
                slopes=np.zeros(0, dtype=np.intp),
                reach=self.reach(intervals),
                enough=-level,
            ),
            budget,
        )
        rows, mass = answer.proof or (np.zeros(0, dtype=np.intp), np.zeros(0))
        return Node(intervals, self.proved(intervals, rows, mass), rows, mass), answer


def pattern_values(problem: Shapelets, family: int) -> FloatArray:
    """The kernel matrix K (n, n) of a family. Raises OptionError if n is too large."""
    chosen = problem.families[family]
    if chosen.n > SEARCHED_PATTERNS:
        raise OptionError(
            f"pricing 'exact' searches among {chosen.n} patterns of {chosen.cut.name}: "
            f"expected at most {SEARCHED_PATTERNS}; choose longer patterns or fewer series"
        )
    return chosen.gram.rows(np.arange(chosen.n))


def leaves(node: Node) -> Iterator[Node]:
    """The nodes without a split."""
    if node.cut is None:
        yield node
    for child in node.children:
        yield from leaves(child)


def stored(node: Node) -> list[Any]:
    """The tree as JSON-compatible values, with each node before its two children."""
    if node.cut is None:
        return [{"rows": node.rows.tolist(), "mass": node.mass.tolist()}]
    return [list(node.cut), *(part for child in node.children for part in stored(child))]


def bound_of_tree(tree: BallTree, parts: Sequence[Any]) -> float:
    """The largest bound over the leaves of a stored tree, recomputed from the data.

    Raises DataError, or one of MALFORMED, if the tree does not belong to this problem.
    """
    nodes, best = iter(parts), -np.inf
    open_: list[tuple[Interval, ...]] = [tree.whole]
    while open_:
        intervals, part = open_.pop(), next(nodes, None)
        if isinstance(part, Mapping):
            rows = np.asarray(part["rows"], dtype=np.intp)
            mass = np.asarray(part["mass"], dtype=np.float64)
            owners = np.isin(rows // tree.Q, tree.negative)
            if rows.shape != mass.shape or not owners.all() or not (mass >= 0).all():
                raise DataError("the stored search does not fit this data set")
            best = max(best, tree.proved(intervals, rows, mass))
            continue
        i, at = (int(x) for x in part or ())
        low, high = intervals[i]
        if not low < at < high:
            raise DataError("the stored search does not fit this data set")
        halves = (at, high), (low, at)
        open_ += [(*intervals[:i], half, *intervals[i + 1 :]) for half in halves]
    return best


def stored_bound(problem: Shapelets, d: FloatArray, stored_trees: Sequence[Any]) -> float | None:
    """The largest bound of the stored trees of all balls at weights d (m,), or None if a ball has
    no tree.
    """
    bounds: list[float] = []
    places = {(int(item["family"]), float(item["sign"])): item["tree"] for item in stored_trees}
    signs = {sign for _, sign in places}
    for f in range(len(problem.families)):
        balls = [(f, sign) for sign in sorted(signs or {1.0})]
        if any(ball not in places for ball in balls):
            return None
        K = pattern_values(problem, f)
        bounds += [
            bound_of_tree(BallTree(problem, K, sign, d), places[f, sign]) for f, sign in balls
        ]
    return max(bounds)


class ExactBallLearner(BallLearner):
    """A learner over balls. It uses DCA first, and the exact search if DCA returns no
    hypothesis.
    """

    def __init__(self, spec: LPBoost, problem: Shapelets, seed: int, tol: float) -> None:
        super().__init__(spec, problem, seed)
        self.tol = tol
        self._values: dict[int, FloatArray] = {}  # of each family, for all rounds and both signs
        self.steps = [L1Step(ball.gram, problem.m, problem.radius, NODE_GAP) for ball in self.balls]

    def __call__(
        self, d: FloatArray, threshold: float, current: Sequence[Hypothesis], budget: Budget
    ) -> Priced:
        """Price hypotheses like :class:`BallLearner`. If DCA returns no hypothesis, use the exact
        search.
        """
        # DCA first: a hypothesis above the threshold needs no search
        priced = super().__call__(d, threshold, current, budget)
        if priced.hypotheses:
            return priced
        # branch and bound over every ball: only edges above those in the ensemble are of use
        gamma = max((self._edge(h, d) for h in current), default=priced.edge)
        level = gamma + PRUNED_SHARE * self.tol * abs(gamma)
        found, trees, bound, nodes = [], [], -np.inf, 0.0
        for ball, step in zip(self.balls, self.steps, strict=True):
            if ball.family not in self._values:
                self._values[ball.family] = pattern_values(self.problem, ball.family)
            tree = BallTree(self.problem, self._values[ball.family], ball.sign, d)
            root, point, edge = tree.search(step, level, budget)
            parts = list(leaves(root))
            nodes += 2.0 * len(parts) - 1.0
            bound = max(bound, *(leaf.bound for leaf in parts))
            if edge > level and point is not None:
                found.append((edge, ball.hypothesis(point)))
            trees.append({"family": ball.family, "sign": ball.sign, "tree": stored(root)})
        # the best hypothesis of every ball, the largest edge first
        detail = {**priced.detail, "nodes": nodes}
        found.sort(key=lambda pair: -pair[0])
        edge = max(priced.edge, *(edge for edge, _ in found)) if found else priced.edge
        return Priced(
            hypotheses=tuple(h for _, h in found),
            edge=edge,
            bound=bound,
            detail=detail,
            trees=trees,
        )

    def _edge(self, hypothesis: Hypothesis, d: FloatArray) -> float:
        return float(self.problem.margin.edges(hypothesis.values[None, :], d)[0])
