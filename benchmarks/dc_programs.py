"""A hundred random programs with concave parts: their data, Pyomo models and values.

- ``qp``: min 1/2 x'Qx + c'x over a polytope, with indefinite Q, split by its eigenvalues;
- ``capped``: least squares with the capped norm lam sum_j min(|w_j|, theta), split as
  |w| - max(|w| - theta, 0);
- ``packing``: ten circles of given radii in the smallest square, as in the convex-concave
  literature;
- ``bus``: two buses and one line: the smallest cost of compensation and losses for a load, with a
  lower bound on the voltage, which is a reverse convex row.

All data of a program are arrays, so that a peer reads the same program from an .npz file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

KINDS = ("qp", "capped", "packing", "bus")
EACH = 25
Arrays = Mapping[str, Any]


def drawn(kind: str, seed: int) -> dict[str, Any]:
    """The arrays of a program; ``start``: where all methods begin."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    return {"qp": _qp, "capped": _capped, "packing": _packing, "bus": _bus}[kind](rng)


def _qp(rng: np.random.Generator) -> dict[str, Any]:
    n, m = 12, 8
    V = np.linalg.qr(rng.normal(size=(n, n)))[0]
    eigenvalues = rng.normal(size=n)
    A = rng.uniform(0, 1, size=(m, n))
    return {
        "V": V,
        "eigenvalues": eigenvalues,
        "c": rng.normal(size=n),
        "A": A,
        "b": A.sum(axis=1) * 0.6,
        "start": np.full(n, 0.3) + rng.uniform(-0.1, 0.1, size=n),
    }


def _capped(rng: np.random.Generator) -> dict[str, Any]:
    n, d = 60, 15
    X, w = rng.normal(size=(n, d)), np.zeros(d)
    w[:4] = rng.choice([-1, 1], 4) * rng.uniform(0.5, 2, 4)
    y = X @ w + 0.3 * rng.normal(size=n)
    return {"X": X, "y": y, "lam": 0.2, "theta": 0.4, "start": rng.normal(size=d)}


def _packing(rng: np.random.Generator) -> dict[str, Any]:
    return {"r": rng.uniform(1, 2, size=10), "start": rng.uniform(-5, 5, size=(10, 2))}


def _bus(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "g": rng.uniform(1, 3),
        "b": rng.uniform(5, 12),
        "p": rng.uniform(0.3, 0.8),
        "q": rng.uniform(0.1, 0.5),
        "price": rng.uniform(0.02, 0.2),
        "low": 0.97,
        "high": 1.05,
        "start": np.array([0.5, -0.5, 1.0]) + rng.uniform(-0.2, 0.2, size=3),
    }


def valued(kind: str, a: Arrays, x: Any) -> tuple[float, float]:
    """Objective at x, and the largest violation of a row or bound."""
    x = np.asarray(x, dtype=float)
    if kind == "qp":
        z = a["V"].T @ x
        return (
            float(0.5 * a["eigenvalues"] @ z**2 + a["c"] @ x),
            float(max((a["A"] @ x - a["b"]).max(), -x.min(), x.max() - 1)),
        )
    if kind == "capped":
        loss = 0.5 * ((a["X"] @ x - a["y"]) ** 2).mean()
        return float(loss + a["lam"] * np.minimum(np.abs(x), a["theta"]).sum()), 0.0
    if kind == "packing":
        c, r = x.reshape(-1, 2), a["r"]
        i, j = np.triu_indices(len(r), 1)
        apart = r[i] + r[j] - np.linalg.norm(c[i] - c[j], axis=1)
        return float((np.abs(c) + r[:, None]).max()), float(apart.max())
    e, f, q = x
    g, b, size = float(a["g"]), float(a["b"]), e**2 + f**2
    rows = (
        g * size - g * e + b * f + a["p"],
        b * size - b * e - g * f + a["q"] - q,
        a["low"] ** 2 - size,
        size - a["high"] ** 2,
        -q,
    )
    return float(g * ((1 - e) ** 2 + f**2) + a["price"] * q), float(max(rows))


