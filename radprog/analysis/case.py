"""The subject of an analysis: the program of a form, with its solution."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, SolverError
from radprog.base.modelling import pyo
from radprog.catalog import Entry, entry_of
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings, Spec, first_form
from radprog.models.kernels import kernel_names
from radprog.solvers.compile import (
    compile_model,
    component_names,
    scaling_of,
    sense_of_model,
)
from radprog.solvers.program import ProblemClass, Program, Solution, Status
from radprog.solvers.questions.ranging import Ranging, solve_ranged
from radprog.solvers.registry import solve_program, solved_by_any
from radprog.solvers.rescale import Scaling
from radprog.wiring import Term, Wiring

_FIELD = re.compile(r"{(\w+)}")


class Wording:
    """The descriptions of the components of a form, with or without a data set.

    The descriptions are in the papers' folders. If a component has another meaning in one form, the
    description for this form has the key FORM:COMPONENT. Placeholders stand for the indices of a
    component, in their order. {point} is a row of the data file, {kernel} a kernel, and {centre} a
    point or an additional centre. Other placeholders become labels of the paper, or the number
    itself.

    ``hooks`` belongs to the model, and is None for a user's own program. ``iterate`` is the iterate
    of the form. Its entry ``kernels`` lists the kernels of the program, if they differ from the
    kernels of ``spec``.
    """

    def __init__(
        self,
        hooks: Wiring[Any, Any] | None,
        form: str,
        spec: Spec | None,
        data: Any,
        iterate: Mapping[str, Any] | None = None,
    ) -> None:
        self._hooks, self._form = hooks, form
        iterate = iterate or {}
        self._rows, self._data = int(getattr(data, "rows", 0)), data
        centres: Sequence[int] = iterate.get("centre_rows") or ()
        # kernels by name: those of the form, else those of the settings
        kernels = getattr(spec, "kernels", None)
        default = kernel_names(kernels) if kernels else []
        self._kernels: list[str] = iterate.get("kernels", default)
        self._labels: dict[str, Callable[[int], str]] = {
            "point": self._point,
            "centre": lambda j: self._point(centres[j] if centres else j),
            "kernel": lambda k: self._kernels[k] if k < len(self._kernels) else f"kernel {k}",
        }
        # the functions for labels of the paper receive all points in words
        labels = {} if hooks is None else hooks.labels
        names = [self._point(i) for i in range(self._rows)] if labels else []
        for name, words in labels.items():
            self._labels[name] = partial(words, points=names, iterate=iterate)

    def _term(self, name: str) -> Term | None:
        return None if self._hooks is None else self._hooks.term(self._form, name)

    def _point(self, i: int) -> str:
        if i < self._rows:
            return str(self._data.row_name(i))
        return f"further centre {i - self._rows + 1}"

    def what(self, component: str) -> str:
        """The description of a member such as ``margin[3]``; its name if the paper's folder has no
        description.
        """
        if self._hooks is None:
            return component
        # NAME[INDEX]: the description of the name, with the numbers of the index in their places
        name, _, index = component.partition("[")
        term = self._term(name)
        if term is None:
            return component
        numbers = iter(int(number) for number in re.findall(r"-?\d+", index))

        def label(field: re.Match[str]) -> str:
            number = next(numbers, None)
            if number is None:
                return ""
            return self._labels.get(field[1], str)(number)

        words = _FIELD.sub(label, term.what)
        # numbers without a place in the description follow it
        further = [str(number) for number in numbers]
        return f"{words} [{','.join(further)}]" if further else words


@dataclass(frozen=True, kw_only=True)
class Case:
    """The solved program that all sections of an analysis describe.

    ``entry``, ``spec``, ``data`` and ``form`` are None for a user's own program, and ``built`` for
    one from a file or another modelling language. ``columns`` and
    ``rows`` are the names of the program's columns and rows, and ``solution`` is its solution.
    ``priced`` is the solution with multipliers; for an integer program, its integers are fixed.
    ``scale`` is the reported objective divided by the minimised one. ``foreign`` is the name of a
    program from another modelling language, such as CVXPY.
    """

    built: BuiltForm | None
    program: Program
    columns: Sequence[str]
    rows: Sequence[str]
    solution: Solution
    priced: Solution | None
    ranging: Ranging | None
    wording: Wording
    settings: RunSettings
    entry: Entry | None = None
    spec: Spec | None = None
    data: Any = None
    form: str | None = None
    foreign: str | None = None

    @property
    def named(self) -> Program:
        """The program with the names of its rows and columns."""
        return replace(self.program, column_names=tuple(self.columns), row_names=tuple(self.rows))

    @property
    def scale(self) -> float:
        return float(self.program.sense) if self.built is None else self.built.sense


def solved_case(
    spec: Spec,
    data: Any,
    form: str | None = None,
    settings: RunSettings | None = None,
) -> Case:
    """Solve the program of a form. For linear programs, also compute prices and ranges."""
    entry, settings = entry_of(spec), settings or RunSettings()
    if not entry.forms:
        raise OptionError(f"{entry.name} has no program to analyze")
    form = form or first_form(spec)
    # the default method builds the form, for any solver
    built = entry.form(spec, data, form, replace(settings, solver=None, solver_options={}))
    wording = Wording(entry.hooks, form, spec, data, built.iterate)
    return _solve_case(built, settings, wording, entry=entry, spec=spec, data=data, form=form)


def model_case(model: pyo.ConcreteModel, settings: RunSettings) -> Case:
    """Solve a user's own program."""
    built = BuiltForm(model, None, float(sense_of_model(model)))
    return _solve_case(built, settings, Wording(None, "", None, None))


