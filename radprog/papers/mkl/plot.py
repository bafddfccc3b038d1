"""The figure of multiple kernel learning: the weights of the kernels, and the convergence."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from radprog.figures import BOUND, draw_convergence, literal
from radprog.wiring import Values


def mkl_figure(result: Values) -> Figure:
    """Draw the share of each kernel in the weights (Figure 2, centre), and objective and bound.

    For the variant ``dc`` with the method ``global``, the best value of the search is marked.
    """
    figure = Figure(figsize=(10, 4), layout="constrained")
    first, second = figure.subplots(1, 2)
    draw_weights(first, result["fit"])
    best = (result.get("sandwich") or {}).get("global_value")
    marks = {} if best is None else {"global optimum": best}
    draw_convergence(second, result, "iteration", marks=marks)
    return figure


def draw_weights(axes: Any, fit: Values) -> None:
    """Draw the weights of the ``fit`` block as shares of their sum."""
    names, weights = [literal(name) for name in fit["kernels"]], np.asarray(fit["weights"])
    total = weights.sum()
    shares = weights / total if total > 0 else weights
    axes.bar(range(len(names)), shares, 0.8, color=BOUND)
    axes.set_xticks(range(len(names)), names, rotation=60 if len(names) > 4 else 0)
    axes.set_ylabel("share of the weights")
    if total > 0:
        most = int(shares.argmax())
        axes.set_title(f"{names[most]} has {shares[most]:.0%} of the weight")
    axes.grid(axis="y", alpha=0.3)
