"""Kernels that a program does not hold, priced against solving with them; suprema of families."""

from dataclasses import replace

import numpy as np
import pytest
from effort import count, seeds
from signs import class_complexity, exact_complexity
from small_data import alternating_points, curved_points

import radprog as rp
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.error_bounds import vkr_classes
from radprog.decompositions.vkr.fit import fit_vkr
from radprog.decompositions.vkr.prices import price_vkr
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels

TIGHT = RunSettings(tol=1e-10, abs_tol=1e-13)


POOL = ("poly:1", "poly:2", "poly:3", "rbf:0.1", "rbf:1", "rbf:10", "laplace:0.3", "laplace:3")


def family_weight(run, name: str) -> float:
    """Penalty that the family pays in a run's solution."""
    return float(run.summary["weight_per_kernel"][run.summary["kernels"].index(name)])


@pytest.mark.thorough
def test_no_useless_family_enters_and_no_floor_is_beaten() -> None:
    rng = np.random.default_rng(0)
    useless = helped = 0
    for _ in seeds(200, 40):
        data = curved_points(rng, int(rng.integers(10, 25)))
        own, new = np.split(rng.permutation(POOL), [int(rng.integers(1, 4))])
        spec = rp.VKR(
            kernels=",".join(own),
            complexity=str(rng.choice(["trace", "massart", "none"])),
            lam=10.0 ** rng.uniform(-3, -0.5),
            beta=10.0 ** rng.uniform(-3, -0.5),
        )
        run = fit_vkr(spec, data, TIGHT)
        priced = price_vkr(spec, data, run.evidence, 0, ",".join(new[:2]))
        assert priced.objective == run.objective
        assert priced.bound == pytest.approx(run.bound, rel=1e-14)
        together = fit_vkr(replace(spec, kernels=",".join([*own, *new[:2]])), data, TIGHT)
        assert together.objective >= priced.floor * (1 - 1e-12)
        for candidate in priced.candidates:
            added = fit_vkr(replace(spec, kernels=f"{spec.kernels},{candidate.name}"), data, TIGHT)
            assert added.objective >= candidate.floor * (1 - 1e-12)
            drop = run.objective - added.objective
            if candidate.keeps_bound:
                useless += 1
                gap = added.objective - priced.bound
                assert drop <= run.objective - run.bound + 1e-15
                assert family_weight(added, candidate.name) * (1 - candidate.ratio) <= gap + 1e-14
            elif drop > 1e-6:
                helped += 1
    assert useless > count(60, 12)
    assert helped > count(60, 12)


def test_a_family_that_enters_has_a_ratio_above_1() -> None:
    """The other side: what improves the optimum was not proved useless."""
    data = curved_points(1, 30)
    spec = rp.VKR(kernels="poly:1", lam=1e-3, beta=1e-3)
    run = fit_vkr(spec, data, TIGHT)
    (candidate,) = price_vkr(spec, data, run.evidence, 0, "poly:2").candidates
    assert fit_vkr(replace(spec, kernels="poly:1-2"), data, TIGHT).objective < 0.9 * run.objective
    assert candidate.ratio > 1
    assert not candidate.keeps_bound
    d = np.asarray(run.evidence["d"])
    column = np.abs(((data.X @ data.X[candidate.column]) + 1) ** 2 @ (data.targets * d))
    assert candidate.ratio == pytest.approx(column / candidate.price, rel=1e-6)


def test_an_infeasible_point_is_scaled_first() -> None:
    """d of a run that was cut off violates its own columns: the floor still holds."""
    data = curved_points(2, 30)
    spec = rp.VKR(kernels="poly:1-2", lam=1e-3, beta=1e-3)
    run = fit_vkr(spec, data, replace(TIGHT, max_iter=1))
    evidence = {**run.evidence, "d": [1 / data.rows] * data.rows}
    for candidate in price_vkr(spec, data, evidence, 0, "rbf:1,rbf:100").candidates:
        added = fit_vkr(replace(spec, kernels=f"poly:1-2,{candidate.name}"), data, TIGHT)
        assert added.objective >= candidate.floor


@pytest.mark.parametrize("complexity", ["trace", "montecarlo"])
def test_kernels_of_the_program_keep_the_bound(complexity: str) -> None:
    data = curved_points(4, 12)
    spec = rp.VKR(kernels="poly:1-2,rbf:1", complexity=complexity, lam=1e-3, beta=0.01)
    run = fit_vkr(spec, data, TIGHT)
    names = "poly:1,laplace:1,rbf:1,poly:2"
    first, new, last, most = price_vkr(spec, data, run.evidence, 0, names).candidates
    held = [first, last, most]
    assert all(row.present and row.keeps_bound and row.floor == run.bound for row in held)
    # a kernel that is used has a tight constraint, and the dual point satisfies all of them
    assert max(row.ratio for row in held) == pytest.approx(1.0, abs=1e-6)
    for row in held:
        assert family_weight(run, row.name) <= 1e-9 or row.ratio == pytest.approx(1.0, abs=1e-6)
    assert not new.present


def test_any_width_at_any_centre(tmp_path) -> None:
    """The best column of the search is no worse than those of a grid, and lowers the objective."""
    data = curved_points(1, 20)
    spec = rp.VKR(kernels="rbf:0.1,rbf:10", lam=1e-2, beta=1e-2)
    run = fit_vkr(spec, data, TIGHT)
    every, best = price_vkr(spec, data, run.evidence, 0, "any:rbf:0.1..10").candidates
    grid = price_vkr(spec, data, run.evidence, 0, "rbf:0.3,rbf:1,rbf:3").candidates
    assert max(row.ratio for row in grid) <= best.ratio <= every.ratio
    assert best.ratio > 1.0
    # no other column of the family has a ratio above the ceiling
    rng, v = np.random.default_rng(0), data.signs * np.asarray(run.evidence["d"])
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    for centre in rng.uniform(low, high, size=(200, 2)):
        gamma = 10.0 ** rng.uniform(-1, 1)
        value = abs(v @ np.exp(-gamma * ((data.X - centre) ** 2).sum(axis=1)))
        assert value / every.price <= best.ratio * (1 + 1e-6)
    np.savetxt(tmp_path / "centres.csv", [best.centre], delimiter=",")
    centres = str(tmp_path / "centres.csv")
    wider = replace(spec, kernels=f"{spec.kernels},{best.name}", centres=centres)
    assert every.floor <= fit_vkr(wider, data, TIGHT).objective < run.objective


def test_families_of_kernels_are_enumerated_as_their_complexity_says() -> None:
    data = alternating_points()
    found = vkr_classes(rp.VKR(kernels="poly:2,rbf:0.5"), data, 0)
    assert [item.name for item in found] == ["poly:2", "rbf:0.5"]
    for item in found:
        K = KernelBank(parse_kernels(item.name), data.X).gram(0)
        value = class_complexity(item.suprema, item.m).value
        assert value == pytest.approx(exact_complexity(K), rel=1e-12)
        assert item.exact
        assert value <= item.upper
