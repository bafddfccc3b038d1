"""Choosing bandwidth and lam: without labels by a criterion of the fit, or by labels held out.

Every setting of a grid shares the distances of the points. Objectives of different bandwidths have
different scales, so the monitored one is compared in units of the sum of |s_ij| over all pairs,
divided by 2n: for a kernel and lam = n/2 its label-free part at uniform weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from radprog.base.errors import DataError, OptionError, UnfinishedError
from radprog.base.types import IntArray
from radprog.decompositions.loop import Budget, Reason, Watcher
from radprog.decompositions.questions import Choice
from radprog.decompositions.run import Attempt, Run, RunSettings, attempted
from radprog.decompositions.similarity.assembly import DistanceStore
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.instances.splits import error_of_mean
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity.settings import CDSK, CLUSTERING_CRITERIA, LPDSK


def fit_grid(
    specs: Sequence[CDSK | LPDSK], data: PartlyLabelled, settings: RunSettings
) -> Iterator[tuple[CDSK | LPDSK, Attempt]]:
    """Fit several settings on one data set; squared distances are computed once."""
    store = DistanceStore()
    for spec in specs:
        if isinstance(spec, CDSK):
            yield spec, attempted(fit_cdsk, spec, data, settings, store)
        else:
            yield spec, attempted(fit_lpdsk, spec, data, settings, store)


def criterion(run: Run, by: str) -> float:
    """What a clustering is chosen by without labels; less is better.

    distortion: squares within the clusters of the embedding (Ng, Jordan and Weiss); objective: the
    monitored one over sum |s_ij| / 2n; eigengap: minus lambda_{c+1} - lambda_c.
    """
    if by not in CLUSTERING_CRITERIA:
        raise OptionError(f"criterion '{by}': expected one of {', '.join(CLUSTERING_CRITERIA)}")
    value = run.summary["relative_objective" if by == "objective" else by]
    if value is None:
        return np.inf
    return -float(value) if by == "eigengap" else float(value)


def _within(settings: RunSettings) -> tuple[Budget, RunSettings]:
    """The budget of the whole grid, and settings of a fit that ends with it."""
    budget = settings.budget()
    return budget, replace(settings, time_limit=None, used=0.0, interrupted=budget.spent)


def choose_clustering(
    specs: Sequence[CDSK],
    data: PartlyLabelled,
    settings: RunSettings,
    *,
    by: str = "distortion",
    watch: Watcher = lambda done, total: None,
) -> Choice:
    """The setting of least criterion."""
    budget, inner = _within(settings)
    store, scores, messages = DistanceStore(), [], []
    for done, spec in enumerate(specs):
        message, score = None, np.nan
        try:
            run = fit_cdsk(spec, data, inner, store)
            if run.reason is Reason.INTERRUPT:
                break
            score = criterion(run, by)
        except UnfinishedError:
            break
        except (DataError, OptionError) as error:
            message = str(error)
        scores.append(score)
        messages.append(message)
        watch(done + 1, len(specs))
    return _best(specs, scores, messages, budget)


def _best(
    specs: Sequence[CDSK | LPDSK],
    scores: Sequence[float],
    messages: Sequence[str | None],
    budget: Budget,
    errors: Sequence[float | None] = (),
) -> Choice:
    cut = len(specs) - len(scores)
    if not np.isfinite(scores).any():
        refusals = [message for message in messages if message is not None]
        if not refusals:
            raise UnfinishedError(f"{budget.reason.value}: ended before the first fit")
        raise OptionError(f"no setting of the grid could be scored: {refusals[0]}")
    return Choice(
        scores=(*scores, *[np.nan] * cut),
        best=int(np.nanargmin(scores)),
        messages=(*messages, *[None] * cut),
        standard_errors=(*errors, *[None] * (len(specs) - len(errors))),
        reason=budget.reason if cut else None,
    )


def hidden_parts(data: PartlyLabelled, folds: int, seed: int) -> list[IntArray]:
    """Labelled rows to hide, one part a fold; every class keeps a labelled row in every fold.

    Raises OptionError where no class has two labelled rows.
    """
    if folds < 2:
        raise OptionError(f"folds {folds}: expected at least 2")
    rng = np.random.default_rng(seed)
    parts: list[list[int]] = [[] for _ in range(folds)]
    for k in range(data.n_classes):
        members = rng.permutation(np.flatnonzero(data.codes == k))
        used = members if len(members) > 1 else members[:0]
        for place, row in enumerate(used.tolist()):
            parts[place % folds].append(row)
    if not any(parts):
        raise OptionError("no class has two labelled rows: nothing can be held out")
    return [np.array(sorted(part), dtype=np.intp) for part in parts if part]


def choose_propagation(
    specs: Sequence[LPDSK],
    data: PartlyLabelled,
    settings: RunSettings,
    *,
    by: str = "error",
    folds: int = 3,
    watch: Watcher = lambda done, total: None,
) -> Choice:
    """The setting of least error on labels held out, averaged over folds.

    A row left without a label counts as an error.
    """
    if by != "error":
        raise OptionError(f"criterion '{by}': expected error")
    parts, store = hidden_parts(data, folds, settings.seed), DistanceStore()
    budget, inner = _within(settings)
    sizes = np.array([len(part) for part in parts])
    scores, errors = list[float](), list[float | None]()
    for done, spec in enumerate(specs):
        wrong = np.zeros(len(parts))
        for k, part in enumerate(parts):
            try:
                run = fit_lpdsk(spec, data.hide(part), inner, store)
                interrupted = run.reason is Reason.INTERRUPT
            except UnfinishedError:
                interrupted = True
            if interrupted:
                return _best(specs, scores, [None] * len(scores), budget, errors)
            labels = np.asarray(run.summary["labels"])[part]
            wrong[k] = (labels != data.codes[part]).sum()
        scores.append(float(wrong.sum() / sizes.sum()))
        errors.append(error_of_mean(wrong / sizes))
        watch(done + 1, len(specs))
    return _best(specs, scores, [None] * len(scores), budget, errors)
