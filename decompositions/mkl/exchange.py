"""Minimising J over a ball of weights by exchange: its values, their cuts and a master problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.curved import CurvedMaster
from radprog.decompositions.drivers.exchange import Answer, Cuts, MasterPoint, exchange
from radprog.decompositions.drivers.level import LevelSet, level_exchange
from radprog.decompositions.drivers.live import master_for
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
from radprog.decompositions.mkl.value_oracle import ValueOracle
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.problem import Value, WeightBall

CUT_WEIGHT = 1e-12  # share of the sum below which the weight of a cut is rounding
LEAST_ACCURACY = 1e-12  # relative gap below which no value of J is made more exact
STALLED_GAP = 1e-5  # relative gap up to which rounding may hold up the exchange

ACCURACY = 0.05  # the gap of a value of J, as a share of the gap that is still to be closed
NEWTON_ROUNDS = 40  # rounds with curvature after which the level method takes over
STALLED_ROUNDS = 30  # rounds without progress of a small gap: rounding has the last word
STUCK_ROUNDS = 300  # rounds without progress of any gap


@dataclass
class BestWeights:
    """The best weights and the best dual point so far for one ball, with their values."""

    value: Value
    dual: FloatArray
    bound: float

    @staticmethod
    def at(value: Value, ball: WeightBall) -> BestWeights:
        """Those of a single value."""
        return BestWeights(value, value.a, value.s - 0.5 * ball.support(value.energies))

    def offer(self, value: Value, ball: WeightBall) -> bool:
        """Keep a value if it is smaller, and its dual point if its bound is larger; says whether
        the value is kept."""
        better = value.objective < self.value.objective
        if better:
            self.value = value
        self.offer_dual(value.a, value.s - 0.5 * ball.support(value.energies))
        return better

    def offer_dual(self, a: FloatArray, bound: float) -> None:
        """Keep a dual point (k, n) if its bound is larger."""
        if bound > self.bound:
            self.dual, self.bound = a, bound

    @property
    def gap(self) -> float:
        """Relative gap so far."""
        return relative_gap(self.value.objective, self.bound) or 0.0


class BallOracle:
    """Prices a master's point (eta, u): J at its weights, u stretched to the sphere ||u||_p = 1.

    The master is  min unit eta  s.t.  unit eta + 1/2 <slopes(energies_t), u> >= s_t  for the cuts
    of the pool and, for p > 1,  <normal(u_t), u> <= 1  for tangents of the ball. Its multipliers
    weigh dual points whose average bounds J from below, and gives a further cut for nothing.
    """

    def __init__(
        self,
        values: ValueOracle,
        ball: WeightBall,
        incumbent: BestWeights,
        unit: float,
        how: ExchangeSettings,
    ) -> None:
        self.values, self.ball, self.incumbent = values, ball, incumbent
        self.unit, self.how = unit, how
        self.curved: CurvedMaster | None = None  # the master that every better point is moved to
        self.owners: list[int] = []  # cut of the pool behind each row of the master, -1: a tangent

    def rows(self, numbers: Sequence[int], tangents: Sequence[FloatArray]) -> Cuts:
        """Rows of the pool's cuts with these numbers, and of the ball's tangents at u's."""
        pool, unit, L = self.values.pool, self.unit, len(self.ball.c)
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
        ball, incumbent, pool = self.ball, self.incumbent, self.values.pool
        first = len(pool)
        # lower bound: the dual value of the average of dual points by the master's multipliers
        self._bound(point.multipliers)
        # J at the master's weights, as exactly as the gap deserves
        u = ball.to_sphere(np.maximum(point.x[1:], 0.0))
        left = max(self.how.tol, min(1.0, incumbent.gap))
        value = self.values(ball.weights(u), max(ACCURACY * left, LEAST_ACCURACY))
        if incumbent.offer(value, ball):
            self.move(u, value)
        # the new cuts, and for p > 1 the tangent of the ball at u
        cuts = self.rows(range(first, len(pool)), [u] if ball.p > 1.0 else [])
        detail = {"machines": float(self.values.calls), "cuts": float(len(pool))}
        return Answer(incumbent.value.objective, incumbent.bound, cuts, detail)

    def move(self, u: FloatArray, value: Value) -> None:
        """Move a curved master to the best point u (L,), with the second derivative of J there."""
        if self.curved is None:
            return
        L, ball, problem = len(u), self.ball, self.values.problem
        H = np.zeros((1 + L, 1 + L))
        curved = problem.curvature(value, self.values.mixture(value.mu))
        H[1:, 1:] = ball.pulled(curved) + np.diag(ball.bend(u, value.energies))
        self.curved.move(np.concatenate([[0.0], u]), H)

    def _bound(self, multipliers: FloatArray) -> None:
        """Offer the average of the pool's points that the multipliers of the master weigh."""
        pool, problem = self.values.pool, self.values.problem
        owners = np.array(self.owners[: len(multipliers)], dtype=np.intp)
        weights = np.zeros(len(pool))
        cuts = owners >= 0
        np.add.at(weights, owners[cuts], np.maximum(multipliers[cuts], 0.0))
        total = float(weights.sum())
        if total <= 0:
            return
        weights[weights < CUT_WEIGHT * total] = 0.0
        a = pool.average(weights / weights.sum())
        q, gain = problem.energies(a), problem.gain(a)
        self.incumbent.offer_dual(a, gain - 0.5 * self.ball.support(q))
        if self.how.exchange != "plain":
            pool.add(a, gain, q)


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
class ExchangeSettings(RunSettings):
    """How the exchange runs: newton (a master with curvature, then level), level or plain; the
    solver is that of linear masters."""

    abs_tol: float = 0.0
    exchange: str = "newton"


