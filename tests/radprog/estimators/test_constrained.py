"""Constraints of estimators: through grid searches, pipelines, copies, weights and classes."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from refusals import refused
from scipy import sparse
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
    few = clone(model).fit(sparse.csr_array(X), target, groups=GROUP)
    assert few.constraint_prices_ == pytest.approx(fair.constraint_prices_, abs=1e-9)
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
    words = r"IndexError.* of an array \(40, 1\): name columns"
    refused(rp.OptionError, words, model.fit, frame, y)


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


class Drawn:
    """Random rows with integer weights, a model, and constraints of one or two kinds."""

    MODELS = (
        (VKRClassifier(kernels="poly:1-2"), "lam", [1e-2, 1e-1]),
        (L1SVMClassifier(kernels="rbf:1"), "beta", [1e-3, 1e-2]),
        (SparseHingeClassifier(), "beta", [1e-2, 3e-2]),
        (SparseQuantileRegressor(quantile=0.3), "beta", [1e-3, 1e-2]),
        (ShapeletBoostClassifier(length="4"), "nu", [0.2, 0.5]),
        (rp.LPBoostClassifier(), "beta", [1e-2, 5e-2]),
    )

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        m = int(rng.integers(40, 60))
        self.X, self.weights = rng.normal(size=(m, 3)), rng.integers(0, 4, m)
        self.groups = np.where(self.X[:, 1] + 0.5 * rng.normal(size=m) > 0, "a", "b")
        level = self.X[:, 0] + 0.8 * (self.groups == "a") + 0.6 * rng.normal(size=m)
        model, self.name, self.values = self.MODELS[seed % 6]
        self.model, self.y = clone(model), level > 0.4
        if hasattr(model, "tol"):
            self.model.set_params(tol=1e-9)
        self.classes = not isinstance(model, SparseQuantileRegressor)
        if not self.classes:
            self.y = level - 2.0 * self.X[:, 2]
        if isinstance(model, ShapeletBoostClassifier):
            waves = np.sin(np.linspace(0.0, 6.0, 12) * (1 + self.y[:, None]))
            self.X = waves + 0.4 * self.X[:, :1] + 0.3 * rng.normal(size=(m, 12))
        self.kept = np.flatnonzero(self.weights)
        self.kinds = self.drawn_kinds(seed)

    def share(self, values, among=True):
        """The weighted mean of values of the points ``among`` those with weights."""
        among = among & (self.weights > 0)
        return np.average(values[among], weights=self.weights[among])

    def drawn_kinds(self, seed):
        """Part of its names, a constraint looser by h, and how far scores are beyond it.

        The constraint depends on the places of the rows of positive weight among those of a fit.
        """
        rng, own, m = self.rng, self.groups == "a", len(self.y)
        i, j = rng.choice(len(self.kept), 2, replace=False)
        first, second, sign = self.kept[i], self.kept[j], 1.0 if self.y[self.kept[i]] > 0 else -1.0
        row = rng.normal(size=m) / m
        most = -0.3 if self.classes else self.share(self.y) - 0.2

        def placed(places):
            G = np.zeros(int(self.weights.sum()) if len(places) < places[-1] + 1 else len(places))
            G[places] = row[self.kept]
            return G

        def apart(f, among):
            return abs(self.share(f, own & among) - self.share(f, ~own & among))

        def missed(f):
            return max(self.share(1.0 * (f < 0), among & self.y) for among in (own, ~own))

        every = {
            "parity of": (
                lambda h, at: rp.parity("groups", 0.05 + h),
                lambda f: apart(f, True) - 0.05,
            ),
            "mean score": (lambda h, at: rp.mean_score(most + h), lambda f: self.share(f) - most),
            "below that of": (
                lambda h, at: rp.monotone([(at[i], at[j])], 0.1 - h),
                lambda f: f[first] + 0.1 - f[second],
            ),
            "own row": (
                lambda h, at: rp.scores(placed(at), h - 0.01, ["own row"]),
                lambda f: row[self.kept] @ f[self.kept] + 0.01,
            ),
        }
        if self.classes:
            every |= {
                "equal opportunity": (
                    lambda h, at: rp.equal_opportunity("groups", 0.03 + h),
                    lambda f: apart(f, self.y) - 0.03,
                ),
                "positive rate": (
                    lambda h, at: rp.rate("positive", 0.7 + h),
                    lambda f: self.share(1.0 * (f >= 0)) - 0.7,
                ),
                "false negative": (
                    lambda h, at: rp.rate("false negative", 0.5 + h, "groups"),
                    lambda f: missed(f) - 0.5,
                ),
                "right": (
                    lambda h, at: rp.must_classify([at[i]], 0.2 - h),
                    lambda f: 0.2 - sign * f[first],
                ),
            }
        if isinstance(self.model, VKRClassifier):
            every["cap on"] = (lambda h, at: rp.family_cap("poly:2", 0.05 + h), lambda f: -1.0)
        kinds = rng.choice(sorted(every), rng.integers(1, 3), replace=False)
        return [(kind, *every[kind]) for kind in kinds]

    def constraints(self, at, looser=None, h=0.0):
        return [made(h if k == looser else 0.0, at) for k, (_, made, _) in enumerate(self.kinds)]


def scores_of(model, rows):
    return getattr(model, "decision_function", model.predict)(rows)


@pytest.mark.thorough
@pytest.mark.cases(60)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_constrained_weighted_fits_through_a_grid_search(seed) -> None:
    case = Drawn(seed)
    X, y, weights, groups = case.X, case.y, case.weights, case.groups
    at = np.arange(len(case.kept))

    def fitted(looser=None, h=0.0):
        model = clone(fair).set_params(constraints=case.constraints(at, looser, h))
        return model.fit(X, y, sample_weight=weights, groups=groups)

    # a grid search, but of constraints on numbered rows, which folds do not have
    fair = case.model.set_params(constraints=case.constraints(at))
    if not {"below that of", "own row", "right"} & {kind for kind, _, _ in case.kinds}:
        with sklearn.config_context(enable_metadata_routing=True):
            routed = fair.set_fit_request(groups=True, sample_weight=True)
            routed.set_score_request(sample_weight=True)
            grid = GridSearchCV(routed, {case.name: case.values}, cv=3, n_jobs=2)
            fair = grid.fit(X, y, sample_weight=weights, groups=groups).best_estimator_
    else:
        fair = fitted()
    assert fair.certified_
    # realised on the training rows, from the scores alone
    f = scores_of(fair, X)
    assert max(beyond(f) for _, _, beyond in case.kinds) <= 1e-7
    # an integer weight is a number of copies
    copies = np.repeat(np.arange(len(y)), weights)
    again = clone(fair).set_params(constraints=case.constraints(np.searchsorted(copies, case.kept)))
    again.fit(X[copies], y[copies], groups=groups[copies])
    assert again.objective_ == pytest.approx(fair.objective_, rel=1e-6, abs=1e-9)
    # a copy in another process is the same
    sent = pickle.loads(pickle.dumps(fair))  # noqa: S301
    assert np.array_equal(scores_of(sent, X), f)
    assert sent.constraint_prices_ == fair.constraint_prices_
    # a price is the slope of the optimal value, between its slopes to both sides
    sense = -1.0 if isinstance(fair, ShapeletBoostClassifier) else 1.0
    h = 1e-5
    for k, (kind, _, _) in enumerate(case.kinds):
        prices = [price for name, price in fair.constraint_prices_.items() if kind in name]
        slopes = np.diff([fitted(k, d).objective_ for d in (-h, 0.0, h)]) * (-sense / h)
        wide = 1e-5 * max(1.0, *np.abs(slopes))
        assert len(prices) > 0
        assert min(slopes) - wide <= sum(prices) <= max(slopes) + wide


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
