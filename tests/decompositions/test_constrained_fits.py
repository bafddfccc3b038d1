"""Constraints in scores, of every model whose scores they hold: prices, results on disk, words."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused
from small_data import waves

import radprog as rp
from radprog.base.errors import UnfinishedError
from radprog.models.constraints import realised
from radprog.result import result_of

SPECS = [
    rp.VKR(kernels="poly:1-2", lam=1e-3, beta=1e-3),
    rp.L1SVM(kernels="poly:2", beta=0.01),
    rp.SVM(kernels="rbf:1", C=1.0),
    rp.SVM(kernels="poly:2", C=100.0),
    rp.L1Linear(beta=0.01),
    rp.LPBoost(length="4", nu=0.3),
]


def table(seed: int, m: int) -> Any:
    """Two features, and noisy labels by them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    y = np.where(X[:, 0] + 0.4 * X[:, 1] + 0.5 * rng.normal(size=m) > 0, 1, -1)
    return np.column_stack([X, np.where(np.arange(m) < 2, (-1) ** np.arange(m), y)])


def data_of(spec: Any, seed: int, m: int) -> Any:
    if isinstance(spec, rp.LPBoost):
        return waves(seed, m)
    rows = table(seed, m)
    return rp.dataset(rows[:, :2], rows[:, 2], scale="ball")


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_price_is_the_slope_of_the_optimum(spec: Any) -> None:
    data, group = data_of(spec, 3, 30), np.arange(30) % 3 == 0
    free = rp.fit(spec, data, tol=1e-10).fit.scores(data.X)
    size, margins = float(np.abs(free).max()), data.signs * free
    top, right = np.argsort(free), int(np.where(margins > 0, margins, np.inf).argmin())
    makers = [
        lambda t: rp.parity(group, 0.5 * abs(free[group].mean() - free[~group].mean()) + t),
        lambda t: rp.equal_opportunity(group, 1e-3 * size + t),
        lambda t: rp.scores(np.ones(30) / 30, free.mean() - 0.02 * size + t),
        lambda t: rp.monotone([(int(top[-1]), int(top[-2]))], gap=2e-3 * size - t),
        lambda t: rp.must_classify([right], margin=margins[right] + 0.02 * size - t),
        lambda t: rp.positive_rate(0.5 + (free.mean() - 0.02 * size + t) / 2),
    ]
    priced = 0
    for make in makers:
        run = rp.fit(spec, data, constraints=make(0.0), tol=1e-10)
        assert run.certified
        (told,) = run.extra["constraints"]
        step = 1e-6 * size
        moved = (rp.fit(spec, data, constraints=make(t), tol=1e-11) for t in (-step, step))
        below, above = (one.objective for one in moved)
        slope = abs(below - above) / (2.0 * step)
        assert told["price"] == pytest.approx(slope, rel=1e-3, abs=1e-6), told["name"]
        assert run.multipliers == {told["name"]: told["price"]}
        priced += told["price"] > 0.0
        assert not told["price"] or abs(told["slack"]) <= 1e-7 * size
    assert priced >= len(makers) - 2


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_saved_results_carry_their_constraints(spec: Any, tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    if isinstance(spec, rp.LPBoost):
        plain = waves(5, 16)
        np.savetxt(path, np.column_stack([plain.signs, plain.X]), delimiter="\t")
        data = rp.read_series(path)
    else:
        np.savetxt(path, table(5, 30))
        data = rp.read(path, scale="standard")
    m = data.rows
    low = rp.fit(spec, data).fit.scores(data.X).mean() - 0.02
    held = [rp.scores(np.ones(m) / m, low)]
    run = rp.fit(spec, data, constraints=held, tol=1e-8)
    result = json.loads(json.dumps(result_of(run, data)))
    report = rp.check(result, str(path))
    assert report["holds"], report["problems"]
    # a tighter bound, another price, no price, no constraints: told by what is recomputed
    changes = (
        lambda told: told["params"]["constraints"][0].update(bound=low - 0.01),
        lambda told: told["certificate"].update(mu=[0.0] * len(held)),
        lambda told: told["certificate"].update(mu=[]),
        lambda told: told["params"].pop("constraints"),
    )
    for k, change in enumerate(changes):
        told = json.loads(json.dumps(result))
        del told["digest"]
        change(told)
        report = rp.check(told, str(path))
        assert not report["holds"]
        if k == 0 and not isinstance(spec, rp.SVM):  # whose objective breaks no row
            assert report["recomputed"]["objective"] is None


@pytest.mark.parametrize("spec", [*SPECS, rp.L1SVM(kernels="poly:1")], ids=str)
def test_an_infeasible_set_is_told_in_its_words(spec: Any) -> None:
    data = data_of(spec, 6, 12)
    up, down = (int(np.flatnonzero(data.signs == sign)[0]) for sign in (1, -1))
    rows = (
        f"X[{up}] right with margin 0.05",
        f"score of X[{up}] below that of X[{down}]",
        f"X[{down}] right with margin 0.05",
    )
    held = [
        rp.must_classify([up], margin=0.05),
        rp.monotone([(up, down)]),
        rp.must_classify([down], margin=0.05),
        rp.positive_rate(1.0),
    ]
    told = r"3 constraints cannot hold together: .*; without any one of them the others can hold"
    with pytest.raises(rp.SettingError, match=told) as caught:
        rp.fit(spec, data, constraints=held)
    assert all(row in str(caught.value) for row in rows)
    assert rp.fit(spec, data, constraints=[held[0], *held[2:]]).certified
    report = rp.analyze(spec, data, constraints=held)
    if not isinstance(spec, rp.SVM):  # of its quadratic program, no conflict is found
        conditions = report["conflict"]["conditions"]
        assert set(rows) <= {c["what"] for c in conditions if c["part"] == "row"}
    # rounding in columns without bounds leaves the conflict of others unproved
    if isinstance(spec, rp.LPBoost) or getattr(spec, "kernels", "") == "poly:1":
        assert report["status"] == "infeasible"
    if isinstance(spec, rp.LPBoost):
        words = r"no ensemble keeps the constraint: X\[0\] right"
        refused(rp.SettingError, words, rp.fit, spec, data, constraints=rp.must_classify([0], 2.0))


RATED = [
    rp.SVM(kernels="poly:2"),
    rp.VKR(kernels="poly:1-2"),
    rp.L1Linear(),
    rp.LPBoost(learner="stump", nu=0.4),
]


@pytest.mark.parametrize("spec", RATED[1:3], ids=str)
@pytest.mark.parametrize("steps", range(1, 5))
def test_a_limit_of_a_fit_under_a_rate_certifies_nothing_false(spec: Any, steps: int) -> None:
    data, rate = data_of(spec, 3, 60), rp.rate("positive", 0.4)
    whole = rp.fit(spec, data, constraints=rate, tol=1e-9)
    assert whole.certified
    try:
        run = rp.fit(spec, data, constraints=rate, tol=1e-9, max_iter=steps)
    except UnfinishedError as error:
        assert "no scores keep the constraints yet" in str(error)  # noqa: PT017
        return
    assert np.maximum(0.0, 1.0 + run.fit.scores(data.X)).mean() <= 0.4 + 1e-7
    assert whole.bound - 1e-9 <= run.objective
    assert run.bound <= whole.objective + 1e-9
    assert run.certified is (run.gap <= 1e-9)
    assert rp.check(run, data)["holds"]


@pytest.mark.parametrize("spec", RATED, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_program_of_a_fit_has_its_rates(spec: Any, weighted: bool) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 2))
    y = X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=24) > 0.5
    weights = rng.integers(1, 4, 24).astype(float) if weighted else None
    data = rp.dataset(X, y, weights=weights)
    held = [rp.rate("false negative", 0.9), rp.rate("positive", 0.9), rp.mean_score(0.5)]
    run = rp.fit(spec, data, constraints=held, tol=1e-9)
    assert run.certified
    assert isinstance(spec, rp.LPBoost) or max(run.multipliers.values()) > 1e-3
    f = run.fit.scores(data.X)
    for values in realised(held, data, f).values():
        assert values["slack"] >= -1e-7
    if isinstance(spec, rp.LPBoost):
        assert rp.check(run, data)["holds"]
        return
    forms = ["dual"] if isinstance(spec, rp.SVM) else ["primal", "dual"]
    for form in forms:
        model = rp.build(spec, data, form=form, constraints=held)
        solution = rp.solve(model, solver="piqp" if isinstance(spec, rp.SVM) else "highs")
        assert abs(solution.objective) == pytest.approx(run.objective, rel=1e-6), form
        assert rp.build(run.spec, data, form=form).name == model.name
    # whole programs and columns give one value
    if not isinstance(spec, rp.SVM):
        other = rp.fit(spec, data, constraints=held, method="direct", tol=1e-8)
        assert other.objective == pytest.approx(run.objective, rel=1e-7)


