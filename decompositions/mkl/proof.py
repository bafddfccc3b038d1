"""Multiple kernel learning in exact arithmetic: the values at the weights and dual points of a run.

The weights of the unnormalised kernels are scaled to their ball. Multipliers are clipped to their
box. Values of rational kernels, their traces, and norms with P = 1 are rational. Other values are
enclosed between rational numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import ExactPair
from radprog.decompositions.exact_svm import ExactSvm
from radprog.instances.dataset import Dataset, MklData
from radprog.models.exact import BITS, ExactKernels, flint
from radprog.models.kernels import parse_kernels
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.settings import DEFAULT_KERNELS, MKL
from radprog.solvers.dense.linear_systems import common

SPARE_LENGTH = Fraction(1, 1 << 180)  # by which lengths are overstated, relatively
PROVED: dict[str, tuple[Any, ...]] = {
    "variant": ("conv", "lp"),
    "loss": ("hinge",),
    "center": (False,),
    "multiclass": ("rest",),
}  # settings with the values that are proved


def prove_mkl(spec: MKL, data: MklData, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored weights and dual points, with their objective and bound in exact arithmetic.

    Tail sums for theta > 0 are taken from the result without proof. Raises OptionError if settings,
    kernels or data are unsupported. Raises DataError if the result has no dual point.
    """
    for name, proved in PROVED.items():
        if getattr(spec, name) not in proved:
            raise OptionError(
                f"mkl is proved with {name} {' or '.join(map(str, proved))}, not "
                f"{getattr(spec, name)}"
            )
    if not isinstance(data, Dataset) or data.kind != "dataset":
        raise OptionError(f"{data.name}: a proof is about one table, not views or kernel matrices")
    if evidence["dual"] is None:
        raise DataError(
            "the result holds no dual point, so there is no bound to prove: solve to the end"
        )
    # kernel values as integers over a power of two, each with the doubt about it
    exact = ExactKernels(parse_kernels(spec.kernels or DEFAULT_KERNELS), data.X)
    kernels = kernel_set(spec, data)
    # T(K) of the unnormalised kernels, or None if each T(K) is the trace of its kernel
    tails: list[float] | None = None
    if spec.variant == "lp" and spec.normalize != "trace":
        tails = [1.0] * kernels.M
    elif spec.variant == "conv" and spec.cutoff:
        tails = (kernels.tails(spec.cutoff) / kernels.factors).tolist()
    work = _ExactMixture(spec, exact, data.signs.astype(int).tolist(), tails)
    a, dual = (np.asarray(evidence[key], dtype=np.float64).ravel() for key in ("a", "dual"))
    weights = np.asarray(evidence["weights"], dtype=np.float64)
    if weights.shape != (kernels.M,) or a.shape != dual.shape or len(a) != data.rows:
        raise DataError("the stored weights and dual points do not fit this data set")
    # weights of the raw kernels, as fractions
    factors = [*map(Fraction, kernels.factors.tolist())]
    raw = [Fraction(mu) * factor for mu, factor in zip(weights.tolist(), factors, strict=True)]
    return work.pair(raw, a, dual)


def length(x: Sequence[Fraction], p: Fraction) -> Fraction:
    """An upper bound on |x|_p for x >= 0; p = 0 means infinity.

    For infinity, the bound is exact. Otherwise its relative error is at most twice SPARE_LENGTH.
    """
    if p == 0 or not any(x):
        return max(x)
    total, library = sum(x, Fraction(0)), flint()
    if p != 1:
        # roots by interval arithmetic, rounded up
        with library.ctx.workprec(512):  # of powers and roots
            power = library.arb(library.fmpq(p.numerator, p.denominator))
            balls = [library.arb(library.fmpq(v.numerator, v.denominator)) for v in x if v]
            n, e = (sum(ball**power for ball in balls) ** (1 / power)).upper().man_exp()
        total = Fraction(int(n)) * Fraction(2) ** int(e)
    return total * (1 + SPARE_LENGTH)


