"""Points around a few centres, with all of their labels or a few."""

import numpy as np

from radprog.instances.dataset import Dataset, partly_labelled

CENTRES = np.array([[0.0, 0.0], [1.0, 0.3], [0.2, 1.0]])


def blobs(n: int, c: int = 3, seed: int = 0, spread: float = 4.0) -> Dataset:
    """n points around c <= 3 centres, whose distances are about ``spread``."""
    rng = np.random.default_rng(seed)
    # classes in turn, so that their sizes differ by one at most
    codes = np.arange(n) % c
    points = rng.normal(size=(n, 2)) + spread * CENTRES[codes]
    return partly_labelled(points, codes, scale="standard")


def with_few_labels(data: Dataset, each: int = 2) -> Dataset:
    """The labels of the first ``each`` rows of every class alone."""
    # the first of every class, so that no class is without a label
    kept = np.concatenate([np.flatnonzero(data.codes == k)[:each] for k in range(data.n_classes)])
    return data.hide(np.setdiff1d(np.arange(data.rows), kept))
