"""Pick-to-learn: train any classifier on the few points that its error bound then rests on.

Sources: D. Paccagnan, M. C. Campi, S. Garatti, The Pick-to-Learn Algorithm, NeurIPS 2023; for the
early stop M. Bazinet, V. Zantedeschi, P. Germain, Sample Compression Unleashed, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import gammaln
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    validate_data,
)

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import LARGEST_SEED
from radprog.models.bounds import binomial_upper, check_delta
from radprog.models.compression import compression_bound

CONSISTENT, LEAST = STOPS = ("consistent", "least-bound")


@dataclass(frozen=True)
class Round:
    """One round: points that the classifier was trained on, errors on all others, and the bound
    that would hold if training ended here (None: this stop states none before the end)."""

    size: int
    errors: int
    bound: float | None


def sample_compression_bound(points: int, size: int, errors: int, delta: float) -> float:
    """The error bound of a classifier that a subset of the training points determines.

    With probability 1 - delta over the sample, for every subset of k = ``size`` of N = ``points``
    points at once, the error of the classifier trained on it is at most the largest p with

        P[Binomial(N - k, p) <= errors] >= delta / ((N + 1) C(N, k)),

    where ``errors`` are those on the other N - k points (a union bound over sizes and subsets).
    """
    others = points - size
    if errors >= others:
        return 1.0
    log_subsets = gammaln(points + 1) - gammaln(size + 1) - gammaln(others + 1)
    level = np.exp(np.log(delta) - np.log(points + 1) - log_subsets)
    # a level below the least float says nothing that floats can hold
    return float(beta.isf(level, errors + 1, others - errors)) if level > 0.0 else 1.0


def holdout_bound(
    estimator: Any, X: Any, y: ArrayLike, share: float = 0.2, delta: float = 0.05,
    random_state: int = 0,
) -> float:  # fmt: skip
    """Bound the error of a classifier that is trained without a share of the rows, by these.

    Parameters
    ----------
    estimator : classifier
        It is cloned; steps that are fitted belong inside. So does the choice of settings: if they
        were chosen on these rows, pass the ``GridSearchCV`` itself, else the bound is false.
    X : array, frame or sparse matrix (n, d)
        n points.
    y : array (n,)
        Labels.
    share : float, default 0.2
        Of the rows, between 0 and 1, drawn at random.
    delta : float, default 0.05
        The bound holds with probability 1 - delta.
    random_state : int, default 0
        Seed of the draw.

    Returns
    -------
    float
        The exact binomial bound (Clopper and Pearson). It is about the classifier of the other
        rows; that of all rows has none.

    Raises
    ------
    OptionError
        ``delta`` outside (0, 1).
    ValueError
        X and y do not fit each other, or a share that leaves one side empty.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> from sklearn.svm import SVC
    >>> X, y = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> round(rp.holdout_bound(SVC(kernel="linear"), X, y), 3)
    0.139
    """
    check_delta(delta)
    parts = train_test_split(X, np.asarray(y), test_size=share, random_state=random_state)
    train, held, labels, truth = parts
    wrong = clone(estimator).fit(train, labels).predict(held) != truth
    return binomial_upper(int(wrong.sum()), len(truth), delta)


class PickToLearn(ClassifierMixin, BaseEstimator):
    """A classifier trained on few points, with a bound of its error and no test set.

    The training set T begins empty. In each round the classifier is trained on T, and the points
    that it predicts worst are moved into T, until it predicts all others correctly. The error of
    the final classifier is then at most eps_k(N) with probability 1 - ``delta``, for k points in T
    of N in all: the compression bound of docs/explanation/theory.md. Steps that are
    fitted, such as scaling, belong inside: ``PickToLearn(make_pipeline(StandardScaler(), SVC()))``.

    Parameters
    ----------
    estimator : classifier
        Any classifier; it is cloned, and trained on rows in an order that depends on T alone.
    delta : float, default 0.05
        The bound holds with probability 1 - delta over the training sample.
    stop : {"consistent", "least-bound"}, default "consistent"
        "consistent": train until all other points are predicted correctly. "least-bound": end
        with the round of the least bound, which may leave errors; better where classes overlap.
        Half of delta is spent on the sample compression bound. Choose it before the data are seen.
    picks : int, default 1
        Points moved into T in each round; more are faster, and T may become larger.
    random_state : int, default 0
        Given to every part of ``estimator`` whose own ``random_state`` is None.

    Attributes
    ----------
    error_bound_ : float
        Upper bound of the probability of error on a new point.
    compressed_ : ndarray (k,)
        Rows of the training data in T, in the order in which they were picked.
    estimator_ : classifier
        Trained on these rows.
    rounds_ : list of Round
        ``size``, ``errors`` on the other points, and ``bound`` of every round.
    classes_ : ndarray
        Labels of the classes, in order.
    n_features_in_ : int
        Number of features; not set where X is no array or frame.

    See Also
    --------
    radprog.holdout_bound : The bound of a hold-out set, for comparison.
    radprog.thin : Few trees of a forest, by one linear program.

    Notes
    -----
    The rows must be drawn independently from one distribution, and nothing outside of ``fit`` may
    have looked at them: neither a scaling nor a choice of settings. Points of equal margin are
    ordered by their values, never by their place, because the bound presumes that the order of the
    rows does not matter.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> import radprog as rp
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rp.PickToLearn(make_pipeline(StandardScaler(), SVC())).fit(X[:300], y[:300])
    >>> len(model.compressed_) < 100 and model.error_bound_ < 0.4
    True
    """

    def __init__(
        self,
        estimator: Any,
        delta: float = 0.05,
        stop: str = CONSISTENT,
        picks: int = 1,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.delta = delta
        self.stop = stop
        self.picks = picks
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Pick training points until the stop holds.

        Parameters
        ----------
        X : array, frame or sparse matrix (n, d)
            n points.
        y : array (n,)
            Labels of two classes or more.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            ``delta`` outside (0, 1), ``picks`` below 1, or an unknown ``stop``.
        ValueError
            X and y do not fit each other, or have fewer than two classes.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.svm import SVC
        >>> import radprog as rp
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
        >>> model = rp.PickToLearn(SVC(kernel="linear")).fit(X, y)
        >>> model.rounds_[-1].errors, len(model.compressed_) < 40
        (0, True)
        """
        self._check()
        X, labels, order = self._checked(X, y)
        points = len(labels)
        picked: list[int] = []
        left = np.ones(points, dtype=bool)
        self.rounds_: list[Round] = []
        best: tuple[float, Any, int] | None = None
        while True:
            # train on T, its rows in an order that depends on their values alone
            rows = np.array(sorted(picked, key=lambda i: order[i]), dtype=np.intp)
            model = self._trained(X, labels, rows)
            # the margin of every other point: at most 0 where it is predicted wrongly
            others = np.flatnonzero(left)
            margins = self._margins(model, X, labels, others)
            errors = int((margins <= 0.0).sum())
            bound = self._bound(points, len(picked), errors)
            self.rounds_.append(Round(len(picked), errors, bound))
            if model is not None and bound is not None and (best is None or bound < best[0]):
                best = bound, model, len(picked)
            # stop: no errors, or not even a round without errors would lower the bound
            if errors == 0:
                break
            beyond = self._bound(points, len(picked) + 1, 0)
            if best is not None and beyond is not None and beyond >= best[0]:
                break
            # the worst points join T; ties are broken by the values of the rows
            worst = np.lexsort((order[others], margins))[: min(self.picks, errors)]
            picked += others[worst].tolist()
            left[others[worst]] = False
        assert best is not None
        self.error_bound_, self.estimator_, size = best
        self.compressed_ = np.array(picked[:size], dtype=np.intp)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of points.

        Parameters
        ----------
        X : array, frame or sparse matrix (r, d)
            r points.

        Returns
        -------
        array (r,)
            Labels of the type of y.

        Raises
        ------
        NotFittedError
            Before the fit.
        ValueError
            For points with another number of features.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.svm import SVC
        >>> import radprog as rp
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
        >>> rp.PickToLearn(SVC(kernel="linear")).fit(X, y).predict(X[[0, 39]])
        array([0, 1])
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(self._rows(X, reset=False)))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def _check(self) -> None:
        """Raise OptionError for a parameter without meaning."""
        check_delta(self.delta)
        if self.stop not in STOPS:
            raise OptionError(f"stop {self.stop!r}: expected one of {', '.join(STOPS)}")
        if not isinstance(self.picks, int) or self.picks < 1:
            raise OptionError(f"picks {self.picks!r}: expected a whole number, at least 1")

    def _checked(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], IntArray]:
        """X as rows can be taken of it, the labels (n,), and a rank (n,) of every row by its
        values, equal for equal points."""
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        X, labels = self._rows(X, reset=True), column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class, {self.classes_[0]!r}; expected two or more")
        return X, labels, np.unique(_keys(X, codes), return_inverse=True)[1].reshape(-1)

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """An unchanged frame, for steps that choose columns by name; else an array, checked."""
        if hasattr(X, "columns"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        tags = get_tags(self).input_tags
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if tags.sparse else False,
            dtype=None,
            ensure_all_finite="allow-nan" if tags.allow_nan else True,
        )

    def _trained(self, X: Any, labels: NDArray[Any], rows: IntArray) -> Any:
        """The classifier of these rows; a constant of the only class among them; None of no row."""
        if not rows.size:
            return None
        y = labels[rows]
        if len(np.unique(y)) == 1:
            return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), y[:1])
        model = clone(self.estimator)
        seed = check_random_state(self.random_state).randint(LARGEST_SEED)
        unset = {
            name: seed
            for name, value in model.get_params().items()
            if name.split("__")[-1] == "random_state" and value is None
        }
        return model.set_params(**unset).fit(_safe_indexing(X, rows), y)

    def _margins(self, model: Any, X: Any, labels: NDArray[Any], rows: IntArray) -> FloatArray:
        """For each of these rows the score of its class above the best other; <= 0: an error."""
        if model is None:
            return np.full(len(rows), -np.inf)
        part, y = _safe_indexing(X, rows), labels[rows]
        wrong = np.asarray(model.predict(part)) != y
        scores = _scores(model, part)
        if scores is None:
            return np.where(wrong, -1.0, 1.0)
        # a class that the model does not know has the score -inf
        places = {label: k for k, label in enumerate(model.classes_.tolist())}
        own = np.array([places.get(label, -1) for label in y.tolist()])
        every = np.arange(len(rows))
        mine = scores[every, own]
        others = scores.copy()
        others[every, own] = -np.inf
        margins = np.where(own < 0, -np.inf, mine - others.max(axis=1))
        margins[np.isnan(margins)] = -np.inf  # a degenerate classifier on few points
        # the prediction decides what is an error
        signed: FloatArray = np.where(
            wrong, np.minimum(margins, 0.0), np.maximum(margins, np.finfo(float).tiny)
        )
        return signed

    def _bound(self, points: int, size: int, errors: int) -> float | None:
        """The bound where training ends with this T; None if the stop does not allow that."""
        if self.stop == CONSISTENT:
            return None if errors else compression_bound(points, size, self.delta)
        # half of delta for each theorem
        half = self.delta / 2
        bound = sample_compression_bound(points, size, errors, half)
        return bound if errors else min(bound, compression_bound(points, size, half))


def _scores(model: Any, X: Any) -> FloatArray | None:
    """Scores (n, classes) of a trained classifier; None if it has none."""
    for name in ("decision_function", "predict_proba"):
        method = getattr(model, name, None)
        if method is not None:
            scores = np.asarray(method(X), dtype=np.float64)
            if scores.ndim == 1:
                return np.column_stack([-scores, scores])
            # one column a class; other layouts, such as one against one, are left aside
            return scores if scores.shape[1] == len(model.classes_) else None
    return None


def _keys(X: Any, codes: IntArray) -> NDArray[Any]:
    """A text (n,) for every point, equal where row and class are, by which ties are broken."""
    if issparse(X):
        sparse: Any = X
        rows = [sparse[[i]].toarray().tobytes() for i in range(sparse.shape[0])]
    else:
        table = np.asarray(X)
        plain = table.dtype.kind in "biuf"
        rows = [row.tobytes() if plain else repr(row.tolist()).encode() for row in table]
    return np.array([f"{row.hex()} {code}" for row, code in zip(rows, codes, strict=True)])