@dataclass(frozen=True)
class _ExactMixture:
    """Exact values at weights and multipliers. y has shape (m,). ``tails`` (M,) contains T(K), or
    is None for the traces.
    """

    spec: MKL
    exact: ExactKernels
    y: list[int]
    tails: list[float] | None

    @property
    def budget(self) -> Fraction:
        """The bound on the norm of the products of weights and tail sums."""
        if self.spec.variant == "conv":
            return Fraction(self.spec.tail_bound(len(self.y)))
        return Fraction(len(self.y) if self.tails is None else 1)

    @cached_property
    def grams(self) -> list[list[list[int]]]:
        """The kernel matrices (M, m, m) as integers, each with its own number of binary places."""
        return [list(self.exact.columns(k)) for k in range(len(self.exact.kernels))]

    @cached_property
    def sizes(self) -> list[Fraction]:
        """The positive tail sums or traces t (M,)."""
        if self.tails is not None:
            return [*map(Fraction, self.tails)]
        return [sum(self.exact.diagonal(k), Fraction(0)) for k in range(len(self.exact.kernels))]

    def images(self, a: Sequence[int]) -> tuple[list[list[int]], list[int]]:
        """The products y * K_k z 2^places (M, m) for z = a * y, with a common number of binary
        places.

        Also returns the largest absolute error of the entries for each kernel (M,).
        """
        exact, z = self.exact, list(map(mul, a, self.y))
        places, products, doubts = self.places, list[list[int]](), list[int]()
        for k, gram in enumerate(self.grams):
            shift = places - exact.places(k)
            products.append(
                [y * sum(map(mul, z, row)) << shift for y, row in zip(self.y, gram, strict=True)]
            )
            doubts.append(exact.wide(k) * sum(a) << shift)
        return products, doubts

    @property
    def places(self) -> int:
        """The common number of binary places of all values."""
        return max(self.exact.places(k) for k in range(len(self.exact.kernels)))

    def pair(self, v: list[Fraction], a: FloatArray, dual: FloatArray) -> ExactPair:
        """The exact pair of weights v (M,) of the raw kernels and multipliers a and dual (m,)."""
        spec, m = self.spec, len(self.y)
        C, p, T = Fraction(spec.C), Fraction(spec.p), self.budget
        svm = ExactSvm(exact=self.exact, y=self.y, C=C, unit=Fraction(1), bias=not spec.no_bias)
        # multipliers inside their box, over one denominator
        alpha, over = common(svm.inside(a))
        ball = length([s * w / T for s, w in zip(self.sizes, v, strict=True)], p) or Fraction(1)
        # weights on their ball, rounded down to integers over a power of two
        shares = [w / ball for w in v]
        sizes = [s.numerator.bit_length() - s.denominator.bit_length() for s in shares if s]
        weight_unit = 1 << 2 * BITS + max(0, -min(sizes, default=0))
        weights = [int(share * weight_unit) for share in shares]
        images, doubts = self.images(alpha)
        scores = [sum(map(mul, weights, column)) for column in zip(*images, strict=True)]
        rounding, unit = sum(map(mul, weights, doubts)), over * weight_unit << self.places
        # |w|^2 and the losses, both rounded up by the doubt
        square = Fraction(sum(map(mul, alpha, scores)) + rounding * sum(alpha), over * unit)
        bias = svm.best_bias(scores, unit)
        losses = sum(
            max(Fraction(0), 1 - Fraction(s - rounding, unit) - sign * bias)
            for sign, s in zip(self.y, scores, strict=True)
        )
        # the dual point, and the norm ||q/t||_{p*} rounded up
        numbers, dual_unit = common(svm.inside(dual))
        images, doubts = self.images(numbers)
        dual_scale = dual_unit**2 << self.places
        slopes = [
            Fraction(sum(map(mul, numbers, image)) + error * sum(numbers), dual_scale) / size
            for image, error, size in zip(images, doubts, self.sizes, strict=True)
        ]
        norm = length(slopes, p / (p - 1) if p > 1 else Fraction(0)) or Fraction(1, m)
        return ExactPair(
            kernels=tuple(kernel.name for kernel in self.exact.kernels),
            settings={
                "C": spec.C,
                "norm": spec.p,
                "budget": float(T),
                "tails": self.tails,
                "bias": not spec.no_bias,
            },
            primal={
                "numbers": alpha,
                "over": over,
                "weights": weights,
                "below": weight_unit,
                "bias": bias,
            },
            dual={"numbers": numbers, "over": dual_unit, "norm": norm},
            objective=square / 2 + C * losses,
            bound=Fraction(sum(numbers), dual_unit) - T * norm / 2,
            vertex=False,
        )
