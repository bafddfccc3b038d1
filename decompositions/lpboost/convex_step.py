"""The convex step (7) of the weak learner for both balls, solved by row and column generation.

Each positive series p is linearised at one pattern z_p. Over the ball, the step minimises
    model(u) = - sum_p d_p <u, Phi(z_p)> + sum_q d_q max_j <u, Phi(x_q^(j))>.
The second sum is over the negative series q. The value at the returned point and a lower bound are
computed from the kernel, independently of the solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.exchange import coefficients_of
from radprog.decompositions.drivers.masters import run_live, solution_of
from radprog.decompositions.loop import Budget
from radprog.models.lpboost.patterns import LazyGram
from radprog.solvers.adapters.highs import accepted, new_highs
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.program import SolveSettings

MOST_STEP_ROUNDS = 200


@dataclass(frozen=True, kw_only=True)
class StepAnswer:
    """The solution u = sum_k alpha_k Phi(z_k) over patterns (r,), with
    model(u) = value >= optimum >= bound. The default is u = 0, without a bound.
    """

    patterns: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    alpha: FloatArray = field(default_factory=lambda: np.zeros(0))
    value: float = 0.0
    bound: float = -np.inf
    rounds: int = 0


class ConvexStep:
    """The convex steps of one ball, for the kernel matrix ``gram`` of the patterns of series with
    labels y (m,).

    Calling it minimises the model of a step. Raises OutOfBudget or SolverError.
    """

    def __init__(
        self, gram: LazyGram, y: FloatArray, radius: float, tolerance: float = 1e-7
    ) -> None:
        self.gram, self.radius, self.tolerance = gram, radius, tolerance
        self.m, self.Q = len(y), len(gram) // len(y)
        self.positive, self.negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)

    def __call__(
        self,
        d: FloatArray,
        slopes: IntArray,
        budget: Budget,
        start: tuple[FloatArray, FloatArray] | None = None,
    ) -> StepAnswer:
        """Minimise the model of the step over the ball.

        - d (m,): weights of the series.
        - slopes: for each positive series, the index of the pattern at which it is linearised.
        - start: coefficients (n,) and scores K alpha (n,) of a starting point.
        """
        raise NotImplementedError


def gap_closed(value: float, bound: float, tolerance: float, size: float) -> bool:
    """Whether the gap is small relative to the value. If the value is near 0, the gap is compared
    with the size of its terms.
    """
    # a value below a thousandth of its terms is measured as this share of them
    return value - bound <= max(tolerance * max(abs(value), 1e-3 * size), 1e-14 * size)


class L1Step(ConvexStep):
    """The step over the l1 ball, solved as a linear program that is kept in HiGHS.

    min  - a'alpha + sum_q d_q lambda_q
    s.t. K(z_qj, .)'alpha <= lambda_q,   |alpha|_1 <= radius

    Rows (q, j) and signed columns (k, +-) are generated. The rows and columns do not depend on d.
    The next step therefore keeps them and the basis, and changes only the costs. DCA reaches the
    same slopes several times, from other starts and at its end. Solutions are therefore stored by
    their slopes. For ItalyPowerDemand with 9 points, this reduces the time from 2.9 s to 2.1 s.
    """

    unused_limit = 200  # rows and columns out of use beyond which the live program drops them

    def __init__(
        self, gram: LazyGram, y: FloatArray, radius: float, tolerance: float = 1e-7
    ) -> None:
        super().__init__(gram, y, radius, tolerance)
        self._weights = b""
        self._answers: dict[bytes, StepAnswer] = {}  # at these weights, by slopes
        self._place = {int(q): i for i, q in enumerate(self.negative)}
        self._start()

    def _start(self) -> None:
        self._budget = Budget()
        settings = SolveSettings(
            tol=1e-10,  # feasibility of the linear program of a weak learner's step
            interrupted=lambda: self._budget.spent(),
        )
        self._highs = new_highs(
            settings, presolve="off", solver="simplex", simplex_scale_strategy=0
        )
        # a free level for every negative series, then the ball, still without columns
        size, none = len(self.negative), np.zeros(0, dtype=np.int32)
        free = np.full(size, np.inf)
        status = self._highs.addCols(size, np.zeros(size), -free, free, 0, none, none, np.zeros(0))
        accepted(status, "the bags of a weak learner's step")
        accepted(self._highs.addRow(-np.inf, self.radius, 0, none, np.zeros(0)), "its radius")
        self._rows: IntArray = np.zeros(0, dtype=np.intp)
        self._columns: IntArray = np.zeros(0, dtype=np.intp)
        self._signs: FloatArray = np.zeros(0)
        self._in_use = self._rows, self._columns, self._signs
        self._size_in_use = 0

    def _add_rows(self, rows: IntArray) -> None:
        """Add rows (q, j), given as flat indices."""
        size, width = len(rows), len(self._columns) + 1
        # a row: -1 at the level of its series, K(z_qj, z_k) sign_k at the columns
        owner = np.array([self._place[int(r) // self.Q] for r in rows])
        block = self.gram.block(rows, self._columns) * self._signs
        values = np.hstack([np.full((size, 1), -1.0), block])
        shift = len(self.negative)
        columns = np.tile(np.arange(shift - 1, shift + len(self._columns)), (size, 1))
        columns[:, 0] = owner
        status = self._highs.addRows(
            size, np.full(size, -np.inf), np.zeros(size), size * width,
            np.arange(size, dtype=np.int32) * width, columns.astype(np.int32).ravel(),
            values.ravel(),
        )  # fmt: skip
        accepted(status, "the rows of a weak learner's step", values)
        self._rows = np.concatenate([self._rows, rows])

    def _add_columns(self, columns: IntArray, signs: FloatArray) -> None:
        size, height = len(columns), len(self._rows) + 1
        block = self.gram.block(self._rows, columns) * signs
        # a column: 1 in the ball, K(z_qj, z_k) sign_k at the rows
        values = np.vstack([np.ones((1, size)), block])
        index = np.tile(np.arange(height, dtype=np.int32), size)
        status = self._highs.addCols(
            size, np.zeros(size), np.zeros(size), np.full(size, np.inf), size * height,
            np.arange(size, dtype=np.int32) * height, index, values.T.ravel(),
        )  # fmt: skip
        accepted(status, "the columns of a weak learner's step", values)
        self._columns = np.concatenate([self._columns, columns])
        self._signs = np.concatenate([self._signs, signs])

    def __call__(
        self,
        d: FloatArray,
        slopes: IntArray,
        budget: Budget,
        start: tuple[FloatArray, FloatArray] | None = None,
    ) -> StepAnswer:
        """Minimise the model over the l1 ball."""
        if (weights := d.tobytes()) != self._weights:
            self._weights, self._answers = weights, {}
        key = slopes[d[self.positive] > 0].tobytes()
        if key not in self._answers:
            self._answers[key] = self._minimise(d, slopes, budget, start)
        return self._answers[key]

    def _minimise(
        self,
        d: FloatArray,
        slopes: IntArray,
        budget: Budget,
        start: tuple[FloatArray, FloatArray] | None,
    ) -> StepAnswer:
        negative = self.negative
        # costs a = K (sum_p d_p e_zp), and the size of the model's terms
        a = self.gram.combine(*merge_patterns(slopes, d[self.positive], np.inf))
        size = self.radius * float(np.abs(a).max() + d[negative].sum())
        self._prepare(a, start)
        best, bound = StepAnswer(), -np.inf
        for count in range(1, MOST_STEP_ROUNDS + 1):
            # solve the restricted program
            gains = self._signs * a[self._columns]
            costs = np.concatenate([d[negative], -gains])
            places = np.arange(len(costs), dtype=np.int32)
            status = self._highs.changeColsCost(len(costs), places, costs)
            accepted(status, "the costs of a weak learner's step", costs)
            self._budget = budget  # which HiGHS polls
            self._highs = run_live(self._highs)
            solution = solution_of(self._highs, "a weak learner's step")
            x = np.asarray(solution.col_value)
            alpha = np.maximum(x[len(negative) :], 0.0) * self._signs
            basic = np.flatnonzero(alpha)
            patterns, coefficients = merge_patterns(self._columns[basic], alpha[basic], self.radius)
            # the value of its point, from the kernel: the highest pattern of each negative series
            scores = self.gram.combine(patterns, coefficients)
            worst = best_patterns(scores, negative, self.Q)
            factor = min(1.0, self.radius / max(float(np.abs(alpha).sum()), LEAST_DIVISOR))
            value = float(d[negative] @ scores[worst] - factor * (gains @ np.abs(alpha)))
            # the rows and columns in use, to which a later step may reduce the live program
            prices = coefficients_of(np.asarray(solution.row_dual))
            multipliers = np.maximum(prices[1:], 0.0)
            self._in_use = self._rows[multipliers > 0], self._columns[basic], self._signs[basic]
            self._size_in_use = len(basic) + int(np.count_nonzero(multipliers))
            # dual bound: multipliers of every series scaled to sum to d_q
            mass = share_out(multipliers, self._rows // self.Q, d)
            correlation = a - self.gram.combine(self._rows, mass)
            bound = max(bound, -self.radius * float(np.abs(correlation).max()))
            if value < best.value:
                best = StepAnswer(
                    patterns=patterns, alpha=coefficients, value=value, bound=bound, rounds=count
                )
            if gap_closed(best.value, bound, self.tolerance, size):
                break
            if not self._extend(scores, worst, x, correlation, float(prices[0])):
                break
            budget.check()
        return replace(best, bound=min(bound, best.value), rounds=count)

    def _prepare(self, a: FloatArray, start: tuple[FloatArray, FloatArray] | None) -> None:
        """Set up the live program of a step with its initial rows and columns, for the costs a."""
        negative = self.negative
        # drop rows and columns out of use (GunPoint, 15 points: 7 s, and 47 s if all are kept)
        if len(self._rows) + len(self._columns) > self.unused_limit + 2 * self._size_in_use:
            rows, columns, signs = self._in_use
            self._start()
            self._add_rows(rows)
            self._add_columns(columns, signs)
        # rows and columns of the current point of DCA (GunPoint: 7 s, 9 without)
        if start is not None:
            alpha, scores = start
            binding = np.setdiff1d(best_patterns(scores, negative, self.Q), self._rows)
            if len(binding):
                self._add_rows(binding)
            columns = np.flatnonzero(alpha)
            self._add_new_columns(columns, np.sign(alpha[columns]))
        if not len(self._columns):
            largest = int(np.abs(a).argmax())
            self._add_columns(np.array([largest]), np.array([1.0 if a[largest] >= 0 else -1.0]))
        # every negative series needs a row: without one its level is unbounded below
        uncovered = np.setdiff1d(negative, self._rows // self.Q)
        if len(uncovered):
            nearest = best_patterns(self.gram.rows(self._columns[:1])[0], negative, self.Q)
            self._add_rows(nearest[np.isin(negative, uncovered)])

    def _add_new_columns(self, columns: IntArray, signs: FloatArray) -> bool:
        """Add the new signed columns, and return whether there are any."""
        present = set(zip(self._columns.tolist(), self._signs.tolist(), strict=True))
        pairs = zip(columns.tolist(), signs.tolist(), strict=True)
        entering = [i for i, pair in enumerate(pairs) if pair not in present]
        if entering:
            self._add_columns(columns[entering], signs[entering])
        return bool(entering)

    def _extend(
        self,
        scores: FloatArray,
        worst: IntArray,
        x: FloatArray,
        correlation: FloatArray,
        price: float,
    ) -> bool:
        """Add the most violated row of each series and new columns. Return False if there are
        none.
        """
        # rows: patterns above the level of their series
        slack = 1e-11  # what exceeds its bound by more is violated
        violated = scores[worst] > x[: len(self.negative)] + slack
        rows = np.setdiff1d(worst[violated], self._rows)
        # columns: of every series the largest residual correlation, if beyond the ball's price
        magnitude = np.abs(correlation)
        best = magnitude.reshape(self.m, self.Q).argmax(axis=1) + np.arange(self.m) * self.Q
        best = best[magnitude[best] > price + slack]
        best = best[np.argsort(-magnitude[best], kind="stable")][:4]  # columns per round
        if len(rows):
            self._add_rows(rows)
        return self._add_new_columns(best, np.sign(correlation[best])) or bool(len(rows))


def best_patterns(scores: FloatArray, series: IntArray, Q: int) -> IntArray:
    """The flat index of the pattern with the largest score (n,) in each of the ``series``. Ties go
    to the first.
    """
    grouped = scores.reshape(-1, Q)[series]
    return np.asarray(series * Q + grouped.argmax(axis=1), dtype=np.intp)


def sum_by_owner(owner: IntArray, parts: FloatArray, size: int) -> FloatArray:
    """For each owner (size,), the sum of its parts (r,)."""
    return np.asarray(np.bincount(owner, parts, minlength=size), dtype=np.float64)


def share_out(parts: FloatArray, owner: IntArray, totals: FloatArray) -> FloatArray:
    """The nonnegative parts (r,), scaled so that the parts of each owner sum to its total. If all
    parts of an owner are 0, they become equal.

    ``owner`` (r,) contains the indices of the owners in ``totals``. An owner may have no parts.
    """
    sums = sum_by_owner(owner, parts, len(totals))
    parts = np.where(sums[owner] > 0, parts, 1.0)
    sums = sum_by_owner(owner, parts, len(totals))
    factors = np.divide(totals, sums, out=np.zeros(len(totals)), where=sums > 0)
    return np.asarray(parts * factors[owner])


def merge_patterns(
    patterns: IntArray, alpha: FloatArray, radius: float
) -> tuple[IntArray, FloatArray]:
    """Add the coefficients of equal patterns, and scale the sums into the l1 ball if necessary."""
    unique, owner = np.unique(patterns, return_inverse=True)
    total = sum_by_owner(owner, alpha, len(unique))
    support = np.flatnonzero(total)
    norm = float(np.abs(total).sum())
    return unique[support], (total * (radius / norm) if norm > radius else total)[support]


class MinNormStep(ConvexStep):
    """The step over the ball of the kernel's norm, solved by finding a point of least norm.

    The dual of the step is  min over v of |r|,  r = sum_p d_p Phi(z_p) - sum_qj d_q v_qj
    Phi(x_q^(j)), with every v_q in the simplex. The model's minimum is -radius |r*|, at u = radius
    r*/|r*| (u = 0 if r* is 0). Variables (q, j) are generated if they decrease |r|, and removed if
    they are 0.
    """

    def __call__(
        self,
        d: FloatArray,
        slopes: IntArray,
        budget: Budget,
        start: tuple[FloatArray, FloatArray] | None = None,
    ) -> StepAnswer:
        """Minimise the model over the ball."""
        zero_norm = 1e-15  # |r|^2, as a share of |sum_p d_p Phi(z_p)|^2, that counts as 0
        negative = self.negative[d[self.negative] > 0]
        # the fixed point sum_p d_p Phi(z_p): its patterns, their weights, and its scores K a
        fixed, weights = merge_patterns(slopes, d[self.positive], np.inf)
        toward = self.gram.combine(fixed, weights)
        size = np.sqrt(max(float(weights @ toward[fixed]), 0.0))
        # the variables of the starting point (GunPoint: 4.7 s, 10.5 without)
        active: IntArray = np.zeros(0, dtype=np.intp)
        mass, initial = np.zeros(0), best_patterns(toward, negative, self.Q)
        if start is not None:
            active = np.flatnonzero(start[0] < 0)
            active = active[np.isin(active // self.Q, negative)]
            mass = -start[0][active]
            initial = best_patterns(start[1], negative, self.Q)
        # a series that has none begins with its best pattern alone
        empty = ~np.isin(initial // self.Q, active // self.Q)
        entering = np.setdiff1d(initial, active)
        mass = np.concatenate([mass, empty[np.searchsorted(initial, entering)].astype(np.float64)])
        active = np.concatenate([active, entering])
        mass = share_out(mass, active // self.Q, d)
        best, bound, count = StepAnswer(), -np.inf, 0
        for count in range(1, MOST_STEP_ROUNDS + 1):
            budget.check()
            # least norm over the patterns in use; those that fell to 0 leave
            K = self.gram.block(active, active)
            mass = least_norm(K, toward[active], active // self.Q, mass)
            active, mass = active[mass > 0], mass[mass > 0]
            # the residual r: its scores at all patterns and its squared length
            scores = toward - self.gram.combine(active, mass)
            square = float(weights @ scores[fixed] - mass @ scores[active])
            worst = best_patterns(scores, negative, self.Q)
            scale = self.radius * (size + float(d[negative].sum()))
            # r = 0: the minimum is 0, at u = 0, and a direction there would be noise
            if square <= zero_norm * max(size**2, LEAST_DIVISOR):
                bound = max(bound, -self.radius * float(np.sqrt(zero_norm)) * size)
                break
            # dual bound -radius |r|, and the value of u = radius r / |r|
            norm = float(np.sqrt(square))
            bound = max(bound, -self.radius * norm)
            inner = float(d[negative] @ scores[worst]) - float(weights @ scores[fixed])
            value = self.radius / norm * inner
            if value < best.value:
                patterns = np.concatenate([fixed, active])
                alpha = np.concatenate([weights, -mass]) * (self.radius / norm)
                patterns, alpha = merge_patterns(patterns, alpha, np.inf)
                best = StepAnswer(
                    patterns=patterns, alpha=alpha, value=value, bound=bound, rounds=count
                )
            # the best pattern of every negative series joins, unless the bounds have met
            entering = np.setdiff1d(worst, active)
            if gap_closed(best.value, bound, self.tolerance, scale) or not len(entering):
                break
            active = np.concatenate([active, entering])
            mass = np.concatenate([mass, np.zeros(len(entering))])
        return replace(best, bound=min(bound, best.value), rounds=count)


def least_norm(K: FloatArray, toward: FloatArray, owner: IntArray, mass: FloatArray) -> FloatArray:
    """The minimiser of 1/2 mass'K mass - toward'mass over mass >= 0, computed by PIQP. The sum for
    each owner is fixed.

    K (r, r) is positive semidefinite; toward, mass and owner have shape (r,). If an entry's share
    of its sum is below 1e-10, the entry becomes 0.
    """
    if not len(mass):
        return mass
    groups, owner = np.unique(owner, return_inverse=True)
    totals = sum_by_owner(owner, mass, len(groups))
    # in shares of every owner's sum, and in units of the largest coefficient
    size = totals[owner]
    P, cost = K * np.outer(size, size), -toward * size
    unit = max(float(np.abs(P).max()), float(np.abs(cost).max())) or 1.0
    P = np.asfortranarray(P / unit)
    # on the diagonal of a kernel matrix: overlapping patterns make it singular
    P[np.diag_indices(len(mass))] += 1e-12
    sums = (groups[:, None] == groups[owner]).astype(np.float64)
    box = np.zeros(len(mass)), np.full(len(mass), np.inf)
    result, _ = solve_dense(
        P, cost / unit, sums, np.ones(len(groups)), None, None, None, *box,
        tolerance=1e-13,  # of the quadratic program over the variables in use
    )  # fmt: skip
    # an interior point has no zeros: shares below 1e-10 become 0
    share = np.asarray(result.x)
    return share_out(np.where(share > 1e-10, share * size, 0.0), owner, totals)
