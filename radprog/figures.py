"""Common parts of the figures: the convergence of a run, and writing to files."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, extra
from radprog.base.sections import safe
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_bytes
from radprog.catalog import entry_named
from radprog.decompositions.own.result import OwnRun
from radprog.decompositions.run import Run
from radprog.instances.data import Data, Points
from radprog.instances.tables import shown
from radprog.models.kernels import GIVEN_KERNELS
from radprog.wiring import Values

with extra("plot", "a picture"):
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

FORMATS = (".png", ".svg", ".pdf")
PALETTE = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0f766e", "#6b7280")
FIRST, SECOND, GREY = PALETTE[0], PALETTE[1], PALETTE[-1]
OBJECTIVE, BOUND = SECOND, FIRST
LOOKS: Mapping[str, Mapping[str, str]] = {  # distinct also without colours
    "objective": {"color": OBJECTIVE, "linestyle": "-", "marker": "o"},
    "bound": {"color": BOUND, "linestyle": "--", "marker": "s"},
}
MARKERS = "osD^v<>pPX"


def save(figure: Figure, path: str | Path, title: str = "") -> None:
    """Write a figure with a title as .png, .svg or .pdf. Raises OptionError for another suffix, and
    OutputError for a failed write.
    """
    suffix = Path(path).suffix.lower() if isinstance(path, str | Path) else ""
    if suffix not in FORMATS:
        raise OptionError(f"{path}: expected one of {', '.join(FORMATS)}")
    if title:
        # the title in lines as wide as the figure
        wide = int(12 * figure.get_figwidth())  # letters per inch of the title of a figure
        figure.suptitle(literal(textwrap.fill(title, wide)), fontsize="medium")
    legible(figure)
    content = _image_bytes(figure, format=suffix[1:], dpi=150)
    with atomic_bytes(path) as stream:
        stream.write(content)


def _image_bytes(figure: Figure, **options: Any) -> bytes:
    """The bytes of a figure; letters that its font lacks become boxes, without a warning."""
    FigureCanvasAgg(figure)
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(content, **options)
    return content.getvalue()


def literal(text: str) -> str:
    """A name as plain text for figures.

    Dollar signs and control characters are escaped. Names that begin with _ are changed, because a
    legend would omit them.
    """
    return safe(" " * text.startswith("_") + text).replace("$", r"\$")


def draw_convergence(axes: Any, result: Values) -> None:
    """Draw objective and bound of a result's trace against seconds.

    With one classifier per class, each class has its own colour, and bounds are dashed.
    """
    # one line per classifier; for a single classifier, objective and bound differ
    classes = result.get("machines")
    for number, part in enumerate(classes or [None]):
        trace = [line for line in result["trace"] if line.get("machine", 0) == number]
        for key, look in LOOKS.items():
            points = [(line["seconds"], line[key]) for line in trace if line[key] is not None]
            style: dict[str, Any] = {**look, "label": key}
            if part is not None:
                label = literal(part["label"]) if key == "objective" else None
                style |= {"color": f"C{number % 10}", "label": label}
            if points:
                # a single point of the objective stands behind that of the bound
                size = 8 if key == "objective" and len(points) == 1 else 4  # seen behind the bound
                axes.plot(*zip(*points, strict=True), markersize=size, **style)
    axes.set(xlabel="time, s", ylabel="value of the program", title=heading(result))
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="best", title=classes and "bound dashed")


def heading(result: Values) -> str:
    """Model, data and result, on two lines."""
    gap, status = result.get("gap"), result["status"].replace("_", " ")
    if gap is not None:
        status += f", gap {gap:.1g}"
    elif result.get("bound", 0.0) is None:
        status += ", no bound"
    return literal(f"{result['model']} on {result['data']['name']}:\n{status}")


def moves(result: Values) -> bool:
    """Whether a trace has two different values; otherwise there is nothing to draw."""
    values = {line[key] for line in result["trace"] for key in LOOKS if line[key] is not None}
    size = max(map(abs, values), default=0.0)
    spread = max(values, default=0.0) - min(values, default=0.0)
    # a smaller relative difference is one that no scale shows
    return len(result["trace"]) > 1 and spread > 1e-6 * size


def _scale(axes: Any, result: Values) -> None:
    """Use a logarithmic scale for positive values of different magnitudes.

    Equal values get some space around them.
    """
    # logarithmic if all values are positive and differ by a large factor
    values = [line[key] for line in result["trace"] for key in ("objective", "bound")]
    levels = [value for value in values if value is not None]
    low, high = min(levels, default=0.0), max(levels, default=0.0)
    size = max(abs(low), abs(high))
    # ratio of values from which a logarithmic scale has enough labels
    if len(levels) == len(values) and 0 < 2.0 * low < high:
        axes.set_yscale("log")
    elif size > 0 and high - low <= 1e-6 * size:
        axes.set_ylim(low - 1e-3 * size, high + 1e-3 * size)


def legible(figure: Figure) -> None:
    """Write tick labels in full, without an offset, and break titles into lines that fit."""
    for axes in figure.axes:
        # the lines of a title are as wide as its part
        # letters per inch of the title of a part, before the layout widens the part
        letters = int(axes.get_position().width * figure.get_figwidth() * 13.5)
        lines = axes.get_title().split("\n")
        # fewest letters of a line of such a title
        axes.set_title("\n".join(textwrap.fill(line, max(letters, 20)) for line in lines))
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, ScalarFormatter):
                formatter.set_useOffset(False)


def figure_of(result: dict[str, Any], run: Run, data: Data | None) -> Figure:
    """The figure that the model defines for a result; the general figure if the necessary data are
    missing.
    """
    plot = entry_named(run.name).hooks.plot
    figure = None if plot is None else plot(result, run, data)
    if figure is None:
        return run_figure(result, run, data)
    legible(figure)
    return figure


def own_figure(run: OwnRun) -> Figure:
    """Draw objective and bound of a run of the user's own program against seconds."""
    trace = [{key: getattr(record, key) for key in ("seconds", *LOOKS)} for record in run.trace]
    values = {
        "model": type(run).__name__,
        "data": {"name": "your program"},
        "fit": {},
        "trace": trace,
    }
    return run_figure({**values, "status": run.status.value, "bound": run.bound, "gap": run.gap})


