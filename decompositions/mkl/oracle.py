"""Minimising J over a ball of weights, by machines and their cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.curved import CurvedMaster
from radprog.decompositions.drivers.exchange import Answer, Cuts, MasterPoint, exchange
from radprog.decompositions.drivers.level import LevelSet, level_exchange
from radprog.decompositions.drivers.masters import master_for
from radprog.decompositions.loop import (
    Budget,
    MaxIterations,
    Reason,
    Record,
    Step,
    Stop,
    relative_gap,
    run,
)
from radprog.decompositions.mkl.machines import Machines
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.problem import Value, WeightBall

CUT_WEIGHT = 1e-12  # share of the sum below which the weight of a cut is rounding
LEAST_ACCURACY = 1e-12  # relative gap below which no machine is asked for more
STALLED_GAP = 1e-5  # relative gap up to which rounding may hold up the exchange

ACCURACY = 0.05  # a machine's own gap, as a share of the gap that is still to be closed
NEWTON_ROUNDS = 40  # rounds with curvature after which the level method takes over
STALLED_ROUNDS = 30  # rounds without progress of a small gap: rounding has the last word
STUCK_ROUNDS = 300  # rounds without progress of any gap


@dataclass
class BestWeights:
    """The best weights and the best dual point so far for one ball, with their values."""

    value: Value | None = None
    dual: FloatArray | None = None
    bound: float = -np.inf

    def offer(self, value: Value) -> bool:
        """Keep a value if it is smaller; says whether."""
        better = self.value is None or value.objective < self.value.objective
        if better:
            self.value = value
        return better

    def offer_dual(self, a: FloatArray, bound: float) -> None:
        """Keep a dual point (k, n) if its bound is larger."""
        if bound > self.bound:
            self.dual, self.bound = a, bound

    @property
    def gap(self) -> float:
        """Relative gap so far; infinite without both."""
        if self.value is None or self.dual is None:
            return np.inf
        return relative_gap(self.value.objective, self.bound) or 0.0


class BallOracle:
    """Prices the weights of the point (eta, u) asked, u stretched to the sphere ||u||_p = 1.

    The master is  min unit eta  s.t.  unit eta + 1/2 <slopes(energies_t), u> >= s_t  for the cuts
    of the pool and, for p > 1,  <normal(u_t), u> <= 1  for tangents of the ball. Its multipliers
    weigh dual points whose average bounds J from below, and gives a further cut for nothing.
    """

    def __init__(
        self,
        machines: Machines,
        ball: WeightBall,
        incumbent: BestWeights,
        unit: float,
        how: Exchanging,
    ) -> None:
        self.machines, self.ball, self.incumbent = machines, ball, incumbent
        self.unit, self.how = unit, how
        self.curved: CurvedMaster | None = None  # told of every better point
        self.owners: list[int] = []  # cut of the pool behind each row of the master, -1: a tangent

    def rows(self, numbers: Sequence[int], tangents: Sequence[FloatArray]) -> Cuts:
        """Rows of the pool's cuts with these numbers, and of the ball's tangents at u's."""
        pool, unit, L = self.machines.pool, self.unit, len(self.ball.c)
        count = len(numbers)
        matrix = np.zeros((count + len(tangents), 1 + L))
        lower, upper = np.full(len(matrix), -np.inf), np.full(len(matrix), np.inf)
        for row, t in enumerate(numbers):
            matrix[row, 0] = 1.0
            matrix[row, 1:] = 0.5 / unit * self.ball.slopes(pool.energies[t])
            lower[row] = pool.s[t] / unit
        for row, u in enumerate(tangents, start=count):
            matrix[row, 1:] = self.ball.normal(u)
            upper[row] = 1.0
        self.owners += [*numbers, *([-1] * len(tangents))]
        return Cuts(matrix, lower, upper)

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts]:
        ball, incumbent, pool = self.ball, self.incumbent, self.machines.pool
        first = len(pool)
        self._bound(point.multipliers)
        u = ball.to_sphere(np.maximum(point.x[1:], 0.0))
        left = max(self.how.tol, min(1.0, incumbent.gap))
        value = self.machines(ball.weights(u), budget, max(ACCURACY * left, LEAST_ACCURACY))
        if incumbent.offer(value):
            self.move(u, value)
        incumbent.offer_dual(value.a, value.s - 0.5 * ball.support(value.energies))
        cuts = self.rows(range(first, len(pool)), [u] if ball.p > 1.0 else [])
        detail = {"machines": float(self.machines.calls), "cuts": float(len(pool))}
        assert incumbent.value is not None
        return Answer(incumbent.value.objective, incumbent.bound, cuts, detail)

    def move(self, u: FloatArray, value: Value) -> None:
        """Tell a curved master the best point u (L,), with the second derivative of J there."""
        if self.curved is None:
            return
        L, ball, problem = len(u), self.ball, self.machines.problem
        H = np.zeros((1 + L, 1 + L))
        curved = problem.curvature(value, self.machines.mixture(value.mu))
        H[1:, 1:] = ball.pulled(curved) + np.diag(ball.bend(u, value.energies))
        self.curved.move(np.concatenate([[0.0], u]), H)

    def _bound(self, multipliers: FloatArray) -> None:
        """The dual value of the average of the pool's points that the multipliers weigh."""
        owners = np.array(self.owners[: len(multipliers)], dtype=np.intp)
        weights = np.zeros(len(self.machines.pool))
        cuts = owners >= 0
        np.add.at(weights, owners[cuts], np.maximum(multipliers[cuts], 0.0))
        total = float(weights.sum())
        if total <= 0:
            return
        problem = self.machines.problem
        weights[weights < CUT_WEIGHT * total] = 0.0
        a = self.machines.pool.average(weights / weights.sum())
        q = problem.energies(a)
        gain = problem.gain(a)
        self.incumbent.offer_dual(a, gain - 0.5 * self.ball.support(q))
        if self.how.exchange != "plain":
            self.machines.pool.add(a, gain, q)


