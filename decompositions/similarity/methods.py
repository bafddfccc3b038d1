"""The methods of clustering: what each objective runs, and the labels of where it ends."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from radprog.base.limits import poll
from radprog.base.tolerances import BLOCK_RISE, WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.drivers.descend import DescentPoint, Stationary, descend
from radprog.decompositions.loop import Budget, MaxIterations, Record, Stalled, Stop, run
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import Instance
from radprog.decompositions.similarity.labelling import (
    Clustering,
    Relaxed,
    by_kmeans,
    normalised_rows,
    spectral_clusters,
    spread,
)
from radprog.decompositions.similarity.weight_step import (
    GRADIENT_STEPS,
    paired_start,
    solver_of,
    weight_step,
)
from radprog.decompositions.threads import single_threaded
from radprog.models.similarity.problem import DensityWeighted, frank_wolfe_gap, project
from radprog.models.similarity.settings import CDSK
from radprog.models.similarity.sparse import SparseWeighted
from radprog.models.similarity.spectral import (
    Embedding,
    NormalisedCut,
    ZeroDegreeError,
    balanced_embedding,
    normalised_vectors,
    ratio_embedding,
    refined_embedding,
)

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
    lowest: float | None = None  # eigenvalue of the last weight step that was not convex
    exact: bool = False  # whether the embedding is the best at ``a``, and the value evaluated there

    @staticmethod
    def start(instance: Instance, settings: RunSettings) -> Alternation:
        """Uniform weights with their spectral step."""
        problem, a = instance.problem, instance.problem.uniform
        if _iterative(instance):
            embedding, value = refined_embedding(problem, a, instance.c)
        else:
            embedding = _spectral(instance, a)
            value = problem.value(a, embedding.Y)
        return Alternation(instance, a, embedding, value, settings=settings)

    def spectral_step(self, budget: Budget) -> None:
        """The best Y for the weights, or of many points a refined one."""
        budget.check()
        problem, start = self.instance.problem, None
        if _iterative(self.instance):
            start = self.embedding.vectors
            # rough as long as rounds lower the objective: 1,000 points 0.33 s, 0.54 exact
            if self.value < self.before - ROUND_DECREASE * abs(self.before):
                self._offer(self.a, *refined_embedding(problem, self.a, self.instance.c, start))
                return
        embedding = _spectral(self.instance, self.a, start)
        self._offer(self.a, embedding, problem.value(self.a, embedding.Y), exact=True)

    def weight_step(self, budget: Budget) -> None:
        """Better weights for Y, and where a round stalls the best."""
        problem, before = self.instance.problem, self.value
        finest = WEIGHT_STEP_GAP * problem.n
        enough = max(finest, ROUND_GAP * min(self.before - before, abs(before)))
        self.before = before
        Q, b = problem.quadratic(self.embedding.Y)
        # of many points' pairs pairwise descent: 1,000 points 0.33 s, 0.56 by gradients alone
        paired = problem.n >= ITERATIVE_POINTS and not isinstance(problem, SparseWeighted)
        steps = 0 if paired else GRADIENT_STEPS
        if paired:
            # the linear term within Q, as 1'a = 1: libsvm has none
            Q += b[:, None] / 2.0
            Q += b / 2.0
            b = np.zeros_like(b)
        answer = weight_step(Q, b, problem.upper, self.a, budget, most=0, gradient_steps=steps)
        if paired and answer.gap > enough:
            start = paired_start(Q, b, problem.upper, self.a, enough)
            answer = weight_step(Q, b, problem.upper, start, budget, most=0, gradient_steps=0)
        # to the finest gap where the round lowers the objective by next to nothing
        if paired and before - answer.value <= ROUND_DECREASE * abs(before) and answer.gap > finest:
            start = paired_start(Q, b, problem.upper, answer.a, finest)
            answer = weight_step(Q, b, problem.upper, start, budget, most=0)
        # and by programs where descent does not reach it
        if before - answer.value <= CLUSTER_DECREASE * abs(before) and answer.gap > finest:
            answer = weight_step(Q, b, problem.upper, answer.a, budget, settings=self.settings)
        self.gap = answer.gap
        self.lowest = self.lowest if answer.lowest is None else answer.lowest
        self._offer(answer.a, self.embedding, answer.value)

    def _offer(
        self, a: FloatArray, embedding: Embedding, value: float, *, exact: bool = False
    ) -> None:
        """Take what does not raise the objective beyond rounding."""
        if value <= self.value + BLOCK_RISE * max(1.0, abs(self.value)):
            self.a, self.embedding, self.value, self.exact = a, embedding, value, exact


def _iterative(instance: Instance) -> bool:
    """Whether spectral steps begin with vectors that are near the best."""
    problem = instance.problem
    many = problem.n >= max(ITERATIVE_POINTS, 3 * (instance.c + 1))
    return many and not isinstance(problem, DensityWeighted)


def _spectral(instance: Instance, a: FloatArray, start: FloatArray | None = None) -> Embedding:
    problem = instance.problem
    if isinstance(problem, DensityWeighted):
        return balanced_embedding(problem, a)
    return ratio_embedding(problem, a, instance.c, start)


def alternate(instance: Instance, settings: RunSettings, budget: Budget) -> Relaxed:
    """Objectives ratio and ise: the weight step and the spectral step in turn."""
    use = solver_of(settings)
    state = Alternation.start(instance, settings)
    step = alternation([state.weight_step, state.spectral_step], lambda: state.value, lambda: None)

    def watched(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        return replace(record, detail={"weight_gap": state.gap})

    many = instance.problem.n >= ITERATIVE_POINTS
    decrease = ROUND_DECREASE if many else CLUSTER_DECREASE
    stops: list[Stop] = [Stalled(decrease), _most_rounds(settings)]
    reason, trace = run(watched, stops, budget, settings.observe)
    if not trace:
        budget.check()
    known = state.exact and not isinstance(instance.problem, DensityWeighted)
    return Relaxed(
        a=state.a,
        embedding=state.embedding,
        objective=state.value if state.exact else None,
        reason=reason,
        trace=trace,
        eigenvalues=state.embedding.eigenvalues if known else None,
        lowest=state.lowest,
        solver=use,
    )


def reduce_cut(instance: Instance, spec: CDSK, settings: RunSettings, budget: Budget) -> Relaxed:
    """Objectives ncut and scaled: V(a) by projected gradient."""
    problem = instance.problem
    function = NormalisedCut(
        problem=problem, c=instance.c, scaled=spec.objective == "scaled", loops=spec.self_loops
    )

    def evaluated(a: FloatArray) -> tuple[float, FloatArray]:
        poll()
        try:
            cut = function(a, latest[-1][1].vectors)
        except ZeroDegreeError:
            return np.inf, np.zeros_like(a)
        latest.append((a, cut.embedding))
        return cut.value, cut.gradient

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, problem.upper)

    # descend from equal weights
    start = problem.uniform
    first = function(start)
    latest = [(start, first.embedding)]
    point = DescentPoint(start, first.value, first.gradient, gap(first.gradient, start))
    step = descend(point, evaluated, lambda v: project(v, problem.upper), gap)

    def watched(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        latest[:] = [pair for pair in latest if pair[0] is point.x]
        return record

    stops: list[Stop] = [
        Stationary(point, WEIGHT_STEP_GAP * problem.n),
        Stalled(CLUSTER_DECREASE),
        _most_rounds(settings),
    ]
    reason, trace = run(watched, stops, budget, settings.observe)
    if not trace:
        budget.check()
    embedding = next(found for a, found in latest if a is point.x)
    return Relaxed(
        a=point.x, embedding=embedding, objective=point.value, reason=reason, trace=trace
    )


def _most_rounds(settings: RunSettings) -> MaxIterations:
    return MaxIterations(MOST_CLUSTER_ROUNDS if settings.max_iter is None else settings.max_iter)


def round_labels(instance: Instance, relaxed: Relaxed, seed: int) -> Clustering:
    """Labels by k-means on the spectral embedding of the similarity that the weights make, or those
    at equal weights where objective (12) is lower with them, at the same weights."""
    problem, a = instance.problem, relaxed.a
    points, eigengap = separated_points(instance, a, relaxed.embedding)
    codes, distortion = single_threaded(by_kmeans)(points, instance.c, seed)
    first = instance.first
    if first is None and not isinstance(problem, DensityWeighted):
        first = spectral_clusters(problem.s.copy(), instance.c)
    if first is not None and problem.labelled_value(a, first) < problem.labelled_value(a, codes):
        codes, distortion = first, spread(points, first)
    values = dict(vars(relaxed))
    if relaxed.objective is None:
        values["objective"] = problem.value(a, relaxed.embedding.Y)
    return Clustering(
        **values,
        codes=codes,
        eigengap=eigengap,
        distortion=distortion,
        evidence={"kind": "relaxed"},
    )


def separated_points(
    instance: Instance, a: FloatArray, embedding: Embedding
) -> tuple[FloatArray, float | None]:
    """The points that k-means separates, and the gap behind the eigenvalues of their space: Y
    itself for objective ise, and where the similarity has negative weights."""
    c = instance.c
    if not isinstance(instance.problem, DensityWeighted):
        pairs = normalised_vectors(instance.problem.similarity(a), c)
        if pairs is not None:
            return normalised_rows(pairs[0]), Embedding(*pairs).gap(c)
    return embedding.Y, embedding.gap(c)
