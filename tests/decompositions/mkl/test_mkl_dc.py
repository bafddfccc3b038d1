"""Variant dc: feasible, descending, sandwiched, and honest where it is not global."""

from itertools import pairwise

import numpy as np
import pytest
from effort import count, examples
from hypothesis import given
from hypothesis import strategies as st
from mkl_figure2 import start_sites

import radprog as rp
import radprog.decompositions.mkl.dca as mkl_dc
from radprog.base.limits import OutOfBudget
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.mkl.dca import WeightSteps, minimise_dc, starting_points
from radprog.decompositions.mkl.exchange import ValueOracle, minimise_over_ball
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.kernel_sets import kernel_set, tail_sum
from radprog.models.mkl.problem import MultipleKernels, TailBudget
from radprog.solvers.program import Status
from radprog.solvers.registry import SolverSpec

METHODS = ("hybrid", "dca", "algorithm1")


def grams(seed: int, n: int = 24, M: int = 2) -> rp.GramSet:
    """Kernels with decaying spectra, some with a large mean direction."""
    rng = np.random.default_rng(seed)
    K = []
    for _ in range(M):
        d = int(rng.integers(3, 12))
        F = rng.normal(size=(n, d)) * np.arange(1, d + 1) ** -rng.uniform(0.3, 1.5)
        F += rng.uniform(0, 2) * rng.integers(0, 2)
        K.append(F @ F.T + 1e-2 * np.eye(n))
    y = np.sign(0.5 * rng.normal(size=n) + K[0][:, 0] - K[0][:, 0].mean())
    y[:2] = 1, -1
    return rp.gram_set(np.array(K), y)


TRAP = 3  # a set of two kernels on which DCA from the uniform start misses the global optimum


def problem_of(seed: int, M: int = 2, theta: int = 1, power: float = 1.0, C: float = 1.0):
    kernels = kernel_set(rp.MKL(), grams(seed, M=M))
    return TailBudget(MultipleKernels(kernels=kernels, C=C), theta, float(kernels.n), power)


def minimised(constraint: TailBudget, method: str, tol: float = 1e-6):
    """DCA from uniform weights: the objective, the reason of its end, and the residual."""
    values, how = ValueOracle(constraint.problem), RunSettings(tol=tol)
    M = constraint.problem.kernels.M
    starts = [("uniform", np.ones(M))]
    value, reason, *_, found = minimise_dc(values, constraint, starts, method, how, Budget(), 0.0)
    return value.objective, reason, found["residual"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_every_iterate_is_feasible_and_descends(method: str, power: float, seed: int) -> None:
    """The tail sum of the mixture itself is checked, not its linearisation."""
    constraint = problem_of(seed, M=3, theta=2, power=power)
    seen: list[tuple[float, float]] = []
    true = WeightSteps.objective

    def watched(self, x, rows):
        values = true(self, x, rows)
        sizes = [tail_sum(constraint.problem.combine(mu**power), 2) for mu in x]
        seen.extend(zip(values.tolist(), sizes, strict=True))
        return values

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WeightSteps, "objective", watched)
        objective, *_ = minimised(constraint, method)
    objectives = [value for value, _ in seen]
    assert len(seen) >= 4
    assert max(size for _, size in seen) <= 24.0 * (1 + 1e-9)
    assert min(size for _, size in seen) == pytest.approx(24.0)  # the constraint is active
    assert all(b <= a * (1 + 1e-7) for a, b in pairwise(objectives))
    assert objective == pytest.approx(min(objectives), rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 2.0]), st.integers(1, 4))
@examples(12)
def test_the_relaxation_is_below_every_feasible_value(seed: int, power: float, theta: int) -> None:
    constraint = problem_of(seed, M=3, theta=theta, power=power)
    values, how = ValueOracle(constraint.problem), RunSettings(tol=1e-6)
    relaxed, _, _ = minimise_over_ball(values, constraint.outer(), np.ones(3), how, Budget())
    rng = np.random.default_rng(seed)
    for _ in range(15):
        mu = constraint.to_boundary(rng.exponential(size=3) + 1e-3)
        assert relaxed.bound <= values(mu, 1e-6).objective * (1 + 1e-9)


@pytest.mark.parametrize("norm", [1.0, 2.0])
def test_every_result_carries_its_sandwich(norm: float) -> None:
    data = grams(2)
    spec = rp.MKL(variant="dc", norm=norm)
    run = fit_mkl(spec, data, RunSettings())
    sandwich = run.extra["sandwich"]
    assert sandwich["bound"] == pytest.approx(run.bound, rel=1e-9)
    assert sandwich["bound"] <= sandwich["value"] == pytest.approx(run.objective, rel=1e-12)
    assert recompute_mkl(spec, data, run.evidence).pair == (run.objective, run.bound)
    assert sandwich["global_value"] is None
    assert len(run.extra["starts"]) == 5


