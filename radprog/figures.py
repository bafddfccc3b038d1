"""What figures share: the convergence of a run, and how they are written."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from radprog.catalog import entry_named
from radprog.decompositions.run import Run
from radprog.instances.data import Data
from radprog.instances.errors import OptionError
from radprog.instances.tolerances import AXIS_MARGIN, SAME_ON_AXIS
from radprog.instances.writing import atomic_bytes
from radprog.wiring import Values

FORMATS = (".png", ".svg", ".pdf")
PALETTE = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0f766e", "#6b7280")
FIRST, SECOND, GREY = PALETTE[0], PALETTE[1], PALETTE[-1]
OBJECTIVE, BOUND = SECOND, FIRST
NAMES = {"objective": "objective", "bound": "bound"}
WIDE = 2.0  # ratio of values from which a logarithmic scale has labels to tell them apart
NO_MARKS: Mapping[str, float] = {}


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as .png, .svg or .pdf; OptionError for another suffix, OutputError."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise OptionError(f"{path}: expected one of {', '.join(FORMATS)}")
    plain_numbers(figure)
    FigureCanvasAgg(figure)
    content = io.BytesIO()
    figure.savefig(content, format=suffix[1:], dpi=150)
    with atomic_bytes(path) as stream:
        stream.write(content.getvalue())


def literal(text: str) -> str:
    """A name as it is: its dollars start no formula."""
    return text.replace("$", r"\$")


def draw_convergence(
    axes: Any,
    result: Values,
    along: str = "seconds",
    names: Mapping[str, str] = NAMES,
    marks: Mapping[str, float] = NO_MARKS,
) -> None:
    """Objective and bound of a result's trace, as ``names`` has them in the legend.

    along: seconds, or what the records are called, counted from 1; marks: levels drawn beside. One
    machine per class: a colour for each, its bound dashed.
    """
    machines = result.get("machines")
    for number, machine in enumerate(machines or [None]):
        trace = [line for line in result["trace"] if line.get("machine", 0) == number]
        for key, color in (("objective", OBJECTIVE), ("bound", BOUND)):
            points = [
                (line["seconds"] if along == "seconds" else i, line[key])
                for i, line in enumerate(trace, 1)
                if line[key] is not None
            ]
            look = {"color": color, "label": names[key]}
            if machine is not None and key == "objective":
                look = {"color": f"C{number % 10}", "label": literal(machine["label"])}
            elif machine is not None:
                look = {"color": f"C{number % 10}", "linestyle": "--"}
            if points:
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, **look)
    for name, level in marks.items():
        axes.axhline(level, color=PALETTE[2], label=name)
    axes.set_xlabel(along)
    axes.set_title(literal(f"{result['model']} on {result['data']['name']}: {result['status']}"))
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="lower right", title=machines and "bound dashed")


def _scale(axes: Any, result: Values) -> None:
    """A logarithmic scale where all values have a logarithm and differ by much; some room around
    values that are all the same."""
    values = [line[key] for line in result["trace"] for key in ("objective", "bound")]
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    size = max(abs(low), abs(high))
    if len(known) == len(values) and 0 < WIDE * low < high:
        axes.set_yscale("log")
    elif size > 0 and high - low <= SAME_ON_AXIS * size:
        axes.set_ylim(low - AXIS_MARGIN * size, high + AXIS_MARGIN * size)


def plain_numbers(figure: Figure) -> None:
    """Tick labels that hold the whole number, not what is to be added to another one."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, ScalarFormatter):
                formatter.set_useOffset(False)


def plot_result(result: dict[str, Any], path: str, run: Run, data: Data) -> None:
    """Write the figure of a result."""
    save(figure_of(result, run, data), path)


def figure_of(result: dict[str, Any], run: Run, data: Data | None) -> Figure:
    """A result drawn the way of its model, or where that needs data that are not there, of any."""
    own = entry_named(run.name).hooks.plot
    figure = None if own is None else own(result, run, data)
    if figure is None:
        return run_figure(result)
    plain_numbers(figure)
    return figure


def run_figure(result: Values) -> Figure:
    """Objective and bound against seconds and, where there are several kernels, the penalty that
    each pays."""
    weights = result["fit"].get("weight_per_kernel")
    several = weights is not None and len(weights) > 1
    figure = Figure(figsize=(10 if several else 6, 4), layout="constrained")
    axes = figure.subplots(1, 2 if several else 1, squeeze=False)[0]
    draw_convergence(axes[0], result)
    _scale(axes[0], result)
    if several:
        names = [literal(name) for name in result["fit"]["kernels"]]
        axes[1].barh(range(len(names)), weights, color=BOUND)
        axes[1].set_yticks(range(len(names)), names)
        axes[1].invert_yaxis()
        axes[1].set_xlabel("penalty paid: price x sum |coefficients|")
        axes[1].xaxis.set_major_locator(MaxNLocator(5))
        axes[1].set_title("weight per kernel")
    plain_numbers(figure)
    return figure


def convergence_image(result: Values) -> bytes | None:
    """Objective and bound against seconds as SVG, the same bytes for the same result; None where
    the trace holds neither."""
    if all(line[key] is None for line in result["trace"] for key in ("objective", "bound")):
        return None

    def draw(axes: Any) -> None:
        draw_convergence(axes, result)
        _scale(axes, result)

    return _svg(draw, 4.0)


def bounds_image(table: Values) -> bytes | None:
    """The bounds of :func:`radprog.bounds` as bars on a logarithmic scale, with 1 and the test
    error, as SVG; None where there are none, or one is not positive."""
    rows = table["rows"]
    if not rows or not all(0.0 < row["value"] < math.inf for row in rows):
        return None

    def draw(axes: Any) -> None:
        names = [
            f"{row['name']} ({row['form']})" if row.get("form") else row["name"] for row in rows
        ]
        places = range(len(rows))
        colors = [GREY if row["vacuous"] else FIRST for row in rows]
        axes.barh(places, [row["value"] for row in rows], color=colors)
        axes.set_yticks(places, [literal(name) for name in names])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.axvline(1.0, color=SECOND, label="1: says nothing")
        if table["test"] is not None and table["test"]["error"] > 0:
            axes.axvline(table["test"]["error"], color=PALETTE[2], label="test error")
        axes.legend(loc="lower right")

    return _svg(draw, 1.0 + 0.3 * len(rows))


def _svg(draw: Callable[[Any], None], height: float) -> bytes:
    """A figure of one part as SVG, the same bytes for the same content."""
    with matplotlib.rc_context({"svg.hashsalt": "radprog"}):
        figure = Figure(figsize=(8, height), layout="constrained")
        draw(figure.subplots())
        plain_numbers(figure)
        FigureCanvasAgg(figure)
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
