"""Exact paths: the optimal value as a function of one parameter, with certified breakpoints.

Where the objective at every point is linear in a parameter t, its least value over all points is a
concave, piecewise linear function of t, and the solution is constant between breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from radprog.decompositions.loop import GAP_FLOOR, Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import assemble, generate_columns
from radprog.decompositions.vkr.pricing import Warm, joined
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.types import FloatArray, IntArray
from radprog.models.kernels import KernelBank
from radprog.models.settings import L1SVM, VKR
from radprog.models.vkr.programs import VotedKernels

MOST_ROWS = 200  # of a path, unless the caller allows more
PATH_TOL = 1e-9  # relative: lines that differ by less at a point are one there
SOLVE_TOL = 1e-11  # relative gap that every solve aims at
SLOPES = {"beta": "norm", "lam": "complexity"}  # sum |alpha_kj|, sum r_k |alpha_kj|


class Line(Protocol):
    """A solution found at the parameter value ``at``: its objective there, the slope of its
    objective in the parameter, and a lower bound of the optimum there."""

    @property
    def at(self) -> float: ...
    @property
    def value(self) -> float: ...
    @property
    def slope(self) -> float: ...
    @property
    def bound(self) -> float: ...
    @property
    def detail(self) -> Mapping[str, float]: ...


L = TypeVar("L", bound=Line)


def value_of(line: Line, at: float) -> float:
    """Objective of a line's solution at another parameter value."""
    return line.value + line.slope * (at - line.at)


@dataclass(frozen=True)
class Envelope(Generic[L]):
    """A concave piecewise linear function on [marks[0], marks[-1]], and how well it is known.

    lines[i] holds between breakpoints[i - 1] and breakpoints[i]; marks: every breakpoint, both ends
    and where lines were found, increasing, with lower bounds of the optimum there.

    Between neighbouring marks the path is one line, while the optimum, which is concave, is no less
    than the chord of the bounds: ``gap`` holds on the whole interval, not only at the marks.
    """

    lines: tuple[L, ...]
    breakpoints: tuple[float, ...]
    marks: tuple[float, ...]
    bounds: tuple[float, ...]
    complete: bool
    solves: int
    size: float = 0.0

    def line(self, at: float) -> L:
        """The line that holds at a parameter value."""
        return self.lines[int(np.searchsorted(self.breakpoints, at))]

    def value(self, at: float) -> float:
        """The optimal value at ``at``, at most ``gap`` too large."""
        return value_of(self.line(at), at)

    @property
    def gap(self) -> float:
        """Largest difference from the optimum on the whole interval, relative to the value, or to
        ``size`` where that is larger."""
        values = [self.value(at) for at in self.marks]
        return max(
            abs(value - bound) / max(abs(value), self.size, GAP_FLOOR)
            for value, bound in zip(values, self.bounds, strict=True)
        )

    @property
    def pieces(self) -> list[tuple[float, float, L]]:
        """(from, to, line) of every piece."""
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
    """Every piece of the optimal value on [first, last].

    Two known lines cross at a point. The program solved there either confirms their value, and the
    crossing is a breakpoint, or gives a third line between them: a path of N lines takes about 2 N
    solves. ``solve(at, neighbours)`` may start from the neighbouring lines, the nearer one first.
    When ``spent``, crossings are taken as breakpoints unsolved, with the chord as their bound.
    Differences within ``tol`` times the value, or times ``size`` where that is larger, are none.
    """
    left, right = solve(first, ()), solve(last, ())
    marks = {first: left.bound, last: right.bound}
    lines, breakpoints, waiting, solves = [left], list[float](), list[L](), 2
    complete = not spent()
    while True:
        at = _crossing(left, right, tol, size)
        if at is not None and left.at < at < right.at:
            share = (at - left.at) / (right.at - left.at)
            marks[at] = (1.0 - share) * left.bound + share * right.bound
            if spent():
                complete = False
            else:
                near = (left, right) if share < 0.5 else (right, left)
                middle, solves = solve(at, near), solves + 1
                marks[at] = max(marks[at], middle.bound)
                upper = value_of(left, at)
                if upper - middle.value > tol * max(abs(upper), size):
                    waiting.append(right)
                    right = middle
                    continue
        if at is not None:
            breakpoints.append(min(max(at, left.at), right.at))
            lines.append(right)
        if not waiting:
            break
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
    """Where the second line takes over from the first; None where they are one line."""
    near = value_of(right, left.at) - left.value
    far = value_of(left, right.at) - right.value
    fall = left.slope - right.slope
    if fall <= 0 or max(near, far) <= tol * max(abs(left.value), size):
        return None
    return left.at + near / fall


@dataclass(frozen=True, kw_only=True)
class Path:
    """The exact path of a model in one parameter on one data set.

    ``labels(line, X)`` are the labels of a line's solution; ``trade`` names the two values of its
    ``detail`` that the parameter weighs: their curve is convex. Reported values are sense * path.
    """

    parameter: str
    envelope: Envelope[Any]
    labels: Callable[[Any, Any], FloatArray]
    trade: tuple[str, str]
    seconds: float
    sense: float = 1.0
    warnings: tuple[str, ...] = ()

    def errors(self, data: Dataset) -> FloatArray:
        """Share of wrong rows of ``data`` on every piece (N,); DataError without labels."""
        if data.y is None:
            raise DataError(f"{data.name}: the validation data needs labels")
        lines = self.envelope.lines
        wrong = [(self.labels(line, data.X) != data.targets).mean() for line in lines]
        return np.asarray(wrong, dtype=np.float64)


