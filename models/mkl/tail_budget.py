"""The constraint of variant dc: T(sum_m mu_m^P K_m) <= budget, and what its concavity gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radprog.base.types import FloatArray
from radprog.models.mkl.problem import MultipleKernels, WeightBall
from radprog.models.mkl.tail_sums import Tail, tail


@dataclass(frozen=True, eq=False)
class TailBudget:
    """Weights mu >= 0 with T(K_{mu^P}) <= budget, T the tail sum beyond theta, P >= 1.

    In nu = mu^P the constraint is T(K_nu) <= budget, with T concave, homogeneous and superadditive.
    """

    problem: MultipleKernels
    theta: int
    budget: float
    power: float = 1.0

    def tail(self, mu: FloatArray) -> Tail:
        """T(K_{mu^P}) with its eigenvectors."""
        return tail(self.problem.combine(mu**self.power), self.theta)

    def used(self, mu: FloatArray, value: float) -> float:
        """The share of the budget that T(K_{mu^P}) = value takes at least: eigenvalues are off by
        some n eps times the trace."""
        K = self.problem.combine(mu**self.power)
        rounding = 4.0 * len(K) * float(np.finfo(float).eps * np.trace(K))
        return (value - rounding) / self.budget

    def to_boundary(self, mu: FloatArray) -> FloatArray:
        """mu (M,), not zero, scaled to T = budget; J does not rise where T was below it."""
        value = self.tail(mu).value
        return np.asarray(mu * (self.budget / value) ** (1.0 / self.power))

    def supergradient(self, found: Tail) -> FloatArray:
        """v (M,) with T(K_nu) <= <v, nu> for all nu >= 0, and = at the point of ``found``."""
        return found.of(self.problem.kernels.K)

    def inner(self, v: FloatArray) -> WeightBall:
        """{mu: <v, mu^P> <= budget}, a subset of the constraint that touches it where v does.

        The printed linearisation <v, mu - mu_0> <= 1 lacks the constant T(mu_0) = <v, mu_0>.
        """
        return WeightBall((v / self.budget) ** (1.0 / self.power), self.power)

    def outer(self) -> WeightBall:
        """{mu: sum_m T(K_m) mu_m^P <= budget}, a superset: T is superadditive."""
        return self.inner(self.problem.kernels.tails(self.theta))

    def update(self, mu: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """The minimiser over inner(v) of sum_m mu_m^2 q_m / nu_m: fixed w, new weights nu.

        nu_m is proportional to (mu_m^2 q_m / v_m)^(1/(P+1)), with <v, nu^P> = budget; q (M,) are
        z'K_m z at mu. For P = 1 this is the update of Algorithm 1.
        """
        raw = (mu**2 * q / v) ** (1.0 / (self.power + 1.0))
        total = float(v @ raw**self.power)
        if total <= 0:
            return mu
        return np.asarray(raw * (self.budget / total) ** (1.0 / self.power))
