"""Objective and bound of a result once more, from its points, in rational arithmetic.

The data are the floats of the kernel matrices that the certificate speaks of. What they are worth
beside the points themselves is a matter of ``rp.prove`` and its tests.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from attack_cases import Case
from rational import (
    Matrix,
    Numbers,
    combined,
    dot,
    image,
    largest_value,
    matrix,
    numbers,
    products,
    root_up,
)

ZERO = Fraction(0)
MOST_ROWS = 10  # of an instance that is evaluated so
MOST_PIVOTED = 2000  # entries of a linear program that is solved so
EXCHANGED = {1.0: 0, 1.5: 3, 2.0: 2}  # the dual exponent of a norm; 0: the largest


@dataclass(frozen=True)
class Exact:
    """objective: of the primal point; bound: a valid one of the dual point; optimum: of the
    program. None: not known."""

    objective: Fraction | None = None
    bound: Fraction | None = None
    optimum: Fraction | None = None


Values = Callable[[Case, Any, Any, Mapping[str, Any]], Exact | None]


def exact_values(case: Case, spec: Any, data: Any, evidence: Mapping[str, Any]) -> Exact | None:
    """Of the stored points of a result; None where there is no rational route."""
    values = ROUTES.get(case.model)
    if values is None or case.rows > MOST_ROWS:
        return None
    return values(case, spec, data, evidence)


def _signs(data: Any) -> Numbers:
    return numbers(data.signs)


def _hinges(y: Numbers, scores: Numbers) -> Fraction:
    return sum((max(ZERO, 1 - s * t) for s, t in zip(y, scores, strict=True)), ZERO)


def _best_hinges(y: Numbers, scores: Numbers) -> Fraction:
    """min over b, which is at a kink."""
    return min(_hinges(y, [t + s - at for t in scores]) for s, at in zip(y, scores, strict=True))


def _vkr(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.decompositions.vkr.fit import assemble

    problem, _ = assemble(spec, data, case.seed)
    # column (k, j): the values of kernel k at point j
    bank, y, m = problem.bank, _signs(data), case.rows
    columns: dict[tuple[int, int], Numbers] = {}
    for k in range(len(bank.kernels)):
        K = matrix(bank.columns(np.array([(k, j) for j in range(m)])))
        columns |= {(k, j): [K[i][j] for i in range(m)] for j in range(m)}
    # the primal value: mean hinge loss plus priced coefficients
    prices = numbers(problem.prices)
    scores, norm = [ZERO] * m, ZERO
    for (k, j), alpha in zip(evidence["pairs"], numbers(evidence["alpha"]), strict=True):
        norm += prices[k] * abs(alpha)
        scores = [s + alpha * v for s, v in zip(scores, columns[k, j], strict=True)]
    objective = _hinges(y, scores) / m + norm
    # the dual point, divided by the largest violation of its rows and caps, is feasible
    rows = {pair: products(y, column) for pair, column in columns.items()}
    bound = None
    if evidence["d"] is not None:
        d = [max(v, ZERO) for v in numbers(evidence["d"])]
        largest = max(abs(dot(row, d)) / prices[k] for (k, _), row in rows.items())
        bound = sum(d, ZERO) / max(Fraction(1), largest, m * max(d))
    # the whole dual by the simplex method: max 1'd, |rows d| <= prices, d <= 1/m
    optimum = None
    if m * len(rows) <= MOST_PIVOTED:
        A = list(rows.values()) + [[-v for v in row] for row in rows.values()]
        b = [prices[k] for k, _ in rows] * 2 + [Fraction(1, m)] * m
        A += [[Fraction(i == j) for j in range(m)] for i in range(m)]
        optimum = largest_value(A, b, [Fraction(1)] * m)
    return Exact(objective, bound, optimum)


def _machine_bound(K: Matrix, y: Numbers, a: Numbers, scale: Fraction, bias: bool) -> Fraction:
    """The best of 1'a - c'Kc / (2 scale), c = a o y, over points next to a with y'a = 0; or 0."""

    def value(a: Numbers) -> Fraction:
        c = products(a, y)
        return sum(a, ZERO) - dot(c, image(K, c)) / (2 * scale)

    # a balanced point needs no repair
    off = dot(a, y) if bias else ZERO
    if not off:
        return max(ZERO, value(a))
    # else one entry of the heavier class is cut back; 0 is always feasible
    found = [ZERO]
    for j, s in enumerate(y):
        if s * off > 0 and a[j] >= abs(off):
            found.append(value([*a[:j], a[j] - abs(off), *a[j + 1 :]]))
    return max(found)


