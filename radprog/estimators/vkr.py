"""Classifiers: Voted Kernel Regularization and the norm-1 SVM."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import OptionError
from radprog.estimators.base import ConstrainedClassifier, by_class
from radprog.estimators.documented import documented
from radprog.estimators.expansions import ExpansionClassifier
from radprog.estimators.folds import ChosenByFolds
from radprog.instances.data import Data
from radprog.models.kernels import RBF, OwnText, number_list, on_rows, parse_kernels, user_objects
from radprog.models.settings import as_text
from radprog.models.vkr.settings import L1SVM, VKR


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifier(ConstrainedClassifier, ExpansionClassifier):
    """Voted Kernel Regularization: min mean hinge + sum_kj (lam r_k + beta) |alpha_kj|.

    The estimator solves the program of :class:`radprog.VKR`. Scores are sum_kj alpha_kj K_k(x,
    x_j), without an intercept. The fit does not scale the rows, so scale them first. ``kernels``
    may also be functions k(X, Z), a :class:`radprog.Kernel`, or "precomputed".

    Parameters
    ----------
    warm_start : bool
        Start with those columns of the previous fit whose centres are among the new rows.

    See Also
    --------
    VKRClassifierCV : The same estimator with width and prices chosen by cross-validation.
    L1SVMClassifier : One kernel, with the 1-norm of the coefficients as penalty.
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
    complexity: Any = VKR.complexity
    lam: float = VKR.lam
    beta: float = VKR.beta
    local_r: str | float | None = VKR.local_r
    trials: int | None = VKR.trials
    warm_start: bool = False


