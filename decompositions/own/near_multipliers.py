"""Multipliers of a restricted program between those of its optimum and the best known."""

from __future__ import annotations

import numpy as np

from radprog.base.types import FloatArray
from radprog.solvers.dense.nearest import nearest_point
from radprog.solvers.program import Program


def near_multipliers(program: Program, centre: FloatArray, level: float) -> FloatArray | None:
    """The multipliers y = p - q (m,) nearest to ``centre`` (m,) at which a linear program's dual is
    at least ``level``; None where none was found.

        min |p - max(centre, 0)|^2 + |q - max(-centre, 0)|^2
        over cost - A'(p - q) = l - u,
             constant + row_lower'p - row_upper'q + lower'l - upper'u >= level,
             p, q, l, u >= 0, each 0 where its side is infinite.

    l is written out, and u where a column has one bound alone. The program's own multipliers are in
    this set for any level up to its optimum.
    """
    lower, upper, cost, m = program.lower, program.upper, program.cost, len(program.row_lower)
    both = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper))
    one = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    p = np.flatnonzero(np.isfinite(program.row_lower))
    q = np.flatnonzero(np.isfinite(program.row_upper))
    columns, activity = program.rows.T.toarray(), program.rows @ one
    gain = np.concatenate(
        [
            program.row_lower[p] - activity[p],
            activity[q] - program.row_upper[q],
            (lower - upper)[both],
        ]
    )
    matrix = np.hstack([columns[:, p], -columns[:, q], -np.eye(len(cost))[:, both]])
    least = np.where(np.isinf(lower), cost, -np.inf)
    most = np.where(np.isinf(lower) & np.isfinite(upper), np.inf, cost)
    target = level - program.constant - float(one @ cost)
    found = nearest_point(
        np.concatenate([np.maximum(centre, 0.0)[p], np.maximum(-centre, 0.0)[q], both * 0.0]),
        np.repeat([1.0, 0.0], [len(p) + len(q), len(both)]),
        np.vstack([matrix, gain]),
        (np.append(least, target), np.append(most, np.inf)),
        (np.zeros(len(gain)), np.full(len(gain), np.inf)),
    )
    if found is None:
        return None
    y = np.zeros(m)
    y[p] += found[: len(p)]
    y[q] -= found[len(p) : len(p) + len(q)]
    return y
