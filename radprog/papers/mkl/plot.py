"""Plots of multiple kernel learning: weights beside single kernels, tail sums, convergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.decompositions.loop import Budget
from radprog.decompositions.mkl.expansion import expansion
from radprog.decompositions.mkl.oracle import Machines
from radprog.decompositions.run import Run
from radprog.figures import PALETTE, save
from radprog.instances.errors import OptionError
from radprog.instances.mkl_data import MklData
from radprog.instances.splits import stratified_parts
from radprog.instances.types import FloatArray
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels
from radprog.models.mkl.ranking import area_under_curve
from radprog.models.mkl.settings import MKL

MOST_POINTS = 800  # up to which single kernels are tried out and spectra drawn
MOST_KERNELS = 24  # the same for the number of kernels
TILTED = 6  # names of more kernels are tilted
SINGLE_ACCURACY = 1e-4


def plot_mkl(result: Mapping[str, Any], path: str | Path, run: Run, data: MklData) -> None:
    """Weights beside single kernels, tail sums against theta, objective and bound, gap.

    Raises OptionError for another suffix than .png, .svg or .pdf, OutputError.
    """
    names = result["fit"]["kernels"]
    small = data.rows <= MOST_POINTS and len(names) <= MOST_KERNELS
    figure = Figure(figsize=(14, 9), layout="constrained")
    (first, second), below = figure.subplots(2, 2)
    single = single_curves(run.spec, data) if small and len(data.labels) == 2 else None
    _weights(first, names, {run.spec.variant: result["fit"]["weights"]}, single)
    if single is not None:
        first.set_title("kernels alone: trained on one half, ranked on the other")
    if small:
        kernels = kernel_set(run.spec, data)
        _tail_sums(second, names, [kernels.eigenvalues(m) for m in range(kernels.M)])
        if run.spec.variant in ("conv", "dc"):
            theta = run.spec.cutoff
            second.axvline(theta, color="grey", linestyle=":", label=f"theta = {theta}")
            second.legend(fontsize="small")
    else:
        second.set_axis_off()
    _convergence(below, result)
    save(figure, path)


def single_curves(spec: MKL, data: MklData, seed: int = 0) -> list[float] | None:
    """Area under the curve of a machine with each kernel alone (M,), on a held-out half.

    None where a half has one class only.
    """
    parts = stratified_parts(data.targets, 2, seed)
    train, test = data.partition(*parts)
    if len(np.unique(train.targets)) < 2 or len(np.unique(test.targets)) < 2:
        return None
    kernels = kernel_set(spec, train)
    alone = MultipleKernels(kernels=kernels, C=spec.C, loss=spec.loss, bias=spec.bias)
    machines = Machines(alone)
    curves = []
    for unit in np.eye(kernels.M):
        fit = expansion(alone, machines(unit, Budget(), SINGLE_ACCURACY))
        curves.append(area_under_curve(fit.scores(test.X), test.targets))
    return curves


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
    _weights(figure.subplots(), names, weights, single)
    return figure


def _weights(
    axes: Any,
    names: Sequence[str],
    weights: Mapping[str, Sequence[float]],
    single: Sequence[float] | None,
) -> None:
    width = 0.8 / max(1, len(weights))
    for k, (method, values) in enumerate(weights.items()):
        shares = np.asarray(values, dtype=np.float64)
        total = shares.sum()
        shares = shares / total if total > 0 else shares
        where = np.arange(len(names)) + (k + 0.5) * width - 0.4
        axes.bar(where, shares, width, label=method, color=PALETTE[k % len(PALETTE)])
    labels = list(names)
    if single is not None:
        labels = [f"{name}\n{100 * auc:.1f}" for name, auc in zip(names, single, strict=True)]
        axes.set_xlabel("kernel, and 100 x AUC of the kernel alone")
    tilted = len(names) > TILTED
    axes.set_xticks(range(len(names)), labels, rotation=60 if tilted else 0)
    axes.set_ylabel("share of the weights")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)


def plot_tail_sums(names: Sequence[str], spectra: Sequence[FloatArray]) -> Figure:
    """log10 of the tail sum of every kernel against theta (Figure 2, right).

    spectra: eigenvalues (n,) of each kernel, descending.
    """
    figure = Figure(figsize=(6, 4), layout="constrained")
    _tail_sums(figure.subplots(), names, spectra)
    return figure


def _tail_sums(axes: Any, names: Sequence[str], spectra: Sequence[FloatArray]) -> None:
    _tails(axes, names, [np.cumsum(np.maximum(v, 0.0)[::-1])[::-1] for v in spectra])


def _tails(axes: Any, names: Sequence[str], sums: Sequence[FloatArray]) -> None:
    for k, (name, tails) in enumerate(zip(names, sums, strict=True)):
        kept = tails > 1e-9 * tails[0]
        theta = np.arange(len(tails))
        axes.plot(theta[kept], np.log10(tails[kept]), label=name, color=PALETTE[k % len(PALETTE)])
    axes.set_xlabel("theta")
    axes.set_ylabel("log10 of the tail sum")
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)


def plot_sites(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Figure 2: areas of the methods, weights beside single kernels, tail sums; a line of panels
    for every number of training points. rows: of ``kind`` kernel or method, with ``set``."""
    sets = list(dict.fromkeys(row["set"] for row in rows))
    figure = Figure(figsize=(17, 4.2 * len(sets)), layout="constrained")
    for n, panels in zip(sets, figure.subplots(len(sets), 3, squeeze=False), strict=True):
        here = [row for row in rows if row["set"] == n]
        kernels = [row for row in here if row["kind"] == "kernel"]
        methods = [row for row in here if row["kind"] == "method"]
        names = [row["method"] for row in kernels]
        errors = [row["standard_error"] or 0.0 for row in methods]
        where = range(len(methods))
        panels[0].errorbar([row["auc"] for row in methods], where, xerr=errors, fmt="o")
        panels[0].set_yticks(where, [row["method"] for row in methods])
        panels[0].invert_yaxis()
        panels[0].set_xlabel("AUC, %")
        panels[0].set_title(f"n = {n}")
        panels[0].grid(alpha=0.3)
        weights = {row["method"]: [row[name] for name in names] for row in methods}
        _weights(panels[1], names, weights, [row["auc"] / 100 for row in kernels])
        _tails(panels[2], names, [np.asarray(row["tails"]) for row in kernels])
    save(figure, path)


