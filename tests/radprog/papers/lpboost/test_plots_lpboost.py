"""Figures of LPBoost: patterns on their series, convergence; written whole."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from effort import count
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.run import RunSettings
from radprog.figures import SECOND, save
from radprog.papers.lpboost.words import draw
from radprog.result import result_of


@pytest.mark.thorough
def test_the_figure_of_a_fit(tmp_path: Path) -> None:
    data = cylinder_bell_funnel(20, length=40, seed=2)
    run = fit_lpboost(rp.LPBoost(length="6,9"), data, RunSettings())
    negative, gamma, positive = draw(result_of(run, data), run, data).axes
    assert "class bell" in negative.get_title()
    assert "class cylinder" in positive.get_title()
    rows = run.extra["figure"]["rows"]
    for axes, row in ((negative, rows[0]), (positive, rows[1])):
        lines, shown = axes.get_lines(), row["patterns"][:5]
        sides = [p["contribution"] > 0 for p in shown]
        assert [line.get_color() == SECOND for line in lines[1::2]] == sides
        np.testing.assert_array_equal(lines[0].get_ydata(), data.X[row["row"]])
        assert len(lines) == 2 * len(shown) >= 4
        for series, line, pattern in zip(lines[::2], lines[1::2], shown, strict=True):
            start, end = pattern["position"], pattern["position"] + pattern["length"]
            assert list(line.get_xdata()) == list(range(start, end))
            # each pattern has the mean and the spread of its place
            part = series.get_ydata()[start:end]
            assert line.get_ydata().mean() == pytest.approx(part.mean())
            assert line.get_ydata().std() == pytest.approx(part.std())
        bases = [line.get_ydata() for line in lines[::2]]
        assert all(a.min() > b.max() for a, b in itertools.pairwise(bases))
    assert [line.get_label() for line in gamma.get_lines()] == ["objective", "bound"]
    suffixes = ("svg", "png", "pdf")[: count(3, 1)]
    for suffix in suffixes:
        save(draw(result_of(run, data), run, data), tmp_path / f"a.{suffix}")
        assert (tmp_path / f"a.{suffix}").stat().st_size > 5000
    with pytest.raises(rp.OptionError, match=r"expected one of \.png"):
        save(draw(result_of(run, data), run, data), tmp_path / "a.txt")
    assert len(list(tmp_path.iterdir())) == len(suffixes)
