"""Complexities of one stored kernel matrix, by enumeration and by random signs."""

from __future__ import annotations

from collections.abc import Callable

from radprog.instances.types import FloatArray
from radprog.models.complexity import Estimate
from radprog.models.vkr.family_complexity import rademacher_complexities


def exact_complexity(K: FloatArray) -> float:
    """(1/m) E max_j |sum_i sigma_i K(x_i, x'_j)| of K (m, c) over all sign vectors."""
    return rademacher_complexities(*_one_family(K), exact=True)[0].value


def monte_carlo(K: FloatArray, trials: int, seed: int) -> Estimate:
    """The same over random sign vectors."""
    return rademacher_complexities(*_one_family(K), trials=trials, seed=seed, exact=False)[0]


def _one_family(K: FloatArray) -> tuple[Callable[[FloatArray], FloatArray], tuple[int, int, int]]:
    return (lambda V: (K.T @ V)[None]), (1, *K.shape)
