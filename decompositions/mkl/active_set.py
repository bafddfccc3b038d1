"""Support vector machines by active sets, from the dual point of a machine nearby."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from radprog.base.types import FloatArray, IntArray
from radprog.models.lapack import factored, principal

WARM_RIDGE = 1e-13  # of a warm machine's kernel, relative to the mean of its diagonal

WARM_STEPS = 6
COLD_STEPS = 15  # from a point that knows nothing of the solution, where 5 to 10 are usual


def solve_svm_warm(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    start: FloatArray,
    *,
    bias: bool = True,
    steps: int = WARM_STEPS,
) -> FloatArray | None:
    """max 1'a - 1/2 a'(yy' o K)a, 0 <= a <= C, y'a = 0 with a bias, by the primal-dual active set
    method from a point ``start`` (n,): a (n,). K (n, n), y (n,) in {-1, +1}, C a number or (n,).

    Every step guesses which a_i are at 0, at C and free, and solves for the free ones; where the
    guess repeats, it is the solution to rounding errors. Near the solution two or three steps do.
    Not checked, and None where a linear system fails: the value of the point says what it is worth.
    """
    a, free, upper = start, np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
    ridge = WARM_RIDGE * float(np.trace(K)) / len(y)
    scores = K @ (y * a)
    inside = (a > 0) & (a < C)
    offsets = (y - scores)[inside] if bias else np.zeros(0)
    b = float(np.partition(offsets, len(offsets) // 2)[len(offsets) // 2]) if len(offsets) else 0.0
    for _ in range(steps):
        push = a + (1.0 - y * (scores + b)) / np.maximum(K.diagonal(), ridge)
        known, free, upper = (free, upper), (push > 0) & (push < C), push >= C
        if not free.any():
            return None
        if len(known[0]) and (free == known[0]).all() and (upper == known[1]).all():
            break
        z = np.where(upper, C * y, 0.0)
        sides = np.column_stack([y - K @ z, np.ones(len(y))])[free]
        solved = _ridged(K, np.flatnonzero(free), ridge, sides)
        if solved is None:
            return None
        b = float((solved[:, 0].sum() + z.sum()) / solved[:, 1].sum()) if bias else 0.0
        z[free] = solved[:, 0] - b * solved[:, 1]
        a, scores = y * z, K @ z
    return np.clip(a, 0.0, C) if np.isfinite(a).all() else None


def _ridged(K: FloatArray, free: IntArray, ridge: float, right: FloatArray) -> FloatArray | None:
    """(K + ridge I)^-1 right (f, l) among the ``free`` of n points, or None without a factor."""
    A = principal(K, free)
    A.flat[:: len(A) + 1] += ridge
    factor = factored(A)
    if factor is None:
        return None
    return np.asarray(linalg.cho_solve((factor, True), right, check_finite=False))
