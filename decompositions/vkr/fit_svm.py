"""Support vector machine: its dual by libsvm or a QP solver, certified by primal and dual value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import piqp
import sklearn

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
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.tolerances import LIBSVM_TOLERANCE, SUPPORT
from radprog.instances.types import FloatArray
from radprog.models.complexity import psd_spectrum
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.svm import build_svm_dual, svm_dual_value, svm_feasible, svm_primal_value
from radprog.models.vkr.settings import SVM
from radprog.solvers.dense.svm import solve_svm, solve_svm_interior, svm_program
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_program

NOT_USED: Methods = {"dual": ("max_iter", "start")}
LIBSVM_CAP = 5_000_000  # iterations: libsvm may stall on a rank-deficient matrix with a large C
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
    K: FloatArray, y: FloatArray, C: float, a: FloatArray, solver: str, version: str, reason: Reason
) -> DualPoint:
    """The feasible point near a (m,), with its values."""
    a = svm_feasible(y, C, a)
    objective, bias = svm_primal_value(K, y, C, a)
    return DualPoint(a, objective, bias, svm_dual_value(K, y, a), solver, version, reason)


def _by_libsvm(K: FloatArray, y: FloatArray, C: float) -> DualPoint:
    a = solve_svm(K, y, C, tolerance=LIBSVM_TOLERANCE, max_iter=LIBSVM_CAP).alpha
    return evaluate(K, y, C, a, "libsvm", sklearn.__version__, Reason.SOLVER)


def _by_program(
    K: FloatArray, y: FloatArray, C: float, name: str, settings: RunSettings, budget: Budget
) -> DualPoint:
    solution = solve_program(
        svm_program(K, y, C),
        name,
        settings.for_solver(budget),
    )
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    a = np.zeros(len(y)) if solution.x is None else solution.x
    reason = budget.cut if cut else Reason.SOLVER
    return _thinned(evaluate(K, y, C, a, name, solution.version, reason), K, y, C, settings)


def _thinned(
    point: DualPoint, K: FloatArray, y: FloatArray, C: float, settings: RunSettings
) -> DualPoint:
    """A point of an interior-point method, whose zeros are small numbers, with zeros for them
    where that is certified or no worse: the predictor is that of the point."""
    sizes = point.a * np.sqrt(K.diagonal())
    a = np.where(sizes > SUPPORT * sizes.max(), point.a, 0.0)
    thin = evaluate(K, y, C, a, point.solver, point.version, point.reason)
    held = certified_by(thin.objective, thin.bound, settings.tol, settings.abs_tol) is not None
    return thin if held or thin.gap <= point.gap else point


def _by_default(
    K: FloatArray, y: FloatArray, C: float, settings: RunSettings, budget: Budget
) -> DualPoint:
    """libsvm, which keeps its matrix in single precision; where that leaves a gap, PIQP as well.

    PIQP gets the program scaled to its kernel, and its last point counts whether or not it
    converged. What is returned is no worse than the point 0.
    """
    point = _by_libsvm(K, y, C)
    if certified_by(point.objective, point.bound, settings.tol, settings.abs_tol):
        return point
    if budget.spent():
        return replace(point, reason=budget.reason)
    found = [point]
    if len(y) <= LARGEST_QP:
        a = solve_svm_interior(K, y, C).alpha
        other = evaluate(K, y, C, a, "piqp", piqp.__version__, Reason.SOLVER)
        found.append(_thinned(other, K, y, C, settings))
    nothing = evaluate(K, y, C, np.zeros(len(y)), point.solver, point.version, Reason.SOLVER)
    return min(*found, nothing, key=lambda found: found.gap)


def fit_svm(spec: SVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual by libsvm (default) or any QP solver; gap between primal and dual value.

    Raises OptionError where the kernel matrix is not symmetric positive semidefinite: the dual is
    not convex then.
    """
    settings.check(spec, NOT_USED, {"dual": ("libsvm",)})
    clock = settings.clock()
    budget = clock.budget
    kernel = parse_kernels(spec.kernels)[0]
    bank = KernelBank([kernel], data.X)
    K, y = bank.gram(0), data.signs
    if not kernel.psd:
        try:
            psd_spectrum(K)
        except OptionError as error:
            raise OptionError(f"kernel {kernel.name}: {error}, and svm needs one") from None
    clock.ready()
    if settings.solver is None:
        point = _by_default(K, y, spec.C, settings, budget)
    elif settings.solver == "libsvm":
        point = _by_libsvm(K, y, spec.C)
    else:
        point = _by_program(K, y, spec.C, settings.solver, settings, budget)
    return packed(spec, settings, clock, outcome_of(spec, data, bank, point, settings, budget))


def outcome_of(
    spec: SVM,
    data: Dataset,
    bank: KernelBank,
    point: DualPoint,
    settings: RunSettings,
    budget: Budget,
) -> Outcome:
    """A point whose values were recomputed, with its predictor."""
    kernel, K, y = bank.kernels[0], bank.gram(0), data.signs
    a, objective, bias, bound = point.a, point.objective, point.bias, point.bound
    trace = settings.only_record(budget, objective, bound)
    support = supporting(a, K.diagonal())
    expansion = KernelExpansion(
        kernels=(kernel.name,),
        kernel=np.zeros(len(support), dtype=np.intp),
        centre=support,
        points=data.X[support],
        coefficients=(a * y)[support],
        bias=bias,
    )
    return Outcome(
        method=settings.method or "dual",
        reason=point.reason,
        objective=objective,
        bound=bound,
        trace=trace,
        solver=SolverUse(point.solver, point.version, settings.solver_options),
        fit=expansion,
        summary={
            "support_vectors": len(support),
            "coefficients": len(support),
            "bias": bias,
            "training_error": expansion.training_error(data.X, y, K),
        },
        evidence={"a": a.tolist(), "bias": bias},
        program=partial(build_svm_dual, K, y, spec.C),
        columns=len(support),
        warnings=bank.warnings,
    )


def recompute_svm(spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> Recomputed:
    """What the stored multipliers are worth, from the data alone.

    Raises DataError when they do not fit the data.
    """
    bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
    a = np.asarray(evidence["a"], dtype=np.float64)
    if a.shape != (data.rows,):
        raise DataError("the stored multipliers do not fit this data set")
    point = evaluate(bank.gram(0), data.signs, spec.C, a, "none", "", Reason.SOLVER)
    outcome = outcome_of(spec, data, bank, point, RunSettings(), Budget())
    return Recomputed.of(outcome, extra={"columns": outcome.columns}, evidence=outcome.evidence)
