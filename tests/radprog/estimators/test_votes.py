"""LPBoost over trees and thinned ensembles: against the whole program, all trees, and checks."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import radprog as rp
from radprog.base.errors import OptionError, UnfinishedError
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.votes import ExhaustiveTrees, price_hypotheses

FOREST = RandomForestClassifier(12, max_depth=3, random_state=0)
NAMES = np.array(["c", "a", "b"])


def table(m=60, classes=3, spread=6.0):
    """Overlapping clouds with a feature of few values; labels are texts, not in order."""
    X, codes = make_blobs(m, 3, centers=classes, cluster_std=spread, random_state=1)
    X[:, 2] = np.round(X[:, 2] / 4)
    return X, NAMES[codes]


def whole_program(votes, codes, targets, beta, cap=None, more=()):
    """The least value of the program over all hypotheses with votes (T, m, K), by HiGHS. ``beta``
    is a number or (T,). ``more`` are further rows (T,) of the weights, with their upper sides.
    """
    T, m, K = votes.shape
    rows, sides = [], []
    for i, k in itertools.product(range(m), range(K)):
        if k != codes[i]:
            rows.append(np.append(votes[:, i, k] - votes[:, i, codes[i]], -np.eye(m)[i]))
            sides.append(-targets[i, k])
    rows += [np.append(row, np.zeros(m)) for row, _ in more]
    sides += [side for _, side in more]
    cost = np.append(np.broadcast_to(beta, T), np.full(m, 1 / m))
    bounds = [(0, cap)] * T + [(0, None)] * m
    return linprog(cost, A_ub=np.array(rows), b_ub=sides, bounds=bounds).fun


def stump_votes(X, classes):
    """The votes (T, m, K) of all stumps."""
    cuts = [X[:, j] <= t for j in range(X.shape[1]) for t in np.unique(X[:, j])]
    ends = list(itertools.product(range(classes), repeat=2))
    return np.eye(classes)[np.array([np.where(cut, a, b) for cut in cuts for a, b in ends])]


def test_several_trees_of_a_search() -> None:
    rng = np.random.default_rng(4)
    X, gains = rng.normal(size=(40, 6)), rng.normal(size=(40, 3))

    def edges(trees):
        return [gains[np.arange(40), tree.predict(X)].sum() for tree in trees]

    # the best stumps of every feature, which are not neighbours
    trees, largest = ExhaustiveTrees(X, 1).several(gains, 0.0)
    assert edges(trees)[0] == pytest.approx(largest)
    for feature in range(6):
        own = [tree for tree in trees if tree.feature == feature]
        assert 2 <= len(own) <= 4
        assert edges(own)[0] == pytest.approx(ExhaustiveTrees(X[:, [feature]], 1).best(gains)[1])
        cuts = np.searchsorted(np.sort(X[:, feature]), [tree.threshold for tree in own])
        assert np.diff(np.sort(cuts)).min() > 2
    # depth 2: all trees are searched first, then only where promising roots have no such edge
    search = ExhaustiveTrees(X, 2)
    best = search.best(gains)[1]
    assert search.several(gains, 0.0)[1] == pytest.approx(best)
    some, largest = search.several(gains, 0.8 * best)
    assert largest is None
    assert min(edges(some)) > 0.8 * best
    assert max(edges(some)) == pytest.approx(best)  # the roots of the last search
    other = rng.normal(size=(40, 3))
    most = search.best(other)[1]
    assert search.several(other, 2.0 * most)[1] == pytest.approx(most)
    odd = type("Odd", (), {"several": lambda *given: (3,)})()
    refused(OptionError, "Odd: several returned", price_hypotheses, odd, gains, X)


@pytest.mark.parametrize("classes", [2, 3])
def test_constrained_stumps_are_the_optimum_and_have_its_prices(classes) -> None:
    X, y = table(30, classes, 12.0)
    codes = np.unique(y, return_inverse=True)[1]
    first = X[:, 1] > np.median(X[:, 1])
    shares = first / first.sum() - ~first / (~first).sum()
    votes = stump_votes(X, classes)
    free = rp.LPBoostClassifier(beta=0.03).fit(X, y)
    least = whole_program(votes, codes, np.ones((30, classes)), 0.03)
    assert free.objective_ == pytest.approx(least, abs=1e-8)
    assert free.certified_
    assert free.bound_ <= least + 1e-9
    assert 1 < len(free.estimators_) < 30
    scores = 2.0 * votes - 1.0  # of a stump, for each class
    columns = [1] if classes == 2 else range(classes)

    def optimum(eps=0.1, margin=2.0):
        signs = np.where(np.arange(classes) == codes[0], -1.0, 1.0)
        more = [(sign * scores[:, :, k] @ shares, eps) for k in columns for sign in (-1.0, 1.0)]
        more += [(signs[k] * scores[:, 0, k], -margin) for k in columns]
        return whole_program(votes, codes, np.ones((30, classes)), 0.03, more=more)

    limits = [rp.parity("groups", 0.1), rp.must_classify([0], 2.0)]
    model = rp.LPBoostClassifier(beta=0.03, constraints=limits).fit(X, y, groups=first)
    assert model.certified_
    assert model.objective_ == pytest.approx(optimum(), abs=1e-8)
    assert model.bound_ <= optimum() + 1e-9
    assert rp.solve(model.program(X, y)).objective == pytest.approx(model.objective_, abs=1e-8)
    f = model.decision_function(X).reshape(30, -1)
    f = f if classes == 2 else 2.0 * f - f.sum(axis=1, keepdims=True)
    assert np.abs(shares @ f).max() <= 0.1 + 1e-9
    assert model.predict(X)[0] == y[0]
    values = model.constraint_values_
    assert {entry["name"]: entry["price"] for entry in values} == model.constraint_prices_
    gaps = [entry["gap"] for entry in values if "parity" in entry["name"]]
    assert gaps == pytest.approx(np.abs(shares @ f), abs=1e-12)
    assert min(entry["slack"] for entry in values) >= -1e-9
    # a price lies between the slopes of the optimal value to both sides
    for part, looser in (("parity", (1, 0)), ("right", (0, 1))):
        price = sum(one for name, one in model.constraint_prices_.items() if part in name)
        h, (eps, margin) = 1e-4, looser
        values = [optimum(0.1 + step * eps, 2.0 - step * margin) for step in (-h, 0.0, h)]
        slopes = -np.diff(values) / h
        assert slopes[1] - 1e-5 <= price <= slopes[0] + 1e-5
        assert price > 0.0
    # other learners keep the constraints too
    for learner in (DecisionTreeClassifier(max_depth=2), ExhaustiveTrees(X, 1)):
        own = clone(model).set_params(learner=learner).fit(X, y, groups=first)
        f = own.decision_function(X).reshape(30, -1)
        assert np.abs(shares @ f).max() <= 0.1 + 1e-9


@pytest.mark.parametrize("beta", [0.02, 5.0], ids=["scores", "scores of 0"])
def test_the_rate_of_boosted_trees_is_that_of_their_labels(beta: float) -> None:
    """Of weighted rows, also where equal rows are one, and a score of 0 is the first class."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 2)))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0.8, "b", "a")
    weights = rng.integers(1, 4, size=60)
    caps = [rp.rate("false negative", 1.0, positive=label) for label in "ab"]
    caps.append(rp.rate("positive", 1.0))
    model = rp.LPBoostClassifier(beta=beta, constraints=caps).fit(X, y, weights)
    called = model.predict(X)
    assert (called == "a").all() == (beta > 1.0)
    expected = [np.average(called[y == k] != k, weights=weights[y == k]) for k in "ab"]
    expected.append(np.average(called == "b", weights=weights))
    values = model.constraint_values_
    assert [entry["rate"] for entry in values] == pytest.approx(expected)
    for entry in values:
        assert entry["rate"] <= entry["surrogate"] + 1e-9
        assert entry["slack"] == pytest.approx(1.0 - entry["surrogate"], abs=1e-9)
        assert entry["price"] == model.constraint_prices_[entry["name"]]


