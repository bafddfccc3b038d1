"""The dual of the support vector machine, solved by a named solver or by libsvm and PIQP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, SolverError, UnfinishedError
from radprog.base.limits import OutOfBudget, poll
from radprog.base.tolerances import INTERIOR_SVM_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, certified_by
from radprog.decompositions.run import NO_SOLVER, RunSettings, SolverUse
from radprog.solvers.dense.svm import (
    solve_svm,
    solve_svm_active_set,
    solve_svm_interior,
    svm_program,
)
from radprog.solvers.program import Solution, Status
from radprog.solvers.registry import solve_program

LIBSVM_CAP = 5_000_000  # iterations: libsvm may stall on a rank-deficient matrix with a large C
LARGEST_QP = 2000  # points up to which PIQP is used if libsvm leaves a gap


@dataclass(frozen=True)
class SvmPoint:
    """A feasible point with its recomputed values, the solver and the reason why the solver ended.

    For svm, a (m,) contains the multipliers of the training points, and mu (R,) contains the
    multipliers of the constraints. For simsvm, a (m,) contains the coefficients, and mu (m,)
    contains the multipliers of the training points.
    """

    a: FloatArray
    mu: FloatArray
    objective: float
    bias: float
    bound: float
    solver: SolverUse = NO_SOLVER
    reason: Reason = Reason.SOLVER

    @property
    def gap(self) -> float:
        """Objective minus bound."""
        return self.objective - self.bound


@dataclass(frozen=True, kw_only=True)
class SvmDual:
    """The program max 1'a - h'mu - 1/2 v'Kv, 0 <= a <= C, mu >= 0, 1'v = 0 (with an intercept), for
    v = y a - G'mu, and T'mu >= 0 for the slacks of rates.

    K has shape (m, m), y has shape (m,), and C is a number or has shape (m,). ``rows`` contains G
    (R, m), T (R, K) and h (R,) for constraints on the scores. ``evaluate`` computes the values of a
    nearly feasible point (a, mu) (m + R,).
    """

    K: FloatArray
    y: FloatArray
    C: float | FloatArray
    evaluate: Callable[[FloatArray], SvmPoint]
    bias: bool = True
    rows: tuple[Any, Any, FloatArray] | None = None

    def solve(self, settings: RunSettings, budget: Budget) -> SvmPoint:
        """Solve the dual with the named solver. By default, libsvm solves it, and PIQP if a gap
        remains.

        The better point is returned. If there are constraint rows, only PIQP is used, because
        libsvm does not support them. If ``max_iter`` is set, only libsvm is used; ``max_iter``
        limits its iterations.
        """
        by_libsvm = settings.solver in (None, "libsvm") and self.rows is None
        if settings.max_iter is not None and not by_libsvm:
            raise OptionError("max_iter limits libsvm, and another solver is used here")
        if settings.solver not in (None, "libsvm"):
            return self._by_program(settings.solver, settings, budget)
        if self.rows is not None:
            return self._by_program("piqp", settings, budget)
        # libsvm first: the fastest by far, though its matrix is in single precision; it may stall,
        # so that its iterations are capped
        poll()
        limit = LIBSVM_CAP if settings.max_iter is None else max(settings.max_iter, 1)
        data = self.K, self.y, self.C
        a, converged = solve_svm(*data, tolerance=1e-8, max_iter=limit, bias=self.bias)
        capped = settings.max_iter is not None and not converged
        reason = Reason.MAX_ITER if capped else Reason.SOLVER
        use = SolverUse("libsvm", version("scikit-learn"), {})
        first = replace(self.evaluate(a), solver=use, reason=reason)
        libsvm_only = settings.max_iter is not None or settings.solver == "libsvm"
        closed = certified_by(first.objective, first.bound, settings.tol, settings.abs_tol)
        if libsvm_only or closed is not None or len(self.y) > LARGEST_QP:
            return first
        if budget.spent():
            return replace(first, reason=budget.reason)
        # PIQP where a gap is left
        a, _ = solve_svm_interior(*data, bias=self.bias)
        use = SolverUse("piqp", version("piqp"), {})
        return min(first, self._sharpest(a, use), key=lambda point: point.gap)

    def _by_program(self, name: str, settings: RunSettings, budget: Budget) -> SvmPoint:
        """The point computed by a quadratic programming solver for the scaled program."""
        poll()
        program, units = svm_program(self.K, self.y, self.C, bias=self.bias, rows=self.rows)
        tolerance = None if settings.solver else INTERIOR_SVM_GAP
        solution = solve_program(program, name, settings.for_solver(budget, tolerance))
        x, reason = point_of(solution, name, budget)
        use = SolverUse(name, solution.version, settings.solver_options)
        return self._sharpest(x * units, use, reason)

    def _sharpest(self, a: FloatArray, use: SolverUse, reason: Reason = Reason.SOLVER) -> SvmPoint:
        """The point of an interior-point method, or the point of an active-set method that starts
        from it.

        The active-set method moves multipliers near a bound onto the bound, and solves for the
        others exactly. The point with the smaller gap is returned.
        """
        # active sets: multipliers near a bound reach it, the others solve a linear system
        points = [self.evaluate(a)]
        if self.rows is None:
            start = np.clip(a, 0.0, self.C)
            # a few steps, in which multipliers near their bounds reach them
            exact = solve_svm_active_set(self.K, self.y, self.C, start, bias=self.bias, steps=8)
            if exact is not None:
                points.insert(0, self.evaluate(exact))
        return replace(min(points, key=lambda point: point.gap), solver=use, reason=reason)


def point_of(solution: Solution, name: str, budget: Budget) -> tuple[FloatArray, Reason]:
    """A solver's point and the reason why the solver ended.

    If there is no point, raises OutOfBudget if the budget ran out, UnfinishedError if the solver
    reached its own limit, and SolverError otherwise.
    """
    # a limit of the budget, or one of the solver's own
    limited = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    if solution.x is not None:
        return solution.x, budget.cut if limited else Reason.SOLVER
    if not limited:
        raise SolverError(f"{name} gives no point")
    if budget.cut is Reason.MAX_ITER:
        raise UnfinishedError(f"max_iter: {name} ended at a limit of its own, without a point")
    raise OutOfBudget
