"""Inputs of estimators: texts, unknown labels, settings; what is said where one is not taken."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import radprog as rp
from radprog import estimators as est

WORDS = ["kitten", "sitting", "mitten", "bitten", "abc", "abcd", "xbcd", "abx"] * 2
SIDES = [0, 0, 0, 0, 1, 1, 1, 1] * 2
NUMBERS = np.arange(48.0).reshape(16, 3)


@pytest.mark.parametrize("made", [list, np.array, pd.Series, pl.Series, pd.DataFrame])
def test_texts_are_rows_of_a_kernel_of_texts(made) -> None:
    model = est.SimilarityClassifier(kernels="edit").fit(made(WORDS), SIDES)
    assert model.objective_ == rp.fit(rp.SimSVM(kernels="edit"), rp.dataset(WORDS, SIDES)).objective
    assert model.predict(made(["sitten", "abcx"])).tolist() == [0, 1]
    assert cross_val_score(model, made(WORDS), SIDES, cv=2).mean() == 1.0


def test_what_a_kernel_of_texts_is_given() -> None:
    words = "kernel edit compares texts: expected a list, array or column"
    models = est.SimilarityClassifier(kernels="edit"), est.LocalMKLClassifier(kernels=["edit"])
    for rows in (NUMBERS, np.array([WORDS, WORDS]).T):
        for model in models:
            refused(ValueError, words, model.fit, rows, SIDES)
    fitted = est.SimilarityClassifier(kernels="edit").fit(WORDS, SIDES)
    refused(ValueError, words, fitted.predict, NUMBERS)
    other = est.VKRClassifier(kernels="poly:1")
    refused(rp.RadprogError, "only the kernel edit takes strings", other.fit, WORDS, SIDES)
    model = est.VKRClassifier(kernels=lambda a, b: np.float64(a[:, None] == b), lam=0.01)
    assert model.fit(WORDS, SIDES).score(WORDS, SIDES) == 1.0


Spread = est.DiscriminativeLabelPropagation
POINTS = np.concatenate([np.arange(8.0), 50 + np.arange(8.0), 100 + np.arange(8.0)])[:, None]


@pytest.mark.parametrize("names", [("a", "b", "c"), (3, 7, 9)])
def test_rows_that_no_label_reaches_have_none(names) -> None:
    y = np.full(24, -1, dtype=object if names[0] == "a" else int)
    y[[0, 8]] = names[:2]
    model = Spread(bandwidth=1.0)
    with pytest.warns(rp.RadprogWarning, match="no label reaches 8 rows") as told:
        model.fit(POINTS, y)
    assert told[0].filename == __file__
    assert model.transduction_.tolist() == [names[0]] * 8 + [names[1]] * 8 + [-1] * 8


@pytest.mark.parametrize("model", [est.DiscriminativeClustering, Spread])
def test_a_bandwidth_that_rows_give_is_kept_as_a_number(model) -> None:
    y = np.where(np.arange(24) % 8, -1, np.repeat([0, 1, 2], 8))
    words = (None, "auto", "median", 3)
    widths = {word: model(bandwidth=word).fit(POINTS, y).bandwidth_ for word in words}
    gaps = np.abs(POINTS - POINTS.T)[np.triu_indices(24, 1)]
    assert (widths["median"], widths[3]) == (np.median(gaps), 3.0)
    assert 0.0 < widths["auto"] == widths[None] < widths["median"]
    words = "bandwidth 'half': expected auto, median"
    refused(rp.OptionError, words, model(bandwidth="half").fit, POINTS, y)


def test_the_text_of_minus_one_is_refused_among_others() -> None:
    y = np.where(np.arange(24) % 8 == 0, np.repeat(["a", "b", "c"], 8), "-1")
    words = r"text '-1' among others: .*y = y.astype\(object\)"
    refused(ValueError, words, Spread().fit, POINTS, y)
    y = y.astype(object)
    y[y == "-1"] = -1
    assert list(Spread(bandwidth=9.0).fit(POINTS, y).classes_) == [*"abc"]
    two = Spread(bandwidth=9.0).fit(POINTS[:16], np.repeat(["-1", "1"], 8))
    assert list(two.classes_) == ["-1", "1"]


RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TWO = np.where(X[:, 0] > 0, "yes", "no")
THREE = np.array(["a", "b", "c"])[(X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)]
WAVES = np.sin(np.linspace(0, 6, 20) * (1 + (TWO == "yes")[:, None])) + 0.1
OPTIONS = {
    "VKRClassifier": {"kernels": "linear,poly:2"},
    "VKRClassifierCV": {"kernels": "poly:1", "lams": [1e-2, 1e-1], "cv": 2},
    "L1SVMClassifier": {"kernels": "linear"},
    "LocalMKLClassifier": {"kernels": "rbf:0.1,rbf:1"},
    "SimilarityClassifier": {"kernels": "rbf:1"},
    **{name: {"beta": 0.01} for name in ("SparseHingeClassifier", "SparseQuantileRegressor")},
    "SparseHingeClassifierCV": {"betas": [1e-2, 1e-1], "cv": 2},
    "SparseQuantileRegressorCV": {"betas": [1e-2, 1e-1], "cv": 2},
    "ShapeletBoostClassifier": {"length": "5", "max_iter": 5},
    "BoundedLossSVR": {"kernels": "rbf:1", "n_init": 1},
}
# the estimators with a run_
CERTIFIED = [name for name in est.__all__ if hasattr(getattr(est, name), "spec")]
MODELS = {name: getattr(est, name)(**OPTIONS.get(name, {})) for name in CERTIFIED}
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fitted(name, y=TWO):
    rows = WAVES if name == "ShapeletBoostClassifier" else X
    numbers = name == "BoundedLossSVR" or "Quantile" in name
    y = X[:, 0] if numbers else y
    return clone(MODELS[name]).fit(rows, y), rows


def test_scores_by_the_attributes_of_kernel_weights() -> None:
    model, _ = fitted("LocalMKLClassifier")
    told = model.run_.summary
    assert model.kernel_weights_.tolist() == told["weights"]
    squares = ((X[:, None] - X[model.support_]) ** 2).sum(axis=2)
    weights = model.kernel_weights_ * told["trace_factors"]
    K = sum(w * np.exp(-g * squares) for w, g in zip(weights, (0.1, 1.0), strict=True))
    scores = K @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9)


LIMITED = est.VKRClassifier(kernels="poly:1-3", lam=1e-6, beta=1e-6, max_iter=1)
WARNING = [
    (LIMITED, TWO),
    (make_pipeline(StandardScaler(), LIMITED), THREE),
    (est.BoundedLossSVR(kernels="linear", n_init=1), 100.0 * X[:, 0]),
]


@pytest.mark.parametrize(("model", "y"), WARNING, ids=lambda value: type(value).__name__)
def test_warnings_point_at_the_call(model, y) -> None:
    with pytest.warns(rp.RadprogWarning) as told:
        clone(model).fit(X, y)
    assert {one.filename for one in told} == {__file__}


CLUSTERED = ["DiscriminativeClustering", "DiscriminativeLabelPropagation"]


@pytest.mark.parametrize("name", [*CLUSTERED, *(name for name in CERTIFIED if "CV" in name)])
def test_a_limit_before_the_first_step_is_told(name) -> None:
    y = np.where(np.arange(60) % 3, -1, (X[:, 0] > 0).astype(int)) if name in CLUSTERED else TWO
    y = X[:, 0] if "Quantile" in name else y
    with pytest.raises(
        rp.UnfinishedError, match=r"time_limit: ended|no fit .* cut off 4 of 4: raise time_limit"
    ):
        clone(MODELS[name]).set_params(time_limit=1e-9).fit(X, y)


@quiet
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", [*CERTIFIED, "precomputed"])
def test_a_pickle_holds_no_kernel_matrix(name, y) -> None:
    """Of n points none of n^2 numbers; all else that is told of a run is there."""
    if name == "precomputed":
        model, rows = est.VKRClassifier(kernels="precomputed").fit(X @ X.T, y), X @ X.T
    else:
        model, rows = fitted(name, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert max(len(pickle.dumps(value)) for value in vars(again.run_).values()) < 8 * 60 * 60
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.run_.evidence == model.run_.evidence
    assert again.run_._repr_html_() == model.run_._repr_html_()
    refused(rp.RadprogError, r"without the last program of its run: rp\.build", again.run_.model)
    assert len(list(model.run_.model().component_objects())) > 1


@pytest.mark.parametrize(
    ("cell", "told"), [("red", "'red'"), (None, "missing"), (np.inf, "infinity")], ids=str
)
@pytest.mark.parametrize("name", sorted({*CERTIFIED, "LPBoostClassifier", "ThinnedClassifier"}))
def test_a_bad_cell_of_a_frame_is_named(name, cell, told) -> None:
    model = MODELS.get(name) or rp.LPBoostClassifier()
    if name == "ThinnedClassifier":
        model = rp.ThinnedClassifier(RandomForestClassifier(5, random_state=0))
    frame = pd.DataFrame(RNG.normal(size=(24, 4)), columns=["a", "b", "c", "d"]).astype(object)
    frame.iloc[5, 2] = cell
    y = np.arange(24) % 2
    words = rf"row 6, column 2 \('c'\): .*{told}"
    refused(ValueError, words, clone(model).fit, frame, y)
    twins, words = frame.set_axis(["a", "b", "c", "b"], axis=1), "columns 1 and 3 .* one name, 'b'"
    refused(rp.DataError, words, clone(model).fit, twins, y)
    refused(rp.DataError, words, rp.PickToLearn(clone(model)).fit, twins, y)


SMALLER = {  # what a check of some seconds needs less of
    "BoundedLossSVR": {"n_init": 1},
    "ShapeletBoostClassifier": {"sigma": 0.3, "max_iter": 30},
    "SparseHingeClassifierCV": {"betas": [0.1, 0.01], "cv": 2},
    "SparseQuantileRegressorCV": {"betas": [0.1, 0.01], "cv": 2},
    "VKRClassifierCV": {"kernels": "poly:1", "cv": 2},
}


def expected_to_fail(estimator):
    """What a check of scikit-learn expects, and this program does not promise."""
    if isinstance(estimator, rp.ThinnedClassifier):
        said = "a forest draws its rows by number: scikit-learn expects it of forests too"
        return {"check_sample_weight_equivalence_on_dense_data": said}
    if getattr(estimator, "learner", None) == "stump":
        said = "stumps that are right on rows of a class of weight 1e-7 cost the others nothing"
        return {"check_class_weight_classifiers": said}
    return {}


@pytest.mark.thorough
@pytest.mark.cases(10000)
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([getattr(est, name)(**SMALLER.get(name, {})) for name in CERTIFIED])
def test_scikit_learn(estimator, check) -> None:
    check(estimator)


@pytest.mark.thorough
@pytest.mark.cases(60)
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        est.SparseHingeClassifier(constraints=rp.mean_score(1.0)),
        est.SparseQuantileRegressor(constraints=rp.monotone(0)),
        est.VKRClassifier(constraints=rp.monotone(0)),
        rp.LPBoostClassifier(),
        rp.LPBoostClassifier(constraints=rp.mean_score(1.0)),
        # leaves of a hundredth of the weight, as the check sets for trees of scikit-learn
        rp.LPBoostClassifier(
            DecisionTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.01, random_state=0)
        ),
        rp.ThinnedClassifier(RandomForestClassifier(12, max_depth=3, random_state=0), most=8),
        rp.PickToLearn(LogisticRegression()),
    ],
    expected_failed_checks=expected_to_fail,
)
def test_scikit_learn_of_constraints_and_ensembles(estimator, check) -> None:
    check(estimator)