def test_constraints_that_no_ensemble_keeps_are_named() -> None:
    X, y = np.zeros((4, 1)), [0, 0, 1, 1]
    both = rp.LPBoostClassifier(constraints=[rp.must_classify([0]), rp.must_classify([3])])
    words = "no ensemble .* keeps the constraints: X.0. right with margin 1; X.3. right"
    refused(rp.SettingError, words, both.fit, X, y)
    both.set_params(learner=DecisionTreeClassifier())
    refused(rp.SettingError, "no ensemble that the learner finds keeps", both.fit, X, y)
    late = rp.LPBoostClassifier(max_iter=1, constraints=rp.must_classify([0, 3]))
    refused(UnfinishedError, "max_iter: no ensemble keeps", late.fit, [[0], [1], [2], [3]], y)


def test_contradicting_rates_end_before_the_limits_and_all_names_are_counted() -> None:
    # at the price of a slack the tolerance of the master leaves its own columns large edges
    X, y = [[1.2], [0.0], [0.5], [-2.1], [0.5], [1.2], [0.0]], [0, 0, 1, 1, 0, 1, 1]
    limits = [rp.must_classify([4], 7.0), rp.rate("false positive", 0.0)]
    limits += [rp.parity("groups", 1e-6), rp.rate("false negative", 0.01)]
    model = rp.LPBoostClassifier(constraints=limits)
    words = "no ensemble with a total weight up to .* keeps"
    refused(rp.SettingError, words, model.fit, X, y, groups=[0, 1, 1, 1, 0, 0, 1])
    # at the highest price a solver may fail: the lower one has shown the conflict
    words += ".*false negative.*positive.*; a rate is capped by its convex surrogate"
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 4))
        y = X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=80) > 0
        limits = [rp.rate("false negative", 0.2), rp.rate("positive", 0.3)]
        refused(rp.SettingError, words, rp.LPBoostClassifier(constraints=limits).fit, X, y)
    X, y = np.arange(10.0)[:, None], [-1, 1] * 5
    cycle = rp.monotone([(i, (i + 1) % 10) for i in range(10)], 1.0)
    model = rp.LPBoostClassifier(constraints=cycle)
    refused(rp.SettingError, ", and 2 more$", model.fit, X, y)
    stumps = rp.LPBoost(learner="stump")
    refused(rp.SettingError, ", and 2 more$", rp.fit, stumps, rp.dataset(X, y), constraints=cycle)


