"""Column generation on the semi-infinite dual (3), for any class of hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import held_to
from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import (
    Answer,
    Cuts,
    MasterPoint,
    coefficients_of,
    exchange,
)
from radprog.decompositions.drivers.masters import master_for, plain_highs
from radprog.decompositions.drivers.sifting import CentredMaster
from radprog.decompositions.loop import NOTHING_ADDED, Budget, Loop, Reason, Record, Stop
from radprog.decompositions.lpboost.weak_learners import WeakLearner
from radprog.decompositions.run import NO_SOLVER, Outcome, RunSettings, SolverUse
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_dual
from radprog.models.lpboost.settings import LPBoost


class MarginOracle:
    """Column generation: the oracle prices hypotheses at a point of the master, and computes
    ensembles from the multipliers.

    The master is  min g,  sum u = 1/cap,  sum_i u_i y_i h_t(x_i) / s <= g / cap,  0 <= u <= 1. For
    weighted rows, the upper bounds are their caps divided by cap. Here d = cap u, gamma = s g and
    cap = 1/(nu m). The scale s is ``largest``, the largest absolute value of a hypothesis. The
    weights w are the multipliers of the rows. Constraints add variables q_r = S_r mu_r >= 0, where
    S_r = sum_i |G_ri|. Their cost is h_r / (S_r s). They add -q_r (G h_t(X))_r / (S_r s cap) to the
    left side of the row of h_t, and those of rates have the rows T'mu >= 0. The variables are the
    distances of u from its upper bounds, q and top - (g + shift), and ``shift`` times the first row
    is added to the others. Without constraints, -1 <= g <= 1 and the shift is 2: then 0 satisfies
    all rows, with room, and the first row may be  sum u >= 1/cap, which is what an interior point
    satisfies. ``slack`` is the relative violation of a column that is worth a round, by default of
    one that is priced exactly.
    """

    def __init__(
        self,
        margin: SoftMargin,
        largest: float,
        learner: WeakLearner,
        *,
        slack: float = 1e-10,
        halfway: bool = False,
    ) -> None:
        self.margin, self.learner, self.slack, self.halfway = margin, learner, slack, halfway
        # with their ``values`` (m,); the last solved master has the first ``solved`` of them
        self.hypotheses: list[Any] = []
        self.solved = 0
        # the incumbent: the weights (t,) of the first t hypotheses, with gamma of (2), at most the
        # optimum; and the best dual point z = (d, mu) (m + R,), with the bound of exact pricing
        self.weights, self.objective = np.zeros(0), -np.inf
        self.z = self.last_z = margin.uniform()
        self.bound: float | None = None
        # how column generation ended
        self.reason, self.trace, self.solver = Reason.SOLVER, list[Record](), NO_SOLVER
        self.scale = largest or 1.0
        self.cap, sums = margin.cap, abs(margin.rows.G).sum(axis=1)
        self.units = np.where(sums > 0.0, sums, 1.0)  # q = units mu
        self.boxes = margin.caps / self.cap
        self.shift = 0.0 if len(sums) else 2.0  # of g; a bound that g may reach is degenerate
        self.top = 2.0 * self.shift * self.cap * float(self.boxes.sum())

    @property
    def values(self) -> FloatArray:
        """The values H (T, m) of the hypotheses of the last solved master on the rows."""
        solved = self.hypotheses[: self.solved]
        return np.array([h.values for h in solved]).reshape(-1, self.margin.m)

    def variables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The costs, upper bounds and lower bounds of the master's variables."""
        m, prices = self.margin.m, self.margin.rows.h / (self.units * self.scale)
        free, none = np.full(len(prices), np.inf), np.zeros(m + len(prices))
        lower, upper = (0.0, self.top) if self.shift else (-np.inf, np.inf)
        costs = np.concatenate([np.zeros(m), prices, [-1.0]])
        return costs, np.concatenate([self.boxes, free, [upper]]), np.append(none, lower)

    def point(self, x: FloatArray) -> FloatArray:
        """The feasible dual point z = (d, mu) (m + R,) for a point of the master."""
        m = self.margin.m
        d = (self.boxes - x[:m]) * self.cap
        return self.margin.feasible(np.append(d, x[m:-1] / self.units))

    def mass(self) -> Cuts:
        """The first row of the master, sum u = 1/cap."""
        m, R = self.margin.m, len(self.units)
        row = np.append(np.ones(m), np.zeros(R + 1))[None, :]
        total = np.array([self.boxes.sum() - 1.0 / self.cap])
        return Cuts(row, total, total)

    def terms(self) -> Cuts:
        """The next rows, T'mu >= 0 of the slacks of rates."""
        m, K = self.margin.m, len(self.margin.rows.owner)
        prices = (self.margin.rows.T.T / self.units).toarray()
        matrix = np.hstack([np.zeros((K, m)), prices, np.zeros((K, 1))])
        return Cuts(matrix, np.zeros(K), np.full(K, np.inf))

    def cuts(self, hypotheses: Sequence[Any]) -> Cuts:
        """Register hypotheses and return their master rows."""
        self.hypotheses += hypotheses
        values, margin = np.array([h.values for h in hypotheses]), self.margin
        parts = [-values * (margin.y / self.scale) - self.shift]
        upper = self.top / self.cap + parts[0] @ self.boxes
        if len(self.units):
            parts.append(-(values @ margin.rows.G.T) / (self.units * self.scale * self.cap))
        matrix = np.hstack([*parts, np.full((len(hypotheses), 1), 1.0 / self.cap)])
        # a side below every activity, because sifting takes finite sides
        lower = np.full(len(hypotheses), -self.top / self.cap if self.shift else -np.inf)
        return Cuts(matrix, lower, upper)

    def under(self, margin: SoftMargin) -> Self:
        """The same run with further constraints, which its weights keep: their prices are 0."""
        m, rows = margin.m, margin.rows
        kept = np.setdiff1d(np.arange(rows.given), rows.owner)
        z = np.zeros(m + len(rows))
        z[:m], z[m + kept] = self.z[:m], self.z[m:]
        self.z, self.margin = z, margin
        return self

    def ensemble(self) -> tuple[list[Any], FloatArray]:
        """The hypotheses of the incumbent with positive weights, and these weights. The weights sum
        to 1.
        """
        weights = self.weights
        support = np.flatnonzero(weights > SUPPORT * weights.max())
        return [self.hypotheses[t] for t in support], weights[support] / weights[support].sum()

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts]:
        self.solved = len(self.hypotheses)
        margin, H = self.margin, self.values
        w = self.offer(point)
        # the weights of rows, and what an edge must exceed to be worth a round
        z = self.last_z = self.point(point.x)
        gamma = float(margin.edges(H, z).max())
        threshold = gamma + self.slack * max(abs(gamma), 1e-10 * self.scale)
        if len(self.units):
            threshold = max(threshold, gamma + margin.rounding(self.scale, z))
        # line 3: the hypotheses of the largest edges, and the bound where pricing is exact
        order = np.argsort(-w, kind="stable")
        current = [self.hypotheses[t] for t in order if w[t] > 0]
        v, best = margin.pricing_vector(z), self.z
        # half way to the best dual point first, where bounds are better: a hypothesis that violates
        # the mean of both gammas there violates gamma at z (1,000 rows: 12.6 s, 17.5 without)
        inside = (self.bound or 0.0) - float(margin.rows.h @ best[margin.m :])
        for share in (0.5, 1.0) if self.halfway and self.bound is not None else (1.0,):
            at = z if share == 1.0 else best + share * (z - best)
            priced = self.learner(at, inside + share * (threshold - inside), current, budget)
            bound = None if priced.bound is None else margin.bound(priced.bound, at)
            if self.bound is None or (bound is not None and bound < self.bound):
                self.bound, self.z = bound, at
            # at z, the learner knows which edges are worth a round
            entering = [h for h in priced.hypotheses if share == 1.0 or h.values @ v > threshold]
            if entering:
                break
        detail = {
            "master": point.value + self.top - self.shift,
            "gamma": gamma,
            "edge": priced.edge,
            "columns": float(self.solved),
            "used": float(np.count_nonzero(w > SUPPORT * w.max())),
            **priced.detail,
        }
        cuts = self.cuts(entering) if entering else None
        return Answer(self.objective, self.bound, cuts, detail)

    def offer(self, point: MasterPoint, rounding: float = 0.0) -> FloatArray:
        """The weights w (T,) of the hypotheses at a point of the master. They are stored if they
        satisfy the constraints and their objective is not below the best one by more than the
        relative ``rounding``.
        """
        # Algorithm 1, line 6: weights of hypotheses are the multipliers of their rows
        w = np.maximum(coefficients_of(point.multipliers[1 + len(self.margin.rows.owner) :]), 0.0)
        with np.errstate(over="ignore"):
            total = float(w.sum())
        if not 0.0 < total < np.inf:
            raise SolverError("the restricted master gave no multipliers of hypotheses above 0")
        w /= total
        self.solved = max(self.solved, len(w))
        margin, scores = self.margin, w @ self.values[: len(w)]
        objective = margin.value(margin.y * scores)
        better = objective - self.objective > -rounding * abs(objective)
        if better and margin.rows.met(scores):
            self.objective, self.weights = objective, w
        return w

    def generate(
        self,
        initial: Sequence[Any],
        weights: FloatArray,
        settings: RunSettings,
        budget: Budget,
        max_rounds: int = 100,  # default rounds
    ) -> Self:
        """Run column generation (Algorithm 1) with the driver ``exchange``, for at most
        ``max_rounds`` rounds. Return this oracle.

        The run starts with the hypotheses ``initial``. The first t of them, with ``weights`` (t,),
        form an ensemble that satisfies the constraints.
        """
        costs, upper, lower = self.variables()
        master: Any = master_for(settings, costs, upper, lower)
        if self.shift and plain_highs(settings):
            # stumps on 1,000 rows: 1.8 s, 7.2 s with HiGHS on the whole master
            master = CentredMaster(costs, upper, settings.for_solver(Budget()))
            master.constant = self.top - self.shift  # the value is then g
        master.add(self.mass())
        if len(self.margin.rows.owner):
            master.add(self.terms())
        master.add(self.cuts(initial))
        # rounds until the bounds meet, no hypothesis is worth one, or a limit is reached
        gap_reached = settings.gap_reached(LPBoost.sense)
        is_centred = isinstance(master, CentredMaster)
        settled = Stop(Reason.NO_COLUMN, master.stop) if is_centred else NOTHING_ADDED
        stops = settings.stops(gap_reached, settled, most=max_rounds)
        # on systems of a hundred rows more threads of linear algebra only wait for each other
        with held_to(settings.threads):
            loop = Loop(stops, budget, settings.observe, needed=True)
            exchange(master, self, loop)
            if is_centred:
                master.finish(self, loop)
            self.reason, self.trace = loop.reason, loop.trace
        self.solver = SolverUse(settings.solver or "highs", master.version, settings.solver_options)
        # no round gave weights: the initial weights are an ensemble
        if not len(self.weights):
            self.offer(MasterPoint(np.zeros(0), np.append(0.0, -weights), 0.0))
        return self

    def finished(self, outcome: Outcome) -> Outcome:
        """Add the reason, trace, solver and last solved master of the run to an outcome."""
        return replace(
            outcome,
            reason=self.reason,
            trace=self.trace,
            solver=self.solver,
            program=partial(build_dual, self.values, self.margin),
            columns=self.solved,
        )
