"""Descriptions for linear models: rows and columns, multipliers, results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from radprog.base.sections import Table
from radprog.instances.tables import shown
from radprog.telling.results import class_lines, score_row
from radprog.wiring import Label, Values, read_terms

TERMS = read_terms("linear", "terms")
LABELS: Mapping[str, Label] = {"score_row": score_row}


def linear_lines(result: Values) -> list[str]:
    """Lines with features, norm and training error."""
    if "machines" in result:
        return class_lines(result, "objective", _fit)
    fit = result["fit"]
    # the six largest coefficients are shown
    lines, named = [f"fit        {_fit(fit)}"], fit.get("largest", ())[:6]
    if named:
        more = fit["coefficients"] - len(named)
        largest = ", ".join(f"{shown(name) or repr(name)} {w:.4g}" for name, w in named)
        lines.append(f"weights    {largest}" + (f", and {more} more" if more else ""))
    return lines


def _fit(fit: Values) -> str:
    error = (
        f"training error {100 * fit['training_error']:.2f} %"
        if "training_error" in fit
        else f"mean absolute error {fit['mae']:.6g}"
    )
    # without features the prediction is a constant
    none = "" if fit["coefficients"] else " (a lower `beta` keeps more)"
    count = fit["coefficients"]
    return f"{count} feature{'s' * (count != 1)}{none}, norm {fit['norm']:.6g}, {error}"


def multipliers(result: Values) -> Iterator[Table]:
    """A table of the largest coefficients."""
    fit = result["fit"]
    if fit.get("largest"):
        yield Table(
            title="Largest coefficients",
            head=("feature", "coefficient"),
            rows=[(shown(name), w) for name, w in fit["largest"]],
            note=f"{fit['coefficients']} coefficients are not 0",
        )
