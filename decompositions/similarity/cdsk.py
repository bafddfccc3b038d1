"""CDSK: clustering by discriminative similarity, one monitored objective per variant.

ratio, ise: alternate between the spectral step and the weight step, both minimising Psi;
ncut, scaled: projected gradient on V(a), the minimum over Y; exact: see ``discrete``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import scipy

from radprog.decompositions.drivers.alternate import alternate
from radprog.decompositions.drivers.descend import DescentPoint, Stationary, descend
from radprog.decompositions.loop import Budget, MaxIterations, Reason, Record, Stalled, Stop, run
from radprog.decompositions.run import (
    Methods,
    Outcome,
    Run,
    RunSettings,
    SolverUse,
    packed,
)
from radprog.decompositions.similarity.assembly import (
    DistanceStore,
    Instance,
    assemble,
    box_used,
    check_rows,
    collapse_of,
)
from radprog.decompositions.similarity.classifier import kernel_classifier
from radprog.decompositions.similarity.discrete import solve_discrete
from radprog.decompositions.similarity.labelling import (
    by_kmeans,
    normalised_rows,
)
from radprog.decompositions.similarity.report import bounds_of, summary_of
from radprog.decompositions.similarity.weight_step import weight_step, weights_program
from radprog.decompositions.threads import single_threaded
from radprog.instances.errors import DataError, OptionError
from radprog.instances.tolerances import (
    AT_BOX,
    BLOCK_RISE,
    CLUSTER_DECREASE,
    NO_SIMILARITY,
    WEIGHT_STEP_GAP,
)
from radprog.instances.types import FloatArray, IntArray
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity.problem import DensityWeighted, frank_wolfe_gap, indicator, project
from radprog.models.similarity.settings import CDSK
from radprog.models.similarity.spectral import (
    Embedding,
    NormalisedCut,
    ZeroDegreeError,
    balanced_embedding,
    normalised_vectors,
    ratio_embedding,
    refined_embedding,
)
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solver as named_solver

NOT_USED: Methods = {"alternate": ("start",), "exact": ("start",)}
OWN: Methods = {"alternate": ("projected gradient",), "exact": ("enumeration",)}
MOST_CLUSTER_ROUNDS = 300
ITERATIVE_POINTS = 400  # points from which the spectral step may be an iterative one
BOXED = (
    "weights are held to {:.6g} and some are there: what is optimal is (12) over that box, not "
    "over the paper's simplex (box none)"
)


@dataclass
class Alternation:
    """Where alternating stands: weights, embedding, objective, and the last weight gap."""

    instance: Instance
    a: FloatArray
    embedding: Embedding
    value: float
    settings: RunSettings
    gap: float = np.inf
    eigenvalues: FloatArray | None = None  # of the Laplacian at ``a``, where they are known
    lowest: float | None = None  # eigenvalue of the last weight step that was not convex

    @staticmethod
    def start(instance: Instance, settings: RunSettings) -> Alternation:
        """Uniform weights with their spectral step."""
        a = instance.problem.uniform
        embedding = _spectral(instance, a)
        return Alternation(
            instance, a, embedding, instance.problem.value(a, embedding.Y), settings=settings
        )

    def spectral_step(self, budget: Budget) -> None:
        """The best Y for the weights; a cheaper one as long as that lowers the objective."""
        budget.check()
        problem = self.instance.problem
        if problem.n >= ITERATIVE_POINTS and not isinstance(problem, DensityWeighted):
            Y = refined_embedding(problem, self.a, self.embedding.Y)
            value = problem.value(self.a, Y)
            if value < self.value - CLUSTER_DECREASE * abs(self.value):
                self._offer(self.a, self.embedding._replace(Y=Y), value)
                return
        embedding = _spectral(self.instance, self.a)
        self._offer(self.a, embedding, problem.value(self.a, embedding.Y))
        if not isinstance(problem, DensityWeighted):
            self.eigenvalues = embedding.eigenvalues

    def weight_step(self, budget: Budget) -> None:
        """Better weights for Y: gradient steps, and where they stall the step to the end."""
        problem = self.instance.problem
        Q, b = problem.quadratic(self.embedding.Y)
        answer = weight_step(Q, b, problem.upper, self.a, budget, most=0)
        if (
            self.value - answer.value <= CLUSTER_DECREASE * abs(self.value)
            and answer.gap > WEIGHT_STEP_GAP * problem.n
        ):
            answer = weight_step(Q, b, problem.upper, answer.a, budget, settings=self.settings)
        self.gap = answer.gap
        self.lowest = self.lowest if answer.lowest is None else answer.lowest
        self._offer(answer.a, self.embedding, answer.value)

    def _offer(self, a: FloatArray, embedding: Embedding, value: float) -> None:
        """Take what does not raise the objective beyond rounding."""
        if value <= self.value + BLOCK_RISE * max(1.0, abs(self.value)):
            if a is not self.a:
                self.eigenvalues = None
            self.a, self.embedding, self.value = a, embedding, value


def _spectral(instance: Instance, a: FloatArray) -> Embedding:
    problem = instance.problem
    if isinstance(problem, DensityWeighted):
        return balanced_embedding(problem, a)
    return ratio_embedding(problem, a, instance.c)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a method found, in the order of the problem."""

    a: FloatArray
    Y: FloatArray
    codes: IntArray
    objective: float
    reason: Reason
    trace: list[Record]
    bound: float | None = None
    gap: float = 0.0
    eigengap: float | None = None
    eigenvalues: FloatArray | None = None
    lowest: float | None = None
    distortion: float | None = None
    solver: SolverUse = field(default_factory=lambda: SolverUse("scipy", scipy.__version__, {}))
    evidence: dict[str, Any] = field(default_factory=dict)