def test_learners() -> None:
    X, y = table(30, 2)
    stump = rp.LPBoostClassifier().fit(X, y)
    tree = rp.LPBoostClassifier("tree2").fit(X, y)
    assert tree.certified_
    assert tree.objective_ < stump.objective_
    # the program with nu, at the price nu times its value
    other = rp.fit(rp.LPBoost(learner="tree2", nu=0.3), rp.dataset(X, y))
    same = rp.LPBoostClassifier("tree2", beta=0.3 * other.objective).fit(X, y)
    assert same.objective_ == pytest.approx(0.3)
    # a heuristic has no bound; the same search as a function has one
    fitted = rp.LPBoostClassifier(DecisionTreeClassifier(max_depth=1)).fit(X, y)
    assert fitted.bound_ is None
    assert not fitted.certified_
    assert fitted.objective_ >= stump.bound_ - 1e-9
    for own in (ExhaustiveTrees(X, 1), lambda X, codes: ExhaustiveTrees(X, 1)):
        objective = rp.LPBoostClassifier(own).fit(X, y).objective_
        assert objective == pytest.approx(stump.objective_, rel=1e-9)
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    with pytest.warns(ConvergenceWarning):
        short = rp.LPBoostClassifier(max_iter=3).fit(X, y)
    assert short.bound_ <= stump.objective_ <= short.objective_
    assert short.n_iter_ == 3
    # a larger tolerance ends sooner, also under a constraint, and each round is observed
    for constraints in (None, rp.mean_score(0.0)):
        records = list[object]()
        model = clone(tree).set_params(tol=0.5, verbose=records.append, constraints=constraints)
        assert model.fit(X, y).certified_
        assert constraints or 1e-3 < model.gap_ <= 0.5
        assert len(records) == model.n_iter_
    refused(OptionError, "tol -1", model.set_params(tol=-1.0).fit, X, y)


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "ensemble",
    [
        FOREST,
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=12, random_state=0),
        BaggingClassifier(n_estimators=12, max_features=2, max_samples=0.4, random_state=0),
        GradientBoostingClassifier(n_estimators=12, max_depth=1, random_state=0),
    ],
    ids=lambda ensemble: type(ensemble).__name__,
)
def test_a_thinned_ensemble_is_the_optimum(ensemble, classes, most) -> None:
    X, y = table(60, classes)
    ensemble.fit(X, y)
    model = rp.thin(ensemble, X, y, beta=0.5, most=most)
    codes = np.searchsorted(ensemble.classes_, y)
    every = range(len(ensemble.estimators_))
    votes = np.array([model._votes(t, X) for t in every])
    weights = np.array(getattr(ensemble, "estimator_weights_", np.ones(len(every)))[: len(every)])
    weights /= weights.sum()
    scores = model._offset + np.tensordot(weights, votes, axes=1)
    # with the weights of the ensemble the members predict what it does
    np.testing.assert_array_equal(ensemble.predict(X), ensemble.classes_[scores.argmax(axis=1)])
    # the kept members as they are
    stay = zip(model.kept_, model.estimators_, strict=True)
    own = np.array([model._votes(t, X, member) for t, member in stay])
    few = model._offset + np.tensordot(model.weights_, own, axes=1)
    np.testing.assert_array_equal(model.predict(X), ensemble.classes_[few.argmax(axis=1)])
    if isinstance(ensemble, RandomForestClassifier):
        members = [tree.predict_proba(X) for tree in model.estimators_]
        means = np.average(members, axis=0, weights=model.weights_)
        np.testing.assert_allclose(model.predict_proba(X), means)
    # a pickle, and the pickle of its copy, predict without the other members
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model))))  # noqa: S301
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    refused(OptionError, "without the whole ensemble", again.program, X, y)
    # a row of the fit of a bagged member gets the mean vote of the members of other rows
    for i in range(60):
        inside = [i in rows for rows in getattr(ensemble, "estimators_samples_", [()] * len(every))]
        if any(inside) and not all(inside):
            votes[inside, i] = votes[np.logical_not(inside), i].mean(axis=0)
    scores = model._offset + np.tensordot(weights, votes, axes=1)
    margins = scores[np.arange(60), codes][:, None] - scores
    margins[np.arange(60), codes] = np.inf
    targets = np.maximum(margins, margins.min(axis=1).mean() / 2)
    targets -= model._offset[codes][:, None] - model._offset
    targets[np.arange(60), codes] = 0.0
    unit = targets.max(axis=1).clip(0.0).mean()
    beta = np.full(len(every), model.beta_)
    beta[model.kept_] = 0.5
    cap = None if most is None else (weights * len(every) / most).max()
    least = whole_program(votes / unit, codes, targets / unit, beta, cap)
    assert model.certified_
    # without members the objective is 1
    assert 0 < model.objective_ < 1
    assert len(model.kept_) <= (most or len(every))
    assert (model.prices_ >= 0).all()
    assert model.prices_.shape == (len(every),)
    assert np.abs(model.prices_[model.kept_]).max() < 1e-6
    if most is None or not hasattr(ensemble, "estimator_weights_"):
        assert model.objective_ == pytest.approx(least, abs=1e-7)
    assert model.objective_ >= least - 1e-7


