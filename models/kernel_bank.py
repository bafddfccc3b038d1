"""Kernels between points and centres: sums over the points, whole columns, never more in memory
than pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radprog.instances.errors import DataError
from radprog.instances.limits import SLICE, poll
from radprog.instances.tolerances import UNIT_ROUNDOFF
from radprog.instances.types import FloatArray
from radprog.models.kernel_bases import PointArray, base_matrix, pairs_at_once
from radprog.models.kernel_functions import KernelFunction, Polynomial

LARGEST_VALUE = 1e150  # squares of kernel values must stay finite
STORE_LIMIT = 1 << 30  # bytes of kernel values kept in memory
QUICK_LIMIT = 1 << 24  # the same of kernels that are computed as fast as they are read
TILE_PAIRS = 1 << 16  # values computed at once, half a mebibyte: they stay in a core's cache
TILE_CENTRES = 64  # at least, of a tile


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What a pass over the kernels finds out of every column (k, j); None is not asked for.

    plain, absolute: sum_i V_i K_k(x_i, c_j) and sum_i |V_i| |K_k(x_i, c_j)| (p, c), or (p, c, T)
    for V (n, T); sizes, squares: sum_i |K_k(x_i, c_j)| and sum_i K_k(x_i, c_j)^2 (p, c);
    largest: max_i |K_k(x_i, c_j)| (p, c). All start at 0.
    """

    plain: FloatArray | None = None
    absolute: FloatArray | None = None
    sizes: FloatArray | None = None
    squares: FloatArray | None = None
    largest: FloatArray | None = None

    def add(self, place: tuple[int, slice], tile: FloatArray, V: FloatArray) -> None:
        """Values (w, h) of w columns at h points, whose part of V is (h,) or (h, T)."""
        if self.plain is not None:
            self.plain[place] += tile @ V
        if self.squares is not None:
            self.squares[place] += np.einsum("ij,ij->i", tile, tile)
        if self.absolute is None and self.sizes is None and self.largest is None:
            return
        size = np.abs(tile)
        if self.absolute is not None:
            self.absolute[place] += size @ np.abs(V)
        if self.sizes is not None:
            self.sizes[place] += size.sum(axis=1)
        if self.largest is not None:
            np.maximum(self.largest[place], size.max(axis=1), out=self.largest[place])


