"""Hypotheses over the patterns of labelled series: h_u(x) = max_j <u, Phi(x^(j))>."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.bags import Bags
from radprog.instances.dataset import Dataset
from radprog.models.lpboost.cuts import PLAIN, Cut
from radprog.models.lpboost.features import Features, PatternTable, pattern_table
from radprog.models.lpboost.patterns import LazyGram, PatternKernel, centred, choose_sigma
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.settings import LEARNERS, TREES, LPBoost
from radprog.models.score_arrays import arrays_of

Rows: TypeAlias = Bags | Dataset
# bytes of one cut's tables up to which they are stored (500 series of 136 points, patterns of 27:
# 928 MiB and 7.9 s with tables, 310 MiB and 6.8 s by a screen, which no grid can share)
STORED_LIMIT = 1 << 29


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """The patterns (m, Q, l) of one cut and their kernel. ``shift`` was subtracted from all their
    values.

    ``values`` contains radius max_j K(z_k, x_i^j) / |Phi(z_k)| for the single shapelets k.
    ``table`` is the table from which they were computed, if it is stored. If only some patterns
    determined sigma, ``sample`` is their number.
    """

    cut: Cut
    patterns: FloatArray
    shift: float
    kernel: PatternKernel
    values: Features
    gram: LazyGram
    table: PatternTable | None = None
    sample: int | None = None

    @property
    def n(self) -> int:
        """Number of patterns."""
        return len(self.values)

    @property
    def stacked(self) -> FloatArray:
        """The patterns as an array (n, l)."""
        return self.patterns.reshape(self.n, -1)

    @property
    def features(self) -> FloatArray:
        """The values (n, m) of all single shapelets. Raises OptionError if the features are not
        stored.
        """
        return self.values.stored()


@dataclass(frozen=True, kw_only=True, eq=False)
class Hypothesis:
    """The hypothesis sign * max_j sum_k alpha_k K(z_k, x^(j)) over patterns k (r,) in a family.

    ``values`` (m,) are its values on the training rows, including the sign.
    """

    family: int
    sign: float
    patterns: IntArray
    alpha: FloatArray
    values: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Shapelets:
    """The problem: a family for each cut, the labels, nu, and the radius of the ball of
    hypotheses.
    """

    families: tuple[Family, ...]
    margin: SoftMargin
    radius: float

    @property
    def m(self) -> int:
        """Number of series."""
        return self.margin.m

    @property
    def n(self) -> int:
        """Total number of patterns in all cuts."""
        return sum(family.n for family in self.families)

    @property
    def all_priced(self) -> bool:
        """Whether all patterns are priced, and not only a sample."""
        return all(family.values.places is None for family in self.families)

    @property
    def largest(self) -> float:
        """The largest absolute value of a single shapelet."""
        return max(family.values.largest for family in self.families)

    def single(self, family: int, pattern: int, sign: float) -> Hypothesis:
        """The hypothesis of the shapelet u = radius Phi(z) / |Phi(z)|, or its negative."""
        chosen = self.families[family]
        norm = float(chosen.kernel.norms(chosen.stacked[[pattern]])[0])
        return Hypothesis(
            family=family,
            sign=sign,
            patterns=np.array([pattern], dtype=np.intp),
            alpha=np.array([self.radius / norm if norm > 0 else 0.0]),
            values=sign * chosen.values.rows(np.array([pattern]))[0],
        )

    def edge(self, hypothesis: Hypothesis, d: FloatArray) -> float:
        """The edge of a hypothesis at row weights d (m,), or at z = (d, mu) (m + R,)."""
        return float(self.margin.edges(hypothesis.values[None, :], d)[0])

    def combination(
        self, family: int, patterns: IntArray, alpha: FloatArray, sign: float = 1.0
    ) -> Hypothesis:
        """The hypothesis with coefficients alpha (r,) on patterns (r,), with its values.

        The kernel rows are computed again, so that ``check`` can reproduce them. In rows stored by
        a search, the last digits depend on the order of the requests.
        """
        chosen = self.families[family]
        scores = LazyGram(chosen.kernel, chosen.stacked).combine(patterns, alpha)
        values = scores.reshape(self.m, -1).max(axis=1)
        return Hypothesis(
            family=family, sign=sign, patterns=patterns, alpha=alpha, values=sign * values
        )


def require_bags(spec: LPBoost, data: Rows) -> Bags:
    """The data, if they are series or bags. Raises OptionError for a table and for a learner for
    tables.
    """
    if spec.trees:
        raise OptionError(
            f"learner '{spec.learner}' works on tables, and this needs patterns: expected one of "
            f"{', '.join(LEARNERS)}"
        )
    if not isinstance(data, Bags):
        raise OptionError(
            f"learner '{spec.learner}' takes series or bags, which rp.series and rp.bags make: "
            f"{type(data).__name__} given, which {' and '.join(TREES)} take"
        )
    return data


def stored_table(spec: LPBoost, data: Bags, cut: Cut) -> PatternTable:
    """The table of one cut. Raises DataError if the table exceeds the memory."""
    m, n = sizes_of(data, cut)
    check_memory(32 * m * n, "tables", data, cut)
    patterns = cut.patterns(data.X, data.kind, normalize=spec.normalize)
    return pattern_table(spec.pattern_kernel, patterns, farthest=not spec.exact)


def sizes_of(data: Bags, cut: Cut) -> tuple[int, int]:
    """The number m of series and the number n of patterns of a cut."""
    per_series = data.span - cut.length + 1 if data.kind == "series" else data.X.shape[1]
    return data.rows, data.rows * per_series


def memory() -> int | None:
    """The memory of this computer in bytes, or None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def check_memory(size: int, content: str, data: Bags, cut: Cut) -> None:
    """Raise DataError if a cut requires more memory than this computer has."""
    m, n = sizes_of(data, cut)
    if size > (memory() or size):
        raise DataError(
            f"{data.name}: the {content} of {n} patterns of {cut.length} points on {m} series need "
            f"{size / 1e9:.3g} GB, more than the memory: take longer patterns or fewer series"
            + (", or learner shapelet" if content == "tables" else "")
        )


