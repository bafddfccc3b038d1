"""Boosting the Kernelized Shapelets, Table 1: test accuracies on UCR series.

python reproduction/lpboost_table1.py --data DIR [--sets GunPoint] [--quick] [--csv FILE]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Column, Row, Table, data_file, fit, script
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import entr
from scipy.stats import binomtest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import radprog as rp

Array = NDArray[np.float64]
# Accuracies in per cent: the paper's method; IG-SVM, LTS and FLAG as the paper quotes them.
PRINTED = {
    "GunPoint": (98.7, 100.0, 99.6, 96.7),
    "ItalyPowerDemand": (94.5, 93.7, 95.8, 94.6),
    "ECGFiveDays": (99.5, 99.0, 100.0, 92.0),
    "TwoLeadECG": (93.5, 100.0, 100.0, 99.0),
    "MoteStrain": (81.8, 88.7, 90.0, 88.8),
    "SonyAIBORobotSurface1": (93.2, 92.7, 91.0, 92.9),
}
LENGTHS = (0.1, 0.2, 0.3, 0.4)  # shares of a series
ALL_LENGTHS = ",".join(map(str, LENGTHS))
ONE_LENGTH = ";".join(map(str, LENGTHS))  # a grid of four settings
NUS = "0.2,0.15,0.1"
ITS_OWN = "its own: l1 balls, length and nu by CV"
# The fixed settings of each row and its grid; without a grid nothing is tuned.
METHODS: dict[str, tuple[rp.LPBoost, dict[str, str]]] = {
    "four lengths, nothing tuned": (rp.LPBoost(length=ALL_LENGTHS), {}),
    "four lengths, nu by CV": (rp.LPBoost(length=ALL_LENGTHS), {"nu": NUS}),
    "one length and nu by CV": (rp.LPBoost(), {"length": ONE_LENGTH, "nu": NUS}),
    ITS_OWN: (rp.LPBoost(learner="l1"), {"length": ONE_LENGTH, "nu": NUS}),
}
QUICK_GRID = {"length": "0.2;0.4", "nu": "0.2"}  # of the paper's own method
IG_SVM = "IG-SVM, run here"


def patterns(X: Array, length: int) -> Array:
    """The z-normalised windows (m, Q, length) of the series X (m, L); a flat one becomes 0."""
    windows = sliding_window_view(X, length, axis=1)
    centred = windows - windows.mean(axis=2, keepdims=True)
    deviation = centred.std(axis=2, keepdims=True)
    flat = deviation <= 1e-8 * np.abs(windows).max(axis=2, keepdims=True)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


def distances(shapelets: Array, X: Array) -> Array:
    """The least distance (n, m) of each shapelet (n, length) to a window of each series."""
    squares = (shapelets**2).sum(axis=1)
    columns = []
    for own in patterns(X, shapelets.shape[1]):
        values = squares[:, None] + (own**2).sum(axis=1) - 2.0 * shapelets @ own.T
        columns.append(np.sqrt(np.maximum(values.min(axis=1), 0.0)))
    return np.stack(columns, axis=1)


def information_gains(F: Array, y: Array) -> Array:
    """The information gain (n,) of the best threshold for each row of F (n, m), labels y (m,)."""

    def entropy(p: Any) -> Array:
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


def ig_svm(train: rp.Bags, test: rp.Bags) -> Array:
    """The labels in {-1, +1} that IG-SVM predicts for the test series.

    IG-SVM is a linear support vector machine on the distances to the shapelets with the largest
    information gains, at most 10 for each training series. Two shapelets of a series never overlap.
    """
    m, span = train.X.shape
    lengths = sorted({math.floor(share * span + 1e-9) for share in LENGTHS})
    every = [patterns(train.X, length) for length in lengths]
    flat = [own.reshape(-1, own.shape[2]) for own in every]
    gains = [information_gains(distances(own, train.X), train.targets) for own in flat]
    # a shapelet: its length, its place among those of its length
    places = [(k, place) for k, own in enumerate(flat) for place in range(len(own))]
    free, chosen = np.ones((m, span), dtype=bool), [list[int]() for _ in lengths]
    # in order of their gains, unless a better shapelet of the series overlaps
    for index in np.argsort(-np.concatenate(gains), kind="stable").tolist():
        k, place = places[index]
        series, start = divmod(place, every[k].shape[1])
        window = free[series, start : start + lengths[k]]
        if window.all():
            window[:] = False
            chosen[k].append(place)
        if sum(map(len, chosen)) == 10 * m:
            break

    def features(X: Array) -> Array:
        kept = [own[places] for own, places in zip(flat, chosen, strict=True) if places]
        return np.concatenate([distances(own, X) for own in kept]).T

    model = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    return np.asarray(model.fit(features(train.X), train.targets).predict(features(test.X)))


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """One row for each data set and method: accuracy on the test series in per cent.

    The splits are the archive's. Label 1 is the class +1. Settings are chosen by stratified
    cross-validation on the training series.
    """
    paths = {
        name: [data_file(options.data, f"ucr/{name}_{part}.tsv") for part in ("TRAIN", "TEST")]
        for name in options.sets
    }
    for name, (first, second) in paths.items():
        train = rp.read_series(first, positive="1")
        test = rp.read_series(second, like=train)
        peer = ig_svm(train, test) != test.targets
        ours, *quoted = PRINTED[name]
        about = dict(zip(("paper_ig_svm", "paper_lts", "paper_flag"), quoted, strict=True))
        yield {"set": name, "method": IG_SVM, **scored(peer, quoted[0]), **about}
        for method, (spec, grid) in METHODS.items():
            ties = None
            if options.quick and method == ITS_OWN:
                grid = QUICK_GRID
            if grid:
                tuned = rp.tune(
                    spec, train, grid, folds=3 if options.quick else 5,
                    seed=options.seed, jobs=options.jobs,
                )  # fmt: skip
                spec, train = rp.chosen(tuned, spec, train)
                ties = tuned["ties"]
            # fit on all training series; accuracy on the test series
            run = fit(spec, train, seed=options.seed)
            wrong = run.fit.predict(test.X) != test.targets
            won, lost, p = mcnemar(wrong, peer)
            yield {
                "set": name,
                "method": method,
                **scored(wrong, ours),
                **about,
                "won": won,
                "lost": lost,
                "p": p,
                "params": {"length": spec.length, "nu": spec.nu},
                "ties": ties,
                "certified": run.certified,
                "hypotheses": run.summary["hypotheses"],
                "nonzero_share": 100 * run.summary["nonzero_share"],
            }


def mcnemar(wrong: NDArray[np.bool_], peer: NDArray[np.bool_]) -> tuple[int, int, float]:
    """The errors of only ``peer``, those of only ``wrong``, and p of McNemar's exact test."""
    won, lost = int((peer & ~wrong).sum()), int((wrong & ~peer).sum())
    return won, lost, float(binomtest(won, won + lost).pvalue) if won + lost else 1.0


