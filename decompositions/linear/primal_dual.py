"""The primal-dual hybrid gradient method for linear models, on sparse features.

min max  sum_j beta |w_j| + d'(a - s (X w + b))   over w, b and low <= d <= high

It is for a loose tolerance. A step costs two products with some columns of the matrix, and no
factor. Text 1,600 x 28,032, beta 1e-4: a gap of 1e-2 takes 0.2 s, and one of 1e-3 0.4 s; the
interior-point method of HiGHS takes 2.5 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.models.linear.problem import LinearProblem


def primal_dual_points(
    problem: LinearProblem, w: FloatArray, bias: float, d: FloatArray
) -> Iterator[tuple[FloatArray, IntArray, FloatArray, float]]:
    """Yield d (m,), features, w and the bias after every 100 steps, without end.

    The method begins at the coefficients w (p,), the bias and d (m,). Groups, signs and constraints
    are not supported.
    """
    m, s, with_bias = problem.shape[0], problem.s, float(problem.bias)
    # in units in which e = s d is about 1; features without entries are left out, and the bias is
    # the coefficient of a last feature of ones without a price
    a, ends = s * problem.a, [m * s * bound for bound in problem.box]
    low, high = np.minimum(*ends), np.maximum(*ends)
    columns, edge = np.flatnonzero(np.diff(problem.X.indptr)), m * problem.beta
    ones = sparse.csc_array(np.full((m, 1), with_bias))
    A = sparse.csc_array(sparse.hstack([problem.X[:, columns], ones]))
    prices = np.append(np.full(len(columns), edge), 0.0)
    # features less their means, which the bias takes up
    means = with_bias * A.sum(axis=0) / m
    means[-1] = 0.0
    w, e = np.append(w[columns], bias), m * s * d
    w[-1] += means @ w
    f = A @ w - means @ w
    # the diagonal steps of Pock and Chambolle (2011), over the norm of the matrix in their scale.
    # It is at most 1, and 0.4 for text less the means
    sizes: Any = abs(A)
    primal = 1.0 / np.maximum(sizes.power(1.5).sum(axis=0), 1e-100)
    dual = 1.0 / np.maximum(sizes.sqrt().sum(axis=1), 1e-100)
    root = np.sqrt(dual)

    def square(x: FloatArray) -> FloatArray:
        y = primal * (A.T @ (root * x) - means * (root @ x))
        return np.asarray(root * (A @ y - means @ y))

    # 13 products leave an error of a percent, and a step that is too long diverges
    operator = LinearOperator((m, m), matvec=square, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(m)
    norm = eigsh(operator, k=1, v0=start, ncv=min(12, m), tol=0.1, return_eigenvectors=False)[0]
    primal /= 1.03 * norm
    # the steps move features whose edge was once near beta, and these entries alone: of 30,000
    # words 2,000; the others are 0, and each gap has the edges of all
    moving = (np.abs(A.T @ e) >= 0.8 * prices) | (w != 0.0)
    weight, last_gap, steps = 1.0, np.inf, 0
    while True:
        poll()
        part, mean, rates = A[:, moving].tocsr(), means[moving], weight * primal[moving]
        transposed, size = part.T, part.shape[1]
        room, dual_rates = prices[moving] * rates, dual / weight
        z = anchor = np.concatenate([w[moving], f, e])
        new, count = np.empty_like(z), 0
        while True:
            for k in range(count, count + 100):
                # proximal step in w and the bias, then in e at the extrapolated scores
                v, f, e = z[:size], z[size:-m], z[-m:]
                v = v + rates * (transposed @ e - mean * e.sum())
                v -= np.minimum(np.maximum(v, -room), room)
                scores = part @ v - mean @ v
                e = e + dual_rates * (a - 2.0 * scores + f)
                new[:size], new[size:-m] = v, scores
                new[-m:] = np.minimum(np.maximum(e, low), high)
                # reflected, and averaged with the anchor (Halpern's iteration, Lu and Yang 2024)
                share = (k + 1) / (k + 2)
                z = share * (2.0 * new - z) + (1.0 - share) * anchor
            count, steps = count + 100, steps + 100
            poll()
            w = np.zeros(len(primal))
            w[moving], f, e = new[:size], new[size:-m], new[-m:]
            r, edges = a - f, np.abs(A.T @ e)
            value = np.maximum(high * r, low * r).sum() + edge * np.abs(w[:-1]).sum()
            ratio = max(1.0, float(edges[:-1].max(initial=0.0)) / edge)
            imbalance = edges[-1] * float(np.abs(a).min(initial=0.0))
            gap = float(value - (a @ e - imbalance) / ratio)
            features = np.flatnonzero(w[:-1])
            yield s * e / m, columns[features], w[features], float(w[-1] - means @ w)
            # a restart where the gap fell, or after a long time (Applegate et al. 2021)
            if gap < 0.4 * last_gap or count >= 0.36 * steps:
                break
        # features enter, and the weight of the primal steps follows the lengths of both paths
        moved = (new - anchor) ** 2
        lengths = np.sqrt([(moved[:size] / primal[moving]).sum(), (moved[-m:] / dual).sum()])
        if min(lengths) > 1e-9:
            weight = float(np.sqrt(weight * lengths[0] / lengths[1]))
        moving |= edges > 0.8 * prices
        last_gap = gap
