"""Similarity Machine: an SVM on the flipped spectrum |S|, scored with the raw similarities.

min (1/n) sum hinge + lam a'|S|a is, with J = sign(S) and a = J (mu o y) / (2 lam), the dual of an
SVM with kernel |S| and C = 1 / (2 lam n). Primal and dual value are both recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import piqp

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import OutOfBudget, bounded, imported, under
from radprog.base.tolerances import EXPECTED_TOL, LIBSVM_TOLERANCE, SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.expansion import KernelExpansion, supporting
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.loop import Budget, Reason, certified_by
from radprog.decompositions.run import (
    NO_SOLVER,
    Methods,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    packed,
)
from radprog.decompositions.threads import single_threaded
from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import Dataset
from radprog.models.bounds import DELTA
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.own_kernels import kernel_text
from radprog.models.similarity.bounds import machine_bound
from radprog.models.similarity.given import checked_similarity
from radprog.models.similarity.machine import Machine
from radprog.models.similarity.programs import build_machine_dual, build_machine_primal
from radprog.models.similarity.settings import SimSVM
from radprog.models.svm import without_kernel
from radprog.solvers.dense.svm import solve_svm_in_time, solve_svm_interior, svm_program
from radprog.solvers.program import ProblemClass, Status
from radprog.solvers.registry import solve_program

if TYPE_CHECKING:
    import pyomo.environ as pyo

NOT_USED: Methods = {"dual": ("max_iter", "start"), "primal": ("max_iter", "start")}
CUT_OFF = (
    "the run was cut off before its similarities were used: the constant classifier, and 0, which "
    "bounds every objective"
)
SIMSVM_LIBSVM_CAP = 5_000_000
LARGEST_INTERIOR = 2000  # points up to which an interior-point method is asked for a smaller gap
LARGEST_PRIMAL = 1000  # dense quadratic programs in Pyomo grow with n^2


def machine_of(spec: SimSVM, data: Dataset) -> Machine:
    """The similarity of a kernel or a file, checked and split; DataError where it is unusable."""
    y = data.signs
    if spec.similarity is not None:
        name = spec.similarity
        S = checked_similarity(read_matrix(name, (data.rows, data.rows)), data.rows, name)
        name = f"file:{name}"
    else:
        kernel = parse_kernels(spec.kernels or "")[0]
        name = kernel.name
        S = checked_similarity(KernelBank([kernel], data.X).gram(0), data.rows, name)
    return Machine.of(S, y, spec.lam, bias=not spec.no_bias, name=name)


@dataclass(frozen=True, kw_only=True)
class PrimalDual:
    """Primal and dual point with their values, and who found them."""

    a: FloatArray
    b: float
    mu: FloatArray
    objective: float
    bound: float
    solver: SolverUse
    reason: Reason


def paired(
    machine: Machine, a: FloatArray, mu: FloatArray, solver: SolverUse, reason: Reason
) -> PrimalDual:
    """Both points with their recomputed values."""
    mu = machine.feasible(mu)
    b = machine.offset(a)
    return PrimalDual(
        a=a, b=b, mu=mu, objective=machine.primal_value(a, b), bound=machine.dual_value(mu),
        solver=solver, reason=reason,
    )  # fmt: skip


def _by_libsvm(machine: Machine, budget: Budget) -> PrimalDual:
    with under(budget):
        found = solve_svm_in_time(
            machine.size, machine.y, machine.C, tolerance=LIBSVM_TOLERANCE,
            max_iter=SIMSVM_LIBSVM_CAP, bias=machine.bias, staged=budget.time_limit is not None,
        )  # fmt: skip
    cut = not found.converged and budget.spent()
    mu = machine.feasible(2.0 * machine.lam * found.alpha)
    use = SolverUse("libsvm", version("scikit-learn"), {})
    reason = budget.reason if cut else Reason.SOLVER
    return paired(machine, machine.coefficients(mu), mu, use, reason)


def _by_default(machine: Machine, settings: RunSettings, budget: Budget) -> PrimalDual:
    """libsvm, which keeps its matrix in single precision; where a gap is left, PIQP as well.

    What is returned is no worse than the point 0.
    """
    first = _by_libsvm(machine, budget)
    close = certified_by(first.objective, first.bound, settings.tol, settings.abs_tol)
    if close:
        return first
    zero = np.zeros(machine.n)
    nothing = paired(machine, zero, zero, first.solver, first.reason)
    if machine.n > LARGEST_INTERIOR or budget.spent():
        return min(first, nothing, key=lambda pair: pair.objective - pair.bound)
    try:
        with under(budget):
            found = solve_svm_interior(machine.size, machine.y, machine.C, bias=machine.bias)
    except OutOfBudget:
        best = min(first, nothing, key=lambda pair: pair.objective - pair.bound)
        return replace(best, reason=budget.reason)
    mu = machine.feasible(2.0 * machine.lam * found.alpha)
    use = SolverUse("piqp", piqp.__version__, {})
    second = paired(machine, machine.coefficients(mu), mu, use, Reason.SOLVER)
    return min(first, second, nothing, key=lambda pair: pair.objective - pair.bound)


def _by_dual(machine: Machine, settings: RunSettings, budget: Budget, name: str) -> PrimalDual:
    with under(budget):
        program = bounded(svm_program, machine.size, machine.y, machine.C, bias=machine.bias)
    solution = solve_program(program, name, settings.for_solver(budget))
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    alpha = np.zeros(machine.n) if solution.x is None else solution.x
    mu = machine.feasible(2.0 * machine.lam * alpha)
    use = SolverUse(name, solution.version, settings.solver_options)
    reason = budget.cut if cut else Reason.SOLVER
    return paired(machine, machine.coefficients(mu), mu, use, reason)


def _by_primal(machine: Machine, settings: RunSettings, budget: Budget) -> PrimalDual:
    """The explicit primal program, its multipliers as the dual point.

    |S| is positive semidefinite by construction; where it is 0 the program is linear.
    """
    with under(budget):
        compile_model = imported("radprog.solvers.compile").compile_model  # loads pyomo
        model = _program(machine, "primal")
        program = compile_model(model)
    name = settings.solver or ("piqp" if program.problem_class is ProblemClass.QP else "highs")
    solution = solve_program(program, name, settings.for_solver(budget), known_convex=True)
    n = machine.n
    a, mu = np.zeros(n), np.zeros(n)
    if solution.x is not None:
        a = solution.x[:n]
    if solution.row_duals is not None:
        mu = np.asarray(solution.row_duals)
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    use = SolverUse(name, solution.version, settings.solver_options)
    return paired(machine, a, mu, use, budget.cut if cut else Reason.SOLVER)


@single_threaded
def fit_simsvm(spec: SimSVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual (libsvm, or any QP solver) or the primal; gap between the two values.

    Raises DataError where the similarity is not square, symmetric and finite.
    """
    method = settings.check(spec, NOT_USED, {"dual": ("libsvm",)})
    if method == "primal":
        _check_primal(data.rows, settings.solver)
    clock = settings.clock()
    with under(clock.grace):
        try:
            machine = machine_of(spec, data)
            clock.ready()
            pair = _pair(machine, settings, clock.budget, method)
            outcome = outcome_of(data, machine, pair, method)
        except OutOfBudget:
            outcome = without_similarity(spec, data, settings, clock.budget)
    return packed(spec, settings, clock, outcome)


