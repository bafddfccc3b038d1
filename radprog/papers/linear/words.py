"""Descriptions for linear models: rows and columns, multipliers, results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from radprog.base.sections import Table
from radprog.telling.results import class_lines, classification_test, score_row
from radprog.wiring import Label, Values, read_terms

MOST_SHOWN = 20  # features of a result

TERMS = read_terms("linear", "terms")
LABELS: Mapping[str, Label] = {"score_row": score_row}


def linear_lines(result: Values) -> list[str]:
    """Lines with features, norm and training error, then the test error."""
    if "machines" in result:
        return [*class_lines(result, "objective", _fit), *classification_test(result)]
    lines, test = [f"fit        {_fit(result['fit'])}"], result["test"]
    if test is None or "mae" not in test:
        return [*lines, *classification_test(result)]
    below = ""
    if result["params"].get("loss") == "quantile" and "below" in test:
        below = f", {100 * test['below']:.2f} % of them at or below the prediction"
    error = f"mean absolute error {test['mae']:.6g}"
    return [*lines, f"test       {error}, {test['rows']} rows{below}"]


def _fit(fit: Values) -> str:
    error = (
        f"training error {100 * fit['training_error']:.2f} %"
        if "training_error" in fit
        else f"mean absolute error {fit['mae']:.6g}"
    )
    # without features the prediction is a constant
    none = "" if fit["coefficients"] else " (a lower --beta keeps more)"
    return f"{fit['coefficients']} features{none}, norm {fit['norm']:.6g}, {error}"


def multipliers(result: Values) -> Iterator[Table]:
    """The largest coefficients."""
    points = result["certificate"]
    features, w = points.get("features"), np.asarray(points.get("w") or (), dtype=np.float64)
    if features:
        order = np.argsort(-np.abs(w), kind="stable")[:MOST_SHOWN].tolist()
        yield Table(
            title="Largest coefficients",
            head=("feature", "coefficient"),
            rows=[(features[i], float(w[i])) for i in order],
            note=f"{len(w)} coefficients are not 0; features are counted from 0",
        )
