"""Kernel matrices for learning, which are computed, checked, centred and normalised."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError, SettingError
from radprog.base.limits import poll
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.instances.dataset import MklData
from radprog.instances.grams import GramSet
from radprog.models.kernels import BASES, OWN, KernelFunction, base_matrix, parse_kernels
from radprog.models.lapack import positive_definite
from radprog.models.mkl.settings import DEFAULT_KERNELS, MKL
from radprog.models.mkl.tail_sums import rank, spectrum, tail_of_spectrum, tail_sum

ROWS_AT_ONCE = 128  # of a matrix and its transpose, so that both stay in the cache
FULL_SPECTRUM = 600  # up to this many points all eigenvalues are computed at once


@dataclass(frozen=True, kw_only=True)
class RawKernel:
    """A kernel of a SPEC on the feature columns from ``columns[0]`` up to ``columns[1]``.

    None means all columns. ``given`` is True if the values come from a given matrix, including the
    values at new points.
    """

    name: str
    columns: tuple[int, int] | None = None
    given: bool = False

    @property
    def own(self) -> bool:
        """Whether the kernel is a user's function, so that its computing time is unknown."""
        return self.name.startswith(OWN)

    @property
    def function(self) -> KernelFunction:
        """The function K(x, z) on the columns of the kernel."""
        return parse_kernels(self.name)[0]

    def on(self, X: NDArray[Any]) -> NDArray[Any]:
        """The kernel's columns of X (n, d). X contains the features of all views."""
        return X if self.columns is None else X[:, slice(*self.columns)]

    def __call__(self, X: NDArray[Any], Z: NDArray[Any]) -> FloatArray:
        """The kernel matrix between X (n, d) and Z (c, d)."""
        return self.function(self.on(X), self.on(Z))


