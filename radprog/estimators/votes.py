"""Weighted votes of trees by a linear program: LPBoost on tabular data, and thinned ensembles."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import lsqr
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.tree import BaseDecisionTree
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from radprog.base.errors import OptionError, WeakFitWarning, warn_user
from radprog.base.limits import poll
from radprog.base.sections import amount
from radprog.base.settings import refusing_others
from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.catalog import constraint_rows, realised_by
from radprog.decompositions.loop import Budget, Reason, certified_by, first_step
from radprog.decompositions.lpboost.votes import (
    Split,
    VoteMargins,
    VoteOracle,
    boost_votes,
    learner_for,
    thin_votes,
    vote_rows,
)
from radprog.decompositions.run import (
    RunSettings,
    end_failed,
    level_ties,
    limited,
    priced_constraints,
    stoppable,
    weakness_of,
)
from radprog.estimators.base import (
    ObservedEstimator,
    RefittedEstimator,
    by_class,
    classes_of,
    ending_the_caller,
    kept_groups,
    labelled,
    numbered,
    refuse_columns,
    refuse_probabilities,
    unusable,
    warn_ended,
)
from radprog.estimators.documented import documented
from radprog.instances.data import Data, checked_weights
from radprog.instances.dataset import dataset
from radprog.models.constraints import listed
from radprog.models.lpboost.settings import TREES, usable_learner
from radprog.models.score_arrays import NO_ROWS
from radprog.solvers.program import refuse_no_number, relative_gap


class VotingEstimator(ClassifierMixin, RefittedEstimator):
    """A fitted classifier whose scores are weighted votes of ``estimators_``."""

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError for a missing attribute, with a hint for ``predict_proba``."""
        refuse_probabilities(self, name)
        return object.__getattribute__(self, name)

    @property
    def certified(self) -> bool:
        """An alias of ``certified_``."""
        return bool(self.certified_)

    @property
    def weights(self) -> FloatArray:
        """An alias of ``weights_``."""
        return np.asarray(self.weights_)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of rows.

        Parameters
        ----------
        X : array-like (n, d)
            Rows with d finite features.

        Returns
        -------
        ndarray (n, K)
            The scores; of two classes (n,), positive for the second one.

        Raises
        ------
        NotFittedError
            Before a fit.
        ValueError
            If X has other features than the training rows, or a missing or infinite cell.

        Examples
        --------
        >>> from radprog.estimators import LPBoostClassifier
        >>> model = LPBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> (model.decision_function([[0.5], [2.5]]) > 0).tolist()
        [False, True]
        """
        scores = self._checked_scores(X)
        return np.asarray(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores)

    def _checked_scores(self, X: Any) -> FloatArray:
        """The scores (n, K) of rows, which are checked."""
        check_is_fitted(self)
        refuse_columns(X, type(self).__name__)
        return level_ties(self._scores(validate_data(self, X, reset=False)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels of rows.

        Parameters
        ----------
        X : array-like (n, d)
            Rows with d finite features.

        Returns
        -------
        ndarray (n,)
            The labels.

        Raises
        ------
        NotFittedError
            Before a fit.
        ValueError
            If X has other features than the training rows, or a missing or infinite cell.

        Examples
        --------
        >>> from radprog.estimators import LPBoostClassifier
        >>> model = LPBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> model.predict([[0.5], [2.5]]).tolist()
        [0, 1]
        """
        scores = self.decision_function(X)
        places = scores > 0.0 if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[places.astype(np.intp)])

    def program(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Build the linear program of the fit in Pyomo, for example for :func:`radprog.export`.

        Parameters
        ----------
        X : array-like (n, d)
            The rows of the fit.
        y : array-like (n,)
            The labels of these rows.
        sample_weight : array-like (n,), optional
            The weights of these rows in the fit.

        Returns
        -------
        ConcreteModel
            The program over all members of an ensemble, or over the generated trees with positive
            weights. Its optimal value is ``objective_``.

        Raises
        ------
        ValueError
            If X and y have different lengths, or do not match the classifier.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import radprog as rp
        >>> X, y = load_iris(return_X_y=True)
        >>> model = rp.LPBoostClassifier().fit(X, y)
        >>> solution = rp.solve(model.program(X, y))
        >>> abs(solution.objective - model.objective_) < 1e-6
        True
        """
        check_is_fitted(self)
        rows, labels = validate_data(self, X, y, reset=False)
        positive, counts = self._counted(np.asarray(labels), sample_weight)
        problem, votes = self._problem(rows[positive], np.asarray(y)[positive], counts)
        return problem.program(votes)

    def _counted(
        self, y: NDArray[Any], weights: ArrayLike | None
    ) -> tuple[IntArray, FloatArray | None]:
        """The rows of positive weight, and their weights divided by the mean of these."""
        positive, row_weights = np.arange(len(y)), by_class(self.class_weight, y, weights)
        if row_weights is None:
            return positive, None
        counts = checked_weights(row_weights, len(y), "sample_weight", lambda i: i + 1)
        positive = np.flatnonzero(counts)
        return positive, counts[positive] / counts[positive].mean()

    @property
    def feature_importances_(self) -> FloatArray:
        """The decrease of impurity (d,) by each feature, as a share of that of its tree, averaged
        with the weights of the trees. Available only if all members are trees.
        """
        total = np.zeros(self.n_features_in_)
        for place, (weight, member) in enumerate(zip(self.weights_, self.estimators_, strict=True)):
            for tree in np.ravel(np.array(member, dtype=object)):
                self._add_importances(place, tree, weight, total)
        return np.asarray(total / total.sum() if total.any() else total)

    def _add_importances(self, place: int, tree: Any, weight: float, total: FloatArray) -> None:
        """Add the importances (d,) of the features in the member at ``place``."""
        total += weight * tree.feature_importances_

    def _problem(
        self, X: FloatArray, y: NDArray[Any], counts: FloatArray | None
    ) -> tuple[VoteMargins, FloatArray]:
        """The margin program, and the votes (T, n, K) of its trees."""
        raise NotImplementedError

    def _codes(self, y: NDArray[Any]) -> IntArray:
        """Class numbers (n,) of labels. Raises ValueError for an unknown label."""
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        if (wrong := self.classes_[codes] != y).any():
            raise ValueError(
                f"y holds {y[wrong].tolist()[0]!r}, which is not a class of the ensemble"
            )
        return np.asarray(codes)

    def _scores(self, X: FloatArray) -> FloatArray:
        """Weighted votes (n, K) of the trees."""
        raise NotImplementedError

    def _checked(self, X: Any, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
        """The rows as an array, and their labels."""
        refuse_no_number("beta", self.beta, positive=True)
        refuse_columns(X, type(self).__name__)
        rows, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        return rows, np.asarray(labels)

    def _certify(
        self,
        objective: float,
        bound: float | None,
        X: FloatArray,
        y: NDArray[Any],
        advice: str,
        tol: float = RunSettings.tol,
    ) -> None:
        """Compute the certificate and set its attributes. If the fit is useless on its rows X
        (n, d) with labels y (n,), a warning gives the ``advice``.
        """
        scores = self._scores(X)
        if weakness := weakness_of(scores - scores[:, :1], scores.argmax(axis=1), self._codes(y)):
            warn_user(f"the fit {weakness}: {advice}", WeakFitWarning)
        self.objective_, self.bound_ = objective, bound
        self.gap_ = relative_gap(objective, bound)
        self.certified_ = certified_by(objective, bound, tol, 0.0) is not None


@documented
@dataclass(eq=False, repr=False)
class LPBoostClassifier(VotingEstimator, ObservedEstimator):
    """LPBoost on tabular data. It fits a weighted vote of few trees, certified over all trees.

    Parameters
    ----------
    learner : {"stump", "tree2"}, object, classifier or callable
        "stump" searches all trees of depth 1 and "tree2" all trees of depth 2, so the bound holds
        over all these trees. With a scikit-learn classifier that accepts ``sample_weight``, the
        search is a heuristic, and the fit has no bound. An object must have a method
        ``best(weights) -> (hypothesis, edge, exact)``. A callable receives the rows X (n, d) and
        the class numbers (n,), and returns such an object. ``weights[i, c]`` is the value of a vote
        for class c on row i. The edge of a hypothesis is the sum of the values of its votes.
        ``hypothesis.predict(X)`` returns class numbers. ``exact`` is True if no hypothesis has a
        larger edge.
    beta : float
        Price per unit of weight in the objective. A higher price lowers the total weight.
    max_iter : int
        Maximum number of rounds of column generation. A round adds one hypothesis, or up to 60
        trees of "stump" or "tree2".
    time_limit : float or None
        Time limit in seconds. The best weights found by then are kept, also after Ctrl-C, where
        ``fit`` then raises KeyboardInterrupt.
    class_weight : mapping, 'balanced' or None
        Factors by label that multiply the sample weights, as in the other classifiers.
    constraints : Constraint, sequence or None
        Constraints such as radprog.parity(1, 0.05), about the rows of each fit, as in the other
        classifiers. Of two classes, they are on the scores; of more, on the sum of votes for each
        class, less that of votes for the others.

    Attributes
    ----------
    estimators_ : list
        The trees with positive weights.
    weights_ : ndarray (k,)
        The positive weights of these trees.
    objective_ : float
        The recomputed value of the program.
    bound_ : float or None
        A lower bound on the optimum; None for a heuristic learner.
    gap_ : float or None
        The relative gap of the two; None without a bound.
    certified_ : bool
        Whether the gap is at most ``tol``.
    constraint_prices_ : dict
        Price of each constraint, by its name: what a unit more room improves the objective by, at
        most, beside the gap that is open. With a heuristic learner, over its own trees.
    constraint_values_ : list of dict
        Of each constraint ``name``, number of ``rows``, least ``slack`` and ``price``; of a rate
        also the ``rate`` of the training rows and its ``surrogate``, of groups the ``gap`` of their
        mean scores.
    n_iter_ : int
        Number of rounds.
    trace_ : list of Record
        The objective and the bound in each round.
    classes_ : ndarray (K,)
        Labels of the classes.
    n_features_in_ : int
        Number d of features.
    feature_importances_ : ndarray (d,)
        Decrease of the Gini impurity by each feature, as a share of that of its tree, averaged
        with the weights of the trees. For stumps it is the share of the weights on the feature.

    See Also
    --------
    radprog.ThinnedClassifier : A few trees of a fitted or unfitted forest.
    radprog.estimators.ShapeletBoostClassifier : LPBoost over time series patterns.

    Notes
    -----
    min (1/n) sum_i xi_i + beta sum_t w_t subject to
    sum_t w_t [h_t(x_i, y_i) - h_t(x_i, k)] >= 1 - xi_i for every other class k, with w, xi >= 0.

    For two classes this is the program of Demiriz, Bennett and Shawe-Taylor (2002).
    :class:`radprog.LPBoost` uses nu in place of beta. Let g be the optimal value with nu. If g is
    positive and beta = nu g, both programs have the same solutions up to a factor, and the optimal
    value with beta is nu. If the data have S splits, a round with "tree2" takes at most as long as
    S rounds with "stump".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import radprog as rp
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rp.LPBoostClassifier().fit(X, y)
    >>> model.certified_, model.score(X, y) > 0.95
    (True, True)
    """

    learner: Any = "stump"
    beta: float = 0.01
    max_iter: int = 500
    time_limit: float | None = None
    class_weight: Any = None
    constraints: Any = None

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier to labelled rows, under its constraints.

        Parameters
        ----------
        X : array-like (n, d)
            Rows with d finite features.
        y : array-like (n,)
            Their labels.
        sample_weight : array-like (n,), optional
            Weights >= 0 of the rows. A weight of 2 counts a row twice, also in the means and rates
            of constraints, and one of 0 omits it.
        groups : array-like (n,), optional
            The group of each row, for constraints on "groups".

        Returns
        -------
        Self
            The estimator.

        Raises
        ------
        OptionError
            If a parameter is invalid.
        SettingError
            If no ensemble satisfies the constraints.
        ValueError
            If X, y and groups have different lengths, or y contains fewer than two classes.
        UnfinishedError
            If ``time_limit`` leaves no time for the first round, or a limit leaves no ensemble that
            satisfies the constraints.

        Examples
        --------
        >>> from radprog.estimators import LPBoostClassifier
        >>> model = LPBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> model.certified_
        True
        """
        is_tree = isinstance(self.learner, str) and self.learner in TREES
        if not is_tree and not usable_learner(self.learner):
            raise OptionError(
                f"learner {self.learner!r}: expected one of {', '.join(TREES)}, an object with "
                "best(weights), a classifier, or a function of X and class numbers"
            )
        refuse_no_number("max_iter", self.max_iter, 1, whole=True)
        # only the relative gap ends column generation: with a small beta, the objective itself is
        # below the absolute tolerance
        settings = RunSettings(
            tol=self.tol, abs_tol=0.0, max_iter=self.max_iter, time_limit=self.time_limit,
            observe=self._observer,
        )  # fmt: skip
        with ending_the_caller(), stoppable(settings) as settings:
            reason = self._fit(X, y, sample_weight, groups, settings)
            end_failed(settings, self)
            if reason.premature:
                gap = "" if self.gap_ is None else f", gap {self.gap_:.2g}"
                gap += "; a larger beta needs fewer rounds" * bool(gap)
                warn_ended(self, reason, f" after {amount(self.n_iter_, 'round')}{gap}")
        return self

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, settings: RunSettings
    ) -> Reason:
        """Fit by the settings, and return why the rounds ended."""
        budget = settings.budget()
        X, y = self._checked(X, y)
        positive, counts = self._counted(y, sample_weight)
        n, groups = len(y), kept_groups(groups, len(y), positive)
        X, y = X[positive], y[positive]
        self.classes_, codes = classes_of(y)
        data = None
        if listed(self.constraints):
            names = getattr(self, "feature_names_in_", ())
            with unusable():
                points = dataset(X, codes, one_vs_rest=True, weights=counts, features=names)
            data = numbered(replace(labelled(points, self.classes_), groups=groups), n, positive)
        # equal rows are one row with the sum of their weights, so that copies are as weights are;
        # an object has rows of its own
        places = np.arange(len(y))
        if not hasattr(self.learner, "best"):
            rows, places = np.unique(np.column_stack([codes, X]), axis=0, return_inverse=True)
            X, codes, sums = rows[:, 1:], rows[:, 0].astype(np.intp), np.bincount(places, counts)
            y, counts = self.classes_[codes], None if np.ptp(sums) == 0 else sums / sums.mean()
        targets = np.ones((len(y), len(self.classes_)))
        problem = VoteMargins(codes, targets, self.beta, counts=counts)
        oracle = self._boost(problem, X, data, places, settings, budget)
        # the trees with positive weight in the best round
        w = oracle.weights
        support = np.flatnonzero(w > SUPPORT * w.max(initial=0.0))
        self.estimators_ = [oracle.hypotheses[t] for t in support]
        self.weights_ = w[support]
        # the importances of each own tree, while its rows are at hand
        classes = np.eye(len(self.classes_))[codes] * problem.costs[:, None]
        self._decreases = np.zeros((len(support), X.shape[1]))
        for tree, into in zip(self.estimators_, self._decreases, strict=True):
            if isinstance(tree, Split):
                tree.decreases(X, classes, into)
        # weights of classes make rates hard: of 3,000 rows, 48 s became more than 60 without an
        # ensemble (rp.LPBoost: 6 s)
        weighed = self.class_weight == "balanced" or bool(self.constraint_values_)
        alike = "" if weighed else "class_weight='balanced', or "
        advice = limited(oracle.reason) or priced_constraints(self.constraint_values_)
        advice = advice or f"choose {alike}a smaller beta"
        self._certify(oracle.objective, oracle.bound, X, y, advice, self.tol)
        return oracle.reason

    def _boost(
        self,
        problem: VoteMargins,
        X: FloatArray,
        data: Data | None,
        places: IntArray,
        settings: RunSettings,
        budget: Budget,
    ) -> VoteOracle:
        """Run column generation on rows X (m, d), with the constraints on the points of ``data``,
        of which point i is row ``places[i]``.
        """
        self._rows = [] if data is None else constraint_rows(self.constraints, data)
        if data is not None:
            problem = replace(problem, rows=vote_rows(self._rows, data.labels, places, len(X)))
        learner = learner_for(self.learner, X, problem.codes)
        oracle = boost_votes(problem, learner, X, settings, budget)
        self.trace_ = oracle.trace
        self.n_iter_, self.constraint_values_ = len(self.trace_), list[dict[str, Any]]()
        if data is not None:
            votes = oracle.summed_votes(oracle.weights)
            self.constraint_values_ = problem.rows.values(votes.ravel(), oracle.prices)
            # the scores of the points, of two classes for the second; 0 predicts the first one
            f = (2.0 * votes - votes.sum(axis=1, keepdims=True))[places]
            f = f[:, 1:] if votes.shape[1] == 2 else f
            measured = realised_by(np.where(f == 0.0, -1e-300, f), data, self.constraints)
            for entry in self.constraint_values_:
                entry |= measured.get(entry["name"], {})
        self.constraint_prices_ = {row["name"]: row["price"] for row in self.constraint_values_}
        return oracle

    def _add_importances(self, place: int, tree: Any, weight: float, total: FloatArray) -> None:
        if not isinstance(tree, Split):
            return super()._add_importances(place, tree, weight, total)
        decreases = self._decreases[place]
        total += weight * decreases / (decreases.sum() or 1.0)
        return None

    def _problem(
        self, X: FloatArray, y: NDArray[Any], counts: FloatArray | None
    ) -> tuple[VoteMargins, FloatArray]:
        K = len(self.classes_)
        votes = [np.eye(K)[np.asarray(tree.predict(X), dtype=np.intp)] for tree in self.estimators_]
        targets = np.ones((len(y), K))
        labels = [str(label) for label in self.classes_]
        rows = vote_rows(self._rows, labels, np.arange(len(y)), len(y)) if self._rows else NO_ROWS
        problem = VoteMargins(self._codes(y), targets, self.beta, counts=counts, rows=rows)
        return problem, np.array(votes).reshape(-1, len(y), K)

    def _scores(self, X: FloatArray) -> FloatArray:
        scores = np.zeros((len(X), len(self.classes_)))
        for weight, tree in zip(self.weights_, self.estimators_, strict=True):
            scores[np.arange(len(X)), np.asarray(tree.predict(X), dtype=np.intp)] += weight
        return scores


