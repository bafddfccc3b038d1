"""The picture of a grid: a line along one option, a map over two, the choice marked."""

import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from radprog.analysis import plots
from radprog.analysis.plots import plot_grid


def table(**options: list[Any]) -> dict[str, Any]:
    cells = []
    for k, values in enumerate(itertools.product(*options.values())):
        params = dict(zip(options, values, strict=True)) | {"C": 1.0}
        cells.append({"params": params, "score": 0.5 - 0.01 * k, "standard_error": 0.01})
    return {"by": "error", "cells": cells, "best": cells[-1]}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    drawn: list[Figure] = []
    monkeypatch.setattr(plots, "save", lambda figure, path: drawn.append(figure))
    return drawn


def test_one_option_is_a_line(figures: list[Figure]) -> None:
    plot_grid(table(lam=[1e-1, 1e-3, 1e-2]), "p.png")
    axes = figures[0].axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.001", "0.01", "0.1"]
    assert axes.lines[0].get_ydata().tolist() == pytest.approx([49.0, 48.0, 50.0])
    assert axes.lines[-1].get_xydata().tolist() == [[1.0, 48.0]]
    (bars,) = axes.collections
    assert [np.ptp(bar[:, 1]) for bar in bars.get_segments()] == pytest.approx([2.0] * 3)
    assert axes.get_title() == "least error 48 % at lam=0.01"
    assert "%" in axes.get_ylabel()


def test_two_options_are_a_map(figures: list[Figure]) -> None:
    plot_grid(table(lam=[1e-1, 1e-2], kernels=["poly:2", "rbf:1", "rbf:$2"]), "p.png")
    axes = figures[0].axes[0]
    image = np.asarray(axes.images[0].get_array())
    np.testing.assert_allclose(image, [[47.0, 46.0, 45.0], [50.0, 49.0, 48.0]])
    assert len(axes.texts) == 6
    assert axes.texts[0].get_text() == "47\n± 1"
    assert axes.lines[0].get_xydata().tolist() == [[2.0, 0.0]]
