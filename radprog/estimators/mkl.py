"""A multiple kernel learning classifier with a bound on tail sums of eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import ArrayError
from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import CertifiedClassifier
from radprog.estimators.documented import documented
from radprog.instances.arrays import finite
from radprog.instances.data import Data
from radprog.instances.grams import gram_set
from radprog.models.mkl.settings import MKL


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LocalMKLClassifier(CertifiedClassifier):
    """A support vector machine with a learned kernel sum_m mu_m K_m and a bound on its tail sum of
    eigenvalues.

    The estimator solves the program of :class:`radprog.MKL`. ``variant`` is ``conv`` (certified),
    ``dc`` (a critical point), ``lp`` or ``unif``. All variants except ``dc`` accept sample weights,
    but not in combination with ``center``.

    Parameters
    ----------
    grams : array (M, n, n) or None
        Kernel matrices (M, n, n) of all points, in place of kernels. X (r, 1) then contains indices
        of points, so that cross-validation can split the points.
    fit_intercept : bool
        Whether to fit an intercept.

    Attributes
    ----------
    kernel_weights_ : ndarray (M,)
        Weights mu of the normalized kernels, as in run_.summary.
    support_ : ndarray (s,)
        Indices of the training rows with a nonzero coefficient.
    dual_coef_ : ndarray (q, s)
        Coefficients z of the rows support_, for q classifiers. q is 1 for two classes, otherwise
        the number of classes. Without center, a score is
        sum_m mu_m t_m K_m(x, support_) z + intercept_. t is run_.summary["trace_factors"].
    intercept_ : ndarray (q,)
        Intercept of each score.
    points_ : ndarray (n,)
        Indices of the training points; set only with grams.

    See Also
    --------
    VKRClassifier : Several kernels, each with a penalty for its complexity.
    SimilarityClassifier : Any symmetric similarity, positive semidefinite or not.
    radprog.MKL : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import LocalMKLClassifier
    >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
    >>> model = LocalMKLClassifier(kernels="rbf:1,poly:2", theta=1).fit(X, y)
    >>> model.certified_, bool((model.kernel_weights_ >= 0).all())
    (True, True)
    """

    spec: ClassVar[type[Any]] = MKL

    kernels: Any = MKL.kernels
    grams: Any = None
    variant: str = MKL.variant
    norm: float | None = MKL.norm
    theta: int | None = MKL.theta
    C: float = MKL.C
    tail_budget: str | float | None = MKL.tail_budget
    normalize: str = MKL.normalize
    center: bool = MKL.center
    loss: str = MKL.loss
    multiclass: str = MKL.multiclass
    fit_intercept: bool = True
    n_init: int | None = None

    @property
    def kernel_weights_(self) -> FloatArray:
        """Weights mu (M,) of the normalized kernel matrices."""
        return np.asarray(self.run_.summary["weights"])

    @property
    def support_(self) -> IntArray:
        """Indices (s,) of the training rows with a nonzero coefficient."""
        return np.asarray(self._used_rows[self._fitted.support])

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients (q, s) of the rows ``support_``; q is 1 for two classes, otherwise the
        number of classes.
        """
        return np.asarray(self._fitted.coefficients)

    @property
    def intercept_(self) -> FloatArray:
        """Intercepts (q,) of the scores."""
        return np.asarray(self._fitted.biases)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores of the points.

        Parameters
        ----------
        X : array (r, d) or (r, 1)
            r points with d finite features. With ``grams``, X contains the indices of the points in
            these matrices.

        Returns
        -------
        array (r,) or (r, classes)
            Scores. With two classes, a score above 0 predicts the second class. With more than two
            classes, there is one score per class.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import LocalMKLClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> model = LocalMKLClassifier(kernels="rbf:1,poly:2", theta=1).fit(X, y)
        >>> model.decision_function(X).shape
        (6,)
        """
        if self.grams is None:
            return super().decision_function(X)
        rows = self._rows(X)
        # rows are indices of points; kernel values are looked up
        grams, points = self._grams(), self._points(rows)
        return np.asarray(self._fitted.scores(grams[:, points][:, :, self.points_]))

    def _data(self, X: NDArray[Any], codes: IntArray, weights: FloatArray | None) -> Data:
        if self.grams is None:
            return super()._data(X, codes, weights)
        # the training points among those of the matrices
        self.points_: IntArray = self._points(X)
        grams = self._grams()[:, self.points_][:, :, self.points_]
        return gram_set(grams, codes).weighed(weights)

    def _settings(self, data: Data, **changes: Any) -> Any:
        return self.settings(grams=None, **changes)  # they come as data

    def _grams(self) -> FloatArray:
        grams = finite(self.grams, type(self).__name__, "grams")
        if grams.ndim != 3 or grams.shape[1] != grams.shape[2] or 0 in grams.shape:
            raise ArrayError(f"grams has shape {grams.shape}, expected (kernels, n, n), not empty")
        return grams

    def _points(self, X: NDArray[Any]) -> IntArray:
        """Indices (r,) of points from rows (r, 1)."""
        n = np.shape(self.grams)[-1]
        points = X[:, 0].astype(np.intp)
        if X.shape[1] != 1 or not ((points == X[:, 0]) & (points >= 0) & (points < n)).all():
            raise ArrayError(
                f"X of shape {X.shape} with grams: expected (r, 1) numbers of points, 0 to {n - 1}"
            )
        return points
