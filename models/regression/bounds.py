"""Certified upper bounds on the complexity of a regression class, and the bound (2) on its error.

Local maximisation underestimates complexities, so bound (2) with such values is only an estimate.
The upper bounds of this module are proved. The symbols are as in
:mod:`radprog.models.regression.problem`; Q is the centred kernel matrix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.models.bounds import Bound, check_delta
from radprog.models.regression.problem import RegressionClass, bounded_loss_bias, complexity_terms

FAILURE = 0.05  # probability that a bound from random sign vectors fails


def suprema_bounds(problem: RegressionClass, signs: FloatArray, A: float) -> FloatArray:
    """Upper bounds (T,) of sup_h sum_i sigma_i ell_i for sign vectors (T, n).

    Each bound is the smaller of two numbers. The first is the number of sigma_i = +1. The second is
    the exact supremum over constants plus sqrt(A n lambda_max(Q)) / eps_up, a bound on
    sum |h_i - b| / eps_up over |w|^2 <= A.
    """
    poll()
    # the supremum over constants is exact; |w|^2 <= A adds at most the Cauchy-Schwarz bound
    constants = -bounded_loss_bias(np.zeros_like(signs), problem.y, signs, problem.loss)[1]
    added = math.sqrt(A * problem.n * problem.largest_eigenvalue) / problem.loss.up
    bounds: FloatArray = np.minimum((signs > 0).sum(axis=1), constants + added)
    return bounds


def upper_bounds(
    problem: RegressionClass,
    signs: FloatArray,
    A: float,
    kind: str,
    suprema: FloatArray | None = None,
    *,
    enumerated: bool = False,
    failure: float = FAILURE,
) -> list[Bound]:
    """All upper bounds on the complexity (1); each of them fails with probability at most
    ``failure``.

    ``signs`` (m, n) contains sampled sign vectors. If ``enumerated`` is True, it contains all sign
    vectors. ``suprema`` (m,) are upper bounds on their suprema, by default :func:`suprema_bounds`.
    The net and the contraction require independent signs, so they are not used for the maximal
    discrepancy. The bounds are:

    - trivial: 1, because losses are in [0, 1].
    - enumeration: the mean of the terms of all sign vectors.
    - sampled: the mean of the m terms, plus a deviation. For independent signs, a change of one
      sign moves (2/n) sum sigma_i (ell_i - 1/2) by at most 2/n. The mean is thus below its
      expectation by more than sqrt(2 log(1/failure) / (n m)) only with probability ``failure``
      (McDiarmid). For balanced signs the terms are in [0, 1], and the deviation is
      sqrt(log(1/failure) / (2 m)).
    - net: the smallest (2/n) [sqrt(A trace Q) / eps_up + sqrt(n log(N) / 2)] + eta / eps_up over
      eta. For fixed b the loss is Lipschitz with constant 1/eps_up, so the contraction lemma bounds
      the complexity of the ball. The maximum over a net of N = ceil(L / eta) biases with mesh width
      eta adds sqrt(n log(N) / 2), because one sign changes sum sigma (ell - 1/2) by at most 1. L is
      the length of the interval of b.
    - contraction: (2 / (n eps_up)) (sqrt(A trace Q) + L/2 sqrt(n)), by the contraction lemma for
      the ball and for the interval of b.
    """
    (m, n), up = signs.shape, problem.loss.up
    # the terms of the sign vectors: all of them, or a sample with McDiarmid's deviation
    bounds = suprema_bounds(problem, signs, A) if suprema is None else suprema
    mean, log = float(complexity_terms(signs, bounds).mean()), math.log(1.0 / failure)
    deviation = math.sqrt(2.0 * log / (n * m)) if kind == "rademacher" else math.sqrt(log / (2 * m))
    complete = enumerated and suprema is not None
    values = {"enumeration": mean} if complete else {"sampled": mean + deviation}
    if kind == "rademacher":
        low, high = problem.bias_box(A)
        length, ball = high - low, math.sqrt(A * float((problem.factor**2).sum()))
        # the best of 400 mesh widths of a net of biases
        eta = np.geomspace(1e-4 * length, length, 400)
        nodes = np.sqrt(n * np.log(np.ceil(length / eta)) / 2.0)
        values["net"] = float(((2.0 / n) * (ball / up + nodes) + eta / up).min())
        values["contraction"] = 2.0 / (n * up) * (ball + 0.5 * length * math.sqrt(n))
    # the part that the factor omits changes a loss by at most sqrt(A left_out) / eps_up
    missed = 2.0 * math.sqrt(A * problem.left_out) / up
    return [
        Bound(name="trivial", value=1.0, parameters={"failure": 0.0}),
        *(
            Bound(name=k, value=value + missed, parameters={"failure": failure * (k == "sampled")})
            for k, value in values.items()
        ),
    ]


def smallest_bound(bounds: Sequence[Bound]) -> Bound:
    """The bound with the smallest value. If several are equal, the first one is returned."""
    return min(bounds, key=lambda bound: bound.value)


def error_bound(
    empirical: float, complexity: float, n: int, delta: float, classes: int = 1
) -> Bound:
    """The bound (2): empirical error + complexity + 3 sqrt(log(2 K / delta) / (2 n)).

    The paper states the bound for one class, fixed in advance. For the best of K classes, delta is
    divided by K. Raises OptionError for delta outside (0, 1), K < 1 or n < 1.
    """
    check_delta(delta)
    if classes < 1 or n < 1:
        raise OptionError(f"{classes} classes, {n} points: expected at least 1 of each")
    confidence = 3.0 * math.sqrt(math.log(2.0 * classes / delta) / (2.0 * n))
    terms = {"empirical": empirical, "complexity": complexity, "confidence": confidence}
    return Bound.summed("(2)", terms, parameters={"n": n, "delta": delta, "classes": classes})


def degrees_of_freedom(problem: RegressionClass, A: float) -> float:
    """The degrees of freedom 1 + sum_k e_k / (e_k + ridge) of the least-squares fit in the class.

    e_k are the eigenvalues of Q. The ridge parameter makes |w|^2 = A. If the constraint |w|^2 <= A
    is inactive, it is 0.
    """
    floor = 1e-20  # share of the largest ridge parameter that counts as none
    e = (problem.factor**2).sum(axis=0)
    products = problem.factor.T @ (problem.y - problem.y.mean())
    # |w|^2 of the ridge function falls in the parameter: beyond ``largest_ridge`` it is below A
    largest_ridge = float(np.linalg.norm(products)) / math.sqrt(A) if A > 0.0 else 0.0
    if A == 0.0 or problem.rank == 0:
        return 1.0

    def excess(log_ridge: float) -> float:
        """Return log |w| - log sqrt(A)."""
        return float(np.log(np.linalg.norm(products / (e + math.exp(log_ridge))) / math.sqrt(A)))

    ridge = 0.0
    if largest_ridge > 0.0 and excess(math.log(floor * largest_ridge)) > 0.0:
        ridge = math.exp(brentq(excess, math.log(floor * largest_ridge), math.log(largest_ridge)))
    return 1.0 + float((e / (e + ridge)).sum())


def classical_criteria(empirical: float, degrees: float, n: int) -> dict[str, float | None]:
    """Schwarz's and Vapnik's criteria, with p = degrees / n:

        bic = empirical (1 + log(n) p / (1 - p)),
        vc  = empirical / (1 - sqrt(p - p log p + log(n) / (2n)))_+.

    The formulas follow V. Cherkassky and Y. Ma, Comparison of model selection for regression
    (Neural Computation 15, 2003), because the paper gives none. The value bic is empirical +
    log(n) p s, with the estimate s = empirical / (1 - p) of the noise variance. An infinite
    criterion is returned as None. The criteria penalise degrees of freedom; they are not bounds.
    """
    p = degrees / n
    if p >= 1.0:
        return {"bic": None, "vc": None}
    denominator = 1.0 - math.sqrt(p - p * math.log(p) + math.log(n) / (2.0 * n))
    return {
        "bic": empirical * (1.0 + math.log(n) * p / (1.0 - p)),
        "vc": empirical / denominator if denominator > 0.0 else None,
    }
