"""The papers' tables and figures: what each shows, and which module makes it.

Makers are named as ``module:function`` and imported when a table is asked for. A maker yields rows
as they are finished, so that an interrupt keeps those before it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radprog.instances.errors import DataError, OptionError, UnfinishedError
from radprog.instances.papers_data import CATALOGUE

Row = dict[str, Any]
Watcher = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Column:
    """A column of the printed table: the row's key, its heading, and the format of a number.

    paper: the value is quoted from the paper, and the heading says so.
    """

    key: str
    heading: str
    style: str = ""
    paper: bool = False


@dataclass(kw_only=True)
class Job:
    """What a maker is asked for: sets, folder of the data (None: the table needs none), seed.

    quick: fewer repeats, folds or sign vectors. ``watch`` is told a label, and how many of
    ``total`` fits are done; ``complete``: no row is missing.
    """

    sets: tuple[str, ...]
    folder: Path | None = None
    seed: int = 0
    quick: bool = False
    watch: Watcher = lambda label, done, total: None
    interrupted: Callable[[], bool] = lambda: False
    total: int = 0
    done: int = field(default=0, init=False)
    complete: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed {self.seed}: expected a number >= 0")

    def file(self, *parts: str) -> Path:
        """A file below the folder; DataError where it is missing."""
        path = (self.folder or Path()).joinpath(*parts)
        if not path.is_file():
            listed = any(entry.file == "/".join(parts) for entry in CATALOGUE)
            hint = "tells where it comes from" if listed else "has no source for it: bring your own"
            raise DataError(f"{path}: missing; 'radprog data list' {hint}")
        return path

    def step(self, label: str) -> None:
        """Count a fit that is finished; UnfinishedError where an interrupt has cut it off."""
        self.check()
        self.done += 1
        self.watch(label, self.done, self.total)

    def watcher(self, label: str) -> Callable[..., None]:
        """Calls ``step(label)`` whatever it is told."""
        return lambda *ignored: self.step(label)

    def check(self) -> None:
        """Raise UnfinishedError after an interrupt."""
        if self.interrupted():
            raise UnfinishedError("interrupt: ended before the first row was finished")


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table or figure of a paper.

    sets: what ``--sets`` may name, and what they are; default: those taken without it. notes: what
    differs from the paper, printed below. plotter: draws the rows, for figures. files: whether it
    reads a folder of data.
    """

    name: str
    title: str
    paper: str
    sets: tuple[str, ...]
    sets_are: str = "data sets"
    default: tuple[str, ...]
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    maker: str
    plotter: str | None = None
    files: bool = True

    def chosen(self, sets: str | None) -> tuple[str, ...]:
        """The sets of a comma-separated list, or the default; OptionError for an unknown one."""
        names = self.default if sets is None else tuple(name.strip() for name in sets.split(","))
        for name in names:
            if name not in self.sets:
                raise OptionError(
                    f"sets: unknown '{name}': {self.name} expects {self.sets_are} out of "
                    f"{', '.join(self.sets)}"
                )
        if len(set(names)) < len(names):
            raise OptionError(f"sets '{sets}': one is given twice")
        return names

    def rows(self, job: Job) -> Iterator[Row]:
        """The rows, each as it is finished; after an interrupt no more.

        Raises UnfinishedError where the interrupt comes before the first, DataError for a missing
        file before any fit.
        """
        found = False
        try:
            for row in _named(self.maker)(job):
                found = True
                yield row
            job.complete = True
        except UnfinishedError:
            if not (found and job.interrupted()):
                raise

    def plot(self, rows: Sequence[Mapping[str, Any]], path: str) -> None:
        """Draw the rows."""
        if self.plotter is None:
            raise OptionError(f"plot: {self.name} is a table, not a figure")
        _named(self.plotter)(rows, path)


