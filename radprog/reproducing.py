"""The papers' tables and figures: their content and the functions that compute them.

``tables.toml`` in the paper's folder has the columns of a table and the printed numbers.
``reproduce.py`` has the functions that yield its rows. Each row is yielded when it is finished, so
that the rows before an interrupt are kept.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from radprog.base.errors import DataError, OptionError, UnfinishedError
from radprog.decompositions.loop import NamedWatcher, never
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.checkpoint import Checkpoint
from radprog.decompositions.sweeps.sharing import ALONE, Sharing
from radprog.instances.papers_data import EVERY_SET, data_folder, other_hash, whence
from radprog.instances.tables import digest
from radprog.models.settings import one_of

Row = dict[str, Any]
Plotter = Callable[[Sequence[Mapping[str, Any]], str, str], None]  # rows, file, title
Claims = Callable[[Sequence[Mapping[str, Any]]], list[str]]  # of the text, checked on the rows


def beside(value: str, spread: str, paper: str, words: str) -> Plotter:
    """A plotter of ``value`` with its ``spread`` and the values of the ``paper``.

    ``words`` is the label of the axis.
    """

    def draw(rows: Sequence[Mapping[str, Any]], path: str, title: str) -> None:
        from radprog.figures import plot_beside  # loads matplotlib

        plot_beside(rows, path, value, spread, paper, words, title=title)

    return draw


@dataclass(frozen=True)
class TableColumn:
    """A column of the printed table: the key of a row, the heading, and the format of a number.

    With ``paper`` the value is quoted from the paper, and the column is marked. ``level`` is the
    key for the level at which a test rejects: the number is bold for ``5 %`` and italic for
    ``10 %``.
    """

    key: str
    heading: str
    style: str = ""
    paper: bool = False
    level: str = ""


@dataclass(kw_only=True)
class Job:
    """The arguments of a function that yields rows.

    They are the data sets, the data folder (None for a table without data), and the seed. ``quick``
    selects the shorter protocol. ``sharing`` describes the workers and the folder for finished
    parts.
    ``watch`` is called with a label, the number of finished fits and the ``total``. With ``force``,
    files whose hash differs from the catalogue's are also read, and ``others`` lists them.
    ``complete`` is True if no row is missing.
    """

    sets: tuple[str, ...]
    folder: Path | None = None
    seed: int = 0
    quick: bool = False
    force: bool = False
    sharing: Sharing = ALONE
    watch: NamedWatcher = lambda label, done, total: None
    interrupted: Callable[[], bool] = lambda: False
    total: int = 0
    done: int = field(default=0, init=False)
    others: list[str] = field(default_factory=list, init=False)
    complete: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed {self.seed}: expected a number >= 0")

    def settings(self, name: str, **more: Any) -> RunSettings:
        """Settings of a sweep of the table, with a checkpoint folder of this name."""
        return RunSettings(
            seed=self.seed,
            interrupted=self.interrupted,
            sharing=self.sharing.below(name),
            **more,
        )

    def file(self, *parts: str) -> Path:
        """The path of a file in the data folder.

        Raises DataError if the file is missing. Without ``force``, raises DataError also if the
        hash of the file differs from the catalogue's.
        """
        # a file in the catalogue must be the one that the paper used
        path = (self.folder or Path()).joinpath(*parts)
        listed = next((entry for entry in EVERY_SET if entry.file == "/".join(parts)), None)
        if not path.is_file():
            raise DataError(f"{path}: missing; {whence(listed)}")
        sha256 = digest(path.read_bytes())
        if listed is not None and sha256 != (listed.sha256 or sha256):
            other = other_hash(listed, sha256)
            if not self.force:
                raise DataError(f"{path}: {other}: other data than the paper's: --force continues")
            self.others.append(f"{other}: these rows are of other data")
        return path

    def step(self, label: str) -> None:
        """Count a finished fit. Raises UnfinishedError after an interrupt."""
        self.check()
        self.done += 1
        self.watch(label, self.done, self.total)

    def watcher(self, label: str) -> Callable[..., None]:
        """A function that calls ``step(label)`` for each message."""
        return lambda *ignored: self.step(label)

    def check(self) -> None:
        """Raise UnfinishedError after an interrupt."""
        if self.interrupted():
            raise UnfinishedError("interrupt: ended before the first row was finished")


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """One table or figure of a paper.

    - ``sets``: the possible values of ``--sets`` with their meaning; ``default``: the default
      values.
    - ``notes``: differences from the paper, printed below the table; ``full_notes``: notes that do
      not hold for a quick table.
    - ``quick``: the protocol of a quick table, printed above it; ``quick_time``: its duration.
    - ``maker``: function that yields the rows; ``plotter``: function that draws them.
    - ``files``: whether the table reads a data folder; ``place``: the path of a set's file in this
      folder. With ``place``, the default sets are those in the folder.
    - ``claims``: statements of the text about the table, checked on the rows.
    """

    name: str
    title: str
    paper: str
    sets: Sequence[str]
    default: Sequence[str]
    columns: Sequence[TableColumn]
    notes: Sequence[str]
    quick: str
    maker: Callable[[Job], Iterator[Row]]
    plotter: Plotter
    claims: Claims | None
    quick_time: str = ""
    sets_are: str = "data sets"
    full_notes: Sequence[str] = ()
    files: bool = True
    place: str | None = None

    def remarks(self, quick: bool) -> Sequence[str]:
        """The notes for the full or the quick table."""
        return self.notes if quick else (*self.full_notes, *self.notes)

    def here(self, folder: Path | None) -> tuple[str, ...]:
        """The sets in the folder. Raises DataError if there are none."""
        if self.place is None or folder is None:
            return self.chosen(None)
        absent = self.missing(folder)
        present = tuple(name for name in self.sets if name not in absent)
        if not present:
            names = ", ".join(self.place.format(name) for name in self.sets[:3])
            raise DataError(f"{folder}: no data set of {self.name}: expected {names} or others")
        return present

    def missing(self, folder: Path | None) -> list[str]:
        """The sets that are missing from the folder."""
        if self.place is None or folder is None:
            return []
        return [name for name in self.sets if not (folder / self.place.format(name)).is_file()]

    def chosen(self, sets: str | None) -> tuple[str, ...]:
        """The sets of a comma-separated list, or the default. Raises OptionError for an unknown
        set.
        """
        names = tuple(self.default if sets is None else map(str.strip, sets.split(",")))
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
        """Yield each row when it is finished, until an interrupt.

        Raises UnfinishedError after an interrupt before the first row. Raises DataError for a
        missing file before any fit.
        """
        begun = False
        try:
            # rows come as they are finished: an interrupt keeps those before it
            for row in self.maker(job):
                begun = True
                yield row
            job.complete = True
        except UnfinishedError:
            if not (begun and job.interrupted()):
                raise

    def plot(self, rows: Sequence[Mapping[str, Any]], path: str, quick: bool) -> None:
        """Draw the rows; the figure of a quick table is marked as such."""
        self.plotter(rows, path, f"quick: {self.quick}" if quick else "")


def _declared() -> dict[str, dict[str, Any]]:
    """The entry of each table in the papers' files ``tables.toml``, with the paper's ``folder``."""
    declared = {}
    for folder in sorted(files("radprog.papers").iterdir(), key=lambda one: one.name):
        file = folder.joinpath("tables.toml")
        if file.is_file():
            content = tomllib.loads(file.read_text())
            # notes above the tables belong to all tables
            common = content.pop("notes", [])
            for name, table in content.items():
                own = {"folder": folder.name, "default": table["sets"], **table}
                declared[name] = {**own, "notes": [*table["notes"], *common]}
    return declared


DECLARED: Mapping[str, Mapping[str, Any]] = _declared()


def paired_test(mean: float, error: float, repeats: int) -> str:
    """The mean of paired differences with its standard error, and the two-sided t-test of mean 0.

    There is no test for a single difference, or if all differences are equal.
    """
    if repeats < 2:
        return f"{mean:+.1f}, one difference: no t-test"
    if not error > 0:
        return f"{mean:+.1f}, equal differences: no t-test"
    from scipy import stats  # help is shown without scipy

    t, freedom = mean / error, repeats - 1
    p = 2.0 * float(stats.t.sf(abs(t), freedom))
    test = f"t = {t:.2f} with {freedom} degrees of freedom, p = {p:.2g}"
    return f"{mean:+.1f} +- {error:.1f}, {test}"


def table_named(name: str) -> PaperTable:
    """The table with this name, from its paper's folder. Raises OptionError for an unknown name."""
    one_of("table", name, tuple(DECLARED))
    module = importlib.import_module(f"radprog.papers.{DECLARED[name]['folder']}.reproduce")
    table: PaperTable = module.TABLES[name]
    return table


