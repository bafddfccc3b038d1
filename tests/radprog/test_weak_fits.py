"""A classifier that is useless on its own training rows says so, with a remedy that works."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV

import radprog as rp
from radprog.estimators import L1SVMClassifier, SparseHingeClassifier, VKRClassifier

SPECS = {
    "vkr": rp.VKR(kernels="poly:1-3", beta=0.05),
    "l1svm": rp.L1SVM(),
    "svm": rp.SVM(kernels="rbf:0.1"),
    "l1linear": rp.L1Linear(loss="hinge", beta=0.02),
    "mkl": rp.MKL(kernels="rbf:0.001,rbf:0.01"),
    "lpboost": rp.LPBoost(learner="stump", nu=0.5),
    "simsvm": rp.SimSVM(kernels="rbf:0.1"),
}


def rare(seed: int):
    """Rows with 8 to 12 % positives that the features tell apart only in part."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(150) < rng.integers(12, 19), 1, -1)
    return rng.normal(size=(150, 5)) + 0.5 * (y[:, None] > 0), y


def weak(predicted, scores, y) -> bool:
    """Whether the scores are equal, or at most one row in 20 of a class is recognised."""
    shares = [np.mean(predicted[y == label] == label) for label in np.unique(y)]
    return bool(min(shares) <= 0.05 or np.ptp(scores) <= 1e-9 * np.abs(scores).max())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SPECS)
def test_a_weak_fit_warns_in_the_run_and_beside_its_bounds(name: str, seed: int) -> None:
    X, y = rare(seed)
    data = rp.dataset(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = rp.fit(SPECS[name], data)
    scores = run.fit.scores(data.X)
    expected = weak(np.where(scores >= 0, 1, -1), scores, y)
    said = [str(one.message) for one in caught if one.category is rp.WeakFitWarning]
    assert bool(said) is expected is ("weakness" in run.summary)
    assert set(said) <= set(run.warnings)
    # weights come first, and a weaker penalty only for one stronger than usual
    for line in said:
        assert "training row" in line
        if name != "lpboost":
            assert "class_weight='balanced'" in line.partition(" or ")[0]
        rule = "LABEL, the rare one of two classes, by rp.rate('false negative', 0.2, "
        assert (rule + "positive=LABEL)" in line) is hasattr(SPECS[name], "constraints")
        assert ("a smaller beta" in line) is (name in ("vkr", "l1linear"))
    table = rp.bounds(run, data) if name != "mkl" else None
    if table is not None and expected:
        assert "useless" in str(table)
        assert "<- best" not in str(table)


@pytest.mark.parametrize("names", [("ok", "fraud"), ("ok", "theft"), (0, 1), (1, 0)])
def test_the_cap_of_the_advice_finds_the_rare_class(names: tuple[object, object]) -> None:
    """Whether its label is the first or the second in sorted order."""
    X, y = rare(0)
    y = np.where(y > 0, names[1], names[0])
    cap = rp.rate("false negative", 0.2, positive=names[1])
    model = SparseHingeClassifier(constraints=cap).fit(X, y)
    assert (model.predict(X)[y == y.dtype.type(names[1])] == names[1]).mean() >= 0.8


@pytest.mark.parametrize("model", [rp.VKR(kernels="rbf:0.1"), rp.L1Linear()])
def test_a_weak_fit_that_a_limit_ended_names_the_limit(model) -> None:
    data = rp.dataset(*rare(0))
    with pytest.warns(rp.WeakFitWarning, match="max_iter ended it, so let it go on") as caught:
        run = rp.fit(model, data, max_iter=1)
    assert "class_weight" not in str(caught[0].message)
    assert run.reason == "max_iter"
    three = rp.dataset(data.X, np.arange(150) % 3, one_vs_rest=True)
    with pytest.warns(rp.WeakFitWarning, match="max_iter ended it, so let it go on"):
        rp.fit(model, three, max_iter=1)


def test_a_search_issues_each_warning_once() -> None:
    """scikit-learn restores the filters at each fit, and Python then forgets its warnings."""
    X, y = rare(0)
    search = GridSearchCV(L1SVMClassifier(), {"beta": [0.5, 1.0, 2.0]}, cv=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        search.fit(X, y)
    lines = [str(one.message) for one in caught if one.category is rp.WeakFitWarning]
    assert len(lines) == len(set(lines)) > 0


def test_the_advice_is_not_what_the_fit_already_has() -> None:
    """Weights of classes that are alike, and a cap that leaves one class no room."""
    X, y = rare(0)
    words = "of classes that weigh alike: cap the misses"
    with pytest.warns(rp.WeakFitWarning, match=words) as caught:
        SparseHingeClassifier(beta=1.0, class_weight="balanced").fit(X, y)
    assert not any("balanced" in str(one.message) for one in caught)
    even = "with no rare class: choose a smaller lam and a smaller beta, or scale the features"
    with pytest.warns(rp.WeakFitWarning, match=even) as caught:
        VKRClassifier(lam=0.5, beta=0.5).fit(X, np.arange(len(X)) % 2)
    assert not any("class_weight" in str(one.message) for one in caught)
    cap, priced = rp.rate("positive", 0.05), "have a price: positive rate of '1' at most 0.05"
    with pytest.warns(rp.WeakFitWarning, match=priced):
        SparseHingeClassifier(class_weight="balanced", constraints=cap).fit(X, y)


def test_boosted_trees_under_a_rate_are_not_weighed() -> None:
    """Weights of classes beside a rate may take a hundred times as long."""
    X, y = rare(0)
    equal, loose = "the same score: choose ", rp.rate("false positive", 1.0, positive=1)
    cases = [
        ({}, f"{equal}class_weight='balanced', or a smaller beta"),
        ({"class_weight": "balanced"}, f"{equal}a smaller beta"),
        ({"constraints": loose}, f"{equal}a smaller beta"),
    ]
    for options, words in cases:
        with pytest.warns(rp.WeakFitWarning, match=words):
            rp.LPBoostClassifier(beta=5.0, **options).fit(X, y)
    noise = rp.dataset(np.random.default_rng(1).normal(size=(150, 1)), y)
    spec = rp.LPBoost(learner="stump", nu=0.5)
    with pytest.warns(rp.WeakFitWarning, match=f"{equal}another nu$"):
        rp.fit(spec, noise, constraints=loose)
    # the tenth of patients whose diabetes progressed fast, and a cap that leaves them no room
    X, progress = load_diabetes(return_X_y=True)
    y = np.where(progress > np.quantile(progress, 0.9), 1, -1)
    tight, words = rp.rate("positive", 0.01), ": loosen .* have a price: positive rate of '1'"
    with pytest.warns(rp.WeakFitWarning, match=words):
        rp.LPBoostClassifier(beta=0.05, constraints=tight).fit(X, y)
    with pytest.warns(rp.WeakFitWarning, match=words):
        rp.fit(rp.LPBoost(learner="stump"), rp.dataset(X, y), constraints=tight)
