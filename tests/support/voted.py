"""Values and bounds of Voted Kernel Regularization by loops and in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from radprog.base.types import FloatArray
from radprog.models.vkr.problem import VotedKernels


def value(problem: VotedKernels, pairs: Any, alpha: Sequence[float]) -> float:
    """F(alpha) by a double loop over points and terms."""
    bank, y = problem.bank, problem.y.tolist()
    matrices = [kernel(bank.X, bank.centres).tolist() for kernel in bank.kernels]
    terms = [(int(k), int(j), float(a)) for (k, j), a in zip(pairs, alpha, strict=True) if a != 0.0]
    total = 0.0
    for i, label in enumerate(y):
        total += max(0.0, 1.0 - label * sum(a * matrices[k][i][j] for k, j, a in terms))
    price = [problem.lam * r + problem.beta for r in problem.penalties.tolist()]
    return total / len(y) + sum(price[k] * abs(a) for k, _, a in terms)


def bound(problem: VotedKernels, d: FloatArray) -> Fraction:
    """1'd / max(1, max |A_kj . d| / Lambda_k) for d in [0, 1/m]^m, in fractions of the doubles."""
    bank, worst, shares = problem.bank, Fraction(1), list(map(Fraction, d.tolist()))
    for k, kernel in enumerate(bank.kernels):
        price = Fraction(problem.lam * float(problem.penalties[k]) + problem.beta)
        for column in (problem.y[:, None] * kernel(bank.X, bank.centres)).T.tolist():
            terms = (Fraction(x) * share for x, share in zip(column, shares, strict=True))
            worst = max(worst, abs(sum(terms)) / price)
    return sum(shares, Fraction()) / worst
