"""Variant dc: feasible, descending, sandwiched, and honest where it is not global."""

from itertools import pairwise

import numpy as np
import pytest
from effort import count, examples
from hypothesis import given
from hypothesis import strategies as st
from mkl_figure2 import start_sites
from small_data import mixed_kernel

import radprog as rp
import radprog.decompositions.mkl.dca as mkl_dc
from radprog.base.errors import MALFORMED
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.mkl.branch import branch_and_bound, partition_bound
from radprog.decompositions.mkl.dca import WeightSteps, minimise_dc, starting_points
from radprog.decompositions.mkl.exchange import ValueOracle, minimise_over_ball
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels, TailBudget
from radprog.models.mkl.tail_sums import tail_sum

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


def uniform(M: int) -> list[tuple[str, FloatArray]]:
    return [("uniform", np.ones(M))]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_every_iterate_is_feasible_and_descends(method: str, power: float, seed: int) -> None:
    """The tail sum of the mixture itself is checked, not its linearisation."""
    constraint = problem_of(seed, M=3, theta=2, power=power)
    values = ValueOracle(constraint.problem)
    seen: list[tuple[float, float]] = []
    true = WeightSteps.objective

    def watched(self, x, rows):
        values = true(self, x, rows)
        sizes = [tail_sum(constraint.problem.combine(mu**power), 2) for mu in x]
        seen.extend(zip(values.tolist(), sizes, strict=True))
        return values

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WeightSteps, "objective", watched)
        how = RunSettings(tol=1e-6)
        result = minimise_dc(values, constraint, uniform(3), method, how, Budget(), 0.0)
    objectives = [value for value, _ in seen]
    assert len(seen) >= 4
    assert max(size for _, size in seen) <= 24.0 * (1 + 1e-9)
    assert min(size for _, size in seen) == pytest.approx(24.0)  # the constraint is active
    assert all(b <= a * (1 + 1e-7) for a, b in pairwise(objectives))
    assert result.value.objective == pytest.approx(min(objectives), rel=1e-6)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_the_three_methods_agree_from_one_start(power: float) -> None:
    constraint = problem_of(7, M=3, theta=2, power=power)
    objectives = []
    for method in METHODS:
        values = ValueOracle(constraint.problem)
        how = RunSettings(tol=1e-7)
        found = minimise_dc(values, constraint, uniform(3), method, how, Budget(), 0.0)
        objectives.append(found.value.objective)
        assert found.reason in (Reason.CRITICAL, Reason.STALLED)
        if found.reason is Reason.CRITICAL:
            assert found.residual <= 1e-6 * found.value.objective
    assert objectives == pytest.approx([objectives[0]] * 3, rel=2e-5)
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


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


def test_conv_of_norm_1_is_no_bound_of_dc_with_a_norm() -> None:
    """The bound of norm P is min J over sum T(K_m) mu_m^P <= budget; conv p = 1 lies above dc."""
    data = grams(2, M=3)
    dc = fit_mkl(
        rp.MKL(variant="dc", norm=2.0, theta=2, tail_budget=1.0, C=24.0), data, RunSettings()
    )
    conv = fit_mkl(rp.MKL(theta=2, tail_budget=1.0, C=24.0), data, RunSettings())
    assert dc.bound <= dc.objective < conv.bound


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
    assert local.status is RunStatus.CRITICAL_POINT
    assert local.summary["residual"] <= 1e-5 * local.objective
    best = fit_mkl(rp.MKL(variant="dc"), data, RunSettings(method="global"))
    assert best.status is RunStatus.OPTIMAL
    assert local.objective > 1.3 * best.objective
    least, value = (best.extra["sandwich"][key] for key in ("global_bound", "global_value"))
    assert best.bound <= value * (1 + 1e-9)
    assert least <= value == pytest.approx(best.objective, rel=1e-4)
    several = fit_mkl(rp.MKL(variant="dc", starts=4), data, RunSettings())
    assert several.objective == pytest.approx(best.objective, rel=1e-5)
    names = [start["start"] for start in several.extra["starts"]]
    assert names[:2] == ["uniform", "conv"]
    assert set(names[2:]) == {"vertex gram:0", "vertex gram:1"}
    # a start may be given
    again = fit_mkl(rp.MKL(variant="dc", starts=1), data, RunSettings(start=best.fit))
    assert again.extra["starts"][0]["start"] == "given"
    assert again.objective == pytest.approx(best.objective, rel=1e-6)


