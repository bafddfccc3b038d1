"""Figures of LPBoost over shapelets: patterns on matching series, convergence, weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.base.tolerances import ZERO_SHOWN
from radprog.figures import FIRST, GREY, SECOND, draw_convergence, literal
from radprog.wiring import Values

VOTES = {-1: FIRST, 1: SECOND}  # colours of the classes
MOST_PATTERNS = 5  # most drawn patterns of a class
LANE = 1.4  # height of the lane of a pattern, in heights of the series


def lpboost_figure(result: Values) -> Figure:
    """Draw the ``figure`` block, the trace and the weights of a result.

    One series of each class is drawn several times, once for each of the patterns with the largest
    contributions w_t alpha_tk. The pattern is drawn where it matches the series best. Further
    panels show gamma and its bound against rounds, and the weights d of the training rows. With one
    classifier per class, the figure shows patterns and weights of the first classifier, and the
    convergence of all classifiers.
    """
    machines = result.get("machines")
    block = result["figure"] if machines is None else machines[0]["figure"]
    rows = block["rows"]
    # series on the left where there are any, convergence and weights beside them
    figure = Figure(figsize=(10, 8 if rows else 3.5), layout="constrained")
    if rows:
        grid = figure.subplots(2, 2, width_ratios=[3, 2])
        _series(grid[:, 0], rows)
        side = grid[:, 1]
    else:
        side = figure.subplots(1, 2)
    lines = {"objective": "objective gamma", "bound": "largest edge (bound)"}
    draw_convergence(side[0], result, "round", lines)
    # names of -1 and +1: of the rows that are drawn, else of the data
    of_data = {} if machines else result["data"].get("labels") or {}
    names = [row["label"] for row in rows] or [of_data.get(sign, "") for sign in ("-1", "1")]
    _weights(side[1], block, names)
    return figure


def _series(axes: Sequence[Any], rows: Sequence[Values]) -> None:
    names = [literal(row["label"]) for row in rows]
    for place, row in zip(axes, rows, strict=True):
        series = np.asarray(row["series"])
        height = LANE * (float(np.ptp(series)) or 1.0)
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


def _weights(axes: Any, block: Values, names: Sequence[str]) -> None:
    for sign, name, color in zip((-1, 1), names, VOTES.values(), strict=True):
        rows = [i for i, label in enumerate(block["labels"], start=1) if label == sign]
        axes.bar(
            rows, [block["d"][i - 1] for i in rows], color=color, hatch="" if sign > 0 else "////",
            label=literal(f"class {name} ({sign:+d})".replace("  ", " ")),
        )  # fmt: skip
    # rows that determine the margin
    heavy = sum(weight > ZERO_SHOWN * max(block["d"]) for weight in block["d"])
    axes.set(xlabel="training row", ylabel="weight d")
    axes.set_title(f"{heavy} of {len(block['d'])} rows decide")
    axes.set_ylim(top=1.2 * max(block["d"]))
    axes.legend(ncols=2, loc="upper center")
