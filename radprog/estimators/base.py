"""What every estimator shares: settings from its parameters, a certified fit, and its numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from radprog.api import fit as fit_model
from radprog.api import plot
from radprog.decompositions.loop import Record
from radprog.decompositions.run import Run, RunSettings, RunStatus, Spec
from radprog.estimators.documented import parameter
from radprog.instances.data import Data, checked_weights
from radprog.instances.dataset import dataset
from radprog.instances.errors import ArrayError, DataError
from radprog.instances.types import FloatArray, IntArray
from radprog.models.compression import UNSEEN, withheld
from radprog.progress import in_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUN_SETTINGS = frozenset(field.name for field in fields(RunSettings))


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedEstimator(BaseEstimator):
    """Parameters of every run, and what every fitted estimator says of it.

    Parameters besides those of the model are settings of :func:`radprog.fit`: ``method``,
    ``solver``, ``tol``, ``abs_tol``, ``max_iter``, ``time_limit`` (seconds), ``seed``, ``threads``.
    A function given as ``verbose`` takes records with ``iteration``, ``seconds``, ``objective``,
    ``bound`` and ``gap``.
    A run that a limit ends keeps the best certified answer and warns (ConvergenceWarning).
    ``run_`` has no compression bound: it would be about rows as they were drawn, and what steps of
    a pipeline took from these rows an estimator does not see; :func:`radprog.fit` states it.

    Fitted: ``run_`` (certificate, trace, bounds, the last program), ``objective_``, ``bound_``,
    ``gap_`` (relative), ``certified_``, ``n_iter_``, ``n_features_in_``, ``feature_names_in_``.
    """

    spec: ClassVar[type[Any]]

    method: str | None = None
    solver: str | None = None
    tol: float = RunSettings.tol
    abs_tol: float = RunSettings.abs_tol
    max_iter: int | None = None
    time_limit: float | None = parameter(
        None, "seconds, after which the best certified answer so far is kept"
    )
    seed: int = 0
    threads: int = 1
    verbose: bool | Callable[[Record], object] = parameter(
        False, "a line for every iteration on stderr, or a function that takes the record of each"
    )

    def settings(self, **changes: Any) -> Any:
        """The model's settings object of these parameters; OptionError for one without meaning."""
        own = self.get_params(deep=False)
        named = {field.name for field in fields(self.spec)} & own.keys()
        return self.spec(**{**{name: own[name] for name in named}, **changes})

    @property
    def objective_(self) -> float | None:
        """Objective of the returned point, recomputed from the data."""
        return self.run_.objective

    @property
    def bound_(self) -> float | None:
        """Bound on the optimal value, recomputed from the data; None where none is proved."""
        return self.run_.bound

    @property
    def gap_(self) -> float | None:
        """Relative gap of the two."""
        return self.run_.gap

    @property
    def certified_(self) -> bool:
        """Whether the gap meets ``tol`` or ``abs_tol``."""
        return self.run_.certified

    @property
    def _fitted(self) -> Any:
        """The predictor of the run."""
        return self.run_.fit

    @property
    def n_iter_(self) -> int:
        """Iterations of the method, at least 1."""
        return max(1, len(self.run_.trace))

    def _options(self) -> dict[str, Any]:
        """The settings of a run among the parameters."""
        given = self.get_params(deep=False)
        return {name: given[name] for name in RUN_SETTINGS & given.keys()}

    def _asked(self) -> RunSettings:
        return RunSettings(**self._options())

    def plot(self) -> Figure:
        """The figure of the run, as :func:`radprog.plot` draws it without data."""
        check_is_fitted(self)
        return plot(self.run_)

    def _learn(self, spec: Spec, data: Data, start: Any = None) -> None:
        """Fit and keep the run; ConvergenceWarning where a limit ended it. start: a fit."""
        options = self._options()
        if getattr(self, "warm_start", False) and hasattr(self, "run_"):
            start = self.run_.fit
        if start is not None:
            options["start"] = start
        if self.verbose:
            options["observe"] = self.verbose if callable(self.verbose) else in_lines()
        with unusable():
            self._keep(fit_model(spec, data, **options, **self._workers()))

    def _workers(self) -> dict[str, Any]:
        """Who fits the machines of several classes."""
        return {}

    def _keep(self, run: Run) -> None:
        self.run_: Run = as_estimated(run)
        if self.run_.status is RunStatus.LIMIT:
            gap = "no bound is known" if self.run_.gap is None else f"gap {self.run_.gap:.3g}"
            warnings.warn(
                f"{type(self).__name__} was ended by {self.run_.stopped_by}: {gap}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _counted(self, weights: ArrayLike | None, n: int) -> FloatArray | None:
        """Weights of the n rows that have one above 0 (n',), None where each counts once; sets
        which rows these are."""
        self._kept: IntArray = np.arange(n)
        if weights is None:
            return None
        values = checked_weights(weights, n, "sample_weight", lambda i: i + 1)
        self._kept = np.flatnonzero(values)
        return values[self._kept]

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        """New rows, checked against those of the fit."""
        check_is_fitted(self)
        return dense(validate_data(self, X, reset=False, **self._accepted()))

    def _accepted(self) -> dict[str, Any]:
        """How rows are checked."""
        return {"dtype": np.float64, "accept_sparse": self.__sklearn_tags__().input_tags.sparse}


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedClassifier(ClassifierMixin, CertifiedEstimator):
    """Two classes by one machine, more by one machine per class against the rest.

    Fitted besides: ``classes_``. Of two classes the second has scores above 0.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> CertifiedClassifier:
        """Learn rows X (n, d) of finite numbers with labels y (n,) of two classes or more.

        Raises OptionError for a parameter without meaning, ValueError on unusable rows or labels.
        """
        return self._learned(X, y, None)

    def _learned(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Self:
        data = self._read(X, y, weights)
        self._learn(self._settings(data), data)
        return self

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        """Rows that count, with their labels, as the model takes them; sets what is known of a
        fit by them."""
        rows, labels = validate_data(self, X, y, **self._accepted())
        rows = dense(rows)
        counts = self._counted(weights, len(rows))
        codes = self._codes(labels[self._kept])
        with unusable():
            return self._data(self._part(rows, self._kept), codes, counts)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Scores (n,), above 0 for the second of two classes; (n, classes) of more."""
        rows = self._rows(X)
        scores: FloatArray = self.run_.decision_function(rows)
        return scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels (n,) as those given to :meth:`fit`."""
        scores = self.decision_function(X)
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0).astype(np.intp)
        predicted: NDArray[Any] = self.classes_[codes]
        return predicted

    def _settings(self, data: Data) -> Any:
        """The model's settings for these data."""
        return self.settings()

    def _codes(self, y: NDArray[Any]) -> IntArray:
        """Numbers of the classes; sets ``classes_``."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ArrayError(
                f"y holds one class, {self.classes_.tolist()[0]!r}: at least 2 are expected"
            )
        return np.asarray(codes, dtype=np.intp)

    def _part(self, X: NDArray[Any], rows: IntArray) -> NDArray[Any]:
        """The rows ``rows`` of X."""
        return X[rows]

    def _data(self, X: NDArray[Any], codes: IntArray, weights: FloatArray | None) -> Data:
        """Rows, numbers of their classes and weights as the model takes them."""
        return dataset(X, codes, one_vs_rest=True, weights=weights)


@dataclass(kw_only=True, eq=False, repr=False)
class OneVsRestClassifier(CertifiedClassifier):
    """A classifier whose machines of more than two classes share nothing."""

    n_jobs: int | None = parameter(
        None,
        "machines of more than two classes that are fitted at once, by processes of this machine, "
        "-1: one a core; None is 1 unless joblib's parallel_config says another number; the fit is "
        "the same",
    )

    def _workers(self) -> dict[str, Any]:
        several = len(self.classes_) > 2
        return {"jobs": effective_n_jobs(self.n_jobs)} if several else {}


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedClassifier(CertifiedClassifier):
    """A classifier whose rows may have weights: 2 is the row twice, 0 the row left out."""

    class_weight: Any = parameter(
        None,
        'a mapping from labels to factors of the weights of their rows, or "balanced": '
        "W / (classes x W_c), W the sum of all weights and W_c that of class c",
    )

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CertifiedClassifier:
        """Learn rows X (n, d) of finite numbers with labels y (n,) of two classes or more, each of
        which counts sample_weight (n,) >= 0 times, once without.

        Raises OptionError for a parameter without meaning, ValueError on unusable rows, labels or
        weights.
        """
        return self._learned(X, y, by_class(self.class_weight, y, sample_weight))


def as_estimated(run: Run) -> Run:
    """The run without a compression bound, which is about rows that no step before has moved."""
    return replace(run, extra=withheld(run.extra, UNSEEN))


@contextmanager
def unusable() -> Iterator[None]:
    """A data error as the ValueError that scikit-learn's users expect of arrays."""
    try:
        yield
    except ArrayError:
        raise
    except DataError as error:
        raise ArrayError(str(error)) from error


def dense(X: Any) -> NDArray[Any]:
    """Rows as an array; sparse ones are filled up, as the values of their kernels are anyway."""
    rows: NDArray[Any] = X.toarray() if hasattr(X, "toarray") else X
    return rows


def by_class(class_weight: Any, y: ArrayLike, weights: ArrayLike | None) -> ArrayLike | None:
    """Weights of rows with labels y (n,), times those of their classes."""
    if class_weight is None:
        return weights
    labels = np.asarray(y).ravel()
    counts = np.ones(len(labels))
    if weights is not None:
        counts = checked_weights(weights, len(labels), "sample_weight", lambda i: i + 1)
    if class_weight == "balanced":
        _, codes = np.unique(labels[counts > 0.0], return_inverse=True)
        held = np.bincount(codes, counts[counts > 0.0])
        counts[counts > 0.0] *= (counts.sum() / (len(held) * held))[codes]
        return counts
    return np.asarray(counts * compute_sample_weight(class_weight, labels))
