"""Indefinite similarities: the flipped spectrum |S|, and the Similarity Machine of section 8.6.

The Similarity Machine is a support vector machine with the kernel |S|. The values at primal and
dual points are rigorous bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.instances.data import row_shares
from radprog.models.lapack import positive_definite
from radprog.models.rounding import EXTENDED_ROUNDOFF, products, sum_down, sum_up, up
from radprog.models.svm import Image, best_bias, svm_feasible


class Spectrum(NamedTuple):
    """The eigenvalues of a symmetric S (n, n), split by sign; see :class:`SimilaritySvm`."""

    size: FloatArray
    sign: FloatArray | None
    factor: FloatArray | None
    signs: FloatArray
    negative: int


def flipped_spectrum(S: FloatArray) -> Spectrum:
    """The matrix |S| and the sign of S; ``size`` is S itself if no eigenvalue is negative."""
    values, vectors = np.linalg.eigh(S)
    # eigenvalues of n times this share of the largest count as 0
    noise = 1e-14 * len(S) * float(np.abs(values).max(initial=0.0))
    negative = int((values < -noise).sum())
    signs = np.where((values < 0) & (negative > 0), -1.0, 1.0)
    size, sign, factor = S, None, None
    if (values <= noise).any():  # else positive definite, whatever rounding did
        factor = vectors * np.sqrt(np.abs(values))
    if negative:
        assert factor is not None
        size = factor @ factor.T
        sign = (vectors * signs) @ vectors.T
        size, sign = (size + size.T) / 2, (sign + sign.T) / 2
    return Spectrum(size, sign, factor, signs, negative)


def below_zero(T: FloatArray, rounding: float | None) -> float:
    """A bound t, with no eigenvalue of a symmetric T (n, n) below -t; infinite if there is no proof
    of a small one.

    The proof is that T is a positive semidefinite K but for rounding, |T_ij - K_ij| <= ``rounding``
    (T_ii T_jj)^1/2, or a Cholesky factorisation.
    """
    n, trace = len(T), float(np.abs(T.diagonal()).sum())
    if rounding is not None:
        return 1.01 * rounding * trace
    # half of t on the diagonal, the other half for the backward error of the factor (S. M. Rump,
    # Verification of positive definiteness, 2006)
    t = 2.1 * (n + 8) * UNIT_ROUNDOFF * trace
    shifted = T.copy()
    shifted.flat[:: n + 1] += t / 2.0
    return t if positive_definite(shifted) else np.inf


def parts_of(S: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The matrices S+ and S- with S = S+ - S- and |S| = S+ + S-, where |S| is ``size``."""
    if size is S:
        return S, np.zeros_like(S)
    return (size + S) / 2, (size - S) / 2


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilaritySvm:
    """The program min over a (n,), b of sum_i c_i max(0, 1 - y_i ((S a)_i + b)) + lam a'|S|a.

    S (n, n) is symmetric, y (n,) is in {-1, +1}, lam > 0, the bias b is optional, and c_i = 1/n.
    For rows with weights w, c_i is the share of row i, and |S| is D^-1/2 |D^1/2 S D^1/2| D^-1/2
    with D = diag(w). This program is equivalent to that with w_i copies of row i.

    If all eigenvalues of S are positive beyond rounding errors, |S| is S and ``factor`` is None.
    It is None too for many rows whose D^1/2 S D^1/2 has no eigenvalue below a small -t: ``size`` is
    S then, and ``slack`` = 2 t / w (n,) with 0 <= c'(|S| - S)c <= sum_i slack_i c_i^2. Otherwise
    the program is that of the computed eigenvalues w and eigenvectors V. Let F = V
    diag(|w|)^(1/2), the floating-point numbers of ``factor`` (n, n), and J = diag(sign w), that of
    ``signs`` (n,). Then |S| = FF' and S = FJF' exactly, so a'|S|a = |F'a|^2, and no bound can
    exceed an objective. FJF' is the given matrix up to the backward error of the eigenvalues, a few
    units of roundoff times its norm. J = I if no eigenvalue is negative beyond rounding errors.

    ``size`` and ``sign`` (n, n) are |S| and VJV' in floating-point numbers, for solvers.
    ``negative`` is the number of eigenvalues that are negative beyond rounding errors.
    """

    S: FloatArray
    size: FloatArray
    sign: FloatArray | None
    factor: FloatArray | None
    signs: FloatArray
    y: FloatArray
    c: float | FloatArray
    lam: float
    bias: bool
    name: str
    negative: int
    slack: float | FloatArray = 0.0

    @staticmethod
    def of(
        S: FloatArray, y: FloatArray, lam: float, *, bias: bool, name: str,
        weights: FloatArray | None = None, rounding: float | None = None,
    ) -> SimilaritySvm:  # fmt: skip
        """The problem of a symmetric, finite S (n, n).

        If S is a positive semidefinite matrix K but for rounding, ``rounding`` is a number r with
        |S_ij - K_ij| <= r (S_ii S_jj)^1/2.
        """
        w = np.ones(len(y)) if weights is None else weights
        c = 1.0 / len(y) if weights is None else row_shares(len(y), weights)
        # the spectrum of as many equal rows as the weights say
        roots = np.sqrt(w)
        T = S if weights is None else S * np.multiply.outer(roots, roots)
        # not computed where objective and bound lose less than this share of the optimum without
        # it, as sum mu_i is at most twice the optimum: 2,000 rows 0.3 s, 1.8 with it
        t = below_zero(T, rounding) if len(y) >= 500 else np.inf
        if 2.0 * t * float(np.sum(c * c / w)) <= 1e-10 * lam:
            return SimilaritySvm(
                S=S, size=S, sign=None, factor=None, signs=np.ones(len(y)), y=y, c=c, lam=lam,
                bias=bias, name=name, negative=0, slack=2.0 * t / w,
            )  # fmt: skip
        size, sign, factor, signs, negative = flipped_spectrum(T)
        return SimilaritySvm(
            S=S,
            y=y,
            lam=lam,
            bias=bias,
            name=name,
            c=c,
            size=size / np.multiply.outer(roots, roots) if negative else S,
            sign=None if sign is None else sign * np.multiply.outer(roots, 1.0 / roots),
            factor=None if factor is None else factor / roots[:, None],
            signs=signs,
            negative=negative,
        )

    @property
    def n(self) -> int:
        """The number of points."""
        return len(self.y)

    @property
    def C(self) -> float | FloatArray:
        """The weights of the losses in the equivalent SVM."""
        return self.c / (2.0 * self.lam)

    def coefficients(self, mu: FloatArray) -> FloatArray:
        """The coefficients a (n,) of multipliers mu (n,): J (mu o y) / (2 lam)."""
        signed = mu * self.y
        return (signed if self.sign is None else self.sign @ signed) / (2.0 * self.lam)

    def offset(self, a: FloatArray) -> float:
        """The best bias for the coefficients a; 0 if the model has no bias."""
        return best_bias(self.S @ a, self.y, self.c) if self.bias else 0.0

    def feasible(self, mu: FloatArray) -> FloatArray:
        """A dual point in [0, c] near mu (n,), with y'mu = 0 up to rounding if there is a bias.

        The point is at most c in exact arithmetic.
        """
        upper = np.nextafter(self.c, 0.0)
        return svm_feasible(self.y, upper, mu) if self.bias else np.clip(mu, 0.0, upper)

    def primal_value(self, a: FloatArray, b: float) -> float:
        """An upper bound on the mean hinge loss + lam a'|S|a in exact arithmetic.

        Every margin is lowered, and a'|S|a is raised, by the rounding error of the sums
        (:mod:`radprog.models.rounding`). All later products and sums are rounded up.
        """
        image = self._image(a, self.signs)
        loss = up(image.hinge(self.y, b, np.nextafter(self.c, 1.0)))
        return up(loss + up(self.lam * image.norm))

    def dual_value(self, mu: FloatArray) -> float:
        """A lower bound on the optimum: 1'mu - (mu o y)'|S|(mu o y) / (4 lam) for mu in [0, c].

        The value is rounded down. If rounding makes y'mu nonzero, the value is that of a nearby
        point with y'mu = 0 (:meth:`Image.dual`).
        """
        # (mu o y)'|S|(mu o y) = |F'(mu o y)|^2; y'mu is summed without error
        c = mu * self.y
        image = self._image(c, np.ones(self.n))
        extra_error = np.max(self.slack) * float(np.linalg.norm(c))  # |S|c may be from Sc
        image = replace(image, errors=image.errors + extra_error)
        balance = math.fsum(c.tolist()) if self.bias else 0.0
        return image.dual(self.y, mu, self.c, sum_down(mu), scale=2.0 * self.lam, balance=balance)

    def _image(self, c: FloatArray, signs: FloatArray) -> Image:
        """F diag(signs) F'c and |F'c|^2; Sc and c'Sc + sum slack_i c_i^2 without a factor."""
        F = self.factor
        if F is None:
            image = Image.of(self.S, c)
            norm = up(image.norm + up(sum_up(c * c * self.slack), 4))
            return replace(image, norm=norm, diagonal=image.diagonal + self.slack)
        # z = F'c, with bounds of its entries' errors
        z, errors = products(F.T, c)
        upper = np.nextafter((np.abs(z) + errors).astype(np.float64), np.inf)
        # F diag(signs) z: the float part of z, then what it leaves
        z *= signs
        leading = z.astype(np.float64)
        values, leading_error = products(F, leading)
        tail, tail_error = products(F, (z - leading).astype(np.float64))
        values += tail
        # errors: of both products, of z, and of the sum
        total = leading_error + tail_error + np.abs(F) @ errors
        total += 2.0 * EXTENDED_ROUNDOFF * np.abs(values).astype(np.float64)
        grown = 1.0 + (self.n + 8) * UNIT_ROUNDOFF
        return Image(
            values=values,
            errors=total * grown,
            norm=up(sum_up(upper * upper), 2),
            diagonal=(F * F).sum(axis=1) * grown,
        )
