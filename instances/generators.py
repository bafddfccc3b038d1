"""Seeded random data sets with a known definition. Half of the rows belong to each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.arrays import dataset
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError

WAVE_POINTS = np.arange(1, 22)
WAVES = np.maximum(6.0 - np.abs(WAVE_POINTS - np.array([[11], [15], [7]])), 0.0)
WAVE_PAIRS = ((0, 1), (0, 2), (1, 2))

GRAMMARS = (("ab", "cd"), ("ad", "cb"))


def waveform(n: int, classes: tuple[int, int] = (0, 1), seed: int = 0) -> Dataset:
    """Breiman's waveforms: X (n, 21), two of the three classes.

    With h1(i) = max(6 - |i - 11|, 0), h2(i) = h1(i - 4), h3(i) = h1(i + 4), i = 1..21, a point is
    x_i = u h_a(i) + (1 - u) h_b(i) + e_i, u uniform on [0, 1], e_i standard normal; (a, b) is
    (1, 2) in class 0, (1, 3) in class 1, (2, 3) in class 2. The larger class is +1.
    """
    low, high = sorted(classes)
    if low == high or not {low, high} <= {0, 1, 2}:
        raise OptionError(f"classes {classes}: expected two different ones of 0, 1, 2")
    rng = np.random.default_rng(seed)
    y = np.where(_halves(n, rng) > 0, high, low)
    a, b = np.array(WAVE_PAIRS)[y].T
    u = rng.random((n, 1))
    X = u * WAVES[a] + (1.0 - u) * WAVES[b] + rng.standard_normal((n, len(WAVE_POINTS)))
    return dataset(X, y, name=f"waveform({n}, classes={low}/{high}, seed={seed})")


def rings(n: int, noise: float = 0.1, seed: int = 0) -> Dataset:
    """Two rings in the plane, X (n, 2): angle uniform, radius 1 in class -1 and 2 in class +1.

    The radius has normal noise of standard deviation ``noise``.
    """
    rng = np.random.default_rng(seed)
    y = _halves(n, rng)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    radius = np.where(y > 0, 2.0, 1.0) + _spread(noise) * rng.standard_normal(n)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return dataset(X, y, name=f"rings({n}, noise={noise:g}, seed={seed})")


def xor(n: int, noise: float = 0.25, seed: int = 0) -> Dataset:
    """Four clouds in the plane, X (n, 2), around (+-1, +-1): the class is the product of signs.

    A cloud is normal with standard deviation ``noise`` on each axis.
    """
    rng = np.random.default_rng(seed)
    y = _halves(n, rng)
    first = rng.choice([-1.0, 1.0], n)
    centres = np.column_stack([first, first * y])
    X = centres + _spread(noise) * rng.standard_normal((n, 2))
    return dataset(X, y, name=f"xor({n}, noise={noise:g}, seed={seed})")


def grammar_strings(n: int, blocks: tuple[int, int] = (2, 8), seed: int = 0) -> Dataset:
    """Words of two regular languages, X (n,) of strings: (ab|cd)+ is -1, (ad|cb)+ is +1.

    The number of two-letter blocks is uniform on the range ``blocks``, both ends included.
    """
    least, most = blocks
    if not 1 <= least <= most:
        raise OptionError(f"blocks {blocks}: expected 1 <= least <= most")
    rng = np.random.default_rng(seed)
    y = _halves(n, rng)
    lengths = rng.integers(least, most, n, endpoint=True)
    words = [
        "".join(rng.choice(GRAMMARS[int(sign > 0)], length))
        for sign, length in zip(y, lengths, strict=True)
    ]
    return dataset(words, y, name=f"grammar_strings({n}, seed={seed})")


def _halves(n: int, rng: np.random.Generator) -> NDArray[Any]:
    """-1 and +1 in random order, as many of each as n allows (one more -1 if n is odd)."""
    if n < 2:
        raise OptionError(f"{n} rows: expected at least 2, one of each class")
    return rng.permutation(np.where(np.arange(n) % 2 == 0, -1, 1))


def _spread(noise: float) -> float:
    if not 0.0 <= noise < np.inf:
        raise OptionError(f"noise {noise}: expected a finite number >= 0")
    return noise
