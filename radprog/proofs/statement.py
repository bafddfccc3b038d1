"""The reproducible steps from the text of a data file to the points of a proof.

A cell is the float nearest to its text. x = (cell - shift) / divisor, in floats. With ``--scale
unit`` each row is divided by its largest entry, then by its norm. ``shift``, ``divisor`` and norms
are part of the statement, with the values of the fit.
"""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray
from radprog.instances.bags import Bags
from radprog.instances.data import Points
from radprog.instances.tables import decode, is_missing, read_bytes

Json = dict[str, Any]


def data_statement(data: Points | Bags, path: str | None) -> tuple[Json, bytes]:
    """The steps that read the rows of ``data`` from the file at ``path``, and the bytes of the
    file.

    If ``path`` is None, a table of the rows is made, with the labels first. Raises DataError if the
    file is not that of the data, or cannot be read in these steps.
    """
    # one rule for all columns: x = (cell - shift) / divisor
    scaler = data.scaler if isinstance(data, Points) else None
    if data.X.ndim != 2 or (scaler is not None and scaler.ends):
        raise DataError(f"{data.name}: a proof is about rows of numbers scaled by one rule")
    raw_rows, norms = _raw(data), None
    if scaler is not None and scaler.kind == "unit":
        # first divide by the largest entry, so that squares do not overflow
        missing = np.isnan(raw_rows)
        complete = raw_rows if scaler.fill is None else np.where(missing, scaler.fill, raw_rows)
        peaks = np.abs(complete).max(axis=1, keepdims=True, initial=0.0)
        lengths = np.linalg.norm(complete / np.where(peaks > 0, peaks, 1.0), axis=1)
        norms = np.where(lengths > 0, lengths, 1.0).tolist()
    reading: Json = {
        "rows": data.rows,
        "fill": None if scaler is None or scaler.fill is None else scaler.fill.tolist(),
        "shift": [0.0] * data.X.shape[1] if scaler is None else scaler.shift.tolist(),
        "divisor": [1.0] * data.X.shape[1] if scaler is None else scaler.divisor.tolist(),
        "norms": norms,
        "centres": [],
    }
    if path is None:
        # a table of the rows before scaling with all digits; the sign of the label comes first
        lines = [
            ",".join([str(int(y)), *map(repr, row)])
            for y, row in zip(data.signs.tolist(), raw_rows.tolist(), strict=True)
        ]
        raw = ("\n".join(lines) + "\n").encode()
        reading |= {"csv": _csv(",", '"'), "sparse": False, "label": 0, "left_out": []}
        reading |= {"columns": list(range(1, data.X.shape[1] + 1)), "signs": {"-1": -1, "1": 1}}
    else:
        raw = read_bytes(path)
        if Path(path).read_bytes() != raw:
            raise DataError(f"{path}: unpack it first: a checker reads the file as it stands")
        reading |= _layout(data, decode(path, raw).split("\n"), path)
    reading["sha256"] = hashlib.sha256(raw).hexdigest()
    if path is not None and reading["sha256"] != data.sha256:
        raise DataError(f"{path}: the result was made on another file: hashes differ")
    return reading, raw


def _raw(data: Points | Bags) -> FloatArray:
    """The rows before filling and scaling."""
    raw: Any = getattr(data, "raw", None)
    raw = data.X if raw is None else raw
    return np.asarray(raw.toarray() if hasattr(raw, "toarray") else raw)


def _layout(data: Points | Bags, lines: list[str], path: str) -> Json:
    """The delimiter, columns and signs that turn the lines into the rows of the data."""
    assert data.lines is not None
    # lines that are not rows of the data are left out
    row_lines = set(data.lines.tolist())
    left_out = [n for n, line in enumerate(lines, 1) if n not in row_lines and line.strip()]
    raw = _raw(data)
    # ways to cut lines: options of ``csv.reader``, or blanks; ``sparse`` for svmlight
    layouts: list[Json] = [
        {"csv": _csv(delimiter, quote) if delimiter else None, "sparse": False}
        for delimiter in (",", "\t", ";", None)
        for quote in (('"', "'") if delimiter else ("",))
    ]
    # the first one that gives back every cell
    for layout in [*layouts, {"csv": None, "sparse": True}]:
        cut, texts = layout["csv"], [lines[n - 1] for n in data.lines.tolist()]
        try:
            rows = [
                text.split("#")[0].split() if cut is None else next(csv.reader([text], **cut))
                for text in texts
            ]
        except (csv.Error, StopIteration):
            continue
        places = _entries(rows, raw) if layout["sparse"] else _columns(rows, raw)
        if places is not None:
            label, columns = places
            signs: dict[str, int] = {}
            for row, y in zip(rows, data.signs.tolist(), strict=True):
                signs.setdefault(row[label].strip(), int(y))
            layout |= {"left_out": left_out, "label": label, "columns": columns, "signs": signs}
            return layout
    raise DataError(
        f"{path}: its rows are not found again line by line: prove takes CSV, TSV, blanks or "
        "svmlight with a point in every line; or leave the path out in rp.prove"
    )


def _csv(delimiter: str, quote: str) -> Json:
    return {"delimiter": delimiter, "quotechar": quote, "skipinitialspace": True}


def _columns(rows: list[list[str]], raw: FloatArray) -> tuple[int, list[int]] | None:
    """The columns of the labels and of the features, if the other cells are the raw rows."""
    width = len(rows[0])
    if width != raw.shape[1] + 1 or any(len(row) != width for row in rows):
        return None
    # the labels are in the last column, or in another one
    for label in (width - 1, *range(width - 1)):
        columns = [j for j in range(width) if j != label]
        if all(
            _is(row[j], value)
            for row, values in zip(rows, raw.tolist(), strict=True)
            for j, value in zip(columns, values, strict=True)
        ):
            return label, columns
    return None


def _entries(rows: list[list[str]], raw: FloatArray) -> tuple[int, list[int]] | None:
    """The same columns for svmlight, whose indices start at 1 or at 0."""
    if not all(row and all(entry.count(":") == 1 for entry in row[1:]) for row in rows):
        return None
    entries_of = [dict(entry.split(":") for entry in row[1:]) for row in rows]
    for first in (1, 0):
        columns = list(range(first, first + raw.shape[1]))
        if all(
            _is(entries.get(str(j), "0"), value)
            for entries, values in zip(entries_of, raw.tolist(), strict=True)
            for j, value in zip(columns, values, strict=True)
        ):
            return 0, columns
    return None


def _is(cell: str, value: float) -> bool:
    """Whether the text of a cell is this float; a missing cell is NaN."""
    if is_missing(cell):
        return value != value
    if not cell.isascii() or "_" in cell:  # only Python reads digits of other scripts as floats
        return False
    try:
        return float(cell) == value
    except ValueError:
        return False
