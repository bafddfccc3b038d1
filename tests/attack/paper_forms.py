"""Every form of every model as an .lp file on small random data, solved by SCIP.

python tests/attack/paper_forms.py --count 5 --seed 0 [--forms mkl-primal,cdsk-labels]

One line for each file whose optimum by SCIP differs from the value in its names.json; exit code 1
where there is one.
"""

import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from script_options import read_options

import radprog as rp
from radprog.catalog import CATALOG
from radprog.solvers.program import Status

Drawn = tuple[str, str, dict[str, Any], Any]  # model, form, options, data
KERNELS = ("poly:1-3", "rbf:0.1,rbf:1", "linear,rbf:0.5", "rbf:1e-2..1e1", "poly:1-2,laplace:1")
ONE_KERNEL = ("rbf:0.5", "poly:2", "linear", "laplace:0.5")
# Options of a form, where others have no such form, or a program that SCIP does not close soon.
FIXED: dict[tuple[str, str], dict[str, Any]] = {
    ("mkl", "primal"): {"variant": ("conv", "lp"), "norm": (1.0, 2.0)},
    ("mkl", "qcqp"): {"variant": ("conv", "lp"), "norm": (1.0, 2.0)},
    ("mkl", "silp"): {"variant": ("conv", "lp"), "norm": (1.0, 2.0)},
    ("mkl", "svm"): {"variant": ("conv", "lp", "unif")},
    ("mkl", "step"): {"variant": ("dc",), "norm": (1.0, 2.0)},
    ("mkl", "multiclass"): {"variant": ("conv", "lp", "unif"), "loss": ("hinge",)},
    ("mkl", "dc"): {"variant": ("dc",), "kernels": ("linear,rbf:0.5",), "theta": (1,)},
    ("vkr", "margin"): {"rho": (0.5, 2.0)},
    ("l1svm", "margin"): {"rho": (0.5, 2.0)},
    ("lpboost", "weak-rkhs"): {"learner": ("rkhs",)},
    ("lpboost", "weak-minnorm"): {"learner": ("rkhs",)},
    ("svr", "step"): {"C": (0.1, 1.0, 10.0)},
    ("svr", "step-dual"): {"C": (0.1, 1.0, 10.0)},
    ("complexity", "step"): {"A": (0.01, 0.1)},
    ("complexity", "step-dual"): {"A": (0.01, 0.1)},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "vkr": {"kernels": KERNELS, "lam": (1e-3, 1e-2), "beta": (1e-4, 1e-2)},
    "l1svm": {"kernels": ONE_KERNEL, "beta": (1e-3, 1e-1)},
    "svm": {"kernels": ONE_KERNEL, "C": (0.1, 1.0, 10.0)},
    "simsvm": {"kernels": ONE_KERNEL, "lam": (1e-3, 1e-1), "no_bias": (False, True)},
    "l1linear": {"beta": (1e-2, 1e-1), "signs": ("free", "nonnegative")},
    "mkl": {"kernels": KERNELS, "C": (0.1, 1.0, 10.0), "loss": ("hinge", "squared"),
            "no_bias": (False, True)},
    "lpboost": {"length": (3, 4), "nu": (0.2, 0.5)},
    "svr": {"gamma": (0.3, 1.0), "eps_low": (0.0, 0.1)},
    "complexity": {"gamma": (0.3, 1.0), "trials": (2,)},
    "cdsk": {"clusters": (2,), "bandwidth": ("median", "auto")},
    "lpdsk": {"bandwidth": ("median",)},
}  # fmt: skip
FEW = ("labels", "general", "joint", "global", "weak-l1-mip", "dc")  # forms of few points


def similarity_file(X: Any, folder: Path, *, signed: bool) -> str:
    """A symmetric similarity of the points in a file."""
    S = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    if signed:
        S *= np.cos(X[:, :1] - X[:, :1].T)
    np.save(folder / "S.npy", S)
    return str(folder / "S.npy")


def data_of(model: str, n: int, rng: np.random.Generator) -> Any:
    """Small data of a model: two noisy classes, series of two kinds, a noisy sine, few labels."""
    X = rng.normal(size=(n, 2)).round(2)
    codes = (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)
    codes[:2] = 0, 1
    scale = str(rng.choice(["standard", "unit", "ball", "none"]))
    if model == "lpboost":
        steps = np.where(np.arange(8) >= rng.integers(2, 6, n)[:, None], 2 * codes[:, None] - 1, 0)
        return rp.series((steps + 0.4 * rng.normal(size=steps.shape)).round(2), codes)
    if model in ("svr", "complexity"):
        targets = (np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)).round(2)
        return rp.regression_data(X, targets, scale=scale)
    if model == "cdsk":
        return rp.partly_labelled(X, scale=scale)
    if model == "lpdsk":
        known = [str(k) if i < 3 or rng.random() < 0.2 else None for i, k in enumerate(codes)]
        return rp.partly_labelled(X, known, scale=scale)
    return rp.dataset(X, codes, scale=scale)


def draws(seed: int, folder: Path, only: Iterable[str] = ()) -> Iterator[Drawn]:
    """One draw of every form of every model."""
    for model, entry in CATALOG.items():
        for form in entry.forms:
            if only and f"{model}-{form}" not in only:
                continue
            rng = np.random.default_rng([seed, *map(ord, model + form)])
            n = int(rng.integers(5, 7) if form in FEW else rng.integers(8, 16))
            data = data_of(model, n, rng)
            choices = OPTIONS[model] | FIXED.get((model, form), {})
            options = {key: values[rng.integers(len(values))] for key, values in choices.items()}
            if form == "general":
                options.pop("bandwidth")
                options["similarity"] = similarity_file(data.X, folder, signed=model == "cdsk")
            yield model, form, options, data


def examine(drawn: Drawn, folder: Path, seconds: float = 30.0) -> str:
    """What is wrong with a file, its status if SCIP did not end, or an empty string."""
    model, form, options, data = drawn
    path, name = folder / "p.lp", f"{model}-{form} {options}"
    try:
        built = rp.build(getattr(rp, CATALOG[model].spec.__name__)(**options), data, form=form)
        rp.export(built, path, expected=True)
    except rp.RadprogError as error:
        return f"{name}: none: {error}"
    verdict = rp.verify(path, "scip", time_limit=seconds)
    if verdict.agrees:
        return ""
    # no value to compare with: the expected one is not proved, quadratic rows are not evaluated
    unchecked = verdict.answer.status is Status.OPTIMAL and not verdict.evaluated
    unchecked = unchecked and verdict.difference is None
    word = "cut off" if verdict.cut_off else "unchecked" if unchecked else "DIFFERS"
    return f"{name}: {word}: {verdict.answer.status} {verdict.objective}, off {verdict.difference}"


def main() -> int:
    """Print what differs."""
    options = read_options(__doc__, count=5, forms="")
    warnings.simplefilter("ignore")
    wrong, files = 0, 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(options.seed, options.seed + options.count):
            for drawn in draws(seed, Path(name), [*filter(None, options.forms.split(","))]):
                found = examine(drawn, Path(name))
                files += ": none:" not in found
                wrong += "DIFFERS" in found
                if found:
                    print(seed, found, flush=True)
    print(f"{files} files, {wrong} DIFFER")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
