"""Tables of ARFF, Parquet and svmlight files."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from radprog.base.errors import MALFORMED, DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import IntArray
from radprog.instances.tables import (
    Frame,
    is_text,
    numbers_of,
    place,
    shown,
    text_frame,
    texts_of,
    typed_column,
)

SVMLIGHT = (".svm", ".svmlight", ".libsvm")  # suffixes
MAX_CELLS = 500_000_000

_WORD = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""  # a word of an ARFF file in quotes
QUOTED = re.compile(rf"(?<![^,\s])(?:{_WORD})(?=[,\s]|$)")
LEVEL = re.compile(rf"{_WORD}|[^,\s'\"][^,]*")
ATTRIBUTE = re.compile(
    rf"""@attribute\s+({_WORD}|[^\s'"{{}},%]+)\s*"""
    rf"""(?:\{{((?:{_WORD}|[^'"{{}}])*)\}}|numeric|real|integer)""",
    re.I,
)


def arff_frame(source: str, text: str) -> Frame:
    """The table of an ARFF file with numeric and nominal attributes and dense rows.

    Names and cells may stand in quotes of both kinds. scipy's reader leaves surplus cells out
    without a word, names no row in its errors, and knows ASCII only. Raises DataError, with the row
    and column, for a declaration or a cell that the format does not allow.
    """
    # declarations stand above @data
    lines = text.split("\n")
    start = next((k for k, line in enumerate(lines) if re.match(r"\s*@data\b", line, re.I)), None)
    if start is None:
        raise DataError(f"{source}: no @data line, expected ARFF")
    kinds = dict[str, list[str] | None]()
    for line, words in enumerate(map(str.strip, lines[:start]), 1):
        if not words or words[0] == "%" or words.lower().startswith("@relation"):
            continue
        declared = ATTRIBUTE.fullmatch(words)
        if declared is None or (name := _unquoted(declared[1])) in kinds:
            raise DataError(
                f"{place(source, line)}: the ARFF declarations cannot be read: '{shown(words)}', "
                "expected @attribute, a new name, and numeric or levels in braces"
            )
        texts = declared[2]
        kinds[name] = None if texts is None else [_unquoted(x[0]) for x in LEVEL.finditer(texts)]
    # rows below: quotes of both kinds become those of CSV; blank lines in place of the declarations
    # keep the row numbers
    body = [
        QUOTED.sub(lambda word: '"' + _unquoted(word[0]).replace('"', '""') + '"', line)
        for line in lines[start + 1 :]
    ]
    if not kinds or any(line.lstrip().startswith("{") for line in body):
        raise DataError(
            f"{source}: no @attribute lines, or sparse rows, which are not read: write svmlight"
        )
    shifted = "\n" * (start + 1) + "\n".join(body)
    frame = text_frame(source, shifted, comment="%", names=tuple(kinds))
    # each cell is of the declared type
    for j, levels in enumerate(kinds.values()):
        if levels is None and numbers_of(frame.columns[j]) is not None:
            continue
        for i, cell in enumerate(texts_of(frame.columns[j])):
            if is_text(cell) if levels is None else cell not in (*levels, "?"):
                expected = "a number" if levels is None else f"one of {shown(', '.join(levels))}"
                raise DataError(f"{frame.place(i, j)}: got '{shown(cell)}', expected {expected}")
    return frame


def _unquoted(word: str) -> str:
    """A word of an ARFF file without its quotes and backslashes."""
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word.strip()


def parquet_frame(source: str, raw: bytes) -> Frame:
    """The table of a Parquet file with columns of numbers, truth values (as 1 and 0) and texts.

    A null is a missing cell. Rows are counted from 1. The index of a pandas frame is omitted.
    Raises DataError for a damaged file, no rows, another type, or more than MAX_CELLS cells.
    """
    import pyarrow as pa
    from pyarrow import parquet, types

    try:
        file = parquet.ParquetFile(pa.BufferReader(raw))
        schema = file.schema_arrow
        rows = file.metadata.num_rows
        # the index that pandas wrote along is not a column of data
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        names = tuple(name for name in schema.names if name not in index)
        if rows * len(names) > MAX_CELLS:
            raise DataError(f"{source}: {rows} rows of {len(names)} columns are too many cells")
        table = file.read()
    except (pa.ArrowException, OSError, *MALFORMED) as error:
        raise DataError(f"{source}: cannot be read as Parquet: {shown(error, limit=200)}") from None
    if not rows or not names:
        raise DataError(f"{source}: no rows of data")
    columns: list[Any] = []
    for j, name in enumerate(names):
        part = table.column(schema.names.index(name))
        if types.is_float64(part.type):
            # Arrow's own conversion would import pandas
            columns.append(np.array(np.from_dlpack(part.fill_null(np.nan).combine_chunks())))
        else:
            columns.append(typed_column(part.to_pylist(), source, j, name))
    return Frame(source=source, columns=columns, lines=np.arange(1, rows + 1), names=names)


def svmlight_rows(
    source: str, text: str, label: str, names: Sequence[str] = ()
) -> tuple[Any, int, IntArray, tuple[str, ...] | None]:
    """The points, the smallest index of a feature, the line of each row, and the labels.

    The points are a sparse matrix with one column for each index from 0. The smallest index is 1,
    or 0 if the file has an index 0; the ``names`` of the features of any training data are indices
    and determine it. Raises DataError, with the row, for a row that scikit-learn cannot read.
    """
    from sklearn.datasets import load_svmlight_file

    def load(text: str) -> Any:
        if re.search(r"\d_\d", text):
            raise ValueError("'_' inside a number")
        return load_svmlight_file(io.BytesIO(text.encode()), zero_based=True)[0]

    if label not in ("last", "first", "none"):
        raise OptionError(
            f"{source}: label column '{label}': an svmlight row begins with its label"
        )
    # comments and blank lines are no rows
    contents = [line.split("#")[0].strip() for line in text.split("\n")]
    poll()
    try:
        points = load("\n".join(contents))
    except (ValueError, OverflowError):
        # read row by row to name the one that is wrong
        for k, content in enumerate(contents, start=1):
            try:
                load(content)
            except (ValueError, OverflowError) as error:
                raise DataError(
                    f"{place(source, k)}: got '{shown(content)}', expected a numeric label and "
                    f"ascending index:value pairs ({shown(error)})"
                ) from None
        raise
    # indices begin at 1, or at 0 where the file uses that
    uses_zero = bool((points.indices == 0).any())
    base = int(names[0] != "0") if names else int(not uses_zero)
    if base == 1 and uses_zero:
        raise DataError(f"{source}: feature index 0, but those of the training data begin at 1")
    lines = np.array([k for k, content in enumerate(contents, start=1) if content], dtype=np.int64)
    labels = None if label == "none" else tuple(row.split()[0] for row in contents if row)
    return points, base, lines, labels


def svmlight_frame(
    source: str, text: str, label: str, names: Sequence[str] = (), width: int = 0
) -> Frame:
    """The columns of an svmlight file: its labels, unless ``label`` is ``none``, and the features.

    Any training data have the ``names`` of ``width`` features, and are not compared by name. Raises
    DataError as :func:`svmlight_rows` does, and for more than MAX_CELLS cells.
    """
    import pyarrow as pa

    points, base, lines, labels = svmlight_rows(source, text, label, names)
    n, d = points.shape
    if n * d > MAX_CELLS:
        raise DataError(
            f"{source}: {n} rows up to feature index {d - 1} are too many cells to hold densely"
        )
    # features of the training data that no row here has are 0
    points.resize(n, max(d, base + width))
    columns = [*points.toarray()[:, base:].T]
    features = names if len(names) == len(columns) else map(str, range(base, base + len(columns)))
    if labels is None:
        return Frame(source=source, columns=columns, lines=lines, names=tuple(features))
    columns.insert(0, pa.array(labels, pa.string()))
    return Frame(source=source, columns=columns, lines=lines, names=("label", *features))