class SharedBases:
    """The values of raw kernels between X (n, d) and Z (c, d), computed one kernel at a time.

    Consecutive kernels with the same columns and the same base quantity share their distances or
    products. No other values are stored.
    """

    def __init__(self, X: NDArray[Any], Z: NDArray[Any]) -> None:
        self.X, self.Z = X, Z
        self._known: tuple[object, str] | None = None
        self._base: FloatArray = np.empty((0, 0))

    def __call__(self, kernel: RawKernel) -> FloatArray:
        """The kernel matrix K(x, z) (n, c)."""
        function, X, Z = kernel.function, kernel.on(self.X), kernel.on(self.Z)
        if function.base not in BASES:
            return function(X, Z)
        if self._known != (kernel.columns, function.base):
            # the memory of the last one is free before the next is made
            self._known, self._base = None, np.empty((0, 0))
            self._base = base_matrix(function.base, X, Z)
            self._known = kernel.columns, function.base
        return function.of_base(self._base)


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelSet:
    """The kernel matrices K (M, n, n) for learning, centred and scaled.

    K_m is ``factors[m]`` times the raw kernel matrix after centring. Unlike a
    ``KernelBank``, the set stores whole square matrices. It computes their eigenvalues and tail
    sums once. It also stores the data to compute raw kernels at new points.

    - labels (k, n): rows of -1 and +1. There is one row for two classes; for more, one row for each
      class against the rest.
    - points: the training points, for kernel values at new points; None for given matrices.
    - means (M, n): the means of the rows before centring; None without centring.
    - weights (n,): the weights of the points in traces and tail sums; their sum replaces the number
      of points.
    """

    K: FloatArray
    labels: FloatArray
    names: tuple[str, ...]
    raw: tuple[RawKernel, ...]
    factors: FloatArray
    points: NDArray[Any] | None
    means: FloatArray | None
    warnings: tuple[str, ...] = ()
    weights: FloatArray | None = None
    _spectra: dict[int, FloatArray] = field(default_factory=dict)
    _tails: dict[int, FloatArray] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of points."""
        return int(self.K.shape[1])

    @property
    def M(self) -> int:
        """The number of kernels."""
        return len(self.K)

    @property
    def total(self) -> float:
        """The number of points, or the sum of their weights."""
        return float(self.n) if self.weights is None else float(self.weights.sum())

    def counted(self, K: FloatArray) -> FloatArray:
        """The kernel matrix K (n, n); for points with weights w, R K R with R = diag(sqrt w).

        The nonzero eigenvalues of R K R are those of the kernel matrix with w_i copies of point i.
        """
        if self.weights is None:
            return K
        # R K R has the spectrum of K with every point as often as it counts
        root = np.sqrt(self.weights)
        return np.asarray(root[:, None] * K * root)

    def eigenvalues(self, m: int) -> FloatArray:
        """All eigenvalues (n,) of kernel m, in decreasing order; computed once."""
        if m not in self._spectra:
            self._spectra[m] = spectrum(self.counted(self.K[m]))
        return self._spectra[m]

    def tails(self, theta: int) -> FloatArray:
        """The tail sums T(K_m) (M,), computed once.

        Raises SettingError if a tail sum is zero.
        """
        if theta not in self._tails:
            if not 0 <= theta < self.n:
                raise SettingError(f"theta {theta}: expected 0 <= theta < {self.n}, the points")
            # from the whole spectrum if it is cheap or already computed
            self._tails[theta] = np.array(
                [
                    tail_sum(self.counted(K), theta)
                    if self.n > FULL_SPECTRUM and m not in self._spectra
                    else tail_of_spectrum(self.eigenvalues(m), theta)
                    for m, K in enumerate(self.K)
                ]
            )
        tails, traces = self._tails[theta], weighted_traces(self.K, self.weights)
        # a tail of this share of the trace counts as 0
        for m in np.flatnonzero(~(tails > 1e-9 * traces)).tolist():
            raise SettingError(
                f"kernel {self.names[m]} has rank {rank(self.eigenvalues(m))}, so with theta "
                f"{theta} its tail sum is zero ({tails[m] / traces[m]:.1e} of the trace) "
                "and its weight would cost nothing: choose theta below the rank, or leave it out"
            )
        return tails


def kernel_set(spec: MKL, data: MklData) -> KernelSet:
    """The kernels of ``spec`` on a data set, checked, centred and normalised.

    Raises DataError if a kernel is zero, not symmetric or not positive semidefinite, or if all
    labels are equal. Raises OptionError for kernels that do not fit the data.
    """
    weights = data.weights
    if weights is not None and spec.variant == "dc":
        data.alike("variant 'dc'")
    if weights is not None and spec.center:
        data.alike("center")
    raw, names = raw_kernels(spec, data)
    labels, warnings = label_rows(data), []
    # Gram matrices (M, n, n), each positive semidefinite
    K = data.K.copy() if isinstance(data, GramSet) else _gram_matrices(raw, data.X)
    for m, kernel in enumerate(raw):
        if kernel.given or kernel.own or not kernel.function.psd:
            _check_definite(K[m], names[m])
    # centred by H = I - 11'/n
    means = K.mean(axis=1) if spec.center else None
    for matrix in K if spec.center else ():
        matrix[:] = centred(matrix)
    # scaled to trace n
    traces, sizes = weighted_traces(K, weights), largest_entries(K)
    unit = 1.0 if weights is None else float(weights.max())
    # trace, relative to the largest entry, of a kernel that vanishes
    zero = ~(traces / unit > 1e-12 * np.maximum(sizes, LEAST_DIVISOR))
    for m in np.flatnonzero(zero).tolist():
        raise DataError(
            f"kernel {names[m]} is zero on these points"
            + (" once it is centred" if spec.center else "")
            + ": leave it out"
        )
    total = float(data.rows) if weights is None else float(weights.sum())
    factors = total / traces if spec.normalize == "trace" else np.ones(len(K))
    for matrix, factor in zip(K, factors, strict=True):
        matrix *= factor
    # kernels that are equal up to scale: whole matrices are compared where first rows agree
    sizes = largest_entries(K)
    firsts = K[:, 0] / sizes[:, None]
    for a, b in itertools.combinations(range(len(K)), 2):
        if (
            np.abs(firsts[a] - firsts[b]).max() < 1e-12
            and np.abs(K[a] / sizes[a] - K[b] / sizes[b]).max() < 1e-12
        ):
            same = f"kernels {names[a]} and {names[b]} are the same up to scale"
            warnings.append(f"{same}: their weights are not unique")
    return KernelSet(
        K=K,
        labels=labels,
        names=names,
        raw=raw,
        factors=factors,
        points=None if isinstance(data, GramSet) else data.X,
        means=means,
        warnings=tuple(warnings),
        weights=weights,
    )


def weighted_traces(K: FloatArray, weights: FloatArray | None) -> FloatArray:
    """The sums over i of w_i K_m(i, i) (M,) for K (M, n, n), the traces with w_i copies of i."""
    if weights is None:
        return np.asarray(np.trace(K, axis1=1, axis2=2))
    return np.asarray(np.einsum("mii,i->m", K, weights))


def label_rows(data: MklData) -> FloatArray:
    """The labels as rows (k, n) of -1 and +1.

    There is one row for two classes; for more, one row for each class against the rest. Raises
    DataError if all points are of one class.
    """
    targets = data.targets
    present = np.unique(targets)
    if len(present) < 2:
        raise DataError(f"{data.name}: all {len(targets)} points are of one class")
    if len(data.labels) == 2:
        return targets[None].copy()
    return np.array([np.where(targets == k, 1.0, -1.0) for k in range(len(data.labels))])


def centred(K: FloatArray) -> FloatArray:
    """The centred matrix H K H (n, n) with H = I - 11'/n."""
    moved = K - K.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    return np.asarray((moved + moved.T) / 2)


