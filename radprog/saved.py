"""Results and fits as JSON or .npz files: atomic writing, and reading with clear errors."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base import errors
from radprog.base.errors import MALFORMED, DataError, KernelError, OptionError, RadprogError
from radprog.base.settings import recorded
from radprog.base.types import FloatArray, IntArray
from radprog.base.writing import atomic_bytes, path_text
from radprog.catalog import Entry, entry_named, entry_of
from radprog.decompositions.one_vs_rest import OneVsRest
from radprog.decompositions.run import Fit, Run, Spec
from radprog.instances.arrays import UNREADABLE, refuse_bomb
from radprog.instances.bags import NOUN, Bags, checked_values
from radprog.instances.data import Data, Points, same_numbers
from radprog.instances.dataset import Dataset, Kind, TableOptions, table_of
from radprog.instances.grams import GramSet
from radprog.instances.sparse import SparseData, sparse_points
from radprog.instances.tables import (
    complete_rows,
    decode,
    frame_of,
    read_bytes,
    same_columns,
)
from radprog.models.bounds import BY_ESTIMATOR
from radprog.models.kernels import supplied, user_objects
from radprog.result import ENCODE, digest_of, digest_state, plain, result_of, to_json

EDITED = "it was edited after it was written: its digest does not hold"
ARRAY = "radprog_array"  # key of the name of an array of an .npz file, in place of a list
Rows: TypeAlias = ArrayLike | Data
#: The class of data of a kind, and the call that makes them from arrays.
DATA_KINDS: Mapping[str, type[Data]] = {
    **dict.fromkeys(get_args(Kind), Dataset),
    **dict.fromkeys(NOUN, Bags),
    "grams": GramSet,
    "sparse": SparseData,
}


@contextmanager
def writing(files: Mapping[str, str | bytes]) -> Iterator[None]:
    """Write several files, all or none, at the end of the block.

    Raises OutputError if a file cannot be written.
    """
    with ExitStack() as stack:
        for path, content in files.items():
            stream = stack.enter_context(atomic_bytes(path))
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
        yield


def write_all(files: Mapping[str, str | bytes]) -> None:
    """Write several files; if one fails, none is written and OutputError is raised."""
    with writing(files):
        pass


def write_json(path: str | Path | None, value: Any) -> None:
    """Write JSON atomically. Raises OutputError if the file cannot be written."""
    write_all({path_text(path): to_json(value)})


def as_archive(value: Any) -> bytes:
    """The .npz file of a JSON value. The array ``json`` has the UTF-8 bytes of its text, in which
    array names replace lists of numbers.
    """
    arrays: dict[str, NDArray[Any]] = {}

    def named(value: Any) -> Any:
        """The value with lists of numbers moved to the arrays, if they can be restored exactly."""
        if isinstance(value, dict):
            return {key: named(item) for key, item in value.items()}
        if not isinstance(value, list):
            return value
        with suppress(ValueError):  # a ragged list is no array
            array = np.array(value)
            if (
                array.size >= 16  # a shorter list stays in the text
                and array.dtype.kind in "fi"
                and repr(array.tolist()) == repr(value)
            ):
                arrays[name := f"array_{len(arrays)}"] = array
                return {ARRAY: name}
        return [named(item) for item in value]

    text = ENCODE(named(plain(value)))
    arrays["json"] = np.frombuffer(text.encode(), np.uint8)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            # an entry without a time: the same fit gives the same file
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
    return stream.getvalue()


def read_json(path: str | Path, what: str) -> dict[str, Any]:
    """Read a JSON object from a JSON file or from an archive of :func:`as_archive`.

    Raises DataError for another file; the message names the file and the expected content.
    """
    arrays: dict[str, NDArray[Any]] = {}

    def listed(value: dict[str, Any]) -> Any:
        """The list of an array, in place of its name."""
        return arrays[value[ARRAY]].tolist() if ARRAY in value else value

    raw, form = read_bytes(path, unpack=False), "JSON"
    try:
        if raw.startswith(b"PK"):
            form = "JSON or .npz (pickles are never read)"
            with np.load(io.BytesIO(raw), allow_pickle=False) as loaded:
                refuse_bomb(str(path), loaded, len(raw), loaded.files)
                arrays = dict(loaded)
            raw = arrays["json"].tobytes()
        # numbers that are invalid in JSON (NaN, 1e999) are refused while it is parsed
        value = json.loads(
            decode(str(path), raw), object_hook=listed,
            parse_int=_finite, parse_float=_finite, parse_constant=_finite,
        )  # fmt: skip
    except UNREADABLE as error:
        reason = "" if "(" in form else f": {error}"
        raise DataError(f"{path}: expected {what} in {form}{reason}") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected {what}, a JSON object")
    return value


def _finite(text: str) -> int | float:
    """A finite number of a JSON file; NaN, infinity and overflowing floats are errors."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return int(text) if text.lstrip("-").isdigit() else number


