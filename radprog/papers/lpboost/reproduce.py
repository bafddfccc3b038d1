"""The computation of Boosting the Kernelized Shapelets, Table 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr
from scipy.stats import binomtest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from radprog.analysis.grids import parse_grid
from radprog.base.types import FloatArray
from radprog.decompositions.lpboost.ensemble import PatternGroup
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags
from radprog.instances.series import read_series
from radprog.models.lpboost.settings import LPBoost
from radprog.reproducing import DECLARED, Job, Row, beside, table, tables
from radprog.tuning import tune_by_folds

MIXED = "0.1,0.2,0.3,0.4"
NUS = "nu=0.2,0.15,0.1"
# Grid and fixed options of each computed row; without a grid nothing is tuned.
METHODS: Mapping[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "four lengths, nothing tuned": ((), {"length": MIXED}),
    "four lengths, nu by CV": ((NUS,), {"length": MIXED}),
    "one length and nu by CV": ((f"length={MIXED.replace(',', ';')}", NUS), {}),
    "its own: l1 balls, length and nu by CV": (
        (f"length={MIXED.replace(',', ';')}", NUS),
        {"learner": "l1"},
    ),
}
# Accuracies in per cent: the paper's method, then IG-SVM, LTS and FLAG as it quotes them.
PAPER = DECLARED["lpboost-table1"]["printed"]
FOLDS, QUICK_FOLDS = 5, 3
IG_SVM = "IG-SVM, run here"
KEPT = 10  # most shapelets of IG-SVM per series


def information_gains(F: FloatArray, y: FloatArray) -> FloatArray:
    """The information gain (n,) of the best threshold for each row of F (n, m), for labels y
    (m,).
    """

    def entropy(p: FloatArray) -> FloatArray:
        return np.asarray(entr(p) + entr(1.0 - p))

    # the number of positive labels among the k least values of a row
    m, order = len(y), F.argsort(axis=1)
    k, positive = np.arange(1, m), (y[order] > 0).cumsum(axis=1)
    left, right = positive[:, :-1] / k, (positive[:, -1:] - positive[:, :-1]) / (m - k)
    after = (k * entropy(left) + (m - k) * entropy(right)) / m
    # no threshold lies between equal values
    before = entropy(positive[:, -1] / m)
    equal = np.diff(np.take_along_axis(F, order, axis=1), axis=1) <= 0
    return np.asarray(before - np.where(equal, before[:, None], after).min(axis=1))


def ig_svm(train: Bags, test: Bags) -> FloatArray:
    """The labels in {-1, +1} that IG-SVM predicts for the test series.

    IG-SVM is a linear support vector machine. Its features are the distances to z-normalised
    shapelets. These are the shapelets with the largest information gains. Two shapelets of the same
    series never overlap.
    """
    spec = LPBoost(pattern_kernel="distance", length=MIXED, normalize=True)
    families, m = assemble(spec, train).families, train.rows
    gains = np.concatenate([information_gains(f.features, train.signs) for f in families])
    ends = np.cumsum([family.n for family in families])
    # in order of their gains, unless a better shapelet of the series overlaps
    free, chosen = np.ones((m, train.span), dtype=bool), [list[int]() for _ in families]
    for place in np.argsort(-gains, kind="stable").tolist():
        f = int(np.searchsorted(ends, place, side="right"))
        k = place - int(ends[f]) + families[f].n
        series, at = divmod(k, families[f].n // m)
        window = free[series, at : at + families[f].cut.length]
        if window.all():
            window[:] = False
            chosen[f].append(k)
        if sum(map(len, chosen)) == KEPT * m:
            break
    groups = [
        PatternGroup(
            cut=family.cut, kernel=family.kernel, shift=family.shift,
            patterns=family.stacked[kept], alpha=np.eye(len(kept)), weights=np.ones(len(kept)),
            origin=np.zeros((len(kept), 2), dtype=np.intp),
        )
        for family, kept in zip(families, chosen, strict=True) if kept
    ]  # fmt: skip

    def distances(data: Bags) -> FloatArray:
        parts = (g.values(g.cut.patterns(data.X, data.kind, normalize=True)) for g in groups)
        return np.hstack(list(parts))

    model = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    return np.asarray(model.fit(distances(train), train.signs).predict(distances(test)))


def rows(job: Job) -> Iterator[Row]:
    """Table 1: accuracy on the test series in per cent.

    The files are ucr/NAME_TRAIN.tsv and NAME_TEST.tsv, the splits of the archive. Label 1 is the
    class +1. Settings are chosen by stratified cross-validation on the training series.
    """
    pairs = {
        name: [job.file("ucr", f"{name}_{part}.tsv") for part in ("TRAIN", "TEST")]
        for name in job.sets
    }
    settings = RunSettings(seed=job.seed, interrupted=job.interrupted)
    folds = QUICK_FOLDS if job.quick else FOLDS
    quick = {NUS: "nu=0.2", f"length={MIXED.replace(',', ';')}": "length=0.2;0.4"}
    grids = {
        name: parse_grid("lpboost", [quick.get(axis, axis) if job.quick and base.get("learner")
                                     else axis for axis in grid], base)
        for name, (grid, base) in METHODS.items()
    }  # fmt: skip
    # one fit for each row, and those of its cross-validation
    fits = sum(1 + (folds * len(specs) if len(specs) > 1 else 0) for specs in grids.values())
    job.total = len(pairs) * (1 + fits)
    for name, (first, second) in pairs.items():
        train: Any = read_series(first, positive=1)
        test = read_series(second, like=train)
        peer = ig_svm(train, test) != test.targets
        job.step(f"{name}, {IG_SVM}")
        ours, *quoted = PAPER[name]
        about = dict(zip(("paper_ig_svm", "paper_lts", "paper_flag"), quoted, strict=True))
        yield {"set": name, "method": IG_SVM, **_scored(peer, quoted[0]), **about}
        for method, specs in grids.items():
            label = f"{name}, {method}"
            # settings by cross-validation on the training series
            spec, ties = specs[0], None
            if len(specs) > 1:
                tuned = tune_by_folds(
                    "lpboost",
                    specs,
                    train,
                    job.settings(label),
                    folds=folds,
                    watch=job.watcher(label),
                )
                job.check()
                spec, ties = specs[tuned["best_index"]], tuned["ties"]
            # fit on all of them; accuracy on the test series
            run = fit_lpboost(spec, train, settings)
            job.step(label)
            wrong = run.fit.predict(test.X) != test.targets
            won, lost, p = mcnemar(wrong, peer)
            yield {
                "set": name,
                "method": method,
                **_scored(wrong, ours),
                **about,
                "won": won,
                "lost": lost,
                "p": p,
                "params": _varied(spec),
                "ties": ties,
                "certified": run.certified,
                "hypotheses": run.summary["hypotheses"],
                "nonzero_share": 100 * run.summary["nonzero_share"],
            }


def mcnemar(wrong: NDArray[np.bool_], peer: NDArray[np.bool_]) -> tuple[int, int, float]:
    """The number of errors of only ``peer``, the number of errors of only ``wrong``, and a p value.

    The p value comes from McNemar's exact test of equal probabilities.
    """
    won, lost = int((peer & ~wrong).sum()), int((wrong & ~peer).sum())
    return won, lost, float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def _scored(wrong: NDArray[np.bool_], quoted: float) -> dict[str, object]:
    """Accuracy in per cent beside the paper's.

    The binomial standard error is computed after adding one right and one wrong answer.
    ``wrong_rows`` are the indices of the wrongly predicted test series.
    """
    n, right = len(wrong), int((~wrong).sum())
    spread = (right + 1) / (n + 2)
    return {
        "accuracy": 100 * right / n,
        "standard_error": 100 * math.sqrt(spread * (1 - spread) / n),
        "test_series": n,
        "wrong_rows": np.flatnonzero(wrong).tolist(),
        "paper_accuracy": quoted,
        "difference": 100 * right / n - quoted,
    }


def _varied(spec: LPBoost) -> dict[str, object]:
    """The chosen length and nu."""
    return {key: value for key, value in asdict(spec).items() if key in ("length", "nu")}


PLOTTER = beside("accuracy", "standard_error", "paper_accuracy", "test accuracy %")
TABLES = tables(table("lpboost-table1", rows, PLOTTER))
