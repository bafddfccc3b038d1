"""The options of tables, and the road from a file to the features, labels and weights of its
rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypedDict

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.instances.data import SCALINGS, Data, Points
from radprog.instances.formats import SVMLIGHT, arff_frame, parquet_frame, svmlight_frame
from radprog.instances.tables import (
    DataTable,
    Frame,
    below_header,
    decode,
    features_of,
    format_of,
    is_name,
    labels_of,
    not_numbers,
    numbers_of,
    plain_label,
    shown,
    text_frame,
    texts_of,
)

#: The options of a table with a list of words, and these words.
WORDS = {
    "scale": SCALINGS,
    "missing": ("drop", "mean", "error"),
    "decimal": (".", ","),
    "header": ("auto", "yes", "no"),
}
OF_THE_FILE = ("label", "decimal", "header")  # may be others than of the training data


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``read`` with their defaults; the first seven are those of every reader."""

    label: str = "last"
    scale: str = "none"
    missing: str = "error"
    categorical: str | Sequence[str | int] | None = None
    decimal: str | None = None
    header: str | None = None
    drop: str | None = None
    positive: str | None = None
    strings: str | None = None
    one_vs_rest: bool = False
    weights: str | None = None

    def __post_init__(self) -> None:
        # words first, then options without a meaning beside strings or without labels
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

    @property
    def dropped(self) -> list[str]:
        """The names of the columns that are left out."""
        return [] if self.drop is None else [name.strip() for name in self.drop.split(",")]

    def reading(self) -> dict[str, Any]:
        """The label, scale and missing cells, and what else is set, as a mapping."""
        always = ("label", "scale", "missing")
        return {key: value for key, value in asdict(self).items() if value or key in always}


class ReadOptions(TypedDict, total=False):
    """The options of all readers of tables, see :func:`radprog.read`."""

    label: str | int | None
    scale: str | None
    missing: str | None
    categorical: str | Sequence[str | int] | None
    decimal: str | None
    header: str | None
    drop: str | Sequence[str] | None


def options_like(like: Any, reading: ReadOptions, **extra: Any) -> TableOptions:
    """The options that are not None, combined with the options of any training data ``like``.

    Only options in OF_THE_FILE may differ from the options of the training data. ``extra`` are the
    options that only this reader accepts. Raises OptionError for a different or invalid option, and
    TypeError for an unknown option.
    """
    names = [option.name for option in fields(TableOptions)]
    if strange := reading.keys() - names[:7]:
        raise TypeError(f"this reader has no option {', '.join(sorted(strange))}")
    given = {key: value for key, value in {**reading, **extra}.items() if value is not None}
    chosen: dict[str, Any] = {
        key: ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for key, value in given.items()
    }
    chosen |= {key: value for key, value in given.items() if isinstance(value, bool)}
    if like is None:
        return TableOptions(**chosen)
    if not isinstance(like, Data):
        raise OptionError(f"like: {type(like).__name__} given, expected data, as `data` of a fit")
    # the options of the training data; arrays have none: fill as they were filled, else leave out
    trained: dict[str, Any] = {"categorical": None}
    if isinstance(like, Points) and like.scaler is not None:
        trained["scale"] = like.scaler.kind
    if isinstance(like, Points) and not like.reading:
        filled = like.scaler is not None and like.scaler.fill is not None
        trained["missing"] = "mean" if filled else "drop"
    if like.one_vs_rest and like.reading:
        trained["one_vs_rest"] = len(like.labels) > 2
    trained |= {key: value for key, value in like.reading.items() if key in names}
    fixed = {**trained, "positive": like.labels[1]} if len(like.labels) == 2 else trained
    # an option may repeat that of the training data
    for key, value in chosen.items():
        form = plain_label if key == "positive" and like.label_type != "str" else str
        if key in fixed and key not in OF_THE_FILE and form(fixed[key]) != form(value):
            raise OptionError(
                f"{key} '{value}' given, but it is '{fixed[key]}' in the training data"
            )
    if chosen.get("label") == "none":
        chosen["positive"] = None
    return TableOptions(**{**trained, **chosen})


