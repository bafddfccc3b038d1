"""Points around a few centres, with all of their labels or a few."""

import itertools
from typing import Any

import numpy as np

from radprog.instances.dataset import Dataset, partly_labelled
from radprog.solvers.dense.svm import simplex_program
from radprog.solvers.registry import solve_program

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


def labelling_value(problem: Any, codes: Any, upper: float | None = None) -> float:
    """(12), or (25), at labels (n,) and the best weights in their box, by Clarabel."""
    same = np.equal.outer(codes, codes)
    Q = problem.lam * problem.size * same
    b = -(problem.s * np.where(same, 1.0, -1.0)).sum(axis=1)
    x = solve_program(simplex_program(Q, b, upper or problem.upper), "clarabel").x
    return float(x @ Q @ x + b @ x)


def labellings(codes: Any, c: int, sizes: tuple[int, int] | None = None) -> list[Any]:
    """Every labelling into c classes that keeps the labels >= 0 of ``codes`` (n,), with classes of
    these sizes."""
    low, high = sizes or (0, len(codes))
    choices = [range(c) if code < 0 else (code,) for code in codes]
    counts = ((one, np.bincount(one, minlength=c)) for one in itertools.product(*choices))
    return [np.array(one) for one, n in counts if low <= n.min() and n.max() <= high]
