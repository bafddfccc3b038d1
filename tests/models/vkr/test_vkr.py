"""The programs of Voted Kernel Regularization against loops, fractions and brute force."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyomo.environ as pyo
import pytest
import voted
from effort import examples, seeds
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.optimize import linprog

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import Precomputed
from radprog.models.vkr import programs
from radprog.models.vkr.problem import VotedKernels
from radprog.solvers.compile import compile_model
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.solvers.registry import solve_model

TIGHT = SolveSettings(tol=1e-10)
any_seed = st.integers(0, 2**32 - 1)


def given_kernels(
    matrices: list[FloatArray],
    y: list[float],
    r: list[float] | None = None,
    lam: float = 0.0,
    beta: float = 0.1,
) -> VotedKernels:
    """A problem whose kernels are the matrices (m, c)."""
    m, c = matrices[0].shape
    kernels = [Precomputed(f"K{k}.npy", np.asarray(K, float)) for k, K in enumerate(matrices)]
    bank = KernelBank(kernels, np.zeros((m, 1)), None if m == c else np.zeros((c, 1)))
    penalties = np.zeros(len(matrices)) if r is None else np.asarray(r, dtype=float)
    return VotedKernels(bank=bank, y=np.asarray(y, float), penalties=penalties, lam=lam, beta=beta)


def random_problem(
    seed: int, m: int = 7, c: int = 5, p: int = 2, lam: float = 0.02, beta: float = 0.01
) -> VotedKernels:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(m) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    matrices = [rng.normal(size=(m, c)) * 10.0 ** rng.uniform(-1, 1) for _ in range(p)]
    return given_kernels(matrices, y.tolist(), rng.uniform(0.1, 2.0, p).tolist(), lam, beta)


def price(problem: VotedKernels, k: int) -> float:
    return problem.lam * float(problem.penalties[k]) + problem.beta


def columns(problem: VotedKernels) -> FloatArray:
    """y_i K_k(x_i, x'_j) as (m, p, c)."""
    X, Z = problem.bank.X, problem.bank.centres
    return problem.y[:, None, None] * np.stack([K(X, Z) for K in problem.bank.kernels], axis=1)


def optimum(problem: VotedKernels) -> float:
    solution = solve_model(programs.build_primal(problem), "highs", TIGHT)
    assert solution.claimed_optimal
    return float(solution.objective)


def alpha_of(model: pyo.ConcreteModel, problem: VotedKernels) -> FloatArray:
    p, _, c = problem.bank.shape
    plus, minus = model.alpha_plus, model.alpha_minus
    parts = [pyo.value(plus[k, j] - minus[k, j]) for k in range(p) for j in range(c)]
    return np.reshape(parts, (p, c))


# ---------------------------------------------------------------- value and orientation


# ---------------------------------------------------------------- the programs, both ways


@given(any_seed)
@examples(20)
def test_primal_program_is_the_value(seed: int) -> None:
    """With slack = hinge the program is feasible and its objective is F; with less it is not."""
    problem, rng = random_problem(seed), np.random.default_rng(seed)
    p, m, c = problem.bank.shape
    alpha = rng.normal(size=(p, c)) * rng.integers(0, 2, size=(p, c))
    flat = alpha.ravel()
    columns = problem.bank.columns(problem.all_pairs)
    value = problem.primal_value(columns, problem.all_pairs, flat)
    assert value == pytest.approx(voted.value(problem, problem.all_pairs, flat), rel=1e-13)
    slack = np.maximum(0.0, 1.0 - problem.y * (columns @ flat))
    x = np.concatenate([np.maximum(flat, 0), np.maximum(-flat, 0), slack])
    program = compile_model(programs.build_primal(problem))
    assert program.problem_class is ProblemClass.LP
    assert (len(program.cost), len(program.row_lower)) == (2 * p * c + m, m)
    assert program.objective(x) == pytest.approx(value, rel=1e-12)
    assert program.violation(x) < 1e-12
    short = x.copy()
    short[-m + int(slack.argmax())] -= 0.01
    assert slack.max() == 0.0 or program.violation(short) == pytest.approx(0.01)


@given(any_seed)
@examples(20)
def test_primal_and_dual_share_optimum_and_multipliers(seed: int) -> None:
    problem = random_problem(seed, lam=1e-2, beta=3e-3)
    p, m, c = problem.bank.shape
    primal, dual = programs.build_primal(problem), programs.build_dual(problem)
    best = solve_model(primal, "highs", TIGHT).objective
    assert -solve_model(dual, "highs", TIGHT).objective == pytest.approx(best, rel=1e-8)
    alpha = np.array([[dual.dual[dual.correlation[k, j]] for j in range(c)] for k in range(p)])
    for found in (alpha, alpha_of(primal, problem)):
        value = voted.value(problem, problem.all_pairs, found.ravel())
        assert value == pytest.approx(best, rel=1e-7)
    d = np.array([primal.dual[primal.margin[i]] for i in range(m)])
    assert d.min() >= -1e-12
    assert d.max() <= 1.0 / m + 1e-12
    assert float(d.sum()) == pytest.approx(best, rel=1e-7)
    assert problem.ratios(d).max() <= 1.0 + 1e-7


def test_restricted_programs_hold_the_given_columns_only() -> None:
    problem = random_problem(9)
    pairs = np.array([[1, 2], [0, 4]])
    dual, primal = programs.build_dual(problem, pairs), programs.build_primal(problem, pairs)
    assert list(dual.correlation.keys()) == [(1, 2), (0, 4)]
    assert len(primal.alpha_plus) == 2
    expected = columns(problem)[:, pairs[:, 0], pairs[:, 1]].T
    assert compile_model(dual).rows.toarray() == pytest.approx(expected, rel=1e-14)
    best = solve_model(primal, "highs", TIGHT).objective
    assert -solve_model(dual, "highs", TIGHT).objective == pytest.approx(best, rel=1e-9)
    assert best > optimum(problem) + 1e-3


# ---------------------------------------------------------------- the bound


@given(any_seed, st.floats(0.0, 1.0))
@examples(60)
def test_bound_is_below_the_optimum_for_any_d(seed: int, share: float) -> None:
    problem = random_problem(seed)
    rng = np.random.default_rng(seed)
    d = rng.random(problem.m) * (rng.random(problem.m) < share) / problem.m
    best = optimum(problem)
    sharp = problem.dual_bound(d, problem.ratios(d))[0]
    cheap = problem.dual_bound(d, problem.ratios(d), exact=False)[0]
    assert 0.0 <= cheap <= sharp <= best * (1 + 1e-9)
    exact = voted.bound(problem, d)
    assert Fraction(sharp) <= exact
    assert cheap >= float(exact) * (1 - 1e-13)  # no more than rounding is lost


# ---------------------------------------------------------------- Appendix B: budget


def test_multiplier_of_the_budget_is_minus_beta() -> None:
    """Between two kinks the multiplier is unique; as beta it gives the same program."""
    negative = 0
    for seed in range(10):
        problem = random_problem(seed, m=9, lam=2e-2, beta=3e-2)
        primal = programs.build_primal(problem)
        solve_model(primal, "highs", TIGHT)
        budget = 0.77 * float(np.abs(alpha_of(primal, problem)).sum())
        model = programs.build_budget(problem, budget)
        value = solve_model(model, "highs", TIGHT).objective
        beta = -float(model.dual[model.norm_budget])
        # A smaller budget than the solution's norm is worth more than beta.
        assert beta >= problem.beta - 1e-9
        expected = pytest.approx(value + beta * budget, rel=1e-8)
        assert optimum(replace(problem, beta=beta)) == expected
        negative += beta > problem.beta + 1e-6
    assert negative >= 5


@pytest.mark.parametrize("build", [programs.build_budget, programs.build_margin])
@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_budget_that_is_not_positive_is_refused(build, budget: float) -> None:
    refused(OptionError, f"budget {budget:g}", build, random_problem(0), budget)
    # and a price of 0
    kernels, y, words = [np.eye(2), np.eye(2)], [1.0, -1.0], r"K1\.npy would cost nothing \(lam\*r"
    refused(OptionError, words, given_kernels, kernels, y, [1.0, 0.0], lam=0.5, beta=0.0)
    refused(OptionError, "nothing", given_kernels, kernels[:1], y, [np.nan], lam=0.5)


# ---------------------------------------------------------------- Appendix B: margin errors


def brute_margin(problem: VotedKernels, budget: float) -> float:
    """Over all sets of points that may miss: a linear program over the others, by linprog."""
    p, m, c = problem.bank.shape
    rows = columns(problem).reshape(m, p * c)
    costs = np.repeat(problem.lam * problem.penalties, c)
    best = np.inf
    for missed in itertools.product((False, True), repeat=m):
        held = rows[~np.array(missed)]
        A = np.vstack([-np.hstack([held, -held]), np.ones((1, 2 * p * c))])
        b = np.append(-np.ones(len(held)), budget)
        found = linprog(np.concatenate([costs, costs]), A, b, method="highs")
        if found.status == 0:
            best = min(best, found.fun + sum(missed) / m)
    return best


@pytest.mark.parametrize("seed", seeds(8))
def test_margin_program_equals_brute_force(seed: int) -> None:
    problem = random_problem(seed, m=6, c=3, p=1 + seed % 2, lam=0.01, beta=0.01)
    primal = programs.build_primal(problem)
    solve_model(primal, "highs", TIGHT)
    alpha = alpha_of(primal, problem)
    budget = float(np.abs(alpha).sum()) * (1.0 if seed % 2 else 0.6)
    model = programs.build_margin(problem, budget)
    assert compile_model(model).problem_class is ProblemClass.MILP
    solution = solve_model(model, "highs", SolveSettings(tol=1e-9))
    assert solution.objective == pytest.approx(brute_margin(problem, budget), abs=1e-7)
    if seed % 2:
        pairs = problem.all_pairs
        own = programs.margin_objective(problem, problem.bank.columns(pairs), pairs, alpha.ravel())
        assert solution.objective <= own + 1e-9


def test_a_miss_allows_the_worst_score() -> None:
    # Equal points with opposite labels: where one has margin 1, the other has -1 = 1 - M.
    problem = given_kernels([np.ones((2, 2))], [1.0, -1.0], beta=0.1)
    model = programs.build_margin(problem, 1.0)
    assert [model.margin[i].body.args[-1].args[0] for i in range(2)] == [2.0, 2.0]
    assert solve_model(model, "highs").objective == pytest.approx(0.5)
    tighter = programs.build_margin(problem, 0.999)
    assert solve_model(tighter, "highs").objective == pytest.approx(1.0)
    # margins below 1, up to rounding, count
    problem = given_kernels([np.eye(4)], [1.0, 1.0, 1.0, -1.0], [3.0], lam=0.01, beta=0.1)
    pairs, alpha = problem.all_pairs, np.array([1.0, 1.0 - 1e-6, 1.0 - 1e-12, 2.0])
    value = programs.margin_objective(problem, problem.bank.columns(pairs), pairs, alpha)
    assert value == pytest.approx(2 / 4 + 0.01 * 3 * float(np.abs(alpha).sum()))


def test_a_scaled_point_is_feasible_in_exact_arithmetic_where_sums_cancel() -> None:
    """Without the error of its sum in extended precision it would often lie below."""
    needed = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        half = rng.normal(size=20) * 1e9
        column = np.concatenate([half, -half * (1 + rng.normal(size=20) * 1e-10), [100.0]])
        problem = given_kernels([column[:, None]], [1.0] * 41)
        d = rng.uniform(0.5, 1.0, 20)
        d = np.concatenate([d, d, [1.0]]) / 41
        _, t = problem.dual_bound(d, problem.ratios(d))
        terms = zip(column.tolist(), d.tolist(), strict=True)
        exact = abs(sum((Fraction(a) * Fraction(b) for a, b in terms), Fraction()))
        exact /= Fraction(float(problem.prices[0]))
        assert Fraction(t) * exact <= 1
        plain = np.abs((column.astype(np.longdouble) * d).sum()) / problem.prices[0]
        needed += exact > 1 and Fraction(float(plain)) < exact
    assert needed >= 5