def _votes_are_probabilities(model: Any) -> bool:
    """Whether the members of an ensemble vote by probabilities, with their own leaves."""
    boosted = isinstance(model.estimator, AdaBoostClassifier | GradientBoostingClassifier)
    return hasattr(model.estimator, "predict_proba") and not boosted and not model.refit


@refusing_others
@dataclass(eq=False, repr=False)
class ThinnedClassifier(VotingEstimator):
    """A few reweighted trees that keep the margins of a forest or boosted ensemble.

    A thinned forest or bagging has ``predict_proba``, unless ``refit`` is set. For others and for
    calibrated probabilities, use :func:`radprog.calibrate`.

    Parameters
    ----------
    estimator : classifier
        A scikit-learn ensemble with ``estimators_``: random forest, extra trees, bagging, AdaBoost
        or gradient boosting. ``fit`` fits a clone of the ensemble, and thins it on the same rows.
        Bagged members vote on rows outside their own; others cause a warning, because their votes
        on rows of their fit say little about new ones. For these and for a fitted ensemble, use
        :func:`radprog.thin`.
    most : int, optional
        Maximum number of trees to keep. The weight of each tree is then limited. In a forest, the
        limit is 1 / ``most``. If exactly ``most`` trees of a forest are kept, usually all of them
        have this weight, so equal weights are optimal. To keep as few trees as possible, compare
        the accuracies for small values of ``most`` on other rows.
    beta : float, default 0.1
        Price per unit of weight. The weights of the whole ensemble sum to 1, and the objective
        without trees is 1. A higher price lowers the total weight. If the price keeps at most one
        tree, a warning is issued.
    refit : bool, default False
        With ``most``: whether to give the leaves of the kept trees new values. They may
        make predictions for new rows more or less accurate, so compare both. The certificate covers
        the weights with the old values.
    class_weight : mapping or 'balanced', optional
        Factors by label that multiply the sample weights, in the fit of the ensemble and in the
        program.
    time_limit : float, optional
        Time limit in seconds, with the fit of the ensemble. The best weights found by then are
        kept, and ``refit`` may be left out.

    Attributes
    ----------
    estimators_ : list
        The members with positive weights. With ``refit`` they are copies with new leaf values.
        These values may be below 0 or above 1.
    weights_ : ndarray (k,)
        The positive weights of these members.
    kept_ : ndarray (k,)
        Indices of these members in the ensemble.
    prices_ : ndarray (T,)
        Increase in the objective per unit of weight of each member; 0 for members with positive
        weights.
    beta_ : float
        Price per unit of weight for the members with weight 0. Without ``most``, it is ``beta``.
        With ``most``, it is the lowest price of at least ``beta`` that keeps their weights at 0.
    objective_, bound_, gap_ : float
        The recomputed value of the program, a lower bound on its optimum, and their relative gap.
    certified_ : bool
        Whether the gap is at most 1e-6.
    ensemble_ : classifier
        The whole ensemble; omitted from pickles and copies.
    classes_ : ndarray (K,)
        Labels of the classes.
    n_features_in_ : int
        Number d of features.
    feature_importances_ : ndarray (d,)
        Decrease of impurity by each feature, as a share of that of its tree, averaged with the
        weights of the kept trees. The stages of a gradient boosting count by their decreases, not
        by shares.

    See Also
    --------
    radprog.thin : The same program for a fitted ensemble.
    radprog.LPBoostClassifier : Trees by column generation.

    Notes
    -----
    min (1/n) sum_i xi_i + sum_t beta_t w_t subject to
    sum_t w_t [h_t(x_i, y_i) - h_t(x_i, k)] >= a_ik - xi_i for every other class k, with w, xi >= 0.

    a_ik is the margin of the whole ensemble, or half of the mean margin if that is larger.
    h_t(x, k) is the probability that member t assigns to class k. For AdaBoost it is the member's
    vote. For GradientBoosting it is the member's score, times the learning rate and the number of
    members. All margins are scaled so that the objective without members is 1.

    If X has as many rows as the training data of a forest or of bagging, X is assumed to be these
    data. If member t was fitted to row i, h_t(x_i, k) is the mean over the members that were not
    fitted to row i.

    With ``most``, w_t is at most T / ``most`` times the weight of member t in the ensemble of T
    members. The program is first solved with the price ``beta`` for all members. The ``most``
    members with the largest weights keep this price. The others have the price ``beta_``. The
    certificate covers the weights at these prices, with the votes of the ensemble's own members. It
    does not prove that no other selection of ``most`` members has smaller losses.

    With ``refit``, the new leaf values come from 16 steps of least squares. The target is the vote
    of more trees, usually 4 times as many. These trees come from the same program, with a quarter
    of the upper bounds on the weights. Each of the 20,000 rows mixes two rows of X, feature by
    feature.

    Pickles and copies contain the kept trees, but not the whole ensemble that ``program`` requires.
    For scikit-learn's breast cancer data, the pickle of 50 of 500 trees takes 185 KiB, and the
    pickle of the whole forest takes 1,794 KiB.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> import radprog as rp
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(30, random_state=0)
    >>> model = rp.ThinnedClassifier(forest, most=5).fit(X[:300], y[:300])
    >>> len(model.weights_) <= 5, model.certified_
    (True, True)
    """

    estimator: Any
    most: int | None = None
    beta: float = 0.1
    refit: bool = False
    class_weight: Any = None
    time_limit: float | None = None

    _bare = None  # the ensemble without its members, in a pickle or copy

    @property
    def kept(self) -> IntArray:
        """An alias of ``kept_``."""
        return self.kept_

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a clone of the ensemble to labelled rows, and thin it.

        Sample weights enter the fit of the ensemble and the program; a row of weight 0 is left out
        of both.

        Parameters
        ----------
        X : array-like (n, d)
            Rows with d finite features.
        y : array-like (n,)
            Their labels.
        sample_weight : array-like (n,), optional
            Weights >= 0 of the rows.

        Returns
        -------
        Self
            The estimator.

        Raises
        ------
        OptionError
            If a parameter is invalid, or the members of the ensemble do not vote.
        ValueError
            If X and y have different lengths, or y contains fewer than two classes.
        UnfinishedError
            If ``time_limit`` ends before the members have voted.

        Examples
        --------
        >>> import radprog as rp
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(n_estimators=30, random_state=0)
        >>> len(rp.ThinnedClassifier(forest, most=5).fit(X, y).kept_) <= 5
        True
        """
        budget = RunSettings(time_limit=self.time_limit).budget()
        X, y = self._checked(X, y)
        positive, counts = self._counted(y, sample_weight)
        X, y = X[positive], y[positive]
        classes_of(y)
        keywords = {} if counts is None else {"sample_weight": counts}
        ensemble = clone(self.estimator).fit(X, y, **keywords)
        return self._thin(ensemble, X, X, y, counts, budget, own=True)

    @available_if(_votes_are_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the weighted means of the members' probabilities.

        Parameters
        ----------
        X : array-like (n, d)
            Rows with d finite features.

        Returns
        -------
        array (n, K)
            Probabilities of the classes ``classes_``, each row with sum 1.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> import radprog as rp
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> forest = RandomForestClassifier(30, random_state=0)
        >>> few = rp.ThinnedClassifier(forest, most=5).fit(X, X[:, 0] > 0)
        >>> few.predict_proba(X).sum(axis=1).round(9).min()
        np.float64(1.0)
        """
        scores = self._checked_scores(X)
        # without members, all classes are equal
        total = scores.sum(axis=1, keepdims=True)
        equal = np.full_like(scores, 1.0 / scores.shape[1])
        return np.asarray(np.divide(scores, total, where=total > 0.0, out=equal))

    def _checked(self, X: Any, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
        if hasattr(self.estimator, "steps"):
            raise OptionError(
                "a Pipeline is given: thin its last step, rp.thin(pipe[-1], "
                "pipe[:-1].transform(X), y), or put ThinnedClassifier in its place"
            )
        return super()._checked(X, y)

    def _thin(
        self,
        ensemble: Any,
        raw: Any,
        X: FloatArray,
        y: NDArray[Any],
        counts: FloatArray | None,
        budget: Budget,
        *,
        own: bool,
    ) -> Self:
        """Thin a fitted ensemble; ``raw`` contains the rows in the input format of the ensemble.
        ``own`` rows are those of its fit.
        """
        if self.most is not None:
            refuse_no_number("most", self.most, 1, whole=True)
        # an ensemble of members that vote
        name = type(ensemble).__name__
        classes = getattr(ensemble, "classes_", None)
        members = getattr(ensemble, "estimators_", None)
        if members is None or not isinstance(classes, np.ndarray):
            raise OptionError(
                f"{name}: expected a classifier of one label: a fitted forest, bagging or "
                "boosting, with estimators_"
            )
        trees = isinstance(members[0], np.ndarray)
        if trees and not (ensemble.init_ == "zero" or isinstance(ensemble.init_, DummyClassifier)):
            raise OptionError(f"{name}: expected no init of its own, which depends on the rows")
        if not trees and not hasattr(members[0], "predict_proba"):
            raise OptionError(f"{name}: expected members with predict_proba")
        # leaves that hold a probability of every class
        leaves = not isinstance(ensemble, AdaBoostClassifier) and all(
            isinstance(tree, BaseDecisionTree) and tree.tree_.value.shape[1:] == (1, len(classes))
            for tree in members
        )
        if self.refit and (self.most is None or not leaves):
            raise OptionError(
                "refit: expected most, and trees with a value of every class at a leaf"
            )
        self.ensemble_, self.classes_ = ensemble, classes
        # the initial scores of a boosting stay unchanged
        self._offset = self._initial_scores(_safe_indexing(raw, [0]), X[:1])
        with first_step(budget):
            problem, votes = self._ensemble_problem(X, y, counts)
            weights = _weights(ensemble)
            # at a limit at least the first members, as a smaller ensemble
            start = weights if problem.caps is None else problem.caps
            start = np.where(np.arange(len(start)) < (self.most or len(start)), start, 0.0)
            thinned = thin_votes(votes, problem, self.beta, self.most, budget, start)
        self.kept_: IntArray = np.flatnonzero(thinned.weights)
        self.weights_ = thinned.weights[self.kept_]
        self.estimators_ = [ensemble.estimators_[t] for t in self.kept_]
        if self.refit and len(self.kept_) and not budget.spent():
            assert problem.caps is not None
            # the leaves imitate the vote of four times as many members
            capped = replace(problem, caps=np.maximum(problem.caps / 4, weights))
            copied = thin_votes(votes, capped, self.beta, None, budget, weights).weights
            if not budget.spent():
                self.estimators_ = self._copied_leaves(X, copied / copied.sum())
        ended = budget.spent()
        self.prices_, self.beta_ = thinned.prices, thinned.beta
        advice = "choose a lower beta, or a larger most"
        if ended:
            advice = limited(budget.reason)
        elif not len(self.kept_):
            # reduced costs beta - edge: the largest edge is the least such price
            edge = thinned.beta - float(thinned.prices.min())
            advice = f"beta {thinned.beta:g} keeps no member; give beta below {edge:.3g}, or most"
        elif len(self.kept_) == 1 < min(self.most or len(votes), len(votes)):
            warn_user(
                f"beta {self.beta:g} keeps 1 of {len(votes)} members, perhaps because X has the "
                "rows of its fit: give rows outside the fit, a lower beta, or most"
            )
        self._certify(thinned.objective, thinned.bound, X, y, advice)
        if ended and (self.refit or not self.certified_):
            warn_ended(self, budget.reason, f": gap {self.gap_:.2g}")
        if self._votes_in_sample(X, own=own):
            warn_user(
                "X are rows that the members were fitted to, on which their votes say little about "
                "new rows: fit the ensemble, and give rp.thin rows that were not used in the fit"
            )
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle or copy: the kept members, without the whole ensemble."""
        state = {**super().__getstate__(), "estimator": clone(self.estimator, safe=False)}
        if (ensemble := state.pop("ensemble_", None)) is not None:
            # the votes of the kept members depend on the settings and features of the ensemble
            state["_bare"] = bare = copy(ensemble)
            bare.estimators_ = [None] * len(ensemble.estimators_)
            if (features := getattr(ensemble, "estimators_features_", None)) is not None:
                bare.estimators_features_ = {t: features[t] for t in self.kept_}
        return state

    def _problem(
        self, X: FloatArray, y: NDArray[Any], counts: FloatArray | None
    ) -> tuple[VoteMargins, FloatArray]:
        if not hasattr(self, "ensemble_"):
            raise OptionError(
                "a pickle or copy of a ThinnedClassifier is without the whole ensemble, which its "
                "program needs: thin the ensemble again"
            )
        problem, votes = self._ensemble_problem(X, y, counts)
        beta = np.full(len(votes), self.beta_)
        beta[self.kept_] = self.beta
        return replace(problem, beta=beta), votes

    def _copied_leaves(self, X: FloatArray, weights: FloatArray) -> list[Any]:
        """Copies of the kept trees with new leaf values. Least squares fits the weighted vote of
        the copies to the vote of all members. The ``weights`` (T,) of the members sum to 1.
        """
        trees = [deepcopy(tree) for tree in self.estimators_]
        # 20,000 rows near those of X: each feature comes from one of two rows
        random, count = np.random.default_rng(0), 20_000
        points, partners = X[random.integers(len(X), size=(2, count))]
        mixed = np.where(random.random(points.shape) < 0.5, points, partners)
        # the difference to the vote of the kept trees there
        residual = -self._scores(mixed)
        for t in np.flatnonzero(weights):
            residual += self.weights_.sum() * weights[t] * self._votes(int(t), mixed)
        # a column for every node; a row has the weights of the trees at its leaves
        starts = np.cumsum([0, *(tree.tree_.node_count for tree in trees)])
        leaves = [
            first + tree.apply(self._rows(t, mixed))
            for first, t, tree in zip(starts[:-1], self.kept_, trees, strict=True)
        ]
        entries = np.tile(self.weights_, count), np.transpose(leaves).ravel()
        ends = np.arange(0, len(entries[0]) + 1, len(trees))
        matrix = sparse.csr_array((*entries, ends), shape=(count, starts[-1]))
        # 16 steps of least squares for every class: an early stop keeps leaves near their values
        steps = np.transpose([lsqr(matrix, column, iter_lim=16)[0] for column in residual.T])
        for tree, step in zip(trees, np.split(steps, starts[1:-1]), strict=True):
            tree.tree_.value[:, 0, :] += step
        return trees

    def _ensemble_problem(
        self, X: FloatArray, y: NDArray[Any], counts: FloatArray | None
    ) -> tuple[VoteMargins, FloatArray]:
        """The program with the price ``beta`` for all members, and their votes."""
        ensemble, codes = self.ensemble_, self._codes(y)
        members = range(len(ensemble.estimators_))
        votes = np.array([self._votes(t, X) for t in members])
        if self._fitted_to(X):
            # bagged members vote on their training rows by the mean of those not fitted to the row
            fitted = np.zeros(votes.shape[:2], dtype=bool)
            for t, rows in enumerate(getattr(ensemble, "estimators_samples_", ())):
                fitted[t, rows] = True
            # a row that all members were fitted to keeps its votes
            fitted &= ~fitted.all(axis=0)
            unseen = ~fitted[:, :, None]
            np.copyto(votes, (votes * unseen).sum(axis=0) / unseen.sum(axis=0), where=~unseen)
        # targets: the margins of the whole, and at least half their mean
        weights = _weights(ensemble)
        score = VoteMargins(codes, votes[0], self.beta)
        margins = score.margins(self._offset + np.tensordot(weights, votes, axes=1))
        smallest = np.where(score.others, margins, np.inf).min(axis=1)
        # no target is below half of the mean margin of the whole ensemble
        targets = np.maximum(margins, 0.5 * np.average(smallest, weights=counts))
        targets -= score.margins(np.tile(self._offset, (len(codes), 1)))
        # equal shares of ``most`` members: no few of them have all weight
        caps = None
        if self.most is not None:
            caps = weights * len(members) / min(self.most, len(members))
        # the unit of margins is the loss without members
        problem = VoteMargins(codes, targets, self.beta, caps, counts)
        unit = problem.objective(np.zeros(0), np.zeros_like(targets)) or 1.0
        return replace(problem, targets=targets / unit), votes / unit

    def _fitted_to(self, X: FloatArray) -> bool:
        """Whether X (m, d) is assumed to have the training rows of bagged members, in their order.

        A tree stores the number of training rows at every leaf. If the numbers for X differ, a
        warning is issued.
        """
        ensemble = self.ensemble_
        if getattr(ensemble, "_n_samples", None) != len(X):
            return False
        tree, rows = ensemble.estimators_[0], np.unique(ensemble.estimators_samples_[0])
        # only trees store counts; members fitted to all rows have no rows to hide
        if not isinstance(tree, BaseDecisionTree) or len(rows) == len(X):
            return True
        sizes, leaves = tree.tree_.n_node_samples, tree.tree_.children_left < 0
        counts = np.bincount(tree.apply(self._rows(0, X)[rows]), minlength=len(sizes))
        # a fit with row weights of 0 counted fewer rows, so the counts decide nothing
        equal = sizes[0] != len(rows) or bool((counts == sizes)[leaves].all())
        if not equal:
            warn_user(
                f"X has as many rows as the fit of {type(ensemble).__name__}, but is not these "
                "rows in their order: every member votes on every row, as on rows outside the "
                "fit. If X only has another order, give X and y as in the fit"
            )
        return equal

    def _votes_in_sample(self, X: FloatArray, *, own: bool) -> bool:
        """Whether members vote on rows X (m, d) that they were fitted to: on ``own`` rows without
        bags, or on rows of which the first tree has as many at each leaf as in a fit to all.
        """
        samples = getattr(self.ensemble_, "estimators_samples_", ())
        if own and not any(len(np.unique(rows)) < len(X) for rows in samples):
            return True
        tree = np.ravel(self.ensemble_.estimators_)[0]
        if not isinstance(tree, BaseDecisionTree) or tree.tree_.n_node_samples[0] != len(X):
            return False
        sizes = tree.tree_.n_node_samples
        equal = np.bincount(tree.apply(self._rows(0, X)), minlength=len(sizes)) == sizes
        return bool(equal[tree.tree_.children_left < 0].all())

    def _initial_scores(self, raw: Any, row: FloatArray) -> FloatArray:
        """The initial scores (K,) of a gradient boosting, from one row; 0 for other ensembles."""
        ensemble = self.ensemble_
        if not isinstance(ensemble.estimators_[0], np.ndarray):
            return np.zeros(len(self.classes_))
        score = np.ravel(ensemble.decision_function(raw))
        total = np.array([-0.5, 0.5]) * score if len(score) == 1 else score
        votes = np.array([self._votes(t, row)[0] for t in range(len(ensemble.estimators_))])
        return np.asarray(total - votes.mean(axis=0))

    def _add_importances(self, place: int, tree: Any, weight: float, total: FloatArray) -> None:
        features = getattr(vars(self).get("ensemble_", self._bare), "estimators_features_", None)
        columns = slice(None) if features is None else features[self.kept_[place]]
        # the stages of a gradient boosting count by what they decrease
        boosted = isinstance(self.estimators_[place], np.ndarray)
        decreases = tree.tree_.compute_feature_importances(normalize=False) if boosted else None
        total[columns] += weight * (tree.feature_importances_ if decreases is None else decreases)

    def _rows(self, t: int, X: FloatArray) -> FloatArray:
        """The rows (n, d) with the features of member t only."""
        part = getattr(vars(self).get("ensemble_", self._bare), "estimators_features_", None)
        return X if part is None else X[:, part[t]]

    def _votes(self, t: int, X: FloatArray, member: Any = None) -> FloatArray:
        """Votes (n, K) of member t, or of its copy."""
        poll()
        ensemble, K = vars(self).get("ensemble_", self._bare), len(self.classes_)
        member = self.ensemble_.estimators_[t] if member is None else member
        # gradient boosting: one regression tree per class; for two classes, one for the second
        if isinstance(member, np.ndarray):
            factor = ensemble.learning_rate * len(ensemble.estimators_)
            scores = factor * np.column_stack([tree.predict(X) for tree in member])
            return np.hstack([-0.5 * scores, 0.5 * scores]) if len(member) == 1 else scores
        rows = self._rows(t, X)
        # AdaBoost's members predict labels; others have class numbers, perhaps not all
        if isinstance(ensemble, AdaBoostClassifier):
            places = np.searchsorted(self.classes_, member.predict(rows))
            return np.asarray(np.eye(K)[places])
        votes = np.zeros((len(X), K))
        votes[:, member.classes_.astype(np.intp)] = member.predict_proba(rows)
        return votes

    def _scores(self, X: FloatArray) -> FloatArray:
        scores = np.tile(self._offset, (len(X), 1))
        for weight, t, member in zip(self.weights_, self.kept_, self.estimators_, strict=True):
            scores += weight * self._votes(int(t), X, member)
        return scores


def thin(
    ensemble: Any,
    X: Any,
    y: ArrayLike,
    *,
    most: int | None = None,
    beta: float | None = None,
    refit: bool = False,
    sample_weight: ArrayLike | None = None,
    time_limit: float | None = None,
) -> ThinnedClassifier:
    """Select and reweight a few members of a fitted ensemble to keep its margins.

    Parameters
    ----------
    ensemble : classifier
        A fitted scikit-learn ensemble with ``estimators_``: a forest, bagging or boosting of trees.
    X : array-like (n, d)
        Rows whose margins are kept. Training rows must be in their original order. For bagged
        trees, other rows cause a warning if their number equals that of the training rows. For
        boosting, and for a forest without bootstrap, use rows that were not used in the fit; the
        training rows cause a warning if each tree was fitted to all of them.
    y : array-like (n,)
        The labels of these rows.
    most : int, optional
        Maximum number of members to keep. The weight of each member is then limited. In a forest,
        the limit is 1 / ``most``. If exactly ``most`` members of a forest are kept, usually all of
        them have this weight, so equal weights are optimal. To keep as few members as possible,
        compare the accuracies for small values of ``most`` on other rows.
    beta : float, optional
        Price per unit of weight. The weights of the whole ensemble sum to 1, and the objective
        without members is 1. A higher price lowers the total weight. If the price keeps at most one
        member, a warning is issued. None means 0.1.
    refit : bool
        With ``most``: whether to give the leaves of the kept trees new values. They may
        make predictions for new rows more or less accurate, so compare both. The certificate covers
        the weights with the old values.
    sample_weight : array-like (n,), optional
        Positive weights of the rows in the program. A weight of 2 counts a row twice. Give a row
        that shall not count a tiny weight, such as 1e-9.
    time_limit : float, optional
        Time limit in seconds. The best weights found by then are kept, and ``refit`` may be left
        out.

    Returns
    -------
    ThinnedClassifier
        The fitted classifier, with ``weights_``, ``estimators_``, the ``prices_`` of all members,
        and the certificate of the linear program.

    Raises
    ------
    OptionError
        If ``most``, ``beta`` or ``refit`` is invalid, or the members of the ensemble do not vote.
    ValueError
        If X and y do not match each other or the ensemble.
    UnfinishedError
        If ``time_limit`` ends before the members have voted.

    Notes
    -----
    See :class:`radprog.ThinnedClassifier` for the program. The certificate covers the margins of
    the rows X. On new rows, the predictions may be worse than those of the whole ensemble, so
    compare both on other rows. 30 trees on 60 rows take 0.02 processor seconds, 300 trees on 2,000
    rows take 7 to 18.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> y = X[:, 0] > 0
    >>> forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    >>> few = rp.thin(forest, X, y, most=5)
    >>> len(few.estimators_) <= 5, len(few.prices_)
    (True, 30)
    """
    check_is_fitted(ensemble)
    price = ThinnedClassifier.beta if beta is None else beta
    model = ThinnedClassifier(ensemble, most, price, refit, time_limit=time_limit)
    budget = RunSettings(time_limit=time_limit).budget()
    rows, labels = model._checked(X, y)
    positive, counts = model._counted(labels, sample_weight)
    if len(positive) < len(labels):
        raise OptionError("sample_weight: expected positive weights, because X are rows of the fit")
    return model._thin(ensemble, X, rows, labels, counts, budget, own=False)


def _weights(ensemble: Any) -> FloatArray:
    """The weights (T,) of the members, with sum 1."""
    count = len(ensemble.estimators_)
    weights: FloatArray = np.asarray(getattr(ensemble, "estimator_weights_", np.ones(count)))[
        :count
    ]
    return np.asarray(weights / weights.sum(), dtype=np.float64)
