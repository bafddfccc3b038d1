"""Figures of multiple kernel learning: weights beside single kernels, tail sums, convergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from radprog.base.tolerances import ZERO_TAIL
from radprog.base.types import FloatArray
from radprog.decompositions.mkl.exchange import ValueOracle
from radprog.decompositions.mkl.predictor import multi_kernel_expansion
from radprog.decompositions.run import Run
from radprog.figures import BOUND, HATCHES, LINES, PALETTE, draw_convergence, literal
from radprog.instances.dataset import MklData
from radprog.instances.splits import stratified_parts
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels
from radprog.models.mkl.settings import MKL
from radprog.models.ranking import area_under_curve

SHOWN_GAP = 1e-4  # relative gap of a value of J that a figure shows

DRAWN_POINTS = 800  # most points for fits of single kernels and for spectra
MOST_KERNELS = 24  # most kernels for the same
TILTED = 4  # names of more kernels are tilted
BESIDE: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}  # legends
FALLEN = 2.0  # ratio from which the title calls a gap falling
ROOM = 1.3  # height of an axis, in heights of its content


def mkl_figure(result: Mapping[str, Any], run: Run, data: MklData) -> Figure:
    """Draw the weights beside single kernels, the tail sums against theta, objective and bound, and
    the gap.
    """
    names = result["fit"]["kernels"]
    small = data.rows <= DRAWN_POINTS and len(names) <= MOST_KERNELS
    kernels = kernel_set(run.spec, data) if small else None
    figure = Figure(figsize=(10, 7.5), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False)[:, 0]
    first, second = above.subplots(1, 2)
    single = single_curves(run.spec, data) if small and len(data.labels) == 2 else None
    # weights beside the results of single kernels
    weights = result["fit"]["weights"]
    draw_weights(first, names, {run.spec.variant: weights}, single)
    if sum(weights) > 0:
        most = int(np.argmax(weights))
        share = weights[most] / sum(weights)
        first.set_title(literal(f"{names[most]} has {share:.0%} of the weight"))
    # spectra: the tail sum of a kernel for every theta
    if kernels is not None:
        draw_spectra(second, names, [kernels.eigenvalues(m) for m in range(kernels.M)])
        second.set_title("what a kernel pays: its tail sum")
        if run.spec.variant in ("conv", "dc"):
            theta = run.spec.cutoff
            second.axvline(theta, color="grey", linestyle=":", label=f"theta = {theta}")
            second.legend(**BESIDE)
    else:
        second.set_axis_off()
    draw_progress(below.subplots(1, 2), result)
    return figure


def single_curves(spec: MKL, data: MklData, seed: int = 0) -> list[float] | None:
    """The area under the ROC curve (M,) on a held-out half, for a support vector machine with each
    kernel.

    Returns None if a half has only one class.
    """
    # one half for training, the other for the test
    parts = stratified_parts(data.targets, 2, seed)
    train, test = data.partition(*parts)
    if len(np.unique(train.targets)) < 2 or len(np.unique(test.targets)) < 2:
        return None
    kernels = kernel_set(spec, train)
    alone = MultipleKernels(kernels=kernels, C=spec.C, loss=spec.loss, bias=spec.bias)
    values = ValueOracle(alone)
    curves = []
    for unit in np.eye(kernels.M):
        fit = multi_kernel_expansion(alone, values(unit, SHOWN_GAP))
        curves.append(area_under_curve(fit.scores(test.X), test.targets))
    return curves


def draw_weights(
    axes: Any,
    names: Sequence[str],
    weights: Mapping[str, Sequence[float]],
    single: Sequence[float] | None,
) -> None:
    """Draw the weights of each method per kernel, as shares of their sum (Figure 2, centre).

    ``names`` (M,) are the names of the kernels. ``weights`` maps the name of a method to its
    weights (M,). ``single`` (M,) contains the area under the ROC curve of a classifier with only
    this kernel. This area is printed below the kernel's name.
    """
    width = 0.8 / max(1, len(weights))
    for k, (method, values) in enumerate(weights.items()):
        shares = np.asarray(values, dtype=np.float64)
        total = shares.sum()
        shares = shares / total if total > 0 else shares
        where = np.arange(len(names)) + (k + 0.5) * width - 0.4
        axes.bar(
            where, shares, width, label=method, color=PALETTE[k % len(PALETTE)],
            hatch=HATCHES[k % len(HATCHES)],
        )  # fmt: skip
    labels = names = [literal(name) for name in names]
    if single is not None:
        labels = [f"{name}\n{100 * auc:.1f}" for name, auc in zip(names, single, strict=True)]
        axes.set_xlabel("kernel; AUC in % of this kernel, on a held-out half")
    tilted = len(names) > TILTED
    axes.set_xticks(range(len(names)), labels, rotation=60 if tilted else 0)
    axes.set_ylabel("share of the weights")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)


def draw_spectra(axes: Any, names: Sequence[str], spectra: Sequence[FloatArray]) -> None:
    """Draw log10 of the tail sum of each kernel against theta (Figure 2, right).

    ``spectra`` has the eigenvalues (n,) of each kernel in decreasing order.
    """
    for k, (name, values) in enumerate(zip(names, spectra, strict=True)):
        tails = np.cumsum(np.maximum(values, 0.0)[::-1])[::-1]
        kept = tails > ZERO_TAIL * tails[0]
        theta = np.arange(len(tails))
        axes.plot(
            theta[kept], np.log10(tails[kept]), label=literal(name),
            color=PALETTE[k % len(PALETTE)],
            linestyle=LINES[(2 * (k // len(PALETTE)) + k) % len(LINES)],
        )  # fmt: skip
    axes.set(xlabel="theta, eigenvalues that are free", ylabel="log10 of the tail sum")
    axes.legend(**BESIDE)
    axes.grid(alpha=0.3)


def draw_progress(pair: Sequence[Any], result: Mapping[str, Any]) -> None:
    """Draw objective and bound against iterations, and the gap on a logarithmic scale.

    For the variant ``dc``, the gap may stay above the tolerance, because the bound comes from a
    relaxation.
    """
    left, right = pair
    best = (result.get("sandwich") or {}).get("global_value")
    marks = {} if best is None else {"global optimum": best}
    draw_convergence(left, result, "iteration", marks=marks)
    # a gap that falls has a logarithmic scale
    gaps = [(i, line["gap"]) for i, line in enumerate(result["trace"], 1) if line.get("gap")]
    fell = bool(gaps) and gaps[0][1] > FALLEN * gaps[-1][1]
    if gaps:
        right.plot(*zip(*gaps, strict=True), marker="o", markersize=3, color=BOUND)
        right.set_yscale("log" if fell else "linear")
        if not fell:
            right.set_ylim(0.0, ROOM * gaps[0][1])
    right.set_xlabel("iteration")
    right.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    right.set_ylabel("relative gap")
    if gaps:
        word = f"falls to {gaps[-1][1]:.1g}" if fell else f"stays at {gaps[-1][1]:.1g}"
        rounds = "iteration" if gaps[-1][0] == 1 else "iterations"
        right.set_title(f"the gap {word} in {gaps[-1][0]} {rounds}")
    right.grid(alpha=0.3)
