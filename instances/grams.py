"""Sets of kernel matrices over the same points: read from .npz archives, checked, in folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.dataset import array_hash
from radprog.instances.errors import DataError, OptionError
from radprog.instances.labels import in_order, label_map, plain_label, plain_labels
from radprog.instances.tables import AnyPath, digest, read_bytes
from radprog.instances.types import FloatArray, IntArray

SYMMETRY = 1e-8  # asymmetry, relative to the largest entry, that counts as rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class Coded:
    """Points of two classes or more: codes (n,) of every row's class as an index into ``labels``,
    -1 without labels; name: of the data."""

    codes: IntArray
    labels: tuple[str, ...]
    name: str

    @property
    def targets(self) -> FloatArray:
        """-1 and +1 for two classes, else the class as a number 0, 1, ...; (n,).

        Raises DataError where a row has no label.
        """
        if (self.codes < 0).any():
            raise DataError(f"{self.name}: this needs labels, and the data set was read without")
        if len(self.labels) == 2:
            return np.where(self.codes == 1, 1.0, -1.0)
        return self.codes.astype(np.float64)

    @property
    def y(self) -> FloatArray | None:
        """``targets``, or None without labels."""
        return None if (self.codes < 0).any() else self.targets

    @property
    def label_map(self) -> dict[str, str]:
        """The name behind each number of a class."""
        return label_map(self.labels)


@dataclass(frozen=True, kw_only=True, eq=False)
class GramSet(Coded):
    """Kernel matrices of the same points, with their labels.

    K: float64 (M, n, n), symmetric; rows of new points (M, r, n) where it is a test set of one
    with n training points.
    names: of the M kernels. reading: the reader's options; sha256: of the file or the arrays.
    """

    K: FloatArray
    labels: tuple[str, ...] = ("-1", "1")
    names: tuple[str, ...] = ()
    name: str = "grams"
    sha256: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    lines = None  # rows are counted from 1

    @property
    def rows(self) -> int:
        """Number of points (of new points in a test part)."""
        return int(self.K.shape[1])

    @property
    def columns(self) -> None:
        """There are no features."""
        return None

    @property
    def X(self) -> FloatArray:
        """What a predictor takes: kernel values (M, rows, training points)."""
        return self.K

    def take(self, indices: IntArray, name: str | None = None) -> GramSet:
        """The points ``indices`` as a set of their own."""
        return self._part(indices, indices, name)

    def partition(self, train: IntArray, test: IntArray) -> tuple[GramSet, GramSet]:
        """Training points, and test rows against the training points."""
        return self.take(train), self._part(test, train, None)

    def _part(self, rows: IntArray, columns: IntArray, name: str | None) -> GramSet:
        K = np.ascontiguousarray(self.K[:, rows][:, :, columns])
        codes = self.codes[rows]
        return replace(
            self,
            K=K,
            codes=codes,
            name=name or f"{self.name}[{len(rows)} rows]",
            sha256=array_hash(K, codes.astype(np.float64)),
            warnings=(),
        )

    def recipe(self) -> dict[str, Any]:
        """What reading kernel values of new points needs, in JSON's types."""
        return {
            "kind": "grams",
            "columns": None,
            "labels": list(self.labels),
            "names": list(self.names),
            "name": self.name,
            "sha256": self.sha256,
            "reading": dict(self.reading),
        }


def grams_from(recipe: Mapping[str, Any]) -> GramSet:
    """The set without points that ``GramSet.recipe`` describes: the ``like`` of the reader."""
    names = tuple(recipe["names"])
    return GramSet(
        K=np.empty((len(names), 0, 0)),
        codes=np.empty(0, dtype=np.intp),
        labels=tuple(recipe["labels"]),
        names=names,
        name=recipe["name"],
        sha256=recipe["sha256"],
        reading=dict(recipe["reading"]),
    )


