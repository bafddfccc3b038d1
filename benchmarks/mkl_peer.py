"""Peers of multiple kernel learning, run by a separate interpreter with cvxpy.

python mkl_peer.py PROBLEM.npz FORM

The file has K (M, n, n), y, c (M,), C and p. FORM is quadratic (quad_form of every matrix), factors
(squares of factors) or primal. The output is JSON: seconds, and the value of the point. For the
primal it is ``objective``. For the dual it is ``bound``, after projection of the multipliers into
their box and onto y'a = 0. The solver's own values are not used.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from typing import Any

import cvxpy as cp
import numpy as np


def factor(K: Any) -> Any:
    """R with K = R R'."""
    values, vectors = np.linalg.eigh(K)
    used = values > 1e-12 * values[-1]
    return vectors[:, used] * np.sqrt(values[used])


def dual(K: Any, y: Any, c: Any, C: float, p: float, *, factored: bool) -> tuple[Any, Any]:
    """max 1'a - ||g||_{p*} / 2, z'K_m z <= c_m g_m; and a function for the value of its point."""
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

    def value() -> dict[str, float]:
        point = np.clip(a.value, 0.0, C)
        sums = [point[y > 0].sum(), point[y < 0].sum()]
        point *= np.where(y > 0, min(sums) / sums[0], min(sums) / sums[1])
        signed = y * point
        norms = np.einsum("i,mij,j->m", signed, K, signed) / c
        order = np.inf if p == 1 else p / (p - 1)
        return {"bound": float(point.sum() - np.linalg.norm(norms, order) / 2)}

    return cp.Problem(cp.Maximize(cp.sum(a) - height / 2), rows), value


def primal(K: Any, y: Any, c: Any, C: float) -> tuple[Any, Any]:
    """min (sum_m sqrt(c_m) |w_m|)^2 / 2 + C sum hinge, norm 1; and its value, as of ``dual``."""
    factors, b = [factor(matrix) for matrix in K], cp.Variable()
    ws = [cp.Variable(R.shape[1]) for R in factors]
    scores = sum(R @ w for R, w in zip(factors, ws, strict=True))
    norms = sum(np.sqrt(c_m) * cp.norm(w) for c_m, w in zip(c, ws, strict=True))
    losses = cp.sum(cp.pos(1 - cp.multiply(y, scores + b)))

    def value() -> dict[str, float]:
        points = [w.value for w in ws]
        f = sum(R @ w for R, w in zip(factors, points, strict=True)) + b.value
        length = sum(np.sqrt(c_m) * np.linalg.norm(w) for c_m, w in zip(c, points, strict=True))
        loss = np.maximum(0.0, 1.0 - y * f).sum()
        return {"objective": float(length**2 / 2 + C * loss)}

    return cp.Problem(cp.Minimize(cp.square(norms) / 2 + C * losses)), value


def main(path: str, form: str) -> None:
    """Build, solve and print."""
    with np.load(path, allow_pickle=False) as data:
        K, y, c = data["K"], data["y"], data["c"]
        C, p = float(data["C"]), float(data["p"])
    start = time.process_time()
    if form == "primal":
        problem, value = primal(K, y, c, C)
    else:
        problem, value = dual(K, y, c, C, p, factored=form == "factors")
    problem.solve(solver=cp.CLARABEL)
    seconds = time.process_time() - start
    note = f"cvxpy {cp.__version__}, Clarabel {version('clarabel')}"
    print(json.dumps({"seconds": seconds, **value(), "note": note}))


main(*sys.argv[1:])
