"""Many hinge regressions at once: a primal-dual interior-point method over a leading batch axis.

Every problem of a batch shares the matrix F and differs in its hinges and slopes:

    min_{w, b}  price/2 |w|^2 + sum_i (t1_i - h_i)_+ + (h_i - t2_i)_+ + c_i h_i,   h = F w + b
    s.t.        |w|^2 <= radius^2 (unless it is infinite),   low <= b <= high

With multipliers p, q in [0, 1]^n of the hinges and beta = p - q - c, the value

    p't1 - q't2 + min_{|w| <= radius} (price/2 |w|^2 - beta'F w) + min_{low <= b <= high} -b sum beta

is a lower bound for every p, q: the gap that ends a problem is computed from it, never estimated.
One iteration costs a matrix of order r + 1 per problem; finished problems leave the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-10  # gap relative to 1 + |value|
ITERATIONS = 60
STEP = 0.995  # share of the way to the boundary
GRAM_ENTRIES = 2**24  # numbers in the table of products F_ij F_ik before it is done row by row
BATCH_ENTRIES = 2**19  # numbers B n worked on at once: the state of a chunk stays in the cache


@dataclass(frozen=True)
class HingeSolution:
    """w (B, r), b (B,), value (B,) of the objective there, bound (B,) below every value.

    multiplier (B,): of |w|^2/2 <= radius^2/2, whose inverse is the C of the same problem with a
    price; p, q (B, n): hinge multipliers behind the bound. iterations: of the longest problem.
    """

    w: FloatArray
    b: FloatArray
    value: FloatArray
    bound: FloatArray
    multiplier: FloatArray
    p: FloatArray
    q: FloatArray
    iterations: int


def solve_hinges(
    F: FloatArray,
    t1: FloatArray,
    t2: FloatArray,
    c: FloatArray,
    *,
    box: tuple[float, float],
    radius: float = np.inf,
    price: float = 0.0,
    tolerance: float = TOLERANCE,
    poll: Callable[[], None] = lambda: None,
) -> HingeSolution:
    """Solve a batch: F (n, r); t1, t2, c (B, n); radius > 0 or price > 0.

    A problem ends at a gap within ``tolerance`` or after 60 iterations with its best point and
    bound. ``poll`` is called once per iteration and may raise.
    """
    B, n = c.shape
    scale = radius if np.isfinite(radius) else 1.0
    shared = _Shared(F * scale, np.isfinite(radius), price * scale**2, box, tolerance)
    size = max(1, BATCH_ENTRIES // n)
    parts = [
        _solve_chunk(shared, t1[s : s + size], t2[s : s + size], c[s : s + size], poll)
        for s in range(0, B, size)
    ]
    joined = [np.concatenate(arrays) for arrays in zip(*(part[0] for part in parts), strict=True)]
    x, value, bound, multiplier, p, q = joined
    iterations = max(part[1] for part in parts)
    return HingeSolution(
        x[:, :-1] * scale, x[:, -1], value, bound, multiplier / scale**2, p, q, iterations
    )


class _Shared:
    """What all problems of a batch have in common, in units where the radius is 1."""

    def __init__(
        self,
        F: FloatArray,
        ball: bool,
        price: float,
        box: tuple[float, float],
        tolerance: float,
    ) -> None:
        n, r = F.shape
        self.F = np.concatenate([F, np.ones((n, 1))], axis=1)
        self.ball, self.price, self.box, self.tolerance = ball, price, box, tolerance
        self.products: FloatArray | None = None
        if n * (r + 1) ** 2 <= GRAM_ENTRIES:
            self.products = (self.F[:, :, None] * self.F[:, None, :]).reshape(n, -1)

    def gram(self, D: FloatArray) -> FloatArray:
        """F' diag(D) F per problem, (B, r + 1, r + 1)."""
        k = self.F.shape[1]
        if self.products is not None:
            return (D @ self.products).reshape(len(D), k, k)
        return np.stack([self.F.T @ (self.F * d[:, None]) for d in D])

    def value(self, x: FloatArray, t1: FloatArray, t2: FloatArray, c: FloatArray) -> FloatArray:
        """The objective (B,) at x = [w, b] (B, r + 1)."""
        h = x @ self.F.T
        hinges = np.maximum(t1 - h, 0.0) + np.maximum(h - t2, 0.0) + c * h
        total: FloatArray = hinges.sum(axis=1)
        return total + 0.5 * self.price * np.einsum("ij,ij->i", x[:, :-1], x[:, :-1])

    def bound(self, Z: FloatArray, t1: FloatArray, t2: FloatArray, c: FloatArray) -> FloatArray:
        """The lower bound (B,) of hinge multipliers p = Z[0], q = Z[2]."""
        along = (Z[0] - Z[2] - c) @ self.F
        norm = np.sqrt(np.einsum("ij,ij->i", along[:, :-1], along[:, :-1]))
        ball = self.ball & (norm > self.price)
        inside = -0.5 * norm**2 / self.price if self.price > 0 else -norm
        least = np.where(ball, 0.5 * self.price - norm, inside)
        bias = np.minimum(-along[:, -1] * self.box[0], -along[:, -1] * self.box[1])
        hinges: FloatArray = np.einsum("ij,ij->i", Z[0], t1) - np.einsum("ij,ij->i", Z[2], t2)
        return hinges + least + bias


