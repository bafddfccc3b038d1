"""Branch and bound of bounded losses: the global optimum, proved from the data."""

from typing import Any

import numpy as np
import pytest
from convex_pieces import least_values
from effort import seeds
from refusals import refused
from small_data import handful

import radprog as rp
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression import branch, complexity
from radprog.decompositions.regression.fit import assemble, fit_svr, recompute_svr
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.generators import sinc
from radprog.models.complexity import all_signs, standard_error
from radprog.models.regression.problem import complexity_terms
from radprog.solvers.registry import solve_model

GLOBAL = RunSettings(method="global")


@pytest.mark.parametrize("seed", seeds(30, 10))
def test_certified_and_equal_to_every_convex_piece(seed: int) -> None:
    data, options = handful(seed)
    spec = rp.SVR(**options)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is RunStatus.OPTIMAL
    _, problem = assemble(spec, data)
    (exact,) = least_values(problem, -np.ones((1, data.rows)), spec.radius)
    assert run.objective == pytest.approx(exact, abs=2e-6)
    assert run.bound <= exact + 1e-9
    assert recompute_svr(spec, data, run.evidence, 0).pair == (run.objective, run.bound)


@pytest.mark.parametrize("C", [0.3, 4.0])
def test_penalised_form_against_scip(C: float) -> None:
    data, spec = sinc(9, seed=3), rp.SVR(gamma=2.0, C=C, eps_up=0.4)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is RunStatus.OPTIMAL
    program = svr_form(spec, data, "global", RunSettings()).model
    assert solve_model(program, "scip").objective == pytest.approx(run.objective, abs=1e-5)


@pytest.mark.parametrize("options", [{"A": 0.0}, {"A": 1.0, "kernels": "linear"}, {"C": 1e-3}])
def test_constants_and_flat_classes(options: dict[str, Any]) -> None:
    y = np.append(np.random.default_rng(0).normal(size=7), 40.0)
    for x in (np.zeros((8, 1)), np.linspace(-1.0, 1.0, 8)[:, None]):
        run = fit_svr(rp.SVR(**options), rp.regression_data(x, y), GLOBAL)
        assert run.status is RunStatus.OPTIMAL
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
    assert (few.status, few.stopped_by) == (RunStatus.LIMIT, Reason.MAX_ITER)
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


@pytest.mark.parametrize("kind", ["rademacher", "discrepancy"])
def test_a_limit_of_an_enumeration_leaves_a_certified_interval(kind: str, monkeypatch) -> None:
    monkeypatch.setattr(branch, "NODES_AT_ONCE", 4)  # trees close one by one
    data, spec = sinc(6, seed=1), rp.Complexity(gamma=1.0, kind=kind)
    whole = complexity.fit_complexity(spec, data, RunSettings(method="exact"))
    assert (whole.status, whole.certified_by) == (RunStatus.OPTIMAL, "tol")
    assert whole.bound == whole.certified_upper
    seen: list[Record] = []
    gaps = [whole.gap]
    for how, reason in (
        ({"observe": seen.append, "interrupted": lambda: len(seen) >= 9}, Reason.INTERRUPT),
        ({"max_iter": 9}, Reason.MAX_ITER),
        ({"max_iter": 0}, Reason.MAX_ITER),
    ):
        run = complexity.fit_complexity(spec, data, RunSettings(method="exact", **how))
        assert (run.status, run.stopped_by) == (RunStatus.LIMIT, reason)
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