def run_figure(result: Values, run: Run | None = None, data: Data | None = None) -> Figure:
    """Draw objective and bound against seconds, with panels for points and kernels.

    If the data are given and the points have coordinates, the points are drawn with their classes.
    With several kernels, the penalty of each kernel is drawn; for a linear model, the largest
    coefficients.
    """
    # convergence, if it changes; beside it the points; below them the penalties
    fit = result["fit"]
    weights, largest = fit.get("weight_per_kernel"), fit.get("largest") or ()
    several = len(weights or ()) > 1 or len(largest) > 0
    pictured = run is not None and isinstance(data, Points) and has_coordinates(data)
    traced = moves(result) or not pictured
    wide, high = 1 + (several or pictured) * traced, 1 + (several and pictured)
    tall = 1.4 + 2.8 * high + 0.1 * len(largest)  # a name of a feature needs its line
    figure = Figure(figsize=(1.0 + 4.5 * wide, tall), layout="constrained")
    grid = figure.add_gridspec(high, wide, height_ratios=[3, 2][:high])
    if traced:
        first = figure.add_subplot(grid[0, 0])
        draw_convergence(first, result)
        _scale(first, result)
    if pictured:
        assert run is not None
        assert isinstance(data, Points)
        axes = figure.add_subplot(grid[0, -1])
        draw_points(axes, result, run, data)
        if not traced:
            axes.set_title(f"{heading(result)}\n{axes.get_title()}")
    if several:
        last = figure.add_subplot(grid[1, :] if pictured else grid[0, 1])
        if largest:
            names, lengths = zip(*largest, strict=True)
            _draw_bars(last, names, lengths, "coefficient")
            total = f" of {fit['coefficients']}" * (len(largest) < fit["coefficients"])
            last.set_title(f"{len(largest)}{total} features, by size of their coefficients")
        else:
            _draw_bars(last, fit["kernels"], weights, "weight of each kernel")
            positive = sum(weight > 0 for weight in weights)
            last.set_title(f"{positive} of {len(weights)} kernels are used")
    legible(figure)
    return figure


def _draw_bars(axes: Any, names: Sequence[str], lengths: Sequence[float], words: str) -> None:
    axes.barh(range(len(names)), lengths, color=BOUND)
    axes.set_yticks(range(len(names)), [literal(shown(name)) for name in names])
    axes.invert_yaxis()
    axes.set_xlabel(words)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def has_coordinates(data: Points) -> bool:
    """Whether rows are points with coordinates and classes."""
    return data.X.ndim == 2 and data.X.shape[1] > 0 and len(data.labels) > 1


