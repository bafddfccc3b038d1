"""An estimator for regression with a bounded loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import CertifiedEstimator, numbered, unusable
from radprog.estimators.documented import documented
from radprog.instances.dataset import regression_data
from radprog.models.regression.settings import SVR


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BoundedLossSVR(RegressorMixin, CertifiedEstimator):
    """Regression with the bounded loss: min sum ell_i over |w|^2 <= A, or, with C,
    min 1/2 |w|^2 + C sum ell_i.

    The estimator solves the program of :class:`radprog.SVR`. Residuals are in the units of y, and
    the loss is constant beyond ``eps_low`` + ``eps_up``. Choose ``eps_up``, A and C according to
    the scale of y. If neither A nor C is set, C is 1, as in scikit-learn's SVR. If most residuals
    exceed ``eps_low`` + ``eps_up``, a RadprogWarning is issued.

    Parameters
    ----------
    A : float or None
        Bound on |w|^2, >= 0; None means the form with C.
    C : float or None
        Weight of the losses in place of A, > 0; None means 1 if A is None as well.

    Attributes
    ----------
    support_ : ndarray (s,)
        Indices of the training rows with a nonzero coefficient.
    dual_coef_ : ndarray (1, s)
        Coefficients of the rows support_, in the units of y. A predicted value is the sum of
        coefficients times kernel values at these rows, plus intercept_.
    intercept_ : ndarray (1,)
        Intercept of the predicted values, in the units of y.

    See Also
    --------
    SparseQuantileRegressor : Sparse linear quantile regression.
    radprog.SVR : The program, for :func:`radprog.fit`.
    radprog.SRM : Choice of ``gamma`` and ``A`` by the complexity of the class.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import BoundedLossSVR
    >>> X = np.arange(6.0)[:, None]
    >>> y = 2.0 * X[:, 0]
    >>> y[3] = 100.0  # an outlier
    >>> model = BoundedLossSVR(kernels="linear", C=10.0).fit(X, y)
    >>> bool(abs(model.predict(X)[5] - 10.0) < 1.0)
    True
    """

    spec: ClassVar[type[Any]] = SVR

    gamma: float | None = SVR.gamma
    kernels: Any = SVR.kernels
    A: float | None = None
    C: float | None = None
    eps_low: float = SVR.eps_low
    eps_up: float = SVR.eps_up
    n_init: int = 5

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the regression model, and recompute its objective and bound.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features; at least two points.
        y : array (n,)
            Targets.
        sample_weight : array (n,), optional
            Nonnegative weights of the points; the default is 1. A weight of 2 counts a point twice.

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
        >>> from radprog.estimators import BoundedLossSVR
        >>> X = np.arange(6.0)[:, None]
        >>> model = BoundedLossSVR(kernels="linear", C=10.0).fit(X, 2.0 * X[:, 0])
        >>> model.dual_coef_.shape == (1, len(model.support_))
        True
        """
        rows, values = validate_data(
            self, X, y, y_numeric=True, ensure_min_samples=2, **self._accepted(X)
        )
        # rows of weight 0 are left out
        counts = self._counted(sample_weight, len(rows))
        with unusable():
            data = regression_data(rows[self._used_rows], values[self._used_rows], weights=counts)
        self._learn(self.settings(), numbered(data, self._row_count, self._used_rows))
        return self

    def _fixed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        # without A and C, the Tikhonov form with C = 1
        neither = self.A is None and self.C is None and not changes.keys() & {"A", "C"}
        return {"C": 1.0} if neither else {}

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted values at the points.

        Parameters
        ----------
        X : array (r, d)
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
        >>> from radprog.estimators import BoundedLossSVR
        >>> X = np.arange(6.0)[:, None]
        >>> model = BoundedLossSVR(kernels="linear", C=10.0).fit(X, 2.0 * X[:, 0])
        >>> bool(abs(model.predict(np.array([[3.0]]))[0] - 6.0) < 1.0)
        True
        """
        rows = self._rows(X)  # refuses an estimator without a fit
        return np.asarray(self.run_.predict(rows))

    @property
    def support_(self) -> IntArray:
        """Indices (s,) of the training rows with a nonzero coefficient."""
        return np.asarray(self._used_rows[self._fitted.centre])

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients (1, s) of the rows ``support_``."""
        return np.asarray(self._fitted.coefficients[None])

    @property
    def intercept_(self) -> FloatArray:
        """The intercept (1,) of the predicted values."""
        return np.array([self._fitted.bias])
