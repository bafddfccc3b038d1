"""Plots of clusterings: similarity by cluster, weights, embedding, convergence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from radprog.base.tolerances import ZERO_SHOWN
from radprog.base.types import FloatArray, IntArray
from radprog.figures import GREY, MARKERS, PALETTE, coordinates, draw_convergence, principal

FEW_SIZES = 6  # of clusters that a title names
LARGEST_PICTURE = 1000  # points drawn of a matrix; of more every k-th one


def similarity_figure(
    result: Mapping[str, Any], S: Any = None, X: FloatArray | None = None
) -> Figure:
    """Four panels from a result of ``cdsk`` or ``lpdsk``; S (n, n), sparse or not: its similarity,
    by row of the data, without which that panel is left out; X (n, d): the points, in place of
    their relaxed labels."""
    fit = result["fit"]
    labels = np.asarray(fit["labels"], dtype=np.intp)
    shape = (1, 3) if S is None else (2, 2)
    figure = Figure(figsize=(10, 3.5 if S is None else 8), layout="constrained")
    axes = list(figure.subplots(*shape).ravel())
    if S is not None:
        ordered_matrix(axes.pop(0), S, labels)
    weights(axes[0], np.asarray(fit["weights"]), labels, float(fit["largest_weight"]))
    # the points, or their relaxed labels, in the plane
    Y = np.asarray(fit.get("embedding", fit.get("shares")))
    places, names = principal(Y) if X is None else coordinates(X)
    marked(axes[1], places, labels)
    title = f"relaxed labels: {_sizes(labels)}" if X is None else _sizes(labels)
    axes[1].set(xlabel=names[0], ylabel=names[1], title=title)
    draw_convergence(axes[2], result, "iteration")
    return figure


def ordered_matrix(axes: Any, S: Any, labels: IntArray) -> None:
    """The similarity with rows and columns sorted by cluster, lines between clusters."""
    # rows by cluster, of many every k-th; the diagonal would drown the others
    order = np.argsort(labels, kind="stable")
    order = order[:: max(1, -(-len(order) // LARGEST_PICTURE))]
    drawn: Any = S[np.ix_(order, order)]
    off: FloatArray = drawn.toarray() if isinstance(drawn, csr_array) else drawn.copy()
    np.fill_diagonal(off, 0.0)
    axes.imshow(off, cmap="viridis", interpolation="nearest")
    for edge in np.flatnonzero(np.diff(labels[order])):
        axes.axhline(edge + 0.5, color="white", linewidth=0.7)
        axes.axvline(edge + 0.5, color="white", linewidth=0.7)
    axes.set(xlabel="points, by cluster", ylabel="points, by cluster")
    axes.set_title("similarity of pairs: light is alike")


def weights(axes: Any, a: FloatArray, labels: IntArray, upper: float) -> None:
    """Weights of the points sorted by cluster, with the uniform weight and the box."""
    order = np.lexsort((-a, labels))
    marked(axes, np.column_stack([np.arange(len(a)), a[order]]), labels[order])
    axes.axhline(1.0 / len(a), color=GREY, linestyle="--", linewidth=0.8, label="1/n")
    if upper <= 1.0:
        axes.axhline(upper, color=GREY, linewidth=0.8, label="largest allowed")
    axes.set(xlabel="points, by cluster", ylabel="weight")
    axes.set_title(f"{int((a > ZERO_SHOWN * a.max()).sum())} of {len(a)} points have a weight")
    axes.legend()


def _sizes(labels: IntArray) -> str:
    sizes = np.bincount(labels[labels >= 0])
    more = ", ..." if len(sizes) > FEW_SIZES else ""
    return f"{len(sizes)} clusters of {', '.join(map(str, sizes[:FEW_SIZES]))}{more} points"


def marked(axes: Any, places: FloatArray, labels: IntArray) -> None:
    """Points (n, 2) by cluster, each with a mark of its own; -1 as dots in grey."""
    axes.plot(*places[labels < 0].T, ".", color=GREY, markersize=3)
    for k in np.unique(labels[labels >= 0]).tolist():
        look = {"marker": MARKERS[k % len(MARKERS)], "color": PALETTE[k % len(PALETTE)]}
        axes.plot(*places[labels == k].T, linestyle="", markersize=4, fillstyle="none", **look)
