"""Seeded random texts."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from radprog.instances.sparse import SparseData, sparse_data


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
