"""Clusterings of many points: nothing is computed twice, digits only where they are used."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from clusters import blobs

from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity import weight_step
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.weight_step import absorbed
from radprog.instances.unlabelled import PartlyLabelled, partly_labelled
from radprog.models.similarity import davidson, spectral
from radprog.models.similarity.problem import Distances, Weighted, frank_wolfe_gap
from radprog.models.similarity.settings import CDSK

MANY = blobs(420, seed=1, spread=3.0)


def seven_classes(n: int) -> PartlyLabelled:
    """Points of seven overlapping classes in ten dimensions, whose rounds are many."""
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 7
    X = rng.normal(size=(n, 10)) + 2.0 * rng.normal(size=(7, 10))[codes]
    return partly_labelled(X, codes, scale="standard")


SEVEN = seven_classes(420)


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, *names: str) -> Counter[str]:
    """How often some functions are called from now on."""
    calls: Counter[str] = Counter()
    for name in names:
        plain = getattr(owner, name)

        def called(*args: Any, _plain: Any = plain, _name: str = name, **more: Any) -> Any:
            calls[_name] += 1
            return _plain(*args, **more)

        monkeypatch.setattr(owner, name, called)
    return calls


def test_kernel_median_and_objective_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    medians = counted(monkeypatch, np, "median")
    kernels = counted(monkeypatch, Distances, "gram")
    values = counted(monkeypatch, Weighted, "value")
    run = fit_cdsk(CDSK(), MANY, RunSettings())
    assert kernels["gram"] == 1
    assert values["value"] == 1
    assert medians["median"] <= 2  # the reach, the middle degree; not that of all pairs
    instance = assemble(CDSK(), MANY)
    a, Y = (np.array(run.evidence[key])[instance.order] for key in ("a", "Y"))
    assert run.objective == instance.problem.value(a, Y)


def test_weights_are_rough_until_the_rounds_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round descends; the gap of the last is the finest, that of an earlier one is not."""
    run = fit_cdsk(CDSK(), SEVEN, RunSettings())
    gaps = [record.detail["weight_gap"] for record in run.trace]
    values = [record.objective for record in run.trace]
    finest = WEIGHT_STEP_GAP * SEVEN.rows
    assert gaps[-1] <= finest < max(gaps)
    assert all(after <= before for before, after in pairwise(values))
    monkeypatch.setattr("radprog.decompositions.similarity.methods.ROUND_GAP", 0.0)
    fine = fit_cdsk(CDSK(), SEVEN, RunSettings())
    assert max(record.detail["weight_gap"] for record in fine.trace) <= finest
    assert run.objective == pytest.approx(fine.objective, rel=1e-5)
    assert run.summary["labels"] == fine.summary["labels"]


def test_vectors_are_single_until_they_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    plain = davidson.lowest_near

    def seen(product: Any, diagonal: Any, start: Any, **more: Any) -> Any:
        pairs = plain(product, diagonal, start, **more)
        found.append((start.dtype, more["most"], pairs))
        return pairs

    monkeypatch.setattr(spectral, "lowest_near", seen)
    run = fit_cdsk(CDSK(), MANY, RunSettings())
    singles = [most for dtype, most, _ in found if dtype == np.float32]
    doubles = [(most, pairs) for dtype, most, pairs in found if dtype == np.float64]
    assert len(singles) == len(run.trace) + 1  # the choice, the start, every round but the last
    assert [most for most, _ in doubles] == [0] * len(singles) + [spectral.CONVERGING_STEPS]
    for _, pairs in doubles:
        shift = pairs.vectors.T @ pairs.vectors - np.eye(4)
        assert np.abs(shift).max() < 1e-13
    Y = np.array(run.summary["embedding"])
    np.testing.assert_allclose(Y.T @ Y, MANY.rows / 3 * np.eye(3), atol=1e-10)


def test_rows_at_a_time_are_the_whole_similarity() -> None:
    rng = np.random.default_rng(0)
    s = Distances.of(rng.normal(size=(150, 2))).gram(0.7)
    a, Y = rng.dirichlet(np.full(150, 5.0)), rng.normal(size=(150, 3))
    for size in (s, s + 0.1 * np.eye(150)):
        problem = Weighted(s=s, size=size, lam=75.0, upper=2 / 75)
        S, room = problem.similarity(a), np.full((150, 150), np.nan)
        np.testing.assert_allclose(problem.degrees(a), S.sum(axis=1), rtol=1e-12)
        d = ((Y[:, None] - Y) ** 2).sum(axis=2)
        assert problem.trace(a, Y) == pytest.approx(0.25 * float((S * d).sum()), rel=1e-12)
        np.testing.assert_array_equal(problem.laplacian(a, room), problem.laplacian(a))
        np.testing.assert_array_equal(problem.quadratic(Y, room)[0], problem.quadratic(Y)[0])


def test_a_linear_term_is_absorbed_on_the_simplex() -> None:
    rng = np.random.default_rng(2)
    Q, b, a = rng.normal(size=(9, 9)), rng.normal(size=9), rng.dirichlet(np.ones(9))
    Q = Q + Q.T
    G, zero = absorbed(Q.copy(), b)
    assert a @ G @ a == pytest.approx(a @ Q @ a + b @ a, abs=1e-14)
    gaps = [frank_wolfe_gap(2 * M @ a + v, a, 0.5) for M, v in ((Q, b), (G, zero))]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-14)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_pairwise_descent_bears_any_scale(scale: float) -> None:
    problem = assemble(CDSK(), MANY).problem
    Y = spectral.ratio_embedding(problem, problem.uniform, 3).Y
    Q, b = problem.quadratic(Y)
    gap = WEIGHT_STEP_GAP * MANY.rows * scale
    found = weight_step.paired_start(scale * Q, scale * b, problem.upper, problem.uniform, gap)
    gradient = scale * (2.0 * (Q @ found) + b)
    assert frank_wolfe_gap(gradient, found, problem.upper) <= 2.0 * gap
