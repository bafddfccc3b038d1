"""CCCP on the bounded loss: monotone traces, the ball, exact optima, forms, limits."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from effort import count
from refusals import refused
from sklearn.datasets import load_diabetes
from small_data import handful

import radprog as rp
from radprog.base.errors import CapabilityError, DataError, OptionError
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression import cccp, complexity
from radprog.decompositions.regression.complexity import fit_complexity, recompute_complexity
from radprog.decompositions.regression.fit import assemble, fit_svr, recompute_svr
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.dataset import regression_data
from radprog.instances.generators import sinc
from radprog.instances.splits import regression_errors
from radprog.models.complexity import draw_signs
from radprog.models.regression.problem import BoundedLoss, regression_class
from radprog.models.regression.settings import SVR, Complexity

EXACT = RunSettings(method="exact")
LINE = regression_data(np.linspace(-1, 1, 12)[:, None], 0.5 * np.linspace(-1, 1, 12))


def descended(fits: Any, starts: int, carried: Sequence[np.ndarray] = ()) -> Any:
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
    with pytest.raises(CapabilityError):
        fit_svr(SVR(A=1.0), data, RunSettings(solver=name))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: fit_complexity(Complexity(kind="discrepancy"), sinc(7), RunSettings()), "even"),
        (lambda: fit_complexity(Complexity(), sinc(30), EXACT), "exact"),
        (lambda: fit_complexity(Complexity(trials=9), sinc(41), EXACT), "41 points, at most 40"),
        (lambda: fit_svr(SVR(), sinc(41), RunSettings(method="global")),
         r"of 41 points .* at most 40 .* use method cccp, or"),
        (lambda: fit_svr(SVR(), regression_data([[1.0]], [1.0]), RunSettings()), "at least 2"),
        (lambda: svr_form(SVR(kernels="linear", A=50.0, eps_low=0.1), LINE, "step", RunSettings()),
         "not active"),
    ],
)  # fmt: skip
def test_data_that_do_not_allow_it(call: Any, named: str) -> None:
    refused((OptionError, DataError), named, call)


def test_the_objective_is_that_of_the_predictor() -> None:
    data = sinc(50, seed=4)
    for spec in (SVR(A=2.0), SVR(C=1.5, eps_low=0.05, eps_up=0.8), SVR(kernels="linear", A=1.0)):
        run = fit_svr(spec, data, RunSettings())
        assert (run.bound, run.status) == (None, RunStatus.CRITICAL_POINT)
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
    refused(DataError, "A = 1", recompute_svr, spec, data, too_long, 0)


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

    def broken(*arguments: Any, **options: Any) -> Any:
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
        assert (run.status, run.stopped_by) == (RunStatus.LIMIT, Reason.INTERRUPT)
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

    def objective(alpha: Any) -> float:
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
