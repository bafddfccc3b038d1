"""What the stored points of a clustering are worth: labels, values, graph and bounds again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import Recomputed
from radprog.decompositions.similarity.assembly import (
    Instance,
    assemble,
    stored_bandwidth,
    stored_points,
)
from radprog.decompositions.similarity.cdsk import outcome_of
from radprog.decompositions.similarity.discrete import discrete_bound, enclosed
from radprog.decompositions.similarity.labelling import (
    Clustering,
    by_first_appearance,
    by_kmeans,
    spread,
)
from radprog.decompositions.similarity.methods import separated_points
from radprog.decompositions.threads import single_threaded
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity.problem import DensityWeighted
from radprog.models.similarity.settings import CDSK
from radprog.models.similarity.spectral import Embedding, NormalisedCut

ORTHOGONALITY = 1e-8  # how far a stored Y may be from its constraint
SAME_LABELS = 1e-9  # difference of sums of squares within clusters that rounding makes


@single_threaded
def recompute_cdsk(
    spec: CDSK, data: PartlyLabelled, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """What the stored points are worth, with numpy alone; DataError where they do not fit.

    Labels of relaxed points are those stored, where k-means finds none that leave fewer squares, or
    objective (12) is lower with them. The bound of method exact needs a point per labelling, which
    enumeration stores.
    """
    instance = assemble(spec, data, stored_bandwidth(evidence))
    a, Y = stored_points(evidence, instance)
    if evidence["kind"] == "discrete":
        clustering, method = _discrete(instance, spec, evidence, a, Y), "exact"
    else:
        clustering, method = _relaxed(instance, spec, evidence, a, Y, seed), "alternate"
    return Recomputed.of(outcome_of(spec, data, instance, clustering, method))


def _discrete(
    instance: Instance, spec: CDSK, evidence: Mapping[str, Any], a: FloatArray, Y: FloatArray
) -> Clustering:
    problem, weights = instance.problem, evidence.get("labellings")
    codes = by_first_appearance(Y.argmax(axis=1))
    bound = None
    if weights is not None:
        sizes = spec.min_size or 1, spec.max_size or problem.n
        points = np.asarray(weights, dtype=np.float64)[:, instance.order]
        bound = discrete_bound(problem, instance.c, sizes, points)
    value = enclosed(problem, codes, instance.c, a)[0]
    return _stored(a, Y, codes, value, bound)


def _stored(
    a: FloatArray, Y: FloatArray, codes: IntArray, value: float, bound: float | None = None
) -> Clustering:
    return Clustering(
        a=a, embedding=Embedding(Y, np.empty(0)), codes=codes, objective=value, bound=bound,
        reason=Reason.SOLVER, trace=[], evidence={},
    )  # fmt: skip


def _relaxed(
    instance: Instance,
    spec: CDSK,
    evidence: Mapping[str, Any],
    a: FloatArray,
    Y: FloatArray,
    seed: int,
) -> Clustering:
    problem, c = instance.problem, instance.c
    # the objective: V at the weights, or Psi where Y meets its constraint
    if spec.objective in ("ncut", "scaled"):
        scaled = spec.objective == "scaled"
        value = NormalisedCut(problem=problem, c=c, scaled=scaled, loops=spec.self_loops)(a).value
    else:
        if isinstance(problem, DensityWeighted):
            off = abs(float(Y[:, 0] @ Y[:, 0]) / problem.n - 1.0) + abs(float(Y.mean()))
        else:
            off = float(np.abs(Y.T @ Y * (c / problem.n) - np.eye(c)).max())
        if not off <= ORTHOGONALITY:
            raise DataError("the stored Y does not meet its constraint")
        value = problem.value(a, Y)
    # the labels: those stored, unless k-means and objective (12) both say others
    points, _ = separated_points(instance, a, Embedding(Y, np.empty(0)))
    by_means, least = by_kmeans(points, c, seed)
    if "labels" not in evidence:
        return _stored(a, Y, by_means, value)
    labels = np.asarray(evidence["labels"], dtype=np.intp)
    if labels.shape != (problem.n,) or not set(labels.tolist()) <= set(range(c)):
        raise DataError("the stored labels do not fit this data set")
    codes = labels[instance.order]
    distortion = spread(points, codes)
    if distortion > least + SAME_LABELS * (1.0 + least) and (
        isinstance(problem, DensityWeighted)
        or problem.labelled_value(a, codes) >= problem.labelled_value(a, by_means)
    ):
        raise DataError(
            f"the stored labels have a sum of squares of {distortion:.10g} within clusters: "
            f"k-means finds {least:.10g}, and objective (12) is no lower"
        )
    return _stored(a, Y, codes, value)
