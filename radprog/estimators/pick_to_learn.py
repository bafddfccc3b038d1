"""Pick-to-learn: train a classifier on few points, and derive an error bound from their number.

The source is D. Paccagnan, M. C. Campi, S. Garatti, The Pick-to-Learn Algorithm, NeurIPS 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_method_params,
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    validate_data,
)

from radprog.base.errors import OptionError
from radprog.base.settings import refusing_others
from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import LARGEST_SEED, RefittedEstimator, classes_of, refuse_twins
from radprog.models.bounds import binomial_upper, check_delta, compression_bound
from radprog.solvers.program import refuse_no_number


@dataclass(frozen=True)
class Round:
    """One round: the number of training points, and of errors on all other points."""

    size: int
    errors: int


def holdout_bound(
    estimator: Any, X: Any, y: ArrayLike, share: float = 0.2, delta: float = 0.05,
    random_state: int = 0,
) -> float:  # fmt: skip
    """Bound the error of a classifier by its errors on held-out rows.

    Parameters
    ----------
    estimator : classifier
        The classifier to train; a clone of it is fitted. If rows are scaled or changed by other
        fitted steps, pass the whole pipeline. If settings were chosen on these rows, pass the
        ``GridSearchCV`` object. Otherwise the bound is not valid.
    X : array, frame or sparse matrix (n, d)
        n points.
    y : array (n,)
        Labels of the points.
    share : float, default 0.2
        Fraction of the rows to hold out, between 0 and 1. scikit-learn's ``train_test_split`` draws
        the rows. :func:`radprog.bounds` draws different rows, so its hold-out bound differs.
    delta : float, default 0.05
        The bound holds with probability 1 - delta.
    random_state : int, default 0
        Seed for drawing the rows.

    Returns
    -------
    float
        The exact binomial bound (Clopper and Pearson). It holds for the classifier trained on the
        remaining rows, not for a classifier trained on all rows.

    Raises
    ------
    OptionError
        If ``delta`` is outside (0, 1).
    ValueError
        If X and y have different lengths, if ``share`` leaves one side empty, or if y are no
        labels of classes.

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
    check_classification_targets(y)
    parts = train_test_split(X, np.asarray(y), test_size=share, random_state=random_state)
    train, test, labels, truth = parts
    wrong = clone(estimator).fit(train, labels).predict(test) != truth
    return binomial_upper(int(wrong.sum()), len(truth), delta)


def _has(method: str) -> Callable[[Any], bool]:
    """A test for a method of the fitted classifier, or of the one to fit."""
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), method)


