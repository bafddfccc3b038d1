"""Support vector machine: certificates, agreement of solvers, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

import radprog as rp
from radprog.decompositions import svm
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr import fit_svm as wiring
from radprog.decompositions.vkr.fit_svm import fit_svm
from radprog.models.svm import svm_values
from radprog.solvers.adapters import piqp
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Status

SOLVERS = (None, "piqp", "highs")
CASES = [("rbf:2", 1.0), ("rbf:2", 50.0), ("poly:2", 0.3), ("linear", 1.0), ("laplace:3", 5.0)]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("kernel", "C"), CASES)
def test_certified_and_equal_to_scikit_learn(points, solver, kernel: str, C: float) -> None:
    """Decision values of SVC on the same kernel, and its objective, evaluated here."""
    data = points(40, seed=1)
    spec, y = rp.SVM(kernels=kernel, C=C), data.targets
    run = fit_svm(spec, data, RunSettings(solver=solver, tol=1e-4))
    assert run.status is Status.OPTIMAL
    assert run.solver.name == solver or solver is None
    assert run.bound <= run.objective
    best = fit_svm(spec, data, RunSettings())
    assert best.certified
    assert run.objective == pytest.approx(best.objective, rel=1e-4)
    K = wiring.KernelBank(wiring.parse_kernels(kernel), data.X).gram(0)
    peer = SVC(C=C, kernel="precomputed", tol=1e-6).fit(K, y)
    decision = peer.decision_function(K)
    a = np.zeros(40)
    a[peer.support_] = np.abs(peer.dual_coef_[0])
    loss = np.maximum(0.0, 1.0 - y * decision).sum()
    value = 0.5 * float((a * y) @ K @ (a * y)) + C * float(loss)
    assert best.objective == pytest.approx(value, rel=1e-5)
    assert best.objective <= value * (1 + 1e-6)
    scale = np.abs(decision).max()
    assert run.fit.scores(data.X) == pytest.approx(decision, abs=0.02 * scale)
    assert best.fit.scores(data.X) == pytest.approx(decision, abs=1e-4 * scale)
    # the evidence is feasible, though solvers leave the box and the balance by their tolerance
    a, bias = np.array(run.evidence["a"]), run.evidence["bias"]
    assert 0.0 <= a.min() <= a.max() <= C
    assert float(a @ y) == pytest.approx(0.0, abs=1e-13 * 40 * C)
    scores = K @ (a * y) + bias
    hinge, norm = np.maximum(0.0, 1.0 - y * scores).sum(), (a * y) @ (scores - bias)
    assert run.objective == pytest.approx(0.5 * norm + C * hinge, rel=1e-11)
    assert run.bound == svm_values(K, y, 1.0, a)[2]
    assert run.fit.scores(data.X) == pytest.approx(scores, rel=1e-6, abs=1e-9 * scale)
    assert run.summary["support_vectors"] == len(run.fit.coefficients)
    if kernel.startswith("rbf"):  # whose values are at most 1
        assert len(run.fit.coefficients) == (a > 1e-9 * C).sum()
    assert run.summary["training_error"] == np.mean(y * scores <= 0)
    assert (len(run.trace), run.model().name) == (1, "svm_dual")


@pytest.mark.thorough
def test_where_libsvm_leaves_a_gap_a_qp_solver_closes_it(points, monkeypatch) -> None:
    data, spec = points(40, seed=1), rp.SVM(kernels="poly:1", C=1000.0)
    alone = fit_svm(spec, data, RunSettings(solver="libsvm"))
    assert not alone.certified
    both = fit_svm(spec, data, RunSettings())
    assert both.certified
    assert (alone.solver.name, both.solver.name) == ("libsvm", "piqp")
    assert alone.bound <= both.objective <= alone.objective
    easy = fit_svm(replace(spec, C=1.0), data, RunSettings())
    assert (easy.certified, easy.solver.name) == (True, "libsvm")
    monkeypatch.setattr(svm, "LARGEST_QP", 39)
    assert fit_svm(spec, data, RunSettings()).solver.name == "libsvm"


def test_a_point_outside_by_the_tolerance_is_brought_inside(points, liar) -> None:
    """Otherwise its dual value would be no bound."""
    step = 1e-8
    liar(
        lambda p, t: replace(t, x=t.x + step, claimed=p.objective(t.x + step), row_duals=None), piqp
    )
    data, machine = points(30, seed=3), rp.SVM(kernels="rbf:2", C=2.0)
    run = fit_svm(machine, data, RunSettings(solver="liar"))
    a = np.array(run.evidence["a"])
    assert 0.0 <= a.min() <= a.max() <= 2.0
    assert float(a @ data.targets) == pytest.approx(0.0, abs=1e-13)
    assert run.bound <= fit_svm(machine, data, RunSettings(tol=1e-9)).objective


@pytest.mark.parametrize(
    "lie",
    [
        lambda p, t: replace(t, x=0.5 * t.x, claimed=p.objective(0.5 * t.x)),
        lambda p, t: replace(t, x=3.0 * t.x, status=Status.FEASIBLE),
        lambda p, t: replace(t, x=0.0 * t.x, claimed=0.0, row_duals=None),
        lambda p, t: replace(t, x=-t.x, status=Status.FEASIBLE),
        lambda p, t: replace(t, x=t.x + 0.1, status=Status.FEASIBLE),
        lambda p, t: SolverAnswer(status=Status.LIMIT),
    ],
)
def test_a_lying_solver_is_never_certified(points, liar, lie) -> None:
    liar(lie, piqp)
    data, machine = points(30, seed=3), rp.SVM(kernels="rbf:2", C=2.0)
    best = fit_svm(machine, data, RunSettings())
    try:
        run = fit_svm(machine, data, RunSettings(solver="liar"))
    except (rp.SolverError, rp.UnfinishedError) as error:
        assert "liar" in str(error) or isinstance(error, rp.UnfinishedError)  # noqa: PT017
        return
    assert not run.certified
    assert run.status is not Status.OPTIMAL
    assert run.bound <= best.objective
    assert run.objective >= best.bound


def test_an_iteration_limit_is_no_time_limit(points) -> None:
    data = points(30, seed=2)
    spec = rp.SVM(kernels="rbf:2", C=3.0)
    few = RunSettings(solver="piqp", solver_options={"max_iter": "3"})
    for settings in (few, replace(few, time_limit=1e9)):
        with pytest.raises(rp.UnfinishedError, match="max_iter: piqp ended at a limit of its own"):
            fit_svm(spec, data, settings)


def test_where_libsvm_and_piqp_stall_there_is_a_bound(points, monkeypatch) -> None:
    """Kernel values up to 1e32: nothing converges, and no limit was given."""
    monkeypatch.setattr(svm, "LIBSVM_CAP", 1000)
    small = points(40, seed=1)
    run = fit_svm(rp.SVM(kernels="poly:8"), replace(small, X=100.0 * small.X), RunSettings())
    assert run.stopped_by in (Reason.SOLVER, Reason.TOLERANCE)
    assert 0 <= run.bound <= run.objective


def test_a_polynomial_of_uneven_features_is_certified() -> None:
    """C is 1e10 times the multipliers: what rounding takes off a margin is most of the objective,
    unless the point leaves room for it."""
    rng = np.random.default_rng(1)
    X = 10.0 * rng.normal(size=(60, 6)) * np.exp(0.5 * rng.normal(size=6))
    data = rp.dataset(X, np.where(0.1 * X[:, 0] + rng.normal(size=60) > 0, 1, -1))
    run = fit_svm(rp.SVM(kernels="poly:4"), data, RunSettings(abs_tol=1e-300, tol=1e-9))
    assert run.certified
    assert run.gap <= 1e-9
    assert 0.0 < run.objective < 1e-8
