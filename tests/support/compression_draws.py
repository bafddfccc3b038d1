"""Samples of known distributions: how often the compression bound fails, and how tight it is."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import radprog as rp
from radprog.base.types import FloatArray

Draw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]
NEW, DELTA = 4000, 0.05
KERNELS, PRICES = "rbf:0.5,rbf:2", (0.7, 0.8)  # Lambda_k = PRICES_k / N: fixed
# of equal prices, far from all other points both kernels are one function: more than one optimum


def _blobs(shift: float, spread: float, flips: float, rng: Any, n: int) -> Any:
    y = rng.choice([-1.0, 1.0], n)
    X = spread * rng.normal(size=(n, 2)) + shift * y[:, None]
    return X, np.where(rng.random(n) < flips, -y, y)


def separable(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Two far blobs."""
    return _blobs(2.5, 0.5, 0.0, rng, n)


def flipped(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Two blobs, 10 % of the labels flipped."""
    return _blobs(1.4, 0.8, 0.1, rng, n)


def heavy(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Student's t with 1.5 degrees of freedom around two centres: no variance."""
    y = rng.choice([-1.0, 1.0], n)
    return rng.standard_t(1.5, (n, 2)) + 2.0 * y[:, None], y


PLACES = np.random.default_rng(0).normal(size=(15, 2))
SHARES = np.random.default_rng(1).choice([0.0, 0.05, 0.95, 1.0], 15)  # of labels +1


def discrete(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Fifteen places: most points have equals, with both labels."""
    place = rng.integers(0, 15, n)
    return PLACES[place], np.where(rng.random(n) < SHARES[place], 1.0, -1.0)


DRAWS: Mapping[str, Draw] = {
    "separable": separable, "10 % flips": flipped, "heavy tails": heavy, "discrete, ties": discrete,
}  # fmt: skip


def one_draw(draw: Draw, n: int, rng: np.random.Generator) -> dict[str, float]:
    """The bound, and error and share of margins <= 1 on new points; nan where it is refused."""
    # a sample with both classes
    while True:
        X, y = draw(rng, n)
        if abs(y.sum()) < n:
            break
    data, spec = rp.dataset(X, y), rp.VKR(kernels=KERNELS, complexity=PRICES, lam=1 / n, beta=0.0)
    run = rp.fit(spec, data)
    # the true error and share within the margin, of new points
    new, labels = draw(rng, NEW)
    margins = labels * run.fit.scores(new)
    bound = run.extra["compression"]["bound"]
    return {
        "compression": np.nan if bound is None else bound,
        "error": float((margins <= 0).mean()),
        "within": float((margins <= 1).mean()),
    }


def simulate(name: str, draws: int, n: int) -> dict[str, FloatArray]:
    """Every number of ``one_draw`` over many draws, as arrays."""
    rng = np.random.default_rng([draws, n, list(DRAWS).index(name)])
    rows = [one_draw(DRAWS[name], n, rng) for _ in range(draws)]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def violations(found: Mapping[str, FloatArray]) -> float:
    """Share of draws in which new points within the margin are more than the bound says."""
    return float((found["within"] > found["compression"]).mean())


def musk_like(n: int = 476, d: int = 166) -> rp.Dataset:
    """Two classes along twelve directions of many features, as descriptors of molecules are."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    low = rng.normal(size=(n, 12))
    low[:, 0] += 1.6 * y
    low[:, 1] += 1.2 * y
    X = low @ rng.normal(size=(12, d)) + 0.3 * rng.normal(size=(n, d))
    return rp.dataset(X, y, scale="unit")
