"""Estimators after a second fit that fails: as if they had never been fitted."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

import radprog as rp
from radprog import estimators

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 8))
FIRST, SECOND = np.where(X[:, 0] > 0, "cat", "dog"), np.where(X[:, 1] > 0, "red", "blue")
GIVEN = {
    "ThinnedClassifier": RandomForestClassifier(10, random_state=0),
    "PickToLearn": SVC(kernel="linear"),
}
WRONG = {"ThinnedClassifier": {"beta": -1.0}, "PickToLearn": {"picks": 0}}


def fitted(name):
    """An estimator of this name after one fit, and targets of a second fit."""
    kind = getattr(estimators, name)
    model = kind(GIVEN[name]) if name in GIVEN else kind()
    numbers = "Quantile" in name or "SVR" in name
    model.fit(X, X[:, 0] if numbers else FIRST)
    return model, X[:, 1] if numbers else SECOND


def fails(model, error, rows, y) -> None:
    """The fit fails, and leaves nothing that a fit has."""
    model.predict(X)
    with pytest.raises(error):
        model.fit(rows, y)
    assert not [name for name in vars(model) if name.endswith("_")]
    for name in ("coef_", "constraint_prices_", "_last_run", "feature_importances_"):
        assert not hasattr(model, name)
    for call in (check_is_fitted, lambda model: model.predict(X)):
        with pytest.raises(NotFittedError):
            call(model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.cases(99)
@pytest.mark.parametrize("name", estimators.__all__)
def test_a_second_fit_that_fails_leaves_no_fit(name, monkeypatch) -> None:
    model, y = fitted(name)
    # rows and settings
    holed = X.copy()
    holed[3, 1] = np.nan
    clouds = name == "DiscriminativeClustering"
    for rows, labels in [(holed, y), (X[:5], y[:4])][: 1 if clouds else 2]:
        fails(fitted(name)[0], ValueError, rows, labels)
    wrong = WRONG.get(name, {"tol": -1.0})
    fails(fitted(name)[0].set_params(**wrong), rp.OptionError, X, y)
    # Ctrl-C and a limit before the first answer
    step = next(step for step in ("_learn", "_certify", "_train") if hasattr(model, step))
    for error in (KeyboardInterrupt, rp.UnfinishedError):

        def ended(*args: object, error=error, **options: object) -> None:
            raise error("ended before the first step")

        other = fitted(name)[0]
        with monkeypatch.context() as patch:
            patch.setattr(type(model), step, ended)
            fails(other, error, X, y)
    # a fit afterwards is that of a new estimator
    fails(model.set_params(**wrong), rp.OptionError, X, y)
    model.set_params(**{key: getattr(fitted(name)[0], key) for key in wrong}).fit(X, y)
    fresh = clone(model).fit(X, y)
    assert vars(model).keys() == vars(fresh).keys()
    np.testing.assert_array_equal(model.predict(X), fresh.predict(X))


def test_the_fit_of_a_subclass_keeps_what_it_sets_first() -> None:
    class Noted(estimators.SparseHingeClassifier):
        def fit(self, X, y):
            self.note_ = len(y)
            return super().fit(X, y)

    model = Noted().fit(X, FIRST)
    assert model.note_ == len(X)
    fails(model, ValueError, X[:5], FIRST)
