"""What the scripts of this folder share: options, data files, the paired t-test, tables and CSV."""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import radprog as rp

Row = dict[str, Any]
HERE = Path(__file__).resolve().parent
DRAWN = "drawn"  # the key of what only the figure shows


class Refused(Exception):
    """Options or data that a script cannot use."""


@dataclass(frozen=True)
class Column:
    """A column of a printed table: the key of a row, the heading and the format of a number.

    A column with ``paper`` quotes the paper.
    """

    key: str
    heading: str
    style: str = ""
    paper: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table or figure of a paper.

    - ``sets``: the parts that ``--sets`` accepts; ``default``: those of a run without ``--sets``.
    - ``quick``: how the protocol of ``--quick`` differs from the paper's.
    - ``notes``: differences from the paper; ``full_notes``: notes that only the full table has.
    - ``data``: whether the script reads a folder of data sets.
    """

    paper: str
    title: str
    sets: Sequence[str]
    default: Sequence[str]
    columns: Sequence[Column]
    quick: str
    notes: Sequence[str]
    full_notes: Sequence[str] = ()
    data: bool = True

    def parser(self, figure: bool) -> argparse.ArgumentParser:
        """The options of the script."""
        parser = argparse.ArgumentParser(description=f"{self.paper}: {self.title}")
        if self.data:
            folder = os.environ.get("RADPROG_DATA")
            parser.add_argument(
                "--data", metavar="DIR", type=Path, default=folder and Path(folder),
                help="folder of the data sets (default RADPROG_DATA)",
            )  # fmt: skip
        parser.add_argument("--sets", metavar="A,B", help=f"out of {', '.join(self.sets)}")
        parser.add_argument("--quick", action="store_true", help=self.quick)
        parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers (0)")
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
        parser.add_argument("--csv", metavar="FILE", type=Path, help="the rows as CSV")
        if figure:
            parser.add_argument("--plot", metavar="FILE", type=Path, help=".png, .svg or .pdf")
        return parser

    def options(self, arguments: Sequence[str] | None, figure: bool) -> argparse.Namespace:
        """The options that are given. Raises Refused for a bad value."""
        options = self.parser(figure).parse_args(arguments)
        options.sets = self.default if options.sets is None else options.sets.split(",")
        for name in options.sets:
            if name not in self.sets:
                expected = ", ".join(self.sets)
                raise Refused(f"--sets: unknown '{name}': expected {expected}")
        if len(set(options.sets)) < len(options.sets):
            raise Refused(f"--sets {','.join(options.sets)}: one is given twice")
        if options.seed < 0:
            raise Refused(f"--seed {options.seed}: expected a number >= 0")
        if options.jobs < 1:
            raise Refused(f"--jobs {options.jobs}: expected a number >= 1")
        if self.data and options.data is None:
            raise Refused("give --data DIR, the folder of the data sets")
        if self.data and not options.data.is_dir():
            raise Refused(f"{options.data}: expected a folder")
        # files are opened before the work, not after it
        for path in (options.csv, getattr(options, "plot", None)):
            if path is not None and not path.absolute().parent.is_dir():
                raise Refused(f"cannot write {path}: its folder does not exist")
        return options

    def run(
        self,
        rows: Callable[[argparse.Namespace], Iterator[Row]],
        claims: Callable[[Sequence[Row]], Iterable[str]] = lambda rows: (),
        draw: Callable[[Sequence[Row], Path, str], None] | None = None,
        arguments: Sequence[str] | None = None,
    ) -> int:
        """Compute the rows and print them beside the paper's numbers; return the exit code.

        The exit code is 0, 1 after Ctrl-C, and 2 for bad options or data. The rows that are
        finished before Ctrl-C are printed and written.
        """
        finished: list[Row] = []
        complete = False
        try:
            options = self.options(arguments, draw is not None)
            start = time.perf_counter()
            for row in rows(options):
                finished.append(row)
                label = ", ".join(str(row[column.key]) for column in self.columns[:2])
                say(f"{label}: {time.perf_counter() - start:.0f} s")
            complete = True
        except (Refused, rp.RadprogError, OSError) as error:
            say(f"error: {error}")
            return 2
        except KeyboardInterrupt:
            say("interrupted" + ("" if finished else " before the first row was finished"))
        if finished:
            self.show(finished, options, claims)
            if options.csv is not None:
                write_csv(finished, options.csv)
            if draw is not None and options.plot is not None:
                draw(finished, options.plot, f"quick: {self.quick}" if options.quick else "")
        return 0 if complete else 1

    def show(
        self,
        rows: Sequence[Row],
        options: argparse.Namespace,
        claims: Callable[[Sequence[Row]], Iterable[str]],
    ) -> None:
        """Print the table, the claims of the paper that were checked, and the notes."""
        if options.quick:
            print(f"quick: {self.quick}")
        print(f"{self.paper}: {self.title}")
        head = [column.heading + " (paper)" * column.paper for column in self.columns]
        cells = [[cell(row.get(c.key), c.style) for c in self.columns] for row in rows]
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        # text to the left, numbers to the right
        for line in [head, *cells]:
            placed = [
                text.rjust(width) if column.style else text.ljust(width)
                for text, width, column in zip(line, widths, self.columns, strict=True)
            ]
            print("  ".join(placed).rstrip())
        for text in claims(rows):
            print(f"claim: {text}")
        for text in self.notes if options.quick else (*self.full_notes, *self.notes):
            print(f"note: {text}")


def script(
    name: str,
    table: Table,
    rows: Callable[[argparse.Namespace], Iterator[Row]],
    claims: Callable[[Sequence[Row]], Iterable[str]] = lambda rows: (),
    draw: Callable[[Sequence[Row], Path, str], None] | None = None,
) -> None:
    """The last line of a script: run its table and exit, if ``name`` is that of the main module."""
    if name == "__main__":
        sys.exit(table.run(rows, claims, draw))


def fit(spec: Any, data: Any, **settings: Any) -> rp.Run:
    """Fit one setting of a grid: without its warnings, and Ctrl-C ends the script, not the fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rp.RadprogWarning)
        return rp.fit(spec, data, interrupted=lambda: False, **settings)