def table(
    name: str, maker: Callable[[Job], Iterator[Row]], plotter: Plotter, claims: Claims | None = None
) -> PaperTable:
    """The table with this name, and the functions that compute, draw and check its rows."""
    declared = {field.name for field in fields(PaperTable)} & DECLARED[name].keys()
    parts = {key: DECLARED[name][key] for key in declared}
    parts["columns"] = [TableColumn(**column) for column in parts["columns"]]
    return PaperTable(name=name, maker=maker, plotter=plotter, claims=claims, **parts)


def tables(*every: PaperTable) -> Mapping[str, PaperTable]:
    """The tables of a paper, by name."""
    return {one.name: one for one in every}


def reproduce(
    table: str,
    data: str | Path | None = None,
    *,
    sets: str | Sequence[str] | None = None,
    seed: int = 0,
    quick: bool = False,
    force: bool = False,
    plot: str | Path | None = None,
    jobs: int | str = 1,
    checkpoint: str | Path | None = None,
    scheduler: Any = None,
    interrupted: Callable[[], bool] = never,
    watch: NamedWatcher = lambda label, done, total: None,
) -> dict[str, Any]:
    """Recompute a table or figure of a paper, with the printed values for comparison.

    Parameters
    ----------
    table : str
        Name of the table, as in ``radprog reproduce --help``.
    data : str or Path, optional
        Folder with the papers' data sets. The default is the folder in RADPROG_DATA.
    sets : str or sequence of str, optional
        Parts of the table. The default depends on the table.
    seed : int
        Seed of all random numbers.
    quick : bool
        Whether to use smaller grids and fewer repeats, folds or sign vectors.
    force : bool
        Whether to read files whose hash differs from that in the catalogue.
    plot : str or Path, optional
        File for the figure.
    jobs : int or str
        Number of processes that share the work.
    checkpoint : str or Path, optional
        Folder in which finished parts are saved.
    scheduler : str, Path or distributed.Client, optional
        A Dask cluster in place of ``jobs``: ``local``, the address of its scheduler, its scheduler
        file, or a client. The client stays open.
    interrupted : callable
        Function that is called between fits. The work ends if it returns True.
    watch : callable
        Function that is called with a label, the number of finished fits and the total number of
        fits.

    Returns
    -------
    dict
        The table. The entries of ``rows`` have the columns of the table as keys. ``notes`` lists
        differences from the paper and files with a different hash. ``protocol`` describes what
        ``quick`` omits; it is None for the full table. ``complete`` is False after an interrupt.

    Raises
    ------
    OptionError
        If the table or a set is unknown.
    DataError
        If data are missing or changed.
    UnfinishedError
        If the work ends before the first row is complete.

    Notes
    -----
    Most tables need data sets that the package does not contain; ``radprog data`` lists them. Even
    a ``quick`` table takes from a few seconds to several minutes.

    Examples
    --------
    >>> import radprog as rp
    >>> figure = rp.reproduce("svr-figure2", quick=True)  # doctest: +SKIP
    >>> figure["complete"]  # doctest: +SKIP
    True
    >>> try:
    ...     rp.reproduce("svr-figure9")
    ... except rp.OptionError as error:
    ...     print("svr-figure2" in str(error))
    True
    """
    # the named sets, else the sets in the folder
    paper_table = table_named(table)
    named = sets if sets is None or isinstance(sets, str) else ",".join(sets)
    chosen = paper_table.chosen(named)
    folder = None
    if paper_table.files:
        folder = data_folder() if data is None else Path(data)
        chosen = paper_table.here(folder) if named is None else chosen
    sharing = Sharing(jobs=jobs, scheduler=scheduler, checkpoint=checkpoint)
    job = Job(
        sets=chosen, folder=folder, seed=seed, quick=quick, force=force, sharing=sharing,
        watch=watch, interrupted=interrupted,
    )  # fmt: skip
    if checkpoint is not None:
        identity = {"table": paper_table.name, "sets": chosen, "seed": seed, "quick": quick}
        # a checkpoint of another table is refused before any fit
        Checkpoint.open(checkpoint, identity)
    # rows, their figure, and the claims of the text
    rows = list(paper_table.rows(job))
    if plot is not None:
        paper_table.plot(rows, str(plot), quick)
    return {
        "schema": 1,
        "table": paper_table.name,
        "paper": paper_table.paper,
        "seed": seed,
        "quick": quick,
        "protocol": paper_table.quick if quick else None,
        "complete": job.complete,
        "sets": chosen,
        "missing": paper_table.missing(folder),
        "notes": [*job.others, *paper_table.remarks(quick)],
        "claims": [] if paper_table.claims is None else paper_table.claims(rows),
        "rows": rows,
    }
