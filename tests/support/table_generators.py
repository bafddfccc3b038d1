"""Seeded random data for tests and benchmarks: Breiman's waveforms, a noisy sinc."""

import numpy as np

from radprog.instances.dataset import Dataset, dataset, regression_data


def waveform(n: int, classes: tuple[int, int] = (0, 1), seed: int = 0) -> Dataset:
    """Generate Breiman's waveforms X (n, 21) for two of the three classes.

    With h1(i) = max(6 - |i - 11|, 0), h2(i) = h1(i - 4), h3(i) = h1(i + 4), i = 1..21, a point is
    x_i = u h_a(i) + (1 - u) h_b(i) + e_i, with u uniform on [0, 1] and e_i standard normal. (a, b)
    is (1, 2) in class 0, (1, 3) in class 1, and (2, 3) in class 2. The class with the larger number
    is +1.
    """
    low, high = sorted(classes)
    rng = np.random.default_rng(seed)
    # a class, its two waves, their mixture and noise
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, low, high))
    waves = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0.0)
    a, b = np.array([(0, 1), (0, 2), (1, 2)])[y].T
    u = rng.random((n, 1))
    X = u * waves[a] + (1.0 - u) * waves[b] + rng.standard_normal((n, waves.shape[1]))
    return dataset(X, y, name=f"waveform({n}, classes={low}/{high}, seed={seed})")


def sinc(n: int = 100, small: float = 0.05, share: float = 0.3, seed: int = 0) -> Dataset:
    """Generate noisy values of g(x) = sin(3x)/(3x) at n equally spaced x in [-1, 1].

    This is the regression example of Anguita, Ghio, Oneto and Ridella. The noise is normal and has
    two sizes; ``small`` and 1 are its standard deviations. All points have the small noise,
    and round(share n) random points also have the large noise. ``truth`` is g. The paper writes
    N(0, 0.05). If 0.05 is the variance, use small=sqrt(0.05).
    """
    rng = np.random.default_rng(seed)
    # the curve, small noise on all points, large noise on some
    x = np.linspace(-1.0, 1.0, n)
    truth = np.sinc(3.0 * x / np.pi)
    y = truth + small * rng.standard_normal(n)
    rows = rng.choice(n, round(share * n), replace=False)
    y[rows] += rng.standard_normal(len(rows))
    name = f"sinc({n}, small={small:g}, seed={seed})"
    return regression_data(x[:, None], y, truth=truth, name=name, features=("x",))
