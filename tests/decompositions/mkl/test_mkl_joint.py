"""The joint hinge loss over classes: fits against solvers, special cases, what is refused."""

from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.mkl.exchange import ValueOracle
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import problem_of

KERNELS = "linear,rbf:0.1,rbf:1"


def points(n: int = 24, classes: int = 3, seed: int = 0) -> rp.Dataset:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    X = rng.normal(size=(n, 4))
    X[np.arange(n), codes] += 1.5
    return rp.dataset(X, codes, one_vs_rest=classes > 2)


def joint(**options: Any) -> rp.MKL:
    return rp.MKL(**{"kernels": KERNELS, "multiclass": "joint", **options})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"variant": "unif"},
        {"variant": "lp", "norm": 1.5},
        {"norm": 2.0},
        {"C": 1e3},
        {"C": 1e-3, "no_bias": True},
        {"theta": 3, "center": True},
    ],
)
def test_a_fit_is_certified_and_checked(options: dict[str, Any]) -> None:
    spec, data = joint(**options), points()
    run = fit_mkl(spec, data, RunSettings())
    assert run.certified
    again = recompute_mkl(spec, data, run.evidence)
    assert (again.objective, again.bound) == (run.objective, run.bound)
    assert len(set(run.fit.predict(data.X))) == 3


@pytest.mark.parametrize("bias", [False, True])
def test_uniform_weights_have_the_value_of_the_quadratic_program(bias: bool) -> None:
    run = rp.fit(joint(variant="unif", no_bias=not bias), points(), tol=1e-8)
    solution = rp.solve(run.model(), solver="piqp", tol=1e-9)
    assert run.objective == pytest.approx(solution.objective, rel=1e-6)


@pytest.mark.parametrize("options", [{}, {"variant": "lp"}, {"no_bias": True}])
def test_the_form_multiclass_has_the_value_of_the_fit(options: dict[str, Any]) -> None:
    spec, data = joint(**options), points(12)
    run = rp.fit(spec, data, tol=1e-8)
    solution = rp.solve(rp.build(spec, data, form="multiclass"), solver="clarabel", tol=1e-9)
    assert run.objective == pytest.approx(solution.objective, rel=1e-5)


def test_of_two_classes_it_is_the_binary_machine_at_twice_the_price() -> None:
    data = points(classes=2)
    two = rp.fit(joint(C=0.5), data, tol=1e-9)
    one = rp.fit(rp.MKL(kernels=KERNELS, C=1.0), data, tol=1e-9)
    assert 2.0 * two.objective == pytest.approx(one.objective, rel=1e-8)
    assert np.allclose(two.fit.scores(data.X), one.fit.scores(data.X), atol=1e-3)
    assert set(two.fit.predict(data.X)) == {-1.0, 1.0}


def test_points_with_weights_count_as_often() -> None:
    data, counts = points(), np.tile([1, 2, 3], 8)
    many = np.repeat(np.arange(24), counts)
    repeated = rp.dataset(data.X[many], data.targets[many], one_vs_rest=True)
    options = {"tail_budget": 24.0, "normalize": "none"}
    both = data.weighed(counts), repeated
    one, other = (rp.fit(joint(**options), rows, tol=1e-8).objective for rows in both)
    assert one == pytest.approx(other, rel=1e-7)


def test_any_point_is_made_feasible() -> None:
    problem = problem_of(joint(), kernel_set(joint(), points()))
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 50.0):
        a = problem.feasible(scale * rng.normal(size=(3, 24)))
        z = a * problem.labels
        assert a.min() >= 0
        assert a[problem.labels > 0].max() <= 1.0 + 1e-12
        assert np.allclose(z.sum(axis=0), 0.0, atol=1e-12)
        assert np.allclose(z.sum(axis=1), 0.0, atol=1e-12)
        mu = np.ones(3)
        assert problem.dual_bound(lambda q: float(q.sum()), a) <= ValueOracle(problem)(mu).objective
