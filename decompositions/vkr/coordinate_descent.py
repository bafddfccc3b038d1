"""Coordinate descent for Voted Kernel Regularization (Appendix C)."""

from __future__ import annotations

import numpy as np

from radprog.base.tolerances import ON_MARGIN
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.loop import Budget, Reason, run, stalled
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.pricing import Solved
from radprog.instances.data import row_shares
from radprog.models.vkr.problem import Incumbent, VotedKernels


class CoordinateDescent:
    """Coordinate descent (Appendix C): one coefficient at a time, with an exact line search on
    F."""

    def __init__(self, problem: VotedKernels) -> None:
        self.problem = problem
        p, m, c = problem.bank.shape
        self.alpha = np.zeros((p, c))
        self.margins = np.zeros(m)

    def objective(self) -> float:
        """The objective F at the current coefficients."""
        hinges = np.maximum(0.0, 1.0 - self.margins)
        hinge = float(np.average(hinges, weights=self.problem.weights))
        return hinge + float(self.problem.prices @ np.abs(self.alpha).sum(axis=1))

    def _move(self, k: int, j: int, column: FloatArray) -> bool:
        """Minimise F over alpha_kj exactly, and return whether it moved. ``column`` is y * K_k(.,
        c_j) (m,).
        """
        old = self.alpha[k, j]
        price = float(self.problem.prices[k])
        step = exact_step(self.margins, column, old, price, self.problem.weights)
        if step == 0.0:
            return False
        self.alpha[k, j] = 0.0 if step == -old else old + step
        self.margins = self.margins + step * column
        return True

    def steepest(self, budget: Budget) -> None:
        """Make at most m steps by the paper's rule, which moves the coordinate with the largest
        |subgradient|. Stop early if this coordinate does not move.
        """
        problem = self.problem
        prices = problem.prices[:, None]
        for _ in range(problem.m):
            budget.check()
            # subgradient of least size: of a coefficient at 0 what exceeds its price
            d = (self.margins < 1.0) * problem.costs
            slope = -problem.bank.correlate(problem.y * d)
            moving = slope + np.sign(self.alpha) * prices
            resting = np.sign(slope) * np.maximum(np.abs(slope) - prices, 0.0)
            subgradient = np.where(self.alpha != 0.0, moving, resting)
            k, j = divmod(int(np.abs(subgradient).argmax()), subgradient.shape[1])
            column = problem.y * problem.bank.columns(np.array([[k, j]], dtype=np.intp))[:, 0]
            if subgradient[k, j] == 0.0 or not self._move(k, j, column):
                return

    def sweep(self, budget: Budget) -> None:
        """Make a step in every coordinate. The paper's rule may stop at a kink where steps in other
        coordinates still decrease F.
        """
        # one kernel matrix at a time
        p, _, c = self.problem.bank.shape
        for k in range(p):
            columns = self.problem.y[:, None] * self.problem.bank.gram(k)
            for j in range(c):
                if j % 64 == 0:
                    budget.check()
                self._move(k, j, columns[:, j])

    def dual_point(self) -> FloatArray:
        """The dual point d (m,) from complementarity: c for margins below 1, and 0 for margins
        above 1.

        At margin 1, d is the clipped least-squares solution of A_kj . d = Lambda_k sign(alpha_kj).
        """
        # complementarity off the kinks
        problem = self.problem
        kink = np.abs(self.margins - 1.0) <= ON_MARGIN
        d = np.where(self.margins < 1.0, problem.costs, 0.0)
        d[kink] = 0.0
        pairs = np.argwhere(self.alpha != 0.0)
        # at the kinks what makes the edges of used columns their prices
        if kink.any() and len(pairs):
            rows = (problem.y[:, None] * problem.bank.columns(pairs)).T
            prices = problem.prices[pairs[:, 0]]
            target = prices * np.sign(self.alpha[pairs[:, 0], pairs[:, 1]]) - rows @ d
            scaled = rows[:, kink] / prices[:, None]
            d[kink] = np.linalg.lstsq(scaled, target / prices, rcond=None)[0]
        return np.clip(d, 0.0, problem.costs)


def exact_step(
    margins: FloatArray,
    column: FloatArray,
    alpha: float,
    price: float,
    weights: FloatArray | None = None,
) -> float:
    """The minimiser over t of  sum_i c_i max(0, 1 - margins_i - t column_i) + price |alpha + t|.

    The function is convex and piecewise linear; its kinks are t_i = (1 - margins_i) / column_i and
    -alpha. The arrays ``margins``, ``column`` and ``weights`` are (m,), and c are the shares of the
    weights. Returns 0 if no other t is better.
    """
    shares = row_shares(len(margins), weights)
    nonzero = column != 0.0
    kinks = np.append((1.0 - margins[nonzero]) / column[nonzero], -alpha)
    # at its kink the slope of hinge i rises by c_i |column_i|, for either sign of column_i
    rises = np.append(np.abs(column[nonzero]) * shares[nonzero], 2.0 * price)
    # the slope left of all kinks, then kink by kink until it is no longer negative
    order = np.argsort(kinks, kind="stable")
    kinks, rises = kinks[order], rises[order]
    slope = -price - float(np.maximum(column, 0.0) @ shares)
    slopes = slope + np.cumsum(rises)
    index = int(np.searchsorted(slopes, 0.0, side="left"))
    step = float(kinks[min(index, len(kinks) - 1)])

    def value(t: float) -> float:
        losses = np.maximum(0.0, 1.0 - margins - t * column)
        return float(np.average(losses, weights=weights)) + price * abs(alpha + t)

    return step if value(step) < value(0.0) else 0.0


def descend_coordinates(problem: VotedKernels, settings: RunSettings, budget: Budget) -> Solved:
    """Run coordinate descent with the driver ``alternate``.

    The descent may stop at a kink of hinge + l1 that is not an optimum. Only the recomputed gap
    measures the quality of the point.
    """
    # the paper's rule, then a sweep over all coordinates, which leaves its kinks
    descent = CoordinateDescent(problem)
    incumbent = Incumbent.trivial(problem)

    def bound() -> float:
        d = descent.dual_point()
        incumbent.offer_dual(d, problem.dual_bound(d, problem.ratios(d), exact=False)[0])
        return incumbent.bound

    step = alternation([descent.steepest, descent.sweep], descent.objective, bound)
    # relative decrease at which coordinate descent has stalled
    stops = settings.stops(settings.gap_reached(), stalled(1e-12))
    reason, trace = run(step, stops, budget, settings.observe, needed=True)
    pairs = np.argwhere(descent.alpha != 0.0)
    incumbent.offer_primal(pairs, descent.alpha[pairs[:, 0], pairs[:, 1]], descent.objective())
    warnings: tuple[str, ...] = ()
    if reason is Reason.STALLED:
        warnings = (
            "coordinate descent on a hinge with an l1 penalty can stall at a point that is not "
            "optimal: read the gap, or use method colgen",
        )
    return Solved(reason, trace, incumbent, pairs, warnings=warnings)
