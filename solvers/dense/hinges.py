"""Hinge regressions: the program, which two methods solve, and the solution of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray

Box = tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class HingeProgram:
    """A batch of B programs that share the matrix F and differ in their hinges and slopes:

        min_{w, b}  price/2 |w|^2 + sum_i u_i ((t1_i - h_i)_+ + (h_i - t2_i)_+) + c_i h_i
        s.t.        h = F w + b,  low <= b <= high,  and |w| <= radius where price = 0

    F (n, r); t1, t2, c (B, n); box = (low, high); a finite radius > 0, or a price > 0; costs u (n,)
    > 0, 1 each without; gram: F F' (n, n) where it is known. Raises DataError for other shapes,
    OptionError for other numbers.
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

    def __post_init__(self) -> None:
        n = len(self.F)
        shapes = self.t1.shape, self.t2.shape, self.c.shape
        if self.F.ndim != 2 or any(shape != (len(self.c), n) for shape in shapes):
            raise DataError(f"F {self.F.shape}, t1, t2, c {shapes}: expected (n, r) and (B, n)")
        if self.costs is not None and not (self.costs.shape == (n,) and (self.costs > 0.0).all()):
            raise DataError(f"costs {self.costs}: expected {n} numbers > 0")
        if self.gram is not None and self.gram.shape != (n, n):
            raise DataError(f"gram {self.gram.shape}: expected ({n}, {n})")
        if not (0.0 < self.price < np.inf or (self.price == 0.0 and 0.0 < self.radius < np.inf)):
            raise OptionError(
                f"price {self.price}, radius {self.radius}: expected a price > 0, or 0 with a "
                "finite radius > 0"
            )
        if not self.box[0] <= self.box[1]:
            raise OptionError(f"box {self.box}: expected its lower end first")

    def take(self, rows: Sequence[int] | IntArray) -> HingeProgram:
        """Some programs of the batch."""
        return replace(self, t1=self.t1[rows], t2=self.t2[rows], c=self.c[rows])


@dataclass(frozen=True)
class HingeSolution:
    """w (B, r), b (B,), value (B,) of the objective there, bound (B,) below every value.

    multiplier (B,): of |w|^2/2 <= radius^2/2; as a price it gives the same minimiser. pull (B, n):
    p - q of the hinges behind the bound, how strongly each h_i is pulled up.
    """

    w: FloatArray
    b: FloatArray
    value: FloatArray
    bound: FloatArray
    multiplier: FloatArray
    pull: FloatArray

    def take(self, rows: IntArray) -> HingeSolution:
        """Some solutions of the batch."""
        return HingeSolution(*(part[rows] for part in vars(self).values()))