def test_most_is_kept() -> None:
    X, y = table(150, 2)
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    loose, plain = rp.thin(forest, X, y), rp.thin(forest, X, y, most=10)
    few = rp.thin(forest, X, y, most=10, refit=True)
    refused(AttributeError, "no probabilities, with refit=True: rp", lambda: few.predict_proba)
    assert (few.weights_ == plain.weights_).all()
    assert 0 < len(few.weights_) <= 10 < len(loose.weights_)
    assert few.certified_
    assert few.beta_ > loose.beta_ == 0.1
    assert plain.estimators_[0] is forest.estimators_[plain.kept_[0]]
    # copies of the trees: other leaf values, with which the part is closer to the forest
    first = forest.estimators_[few.kept_[0]]
    assert (few.estimators_[0].apply(X) == first.apply(X)).all()
    others = np.random.default_rng(0).normal(X.mean(axis=0), X.std(axis=0), (2000, 3))
    whole = forest.predict_proba(others)
    scale = few.weights_.sum()
    far, near = (np.abs(part._scores(others) / scale - whole).mean() for part in (plain, few))
    assert near < 0.9 * far
    probable = rp.calibrate(rp.ThinnedClassifier(forest, most=10), cv=2).fit(X, y)
    assert probable.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert few.score(X, y) > 0.85
    # a row that all trees were fitted to: one tree has all margins, and equal shares do not
    whole = ExtraTreesClassifier(30, random_state=0).fit(X, y)
    with pytest.warns(rp.RadprogWarning, match="keeps 1 of 30 members, .* or most"):
        assert rp.thin(whole, X, y).kept_.tolist() == [0]
    assert len(rp.thin(whole, X, y, most=10).kept_) == 10
    with pytest.warns(rp.RadprogWarning, match="beta 1.5 keeps no member; give beta below"):
        assert not len(rp.thin(forest, X, y, beta=1.5).kept_)
    same = rp.ThinnedClassifier(RandomForestClassifier(60, random_state=0), most=10).fit(X, y)
    np.testing.assert_array_equal(same.weights_, few.weights_)


