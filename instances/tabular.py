"""From the columns of a table to features, labels and weights, for files, frames and arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Data, Points
from radprog.instances.frames import (
    MAX_CELLS,
    SVMLIGHT,
    TRUTHS,
    Frame,
    arff_frame,
    cells_of,
    is_text,
    parquet_frame,
    svmlight_rows,
    text_frame,
)
from radprog.instances.labels import AMOUNT, WITH_COMMA, indicators, levels_of, plain_label
from radprog.instances.scaling import SCALINGS
from radprog.instances.tables import (
    Levels,
    cell_number,
    decode,
    digest,
    format_of,
    is_missing,
    place,
    same_columns,
    shown,
)

#: The options of a table with a list of words, and these words.
WORDS = {
    "scale": SCALINGS,
    "missing": ("drop", "mean", "error"),
    "decimal": (".", ","),
    "header": ("auto", "yes", "no"),
}
WHERE_CHOSEN = ("one_vs_rest", "weights", "categorical", "decimal", "header")
OF_THE_FILE = ("label", "decimal", "header")  # may be others than of the training data


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``read`` with their defaults."""

    label: str = "last"
    scale: str = "none"
    missing: str = "error"
    positive: str | None = None
    strings: str | None = None
    one_vs_rest: bool = False
    weights: str | None = None
    categorical: str | None = None
    decimal: str | None = None
    header: str | None = None

    def __post_init__(self) -> None:
        # words, then what strings and labels leave without a meaning
        for name, allowed in WORDS.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                between = " " if name == "decimal" else ", "
                raise OptionError(f"{name} '{value}': expected one of {between.join(allowed)}")
        if self.strings is not None:
            for name in ("scale", "categorical", "missing"):
                if (value := getattr(self, name)) not in (None, "none", "drop", "error"):
                    raise OptionError(f"{name} '{value}' has no meaning for strings")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    def reading(self, *names: str) -> dict[str, Any]:
        """The options as a mapping: all of them, or those with the given names.

        Options in WHERE_CHOSEN are included only if they are set, because some models do not have
        them.
        """
        options = asdict(self)
        kept = {*(names or options.keys() - set(WHERE_CHOSEN))}
        kept |= {key for key in WHERE_CHOSEN if options[key]}
        return {key: value for key, value in options.items() if key in kept}


class ReadOptions(TypedDict, total=False):
    """The options of all readers of tables, see :func:`radprog.read`."""

    label: str | int | None
    scale: str | None
    missing: str | None
    categorical: str | None
    decimal: str | None
    header: str | None


