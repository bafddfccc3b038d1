"""Data sets of classes from files."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.dataset import Dataset
from radprog.instances.delimited import split_rows, table_of
from radprog.instances.errors import DataError, OptionError
from radprog.instances.foreign import arff_grid, svmlight_table
from radprog.instances.labelled import labelled
from radprog.instances.labels import plain_label, plain_labels
from radprog.instances.scaling import SCALINGS, fit_scaler
from radprog.instances.tables import AnyPath, Table, decode, digest, read_bytes

SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")
SVMLIGHT_ROW = re.compile(r"\S+(\s+\d+:\S+)+\s*(#.*)?")
MISSING = ("drop", "mean", "error")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of ``read``, settled."""

    label: str = "last"
    scale: str = "none"
    missing: str = "error"
    positive: str | None = None
    strings: str | None = None
    one_vs_rest: bool = False

    def __post_init__(self) -> None:
        if self.scale not in SCALINGS:
            raise OptionError(f"scale '{self.scale}': expected one of {', '.join(SCALINGS)}")
        if self.missing not in MISSING:
            raise OptionError(f"missing '{self.missing}': expected one of {', '.join(MISSING)}")
        if self.strings is not None and self.scale != "none":
            raise OptionError(f"scale '{self.scale}' has no meaning for strings")
        if self.strings is not None and self.missing == "mean":
            raise OptionError("missing 'mean' has no meaning for strings: expected drop or error")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    def reading(self) -> dict[str, Any]:
        """The options as a mapping, one_vs_rest where it is chosen: not every model has it."""
        given = asdict(self)
        return given if self.one_vs_rest else {k: v for k, v in given.items() if k != "one_vs_rest"}


