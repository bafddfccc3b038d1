"""Constraints of estimators: through grid searches, pipelines, copies, weights and classes."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from refusals import refused
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import radprog as rp
from radprog.estimators import (
    L1SVMClassifier,
    ShapeletBoostClassifier,
    SparseHingeClassifier,
    SparseHingeClassifierCV,
    SparseQuantileRegressor,
    SparseQuantileRegressorCV,
    VKRClassifier,
    VKRClassifierCV,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
GROUP = np.where(X[:, 1] > 0, "a", "b")
Y = X[:, 0] + 0.8 * (GROUP == "a") + 0.4 * RNG.normal(size=60) > 0.4
THREE = (X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)
FAIR = rp.parity("groups", 0.05)
MODELS = [
    VKRClassifier(kernels="poly:1-2", lam=0.01),
    L1SVMClassifier(kernels="rbf:1", beta=0.01),
    SparseHingeClassifier(beta=0.01),
    VKRClassifierCV(kernels="poly:1", lams=[1e-2, 1e-1], cv=2),
    SparseHingeClassifierCV(betas=[1e-2, 1e-1], cv=2),
]


def above_zero(rows):
    """Two groups by the second column."""
    return rows[:, 1] > 0


def gap(f):
    """The gap between the mean scores of the groups."""
    return abs(f[GROUP == "a"].mean() - f[GROUP == "b"].mean())


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
def test_every_classifier_keeps_its_constraints(model, y, tmp_path) -> None:
    fair = clone(model).set_params(constraints=FAIR).fit(X, y, groups=GROUP)
    f = fair.decision_function(X).reshape(60, -1)
    assert fair.certified_
    assert max(map(gap, f.T)) <= 0.05 + 1e-7
    named = ["parity of groups"]
    if y is THREE:
        named = [f"class {k}: parity of groups" for k in range(3)]
    assert list(fair.constraint_prices_) == named
    assert max(fair.constraint_prices_.values()) > 0.0
    # copies keep them, and the saved result is checked against the data
    again = pickle.loads(pickle.dumps(fair))  # noqa: S301
    assert again.constraint_prices_ == fair.constraint_prices_
    data = rp.dataset(X, y, one_vs_rest=True)
    assert list(fair.run_.multipliers) == named
    rp.save_run(fair.run_, data, tmp_path / "run.json")
    assert rp.check(tmp_path / "run.json", data)["holds"]
    refused(ValueError, r"groups of shape \(3,\)", clone(fair).fit, X, y, groups=[1, 2, 3])
    refused(rp.OptionError, "group 'groups': expected a feature", clone(fair).fit, X, y)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("labels", [["hire", "no"], [10, 9, 30]], ids=["two", "three"])
def test_a_saved_fit_has_the_constraints_weights_and_labels(model, labels, tmp_path) -> None:
    y = np.array(labels)[Y.astype(int) if len(labels) == 2 else THREE]
    fair = clone(model).set_params(constraints=FAIR, class_weight="balanced")
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    fair.fit(X, y, sample_weight=weights, groups=GROUP)
    fair.save_fit(tmp_path / "fit.json")
    saved = rp.load_fit(tmp_path / "fit.json")
    assert saved.predict(X).tolist() == fair.predict(X).tolist()
    assert np.array_equal(saved.decision_function(X), fair.decision_function(X))


def test_a_rate_names_its_label_and_may_be_that_of_the_first() -> None:
    y = np.where(Y, "hire", "no")
    for label, first in (("hire", True), ("no", False)):
        cap = rp.rate("positive", 0.5, positive=label)
        few = SparseHingeClassifier(constraints=cap).fit(X, y)
        assert (few.predict(X) == label).mean() <= 0.5
        (name,) = few.constraint_prices_
        assert name == f"positive rate of '{label}' at most 0.5"
        usual = SparseHingeClassifier(constraints=rp.rate("positive", 0.5)).fit(X, y)
        assert (list(usual.constraint_prices_) == [name]) is not first
    with pytest.raises(rp.OptionError, match=r"expected rp\.rate\('false negative', 0\.2\)"):
        SparseHingeClassifier(constraints="rate:false negative:0.2").fit(X, y)


def test_regressors_and_series(tmp_path) -> None:
    target = X @ [1.0, 2.0, -1.0] + RNG.normal(size=60)
    model = SparseQuantileRegressor(beta=1e-3, constraints=[FAIR, rp.monotone(2)])
    fair = model.fit(X, target, groups=GROUP)
    assert gap(fair.predict(X)) <= 0.05 + 1e-7
    assert fair.coef_[2] >= 0.0
    assert set(fair.constraint_prices_) == {"parity of groups", "score rises with column 2"}
    chosen = SparseQuantileRegressorCV(betas=[1e-3, 1e-2], cv=2, constraints=FAIR)
    assert gap(chosen.fit(X, target, groups=GROUP).predict(X)) <= 0.05 + 1e-7
    waves = np.sin(np.linspace(0, 6, 20) * (1 + Y[:, None])) + 0.1 * X[:, :1]
    shapelets = ShapeletBoostClassifier(length="5", constraints=FAIR).fit(waves, Y, groups=GROUP)
    assert gap(shapelets.decision_function(waves)) <= 0.05 + 1e-7
    shapelets.save_fit(tmp_path / "fit.npz")
    saved = rp.load_fit(tmp_path / "fit.npz")
    assert saved.predict(rp.series(waves, Y)).tolist() == shapelets.predict(waves).tolist()


def test_names_of_columns_and_routed_groups_survive_pipelines_and_splits() -> None:
    table = pd.DataFrame(X, columns=["income", "age", "rooms"])
    named = SparseHingeClassifier(constraints=[rp.parity("age > 0", 0.05), rp.monotone("rooms")])
    fitted = clone(named).fit(table, Y)
    assert gap(fitted.decision_function(table)) <= 0.05 + 1e-7
    assert fitted.coef_[0, 2] >= 0.0
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), named)
    grid = GridSearchCV(scaled, {"sparsehingeclassifier__beta": [1e-2, 1e-1]}, cv=3)
    assert grid.fit(table, Y).best_estimator_[-1].constraint_prices_
    with sklearn.config_context(enable_metadata_routing=True):
        routed = SparseHingeClassifier(beta=0.01, constraints=FAIR).set_fit_request(groups=True)
        pipe = make_pipeline(StandardScaler(), routed)
        grid = GridSearchCV(pipe, {"sparsehingeclassifier__beta": [1e-2, 1e-1]}, cv=3)
        best = grid.fit(X, Y, groups=GROUP).best_estimator_
        assert gap(best.decision_function(X)) <= 0.05 + 1e-7
        probable = CalibratedClassifierCV(routed, cv=3, ensemble=False).fit(X, Y, groups=GROUP)
        inner = probable.calibrated_classifiers_[0].estimator
        assert gap(inner.decision_function(X)) <= 0.05 + 1e-7


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_missing_groups_and_functions_of_frames_are_named(missing) -> None:
    y = np.arange(40) % 2
    frame = pd.DataFrame({"a": np.random.default_rng(0).normal(size=40)})
    model = SparseHingeClassifier(constraints=rp.parity("groups", 0.1))
    groups = np.array([1.0, missing, 2.0, missing] * 10, dtype=object)
    refused(
        rp.OptionError, "20 of 40 values are missing.* row 1", model.fit, frame, y, groups=groups
    )
    model.set_params(constraints=rp.parity(lambda rows: rows["a"] > 0, 0.1))
    refused(rp.OptionError, r"an array \(40, 1\); name a column", model.fit, frame, y)


def test_tune_takes_constraints() -> None:
    data = rp.dataset(X, Y.astype(int))
    grid = {"lam": [1e-3, 1e-1]}
    spec = rp.VKR(kernels="poly:1")
    free, fair = (
        rp.tune(spec, data, grid, folds=3, constraints=one) for one in (None, rp.parity("1 > 0", 0))
    )
    assert [a["error"] for a in free["cells"]] != [a["error"] for a in fair["cells"]]
    refused(rp.OptionError, "has no meaning", rp.tune, spec, data, grid, by="compression",
            constraints=FAIR)  # fmt: skip
    cells = rp.tune(spec, data, {"lam": [1e-3]}, folds=2, constraints=rp.rate("positive", 1.0))
    assert cells["certified"]


# a constraint of each kind, looser by h in every bound
KINDS = [
    lambda h: rp.parity(above_zero, 0.05 + h),
    lambda h: rp.equal_opportunity("1 > 0", 0.03 + h),
    lambda h: rp.mean_score(-0.3 + h),
    lambda h: rp.rate("positive", 0.7 + h),
    lambda h: rp.rate("false negative", 0.3 + h, above_zero),
]


@pytest.mark.thorough
@pytest.mark.cases(60)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_constrained_weighted_fits_through_a_grid_search(seed) -> None:
    rng = np.random.default_rng(seed)
    rows, weights = rng.normal(size=(48, 3)), rng.integers(0, 4, 48)
    y = rows[:, 0] + 0.8 * (rows[:, 1] > 0) + 0.6 * rng.normal(size=48) > 0.4
    model, name, values = [
        (VKRClassifier(kernels="poly:1-2"), "lam", [1e-2, 1e-1]),
        (L1SVMClassifier(kernels="rbf:1"), "beta", [1e-3, 1e-2]),
        (SparseHingeClassifier(), "beta", [1e-2, 3e-2]),
    ][seed % 3]
    kind = KINDS[seed // 3 % len(KINDS)]
    model.set_params(constraints=kind(0.0), tol=1e-9)
    grid = GridSearchCV(model, {name: values}, cv=3, n_jobs=2)
    fair = grid.fit(rows, y, sample_weight=weights).best_estimator_
    assert fair.certified_
    # realised on the training rows, from the scores alone
    held = rp.dataset(rows, y.astype(int), weights=weights)
    f = fair.decision_function(held.X)
    positive, w, own = held.signs > 0, held.weights, held.X[:, 1] > 0
    means = [np.average(f[among], weights=w[among]) for among in (own, ~own)]
    good = [np.average(f[among & positive], weights=w[among & positive]) for among in (own, ~own)]
    missed = [
        np.average(f[among & positive] < 0.0, weights=w[among & positive]) for among in (own, ~own)
    ]
    values = [
        abs(means[0] - means[1]) - 0.05, abs(good[0] - good[1]) - 0.03,
        np.average(f, weights=w) + 0.3, np.average(f >= 0.0, weights=w) - 0.7, max(missed) - 0.3,
    ]  # fmt: skip
    assert values[KINDS.index(kind)] <= 1e-7
    # an integer weight is a number of copies
    copies = np.repeat(np.arange(48), weights)
    again = clone(fair).fit(rows[copies], y[copies])
    assert again.objective_ == pytest.approx(fair.objective_, rel=1e-8, abs=1e-10)
    # the price is the slope of the optimal value, between its slopes to both sides
    h = 1e-5
    values = [
        clone(fair).set_params(constraints=kind(d)).fit(rows, y, sample_weight=weights).objective_
        for d in (-h, 0.0, h)
    ]
    slopes = np.diff(values) / h
    price = sum(fair.constraint_prices_.values())
    assert -slopes[1] - 1e-5 <= price <= -slopes[0] + 1e-5


@pytest.mark.thorough
@pytest.mark.cases(60)
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        SparseHingeClassifier(constraints=rp.mean_score(1.0)),
        SparseQuantileRegressor(constraints=rp.monotone(0)),
        VKRClassifier(constraints=rp.monotone(0)),
        L1SVMClassifier(constraints=rp.mean_score(1.0)),
        SparseHingeClassifierCV(cv=2, constraints=rp.mean_score(1.0)),
        VKRClassifierCV(kernels="poly:1", cv=2, constraints=rp.mean_score(1.0)),
        ShapeletBoostClassifier(sigma=0.3, max_iter=30, constraints=rp.mean_score(1.0)),
    ]
)
def test_scikit_learn(estimator, check) -> None:
    check(estimator)
