"""Small data that several tests share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import radprog as rp
from radprog.base.types import FloatArray, IntArray
from radprog.models.regression.problem import BoundedLoss, RegressionClass, regression_class

LOSSES = [BoundedLoss(), BoundedLoss(low=0.15, up=0.6), BoundedLoss(low=0.0, up=2.5)]


def sine_class(
    n: int, seed: int, loss: BoundedLoss, gamma: float = 2.0, noise: float = 0.7
) -> RegressionClass:
    """A class of regressions on n points of a noisy sine."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n))
    y = np.sin(3 * x) + noise * rng.standard_normal(n)
    return regression_class(np.exp(-gamma * (x[:, None] - x) ** 2), y, loss)


def curved_points(seed: int | np.random.Generator, m: int, noise: float = 0.4) -> rp.Dataset:
    """Points of the plane, half of them +1 by the noisy product of their coordinates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    score = X[:, 0] * X[:, 1] + noise * rng.normal(size=m)
    return rp.dataset(X, np.where(score > np.median(score), 1.0, -1.0))


def alternating_points(n: int = 8, seed: int = 0) -> rp.Dataset:
    """Points of the plane whose labels alternate."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return rp.dataset(X, np.where(np.arange(n) % 2, 1.0, -1.0))


def grouped_points(seed: int, m: int = 40) -> Any:
    """Points of two groups, told by the third feature."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.4 * X[:, 2] + 0.2 * rng.normal(size=m) > 0, 1, -1)
    y[:2] = 1, -1
    X[:, 2] = np.where(X[:, 2] > 0, 1.0, 2.0)
    return rp.dataset(X, y, features=("a", "b", "group"), scale="ball")


def waves(seed: int, m: int, span: int = 10) -> Any:
    """Noisy series of two classes, the positive ones with a bump somewhere."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, 1, -1)
    X = 0.6 * rng.normal(size=(m, span))
    for i in np.flatnonzero(y > 0):
        start = rng.integers(0, span - 3)
        X[i, start : start + 3] += 1.5
    return rp.series(X, y)


def mixture(n: int, seed: int, scale: str = "none") -> rp.Dataset:
    """Two clouds of the plane, a tenth of the labels flipped."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], n)
    X = rng.normal(size=(n, 2)) + 1.2 * y[:, None]
    return rp.dataset(X, np.where(rng.random(n) < 0.1, -y, y), scale=scale)


def class_grams(
    ranks: Sequence[int], n: int, classes: int = 2, *, seed: int, apart: float, ridge: float = 0.0
) -> tuple[FloatArray, IntArray]:
    """Kernel matrices of low rank whose features have other means in each class; the classes."""
    rng, y = np.random.default_rng(seed), np.arange(n) % classes
    K = []
    for rank in ranks:
        F = rng.normal(size=(n, rank)) + apart * rng.normal(size=(classes, rank))[y]
        K.append(F @ F.T + ridge * np.eye(n))
    return np.array(K), y


def mixed_kernel(rng: np.random.Generator, y: IntArray) -> tuple[FloatArray, int]:
    """A kernel matrix on points of two classes: of kind 0 linear, 1 Gaussian, 2 polynomial."""
    n = len(y)
    kind, rank = int(rng.integers(3)), int(rng.integers(2, n + 1))
    X = rng.normal(size=(n, rank)) * rng.uniform(0.1, 1, rank)
    if rng.random() < 0.7:
        X += np.outer(y, rng.normal(size=rank)) * rng.uniform(0, 0.7)
    if kind == 1:
        width = rng.choice([0.01, 0.1, 1.0])
        return np.exp(-width * ((X[:, None] - X[None]) ** 2).sum(axis=2)), kind
    return (X @ X.T + (kind == 2)) ** (1 if kind == 0 else int(rng.integers(2, 4))), kind


def handful(seed: int) -> tuple[rp.Dataset, dict[str, Any]]:
    """Three to six points with far residuals, and the settings of a bounded loss and its ball."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    x, y = rng.uniform(-1, 1, n), np.round(rng.normal(size=n) * 2, 2)
    gamma, A = 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-1, 2)
    options = {"gamma": float(gamma), "A": float(A), "eps_up": float(rng.choice([0.3, 1.0]))}
    return rp.regression_data(x[:, None], y), {**options, "eps_low": float(rng.choice([0.0, 0.1]))}
