"""CDSK: clustering by discriminative similarity.

For the objectives ``ratio`` and ``ise``, the spectral step and the weight step alternate. Both
steps minimise Psi. For ``ncut`` and ``scaled``, projected gradient steps minimise V(a), the minimum
over Y. The method ``exact`` is in the module ``labels``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll, single_threaded
from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import FormSolution, FunctionClass, ball_class
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.drivers.descend import DescentPoint, descend, stationary
from radprog.decompositions.loop import Budget, Record, first_step, run, stalled
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, packed
from radprog.decompositions.similarity.assembly import (
    Instance,
    assemble,
    box_notes,
    check_rows,
    collapse_warnings,
    stored_points,
)
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.decompositions.similarity.labels import (
    Clustering,
    loaded_point,
    solve_labels,
)
from radprog.decompositions.similarity.report import bounds_of, summarise
from radprog.decompositions.similarity.weight_step import (
    GRADIENT_STEPS,
    paired_start,
    solver_of,
    weight_step,
    weights_program,
)
from radprog.instances.dataset import Dataset
from radprog.instances.tables import UNKNOWN
from radprog.models.similarity.problem import DensityWeighted, frank_wolfe_gap, indicator
from radprog.models.similarity.settings import ALL, AUTO, CDSK
from radprog.models.similarity.sparse import SparseWeighted
from radprog.models.similarity.spectral import (
    Embedding,
    balanced_embedding,
    by_kmeans,
    normalised_cut,
    normalised_rows,
    normalised_vectors,
    ratio_embedding,
    refined_embedding,
    spectral_clusters,
    spread,
)
from radprog.models.similarity.svm import parts_of
from radprog.models.simplex import project

CLUSTER_DECREASE = 1e-7  # relative decrease of the objective at which a clustering ends
ROUND_DECREASE = 1e-5  # relative decrease at which a round of alternation over many points ends

MOST_CLUSTER_ROUNDS = 300
ITERATIVE_POINTS = 400  # points from which both steps may be iterative ones


SIZES_UNUSED = "min_size and max_size are used only by method exact and form labels"


@single_threaded
def fit_cdsk(spec: CDSK, data: Dataset, settings: RunSettings) -> Run:
    """Cluster the points. Known labels only determine the default number of clusters, and the
    agreement in the summary.

    Raises OptionError and DataError under the conditions of :func:`assemble`. For a relaxation,
    raises DataError if a row is similar to no other row, and OptionError if equal weights give no
    positive similarity.
    """
    method = settings.method_of(spec)
    if method == "exact":
        if spec.objective != "ratio":
            raise OptionError(f"objective '{spec.objective}' has no form labels: not for exact")
        if spec.trace != "half":
            raise OptionError("trace is not used by method exact")
    elif spec.min_size is not None or spec.max_size is not None:
        raise OptionError(SIZES_UNUSED)
    elif settings.solver is not None and spec.objective in ("ncut", "scaled"):
        raise OptionError(f"objective '{spec.objective}' calls no solver: leave `solver` out")
    budget = settings.budget()
    with first_step(budget):
        instance = assemble(spec, data)
        budget.kernels = budget.seconds
        # (12) itself, with its labels, or a relaxation
        if method == "exact":
            clustering = solve_labels(spec, instance, settings, budget)
        else:
            # a row similar to no other would make a cluster of its own
            if spec.objective != "ise":
                check_rows(instance, data)
            if spec.objective in ("ratio", "ise"):
                clustering = alternate(instance, settings, budget)
            else:
                clustering = reduce_cut(instance, spec, data, settings, budget)
    # labels, values and bounds of the incumbent are always computed in full
    if clustering.codes is None:
        clustering = round_labels(instance, clustering, settings.seed)
    return packed(spec, settings, budget, outcome_of(spec, data, instance, clustering, method))


def outcome_of(
    spec: CDSK, data: Dataset, instance: Instance, clustering: Clustering, method: str
) -> Outcome:
    """The outcome for a method, with arrays in the order of the data."""
    # points by row of the data, as others read them
    problem, objective = instance.problem, clustering.objective
    assert objective is not None
    assert clustering.codes is not None
    a, codes = instance.restored(clustering.a), instance.restored(clustering.codes)
    embedding = instance.restored(clustering.embedding.Y).tolist()
    few = spec.objective == "ise" and spec.clusters is None and data.n_classes > 2
    warnings = [
        *instance.warnings,
        *[f"{data.n_classes} classes, and 2 clusters: objective 'ise' is for two"] * few,
        *(f"{line} (box none)" for line in box_notes(instance, clustering.a) if method == "exact"),
        *collapse_warnings(instance, clustering.a, clustering.codes, clustering.eigengap, data),
    ]
    summary = {
        **summarise(instance, clustering.a, clustering.codes, data, clustering.eigenvalues),
        "objective_name": spec.objective,
        "eigengap": clustering.eigengap,
        "distortion": clustering.distortion,
        "least_curvature": clustering.lowest,
        "relative_objective": objective / problem.scale if problem.scale > 0 else None,
        "embedding": embedding,
    }
    return Outcome(
        method=method,
        reason=clustering.reason,
        objective=objective,
        bound=clustering.bound,
        trace=clustering.trace,
        solver=clustering.solver,
        fit=KernelClassifier.of(data.X, a, codes, instance.c, instance.bandwidth),
        summary=summary,
        evidence={
            **clustering.evidence,
            "a": a.tolist(),
            "Y": embedding,
            "labels": codes.tolist(),
            **({"bandwidth": instance.bandwidth} if spec.bandwidth == AUTO else {}),
        },
        program=partial(weights_program, instance, clustering.embedding.Y),
        warnings=tuple(warnings),
        extra={"bounds": bounds_of(instance, clustering.a, clustering.codes)},
    )


@dataclass
class Alternation:
    """The state of the alternation: weights, embedding, objective, and the last weight gap."""

    instance: Instance
    a: FloatArray
    embedding: Embedding
    value: float
    settings: RunSettings
    round_start: float = np.inf  # objective at the beginning of the round
    gap: float = np.inf
    lowest: float | None = None  # eigenvalue of the last weight step that was not convex
    paired: bool = True  # whether pairwise descent still lowers the objective
    exact: bool = False  # whether the embedding is the best at ``a``, and the value evaluated there

    @staticmethod
    def start(instance: Instance, settings: RunSettings) -> Alternation:
        """Uniform weights and their spectral step."""
        problem, a = instance.problem, instance.problem.uniform
        if _iterative(instance):
            # from eigenvectors that chose the bandwidth: 500 points 2.6 ms, 5.6 from random ones
            vectors = None if instance.initial is None else instance.initial[1]
            embedding, value = refined_embedding(problem, a, instance.c, vectors)
        else:
            embedding = _spectral(instance, a)
            value = problem.value(a, embedding.Y)
        return Alternation(instance, a, embedding, value, settings=settings)

    def spectral_step(self, budget: Budget) -> None:
        """Compute the best Y for the weights. If there are many points, only improve the last Y."""
        budget.check()
        problem, start = self.instance.problem, None
        if _iterative(self.instance):
            start = self.embedding.vectors
            # rough as long as rounds lower the objective: 1,000 points 0.33 s, 0.54 exact; of
            # graphs always, whose eigenvectors have no proof: digits 0.23 s, 0.62, and objectives
            # at most 1e-6 above
            falls = self.value < self.round_start - ROUND_DECREASE * abs(self.round_start)
            if falls or isinstance(problem, SparseWeighted):
                self._offer(self.a, *refined_embedding(problem, self.a, self.instance.c, start))
                return
        embedding = _spectral(self.instance, self.a, start)
        self._offer(self.a, embedding, problem.value(self.a, embedding.Y), exact=True)

    def weight_step(self, budget: Budget) -> None:
        """Improve the weights for Y. If a round makes little progress, compute the best weights."""
        problem, value = self.instance.problem, self.value
        finest = WEIGHT_STEP_GAP * problem.n
        # weights may miss theirs by a share of the round's decrease, or of the value
        target = max(finest, 0.02 * min(self.round_start - value, abs(value)))
        self.round_start = value
        Q, b = problem.quadratic(self.embedding.Y)
        # pairwise descent with many points: 1,000 take 0.33 s, and 0.56 by gradients alone
        is_large = problem.n >= ITERATIVE_POINTS and not isinstance(problem, SparseWeighted)
        if paired := self.paired and is_large:
            # the linear term within Q, as 1'a = 1: libsvm has none
            Q += b[:, None] / 2.0
            Q += b / 2.0
            b = np.zeros_like(b)
        steps = 0 if paired else GRADIENT_STEPS
        point, _, _ = weight_step(
            Q, b, problem.upper, self.a, budget, limit=0, gradient_steps=steps
        )
        if paired and point.gap > target:
            start = paired_start(Q, problem.upper, self.a, target)
            # it starts from no weights: where it does not reach the last ones, gradient steps from
            # them are left from then on: 1,000 points 0.44 s, 0.67 with both
            self.paired = paired = start is not self.a
            steps = 0 if paired else GRADIENT_STEPS
            point, _, _ = weight_step(
                Q, b, problem.upper, start, budget, limit=0, gradient_steps=steps
            )
        # to the finest gap where the round lowers the objective by next to nothing
        if paired and value - point.value <= ROUND_DECREASE * abs(value) and point.gap > finest:
            start = paired_start(Q, problem.upper, point.x, finest)
            point, _, _ = weight_step(Q, b, problem.upper, start, budget, limit=0)
        # and by programs where descent does not reach it
        if value - point.value <= CLUSTER_DECREASE * abs(value) and point.gap > finest:
            point, _, lowest = weight_step(
                Q, b, problem.upper, point.x, budget, settings=self.settings
            )
            self.lowest = self.lowest if lowest is None else lowest
        self.gap = point.gap
        self._offer(point.x, self.embedding, point.value)

    def _offer(
        self, a: FloatArray, embedding: Embedding, value: float, *, exact: bool = False
    ) -> None:
        """Accept a step that does not raise the objective beyond rounding."""
        # what rounding may add to the objective
        if value <= self.value + 1e-13 * max(1.0, abs(self.value)):
            self.a, self.embedding, self.value, self.exact = a, embedding, value, exact


def _iterative(instance: Instance) -> bool:
    """Whether spectral steps are iterative, starting from the last eigenvectors."""
    problem = instance.problem
    is_large = problem.n >= max(ITERATIVE_POINTS, 3 * (instance.c + 1))
    return is_large and not isinstance(problem, DensityWeighted)


def _spectral(instance: Instance, a: FloatArray, start: FloatArray | None = None) -> Embedding:
    problem = instance.problem
    if isinstance(problem, DensityWeighted):
        return balanced_embedding(problem, a)
    return ratio_embedding(problem, a, instance.c, start)


def alternate(instance: Instance, settings: RunSettings, budget: Budget) -> Clustering:
    """Minimise the objective ratio or ise by alternating the weight step and the spectral step."""
    use = solver_of(settings)
    state = Alternation.start(instance, settings)
    step = alternation([state.weight_step, state.spectral_step], lambda: state.value, lambda: None)

    def record_step(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        return replace(record, detail={"weight_gap": state.gap})

    is_large = instance.problem.n >= ITERATIVE_POINTS
    decrease = ROUND_DECREASE if is_large else CLUSTER_DECREASE
    stops = settings.stops(stalled(decrease), most=MOST_CLUSTER_ROUNDS)
    reason, trace = run(record_step, stops, budget, settings.observe, needed=True)
    # eigenvalues and value are those at the weights where the last spectral step was exact
    proved = state.exact and not isinstance(instance.problem, DensityWeighted)
    return Clustering(
        a=state.a,
        embedding=state.embedding,
        objective=state.value if state.exact else None,
        reason=reason,
        trace=trace,
        eigenvalues=state.embedding.eigenvalues if proved else None,
        lowest=state.lowest,
        solver=use,
    )


def reduce_cut(
    instance: Instance, spec: CDSK, data: Dataset, settings: RunSettings, budget: Budget
) -> Clustering:
    """Minimise V(a) of the objective ncut or scaled by projected gradient steps.

    Raises OptionError or DataError if equal weights, the start, give no positive similarity
    S_ij = 2 (2 - lam / n) s_ij / n, or no positive degrees.
    """
    problem = instance.problem
    lam, limit = problem.lam, 2.0 * problem.n
    if lam >= limit * (1.0 - 1e-9):  # share of lam by which 2n must lie above it
        raise OptionError(
            f"lam {lam:g}: from 2n = {limit:g} on, equal weights make a similarity "
            "2 (a_i + a_j - lam a_i a_j) s_ij of 0 or less, by whose degrees objective "
            f"'{spec.objective}' divides: expected a smaller lam"
        )
    function = partial(normalised_cut, problem, c=instance.c, scaled=spec.objective == "scaled")

    def evaluate(a: FloatArray) -> tuple[float, FloatArray]:
        # V and its gradient, from the eigenvectors of the last point; infinite at degree 0
        poll()
        value, gradient, embedding = function(a, start=latest[-1][1].vectors)
        if value < np.inf:
            latest.append((a, embedding))
        return value, gradient

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, problem.upper)

    # descend from equal weights
    start = problem.uniform
    value, gradient, embedding = function(start)
    if value == np.inf:
        row = data.row_name(int(instance.order[problem.degrees(start).argmin()]))
        raise DataError(
            f"{data.name}: {row} has degree 0 at equal weights with lam {lam:g}: use a larger "
            "bandwidth, or a smaller lam"
        )
    latest = [(start, embedding)]
    point = DescentPoint(start, value, gradient, gap(gradient, start))
    step = descend(point, evaluate, lambda v: project(v, problem.upper), gap)

    def record_step(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        latest[:] = [pair for pair in latest if pair[0] is point.x]
        return record

    rules = stationary(point, WEIGHT_STEP_GAP * problem.n), stalled(CLUSTER_DECREASE)
    stops = settings.stops(*rules, most=MOST_CLUSTER_ROUNDS)
    reason, trace = run(record_step, stops, budget, settings.observe, needed=True)
    embedding = next(embedding for a, embedding in latest if a is point.x)
    return Clustering(
        a=point.x, embedding=embedding, objective=point.value, reason=reason, trace=trace
    )


def round_labels(instance: Instance, relaxed: Clustering, seed: int) -> Clustering:
    """Labels by k-means on the spectral embedding of the similarity at the weights.

    Labels computed with equal weights are used instead if their objective (12) at the given weights
    is lower.
    """
    problem, a, c = instance.problem, relaxed.a, instance.c
    # k-means on the embedding of the similarity that the weights make (Ng, Jordan and Weiss); for
    # the objective ise, and for similarities with negative entries, on Y itself
    points, eigengap = relaxed.embedding.Y, relaxed.embedding.gap(c)
    if not isinstance(problem, DensityWeighted):
        pairs = normalised_vectors(problem.similarity(a), c)
        if pairs is not None:
            points, eigengap = normalised_rows(pairs[0][:, :c]), Embedding(*pairs).gap(c)
    # spectral clusters at equal weights: the choice of the bandwidth may have found them
    initial = instance.initial
    if initial is None and not isinstance(problem, DensityWeighted):
        initial = spectral_clusters(problem.s.copy(), c)
    start = None if initial is None else initial[0]
    codes, distortion = single_threaded(by_kmeans)(points, c, seed, start)
    if start is not None and problem.labelled_value(a, start) < problem.labelled_value(a, codes):
        codes, distortion = start, spread(points, start)
    value = relaxed.objective
    return replace(
        relaxed,
        objective=problem.value(a, relaxed.embedding.Y) if value is None else value,
        codes=codes,
        eigengap=eigengap,
        distortion=distortion,
        evidence={"kind": "relaxed"},
    )


@single_threaded
def recompute_cdsk(
    spec: CDSK, data: Dataset, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """The values at the stored points, recomputed with numpy. Raises DataError if the points do not
    match the data.

    Relaxed points use the stored labels. For the method ``exact``, the bound is the solver's.
    """
    instance = assemble(spec, data, evidence.get("bandwidth"))
    a, Y = stored_points(evidence, instance)
    problem, c = instance.problem, instance.c
    labels = np.asarray(evidence["labels"], dtype=np.intp)
    if labels.shape != (problem.n,) or not set(labels.tolist()) <= set(range(c)):
        raise DataError("the stored labels do not fit this data set")
    codes, bound, method = labels[instance.order], None, "alternate"
    if evidence["kind"] == "discrete":
        # J of the stored labelling; its bound is the solver's
        codes, bound, method = Y.argmax(axis=1), evidence.get("solver_bound"), "exact"
        sizes = np.bincount(codes, minlength=c)
        if not np.array_equal(Y, indicator(codes, c)) or not (
            sizes.min() >= (spec.min_size or 1) and sizes.max() <= (spec.max_size or len(codes))
        ):
            raise DataError("the stored Y is not a labelling of these sizes")
        value = problem.labelled_value_up(a, codes)
    elif spec.objective in ("ncut", "scaled"):
        # V at the weights
        value = normalised_cut(problem, a, c, scaled=spec.objective == "scaled")[0]
        if value == np.inf:
            raise DataError("at the stored weights a row has degree 0")
    else:
        # Psi where Y meets its constraint
        if isinstance(problem, DensityWeighted):
            residual = abs(float(Y[:, 0] @ Y[:, 0]) / problem.n - 1.0) + abs(float(Y.mean()))
        else:
            residual = float(np.abs(Y.T @ Y * (c / problem.n) - np.eye(c)).max())
        if not residual <= 1e-8:  # how far a stored Y may be from its constraint
            raise DataError("the stored Y does not meet its constraint")
        value = problem.value(a, Y)
    embedding = Embedding(Y, np.empty(0))
    clustering = Clustering(a=a, embedding=embedding, codes=codes, objective=value, bound=bound)
    return outcome_of(spec, data, instance, clustering, method)


def load_cdsk(
    spec: CDSK, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load and evaluate the labels and weights of the discrete program (12) or (25). There is no
    bound.

    Raises OptionError for any other form, because it is only a step of the method. Raises DataError
    if labels are not integers, or if they violate the bounds on cluster sizes.
    """
    budget, instance = settings.budget(), assemble(spec, data)
    budget.kernels = budget.seconds
    clustering = loaded_point(instance, points[0])
    assert clustering.codes is not None
    sizes = np.bincount(clustering.codes, minlength=instance.c)
    if sizes.min() < (spec.min_size or 1) or sizes.max() > (spec.max_size or len(instance.codes)):
        raise DataError(f"the clusters of the solution have sizes {sizes.tolist()}")
    outcome = outcome_of(spec, data, instance, clustering, "exact")
    return packed(spec, settings, budget, outcome)