def read_table(
    source: str,
    raw: bytes,
    options: TableOptions,
    like: Points | None = None,
    width: int | None = None,
) -> DataTable:
    """The table in the bytes of a data file; the suffix or the content determines the format.

    ``source`` is the path of the file. ``width`` is the number of features of any training data.
    Raises DataError for an invalid file, and OptionError for an option that the format does not
    have.
    """
    # the format: Parquet by its first bytes, text by suffix or first line
    suffix, form, text, first_line = format_of(source), "", "", ""
    if raw.startswith(b"PAR1") or suffix == ".parquet":
        form = "Parquet"
    else:
        text = decode(source, raw)
        lines = (line.group().strip() for line in re.finditer(r"[^\n]+", text))
        first_line = next((line for line in lines if line and line[0] not in "#%"), "")
        if suffix in SVMLIGHT or re.fullmatch(r"\S+(\s+\d+:\S+)+\s*(#.*)?", first_line):
            form = "svmlight"
        elif suffix == ".arff" or first_line.lower().startswith("@relation"):
            form = "ARFF"
    # options of a text that this format cannot have
    roles = ("strings", "weights", "categorical") if form == "svmlight" else ()
    for name in ("decimal", "header", *roles) if form else ():
        value = getattr(options, name)
        if value is not None and (name, value) not in (("decimal", "."), ("header", "auto")):
            raise OptionError(f"{source}: {form} has no {name} '{value}'")
    if form == "Parquet":
        frame = parquet_frame(source, raw)
    elif form == "ARFF":
        frame = arff_frame(source, text)
    elif form == "svmlight":
        names = () if like is None else like.given_features
        frame = svmlight_frame(source, text, options.label, names, width or 0)
        label = "none" if options.label == "none" else "first"
        options = replace(options, label=label)
    else:
        frame = text_frame(source, text, decimal=options.decimal or ".")
    return replace(table_of(frame, options, like, width), file_hash=hashlib.sha256(raw).hexdigest())


def columns_of(
    frame: Frame,
    titles: tuple[str, ...],
    options: TableOptions,
    like: Points | None,
    width: int | None,
) -> tuple[list[int], int | None, int | None, int | None, list[str]]:
    """The columns of the features, of the labels, strings and weights, and the names of those that
    training data ``like`` do not have; see :func:`table_of`. ``titles`` is the header or first row.
    """
    # a text column is one column of the file and a feature for each level
    trained = () if like is None else like.given_features
    if like is not None and like.levels:
        width = like.given_columns
    unlabelled = 1 if options.strings is not None else width  # columns of a file that has no label
    label, weights = options.label, options.weights
    names = [name for name in options.dropped if like is None or name in titles]
    if numbers := [name for name in names if not is_name(name)]:
        raise OptionError(f"drop '{numbers[0]}': expected names of the header")
    dropped = [frame.column_named(name, titles, "drop") for name in names]
    by_name = bool(trained) and options.header != "no"
    by_name = by_name and all(is_name(name) and titles.count(name) == 1 for name in trained)
    if label in trained and is_name(label):
        raise OptionError(f"{frame.source}: label '{label}' is a feature of the training data")
    # the label of the training data has a name, however it was chosen: no other column is the label
    label_names = () if like is None or options.header == "no" else like.label_name[:1]
    has_header = by_name or (options.strings in titles and is_name(str(options.strings)))
    for name in label_names if like is not None and label == like.reading.get("label") else ():
        if titles.count(name) == 1:
            label = str(titles.index(name))
        elif name in titles or has_header:
            label = name if name in titles else "none"
    # a file without its label is compared by the columns of the training data
    if len(titles) == unlabelled or (
        label not in titles and not set(trained).isdisjoint(titles) and is_name(label)
    ):
        label = "none"
    # later files may lack the weights
    lacking = by_name or (unlabelled is not None and len(titles) == unlabelled + (label != "none"))
    if len(titles) == unlabelled or (lacking and weights not in titles):
        weights = None
    # the columns with a role; those left over are features
    w = None if weights is None else frame.column_named(weights, titles, "weights")
    order = [j for j in range(len(titles)) if j != w and j not in dropped] or [0]
    k: int | None = None
    if label in ("last", "first"):
        k = order[-1 if label == "last" else 0]
    elif label != "none":
        k = frame.column_named(label, titles, "label")
    spec = options.strings
    s = None if spec is None else frame.column_named(spec, titles, "strings")
    roles = [j for j in (k, s, w) if j is not None]
    if len({*roles, *dropped}) < len(roles) + len(dropped):
        raise DataError(
            f"{frame.source}: label, strings, weights and drop are columns {[*roles, *dropped]}, "
            "expected different ones"
        )
    columns, ignored = [j for j in order if s is None and j not in roles], list[str]()
    if by_name and like is not None and trained != tuple(titles[j] for j in columns):
        # the same columns in another order, or among others; the label too has its name
        columns = [titles.index(name) for name in trained]
        k = None if label in ("last", "first") else k
        ignored = [titles[j] for j in order if j not in (*columns, k)]
    return columns, k, s, w, ignored


