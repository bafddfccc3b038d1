"""Figures of clusterings: similarity by cluster, weights, embedding, convergence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from radprog.base.types import FloatArray, IntArray
from radprog.figures import (
    GREY,
    MARKERS,
    PALETTE,
    coordinates,
    draw_convergence,
    heading,
    literal,
    moves,
    principal,
)
from radprog.instances.dataset import Dataset

NO_NAMES: Mapping[int, str] = {}
SHADED = 0.95  # quantile of the similarities above which all have the darkest shade
FEW_SIZES = 6  # most sizes of clusters in a title
LARGEST_PICTURE = 1000  # most drawn points of a matrix; of more points, every k-th one


def similarity_figure(
    result: Mapping[str, Any], S: Any = None, data: Dataset | None = None
) -> Figure:
    """Draw four panels of a result of ``cdsk`` or ``lpdsk``.

    S (n, n), dense or sparse, is the similarity in the order of the rows of the data. Without S,
    its panel is left out. If ``data`` is given, the points are drawn instead of their relaxed
    labels. Points of ``lpdsk`` with a known label have a thicker outline.
    """
    fit = result["fit"]
    labels = np.asarray(fit["labels"], dtype=np.intp)
    # the convergence is left out if nothing changes
    last = "trace" if (traced := moves(result)) else "points"
    rows: list[Any] = (
        [["weights", "points", last]] if S is None else [["S", "weights"], ["points", last]]
    )
    figure = Figure(figsize=(10, 3.5 if S is None else 8), layout="constrained")
    axes = figure.subplot_mosaic(rows)
    a = np.asarray(fit["weights"])
    # classes have names if labels were given
    parts, known, names = "clusters", np.zeros(len(labels), dtype=bool), dict[int, str]()
    if result["model"] == "lpdsk":
        parts = "classes"
    if result["model"] == "lpdsk" and data is not None:
        known, names = data.known, dict(enumerate(data.labels))
    if S is not None:
        ordered_matrix(axes["S"], S, np.lexsort((-a, labels)), labels)
    weights(axes["weights"], a, labels, float(fit["largest_weight"]), int(fit["support"]))
    # the points, or their relaxed labels, in the plane
    Y = np.asarray(fit.get("embedding", fit.get("shares")))
    drawn = data is not None and data.X.shape[1] > 0
    places, along = coordinates(data.X) if data is not None and drawn else principal(Y)
    marked(axes["points"], places, labels, names)
    if known.any():
        ring: dict[str, Any] = {
            "s": 70,
            "facecolors": "none",
            "edgecolors": "black",
            "linewidth": 1.8,
        }
        axes["points"].scatter(
            *places[known].T, label=f"{known.sum()} known labels", zorder=3, **ring
        )
    if names:
        axes["points"].legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=4)
    sizes = f"{'' if drawn else 'relaxed labels: '}{_sizes(labels, parts)}"
    axes["points"].set(xlabel=along[0], ylabel=along[1], title=sizes)
    if traced:
        draw_convergence(axes["trace"], result, "iteration")
    else:
        axes["points"].set_title(f"{heading(result)}\n{sizes}")
    return figure


def ordered_matrix(axes: Any, S: Any, order: IntArray, labels: IntArray) -> None:
    """Draw the similarity with rows and columns sorted by cluster, and lines between clusters."""
    # of many rows, every k-th one; without the diagonal, which would dominate
    order = order[:: max(1, -(-len(order) // LARGEST_PICTURE))]
    drawn: Any = S[np.ix_(order, order)]
    off: FloatArray = drawn.toarray() if isinstance(drawn, csr_array) else drawn.copy()
    np.fill_diagonal(off, 0.0)
    # a few pairs are very similar: the darkest shade is for all above a quantile
    most = float(np.quantile(off[off > 0], SHADED)) if (off > 0).any() else 1.0
    image = axes.imshow(off, cmap="Blues", interpolation="nearest", vmin=0.0, vmax=most)
    axes.figure.colorbar(image, ax=axes, label="similarity", extend="max")
    for edge in np.flatnonzero(np.diff(labels[order])):
        axes.axhline(edge + 0.5, color="black", linewidth=0.7)
        axes.axvline(edge + 0.5, color="black", linewidth=0.7)
    axes.set(xlabel="points, by label", ylabel="points, by label")
    axes.set_title("similarity of pairs: dark is alike")


def weights(axes: Any, a: FloatArray, labels: IntArray, upper: float, support: int) -> None:
    """Draw the weights of the points sorted by cluster, with lines for the uniform weight and the
    upper bound.

    ``support`` is the number of points with a weight. The title contains this number.
    """
    order = np.lexsort((-a, labels))
    marked(axes, np.column_stack([np.arange(len(a)), a[order]]), labels[order])
    axes.axhline(1.0 / len(a), color=GREY, linestyle="--", linewidth=0.8, label="1/n")
    if upper <= 1.2 * a.max():
        axes.axhline(upper, color=GREY, linewidth=0.8, label="largest allowed")
    axes.set(xlabel="points, by label", ylabel="weight")
    axes.set_title(f"{support} of {len(a)} points have a weight")
    top = 1.3 * max(a.max(), 1.0 / len(a))
    axes.set_ylim(-0.05 * top, top)
    axes.legend(loc="upper center", ncols=2)


def _sizes(labels: IntArray, parts: str) -> str:
    sizes = np.bincount(labels[labels >= 0])
    more = ", ..." if len(sizes) > FEW_SIZES else ""
    return f"{len(sizes)} {parts} of {', '.join(map(str, sizes[:FEW_SIZES]))}{more} points"


def marked(
    axes: Any, places: FloatArray, labels: IntArray, names: Mapping[int, str] = NO_NAMES
) -> None:
    """Draw points (n, 2) with a marker and a name for each cluster.

    Points of cluster -1 are grey dots.
    """
    axes.plot(*places[labels < 0].T, ".", color=GREY, markersize=3)
    for k in np.unique(labels[labels >= 0]).tolist():
        look = {"marker": MARKERS[k % len(MARKERS)], "color": PALETTE[k % len(PALETTE)]}
        look |= {"label": literal(names[k])} if k in names else {}
        axes.plot(*places[labels == k].T, linestyle="", markersize=4, fillstyle="none", **look)
