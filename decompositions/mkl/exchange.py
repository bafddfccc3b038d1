"""The exchange method: minimise the value J of a support vector machine over a ball of kernel
weights.

The semi-infinite program is  min eta  s.t.  eta >= s(a) - 1/2 <q(a), mu>  for all dual points a and
mu in the ball. The restricted master contains the cuts of the dual points so far. For the joint
hinge loss, an interior-point method computes the value J.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from radprog.base.errors import RadprogError, SolverError
from radprog.base.limits import poll
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import (
    Answer,
    CurvedMaster,
    Cuts,
    Master,
    MasterPoint,
    exchange,
)
from radprog.decompositions.drivers.masters import master_for
from radprog.decompositions.loop import Budget, Loop, Reason, Record, Stop
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.joint import JointSystem
from radprog.models.mkl.problem import (
    JointKernels,
    MultipleKernels,
    Value,
    WeightBall,
    squared_dual,
)
from radprog.solvers.dense.svm import solve_svm, solve_svm_active_set, solve_svm_interior
from radprog.solvers.program import relative_gap


@dataclass(eq=False)
class ValueOracle:
    """The oracle of J: one support vector machine or ridge regression for each row of labels.

    ``calls`` is the number of evaluations. Each evaluation starts from the dual points of the
    previous one.
    """

    problem: MultipleKernels
    calls: int = 0
    _last: FloatArray | None = None  # dual points (k, n) of the last evaluation
    _mixed: tuple[FloatArray, FloatArray] | None = None  # a mu (M,) and K_mu

    # default relative gap of J(mu)
    def __call__(self, mu: FloatArray, accuracy: float = 1e-8) -> Value:
        """The value J(mu) for mu (M,), with a relative gap of at most ``accuracy`` if the solvers
        reach this accuracy.
        """
        poll()
        self.calls += 1
        if isinstance(self.problem, JointKernels):
            # joint over the classes: one program
            K_mu, costs, signs = self.mixture(mu), self.problem.costs, self.problem.labels
            bias, onehot = self.problem.bias, self.problem.onehot
            # a relative gap of 1e-4 at most: cuts that are rough lead astray
            z, biases = solve_joint(K_mu, onehot, costs, bias=bias, accuracy=min(accuracy, 1e-4))
            return self.problem.value(mu, self.problem.feasible(z * signs), biases)
        best, smallest = None, np.inf
        # the first dual point whose primal value is close enough; else the best of all
        for a in self._dual_points(mu, self.mixture(mu)):
            value = self.problem.value(mu, self.problem.feasible(a))
            gap = relative_gap(value.objective, value.cut)
            if gap is not None and gap < smallest:
                best, smallest = value, gap
            if smallest <= accuracy:
                break
        if best is None:
            raise SolverError("no solver found a finite solution of the support vector machine")
        self._last = best.a
        return best

    def mixture(self, mu: FloatArray) -> FloatArray:
        """The matrix K_mu (n, n) for mu (M,). It overwrites the matrix from the last call."""
        if self._mixed is None or not np.array_equal(self._mixed[0], mu):
            room = None if self._mixed is None else self._mixed[1]
            self._mixed = mu, self.problem.combine(mu, room)
        return self._mixed[1]

    def _dual_points(self, mu: FloatArray, K_mu: FloatArray) -> Iterator[FloatArray]:
        """Yield dual points (k, n) at K_mu from methods of increasing cost, until the caller
        stops.
        """
        problem, start = self.problem, self._last
        if problem.loss == "squared":
            # the squared loss has a closed form
            yield self._solve_rows(lambda y: squared_dual(K_mu, y, problem.C, bias=problem.bias))
            return
        # active sets, from the last solution: sonar 0.027 s, 0.046 without; or from a typical
        # point: 700 points 0.055 s, 0.12 without, and scikit-learn is not loaded (0.8 s)
        # up to this many points cold active sets are tried: a step takes 0.1 s there
        if start is None and problem.kernels.n <= 2000:
            start = problem.typical_point(lambda q: float(q @ mu))
            yield from self._active_sets(K_mu, start, 15)
        elif start is not None:
            yield from self._active_sets(K_mu, start)

        def by_interior_point(y: FloatArray) -> FloatArray:
            # relative gap of the interior-point method
            return solve_svm_interior(K_mu, y, problem.C, tolerance=1e-12, bias=problem.bias)[0]

        def by_libsvm(y: FloatArray) -> FloatArray:
            # the violation of optimality at which it ends; it may stall on low ranks with a large C
            return solve_svm(K_mu, y, problem.C, tolerance=1e-7, max_iter=2_000_000)[0]

        # a solver that needs no start, its solution made exact by active sets
        # up to this many points the interior-point method is faster than libsvm
        large = problem.kernels.n > 700 and problem.bias
        for solve in (by_libsvm, by_interior_point) if large else (by_interior_point,):
            a = problem.feasible(self._solve_rows(solve))
            yield a
            yield from self._active_sets(K_mu, a)

    def _solve_rows(self, solve: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """The solutions (k, n) for all rows of labels."""
        return np.array([solve(y) for y in self.problem.labels])

    def _active_sets(
        self, K_mu: FloatArray, start: FloatArray, steps: int = 6
    ) -> Iterator[FloatArray]:
        """Yield dual points (k, n) from an active-set method started at ``start``, by default a
        solution nearby. Nothing is yielded if a row fails.
        """
        problem, points = self.problem, []
        for y, a in zip(problem.labels, start, strict=True):
            point = solve_svm_active_set(K_mu, y, problem.C, a, bias=problem.bias, steps=steps)
            if point is None:
                return
            points.append(point)
        yield np.array(points)


@dataclass
class BestWeights:
    """The best weights and the best dual point so far for one ball, their values, and the cuts.

    It starts from a single value. A cut J(mu) >= s_t - 1/2 <energies_t, mu> holds for every mu;
    ``points`` are its dual points.
    """

    ball: WeightBall
    value: Value
    dual: FloatArray = field(init=False)
    bound: float = -np.inf
    points: list[FloatArray] = field(default_factory=list)
    s: list[float] = field(default_factory=list)
    energies: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.offer(self.value)

    def offer(self, value: Value) -> bool:
        """Append the cut of a value, and store its dual point if its bound is larger. Store the
        value if it is smaller than the best so far, and return whether it was.
        """
        self.points.append(value.a)
        self.s.append(value.s)
        self.energies.append(value.energies)
        self.offer_dual(value.a, value.s, value.energies)
        better = value.objective < self.value.objective
        if better:
            self.value = value
        return better

    def offer_dual(self, a: FloatArray, s: float, energies: FloatArray) -> None:
        """Store a dual point (k, n) with s and its energies (M,) if its bound is larger."""
        bound = s - 0.5 * self.ball.support(energies)
        if bound > self.bound:
            self.dual, self.bound = a, bound

    @property
    def gap(self) -> float:
        """The relative gap of the best values."""
        return relative_gap(self.value.objective, self.bound) or 0.0


@dataclass
class BallOracle:
    """The oracle. At a point (eta, u) of the master, it scales u to ||u||_p = 1 and evaluates J at
    the weights given by u.

    The master is  min unit eta  s.t.  eta + 1/2 <energies_t / c, u> / unit >= s_t / unit  for the
    cuts and, for p > 1,  <u_t^(p-1), u> <= 1  for tangents of the ball. The multipliers of the cuts
    sum to unit. Divided by unit, they are weights of the dual points. The weighted average of the
    dual points gives a lower bound on J.
    """

    values: ValueOracle
    best: BestWeights
    master: Master[Cuts]
    unit: float
    tol: float
    owners: list[int] = field(default_factory=list)  # cut behind each row, -1: a tangent

    def rows(self, start: int, tangents: Sequence[FloatArray]) -> Cuts:
        """The rows for the cuts from index ``start`` on, and for the tangents of
        the ball at the points ``tangents``.
        """
        best, unit, ball = self.best, self.unit, self.best.ball
        numbers = range(start, len(best.s))
        cuts = [np.append(1.0, 0.5 / unit * (best.energies[t] / ball.c)) for t in numbers]
        matrix = np.array([*cuts, *(np.append(0.0, u ** (ball.p - 1.0)) for u in tangents)])
        lower = np.array([*(best.s[t] / unit for t in numbers), *(-np.inf for _ in tangents)])
        upper = np.array([*(np.inf for _ in numbers), *(1.0 for _ in tangents)])
        self.owners += [*numbers, *(-1 for _ in tangents)]
        return Cuts(matrix, lower, upper)

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts]:
        best, ball = self.best, self.best.ball
        count = len(best.s)
        # lower bound: the dual value of the average of the dual points, weighted by the
        # multipliers of their cuts; the average is feasible, because the dual points are; a
        # weight below 1e-12 of the sum is rounding
        owners = np.array(self.owners[: len(point.multipliers)], dtype=np.intp)
        shares, cut = np.zeros(count), owners >= 0
        np.add.at(shares, owners[cut], np.maximum(point.multipliers[cut], 0.0))
        shares[shares < 1e-12 * shares.sum()] = 0.0
        if shares.any():
            support, problem = np.flatnonzero(shares), self.values.problem
            points = np.array([best.points[t] for t in support])
            average = np.tensordot(shares[support] / shares.sum(), points, axes=1)
            best.offer_dual(average, problem.gain(average), problem.energies(average))
        # J at the master's weights, as exactly as the gap deserves: a cut there
        u = ball.to_sphere(np.maximum(point.x[1:], 0.0))
        gap = max(self.tol, min(1.0, best.gap))
        if best.offer(self.values(u / ball.c, max(0.05 * gap, 1e-12))):
            self.move(u)
        # the new cuts, and for p > 1 the tangent of the ball at u
        cuts = self.rows(count, [u] if ball.p > 1.0 else [])
        detail = {"machines": float(self.values.calls), "cuts": float(len(best.s))}
        return Answer(best.value.objective, best.bound, cuts, detail)

    def move(self, u: FloatArray) -> None:
        """Move a curved master to the best point u (M,), and use the second derivative of J at that
        point.
        """
        if not isinstance(self.master, CurvedMaster):
            return
        value, M = self.best.value, len(u)
        H = np.zeros((1 + M, 1 + M))
        curvature = self.values.problem.curvature(value, self.values.mixture(value.mu))
        H[1:, 1:] = self.best.ball.curvature(u, value.energies, curvature)
        self.master.move(np.concatenate([[0.0], u]), H)


def no_progress(trace: Sequence[Record]) -> bool:
    """Whether the gap has not decreased for 50 rounds: rounding has the last word."""
    if len(trace) <= 50:
        return False
    latest, earlier = trace[-1].gap, trace[-51].gap
    return latest is not None and earlier is not None and earlier <= latest


def minimise_over_ball(
    values: ValueOracle,
    ball: WeightBall,
    start: FloatArray,
    settings: RunSettings,
    budget: Budget,
    *,
    at_start: Value | None = None,
    enough: Callable[[BestWeights], bool] | None = None,
) -> tuple[BestWeights, Reason, list[Record]]:
    """Minimise J over the ball by the exchange method, starting at u = ``start`` (M,). If the value
    at this point is known, it is passed as ``at_start``.

    The master uses the curvature of J. If ``settings`` name a solver, this solver solves linear
    masters instead. The run ends early when ``enough`` returns True.
    """
    # J at the start: the first incumbent, its cut, and the unit of the master
    start = ball.to_sphere(start)
    if at_start is None:
        at_start = values(start / ball.c, max(0.05 * settings.tol, 1e-12))
    best = BestWeights(ball, at_start)
    unit = max(abs(at_start.objective), LEAST_DIVISOR)
    # the restricted master in (eta, u)
    M = len(start)
    cost, upper = np.eye(1 + M)[0] * unit, np.append(np.inf, np.ones(M))
    master: Master[Cuts]
    if settings.solver is None:
        # protein folds: 0.02 s and 7 support vector machines, 0.40 and 182 by linear masters
        master = CurvedMaster(cost, np.zeros(1 + M), upper, np.arange(1 + M) > 0)
    else:
        master = master_for(settings, cost, upper)
    oracle = BallOracle(values, best, master, unit, settings.tol)
    master.add(oracle.rows(0, [start]))
    oracle.move(start)
    # exchange, until the gap is closed

    def closed(trace: Sequence[Record]) -> bool:
        # the certificate adds bounds on rounding errors to the gap
        reached = best.value.objective - best.bound <= settings.abs_tol
        reached |= best.gap <= 0.8 * settings.tol
        return reached or (enough is not None and enough(best))

    stops = settings.stops(Stop(Reason.TOLERANCE, closed), Stop(Reason.STALLED, no_progress))
    failures: list[RadprogError] | None = [] if settings.solver is None else None
    loop = Loop(stops, budget, settings.observe, failures)
    exchange(master, oracle, loop)
    return best, loop.reason, loop.trace


def solve_joint(
    K: FloatArray, onehot: FloatArray, costs: FloatArray, *, bias: bool, accuracy: float
) -> tuple[FloatArray, FloatArray]:
    """The dual points z (k, n) and intercepts (k,) of the joint hinge loss, to a relative gap of
    ``accuracy``.

    Rounding errors may leave a larger gap. K is (n, n), and ``costs`` (n,) are positive. ``onehot``
    (k, n) is 1 for the class of each point and 0 otherwise. The program is defined in
    :mod:`radprog.models.mkl.joint`. Predictor and corrector steps (Mehrotra) stay feasible.
    """
    # strictly inside: the best multiple of d minus its mean over classes, and slacks from below
    d = onehot * costs
    shares = d.sum(axis=1) / costs.sum()
    away = d - np.multiply.outer(shares, costs)
    images = away @ K
    curve = float((away * images).sum())
    # at most half of the way from z = 0
    t = 0.5 if curve <= 0 else min(0.5, float((away * onehot).sum()) / curve)
    p, b = d - t * away, np.zeros(len(d))
    m = onehot - t * images
    low = m.min(axis=0) - 0.1 * max(1.0, float(np.ptp(m)))  # of the start
    # products p s at least their mean: 0 of 96 programs fail, 2 without
    s = m - low
    s = np.maximum(s, float((p * s).mean()) / p)
    best, smallest, best_step = (d - p, b), np.inf, 0
    for step in range(60):  # most steps
        poll()
        # primal and dual values of z = d - p with the biases b
        z = d - p
        f = z @ K
        half = 0.5 * float((z * f).sum())
        f += b[:, None]
        losses = (f - onehot).max(axis=0) + 1.0 - (f * onehot).sum(axis=0)
        objective = half + float(costs @ losses)
        gap = (objective - (float((z * onehot).sum()) - half)) / objective
        if gap < smallest:
            best, smallest, best_step = (z, b), gap, step
        # without a smaller gap: rounding has the last word
        if smallest <= accuracy or step - best_step >= 6 or not np.isfinite(gap):
            break
        # predictor: to complementarity 0
        system = JointSystem(K, p / s, bias=bias)
        residual = onehot - f - low - s
        dp, _, _ = system(-residual - s)
        ds = -s - s / p * dp
        mean = float((p * s).mean())
        reached = float(((p + _step(p, dp) * dp) * (s + _step(s, ds) * ds)).mean())
        # corrector: to a share of the mean product, with its second-order term
        aim = ((reached / mean) ** 2 * mean - dp * ds) / p
        dp, dl, db = system(-residual - s + aim)
        ds = aim - s - s / p * dp
        step_size = 0.995 * min(_step(p, dp), _step(s, ds))
        p, s = p + step_size * dp, s + step_size * ds
        low, b = low + step_size * dl, b + step_size * db
    return best


def _step(x: FloatArray, dx: FloatArray) -> float:
    """The largest step of at most 1 with x + step dx >= 0."""
    low = dx < 0.0
    return min(1.0, float((-x[low] / dx[low]).min(initial=np.inf)))