def test_a_point_that_is_not_global_is_called_critical() -> None:
    """DCA from the uniform start ends at 7.58; the optimum is 5.29."""
    data = grams(TRAP)
    local = fit_mkl(rp.MKL(variant="dc", starts=1), data, RunSettings(method="dca"))
    assert local.status is Status.CRITICAL_POINT
    assert local.summary["residual"] <= 1e-6 * local.objective
    several = fit_mkl(rp.MKL(variant="dc", starts=4), data, RunSettings())
    assert several.objective == pytest.approx(5.290964, rel=1e-5)
    assert local.objective > 1.3 * several.objective
    names = [start["start"] for start in several.extra["starts"]]
    assert names[:2] == ["uniform", "conv"]
    assert set(names[2:]) == {"vertex gram:0", "vertex gram:1"}
    # a start may be given
    again = fit_mkl(rp.MKL(variant="dc", starts=1), data, RunSettings(start=several.fit))
    assert again.extra["starts"][0]["start"] == "given"
    assert again.objective == pytest.approx(several.objective, rel=1e-6)


def test_more_starts_than_kernels_are_random_and_seeded() -> None:
    constraint = problem_of(1)
    values = ValueOracle(constraint.problem)
    given = values, constraint, np.ones(2), 6
    first, again, other = (starting_points(*given, seed) for seed in (0, 0, 1))
    assert [name for name, _ in first[4:]] == ["random 4", "random 5"]
    assert np.array_equal(first[5][1], again[5][1])
    assert not np.array_equal(first[5][1], other[5][1])


def test_updates_that_stall_far_from_a_critical_point_say_so(monkeypatch) -> None:
    monkeypatch.setattr(mkl_dc, "LAST_STEP_SHARE", 1e3)  # updates end after a decrease below 1e-3
    objective, reason, residual = minimised(problem_of(7, M=3, theta=2), "algorithm1")
    assert reason is Reason.STALLED
    assert residual > 1e-5 * objective


@pytest.mark.parametrize("share", [0.1, 3.0])  # of tol, below which a decrease ends a start
@pytest.mark.parametrize("method", ["hybrid", "dca", "algorithm1"])
def test_a_critical_point_has_a_residual_within_tol(method: str, share: float, monkeypatch) -> None:
    """One meaning for all methods."""
    monkeypatch.setattr(mkl_dc, "LAST_STEP_SHARE", share)
    found = []
    for seed in (0, 3, 9):
        spec = rp.MKL(variant="dc", starts=2, theta=2)
        run = fit_mkl(spec, grams(seed, M=3), RunSettings(method=method, tol=1e-4))
        close = run.summary["residual"] <= 1e-4 * run.objective
        assert run.status is (Status.CRITICAL_POINT if close else Status.FEASIBLE)
        found.append(close)
        # of the two starts, the record names the one whose model it holds
        assert all(one.detail["start"] in (0.0, 1.0) for one in run.trace)
        assert all(one.detail["start_objective"] >= one.objective for one in run.trace)
    if share < 1.0:
        assert all(found)
    elif method == "algorithm1":
        assert not any(found)


def test_a_wrong_linearisation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A supergradient that is too small lets the mixture grow: the true constraint says no."""
    true = TailBudget.supergradient
    monkeypatch.setattr(TailBudget, "supergradient", lambda self, t: 0.5 * true(self, t))
    monkeypatch.setattr(TailBudget, "to_boundary", lambda self, mu: mu)
    constraint = problem_of(2)
    mu = np.array([0.3, 0.3]) * 24 / constraint.tail(np.array([0.3, 0.3])).value
    values = ValueOracle(constraint.problem)
    how, starts = RunSettings(tol=1e-6), [("given", mu / mu.max())]
    with pytest.raises(rp.SolverError, match="left the feasible set"):
        minimise_dc(values, constraint, starts, "dca", how, Budget(), 0.0)


@pytest.mark.parametrize("method", ["hybrid", "dca", "algorithm1"])
@pytest.mark.parametrize("seed", [3, 7, 30])
def test_points_far_from_zero(seed: int, method: str) -> None:
    """Tail sums of 1e-9 of the traces, which their eigenvalues have to few digits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)) + 10.0 ** rng.integers(1, 6)
    spec = rp.MKL(kernels="linear,poly:2,rbf:1", variant="dc")
    assert fit_mkl(spec, rp.dataset(X, [1, -1] * 4), RunSettings(method=method)).objective > 0


