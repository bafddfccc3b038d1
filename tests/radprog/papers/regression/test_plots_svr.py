"""Figures of bounded-loss regression are written whole, and refuse other formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings
from radprog.instances.errors import OptionError
from radprog.instances.generators import sinc
from radprog.models.regression.settings import SRM
from radprog.papers.regression.plot import fit_figure, save, srm_figure


def test_figures(tmp_path: Path) -> None:
    data = sinc(20)
    run = fit_srm(SRM(gammas="0.6,5", As="0.1,2", trials=4), data, RunSettings())
    h, x = run.fit.predict(data.X), data.X[:, 0]
    figures = {
        "fit.png": fit_figure(x, data.targets, h),
        "fit.svg": fit_figure(x, data.targets, h),
        "srm.pdf": srm_figure(dict(run.extra), x, data.targets, h, data.truth),
    }
    for name, figure in figures.items():
        save(figure, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    labels = [axes.get_xlabel() for axes in figures["srm.pdf"].axes]
    assert labels.count("A") >= 2
    with pytest.raises(OptionError, match=r"\.png"):
        save(figures["fit.svg"], tmp_path / "fit.txt")
