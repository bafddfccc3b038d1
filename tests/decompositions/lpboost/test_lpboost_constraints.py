"""Constraints in scores on boosted shapelets: column generation, whole programs, linprog."""

from typing import Any

import numpy as np
import pytest
from effort import count
from small_data import waves
from soft_margin import soft_margin

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.lpboost.shapelets import assemble


def settings_of(seed: int) -> Any:
    learner = ("shapelet", "shapelet-plus", "shapelet")[seed % 3]
    kernel = ("gauss", "linear")[seed % 2]
    length = ("4", "3,0.5", "5")[seed % 3]
    return rp.LPBoost(learner=learner, pattern_kernel=kernel, length=length, nu=0.3)


def features(spec: Any, data: Any) -> FloatArray:
    """Values (T, m) of every hypothesis."""
    H = np.concatenate([family.features for family in assemble(spec, data).families])
    return np.concatenate([H, -H]) if spec.learner == "shapelet" else H


def case(seed: int) -> tuple[Any, Any, FloatArray, FloatArray]:
    """Data, settings and rows; those of every third seed contradict each other by rows' sums."""
    rng = np.random.default_rng(2000 + seed)
    m, R = 2 * int(rng.integers(4, 9)), int(rng.integers(1, 5))
    data, spec = waves(seed, m), settings_of(int(rng.integers(6)))
    G = rng.normal(size=(R, m)) * (rng.uniform(size=(R, m)) < 0.6)
    H = features(spec, data)
    inside = rng.dirichlet(np.full(len(H), 0.05)) @ H
    h = G @ inside + np.abs(inside).mean() * 10.0 ** rng.uniform(-3, 0, size=R)
    if seed % 3 == 0:
        G = np.vstack([G, -G.sum(axis=0)])
        h = np.append(h, -h.sum() - 0.1 * rng.uniform(size=1))
    return data, spec, G, h


@pytest.mark.parametrize("seed", range(count(100, 12)))
def test_random_rows_agree_with_linprog(seed: int) -> None:
    data, spec, G, h = case(seed)
    known = soft_margin(features(spec, data), data.signs, spec.nu, G, h)
    assert known.status == (2 if seed % 3 == 0 else 0)
    if known.status == 2:
        with pytest.raises(rp.SettingError, match=r"hold together|no ensemble keeps"):
            rp.fit(spec, data, constraints=rp.scores(G, h))
        return
    run = rp.fit(spec, data, constraints=rp.scores(G, h), tol=1e-8)
    assert run.certified
    assert run.objective == pytest.approx(-known.fun, rel=1e-7, abs=1e-9)
    scores = run.fit.scores(data.X)
    assert np.all(G @ scores <= h + 1e-7 * (np.abs(h) + np.abs(G) @ np.abs(scores)))


@pytest.mark.parametrize("seed", range(count(12, 4)))
def test_the_bound_holds_at_any_dual_point(seed: int) -> None:
    """Never below the optimum, and no lower than the optimum at the run's own point."""
    data, spec, G, h = case(3 * seed + 1)
    run = rp.fit(spec, data, constraints=rp.scores(G, h), tol=1e-9)
    margin, H = assemble(run.spec, data).margin, features(spec, data)
    rng = np.random.default_rng(seed)
    for size in 10.0 ** rng.uniform(-3, 2, size=20):
        d, mu = rng.exponential(size=data.rows), size * rng.normal(size=len(h))
        z = margin.feasible(np.append(d, mu))
        edge = (H @ (data.signs * z[: data.rows] - z[data.rows :] @ G)).max()
        bound = margin.bound(float(edge) + margin.rounding(float(np.abs(H).max()), z), z)
        assert bound >= run.objective
        assert bound == pytest.approx(edge + h @ z[data.rows :], rel=1e-12, abs=1e-12)


def test_forms_have_the_value_of_the_fit(tmp_path: Any) -> None:
    data, spec = waves(4, 16), rp.LPBoost(length="4", nu=0.3)
    free = rp.fit(spec, data, tol=1e-9)
    held = rp.scores(np.ones(16) / 16, free.fit.scores(data.X).mean() - 0.02, ["mean"])
    run = rp.fit(spec, data, constraints=held, tol=1e-9)
    assert run.objective < free.objective - 1e-4
    for form in ("primal", "dual"):
        solution = rp.solve(rp.build(spec, data, form, constraints=held), tol=1e-9)
        assert solution.objective == pytest.approx(run.objective, rel=1e-7), form
    assert rp.solve(run.model(), tol=1e-9).objective == pytest.approx(run.objective, rel=1e-7)


def test_a_run_cut_off_at_once_keeps_the_constraints() -> None:
    data, spec = waves(7, 40, 30), rp.LPBoost(length="0.2,0.4", nu=0.2)
    held = rp.scores(np.ones(40) / 40, -0.02)
    run = rp.fit(spec, data, constraints=held, max_iter=1)
    assert run.fit.scores(data.X).mean() <= -0.02 + 1e-8
    assert run.objective <= rp.fit(spec, data, constraints=held).objective <= run.bound
