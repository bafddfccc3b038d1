"""Plots of multiple kernel learning: weights beside single kernels, tail sums, convergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from radprog.instances.errors import OptionError

FloatArray = NDArray[np.float64]

COLOURS = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0f766e")


def plot_weights(
    names: Sequence[str],
    weights: Mapping[str, Sequence[float]],
    single: Sequence[float] | None = None,
) -> Figure:
    """Weights of every method per kernel, as shares of their sum (Figure 2, centre).

    names: of the kernels (M,); weights: method -> (M,); single: the area under the curve that a
    machine with the kernel alone reaches (M,), printed below its name.
    """
    for method, values in weights.items():
        if len(values) != len(names):
            raise OptionError(f"{method}: {len(values)} weights for {len(names)} kernels")
    figure = Figure(figsize=(max(6.0, 1.1 * len(names)), 4), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / max(1, len(weights))
    for k, (method, values) in enumerate(weights.items()):
        shares = np.asarray(values, dtype=np.float64)
        total = shares.sum()
        shares = shares / total if total > 0 else shares
        where = np.arange(len(names)) + (k + 0.5) * width - 0.4
        axes.bar(where, shares, width, label=method, color=COLOURS[k % len(COLOURS)])
    labels = list(names)
    if single is not None:
        labels = [f"{name}\n{100 * auc:.1f}" for name, auc in zip(names, single, strict=True)]
        axes.set_xlabel("kernel, and 100 x AUC of the kernel alone")
    axes.set_xticks(range(len(names)), labels)
    axes.set_ylabel("share of the weights")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)
    return figure


def plot_tail_sums(names: Sequence[str], spectra: Sequence[FloatArray]) -> Figure:
    """log10 of the tail sum of every kernel against theta (Figure 2, right).

    spectra: eigenvalues (n,) of each kernel, descending.
    """
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for k, (name, values) in enumerate(zip(names, spectra, strict=True)):
        tails = np.cumsum(np.maximum(values, 0.0)[::-1])[::-1]
        kept = tails > 1e-9 * tails[0]
        theta = np.arange(len(values))
        axes.plot(theta[kept], np.log10(tails[kept]), label=name, color=COLOURS[k % len(COLOURS)])
    axes.set_xlabel("theta")
    axes.set_ylabel("log10 of the tail sum")
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def plot_convergence(result: Mapping[str, Any]) -> Figure:
    """Objective and bound of a result against its iterations, and the gap on a logarithmic scale.

    result: the object of ``--json``, with ``trace``, ``status`` and ``data``. A gap above the
    tolerance that stays, as in variant dc, is that of the relaxation.
    """
    trace = result["trace"]
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for key, colour in (("objective", COLOURS[1]), ("bound", COLOURS[0])):
        points = [(line["iteration"], line[key]) for line in trace if line[key] is not None]
        if points:
            left.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=key)
    sandwich = result.get("sandwich")
    if sandwich and sandwich.get("global_value") is not None:
        left.axhline(sandwich["global_value"], color=COLOURS[2], label="global optimum")
    left.set_xlabel("iteration")
    left.set_title(f"{result['model']} on {result['data']['name']}: {result['status']}")
    if left.lines:
        left.legend()
    gaps = [(line["iteration"], line["gap"]) for line in trace if line.get("gap")]
    if gaps:
        right.semilogy(*zip(*gaps, strict=True), color=COLOURS[0])
    right.set_xlabel("iteration")
    right.set_ylabel("relative gap")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return figure
