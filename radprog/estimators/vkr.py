"""Voted Kernel Regularization and the norm-1 SVM as classifiers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import check_cv

from radprog.api import predicting
from radprog.base.errors import OptionError, warn_user
from radprog.catalog import entry_named
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import Run
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.estimators.base import LimitWarning, WeightedClassifier, by_class, unusable
from radprog.estimators.documented import Attributes, documented, parameter
from radprog.estimators.expansions import ExpansionClassifier
from radprog.instances.data import Data
from radprog.models.settings import as_text, number_list
from radprog.models.vkr.settings import L1SVM, VKR
from radprog.tuning import SCORE_TIE, Fold, Setting, fit_on_folds

CHOICES = "a sequence of numbers, a number, or text such as 1e-3..1e-1:3"
WARM = "begin with the columns of the fit before that the rows have too"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifier(WeightedClassifier, ExpansionClassifier):
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    The program of :class:`radprog.VKR`. Scores are sum_kj alpha_kj K_k(x, x_j), without a
    constant. Rows are not scaled: scale them before. ``kernels`` may also be functions
    k(X, Z), an :class:`radprog.Kernel`, or "precomputed".

    See Also
    --------
    VKRClassifierCV : The same with ``lam`` and ``beta`` chosen by cross-validation.
    L1SVMClassifier : One kernel and the 1-norm of the coefficients.
    LocalMKLClassifier : A support vector machine with learned kernel weights.
    radprog.VKR : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import VKRClassifier
    >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
    >>> model = VKRClassifier(kernels="poly:1").fit(X, y)
    >>> model.certified_, model.predict(X[[0, 5]]).tolist()
    (True, [-1, 1])
    """

    spec: ClassVar[type[Any]] = VKR

    kernels: Any = "rbf:scale"
    complexity: Any = "trace"
    lam: float = 1e-3
    beta: float = 1e-3
    local_r: str | float | None = None
    trials: int | None = None
    warm_start: bool = parameter(False, WARM)

    def path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        lams: Any,
        betas: Any,
        sample_weight: ArrayLike | None = None,
    ) -> list[VKRClassifier]:
        """Fit a classifier for every beta and, within it, every lam, in the order of the sequences.

        Parameters
        ----------
        X : array (n, d)
            n points of d finite numbers.
        y : array (n,)
            Labels of two classes or more.
        lams : sequence of float, float or str
            Values of lam; text such as ``1e-3..1e-1:3`` also fits.
        betas : sequence of float, float or str
            Values of beta, written as those of lam.
        sample_weight : array (n,), optional
            The number of times that each point counts, at least 0; 1 by default.

        Returns
        -------
        list of VKRClassifier
            Fitted classifiers, each with its own certificate.

        Raises
        ------
        OptionError
            For a parameter that has no meaning.
        ValueError
            For unusable points, labels or weights.

        Notes
        -----
        All fits share kernels and penalties. Each starts from the columns and the basis of its
        nearest neighbours in the grid. ``time_limit`` is that of each fit.

        Examples
        --------
        >>> import numpy as np
        >>> from radprog.estimators import VKRClassifier
        >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
        >>> path = VKRClassifier(kernels="poly:1").path(X, y, lams=[0.1, 0.01], betas=[1e-3])
        >>> [(one.lam, one.certified_) for one in path]
        [(0.1, True), (0.01, True)]
        """
        first = clone(self)
        # rows and labels are read once for all pairs
        data = first._read(X, y, by_class(self.class_weight, y, sample_weight))
        specs = on_grid(first._settings(data), lams, betas)
        # one warm-started grid; the fits come back in path order
        runs = dict(entry_named("vkr").fit_grid(specs, data, self._run_settings()))
        path = []
        for spec in specs:
            run = runs[spec]
            if not isinstance(run, Run):
                raise run
            one = clone(self).set_params(lam=spec.lam, beta=spec.beta)
            # what was learned of the rows is the same in every estimator
            vars(one).update({name: vars(first)[name] for name in vars(first).keys() - vars(one)})
            one._keep(predicting(run, data))
            path.append(one)
        return path