def class_codes(
    written: Sequence[str],
    source: str,
    lines: NDArray[np.int64],
    classes: Sequence[str] | None,
    positive: str | None = None,
) -> tuple[NDArray[np.intp], IntArray, tuple[str, ...]]:
    """Rows to keep, their codes, and the labels behind the codes 0, 1, ... in order.

    classes: the labels to keep (default: all). positive: of two labels the one of code 1.
    Raises DataError where fewer than two classes are left or a class has no row; OptionError on a
    class given twice, or a positive label that is none of two.
    """
    plain = plain_labels(written, source, lines)
    present = in_order(plain)
    chosen = present if classes is None else in_order([plain_label(text) for text in classes])
    if classes is not None and len(chosen) != len(classes):
        raise OptionError(f"classes {','.join(classes)}: a class is given twice")
    for label in chosen:
        if label not in present:
            raise DataError(
                f"{source}: no row of class '{label}': the labels are {', '.join(present[:30])}"
            )
    if len(chosen) < 2:
        raise DataError(
            f"{source}: only one class, '{chosen[0]}', in the label column, expected at least two"
        )
    if positive is not None:
        first = plain_label(positive)
        if len(chosen) != 2 or first not in chosen:
            raise OptionError(
                f"positive '{positive}': expected one of two classes, here {', '.join(chosen)}"
            )
        chosen = [label for label in chosen if label != first] + [first]
    code = {label: k for k, label in enumerate(chosen)}
    kept = np.array([i for i, label in enumerate(plain) if label in code], dtype=np.intp)
    return kept, np.array([code[plain[i]] for i in kept], dtype=np.intp), tuple(chosen)


def known_codes(
    written: Sequence[str],
    source: str,
    lines: NDArray[np.int64],
    labels: tuple[str, ...],
    *,
    chosen: bool,
) -> tuple[NDArray[np.intp], IntArray]:
    """Rows to keep and their codes, for the labels of training data.

    chosen: whether these were chosen out of more; then rows of other labels are left out, else
    they are refused. Raises DataError.
    """
    plain = plain_labels(written, source, lines)
    other = [i for i, label in enumerate(plain) if label not in labels]
    if other and (not chosen or len(other) == len(plain)):
        raise DataError(
            f"{source}, row {lines[other[0]]}: label '{plain[other[0]]}' is none of the training "
            f"data's {', '.join(labels[:30])}"
        )
    kept = np.array([i for i, label in enumerate(plain) if label in labels], dtype=np.intp)
    return kept, np.array([labels.index(plain[i]) for i in kept], dtype=np.intp)


def gram_set(
    K: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] = (),
    name: str = "grams",
    classes: Sequence[str] | None = None,
    positive: str | None = None,
) -> GramSet:
    """A set from arrays: K (M, n, n) symmetric, y (n,) of two labels or more.

    Raises DataError on another shape, an entry that is no finite number, an asymmetric matrix, or
    labels that are not at least two classes.
    """
    matrices = _numbers(K, name)
    if matrices.ndim != 3 or 0 in matrices.shape or matrices.shape[1] != matrices.shape[2]:
        raise DataError(f"{name}: K has shape {matrices.shape}, expected (M, n, n), not empty")
    written = np.asarray(y)
    M, n, _ = matrices.shape
    if written.shape != (n,):
        raise DataError(
            f"{name}: y has shape {written.shape}, expected ({n},) as K is {M} matrices of "
            f"{n} x {n}"
        )
    if written.dtype.kind == "O":
        raise DataError(f"{name}: y holds objects, expected numbers or texts")
    known = tuple(names) if names else tuple(f"gram:{m}" for m in range(M))
    if len(known) != M or len(set(known)) != M:
        raise DataError(f"{name}: {len(known)} names for {M} kernels, expected {M} different ones")
    for m, matrix in enumerate(matrices):
        _check_symmetric(matrix, f"{name}: kernel {known[m]}")
    lines = np.arange(1, n + 1)
    texts = [str(label) for label in written.tolist()]
    kept, codes, labels = class_codes(texts, name, lines, classes, positive)
    if len(kept) < n:
        matrices = matrices[:, kept][:, :, kept]
    matrices = np.ascontiguousarray((matrices + matrices.transpose(0, 2, 1)) / 2)
    return GramSet(
        K=matrices,
        codes=codes,
        labels=labels,
        names=known,
        name=name,
        sha256=array_hash(matrices, codes.astype(np.float64)),
    )


