"""Explicit programs of multiple kernel learning for two classes or for several problems at once.

The symbols are as in :mod:`radprog.models.mkl.problem`: rows r = 1..k of labels y_ri, points
i = 1..n, kernels K_m, weights mu_m, the ball ||c * mu||_p <= 1, p* = p/(p-1). Quadratic forms of
low-rank matrices are written with factors K_m = R_m R_m', and all others entry by entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.models.algebra import linear, quadratic, with_duals, with_scales
from radprog.models.mkl.kernel_sets import tail_sum
from radprog.models.mkl.problem import MultipleKernels, Value, WeightBall

# units of cones: an error e of a cone without weight changes the value by sqrt(e), so SCIP's value
# is off by 5e-7 to 4e-6, and in units of 1 by 2e-5 to 4e-4
FINE = 1e-4


def factor(K: FloatArray) -> FloatArray:
    """Return R (n, r) with K = R R', where r is the numerical rank of K (n, n)."""
    values, vectors = linalg.eigh(K)
    # eigenvalues below this share of the largest are left out of factors
    positive = values > 1e-13 * max(float(values[-1]), 0.0) * len(K)
    return np.asarray(vectors[:, positive] * np.sqrt(values[positive]))


def build_qcqp(
    problem: MultipleKernels, ball: WeightBall, dual: FloatArray | None = None
) -> pyo.ConcreteModel:
    """The dual of min J over the ball, as a program with quadratic constraints.

    max  sum_ri a_ri  [- sum_ri a_ri^2 / (2C) for the squared loss]  - height / 2
    s.t. energy_m: sum_r z_r'K_m z_r <= c_m height,  z_ri = y_ri a_ri     (p = 1)
         energy_m: ... <= c_m share_m,  norm: ||share||_{p*} <= height    (p > 1)
         balance_r: sum_i y_ri a_ri = 0 (with a bias),  0 <= a <= C (hinge loss)

    The multiplier of energy_m is mu_m / 2. For p = 2, norm is the cone sum share^2 <= height^2. For
    other p > 1 it is a power. Only .nl files can express such a row.

    Scales: let A be the largest entry of ``dual`` (k, n), a dual point of about the right size, and
    S = ||q/c||_{p*} at this point. Then a, balance and the objective are in units of A, height and
    share in S, energy_m in c_m S, image and image_of of kernel m in sqrt(c_m S), norm in S^{p*}.
    """
    # s(a), its box and its balance; then max over mu of <q, mu> as rows
    model, terms = _dual(problem, "mkl_qcqp")
    model.height = pyo.Var(domain=pyo.NonNegativeReals)
    model.kernel = pyo.RangeSet(0, len(ball.c) - 1)
    if ball.p == 1.0:
        right = [model.height for _ in ball.c]
    else:
        model.share = pyo.Var(model.kernel, domain=pyo.NonNegativeReals)
        right = list(model.share.values())
        if ball.p == 2.0:
            squares = pyo.quicksum(share**2 for share in right)
            model.norm = pyo.Constraint(expr=squares - model.height**2 <= 0)
        else:
            powers = pyo.quicksum(share**ball.dual for share in right)
            model.norm = pyo.Constraint(expr=powers <= model.height**ball.dual)
    # kernels of low rank by the coordinates image_mrj = R_m'z_r: protein folds 0.6 s by Ipopt,
    # 2.6 entry by entry; factors are used up to half of full rank
    k, n = problem.labels.shape
    a = list(model.a.values())
    factors = [factor(K) for K in problem.kernels.K]
    low = [m for m, R in enumerate(factors) if R.shape[1] <= 0.5 * n]
    keys = [(m, r, j) for m in low for r in range(k) for j in range(factors[m].shape[1])]
    if keys:
        model.coordinate = pyo.Set(initialize=keys, dimen=3, ordered=True)
        model.image = pyo.Var(model.coordinate)
        model.image_of = pyo.Constraint(model.coordinate)
        for m, r, j in keys:
            row = np.concatenate([problem.labels[r] * factors[m][:, j], [-1.0]])
            terms_of = [*a[r * n : (r + 1) * n], model.image[m, r, j]]
            model.image_of[m, r, j] = linear(row, terms_of) == 0
    # sum_r z_r'K_m z_r of every kernel on the left
    model.energy = pyo.Constraint(model.kernel)
    for m, (K, side) in enumerate(zip(problem.kernels.K, right, strict=True)):
        if m in low:
            parts = [model.image[key] ** 2 for key in keys if key[0] == m]
        else:
            parts = [
                quadratic(K * np.multiply.outer(y, y), a[r * n : (r + 1) * n])
                for r, y in enumerate(problem.labels)
            ]
        model.energy[m] = pyo.quicksum(parts) - float(ball.c[m]) * side <= 0
    model.objective = pyo.Objective(expr=terms - 0.5 * model.height, sense=pyo.maximize)
    # units near the solution, so that solvers see numbers near 1
    size, height = _sizes(problem, ball.support, dual)
    energy_scales = (ball.c * height).tolist()
    scales: dict[str, Any] = {"a": size, "height": height, "energy": energy_scales}
    if model.component("balance") is not None:
        scales["balance"] = size
    if ball.p > 1.0:
        scales |= {"share": height, "norm": height**ball.dual}
    if model.component("image") is not None:
        images = [energy_scales[m] ** 0.5 for m, _, _ in model.coordinate]
        scales |= {"image": images, "image_of": images}
    return with_scales(with_duals(model), size, scales)


