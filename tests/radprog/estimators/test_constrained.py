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
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import radprog as rp
from radprog import estimators as est

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
GROUP = np.where(X[:, 1] > 0, "a", "b")
Y = X[:, 0] + 0.8 * (GROUP == "a") + 0.4 * RNG.normal(size=60) > 0.4
THREE = (X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)
FAIR = rp.parity("groups", 0.05)
MODELS = [
    est.VKRClassifier(kernels="poly:1-2", lam=0.01),
    est.L1SVMClassifier(kernels="rbf:1", beta=0.01),
    est.SparseHingeClassifier(beta=0.01),
    est.VKRClassifierCV(kernels="poly:1", lams=[1e-2, 1e-1], cv=2),
    est.SparseHingeClassifierCV(betas=[1e-2, 1e-1], cv=2),
]


def gap(f):
    """The gap between the mean scores of the groups."""
    return abs(f[GROUP == "a"].mean() - f[GROUP == "b"].mean())


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("labels", [["no", "hire"], [10, 9, 30]], ids=["two", "three"])
def test_every_classifier_keeps_its_constraints(model, labels, tmp_path) -> None:
    y = np.array(labels)[Y.astype(int) if len(labels) == 2 else THREE]
    fair = clone(model).set_params(constraints=FAIR).fit(X, y, groups=GROUP)
    f = fair.decision_function(X).reshape(60, -1)
    assert fair.certified_
    assert max(map(gap, f.T)) <= 0.05 + 1e-7
    named = [f"class {k}: parity of groups" for k in (9, 10, 30)]
    if len(labels) == 2:
        named = ["parity of groups"]
    assert list(fair.constraint_prices_) == named
    assert max(fair.constraint_prices_.values()) > 0.0
    values = fair.constraint_values_
    assert {entry["name"]: entry["price"] for entry in values} == fair.constraint_prices_
    assert [entry["gap"] for entry in values] == pytest.approx(list(map(gap, f.T)))
    # copies keep them, and the saved result is checked against the data
    again = pickle.loads(pickle.dumps(fair))  # noqa: S301
    assert again.constraint_prices_ == fair.constraint_prices_
    data = rp.dataset(X, y, one_vs_rest=True)
    assert list(fair.run_.multipliers) == named
    rp.save_run(fair.run_, data, tmp_path / "run.json")
    assert rp.check(tmp_path / "run.json", data)["holds"]
    refused(ValueError, r"groups of shape \(3,\)", clone(fair).fit, X, y, groups=[1, 2, 3])
    refused(rp.OptionError, "group 'groups': expected a feature", clone(fair).fit, X, y)
    # a saved fit has the weights and labels
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    fair.set_params(class_weight="balanced").fit(X, y, sample_weight=weights, groups=GROUP)
    fair.save_fit(tmp_path / "fit.json")
    saved = rp.load_fit(tmp_path / "fit.json")
    assert saved.predict(X).tolist() == fair.predict(X).tolist()
    assert np.array_equal(saved.decision_function(X), fair.decision_function(X))


@pytest.mark.parametrize(
    "model",
    [
        est.L1SVMClassifier(kernels="rbf:1", beta=0.01),
        est.SparseHingeClassifier(beta=0.01),
        est.LPBoostClassifier(beta=0.05),
        "run",
    ],
    ids=str,
)
def test_constraints_number_all_rows_also_those_of_weight_0(model) -> None:
    rng = np.random.default_rng(3)
    X, weights = rng.normal(size=(24, 3)), np.repeat([0.0, 2.0, 1.0], 8)
    y, group = (X[:, 0] + 0.5 * rng.normal(size=24) > 0).astype(int), np.arange(24) % 2
    w = [weights * (group == k) / weights[group == k].sum() for k in (0, 1)]
    for constraint, slack in (
        (rp.must_classify([20], 0.3), lambda f: (2 * y[20] - 1) * f[20] - 0.3),
        (rp.monotone([(9, 17)], 0.2), lambda f: f[17] - f[9] - 0.2),
        (rp.scores(np.eye(24)[12], 0.25), lambda f: 0.25 - f[12]),
        (rp.parity(group, 0.1), lambda f: 0.1 - abs(w[0] @ f - w[1] @ f)),
    ):
        if model == "run":
            data = rp.dataset(X, y, weights=weights)
            f = rp.fit(rp.L1Linear(beta=0.01), data, constraints=constraint).decision_function(X)
        else:
            fair = clone(model).set_params(constraints=constraint).fit(X, y, sample_weight=weights)
            f = fair.decision_function(X)
            assert fair.certified_
        assert slack(f) >= -1e-6
    if model != "run":
        for gone in (rp.must_classify([3]), rp.scores(np.eye(24)[3], 0.0)):
            refused(
                rp.OptionError, "left out", clone(model).set_params(constraints=gone).fit,
                X, y, sample_weight=weights,
            )  # fmt: skip


