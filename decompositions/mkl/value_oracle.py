"""J(mu) by support vector machines, one for every row of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.decompositions.loop import relative_gap
from radprog.decompositions.mkl.joint_svm import solve_joint
from radprog.models.mkl.problem import JointKernels, MultipleKernels, Value, squared_dual
from radprog.solvers.dense.svm import solve_svm, solve_svm_active_set, solve_svm_interior

SVM_GAP = 1e-8  # relative gap of J(mu) where no other is asked for
WARM_STEPS, COLD_STEPS = 6, 15  # of active sets from a solution nearby; from a typical point
COLD_POINTS = 2000  # up to this many points cold active sets are tried: a step takes 0.1 s there
INTERIOR_POINTS = 700  # up to this many points the interior-point method is faster than libsvm
JOINT_GAP = (
    1e-4  # relative gap of a value of the joint loss at most: cuts that are rough lead astray
)
INTERIOR_GAP = 1e-12  # relative gap of the interior-point method
LIBSVM_VIOLATION = 1e-7  # of the optimality conditions, at which libsvm ends
LIBSVM_ITERATIONS = 2_000_000  # it may stall on low ranks with a large C


class ValueOracle:
    """Evaluates J: one support vector machine (or ridge regression) per row of labels.

    ``calls`` counts evaluations; each starts from the dual points of the last one.
    """

    def __init__(self, problem: MultipleKernels) -> None:
        self.problem = problem
        self.calls = 0
        self._last: FloatArray | None = None  # dual points (k, n) of the last evaluation
        self._mixed: tuple[FloatArray, FloatArray] | None = None  # a mu (M,) and K_mu

    def __call__(self, mu: FloatArray, accuracy: float = SVM_GAP) -> Value:
        """J(mu) for mu (M,) to a relative gap of ``accuracy`` if the solvers can."""
        poll()
        self.calls += 1
        if isinstance(self.problem, JointKernels):
            # joint over the classes: one program
            K, costs, signs = self.mixture(mu), self.problem.costs, self.problem.labels
            bias, own = self.problem.bias, self.problem.own
            z, biases = solve_joint(K, own, costs, bias=bias, accuracy=min(accuracy, JOINT_GAP))
            return self.problem.value(mu, self.problem.feasible(z * signs), biases)
        best, least = None, np.inf
        # the first dual point whose primal value is close enough; else the best of all
        for a in self._dual_points(mu, self.mixture(mu)):
            value = self.problem.value(mu, self.problem.feasible(a))
            gap = relative_gap(value.objective, value.cut)
            if gap is not None and gap < least:
                best, least = value, gap
            if least <= accuracy:
                break
        if best is None:
            raise SolverError("no solver found a finite solution of the support vector machine")
        self._last = best.a
        return best

    def mixture(self, mu: FloatArray) -> FloatArray:
        """K_mu (n, n) of mu (M,), in the memory of the last one."""
        if self._mixed is None or not np.array_equal(self._mixed[0], mu):
            room = None if self._mixed is None else self._mixed[1]
            self._mixed = mu, self.problem.combine(mu, room)
        return self._mixed[1]

    def _dual_points(self, mu: FloatArray, K: FloatArray) -> Iterator[FloatArray]:
        """Dual points (k, n) at K_mu by methods of rising cost, until the caller has enough."""
        problem, start = self.problem, self._last
        if problem.loss == "squared":
            # the squared loss has a closed form
            yield self._each(lambda y: squared_dual(K, y, problem.C, bias=problem.bias))
            return
        # active sets, from the last solution: sonar 0.027 s, 0.046 without; or from a typical
        # point: 700 points 0.055 s, 0.12 without, and scikit-learn is not loaded (0.8 s)
        if start is None and problem.kernels.n <= COLD_POINTS:
            start = problem.typical(lambda q: float(q @ mu))
            yield from self._active_sets(K, start, COLD_STEPS)
        elif start is not None:
            yield from self._active_sets(K, start, WARM_STEPS)

        def by_interior_point(y: FloatArray) -> FloatArray:
            return solve_svm_interior(
                K, y, problem.C, tolerance=INTERIOR_GAP, bias=problem.bias
            ).alpha

        def by_libsvm(y: FloatArray) -> FloatArray:
            return solve_svm(
                K, y, problem.C, tolerance=LIBSVM_VIOLATION, max_iter=LIBSVM_ITERATIONS
            ).alpha

        # a solver that needs no start, its solution made exact by active sets
        large = problem.kernels.n > INTERIOR_POINTS and problem.bias
        for solve in (by_libsvm, by_interior_point) if large else (by_interior_point,):
            a = problem.feasible(self._each(solve))
            yield a
            yield from self._active_sets(K, a, WARM_STEPS)

    def _each(self, solve: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """The solutions (k, n) for every row of labels."""
        return np.array([solve(y) for y in self.problem.labels])

    def _active_sets(self, K: FloatArray, start: FloatArray, steps: int) -> Iterator[FloatArray]:
        """The dual points (k, n) by active sets from others, unless one of them fails."""
        problem, points = self.problem, []
        for y, a in zip(problem.labels, start, strict=True):
            point = solve_svm_active_set(K, y, problem.C, a, bias=problem.bias, steps=steps)
            if point is None:
                return
            points.append(point)
        yield np.array(points)
