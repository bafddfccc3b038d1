"""The program of a form, with what is fixed in it, solved: what an analysis is of."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyomo.environ as pyo

from radprog.base.errors import OptionError, SolverError
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_of
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings, Spec
from radprog.models.kernels import parse_kernels
from radprog.solvers.adapters.highs import version as highs_version
from radprog.solvers.compile import (
    compile_model,
    component_names,
    names_of,
    plain_name,
    scaling_of,
    sense_of_model,
)
from radprog.solvers.convexity import is_convex
from radprog.solvers.program import ProblemClass, Program, Solution, Status
from radprog.solvers.questions.conflict import INTERIOR, PATIENCE, Conflict, proven_conflict
from radprog.solvers.questions.ranging import Ranging, solve_ranged
from radprog.solvers.registry import preferred, solve_program, solved_by_any
from radprog.solvers.rescale import Scaling
from radprog.wiring import Label, Term

ANALYSIS_TOLERANCE = 1e-9  # of the simplex method: prices of a program can be small

SHOWN_MEMBERS = 4  # of a component, where an index is none of its own
AT_LEAST = 1.0  # seconds that a last try is worth
PROVEN = "the alternative of the program has a point"
RENAMED = {"slack": "shortfall"}  # Pyomo keeps the first for a suffix
FIRST_TRY = 10.0  # seconds of the simplex method before a conflict is looked for


NO_LABELS: Mapping[str, Label] = {}
_FIELD = re.compile(r"{(\w+)}")


class Wording:
    """Names of the components of one form of a model on one data set, or on none.

    The terms stand in the papers' folders. A component that means something else in one form has
    the key FORM:COMPONENT. An index is named in order: {point} is a row of the data file, {kernel}
    a kernel, {centre} a point or one of the further centres; others are labels of the paper, or
    stand for the number itself.

    terms, labels: of the model; iterate: of the form; its ``rows`` are the rows of the data behind
    the program's points, where these are in another order, its ``kernels`` the kernels where these
    are not those of ``spec``.
    """

    def __init__(
        self,
        terms: Mapping[str, Term],
        form: str,
        spec: Spec | None,
        data: Any,
        iterate: Mapping[str, Any] | None = None,
        labels: Mapping[str, Label] = NO_LABELS,
    ) -> None:
        self._terms, self._form = terms, form
        iterate = iterate or {}
        # the rows of the data behind the points of the program, where they are in another order
        rows = iterate.get("rows")
        self._rows: Sequence[int] = range(getattr(data, "rows", 0)) if rows is None else rows
        self._data = data
        self._centres: Sequence[int] | None = iterate.get("centre_rows")
        # kernels by name: those of the form, else those of the settings
        kernels = getattr(spec, "kernels", None)
        named = [kernel.name for kernel in parse_kernels(kernels)] if kernels else []
        self._kernels: list[str] = iterate.get("kernels", named)
        self._labels: dict[str, Callable[[int], str]] = {
            "point": self._point,
            "centre": self._centre,
            "kernel": lambda k: self._kernels[k] if k < len(self._kernels) else f"kernel {k}",
        }
        # labels of the paper see all points in words
        names = [self._point(i) for i in range(len(self._rows))] if labels else []
        for name, words in labels.items():
            self._labels[name] = partial(words, points=names, iterate=iterate)

    def _term(self, name: str) -> Term | None:
        return self._terms.get(f"{self._form}:{name}", self._terms.get(name))

    def _point(self, i: int) -> str:
        if i < len(self._rows):
            return str(self._data.row_name(self._rows[i]))
        return f"further centre {i - len(self._rows) + 1}"

    def _centre(self, j: int) -> str:
        return self._point(j if self._centres is None else self._centres[j])

    def what(self, component: str) -> str:
        """``margin[3]`` in words; the component itself where the paper has none."""
        # NAME[INDEX]: words of the name, with every number of the index in its place
        name, _, rest = component.partition("[")
        term = self._term(name)
        if term is None:
            return component
        numbers = iter(int(number) for number in re.findall(r"-?\d+", rest))

        def label(field: re.Match[str]) -> str:
            number = next(numbers, None)
            if number is None:
                return ""
            return self._labels.get(field[1], str)(number)

        words = _FIELD.sub(label, term.what)
        # numbers that the words have no place for stand behind them
        rest_of_index = [str(number) for number in numbers]
        return f"{words} [{','.join(rest_of_index)}]" if rest_of_index else words

    def price(self, component: str) -> str:
        """What the price of a component's rows, or its reduced costs, mean; or nothing."""
        term = self._term(component.partition("[")[0])
        return "" if term is None else term.price