def test_a_rate_names_its_label_and_may_be_that_of_the_first() -> None:
    y = np.where(Y, "hire", "no")
    for label, first in (("hire", True), ("no", False)):
        cap = rp.rate("positive", 0.5, positive=label)
        few = est.SparseHingeClassifier(constraints=cap).fit(X, y)
        assert (few.predict(X) == label).mean() <= 0.5
        (name,) = few.constraint_prices_
        assert name == f"positive rate of '{label}' at most 0.5"
        usual = est.SparseHingeClassifier(constraints=rp.rate("positive", 0.5)).fit(X, y)
        assert (list(usual.constraint_prices_) == [name]) is not first
    with pytest.raises(rp.OptionError, match=r"expected rp\.rate\('false negative', 0\.2\)"):
        est.SparseHingeClassifier(constraints="rate:false negative:0.2").fit(X, y)


def test_regressors_and_series() -> None:
    target = X @ [1.0, 2.0, -1.0] + RNG.normal(size=60)
    model = est.SparseQuantileRegressor(beta=1e-3, constraints=[FAIR, rp.monotone(2)])
    fair = model.fit(X, target, groups=GROUP)
    assert gap(fair.predict(X)) <= 0.05 + 1e-7
    assert fair.coef_[2] >= 0.0
    assert set(fair.constraint_prices_) == {"parity of groups", "score rises with column 2"}
    few = clone(model).fit(sparse.csr_array(X), target, groups=GROUP)
    assert few.constraint_prices_ == pytest.approx(fair.constraint_prices_, abs=1e-9)
    chosen = est.SparseQuantileRegressorCV(betas=[1e-3, 1e-2], cv=2, constraints=FAIR)
    assert gap(chosen.fit(X, target, groups=GROUP).predict(X)) <= 0.05 + 1e-7
    chosen.set_params(cv=GroupKFold(2), constraints=None).fit(X, target, groups=GROUP)
    for one in (rp.must_classify([0]), rp.positive_rate(0.3), rp.equal_opportunity("groups", 0.1)):
        unfit = clone(model).set_params(constraints=one)
        refused(rp.RadprogError, "two classes", unfit.fit, X, target, groups=GROUP)
    waves = np.sin(np.linspace(0, 6, 20) * (1 + Y[:, None])) + 0.1 * X[:, :1]
    series = est.ShapeletBoostClassifier(length="5", constraints=FAIR).fit(waves, Y, groups=GROUP)
    assert gap(series.decision_function(waves)) <= 0.05 + 1e-7


