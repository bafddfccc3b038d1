"""Kernel matrices for learning, which are computed, checked, centred and normalised, and their
tail sums.

The tail sum of a matrix is T(K) = sum_{j > theta} lambda_j(K). T is concave and positively
homogeneous in K, hence superadditive. With u_1..u_theta eigenvectors of the largest eigenvalues,
T(K) = tr K - sum_j u_j'K u_j, and K' -> tr K' - sum_j u_j'K'u_j is a supergradient: it is T(K) at K
and at least T(K') at every other K'.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, eigsh

from radprog.base.errors import DataError, OptionError, SettingError
from radprog.base.limits import poll
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.instances.dataset import MklData
from radprog.instances.grams import GramSet, read_grams
from radprog.models.kernels import BASES, OWN, KernelFunction, base_matrix, parse_kernels
from radprog.models.lapack import eigenpairs, positive_definite
from radprog.models.mkl.settings import DEFAULT_KERNELS, MKL

ROWS_AT_ONCE = 128  # of a matrix and its transpose, so that both stay in the cache
FULL_SPECTRUM = 600  # up to this many points all eigenvalues are computed; from it on, by Lanczos
CANCELLED_TRACE = 1e-6  # below this share of the trace, trace minus top has lost too many digits


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
    def function(self) -> KernelFunction:
        """The function K(x, z) on the columns of the kernel."""
        return parse_kernels(self.name)[0]

    def on(self, X: NDArray[Any]) -> NDArray[Any]:
        """The kernel's columns of X (n, d). X contains the features of all views."""
        return X if self.columns is None else X[:, slice(*self.columns)]

    def __call__(self, X: NDArray[Any], Z: NDArray[Any]) -> FloatArray:
        """The kernel matrix between X (n, d) and Z (c, d)."""
        return self.function(self.on(X), self.on(Z))


def kernel_values(
    kernels: Iterable[RawKernel], X: NDArray[Any], Z: NDArray[Any]
) -> Iterator[FloatArray]:
    """Yield the matrix K(x, z) (n, c) between X (n, d) and Z (c, d) of each raw kernel.

    Consecutive kernels with the same columns and the same base quantity share their distances or
    products. No other values are stored.
    """
    known: tuple[object, str] | None = None
    base = np.empty((0, 0))
    for kernel in kernels:
        function = kernel.function
        if function.base not in BASES:
            yield kernel(X, Z)
            continue
        if known != (kernel.columns, function.base):
            # the memory of the last one is free before the next is made
            base = np.empty((0, 0))
            base = base_matrix(function.base, kernel.on(X), kernel.on(Z))
            known = kernel.columns, function.base
        yield function.of_base(base)


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

    #: The number of points.
    n: int = field(init=False)
    #: The number of kernels.
    M: int = field(init=False)
    #: The number of points, or the sum of their weights.
    total: float = field(init=False)

    def __post_init__(self) -> None:
        M, n = self.K.shape[:2]
        total = float(n if self.weights is None else self.weights.sum())
        self.__dict__.update(n=n, M=M, total=total)

    def weighted_kernel(self, K: FloatArray) -> FloatArray:
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
            self._spectra[m] = spectrum(self.weighted_kernel(self.K[m]))
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
                    tail_sum(self.weighted_kernel(K), theta)
                    if self.n > FULL_SPECTRUM and m not in self._spectra
                    else float(self.eigenvalues(m)[theta:].sum())
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


