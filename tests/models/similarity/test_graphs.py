"""Graph tools: harmonic labels where subtraction fails, components, least cuts and their bounds."""

import itertools
from unittest.mock import Mock

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from effort import examples
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused
from scipy import linalg

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.similarity import graphs as on_graphs
from radprog.models.similarity.problem import indicator


def graph(seed: int, n: int, spread: float = 0.0) -> FloatArray:
    """Weights e^u, u of standard deviation ``spread``; half of the pairs without an edge."""
    rng = np.random.default_rng(seed)
    W = np.exp(spread * rng.normal(size=(n, n))) * (rng.random((n, n)) < 0.5)
    W = np.triu(W, 1)
    return W + W.T


@given(st.integers(0, 10**6), st.integers(4, 14))
@examples(40)
def test_harmonic_values_are_means_of_their_neighbours(seed: int, n: int) -> None:
    S = graph(seed, n) + 0.01
    codes = np.full(n, -1)
    codes[:3] = 0, 1, 2
    Y, lost = on_graphs.harmonic(S, indicator(codes, 3), codes >= 0)
    assert not lost.any()
    np.testing.assert_allclose(Y.sum(axis=1), 1.0, atol=1e-10)
    assert Y.min() >= 0
    assert Y.max() <= 1
    W = S - np.diag(np.diag(S))
    mean = (W @ Y) / W.sum(axis=1)[:, None]
    np.testing.assert_allclose(Y[3:], mean[3:], atol=1e-10)
    np.testing.assert_array_equal(Y[:3], np.eye(3))


@pytest.mark.parametrize("weak", [1e-8, 1e-14, 1e-20, 1e-200])
def test_nearly_singular_harmonic_stays_in_the_simplex(weak: float) -> None:
    """Two tight groups hang by threads of the same strength on one label each."""
    n = 42
    S = np.zeros((n, n))
    S[2:22, 2:22] = S[22:, 22:] = 1.0
    S[0, 2:22] = S[1, 22:] = weak
    S[2:22, 22:] = weak / 20
    S = np.maximum(S, S.T)
    codes = np.full(n, -1)
    codes[:2] = 0, 1
    Y, lost = on_graphs.harmonic(S, indicator(codes, 2), codes >= 0)
    assert not lost.any()
    assert np.abs(Y.sum(axis=1) - 1).max() <= 1e-10
    assert Y.min() >= 0
    assert Y.max() <= 1
    # Of the pull of a group half goes to its label, half to the other group: 2/3 and 1/3.
    np.testing.assert_allclose(Y[2:22, 0], 2 / 3, atol=1e-6)
    np.testing.assert_allclose(Y[22:, 0], 1 / 3, atol=1e-6)


def test_unlabelled_components_are_flagged() -> None:
    S = np.zeros((7, 7))
    for i, j in ((0, 1), (1, 2), (3, 4), (5, 6)):
        S[i, j] = S[j, i] = 1.0
    codes = np.array([0, -1, -1, 1, -1, -1, -1])
    Y, lost = on_graphs.harmonic(S, indicator(codes, 2), codes >= 0)
    assert lost.tolist() == [False] * 5 + [True] * 2
    assert Y[5:].tolist() == [[0.0, 0.0]] * 2
    np.testing.assert_allclose(Y[[1, 2, 4]], [[1, 0], [1, 0], [0, 1]])
    expected = [sorted(part) for part in nx.connected_components(nx.from_numpy_array(S))]
    found = on_graphs.components(S)
    assert sorted(np.flatnonzero(found == k).tolist() for k in set(found.tolist())) == expected
    assert on_graphs.without_label(S, np.zeros(7, dtype=bool)).all()
    # all labelled
    F = indicator(np.array([0, 1, 1]), 2)
    Y, lost = on_graphs.harmonic(np.ones((3, 3)), F, np.ones(3, dtype=bool))
    np.testing.assert_array_equal(Y, F)
    assert not lost.any()


