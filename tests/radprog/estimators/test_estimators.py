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
from radprog import estimators
from radprog.estimators import (
    BoundedLossSVR,
    DiscriminativeClustering,
    DiscriminativeLabelPropagation,
    L1SVMClassifier,
    LocalMKLClassifier,
    ShapeletBoostClassifier,
    SimilarityClassifier,
    SparseHingeClassifierCV,
    SparseQuantileRegressor,
    SparseQuantileRegressorCV,
    VKRClassifier,
    VKRClassifierCV,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SIDE = X[:, 0] + 0.3 * RNG.normal(size=60) > 0
NAMES = np.array(["no", "yes"])[SIDE.astype(int)]
THREE = np.array(["a", "b", "c"])[(X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)]
WAVES = np.sin(np.linspace(0, 6, 20) * (1 + SIDE[:, None])) + 0.1 * RNG.normal(size=(60, 20))
MACHINES = [
    (VKRClassifier(kernels="poly:1-2"), rp.VKR(kernels="poly:1-2")),
    (L1SVMClassifier(kernels="rbf:1"), rp.L1SVM(kernels="rbf:1")),
    (LocalMKLClassifier(kernels="rbf:0.1,rbf:1"), rp.MKL(kernels="rbf:0.1,rbf:1")),
    (SimilarityClassifier(kernels="rbf:1"), rp.SimSVM(kernels="rbf:1")),
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
    by_grams = LocalMKLClassifier(grams=grams)
    plain = LocalMKLClassifier(kernels="linear,rbf:1")
    whole = clone(by_grams).fit(rows, NAMES)
    assert whole.objective_ == pytest.approx(clone(plain).fit(X, NAMES).objective_, rel=1e-6)
    np.testing.assert_array_equal(
        cross_val_score(by_grams, rows, NAMES, cv=3), cross_val_score(plain, X, NAMES, cv=3)
    )
    refused(ValueError, "numbers of points, 0 to 59", clone(by_grams).fit, rows + 1, NAMES)
    refused(ValueError, "grams has shape", LocalMKLClassifier(grams=grams[:, :5]).fit, rows, NAMES)


def test_clusters_and_propagation() -> None:
    points = np.concatenate([X[:20] - 5, X[20:40] + 5])
    fitted = DiscriminativeClustering().fit(points)
    assert set(map(len, np.split(fitted.labels_, 2))) == {20}
    assert len(set(fitted.labels_[:20])) == len(set(fitted.labels_[20:])) == 1
    np.testing.assert_array_equal(fitted.predict(points), fitted.labels_)
    assert fitted.weights_.shape == (40,)
    assert fitted.n_clusters_ == 2
    refused(
        rp.OptionError, "give `clusters`", DiscriminativeClustering(n_clusters=None).fit, points
    )
    assert DiscriminativeClustering(n_clusters=3).fit(points).n_clusters_ == 3
    y = np.full(40, -1)
    y[[0, 20]] = [3, 7]
    spread = DiscriminativeLabelPropagation().fit(points, y)
    assert list(spread.classes_) == [3, 7]
    assert spread.transduction_.tolist() == [3] * 20 + [7] * 20
    assert spread.predict(points).tolist() == [3] * 20 + [7] * 20
    two = DiscriminativeLabelPropagation().fit(points, np.repeat([-1, 1], 20))
    assert list(two.classes_) == [-1, 1]


@pytest.mark.thorough
@pytest.mark.cases(1)
@pytest.mark.parametrize("kind", [VKRClassifier, L1SVMClassifier, SimilarityClassifier])
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
    chosen = VKRClassifierCV(kernels="poly:1-2", lams=lams, betas=betas, cv=3).fit(X, y)
    grid = GridSearchCV(VKRClassifier(kernels="poly:1-2"), {"beta": betas, "lam": lams}, cv=3)
    grid.fit(X, y)
    assert {"lam": chosen.lam_, "beta": chosen.beta_} == grid.best_params_
    assert chosen.best_score_ == pytest.approx(grid.best_score_)
    np.testing.assert_allclose(
        chosen.cv_results_["mean_test_score"], grid.cv_results_["mean_test_score"]
    )
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
    model = VKRClassifierCV().fit(X, y)
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
    assert len(VKRClassifierCV(kernels="poly:1-2").fit(X, y).cv_results_["params"]) == 4


def test_widths_that_are_given_are_a_grid() -> None:
    model = VKRClassifierCV(widths="0.1..10:3", cv=3).fit(X, NAMES)
    assert [one["width"] for one in model.cv_results_["params"]] == [0.1, 1.0, 10.0]
    best = model.cv_results_["mean_test_score"].max()
    assert model.best_score_ == pytest.approx(best)
    refused(rp.RadprogError, r"widths 'a': expected", VKRClassifierCV(widths="a").fit, X, NAMES)


def test_folds_choose_the_length_of_patterns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(0.0, 0.3, (24, 40)), np.repeat([0, 1], 12)
    start = rng.integers(0, 20, 24)
    for row, place in enumerate(start):  # both classes have a rise, and one class falls after it
        X[row, place : place + 8] += 1.5
        X[row, place + 8 : place + 16] += 1.5 if y[row] else -1.5
    model = ShapeletBoostClassifier(length="auto", cv=3)
    refused(rp.RadprogError, "fit chooses length", model.settings)
    model.fit(X, y)
    usual = ShapeletBoostClassifier().fit(X, y)
    assert usual.length_ == "0.2"
    assert model.length_ in ("0.2", "0.1", "0.4", "0.1,0.2,0.4")
    assert model.settings().length == model.length_ == model.run_.spec.length
    given = ShapeletBoostClassifier(length=model.length_).fit(X, y)
    np.testing.assert_array_equal(given.predict(X), model.predict(X))
    # one series of a class allows no folds, and a short series no short patterns
    few = ShapeletBoostClassifier(length="auto").fit(X[[0, 20, 21]], y[[0, 20, 21]])
    assert few.length_ == "0.2"
    assert ShapeletBoostClassifier(length="auto").fit(X[:, :1], y).length_ == "1"


@pytest.mark.parametrize("clear", [True, False])
def test_folds_leave_the_usual_length_for_a_clear_gain(clear: bool) -> None:
    # a short pattern tells the classes apart better, or nothing does
    rng = np.random.default_rng(2 if clear else 1)
    X, y = rng.normal(size=(40, 30)), np.repeat([0, 1], 20)
    if clear:
        X = np.cumsum(X, axis=1)
        X[y == 1] += 3.0 * np.sin(np.arange(30) / 30 * 2 * np.pi)
    model = ShapeletBoostClassifier(length="auto").fit(X, y)
    scores = {}
    for length in ("0.2", "0.1", "0.4", "0.1,0.2,0.4"):
        one = ShapeletBoostClassifier(length=length)
        scores[length] = cross_val_score(one, X, y, cv=5)
    best = max(scores, key=lambda length: scores[length].mean())
    gain, share = scores[best].mean() - scores["0.2"].mean(), (40 * scores["0.2"].mean() + 2) / 44
    assert (gain > (share * (1 - share) / 40) ** 0.5) == clear
    if not clear:
        assert model.length_ == "0.2"
    else:
        assert scores[model.length_].mean() == pytest.approx(scores[best].mean())


def test_a_number_of_jobs_that_means_nothing() -> None:
    for given in (0, 1.5, True, "all"):
        for model in (L1SVMClassifier(n_jobs=given), VKRClassifierCV(n_jobs=given)):
            refused(ValueError, f"n_jobs {given!r}: expected None, a whole", model.fit, X, NAMES)


def test_a_choice_refuses_what_it_cannot_cut() -> None:
    with pytest.raises(rp.RadprogError, match="precomputed"):
        VKRClassifierCV(kernels="precomputed").fit(X @ X.T, NAMES)
    refused(rp.RadprogError, r"lams 'a': expected", VKRClassifierCV(lams="a").fit, X, NAMES)
    few = np.array(["rare"] + ["often"] * 59)
    with pytest.raises(ValueError, match="training rows of fold 1 are of one class only"):
        VKRClassifierCV(cv=KFold(2)).fit(X, few)


def test_a_path_is_the_fits_of_its_pairs() -> None:
    model = VKRClassifier(kernels="poly:1-2", class_weight="balanced")
    path = model.path(X, NAMES, lams=[1e-2, 1e-3], betas="1e-3,1e-2")
    assert [(one.lam, one.beta) for one in path] == [
        (1e-2, 1e-3), (1e-3, 1e-3), (1e-2, 1e-2), (1e-3, 1e-2)
    ]  # fmt: skip
    assert not hasattr(model, "run_")
    for one in path:
        alone = clone(one).fit(X, NAMES)
        assert one.certified_
        assert one.objective_ == pytest.approx(alone.objective_, rel=1e-6)
        np.testing.assert_array_equal(one.predict(X), alone.predict(X))
        np.testing.assert_array_equal(one.run_.predict(X), alone.run_.predict(X))
    refused(rp.RadprogError, r"lams 'a': expected", model.path, X, NAMES, lams="a", betas=1e-3)
    refused(ValueError, "weights of shape", model.path, X, NAMES, 1e-3, 1e-3, sample_weight=[1.0])


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (VKRClassifier(kernels="poly:1-3"), X),
        (L1SVMClassifier(kernels="rbf:1"), X),
        (ShapeletBoostClassifier(length="5"), WAVES),
    ],
    ids=lambda value: str(value)[:8],
)
@pytest.mark.parametrize("y", [NAMES, THREE], ids=["two", "three"])
def test_a_warm_start_ends_at_the_same_optimum_sooner(model, rows, y) -> None:
    cold = clone(model).fit(rows, y)
    warm = clone(model).set_params(warm_start=True).fit(rows, y)
    assert warm.n_iter_ == cold.n_iter_
    warm.fit(rows, y)
    assert warm.n_iter_ <= cold.n_iter_
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-6)
    assert warm.certified_


