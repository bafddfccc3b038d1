"""Voted Kernel Regularization and the norm-1 SVM as classifiers."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.validation import validate_data

from radprog.api import predicting
from radprog.base.errors import (
    ArrayError,
    OptionError,
    RadprogError,
    UnfinishedError,
    warn_user,
)
from radprog.base.types import FloatArray, IntArray
from radprog.catalog import entry_named
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import Budget
from radprog.decompositions.one_vs_rest import OneVsRest, against
from radprog.decompositions.run import Fit, Run, RunSettings, RunStatus
from radprog.decompositions.vkr.grid import LEAST_SECONDS, fit_grid, within
from radprog.estimators.base import (
    LimitWarning,
    WeightedClassifier,
    by_class,
    dense,
    refuse_jobs,
)
from radprog.estimators.documented import Attributes, documented, parameter
from radprog.estimators.expansions import ExpansionClassifier
from radprog.instances.data import Data
from radprog.models.settings import as_text, number_list
from radprog.models.vkr.settings import L1SVM, VKR

CHOICES = "a sequence of numbers, a number, or text such as 1e-3..1e-1:3"
WARM = "begin with the columns of the fit before that the rows have too"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifier(WeightedClassifier, ExpansionClassifier):
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    The program of :class:`radprog.VKR`. Scores are sum_kj alpha_kj K_k(x, x_j), without a
    constant; rows are taken as they are: scale them before. ``kernels`` may also be functions
    k(X, Z), an :class:`radprog.Kernel`, or "precomputed".

    >>> from radprog.estimators import VKRClassifier
    >>> VKRClassifier(kernels="poly:1-3").fit(X, y).certified_
    """

    spec: ClassVar[type[Any]] = VKR

    kernels: Any = "poly:1-10"
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
        """A fitted classifier for every beta and, within it, every lam, in the order given.

        lams, betas: sequences of numbers, a number, or text such as 1e-3..1e-1:3. ``time_limit`` is
        that of each fit. All share kernels and penalties, and each starts from the columns and the
        basis of its nearest neighbours; each has its own certificate. Raises as :meth:`fit` does.
        """
        first = clone(self)
        # rows and labels are read once for all pairs
        data = first._read(X, y, by_class(self.class_weight, y, sample_weight))
        specs = on_grid(first._settings(data), lams, betas)
        # one warm-started grid; the fits come back in path order
        found = dict(entry_named("vkr").fit_grid(specs, data, self._asked()))
        path = []
        for spec in specs:
            run = found[spec]
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


