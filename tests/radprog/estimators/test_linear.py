"""Linear estimators: sparse rows, paths, scikit-learn's own optimum, the time of folds."""

import itertools
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss

import radprog as rp
from radprog import estimators as est
from radprog.tuning import Setting, ties_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 12)) * (RNG.random((80, 12)) < 0.5)
VALUES = X[:, 0] - 2 * X[:, 1] + 0.5 * RNG.normal(size=80)
CLASSES = np.where(VALUES > 0, "up", "down")


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.9])
def test_quantiles_are_those_of_scikit_learn(quantile: float) -> None:
    ours = est.SparseQuantileRegressor(quantile, 0.05, tol=1e-9).fit(X, VALUES)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.05).fit(X, VALUES)
    loss = mean_pinball_loss(VALUES, theirs.predict(X), alpha=quantile)
    assert ours.objective_ == pytest.approx(loss + 0.05 * np.abs(theirs.coef_).sum(), rel=1e-6)
    assert np.allclose(ours.predict(X), X @ ours.coef_ + ours.intercept_)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_give_the_same_classifier(kind) -> None:
    dense = est.SparseHingeClassifier(0.02).fit(X, CLASSES)
    same = est.SparseHingeClassifier(beta=0.02).fit(kind(X), CLASSES)
    assert same.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    assert np.array_equal(same.predict(kind(X)), dense.predict(X))
    assert np.allclose(X @ same.coef_[0] + same.intercept_[0], same.decision_function(X))
    assert same.score(kind(X), CLASSES) > 0.8


def test_three_classes_have_a_row_of_coefficients_each() -> None:
    model = est.SparseHingeClassifier(beta=0.01).fit(
        sparse.csr_array(X), np.digitize(VALUES, [-1, 1])
    )
    assert model.coef_.shape == (3, 12)
    assert np.allclose(model.decision_function(X), X @ model.coef_.T + model.intercept_)


@pytest.mark.parametrize(
    ("model", "one", "y"),
    [
        (est.SparseHingeClassifierCV, est.SparseHingeClassifier, CLASSES),
        (est.SparseQuantileRegressorCV, est.SparseQuantileRegressor, VALUES),
    ],
)
def test_a_path_chooses_the_beta_of_least_loss(model, one, y) -> None:
    chosen = model(betas="1..1e-3:4", cv=3).fit(sparse.csr_array(X), y)
    assert chosen.betas_.tolist() == sorted(chosen.betas_, reverse=True)
    assert chosen.losses_.shape == (3, 4)
    assert chosen.beta_ == chosen.betas_[chosen.losses_.mean(axis=0).argmin()] < 1.0
    assert chosen.certified_
    single = one(beta=chosen.beta_).fit(sparse.csr_array(X), y)
    assert single.objective_ == chosen.objective_
    with pytest.warns(rp.RadprogWarning, match="beta 0.1 is the smallest of the grid"):
        model(betas=[1.0, 0.3, 0.1], cv=3).fit(X, y)


def test_the_largest_beta_is_chosen_of_losses_that_differ_by_rounding() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(60, 4))
    values = 100 * (rows @ [1.0, -2.0, 3.0, 1.0] + 0.3 * rng.normal(size=60))
    chosen = est.SparseQuantileRegressorCV(betas="1e-2..1e-8:7", cv=3).fit(rows, values)
    losses = chosen.losses_.mean(axis=0)
    assert losses[0] > losses.min() + 0.1
    np.testing.assert_allclose(losses[1:], losses.min(), rtol=1e-13)
    assert chosen.beta_ == chosen.betas_[1]
    # the unit of the losses does not matter
    for unit in (1e-15, 1.0, 1e15):
        assert ties_of(unit * np.array([2.0, 1.0 + 1e-14, 1.0, 1.0 + 1e-9])) == [1, 2]
    assert ties_of([np.inf, 0.0, 0.0]) == [1, 2]


