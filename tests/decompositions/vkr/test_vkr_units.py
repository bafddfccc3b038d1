"""Numbers of all sizes: exports in units of their optimum, certificates where floats hold one."""

import numpy as np
import pytest
from small_models import small_model

import radprog as rp
from radprog.decompositions.drivers import sifting
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import fit_vkr, recompute_vkr


def unscaled(seed: int, rows: int = 16) -> rp.Dataset:
    """Points of size 1, 30 or 300, with labels of some noise: values of poly:10 up to 1e30."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)) * [1.0, 30.0, 300.0][seed % 3]
    noise = 0.3 * np.abs(X[:, 0]).mean() * rng.normal(size=rows)
    return rp.dataset(X, np.where(X[:, 0] + noise > 0, 1.0, -1.0))


SMALL = rp.L1SVM(kernels="poly:3", beta=1e-6)  # answers were up to twice the value


@pytest.mark.parametrize("form", ["primal", "dual", "master"])
@pytest.mark.parametrize("spec", [rp.VKR(complexity="local"), rp.VKR(complexity="none"), SMALL])
def test_exports_are_solved_by_other_solvers(form: str, spec: rp.VKR, tmp_path) -> None:
    built, file = rp.build(spec, unscaled(0), form=form), str(tmp_path / "local.lp")
    names = rp.export(built, file, expected=True)
    assert 0.25 < abs(names["expected_objective"]) < 4.0
    for solver in ("highs", "scip"):
        verdict = rp.verify(file, solver)
        assert verdict.agrees, (solver, verdict)
        assert verdict.difference == pytest.approx(0.0, abs=1e-6)
    assert rp.verify(file, "highs").proven
    if spec is SMALL:
        value = abs(names["scale"] * names["expected_objective"])
        assert abs(rp.solve(built, "highs").objective) == pytest.approx(value, rel=1e-6)


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


def test_costs_that_no_tolerance_suits_are_told(tmp_path) -> None:
    model = small_model(
        lambda m: 1e-6 * m.x + 1e5 * m.y, lambda m: m.x + m.y >= 1, x=(0, 1), y=(0, 1)
    )
    with pytest.warns(rp.RadprogWarning, match=r"costs span 1.0e-06 to 1.0e\+05"):
        rp.export(model, str(tmp_path / "wide.mps"))


HARD = [(0, 1e-5, 1.0), (2, 1e-3, 1.0), (3, 1e-3, 1.0), (1, 1e-5, 3.0), (3, 1e-5, 3.0)]


def uneven(seed: int, spread: float, rows: int = 60, features: int = 20) -> rp.Dataset:
    """Points of very different lengths."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features)) * spread * np.exp(rng.normal(size=(rows, 1)))
    return rp.dataset(X, np.where(X[:, 0] + X[:, 1] * rng.normal(size=rows) > 0, 1, -1))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("seed", "beta", "spread"), HARD)
def test_a_high_degree_on_uneven_points_is_certified(
    monkeypatch, seed: int, beta: float, spread: float, whole: bool
) -> None:
    if not whole:
        monkeypatch.setattr(sifting.SiftedMaster, "sifting_size", 0)
    data, spec = uneven(seed, spread), rp.L1SVM(kernels="poly:10", beta=beta)
    tol = 1e-6 if whole else 1e-4
    run = fit_vkr(spec, data, RunSettings(tol=tol, abs_tol=1e-300))
    assert run.certified
    assert run.gap <= tol
    again = recompute_vkr(spec, data, run.evidence, 0)
    assert (again.objective, again.bound) == (run.objective, run.bound)


@pytest.mark.parametrize("seed", range(3))
def test_features_of_a_million_are_certified(seed: int) -> None:
    """Prices of 1e-3 beside kernel values of 1e13 and more: a dual point in floats misses them, if
    it is not asked to keep away from them."""
    run = fit_vkr(rp.L1SVM(kernels="linear"), uneven(seed, 1e6, 40, 6), RunSettings())
    assert run.certified
    assert run.objective == pytest.approx(run.bound, rel=1e-9)
    assert run.objective > 0.2
