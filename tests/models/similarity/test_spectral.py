"""Spectral steps and lowest eigenpairs: optimal among feasible Y, gradients, proofs."""

from functools import partial

import numpy as np
import pytest
from sklearn.cluster import KMeans

from radprog.base.types import FloatArray
from radprog.models.lapack import positive_definite
from radprog.models.similarity import spectral
from radprog.models.similarity.problem import DensityWeighted, Distances, Weighted, kernel_box
from radprog.models.similarity.spectral import by_kmeans, davidson, eigenvalue_error
from radprog.models.simplex import project


def problem_of(seed: int, n: int = 24) -> tuple[Weighted, FloatArray]:
    rng = np.random.default_rng(seed)
    K = Distances.of(rng.normal(size=(n, 2)) + 2.0 * rng.integers(0, 3, n)[:, None]).gram(0.9)
    lam = n / 2
    problem = Weighted(s=K, size=K, lam=lam, upper=kernel_box(lam))
    return problem, project(rng.dirichlet(np.full(n, 5.0)), problem.upper)


@pytest.mark.parametrize("seed", range(4))
def test_ratio_step_is_the_best_of_its_constraint(seed: int) -> None:
    problem, a = problem_of(seed)
    n, c = problem.n, 3
    found = spectral.ratio_embedding(problem, a, c)
    np.testing.assert_allclose(found.Y.T @ found.Y, n / c * np.eye(c), atol=1e-9)
    best = problem.value(a, found.Y)
    expected = 0.5 * n / c * found.eigenvalues[:c].sum() + problem.label_free(a)
    assert best == pytest.approx(expected, abs=1e-10)
    rng = np.random.default_rng(seed)
    balanced = np.eye(c)[np.arange(n) % c]
    others = [np.linalg.qr(rng.normal(size=(n, c)))[0] * np.sqrt(n / c) for _ in range(10)]
    assert min(problem.value(a, Y) for Y in [*others, balanced]) > best


@pytest.mark.parametrize("seed", range(3))
def test_refinement_descends_towards_the_best(seed: int) -> None:
    problem, a = problem_of(seed, 60)
    start = spectral.ratio_embedding(problem, problem.uniform, 3)
    refined, told = spectral.refined_embedding(problem, a, 3, start.vectors)
    assert told == pytest.approx(problem.value(a, refined.Y), rel=1e-11)
    np.testing.assert_allclose(refined.Y.T @ refined.Y, 20.0 * np.eye(3), atol=1e-9)
    best = spectral.ratio_embedding(problem, a, 3)
    values = [problem.value(a, found.Y) for found in (start, refined, best)]
    assert values[0] - values[1] >= 0.999 * (values[0] - values[2]) > 0
    from_random, _ = spectral.refined_embedding(problem, a, 3)
    assert problem.value(a, from_random.Y) == pytest.approx(values[2], abs=1e-6)
    proved = spectral.ratio_embedding(problem, a, 3, refined.vectors)
    np.testing.assert_allclose(proved.eigenvalues, best.eigenvalues, atol=1e-12)


def test_refinement_bears_rows_of_degree_0() -> None:
    """Points that hold no weight, nor do their neighbours: rows of the Laplacian that are 0."""
    s = np.kron(np.eye(6), np.ones((5, 5)))
    problem = Weighted(s=s, size=s, lam=15.0, upper=kernel_box(15.0))
    a = np.where(np.arange(30) < 10, 0.0, 1.0 / 20.0)
    assert problem.laplacian(a).diagonal().min() == 0.0
    start = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 4)))[0]
    refined, value = spectral.refined_embedding(problem, a, 3, start)
    assert np.isfinite(refined.Y).all()
    assert value <= problem.value(a, start[:, :3] * np.sqrt(10.0))


