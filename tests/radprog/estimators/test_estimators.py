"""Estimators are the same fits as the front door's, with scikit-learn's attributes."""

import warnings

import numpy as np
import pytest
from refusals import refused
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.preprocessing import StandardScaler

import radprog as rp
from radprog import estimators as est

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SIDE = X[:, 0] + 0.3 * RNG.normal(size=60) > 0
NAMES = np.array(["no", "yes"])[SIDE.astype(int)]
THREE = np.array(["a", "b", "c"])[(X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)]
WAVES = np.sin(np.linspace(0, 6, 20) * (1 + SIDE[:, None])) + 0.1 * RNG.normal(size=(60, 20))
MACHINES = [
    (est.VKRClassifier(kernels="poly:1-2"), rp.VKR(kernels="poly:1-2")),
    (est.L1SVMClassifier(kernels="rbf:1"), rp.L1SVM(kernels="rbf:1")),
    (est.LocalMKLClassifier(kernels="rbf:0.1,rbf:1"), rp.MKL(kernels="rbf:0.1,rbf:1")),
    (est.SimilarityClassifier(kernels="rbf:1"), rp.SimSVM(kernels="rbf:1")),
]


@pytest.mark.parametrize(("estimator", "spec"), MACHINES, ids=lambda value: str(value)[:12])
def test_the_same_fit(estimator, spec) -> None:
    fitted, run = clone(estimator).fit(X, NAMES), rp.fit(spec, rp.dataset(X, NAMES))
    assert (fitted.objective_, fitted.bound_, fitted.gap_) == (run.objective, run.bound, run.gap)
    assert fitted.certified_
    assert list(fitted.classes_) == ["no", "yes"]
    np.testing.assert_array_equal(fitted.decision_function(X), run.decision_function(X))
    np.testing.assert_array_equal(fitted.predict(X), run.predict(X))
    assert fitted.n_iter_ == max(1, len(run.trace))
    more = clone(estimator).fit(X, THREE)
    assert more.decision_function(X).shape == (60, 3)
    assert more.score(X, THREE) > 0.6


def test_given_kernel_matrices_in_cross_validation() -> None:
    grams = np.stack([X @ X.T, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))])
    rows = np.arange(60)[:, None]
    by_grams = est.LocalMKLClassifier(grams=grams)
    plain = est.LocalMKLClassifier(kernels="linear,rbf:1")
    whole = clone(by_grams).fit(rows, NAMES)
    assert whole.objective_ == pytest.approx(clone(plain).fit(X, NAMES).objective_, rel=1e-6)
    pairs = (by_grams, rows), (plain, X)
    scores = [cross_val_score(model, given, NAMES, cv=3) for model, given in pairs]
    np.testing.assert_array_equal(*scores)
    refused(ValueError, "numbers of points, 0 to 59", clone(by_grams).fit, rows + 1, NAMES)
    refused(
        ValueError, "grams has shape", est.LocalMKLClassifier(grams=grams[:, :5]).fit, rows, NAMES
    )


def test_clusters_and_propagation() -> None:
    points = np.concatenate([X[:20] - 5, X[20:40] + 5])
    fitted = est.DiscriminativeClustering().fit(points)
    assert set(map(len, np.split(fitted.labels_, 2))) == {20}
    assert len(set(fitted.labels_[:20])) == len(set(fitted.labels_[20:])) == 1
    np.testing.assert_array_equal(fitted.predict(points), fitted.labels_)
    assert fitted.weights_.shape == (40,)
    assert fitted.n_clusters_ == 2
    none = est.DiscriminativeClustering(n_clusters=None)
    refused(rp.OptionError, "give `clusters`", none.fit, points)
    assert est.DiscriminativeClustering(n_clusters=3).fit(points).n_clusters_ == 3
    y = np.full(40, -1)
    y[[0, 20]] = [3, 7]
    spread = est.DiscriminativeLabelPropagation().fit(points, y)
    assert list(spread.classes_) == [3, 7]
    assert spread.transduction_.tolist() == [3] * 20 + [7] * 20
    assert spread.predict(points).tolist() == [3] * 20 + [7] * 20
    two = est.DiscriminativeLabelPropagation().fit(points, np.repeat([-1, 1], 20))
    assert list(two.classes_) == [-1, 1]


