"""Complexities of finite classes and of learned kernels, by their oracles."""

import math

import numpy as np
import pytest
from signs import class_complexity, exact_complexity

from radprog.decompositions.analyses import local_class
from radprog.models import complexity


def test_finite_class_is_the_enumeration_of_vkr() -> None:
    K = np.random.default_rng(0).normal(size=(7, 4))
    ours = class_complexity(complexity.finite_suprema(K, both_signs=True), 7)
    assert ours.value == pytest.approx(exact_complexity(K), rel=1e-12)
    assert ours.trials == 128
    sampled = class_complexity(complexity.finite_suprema(K, both_signs=True), 7, trials=4000)
    assert abs(sampled.value - ours.value) < 5 * sampled.standard_error
    one_sided = class_complexity(complexity.finite_suprema(K), 7)
    assert 0 < one_sided.value < ours.value
    oracle = complexity.oracle_suprema(lambda sigma: float((sigma @ K[:, :2]).max()))
    assert class_complexity(oracle, 7, exact=False).value <= one_sided.value


def test_learned_kernels_by_their_vertices() -> None:
    rng = np.random.default_rng(2)
    factors = rng.normal(size=(3, 6, 5))
    grams = factors @ factors.transpose(0, 2, 1)
    tails = np.linalg.eigvalsh(grams)[:, :-1].sum(axis=1)
    suprema = complexity.kernel_suprema(grams, lambda q: 4.0 * float((q / tails).max()))
    signs = complexity.all_signs(6, "rademacher")
    values = suprema(signs)
    by_vertex = 2 * np.sqrt(np.einsum("ti,mij,tj->mt", signs, grams, signs) / tails[:, None])
    assert values == pytest.approx(by_vertex.max(axis=0))
    # the vertices of the conv set; its other points are never better
    for mu in rng.dirichlet(np.ones(3), size=50) / tails:
        combined = np.einsum("m,mij->ij", mu, grams)
        inner = 2 * np.sqrt(np.einsum("ti,ij,tj->t", signs, combined, signs))
        assert np.all(inner <= values * (1 + 1e-12))


def test_local_suprema_are_those_of_a_cone_program() -> None:
    rng = np.random.default_rng(0)
    F = rng.normal(size=(7, 3))
    K = F @ F.T
    signs = np.where(rng.random((6, 7)) < 0.5, -1.0, 1.0)
    norms = np.sqrt(np.einsum("ti,ij,tj->t", signs, K, signs))
    # a large radius leaves the ball of norm 1, a small one the mean squares
    assert np.allclose(complexity.local_suprema(K, 1e9)(signs), norms)
    span = np.linalg.norm(np.linalg.qr(F)[0].T @ signs.T, axis=0)
    assert np.allclose(complexity.local_suprema(K, 1e-9)(signs), math.sqrt(7e-9) * span)
    # between, f = F w on a grid of directions: the largest is below, and nearly reached
    r = 0.3
    w = rng.normal(size=(40000, 3))
    norm, mean = np.linalg.norm(w, axis=1), np.linalg.norm(w @ F.T, axis=1) / (7 * r) ** 0.5
    largest = (signs @ F @ (w / np.maximum(norm, mean)[:, None]).T).max(axis=1)
    exact = complexity.local_suprema(K, r)(signs)
    assert np.all(largest <= exact + 1e-9)
    assert np.allclose(largest, exact, rtol=5e-3)
    assert np.all(exact < norms)


@pytest.mark.parametrize("rank", [2, 7])
@pytest.mark.parametrize("r", [1e-6, 1e-2, 0.3, 10.0])
def test_the_local_bound_is_between_the_complexity_and_its_three_proofs(r, rank) -> None:
    F = np.random.default_rng(rank).normal(size=(7, rank))
    item, eigenvalues = local_class("K", F @ F.T, r), np.linalg.eigvalsh(F @ F.T) / 7
    value = class_complexity(item.suprema, 7).value
    tails = math.sqrt(2 / 7 * np.minimum(r, np.maximum(eigenvalues, 0.0)).sum())
    least = min(tails, math.sqrt(eigenvalues.sum() / 7), math.sqrt(r))
    assert value <= item.upper * (1 + 1e-12)
    assert item.upper == pytest.approx(least, rel=1e-12)
    if (r, rank) == (1e-6, 7):  # functions of any values: the signs themselves
        assert value == pytest.approx(math.sqrt(r), rel=1e-9)
