"""Figures of clusterings: the points by label, and the convergence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

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
from radprog.wiring import Values

NO_NAMES: Mapping[int, str] = {}
FEW_SIZES = 6  # most sizes of clusters in a title


def similarity_figure(result: Values, data: Dataset | None = None) -> Figure:
    """Draw the points by label, and the convergence, of a result of ``cdsk`` or ``lpdsk``.

    Without ``data``, the relaxed labels are drawn in place of the points. Points of ``lpdsk`` with
    a known label have a thicker outline.
    """
    fit = result["fit"]
    labels = np.asarray(fit["labels"], dtype=np.intp)
    # the convergence is left out if nothing changes
    traced = moves(result)
    figure = Figure(figsize=(10 if traced else 5.5, 4), layout="constrained")
    points, *rest = figure.subplots(1, 1 + traced, squeeze=False)[0]
    # classes have names if labels were given
    parts, known, names = "clusters", np.zeros(len(labels), dtype=bool), dict[int, str]()
    if result["model"] == "lpdsk":
        parts = "classes"
    if result["model"] == "lpdsk" and data is not None:
        known, names = data.known, dict(enumerate(data.labels))
    # the points, or their relaxed labels, in the plane
    Y = np.asarray(fit.get("embedding", fit.get("shares")))
    drawn = data is not None and data.X.shape[1] > 0
    places, along = coordinates(data.X) if data is not None and drawn else principal(Y)
    marked(points, places, labels, names)
    if known.any():
        ring: dict[str, Any] = {
            "s": 70,
            "facecolors": "none",
            "edgecolors": "black",
            "linewidth": 1.8,
        }
        points.scatter(*places[known].T, label=f"{known.sum()} known labels", zorder=3, **ring)
    if names:
        points.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=4)
    sizes = f"{'' if drawn else 'relaxed labels: '}{_sizes(labels, parts)}"
    points.set(xlabel=along[0], ylabel=along[1], title=sizes)
    if traced:
        draw_convergence(rest[0], result, "iteration")
    else:
        points.set_title(f"{heading(result)}\n{sizes}")
    return figure


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
