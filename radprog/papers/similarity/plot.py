"""Plots of clusterings: similarity by cluster, weights, embedding, convergence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from radprog.figures import GREY, draw_convergence
from radprog.instances.types import FloatArray, IntArray

LARGEST_PICTURE = 1000  # points drawn of a matrix; of more every k-th one


def similarity_figure(result: Mapping[str, Any], S: Any = None) -> Figure:
    """Four panels from a result of ``cdsk`` or ``lpdsk``; S (n, n), sparse or not: its similarity,
    by row of the data, without which that panel is left out."""
    fit = result["fit"]
    labels = np.asarray(fit["labels"], dtype=np.intp)
    panels = 3 if S is None else 4
    figure = Figure(figsize=(4.5 * panels, 4), layout="constrained")
    axes = list(figure.subplots(1, panels))
    if S is not None:
        ordered_matrix(axes.pop(0), S, labels)
    weights(axes[0], np.asarray(fit["weights"]), labels, float(fit["largest_weight"]))
    embedding(axes[1], np.asarray(fit.get("embedding", fit.get("shares"))), labels)
    draw_convergence(axes[2], result, "iteration")
    return figure


def ordered_matrix(axes: Any, S: Any, labels: IntArray) -> None:
    """The similarity with rows and columns sorted by cluster, lines between clusters."""
    order = np.argsort(labels, kind="stable")
    order = order[:: max(1, -(-len(order) // LARGEST_PICTURE))]
    drawn: Any = S[np.ix_(order, order)]
    off: FloatArray = drawn.toarray() if isinstance(drawn, csr_array) else drawn.copy()
    np.fill_diagonal(off, 0.0)
    axes.imshow(off, cmap="viridis", interpolation="nearest")
    for edge in np.flatnonzero(np.diff(labels[order])):
        axes.axhline(edge + 0.5, color="white", linewidth=0.7)
        axes.axvline(edge + 0.5, color="white", linewidth=0.7)
    axes.set_title("similarity, by cluster")


def weights(axes: Any, a: FloatArray, labels: IntArray, upper: float) -> None:
    """Weights of the points sorted by cluster, with the uniform weight and the box."""
    order = np.lexsort((-a, labels))
    axes.scatter(np.arange(len(a)), a[order], c=labels[order], cmap="tab10", s=6)
    axes.axhline(1.0 / len(a), color=GREY, linestyle="--", linewidth=0.8, label="1/n")
    if upper <= 1.0:
        axes.axhline(upper, color=GREY, linewidth=0.8, label="largest allowed")
    axes.set_xlabel("points, by cluster")
    axes.set_title("weights")
    axes.legend()


def embedding(axes: Any, Y: FloatArray, labels: IntArray) -> None:
    """The first two principal components of Y (n, c), coloured by label; -1 in grey."""
    centred = Y - Y.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    shown = centred @ directions[:2].T
    if shown.shape[1] < 2:
        shown = np.column_stack([shown, np.zeros(len(shown))])
    held = labels >= 0
    axes.scatter(*shown[~held].T, color=GREY, s=6)
    axes.scatter(*shown[held].T, c=labels[held], cmap="tab10", s=6)
    axes.set_title("relaxed labels")