@pytest.mark.parametrize("scaled", [False, True])
def test_the_cut_is_psi_at_its_embedding_and_its_gradient_a_quotient(scaled: bool) -> None:
    problem, a = problem_of(5)
    cut = partial(spectral.normalised_cut, problem, c=3, scaled=scaled)
    value, gradient, embedding = cut(a)
    Y, D = embedding.Y, problem.degrees(a)
    scale = D.sum() / 3 if scaled else 1.0
    np.testing.assert_allclose(Y.T @ (D[:, None] * Y), scale * np.eye(3), atol=1e-9)
    assert problem.value(a, Y) == pytest.approx(value, abs=1e-10)
    rng, step = np.random.default_rng(0), 1e-6
    for _ in range(4):
        v = rng.normal(size=problem.n)
        v -= v.mean()
        slope = (cut(a + step * v)[0] - cut(a - step * v)[0]) / (2 * step)
        assert gradient @ v == pytest.approx(slope, rel=1e-6, abs=1e-6)
    # at degree 0 it is infinite
    K = np.eye(5)
    K[:4, :4] = 1.0
    problem = Weighted(s=K, size=K, lam=2.5, upper=0.8)
    assert spectral.normalised_cut(problem, problem.uniform, 2, scaled=scaled)[0] == np.inf


@pytest.mark.parametrize("seed", range(3))
def test_balanced_step_is_the_best_of_its_constraint(seed: int) -> None:
    base, a = problem_of(seed)
    problem = DensityWeighted(s=base.s, size=np.sqrt(base.s), lam=base.lam, upper=base.upper)
    y = spectral.balanced_embedding(problem, a).Y
    n = problem.n
    assert float(y[:, 0] @ y[:, 0]) == pytest.approx(n)
    assert abs(y.sum()) < 1e-9 * n
    rng = np.random.default_rng(seed)
    for _ in range(20):
        z = rng.normal(size=(n, 1))
        z -= z.mean()
        z *= np.sqrt(n) / np.linalg.norm(z)
        assert problem.value(a, z) > problem.value(a, y)


def matrix(values: FloatArray, seed: int) -> FloatArray:
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    return np.asarray((Q * values) @ Q.T)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("copies", [1, 3])
def test_pairs_are_those_of_lapack_and_proved(seed: int, copies: int) -> None:
    """From random vectors, of single and of triple eigenvalues."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.repeat(rng.uniform(0, 1, 2), copies), rng.uniform(2, 9, 60)])
    M = matrix(values, seed)
    k = 2 * copies + 1
    found = davidson(M, rng.normal(size=(len(M), k)), 1e-9 / M.diagonal().max(), 200)
    low, vectors, residuals = found
    np.testing.assert_allclose(low, np.sort(values)[:k], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    assert residuals.max() <= 1e-9
    error = eigenvalue_error(M, found)
    assert 0.0 <= error < 1e-15
    for missed in range(k - 1):
        kept = np.arange(k) != missed
        assert eigenvalue_error(M, (low[kept], vectors[:, kept], residuals[kept])) is None


def test_a_factorisation_tells_positive_definite_matrices() -> None:
    for n in (3, 450):
        values = np.linspace(1e-6, 1.0, n)
        assert positive_definite(matrix(values, 0))
        assert not positive_definite(matrix(values - 1e-5, 0))


def test_rough_pairs_are_off_by_no_more_than_said() -> None:
    rng = np.random.default_rng(5)
    M = matrix(np.concatenate([np.linspace(0, 1, 4), rng.uniform(1.5, 9, 60)]), 5)
    exact = np.linalg.eigvalsh(M)
    found = davidson(M, np.linalg.eigh(M)[1][:, :5] + 1e-2 * rng.normal(size=(64, 5)), 0.0, 2)
    error = eigenvalue_error(M, found)
    assert (found[0][:4] - exact[:4]).max() > 1e-9
    assert (found[0][:4] - error <= exact[:4]).all()


def test_kmeans_of_many_points_finds_the_clusters_in_every_basis() -> None:
    rng = np.random.default_rng(0)
    points = 3.0 * np.eye(5)[np.arange(600) % 5] + 0.6 * rng.normal(size=(600, 5))
    codes, distortion = by_kmeans(points, 5, 0)
    best = KMeans(5, n_init=20, random_state=0, tol=0.0).fit(points).inertia_
    assert distortion == pytest.approx(best, rel=1e-9)
    # the seed and the basis have no effect, and a start with its means is kept
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    for other in (by_kmeans(points @ turn, 5, 1), by_kmeans(points, 5, 0, codes)):
        np.testing.assert_array_equal(other[0], codes)
    # fewer distinct points than clusters
    few, distortion = by_kmeans(np.eye(5)[np.arange(600) % 3], 5, 0)
    np.testing.assert_array_equal(few, np.arange(600) % 3)
    assert distortion == 0.0