@refusing_others
@dataclass(eq=False, repr=False)
class PickToLearn(ClassifierMixin, RefittedEstimator):
    """A classifier trained on few points, with an error bound that needs no test set.

    The training set T is empty at first. Each round trains the classifier on T and moves the
    worst-predicted points into T. The rounds end when all points outside T are predicted correctly.
    If T then has k of the N points, the error is at most eps_k(N) with probability 1 - ``delta``.
    docs/explanation/theory.md states this compression bound. If a pipeline has fitted steps, such
    as scaling, wrap the whole pipeline: ``PickToLearn(make_pipeline(StandardScaler(), SVC()))``.

    Parameters
    ----------
    estimator : classifier
        Any classifier; clones of it are fitted. The order of the training rows depends only on T.
    delta : float, default 0.05
        The bound holds with probability 1 - delta over the training sample.
    picks : int, default 1
        Number of points moved into T per round. A larger number is faster, but may make T larger.
    random_state : int, default 0
        Seed for every ``random_state`` of ``estimator`` that is None.

    Attributes
    ----------
    error_bound_ : float
        Upper bound on the probability of an error at a new point.
    compressed_ : ndarray (k,)
        Indices of the rows of T in the training data, in the order of selection.
    estimator_ : classifier
        The classifier trained on these rows.
    rounds_ : list of Round
        For each round, ``size``, and ``errors`` on the other points.
    classes_ : ndarray
        Labels of the classes, in increasing order.
    n_features_in_ : int
        Number of features; set only for arrays and data frames.

    See Also
    --------
    radprog.holdout_bound : The bound from a held-out set, for comparison.
    radprog.thin : Selection of a few trees of a forest by one linear program.

    Notes
    -----
    The rows must be independent draws from one distribution. Scaling and the choice of settings
    outside ``fit`` must not have used these rows. The bound requires that the order of the rows is
    irrelevant. Points with equal margins are therefore ordered by their values, not by their
    positions.

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

    A table with strings and missing values:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.impute import SimpleImputer
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> hours = np.where(np.arange(60) < 50, np.arange(60.0), np.nan)
    >>> table = pd.DataFrame({"hours": hours, "shift": ["day", "night"] * 30})
    >>> y = np.where(table["hours"] > 25, "tired", "awake")
    >>> texts = OneHotEncoder(handle_unknown="ignore")
    >>> columns = make_column_transformer((SimpleImputer(), ["hours"]), (texts, ["shift"]))
    >>> model = rp.PickToLearn(make_pipeline(columns, SVC(C=100))).fit(table, y)
    >>> model.score(table, y), model.error_bound_ < 0.2
    (1.0, True)
    """

    estimator: Any
    delta: float = 0.05
    picks: int = 1
    random_state: int = 0

    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Move training points into T until all others are predicted correctly.

        Parameters
        ----------
        X : array, frame or sparse matrix (n, d)
            n points.
        y : array (n,)
            Labels from at least two classes.
        **params
            Further arguments of the classifier's ``fit``, such as ``sample_weight``. Of those with
            n entries, each round receives the entries of T. The bound counts every point once.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If ``delta`` is outside (0, 1), or ``picks`` is below 1.
        ValueError
            If X and y have different lengths, or y contains fewer than two classes.

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
        base = self.estimator
        if isinstance(base, type) or not hasattr(base, "fit"):
            text = f"the class {base.__name__}" if isinstance(base, type) else repr(base)
            raise OptionError(f"estimator: {text} is given, expected a classifier such as SVC()")
        check_delta(self.delta)
        refuse_no_number("picks", self.picks, 1, whole=True)
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        X, labels = self._rows(X, reset=True), column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        self.classes_, codes = classes_of(labels)
        # a rank of each point by its values, to break ties: equal points have equal ranks
        if issparse(X):
            sparse: Any = X
            keys = [sparse[[i]].toarray().tobytes() for i in range(sparse.shape[0])]
        else:
            table = np.asarray(X)
            numbers = table.dtype.kind in "biuf"
            keys = [row.tobytes() if numbers else repr(row.tolist()).encode() for row in table]
        texts = [f"{key.hex()} {code}" for key, code in zip(keys, codes, strict=True)]
        order = np.unique(texts, return_inverse=True)[1].reshape(-1)
        points = len(labels)
        picked: list[int] = []
        remaining = np.ones(points, dtype=bool)
        self.rounds_: list[Round] = []
        while True:
            # train on T, its rows in an order that depends on their values alone
            rows = np.array(sorted(picked, key=lambda i: order[i]), dtype=np.intp)
            model = self._train(X, labels, rows, _check_method_params(X, params, rows))
            # the margin of every other point: at most 0 where it is predicted wrongly
            outside = np.flatnonzero(remaining)
            margins = self._margins(model, X, labels, outside)
            errors = int((margins <= 0.0).sum())
            self.rounds_.append(Round(len(picked), errors))
            if errors == 0:
                break
            # the worst points join T; ties are broken by the values of the rows
            worst = np.lexsort((order[outside], margins))[: min(self.picks, errors)]
            picked += outside[worst].tolist()
            remaining[outside[worst]] = False
        self.error_bound_ = compression_bound(points, len(picked), self.delta)
        self.estimator_, self.compressed_ = model, np.array(picked, dtype=np.intp)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted labels of the points.

        Parameters
        ----------
        X : array, frame or sparse matrix (r, d)
            r points.

        Returns
        -------
        array (r,)
            Predicted labels, of the same type as y.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.svm import SVC
        >>> import radprog as rp
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
        >>> rp.PickToLearn(SVC(kernel="linear")).fit(X, y).predict(X[[0, 39]])
        array([0, 1])
        """
        return self._call("predict", X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of the points by ``estimator_``, if that has them.

        Parameters
        ----------
        X : array, frame or sparse matrix (r, d)
            r points.

        Returns
        -------
        array (r,) or (r, classes)
            Scores, with the columns in the order of ``estimator_.classes_``.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.svm import SVC
        >>> import radprog as rp
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
        >>> rp.PickToLearn(SVC(kernel="linear")).fit(X, y).decision_function(X[[0, 39]]) > 0
        array([False,  True])
        """
        return self._call("decision_function", X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes by ``estimator_``, if that has them.

        Parameters
        ----------
        X : array, frame or sparse matrix (r, d)
            r points.

        Returns
        -------
        array (r, classes)
            Probabilities, with the columns in the order of ``estimator_.classes_``.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import radprog as rp
        >>> X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
        >>> model = rp.PickToLearn(LogisticRegression()).fit(X, y)
        >>> model.predict_proba(X[[0, 39]]).argmax(axis=1)
        array([0, 1])
        """
        return self._call("predict_proba", X)

    def _call(self, method: str, X: Any) -> NDArray[Any]:
        """What a method of the trained classifier returns for the points X."""
        check_is_fitted(self)
        return np.asarray(getattr(self.estimator_, method)(self._rows(X, reset=False)))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """The unchanged frame, because steps may choose columns by name; any other X as a checked
        array.

        Sparse rows are passed on, because the classifier itself may refuse them. The tag of a
        classifier is wrong for pipelines that make rows dense, and for most classifiers of
        scikit-learn 1.6.
        """
        if hasattr(X, "columns"):
            refuse_twins(X, type(self).__name__)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        tags = get_tags(self).input_tags
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=None,
            ensure_all_finite="allow-nan" if tags.allow_nan else True,
        )

    def _train(
        self, X: Any, labels: NDArray[Any], rows: IntArray, params: Mapping[str, Any]
    ) -> Any:
        """The classifier trained on these rows: constant for one class, None for no rows."""
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
        return model.set_params(**unset).fit(_safe_indexing(X, rows), y, **params)

    def _margins(self, model: Any, X: Any, labels: NDArray[Any], rows: IntArray) -> FloatArray:
        """For each row, the score of its class minus the best other score; <= 0 is an error."""
        # no rows are left once T contains all of them
        if model is None or not rows.size:
            return np.full(len(rows), -np.inf)
        part, y = _safe_indexing(X, rows), labels[rows]
        wrong = np.asarray(model.predict(part)) != y
        method = getattr(model, "decision_function", getattr(model, "predict_proba", None))
        scores = np.zeros((0, 0)) if method is None else np.asarray(method(part), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        # one column per class; other layouts, such as one against one, are not used
        if scores.shape[1] != len(model.classes_):
            return np.where(wrong, -1.0, 1.0)
        # a class outside the training rows of the model has the score -inf
        places = {label: k for k, label in enumerate(model.classes_.tolist())}
        columns = np.array([places.get(label, -1) for label in y.tolist()])
        index = np.arange(len(rows))
        achieved = scores[index, columns]
        competing = scores.copy()
        competing[index, columns] = -np.inf
        margins = np.where(columns < 0, -np.inf, achieved - competing.max(axis=1))
        margins[np.isnan(margins)] = -np.inf  # a degenerate classifier on few points
        # the predicted label decides whether a row is an error
        signed: FloatArray = np.where(
            wrong, np.minimum(margins, 0.0), np.maximum(margins, np.finfo(float).tiny)
        )
        return signed
