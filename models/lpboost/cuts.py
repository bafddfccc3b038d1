"""The patterns of a series: its windows, their differences, or thinned windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.instances.bags import BagKind, windows
from radprog.models.lpboost.patterns import z_normalized

PLAIN, DIFF, DILATED = "plain", "diff", "dilated:"
FAMILIES = f"{PLAIN}, {DIFF}, {DILATED}K with K >= 2"


@dataclass(frozen=True, kw_only=True, order=True)
class Cut:
    """The patterns of one length and family.

    For length l, a series of L points has one pattern at each of the L - l + 1 starts t:

    - ``plain``: the l points x_t, ..., x_{t+l-1}
    - ``diff``: the l - 1 differences x_{t+1} - x_t, ...
    - ``dilated:K``: the ceil(l / K) points x_t, x_{t+K}, ...
    """

    length: int
    family: str = PLAIN

    @property
    def step(self) -> int:
        """The number K of ``dilated:K``; 1 for other families."""
        return dilation(self.family)

    @property
    def name(self) -> str:
        """A name such as ``length 8`` or ``length 8 of diff``."""
        return f"length {self.length}" + ("" if self.family == PLAIN else f" of {self.family}")

    def patterns(self, X: FloatArray, kind: BagKind, *, normalize: bool) -> FloatArray:
        """The patterns (m, Q, r) of rows X for a kernel.

        With ``normalize`` each pattern has mean 0 and standard deviation 1. Raises OptionError
        under the conditions of :func:`radprog.instances.bags.windows`.
        """
        if self.family == DIFF:
            cut = windows(np.diff(X, axis=-1), kind, self.length - 1)
        else:
            cut = windows(X, kind, self.length, self.step)
        return z_normalized(cut) if normalize else cut

    def to_points(self, pattern: FloatArray, window: FloatArray, *, normalized: bool) -> FloatArray:
        """A pattern (r,) as ``length`` points, for a plot over its window (length,) of a series.

        Differences are summed, and the sums are shifted to the mean of the window. For
        ``dilated:K`` the intermediate points are interpolated.
        """
        points = self.patterns(window[None, :], "series", normalize=False)[0, 0]
        if normalized:
            pattern = pattern * points.std() + points.mean()
        if self.family == DIFF:
            path = np.append(0.0, np.cumsum(pattern))
            return np.asarray(path + (window.mean() - path.mean()))
        return np.interp(np.arange(self.length) / self.step, np.arange(len(pattern)), pattern)

    def to_dict(self) -> dict[str, Any]:
        """The cut as values for JSON: the length, and the family unless it is ``plain``."""
        return {"length": self.length, **({} if self.family == PLAIN else {"family": self.family})}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Cut:
        """The cut from the output of :meth:`to_dict`. Other entries are ignored."""
        (family,) = parse_families(str(values.get("family", PLAIN)))
        return Cut(length=int(values["length"]), family=family)


def dilation(family: str) -> int:
    """The number K of ``dilated:K``, or 1 for ``plain`` and ``diff``.

    Raises OptionError for any other family.
    """
    if family in (PLAIN, DIFF):
        return 1
    number = family.removeprefix(DILATED)
    if number == family or not number.isdecimal() or int(number) < 2:
        raise OptionError(f"unknown family of patterns '{family}': expected {FAMILIES}")
    return int(number)


def least_length(family: str) -> int:
    """The smallest length of patterns: 1 for ``plain``, 2 for ``diff``, K + 1 for ``dilated:K``."""
    return 1 if family == PLAIN else dilation(family) + 1


def cuts_of(families: Sequence[str], lengths: Sequence[int]) -> tuple[Cut, ...]:
    """A cut for each family and each length at which the family has patterns.

    Raises OptionError if a family has none.
    """
    for family in families:
        if max(lengths) < least_length(family):
            raise OptionError(
                f"family '{family}' has patterns of {least_length(family)} points or more, the "
                f"longest here have {max(lengths)}"
            )
    return tuple(
        Cut(length=length, family=family)
        for family in families
        for length in lengths
        if length >= least_length(family)
    )


def parse_families(text: str) -> tuple[str, ...]:
    """The distinct families in a string such as ``plain,diff,dilated:2``.

    Raises OptionError for an invalid string.
    """
    items = [item.strip() for item in text.split(",")]
    return tuple(dict.fromkeys(f"{DILATED}{k}" if (k := dilation(item)) > 1 else item
                               for item in items))  # fmt: skip
