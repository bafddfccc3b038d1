"""Exact solvers of linear programs that share nothing with the package: Lemke's method, and
QSopt_ex (``esolver`` of the Debian package qsopt-ex), which reads fractions."""

from fractions import Fraction
from typing import Any

from exact_programs import Small, truth_of


def by_lemke(program: Any) -> Fraction:
    """The optimum by Lemke's method over fractions."""
    rows = zip(program.rows.toarray(), program.row_lower, program.row_upper, strict=True)
    small = Small(
        cost=tuple(map(float, program.cost)),
        lower=tuple(map(float, program.lower)),
        upper=tuple(map(float, program.upper)),
        rows=tuple((tuple(map(float, a)), float(low), float(high)) for a, low, high in rows),
    )
    truth = truth_of(small)
    assert truth.status == "optimal"
    return truth.value