def alternating(instance: Instance, spec: CDSK, settings: RunSettings, budget: Budget) -> Found:
    """Objectives ratio and ise."""
    solver = settings.solver or "piqp"
    named_solver(solver).check(ProblemClass.QP)
    version = named_solver(solver).adapter().version()
    state = Alternation.start(instance, settings)
    step = alternate([state.weight_step, state.spectral_step], lambda: state.value, lambda: None)

    def watched(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        return replace(record, detail={"weight_gap": state.gap})

    reason, trace = run(watched, _stops(settings), budget, settings.observe)
    objective = instance.problem.value(state.a, state.embedding.Y)
    found = _rounded(instance, settings, state.a, state.embedding, objective, reason, trace)
    use = SolverUse(solver, version, settings.solver_options)
    return replace(found, eigenvalues=state.eigenvalues, lowest=state.lowest, solver=use)


def reducing(instance: Instance, spec: CDSK, settings: RunSettings, budget: Budget) -> Found:
    """Objectives ncut and scaled: V(a) by projected gradient."""
    problem = instance.problem
    function = NormalisedCut(
        problem=problem, c=instance.c, scaled=spec.objective == "scaled", loops=spec.self_loops
    )

    def evaluated(a: FloatArray) -> tuple[float, FloatArray]:
        budget.check()
        try:
            point = function(a)
        except ZeroDegreeError:
            return np.inf, np.zeros_like(a)
        return point.value, point.gradient

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, problem.upper)

    start = problem.uniform
    first = function(start)
    point = DescentPoint(start, first.value, first.gradient, gap(first.gradient, start))
    step = descend(point, evaluated, lambda v: project(v, problem.upper), gap)
    stops: list[Stop] = [Stationary(point, WEIGHT_STEP_GAP * problem.n), *_stops(settings)]
    reason, trace = run(step, stops, budget, settings.observe)
    last = function(point.x)
    return _rounded(instance, settings, point.x, last.embedding, last.value, reason, trace)


def _stops(settings: RunSettings) -> list[Stop]:
    limit = MOST_CLUSTER_ROUNDS if settings.max_iter is None else settings.max_iter
    return [Stalled(CLUSTER_DECREASE), MaxIterations(limit)]


def _rounded(
    instance: Instance,
    settings: RunSettings,
    a: FloatArray,
    embedding: Embedding,
    objective: float,
    reason: Reason,
    trace: list[Record],
) -> Found:
    """Labels by k-means on the spectral embedding of the similarity that the weights make; on Y
    itself for objective ise, and where that similarity has negative weights."""
    points, eigengap = clustered(instance, a, embedding)
    codes, distortion = by_kmeans(points, instance.c, settings.seed)
    return Found(
        a=a,
        Y=embedding.Y,
        codes=codes,
        objective=objective,
        reason=reason,
        trace=trace,
        eigengap=eigengap,
        distortion=distortion,
        evidence={"kind": "relaxed"},
    )


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
    found = solve_discrete(instance.problem, instance.c, sizes, settings, budget)
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