def build_svm(
    problem: MultipleKernels, mu: FloatArray, dual: FloatArray | None = None
) -> pyo.ConcreteModel:
    """The dual of J at fixed weights mu (M,), a support vector machine for each row of labels.

    max  sum_ri a_ri [- sum_ri a_ri^2 / (2C)] - 1/2 sum_r z_r'K_mu z_r
    s.t. balance_r and bounds as in :func:`build_qcqp`

    Scales: a, balance and the objective are in units of the largest entry of ``dual``, as in
    :func:`build_qcqp`.
    """
    # the same with the one kernel K_mu
    model, terms = _dual(problem, "mkl_svm")
    K = problem.combine(mu)
    a = list(model.a.values())
    n = problem.kernels.n
    forms = [
        quadratic(K * np.multiply.outer(y, y), a[r * n : (r + 1) * n])
        for r, y in enumerate(problem.labels)
    ]
    model.objective = pyo.Objective(expr=terms - 0.5 * pyo.quicksum(forms), sense=pyo.maximize)
    size, _ = _sizes(problem, lambda q: float(q @ mu), dual)
    scales = {"a": size} | ({} if model.component("balance") is None else {"balance": size})
    return with_scales(with_duals(model), size, scales)


def build_silp(
    ball: WeightBall, s: Sequence[float], energies: Sequence[FloatArray]
) -> pyo.ConcreteModel:
    """The master problem of the semi-infinite program, with one row per generated dual point a_t.

    min  value
    s.t. cut_t: value + 1/2 sum_m q_m(a_t) mu_m >= s(a_t),   mu >= 0, value free
         ball: sum_m c_m mu_m <= 1 (p = 1),  sum_m (c_m mu_m)^2 <= 1 (p = 2),  a power otherwise

    With beta_m = c_m mu_m and theta = -value, this is, for p = 1, the program  max theta  s.t.
    sum_m beta_m (q_m(a) / (2 c_m) - s(a)) >= theta  for all a, beta in the simplex.

    Scales: mu_m is in units of 1/c_m; value, cut and the objective are in units of the largest s.
    """
    M = len(ball.c)
    model = pyo.ConcreteModel(name="mkl_silp")
    model.kernel = pyo.RangeSet(0, M - 1)
    model.mu = pyo.Var(model.kernel, domain=pyo.NonNegativeReals)
    model.value = pyo.Var()
    mu = list(model.mu.values())
    model.objective = pyo.Objective(expr=model.value)
    model.iterate = pyo.RangeSet(0, len(s) - 1)
    model.cut = pyo.Constraint(model.iterate)
    # a cut for every dual point: value >= s - <q, mu>/2
    for t, (gain, energy) in enumerate(zip(s, energies, strict=True)):
        body = linear(np.concatenate([[1.0], 0.5 * energy]), [model.value, *mu])
        model.cut[t] = (float(gain), body, None)
    _ball(model, ball, mu)
    size = max(map(float, s), default=1.0)
    scales = {"mu": (1.0 / ball.c).tolist(), "value": size, "cut": size}
    return with_scales(with_duals(model), size, scales)


