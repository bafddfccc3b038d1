"""The computation of Voted Kernel Regularization, Table 1, and of its Gaussian kernel
experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from radprog.analysis.grids import parse_grid
from radprog.instances.dataset import read
from radprog.reproducing import DECLARED, Job, Row, beside, table, tables
from radprog.tuning import tune_by_folds

DECADES = "1e0..1e-6:7"
CS = "C=1e-4..1e7:12"
GAUSSIAN = "rbf:1e-6..1e0"
LIBSVM_STEPS = 100_000  # limit for the L2-SVM: at the largest C no solver finishes in useful time


@dataclass(frozen=True)
class Method:
    """One method of the table: model, fixed options, grid."""

    name: str
    model: str
    base: Mapping[str, Any]
    grid: tuple[str, ...]

    @property
    def voted(self) -> bool:
        """Whether the paper proposes the method."""
        return self.model == "vkr"


METHODS = (
    Method("L2 SVM", "svm", {}, ("kernels=poly:1-10", CS)),
    Method("L1 SVM", "l1svm", {}, ("kernels=poly:1-10", f"beta={DECADES}")),
    Method("VKR2", "vkr", {"complexity": "poly"}, (f"lam={DECADES}", f"beta={DECADES}")),
    Method("VKRc", "vkr", {"complexity": "trace"}, (f"lam={DECADES}", f"beta={DECADES}")),
)
GAUSSIAN_METHODS = (
    Method("L2 SVM", "svm", {}, (f"kernels={GAUSSIAN}", CS)),
    Method("L1 SVM", "l1svm", {}, (f"kernels={GAUSSIAN}", f"beta={DECADES}")),
    Method("VKRc", "vkr", {"kernels": GAUSSIAN, "complexity": "trace"},
           (f"lam={DECADES}", f"beta={DECADES}")),
)  # fmt: skip
# Test error in per cent and number of support vectors by set and method, and their deviations.
PAPER, DEVIATIONS = (DECLARED["vkr-table1"][key] for key in ("printed", "deviations"))
FOLDS, QUICK_FOLDS = 5, 3
QUICK_GRID = "1e-1..1e-5:3"


def quicker(method: Method) -> Method:
    """The method with a smaller grid: three values of every penalty, and three kernels if the grid
    varies the kernel.
    """
    grid = tuple(
        entry.replace(DECADES, QUICK_GRID)
        .replace(CS, "C=1e-1..1e3:3")
        .replace("poly:1-10", "poly:1-3")
        .replace(f"kernels={GAUSSIAN}", "kernels=rbf:1e-2..1e0")
        for entry in method.grid
    )
    return replace(method, grid=grid)


def rows(methods: Sequence[Method], quoted: bool, job: Job) -> Iterator[Row]:
    """The table, computed with five folds of one random partition on rows of unit norm.

    The chosen setting has the smallest mean validation error. The files are vkr/NAME.csv. For each
    data set and method, a row contains the test error in per cent, the number of distinct support
    vectors, and their standard deviations over the folds. If ``quoted``, the row also contains the
    paper's numbers. The row of VKR also contains the p value of the one-sided paired t-test against
    the better of the other two methods.
    """
    # the grids of all methods, with three values each if the job is quick
    paths = {name: job.file("vkr", f"{name}.csv") for name in job.sets}
    asked = [quicker(method) if job.quick else method for method in methods]
    grids = [parse_grid(method.model, method.grid, method.base) for method in asked]
    folds = QUICK_FOLDS if job.quick else FOLDS
    job.total = folds * len(paths) * sum(map(len, grids))
    for name, path in paths.items():
        data = read(path, scale="unit", missing="drop")
        others: list[Sequence[float]] = []
        for number, (method, specs) in enumerate(zip(asked, grids, strict=True)):
            label = f"{name}, {method.name}"
            settings = job.settings(label)
            if method.model == "svm":
                settings = replace(settings, solver="libsvm", max_iter=LIBSVM_STEPS)
            # five folds: one tests, the next validates, three train
            tuned = tune_by_folds(
                method.model,
                specs,
                data,
                settings,
                folds=folds,
                protocol="paper",
                watch=job.watcher(label),
            )
            job.check()
            # VKR against the better of the methods before it, by a paired test over folds
            best = tuned["best"]
            if not method.voted:
                others.append(best["test_errors"])
            paper = PAPER[name][number] if quoted else (None, None)
            deviations = DEVIATIONS[name][number] if quoted else (None, None)
            p = paired(best["test_errors"], others) if method.voted else None
            yield {
                "set": name,
                "method": method.name,
                "voted": method.voted,
                "error": 100 * best["test_error"],
                "error_std": 100 * best["test_error_std"],
                "test_errors": [100 * error for error in best["test_errors"]],
                "support_vectors": best["support_vectors"],
                "support_vectors_std": best["support_vectors_std"],
                "coefficients": best["coefficients"],
                "paper_error": paper[0],
                "difference": None if paper[0] is None else 100 * best["test_error"] - paper[0],
                "paper_error_std": deviations[0],
                "paper_support_vectors": paper[1],
                "paper_support_vectors_std": deviations[1],
                "p_value": p,
                "better": None if p is None else mark(p),
                "params": best["params"],
                "ties": tuned["ties"],
                "certified": sum(cell["certified"] for cell in tuned["cells"]),
                "cells": len(tuned["cells"]),
            }


def paired(ours: Sequence[float], others: Sequence[Sequence[float]]) -> float:
    """The p value of the one-sided paired t-test that the errors on the folds are below those of
    the best other method.

    The best method has the smallest mean error. If the difference is the same on all folds, p is 0,
    1/2 or 1, depending on the sign of the difference.
    """
    # the better of the others has the least mean error
    best = min(others, key=lambda errors: float(np.mean(errors)))
    difference = np.subtract(ours, best)
    if np.allclose(difference, difference[0]):
        return 0.5 + 0.5 * float(np.sign(difference.round(9)[0]))
    return float(stats.ttest_rel(ours, best, alternative="less").pvalue)


def mark(p: float) -> str:
    """The level that the paper marks: ``5 %`` (bold), ``10 %`` (italic) or ``no``."""
    return "5 %" if p <= 0.05 else "10 %" if p <= 0.10 else "no"


def claims(rows: Sequence[Mapping[str, Any]], *, quoted: bool = True) -> list[str]:
    """The number of sets where VKR is better, and its sparsity relative to the L2-SVM.

    If ``quoted``, the numbers of the paper's Table 1, with polynomial kernels, are beside them.
    """
    # sets with rows of VKR; the methods before it have rows, too
    names = dict.fromkeys(row["set"] for row in rows)
    whole = [name for name in names if any(r["voted"] for r in rows if r["set"] == name)]
    if not whole:
        return []
    better, tested = [], []
    for name in whole:
        voted = [row for row in rows if row["set"] == name and row["voted"]]
        other = [row for row in rows if row["set"] == name and not row["voted"]]
        if min(row["error"] for row in voted) < min(row["error"] for row in other):
            better.append(name)
        if any(row["better"] in ("5 %", "10 %") for row in voted):
            tested.append(name)
    counted, often = ("; the paper: 5 of 11", "; the paper: often up to 10 times")
    return [
        f"VKR has the least error on {len(better)} of {len(whole)} sets "
        f"({', '.join(better) or 'none'}), better at 10 % on {len(tested)} "
        f"({', '.join(tested) or 'none'})" + counted * quoted,
        f"the L2-SVM has {sparser(rows, whole)}" + often * quoted,
    ]


def sparser(rows: Sequence[Mapping[str, Any]], sets: Sequence[str]) -> str:
    """For each voted method, the ratio of the first method's support vectors to its own on each
    set, in words.
    """
    found: dict[str, list[float]] = {}
    for name in sets:
        first, *rest = (row for row in rows if row["set"] == name)
        for row in (row for row in rest if row["voted"]):
            times = first["support_vectors"] / max(row["support_vectors"], 1.0)
            found.setdefault(row["method"], []).append(times)
    return ", ".join(
        f"{min(times):.1f} to {max(times):.1f} times the support vectors of {method}"
        if len(times) > 1
        else f"{times[0]:.1f} times the support vectors of {method}"
        for method, times in found.items()
    )


def deviation(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The claims, and the distance of each set's errors from the paper's."""
    found = claims(rows)
    for name in dict.fromkeys(row["set"] for row in rows):
        off = [
            abs(r["difference"]) for r in rows if r["set"] == name and r["difference"] is not None
        ]
        if off:
            found.append(
                f"{name}: errors are {np.mean(off):.2f} points from the paper's on average"
            )
    return found


PLOTTER = beside("error", "error_std", "paper_error", "test error %")
TABLES = tables(
    table("vkr-table1", lambda job: rows(METHODS, True, job), PLOTTER, deviation),
    table(
        "vkr-gaussian",
        lambda job: rows(GAUSSIAN_METHODS, False, job),
        PLOTTER,
        partial(claims, quoted=False),
    ),
)
