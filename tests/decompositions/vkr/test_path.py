"""Grids of VKR problems equal cold solves; exact paths have closed forms and equal them too."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from small_data import curved_points

import radprog as rp
from radprog.base.tolerances import PATH_TOL
from radprog.catalog import entry_named
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import assemble, fit_grid, fit_vkr
from radprog.decompositions.vkr.path import vkr_path
from radprog.solvers.program import Status

WEIGHTS = (1.0, 1e-2, 1e-4, 1e-6)
TIGHT = RunSettings(tol=1e-6, abs_tol=0.0)


def grid(**options: object) -> list[rp.VKR]:
    pairs = itertools.product(WEIGHTS, WEIGHTS)
    return [rp.VKR(lam=lam, beta=beta, **options) for lam, beta in pairs]


@pytest.fixture(scope="module")
def solved(points):
    """(data, runs of a 16-cell grid by path, the same by cold solves)."""
    data = points(60, seed=2)
    specs = grid(kernels="poly:1-4,rbf:2")
    path = dict(fit_grid(specs, data, TIGHT))
    return data, path, {spec: fit_vkr(spec, data, TIGHT) for spec in specs}


def test_every_cell_is_certified_and_equals_a_cold_solve(solved, naive_value) -> None:
    data, path, cold = solved
    assert set(path) == set(cold)
    assert len(path) == 16
    for spec, run in path.items():
        assert run.spec == spec
        assert run.certified_by == "tol"
        assert run.status is Status.OPTIMAL
        assert run.objective == pytest.approx(cold[spec].objective, rel=1.01e-6)
        assert run.bound <= cold[spec].objective * (1 + 1e-12)
        # by evidence of its own
        problem, _ = assemble(spec, data)
        value = naive_value(problem, run.evidence["pairs"], run.evidence["alpha"])
        assert run.objective == pytest.approx(value, rel=1e-11)
        assert len(run.model().correlation) == run.columns
    # neighbours save rounds
    rounds, alone = (sum(len(run.trace) for run in runs.values()) for runs in (path, cold))
    assert rounds < 0.8 * alone


def test_the_order_of_the_cells_does_not_matter(solved) -> None:
    data, path, _ = solved
    specs = list(path)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(specs))
        again = list(fit_grid([specs[i] for i in order], data, TIGHT))
        assert [spec for spec, _ in again] == list(path)
        for spec, run in again:
            assert run.objective == path[spec].objective
            assert run.evidence == path[spec].evidence


def test_three_classes_are_grids_of_their_machines() -> None:
    X = np.random.default_rng(3).normal(size=(45, 2))
    three = rp.dataset(X, np.arange(45) % 3 + (X[:, 0] > 1), one_vs_rest=True)
    specs = grid(kernels="poly:1-2")[1:6:4]
    for spec, run in entry_named("vkr").fit_grid(specs, three, TIGHT):
        alone = entry_named("vkr").fit(spec, three, TIGHT)
        assert run.objective == pytest.approx(alone.objective, rel=1e-6)
        np.testing.assert_allclose(run.fit.scores(X), alone.fit.scores(X), atol=1e-4)
        assert run.fit.labels == alone.fit.labels


def test_different_kernels_and_penalties_are_paths_of_their_own(points) -> None:
    data = points(30, seed=4)
    specs = [
        *(rp.VKR(kernels="poly:1-2", lam=1e-2, beta=beta) for beta in (1e-2, 1e-3)),
        rp.VKR(kernels="poly:1-2", complexity="massart", lam=1e-2, beta=1e-2),
        rp.VKR(kernels="rbf:1", complexity="montecarlo", trials=20, lam=1e-3, beta=1e-2),
        *(rp.L1SVM(kernels=f"poly:{k}", beta=beta) for k in (1, 3) for beta in (1e-1, 1e-3)),
    ]
    found = dict(fit_grid(specs, data, TIGHT))
    assert set(found) == set(specs)
    for spec, run in found.items():
        assert run.name == ("l1svm" if isinstance(spec, rp.L1SVM) else "vkr")
        assert run.objective == pytest.approx(fit_vkr(spec, data, TIGHT).objective, rel=1.01e-6)
        assert run.certified


ANY = RunSettings()


COLD = RunSettings(tol=1e-11, abs_tol=0.0)


def test_closed_form(tmp_path) -> None:
    """With K = diag(k) the optimum is sum_i min(1/m, beta / k_i): a breakpoint at each k_i / m."""
    k = np.array([0.5, 1.0, 2.0, 3.0, 5.0, 8.0])
    np.save(tmp_path / "K.npy", np.diag(k))
    data = rp.dataset(np.arange(12.0).reshape(6, 2), np.array([-1, 1, -1, 1, -1, 1]))
    spec = rp.L1SVM(kernels=f"file:{tmp_path / 'K.npy'}")
    path = vkr_path(spec, data, "beta", 0.01, 2.0, ANY)
    np.testing.assert_allclose(path.breakpoints, k / 6, rtol=1e-9)
    for t in np.linspace(0.01, 2, 57):
        assert path.value(t) == pytest.approx(np.minimum(1 / 6, t / k).sum(), rel=1e-12)
    norms = [line.detail["norm"] for line in path.lines]
    expected = np.append(np.cumsum(1 / k[::-1])[::-1], 0.0)
    np.testing.assert_allclose(norms, expected, rtol=1e-9, atol=1e-15)


CASES = [
    (rp.VKR(kernels="poly:1-3", lam=0.01), "beta", 1e-4, 0.5),
    (rp.VKR(kernels="poly:1-3", beta=0.003), "lam", 0.0, 0.3),
    (rp.VKR(kernels="rbf:0.1,rbf:1,laplace:1", complexity="massart", lam=0.05), "beta", 0.0, 0.3),
    (rp.L1SVM(kernels="poly:2"), "beta", 1e-3, 1.0),
]


@pytest.mark.parametrize(("spec", "parameter", "first", "last"), CASES)
def test_cold_solves_between_breakpoints_agree(spec, parameter, first, last) -> None:
    data = curved_points(0, 24, 0.5)
    found = vkr_path(spec, data, parameter, first, last, ANY)
    assert found.complete
    assert found.gap <= PATH_TOL * 1.01
    assert len(found.breakpoints) >= 5
    for t in np.exp(np.random.default_rng(1).uniform(np.log(max(first, 1e-4)), np.log(last), 50)):
        run = fit_vkr(replace(spec, **{parameter: float(t)}), data, COLD)
        assert run.gap <= 1e-9
        assert found.value(t) == pytest.approx(run.objective, rel=1e-8)
        if min(abs(np.asarray(found.breakpoints) / t - 1)) > 1e-4:  # alpha is that of the piece
            norm = found.line(t).detail["norm"]
            assert run.summary["norm"] == pytest.approx(norm, rel=1e-4, abs=1e-6)


def test_a_time_limit_leaves_a_certified_part() -> None:
    spec, data = rp.VKR(kernels="poly:1-3", lam=0.01), curved_points(0, 40, 0.5)
    path = vkr_path(spec, data, "beta", 1e-4, 0.5, RunSettings(time_limit=1e-3))
    assert not path.complete
    assert path.gap > 1e-6