def coordinates(X: FloatArray) -> tuple[FloatArray, list[str]]:
    """Points (n, d) in the plane (n, 2), and the names of the axes.

    For d = 2 these are the points, otherwise their first two principal components.
    """
    return (X, ["first feature", "second feature"]) if X.shape[1] == 2 else principal(X)


def principal(X: FloatArray) -> tuple[FloatArray, list[str]]:
    """The first two principal components (n, 2) of points (n, d), and the names of the axes."""
    # by the singular value decomposition
    centred = X - X.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    shares = sizes**2 / max(float((sizes**2).sum()), np.finfo(np.float64).tiny)
    shown = np.zeros((len(X), 2))
    shown[:, : min(2, len(directions))] = centred @ directions[:2].T
    names = [f"principal component {k + 1} ({share:.0%})" for k, share in enumerate(shares[:2])]
    return shown, [*names, "0"][:2]


def draw_points(axes: Any, result: Values, run: Run, data: Points) -> None:
    """Draw points by class, with rings around support points and crosses on errors.

    With two features, also draw the line where the score is 0.
    """
    # with more than 3000 points, every k-th one and every support point are drawn
    step = -(-data.rows // 3000)
    places, names = coordinates(np.asarray(data.X))
    shown, X, codes = places[::step], np.asarray(data.X)[::step], data.codes[::step]
    # kernels given by their values cannot be evaluated at new points
    matrices = any(kind in str(getattr(run.spec, "kernels", "")) for kind in GIVEN_KERNELS)
    if not matrices and getattr(run.spec, "similarity", None) is None:
        wrong = run.fit.predict(X) != data.targets[::step]
        if wrong.any():
            axes.scatter(*shown[wrong].T, s=60, marker="x", color="black", linewidth=1, zorder=3)
            axes.plot([], [], "x", color="black", label=f"{int(wrong.sum())} wrong")
        if data.X.shape[1] == 2 and len(data.labels) == 2:
            # scores on a grid over the points; the boundary is their level 0
            low, high = shown.min(axis=0), shown.max(axis=0)
            margin, side = 0.05 * (high - low), 160  # points of the grid
            ends = zip(low - margin, high + margin, strict=True)
            x, y = (np.linspace(a, b, side) for a, b in ends)
            grid = np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
            scores = run.fit.scores(grid).reshape(side, side)
            if scores.min() < 0.0 < scores.max():
                axes.contour(x, y, scores, levels=[0.0], colors=GREY)
    for k, name in enumerate(data.labels):
        face = {"facecolors": "none"} if k == 0 else {}
        axes.scatter(
            *shown[codes == k].T, s=18, marker=MARKERS[k % len(MARKERS)], linewidth=0.8,
            color=PALETTE[k % len(PALETTE)], label=literal(name), **face,
        )  # fmt: skip
    # the rows that are support points, unless the centres are other points
    fitted: Any = run.fit
    support = np.unique(getattr(fitted, "centre", getattr(fitted, "support", ())))
    points, rows = getattr(fitted, "points", None), np.asarray(data.X)
    inside = points is not None and len(support) and support[-1] < data.rows
    if inside and {r.tobytes() for r in rows[support]} == {r.tobytes() for r in np.asarray(points)}:
        # many rings are thin, so that points are visible between them
        crowded = len(support) > 50
        ring = {"marker": "o", "facecolors": "none", "edgecolors": "black", "zorder": 4}
        ring |= {"s": 60, "linewidth": 0.6} if crowded else {"s": 90, "linewidth": 1.6}
        axes.scatter(*places[support].T, label=f"{len(support)} support points", **ring)
    axes.set(xlabel=names[0], ylabel=names[1])
    axes.legend(loc="best")
    fit = result["fit"]
    if "support_vectors" in fit:
        axes.set_title(f"{fit['support_vectors']} of {data.rows} points carry the classifier")


def convergence_image(result: Values) -> bytes | None:
    """Objective and bound against seconds as SVG, with the same bytes for the same result.

    Returns None if the trace has neither objective nor bound.
    """
    if all(line[key] is None for line in result["trace"] for key in ("objective", "bound")):
        return None
    figure = Figure(figsize=(8, 4.0), layout="constrained")
    axes = figure.subplots()
    draw_convergence(axes, result)
    _scale(axes, result)
    # without date and with a fixed salt: equal content has equal bytes
    with matplotlib.rc_context({"svg.hashsalt": "radprog"}):
        legible(figure)
        return _image_bytes(figure, format="svg", metadata={"Date": None})