def options_like(like: Data | None, reading: ReadOptions, **own: Any) -> TableOptions:
    """The options that are not None, combined with the options of any training data ``like``.

    Only options in OF_THE_FILE may differ from the options of the training data. ``own`` are the
    options that only this reader accepts. Raises OptionError for a different or invalid option, and
    TypeError for an unknown option.
    """
    if strange := reading.keys() - ReadOptions.__optional_keys__:
        raise TypeError(f"this reader has no option {', '.join(sorted(strange))}")
    chosen: dict[str, Any] = {
        key: value if isinstance(value, bool) else str(value)
        for key, value in {**reading, **own}.items()
        if value is not None
    }
    if like is None:
        return TableOptions(**chosen)
    # the options of the training data; arrays have none: fill as they were filled, else leave out
    trained: dict[str, Any] = {"categorical": None}
    if isinstance(like, Points) and like.scaler is not None:
        trained["scale"] = like.scaler.kind
    if isinstance(like, Points) and not like.reading:
        filled = like.scaler is not None and like.scaler.fill is not None
        trained["missing"] = "mean" if filled else "drop"
    names = {one.name for one in fields(TableOptions)}
    trained |= {key: value for key, value in like.reading.items() if key in names}
    fixed = {**trained, "positive": like.labels[1]} if len(like.labels) == 2 else trained
    # an option may repeat that of the training data
    for key, value in chosen.items():
        same = value == fixed.get(key) or (
            key == "positive" and plain_label(value) == fixed.get(key)
        )
        if key in fixed and key not in OF_THE_FILE and not same:
            raise OptionError(
                f"{key} '{value}' given, but it is '{fixed[key]}' in the training data"
            )
    if chosen.get("label") == "none":
        chosen["positive"] = None
    return TableOptions(**{**trained, **chosen})


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The features, labels and weights of the rows of a table.

    - values: float64 (n, d), the features in the order of the file. Missing cells are NaN, and no
      number is infinite.
    - lines: int64 (n,), the row number of each point in the file, counted from 1.
    - columns: the column number of each feature in the file, counted from 0.
    - names: the names of the features, or ().
    - labels: n strings as in the file, or None; strings: n strings of a text column, or None.
    - weights: n numbers >= 0, or None if there is no column of weights.
    - levels: the levels of each text column, by the index of the column among the feature columns,
      from 0. Each level is a feature: 1 if the cell has this level, and 0 otherwise.
    - header: a description of the row with the names; "" if the format declares the names.
    - warnings: lines of text; left_out: the dropped rows of the file.
    - ends: the first feature of each of several tables side by side, except the first table.
    """

    source: str
    values: FloatArray
    lines: IntArray
    columns: tuple[int, ...]
    sha256: str = ""
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None
    strings: tuple[str, ...] | None = None
    weights: FloatArray | None = None
    levels: Levels = field(default_factory=dict)
    header: str = ""
    warnings: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file; for several files, their number."""
        return f"{len(self.ends) + 1} views" if self.ends else Path(self.source).name

    def take(self, kept: IntArray) -> Table:
        """The table with only the rows ``kept``."""
        labels, strings, weights = self.labels, self.strings, self.weights
        return replace(
            self,
            values=self.values[kept],
            lines=self.lines[kept],
            labels=None if labels is None else tuple(labels[i] for i in kept),
            strings=None if strings is None else tuple(strings[i] for i in kept),
            weights=None if weights is None else weights[kept],
            left_out=tuple(sorted((*self.left_out, *np.delete(self.lines, kept).tolist()))),
        )

    def cell(self, row: int, feature: int) -> str:
        """The position of a cell, for messages."""
        if self.strings is not None:
            return place(self.source, int(self.lines[row]))
        name = self.names[feature] if self.names else None
        return place(self.source, int(self.lines[row]), self.columns[feature], name)

    def checked(self) -> Table:
        """The table, with a warning about a feature that looks like the index of a pandas frame.

        Raises DataError if the table has no rows, if it has neither features nor strings, or if a
        cell is infinite.
        """
        if not len(self.lines):
            raise DataError(f"{self.source}: no rows of data")
        if self.strings is None and not self.columns:
            raise DataError(f"{self.source}: no feature column beside the label")
        # the first infinite cell, row by row, is named
        infinite = np.argwhere(np.isinf(self.values))
        if len(infinite):
            where = self.cell(*infinite[0].tolist())
            raise DataError(f"{where}: the cell is infinite, or too large; expected a number")
        # pandas writes an index without a name
        for name, column in zip(self.names, self.values.T, strict=False):
            whole = name in ("", "Unnamed: 0") and np.array_equal(column, np.floor(column))
            if whole and 1 < len(column) == len(np.unique(column)):
                warning = (
                    f"feature '{name}' numbers the rows, like the index of a pandas frame: leave "
                    "it out with to_csv(FILE, index=False), or read_csv(FILE, index_col=0)"
                )
                return replace(self, warnings=(*self.warnings, warning))
        return self


