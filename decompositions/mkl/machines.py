"""J(mu) by support vector machines, and the pool of cuts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, relative_gap
from radprog.decompositions.mkl.active_set import COLD_STEPS, WARM_STEPS, solve_svm_warm
from radprog.models.lapack import by_size
from radprog.models.mkl.problem import MultipleKernels, Value, squared_dual
from radprog.solvers.dense.svm import solve_svm, solve_svm_interior

MACHINE_INTERIOR_GAPS = (1e-9, 1e-12)  # of a machine by the interior-point method, one after other
MACHINE_GAP = 1e-8  # of a machine where no other gap is asked for
MACHINE_LIBSVM_TOLERANCE = 1e-7  # violation at which libsvm ends, of a machine of mkl

INTERIOR_POINTS = 700  # up to this many points the interior-point method is the faster one
COLD_POINTS = 2000  # up to this many active sets are tried first: a step takes 0.1 s at most there
MACHINE_LIBSVM_CAP = 2_000_000  # iterations: it may stall on low ranks with a large C


@dataclass
class Pool:
    """Cuts J(mu) >= s_t - 1/2 <energies_t, mu>, valid for every mu, with their dual points.

    They depend on kernels, labels, C and loss alone: steps, norms, theta and variants share them.
    """

    points: list[FloatArray] = field(default_factory=list)
    s: list[float] = field(default_factory=list)
    energies: list[FloatArray] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.s)

    def add(self, a: FloatArray, s: float, energies: FloatArray) -> None:
        """Append a cut."""
        self.points.append(a)
        self.s.append(s)
        self.energies.append(energies)

    def strongest(self, points: FloatArray, count: int) -> list[int]:
        """The numbers of the ``count`` cuts that are largest at each of the points (M, P)."""
        values = np.array(self.s)[:, None] - 0.5 * np.array(self.energies) @ points
        order = np.argsort(-values, axis=0, kind="stable")[:count]
        return [int(t) for t in np.unique(order)]

    def average(self, weights: FloatArray) -> FloatArray:
        """sum_t weights_t a_t (k, n), feasible for weights (t,) in the simplex."""
        used = np.flatnonzero(weights)
        total: FloatArray = np.tensordot(
            weights[used], np.array([self.points[t] for t in used]), axes=1
        )
        return total


def _gap(value: Value) -> float:
    """Relative gap between a value and its own cut; infinite where it is no number."""
    gap = relative_gap(value.objective, value.cut)
    return gap if gap is not None and np.isfinite(gap) else np.inf


class Machines:
    """Evaluates J: one support vector machine (or ridge regression) per row of labels.

    ``calls`` counts evaluations; ``pool`` gets the cut of each.
    """

    def __init__(self, problem: MultipleKernels, pool: Pool | None = None) -> None:
        self.problem = problem
        self.pool = Pool() if pool is None else pool
        self.calls = 0
        self._last: FloatArray | None = None  # dual points (k, n) of the last machines
        self._mixed: tuple[FloatArray, FloatArray] | None = None  # a mu (M,) and K_mu

    def __call__(self, mu: FloatArray, budget: Budget, accuracy: float = MACHINE_GAP) -> Value:
        """J(mu) for mu (M,) to a relative gap of ``accuracy`` if the solvers can; adds the cut."""
        budget.check()
        self.calls += 1
        try:
            with under(budget):
                n = self.problem.labels.shape[-1]
                return self._keep(by_size(n, self._evaluated, mu, accuracy))
        except OutOfBudget:
            self.rest()  # what was given up on may still be writing there
            raise

    def regardless(self, mu: FloatArray, accuracy: float = MACHINE_GAP) -> Value:
        """J(mu), or where no limit leaves time for it the value of w = 0, whose cut is not kept."""
        try:
            return self(mu, Budget(), accuracy)
        except OutOfBudget:
            return self.problem.at_zero(mu)

    def mixture(self, mu: FloatArray) -> FloatArray:
        """K_mu (n, n) of mu (M,), in the place of the last one."""
        known = self._mixed
        if known is None or not np.array_equal(known[0], mu):
            K = self.problem.combine(mu, None if known is None else known[1])
            known = self._mixed = mu, K
        return known[1]

    def rest(self) -> None:
        """Give back the memory of the last mixture."""
        self._mixed = None

    def _evaluated(self, mu: FloatArray, accuracy: float) -> Value:
        K, best = self.mixture(mu), None
        if self._last is not None:
            best = self._polished(mu, K, self._last)
        elif self.problem.kernels.n <= COLD_POINTS:
            typical = self.problem.typical(lambda q: float(q @ mu))
            best = self._polished(mu, K, typical, COLD_STEPS)
        if best is not None and _gap(best) <= accuracy:
            return best
        for solve in self._solvers():
            a = self.problem.feasible(np.array([solve(K, y) for y in self.problem.labels]))
            value = self.problem.value(mu, a)
            for other in (value, None if _gap(value) <= accuracy else self._polished(mu, K, a)):
                if other is not None and (best is None or _gap(other) < _gap(best)):
                    best = other
            if best is not None and _gap(best) <= accuracy:
                break
        if best is None or not np.isfinite(best.objective):
            raise SolverError("no solver found a finite solution of the support vector machine")
        return best

    def _keep(self, value: Value) -> Value:
        """Add the cut of a value, and start the next machines from its dual points."""
        self.pool.add(value.a, value.s, value.energies)
        self._last = value.a
        return value

    def _polished(
        self, mu: FloatArray, K: FloatArray, start: FloatArray, steps: int = WARM_STEPS
    ) -> Value | None:
        """The value by active sets from dual points (k, n) nearby, if it can be had so."""
        problem = self.problem
        if problem.loss != "hinge":
            return None
        points = []
        for y, near in zip(problem.labels, start, strict=True):
            a = solve_svm_warm(K, y, problem.C, near, bias=problem.bias, steps=steps)
            if a is None:
                return None
            points.append(a)
        return problem.value(mu, problem.feasible(np.array(points)))

    def _solvers(self) -> list[Callable[[FloatArray, FloatArray], FloatArray]]:
        """Solvers of one machine, to be tried in order until the gap is small enough."""
        problem = self.problem
        C, bias = problem.C, problem.bias
        if problem.loss == "squared":
            return [lambda K, y: squared_dual(K, y, C, problem.unpenalised)]

        def interior(tolerance: float) -> Callable[[FloatArray, FloatArray], FloatArray]:
            return lambda K, y: solve_svm_interior(K, y, C, tolerance=tolerance, bias=bias).alpha

        def libsvm(K: FloatArray, y: FloatArray) -> FloatArray:
            answer = solve_svm(
                K, y, C, tolerance=MACHINE_LIBSVM_TOLERANCE, max_iter=MACHINE_LIBSVM_CAP, bias=bias
            )
            return answer.alpha

        exact = [interior(tolerance) for tolerance in MACHINE_INTERIOR_GAPS]
        if problem.kernels.n <= INTERIOR_POINTS or not bias:
            return [*exact, libsvm] if bias else exact
        return [libsvm, *exact]
