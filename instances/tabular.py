"""From the columns of a table to features, labels and weights, for files, frames and arrays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Data, Points, check_magnitude, unknown
from radprog.instances.frames import (
    PARQUET_MAGIC,
    TRUTHS,
    Frame,
    arff_frame,
    cells_of,
    is_text,
    parquet_frame,
    text_frame,
)
from radprog.instances.labels import (
    AMOUNT,
    indicators,
    is_gap,
    levels_of,
    plain_label,
    plain_labels,
)
from radprog.instances.scaling import SCALINGS, fit_scaler
from radprog.instances.svmlight import ROW, SUFFIXES, svmlight_table
from radprog.instances.tables import (
    WITH_COMMA,
    AnyPath,
    Levels,
    Table,
    also_texts,
    cell_number,
    checked_table,
    decode,
    digest,
    format_of,
    is_missing,
    place,
    read_bytes,
    same_columns,
    shown,
)

DECIMALS = (".", ",")
MISSING = ("drop", "mean", "error")
HEADERS = (AUTO, YES, NO) = ("auto", "yes", "no")
EVERY_TEXT = "auto"  # the text columns are those in which one stands
WHERE_CHOSEN = ("one_vs_rest", "weights", "categorical", "decimal", "header")
OF_THE_FILE = ("label", "decimal", "header")  # may be others than of the training data
TEXTS_AS_FEATURES = ': categorical="auto" makes features of text columns'


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
        words = {"scale": SCALINGS, "missing": MISSING, "decimal": DECIMALS, "header": HEADERS}
        for name, allowed in words.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                between = " " if name == "decimal" else ", "
                raise OptionError(f"{name} '{value}': expected one of {between.join(allowed)}")
        if self.strings is not None and self.missing == "mean":
            raise OptionError("missing 'mean' has no meaning for strings: expected drop or error")
        for name, plain in (("scale", "none"), ("categorical", None)):
            if self.strings is not None and (value := getattr(self, name)) != plain:
                raise OptionError(f"{name} '{value}' has no meaning for strings")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    def reading(self, *names: str) -> dict[str, Any]:
        """The options as a mapping: all of them, or those with the given names.

        Options in WHERE_CHOSEN are included only if they are set, because some models do not have
        them.
        """
        options = asdict(self)
        chosen = {key for key in WHERE_CHOSEN if options[key]}
        kept = names or options.keys() - set(WHERE_CHOSEN)
        return {key: options[key] for key in options if key in kept or key in chosen}


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
    # the options of the training data
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


def read_table(
    path: AnyPath, options: TableOptions, like: Points | None = None, width: int | None = None
) -> Table:
    """The table of a data file; see :func:`parse_table`."""
    return parse_table(str(path), read_bytes(path), options, like, width)


def parse_table(
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
    # the format: Parquet by its first bytes, text by suffix or first line
    sha256, suffix = digest(raw), format_of(source)
    of_text = {"decimal": options.decimal, "header": options.header}
    if raw.startswith(PARQUET_MAGIC) or suffix == ".parquet":
        _refuse(source, "Parquet", **of_text)
        frame = parquet_frame(source, raw)
    else:
        text = decode(source, raw)
        if suffix in SUFFIXES or ROW.fullmatch(_first_line(text, "#")):
            names = () if like is None else like.given_features
            columns = {name: getattr(options, name) for name in ("strings", "weights")}
            texts = "of texts" if like is not None and like.levels else options.categorical
            _refuse(source, "svmlight", **of_text, **columns, categorical=texts)
            how: Any = {"label": options.label, "width": width, "names": names}
            return svmlight_table(source, text, sha256=sha256, **how)
        if suffix == ".arff" or _first_line(text, "%").lower().startswith("@relation"):
            _refuse(source, "ARFF", **of_text)
            frame = arff_frame(source, text)
        else:
            frame = text_frame(source, text, decimal=options.decimal or ".")
    return table_of(frame, options, like, width, sha256=sha256)


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


def table_of(
    frame: Frame,
    options: TableOptions,
    like: Points | None = None,
    width: int | None = None,
    *,
    sha256: str = "",
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
    names = () if like is None else like.given_features
    levels = None if like is None else like.levels
    label, strings = options.label, options.strings
    first = frame.names or tuple(cells[0] for cells in frame.head(1))
    # a text column is one column of the file and a feature for each level
    if width is not None and levels:
        width -= sum(len(texts) - 1 for texts in levels.values())
    alone = 1 if strings is not None else width  # columns of a file that has no label
    if _is_name(label) and label in names:
        raise OptionError(f"{frame.source}: label '{label}' is a feature of the training data")
    if len(first) == alone:
        label = "none"
    # the columns with a role; those left over are features
    w = _weights_column(frame, options.weights, first, label, alone)
    # without its label the columns are compared with those of the training data
    if _is_name(label) and label not in first and not set(names).isdisjoint(first):
        label = "none"
    k = None if label == "none" else _column(frame, label, first, "label", without=w)
    s = None if strings is None else _column(frame, strings, first, "strings")
    if s is not None and s == k:
        raise DataError(f"{frame.source}: column {s} cannot hold both the labels and the strings")
    if w is not None and w in (k, s):
        raise DataError(f"{frame.source}: column {w} cannot hold the weights and something else")
    columns = [j for j in range(len(first)) if s is None and j not in (k, w)]
    categorical = options.categorical if levels is None else None
    chosen = _chosen(frame, categorical, first, columns)
    # decide whether the first row names the columns: options call them, or the training data has
    # these names, or the cells below say so
    if not frame.names:
        called = [spec for spec in (label, strings, options.weights) if spec and spec in first]
        called += (categorical or "").split(",") if chosen else []
        if any(map(_is_name, called)) and options.header == NO:
            raise DataError(
                f"{frame.source}: `header='no'`, but a column is called by its name: expected an "
                "index from 0"
            )
        of_training = bool(names) and tuple(names) == tuple(first[j] for j in columns)
        certain = any(map(_is_name, called)) or of_training
        certain = certain or _tops_numbers(frame, k, s, columns, levels, chosen)
        frame = _without_header(frame, options.header or AUTO, certain=certain)
    return checked_table(
        Table(
            source=frame.source,
            sha256=sha256,
            **features_of(frame, columns, levels, chosen, names),
            lines=frame.lines,
            labels=None if k is None else tuple(frame.texts(k)),
            strings=None if s is None else tuple(frame.texts(s)),
            weights=None if w is None else _weights(frame, frame.texts(w)),
            header=frame.header,
            warnings=frame.warnings,
        )
    )


def _tops_numbers(
    frame: Frame,
    label: int | None,
    strings: int | None,
    columns: Sequence[int],
    levels: Levels | None,
    chosen: Sequence[int] | None,
) -> bool:
    """Whether a first row without a number has names.

    It must contain a string in a feature column, or, with ``strings``, above numeric labels. If
    columns may contain strings, there are three cases: a string above a number, only strings that
    do not occur again in their column, or a string that is not a level.
    """
    first, below = _first_and_below(frame)
    # a truth value above truth values is data
    truths = {j for j, cell in enumerate(first) if {cell, *below[j]} <= TRUTHS.keys()}
    texts = {j for j, cell in enumerate(first) if is_text(cell)} - truths
    if any(WITH_COMMA.fullmatch(cell) for cell in first) or not all(
        j in texts or is_missing(cell) for j, cell in enumerate(first)
    ):
        return False
    numeric = {j for j, cells in enumerate(below) if cells and not any(map(is_text, cells))}
    if strings is not None:
        return label in texts & numeric
    if not texts - {label}:
        return False
    # without text columns, a text can only be a name
    if levels:
        own = [(columns[p], of_column) for p, of_column in levels.items() if p < len(columns)]
        return any(plain_label(first[j]) not in of_column for j, of_column in own)
    if chosen is None or texts & numeric & set(columns):
        return True
    return bool(below[0]) and all(
        cell not in cells for cell, cells in zip(first, below, strict=True)
    )


def _first_and_below(frame: Frame) -> tuple[list[str], list[list[str]]]:
    """The cells of the first row, and those of a hundred rows below it by column."""
    head = frame.head(100)
    return [cells[0] for cells in head], [cells[1:] for cells in head]


def _names_of_numbers(frame: Frame) -> tuple[bool, bool]:
    """Whether a first row with numbers has names, and whether it is 0, 1, ... alone.

    All cells must differ, and they must be strings or whole numbers. They must be 0, 1, ..., as
    pandas writes for a frame without names, or contain a string above a column of numbers. No
    string may occur again in its column, and not all numbers may. There must be more than 3 columns
    or 8 rows, because a smaller table may contain such data.
    """
    first, below = _first_and_below(frame)
    texts = {j for j, cell in enumerate(first) if is_text(cell)}
    whole = {j for j, cell in enumerate(first) if cell.isascii() and cell.isdecimal()}
    numbers = [cell for cell in first if cell and not is_text(cell)]
    counted = len(numbers) if numbers == [str(k) for k in range(len(numbers))] else 0
    counted = counted if counted > 1 else 0
    # every cell is a text or a whole number, and all differ; the index of a frame has no name
    if len(texts) + len(whole) + (not first[0]) < len(first) or len(set(first)) < len(first):
        return False, counted == len(first)
    above = any(below[j] and not any(map(is_text, below[j])) for j in texts)
    again = {j for j in texts | whole if first[j] in below[j]}
    many = counted > 3 or len(frame.lines) > 8
    return (counted > 0 or above) and many and again < whole, counted == len(first)


def _without_header(frame: Frame, choice: str, *, certain: bool) -> Frame:
    """The rows below a header, with a warning where the choice is doubtful.

    ``choice`` is ``yes``, ``no`` or ``auto``. ``certain`` means that ``auto`` need not check
    numbers in the row. Raises DataError if no row is left.
    """
    row = f"row {frame.lines[0]}"
    what = f"{row} ({shown(', '.join(cells[0] for cells in frame.head(1)))})"
    taken, warnings = choice == YES or (choice == AUTO and certain), tuple[str, ...]()
    if choice == AUTO and not certain:
        taken, doubtful = _names_of_numbers(frame)
        read = "data (`header='yes'` for the header)"
        if taken:
            read = "the header (`header='no'` for data)"
        if taken or doubtful:
            warnings = (f"{what} holds numbers and is taken for {read}",)
    if not taken:
        return replace(frame, header=f"none, {row} is data", warnings=warnings)
    if len(frame.lines) == 1:
        raise DataError(f"{frame.source}: a header, but no rows of data")
    return replace(frame.below(), header=what, warnings=warnings)


def features_of(
    frame: Frame,
    columns: Sequence[int],
    levels: Levels | None,
    chosen: Sequence[int] | None,
    expected: Sequence[str] = (),
) -> dict[str, Any]:
    """``values``, ``columns``, ``names`` and ``levels`` of a table: the columns (d',) in their
    order.

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
    # numbers where a column has only numbers
    kept = levels or {}
    asked = set(chosen or ()) | set(frame.levels)
    numbers = {
        p: frame.numbers(j)
        for p, j in enumerate(columns)
        if p not in kept and (levels is not None or j not in asked)
    }
    if levels is None:
        levels = {}
        for p, j in enumerate(columns):
            if j in frame.levels:
                levels[p] = frame.levels[j]
            elif j in asked or (chosen is not None and not chosen and numbers[p] is None):
                levels[p] = _levels_of(frame, j, unasked=not chosen)
    wrong = [columns[p] for p, values in numbers.items() if values is None and p not in levels]
    if wrong:
        raise _no_number(frame, wrong)
    # a numeric column is one feature, a text column an indicator for each level
    blocks, names, behind = list[FloatArray](), list[str](), list[int]()
    for p, j in enumerate(columns):
        own, name = levels.get(p), frame.names[j] if frame.names else None
        values = numbers.get(p)
        if own is None:
            assert values is not None
            block = values[:, None]
        else:
            block = indicators(_levelled(frame, j), own, partial(frame.place, j=j))
        if name is not None:
            names += [name] if own is None else [f"{name}={level}" for level in own]
        blocks.append(block)
        behind += [j] * block.shape[1]
    return {
        "values": np.hstack(blocks) if blocks else np.empty((len(frame.lines), 0)),
        "columns": tuple(behind),
        "names": tuple(names),
        "levels": dict(levels),
    }


def _levelled(frame: Frame, j: int) -> list[str]:
    """The cells of a text column; missing ones are empty."""
    column = frame.columns[j]
    return frame.texts(j) if not isinstance(column, np.ndarray) else cells_of(column.tolist())


def _levels_of(frame: Frame, j: int, *, unasked: bool) -> tuple[str, ...]:
    """The levels of a text column; ``unasked`` refuses columns that hardly have levels."""
    cells, where = _levelled(frame, j), frame.place(0, j)
    if unasked and all(WITH_COMMA.fullmatch(x) or is_missing(x) for x in set(cells)):
        cell = next((cell for cell in cells if not is_missing(cell)), None)
        if cell is not None:
            raise DataError(f"{where}: {_comma_hint(cell)}")
    return levels_of(cells, where, unasked=unasked)


def refuse_texts(frame: Frame, more: str) -> None:
    """Raise DataError for a frame with a cell that is neither a number nor the text of one.

    ``more`` is the end of the message.
    """
    wrong = []
    for j in range(len(frame.columns)):
        if frame.numbers(j) is None:
            cells = [cell for cell in frame.columns[j].tolist() if not is_gap(cell)]
            if any(not isinstance(cell, str) or cell_number(cell) is None for cell in cells):
                wrong.append(j)
    if wrong:
        raise _no_number(frame, wrong, more)


def _no_number(frame: Frame, wrong: Sequence[int], more: str = TEXTS_AS_FEATURES) -> DataError:
    """The error for the uppermost cell that is not a number, in the columns ``wrong``."""
    found = {j: frame.wrong_cell(j) for j in wrong}
    j = min(found, key=lambda one: (found[one][0], one))
    i, cell = found[j]
    where = frame.place(i, j)
    if not isinstance(cell, str):
        return DataError(
            f"{where}: {shown(cell)}, a {type(cell).__name__}, expected a number: leave that "
            "column out, or make numbers of it"
        )
    others = also_texts([frame.names[k] if frame.names else str(k) for k in found if k != j])
    if isinstance(frame.columns[j], np.ndarray):
        return DataError(f"{where}: '{shown(cell)}', expected a number{others}{more}")
    if WITH_COMMA.fullmatch(cell):
        hint = f"of {_comma_hint(cell)}"
    elif AMOUNT.fullmatch(cell.strip()):
        hint = "write numbers without currency, percent and thousands separators"
    elif i or frame.names or (len(frame.lines) > 1 and is_text(frame.texts(j)[1])):
        hint = "text columns: `categorical`, or `strings` for the kernel edit"
    else:
        hint = "a first row with numbers in it is not taken for a header: `header='yes'`"
    return DataError(f"{where}: got '{shown(cell)}', expected a number{others} ({hint})")


def _comma_hint(cell: str) -> str:
    # 1,200 may be either
    thousands = "; write thousands without it" if AMOUNT.fullmatch(cell.strip()) else ""
    return f"numbers with a decimal comma: `decimal=','`{thousands}"


def _chosen(
    frame: Frame, categorical: str | None, first: Sequence[str], columns: Sequence[int]
) -> list[int] | None:
    """The text columns that the option ``categorical`` names.

    Returns None if the option is not set, and an empty list if its value is ``auto``.
    """
    if categorical is None:
        return None
    if categorical == EVERY_TEXT:
        return []
    chosen = [_column(frame, spec.strip(), first, "categorical") for spec in categorical.split(",")]
    for j in chosen:
        if j not in columns:
            raise DataError(
                f"{frame.source}: column {j} cannot be categorical and hold the labels, or weights"
            )
    if len(set(chosen)) < len(chosen):
        raise OptionError(f"categorical {categorical}: a column is given twice")
    return chosen


def _weights_column(
    frame: Frame, spec: str | None, first: Sequence[str], label: str, alone: int | None
) -> int | None:
    """The column of weights; None if the file has no such column.

    A file without labels, or with only labels, may lack this column.
    """
    if spec is None or len(first) == alone:
        return None
    if alone is not None and spec not in first and len(first) == alone + (label != "none"):
        return None
    return _column(frame, spec, first, "weights")


def _weights(frame: Frame, cells: Sequence[str]) -> FloatArray:
    """Weights (n,) of the file. Raises DataError, with the row, unless each is a number >= 0."""
    values = np.empty(len(cells))
    for i, cell in enumerate(cells):
        value = cell_number(cell)
        if value is None or not 0.0 <= value < np.inf:
            raise DataError(
                f"{place(frame.source, frame.lines[i])}: weight '{shown(cell)}', expected a finite "
                "number >= 0"
            )
        values[i] = value
    return values


def _is_index(spec: str) -> bool:
    return re.fullmatch(r"[+-]?\d+", spec) is not None


def _is_name(spec: str) -> bool:
    return spec not in ("last", "first", "none") and not _is_index(spec)


def _column(
    frame: Frame, spec: str, first: Sequence[str], role: str, without: int | None = None
) -> int:
    """Index of the column ``spec``; the last and the first column do not count ``without``.

    ``first`` is the header or the first row.
    """
    if spec in ("last", "first") and role != "categorical":
        order = range(len(first)) if spec == "first" else range(len(first) - 1, -1, -1)
        return next((j for j in order if j != without), order[0])
    if _is_index(spec):
        if 0 <= int(spec) < len(first):
            return int(spec)
        raise DataError(
            f"{frame.source}: {role} column {spec} is out of range: "
            f"the file has {len(first)} columns, counted from 0 to {len(first) - 1}"
        )
    # a name must stand exactly once in the header
    places = Counter(first)[spec]
    if places != 1:
        how_often = "more than once" if places else "not"
        raise DataError(
            f"{frame.source}: {role} column '{spec}' is {how_often} in the first row "
            f"({shown(', '.join(first), most=100)}): "
            "expected a name of the header, or an index from 0"
        )
    return list(first).index(spec)


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
    widths = widths or [None if like is None else like.columns] * len(paths)
    # a table for each file, in the shape of the training data
    tables = [
        read_table(path, options, like, width) for path, width in zip(paths, widths, strict=True)
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
            f"{where}: the cell is missing ({cells} in {rows} rows); choose `missing='drop'` or "
            "mean"
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
