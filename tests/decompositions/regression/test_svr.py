"""Bounded losses. CCCP: monotone traces, the ball, exact optima, forms, limits; branch and bound:
the global optimum, proved from the data."""

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from convex_pieces import least_values
from effort import count, seeds
from refusals import refused
from sklearn.datasets import load_diabetes
from small_data import handful
from table_generators import sinc

import radprog as rp
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression import branch, cccp, complexity
from radprog.decompositions.regression.complexity import fit_complexity, recompute_complexity
from radprog.decompositions.regression.fit import assemble, fit_svr, recompute_svr
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings
from radprog.instances.splits import regression_errors
from radprog.models.complexity import all_signs, draw_signs, standard_error
from radprog.models.regression.problem import BoundedLoss, complexity_terms, regression_class
from radprog.models.regression.settings import SVR, Complexity
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_model

EXACT = RunSettings(method="exact")
LINE = rp.regression_data(np.linspace(-1, 1, 12)[:, None], 0.5 * np.linspace(-1, 1, 12))


def descended(fits, starts: int, carried: Sequence[np.ndarray] = ()):
    """The best ends of starts of their own, without an exchange."""
    kinds = cccp.start_kinds(starts, bool(carried))
    points = fits.starts(kinds, np.random.default_rng(0), Budget())
    return cccp.descend_from(fits, Budget(), [*carried, *points])


@pytest.mark.thorough
@pytest.mark.parametrize("radius", [{"A": 0.3}, {"A": 20.0}, {"C": 0.5}, {"C": 30.0}])
@pytest.mark.parametrize("loss", [BoundedLoss(), BoundedLoss(low=0.1, up=0.7)])
def test_true_objective_falls_to_a_finite_end(radius: dict[str, float], loss: BoundedLoss) -> None:
    data = sinc(40, seed=1)
    problem = regression_class(np.exp(-((data.X - data.X.T) ** 2)), data.targets, loss)
    signs, ball = draw_signs(40, 6, 0, "rademacher"), cccp.Radius(**radius)
    fits = cccp.SignedFits(problem=problem, signs=signs, radius=ball)
    found = descended(fits, 5)
    values = [record.objective for record in found.trace]
    assert found.reason is Reason.CRITICAL
    assert len(values) < 100
    assert all(b <= a for a, b in itertools.pairwise(values))
    assert np.allclose(ball.objective(problem, found.x, fits.signs), found.values, rtol=1e-12)
    assert found.steps.doubtful == 0
    # a critical point: another descent from there finds nothing
    again = descended(fits, 1, carried=[found.x])
    assert np.all(again.values >= found.values - 1e-6 * (1 + np.abs(found.values)))


@pytest.mark.parametrize("name", ["piqp", "highs"])
def test_named_solver_of_the_steps(name: str) -> None:
    data, spec = sinc(20, seed=2), SVR(gamma=1.0, C=2.0)
    own = fit_svr(spec, data, RunSettings())
    other = fit_svr(spec, data, RunSettings(solver=name))
    assert other.objective == pytest.approx(own.objective, rel=1e-5)
    assert other.solver.name == name
    with pytest.raises(rp.CapabilityError):
        fit_svr(SVR(A=1.0), data, RunSettings(solver=name))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: fit_complexity(Complexity(kind="discrepancy"), sinc(7), RunSettings()), "even"),
        (lambda: fit_complexity(Complexity(), sinc(30), EXACT), "exact"),
        (lambda: fit_complexity(Complexity(trials=9), sinc(41), EXACT), "41 points, at most 40"),
        (lambda: fit_svr(SVR(), sinc(41), RunSettings(method="global")),
         r"of 41 points .* at most 40 .* use method cccp, or"),
        (lambda: fit_svr(SVR(), rp.regression_data([[1.0]], [1.0]), RunSettings()), "at least 2"),
        (lambda: svr_form(SVR(kernels="linear", A=50.0, eps_low=0.1), LINE, "step", RunSettings()),
         "not active"),
    ],
)  # fmt: skip
def test_data_that_do_not_allow_it(call, named: str) -> None:
    refused((rp.OptionError, rp.DataError), named, call)


