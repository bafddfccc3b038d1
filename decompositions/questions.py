"""Common parts of the analyses of a solved program, for several papers:

- the evaluation of other programs' solutions of exported forms
- prices of columns that are not in the program
- function classes and their suprema
- exact paths over a parameter
- scores for choosing settings

On a path, the objective of every point is linear in a parameter t. The minimum over all points is
then concave and piecewise linear in t, and the solution is constant between breakpoints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import GAP_FLOOR, PATH_TOL
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Reason
from radprog.instances.dataset import Dataset
from radprog.models.complexity import Suprema, kernel_suprema, local_suprema

BOUND_ROUNDING = 1e-12  # relative: how far two evaluations of one bound may differ
MOST_ROWS = 200  # of a path, unless the caller allows more
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

    The complexity is at most sqrt((2/n) sum_j min(r, lambda_j)) with the eigenvalues of K/n.
    """
    capped = np.minimum(r, np.maximum(np.linalg.eigvalsh(K) / len(K), 0.0))
    return FunctionClass(
        name=f"{name}, mean square at most {r:g}",
        m=len(K),
        suprema=local_suprema(K, r),
        exact=True,
        upper=math.sqrt(2.0 / len(K) * float(capped.sum())),
        upper_by="tail sums of eigenvalues",
    )


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The scores of settings, in their order, and the index of the first best setting.

    The score is NaN if a setting is invalid for the data, or if a limit ended the run before the
    setting was scored. An invalid setting has a message. For a clustering, the sizes of the
    clusters are included.
    """

    scores: tuple[float, ...]
    best: int
    messages: tuple[str | None, ...]
    standard_errors: tuple[float | None, ...]  # of means over folds, None where there is none
    sizes: tuple[list[int] | None, ...]
    reason: Reason | None = None  # None: every setting was tried


@dataclass(frozen=True, kw_only=True)
class Line:
    """A solution at the parameter value ``at``.

    ``value`` is its objective, ``slope`` is the slope of this objective in the parameter, and
    ``bound`` is a lower bound on the optimum at ``at``. ``detail`` contains further numbers by
    name.
    """

    at: float
    value: float
    slope: float
    bound: float
    detail: Mapping[str, float]


L = TypeVar("L", bound=Line)


def value_of(line: Line, at: float) -> float:
    """The objective of a line's solution at another parameter value."""
    return line.value + line.slope * (at - line.at)


@dataclass(frozen=True)
class Envelope(Generic[L]):
    """A concave piecewise linear function on [marks[0], marks[-1]], and its accuracy.

    ``lines[i]`` is valid between ``breakpoints[i - 1]`` and ``breakpoints[i]``. ``marks`` contains
    all breakpoints, both ends of the interval and the parameter values of the lines, in increasing
    order. ``bounds`` contains a lower bound on the optimum at each mark.

    Between neighbouring marks the path is one line. The optimum is concave, so it is at least the
    chord of the bounds. ``gap`` therefore holds on the whole interval, not only at the marks.
    """

    lines: tuple[L, ...]
    breakpoints: tuple[float, ...]
    marks: tuple[float, ...]
    bounds: tuple[float, ...]
    complete: bool
    solves: int
    size: float = 0.0

    def line(self, at: float) -> L:
        """The line that is valid at a parameter value."""
        return self.lines[int(np.searchsorted(self.breakpoints, at))]

    def value(self, at: float) -> float:
        """The optimal value at ``at``. It is too large by at most ``gap``."""
        return value_of(self.line(at), at)

    @property
    def gap(self) -> float:
        """The largest difference from the optimum over the whole interval.

        The difference is relative to the value, or to ``size`` if ``size`` is larger.
        """
        values = [self.value(at) for at in self.marks]
        return max(
            abs(value - bound) / max(abs(value), self.size, GAP_FLOOR)
            for value, bound in zip(values, self.bounds, strict=True)
        )

    @property
    def pieces(self) -> list[tuple[float, float, L]]:
        """A tuple (from, to, line) for each piece."""
        ends = (self.marks[0], *self.breakpoints, self.marks[-1])
        return list(zip(ends[:-1], ends[1:], self.lines, strict=True))


