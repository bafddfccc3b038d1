"""User-defined kernels and penalties, and the strings that refer to them in files.

In settings, results and fits ``own:NAME`` refers to a function and ``gram:NAME`` to a matrix. Files
contain only these names. To read a file, supply the functions and matrices by name
(:func:`supplied`).
"""

from __future__ import annotations

import contextvars
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import KernelError, OptionError, RadprogError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.models.kernel_functions import KernelFunction, PointArray, Precomputed

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
        made = super().__new__(cls, text)
        made.own = dict(own)
        return made

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
        return Gram(self.name, matrix)


@dataclass(frozen=True)
class Gram(Precomputed):
    """A matrix (n, c) that is passed in Python and not read from a file."""

    @property
    def name(self) -> str:
        text = f"{GRAM}{self.path}"
        return OwnText(text, {text: self})


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
                f"asked about together: {_differing(values[:1, :SAMPLED], row)}"
            )
        return values

    def _answer(self, X: PointArray, Z: PointArray) -> FloatArray:
        """KernelValues (n, c) that are finite numbers."""
        if not (len(X) and len(Z)):
            return np.zeros((len(X), len(Z)))
        try:
            values: NDArray[Any] = np.asarray(self.function(read_only(X), read_only(Z)))
        except (RadprogError, OutOfBudget):
            raise
        except Exception as error:  # whatever a user's function does
            raise KernelError(
                f"kernel '{self.label}' failed: {type(error).__name__}: {error}"
            ) from error
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
        if isinstance(values, (OwnKernel, Gram)):
            functions[values.name] = values
            continue
        own = replace(values, name=name) if isinstance(values, Kernel) else Kernel(name, values)
        function = own.function()
        functions[f"{OWN if callable(own.values) else GRAM}{name}"] = function
    if complexity is not None:
        functions["complexity"] = complexity
    token = _supplied.set({**_supplied.get({}), **functions})
    try:
        yield
    finally:
        _supplied.reset(token)


def own_of(text: Any) -> Mapping[str, Any]:
    """The functions and matrices that a string refers to."""
    return text.own if isinstance(text, OwnText) else {}


def resolved(text: str) -> str:
    """The SPEC together with the function or matrix of every ``own:NAME`` and ``gram:NAME``.

    Raises KernelError if a function or matrix is missing.
    """
    names = [item.strip() for item in text.split(",")]
    own = dict[str, Any]()
    for name in names:
        if name.startswith((OWN, GRAM)):
            own[name] = own_of(text).get(name, _supplied.get({}).get(name))
            if own[name] is None:
                kind, _, label = name.partition(":")
                what = "function" if f"{kind}:" == OWN else "matrix"
                raise KernelError(
                    f"kernel '{name}' is a {what} of its user, which no file holds: give it in "
                    f"Python, kernels={{'{label}': {what}}}"
                )
    return OwnText(text, own) if own else text


def kernel_text(kernels: Kernels) -> str:
    """The SPEC of kernels.

    A kernel is a SPEC, a function k(X, Z), a :class:`Kernel` or a matrix (n, c). ``kernels`` is one
    kernel, a sequence of kernels, or an array of matrices (M, n, c). Raises KernelError or
    OptionError for other values.
    """
    if isinstance(kernels, str):
        return resolved(kernels)
    several = isinstance(kernels, (list, tuple)) or getattr(kernels, "ndim", 0) == 3
    items: Sequence[Any] = kernels if several else [kernels]  # type: ignore[assignment]
    if not len(items):
        raise OptionError("kernels: expected at least one")
    # every item as text, with what stands behind its name
    texts, own = list[str](), dict[str, Any]()
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
        for name in own_of(text).keys() & own.keys():
            raise KernelError(
                f"two kernels are called '{name}': name them by rp.Kernel(name, function)"
            )
        own |= own_of(text)
    joined = ",".join(texts)
    return OwnText(joined, own) if own else joined


def read_only(array: Any) -> Any:
    """The same numbers or strings as a read-only array."""
    view = array.view()
    view.flags.writeable = False
    return view


def alike(one: FloatArray, other: FloatArray, size: float = 0.0) -> bool:
    """Whether two arrays of kernel values are equal up to rounding."""
    largest = max(size, float(np.abs(one).max(initial=0.0)))
    # by which two evaluations of one kernel may differ
    return bool((np.abs(one - other) <= 1e-9 * largest).all())


def _differing(one: FloatArray, other: FloatArray) -> str:
    place = np.unravel_index(np.abs(one - other).argmax(), one.shape)
    return f"{float(one[place])!r} at first, then {float(other[place])!r}"


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
        at = f": {_differing(stored, values)}" if values.shape == stored.shape else ""
        raise KernelError(f"kernel '{name}' differs from the kernel of the fit{at}")


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
