"""Random instances of every model, a tenth of them badly scaled, as plain values for a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import radprog as rp
from radprog.catalog import CATALOG, Entry

KEPT = Path(__file__).resolve().parent / "kept"
#: Points of a model beyond which a run takes seconds, or its method enumerates.
MOST_POINTS = {"srm": 30, "complexity": 40, "lpboost": 30, "mkl": 100, "cdsk": 100}
FEW_POINTS = {("complexity", "exact"): 6, ("svr", "global"): 8}
FEW_POINTS |= {("cdsk", "exact"): 8, ("lpdsk", "exact"): 8, ("mkl", "global"): 5}
FEW_KERNELS = 3  # of mkl's method global
MATRIX = {"simsvm": "similarity", "lpdsk": "similarity", "cdsk": "similarity"}  # else kernels
PARTLY = ("cdsk", "lpdsk")
TARGETS = ("svr", "complexity", "srm")
Rng = np.random.Generator
Options = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One data set and the options of one model.

    X: rows of features, or series; y: labels (None: unknown), targets; matrix: a kernel or
    similarity of the rows, given as a file. harsh: badly scaled. found: what it once showed.
    """

    model: str
    options: Options
    X: list[list[float]]
    y: list[Any]
    matrix: list[list[float]] | None = None
    harsh: bool = False
    seed: int = 0
    found: list[str] = field(default_factory=list)

    @property
    def entry(self) -> Entry:
        """The row of the catalog."""
        return CATALOG[self.model]

    @property
    def rows(self) -> int:
        """Number of points."""
        return len(self.X)

    def data(self) -> Any:
        """A data set of the model's kind; DataError where there is none."""
        if self.model in PARTLY:
            return rp.partly_labelled(self.X, self.y, name="drawn")
        if self.model in TARGETS:
            return rp.regression_data(self.X, self.y, name="drawn")
        make = rp.series if self.model == "lpboost" else rp.dataset
        return make(self.X, self.y, name="drawn")

    def spec(self, folder: Path) -> Any:
        """Settings; ``folder`` gets the file of the matrix."""
        options = dict(self.options)
        if self.matrix is not None:
            path = folder / "matrix.npy"
            np.save(path, np.array(self.matrix))
            if self.model in MATRIX:
                options[MATRIX[self.model]] = os.fspath(path)
            else:
                options["kernels"] = f"file:{path}"
        return self.entry.spec(**options)

    def methods(self) -> list[str]:
        """Those that this variant and so many points allow."""
        methods = list(self.entry.methods)
        if self.model == "mkl":
            from radprog.models.mkl.settings import METHODS_OF

            methods = list(METHODS_OF[self.options["variant"]])
            if len(self.options["kernels"].split(",")) > FEW_KERNELS and "global" in methods:
                methods.remove("global")
        if self.options.get("objective", "ratio") not in ("ratio", "ise"):
            methods = ["alternate"]
        return [m for m in methods if self.rows <= FEW_POINTS.get((self.model, m), self.rows)]

    def save(self, path: Path) -> None:
        """Keep it in a file."""
        lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in asdict(self).items())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{" + ",\n".join(lines) + "}\n")

    @staticmethod
    def load(path: Path) -> Case:
        """One that was kept."""
        return Case(**json.loads(path.read_text()))


