"""The common base of the estimators: settings, certified fit, certificate and fitted attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

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
from radprog.base.errors import (
    ArrayError,
    DataError,
    OptionError,
    RadprogWarning,
    StoppedError,
    warn_user,
)
from radprog.base.limits import stopped_by_ctrl_c
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Reason, Record, ignore, print_record
from radprog.decompositions.run import Run, RunSettings, Spec, constraint_entries
from radprog.estimators.documented import NEGATED, RENAMED
from radprog.instances.data import Data, checked_weights
from radprog.instances.dataset import dataset
from radprog.instances.tables import frame_of, is_text, labels_of, not_numbers, numbers_of
from radprog.models.bounds import BY_ESTIMATOR, UNSEEN, withhold
from radprog.models.kernels import EditSimilarity
from radprog.solvers.program import Status

ENCODED = ": encode such columns first, as by OneHotEncoder in a ColumnTransformer"
RUN_SETTINGS = frozenset(field.name for field in fields(RunSettings))
LARGEST_SEED = 2**31 - 1


class LimitWarning(RadprogWarning, ConvergenceWarning):
    """The warning that a limit ended a fit."""


def warn_ended(estimator: Any, reason: Reason, progress: str) -> None:
    """Warn that a limit or Ctrl-C has ended a fit, as scikit-learn does for limits."""
    ending = "a larger limit lets it go on"
    ending = "it keeps its best answer" if reason is Reason.INTERRUPT else ending
    message = f"{type(estimator).__name__} was ended by {reason}{progress}; {ending}"
    warn_user(message, LimitWarning)


@contextmanager
def ending_the_caller() -> Iterator[None]:
    """A context in which Ctrl-C ends a fit like a limit, and then the caller, such as a grid
    search, by KeyboardInterrupt: also after a fit that had its answer by then, and in place of
    warnings that are errors, which a search would take for a fit that failed.
    """
    with stopped_by_ctrl_c() as pressed:
        try:
            yield
        finally:
            if pressed():
                raise KeyboardInterrupt


def refitting(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A ``fit`` that first removes what the last one has set, and after a failure what it has set
    itself, so that no attribute comes from another fit than the rest.
    """

    @wraps(fit)
    def refit(self: Any, *args: Any, **options: Any) -> Any:
        if "_last_run" in vars(self):  # called by the fit of a subclass
            return fit(self, *args, **options)
        self._last_run = vars(self).get("run_")
        forget_fit(self)
        try:
            return fit(self, *args, **options)
        except BaseException as error:
            # an answer that Ctrl-C or a failed function of the user's has left is whole
            kept = isinstance(error, KeyboardInterrupt | StoppedError)
            if not (kept and "certified_" in vars(self)):
                forget_fit(self)
            raise
        finally:
            del self._last_run

    return refit


