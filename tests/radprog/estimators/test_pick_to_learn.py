"""Pick-to-learn: the loop, its bound over many samples, and what it refuses."""

import numpy as np
import pytest
from effort import count
from refusals import refused
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from radprog import PickToLearn, holdout_bound
from radprog.models.bounds import binomial_upper, compression_bound

DELTA = 0.05


def two_clouds(rng, n):
    """Two overlapping normal clouds."""
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y


def lattice(rng, n):
    """Few distinct points, most of them in the sample several times, some with both labels."""
    X = rng.integers(5, size=(n, 2)).astype(float)
    return X, np.where(rng.random(n) < 0.08, 1, 0) ^ (X.sum(axis=1) > 4)


def three_classes(rng, n):
    """Three clouds far apart."""
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + 3.0 * np.c_[np.cos(2.1 * y), np.sin(2.1 * y)], y


def test_the_final_classifier_predicts_the_rest() -> None:
    X, y = three_classes(np.random.default_rng(0), 120)
    model = PickToLearn(make_pipeline(StandardScaler(), SVC())).fit(X, y)
    k = len(model.compressed_)
    assert 2 <= k < 60
    assert len(set(model.compressed_.tolist())) == k
    others = np.setdiff1d(np.arange(120), model.compressed_)
    assert (model.predict(X[others]) == y[others]).all()
    assert model.error_bound_ == compression_bound(120, k, DELTA)
    assert [one.size for one in model.rounds_] == list(range(k + 1))
    # the classifier is that of these rows and of nothing else
    again = PickToLearn(make_pipeline(StandardScaler(), SVC())).fit(X, y)
    np.testing.assert_array_equal(model.compressed_, again.compressed_)


def test_the_order_of_the_rows_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    X, y = lattice(rng, 80)
    order = rng.permutation(80)
    one = PickToLearn(DecisionTreeClassifier(max_depth=4)).fit(X, y)
    other = PickToLearn(DecisionTreeClassifier(max_depth=4)).fit(X[order], y[order])
    assert one.error_bound_ == other.error_bound_
    picked = [np.c_[X, y][one.compressed_], np.c_[X, y][order][other.compressed_]]
    np.testing.assert_array_equal(*picked)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of variances of equal points
@pytest.mark.parametrize("draw", [two_clouds, lattice, three_classes])
def test_the_bound_is_exceeded_no_more_often_than_it_says(draw) -> None:
    rng, draws, exceeded = np.random.default_rng(4), count(200, 40), 0
    fresh = draw(rng, 20_000)
    for _ in range(draws):
        X, y = draw(rng, 60)
        if len(np.unique(y)) < 2:
            continue
        model = PickToLearn(GaussianNB()).fit(X, y)
        exceeded += bool(np.mean(model.predict(fresh[0]) != fresh[1]) > model.error_bound_)
    # a binomial test at level 1e-6 of the claim P[exceeded] <= delta
    assert binom.sf(exceeded - 1, draws, DELTA) > 1e-6


def test_the_bound_of_rows_held_out_is_the_binomial_one() -> None:
    X = np.arange(100.0)[:, None]
    y = np.repeat([0, 1], 50)
    y[::10] ^= 1
    bound = holdout_bound(SVC(kernel="linear"), X, y, share=0.5, delta=0.1)
    wrong = [errors for errors in range(50) if binomial_upper(errors, 50, 0.1) == bound]
    assert len(wrong) == 1
    assert 1 <= wrong[0] <= 10


def test_values_are_no_labels_of_a_bound() -> None:
    refused(ValueError, "continuous", holdout_bound, SVC(), np.eye(9), np.arange(9.0) / 7.0)


def test_what_the_classifier_has_and_is_given() -> None:
    X, y = two_clouds(np.random.default_rng(0), 60)
    model = PickToLearn(SVC()).fit(X, y)
    same = PickToLearn(SVC()).fit(X, y, sample_weight=np.ones(60))
    np.testing.assert_array_equal(model.compressed_, same.compressed_)
    np.testing.assert_array_equal(model.decision_function(X), model.estimator_.decision_function(X))
    assert not hasattr(model, "predict_proba")
    weights = np.where(y > 0, 9.0, 1.0)
    pipe = PickToLearn(make_pipeline(LogisticRegression()))
    heavy = pipe.fit(X, y, logisticregression__sample_weight=weights)
    rows = np.sort(heavy.compressed_)
    alone = make_pipeline(LogisticRegression())
    alone.fit(X[rows], y[rows], logisticregression__sample_weight=weights[rows])
    np.testing.assert_allclose(heavy.predict_proba(X), alone.predict_proba(X), atol=1e-3)