def table_of(
    frame: Frame, options: TableOptions, like: Points | None = None, width: int | None = None
) -> DataTable:
    """Features, labels, strings and weights of the columns of a file, a frame or an array.

    - label: ``last``, ``first``, ``none``, a name of the header, or an index from 0. For ``last``
      and ``first``, the column of weights is ignored.
    - strings, weights: a name or an index.
    - width: the number of features of any training data ``like``. A file with exactly as many
      columns has no label. With ``strings``, a file with one column has no label. A file without a
      name for the weights, and with at most one more column, has no weights.
    - categorical: text columns, by names or indices joined by commas, or ``auto``; the levels of
      training data replace it.
    - drop: names of columns that are left out, joined by commas.

    If the header has the columns of the training data in another order, or among others, they are
    taken by name, and so are the label and the weights. A warning names the columns left out.
    """
    trained = () if like is None else like.given_features
    levels = None if like is None else like.levels
    in_text = not isinstance(frame.columns[0], np.ndarray)
    titles = frame.names or tuple(
        texts_of(column[:1])[0] if in_text else "" for column in frame.columns
    )
    columns, k, s, w, ignored = columns_of(frame, titles, options, like, width)
    # text columns by name or number; none of them stands for all
    chosen, text_names = None, list[str]()
    if options.categorical is not None and levels is None:
        spec = options.categorical
        text_names = spec.split(",") if isinstance(spec, str) else list(map(str, spec))
        text_names = [] if spec == "auto" else [name.strip() for name in text_names]
        chosen = [frame.column_named(name, titles, "categorical") for name in text_names]
        if len(set(chosen)) < len(chosen) or not set(chosen) <= set(columns):
            raise OptionError(
                f"categorical {', '.join(text_names)}: a column is given twice, or holds the "
                "labels, weights or strings"
            )
    # the first row is a header for certain if options call columns by name, or if it has the names
    # of the training data
    if in_text and not frame.names:
        roles = (options.label, options.strings, options.weights, *options.dropped)
        called = [name for name in roles if name and name in titles] + text_names
        certain = any(is_name(name) for name in called)
        if certain and options.header == "no":
            raise DataError(
                f"{frame.source}: `header='no'`, but a column is called by its name: expected an "
                "index from 0"
            )
        certain = certain or (bool(trained) and trained == tuple(titles[j] for j in columns))
        numeric = columns if chosen is None and not levels else []
        frame = below_header(frame, options.header or "auto", certain, numeric, chosen is not None)
    # what else the rows have
    role_cells: dict[str, Any] = {}
    label_type = "text"
    for role, j in (("labels", k), ("strings", s)):
        if j is not None:
            cells = texts_of(frame.columns[j])
            if role == "labels" and isinstance(frame.columns[j], np.ndarray):
                cells, label_type = labels_of(frame.columns[j], len(cells), frame.source)
            role_cells[role] = np.array(cells, dtype=object)
    if w is not None:
        role_cells["weights"] = numbers_of(frame.columns[w])
        if role_cells["weights"] is None:
            raise not_numbers(frame, [w])
    # columns that are dropped may still be groups of a constraint
    named = zip(frame.names, frame.columns, strict=False)
    dropped = {name: cells for name, cells in named if name and name in options.dropped}
    if dropped:
        role_cells["groups"] = np.empty(len(frame.lines), [(name, object) for name in dropped])
        for name, cells in dropped.items():
            numbers = numbers_of(cells)
            if numbers is None:
                role_cells["groups"][name] = [text or None for text in texts_of(cells)]
            else:
                role_cells["groups"][name] = numbers
    table = features_of(frame, columns, levels, chosen, trained, **role_cells)
    warning = f"{frame.source}: columns that the fit does not have are left out: "
    notes = (warning + shown(", ".join(map(repr, ignored))),) if ignored else ()
    title = (frame.names[k],) if frame.names and k is not None else ()
    warnings = (*table.warnings, *notes)
    return replace(table, label=title, label_type=label_type, warnings=warnings)
