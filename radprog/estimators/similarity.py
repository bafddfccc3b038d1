"""Discriminative similarity: clustering, label propagation, and machines on any similarity."""

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
from radprog.estimators.base import CertifiedEstimator
from radprog.estimators.documented import Attributes, documented, parameter
from radprog.estimators.expansions import ExpansionClassifier
from radprog.instances.labels import UNKNOWN
from radprog.instances.unlabelled import partly_labelled
from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM

DEFAULT_CLUSTERS = 2


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminativeClustering(ClusterMixin, CertifiedEstimator):
    """Clustering by discriminative similarity (CDSK): weights of the points and labels together.

    The program of :class:`radprog.CDSK`; of one cluster it is the weights alone.
    """

    spec: ClassVar[type[Any]] = CDSK
    attributes: ClassVar[Attributes] = {
        "labels_": ("ndarray (n,)", "numbers of the clusters of the training rows, from 0"),
        "weights_": ("ndarray (n,)", "weights of the points: each >= 0, their sum 1"),
    }

    clusters: int | None = parameter(None, "number of clusters; None are 2")
    bandwidth: Any = None
    lam: str | float = "auto"
    objective: str = "ratio"
    self_loops: bool = False
    neighbours: str | int | None = "auto"
    trace: str = "half"
    min_size: int | None = None
    max_size: int | None = None
    box: str | float = "auto"

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Cluster rows X (n, d) of finite numbers; ``y`` is not read.

        Raises OptionError for a parameter without meaning, ValueError on unusable rows.
        """
        # two points at least: one has nothing to be similar to
        X = validate_data(self, X, ensure_min_samples=2, **self._accepted(X))
        clusters = DEFAULT_CLUSTERS if self.clusters is None else self.clusters
        self._learn(self.settings(clusters=clusters), partly_labelled(X))
        self.labels_: IntArray = np.asarray(self.run_.summary["labels"], dtype=np.intp)
        return self

    def predict(self, X: ArrayLike) -> IntArray:
        """Numbers (n,) of the clusters that the kernel classifier puts rows in."""
        rows = self._rows(X)
        return np.asarray(self.run_.predict(rows), dtype=np.intp)

    @property
    def weights_(self) -> FloatArray:
        """Weights (n,) of the points."""
        return np.asarray(self.run_.summary["weights"])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminativeLabelPropagation(ClassifierMixin, CertifiedEstimator):
    """Label propagation by discriminative similarity (LPDSK): weights and soft labels together.

    A label of -1 is unknown, unless y holds one other label alone; among texts it is the number, in
    an object array. The program of :class:`radprog.LPDSK`.
    """

    spec: ClassVar[type[Any]] = LPDSK
    attributes: ClassVar[Attributes] = {
        "classes_": ("ndarray (k,)", "the labels that are known, in order, of the type of y"),
        "transduction_": (
            "ndarray (n,)",
            "labels of all training rows: those given, and where they were unknown those found; -1 "
            "where none was, in an object array where labels are no numbers",
        ),
    }

    bandwidth: Any = None
    lam: str | float = "auto"
    neighbours: int | None = None
    trace: str = "half"
    class_mass: bool = False
    dca_iter: int | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from rows X (n, d) with labels y (n,), -1 where one is unknown.

        Raises OptionError for a parameter without meaning, ValueError on unusable rows or labels,
        and on the text "-1" among other texts, which may be a class and may stand for none.
        """
        rows, labels = validate_data(self, X, y, **self._accepted(X))
        # -1 stands for an unknown label, where two other labels are there
        labelled = np.array([label != UNKNOWN for label in labels.tolist()])
        if len(set(labels[labelled].tolist())) < 2:
            labelled[:] = True
        _refuse_text(labels[labelled].tolist())
        check_classification_targets(labels[labelled])
        # labels that are known become numbers, the others None
        self.classes_, codes = np.unique(labels[labelled], return_inverse=True)
        if len(self.classes_) < 2:
            one = self.classes_.tolist()[0]
            raise ArrayError(f"y holds one class, {one!r}: at least 2 are expected")
        numbers = iter(codes.tolist())
        written = [next(numbers) if one else None for one in labelled]
        self._learn(self.settings(), partly_labelled(rows, written))
        self.transduction_ = self._labels_of(np.asarray(self.run_.summary["labels"], dtype=np.intp))
        return self

    def _labels_of(self, codes: IntArray) -> NDArray[Any]:
        """The labels of codes (n,); -1 where there is none, of which the run warns."""
        # labels of all rows; -1 where propagation reached none
        predicted: NDArray[Any] = self.classes_[codes]
        lost = codes == UNKNOWN
        if not lost.any():
            return predicted
        if predicted.dtype.kind not in "if":
            predicted = predicted.astype(object)
        predicted[lost] = UNKNOWN
        return predicted

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Values h (n, classes) of the kernel classifier; of two classes (n,), their difference."""
        rows = self._rows(X)
        # of two classes one score, as scikit-learn has it
        h: FloatArray = self.run_.decision_function(rows)
        return h[:, 1] - h[:, 0] if h.shape[1] == 2 else h

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels (n,) of rows, by the kernel classifier."""
        rows = self._rows(X)
        predicted: NDArray[Any] = self.classes_[self._fitted.predict(rows).astype(np.intp)]
        return predicted


def _refuse_text(labelled: list[Any]) -> None:
    """ArrayError on a text that is written as the number of no label, among two others or more."""
    others = {label for label in labelled if label != str(UNKNOWN)}
    if len(others) > 1 and str(UNKNOWN) in labelled:
        raise ArrayError(
            f"y holds the text '{UNKNOWN}' among others: where it stands for an unknown label give "
            f"the number (y = y.astype(object); y[y == '{UNKNOWN}'] = {UNKNOWN}), where it is a "
            "class another name"
        )


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SimilarityClassifier(ExpansionClassifier):
    """A machine on any symmetric similarity, definite or not: min mean hinge + lam a'|S|a.

    The program of :class:`radprog.SimSVM`. ``kernels``: one kernel, a function s(X, Z), or
    "precomputed".
    """

    spec: ClassVar[type[Any]] = SimSVM

    kernels: Any = "rbf:1"
    lam: float = 1e-2
    no_bias: bool = False
