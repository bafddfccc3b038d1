"""Kernels that a program does not hold, priced; suprema of its class, against random weights."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from effort import count, seeds
from signs import class_complexity
from small_data import alternating_points, curved_points

import radprog as rp
from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.mkl.prices import mkl_classes, price_mkl
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.kernel_sets import kernel_set

POOL = ("poly:1", "poly:2", "poly:3", "rbf:0.1", "rbf:1", "rbf:10", "laplace:0.3", "laplace:3")


SIGNS = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))


def whole(found) -> float:
    return class_complexity(found.suprema, found.m).value


@pytest.mark.parametrize("norm", [None, 2.0])
def test_prices_of_kernels(norm: float | None) -> None:
    rng = np.random.default_rng(6)
    useless = helped = 0
    for _ in seeds(30, 10):
        data = curved_points(rng, int(rng.integers(14, 26)))
        own, new = np.split(rng.permutation(POOL), [int(rng.integers(1, 4))])
        spec = rp.MKL(kernels=",".join(own), variant="lp", norm=norm, C=10.0 ** rng.uniform(-1, 1))
        run = fit_mkl(spec, data, RunSettings(tol=1e-8))
        priced = price_mkl(spec, data, run.evidence, 0, ",".join(new[:2]))
        assert priced.bound == pytest.approx(run.bound, rel=1e-12)
        for candidate in priced.candidates:
            more = replace(spec, kernels=f"{spec.kernels},{candidate.name}")
            added = fit_mkl(more, data, RunSettings(tol=1e-8))
            assert added.objective >= candidate.floor * (1 - 1e-12)
            drop = run.objective - added.objective
            if candidate.keeps_bound:
                useless += 1
                assert drop <= (run.objective - run.bound) * (1 + 1e-6) + 1e-12
            helped += drop > 1e-3 * run.objective
        both = replace(spec, kernels=",".join([*own, *new[:2]]))
        assert fit_mkl(both, data, RunSettings(tol=1e-8)).objective >= priced.floor * (1 - 1e-12)
    assert helped > count(10, 3)
    assert useless > count(10, 3) if norm is None else useless == 0


def test_kernels_of_the_program_keep_the_bound() -> None:
    data = curved_points(4, 14)
    spec = rp.MKL(kernels="rbf:1,poly:2")
    run = fit_mkl(spec, data, RunSettings())
    priced = price_mkl(spec, data, run.evidence, 0, "rbf:1,rbf:3,poly:2")
    one, new, two = priced.candidates
    assert (one.present, new.present, two.present) == (True, False, True)
    assert max(one.ratio, two.ratio) == pytest.approx(1.0)
    assert one.floor == two.floor == priced.bound
    assert priced.floor == new.floor


@pytest.mark.parametrize("options", [{}, {"norm": 2.0}, {"variant": "lp"}, {"variant": "unif"}])
def test_the_best_weights_of_kernels(options) -> None:
    data = alternating_points()
    spec = rp.MKL(kernels="rbf:0.1,rbf:1,linear", **options)
    (found,) = mkl_classes(spec, data, 0)
    kernels = kernel_set(spec, data)
    rng = np.random.default_rng(1)
    q = np.einsum("ti,mij,tj->tm", SIGNS, kernels.K, SIGNS)
    values = found.suprema(SIGNS)
    assert whole(found) <= found.upper
    if options.get("variant") == "unif":
        assert values == pytest.approx(np.sqrt(q.mean(axis=1)))
        return
    tails = kernels.tails(1) / 8 if not options.get("variant") else np.ones(3)
    p = options.get("norm", 1.0)
    for _ in range(200):
        nu = rng.dirichlet(np.full(3, 0.4)) ** (1 / p)
        assert (np.sqrt(np.maximum(q @ (nu / tails), 0)) <= values * (1 + 1e-9)).all()
    if p == 1.0:
        assert values == pytest.approx(np.sqrt(np.maximum((q / tails).max(axis=1), 0)))


def test_the_class_of_dc_is_as_complex_as_that_of_conv() -> None:
    data = alternating_points()
    specs = (rp.MKL(kernels="rbf:0.1,rbf:1,linear", variant=v) for v in ("conv", "dc"))
    conv, dc = (mkl_classes(spec, data, 0)[0] for spec in specs)
    assert whole(conv) == pytest.approx(whole(dc), rel=1e-12)
