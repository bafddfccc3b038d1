"""DCA for the variant dc, with exact steps, the single update of Algorithm 1, or a hybrid of
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import WEIGHT_EXCESS
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.loop import Budget, Reason, Record, ignore, run
from radprog.decompositions.mkl.exchange import BestWeights, ValueOracle, minimise_over_ball
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.kernel_sets import Tail
from radprog.models.mkl.problem import TailBudget, Value

Start: TypeAlias = dict[str, float | str | None]
LAST_STEP_SHARE = 0.1  # gap of the last exact steps, relative to the requested tolerance


@dataclass
class WeightSteps:
    """The steps of DCA for a batch of weights. For each row, the value J of its weights is stored.

    ``residual`` is J minus the certified lower bound of the last exact step of each row. At a
    critical point, it is small relative to J. ``exact`` contains the rows with exact steps.
    """

    values: ValueOracle
    constraint: TailBudget
    settings: RunSettings
    method: str
    best: dict[int, Value] = field(default_factory=dict)
    tails: dict[int, Tail] = field(default_factory=dict)
    residual: dict[int, float] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)

    def objective(self, x: FloatArray, rows: IntArray) -> FloatArray:
        """The values J of weights (b, M). Raises SolverError if a row violates the constraint on
        the tail sum.
        """
        objectives = np.empty(len(rows))
        for i, (mu, row) in enumerate(zip(x, rows.tolist(), strict=True)):
            # the tail sum itself, not its linearisation, is within the budget
            tail = self.constraint.tail(mu)
            if self.constraint.used_share(mu, tail.value) > 1.0 + WEIGHT_EXCESS:
                raise SolverError(
                    f"DCA left the feasible set: tail sum {tail.value!r} of "
                    f"{self.constraint.budget!r}"
                )
            value = self.values(mu, LAST_STEP_SHARE * self.settings.tol)
            objectives[i] = value.objective
            if row not in self.best or value.objective < self.best[row].objective:
                self.best[row], self.tails[row] = value, tail
        return objectives

    def majorise(
        self, x: FloatArray, rows: IntArray, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """New weights (b, M) from the weights x (b, M), and the values of the majorisers there."""
        weights, models = np.empty_like(x), np.empty(len(rows))
        for i, row in enumerate(rows.tolist()):
            value = self.best[row]
            if self.method != "dca" and row not in self.exact:
                # Algorithm 1, line 8: fixed w, the weights that minimise sum mu_m^2 q_m / nu_m, and
                # the value 1/2 sum |w_m|^2 / mu_m + losses of the old w at these weights
                mu, q = value.mu, value.energies
                v = self.constraint.supergradient(self.tails[row])
                updated = self.constraint.update(mu, q, v)
                support = updated > 0
                norms = 0.5 * float((mu[support] ** 2 * q[support] / updated[support]).sum())
                models[i] = norms + value.objective - 0.5 * float(mu @ q)
                weights[i] = self.constraint.to_boundary(updated)
                # hybrid: relative decrease of an update below which exact steps take over
                gains = value.objective - models[i] > 1e-4 * value.objective
                if self.method == "algorithm1" or gains:
                    continue
                self.exact.add(row)
            step = self._exact_step(row, budget)
            weights[i] = self.constraint.to_boundary(step.value.mu)
            models[i] = step.value.objective
        return weights, models

    def judge(self, row: int, budget: Budget) -> Reason:
        """The reason why the steps of a row ended: a critical point, whose residual is at most
        ``tol`` relative to J, or stalled.
        """
        if row not in self.residual:  # updates have none: an exact step computes it
            self._exact_step(row, budget)
        close = self.residual[row] <= self.settings.tol * abs(self.best[row].objective)
        return Reason.CRITICAL if close else Reason.STALLED

    def _exact_step(self, row: int, budget: Budget) -> BestWeights:
        """Minimise J subject to the linearised constraint, with an accuracy relative to the
        progress.

        Cuts from other steps are not reused. Five starts on protein folds take 0.76 s without these
        cuts and 1.04 s with them.
        """
        value = self.best[row]
        # T(mu) <= <v, mu>: a ball inside of the constraint
        ball = self.constraint.inner(self.constraint.supergradient(self.tails[row]))

        def enough(incumbent: BestWeights) -> bool:
            progress = value.objective - incumbent.value.objective
            gap = incumbent.value.objective - incumbent.bound
            # an exact step may end when its gap is this share of its progress
            return progress > 0 and gap <= 0.1 * progress

        tol = LAST_STEP_SHARE * self.settings.tol
        settings = replace(self.settings, tol=tol, max_iter=None, observe=ignore)
        step, _, _ = minimise_over_ball(
            self.values, ball, ball.c * value.mu, settings, budget, at_start=value, enough=enough
        )
        self.residual[row] = value.objective - step.bound
        return step


def starting_points(
    values: ValueOracle, constraint: TailBudget, relaxed: FloatArray, count: int, seed: int
) -> list[tuple[str, FloatArray]]:
    """The starting directions (M,), each with a name. They are uniform weights, the solution of the
    relaxation, the vertices by increasing J, and random directions.
    """
    M = len(relaxed)
    starts = [("uniform", np.ones(M)), ("conv", relaxed)]
    if count > 2:
        # single kernels, the best first
        names = values.problem.kernels.names
        # relative gap of J at a vertex: vertices are only put in order
        at_vertex = [values(constraint.to_boundary(unit), 1e-3).objective for unit in np.eye(M)]
        starts += [
            (f"vertex {names[m]}", np.eye(M)[m]) for m in np.argsort(at_vertex, kind="stable")
        ]
    # directions at random for the others
    rng = np.random.default_rng(seed)
    while len(starts) < count:
        direction = rng.exponential(size=M)
        starts.append((f"random {len(starts)}", direction / direction.sum()))
    return starts[:count]


def minimise_dc(
    values: ValueOracle,
    constraint: TailBudget,
    starts: Sequence[tuple[str, FloatArray]],
    method: str,
    settings: RunSettings,
    budget: Budget,
    bound: float,
) -> tuple[Value, Reason, list[Record], list[Start], dict[str, Any]]:
    """Run DCA from all starts at once. The trace records ``bound``, a lower bound on the optimum.

    Returns the best value over all starts, the reason of the end, the trace, the value of each
    start, and the residual and the eigenvalue gap of the best start. ``method`` is dca (exact
    steps), algorithm1 or hybrid. Raises SolverError if an iterate violates the constraint on the
    tail sum, or if a step raises J.
    """
    steps = WeightSteps(values, constraint, settings, method)
    # the starts, scaled to the boundary of the constraint, and J there
    points = []
    for _, start in starts:
        direction = start / np.abs(start).max()
        if method == "algorithm1":  # whose zeros stay zero: a share of the uniform direction
            direction = 0.99 * direction + 0.01 * direction.mean()
        points.append(constraint.to_boundary(direction))
    batch = Batch.of(np.array(points), steps.objective)
    # DCA: the tail sum is linearised at every row, and J minimised under that, until none moves
    tolerance = LAST_STEP_SHARE * settings.tol  # to which J is evaluated, too
    # rounding may break J <= model <= previous J by 1e-6
    sandwich = max(1e-6, tolerance)
    step = dca_step(batch, steps.objective, steps.majorise, tolerance=tolerance, sandwich=sandwich)

    def record_step(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        detail = {**record.detail, "machines": float(values.calls)}
        return replace(record, bound=bound, detail=detail)

    stops = settings.stops(none_active(batch))
    reason, trace = run(record_step, stops, budget, settings.observe)
    best = batch.best
    if reason is Reason.CRITICAL:
        try:
            reason = steps.judge(best, budget)
        except OutOfBudget:
            reason = budget.reason
    summary: list[Start] = [
        {
            "start": name,
            "objective": float(batch.objective[row]),
            "residual": steps.residual.get(row),
        }
        for row, (name, _) in enumerate(starts)
    ]
    details = {"residual": steps.residual.get(best), "eigenvalue_gap": steps.tails[best].gap}
    return steps.best[best], reason, trace, summary, details