X, Y = table(40, 2)
MEMBERS = FOREST.fit(X, Y)
TEXTS = np.where(X > 0, "more", "less")
PIPE = make_pipeline(OneHotEncoder(), clone(FOREST)).fit(TEXTS, Y)


def test_refused() -> None:
    for call, error, words in (
        (lambda: rp.LPBoostClassifier("vine").fit(X, Y), OptionError, "vine"),
        (lambda: rp.LPBoostClassifier(max_iter=0).fit(X, Y), OptionError, "max_iter"),
        (lambda: rp.LPBoostClassifier(time_limit=1e-9).fit(X, Y), UnfinishedError, "time"),
        (lambda: rp.thin(MEMBERS, X, Y, most=0), OptionError, "most"),
        (lambda: rp.thin(MEMBERS, X, Y, beta=-1), OptionError, "beta"),
        (lambda: rp.thin(MEMBERS, X, Y, refit=True), OptionError, "refit: expected most"),
        (lambda: rp.thin(MEMBERS, X, np.full(40, "d")), ValueError, "'d'"),
        (lambda: rp.thin(SVC().fit(X, Y), X, Y), OptionError, "estimators_"),
        (lambda: rp.thin(BaggingClassifier(SVC()).fit(X, Y), X, Y), OptionError, "predict_proba"),
        (lambda: rp.thin(LinearRegression().fit(X, Y == "a"), X, Y), OptionError, "classifier"),
        (lambda: rp.thin(PIPE, TEXTS, Y), OptionError, r"rp.thin\(pipe\[-1\], pipe\[:-1\]"),
        (lambda: rp.ThinnedClassifier(PIPE).fit(TEXTS, Y), OptionError, "in its place"),
    ):
        refused(error, words, call)


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(9, random_state=0, class_weight="balanced_subsample"),
        BaggingClassifier(DecisionTreeClassifier(), 9, max_features=0.7, random_state=0),
    ],
)
def test_rows_in_another_order_are_not_taken_for_those_of_the_fit(forest) -> None:
    X, y = table()
    forest.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = rp.thin(forest, X, y, beta=0.01)
        every = ExtraTreesClassifier(9, random_state=0).fit(X[::2], y[::2])
        rp.thin(every, X[1::2], y[1::2], beta=0.01)  # as the guide says
    order = np.random.default_rng(0).permutation(len(y))
    with pytest.warns(rp.RadprogWarning, match="is not these rows in their order"):
        other = rp.thin(forest, X[order], y[order], beta=0.01)
    # every member votes, as for rows outside the fit: duplicated, they are no rows of the fit
    twice = rp.thin(forest, np.repeat(X, 2, axis=0), np.repeat(y, 2), beta=0.01)
    assert other.objective_ == pytest.approx(twice.objective_)
    assert other.objective_ < model.objective_ - 0.01


