"""What the stored points of a clustering are worth: labels, values, graph and bounds again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import Recomputed
from radprog.decompositions.similarity.assembly import (
    Instance,
    assemble,
    chosen_before,
    stored_points,
)
from radprog.decompositions.similarity.cdsk import outcome_of
from radprog.decompositions.similarity.discrete import discrete_bound, enclosed
from radprog.decompositions.similarity.labelling import by_first_appearance, by_kmeans, spread
from radprog.decompositions.similarity.methods import Found, clustered
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
    instance = assemble(spec, data, chosen=chosen_before(evidence))
    a, Y = stored_points(evidence, instance)
    if evidence["kind"] == "discrete":
        found, method = _discrete(instance, spec, evidence, a, Y), "exact"
    else:
        found, method = _relaxed(instance, spec, evidence, a, Y, seed), "alternate"
    return Recomputed.of(outcome_of(spec, data, instance, found, method))


def _discrete(
    instance: Instance, spec: CDSK, evidence: Mapping[str, Any], a: FloatArray, Y: FloatArray
) -> Found:
    problem, weights = instance.problem, evidence.get("labellings")
    codes = by_first_appearance(Y.argmax(axis=1))
    bound = None
    if weights is not None:
        sizes = spec.min_size or 1, spec.max_size or problem.n
        points = np.asarray(weights, dtype=np.float64)[:, instance.order]
        bound = discrete_bound(problem, instance.c, sizes, points)
    value = enclosed(problem, codes, instance.c, a)[0]
    return Found(
        a=a, Y=Y, codes=codes, objective=value, bound=bound, reason=Reason.SOLVER, trace=[]
    )


def _relaxed(
    instance: Instance,
    spec: CDSK,
    evidence: Mapping[str, Any],
    a: FloatArray,
    Y: FloatArray,
    seed: int,
) -> Found:
    problem, c = instance.problem, instance.c
    if spec.objective in ("ncut", "scaled"):
        scaled = spec.objective == "scaled"
        value = NormalisedCut(problem=problem, c=c, scaled=scaled, loops=spec.self_loops)(a).value
    else:
        if isinstance(problem, DensityWeighted):
            held = abs(float(Y[:, 0] @ Y[:, 0]) / problem.n - 1.0) + abs(float(Y.mean()))
        else:
            held = float(np.abs(Y.T @ Y * (c / problem.n) - np.eye(c)).max())
        if not held <= ORTHOGONALITY:
            raise DataError("the stored Y does not meet its constraint")
        value = problem.value(a, Y)
    points, _ = clustered(instance, a, Embedding(Y, np.zeros(0)))
    codes, distortion = by_kmeans(points, c, seed)
    if "labels" in evidence:
        stored = np.asarray(evidence["labels"], dtype=np.intp)
        if stored.shape != (problem.n,) or not set(stored.tolist()) <= set(range(c)):
            raise DataError("the stored labels do not fit this data set")
        by_means, codes, best = codes, stored[instance.order], distortion
        distortion = spread(points, codes)
        if distortion > best + SAME_LABELS * (1.0 + best):
            values = [problem.labelled_value(a, codes) for codes in (codes, by_means)]
            if isinstance(problem, DensityWeighted) or values[0] >= values[1]:
                raise DataError(
                    f"the stored labels have a sum of squares of {distortion:.10g} within "
                    f"clusters: k-means finds {best:.10g}, and objective (12) is no lower"
                )
    return Found(a=a, Y=Y, codes=codes, objective=value, reason=Reason.SOLVER, trace=[])
