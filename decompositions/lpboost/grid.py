"""Many settings of LPBoost on one data set or its folds, sharing distances and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from radprog.decompositions.lpboost.fit import check_settings, fit_assembled
from radprog.decompositions.lpboost.shapelets import (
    Shapelets,
    Tables,
    assemble,
    margin_of,
    pattern_cuts,
    pattern_tables,
)
from radprog.decompositions.run import Attempt, RunSettings, attempted
from radprog.instances.bags import Bags
from radprog.models.lpboost.settings import LPBoost

#: Tables of whole data sets, kept while somebody holds the data set: folds of it share them.
_shared: WeakKeyDictionary[Bags, dict[tuple[object, ...], Tables]] = WeakKeyDictionary()


def shared_tables(specs: Sequence[LPBoost], data: Bags) -> Tables:
    """Distances between all patterns of a data set, computed once for these settings."""
    cuts = sorted({cut for spec in specs for cut in pattern_cuts(spec, data)})
    auto = any(spec.pattern_kernel == "gauss" and spec.fixed_sigma is None for spec in specs)
    key = (specs[0].pattern_kernel, specs[0].normalize, auto, *cuts)
    kept = _shared.setdefault(data, {})
    if key not in kept:
        kept[key] = pattern_tables(specs, data)
    return kept[key]


def fit_grid(
    specs: Sequence[LPBoost], data: Bags, settings: RunSettings
) -> Iterator[tuple[LPBoost, Attempt]]:
    """Runs of all specs. Those of one pattern kernel share the distances between the patterns of
    each cut, over all rows that ``data`` was taken from; those of the same cuts share kernel rows.
    """
    check_settings(settings)
    whole, rows = (data, np.arange(data.rows)) if data.origin is None else data.origin
    kinds: dict[tuple[str, bool], list[LPBoost]] = {}
    for spec in specs:
        kinds.setdefault((spec.pattern_kernel, spec.normalize), []).append(spec)
    for members in kinds.values():
        tables = shared_tables(members, whole)
        groups: dict[tuple[object, ...], list[LPBoost]] = {}
        for spec in members:
            key = (pattern_cuts(spec, data), spec.fixed_sigma, spec.radius)
            groups.setdefault(key, []).append(spec)
        for group in groups.values():
            problem: Shapelets | None = None
            for spec in group:
                budget = settings.budget()
                if problem is None:
                    problem = assemble(spec, data, tables, rows)
                problem = replace(problem, margin=margin_of(spec, data))
                yield spec, attempted(fit_assembled, spec, data, problem, settings, budget)
