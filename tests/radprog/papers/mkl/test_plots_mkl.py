"""Plots of multiple kernel learning draw what they are given."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.run import RunSettings
from radprog.papers.mkl.plot import draw_progress, draw_spectra, draw_weights, mkl_figure
from radprog.result import result_of


def drawn(figure) -> None:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=50)
    assert len(content.getvalue()) > 1000


def progress(result) -> Figure:
    figure = Figure()
    draw_progress(figure.subplots(1, 2), result)
    return figure


def test_weights_are_shares_beside_single_kernels() -> None:
    figure = Figure()
    axes = figure.subplots()
    draw_weights(axes, ["a", "b"], {"l1": [3.0, 1.0], "conv": [0.0, 2.0]}, [0.5, 0.875])
    assert [bar.get_height() for bar in axes.patches] == [0.75, 0.25, 0.0, 1.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a\n50.0", "b\n87.5"]
    drawn(figure)


def test_tail_sums_fall_and_end_at_the_rank() -> None:
    figure = Figure()
    axes = figure.subplots()
    draw_spectra(axes, ["full", "low"], [np.array([3.0, 1.0, 0.5]), np.array([2.0, 1.0, 0.0])])
    full, low = axes.lines
    assert full.get_ydata() == pytest.approx(np.log10([4.5, 1.5, 0.5]))
    assert low.get_xdata().tolist() == [0, 1]
    drawn(figure)


def test_convergence_shows_objective_bound_and_gap() -> None:
    trace = [
        {"iteration": k, "objective": 3.0 + 2.0**-k, "bound": 3.0 - 2.0**-k, "gap": 2.0**-k}
        for k in range(5)
    ]
    result = {"trace": trace, "model": "mkl", "data": {"name": "d"}, "status": "optimal"}
    figure = progress(result)
    assert [line.get_label() for line in figure.axes[0].lines] == ["objective", "bound"]
    assert figure.axes[1].get_yscale() == "log"
    drawn(figure)
    with_global = progress({**result, "sandwich": {"global_value": 3.0}})
    assert with_global.axes[0].lines[2].get_label() == "global optimum"
    drawn(progress({**result, "trace": []}))
    single = progress({**result, "trace": trace[:1]})
    drawn(single)
    assert single.axes[1].get_title().endswith("in 1 iteration")
    for axes in single.axes:
        low, high = axes.get_xlim()
        assert [tick for tick in axes.get_xticks() if low <= tick <= high] == [1]


def test_the_figure_of_a_fit_marks_its_theta() -> None:
    F = np.random.default_rng(0).normal(size=(2, 12, 14))
    data = rp.gram_set(F @ F.transpose(0, 2, 1), np.arange(12) % 2)
    figures: list[Figure] = []
    for spec in (rp.MKL(theta=3), rp.MKL(variant="unif")):
        run = fit_mkl(spec, data, RunSettings())
        figures.append(mkl_figure(result_of(run, data), run, data))
    marked, plain = ([line.get_label() for line in figure.axes[1].lines] for figure in figures)
    assert marked == [*plain, "theta = 3"]
    weights, _, convergence, gap = figures[0].axes
    assert len(weights.patches) == 2
    assert [line.get_label() for line in convergence.lines] == ["objective", "bound"]
    assert gap.get_yscale() == "log"
