"""The kernels of a SPEC, a string such as ``poly:1-3,rbf:0.1``.

The rows of a kernel matrix are points, and its columns are centres. The matrix need not be
symmetric. Kernel values are stored by four classes, because they have four uses:

- ``KernelBank`` of ``models/kernel_bank``: any kernels between points and centres, whole columns
  and products with vectors; rectangular, computed tile by tile (VKR, L1SVM, SVM).
- ``KernelSet`` of ``models/mkl``: square, positive semidefinite matrices in memory, which are
  repaired, centred and normalised. It computes their weighted sums, spectra and tail sums.
- ``Distances`` of ``models/similarity``: squared distances of pairs, stored as half a matrix. One
  exponential of them gives the Gaussian kernel of a bandwidth.
- ``LazyGram`` of ``models/lpboost``: rows of the kernel matrix of tens of thousands of patterns. A
  weak learner reads a few hundred of these rows, and the whole matrix is never computed.
"""

from __future__ import annotations

import contextvars
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf, isnan, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import DataError, KernelError, OptionError, extra
from radprog.base.limits import users_code
from radprog.base.types import FloatArray
from radprog.instances.arrays import read_matrix

PointArray = NDArray[Any]

BASES = ("inner", "squared", "cityblock", "edit")
SCALED = "rbf:scale"  # a Gaussian whose width the rows give


def pairs_at_once(base: str) -> int:
    """The number of pairs in a block; the current limits are polled between blocks."""
    # the same of strings, which take longer
    return (1 << 16) if base == "edit" else (1 << 21)  # pairs of points in a block of 16 MiB


def base_matrix(base: str, X: PointArray, Z: PointArray) -> FloatArray:
    """The base quantity (n, c) between X and Z: inner product, distance or edit distance."""
    strings = X.dtype.kind == "U"
    if strings != (base == "edit"):
        raise OptionError(
            "only the kernel edit takes strings, and the data are strings"
            if strings
            else "the kernel edit needs strings, and the data are numbers"
        )
    # distances term by term: |x|^2 - 2x'z + |z|^2 loses the digits of points far from the origin
    if base == "inner":
        return np.asarray(X @ Z.T, dtype=np.float64)
    if base == "edit":
        with extra("strings", "kernel edit"):
            from rapidfuzz.distance import Levenshtein
            from rapidfuzz.process import cdist as string_distances

        scorer = Levenshtein.normalized_distance
        return np.asarray(
            string_distances(X.tolist(), Z.tolist(), scorer=scorer, dtype=np.float64, workers=1)
        )
    from scipy.spatial.distance import cdist  # slow to import: a kernel's name is read without it

    return cdist(X, Z, "sqeuclidean" if base == "squared" else "cityblock")


