"""Classifiers whose scores are kernel expansions."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import ArrayError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.one_vs_rest import OneVsRest
from radprog.decompositions.run import Run
from radprog.estimators.base import OneVsRestClassifier
from radprog.instances.data import Data
from radprog.models.kernels import Kernel
from radprog.result import plain

PRECOMPUTED = "precomputed"


@dataclass(kw_only=True, eq=False, repr=False)
class ExpansionClassifier(OneVsRestClassifier):
    """A classifier whose scores are kernel expansions.

    ``kernels`` is a string such as ``"poly:1-3"``, a function k(X, Z) or a :class:`radprog.Kernel`.
    Models with several kernels also accept a sequence of these. With "precomputed", X contains
    kernel values in place of features, with shape (n, n) for ``fit`` and (r, n) for ``predict``.

    Attributes
    ----------
    support_ : ndarray (s,)
        Indices of the training rows with a nonzero coefficient.
    dual_coef_ : ndarray (q p, s)
        Coefficients alpha of the rows support_, ordered by classifier (q), then by kernel (p). q is
        1 for two classes, otherwise the number of classes. A score is the sum over kernels of alpha
        times the kernel values at support_, plus intercept_.
    intercept_ : ndarray (q,)
        Intercept of each score; 0 in models without an intercept.
    coef_ : ndarray (q, d)
        Weights of the features; available only with kernels="linear".
    """

    kernels: Any

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores of the points.

        Parameters
        ----------
        X : array (r, d) or (r, n)
            r points with d finite features. With ``kernels="precomputed"``, X contains their kernel
            values with the n training points.

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
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> model = VKRClassifier(kernels="precomputed").fit(1.0 + X @ X.T, y)
        >>> model.decision_function(1.0 + X[[0, 5]] @ X.T) > 0
        array([False,  True])
        """
        rows = self._rows(X)
        if self._precomputed:
            # columns of training rows of weight 0 were left out of the fit
            rows = rows[:, self._used_rows]
        return np.asarray(self._fitted.scores(rows, rows if self._precomputed else None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = True
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernels, str) and self.kernels == PRECOMPUTED

    def _part(self, X: NDArray[Any], rows: IntArray) -> NDArray[Any]:
        if not self._precomputed:
            return X[rows]
        # rows and columns of a matrix of kernel values are the same points
        if X.shape[0] != X.shape[1]:
            raise ArrayError(f"X has shape {X.shape}: precomputed kernel values are (n, n)")
        return X[np.ix_(rows, rows)]

    def _settings(self, data: Data, **changes: Any) -> Any:
        if self._precomputed:
            # the matrix becomes a kernel with these values
            changes["kernels"] = Kernel(PRECOMPUTED, data.X)
        return self.settings(**changes)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "run_" in state and self._precomputed:
            # a pickle contains the name of the kernel, not its matrix
            run: Run = state["run_"]
            spec, fit = copy(run.spec), named_alone(run.fit)
            object.__setattr__(spec, "kernels", str(spec.kernels))
            blocks = {"summary": plain(run.summary), "extra": plain(run.extra)}
            state["run_"] = replace(run, spec=spec, fit=fit, **blocks)
        return state

    @property
    def _expansions(self) -> tuple[KernelExpansion, ...]:
        expansions: tuple[KernelExpansion, ...] = getattr(self._fitted, "fits", (self._fitted,))
        return expansions

    @property
    def support_(self) -> IntArray:
        """Indices (s,) of the training rows with a nonzero coefficient, in increasing order."""
        return np.asarray(self._used_rows[self._centres])

    @property
    def _centres(self) -> IntArray:
        """Indices of the support rows among the rows of positive weight."""
        return np.unique(np.concatenate([expansion.centre for expansion in self._expansions]))

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients (q p, s) of the rows ``support_``, for q scores and p kernels."""
        # a row for every classifier and kernel, a column for every support vector
        support, rows = self._centres, []
        for expansion in self._expansions:
            part = np.zeros((len(expansion.kernels), len(support)))
            place = np.searchsorted(support, expansion.centre)
            np.add.at(part, (expansion.kernel, place), expansion.coefficients)
            rows.append(part)
        return np.concatenate(rows)

    @property
    def coef_(self) -> FloatArray:
        """Weights (q, d) of the features for q scores. Available only with ``kernels="linear"``."""
        if self.kernels != "linear":
            raise AttributeError('coef_ exists only with kernels="linear"')
        return np.stack(
            [expansion.coefficients @ expansion.points for expansion in self._expansions]
        )

    @property
    def intercept_(self) -> FloatArray:
        """Intercepts (q,) of the scores."""
        return np.array([expansion.bias for expansion in self._expansions])


def named_alone(fit: Any) -> Any:
    """A copy of the fit with the kernel names in place of the kernel matrices."""
    if isinstance(fit, OneVsRest):
        return replace(fit, fits=tuple(map(named_alone, fit.fits)))
    return replace(fit, kernels=tuple(map(str, fit.kernels)))
