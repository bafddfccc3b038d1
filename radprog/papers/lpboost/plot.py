"""Figures of LPBoost over shapelets: patterns on the series they match, convergence, weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from radprog.base.tolerances import ZERO_SHOWN
from radprog.figures import GREY, draw_convergence, literal
from radprog.wiring import Values

COLORS = colormaps["coolwarm"]  # blue: votes for -1, red: votes for +1


def lpboost_figure(result: Values) -> Figure:
    """A result's ``figure`` block, trace and weights, drawn.

    Per class one series, with the patterns that contribute most laid where they lie nearest,
    coloured by their contribution w_t alpha_tk; beside them gamma and its bound against rounds, and
    the weights d of the training rows. One machine per class: patterns and weights of the first,
    convergence of all.
    """
    machines = result.get("machines")
    block = result["figure"] if machines is None else machines[0]["figure"]
    rows = block["rows"]
    # series on the left where there are any, convergence and weights beside them
    figure = Figure(figsize=(10, 6.5 if rows else 3.5), layout="constrained")
    if rows:
        grid = figure.subplots(2, 2, width_ratios=[3, 2])
        _series(figure, grid[:, 0], rows)
        side = grid[:, 1]
    else:
        side = figure.subplots(1, 2)
    lines = {"objective": "gamma", "bound": "largest edge (bound)"}
    draw_convergence(side[0], result, "round", lines)
    # names of -1 and +1: of the rows that are drawn, else of the data
    of_data = {} if machines else result["data"].get("labels") or {}
    names = [row["label"] for row in rows] or [of_data.get(sign, "") for sign in ("-1", "1")]
    _weights(side[1], block, names)
    return figure


def _series(figure: Figure, axes: Sequence[Any], rows: Sequence[Values]) -> None:
    # one scale of colours for both classes
    sizes = [abs(p["contribution"]) for row in rows for p in row["patterns"]]
    scale = TwoSlopeNorm(0.0, -max(sizes, default=1.0), max(sizes, default=1.0))
    for place, row in zip(axes, rows, strict=True):
        place.plot(row["series"], color=GREY, alpha=0.7, linewidth=2.5)
        for pattern in sorted(row["patterns"], key=lambda p: abs(p["contribution"])):
            start = pattern["position"]
            place.plot(
                range(start, start + pattern["length"]),
                pattern["values"],
                color=COLORS(scale(pattern["contribution"])),
                linewidth=1.8,
                linestyle="-" if pattern["contribution"] > 0 else "--",
            )
        count = len(row["patterns"])
        place.set_title(
            literal(f"class {row['label']}, row {row['line']}: {count} patterns that count")
        )
        place.set(xlabel="time, points of the series", ylabel="value")
    figure.colorbar(
        ScalarMappable(scale, COLORS),
        ax=list(axes),
        label="vote: dashed, < 0, for -1; solid, > 0, for +1",
    )


def _weights(axes: Any, block: Values, names: Sequence[str]) -> None:
    for sign, name, color in zip((-1, 1), names, (COLORS(0.0), COLORS(1.0)), strict=True):
        rows = [i for i, label in enumerate(block["labels"], start=1) if label == sign]
        axes.bar(
            rows, [block["d"][i - 1] for i in rows], color=color, hatch="" if sign > 0 else "////",
            label=literal(f"class {name} ({sign:+d})".replace("  ", " ")),
        )  # fmt: skip
    # rows that hold the margin
    heavy = sum(weight > ZERO_SHOWN * max(block["d"]) for weight in block["d"])
    axes.set(xlabel="training row", ylabel="weight d")
    axes.set_title(f"{heavy} of {len(block['d'])} rows decide")
    axes.set_ylim(top=1.2 * max(block["d"]))
    axes.legend(ncols=2, loc="upper center")
