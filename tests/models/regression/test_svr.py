"""Bounded loss: values, convex and concave parts, exact bias, explicit programs, refused input."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from sklearn.svm import SVR as LibSVR
from small_data import LOSSES, sine_class

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray
from radprog.models.complexity import all_signs, draw_signs
from radprog.models.regression import problem as problems
from radprog.models.regression import programs
from radprog.models.regression.problem import BoundedLoss
from radprog.solvers.compile import compile_model
from radprog.solvers.dense.hinges import HingeProgram, solve_hinges
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_model


def by_hand(loss: BoundedLoss, r: float) -> float:
    return min(max(0.0, abs(r) - loss.low), loss.up) / loss.up


@pytest.mark.parametrize("loss", LOSSES)
def test_loss_by_hand(loss: BoundedLoss) -> None:
    r = np.random.default_rng(0).normal(size=200) * 2
    assert np.allclose(loss(r), [by_hand(loss, value) for value in r.tolist()], atol=1e-15)
    assert loss(np.array([1e9])) == 1.0
    assert loss(np.array([loss.low])) == 0.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_majoriser_touches_and_lies_above(loss: BoundedLoss, seed: int) -> None:
    """convex(h) + c h + tangent >= G(h) everywhere, with equality where it was linearised."""
    problem = sine_class(12, seed, loss)
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 0.0, 1.0], size=(30, 12))
    at = rng.normal(size=(30, 12)) * 2
    hinges = problems.convex_part(problem.y, signs, loss, 1e3)
    c = problems.slopes(at, problem.y, signs, loss)
    tangent = problems.tangent_constant(at, problem.y, signs, loss, c)

    def majoriser(h: FloatArray) -> FloatArray:
        return (hinges.value(h) + (c * h).sum(axis=1) + tangent) / loss.up

    assert np.abs(c).max() == 1.0
    assert np.allclose(majoriser(at), problem.objective(at, signs), atol=1e-12)
    for _ in range(20):
        h = at + rng.normal(size=at.shape) * 3
        assert np.all(majoriser(h) >= problem.objective(h, signs) - 1e-12)


def test_tie_at_the_worst_point_is_broken() -> None:
    y = np.array([0.0, 1.0])
    assert problems.slopes(y[None], y, np.ones((1, 2)), BoundedLoss()).tolist() == [[1.0, -1.0]]
    assert problems.slopes(y[None], y, np.ones((1, 2)), BoundedLoss(low=0.1)).tolist() == [
        [0.0, 0.0]
    ]


POINT = st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.sampled_from([-1.0, 0.0, 1.0]))


@examples(60)
@given(st.lists(POINT, min_size=1, max_size=8), st.sampled_from(LOSSES))
def test_best_bias_is_the_best(points: list[tuple[float, float, float]], loss: BoundedLoss) -> None:
    g, y, signs = (np.array(column) for column in zip(*points, strict=True))
    b, value = problems.bounded_loss_bias(g[None], y, signs[None], loss)

    def total(bias: float) -> float:
        return sum(-s * by_hand(loss, t - v - bias) for v, t, s in points)

    assert value[0] == pytest.approx(total(float(b[0])), abs=1e-12)
    kinks = [t - v + e for v, t, _ in points for e in (-loss.low, loss.low)]
    kinks += [t - v + e for v, t, _ in points for e in (-loss.low - loss.up, loss.low + loss.up)]
    assert min(map(total, [*kinks, *np.linspace(-12, 12, 97).tolist()])) >= value[0] - 1e-12


def test_factor_spans_the_class() -> None:
    """h = F w + b is the kernel expansion with |w|^2 = c'Kc, and coefficients sum to zero."""
    problem = sine_class(25, 0, BoundedLoss())
    x = np.random.default_rng(0).normal(size=(5, problem.rank + 1))
    x[:, :-1] *= np.linalg.norm(problem.factor, axis=0) / 5
    coefficients, bias = problem.expansion(x)
    h = coefficients @ problem.kernel + bias[:, None]
    assert np.allclose(h, problem.functions(x), atol=1e-7)
    norms = np.einsum("ij,ij->i", coefficients @ problem.kernel, coefficients)
    assert np.allclose(norms, (x[:, :-1] ** 2).sum(axis=1), rtol=1e-6)
    assert np.allclose(coefficients.sum(axis=1), 0.0, atol=1e-6)
    reach = problem.reach(2.0)
    w = problem.factor[3] / np.linalg.norm(problem.factor[3]) * np.sqrt(2.0)
    assert (problem.factor @ w)[3] == pytest.approx(reach[3])


