"""Tick labels that tell values apart, and the picture of a grid."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from radprog import figures
from radprog.analysis.plots import plot_grid

TRACES = [
    [(157.7000123, 157.7000119)],
    [(157.7, 157.7)],
    [(157.9, 157.2), (157.8, 157.6)],
    [(4.4531261e-6, 4.4531260e-6)],
    [(-31.01, None), (-31.02, None)],
    [(10.0, 1e-3), (2.0, 0.5)],
    [(0.0, 0.0)],
]


@pytest.mark.parametrize("trace", TRACES)
def test_tick_labels_are_whole_numbers_and_differ(
    trace: list[tuple[float, float | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "Figure", lambda **how: drawn.append(Figure(**how)) or drawn[-1])
    result: dict[str, Any] = {
        "model": "svm", "status": "optimal", "data": {"name": "x"}, "fit": {},
        "trace": [
            {"seconds": 0.1 * k, "objective": objective, "bound": bound}
            for k, (objective, bound) in enumerate(trace)
        ],
    }  # fmt: skip
    figures.save(figures.run_figure(result), tmp_path / "p.png")
    assert figures.convergence_image(result)
    for figure in drawn:
        axis = figure.axes[0].yaxis
        assert "+" not in axis.get_offset_text().get_text()
        labels = [tick.get_text() for tick in axis.get_ticklabels(which="both") if tick.get_text()]
        assert len(labels) == len(set(labels)) >= 2


@pytest.mark.parametrize(
    ("grid", "shown"),
    [
        ({"lam": [0.1, 0.001, 0.01]}, ["least error 48 % at lam=0.01", "0.001"]),
        ({"lam": [0.1, 0.01], "kernels": ["poly:2", "rbf:$2"]}, ["47", "± 1", "rbf:$2"]),
    ],
)
def test_the_picture_of_a_grid(grid: dict[str, Any], shown: list[str], tmp_path: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"params": {**dict(zip(grid, at, strict=True)), "C": 1.0}, "score": 0.5 - 0.01 * k,
         "standard_error": 0.01} for k, at in enumerate(itertools.product(*grid.values()))
    ]  # fmt: skip
    plot_grid({"by": "error", "cells": cells, "best": cells[-1]}, str(tmp_path / "p.svg"))
    drawn = re.findall("<!-- (.*?) -->", (tmp_path / "p.svg").read_text(), re.S)
    assert set(shown) <= {line.replace("\\", "") for text in drawn for line in text.splitlines()}
