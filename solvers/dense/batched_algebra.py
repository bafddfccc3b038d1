"""Algebra over a leading batch axis (B, ...): linear systems, and the second-order cone.

The cone is {u = (u_0, u_1): |u_1| <= u_0}, its members arrays (B, k).
"""

from __future__ import annotations

import numpy as np

from radprog.base.tolerances import DIAGONAL_LIFT
from radprog.base.types import FloatArray

CONE_ROUNDING = 1e-22  # share of u_0^2 below which u_0^2 - |u_1|^2 is rounding


class ConeScaling:
    """Nesterov and Todd's scaling W at two points s, z inside the cone: W z = W^-1 s."""

    def __init__(self, s: FloatArray, z: FloatArray) -> None:
        sizes = [np.sqrt(_square(u)) for u in (s, z)]
        s, z = s / sizes[0][:, None], z / sizes[1][:, None]
        self.eta = np.sqrt(sizes[0] / sizes[1])
        v = s + mirror(z)
        self.v = v / np.sqrt(2.0 * (1.0 + dot(s, z)))[:, None]

    def times(self, u: FloatArray) -> FloatArray:
        """W u."""
        return self.eta[:, None] * self._apply(self.v, u)

    def over(self, u: FloatArray) -> FloatArray:
        """W^-1 u."""
        return self._apply(mirror(self.v), u) / self.eta[:, None]

    @staticmethod
    def _apply(v: FloatArray, u: FloatArray) -> FloatArray:
        along = dot(v[:, 1:], u[:, 1:])
        first = v[:, 0] * u[:, 0] + along
        rest = u[:, 1:] + v[:, 1:] * (u[:, 0] + along / (1.0 + v[:, 0]))[:, None]
        return np.concatenate([first[:, None], rest], axis=1)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """a'b (B,)."""
    out: FloatArray = np.einsum("ij,ij->i", a, b)
    return out


def lorentz(a: FloatArray, b: FloatArray) -> FloatArray:
    """a_0 b_0 - a_1'b_1 (B,): positive at a = b inside the cone."""
    return 2.0 * a[:, 0] * b[:, 0] - dot(a, b)


def _square(a: FloatArray) -> FloatArray:
    """a_0^2 - |a_1|^2 (B,), kept positive."""
    floored: FloatArray = np.maximum(lorentz(a, a), CONE_ROUNDING * a[:, 0] ** 2)
    return floored


def mirror(a: FloatArray) -> FloatArray:
    """(a_0, -a_1)."""
    return np.concatenate([a[:, :1], -a[:, 1:]], axis=1)


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """The product of the cone's algebra, (a'b, a_0 b_1 + b_0 a_1)."""
    return np.concatenate([dot(a, b)[:, None], a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]], axis=1)


def divide(a: FloatArray, b: FloatArray) -> FloatArray:
    """The u with a u = b in the cone's algebra."""
    first = lorentz(a, b) / _square(a)
    rest = (b[:, 1:] - first[:, None] * a[:, 1:]) / a[:, :1]
    return np.concatenate([first[:, None], rest], axis=1)


def rate_out(a: FloatArray, d: FloatArray) -> FloatArray:
    """1 / the largest t (B,) with a + t d in the cone; at most 0 where there is none."""
    size, middle = _square(a), lorentz(a, d)
    root = middle**2 - size * lorentz(d, d)
    rate: FloatArray = np.where(root < 0, 0.0, (np.sqrt(np.maximum(root, 0.0)) - middle) / size)
    return rate


def solve_each(M: FloatArray, right: FloatArray) -> FloatArray:
    """M^-1 right per problem; a matrix that is singular to rounding gets a larger diagonal."""
    try:
        return np.asarray(np.linalg.solve(M, right[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        largest = np.einsum("ikk->ik", M).max(axis=1)
        shifted = M + (DIAGONAL_LIFT * largest)[:, None, None] * np.eye(M.shape[1])
        return np.asarray(np.linalg.solve(shifted, right[:, :, None])[:, :, 0])