def on_grid(spec: VKR, lams: Any, betas: Any) -> list[VKR]:
    """The settings at every beta and, within it, every lam, each once; OptionError."""
    pairs = [
        (lam, beta)
        for beta in number_list("betas", as_text("betas", betas, optional=False))
        for lam in number_list("lams", as_text("lams", lams, optional=False))
    ]
    return [replace(spec, lam=lam, beta=beta) for lam, beta in dict.fromkeys(pairs)]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class L1SVMClassifier(WeightedClassifier, ExpansionClassifier):
    """Norm-1 support vector machine with one kernel: min mean hinge + beta sum_j |alpha_j|.

    The program of :class:`radprog.L1SVM`. ``kernels`` may also be a function k(X, Z), an
    :class:`radprog.Kernel`, or "precomputed".

    See Also
    --------
    VKRClassifier : Several kernels, each with a price by its complexity.
    SparseHingeClassifier : The 1-norm of the features' weights, without a kernel.
    radprog.L1SVM : The program, for :func:`radprog.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import L1SVMClassifier
    >>> X, y = np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1]
    >>> model = L1SVMClassifier(kernels="rbf:1", beta=0.01).fit(X, y)
    >>> model.certified_, len(model.support_) <= 6
    (True, True)
    """

    spec: ClassVar[type[Any]] = L1SVM

    kernels: Any = "rbf:scale"
    beta: float = 1e-3
    warm_start: bool = parameter(False, WARM)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifierCV(WeightedClassifier, ExpansionClassifier):
    """VKR with lam and beta chosen by cross-validation, then fitted to all rows.

    See Also
    --------
    VKRClassifier : One fit, for given ``lam`` and ``beta``.
    radprog.tune : The same choice for any model, also by an error bound.

    Notes
    -----
    All pairs of a part share kernels and penalties. Each starts from the columns and the basis of
    its nearest neighbours and ends at the gap of :class:`VKRClassifier`, so the choice is that of a
    grid search. The certificate and the bounds are those of the last fit only.

    ``time_limit`` is for the whole fit. Every part and the last fit have an equal share of it, and
    every pair an equal share of its part. If a limit cuts a fit off, its best answer so far counts,
    and a ConvergenceWarning has the number of these fits. The choice is among the pairs that were
    fitted on most parts.

    Examples
    --------
    >>> import numpy as np
    >>> from radprog.estimators import VKRClassifierCV
    >>> X, y = np.arange(12.0)[:, None], [-1] * 6 + [1] * 6
    >>> model = VKRClassifierCV(kernels="poly:1", lams=[1e-3, 1e-1], cv=3).fit(X, y)
    >>> model.lam_ in (1e-3, 1e-1), model.best_score_ <= 1.0
    (True, True)
    """

    spec: ClassVar[type[Any]] = VKR
    attributes: ClassVar[Attributes] = {
        "lam_": ("float", "the lam that was chosen"),
        "beta_": ("float", "the beta that was chosen"),
        "best_score_": ("float", "mean accuracy of that pair over the parts, from 0 to 1"),
        "cv_results_": (
            "dict",
            "of P pairs: params, a list of P; mean_test_score and, of every part i, "
            "split<i>_test_score, ndarrays (P,) of accuracies, NaN where a fit failed or was not "
            "begun in time",
        ),
    }

    kernels: Any = "rbf:scale"
    complexity: Any = "trace"
    lams: Any = parameter("1e-3..1e-1:3", f"weights of the penalty: {CHOICES}")
    betas: Any = parameter("1e-3", f"prices of the norm of alpha: {CHOICES}")
    local_r: str | float | None = None
    trials: int | None = None
    cv: Any = parameter(None, "as in scikit-learn")
    time_limit: float | None = parameter(
        None,
        "seconds of the whole fit, all parts and the last one; the best so far is kept",
    )
    n_jobs: int | None = parameter(
        None,
        "parts that are fitted at once, by processes of joblib, whose parallel_config is heeded, "
        "and at the end classifiers of more than two classes; choice and fit are the same",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose lam and beta by cross-validation, then fit to all points.

        Parameters
        ----------
        X : array (n, d)
            n points of d finite numbers.
        y : array (n,)
            Labels of two classes or more.
        sample_weight : array (n,), optional
            The number of times that each point counts in fits and accuracies, at least 0; 1 by
            default.

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
        >>> from radprog.estimators import VKRClassifierCV
        >>> X, y = np.arange(12.0)[:, None], [-1] * 6 + [1] * 6
        >>> model = VKRClassifierCV(kernels="poly:1", lams=[1e-3, 1e-1], cv=3).fit(X, y)
        >>> len(model.cv_results_["params"])
        2
        """
        # one budget for all parts and the last fit
        budget = self._run_settings().budget()
        data = self._read(X, y, by_class(self.class_weight, y, sample_weight))
        specs = on_grid(self._settings(data), self.lams, self.betas)
        if self._precomputed and len(specs) > 1:
            raise OptionError(
                "precomputed kernel values cannot be cut into parts here: choose by GridSearchCV "
                "over VKRClassifier"
            )
        # the choice by parts, then its fit to all rows in the time that is left
        best = self._choose(specs, data, self._parts(y) if len(specs) > 1 else [], budget)
        self.lam_, self.beta_ = specs[best].lam, specs[best].beta
        self._learn(specs[best], data, used=budget.seconds)
        return self

    def _parts(self, y: ArrayLike) -> list[Fold]:
        """Parts as scikit-learn cuts them, by the numbers of the rows that count."""
        labels = np.asarray(y).ravel()
        splitter = check_cv(self.cv, labels, classifier=True)
        sides = splitter.split(np.zeros(len(labels)), labels)
        return [
            Fold(*(np.flatnonzero(np.isin(self._kept, side)) for side in part)) for part in sides
        ]

    def _choose(
        self, specs: Sequence[VKR], data: Data, parts: Sequence[Fold], budget: Budget
    ) -> int:
        """The number of the best pair; sets the attributes that describe all pairs."""
        # the warm-started grid of ``radprog tune``; the last fit has the time of one part
        settings = replace(
            self._run_settings(), sharing=Sharing(jobs=effective_n_jobs(self.n_jobs))
        )
        if budget.time_limit is not None:
            share = len(parts) / (len(parts) + 1)
            budget = replace(budget, time_limit=budget.time_limit * share)
        tables = []
        if parts:
            with unusable():
                entry = entry_named("vkr")
                tables = fit_on_folds(entry, specs, data, settings, parts, "error", budget)
        # accuracies (parts, pairs), NaN where there is no fit
        cells = [[row.get(Setting(spec)) for spec in specs] for row in tables]
        scores = np.array(
            [[1.0 - c["error"] if isinstance(c, dict) else np.nan for c in row] for row in cells]
        ).reshape(-1, len(specs))
        self.cv_results_ = {
            "params": [{"lam": spec.lam, "beta": spec.beta} for spec in specs],
            "mean_test_score": scores.mean(axis=0) if parts else np.full(len(specs), np.nan),
            **{f"split{number}_test_score": part for number, part in enumerate(scores)},
        }
        # limits that cut off fits of the choice are said
        ended = [c is not None and (isinstance(c, str) or c["ended"]) for row in cells for c in row]
        if not all(ended):
            warn_user(
                f"{type(self).__name__}: limits cut off {ended.count(False)} of the {len(ended)} "
                "fits of the choice, which is the best of what they found",
                LimitWarning,
            )
        # of the pairs that most parts have fitted the first of the best mean
        counts = (~np.isnan(scores)).sum(axis=0)
        means = np.nansum(scores, axis=0) / np.maximum(counts, 1)
        means[counts < counts.max()] = -1.0
        best = int((means >= means.max() - SCORE_TIE).argmax())
        self.best_score_ = float(means[best]) if counts[best] else math.nan
        return best
