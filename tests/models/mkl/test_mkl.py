"""Values, cuts and bounds of multiple kernel learning against loops and other solvers."""

from fractions import Fraction

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from rational import combined, dot, image, matrix, numbers
from scipy.optimize import minimize, minimize_scalar

import radprog as rp
from radprog.models.mkl.kernel_sets import KernelSet, kernel_set, tail_sum
from radprog.models.mkl.problem import MultipleKernels, TailBudget, WeightBall, norm, squared_dual

seeds = st.integers(0, 2**32 - 1)
LOSSES = ("hinge", "squared")


def kernels(seed: int, n: int = 9, M: int = 3, classes: int = 2) -> KernelSet:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(M, n, n)) * rng.uniform(0.1, 1.0, (M, 1, n))
    y = rng.integers(0, classes, n)
    y[:classes] = np.arange(classes)
    return kernel_set(rp.MKL(), rp.gram_set(factors @ factors.transpose(0, 2, 1), y))


def problem(seed: int, loss: str = "hinge", bias: bool = True, classes: int = 2, C: float = 1.3):
    return MultipleKernels(kernels=kernels(seed, classes=classes), C=C, loss=loss, bias=bias)


def some_dual(rng: np.random.Generator, given: MultipleKernels) -> np.ndarray:
    return given.feasible(rng.uniform(-0.3, 1.2, size=given.labels.shape) * given.C)


# ---------------------------------------------------------------- the ball


@given(seeds, st.sampled_from([1.0, 1.2, 2.0, 3.0, 20.0]))
@examples(60)
def test_support_is_the_largest_inner_product(seed: int, p: float) -> None:
    rng = np.random.default_rng(seed)
    c, q = rng.uniform(0.2, 3.0, 4), rng.uniform(0.0, 2.0, 4)
    ball, slopes = WeightBall(c, p), q / c
    best = slopes ** (1.0 / (p - 1.0)) if p > 1 else (slopes == slopes.max()).astype(float)
    u = ball.to_sphere(best)
    assert slopes @ u == pytest.approx(ball.support(q), rel=1e-9)
    for _ in range(20):
        u = ball.to_sphere(rng.exponential(size=4))
        assert [norm(u, p), ball.length(u / c)] == pytest.approx([1.0, 1.0])
        assert slopes @ u <= ball.support(q) * (1 + 1e-12)


def test_norms_do_not_overflow() -> None:
    assert norm(np.array([1e200, 1e200]), 2.0) == pytest.approx(np.sqrt(2) * 1e200)
    assert norm(np.array([3.0, 4.0]), np.inf) == 4.0
    assert norm(np.zeros(3), 1.5) == 0.0
    assert WeightBall(np.ones(3), 2.0).to_sphere(np.zeros(3)) == pytest.approx(np.full(3, 3**-0.5))


# ---------------------------------------------------------------- values and cuts


def exact_parts(
    given: MultipleKernels, mu: np.ndarray, a: np.ndarray, biases: np.ndarray
) -> tuple[Fraction, Fraction]:
    """sum |w_m|^2 / mu_m and the losses of w_m = mu_m sum z phi_m in rational arithmetic."""
    K = combined([matrix(one) for one in given.kernels.K], numbers(mu))
    norm = losses = Fraction(0)
    for row, y, b in zip(a, given.labels, numbers(biases), strict=True):
        z = numbers(row * y)
        scores = image(K, z)
        norm += dot(z, scores)
        for sign, f in zip(numbers(y), scores, strict=True):
            off = 1 - sign * (f + b)
            losses += max(Fraction(0), off) if given.loss == "hinge" else off * off / 2
    return norm, losses


@pytest.mark.parametrize("loss", LOSSES)
@given(seeds, st.booleans(), st.sampled_from([2, 3]))
@examples(10)
def test_the_reported_objective_is_not_below_the_exact_one(
    loss: str, seed: int, bias: bool, classes: int
) -> None:
    rng, set_ = np.random.default_rng(seed), problem(seed, loss, bias, classes)
    mu = rng.uniform(0.0, 2.0, 3) * (rng.random(3) < 0.8)
    value = set_.value(mu, some_dual(rng, set_))
    norm, losses = exact_parts(set_, mu, value.a, value.biases)
    assert value.objective == pytest.approx(float(norm / 2 + Fraction(set_.C) * losses), rel=1e-12)
    for excess in (1.0, 1.0 + 1e-9):
        exact = norm * Fraction(excess) / 2 + Fraction(set_.C) * losses
        found = set_.objective_up(value, excess)
        assert exact <= Fraction(found)
        assert float(Fraction(found) - exact) <= 1e-14 * float(norm + Fraction(set_.C) * losses)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_bias_is_the_best(loss: str, classes: int) -> None:
    set_, rng = problem(classes, loss, classes=classes), np.random.default_rng(0)
    mu, a = rng.uniform(0, 1, 3), some_dual(rng, set_)
    value = set_.value(mu, a)
    for r in range(len(set_.labels)):

        def at(b: float, r: int = r) -> float:
            biases = np.where(np.arange(len(value.biases)) == r, b, value.biases)
            norm, losses = exact_parts(set_, mu, a, biases)
            return float(norm / 2 + Fraction(set_.C) * losses)

        assert value.objective <= minimize_scalar(at, bounds=(-9, 9), method="bounded").fun + 1e-9


