"""Objectives of clusterings, propagations and the choice of a class in rational arithmetic.

Relaxed labels meet their constraint to rounding alone and have no certificate: their objective is
to agree, relative to the sum of the sizes of its terms. A labelling has a certificate: its numbers
are to lie on the safe side of those here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from attack_cases import Case
from rational import Matrix, Numbers, dot, image, matrix, numbers

ZERO, HALF = Fraction(0), Fraction(1, 2)
AGREED = 1e-12  # a float evaluation, relative to the sizes of the terms
ROUNDED = Fraction(1e-13)  # of a score, relative to the sizes of its terms
NORM = 1e-9  # what |w|^2 may exceed A by, relative to it
MOST_ROWS = 10


@dataclass(frozen=True)
class Valued:
    """A number and the sum of the sizes of its terms."""

    value: Fraction
    size: Fraction

    def agrees(self, claim: float, allowed: float = AGREED) -> bool:
        """Whether a float is the value, up to rounding."""
        return abs(Fraction(claim) - self.value) <= Fraction(allowed) * self.size


def _instance(spec: Any, data: Any) -> tuple[Any, list[int]]:
    from radprog.decompositions.similarity.assembly import assemble

    instance = assemble(spec, data)
    return instance, instance.order.tolist()


def _squares(Y: Matrix) -> Matrix:
    """|Y_i - Y_j|^2."""
    return [[sum(((p - q) ** 2 for p, q in zip(u, v, strict=True)), ZERO) for v in Y] for u in Y]


def psi(problem: Any, a: Numbers, Y: Matrix) -> Valued:
    """Psi(a, Y) = tau sum_{i<j} S_ij |Y_i - Y_j|^2 - a's1 + lam a'|s|a, or of densities
    lam a'(|s| o yy')a - 2 a'(s o yy')1."""
    s, far = matrix(problem.s), matrix(problem.size)
    lam, n = Fraction(problem.lam), len(a)
    # densities: with b = a o y a quadratic form and a linear one
    if type(problem).__name__ == "DensityWeighted":
        y = [row[0] for row in Y]
        b = [p * q for p, q in zip(a, y, strict=True)]
        value = lam * dot(b, image(far, b)) - 2 * dot(b, image(s, y))
        c, z = [abs(v) for v in b], [abs(v) for v in y]
        return Valued(value, lam * dot(c, image(far, c)) + 2 * dot(c, image(s, z)))
    # else the part of the weights alone
    d, tau = _squares(Y), Fraction(problem.tau)
    value = lam * dot(a, image(far, a)) - dot(a, image(s, [Fraction(1)] * n))
    absolute = [[abs(v) for v in row] for row in far], [[abs(v) for v in row] for row in s]
    size = lam * dot(a, image(absolute[0], a)) + dot(a, image(absolute[1], [Fraction(1)] * n))
    # and of each pair, times the squared distance of its labels
    norms = [dot(row, row) for row in Y]
    for i in range(n):
        for j in range(i):
            near, minus = 2 * (a[i] + a[j]) * s[i][j], 2 * lam * a[i] * a[j] * far[i][j]
            value += tau * (near - minus) * d[i][j]
            size += tau * (abs(near) + abs(minus)) * 2 * (norms[i] + norms[j])
    return Valued(value, size)


def relaxed_value(case: Case, spec: Any, data: Any, evidence: Mapping[str, Any]) -> Valued | None:
    """Of the stored point of a clustering or propagation; None where eigenvalues are in it."""
    if case.rows > MOST_ROWS or getattr(spec, "objective", "ratio") not in ("ratio", "ise"):
        return None
    instance, order = _instance(spec, data)
    a, Y = numbers(evidence["a"]), matrix(evidence["Y"])
    return psi(instance.problem, [a[i] for i in order], [Y[i] for i in order])


def labelled_value(spec: Any, data: Any, evidence: Mapping[str, Any]) -> Fraction:
    """J of the stored labelling and weights."""
    instance, order = _instance(spec, data)
    a, Y = numbers(evidence["a"]), matrix(evidence["Y"])
    return psi(instance.problem.dense(), [a[i] for i in order], [Y[i] for i in order]).value


def clipped(residual: Fraction, low: Fraction, up: Fraction) -> Fraction:
    """The bounded loss, in [0, 1]."""
    return min(max(ZERO, abs(residual) - low), up) / up


def chosen_class(spec: Any, data: Any, result: Mapping[str, Any], seed: int) -> list[str]:
    """What is wrong with the choice of srm: empirical error, estimated complexity and penalty of
    the chosen class from its stored functions, and the order of the cells."""
    from radprog.decompositions.regression.srm import srm_class, srm_signs

    # the data of the chosen cell, and the signs drawn from the seed
    evidence, cells = result["certificate"], result["cells"]
    index = result["chosen"]["bound"]
    cell, n = cells[index], len(data.targets)
    K = matrix(srm_class(spec, data, cell["gamma"]).kernel)
    y, A = numbers(data.targets), Fraction(cell["A"])
    low, up = Fraction(spec.eps_low), Fraction(spec.eps_up)
    signs = [[int(v) for v in row] for row in srm_signs(spec, n, seed)]
    found, terms, wrong, doubt = [], [], [], ZERO
    # each stored function lies in the ball; its losses are computed anew
    pairs = zip(evidence["coefficients"], evidence["bias"], strict=True)
    for k, (coefficients, bias) in enumerate(pairs):
        c = numbers(coefficients)
        scores = image(K, c)
        sizes = image([[abs(v) for v in row] for row in K], [abs(v) for v in c])
        doubt = max(doubt, *(size / up for size in sizes))
        if dot(c, scores) > A * (1 + Fraction(NORM)) + ROUNDED * dot([abs(v) for v in c], sizes):
            wrong.append(f"function {k} leaves the ball: {float(dot(c, scores))!r} > {float(A)!r}")
        found.append([clipped(t - p - Fraction(bias), low, up)
                      for t, p in zip(y, scores, strict=True)])  # fmt: skip
    # the estimate: one term for each vector of signs
    for sigma, losses in zip(signs, found, strict=False):
        total = sum((s * v for s, v in zip(sigma, losses, strict=True)), ZERO)
        balance = sum(sigma)
        terms.append(Fraction(2, n) * (total - HALF * balance))
    # the last function is that of least empirical error
    empirical = sum(found[-1], ZERO) / n
    complexity = sum(terms, ZERO) / len(terms)
    classes = len(spec.gamma_values) * len(spec.A_values)
    penalty = 3.0 * math.sqrt(math.log(2.0 * classes / spec.delta) / (2.0 * n))
    # each number of the result against its own
    for name, claim, value in (
        ("empirical", cell["empirical"], float(empirical)),
        ("complexity", cell["complexity"], float(complexity)),
        ("bound", cell["bound"], float(empirical) + float(complexity) + penalty),
        ("objective", result["objective"], cell["bound"]),
    ):
        if abs(claim - value) > AGREED + float(ROUNDED * doubt):
            wrong.append(f"{name} of the chosen class: {claim!r} is {value!r}")
    # the class of least bound is the one chosen
    bounds = [one["bound"] for one in cells]
    if index != bounds.index(min(bounds)):
        wrong.append(
            f"cell {index} is chosen, the least bound is that of {bounds.index(min(bounds))}"
        )
    return wrong