@dataclass(frozen=True, kw_only=True)
class Case:
    """One program of one model, solved: what every section of an analysis looks at.

    entry, spec, data, form: None of a program of the user's own. columns, rows: components;
    solution: of the program; priced: the one whose multipliers are told, that of the program with
    its integers fixed where it has integers; scale: reported objective per unit of the minimised
    one; conflict: where it was found before the solver could tell.
    """

    entry: Entry | None
    spec: Spec
    data: Any
    form: str | None
    built: BuiltForm
    program: Program
    columns: Sequence[str]
    rows: Sequence[str]
    solution: Solution
    priced: Solution | None
    ranging: Ranging | None
    wording: Wording
    settings: RunSettings
    conflict: Conflict | None = None

    @property
    def scale(self) -> float:
        return self.built.sense


def solved_case(
    spec: Spec,
    data: Any,
    form: str | None = None,
    fixed: Sequence[str] = (),
    settings: RunSettings | None = None,
) -> Case:
    """The program of a form, solved, with prices and ranges where its class has them."""
    entry, settings = entry_of(spec), settings or RunSettings()
    hooks = entry.hooks
    if not entry.forms:
        raise OptionError(f"{entry.name} has no program to analyze")
    form = form or entry.forms[0]
    # the form is built by the default method, whatever solves it
    built = entry.form(spec, data, form, replace(settings, solver=None, solver_options={}))
    wording = Wording(hooks.terms, form, spec, data, built.iterate, hooks.labels)
    whose = {"entry": entry, "spec": spec, "data": data, "form": form, "wording": wording}
    return _solved(built, fixed, settings, whose)


def model_case(model: pyo.ConcreteModel, fixed: Sequence[str], settings: RunSettings) -> Case:
    """A program of the user's own, solved; the model is left as it is."""
    if fixed:
        # fixing changes a model: the one of the user stays as it is
        model = model.clone()
    built = BuiltForm(model, None, float(sense_of_model(model)))
    wording = Wording({}, "", None, None)
    whose = {"entry": None, "spec": None, "data": None, "form": None, "wording": wording}
    return _solved(built, fixed, settings, whose)


def _solved(
    built: BuiltForm, fixed: Sequence[str], settings: RunSettings, whose: dict[str, Any]
) -> Case:
    """A program, solved with what is fixed in it."""
    # variables become numbers before the program is compiled
    for text in fixed:
        fix(built.model, text)
    program = compile_model(built.model)
    # names as Pyomo has them, in the order of the matrices
    columns, rows = component_names(built.model)
    solution, ranging, conflict = (
        _solve_fixed(program, settings)
        if fixed
        else (*_solve(program, settings, scaling_of(built.model)), None)
    )
    # prices of a program with integers are those with the integers fixed
    priced = solution if solution.row_duals is not None else None
    if program.integer.any() and solution.x is not None:
        priced, ranging = _solve(_with_integers_fixed(program, solution.x), settings)  # prices only
    return Case(
        **whose,
        built=built,
        program=program,
        columns=columns,
        rows=rows,
        solution=solution,
        priced=priced if priced is not None and priced.row_duals is not None else None,
        ranging=ranging,
        settings=settings,
        conflict=conflict,
    )


def fix(model: pyo.ConcreteModel, text: str) -> None:
    """Fix the variables of a component, or one of them, by the names that a report has (``x``,
    ``x[3,a]``, ``block.x[3]``); raises OptionError."""
    name, _, number = text.rpartition("=")
    name, known = plain_name(name), {}
    # a whole component, by its name or the one that it had before Pyomo kept that for a suffix
    for component in model.component_objects(pyo.Var, active=True):
        known[component.name] = component
    if name.partition("[")[0] not in known:
        first, bracket, rest = name.partition("[")
        name = RENAMED.get(first, first) + bracket + rest
    found = known.get(name)
    if found is None:
        variables = list(model.component_data_objects(pyo.Var, active=True))
        members = map(plain_name, names_of(variables))
        found = dict(zip(members, variables, strict=True)).get(name)
    if found is None:
        held = [whole for whole in known if name.startswith(f"{whole}[")]
        told = f", and {held[0]} has {_members(known[held[0]])}" if held else ""
        raise OptionError(
            f"fix '{text}': expected NAME=VALUE or NAME[INDEX]=VALUE, NAME one of "
            f"{', '.join(known)}{told}"
        )
    try:
        # the number behind the last equals sign
        value = float(number)
    except ValueError as error:
        raise OptionError(f"fix '{text}': {error}") from None
    if not math.isfinite(value):
        raise OptionError(f"fix '{text}': '{number}' is no finite number")
    found.fix(value, skip_validation=True)


