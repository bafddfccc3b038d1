"""Figures of bounded-loss regression are written whole, and refuse other formats."""

from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings
from radprog.figures import save
from radprog.instances.generators import sinc
from radprog.papers.regression.plot import fit_figure, fitted, srm_figure
from radprog.result import result_of


@pytest.mark.thorough
def test_figures(tmp_path: Path) -> None:
    data = sinc(20)
    run = fit_srm(rp.SRM(gammas="0.6,5", As="0.1,2", trials=4), data, RunSettings())
    drawn = fitted(run, data)
    figures = {
        "fit.png": fit_figure(drawn),
        "fit.svg": fit_figure(drawn),
        "srm.pdf": srm_figure({**run.extra, "params": {"delta": run.spec.delta}}, drawn),
    }
    for name, figure in figures.items():
        save(figure, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    line, chosen, errors = figures["srm.pdf"].axes
    assert (line.get_xlabel(), errors.get_ylabel()) == ("A", "MAPE, %")
    assert "chosen: gamma" in chosen.get_title()
    with pytest.raises(rp.OptionError, match=r"\.png"):
        save(figures["fit.svg"], tmp_path / "fit.txt")


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


def test_points_at_the_largest_loss_are_crossed_out() -> None:
    x = np.linspace(0.0, 1.0, 20)
    data = rp.regression_data(x[:, None], np.where(np.arange(20) == 7, 9.0, x))
    run = fit_svr(rp.SVR(A=5.0, starts=1), data, RunSettings())
    axes = fit_figure(fitted(run, data), result_of(run, data)).axes[0]
    (crossed,) = [line for line in axes.lines if "largest loss" in line.get_label()]
    assert crossed.get_xydata().tolist() == [[x[7], 9.0]]
