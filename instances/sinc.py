"""The regression example of Anguita, Ghio, Oneto and Ridella: a noisy sinc."""

from __future__ import annotations

import math

import numpy as np

from radprog.instances.errors import OptionError
from radprog.instances.regression import RegressionData, regression_data

SMALL, LARGE, SHARE = 0.05, 1.0, 0.3


def sinc(
    n: int = 100, small: float = SMALL, large: float = LARGE, share: float = SHARE, seed: int = 0
) -> RegressionData:
    """g(x) = sin(3x)/(3x) at n equally spaced x in [-1, 1], with normal noise of two sizes.

    small, large: standard deviations; the large noise is added to round(share n) points drawn at
    random, the small one to all. ``truth`` holds g. The paper writes N(0, 0.05) without saying
    whether that is a variance: for the variance give small=sqrt(0.05).
    """
    if n < 2:
        raise OptionError(f"{n} points: expected at least 2")
    for name, value in (("small", small), ("large", large)):
        if not (math.isfinite(value) and value >= 0):
            raise OptionError(f"noise {name} {value}: expected a finite number >= 0")
    if not 0 <= share <= 1:
        raise OptionError(f"share {share}: expected a number from 0 to 1")
    rng = np.random.default_rng(seed)
    x = np.linspace(-1.0, 1.0, n)
    truth = np.sinc(3.0 * x / np.pi)
    y = truth + small * rng.standard_normal(n)
    rows = rng.choice(n, round(share * n), replace=False)
    y[rows] += large * rng.standard_normal(len(rows))
    name = f"sinc({n}, small={small:g}, large={large:g}, seed={seed})"
    return regression_data(x[:, None], y, truth=truth, name=name, features=("x",))