def forget_fit(estimator: Any) -> None:
    """Remove all fitted attributes."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


class RefittedEstimator(BaseEstimator):
    """An estimator that a failed fit leaves as if it had never been fitted."""

    _last_run: Run | None  # of the last fit, for a warm start; set while a fit runs

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "fit" in vars(cls):
            cls.fit = refitting(cls.fit)


@dataclass(kw_only=True, eq=False, repr=False)
class ObservedEstimator(RefittedEstimator):
    """An estimator whose fit has rounds.

    Parameters
    ----------
    verbose : bool or callable
        True prints each iteration to stderr; a function is called with each record: its
        ``iteration``, ``seconds``, ``objective``, ``bound`` and ``gap``.
    """

    tol: float = RunSettings.tol
    verbose: bool | Callable[[Record], object] = False

    @property
    def _observer(self) -> Any:
        """The function that is called with each record."""
        return self.verbose if callable(self.verbose) else print_record if self.verbose else ignore


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedEstimator(ObservedEstimator):
    """Base class of the estimators, with their common parameters and fitted attributes.

    The parameters that are not options of the model are settings of :func:`radprog.fit`.
    Parameters that also exist in scikit-learn keep their scikit-learn names.

    If a limit or Ctrl-C ends a run, the best answer so far is kept and a ConvergenceWarning is
    issued. After Ctrl-C, ``fit`` then raises KeyboardInterrupt, so that a search or a loop around
    it ends too. A ``fit`` that fails, or that Ctrl-C ends before its first answer, leaves the
    estimator without a fit, also without an earlier one. All other warnings of a run are
    RadprogWarnings, as in :func:`radprog.fit`.

    ``run_`` has no compression bound. This bound requires the original rows, but an estimator in a
    pipeline receives transformed rows. :func:`radprog.fit` computes the compression bound.

    Pickles and copies omit the last program of ``run_``, because it contains kernel matrices. They
    also omit kernel matrices passed as "precomputed".

    Parameters
    ----------
    time_limit : float or None
        Time limit in seconds; the best answer found by then is kept.
    random_state : int, RandomState or None
        Seed of all random numbers: an integer, a RandomState, or None (seed 0).

    Attributes
    ----------
    run_ : Run
        Result of rp.fit with certificate, trace and error bounds; run_.summary is the fit block of
        a saved result.
    objective_ : float or None
        Objective of the model's program at the returned point, recomputed from the data; None if a
        limit left no time to compute it.
    bound_ : float or None
        Proved bound on the optimal value, in units of the objective; None without a proof.
    gap_ : float or None
        Relative gap |objective_ - bound_| / |objective_|; None without a bound.
    certified_ : bool
        Whether the gap meets tol or abs_tol.
    n_iter_ : int
        Number of iterations in run_.trace, summed over the classifiers; at least 1.
    n_features_in_ : int
        Number d of features; not set if the rows are strings.
    feature_names_in_ : ndarray (d,)
        Names of the features; set only if all column names of X are strings.
    """

    spec: ClassVar[type[Any]]
    chosen: ClassVar[tuple[str, ...]] = ()  # settings that fit chooses and stores as NAME_
    method: str | None = None
    solver: str | None = None
    abs_tol: float = RunSettings.abs_tol
    max_iter: int | None = None
    time_limit: float | None = None
    random_state: Any = None
    threads: int = 1

    def settings(self, **changes: Any) -> Any:
        """Return the settings of the model for these parameters.

        Settings chosen by cross-validation in ``fit`` take the values from the last fit.
        Constraints and weights of classes and rows are no settings, so a fit of these settings is
        another one; :meth:`save_fit` saves the fit itself.

        Parameters
        ----------
        **changes
            Settings that override the values of the parameters.

        Returns
        -------
        settings of a model
            Settings that :func:`radprog.fit` accepts.

        Raises
        ------
        OptionError
            If a parameter is invalid, or if ``fit`` has not chosen a setting yet.

        Examples
        --------
        >>> from radprog.estimators import VKRClassifier
        >>> VKRClassifier(kernels="poly:1", lam=0.1).settings(beta=0.2).lam
        0.1
        """
        # parameters that are fields of the settings object, some with scikit-learn's names
        params, values = self.get_params(deep=False), {}
        for field in fields(self.spec):
            # constraints become rows of the settings at a fit
            if (name := RENAMED.get(field.name, field.name)) in params and name != "constraints":
                values[field.name] = not params[name] if field.name == NEGATED else params[name]
        values |= self._fixed(changes)
        # what the last fit chose
        for setting in self.chosen:
            if setting not in changes and not hasattr(self, f"{setting}_"):
                raise OptionError(
                    f"{type(self).__name__}: fit chooses {setting}, and is not called yet: give "
                    f"settings({setting}=...)"
                )
            values[setting] = getattr(self, f"{setting}_", None)
        return self.spec(**{**values, **changes})

    def _fixed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that the estimator sets itself, given the caller's ``changes``."""
        return {}

    def __getattr__(self, name: str) -> Any:
        """Raise the AttributeError of a missing attribute, with a reason for probabilities."""
        refuse_probabilities(self, name)
        # the error of the attribute itself
        return object.__getattribute__(self, name)

    @property
    def _fitted(self) -> Any:
        """The predictor of ``run_``."""
        return self.run_.fit

    def _options(self) -> dict[str, Any]:
        """The parameters that are settings of a run."""
        parameters = self.get_params(deep=False)
        options = {name: parameters[name] for name in RUN_SETTINGS & parameters.keys()}
        # 0 for None, the integer itself, or a number drawn from a RandomState
        seed = self.random_state or 0
        if not isinstance(seed, int | np.integer):
            seed = int(check_random_state(seed).randint(LARGEST_SEED))
        return {**options, "seed": seed}

    def _run_settings(self) -> RunSettings:
        return RunSettings(**self._options())

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle or copy, without parts of the size of a kernel matrix."""
        # the program of the run contains kernel matrices; in a copy it raises an error instead
        state = dict(super().__getstate__())
        if "run_" in state:
            state["run_"] = replace(state["run_"], program=partial(_refuse, type(self).__name__))
        return state

    def save_fit(self, path: str | Path) -> None:
        """Save the fit for :func:`radprog.load_fit` and ``radprog predict``.

        The file has the fitted predictor itself, with the original labels, so it predicts as the
        estimator does. It takes rows as the estimator does: earlier steps of a pipeline are not in
        it. :func:`radprog.save_fit` with ``scale`` of a data set saves a scaling too.

        Parameters
        ----------
        path : str or Path
            Path of the file. The suffix .npz selects a NumPy archive; any other suffix selects
            JSON.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        OutputError
            If the file cannot be written.

        Examples
        --------
        >>> import numpy as np
        >>> import radprog as rp
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], ["no", "no", "yes", "no", "yes", "yes"]
        >>> VKRClassifier(kernels="poly:1").fit(X, y).save_fit("fit.json")
        >>> rp.load_fit("fit.json").predict(X[[0, 5]]).tolist()
        ['no', 'yes']
        """
        check_is_fitted(self)
        self.run_.predictor.save(path)

    def _learn(self, spec: Spec, data: Data, start: Any = None, used: float = 0.0) -> None:
        """Fit, and store the run in ``run_``; ``start`` is an earlier fit.

        ``used`` is the part of the time limit already spent, in seconds. If a limit ends the fit, a
        ConvergenceWarning is issued.
        """
        # parameters that are settings of a run
        options = {**self._options(), "observe": self._observer, "used": used}
        # warm start: the columns of the previous fit
        if getattr(self, "warm_start", False):
            if "start" in getattr(spec, "unused", {}).get(self.method, ()):
                raise OptionError(
                    f"method '{self.method}' cannot start with an earlier fit: set "
                    "warm_start=False, or leave method out"
                )
            start = start if self._last_run is None else self._last_run.fit
        if start is not None:
            options["start"] = start
        with unusable(), ending_the_caller():
            constraints = getattr(self, "constraints", None)
            options |= self._workers()
            try:
                self._keep(fit_model(spec, data, constraints=constraints, **options))
            except StoppedError as error:
                if error.run is not None:
                    self._keep(error.run)
                raise

    def _workers(self) -> dict[str, Any]:
        """Settings of the parallel processes for the binary classifiers."""
        return {}

    def _keep(self, run: Run) -> None:
        # earlier steps may have changed the rows, so that a compression bound does not hold
        self.run_: Run = replace(run, extra={**withhold(run.extra, UNSEEN), BY_ESTIMATOR: True})
        self.objective_, self.bound_, self.gap_ = run.objective, run.bound, run.gap
        self.certified_, self.n_iter_ = run.certified, max(1, len(run.trace))
        if run.status is Status.LIMIT or run.reason is Reason.INTERRUPT:
            gap = "no bound is known" if run.bound is None else f"bound {run.bound:.3g}"
            gap = gap if run.gap is None else f"gap {run.gap:.3g}"
            progress = f": {gap}" if run.trace else f" before its first step, {gap}"
            warn_ended(self, run.reason, progress)

    def _counted(self, weights: ArrayLike | None, n: int) -> FloatArray | None:
        """The positive sample weights (n',), or None if every row counts once. Stores the indices
        of these rows in ``_used_rows``.
        """
        self._row_count, self._used_rows = n, np.arange(n)
        if weights is None:
            return None
        # a row of weight 0 is left out
        values = checked_weights(weights, n, "sample_weight", lambda i: i + 1)
        self._used_rows = np.flatnonzero(values)
        return values[self._used_rows]

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        """New rows, checked for the number and names of features."""
        check_is_fitted(self)
        rows: NDArray[Any] = self._as_rows(validate_data(self, X, reset=False, **self._accepted(X)))
        return rows

    def _as_rows(self, X: Any) -> Any:
        """Rows in the form that the model accepts: an array, or sparse rows for linear models."""
        return dense(X)

    def _accepted(self, X: Any) -> dict[str, Any]:
        """Options of ``validate_data`` for X. Raises ArrayError for a column of other values."""
        refuse_columns(X, type(self).__name__)
        return {"dtype": np.float64, "accept_sparse": self.__sklearn_tags__().input_tags.sparse}


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedEstimator(CertifiedEstimator):
    """An estimator whose program takes linear constraints on the scores.

    Parameters
    ----------
    constraints : Constraint, sequence or None
        Constraints such as radprog.parity(1, 0.05), about the rows of each fit. A group is the
        name or index of a column of X, a comparison such as "age > 40", a function of X, or
        "groups", the array of fit(X, y, groups=...). Names of columns exist for data frames, and
        values are those that reach the estimator, such as scaled ones.

    Attributes
    ----------
    constraint_prices_ : dict
        Price of each constraint, by its name: what a unit more room improves the objective by, at
        most, beside the gap that is open. Where several prices are valid, a constraint that changes
        nothing may have one above 0; in a certified fit, 0 proves that it costs nothing.
    constraint_values_ : list of dict
        Of each constraint ``name``, number of ``rows``, least ``slack`` and ``price``; of a rate
        also the ``rate`` of the training rows and its ``surrogate``, of groups the ``gap`` of their
        mean scores.
    """

    constraints: Any = None

    @property
    def constraint_prices_(self) -> dict[str, float]:
        """The price of each constraint, by its name."""
        check_is_fitted(self)
        return self.run_.multipliers

    @property
    def constraint_values_(self) -> list[dict[str, Any]]:
        """Slack and price of each constraint, and the realised rates and gaps."""
        check_is_fitted(self)
        return constraint_entries(self.run_.extra)

    def _grouped(self, data: Data, groups: ArrayLike | None) -> Data:
        """The data with the groups of their rows, given those of all rows (n,) of a fit."""
        return replace(data, groups=kept_groups(groups, self._row_count, self._used_rows))


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedClassifier(ClassifierMixin, CertifiedEstimator):
    """A classifier for two or more classes, with sample weights.

    With two classes, a score above 0 predicts the second class. With three or more classes, there
    is one binary classifier per class. A sample weight of 2 counts a row twice, and a weight of 0
    omits it.

    Parameters
    ----------
    class_weight : mapping, 'balanced' or None
        Factors by label that multiply the sample weights, or "balanced" for the factors
        W / (classes x W_c). W is the sum of all weights, and W_c is that of class c.

    Attributes
    ----------
    classes_ : ndarray (k,)
        Labels of the classes in increasing order, of the same type as y.
    """

    class_weight: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier and certify the result.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features.
        y : array (n,)
            Labels from at least two classes.
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
            If points, labels or weights are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> twice = VKRClassifier(kernels="poly:1").fit(X, y, sample_weight=[1, 1, 0, 1, 1, 2])
        >>> twice.certified_
        True
        """
        data = self._read(X, y, by_class(self.class_weight, y, sample_weight))
        self._learn(self._settings(data), data)
        return self

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        """The rows of positive weight and their labels, as data of the model. Sets the fitted
        attributes of rows and labels.
        """
        # scikit-learn checks shapes, numbers and names of features
        rows, labels = validate_data(self, X, y, **self._accepted(X))
        rows = self._as_rows(rows)
        # rows of positive weight, and the numbers of their classes
        counts = self._counted(weights, rows.shape[0])
        check_classification_targets(labels[self._used_rows])
        # labels become numbers in sorted order
        self.classes_, codes = classes_of(labels[self._used_rows])
        with unusable():
            data = self._data(self._part(rows, self._used_rows), codes, counts)
            return numbered(labelled(data, self.classes_), self._row_count, self._used_rows)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores of the points.

        Parameters
        ----------
        X : array (r, d)
            r points with d finite features.

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
        >>> from radprog.estimators import SparseHingeClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> SparseHingeClassifier().fit(X, y).decision_function(X[[0, 5]]) > 0
        array([False,  True])
        """
        rows = self._rows(X)  # refuses an estimator without a fit
        return np.asarray(self.run_.decision_function(rows))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted labels of the points.

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
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], ["no", "no", "yes", "no", "yes", "yes"]
        >>> VKRClassifier(kernels="poly:1").fit(X, y).predict(X[[0, 5]]).tolist()
        ['no', 'yes']
        """
        # the class of the largest score; for two classes, the sign decides
        scores = self.decision_function(X)
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0).astype(np.intp)
        return np.asarray(self.classes_[codes])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._takes_texts:
            tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    @property
    def _takes_texts(self) -> bool:
        """Whether a kernel accepts only strings."""
        # kernels may be names, functions or a sequence of both
        kernels = getattr(self, "kernels", None)
        items = kernels if isinstance(kernels, list | tuple) else [kernels]
        texts = [item for item in items if isinstance(item, str)]
        return EditSimilarity.name in {name.strip() for item in texts for name in item.split(",")}

    def _accepted(self, X: Any) -> dict[str, Any]:
        # the rows of the kernel ``edit`` are texts (n,) or (n, 1); a sparse matrix holds numbers
        cells: NDArray[Any] = np.zeros(0) if hasattr(X, "toarray") else np.asarray(X)
        column = cells.ndim == 1 or (cells.ndim == 2 and cells.shape[1] == 1)
        words = cells.ravel().tolist() if column and cells.dtype.kind in "OUT" else []
        if words and all(isinstance(cell, str) for cell in words):
            return {"dtype": None, "ensure_2d": False}
        if self._takes_texts:
            raise ArrayError(
                f"{type(self).__name__}: kernel {EditSimilarity.name} compares texts: expected a "
                f"list, array or column (n,) of them as X, got a {type(X).__name__} of other "
                "things, or of several columns"
            )
        return super()._accepted(X)

    def _settings(self, data: Data) -> Any:
        """The settings of the model for these data."""
        return self.settings()

    def _part(self, X: NDArray[Any], rows: IntArray) -> NDArray[Any]:
        """The rows of X with the indices ``rows``."""
        return X[rows]

    def _data(self, X: NDArray[Any], codes: IntArray, weights: FloatArray | None) -> Data:
        """Data of the model from rows, class numbers and weights."""
        names = getattr(self, "feature_names_in_", ()) if X.ndim == 2 else ()
        return dataset(X, codes, one_vs_rest=True, weights=weights, features=names)