class KernelBank:
    """p kernels between n points and c centres, computed tile by tile each time they are used;
    stored are those that take longer to compute than to read, where they fit in ``store_limit``
    bytes, small ones, and given matrices. Between tiles the limits in force are polled.

    X: points (n, d) or strings (n,); centres: likewise (c, ...), default the points themselves.
    weights: sums with these (n,) are asked for first. threads: that work on blocks of centres,
    one where a kernel is a function of the user's; their number changes no value.
    max_abs: max_ij |K_k(x_i, c_j)| (p,); column_norms: |K_k(., c_j)|_2 (p, c); column_sums:
    sum_i |K_k(x_i, c_j)| (p, c); value_errors: how far two evaluations of an entry of a column
    may lie apart, 0 where it is stored (p, c).
    Raises DataError when a kernel overflows on these points.
    """

    def __init__(
        self,
        kernels: Sequence[KernelFunction],
        X: PointArray,
        centres: PointArray | None = None,
        store_limit: int = STORE_LIMIT,
        weights: FloatArray | None = None,
        threads: int = 1,
    ) -> None:
        self.kernels = tuple(kernels)
        self.X = X
        self.own_centres = centres is None
        self.centres = X if centres is None else centres
        self.shape = (len(self.kernels), len(X), len(self.centres))
        own = any(kernel.base == "own" for kernel in self.kernels)  # a user's function may not be
        self.threads = 1 if own else threads  # called by two threads at once
        self._given: dict[int, FloatArray] = {}  # of kernel k its values (c, n)
        p, n, c = self.shape
        for k, kernel in enumerate(self.kernels):
            if kernel.base == "matrix":
                self._given[k] = kernel(self.X, self.centres).T
        kept = {k: np.empty((c, n)) for k in _kept(self.kernels, n * c, store_limit)}
        V = np.zeros(n) if weights is None else weights
        plain, sizes, squares, largest = np.zeros((4, p, c))
        found = Measures(plain=plain, sizes=sizes, squares=squares, largest=largest)

        def work(columns: slice) -> None:
            for part, k, tile in self._tiles(columns, None):
                found.add((k, columns), tile, V[part])
                if k in kept:
                    kept[k][columns, part] = tile

        self._over_blocks(work)
        self._given.update(kept)
        self._last = V.copy(), plain
        self.column_sums, self.column_norms = sizes, np.sqrt(squares)
        self.max_abs: FloatArray = largest.max(axis=1, initial=0.0)
        for kernel, value in zip(self.kernels, self.max_abs, strict=True):
            if not value <= LARGEST_VALUE:
                raise DataError(
                    f"kernel {kernel.name} overflows on these points (largest entry {value:.3g}): "
                    "scale the features, for example with scale='ball' or scale='unit'"
                )
        self.value_errors = np.zeros((p, c))
        for k in range(p):
            if k not in self._given:
                self.value_errors[k] = _apart(self.kernels[k], self.X, self.centres)

    @property
    def stored(self) -> bool:
        """Whether all kernel values are kept in memory."""
        return len(self._given) == len(self.kernels)

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

    def correlate(self, V: FloatArray, *, absolute: bool = False) -> FloatArray:
        """sum_i V_i K_k(x_i, c_j): (p, c) for V (n,), (p, c, T) for V (n, T).

        ``absolute``: sum_i |V_i| |K_k(x_i, c_j)| instead.
        """
        p, n, c = self.shape
        if not absolute and np.array_equal(V, self._last[0]):
            return self._last[1].copy()
        out = np.zeros((p, c, *V.shape[1:]))
        found = Measures(absolute=out) if absolute else Measures(plain=out)
        used = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        # Gathering rows of stored values pays off only when most of them are unused.
        rows = used if len(used) < (0.2 * n if self._given else n) else None
        weights = V if rows is None else V[rows]

        def work(columns: slice) -> None:
            for part, k, tile in self._tiles(columns, rows):
                found.add((k, columns), tile, weights[part])

        self._over_blocks(work)
        if V.ndim == 1 and not absolute:
            self._last = (V.copy(), out.copy())
        return out

    def columns(self, pairs: NDArray[np.intp]) -> FloatArray:
        """K_k(., c_j) for every pair (k, j) of ``pairs`` (r, 2): (n, r), Fortran order."""
        out = np.empty((self.shape[1], len(pairs)), order="F")
        for k in np.unique(pairs[:, 0]):
            mask = pairs[:, 0] == k
            out[:, mask] = self._between(k, pairs[mask, 1])
        return out

    def gram(self, k: int) -> FloatArray:
        """Kernel matrix k (n, c), rows = points, columns = centres."""
        if k in self._given:
            return self._given[k].T
        return self._between(k, np.arange(self.shape[2]))

    def _between(self, k: int, j: NDArray[np.intp]) -> FloatArray:
        """K_k(., c_j) (n, r) for centres j (r,), computed block by block."""
        if k in self._given:
            return self._given[k][j].T
        kernel, n = self.kernels[k], self.shape[1]
        width, out = max(1, pairs_at_once(kernel.base) // max(1, n)), np.empty((n, len(j)))
        for start in range(0, len(j), width):
            poll()
            part = slice(start, start + width)
            out[:, part] = kernel(self.X, self.centres[j[part]])
        return out

    def diagonal(self, k: int) -> FloatArray:
        """K_k(x_i, x_i) for every point (n,)."""
        return self.kernels[k].diagonal(self.X)

    def _tiles(
        self, columns: slice, rows: NDArray[np.intp] | None
    ) -> Iterator[tuple[slice, int, FloatArray]]:
        """Yield (part of the rows, k, values (w, h)) of every kernel and tile of these columns;
        a tile is the reader's until the next one is asked for."""
        points = self.X if rows is None else self.X[rows]
        centres = self.centres[columns]
        height = max(1, TILE_PAIRS // max(1, len(centres)))
        bases = {kernel.base for k, kernel in enumerate(self.kernels) if k not in self._given}
        for start in range(0, len(points), height):
            part = slice(start, start + height)
            for k, values in self._given.items():
                poll()
                yield part, k, values[columns, part if rows is None else rows[part]]
            for base in sorted(bases):
                poll()
                members = [
                    k
                    for k, kernel in enumerate(self.kernels)
                    if kernel.base == base and k not in self._given
                ]
                if base == "own":
                    for k in members:
                        yield part, k, self.kernels[k](points[part], centres).T
                    continue
                values = base_matrix(base, centres, points[part])
                for k, tile in _family(self.kernels, members, values):
                    yield part, k, tile

    def _over_blocks(self, work: Callable[[slice], None]) -> None:
        """Call ``work`` for every block of columns."""
        _, n, c = self.shape
        width = max(TILE_CENTRES, TILE_PAIRS // max(1, n))
        blocks = [slice(start, min(c, start + width)) for start in range(0, c, width)]

        def quiet(columns: slice) -> None:
            with np.errstate(over="ignore", invalid="ignore"):
                work(columns)

        if self.threads == 1 or len(blocks) < 2:
            for block in blocks:
                quiet(block)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            calls = [pool.submit(quiet, block) for block in blocks]
            try:
                for call in calls:
                    while not call.done():
                        poll()
                        wait([call], timeout=SLICE)
                    call.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _kept(kernels: Sequence[KernelFunction], entries: int, limit: int) -> list[int]:
    """The kernels whose values are worth storing: all of a kind, or none."""
    quick = [k for k, kernel in enumerate(kernels) if kernel.base == "inner"]
    slow = [k for k, kernel in enumerate(kernels) if kernel.base not in ("inner", "matrix")]
    kept = quick if 8 * len(quick) * entries <= min(limit, QUICK_LIMIT) else []
    return kept + (slow if 8 * len(slow) * entries <= limit else [])


def _apart(kernel: KernelFunction, X: PointArray, centres: PointArray) -> FloatArray | float:
    """How far two evaluations of K(x, c_j) may lie apart, for any x of X: (c,), or one for all.

    A sum of d products, in whatever order, is off by at most (d + 1) u |x| |c|, and each of the
    degree - 1 multiplications of (x'c + 1) adds one rounding; an exponential of a sum of d positive
    terms b is off by at most (d + 2) u b e^-b, b e^-b <= 1/e, and two units in its last place.
    """
    if X.ndim == 1 or kernel.base == "own":
        return 0.0
    d = X.shape[1]
    if kernel.base != "inner":
        return float(2.0 * (d + 6) * UNIT_ROUNDOFF)
    degree = kernel.degree if isinstance(kernel, Polynomial) else 1
    reach = float(np.linalg.norm(X, axis=1).max(initial=0.0)) * np.linalg.norm(centres, axis=1)
    with np.errstate(over="ignore"):
        errors: FloatArray = 2.0 * degree * (d + 6) * UNIT_ROUNDOFF * (reach + 1.0) ** degree
    return errors


def _family(
    kernels: Sequence[KernelFunction], members: list[int], base: FloatArray
) -> Iterator[tuple[int, FloatArray]]:
    """Kernels of one base from its values; powers of polynomials by repeated products."""
    powers: dict[int, list[int]] = {}
    for k in members:
        kernel = kernels[k]
        if isinstance(kernel, Polynomial):
            powers.setdefault(kernel.degree, []).append(k)
        else:
            yield k, kernel.of_base(base)
    if powers:
        base += 1.0
        power = base.copy()
        for degree in range(1, max(powers) + 1):
            if degree > 1:
                np.multiply(power, base, out=power)
            for k in powers.get(degree, ()):
                yield k, power
