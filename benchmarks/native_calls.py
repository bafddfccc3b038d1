"""The duration of the longest native calls by n, on one thread; one call may overrun a time limit.

    python benchmarks/native_calls.py              # n = 500, 1000, 2000, 4000: some minutes
    python benchmarks/native_calls.py 500 1000     # only these n

The table has processor seconds of one call on random data: LAPACK's eigendecomposition (``dsyevd``)
and Cholesky factorisation of a Gram matrix, a support vector machine by libsvm, and the same
program as a dense quadratic program by PIQP. It is part of ``docs/promise.md``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy is loaded

import numpy as np  # noqa: E402
import piqp  # noqa: E402
from scipy import linalg  # noqa: E402
from sklearn.svm import SVC  # noqa: E402

SIZES = (500, 1000, 2000, 4000)
C = 10.0  # of the support vector machines


def sample(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A Gram matrix (n, n) of rbf values on ten features, and labels of which a tenth is wrong."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 10))
    squares = (X**2).sum(axis=1)
    K = np.exp(-(squares[:, None] + squares - 2.0 * X @ X.T) / 20.0)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    y[rng.random(n) < 0.1] *= -1.0
    return K, y


def svm(K: np.ndarray, y: np.ndarray) -> None:
    """libsvm's dual."""
    SVC(kernel="precomputed", C=C, tol=1e-8, cache_size=500).fit(K, y)


def qp(K: np.ndarray, y: np.ndarray) -> None:
    """The same dual by PIQP's dense interior-point method."""
    n = len(y)
    solver = piqp.DenseSolver()
    solver.setup(
        K * np.outer(y, y), -np.ones(n), y[None, :], np.zeros(1), None, None, None,
        np.zeros(n), np.full(n, C),
    )  # fmt: skip
    solver.solve()


CALLS: dict[str, Callable[[np.ndarray, np.ndarray], object]] = {
    "eigendecomposition": lambda K, y: linalg.eigh(K, driver="evd", check_finite=False),
    "Cholesky factorisation": lambda K, y: linalg.cho_factor(K + np.eye(len(y))),
    "SVM by libsvm": svm,
    "dense QP by PIQP": qp,
}


def main(sizes: tuple[int, ...]) -> None:
    """Print the table."""
    print(f"| n | {' | '.join(CALLS)} |")
    print("|---" * (len(CALLS) + 1) + "|")
    for n in sizes:
        K, y = sample(n)
        cells = []
        for call in CALLS.values():
            started = time.process_time()
            call(K.copy(), y)
            cells.append(f"{time.process_time() - started:.2g} s")
        print(f"| {n:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or SIZES)