def read_table(
    source: str,
    raw: bytes,
    options: TableOptions,
    like: Points | None = None,
    width: int | None = None,
) -> Table:
    """The table in the bytes of a data file; the suffix or the content determines the format.

    ``source`` is the path of the file. ``width`` is the number of features of any training data.
    Raises DataError for an invalid file, and OptionError for an option that the format does not
    have.
    """

    def refuse(form: str, *roles: str) -> None:
        """Raise OptionError for a column, decimal commas or a header that a format cannot have."""
        for role in ("decimal", "header", *roles):
            if (value := getattr(options, role)) not in (None, ".", "auto") or (
                value is not None and role in roles
            ):
                raise OptionError(f"{source}: {form} has no {role} '{value}'")

    # the format: Parquet by its first bytes, text by suffix or first line
    suffix = format_of(source)
    if raw.startswith(b"PAR1") or suffix == ".parquet":
        refuse("Parquet")
        frame = parquet_frame(source, raw)
    else:
        text = decode(source, raw)
        lines = (line.group().strip() for line in re.finditer(r"[^\n]+", text))
        first = next((line for line in lines if line and line[0] not in "#%"), "")
        if suffix in SVMLIGHT or re.fullmatch(r"\S+(\s+\d+:\S+)+\s*(#.*)?", first):
            refuse("svmlight", "strings", "weights", "categorical")
            names = () if like is None else like.given_features
            points, base, rows, labels = svmlight_rows(source, text, options.label, names)
            if points.shape[0] * points.shape[1] > MAX_CELLS:
                raise DataError(
                    f"{source}: {points.shape[0]} rows up to feature index {points.shape[1] - 1} "
                    "are too many cells to hold densely"
                )
            # features of the training data that no row here has are 0
            points.resize(points.shape[0], max(points.shape[1], base + (width or 0)))
            columns = tuple(range(base, points.shape[1]))
            return Table(
                source=source,
                sha256=digest(raw),
                values=points.toarray()[:, base:],
                lines=rows,
                columns=columns,
                names=tuple(map(str, columns)),
                labels=labels,
            ).checked()
        if suffix == ".arff" or first.lower().startswith("@relation"):
            refuse("ARFF")
            frame = arff_frame(source, text)
        else:
            frame = text_frame(source, text, decimal=options.decimal or ".")
    return replace(table_of(frame, options, like, width), sha256=digest(raw))


