"""Sparse linear estimators: classifiers and quantile regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import (
    ConstrainedClassifier,
    ConstrainedEstimator,
    by_class,
    numbered,
    unusable,
)
from radprog.estimators.documented import documented
from radprog.estimators.folds import ChosenByFolds
from radprog.instances.data import Data
from radprog.instances.sparse import linear_data
from radprog.models.kernels import number_list
from radprog.models.linear.settings import L1Linear
from radprog.models.settings import as_text


@dataclass(kw_only=True, eq=False, repr=False)
class LinearEstimator(ConstrainedEstimator):
    """Common base class of the linear estimators, which accept sparse matrices.

    Parameters
    ----------
    groups : sequence of int or None
        Group number of each feature; None means no groups.
    fit_intercept : bool
        Whether to fit an intercept.
    warm_start : bool
        Start with the features selected by the previous fit.
    cv : int, splitter or None
        Cross-validation folds, as in scikit-learn. radprog.tune draws other folds for the same
        seed, so its choice may differ.

    Attributes
    ----------
    coef_ : ndarray (1, d), (k, d) or (d,)
        Coefficients: one row for two classes, k rows for k > 2 classes, and a vector in regression.
    intercept_ : ndarray (1,), (k,) or float
        Intercepts of the scores or of the predicted values.
    """

    spec: ClassVar[type[Any]] = L1Linear

    groups: Any = None
    signs: str = L1Linear.signs
    fit_intercept: bool = True

    def _as_rows(self, X: Any) -> Any:
        return X.tocsr() if hasattr(X, "tocsr") else X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _coefficients(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients (k, d) and intercepts (k,) of the fits in ``run_``."""
        fits = getattr(self._fitted, "fits", (self._fitted,))
        w = np.zeros((len(fits), self.n_features_in_))
        for row, fit in zip(w, fits, strict=True):
            row[fit.features] = fit.w
        return w, np.array([fit.bias for fit in fits])


@dataclass(kw_only=True, eq=False, repr=False)
class HingeClassifier(LinearEstimator, ConstrainedClassifier):
    """A classifier with the hinge loss."""

    def _data(self, X: Any, codes: IntArray, weights: FloatArray | None) -> Data:
        names = getattr(self, "feature_names_in_", ())
        return linear_data(X, codes, numbers=False, weights=weights, features=names)

    @property
    def coef_(self) -> FloatArray:
        """Coefficients: one row for two classes, otherwise one row per class."""
        return self._coefficients[0]

    @property
    def intercept_(self) -> FloatArray:
        """The intercept of each score."""
        return self._coefficients[1]


