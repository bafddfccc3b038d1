"""Plots of a result."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from radprog.decompositions.run import Run
from radprog.figures import BOUND, draw_trace, literal, save
from radprog.instances.dataset import Dataset


def plot_run(result: dict[str, Any], path: str | Path) -> None:
    """Objective and bound against seconds and, where there are families, weight per kernel.

    Raises OptionError for another suffix than .png, .svg or .pdf, OutputError.
    """
    weights = result["fit"].get("weight_per_kernel")
    several = weights is not None and len(weights) > 1
    figure = Figure(figsize=(10 if several else 6, 4), layout="constrained")
    axes = figure.subplots(1, 2 if several else 1, squeeze=False)[0]
    _convergence(axes[0], result)
    if several:
        names = [literal(name) for name in result["fit"]["kernels"]]
        axes[1].barh(range(len(names)), weights, color=BOUND)
        axes[1].set_yticks(range(len(names)), names)
        axes[1].invert_yaxis()
        axes[1].set_xlabel("penalty paid: price x sum |coefficients|")
        axes[1].xaxis.set_major_locator(MaxNLocator(5))
        axes[1].set_title("weight per kernel")
    save(figure, path)


def _convergence(axes: Any, result: Mapping[str, Any]) -> None:
    names = {"objective": "objective", "bound": "bound"}
    draw_trace(axes, result, lambda _, line: line["seconds"], names)
    values = [line[key] for line in result["trace"] for key in ("objective", "bound")]
    if values and all(value is not None and value > 0 for value in values):
        axes.set_yscale("log")
    axes.set_xlabel("seconds")
    axes.set_title(literal(f"{result['model']} on {result['data']['name']}: {result['status']}"))


def convergence_image(result: Mapping[str, Any]) -> bytes | None:
    """Objective and bound against seconds as SVG, the same bytes for the same result; None where
    the trace holds neither."""
    if all(line[key] is None for line in result["trace"] for key in ("objective", "bound")):
        return None
    with matplotlib.rc_context({"svg.hashsalt": "radprog"}):
        figure = Figure(figsize=(8, 4), layout="constrained")
        _convergence(figure.subplots(), result)
        FigureCanvasAgg(figure)
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def plot_expansion(result: dict[str, Any], path: str | Path, run: Run, data: Dataset) -> None:
    """:func:`plot_run`, which needs the result alone."""
    plot_run(result, path)
