"""Coordinate descent (Appendix C): exact steps, descent, and stalls that are not called optimal."""

import itertools

import numpy as np
import pytest
from effort import count, examples
from hypothesis import given
from hypothesis import strategies as st

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.decompositions.vkr.coordinate_descent import (
    CoordinateDescent,
    descend_coordinates,
    exact_step,
)
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import Precomputed
from radprog.models.vkr.problem import VotedKernels

entries = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5]), st.floats(1e-2, 10.0), st.floats(-10.0, -1e-2)
)
rows = st.lists(st.tuples(entries, entries), min_size=1, max_size=10)
coefficients = st.one_of(st.just(0.0), st.floats(1e-2, 5.0), st.floats(-5.0, -1e-2))


def along(margins: FloatArray, column: FloatArray, alpha: float, price: float, t: float) -> float:
    """mean max(0, 1 - margins - t column) + price |alpha + t|, by a loop."""
    pairs = zip(margins.tolist(), column.tolist(), strict=True)
    hinge = [max(0.0, 1.0 - margin - t * slope) for margin, slope in pairs]
    return sum(hinge) / len(hinge) + price * abs(alpha + t)


def kinks(margins: FloatArray, column: FloatArray, alpha: float) -> list[float]:
    pairs = zip(margins.tolist(), column.tolist(), strict=True)
    used = [(1.0 - margin) / slope for margin, slope in pairs if slope != 0.0]
    return [*used, -alpha]


# ---------------------------------------------------------------- the line search


@given(rows, coefficients, st.floats(1e-4, 3.0))
@examples(400)
def test_exact_step_is_the_best_kink(pairs: list[tuple[float, float]], alpha, price) -> None:
    margins, column = (np.array(part) for part in zip(*pairs, strict=True))
    step = exact_step(margins, column, alpha, price)
    best = min(along(margins, column, alpha, price, t) for t in kinks(margins, column, alpha))
    here = along(margins, column, alpha, price, 0.0)
    found = along(margins, column, alpha, price, step)
    assert found <= best + 1e-10
    assert found <= here + 1e-14
    places = kinks(margins, column, alpha)
    assert step == 0.0 or any(step == pytest.approx(t, rel=1e-12) for t in places)
    if best < here - 1e-9:
        assert step != 0.0


# ---------------------------------------------------------------- descent


@pytest.mark.thorough
def test_objective_falls_in_every_round_and_bounds_hold(collection) -> None:
    optimal = 0
    for problem, reference in collection[: count(100, 40)]:
        outcome = descend_coordinates(problem, RunSettings(max_iter=15), Budget())
        values = [record.objective for record in outcome.trace]
        assert all(b <= a for a, b in itertools.pairwise([1.0, *values]))
        for record in outcome.trace:
            assert record.bound <= reference.value * (1 + 1e-9)
        outcome.incumbent.certify(problem)
        found = outcome.incumbent
        assert found.objective == pytest.approx(values[-1], rel=1e-9)
        assert found.bound <= reference.value * (1 + 1e-9)
        assert found.objective >= reference.bound * (1 - 1e-9)
        if outcome.reason is Reason.TOLERANCE:
            optimal += 1
            assert found.objective == pytest.approx(reference.value, rel=2e-6, abs=2e-9)
    assert optimal >= count(2, 1)


# ---------------------------------------------------------------- stalls

# Four points, two columns y_i K(x_i, x_j). At (1, 0) neither coordinate alone can do better; the
# optimum is at (5.5, 4.5).
STALL = np.array([[1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.1, 0.1]])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])


def test_a_stalled_fit_is_not_optimal(tmp_path) -> None:
    """The same four points as a kernel file, with two centres that are worth nothing."""
    path = tmp_path / "K.npy"
    np.save(path, np.hstack([LABELS[:, None] * STALL, np.zeros((4, 2))]))
    data = rp.dataset(np.zeros((4, 1)), LABELS.astype(int), name="four")
    spec = rp.VKR(kernels=f"file:{path}", complexity="none", beta=1e-3)
    stuck = fit_vkr(spec, data, RunSettings(method="cd"))
    assert stuck.objective == pytest.approx(0.726)
    assert stuck.status is RunStatus.FEASIBLE
    assert not stuck.certified
    assert stuck.stopped_by is Reason.STALLED
    assert stuck.gap > 0.29
    assert any("stall" in warning for warning in stuck.warnings)
    best = fit_vkr(spec, data, RunSettings())
    assert best.status is RunStatus.OPTIMAL
    assert best.objective == pytest.approx(0.510)


def test_the_dual_point_of_an_optimum_closes_the_gap() -> None:
    """Identity kernel: alpha_j = y_j at prices below 1/m, and complementarity gives d = Lambda."""
    m, beta = 6, 0.05
    bank = KernelBank([Precomputed("K.npy", np.eye(m))], np.zeros((m, 1)))
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    problem = VotedKernels(bank=bank, y=y, penalties=np.zeros(1), lam=0.0, beta=beta)
    descent = CoordinateDescent(problem)
    descent.sweep(Budget())
    assert descent.alpha[0].tolist() == y.tolist()
    assert descent.objective() == pytest.approx(m * beta)
    d = descent.dual_point()
    assert d == pytest.approx(np.full(m, beta))
    assert problem.dual_bound(d, problem.ratios(d))[0] == pytest.approx(m * beta, rel=1e-12)
