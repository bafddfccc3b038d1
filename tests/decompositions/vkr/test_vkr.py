"""VKR: every route to the optimum against an independent one, on many small problems; coordinate
descent step by step."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from effort import count, examples
from hypothesis import given
from hypothesis import strategies as st

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import MasterPoint, exchange
from radprog.decompositions.drivers.masters import RebuiltProgram, boxed_program
from radprog.decompositions.drivers.sifting import SiftedMaster
from radprog.decompositions.loop import NOTHING_ADDED, Budget, Loop, Reason, max_iterations
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr import fit
from radprog.decompositions.vkr.coordinate_descent import (
    CoordinateDescent,
    descend_coordinates,
    exact_step,
)
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.pricing import VotedOracle
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import Precomputed
from radprog.models.vkr.bounds import SAMPLED_MEAN
from radprog.models.vkr.problem import Incumbent, VotedKernels
from radprog.solvers.program import SolveSettings, Status

TIGHT = RunSettings(tol=1e-9, abs_tol=0.0)
AGREE = 1e-7


def colgen(problem: VotedKernels) -> fit.Solved:
    return fit.generate_columns(problem, TIGHT, Budget())


def whole(dual: bool) -> Callable[[VotedKernels], fit.Solved]:
    return lambda problem: fit.solve_whole(problem, TIGHT, Budget(), dual=dual)


def colgen_rebuilt(problem: VotedKernels) -> fit.Solved:
    """Column generation on a master that is rebuilt every round."""
    incumbent = Incumbent.trivial(problem)
    oracle = VotedOracle(problem, incumbent)
    box = boxed_program(np.full(problem.m, -1.0), np.zeros(problem.m), np.ones(problem.m))
    loop = Loop([TIGHT.gap_reached(), NOTHING_ADDED, max_iterations(100)], Budget())
    exchange(RebuiltProgram(box, "highs", SolveSettings(tol=1e-10)), oracle, loop)
    return fit.Solved(loop.reason, loop.trace, incumbent, oracle.pairs)


ROUTES = {
    "colgen": colgen,
    "colgen-rebuilt": colgen_rebuilt,
    "primal": whole(dual=False),
    "dual": whole(dual=True),
}


# ---------------------------------------------------------------- right answers


def test_the_collection_is_not_trivial(collection) -> None:
    hard = [one for _, one in collection if one.value < 0.5 and one.nonzeros >= 3]
    assert len(hard) >= len(collection) / 2
    assert max(one.gap for _, one in collection) < 1e-8
    assert {problem.bank.shape[0] for problem, _ in collection} == {1, 2, 3}
    assert sum(not problem.bank.own_centres for problem, _ in collection) >= len(collection) / 4


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(ROUTES)))
@examples(60)
def test_routes_agree_on_any_problem(make_problem, reference, seed: int, route: str) -> None:
    problem = make_problem(seed)
    expected = reference(problem)
    incumbent = ROUTES[route](problem).incumbent
    incumbent.certify(problem)
    slack = AGREE * expected.value + 2 * (expected.value - expected.bound)
    assert abs(incumbent.objective - expected.value) <= slack
    assert incumbent.bound <= expected.value * (1 + 1e-12)


def test_rows_are_points_in_a_fit(tmp_path) -> None:
    """A kernel file: column 0 separates the points, the transposed matrix separates nothing."""
    data = rp.dataset(np.zeros((2, 1)), np.array([1, -1]), name="two")
    K = np.array([[1.0, 0.0], [-1.0, 0.0]])
    for matrix, optimum in ((K, 0.1), (K.T, 0.6)):
        path = tmp_path / "K.npy"
        np.save(path, matrix)
        spec = rp.VKR(kernels=f"file:{path}", complexity="none", beta=0.1)
        for method in ("colgen", "direct", "dual"):
            found = fit.fit_vkr(spec, data, RunSettings(method=method))
            assert found.objective == pytest.approx(optimum)
            assert found.certified
        scores = found.fit.scores(data.X, cross=matrix)
        assert scores == pytest.approx(np.array([1.0, -1.0 if matrix is K else 0.0]))


# ---------------------------------------------------------------- norm-1 SVM


# ---------------------------------------------------------------- screening


@pytest.mark.parametrize("method", ["colgen", "direct", "dual"])
def test_alpha_is_zero_from_lambda_max_on(points, method: str) -> None:
    data = points(14, seed=1)
    problem, _ = fit.assemble(rp.VKR(kernels="poly:1-3", complexity="none", beta=1.0), data)
    largest = float(problem.mean_correlations.max())
    for beta in (largest * (1 + 1e-7), largest * 3):
        spec = rp.VKR(kernels="poly:1-3", complexity="none", beta=beta)
        zero = fit.fit_vkr(spec, data, RunSettings(method=method))
        assert zero.objective == 1.0
        assert zero.evidence["alpha"] == []
        assert zero.certified
        assert zero.summary["support_vectors"] == 0
    spec = rp.VKR(kernels="poly:1-3", complexity="none", beta=largest * (1 - 1e-3))
    below = fit.fit_vkr(spec, data, RunSettings(method=method, tol=1e-9, abs_tol=0))
    assert below.objective < 1.0 - 1e-6
    assert len(below.evidence["alpha"]) >= 1


# ---------------------------------------------------------------- the run


def test_result_is_recomputed_from_the_evidence(points, naive_value, naive_bound) -> None:
    data = points(20, seed=5)
    spec = rp.VKR(kernels="poly:1-3,rbf:1", complexity="massart", lam=1e-2, beta=1e-3)
    problem, penalties = fit.assemble(spec, data)
    for method in rp.VKR.methods:
        found = fit.fit_vkr(spec, data, RunSettings(method=method))
        pairs, alpha = found.evidence["pairs"], found.evidence["alpha"]
        assert found.objective == pytest.approx(naive_value(problem, pairs, alpha), rel=1e-12)
        d = np.array(found.evidence["d"])
        assert found.bound == pytest.approx(naive_bound(problem, d), rel=1e-12)
        assert found.bound <= naive_bound(problem, d)
        assert found.evidence["penalties"] == penalties.r.tolist()
        assert 0.0 not in alpha
        scores = problem.bank.columns(np.array(pairs)) @ np.array(alpha)
        assert found.fit.scores(data.X) == pytest.approx(scores, rel=1e-9, abs=1e-12)
        assert found.summary["coefficients"] == len(pairs)
        assert found.summary["support_vectors"] == len({j for _, j in pairs})
        families, sizes = np.array(pairs)[:, 0], np.abs(alpha)
        weights = np.bincount(families, sizes, minlength=4) * problem.prices
        assert found.summary["weight_per_kernel"] == pytest.approx(weights)
        assert (found.solver.name == "none") == (method == "cd")


def test_start_from_an_earlier_fit(points) -> None:
    data = points(40, seed=2)
    spec = rp.VKR(kernels="poly:1-4,rbf:1", lam=1e-4, beta=1e-4)
    first = fit.fit_vkr(spec, data, RunSettings(tol=1e-10, abs_tol=0.0))
    again = fit.fit_vkr(spec, data, RunSettings(tol=1e-10, abs_tol=0.0, start=first.fit))
    assert again.objective == pytest.approx(first.objective, rel=1e-9)
    assert len(again.trace) == 1 < len(first.trace)

    nothing = fit.fit_vkr(spec, data, RunSettings(start=first.fit, max_iter=0))
    assert nothing.status is Status.LIMIT
    assert nothing.objective == pytest.approx(first.objective, rel=1e-9)


@pytest.mark.parametrize("spec", [rp.VKR(kernels="poly:2,rbf:1"), rp.L1SVM(kernels="rbf:1")])
def test_only_columns_of_the_same_points_start(spec: rp.VKR | rp.L1SVM, points) -> None:
    """A column of another point is another column, even under the same number."""
    data = points(40, seed=2)
    first = fit.fit_vkr(spec, data, RunSettings())
    pairs, alpha = first.evidence["pairs"], first.evidence["alpha"]
    moved = data.X.copy()
    moved[::2] = np.nextafter(moved[::2], 2.0)
    problem, _ = fit.assemble(spec, replace(data, X=moved))
    kept = [(tuple(p), a) for p, a in zip(pairs, alpha, strict=True) if p[1] % 2 == 1]
    assert 0 < len(kept) < len(pairs)
    warm = fit.known_columns(problem, first.fit)
    found = zip(map(tuple, warm.pairs.tolist()), warm.alpha.tolist(), strict=True)
    assert sorted(found) == sorted(kept)
    other = points(40, seed=3)
    started = fit.fit_vkr(spec, other, RunSettings(start=first.fit, max_iter=0))
    assert started.objective == fit.fit_vkr(spec, other, RunSettings(max_iter=0)).objective
    assert any("no column of this problem" in text for text in started.warnings)


# ---------------------------------------------------------------- refusals


def test_solver_options_and_log_reach_the_master(points, tmp_path) -> None:
    log = tmp_path / "highs.log"
    limit = {"simplex_iteration_limit": "0"}
    for method in ("direct", "dual", "colgen"):
        asked = RunSettings(method=method, log=str(log), solver_options=limit)
        with suppress(rp.SolverError, rp.UnfinishedError):  # a limit of the solver's own
            run = fit.fit_vkr(rp.VKR(kernels="rbf:1"), points(20), asked)
            assert not run.certified
        assert "HiGHS" in log.read_text()
        log.unlink()
    # the first master of column generation has no rows and takes no iteration, the second one does
    assert run.reason is Reason.SOLVER
    assert "Iteration limit" in run.warnings[0]


ILL_SCALED = [  # features' size, points, spec: kernel values over up to 50 orders of magnitude
    (30.0, 60, rp.VKR(kernels="poly:10", complexity="none", beta=1e-3), False),
    (300.0, 60, rp.VKR(kernels="poly:1-10", complexity="none"), False),
    (10.0, 60, rp.VKR(kernels="poly:6", lam=0.0, beta=1e-9), False),
    (100.0, 40, rp.L1SVM(kernels="poly:4", beta=1e-3), True),  # an optimum of 1e-7
    (1.0, 150, rp.L1SVM(kernels="poly:8", beta=1e-6), True),  # closed at the exact vertex
]


@pytest.mark.parametrize(("size", "m", "spec", "closed"), ILL_SCALED)
def test_ill_scaled_columns_neither_crash_nor_lie(points, size, m, spec, closed) -> None:
    data = points(m, seed=5 if m == 150 else 1 if closed else 3)
    settings = RunSettings(tol=1e-8 if size != 100.0 else 1e-6, abs_tol=0.0 if closed else 1e-9)
    run = fit.fit_vkr(spec, rp.dataset(size * data.X, data.y), settings)
    assert 0.0 <= run.bound <= run.objective <= 1.0
    assert run.objective < 0.5
    assert run.certified or not closed


def test_rounds_at_the_exact_vertex_count_as_iterations(points) -> None:
    data, spec = points(60, seed=5), rp.L1SVM(kernels="poly:8", beta=1e-6)
    never = RunSettings(tol=0.0, abs_tol=0.0)
    free = fit.fit_vkr(spec, data, never)
    assert free.reason is Reason.NO_COLUMN
    assert free.trace[-1].detail["added"] == free.trace[-2].detail["added"] == 0  # polished
    for limit in range(len(free.trace) - 3, len(free.trace) + 2):
        found = fit.fit_vkr(spec, data, replace(never, max_iter=limit))
        assert len(found.trace) == min(limit, len(free.trace))
        assert [record.iteration for record in found.trace] == list(range(len(found.trace)))
        assert (found.reason is Reason.MAX_ITER) is (limit < len(free.trace))


def test_a_failed_master_keeps_what_was_found(points, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, calls = SiftedMaster.solve, itertools.count()

    def failing(self: SiftedMaster, budget: Budget) -> MasterPoint:
        if next(calls) == 3:
            raise rp.SolverError("planted")
        return solve(self, budget)

    monkeypatch.setattr(SiftedMaster, "solve", failing)
    data = points(60, seed=2)
    run = fit.fit_vkr(rp.VKR(kernels="rbf:3", lam=0.0, beta=1e-4), data, RunSettings())
    assert not run.certified
    assert run.reason is Reason.SOLVER
    assert len(run.trace) == 3
    assert run.warnings[-1] == "column generation ended early: planted"
    assert run.objective < 1.0


def test_traces_obey_their_laws(collection) -> None:
    """Bounds rise and never pass the optimum, objectives fall and never go below it."""
    rounds = 0
    for problem, reference in collection:
        trace = colgen(problem).trace
        rounds += len(trace)
        for record in trace:
            assert record.bound <= reference.value * (1 + 1e-9)
            assert record.objective >= reference.bound * (1 - 1e-9)
            assert record.detail["largest_ratio"] >= 0.0
        for before, after in itertools.pairwise(trace):
            assert after.bound >= before.bound
            assert after.objective <= before.objective
            assert after.detail["master"] >= before.detail["master"] * (1 + 1e-9)
            assert after.detail["columns"] == before.detail["columns"] + before.detail["added"]
            assert after.iteration == before.iteration + 1
    assert rounds > 2 * len(collection)


def test_fits_of_a_grid_have_their_threads(monkeypatch) -> None:
    data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    specs = [rp.VKR(kernels="poly:1-2", lam=lam) for lam in (0.1, 0.01)]
    seen, generate = [], fit.generate_columns

    def watched(problem, *given, **how):
        seen.append(problem.bank.threads)
        return generate(problem, *given, **how)

    monkeypatch.setattr(fit, "generate_columns", watched)
    rp.fit_grid(specs, data, threads=2)
    assert seen == [2, 2]


@pytest.mark.parametrize(("rows", "drawn"), [(6, False), (30, True)])
def test_a_bound_of_drawn_signs_names_their_sampling_error(rows: int, drawn: bool) -> None:
    """All sign vectors of six rows are enumerated: they spend nothing."""
    data = rp.dataset(np.arange(rows, dtype=float)[:, None], np.where(np.arange(rows) % 3, 1, -1))
    run = rp.fit(rp.VKR(kernels="rbf:1,rbf:2", complexity="montecarlo", trials=64), data)
    (bound,) = run.extra["bounds"]
    assert (SAMPLED_MEAN in bound["caveats"]) is drawn
    sure = (row for row in rp.bounds(run, data)["rows"] if row["name"] == "Theorem 1, Monte Carlo")
    assert not any(SAMPLED_MEAN in row["caveats"] for row in sure)


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
    assert stuck.status is Status.FEASIBLE
    assert not stuck.certified
    assert stuck.stopped_by is Reason.STALLED
    assert stuck.gap > 0.29
    assert any("stall" in warning for warning in stuck.warnings)
    best = fit_vkr(spec, data, RunSettings())
    assert best.status is Status.OPTIMAL
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
