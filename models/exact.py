"""Kernel values in exact arithmetic. This is possible because floating-point numbers are rational.

``linear`` and ``poly`` have rational values n / 2^places. ``rbf`` and ``laplace`` have irrational
values. For these kernels, n is the floor of 2^places K(x, z), so K is in [n, n + 1] / 2^places. It
is computed by ball arithmetic of increasing precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from operator import mul, sub
from types import MappingProxyType
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError, SolverMissingError, pip_install
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.models.kernels import RBF, KernelFunction, Laplace, Linear, Polynomial

BITS = 128  # places of values that are enclosed
CENTRES_AT_ONCE = 64  # columns held at once
KEPT = 1 << 21  # inner products that are kept

Enclosure = tuple[Fraction, Fraction]


def flint() -> Any:
    """The module of python-flint. Raises SolverMissingError if it is not installed."""
    try:
        import flint
    except ImportError:
        raise SolverMissingError(f"python-flint is not installed: {pip_install('exact')}") from None
    return flint


def integers(values: FloatArray) -> tuple[list[Any], int]:
    """Integers n and the smallest common exponent e >= 0 with values = n / 2^e."""
    # the denominators of floats are powers of two
    ratios = [value.as_integer_ratio() for value in values.ravel().tolist()]
    e = max((q.bit_length() - 1 for _, q in ratios), default=0)
    numbers = np.array([p << (e + 1 - q.bit_length()) for p, q in ratios], dtype=object)
    plain: list[Any] = numbers.reshape(values.shape).tolist()
    return plain, e


def square_root(q: Fraction, bits: int) -> Enclosure:
    """The nearest numbers n / 2^bits below and above the root of q >= 0.

    If the root is such a number, both are the root.
    """
    # an integer root is exact from below
    n = math.isqrt((q.numerator << 2 * bits) // q.denominator)
    low = Fraction(n, 1 << bits)
    return low, low if low * low == q else Fraction(n + 1, 1 << bits)


def has_enclosure(kernel: KernelFunction) -> bool:
    """Whether this module computes exact values or enclosures of a kernel."""
    return isinstance(kernel, Linear | Polynomial | RBF | Laplace)


def exponential_floor(n: int, shift: int, bits: int) -> int:
    """The integer floor(2^bits exp(-n / 2^shift)) for n >= 0."""
    if n == 0:
        return 1 << bits
    library = flint()
    size = max(0, n.bit_length() - shift)
    if size > 64:
        return 0
    # the ball is narrowed until it holds one integer part
    precision = bits + 40 + size  # further bits that a ball starts with
    while True:
        with library.ctx.workprec(precision):
            ball = library.arb((-n, -shift)).exp() * library.arb((1, bits))
            floor = ball.floor().unique_fmpz()
        if floor is not None:
            return int(floor)
        precision *= 2


class ExactKernels:
    """Kernels between points X (m, d) and centres: the points and ``extra`` (c - m, d).

    ``points`` contains all centres as integers over 2^e. ``fixed`` contains the values (m, c) of
    given kernels by their indices in ``kernels``. Raises OptionError for a kernel without an
    enclosure.
    """

    def __init__(
        self,
        kernels: Sequence[KernelFunction],
        X: FloatArray,
        extra: FloatArray | None = None,
        fixed: Mapping[int, FloatArray] = MappingProxyType({}),
    ):
        for k, kernel in enumerate(kernels):
            if k not in fixed and not has_enclosure(kernel):
                raise OptionError(
                    f"kernel {kernel.name} is not proved: expected linear, poly, rbf or laplace"
                )
        if X.ndim != 2:
            raise DataError("points that are not vectors are not proved")
        # a proof is about the kernel, wherever its width came from
        self.kernels = tuple(replace(k, scaled=False) if isinstance(k, RBF) else k for k in kernels)
        self.m = len(X)
        centres = X if extra is None else np.concatenate([X, extra])
        self.points, self.e = integers(centres)
        self.features = centres.shape[1]
        self._fixed = {k: integers(values.T) for k, values in fixed.items()}

    @property
    def c(self) -> int:
        """The number of centres."""
        return len(self.points)

    def wide(self, k: int) -> int:
        """The width of the enclosures of kernel k: 0 if its values are exact, otherwise 1."""
        return int(k not in self._fixed and isinstance(self.kernels[k], RBF | Laplace))

    def places(self, k: int) -> int:
        """The number of binary places of the values of kernel k."""
        # a product of two points has 2e places, its k-th power 2ek
        kernel = self.kernels[k]
        if k in self._fixed:
            return self._fixed[k][1]
        if isinstance(kernel, Linear | Polynomial):
            return 2 * self.e * getattr(kernel, "degree", 1)
        return BITS

    def _base(self, k: int, start: int, stop: int) -> list[list[int]]:
        """Base values between the points and the centres from start to stop."""
        kernel = self.kernels[k]
        if k in self._fixed:
            return self._fixed[k][0][start:stop]
        if isinstance(kernel, Laplace):
            return [
                [sum(map(abs, map(sub, x, z))) for x in self.points[: self.m]]
                for z in self.points[start:stop]
            ]
        # |x - z|^2 from inner products
        is_small = self.c * self.m <= KEPT
        rows = self._products[start:stop] if is_small else self._inner(self.points[start:stop])
        if not isinstance(kernel, RBF):
            return rows
        squares = self.squares
        return [
            [
                squares[start + j] + square - 2 * value
                for square, value in zip(squares, row, strict=False)
            ]
            for j, row in enumerate(rows)
        ]

    def _inner(self, centres: list[list[int]]) -> list[list[int]]:
        """Inner products of the points and these centres, times 4^e."""
        products = (flint().fmpz_mat(centres) * self._transposed).tolist()
        return [[int(value) for value in row] for row in products]

    @cached_property
    def _transposed(self) -> Any:
        return flint().fmpz_mat(self.points[: self.m]).transpose()

    @cached_property
    def _products(self) -> list[list[int]]:
        return self._inner(self.points)

    @cached_property
    def squares(self) -> list[int]:
        """The squared norms of the centres, times 4^e."""
        return [sum(value * value for value in z) for z in self.points]

    def of_base(self, k: int) -> Callable[[int], int]:
        """The function from the base values to the values of kernel k, as integers."""
        kernel = self.kernels[k]
        if k in self._fixed or isinstance(kernel, Linear):
            return int
        if isinstance(kernel, Polynomial):
            unit, degree = 1 << 2 * self.e, kernel.degree
            return lambda base: (base + unit) ** degree
        assert isinstance(kernel, RBF | Laplace)
        numerator, denominator = kernel.gamma.as_integer_ratio()
        shift = self.e * (2 if isinstance(kernel, RBF) else 1) + denominator.bit_length() - 1
        return lambda base: exponential_floor(base * numerator, shift, BITS)

    def columns(self, k: int) -> Iterator[list[int]]:
        """Yield the column (m,) of each centre."""
        value = self.of_base(k)
        for start in range(0, self.c, CENTRES_AT_ONCE):
            poll()
            for row in self._base(k, start, min(self.c, start + CENTRES_AT_ONCE)):
                yield [value(base) for base in row]

    def column(self, k: int, j: int) -> list[int]:
        """The column (m,) of centre j."""
        value = self.of_base(k)
        return [value(base) for base in self._base(k, j, j + 1)[0]]

    def diagonal(self, k: int) -> list[Fraction]:
        """The values K(z, z) of the centres (c,)."""
        if k in self._fixed:
            values, e = self._fixed[k]
            return [Fraction(values[i][i], 1 << e) for i in range(self.m)]
        if self.wide(k):
            return [Fraction(1)] * self.c
        value, unit = self.of_base(k), 1 << self.places(k)
        return [Fraction(value(square), unit) for square in self.squares]

    def edges(self, k: int, weights: Sequence[int]) -> list[int]:
        """An upper bound on |sum_i weights_i K_k(x_i, z_j)| 2^places (c,), for signed weights
        (m,)."""
        # points without a weight add nothing
        support = [i for i, weight in enumerate(weights) if weight]
        numbers = [weights[i] for i in support]
        doubt = self.wide(k) * sum(map(abs, weights))
        value, sizes = self.of_base(k), list[int]()
        for start in range(0, self.c, CENTRES_AT_ONCE):
            poll()
            for row in self._base(k, start, min(self.c, start + CENTRES_AT_ONCE)):
                column = [value(row[i]) for i in support]
                sizes.append(abs(sum(map(mul, numbers, column))) + doubt)
        return sizes
