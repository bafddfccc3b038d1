"""LPBoost over kernelized shapelets, as a time series classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.estimators.base import ConstrainedClassifier, by_class, refuse_columns
from radprog.estimators.documented import documented
from radprog.estimators.folds import ChosenByFolds
from radprog.instances.bags import series
from radprog.instances.data import Data
from radprog.models.lpboost.settings import DEFAULT_LENGTH, LPBoost

LENGTHS = ["0.2", "0.1", "0.4", "0.1,0.2,0.4"]  # the choices of "auto", the usual one first


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ShapeletBoostClassifier(ChosenByFolds, ConstrainedClassifier):
    """LPBoost over time series patterns: max rho - sum xi / (nu m) s.t. y g(x) >= rho - xi.

    X contains time series, with shape (m, L) or (m, channels, L). The default ``length`` is a fifth
    of the length of the series, but at least one point. The estimator solves the program of
    :class:`radprog.LPBoost`.

    Parameters
    ----------
    length : str, float, sequence or None
        Lengths of the patterns in points, or as shares of the series; None means a fifth. With
        "auto", cross-validation compares a tenth, a fifth, two fifths and all three. A fifth is
        kept unless another choice is more accurate by more than one standard error of an accuracy
        on as many series.
    cv : int, splitter or None
        Cross-validation folds of ``length="auto"``, as in scikit-learn. None means 5 folds, or as
        many as the smallest class has series.
    warm_start : bool
        Start with those shapelets of the previous fit that occur in the new series.

    Attributes
    ----------
    length_ : str
        The lengths of the patterns.

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

    def _fixed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        if not self._automatic or "length" in changes:
            return {}
        if not hasattr(self, "length_"):
            raise OptionError(
                f"{type(self).__name__}: fit chooses length, and is not called yet: give "
                "settings(length=...)"
            )
        return {"length": self.length_}

    @property
    def _automatic(self) -> bool:
        return isinstance(self.length, str) and self.length == "auto"

    def _settings(self, data: Data, **changes: Any) -> Any:
        # shortest series, in points, whose default share of 0.2 is a whole point
        short = self.length is None and data.X.shape[-1] < 5
        return self.settings(**({"length": "1"} if short else {}), **changes)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the length if it is "auto", fit the classifier, and certify the result.

        Parameters
        ----------
        X : array (m, L) or (m, channels, L)
            m time series of the same length L.
        y : array (m,)
            Labels from at least two classes.
        sample_weight : array (m,), optional
            Nonnegative weights of the series; the default is 1. A weight of 2 counts a series
            twice, also in the means and rates of constraints.
        groups : array (m,), optional
            The group of each series, for constraints on "groups".

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        ValueError
            If series, labels, weights or groups are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import ShapeletBoostClassifier
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(0.0, 0.1, (20, 10)), np.repeat([0, 1], 10)
        >>> X[10:, 3:6] += 1.0  # a bump in the second class
        >>> ShapeletBoostClassifier(length="auto").fit(X, y).length_
        '0.2'
        """
        budget = self._run_settings().budget()
        data = self._read(X, y, by_class(self.class_weight, y, sample_weight))
        data = self._grouped(data, groups)
        if not self._automatic:
            spec, seconds = self._settings(data), 0.0
        else:
            # a share below one point is left out
            span = data.X.shape[-1]
            lengths = [
                length for length in LENGTHS if float(length.partition(",")[0]) * span >= 1.0
            ]
            specs = [self._settings(data, length=length) for length in lengths or ["1"]]
            # as many folds as the smallest class has series
            folds = min(5, int(np.bincount(data.codes).min()))
            if self.cv is None and folds < 2:
                specs = specs[:1]
            best, _ = self._choose(specs, data, y, budget, specs[0], self.cv or max(folds, 2))
            spec, seconds = specs[best], budget.seconds
        self.length_ = DEFAULT_LENGTH if spec.length is None else str(spec.length)
        self._learn(spec, data, used=seconds)
        return self

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
        refuse_columns(X, type(self).__name__)
        return {"dtype": np.float64, "allow_nd": True}

    def _data(self, X: NDArray[Any], codes: IntArray, weights: FloatArray | None) -> Data:
        return series(X, codes, weights=weights)
