"""The exact front of two linear objectives."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from radprog.base.errors import CapabilityError, OptionError
from radprog.base.limits import under
from radprog.base.sections import Part, Shown, Table, text_lines
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import settings_from, stoppable
from radprog.models.exact import flint
from radprog.solvers.compile import compile_objectives, component_names, vector_of
from radprog.solvers.foreign import foreign_program
from radprog.solvers.integers import objective_places
from radprog.solvers.program import Program, SolveOptions, SolveSettings, Status, refuse_no_number
from radprog.solvers.questions.tree import ExactTree
from radprog.solvers.registry import solve_foreign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, VERTICES = "points", "extreme points"
PROOFS = {
    "duals": "proved by duals",
    "tree": "proved by trees in rational arithmetic",
    "solver": "by a solver's searches",
}
#: A point and its two values, both to be minimised.
Point = tuple[float, float, FloatArray]


@dataclass(frozen=True, kw_only=True, repr=False)
class Front(Shown):
    """The nondominated points of a program with two objectives.

    Attributes
    ----------
    status : str
        "complete"; "step" if the search ended, but ``step`` may have passed points over; "limit" if
        ``time_limit``, ``max_points`` or a solver ended it before, so that an end of a linear
        program's front may be dominated; "infeasible" or "unbounded" if an objective alone has no
        optimum.
    kind : str
        "extreme points" of a linear program: the front is the line through them. "points" of a
        program with integers.
    names : tuple of str
        Names of the two objectives.
    values : ndarray (k, 2)
        The two objectives of each point, each in its own sense; the first one gets worse.
    points : tuple of mapping
        The values of the variables of each point, by name.
    proved_by : str
        "duals" if each point and each line between two points is proved by multipliers; with
        integers, "solver" if the bounds of searches are the solver's, and "tree" with ``prove``.
    message : str
        What is not finished, or which points may be missing, or "".
    seconds : float

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(range(2), bounds=(0, 3))
    >>> model.need = pyo.Constraint(expr=model.x[0] + 2 * model.x[1] >= 4)
    >>> front = rp.front(model, model.x[0], model.x[1])
    >>> front.values.tolist(), front.status, front.proved_by
    ([[0.0, 2.0], [3.0, 0.5]], 'complete', 'duals')
    """

    status: str
    kind: str
    names: tuple[str, str]
    values: FloatArray
    points: Sequence[Mapping[str, float]]
    proved_by: str
    message: str
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether these are all points."""
        return self.status == "complete"

    def __repr__(self) -> str:
        return f"<Front {self._head()}>"

    def _head(self) -> str:
        """In one line, with the step that may have passed points over."""
        word = self.status
        if word == "step":
            word = f"not all, {self.message.partition(':')[0]}"
        return f"{word}: {len(self.points)} {self.kind}, {PROOFS[self.proved_by]}"

    def __str__(self) -> str:
        return "\n".join(text_lines(self._parts()))

    def _parts(self) -> list[Part]:
        message = [f"note       {self.message}"] * bool(self.message)
        rows = list(map(tuple, self.values.tolist()))
        return [f"front      {self._head()}", *message, Table(head=self.names, rows=rows)]

    def to_dict(self) -> dict[str, Any]:
        """The front in JSON types."""
        words = ("status", "kind", "proved_by", "message", "seconds")
        values, points = self.values.tolist(), [dict(point) for point in self.points]
        content = {"names": list(self.names), "values": values, "points": points}
        return {"schema": 1, **{word: getattr(self, word) for word in words}, **content}

    def plot(self, file: str | Path | None = None) -> Figure:
        """Draw the front.

        Parameters
        ----------
        file : str or Path, optional
            A file for the picture: .png, .svg or .pdf.

        Returns
        -------
        Figure
            The picture.
        """
        from matplotlib.figure import Figure

        from radprog.figures import save

        figure = Figure(figsize=(6.0, 4.5), layout="constrained")
        axes = figure.subplots()
        line = "-o" if self.kind == VERTICES else "o"
        axes.plot(self.values[:, 0], self.values[:, 1], line)
        axes.set(xlabel=self.names[0], ylabel=self.names[1], title=repr(self)[1:-1])
        if file is not None:
            save(figure, file)
        return figure