def _svm(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.models.kernel_bank import KernelBank
    from radprog.models.kernels import parse_kernels

    # primal: the scores of a o y; dual: a, clipped to its box and balanced
    K = matrix(KernelBank(parse_kernels(spec.kernels)[:1], data.X).gram(0))
    y, a, C = _signs(data), numbers(evidence["a"]), Fraction(spec.C)
    a = [min(max(v, ZERO), C) for v in a]
    c = products(a, y)
    scores = image(K, c)
    shifted = [t + Fraction(evidence["bias"]) for t in scores]
    objective = dot(c, scores) / 2 + C * _hinges(y, shifted)
    return Exact(objective, _machine_bound(K, y, a, Fraction(1), True))


def _simsvm(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.decompositions.similarity.simsvm import similarity_svm

    machine = similarity_svm(spec, data)
    # S and |S|: of the factor where there is one, which is what they mean there
    S = size = matrix(machine.S)
    if machine.factor is not None:
        F = matrix(machine.factor)
        signed = [[v * int(s) for v, s in zip(row, machine.signs, strict=True)] for row in F]
        size, S = ([[dot(f, row) for f in F] for row in rows] for rows in (F, signed))
    # primal: hinge loss plus lam a'|S|a; dual: mu, clipped to its box and balanced
    y, n, lam = _signs(data), case.rows, Fraction(spec.lam)
    a, bias = numbers(evidence["a"]), Fraction(0 if spec.no_bias else evidence["bias"])
    objective = _hinges(y, [t + bias for t in image(S, a)]) / n + lam * dot(a, image(size, a))
    mu = [min(max(v, ZERO), Fraction(1, n)) for v in numbers(evidence["mu"])]
    return Exact(objective, _machine_bound(size, y, mu, 2 * lam, not spec.no_bias))


def _mkl(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.models.mkl.kernel_sets import kernel_set
    from radprog.models.mkl.problem import ball_of, problem_of

    kernels = kernel_set(spec, data)
    problem, K = problem_of(spec, kernels), [matrix(one) for one in kernels.K]
    # the weights and their ball sum (c mu)^p <= 1
    y = numbers(problem.labels[0])
    mu, a = numbers(evidence["weights"]), numbers(evidence["a"][0])
    c = numbers(ball_of(spec, problem).c) if spec.variant in ("lp", "conv") else None
    # primal, then dual: at fixed weights, or over the ball
    objective = _mkl_objective(spec, K, y, mu, a, c)
    bound, stored = None, evidence.get("dual")
    if spec.variant == "unif":
        bound = _mkl_bound(spec, K, y, _mkl_feasible(spec, a, y), None, mu)
    elif c is not None and stored is not None:
        bound = _mkl_bound(spec, K, y, _mkl_feasible(spec, numbers(stored[0]), y), c, mu)
    return Exact(objective, bound)


def _mkl_feasible(spec: Any, a: Numbers, y: Numbers) -> Numbers:
    """A point of the dual next to a, whose sum is balanced without error."""
    # squared loss: no box, y'a is taken off evenly
    C, bias = Fraction(spec.C), not spec.no_bias
    if spec.loss == "squared":
        off = dot(a, y) / len(y)
        return [v - s * off for v, s in zip(a, y, strict=True)] if bias else a
    # hinge loss: clipped, and the heavier class shrunk
    a = [min(max(v, ZERO), C) for v in a]
    off = dot(a, y)
    if not bias or not off:
        return a
    factor = 1 - abs(off) / sum((v for v, s in zip(a, y, strict=True) if s * off > 0), ZERO)
    return [v * factor if s * off > 0 else v for v, s in zip(a, y, strict=True)]


def _mkl_objective(
    spec: Any, K: list[Matrix], y: Numbers, mu: Numbers, a: Numbers, c: Numbers | None
) -> Fraction:
    """Of w_m = mu_m sum_i a_i y_i phi_m(x_i) at the weights, shrunk into their ball."""
    # weights outside their ball cost the factor that takes them back
    z = products(a, y)
    scores = image(combined(K, mu), z)
    length = Fraction(1)
    if c is not None:
        sizes = products(c, mu)
        power = {1.0: 1, 2.0: 2}.get(spec.p)
        if power == 1:
            length = max(length, sum(sizes, ZERO))
        elif power == 2:
            length = max(length, root_up(sum((v * v for v in sizes), ZERO), 2))
    # the loss at its best bias: a kink of hinges, the mean of squares
    norm = dot(z, scores) * length / 2
    if spec.loss == "hinge":
        losses = _hinges(y, scores) if spec.no_bias else _best_hinges(y, scores)
        return norm + Fraction(spec.C) * losses
    b = (
        ZERO
        if spec.no_bias
        else sum((s - t for s, t in zip(y, scores, strict=True)), ZERO) / len(y)
    )
    squares = sum(((s - t - b) ** 2 for s, t in zip(y, scores, strict=True)), ZERO)
    return norm + Fraction(spec.C) * squares / 2


def _mkl_bound(
    spec: Any, K: list[Matrix], y: Numbers, a: Numbers, c: Numbers | None, mu: Numbers
) -> Fraction | None:
    """s(a) - 1/2 max <q(a), mu> over the ball, or at mu."""
    # q_m = z'K_m z; the gain s(a) of the loss
    z = products(a, y)
    q = [dot(z, image(one, z)) for one in K]
    gain = sum(a, ZERO)
    if spec.loss == "squared":
        gain -= dot(a, a) / (2 * Fraction(spec.C))
    if c is None:
        return gain - dot(q, mu) / 2
    # the largest <q, mu> over the ball is the dual norm of q / c, rounded up
    slopes = [max(ZERO, p) / r for p, r in zip(q, c, strict=True)]
    power = EXCHANGED.get(spec.p)
    if power is None:
        return None
    if power == 0:
        return gain - max(slopes) / 2
    return gain - root_up(sum((v**power for v in slopes), ZERO), power) / 2


def _lpboost(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.decompositions.lpboost.shapelets import assemble
    from radprog.models.lpboost.cuts import Cut

    if not spec.exact:
        return None
    problem = assemble(spec, data)
    y, m = _signs(data), case.rows
    # each hypothesis by its pattern; their weights are normed to sum 1
    families = {f.cut: matrix(f.features) for f in problem.families}
    w = numbers(evidence["w"])
    total, g = sum(w, ZERO), [ZERO] * m
    for weight, h in zip(w, evidence["hypotheses"], strict=True):
        values = families[Cut.from_dict(h)][h["patterns"][0]]
        g = [p + weight / total * Fraction(h["sign"]) * v for p, v in zip(g, values, strict=True)]
    # the best rho is one of the margins
    margins, share = products(y, g), Fraction(spec.nu) * m
    objective = max(
        rho - sum((max(ZERO, rho - t) for t in margins), ZERO) / share for rho in margins
    ) if share >= 1 else min(margins)  # fmt: skip
    # any distribution of the examples bounds the margin by its largest edge
    d = _capped(numbers(evidence["d"]), min(Fraction(1), 1 / share))
    rows = [products(y, one) for F in families.values() for one in F]
    if spec.learner == "shapelet":
        rows += [[-v for v in row] for row in rows]
    bound = max(dot(row, d) for row in rows)
    optimum = None
    if m * len(rows) <= MOST_PIVOTED:
        optimum = _boosting_optimum(rows, share)
    return Exact(objective, bound, optimum)


def _boosting_optimum(rows: Matrix, share: Fraction) -> Fraction:
    """max rho - sum xi / share, rho - xi_i <= sum_t w_t row_ti, sum w = 1: rho is shifted by the
    least value, so that 0 is feasible; w may sum to less, which loses nothing then."""
    # variables rho - least, xi, w: a row for each example, and the sum of w
    m, T = len(rows[0]), len(rows)
    least = min(min(row) for row in rows)
    A = [
        [Fraction(1), *(Fraction(-(i == j)) for j in range(m)), *(least - row[i] for row in rows)]
        for i in range(m)
    ]
    A.append([ZERO] * (1 + m) + [Fraction(1)] * T)
    c = [Fraction(1), *[-1 / max(share, Fraction(1))] * m, *[ZERO] * T]
    return largest_value(A, [ZERO] * m + [Fraction(1)], c) + least


def _capped(d: Numbers, cap: Fraction) -> Numbers:
    """A point of 0 <= d <= cap, sum d = 1 next to d."""
    # clipped; what the sum lacks goes to the largest entries first
    d = [min(max(v, ZERO), cap) for v in d]
    rest = 1 - sum(d, ZERO)
    for i in sorted(range(len(d)), key=lambda i: -d[i]):
        moved = min(max(d[i] + rest, ZERO), cap)
        rest, d[i] = rest - (moved - d[i]), moved
    assert rest == 0
    return d


def _svr(case: Case, spec: Any, data: Any, evidence: Any) -> Exact | None:
    from radprog.decompositions.regression.fit import assemble

    # the bounded losses of the stored function, and its norm where C prices it
    _, problem = assemble(spec, data, proved="pieces" in evidence)
    K = matrix(problem.kernel)
    c, b = numbers(evidence["coefficients"]), Fraction(evidence["bias"])
    low, up = Fraction(spec.eps_low), Fraction(spec.eps_up)
    scores = image(K, c)
    residuals = [abs(t - s - b) for t, s in zip(numbers(data.targets), scores, strict=True)]
    losses = sum((min(max(ZERO, r - low), up) for r in residuals), ZERO) / up
    if spec.C is None:
        return Exact(losses)
    return Exact(dot(c, scores) / 2 + Fraction(spec.C) * losses)


ROUTES: Mapping[str, Values] = {
    "vkr": _vkr,
    "l1svm": _vkr,
    "svm": _svm,
    "simsvm": _simsvm,
    "mkl": _mkl,
    "lpboost": _lpboost,
    "svr": _svr,
}
