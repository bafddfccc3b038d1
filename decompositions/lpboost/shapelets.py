"""Hypotheses over the patterns of labelled series: h_u(x) = max_j <u, Phi(x^(j))>."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from radprog.instances.bags import Bags, windows
from radprog.instances.errors import DataError, OptionError
from radprog.instances.types import FloatArray, IntArray
from radprog.models.lpboost.patterns import (
    LazyGram,
    PatternKernel,
    PatternTable,
    pattern_table,
    z_normalized,
)
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.settings import LPBoost


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """The patterns of one length with their kernel.

    features (n, m): radius max_j K(z_k, x_i^j) / |Phi(z_k)|, the values of the single shapelet k.
    """

    length: int
    table: PatternTable
    kernel: PatternKernel
    features: FloatArray
    gram: LazyGram

    @property
    def n(self) -> int:
        """Number of patterns."""
        return len(self.features)

    @property
    def shift(self) -> float:
        """What was subtracted from every number of the patterns."""
        return self.table.shift


@dataclass(frozen=True, kw_only=True, eq=False)
class Hypothesis:
    """sign * max_j sum_k alpha_k K(z_k, x^(j)) over patterns k (r,) of a family.

    values (m,): on the training rows, sign included.
    """

    family: int
    sign: float
    patterns: IntArray
    alpha: FloatArray
    values: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Shapelets:
    """One family per length, labels and nu, and the radius of the ball of hypotheses."""

    families: tuple[Family, ...]
    margin: SoftMargin
    radius: float

    @property
    def m(self) -> int:
        """Number of series."""
        return self.margin.m

    @property
    def n(self) -> int:
        """Number of patterns of all lengths."""
        return sum(family.n for family in self.families)

    def single(self, family: int, pattern: int, sign: float) -> Hypothesis:
        """The shapelet u = radius Phi(z) / |Phi(z)|, or the negative of its hypothesis."""
        chosen = self.families[family]
        norm = float(chosen.kernel.norms(chosen.table.stacked[[pattern]])[0])
        return Hypothesis(
            family=family,
            sign=sign,
            patterns=np.array([pattern], dtype=np.intp),
            alpha=np.array([self.radius / norm if norm > 0 else 0.0]),
            values=sign * chosen.features[pattern],
        )

    def combination(
        self, family: int, patterns: IntArray, alpha: FloatArray, sign: float = 1.0
    ) -> Hypothesis:
        """The hypothesis of coefficients alpha (r,) on patterns (r,), evaluated."""
        scores = self.families[family].gram.combine(patterns, alpha)
        values = scores.reshape(self.m, -1).max(axis=1)
        return Hypothesis(
            family=family, sign=sign, patterns=patterns, alpha=alpha, values=sign * values
        )


Tables = Mapping[int, PatternTable]


def pattern_tables(specs: Sequence[LPBoost], data: Bags) -> dict[int, PatternTable]:
    """One table per length that the specs use; all must share pattern kernel and normalize."""
    found: dict[int, PatternTable] = {}
    first = specs[0]
    for spec in specs:
        if (spec.pattern_kernel, spec.normalize) != (first.pattern_kernel, first.normalize):
            raise OptionError("tables are shared by specs of one pattern kernel and normalize only")
        for length in pattern_lengths(spec, data):
            choose = spec.pattern_kernel == "gauss" and spec.fixed_sigma is None
            known = found.get(length)
            if known is None or (choose and known.moments is None):
                patterns = windows(data.X, data.kind, length)
                if spec.normalize:
                    patterns = z_normalized(patterns)
                found[length] = pattern_table(spec.pattern_kernel, patterns, moments=choose)
    return found


def pattern_lengths(spec: LPBoost, data: Bags) -> tuple[int, ...]:
    """The lengths of a spec on these data; that of the patterns for bags."""
    if data.kind == "series":
        return spec.lengths(data.span)
    if spec.length is not None:
        raise OptionError(
            f"length '{spec.length}' given, but the patterns of these bags have {data.span} numbers"
        )
    return (data.span,)


def assemble(
    spec: LPBoost, data: Bags, tables: Tables | None = None, rows: IntArray | None = None
) -> Shapelets:
    """Families and labels of a data set.

    tables: of a larger data set of which these are the ``rows``. Raises DataError, OptionError.
    """
    y = data.signs
    if len(np.unique(y)) < 2:
        raise DataError(f"{data.name}: all rows are of one class, expected both")
    if tables is None:
        tables = pattern_tables([spec], data)
    families = []
    for length in pattern_lengths(spec, data):
        table = tables[length] if rows is None else tables[length].take(rows)
        sigma = None
        if spec.pattern_kernel == "gauss":
            sigma = table.sigma() if spec.fixed_sigma is None else spec.fixed_sigma
        kernel = PatternKernel(kind=spec.pattern_kernel, sigma=sigma)
        families.append(
            Family(
                length=length,
                table=table,
                kernel=kernel,
                features=spec.radius * table.features(kernel),
                gram=LazyGram(kernel, table.stacked),
            )
        )
    return Shapelets(
        families=tuple(families), margin=SoftMargin(y=y, nu=spec.nu), radius=spec.radius
    )