def test_the_objective_is_that_of_the_predictor() -> None:
    data = sinc(50, seed=4)
    for spec in (SVR(A=2.0), SVR(C=1.5, eps_low=0.05, eps_up=0.8), SVR(kernels="linear", A=1.0)):
        run = fit_svr(spec, data, RunSettings())
        assert (run.bound, run.status) == (None, Status.CRITICAL_POINT)
        losses = spec.loss()(data.targets - run.fit.predict(data.X))
        norm = 0.5 * run.summary["norm2"] if spec.C else 0.0
        assert run.objective == pytest.approx(norm + (spec.C or 1.0) * losses.sum(), rel=1e-7)
    errors = regression_errors(np.ones(2), np.array([0.0, 2.0]))
    assert errors == {"mae": 1.0, "mape": None, "below": 0.5}
    # a residual of rounding is 0, whatever the units
    rng = np.random.default_rng(0)
    for unit in (1e-6, 1.0, 1e6):
        y, around = unit * rng.normal(size=40), 1e-13 * unit * rng.normal(size=40)
        assert regression_errors(y + around, y)["below"] == 1.0
        assert regression_errors(y - 1e-6 * unit, y, quantile=0.5)["below"] == 0.0
    too_long = {**run.evidence, "coefficients": np.linspace(-9.0, 9.0, 50).tolist()}
    refused(rp.DataError, "A = 1", recompute_svr, spec, data, too_long, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_complexity_lies_between_its_estimate_and_its_bound(kind: str) -> None:
    data = sinc(6, seed=0)
    spec = Complexity(gamma=1.0, A=1.0, kind=kind)
    exact = fit_complexity(spec, data, RunSettings(method="exact"))
    assert exact.extra["certified_upper"] == pytest.approx(exact.objective, abs=1e-7)
    assert exact.extra["standard_error"] == 0.0
    assert recompute_complexity(spec, data, exact.evidence, 0).objective == exact.objective
    rough = fit_complexity(dataclasses.replace(spec, trials=count(300)), data, RunSettings())
    value = exact.objective or 0.0
    assert (rough.objective or 0) <= value + 4 * rough.extra["standard_error"]
    assert (rough.objective or 0) >= value - 4 * rough.extra["standard_error"] - 0.1
    assert rough.extra["certified_upper"] >= value
    assert "too low on average" in rough.extra["estimate"]


def test_the_plain_regression_is_always_a_start() -> None:
    for k, carried in itertools.product(range(20), (False, True)):
        kinds = cccp.start_kinds(k, carried)
        assert (len(kinds), *kinds[:1]) == ((k, 0) if k else (0,))
    assert set(cccp.start_kinds(30, True)) == set(range(7)) - {2}


@pytest.mark.parametrize(("seed", "value"), [(0, 3.9451886), (28, 1.0), (127, 2.0), (143, 2.0)])
def test_fifty_starts_find_the_optimum_of_a_handful_of_points(seed: int, value: float) -> None:
    """Values by all convex pieces. Starts of two kinds that coincide where all losses are
    minimised missed each of these."""
    data, options = handful(seed)
    _, problem = assemble(SVR(**{**options, "eps_low": 0.0}), data)
    signs = -np.ones((1, data.rows))
    ball = cccp.Radius(A=options["A"])
    found = descended(cccp.SignedFits(problem=problem, signs=signs, radius=ball), 50)
    assert found.values[0] == pytest.approx(value, abs=1e-5)
    assert 30 <= found.distinct[0] <= 50


def test_a_badly_solved_step_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step solver that returns nonsense ends the descent, with a warning, and spoils nothing."""
    real = cccp.solve_hinges_of_rank

    def broken(*arguments, **options):
        found = real(*arguments, **options)
        return dataclasses.replace(found, w=0 * found.w, b=found.b + 5, value=found.value + 9)

    data = sinc(30)
    constant = fit_svr(SVR(A=0.0), data, RunSettings()).objective
    monkeypatch.setattr(cccp, "solve_hinges_of_rank", broken)
    run = fit_svr(SVR(A=2.0, starts=2), data, RunSettings())
    assert run.objective == pytest.approx(constant)
    assert "duality gap" in run.warnings[0]


PAST = RunSettings(time_limit=1e-9)
INTERRUPTED = RunSettings(interrupted=lambda: True)


@pytest.mark.parametrize("settings", [PAST, INTERRUPTED], ids=["time", "interrupt"])
def test_without_a_first_step_there_is_no_answer(settings) -> None:
    for fit, spec in (
        (fit_svr, rp.SVR(A=5.0)),
        (fit_svr, rp.SVR(C=2.0)),
        (fit_complexity, rp.Complexity(gamma=1.0, A=0.5, trials=8)),
        (fit_srm, rp.SRM(gammas="0.5,2", As="0.1,1", trials=6)),
    ):
        refused(rp.UnfinishedError, "ended before", fit, spec, sinc(12), settings)


@pytest.mark.thorough
def test_a_part_of_the_sample_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sign vector is a block: what is done when the interrupt comes is the full run's."""
    monkeypatch.setattr(complexity, "TRIALS", 1)
    data, spec = sinc(20), rp.Complexity(gamma=1.0, A=1.0, trials=8, starts=2)
    seen: list[Record] = []
    full = fit_complexity(spec, data, RunSettings(observe=seen.append))
    assert [record.iteration for record in seen] == list(range(len(seen)))
    assert full.extra["trials"] == 8
    assert full.warnings == ()
    sizes = set()
    for most in (len(seen) // 2, len(seen) - 2):
        watched: list[Record] = []

        def interrupted(watched: list[Record] = watched, most: int = most) -> bool:
            return len(watched) >= most

        settings = RunSettings(observe=watched.append, interrupted=interrupted)
        run = fit_complexity(spec, data, settings)
        assert (run.status, run.stopped_by) == (Status.LIMIT, Reason.INTERRUPT)
        done = run.extra["trials"]
        sizes.add(done)
        again = recompute_complexity(spec, data, run.evidence, 0)
        assert again.objective == pytest.approx(run.objective, rel=1e-12)
        assert 2 <= done < 8
        assert f"{done} of 8 sign vectors were done" in " ".join(run.warnings)
        for part in ("coefficients", "bias"):
            assert run.evidence[part] == full.evidence[part][:done]
    assert len(sizes) == 2


def test_an_end_at_kinks_of_integer_targets_is_no_stop() -> None:
    """Of rows with a residual of exactly 1, a step takes those inside that it can."""
    X, y = load_diabetes(return_X_y=True)
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[:265], y[:265]
    with pytest.warns(rp.RadprogWarning, match="saturated"):
        run = rp.fit(rp.SVR(C=100.0, gamma=0.1), rp.regression_data(X, y))
    f = run.fit.predict(X)
    kernel = np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    # towards the function through the rows that do not saturate
    rows = np.flatnonzero(np.abs(y - f) <= 1.0 + 1e-9)
    toward = np.zeros(len(y))
    toward[rows] = np.linalg.solve(kernel[np.ix_(rows, rows)], (y - f)[rows])
    bias = run.summary["bias"]
    at = np.linalg.lstsq(kernel, f - bias, rcond=None)[0]

    def objective(alpha) -> float:
        losses = np.minimum(1.0, np.abs(y - kernel @ alpha - bias))
        return float(0.5 * alpha @ kernel @ alpha + 100.0 * losses.sum())

    assert len(rows) > 4
    assert objective(at) == pytest.approx(run.objective, rel=1e-6)
    for share in (1e-6, 1e-3, 1e-2, 0.1):
        assert objective(at + share * toward) >= objective(at) - 1e-6


def test_a_printed_complexity_has_its_error_and_upper_bound() -> None:
    """Beside the numbers of its fit, which is not what was asked for."""
    run = fit_complexity(Complexity(gamma=1.0, A=0.1, trials=4, starts=1), sinc(8), RunSettings())
    assert f"standard error {run.standard_error:.2g}, certified upper " in repr(run)
    assert float(repr(run).split("certified upper ")[1].split(",")[0]) >= run.certified_upper


GLOBAL = RunSettings(method="global")


@pytest.mark.parametrize("seed", seeds(30, 10))
def test_certified_and_equal_to_every_convex_piece(seed: int) -> None:
    data, options = handful(seed)
    spec = rp.SVR(**options)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is Status.OPTIMAL
    _, problem = assemble(spec, data)
    (exact,) = least_values(problem, -np.ones((1, data.rows)), spec.radius)
    assert run.objective == pytest.approx(exact, abs=2e-6)
    assert run.bound <= exact + 1e-9
    assert recompute_svr(spec, data, run.evidence, 0).pair == (run.objective, run.bound)


@pytest.mark.parametrize("C", [0.3, 4.0])
def test_penalised_form_against_scip(C: float) -> None:
    data, spec = sinc(9, seed=3), rp.SVR(gamma=2.0, C=C, eps_up=0.4)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is Status.OPTIMAL
    program = svr_form(spec, data, "global", RunSettings()).model
    assert solve_model(program, "scip").objective == pytest.approx(run.objective, abs=1e-5)


@pytest.mark.parametrize("options", [{"A": 0.0}, {"A": 1.0, "kernels": "linear"}, {"C": 1e-3}])
def test_constants_and_flat_classes(options: dict) -> None:
    y = np.append(np.random.default_rng(0).normal(size=7), 40.0)
    for x in (np.zeros((8, 1)), np.linspace(-1.0, 1.0, 8)[:, None]):
        run = fit_svr(rp.SVR(**options), rp.regression_data(x, y), GLOBAL)
        assert run.status is Status.OPTIMAL
        assert run.summary["saturated"] >= 1


def test_descent_alone_is_beaten() -> None:
    """One start ends at 3 of 5 points saturated, where 2 are enough."""
    data, options = handful(127)
    spec = rp.SVR(**{**options, "eps_up": 0.3, "eps_low": 0.0}, starts=1)
    assert fit_svr(spec, data, RunSettings()).objective == pytest.approx(3.0, abs=1e-6)
    run = fit_svr(spec, data, GLOBAL)
    assert run.objective == pytest.approx(2.0, abs=1e-6)
    assert run.certified


@pytest.mark.thorough
def test_limits_leave_a_bound() -> None:
    data, spec = sinc(24, seed=2), rp.SVR(gamma=0.6, A=2.0, eps_up=0.1)
    whole = fit_svr(spec, data, GLOBAL)
    bounds = [record.bound for record in whole.trace]
    assert bounds == sorted(bounds)
    few = fit_svr(spec, data, RunSettings(method="global", max_iter=3))
    assert (few.status, few.stopped_by) == (Status.LIMIT, Reason.MAX_ITER)
    assert 0.0 < few.bound < whole.bound <= whole.objective <= few.objective
    assert recompute_svr(spec, data, few.evidence, 0).pair == (few.objective, few.bound)
    with pytest.raises(rp.UnfinishedError, match="interrupt"):
        fit_svr(spec, data, RunSettings(method="global", interrupted=lambda: True))


def test_stored_pieces_that_prove_nothing() -> None:
    data, spec = sinc(10), rp.SVR(A=1.0, eps_up=0.2)
    run = fit_svr(spec, data, GLOBAL)
    evidence = run.evidence
    assert len(evidence["pieces"]) > 1
    left_out = {key: evidence[key][1:] for key in ("pieces", "multipliers_of")}
    refused(rp.DataError, "leave out", recompute_svr, spec, data, {**evidence, **left_out}, 0)
    for factor, told in ((2.0, "> A"), (1.0 + 1e-9, "above A")):
        longer = {"coefficients": (factor * np.array(evidence["coefficients"])).tolist()}
        refused(rp.DataError, told, recompute_svr, spec, data, {**evidence, **longer}, 0)
    wrong = {"multipliers_of": evidence["multipliers_of"][1:]}
    refused(rp.DataError, "do not fit", recompute_svr, spec, data, {**evidence, **wrong}, 0)
    flipped = (-np.array(evidence["multipliers"])).tolist()
    assert recompute_svr(spec, data, {**evidence, "multipliers": flipped}, 0).bound < run.bound


@pytest.mark.parametrize("seed", seeds(12, 5))
def test_suprema_are_those_of_every_convex_piece(seed: int) -> None:
    data, options = handful(seed)
    spec = rp.Complexity(**options, starts=1)
    _, problem = assemble(spec, data)
    rows = all_signs(data.rows, "rademacher")[::-3][:10]
    exact = least_values(problem, rows, spec.radius)
    ends, bounds = complexity.branch_signs(spec, problem, rows, RunSettings(), Budget())
    assert ends.values == pytest.approx(exact, abs=2e-7)
    assert np.all(bounds <= exact + 1e-8)
    assert np.all(bounds >= exact - 2e-7)


def test_drawn_sign_vectors_with_exact_suprema() -> None:
    """Above the estimate of descents from the same sign vectors, with a bound of its own."""
    data, spec = sinc(14, seed=1), rp.Complexity(gamma=2.0, A=1.0, trials=6)
    run = complexity.fit_complexity(spec, data, RunSettings(method="exact"))
    rough = complexity.fit_complexity(spec, data, RunSettings())
    assert run.objective >= rough.objective - 1e-8
    assert run.extra["trials"] == 6
    signs = complexity.signs_of(spec, 14, 0, "exact")
    K = np.exp(-2.0 * np.square(data.X - data.X.T))
    h = np.array(run.evidence["coefficients"]) @ K + np.array(run.evidence["bias"])[:, None]
    terms = complexity_terms(signs, np.einsum("ij,ij->i", signs, spec.loss()(data.targets - h)))
    assert run.extra["standard_error"] == pytest.approx(standard_error(terms))
    sampled = run.extra["certified_upper_by"]["all"]["sampled"]
    assert sampled == pytest.approx(terms.mean() + np.sqrt(2 * np.log(20) / (14 * 6)), abs=1e-5)
    assert sampled <= rough.extra["certified_upper_by"]["all"]["sampled"]
    again = complexity.recompute_complexity(spec, data, run.evidence, 0)
    assert again.objective == pytest.approx(run.objective, rel=1e-12)


@pytest.mark.thorough
@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_a_limit_of_an_enumeration_leaves_a_certified_interval(kind: str, monkeypatch) -> None:
    monkeypatch.setattr(branch, "NODES_AT_ONCE", 4)  # trees close one by one
    data, spec = sinc(6, seed=1), rp.Complexity(gamma=1.0, kind=kind)
    whole = complexity.fit_complexity(spec, data, RunSettings(method="exact"))
    assert (whole.status, whole.certified_by) == (Status.OPTIMAL, "tol")
    assert whole.bound == whole.certified_upper
    seen: list[Record] = []
    gaps = [whole.gap]
    for how, reason in (
        ({"observe": seen.append, "interrupted": lambda: len(seen) >= 9}, Reason.INTERRUPT),
        ({"max_iter": 9}, Reason.MAX_ITER),
        ({"max_iter": 0}, Reason.MAX_ITER),
    ):
        run = complexity.fit_complexity(spec, data, RunSettings(method="exact", **how))
        assert (run.status, run.stopped_by) == (Status.LIMIT, reason)
        assert run.objective - 1e-9 <= whole.objective <= whole.bound <= run.bound + 1e-9
        assert f"{len(run.trace)} of " in run.extra["estimate"]
        # by the same trees from the stored functions
        again = complexity.recompute_complexity(spec, data, run.evidence, 0)
        assert again.pair == pytest.approx((run.objective, run.bound), rel=1e-12)
        gaps.append(run.gap)
        assert len(run.trace) >= (9 if len(gaps) < 4 else 0)
    assert gaps[0] < 1e-6 < gaps[1] <= gaps[2] < gaps[3]
    # a stored function that is worse leaves a bound that still holds
    worse = {**whole.evidence, "bias": [9.0] * len(whole.evidence["bias"])}
    assert complexity.recompute_complexity(spec, data, worse, 0).bound >= whole.objective - 1e-9
