"""The explicit programs agree with each other, with a cone solver and with other software."""

import itertools

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused
from sklearn.svm import LinearSVC

import radprog as rp
from radprog.decompositions.loop import Budget
from radprog.decompositions.mkl.exchange import BestWeights, ValueOracle, minimise_over_ball
from radprog.decompositions.run import RunSettings
from radprog.instances.grams import GramSet, gram_set
from radprog.models.mkl import programs
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels, TailBudget, WeightBall
from radprog.solvers.compile import compile_model
from radprog.solvers.formats.program_writer import write_nl
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.solvers.registry import SOLVERS, solve_model, solver

TIGHT = SolveSettings(tol=1e-9, time_limit=10)
QCQP_SOLVERS = [n for n, spec in SOLVERS.items() if spec.takes(ProblemClass.QCQP) and ":" not in n]


def grams(seed: int, n: int = 12, ranks: tuple[int, ...] = (3, 12, 5), classes: int = 2) -> GramSet:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    K = []
    for rank in ranks:
        features = rng.normal(size=(n, rank)) * rng.uniform(0.2, 1.0, rank)
        features += 0.6 * rng.normal(size=(classes, rank))[y]
        K.append(features @ features.T)
    return gram_set(np.array(K), y)


def problem(seed: int = 0, bias: bool = True, loss: str = "hinge", **data) -> MultipleKernels:
    kernels = kernel_set(rp.MKL(), grams(seed, **data))
    return MultipleKernels(kernels=kernels, C=1.0, bias=bias, loss=loss)


def ball_of(given: MultipleKernels, p: float) -> WeightBall:
    return WeightBall(given.kernels.tails(1) / given.kernels.n, p)


def best(given: MultipleKernels, ball: WeightBall, tol: float = 1e-8) -> BestWeights:
    start = np.ones(len(ball.c))
    how = ball, start, RunSettings(tol=tol), Budget()
    found, _, _ = minimise_over_ball(ValueOracle(given), *how)
    assert found.gap <= 10 * tol
    return found


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", QCQP_SOLVERS)
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_the_quadratic_program_has_the_same_value(name: str, loss: str, classes: int) -> None:
    few = name == "scip"  # whose spatial branching is slow
    small = {"n": 6, "ranks": (3, 6), "classes": classes} if few else {"classes": classes}
    given = problem(2, loss=loss, **small)
    ball = ball_of(given, 1.0)
    model = programs.build_qcqp(given, ball)
    assert compile_model(model).problem_class is ProblemClass.QCQP
    solution = solve_model(model, name, TIGHT)
    assert solution.objective == pytest.approx(-best(given, ball).bound, rel=1e-6)


@pytest.mark.parametrize("name", ["ipopt", "scip"])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_the_quadratic_program_of_norm_2(name: str, loss: str) -> None:
    """Its cone ||share|| <= height is a convex set, but its matrix is indefinite: the solver is
    called without the test for convexity."""
    given = problem(2, loss=loss)
    ball = ball_of(given, 2.0)
    program = compile_model(programs.build_qcqp(given, ball))
    x = solver(name).adapter().solve(program, TIGHT).x
    assert program.violation(x) < 1e-6
    assert program.objective(x) == pytest.approx(-best(given, ball).bound, rel=1e-6)


def test_low_rank_kernels_are_written_with_factors() -> None:
    given = problem(2)
    model = programs.build_qcqp(given, ball_of(given, 1.0))
    factored = {key[0] for key in model.coordinate}
    assert factored == {0, 2}  # ranks 3 and 5 of 12, not 12
    assert len(model.image) == 8
    R = programs.factor(given.kernels.K[0])
    assert R.shape == (12, 3)
    assert pytest.approx(given.kernels.K[0], abs=1e-12) == R @ R.T


