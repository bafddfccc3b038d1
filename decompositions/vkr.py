"""Voted Kernel Regularization: column generation, the whole programs, coordinate descent."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.decompositions.alternate import alternate
from radprog.decompositions.coordinate import CoordinateDescent
from radprog.decompositions.exchange import Answer, Cuts, MasterPoint, exchange
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import (
    Budget,
    GapReached,
    MaxIterations,
    NothingAdded,
    Reason,
    Record,
    Stalled,
    Stop,
    run,
)
from radprog.decompositions.masters import BASIC, MASTER_TOLERANCE, HighsMaster, PyomoMaster
from radprog.decompositions.run import Run, RunSettings, SolverUse
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError, SolverError
from radprog.instances.readers import read
from radprog.models.bounds import margin_bound, theorem_1, theorem_2
from radprog.models.complexity import massart
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.penalties import Penalties, kernel_penalties
from radprog.models.settings import L1SVM, VKR
from radprog.models.vkr import VotedKernels, build_dual, build_primal
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Solution, SolveSettings, Status
from radprog.solvers.registry import solve_program
from radprog.solvers.rescale import rescale, restore

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

METHODS = ("colgen", "direct", "dual", "cd")
VIOLATION = 1e-9  # a column whose ratio exceeds 1 by more than this is violated
KEEP_RATIO = 0.9  # columns of a smaller ratio are not handed to a neighbouring problem
BATCH = (40, 300)  # least and most columns added in a round


def assemble(
    spec: VKR, data: Dataset, seed: int = 0, store_limit: int | None = None
) -> tuple[VotedKernels, Penalties]:
    """Kernel bank and penalties of a data set; raises DataError and OptionError."""
    centres = None
    if spec.centres is not None:
        centres = np.concatenate([data.X, read(spec.centres, label="none", like=data).X])
    kernels = parse_kernels(spec.kernels)
    limit = {} if store_limit is None else {"store_limit": store_limit}
    bank = KernelBank(kernels, data.X, centres, **limit)
    penalties = kernel_penalties(
        bank, spec.complexity, local_r=spec.local_r, trials=spec.trials, seed=seed
    )
    problem = VotedKernels(
        bank=bank, y=data.targets, penalties=penalties.r, lam=spec.lam, beta=spec.beta
    )
    return problem, penalties


@dataclass
class Incumbent:
    """Best primal and dual points so far, with their recomputed values."""

    pairs: IntArray
    alpha: FloatArray
    objective: float
    d: FloatArray
    bound: float

    @staticmethod
    def trivial(problem: VotedKernels) -> Incumbent:
        """alpha = 0 with F = 1, and d = 1/m scaled to feasibility."""
        d = np.full(problem.m, 1.0 / problem.m)
        bound = problem.dual_bound(d, problem.ratios(d), exact=False)
        return Incumbent(np.zeros((0, 2), np.intp), np.zeros(0), 1.0, d, bound)

    def offer_primal(self, pairs: IntArray, alpha: FloatArray, objective: float) -> None:
        """Keep alpha if it is better."""
        if objective < self.objective:
            used = alpha != 0.0
            self.pairs, self.alpha, self.objective = pairs[used], alpha[used], objective

    def offer_dual(self, d: FloatArray, bound: float) -> None:
        """Keep d if it is better."""
        if bound > self.bound:
            self.d, self.bound = d, bound

    def certify(self, problem: VotedKernels) -> None:
        """Recompute both values from the data, the bound with its exact rounding term."""
        columns = problem.bank.columns(self.pairs)
        self.objective = problem.primal_value(columns, self.pairs, self.alpha)
        self.bound = problem.dual_bound(self.d, problem.ratios(self.d))


class VotedOracle:
    """Prices every column at a master point u = m d, and turns multipliers into alpha.

    The master is  min -sum u,  0 <= u <= 1,  -1 <= sum_i A_kj,i u_i / (m Lambda_k) <= 1  over the
    columns so far, so that alpha_kj = -multiplier_kj / (m Lambda_k).
    """

    def __init__(self, problem: VotedKernels, incumbent: Incumbent, batch: int) -> None:
        self.problem, self.incumbent, self.batch = problem, incumbent, batch
        p, m, c = problem.bank.shape
        self.active = np.zeros((p, c), dtype=bool)
        self.pairs: IntArray = np.zeros((0, 2), np.intp)
        self.solved = 0  # columns in the master that was solved last
        self.active_ratios: FloatArray = np.zeros(0)
        self._columns: FloatArray = np.empty((m, 0), order="F")

    def cuts(self, pairs: IntArray) -> Cuts:
        """Register new columns (r, 2) and return their master rows."""
        problem, old, r = self.problem, len(self.pairs), len(pairs)
        columns = problem.bank.columns(pairs)
        if old + r > self._columns.shape[1]:
            grown = np.empty((problem.m, max(2 * old, old + r)), order="F")
            grown[:, :old] = self._columns[:, :old]
            self._columns = grown
        self._columns[:, old : old + r] = columns
        self.pairs = np.concatenate([self.pairs, pairs])
        self.active[pairs[:, 0], pairs[:, 1]] = True
        scale = problem.m * problem.prices[pairs[:, 0]]
        return Cuts((problem.y[:, None] * columns / scale).T, np.full(r, -1.0), np.ones(r))

    def alpha(self, multipliers: FloatArray) -> FloatArray:
        """alpha (r,) of the registered columns from the master's multipliers (r,)."""
        return -multipliers / (self.problem.m * self.problem.prices[self.pairs[:, 0]])

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer:
        problem, incumbent = self.problem, self.incumbent
        self.solved = len(self.pairs)
        d = np.clip(point.x, 0.0, 1.0) / problem.m
        ratios = problem.ratios(d)
        incumbent.offer_dual(d, problem.dual_bound(d, ratios, exact=False))
        alpha = self.alpha(point.multipliers)
        used = np.flatnonzero(alpha)
        value = problem.primal_value(self._columns[:, used], self.pairs[used], alpha[used])
        incumbent.offer_primal(self.pairs, alpha, value)
        worst = float(ratios.max())
        self.active_ratios = ratios[self.pairs[:, 0], self.pairs[:, 1]]
        ratios[self.active] = 0.0
        candidates = np.flatnonzero(ratios.ravel() > 1.0 + VIOLATION)
        detail = {"columns": float(len(self.pairs)), "largest_ratio": worst}
        if not candidates.size:
            return Answer(incumbent.objective, incumbent.bound, None, detail)
        if candidates.size > self.batch:
            scores = ratios.ravel()[candidates]
            candidates = candidates[np.argpartition(-scores, self.batch - 1)[: self.batch]]
        new = np.stack(np.unravel_index(np.sort(candidates), ratios.shape), axis=1)
        return Answer(incumbent.objective, incumbent.bound, self.cuts(new), detail)


