"""Figures of LPBoost over shapelets: patterns on matching series, and convergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.figures import FIRST, GREY, SECOND, draw_convergence, literal
from radprog.wiring import Values

VOTES = {-1: FIRST, 1: SECOND}  # colours of the classes
MOST_PATTERNS = 5  # most drawn patterns of a class


def lpboost_figure(result: Values) -> Figure:
    """Draw the ``figure`` block and the trace of a result.

    One series of each class is drawn several times, once for each of the patterns with the largest
    contributions w_t alpha_tk. The pattern is drawn where it matches the series best. Another panel
    shows gamma and its bound against rounds. With one classifier per class, the figure shows
    patterns of the first classifier, and the convergence of all classifiers.
    """
    machines = result.get("machines")
    rows = (result["figure"] if machines is None else machines[0]["figure"])["rows"]
    # series on the left where there are any, convergence beside them
    figure = Figure(figsize=(10, 8) if rows else (6, 3.5), layout="constrained")
    if rows:
        panels = figure.subplot_mosaic([[0, 2], [1, 2]], width_ratios=[3, 2])
        _series([panels[0], panels[1]], rows)
        last = panels[2]
    else:
        last = figure.subplots()
    lines = {"objective": "objective gamma", "bound": "largest edge (bound)"}
    draw_convergence(last, result, "round", lines)
    return figure


def _series(axes: Sequence[Any], rows: Sequence[Values]) -> None:
    names = [literal(row["label"]) for row in rows]
    for place, row in zip(axes, rows, strict=True):
        series = np.asarray(row["series"])
        # height of the lane of a pattern, in heights of the series
        height = 1.4 * (float(np.ptp(series)) or 1.0)
        shown = row["patterns"][:MOST_PATTERNS]
        for lane, pattern in enumerate(shown):
            # one lane per pattern: the series, and the pattern scaled to its part of the series
            base = series - lane * height
            place.plot(base, color=GREY, alpha=0.6, linewidth=1)
            at = range(pattern["position"], pattern["position"] + pattern["length"])
            values, under = np.asarray(pattern["values"]), base[at.start : at.stop]
            spread = float(values.std()) or 1.0
            scaled = under.mean() + (values - values.mean()) * under.std() / spread
            vote = pattern["contribution"]
            place.plot(at, scaled, color=VOTES[1 if vote > 0 else -1], linewidth=2.5)
            place.annotate(
                f"{abs(vote):.2g} for\nclass {names[vote > 0]}", (1.01, base[-1]), va="center",
                xycoords=("axes fraction", "data"),
            )  # fmt: skip
        place.set_yticks([])
        title = f"row {row['line']}, of class {row['label']}: patterns of the largest weights"
        place.set_title(literal(title))
        place.set(xlabel="time, points of the series", ylabel="patterns, scaled to their place")
