"""Sums over the points and whole columns of kernels, computed in limited memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from types import MappingProxyType

import numpy as np

from radprog.base.errors import DataError
from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.kernels import (
    KernelFunction,
    PointArray,
    Polynomial,
    base_matrix,
    pairs_at_once,
)

STORE_LIMIT = 1 << 30  # bytes of kernel values kept in memory
TILE_PAIRS = 1 << 16  # values computed at once, half a mebibyte: they stay in a core's cache


class KernelBank:
    """A set of p kernels between n points and c centres, computed tile by tile at each use.

    Given matrices are always stored. Other values are stored if they take at most ``store_limit``
    bytes. For kernels of inner products, the limit is at most 16 MiB, because they are as fast
    to compute as to read. The current limits are polled between tiles.

    - X: points (n, d) or strings (n,); centres: likewise (c, ...), by default the points
      themselves.
    - weights (n,): the weights of the first requested sums.
    - threads: number of threads for blocks of centres; 1 for a user's function. The values do not
      depend on it.
    - max_abs: max_ij |K_k(x_i, c_j)| (p,); column_norms: |K_k(., c_j)|_2 (p, c).
    - value_errors (p, c): an upper bound on the difference between two evaluations of an entry of a
      column; 0 for stored kernels.
    - warnings: about these kernels on these points.

    Raises DataError if a kernel overflows on these points.
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
        users = any(kernel.base == "own" for kernel in self.kernels)  # a user's function may not be
        self.threads = 1 if users else threads  # called by two threads at once
        self._stored: dict[int, FloatArray] = {}  # of kernel k its values (c, n)
        p, n, c = self.shape
        for k, kernel in enumerate(self.kernels):
            if kernel.base == "matrix":
                self._stored[k] = kernel(self.X, self.centres).T
        # kernels of one kind are either all stored or all computed: 16 MiB of those that are
        # computed as fast as they are read
        quick = [k for k, kernel in enumerate(self.kernels) if kernel.base == "inner"]
        slow = [
            k for k, kernel in enumerate(self.kernels) if kernel.base not in ("inner", "matrix")
        ]
        stored = quick if 8 * len(quick) * n * c <= min(store_limit, 1 << 24) else []
        stored += slow if 8 * len(slow) * n * c <= store_limit else []
        buffers = {k: np.empty((c, n)) for k in stored}
        # one pass: norms, sums and largest values of all columns, and the first correlations
        V = np.zeros(n) if weights is None else weights
        measures = {kind: np.zeros((p, c)) for kind in ("plain", "squares", "largest")}
        self._measure(measures, V, None, buffers)
        self._stored.update(buffers)
        self._last = V.copy(), measures["plain"]
        self.column_norms = np.sqrt(measures["squares"])
        self.max_abs: FloatArray = measures["largest"].max(axis=1, initial=0.0)
        for kernel, value in zip(self.kernels, self.max_abs, strict=True):
            if not value <= 1e150:  # squares of kernel values must stay finite
                raise DataError(
                    f"kernel {kernel.name} overflows on these points (largest entry {value:.3g}): "
                    "scale the features, for example with scale='ball'"
                )
        degree = max((k.degree for k in self.kernels if isinstance(k, Polynomial)), default=0)
        reach = float(np.abs(X).max()) if degree > 4 and X.size else 0.0
        self.warnings: tuple[str, ...] = ()
        if reach > 10:
            self.warnings = (
                f"polynomial degree {degree} on features as large as {reach:.3g}: kernel values "
                "span many orders of magnitude; consider scale='ball', or scale='unit' if all "
                "features have one unit",
            )
        self.value_errors = np.zeros((p, c))
        for k in range(p):
            if k not in self._stored:
                self.value_errors[k] = _value_errors(self.kernels[k], self.X, self.centres)

    @property
    def stored(self) -> bool:
        """Whether all kernel values are stored."""
        return len(self._stored) == len(self.kernels)

    def correlate(self, V: FloatArray, *, absolute: bool = False) -> FloatArray:
        """Return the sums over i of V_i K_k(x_i, c_j).

        The result is (p, c) for V (n,), and (p, c, T) for V (n, T). With ``absolute`` the terms are
        |V_i| |K_k(x_i, c_j)|.
        """
        n = self.shape[1]
        if not absolute and np.array_equal(V, self._last[0]):
            return self._last[1].copy()
        support = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        # gathering rows of stored values pays off only where most of them are unused
        rows = support if len(support) < (0.2 * n if self._stored else n) else None
        p, _, c = self.shape
        sums = np.zeros((p, c, *V.shape[1:]))
        self._measure({"absolute" if absolute else "plain": sums}, V, rows)
        if V.ndim == 1 and not absolute:
            self._last = (V.copy(), sums.copy())
        return sums

    def _measure(
        self,
        measures: Mapping[str, FloatArray],
        V: FloatArray,
        rows: IntArray | None,
        buffers: Mapping[int, FloatArray] = MappingProxyType({}),
    ) -> None:
        """Add to measures of each column (p, c) in one pass over all kernels.

        The points are ``rows`` (h,), by default all points, with the weights V (n,) or (n, T).

        - plain, absolute: sum_i V_i K_k(x_i, c_j) and sum_i |V_i| |K_k(x_i, c_j)|, (p, c, T) for T
          weights.
        - squares: sum_i K_k(x_i, c_j)^2.
        - largest: max_i |K_k(x_i, c_j)|.

        The values of kernel k are also written to its array in ``buffers`` (c, n).
        """
        weights = V if rows is None else V[rows]

        def work(columns: slice) -> None:
            # every tile is measured while it is in the core's cache
            with np.errstate(over="ignore", invalid="ignore"):
                for part, k, tile in self._tiles(columns, rows):
                    place, v = (k, columns), weights[part]
                    if k in buffers:
                        buffers[k][columns, part] = tile
                    # signed values first: most passes ask for nothing else
                    if "plain" in measures:
                        measures["plain"][place] += tile @ v
                    if len(measures) == 1 and "plain" in measures:
                        continue
                    size = np.abs(tile)
                    if "absolute" in measures:
                        measures["absolute"][place] += size @ np.abs(v)
                        continue
                    measures["squares"][place] += np.einsum("ij,ij->i", tile, tile)
                    largest = measures["largest"][place]
                    np.maximum(largest, size.max(axis=1), out=largest)

        # blocks of centres, whose sums do not depend on other blocks or kernels
        _, n, c = self.shape
        # (64 of them at least; this number and TILE_PAIRS change the last digits of results)
        width = max(64, TILE_PAIRS // max(1, n))
        blocks = [slice(start, min(c, start + width)) for start in range(0, c, width)]
        if self.threads == 1 or len(blocks) < 2:
            for block in blocks:
                work(block)
            return
        # threads work on blocks of their own, so that no sum depends on their number
        with ThreadPoolExecutor(self.threads) as pool:
            calls = [pool.submit(work, block) for block in blocks]
            try:
                for call in calls:
                    while not call.done():
                        poll()
                        wait([call], timeout=0.05)  # seconds between two looks at a limit
                    call.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _tiles(
        self, columns: slice, rows: IntArray | None
    ) -> Iterator[tuple[slice, int, FloatArray]]:
        """Yield (part of the rows, k, values (w, h)) for each kernel and tile of these columns.

        A tile is overwritten by the next one. The current limits are polled between tiles.
        """
        centres, number = self.centres[columns], len(self.X) if rows is None else len(rows)
        # kernels of one base share its values
        bases: dict[str, list[int]] = {}
        for k, kernel in enumerate(self.kernels):
            if k not in self._stored:
                bases.setdefault(kernel.base, []).append(k)
        height = max(1, TILE_PAIRS // max(1, len(centres)))
        for start in range(0, number, height):
            part = slice(start, start + height)
            chosen = part if rows is None else rows[part]
            for k, values in self._stored.items():
                poll()
                yield part, k, values[columns, chosen]
            points = self.X[chosen] if bases else self.X[:0]
            for base in sorted(bases):
                poll()
                if base == "own":
                    for k in bases[base]:
                        yield part, k, self.kernels[k](points, centres).T
                    continue
                values = base_matrix(base, centres, points)
                powers: dict[int, list[int]] = {}
                for k in bases[base]:
                    kernel = self.kernels[k]
                    if isinstance(kernel, Polynomial):
                        powers.setdefault(kernel.degree, []).append(k)
                    else:
                        yield part, k, kernel.of_base(values)
                # (x'z + 1)^k by one product for each degree
                if powers:
                    values += 1.0
                    power = values.copy()
                    for degree in range(1, max(powers) + 1):
                        if degree > 1:
                            np.multiply(power, values, out=power)
                        for k in powers.get(degree, ()):
                            yield part, k, power

    def columns(self, pairs: IntArray) -> FloatArray:
        """Return the values K_k(., c_j) of the r pairs (k, j): an array (n, r) in Fortran order."""
        n = self.shape[1]
        values = np.empty((n, len(pairs)), order="F")
        for k in np.unique(pairs[:, 0]):
            places = np.flatnonzero(pairs[:, 0] == k)
            kernel, chosen = self.kernels[k], pairs[places, 1]
            if k in self._stored:
                values[:, places] = self._stored[k][chosen].T
                continue
            # blocks of points, as large as a tile of the passes
            centres = self.centres[chosen]
            tile = TILE_PAIRS if kernel.base != "own" else pairs_at_once("own")
            height = max(1, tile // len(centres))
            for start in range(0, n, height):
                poll()
                part = slice(start, start + height)
                values[part, places] = kernel(self.X[part], centres)
        return values

    def gram(self, k: int) -> FloatArray:
        """The matrix (n, c) of kernel k, with a row for each point and a column for each centre."""
        if k in self._stored:
            return self._stored[k].T
        centres = np.arange(self.shape[2])
        return self.columns(np.stack([np.full(len(centres), k), centres], axis=1))


def _value_errors(kernel: KernelFunction, X: PointArray, centres: PointArray) -> FloatArray | float:
    """An upper bound on the difference of two evaluations of K(x, c_j) for x in X: (c,) or one
    number.

    A sum of d products, in any order, has an error of at most (d + 1) u |x| |c|. Each of the degree
    - 1 multiplications of (x'c + 1) adds one rounding. The exponential of a sum of d positive terms
    b has an error of at most (d + 2) u b e^-b, with b e^-b <= 1/e, and two units in its last place.
    """
    if X.ndim == 1 or kernel.base == "own":
        return 0.0
    d = X.shape[1]
    if kernel.base != "inner":
        return float(2.0 * (d + 6) * UNIT_ROUNDOFF)
    # (reach + 1)^degree is the largest value, by Cauchy and Schwarz
    degree = kernel.degree if isinstance(kernel, Polynomial) else 1
    reach = float(np.linalg.norm(X, axis=1).max(initial=0.0)) * np.linalg.norm(centres, axis=1)
    with np.errstate(over="ignore"):
        errors: FloatArray = 2.0 * degree * (d + 6) * UNIT_ROUNDOFF * (reach + 1.0) ** degree
    return errors