@dataclass(kw_only=True, eq=False, repr=False)
class OneVsRestClassifier(CertifiedClassifier):
    """A classifier with one independent binary classifier per class, for three or more classes.

    Parameters
    ----------
    n_jobs : int or None
        Number of processes that fit the binary classifiers of more than two classes in parallel.
        -1 means one per core. None means 1, unless joblib's parallel_config sets another number.
        The result does not depend on n_jobs.
    """

    n_jobs: int | None = None

    def _read(self, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> Data:
        jobs = self.n_jobs
        is_integer = isinstance(jobs, int | np.integer) and not isinstance(jobs, bool)
        if not (jobs is None or (is_integer and jobs != 0)):
            raise OptionError(
                f"n_jobs {jobs!r}: expected None, a whole number of workers from 1, or one below 0 "
                "that leaves cores free: -1 takes all, -2 all but one"
            )
        return super()._read(X, y, weights)

    def _workers(self) -> dict[str, Any]:
        # the classifiers of several classes are independent and may be fitted in parallel
        several = len(self.classes_) > 2
        return {"jobs": effective_n_jobs(self.n_jobs)} if several else {}


@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedClassifier(ConstrainedEstimator, OneVsRestClassifier):
    """A classifier with constraints on the scores of each binary classifier."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier under its constraints, and certify the result.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features.
        y : array (n,)
            Labels from at least two classes.
        sample_weight : array (n,), optional
            Nonnegative weights of the points; the default is 1. A weight of 2 counts a point twice,
            also in the means and rates of constraints.
        groups : array (n,), optional
            The group of each point, for constraints on "groups". Pipelines and grid searches pass
            it on after ``sklearn.set_config(enable_metadata_routing=True)`` and
            ``set_fit_request(groups=True)``.

        Returns
        -------
        self

        Raises
        ------
        OptionError
            If a parameter is invalid.
        SettingError
            If no coefficients satisfy the constraints.
        ValueError
            If points, labels, weights or groups are invalid.

        Examples
        --------
        >>> import numpy as np
        >>> import radprog as rp
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> fair = VKRClassifier(kernels="poly:1", constraints=rp.parity("groups", 0.1))
        >>> fair = fair.fit(X, y, groups=["a", "a", "a", "b", "b", "b"])
        >>> f = fair.decision_function(X)
        >>> bool(abs(f[:3].mean() - f[3:].mean()) <= 0.1 + 1e-9), list(fair.constraint_prices_)
        (True, ['parity of groups'])
        """
        data = self._read(X, y, by_class(self.class_weight, y, sample_weight))
        data = self._grouped(data, groups)
        self._learn(self._settings(data), data)
        return self


def calibrate(estimator: Any, cv: Any = None, method: str = "sigmoid") -> Any:
    """Wrap a classifier so that it predicts probabilities calibrated by cross-validation.

    Parameters
    ----------
    estimator : classifier
        A classifier with ``decision_function``; a clone of it is fitted.
    cv : int, splitter or None
        Number of folds or a splitter, as in scikit-learn. None means 5 folds.
    method : str
        The method of scikit-learn's CalibratedClassifierCV: ``sigmoid`` or ``isotonic``.

    Returns
    -------
    CalibratedClassifierCV
        The calibrated classifier, not yet fitted. After ``fit(X, y)`` it has ``predict_proba``. Its
        attribute ``calibrated_classifiers_[0].estimator`` is the classifier fitted to all rows,
        with its certificate. If ``estimator`` is a pipeline, the last step of that fitted pipeline
        has the certificate.

    Raises
    ------
    OptionError
        If ``estimator`` has no ``decision_function``.

    Notes
    -----
    ``fit(X, y, sample_weight=...)`` weighs the calibration and the classifier; that of a pipeline
    only with scikit-learn's metadata routing and ``set_fit_request(sample_weight=True)`` of its
    last step. ``class_weight`` moves the scores only, so probabilities keep the shares of the
    classes in the rows.

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
    if isinstance(estimator, Run) or not hasattr(estimator, "decision_function"):
        raise OptionError(
            f"{estimator!r} is no estimator with decision_function, whose values are calibrated"
        )
    return CalibratedClassifierCV(estimator, method=method, cv=cv, ensemble=False)


def classes_of(y: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """The classes (k,) of labels in increasing order, and the class number (n,) of each label.

    Raises ArrayError for a single class.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ArrayError(f"y holds one class, {classes.tolist()[0]!r}: at least 2 are expected")
    return classes, np.asarray(codes, dtype=np.intp)


def kept_groups(groups: ArrayLike | None, n: int, rows: IntArray) -> NDArray[Any] | None:
    """The groups of these rows, from those of all n rows of a fit."""
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.shape != (n,):
        raise ArrayError(f"groups of shape {values.shape}: expected ({n},)")
    return values[rows]


def numbered(data: Data, n: int, rows: IntArray) -> Data:
    """The data of these of all n rows of a fit; constraints and messages number all of them."""
    return replace(data, left_out=tuple((np.delete(np.arange(n), rows) + 1).tolist()))


def labelled(data: Data, classes: NDArray[Any]) -> Data:
    """The data with the labels of the classes (k,) in place of their numbers."""
    names, label_type = labels_of(classes, len(classes), data.name)
    labels = tuple(names[int(label)] for label in data.labels)
    return replace(data, labels=labels, label_type=label_type)


def refuse_probabilities(estimator: Any, name: str) -> None:
    """Raise AttributeError with a pointer to :func:`calibrate` if ``name`` is "predict_proba"."""
    if name == "predict_proba":
        kind, refit = type(estimator).__name__, getattr(estimator, "refit", False)
        raise AttributeError(
            f"{kind} has scores, no probabilities{', with refit=True' * bool(refit)}: "
            f"rp.calibrate({kind}(...)).fit(X, y) has predict_proba"
        )


@contextmanager
def unusable() -> Iterator[None]:
    """Turn a DataError into an ArrayError, because scikit-learn expects a ValueError."""
    try:
        yield
    except ArrayError:
        raise
    except DataError as error:
        raise ArrayError(str(error)) from error


def _refuse(name: str) -> NoReturn:
    raise OptionError(
        f"a copy of a fitted {name} is without the last program of its run: rp.build(run_.spec, "
        "data) of the data set of its rows builds the whole one"
    )


def refuse_columns(X: Any, name: str) -> None:
    """Raise ArrayError for the first cell of a data frame that is neither a finite number nor a
    string that represents one.

    Unlike scikit-learn's own error, the message names the row and the column. scikit-learn also
    reads polars dates as numbers.
    """
    refuse_twins(X, name)
    if not hasattr(X, "columns"):
        return
    with unusable():
        frame = frame_of(X, name)
        wrong = [j for j, column in enumerate(frame.columns) if any(map(is_text, column))]
        if wrong:
            raise not_numbers(frame, wrong, ENCODED)
        # texts of numbers are left to scikit-learn
        for j, column in enumerate(map(numbers_of, frame.columns)):
            if column is not None and not np.isfinite(column).all():
                i = int(np.flatnonzero(~np.isfinite(column))[0])
                cell = "missing (NaN), expected a number: impute such cells first, as by"
                cell += " SimpleImputer in a Pipeline"
                if np.isinf(column[i]):
                    cell = "infinity, expected a finite number"
                raise DataError(f"{frame.place(i, j)}: {cell}")


def refuse_twins(X: Any, name: str) -> None:
    """Raise ArrayError for a data frame of which two columns have one name."""
    places: dict[Any, list[int]] = {}
    for j, column in enumerate(getattr(X, "columns", ())):
        places.setdefault(column, []).append(j)
    for column, twins in places.items():
        if len(twins) > 1:
            raise ArrayError(
                f"{name}: the columns {' and '.join(map(str, twins))} of X, from 0, have one name, "
                f"{column!r}: rename one, or give X.to_numpy()"
            )


def dense(X: Any) -> NDArray[Any]:
    """Rows as a dense array (n, d), or strings (n,)."""
    rows: NDArray[Any] = X.toarray() if hasattr(X, "toarray") else X
    return rows if rows.dtype.kind in "biuf" else rows.ravel().astype(np.str_)


def by_class(class_weight: Any, y: ArrayLike, weights: ArrayLike | None) -> ArrayLike | None:
    """Weights of rows with labels y (n,), multiplied by the weights of their classes."""
    # weights of the classes multiply those of the rows
    if class_weight is None:
        return weights
    labels = np.asarray(y).ravel()
    counts = np.ones(len(labels))
    if weights is not None:
        counts = checked_weights(weights, len(labels), "sample_weight", lambda i: i + 1)
    if class_weight == "balanced":
        # balanced: every class has the same total weight
        _, codes = np.unique(labels[counts > 0.0], return_inverse=True)
        totals = np.bincount(codes, counts[counts > 0.0])
        counts[counts > 0.0] *= (counts.sum() / (len(totals) * totals))[codes]
        return counts
    return np.asarray(counts * compute_sample_weight(class_weight, labels))
