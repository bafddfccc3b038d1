"""The picture of an exact parameter path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from radprog.base.errors import extra
from radprog.figures import FIRST, SECOND, save

with extra("plot", "a picture"):
    from matplotlib.figure import Figure


def plot_path(block: Mapping[str, Any], file: str) -> None:
    """Value, trade-off curve and, where known, validation error of a path; OptionError for another
    suffix than .png, .svg or .pdf, OutputError."""
    pieces, name = block["pieces"], block["parameter"]
    validated = block["validation"] is not None
    figure = Figure(figsize=(10, 7.5 if validated else 4), layout="constrained")
    grid_of = figure.add_gridspec(2 if validated else 1, 2)
    axes = [figure.add_subplot(grid_of[0, k]) for k in range(2)]
    if validated:
        axes.append(figure.add_subplot(grid_of[1, :]))
    ends = [piece["from"] for piece in pieces] + [block["to"]]
    values = [piece["value_from"] for piece in pieces] + [pieces[-1]["value_to"]]
    grid = np.geomspace(ends[0], ends[-1], 400) if ends[0] > 0 else np.asarray(ends)
    axes[0].plot(grid, np.interp(grid, ends, values), color=FIRST)
    axes[0].plot(ends, values, ".", color=FIRST, markersize=3)
    axes[0].set_ylabel("optimal value")
    axes[0].set_title(f"exact: {len(block['breakpoints'])} breakpoints")
    across, up = block["trade"]
    axes[1].plot(
        [p[across] for p in pieces], [p[up] for p in pieces], color=FIRST, marker=".", markersize=3
    )
    axes[1].set_xlabel(across)
    axes[1].set_ylabel(f"objective without {name} x {across}" if up == "rest" else up)
    axes[1].set_title(f"what {across} costs")
    if validated:
        errors = [100 * piece["validation_error"] for piece in pieces]
        axes[2].stairs(errors, ends, color=SECOND, baseline=None)
        for low, high in block["validation"]["intervals"]:
            axes[2].axvspan(low, high, color=FIRST, alpha=0.2)
        axes[2].set_ylabel("validation error, %")
        axes[2].set_title(f"least {100 * block['validation']['error']:.3g} %, shaded")
    for part in (axes[0], *axes[2:]):
        part.set_xlabel(name)
        if ends[0] > 0:
            part.set_xscale("log")
    save(figure, file)
