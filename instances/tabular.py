"""Tables from files, and the options of the readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Data, Points, check_magnitude, unknown
from radprog.instances.delimited import AUTO, TableOptions, split_cells, table_of
from radprog.instances.foreign import (
    PARQUET_MAGIC,
    arff_grid,
    parquet_grid,
    svmlight_table,
)
from radprog.instances.labels import plain_label, plain_labels
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import (
    AnyPath,
    Levels,
    Table,
    decode,
    digest,
    format_of,
    read_bytes,
)

SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")
SVMLIGHT_ROW = re.compile(r"\S+(\s+\d+:\S+)+\s*(#.*)?")
OF_THE_FILE = ("label", "decimal", "header")  # may be others than of the training data


class ReadOptions(TypedDict, total=False):
    """The options of all readers of tables, see :func:`radprog.read`."""

    label: str | int | None
    scale: str | None
    missing: str | None
    categorical: str | None
    decimal: str | None
    header: str | None


def settled(like: Data | None, reading: ReadOptions, **own: Any) -> TableOptions:
    """The options that are not None, combined with the options of any training data ``like``.

    Only options in OF_THE_FILE may differ from the options of the training data. ``own`` are the
    options that only this reader accepts. Raises OptionError for a different or invalid option, and
    TypeError for an unknown option.
    """
    options = {**reading, **own}
    if strange := reading.keys() - ReadOptions.__optional_keys__:
        raise TypeError(f"this reader has no option {', '.join(sorted(strange))}")
    chosen: dict[str, Any] = {
        key: value if isinstance(value, bool) else str(value)
        for key, value in options.items()
        if value is not None
    }
    if like is None:
        return TableOptions(**chosen)
    # the options of the training data, with defaults for older recipes
    names = {one.name for one in fields(TableOptions)}
    trained = {key: value for key, value in like.reading.items() if key in names}
    trained = {"categorical": None, **trained}
    if isinstance(like, Points):
        trained = {"scale": "none" if like.scaler is None else like.scaler.kind, **trained}
        # arrays have no options: fill as they were filled, else leave such rows out
        if not like.reading:
            filled = like.scaler is not None and like.scaler.fill is not None
            trained["missing"] = "mean" if filled else "drop"
    fixed = {**trained, "positive": like.labels[1]} if len(like.labels) == 2 else trained
    # an option may repeat that of the training data
    for key, value in chosen.items():
        same = plain_label(value) == fixed.get(key) if key == "positive" else None
        if key in OF_THE_FILE or key not in fixed or same or value == fixed[key]:
            continue
        raise OptionError(f"{key} '{value}' given, but it is '{fixed[key]}' in the training data")
    if chosen.get("label") == "none":
        chosen["positive"] = None
    return TableOptions(**{**trained, **chosen})


def read_table(path: AnyPath, options: TableOptions, **like: Any) -> Table:
    """The table of a data file; see :func:`parse_table`."""
    return parse_table(str(path), read_bytes(path), options, **like)


def parse_table(
    source: str,
    raw: bytes,
    options: TableOptions,
    *,
    width: int | None = None,
    names: tuple[str, ...] = (),
    levels: Levels | None = None,
) -> Table:
    """The table in the bytes of a data file; the suffix or the content determines the format.

    ``source`` is the path or address of the file. For any training data, ``width`` is the number of
    features, ``names`` are the names of the columns, and ``levels`` the levels of the text columns.
    Raises DataError for an invalid file, and OptionError for an option that the format does not
    have.
    """
    # the format: Parquet by its first bytes, text by suffix or first line
    sha256, suffix = digest(raw), format_of(source)
    of_text = {"decimal": options.decimal, "header": options.header}
    if raw.startswith(PARQUET_MAGIC) or suffix == ".parquet":
        _refuse(source, "Parquet", **of_text)
        grid = parquet_grid(source, raw)
    else:
        text = decode(source, raw)
        if suffix in SVMLIGHT_SUFFIXES or SVMLIGHT_ROW.fullmatch(_first_line(text, "#")):
            columns = {
                "strings": options.strings,
                "weights": options.weights,
                "categorical": options.categorical if levels is None else None,
                "levels": "of texts" if levels else None,
            }
            _refuse(source, "svmlight", **of_text, **columns)
            return svmlight_table(
                source, text, sha256=sha256, label=options.label, width=width, names=names
            )
        if suffix == ".arff" or _first_line(text, "%").lower().startswith("@relation"):
            _refuse(source, "ARFF", **of_text)
            grid = arff_grid(source, text)
        else:
            grid = split_cells(source, text, decimal=options.decimal or ".")
    return table_of(grid, options, sha256=sha256, width=width, names=names, levels=levels)


def _refuse(source: str, format: str, **columns: str | None) -> None:
    """Raise OptionError for a column, decimal commas or a header that a format cannot have."""
    for role, column in columns.items():
        if column is not None and role in ("decimal", "header"):
            if column not in (".", AUTO):
                raise OptionError(f"{source}: {role} '{column}' has no meaning in {format}")
        elif column is not None:
            raise OptionError(f"{source}: {format} has no {role} column '{column}'")


def _first_line(text: str, comment: str) -> str:
    stripped = (line.group().strip() for line in re.finditer(r"[^\n]+", text))
    return next((line for line in stripped if line and not line.startswith(comment)), "")


def same_width(table: Table, width: int | None) -> None:
    """Raise DataError unless the table has as many features as the training data.

    ``width`` is the number of features of the training data, or None for strings.
    """
    width_here = None if table.strings is not None else len(table.columns)
    if width_here != width:
        got, wanted = ("strings" if k is None else f"{k} features" for k in (width_here, width))
        raise DataError(f"{table.source}: {got} given, expected {wanted} as in the training data")


def scaled(table: Table, options: TableOptions, like: Points | None) -> dict[str, Any]:
    """The common fields of data sets from a table, by name.

    If ``like`` is given, its scaler is used. If not, a scaler is computed from the table,
    separately for each file. Raises DataError for columns that differ from ``like``.
    """
    kept = {
        "codes": unknown(len(table.lines)),
        "name": table.name,
        "sha256": table.sha256,
        "features": table.names,
        "lines": table.lines,
        "warnings": table.warnings,
        "levels": table.levels,
        "left_out": table.left_out,
        "header": table.header,
    }
    if table.strings is not None:
        return {**kept, "X": np.array(table.strings, dtype=np.str_)}
    try:
        # the scaler of the training data, or one that is fitted here
        scaler = None if like is None else like.scaler
        if scaler is None:
            fill = options.missing == "mean"
            scaler = fit_scaler(options.scale, table.values, fill=fill, ends=table.ends)
        X = scaler(table.values)
    except DataError as error:
        raise DataError(f"{table.source}: {error}") from None
    check_magnitude(X, lambda place: table.cell(place[0], place[1]))
    if like is None:
        kept["warnings"] = (*table.warnings, *scaler.warnings(X, table.names))
    return {**kept, "X": X, "raw": table.values, "scaler": scaler}


def read_rows(
    paths: Sequence[AnyPath],
    options: TableOptions,
    like: Points | None = None,
    widths: Sequence[int | None] | None = None,
    *,
    gaps: bool = False,
) -> Table:
    """The tables of files with the same points, side by side, without dropped rows.

    ``like`` is the training data, and ``widths`` are its numbers of features in each file. Raises
    DataError for invalid files. A missing label is an error, even in a dropped row, unless ``gaps``
    allows missing labels.
    """
    if len(paths) > 1 and options.categorical is not None:
        raise OptionError(f"categorical '{options.categorical}' has no meaning with several views")
    names = () if like is None else like.given_features
    levels = None if like is None else like.levels
    widths = widths or [None if like is None else like.columns] * len(paths)
    # a table for each file, in the shape of the training data
    tables = [
        read_table(path, options, width=width, names=names, levels=levels)
        for path, width in zip(paths, widths, strict=True)
    ]
    if like is not None:
        for table, width in zip(tables, widths, strict=True):
            same_width(table, width)
    # the same rows, labels and weights in every table
    first = tables[0]
    _same_points(first, tables[1:])
    if first.labels is not None and not gaps:
        plain_labels(first.labels, first.source, first.lines)
    # rows with missing cells are dropped or filled, as the option says
    kept, warnings = complete_rows(tables, options.missing)
    # the tables side by side
    hashes = "".join(table.sha256 for table in tables)
    whole = replace(
        first,
        sha256=hashes if len(tables) == 1 else digest(hashes.encode()),
        values=np.hstack([table.values for table in tables]),
        columns=tuple(j for table in tables for j in table.columns),
        names=first.names if len(tables) == 1 else (),
        ends=tuple(np.cumsum([len(table.columns) for table in tables])[:-1].tolist()),
        warnings=(*warnings, *(line for table in tables for line in table.warnings)),
        header="; ".join(dict.fromkeys(table.header for table in tables)),
    )
    return whole if len(kept) == len(whole.lines) else whole.take(kept)


def _same_points(first: Table, others: Sequence[Table]) -> None:
    """Raise DataError if the rows, labels or weights of another table differ from those of the
    first.
    """
    for table in others:
        if len(table.lines) != len(first.lines):
            raise DataError(
                f"{table.source}: {len(table.lines)} rows, but {first.source} has "
                f"{len(first.lines)}: views are of the same points"
            )
        if table.labels != first.labels:
            raise DataError(f"{table.source}: other labels than in {first.source}")
        if not _same(table.weights, first.weights):
            raise DataError(f"{table.source}: other weights than in {first.source}")


def _same(one: FloatArray | None, other: FloatArray | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def complete_rows(
    tables: Sequence[Table], missing: str
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """The indices of the rows to keep of several tables side by side, and any warnings.

    Raises DataError for a missing cell if ``missing`` is ``error``, and if no row remains.
    """
    # missing cells, and rows with one
    holes = [
        np.isnan(table.values)
        if table.strings is None
        else np.array([[not text] for text in table.strings])
        for table in tables
    ]
    incomplete = np.any([part.any(axis=1) for part in holes], axis=0)
    cells = sum(
        int(part[:, _one_each(table)].sum()) for table, part in zip(tables, holes, strict=True)
    )
    rows = int(incomplete.sum())
    # the first missing cell is named
    if rows and missing == "error":
        table, part = next((t, part) for t, part in zip(tables, holes, strict=True) if part.any())
        i = int(np.argmax(part.any(axis=1)))
        where = table.row(i) if table.strings else table.cell(i, int(np.argmax(part[i])))
        raise DataError(
            f"{where}: the cell is missing ({cells} in {rows} rows); choose --missing drop or mean"
        )
    if missing == "mean":
        warning = (f"{cells} missing cells filled with training means",) if rows else ()
        return np.arange(len(incomplete)), warning
    if rows == len(incomplete):
        raise DataError(f"{tables[0].source}: every row has a missing cell, none is left")
    warning = (f"{rows} rows with missing cells dropped",) if rows else ()
    return np.flatnonzero(~incomplete), warning


def _one_each(table: Table) -> IntArray:
    """One feature for each column of the file."""
    if table.strings is not None:
        return np.zeros(1, dtype=np.intp)
    return np.unique(np.array(table.columns), return_index=True)[1]
