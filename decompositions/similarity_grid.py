"""Choosing bandwidth and lam: without labels by a criterion of the fit, or by labels held out.

Every setting of a grid shares the distances of the points. Objectives of different bandwidths have
different scales, so the monitored one is compared as a share of its label-free part at uniform
weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radprog.decompositions.cdsk import fit_cdsk
from radprog.decompositions.lpdsk import fit_lpdsk
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.similarity_problem import DistanceStore
from radprog.instances.errors import DataError, OptionError
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity_settings import CDSK, LPDSK

IntArray = NDArray[np.intp]

CRITERIA = ("distortion", "objective", "eigengap")


def fit_grid(
    specs: Sequence[CDSK | LPDSK], data: PartlyLabelled, settings: RunSettings
) -> Iterator[tuple[CDSK | LPDSK, Run]]:
    """Fit several settings on one data set; squared distances are computed once."""
    store = DistanceStore()
    for spec in specs:
        if isinstance(spec, CDSK):
            yield spec, fit_cdsk(spec, data, settings, store)
        else:
            yield spec, fit_lpdsk(spec, data, settings, store)


def criterion(run: Run, by: str) -> float:
    """What a clustering is chosen by without labels; less is better.

    distortion: squares within the clusters of the embedding (Ng, Jordan and Weiss); objective: the
    monitored one over its label-free part at uniform weights; eigengap: minus lambda_{c+1} -
    lambda_c.
    """
    if by not in CRITERIA:
        raise OptionError(f"criterion '{by}': expected one of {', '.join(CRITERIA)}")
    value = run.summary["relative_objective" if by == "objective" else by]
    if value is None:
        return np.inf
    return -float(value) if by == "eigengap" else float(value)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Scores by setting, in the order given (NaN where a setting had no meaning), and the best."""

    scores: tuple[float, ...]
    best: int
    messages: tuple[str, ...] = ()


def choose_clustering(
    specs: Sequence[CDSK], data: PartlyLabelled, settings: RunSettings, *, by: str = "distortion"
) -> Choice:
    """The setting of least criterion; ties go to the first.

    A setting that the data cannot be used with is left out, and the message kept.
    """
    store, scores, messages = DistanceStore(), [], []
    for spec in specs:
        try:
            scores.append(criterion(fit_cdsk(spec, data, settings, store), by))
        except DataError as error:
            scores.append(np.nan)
            messages.append(str(error))
    return _best(scores, messages)


def _best(scores: Sequence[float], messages: Sequence[str]) -> Choice:
    if not np.isfinite(scores).any():
        raise OptionError(f"no setting of the grid could be scored: {'; '.join(messages[:3])}")
    return Choice(scores=tuple(scores), best=int(np.nanargmin(scores)), messages=tuple(messages))


def hidden_parts(data: PartlyLabelled, folds: int, seed: int) -> list[IntArray]:
    """Labelled rows to hide, one part a fold; every class keeps a labelled row in every fold.

    Raises OptionError where no class has two labelled rows.
    """
    if folds < 2:
        raise OptionError(f"folds {folds}: expected at least 2")
    rng = np.random.default_rng(seed)
    parts: list[list[int]] = [[] for _ in range(folds)]
    for k in range(data.classes):
        members = rng.permutation(np.flatnonzero(data.codes == k))
        used = members if len(members) > 1 else members[:0]
        for place, row in enumerate(used.tolist()):
            parts[place % folds].append(row)
    if not any(parts):
        raise OptionError("no class has two labelled rows: nothing can be held out")
    return [np.array(sorted(part), dtype=np.intp) for part in parts if part]


def choose_propagation(
    specs: Sequence[LPDSK], data: PartlyLabelled, settings: RunSettings, *, folds: int = 3
) -> Choice:
    """The setting of least error on labels held out, averaged over folds; ties go to the first.

    A row left without a label counts as an error.
    """
    parts, store = hidden_parts(data, folds, settings.seed), DistanceStore()
    scores = []
    for spec in specs:
        wrong = 0
        for part in parts:
            run = fit_lpdsk(spec, data.hide(part), settings, store)
            labels = np.asarray(run.summary["labels"])[part]
            wrong += int((labels != data.codes[part]).sum())
        scores.append(wrong / sum(len(part) for part in parts))
    return _best(scores, ())