def build_primal(problem: MultipleKernels, ball: WeightBall) -> pyo.ConcreteModel:
    """The primal program, over features R_m of K_m = R_m R_m'.

    min  1/2 sum_m block_m + C sum_ri shortfall_ri
         [C/2 sum_ri shortfall_ri^2 for the squared loss]
    s.t. margin_ri: y_ri (sum_m R_m,i w_mr + bias_r) >= 1 - shortfall_ri   [= for the squared loss]
         cone_m: sum_r |w_mr|^2 <= block_m mu_m,   block, mu >= 0,   ball: ||c * mu||_p <= 1

    After elimination of mu, the first term is 1/2 ||(sqrt(c_m) |w_m|)_m||^2 in the norm 2p/(p+1).
    For p = 1 this is 1/2 (sum_m sqrt(c_m) |w_m|)^2.

    Scales: with A and S of :func:`build_qcqp`, mu_m is in units of 1/c_m, w_m in sqrt(S/c_m), block
    in S, cone_m in FINE S/c_m, and the objective in A.
    """
    # losses, margins and cones, and the ball of the weights
    model, mu = _primal(problem, "mkl_primal")
    _ball(model, ball, mu)
    size, height = _sizes(problem, ball.support)
    cones = height / ball.c
    roots = [float(cones[m] ** 0.5) for m, _, _ in model.feature]
    fine = (FINE * cones).tolist()
    scales = {"mu": (1.0 / ball.c).tolist(), "w": roots, "block": height, "cone": fine}
    return with_scales(with_duals(model), size, scales)


def build_dc(
    problem: MultipleKernels,
    theta: int,
    budget: float,
    norm: float = 1.0,
    start: Value | None = None,
) -> pyo.ConcreteModel:
    """Program (7) for tiny n: the primal with a bound on the tail sum of the mixture.

    min  as in :func:`build_primal`
    s.t. margin, cone,  tail_budget: sum_m mu_m^P (tr K_m - sum_j V_j'K_m V_j) <= budget,
         orthonormal_jl: V_j'V_l = 1 (j = l) or 0

    The minimum of tr K - sum_j V_j'K V_j over orthonormal V_1..V_theta is the tail sum of K. Some V
    thus satisfies the bound if and only if the tail sum does. The variables include
    tail_m = tr K_m - sum_j V_j'K_m V_j, and power_m = mu_m^P for P = 2. In this case every row has
    degree 2, and .lp and .mps files can express the program. For other P only .nl files can.

    Further constraints, valid at every feasible point, help solvers that branch:

    - T(K_m) <= tail_m <= tr K_m
    - superadditive: sum_m T(K_m) mu_m^P <= budget, because tail sums are superadditive
    - the first entry of V_j is nonnegative, because V_j and -V_j are equivalent
    - with a feasible ``start``, bounds on losses and blocks that follow from its value

    Scales: cone_m is in units of ``FINE``, because an error e in a cone changes the value by
    sqrt(e).
    """
    n, M = problem.kernels.n, problem.kernels.M
    model, mu = _primal(problem, "mkl_dc")
    # theta orthonormal vectors V_j, which the solver turns to the top eigenvectors
    model.vector = pyo.RangeSet(0, theta - 1)
    model.coordinate = pyo.RangeSet(0, n - 1)
    model.V = pyo.Var(model.vector, model.coordinate, bounds=(-1.0, 1.0))
    V = [[model.V[j, i] for i in range(n)] for j in range(theta)]
    for j in range(theta):
        for i in range(n):
            model.V[j, i] = 1.0 if i == j else 0.0
        model.V[j, 0].setlb(0.0)
    # tail_m: tr K_m less what the vectors hold of it
    traces = [float(np.trace(K)) for K in problem.kernels.K]
    tails = [max(tail_sum(K, theta), 0.0) for K in problem.kernels.K]
    model.tail = pyo.Var(model.kernel, bounds=lambda _, m: (tails[m], traces[m]))
    model.tail_of = pyo.Constraint(model.kernel)
    for m, K in enumerate(problem.kernels.K):
        energy = pyo.quicksum(quadratic(K, V[j]) for j in range(theta))
        model.tail_of[m] = model.tail[m] + energy == traces[m]
    # the weights, or their powers
    weights = [weight**norm for weight in mu]
    if norm == 1.0:
        weights = mu
    elif norm == 2.0:
        model.power = pyo.Var(model.kernel, domain=pyo.NonNegativeReals, initialize=1.0)
        model.power_of = pyo.Constraint(model.kernel)
        for m, weight in enumerate(mu):
            model.power_of[m] = weight**2 - model.power[m] == 0
        weights = list(model.power.values())
    total = pyo.quicksum(weights[m] * model.tail[m] for m in range(M))
    model.tail_budget = pyo.Constraint(expr=total <= budget)
    body = pyo.quicksum(tails[m] * weights[m] for m in range(M))
    model.superadditive = pyo.Constraint(expr=body <= budget)
    pairs = [(j, k) for j in range(theta) for k in range(j, theta)]
    model.orthonormal = pyo.Constraint(pyo.Set(initialize=pairs, dimen=2, ordered=True))
    for j, k in pairs:
        product = pyo.quicksum(V[j][i] * V[k][i] for i in range(n))
        model.orthonormal[j, k] = product == (1.0 if j == k else 0.0)
    if start is not None:
        _set_start(
            model,
            problem,
            theta,
            norm,
            start,
            [budget / tail if tail > 0.0 else np.inf for tail in tails],
        )
    return with_scales(with_duals(model), 1.0, {"cone": FINE})


