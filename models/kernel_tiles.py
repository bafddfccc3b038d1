"""Kernels between points and centres, computed tile by tile, and the measures that one pass
computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.models.kernel_functions import KernelFunction, PointArray, Polynomial, base_matrix

TILE_PAIRS = 1 << 16  # values computed at once, half a mebibyte: they stay in a core's cache
TILE_CENTRES = 64  # at least, of a tile
PLAIN, ABSOLUTE, SIZES, SQUARES, LARGEST = "plain", "absolute", "sizes", "squares", "largest"


class Measures(dict[str, FloatArray]):
    """Measures of each column (k, j), computed in one pass over the kernels.

    - plain, absolute: sum_i V_i K_k(x_i, c_j) and sum_i |V_i| |K_k(x_i, c_j)| (p, c), or (p, c, T)
      for V (n, T).
    - sizes, squares: sum_i |K_k(x_i, c_j)| and sum_i K_k(x_i, c_j)^2 (p, c).
    - largest: max_i |K_k(x_i, c_j)| (p, c).

    All measures start at 0.
    """

    def add(self, place: tuple[int, slice], tile: FloatArray, V: FloatArray) -> None:
        """Add the values (w, h) of w columns at h points, with the weights V (h,) or (h, T)."""
        # signed values first: most passes ask for nothing else
        if PLAIN in self:
            self[PLAIN][place] += tile @ V
        if SQUARES in self:
            self[SQUARES][place] += np.einsum("ij,ij->i", tile, tile)
        if self.keys() <= {PLAIN, SQUARES}:
            return
        size = np.abs(tile)
        if ABSOLUTE in self:
            self[ABSOLUTE][place] += size @ np.abs(V)
        if SIZES in self:
            self[SIZES][place] += size.sum(axis=1)
        if LARGEST in self:
            np.maximum(self[LARGEST][place], size.max(axis=1), out=self[LARGEST][place])


@dataclass(frozen=True, kw_only=True)
class KernelTiles:
    """A set of p kernels between points X (n, d), or strings (n,), and centres of the same kind (c,
    ...).

    - stored: the stored values (c, n) of a kernel k, which are not computed again.
    - threads: number of threads for blocks of centres; the values do not depend on it.
    - pairs, width: the number of values in a tile, and the minimum number of its centres. Both
      numbers change the last digits of the results.

    The current limits are polled between tiles.
    """

    kernels: tuple[KernelFunction, ...]
    X: PointArray
    centres: PointArray
    stored: Mapping[int, FloatArray] = field(default_factory=dict)
    threads: int = 1

    def blocks(self) -> list[slice]:
        """The centres in blocks; the sums of a block do not depend on other blocks or kernels."""
        c, n = len(self.centres), len(self.X)
        width = max(TILE_CENTRES, TILE_PAIRS // max(1, n))
        return [slice(start, min(c, start + width)) for start in range(0, c, width)]

    def measured(
        self,
        kinds: Sequence[str],
        V: FloatArray,
        rows: IntArray | None = None,
        kept: Mapping[int, FloatArray] = MappingProxyType({}),
    ) -> Measures:
        """The measures of these kinds, of one pass over all kernels, with weights V.

        The points are ``rows`` (h,), by default all points. V is (h,) or (h, T). The values of
        kernel k are also written to its array in ``kept`` (c, n).
        """
        # zeros (p, c), and one for each weight of V
        shape = len(self.kernels), len(self.centres)
        weighted = {PLAIN: (*shape, *V.shape[1:]), ABSOLUTE: (*shape, *V.shape[1:])}
        measures = Measures({one: np.zeros(weighted.get(one, shape)) for one in kinds})

        def work(columns: slice) -> None:
            # every tile is measured while it is in the core's cache
            with np.errstate(over="ignore", invalid="ignore"):
                for part, k, tile in self._tiles(columns, rows):
                    measures.add((k, columns), tile, V[part])
                    if k in kept:
                        kept[k][columns, part] = tile

        if self.kernels:
            self._over_blocks(work)
        return measures

    def _tiles(
        self, columns: slice, rows: IntArray | None
    ) -> Iterator[tuple[slice, int, FloatArray]]:
        """Yield (part of the rows, k, values (w, h)) for each kernel and tile of these columns.

        A tile is overwritten by the next one.
        """
        centres, number = self.centres[columns], len(self.X) if rows is None else len(rows)
        height = max(1, TILE_PAIRS // max(1, len(centres)))
        bases = {kernel.base for k, kernel in enumerate(self.kernels) if k not in self.stored}
        for start in range(0, number, height):
            part = slice(start, start + height)
            chosen = part if rows is None else rows[part]
            for k, values in self.stored.items():
                poll()
                yield part, k, values[columns, chosen]
            # kernels of one base share its values
            points = self.X[chosen] if bases else self.X[:0]
            for base in sorted(bases):
                poll()
                members = [
                    k
                    for k, kernel in enumerate(self.kernels)
                    if kernel.base == base and k not in self.stored
                ]
                if base == "own":
                    for k in members:
                        yield part, k, self.kernels[k](points, centres).T
                    continue
                values = base_matrix(base, centres, points)
                for k, tile in _family(self.kernels, members, values):
                    yield part, k, tile

    def _over_blocks(self, work: Callable[[slice], None]) -> None:
        """Call ``work`` for each block of columns."""
        blocks = self.blocks()

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


def _family(
    kernels: Sequence[KernelFunction], members: list[int], base: FloatArray
) -> Iterator[tuple[int, FloatArray]]:
    """Kernels of one base from its values; powers of polynomials are repeated products."""
    powers: dict[int, list[int]] = {}
    for k in members:
        kernel = kernels[k]
        if isinstance(kernel, Polynomial):
            powers.setdefault(kernel.degree, []).append(k)
        else:
            yield k, kernel.of_base(base)
    # (x'z + 1)^k by one product for each degree
    if powers:
        base += 1.0
        power = base.copy()
        for degree in range(1, max(powers) + 1):
            if degree > 1:
                np.multiply(power, base, out=power)
            for k in powers.get(degree, ()):
                yield k, power
