"""Figures of an analysis: scores over a grid of settings, and exact parameter paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radprog.base.errors import extra
from radprog.figures import FIRST, SECOND, literal, save
from radprog.telling import setting_words

with extra("plot", "a picture"):
    from matplotlib.figure import Figure


def plot_grid(table: Mapping[str, Any], file: str) -> None:
    """Plot the scores of ``radprog tune`` against the option with the most values: at each value
    the best score over the other options, with its standard error.

    Raises OptionError for a suffix other than .png, .svg or .pdf, and OutputError if the figure
    cannot be written.
    """
    # shares of errors are in per cent
    unit, per_cent = (100.0, " %") if table["by"] in ("error", "auc") else (1.0, "")
    best = table["best"]
    values = {
        name: list(dict.fromkeys(str(cell["params"][name]) for cell in table["cells"]))
        for name in best["params"]
    }
    name = max(values, key=lambda name: len(values[name]))
    least: dict[str, Mapping[str, Any]] = {}
    for cell in sorted(table["cells"], key=lambda cell: cell["score"] or 0.0):
        if cell["score"] is not None:
            least.setdefault(str(cell["params"][name]), cell)
    shown = [value for value in values[name] if value in least]
    scores = [unit * least[value]["score"] for value in shown]
    spread = [unit * (least[value]["standard_error"] or 0.0) for value in shown]
    figure = Figure(figsize=(7, 4.8), layout="constrained")
    axes = figure.subplots()
    places = range(len(shown))
    axes.errorbar(places, scores, yerr=spread, color=FIRST, marker="o", capsize=3)
    # the choice is a star
    place = shown.index(str(best["params"][name]))
    axes.plot(place, scores[place], "*", color=SECOND, markersize=14)
    axes.set_xticks(places, list(map(literal, shown)), rotation=45 if len(shown) > 6 else 0)
    title = f"least {table['by']} {unit * best['score']:.4g}{per_cent}"
    title += f" at {setting_words({k: v for k, v in best['params'].items() if len(values[k]) > 1})}"
    score = f"{table['by']}{per_cent}, the less the better"
    axes.set(title=literal(title), xlabel=literal(name), ylabel=score)
    axes.grid(alpha=0.3)
    save(figure, file)


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