@dataclass(frozen=True)
class GapClosed:
    """Stop when the gap is within ``tol`` relative or ``abs_tol`` absolute, or ``rule`` says so."""

    incumbent: BestWeights
    tol: float
    abs_tol: float
    rule: Callable[[BestWeights], bool] | None
    reason = Reason.TOLERANCE

    def __call__(self, trace: Sequence[Record]) -> bool:
        incumbent, rule = self.incumbent, self.rule
        if incumbent.value.objective - incumbent.bound <= self.abs_tol:
            return True
        return incumbent.gap <= self.tol or (rule is not None and rule(incumbent))


def minimise_over_ball(
    values: ValueOracle,
    ball: WeightBall,
    start: FloatArray,
    how: ExchangeSettings,
    budget: Budget,
    *,
    at_start: Value | None = None,
    chosen: Sequence[int] | None = None,
    enough: Callable[[BestWeights], bool] | None = None,
) -> tuple[BestWeights, Reason, list[Record]]:
    """min J over the ball by exchange from u = ``start`` (L,), with the value ``at_start`` if any.

    The pool's cuts, or only the ``chosen`` of them, are in the master from the beginning.
    ``enough`` may end it before the gap is closed.
    """
    # J at the start: the first incumbent, and the unit of the master
    start = ball.to_sphere(start)
    if at_start is None:
        at_start = values(ball.weights(start), max(ACCURACY * how.tol, LEAST_ACCURACY))
    incumbent = BestWeights.at(at_start, ball)
    unit = max(abs(at_start.objective), LEAST_DIVISOR)
    end = len(values.pool)
    old = list(range(end) if chosen is None else chosen)
    stops: list[Stop] = [
        GapClosed(incumbent, how.tol, how.abs_tol, enough), NoProgress(), STUCK,
    ]  # fmt: skip
    if how.max_iter is not None:
        stops.append(MaxIterations(how.max_iter))
    if how.exchange == "newton":
        # a master with the curvature of J at the best point
        oracle = BallOracle(values, ball, incumbent, unit, how)
        step = _newton(oracle, oracle.rows(old, [start]), start, at_start)
        rounds: list[Stop] = [*stops, MaxIterations(NEWTON_ROUNDS)]
        try:
            reason, trace = run(step, rounds, budget, how.observe)
        except SolverError:
            reason, trace = Reason.STALLED, []
        done = how.max_iter is not None and len(trace) >= how.max_iter
        if reason not in (Reason.STALLED, Reason.MAX_ITER) or done:
            return incumbent, reason, trace
        # the level method takes over where it stalls, with all cuts made so far
        old += range(end, len(values.pool))
    oracle = BallOracle(values, ball, incumbent, unit, how)
    step = _linear(oracle, oracle.rows(old, [start]), start, at_start)
    return incumbent, *run(step, stops, budget, how.observe)


def _newton(oracle: BallOracle, first: Cuts, start: FloatArray, at_start: Value) -> Step:
    """Exchange with the curvature of J at the best point."""
    L = len(start)
    cost, upper = np.eye(1 + L)[0] * oracle.unit, np.ones(1 + L)
    upper[0] = np.inf
    master = CurvedMaster(cost, np.zeros(1 + L), upper, np.arange(1 + L) > 0)
    master.add(first)
    oracle.curved = master
    oracle.move(start, at_start)
    return exchange(master, oracle)


def _linear(oracle: BallOracle, first: Cuts, start: FloatArray, at_start: Value) -> Step:
    """Exchange with a linear master, plain or stabilised by levels."""
    how, L = oracle.how, len(start)
    cost, upper = np.eye(1 + L)[0] * oracle.unit, np.ones(1 + L)
    upper[0] = np.inf
    master = master_for(how, cost, upper)
    master.add(first)
    if how.exchange == "plain":
        return exchange(master, oracle)
    level_set = LevelSet(cost, np.zeros(1 + L), upper, np.sign(np.arange(1.0 + L)))
    level_set.add(first)
    centre = np.concatenate([[1.0], start])
    return level_exchange(master, oracle, level_set, centre, best=at_start.objective)
