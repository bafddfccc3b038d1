"""The picture of a grid: a line along one option, a map over two, the choice marked."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import radprog as rp
from radprog.analysis import plots
from radprog.analysis.plots import plot_grid
from radprog.cli import main


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


def test_of_three_options_the_best_of_the_third_counts(figures: list[Figure]) -> None:
    given = table(a=[1, 2, 3], b=[1, 2, 3], c=[1, 2])
    given["cells"][-1]["standard_error"] = None
    plot_grid(given, "p.png")
    axes = figures[0].axes[0]
    image = np.asarray(axes.images[0].get_array())
    assert image.shape == (3, 3)
    assert image.min() == pytest.approx(33.0)
    assert sorted(text.get_text().count("\n") for text in axes.texts) == [0] + [1] * 8


def test_settings_without_a_score_are_left_out(figures: list[Figure]) -> None:
    given = table(lam=[1e-1, 1e-2, 1e-3])
    given["cells"][0]["score"] = None
    plot_grid(given, "p.png")
    assert len(figures[0].axes[0].lines[0].get_ydata()) == 2


def test_a_path_is_concave_on_its_axis_and_terms_are_steps(figures: list[Figure]) -> None:
    data = rp.dataset(np.arange(8.0)[:, None], [-1, 1, -1, -1, 1, -1, 1, 1])
    path = rp.path(rp.L1SVM(kernels="poly:1"), data, ("beta", 1e-3, 1.0), validate=data)
    plots.plot_path(path, "p.png")
    value, trade, terms, errors = figures[0].axes
    at, values = value.lines[0].get_xydata().T
    assert value.get_xscale() == trade.get_xscale() == "linear"
    assert terms.get_xscale() == errors.get_xscale() == "log"
    assert np.all(np.diff(np.diff(values) / np.diff(at)) <= 1e-9)
    steps = terms.patches[0].get_data().values
    assert steps.tolist() == [piece["coefficients"] for piece in path["pieces"]]


@pytest.mark.thorough
def test_tune_writes_its_picture(classes: Path) -> None:
    call = ["tune", "l1svm", "few.csv", "--folds", "2", "--grid", "beta=1e-2,1e-3", "--quiet"]
    assert main([*call, "--plot", "p.png"]) == 0
    assert (classes / "p.png").read_bytes().startswith(b"\x89PNG")
    assert main([*call, "--plot", "p.txt"]) == 2
