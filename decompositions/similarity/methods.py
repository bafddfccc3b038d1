"""The methods of clustering: what each objective runs, and what it hands back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from radprog.base.limits import poll
from radprog.base.tolerances import BLOCK_RISE, WEIGHT_STEP_GAP
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.drivers.descend import DescentPoint, Stationary, descend
from radprog.decompositions.loop import Budget, MaxIterations, Reason, Record, Stalled, Stop, run
from radprog.decompositions.run import (
    NO_SOLVER,
    RunSettings,
    SolverUse,
)
from radprog.decompositions.similarity.assembly import (
    Instance,
)
from radprog.decompositions.similarity.discrete import solve_discrete
from radprog.decompositions.similarity.labelling import (
    by_kmeans,
    normalised_rows,
    spectral_clusters,
    spread,
)
from radprog.decompositions.similarity.weight_step import (
    GRADIENT_STEPS,
    WeightAnswer,
    absorbed,
    finished_step,
    paired_start,
    weight_step,
)
from radprog.decompositions.threads import single_threaded
from radprog.models.similarity.problem import DensityWeighted, frank_wolfe_gap, indicator, project
from radprog.models.similarity.settings import CDSK
from radprog.models.similarity.sparse import SparseWeighted
from radprog.models.similarity.spectral import (
    Embedding,
    NormalisedCut,
    Room,
    ZeroDegreeError,
    balanced_embedding,
    normalised_vectors,
    ratio_embedding,
    refined_embedding,
)
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solver as named_solver

CLUSTER_DECREASE = 1e-7  # relative decrease of the objective at which a clustering ends
ROUND_DECREASE = 1e-5  # relative decrease at which a round of alternation over many points ends

MOST_CLUSTER_ROUNDS = 300
ROUND_GAP = 0.02  # share of a round's decrease, or of the value, by which weights may miss theirs
ITERATIVE_POINTS = 400  # points from which both steps may be iterative ones


@dataclass
class Alternation:
    """Where alternating stands: weights, embedding, objective, and the last weight gap."""

    instance: Instance
    a: FloatArray
    embedding: Embedding
    value: float
    settings: RunSettings
    before: float = np.inf  # objective at the beginning of the round
    gap: float = np.inf
    eigenvalues: FloatArray | None = None  # of the Laplacian at ``a``, where they are known
    lowest: float | None = None  # eigenvalue of the last weight step that was not convex
    evaluated: bool = False  # whether ``value`` is that of the data at a and Y
    room: Room | None = None

    @staticmethod
    def start(instance: Instance, settings: RunSettings) -> Alternation:
        """Uniform weights with their spectral step."""
        problem, room = instance.problem, None
        a = problem.uniform
        if _iterative(instance):
            if not isinstance(problem, SparseWeighted):
                room = Room.of(problem.n)
            embedding, value = refined_embedding(problem, a, instance.c, room=room)
        else:
            embedding = _spectral(instance, a)
            value = problem.value(a, embedding.Y)
        return Alternation(instance, a, embedding, value, settings=settings, room=room)

    def spectral_step(self, budget: Budget) -> None:
        """The best Y for the weights; of many points a cheaper one as long as their step lowers the
        objective."""
        budget.check()
        problem, start = self.instance.problem, None
        if _iterative(self.instance):
            start, c = self.embedding.vectors, self.instance.c
            if self.value < self.before - ROUND_DECREASE * abs(self.before):
                self._offer(self.a, *refined_embedding(problem, self.a, c, start, self.room))
                return
        embedding = _spectral(self.instance, self.a, start, self.room)
        self._offer(self.a, embedding, problem.value(self.a, embedding.Y), evaluated=True)
        if not isinstance(problem, DensityWeighted):
            self.eigenvalues = embedding.eigenvalues

    def weight_step(self, budget: Budget) -> None:
        """Better weights for Y: of many points' pairs by pairwise descent, to few digits as long as
        that lowers the objective; else gradient steps, and where they stall the step to the end."""
        problem, finest = self.instance.problem, WEIGHT_STEP_GAP * self.instance.problem.n
        paired = problem.n >= ITERATIVE_POINTS and not isinstance(problem, SparseWeighted)
        Q, b = problem.quadratic(self.embedding.Y, self.room and self.room.whole)
        if paired:
            Q, b = absorbed(Q, b)

        def slid(a: FloatArray, steps: int) -> WeightAnswer:
            return weight_step(Q, b, problem.upper, a, budget, most=0, gradient_steps=steps)

        enough = max(finest, ROUND_GAP * min(self.before - self.value, abs(self.value)))
        self.before = before = self.value
        answer = slid(self.a, 0 if paired else GRADIENT_STEPS)
        if paired and answer.gap > enough:
            answer = slid(paired_start(Q, b, problem.upper, self.a, enough), 0)
        stalled = before - answer.value <= ROUND_DECREASE * abs(before)
        if paired and stalled and answer.gap > finest:
            start = paired_start(Q, b, problem.upper, answer.a, finest)
            answer = slid(start, GRADIENT_STEPS)
        self._offer(answer.a, self.embedding, answer.value)
        if before - answer.value <= CLUSTER_DECREASE * abs(before) and answer.gap > finest:
            answer = finished_step(problem, Q, b, answer.a, budget, self.settings)
        self.gap = answer.gap
        self.lowest = self.lowest if answer.lowest is None else answer.lowest
        self._offer(answer.a, self.embedding, answer.value)

    def _offer(
        self, a: FloatArray, embedding: Embedding, value: float, *, evaluated: bool = False
    ) -> None:
        """Take what does not raise the objective beyond rounding."""
        if value <= self.value + BLOCK_RISE * max(1.0, abs(self.value)):
            self.evaluated = evaluated
            if a is not self.a:
                self.eigenvalues = None
            self.a, self.embedding, self.value = a, embedding, value


def _iterative(instance: Instance) -> bool:
    """Whether spectral steps begin with vectors that are near the best."""
    problem = instance.problem
    many = problem.n >= max(ITERATIVE_POINTS, 3 * (instance.c + 1))
    return many and not isinstance(problem, DensityWeighted)


def _spectral(
    instance: Instance,
    a: FloatArray,
    start: FloatArray | None = None,
    room: Room | None = None,
) -> Embedding:
    problem = instance.problem
    if isinstance(problem, DensityWeighted):
        return balanced_embedding(problem, a)
    return ratio_embedding(problem, a, instance.c, start, room)


@dataclass(frozen=True, kw_only=True)
class Relaxed:
    """Where a method for relaxed labels ended, in the order of the problem: weights a (n,), their
    embedding, and the objective there."""

    a: FloatArray
    embedding: Embedding
    objective: float
    reason: Reason
    trace: Sequence[Record]
    eigenvalues: FloatArray | None = None
    lowest: float | None = None
    solver: SolverUse = field(default_factory=lambda: SolverUse("scipy", scipy.__version__, {}))


@dataclass(frozen=True, kw_only=True)
class Found:
    """Weights a (n,), labels Y and codes (n,) of a clustering, in the order of the problem."""

    a: FloatArray
    Y: FloatArray
    codes: IntArray
    objective: float
    reason: Reason
    trace: Sequence[Record] | None
    bound: float | None = None
    eigengap: float | None = None
    eigenvalues: FloatArray | None = None
    lowest: float | None = None
    distortion: float | None = None
    solver: SolverUse = NO_SOLVER
    evidence: dict[str, Any] = field(default_factory=dict)


def alternating(instance: Instance, settings: RunSettings, budget: Budget) -> Relaxed:
    """Objectives ratio and ise."""
    solver = settings.solver or "piqp"
    named_solver(solver).check(ProblemClass.QP)
    version = named_solver(solver).adapter().version()
    state = Alternation.start(instance, settings)
    step = alternation([state.weight_step, state.spectral_step], lambda: state.value, lambda: None)

    def watched(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        return replace(record, detail={"weight_gap": state.gap})

    many = instance.problem.n >= ITERATIVE_POINTS
    decrease = ROUND_DECREASE if many else CLUSTER_DECREASE
    stops: list[Stop] = [Stalled(decrease), _most_rounds(settings)]
    reason, trace = run(watched, stops, budget, settings.observe)
    objective = state.value
    if not state.evaluated:
        objective = instance.problem.value(state.a, state.embedding.Y)
    use = SolverUse(solver, version, settings.solver_options)
    if not trace:
        budget.check()
    return Relaxed(
        a=state.a,
        embedding=state.embedding,
        objective=objective,
        reason=reason,
        trace=trace,
        eigenvalues=state.eigenvalues,
        lowest=state.lowest,
        solver=use,
    )


def reducing(instance: Instance, spec: CDSK, settings: RunSettings, budget: Budget) -> Relaxed:
    """Objectives ncut and scaled: V(a) by projected gradient."""
    problem = instance.problem
    function = NormalisedCut(
        problem=problem, c=instance.c, scaled=spec.objective == "scaled", loops=spec.self_loops
    )

    latest: list[tuple[FloatArray, Embedding]] = []

    def evaluated(a: FloatArray) -> tuple[float, FloatArray]:
        poll()
        try:
            point = function(a)
        except ZeroDegreeError:
            return np.inf, np.zeros_like(a)
        latest.append((a, point.embedding))
        return point.value, point.gradient

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, problem.upper)

    start = problem.uniform
    first = function(start)
    held = [(start, first.embedding)]
    point = DescentPoint(start, first.value, first.gradient, gap(first.gradient, start))
    step = descend(point, evaluated, lambda v: project(v, problem.upper), gap)

    def watched(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        at = [pair for pair in latest if pair[0] is point.x]
        held[:], latest[:] = at[-1:] or held, []
        return record

    stops: list[Stop] = [
        Stationary(point, WEIGHT_STEP_GAP * problem.n),
        Stalled(CLUSTER_DECREASE),
        _most_rounds(settings),
    ]
    reason, trace = run(watched, stops, budget, settings.observe)
    if not trace:
        budget.check()
    return Relaxed(
        a=point.x, embedding=held[0][1], objective=point.value, reason=reason, trace=trace
    )


def _most_rounds(settings: RunSettings) -> MaxIterations:
    return MaxIterations(MOST_CLUSTER_ROUNDS if settings.max_iter is None else settings.max_iter)


def round_labels(instance: Instance, relaxed: Relaxed, seed: int) -> Found:
    """Labels by k-means on the spectral embedding of the similarity that the weights make, or of
    the one at equal weights; on Y itself for objective ise, and where that similarity has negative
    weights."""
    a, embedding = relaxed.a, relaxed.embedding
    points, eigengap = clustered(instance, a, embedding)
    found = single_threaded(by_kmeans)(points, instance.c, seed)
    codes, distortion = _preferred(instance, a, points, found)
    return Found(
        a=a,
        Y=embedding.Y,
        codes=codes,
        objective=relaxed.objective,
        reason=relaxed.reason,
        trace=relaxed.trace,
        eigengap=eigengap,
        eigenvalues=relaxed.eigenvalues,
        lowest=relaxed.lowest,
        distortion=distortion,
        solver=relaxed.solver,
        evidence={"kind": "relaxed"},
    )


def _preferred(
    instance: Instance, a: FloatArray, points: FloatArray, found: tuple[IntArray, float]
) -> tuple[IntArray, float]:
    """The labels (n,) found by k-means on points (n, d) with the squares that they leave, or those
    at equal weights where objective (12) is lower with them, at the same weights a (n,)."""
    problem, first = instance.problem, instance.first
    if isinstance(problem, DensityWeighted):
        return found
    if first is None:
        first = spectral_clusters(problem.s.copy(), instance.c)
    if first is None:
        return found
    before, after = (problem.labelled_value(a, codes) for codes in (first, found[0]))
    return (first, spread(points, first)) if before < after else found


def clustered(
    instance: Instance, a: FloatArray, embedding: Embedding
) -> tuple[FloatArray, float | None]:
    """The points that k-means separates, and the gap behind the eigenvalues of their space."""
    c = instance.c
    if not isinstance(instance.problem, DensityWeighted):
        found = normalised_vectors(instance.problem.similarity(a), c)
        if found is not None:
            return normalised_rows(found[0]), Embedding(*found).gap(c)
    return embedding.Y, embedding.gap(c)


def exact(instance: Instance, spec: CDSK, settings: RunSettings, budget: Budget) -> Found:
    """Every labelling, or the mixed-integer program by cuts or by a solver that takes it whole."""
    sizes = spec.min_size or 1, spec.max_size or instance.problem.n
    found = solve_discrete(instance.problem.dense(), instance.c, sizes, settings, budget)
    return Found(
        a=found.a,
        Y=indicator(found.codes, instance.c),
        codes=found.codes,
        objective=found.value,
        bound=found.bound,
        reason=found.reason,
        trace=found.trace,
        solver=found.solver,
        evidence={"kind": "discrete", **found.evidence},
    )
