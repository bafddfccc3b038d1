"""The report on a clustering: sizes, weights, graph, agreement and bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from radprog.base.tolerances import WEIGHT_SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.similarity.assembly import Instance, box_used
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.instances.dataset import Dataset
from radprog.models.bounds import DELTA
from radprog.models.similarity.agreement import matched_accuracy, normalised_information
from radprog.models.similarity.bounds import density_bound, kernel_bound, similarity_bound
from radprog.models.similarity.graphs import (
    components,
    cut,
    cut_bound,
    least_cut,
    relaxed_cut_bound,
)
from radprog.models.similarity.problem import DensityWeighted, indicator
from radprog.models.similarity.sparse import SparseWeighted
from radprog.models.similarity.svm import parts_of


def summarise(
    instance: Instance,
    a: FloatArray,
    codes: IntArray,
    data: Dataset,
    eigenvalues: FloatArray | None = None,
) -> dict[str, Any]:
    """The ``fit`` block: labels and weights in the order of the data, sizes, graph and agreement.

    The entry ``box`` is the upper bound on the weights if it restricts the simplex, otherwise None.
    ``eigenvalues`` are the c smallest eigenvalues of the Laplacian at a, if known.

    ``classifier_agreement`` is the share of the labelled rows for which h(x, y) predicts the same
    label. ``cut_ratio`` compares the labelling's cut with the smallest cut among labellings with
    the same cluster sizes. At these weights, it is an upper bound on the ratio of the first to the
    second. The bound uses eigenvalues (Donath and Hoffman). For at most 400 points, it also uses
    the semidefinite relaxation. If no positive lower bound on the smallest cut is known,
    ``cut_ratio`` is None.
    """
    problem, truth = instance.problem, instance.codes
    # agreement with the classes, where there are any
    known = truth >= 0
    agreement: dict[str, float | None] = {"agreement_rows": 0, "accuracy": None, "nmi": None}
    if known.any():
        agreement = {
            "agreement_rows": int(known.sum()),
            "accuracy": matched_accuracy(codes[known], truth[known]),
            "nmi": normalised_information(codes[known], truth[known]),
        }
    # the similarity at the weights; eigenvalues and components need nonnegative entries
    S, c = problem.similarity(a), instance.c
    labelled = codes >= 0
    sizes = np.bincount(codes[labelled], minlength=c).tolist()
    sparse, bound = isinstance(problem, SparseWeighted), None
    smallest = float((S.data if sparse else S).min(initial=0.0))  # the diagonal is 0
    # a lower bound on the cut; of a sparse graph Lanczos may miss eigenvalues
    if labelled.all() and smallest >= 0 and problem.n > 1 and not sparse:
        bound = cut_bound(S, sizes, eigenvalues)
        if problem.n <= 400:  # points of a graph whose cut has a semidefinite bound: 0.6 s
            bound = max(bound, relaxed_cut_bound(S, codes))
    # the cut of the labels, and the labels of the classifier h(x, y) on its own rows
    value = cut(S, codes)
    shares = problem.s @ (a[:, None] * indicator(codes, c))
    return {
        "labels": instance.restored(codes).tolist(),
        "names": list(data.labels),
        "weights": instance.restored(a).tolist(),
        "bandwidth": instance.bandwidth,
        "neighbours": instance.neighbours,
        "lam": problem.lam,
        "largest_weight": problem.upper,
        "box": box_used(instance),
        "indefinite": instance.indefinite,
        "clusters": c,
        "sizes": sizes,
        "support": int((a > WEIGHT_SUPPORT / len(a)).sum()),
        "max_weight": float(a.max()),
        "min_similarity": smallest,
        "min_degree": float(S.sum(axis=1).min()),
        "components": int(components(S).max(initial=0)) + 1 if smallest >= 0 else None,
        "cut": value,
        "cut_bound": bound,
        "cut_ratio": value / bound if bound is not None and bound > 0 else None,
        "classifier_agreement": float((shares.argmax(axis=1) == codes)[labelled].mean()),
        "labelled_objective": problem.labelled_value(a, codes) if labelled.all() else None,
        **agreement,
    }


def agreement_block(fit: KernelClassifier, test: Dataset, *, matched: bool) -> dict[str, Any]:
    """The error and the agreement of the kernel classifier for new points.

    If ``matched`` is True, clusters are compared with classes under the best one-to-one matching.
    """
    codes, truth = fit.predict(test.X).astype(np.intp), test.targets.astype(np.intp)
    accuracy = matched_accuracy(codes, truth) if matched else float((codes == truth).mean())
    return {
        "rows": test.rows,
        "name": test.name,
        "error": 1.0 - accuracy,
        "accuracy": accuracy,
        "nmi": normalised_information(codes, truth),
    }


def bounds_of(instance: Instance, a: FloatArray, codes: IntArray) -> list[dict[str, Any]]:
    """The bounds of Theorem 1 or 3 at the computed labels and weights. The labels and weights
    depend on the data, so the bounds are only a criterion.

    For the objective ise, the bound is that of Theorem 2, unless its constants overflow. If a row
    has no label, there are no bounds.
    """
    problem, c = instance.problem, instance.c
    if (codes < 0).any():
        return []
    if isinstance(problem, DensityWeighted):
        h, d = instance.bandwidth, instance.X.shape[1]
        if h is None or problem.n < 2:
            return []
        bound = density_bound(problem.s, problem.size, a, codes, h, d, DELTA)
        return [bound.to_dict()] if np.isfinite(bound.value) else []
    # scores h(x_i, y) and their norm: of the kernel, or of both parts of a split similarity
    parts = a[:, None] * indicator(codes, c)
    scores = problem.s @ parts
    if problem.size is problem.s:
        norm = float(np.vdot(parts, scores))
        return [kernel_bound(scores, codes, max(norm, 0.0) ** 0.5, DELTA).to_dict()]
    plus, minus = parts_of(problem.s, problem.size)
    norms = [float(np.einsum("ik,ik->", parts, part @ parts)) for part in (plus, minus)]
    radius = max(float(np.diag(plus).max()), float(np.diag(minus).max()), 0.0) ** 0.5
    sizes = (max(norms[0], 0.0) ** 0.5, max(norms[1], 0.0) ** 0.5)
    return [similarity_bound(scores, codes, sizes, radius, DELTA).to_dict()]


def least_cut_of(instance: Instance, a: FloatArray) -> float | None:
    """The minimum cut of the graph at weights a, over all cuts that keep the given labels.

    It is computed for at most 200 points, two classes that both have labelled points, and
    nonnegative similarities. Otherwise it is None.
    """
    codes = instance.codes
    known = set(codes[codes >= 0].tolist())
    # points of a graph whose least cut is computed
    if instance.c != 2 or known != {0, 1} or len(codes) > 200:
        return None
    # a minimum cut is a maximum flow where no weight is negative
    S = instance.problem.similarity(a)
    if S.min() < 0:
        return None
    return least_cut(S, codes)[0]
