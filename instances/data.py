"""The common base class of all data sets, and the scaling of features and filling of missing cells,
fitted only to the training rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import ArrayError, DataError, OptionError
from radprog.base.sections import Part, Shown, amount, pairs
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.instances.tables import UNKNOWN, Levels, class_codes

LARGEST_NUMBER = 1e150  # of a number: squares, and sums of them, stay finite
FEW = 5  # classes that are named in one line
ONE_VS_REST = ("dataset", "sparse", "series", "bags")  # kinds that may have a classifier per class


#: The help text of each scaling.
SCALING_WORDS: Mapping[str, str] = {
    "none": "features as they are",
    "standard": "each feature with mean 0 and deviation 1",
    "minmax": "each feature from 0 to 1",
    "unit": "each row divided by its norm: features of large numbers outweigh the others",
    "ball": "standard, then divided by the largest norm of a row",
}
SCALINGS = tuple(SCALING_WORDS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaler:
    """The map x -> (x - shift) / divisor; of the kind ``unit``, each row is divided by its norm.

    - kind: one of SCALINGS.
    - shift, divisor: float64 (d,). For a constant column the divisor is 1, so ``standard``,
      ``minmax`` and ``ball`` make the column 0. ``unit`` does not change a row of zeros.
    - fill: float64 (d,), the values that replace missing cells (NaN) before scaling; None if
      nothing is filled.
    - ends: the first columns of the separately scaled groups of columns, except the first group.
    """

    kind: str
    shift: FloatArray
    divisor: FloatArray
    fill: FloatArray | None = None
    ends: tuple[int, ...] = ()

    def __call__(self, X: FloatArray) -> FloatArray:
        """Fill and scale X (n, d).

        Raises DataError for another number of columns, and if the result is not finite.
        """
        if X.ndim != 2 or X.shape[1] != len(self.shift):
            raise DataError(
                f"data of shape {X.shape} given, expected (rows, {len(self.shift)}) "
                "as in the training data"
            )
        # fill missing cells by the means of the training rows, then scale
        filled = X if self.fill is None else np.where(np.isnan(X), self.fill, X)
        if self.kind in ("none", "unit"):
            scaled = filled.copy()  # 200,000 rows of 21: 0.03 s, 0.20 by arithmetic
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = (filled - self.shift) / self.divisor
        if not np.isfinite(scaled).all():
            raise DataError(
                f"scaling '{self.kind}' met missing or infinite cells, or numbers too large for it"
            )
        if self.kind != "unit":
            return scaled
        # rows of norm 1; dividing by the largest entry first keeps the squares inside the range of
        # floats, and a zero row stays zero
        blocks = list[FloatArray]()
        for part in np.split(scaled, self.ends, axis=1):
            shrunk = part / _nonzero(np.abs(part).max(axis=1, keepdims=True, initial=0.0))
            blocks.append(shrunk / _nonzero(np.linalg.norm(shrunk, axis=1, keepdims=True)))
        return np.hstack(blocks)

    def warnings(self, X: FloatArray, names: Sequence[str] = ()) -> tuple[str, ...]:
        """A warning if one feature makes up nearly all of the rows X (n, d) of norm 1.

        ``names`` contains the names of the d features, or is empty.
        """
        shares = np.square(X).mean(axis=0)
        j = int(shares.argmax())
        # mean share of one feature in the squares of a row; breast cancer: 0.66
        if shares[j] <= 0.95:
            return ()
        return (
            f"scale 'unit' makes feature {names[j] if names else j} {100 * shares[j]:.0f} % of the "
            "squares of a row: use `scale='standard'`; or divide it by a fixed number first, which "
            "keeps the compression bound",
        )

    def refit(
        self, X: FloatArray, weights: FloatArray | None = None, kind: str | None = None
    ) -> Scaler:
        """A scaler of the same or another kind, with the same filling, for raw rows X (n, d)."""
        fill = self.fill is not None
        return fit_scaler(kind or self.kind, X, fill=fill, weights=weights, ends=self.ends)

    def plain(self) -> dict[str, Any]:
        """The scaler as strings and lists of numbers for JSON; ``from_plain`` is the inverse."""
        return {key: np.asarray(value).tolist() for key, value in vars(self).items()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Scaler:
        """The scaler from the output of ``plain``."""
        numbers: Any = {
            key: None if plain[key] is None else np.array(plain[key], dtype=np.float64)
            for key in ("shift", "divisor", "fill")
        }
        return cls(kind=plain["kind"], ends=tuple(map(int, plain.get("ends", ()))), **numbers)


def fit_scaler(
    kind: str,
    X: FloatArray,
    *,
    fill: bool = False,
    weights: FloatArray | None = None,
    ends: Sequence[int] = (),
) -> Scaler:
    """Fit a scaler to training rows X (n, d), n >= 1.

    - kind ``standard``: population mean 0 and standard deviation 1. ``minmax``: values in [0, 1].
      ``ball``: like ``standard``, then divided by the largest norm of a training row. ``unit``:
      rows of norm 1. ``none``: no change.
    - fill: whether missing cells (NaN) are first replaced by the mean of the column's other cells.
    - weights w (n,) > 0: row i counts w_i times in means and deviations; the mean is sum_i w_i x_i
      / sum_i w_i.
    - ends: see :class:`Scaler`.

    Raises OptionError for an unknown kind. Raises DataError if there are no rows, if a column to be
    filled has no values, or for numbers that are too large.
    """
    if kind not in SCALINGS:
        raise OptionError(f"unknown scaling '{kind}': expected one of {', '.join(SCALINGS)}")
    if not len(X):
        raise DataError("no rows to fit a scaling on")
    means: FloatArray | None = None
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # means of the cells that are there fill the gaps
        if fill:
            present = ~np.isnan(X)
            counts = present.sum(axis=0)
            if (counts == 0).any():
                raise DataError(
                    f"feature {int(np.argmin(counts))} (counted from 0) has no value in any "
                    "training row: leave that column out"
                )
            values = np.where(present, X, 0.0)
            means = values.sum(axis=0) / counts
            if weights is not None:
                means = (weights @ values) / (weights @ present)
            X = np.where(present, X, means)
        # shift and divisor of each column; a constant one becomes 0
        shift, divisor = np.zeros(X.shape[1]), np.ones(X.shape[1])
        lowest, spread = X.min(axis=0), np.ptp(X, axis=0)
        if kind == "minmax":
            shift, divisor = lowest, _nonzero(spread)
        if kind in ("standard", "ball"):
            mean = np.average(X, axis=0, weights=weights)
            deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
            shift = np.where(spread == 0, lowest, mean)
            divisor = _nonzero(np.where(spread == 0, 0.0, deviation))
        # ball: the largest row of each group gets norm 1
        if kind == "ball":
            parts = np.split((X - shift) / divisor, ends, axis=1)
            for part, divisors in zip(parts, np.split(divisor, ends), strict=True):
                divisors *= _nonzero(np.linalg.norm(part, axis=1).max())
    if not (np.isfinite(shift).all() and np.isfinite(divisor).all()):
        raise DataError(f"scaling '{kind}' overflows: missing, infinite or too large numbers")
    return Scaler(kind=kind, shift=shift, divisor=divisor, fill=means, ends=tuple(ends))


def _nonzero(lengths: FloatArray) -> FloatArray:
    """The lengths, with 0 replaced by 1."""
    return np.where(lengths > 0, lengths, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Data(Shown):
    """Rows, each with a class or a numeric target; for some kinds of data, the class may be
    unknown.

    - X: the rows (n, ...).
    - codes (n,): the class of each row as an index into ``labels``; UNKNOWN if the class is
      unknown.
    - target (n,): the numeric target of each row, if there are targets.
    - scaler: the scaling of X, computed from the training rows; raw: X before filling and scaling,
      with NaN for missing cells. None if rows are not scaled.
    - labels: the names of the classes, in order; the second of two classes is +1. label_type: the
      type of the labels, ``text`` as a text file has them, or one of ``str``, ``bool``, ``int`` and
      ``float``.
    - lines (n,): the row number of each row in the file, counted from 1; None without a file.
    - weights (n,): the weights of the rows, above 0; None means 1 for all. Rows of weight 0 are
      omitted.
    - groups (n,): the group of each row for constraints, or a record of the dropped columns.
    - reading: the options of the reader, for reading other files in the same way.
    - file_hash: the SHA-256 hash of the file's bytes; "" for arrays and for a part of the rows.
    - left_out: the rows of the file that were omitted because of missing cells or weight 0.
    - header: a description of the row with the column names.

    These are computed once from the others:

    - rows: the number of rows n; columns: the number of features d, or of values per row of another
      shape; None if the rows are not vectors.
    - known (n,): whether each row has a class.
    - one_vs_rest: whether models learn more than two classes one against the rest.
    - signed: whether the classes are -1 and +1: there are two, and they are not to be found.
    - y (n,): -1 and +1 for two classes, class codes for more classes or for partly labelled rows,
      or numeric targets; None if a row has none.
    - classes (n,): the label of each row if each class has its own classifier; () if not.
    - scaling: the kind of the scaler; ``none`` without a scaler. It is computed from the training
      rows unless it is ``unit`` or ``none``.
    """

    kind: str = ""  # in a recipe
    X: NDArray[Any]
    codes: IntArray
    target: FloatArray | None = None
    raw: FloatArray | None = None
    scaler: Scaler | None = None
    labels: tuple[str, ...] = ()
    label_type: str = "text"
    name: str = "data"
    file_hash: str = ""
    lines: IntArray | None = None
    weights: FloatArray | None = None
    groups: NDArray[Any] | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    left_out: tuple[int, ...] = ()
    header: str = ""
    rows: int = field(init=False)
    columns: int | None = field(init=False)
    known: BoolArray = field(init=False)
    one_vs_rest: bool = field(init=False)
    signed: bool = field(init=False)
    y: FloatArray | None = field(init=False)
    classes: tuple[str, ...] = field(init=False)
    scaling: str = field(init=False)

    def __post_init__(self) -> None:
        check_magnitude(self.X, lambda place: f"{self.name}, {self._place(*place)}")
        if self.target is not None:
            check_magnitude(self.target, lambda i: f"{self.name}, row {self.line(*i)}, target")
        matrices, separate = self.X.ndim == 1 or self.kind == "grams", self.kind in ONE_VS_REST
        known, y = np.asarray(self.codes != UNKNOWN), self.target
        signed = len(self.labels) == 2 and self.kind != "partly_labelled"
        if y is None and len(known) and known.all():
            y = np.where(self.codes == 1, 1.0, -1.0) if signed else self.codes.astype(np.float64)
        several = separate and len(self.labels) > 2 and known.all()
        vars(self).update(
            rows=len(self.codes),
            columns=None if matrices else int(np.prod(self.X.shape[1:])),
            known=known,
            one_vs_rest=separate,
            signed=signed,
            y=y,
            classes=tuple(self.labels[code] for code in self.codes) if several else (),
            scaling="none" if self.scaler is None else self.scaler.kind,
        )

    def __repr__(self) -> str:
        """One line with the name, the shape and the classes."""
        shape = " x ".join(map(str, self.X.shape))
        classes = ", classes " + self._first_labels(map(repr, self.labels))
        ending = classes if self.labels and self.known.any() else ""
        return f"<{type(self).__name__} {self.name!r}: {shape}{ending}>"

    def _first_labels(self, labels: Iterable[str]) -> str:
        ending = ", ..." if len(self.labels) > FEW else ""
        return ", ".join(list(labels)[:FEW]) + ending

    def _parts(self) -> list[Part]:
        shape = " x ".join(map(str, self.X.shape))
        values = {"data": self.name, "rows": self.rows, "shape": shape}
        return [pairs("", {**values, "classes": self._first_labels(self.labels)})]

    def _place(self, i: int, *entry: int) -> str:
        """The place of an entry of X, for messages."""
        return f"row {self.line(i)}, entry {list(entry)} of it"

    @property
    def targets(self) -> FloatArray:
        """The targets ``y`` (n,). Raises DataError if a row has no target."""
        if self.y is not None:
            return self.y
        if not self.known.any():
            raise DataError(
                f"{self.name}: this needs labels or numeric targets, but the data have none: "
                "`label` names their column"
            )
        i = int(np.argmin(self.known))
        raise DataError(f"{self.name}: {self.row_name(i)} has no label, this needs all of them")

    @property
    def signs(self) -> FloatArray:
        """The targets (n,) in {-1, +1}.

        Raises DataError if targets are missing or there are more than two classes.
        """
        if len(self.labels) > 2 or self.target is not None:
            count = "numeric targets" if self.target is not None else f"{len(self.labels)} classes"
            raise DataError(f"{self.name}: {count}, and this works with two classes only")
        return self.targets

    def labelled(
        self,
        texts: Sequence[str],
        label_type: str = "text",
        like: Data | None = None,
        **options: Any,
    ) -> Self:
        """The rows with the classes of their labels (n,), in the order of any training data
        ``like``; rows of classes that are not chosen are left out.

        ``options`` are those of :func:`~radprog.instances.tables.class_codes`, with its errors.
        """
        lines = np.arange(1, self.rows + 1) if self.lines is None else self.lines
        known = None if like is None else like.labels
        options |= {"like": known, "label_type": label_type}
        indices, codes, labels = class_codes(texts, self.name, lines, **options)
        rows = self if len(indices) == self.rows else self.take(indices, self.name)
        label_type = label_type if like is None else like.label_type
        return replace(rows, codes=codes, labels=labels, label_type=label_type)

    def refuse_weights(self, subject: str) -> None:
        """Raise OptionError if the rows have weights, because ``subject`` needs none."""
        if self.weights is not None:
            raise OptionError(
                f"{self.name}: {subject} needs rows without weights: leave the weights out"
            )

    def share(self, mask: NDArray[np.bool_]) -> float:
        """The fraction of the rows selected by the ``mask`` (n,), weighted if the rows have
        weights.
        """
        return float(np.average(mask, weights=self.weights))

    def weighed(self, weights: ArrayLike | None, *, scaled: bool = False) -> Self:
        """The rows with positive weight, with these weights (n,), filled and scaled by them.

        If all weights are 1, the data are returned unchanged. The hash of a file never changes.
        Raises DataError for a wrong shape, for a weight that is not a finite number >= 0, or if a
        class loses all its rows. Positive weights outside the range from 1e-150 to 1e150, or with a
        ratio above 1e12, also raise DataError. If ``scaled`` is true, the scaling of the data is
        not recomputed.
        """
        if weights is None:
            return self
        # weights of 1 change nothing; rows of weight 0 are left out
        values = checked_weights(weights, self.rows, self.name, self.line)
        if (values == 1.0).all():
            return self
        positive = np.flatnonzero(values)
        weighted = replace(self, weights=values).take(positive, self.name)
        # every class keeps a row
        lost = set(self.codes.tolist()) - set(weighted.codes.tolist()) - {UNKNOWN}
        if lost:
            raise DataError(
                f"{self.name}: no row of class '{self.labels[min(lost)]}' has a positive weight"
            )
        dropped = self.rows - len(positive)
        warning = (f"{amount(dropped, 'row')} of weight 0 left out",) if dropped else ()
        zero = (self.line(int(i)) for i in np.flatnonzero(values == 0.0))
        weighted = replace(
            weighted,
            file_hash=self.file_hash,
            warnings=(*self.warnings, *warning),
            left_out=tuple(sorted((*self.left_out, *zero))),
        )
        return weighted if scaled or weighted.scaler is None else weighted.rescaled()

    def line(self, i: int) -> int:
        """The number of row i in the file, counted from 1."""
        return i + 1 if self.lines is None else int(self.lines[i])

    def row_name(self, i: int) -> str:
        """The name of row i in messages, such as ``row 5`` for a file or ``X[3]`` for an array.

        Rows of a file are counted from 1, including the header.
        """
        return f"X[{self.given[i]}]" if self.lines is None else f"row {self.line(i)}"

    @cached_property
    def given(self) -> IntArray:
        """The numbers (n,) of the rows, counted from 0: for arrays, among all that were given, also
        those that were left out.
        """
        if self.lines is not None:
            return np.arange(self.rows)
        numbers = np.arange(self.rows + len(self.left_out))
        return np.delete(numbers, np.array(self.left_out, dtype=np.intp) - 1)

    def take(self, indices: IntArray, name: str | None = None) -> Self:
        """The rows ``indices`` as a separate data set with the same scaling."""
        each = ("raw", "codes", "target", "truth", "lines", "weights", "groups")
        arrays = {key: getattr(self, key, None) for key in each}
        part: Any = {key: cells[indices] for key, cells in arrays.items() if cells is not None}
        part |= {"X": self._rows_of_X(indices), "name": name or f"{self.name}[{len(indices)} rows]"}
        return replace(self, file_hash="", warnings=(), left_out=(), **part)

    def _rows_of_X(self, indices: IntArray) -> NDArray[Any]:
        """X, of these rows alone."""
        return self.X[indices]

    def partition(self, train: IntArray, test: IntArray) -> tuple[Self, Self]:
        """The training rows and the test rows as separate data sets.

        In both, missing cells are filled and features are scaled with statistics of the training
        rows.
        """
        training, held_out = self.take(train), self.take(test)
        if self.scaler is None or held_out.raw is None:
            return training, held_out
        training = training.rescaled()
        scaler = training.scaler or self.scaler
        return training, replace(held_out, X=scaler(held_out.raw), scaler=scaler)

    def rescaled(self, kind: str | None = None) -> Self:
        """The same rows with a scaling from ``SCALINGS``, computed from these rows.

        By default, the kind of scaling stays. The recipe of the result contains this scaling.
        Raises OptionError for rows that have no features, or none that can be scaled.
        """
        if self.scaler is None or self.raw is None:
            if (self.kind, kind) == ("sparse", "none"):
                return self
            words = {"sparse": "sparse rows: they would be dense", "dataset": "strings"}
            rows = words.get(self.kind, self.kind)
            raise OptionError(f"{self.name}: scale '{kind}' has no meaning for {rows}")
        scaler = self.scaler.refit(self.raw, self.weights, kind)
        changes: dict[str, Any] = {"X": scaler(self.raw), "scaler": scaler}
        if "scale" in self.reading:
            changes["reading"] = {**self.reading, "scale": scaler.kind}
        return replace(self, **changes)

    @cached_property
    def numbers(self) -> str:
        """The SHA-256 hash of the rows before scaling, the targets, the weights and the scaling.

        It does not depend on how a file writes the numbers.
        """
        X: Any = self.X if self.raw is None else self.raw
        if hasattr(X, "tocoo"):
            # the entries of a sparse matrix by row and column, after its shape
            entries = X.tocoo()
            rows = np.column_stack([entries.row, entries.col, entries.data])[entries.data != 0.0]
            order = np.lexsort((rows[:, 1], rows[:, 0]))
            rows = np.vstack([[*X.shape, 0.0], rows[order]])
        else:
            rows = np.asarray(X)
        rows = _one_form(rows)
        # the scaling to six digits: the last ones depend on the order of a sum
        scaler, scaling = self.scaler, ""
        if scaler is not None and not (scaler.kind == "none" and scaler.fill is None):
            middle = [scaler.shift] if scaler.fill is None else [scaler.shift, scaler.fill]
            places = [np.round(part / scaler.divisor, 6) + 0.0 for part in middle]
            sizes = [f"{size:.5e}" for size in scaler.divisor.tolist()]
            scaling = f"{scaler.kind} {scaler.ends} {np.concatenate(places).tolist()} {sizes}"
        codes = self.codes.astype(np.float64) if self.kind == "partly_labelled" else self.y
        return array_hash(rows, codes, scaling, weights=self.weights)

    def rows_in(self, other: Data) -> int:
        """How many of the rows, before scaling and with their class or target, ``other`` has."""
        hashes = []
        for data in (self, other):
            X: Any = data.X if data.raw is None else data.raw
            rows: Any
            answers: Any = data.codes if data.target is None else data.target
            if hasattr(X, "tocsr"):
                # the columns of the entries of each sparse row, and the entries
                X = X.tocsr().sorted_indices()
                rows = np.split(np.column_stack([X.indices, X.data]), X.indptr[1:-1])
            else:
                rows = _one_form(np.moveaxis(X, 1, 0) if data.kind == "grams" else X)
            keys = zip(rows, answers.tolist(), strict=True)
            hashes.append([hash((row.tobytes(), answer)) for row, answer in keys])
        return sum(map(set(hashes[1]).__contains__, hashes[0]))

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the file's bytes, or that of the ``numbers`` without a file."""
        return self.file_hash or self.numbers

    @property
    def identity(self) -> dict[str, Any]:
        """The name, the hashes and the number of rows, which a file about these data contains."""
        hashes = {"sha256": self.sha256, "numbers": self.numbers}
        return {"name": self.name, **hashes, "rows": self.rows}

    def recipe(self) -> dict[str, Any]:
        """The options for reading other files in the same way, as JSON types."""
        plain: dict[str, Any] = {
            "kind": self.kind,
            "labels": list(self.labels),
            "label_type": self.label_type,
            "name": self.name,
            "sha256": self.sha256,
            "reading": dict(self.reading),
            "columns": self.columns,
        }
        if self.kind in ("series", "bags"):
            plain["shape"] = list(self.X.shape[1:])
        for name in ("names", "features", "levels", "views", "label_name"):
            if value := getattr(self, name, ()):
                plain[name] = dict(value) if name == "levels" else list(value)
        if self.scaler is not None:
            plain["scaler"] = self.scaler.plain()
        return plain

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> Self:
        """The data set described by a recipe, without rows. Readers accept it as ``like``."""
        columns, names = recipe.get("columns"), recipe.get("names", ())
        shape = (0,) if columns is None else (0, columns)
        shape = (len(names), 0, 0) if names else (0, *recipe.get("shape", shape[1:]))
        attributes: dict[str, Any] = {
            "kind": recipe.get("kind", cls.kind),
            "name": recipe["name"],
            "file_hash": recipe["sha256"],
            "labels": tuple(recipe["labels"]),
            "label_type": recipe.get("label_type", "text"),
            "reading": dict(recipe["reading"]),
            "X": np.empty(shape, dtype=np.float64 if len(shape) > 1 else np.str_),
            "codes": np.full(0, UNKNOWN),
        }
        lists = ("names", "features", "label_name")
        attributes |= {key: tuple(recipe[key]) for key in lists if recipe.get(key)}
        if views := recipe.get("views"):
            attributes["views"] = tuple((str(name), int(a), int(b)) for name, a, b in views)
        if levels := recipe.get("levels"):
            attributes["levels"] = {int(p): tuple(texts) for p, texts in levels.items()}
        if scaler := recipe.get("scaler"):
            attributes |= {"scaler": Scaler.from_plain(scaler), "raw": attributes["X"]}
        return cls(**attributes)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Points(Data):
    """Numeric rows X (n, d) with missing cells filled and features scaled.

    - features: the names of the d features, or an empty tuple.
    - levels: the levels of each text column, by the index of the column among the feature columns.
      Each level becomes one feature.
    - label_name: the name of the column of the labels, or an empty tuple.
    """

    features: tuple[str, ...] = ()
    levels: Levels = field(default_factory=dict)
    label_name: tuple[str, ...] = ()

    @property
    def given_columns(self) -> int | None:
        """The number of feature columns in the file; a column with several levels counts once."""
        surplus = sum(len(levels) - 1 for levels in self.levels.values())
        return None if self.columns is None else self.columns - surplus

    @property
    def given_features(self) -> tuple[str, ...]:
        """The names of the feature columns in the file, or an empty tuple."""
        remaining, names = list(self.features), list[str]()
        while remaining:
            levels = self.levels.get(len(names), ())
            names.append(remaining[0].removesuffix(f"={levels[0]}") if levels else remaining[0])
            del remaining[: max(1, len(levels))]
        return tuple(names)


