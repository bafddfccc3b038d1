"""Voted kernels and support vector machines in words: rows and columns, multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from radprog.base.sections import Table
from radprog.telling.results import per_row, score_row
from radprog.wiring import Label, Term, Values

TERMS: Mapping[str, Term] = {
    "margin": Term("margin of {point}", "weight d of the example: cost of a unit more of margin"),
    "norm_budget": Term("norm budget sum |alpha|", "gain of a unit of norm: -beta in (1)"),
    "correlation": Term("edge of {kernel} at {centre}", "alpha, the coefficient of the column"),
    "alpha_plus": Term("+ {kernel} at {centre}", "price less edge: what keeps the column out"),
    "alpha_minus": Term("- {kernel} at {centre}", "price plus edge: what keeps the column out"),
    "shortfall": Term("hinge loss of {point}", "1/m less the weight d of the example"),
    "weight": Term("weight d of {point}", "at 0: margin beyond 1, at 1/m: hinge loss"),
    "miss": Term("margin error of {point}", "cost of one more error"),
    "score_row": Term("{score_row}", "of a unit more of the bound: minus what it saves"),
    "family_cap": Term("{family_cap}", "of a unit more of the cap: minus what it saves"),
    "row_price": Term("price of: {score_row}", "slack of the constraint"),
    "cap_price": Term("price of: {family_cap}", "slack of the cap"),
    "correlation_below": Term("edge of {kernel} at {centre}, other sign", "minus its coefficient"),
}
SVM_TERMS: Mapping[str, Term] = {
    "balance": Term("balance of the classes", "the bias b"),
    "row_price": Term("price of: {score_row}", "slack of the constraint"),
    "a": Term("multiplier of {point}", "at 0: margin beyond 1, at C: hinge loss"),
}


def _family_cap(number: int, *, points: Sequence[str], iterate: Values) -> str:
    return str(iterate["family_caps"][number])


LABELS: Mapping[str, Label] = {"score_row": score_row, "family_cap": _family_cap}


def multipliers(result: Values) -> Iterator[Table]:
    """d, the dual point, and alpha, the primal one."""
    yield from per_row(result, "d", "Price of each example's margin: its multiplier")
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


def svm_multipliers(result: Values) -> Iterator[Table]:
    """a, the dual point."""
    return per_row(result, "a", "Multiplier of each example's margin constraint")
