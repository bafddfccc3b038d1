"""Regression with the bounded loss as an estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import CertifiedEstimator, unusable
from radprog.estimators.documented import Attributes, documented
from radprog.instances.regression import regression_data
from radprog.models.regression.settings import SVR


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BoundedLossSVR(RegressorMixin, CertifiedEstimator):
    """Regression with the bounded loss: min sum ell_i over |w|^2 <= A; or with C
    min 1/2 |w|^2 + C sum ell_i.

    The program of :class:`radprog.SVR`. Residuals count in units of y, those
    beyond eps_low + eps_up no more: give eps_up, A and C to the scale of y. With neither A nor C,
    C is 1, as in scikit-learn's SVR. Where most rows lie beyond, a RadprogWarning says so.

    See Also
    --------
    SparseQuantileRegressor : Linear quantile regression, few features.
    radprog.SVR : The program, for :func:`radprog.fit`.
    radprog.SRM : A choice of ``gamma`` and ``A`` by the complexity of the class.

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
    attributes: ClassVar[Attributes] = {
        "support_": ("ndarray (s,)", "numbers of the training rows with a coefficient, from 0"),
        "dual_coef_": (
            "ndarray (1, s)",
            "their coefficients, in units of y: a value is the sum of kernel values at the rows "
            "support_ times them, plus intercept_",
        ),
        "intercept_": ("ndarray (1,)", "the constant, in units of y"),
    }

    gamma: float | None = None
    kernels: Any = None
    A: float | None = None
    C: float | None = None
    eps_low: float = 0.0
    eps_up: float = 1.0
    n_init: int = 5

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the regression and recompute its objective and bound.

        Parameters
        ----------
        X : array (n, d)
            n points of d finite numbers, at least two.
        y : array (n,)
            Targets.
        sample_weight : array (n,), optional
            The number of times that each point counts, at least 0; 1 by default.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            For a parameter that has no meaning.
        ValueError
            For unusable points, targets or weights.

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
        # without A and C the Tikhonov form with C = 1
        neither = self.A is None and self.C is None
        # rows of weight 0 are left out
        counts = self._counted(sample_weight, len(rows))
        with unusable():
            data = regression_data(rows[self._kept], values[self._kept], weights=counts)
        self._learn(self.settings(**({"C": 1.0} if neither else {})), data)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted values of points.

        Parameters
        ----------
        X : array (r, d)
            r points of d finite numbers.

        Returns
        -------
        array (r,)
            Values in units of y.

        Raises
        ------
        NotFittedError
            Before the fit.
        ValueError
            For points with another number of features.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import BoundedLossSVR
        >>> X = np.arange(6.0)[:, None]
        >>> model = BoundedLossSVR(kernels="linear", C=10.0).fit(X, 2.0 * X[:, 0])
        >>> bool(abs(model.predict(np.array([[3.0]]))[0] - 6.0) < 1.0)
        True
        """
        rows = self._rows(X)
        values: FloatArray = self.run_.predict(rows)
        return values

    @property
    def support_(self) -> IntArray:
        """Numbers (s,) of the training rows in the expansion."""
        return np.asarray(self._kept[self._fitted.centre])

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients (1, s)."""
        coefficients: FloatArray = self._fitted.coefficients[None]
        return coefficients

    @property
    def intercept_(self) -> FloatArray:
        """The constant (1,)."""
        return np.array([self._fitted.bias])