def kernel_set(spec: MKL, data: MklData | None) -> KernelSet:
    """The kernels of ``spec`` on a data set, or of its file of Gram matrices, checked, centred and
    normalised.

    Raises DataError if a kernel is zero, not symmetric or not positive semidefinite, or if all
    labels are equal. Raises OptionError for kernels that do not fit the data.
    """
    if data is None:
        if spec.grams is None:
            raise OptionError("no data: give a data set, or kernel matrices by the option grams")
        data = read_grams(spec.grams)
    weights = data.weights
    if weights is not None and spec.variant == "dc":
        data.refuse_weights("variant 'dc'")
    if weights is not None and spec.center:
        data.refuse_weights("center")
    # labels: a row for two classes; for more, one for each class against the rest
    targets, warnings = data.targets, []
    if len(np.unique(targets)) < 2:
        raise DataError(f"{data.name}: all {len(targets)} points are of one class")
    labels = targets[None].copy()
    if len(data.labels) > 2:
        labels = np.array([np.where(targets == k, 1.0, -1.0) for k in range(len(data.labels))])
    # Gram matrices (M, n, n), each positive semidefinite
    raw, names, K = gram_matrices(spec, data)
    for m, kernel in enumerate(raw):
        if kernel.given or kernel.name.startswith(OWN) or not kernel.function.psd:
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


def centred(K: FloatArray) -> FloatArray:
    """The centred matrix H K H (n, n) with H = I - 11'/n."""
    moved = K - K.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    return np.asarray((moved + moved.T) / 2)


def largest_entries(K: FloatArray) -> FloatArray:
    """The largest |K_m(i, j)| (M,) of each matrix in K (M, n, n), computed without a copy."""
    largest: FloatArray = np.maximum(K.max(axis=(1, 2)), -K.min(axis=(1, 2)))
    return largest


