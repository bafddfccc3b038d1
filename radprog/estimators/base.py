"""What every estimator shares: settings from its parameters, a certified fit, and its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from radprog.api import fit as fit_model
from radprog.api import plot
from radprog.base.errors import (
    ArrayError,
    DataError,
    OptionError,
    RadprogWarning,
    warn_user,
)
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Record
from radprog.decompositions.run import Run, RunSettings, RunStatus, Spec
from radprog.estimators.documented import NEGATED, RENAMED, Attributes, parameter, renamed
from radprog.instances.arrays import array_of, refuse_others
from radprog.instances.data import Data, checked_weights
from radprog.instances.dataset import dataset
from radprog.models.compression import UNSEEN, withheld
from radprog.models.kernel_functions import EditSimilarity
from radprog.progress import in_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENCODED = ": encode such columns first, as by OneHotEncoder in a ColumnTransformer"
RUN_SETTINGS = frozenset(field.name for field in fields(RunSettings))
LARGEST_SEED = 2**31 - 1


class LimitWarning(RadprogWarning, ConvergenceWarning):
    """A limit ended what an estimator did."""


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedEstimator(BaseEstimator):
    """Parameters of every run, and what every fitted estimator says of it.

    Parameters besides those of the model are settings of :func:`radprog.fit`: ``method``,
    ``solver``, ``tol``, ``abs_tol``, ``max_iter``, ``time_limit`` (seconds), ``random_state``,
    ``threads``. A parameter has scikit-learn's name where it means the same as there.
    A function given as ``verbose`` takes records with ``iteration``, ``seconds``, ``objective``,
    ``bound`` and ``gap``.
    A run that a limit ends keeps the best certified answer and warns (ConvergenceWarning); what
    else there is to know of a run is a RadprogWarning, as of :func:`radprog.fit`.
    ``run_`` has no compression bound: it would be about rows as they were drawn, and what steps of
    a pipeline took from these rows an estimator does not see; :func:`radprog.fit` states it.
    Pickles and copies leave out the last program of ``run_``, which holds kernel matrices, and
    matrices of kernels that were given as "precomputed".
    """

    spec: ClassVar[type[Any]]
    attributes: ClassVar[Attributes] = {
        "run_": (
            "Run",
            "the run as rp.fit returns it: certificate, trace, bounds, and in run_.summary what "
            "the fit block of a result holds",
        ),
        "objective_": (
            "float or None",
            "objective of the model's program at the returned point, recomputed from the data; "
            "None where a limit left no time for it",
        ),
        "bound_": (
            "float or None",
            "bound on the optimal value, in units of the objective; None where none is proved",
        ),
        "gap_": ("float or None", "|objective_ - bound_| / |objective_|; None without a bound"),
        "certified_": ("bool", "whether the gap meets tol or abs_tol"),
        "n_iter_": (
            "int",
            "iterations of the method in run_.trace, of all its classifiers; at least 1",
        ),
        "n_features_in_": ("int", "number d of features; not set by texts"),
        "feature_names_in_": ("ndarray (d,)", "their names, where X had some as texts"),
    }

    method: str | None = None
    solver: str | None = None
    tol: float = RunSettings.tol
    abs_tol: float = RunSettings.abs_tol
    max_iter: int | None = None
    time_limit: float | None = parameter(
        None, "seconds, after which the best certified answer so far is kept"
    )
    random_state: Any = parameter(
        None, "seed of everything random, a number or a RandomState; None is 0: the same every time"
    )
    threads: int = 1
    verbose: bool | Callable[[Record], object] = parameter(
        False, "a line for every iteration on stderr, or a function that takes the record of each"
    )

    def settings(self, **changes: Any) -> Any:
        """Return the settings of the model that these parameters give.

        Parameters
        ----------
        **changes
            Settings that replace those of the parameters.

        Returns
        -------
        settings of a model
            As :func:`radprog.fit` takes them.

        Raises
        ------
        OptionError
            For a parameter that has no meaning.

        Examples
        --------
        >>> from radprog.estimators import VKRClassifier
        >>> VKRClassifier(kernels="poly:1", lam=0.1).settings(beta=0.2).lam
        0.1
        """
        # parameters that are fields of the settings object, some under scikit-learn's names
        own, named = self.get_params(deep=False), {}
        for one in fields(self.spec):
            if (name := RENAMED.get(one.name, one.name)) in own:
                named[one.name] = not own[name] if one.name == NEGATED else own[name]
        return self.spec(**{**named, **changes})

    def set_params(self, **params: Any) -> Self:
        """Set parameters by their names.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For a name that the estimator lacks.

        Examples
        --------
        >>> from radprog.estimators import VKRClassifier
        >>> VKRClassifier().set_params(lam=0.1).lam
        0.1
        """
        changed: Self = super().set_params(**renamed(type(self), params))
        return changed

    def __getattr__(self, name: str) -> Any:
        """Called where an attribute is missing: a parameter under its earlier name is there."""
        new = RENAMED.get(name)
        if new is not None and new in vars(self):
            value = vars(self)[new]
            renamed(type(self), {name: value})  # warns
            return not value if name == NEGATED else value
        if name == "predict_proba":
            raise AttributeError(
                f"{type(self).__name__} has scores, no probabilities: "
                f"rp.calibrate({type(self).__name__}(...)).fit(X, y) has predict_proba"
            )
        # the error of the attribute itself
        return object.__getattribute__(self, name)

    @property
    def objective_(self) -> float | None:
        """Objective of the returned point, recomputed from the data."""
        return self.run_.objective

    @property
    def bound_(self) -> float | None:
        """Bound on the optimal value, recomputed from the data; None if none is proved."""
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
        parameters = self.get_params(deep=False)
        options = {name: parameters[name] for name in RUN_SETTINGS & parameters.keys()}
        return {**options, "seed": seed_of(self.random_state)}

    def _run_settings(self) -> RunSettings:
        return RunSettings(**self._options())

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: of the run all but what is as large as a kernel matrix."""
        # the program of the run holds kernel matrices: a copy says how to build it again
        state = dict(super().__getstate__())
        if "run_" in state:
            state["run_"] = replace(state["run_"], program=partial(_left_out, type(self).__name__))
        return state

    @property
    def _repr_html_(self) -> Callable[[], str]:
        shown = super()._repr_html_
        return lambda: shown() + self._certificate_table()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown:
            shown["text/html"] += self._certificate_table()
        return shown

    def _certificate_table(self) -> str:
        """Certificate and trace of a fitted estimator, below scikit-learn's picture of it."""
        return self.run_._repr_html_() if hasattr(self, "run_") else ""

    def plot(self) -> Figure:
        """Plot objective and bound of the run against seconds, as :func:`radprog.plot` does.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        NotFittedError
            Before the fit.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> figure = VKRClassifier(kernels="poly:1").fit(X, y).plot()
        >>> len(figure.axes) > 0
        True
        """
        check_is_fitted(self)
        return plot(self.run_)

    def _learn(self, spec: Spec, data: Data, start: Any = None, used: float = 0.0) -> None:
        """Fit and keep the run; ConvergenceWarning where a limit ended it. start: a fit; used:
        seconds of the time limit that are gone."""
        # parameters that are settings of a run
        options = {**self._options(), "used": used}
        # warm start: the columns of the fit before
        if getattr(self, "warm_start", False) and hasattr(self, "run_"):
            start = self.run_.fit
        if start is not None:
            options["start"] = start
        # records go to a function, or to stderr line by line
        if self.verbose:
            options["observe"] = self.verbose if callable(self.verbose) else in_lines()
        with unusable():
            self._keep(fit_model(spec, data, **options, **self._workers()))

    def _workers(self) -> dict[str, Any]:
        """The executor that fits the classifiers of several classes."""
        return {}

    def _keep(self, run: Run) -> None:
        self.run_: Run = as_estimated(run)
        if self.run_.status is RunStatus.LIMIT:
            # scikit-learn expects a ConvergenceWarning where a limit ended the fit
            gap = "no bound is known" if self.run_.gap is None else f"gap {self.run_.gap:.3g}"
            progress = f": {gap}" if self.run_.trace else f" before its first step, {gap}"
            said = (
                f"{type(self).__name__} was ended by {self.run_.stopped_by}{progress}; a larger "
                "limit lets it go on"
            )
            warn_user(said, LimitWarning)

    def _counted(self, weights: ArrayLike | None, n: int) -> FloatArray | None:
        """Weights of the n rows that have one above 0 (n',), None if each counts once; sets
        which rows these are.
        """
        self._kept: IntArray = np.arange(n)
        if weights is None:
            return None
        # a row of weight 0 is left out, as if it were not there
        values = checked_weights(weights, n, "sample_weight", lambda i: i + 1)
        self._kept = np.flatnonzero(values)
        return values[self._kept]

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        """New rows, checked against those of the fit."""
        check_is_fitted(self)
        rows: NDArray[Any] = self._taken(validate_data(self, X, reset=False, **self._accepted(X)))
        return rows

    def _taken(self, X: Any) -> Any:
        """Rows as the model takes them: as an array, unless it is about sparse ones."""
        return dense(X)

    def _accepted(self, X: Any) -> dict[str, Any]:
        """How rows X are checked; raises ArrayError on a frame's column that holds no numbers."""
        refuse_columns(X, type(self).__name__)
        return {"dtype": np.float64, "accept_sparse": self.__sklearn_tags__().input_tags.sparse}


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedClassifier(ClassifierMixin, CertifiedEstimator):
    """Two classes by one machine, more by one machine per class against the rest.

    Of two classes the second has scores above 0.
    """

    attributes: ClassVar[Attributes] = {
        "classes_": ("ndarray (k,)", "the labels in order, of the type of y"),
    }

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the classifier and certify the result.

        Parameters
        ----------
        X : array (n, d)
            n points of d finite numbers.
        y : array (n,)
            Labels of two classes or more.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            For a parameter that has no meaning.
        ValueError
            For unusable points or labels.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import SimilarityClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> SimilarityClassifier().fit(X, y).certified_
        True
        """
        return self._learned(X, y, None)

    def _learned(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Self:
        data = self._read(X, y, weights)
        self._learn(self._settings(data), data)
        return self

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        """The rows of positive weight with their labels, as the model takes them; sets the
        attributes that depend on them.
        """
        # scikit-learn checks shapes, numbers and names of features
        rows, labels = validate_data(self, X, y, **self._accepted(X))
        rows = self._taken(rows)
        # rows that count, and the numbers of their classes
        counts = self._counted(weights, rows.shape[0])
        codes = self._codes(labels[self._kept])
        with unusable():
            return self._data(self._part(rows, self._kept), codes, counts)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores of points.

        Parameters
        ----------
        X : array (r, d)
            r points of d finite numbers.

        Returns
        -------
        array (r,) or (r, classes)
            For two classes one score, above 0 for the second class; for more classes a score of
            each.

        Raises
        ------
        NotFittedError
            Before the fit.
        ValueError
            For points with another number of features.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import SparseHingeClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> SparseHingeClassifier().fit(X, y).decision_function(X[[0, 5]]) > 0
        array([False,  True])
        """
        rows = self._rows(X)
        scores: FloatArray = self.run_.decision_function(rows)
        return scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels of points.

        Parameters
        ----------
        X : array (r, d)
            r points of d finite numbers.

        Returns
        -------
        array (r,)
            Labels of the type of y.

        Raises
        ------
        NotFittedError
            Before the fit.
        ValueError
            For points with another number of features.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], ["no", "no", "yes", "no", "yes", "yes"]
        >>> VKRClassifier(kernels="poly:1").fit(X, y).predict(X[[0, 5]]).tolist()
        ['no', 'yes']
        """
        # the class of the largest score; of two classes by the sign
        scores = self.decision_function(X)
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0).astype(np.intp)
        predicted: NDArray[Any] = self.classes_[codes]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._of_texts:
            tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    @property
    def _of_texts(self) -> bool:
        """Whether a kernel compares only texts."""
        # kernels may be names, functions or a sequence of both
        kernels = getattr(self, "kernels", None)
        items = kernels if isinstance(kernels, list | tuple) else [kernels]
        texts = [item for item in items if isinstance(item, str)]
        return EditSimilarity.name in {one.strip() for item in texts for one in item.split(",")}

    def _accepted(self, X: Any) -> dict[str, Any]:
        # texts are rows of the kernel edit
        if holds_texts(X):
            return {"dtype": None, "ensure_2d": False}
        if self._of_texts:
            raise ArrayError(
                f"{type(self).__name__}: kernel {EditSimilarity.name} compares texts: expected a "
                f"list, array or column (n,) of them as X, got a {type(X).__name__} of other "
                "things, or of several columns"
            )
        return super()._accepted(X)

    def _settings(self, data: Data) -> Any:
        """The model's settings for these data."""
        return self.settings()

    def _codes(self, y: NDArray[Any]) -> IntArray:
        """Numbers of the classes; sets ``classes_``."""
        # labels become numbers in sorted order
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
    """A classifier that learns more than two classes by one fit for each, which share nothing."""

    n_jobs: int | None = parameter(
        None,
        "classifiers, one for each of more than two classes, that are fitted at once, by processes "
        "of this computer; -1: one for each core; None is 1 unless joblib's parallel_config has "
        "another number; the fit is the same",
    )

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        refuse_jobs(self.n_jobs)
        return super()._read(X, y, weights)

    def _workers(self) -> dict[str, Any]:
        # machines of several classes share nothing and may be fitted at once
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

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier and certify the result.

        Parameters
        ----------
        X : array (n, d)
            n points of d finite numbers.
        y : array (n,)
            Labels of two classes or more.
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
            For unusable points, labels or weights.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> twice = VKRClassifier(kernels="poly:1").fit(X, y, sample_weight=[1, 1, 0, 1, 1, 2])
        >>> twice.certified_
        True
        """
        return self._learned(X, y, by_class(self.class_weight, y, sample_weight))


def calibrate(estimator: Any, cv: Any = None, method: str = "sigmoid") -> Any:
    """Give a classifier probabilities, learned from scores that it has on folds.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function``; it is cloned.
    cv : int, splitter or None
        Folds, as in scikit-learn; None are 5.
    method : str
        ``sigmoid`` or ``isotonic``.

    Returns
    -------
    CalibratedClassifierCV
        Not fitted. After ``fit(X, y)`` it has ``predict_proba``; the one classifier of all rows,
        with its certificate, is ``calibrated_classifiers_[0].estimator``, of a pipeline the last
        step of that.

    Raises
    ------
    OptionError
        For something without ``decision_function``.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> from radprog.estimators import VKRClassifier
    >>> X = np.arange(20.0)[:, None]
    >>> model = rp.calibrate(VKRClassifier(kernels="poly:1")).fit(X, X[:, 0] > 9)
    >>> model.predict_proba(X[[0, 19]]).argmax(axis=1)
    array([0, 1])
    >>> model.calibrated_classifiers_[0].estimator.certified_
    True
    """
    if not hasattr(estimator, "decision_function"):
        raise OptionError(f"{estimator!r} has no decision_function, whose values are calibrated")
    return CalibratedClassifierCV(estimator, method=method, cv=cv, ensemble=False)


def seed_of(random_state: Any) -> Any:
    """The seed of a run: 0 of None, a number as it is, one drawn of a RandomState."""
    if random_state is None or isinstance(random_state, int | np.integer):
        return random_state or 0
    return int(check_random_state(random_state).randint(LARGEST_SEED))


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


def refuse_jobs(n_jobs: Any) -> None:
    """Raise OptionError for what is no number of workers."""
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if not (n_jobs is None or (whole and n_jobs != 0)):
        raise OptionError(
            f"n_jobs {n_jobs!r}: expected None, a whole number of workers from 1, or one below 0 "
            "that leaves cores free: -1 takes all, -2 all but one"
        )


def _left_out(name: str) -> NoReturn:
    raise OptionError(
        f"a copy of a fitted {name} is without the last program of its run: rp.build(run_.spec, "
        "data) of the data set of its rows builds the whole one"
    )


def refuse_columns(X: Any, name: str) -> None:
    """Raise ArrayError on the first cell of a frame that is no number, nor a text of one, by
    its column: scikit-learn names none, and takes polars' dates for numbers.
    """
    if not hasattr(X, "columns"):
        return
    # all cells at once; one by one only to name the column of the first bad one
    cells = array_of(X)
    try:
        cells.astype(np.float64)
    except (TypeError, ValueError):
        with unusable():
            refuse_others(cells, name, tuple(map(str, X.columns)), ENCODED)


def holds_texts(X: Any) -> bool:
    """Whether X is a sequence (n,) or a column (n, 1) of texts, each a row."""
    # a sparse matrix holds numbers
    cells: NDArray[Any] = np.zeros(0) if hasattr(X, "toarray") else np.asarray(X)
    column = cells.ndim == 1 or (cells.ndim == 2 and cells.shape[1] == 1)
    if not column or cells.dtype.kind not in "OUT" or not cells.size:
        return False
    return all(isinstance(cell, str) for cell in cells.ravel().tolist())


def dense(X: Any) -> NDArray[Any]:
    """Rows as an array (n, d), or texts (n,); sparse ones are filled up, as the values of their
    kernels are anyway."""
    rows: NDArray[Any] = X.toarray() if hasattr(X, "toarray") else X
    return rows if rows.dtype.kind in "biuf" else rows.ravel().astype(np.str_)


def by_class(class_weight: Any, y: ArrayLike, weights: ArrayLike | None) -> ArrayLike | None:
    """Weights of rows with labels y (n,), times those of their classes."""
    # weights of the classes multiply those of the rows
    if class_weight is None:
        return weights
    labels = np.asarray(y).ravel()
    counts = np.ones(len(labels))
    if weights is not None:
        counts = checked_weights(weights, len(labels), "sample_weight", lambda i: i + 1)
    if class_weight == "balanced":
        # balanced: every class has the same weight in sum
        _, codes = np.unique(labels[counts > 0.0], return_inverse=True)
        held = np.bincount(codes, counts[counts > 0.0])
        counts[counts > 0.0] *= (counts.sum() / (len(held) * held))[codes]
        return counts
    return np.asarray(counts * compute_sample_weight(class_weight, labels))
