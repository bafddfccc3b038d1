"""Kernels and banks of kernels. Rows are points, columns are centres; no symmetry is assumed.

Kernel values are kept in four ways, because they are asked for in four ways:

- :class:`KernelBank`: any kernels between points and centres, whole columns and products with
  vectors; rectangular, streamed block by block where it is larger than memory (VKR, L1SVM, SVM).
- ``KernelSet`` of ``models/mkl``: square, positive semidefinite, repaired, centred and normalised
  matrices whose weighted sums, spectra and tail sums are taken; all in memory.
- ``Distances`` of ``models/similarity``: squared distances of pairs, half a matrix, from which the
  Gaussian kernel of every bandwidth of a grid follows by one exponential.
- ``LazyGram`` of ``models/lpboost``: rows of the kernel of tens of thousands of patterns, of which
  a weak learner reads a few hundred; never a whole matrix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from radprog.instances.arrays import read_matrix
from radprog.instances.errors import DataError, OptionError
from radprog.instances.limits import poll
from radprog.instances.tolerances import COUNT_ROUNDING
from radprog.instances.types import FloatArray
from radprog.models.kernel_bases import PointArray, base_matrix, pairs_at_once
from radprog.models.kernel_functions import (
    RBF,
    EditSimilarity,
    KernelFunction,
    Laplace,
    Linear,
    Polynomial,
    Precomputed,
)
from radprog.models.own_kernels import Kernels, kernel_text, own_of

STORE_LIMIT = 1 << 30  # bytes of kernel values kept in memory; larger banks are streamed
PRODUCTS_AT_ONCE = 1 << 29  # products of a matrix with vectors between two looks at the limits
LARGEST_VALUE = 1e150  # squares of kernel values must stay finite
EXTREME = 1e100  # settings lie between this and its reciprocal: products of three stay finite


def _number(text: str, item: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value > 0):
        raise OptionError(f"kernel '{item}': '{text}' is not a positive number")
    if not 1 / EXTREME <= value <= EXTREME:
        raise OptionError(
            f"kernel '{item}': {text} is out of range, expected {1 / EXTREME:g} to {EXTREME:g}"
        )
    return value


def _widths(text: str, item: str) -> list[float]:
    """G, or the decades of G1..G2."""
    first, dots, last = text.partition("..")
    if not dots:
        return [_number(text, item)]
    low, high = _number(first, item), _number(last, item)
    steps = np.log10(high / low)
    if steps < 0:
        raise OptionError(f"kernel '{item}': the range runs backwards")
    count = int(np.floor(steps + COUNT_ROUNDING)) + 1
    return [float(f"{low * 10.0**i:.12g}") for i in range(count)]


def _kernels_of(item: str, own: Mapping[str, KernelFunction]) -> list[KernelFunction]:
    if item in own:
        return [own[item]]
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
        f"unknown kernel '{item}': expected poly:D, poly:D1-D2, rbf:G, rbf:G1..G2, linear, "
        "laplace:G, edit or file:K.npy"
    )


def parse_kernels(spec: Kernels) -> tuple[KernelFunction, ...]:
    """Kernels of a comma-separated SPEC such as ``poly:1-10`` or ``linear,rbf:1e-3..1e1``, or of
    what else :func:`~radprog.models.own_kernels.kernel_text` takes.

    Raises OptionError for an unknown, malformed or repeated kernel, KernelError for one that is not
    at hand.
    """
    text = kernel_text(spec)
    items, own = [item.strip() for item in text.split(",")], own_of(text)
    kernels = tuple(kernel for item in items for kernel in _kernels_of(item, own))
    names = [kernel.name for kernel in kernels]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"kernel '{name}' is given twice in '{text}'")
    return kernels


def kernel_names(text: str) -> list[str]:
    """The kernels of a SPEC, each as a SPEC of its own."""
    return [kernel.name for kernel in parse_kernels(text)]


class KernelBank:
    """p kernels between n points and c centres, stored when they fit in ``store_limit`` bytes and
    otherwise computed block by block each time they are used; between blocks the limits in force
    are polled.

    X: points (n, d) or strings (n,); centres: likewise (c, ...), default the points themselves.
    max_abs: max_ij |K_k(x_i, c_j)| (p,).
    Raises DataError when a kernel overflows on these points.
    """

    def __init__(
        self,
        kernels: Sequence[KernelFunction],
        X: PointArray,
        centres: PointArray | None = None,
        store_limit: int = STORE_LIMIT,
    ) -> None:
        self.kernels = tuple(kernels)
        self.X = X
        self.own_centres = centres is None
        self.centres = X if centres is None else centres
        self.shape = (len(self.kernels), len(X), len(self.centres))
        self._norms: FloatArray | None = None
        self._stored: list[FloatArray] | None = None
        p, n, c = self.shape
        if 8 * p * n * c <= store_limit:
            self._stored = [np.empty((n, c)) for _ in range(p)]
            for columns, k, block in self._computed_blocks(np.arange(n)):
                self._stored[k][:, columns] = block
        self.max_abs = self._max_abs()
        for kernel, value in zip(self.kernels, self.max_abs, strict=True):
            if not value <= LARGEST_VALUE:
                raise DataError(
                    f"kernel {kernel.name} overflows on these points (largest entry {value:.3g}): "
                    "scale the features, for example with scale='ball' or scale='unit'"
                )

    @property
    def stored(self) -> bool:
        """Whether kernel values are kept in memory."""
        return self._stored is not None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know about these kernels on these points."""
        degree = max((k.degree for k in self.kernels if isinstance(k, Polynomial)), default=0)
        if degree > 4 and self.X.size and float(np.abs(self.X).max()) > 10:
            return (
                f"polynomial degree {degree} on features as large as "
                f"{float(np.abs(self.X).max()):.3g}: kernel values span many orders of magnitude; "
                "consider scale='ball' or scale='unit'",
            )
        return ()

    def _computed_blocks(self, rows: NDArray[np.intp]) -> Iterator[tuple[slice, int, FloatArray]]:
        """Yield (columns, k, K_k[rows, columns]) over blocks of centres, sharing base values."""
        c = self.shape[2]
        points = self.X[rows]
        bases = {kernel.base for kernel in self.kernels}
        width = max(1, min(map(pairs_at_once, bases)) // max(1, len(rows)))
        for start in range(0, c, width):
            columns = slice(start, min(c, start + width))
            for base in sorted(bases):
                poll()
                members = [k for k, kernel in enumerate(self.kernels) if kernel.base == base]
                if base in ("matrix", "own"):
                    for k in members:
                        yield columns, k, self._own_block(k, rows, columns)
                    continue
                values = base_matrix(base, points, self.centres[columns])
                for k, block in _family(self.kernels, members, values):
                    yield columns, k, block
                    poll()

    def _own_block(self, k: int, rows: NDArray[np.intp], columns: slice) -> FloatArray:
        """K_k[rows, columns] of a matrix, or of a function that shares no base values."""
        if self.kernels[k].base == "matrix":
            return self.kernels[k](self.X, self.centres)[rows, columns]
        return self.kernels[k](self.X[rows], self.centres[columns])

    def blocks(
        self, rows: NDArray[np.intp] | None = None
    ) -> Iterator[tuple[slice, int, FloatArray]]:
        """Yield (columns, k, K_k[rows, columns]) over all kernels and blocks of centres."""
        if self._stored is None:
            yield from self._computed_blocks(np.arange(self.shape[1]) if rows is None else rows)
            return
        everything = slice(0, self.shape[2])
        for k, matrix in enumerate(self._stored):
            poll()
            yield everything, k, matrix if rows is None else matrix[rows]

    def correlate(self, V: FloatArray, *, absolute: bool = False) -> FloatArray:
        """sum_i V_i K_k(x_i, c_j): (p, c) for V (n,), (p, c, T) for V (n, T).

        ``absolute``: sum_i |V_i| |K_k(x_i, c_j)| instead.
        """
        p, n, c = self.shape
        out = np.empty((p, c, *V.shape[1:]))
        used = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        # Gathering rows pays off only when most of them are unused.
        rows = used if not self.stored or len(used) < 0.2 * n else None
        weights = np.abs(V) if absolute else V
        weights = weights if rows is None else weights[rows]
        for columns, k, block in self.blocks(rows):
            sized = np.abs(block) if absolute else block
            width = c if V.ndim == 1 else max(1, PRODUCTS_AT_ONCE // max(1, weights.size))
            part = out[k, columns]
            for start in range(0, len(part), width):
                poll()
                part[start : start + width] = sized[:, start : start + width].T @ weights
        return out

    def columns(self, pairs: NDArray[np.intp]) -> FloatArray:
        """K_k(., c_j) for every pair (k, j) of ``pairs`` (r, 2): (n, r), Fortran order."""
        out = np.empty((self.shape[1], len(pairs)), order="F")
        for k in np.unique(pairs[:, 0]):
            mask = pairs[:, 0] == k
            j = pairs[mask, 1]
            if self._stored is not None:
                out[:, mask] = self._stored[k][:, j]
            else:
                out[:, mask] = self._between(k, j)
        return out

    def gram(self, k: int) -> FloatArray:
        """Kernel matrix k (n, c), rows = points, columns = centres."""
        if self._stored is not None:
            return self._stored[k]
        return self._between(k, np.arange(self.shape[2]))

    def _between(self, k: int, j: NDArray[np.intp]) -> FloatArray:
        """K_k(., c_j) (n, r) for centres j (r,), computed block by block."""
        kernel, n = self.kernels[k], self.shape[1]
        if kernel.base == "matrix":
            return kernel(self.X, self.centres)[:, j]
        width, out = max(1, pairs_at_once(kernel.base) // max(1, n)), np.empty((n, len(j)))
        for start in range(0, len(j), width):
            poll()
            part = slice(start, start + width)
            out[:, part] = kernel(self.X, self.centres[j[part]])
        return out

    def diagonal(self, k: int) -> FloatArray:
        """K_k(x_i, x_i) for every point (n,)."""
        return self.kernels[k].diagonal(self.X)

    def _max_abs(self) -> FloatArray:
        out = np.zeros(self.shape[0])
        for _, k, block in self.blocks():
            high, low = float(block.max(initial=0.0)), float(block.min(initial=0.0))
            out[k] = np.maximum(out[k], np.maximum(high, -low))
        return out

    def column_norms(self) -> FloatArray:
        """|K_k(., c_j)|_2 (p, c)."""
        if self._norms is None:
            norms = np.empty((self.shape[0], self.shape[2]))
            for columns, k, block in self.blocks():
                norms[k, columns] = np.sqrt(np.einsum("ij,ij->j", block, block))
            self._norms = norms
        return self._norms


def _family(
    kernels: Sequence[KernelFunction], members: list[int], base: FloatArray
) -> Iterator[tuple[int, FloatArray]]:
    """Kernels of one base from its values; powers of polynomials by repeated products."""
    powers: dict[int, list[int]] = {}
    for k in members:
        kernel = kernels[k]
        if isinstance(kernel, Polynomial):
            powers.setdefault(kernel.degree, []).append(k)
    if powers:
        shifted = base + 1.0
        power = shifted.copy()
        with np.errstate(over="ignore"):
            for degree in range(1, max(powers) + 1):
                for k in powers.get(degree, ()):
                    yield k, power
                power = power * shifted
    for k in members:
        if not isinstance(kernels[k], Polynomial):
            yield k, kernels[k].of_base(base)
