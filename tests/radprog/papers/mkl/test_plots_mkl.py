"""The picture of multiple kernel learning shows the weights, and objective and bound."""

import io

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.run import RunSettings
from radprog.papers.mkl.plot import mkl_figure
from radprog.result import result_of


@pytest.mark.parametrize("variant", ["conv", "unif", "dc"])
def test_the_figure_of_a_fit(variant: str) -> None:
    F = np.random.default_rng(0).normal(size=(2, 12, 14))
    data = rp.gram_set(F @ F.transpose(0, 2, 1), np.arange(12) % 2)
    run = fit_mkl(rp.MKL(variant=variant), data, RunSettings())
    result = result_of(run, data)
    weights, convergence = mkl_figure(result).axes
    heights = [bar.get_height() for bar in weights.patches]
    assert heights == pytest.approx(np.array(run.summary["weights"]) / sum(run.summary["weights"]))
    assert f"{max(heights):.0%}" in weights.get_title()
    names = [line.get_label() for line in convergence.lines]
    assert names[:2] == ["objective", "bound"]
    marked = mkl_figure({**result, "sandwich": {"global_value": 3.0}})
    assert marked.axes[1].lines[2].get_label() == "global optimum"
    content = io.BytesIO()
    marked.savefig(content, format="png", dpi=50)
    assert len(content.getvalue()) > 1000
