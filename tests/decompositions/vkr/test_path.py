"""A grid of VKR problems: each cell equals a cold solve, whatever was handed on."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import radprog as rp
from radprog.catalog import entry_named
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.decompositions.vkr.fit import assemble, fit_grid, fit_vkr

WEIGHTS = (1.0, 1e-2, 1e-4, 1e-6)
TIGHT = RunSettings(tol=1e-6, abs_tol=0.0)


def grid(**options: object) -> list[rp.VKR]:
    return [
        rp.VKR(lam=lam, beta=beta, **options)  # type: ignore[arg-type]
        for lam, beta in itertools.product(WEIGHTS, WEIGHTS)
    ]


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
        assert run.status is RunStatus.OPTIMAL
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


@pytest.mark.parametrize(
    "options",
    [
        {"method": "direct"},
        {"method": "cd"},
        pytest.param({"solver": "pyomo:glpk"}, marks=pytest.mark.slow),
    ],
)
def test_other_methods_are_fitted_one_by_one(points, options) -> None:
    data = points(20, seed=1)
    specs = [rp.L1SVM(kernels="rbf:1", beta=beta) for beta in (1e-3, 1e-1, 1e-2)]
    found = list(fit_grid(specs, data, RunSettings(**options)))
    assert [spec for spec, _ in found] == specs
    for spec, run in found:
        alone = fit_vkr(spec, data, RunSettings(**options))
        assert run.objective == pytest.approx(alone.objective, rel=1e-12)
        assert run.method == options.get("method", "colgen")


def test_columns_are_handed_on_where_labels_contradict_each_other() -> None:
    """Every point with both labels: A d = 0 at d = 1/m, the optimum is 1 and no column is used."""
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 2, axis=0)
    data = rp.dataset(X, np.array([1, -1] * 5))
    for _, run in fit_grid(grid(kernels="poly:1-2,rbf:1"), data, TIGHT):
        assert run.objective == 1.0
        assert run.certified


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_cells_that_are_cut_off(points, limit: int) -> None:
    """Rounds are limited per cell: valid pairs all the same, and what is handed on is usable."""
    data = points(60, seed=2)
    specs = grid(kernels="poly:1-4,rbf:2")
    optimum = {spec: fit_vkr(spec, data, TIGHT).objective for spec in specs}
    runs = dict(fit_grid(specs, data, replace(TIGHT, max_iter=limit)))
    for spec, run in runs.items():
        assert len(run.trace) <= limit
        assert run.bound <= optimum[spec] * (1 + 1e-9)
        assert run.objective >= optimum[spec] * (1 - 2e-6)
        assert run.status is (RunStatus.OPTIMAL if run.certified else RunStatus.LIMIT)
    assert any(run.status is RunStatus.LIMIT for run in runs.values())


@pytest.mark.parametrize("polls", [0, 3, 40, 100])
def test_an_interrupt_in_the_middle(points, polls: int) -> None:
    """All cells that follow are cut off at once, and each is still a valid answer."""
    asked: list[int] = []
    settings = replace(TIGHT, interrupted=lambda: asked.append(1) or len(asked) > polls)
    cut = [
        run
        for _, run in fit_grid(grid(kernels="poly:1-4,rbf:2"), points(60, seed=2), settings)
        if not run.certified
    ]
    assert cut
    for run in cut:
        assert run.stopped_by is Reason.INTERRUPT
        assert 0.0 < run.bound <= run.objective <= 1.0