@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_block_norm_primal_has_the_same_value(p: float, loss: str, classes: int) -> None:
    given = problem(4, loss=loss, classes=classes)
    ball = ball_of(given, p)
    solution = solve_model(programs.build_primal(given, ball), None, TIGHT)
    assert solution.objective == pytest.approx(best(given, ball).bound, rel=1e-6)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_the_master_bounds_from_below_and_closes(p: float) -> None:
    """With p = 2 it is a convex quadratic program."""
    given = problem(6)
    ball = ball_of(given, p)
    found, values = best(given, ball), []
    for count in (1, len(found.s) // 2, len(found.s)):
        model = programs.build_silp(ball, found.s[:count], found.energies[:count])
        assert (compile_model(model).problem_class is ProblemClass.LP) == (p == 1.0)
        values.append(solve_model(model, "highs" if p == 1.0 else "scip", TIGHT).objective)
    assert values[0] < values[1] <= values[2] + 1e-8 <= found.value.objective + 2e-8
    assert values[2] == pytest.approx(found.bound, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("name", ["highs", "piqp"])
def test_the_machine_at_fixed_weights(loss: str, name: str) -> None:
    given = problem(7, loss=loss)
    mu = np.array([0.5, 0.1, 0.9])
    solution = solve_model(programs.build_svm(given, mu), name)
    assert solution.objective == pytest.approx(-ValueOracle(given)(mu, 1e-10).objective, rel=1e-6)


def test_other_norms_are_powers_which_matrices_cannot_hold(tmp_path) -> None:
    given = problem(8)
    for model in (
        programs.build_qcqp(given, ball_of(given, 3.0)),
        programs.build_primal(given, ball_of(given, 3.0)),
    ):
        refused(rp.CapabilityError, ".", compile_model, model)
        write_nl(model, tmp_path / "power.nl")
        assert (tmp_path / "power.nl").stat().st_size > 0


# ---------------------------------------------------------------- program (7) itself


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_program_7_holds_the_tail_sum_through_its_eigenvectors(power: float, tmp_path) -> None:
    given = MultipleKernels(kernels=kernel_set(rp.MKL(), grams(9, n=6, ranks=(6, 4))), C=1.0)
    mu = TailBudget(given, 2, 6.0, power).to_boundary(np.array([0.3, 0.7]))
    model = programs.build_dc(given, 2, 6.0, power)
    vectors = np.linalg.eigh(given.combine(mu**power))[1][:, ::-1]
    for m in range(2):
        model.mu[m] = mu[m]
        if power > 1.0:
            model.power[m] = mu[m] ** power

    def tail_budget(V: np.ndarray) -> float:
        for m, K in enumerate(given.kernels.K):
            model.tail[m] = np.trace(K) - np.trace(V[:, :2].T @ K @ V[:, :2])
        for i, j in itertools.product(range(6), range(2)):
            model.V[j, i] = V[i, j]
        for row in model.tail_of.values():
            assert pyo.value(row.body) == pytest.approx(pyo.value(row.upper))
        return pyo.value(model.tail_budget.body)

    assert tail_budget(vectors) == pytest.approx(6.0)
    for row in model.orthonormal.values():
        assert pyo.value(row.body) == pytest.approx(pyo.value(row.upper), abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(50):  # other orthonormal V say no less than the tail sum
        assert tail_budget(np.linalg.qr(rng.normal(size=(6, 2)))[0]) > 6.0
    assert compile_model(model).problem_class is ProblemClass.QCQP
    write_nl(programs.build_dc(given, 1, 6.0, 3.0), tmp_path / "dc.nl")
    assert (tmp_path / "dc.nl").read_bytes().startswith(b"g3")


# ---------------------------------------------------------------- several classes jointly


def joint_data(seed: int = 0, n: int = 24) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    X = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[codes]
    return X, codes.astype(np.intp)


def crammer_singer(X: np.ndarray, codes: np.ndarray, C: float, bias: bool) -> float:
    """Primal value of scikit-learn's solution; its bias is a feature that counts in the norm."""
    X = np.hstack([X, np.ones((len(X), int(bias)))])
    peer = LinearSVC(
        multi_class="crammer_singer", C=C, fit_intercept=False, tol=1e-10, max_iter=2_000_000
    )
    W, own = peer.fit(X, codes).coef_, np.eye(3)[codes]
    scores = X @ W.T
    losses = (scores + 1.0 - own).max(axis=1) - (scores * own).sum(axis=1)
    return 0.5 * float((W**2).sum()) + C * float(losses.sum())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("bias", [False, True])
def test_joint_program_equals_crammer_singer_of_scikit_learn(C: float, bias: bool) -> None:
    X, codes = joint_data()
    K = X @ X.T + (1.0 if bias else 0.0)
    model = programs.build_multiclass(K[None], codes, C, None, bias=False)
    solution = solve_model(model, "piqp", SolveSettings(tol=1e-9))
    assert -solution.objective == pytest.approx(crammer_singer(X, codes, C, bias), rel=1e-4)


@pytest.mark.thorough
def test_joint_program_with_kernel_weights() -> None:
    """One kernel: J(1/c); two: the value is between that of each alone and their mixtures."""
    X, codes = joint_data(1, n=12)
    K = np.array([X @ X.T, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))])
    ball = WeightBall(np.array([2.0, 0.5]))

    def alone(mu: np.ndarray) -> float:
        mixed = np.tensordot(mu, K, axes=1)[None]
        return -float(
            solve_model(programs.build_multiclass(mixed, codes, 1.0, None), "piqp").objective
        )

    first = WeightBall(np.array([2.0]))
    one = solve_model(programs.build_multiclass(K[:1], codes, 1.0, first), "scip", TIGHT)
    assert -one.objective == pytest.approx(alone(np.array([0.5, 0.0])), rel=1e-6)
    both = solve_model(programs.build_multiclass(K, codes, 1.0, ball), "scip", TIGHT)
    grid = [alone(np.array([t, 1.0 - t]) / ball.c) for t in np.linspace(0, 1, 41)]
    assert -both.objective == pytest.approx(min(grid), rel=1e-3)
    assert -both.objective <= min(grid) + 1e-6
