"""The choice of bandwidth and lam, by a criterion without labels or by held-out labels.

Objectives for different bandwidths have different scales. To compare them, each objective is
divided by sum |s_ij| / 2n over all pairs. For a kernel and lam = n/2, this divisor is minus the
label-free part of the objective at uniform weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from radprog.base.errors import DataError, OptionError, UnfinishedError
from radprog.base.limits import OutOfBudget
from radprog.base.types import IntArray
from radprog.decompositions.analyses import UNSCORED, Scores
from radprog.decompositions.loop import Reason, Watcher
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.instances.dataset import Dataset
from radprog.instances.splits import error_of_mean
from radprog.models.similarity.settings import CDSK, CLUSTERING_CRITERIA, LPDSK

S = TypeVar("S")
Score = tuple[float, float | None, list[int] | None]  # criterion, standard error, cluster sizes


def criterion(run: Run, by: str) -> float:
    """The label-free criterion of a clustering. Smaller is better.

    - distortion: the within-cluster sum of squares of the embedding (Ng, Jordan and Weiss)
    - objective: the objective divided by sum |s_ij| / 2n
    - eigengap: minus (lambda_{c+1} - lambda_c)
    """
    if by not in CLUSTERING_CRITERIA:
        raise OptionError(f"criterion '{by}': expected one of {', '.join(CLUSTERING_CRITERIA)}")
    value = run.summary["relative_objective" if by == "objective" else by]
    if value is None:
        return np.inf
    return -float(value) if by == "eigengap" else float(value)


def choose_clustering(
    specs: Sequence[CDSK],
    data: Dataset,
    settings: RunSettings,
    *,
    by: str = "distortion",
    watch: Watcher = lambda done, total: None,
) -> Scores:
    """The criterion of each setting.

    Raises OptionError for several numbers of clusters, unless the criterion is the eigengap: the
    others are smallest for one cluster.
    """
    if by != "eigengap" and len({spec.clusters for spec in specs}) > 1:
        raise OptionError(f"clusters: {by} rises with their number: give `by='eigengap'`")

    def score(spec: CDSK, settings: RunSettings) -> Score:
        run = _require_complete(fit_cdsk(spec, data, settings))
        return criterion(run, by), None, run.summary["sizes"]

    return _choose(specs, settings, score, watch)


def _require_complete(run: Run) -> Run:
    """A complete run in a grid. Raises OutOfBudget if the grid's budget ended the run."""
    if run.reason is Reason.INTERRUPT:
        raise OutOfBudget
    return run


def _choose(
    specs: Sequence[S],
    settings: RunSettings,
    score: Callable[[S, RunSettings], Score],
    watch: Watcher,
) -> Scores:
    """The score of each setting, with its standard error if that is known.

    If a setting is invalid for the data, it has a message and no score.
    """
    # fits end with the budget of the grid
    budget = settings.budget()
    inner = replace(settings, time_limit=None, used=0.0, interrupted=budget.spent)
    scores = list[dict[str, Any]]()
    for count, spec in enumerate(specs, 1):
        try:
            value, error, sizes = score(spec, inner)
            entry = {**UNSCORED, "score": value, "standard_error": error}
            scores.append(entry if sizes is None else {**entry, "sizes": sizes})
        except (UnfinishedError, OutOfBudget):
            break
        except (DataError, OptionError) as refusal:
            scores.append({**UNSCORED, "message": str(refusal)})
        watch(count, len(specs))
    missing = len(specs) - len(scores)
    if not any(np.isfinite(row["score"]) for row in scores if row["score"] is not None):
        refusals = [row["message"] for row in scores if row["message"] is not None]
        if not refusals:
            raise UnfinishedError(f"{budget.reason.value}: ended before the first fit")
        raise OptionError(f"no setting of the grid could be scored: {refusals[0]}")
    return [*scores, *[UNSCORED] * missing], budget.reason if missing else None


def hidden_parts(data: Dataset, folds: int, seed: int) -> list[IntArray]:
    """The labelled rows to hide, in one part per fold. In each fold, every class keeps a labelled
    row.

    Raises OptionError if no class has two labelled rows.
    """
    if folds < 2:
        raise OptionError(f"folds {folds}: expected at least 2")
    # the rows of every class in turn to the folds, from a permutation
    rng = np.random.default_rng(seed)
    parts: list[list[int]] = [[] for _ in range(folds)]
    for k in range(data.n_classes):
        members = rng.permutation(np.flatnonzero(data.codes == k))
        candidates = members if len(members) > 1 else members[:0]
        for place, row in enumerate(candidates.tolist()):
            parts[place % folds].append(row)
    if not any(parts):
        raise OptionError("no class has two labelled rows: nothing can be held out")
    return [np.array(sorted(part), dtype=np.intp) for part in parts if part]


def choose_propagation(
    specs: Sequence[LPDSK],
    data: Dataset,
    settings: RunSettings,
    *,
    by: str = "error",
    folds: int = 3,
    watch: Watcher = lambda done, total: None,
) -> Scores:
    """The error of each setting on held-out labels, averaged over the folds.

    A held-out row without a predicted label counts as an error.
    """
    if by != "error":
        raise OptionError(f"criterion '{by}': expected error")
    parts = hidden_parts(data, folds, settings.seed)
    sizes = np.array([len(part) for part in parts])

    def score(spec: LPDSK, settings: RunSettings) -> Score:
        wrong = np.zeros(len(parts))
        for k, part in enumerate(parts):
            run = _require_complete(fit_lpdsk(spec, data.hide(part), settings))
            labels = np.asarray(run.summary["labels"])[part]
            wrong[k] = (labels != data.codes[part]).sum()
        return float(wrong.sum() / sizes.sum()), error_of_mean(wrong / sizes), None

    return _choose(specs, settings, score, watch)