def largest_entries(K: FloatArray) -> FloatArray:
    """The largest |K_m(i, j)| (M,) of each matrix in K (M, n, n), computed without a copy."""
    largest: FloatArray = np.maximum(K.max(axis=(1, 2)), -K.min(axis=(1, 2)))
    return largest


def raw_kernels(spec: MKL, data: MklData) -> tuple[tuple[RawKernel, ...], tuple[str, ...]]:
    """The kernels of ``spec`` and their names, on all columns or on the columns of each view.

    For given matrices, the kernels are these matrices.
    """
    if isinstance(data, GramSet):
        if spec.kernels is not None:
            raise OptionError("kernels are given as matrices: leave the option kernels out")
        if data.K.shape[1] != data.K.shape[2]:
            raise DataError(f"{data.name}: matrices {data.K.shape[1:]}, expected square ones")
        return tuple(RawKernel(name=name, given=True) for name in data.names), tuple(data.names)
    # every kernel on every view
    kernels = parse_kernels(spec.kernels or DEFAULT_KERNELS)
    views = data.views if len(data.views) > 1 else [None]
    raw, names = [], []
    for view in views:
        for kernel in kernels:
            given = kernel.base == "matrix"
            columns = None if view is None else (view[1], view[2])
            raw.append(RawKernel(name=kernel.name, columns=columns, given=given))
            names.append(kernel.name if view is None else f"{kernel.name}[{view[0]}]")
    return tuple(raw), tuple(names)


def _gram_matrices(raw: Sequence[RawKernel], X: NDArray[Any]) -> FloatArray:
    """K_m(x_i, x_j) (M, n, n) for points X (n, d)."""
    K = np.empty((len(raw), len(X), len(X)))
    shared = SharedBases(X, X)
    for matrix, kernel in zip(K, raw, strict=True):
        poll()
        K_m = shared(kernel)
        if not np.isfinite(K_m).all():
            raise DataError(f"kernel {kernel.name} overflows on these points: scale them")
        # (K + K')/2 row by row: 5,000 points 0.32 s, 0.78 for the whole matrix at once
        n, apart = len(X), 0.0 if K_m.shape == matrix.shape else np.inf
        for start in range(0, n if apart == 0.0 else 0, ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            np.add(K_m[rows], K_m[:, rows].T, out=matrix[rows])
            matrix[rows] /= 2.0
            apart = max(apart, float(np.abs(K_m[rows] - matrix[rows]).max()))
        if 2.0 * apart > 1e-8 * float(largest_entries(K_m[None])[0]):
            raise DataError(f"kernel {kernel.name} is not a symmetric matrix of the points")
        del K_m  # before the next is there
    return K


def _check_definite(K: FloatArray, name: str) -> None:
    """Raise DataError if K has an eigenvalue below 0 by more than rounding."""
    indefinite = 1e-8  # a smallest eigenvalue below -1e-8 of the largest in size is refused
    bound = float(K.diagonal().max(initial=0.0))  # at most the largest eigenvalue
    # the common case: K plus what is tolerated has a Cholesky factor
    if bound > 0 and positive_definite(K + np.eye(len(K)) * (indefinite * bound)):
        return
    values = np.linalg.eigvalsh(K)
    if values[0] < -indefinite * np.abs(values).max():
        raise DataError(
            f"kernel {name} is not positive semidefinite: smallest eigenvalue {values[0]:.6g}, "
            f"largest {values[-1]:.6g}; set negative ones to 0, or add {-values[0]:.6g} to K(x, x)"
        )
