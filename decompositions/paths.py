"""Exact paths over a parameter.

The objective of every point is linear in a parameter t. The minimum over all points is then concave
and piecewise linear in t, and the solution is constant between breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import GAP_FLOOR, PATH_TOL


@dataclass(frozen=True, kw_only=True)
class Line:
    """A solution at the parameter value ``at``.

    ``value`` is its objective, ``slope`` is the slope of this objective in the parameter, and
    ``bound`` is a lower bound on the optimum at ``at``. ``detail`` contains further numbers by
    name. ``solution`` is the model's own form of the solution.
    """

    at: float
    value: float
    slope: float
    bound: float
    detail: Mapping[str, float]
    solution: Any = None


def value_of(line: Line, at: float) -> float:
    """The objective of a line's solution at another parameter value."""
    return line.value + line.slope * (at - line.at)


@dataclass(frozen=True)
class ParameterPath:
    """The exact path of a model in one parameter: a concave piecewise linear function on
    [marks[0], marks[-1]], and its accuracy.

    ``lines[i]`` is valid between ``breakpoints[i - 1]`` and ``breakpoints[i]``. ``marks`` contains
    all breakpoints, both ends of the interval and the parameter values of the lines, in increasing
    order. ``bounds`` contains a lower bound on the optimum at each mark.

    Between neighbouring marks the path is one line. The optimum is concave, so it is at least the
    chord of the bounds. ``gap`` therefore holds on the whole interval, not only at the marks.

    ``trade`` contains the names of two values in ``detail``. The parameter is the trade-off between
    these values, and their curve is convex.
    """

    lines: tuple[Line, ...]
    breakpoints: tuple[float, ...]
    marks: tuple[float, ...]
    bounds: tuple[float, ...]
    complete: bool
    solves: int
    trade: tuple[str, str] = ("", "")
    warnings: tuple[str, ...] = ()

    def line(self, at: float) -> Line:
        """The line that is valid at a parameter value."""
        return self.lines[int(np.searchsorted(self.breakpoints, at))]

    def value(self, at: float) -> float:
        """The optimal value at ``at``. It is too large by at most ``gap``."""
        return value_of(self.line(at), at)

    @property
    def gap(self) -> float:
        """The largest relative difference from the optimum over the whole interval."""
        values = [self.value(at) for at in self.marks]
        return max(
            abs(value - bound) / max(abs(value), GAP_FLOOR)
            for value, bound in zip(values, self.bounds, strict=True)
        )

    @property
    def pieces(self) -> list[tuple[float, float, Line]]:
        """A tuple (from, to, line) for each piece."""
        ends = (self.marks[0], *self.breakpoints, self.marks[-1])
        return list(zip(ends[:-1], ends[1:], self.lines, strict=True))


def envelope(
    solve: Callable[[float, Sequence[Line]], Line],
    first: float,
    last: float,
    spent: Callable[[], bool] = lambda: False,
) -> ParameterPath:
    """All pieces of the optimal value on [first, last].

    The program is solved where two known lines cross. If the solution has the value of the
    crossing, the crossing is a breakpoint. Otherwise the solution is a third line between the two.
    A path of N lines takes about 2 N solves. ``solve(at, neighbours)`` may start from the
    neighbouring lines. The nearer line comes first. If the budget runs out, crossings become
    breakpoints without a solve, and their bounds are on the chord. Differences within PATH_TOL
    times the value are ignored.
    """
    # the lines at both ends; a stack of lines whose left neighbour is open
    left, right = solve(first, ()), solve(last, ())
    marks = {first: left.bound, last: right.bound}
    lines, breakpoints, waiting, solves = [left], list[float](), list[Line](), 2
    complete = not spent()
    while True:
        # where the right line takes over from the left one, by how far each lies above the other
        # where that was solved; lines that are the same up to PATH_TOL do not cross
        at_left = value_of(right, left.at) - left.value
        at_right = value_of(left, right.at) - right.value
        fall, at = left.slope - right.slope, None
        if fall > 0 and max(at_left, at_right) > PATH_TOL * abs(left.value):
            at = left.at + at_left / fall
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
                if upper - middle.value > PATH_TOL * abs(upper):
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
    return ParameterPath(
        tuple(lines),
        tuple(breakpoints),
        at_marks,
        tuple(marks[at] for at in at_marks),
        complete,
        solves,
    )


def check_path(first: float, last: float) -> None:
    """Raise OptionError if the interval is empty."""
    if not 0 <= first < last < np.inf:
        raise OptionError(f"path from {first:g} to {last:g}: expected 0 <= from < to")
