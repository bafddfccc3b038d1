"""What fitted estimators tell: attributes and their shapes, limits, small pickles."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import radprog as rp
from radprog import estimators
from radprog.estimators import BoundedLossSVR, VKRClassifier, VKRClassifierCV

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
MODELS = {name: getattr(estimators, name)(**OPTIONS.get(name, {})) for name in estimators.__all__}
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fitted(name, y=TWO):
    rows = WAVES if name == "ShapeletBoostClassifier" else X
    numbers = name == "BoundedLossSVR" or "Quantile" in name
    y = X[:, 0] if numbers else y
    return clone(MODELS[name]).fit(rows, y), rows


def test_scores_by_the_attributes_of_kernel_weights() -> None:
    model, _ = fitted("LocalMKLClassifier")
    told = model.run_.summary
    assert model.kernel_weights_.tolist() == told["weights"] == told["weight_per_kernel"]
    squares = ((X[:, None] - X[model.support_]) ** 2).sum(axis=2)
    weights = model.kernel_weights_ * told["trace_factors"]
    K = sum(w * np.exp(-g * squares) for w, g in zip(weights, (0.1, 1.0), strict=True))
    scores = K @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9)


LIMITED = VKRClassifier(kernels="poly:1-3", lam=1e-6, beta=1e-6, max_iter=1)
WARNING = [
    (LIMITED, TWO),
    (make_pipeline(StandardScaler(), LIMITED), THREE),
    (BoundedLossSVR(kernels="linear", n_init=1), 100.0 * X[:, 0]),
]


@pytest.mark.parametrize(("model", "y"), WARNING, ids=lambda value: type(value).__name__)
def test_warnings_point_at_the_call(model, y) -> None:
    with pytest.warns(rp.RadprogWarning) as told:
        clone(model).fit(X, y)
    assert {one.filename for one in told} == {__file__}


@pytest.mark.parametrize("name", ["DiscriminativeClustering", "DiscriminativeLabelPropagation"])
def test_a_limit_before_the_first_step_is_told(name) -> None:
    y = np.where(np.arange(60) % 3, -1, (X[:, 0] > 0).astype(int))
    with pytest.raises(rp.UnfinishedError, match="time_limit: ended before the first step"):
        clone(MODELS[name]).set_params(time_limit=1e-9).fit(X, y)


def test_a_choice_that_a_limit_cuts_off() -> None:
    model = VKRClassifierCV(kernels="poly:1-2", lams=[1e-2, 1e-1], cv=3, time_limit=1e-9)
    with pytest.raises(rp.UnfinishedError):
        model.fit(X, TWO)


@quiet
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", [*estimators.__all__, "precomputed"])
def test_a_pickle_holds_no_kernel_matrix(name, y) -> None:
    """Of n points none of n^2 numbers; all else that is told of a run is there."""
    if name == "precomputed":
        model, rows = VKRClassifier(kernels="precomputed").fit(X @ X.T, y), X @ X.T
    else:
        model, rows = fitted(name, y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert max(len(pickle.dumps(value)) for value in vars(again.run_).values()) < 8 * 60 * 60
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.run_.evidence == model.run_.evidence
    assert again.run_._repr_html_() == model.run_._repr_html_()
    assert again.plot().axes
    with pytest.raises(rp.RadprogError, match=r"without the last program of its run: rp\.build"):
        again.run_.model()
    assert len(list(model.run_.model().component_objects())) > 1