def test_a_stopped_fit_of_boosted_trees_keeps_its_rates_and_certifies_nothing_false() -> None:
    rng, caps = np.random.default_rng(5), np.array([0.3, 0.9])
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=80) > 1
    limits = [rp.rate("false negative", caps[0]), rp.rate("positive", caps[1])]
    whole, ended = rp.LPBoostClassifier(constraints=limits).fit(X, y), 0
    assert whole.certified_
    for last in (1, whole.n_iter_ // 2, whole.n_iter_ - 1):
        records = list[Any]()

        def end(record: Any, records: Any = records, last: int = last) -> None:
            records.append(record)
            if len(records) == last:
                raise ValueError("a limit")

        model = rp.LPBoostClassifier(verbose=end, constraints=limits)
        refused(rp.StoppedError, "a limit", model.fit, X, y)
        assert all(
            record.gap is None or record.objective >= whole.bound_ - 1e-9 for record in records
        )
        if not hasattr(model, "objective_"):
            continue  # there was no ensemble yet
        f = model.decision_function(X)
        surrogates = np.maximum(1.0 - f[y], 0.0).mean(), np.maximum(1.0 + f, 0.0).mean()
        assert np.all(surrogates <= caps + 1e-7)
        assert model.objective_ >= whole.objective_ - 1e-8
        assert model.bound_ is None or model.bound_ <= whole.objective_ + 1e-9
        solved = rp.solve(model.program(X, y)).objective
        assert solved <= model.objective_ + 1e-8
        ended += 1
    assert ended


@pytest.mark.parametrize("spec", RATED[:3], ids=str)
def test_rates_in_conflict_are_refused(spec: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=200) > 1.5
    held = [rp.rate("false negative", 0.1), rp.rate("positive", 0.15)]
    told = "2 constraints cannot hold together: false negative rate .* 0.1; positive rate .* 0.15;"
    data = rp.dataset(X, y, scale="standard")
    refused(rp.SettingError, told, rp.fit, spec, data, constraints=held)