def front(
    model: Any,
    first: Any,
    second: Any,
    *,
    step: float | None = None,
    max_points: int | None = None,
    prove: bool = False,
    solver: str | None = None,
    **settings: Unpack[SolveOptions],
) -> Front:
    """Compute the exact front of two linear objectives: all points that no other point dominates.

    Parameters
    ----------
    model : ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        A linear program, with or without integers. Its own objective is not used.
    first, second : expression, Objective or mapping
        The objectives: linear Pyomo expressions, which are minimised; objectives of the model, in
        their sense; or mappings of names of columns to costs, which are minimised.
    step : float, optional
        With integers, the least difference between two values of ``second`` that counts; the last
        point has the least value of ``second`` also if it is nearer to the point before. The
        default is the unit of ``second``, the greatest common divisor of its costs, if these are
        decimals of integer columns only. A front with a larger ``step``, or with other costs, is
        not complete: points between the steps may be missing.
    max_points : int, optional
        Number of points after which the search ends.
    prove : bool
        With integers, whether to prove each search by a tree, as in :func:`radprog.solve`. The
        front ends with the status "limit" where a tree proves nothing.
    solver : str, optional
        As in :func:`radprog.solve`.
    **settings
        As in :func:`radprog.solve`; ``time_limit`` (seconds) is for the whole front.

    Returns
    -------
    Front
        The points, their values, and whether they are all. ``print`` and ``plot`` show it.

    Raises
    ------
    CapabilityError
        If the program or an objective is not linear.
    OptionError
        If an objective names no column, or ``step`` is needed.

    Notes
    -----
    A linear program is solved for weights of the objectives. Between two points A and B, the
    weights are those for which both are equal. If the optimum for these weights is lower, it is
    another point of the front; if not, its multipliers prove that no point lies below the line.

    With integers, the first objective is minimised subject to second <= e, and the second
    subject to this optimum. Then e becomes the second objective less ``step``, or its least value,
    until it is minimal.

    References
    ----------
    Y. P. Aneja, K. P. K. Nair, Bicriteria transportation problem (1979).
    V. Chankong, Y. Y. Haimes, Multiobjective decision making (1983).

    Examples
    --------
    Cost against the number of places that are open:

    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.open = pyo.Var(range(3), domain=pyo.Binary)
    >>> model.serve = pyo.Var(range(3), bounds=(0, 8))
    >>> model.demand = pyo.Constraint(expr=sum(model.serve.values()) == 8)
    >>> room = [8, 4, 4]
    >>> model.only = pyo.Constraint(
    ...     range(3), rule=lambda m, i: m.serve[i] <= room[i] * m.open[i]
    ... )
    >>> cost = 3 * model.serve[0] + 2 * model.serve[1] + model.serve[2]
    >>> front = rp.front(model, cost, sum(model.open.values()))
    >>> front.values.tolist(), front.complete
    ([[12.0, 2.0], [24.0, 1.0]], True)
    """
    if not isinstance(prove, bool):
        raise OptionError(f"prove {prove!r}: expected True or False")
    limit = math.inf if max_points is None else max_points
    if max_points is not None:
        refuse_no_number("max_points", max_points, least=1, whole=True)
    if step is not None:
        refuse_no_number("step", step, finite=True, positive=True)
    # matrices of the program, and costs of both objectives as minimisations
    program = foreign_program(model)
    if program is None:
        program, objectives = compile_objectives(model, (first, second))
        program = replace(program, column_names=component_names(model)[0])
    else:
        names = program.column_names
        costs = [vector_of(model, part, names, "cost", 0.0) for part in (first, second)]
        objectives = [(cost, 0.0, 1, "") for cost in costs]
    if program.quadratic_rows:
        raise CapabilityError(f"the program is a {program.problem_class}: expected a linear one")
    program = replace(program, constant=0.0, sense=1, quadratic=None)
    senses = np.array([sense for _, _, sense, _ in objectives], dtype=np.float64)
    goals = np.array([sense * cost for cost, _, sense, _ in objectives])
    is_integer = bool(program.integer.any())
    options = settings_from(SolveSettings, settings)
    with stoppable(options) as options:
        search = _FrontSearch(program, goals, solver, options, limit, is_integer and prove)
        if is_integer:
            search.by_steps(step)
        else:
            search.by_weights()
    # values in the sense of each objective, with its constant
    points = sorted(search.points, key=lambda point: point[0])
    constants = np.array([constant for _, constant, _, _ in objectives])
    values = np.array([point[:2] for point in points]).reshape(-1, 2) * senses + constants
    titles = [name for *_, name in objectives]
    return Front(
        status=search.status,
        kind=POINTS if is_integer else VERTICES,
        names=(titles[0] or "first", titles[1] or "second"),
        values=values + 0.0,
        points=tuple(dict(zip(program.column_names, x.tolist(), strict=True)) for *_, x in points),
        proved_by="duals" if not is_integer else "tree" if prove else "solver",
        message=search.message,
        seconds=time.perf_counter() - search.began,
    )