@pytest.mark.thorough
@pytest.mark.cases(1)
@pytest.mark.parametrize("kind", [est.VKRClassifier, est.L1SVMClassifier, est.SimilarityClassifier])
@pytest.mark.parametrize("y", [NAMES, THREE], ids=["two", "three"])
def test_precomputed_values_and_functions_are_the_same_kernel(kind, y) -> None:
    gram = X @ X.T
    plain = kind(kernels="linear").fit(X, y)
    given = kind(kernels="precomputed").fit(gram, y)
    for other, rows in ((given, gram), (kind(kernels=lambda X, Z: X @ Z.T).fit(X, y), X)):
        assert other.objective_ == pytest.approx(plain.objective_, rel=1e-5)
        np.testing.assert_array_equal(other.predict(rows), plain.predict(X))
    assert given.__sklearn_tags__().input_tags.pairwise
    assert len(cross_val_score(kind(kernels="precomputed"), gram, y, cv=3)) == 3
    refused(ValueError, r"shape \(60, 3\): precomputed", kind(kernels="precomputed").fit, X, y)


@pytest.mark.parametrize("y", [NAMES, THREE], ids=["two", "three"])
def test_a_choice_is_that_of_a_grid_search(y) -> None:
    # both take the first of equal pairs
    lams, betas = [1e-1, 1e-2, 1e-3], [1e-2, 1e-3]
    chosen = est.VKRClassifierCV(kernels="poly:1-2", lams=lams, betas=betas, cv=3).fit(X, y)
    grid = GridSearchCV(est.VKRClassifier(kernels="poly:1-2"), {"beta": betas, "lam": lams}, cv=3)
    grid.fit(X, y)
    assert {"lam": chosen.lam_, "beta": chosen.beta_} == grid.best_params_
    assert chosen.best_score_ == pytest.approx(grid.best_score_)
    scores = [one.cv_results_["mean_test_score"] for one in (chosen, grid)]
    np.testing.assert_allclose(*scores)
    assert chosen.objective_ == pytest.approx(grid.best_estimator_.objective_, rel=1e-6)
    # the accuracies count the weights of classes
    weights = {label: 1.0 + 9.0 * (label == y[0]) for label in np.unique(y)}
    heavy = clone(chosen).set_params(class_weight=weights).fit(X, y)
    same = clone(chosen).fit(X, y, sample_weight=[weights[label] for label in y.tolist()])
    assert heavy.best_score_ == same.best_score_ != chosen.best_score_


@pytest.mark.parametrize("seed", range(4))
def test_the_search_by_default_leaves_the_usual_setting_for_a_clear_gain(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 6))
    # a smooth boundary needs a wide kernel; noise needs nothing
    y = X[:, 0] + 0.3 * rng.normal(size=60) > 0 if seed % 2 else rng.random(60) > 0.5
    model = est.VKRClassifierCV().fit(X, y)
    results = model.cv_results_
    scores = np.array([results[f"split{fold}_test_score"] for fold in range(5)])
    usual = results["params"].index({"lam": 1e-3, "beta": 1e-3, "width": 1.0})
    chosen = {"lam": model.lam_, "beta": model.beta_, "width": model.width_}
    best = np.flatnonzero(scores.mean(axis=0) >= scores.mean(axis=0).max() - 1e-12)
    gains = (scores.T - scores[:, usual]).T
    # a standard error of an accuracy on 60 rows
    share = (60 * scores[:, usual].mean() + 2) / 64
    clear = [k for k in best if gains[:, k].mean() > (share * (1 - share) / 60) ** 0.5]
    assert len(results["params"]) == 8
    place = results["params"].index(chosen)
    assert place in clear if place != usual else len(clear) < len(best)
    # the width of the chosen kernel is a factor of the usual one
    gamma = float(model.run_.spec.kernels.rpartition("=")[2].rpartition(":")[2])
    assert gamma == pytest.approx(model.width_ / (6 * X.var()), rel=1e-5)
    assert len(est.VKRClassifierCV(kernels="poly:1-2").fit(X, y).cv_results_["params"]) == 4


