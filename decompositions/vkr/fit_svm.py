"""Support vector machine: its dual by libsvm or a QP solver, certified by primal and dual value."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import OutOfBudget, bounded, under
from radprog.base.tolerances import LIBSVM_TOLERANCE, SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.expansion import KernelExpansion, supporting
from radprog.decompositions.loop import Budget, Reason, certified_by
from radprog.decompositions.run import (
    Methods,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    packed,
)
from radprog.decompositions.vkr.compression import svm_compression
from radprog.decompositions.vkr.constrained_svm import (
    costs_of,
    recompute_constrained,
    rows_of_svm,
    solve_constrained,
    svm_dual_of,
)
from radprog.instances.dataset import Dataset
from radprog.models.complexity import psd_spectrum
from radprog.models.compression import SIZE_UNKNOWN, Compression
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.svm import (
    build_svm_dual,
    curvature_loss,
    svm_feasible,
    svm_values,
    without_kernel,
)
from radprog.models.vkr.settings import SVM
from radprog.models.vkr.svm_rows import constant_under
from radprog.solvers.dense.svm import (
    solve_svm_in_time,
    solve_svm_interior,
    svm_program,
    svm_vertex,
)
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_program

Costs = float | FloatArray  # C, or one of every row
NOT_USED: Methods = {"dual": ("max_iter", "start")}
CAPPED: Methods = {"dual": ("start",)}  # of libsvm, whose iterations --max-iter caps
LIBSVM_CAP = 5_000_000  # iterations: libsvm may stall on a rank-deficient matrix with a large C
CUT_OFF = (
    "the run was cut off before its kernel matrix was used: the constant classifier, and 0, which "
    "bounds every objective"
)
LARGEST_QP = 1000  # points up to which PIQP is asked where libsvm leaves a gap


@dataclass(frozen=True)
class DualPoint:
    """A feasible a (m,) with its recomputed values, and who found it."""

    a: FloatArray
    objective: float
    bias: float
    bound: float
    solver: str
    version: str
    reason: Reason

    @property
    def gap(self) -> float:
        """Objective less bound."""
        return self.objective - self.bound


def evaluate(
    K: FloatArray,
    y: FloatArray,
    C: Costs,
    a: FloatArray,
    solver: str,
    version: str,
    reason: Reason,
) -> DualPoint:
    """The feasible point near a (m,), with its values."""
    a = svm_feasible(y, C, a)
    return DualPoint(a, *svm_values(K, y, C, a), solver, version, reason)


def _by_libsvm(
    K: FloatArray, y: FloatArray, C: Costs, budget: Budget, most: int | None = None
) -> DualPoint:
    cap = LIBSVM_CAP if most is None else max(most, 1)
    with under(budget):
        found = solve_svm_in_time(
            K, y, C, tolerance=LIBSVM_TOLERANCE, max_iter=cap,
            staged=budget.time_limit is not None,
        )  # fmt: skip
    cut = not found.converged and budget.spent()
    capped = Reason.SOLVER if found.converged or most is None else Reason.MAX_ITER
    reason = budget.reason if cut else capped
    return evaluate(K, y, C, found.alpha, "libsvm", version("scikit-learn"), reason)


def _by_program(
    K: FloatArray,
    y: FloatArray,
    C: Costs,
    name: str,
    settings: RunSettings,
    budget: Budget,
) -> DualPoint:
    with under(budget):
        program = bounded(svm_program, K, y, C)
    solution = solve_program(program, name, settings.for_solver(budget))
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    a = np.zeros(len(y)) if solution.x is None else solution.x
    reason = budget.cut if cut else Reason.SOLVER
    found = evaluate(K, y, C, a, name, solution.version, reason)
    return _refined(found, K, y, C, settings, budget)


def _refined(
    point: DualPoint, K: FloatArray, y: FloatArray, C: Costs, settings: RunSettings, budget: Budget
) -> DualPoint:
    """A point of an interior-point method with zeros for its small numbers; where that is not
    certified, the vertex of its free multipliers or the point itself, whichever is best."""
    sizes = point.a * np.sqrt(K.diagonal())
    thin = np.where(sizes > SUPPORT * sizes.max(), point.a, 0.0)
    found = [evaluate(K, y, C, thin, point.solver, point.version, point.reason)]
    if certified_by(found[0].objective, found[0].bound, settings.tol, settings.abs_tol):
        return found[0]
    with suppress(OutOfBudget), under(budget):
        vertex = svm_vertex(K, y, C, point.a)
        if vertex is not None:
            found.append(evaluate(K, y, C, vertex, point.solver, point.version, point.reason))
    return min(*found, point, key=lambda found: found.gap)


def _by_default(
    K: FloatArray, y: FloatArray, C: Costs, settings: RunSettings, budget: Budget
) -> DualPoint:
    """libsvm, which keeps its matrix in single precision; where that leaves a gap, PIQP as well.

    PIQP gets the program scaled to its kernel, and its last point counts whether or not it
    converged. What is returned is no worse than the point 0.
    """
    point = _by_libsvm(K, y, C, budget)
    if certified_by(point.objective, point.bound, settings.tol, settings.abs_tol):
        return point
    if budget.spent():
        return replace(point, reason=budget.reason)
    found = [point]
    reason = Reason.SOLVER
    if len(y) <= LARGEST_QP:
        try:
            with under(budget):
                a = solve_svm_interior(K, y, C).alpha
        except OutOfBudget:
            reason = budget.reason
        else:
            import piqp

            other = evaluate(K, y, C, a, "piqp", piqp.__version__, Reason.SOLVER)
            found.append(_refined(other, K, y, C, settings, budget))
    nothing = evaluate(K, y, C, np.zeros(len(y)), point.solver, point.version, Reason.SOLVER)
    best = min(*found, nothing, key=lambda found: found.gap)
    return replace(best, reason=reason)


def fit_svm(spec: SVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual by libsvm (default) or any QP solver; gap between primal and dual value.
    ``max_iter`` caps the iterations of libsvm where that is named: the gap says what it is worth.
    Under constraints the QP solver is PIQP by default.

    Raises OptionError where the kernel matrix is not symmetric positive semidefinite: the dual is
    not convex then.
    """
    unused = CAPPED if settings.solver == "libsvm" and not spec.constraints else NOT_USED
    settings.check(spec, unused, {"dual": ("libsvm",)})
    clock = settings.clock()
    with under(clock.grace):
        try:
            bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
            _check_psd(bank)
            clock.ready()
            if spec.constraints:
                outcome = solve_constrained(spec, data, bank, settings, clock.budget)
            else:
                point = _point(spec, data, bank.gram(0), settings, clock.budget)
                outcome = outcome_of(spec, data, bank, point, settings)
        except OutOfBudget:
            outcome = without_kernel_matrix(spec, data, settings, clock.budget)
    return packed(spec, settings, clock, outcome)