def together(fits: Sequence[tuple[Any, IntArray]], whole: Data) -> Any:
    """The mean of fits to parts of the data, each with the numbers (n,) of its rows, to start from;
    None of none, and where they have no column."""
    if not fits:
        return None
    # machines of several classes one by one
    first = fits[0][0]
    if isinstance(first, OneVsRest):
        machines = [
            together([(fit.fits[number], rows) for fit, rows in fits], whole)
            for number in range(len(first.fits))
        ]
        return None if None in machines else OneVsRest(labels=first.labels, fits=tuple(machines))
    if not any(len(fit.centre) for fit, _ in fits):
        return None
    # pairs (kernel, row of the whole data) of all parts, each once
    pairs = np.concatenate([np.stack([fit.kernel, rows[fit.centre]]) for fit, rows in fits], axis=1)
    (kernel, centre), place = np.unique(pairs, axis=1, return_inverse=True)
    # the mean over the parts: a point that is feasible for the whole
    coefficients = np.concatenate([fit.coefficients for fit, _ in fits])
    return KernelExpansion(
        kernels=first.kernels,
        kernel=kernel,
        centre=centre,
        points=whole.X[centre],
        coefficients=np.bincount(place.ravel(), coefficients, len(centre)) / len(fits),
    )


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class L1SVMClassifier(WeightedClassifier, ExpansionClassifier):
    """Norm-1 support vector machine with one kernel: min mean hinge + beta sum_j |alpha_j|.

    The program of :class:`radprog.L1SVM`. ``kernels`` may also be a function k(X, Z), an
    :class:`radprog.Kernel`, or "precomputed".
    """

    spec: ClassVar[type[Any]] = L1SVM

    kernels: Any = "poly:1"
    beta: float = 1e-3
    warm_start: bool = parameter(False, WARM)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifierCV(WeightedClassifier, ExpansionClassifier):
    """VKR with lam and beta chosen by cross-validation, then fitted to all rows.

    On every part all pairs share kernels and penalties, and each starts from the columns and the
    basis of its nearest neighbours, until its gap is that of :class:`VKRClassifier`, so that the
    choice is that of a grid search; certificate and bounds are written down of the last fit alone.
    ``time_limit`` is that of the whole: of k parts each has an equal share, of which each pair has
    one, and so has the last fit. Where a limit cuts a fit off, its best answer so far counts, and a
    ConvergenceWarning tells how many these were; pairs of most parts are chosen from.
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

    kernels: Any = "poly:1-10"
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
        "and at the end machines of more than two classes; choice and fit are the same",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose and fit on rows X (n, d) of finite numbers with labels y (n,), each of which
        counts sample_weight (n,) >= 0 times, once without, in the fits and in the accuracies.

        Raises OptionError for a parameter without meaning, ValueError on unusable rows, labels or
        weights.
        """
        refuse_jobs(self.n_jobs)
        # one budget for all parts and the last fit
        budget = self._asked().budget()
        rows, labels = validate_data(self, X, y, **self._accepted(X))
        rows = dense(rows)
        # rows that count, with the numbers of their classes
        counts = self._counted(by_class(self.class_weight, labels, sample_weight), len(rows))
        codes = self._codes(labels[self._kept])
        whole = self._data(self._part(rows, self._kept), codes, counts)
        # the pairs of lam and beta
        specs = on_grid(self._settings(whole), self.lams, self.betas)
        if self._precomputed and len(specs) > 1:
            raise OptionError(
                "precomputed kernel values cannot be cut into parts here: choose by GridSearchCV "
                "over VKRClassifier"
            )
        # parts as scikit-learn cuts them; one pair needs none
        splitter = check_cv(self.cv, labels, classifier=True)
        parts = list(splitter.split(rows, labels)) if len(specs) > 1 else []
        held = [[np.flatnonzero(np.isin(self._kept, side)) for side in part] for part in parts]
        # fits of all pairs on every part, and the best pair by mean accuracy
        found = self._parts(specs, whole, held, budget)
        best = self._choose(specs, found)
        # the last fit starts from the mean of the fits of the choice
        start = None
        if self.method in (None, "colgen"):
            kept = [(part.fits[best], train) for part, (train, _) in zip(found, held, strict=True)]
            fits = [(fit, train) for fit, train in kept if not isinstance(fit, RadprogError)]
            start = together(fits, whole)
        # a limit that cut off fits of the choice is said
        cut_off = sum(part.cut_off for part in found)
        if cut_off:
            warn_user(
                f"{type(self).__name__}: limits cut off {cut_off} of the {len(specs) * len(found)} "
                "fits of the choice, which is the best of what they found",
                LimitWarning,
            )
        self._learn(specs[best], whole, start, used=budget.seconds)
        return self

    def _parts(
        self, specs: Sequence[VKR], whole: Data, held: Sequence[Sequence[IntArray]], budget: Budget
    ) -> list[PartFits]:
        """What every part finds, within the share of the budget that they have together."""
        count = len(held)
        workers = max(1, min(effective_n_jobs(self.n_jobs), count))
        # the parts and the last fit have equal shares of the time
        end = None
        if budget.time_limit is not None:
            end = time.time() + budget.remaining * count / (count + 1)
        share = Parallel(n_jobs=self.n_jobs, prefer="processes")
        found: list[PartFits] = share(
            delayed(self._fitted_part)(
                specs, whole, train, test, end, math.ceil((count - number) / workers)
            )
            for number, (train, test) in enumerate(held)
        )
        return found

    def _fitted_part(
        self,
        specs: Sequence[VKR],
        whole: Data,
        train: IntArray,
        test: IntArray,
        end: float | None,
        rounds: int,
    ) -> PartFits:
        """What the rows ``train`` find, and its accuracies on the rows ``test``; end: of the time
        of this and further rounds."""
        # a part has to hold rows of every class
        if len(np.unique(whole.codes[train])) < len(self.classes_):
            raise ArrayError("a class has too few rows: some part has none of it to learn from")
        # each of the rounds that are still to come has an equal share of the time
        part: Any = whole.take(train)
        settings = self._asked()
        if end is not None:
            limit = max((end - time.time()) / rounds, LEAST_SECONDS)
            settings = replace(settings, time_limit=limit)
        fits, cut_off = _fits(specs, part, settings)
        return PartFits(fits, _accuracies(fits, whole.take(test)), cut_off)

    def _choose(self, specs: Sequence[VKR], found: Sequence[PartFits]) -> int:
        """The number of the best pair, of those that most parts have accuracies of; sets what is
        known of them all."""
        # accuracies (parts, pairs), NaN where there is no fit
        scores = np.array([part.scores for part in found]).reshape(-1, len(specs))
        self.cv_results_ = {
            "params": [{"lam": spec.lam, "beta": spec.beta} for spec in specs],
            "mean_test_score": scores.mean(axis=0) if found else np.full(len(specs), np.nan),
            **{f"split{number}_test_score": part for number, part in enumerate(scores)},
        }
        # of the pairs that most parts have fitted the best mean
        known = (~np.isnan(scores)).sum(axis=0)
        means = np.nansum(scores, axis=0) / np.maximum(known, 1)
        best = int(np.where(known == known.max(), means, -1.0).argmax())
        self.lam_, self.beta_ = specs[best].lam, specs[best].beta
        self.best_score_ = float(means[best]) if known[best] else math.nan
        return best


