"""Support vector regression with a bounded loss (Anguita, Ghio, Oneto, Ridella): values and pieces.

Symbols: n points, targets y (n,); w in the feature space of a kernel, bias b, h_i = w'phi(x_i) + b,
residual r_i = y_i - h_i. The loss is ell(r) = rho(r) / eps_up, rho(r) = min(max(0, |r| - eps_low),
eps_up). If sigma_i = -1, the loss of point i is minimised; if sigma_i = +1, it is maximised; if
sigma_i = 0, the point is omitted. Any other number is a sign times the weight |sigma_i| of the
point. All problems are minimisations of G(h) = sum_i -sigma_i rho(r_i).

G = convex + concave. With t1 = y - eps_low, t2 = y + eps_low where sigma = -1, and t1 = y + eps_low
+ eps_up, t2 = y - eps_low - eps_up where sigma = +1, the convex part is sum_i (t1_i - h_i)_+ + (h_i
- t2_i)_+ + constant (constant -2 eps_up per point with sigma = +1). Arrays have a leading batch
axis (B, ...) for several sign vectors and starts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import PSD_TOLERANCE, UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.lapack import positive_definite

LOSS_ROWS_AT_ONCE = 1024  # of a kernel matrix in a product, between which limits are polled


@dataclass(frozen=True, kw_only=True)
class BoundedLoss:
    """The bounded loss ell(r) = min(max(0, |r| - low), up) / up in [0, 1] (Figure 1).

    low >= 0 and up > 0.
    """

    low: float = 0.0
    up: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and self.low >= 0):
            raise OptionError(f"eps_low {self.low:g}: expected a finite number >= 0")
        if not (math.isfinite(self.up) and self.up > 0):
            raise OptionError(f"eps_up {self.up:g}: expected a finite number > 0")

    def unscaled(self, residuals: FloatArray) -> FloatArray:
        """The loss rho(r) without the division by eps_up, for r of any shape."""
        return np.clip(np.abs(residuals) - self.low, 0.0, self.up)

    def __call__(self, residuals: FloatArray) -> FloatArray:
        """The loss ell(r), for r of any shape."""
        return self.unscaled(residuals) / self.up


@dataclass(frozen=True, kw_only=True)
class RegressionClass:
    """The functions h = F w + b on a sample; F F' is the centred kernel matrix.

    Centring moves w'mean into the free b and has no other effect: |w| is the norm in the feature
    space.

    - kernel: the kernel matrix K (n, n)
    - factor: F (n, r)
    - back: (n, r); back @ w are the kernel coefficients of w, with sum 0
    - y: the targets (n,)
    - left_out: the largest diagonal entry of the part of the centred kernel matrix that F omits.
      The omission changes each h_i by at most sqrt(A left_out).
    """

    kernel: FloatArray
    factor: FloatArray
    back: FloatArray
    y: FloatArray
    loss: BoundedLoss
    left_out: float = 0.0

    @property
    def n(self) -> int:
        """The number of points."""
        return len(self.y)

    @property
    def rank(self) -> int:
        """The number of components of w."""
        return int(self.factor.shape[1])

    @property
    def largest_eigenvalue(self) -> float:
        """The largest eigenvalue of the centred kernel matrix."""
        return float((self.factor[:, 0] ** 2).sum()) if self.rank else 0.0

    @cached_property
    def gram(self) -> FloatArray:
        """The matrix F F' (n, n)."""
        return np.asarray(self.factor @ self.factor.T)

    def functions(self, x: FloatArray) -> FloatArray:
        """The functions h (B, n) at points x = [w, b] (B, r + 1)."""
        return x[:, :-1] @ self.factor.T + x[:, -1:]

    def expansion(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The coefficients (B, n) and biases (B,) with h = K coefficients + bias."""
        coefficients = x[:, :-1] @ self.back.T
        offset = (x[:, :-1] @ self.factor.T - self.images(coefficients)).mean(axis=1)
        return coefficients, x[:, -1] + offset

    def points(self, coefficients: FloatArray, bias: FloatArray) -> FloatArray:
        """The points x (B, r + 1) of coefficients (B, n) and biases (B,) of an expansion."""
        w = coefficients @ self.factor
        offset = (self.images(coefficients) - w @ self.factor.T).mean(axis=1)
        return np.concatenate([w, (bias + offset)[:, None]], axis=1)

    def images(self, coefficients: FloatArray, *, absolute: bool = False) -> FloatArray:
        """The products K c (B, n) for coefficients c (B, n); with ``absolute``, |K| |c|.

        Rows of K whose coefficients are all 0 are not read. Limits are polled between blocks of
        rows.
        """
        # rows of K that have a coefficient, block by block
        support = np.flatnonzero(coefficients.any(axis=0))
        products = np.zeros(coefficients.shape)
        for start in range(0, len(support), LOSS_ROWS_AT_ONCE):
            poll()
            rows = support[start : start + LOSS_ROWS_AT_ONCE]
            c, K = coefficients[:, rows], self.kernel[rows]
            products += np.abs(c) @ np.abs(K) if absolute else c @ K
        return products

    def reach(self, A: float) -> FloatArray:
        """The largest |F w|_i (n,) over |w|^2 <= A."""
        # |F_i w| <= |F_i| sqrt(A)
        squares: FloatArray = np.einsum("ij,ij->i", self.factor, self.factor)
        return np.asarray(np.sqrt(A * squares))

    def bias_box(self, A: float) -> tuple[float, float]:
        """An interval for b, outside of which every loss is 1 for all |w|^2 <= A."""
        reach, margin = self.reach(A), self.loss.low + self.loss.up
        return float((self.y - reach).min()) - margin, float((self.y + reach).max()) + margin

    def objective(self, h: FloatArray, signs: FloatArray) -> FloatArray:
        """The objective -sum_i sigma_i ell(y_i - h_i), (B,), for h and signs (B, n)."""
        return np.asarray(-np.einsum("ij,ij->i", signs, self.loss(self.y - h)))


def regression_class(
    K: FloatArray, y: FloatArray, loss: BoundedLoss, *, proved: bool = False
) -> RegressionClass:
    """Factor a kernel matrix K (n, n) once for all sign vectors, radii and iterations.

    The factor omits eigenvalues below 1e-11 times n times the largest entry. With
    ``proved``, for a certified optimum, the threshold is 1e-15, and the kernel is
    that of :func:`surely_definite`.

    Raises DataError for fewer than 2 points, non-finite numbers, targets that are too large, or a
    wrong shape. Raises OptionError unless K is symmetric positive semidefinite (to 1e-8 of its
    largest entry).
    """
    n = len(y)
    if n < 2:
        raise DataError(f"{n} points: regression needs at least 2")
    if K.shape != (n, n):
        raise DataError(f"a kernel matrix of shape {K.shape}, expected ({n}, {n})")
    if not (np.isfinite(K).all() and np.isfinite(y).all()):
        raise DataError("kernel matrix and targets must be finite numbers")
    # relative to eps_up: residuals keep seven digits of it
    if float(np.abs(y).max()) > 1e9 * loss.up:
        raise DataError(
            f"targets up to {np.abs(y).max():g} with a loss that is full at residuals of "
            f"{loss.up:g} are lost in rounding: use other units, or a larger eps_up"
        )
    poll()
    # symmetric and positive semidefinite, to rounding
    size = float(np.abs(K).max())
    if float(np.abs(K - K.T).max()) > PSD_TOLERANCE * size:
        raise OptionError("the kernel matrix is not symmetric: it has no feature space")
    K = (K + K.T) / 2
    poll()
    tolerance = PSD_TOLERANCE * max(size, np.finfo(float).tiny)
    shifted = K.copy()
    shifted.flat[:: n + 1] += tolerance
    # in the common case a Cholesky factor of the shifted matrix suffices
    smallest = 0.0 if positive_definite(shifted) else float(np.linalg.eigvalsh(K)[0])
    if smallest < -tolerance:
        raise OptionError(
            f"the kernel matrix is not positive semidefinite (smallest eigenvalue {smallest:g}): "
            "it has no feature space"
        )
    del shifted
    poll()
    # H K H: what centring moves into b changes no function
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh((centred + centred.T) / 2)
    poll()
    values, vectors = values[::-1], vectors[:, ::-1]
    # F from the eigenvalues above this share of n times the largest entry; ``left_out`` bounds
    # the effect of the others
    rank = 1e-15 if proved else 1e-11
    large = values > rank * n * max(size, np.finfo(float).tiny)
    left_out = np.maximum(values[~large], 0.0) @ (vectors[:, ~large] ** 2).T
    roots = np.sqrt(values[large])
    vectors = vectors[:, large] - vectors[:, large].mean(axis=0)
    return RegressionClass(
        kernel=surely_definite(K) if proved else K,
        factor=vectors * roots,
        back=vectors / roots,
        y=y.copy(),
        loss=loss,
        left_out=float(left_out.max(initial=0.0)),
    )


def surely_definite(K: FloatArray) -> FloatArray:
    """The matrix K (n, n), made positive semidefinite by a small addition to its diagonal.

    Rounding errors can make the zero eigenvalues of a kernel of low rank negative. A bound that
    treats these eigenvalues as zeros can be above the objective.
    """
    values = np.linalg.eigvalsh(K)
    shift = float(4 * len(K) * UNIT_ROUNDOFF * np.abs(values).max() - values[0])
    return K + shift * np.eye(len(K)) if shift > 0.0 else K


@dataclass(frozen=True)
class Hinges:
    """The convex part sum_i u_i ((t1_i - h_i)_+ + (h_i - t2_i)_+) + constant of G.

    t1, t2 and u = |sigma| are (B, n).
    """

    t1: FloatArray
    t2: FloatArray
    constant: FloatArray
    u: FloatArray

    def value(self, h: FloatArray) -> FloatArray:
        """The convex part (B,) at h (B, n)."""
        parts = np.maximum(self.t1 - h, 0.0) + np.maximum(h - self.t2, 0.0)
        total: FloatArray = (self.u * parts).sum(axis=1) + self.constant
        return total

    def take(self, rows: NDArray[np.intp]) -> Hinges:
        """The hinges of the given rows of the batch."""
        return Hinges(self.t1[rows], self.t2[rows], self.constant[rows], self.u[rows])


def convex_part(y: FloatArray, signs: FloatArray, loss: BoundedLoss, far: float) -> Hinges:
    """The hinges of sign vectors (B, n).

    Points with sign 0 have t1 = -far and t2 = far, and thus no loss.
    """
    outer = loss.low + loss.up
    # where the two hinges of every point begin
    t1 = np.where(signs < 0, y - loss.low, np.where(signs > 0, y + outer, -far))
    t2 = np.where(signs < 0, y + loss.low, np.where(signs > 0, y - outer, far))
    constant = -2.0 * loss.up * np.maximum(signs, 0.0).sum(axis=1)
    return Hinges(t1, t2, constant, np.abs(signs))


def piece(
    y: FloatArray, signs: FloatArray, loss: BoundedLoss, far: float, choice: IntArray
) -> Hinges:
    """The hinges of one convex piece per sign vector and point.

    Each -sigma_i rho(r_i) is the minimum of two or three convex functions. ``choice`` (B, n) has
    the number of one of them for each of the ``signs`` (B, n). For sigma = -1 the functions are
    (|r| - eps_low)_+ (0) and eps_up (1). For sigma = +1 they are max(-eps_up, eps_low - r) (0), the
    same function of -r (1), and, if eps_low > 0, the constant 0 (2).
    """
    outer = loss.low + loss.up
    maximised = signs > 0
    t1 = np.where(maximised, np.where(choice == 1, y + outer, -far), y - loss.low)
    t2 = np.where(maximised, np.where(choice == 0, y - outer, far), y + loss.low)
    # pieces that cost the same everywhere have no hinge
    nothing = (signs == 0) | (choice == np.where(maximised, 2, 1))
    full = np.where(maximised, choice < 2, choice == 1) & (signs != 0)
    return Hinges(
        np.where(nothing, -far, t1),
        np.where(nothing, far, t2),
        loss.up * (np.where(maximised, -1.0, 1.0) * full * np.abs(signs)).sum(axis=1),
        np.abs(signs),
    )


def slopes(h: FloatArray, y: FloatArray, signs: FloatArray, loss: BoundedLoss) -> FloatArray:
    """The slopes (Delta_i + Deltahat_i) / C of (6) at h (B, n), times |sigma_i|.

    They are slopes in {-1, 0, 1} of the concave part. At r = 0 with eps_low = 0 and sigma = +1,
    both +1 and -1 are possible. With the slope 0, the iteration would stop at this point, the worst
    possible one. Therefore points with an even index have the slope +1, and points with an odd
    index the slope -1.
    """
    r = y - h
    outer = loss.low + loss.up
    # (6): +-1 beyond the loss's end, or on its side of the tube
    minimised = (r >= outer).astype(np.float64) - (r <= -outer)
    maximised = (r >= -loss.low).astype(np.float64) - (r <= loss.low)
    if loss.low == 0.0:
        alternating = np.where(np.arange(len(y)) % 2 == 0, 1.0, -1.0)
        maximised = np.where(r == 0.0, alternating, maximised)
    return np.abs(signs) * np.where(signs < 0, minimised, np.where(signs > 0, maximised, 0.0))


def tangent_constant(
    h: FloatArray, y: FloatArray, signs: FloatArray, loss: BoundedLoss, c: FloatArray
) -> FloatArray:
    """The constants sum_i concave_i(h_i) - c_i h_i (B,) of the tangents at h.

    The paper omits these constants; without them the trace would not be monotone.
    """
    r = y - h
    outer = loss.low + loss.up
    minimised = -np.maximum(r - outer, 0.0) - np.maximum(-r - outer, 0.0)
    maximised = np.minimum(r - loss.low, 0.0) + np.minimum(-r - loss.low, 0.0)
    concave = np.where(signs < 0, minimised, np.where(signs > 0, maximised, 0.0))
    total: FloatArray = (np.abs(signs) * concave - c * h).sum(axis=1)
    return total


def bounded_loss_bias(
    g: FloatArray, y: FloatArray, signs: FloatArray, loss: BoundedLoss
) -> tuple[FloatArray, FloatArray]:
    """The exact minimiser b of -sum_i sigma_i ell(y_i - g_i - b), and the minimum.

    g and ``signs`` are (B, n). The function is piecewise linear with 4n kinks and constant outside
    of them, so its minimum is at a kink. The first of several best kinks is returned.
    """
    # the 4n kinks of the sum in b, and by how much each turns its slope
    centre = y - g
    outer = loss.low + loss.up
    offsets = (-outer, -loss.low, loss.low, outer)
    kinks = np.concatenate([centre + offset for offset in offsets], axis=1)
    turns = np.concatenate([signs, -signs, -signs, signs], axis=1)
    # the sum at every kink, relative to its value at -infinity
    order = np.argsort(kinks, axis=1)
    kinks = np.take_along_axis(kinks, order, axis=1)
    slope = np.cumsum(np.take_along_axis(turns, order, axis=1), axis=1)
    rise = np.cumsum(slope[:, :-1] * np.diff(kinks, axis=1), axis=1)
    rise = np.concatenate([np.zeros((len(g), 1)), rise], axis=1)
    b = np.take_along_axis(kinks, rise.argmin(axis=1)[:, None], axis=1)
    return b[:, 0], -np.einsum("ij,ij->i", signs, loss(centre - b))


def complexity_terms(signs: FloatArray, suprema: FloatArray) -> FloatArray:
    """The terms (2/n) sum_i sigma_i (ell_i - 1/2) (T,) from suprema of sum_i sigma_i ell_i (T,).

    Their mean estimates (1), as does the mean of (2/n) suprema, because E sum sigma = 0. The terms
    have a smaller variance, because sum sigma is a control variate. For signs with sum 0 both
    estimates are equal.
    """
    return np.asarray((2.0 / signs.shape[1]) * (suprema - 0.5 * signs.sum(axis=1)))
