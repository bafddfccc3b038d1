"""Branch and bound of bounded losses: the global optimum, proved from the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import seeds

from radprog.base.errors import DataError, OptionError, UnfinishedError
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.regression.assembly import assemble
from radprog.decompositions.regression.complexity import enumerate_pieces
from radprog.decompositions.regression.fit import fit_svr
from radprog.decompositions.regression.forms import svr_form
from radprog.decompositions.regression.recompute import recompute_svr
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.instances.generators import sinc
from radprog.instances.regression import RegressionData, regression_data
from radprog.models.regression.settings import SVR
from radprog.solvers.registry import solve_model

GLOBAL = RunSettings(method="global")


def random_case(seed: int) -> tuple[RegressionData, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    x, y = rng.uniform(-1, 1, n), np.round(rng.normal(size=n) * 2, 2)
    gamma, A = 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-1, 2)
    options = {"gamma": float(gamma), "A": float(A), "eps_up": float(rng.choice([0.3, 1.0]))}
    return regression_data(x[:, None], y), {**options, "eps_low": float(rng.choice([0.0, 0.1]))}


@pytest.mark.parametrize("seed", seeds(30, 10))
def test_certified_and_equal_to_every_convex_piece(seed: int) -> None:
    data, options = random_case(seed)
    spec = SVR(**options)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is RunStatus.OPTIMAL
    assert run.certified_by is not None
    _, problem = assemble(spec, data)
    exact, _ = enumerate_pieces(problem, -np.ones((1, data.rows)), spec.radius, Budget())
    assert run.objective == pytest.approx(exact.values[0], abs=2e-6)
    assert run.bound <= exact.values[0] + 1e-9
    assert recompute_svr(spec, data, run.evidence, 0).pair == (run.objective, run.bound)


@pytest.mark.parametrize("C", [0.3, 4.0])
def test_penalised_form_against_scip(C: float) -> None:
    data, spec = sinc(9, seed=3), SVR(gamma=2.0, C=C, eps_up=0.4)
    run = fit_svr(spec, data, GLOBAL)
    assert run.status is RunStatus.OPTIMAL
    program = svr_form(spec, data, "global", RunSettings()).model
    assert solve_model(program, "scip").objective == pytest.approx(run.objective, abs=1e-5)


@pytest.mark.parametrize("options", [{"A": 0.0}, {"A": 1.0, "kernels": "linear"}, {"C": 1e-3}])
def test_constants_and_flat_classes(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    y = np.append(rng.normal(size=7), 40.0)
    for x in (np.zeros((8, 1)), np.linspace(-1.0, 1.0, 8)[:, None]):
        run = fit_svr(SVR(**options), regression_data(x, y), GLOBAL)
        assert run.status is RunStatus.OPTIMAL
        assert run.summary["saturated"] >= 1


def test_descent_alone_is_beaten() -> None:
    """One start ends at 3 of 5 points saturated, where 2 are enough."""
    rng = np.random.default_rng(127)
    n = int(rng.integers(3, 7))
    x, y = rng.uniform(-1, 1, n), np.round(rng.normal(size=n) * 2, 2)
    gamma, A = 10 ** rng.uniform(-1, 1.5), 10 ** rng.uniform(-1, 2)
    data, spec = regression_data(x[:, None], y), SVR(gamma=gamma, A=A, eps_up=0.3, starts=1)
    assert fit_svr(spec, data, RunSettings()).objective == pytest.approx(3.0, abs=1e-6)
    run = fit_svr(spec, data, GLOBAL)
    assert run.objective == pytest.approx(2.0, abs=1e-6)
    assert run.certified


@pytest.mark.thorough
def test_limits_leave_a_bound() -> None:
    data, spec = sinc(24, seed=2), SVR(gamma=0.6, A=2.0, eps_up=0.1)
    whole = fit_svr(spec, data, GLOBAL)
    bounds = [record.bound for record in whole.trace]
    assert bounds == sorted(bounds)
    few = fit_svr(spec, data, RunSettings(method="global", max_iter=3))
    assert (few.status, few.stopped_by) == (RunStatus.LIMIT, Reason.MAX_ITER)
    assert 0.0 < few.bound < whole.bound <= whole.objective <= few.objective
    assert recompute_svr(spec, data, few.evidence, 0).pair == (few.objective, few.bound)
    with pytest.raises(UnfinishedError, match="interrupt"):
        fit_svr(spec, data, RunSettings(method="global", interrupted=lambda: True))


def test_stored_pieces_that_prove_nothing() -> None:
    data, spec = sinc(10), SVR(A=1.0, eps_up=0.2)
    run = fit_svr(spec, data, GLOBAL)
    evidence = run.evidence
    assert len(evidence["pieces"]) > 1
    left_out = {key: evidence[key][1:] for key in ("pieces", "multipliers_of")}
    with pytest.raises(DataError, match="leave out"):
        recompute_svr(spec, data, {**evidence, **left_out}, 0)
    for factor, told in ((2.0, "> A"), (1.0 + 1e-9, "above A")):
        longer = {"coefficients": (factor * np.array(evidence["coefficients"])).tolist()}
        with pytest.raises(DataError, match=told):
            recompute_svr(spec, data, {**evidence, **longer}, 0)
    wrong = {"multipliers_of": evidence["multipliers_of"][1:]}
    with pytest.raises(DataError, match="do not fit"):
        recompute_svr(spec, data, {**evidence, **wrong}, 0)
    flipped = (-np.array(evidence["multipliers"])).tolist()
    worse = recompute_svr(spec, data, {**evidence, "multipliers": flipped}, 0).bound
    assert worse is not None
    assert worse < run.bound


def test_too_many_points_are_refused() -> None:
    with pytest.raises(OptionError, match=r"of 41 points .* at most 40 .* use method cccp, or"):
        fit_svr(SVR(), sinc(41), GLOBAL)
