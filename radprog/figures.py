"""What figures share: the convergence of a run, and how they are written."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from radprog.instances.errors import OptionError
from radprog.instances.writing import atomic_bytes

FORMATS = (".png", ".svg", ".pdf")
PALETTE = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0f766e", "#6b7280")
FIRST, SECOND, GREY = PALETTE[0], PALETTE[1], PALETTE[-1]
OBJECTIVE, BOUND = SECOND, FIRST


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as .png, .svg or .pdf; OptionError for another suffix, OutputError."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise OptionError(f"{path}: expected one of {', '.join(FORMATS)}")
    FigureCanvasAgg(figure)
    content = io.BytesIO()
    figure.savefig(content, format=suffix[1:], dpi=150)
    with atomic_bytes(path) as stream:
        stream.write(content.getvalue())


def literal(text: str) -> str:
    """A name as it is: its dollars start no formula."""
    return text.replace("$", r"\$")


def draw_trace(
    axes: Any,
    result: Mapping[str, Any],
    place: Callable[[int, Mapping[str, Any]], float],
    names: Mapping[str, str],
) -> None:
    """Objective and bound of a result's trace, ``names`` in the legend.

    place: of the i-th record, counted from 1. One machine per class: a colour for each, its bound
    dashed.
    """
    machines = result.get("machines")
    for number, machine in enumerate(machines or [None]):
        trace = [line for line in result["trace"] if line.get("machine", 0) == number]
        for key, color in (("objective", OBJECTIVE), ("bound", BOUND)):
            points = [(place(i, r), r[key]) for i, r in enumerate(trace, 1) if r[key] is not None]
            look = {"color": color, "label": names[key]}
            if machine is not None and key == "objective":
                look = {"color": f"C{number % 10}", "label": literal(machine["label"])}
            elif machine is not None:
                look = {"color": f"C{number % 10}", "linestyle": "--"}
            if points:
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, **look)
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="lower right", title=machines and "bound dashed")
