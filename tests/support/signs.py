"""Complexities of one stored kernel matrix, by enumeration and by random signs."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from radprog.base.types import FloatArray
from radprog.models.complexity import Suprema, estimate_of, sign_blocks
from radprog.models.vkr import penalties


def class_complexity(
    suprema: Suprema, m: int, trials: int | None = None, *, exact: bool = True
) -> SimpleNamespace:
    """(1/m) E sup_h sum_i sigma_i h(x_i) of a class over all sign vectors, or random ones."""
    # the supremum for each vector of signs, then their mean
    blocks = sign_blocks(m, trials, 0, "rademacher", exact=exact)
    values = np.concatenate([suprema(signs) for signs in blocks]) / m
    found = estimate_of(values, len(values), enumerated=trials is None, exact=exact)
    return SimpleNamespace(**found)


def exact_complexity(K: FloatArray) -> float:
    """(1/m) E max_j |sum_i sigma_i K(x_i, x'_j)| of K (m, c) over all sign vectors."""
    return float(penalties.rademacher_complexities(*_one_family(K))[0][0])


def monte_carlo(K: FloatArray, trials: int, seed: int) -> tuple[float, float]:
    """The same over random sign vectors, and its standard error."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(penalties, "ENUMERATED_POINTS", 0)
        values, errors = penalties.rademacher_complexities(*_one_family(K), trials, seed)
    return float(values[0]), float(errors[0])


def _one_family(K: FloatArray) -> tuple[Callable[[FloatArray], FloatArray], tuple[int, int, int]]:
    return (lambda V: (K.T @ V)[None]), (1, *K.shape)
