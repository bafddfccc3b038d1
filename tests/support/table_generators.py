"""Seeded random data for tests and benchmarks: Breiman's waveforms, a noisy sinc, sparse texts."""

import numpy as np
from scipy import sparse

from radprog.instances.dataset import Dataset, dataset, regression_data
from radprog.instances.sparse import SparseData, sparse_data


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


def sparse_text(n: int, words: int, seed: int = 0) -> SparseData:
    """Generate n texts on two topics as a sparse matrix X (n, words).

    Each text has about 80 words, drawn with Zipf frequencies 1 / rank. In each topic, 50 words of
    middle rank are 4 times as frequent. A word that occurs c times in a text has the
    entry (1 + log c) log((1 + n) / (1 + t)), where t is the number of texts with the word. Finally,
    each row is scaled to norm 1. One tenth of the labels are wrong.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    ranks = 1.0 / (10.0 + np.arange(words))
    chosen = 20 + rng.choice(max(words // 20, 100), 100, replace=False)
    parts = []
    for topic in (0, 1):
        shares = ranks.copy()
        shares[chosen[topic::2]] *= 4.0
        # the texts of a topic: draws of words, counted
        rows = np.repeat(np.flatnonzero(y == topic), rng.poisson(80, (y == topic).sum()) + 1)
        drawn = rng.choice(words, len(rows), p=shares / shares.sum())
        parts.append(sparse.coo_array((np.ones(len(rows)), (rows, drawn)), shape=(n, words)))
    counts = sparse.csr_array(parts[0] + parts[1])
    texts = np.bincount(counts.indices, minlength=words)
    counts.data = (1.0 + np.log(counts.data)) * np.log((1 + n) / (1 + texts))[counts.indices]
    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    X = sparse.diags_array(1.0 / np.maximum(norms, 1e-300)) @ counts
    wrong = rng.random(n) < 0.1
    return sparse_data(X, np.where(wrong, 1 - y, y), name=f"text {n} x {words}")
