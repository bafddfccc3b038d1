"""Kernels of zero tail sum, free of the budget: program conv in the limit of their weights.

With theta at least the rank of K_m its weight costs nothing, and J falls as it grows: no finite
weight is optimal. In the limit the kernel brings every function of its range, unpenalised:

    min  1/2 sum_m |w_m|^2 / mu_m + C sum of losses of  f + U beta_r + b_r   over w, beta, b
    = max  s(a) - 1/2 <q(a), mu>   where also  U'z_r = 0  for every row r,

m over the kernels that are not free, U (n, q) an orthonormal basis of the ranges of the free ones.
A dual point meets U'z = 0 up to rounding, so its bound is stated for free parts whose root mean
square on the points is at most FREE_SIZE: less FREE_SIZE sqrt(n) |U'z| in every row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from radprog.instances.errors import SettingError
from radprog.instances.limits import poll
from radprog.instances.tolerances import UNIT_ROUNDOFF, ZERO_TAIL
from radprog.instances.types import BoolArray, FloatArray
from radprog.models.lapack import by_size
from radprog.models.mkl.kernel_sets import KernelSet

FREE_SIZE = 1e4
MOST_FREE_ROUNDS = 50  # of corrections towards U'z = 0


@dataclass(frozen=True, eq=False)
class FreeKernels:
    """All kernels, which of them are free (M,), the basis U (n, q), and an orthonormal basis E
    (n, l) of U and, with a bias, the constant."""

    kernels: KernelSet
    free: BoolArray
    basis: FloatArray
    span: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """Of the free kernels."""
        pairs = zip(self.kernels.names, self.free, strict=True)
        return tuple(name for name, free in pairs if free)

    def feasible(self, a: FloatArray, y: FloatArray, C: float | None) -> FloatArray:
        """A point near a (n,) with E'(y a) = 0 up to rounding and, with C, 0 <= a <= C: entries
        move by their distance to the box. 0 where none is found."""
        E = self.span
        if C is None:
            z = y * a
            return np.asarray(y * (z - E @ (E.T @ z)))
        a = np.clip(a, 0.0, C)
        for _ in range(MOST_FREE_ROUNDS):
            residual = E.T @ (y * a)
            if float(linalg.norm(residual)) <= 4.0 * UNIT_ROUNDOFF * float(linalg.norm(a)):
                return a
            room = np.minimum(a, C - a)
            step = linalg.lstsq(E.T @ (room[:, None] * E), residual)[0]
            a = np.clip(a - y * room * (E @ step), 0.0, C)
        exact = float(linalg.norm(E.T @ (y * a))) <= len(a) * UNIT_ROUNDOFF * float(linalg.norm(a))
        return a if exact else np.zeros(len(a))

    def best(self, f: FloatArray, y: FloatArray, *, hinge: bool) -> FloatArray:
        """The function (n,) of the span that makes the losses of f (n,) least when added to it."""
        E = self.span
        if not hinge:
            return np.asarray(E @ (E.T @ (y - f)))
        n, size = E.shape
        cost = np.concatenate([np.zeros(size), np.ones(n)])
        rows = np.hstack([-y[:, None] * E, -np.eye(n)])
        bounds = [(None, None)] * size + [(0.0, None)] * n
        found = optimize.linprog(cost, A_ub=rows, b_ub=y * f - 1.0, bounds=bounds, method="highs")
        return np.zeros(n) if found.x is None else np.asarray(E @ found.x[:size])

    def parts(self, g: FloatArray, *, bias: bool) -> tuple[float, FloatArray]:
        """The constant b and coefficients gamma (n,) with g = b + sum over the free kernels of
        K_m gamma / tr K_m, for g (n,) of the span."""
        columns = [np.ones((len(g), 1)), self.basis] if bias else [self.basis]
        found = linalg.lstsq(np.hstack(columns), g)[0]
        b, beta = (float(found[0]), found[1:]) if bias else (0.0, found)
        image = self.basis.T @ sum(_range(K) for K in self.kernels.K[self.free]) @ self.basis
        return b, np.asarray(self.basis @ linalg.solve(image, beta, assume_a="sym"))

    def loss_of_bound(self, z: FloatArray) -> float:
        """What the bound of z (k, n) loses by U'z off 0."""
        n = z.shape[1]
        sizes = linalg.norm(z, axis=1)
        off = linalg.norm(z @ self.basis, axis=1) + 2.0 * n * UNIT_ROUNDOFF * sizes
        return FREE_SIZE * float(np.sqrt(n) * off.sum())


def _range(K: FloatArray) -> FloatArray:
    """K (n, n) over its trace, without the eigenvalues that count as zero."""
    values, vectors = by_size(len(K), np.linalg.eigh, K / np.trace(K))
    used = values > ZERO_TAIL
    return np.asarray((vectors[:, used] * values[used]) @ vectors[:, used].T)


def split_kernels(
    kernels: KernelSet, theta: int, *, bias: bool
) -> tuple[KernelSet, FreeKernels | None]:
    """The kernels whose tail sum is not zero, and the free ones, None where there are none.

    Raises SettingError where all are free.
    """
    free = kernels.vanishing(theta)
    if not free.any():
        return kernels, None
    if free.all():
        raise SettingError(
            f"theta {theta}: every kernel has a tail sum of zero, so that free of the budget "
            "nothing is penalised: choose theta below the largest rank"
        )
    projectors = np.zeros(kernels.K.shape[1:])
    for K in kernels.K[free]:
        poll()
        values, vectors = by_size(len(K), np.linalg.eigh, K / np.trace(K))
        top = vectors[:, values > ZERO_TAIL]
        projectors += top @ top.T
    basis = _spanned(projectors)
    span = basis
    if bias:
        span = _spanned(basis @ basis.T + np.full(projectors.shape, 1.0 / kernels.n))
    return kernels.only(~free), FreeKernels(kernels, free, basis, span)


def _spanned(projectors: FloatArray) -> FloatArray:
    """An orthonormal basis (n, q) of the range of a sum of projectors (n, n)."""
    values, vectors = by_size(len(projectors), np.linalg.eigh, projectors)
    return np.asarray(vectors[:, values > ZERO_TAIL])