def program_case(program: Program, name: str, settings: RunSettings) -> Case:
    """Solve a program from another modelling language, such as CVXPY."""
    return _solve_case(program, settings, Wording(None, "", None, None), foreign=name)


def _solve_case(
    subject: BuiltForm | Program,
    settings: RunSettings,
    wording: Wording,
    **source: Any,
) -> Case:
    """Solve a program, or that of a built model; ``source`` are further fields of the case."""
    scaling = built = None
    if isinstance(subject, Program):
        program, columns, rows = subject, subject.column_names, subject.row_names
    else:
        built, model = subject, subject.model
        program, scaling = compile_model(model), scaling_of(model)
        # Pyomo's names, in the order of the matrices
        columns, rows = component_names(model)
    solution, ranging = _solve(program, settings, scaling)
    # prices of a program with integers are those with the integers fixed
    priced = solution
    if program.integer.any() and solution.x is not None:
        # fixed at the judged point, so that the program is continuous
        integer = program.integer
        continuous = replace(
            program,
            lower=np.where(integer, solution.x, program.lower),
            upper=np.where(integer, solution.x, program.upper),
            integer=np.zeros_like(integer),
        )
        priced, ranging = _solve(continuous, settings)
    return Case(
        **source,
        wording=wording,
        built=built,
        program=program,
        columns=columns,
        rows=rows,
        solution=solution,
        priced=None if priced.row_duals is None else priced,
        ranging=ranging,
        settings=settings,
    )


def _solve(
    program: Program, settings: RunSettings, scaling: Scaling | None = None
) -> tuple[Solution, Ranging | None]:
    """Solve with the named solver, or with the installed ones until an answer is proved.

    ``scaling`` is used for programs with quadratic rows.
    """
    # the remaining time, threads, seed and options of the solver
    solving = settings.for_solver(settings.budget())
    name, linear = settings.solver, program.problem_class is ProblemClass.LP
    # linear: the simplex method to a tight tolerance, with ranges of costs and sides
    if name in (None, "highs") and linear and program.cost.size:
        with contextlib.suppress(SolverError):  # the tight tolerance may be out of reach
            # a small tolerance of the simplex method, because prices of a program can be small
            ranged = solve_ranged(program, replace(solving, tol=1e-9))
            if name or ranged[0].status is not Status.FAILED:
                return ranged
    # quadratic rows are solved in the units of the suffix scaling_factor
    as_it_is = scaling is None or scaling.trivial or not program.quadratic_rows
    units = None if as_it_is else scaling
    scaled = program if units is None else units.scaled(program)
    if name is None:
        answer = solved_by_any(program, scaled, solving)
    else:
        answer = solve_program(scaled, name, solving)
    return answer if units is None else units.restored(answer, program), None
