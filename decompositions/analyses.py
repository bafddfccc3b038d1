"""Common parts of the analyses of a solved program, for several papers:

- the evaluation of other programs' solutions of exported forms
- prices of columns that are not in the program
- function classes and their suprema
- scores for choosing settings
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.loop import Reason
from radprog.models.complexity import Suprema, kernel_suprema, local_suprema

BOUND_ROUNDING = 1e-12  # relative: how far two evaluations of one bound may differ
Index = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class FormSolution:
    """A solution of one form: the values and the multipliers of rows, by component and index.

    An example is ``values["alpha_plus"][2, 5]``. The index of a scalar is (). Multipliers are d
    objective / d right-hand side of the exported minimisation problem, or None if unknown.
    """

    form: str
    values: Mapping[str, Mapping[Index, float]]
    multipliers: Mapping[str, Mapping[Index, float]] | None = None

    def vector(self, component: str) -> FloatArray:
        """The values of a component, in order of their indices."""
        return _in_order(self.values.get(component, {}))

    def multiplier(self, component: str) -> FloatArray:
        """The multipliers of a component's rows, in order of their indices. The array is empty if
        they are unknown.
        """
        return _in_order((self.multipliers or {}).get(component, {}))

    def indices(self, component: str, *, multipliers: bool = False) -> list[Index]:
        """The indices of a component, in order."""
        source = self.multipliers or {} if multipliers else self.values
        return sorted(source.get(component, {}))


def _in_order(entries: Mapping[Index, float]) -> FloatArray:
    return np.array([entries[index] for index in sorted(entries)], dtype=np.float64)


def by_component(values: Iterable[tuple[str, float]]) -> dict[str, dict[Index, float]]:
    """Values of Pyomo components such as ``alpha_plus[2,5]`` by name and index.

    If a member occurs more than once, its values are added. The two halves of a ranged row are an
    example.
    """
    components: dict[str, dict[Index, float]] = {}
    for component, value in values:
        name, _, place = component.partition("[")
        index = tuple(int(number) for number in re.findall(r"-?\d+", place))
        entries = components.setdefault(name, {})
        entries[index] = entries.get(index, 0.0) + value
    return components


#: The scores of settings, and the reason why some were not tried, or None. An entry has ``score``,
#: None if there is none, its ``standard_error`` over folds, a ``message`` about a setting that is
#: invalid for the data, and for a clustering the ``sizes`` of its clusters.
Scores = tuple[list[dict[str, Any]], Reason | None]
#: The entry of a setting that was not tried.
UNSCORED = {"score": None, "standard_error": None, "message": None}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A family of columns, priced at the dual point of a finished run.

    - keeps_bound: whether the bound of the run remains valid with the family.
    - price: the cost per unit. ratio: the largest gain per unit at the dual point divided by the
      price, plus the rounding error.
    - floor: a bound on the optimum with this family.
    - column: the column with the largest ratio, if the family has several columns.
    - kernel_seconds, seconds: the time for evaluating the kernel and the time for pricing, in
      seconds.
    - centre: the centre of a candidate with one column, if it is not a row of the data.
    - present: whether the family is in the program of the run already.
    """

    name: str
    price: float
    ratio: float
    floor: float
    column: int | None
    kernel_seconds: float
    seconds: float
    keeps_bound: bool
    centre: tuple[float, ...] = ()
    present: bool = False


@dataclass(frozen=True, kw_only=True)
class PricingResult:
    """The priced candidates, with the objective and bound of the run.

    ``floor`` is a lower bound on the optimum with all candidates together. If ``maximise`` is True,
    it is an upper bound.
    """

    objective: float
    bound: float
    floor: float
    candidates: tuple[Candidate, ...]
    maximise: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExactPair:
    """A primal and a dual point in rational numbers, with their exact values.

    - kernels: the names of the kernels. settings: the numbers of the program, as exact values of
      floating-point numbers.
    - primal: ``pairs`` of kernel and centre, with the coefficients ``numbers`` / ``over``. dual:
      the multipliers ``scale`` ``numbers`` / ``over``.
    - objective, bound: rational numbers. If values are enclosed in intervals, the worse ends are
      used.
    - vertex: whether the points are solutions of linear systems instead of the floating-point
      numbers of a run.
    - values: the kernel values (m, c) that are used without proof, by name.
    """

    kernels: tuple[str, ...]
    settings: Mapping[str, Any]
    primal: Mapping[str, Any]
    dual: Mapping[str, Any]
    objective: Fraction
    bound: Fraction
    vertex: bool
    values: Mapping[str, list[list[float]]] = field(default_factory=dict)

    @property
    def gap(self) -> Fraction:
        """The objective minus the bound."""
        return self.objective - self.bound


@dataclass(frozen=True, kw_only=True)
class FunctionClass:
    """A class of functions on m points.

    If ``exact`` is False, suprema may be too low. ``upper`` is an upper bound on the complexity
    that is proved without sampling, or None. It holds for independent sigma_i that are random signs
    or normal numbers. ``local(r)`` is the class of functions with mean square at most r > 0 on the
    points.
    """

    name: str
    m: int
    suprema: Suprema
    exact: bool
    upper: float | None
    upper_by: str | None = None
    local: Callable[[float], list[FunctionClass]] | None = None


def ball_class(name: str, parts: Sequence[FloatArray]) -> FunctionClass:
    """The class {x -> sum_p w_p'phi_p(x): |w_p| <= 1}, with one kernel matrix (n, n) per part p.

    The supremum of sum_i sigma_i f(x_i) is sum_p sqrt(sigma'K_p sigma). By Jensen's inequality, the
    complexity is therefore at most sum_p sqrt(tr K_p) / n.
    """
    balls = [kernel_suprema(part[None], lambda q: float(q[0])) for part in parts]
    traces = [max(float(part.trace()), 0.0) for part in parts]
    return FunctionClass(
        name=name,
        m=len(parts[0]),
        suprema=lambda signs: np.sum([ball(signs) for ball in balls], axis=0),
        exact=True,
        upper=sum(math.sqrt(trace) for trace in traces) / len(parts[0]),
        upper_by="Jensen",
        local=(lambda r: [local_class(name, parts[0], r)]) if len(parts) == 1 else None,
    )


def local_class(name: str, K: FloatArray, r: float) -> FunctionClass:
    """The class {x -> w'phi(x): |w| <= 1, mean square at most r}, for a kernel matrix (n, n).

    The complexity is at most sqrt((2/n) sum_j min(r, lambda_j)) with the eigenvalues of K/n, at
    most that of the whole ball, sqrt((1/n) sum_j lambda_j), and at most sqrt(r): (1/n) sigma'f is
    at most sqrt(r |sigma|^2 / n), and E |sigma|^2 = n.
    """
    eigenvalues = np.maximum(np.linalg.eigvalsh(K) / len(K), 0.0)
    capped = 2.0 * np.minimum(r, eigenvalues).sum(), "tail sums of eigenvalues"
    whole = eigenvalues.sum(), "Jensen"
    total, source = min(capped, whole, (r * len(K), "Cauchy-Schwarz"))
    return FunctionClass(
        name=f"{name}, mean square at most {r:g}",
        m=len(K),
        suprema=local_suprema(K, r),
        exact=True,
        upper=math.sqrt(float(total) / len(K)),
        upper_by=source,
    )