def minimisers(
    pieces: Sequence[tuple[float, float, Any]], errors: FloatArray
) -> list[tuple[float, float]]:
    """The intervals of the parameter on which the error of the path is least, increasing."""
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
    """OptionError for an interval that is none, or more rows than allowed."""
    if not 0 <= first < last < np.inf:
        raise OptionError(f"path from {first:g} to {last:g}: expected 0 <= from < to")
    if rows > most_rows:
        raise OptionError(
            f"an exact path of {rows} rows can have thousands of pieces: allow more than "
            f"{most_rows} with --rows {rows} on a short interval, or give fewer rows"
        )


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A solution of VKR as a line in lam or beta; pairs (r, 2), alpha (r,).

    detail: mean hinge loss; rest, the objective without the term that the parameter prices; norm
    and complexity of alpha; number of coefficients.
    """

    at: float
    value: float
    slope: float
    bound: float
    detail: Mapping[str, float]
    pairs: IntArray
    alpha: FloatArray
    warm: Warm | None


def vkr_path(
    spec: VKR | L1SVM,
    data: Dataset,
    parameter: str,
    first: float,
    last: float,
    settings: RunSettings,
    most_rows: int = MOST_ROWS,
) -> Path:
    """The exact path of VKR in lam or beta from ``first`` to ``last``, the other one fixed.

    The value at t is the least of  mean hinge + sum (lam r_k + beta) |alpha_kj|,  linear in either
    price for every alpha. Raises OptionError for another parameter, an interval that is none, or
    more than ``most_rows`` rows.
    """
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    known = ("beta",) if isinstance(spec, L1SVM) else ("lam", "beta")
    if parameter not in known:
        raise OptionError(f"path of '{parameter}': expected {' or '.join(known)}")
    check_path(first, last, data.rows, most_rows)
    if settings.method not in (None, "colgen"):
        raise OptionError(f"method '{settings.method}': a path is solved by colgen")
    budget = settings.budget()
    end: dict[str, Any] = {parameter: last}
    problem, penalties = assemble(replace(program, **end), data, settings.seed)
    if parameter == "lam" and not penalties.r.any():
        raise OptionError("path of lam: the penalties are all 0, so lam changes nothing")
    tight = replace(settings, tol=SOLVE_TOL, abs_tol=0.0, max_iter=None)

    def solve(at: float, neighbours: Sequence[Solved]) -> Solved:
        """From the nearer neighbour; where its bound stays loose, from the other, then cold."""
        prices = {"lam": program.lam, "beta": program.beta, parameter: at}
        cell = problem.at_prices(**prices)
        best = _solved(cell, parameter, at, neighbours, tight, budget)
        upper = min([best.value, *(value_of(line, at) for line in neighbours)])
        for start in (neighbours[::-1], ()) if neighbours else ():
            if upper - best.bound <= PATH_TOL * upper:
                break
            other = _solved(cell, parameter, at, start, tight, budget)
            bound = max(best.bound, other.bound)
            best = replace(min(best, other, key=lambda line: line.value), bound=bound)
        return best

    found = envelope(solve, first, last, budget.spent)
    banks: dict[int, KernelBank] = {}

    def labels(line: Solved, X: Any) -> FloatArray:
        if id(X) not in banks:
            banks[id(X)] = KernelBank(problem.bank.kernels, X, problem.bank.centres)
        scores = banks[id(X)].columns(line.pairs) @ line.alpha
        return np.where(scores >= 0, 1.0, -1.0)

    return Path(
        parameter=parameter,
        envelope=found,
        labels=labels,
        trade=(SLOPES[parameter], "rest"),
        seconds=budget.seconds,
        warnings=(*problem.bank.warnings, *penalties.warnings),
    )


def _solved(
    problem: VotedKernels,
    parameter: str,
    at: float,
    neighbours: Sequence[Solved],
    settings: RunSettings,
    budget: Budget,
) -> Solved:
    warm = joined([line.warm for line in neighbours if line.warm is not None])
    outcome = generate_columns(problem, settings, budget, warm)
    incumbent = outcome.incumbent
    incumbent.certify(problem)
    pairs, size = incumbent.pairs, np.abs(incumbent.alpha)
    margins = problem.y * (problem.bank.columns(pairs) @ incumbent.alpha)
    detail = {
        "loss": float(np.maximum(0.0, 1.0 - margins).mean()),
        "rest": 0.0,
        "norm": float(size.sum()),
        "complexity": float(problem.penalties[pairs[:, 0]] @ size),
        "coefficients": float(len(pairs)),
    }
    slope = detail[SLOPES[parameter]]
    detail["rest"] = incumbent.objective - at * slope
    return Solved(
        at=at,
        value=incumbent.objective,
        slope=slope,
        bound=incumbent.bound,
        detail=detail,
        pairs=pairs,
        alpha=incumbent.alpha,
        warm=outcome.warm,
    )