def test_names_of_columns_and_routed_groups_survive_pipelines_and_splits() -> None:
    table = pd.DataFrame(X, columns=["income", "age", "rooms"])
    named = est.SparseHingeClassifier(
        constraints=[rp.parity("age > 0", 0.05), rp.monotone("rooms")]
    )
    fitted = clone(named).fit(table, Y)
    assert gap(fitted.decision_function(table)) <= 0.05 + 1e-7
    assert fitted.coef_[0, 2] >= 0.0
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), named)
    grid = GridSearchCV(scaled, {"sparsehingeclassifier__beta": [1e-2, 1e-1]}, cv=3)
    assert grid.fit(table, Y).best_estimator_[-1].constraint_prices_
    with sklearn.config_context(enable_metadata_routing=True):
        routed = est.SparseHingeClassifier(beta=0.01, constraints=FAIR).set_fit_request(groups=True)
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
    model = est.SparseHingeClassifier(constraints=rp.parity("groups", 0.1))
    groups = np.array([1.0, missing, 2.0, missing] * 10, dtype=object)
    words = "20 of 40 values are missing.* row 1"
    refused(rp.OptionError, words, model.fit, frame, y, groups=groups)
    model.set_params(constraints=rp.parity(lambda rows: rows["a"] > 0, 0.1))
    words = r"IndexError.* of an array \(40, 1\): name columns"
    refused(rp.OptionError, words, model.fit, frame, y)


def test_tune_takes_constraints() -> None:
    data = rp.dataset(X, Y.astype(int))
    grid = {"lam": [1e-3, 1e-1]}
    spec = rp.VKR(kernels="poly:1")
    held = (None, rp.parity("1 > 0", 0))
    free, fair = (rp.tune(spec, data, grid, folds=3, constraints=one) for one in held)
    assert [a["error"] for a in free["cells"]] != [a["error"] for a in fair["cells"]]
    cells = rp.tune(spec, data, {"lam": [1e-3]}, folds=2, constraints=rp.rate("positive", 1.0))
    assert cells["certified"]


DRAWN = (
    (est.VKRClassifier(kernels="poly:1-2", tol=1e-9), {"lam": [1e-2, 1e-1]}),
    (est.L1SVMClassifier(kernels="rbf:1", tol=1e-9), {"beta": [1e-3, 1e-2]}),
    (est.SparseHingeClassifier(tol=1e-9), {"beta": [1e-2, 3e-2]}),
    (est.SparseQuantileRegressor(quantile=0.3, tol=1e-9), {"beta": [1e-3, 1e-2]}),
    (est.ShapeletBoostClassifier(length="4", tol=1e-9), {"nu": [0.2, 0.5]}),
    (rp.LPBoostClassifier(), {"beta": [1e-2, 5e-2]}),
)


def drawn(seed):
    """Random rows with integer weights, and constraints of one or two kinds.

    A kind has part of its names, a constraint looser by h, and how far scores are beyond it. The
    constraint depends on the places ``at`` of the rows of positive weight among those of a fit.
    """
    rng, (model, _) = np.random.default_rng(seed), DRAWN[seed % 6]
    m = int(rng.integers(40, 60))
    X, weights = rng.normal(size=(m, 3)), rng.integers(0, 4, m)
    own = X[:, 1] + 0.5 * rng.normal(size=m) > 0
    level = X[:, 0] + 0.8 * own + 0.6 * rng.normal(size=m)
    classes = not isinstance(model, est.SparseQuantileRegressor)
    y = level > 0.4 if classes else level - 2.0 * X[:, 2]
    if isinstance(model, est.ShapeletBoostClassifier):
        curves = np.sin(np.linspace(0.0, 6.0, 12) * (1 + y[:, None]))
        X = curves + 0.4 * X[:, :1] + 0.3 * rng.normal(size=(m, 12))
    kept = np.flatnonzero(weights)
    i, j = rng.choice(len(kept), 2, replace=False)
    row = rng.normal(size=m) / m
    first, second, sign = kept[i], kept[j], 1.0 if y[kept[i]] > 0 else -1.0

    def share(values, among=True):
        """The weighted mean of values of the points ``among`` those with weights."""
        among = among & (weights > 0)
        return np.average(values[among], weights=weights[among])

    def apart(f, among=True):
        return abs(share(f, own & among) - share(f, ~own & among))

    def placed(at):
        G = np.zeros(m if np.array_equal(at, kept) else int(weights.sum()))
        G[at] = row[kept]
        return G

    most = -0.3 if classes else share(y) - 0.2
    looser = {
        "parity of": lambda h, at: rp.parity("groups", 0.05 + h),
        "mean score": lambda h, at: rp.mean_score(most + h),
        "below that of": lambda h, at: rp.monotone([(at[i], at[j])], 0.1 - h),
        "own row": lambda h, at: rp.scores(placed(at), h - 0.01, ["own row"]),
    }
    beyond = {
        "parity of": lambda f: apart(f) - 0.05,
        "mean score": lambda f: share(f) - most,
        "below that of": lambda f: f[first] + 0.1 - f[second],
        "own row": lambda f: row[kept] @ f[kept] + 0.01,
        "equal opportunity": lambda f: apart(f, y) - 0.03,
        "positive rate": lambda f: share(1.0 * (f >= 0)) - 0.7,
        "false negative": lambda f: max(share(f < 0, y & of) for of in (own, ~own)) - 0.8,
        "right": lambda f: 0.2 - sign * f[first],
    }
    if classes:
        looser |= {
            "equal opportunity": lambda h, at: rp.equal_opportunity("groups", 0.03 + h),
            "positive rate": lambda h, at: rp.rate("positive", 0.7 + h),
            "false negative": lambda h, at: rp.rate("false negative", 0.8 + h, "groups"),
            "right": lambda h, at: rp.must_classify([at[i]], 0.2 - h),
        }
    names = rng.choice(sorted(looser), rng.integers(1, 3), replace=False)
    kinds = [(name, looser[name], beyond[name]) for name in names]
    return X, y, weights, np.where(own, "a", "b"), kinds


