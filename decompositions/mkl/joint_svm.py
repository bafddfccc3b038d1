"""The value J for the joint hinge loss, by an interior-point method with k factorisations of n x n
matrices in each step.
"""

from __future__ import annotations

import numpy as np

from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.models.mkl.joint import JointSystem

MOST_STEPS = 60
STALLED_STEPS = 6  # without a smaller gap: rounding has the last word
START_SHARE = 0.5  # of the way from z = 0 at which the start is at most
LEAST_SLACK = 0.1  # of the start
INSIDE = 0.995  # of the step to the boundary


def solve_joint(
    K: FloatArray, own: FloatArray, costs: FloatArray, *, bias: bool, accuracy: float
) -> tuple[FloatArray, FloatArray]:
    """Dual points z (k, n) and biases (k,) of the joint hinge loss, to a relative gap ``accuracy``.

    Because of rounding errors the gap may be larger. K is (n, n). ``own`` (k, n) is 1 for the class
    of each point and 0 otherwise, and ``costs`` (n,) are positive. The program is that of
    :mod:`radprog.models.mkl.joint`. Predictor and corrector steps (Mehrotra) stay feasible.
    """
    # strictly inside: the best multiple of d minus its mean over classes, and slacks from below
    d = own * costs
    shares = d.sum(axis=1) / costs.sum()
    away = d - np.multiply.outer(shares, costs)
    images = away @ K
    curve = float((away * images).sum())
    t = START_SHARE if curve <= 0 else min(START_SHARE, float((away * own).sum()) / curve)
    p, b = d - t * away, np.zeros(len(d))
    m = own - t * images
    low = m.min(axis=0) - LEAST_SLACK * max(1.0, float(np.ptp(m)))
    # products p s at least their mean: 0 of 96 programs fail, 2 without
    s = m - low
    s = np.maximum(s, float((p * s).mean()) / p)
    best, least, last = (d - p, b), np.inf, 0
    for step in range(MOST_STEPS):
        poll()
        # primal and dual values of z = d - p with the biases b
        z = d - p
        f = z @ K
        half = 0.5 * float((z * f).sum())
        f += b[:, None]
        losses = (f - own).max(axis=0) + 1.0 - (f * own).sum(axis=0)
        objective = half + float(costs @ losses)
        gap = (objective - (float((z * own).sum()) - half)) / objective
        if gap < least:
            best, least, last = (z, b), gap, step
        if least <= accuracy or step - last >= STALLED_STEPS or not np.isfinite(gap):
            break
        # predictor: to complementarity 0
        system = JointSystem(K, p / s, bias=bias)
        residual = own - f - low - s
        dp, _, _ = system(-residual - s)
        ds = -s - s / p * dp
        mean = float((p * s).mean())
        reached = float(((p + _step(p, dp) * dp) * (s + _step(s, ds) * ds)).mean())
        # corrector: to a share of the mean product, with its second-order term
        aim = ((reached / mean) ** 2 * mean - dp * ds) / p
        dp, dl, db = system(-residual - s + aim)
        ds = aim - s - s / p * dp
        step_size = INSIDE * min(_step(p, dp), _step(s, ds))
        p, s = p + step_size * dp, s + step_size * ds
        low, b = low + step_size * dl, b + step_size * db
    return best


def _step(x: FloatArray, dx: FloatArray) -> float:
    """The largest step of at most 1 with x + step dx >= 0."""
    low = dx < 0.0
    return min(1.0, float((-x[low] / dx[low]).min(initial=np.inf)))
