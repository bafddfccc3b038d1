"""Readers of series and bags of patterns: UCR text, .ts, and arrays in .npz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import archive, labels_of
from radprog.instances.bags import NOUN, BagKind, Bags, checked_values
from radprog.instances.data import labelled, unknown
from radprog.instances.tables import (
    AnyPath,
    Table,
    cell_number,
    decode,
    digest,
    format_of,
    place,
    read_bytes,
    shown,
)
from radprog.instances.tabular import TableOptions, options_like, parse_table

NO_SERIES_OPTION = {"scale": "none", "missing": "error", "strings": None}


def read_series(
    path: AnyPath,
    *,
    label: str | int | None = None,
    positive: str | int | None = None,
    one_vs_rest: bool | None = None,
    weights: str | int | None = None,
    like: Bags | None = None,
    **others: str | None,
) -> Bags:
    r"""Read time series or bags of patterns from a file.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format (see Notes).
    label : str or int, optional
        The label column in UCR text: ``first`` (default), ``last``, ``none`` or an index. Other
        formats accept only ``none``, to omit the labels.
    positive : str or int, optional
        The label of +1. The default is the second of the two labels in increasing order.
    one_vs_rest : bool, optional
        Whether to accept more than two classes.
    weights : str or int, optional
        The column of UCR text, or the array in the ``.npz`` file, with the weights of the rows.
    like : Bags, optional
        Training data, or the result of ``Bags.from_recipe``. Their options and labels are used.
    **others
        Not accepted. The other options of :func:`radprog.read`, such as ``scale``, do not apply to
        time series.

    Returns
    -------
    Bags
        The data set.

    Raises
    ------
    DataError
        If the file cannot be used, lengths differ, numbers are missing, or the length differs from
        that of the training data. The message names the file and the row.
    OptionError
        If an option does not apply to time series.

    Notes
    -----
    - ``.npz``: bags of patterns, in the arrays X (m, Q, l) and y (m,); y is optional.
    - ``.ts``: time series of equal length with one or more dimensions; the label is the last field.
    - Other suffixes: UCR text, with one series per row, separated by tabs, commas or blanks.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("waves.csv").write_text("1,0.0,1.0,2.0\n2,1.0,0.0,1.0\n")
    >>> rp.read_series("waves.csv")
    <Bags 'waves.csv': 2 x 3, classes '1', '2'>
    """
    first = "first" if label is None and like is None else label
    own = {"positive": positive, "one_vs_rest": one_vs_rest, "weights": weights}
    options = options_like(like, {"label": first}, **own, **others)
    for name, value in NO_SERIES_OPTION.items():
        if getattr(options, name) != value:
            raise OptionError(
                f"{name} '{getattr(options, name)}' has no meaning for {NOUN['series']}"
            )
    # the values and labels of the file
    source, raw = str(path), read_bytes(path)
    data, texts, counts = _parse(source, raw, options, like)
    reading = options.reading("label", "positive", "one_vs_rest")
    data = replace(data, sha256=digest(raw), reading=reading)
    # the shape and the options of the training data hold
    if like is not None:
        _same_shape(data, like)
        data = replace(data, labels=like.labels, reading=dict(like.reading))
    if texts is None:
        if positive is not None:
            raise OptionError(f"positive '{positive}' has no meaning without labels")
        return data.weighed(counts)
    # classes from the labels
    assert data.lines is not None
    how: dict[str, Any] = {"positive": options.positive, "one_vs_rest": options.one_vs_rest}
    return labelled(data, texts, data.name, data.lines, like=like, **how).weighed(counts)


def _parse(
    source: str, raw: bytes, options: TableOptions, like: Bags | None
) -> tuple[Bags, Sequence[str] | None, FloatArray | None]:
    """The rows of a file, the text of each label, and weights."""
    label, weights = options.label, options.weights
    suffix = format_of(source)
    if weights is not None and suffix == ".ts":
        raise OptionError(f"weights '{weights}' have no meaning for .ts files")
    if suffix in (".npz", ".ts"):
        if label not in ("first", "last", "none"):
            raise OptionError(f"label '{label}' has no meaning for {suffix} files: only none has")
        if suffix == ".npz":
            data, texts, counts = _npz(source, raw, weights, like is not None)
        else:
            (data, texts), counts = _ts(source, raw), None
        return data, None if label == "none" else texts, counts
    width = None if like is None or like.X.ndim != 2 else like.span
    table = parse_table(source, raw, options, width=width)
    return _rows(source, _complete(table), "series", table.lines), table.labels, table.weights


def _rows(source: str, values: FloatArray, kind: BagKind, lines: IntArray) -> Bags:
    """Values (m, ...) of a file, and the line of each row."""
    codes = unknown(len(values))
    return Bags(X=values, codes=codes, kind=kind, lines=lines, name=Path(source).name)


def _complete(table: Table) -> FloatArray:
    holes = np.argwhere(np.isnan(table.values))
    if len(holes):
        i, j = holes[0].tolist()
        raise DataError(
            f"{table.cell(i, j)}: the value is missing; series must be complete and of equal "
            "length (unequal series are padded like this)"
        )
    return table.values


def _same_shape(data: Bags, like: Bags) -> None:
    # bags hold as many patterns as they like
    first = 2 if like.kind == "bags" else 1
    if data.kind != like.kind or data.X.shape[first:] != like.X.shape[first:]:
        raise DataError(
            f"{data.name}: {NOUN[data.kind]} of shape {data.X.shape[1:]}, expected "
            f"{NOUN[like.kind]} of shape {like.X.shape[1:]} as in the training data"
        )


def _npz(
    source: str, raw: bytes, weights: str | None, trained: bool
) -> tuple[Bags, list[str] | None, FloatArray | None]:
    """Arrays X (m, Q, l), y (m,) and weights (m,) of an archive, without unpickling.

    The last two may be missing.
    """
    own = () if weights is None else (weights,)
    needed, optional = (("X",), ("y", *own)) if trained else (("X", *own), ("y",))
    arrays = archive(source, raw, needed, optional)
    values = checked_values(arrays["X"], "bags", source)
    m, y = len(values), arrays.get("y")
    texts = None if y is None else labels_of(y, m, source)
    counts = None if weights is None else arrays.get(weights)
    return _rows(source, values, "bags", np.arange(1, m + 1)), texts, counts


def _ts(source: str, raw: bytes) -> tuple[Bags, list[str] | None]:
    """Series of a .ts file: ``@`` lines, then rows of dimensions and a label between colons."""
    # declarations begin with @, then rows of dimensions between colons
    header: dict[str, list[str]] = {}
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(decode(source, raw).split("\n"), start=1):
        text = line.strip()
        if not text or text.startswith(("#", "%")):
            continue
        if text.startswith("@"):
            key, *words = text.split()
            header[key.lower()] = words
        elif "@data" in header:
            rows.append((number, text.split(":")))
        else:
            raise DataError(f"{place(source, number)}: '{shown(text)}' before the line @data")
    if not rows:
        raise DataError(f"{source}: no rows of data after a line @data")
    if _says_true(header.get("@timestamps", [])):
        raise DataError(f"{source}: time stamps are not read, only equally spaced series")
    # the last field is the label, unless the file says that it has none
    named = _says_true(header.get("@classlabel", ["true"]))
    width = len(rows[0][1]) - named
    parts: list[FloatArray] = []
    for number, fields in rows:
        if len(fields) - named != width or width < 1:
            raise DataError(
                f"{place(source, number)}: {len(fields)} fields between colons, expected "
                f"{max(width, 1) + named} as in row {rows[0][0]}"
            )
        parts.append(_ts_row(source, number, fields[:width]))
        if parts[-1].shape != parts[0].shape:
            raise DataError(
                f"{place(source, number)}: {parts[-1].shape[1]} points, expected "
                f"{parts[0].shape[1]} as in row {rows[0][0]}: series must be of equal length"
            )
    # the header states the number of dimensions
    stated = header.get("@dimensions", header.get("@dimension", []))
    if stated and stated != [str(width)]:
        raise DataError(
            f"{place(source, rows[0][0])}: {width} dimensions, expected {shown(' '.join(stated))} "
            "as in the line @dimensions"
        )
    # series of one dimension lose that axis
    values = np.stack(parts)
    labels = [fields[-1].strip() for _, fields in rows] if named else None
    # a label that the header does not declare is a misprint; a missing one is refused later
    declared = header.get("@classlabel", [])[1:]
    for (number, _), label in zip(rows, labels or [], strict=False):
        if declared and label not in (*declared, "?", ""):
            expected = shown(", ".join(declared))
            raise DataError(
                f"{place(source, number)}: label '{shown(label)}', expected one of {expected}"
            )
    lines = np.array([number for number, _ in rows], dtype=np.int64)
    return _rows(source, values[:, 0, :] if width == 1 else values, "series", lines), labels


def _says_true(words: Sequence[str]) -> bool:
    return words[:1] != [] and words[0].lower() == "true"


def _ts_row(source: str, number: int, fields: Sequence[str]) -> FloatArray:
    """Channels x points of one row. Raises DataError for a missing, infinite or invalid number."""
    # as many points in every dimension
    cells: list[Any] = [field.split(",") for field in fields]
    lengths = {len(row) for row in cells}
    if len(lengths) != 1:
        raise DataError(f"{place(source, number)}: dimensions of {sorted(lengths)} points")
    numbers = [cell_number(cell) for row in cells for cell in row]
    if None in numbers:
        wrong = next(cell for row in cells for cell in row if cell_number(cell) is None)
        raise DataError(f"{place(source, number)}: got '{shown(wrong)}', expected a number")
    values = np.array(numbers, dtype=np.float64).reshape(len(cells), -1)
    if not np.isfinite(values).all():
        raise DataError(f"{place(source, number)}: a value is missing or infinite")
    return values