@given(st.integers(0, 10**6), st.integers(4, 8), st.integers(2, 3))
@examples(40)
def test_cut_bound_is_below_every_labelling_of_its_sizes(seed: int, n: int, c: int) -> None:
    S, rng = graph(seed, n) + 0.2, np.random.default_rng(seed)
    least: dict[tuple[int, ...], float] = {}
    for labels in itertools.product(range(c), repeat=n):
        codes = np.array(labels)
        sizes = tuple(np.bincount(codes, minlength=c).tolist())
        least[sizes] = min(least.get(sizes, np.inf), on_graphs.cut(S, codes))
    assert all(on_graphs.cut_bound(S, sizes) <= value + 1e-12 for sizes, value in least.items())
    # equal cliques reach it: lambda_2 = 6, and 1/2 * 3 * 6
    clique, codes = np.ones((6, 6)), np.repeat([0, 1], 3)
    assert on_graphs.cut_bound(clique, (3, 3)) == pytest.approx(9.0)
    assert 8.9 <= on_graphs.relaxed_cut_bound(clique, codes) <= on_graphs.cut(clique, codes) == 9.0
    assert on_graphs.relaxed_cut_bound(clique, 0 * codes) == 0.0
    # codes of other labellings of the same sizes have the same least cut
    for labels in rng.integers(0, c, (4, n)):
        sizes = tuple(np.bincount(labels, minlength=c).tolist())
        assert on_graphs.relaxed_cut_bound(S, labels) <= least[sizes] * (1 + 1e-12)


def test_semidefinite_bound_is_close_where_the_eigenvalues_say_little(monkeypatch) -> None:
    rng, codes = np.random.default_rng(0), np.repeat([0, 1, 2], (20, 12, 4))
    X = rng.normal(size=(36, 3)) + 4.0 * np.eye(3)[codes]
    S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 4.0)
    value = on_graphs.cut(S, codes)
    bound = on_graphs.relaxed_cut_bound(S, codes)
    assert 0.99 * value <= bound <= value
    # LAPACK does not find every range of eigenvalues: all of them give the same
    failing = Mock(side_effect=linalg.LinAlgError("Internal Error."))
    monkeypatch.setattr(linalg, "eigh", failing)
    assert on_graphs.relaxed_cut_bound(S, codes) == pytest.approx(bound)
    assert failing.called
    assert on_graphs.cut_bound(S, np.bincount(codes).tolist()) <= 0.7 * value


def test_neighbours_do_not_depend_on_the_order_and_what_is_refused() -> None:
    rng = np.random.default_rng(0)
    A = rng.random((10, 10))
    K = np.exp(-(A + A.T))
    np.fill_diagonal(K, 1.0)
    near = on_graphs.nearest_neighbours(K, 3)
    np.testing.assert_array_equal(near, near.T)
    assert ((near > 0).sum(axis=1) >= 4).all()
    order = rng.permutation(10)
    moved = on_graphs.nearest_neighbours(K[np.ix_(order, order)], 3)
    np.testing.assert_array_equal(moved, near[np.ix_(order, order)])
    for i in range(10):
        closest = set(np.argsort(-K[i] + 2 * (np.arange(10) == i))[:3].tolist())
        assert closest <= set(np.flatnonzero(near[i]).tolist())
    S, least = np.ones((3, 3)), on_graphs.least_cut
    refused(OptionError, "neighbours 10", on_graphs.nearest_neighbours, K, 10)
    refused(OptionError, "terminal of both classes", least, S, np.array([0, -1, -1]))
    refused(OptionError, "weights >= 0", least, -S, np.array([0, 1, -1]))


def test_cut_and_components_of_large_graphs() -> None:
    """A path and a clique, whose vertices are not reached at once; code -1 is a part too."""
    n = 90
    S = np.zeros((2 * n, 2 * n))
    chain = np.arange(n - 1)
    S[chain, chain + 1] = S[chain + 1, chain] = 0.5
    S[n:, n:] = 1.0
    np.testing.assert_array_equal(on_graphs.components(S), np.repeat([0, 1], n))
    order = np.random.default_rng(0).permutation(2 * n)
    assert len(set(on_graphs.components(S[np.ix_(order, order)])[np.argsort(order)][:n])) == 1
    codes = np.random.default_rng(1).integers(-1, 3, 2 * n)
    assert on_graphs.cut(S, codes) == pytest.approx(S[codes[:, None] != codes].sum() / 2, rel=1e-14)


@given(st.integers(0, 10**6), st.integers(3, 9))
@example(84028, 3)  # no edge at all
@example(1063, 8)  # rounding in the sums of a flow once joined what the cut divides
@examples(40)
def test_least_cut_is_that_of_enumeration(seed: int, n: int) -> None:
    S = graph(seed, n, spread=1.0)
    codes = np.full(n, -1)
    codes[0], codes[n - 1] = 0, 1
    value, found = on_graphs.least_cut(S, codes)
    assert found[0] == 0
    assert found[n - 1] == 1
    best = min(
        on_graphs.cut(S, np.array([0, *middle, 1]))
        for middle in itertools.product((0, 1), repeat=n - 2)
    )
    assert value == pytest.approx(best, abs=1e-10)