def envelope(
    solve: Callable[[float, Sequence[L]], L],
    first: float,
    last: float,
    spent: Callable[[], bool] = lambda: False,
    tol: float = PATH_TOL,
    size: float = 0.0,
) -> Envelope[L]:
    """All pieces of the optimal value on [first, last].

    The program is solved where two known lines cross. If the solution has the value of the
    crossing, the crossing is a breakpoint. Otherwise the solution is a third line between the two.
    A path of N lines takes about 2 N solves. ``solve(at, neighbours)`` may start from the
    neighbouring lines. The nearer line comes first. If the budget runs out, crossings become
    breakpoints without a solve, and their bounds are on the chord. Differences within ``tol`` times
    the value are ignored. If ``size`` is larger than the value, it is used in place of the value.
    """
    # the lines at both ends; a stack of lines whose left neighbour is open
    left, right = solve(first, ()), solve(last, ())
    marks = {first: left.bound, last: right.bound}
    lines, breakpoints, waiting, solves = [left], list[float](), list[L](), 2
    complete = not spent()
    while True:
        # where the right line takes over from the left one
        at = _crossing(left, right, tol, size)
        if at is not None and left.at < at < right.at:
            # concavity: the chord of the bounds at both lines is a bound between them
            share = (at - left.at) / (right.at - left.at)
            marks[at] = (1.0 - share) * left.bound + share * right.bound
            if spent():
                complete = False
            else:
                # solve there: the crossing is confirmed, or a third line lies between
                neighbours = (left, right) if share < 0.5 else (right, left)
                middle, solves = solve(at, neighbours), solves + 1
                marks[at] = max(marks[at], middle.bound)
                upper = value_of(left, at)
                if upper - middle.value > tol * max(abs(upper), size):
                    waiting.append(right)
                    right = middle
                    continue
        if at is not None:
            # the piece of the left line is complete
            breakpoints.append(min(max(at, left.at), right.at))
            lines.append(right)
        if not waiting:
            break
        # go on to the right, with the next open line
        left, right = lines[-1], waiting.pop()
    at_marks = tuple(sorted(marks))
    return Envelope(
        tuple(lines),
        tuple(breakpoints),
        at_marks,
        tuple(marks[at] for at in at_marks),
        complete,
        solves,
        size,
    )


def _crossing(left: Line, right: Line, tol: float, size: float) -> float | None:
    """The parameter value at which the second line replaces the first, or None if the two lines are
    the same.
    """
    # how far each line lies above the other where that was solved
    at_left = value_of(right, left.at) - left.value
    at_right = value_of(left, right.at) - right.value
    fall = left.slope - right.slope
    if fall <= 0 or max(at_left, at_right) <= tol * max(abs(left.value), size):
        return None
    return left.at + at_left / fall


@dataclass(frozen=True, kw_only=True)
class ParameterPath:
    """The exact path of a model in one parameter on one data set.

    ``labels(line, X)`` returns the labels predicted by a line's solution. ``trade`` contains the
    names of two values in ``detail``. The parameter is the trade-off between these values, and
    their curve is convex. Reported values are ``sense`` times the values of the path.
    """

    parameter: str
    envelope: Envelope[Any]
    labels: Callable[[Any, Any], FloatArray]
    trade: tuple[str, str]
    seconds: float
    sense: float = 1.0
    warnings: tuple[str, ...] = ()

    def errors(self, data: Dataset) -> FloatArray:
        """The share of misclassified rows of ``data`` on each piece (N,). Raises DataError if there
        are no labels.
        """
        if data.y is None:
            raise DataError(f"{data.name}: the validation data needs labels")
        lines = self.envelope.lines
        wrong = [data.share(self.labels(line, data.X) != data.targets) for line in lines]
        return np.asarray(wrong, dtype=np.float64)


def minimisers(
    pieces: Sequence[tuple[float, float, Any]], errors: FloatArray
) -> list[tuple[float, float]]:
    """The parameter intervals with the smallest error, in increasing order."""
    least: list[tuple[float, float]] = []
    for (low, high, _), error in zip(pieces, errors, strict=True):
        if error > errors.min():
            continue
        if least and least[-1][1] == low:
            least[-1] = (least[-1][0], high)
        else:
            least.append((low, high))
    return least


def check_path(first: float, last: float, rows: int, most_rows: int) -> None:
    """Raise OptionError if the interval is empty, or if there are more rows than allowed."""
    if not 0 <= first < last < np.inf:
        raise OptionError(f"path from {first:g} to {last:g}: expected 0 <= from < to")
    if rows > most_rows:
        raise OptionError(
            f"an exact path of {rows} rows can have thousands of pieces: allow more than "
            f"{most_rows} with `rows={rows}` on a short interval, or give fewer rows"
        )
