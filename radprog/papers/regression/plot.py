"""Figures of bounded-loss regression: the fitted function, and Figure 2 of the paper."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.base.types import FloatArray
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.run import Run
from radprog.figures import FIRST, GREY, SECOND, draw_convergence, heading, moves, value_ticks
from radprog.instances.dataset import Dataset
from radprog.models.kernels import parse_kernels
from radprog.models.own_kernels import GIVEN_KERNELS

ROOM = 0.25  # margin of an axis above and below its content, for a legend


@dataclass(frozen=True, kw_only=True)
class FittedCurve:
    """The curve of a regressor h and the data x, y (n,).

    ``truth`` (n,) has the values without noise, if they are known. h is evaluated at the points
    ``at`` (m,). If ``dense``, h is drawn as a curve, otherwise as points. ``along`` is the label of
    the x axis.
    """

    x: FloatArray
    y: FloatArray
    truth: FloatArray | None
    at: FloatArray
    h: FloatArray
    dense: bool
    along: str = "x"


def fitted(run: Run, data: Dataset) -> FittedCurve:
    """For one feature, the values of h on a fine grid and the training points.

    For several features, and for a kernel matrix, h is evaluated only at the training points.
    """
    assert isinstance(run.fit, KernelExpansion)
    # one feature, and a kernel that can be evaluated everywhere: a curve
    name, one = run.fit.kernels[0], data.X.shape[1] == 1
    assert data.raw is not None
    x = data.raw[:, 0] if one else np.arange(data.rows, dtype=np.float64)
    finite = x[np.isfinite(x)]
    dense = one and not name.startswith(GIVEN_KERNELS) and len(finite) > 0
    if dense:
        # points of a curve, in addition to the training points
        at = np.union1d(np.linspace(finite.min(), finite.max(), 1000), finite)
        points = at[:, None]
        h = run.fit.scores(points if data.scaler is None else data.scaler(points))
    else:
        at, cross = x, None
        if name.startswith(GIVEN_KERNELS):
            cross = parse_kernels(name)[0](data.X, data.X)
        h = run.fit.scores(data.X, cross)
    return FittedCurve(
        x=x, y=data.targets, truth=data.truth, at=at, h=h, dense=dense, along="x" if one else "row"
    )


def _fit_axes(axes: Any, fit: FittedCurve, largest: float = np.inf) -> None:
    """Draw the data, h and, if known, the function without noise, in increasing x.

    Points with a residual of at least ``largest`` are crossed out.
    """
    order = np.argsort(fit.x)
    axes.plot(fit.x[order], fit.y[order], ".", color=GREY, markersize=4, label="data")
    if fit.truth is not None:
        axes.plot(fit.x[order], fit.truth[order], "--", color=SECOND, label="g(x)")
    axes.plot(fit.at, fit.h, "-" if fit.dense else "x", color=FIRST, markersize=4, label="h(x)")
    residuals = np.abs(fit.y - (np.interp(fit.x, fit.at, fit.h) if fit.dense else fit.h))
    if (ignored := residuals >= largest).any():
        # the loss is bounded: the size of these residuals has no effect
        word = f"{ignored.sum()} at the largest loss"
        axes.plot(fit.x[ignored], fit.y[ignored], "x", color=SECOND, markersize=6, label=word)
    axes.set(xlabel=fit.along, ylabel="y")
    axes.legend()


def fit_figure(fit: FittedCurve, result: Mapping[str, Any] | None = None) -> Figure:
    """Draw a regressor on its data, and the convergence of its result."""
    panels = 2 if result is not None and moves(result) else 1
    figure = Figure(figsize=(1.0 + 4.5 * panels, 4), layout="constrained")
    left, *right = figure.subplots(1, panels, squeeze=False)[0]
    _fit_axes(left, fit, np.inf if result is None else result["params"].get("eps_up", np.inf))
    if result is not None:
        word = "complexity" if result["model"] == "complexity" else "objective"
        value, rows = result["objective"], result["data"]["rows"]
        title = f"{word} {'none' if value is None else f'{value:.3g}'}, {rows} points"
        left.set_title(title if right else f"{heading(result)}, {title}")
        if right:
            draw_convergence(right[0], result)
    return figure


def srm_figure(result: dict[str, Any], fit: FittedCurve) -> Figure:
    """Draw Figure 2: MAPE and bound against A for the chosen gamma, and the chosen function."""
    cells = result["cells"]
    chosen = cells[result["chosen"]["bound"]]
    line = sorted((c for c in cells if c["gamma"] == chosen["gamma"]), key=lambda c: c["A"])
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    bound = union_words(len(cells), result["params"]["delta"])
    _line_axes(left, line, chosen["gamma"], chosen["A"], bound)
    _fit_axes(right, fit)
    right.set_title(f"chosen: gamma {chosen['gamma']:.3g}, A {chosen['A']:.3g}")
    return figure


def union_words(classes: int, delta: float) -> str:
    """The label of the bound: a union over all ``classes`` of a grid, unlike the paper's bound (2)
    for one class.
    """
    return f"bound, union over {classes} classes, delta {delta:g}"


def _line_axes(
    axes: Any, line: Sequence[Mapping[str, Any]], gamma: float, A: float, bound: str
) -> None:
    """Draw Figure 2a: bound with the standard error of the complexity, and MAPE, against A."""
    radii = [cell["A"] for cell in line]
    errors = [cell["standard_error"] for cell in line]
    axes.errorbar(
        radii,
        [c["bound"] for c in line],
        yerr=errors,
        color=FIRST,
        marker="o",
        label="by Rademacher complexity",
    )
    if all("discrepancy" in cell for cell in line):
        values = [cell["discrepancy"] for cell in line]
        axes.plot(radii, values, ":", color=FIRST, marker="x", label="by maximal discrepancy")
        axes.margins(y=ROOM)
        axes.legend(loc="upper center")
    if all(radius > 0 for radius in radii):
        axes.set_xscale("log")
        value_ticks(axes.xaxis, radii)
    axes.set_xlabel("A")
    axes.set_ylabel(textwrap.fill(f"{bound}, an estimate", 30), color=FIRST)
    if all(cell["mape"] is not None for cell in line):
        other = axes.twinx()
        other.margins(y=ROOM)
        other.plot(radii, [c["mape"] for c in line], color=SECOND, marker="s", linestyle="--")
        other.set_ylabel("MAPE, %", color=SECOND)
    axes.axvline(A, color=GREY, linewidth=0.8)
    axes.set_title(f"gamma = {gamma:.3g}:\nthe bound is least at A = {A:.3g}")
