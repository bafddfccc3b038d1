"""What a bound that a theorem gives is made of, whatever the paper; the exact binomial limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from radprog.base.errors import OptionError

DELTA = 0.05  # probability that a bound fails, where none is given
DELTA_HELP = "probability that an error bound may fail; of a grid, share it out"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound with what it is made of.

    value: of a probability of error, an excess risk or a complexity; terms: its summands, where it
    is a sum. form: printed or corrected, where the paper's letter and its mended form are both
    told. caveats: what the theorem needs and the data cannot show, or what is left out.
    parameters: what it was computed from. trivial: a value from which on it says nothing.
    """

    name: str
    value: float
    terms: Mapping[str, float] = field(default_factory=dict)
    form: str | None = None
    caveats: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    trivial: float = 1.0

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing."""
        return not self.value < self.trivial

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with ``vacuous``; ``form`` where there is one."""
        return {
            "name": self.name,
            **({} if self.form is None else {"form": self.form}),
            "value": self.value,
            "terms": dict(self.terms),
            "vacuous": self.vacuous,
            "caveats": self.caveats,
            "parameters": dict(self.parameters),
        }


def check_delta(delta: float) -> None:
    """OptionError unless delta lies strictly between 0 and 1."""
    if not 0 < delta < 1:
        raise OptionError(f"delta {delta:g}: expected a probability strictly between 0 and 1")


def binomial_upper(errors: int, n: int, delta: float) -> float:
    """Exact upper limit of an error probability after ``errors`` among n independent test points.

    The largest q with P(Binomial(n, q) <= errors) >= delta, that is the (1 - delta) quantile of
    Beta(errors + 1, n - errors), and 1 where errors = n (Clopper and Pearson, one-sided).
    Raises OptionError for n = 0, errors outside 0..n or delta outside (0, 1).
    """
    check_delta(delta)
    if n < 1 or not 0 <= errors <= n:
        raise OptionError(
            f"{errors} errors among {n} test points: expected 0 <= errors <= n, n > 0"
        )
    # a quantile of a beta distribution: Clopper and Pearson
    from scipy.special import betainccinv  # slow to import

    return 1.0 if errors == n else float(betainccinv(errors + 1, n - errors, delta))
