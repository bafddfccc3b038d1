"""Explicit programs of discriminative similarity, in the paper's units."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models.algebra import linear, quadratic, with_duals, with_scales
from radprog.models.similarity.problem import Weighted

RELAXATIONS = ("ratio", "ncut", "scaled")


def _write_envelope(model: pyo.ConcreteModel, s: FloatArray, classes: range, upper: float) -> None:
    """shared_ijk = weight_jk label_ik for weights up to ``upper``: the sides that the sign of s_ij
    does not make redundant."""
    points = range(len(s))

    def at_most_weight(m: pyo.ConcreteModel, i: int, j: int, k: int) -> object:
        if i == j or s[i, j] > 0:
            return m.shared[i, j, k] <= m.weight[j, k]
        return pyo.Constraint.Skip

    def at_most_label(m: pyo.ConcreteModel, i: int, j: int, k: int) -> object:
        if i != j and s[i, j] > 0:
            return m.shared[i, j, k] <= upper * m.label[i, k]
        return pyo.Constraint.Skip

    def at_least(m: pyo.ConcreteModel, i: int, j: int, k: int) -> object:
        if i == j or s[i, j] < 0:
            slack = upper * (1.0 - m.label[i, k]) if i != j else 0.0
            return m.shared[i, j, k] >= m.weight[j, k] - slack
        return pyo.Constraint.Skip

    # McCormick's envelope of the product, for which a label of 0 or 1 is exact
    model.shared_weight = pyo.Constraint(points, points, classes, rule=at_most_weight)
    model.shared_label = pyo.Constraint(points, points, classes, rule=at_most_label)
    model.shared_least = pyo.Constraint(points, points, classes, rule=at_least)


def build_labels(
    problem: Weighted,
    c: int,
    sizes: tuple[int, int],
    known: NDArray[np.intp] | None = None,
) -> pyo.ConcreteModel:
    """The discrete problem (12), or (25) with a general similarity, over labels and weights.

    min  sum_jk (s1)_j weight_jk - 2 sum_ijk s_ij shared_ijk + lam sum_k weight_k'|s| weight_k
    s.t. sum_k label_ik = 1,  lo <= sum_i label_ik <= hi,  sum_jk weight_jk = 1
         weight_jk <= upper label_jk                          (a_j where j has class k, else 0)
         shared_ijk = weight_jk label_ik, by its linear envelope

    label_ik are binary. ``upper`` is the upper bound on the weights: 1 for the simplex of (12). The
    default 2/lam ensures S >= 0, and its optimum may be above that over the simplex. Sides of the
    envelope that are redundant by the sign of s_ij are omitted. If ``known`` codes (n,) are not
    given, point i is in one of the clusters 0 to i, which removes most permutations of the
    clusters. A known point has its code; -1 means unknown. The program is a convex MIQP.
    """
    n, upper = problem.n, min(problem.upper, 1.0)
    low, high = sizes
    points, classes = range(n), range(c)
    # labels, weights by class, and their products
    model = pyo.ConcreteModel(name="labels")
    model.label = pyo.Var(points, classes, domain=pyo.Binary)
    model.weight = pyo.Var(points, classes, bounds=(0.0, upper))
    model.shared = pyo.Var(points, points, classes, bounds=(0.0, upper))
    # every point in one class, classes of allowed sizes, weights of sum 1 within their class
    model.one_class = pyo.Constraint(
        points, rule=lambda m, i: pyo.quicksum(m.label[i, k] for k in classes) == 1.0
    )
    model.size = pyo.Constraint(
        classes,
        rule=lambda m, k: (float(low), pyo.quicksum(m.label[i, k] for i in points), float(high)),
    )
    model.sum_of_weights = pyo.Constraint(expr=pyo.quicksum(model.weight.values()) == 1.0)
    model.weight_of_class = pyo.Constraint(
        points, classes, rule=lambda m, j, k: m.weight[j, k] <= upper * m.label[j, k]
    )
    _write_envelope(model, problem.s, classes, upper)
    # known labels; without them less symmetry: point i is in one of the clusters 0 to i
    for i, k in product(points, classes):
        if k > i if known is None else known[i] not in (k, -1):
            model.label[i, k].setub(0.0)
    # the cut and the label-free part, and the norm of every class
    costs = np.concatenate([np.repeat(problem.strength, c), -2.0 * np.repeat(problem.s.ravel(), c)])
    cost = linear(costs, [*model.weight.values(), *model.shared.values()])
    parts = [[model.weight[j, k] for j in points] for k in classes]
    norms = pyo.quicksum(quadratic(problem.lam * problem.size, part) for part in parts)
    model.objective = pyo.Objective(expr=cost + norms)
    return with_duals(model)


def build_weights(
    Q: FloatArray, b: FloatArray, upper: float, constant: float = 0.0
) -> pyo.ConcreteModel:
    """The weight step for fixed labels: min a'Qa + b'a + constant, 1'a = 1, 0 <= a <= upper.

    Q (n, n) is symmetric, and b is (n,). With Q = lam (|s| - tau |s| o d) and b = 2 tau (s o d)1 -
    s1, the objective is Psi(a, Y). It is convex for labels 0 and 1 with tau = 1/2; for other labels
    or another tau, it may be nonconvex.
    """
    n = len(b)
    model = pyo.ConcreteModel(name="weights")
    model.weight = pyo.Var(range(n), bounds=(0.0, min(upper, 1.0)))
    weights = list(model.weight.values())
    model.sum_of_weights = pyo.Constraint(expr=linear(np.ones(n), weights) == 1.0)
    model.objective = pyo.Objective(
        expr=quadratic(Q, weights) + linear(b, weights) + float(constant)
    )
    return with_duals(model)


def build_harmonic(
    S: FloatArray, F: FloatArray, known: NDArray[np.bool_], tau: float, constant: float = 0.0
) -> pyo.ConcreteModel:
    """The harmonic step for fixed weights: min tau sum_{i<j} S_ij |Y_i - Y_j|^2 + constant.

    S is (n, n) >= 0. The rows of Y (n, c) for known points are their rows of F (n, c). ``share``
    has the other rows, each with its index in Y. If the rows of F are in the simplex, so are those
    of an optimal Y, by the maximum principle.
    """
    # the Laplacian in blocks of unlabelled and labelled rows; the latter alone are a constant
    c = F.shape[1]
    free, fixed_rows = np.flatnonzero(~known), np.flatnonzero(known)
    W = S.copy()
    np.fill_diagonal(W, 0.0)
    L = np.diag(W.sum(axis=1)) - W
    inner, outer = L[np.ix_(free, free)], L[np.ix_(free, fixed_rows)] @ F[fixed_rows]
    fixed = constant + tau * float(
        np.vdot(F[fixed_rows], L[np.ix_(fixed_rows, fixed_rows)] @ F[fixed_rows])
    )
    model = pyo.ConcreteModel(name="harmonic")
    unknown = free.tolist()
    model.share = pyo.Var(unknown, range(c), bounds=(0.0, 1.0))
    model.one_label = pyo.Constraint(
        unknown,
        rule=lambda m, i: pyo.quicksum(m.share[i, k] for k in range(c)) == 1.0,
    )
    # one quadratic form per class
    terms = []
    for k in range(c):
        column = [model.share[i, k] for i in unknown]
        terms.append(quadratic(tau * inner, column) + linear(2.0 * tau * outer[:, k], column))
    model.objective = pyo.Objective(expr=pyo.quicksum(terms) + fixed)
    return with_duals(model)


def build_joint(
    problem: Weighted,
    c: int,
    relaxation: str,
    start: tuple[FloatArray, FloatArray],
    *,
    labels: tuple[FloatArray, NDArray[np.bool_]] | None = None,
) -> pyo.ConcreteModel:
    """The nonlinear program over weights and relaxed labels: (27), or (28) with ``labels``.

    min  tau sum_{i<j} S_ij(a) |Y_i - Y_j|^2 - a's1 + lam a'|s|a,   1'a = 1, 0 <= a <= upper
    s.t. Y'Y = (n/c) I (``ratio``), Y'D(a)Y = I (``ncut``) or Y'D(a)Y = (vol/c) I (``scaled``),
         or, with labels = (F, known), Y_i = F_i for known points

    ``upper`` is 1 for the paper's simplex, or the box of the settings. ``start`` = (a, Y) is the
    starting point for a local solver. The program is nonconvex and is meant for very few points.
    """
    if relaxation not in RELAXATIONS:
        raise OptionError(f"no joint program of objective '{relaxation}'")
    # weights in the box, of sum 1, and free shares
    n, points, classes = problem.n, range(problem.n), range(c)
    s, size, lam = problem.s, problem.size, problem.lam
    model = pyo.ConcreteModel(name="joint")
    model.weight = pyo.Var(
        points, bounds=(0.0, min(problem.upper, 1.0)), initialize=lambda m, i: float(start[0][i])
    )
    model.share = pyo.Var(points, classes, initialize=lambda m, i, k: float(start[1][i, k]))
    model.sum_of_weights = pyo.Constraint(expr=pyo.quicksum(model.weight.values()) == 1.0)
    a, Y = model.weight, model.share

    def pair(i: int, j: int) -> object:
        return 2.0 * s[i, j] * (a[i] + a[j]) - 2.0 * lam * size[i, j] * a[i] * a[j]

    # the sum over pairs, and the label-free part
    trace = pyo.quicksum(
        pair(i, j) * pyo.quicksum((Y[i, k] - Y[j, k]) ** 2 for k in classes)
        for i in points
        for j in range(i + 1, n)
    )
    weights = list(a.values())
    free = quadratic(lam * size, weights) - linear(s.sum(axis=1), weights)
    model.objective = pyo.Objective(expr=problem.tau * trace + free)
    # (28): given labels are fixed, and no norm is needed
    if labels is not None:
        F, known = labels
        for i in np.flatnonzero(known).tolist():
            for k in classes:
                Y[i, k].fix(float(F[i, k]))
        return model
    # (27): orthogonal columns in the metric of the relaxation
    degrees: list[object] = [1.0] * n
    if relaxation != "ratio":
        degrees = [pyo.quicksum(pair(i, j) for j in points if i != j) for i in points]
    total = {"ratio": n, "ncut": c, "scaled": pyo.quicksum(degrees)}[relaxation]

    def orthogonal(m: pyo.ConcreteModel, k: int, r: int) -> object:
        if r < k:
            return pyo.Constraint.Skip
        inner = pyo.quicksum(d * Y[i, k] * Y[i, r] for i, d in enumerate(degrees))
        return inner == (total / c if k == r else 0.0)

    model.orthogonal = pyo.Constraint(classes, classes, rule=orthogonal)
    return model


def build_simsvm_primal(
    S: FloatArray, size: FloatArray, y: FloatArray, lam: float, *, c: float | FloatArray,
    bias: bool = True,
) -> pyo.ConcreteModel:  # fmt: skip
    """The primal program of the Similarity Machine.

    min  sum_i c_i shortfall_i + lam a'|S|a
    s.t. margin_i: y_i ((S a)_i + b) >= 1 - shortfall_i,   shortfall >= 0,  a free

    c_i is 1/n, or the row's share of the weights. S and ``size`` = |S| are (n, n); y (n,) is in
    {-1, +1}. The diagonal of |S| is increased by 4 n 2^-53 max |S|, because rounding may make |S|
    indefinite and the program unbounded. The unit of a is (lam max |S|)^-1/2 if that is far from 1,
    because solvers treat quadratic terms of 1e-12 as 0.
    """
    # |S| lifted beyond its rounding errors
    far = 1e8  # quadratic terms above this size, or below its inverse, get another unit of a
    n = len(y)
    largest = float(np.abs(size).max())
    lift = 4.0 * n * UNIT_ROUNDOFF * largest
    model = pyo.ConcreteModel(name="simsvm")
    model.coefficient = pyo.Var(range(n))
    model.shortfall = pyo.Var(range(n), domain=pyo.NonNegativeReals)
    model.bias = pyo.Var()
    if not bias:
        model.bias.fix(0.0)
    coefficients = list(model.coefficient.values())
    model.margin = pyo.Constraint(
        range(n),
        rule=lambda m, i: (
            linear(y[i] * S[i], coefficients) + float(y[i]) * m.bias + m.shortfall[i] >= 1.0
        ),
    )
    model.objective = pyo.Objective(
        expr=linear(np.broadcast_to(c, n), list(model.shortfall.values()))
        + quadratic(lam * (size + lift * np.eye(n)), coefficients)
    )
    # units of a in which the quadratic terms have the size 1
    if 1.0 / far < lam * largest < far:
        return with_duals(model)
    scale = (lam * largest) ** -0.5 if lam * largest > 0.0 else 1.0
    return with_scales(with_duals(model), 1.0, {"coefficient": scale})