def uses_screen(spec: LPBoost, data: Bags, cut: Cut) -> bool:
    """Whether the values of a cut's shapelets are stored as a single-precision screen.

    A screen is used for exact pricing if the tables would exceed STORED_LIMIT.
    """
    # 8 bytes a number: nearest, farthest, features, and one more table to compute them
    m, n = sizes_of(data, cut)
    return spec.exact and 32 * m * n > STORED_LIMIT


def pattern_cuts(spec: LPBoost, data: Bags) -> tuple[Cut, ...]:
    """The cuts of a spec on these data. For bags, this is the single cut of their patterns."""
    if data.kind == "series":
        return spec.cuts(data.span)
    if spec.families != PLAIN:
        raise OptionError(
            f"families '{spec.families}' given, but the patterns of bags are taken as they are"
        )
    if spec.length is not None:
        raise OptionError(
            f"length '{spec.length}' given, but the patterns of these bags have {data.span} numbers"
        )
    return (Cut(length=data.span),)


def assemble(
    spec: LPBoost,
    data: Bags,
    table_of: Callable[[Cut], PatternTable] | None = None,
    work: float | None = None,
) -> Shapelets:
    """The problem of a data set.

    ``table_of`` is a function that returns the shared table of a cut. If ``work`` is given, only a
    sample of patterns is priced, whose values take this number of products. Raises DataError and
    OptionError.
    """
    y = data.signs
    if len(np.unique(y)) < 2:
        raise DataError(f"{data.name}: all rows are of one class, expected both")
    families = []
    cuts = pattern_cuts(spec, data)
    for cut in cuts:
        # the patterns, with a table of distances where that is not too large
        table = None
        if work is not None or uses_screen(spec, data, cut):
            m, n = sizes_of(data, cut)
            check_memory((4 if work is None else 0) * m * n, "values", data, cut)
            raw = cut.patterns(data.X, data.kind, normalize=spec.normalize)
            patterns, shift = centred(spec.pattern_kernel, raw)
        else:
            table = stored_table(spec, data, cut) if table_of is None else table_of(cut)
            patterns, shift = table.patterns, table.shift
        # the width of the kernel, chosen on the training patterns alone
        sigma, sample = spec.fixed_sigma, None
        if spec.pattern_kernel == "gauss" and sigma is None:
            sigma, sample = choose_sigma(patterns, data.weights)
        kernel = PatternKernel(kind=spec.pattern_kernel, sigma=sigma)
        # values of the shapelets: a table, or a screen
        if work is not None:
            values = Features.sample(kernel, patterns, spec.radius, work / len(cuts))
        elif table is None:
            values = Features.screen(kernel, patterns, spec.radius)
        else:
            values = Features.of_table(kernel, table, spec.radius)
        families.append(
            Family(
                cut=cut,
                patterns=patterns,
                shift=shift,
                kernel=kernel,
                values=values,
                gram=LazyGram(kernel, patterns.reshape(len(values), -1)),
                table=table,
                sample=sample,
            )
        )
    return Shapelets(families=tuple(families), margin=margin_of(spec, data), radius=spec.radius)


def margin_of(spec: LPBoost, data: Rows) -> SoftMargin:
    """The margin problem of labelled rows, with the weights and constraints of a spec.

    Raises OptionError for a constraint that does not fit the series.
    """
    rows = arrays_of(spec.constraints, data.rows)
    return SoftMargin(y=data.signs, nu=spec.nu, rows=rows, weights=data.weights)
