"""Descriptions for LPBoost over shapelets: rows and columns, multipliers, results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from radprog.base.sections import Table
from radprog.telling.results import class_lines, classification_test, compression, per_row, theory
from radprog.wiring import Values, read_terms

TERMS = read_terms("lpboost", "terms")


def hypothesis(number: int, *, points: Sequence[str], iterate: Values) -> str:
    """The description of the shapelet with index ``number``.

    For each length, ``windows`` of the iterate contains [length, number per row]. If the family is
    not plain, it also contains the family. The first half of the indices is for shapelets with the
    sign +, the second half for the sign -.
    """
    windows = iterate.get("windows", [])
    sizes = [len(points) * count for _, count, *_ in windows]
    if not sizes:
        return f"hypothesis {number}"
    # number: sign, then length and family, then series and start
    sign, place = divmod(number, sum(sizes))
    for (length, count, *family), size in zip(windows, sizes, strict=True):
        if place < size:
            row, start = divmod(place, count)
            of = " ".join(map(str, [length, *family]))
            what = f"shapelet of {of} at {start} of {points[row]}"
            return f"minus {what}" if sign else what
        place -= size
    return f"hypothesis {number}"


def multipliers(result: Values) -> Iterator[Table]:
    """A table of the dual point: the weights d of the rows."""
    return per_row(result, "d", "Price of each example's margin: its multiplier")


def ensemble_lines(result: Values) -> list[str]:
    """Lines with sparsity, pattern lengths and test error of boosted shapelets."""
    fit = result["fit"]
    features = f", {fit['features']} features" if "features" in fit else ""
    lines = [f"fit        {fit['hypotheses']} hypotheses{features}"]
    if "nonzero" in fit:
        lines[0] += (
            f", {fit['nonzero']} of {fit['nonzero_of']} coefficients not zero "
            f"({100 * fit['nonzero_share']:.2g} %)"
        )
    if "machines" in result:
        lines += class_lines(result, "gamma", lambda fit: f"{fit['hypotheses']} hypotheses")
    else:
        lines[0] += f", training error {100 * fit['training_error']:.2f} %"
        parts = fit.get("lengths", ())
        lengths = ", ".join(
            f"{part['length']} points{_of(part)} {part['weight']:.3g}"
            + ("" if part["sigma"] is None else f" (sigma {part['sigma']:g})")
            for part in parts
        )
        lines += [f"weight     {lengths}"] if parts else []
        lines += theory(result.get("bounds", []))
        lines += compression(result.get("compression"))
    return [*lines, *classification_test(result)]


def _of(part: Values) -> str:
    """The text `` of FAMILY``; empty for plain patterns."""
    return f" of {part['family']}" if "family" in part else ""