def pyomo_model(kind: str, a: Arrays, concave: Any) -> tuple[Any, Any]:
    """The program, its concave parts in ``concave``, at its start; and its point as an array."""
    import pyomo.environ as pyo

    model, start = pyo.ConcreteModel(), np.asarray(a["start"]).ravel().tolist()
    bounds = (0, 1) if kind == "qp" else (None, None)
    model.x = pyo.Var(range(len(start)), bounds=bounds, initialize=dict(enumerate(start)))
    {"qp": _qp_model, "capped": _capped_model, "packing": _packing_model, "bus": _bus_model}[kind](
        model, a, concave
    )
    return model, lambda values: [values[v.name] for v in model.x.values()]


def _qp_model(model: Any, a: Arrays, concave: Any) -> None:
    import pyomo.environ as pyo

    n, x = len(a["c"]), list(model.x.values())
    z = [sum(float(a["V"][i, k]) * x[i] for i in range(n)) for k in range(n)]
    up = [(float(v), z[k]) for k, v in enumerate(a["eigenvalues"]) if v > 0]
    down = [(float(v), z[k]) for k, v in enumerate(a["eigenvalues"]) if v < 0]
    model.rows = pyo.Constraint(
        range(len(a["b"])),
        rule=lambda m, i: sum(float(a["A"][i, j]) * x[j] for j in range(n)) <= float(a["b"][i]),
    )
    model.f = pyo.Objective(
        expr=sum(0.5 * v * t**2 for v, t in up)
        + sum(float(a["c"][j]) * x[j] for j in range(n))
        + concave(sum(0.5 * v * t**2 for v, t in down))
    )


def _capped_model(model: Any, a: Arrays, concave: Any) -> None:
    import pyomo.environ as pyo

    (n, d), lam, theta = a["X"].shape, float(a["lam"]), float(a["theta"])
    model.size = pyo.Var(range(d), bounds=(0, None), initialize=lambda m, j: abs(m.x[j].value))
    model.rest = pyo.Var(range(n), initialize=0.0)
    model.fit = pyo.Constraint(
        range(n),
        rule=lambda m, i: (
            m.rest[i] == sum(float(a["X"][i, j]) * m.x[j] for j in range(d)) - float(a["y"][i])
        ),
    )
    for row in model.fit.values():
        i = row.index()
        model.rest[i] = float(a["X"][i] @ a["start"] - a["y"][i])
    model.above = pyo.Constraint(range(d), rule=lambda m, j: m.x[j] <= m.size[j])
    model.below = pyo.Constraint(range(d), rule=lambda m, j: -m.x[j] <= m.size[j])

    def beyond(w: Any) -> Any:
        over = abs(w) - theta
        return (over + abs(over)) / 2

    model.f = pyo.Objective(
        expr=sum(r**2 for r in model.rest.values()) * (0.5 / n)
        + lam * sum(model.size.values())
        + concave(-lam * sum(beyond(model.x[j]) for j in range(d)))
    )


def _packing_model(model: Any, a: Arrays, concave: Any) -> None:
    import pyomo.environ as pyo

    r, x = a["r"].tolist(), model.x
    model.half = pyo.Var(initialize=10.0)
    each = [(i, k) for i in range(len(r)) for k in range(2)]
    model.right = pyo.Constraint(each, rule=lambda m, i, k: x[2 * i + k] + r[i] <= m.half)
    model.left = pyo.Constraint(each, rule=lambda m, i, k: r[i] - x[2 * i + k] <= m.half)
    model.apart = pyo.Constraint(
        [(i, j) for i in range(len(r)) for j in range(i)],
        rule=lambda m, i, j: (
            (r[i] + r[j]) ** 2 + concave(-sum((x[2 * i + k] - x[2 * j + k]) ** 2 for k in range(2)))
            <= 0
        ),
    )
    model.f = pyo.Objective(expr=model.half)


def _bus_model(model: Any, a: Arrays, concave: Any) -> None:
    import pyomo.environ as pyo

    e, f, q = model.x.values()
    g, b = float(a["g"]), float(a["b"])
    size = e**2 + f**2
    q.setlb(0.0)
    model.power = pyo.Constraint(expr=g * size - g * e + b * f + float(a["p"]) <= 0)
    model.imaginary = pyo.Constraint(expr=b * size - b * e - g * f + float(a["q"]) - q <= 0)
    model.high = pyo.Constraint(expr=size <= float(a["high"]) ** 2)
    model.low = pyo.Constraint(expr=float(a["low"]) ** 2 + concave(-(e**2 + f**2)) <= 0)
    model.f = pyo.Objective(expr=g * ((1 - e) ** 2 + f**2) + float(a["price"]) * q)
