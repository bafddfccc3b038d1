"""Projection onto the simplex with upper bounds."""

import numpy as np
import pytest

from radprog.models.simplex import project


@pytest.mark.parametrize("spread", [1e-9, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("shape", ["one bound", "bounds", "tight", "ties"])
def test_a_projection_is_a_shift_clipped_to_the_box(spread: float, shape: str) -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 9, 300):
        v = rng.normal(size=n) * spread + rng.normal()
        upper: float | np.ndarray = min(1.0, 3.0 / n)
        if shape == "bounds":
            upper = rng.random(n)
            upper *= 1.5 / upper.sum()
        elif shape == "tight":
            upper = 1.0 / n
        elif shape == "ties":
            v = np.round(v / spread) * spread
        a = project(v, upper)
        assert (a >= 0).all()
        assert (a <= upper).all()
        assert a.sum() == pytest.approx(1.0, abs=1e-12)
        # clip(v - t, 0, upper): entries inside the box share t, others lie beyond it
        rounding = 1e-14 * n * (1.0 + spread)
        inside = (a > rounding) & (a < upper - rounding)
        if inside.any():
            t = (v - a)[inside]
            assert np.ptp(t) <= rounding
            np.testing.assert_allclose(a, np.clip(v - t.mean(), 0.0, upper), atol=rounding)
        else:
            assert v[a > rounding].min() >= v[a <= rounding].max(initial=-np.inf)
