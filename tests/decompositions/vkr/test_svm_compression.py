"""What a support vector machine rests on: preference, inexact solutions, refusals."""

import numpy as np
import pytest
from small_data import mixture

import radprog as rp
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.svm import best_bias, bias_interval
from radprog.models.vkr.bounds import svm_compression


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_points_outside_leave_the_machine_as_it_is(seed: int, C: float) -> None:
    data, spec = mixture(50, seed), rp.SVM(kernels="rbf:0.7", C=C)
    run = rp.fit(spec, data, solver="piqp")
    margins = data.signs * run.fit.scores(data.X)
    inside = margins <= 1 + 1e-4
    found = run.extra["compression"]
    assert (found["size"], found["refused"]) == (inside.sum(), None)
    part = data.take(np.flatnonzero(inside))
    again = rp.fit(spec, part, solver="piqp")  # C stays: the hinge is a sum
    assert again.fit.scores(data.X) == pytest.approx(run.fit.scores(data.X), abs=1e-4)
    assert again.extra["compression"]["size"] == found["size"] == part.rows


def test_a_wide_gap_counts_more_points_and_then_too_many() -> None:
    data = mixture(50, 0)
    bank = KernelBank(parse_kernels("rbf:0.7"), data.X)
    a = np.asarray(rp.fit(rp.SVM(kernels="rbf:0.7"), data).evidence["a"])
    scores = bank.gram(0) @ (a * data.signs)
    bias = best_bias(scores, data.signs)
    sizes = []
    for gap in (0.0, 1e-4, 1e-3, 1e-2):
        told = svm_compression(rp.SVM(kernels="rbf:0.7"), data, bank, scores, bias, gap)
        sizes.append(told["size"])
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    told = svm_compression(rp.SVM(kernels="rbf:0.7"), data, bank, scores, bias, 1.0)
    assert told["size"] is None
    assert "smaller `tol`" in told["refused"]


def test_the_true_margins_are_within_the_slack() -> None:
    """Scores of a rough solution lie within sqrt(2 gap) of the exact ones."""
    data, spec = mixture(60, 1), rp.SVM(kernels="rbf:0.7", C=2.0)
    exact = rp.fit(spec, data, solver="piqp")
    for run in (rp.fit(spec, data, solver_options={}, tol=1e-2), exact):
        shift = np.sqrt(2 * max(run.objective - run.bound, 0.0))
        assert np.abs(run.fit.scores(data.X) - exact.fit.scores(data.X)).max() <= 4 * shift + 1e-6


def test_biases_of_an_interval() -> None:
    """Two points, far apart, w = 0: every bias from -1 to 1 is as good."""
    assert bias_interval(np.zeros(2), np.array([1.0, -1.0])) == (-1.0, 1.0)
    data = rp.dataset([[0.0], [100.0]], [1, -1])
    found = rp.fit(rp.SVM(kernels="rbf:1", C=0.1), data).extra["compression"]
    assert "another `C`" in found["refused"]
