"""Many settings of LPBoost on one data set or its folds, sharing distances and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from radprog.base.types import IntArray
from radprog.decompositions.lpboost.fit import check_settings, fit_assembled
from radprog.decompositions.lpboost.shapelets import (
    Shapelets,
    assemble,
    margin_of,
    pattern_cuts,
    stored_table,
)
from radprog.decompositions.run import Attempt, RunSettings, attempted
from radprog.instances.bags import Bags
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.features import PatternTable
from radprog.models.lpboost.settings import LPBoost

#: Tables of whole data sets, kept while somebody holds the data set: folds of it share them.
_shared: WeakKeyDictionary[Bags, dict[tuple[object, ...], PatternTable]] = WeakKeyDictionary()


def shared_table(spec: LPBoost, data: Bags, rows: IntArray, cut: Cut) -> PatternTable:
    """Distances between the patterns of a cut of the ``rows`` of a data set, for all rows of which
    they are computed once."""
    kept = _shared.setdefault(data, {})
    key = (spec.pattern_kernel, spec.normalize, spec.exact, cut)
    if key not in kept:
        kept[key] = stored_table(spec, data, cut)
    return kept[key].take(rows)


def fit_grid(
    specs: Sequence[LPBoost], data: Bags, settings: RunSettings
) -> Iterator[tuple[LPBoost, Attempt]]:
    """Runs of all specs. Those of one pattern kernel share the distances between the patterns of
    each cut, over all rows that ``data`` was taken from; those of the same cuts share kernel rows.
    """
    check_settings(settings)
    whole, rows = (data, np.arange(data.rows)) if data.origin is None else data.origin
    # specs that differ in nu, starts and the like alone have one set of shapelets
    groups: dict[tuple[object, ...], list[LPBoost]] = {}
    for spec in specs:
        kind = spec.pattern_kernel, spec.normalize, spec.fixed_sigma, spec.radius, spec.exact
        groups.setdefault((*kind, *pattern_cuts(spec, data)), []).append(spec)
    for group in groups.values():
        problem: Shapelets | None = None
        for spec in group:
            budget = settings.budget()
            if problem is None:
                problem = assemble(spec, data, partial(shared_table, spec, whole, rows))
            problem = replace(problem, margin=margin_of(spec, data))
            yield spec, attempted(fit_assembled, spec, data, problem, settings, budget)