def _check_primal(n: int, solver: str | None) -> None:
    """OptionError where the explicit primal is too large, or its solver is one of the dual."""
    if n > LARGEST_PRIMAL:
        raise OptionError(
            f"method primal writes {n}^2 terms: for more than {LARGEST_PRIMAL} points use "
            "method dual"
        )
    if solver == "libsvm":
        raise OptionError("libsvm solves the dual: use method dual, or another solver")


def _pair(machine: Machine, settings: RunSettings, budget: Budget, method: str) -> PrimalDual:
    if method == "primal":
        return _by_primal(machine, settings, budget)
    if settings.solver is None:
        return _by_default(machine, settings, budget)
    if settings.solver == "libsvm":
        return _by_libsvm(machine, budget)
    return _by_dual(machine, settings, budget, settings.solver)


def without_similarity(
    spec: SimSVM, data: Dataset, settings: RunSettings, budget: Budget
) -> Outcome:
    """The constant classifier and the bound 0, of a run that was cut off before a pair of points
    had been evaluated."""
    n, method = data.rows, settings.method or spec.methods[0]
    objective, bias = without_kernel(data.signs, 1.0 / n, bias=not spec.no_bias)
    kernel = f"file:{spec.similarity}" if spec.kernels is None else kernel_text(spec.kernels)
    constant = KernelExpansion(
        kernels=(kernel,), kernel=np.zeros(0, np.intp), centre=np.zeros(0, np.intp),
        points=data.X[:0], coefficients=np.zeros(0), bias=bias,
    )  # fmt: skip
    solver = settings.solver or ("piqp" if method == "primal" else "libsvm")
    return Outcome(
        method=method,
        reason=budget.reason,
        objective=objective,
        bound=0.0,
        solver=SolverUse(solver, "", settings.solver_options),
        fit=constant,
        summary=constant.summary(data.X, data.signs, np.zeros((n, 0))),
        evidence={"a": [0.0] * n, "bias": bias, "mu": [0.0] * n},
        program=partial(_program_of, spec, data, method),
        columns=0,
        warnings=(CUT_OFF,),
        extra={"bounds": []},
    )