def test_folds_choose_the_length_of_patterns() -> None:
    # a short pattern tells the classes apart better than one of the usual length
    rng, y = np.random.default_rng(2), np.repeat([0, 1], 20)
    rows = np.cumsum(rng.normal(size=(40, 30)), axis=1)
    rows[y == 1] += 3.0 * np.sin(np.arange(30) / 30 * 2 * np.pi)
    model = est.ShapeletBoostClassifier(length="auto")
    refused(rp.RadprogError, "fit chooses length", model.settings)
    model.fit(rows, y)
    assert est.ShapeletBoostClassifier().fit(rows, y).length_ == "0.2" != model.length_
    assert model.settings().length == model.length_ == model.run_.spec.length
    given = est.ShapeletBoostClassifier(length=model.length_).fit(rows, y)
    np.testing.assert_array_equal(given.predict(rows), model.predict(rows))
    # one series of a class allows no folds, and a short series no short patterns
    few = est.ShapeletBoostClassifier(length="auto").fit(rows[[0, 20, 21]], [0, 1, 1])
    assert few.length_ == "0.2"
    assert est.ShapeletBoostClassifier(length="auto").fit(rows[:, :1], y).length_ == "1"


def test_a_number_of_jobs_that_means_nothing() -> None:
    for given in (0, 1.5, True, "all"):
        for model in (est.L1SVMClassifier(n_jobs=given), est.VKRClassifierCV(n_jobs=given)):
            refused(ValueError, f"n_jobs {given!r}: expected None, a whole", model.fit, X, NAMES)


def test_a_choice_refuses_what_it_cannot_cut() -> None:
    given = {"kernels": "precomputed"}, {"lams": "a"}, {"widths": "a"}
    for options, words in zip(
        given, ("precomputed", r"lams 'a': expected", r"widths 'a': expected"), strict=True
    ):
        refused(rp.RadprogError, words, est.VKRClassifierCV(**options).fit, X @ X.T, NAMES)
    few = np.array(["rare"] + ["often"] * 59)
    words = "training rows of fold 1 are of one class only"
    refused(ValueError, words, est.VKRClassifierCV(cv=KFold(2)).fit, X, few)


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (est.VKRClassifier(kernels="poly:1-3"), X),
        (est.L1SVMClassifier(kernels="rbf:1"), X),
        (est.ShapeletBoostClassifier(length="5"), WAVES),
        (est.SparseHingeClassifier(beta=0.02), X),
    ],
    ids=lambda value: str(value)[:8],
)
@pytest.mark.parametrize("y", [NAMES, THREE], ids=["two", "three"])
def test_a_warm_start_ends_at_the_same_optimum_sooner(model, rows, y) -> None:
    cold = clone(model).fit(rows, y)
    warm = clone(model).set_params(warm_start=True).fit(rows, y)
    assert warm.n_iter_ == cold.n_iter_
    warm.fit(rows, y)
    assert warm.n_iter_ < cold.n_iter_
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-6)
    assert warm.certified_


def test_weights_of_matrices_and_classes() -> None:
    """Beside the weights that scikit-learn's checks give to every estimator."""
    W = RNG.integers(0, 3, 60)
    gram = X @ X.T
    given = est.VKRClassifier(kernels="precomputed").fit(gram, NAMES, W)
    plain = est.VKRClassifier(kernels="linear").fit(X, NAMES, W)
    scores = given.decision_function(gram), plain.decision_function(X)
    np.testing.assert_allclose(*scores, rtol=1e-5, atol=1e-8)
    assert set(given.support_) <= set(np.flatnonzero(W))
    half = est.VKRClassifier(kernels="linear", class_weight="balanced").fit(X, NAMES, W)
    share = [W[side].sum() for side in (SIDE, ~SIDE)]
    counts = W * np.where(SIDE, W.sum() / share[0] / 2, W.sum() / share[1] / 2)
    same = est.VKRClassifier(kernels="linear").fit(X, NAMES, counts)
    assert half.objective_ == pytest.approx(same.objective_, rel=1e-12)
    refused(ValueError, "y holds one class", est.VKRClassifier().fit, X, NAMES, SIDE)
    refused(TypeError, "sample_weight", est.DiscriminativeClustering().fit, X, sample_weight=W)


UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)
NO_COMPRESSION = [
    (est.VKRClassifier(kernels="rbf:1"), X),
    (est.VKRClassifierCV(kernels="rbf:1", lams=[1e-3, 1e-2], cv=2), X),
    (est.L1SVMClassifier(kernels="rbf:1"), UNIT),
    (est.ShapeletBoostClassifier(sigma=1.0, nu=0.3), WAVES),
]


