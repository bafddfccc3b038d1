"""Figures of bounded-loss regression are written whole, and refuse other formats."""

from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.run import RunSettings
from radprog.papers.regression.plot import fit_figure, fitted


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_the_curve_is_the_predictor_between_the_points(scale: str) -> None:
    """Six points of a narrow bump: a line through them would cut its top off."""
    x = np.linspace(1.0, 2.0, 6)[:, None]
    data = rp.regression_data(x, np.exp(-8 * (x[:, 0] - 1.5) ** 2), scale=scale)
    run = fit_svr(rp.SVR(A=50.0), data, RunSettings())
    (axes,) = fit_figure(fitted(run, data)).axes
    line = next(line for line in axes.lines if line.get_label() == "h(x)")
    at, h = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(at) >= 1000
    assert np.all(np.diff(at) > 0)
    assert np.array_equal(h, run.fit.scores(data.scaler(at[:, None])))
    assert set(x[:, 0]) <= set(at)
    assert h.max() > run.fit.scores(data.X).max() + 0.01


def test_several_features_or_a_given_kernel_have_points_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 2)), rng.normal(size=8)
    np.save(tmp_path / "K.npy", X @ X.T)
    for x, kernels in ((X, "linear"), (X[:, :1], f"file:{tmp_path / 'K.npy'}")):
        data = rp.regression_data(x, y)
        run = fit_svr(rp.SVR(A=1.0, kernels=kernels, starts=1), data, RunSettings())
        drawn = fitted(run, data)
        assert not drawn.dense
        assert rp.SVR().loss()(y - drawn.h).sum() == pytest.approx(run.objective, rel=1e-9)