@dataclass(frozen=True)
class NoProgress:
    """Stop when a gap of at most ``below`` has not fallen for ``rounds`` rounds."""

    rounds: int = STALLED_ROUNDS
    below: float = STALLED_GAP
    reason = Reason.STALLED

    def __call__(self, trace: Sequence[Record]) -> bool:
        if len(trace) <= self.rounds:
            return False
        now, before = trace[-1].gap, trace[-1 - self.rounds].gap
        return now is not None and before is not None and before <= now <= self.below


STUCK = NoProgress(STUCK_ROUNDS, np.inf)


@dataclass(frozen=True, kw_only=True)
class Exchanging(RunSettings):
    """How the exchange runs: newton (a master with curvature, then level), level or plain; the
    solver is that of linear masters."""

    abs_tol: float = 0.0
    exchange: str = "newton"


@dataclass(frozen=True)
class Enough:
    """Stop when the gap is within ``tol`` relative or ``abs_tol`` absolute, or ``rule`` says so."""

    incumbent: BestWeights
    tol: float
    abs_tol: float
    rule: Callable[[BestWeights], bool]
    reason = Reason.TOLERANCE

    def __call__(self, trace: Sequence[Record]) -> bool:
        value = self.incumbent.value
        if value is None or self.incumbent.dual is None:
            return False
        close = value.objective - self.incumbent.bound <= self.abs_tol
        return self.incumbent.gap <= self.tol or close or self.rule(self.incumbent)


def never_enough(incumbent: BestWeights) -> bool:
    """A rule that never ends an exchange."""
    return False


def minimise(
    machines: Machines,
    ball: WeightBall,
    start: FloatArray,
    how: Exchanging,
    budget: Budget,
    *,
    known: Value | None = None,
    chosen: Sequence[int] | None = None,
    enough: Callable[[BestWeights], bool] = never_enough,
) -> tuple[BestWeights, Reason, list[Record]]:
    """min J over the ball by exchange, from u = ``start`` (L,), whose value may be ``known``.

    The pool's cuts, or only the ``chosen`` of them, are in the master from the beginning.
    ``enough`` may end it before the gap is closed. J at the start is evaluated whatever the limits.
    """
    incumbent = BestWeights()
    start = ball.to_sphere(start)
    if known is None:
        known = machines.regardless(ball.weights(start), max(ACCURACY * how.tol, LEAST_ACCURACY))
    incumbent.offer(known)
    incumbent.offer_dual(known.a, known.s - 0.5 * ball.support(known.energies))
    try:
        reason, trace = _exchanged(
            machines, ball, start, how, budget, known, incumbent, chosen, enough
        )
    except OutOfBudget:
        reason, trace = budget.reason, []
    return incumbent, reason, trace


def _exchanged(
    machines: Machines,
    ball: WeightBall,
    start: FloatArray,
    how: Exchanging,
    budget: Budget,
    known: Value,
    incumbent: BestWeights,
    chosen: Sequence[int] | None,
    enough: Callable[[BestWeights], bool],
) -> tuple[Reason, list[Record]]:
    """The exchange from a point whose value is known."""
    unit = max(abs(known.objective), LEAST_DIVISOR)
    oracle = BallOracle(machines, ball, incumbent, unit, how)
    end = len(machines.pool)
    old = range(end) if chosen is None else chosen
    first = oracle.rows(old, [start])
    stops: list[Stop] = [Enough(incumbent, how.tol, how.abs_tol, enough), NoProgress(), STUCK]
    if how.max_iter is not None:
        stops.append(MaxIterations(how.max_iter))
    budget.check()
    if how.exchange == "newton":
        fast = _newton(oracle, first, start, known, unit)
        rounds: list[Stop] = [*stops, MaxIterations(NEWTON_ROUNDS)]
        try:
            reason, trace = run(fast, rounds, budget, how.observe)
        except SolverError:
            reason, trace = Reason.STALLED, []
        done = how.max_iter is not None and len(trace) >= how.max_iter
        if reason not in (Reason.STALLED, Reason.MAX_ITER) or done:
            return reason, trace
        oracle = BallOracle(machines, ball, incumbent, unit, how)
        first = oracle.rows([*old, *range(end, len(machines.pool))], [start])
    step = _linear(oracle, first, start, known, unit)
    return run(step, stops, budget, how.observe)


def _newton(oracle: BallOracle, first: Cuts, start: FloatArray, known: Value, unit: float) -> Step:
    """Exchange with the curvature of J at the best point."""
    L = len(start)
    cost, upper = np.eye(1 + L)[0] * unit, np.ones(1 + L)
    upper[0] = np.inf
    master = CurvedMaster(cost, np.zeros(1 + L), upper, np.arange(1 + L) > 0)
    master.add(first)
    oracle.curved = master
    oracle.move(start, known)
    return exchange(master, oracle)


def _linear(oracle: BallOracle, first: Cuts, start: FloatArray, known: Value, unit: float) -> Step:
    """Exchange with a linear master, plain or stabilised by levels."""
    how, L = oracle.how, len(start)
    cost, upper = np.eye(1 + L)[0] * unit, np.ones(1 + L)
    upper[0] = np.inf
    master = master_for(how, cost, upper)
    master.add(first)
    if how.exchange == "plain":
        return exchange(master, oracle)
    level_set = LevelSet(cost, np.zeros(1 + L), upper, np.sign(np.arange(1.0 + L)))
    level_set.add(first)
    centre = np.concatenate([[1.0], start])
    return level_exchange(master, oracle, level_set, centre, best=known.objective)
