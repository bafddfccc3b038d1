"""Descriptions for voted kernels and support vector machines: rows and columns, multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from radprog.base.sections import Table
from radprog.telling.results import per_row, score_row
from radprog.wiring import Label, Values, read_terms

TERMS = read_terms("vkr", "terms")
SVM_TERMS = read_terms("vkr", "svm")


LABELS: Mapping[str, Label] = {
    "score_row": score_row,
    "family_cap": lambda number, *, points, iterate: str(iterate["family_caps"][number]),
}


def multipliers(result: Values) -> Iterator[Table]:
    """Tables of the dual point d and the primal point alpha."""
    yield from per_row(result, "d")
    points = result["certificate"]
    # coefficients by size, each with its kernel and the row of its centre
    pairs, alpha = points.get("pairs"), points.get("alpha")
    if pairs and alpha and len(pairs) == len(alpha):
        names = result["fit"]["kernels"]
        rows = result["fit"].get("centre_rows")
        order = np.argsort(-np.abs(np.asarray(alpha, dtype=np.float64)), kind="stable")
        yield Table(
            title="Largest coefficients",
            head=("kernel", "centre", "coefficient"),
            rows=[
                (names[pairs[i][0]], (rows[pairs[i][1]] if rows else pairs[i][1]) + 1, alpha[i])
                for i in order.tolist()
            ],
            note=f"{len(alpha)} coefficients are not 0",
        )
