"""Small random VKR problems and an independent reference: arrays by hand, scipy's linprog."""

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
import voted
from effort import count
from scipy.optimize import linprog

from radprog.base.types import FloatArray
from radprog.instances.dataset import Dataset, dataset
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import RBF, KernelFunction, Laplace, Polynomial, Precomputed
from radprog.models.vkr.penalties import kernel_penalties
from radprog.models.vkr.problem import VotedKernels
from radprog.solvers import registry
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Program, SolveSettings

COUNT = count(210, 42)  # random problems on which all routes must agree


@dataclass(frozen=True)
class Reference:
    """F(alpha) by a double loop, a lower bound by loops, and how many alpha are not zero."""

    value: float
    bound: float
    nonzeros: int

    @property
    def gap(self) -> float:
        return (self.value - self.bound) / self.value


def _matrix(kind: str, X: FloatArray, Z: FloatArray, rng: np.random.Generator) -> FloatArray:
    """asymmetric: tanh of a bilinear form; indefinite: symmetric, with eigenvalues of both signs;
    noise: independent entries."""
    if kind == "asymmetric":
        return np.tanh(X @ rng.normal(size=(X.shape[1],) * 2) @ Z.T + 0.3)
    if kind == "indefinite":
        return np.cos(3.0 * (X @ Z.T)) - 0.5
    return rng.normal(size=(len(X), len(Z)))


def _kernel(k: int, X: FloatArray, Z: FloatArray, rng: np.random.Generator) -> KernelFunction:
    kind = rng.choice(["poly", "rbf", "laplace", "asymmetric", "indefinite", "noise"])
    if kind == "poly":
        return Polynomial(int(rng.integers(1, 9)))
    if kind == "rbf":
        return RBF(float(10.0 ** rng.uniform(-2, 1)))
    if kind == "laplace":
        return Laplace(float(10.0 ** rng.uniform(-2, 1)))
    return Precomputed(f"{kind}{k}.npy", _matrix(str(kind), X, Z, rng))


def _instance(seed: int) -> VotedKernels:
    """A random problem: m in 6..25, 1 to 3 kernels, some asymmetric or indefinite."""
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(6, 26)), int(rng.integers(1, 4))
    X = rng.normal(size=(m, 3))
    X /= np.linalg.norm(X, axis=1).max()
    y = np.sign(X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + 0.1 * rng.normal(size=m))
    y[:2] = 1.0, -1.0
    extra = rng.uniform(-0.6, 0.6, size=(3, 3)) if seed % 3 == 0 else None
    centres = X if extra is None else np.concatenate([X, extra])
    kernels = [_kernel(k, X, centres, rng) for k in range(p)]
    bank = KernelBank(kernels, X, None if extra is None else centres)
    price = float(10.0 ** -rng.uniform(1, 6))
    r = kernel_penalties(bank, "massart").r
    return VotedKernels(bank=bank, y=y, penalties=r, lam=price, beta=price)


def _solve(problem: VotedKernels) -> Reference:
    """The scaled dual by linprog, alpha from its marginals, both evaluated by loops.

    max 1'u, |A_kj . u| <= m Lambda_k, 0 <= u <= 1, solved in units of 1/scale.
    """
    bank, m = problem.bank, len(problem.y)
    pairs, rows = [], []
    for k, kernel in enumerate(bank.kernels):
        price = problem.lam * float(problem.penalties[k]) + problem.beta
        for j, column in enumerate(kernel(bank.X, bank.centres).T):
            pairs.append((k, j, price))
            rows.append(problem.y * column / (m * price))
    G, one = np.array(rows), np.ones(len(rows))
    scale = 1.0
    for _ in range(3):
        found = linprog(
            -np.ones(m),
            A_ub=np.vstack([G, -G]) * scale,
            b_ub=np.concatenate([one, one]),
            bounds=[(0.0, 1.0 / scale)] * m,
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        assert found.status == 0, found.message
        largest = float(found.x.max())
        if largest > 1e-2:
            break
        scale *= largest
    marginals = found.ineqlin.marginals * scale
    scaled = marginals[len(rows) :] - marginals[: len(rows)]
    alpha = np.array([s / (m * price) for s, (_, _, price) in zip(scaled, pairs, strict=True)])
    value = voted.value(problem, [(k, j) for k, j, _ in pairs], alpha)
    d = np.clip(found.x * scale, 0.0, 1.0) / m
    nonzeros = int((np.abs(alpha) > 1e-9 * np.abs(alpha).max(initial=1e-300)).sum())
    return Reference(min(value, 1.0), float(voted.bound(problem, d)), nonzeros)


@pytest.fixture
def liar(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Register solver ``liar``: another, HiGHS or as named, whose answers a lie distorts."""

    def register(lie: Callable[[Program, SolverAnswer], SolverAnswer], truth=highs) -> None:
        def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
            answer = truth.solve(program, replace(settings, tol=1e-9))
            return lie(program, answer) if len(program.row_lower) else answer

        module = types.ModuleType("radprog.solvers.adapters.liar")
        module.solve, module.version = solve, lambda: "1"  # type: ignore[attr-defined]
        module.DECLARED = truth.DECLARED  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(registry.SOLVERS, "liar", registry.SolverSpec(name="liar"))

    return register


def _points(m: int, seed: int = 0) -> Dataset:
    """Noisy quadrants in the unit disc."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=m) > 0, 1, -1)
    y[:2] = 1, -1
    return dataset(X / np.linalg.norm(X, axis=1).max(), y, name=f"points{seed}")


def _fixture(function):
    """A fixture that is a function."""
    return pytest.fixture(scope="session")(lambda: function)


make_problem, reference, points = _fixture(_instance), _fixture(_solve), _fixture(_points)
naive_value, naive_bound = _fixture(voted.value), _fixture(voted.bound)


@pytest.fixture(scope="session")
def collection() -> list[tuple[VotedKernels, Reference]]:
    """Random problems with their optima, known to 1e-8."""
    return [(problem, _solve(problem)) for problem in [_instance(seed) for seed in range(COUNT)]]