def test_more_starts_than_kernels_are_random_and_seeded() -> None:
    constraint = problem_of(1)
    values = ValueOracle(constraint.problem)
    first, again, other = (
        starting_points(values, constraint, np.ones(2), 6, seed) for seed in (0, 0, 1)
    )
    assert [name for name, _ in first[4:]] == ["random 4", "random 5"]
    assert np.array_equal(first[5][1], again[5][1])
    assert not np.array_equal(first[5][1], other[5][1])


def test_updates_that_stall_far_from_a_critical_point_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mkl_dc, "LAST_STEP_SHARE", 1e3)  # updates end after a decrease below 1e-3
    constraint = problem_of(7, M=3, theta=2)
    values = ValueOracle(constraint.problem)
    how = RunSettings(tol=1e-6)
    found = minimise_dc(values, constraint, uniform(3), "algorithm1", how, Budget(), 0.0)
    assert found.reason is Reason.STALLED
    assert found.residual > 1e-5 * found.value.objective


def test_a_wrong_linearisation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A supergradient that is too small lets the mixture grow: the true constraint says no."""
    true = TailBudget.supergradient
    monkeypatch.setattr(TailBudget, "supergradient", lambda self, t: 0.5 * true(self, t))
    monkeypatch.setattr(TailBudget, "to_boundary", lambda self, mu: mu)
    constraint = problem_of(2)
    mu = np.array([0.3, 0.3]) * 24 / constraint.tail(np.array([0.3, 0.3])).value
    values = ValueOracle(constraint.problem)
    with pytest.raises(rp.SolverError, match="left the feasible set"):
        minimise_dc(
            values,
            constraint,
            [("given", mu / mu.max())],
            "dca",
            RunSettings(tol=1e-6),
            Budget(),
            0.0,
        )


@pytest.mark.parametrize("method", ["hybrid", "dca", "algorithm1"])
@pytest.mark.parametrize("seed", [3, 7, 30])
def test_points_far_from_zero(seed: int, method: str) -> None:
    """Tail sums of 1e-9 of the traces, which their eigenvalues have to few digits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)) + 10.0 ** rng.integers(1, 6)
    spec = rp.MKL(kernels="linear,poly:2,rbf:1", variant="dc")
    assert fit_mkl(spec, rp.dataset(X, [1, -1] * 4), RunSettings(method=method)).objective > 0


def test_max_iter_0_returns_the_start() -> None:
    run = fit_mkl(rp.MKL(variant="dc", starts=1), grams(2), RunSettings(max_iter=0))
    assert run.trace == []
    weights = np.array(run.summary["weights"])
    assert weights == pytest.approx([weights[0]] * 2)
    assert run.summary["tail_sum"] == pytest.approx(24.0)
    assert run.status is RunStatus.LIMIT


def test_classes_and_squared_loss() -> None:
    rng = np.random.default_rng(0)
    data = rp.gram_set(grams(1, M=3).K, rng.permutation(np.arange(24) % 3))
    for loss in ("hinge", "squared"):
        run = fit_mkl(rp.MKL(variant="dc", loss=loss, starts=2), data, RunSettings())
        assert run.status is RunStatus.CRITICAL_POINT
        assert run.bound < run.objective


# ---------------------------------------------------------------- branch and bound


def grid_value(constraint: TailBudget, steps: int) -> float:
    """The least J over directions on a grid, scaled to the budget."""
    tails = constraint.problem.kernels.tails(constraint.theta)
    s = np.linspace(0.0, 1.0, steps)
    if len(tails) == 2:
        shares = [np.array([t, 1.0 - t]) for t in s]
    else:
        shares = [np.array([t, (1 - t) * u, (1 - t) * (1 - u)]) for t in s for u in s]
    evaluate = ValueOracle(constraint.problem)
    values = [evaluate(constraint.to_boundary(p / tails), 1e-6) for p in shares]
    return min(value.objective for value in values)