def _named(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


KERNELS = ("TSS", "Promo", "Exon", "Angle", "Energ")

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        Table(
            name="vkr-table1",
            title="test errors and support vectors of Voted Kernel Regularization",
            paper="Voted Kernel Regularization, Table 1",
            sets=("ocr49", "phishing", "waveform01", "breastcancer", "german", "ionosphere",
                  "diabetes", "climate"),
            default=("ionosphere",),
            columns=(
                Column("set", "data set"),
                Column("method", "method"),
                Column("error", "error %", ".2f"),
                Column("paper_error", "error %", ".2f", paper=True),
                Column("support_vectors", "SVs", ".1f"),
                Column("paper_support_vectors", "SVs", ".1f", paper=True),
                Column("params", "settings"),
                Column("ties", "ties", "d"),
                Column("certified", "certified", "d"),
                Column("cells", "of", "d"),
            ),
            notes=(
                "the paper's partition is not known: ours is one random partition, folds and "
                "protocol are the paper's; rows of unit norm, which is what its errors are of",
            ),
            maker="radprog.papers.vkr.reproduce:rows",
        ),
        Table(
            name="lpboost-table1",
            title="test accuracies of boosted shapelets on UCR series",
            paper="Boosting the Kernelized Shapelets, Table 1",
            sets=("GunPoint", "ItalyPowerDemand", "ECGFiveDays", "TwoLeadECG", "MoteStrain",
                  "SonyAIBORobotSurface1"),
            default=("GunPoint", "ItalyPowerDemand", "ECGFiveDays", "TwoLeadECG"),
            columns=(
                Column("set", "data set"),
                Column("method", "ours"),
                Column("accuracy", "accuracy %", ".1f"),
                Column("standard_error", "+-", ".1f"),
                Column("paper_accuracy", "its method", ".1f", paper=True),
                Column("paper_ig_svm", "IG-SVM", ".1f", paper=True),
                Column("paper_lts", "LTS", ".1f", paper=True),
                Column("paper_flag", "FLAG", ".1f", paper=True),
                Column("params", "settings"),
                Column("ties", "ties", "d"),
                Column("certified", "certified"),
            ),
            notes=(
                "ours boosts +h and -h of single shapelets, each fit to a certified optimum; the "
                "paper's method boosts combinations in an l1 ball, found by DCA",
                "'one length' is the paper's grid and 5-fold cross-validation; four lengths at "
                "once are ours. Label 1 is +1; settings are chosen on the training series alone",
                "+-: binomial standard error of the share of test series, one right and one wrong "
                "added; the paper has none. IG-SVM, LTS and FLAG are as the paper quotes them",
            ),
            maker="radprog.papers.lpboost.reproduce:rows",
        ),
        Table(
            name="mkl-table1",
            title="accuracies of kernel weights on protein folds, 27 classes",
            paper="Learning Kernels Using Local Rademacher Complexity, Table 1",
            sets=("linear", "gaussian"),
            sets_are="kernels of the views",
            default=("linear", "gaussian"),
            columns=(
                Column("set", "kernels"),
                Column("method", "method"),
                Column("accuracy", "accuracy %", ".1f"),
                Column("standard_error", "+-", ".1f"),
                Column("paper_accuracy", "accuracy %", ".1f", paper=True),
                Column("paper_standard_error", "+-", ".1f", paper=True),
                Column("against_mkl", "to MKL", "+.1f"),
                Column("against_mkl_error", "+-", ".1f"),
                Column("paper_against_mkl", "to MKL", "+.1f", paper=True),
                Column("thetas", "theta"),
                Column("paper_theta", "theta", "d", paper=True),
                Column("repeats", "splits", "d"),
                Column("certified", "certified"),
            ),
            notes=(
                "to MKL: paired difference over the splits, what tail sums alone change; within "
                "two standard errors of 0 it is none, and the paper's +2.4 is not reproduced",
                "ours: a kernel for each of twelve standardised views (Gaussian: gamma = 1/27, one "
                "over the columns), weights shared by one-vs-rest machines. The paper's twelve "
                "base kernels are not among the data; its solver is ufo",
                "half of the points train; C, theta and the norm, 1 or 2, by validation on a third "
                "of them. The paper: 10 splits, cross-validation, and the better norm of each",
                "the paper's other four sets are not among the data: no rows",
            ),
            maker="radprog.papers.mkl.reproduce:fold_rows",
        ),
        Table(
            name="mkl-figure2",
            title="areas under the curve, kernel weights and tail sums",
            paper="Learning Kernels Using Local Rademacher Complexity, Figure 2",
            sets=("100", "250", "1000"),
            sets_are="numbers of training points",
            default=("100",),
            columns=(
                Column("set", "n"),
                Column("method", "method or kernel"),
                Column("auc", "AUC %", ".1f"),
                Column("standard_error", "+-", ".1f"),
                Column("paper_auc", "AUC %", ".1f", paper=True),
                Column("against_l1", "to l1", "+.1f"),
                Column("against_l1_error", "+-", ".1f"),
                *(Column(name, name, ".2f") for name in KERNELS),
                Column("tail_0", "tail 0", ".0f"),
                Column("tail_1", "tail 1", ".0f"),
                Column("thetas", "theta"),
                Column("repeats", "draws", "d"),
            ),
            notes=(
                "the data are drawn to have the spectra of the figure: the paper's own are not "
                "available. It prints areas for single kernels only; those of the methods are a "
                "graph, in which conv and dc are highest at every n, and theta = 1 is chosen",
                "l1 on centred kernels does what theta = 1 does: here the first eigenvalue is the "
                "mean direction, which the bias absorbs",
                "TSS to Energ: mean shares of the weights; tail: mean of sum_{j > theta} lambda_j "
                "at theta = 0 and 1. C and theta from the paper's grids on validation points, for "
                "every draw (the paper: by the mean over its 100)",
            ),
            maker="radprog.papers.mkl.reproduce:site_rows",
            plotter="radprog.papers.mkl.plot:plot_sites",
            files=False,
        ),
        Table(
            name="svr-figure2",
            title="does the bound choose the radius of least error? noisy sinc, four seeds",
            paper="Structural Risk Minimization and Rademacher Complexity for Regression, Figure 2",
            sets=("std", "variance"),
            sets_are="readings of N(0, 0.05)",
            default=("std",),
            columns=(
                Column("set", "noise 0.05"),
                Column("seed", "seed", "d"),
                Column("gamma", "gamma*", ".3g"),
                Column("A", "A*", ".3g"),
                Column("bound", "bound", ".3f"),
                Column("complexity", "complexity", ".3f"),
                Column("standard_error", "+-", ".3f"),
                Column("trials", "signs", "d"),
                Column("empirical", "empirical", ".3f"),
                Column("mape", "MAPE %", ".1f"),
                Column("least_A", "A of least MAPE", ".3g"),
                Column("least_mape", "MAPE %", ".1f"),
                Column("coincide", "coincide"),
                Column("paper_coincide", "coincide", paper=True),
            ),
            notes=(
                "the paper shows one sample of noise and prints no figures: its claim is that on "
                "gamma* the A of least bound is that of least MAPE",
                "the bound is an estimate: suprema are local optima, complexity and its standard "
                "error are over so many sign vectors, 2 starts each (100 trials in the paper)",
                "A of least MAPE: on gamma*, against sinc without noise, which choosing never sees",
            ),
            maker="radprog.papers.regression.reproduce:rows",
            plotter="radprog.papers.regression.plot:plot_choices",
            files=False,
        ),
    )
}  # fmt: skip


def table_named(name: str) -> Table:
    """The table of a name; OptionError for an unknown one."""
    if name not in TABLES:
        raise OptionError(f"unknown table '{name}': expected one of {', '.join(TABLES)}")
    return TABLES[name]
