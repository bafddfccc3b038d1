"""Programs with concave parts by dccp and cvxpy, run by a separate interpreter with both.

python own_peer.py FILE.npz...

The files have the arrays of ``dc_programs`` with their ``kind``. The output is JSON: the CPU
seconds and the point of each. dccp requires the concave part of an objective in a row. The price of
this row's slack, 0.005 by default, then starts at 2, because the first step would be unbounded
below 1. All other settings are dccp's defaults, and the solver is Clarabel.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import cvxpy as cp
import dccp  # noqa: F401  registers the method
import numpy as np


def qp(a: Any) -> tuple[Any, Any]:
    """1/2 z'L+z + c'x <= t + 1/2 z'L-z."""
    n = len(a["c"])
    x, t, values = cp.Variable(n), cp.Variable(), a["eigenvalues"]
    z = a["V"].T @ x
    up = cp.sum_squares(cp.multiply(np.sqrt(np.maximum(values, 0)), z)) / 2
    down = cp.sum_squares(cp.multiply(np.sqrt(np.maximum(-values, 0)), z)) / 2
    x.value = a["start"]
    t.value = float(up.value + a["c"] @ a["start"] - down.value)
    rows = [up + a["c"] @ x <= t + down, a["A"] @ x <= a["b"], x >= 0, x <= 1]
    return cp.Problem(cp.Minimize(t), rows), x


def capped(a: Any) -> tuple[Any, Any]:
    """loss + lam |w| <= t + lam sum max(|w_j| - theta, 0)."""
    n, d = a["X"].shape
    w, t, lam = cp.Variable(d), cp.Variable(), float(a["lam"])
    f = cp.sum_squares(a["X"] @ w - a["y"]) / (2 * n) + lam * cp.norm1(w)
    g = lam * cp.sum(cp.pos(cp.abs(w) - float(a["theta"])))
    w.value = a["start"]
    t.value = float(f.value - g.value)
    return cp.Problem(cp.Minimize(t), [f <= t + g]), w


def packing(a: Any) -> tuple[Any, Any]:
    """|c_i - c_j| >= r_i + r_j."""
    r = a["r"]
    c = cp.Variable((len(r), 2))
    c.value = a["start"]
    i, j = np.triu_indices(len(r), 1)
    half = cp.max(cp.max(cp.abs(c), axis=1) + r)
    rows = [cp.norm(c[int(p)] - c[int(q)]) >= r[p] + r[q] for p, q in zip(i, j, strict=True)]
    return cp.Problem(cp.Minimize(half), rows), c


def bus(a: Any) -> tuple[Any, Any]:
    """A voltage of at least ``low``."""
    x = cp.Variable(3)
    x.value = a["start"]
    e, f, q = x[0], x[1], x[2]
    g, b = float(a["g"]), float(a["b"])
    size = cp.sum_squares(x[:2])
    rows = [
        g * size - g * e + b * f + float(a["p"]) <= 0,
        b * size - b * e - g * f + float(a["q"]) - q <= 0,
        size <= float(a["high"]) ** 2,
        size >= float(a["low"]) ** 2,
        q >= 0,
    ]
    cost = g * (cp.square(1 - e) + cp.square(f)) + float(a["price"]) * q
    return cp.Problem(cp.Minimize(cost), rows), x


def main(paths: list[str]) -> None:
    """Solve and print."""
    warnings.simplefilter("ignore")
    found = []
    for path in paths:
        with np.load(path, allow_pickle=False) as arrays:
            a = {name: arrays[name] for name in arrays.files}
        kind = str(a["kind"])
        problem, x = {"qp": qp, "capped": capped, "packing": packing, "bus": bus}[kind](a)
        price = {"tau_ini": 2.0} if kind in ("qp", "capped") else {}
        started = time.process_time()
        try:
            problem.solve(method="dccp", solver=cp.CLARABEL, **price)
            said = str(problem.status)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        seconds = time.process_time() - started
        point = None if x.value is None else np.ravel(x.value).tolist()
        found.append({"seconds": seconds, "x": point, "said": said})
    print(json.dumps(found))


main(sys.argv[1:])