def batch_size(m: int) -> int:
    """Columns added in a round: a twentieth of the points, between 40 and 300."""
    return int(np.clip(m // 20, *BATCH))


@dataclass(frozen=True)
class Warm:
    """Columns and basis that a neighbouring problem hands on."""

    pairs: IntArray
    column_basis: list[Any] = field(default_factory=list)
    cut_basis: list[Any] = field(default_factory=list)

    def without_slack(self, ratios: FloatArray) -> Warm:
        """Drop basic columns whose ratio is below 0.9: the rest is a basis still.

        ratios (r,) of the first r columns; those added later are kept.
        """
        basic = np.array([status == BASIC for status in self.cut_basis], dtype=bool)
        ratios = np.concatenate([ratios, np.ones(len(self.pairs) - len(ratios))])
        keep = np.flatnonzero(~basic | (ratios >= KEEP_RATIO))
        return Warm(self.pairs[keep], self.column_basis, [self.cut_basis[i] for i in keep])


@dataclass(frozen=True)
class Outcome:
    """What a method hands to the wiring."""

    reason: Reason
    trace: list[Record]
    incumbent: Incumbent
    pairs: IntArray
    version: str = ""
    warnings: tuple[str, ...] = ()
    warm: Warm | None = None


def stops_of(settings: RunSettings, *own: Stop) -> list[Stop]:
    """Gap, the driver's own rules, then the iteration limit."""
    stops: list[Stop] = [GapReached(settings.tol, settings.abs_tol), *own]
    if settings.max_iter is not None:
        stops.append(MaxIterations(settings.max_iter))
    return stops


def generate_columns(
    problem: VotedKernels, settings: RunSettings, budget: Budget, warm: Warm | None = None
) -> Outcome:
    """Column generation on ``exchange``; ``warm`` columns and basis start it."""
    incumbent = Incumbent.trivial(problem)
    oracle = VotedOracle(problem, incumbent, batch_size(problem.m))
    cost, upper = np.full(problem.m, -1.0), np.ones(problem.m)
    solver = settings.solver or "highs"
    master: HighsMaster | PyomoMaster
    if solver == "highs":
        master = HighsMaster(cost, upper, settings.threads)
    else:
        options = SolveSettings(threads=settings.threads, options=settings.solver_options)
        master = PyomoMaster(cost, upper, solver, options)
    if warm is not None and len(warm.pairs):
        master.add(oracle.cuts(warm.pairs))
        if isinstance(master, HighsMaster) and warm.column_basis:
            master.hot_start(warm.column_basis, warm.cut_basis)
    stops = stops_of(settings, NothingAdded())
    reason, trace = run(exchange(master, oracle), stops, budget, settings.observe)
    handed = None
    if isinstance(master, HighsMaster):
        handed = Warm(oracle.pairs, *master.basis()).without_slack(oracle.active_ratios)
    return Outcome(
        reason, trace, incumbent, oracle.pairs[: oracle.solved], master.version, warm=handed
    )


def solve_whole(
    problem: VotedKernels, settings: RunSettings, budget: Budget, *, dual: bool
) -> Outcome:
    """The whole primal or dual program by one solver; both points are certified afterwards.

    The matrices are scaled before the solver sees them: alpha by 1/(m Lambda), d by 1/m, the
    objective by m, because prices of 1e-6 vanish in absolute tolerances.
    """
    name = settings.solver or "highs"
    model = (build_dual if dual else build_primal)(problem)
    m, pairs = problem.m, problem.all_pairs
    program = compile_model(model)
    per_column = 1.0 / (m * problem.prices[pairs[:, 0]])
    if dual:
        columns, rows = np.full(m, 1.0 / m), 1.0 / problem.prices[pairs[:, 0]]
    else:
        columns, rows = np.concatenate([per_column, per_column, np.ones(m)]), np.ones(m)
    solve_settings = SolveSettings(
        time_limit=None if settings.time_limit is None else max(1e-3, budget.remaining),
        threads=settings.threads,
        options=settings.solver_options,
        interrupt=budget.spent,
        tolerance=MASTER_TOLERANCE if name == "highs" else None,
        log=settings.log,
    )
    scaled = rescale(program, columns=columns, rows=rows, objective=float(m))
    answer = solve_program(scaled, name, solve_settings)
    solution = restore(answer, columns=columns, rows=rows, objective=float(m))
    incumbent = Incumbent.trivial(problem)
    if solution.x is not None:
        alpha, d = _primal_dual(solution, len(pairs), dual)
        if alpha is not None:
            used = np.flatnonzero(alpha)
            columns_used = problem.bank.columns(pairs[used])
            value = problem.primal_value(columns_used, pairs[used], alpha[used])
            incumbent.offer_primal(pairs, alpha, value)
        if d is not None:
            d = np.clip(d, 0.0, 1.0 / m)
            incumbent.offer_dual(d, problem.dual_bound(d, problem.ratios(d)))
    reason = Reason.SOLVER
    if solution.status in (Status.LIMIT, Status.INTERRUPTED):
        reason = budget.reason
    elif solution.status in (Status.INFEASIBLE, Status.UNBOUNDED):
        raise SolverError(
            f"{name} calls the program {solution.status}, which it cannot be: {solution.message}"
        )
    record = Record(0, budget.seconds, incumbent.objective, incumbent.bound)
    settings.observe(record)
    return Outcome(reason, [record], incumbent, pairs, solution.version)


def _primal_dual(
    solution: Solution, r: int, dual: bool
) -> tuple[FloatArray | None, FloatArray | None]:
    """alpha (r,) and d (m,) of a solution of the primal or of the dual program.

    The dual is minimised as -1'd: its row duals are then -alpha.
    """
    assert solution.x is not None
    if dual:
        return (None if solution.row_duals is None else -solution.row_duals), solution.x
    return solution.x[:r] - solution.x[r : 2 * r], solution.row_duals


def descend_coordinates(problem: VotedKernels, settings: RunSettings, budget: Budget) -> Outcome:
    """Coordinate descent on ``alternate``. It stalls at kinks of hinge + l1 that are no optimum:
    it ends by its own rule, and only its recomputed gap says how good it is."""
    if settings.solver is not None:
        raise OptionError("method 'cd' calls no solver: leave --solver out")
    descent = CoordinateDescent(problem)
    incumbent = Incumbent.trivial(problem)

    def bound() -> float:
        d = descent.dual_point()
        incumbent.offer_dual(d, problem.dual_bound(d, problem.ratios(d), exact=False))
        return incumbent.bound

    step = alternate([descent.steepest, descent.sweep], descent.objective, bound)
    stops = stops_of(settings, Stalled(1e-12))
    reason, trace = run(step, stops, budget, settings.observe)
    pairs = np.argwhere(descent.alpha != 0.0)
    incumbent.offer_primal(pairs, descent.alpha[pairs[:, 0], pairs[:, 1]], descent.objective())
    bound()
    warnings: tuple[str, ...] = ()
    if reason is Reason.STALLED:
        warnings = (
            "coordinate descent on a hinge with an l1 penalty can stall at a point that is not "
            "optimal: read the gap, or use method colgen",
        )
    return Outcome(reason, trace, incumbent, pairs, warnings=warnings)


def fit_vkr(spec: VKR | L1SVM, data: Dataset, settings: RunSettings) -> Run:
    """Fit by ``settings.method`` (colgen, direct, dual, cd) and certify the result.

    Raises OptionError, DataError on bad input; SolverError when a solver fails.
    """
    method = settings.method or METHODS[0]
    if method not in METHODS:
        raise OptionError(f"unknown method '{method}': expected one of {', '.join(METHODS)}")
    budget = settings.budget()
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    problem, penalties = assemble(program, data, settings.seed)
    kernels_done = time.perf_counter()
    if method == "colgen":
        warm = None if settings.start is None else Warm(known_columns(problem, settings.start))
        outcome = generate_columns(problem, settings, budget, warm)
    elif method == "cd":
        outcome = descend_coordinates(problem, settings, budget)
    else:
        outcome = solve_whole(problem, settings, budget, dual=method == "dual")
    kernel_seconds = kernels_done - budget.started
    return finish(spec, problem, penalties, outcome, settings, budget, kernel_seconds)


def finish(
    spec: VKR | L1SVM,
    problem: VotedKernels,
    penalties: Penalties,
    outcome: Outcome,
    settings: RunSettings,
    budget: Budget,
    kernel_seconds: float,
) -> Run:
    """Certify an outcome from the data and pack it as a Run."""
    incumbent = outcome.incumbent
    incumbent.certify(problem)
    total = budget.seconds
    method = settings.method or METHODS[0]
    solver = None if method == "cd" else settings.solver or "highs"
    return Run(
        name="l1svm" if isinstance(spec, L1SVM) else "vkr",
        method=method,
        spec=spec,
        reason=outcome.reason,
        objective=incumbent.objective,
        bound=incumbent.bound,
        tol=settings.tol,
        abs_tol=settings.abs_tol,
        trace=outcome.trace,
        times={
            "kernels": kernel_seconds,
            "build": 0.0,
            "solve": max(0.0, total - kernel_seconds),
            "total": total,
        },
        solver=SolverUse(solver or "none", outcome.version, settings.solver_options),
        fit=expansion(problem, incumbent),
        summary=summarise(problem, penalties, incumbent),
        evidence={
            "pairs": incumbent.pairs.tolist(),
            "alpha": incumbent.alpha.tolist(),
            "d": incumbent.d.tolist(),
            "penalties": penalties.r.tolist(),
            "columns": outcome.pairs.tolist(),
        },
        build=lambda: build_dual(problem, outcome.pairs),
        columns=len(outcome.pairs),
        warnings=(*problem.bank.warnings, *penalties.warnings, *outcome.warnings),
        extra={"bounds": generalisation_bounds(problem, incumbent)},
    )


def generalisation_bounds(
    problem: VotedKernels, incumbent: Incumbent, delta: float = 0.05
) -> list[dict[str, Any]]:
    """Theorems 1 and 2 (p > 1), or the margin bound of one kernel, at the incumbent.

    Families without a penalty enter with Massart's bound of their complexity.
    """
    pairs = incumbent.pairs
    margins = problem.y * (problem.bank.columns(pairs) @ incumbent.alpha)
    p, m, c = problem.bank.shape
    alpha = np.zeros((p, c))
    alpha[pairs[:, 0], pairs[:, 1]] = incumbent.alpha
    r = problem.penalties
    if not r.any():
        norms = problem.bank.column_norms()
        r = np.array([massart(norms[k], m) for k in range(p)])
    if p == 1:
        bounds = [margin_bound(alpha, float(r[0]), margins, delta=delta)]
    else:
        sizes = problem.bank.max_abs
        bounds = [
            theorem_1(alpha, sizes, r, margins, delta=delta),
            theorem_2(alpha, sizes, r, margins, delta=delta, corrected=False),
            theorem_2(alpha, sizes, r, margins, delta=delta, corrected=True),
        ]
    return [asdict(bound) for bound in bounds]


def known_columns(problem: VotedKernels, start: KernelExpansion) -> IntArray:
    """Columns (r, 2) of an earlier fit that this problem has too: same kernel, same centre."""
    names = [kernel.name for kernel in problem.bank.kernels]
    pairs = []
    for k, j, point in zip(start.kernel, start.centre, start.points, strict=True):
        name = start.kernels[k]
        centres = problem.bank.centres
        if name in names and j < len(centres) and np.array_equal(centres[j], point):
            pairs.append((names.index(name), int(j)))
    return np.asarray(pairs, dtype=np.intp).reshape(-1, 2)


def expansion(problem: VotedKernels, incumbent: Incumbent) -> KernelExpansion:
    """The predictor of the incumbent coefficients."""
    pairs = incumbent.pairs
    return KernelExpansion(
        kernels=tuple(kernel.name for kernel in problem.bank.kernels),
        kernel=pairs[:, 0].copy(),
        centre=pairs[:, 1].copy(),
        points=problem.bank.centres[pairs[:, 1]],
        coefficients=incumbent.alpha.copy(),
    )


def summarise(problem: VotedKernels, penalties: Penalties, incumbent: Incumbent) -> dict[str, Any]:
    """The ``fit`` block of a result: counts, weight per family, penalties, screening."""
    pairs, alpha = incumbent.pairs, incumbent.alpha
    weight = np.zeros(problem.bank.shape[0])
    np.add.at(weight, pairs[:, 0], np.abs(alpha) * problem.prices[pairs[:, 0]])
    margins = problem.y * (problem.bank.columns(pairs) @ alpha)
    names = [kernel.name for kernel in problem.bank.kernels]
    summary: dict[str, Any] = {
        "coefficients": len(pairs),
        "support_vectors": len(np.unique(pairs[:, 1])),
        "kernels": names,
        "penalties": penalties.r.tolist(),
        "weight_per_kernel": weight.tolist(),
        "useless_kernels": [
            name for name, drop in zip(names, problem.useless(), strict=True) if drop
        ],
        "training_error": float((margins <= 0).mean()),
        "norm": float(np.abs(alpha).sum()),
    }
    if penalties.standard_error is not None:
        summary["penalty_standard_errors"] = penalties.standard_error.tolist()
    if penalties.local_radius is not None:
        summary["local_radius"] = penalties.local_radius.tolist()
    return summary