def no_result(value: Mapping[str, Any], error: Exception) -> str:
    """The reason why a JSON object is not a result."""
    if "radprog_fit" in value:
        return "this is a saved fit, expected a result"
    reason = f"it has no entry {error}" if isinstance(error, KeyError) else repr(error)
    return f"not a result of radprog solve: {reason}"


def data_of(run: Run, data: Any) -> Any:
    """The data set of a run, in the data class of its model. Raises DataError for a data set with
    other numbers, and OptionError for other objects.
    """
    data = entry_of(run.spec).adapt(data)
    if data is not None and run.numbers and data.numbers != run.numbers:
        # an estimator's run is of rows that it was given
        hint = ": give its rows and weights (by class); an estimator saves its fit by save_fit"
        raise DataError(
            f"{data.name} is not the data set of the run: other rows, labels, weights or scaling"
            + hint * (run.extra.get(BY_ESTIMATOR) is True)
        )
    return data


def supplied_by(result: Any) -> AbstractContextManager[None]:
    """A context that supplies the functions in a run's settings to code that reads its result."""
    spec = getattr(result, "spec", None)
    penalties = user_objects(getattr(spec, "complexity", None)).values()
    return supplied(user_objects(getattr(spec, "kernels", None)), next(iter(penalties), None))


def result_content(result: object, data: Any = None) -> tuple[Mapping[str, Any], str]:
    """The content of a result from a run, a file or a mapping, and the name of the result in
    errors.

    For a run, ``data`` must be the data set of its fit. Raises DataError for another one, and
    OptionError for any other object.
    """
    # a run is converted to its JSON result
    if isinstance(result, Run):
        if not isinstance(data, Data):
            received = "" if data is None else f", and {type(data).__name__} is none"
            raise OptionError(f"a run needs its data: `data` is the data set of the fit{received}")
        return result_of(result, data_of(result, data)), "result"
    if isinstance(result, Mapping):
        return result, "result"
    if not isinstance(result, str | Path):
        kind, hint = type(result).__name__, ": take its run_" * hasattr(result, "run_")
        raise OptionError(f"{kind} is given, expected a run of rp.fit, its result or file{hint}")
    return read_json(result, "a result of radprog solve"), str(result)


def start_of(entry: Entry, start: Any) -> Any:
    """The predictor from which a fit starts: of a saved fit, of its path, or as it is given.

    Raises OptionError if the saved fit is one of another model.
    """
    saved = load_fit(start) if isinstance(start, str | Path) else start
    if not isinstance(saved, SavedFit):
        return saved
    if saved.model != entry.name:
        raise OptionError(f"start: a fit of {saved.model} given, expected one of {entry.name}")
    return saved.fit