class _State:
    """Iterates of the problems that still run; the first axis after the pairs is the problem.

    X[0..3] = slacks of  h - t1 + xi,  xi,  t2 - h + xi',  xi'  and Z = p, 1 - p, q, 1 - q;
    Y[0..2] = slacks of the ball and of the two ends of the box, V = their multipliers.
    """

    def __init__(self, shared: _Shared, t1: FloatArray, t2: FloatArray, c: FloatArray) -> None:
        B, n = c.shape
        self.t1, self.t2, self.c = t1, t2, c
        low, high = shared.box
        self.x = np.zeros((B, shared.F.shape[1]))
        self.x[:, -1] = (low + high) / 2
        h = self.x @ shared.F.T
        room = np.full((B, 1), 0.25 * (high - low))
        up, down = h - t1, t2 - h
        self.X = np.stack([np.maximum(up, 0), np.maximum(-up, 0), np.maximum(down, 0), np.maximum(-down, 0)])
        self.X += room
        self.Z = np.full((4, B, n), 0.5)
        self.Y = np.tile([[0.5], [(high - low) / 2], [(high - low) / 2]], (1, B))
        self.V = np.ones((3, B))
        if not shared.ball:
            self.V[0] = 0.0
        self.rows = np.arange(B)

    def keep(self, left: NDArray[np.bool_]) -> None:
        """Only the problems marked in ``left`` (B,)."""
        for name in ("t1", "t2", "c", "x", "rows"):
            setattr(self, name, getattr(self, name)[left])
        for name in ("X", "Z", "Y", "V"):
            setattr(self, name, getattr(self, name)[:, left])


def _solve_chunk(
    shared: _Shared, t1: FloatArray, t2: FloatArray, c: FloatArray, poll: Callable[[], None]
) -> tuple[tuple[FloatArray, ...], int]:
    """x, value, bound, multiplier, p, q of every problem, and the iterations."""
    B, n = c.shape
    x, multiplier = np.zeros((B, shared.F.shape[1])), np.zeros(B)
    value, bound = np.full(B, np.inf), np.full(B, -np.inf)
    p, q = np.zeros((B, n)), np.zeros((B, n))
    state = _State(shared, t1, t2, c)
    for iteration in range(ITERATIONS + 1):
        poll()
        rows = state.rows
        points = _inside(shared, state.x)
        values = shared.value(points, state.t1, state.t2, state.c)
        better = values < value[rows]
        x[rows[better]], value[rows[better]] = points[better], values[better]
        bounds = shared.bound(state.Z, state.t1, state.t2, state.c)
        better = bounds > bound[rows]
        bound[rows[better]] = bounds[better]
        p[rows[better]], q[rows[better]] = state.Z[0, better], state.Z[2, better]
        multiplier[rows] = state.V[0]
        left = value[rows] - bound[rows] > shared.tolerance * (1.0 + np.abs(value[rows]))
        if iteration == ITERATIONS or not left.any():
            break
        if left.mean() < 0.8:
            state.keep(left)
        _advance(shared, state)
    return (x, value, bound, multiplier, p, q), iteration