def _members(component: Any) -> str:
    """The first members of a component, by name."""
    if not component.is_indexed():
        return "no index"
    names = list(names_of(itertools.islice(component.values(), SHOWN_MEMBERS + 1)))
    return ", ".join(names[:SHOWN_MEMBERS]) + (", ..." if len(names) > SHOWN_MEMBERS else "")


def _solve(
    program: Program, settings: RunSettings, scaling: Scaling | None = None
) -> tuple[Solution, Ranging | None]:
    """By the named solver, else the first installed one for the class, and where its duals do not
    prove a quadratic one the next; ``scaling`` is for programs with quadratic rows."""
    # the time left, threads, seed and options of the solver
    asked = settings.for_solver(settings.budget())
    kind = program.problem_class
    name = settings.solver
    # convex quadratic: the first solver whose duals prove its point
    if name is None and kind is ProblemClass.QP:
        return solved_by_any(program, program, asked), None
    if name is None:
        name = preferred(kind, nonconvex=bool(program.quadratic_rows) and not is_convex(program))
    # linear: the simplex method to a tight tolerance, with ranges of costs and sides
    if name == "highs" and kind is ProblemClass.LP and program.cost.size:
        with contextlib.suppress(SolverError):  # the tight tolerance may be out of reach
            return solve_ranged(program, replace(asked, tolerance=ANALYSIS_TOLERANCE))
        # an interior point to the usual tolerance where that is out of reach
        asked = replace(asked, options={**INTERIOR, **asked.options})
    # quadratic rows are solved in the units of the suffix scaling_factor
    if scaling is None or scaling.trivial or not program.quadratic_rows:
        return solve_program(program, name, asked), None
    return scaling.restored(solve_program(scaling.scaled(program), name, asked), program), None


def _solve_fixed(
    program: Program, settings: RunSettings
) -> tuple[Solution, Ranging | None, Conflict | None]:
    """A program with fixed variables may be infeasible, which can take the simplex method long to
    see: after a while a linear one is first asked for a conflict. All ends within the time limit,
    a minute where none is given."""
    # one deadline for all tries
    end = time.monotonic() + (settings.time_limit or PATIENCE)

    def until(seconds: float) -> RunSettings:
        return replace(settings, time_limit=max(1e-3, min(seconds, end - time.monotonic())))

    if program.problem_class is not ProblemClass.LP:
        return *_solve(program, until(math.inf)), None
    cut_off = (Status.LIMIT, Status.INTERRUPTED)
    # the simplex method first: of a feasible program the search for a conflict may take a minute
    with contextlib.suppress(SolverError):
        solution, ranging = _solve(program, until(FIRST_TRY))
        if solution.status not in cut_off:
            return solution, ranging, None
    # the alternative of Farkas: multipliers of the rows that add up to 0 >= 1
    found = proven_conflict(program, settings.for_own_solver(until(math.inf).budget(), PATIENCE))
    answer = Solution(status=Status.LIMIT, solver="highs", version=highs_version())
    if found is not None:
        return replace(answer, status=Status.INFEASIBLE, message=PROVEN), None, found
    # what is left of the time
    if time.monotonic() < end - AT_LEAST:
        try:
            solution, ranging = _solve(program, until(math.inf))
            if solution.status not in cut_off or settings.interrupted():
                return solution, ranging, None
        except SolverError:
            answer = replace(answer, status=Status.FAILED)
    return answer, None, None


def _with_integers_fixed(program: Program, x: FloatArray) -> Program:
    # integers at their values: what is left is continuous and has prices
    value = np.round(x)
    return replace(
        program,
        lower=np.where(program.integer, value, program.lower),
        upper=np.where(program.integer, value, program.upper),
        integer=np.zeros_like(program.integer),
    )
