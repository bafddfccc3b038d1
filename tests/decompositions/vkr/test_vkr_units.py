"""Programs of numbers that solvers' absolute tolerances do not suit: exported in units of their
optimum, and nothing is claimed of them that the certified run contradicts."""

from pathlib import Path

import numpy as np
import pytest
from small_models import small_model

import radprog as rp


def unscaled(seed: int, rows: int = 16) -> rp.Dataset:
    """Points of size 1, 30 or 300, with labels of some noise: values of poly:10 up to 1e30."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)) * [1.0, 30.0, 300.0][seed % 3]
    noise = 0.3 * np.abs(X[:, 0]).mean() * rng.normal(size=rows)
    return rp.dataset(X, np.where(X[:, 0] + noise > 0, 1.0, -1.0))


@pytest.mark.parametrize("form", ["primal", "dual", "master"])
@pytest.mark.parametrize("complexity", ["local", "none"])
def test_exports_are_solved_by_other_solvers(form: str, complexity: str, tmp_path: Path) -> None:
    spec, file = rp.VKR(complexity=complexity), str(tmp_path / "local.lp")
    names = rp.export(rp.build(spec, unscaled(0), form=form), file, expected=True)
    assert 0.25 < abs(names["expected_objective"]) < 4.0
    for solver in ("highs", "scip"):
        verdict = rp.verify(file, solver)
        assert verdict.agrees, (solver, verdict)
        assert verdict.difference == pytest.approx(0.0, abs=1e-6)
    assert rp.verify(file, "highs").proven


@pytest.mark.parametrize("complexity", ["none", "local"])
@pytest.mark.parametrize("seed", range(4))
def test_no_claim_of_a_solver_contradicts_the_certificate(seed: int, complexity: str) -> None:
    data = unscaled(seed)
    spec = rp.VKR(kernels="poly:1-10", complexity=complexity)
    run = rp.fit(spec, data)
    try:
        found = rp.solve(rp.build(spec, data), "highs")
    except rp.SolverError:
        return  # a failure is none
    assert found.status not in ("unbounded", "infeasible")
    if found.status == "optimal":
        assert found.objective == pytest.approx(run.objective, rel=2e-6, abs=2e-9)
    assert found.bound is None or found.bound <= run.objective * (1 + 1e-9)


def test_costs_that_no_tolerance_suits_are_told(tmp_path: Path) -> None:
    model = small_model(
        lambda m: 1e-6 * m.x + 1e5 * m.y, lambda m: m.x + m.y >= 1, x=(0, 1), y=(0, 1)
    )
    with pytest.warns(rp.RadprogWarning, match=r"costs span 1.0e-06 to 1.0e\+05"):
        rp.export(model, str(tmp_path / "wide.mps"))