def test_weights_of_matrices_and_classes() -> None:
    """Beside the weights that scikit-learn's checks give to every estimator."""
    W = RNG.integers(0, 3, 60)
    gram = X @ X.T
    given = VKRClassifier(kernels="precomputed").fit(gram, NAMES, W)
    plain = VKRClassifier(kernels="linear").fit(X, NAMES, W)
    np.testing.assert_allclose(
        given.decision_function(gram), plain.decision_function(X), rtol=1e-5, atol=1e-8
    )
    assert set(given.support_) <= set(np.flatnonzero(W))
    two = VKRClassifier(kernels="linear", class_weight={"no": 2}).fit(X, NAMES)
    same = VKRClassifier(kernels="linear").fit(X, NAMES, np.where(SIDE, 1, 2))
    assert two.objective_ == same.objective_
    half = VKRClassifier(kernels="linear", class_weight="balanced").fit(X, NAMES, W)
    share = [W[side].sum() for side in (SIDE, ~SIDE)]
    counts = W * np.where(SIDE, W.sum() / share[0] / 2, W.sum() / share[1] / 2)
    same = VKRClassifier(kernels="linear").fit(X, NAMES, counts)
    assert half.objective_ == pytest.approx(same.objective_, rel=1e-12)
    refused(ValueError, "y holds one class", VKRClassifier().fit, X, NAMES, SIDE)
    refused(TypeError, "sample_weight", DiscriminativeClustering().fit, X, sample_weight=W)


UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)
NO_COMPRESSION = [
    (VKRClassifier(kernels="rbf:1"), X),
    (VKRClassifierCV(kernels="rbf:1", lams=[1e-3, 1e-2], cv=2), X),
    (L1SVMClassifier(kernels="rbf:1"), UNIT),
    (ShapeletBoostClassifier(sigma=1.0, nu=0.3), WAVES),
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
    words = r"3 to 5 points, X\[1\] of 3 and X\[0\] of 5, expected one length: cut, pad or"
    for rows in (uneven, [np.array(one) for one in uneven]):
        refused(ValueError, words, ShapeletBoostClassifier().fit, rows, y)
        refused(rp.RadprogError, words, rp.series, rows, y)
    fitted = ShapeletBoostClassifier().fit(np.eye(4, 6), y)
    refused(ValueError, words, fitted.predict, uneven)


def test_rows_beyond_the_loss_are_told() -> None:
    y = 100.0 * X[:, 0]
    with pytest.warns(rp.RadprogWarning, match=r"of 60 rows are saturated.*eps_up") as warned:
        told = BoundedLossSVR(kernels="linear", n_init=1).fit(X, y)
    assert [str(one.message) for one in warned] == list(told.run_.warnings)
    scaled = TransformedTargetRegressor(
        BoundedLossSVR(kernels="linear", n_init=1), transformer=StandardScaler()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scaled.fit(X, y).score(X, y) > 0.5


def test_an_unknown_parameter_is_told_the_nearest() -> None:
    with pytest.raises(TypeError, match="parameter n_cluster; did you mean n_clusters"):
        DiscriminativeClustering(n_cluster=3)
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        refused(rp.ArgumentError, f"{name} has no parameter max_depth", kind, max_depth=2)


def test_probabilities_come_from_a_wrapper() -> None:
    model = VKRClassifier(kernels="poly:1")
    with pytest.raises(AttributeError, match=r"rp\.calibrate\(VKRClassifier"):
        _ = model.predict_proba
    with_them = rp.calibrate(model, cv=3).fit(X, NAMES)
    assert with_them.predict_proba(X).sum(axis=1).round(12).tolist() == [1.0] * len(X)
    assert with_them.calibrated_classifiers_[0].estimator.certified_


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (VKRClassifierCV(kernels="poly:1", lams=[1e-2, 1e-1], betas=[1e-2, 1e-1], cv=2), NAMES),
        (SparseHingeClassifierCV(betas=[1e-2, 1e-1], cv=2), THREE),
        (SparseQuantileRegressorCV(quantile=0.9, betas=[1e-2, 1e-1], cv=2), X[:, 0]),
        (SparseQuantileRegressor(quantile=0.9), X[:, 0]),
        (BoundedLossSVR(kernels="poly:1"), X[:, 0]),
        (BoundedLossSVR(kernels="poly:1", A=0.5), X[:, 0]),
        (DiscriminativeClustering(bandwidth=1.0), None),
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