def gram_matrices(
    spec: MKL, data: MklData
) -> tuple[tuple[RawKernel, ...], tuple[str, ...], FloatArray]:
    """The kernels of ``spec``, their names and their symmetric matrices (M, n, n).

    The kernels are on all columns, or on the columns of each view. For given matrices, the kernels
    are these matrices.
    """
    if isinstance(data, GramSet):
        if spec.kernels is not None:
            raise OptionError("kernels are given as matrices: leave the option kernels out")
        if data.K.shape[1] != data.K.shape[2]:
            raise DataError(f"{data.name}: matrices {data.K.shape[1:]}, expected square ones")
        kernels = tuple(RawKernel(name=name, given=True) for name in data.names)
        return kernels, tuple(data.names), data.K.copy()
    # every kernel on every view
    raw, names, X = list[RawKernel](), list[str](), data.X
    for view in data.views if len(data.views) > 1 else [None]:
        for kernel in parse_kernels(spec.kernels or DEFAULT_KERNELS):
            columns = None if view is None else (view[1], view[2])
            is_matrix = kernel.base == "matrix"
            raw.append(RawKernel(name=kernel.name, columns=columns, given=is_matrix))
            names.append(kernel.name if view is None else f"{kernel.name}[{view[0]}]")
    K, n = np.empty((len(raw), len(X), len(X))), len(X)
    values = kernel_values(raw, X, X)
    for S_m, source in zip(K, raw, strict=True):
        poll()
        K_m = next(values)
        if not np.isfinite(K_m).all():
            raise DataError(f"kernel {source.name} overflows on these points: scale them")
        # (K + K')/2 row by row: 5,000 points 0.32 s, 0.78 for the whole matrix at once
        asymmetry = 0.0 if K_m.shape == S_m.shape else np.inf
        for start in range(0, n if asymmetry == 0.0 else 0, ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            np.add(K_m[rows], K_m[:, rows].T, out=S_m[rows])
            S_m[rows] /= 2.0
            asymmetry = max(asymmetry, float(np.abs(K_m[rows] - S_m[rows]).max()))
        if 2.0 * asymmetry > 1e-8 * float(largest_entries(K_m[None])[0]):
            raise DataError(f"kernel {source.name} is not a symmetric matrix of the points")
        del K_m  # before the next is there
    return tuple(raw), tuple(names), K


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


@dataclass(frozen=True)
class Tail:
    """A tail sum T(K) with orthonormal eigenvectors (n, k).

    With ``top``, the columns u_j of ``vectors`` belong to the largest eigenvalues, and ``value`` is
    tr K - sum_j u_j'K u_j. Without ``top``, they belong to the tail, and ``value`` is
    sum_j u_j'K u_j. ``gap`` is lambda_theta - lambda_{theta+1}, and infinite for theta = 0. If the
    gap is 0, T is unique but the vectors are not.
    """

    value: float
    vectors: FloatArray
    top: bool
    gap: float

    def of(self, K: FloatArray) -> FloatArray:
        """The values (M,) of the supergradient at other matrices K (M, n, n)."""
        n, k = self.vectors.shape
        # u_j'K_m u_j of every vector and matrix, by one product
        products = (K.reshape(-1, n) @ self.vectors).reshape(len(K), n, k)
        explained: FloatArray = np.einsum("mij,ij->m", products, self.vectors)
        return np.trace(K, axis1=1, axis2=2) - explained if self.top else explained


def spectrum(K: FloatArray) -> FloatArray:
    """All eigenvalues (n,) of a symmetric K (n, n), in decreasing order."""
    return np.asarray(np.linalg.eigvalsh(K)[::-1], dtype=np.float64)


def tail_sum(K: FloatArray, theta: int) -> float:
    """The tail sum T(K) of a symmetric K (n, n).

    Lanczos computes few eigenvalues of a large matrix; LAPACK computes all others. Raises
    OptionError unless 0 <= theta < n.
    """
    trace = float(np.trace(K))
    if theta == 0:
        return trace
    # T(K) = tr K - sum of the theta largest, by Lanczos where K is large
    top = _lanczos(K, theta)
    if top is not None and trace - float(top[0][:theta].sum()) > CANCELLED_TRACE * trace:
        return trace - float(top[0][:theta].sum())
    return float(spectrum(K)[theta:].sum())


def tail(K: FloatArray, theta: int) -> Tail:
    """The tail sum T(K) with the eigenvectors of the theta largest eigenvalues.

    If the tail is tiny, the eigenvectors of the tail are returned instead. Raises OptionError
    unless 0 <= theta < n.
    """
    n, trace = len(K), float(np.trace(K))
    if theta == 0:
        return Tail(trace, np.zeros((n, 0)), True, np.inf)
    values, vectors = _lanczos(K, theta) or _descending(*eigenpairs(K, n - theta - 1, n - 1))
    # T(K) = tr K - sum of the theta largest, unless that difference has lost its digits
    value = trace - float(values[:theta].sum())
    if value > CANCELLED_TRACE * trace:
        return Tail(value, vectors[:, :theta], True, float(values[theta - 1] - values[theta]))
    low, low_vectors = eigenpairs(K, 0, n - theta - 1)
    return Tail(float(low.sum()), low_vectors, False, float(values[theta - 1] - values[theta]))


def rank(eigenvalues: FloatArray) -> int:
    """The number of eigenvalues (n,), in decreasing order, above the rounding error of the
    first.
    """
    # eigenvalues of n times this share of the largest count as 0
    return int((eigenvalues > len(eigenvalues) * 1e-14 * max(eigenvalues[0], 0.0)).sum())


def _lanczos(K: FloatArray, theta: int) -> tuple[FloatArray, FloatArray] | None:
    """The theta + 1 largest eigenvalues of a large K and their vectors, by ARPACK.

    Returns None if LAPACK is faster, or if ARPACK does not converge. Any orthonormal vectors give a
    supergradient, so the error of the vectors is harmless. The error of the eigenvalues is the
    square of that error. Raises OptionError unless theta < n.
    """
    n = len(K)
    if not 0 <= theta < n:
        raise OptionError(f"theta {theta}: expected 0 <= theta < {n}, the number of points")
    # 2,000 points, theta 1: 0.09 s, 0.64 by all eigenvalues
    if n < FULL_SPECTRUM or theta > 64:  # largest theta for Lanczos
        return None
    poll()
    start = np.random.default_rng(0).standard_normal(n)
    try:
        # relative residual of an eigenpair
        pairs = eigsh(K, k=theta + 1, which="LA", v0=start, tol=1e-10)
    except ArpackError:
        return None
    return _descending(*pairs)


def _descending(values: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]