def plot_convergence(result: Mapping[str, Any]) -> Figure:
    """Objective and bound of a result against its iterations, and the gap on a logarithmic scale.

    result: the object of ``--json``, with ``trace``, ``status`` and ``data``. A gap above the
    tolerance that stays, as in variant dc, is that of the relaxation.
    """
    figure = Figure(figsize=(10, 4), layout="constrained")
    _convergence(figure.subplots(1, 2), result)
    return figure


def _convergence(pair: Sequence[Any], result: Mapping[str, Any]) -> None:
    trace = result["trace"]
    left, right = pair
    for key, colour in (("objective", PALETTE[1]), ("bound", PALETTE[0])):
        points = [(line["iteration"], line[key]) for line in trace if line[key] is not None]
        if points:
            left.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=key)
    sandwich = result.get("sandwich")
    if sandwich and sandwich.get("global_value") is not None:
        left.axhline(sandwich["global_value"], color=PALETTE[2], label="global optimum")
    left.set_xlabel("iteration")
    left.set_title(f"{result['model']} on {result['data']['name']}: {result['status']}")
    if left.lines:
        left.legend()
    gaps = [(line["iteration"], line["gap"]) for line in trace if line.get("gap")]
    if gaps:
        right.semilogy(*zip(*gaps, strict=True), marker="o", markersize=3, color=PALETTE[0])
    right.set_xlabel("iteration")
    right.set_ylabel("relative gap")
    for axes in (left, right):
        axes.grid(alpha=0.3)
