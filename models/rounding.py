"""Sums with bounds on their rounding errors. With these bounds certificates are valid in exact
arithmetic.

A sum of n products in a format of unit roundoff u, added in chunks of 64 and then chunk by
chunk, has an error of at most  g sum |a_i x_i|,  g = k u / (1 - k u),  k = 64 + n / 64 + 3
(one rounding of each product, the additions of its chunk, those of the chunks, and two to spare).
The format is numpy's longdouble: 64 bits of mantissa on x86, a float's 53 elsewhere. The bound
applies to the current format.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray

EXTENDED_ROUNDOFF = float(np.finfo(np.longdouble).eps) / 2.0


def products(A: FloatArray, x: FloatArray) -> tuple[NDArray[np.longdouble], FloatArray]:
    """The product A @ x (n,) in extended precision, and a bound on the error of each entry (n,).

    A is (n, r), and x is (r,). The current limits are polled between blocks of rows.
    """
    chunk = 64
    n, r = A.shape
    chunks = -(-r // chunk)
    values, sizes = np.zeros(n, dtype=np.longdouble), np.zeros(n)
    wide, lengths = x.astype(np.longdouble), np.abs(x)
    # blocks of rows; in each the chunks of the bound's derivation
    rows = max(1, 2**20 // max(1, r))  # products held at once: 8 MiB
    for start in range(0, n, rows):
        poll()
        block = A[start : start + rows]
        total = np.zeros(len(block), dtype=np.longdouble)
        for offset in range(0, r, chunk):
            part = slice(offset, offset + chunk)
            total += np.dot(block[:, part].astype(np.longdouble), wide[part])
        values[start : start + rows] = total
        sizes[start : start + rows] = np.einsum("ij,j->i", np.abs(block), lengths)  # in floats
    k = chunk + chunks + 3
    grown = k * EXTENDED_ROUNDOFF / (1.0 - k * EXTENDED_ROUNDOFF)
    return values, sizes * (grown * (1.0 + (r + 4) * UNIT_ROUNDOFF))


def up(value: float, roundings: int = 1) -> float:
    """An upper bound on the number from which ``roundings`` relative roundings by UNIT_ROUNDOFF
    give ``value``; 0 for 0."""
    if value == 0.0:
        return 0.0
    return math.nextafter(value + abs(value) * roundings * UNIT_ROUNDOFF, math.inf)


def down(value: float, roundings: int = 1) -> float:
    """A lower bound on the number from which ``roundings`` relative roundings by UNIT_ROUNDOFF
    give ``value``; 0 for 0."""
    return -up(-value, roundings)


def dot_up(x: FloatArray, values: NDArray[np.longdouble], errors: FloatArray) -> float:
    """An upper bound on x't for all t within ``errors`` (n,) of ``values`` (n,); infinite on
    overflow."""
    # leading parts as floats, and what they leave: a sum of floats is then rounded once
    terms = x * values
    if not np.abs(terms).sum() <= np.finfo(np.float64).max:
        return math.inf
    leading = terms.astype(np.float64)
    remainder = (terms - leading).astype(np.float64)  # exact: what a float's mantissa leaves
    doubt = np.abs(x) * errors + 2.0 * EXTENDED_ROUNDOFF * np.abs(leading)
    return sum_up(np.concatenate([leading, remainder, doubt * (1.0 + 8.0 * UNIT_ROUNDOFF)]))


def sum_up(terms: FloatArray) -> float:
    """An upper bound on the sum of the terms (n,): the number after the correctly rounded sum."""
    total = math.fsum(terms.tolist())
    return total if total == 0.0 else math.nextafter(total, math.inf)


def sum_down(terms: FloatArray) -> float:
    """A lower bound on the sum of the terms (n,)."""
    return -sum_up(-terms)


def hinge_up(
    margins: NDArray[np.longdouble], errors: FloatArray, costs: FloatArray | None = None
) -> float:
    """An upper bound on sum_i c_i max(0, 1 - t_i) for all t near ``margins`` (n,).

    Each t_i is within ``errors`` (n,) of its margin. ``costs`` are c (n,) >= 0, by default 1.
    """
    # losses that are floats are exact, all others are rounded up
    losses = np.maximum(0.0, 1.0 - margins)
    exact = losses.astype(np.float64)
    rough = (errors > 0.0) | (exact != losses)
    raised = np.maximum(0.0, 1.0 - margins[rough] + errors[rough])
    exact[rough] = np.nextafter(raised.astype(np.float64), np.inf)  # a float above, not rounded to
    if costs is not None:
        exact = np.nextafter(exact * costs, np.inf, where=exact > 0.0, out=np.zeros(len(exact)))
        return sum_up(exact)
    total = math.fsum(exact.tolist())
    return math.nextafter(total, math.inf) if rough.any() else total
