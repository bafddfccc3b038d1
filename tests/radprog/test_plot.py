"""rp.plot and estimator.plot: the figure of a run, with its data and without."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import radprog as rp
from radprog.estimators import BoundedLossSVR, ShapeletBoostClassifier, VKRClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 2))
Y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
WAVES = RNG.normal(size=(24, 8)) + X[:, :1]
CASES = {
    "vkr": (rp.VKR(kernels="poly:1-2"), rp.dataset(X, Y), {}),
    "mkl": (rp.MKL(kernels="rbf:0.1,rbf:1"), rp.dataset(X, Y), {}),
    "lpboost": (rp.LPBoost(length="3"), rp.series(WAVES, Y), {}),
    "svr": (rp.SVR(starts=1), rp.regression_data(X[:, :1], X[:, 0]), {}),
    "cdsk": (rp.CDSK(clusters=2), rp.partly_labelled(X), {"max_iter": 2}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_run_with_data_and_without(name: str, tmp_path: Path) -> None:
    spec, data, settings = CASES[name]
    run = rp.fit(spec, data, **settings)
    whole, alone = rp.plot(run, data, file=tmp_path / "p.svg"), rp.plot(run)
    for figure in (whole, alone):
        assert isinstance(figure, Figure)
        assert all(axes.has_data() or axes.patches or axes.images for axes in figure.axes)
    assert (tmp_path / "p.svg").stat().st_size > 1000
    assert len(whole.axes) >= len(alone.axes)


def test_a_fitted_estimator_is_drawn() -> None:
    for model, rows, y in (
        (VKRClassifier(kernels="poly:1"), X, Y),
        (ShapeletBoostClassifier(length="3"), WAVES, Y),
        (BoundedLossSVR(n_init=1), X, X[:, 0]),
    ):
        with pytest.raises(NotFittedError):
            model.plot()
        assert isinstance(model.fit(rows, y).plot(), Figure)


def test_what_is_not_drawn(tmp_path: Path) -> None:
    spec, data, _ = CASES["vkr"]
    run = rp.fit(spec, data)
    with pytest.raises(rp.RadprogError, match=r"p\.gif: expected one of \.png"):
        rp.plot(run, data, file=tmp_path / "p.gif")
    grams = tmp_path / "k.npz"
    np.savez(grams, K=np.stack([X @ X.T, np.eye(24)]), y=(X[:, 0] > 0).astype(int))
    given = rp.fit(rp.MKL(grams=str(grams)), None)
    with pytest.raises(rp.RadprogError, match="a run without data"):
        rp.plot(given)