def _set_start(
    model: pyo.ConcreteModel,
    problem: MultipleKernels,
    theta: int,
    norm: float,
    start: Value,
    largest: Sequence[float],
) -> None:
    """Set the values of ``start``, and bounds that better points satisfy.

    ``largest`` are upper bounds on mu_m^P.
    """
    factors = [factor(K) for K in problem.kernels.K]
    top = np.linalg.eigh(problem.combine(start.mu**norm))[1][:, ::-1][:, :theta]
    top *= np.where(top[0] < 0.0, -1.0, 1.0)
    for (j, i), entry in model.V.items():
        entry.set_value(float(top[i, j]))
    for m, K in enumerate(problem.kernels.K):
        tail = float(np.trace(K) - np.einsum("ij,ik,kj->", top, K, top))
        # rounding may put it outside its bounds
        model.tail[m].set_value(min(max(tail, model.tail[m].lb), model.tail[m].ub))
        model.mu[m].set_value(float(start.mu[m]))
        model.block[m].set_value(float(start.mu[m] * start.energies[m]))
        if model.component("power") is not None:
            model.power[m].set_value(float(start.mu[m] ** 2))
    # the norms and losses are parts of the value, which its rounding enlarges
    limit = problem.objective_up(start) * (1.0 + 1e-6)
    z = start.a * problem.labels
    for m, weight in enumerate(model.mu.values()):
        bound = largest[m] ** (1.0 / norm)
        weight.setub(None if bound == np.inf else bound)
        model.block[m].setub(2.0 * limit)
    for (m, r, j), entry in model.w.items():
        entry.set_value(float(start.mu[m] * (factors[m][:, j] @ z[r])))
        if largest[m] < np.inf:
            reach = math.sqrt(2.0 * limit) * largest[m] ** (0.5 / norm)
            entry.setlb(-reach)
            entry.setub(reach)
    margins = problem.labels * (start.scores + start.biases[:, None])
    for (r, i), slack in model.shortfall.items():
        loss = 1.0 - float(margins[r, i])
        slack.set_value(max(loss, 0.0) if problem.loss == "hinge" else loss)
        cost = float(problem.costs[i])
        reach = limit / cost if problem.loss == "hinge" else math.sqrt(2.0 * limit / cost)
        slack.setub(reach)
        if problem.loss != "hinge":
            slack.setlb(-reach)
    # some optimal bias puts a margin at 1, so it is at most 1 plus the largest score
    diagonals = np.array([K.diagonal() for K in problem.kernels.K])
    energy = float((np.array(largest)[:, None] ** (1.0 / norm) * diagonals).sum(axis=0).max())
    for r, bias in model.bias.items() if problem.bias else ():
        bias.set_value(float(start.biases[r]))
        if energy < np.inf:
            bias.setlb(-1.0 - math.sqrt(2.0 * limit * energy))
            bias.setub(-bias.lb)