FROM_ARRAYS = (
    "the result was made from arrays, so that no file has its hash: check it in Python, "
    "rp.check(result, data)"
)


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """The settings, the data and the certificate points of a result of ``solve``."""

    entry: Entry
    spec: Spec
    reading: Mapping[str, Any]
    name: str
    held: Mapping[str, Any]
    seed: int
    tol: float
    abs_tol: float
    evidence: Mapping[str, Any]
    source: str

    @staticmethod
    def of(result: Mapping[str, Any], source: str) -> StoredRun:
        """Read a result from JSON; ``source`` is its name in errors.

        Raises DataError, and KernelError if a required user function is missing.
        """
        try:
            # the settings object is restored from the stored parameters
            entry = entry_named(str(result["model"]))
            params, data = result["params"], result["data"]
            return StoredRun(
                entry=entry,
                spec=recorded(entry.spec, params),
                reading={str(key): value for key, value in data["reading"].items()},
                name=str(data["name"]),
                held={"sha256": data["sha256"], "numbers": data.get("numbers")},
                seed=int(params["seed"]),
                tol=float(params["tol"]),
                abs_tol=float(params["abs_tol"]),
                evidence=dict(result["certificate"]),
                source=source,
            )
        except KernelError as error:
            raise KernelError(f"{source}: {error}") from None
        except (*MALFORMED, RadprogError) as error:
            raise DataError(f"{source}: {no_result(result, error)}") from None

    def read(self, data: Any, like: Any = None) -> Any:
        """The data set in a file, or the given data set in the data class of the model.

        The file is read with the options of the run, or ``like`` another data set. The numbers are
        not compared.
        """
        if not isinstance(data, str | Path):
            return self.entry.adapt(data)
        try:
            options = {name: getattr(self.spec, name) for name in self.entry.read_by}
            reading = {**self.reading, **options} if like is None else {"like": like}
            return self.entry.hooks.read(str(data), **reading)
        except DataError as error:
            # without reading options the file is read in the usual way, which may fail
            if self.reading:
                raise
            raise DataError(f"{error}; {FROM_ARRAYS}") from None
        except MALFORMED as error:
            raise DataError(f"{self.source}: not a result of radprog solve: {error!r}") from None

    def data_set(self, data: Any) -> Any:
        """The data of the result, as in :meth:`read`. Raises DataError if the numbers differ."""
        read = self.read(data)
        if not same_numbers(read, self.held):
            raise DataError(
                f"{read.name}: {self.source} was made on other data: the numbers differ"
            )
        return read