@single_threaded
def fit_cdsk(
    spec: CDSK,
    data: PartlyLabelled,
    settings: RunSettings,
    distances: DistanceStore | None = None,
) -> Run:
    """Cluster the points; known labels are used for nothing but the agreement in the summary.

    Raises OptionError and DataError as ``similarity.problem.assemble`` does, and where a relaxation
    has nothing to cluster by: a row similar to no other, or no similarity at equal weights.
    """
    method = _method(spec, settings)
    clock = settings.clock()
    budget = clock.budget
    instance = assemble(spec, data, distances)
    clock.ready()
    if method == "exact":
        found = exact(instance, spec, settings, budget)
    elif spec.objective == "ise":
        found = alternating(instance, spec, settings, budget)
    elif spec.objective == "ratio":
        check_rows(instance, data)
        found = alternating(instance, spec, settings, budget)
    else:
        check_rows(instance, data)
        _check_similarity(instance, spec)
        try:
            found = reducing(instance, spec, settings, budget)
        except ZeroDegreeError as error:
            row = data.line(int(instance.order[error.row]))
            raise DataError(
                f"{data.name}: row {row} has degree 0 at equal weights with lam "
                f"{instance.problem.lam:g}: use a larger bandwidth, or a smaller lam"
            ) from None
    return packed(spec, settings, clock, outcome_of(spec, data, instance, found, method))


def _check_similarity(instance: Instance, spec: CDSK) -> None:
    """OptionError where equal weights, from which ncut and scaled descend, make no similarity:
    S_ij = 2 (2 - lam / n) s_ij / n."""
    lam, most = instance.problem.lam, 2.0 * instance.problem.n
    if lam >= most * (1.0 - NO_SIMILARITY):
        raise OptionError(
            f"lam {lam:g}: from 2n = {most:g} on, equal weights make a similarity "
            "2 (a_i + a_j - lam a_i a_j) s_ij of 0 or less, by whose degrees objective "
            f"'{spec.objective}' divides: expected a smaller lam"
        )


def outcome_of(
    spec: CDSK, data: PartlyLabelled, instance: Instance, found: Found, method: str
) -> Outcome:
    """What a method found, by row of the data."""
    problem = instance.problem
    a, codes = instance.restored(found.a), instance.restored(found.codes)
    evidence = dict(found.evidence)
    if "labellings" in evidence:
        evidence["labellings"] = instance.restored(evidence["labellings"].T).T.tolist()
    box = box_used(instance)
    boxed = method == "exact" and box is not None and found.a.max() >= box * (1.0 - AT_BOX)
    warnings = [
        *instance.warnings,
        *([BOXED.format(box)] if boxed else []),
        *collapse_of(instance, found.a, found.codes, found.eigengap, data),
    ]
    summary = {
        **summary_of(instance, found.a, found.codes, data, found.eigenvalues),
        "objective_name": spec.objective,
        "eigengap": found.eigengap,
        "distortion": found.distortion,
        "least_curvature": found.lowest,
        "relative_objective": found.objective / problem.scale if problem.scale > 0 else None,
        "embedding": instance.restored(found.Y).tolist(),
    }
    return Outcome(
        method=method,
        reason=found.reason,
        objective=found.objective,
        bound=found.bound,
        trace=found.trace,
        solver=found.solver,
        fit=kernel_classifier(data.X, a, codes, instance.c, instance.bandwidth),
        summary=summary,
        evidence={
            **evidence,
            "a": a.tolist(),
            "Y": instance.restored(found.Y).tolist(),
            "labels": codes.tolist(),
        },
        program=partial(weights_program, problem, found.Y),
        warnings=tuple(warnings),
        extra={"bounds": bounds_of(instance, found.a, found.codes)},
    )


def _method(spec: CDSK, settings: RunSettings) -> str:
    method = settings.check(spec, NOT_USED, OWN)
    sized = spec.min_size is not None or spec.max_size is not None
    if method == "alternate" and sized:
        raise OptionError("min_size and max_size are used by method exact and form labels alone")
    if method == "exact":
        if spec.objective in ("ncut", "scaled"):
            raise OptionError(f"objective '{spec.objective}' is of relaxed labels: not for exact")
        if spec.trace != "half":
            raise OptionError("trace is not used by method exact")
    elif settings.solver is not None and spec.objective in ("ncut", "scaled"):
        raise OptionError(f"objective '{spec.objective}' calls no solver: leave --solver out")
    return method
