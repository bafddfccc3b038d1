"""Figures of bounded-loss regression: the curve, its points, the bound along A."""

from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings
from radprog.figures import save
from radprog.instances.generators import sinc
from radprog.papers.regression import draw
from radprog.result import result_of


def figure_axes(run, data):
    return draw(result_of(run, data), run, data).axes


@pytest.mark.thorough
def test_the_bound_along_A_is_beside_the_chosen_function(tmp_path: Path) -> None:
    data = sinc(20)
    run = fit_srm(rp.SRM(gammas="0.6,5", As="0.1,2", trials=4), data, RunSettings())
    figure = draw(result_of(run, data), run, data)
    save(figure, tmp_path / "srm.pdf")
    function, line = figure.axes
    assert (function.get_xlabel(), line.get_xlabel()) == ("x", "A")
    assert "chosen: gamma" in line.get_title()


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_the_curve_is_the_predictor_between_the_points(scale: str) -> None:
    """Six points of a narrow bump: a line through them would cut its top off."""
    x = np.linspace(1.0, 2.0, 6)[:, None]
    data = rp.regression_data(x, np.exp(-8 * (x[:, 0] - 1.5) ** 2), scale=scale)
    run = fit_svr(rp.SVR(A=50.0), data, RunSettings())
    axes = figure_axes(run, data)[0]
    line = next(line for line in axes.lines if line.get_label() == "h(x)")
    at, h = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(at) >= 1000
    assert np.all(np.diff(at) > 0)
    assert np.array_equal(h, run.fit.scores(data.scaler(at[:, None])))
    assert set(x[:, 0]) <= set(at)
    assert h.max() > run.fit.scores(data.X).max() + 0.01