@given(seeds, st.sampled_from(LOSSES), st.booleans())
@examples(40)
def test_every_feasible_point_cuts_below_every_value(seed: int, loss: str, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    given_problem = problem(seed, loss, bias, classes=int(rng.integers(2, 4)))
    a = some_dual(rng, given_problem)
    if bias:
        assert np.abs((a * given_problem.labels).sum(axis=1)).max() < 1e-12 * a.size
    if loss == "hinge":
        assert a.min() >= 0.0
        assert a.max() <= given_problem.C
    cut = given_problem.value(np.ones(3), a)
    for _ in range(10):
        mu, other = rng.exponential(size=3), some_dual(rng, given_problem)
        assert cut.s - 0.5 * cut.energies @ mu <= given_problem.value(mu, other).objective + 1e-10


@pytest.mark.parametrize("loss", LOSSES)
def test_dual_bound_is_below_the_ball_and_nearly_the_cut(loss: str) -> None:
    given_problem = problem(3, loss)
    rng = np.random.default_rng(0)
    ball = WeightBall(rng.uniform(0.5, 2.0, 3), 1.0)
    a = some_dual(rng, given_problem)
    bound = given_problem.dual_bound(ball.support, a)
    exact = given_problem.gain(a) - 0.5 * ball.support(given_problem.energies(a))
    assert bound < exact
    assert bound == pytest.approx(exact, rel=1e-11)
    for _ in range(200):
        mu = ball.to_sphere(rng.exponential(size=3)) / ball.c
        assert bound <= given_problem.value(mu, some_dual(rng, given_problem)).objective
    mu = ball.to_sphere(np.ones(3)) / ball.c
    at_mu = given_problem.dual_bound(lambda q: float(mu @ q), a)
    assert bound <= at_mu <= given_problem.value(mu, a).cut
    # an infeasible dual point gives no false bound
    far = np.full((1, 9), 50.0)
    honest = given_problem.dual_bound(ball.support, given_problem.feasible(far))
    assert given_problem.dual_bound(ball.support, far) == pytest.approx(honest)


@given(seeds, st.booleans())
@examples(30)
def test_squared_loss_in_closed_form(seed: int, bias: bool) -> None:
    given_problem = problem(seed, "squared", bias)
    K, y = given_problem.combine(np.array([0.2, 0.5, 0.3])), given_problem.labels[0]
    a = squared_dual(K, y, 1.3, bias=bias)
    value = given_problem.value(np.array([0.2, 0.5, 0.3]), a[None])
    assert value.objective == pytest.approx(value.cut, rel=1e-9)  # primal equals dual value
    z = a * y
    if bias:
        assert z.sum() == pytest.approx(0.0, abs=1e-9)

    def ridge(x: np.ndarray) -> float:
        f = K @ x[:-1] + (x[-1] if bias else 0.0)
        return 0.5 * x[:-1] @ K @ x[:-1] + 0.65 * ((y - f) ** 2).sum()

    assert value.objective <= ridge(np.concatenate([z, value.biases])) + 1e-9
    assert value.objective <= minimize(ridge, np.zeros(10), method="BFGS").fun + 1e-7


@pytest.mark.parametrize("bias", [0, 1])
def test_squared_loss_where_1_over_C_is_below_the_rounding_of_the_kernel(bias: int) -> None:
    """Eigenvalues of K below 0, by rounding, are larger than 1/C."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    K, y = 1e17 * (X @ X.T), np.where(X[:, 0] > 0, 1.0, -1.0)
    assert np.linalg.eigvalsh(K)[0] < -1e-2
    a = squared_dual(K, y, 100.0, bias=bool(bias))
    values, vectors = np.linalg.eigh(K)
    energy = np.maximum(values, 0.0) @ (vectors.T @ (y * a)) ** 2
    # a dual value well above that of 0: how near the optimum, 322, is left to rounding
    assert a.sum() - 0.5 * energy - a @ a / 200.0 > 32.0
    if bias:
        assert abs(y @ a) <= 1e-9 * np.abs(a).sum()


# ---------------------------------------------------------------- the tail constraint


@pytest.mark.parametrize("power", [1.0, 2.0, 3.5])
def test_inner_and_outer_balls_enclose_the_constraint(power: float) -> None:
    constraint = TailBudget(problem(7), 2, 9.0, power)
    rng = np.random.default_rng(0)
    here = constraint.to_boundary(rng.exponential(size=3))
    assert tail_sum(constraint.problem.combine(here**power), 2) == pytest.approx(9.0)
    inner = constraint.inner(constraint.supergradient(constraint.tail(here)))
    outer = constraint.outer()
    assert inner.length(here) == pytest.approx(1.0)
    touched = False
    for _ in range(100):
        assert outer.length(constraint.to_boundary(rng.exponential(size=3))) <= 1.0 + 1e-12
        size = constraint.tail(inner.to_sphere(rng.exponential(size=3)) / inner.c).value
        assert size <= 9.0 * (1 + 1e-12)
        touched |= size < 8.9
    assert touched  # the inner approximation is a proper subset


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_update_minimises_over_the_inner_ball(power: float) -> None:
    constraint = TailBudget(problem(8), 2, 9.0, power)
    rng = np.random.default_rng(0)
    mu, q = rng.exponential(size=3), rng.exponential(size=3)
    v = constraint.supergradient(constraint.tail(mu))
    updated = constraint.update(mu, q, v)
    assert v @ updated**power == pytest.approx(9.0)

    def norms(weights: np.ndarray) -> float:
        return float((mu**2 * q / weights).sum())

    inner = constraint.inner(v)
    for _ in range(300):
        assert norms(updated) <= norms(inner.to_sphere(rng.exponential(size=3)) / inner.c)
    # zero weights stay zero
    assert constraint.update(np.array([1.0, 0.0, 2.0]), np.ones(3), v)[1] == 0.0
    assert constraint.update(np.ones(3), np.zeros(3), v).tolist() == [1.0, 1.0, 1.0]