def _check_psd(bank: KernelBank) -> None:
    kernel = bank.kernels[0]
    if kernel.psd:
        return
    try:
        psd_spectrum(bank.gram(0))
    except OptionError as error:
        raise OptionError(f"kernel {kernel.name}: {error}, and svm needs one") from None


def _point(
    spec: SVM, data: Dataset, K: FloatArray, settings: RunSettings, budget: Budget
) -> DualPoint:
    y, C = data.signs, costs_of(spec, data)
    if settings.solver is None:
        return _by_default(K, y, C, settings, budget)
    if settings.solver == "libsvm":
        return _by_libsvm(K, y, C, budget, settings.max_iter)
    return _by_program(K, y, C, settings.solver, settings, budget)


def without_kernel_matrix(
    spec: SVM, data: Dataset, settings: RunSettings, budget: Budget
) -> Outcome:
    """The constant classifier and the bound 0, of a run that was cut off before a dual point of its
    kernel matrix had been evaluated; no objective where that breaks a constraint."""
    rows = rows_of_svm(spec, data)
    if len(rows):
        objective, bias = constant_under(data.signs, spec.C, rows)
    else:
        objective, bias = without_kernel(data.signs, costs_of(spec, data))
    constant = KernelExpansion.constant(spec.kernels, data.X, bias)
    return Outcome(
        reason=budget.reason,
        objective=objective if np.isfinite(objective) else None,
        bound=0.0,
        solver=SolverUse(settings.solver or "libsvm", "", settings.solver_options),
        fit=constant,
        summary=constant.summary(data.X, data.signs, np.zeros((data.rows, 0)), data.weights),
        evidence={
            "a": [0.0] * data.rows,
            **({"mu": [0.0] * len(rows)} if len(rows) else {}),
            "bias": bias,
        },
        program=partial(svm_dual_of, spec, data),
        columns=0,
        warnings=(CUT_OFF,),
        extra={
            "compression": Compression(
                points=data.rows, delta=spec.delta, refused=SIZE_UNKNOWN
            ).to_dict()
        },
    )


def outcome_of(
    spec: SVM,
    data: Dataset,
    bank: KernelBank,
    point: DualPoint,
    settings: RunSettings,
) -> Outcome:
    """A point whose values were recomputed, with its predictor."""
    kernel, K, y = bank.kernels[0], bank.gram(0), data.signs
    a, objective, bias, bound = point.a, point.objective, point.bias, point.bound
    if not kernel.psd:
        bound -= curvature_loss(K, costs_of(spec, data), a)
    support = supporting(a, K.diagonal())
    rests = svm_compression(spec, data, bank, K @ (a * y), bias, objective - bound)
    expansion = KernelExpansion.of_kernel(kernel.name, data.X, a * y, support, bias)
    return Outcome(
        reason=point.reason,
        objective=objective,
        bound=bound,
        solver=SolverUse(point.solver, point.version, settings.solver_options),
        fit=expansion,
        summary=expansion.summary(data.X, y, K, data.weights),
        evidence={"a": a.tolist(), "bias": bias},
        program=partial(build_svm_dual, K, y, costs_of(spec, data)),
        columns=len(support),
        warnings=bank.warnings,
        extra={"compression": rests.to_dict()},
    )


def recompute_svm(spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> Recomputed:
    """What the stored multipliers are worth, from the data alone.

    Raises DataError when they do not fit the data.
    """
    if spec.constraints:
        return recompute_constrained(spec, data, evidence)
    bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
    a = np.asarray(evidence["a"], dtype=np.float64)
    if a.shape != (data.rows,):
        raise DataError("the stored multipliers do not fit this data set")
    point = evaluate(bank.gram(0), data.signs, costs_of(spec, data), a, "none", "", Reason.SOLVER)
    return Recomputed.of(outcome_of(spec, data, bank, point, RunSettings()))
