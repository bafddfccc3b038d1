"""Descriptions for discriminative similarity: rows and columns, weights, multipliers, results."""

from __future__ import annotations

from collections.abc import Iterator

from radprog.base.sections import Table
from radprog.telling.results import per_row
from radprog.wiring import Values, read_terms

TERMS = read_terms("similarity", "terms")
SIMSVM_TERMS = read_terms("similarity", "simsvm")
LAST = "last"  # the default column of the labels


def point_weights(result: Values) -> Iterator[Table]:
    """A table of the weights a of the points: a distribution over them, not multipliers."""
    return per_row(result, "a", "Weight of each point in the similarity", "weight", "point")


def simsvm_multipliers(result: Values) -> Iterator[Table]:
    """A table of the multipliers mu of the dual point. The classifier's coefficients are a."""
    return per_row(result, "mu", "Multiplier of each example's margin constraint")


def _agreement(block: Values) -> str:
    accuracy, nmi = block["accuracy"], block["nmi"]
    if accuracy is None:
        return "none: the rows have no classes to compare with"
    return f"accuracy {100 * accuracy:.1f} %, NMI {nmi:.3f}"


def _boxed(fit: Values) -> str:
    return "" if fit.get("box") is None else f", each at most {fit['box']:.4g}"


def _similarity_lines(result: Values, matched: str) -> list[str]:
    fit, test = result["fit"], result["test"]
    ratio = fit["cut_ratio"]
    cut = "" if ratio is None else f" (at most {ratio:.3g} times the least of these sizes)"
    lines = [
        f"fit        {fit['clusters']} {matched} of sizes {', '.join(map(str, fit['sizes']))}, "
        f"weights on {fit['support']} points{_boxed(fit)}",
    ]
    if fit["cut"] is not None:
        k = fit.get("neighbours")
        of = "" if k is None else f", of the {k} nearest neighbours of every point"
        lines.append(f"graph      cut {fit['cut']:.4g}{cut}{of}")
    lines += [
        f"theory     {bound['name']}: {bound['value']:.3g}"
        + (" (vacuous)" if bound["vacuous"] else "")
        + ", a criterion only: labels and weights were chosen with it"
        for bound in result.get("bounds", [])
    ]
    if fit["classifier_agreement"] is not None:
        lines.append(
            f"predictor  h(x, y) gives {100 * fit['classifier_agreement']:.1f} % of these rows "
            "their label"
        )
    if test is not None:
        lines.append(f"test       {_agreement(test)}, {test['rows']} rows")
    return lines


def clustering_lines(result: Values) -> list[str]:
    """Lines with clusters, cut, and agreement by one-to-one matching."""
    fit, *others = _similarity_lines(result, "clusters")
    classes, label = len(result["data"]["labels"] or ()), result["data"]["reading"].get("label")
    # the last column is read as classes by default
    taken = f"classes    {classes} in the label column ({label})"
    if label == LAST:
        taken += "; if it is a feature: `label='none'` with `clusters`"
    matched = " (matched one to one)" if classes else ""
    agreement = f"agreement  {_agreement(result['fit'])}{matched}"
    return [fit, *([taken] if classes and label else []), agreement, *others]


def propagation_lines(result: Values) -> list[str]:
    """Lines with the classes of all rows, the cut, and the rows without any label."""
    lost = len(result["fit"]["unreached"])
    lines = _similarity_lines(result, "classes")
    return [*lines, f"unreached  {lost} rows in parts without any label"] if lost else lines
