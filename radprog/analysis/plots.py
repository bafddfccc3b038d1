"""Figures of an analysis: scores over a grid of settings, and exact parameter paths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from radprog.base.errors import extra
from radprog.base.types import FloatArray
from radprog.figures import FIRST, SECOND, literal, save
from radprog.telling import setting_words

with extra("plot", "a picture"):
    from matplotlib.figure import Figure


def plot_grid(table: Mapping[str, Any], file: str) -> None:
    """Plot the scores of ``radprog tune`` against one option, or as a heat map over two.

    With more than two options, the map shows the two options with the most values. Each cell of the
    map shows the best score over the other options. Raises OptionError for a suffix other than
    .png, .svg or .pdf, and OutputError if the figure cannot be written.
    """
    # settings that have a score, and the options in which they differ; numbers increase
    cells = [cell for cell in table["cells"] if cell["score"] is not None]
    options: dict[str, list[str]] = {}
    for name in cells[0]["params"] if cells else ():
        values = list(dict.fromkeys(str(cell["params"].get(name)) for cell in cells))
        if len(values) > 1:
            options[name] = sorted(values, key=lambda value: _number(value) or 0.0)
    # shares of errors are in per cent
    share = table["by"] in ("error", "auc")
    unit, per_cent = (100.0, " %") if share else (1.0, "")
    title = f"{table['by']}{',' * share}{per_cent}, the less the better"
    figure = Figure(figsize=(7, 4.8), layout="constrained")
    axes = figure.subplots()
    best, score = table["best"]["params"], unit * table["best"]["score"]
    star: dict[str, Any] = {"color": SECOND, "markersize": 14}
    if len(options) < 2:
        # one option: a line with standard errors, in the order of the values
        name, values = next(iter(options.items()), ("setting", [""]))
        positions = [values.index(str(c["params"].get(name))) if options else 0 for c in cells]
        order = np.argsort(positions)
        scores, spread = (
            unit * np.array([cell[key] or 0.0 for cell in cells])[order]
            for key in ("score", "standard_error")
        )
        axes.errorbar(np.sort(positions), scores, yerr=spread, color=FIRST, marker="o", capsize=3)
        # the least score is a star
        axes.plot(np.sort(positions)[scores.argmin()], scores.min(), "*", **star)
        axes.set_xticks(range(len(values)), _words(values), rotation=45 if len(values) > 6 else 0)
        axes.set(xlabel=literal(name), ylabel=title)
        axes.grid(alpha=0.3)
    else:
        # more: a heat map over the two with most values, with the best score of each pair
        x_name, y_name = sorted(options, key=lambda name: -len(options[name]))[:2]
        field: FloatArray = np.full((len(options[y_name]), len(options[x_name])), np.nan)
        errors: dict[tuple[int, int], str] = {}
        for cell in cells:
            i, j = (options[name].index(str(cell["params"].get(name))) for name in (y_name, x_name))
            if not field[i, j] <= unit * cell["score"]:
                field[i, j], error = unit * cell["score"], cell["standard_error"]
                errors[i, j] = "" if error is None else f"\n± {unit * error:.2g}"
        image = axes.imshow(field, origin="lower", aspect="auto", cmap="cividis")
        figure.colorbar(image, ax=axes, label=title)
        if field.size <= 100:  # most fields of a heat map with printed numbers
            # numbers in the shade that is legible on their field
            middle = (np.nanmin(field) + np.nanmax(field)) / 2
            for (i, j), value in np.ndenumerate(field):
                if np.isfinite(value):
                    shade = "black" if value > middle else "white"
                    label = f"{value:.3g}{errors[i, j]}"
                    axes.text(j, i, label, ha="center", va="center", color=shade)
        # the choice is a star
        places = ([options[name].index(str(best.get(name)))] for name in (x_name, y_name))
        axes.plot(*places, "*", mec="white", **star)
        axes.set_xticks(range(len(options[x_name])), _words(options[x_name]), rotation=45)
        axes.set_yticks(range(len(options[y_name])), _words(options[y_name]))
        axes.set(xlabel=literal(x_name), ylabel=literal(y_name))
    # the choice in the title
    chosen = {name: _words([str(best[name])])[0] for name in options}
    axes.set_title(f"least {table['by']} {score:.4g}{per_cent} at {setting_words(chosen)}")
    save(figure, file)


def _number(value: str) -> float | None:
    """The value of an option as a finite number, or None."""
    with suppress(ValueError):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _words(values: Sequence[str]) -> list[str]:
    numbers = map(_number, values)
    return [literal(v) if x is None else f"{x:.3g}" for v, x in zip(values, numbers, strict=True)]


def plot_path(block: Mapping[str, Any], file: str) -> None:
    """Plot the value and the trade-off curve of a path.

    Raises OptionError for a suffix other than .png, .svg or .pdf, and OutputError.
    """
    pieces, name = block["pieces"], block["parameter"]
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2)
    ends = [piece["from"] for piece in pieces] + [block["to"]]
    # the value is linear between breakpoints: a linear axis shows that it is concave or convex
    values = [piece["value_from"] for piece in pieces] + [pieces[-1]["value_to"]]
    axes[0].plot(ends, values, color=FIRST, marker=".")
    title = f"exact: {len(block['breakpoints'])} breakpoints"
    axes[0].set(xlabel=name, ylabel="optimal value", title=title)
    # trade-off between two parts of the objective
    x_name, y_name = block["trade"]
    axes[1].plot([p[x_name] for p in pieces], [p[y_name] for p in pieces], color=FIRST, marker=".")
    words, label = x_name.replace("_", " "), f"objective without {name} x {x_name}"
    axes[1].set(xlabel=words, ylabel=label, title=f"what a smaller {words} costs")
    save(figure, file)