def table_of(
    frame: Frame, options: TableOptions, like: Points | None = None, width: int | None = None
) -> Table:
    """Features, labels, strings and weights of the columns of a file.

    - label: ``last``, ``first``, ``none``, a name of the header, or an index from 0. For ``last``
      and ``first``, the column of weights is ignored.
    - strings, weights: a name or an index.
    - width: the number of features of any training data ``like``. A file with exactly as many
      columns has no label. With ``strings``, a file with one column has no label. A file without a
      name for the weights, and with at most one more column, has no weights.
    - categorical: text columns, by names or indices joined by commas, or ``auto``; the levels of
      training data replace it.
    """
    trained = () if like is None else like.given_features
    levels = None if like is None else like.levels
    first = frame.names or tuple(cells[0] for cells in frame.head(1))
    # a text column is one column of the file and a feature for each level
    if width is not None and levels:
        width -= sum(len(texts) - 1 for texts in levels.values())
    alone = 1 if options.strings is not None else width  # columns of a file that has no label
    label, weights = options.label, options.weights
    if _is_name(label) and label in trained:
        raise OptionError(f"{frame.source}: label '{label}' is a feature of the training data")
    if len(first) == alone:
        label = "none"
    # without its label the columns are compared with those of the training data
    if _is_name(label) and label not in first and not set(trained).isdisjoint(first):
        label = "none"
    # later files may lack the weights
    if len(first) == alone or (
        alone is not None and weights not in first and len(first) == alone + (label != "none")
    ):
        weights = None
    # the columns with a role; those left over are features
    w = None if weights is None else column_named(frame, weights, first, "weights")
    order = [j for j in range(len(first)) if j != w] or [0]
    if label in ("last", "first"):
        k: int | None = order[-1 if label == "last" else 0]
    else:
        k = None if label == "none" else column_named(frame, label, first, "label")
    strings = options.strings
    s = None if strings is None else column_named(frame, strings, first, "strings")
    roles = [j for j in (k, s, w) if j is not None]
    if len(set(roles)) < len(roles):
        raise DataError(
            f"{frame.source}: label, strings and weights are columns {roles}, expected different "
            "ones"
        )
    columns = [j for j in order if s is None and j not in roles]
    chosen = None
    if options.categorical is not None and levels is None:
        chosen = text_columns(frame, options.categorical, first, columns)
    # the first row is a header for certain if options call columns by name, or if it has the names
    # of the training data
    if not frame.names:
        called = [spec for spec in (label, strings, weights) if spec in first]
        called += (options.categorical or "").split(",") if chosen else []
        named = any(_is_name(spec) for spec in called if spec)
        if named and options.header == "no":
            raise DataError(
                f"{frame.source}: `header='no'`, but a column is called by its name: expected an "
                "index from 0"
            )
        named = named or (bool(trained) and trained == tuple(first[j] for j in columns))
        numeric = columns if chosen is None and not levels else []
        frame = _below_header(frame, options.header or "auto", named, numeric, chosen is not None)
    # weights: finite numbers >= 0
    counts = None if w is None else [cell_number(cell) for cell in frame.texts(w)]
    for i, value in enumerate(counts or ()):
        if value is None or not 0.0 <= value < np.inf:
            raise DataError(
                f"{place(frame.source, frame.lines[i])}: weight '{shown(frame.texts(w or 0)[i])}', "
                "expected a finite number >= 0"
            )
    return replace(
        features_of(frame, columns, levels, chosen, trained),
        labels=None if k is None else tuple(frame.texts(k)),
        strings=None if s is None else tuple(frame.texts(s)),
        weights=None if counts is None else np.array(counts, dtype=np.float64),
    ).checked()


def _below_header(
    frame: Frame, choice: str, named: bool, numeric: Sequence[int], categorical: bool
) -> Frame:
    """The rows below a header, with a warning where the choice is doubtful.

    ``choice`` is ``yes``, ``no`` or ``auto``: the first row is the header if it is ``named``
    elsewhere, if it has a text above numbers, or in a ``numeric`` column, and if it is 0, 1, ...,
    as pandas writes for a frame without names. Raises DataError if no row is left.
    """
    head = frame.head(100)
    first, below = [cells[0] for cells in head], [cells[1:] for cells in head]
    row = f"row {frame.lines[0]}"
    what = f"{row} ({shown(', '.join(first))})"
    warnings: tuple[str, ...] = ()
    header = choice == "yes" or (choice == "auto" and named)
    if choice == "auto" and not named:
        # a truth value above truth values is data
        truths = {j for j, cell in enumerate(first) if {cell, *below[j]} <= TRUTHS.keys()}
        texts = {j for j, cell in enumerate(first) if is_text(cell)} - truths
        whole = [j for j, cell in enumerate(first) if cell.isascii() and cell.isdecimal()]
        above = any(
            below[j] and all(cell in TRUTHS or not is_text(cell) for cell in below[j])
            for j in texts
        )
        if any(WITH_COMMA.fullmatch(cell) for cell in first) or not all(
            j in texts or j in whole or is_missing(cell) for j, cell in enumerate(first)
        ):
            header = False
        elif not whole:
            # texts alone are names where nothing else may be a text, and, of columns of levels,
            # if none of them occurs again
            fresh = all(cell not in cells for cell, cells in zip(first, below, strict=True))
            header = above or not texts.isdisjoint(numeric) or (categorical and fresh)
        else:
            # numbers are names beside a text above numbers, or if they count; not in a table of few
            # rows, and not if all of them occur again
            counted = len(whole) > 1 and [first[j] for j in whole] == list(
                map(str, range(len(whole)))
            )
            again = all(first[j] in below[j] for j in whole) or len(set(first)) < len(first)
            header = (above or counted) and len(frame.lines) > 8 and not again
            if header or (counted and len(whole) == len(first)):
                read = ("the header", "no", "data") if header else ("data", "yes", "the header")
                warnings = (
                    f"{what} holds numbers and is taken for {read[0]} (`header='{read[1]}'` for "
                    f"{read[2]})",
                )
    if not header:
        return replace(frame, header=f"none, {row} is data", warnings=warnings)
    if len(frame.lines) == 1:
        raise DataError(f"{frame.source}: a header, but no rows of data")
    columns = [column[1:] for column in frame.columns]
    return replace(
        frame,
        lines=frame.lines[1:],
        columns=columns,
        names=tuple(first),
        header=what,
        warnings=warnings,
    )


