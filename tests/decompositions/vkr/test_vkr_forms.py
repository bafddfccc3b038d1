"""Forms for export: the expected value is the optimum of the built program."""

from dataclasses import replace

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.forms import vkr_form
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_model

SPEC = rp.VKR(kernels="poly:1-2,rbf:2", lam=1e-2, beta=5e-3)


def solved(built: BuiltForm) -> float:
    """Optimal value of the minimisation that is written to the file."""
    solution = solve_model(built.model, "highs", SolveSettings(tol=1e-9))
    assert solution.claimed_optimal
    return solution.objective


def test_the_budget_form(points) -> None:
    data, spec = points(14, seed=3), SPEC
    run = fit_vkr(spec, data, RunSettings())
    norm = float(np.abs(run.evidence["alpha"]).sum())
    built = vkr_form(spec, data, "budget", RunSettings())
    assert built.expected == pytest.approx(run.objective - spec.beta * norm, rel=1e-6)
    assert built.iterate["rho"] == pytest.approx(1.0 / norm, rel=1e-6)
    assert built.sense == 1.0
    own = rp.VKR(kernels=spec.kernels, lam=spec.lam, beta=spec.beta, rho=2.0 / norm)
    halved = vkr_form(own, data, "budget", RunSettings())
    assert halved.expected is None
    assert halved.iterate == {"rho": pytest.approx(2.0 / norm)}
    assert solved(halved) > built.expected


def test_the_margin_form_is_no_worse_than_the_hinge_solution(points) -> None:
    data, spec = points(14, seed=3), SPEC
    built = vkr_form(spec, data, "margin", RunSettings())
    (note,) = built.notes
    assert "margin objective of the hinge solution" in note
    assert built.expected <= float(note.split("hinge solution: ")[1]) * (1.0 + 1e-5) + 1e-9
    assert note.startswith("no less than the optimum of this file")
    assert built.expected < 1.0
    rho = 2.0 * built.iterate["rho"]
    (tight,) = vkr_form(replace(spec, rho=rho), data, "margin", RunSettings()).notes
    assert "above 1/rho, so that it may be less than this file's optimum" in tight
    assert solved(built) == pytest.approx(built.expected, rel=1e-5)


def test_the_margin_form_of_large_kernel_values() -> None:
    """In the units of the file HiGHS calls 1 the optimum, which is 0."""
    data = rp.dataset(np.array([[-1e3], [1e3]]), [-1, 1])
    built = vkr_form(rp.L1SVM(kernels="linear"), data, "margin", RunSettings())
    assert built.expected == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("limit", [0, 1, 2, None])
def test_the_master_of_the_last_round(points, limit: int | None) -> None:
    """The value that the master had in that round, over the columns it had then."""
    data = points(50, seed=6)
    spec = rp.VKR(kernels="poly:1-3,rbf:2", lam=1e-4, beta=1e-4)
    settings = RunSettings(max_iter=limit, tol=1e-8, abs_tol=0.0)
    built = vkr_form(spec, data, "master", settings)
    assert solved(built) == pytest.approx(built.expected, rel=1e-7)
    assert built.iterate["iterations"] == len(fit_vkr(spec, data, settings).trace)
    assert len(built.iterate["columns"]) == len(built.model.correlation)
    assert len(built.iterate["d"]) == 50
    if limit is not None:
        assert built.iterate["iterations"] == limit
    if limit in (0, 1):
        assert built.expected == pytest.approx(-1.0)
        assert built.iterate["columns"] == []


def test_an_uncertified_run_has_no_expected_value(points) -> None:
    data = points(50, seed=6)
    spec = rp.VKR(kernels="poly:1-3,rbf:2", lam=1e-4, beta=1e-4)
    for form in ("primal", "dual"):
        built = vkr_form(spec, data, form, RunSettings(max_iter=1))
        assert built.expected is None
        assert built.iterate is None


def test_a_given_rho_where_alpha_is_zero(points) -> None:
    assert solved(vkr_form(rp.L1SVM(beta=1e4, rho=0.5), points(10), "budget", RunSettings())) < 1.0
