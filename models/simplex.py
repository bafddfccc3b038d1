"""The simplex with upper bounds of its entries."""

from __future__ import annotations

import numpy as np

from radprog.base.types import FloatArray


def project(v: FloatArray, upper: float | FloatArray) -> FloatArray:
    """The point of {0 <= a <= upper, 1'a = 1} nearest to v (n,): clip(v - t, 0, upper).

    ``upper`` is one number or (n,). The sum of the entries is piecewise linear in t, with kinks at
    v and v - upper, so t is computed exactly.
    """
    # bisection over the kinks: the last at which the sum is 1 or more
    kinks = np.sort(np.concatenate([v, v - upper]))
    low, high = 0, len(kinks) - 1  # the sum is that of upper, >= 1, at the first, 0 at the last
    while high - low > 1:
        middle = (low + high) // 2
        if _clipped(v - kinks[middle], upper).sum() >= 1.0:
            low = middle
        else:
            high = middle
    # from there the entries strictly inside the box share what is too much
    left = v - kinks[low]
    inside = (v >= kinks[high]) & (v - upper <= kinks[low])
    excess = float(_clipped(left.copy(), upper).sum()) - 1.0
    shift = excess / inside.sum() if inside.any() and excess > 0 else 0.0
    a = _clipped(left - shift, upper)
    # rounding: the sum is 1, and no entry leaves the box
    total = float(a.sum())
    return np.minimum(a / total, upper) if total > 0 else np.full(len(v), 1.0 / len(v))


def _clipped(v: FloatArray, upper: float | FloatArray) -> FloatArray:
    """v clipped to [0, upper] in place; np.clip takes four times as long for 1000 numbers."""
    np.maximum(v, 0.0, out=v)
    return np.minimum(v, upper, out=v)