def test_the_program_of_a_fit_has_its_objective(tmp_path) -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    held = rp.LPBoostClassifier(beta=10.0, constraints=rp.mean_score(0.5))
    with pytest.warns(rp.WeakFitWarning):
        empty = [held.fit(X, y), clone(held).set_params(constraints=None).fit(X, y)]
    fits = rp.thin(forest, X, y, most=5), rp.LPBoostClassifier(beta=0.05).fit(X, y)
    for model in (*empty, *fits):
        program = model.program(X, y)
        solution = rp.solve(program)
        assert solution.proved_by == "duals"
        assert solution.objective == pytest.approx(model.objective_, rel=1e-6)
        refused(ValueError, "y holds 9, which is not a class", model.program, X, np.full(len(y), 9))
    rp.export(program, tmp_path / "votes.mps")
    assert rp.solve(tmp_path / "votes.mps").objective == pytest.approx(model.objective_, rel=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", ["stump", "tree2"])
def test_a_weight_is_a_number_of_copies(learner, classes) -> None:
    X, y = load_iris(return_X_y=True)
    y = np.minimum(y, classes - 1)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    one = rp.LPBoostClassifier(learner, beta=0.05).fit(X, y, weights)
    other = rp.LPBoostClassifier(learner, beta=0.05).fit(X[copies], y[copies])
    assert one.certified_
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    program = rp.solve(one.program(X, y, weights))
    assert program.objective == pytest.approx(one.objective_, rel=1e-6)
    # class weights are weights
    double = dict(enumerate([2, 1, 1][:classes]))
    by_class = rp.LPBoostClassifier(learner, beta=0.05, class_weight=double).fit(X, y)
    by_row = rp.LPBoostClassifier(learner, beta=0.05).fit(X, y, np.where(y == 0, 2, 1))
    assert by_class.objective_ == by_row.objective_
    refused(ValueError, "sample_weight, row 1", rp.LPBoostClassifier().fit, X, y, -weights - 1)


def test_weights_of_a_thinned_ensemble() -> None:
    X, y = table()
    forest = RandomForestClassifier(12, max_depth=3, random_state=0).fit(X, y)
    new, labels = X[:50] + 0.1, y[:50]
    weights = np.random.default_rng(1).integers(1, 4, 50)
    copies = np.repeat(np.arange(50), weights)
    one = rp.thin(forest, new, labels, beta=0.01, sample_weight=weights)
    other = rp.thin(forest, new[copies], labels[copies], beta=0.01)
    assert one.certified_
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    refused(OptionError, "positive", rp.thin, forest, X, y, sample_weight=np.arange(60))
    model = rp.ThinnedClassifier(FOREST, most=5, class_weight="balanced").fit(X, y, np.arange(60))
    program = rp.solve(model.program(X, y, np.arange(60)))
    assert program.objective == pytest.approx(model.objective_, rel=1e-6)


@pytest.mark.parametrize("most", [None, 10])
def test_a_limit_at_any_moment_leaves_a_certified_gap(most, monkeypatch) -> None:
    X, y = table(240, classes=2)
    forest = RandomForestClassifier(60, random_state=0).fit(X, y)
    best = rp.thin(forest, X, y, most=most, refit=most is not None)
    unfinished, gaps = 0, []
    for looks in (1, 30, 65, 80, 120, 200, 400, 1000, 10**6):
        left = iter(range(looks))
        monkeypatch.setattr(Budget, "spent", lambda self, left=left: next(left, None) is None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = rp.thin(forest, X, y, most=most, refit=most is not None, time_limit=1e6)
            except UnfinishedError:
                unfinished += 1
                continue
        ended = any(isinstance(one.message, ConvergenceWarning) for one in caught)
        assert ended or next(left, None) is not None
        assert 0 < len(model.kept_) <= (most or 60)
        assert model.bound_ <= model.objective_ + 1e-9
        # the price of members without weight, and so the program, is that of the best with them
        assert most or model.bound_ <= best.objective_ * (1 + 1e-6)
        assert most or model.objective_ >= best.objective_ * (1 - 1e-6)
        gaps.append(model.gap_)
    assert unfinished
    assert gaps[0] > 0.01
    assert gaps[-1] < 1e-6


def test_importances_are_those_of_the_trees() -> None:
    X, y = load_iris(return_X_y=True)
    # all trees with equal weights have the importances of the forest
    forest = RandomForestClassifier(6, random_state=0).fit(X, y)
    model = rp.thin(forest, X, y, most=6, beta=1e-9)
    parts = [tree.feature_importances_ for tree in model.estimators_]
    held = np.average(parts, axis=0, weights=model.weights_)
    np.testing.assert_allclose(model.feature_importances_, held / held.sum())
    # own trees decrease the same impurity as a tree of scikit-learn with the same splits
    own = ExhaustiveTrees(X, 2).best(np.eye(3)[y])[0]
    same = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert (own.predict(X) == same.predict(X)).mean() > 0.95
    boosted = rp.LPBoostClassifier(same).fit(X, y)
    assert boosted.feature_importances_.sum() == pytest.approx(1.0)
    # of stumps, the importance of a feature is its share of the weights
    stumps = rp.LPBoostClassifier().fit(X, y)
    at = [tree.feature for tree in stumps.estimators_]
    shares = np.bincount(at, stumps.weights_, 4) / stumps.weights_.sum()
    np.testing.assert_allclose(stumps.feature_importances_, shares)
    stump = ExhaustiveTrees(X, 1).best(np.eye(3)[y])[0]
    held = np.zeros(4)
    stump.decreases(X, np.eye(3)[y], held)
    alone = DecisionTreeClassifier(max_depth=1).fit(X[:, [stump.feature]], y).tree_
    decrease = 150 * alone.compute_feature_importances(normalize=False)[0]
    assert held.sum() == held[stump.feature] == pytest.approx(decrease)
    bagged = BaggingClassifier(max_features=2, random_state=0).fit(X, y)
    assert rp.thin(bagged, X, y, most=3).feature_importances_.shape == (4,)
    mixed = rp.thin(BaggingClassifier(SVC(probability=True), 3).fit(X, y), X, y)
    refused(AttributeError, "feature_importances_", lambda: mixed.feature_importances_)


@pytest.mark.parametrize(
    ("ensemble", "bagged"),
    [
        (RandomForestClassifier(8, random_state=0), True),
        (RandomForestClassifier(8, bootstrap=False, random_state=0), False),
        (ExtraTreesClassifier(8, random_state=0), False),
        (BaggingClassifier(n_estimators=8, random_state=0), True),
        (BaggingClassifier(n_estimators=8, max_features=2, bootstrap=False, random_state=0), False),
        (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=8), False),
        (GradientBoostingClassifier(n_estimators=8), False),
        (GradientBoostingClassifier(n_estimators=8, subsample=0.5), True),
    ],
)
def test_members_that_were_fitted_to_all_rows_cause_a_warning(ensemble, bagged) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    y = X[:, 0] + 0.7 * rng.normal(size=160) > 0
    ensemble.fit(X[:100], y[:100])
    warned = set()
    for key, thin in {
        "its rows": lambda: rp.thin(ensemble, X[:100], y[:100], most=4),
        "other rows": lambda: rp.thin(ensemble, X[60:], y[60:], most=4),
        "fit": lambda: rp.ThinnedClassifier(ensemble, 4).fit(X, y),
    }.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            thin()
        if any("the members were fitted to" in str(one.message) for one in caught):
            warned.add(key)
    # a fit knows that stages on parts of the rows have no votes for others
    expected = {"fit"} if isinstance(ensemble, GradientBoostingClassifier) else set()
    assert warned == (expected if bagged else {"its rows", "fit"})
