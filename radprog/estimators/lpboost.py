"""LPBoost over kernelized shapelets, as a time series classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import ConstrainedClassifier
from radprog.estimators.documented import documented
from radprog.instances.bags import refuse_unequal, series
from radprog.instances.data import Data
from radprog.models.lpboost.settings import LPBoost


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ShapeletBoostClassifier(ConstrainedClassifier):
    """LPBoost over time series patterns: max rho - sum xi / (nu m) s.t. y g(x) >= rho - xi.

    X contains time series, with shape (m, L) or (m, channels, L). The default ``length`` is a fifth
    of the length of the series, but at least one point. The estimator solves the program of
    :class:`radprog.LPBoost`.

    Parameters
    ----------
    warm_start : bool
        Start with those shapelets of the previous fit that occur in the new series.

    See Also
    --------
    radprog.LPBoostClassifier : LPBoost over stumps or trees, for tabular data.
    radprog.LPBoost : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import ShapeletBoostClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(0.0, 0.1, (8, 10)), np.repeat([0, 1], 4)
    >>> X[4:, 3:6] += 1.0  # a bump in the second class
    >>> model = ShapeletBoostClassifier(length=3).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    spec: ClassVar[type[Any]] = LPBoost

    learner: str = LPBoost.learner
    pattern_kernel: str = LPBoost.pattern_kernel
    length: Any = LPBoost.length
    families: Any = LPBoost.families
    nu: float = LPBoost.nu
    sigma: str | float | None = LPBoost.sigma
    radius: float = LPBoost.radius
    dca_iter: int | None = LPBoost.dca_iter
    n_init: int | None = None
    orientation: str | None = LPBoost.orientation
    normalize: bool = LPBoost.normalize
    warm_start: bool = False

    def _settings(self, data: Data) -> Any:
        # a fifth of fewer than five points is below one: then patterns of one point
        # shortest series, in points, whose default share of 0.2 is a whole point
        short = self.length is None and data.X.shape[-1] < 5
        return self.settings(**({"length": "1"} if short else {}))

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores of the time series.

        Parameters
        ----------
        X : array (r, L) or (r, channels, L)
            r time series with the same length L as the training series.

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
            If the length of the series differs from that of the training series.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import ShapeletBoostClassifier
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(0.0, 0.1, (8, 10)), np.repeat([0, 1], 4)
        >>> X[4:, 3:6] += 1.0  # a bump in the second class
        >>> ShapeletBoostClassifier(length=3).fit(X, y).decision_function(X[[0, 7]]) > 0
        array([False,  True])
        """
        rows = self._rows(X)  # refuses an estimator without a fit
        return np.asarray(self._fitted.scores(rows))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    def _accepted(self, X: Any) -> dict[str, Any]:
        refuse_unequal(X, type(self).__name__)
        return {"dtype": np.float64, "allow_nd": True}

    def _data(self, X: NDArray[Any], codes: IntArray, weights: FloatArray | None) -> Data:
        return series(X, codes, weights=weights)