def _one_form(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows of numbers in one type, with one zero and one NaN."""
    if rows.dtype.kind not in "biuf":
        return rows
    rows = np.asarray(rows, dtype=np.float64) + 0.0
    return np.where(np.isnan(rows), np.nan, rows)


def check_magnitude(values: NDArray[Any], describe: Callable[[tuple[int, ...]], str]) -> None:
    """Raise DataError for a number with an absolute value above LARGEST_NUMBER. ``describe``
    returns the description of its place.
    """
    numbers = values.dtype.kind == "f" and values.size
    if numbers and not max(values.max(), -values.min()) <= LARGEST_NUMBER:
        place = tuple(np.argwhere(~(np.abs(values) <= LARGEST_NUMBER))[0].tolist())
        raise DataError(
            f"{describe(place)}: {values[place]:g} is too large, expected numbers up to "
            f"{LARGEST_NUMBER:g} whose squares can be summed: use other units "
            "(or scale minmax, of features)"
        )


def same_numbers(data: Data, block: Mapping[str, Any]) -> bool:
    """Whether data have the numbers of the data block ``block`` of a file. If the file has no hash
    of them, the bytes decide.
    """
    if block.get("numbers") is None:
        return data.sha256 == block.get("sha256")
    return bool(data.numbers == block["numbers"])


def row_shares(m: int, weights: FloatArray | None) -> FloatArray:
    """The shares (m,) of m rows in the total weight: 1/m, or w_i / sum w for weights w (m,)."""
    return np.full(m, 1.0 / m) if weights is None else np.asarray(weights / weights.sum())


def checked_weights(
    weights: ArrayLike, n: int, source: str, line: Callable[[int], int]
) -> FloatArray:
    """The checked weights (n,) of n rows.

    Raises ArrayError under the conditions of :meth:`Data.weighed`. The message begins with
    ``source``. ``line`` is a function from i to the number of row i in its file.
    """
    try:
        values = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArrayError(f"{source}: weights cannot be used: {error}") from None
    if values.shape != (n,):
        raise ArrayError(f"{source}: weights of shape {values.shape}, expected ({n},)")
    # finite and not negative, and not all zero
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
    if len(wrong):
        i = int(wrong[0])
        raise ArrayError(
            f"{source}, row {line(i)}: weight {values[i]}, expected a finite number >= 0"
        )
    if not values.any():
        raise ArrayError(f"{source}: all weights are zero, no row is left")
    # within a range in which products and sums stay finite
    smallest, largest = float(values[values > 0.0].min()), float(values.max())
    if smallest < 1.0 / LARGEST_NUMBER or largest > min(LARGEST_NUMBER, 1e12 * smallest):
        raise ArrayError(
            f"{source}: weights from {smallest:g} to {largest:g}: expected numbers from "
            f"{1.0 / LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}, or 0, and none to be more than 1e+12 "
            "times another: a weight says how many times a row counts"
        )
    return values


def array_hash(
    X: NDArray[Any], y: FloatArray | None, prefix: str = "", *, weights: FloatArray | None = None
) -> str:
    """The SHA-256 hash of the shapes, types and bytes of X, y and the weights.

    ``prefix`` is the hash of other arrays to include, or "".
    """
    digest = hashlib.sha256(prefix.encode())
    for array in (array for array in (X, y, weights) if array is not None):
        fixed = np.ascontiguousarray(array)
        digest.update(f"{fixed.shape}{fixed.dtype.str}".encode())
        digest.update(fixed.tobytes())
    return digest.hexdigest()