def read(
    path: AnyPath,
    *,
    label: str | int | None = None,
    scale: str | None = None,
    missing: str | None = None,
    positive: str | int | None = None,
    strings: str | int | None = None,
    one_vs_rest: bool | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """Read a data set of classes from CSV, TSV, blank separated text, svmlight or ARFF.

    label: the label's column: ``last`` (default), ``first``, ``none``, a name of the header or an
    index from 0. scale: one of SCALINGS (default ``none``). missing: what to do about missing
    cells (empty, ``?``, ``NA``, ``nan``) of the features: ``error`` (default), ``drop`` the row,
    or put the ``mean`` of the column's training rows; a missing label is always an error.
    positive: the label that becomes +1 (default: the second of the two in order). strings: the
    column of texts that X holds instead of numbers; the other features are then left out.
    one_vs_rest: accept more than two classes.

    like: the training data, or ``dataset_from`` its recipe: options, labels and the fitted scaler
    are those of the training data, and a file with d columns has features only. ``label`` may be
    given (``none``: the file has no labels); another option must be that of the training data.

    Raises DataError, naming file, row and column, on a file that cannot be used; OptionError on
    an option that has no meaning.
    """
    given: dict[str, Any] = {
        key: value if isinstance(value, bool) else str(value)
        for key, value in [
            ("label", label),
            ("scale", scale),
            ("missing", missing),
            ("positive", positive),
            ("strings", strings),
            ("one_vs_rest", one_vs_rest),
        ]
        if value is not None
    }
    options = Options(**given) if like is None else _options_like(like, given)
    table = read_table(
        path,
        label=options.label,
        strings=options.strings,
        width=None if like is None else like.columns,
        names=() if like is None else like.features,
    )
    if like is not None:
        _same_columns(table, like)
    kept, warnings = complete_rows(table, options.missing)
    data = _featured(table, kept, options, like)
    lines = table.lines[kept]
    if like is not None:
        data = replace(data, labels=like.labels)
    if table.labels is not None:
        labels = plain_labels(table.labels, table.source, table.lines)
        data = labelled(
            data,
            [labels[i] for i in kept],
            table.source,
            lines,
            positive=options.positive,
            one_vs_rest=options.one_vs_rest,
            like=like,
        )
    return replace(
        data,
        name=Path(path).name,
        sha256=table.sha256,
        features=table.names,
        lines=lines,
        reading=options.reading(),
        warnings=warnings,
    )


def read_table(
    path: AnyPath,
    *,
    label: str = "last",
    strings: str | None = None,
    width: int | None = None,
    names: tuple[str, ...] = (),
) -> Table:
    """The cells of a data file, its format told by suffix and content.

    width, names: number and names of the features of the training data, where there is any.
    """
    return parse_table(
        str(path), read_bytes(path), label=label, strings=strings, width=width, names=names
    )


def parse_table(
    source: str,
    raw: bytes,
    *,
    label: str = "last",
    strings: str | None = None,
    width: int | None = None,
    names: tuple[str, ...] = (),
) -> Table:
    """``read_table`` of a file's bytes; ``source`` is its path or address."""
    sha256, text = digest(raw), decode(source, raw)
    suffix = PurePosixPath(source).suffix.lower()
    if suffix in SVMLIGHT_SUFFIXES or SVMLIGHT_ROW.fullmatch(_first_line(text, "#")):
        if strings is not None:
            raise OptionError(f"{source}: svmlight has no strings column '{strings}'")
        return svmlight_table(source, text, sha256=sha256, label=label, width=width, names=names)
    if suffix == ".arff" or _first_line(text, "%").lower().startswith("@relation"):
        grid = arff_grid(source, text)
    else:
        grid = split_rows(source, text)
    return table_of(grid, sha256=sha256, label=label, strings=strings, width=width)


def _first_line(text: str, comment: str) -> str:
    stripped = (line.strip() for line in text.split("\n"))
    return next((line for line in stripped if line and not line.startswith(comment)), "")


def _options_like(like: Dataset, given: dict[str, Any]) -> Options:
    """The training data's options; ``given`` may only repeat them, but for the label's column."""
    known = {"scale": "none" if like.scaler is None else like.scaler.kind, **like.reading}
    fixed = {**known, "positive": like.labels[1]} if len(like.labels) == 2 else known
    for key, value in given.items():
        same = plain_label(value) == fixed.get(key) if key == "positive" else None
        if key == "label" or key not in fixed or same or value == fixed[key]:
            continue
        raise OptionError(f"{key} '{value}' given, but it is '{fixed[key]}' in the training data")
    if given.get("label") == "none":
        return Options(**{**known, **given, "positive": None})
    return Options(**{**known, **given})


def _same_columns(table: Table, like: Dataset) -> None:
    """Raise DataError where the table's features are not those of the training data."""
    found = None if table.strings is not None else len(table.columns)
    if found != like.columns:
        got, wanted = ("strings" if k is None else f"{k} features" for k in (found, like.columns))
        raise DataError(f"{table.source}: {got} given, expected {wanted} as in the training data")
    for j, (name, expected) in enumerate(zip(table.names, like.features, strict=False)):
        if name != expected:
            raise DataError(
                f"{table.source}: column {table.columns[j]} is '{name}', expected '{expected}' "
                "as in the training data"
            )


def complete_rows(table: Table, missing: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Indices of the rows to keep, and what to warn about."""
    if table.strings is not None:
        holes = np.array([[not text] for text in table.strings])
    else:
        holes = np.isnan(table.values)
    incomplete = holes.any(axis=1)
    cells, rows = int(holes.sum()), int(incomplete.sum())
    if rows and missing == "error":
        i = int(np.argmax(incomplete))
        where = table.row(i) if table.strings else table.cell(i, int(np.argmax(holes[i])))
        raise DataError(
            f"{where}: the cell is missing ({cells} in {rows} rows); choose --missing drop or mean"
        )
    if missing == "mean":
        warning = (f"{cells} missing cells filled with training means",) if rows else ()
        return np.arange(len(holes)), warning
    if rows == len(holes):
        raise DataError(f"{table.source}: every row has a missing cell, none is left")
    warning = (f"{rows} rows with missing cells dropped",) if rows else ()
    return np.flatnonzero(~incomplete), warning


def _featured(
    table: Table, kept: NDArray[np.intp], options: Options, like: Dataset | None
) -> Dataset:
    """The points alone, filled and scaled."""
    if table.strings is not None:
        return Dataset(X=np.array([table.strings[i] for i in kept], dtype=np.str_), y=None)
    raw = table.values[kept]
    try:
        scaler = None if like is None else like.scaler
        if scaler is None:
            scaler = fit_scaler(options.scale, raw, fill=options.missing == "mean")
        return Dataset(X=scaler(raw), y=None, scaler=scaler, raw=raw)
    except DataError as error:
        raise DataError(f"{table.source}: {error}") from None