class _FrontSearch:
    """The search for the points of a front, which are those in ``found``.

    ``program`` has the rows costs'x <= end as its last two rows.
    """

    def __init__(
        self,
        program: Program,
        costs: FloatArray,
        solver: str | None,
        settings: SolveSettings,
        limit: float,
        prove: bool,
    ) -> None:
        free = np.full(2, np.inf)
        self.program = program.with_rows(costs, -free, free)
        self.costs, self.solver, self.settings, self.limit = costs, solver, settings, limit
        self.prove, self.points = prove, list[Point]()
        self.status, self.message = "complete", ""
        self.began = time.perf_counter()

    def solve(
        self, cost: FloatArray, ends: Sequence[float] = (math.inf, math.inf), start: Any = None
    ) -> Point | None:
        """The optimum for costs (n,), within ends of both objectives.

        If it is not proved, ``status`` and ``message`` contain the reason, and it is None.
        """
        settings = replace(self.settings, start=start, tol=self.settings.tol or 1e-9)
        settings = settings.after(time.perf_counter() - self.began)
        upper = self.program.row_upper.copy()
        upper[-2:] = ends
        program = replace(self.program, cost=cost, row_upper=upper)
        tree = ExactTree(program, flint) if self.prove else None  # refused before the search
        answer = solve_foreign(program, self.solver, settings)
        if tree is not None:
            with under(Budget(settings.time_limit, interrupted=settings.interrupted)):
                answer = tree.prove(answer)
        if answer.x is not None and answer.status is Status.OPTIMAL:
            first, second = (self.costs @ answer.x).tolist()
            return first, second, answer.x
        decided = answer.claim or answer.status
        claims = (Status.INFEASIBLE, Status.UNBOUNDED)
        self.status = decided.value if decided in claims and not self.points else "limit"
        self.message = f"a search ended as {answer.status}: {answer.message}".removesuffix(": ")
        return None

    def by_weights(self) -> None:
        """The extreme points of a linear program, by weights between two neighbours.

        The weights are those for which both have the same value.
        """
        ends = [self.solve(cost) for cost in self.costs]
        if ends[0] is None or ends[1] is None:
            return
        self.points, pairs = [ends[0], ends[1]], [(ends[0], ends[1])]
        while pairs:
            if len(self.points) >= self.limit:
                self.status = "limit"
                self.message = f"max_points: {len(pairs)} lines between points are not searched"
                break
            left, right = pairs[-1]
            wide, high = right[0] - left[0], left[1] - right[1]
            # equal within rounding: nothing lies between
            sizes = np.abs([left[:2], right[:2], (1.0, 1.0)]).max(axis=0)
            if wide <= 1e-9 * sizes[0] or high <= 1e-9 * sizes[1]:
                pairs.pop()
                continue
            weights = np.array([1.0 / wide, 1.0 / high])
            cost = weights @ self.costs
            scale = np.abs(cost).max()
            point = self.solve(cost / scale if scale else cost)
            if point is None:
                self.message += f"; {len(pairs)} lines between points are not searched"
                break
            pairs.pop()
            gain = float(weights @ (np.array(left[:2]) - np.array(point[:2])))
            if gain > 1e-8 * float(weights @ sizes):
                self.points.append(point)
                pairs += [(point, right), (left, point)]
        self.points = _extreme(self.points)

    def by_steps(self, step: float | None) -> None:
        """All points of a program with integers, by decreasing ends of the second objective."""
        places = [objective_places(replace(self.program, cost=cost)) for cost in self.costs]
        if step is None and places[1] is None:
            cost = self.costs[1]
            parts = np.flatnonzero((cost != 0.0) & ~self.program.integer)
            reason = "has costs of more than 12 digits (or round them)"
            if parts.size:
                reason = f"has the continuous column {self.program.column_names[parts[0]]}"
            size = 10.0 ** (math.floor(math.log10(np.abs(cost).max())) - 2)
            raise OptionError(
                f"step: the second objective {reason}: expected the least difference of it that "
                f"counts, such as step={size:g}"
            )
        # values of the second objective are multiples of the divisor of its costs
        unit = 0.0
        if places[1] is not None:
            size = 10.0 ** places[1]
            unit = (math.gcd(*(round(cost * size) for cost in self.costs[1].tolist())) or 1) / size
        width = unit if step is None else step
        lowest = self.solve(self.costs[1])
        cap = math.inf
        while lowest is not None:
            if len(self.points) >= self.limit:
                self.status, self.message = "limit", f"max_points: points below {cap:.6g} are left"
                return
            # the first objective, then the second one at this value of the first
            best = self.solve(self.costs[0], (math.inf, cap))
            if best is None:
                return
            top = best[0] + 1e-9 * max(1.0, abs(best[0]))
            if places[0] is not None:
                top = round(best[0], places[0])
            point = self.solve(self.costs[1], (top, cap), start=best[2])
            if point is None:
                return
            self.points.append(point)
            # a thousandth of a step is rounding: the slack of ``top`` over a small slope
            leeway = 1e-3 * min(width, unit or width)
            if point[1] <= lowest[1] + leeway:
                return
            if width > unit:
                self.status = "step"
                self.message = f"step {width:g}: points that are nearer to others may be missing"
                self.message += f"; step={unit:g} finds all" * bool(unit)
            # a step from the end that the point has reached, as one from the point adds up the
            # rounding of all points; the last end is the least value
            reached = cap if point[1] > cap - leeway else point[1]
            cap = max(reached - width, lowest[1] + 1e-9 * max(1.0, abs(lowest[1])))
            if step is None:
                cap = round(cap, places[1])


def _extreme(points: Sequence[Point]) -> list[Point]:
    """The points that are extreme among these, and that no other one dominates."""
    hull: list[Point] = []
    for point in sorted(points, key=lambda point: point[:2]):
        size = 1e-9 * max(1.0, abs(point[1]))
        if hull and point[1] >= hull[-1][1] - size:
            continue
        if hull and point[0] <= hull[-1][0] + 1e-9 * max(1.0, abs(point[0])):
            hull.pop()
        # the slopes of a convex line increase
        while len(hull) > 1:
            (a, b, _), (c, d, _) = hull[-2:]
            wide, high = point[0] - a, b - point[1]
            if (c - a) / wide + (d - point[1]) / high < 1.0 - 1e-8:
                break
            hull.pop()
        hull.append(point)
    return hull
