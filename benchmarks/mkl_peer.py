"""Peers of multiple kernel learning, run by an interpreter of their own that has cvxpy.

python mkl_peer.py PROBLEM.npz FORM: K (M, n, n), y, c (M,), C and p; prints seconds and objective
as JSON. FORM: quadratic (quad_form of every matrix), factors (squares of factors), primal.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import cvxpy as cp
import numpy as np


def factor(K: Any) -> Any:
    """R with K = R R'."""
    values, vectors = np.linalg.eigh(K)
    used = values > 1e-12 * values[-1]
    return vectors[:, used] * np.sqrt(values[used])


def dual(K: Any, y: Any, c: Any, C: float, p: float, *, factored: bool) -> Any:
    """max 1'a - ||g||_{p*} / 2, z'K_m z <= c_m g_m."""
    a, g = cp.Variable(len(y), nonneg=True), cp.Variable(len(K), nonneg=True)
    z = cp.multiply(y, a)
    rows = [a <= C, y @ a == 0]
    for m, matrix in enumerate(K):
        square = (
            cp.sum_squares(factor(matrix).T @ z)
            if factored
            else cp.quad_form(z, cp.psd_wrap(matrix))
        )
        rows.append(square <= c[m] * g[m])
    height = cp.max(g) if p == 1 else cp.norm(g, p / (p - 1))
    return cp.Problem(cp.Maximize(cp.sum(a) - height / 2), rows)


def primal(K: Any, y: Any, c: Any, C: float) -> Any:
    """min (sum_m sqrt(c_m) |w_m|)^2 / 2 + C sum hinge, norm 1."""
    scores, norms, b = 0, 0, cp.Variable()
    for m, matrix in enumerate(K):
        R = factor(matrix)
        w = cp.Variable(R.shape[1])
        scores, norms = scores + R @ w, norms + np.sqrt(c[m]) * cp.norm(w)
    losses = cp.sum(cp.pos(1 - cp.multiply(y, scores + b)))
    return cp.Problem(cp.Minimize(cp.square(norms) / 2 + C * losses))


def main(path: str, form: str) -> None:
    """Build, solve and print."""
    with np.load(path, allow_pickle=False) as data:
        K, y, c = data["K"], data["y"], data["c"]
        C, p = float(data["C"]), float(data["p"])
    start = time.process_time()
    if form == "primal":
        problem = primal(K, y, c, C)
    else:
        problem = dual(K, y, c, C, p, factored=form == "factors")
    problem.solve(solver=cp.CLARABEL)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "objective": float(problem.value)}))


main(*sys.argv[1:])
