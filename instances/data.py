"""The common base class of all data sets. Each row has a class or a number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import ArrayError, DataError, OptionError
from radprog.base.sections import Part, Shown, pairs
from radprog.base.types import FloatArray, IntArray
from radprog.instances.labels import UNKNOWN, class_codes
from radprog.instances.scaling import Scaler, scaler_from
from radprog.instances.tables import Levels

LARGEST_NUMBER = 1e150  # of a number: squares, and sums of them, stay finite
FEW = 5  # classes that are named in one line


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Data(Shown):
    """Rows, each with a class or a numeric target; for some kinds of data, the class may be
    unknown.

    - X: the rows (n, ...).
    - codes (n,): the class of each row as an index into ``labels``; UNKNOWN if the class is
      unknown.
    - target (n,): the numeric target of each row, if there are targets.
    - labels: the names of the classes, in order; the second of two classes is +1.
    - lines (n,): the row number of each row in the file, counted from 1; None without a file.
    - weights (n,): the weights of the rows, above 0; None means 1 for all. Rows of weight 0 are
      omitted.
    - reading: the options of the reader, for reading other files in the same way.
    - sha256: the hash of the file's bytes, or of the arrays if there is no file. ``numbers`` is the
      hash of the numbers, which does not depend on how a file writes them.
    - left_out: the rows of the file that were omitted because of missing cells or weight 0.
    - header: a description of the row with the column names.
    """

    kind: str = ""  # in a recipe
    X: NDArray[Any]
    codes: IntArray
    target: FloatArray | None = None
    labels: tuple[str, ...] = ()
    name: str = "data"
    sha256: str = ""
    lines: IntArray | None = None
    weights: FloatArray | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    left_out: tuple[int, ...] = ()
    header: str = ""

    def __repr__(self) -> str:
        """One line with the name, the shape and the classes."""
        shape = " x ".join(map(str, self.X.shape))
        classes = ", classes " + self._few(map(repr, self.labels))
        named = classes if self.labels and self.known.any() else ""
        return f"<{type(self).__name__} {self.name!r}: {shape}{named}>"

    def _few(self, labels: Iterable[str]) -> str:
        more = ", ..." if len(self.labels) > FEW else ""
        return ", ".join(list(labels)[:FEW]) + more

    def _parts(self) -> list[Part]:
        shape = " x ".join(map(str, self.X.shape))
        values = {"data": self.name, "rows": self.rows, "shape": shape}
        return [pairs("", {**values, "classes": self._few(self.labels)})]

    def __post_init__(self) -> None:
        check_magnitude(self.X, lambda place: f"{self.name}, {self._place(*place)}")
        if self.target is not None:
            check_magnitude(self.target, lambda i: f"{self.name}, row {self.line(*i)}, target")

    def _place(self, i: int, *entry: int) -> str:
        """The place of an entry of X, for messages."""
        return f"row {self.line(i)}, entry {list(entry)} of it"

    @property
    def one_vs_rest(self) -> bool:
        """Whether models learn more than two classes one against the rest."""
        return False

    @property
    def rows(self) -> int:
        """The number of rows n."""
        return len(self.codes)

    @property
    def columns(self) -> int | None:
        """The number of features d; None if the rows are not vectors."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else None

    @property
    def known(self) -> NDArray[np.bool_]:
        """A mask (n,) of the rows with a known class."""
        return np.asarray(self.codes != UNKNOWN)

    @property
    def y(self) -> FloatArray | None:
        """The ``targets``, or None if a row has no target."""
        known = self.rows > 0 and bool(self.known.all())
        return self.targets if self.target is not None or known else None

    @property
    def targets(self) -> FloatArray:
        """The targets (n,): -1 and +1 for two classes, class codes for more classes or for partly
        labelled rows, or numeric targets.

        Raises DataError if a row has no target.
        """
        if self.target is not None:
            return self.target
        if not self.known.any():
            raise DataError(
                f"{self.name}: this needs labels or numeric targets, but the data have none: "
                "`label` names their column"
            )
        if not self.known.all():
            i = int(np.argmin(self.known))
            raise DataError(f"{self.name}: {self.row_name(i)} has no label, this needs all of them")
        if self.signed:
            return np.where(self.codes == 1, 1.0, -1.0)
        return self.codes.astype(np.float64)

    @property
    def signed(self) -> bool:
        """Whether the classes are -1 and +1: there are two, and they are not to be found."""
        return len(self.labels) == 2 and self.kind != "partly_labelled"

    @property
    def signs(self) -> FloatArray:
        """The targets (n,) in {-1, +1}.

        Raises DataError if targets are missing or there are more than two classes.
        """
        if len(self.labels) > 2:
            raise DataError(
                f"{self.name}: {len(self.labels)} classes, and this works with two classes only"
            )
        return self.targets

    @property
    def classes(self) -> tuple[str, ...]:
        """The label of each row if each class has its own classifier; () if not."""
        if not self.one_vs_rest or len(self.labels) < 3 or not self.known.all():
            return ()
        return tuple(self.labels[code] for code in self.codes)

    @property
    def label_map(self) -> dict[str, str]:
        """The name of each class number. The numbers are -1 and 1 for two classes, and 0, 1, ...
        for more, and for partly labelled rows.
        """
        numbers = ("-1", "1") if self.signed else map(str, range(len(self.labels)))
        return dict(zip(numbers, self.labels, strict=True))

    def alike(self, what: str) -> None:
        """Raise OptionError if the rows have weights, because ``what`` does not support weights."""
        if self.weights is not None:
            raise OptionError(
                f"{self.name}: {what} needs rows without weights: leave the weights out"
            )

    def share(self, which: NDArray[np.bool_]) -> float:
        """The fraction of the rows selected by the mask ``which`` (n,), weighted if the rows have
        weights.
        """
        return float(np.average(which, weights=self.weights))

    def weighed(self, weights: ArrayLike | None, *, scaled: bool = False) -> Self:
        """The rows with positive weight, with these weights (n,).

        If all weights are 1, the data are returned unchanged. Otherwise, the hash of arrays also
        depends on the weights. The hash of a file never changes. Raises DataError for a wrong
        shape, for a weight that is not a finite number >= 0, or if a class loses all its rows.
        Positive weights outside the range from 1e-150 to 1e150, or with a ratio above 1e12, also
        raise DataError. If ``scaled`` is true, the scaling of the data is not recomputed.
        """
        if weights is None:
            return self
        # weights of 1 change nothing; rows of weight 0 are left out
        values = checked_weights(weights, self.rows, self.name, self.line)
        if (values == 1.0).all():
            return self
        kept = np.flatnonzero(values)
        left = replace(self, weights=values).take(kept, self.name)
        # every class keeps a row
        lost = set(self.codes.tolist()) - set(left.codes.tolist()) - {UNKNOWN}
        if lost:
            raise DataError(
                f"{self.name}: no row of class '{self.labels[min(lost)]}' has a positive weight"
            )
        dropped = self.rows - len(kept)
        warning = (f"{dropped} rows of weight 0 left out",) if dropped else ()
        # a file keeps its hash, since the weights stand in it
        hashed = self.sha256 if self.reading else array_hash(values, None, self.sha256)
        zero = (self.line(int(i)) for i in np.flatnonzero(values == 0.0))
        out = tuple(sorted((*self.left_out, *zero)))
        return replace(left, sha256=hashed, warnings=(*self.warnings, *warning), left_out=out)

    def line(self, i: int) -> int:
        """The number of row i in the file, counted from 1."""
        return i + 1 if self.lines is None else int(self.lines[i])

    def row_name(self, i: int) -> str:
        """The name of row i in messages, such as ``row 5`` for a file or ``X[3]`` for an array.

        Rows of a file are counted from 1, including the header.
        """
        return f"X[{i}]" if self.lines is None else f"row {self.line(i)}"

    def take(self, indices: IntArray, name: str | None = None) -> Self:
        """The rows ``indices`` as a separate data set with the same scaling.

        Its hash is computed from the arrays.
        """
        rows = ("X", "raw", "codes", "target", "truth", "lines", "weights")
        arrays = {key: getattr(self, key, None) for key in rows}
        part = {key: values[indices] for key, values in arrays.items() if values is not None}
        return self._with(name or f"{self.name}[{len(indices)} rows]", **part)

    def partition(self, train: IntArray, test: IntArray) -> tuple[Self, Self]:
        """The training rows and the test rows as separate data sets.

        In both, missing cells are filled and features are scaled with statistics of the training
        rows.
        """
        return self.take(train), self.take(test)

    def rescaled(self, kind: str) -> Self:
        """The same rows with another scaling from ``SCALINGS``.

        Raises OptionError if the data have no features.
        """
        raise OptionError(f"{self.name}: scale '{kind}' has no meaning for {type(self).__name__}")

    def _with(self, name: str, **arrays: Any) -> Self:
        """The data with other arrays, and with the hash of these arrays."""
        data = replace(self, name=name, warnings=(), left_out=(), **arrays)
        return replace(data, sha256=array_hash(data.X, data.hashed, weights=data.weights))

    @property
    def hashed(self) -> FloatArray | None:
        """The numbers that represent the labels or targets in the hash of the arrays."""
        return self.codes.astype(np.float64) if self.kind == "partly_labelled" else self.y

    @cached_property
    def numbers(self) -> str:
        """The SHA-256 hash of the rows before scaling, the targets, the weights and the scaling."""
        return array_hash(self._unscaled(), self.hashed, self._scaling(), weights=self.weights)

    def _unscaled(self) -> NDArray[Any]:
        """The rows before scaling, in an order and type that do not depend on their source."""
        raw = getattr(self, "raw", None)
        rows: NDArray[Any] = np.asarray(self.X if raw is None else raw)
        if rows.dtype.kind not in "biuf":
            return rows
        # one type, one zero and one NaN
        rows = np.asarray(rows, dtype=np.float64) + 0.0
        return np.where(np.isnan(rows), np.nan, rows)

    def _scaling(self) -> str:
        """The scaling as text, to six digits: the last ones depend on the order of a sum."""
        return ""

    @property
    def identity(self) -> dict[str, Any]:
        """The name, the hashes and the number of rows, which a file about these data contains."""
        hashes = {"sha256": self.sha256, "numbers": self.numbers}
        return {"name": self.name, **hashes, "rows": self.rows}

    def recipe(self) -> dict[str, Any]:
        """The options for reading other files in the same way, as JSON types."""
        return {
            "kind": self.kind,
            "labels": list(self.labels),
            "name": self.name,
            "sha256": self.sha256,
            "reading": dict(self.reading),
        }

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> Self:
        """The data set described by a recipe, without rows. Readers accept it as ``like``."""
        return cls(
            **{key: recipe[key] for key in ("kind", "name", "sha256")},
            codes=unknown(0),
            labels=tuple(recipe["labels"]),
            reading=dict(recipe["reading"]),
            **cls._shaped(recipe),
        )

    @classmethod
    def _shaped(cls, recipe: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a subclass without rows, including X."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Points(Data):
    """Numeric rows X (n, d) with missing cells filled and features scaled.

    - scaler: the scaling of X, computed from the training rows.
    - raw: X (n, d) before filling and scaling, with NaN for missing cells.
    - features: the names of the d features, or an empty tuple.
    - levels: the levels of each text column, by the index of the column among the feature columns.
      Each level becomes one feature.
    """

    features: tuple[str, ...] = ()
    levels: Levels = field(default_factory=dict)
    scaler: Scaler | None = None
    raw: FloatArray | None = None

    def partition(self, train: IntArray, test: IntArray) -> tuple[Self, Self]:
        """The training rows and the test rows as separate data sets.

        In both, missing cells are filled and features are scaled with statistics of the training
        rows.
        """
        # statistics of the training rows fill and scale both parts
        first, second = self.take(train), self.take(test)
        if self.scaler is None or first.raw is None or second.raw is None:
            return first, second
        scaler = self.scaler.refit(first.raw, first.weights)
        return (
            first._with(first.name, X=scaler(first.raw), scaler=scaler),
            second._with(second.name, X=scaler(second.raw), scaler=scaler),
        )

    def rescaled(self, kind: str) -> Self:
        """The same rows with another scaling from ``SCALINGS``, computed from these rows.

        The recipe of the result contains this scaling. Raises OptionError for strings and for an
        unknown scaling.
        """
        if self.scaler is None or self.raw is None:
            raise OptionError(f"{self.name}: scale '{kind}' has no meaning for strings")
        scaler = self.scaler.refit(self.raw, self.weights, kind)
        reading = {**self.reading, "scale": kind} if "scale" in self.reading else self.reading
        return replace(self, X=scaler(self.raw), scaler=scaler, reading=reading)

    def _scaling(self) -> str:
        scaler = self.scaler
        if scaler is None or (scaler.kind == "none" and scaler.fill is None):
            return ""
        middle = [scaler.shift] if scaler.fill is None else [scaler.shift, scaler.fill]
        places = [np.round(part / scaler.divisor, 6) + 0.0 for part in middle]
        sizes = [f"{size:.5e}" for size in scaler.divisor.tolist()]
        return f"{scaler.kind} {scaler.ends} {np.concatenate(places).tolist()} {sizes}"

    def weighed(self, weights: ArrayLike | None, *, scaled: bool = False) -> Self:
        """The rows with positive weight. The weights (n,) also apply to filling and scaling.

        If ``scaled`` is true, filling and scaling are not recomputed.
        """
        left = super().weighed(weights, scaled=scaled)
        if weights is None or scaled or left.scaler is None or left.raw is None:
            return left
        scaler = left.scaler.refit(left.raw, left.weights)
        return replace(left, X=scaler(left.raw), scaler=scaler)

    def recipe(self) -> dict[str, Any]:
        """The options for reading other files in the same way, as JSON types."""
        return {
            **super().recipe(),
            "columns": self.columns,
            "features": list(self.features),
            "scaler": None if self.scaler is None else self.scaler.plain(),
            **({"levels": dict(self.levels)} if self.levels else {}),
        }

    @property
    def given_columns(self) -> int | None:
        """The number of feature columns in the file; a column with several levels counts once."""
        surplus = sum(len(levels) - 1 for levels in self.levels.values())
        return None if self.columns is None else self.columns - surplus

    @property
    def given_features(self) -> tuple[str, ...]:
        """The names of the feature columns in the file, or an empty tuple."""
        left, names = list(self.features), list[str]()
        while left:
            own = self.levels.get(len(names), ())
            names.append(left[0].removesuffix(f"={own[0]}") if own else left[0])
            del left[: max(1, len(own))]
        return tuple(names)

    @classmethod
    def _shaped(cls, recipe: Mapping[str, Any]) -> dict[str, Any]:
        empty, scaler = np.empty((0, recipe["columns"])), recipe["scaler"]
        return {
            "X": empty,
            "raw": empty,
            "levels": {int(p): tuple(own) for p, own in recipe.get("levels", {}).items()},
            "features": tuple(recipe["features"]),
            "scaler": None if scaler is None else scaler_from(scaler),
        }


AnyData = TypeVar("AnyData", bound=Data)


def labelled(
    data: AnyData,
    texts: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    positive: str | None = None,
    one_vs_rest: bool = False,
    like: Data | None = None,
) -> AnyData:
    """The data with labels from strings (n,).

    There are two classes; with ``one_vs_rest``, there may be more. If ``like`` is not None, the
    classes are those of ``like``. Raises DataError for a missing or unknown label, for one class,
    and for more than two classes without ``one_vs_rest``. Raises OptionError if ``positive`` is set
    for more than two classes.
    """
    known = None if like is None else like.labels
    how: dict[str, Any] = {"positive": positive, "several": one_vs_rest, "like": known}
    _, codes, names = class_codes(texts, source, lines, **how)
    return replace(data, codes=codes, labels=names, lines=lines)


def check_magnitude(values: NDArray[Any], where: Callable[[tuple[int, ...]], str]) -> None:
    """Raise DataError for a number with an absolute value above LARGEST_NUMBER. ``where`` describes
    its place.
    """
    numbers = values.dtype.kind == "f" and values.size
    if numbers and not max(values.max(), -values.min()) <= LARGEST_NUMBER:
        place = tuple(np.argwhere(~(np.abs(values) <= LARGEST_NUMBER))[0].tolist())
        raise DataError(
            f"{where(place)}: {values[place]:g} is too large, expected numbers up to "
            f"{LARGEST_NUMBER:g} whose squares can be summed: use other units "
            "(or scale minmax, of features)"
        )


def same_numbers(data: Data, held: Mapping[str, Any]) -> bool:
    """Whether data have the numbers of the data block ``held`` of a file. If the file has no hash
    of them, the bytes decide.
    """
    if held.get("numbers") is None:
        return data.sha256 == held.get("sha256")
    return bool(data.numbers == held["numbers"])


def unknown(n: int) -> IntArray:
    """The codes (n,) of rows without a class."""
    return np.full(n, UNKNOWN, dtype=np.intp)


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
    least, largest = float(values[values > 0.0].min()), float(values.max())
    if least < 1.0 / LARGEST_NUMBER or largest > min(LARGEST_NUMBER, 1e12 * least):
        raise ArrayError(
            f"{source}: weights from {least:g} to {largest:g}: expected numbers from "
            f"{1.0 / LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}, or 0, and none to be more than 1e+12 "
            "times another: a weight says how many times a row counts"
        )
    return values


def array_hash(
    X: NDArray[Any], y: FloatArray | None, of: str = "", *, weights: FloatArray | None = None
) -> str:
    """The SHA-256 hash of the shapes, types and bytes of X, y and the weights.

    ``of`` is the hash of other arrays to include, or "".
    """
    digest = hashlib.sha256(of.encode())
    for array in (array for array in (X, y, weights) if array is not None):
        fixed = np.ascontiguousarray(array)
        digest.update(f"{fixed.shape}{fixed.dtype.str}".encode())
        digest.update(fixed.tobytes())
    return digest.hexdigest()