def build_multiclass(
    K: FloatArray,
    codes: NDArray[np.intp],
    C: float | FloatArray,
    ball: WeightBall | None,
    *,
    bias: bool = True,
) -> pyo.ConcreteModel:
    """The dual of the joint hinge loss of Crammer and Singer over all classes.

    Primal: min 1/2 sum_m sum_r |w_mr|^2 / mu_m + C sum_i shortfall_i over w, mu in the ball, with
    f_{y_i}(x_i) - f_r(x_i) >= 1 - shortfall_i for all r other than y_i. Its dual:

    max  - sum_i sum_{r not y_i} a_ri - height / 2
    s.t. energy_m: sum_r a_r'K_m a_r <= c_m height
         balanced_point_i: sum_r a_ri = 0,   a_ri <= C for r = y_i, a_ri <= 0 for the others
         balance_r: sum_i a_ri = 0 (with biases)

    K is (M, n, n), or (1, n, n) with ``ball`` None for one fixed kernel. In this case the program
    is quadratic, with 1/2 sum_r a_r'K a_r in place of height / 2. ``codes`` (n,) are in 0..k-1, C
    is a number or (n,), and p must be 1. Class r has the scores f_r = sum_m mu_m K_m a_r + b_r.

    Scales: let A be the size of a typical point, and S its height. Then a, balance, balanced_point
    and the objective are in units of A, height is in S, and energy_m in c_m S.
    """
    if ball is not None and ball.p != 1.0:
        raise OptionError(f"the joint multi-class program is written for norm 1, not {ball.p:g}")
    k, n = int(codes.max()) + 1, len(codes)
    costs = np.broadcast_to(C, n)
    model = pyo.ConcreteModel(name="mkl_multiclass")
    model.label = pyo.RangeSet(0, k - 1)
    model.point = pyo.RangeSet(0, n - 1)

    def bounds(_: Any, r: int, i: int) -> tuple[float | None, float]:
        return (None, float(costs[i]) if codes[i] == r else 0.0)

    model.a = pyo.Var(model.label, model.point, bounds=bounds)
    rows = [[model.a[r, i] for i in range(n)] for r in range(k)]
    # gain: minus the multipliers of the classes that are not the point's own
    rivals = [rows[r][i] for r in range(k) for i in range(n) if codes[i] != r]
    gain = linear(-np.ones(len(rivals)), rivals)
    forms = [pyo.quicksum(quadratic(matrix, row) for row in rows) for matrix in K]
    model.kernel = pyo.RangeSet(0, len(K) - 1)
    if ball is None:
        objective = gain - 0.5 * forms[0]
    else:
        model.height = pyo.Var(domain=pyo.NonNegativeReals)
        model.energy = pyo.Constraint(model.kernel)
        for m, form in enumerate(forms):
            model.energy[m] = form - float(ball.c[m]) * model.height <= 0
        objective = gain - 0.5 * model.height
    model.objective = pyo.Objective(expr=objective, sense=pyo.maximize)
    # shortfalls: multipliers of a point sum to 0; biases: those of a class
    model.balanced_point = pyo.Constraint(model.point)
    for i in range(n):
        model.balanced_point[i] = linear(np.ones(k), [row[i] for row in rows]) == 0
    if bias:
        model.balance = pyo.Constraint(model.label)
        for r, row in enumerate(rows):
            model.balance[r] = linear(np.ones(n), row) == 0
    # scales: a feasible point, 1 - 1/k at the class of each example, -1/k elsewhere, centred with
    # biases, and its best multiple, at most C
    point = (np.arange(k)[:, None] == codes) - 1.0 / k
    if bias:
        point -= point.mean(axis=1, keepdims=True)
    energies = np.maximum(np.einsum("ri,mij,rj->m", point, K, point, optimize=True), 0.0)
    curve = float(energies[0]) if ball is None else ball.support(energies)
    height = float(point[codes, np.arange(n)].sum())
    largest = float(costs.max())
    size = min(largest, height / curve) if curve > 0 else largest
    scales: dict[str, Any] = {"a": size, "balanced_point": size}
    if bias:
        scales["balance"] = size
    if ball is not None:
        height = size * size * curve
        scales |= {"height": height, "energy": (ball.c * height).tolist()}
    return with_scales(with_duals(model), size, scales)


def _sizes(
    problem: MultipleKernels,
    support: Callable[[FloatArray], float],
    dual: FloatArray | None = None,
) -> tuple[float, float]:
    """The largest entry of a dual point near the optimum, and its height max <q, mu>.

    The height is at least 1e-6 times the sum of the point, because a smaller height is
    negligible in the objective.
    """
    a = problem.typical_point(support) if dual is None else problem.feasible(dual)
    # a height below 1e-6 of the sum of the dual point is noise
    floor = 1e-6 * float(np.abs(a).sum())
    return float(np.abs(a).max(initial=0.0)), max(support(problem.energies(a)), floor)


