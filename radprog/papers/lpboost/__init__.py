"""LPBoost over shapelets: wiring, and the data of its learners."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from radprog.decompositions.lpboost.ensemble import PatternEnsemble
from radprog.decompositions.lpboost.fit import fit_grid, fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.lpboost.prices import (
    load_lpboost,
    lpboost_classes,
    lpboost_path,
    price_lpboost,
)
from radprog.decompositions.lpboost.proof import prove_lpboost
from radprog.decompositions.lpboost.shapelets import Rows
from radprog.decompositions.lpboost.trees import TreeVotes
from radprog.instances.bags import read_series
from radprog.instances.dataset import Dataset, read
from radprog.models.lpboost import settings
from radprog.papers.lpboost.words import TERMS, draw, ensemble_lines, hypothesis
from radprog.telling.results import per_row, score_row
from radprog.wiring import Wiring


def read_rows(path: str, *, learner: str | None = None, like: Any = None, **options: Any) -> Rows:
    """Read a table if ``learner`` or ``like`` is for tables, otherwise series or bags."""
    if isinstance(like, Dataset) or learner not in (None, *settings.LEARNERS):
        return read(path, like=like, **options)
    return read_series(path, like=like, **options)


def predictor(values: Mapping[str, Any]) -> PatternEnsemble | TreeVotes:
    """The predictor of a saved fit: patterns or trees."""
    kind = TreeVotes if "trees" in values else PatternEnsemble
    return kind.from_dict(values)


LPBOOST: Wiring[settings.LPBoost, Rows] = Wiring(
    kinds=("series", "bags", "dataset"),
    read=read_rows,
    fit=fit_lpboost,
    recompute=recompute_lpboost,
    predictor=predictor,
    describe=ensemble_lines,
    plot=draw,
    multipliers=partial(per_row, key="d"),
    terms=TERMS,
    labels={"hypothesis": hypothesis, "score_row": score_row},
    form=lpboost_form,
    grid=fit_grid,
    load=load_lpboost,
    price=price_lpboost,
    path=lpboost_path,
    classes=lpboost_classes,
    prove=prove_lpboost,
)
