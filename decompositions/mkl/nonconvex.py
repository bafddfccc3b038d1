"""Variant dc by DCA: exact steps, the single update of Algorithm 1, and their hybrid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import SANDWICH, WEIGHT_EXCESS
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.dca import Batch, NoneActive, dca_step
from radprog.decompositions.loop import (
    Budget,
    MaxIterations,
    Reason,
    Record,
    Stop,
    ignore,
    run,
)
from radprog.decompositions.mkl.machines import Machines
from radprog.decompositions.mkl.oracle import BestWeights, Exchanging, minimise
from radprog.models.mkl.problem import Value
from radprog.models.mkl.tail_budget import TailBudget
from radprog.models.mkl.tail_sums import Tail

HYBRID_SWITCH = 1e-4  # hybrid: relative decrease of an update below which exact steps take over
VERTEX_ACCURACY = 1e-3  # relative gap of a vertex's machines: vertices are only put in order

EXACT_STEP_SHARE = 0.1  # an exact step may end when its gap is this share of its progress
LAST_STEP_SHARE = 0.1  # gap of the last exact steps, relative to the tolerance asked for
CRITICAL = 10.0  # residual of a critical point, relative to the tolerance asked for
BLEND = 0.01  # share of the uniform direction that a start of Algorithm 1 gets: zeros stay zero


@dataclass(frozen=True)
class Start:
    """A starting direction (M,) of the weights, named."""

    name: str
    direction: FloatArray


@dataclass
class WeightSteps:
    """The steps of DCA at a batch of weights; every row remembers the value J of its weights.

    residual: J minus the certified lower bound of the last exact step of each row, at most the
    tolerance at a critical point. exact: rows that take exact steps.
    """

    machines: Machines
    constraint: TailBudget
    how: Exchanging
    method: str
    values: dict[int, Value] = field(default_factory=dict)
    tails: dict[int, Tail] = field(default_factory=dict)
    residual: dict[int, float] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    budget: Budget = field(default_factory=Budget)

    def objective(self, x: FloatArray, rows: IntArray) -> FloatArray:
        """J of weights (b, M), each checked against the tail sum itself."""
        objectives = np.empty(len(rows))
        for i, (mu, row) in enumerate(zip(x, rows.tolist(), strict=True)):
            found = self.constraint.tail(mu)
            size = found.value
            if self.constraint.used(mu, size) > 1.0 + WEIGHT_EXCESS:
                raise SolverError(
                    f"DCA left the feasible set: tail sum {size!r} of {self.constraint.budget!r}"
                )
            accuracy = LAST_STEP_SHARE * self.how.tol
            value = self.machines(mu, self.budget, accuracy)
            objectives[i] = value.objective
            if row not in self.values or value.objective < self.values[row].objective:
                self.values[row], self.tails[row] = value, found
        return objectives

    def majorise(
        self, x: FloatArray, rows: IntArray, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """New weights (b, M) and the values of the majorisers there, at weights (b, M)."""
        self.budget = budget
        weights, models = np.empty_like(x), np.empty(len(rows))
        for i, row in enumerate(rows.tolist()):
            weights[i], models[i] = self._step(row, budget)
        return weights, models

    def _step(self, row: int, budget: Budget) -> tuple[FloatArray, float]:
        value, found = self.values[row], self.tails[row]
        v = self.constraint.supergradient(found)
        if self.method != "dca" and row not in self.exact:
            updated, model = self._updated(value, v)
            if (
                self.method == "algorithm1"
                or value.objective - model > HYBRID_SWITCH * value.objective
            ):
                return self.constraint.to_boundary(updated), model
            self.exact.add(row)
        step = self._exact(value, v, budget)
        assert step.value is not None
        self.residual[row] = value.objective - step.bound
        return self.constraint.to_boundary(step.value.mu), step.value.objective

    def judge(self, row: int, budget: Budget) -> Reason:
        """Whether the updates of a row ended at a critical point: an exact step from there says."""
        value = self.values[row]
        v = self.constraint.supergradient(self.tails[row])
        step = self._exact(value, v, budget)
        self.residual[row] = value.objective - step.bound
        close = self.residual[row] <= CRITICAL * self.how.tol * abs(value.objective)
        return Reason.CRITICAL if close else Reason.STALLED

    def _updated(self, value: Value, v: FloatArray) -> tuple[FloatArray, float]:
        """Line 8 of Algorithm 1, and 1/2 sum |w_m|^2 / mu_m + losses with the old w."""
        mu, q = value.mu, value.energies
        updated = self.constraint.update(mu, q, v)
        used = updated > 0
        norms = 0.5 * float((mu[used] ** 2 * q[used] / updated[used]).sum())
        return updated, norms + value.objective - 0.5 * float(mu @ q)

    def _exact(self, value: Value, v: FloatArray, budget: Budget) -> BestWeights:
        """min J over the inner approximation, only as exactly as its progress deserves.

        Plain exchange starts every step afresh; stabilised, it keeps the cuts of all steps.
        """
        ball = self.constraint.inner(v)

        def enough(incumbent: BestWeights) -> bool:
            assert incumbent.value is not None
            progress = value.objective - incumbent.value.objective
            return progress > 0 and (
                incumbent.value.objective - incumbent.bound <= EXACT_STEP_SHARE * progress
            )

        tol = LAST_STEP_SHARE * self.how.tol
        how = replace(self.how, tol=tol, max_iter=None, observe=ignore)
        start, machines = ball.c * value.mu, self.machines
        if how.exchange == "plain":
            machines = Machines(machines.problem)
            machines.pool.add(value.a, value.s, value.energies)
        found = minimise(machines, ball, start, how, budget, known=value, enough=enough)[0]
        if machines is not self.machines:
            self.machines.calls += machines.calls
        return found


@dataclass(frozen=True)
class DcResult:
    """The best value over all starts, each start's own value, and how the run ended."""

    value: Value
    reason: Reason
    trace: list[Record]
    starts: list[dict[str, float | str | None]]
    residual: float | None
    eigenvalue_gap: float


