"""Sums over the points and whole columns of kernels, computed in limited memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError
from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models import kernel_tiles
from radprog.models.kernel_functions import KernelFunction, PointArray, Polynomial, pairs_at_once
from radprog.models.kernel_tiles import (
    ABSOLUTE,
    LARGEST,
    PLAIN,
    SIZES,
    SQUARES,
    KernelTiles,
    Measures,
)

STORE_LIMIT = 1 << 30  # bytes of kernel values kept in memory


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
    - max_abs: max_ij |K_k(x_i, c_j)| (p,); column_norms: |K_k(., c_j)|_2 (p, c); column_sums: sum_i
      |K_k(x_i, c_j)| (p, c).
    - value_errors (p, c): an upper bound on the difference between two evaluations of an entry of a
      column; 0 for stored kernels.

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
        own = any(kernel.base == "own" for kernel in self.kernels)  # a user's function may not be
        self.threads = 1 if own else threads  # called by two threads at once
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
        kept = {k: np.empty((c, n)) for k in stored}
        # one pass: norms, sums and largest values of all columns, and the first correlations
        V = np.zeros(n) if weights is None else weights
        measures = self._measured((PLAIN, SIZES, SQUARES, LARGEST), V, None, kept)
        self._stored.update(kept)
        self._last = V.copy(), measures[PLAIN]
        self.column_sums, self.column_norms = measures[SIZES], np.sqrt(measures[SQUARES])
        self.max_abs: FloatArray = measures[LARGEST].max(axis=1, initial=0.0)
        for kernel, value in zip(self.kernels, self.max_abs, strict=True):
            if not value <= 1e150:  # squares of kernel values must stay finite
                raise DataError(
                    f"kernel {kernel.name} overflows on these points (largest entry {value:.3g}): "
                    "scale the features, for example with scale='ball'"
                )
        self.value_errors = np.zeros((p, c))
        for k in range(p):
            if k not in self._stored:
                self.value_errors[k] = _apart(self.kernels[k], self.X, self.centres)

    @property
    def stored(self) -> bool:
        """Whether all kernel values are stored."""
        return len(self._stored) == len(self.kernels)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about these kernels on these points."""
        degree = max((k.degree for k in self.kernels if isinstance(k, Polynomial)), default=0)
        if degree > 4 and self.X.size and float(np.abs(self.X).max()) > 10:
            return (
                f"polynomial degree {degree} on features as large as "
                f"{float(np.abs(self.X).max()):.3g}: kernel values span many orders of magnitude; "
                "consider scale='ball', or scale='unit' if all features have one unit",
            )
        return ()

    def correlate(self, V: FloatArray, *, absolute: bool = False) -> FloatArray:
        """Return the sums over i of V_i K_k(x_i, c_j).

        The result is (p, c) for V (n,), and (p, c, T) for V (n, T). With ``absolute`` the terms are
        |V_i| |K_k(x_i, c_j)|.
        """
        n = self.shape[1]
        if not absolute and np.array_equal(V, self._last[0]):
            return self._last[1].copy()
        used = np.flatnonzero(V.any(axis=1) if V.ndim == 2 else V)
        # gathering rows of stored values pays off only where most of them are unused
        rows = used if len(used) < (0.2 * n if self._stored else n) else None
        kind = ABSOLUTE if absolute else PLAIN
        out = self._measured((kind,), V, rows)[kind]
        if V.ndim == 1 and not absolute:
            self._last = (V.copy(), out.copy())
        return out

    def _measured(
        self,
        kinds: Sequence[str],
        V: FloatArray,
        rows: NDArray[np.intp] | None,
        kept: Mapping[int, FloatArray] | None = None,
    ) -> Measures:
        """A pass over all kernels with weights V (n,) or (n, T), restricted to ``rows``."""
        tiles = KernelTiles(
            kernels=self.kernels,
            X=self.X,
            centres=self.centres,
            stored=self._stored,
            threads=self.threads,
        )
        return tiles.measured(kinds, V if rows is None else V[rows], rows, kept or {})

    def columns(self, pairs: NDArray[np.intp]) -> FloatArray:
        """Return the values K_k(., c_j) of the r pairs (k, j): an array (n, r) in Fortran order."""
        out = np.empty((self.shape[1], len(pairs)), order="F")
        for k in np.unique(pairs[:, 0]):
            places = np.flatnonzero(pairs[:, 0] == k)
            self._fill(out, places, k, pairs[places, 1])
        return out

    def gram(self, k: int) -> FloatArray:
        """The matrix (n, c) of kernel k, with a row for each point and a column for each centre."""
        if k in self._stored:
            return self._stored[k].T
        out, every = np.empty(self.shape[1:]), np.arange(self.shape[2])
        self._fill(out, every, k, every)
        return out

    def _fill(self, out: FloatArray, places: NDArray[np.intp], k: int, j: NDArray[np.intp]) -> None:
        """Write K_k(., c_j), centres j (r,), into columns ``places`` (r,) of out, tile by tile."""
        if k in self._stored:
            out[:, places] = self._stored[k][j].T
            return
        # blocks of points, as large as a tile of the passes
        kernel, centres = self.kernels[k], self.centres[j]
        pairs = kernel_tiles.TILE_PAIRS if kernel.base != "own" else pairs_at_once("own")
        height = max(1, pairs // max(1, len(j)))
        for start in range(0, self.shape[1], height):
            poll()
            part = slice(start, start + height)
            out[part, places] = kernel(self.X[part], centres)

    def diagonal(self, k: int) -> FloatArray:
        """The values K_k(x_i, x_i) of the points (n,)."""
        return self.kernels[k].diagonal(self.X)


def _apart(kernel: KernelFunction, X: PointArray, centres: PointArray) -> FloatArray | float:
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