@dataclass(frozen=True)
class PartFits:
    """What the rows of one part found: a predictor of each of the settings, or why there is none;
    its accuracy (specs,) on the rows held out, by their weights, NaN without one; how many fits a
    limit cut off."""

    fits: Sequence[Fit | RadprogError]
    scores: FloatArray
    cut_off: int


def _fits(
    specs: Sequence[VKR], data: Any, settings: RunSettings
) -> tuple[list[Fit | RadprogError], int]:
    """The predictor of each of the settings, of two classes or one against the others each, or why
    there is none; how many a limit cut off. The time limit is that of all together."""
    budget = settings.budget()
    late = UnfinishedError("the time limit ended before this fit began")
    machines = [against(data, label) for label in data.labels] if data.classes else [data]
    runs: list[dict[Any, Run | RadprogError]] = []
    for number, machine in enumerate(machines):
        found: dict[Any, Run | RadprogError] = dict.fromkeys(specs, late)
        with suppress(UnfinishedError):
            own = within(settings, budget, len(machines) - number)
            found.update(fit_grid(specs, machine, own, own.budget()))
        runs.append(found)
    fits: list[Fit | RadprogError] = []
    cut_off = 0
    for spec in specs:
        whole = [found[spec] for found in runs]
        errors = [run for run in whole if isinstance(run, RadprogError)]
        parts = tuple(run.fit for run in whole if isinstance(run, Run))
        cut_off += late in errors or any(
            isinstance(run, Run) and run.status is RunStatus.LIMIT for run in whole
        )
        if errors:
            fits.append(errors[0])
        else:
            fits.append(
                OneVsRest(labels=tuple(data.labels), fits=parts) if data.classes else parts[0]
            )
    return fits, cut_off


def _accuracies(fits: Sequence[Fit | RadprogError], held: Data) -> FloatArray:
    shares = np.full(len(fits), np.nan)
    for place, fit in enumerate(fits):
        if not isinstance(fit, RadprogError):
            # share of the weight of the rows held out that is right
            scores = fit.scores(held.X)
            guess = scores.argmax(axis=1) if scores.ndim == 2 else scores >= 0
            shares[place] = held.share(guess == held.codes)
    return shares