def test_a_regression_without_a_feature_says_so() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.warns(rp.RadprogWarning, match="no feature and predicts one value: choose a small"):
        model = est.SparseQuantileRegressor(beta=100.0).fit(rows, rows[:, 0])
    assert len(np.unique(model.predict(rows))) == 1


@pytest.mark.parametrize(
    ("losses", "chosen"),
    [
        # None has been cut off: all three on the first fold, two on the first two
        ([[0.5, 0.2, 0.1], [0.5, 0.0, None], [0.5, None, None]], 0.01),
        ([[0.5, 0.2, None], [0.1, 0.2, None], [0.5, None, None]], 0.1),
        ([[0.5, None, None], [0.5, None, None], [0.5, None, None]], 1.0),
        # a failed one does not take folds from the others, whose losses there are the larger ones
        ([[0.3, 0.4, 0.0], [0.9, 0.0, "failed"], [0.9, 0.0, None]], 0.1),
        # no fold that all have: the two on most folds
        ([[0.5, 0.2, None], [0.5, 0.2, None], [0.5, None, 0.0]], 0.1),
    ],
)
def test_betas_are_compared_on_their_common_folds(losses, chosen: float, monkeypatch) -> None:
    def tables(entry, specs, *args: object, **options: object) -> list[dict]:
        return [
            {
                Setting(spec): cell if isinstance(cell, str) else {"error": cell, "ended": True}
                for spec, cell in zip(specs, row, strict=True)
                if cell is not None
            }
            for row in losses
        ]

    monkeypatch.setattr("radprog.estimators.folds.fit_on_folds", tables)
    model = est.SparseHingeClassifierCV(betas=[1.0, 0.1, 0.01], cv=3, time_limit=100.0)
    with pytest.warns(est.base.LimitWarning, match=r"cut off \d of the 9 fits"):
        model.fit(X, CLASSES)
    assert model.beta_ == chosen


@pytest.mark.parametrize("polls", [5, 200])
@pytest.mark.parametrize("classes", [2, 4])
def test_folds_cut_off_share_the_time(classes: int, polls: int, monkeypatch) -> None:
    """By a clock that goes on when it is read: all folds have the first settings of the path."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 100))
    y = np.digitize(X[:, 0] + rng.normal(size=200), [0.0, 0.6, 1.2][: classes - 1])
    clock = SimpleNamespace(time=partial(next, itertools.count(0.0, 1e3 / polls)))
    monkeypatch.setattr("radprog.tuning.time", clock)
    model = est.SparseHingeClassifierCV(betas="1..1e-5:9", cv=3, time_limit=1e3)
    if polls == 5:  # less than the polls of a fit
        with pytest.raises(
            rp.UnfinishedError, match=r"no fit of .* cut off 27 of 27: raise time_limit"
        ):
            model.fit(X, y)
        return
    with pytest.warns(
        est.base.LimitWarning,
        match=r"cut off .* among the \d of 9 settings fitted on the same \d of 3 folds",
    ):
        model.fit(X, y)
    counts = np.isfinite(model.losses_).sum(axis=0)
    assert counts[0] == 3 > counts[-1]
    assert (np.diff(counts) <= 0).all()
    # the betas of any fold, on the folds that all of them have
    means = model.losses_[np.isfinite(model.losses_[:, counts > 0]).all(axis=1)].mean(axis=0)
    assert model.beta_ == model.betas_[np.nanargmin(means)]
    # a table has the same settings, and the reason of the others
    data = rp.dataset(X, y, one_vs_rest=True)
    grid = {"beta": [1e-5, 1.0, *np.geomspace(1e-4, 1e-1, 6).tolist()]}
    table = rp.tune(rp.L1Linear(), data, grid, folds=3, time_limit=1e3)
    assert not table["complete"]
    assert table["folds_finished"] == 3
    reached = {cell["params"]["beta"]: cell["message"] is None for cell in table["cells"]}
    assert reached[1.0] > reached[1e-5]