def _is_name(spec: str) -> bool:
    return spec not in ("last", "first", "none") and not re.fullmatch(r"[+-]?\d+", spec)


def column_named(frame: Frame, spec: str, first: Sequence[str], role: str) -> int:
    """The index of the column ``spec``: an index, or a name that occurs once.

    ``first`` is the header or the first row.
    """
    if re.fullmatch(r"\d+", spec) and int(spec) < len(first):
        return int(spec)
    if list(first).count(spec) == 1 and _is_name(spec):
        return list(first).index(spec)
    raise DataError(
        f"{frame.source}: {role} column '{spec}' is not one of the {len(first)} columns "
        f"({shown(', '.join(filter(None, first)), most=100)}): expected a name of the "
        f"header that occurs once, or an index from 0 to {len(first) - 1}"
    )


def text_columns(
    frame: Frame,
    categorical: str | Sequence[str | int],
    first: Sequence[str],
    columns: Sequence[int],
) -> list[int]:
    """The text columns that the option ``categorical`` names; an empty list if it is ``auto``."""
    if categorical == "auto":
        return []
    specs = categorical.split(",") if isinstance(categorical, str) else categorical
    chosen = [column_named(frame, str(spec).strip(), first, "categorical") for spec in specs]
    if len(set(chosen)) < len(chosen) or not set(chosen) <= set(columns):
        raise OptionError(
            f"categorical {', '.join(map(str, specs))}: a column is given twice, or holds the "
            "labels, weights or strings"
        )
    return chosen


def features_of(
    frame: Frame,
    columns: Sequence[int],
    levels: Levels | None,
    chosen: Sequence[int] | None,
    expected: Sequence[str] = (),
) -> Table:
    """The table of the columns (d',) in their order.

    A text column has one feature per level: of ``levels`` if they are given, otherwise of the
    ``chosen`` columns. If ``chosen`` is empty, every column that contains a string is a text
    column. If it is None, only columns of a categorical type are. Raises DataError if names differ
    from ``expected``, if a cell is not a number, if a level is unknown, or if the columns do not
    match the levels.
    """
    same_columns(frame.source, [frame.names[j] for j in columns if frame.names], expected, columns)
    if levels and max(levels) >= len(columns):
        raise DataError(
            f"{frame.source}: {len(columns)} columns of features given, but that of texts is "
            f"number {max(levels)}, from 0, in the training data"
        )
    # numbers where a column has only numbers, levels where it holds texts that may stand there
    own = dict(levels or {})
    numbers, wrong = dict[int, FloatArray](), list[int]()
    for p, j in enumerate(columns):
        if levels is None and j in frame.levels:
            own[p] = frame.levels[j]
        values = None if p in own or j in (chosen or ()) else frame.numbers(j)
        if values is not None:
            numbers[p] = values
        elif p not in own and levels is None and (j in (chosen or ()) or chosen == []):
            own[p] = levels_of(_levelled(frame, j), frame.place(0, j), doubt=not chosen)
        elif p not in own:
            wrong.append(j)
    if wrong:
        raise not_numbers(frame, wrong)
    # a numeric column is one feature, a text column an indicator for each level
    blocks, names, behind = list[FloatArray](), list[str](), list[int]()
    for p, j in enumerate(columns):
        name = frame.names[j] if frame.names else None
        if p in numbers:
            blocks.append(numbers[p][:, None])
        else:
            blocks.append(indicators(_levelled(frame, j), own[p], partial(frame.place, j=j)))
        if name is not None:
            names += [f"{name}={level}" for level in own[p]] if p in own else [name]
        behind += [j] * blocks[-1].shape[1]
    return Table(
        source=frame.source,
        values=np.hstack(blocks) if blocks else np.empty((len(frame.lines), 0)),
        lines=frame.lines,
        columns=tuple(behind),
        names=tuple(names),
        levels=own,
        header=frame.header,
        warnings=frame.warnings,
    )