def say(text: str) -> None:
    """Print a message to the standard error."""
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def cell(value: Any, style: str) -> str:
    """The text of a cell; a missing value is a dash."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={part}" for name, part in value.items())
    return format(value, style)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as CSV, without what only the figure shows; lists and mappings as JSON."""
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name != DRAWN]
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in row.items()}
            )


def file_list() -> dict[str, dict[str, str]]:
    """The lines of ``data.tsv`` by the path of the file in the data folder."""
    with (HERE / "data.tsv").open() as stream:
        return {line["file"]: line for line in csv.DictReader(stream, delimiter="\t")}


def sha256_of(path: Path) -> str:
    """The SHA-256 hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def data_file(folder: Path, name: str) -> Path:
    """The path of a data file, such as ``vkr/german.csv``.

    A message names a file that is not the one in ``data.tsv``. Raises Refused for a missing
    file.
    """
    path, listed = folder / name, file_list()
    if not path.is_file():
        source = f": its source is {listed[name]['source']}" if name in listed else ""
        raise Refused(f"{path}: no such file{source}")
    expected = listed.get(name, {}).get("sha256")
    found = sha256_of(path)
    if expected and found != expected:
        say(f"{path} has SHA-256 {found}, expected {expected}: these rows are of other data")
    return path


def in_processes(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], jobs: int) -> Any:
    """The results of ``function(*call)`` for each call, in order, as they are finished."""
    return Parallel(n_jobs=jobs, return_as="generator")(delayed(function)(*call) for call in calls)


def mean_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean of the values and its standard error; one value has no standard error."""
    n = len(values)
    return float(np.mean(values)), float(np.std(values, ddof=1) / n**0.5) if n > 1 else None


def paired_t_test(
    differences: Sequence[float], alternative: str = "two-sided"
) -> tuple[float | None, str]:
    """The p value of the t-test that the mean of paired differences is 0, and the test in words.

    There is no test of one difference, or of differences without a variance: t would be 0/0 or
    infinite, whatever the differences are.
    """
    mean, error = mean_error(differences)
    if error is None:
        return None, f"{mean:+z.1f}, no t-test: there is one difference"
    # 1e-9: equal up to rounding; a share of wrong rows differs by more
    if np.ptp(differences) <= 1e-9:
        return None, f"{mean:+z.1f}, no t-test: the differences are equal"
    from scipy.stats import ttest_1samp

    test = ttest_1samp(differences, 0.0, alternative=alternative)
    words = f"t = {test.statistic:.2f} with {len(differences) - 1} degrees of freedom"
    return float(test.pvalue), f"{mean:+z.1f} +- {error:.1f}, {words}, p = {test.pvalue:.2g}"
