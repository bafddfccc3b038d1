"""Support vector machine: its dual by libsvm or a QP solver, certified by primal and dual value."""

from __future__ import annotations

import time

import numpy as np
import sklearn
from numpy.typing import NDArray

from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.run import Run, RunSettings, SolverUse
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError
from radprog.models.complexity import psd_spectrum
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.settings import SVM
from radprog.models.svm import build_svm_dual, svm_dual_value, svm_feasible, svm_primal_value
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_model
from radprog.solvers.svm import solve_svm

FloatArray = NDArray[np.float64]

METHODS = ("dual",)
LIBSVM_TOLERANCE = 1e-8  # violation of the optimality conditions
LIBSVM_CAP = 5_000_000  # iterations: libsvm may stall on a rank-deficient matrix with a large C


def fit_svm(spec: SVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual by libsvm (default) or any QP solver; gap between primal and dual value.

    Raises OptionError where the kernel matrix is not symmetric positive semidefinite: the dual is
    not convex then.
    """
    if settings.method not in (None, *METHODS):
        raise OptionError(f"unknown method '{settings.method}': expected {', '.join(METHODS)}")
    if settings.max_iter is not None:
        raise OptionError("svm is one solver call: max_iter has no meaning")
    if settings.start is not None:
        raise OptionError("svm cannot use an earlier fit: leave --start out")
    name = settings.solver or "libsvm"
    if name == "libsvm" and settings.solver_options:
        raise OptionError("libsvm takes no solver options: name a QP solver, or leave them out")
    budget = settings.budget()
    kernel = parse_kernels(spec.kernels)[0]
    bank = KernelBank([kernel], data.X)
    K, y = bank.gram(0), data.targets
    if not kernel.psd:
        psd_spectrum(K)
    kernels_done = time.perf_counter()
    reason, version = Reason.SOLVER, sklearn.__version__
    if name == "libsvm":
        a = solve_svm(K, y, spec.C, tolerance=LIBSVM_TOLERANCE, max_iter=LIBSVM_CAP).alpha
    else:
        solution = solve_model(
            build_svm_dual(K, y, spec.C),
            name,
            SolveSettings(
                time_limit=settings.time_limit,
                threads=settings.threads,
                options=settings.solver_options,
                interrupt=budget.spent,
                log=settings.log,
            ),
        )
        version = solution.version
        a = np.zeros(len(y)) if solution.x is None else solution.x
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            reason = budget.reason
    a = svm_feasible(y, spec.C, a)
    objective, bias = svm_primal_value(K, y, spec.C, a)
    bound = svm_dual_value(K, y, a)
    record = Record(0, budget.seconds, objective, bound)
    settings.observe(record)
    end = time.perf_counter()
    support = np.flatnonzero(a > 1e-9 * spec.C)
    expansion = KernelExpansion(
        kernels=(kernel.name,),
        kernel=np.zeros(len(support), dtype=np.intp),
        centre=support,
        points=data.X[support],
        coefficients=(a * y)[support],
        bias=bias,
    )
    return Run(
        name="svm",
        method="dual",
        spec=spec,
        reason=reason,
        objective=objective,
        bound=bound,
        tol=settings.tol,
        abs_tol=settings.abs_tol,
        trace=[record],
        times={
            "kernels": kernels_done - budget.started,
            "build": 0.0,
            "solve": end - kernels_done,
            "total": end - budget.started,
        },
        solver=SolverUse(name, version, settings.solver_options),
        fit=expansion,
        summary={
            "support_vectors": len(support),
            "coefficients": len(support),
            "bias": bias,
            "training_error": float((y * (K @ (a * y) + bias) <= 0).mean()),
        },
        evidence={"a": a.tolist(), "bias": bias},
        build=lambda: build_svm_dual(K, y, spec.C),
        columns=len(support),
        warnings=bank.warnings,
    )
