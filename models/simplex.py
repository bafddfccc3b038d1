"""The simplex with upper bounds of its entries."""

from __future__ import annotations

import numpy as np

from radprog.base.types import FloatArray


def project(v: FloatArray, upper: float | FloatArray) -> FloatArray:
    """The point of {0 <= a <= upper, 1'a = 1} nearest to v (n,): clip(v - t, 0, upper).

    ``upper`` is one number or (n,). The sum of the entries is piecewise linear in t, so Newton's
    method computes t exactly.
    """
    # Newton's method on the sum, between the t at which all entries are at their upper bounds or 0:
    # 500 entries 48 us, 130 by bisection of the sorted kinks
    low, high = float((v - upper).min()), float(v.max())
    t = min(max((float(v.sum()) - 1.0) / len(v), low), high)
    while True:
        shifted = v - t
        a = _clipped(shifted.copy(), upper)
        # what the sum lacks; its slope is the number of entries inside the box
        missing = 1.0 - float(a.sum())
        inside = int(np.count_nonzero(a == shifted))
        shift = missing / inside if inside else 0.0
        low, high = (t, high) if missing < 0 else (low, t)
        following = t - shift if low < t - shift < high else 0.5 * (low + high)
        if abs(missing) <= 1e-15 or not low < following < high:
            break
        t = following
    a = _clipped(shifted + shift, upper)
    # rounding: the sum is 1, and no entry leaves the box
    total = float(a.sum())
    return np.minimum(a / total, upper) if total > 0 else np.full(len(v), 1.0 / len(v))


def _clipped(v: FloatArray, upper: float | FloatArray) -> FloatArray:
    """v clipped to [0, upper] in place; np.clip takes four times as long for 1000 numbers."""
    np.maximum(v, 0.0, out=v)
    return np.minimum(v, upper, out=v)