def _short(value: float) -> str:
    """The shorter of two spellings that read back as the same number."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


class KernelFunction:
    """A function K(x, z) of one base quantity of x and z.

    ``name`` is the string that :func:`~radprog.models.kernels.parse_kernels` reads. ``base`` is one
    of ``BASES``, or ``matrix`` for a given matrix, or ``own`` for a user's function. ``psd`` is
    True if K is symmetric positive semidefinite for all sets of points.
    """

    base = "inner"
    psd = True

    @property
    def name(self) -> str:
        """The kernel as a SPEC."""
        raise NotImplementedError

    def of_base(self, base: FloatArray) -> FloatArray:
        """Kernel values from base values of the same shape."""
        return base

    def __call__(self, X: PointArray, Z: PointArray) -> FloatArray:
        """Kernel matrix (n, c) between points X and centres Z."""
        return self.of_base(base_matrix(self.base, X, Z))

    def diagonal(self, X: PointArray) -> FloatArray:
        """The values K(x, x) of the points (n,)."""
        if self.base == "inner":
            return self.of_base(np.einsum("ij,ij->i", X, X))
        return self.of_base(np.zeros(len(X)))


@dataclass(frozen=True)
class Polynomial(KernelFunction):
    """The polynomial kernel K(x, z) = (x'z + 1)^degree."""

    degree: int
    base = "inner"

    @functools.cached_property
    def name(self) -> str:
        return f"poly:{self.degree}"

    def of_base(self, base: FloatArray) -> FloatArray:
        # repeated products, as the tiles of a bank make them: the values are the same
        shifted = base + 1.0
        power = shifted.copy()
        with np.errstate(over="ignore"):
            for _ in range(self.degree - 1):
                power *= shifted
        return power


@dataclass(frozen=True)
class Linear(KernelFunction):
    """The linear kernel K(x, z) = x'z."""

    base = "inner"
    name = "linear"

    def of_base(self, base: FloatArray) -> FloatArray:
        return base.copy()


@dataclass(frozen=True)
class RBF(KernelFunction):
    """The Gaussian kernel K(x, z) = exp(-gamma |x - z|_2^2).

    If ``scaled``, :meth:`on` computes gamma from training rows. Before that, gamma is NaN.
    """

    gamma: float
    scaled: bool = False
    base = "squared"

    @functools.cached_property
    def name(self) -> str:
        if isnan(self.gamma):
            return SCALED
        return f"{SCALED + '=' if self.scaled else 'rbf:'}{_short(self.gamma)}"

    def of_base(self, base: FloatArray) -> FloatArray:
        if isnan(self.gamma):
            widths = "the rows of one table give it; for views write widths, such as rbf:0.01..1"
            raise OptionError(f"kernel '{self.name}' has no width: {widths}")
        values = -self.gamma * base
        return np.asarray(np.exp(values, out=values))

    def on(self, X: FloatArray, weights: FloatArray | None = None) -> RBF:
        """The kernel with gamma computed, to 6 digits, from rows X (n, d) with weights (n,)."""
        return RBF(float(f"{scale_width(X, weights):.6g}"), scaled=True)


def scale_width(X: FloatArray, weights: FloatArray | None = None) -> float:
    """The width gamma = 1 / (columns x variance) for X (n, d) with row weights (n,).

    If all cells are equal, gamma is 1.
    """
    each = None if weights is None else np.tile(weights[:, None], X.shape[1])
    variance = float(np.average((X - np.average(X, weights=each)) ** 2, weights=each))
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0


@dataclass(frozen=True)
class Laplace(KernelFunction):
    """The Laplace kernel K(x, z) = exp(-gamma |x - z|_1)."""

    gamma: float
    base = "cityblock"

    @functools.cached_property
    def name(self) -> str:
        return f"laplace:{_short(self.gamma)}"

    def of_base(self, base: FloatArray) -> FloatArray:
        values = -self.gamma * base
        return np.asarray(np.exp(values, out=values))


@dataclass(frozen=True)
class EditSimilarity(KernelFunction):
    """The edit similarity K(s, t) = -(edit distance of s and t) / max(|s|, |t|), not PSD."""

    base = "edit"
    psd = False
    name = "edit"

    def of_base(self, base: FloatArray) -> FloatArray:
        return np.negative(base)


@dataclass(frozen=True)
class Precomputed(KernelFunction):
    """A given matrix (n, c) with a row for each point and a column for each centre.

    It need not be symmetric. It is read from the file ``path``, or ``passed`` in Python under this
    name.
    """

    path: str
    matrix: FloatArray = field(repr=False, compare=False)
    passed: bool = False
    base = "matrix"
    psd = False

    @property
    def name(self) -> str:
        text = f"{GRAM}{self.path}"
        return OwnText(text, {text: self}) if self.passed else f"file:{self.path}"

    def __call__(self, X: PointArray, Z: PointArray) -> FloatArray:
        if self.matrix.shape != (len(X), len(Z)):
            raise DataError(
                f"{self.path}: the kernel matrix is {self.matrix.shape[0]} x "
                f"{self.matrix.shape[1]}, expected {len(X)} x {len(Z)} (points x centres)"
            )
        return self.matrix

    def diagonal(self, X: PointArray) -> FloatArray:
        if self.matrix.shape != (len(X), len(X)):
            raise DataError(f"{self.path}: a diagonal needs a square matrix of {len(X)} points")
        return self.matrix.diagonal().copy()


OWN, GRAM = "own:", "gram:"
GIVEN_KERNELS = ("file:", GRAM)  # kernels whose values at new points are given with them
SAMPLED = 16  # values of a kernel by which it is known again
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

KernelValues: TypeAlias = Callable[[Any, Any], ArrayLike]
Penalty: TypeAlias = Callable[[FloatArray], float]


class OwnText(str):
    """A string with names that refer to the entries of ``own``."""

    own: Mapping[str, Any]

    def __new__(cls, text: str, own: Mapping[str, Any]) -> OwnText:
        instance = super().__new__(cls, text)
        instance.own = dict(own)
        return instance

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:  # type: ignore[override]
        return str(self), self.own

    def __deepcopy__(self, memo: Any) -> OwnText:
        return self


@dataclass(frozen=True, eq=False)
class Kernel:
    """A user-defined kernel: a function or a matrix.

    Parameters
    ----------
    name : str
        Name of the kernel in results and fits: letters, digits, ``_.-``.
    values : callable or array (n, c)
        A function k(X, Z) of points X (n, d) and Z (c, d), or of strings (n,) and (c,). The value
        at two points must not depend on other points. The arguments are read-only. Alternatively, a
        matrix with one row per point and one column per centre.
    bound : float, optional
        Upper bound on K(x, x), the square of the radius kappa in the penalties. None means the
        largest value at the points and centres.
    psd : bool
        Whether K is positive semidefinite for all points. If this is False and the model requires
        semidefiniteness, K is checked on the training points.

    Raises
    ------
    KernelError
        If the name or the values are invalid.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> least = rp.Kernel("min", lambda X, Z: np.minimum(X, Z.T))
    >>> run = rp.fit(rp.VKR(kernels=[least, "poly:1"]), data)
    >>> run.certified
    True
    """

    name: str
    values: KernelValues | ArrayLike
    bound: float | None = None
    psd: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise KernelError(f"kernel name {self.name!r}: expected only letters, digits and _.-")
        if self.bound is not None and not (np.isfinite(self.bound) and self.bound > 0):
            raise KernelError(f"kernel '{self.name}': bound {self.bound}: expected a number > 0")

    def function(self) -> KernelFunction:
        """The kernel function used in the programs. Raises KernelError for invalid values."""
        if callable(self.values):
            return OwnKernel(self.name, self.values, self.bound, self.psd)
        try:
            matrix = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.zeros(0)
        if matrix.ndim != 2 or not matrix.size:
            raise KernelError(f"kernel '{self.name}': expected a function or a matrix of numbers")
        if not np.isfinite(matrix).all():
            raise KernelError(f"kernel '{self.name}': the matrix has cells that are not numbers")
        return Precomputed(self.name, matrix, passed=True)


@dataclass(frozen=True, eq=False)
class OwnKernel(KernelFunction):
    """A user's kernel function. Raises KernelError if a check of its values fails.

    A sample of values is computed twice, to detect functions with changing values.
    """

    label: str
    function: KernelValues = field(repr=False)
    bound: float | None = None
    psd: bool = False
    base = "own"

    @property
    def name(self) -> str:
        text = f"{OWN}{self.label}"
        return OwnText(text, {text: self})

    def __call__(self, X: PointArray, Z: PointArray) -> FloatArray:
        # one row is asked for by itself: it has the same values, up to rounding
        values = self._answer(X, Z)
        if not values.size:
            return values
        row = self._answer(X[:1], Z[:SAMPLED])
        if not alike(values[:1, :SAMPLED], row, float(np.abs(values).max())):
            raise KernelError(
                f"kernel '{self.label}' changes from call to call, or with the points that are "
                f"asked about together: {_difference(values[:1, :SAMPLED], row)}"
            )
        return values

    def _answer(self, X: PointArray, Z: PointArray) -> FloatArray:
        """KernelValues (n, c) that are finite numbers."""
        if not (len(X) and len(Z)):
            return np.zeros((len(X), len(Z)))
        with users_code(f"kernel '{self.label}'", KernelError):
            values: NDArray[Any] = np.asarray(self.function(read_only(X), read_only(Z)))
        if values.shape != (len(X), len(Z)):
            raise KernelError(
                f"kernel '{self.label}' returned an array of shape {values.shape} for {len(X)} "
                f"points and {len(Z)} centres: expected ({len(X)}, {len(Z)})"
            )
        if values.dtype.kind not in "fiub":
            raise KernelError(
                f"kernel '{self.label}' returned values of type {values.dtype}: expected numbers"
            )
        # where the first value is that is not a number
        values = values.astype(np.float64)
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            i, j = bad[0]
            raise KernelError(
                f"kernel '{self.label}' is {values[i, j]} at row {i} of its points and row {j} of "
                f"its centres ({len(bad)} of {values.size} values): expected finite numbers"
            )
        return values

    def diagonal(self, X: PointArray) -> FloatArray:
        diagonal_block = 64
        blocks = [X[i : i + diagonal_block] for i in range(0, len(X), diagonal_block)]
        return np.concatenate([np.zeros(0), *(self(part, part).diagonal() for part in blocks)])


Item: TypeAlias = "str | Kernel | KernelValues | FloatArray"
Kernels: TypeAlias = "Item | Sequence[Item]"

_supplied: contextvars.ContextVar[Mapping[str, Any]] = contextvars.ContextVar("supplied")


@contextmanager
def supplied(
    kernels: Mapping[str, Any] | None = None,
    complexity: Penalty | None = None,
) -> Iterator[None]:
    """A context that supplies named kernels and a penalty to the readers of files."""
    # every function or matrix under the text that stands for it in the files
    functions: dict[str, Any] = {}
    for name, values in (kernels or {}).items():
        if isinstance(values, (OwnKernel, Precomputed)):
            functions[values.name] = values
            continue
        kernel = replace(values, name=name) if isinstance(values, Kernel) else Kernel(name, values)
        function = kernel.function()
        functions[f"{OWN if callable(kernel.values) else GRAM}{name}"] = function
    if complexity is not None:
        functions["complexity"] = complexity
    token = _supplied.set({**_supplied.get({}), **functions})
    try:
        yield
    finally:
        _supplied.reset(token)


def user_objects(text: Any) -> Mapping[str, Any]:
    """The functions and matrices that a string refers to."""
    return text.own if isinstance(text, OwnText) else {}


def resolved(text: str) -> str:
    """The SPEC together with the function or matrix of every ``own:NAME`` and ``gram:NAME``.

    Raises KernelError if a function or matrix is missing.
    """
    names = [item.strip() for item in text.split(",")]
    objects = dict[str, Any]()
    for name in names:
        if name.startswith((OWN, GRAM)):
            objects[name] = user_objects(text).get(name, _supplied.get({}).get(name))
            if objects[name] is None:
                kind, _, label = name.partition(":")
                noun = "function" if f"{kind}:" == OWN else "matrix"
                raise KernelError(
                    f"kernel '{name}' is a {noun} of its user, which no file holds: give it in "
                    f"Python, kernels={{'{label}': {noun}}}"
                )
    return OwnText(text, objects) if objects else text


def kernel_text(kernels: Kernels) -> str:
    """The SPEC of kernels.

    A kernel is a SPEC, a function k(X, Z), a :class:`Kernel` or a matrix (n, c). ``kernels`` is one
    kernel, a sequence of kernels, or an array of matrices (M, n, c). Raises KernelError or
    OptionError for other values.
    """
    if isinstance(kernels, str):
        return resolved(kernels)
    is_sequence = isinstance(kernels, (list, tuple)) or getattr(kernels, "ndim", 0) == 3
    items: Sequence[Any] = kernels if is_sequence else [kernels]  # type: ignore[assignment]
    if not len(items):
        raise OptionError("kernels: expected at least one")
    # every item as text, with what stands behind its name
    texts, objects = list[str](), dict[str, Any]()
    for number, item in enumerate(items, start=1):
        if isinstance(item, str):
            texts.append(resolved(item))
            continue
        # a function is called by its own name where that can stand in a SPEC, others by a number
        if callable(item):
            inner = getattr(item, "func", item)  # of functools.partial
            label = getattr(inner, "__name__", type(item).__name__)
            item = Kernel(label if NAME.fullmatch(label) else f"kernel{number}", item)
        elif isinstance(item, np.ndarray):
            item = Kernel(str(number), item)
        if not isinstance(item, Kernel):
            raise OptionError(
                f"kernels: item {number} is a {type(item).__name__}: expected text, a function, "
                "an rp.Kernel or a matrix"
            )
        texts.append(item.function().name)
    for text in texts:
        for name in user_objects(text).keys() & objects.keys():
            raise KernelError(
                f"two kernels are called '{name}': name them by rp.Kernel(name, function)"
            )
        objects |= user_objects(text)
    joined = ",".join(texts)
    return OwnText(joined, objects) if objects else joined


def read_only(array: Any) -> Any:
    """The same numbers or strings as a read-only array."""
    view = array.view()
    view.flags.writeable = False
    return view


def alike(a: FloatArray, b: FloatArray, size: float = 0.0) -> bool:
    """Whether two arrays of kernel values are equal up to rounding."""
    largest = max(size, float(np.abs(a).max(initial=0.0)))
    # two evaluations of one kernel may differ by a relative 1e-9
    return bool((np.abs(a - b) <= 1e-9 * largest).all())


def _difference(a: FloatArray, b: FloatArray) -> str:
    place = np.unravel_index(np.abs(a - b).argmax(), a.shape)
    return f"{float(a[place])!r} at first, then {float(b[place])!r}"


def sample_of(kernel: Callable[[Any, Any], FloatArray], points: Any) -> list[float]:
    """The values K(x_1, x_j) (s,) of the first s points, to compare a kernel with the kernel of a
    fit.
    """
    return [] if not len(points) else [float(v) for v in kernel(points[:1], points[:SAMPLED])[0]]


def check_sample(
    name: str, kernel: Callable[[Any, Any], FloatArray], points: Any, sample: Sequence[float]
) -> None:
    """Raise KernelError if the values of a kernel differ from those in the fit."""
    values, stored = np.array(sample_of(kernel, points)), np.asarray(sample, dtype=np.float64)
    if values.shape != stored.shape or not alike(stored, values):
        detail = f": {_difference(stored, values)}" if values.shape == stored.shape else ""
        raise KernelError(f"kernel '{name}' differs from the kernel of the fit{detail}")


def penalty_setting(value: Any) -> Any:
    """The checked setting of the penalties.

    It is the name of a method, a string that refers to a function of K (m, c), or numbers r (p,) >=
    0.
    """
    if isinstance(value, OwnText):
        return value
    # text: a method, or a function of the user's that a file names
    if isinstance(value, str):
        if not value.startswith(OWN):
            return value
        function = _supplied.get({}).get("complexity")
        if function is None:
            raise KernelError(
                f"complexity '{value}' is a function of its user, which no file holds: give it in "
                "Python, complexity=function"
            )
        return OwnText(value, {value: function})
    if callable(value):
        label = getattr(value, "__name__", type(value).__name__)
        text = f"{OWN}{label if NAME.fullmatch(label) else 'penalty'}"
        return OwnText(text, {text: value})
    # numbers, one a kernel
    try:
        r = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        r = np.zeros((0, 0))
    if r.ndim != 1 or not r.size or not np.isfinite(r).all() or r.min() < 0:
        raise OptionError(
            "complexity: expected a method's name, a function of K (m, c), or one finite number "
            ">= 0 for each kernel"
        )
    return tuple(r.tolist())


MOST_NUMBERS = 10_000  # of one list
EXTREME = 1e100  # settings lie between this and its reciprocal: products of three stay finite


def number_list(name: str, text: str) -> tuple[float, ...]:
    """The numbers in a string of the form ``a,b,c`` or ``a..b:N``.

    The second form gives N logarithmically spaced numbers from a to b, rounded to 12 digits. Raises
    OptionError for any other text.
    """
    try:
        if ".." not in text:
            return tuple(float(item) for item in text.split(","))
        ends, _, count = text.rpartition(":")
        first, _, last = ends.partition("..")
        low, high, n = float(first), float(last), int(count)
    except ValueError:
        raise OptionError(f"{name} '{text}': expected a..b:N or numbers a,b,c") from None
    if not (0 < low < inf and 0 < high < inf and n >= 1):
        raise OptionError(f"{name} '{text}': expected a, b > 0 and N >= 1")
    if n > MOST_NUMBERS:
        raise OptionError(f"{name} '{text}': expected at most {MOST_NUMBERS} numbers")
    return tuple(float(f"{value:.12g}") for value in np.geomspace(low, high, n))


def _number(text: str, item: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        kind = item.partition(":")[0]
        raise OptionError(
            f"kernel '{item}': '{text}' is not a positive number, expected {kind}:G or "
            f"{kind}:G1..G2, G the factor of the distance, such as {kind}:0.5"
        )
    if not 1 / EXTREME <= value <= EXTREME:
        raise OptionError(
            f"kernel '{item}': {text} is out of range, expected {1 / EXTREME:g} to {EXTREME:g}"
        )
    return value


def _widths(text: str, item: str) -> list[float]:
    """G, the decades of G1..G2, or the N equal steps of the logarithm in G1..G2:N."""
    if ".." in text and ":" in text:
        return [_number(f"{value:.12g}", item) for value in number_list(f"kernel {item}:", text)]
    first, dots, last = text.partition("..")
    if not dots:
        return [_number(text, item)]
    low, high = _number(first, item), _number(last, item)
    # decades from the first to the last
    steps = np.log10(high / low)
    if steps < 0:
        raise OptionError(f"kernel '{item}': the range runs backwards")
    # a whole number of things, up to rounding
    count = int(np.floor(steps + 1e-9)) + 1
    return [float(f"{low * 10.0**i:.12g}") for i in range(count)]


def _kernels_of(item: str, objects: Mapping[str, KernelFunction]) -> list[KernelFunction]:
    if item in objects:
        return [objects[item]]
    kind, _, argument = item.partition(":")
    if kind == "poly":
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", argument)
        if not match:
            raise OptionError(f"kernel '{item}': expected poly:DEGREE or poly:FIRST-LAST")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= 50:
            raise OptionError(f"kernel '{item}': degrees must satisfy 1 <= first <= last <= 50")
        return [Polynomial(degree) for degree in range(first, last + 1)]
    if kind == "rbf":
        rule, _, gamma = argument.partition("=")
        if rule == "scale":
            return [RBF(_number(gamma, item) if gamma else nan, scaled=True)]
        return [RBF(gamma) for gamma in _widths(argument, item)]
    if kind == "laplace":
        return [Laplace(gamma) for gamma in _widths(argument, item)]
    if item == "linear":
        return [Linear()]
    if item == "edit":
        return [EditSimilarity()]
    if kind == "file" and argument:
        return [Precomputed(argument, read_matrix(argument))]
    raise OptionError(
        f"unknown kernel '{item}': expected poly:D, poly:D1-D2, rbf:G, rbf:G1..G2, rbf:G1..G2:N, "
        "rbf:scale, linear, "
        "laplace:G, edit or file:K.npy"
    )


def parse_kernels(spec: Kernels) -> tuple[KernelFunction, ...]:
    """Kernels of a comma-separated SPEC such as ``poly:1-10`` or ``linear,rbf:1e-3..1e1``.

    All inputs of :func:`~radprog.models.kernels.kernel_text` are accepted. Raises OptionError
    for an unknown, malformed or repeated kernel, and KernelError for a missing one.
    """
    # texts without functions, matrices and files mean the same kernels at every call
    if type(spec) is str and not re.search("own:|gram:|file:", spec):
        return _parsed(spec)
    return _parsed.__wrapped__(kernel_text(spec))


@functools.cache
def _parsed(text: str) -> tuple[KernelFunction, ...]:
    # every item of the SPEC, of which some are several kernels; none may come twice
    items, objects = [item.strip() for item in text.split(",")], user_objects(text)
    kernels = tuple(kernel for item in items for kernel in _kernels_of(item, objects))
    names = [kernel.name for kernel in kernels]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"kernel '{name}' is given twice in '{text}'")
    return kernels


def on_rows(kernels: str, X: Any, weights: FloatArray | None) -> str:
    """The SPEC, in which ``rbf:scale`` receives its width for training rows X (n, d)."""
    if SCALED not in kernels:
        return kernels
    objects, unset = user_objects(kernels), RBF(nan, scaled=True)
    items = [item.strip() for item in kernels.split(",")]
    text = ",".join(unset.on(X, weights).name if item == SCALED else item for item in items)
    return OwnText(text, objects) if objects else text


def off_rows(kernels: str) -> str:
    """The SPEC without the width of ``rbf:scale``; other training rows can then determine it."""
    text = re.sub(rf"({SCALED})=[^,]*", r"\1", kernels)
    return OwnText(text, objects) if (objects := user_objects(kernels)) else text


def kernel_names(text: str) -> list[str]:
    """The kernels of a SPEC, each as a separate SPEC."""
    return [kernel.name for kernel in parse_kernels(text)]
