"""Program (2) of LPBoost over given hypotheses, by arrays of its own in scipy."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from radprog.base.types import FloatArray


def soft_margin(
    H: FloatArray, y: FloatArray, nu: float, G: FloatArray, h: FloatArray, weights: Any = None
) -> Any:
    """The solution of linprog for hypotheses H (T, m) and rows G g <= h; its value is minus the
    soft margin."""
    T, m = H.shape
    counts = np.ones(m) if weights is None else weights
    A = np.vstack(
        [
            np.hstack([-y[:, None] * H.T, -np.eye(m), np.ones((m, 1))]),
            np.hstack([G @ H.T, np.zeros((len(G), m + 1))]),
        ]
    )
    c = np.concatenate([np.zeros(T), counts / (nu * counts.sum()), [-1.0]])
    one = np.concatenate([np.ones(T), np.zeros(m + 1)])[None, :]
    bounds = [(0, None)] * (T + m) + [(None, None)]
    b = np.append(np.zeros(m), h)
    return linprog(c, A_ub=A, b_ub=b, A_eq=one, b_eq=[1.0], bounds=bounds, method="highs-ds")