def starting_points(
    machines: Machines,
    constraint: TailBudget,
    relaxed: FloatArray,
    count: int,
    seed: int,
    budget: Budget,
) -> list[Start]:
    """uniform, the relaxation's solution, the vertices by increasing J, then random directions."""
    M = len(relaxed)
    starts = [Start("uniform", np.ones(M)), Start("conv", relaxed)]
    if count > 2:
        vertices = []
        for m, unit in enumerate(np.eye(M)):
            try:
                value = machines(constraint.to_boundary(unit), budget, VERTEX_ACCURACY)
            except OutOfBudget:
                break
            name = machines.problem.kernels.names[m]
            vertices.append((value.objective, m, Start(f"vertex {name}", unit)))
        starts += [start for _, _, start in sorted(vertices, key=lambda item: item[:2])]
    rng = np.random.default_rng(seed)
    while len(starts) < count:
        direction = rng.exponential(size=M)
        starts.append(Start(f"random {len(starts)}", direction / direction.sum()))
    return starts[:count]


def _first_points(steps: WeightSteps, starts: Sequence[Start], budget: Budget) -> list[FloatArray]:
    """The starts on the boundary of the constraint, up to the first that the budget leaves out;
    the first of all is evaluated in any case."""
    points: list[FloatArray] = []
    for row, start in enumerate(starts):
        direction = start.direction / np.abs(start.direction).max()
        if steps.method == "algorithm1":
            direction = (1 - BLEND) * direction + BLEND * direction.mean()
        try:
            x = steps.constraint.to_boundary(direction)
            steps.objective(x[None], np.array([row], dtype=np.intp))
        except OutOfBudget:
            break
        points.append(x)
        steps.budget = budget
    return points


def minimise_dc(
    machines: Machines,
    constraint: TailBudget,
    starts: Sequence[Start],
    method: str,
    how: Exchanging,
    budget: Budget,
    bound: float,
) -> DcResult:
    """DCA from every start at once; ``bound`` is a lower bound of the problem for the trace.

    method: dca (exact steps), algorithm1, or hybrid. Every iterate satisfies the constraint on
    the tail sum itself and no step raises J: SolverError otherwise.
    """
    steps = WeightSteps(machines, constraint, how, method)
    points = _first_points(steps, starts, budget)
    if not points:
        raise OutOfBudget

    def known(x: FloatArray, rows: IntArray) -> FloatArray:
        return np.array([steps.values[row].objective for row in rows.tolist()])

    batch = Batch.of(np.array(points), known)
    tolerance = LAST_STEP_SHARE * how.tol  # to which J is known, too
    sandwich = max(SANDWICH, tolerance)
    step = dca_step(batch, steps.objective, steps.majorise, tolerance=tolerance, sandwich=sandwich)

    def bounded(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        detail = {**record.detail, "machines": float(machines.calls)}
        return replace(record, bound=bound, detail=detail)

    stops: list[Stop] = [NoneActive(batch)]
    if how.max_iter is not None:
        stops.append(MaxIterations(how.max_iter))
    reason, trace = run(bounded, stops, budget, how.observe)
    best = batch.best
    if reason is Reason.CRITICAL and best not in steps.residual:
        try:
            reason = steps.judge(best, budget)
        except OutOfBudget:
            reason = budget.reason
    summary: list[dict[str, float | str | None]] = [
        {
            "start": start.name,
            "objective": float(batch.objective[row]),
            "residual": steps.residual.get(row),
        }
        for row, start in enumerate(starts[: len(points)])
    ]
    return DcResult(
        value=steps.values[best],
        reason=reason,
        trace=trace,
        starts=summary,
        residual=steps.residual.get(best),
        eigenvalue_gap=steps.tails[best].gap,
    )
