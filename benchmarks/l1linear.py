"""Linear models with few features: column generation against HiGHS on the whole program and others.

python benchmarks/l1linear.py [--case NAME]... [--peer NAME]... [--limit 300] [--python PYTHON]
PYTHON is an interpreter with skglm. Each row is a new process that generates the data again. The
gap of a point is the gap between its recomputed objective and radprog's certified bound. LinearSVC
minimises another function (squared hinge), and SGD ends early; their gaps measure the distance of
their points.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from measure import child, peak_mb, stopwatch
from scipy import sparse

CASES: dict[str, tuple[str, str, int, int, float]] = {  # kind, loss, rows, features, beta
    "hinge-300-1e3": ("dense", "hinge", 300, 1_000, 0.1),
    "hinge-300-1e4": ("dense", "hinge", 300, 10_000, 0.1),
    "hinge-300-1e5": ("dense", "hinge", 300, 100_000, 0.1),
    "hinge-2000-1e4": ("dense", "hinge", 2_000, 10_000, 0.05),
    "hinge-20000-1e3": ("dense", "hinge", 20_000, 1_000, 0.02),
    "quantile-300-1e4": ("dense", "quantile", 300, 10_000, 0.1),
    "quantile-300-2e4": ("dense", "quantile", 300, 20_000, 0.1),
    "quantile-2000-1e4": ("dense", "quantile", 2_000, 10_000, 0.05),
    "quantile-20000-50": ("dense", "quantile", 20_000, 50, 1e-3),
    "noise-2000-1e4": ("noise", "quantile", 2_000, 10_000, 0.015),
    "text-2000-2e4": ("text", "hinge", 2_000, 20_000, 5e-4),
    "text-2000-1e5": ("text", "hinge", 2_000, 100_000, 5e-4),
    "text-20000-1e5": ("text", "hinge", 20_000, 100_000, 2e-4),
}
HIGHS = {
    "highs simplex": {"solver": "simplex", "simplex_strategy": 1},
    "highs primal simplex": {"solver": "simplex", "simplex_strategy": 4},
    "highs ipm": {"solver": "ipm"},
    "highs ipm, no crossover": {"solver": "ipm", "run_crossover": "off"},
    "highs hipo": {"solver": "hipo", "run_crossover": "off"},
}
OTHERS = {"hinge": ["LinearSVC", "SGD"], "quantile": ["QuantileRegressor", "skglm"]}
Point = tuple[np.ndarray, float]
spent: dict[str, float] = {}


@contextmanager
def timed() -> Iterator[None]:
    """The fit alone, without the data set or program that is made for it, and the memory then."""
    with stopwatch() as taken:
        yield
    spent.update(taken, peak_mb=peak_mb())


def data_of(case: str) -> tuple[Any, np.ndarray]:
    """X (n, p) dense or CSR, y (n,): -1 and +1, or numbers with noise of heavy tails."""
    kind, loss, n, p, _ = CASES[case]
    if kind == "text":
        from table_generators import sparse_text

        data = sparse_text(n, p)
        # scikit-learn's liblinear needs indices of 32 bits, which this constructor takes
        parts = data.X.data, data.X.indices, data.X.indptr
        return sparse.csr_matrix(parts, shape=data.X.shape), data.signs
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    if kind == "noise":
        return X, rng.standard_normal(n)
    f = X[:, :10].sum(axis=1)
    if loss == "hinge":
        return X, np.where(f + rng.standard_normal(n) > 0, 1.0, -1.0)
    return X, f + rng.standard_t(3, n)


def by_radprog(X: Any, y: np.ndarray, loss: str, beta: float, limit: float) -> Point:
    """Column generation with the default settings."""
    import radprog as rp
    from radprog.instances.sparse import linear_data

    data = linear_data(X, y, numbers=loss != "hinge", weights=None)
    with timed():
        run = rp.fit(rp.L1Linear(loss=loss, beta=beta), data, time_limit=limit)
    w = np.zeros(X.shape[1])
    w[run.fit.features] = run.fit.w
    spent["bound"] = run.bound
    return w, run.fit.bias


def by_highs(
    X: Any, y: np.ndarray, loss: str, beta: float, limit: float, options: dict[str, Any]
) -> Point:
    """The whole program: variables w+, w-, b, losses over and, of a quantile, under."""
    import highspy

    n, p = X.shape
    s = y if loss == "hinge" else np.ones(n)
    target = np.ones(n) if loss == "hinge" else y
    signed = sparse.csc_array(sparse.diags_array(s) @ sparse.csc_array(X))
    parts = [signed, -signed, sparse.csc_array(s[:, None]), sparse.eye_array(n)]
    costs = [np.full(2 * p, beta), [0.0], np.full(n, 1.0 / n if loss == "hinge" else 0.5 / n)]
    if loss != "hinge":
        parts.append(-sparse.eye_array(n))
        costs.append(np.full(n, 0.5 / n))
    matrix, cost = sparse.csc_array(sparse.hstack(parts)), np.concatenate(costs)
    lower = np.zeros(len(cost))
    lower[2 * p] = -np.inf
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), n
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, np.full(len(cost), np.inf)
    lp.row_lower_ = target
    lp.row_upper_ = np.full(n, np.inf) if loss == "hinge" else target
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("time_limit", limit)
    for name, value in options.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise SystemExit(f"highs has no {name} {value}")
    highs.passModel(lp)
    with timed():
        highs.run()
    x = np.array(highs.getSolution().col_value)
    if len(x) == 0:
        raise SystemExit(f"no point: {highs.modelStatusToString(highs.getModelStatus())}")
    return x[:p] - x[p : 2 * p], float(x[2 * p])


def by_scikit_learn(name: str, X: Any, y: np.ndarray, beta: float) -> Point:
    """Its learners at the same price."""
    n = len(y)
    if name == "LinearSVC":
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            penalty="l1", dual=False, C=1.0 / (n * beta), max_iter=5000, random_state=0
        ).fit(X, y)
        return model.coef_[0], float(model.intercept_[0])
    if name == "SGD":
        from sklearn.linear_model import SGDClassifier

        model = SGDClassifier(
            loss="hinge", penalty="l1", alpha=beta, max_iter=1000, random_state=0
        ).fit(X, y)
        return model.coef_[0], float(model.intercept_[0])
    from sklearn.linear_model import QuantileRegressor

    model = QuantileRegressor(quantile=0.5, alpha=beta, solver="highs").fit(X, y)
    return model.coef_, float(model.intercept_)


def by_skglm(X: Any, y: np.ndarray, beta: float) -> Point:
    """Its primal-dual coordinate descent over a working set."""
    from skglm.experimental.pdcd_ws import PDCD_WS
    from skglm.experimental.quantile_regression import Pinball
    from skglm.penalties import L1
    from skglm.utils.jit_compilation import compiled_clone

    # no intercept there: y is centred by its median
    centre = float(np.median(y))
    X = np.asfortranarray(X)
    datafit, penalty = compiled_clone(Pinball(0.5)), compiled_clone(L1(beta))
    warm = PDCD_WS(max_iter=10)
    warm.solve(X[:50], y[:50] - centre, datafit, penalty)  # compiled before it is timed
    with timed():
        w = PDCD_WS(max_iter=1000, tol=1e-6).solve(X, y - centre, datafit, penalty)[0]
    return w, centre


def one(case: str, peer: str, limit: str = "300") -> dict[str, Any]:
    """One row, in this process: seconds, and the objective of the point."""
    X, y = data_of(case)
    _, loss, *_, beta = CASES[case]
    if peer == "radprog":
        import radprog.papers.linear  # noqa: F401 - imports are not timed

        w, bias = by_radprog(X, y, loss, beta, float(limit))
    elif peer in HIGHS:
        w, bias = by_highs(X, y, loss, beta, float(limit), HIGHS[peer])
    elif peer == "skglm":
        w, bias = by_skglm(X, y, beta)
    else:
        import sklearn.linear_model
        import sklearn.svm  # noqa: F401

        with timed():
            w, bias = by_scikit_learn(peer, X, y, beta)
    note = f"{np.count_nonzero(np.abs(w) > 1e-9)} features"
    return {**spent, "objective": value(X, y, loss, beta, w, bias), "note": note}


def value(X: Any, y: np.ndarray, loss: str, beta: float, w: np.ndarray, bias: float) -> float:
    """The objective of a point."""
    f = np.asarray(X @ w).ravel() + bias
    losses = np.maximum(0.0, 1.0 - y * f) if loss == "hinge" else 0.5 * np.abs(y - f)
    return float(losses.mean() + beta * np.abs(w).sum())


def rows_of(case: str, peers: list[str], limit: float, python: str) -> None:
    """All rows of a case, printed as they are there."""
    loss = CASES[case][1]
    for peer in ["radprog", *(peer for peer in peers if peer != "radprog")]:
        if peer not in ["radprog", *HIGHS, *OTHERS[loss]]:
            continue
        runner = python if peer == "skglm" else sys.executable
        call = [runner, __file__, "--child", case, peer, str(limit)]
        try:
            done = subprocess.run(
                call, capture_output=True, text=True, timeout=limit + 60, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"| {case} | {peer} | > {limit + 60:.0f} | | | |", flush=True)
            continue
        if done.returncode:
            print(f"| {case} | {peer} | {(done.stderr.strip() or '?').splitlines()[-1][:60]} |")
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        if peer == "radprog":
            ours = row
        gap = (row["objective"] - ours["bound"]) / row["objective"]
        times = row["cpu"] / ours["cpu"]
        print(
            f"| {case} | {peer} | {row['cpu']:.2f} | {times:.1f} | {gap:.1e} | {row['note']} |",
            flush=True,
        )


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(lambda: one(*sys.argv[2:]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    known = ["radprog", *HIGHS, *OTHERS["hinge"], *OTHERS["quantile"]]
    parser.add_argument("--case", action="append", choices=list(CASES))
    parser.add_argument("--peer", action="append", choices=known)
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    print("| case | method | cpu s | times ours | verified gap | |\n|---|---|---:|---:|---:|---|")
    for case in options.case or CASES:
        rows_of(case, options.peer or known, options.limit, options.python)


if __name__ == "__main__":
    main()