@dataclass(frozen=True, kw_only=True, repr=False)
class SavedFit:
    """A predictor with the information needed to read new data in the same way as the training
    data.

    Attributes
    ----------
    model : str
        Name of the model.
    data : data set
        The training data without rows: labels, features and scaling. Readers accept it as ``like``.
    fit : Fit
        Predictor for rows with this scaling.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1], scale="standard")
    >>> rp.save_fit(rp.fit(rp.VKR(kernels="poly:1"), data), data, "fit.json")
    >>> saved = rp.load_fit("fit.json")
    >>> saved.predict(np.array([[0.0], [5.0]]))  # in units of the data, not scaled
    array([-1,  1])
    """

    model: str
    data: Any
    fit: Fit

    def __repr__(self) -> str:
        classes = f", classes {', '.join(map(str, self.class_names))}" if self.class_names else ""
        return f"<{type(self).__name__} of {self.model}{classes}>"

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the predicted classes; empty for regression and clustering."""
        names: tuple[str, ...] = getattr(self.fit, "labels", self.data.labels)
        return names

    def decision_function(self, X: Rows, cross: Any = None) -> FloatArray:
        """Scores for rows in the units of the training data, before scaling.

        Parameters
        ----------
        X : array (n, d), strings (n,) or data set
            New rows. If the rows are not vectors, pass a data set of the same kind as the training
            data. With ``missing="mean"`` of the training data, missing cells are filled with means
            of their columns, with a warning.
        cross : array, optional
            Values of kernels given as matrices, between new points and training points.

        Returns
        -------
        ndarray (n,) or (n, classes)
            With two classes, a score above 0 predicts the second class. With more classes, there is
            one score per class. For regression, the predicted values.

        Raises
        ------
        DataError
            If the shape is wrong, or a cell is not a finite number.
        """
        return self.fit.scores(self._rows(X), cross)

    def numbered(self, rows: Any, cross: Any = None) -> tuple[FloatArray, IntArray | None]:
        """Scores (n,) of scaled rows, and the indices (n,) of their classes or clusters.

        With more than two classes, the score is the largest one. For regression, the second value
        is None.
        """
        scores = self.fit.scores(rows, cross)
        if scores.ndim == 2:
            return scores.max(axis=1), self.fit.predict(rows, cross).astype(np.intp)
        return scores, (scores >= 0).astype(np.intp) if self.class_names else None

    def predict(self, X: Rows, cross: Any = None) -> NDArray[Any]:
        """Predicted labels for rows in the units of the training data, before scaling.

        Parameters
        ----------
        X : array (n, d), strings (n,) or data set
            New rows, as in :meth:`decision_function`. The same errors are raised.
        cross : array, optional
            Values of kernels given as matrices, between new points and training points.

        Returns
        -------
        ndarray (n,)
            For classification, the labels, of the type of those that were given: strings if a text
            file has them. For regression, the predicted values. For
            clustering, the indices of the clusters.
        """
        scores, numbers = self.numbered(self._rows(X), cross)
        if numbers is None:
            return scores
        names = self.class_names
        if not names:
            return numbers.astype(np.float64)
        # each name gives its label again; a text of a text file is one as it is written there
        kinds: Any = {"bool": "True".__eq__, "int": int, "float": float}
        labels = list(map(kinds.get(self.data.label_type, str), names))
        array = np.array(labels)
        same = repr(array.tolist()) == repr(labels)  # not so of whole numbers beyond int64
        return (array if same else np.array(labels, dtype=object))[numbers]

    def _rows(self, X: Rows) -> Any:
        """Rows in the input format of the predictor."""
        if isinstance(X, Data):
            kind: Any = self.data.kind
            if (X.as_kind(kind) if isinstance(X, Dataset) else X).kind != kind:
                raise DataError(f"X is of kind {X.kind}, expected {kind}")
            raw = getattr(X, "raw", None)
            if isinstance(X, Points):
                pair = X.features, self.data.features
                same_columns(X.name, *pair)
            return X.X if raw is None else self._rows(raw)
        if isinstance(self.data, Bags):
            return checked_values(X, self.data.kind, "X")
        if not isinstance(self.data, Points):
            raise DataError(f"X is an array: a fit of {self.model} takes a data set here")
        if isinstance(self.data, SparseData):
            shape = getattr(X, "shape", None) or np.asarray(X).shape
            if len(shape) != 2 or shape[1] != self.data.columns:
                raise DataError(f"X has shape {shape}, expected (n, {self.data.columns}) numbers")
            return sparse_points(X, "X")
        if self.data.columns is None:
            words = np.asarray(X)
            if words.ndim != 1 or not all(isinstance(word, str) for word in words.tolist()):
                raise DataError(f"X has shape {words.shape}, expected (n,) strings")
            return words.astype(np.str_)
        # the columns of the training data: texts as levels, or the features of the levels
        frame = frame_of(X, "X", wanted=self.data.given_features)
        if not hasattr(X, "columns") or frame.names == tuple(map(str, range(len(frame.columns)))):
            frame = replace(frame, names=())
        width, columns = self.data.given_columns, self.data.columns
        texts = bool(self.data.levels) and not (
            len(frame.columns) == columns and all(c.dtype.kind in "biuf" for c in frame.columns)
        )
        like = self.data if texts else replace(self.data, levels={})
        by_name = frame.names and like.features
        if not by_name and len(frame.columns) != (width if texts else columns):
            hint = f", or (n, {width}) with texts" if self.data.levels else ""
            shape = len(frame.lines), len(frame.columns)
            raise DataError(f"X has shape {shape}, expected (n, {columns}) numbers{hint}")
        table = table_of(frame, TableOptions(label="none"), like)
        # missing cells are an error unless the fit fills them
        fills = self.data.scaler is not None and self.data.scaler.fill is not None
        table = complete_rows(table, "mean" if fills else "error", trained=True)
        for warning in table.warnings:
            errors.warn_user(warning)
        return table.values if self.data.scaler is None else self.data.scaler(table.values)

    def to_json(self) -> str:
        """The fit as a JSON string for :func:`load_fit`."""
        content = {
            "radprog_fit": 1,
            "model": self.model,
            "data": self.data.recipe(),
            "kind": self.fit.kind,
            "fit": self.fit.to_dict(),
        }
        return to_json({**content, "digest": digest_of(content)})

    def content(self, path: str | Path | None) -> str | bytes:
        """The content of a file with this name: an .npz archive for the suffix .npz, otherwise
        JSON.
        """
        text = self.to_json()
        return as_archive(json.loads(text)) if path_text(path).endswith(".npz") else text

    def save(self, path: str | Path | None) -> None:
        """Write the fit as an .npz archive if the name ends in .npz, otherwise as JSON.

        Raises OutputError if the file cannot be written.
        """
        write_all({path_text(path): self.content(path)})


def _fit(entry: Entry, kind: str, values: Mapping[str, Any]) -> Fit:
    """The predictor of a model, or one predictor per class."""
    if kind == OneVsRest.kind:
        return OneVsRest.from_dict(values, partial(_fit, entry))
    fit = entry.hooks.predictor(values)
    if fit.kind != kind:
        raise ValueError(f"a fit of {entry.name} is of kind '{fit.kind}', '{kind}' given")
    return fit


def fit_of_recipe(model: str, kind: type[Data], recipe: Mapping[str, Any], fit: Fit) -> SavedFit:
    """The predictor of a model with the labels, features and scaling of a data set's recipe."""
    return SavedFit(model=model, data=kind.from_recipe(plain(recipe)), fit=fit)