def test_signs() -> None:
    for kind, count in (("rademacher", 64), ("discrepancy", 20)):
        drawn, every = draw_signs(10, 400, 3, kind), all_signs(6, kind)
        assert np.array_equal(drawn, draw_signs(10, 400, 3, kind))
        assert set(np.unique(drawn)) == set(np.unique(every)) == {-1.0, 1.0}
        assert abs(drawn.mean()) < 0.1
        assert len(np.unique(drawn, axis=0)) > 150
        assert len(every) == len(np.unique(every, axis=0)) == count
        if kind == "discrepancy":
            assert not drawn.sum(axis=1).any()
            assert not every.sum(axis=1).any()
    # the control variate keeps the mean
    signs = all_signs(5, "rademacher")
    suprema = np.maximum(signs.sum(axis=1), 0.5)
    assert problems.complexity_terms(signs, suprema).mean() == pytest.approx(0.4 * suprema.mean())
    assert problems.complexity_terms(signs, suprema).std() < (0.4 * suprema).std()


def test_bad_classes_losses_and_signs() -> None:
    for K, y, error in (
        (np.eye(1), [0.0], DataError),
        (np.eye(3), [0.0, 0.0], DataError),
        (np.full((2, 2), np.nan), [0.0, 0.0], DataError),
        (np.eye(2), [0.0, np.inf], DataError),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), [0.0, 0.0], OptionError),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), [0.0, 0.0], OptionError),
    ):
        refused(error, ".", problems.regression_class, K, np.array(y), BoundedLoss())
    for low, up in ((-0.1, 1.0), (0.0, 0.0), (0.0, -1.0), (np.nan, 1.0), (0.0, np.inf)):
        refused(OptionError, "eps_", BoundedLoss, low=low, up=up)
    refused(OptionError, "even", draw_signs, 5, 10, 0, "discrepancy")
    refused(OptionError, "trials", draw_signs, 4, 1, 0, "rademacher")
    refused(OptionError, "kind", draw_signs, 4, 10, 0, "gauss")


TIGHT = SolveSettings(tol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_strong_duality_of_every_step(loss: BoundedLoss, seed: int, monkeypatch) -> None:
    """(8) = -(9) + constant = our own solver, for random signs, C and iterate; (9) by its matrix or
    the factor."""
    n = 18
    monkeypatch.setattr(programs, "DENSE_DUAL", n + seed % 2 - 1)
    problem = sine_class(n, seed, loss)
    rng = np.random.default_rng(seed)
    signs = draw_signs(n, 2, seed, "rademacher")[:1]
    weight = float(10.0 ** rng.uniform(-1, 1))
    h = problem.functions(rng.normal(size=(1, problem.rank + 1)) * 0.5)
    c = problems.slopes(h, problem.y, signs, loss)
    tangent = problems.tangent_constant(h, problem.y, signs, loss, c)
    arguments = (problem, signs[0], c[0], weight, float(tangent[0]))
    primal = solve_model(programs.build_step(*arguments), "piqp", TIGHT).objective
    dual = solve_model(programs.build_step_dual(*arguments), "piqp", TIGHT).objective
    hinges = problems.convex_part(problem.y, signs, loss, 1e3)
    box = problem.bias_box(programs.tikhonov_radius(weight * loss.up, n))
    kinks = {"t1": hinges.t1, "t2": hinges.t2}
    program = HingeProgram(F=problem.factor, **kinks, c=c, box=box, price=1 / weight)
    own = weight * float((solve_hinges(program).value + hinges.constant + tangent)[0])
    scale = 1 + abs(primal)
    assert abs(primal + dual) <= 1e-7 * scale
    assert abs(primal - own) <= 1e-7 * scale
    assert np.abs(c).sum() > 0


def test_all_minimised_with_zero_slopes_is_support_vector_regression() -> None:
    loss = BoundedLoss(low=0.1, up=1.0)
    problem = sine_class(40, 1, loss)
    signs, C = -np.ones(40), 3.0
    ours = solve_model(programs.build_step(problem, signs, np.zeros(40), C), "piqp", TIGHT)
    peer = LibSVR(kernel="precomputed", C=C, epsilon=loss.low, tol=1e-10)
    peer.fit(problem.kernel, problem.y)
    a = np.zeros(40)
    a[peer.support_] = peer.dual_coef_[0]
    h = problem.kernel @ a + peer.intercept_[0]
    tube = np.maximum(np.abs(problem.y - h) - loss.low, 0.0)
    assert ours.objective == pytest.approx(0.5 * a @ problem.kernel @ a + C * tube.sum(), rel=1e-7)
    assert np.allclose(problem.functions(ours.x[: problem.rank + 1][None])[0], h, atol=1e-4)


def test_classes_of_the_programs() -> None:
    problem, c = sine_class(6, 0, LOSSES[1]), np.zeros(6)
    signs = np.array([1.0, -1, 1, -1, 1, -1])
    for model, kind in (
        (programs.build_step(problem, signs, c, 1.0), "QP"),
        (programs.build_step_dual(problem, signs, c, 1), "QP"),
        (programs.build_step_ivanov(problem, signs, c, 1.0), "QCQP"),
        (programs.build_global(problem, signs, A=1.0), "MIQCQP"),
        (programs.build_global(problem, signs, C=1.0), "MIQP"),
    ):
        assert compile_model(model).problem_class == kind