def cdsk_classes(spec: CDSK, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class of margins {(x, y) -> h(x, y) - sum over other classes y' of h(x, y')} of Lemma 1,
    with exact suprema.

    If the similarity has two parts, the class is that of Lemma 3. With B = 1, the functions satisfy
    sum_y |h(., y)|^2 <= 1. The sum over i of sigma_i times the margin of point i is linear in the
    functions h(., y), so its supremum is sqrt(sigma'(K o G)sigma). Here G_ij = u_i'u_j, and u_i
    (c,) is 1 for the class of point i and -1 for the other classes. Functions with weights in the
    simplex form a smaller class. Raises OptionError if a row has no class, or if the kernel is
    restricted to nearest neighbours.
    """
    if spec.objective == "ise" or isinstance(spec.neighbours, int):
        option = "objective 'ise'" if spec.objective == "ise" else "neighbours"
        raise OptionError(f"{option}: complexity is that of margins by a kernel of all pairs")
    instance = assemble(replace(spec, neighbours=ALL), data)
    if (instance.codes == UNKNOWN).any():
        raise OptionError(f"{data.name}: complexity of margins needs the class of every row")
    # similarities and classes by row of the data
    problem, rows = instance.problem, np.argsort(instance.order)
    u = 2.0 * indicator(instance.codes[rows], data.n_classes) - 1.0
    parts = [problem.s] if problem.size is problem.s else parts_of(problem.s, problem.size)
    margins = [part[np.ix_(rows, rows)] * (u @ u.T) for part in parts]
    return [ball_class(f"margins of {data.n_classes} classes", margins)]
