"""Factors in place and parts of matrices, against numpy."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from radprog.models import lapack
from radprog.models.lapack import factored, principal


def test_a_factor_is_made_in_the_place_of_its_matrix() -> None:
    F = np.random.default_rng(0).normal(size=(30, 40))
    M = F @ F.T
    expected = np.linalg.cholesky(M)
    factor = factored(M)
    assert factor is not None
    assert factor.flags.f_contiguous
    assert np.shares_memory(factor, M)
    np.testing.assert_allclose(np.tril(factor), expected, rtol=1e-10)


def test_below_the_diagonal_a_matrix_without_a_factor_is_as_it_was() -> None:
    M = np.random.default_rng(1).normal(size=(9, 9))
    M = M + M.T
    kept = M.copy()
    assert factored(M) is None
    assert (np.tril(M, -1) == np.tril(kept, -1)).all()


def test_a_part_of_a_matrix_takes_little_more_memory_than_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lapack, "ROWS_TAKEN", 16)
    K = np.random.default_rng(2).normal(size=(600, 600))
    chosen = np.arange(3, 600, 2)
    tracemalloc.start()
    part = principal(K, chosen)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (part == K[np.ix_(chosen, chosen)]).all()
    assert peak < 1.2 * part.nbytes
    assert principal(K, chosen[:0]).shape == (0, 0)
