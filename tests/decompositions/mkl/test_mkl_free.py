"""theta at least the rank of a kernel: refused, or the limit in which the kernel costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from radprog.decompositions.loop import Budget
from radprog.decompositions.mkl.fit import fit_mkl, recompute_mkl
from radprog.decompositions.mkl.forms import mkl_form
from radprog.decompositions.mkl.machines import Machines
from radprog.decompositions.mkl.methods import problem_of
from radprog.decompositions.mkl.oracle import Exchanging, minimise
from radprog.decompositions.mkl.predictor import MultiKernelExpansion
from radprog.decompositions.mkl.questions import mkl_classes
from radprog.decompositions.run import RunSettings
from radprog.instances.dataset import dataset
from radprog.instances.errors import DataError, OptionError, SettingError
from radprog.instances.grams import GramSet, gram_set
from radprog.models.mkl.free_kernels import FREE_SIZE
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels, WeightBall
from radprog.models.mkl.settings import MKL
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_model

FREE: dict[str, Any] = {"theta": 2, "zero_tail": "free", "C": 3.0}
CASES: list[dict[str, Any]] = [
    {},
    {"norm": 2.0},
    {"norm": 1.5},
    {"loss": "squared"},
    {"no_bias": True},
    {"center": True, "normalize": "none"},
    {"C": 1e-3},
    {"C": 1e3, "tail_budget": 1.0},
]


def grams(seed: int = 0, n: int = 30, ranks: tuple[int, ...] = (2, 9, 12), k: int = 2) -> GramSet:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    F = [rng.normal(size=(n, r)) + 0.6 * rng.normal(size=(k, r))[y] for r in ranks]
    return gram_set(np.array([f @ f.T for f in F]), y)


def limit(spec: MKL, data: GramSet, price: float) -> float:
    """J where the first kernel has a small price in place of its tail sum."""
    kernels = kernel_set(spec, data)
    problem = MultipleKernels(kernels=kernels, C=spec.C, loss=spec.loss, bias=spec.bias)
    c = np.array([kernels.eigenvalues(m)[2:].sum() for m in range(kernels.M)])
    ball = WeightBall(np.where(kernels.vanishing(2), price, c / spec.budget(kernels.n)), spec.p)
    found, _, _ = minimise(
        Machines(problem), ball, np.ones(kernels.M), Exchanging(tol=1e-7), Budget()
    )
    assert found.value is not None
    return found.value.objective


@pytest.mark.parametrize("options", CASES)
def test_the_limit_is_certified(options: dict[str, Any]) -> None:
    spec, data = MKL(**{**FREE, **options}), grams()
    run = fit_mkl(spec, data, RunSettings())
    assert run.certified
    assert run.summary["free_kernels"] == ["gram:0"]
    assert run.summary["kernels"] == ["gram:1", "gram:2"]
    assert f"root mean square at most {FREE_SIZE:g}" in run.warnings[0]
    assert recompute_mkl(spec, data, run.evidence).pair == (run.objective, run.bound)
    far, near = (limit(spec, data, price) for price in (1e-4, 1e-8))
    assert run.bound is not None
    assert run.bound <= near * (1 + 1e-9)  # any price makes it dearer
    assert near - run.bound <= 0.02 * max(far - run.bound, 1e-5 * near)  # as the root of the price


@pytest.mark.parametrize("options", [{}, {"norm": 2.0}, {"loss": "squared"}, {"no_bias": True}])
def test_methods_and_forms_have_one_value(options: dict[str, Any]) -> None:
    spec, data = MKL(**FREE, **options), grams(1, n=14)
    run = fit_mkl(spec, data, RunSettings(method="qcqp"))
    assert run.certified
    for form in ("qcqp", "silp", "primal", "svm"):
        built = mkl_form(spec, data, form, RunSettings())
        assert built.expected is not None
        assert built.sense * built.expected == pytest.approx(run.objective, rel=1e-5)
        assert built.iterate is not None
        assert built.iterate["kernels"] == ["gram:1", "gram:2"]
        assert built.iterate["free_kernels"] == ["gram:0"]
    svm = solve_model(mkl_form(spec, data, "svm", RunSettings()).model, "highs")
    assert -svm.objective == pytest.approx(run.objective, rel=1e-5)


def test_the_program_of_the_primal_has_the_value() -> None:
    spec, data = MKL(**FREE), grams(1, n=8, ranks=(2, 4))
    built = mkl_form(spec, data, "primal", RunSettings())
    found = solve_model(built.model, "scip", SolveSettings(time_limit=20))
    assert found.objective == pytest.approx(built.expected, rel=1e-4)


def test_it_predicts_as_it_was_trained() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=40) > 0.3, 1, -1)
    data = dataset(X, y)
    for center in (False, True):
        spec = MKL(kernels="linear,rbf:1", theta=2, zero_tail="free", C=5.0, center=center)
        run = fit_mkl(spec, data, RunSettings())
        assert run.summary["free_kernels"] == ["linear"]
        assert (run.fit.predict(X) != y).mean() == run.summary["training_error"]
        again = MultiKernelExpansion.from_dict(run.fit.to_dict())
        assert np.array_equal(again.scores(X), run.fit.scores(X))
        problem = problem_of(spec, kernel_set(spec, data))
        value = problem.value(
            np.array(run.evidence["weights"]), problem.feasible(np.array(run.evidence["a"]))
        )
        assert run.fit.scores(X) == pytest.approx((value.scores + value.offsets)[0], abs=1e-6)


def test_the_stored_part_is_checked() -> None:
    spec, data = MKL(**FREE), grams()
    run = fit_mkl(spec, data, RunSettings())
    offsets = np.array(run.evidence["offsets"])
    doubled = recompute_mkl(spec, data, {**run.evidence, "offsets": (2.0 * offsets).tolist()})
    assert doubled.objective > run.objective
    off = np.random.default_rng(0).normal(size=offsets.shape)  # outside of the span: put into it
    moved = recompute_mkl(spec, data, {**run.evidence, "offsets": (offsets + 1e-9 * off).tolist()})
    assert moved.objective == pytest.approx(run.objective, rel=1e-6)
    for evidence in ({}, {"offsets": [[1.0]]}, {"offsets": None}):
        kept = {key: value for key, value in run.evidence.items() if key != "offsets"}
        with pytest.raises(DataError):
            recompute_mkl(spec, data, {**kept, **evidence})


def test_several_classes_and_a_start() -> None:
    data = grams(3, ranks=(2, 1, 9), k=3)
    spec = MKL(**FREE)
    run = fit_mkl(spec, data, RunSettings())
    assert run.certified
    assert run.summary["free_kernels"] == ["gram:0", "gram:1"]
    assert np.mean(run.fit.predict(data.K) != np.arange(30) % 3) == run.summary["training_error"]
    warm = fit_mkl(spec, data, RunSettings(start=run.fit))
    assert warm.objective == pytest.approx(run.objective, rel=1e-6)


def test_a_dual_point_off_the_free_kernels_proves_less() -> None:
    spec, data = MKL(**FREE), grams()
    run = fit_mkl(spec, data, RunSettings())
    problem = problem_of(spec, kernel_set(spec, data))
    assert problem.free is not None
    a = np.array(run.evidence["dual"])
    a = problem.feasible(a)
    z = a * problem.labels
    assert np.abs(problem.free.basis.T @ z.T).max() <= 1e-14
    assert problem.free.loss_of_bound(z) <= 1e-7
    off = z + 1e-6 * problem.free.basis[:, 0]
    assert problem.free.loss_of_bound(off) >= 1e-6 * FREE_SIZE * np.sqrt(30)
    tilted = problem.feasible(a + 1e-3 * np.arange(30))  # moved back, inside the box
    assert np.abs(problem.free.span.T @ (tilted * problem.labels).T).max() <= 1e-13
    assert tilted.min() >= 0.0
    assert tilted.max() <= spec.C


def test_without_a_zero_tail_nothing_is_free() -> None:
    data = grams()
    plain, asked = (
        fit_mkl(MKL(theta=1, zero_tail=word), data, RunSettings()) for word in ("refuse", "free")
    )
    assert plain.objective == asked.objective
    assert "free_kernels" not in asked.summary


def test_what_has_no_limit_is_refused_with_the_reason() -> None:
    data = grams()
    with pytest.raises(SettingError, match="ask for the limit of program conv, zero_tail=free"):
        fit_mkl(MKL(theta=2), data, RunSettings())
    with pytest.raises(SettingError, match="every kernel has a tail sum of zero"):
        fit_mkl(MKL(theta=12, zero_tail="free"), data, RunSettings())
    with pytest.raises(OptionError, match="costs nothing only alone"):
        MKL(theta=2, zero_tail="free", variant="dc")
    for variant in ("lp", "unif"):
        with pytest.raises(OptionError, match=f"zero_tail is not used by variant '{variant}'"):
            MKL(zero_tail="free", variant=variant)
    with pytest.raises(OptionError, match="zero_tail 'none'"):
        MKL(zero_tail="none")
    with pytest.raises(OptionError, match="the class is not bounded"):
        mkl_classes(MKL(**FREE), data, 0)
    with pytest.raises(OptionError, match="without free kernels"):
        mkl_form(MKL(**FREE), data, "multiclass", RunSettings())


def test_beside_others_a_kernel_of_zero_tail_uses_up_the_eigenvalues() -> None:
    """Why dc has no such limit: T(s K + K') grows with s from T(K') on."""
    from radprog.models.mkl.tail_sums import tail_sum

    K = grams().K
    sums = [tail_sum(s * K[0] + K[1], 2) for s in (0.0, 1.0, 100.0)]
    assert tail_sum(K[0], 2) <= 1e-9 * np.trace(K[0])
    assert sums[0] < 0.99 * sums[1] < 0.99 * sums[2]