def _dual(problem: MultipleKernels, name: str) -> tuple[pyo.ConcreteModel, Any]:
    """Dual variables a with bounds and balance, and the part of the objective without kernels."""
    k, n = problem.labels.shape
    hinge = problem.loss == "hinge"
    model = pyo.ConcreteModel(name=name)
    model.row = pyo.RangeSet(0, k - 1)
    model.point = pyo.RangeSet(0, n - 1)
    costs = np.broadcast_to(problem.C, n).tolist()
    model.a = pyo.Var(
        model.row,
        model.point,
        bounds=lambda model, r, i: (0.0, costs[i]) if hinge else (None, None),
    )
    a = list(model.a.values())
    terms = linear(np.ones(k * n), a)
    if not hinge:
        terms -= pyo.quicksum(0.5 / costs[i % n] * point**2 for i, point in enumerate(a))
    if problem.bias:
        model.balance = pyo.Constraint(model.row)
        for r, y in enumerate(problem.labels):
            model.balance[r] = linear(y, a[r * n : (r + 1) * n]) == 0
    return model, terms


def _primal(problem: MultipleKernels, name: str) -> tuple[pyo.ConcreteModel, list[Any]]:
    """The objective, margins and cones of the primal program without its ball, and the weights
    mu.
    """
    k, n = problem.labels.shape
    M = problem.kernels.M
    hinge = problem.loss == "hinge"
    factors = [factor(K) for K in problem.kernels.K]
    model = pyo.ConcreteModel(name=name)
    model.kernel = pyo.RangeSet(0, M - 1)
    model.row = pyo.RangeSet(0, k - 1)
    model.point = pyo.RangeSet(0, n - 1)
    keys = [(m, r, j) for m in range(M) for r in range(k) for j in range(factors[m].shape[1])]
    model.feature = pyo.Set(initialize=keys, dimen=3, ordered=True)
    model.w = pyo.Var(model.feature)
    model.mu = pyo.Var(model.kernel, domain=pyo.NonNegativeReals, initialize=1.0)
    model.block = pyo.Var(model.kernel, domain=pyo.NonNegativeReals, initialize=1.0)
    domain = pyo.NonNegativeReals if hinge else pyo.Reals
    model.shortfall = pyo.Var(model.row, model.point, domain=domain)
    model.margin = pyo.Constraint(model.row, model.point)
    if problem.bias:
        model.bias = pyo.Var(model.row)
    for r, y in enumerate(problem.labels):
        w = [model.w[key] for key in keys if key[1] == r]
        # margin_ri: y_ri (sum_m R_m,i w_mr + b_r) >= 1 - shortfall
        features = np.hstack(factors) * y[:, None]
        for i in range(n):
            coefficients = np.concatenate([features[i], [1.0], [y[i]] if problem.bias else []])
            extra = [model.shortfall[r, i], *([model.bias[r]] if problem.bias else [])]
            body = linear(coefficients, [*w, *extra])
            model.margin[r, i] = body >= 1 if hinge else body == 1
    # |w_m|^2 <= block_m mu_m, rotated second-order cones
    model.cone = pyo.Constraint(model.kernel)
    for m in range(M):
        squares = pyo.quicksum(model.w[key] ** 2 for key in keys if key[0] == m)
        model.cone[m] = squares - model.block[m] * model.mu[m] <= 0
    blocks, slacks = list(model.block.values()), list(model.shortfall.values())
    # 1/2 sum |w_m|^2 / mu_m + C sum of losses
    half = linear(np.full(M, 0.5), blocks)
    costs = np.tile(np.broadcast_to(problem.C, n), k)
    if hinge:
        losses = linear(costs, slacks)
    else:
        pairs = zip(costs.tolist(), slacks, strict=True)
        losses = pyo.quicksum(0.5 * cost * slack**2 for cost, slack in pairs)
    model.objective = pyo.Objective(expr=half + losses)
    return model, list(model.mu.values())


def _ball(model: pyo.ConcreteModel, ball: WeightBall, mu: list[Any]) -> None:
    """||c * mu||_p <= 1."""
    if ball.p == 1.0:
        body = linear(ball.c, mu)
    else:
        body = pyo.quicksum(
            float(c) ** ball.p * weight**ball.p for c, weight in zip(ball.c, mu, strict=True)
        )
    model.ball = pyo.Constraint(expr=body <= 1)
