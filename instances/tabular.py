"""Tables from files, by the options of reading."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.delimited import split_rows, table_of
from radprog.instances.errors import DataError, OptionError
from radprog.instances.foreign import arff_grid, svmlight_table
from radprog.instances.labels import plain_label
from radprog.instances.scaling import SCALINGS
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


def options_like(like: Any, given: dict[str, Any]) -> Options:
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


def same_columns(table: Table, like: Any) -> None:
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