def scored(wrong: NDArray[np.bool_], quoted: float) -> Row:
    """Accuracy in per cent beside the paper's, and its binomial standard error.

    The error is computed after adding one right and one wrong answer.
    """
    n, right = len(wrong), int((~wrong).sum())
    share = (right + 1) / (n + 2)
    return {
        "accuracy": 100 * right / n,
        "standard_error": 100 * math.sqrt(share * (1 - share) / n),
        "test_series": n,
        "wrong_rows": np.flatnonzero(wrong).tolist(),
        "paper_accuracy": quoted,
        "difference": 100 * right / n - quoted,
    }


TABLE = Table(
    paper="Boosting the Kernelized Shapelets, Table 1",
    title="test accuracies of boosted shapelets on UCR series",
    sets=tuple(PRINTED),
    default=tuple(PRINTED)[:4],
    columns=(
        Column("set", "data set"),
        Column("method", "method"),
        Column("accuracy", "accuracy %", ".1f"),
        Column("standard_error", "+-", ".1f"),
        Column("paper_accuracy", "accuracy %", ".1f", paper=True),
        Column("difference", "ours - paper", "+z.1f"),
        Column("won", "won", "d"),
        Column("lost", "lost", "d"),
        Column("p", "p", ".2g"),
        Column("paper_ig_svm", "IG-SVM", ".1f", paper=True),
        Column("paper_lts", "LTS", ".1f", paper=True),
        Column("paper_flag", "FLAG", ".1f", paper=True),
        Column("params", "settings"),
        Column("ties", "ties", "d"),
        Column("certified", "certified"),
        Column("hypotheses", "learners", "d"),
        Column("nonzero_share", "patterns %", ".2f"),
    ),
    quick="3 folds; 'its own' chooses between lengths 0.2 and 0.4 at nu = 0.2",
    full_notes=("'its own' and 'one length' have the paper's grid and 5-fold cross-validation",),
    notes=(
        "'its own' is the paper's method, combinations of patterns in an l1 ball found by DCA; the "
        "others boost +h and -h of single shapelets, each fit to a certified optimum; four lengths "
        "at once are ours",
        "'nothing tuned' is the default nu = 0.2, the strongest of the grid, with all its lengths: "
        "one setting, not chosen by cross-validation, and no record says that it was fixed before "
        "these series were seen. The rows by CV are chosen only on the training series. Label 1 "
        "is +1",
        "learners: weak learners of weight > 0; patterns: share of the patterns that they use, the "
        "sparsity of which the paper prints 0.08 % to 6 % over its data sets",
        "IG-SVM is run on the same test series: z-normalised shapelets of the four lengths with "
        "the largest information gain and a linear support vector machine, not tuned. Its row has "
        "the paper's accuracy of IG-SVM, the others that of the paper's method",
        "won, lost: test series that only this row, or only IG-SVM as it is run here, has right; "
        "p: McNemar's exact test of these, two-sided, not adjusted for several tests",
        "+-: binomial standard error of the share of test series, one right and one wrong added; "
        "the paper has none. IG-SVM, LTS and FLAG are as the paper quotes them",
    ),
)

script(__name__, TABLE, rows)
