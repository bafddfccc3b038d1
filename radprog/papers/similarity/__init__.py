"""Discriminative similarity: wiring."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.sections import amount, bounded
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.run import Run
from radprog.decompositions.similarity.cdsk import (
    cdsk_classes,
    fit_cdsk,
    load_cdsk,
    recompute_cdsk,
)
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.decompositions.similarity.forms import similarity_form
from radprog.decompositions.similarity.grid import choose_clustering, choose_propagation
from radprog.decompositions.similarity.lpdsk import fit_lpdsk, load_lpdsk, recompute_lpdsk
from radprog.decompositions.similarity.report import agreement_block
from radprog.decompositions.similarity.simsvm import (
    fit_simsvm,
    load_simsvm,
    prove_simsvm,
    recompute_simsvm,
    simsvm_classes,
    simsvm_form,
)
from radprog.instances.dataset import Dataset, read, read_partly_labelled
from radprog.models.similarity import settings
from radprog.telling import agreement, expansion_lines, per_row
from radprog.wiring import Values, Wiring, read_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TERMS = read_terms("similarity", "terms")
SIMSVM_TERMS = read_terms("similarity", "simsvm")


def _similarity_lines(result: Values, matched: str) -> list[str]:
    fit = result["fit"]
    sizes, boxed = ", ".join(map(str, fit["sizes"])), ""
    nouns = ("class", "classes") if matched == "classes" else ("cluster",)
    if fit.get("box") is not None:
        boxed = f", each at most {bounded(fit['box'], '.4g')}"
    lines = [
        f"fit        {amount(fit['clusters'], *nouns)} of sizes {sizes}, "
        f"weights on {amount(fit['support'], 'point')}{boxed}",
    ]
    if (value := fit.get("labelled_objective")) is not None and result["method"] != "exact":
        number = "25" if result["params"].get("similarity") else "12"
        number = "18) + lam1 (19" if result["params"].get("objective") == "ise" else number
        lines.append(
            f"labelled   ({number}) at these labels is {value:.7g}; objective: a relaxation"
        )
    if fit["cut"] is not None:
        ratio, k = fit["cut_ratio"], fit.get("neighbours")
        cut = f" (at most {bounded(ratio, '.3g')} times the least of these sizes)" * bool(ratio)
        graph = "" if k is None else f", of the {k} nearest neighbours of every point"
        lines.append(f"graph      cut {fit['cut']:.4g}{cut}{graph}")
    lines += [
        f"theory     {bound['name']}: {bounded(bound['value'], '.3g')}"
        + f" (vacuous{'' if bound['value'] >= 1.0 else ': 0 or more is'})" * bound["vacuous"]
        + ", a criterion only: labels and weights were chosen with it"
        for bound in result.get("bounds", [])
    ]
    if fit["classifier_agreement"] is not None:
        lines.append(
            f"predictor  h(x, y) gives {100 * fit['classifier_agreement']:.1f} % of these rows "
            "their label"
        )
    return lines


def clustering_lines(result: Values) -> list[str]:
    """Lines with clusters, cut, and agreement by one-to-one matching."""
    fit, *further = _similarity_lines(result, "clusters")
    classes, label = len(result["data"]["labels"] or ()), result["data"]["reading"].get("label")
    # the last column is read as classes by default
    taken = f"classes    {classes} in the label column ({label})"
    if label == "last":
        taken += "; if it is a feature: `label='none'` with `clusters`"
    matched = " (matched one to one)" if classes else ""
    agreed = f"agreement  {agreement(result['fit'])}{matched}"
    return [fit, *([taken] if classes and label else []), agreed, *further]


def propagation_lines(result: Values) -> list[str]:
    """Lines with the classes of all rows, the cut, and the rows without any label."""
    lost = len(result["fit"]["unreached"])
    lines = _similarity_lines(result, "classes")
    return [*lines, f"unreached  {lost} rows in parts without any label"] if lost else lines


def draw(result: dict[str, Any], run: Run | None, data: Dataset | None) -> Figure:
    """Draw the points by label, and the convergence.

    Without ``data``, the relaxed labels are drawn in place of the points. Points of ``lpdsk`` with
    a known label have a ring.
    """
    from matplotlib.figure import Figure

    from radprog.figures import (
        GREY,
        MARKERS,
        PALETTE,
        coordinates,
        draw_convergence,
        heading,
        literal,
        moves,
        principal,
    )

    fit = result["fit"]
    labels = np.asarray(fit["labels"], dtype=np.intp)
    # the convergence is left out if nothing changes
    traced = moves(result)
    figure = Figure(figsize=(10 if traced else 5.5, 4), layout="constrained")
    axes, *panels = figure.subplots(1, 1 + traced, squeeze=False)[0]
    # the points, or their relaxed labels, in the plane; points without a cluster are grey dots
    drawn = data is not None and data.X.shape[1] > 0
    relaxed = np.asarray(fit.get("embedding", fit.get("shares")))
    places, along = coordinates(data.X) if data is not None and drawn else principal(relaxed)
    axes.plot(*places[labels < 0].T, ".", color=GREY, markersize=3)
    # classes have names if labels were given
    classes = result["model"] == "lpdsk"
    has_names = classes and data is not None
    for k in np.unique(labels[labels >= 0]).tolist():
        look = {"marker": MARKERS[k % len(MARKERS)], "color": PALETTE[k % len(PALETTE)]}
        look |= {"label": literal(data.labels[k])} if has_names and data is not None else {}
        axes.plot(*places[labels == k].T, linestyle="", markersize=4, fillstyle="none", **look)
    if has_names and data is not None:
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidth": 1.8}
        label = f"{data.known.sum()} known labels"
        axes.scatter(*places[data.known].T, s=70, label=label, zorder=3, **ring)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=4)
    # the first six sizes
    sizes = np.bincount(labels[labels >= 0]).tolist()
    sizes_text = ", ".join(map(str, sizes[:6])) + ", ..." * (len(sizes) > 6)
    nouns = ("class", "classes") if classes else ("cluster",)
    title = f"{amount(len(sizes), *nouns)} of {sizes_text} points"
    title = title if drawn else f"relaxed labels: {title}"
    axes.set(xlabel=along[0], ylabel=along[1], title=title)
    if traced:
        draw_convergence(panels[0], result)
    else:
        axes.set_title(f"{heading(result)}\n{title}")
    return figure


# the weights of the points are a distribution over them, not multipliers
WEIGHTS = partial(
    per_row, key="a", title="Weight of each point in the similarity", what="weight", of="point"
)

CDSK: Wiring[settings.CDSK, Dataset] = Wiring(
    kinds=("partly_labelled",),
    read=read_partly_labelled,
    fit=fit_cdsk,
    recompute=recompute_cdsk,
    predictor=KernelClassifier.from_dict,
    test=partial(agreement_block, matched=True),
    describe=clustering_lines,
    plot=draw,
    multipliers=WEIGHTS,
    terms=TERMS,
    form=similarity_form,
    load=load_cdsk,
    classes=cdsk_classes,
    choose=choose_clustering,
)
LPDSK: Wiring[settings.LPDSK, Dataset] = Wiring(
    kinds=("partly_labelled",),
    read=read_partly_labelled,
    fit=fit_lpdsk,
    recompute=recompute_lpdsk,
    predictor=KernelClassifier.from_dict,
    test=partial(agreement_block, matched=False),
    describe=propagation_lines,
    plot=draw,
    multipliers=WEIGHTS,
    terms=TERMS,
    form=similarity_form,
    load=load_lpdsk,
    choose=choose_propagation,
)
SIMSVM: Wiring[settings.SimSVM, Dataset] = Wiring(
    kinds=("dataset",),
    read=read,
    fit=fit_simsvm,
    recompute=recompute_simsvm,
    predictor=KernelExpansion.from_dict,
    describe=expansion_lines,
    multipliers=partial(per_row, key="mu"),
    terms=SIMSVM_TERMS,
    form=simsvm_form,
    load=load_simsvm,
    classes=simsvm_classes,
    prove=prove_simsvm,
)