def on_grid(spec: VKR, lams: Any, betas: Any) -> list[VKR]:
    """The settings for every pair of beta and lam, without duplicates."""
    pairs = [
        (lam, beta)
        for beta in number_list("betas", as_text("betas", betas, optional=False))
        for lam in number_list("lams", as_text("lams", lams, optional=False))
    ]
    return [replace(spec, lam=lam, beta=beta) for lam, beta in dict.fromkeys(pairs)]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class L1SVMClassifier(ConstrainedClassifier, ExpansionClassifier):
    """Norm-1 support vector machine with one kernel: min mean hinge + beta sum_j |alpha_j|.

    The estimator solves the program of :class:`radprog.L1SVM`. ``kernels`` may also be a function
    k(X, Z), a :class:`radprog.Kernel`, or "precomputed".

    Parameters
    ----------
    warm_start : bool
        Start with those columns of the previous fit whose centres are among the new rows.

    See Also
    --------
    VKRClassifier : Several kernels, each with a penalty for its complexity.
    SparseHingeClassifier : A linear classifier with the 1-norm of the feature weights as penalty.
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
    beta: float = L1SVM.beta
    warm_start: bool = False


# the search by default: lam would only repeat beta for one Gaussian kernel. On 12 data sets the
# accuracy is from 0.7 points lower to 2.6 higher (benchmarks/defaults.py)
BETAS, WIDTHS = [1e-3, 3e-3, 1e-2, 3e-2], [1.0, 0.25]


def widened(kernels: str, factor: float, data: Data) -> str:
    """The kernels with the widths of all Gaussian kernels, for these rows, times a factor."""
    parsed = parse_kernels(kernels)
    if factor == 1.0 or not any(isinstance(kernel, RBF) for kernel in parsed):
        return kernels
    parsed = parse_kernels(on_rows(kernels, data.X, data.weights))
    text = ",".join(
        RBF(float(f"{factor * kernel.gamma:.6g}")).name if isinstance(kernel, RBF) else kernel.name
        for kernel in parsed
    )
    return OwnText(text, objects) if (objects := user_objects(kernels)) else text


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class VKRClassifierCV(ChosenByFolds, ConstrainedClassifier, ExpansionClassifier):
    """Voted Kernel Regularization with width, ``lam`` and ``beta`` chosen by cross-validation.

    Parameters
    ----------
    lams : sequence of float, float, str or None
        Values of lam: a sequence of numbers, a number, or a string such as 1e-3..1e-1:3. None means
        0.001.
    betas : sequence of float, float, str or None
        Values of beta, in the same form. None means 0.001, and without ``lams`` and ``widths`` also
        0.003, 0.01 and 0.03.
    widths : sequence of float, float, str or None
        Factors of the widths gamma of all Gaussian kernels, in the same form. None means 1, and
        without ``lams`` and ``betas`` also 0.25.
    cv : int, splitter or None
        Cross-validation folds, as in scikit-learn. radprog.tune draws other folds for the same
        seed, so its choice may differ.
    time_limit : float or None
        Time limit in seconds for all folds and the last fit together; the best answer found by then
        is kept.
    n_jobs : int or None
        Number of folds to fit in parallel joblib processes. With more than two classes, the last
        fit also uses these processes. joblib's parallel_config applies. The result does not depend
        on n_jobs.

    Attributes
    ----------
    lam_ : float
        Chosen value of lam.
    beta_ : float
        Chosen value of beta.
    width_ : float
        Chosen factor of the widths; 1 without Gaussian kernels.
    best_score_ : float
        Mean accuracy of the chosen setting over the folds, from 0 to 1, weighted by sample_weight
        and class_weight.
    cv_results_ : dict
        These accuracies of the P settings listed under params. mean_test_score and, for each fold
        i, split<i>_test_score are ndarrays (P,). An accuracy is NaN if the fit failed or did not
        start in time.

    See Also
    --------
    VKRClassifier : One fit with given ``lam`` and ``beta``.
    radprog.tune : The same choice for any model, by cross-validation or by an error bound.

    Notes
    -----
    The last fit uses all rows. The certificate and the bounds of the estimator belong to this fit.

    The fits of a fold share the kernel matrices and penalties. Each fit starts from the columns and
    the basis of the nearest pairs in the grid. All fits have the same tolerance as
    :class:`VKRClassifier`, so the choice is the same as in a grid search, up to ties. Among pairs
    with equal accuracy, those with the largest ``beta`` are preferred, and among these the one with
    the largest ``lam``.

    Without ``lams``, ``betas`` and ``widths``, the default settings of :class:`VKRClassifier` are
    kept unless another setting is more accurate by more than one standard error of an accuracy on
    as many rows. Smaller differences are mostly chance: with 80 percent on 300 rows, 2.3 points.

    ``time_limit`` applies to the whole call to ``fit``. The time is divided equally among the folds
    and the last fit, and within a fold among the pairs. If the limit ends a fit, the best answer so
    far is used. A ConvergenceWarning then states how many fits were cut short. Pairs that were not
    fitted on all folds are compared on the folds that all of them have.

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
    chosen: ClassVar[tuple[str, ...]] = ("lam", "beta")

    kernels: Any = "rbf:scale"
    complexity: Any = VKR.complexity
    lams: Any = None
    betas: Any = None
    widths: Any = None
    local_r: str | float | None = VKR.local_r
    trials: int | None = VKR.trials
    cv: Any = None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose width, ``lam`` and ``beta`` by cross-validation, then fit to all points.

        Parameters
        ----------
        X : array (n, d)
            n points with d finite features.
        y : array (n,)
            Labels from at least two classes.
        sample_weight : array (n,), optional
            Nonnegative weights of the points in fits and accuracies; the default is 1. A weight of
            2 counts a point twice.
        groups : array (n,), optional
            The group of each point, for constraints on "groups".

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
        >>> from radprog.estimators import VKRClassifierCV
        >>> X, y = np.arange(12.0)[:, None], [-1] * 6 + [1] * 6
        >>> model = VKRClassifierCV(kernels="poly:1", lams=[1e-3, 1e-1], cv=3).fit(X, y)
        >>> len(model.cv_results_["params"])
        2
        """
        # one budget for all folds and the last fit
        budget = self._run_settings().budget()
        data = self._read(X, y, by_class(self.class_weight, y, sample_weight))
        data = self._grouped(data, groups)
        # every width with every pair of lam and beta; the usual setting is the default one
        spec = self._settings(data, lam=VKR.lam, beta=VKR.beta)
        free = self.lams is None and self.betas is None and self.widths is None
        lams = VKR.lam if self.lams is None else self.lams
        betas = (BETAS if free else VKR.beta) if self.betas is None else self.betas
        widths = (WIDTHS if free else 1.0) if self.widths is None else self.widths
        specs, factors = list[VKR](), list[float]()
        for width in number_list("widths", as_text("widths", widths, optional=False)):
            wide = replace(spec, kernels=widened(spec.kernels, width, data))
            new = [setting for setting in on_grid(wide, lams, betas) if setting not in specs]
            specs, factors = [*specs, *new], [*factors, *[width] * len(new)]
        if self._precomputed and len(specs) > 1:
            raise OptionError(
                "precomputed kernel values cannot be cut into parts here: choose by GridSearchCV "
                "over VKRClassifier"
            )
        # the choice on the folds, then its fit to all rows in the remaining time
        usual = spec if free else None
        best, losses = self._choose(specs, data, y, budget, usual)
        scores = 1.0 - losses
        self.cv_results_ = {
            "params": [
                {"lam": setting.lam, "beta": setting.beta, "width": factor}
                for setting, factor in zip(specs, factors, strict=True)
            ],
            "mean_test_score": scores.mean(axis=0) if len(scores) else np.full(len(specs), np.nan),
            **{f"split{number}_test_score": part for number, part in enumerate(scores)},
        }
        fitted = scores[~np.isnan(scores[:, best]), best]
        self.best_score_ = float(fitted.mean()) if len(fitted) else math.nan
        self.lam_, self.beta_, self.width_ = specs[best].lam, specs[best].beta, factors[best]
        self._learn(specs[best], data, used=budget.seconds)
        return self
