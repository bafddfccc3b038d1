"""Bounded-loss regression and its complexity: wiring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.sections import Table, amount, bounded, styled
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.regression.complexity import fit_complexity, recompute_complexity
from radprog.decompositions.regression.fit import (
    KernelRegressor,
    fit_svr,
    load_svr,
    recompute_svr,
)
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.regression.srm import fit_srm, recompute_srm
from radprog.decompositions.run import Run
from radprog.instances.dataset import Dataset, read_regression
from radprog.models.kernels import GIVEN_KERNELS, parse_kernels
from radprog.models.regression import settings
from radprog.telling import percent
from radprog.wiring import Values, Wiring, read_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TERMS = read_terms("regression", "terms")

CHOICES = {  # the criteria of structural risk minimisation, with their keys in ``chosen``
    "by bound": "bound",
    "by folds": "cross_validation",
    "by BIC": "bic",
    "by VC": "vc",
    "by MAPE": "mape",
}


def regression_lines(result: Values) -> list[str]:
    """A line with norm and intercept of a regressor.

    The regressor is a critical point of a nonconvex program, or the result of branch and bound.
    """
    fit = result["fit"]
    words = f"the best critical point of {_starts(result, result['params']['starts'])}"
    if "nodes" in result:
        words = f"the best of {result['nodes']} programs of branch and bound"
    if "loaded" in result:
        words = "a loaded solution"
    return [f"fit        |w|^2 {fit['norm2']:.6g}, bias {fit['bias']:.6g}: {words}"]


def _starts(result: Values, starts: int) -> str:
    distinct = result.get("distinct_starts", starts)
    return amount(starts, "start") + (f", {distinct} distinct" if distinct != starts else "")


def complexity_lines(result: Values) -> list[str]:
    """Lines with a lower estimate or exact suprema, and the certified upper bound."""
    words = f"+- {result['standard_error']:.2g} (standard error): {result['estimate']}"
    if result["starts"] is not None:
        words += f", the best of {_starts(result, result['starts'])} per sign vector"
    elif "trials" not in result["params"]:
        words = f"by enumeration, {result['estimate']}"
    upper_by = result["certified_upper_by"]
    return [
        f"estimate   {result['objective']:.6g} {words}",
        f"upper      the complexity is at most {bounded(result['certified_upper'], '.6g')}"
        f"{_unless(upper_by['failure'])} ({upper_by['name']})",
    ]


def _unless(failure: float) -> str:
    """The probability of a bound that fails with probability ``failure``, in words; empty for 0."""
    return f" with probability {100.0 * (1.0 - failure):.8g} %" if failure else ""


def _vacuous(word: str, bound: float) -> str:
    """The word of a bound, marked if the bound is at least 1."""
    return f"{word}, vacuous" if bound >= 1.0 else word


def srm_lines(result: Values) -> list[str]:
    """Lines with the class of structural risk minimisation, the choices of other criteria, and the
    terms of the least bounds.
    """
    cells, chosen, caveat = result["cells"], result["chosen"], result["caveat"]
    claim, lines = "certified" if caveat is None else "estimate", []
    for name, key in CHOICES.items():
        if chosen.get(key) is not None:
            cell = cells[chosen[key]]
            proved = cell["certified_bound"]
            lines.append(
                f"{name:<10} gamma {cell['gamma']:.4g}, A {cell['A']:.4g}: bound "
                f"{cell['bound']:.4g} ({_vacuous('estimate', cell['bound'])}), "
                f"{bounded(proved, '.4g')} ({_vacuous(claim, proved)}), "
                f"MAPE of {result['mape_against']} {percent(cell['mape'])}"
            )
    # the bound is the sum of error, complexity and last term
    keys = ("bound", "gamma", "A", "empirical", "complexity", "standard_error")
    terms = Table(
        head=("bound", "gamma", "A", "error", "complexity", "+-", "at most"),
        rows=[
            (
                *(styled(cell[key], ".4g") for key in keys),
                bounded(cell["certified_upper"], ".4g"),
            )
            for cell in sorted(cells, key=lambda cell: float(cell["bound"]))
        ],
        most=10,  # number of shown cells, those with the least bounds
    )
    ending = "" if result["complete"] else " (the grid is not complete)"
    return [
        *lines,
        *terms.lines(),
        f"cells      {len(cells)}{ending}; complexity: {result['estimate']}; at most: {claim}",
        f"certified  all cells together{_unless(result['params']['delta'])} (if rows are "
        "independent draws, and the grid was fixed before)"
        if caveat is None
        else f"estimate   nothing is certified: {caveat}",
    ]


def draw(result: dict[str, Any], run: Run, data: Dataset | None) -> Figure | None:
    """Draw the regressor h on its data, and the convergence, or the bound along A for the chosen
    gamma (Figure 2 of the paper). Returns None without the data.

    For one feature h is a curve. For several features, and for a kernel matrix, it is evaluated
    only at the training points.
    """
    from matplotlib.figure import Figure

    from radprog.figures import FIRST, GREY, SECOND, draw_convergence, heading, moves

    if data is None:
        return None
    assert isinstance(run.fit, KernelExpansion)
    assert data.raw is not None
    # one feature, and a kernel that can be evaluated everywhere: a curve of 1,000 more points
    is_curve, is_matrix = data.X.shape[1] == 1, run.fit.kernels[0].startswith(GIVEN_KERNELS)
    x = data.raw[:, 0] if is_curve else np.arange(data.rows, dtype=np.float64)
    finite = x[np.isfinite(x)]
    if dense := is_curve and not is_matrix and len(finite) > 0:
        grid = np.union1d(np.linspace(finite.min(), finite.max(), 1000), finite)
        points = grid[:, None]
        h = run.fit.scores(points if data.scaler is None else data.scaler(points))
        residuals = np.abs(data.targets - np.interp(x, grid, h))
    else:
        grid = x
        cross = parse_kernels(run.fit.kernels[0])[0](data.X, data.X) if is_matrix else None
        h = run.fit.scores(data.X, cross)
        residuals = np.abs(data.targets - h)
    # data, h and, if known, the function without noise, in increasing x
    cells = result.get("cells")
    panels = 2 if cells or moves(result) else 1
    figure = Figure(figsize=(1.0 + 4.5 * panels, 4), layout="constrained")
    axes, *right = figure.subplots(1, panels, squeeze=False)[0]
    order = np.argsort(x)
    axes.plot(x[order], data.targets[order], ".", color=GREY, markersize=4, label="data")
    if data.truth is not None:
        axes.plot(x[order], data.truth[order], "--", color=SECOND, label="g(x)")
    axes.plot(grid, h, "-" if dense else "x", color=FIRST, markersize=4, label="h(x)")
    if (ignored := residuals >= result["params"].get("eps_up", np.inf)).any():
        # the loss is bounded: the size of these residuals has no effect
        word = f"{ignored.sum()} at the largest loss"
        look: dict[str, Any] = {"color": SECOND, "markersize": 6, "label": word}
        axes.plot(x[ignored], data.targets[ignored], "x", **look)
    axes.set(xlabel="x" if is_curve else "row", ylabel="y")
    axes.legend()
    word = "complexity" if result["model"] == "complexity" else "objective"
    title = f"{word} {styled(result['objective'], '.3g', 'none')}, {data.rows} points"
    axes.set_title(title if right else f"{heading(result)}, {title}")
    if cells:
        # the bound with the standard error of the complexity, against A
        chosen = cells[result["chosen"]["bound"]]
        line = sorted((c for c in cells if c["gamma"] == chosen["gamma"]), key=lambda c: c["A"])
        A, bounds, errors = (
            [cell[key] for cell in line] for key in ("A", "bound", "standard_error")
        )
        right[0].errorbar(A, bounds, yerr=errors, color=FIRST, marker="o")
        right[0].axvline(chosen["A"], color=GREY, linewidth=0.8)
        if A[0] > 0:
            right[0].set_xscale("log")
        delta = result["params"]["delta"]
        right[0].set(xlabel="A", ylabel=f"bound over {len(cells)} classes, delta {delta:g}")
        right[0].set_title(f"chosen: gamma {chosen['gamma']:.3g}, A {chosen['A']:.3g}, an estimate")
    elif right:
        draw_convergence(right[0], result)
    return figure


SVR: Wiring[settings.SVR, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_svr,
    recompute=recompute_svr,
    predictor=KernelRegressor.from_dict,
    describe=regression_lines,
    plot=draw,
    terms=TERMS,
    form=svr_form,
    load=load_svr,
)
COMPLEXITY: Wiring[settings.Complexity, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_complexity,
    recompute=recompute_complexity,
    predictor=KernelRegressor.from_dict,
    describe=complexity_lines,
    plot=draw,
    terms=TERMS,
    form=svr_form,
)
SRM: Wiring[settings.SRM, Dataset] = Wiring(
    kinds=("regression",),
    read=read_regression,
    fit=fit_srm,
    recompute=recompute_srm,
    predictor=KernelRegressor.from_dict,
    describe=srm_lines,
    plot=draw,
)
