"""Discriminative similarity: clustering, label propagation, and classifiers for any similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, ClusterMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from radprog.base.errors import ArrayError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.run import Run
from radprog.estimators.base import CertifiedEstimator, classes_of, labelled
from radprog.estimators.documented import documented
from radprog.estimators.expansions import ExpansionClassifier
from radprog.instances.dataset import partly_labelled
from radprog.instances.tables import UNKNOWN
from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianEstimator(CertifiedEstimator):
    """An estimator with a Gaussian kernel. The bandwidth may depend on the rows.

    Attributes
    ----------
    bandwidth_ : float
        Bandwidth of the Gaussian kernel, in the units of X.
    objective_ : float or None
        Objective of the relaxation that the method lowers, recomputed from the data. Program (12)
        at the labels has ``run_.summary["labelled_objective"]``.
    """

    @property
    def bandwidth_(self) -> float:
        """The bandwidth of the Gaussian kernel."""
        return float(self.run_.summary["bandwidth"])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminativeClustering(ClusterMixin, GaussianEstimator):
    """Clustering by discriminative similarity (CDSK), with joint computation of labels and point
    weights.

    The estimator solves the program of :class:`radprog.CDSK`. The number of clusters is not chosen
    from the data; :func:`radprog.tune` compares several by their eigengap. With one cluster, only
    the weights are computed.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters of the fit.
    labels_ : ndarray (n,)
        Cluster numbers of the training rows, starting from 0.
    weights_ : ndarray (n,)
        Nonnegative weights of the points, with sum 1.

    See Also
    --------
    DiscriminativeLabelPropagation : Propagation of labels from a few labelled points.
    radprog.CDSK : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import DiscriminativeClustering
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> labels = DiscriminativeClustering(bandwidth=1.0).fit(X).labels_
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5])
    True
    """

    spec: ClassVar[type[Any]] = CDSK

    n_clusters: int = 2
    bandwidth: Any = None
    lam: str | float = CDSK.lam
    objective: str = CDSK.objective
    n_neighbors: str | int | None = "auto"
    trace: str = CDSK.trace
    min_size: int | None = CDSK.min_size
    max_size: int | None = CDSK.max_size
    box: str | float = CDSK.box

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Compute the clusters and weights of the points.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features; at least two points.
        y : ignored
            Not used; scikit-learn's pipelines require it.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        ValueError
            If points are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import DiscriminativeClustering
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = DiscriminativeClustering(bandwidth=1.0).fit(X)
        >>> float(model.weights_.sum().round(6))
        1.0
        """
        # at least two points: a single point has no pairs
        X = validate_data(self, X, ensure_min_samples=2, **self._accepted(X))
        self._learn(self.settings(), partly_labelled(X))
        return self

    def _keep(self, run: Run) -> None:
        self.n_clusters_ = int(self.n_clusters)
        self.labels_: IntArray = np.asarray(run.summary["labels"], dtype=np.intp)
        super()._keep(run)

    def predict(self, X: ArrayLike) -> IntArray:
        """Return the clusters that the kernel classifier of the fit predicts for the points.

        Parameters
        ----------
        X : array (r, d)
            r points with d finite features.

        Returns
        -------
        array (r,)
            Predicted cluster numbers, starting from 0.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import DiscriminativeClustering
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = DiscriminativeClustering(bandwidth=1.0).fit(X)
        >>> bool(model.predict(np.array([[0.05]]))[0] == model.labels_[0])
        True
        """
        rows = self._rows(X)
        return np.asarray(self.run_.predict(rows), dtype=np.intp)

    @property
    def weights_(self) -> FloatArray:
        """Weights (n,) of the training points."""
        return np.asarray(self.run_.summary["weights"])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminativeLabelPropagation(ClassifierMixin, GaussianEstimator):
    """Label propagation by discriminative similarity (LPDSK), with point weights and soft labels.

    A label of -1 marks a point without a known label. If y contains only one other label, -1 is
    treated as a second class. To propagate labels -1 and 1, rename them first, for example to 0 and
    1. In an object array of strings, the number -1 marks an unknown label.
    The estimator solves the program of :class:`radprog.LPDSK`.

    Attributes
    ----------
    classes_ : ndarray (k,)
        Known labels in increasing order, of the same type as y.
    transduction_ : ndarray (n,)
        Labels of all training rows, known or propagated. -1 marks rows without a label. If the
        labels are strings, such rows make this an object array.

    See Also
    --------
    DiscriminativeClustering : Joint computation of clusters and point weights.
    radprog.LPDSK : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import DiscriminativeLabelPropagation
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> model = DiscriminativeLabelPropagation(bandwidth=1.0).fit(X, [0, -1, -1, 1, -1, -1])
    >>> model.transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    spec: ClassVar[type[Any]] = LPDSK

    bandwidth: Any = None
    lam: str | float = LPDSK.lam
    n_neighbors: str | int | None = "auto"
    trace: str = LPDSK.trace
    class_mass: bool = LPDSK.class_mass

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Propagate labels to all points.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features.
        y : array (n,)
            Labels; -1 marks an unknown label.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        ValueError
            If points or labels are invalid, or y contains the string "-1" among other strings.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import DiscriminativeLabelPropagation
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = DiscriminativeLabelPropagation(bandwidth=1.0).fit(X, [0, -1, -1, 1, -1, -1])
        >>> model.classes_
        array([0, 1])
        """
        rows, labels = validate_data(self, X, y, **self._accepted(X))
        # -1 means an unknown label, if there are at least two other labels
        known = np.array([label != UNKNOWN for label in labels.tolist()])
        if len(set(labels[known].tolist())) < 2:
            known[:] = True
        texts = labels[known].tolist()
        if str(UNKNOWN) in texts and len({label for label in texts if label != str(UNKNOWN)}) > 1:
            raise ArrayError(
                f"y holds the text '{UNKNOWN}' among others: where it stands for an unknown label "
                f"give the number (y = y.astype(object); y[y == '{UNKNOWN}'] = {UNKNOWN}), where "
                "it is a class another name"
            )
        check_classification_targets(labels[known])
        # known labels become numbers, the others None
        self.classes_, codes = classes_of(labels[known])
        numbers = iter(codes.tolist())
        written = [next(numbers) if is_known else None for is_known in known]
        data = labelled(partly_labelled(rows, written), self.classes_)
        self._learn(self.settings(), data)
        return self

    def _keep(self, run: Run) -> None:
        # labels of all rows; -1 where propagation reached none
        reached = np.asarray(run.summary["labels"], dtype=np.intp)
        self.transduction_: NDArray[Any] = self.classes_[reached]
        if (unreached := reached == UNKNOWN).any():
            plain = self.transduction_.dtype.kind in "if"
            self.transduction_ = self.transduction_.astype(self.classes_.dtype if plain else object)
            self.transduction_[unreached] = UNKNOWN
        super()._keep(run)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores h of the kernel classifier.

        Parameters
        ----------
        X : array (r, d)
            r points with d finite features.

        Returns
        -------
        array (r,) or (r, classes)
            With two classes, the score of the second class minus that of the first. With more
            classes, one score per class.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the number of features differs from that of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import DiscriminativeLabelPropagation
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = DiscriminativeLabelPropagation(bandwidth=1.0).fit(X, [0, -1, -1, 1, -1, -1])
        >>> model.decision_function(np.array([[0.05], [5.05]])) > 0
        array([False,  True])
        """
        rows = self._rows(X)
        # one score for two classes, as in scikit-learn
        h: FloatArray = self.run_.decision_function(rows)
        return h[:, 1] - h[:, 0] if h.shape[1] == 2 else h

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels that the kernel classifier of the fit predicts for the points.

        Parameters
        ----------
        X : array (r, d)
            r points with d finite features.

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
        >>> from radprog.estimators import DiscriminativeLabelPropagation
        >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> model = DiscriminativeLabelPropagation(bandwidth=1.0).fit(X, [0, -1, -1, 1, -1, -1])
        >>> model.predict(np.array([[0.05], [5.05]]))
        array([0, 1])
        """
        rows = self._rows(X)
        return np.asarray(self.classes_[self._fitted.predict(rows).astype(np.intp)])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SimilarityClassifier(ExpansionClassifier):
    """Classifier for any symmetric similarity S, semidefinite or not: min mean hinge + lam a'|S|a.

    The estimator solves the program of :class:`radprog.SimSVM`. ``kernels`` is one kernel, a
    function s(X, Z), or "precomputed".

    Parameters
    ----------
    kernels : str, callable or Kernel
        One kernel, such as rbf:scale, a function s(X, Z), or "precomputed".
    fit_intercept : bool
        Whether to fit an intercept.

    See Also
    --------
    L1SVMClassifier : One kernel and the 1-norm of the coefficients.
    VKRClassifier : Several kernels, each with a penalty for its complexity.
    radprog.SimSVM : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import SimilarityClassifier
    >>> def nearness(X, Z):
    ...     return 1.0 - np.abs(X - Z.T)
    >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
    >>> SimilarityClassifier(kernels=nearness).fit(X, y).certified_
    True
    """

    spec: ClassVar[type[Any]] = SimSVM

    kernels: Any = "rbf:scale"
    lam: float = SimSVM.lam
    fit_intercept: bool = True
