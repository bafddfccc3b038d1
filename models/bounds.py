"""The common form of all theorems' bounds, and the exact binomial limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray

DELTA = 0.05  # probability that a bound fails, where none is given
DELTA_HELP = "probability that an error bound fails; divide it by the number of fits in a grid"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound with its parts.

    - value: the bound on an error probability, an excess risk or a complexity.
    - terms: the summands of the value, if it is a sum.
    - caveats: conditions of the theorem that data cannot verify, and omitted terms.
    - parameters: the quantities in the formula.
    - trivial: the smallest vacuous value.
    """

    name: str
    value: float
    terms: Mapping[str, float] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    trivial: float = 1.0

    @staticmethod
    def summed(name: str, terms: Mapping[str, float], **fields: Any) -> Bound:
        """A bound whose value is the sum of its terms."""
        return Bound(name=name, value=sum(terms.values()), terms=terms, **fields)

    @property
    def vacuous(self) -> bool:
        """Whether the bound is at least ``trivial`` and therefore uninformative."""
        return not self.value < self.trivial

    def to_dict(self) -> dict[str, Any]:
        """The bound as JSON values, including ``vacuous``."""
        return {
            "name": self.name,
            "value": self.value,
            "terms": dict(self.terms),
            "vacuous": self.vacuous,
            "caveats": self.caveats,
            "parameters": dict(self.parameters),
        }


def ramp(t: FloatArray) -> FloatArray:
    """The ramp function: 1 for t < 0, 1 - t on [0, 1], and 0 for t > 1."""
    return np.asarray(np.clip(1.0 - t, 0.0, 1.0))


def trace_bound(
    name: str,
    margin: FloatArray,
    parts: Sequence[tuple[float, FloatArray]],
    delta: float,
    *,
    gamma: float = 1.0,
    caveats: tuple[str, ...] = (),
) -> Bound:
    """A bound on the error of f = sum_p w_p'phi_p, |w_p| <= B_p, from margins y_i f(x_i) (n,).

    The bound is the mean of ramp(margin / gamma)
    + 4 / (n gamma) sum_p B_p sqrt(sum_i k_p(x_i, x_i))
    + (8 r / gamma + 1) sqrt(log(4/delta) / (2n)).

    ``parts`` contains B_p and the diagonal (n,) of each kernel. Here r = max(1, R sum_p B_p), where
    R^2 is the largest diagonal entry of all kernels. For one kernel this is Theorem 21 of P. L.
    Bartlett and S. Mendelson, Rademacher and Gaussian Complexities (2002).
    """
    check_delta(delta)
    if not gamma > 0:
        raise OptionError(f"gamma {gamma:g}: expected a number > 0")
    # traces of the parts bound the empirical complexity; the range of f scales the deviation
    n, total = len(margin), sum(B for B, _ in parts)
    spread = sum(B * math.sqrt(float(diagonal.sum())) for B, diagonal in parts)
    reach = total * math.sqrt(max(float(diagonal.max(initial=0.0)) for _, diagonal in parts))
    deviation = math.sqrt(math.log(4 / delta) / (2 * n))
    terms = {
        "empirical_error": float(ramp(margin / gamma).mean()),
        "complexity": 4 * spread / (n * gamma),
        "confidence": (8 * max(1.0, reach) / gamma + 1.0) * deviation,
    }
    norms = {f"B{p + 1}" if len(parts) > 1 else "B": B for p, (B, _) in enumerate(parts)}
    parameters = {"n": n, **norms, "range": reach, "gamma": gamma, "delta": delta}
    return Bound.summed(name, terms, caveats=caveats, parameters=parameters)


FITTED_SIZE = "B is that of the fit, while the theorem fixes it in advance"


def check_delta(delta: float) -> None:
    """Raise OptionError unless delta lies strictly between 0 and 1."""
    if not 0 < delta < 1:
        raise OptionError(f"delta {delta:g}: expected a probability strictly between 0 and 1")


def binomial_upper(errors: int, n: int, delta: float) -> float:
    """The exact upper limit of the error probability after ``errors`` errors on n test points.

    The test points are independent. The limit is the largest q with P(Binomial(n, q) <= errors) >=
    delta (Clopper and Pearson, one-sided). It is the (1 - delta) quantile of Beta(errors + 1,
    n - errors), or 1 if errors = n. Raises OptionError for n = 0, errors outside 0..n or delta
    outside (0, 1).
    """
    check_delta(delta)
    if n < 1 or not 0 <= errors <= n:
        raise OptionError(
            f"{errors} errors among {n} test points: expected 0 <= errors <= n, n > 0"
        )
    # a quantile of a beta distribution: Clopper and Pearson
    from scipy.special import betainccinv  # slow to import

    return 1.0 if errors == n else float(betainccinv(errors + 1, n - errors, delta))


def about_error(row: Mapping[str, Any]) -> bool:
    """Whether plain values of a bound are about an error, and not the complexity of a class."""
    return not str(row["name"]).startswith(("complexity", "fixed point"))
