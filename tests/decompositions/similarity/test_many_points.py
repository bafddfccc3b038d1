"""Clusterings of many points: nothing is computed twice, digits only where they are used."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from clusters import blobs

import radprog as rp
from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.models.similarity.problem import Distances, Weighted

MANY = blobs(420, seed=1, spread=3.0)


def seven_classes(n: int) -> rp.Dataset:
    """Points of seven overlapping classes in ten dimensions, whose rounds are many."""
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 7
    X = rng.normal(size=(n, 10)) + 2.0 * rng.normal(size=(7, 10))[codes]
    return rp.partly_labelled(X, codes, scale="standard")


SEVEN = seven_classes(420)


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, *names: str) -> Counter[str]:
    """How often some functions are called from now on."""
    calls: Counter[str] = Counter()
    for name in names:
        plain = getattr(owner, name)

        def called(*args: Any, _plain: Any = plain, _name: str = name, **more: Any) -> Any:
            calls[_name] += 1
            return _plain(*args, **more)

        monkeypatch.setattr(owner, name, called)
    return calls


def test_kernel_median_and_objective_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    medians = counted(monkeypatch, np, "median")
    kernels = counted(monkeypatch, Distances, "gram")
    values = counted(monkeypatch, Weighted, "value")
    run = fit_cdsk(rp.CDSK(), MANY, RunSettings())
    assert kernels["gram"] == 1
    assert values["value"] == 1
    assert medians["median"] <= 2  # the reach, the middle degree; not that of all pairs
    instance = assemble(rp.CDSK(), MANY)
    a, Y = (np.array(run.evidence[key])[instance.order] for key in ("a", "Y"))
    assert run.objective == instance.problem.value(a, Y)


def test_weights_are_rough_until_the_rounds_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round descends; the gap of the last is the finest, that of an earlier one is not."""
    run = fit_cdsk(rp.CDSK(), SEVEN, RunSettings())
    gaps = [record.detail["weight_gap"] for record in run.trace]
    values = [record.objective for record in run.trace]
    finest = WEIGHT_STEP_GAP * SEVEN.rows
    assert gaps[-1] <= finest < max(gaps)
    assert all(after <= before for before, after in pairwise(values))