def load_fit(path: str | Path, kernels: Mapping[str, Any] | None = None) -> SavedFit:
    """Read a saved fit.

    Parameters
    ----------
    path : str or Path
        A file that ``--save`` or :func:`radprog.save_fit` wrote.
    kernels : mapping, optional
        The kernel functions k(X, Z) of the fit, by name. The file contains only names and sample
        values.

    Returns
    -------
    SavedFit
        The saved predictor.

    Raises
    ------
    DataError
        If the file is not a saved fit, or was edited.
    KernelError
        If a function is missing or returns different values.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> rp.save_fit(rp.fit(rp.VKR(kernels="poly:1"), data), data, "fit.json")
    >>> rp.load_fit("fit.json")
    <SavedFit of vkr, classes -1, 1>
    """
    value = read_json(path, "a saved fit")
    if value.get("radprog_fit") != 1:
        kind = "a result" if "certificate" in value else "something else"
        raise DataError(f"{path}: {kind}, expected a saved fit of radprog (schema 1)")
    with supplied(kernels):
        try:
            # an edited file is refused as a whole, so its parts need no further checks
            if digest_state(value) == "broken":
                raise DataError(EDITED)
            return SavedFit(
                model=str(value["model"]),
                data=DATA_KINDS[value["data"]["kind"]].from_recipe(value["data"]),
                fit=_fit(entry_named(str(value["model"])), value["kind"], value["fit"]),
            )
        except KernelError as error:
            raise KernelError(f"{path}: {error}") from None
        except RadprogError as error:
            raise DataError(f"{path}: the saved fit is damaged: {error}") from None
        except MALFORMED as error:
            raise DataError(f"{path}: the saved fit is damaged: {error!r}") from None
