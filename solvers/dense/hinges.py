"""Many hinge regressions at once: a primal-dual interior-point method over a leading batch axis.

The rows of a :class:`HingeProgram` are scaled by their costs. Let p, q in [0, 1]^n be multipliers
of the hinges, and beta = p - q - c. The value

    p't1 - q't2 + min_w (price/2 |w|^2 - beta'F w) + min_b -b sum beta   (over feasible w and b)

is a lower bound for all p, q. The gap that ends a problem is computed from this bound, not
estimated. An iteration solves two systems of order r + 1 per problem. Finished problems leave the
batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from radprog.base.types import FloatArray, IntArray

STEP = 0.995  # share of the way to the boundary

Box = tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class HingeProgram:
    """A batch of B programs with a common matrix F, and different hinges and slopes:

        min_{w, b}  price/2 |w|^2 + sum_i u_i ((t1_i - h_i)_+ + (h_i - t2_i)_+) + c_i h_i
        s.t.        h = F w + b,  low <= b <= high,  and |w| <= radius where price = 0

    F is (n, r); t1, t2 and c are (B, n); ``box`` = (low, high). Either the radius is finite and
    positive, or the price is positive. ``costs`` are u (n,) > 0, by default 1. ``gram`` is F F'
    (n, n) or None.
    """

    F: FloatArray
    t1: FloatArray
    t2: FloatArray
    c: FloatArray
    box: Box
    radius: float = np.inf
    price: float = 0.0
    costs: FloatArray | None = None
    gram: FloatArray | None = None

    def take(self, rows: Sequence[int] | IntArray) -> HingeProgram:
        """The programs ``rows`` of the batch."""
        return replace(self, t1=self.t1[rows], t2=self.t2[rows], c=self.c[rows])


@dataclass(frozen=True)
class HingeSolution:
    """The solutions w (B, r) and b (B,), their objectives ``value`` (B,), and ``bound`` (B,).

    ``bound`` has lower bounds on the optima. ``multiplier`` (B,) is the multiplier of |w|^2/2 <=
    radius^2/2. With this price in place of the radius, a program has the same minimiser. ``pull``
    (B, n) is the difference p - q of the multipliers of the hinges.
    """

    w: FloatArray
    b: FloatArray
    value: FloatArray
    bound: FloatArray
    multiplier: FloatArray
    pull: FloatArray

    def take(self, rows: IntArray) -> HingeSolution:
        """The solutions ``rows`` of the batch."""
        return HingeSolution(*(part[rows] for part in vars(self).values()))


def solve_hinges(
    program: HingeProgram,
    *,
    tolerance: float = 1e-9,  # relative to 1 + |value|
    poll: Callable[[], None] = lambda: None,
) -> HingeSolution:
    """Solve a batch of programs.

    A problem ends when its relative gap is within ``tolerance``, or after 60 iterations with its
    best point. Costs scale the rows, because u (t - h)_+ = (ut - uh)_+. ``poll`` is called once per
    iteration and may raise an exception.
    """
    t1, t2, c, scale = program.t1, program.t2, program.c, 1.0 if program.price else program.radius
    if program.costs is not None:
        u = program.costs
        t1, t2, c = t1 * u, t2 * u, c / u
    shared, size = _Shared(program, scale, tolerance), max(1, _Shared.entries // c.shape[1])
    chunks = [slice(start, start + size) for start in range(0, len(c), size)]
    parts = [_solve_chunk(shared, t1[part], t2[part], c[part], poll) for part in chunks]
    x, value, bound, multiplier, pull = map(np.concatenate, zip(*parts, strict=True))
    w, b, multiplier = x[:, :-1] * scale, x[:, -1], multiplier / scale**2
    pull = pull if program.costs is None else pull * program.costs
    return HingeSolution(w, b, value, bound, multiplier, pull)


class _Shared:
    """The common data of all problems of a batch, in units with radius 1."""

    entries = 2**19  # numbers B n that are worked on at once: the state stays in the cache
    table = 2**24  # numbers of the table of products F_ij F_ik before it is done row by row

    def __init__(self, program: HingeProgram, scale: float, tolerance: float) -> None:
        n, r = program.F.shape
        self.F = np.concatenate([program.F * scale, np.ones((n, 1))], axis=1)
        if program.costs is not None:
            self.F *= program.costs[:, None]
        self.price, self.box, self.tolerance = program.price, program.box, tolerance
        self.ball = program.price == 0
        self.products: FloatArray | None = None
        if n * (r + 1) ** 2 <= self.table:
            self.products = (self.F[:, :, None] * self.F[:, None, :]).reshape(n, -1)

    def inside(self, x: FloatArray) -> FloatArray:
        """x with |w| <= 1 and b in the box."""
        lengths = np.sqrt(dot(x[:, :-1], x[:, :-1]))[:, None] if self.ball else 1.0
        bias = np.clip(x[:, -1:], *self.box)
        return np.concatenate([x[:, :-1] / np.maximum(lengths, 1.0), bias], axis=1)

    def gram(self, D: FloatArray) -> FloatArray:
        """F' diag(D) F for each problem, (B, r + 1, r + 1)."""
        k = self.F.shape[1]
        if self.products is not None:
            return np.reshape(D @ self.products, (len(D), k, k))
        return np.stack([self.F.T @ (self.F * d[:, None]) for d in D])

    def value(self, x: FloatArray, t1: FloatArray, t2: FloatArray, c: FloatArray) -> FloatArray:
        """The objective (B,) at x = [w, b] (B, r + 1)."""
        h = x @ self.F.T
        hinges = np.maximum(t1 - h, 0.0) + np.maximum(h - t2, 0.0) + c * h
        total: FloatArray = hinges.sum(axis=1) + 0.5 * self.price * dot(x[:, :-1], x[:, :-1])
        return total

    def bound(self, Z: FloatArray, t1: FloatArray, t2: FloatArray, c: FloatArray) -> FloatArray:
        """The lower bound (B,) of hinge multipliers p = Z[0], q = Z[2]."""
        along = (Z[0] - Z[2] - c) @ self.F
        square = dot(along[:, :-1], along[:, :-1])
        lowest = -np.sqrt(square) if self.ball else -0.5 * square / self.price
        bias = np.minimum(-along[:, -1] * self.box[0], -along[:, -1] * self.box[1])
        return np.asarray(dot(Z[0], t1) - dot(Z[2], t2) + lowest + bias)