def draw(seed: int) -> Case:
    """The instance of a seed: models take turns, every tenth round is badly scaled."""
    rng = np.random.default_rng([20, seed])
    # models take turns; every tenth round has numbers of unlike sizes
    model = list(CATALOG)[seed % len(CATALOG)]
    harsh = seed // len(CATALOG) % 10 == 9
    # mostly few points, which rational arithmetic can judge; at times up to 200
    n = int(rng.integers(3, 9)) if rng.random() < 0.6 else round(10 ** rng.uniform(0.31, 2.3))
    n = max(2, min(n, MOST_POINTS.get(model, 200)))
    # points, then labels or targets that depend on the first feature
    X = _series(rng, n, harsh) if model == "lpboost" else _features(rng, n, harsh)
    y = _targets(rng, X, harsh) if model in TARGETS else _classes(rng, X)
    # a clustering knows no label, a propagation a third of them
    if model == "cdsk":
        y = [None] * n
    if model == "lpdsk":
        known = set(rng.permutation(n)[: max(2, n // 3)].tolist())
        y = [v if i in known else None for i, v in enumerate(y)]
    # settings, then a matrix in the kernel's place where the model takes one
    options = OPTIONS[model](rng, harsh, n)
    matrix = _matrix(rng, n) if _given(rng, model, options) else None
    # the penalties of a stored matrix need a price that is not 0
    if matrix is not None and model in ("vkr",):
        options["complexity"] = str(rng.choice(["none", "massart"]))
        options["beta"] = options["beta"] or 1e-3
    return Case(
        model=model, options=options, X=X.tolist(), y=y, matrix=matrix, harsh=harsh, seed=seed
    )


def _given(rng: Rng, model: str, options: Options) -> bool:
    """Whether a matrix takes the kernel's place."""
    if model == "simsvm":
        return "kernels" not in options
    able = model in ("vkr", "l1svm", "lpdsk") or options.get("objective") == "ratio"
    if not able or model == "mkl" or rng.random() > 0.25:
        return False
    # the matrix takes their place
    for name in ("bandwidth", "kernels", "neighbours"):
        options.pop(name, None)
    return True


def _features(rng: Rng, n: int, harsh: bool) -> np.ndarray:
    """Normal, on a grid or in a low-dimensional space; some rows twice."""
    d = int(rng.integers(1, 6))
    kind = rng.integers(4)
    X = rng.normal(size=(n, d)).round(int(rng.integers(1, 4)))
    # on a grid, on a line, or of full precision; else rounded
    if kind == 0:
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
    elif kind == 1:
        X = np.outer(rng.normal(size=n).round(2), rng.normal(size=d).round(1))
    elif kind == 2:
        X = rng.normal(size=(n, d))
    # a quarter of the rows equal another one
    if rng.random() < 0.5:
        X[rng.integers(n, size=max(1, n // 4))] = X[rng.integers(n)]
    if harsh:
        # features of unlike sizes, at times one constant column
        same = rng.random() < 0.5
        X = X * 10.0 ** rng.uniform(-6, 6, size=1 if same else d)
        if rng.random() < 0.2:
            X[:, rng.integers(d)] = 10.0 ** rng.uniform(-6, 6)
    return X


def _series(rng: Rng, n: int, harsh: bool) -> np.ndarray:
    X = np.cumsum(rng.normal(size=(n, int(rng.integers(4, 13)))), axis=1).round(2)
    if rng.random() < 0.3:
        X[rng.integers(n)] = X[rng.integers(n)]
    return X * 10.0 ** rng.uniform(-6, 6) if harsh else X


def _classes(rng: Rng, X: np.ndarray) -> list[int]:
    """Noisy, both there; equal rows may have different labels."""
    score = X[:, 0] / (np.abs(X[:, 0]).max() or 1.0) + rng.uniform(0, 1) * rng.normal(size=len(X))
    y = np.where(score > np.median(score), 1, -1)
    if abs(int(y.sum())) == len(y):
        y[0] = -y[0]
    return [int(v) for v in y]


def _targets(rng: Rng, X: np.ndarray, harsh: bool) -> list[float]:
    z = X[:, 0] / (np.abs(X[:, 0]).max() or 1.0)
    y = np.sin(3.0 * z) + 0.3 * rng.normal(size=len(X))
    return [float(v) for v in (y * 10.0 ** rng.uniform(-3, 3) if harsh else y.round(2))]


def _matrix(rng: Rng, n: int) -> list[list[float]]:
    """Symmetric: indefinite, of low rank, or diagonal blocks whose spectrum is rational."""
    kind = rng.integers(3)
    if kind == 0:
        S = rng.uniform(-1, 1, size=(n, n))
    elif kind == 1:
        # of low rank and of both signs
        F = rng.normal(size=(n, max(1, n // 3))).round(1)
        S = F @ np.diag(rng.choice([-1.0, 1.0], F.shape[1])) @ F.T
    else:
        # blocks [p q; q p], whose eigenvalues p + q and p - q are rational
        S = np.diag(rng.choice([-0.5, 0.25, 0.75], n))
        for i in range(0, n - 1, 2):
            S[i + 1, i + 1] = S[i, i]
            S[i, i + 1] = float(rng.choice([-1.0, 0.5, 1.0]))
    # the upper half is mirrored, so that it is symmetric to the last bit
    S = np.triu(S) + np.triu(S, 1).T
    return S.tolist()


def _price(rng: Rng, harsh: bool) -> float:
    power = rng.uniform(-9, 3) if harsh else rng.uniform(-4, 0)
    return float(f"{10.0**power:.3g}")


def _kernel(rng: Rng, harsh: bool, *more: str) -> str:
    plain = ["linear", f"poly:{rng.integers(1, 4)}", f"rbf:{10 ** rng.uniform(-2, 1):.2g}", *more]
    if harsh:
        plain += [f"poly:{rng.integers(4, 11)}", f"rbf:{10 ** rng.uniform(-9, 9):.2g}"]
    return str(rng.choice(plain))


def _vkr(rng: Rng, harsh: bool, n: int) -> Options:
    return {
        "kernels": str(rng.choice(["poly:1-3", "poly:1-10", "linear,poly:2", _kernel(rng, harsh)])),
        "complexity": str(rng.choice(["trace", "massart", "local", "none"])),
        "lam": _price(rng, harsh),
        "beta": _price(rng, harsh),
    }


def _l1svm(rng: Rng, harsh: bool, n: int) -> Options:
    return {"kernels": _kernel(rng, harsh, "laplace:0.5"), "beta": _price(rng, harsh)}


def _svm(rng: Rng, harsh: bool, n: int) -> Options:
    return {"kernels": _kernel(rng, harsh), "C": 1.0 / _price(rng, harsh)}


def _simsvm(rng: Rng, harsh: bool, n: int) -> Options:
    options: Options = {"lam": _price(rng, harsh), "no_bias": bool(rng.random() < 0.3)}
    if rng.random() < 0.5:
        options["kernels"] = _kernel(rng, harsh, "laplace:0.5")
    return options


def _mkl(rng: Rng, harsh: bool, n: int) -> Options:
    options: Options = {
        "kernels": ",".join(
            dict.fromkeys(_kernel(rng, harsh) for _ in range(int(rng.integers(1, 5))))
        ),
        "variant": str(rng.choice(["conv", "lp", "unif", "dc"], p=[0.4, 0.25, 0.1, 0.25])),
        "C": float(f"{10 ** (rng.uniform(-4, 4) if harsh else rng.uniform(-1, 2)):.3g}"),
        "loss": str(rng.choice(["hinge", "hinge", "squared"])),
        "normalize": "none" if rng.random() < 0.3 else "trace",
        "center": bool(rng.random() < 0.2),
        "no_bias": bool(rng.random() < 0.2),
    }
    if options["variant"] != "unif":
        options["norm"] = float(rng.choice([1.0, 1.0, 1.5, 2.0]))
    if options["variant"] in ("conv", "dc"):
        options["theta"] = int(rng.integers(0, 3))
        if rng.random() < 0.3:
            options["tail_budget"] = _price(rng, harsh) * n
    return options


def _lpboost(rng: Rng, harsh: bool, n: int) -> Options:
    options: Options = {
        "learner": str(rng.choice(["shapelet", "shapelet", "shapelet-plus", "l1", "rkhs"])),
        "pattern_kernel": str(rng.choice(["gauss", "linear"])),
        "length": str(rng.choice(["2", "3", "0.5", "2,4"])),
        "nu": float(rng.uniform(0.05, 1.0).__round__(2)),
    }
    if options["pattern_kernel"] == "gauss" and rng.random() < 0.5:
        options["sigma"] = float(f"{10 ** rng.uniform(-2, 1):.2g}")
    if rng.random() < 0.2:
        options["radius"] = float(f"{10 ** rng.uniform(-3, 3):.2g}")
    return options


def _loss(rng: Rng, harsh: bool) -> Options:
    return {
        "eps_low": float(rng.choice([0.0, 0.1])),
        "eps_up": float(f"{10 ** (rng.uniform(-3, 3) if harsh else rng.uniform(-1, 0.5)):.2g}"),
    }


def _svr(rng: Rng, harsh: bool, n: int) -> Options:
    name = "A" if rng.random() < 0.6 else "C"
    size = rng.uniform(-6, 6) if harsh else rng.uniform(-1, 2)
    options = {name: float(f"{10**size:.2g}"), **_loss(rng, harsh)}
    if rng.random() < 0.7:
        options["kernels"] = _kernel(rng, harsh)
    return options


def _complexity(rng: Rng, harsh: bool, n: int) -> Options:
    size = rng.uniform(-6, 6) if harsh else rng.uniform(-1, 2)
    options: Options = {"A": float(f"{10**size:.2g}"), "starts": 2, **_loss(rng, harsh)}
    options["kind"] = str(rng.choice(["rademacher", "discrepancy"])) if n % 2 == 0 else "rademacher"
    if rng.random() < 0.7:
        options["kernels"] = _kernel(rng, harsh)
    return options


def _srm(rng: Rng, harsh: bool, n: int) -> Options:
    power = 4 if harsh else 1
    gammas, As = (10.0 ** rng.uniform(-power, power, size=(2, 2))).tolist()
    return {
        "gammas": ",".join(f"{v:.2g}" for v in gammas),
        "As": ",".join(f"{v:.2g}" for v in As),
        "trials": 4,
        "folds": 2,
        "starts": 1,
        **_loss(rng, harsh),
    }


def _cdsk(rng: Rng, harsh: bool, n: int) -> Options:
    options: Options = {
        "clusters": 2,
        "objective": str(rng.choice(["ratio", "ratio", "scaled", "ncut", "ise"])),
        "lam": "auto" if rng.random() < 0.5 else 10 * _price(rng, harsh),
    }
    if rng.random() < 0.5:
        options["bandwidth"] = str(rng.choice(["0.5*median", "2*median", "1"]))
    if options["objective"] == "ratio" and rng.random() < 0.5:
        options["clusters"] = int(min(n, rng.integers(1, 4)))
    if rng.random() < 0.3:
        options["box"] = "none"
    return options


def _lpdsk(rng: Rng, harsh: bool, n: int) -> Options:
    options: Options = {"lam": "auto" if rng.random() < 0.5 else 10 * _price(rng, harsh)}
    if rng.random() < 0.5:
        options["bandwidth"] = str(rng.choice(["0.5*median", "2*median", "1"]))
    if rng.random() < 0.3:
        options["class_mass"] = True
    return options


def _l1linear(rng: Rng, harsh: bool, n: int) -> Options:
    signs = str(rng.choice(["free", "free", "nonnegative", "nonpositive"]))
    return {"beta": _price(rng, harsh), "signs": signs, "bias": bool(rng.random() < 0.7)}


OPTIONS: dict[str, Callable[[Rng, bool, int], Options]] = {
    "vkr": _vkr,
    "l1svm": _l1svm,
    "svm": _svm,
    "l1linear": _l1linear,
    "lpboost": _lpboost,
    "mkl": _mkl,
    "svr": _svr,
    "complexity": _complexity,
    "srm": _srm,
    "cdsk": _cdsk,
    "lpdsk": _lpdsk,
    "simsvm": _simsvm,
}