def test_classes_and_squared_loss() -> None:
    rng = np.random.default_rng(0)
    data = rp.gram_set(grams(1, M=3).K, rng.permutation(np.arange(24) % 3))
    for loss in ("hinge", "squared"):
        run = fit_mkl(rp.MKL(variant="dc", loss=loss, starts=2), data, RunSettings())
        assert run.status is Status.CRITICAL_POINT
        assert run.bound < run.objective


# ---------------------------------------------------------------- branch and bound


def grid_value(constraint: TailBudget, steps: int) -> float:
    """The least J of two kernels over directions on a grid, scaled to the budget."""
    tails, evaluate = constraint.problem.kernels.tails(1), ValueOracle(constraint.problem)
    shares = [np.array([t, 1.0 - t]) for t in np.linspace(0.0, 1.0, steps)]
    return min(evaluate(constraint.to_boundary(p / tails), 1e-6).objective for p in shares)


@pytest.mark.parametrize(("seed", "n"), [(3, 4), (1, 5), (2, 4)][: count(3, 2)])
def test_the_global_value_agrees_with_a_grid(seed: int, n: int) -> None:
    data, spec = grams(seed, n), rp.MKL(variant="dc")
    run = fit_mkl(spec, data, RunSettings(method="global"))
    assert run.status is Status.OPTIMAL
    kernels = kernel_set(spec, data)
    constraint = TailBudget(MultipleKernels(kernels=kernels, C=1.0), 1, float(n))
    least = grid_value(constraint, 201)
    assert run.bound <= least * (1 + 1e-6)
    assert least * (1 - 1e-4) <= run.objective <= least * (1 + 1e-9)
    # the bound is the solver's where the relaxation does not prove the point
    sandwich = run.extra["sandwich"]
    proved = sandwich["bound"] >= run.objective * (1 - 1e-6)
    assert run.proved_by == ("duals" if proved else "solver")
    assert ("certified yes" if proved else "certified by its solver, not proved") in repr(run)
    assert proved or run.bound == sandwich["global_bound"] > sandwich["bound"]
    assert recompute_mkl(spec, data, run.evidence).pair == (run.objective, run.bound)


def test_global_of_one_kernel_limits_and_a_missing_solver(monkeypatch) -> None:
    data = grams(1, M=1)
    run = fit_mkl(rp.MKL(variant="dc"), data, RunSettings(method="global"))
    assert run.certified
    conv = fit_mkl(rp.MKL(), data, RunSettings())
    assert run.objective == pytest.approx(conv.objective, rel=1e-6)
    cut = fit_mkl(rp.MKL(variant="dc"), grams(TRAP), RunSettings(method="global", time_limit=2))
    assert cut.status is Status.LIMIT
    assert cut.bound < cut.objective

    monkeypatch.setattr(SolverSpec, "installed", lambda self: self.name != "scip")
    with pytest.raises(rp.SolverMissingError, match="MIQCQP is installed: pip install"):
        fit_mkl(rp.MKL(variant="dc"), grams(TRAP), RunSettings(method="global"))


def test_a_loose_tolerance_is_no_defect() -> None:
    """J is known to a share of the tolerance: a step may seem to rise by as much."""
    train = start_sites(1300, 2).take(np.arange(100))
    spec = rp.MKL(C=0.01, theta=16, variant="dc", starts=3)
    run = fit_mkl(spec, train, RunSettings(tol=1e-3))
    assert run.objective == pytest.approx(fit_mkl(spec, train, RunSettings()).objective, rel=1e-3)


@pytest.mark.parametrize("norm", [1.0, 2.0])
def test_a_limit_before_the_first_step_leaves_the_answer_of_the_relaxation(
    norm: float, monkeypatch
) -> None:
    def cut(*_) -> None:
        raise OutOfBudget

    spec, data = rp.MKL(variant="dc", norm=norm), grams(TRAP)
    whole = fit_mkl(spec, data, RunSettings())
    monkeypatch.setattr("radprog.decompositions.mkl.fit.minimise_dc", cut)
    run = fit_mkl(spec, data, RunSettings(time_limit=1e6))
    assert (run.status, run.reason) == (Status.LIMIT, Reason.TIME_LIMIT)
    assert run.bound == pytest.approx(whole.bound, rel=1e-6)
    assert whole.objective <= run.objective * (1 + 1e-6)
    assert run.objective <= 10.0 * whole.objective
    assert recompute_mkl(spec, data, run.evidence).pair == (run.objective, run.bound)
