"""Readers of svmlight (by scikit-learn), ARFF (header by SciPy) and Parquet (by pyarrow).

``radprog[parquet]`` installs pyarrow.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import MALFORMED, DataError, OptionError, extra
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.instances.delimited import Grid, split_cells
from radprog.instances.tables import (
    Table,
    checked_table,
    place,
    shown,
)

MAX_CELLS = 500_000_000
PARQUET_MAGIC = b"PAR1"


def svmlight_table(
    source: str,
    text: str,
    *,
    sha256: str,
    label: str,
    width: int | None = None,
    names: tuple[str, ...] = (),
) -> Table:
    """The table of a text in svmlight format: rows ``label index:value ...`` with ascending
    indices.

    Cells without an entry are 0. The smallest index is 1, or 0 if the file has an index 0. The
    indices are the names of the features. ``width`` and ``names`` of any training data determine
    the number of features and the smallest index.
    """
    points, base, lines, labels = svmlight_rows(source, text, label, names)
    if points.shape[0] * points.shape[1] > MAX_CELLS:
        raise DataError(
            f"{source}: {points.shape[0]} rows up to feature index {points.shape[1] - 1} are too "
            "many cells to hold densely"
        )
    values: FloatArray = points.toarray()[:, base:]
    # features of the training data that no row here has are 0
    if width is not None and values.shape[1] < width:
        values = np.pad(values, ((0, 0), (0, width - values.shape[1])))
    d = values.shape[1]
    return checked_table(
        Table(
            source=source,
            sha256=sha256,
            values=values,
            lines=np.array(lines, dtype=np.int64),
            columns=tuple(range(base, base + d)),
            names=tuple(str(j) for j in range(base, base + d)),
            labels=labels,
        )
    )


def svmlight_rows(
    source: str, text: str, label: str, names: tuple[str, ...] = ()
) -> tuple[Any, int, list[int], tuple[str, ...] | None]:
    """The points, the smallest index of a feature, the line of each row, and the labels.

    The points are a sparse matrix with one column for each index from 0.
    """
    if label not in ("last", "first", "none"):
        raise OptionError(
            f"{source}: label column '{label}': an svmlight row begins with its label"
        )
    # comments and blank lines are no rows
    contents = [line.split("#")[0].strip() for line in text.split("\n")]
    lines = [k for k, content in enumerate(contents, start=1) if content]
    points = _loaded(source, contents)
    # indices begin at 1, or at 0 where the file uses that
    uses_zero = bool((points.indices == 0).any())
    base = int(names[0] != "0") if names else int(not uses_zero)
    if base == 1 and uses_zero:
        raise DataError(f"{source}: feature index 0, but those of the training data begin at 1")
    labels = None if label == "none" else tuple(row.split()[0] for row in contents if row)
    return points, base, lines, labels


def _loaded(source: str, contents: Sequence[str]) -> Any:
    """Points as a sparse matrix, with one column per index from 0. An error names the row."""
    poll()
    try:
        return _load_svmlight("\n".join(contents))[0]
    except (ValueError, OverflowError):
        # read row by row to name the one that is wrong
        for k, content in enumerate(contents, start=1):
            try:
                _load_svmlight(content)
            except (ValueError, OverflowError) as error:
                raise DataError(
                    f"{place(source, k)}: got '{shown(content)}', expected a numeric label and "
                    f"ascending index:value pairs ({shown(error)})"
                ) from None
        raise


def _load_svmlight(text: str) -> Any:
    from sklearn.datasets import load_svmlight_file

    if re.search(r"\d_\d", text):
        raise ValueError("'_' inside a number")
    return load_svmlight_file(io.BytesIO(text.encode()), zero_based=True)


def arff_grid(source: str, text: str) -> Grid:
    """The table of an ARFF file with numeric and nominal attributes and dense rows.

    Nominal values that are numbers become numbers. SciPy reads only the declarations, because its
    reader of rows ignores surplus cells.
    """
    from scipy.io import arff

    lines = text.split("\n")
    # declarations stand above @data
    start = next((k for k, line in enumerate(lines) if re.match(r"\s*@data\b", line, re.I)), None)
    if start is None:
        raise DataError(f"{source}: no @data line, expected ARFF")
    try:
        _, meta = arff.loadarff(io.StringIO("\n".join(lines[: start + 1]) + "\n"))
    except NotImplementedError:
        raise DataError(
            f"{source}: string attributes cannot be read from ARFF: write the rows as CSV"
        ) from None
    except (OSError, ValueError, StopIteration, RuntimeError) as error:
        raise DataError(
            f"{source}: the ARFF declarations cannot be read: {shown(error, most=200)}"
        ) from None
    names = tuple(str(name) for name in meta.names())
    if not names:
        raise DataError(f"{source}: no @attribute line, expected ARFF")
    for name, kind in zip(names, meta.types(), strict=True):
        if kind not in ("numeric", "nominal"):
            raise DataError(f"{source}: attribute '{name}' is a {kind}, expected a number")
    # rows below: quoted by one of two marks, and not sparse
    body = lines[start + 1 :]
    quote = "'" if any("'" in line for line in body) else '"'
    first = next((line.strip() for line in body if line.strip()[:1] not in ("", "%")), "")
    if first.startswith("{"):
        raise DataError(f"{source}: sparse ARFF rows are not read: write them as svmlight")
    # blank lines in place of the declarations keep the row numbers
    shifted = "\n" * (start + 1) + "\n".join(body)
    return split_cells(source, shifted, comment="%", quote=quote, header=names)


def _read_column(source: str, name: str, column: Any) -> NDArray[Any]:
    """A column of pyarrow as numbers or strings. Truth values become 1 and 0.

    Raises DataError for another type.
    """
    import pyarrow as pa

    poll()
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        plain = column.cast(kind).cast(pa.float64(), safe=False)
        return np.asarray(plain.to_numpy(zero_copy_only=False), dtype=np.float64)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)):
        raise DataError(
            f"{source}: column '{shown(name)}' is of type {kind}, expected numbers, truth values "
            "or texts"
        )
    return np.array(["" if cell is None else cell for cell in column.to_pylist()], dtype=object)


def parquet_grid(source: str, raw: bytes) -> Grid:
    """The table of a Parquet file with columns of numbers, truth values (as 1 and 0) and strings.

    A null is a missing cell. Rows are counted from 1. The index of a pandas frame is omitted.
    Raises ExtraError without pyarrow, and DataError for a damaged file, no rows, or more than
    MAX_CELLS cells.
    """
    with extra("parquet", f"{source}: Parquet"):
        import pyarrow as pa
        from pyarrow import parquet
    try:
        file = parquet.ParquetFile(pa.BufferReader(raw))
        rows, schema = file.metadata.num_rows, file.schema_arrow
        # the index that pandas wrote along is not a column of data
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        kept = [j for j, name in enumerate(schema.names) if name not in index]
        names = tuple(schema.names[j] for j in kept)
        if rows * len(names) > MAX_CELLS:
            raise DataError(f"{source}: {rows} rows of {len(names)} columns are too many cells")
        table = file.read()
    except (pa.ArrowException, OSError, *MALFORMED) as error:
        raise DataError(f"{source}: cannot be read as Parquet: {shown(error, most=200)}") from None
    if not rows or not names:
        raise DataError(f"{source}: no rows of data")
    return Grid(
        source=source,
        lines=np.arange(1, rows + 1),
        header=names,
        columns=[_read_column(source, names[k], table[j]) for k, j in enumerate(kept)],
        plain=False,
    )