class _State:
    """Iterates of the unfinished problems; the first axis after the pairs is the problem.

    X[0..3] = slacks of  h - t1 + xi,  xi,  t2 - h + xi',  xi'  and Z = p, 1 - p, q, 1 - q;
    Y[0..1] = slacks of the two ends of the box, V = their multipliers; z in the cone
    |z_1| <= z_0 = the multiplier of |w| <= 1.
    """

    def __init__(self, shared: _Shared, t1: FloatArray, t2: FloatArray, c: FloatArray) -> None:
        B, n = c.shape
        self.t1, self.t2, self.c = t1, t2, c
        low, high = shared.box
        self.x = np.zeros((B, shared.F.shape[1]))
        self.x[:, -1] = (low + high) / 2
        h = self.x @ shared.F.T
        sides = np.stack([h - t1, t1 - h, t2 - h, h - t2])
        self.X = np.maximum(sides, 0.0) + 0.25 * (high - low)
        self.Z = np.full((4, B, n), 0.5)
        self.Y = np.full((2, B), (high - low) / 2)
        self.V = np.ones((2, B))
        self.z = np.zeros_like(self.x)
        self.z[:, 0] = shared.ball
        self.rows = np.arange(B)

    def keep(self, active: NDArray[np.bool_]) -> None:
        """Keep only the problems marked in ``active`` (B,)."""
        for name in ("t1", "t2", "c", "x", "z", "rows"):
            setattr(self, name, getattr(self, name)[active])
        for name in ("X", "Z", "Y", "V"):
            setattr(self, name, getattr(self, name)[:, active])


def _solve_chunk(
    shared: _Shared, t1: FloatArray, t2: FloatArray, c: FloatArray, poll: Callable[[], None]
) -> tuple[FloatArray, ...]:
    """x, value, bound, multiplier and pull of each problem."""
    x, multiplier, pull = np.zeros((len(c), shared.F.shape[1])), np.zeros(len(c)), np.zeros_like(c)
    value, bound = np.full(len(c), np.inf), np.full(len(c), -np.inf)
    state = _State(shared, t1, t2, c)
    limit = 60  # iterations
    for iteration in range(limit + 1):
        poll()
        rows = state.rows
        # the best feasible point and the best bound so far, of every problem
        points = shared.inside(state.x)
        values = shared.value(points, state.t1, state.t2, state.c)
        better = values < value[rows]
        x[rows[better]], value[rows[better]] = points[better], values[better]
        bounds = shared.bound(state.Z, state.t1, state.t2, state.c)
        higher = bounds > bound[rows]
        bound[rows[higher]] = bounds[higher]
        pull[rows[higher]] = state.Z[0][higher] - state.Z[2][higher]
        multiplier[rows] = state.z[:, 0]
        active = value[rows] - bound[rows] > shared.tolerance * (1.0 + np.abs(value[rows]))
        active &= np.isfinite(values)
        if iteration == limit or not active.any():
            break
        if not active.all():  # finished problems leave the batch
            state.keep(active)
        with np.errstate(all="ignore"):  # a problem whose numbers break down keeps what it has
            # Mehrotra's predictor: the direction to complementarity 0
            system = _Linearised(shared, state)
            middle = -system.middle if shared.ball else state.z
            ahead = system.direction(-state.Z * state.X, -state.V * state.Y, middle)
            t = np.minimum(1.0, system.longest(ahead))
            # how far it leads says how much to centre
            mu = system.mean(np.zeros_like(t), ahead)
            target = mu * np.clip(system.mean(t, ahead) / mu, 0.0, 1.0) ** 3
            # corrector: to the centred target, the curvature along the predictor counted
            step = system.corrected(ahead, target)
            t = np.minimum(1.0, STEP * system.longest(step))
            u, (dx, dX, dZ, dY, dV, _, dz) = t[:, None], step
            state.x, state.z = state.x + u * dx, state.z + u * dz
            state.X, state.Z = state.X + u * dX, state.Z + u * dZ
            state.Y, state.V = state.Y + t * dY, state.V + t * dV
    return x, value, bound, multiplier, pull


