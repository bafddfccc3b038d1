"""Constraints in scores on boosted shapelets: column generation, whole programs, linprog."""

import json
from typing import Any

import numpy as np
import pytest
from effort import count
from refusals import refused
from soft_margin import soft_margin

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.result import result_of


def waves(seed: int, m: int, span: int = 10) -> Any:
    """Noisy series of two classes, the positive ones with a bump somewhere."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2, 1, -1)
    X = 0.6 * rng.normal(size=(m, span))
    for i in np.flatnonzero(y > 0):
        start = rng.integers(0, span - 3)
        X[i, start : start + 3] += 1.5
    return rp.series(X, y)


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
        z = margin.feasible(
            np.append(rng.exponential(size=data.rows), size * rng.normal(size=len(h)))
        )
        edge = (H @ (data.signs * z[: data.rows] - z[data.rows :] @ G)).max()
        bound = margin.bound(float(edge) + margin.rounding(float(np.abs(H).max()), z), z)
        assert bound >= run.objective
        assert bound == pytest.approx(edge + h @ z[data.rows :], rel=1e-12, abs=1e-12)


def test_a_price_is_the_slope_of_the_optimum() -> None:
    data = waves(3, 24)
    spec = rp.LPBoost(length="4", nu=0.3)
    group = np.arange(24) % 3 == 0
    free = rp.fit(spec, data, tol=1e-10).fit.scores(data.X)
    gap = abs(free[group].mean() - free[~group].mean())
    low = np.argsort(free)
    makers = (
        lambda t: rp.parity(group, 0.5 * gap + t),
        lambda t: rp.equal_opportunity(group, t + 1e-3),
        lambda t: rp.scores(np.ones(24) / 24, free.mean() - 0.01 + t),
        lambda t: rp.monotone([(int(low[-1]), int(low[-2]))], gap=2e-3 - t),
        lambda t: rp.must_classify(
            low[:2] if data.signs[low[0]] > 0 else low[-2:], margin=-t + 1e-3
        ),
    )
    priced = 0
    for make in makers:
        run = rp.fit(spec, data, constraints=make(0.0), tol=1e-10)
        assert run.certified
        (told,) = run.extra["constraints"]
        values = [
            rp.fit(spec, data, constraints=make(t), tol=1e-11).objective for t in (-1e-6, 1e-6)
        ]
        slope = (values[1] - values[0]) / 2e-6
        assert told["price"] == pytest.approx(slope, rel=1e-4, abs=1e-7), told["name"]
        assert run.multipliers == {told["name"]: told["price"]}
        priced += told["price"] > 0.0
    assert priced >= 3


def test_forms_load_and_analysis_have_the_value_of_the_fit(tmp_path: Any) -> None:
    data, spec = waves(4, 16), rp.LPBoost(length="4", nu=0.3)
    free = rp.fit(spec, data, tol=1e-9)
    held = rp.scores(np.ones(16) / 16, free.fit.scores(data.X).mean() - 0.02, ["mean"])
    run = rp.fit(spec, data, constraints=held, tol=1e-9)
    assert run.objective < free.objective - 1e-4
    for form in ("primal", "dual"):
        solution = rp.solve(rp.build(spec, data, form, constraints=held), tol=1e-9)
        assert solution.objective == pytest.approx(run.objective, rel=1e-7), form
        (told,) = rp.analyze(spec, data, form=form, constraints=held)["constraints"]
        assert told["price"] == pytest.approx(run.multipliers["mean"], rel=1e-6), form
    assert rp.solve(run.model(), tol=1e-9).objective == pytest.approx(run.objective, rel=1e-7)
    refused(rp.OptionError, "weak learner", rp.build, spec, data, "weak-l1", constraints=held)


def test_saved_results_carry_their_constraints(tmp_path: Any) -> None:
    plain = waves(5, 16)
    path = tmp_path / "waves.tsv"
    np.savetxt(path, np.column_stack([plain.signs, plain.X]), delimiter="\t")
    data, spec = rp.read_series(path), rp.LPBoost(length="4", nu=0.3)
    scores = rp.fit(spec, data).fit.scores(data.X)
    held = rp.scores(np.ones(16) / 16, scores.mean() - 0.02)
    result = json.loads(json.dumps(result_of(rp.fit(spec, data, constraints=held, tol=1e-8), data)))
    report = rp.check(result, str(path))
    assert report["holds"], report["problems"]
    # a tighter bound, another price, no price
    for change in (
        lambda told: told["params"]["constraints"][0].update(bound=scores.mean() - 0.03),
        lambda told: told["certificate"].update(mu=[0.0]),
        lambda told: told["certificate"].update(mu=[]),
    ):
        told = json.loads(json.dumps(result))
        change(told)
        told.pop("digest")
        report = rp.check(told, str(path))
        assert not report["holds"]
        if told["certificate"]["mu"] == result["certificate"]["mu"]:
            assert report["recomputed"]["objective"] is None
    assert "(16,) weights of rows and prices of constraints, expected 17" in str(report["problems"])


def test_an_infeasible_set_is_told_in_its_words() -> None:
    data, spec = waves(6, 12), rp.LPBoost(length="4")
    held = [
        rp.must_classify([0], margin=0.05),
        rp.monotone([(1, 0)]),
        rp.must_classify([1], margin=0.05),
        rp.positive_rate(1.0),
    ]
    told = (
        r"3 constraints cannot hold together: X\[0\] right with margin 0.05; score of X\[1\] below "
        r"that of X\[0\]; X\[1\] right with margin 0.05; without any one of them the others can "
        r"hold"
    )
    refused(rp.SettingError, told, rp.fit, spec, data, constraints=held)
    assert rp.fit(spec, data, constraints=[held[0], *held[2:]]).certified
    with pytest.raises(rp.SettingError, match=r"no ensemble keeps the constraint: X\[0\] right"):
        rp.fit(spec, data, constraints=rp.must_classify([0], margin=2.0))
    report = rp.analyze(spec, data, constraints=held)
    assert report["status"] == "infeasible"
    words = {c["what"] for c in report["conflict"]["conditions"] if c["part"] == "row"}
    assert {"X[0] right with margin 0.05", "score of X[1] below that of X[0]"} <= words


@pytest.mark.parametrize(
    ("learner", "made", "message"),
    [
        ("l1", rp.positive_rate(0.6), "learner 'l1' is priced by local search"),
        ("shapelet", rp.family_cap("poly:1", 1.0), "lpboost has no families of kernels"),
        ("shapelet", rp.scores(np.ones(3), 1.0), "G has 3 columns"),
        ("shapelet", rp.parity("a", 1.0), "expected a feature of data"),
    ],
)
def test_refused(learner: str, made: Any, message: str) -> None:
    with pytest.raises(rp.OptionError, match=message):
        rp.fit(rp.LPBoost(learner=learner), waves(0, 12), constraints=made)


def test_a_run_cut_off_at_once_keeps_the_constraints() -> None:
    data, spec = waves(7, 40, 30), rp.LPBoost(length="0.2,0.4", nu=0.2)
    held = rp.scores(np.ones(40) / 40, -0.02)
    run = rp.fit(spec, data, constraints=held, max_iter=1)
    assert run.fit.scores(data.X).mean() <= -0.02 + 1e-8
    assert run.objective <= rp.fit(spec, data, constraints=held).objective <= run.bound
