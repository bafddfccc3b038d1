"""The choice of settings by cross-validation, shared by the estimators ``...CV``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv

from radprog.base.errors import UnfinishedError, warn_user
from radprog.base.types import FloatArray
from radprog.catalog import entry_of
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import Spec
from radprog.decompositions.sweeps.sharing import Sharing
from radprog.estimators.base import CertifiedEstimator, LimitWarning, unusable
from radprog.instances.data import Data
from radprog.tuning import Fold, Setting, edges_of, fit_on_folds, ties_of


@dataclass(kw_only=True, eq=False, repr=False)
class ChosenByFolds(CertifiedEstimator):
    """An estimator that chooses settings on the warm-started grid of :func:`radprog.tune`."""

    fold_tol: ClassVar[float] = 0.0  # least relative gap at which a fit of the choice may stop
    cv: Any = None

    def _folds(self, data: Data, labels: NDArray[Any], cv: Any) -> list[Fold]:
        """Scikit-learn's folds, as indices of the rows with positive weight."""
        splitter = check_cv(self.cv if cv is None else cv, labels, classifier=is_classifier(self))
        routing = getattr(splitter, "get_metadata_routing", None)
        # splitters by groups take those of the constraints
        takes_groups = routing is None or bool(routing().split.requests.get("groups"))
        groups = data.groups if takes_groups else None
        if groups is not None and len(groups) < len(labels):
            # rows of weight 0, which no fit has, may be in any group
            groups = np.resize(groups, len(labels))
            groups[self._used_rows] = data.groups
        return [
            Fold(*(np.flatnonzero(np.isin(self._used_rows, side)) for side in sides))
            for sides in splitter.split(np.zeros(len(labels)), labels, groups)
        ]

    def _choose(
        self,
        specs: Sequence[Spec],
        data: Data,
        y: ArrayLike,
        budget: Budget,
        usual: Spec | None = None,
        cv: Any = None,
    ) -> tuple[int, FloatArray]:
        """The index of the best of the settings, and their losses (folds, settings).

        A loss is NaN if the fit failed or did not start in time. The settings with a loss are
        compared on the folds that all of them have, and the least mean loss is chosen; among ties,
        the most regularised setting. The setting ``usual`` is chosen unless the best one is better
        by more than a standard error of its accuracy on as many rows.
        """
        parts = self._folds(data, np.asarray(y).ravel(), cv) if len(specs) > 1 else []
        # the last fit has the time of one fold
        if budget.time_limit is not None:
            share = len(parts) / (len(parts) + 1)
            budget = replace(budget, time_limit=max(budget.time_limit * share, 1e-3))
        sharing = Sharing(jobs=effective_n_jobs(getattr(self, "n_jobs", None)))
        run_settings = self._run_settings()
        settings = replace(run_settings, tol=max(run_settings.tol, self.fold_tol), sharing=sharing)
        tables: list[dict[Setting, Any]] = []
        if parts:
            with unusable():
                entry = entry_of(specs[0])
                constraints = getattr(self, "constraints", None)
                tables = fit_on_folds(
                    entry, specs, data, settings, parts, "error", budget, constraints=constraints
                )
        cells = [[row.get(Setting(spec)) for spec in specs] for row in tables]
        losses = np.array(
            [[c["error"] if isinstance(c, dict) else np.nan for c in row] for row in cells]
        ).reshape(-1, len(specs))
        # a warning if limits cut off fits of the choice
        ended = [c is not None and (isinstance(c, str) or c["ended"]) for row in cells for c in row]
        reached = ~np.isnan(losses)
        counts = reached.sum(axis=0)
        # settings cut off on some folds are compared on their common ones; of those that failed on
        # a fold only the ones on most folds, as they would take folds from the others
        compared, common = list[int](), np.ones(len(losses), dtype=bool)
        for k in np.argsort(-counts, kind="stable").tolist():
            shared = common & reached[:, k]
            failed = any(isinstance(row[k], str) for row in cells)
            if shared.any() and not (failed and counts[k] < counts.max()):
                compared, common = [*compared, k], shared
        if not all(ended):
            cut = ended.count(False)
            if not compared:
                raise UnfinishedError(
                    f"{type(self).__name__}: no fit of the choice ended within the limit, which "
                    f"cut off {cut} of {len(ended)}: raise time_limit"
                )
            warn_user(
                f"{type(self).__name__}: limits cut off {cut} of the {len(ended)} fits of the "
                f"choice, which is among the {len(compared)} of {len(specs)} settings fitted on "
                f"the same {common.sum()} of {len(losses)} folds",
                LimitWarning,
            )
        means = np.full(len(specs), np.inf if compared else 0.0)
        if compared:
            means[compared] = losses[common][:, compared].mean(axis=0)
        params = [{name: getattr(spec, name) for name in self.chosen} for spec in specs]
        best = max(ties_of(means), key=lambda k: tuple(reversed(params[k].values())))
        if usual is not None:
            # by more than one standard error of an accuracy (Agresti and Coull): on 11 of 12 data
            # sets, which chose this rule, at least the usual accuracy; 7 by gains over folds
            place, n = specs.index(usual), data.rows
            compared = losses[~np.isnan(losses[:, place] + losses[:, best])]
            share = (n * compared[:, place].mean() + 2.0) / (n + 4.0) if len(compared) else 1.0
            gain = compared[:, place].mean() - compared[:, best].mean() if len(compared) else 0.0
            return (best if gain > (share * (1.0 - share) / n) ** 0.5 else place), losses
        # an end of a grid says nothing if the grid was not finished, or if all its losses are equal
        informative = all(ended) and len(ties_of(means)) < len(means)
        for line in edges_of(params[best], params if informative else []):
            warn_user(f"{type(self).__name__}: {line}")
        return best, losses