def scores_of(model, rows):
    return getattr(model, "decision_function", model.predict)(rows)


@pytest.mark.thorough
@pytest.mark.cases(60)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_constrained_weighted_fits_through_a_grid_search(seed) -> None:
    X, y, weights, groups, kinds = drawn(seed)
    model, grid = DRAWN[seed % 6]
    kept = np.flatnonzero(weights)

    def constraints(at, looser=None, h=0.0):
        return [made(h if k == looser else 0.0, at) for k, (_, made, _) in enumerate(kinds)]

    def fitted(looser=None, h=0.0):
        held = constraints(kept, looser, h)
        again = clone(fair).set_params(constraints=held)
        return again.fit(X, y, sample_weight=weights, groups=groups)

    # a grid search, but of constraints on numbered rows, which folds do not have
    fair = clone(model).set_params(constraints=constraints(kept))
    if not {"below that of", "own row", "right"} & {kind for kind, _, _ in kinds}:
        with sklearn.config_context(enable_metadata_routing=True):
            routed = fair.set_fit_request(groups=True, sample_weight=True)
            routed.set_score_request(sample_weight=True)
            search = GridSearchCV(routed, grid, cv=3, n_jobs=2)
            fair = search.fit(X, y, sample_weight=weights, groups=groups).best_estimator_
    else:
        fair = fitted()
    assert fair.certified_
    # realised on the training rows, from the scores alone
    f = scores_of(fair, X)
    assert max(beyond(f) for _, _, beyond in kinds) <= 1e-7
    # an integer weight is a number of copies
    copies = np.repeat(np.arange(len(y)), weights)
    again = clone(fair).set_params(constraints=constraints(np.searchsorted(copies, kept)))
    again.fit(X[copies], y[copies], groups=groups[copies])
    assert again.objective_ == pytest.approx(fair.objective_, rel=1e-6, abs=1e-9)
    # a copy in another process is the same
    sent = pickle.loads(pickle.dumps(fair))  # noqa: S301
    assert np.array_equal(scores_of(sent, X), f)
    assert sent.constraint_prices_ == fair.constraint_prices_
    # a price is the slope of the optimal value, between its slopes to both sides
    sense = -1.0 if isinstance(fair, est.ShapeletBoostClassifier) else 1.0
    h = 1e-5
    for k, (kind, _, _) in enumerate(kinds):
        prices = [price for name, price in fair.constraint_prices_.items() if kind in name]
        slopes = np.diff([fitted(k, d).objective_ for d in (-h, 0.0, h)]) * (-sense / h)
        wide = 1e-5 * max(1.0, *np.abs(slopes))
        assert len(prices) > 0
        assert min(slopes) - wide <= sum(prices) <= max(slopes) + wide