def _inside(shared: _Shared, x: FloatArray) -> FloatArray:
    """x with |w| <= 1 and b in the box."""
    points = x.copy()
    if shared.ball:
        norms = np.sqrt(np.einsum("ij,ij->i", x[:, :-1], x[:, :-1]))
        points[:, :-1] /= np.maximum(norms, 1.0)[:, None]
    points[:, -1] = np.clip(points[:, -1], *shared.box)
    return points


def _advance(shared: _Shared, state: _State) -> None:
    """One step of Mehrotra's predictor and corrector for every problem of the state."""
    X, Z, Y, V, x, F = state.X, state.Z, state.Y, state.V, state.x, shared.F
    pairs = 4 * X.shape[2] + 2 + shared.ball
    quotient = X / Z
    D = 1.0 / (quotient[0::2] + quotient[1::2])
    curvature = shared.price + V[0]
    w = x[:, :-1]
    M = shared.gram(D[0] + D[1])
    diagonal = np.arange(w.shape[1])
    M[:, diagonal, diagonal] += curvature[:, None]
    M[:, -1, -1] += V[1] / Y[1] + V[2] / Y[2]
    if shared.ball:
        M[:, :-1, :-1] += (V[0] / Y[0])[:, None, None] * (w[:, :, None] * w[:, None, :])
    slack = 0.5 * (1.0 - np.einsum("ij,ij->i", w, w)) - Y[0]
    gradient = np.concatenate([curvature[:, None] * w, (V[2] - V[1])[:, None]], axis=1)
    beta = Z[0] - Z[2] - state.c

    def direction(R: FloatArray, S: FloatArray) -> tuple[FloatArray, ...]:
        """dx, dX, dZ, dY, dV that move Z X by R and V Y by S."""
        T = R / Z
        a = D[0] * (T[0] - T[1]) - D[1] * (T[2] - T[3])
        right = (beta + a) @ F - gradient
        right[:, -1] += S[1] / Y[1] - S[2] / Y[2]
        if shared.ball:
            right[:, :-1] -= ((S[0] - V[0] * slack) / Y[0])[:, None] * w
        dx = np.linalg.solve(M, right[:, :, None])[:, :, 0]
        dh = dx @ F.T
        dp, dq = D[0] * (T[0] - T[1] - dh), D[1] * (T[2] - T[3] + dh)
        dZ = np.stack([dp, -dp, dq, -dq])
        dY = np.stack([slack - np.einsum("ij,ij->i", w, dx[:, :-1]), dx[:, -1], -dx[:, -1]])
        dV = (S - V * dY) / Y
        if not shared.ball:
            dY[0], dV[0] = 0.0, 0.0
        return dx, T - quotient * dZ, dZ, dY, dV

    def longest(dX: FloatArray, dZ: FloatArray, dY: FloatArray, dV: FloatArray) -> FloatArray:
        """The largest step (B,), at most 1 / STEP, that keeps everything positive."""
        inner = np.maximum((-dX / X).max(axis=(0, 2)), (-dZ / Z).max(axis=(0, 2)))
        outer = np.maximum((-dY / Y).max(axis=0), (-dV / np.where(V > 0, V, 1.0)).max(axis=0))
        return 1.0 / np.maximum(np.maximum(inner, outer), STEP)

    def total(X: FloatArray, Z: FloatArray, Y: FloatArray, V: FloatArray) -> FloatArray:
        both: FloatArray = np.einsum("kij,kij->i", X, Z) + np.einsum("ki,ki->i", Y, V)
        return both / pairs

    mu = total(X, Z, Y, V)
    dx, dX, dZ, dY, dV = direction(-Z * X, -V * Y)
    t = np.minimum(1.0, longest(dX, dZ, dY, dV))
    s = t[:, None]
    ahead = total(X + s * dX, Z + s * dZ, Y + t * dY, V + t * dV)
    target = mu * np.clip(ahead / mu, 0.0, 1.0) ** 3
    R = target[:, None] - Z * X - dZ * dX
    S = target - V * Y - dV * dY
    dx, dX, dZ, dY, dV = direction(R, S)
    t = np.minimum(1.0, STEP * longest(dX, dZ, dY, dV))
    s = t[:, None]
    state.x = x + s * dx
    state.X, state.Z = X + s * dX, Z + s * dZ
    state.Y, state.V = Y + t * dY, V + t * dV
