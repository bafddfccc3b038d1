"""Plots of bounded-loss regression: Figure 2 of the paper, the grid as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.decompositions.run import Run
from radprog.figures import FIRST, GREY, SECOND, save
from radprog.instances.regression import RegressionData
from radprog.instances.types import FloatArray


def _fit_axes(axes: Any, x: FloatArray, y: FloatArray, h: FloatArray, truth: Any = None) -> None:
    """Data, h and, where known, the function without noise, in increasing x."""
    order = np.argsort(x)
    axes.plot(x[order], y[order], ".", color=GREY, markersize=4, label="data")
    if truth is not None:
        axes.plot(x[order], np.asarray(truth)[order], "--", color=SECOND, label="g(x)")
    axes.plot(x[order], h[order], color=FIRST, label="h(x)")
    axes.set_xlabel("x")
    axes.legend()


def fit_figure(x: FloatArray, y: FloatArray, h: FloatArray, truth: Any = None) -> Figure:
    """A regressor on its data; x (n,) is one feature, or the row number where there are more."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    _fit_axes(figure.subplots(), x, y, h, truth)
    return figure


def srm_figure(
    result: dict[str, Any], x: FloatArray, y: FloatArray, h: FloatArray, truth: Any = None
) -> Figure:
    """Figure 2: on the chosen gamma MAPE and bound against A, with the standard error of the
    complexity; the chosen function on the data; and the bound over the whole grid."""
    cells = result["cells"]
    chosen = cells[result["chosen"]["bound"]]
    line = sorted((c for c in cells if c["gamma"] == chosen["gamma"]), key=lambda c: c["A"])
    figure = Figure(figsize=(15, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _line_axes(left, line, chosen["gamma"], chosen["A"])
    _fit_axes(middle, x, y, h, truth)
    middle.set_title(f"chosen: gamma {chosen['gamma']:.3g}, A {chosen['A']:.3g}")
    _heat_map(figure, right, cells, chosen)
    return figure


def _line_axes(axes: Any, line: Sequence[Mapping[str, Any]], gamma: float, A: float) -> None:
    """Figure 2a: bound with the standard error of the complexity, and MAPE, against A."""
    radii = [cell["A"] for cell in line]
    errors = [cell["standard_error"] for cell in line]
    axes.errorbar(
        radii, [c["bound"] for c in line], yerr=errors, color=FIRST, marker="o", label="bound (2)"
    )
    if all(radius > 0 for radius in radii):
        axes.set_xscale("log")
    axes.set_xlabel("A")
    axes.set_ylabel("predicted error, bound (2), an estimate", color=FIRST)
    if all(cell["mape"] is not None for cell in line):
        other = axes.twinx()
        other.plot(radii, [c["mape"] for c in line], color=SECOND, marker="s")
        other.set_ylabel("MAPE, %", color=SECOND)
    axes.axvline(A, color=GREY, linewidth=0.8)
    axes.set_title(f"gamma = {gamma:.3g}")


def plot_choices(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Figure 2 for several samples, a pair of panels each: bound and MAPE against A on the chosen
    gamma, and the chosen function. rows: with ``gamma``, ``A``, ``seed``, ``curve``, ``points``."""
    figure = Figure(figsize=(11, 3.6 * len(rows)), layout="constrained")
    for row, (left, right) in zip(rows, figure.subplots(len(rows), 2, squeeze=False), strict=True):
        _line_axes(left, row["curve"], row["gamma"], row["A"])
        x, y, truth, h = (np.asarray(row["points"][key]) for key in ("x", "y", "truth", "h"))
        _fit_axes(right, x, y, h, truth)
        right.set_title(f"seed {row['seed']}: gamma {row['gamma']:.3g}, A {row['A']:.3g}")
    save(figure, path)


def _heat_map(figure: Figure, axes: Any, cells: list[dict[str, Any]], chosen: Any) -> None:
    gammas = sorted({cell["gamma"] for cell in cells})
    radii = sorted({cell["A"] for cell in cells})
    table = np.full((len(gammas), len(radii)), np.nan)
    for cell in cells:
        table[gammas.index(cell["gamma"]), radii.index(cell["A"])] = cell["bound"]
    image = axes.imshow(table, origin="lower", aspect="auto", cmap="viridis_r")
    figure.colorbar(image, ax=axes, label="bound (2)")
    axes.set_xticks(range(len(radii)), [f"{value:.2g}" for value in radii], rotation=90)
    axes.set_yticks(range(len(gammas)), [f"{value:.2g}" for value in gammas])
    axes.plot(radii.index(chosen["A"]), gammas.index(chosen["gamma"]), "*", color="white", ms=12)
    axes.set_xlabel("A")
    axes.set_ylabel("gamma")


def _line(data: RegressionData) -> FloatArray:
    """The one feature as it was read, or the row number where there are more."""
    return data.raw[:, 0] if data.raw.shape[1] == 1 else np.arange(data.rows, dtype=np.float64)


def plot_svr(result: dict[str, Any], path: str | Path, run: Run, data: RegressionData) -> None:
    """The fitted function on its data."""
    save(fit_figure(_line(data), data.targets, run.fit.scores(data.X), data.truth), path)


def plot_srm(result: dict[str, Any], path: str | Path, run: Run, data: RegressionData) -> None:
    """Figure 2, the chosen function and the grid."""
    figure = srm_figure(result, _line(data), data.targets, run.fit.scores(data.X), data.truth)
    save(figure, path)
