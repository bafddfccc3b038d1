"""Similarities kept sparse: the same problem as with matrices; clusterings of many points."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from clusters import blobs, with_few_labels
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence
from scipy.spatial.distance import pdist

import radprog as rp
from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity import assembly, lpdsk
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.decompositions.similarity.forms import similarity_form
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.models.similarity.graphs import harmonic
from radprog.models.similarity.problem import indicator
from radprog.models.similarity.sparse import (
    Neighbourhood,
    SparseWeighted,
    lanczos_by_component,
)
from radprog.models.similarity.spectral import normalised_cut
from radprog.models.simplex import project


@pytest.fixture(autouse=True)
def _small_graphs_are_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "MANY_POINTS", 10)


def test_a_bandwidth_leaves_the_distances_as_they_are() -> None:
    graph = Neighbourhood.of(np.vstack([blobs(30, seed=0).X] * 2), 5)
    before = graph.squared.copy()
    graph.tree()
    assert graph.squared.nnz == before.nnz
    assert (graph.squared != before).nnz == 0


def problem_of(n: int, seed: int = 0) -> tuple[SparseWeighted, FloatArray]:
    s = Neighbourhood.of(blobs(n, seed=seed, spread=2.0).X, 6).gram(0.7)
    problem = SparseWeighted(s=s, size=s, lam=n / 2, upper=4.0 / n)
    return problem, project(np.random.default_rng(seed).dirichlet(np.full(n, 5.0)), problem.upper)


def test_neighbours_are_those_of_the_dense_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    data = blobs(60, seed=4, spread=1.0)
    X = np.vstack([np.round(data.X, 1), np.round(data.X[:9], 1)])  # ties, points that coincide
    moved = X[np.random.default_rng(0).permutation(len(X))]
    spec = rp.CDSK(neighbours=5, bandwidth="median", clusters=3)
    for points in (X, moved):
        several = replace(blobs(len(X)), X=points)
        found = assembly.assemble(spec, several)
        with monkeypatch.context() as patch:
            patch.setattr(assembly, "MANY_POINTS", 10**6)
            whole = assembly.assemble(spec, several)
        assert isinstance(found.problem, SparseWeighted)
        assert found.bandwidth == pytest.approx(whole.bandwidth, rel=1e-12)
        np.testing.assert_allclose(found.problem.s.toarray(), whole.problem.s, atol=1e-14)


def test_products_find_the_neighbours_of_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).integers(0, 3, (90, 6)) + 1e4  # ties, points that coincide
    tree = Neighbourhood.of(X.astype(float), 4)
    monkeypatch.setattr("radprog.models.similarity.sparse.TREE_COLUMNS", 0)
    products = Neighbourhood.of(X.astype(float), 4)
    assert products.narrowest == tree.narrowest
    np.testing.assert_array_equal(products.squared.toarray(), tree.squared.toarray())
    np.testing.assert_array_equal(products.squared.indices, tree.squared.indices)


def test_many_points_are_of_a_graph(monkeypatch) -> None:
    monkeypatch.setattr(assembly, "MANY_POINTS", 60)
    data, few = blobs(60, seed=1, spread=7.0), with_few_labels(blobs(60, seed=1, spread=2.0), 2)
    run = fit_cdsk(rp.CDSK(), data, RunSettings())
    assert run.objective == fit_cdsk(rp.CDSK(neighbours=15), data, RunSettings()).objective
    # two densities, fewer points, and all pairs if that is asked for
    for fit, spec, points, neighbours in (
        (fit_cdsk, rp.CDSK(), data, 15),
        (fit_lpdsk, rp.LPDSK(), few, 15),
        (fit_cdsk, rp.CDSK(objective="ise"), blobs(60, c=2), None),
        (fit_cdsk, rp.CDSK(), blobs(59), None),
        (fit_lpdsk, rp.LPDSK(neighbours="all"), few, None),
    ):
        assert fit(spec, points, RunSettings()).summary["neighbours"] == neighbours


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_dense_problem(seed: int) -> None:
    problem, a = problem_of(48, seed)
    dense, rng = problem.dense(), np.random.default_rng(seed)
    Y, codes = rng.normal(size=(48, 3)), rng.integers(0, 3, 48)
    assert problem.value(a, Y) == pytest.approx(dense.value(a, Y), rel=1e-12)
    assert problem.labelled_value(a, codes) == pytest.approx(dense.labelled_value(a, codes))
    assert problem.scale == pytest.approx(dense.scale)
    np.testing.assert_allclose(problem.laplacian(a).toarray(), dense.laplacian(a), atol=1e-14)
    for found, whole in zip(problem.quadratic(Y), dense.quadratic(Y), strict=True):
        left = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(left, whole, atol=1e-9)
    for scaled in (False, True):
        one, other = (normalised_cut(p, a, 3, scaled=scaled) for p in (problem, dense))
        assert one[0] == pytest.approx(other[0], rel=1e-10)
        np.testing.assert_allclose(one[1], other[1], atol=1e-7)


@pytest.mark.parametrize("parts", [1, 2, 6])
def test_no_multiple_eigenvalue_is_missed(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radprog.models.similarity.sparse.DENSE_COMPONENT", 10)
    X = np.random.default_rng(0).normal(size=(60, 2))
    every = np.vstack([X + 100.0 * k for k in range(parts)])  # copies far apart
    s = Neighbourhood.of(every, 5).gram(0.5)
    problem = SparseWeighted(s=s, size=s, lam=1.0, upper=1.0)
    L = problem.laplacian(problem.uniform)
    values, vectors = lanczos_by_component(L, 4)
    expected = np.linalg.eigvalsh(L.toarray())[:4]
    np.testing.assert_allclose(values, expected, atol=1e-7 * np.linalg.norm(L.toarray(), 2))
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-8)


def test_harmonic_labels_are_those_of_elimination() -> None:
    problem, a = problem_of(60)
    S = problem.similarity(a)
    known = np.arange(60) % 10 == 0
    F = np.where(known[:, None], indicator(np.arange(60) % 3, 3), 0.0)
    found, lost = harmonic(S, F, known)
    expected, none = harmonic(S.toarray(), F, known)
    np.testing.assert_array_equal(lost, none)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_median_distance_of_a_graph_is_that_of_its_points() -> None:
    for n, error in ((40, 1e-12), (4500, 0.01)):
        X = np.random.default_rng(n).normal(size=(n, 3))
        spec = rp.CDSK(bandwidth="0.5*median", neighbours=5, clusters=2)
        found = assemble(spec, rp.partly_labelled(X, [None] * n)).bandwidth
        assert found == pytest.approx(0.5 * np.sqrt(np.median(pdist(X, "sqeuclidean"))), rel=error)


@pytest.mark.parametrize("objective", ["ratio", "ncut", "scaled"])
def test_clusters_of_a_sparse_graph(objective: str) -> None:
    data = blobs(120, seed=1, spread=7.0)
    spec = rp.CDSK(neighbours=8, objective=objective)
    run = fit_cdsk(spec, data, RunSettings())
    values = np.array([record.objective for record in run.trace], dtype=float)
    assert (np.diff(values) <= 1e-11 * np.abs(values[1:])).all()
    assert run.summary["accuracy"] == 1.0
    assert run.summary["cut_bound"] is None  # Lanczos proves no eigenvalue
    again = recompute_cdsk(spec, data, run.evidence)
    assert again.objective == pytest.approx(run.objective, rel=1e-9)
    assert similarity_form(spec, data, "weights", RunSettings()).expected is not None


def test_all_pairs_of_many_points_are_one_problem() -> None:
    spec, many = rp.CDSK(neighbours="all"), blobs(420, seed=1, spread=3.0)
    run, instance = fit_cdsk(spec, many, RunSettings()), assemble(spec, many)
    a, Y = (np.array(run.evidence[key])[instance.order] for key in ("a", "Y"))
    assert run.objective == instance.problem.value(a, Y)


def test_weights_are_rough_until_the_rounds_end() -> None:
    """Every round descends; the gap of the last is the finest, that of an earlier one is not."""
    rng, codes = np.random.default_rng(0), np.arange(420) % 7
    X = rng.normal(size=(420, 10)) + 2.0 * rng.normal(size=(7, 10))[codes]
    data = rp.partly_labelled(X, codes, scale="standard")
    run = fit_cdsk(rp.CDSK(), data, RunSettings())
    gaps = [record.detail["weight_gap"] for record in run.trace]
    values = [record.objective for record in run.trace]
    assert gaps[-1] <= WEIGHT_STEP_GAP * 420 < max(gaps)
    assert all(after <= before for before, after in pairwise(values))


def test_all_eigenpairs_at_once_where_lanczos_does_not_converge(monkeypatch) -> None:
    problem, a = problem_of(700)
    M = problem.laplacian(a)

    def fail(*args, **options):
        raise ArpackNoConvergence("none", np.zeros(0), np.zeros((0, 0)))

    expected = lanczos_by_component(M, 3)[0]
    monkeypatch.setattr("radprog.models.similarity.sparse.eigsh", fail)
    values, vectors = lanczos_by_component(M, 3)
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-9)


def test_the_labels_of_a_graph_are_nearly_the_best_at_its_weights() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(520, 3)) + 4.0 * rng.normal(size=(4, 3))[np.arange(520) % 4]
    spec, data = rp.CDSK(clusters=4), rp.partly_labelled(X)
    run, instance = fit_cdsk(spec, data, RunSettings()), assemble(spec, data)
    a = np.asarray(run.evidence["a"])[instance.order]
    best = instance.problem.dense().laplacian(a)
    lowest = 0.5 * len(X) / 4 * np.linalg.eigvalsh(best)[:4].sum()
    least = lowest + instance.problem.label_free(a)
    assert least - 1e-12 <= run.objective <= least + 1e-5 * abs(least)


def test_labels_are_propagated_again_only_where_the_weights_move(monkeypatch) -> None:
    few, solved = with_few_labels(blobs(520)), list[FloatArray]()
    own = lpdsk._harmonic
    monkeypatch.setattr(lpdsk, "_harmonic", lambda *given: solved.append(given[1]) or own(*given))
    run = fit_lpdsk(rp.LPDSK(), few, RunSettings())
    assert len(run.trace) > 1
    for before, after in pairwise(solved):
        assert not np.array_equal(before, after)