@dataclass(kw_only=True, eq=False, repr=False)
class QuantileRegressor(RegressorMixin, LinearEstimator):
    """A regressor with the quantile loss."""

    quantile: float = field(default=0.5, kw_only=False)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the regression model and certify the result.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
            n points with d finite features.
        y : array (n,)
            Targets.
        sample_weight : array (n,), optional
            Nonnegative weights of the points; the default is 1. A weight of 2 counts a point twice.
        groups : array (n,), optional
            The group of each point, for constraints on "groups".

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        ValueError
            If points, targets or weights are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import SparseQuantileRegressor
        >>> X = np.arange(6.0)[:, None]
        >>> model = SparseQuantileRegressor(beta=1e-4).fit(X, 2.0 * X[:, 0] + 1.0)
        >>> model.coef_.round(3)
        array([2.])
        """
        data = self._grouped(self._read(X, y, sample_weight), groups)
        self._learn(self.settings(), data)
        return self

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        """The rows of positive weight and their targets, as data of the model."""
        rows, values = validate_data(self, X, y, y_numeric=True, **self._accepted(X))
        counts = self._counted(weights, rows.shape[0])
        part = self._as_rows(rows)[self._used_rows]
        targets = np.asarray(values, dtype=np.float64)[self._used_rows]
        with unusable():
            names = getattr(self, "feature_names_in_", ())
            data = linear_data(part, targets, numbers=True, weights=counts, features=names)
        return numbered(data, self._row_count, self._used_rows)

    def _fixed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        return {"loss": "quantile"}

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted quantiles at the points.

        Parameters
        ----------
        X : array or sparse matrix (r, d)
            r points with d finite features.

        Returns
        -------
        array (r,)
            Predicted values in the units of y.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import SparseQuantileRegressor
        >>> X = np.arange(6.0)[:, None]
        >>> model = SparseQuantileRegressor(beta=1e-4).fit(X, 2.0 * X[:, 0] + 1.0)
        >>> model.predict(np.array([[10.0]])).round(3)
        array([21.])
        """
        rows = self._rows(X)  # refuses an estimator without a fit
        return np.asarray(self.run_.predict(rows))

    @property
    def coef_(self) -> FloatArray:
        """Coefficients (d,)."""
        return np.asarray(self._coefficients[0][0])

    @property
    def intercept_(self) -> float:
        """The intercept, in the units of y."""
        return float(self._coefficients[1][0])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SparseHingeClassifier(HingeClassifier):
    """Sparse linear classifier: min mean hinge + beta sum_j |w_j|.

    The estimator solves the program of :class:`radprog.L1Linear` with the loss ``hinge``. All
    coefficients have the same penalty, so scale the features first.

    See Also
    --------
    SparseHingeClassifierCV : The same estimator with ``beta`` chosen by cross-validation.
    L1SVMClassifier : A kernel classifier with the 1-norm of its coefficients.
    SparseQuantileRegressor : Sparse linear quantile regression.
    radprog.L1Linear : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import SparseHingeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 5))
    >>> model = SparseHingeClassifier(beta=0.01).fit(X, X[:, 2] > 0)
    >>> int(abs(model.coef_[0]).argmax())
    2
    """

    beta: float = field(default=1e-3, kw_only=False)
    warm_start: bool = False


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SparseQuantileRegressor(QuantileRegressor):
    """Sparse linear quantile regression: min mean quantile loss + beta sum_j |w_j|.

    The estimator solves the program of :class:`radprog.L1Linear` with the loss ``quantile``.
    scikit-learn's QuantileRegressor with ``alpha`` = ``beta`` solves the same program. ``score``
    returns R^2. This measure is suitable only for quantiles near 0.5. In a grid search, use
    ``make_scorer`` with ``mean_pinball_loss``, ``alpha`` = ``quantile`` and
    ``greater_is_better=False``.

    See Also
    --------
    SparseQuantileRegressorCV : The same estimator with ``beta`` chosen by cross-validation.
    BoundedLossSVR : Kernel regression with a bounded loss.
    SparseHingeClassifier : A sparse linear classifier.
    radprog.L1Linear : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import SparseQuantileRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> model = SparseQuantileRegressor(beta=1e-4).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> model.certified_, round(model.intercept_, 3)
    (True, 1.0)
    """

    beta: float = field(default=1e-3, kw_only=False)
    warm_start: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class BetaByFolds(ChosenByFolds, LinearEstimator):
    """An estimator that chooses beta by cross-validation along a path.

    The path goes from the largest beta to the smallest. Each fit starts with the features selected
    by the previous fit. A fit of the choice stops at a relative gap of 1e-2, or of ``tol`` if that
    is larger; the last fit stops at ``tol``.

    Parameters
    ----------
    betas : sequence of float, float or str
        Values of beta: numbers, or a string such as 1e-3..1e-1:3. The default grid has two values
        per decade and does not depend on the data. With many features, a finer grid around beta_
        may be better. Each value requires one fit per fold. The last fit uses all points.
    time_limit : float or None
        Time limit in seconds for all folds and the last fit together; the values of beta that were
        fitted by then are compared on the folds that all of them have.

    Attributes
    ----------
    beta_ : float
        Chosen value of beta: the largest of the values with the smallest mean loss. If it is the
        first or last entry of betas_, widen the grid.
    betas_ : ndarray (b,)
        Values of beta in decreasing order.
    losses_ : ndarray (parts, b)
        Loss on each part (fold) for each beta: the error rate, or the mean quantile loss, weighted
        by sample_weight and class_weight; NaN without a fit in time.
    """

    chosen: ClassVar[tuple[str, ...]] = ("beta",)
    fold_tol: ClassVar[float] = 1e-2

    betas: Any = "1e-1..1e-4:7"
    cv: Any = None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose beta by cross-validation, then fit to all points.

        Parameters
        ----------
        X : array or sparse matrix (n, d)
            n points with d finite features.
        y : array (n,)
            Labels or targets.
        sample_weight : array (n,), optional
            Nonnegative weights of the points; the default is 1. A weight of 2 counts a point twice.
        groups : array (n,), optional
            The group of each point, for constraints on "groups".

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        ValueError
            If points, labels, targets or weights are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import SparseQuantileRegressorCV
        >>> X = np.arange(12.0)[:, None]
        >>> model = SparseQuantileRegressorCV(betas=[1.0, 1e-4], cv=3).fit(X, 2.0 * X[:, 0] + 1.0)
        >>> model.beta_
        0.0001
        """
        betas = number_list("betas", as_text("betas", self.betas, optional=False))
        self.betas_ = np.array(sorted(set(betas), reverse=True))
        budget = self._run_settings().budget()
        class_weight = getattr(self, "class_weight", None)
        counts = sample_weight if class_weight is None else by_class(class_weight, y, sample_weight)
        data = self._grouped(self._read(X, y, counts), groups)
        specs = [self.settings(beta=float(beta)) for beta in self.betas_]
        best, self.losses_ = self._choose(specs, data, y, budget)
        self.beta_ = float(self.betas_[best])
        self._learn(specs[best], data, used=budget.seconds)
        return self


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SparseHingeClassifierCV(BetaByFolds, HingeClassifier):
    """:class:`SparseHingeClassifier` with ``beta`` chosen by cross-validation.

    Cross-validation fits the model for every beta, from the largest to the smallest. Each fit
    starts with the features selected by the previous fit.

    See Also
    --------
    SparseHingeClassifier : One fit with a given ``beta``.
    SparseQuantileRegressorCV : Quantile regression with ``beta`` chosen by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import SparseHingeClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 5))
    >>> model = SparseHingeClassifierCV(betas=[0.01, 1.0], cv=3).fit(X, X[:, 2] > 0)
    >>> model.beta_
    0.01
    """


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SparseQuantileRegressorCV(BetaByFolds, QuantileRegressor):
    """:class:`SparseQuantileRegressor` with ``beta`` chosen by cross-validation.

    Cross-validation fits the model for every beta, from the largest to the smallest. Each fit
    starts with the features selected by the previous fit.

    See Also
    --------
    SparseQuantileRegressor : One fit with a given ``beta``.
    SparseHingeClassifierCV : A linear classifier with ``beta`` chosen by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import SparseQuantileRegressorCV
    >>> X = np.arange(12.0)[:, None]
    >>> model = SparseQuantileRegressorCV(betas=[1.0, 1e-4], cv=3).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> model.losses_.shape  # parts (folds), betas
    (3, 2)
    """