def _program_of(spec: SimSVM, data: Dataset, method: str) -> pyo.ConcreteModel:
    return _program(machine_of(spec, data), method)


def outcome_of(data: Dataset, machine: Machine, pair: PrimalDual, method: str) -> Outcome:
    """A pair of points whose values were recomputed, with its predictor."""
    support = supporting(pair.a, machine.size.diagonal())
    expansion = KernelExpansion.of_kernel(machine.name, data.X, pair.a, support, pair.b)
    scores = machine.S @ pair.a + pair.b
    return Outcome(
        method=method,
        reason=pair.reason,
        objective=pair.objective,
        bound=pair.bound,
        solver=pair.solver,
        fit=expansion,
        summary={
            **expansion.summary(data.X, machine.y, machine.S),
            "support_vectors": int((pair.mu > SUPPORT / machine.n).sum()),
            "negative_eigenvalues": machine.negative,
        },
        evidence={"a": pair.a.tolist(), "bias": pair.b, "mu": pair.mu.tolist()},
        program=partial(_program, machine, method),
        columns=len(support),
        extra={"bounds": _bounds(machine, pair.a, scores)},
    )


def _bounds(machine: Machine, a: FloatArray, scores: FloatArray) -> list[dict[str, Any]]:
    plus, minus = (machine.size + machine.S) / 2, (machine.size - machine.S) / 2
    norms = [max(float(a @ (part @ a)), 0.0) ** 0.5 for part in (plus, minus)]
    diagonals = np.maximum(np.diag(plus), 0.0), np.maximum(np.diag(minus), 0.0)
    margin = machine.y * scores
    return [machine_bound(margin, diagonals, (norms[0], norms[1]), DELTA).to_dict()]


def _program(machine: Machine, method: str) -> pyo.ConcreteModel:
    if method == "primal":
        return build_machine_primal(
            machine.S, machine.size, machine.y, machine.lam, bias=machine.bias
        )
    return build_machine_dual(machine.size, machine.y, machine.lam, bias=machine.bias)


@single_threaded
def simsvm_form(spec: SimSVM, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    """Form primal or dual; its value from a certified run, when it is asked for."""
    sign = 1.0 if form == "primal" else -1.0

    def optimum() -> float | None:
        run = fit_simsvm(spec, data, replace(settings, tol=min(settings.tol, EXPECTED_TOL)))
        return sign * run.objective if run.certified and run.objective is not None else None

    return BuiltForm(_program(machine_of(spec, data), form), optimum, sign)


@single_threaded
def recompute_simsvm(
    spec: SimSVM, data: Dataset, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """What the stored points are worth, no bound where there is no mu; DataError where they do not
    fit the data."""
    machine = machine_of(spec, data)
    a = np.asarray(evidence["a"], dtype=np.float64)
    known = evidence["mu"] is not None
    mu = np.asarray(evidence["mu"] if known else np.zeros(machine.n), dtype=np.float64)
    if a.shape != (machine.n,) or mu.shape != (machine.n,):
        raise DataError("the stored points do not fit this data set")
    b, mu = float(evidence["bias"]) if machine.bias else 0.0, machine.feasible(mu)
    pair = PrimalDual(
        a=a, b=b, mu=mu, objective=machine.primal_value(a, b), bound=machine.dual_value(mu),
        solver=NO_SOLVER, reason=Reason.SOLVER,
    )  # fmt: skip
    outcome = outcome_of(data, machine, pair, "dual")
    return Recomputed.of(outcome if known else outcome.without_bound("mu"))
