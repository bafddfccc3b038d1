"""Functions found for one sign vector are starts of others: never worse, often better."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.regression.assembly import assembled, radius_of
from radprog.decompositions.regression.cccp import SignedFits, fit_signs
from radprog.decompositions.regression.complexity import (
    exchanged,
    exchanged_starts,
    fit_complexity,
    signs_of,
)
from radprog.decompositions.run import RunSettings
from radprog.instances.generators import sinc
from radprog.models.regression.settings import Complexity

SPEC = Complexity(gamma=0.6, A=7.7, starts=5, trials=24)


def test_exchange_lowers_losses_and_raises_none() -> None:
    settings, data = RunSettings(), sinc(50, seed=0)
    _, problem, _ = assembled(SPEC, data, settings.clock())
    fits = SignedFits(
        problem=problem,
        signs=signs_of(SPEC, 50, 0, "cccp"),
        radius=radius_of(SPEC),
        settings=settings,
    )
    descend = partial(fit_signs, fits, rng=np.random.default_rng(0), budget=Budget())
    found = descend(starts=3)
    more = exchanged(fits, found, 2, descend, settings, 0)
    assert (more.values <= found.values + 1e-12).all()
    assert (more.values < found.values - 1e-6).sum() >= 3
    assert more.trace[: len(found.trace)] == found.trace
    np.testing.assert_allclose(fits.objective(more.x, np.arange(24)), more.values, rtol=1e-9)
    assert exchanged(fits, found, 0, descend, settings, 0) is found
    cut = replace(found, reason=Reason.TIME_LIMIT)
    assert exchanged(fits, cut, 2, descend, settings, 0) is cut


@pytest.mark.parametrize(("starts", "those"), [(1, 0), (2, 0), (3, 1), (5, 2), (11, 5)])
def test_fewer_than_half_of_the_starts_are_exchanged(starts: int, those: int) -> None:
    assert exchanged_starts(starts) == those
    run = fit_complexity(replace(SPEC, starts=starts, trials=4), sinc(20, seed=0), RunSettings())
    assert 1 <= run.extra["distinct_starts"] <= starts
    assert [record.iteration for record in run.trace] == list(range(len(run.trace)))