Direction = tuple[FloatArray, ...]  # changes of x, X, Z, Y, V, s = (1, w) and z


class _Linearised:
    """The optimality conditions of each problem of a state, linearised at its point.

    D is for the pairs of hinge sides, and M (B, r + 1, r + 1) is the matrix of the normal
    equations. ``cone`` and ``middle`` are the scaling of Nesterov and Todd, and the scaled point of
    the cone.
    """

    def __init__(self, shared: _Shared, state: _State) -> None:
        self.shared, self.state = shared, state
        x, z, Y, V = state.x, state.z, state.Y, state.V
        self.quotient = state.X / state.Z
        self.D = 1.0 / (self.quotient[0::2] + self.quotient[1::2])
        w = x[:, :-1]
        self.beta = state.Z[0] - state.Z[2] - state.c
        self.M = shared.gram(self.D[0] + self.D[1])
        diagonal = np.arange(w.shape[1])
        self.M[:, diagonal, diagonal] += shared.price
        self.M[:, -1, -1] += V[0] / Y[0] + V[1] / Y[1]
        self.gradient = np.concatenate(
            [shared.price * w - z[:, 1:], (V[1] - V[0])[:, None]], axis=1
        )
        self.s = np.concatenate([np.ones((len(x), 1)), w], axis=1)
        if shared.ball:
            self.cone = ConeScaling(self.s, z)
            self.middle = self.cone.times(z)
            self.M[:, diagonal, diagonal] += (1.0 / self.cone.eta**2)[:, None]
            v = self.cone.v[:, 1:] * (np.sqrt(2.0) / self.cone.eta)[:, None]
            self.M[:, :-1, :-1] += v[:, :, None] * v[:, None, :]

    def direction(self, R: FloatArray, S: FloatArray, T: FloatArray) -> Direction:
        """The move that changes Z X by R, V Y by S and the scaled pair of the cone by T."""
        state, D, F = self.state, self.D, self.shared.F
        share = R / state.Z
        a = D[0] * (share[0] - share[1]) - D[1] * (share[2] - share[3])
        right = (self.beta + a) @ F - self.gradient
        right[:, -1] += S[0] / state.Y[0] - S[1] / state.Y[1]
        if self.shared.ball:
            pull = self.cone.over(T)
            right[:, :-1] += pull[:, 1:]
        dx = solve_each(self.M, right)
        dh = dx @ F.T
        dp, dq = D[0] * (share[0] - share[1] - dh), D[1] * (share[2] - share[3] + dh)
        dZ = np.stack([dp, -dp, dq, -dq])
        dY = np.stack([dx[:, -1], -dx[:, -1]])
        ds = np.concatenate([np.zeros((len(dx), 1)), dx[:, :-1]], axis=1)
        dz = np.zeros_like(state.z)
        if self.shared.ball:
            dz = pull - self.cone.over(self.cone.over(ds))
        return dx, share - self.quotient * dZ, dZ, dY, (S - state.V * dY) / state.Y, ds, dz

    def corrected(self, ahead: Direction, target: FloatArray) -> Direction:
        """The direction to complementarity ``target`` (B,), with curvature along ``ahead``."""
        state = self.state
        _, dX, dZ, dY, dV, ds, dz = ahead
        T = state.z
        if self.shared.ball:
            T = -product(self.middle, self.middle)
            T = T - product(self.cone.over(ds), self.cone.times(dz))
            T[:, 0] += target
            T = divide(self.middle, T)
        R = target[:, None] - state.Z * state.X - dZ * dX
        return self.direction(R, target - state.V * state.Y - dV * dY, T)

    def longest(self, direction: Direction) -> FloatArray:
        """The largest step (B,), at most 1 / STEP, that keeps all variables positive."""
        state, (_, dX, dZ, dY, dV, ds, dz) = self.state, direction
        rates = [(-dX / state.X).max(axis=(0, 2)), (-dZ / state.Z).max(axis=(0, 2))]
        rates += [(-dY / state.Y).max(axis=0), (-dV / state.V).max(axis=0)]
        if self.shared.ball:
            rates += [rate_out(self.s, ds), rate_out(state.z, dz)]
        return np.asarray(1.0 / np.maximum(np.max(rates, axis=0), STEP))

    def mean(self, t: FloatArray, direction: Direction) -> FloatArray:
        """Mean complementarity (B,) after a step t (B,)."""
        state = self.state
        u, (_, dX, dZ, dY, dV, ds, dz) = t[:, None], direction
        total = np.einsum("kij,kij->i", state.X + u * dX, state.Z + u * dZ)
        total += ((state.Y + t * dY) * (state.V + t * dV)).sum(axis=0)
        total += dot(self.s + u * ds, state.z + u * dz) if self.shared.ball else 0.0
        pairs = 4 * state.X.shape[2] + 2 + self.shared.ball
        return np.asarray(total / pairs, dtype=np.float64)