def read_grams(
    path: AnyPath,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    like: GramSet | None = None,
) -> GramSet:
    """Kernel matrices from an .npz archive: arrays ``K`` (M, n, n), ``y`` (n,) and, if the kernels
    have names, ``names`` (M,). Nothing is ever unpickled.

    like: the training set; then K (M, r, n) holds the values between r new points and its n
    points, ``y`` (r,) may be missing, and an .npy of K alone will do.
    Raises DataError, naming the file, where an array is missing, of the wrong shape or pickled.
    """
    source = str(path)
    raw = read_bytes(path)
    if like is not None:
        return _new_points(source, path, raw, like)
    arrays = _archive(source, path, ("K", "y"), ("names",))
    names = arrays.get("names")
    data = gram_set(
        arrays["K"],
        arrays["y"],
        names=() if names is None else [str(text) for text in names.tolist()],
        name=source.rsplit("/", 1)[-1],
        classes=classes,
        positive=positive,
    )
    reading = {
        "classes": None if classes is None else list(classes),
        "positive": positive,
    }
    return replace(data, sha256=digest(raw), reading=reading)


def _new_points(source: str, path: AnyPath, raw: bytes, like: GramSet) -> GramSet:
    """Kernel values between new points and the points of ``like``."""
    K, written, M = read_cross(path), None, len(like.names)
    if len(K) != M:
        raise DataError(f"{source}: {len(K)} kernels, expected {M} as in the training data")
    if source.endswith(".npz"):
        written = _archive(source, path, ("K",), ("y",)).get("y")
    codes = np.full(K.shape[1], -1, dtype=np.intp)
    if written is not None:
        if written.shape != (K.shape[1],) or written.dtype.kind == "O":
            raise DataError(f"{source}: y has shape {written.shape}, expected ({K.shape[1]},)")
        kept, codes = known_codes(
            [str(label) for label in written.tolist()],
            source,
            np.arange(1, len(written) + 1),
            like.labels,
            chosen=like.reading.get("classes") is not None,
        )
        K = np.ascontiguousarray(K[:, kept])
    return replace(like, K=K, codes=codes, name=source.rsplit("/", 1)[-1], sha256=digest(raw))


def read_cross(path: AnyPath) -> FloatArray:
    """Kernel values (M, new points, training points) for prediction, from .npy or an .npz with K.

    A single matrix (new points, training points) is that of one kernel.
    """
    source = str(path)
    read_bytes(path)
    if source.endswith(".npz"):
        values = _numbers(_archive(source, path, ("K",), ("y",))["K"], source)
    else:
        values = _numbers(_load(source, path), source)
    if values.ndim == 2:
        values = values[None]
    if values.ndim != 3 or 0 in values.shape:
        raise DataError(
            f"{source}: an array of shape {values.shape}, expected (kernels, new points, training "
            "points), not empty"
        )
    return values


def _load(source: str, path: AnyPath) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise DataError(
            f"{source}: no arrays in NumPy's format (pickles are never read): {error}"
        ) from None


def _archive(
    source: str, path: AnyPath, needed: Sequence[str], optional: Sequence[str]
) -> dict[str, NDArray[Any]]:
    archive = _load(source, path)
    if isinstance(archive, np.ndarray):
        raise DataError(f"{source}: a single array, expected an .npz of {', '.join(needed)}")
    with archive:
        missing = [key for key in needed if key not in archive.files]
        if missing:
            raise DataError(
                f"{source}: no array {', '.join(missing)} in the archive, which holds "
                f"{', '.join(archive.files) or 'nothing'}"
            )
        try:
            return {key: archive[key] for key in (*needed, *optional) if key in archive.files}
        except (ValueError, EOFError, OSError) as error:
            raise DataError(
                f"{source}: an array cannot be read (pickles are never read): {error}"
            ) from None


def _numbers(values: ArrayLike, source: str) -> FloatArray:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{source}: no array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise DataError(f"{source}: an array of type {array.dtype}, expected numbers")
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        where = ", ".join(map(str, np.argwhere(~np.isfinite(array))[0].tolist()))
        raise DataError(f"{source}: entry [{where}] is not a finite number")
    return array


def _check_symmetric(matrix: FloatArray, what: str) -> None:
    difference = np.abs(matrix - matrix.T)
    if difference.max() > SYMMETRY * np.abs(matrix).max():
        i, j = np.unravel_index(int(difference.argmax()), difference.shape)
        raise DataError(
            f"{what} is not symmetric: entry [{i}, {j}] is {matrix[i, j]:.6g}, "
            f"[{j}, {i}] is {matrix[j, i]:.6g}"
        )
