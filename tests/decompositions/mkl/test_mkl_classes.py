"""The suprema of the classes of classifiers, against brute force and against their bounds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from radprog.decompositions.class_suprema import (
    largest_sum,
    lpboost_classes,
    mkl_classes,
    vkr_classes,
)
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.instances.bags import series
from radprog.instances.dataset import dataset
from radprog.instances.errors import OptionError
from radprog.models.class_complexity import class_complexity
from radprog.models.complexity import exact_complexity
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.settings import MKL
from radprog.models.settings import VKR

SIGNS = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))


def points(n: int = 8, seed: int = 0):
    rng = np.random.default_rng(seed)
    return dataset(rng.normal(size=(n, 2)), np.where(np.arange(n) % 2, 1.0, -1.0))


def waves(m: int = 8, length: int = 12, seed: int = 0):
    rng = np.random.default_rng(seed)
    return series(rng.normal(size=(m, length)), np.where(np.arange(m) % 2, 1.0, -1.0))


def whole(found) -> float:
    estimate = class_complexity(found.suprema, found.m, trials=None)
    assert estimate is not None
    return estimate.value


def test_families_of_kernels_are_enumerated_as_their_complexity_says() -> None:
    data = points()
    found = vkr_classes(VKR(kernels="poly:2,rbf:0.5"), data, 0)
    assert [item.name for item in found] == ["poly:2", "rbf:0.5"]
    for item in found:
        K = KernelBank(parse_kernels(item.name), data.X).gram(0)
        assert whole(item) == pytest.approx(exact_complexity(K), rel=1e-12)
        assert item.exact
        assert whole(item) <= item.upper


def test_shapelets_by_hand() -> None:
    data, spec = waves(), LPBoost(length="4")
    (found,) = lpboost_classes(spec, data, 0)
    (family,) = assemble(spec, data).families
    by_hand = np.mean([np.abs(family.features @ sigma).max() for sigma in SIGNS]) / 8
    assert whole(found) == pytest.approx(by_hand, rel=1e-12)
    assert found.exact
    assert by_hand <= found.upper
    (plus,) = lpboost_classes(LPBoost(length="4", learner="shapelet-plus"), data, 0)
    one_sided = np.mean([(family.features @ sigma).max() for sigma in SIGNS]) / 8
    assert whole(plus) == pytest.approx(one_sided, rel=1e-12)


@pytest.mark.parametrize("learner", ["l1", "rkhs"])
def test_balls_are_searched_from_below(learner) -> None:
    data, spec = waves(6, 8), LPBoost(length="4", learner=learner, starts=3)
    problem = assemble(spec, data)
    (found,) = lpboost_classes(spec, data, 0)
    assert (found.exact, found.upper) == (False, None)
    features = problem.families[0].features
    for sigma in SIGNS[::50, :6]:
        value = largest_sum(spec, problem, sigma, 0)
        assert value >= (features @ sigma).max() - 1e-9  # every shapelet lies in the ball
        assert value == pytest.approx(found.suprema(sigma[None])[0])


@pytest.mark.parametrize("options", [{}, {"norm": 2.0}, {"variant": "lp"}, {"variant": "unif"}])
def test_the_best_weights_of_kernels(options) -> None:
    data = points()
    spec = MKL(kernels="rbf:0.1,rbf:1,linear", **options)
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
    data = points()
    conv, dc = (
        mkl_classes(MKL(kernels="rbf:0.1,rbf:1,linear", variant=v), data, 0)[0]
        for v in ("conv", "dc")
    )
    assert whole(conv) == pytest.approx(whole(dc), rel=1e-12)
    kernels = kernel_set(MKL(kernels="rbf:0.1,rbf:1,linear"), data)
    rng = np.random.default_rng(0)
    sigma = SIGNS[77]
    for _ in range(100):  # weights on the boundary of the larger set of dc reach no further
        mu = rng.dirichlet(np.full(3, 0.5))
        K = np.tensordot(mu, kernels.K, 1)
        mu *= 8 / np.linalg.eigvalsh(K)[:-1].sum()
        reached = np.sqrt(sigma @ np.tensordot(mu, kernels.K, 1) @ sigma)
        assert reached <= dc.suprema(sigma[None])[0] * (1 + 1e-9)
    with pytest.raises(OptionError, match="norm 1"):
        mkl_classes(MKL(kernels="linear,rbf:1", variant="dc", norm=2), data, 0)


def test_an_estimate_can_be_ended() -> None:
    (found,) = vkr_classes(VKR(kernels="linear"), points(), 0)
    seen = []

    def stop(done: int, total: int) -> bool:
        seen.append((done, total))
        return done >= 100

    part = class_complexity(found.suprema, 8, trials=300, stop=stop)
    assert part is not None
    assert part.trials == 128
    assert seen[-1] == (128, 300)
    assert class_complexity(found.suprema, 8, trials=None, stop=stop) is None
    assert class_complexity(found.suprema, 8, trials=50, exact=False, stop=lambda *_: True) is None