@pytest.mark.parametrize(("estimator", "rows"), NO_COMPRESSION, ids=lambda v: str(v)[:12])
def test_an_estimator_states_no_compression_bound(estimator, rows, tmp_path) -> None:
    """What a pipeline took from the rows before is unseen; bare data have the bound."""
    sides = SIDE.astype(int)
    fitted = clone(estimator).fit(rows, sides)
    told = fitted.run_.extra["compression"]
    assert (told["bound"], told["size"]) == (None, None)
    assert "pipeline" in told["refused"]
    data = rp.series(rows, sides) if rows is WAVES else rp.dataset(rows, sides)
    assert rp.fit(fitted.run_.spec, data).extra["compression"]["bound"] < 1
    rp.save_run(fitted.run_, data, tmp_path / "run.json")
    assert rp.check(tmp_path / "run.json", data)["holds"]
    assert "pipeline" in rp.bounds(fitted.run_, data)["refused"]


def test_series_of_unequal_lengths_are_refused() -> None:
    uneven, y = [[1.0, 2, 3, 4, 5], [1.0, 2, 3], [0.0, 1, 1, 2], [2.0, 1, 1]], [0, 1, 0, 1]
    words = "inhomogeneous shape"
    for rows in (uneven, [np.array(one) for one in uneven]):
        refused(ValueError, words, est.ShapeletBoostClassifier().fit, rows, y)
        refused(rp.DataError, words, rp.series, rows, y)
    fitted = est.ShapeletBoostClassifier().fit(np.eye(4, 6), y)
    refused(ValueError, words, fitted.predict, uneven)


def test_rows_beyond_the_loss_are_told() -> None:
    y = 100.0 * X[:, 0]
    with pytest.warns(rp.RadprogWarning, match=r"of 60 rows are saturated.*eps_up") as warned:
        told = est.BoundedLossSVR(kernels="linear", n_init=1).fit(X, y)
    assert [str(one.message) for one in warned] == list(told.run_.warnings)
    svr = est.BoundedLossSVR(kernels="linear", n_init=1)
    scaled = TransformedTargetRegressor(svr, transformer=StandardScaler())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scaled.fit(X, y).score(X, y) > 0.5


def test_an_unknown_parameter_is_told_the_nearest() -> None:
    with pytest.raises(TypeError, match="parameter n_cluster; did you mean n_clusters"):
        est.DiscriminativeClustering(n_cluster=3)
    for name in est.__all__:
        kind = getattr(est, name)
        refused(rp.ArgumentError, f"{name} has no parameter max_depth", kind, max_depth=2)


def test_probabilities_come_from_a_wrapper() -> None:
    model = est.VKRClassifier(kernels="poly:1")
    with pytest.raises(AttributeError, match=r"rp\.calibrate\(VKRClassifier"):
        _ = model.predict_proba
    with_them = rp.calibrate(model, cv=3).fit(X, NAMES)
    assert with_them.predict_proba(X).sum(axis=1).round(12).tolist() == [1.0] * len(X)
    assert with_them.calibrated_classifiers_[0].estimator.certified_


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (est.VKRClassifierCV(kernels="poly:1", lams=[1e-2, 1e-1], betas=[1e-2, 1e-1], cv=2), NAMES),
        (est.SparseHingeClassifierCV(betas=[1e-2, 1e-1], cv=2), THREE),
        (est.SparseQuantileRegressorCV(quantile=0.9, betas=[1e-2, 1e-1], cv=2), X[:, 0]),
        (est.SparseQuantileRegressor(quantile=0.9), X[:, 0]),
        (est.BoundedLossSVR(kernels="poly:1"), X[:, 0]),
        (est.BoundedLossSVR(kernels="poly:1", A=0.5), X[:, 0]),
        (est.DiscriminativeClustering(bandwidth=1.0), None),
    ],
    ids=lambda one: type(one).__name__,
)
def test_settings_are_those_of_the_fit(model, y) -> None:
    fitted = clone(model).fit(X, y)
    assert fitted.settings() == fitted.run_.spec
    # before the fit, a choice is refused, not replaced by a default
    if model.chosen:
        refused(rp.OptionError, f"fit chooses {model.chosen[0]}, and is not", model.settings)
    given = dict.fromkeys(model.chosen, 0.5)
    assert model.settings(**given).__class__ is type(fitted.run_.spec)