class ConeScaling:
    """The scaling W of Nesterov and Todd, with W z = W^-1 s, for two points s, z (B, k).

    The points are inside the second-order cone {u = (u_0, u_1): |u_1| <= u_0}.
    """

    def __init__(self, s: FloatArray, z: FloatArray) -> None:
        sizes = [np.sqrt(_square(u)) for u in (s, z)]
        s, z = s / sizes[0][:, None], z / sizes[1][:, None]
        self.eta = np.sqrt(sizes[0] / sizes[1])
        v = s + mirror(z)
        self.v = v / np.sqrt(2.0 * (1.0 + dot(s, z)))[:, None]

    def times(self, u: FloatArray) -> FloatArray:
        """The product W u."""
        return self.eta[:, None] * self._apply(self.v, u)

    def over(self, u: FloatArray) -> FloatArray:
        """The product W^-1 u."""
        return self._apply(mirror(self.v), u) / self.eta[:, None]

    @staticmethod
    def _apply(v: FloatArray, u: FloatArray) -> FloatArray:
        along = dot(v[:, 1:], u[:, 1:])
        head = v[:, 0] * u[:, 0] + along
        tail = u[:, 1:] + v[:, 1:] * (u[:, 0] + along / (1.0 + v[:, 0]))[:, None]
        return np.concatenate([head[:, None], tail], axis=1)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """The inner products a'b (B,)."""
    products: FloatArray = np.einsum("ij,ij->i", a, b)
    return products


def lorentz(a: FloatArray, b: FloatArray) -> FloatArray:
    """The products a_0 b_0 - a_1'b_1 (B,); for a = b they are positive inside the cone."""
    return 2.0 * a[:, 0] * b[:, 0] - dot(a, b)


def _square(a: FloatArray) -> FloatArray:
    """a_0^2 - |a_1|^2 (B,), kept positive."""
    # u_0^2 - |u_1|^2 is rounding below this share of u_0^2
    floored: FloatArray = np.maximum(lorentz(a, a), 1e-22 * a[:, 0] ** 2)
    return floored


def mirror(a: FloatArray) -> FloatArray:
    """The mirrored vector (a_0, -a_1)."""
    return np.concatenate([a[:, :1], -a[:, 1:]], axis=1)


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """The product (a'b, a_0 b_1 + b_0 a_1) in the algebra of the cone."""
    return np.concatenate([dot(a, b)[:, None], a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]], axis=1)


def divide(a: FloatArray, b: FloatArray) -> FloatArray:
    """The solution u of a u = b in the algebra of the cone."""
    head = lorentz(a, b) / _square(a)
    tail = (b[:, 1:] - head[:, None] * a[:, 1:]) / a[:, :1]
    return np.concatenate([head[:, None], tail], axis=1)


def rate_out(a: FloatArray, d: FloatArray) -> FloatArray:
    """The inverse 1 / t (B,) of the largest step t with a + t d in the cone.

    It is at most 0 if t is unbounded.
    """
    size, middle = _square(a), lorentz(a, d)
    root = middle**2 - size * lorentz(d, d)
    rate: FloatArray = np.where(root < 0, 0.0, (np.sqrt(np.maximum(root, 0.0)) - middle) / size)
    return rate


def solve_each(M: FloatArray, right: FloatArray) -> FloatArray:
    """The solution M^-1 right for each problem.

    If a matrix is singular, the diagonals are increased.
    """
    try:
        return np.asarray(np.linalg.solve(M, right[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        largest = np.einsum("ikk->ik", M).max(axis=1)
        # lifts a matrix that is singular to rounding, relative to its largest entry
        shifted = M + (1e-14 * largest)[:, None, None] * np.eye(M.shape[1])
        return np.asarray(np.linalg.solve(shifted, right[:, :, None])[:, :, 0])