def _levelled(frame: Frame, j: int) -> list[str]:
    """The cells of a text column; missing ones are empty."""
    column = frame.columns[j]
    return cells_of(column.tolist()) if isinstance(column, np.ndarray) else frame.texts(j)


def not_numbers(
    frame: Frame,
    wrong: Sequence[int],
    more: str = ': categorical="auto" makes features of text columns',
) -> DataError:
    """The error for the uppermost cell that is not a number, in the columns ``wrong``.

    ``more`` is its end for the columns of a frame or array.
    """
    cells = {j: frame.wrong_cell(j) for j in wrong}
    j = min(cells, key=lambda one: (cells[one][0], one))
    i, cell = cells[j]
    others = [frame.names[k] if frame.names else str(k) for k in wrong if k != j]
    message = f"'{shown(cell)}', expected a number"
    if others:
        message += f"; texts also in {shown(', '.join(others), most=300)}"
    if isinstance(frame.columns[j], np.ndarray):
        return DataError(f"{frame.place(i, j)}: {message}{more}")
    hint = "a first row with numbers in it is not taken for a header: `header='yes'`"
    if WITH_COMMA.fullmatch(cell):
        hint = "of numbers with a decimal comma: `decimal=','`"
        if AMOUNT.fullmatch(cell.strip()):  # 1,200 may be either
            hint += "; write thousands without it"
    elif AMOUNT.fullmatch(cell.strip()):
        hint = "write numbers without currency, percent and thousands separators"
    elif i or frame.names or (len(frame.lines) > 1 and is_text(frame.texts(j)[1])):
        hint = "text columns: `categorical`, or `strings` for the kernel edit"
    return DataError(f"{frame.place(i, j)}: got {message} ({hint})")


def complete_rows(table: Table, missing: str) -> Table:
    """The table without rows with missing cells, if ``missing`` is ``drop``, and a warning.

    Raises DataError for a missing cell if ``missing`` is ``error``, and if no row remains.
    """
    if table.strings is None:
        holes = np.isnan(table.values)
    else:
        holes = np.array([[not text] for text in table.strings])
    incomplete = np.asarray(holes.any(axis=1))
    rows = int(incomplete.sum())
    if not rows:
        return table
    # a text column has one cell, but several features
    each = np.arange(holes.shape[1])
    if table.levels:
        each = np.unique(np.array(table.columns), return_index=True)[1]
    cells = int(holes[:, each].sum())
    if missing == "error":
        i = int(np.argmax(incomplete))
        raise DataError(
            f"{table.cell(i, int(np.argmax(holes[i])))}: the cell is missing ({cells} in {rows} "
            "rows); choose `missing='drop'` or mean"
        )
    if missing == "mean":
        warning = f"{cells} missing cells filled with training means"
    elif rows == len(incomplete):
        raise DataError(f"{table.source}: every row has a missing cell, none is left")
    else:
        warning = f"{rows} rows with missing cells dropped"
        table = table.take(np.flatnonzero(~incomplete))
    return replace(table, warnings=(warning, *table.warnings))
