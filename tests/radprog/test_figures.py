"""Pictures and pages of notebooks: ticks that differ, grids, what is not drawn."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from refusals import refused

import radprog as rp
from radprog import figures
from radprog.analysis.plots import plot_grid

TRACES = [
    [(157.7000123, 157.7000119)], [(157.7, 157.7)], [(157.9, 157.2), (157.8, 157.6)],
    [(4.4531261e-6, 4.4531260e-6)], [(-31.01, None), (-31.02, None)], [(10.0, 1e-3), (2.0, 0.5)],
    [(0.0, 0.0)],
]  # fmt: skip


@pytest.mark.parametrize("trace", TRACES)
def test_tick_labels_are_whole_numbers_and_differ(trace, tmp_path, monkeypatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "Figure", lambda **how: drawn.append(Figure(**how)) or drawn[-1])
    result = {
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
        (
            {"kernels": ["poly:2", "rbf:$2"], "lam": [0.1, 0.01]},
            ["least error 47 % at kernels=rbf:$2, lam=0.01", "rbf:$2"],
        ),
    ],
)
def test_the_picture_of_a_grid(grid, shown: list[str], tmp_path) -> None:
    cells = [
        {"params": {**dict(zip(grid, at, strict=True)), "C": 1.0}, "score": 0.5 - 0.01 * k,
         "standard_error": 0.01} for k, at in enumerate(itertools.product(*grid.values()))
    ]  # fmt: skip
    plot_grid({"by": "error", "cells": cells, "best": cells[-1]}, str(tmp_path / "p.svg"))
    drawn = re.findall("<!-- (.*?) -->", (tmp_path / "p.svg").read_text(), re.S)
    assert set(shown) <= {line.replace("\\", "") for text in drawn for line in text.splitlines()}


POINTS = np.random.default_rng(0).normal(size=(24, 2))


def test_a_run_without_data_is_not_drawn(tmp_path) -> None:
    grams, y = tmp_path / "k.npz", (POINTS[:, 0] > 0).astype(int)
    np.savez(grams, K=np.stack([POINTS @ POINTS.T, np.eye(24)]), y=y)
    given = rp.fit(rp.MKL(grams=str(grams)), None)
    refused(rp.RadprogError, "a run without data", rp.plot, given)


@pytest.fixture(scope="module")
def data() -> "rp.instances.dataset.Dataset":
    X = np.random.default_rng(0).normal(size=(12, 2))
    return rp.dataset(X, np.where(X[:, 0] > 0, "<yes>", "no"), scale="ball")


def cells(shown: object) -> dict[str, str]:
    table = ElementTree.fromstring(shown._repr_html_())
    return {row[0].text or "": row[1].text or "" for row in table.iter("tr")}


def test_tables_tell_the_result(data) -> None:
    spec = rp.L1SVM(kernels="poly:1")
    assert (cells(data)["classes"], cells(data)["rows"]) == ("<yes>, no", "12")
    run = rp.fit(spec, data)
    assert cells(run)["objective"] == f"{run.objective:.6g}"
    solution = rp.solve(rp.build(spec, data))
    assert cells(solution)["status"] == "optimal"
    assert float(cells(solution)["objective"]) == pytest.approx(run.objective, rel=1e-5)
