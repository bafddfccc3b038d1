"""aeon's own checks of the shapelet booster: run where ``radprog[aeon]`` is installed."""

import numpy as np
import pytest

import radprog as rp

pytestmark = pytest.mark.aeon


def booster(**options):
    from radprog.estimators.aeon import AeonShapeletBoost  # loads aeon

    return AeonShapeletBoost(**options)


def waves(m: int = 20, L: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """A bump somewhere, or none: (m, 1, L) and labels."""
    rng = np.random.default_rng(0)
    X, y = 0.05 * rng.normal(size=(m, 1, L)), np.arange(m) % 2
    for i in np.flatnonzero(y):
        place = rng.integers(0, L - 4)
        X[i, 0, place : place + 4] += [0.5, 1.0, 1.0, 0.5]
    return X, np.where(y == 1, "bump", "flat")


def test_the_checks_of_aeon() -> None:
    from aeon.testing.estimator_checking import check_estimator

    found = check_estimator(type(booster()))
    assert len(found) > 20
    assert {name: told for name, told in found.items() if "PASSED" not in str(told)} == {}


def test_it_is_the_fit_of_the_series() -> None:
    X, y = waves()
    ours = booster(length=4, nu=0.3).fit(X, y)
    known = rp.fit(rp.LPBoost(length=4, nu=0.3), rp.series(X, y))
    assert ours.run_.certified
    assert ours.run_.objective == pytest.approx(known.objective, rel=1e-6)
    assert (ours.predict(X) == y).mean() >= 0.9


def test_lengths_may_be_unequal() -> None:
    X, y = waves()
    cut = [one[:, : 16 - i % 3] for i, one in enumerate(X)]
    ours = booster(length=4, nu=0.3).fit(cut, y)
    assert ours.run_.certified
    longer = [np.concatenate([one, one[:, -1:]], axis=1) for one in cut]
    assert (ours.predict(longer) == y).mean() >= 0.9
    with pytest.raises(rp.DataError, match="a series of 3 points has no window of 4"):
        ours.predict([one[:, :3] for one in cut])
    with pytest.raises(rp.OptionError, match="unequal lengths"):
        booster(length=[3, 4]).fit(cut, y)
    assert booster(length=[3, 4], nu=0.3).fit(X, y).run_.certified


def test_a_contract_is_a_time_limit() -> None:
    X, y = waves()
    with pytest.raises(rp.UnfinishedError, match="time_limit"):
        booster(length=4, time_limit_in_minutes=1e-9).fit(X, y)
    assert booster(length=4, time_limit_in_minutes=60).fit(X, y).run_.certified