@pytest.mark.thorough
@pytest.mark.parametrize("M", [2, 3])
@pytest.mark.parametrize("seed", [TRAP, 1, 4][: count(3, 2)])
def test_the_global_value_agrees_with_a_grid(M: int, seed: int) -> None:
    constraint = problem_of(seed, M=M)
    values, how = ValueOracle(constraint.problem), RunSettings(tol=1e-6)
    start = values(constraint.to_boundary(np.ones(M)))
    found, reason, trace = branch_and_bound(values, constraint, start, how, Budget())
    assert reason is Reason.TOLERANCE
    assert found.best.objective - found.bound <= 1e-6 * found.best.objective
    assert max((record.detail["cones"] for record in trace), default=0) <= 60
    least = grid_value(constraint, 201 if M == 2 else 25)
    assert found.bound <= least
    assert found.best.objective <= least * (1 + 1e-9)
    assert found.best.objective >= least * (1 - (1e-4 if M == 2 else 5e-3))
    assert partition_bound(constraint, found.partition) == pytest.approx(found.bound, rel=1e-9)


def test_the_global_result_is_certified_and_recomputed() -> None:
    data, spec = grams(6, M=3), rp.MKL(variant="dc")
    run = fit_mkl(spec, data, RunSettings(method="global"))
    assert run.certified
    assert recompute_mkl(spec, data, run.evidence).pair == (run.objective, run.bound)
    assert run.bound > run.extra["sandwich"]["bound"]
    assert all(a <= b + 1e-12 for a, b in pairwise([record.bound for record in run.trace]))


def test_a_partition_that_leaves_a_cone_out_is_no_evidence() -> None:
    data, spec = grams(2), rp.MKL(variant="dc")
    run = fit_mkl(spec, data, RunSettings(method="global"))
    partition = run.evidence["partition"]
    assert len(partition["splits"]) >= 2
    missing = {**partition, "duals": dict(list(partition["duals"].items())[1:])}
    with pytest.raises(MALFORMED):
        recompute_mkl(spec, data, {**run.evidence, "partition": missing})
    empty = {"splits": [], "duals": {"0": partition["duals"][max(partition["duals"])]}}
    assert recompute_mkl(spec, data, {**run.evidence, "partition": empty}).bound < run.bound
    # a cut beyond the ends of an edge would leave directions out, and its bound would be none
    for share in (0.0, 1.0, -0.5, 1.5, float("nan"), "half"):
        splits = [[*partition["splits"][0][:3], share], *partition["splits"][1:]]
        with pytest.raises(MALFORMED):
            recompute_mkl(
                spec, data, {**run.evidence, "partition": {**partition, "splits": splits}}
            )


def stubborn() -> tuple[rp.MKL, rp.GramSet]:
    """Three kernels, of which cuts at midpoints with all cuts of J left 6e-6 after 60 splits."""
    rng = np.random.default_rng(11)
    n = int(rng.integers(10, 41))
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    K = []
    for _ in range(3):
        matrix, kind = mixed_kernel(rng, y)
        K.append(matrix + (kind != 1) * 1e-3 * np.eye(n))
    C, theta = 10.0 ** rng.uniform(-2, 3), int(rng.integers(1, 4))
    return rp.MKL(variant="dc", C=C, theta=theta, loss="squared"), rp.gram_set(np.array(K), y)


@pytest.mark.thorough
def test_three_kernels_are_closed_in_few_splits() -> None:
    run = fit_mkl(*stubborn(), RunSettings(method="global", max_iter=50))
    assert run.certified
    assert run.objective == pytest.approx(1.44505662, rel=1e-8)


def test_one_kernel_and_limits() -> None:
    data = grams(1, M=1)
    run = fit_mkl(rp.MKL(variant="dc"), data, RunSettings(method="global"))
    assert run.certified
    conv = fit_mkl(rp.MKL(), data, RunSettings())
    assert run.objective == pytest.approx(conv.objective, rel=1e-6)
    cut = fit_mkl(rp.MKL(variant="dc"), grams(2), RunSettings(method="global", max_iter=1))
    assert cut.status is RunStatus.LIMIT
    assert cut.bound < cut.objective


def test_a_loose_tolerance_is_no_defect() -> None:
    """J is known to a share of the tolerance: a step may seem to rise by as much."""
    train = start_sites(1300, 2).take(np.arange(100))
    spec = rp.MKL(C=0.01, theta=16, variant="dc", starts=3)
    run = fit_mkl(spec, train, RunSettings(tol=1e-3))
    assert run.objective == pytest.approx(fit_mkl(spec, train, RunSettings()).objective, rel=1e-3)
