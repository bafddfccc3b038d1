"""Changes to a Pyomo model after its construction, by the names of its components."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from radprog.base.errors import NonlinearError
from radprog.base.modelling import pyo
from radprog.solvers.program import Program

OBJECTIVE = "the objective"  # its name among the rows
State: TypeAlias = Program | Mapping[str, Any]


def state_of(model: pyo.ConcreteModel) -> State:
    """The program of a model by Pyomo's names; of one that is neither linear nor quadratic, its
    bounds and expressions by name.
    """
    from radprog.solvers.compile import compile_model, component_names, variables_and_rows

    columns, rows = component_names(model)
    with suppress(NonlinearError):
        return replace(compile_model(model), column_names=columns, row_names=rows)
    parts = variables_and_rows(model)
    state: dict[str, Any] = {
        **{n: (*v.bounds, v.domain.name) for n, v in zip(columns, parts[0], strict=True)},
        **{name: str(row.expr) for name, row in zip(rows, parts[1], strict=True)},
    }
    for objective in model.component_data_objects(pyo.Objective, active=True):
        state[OBJECTIVE] = f"{objective.sense}: {objective.expr}"
    return state


def changes_since(built: State, model: pyo.ConcreteModel) -> dict[str, Any]:
    """The differences between the ``model`` and ``built``, its state at construction.

    ``told`` are the names of changed, new and removed components, ``fixed`` the values of variables
    that were free before, and ``left_out`` the rows that were removed or deactivated. Without
    changes, the dictionary is empty.
    """
    from radprog.solvers.questions.difference import differences

    # variables that were fixed since are freed for the comparison, as they would change rows
    columns = {*(built.column_names if isinstance(built, Program) else built)}
    frozen = [v for v in model.component_data_objects(pyo.Var) if v.fixed and v.name in columns]
    for variable in frozen:
        variable.unfix()
    try:
        current = state_of(model)
    finally:
        for variable in frozen:
            variable.fix()
    fixed = {variable.name: float(variable.value) for variable in frozen}
    # components that changed, came or went; the matrices come first, as they are often equal
    changed, left_out = list[str](), list[str]()
    if isinstance(built, Program) and isinstance(current, Program):
        names = [(p.column_names, p.row_names) for p in (built, current)]
        left_out = [name for name in built.row_names if name not in {*current.row_names}]
        if names[0] != names[1] or not built.same_numbers(current):
            for change in differences(built, current):
                of_objective = change.part == "objective" or change.what == "cost"
                changed.append(OBJECTIVE if of_objective else change.name.partition(", ")[0])
        former, latter = _squares(built), _squares(current)
    else:
        former, latter = (
            {**dict.fromkeys((*state.column_names, *state.row_names), True)}
            if isinstance(state, Program)
            else dict(state)
            for state in (built, current)
        )
    changed += [name for name in {**former, **latter} if former.get(name) != latter.get(name)]
    if not fixed and not changed:
        return {}
    told = tuple(dict.fromkeys(name.partition("[")[0] for name in [*fixed, *changed]))
    return {"told": told, "fixed": fixed, "left_out": tuple(left_out)}


def _squares(program: Program) -> dict[str, Any]:
    """The quadratic parts of the objective and of rows, by the names of their columns."""
    squares = {} if program.quadratic is None else {OBJECTIVE: program.quadratic}
    squares |= {program.row_names[i]: matrix for i, matrix in program.quadratic_rows.items()}
    names = program.column_names
    return {
        name: {
            (names[i], names[j]): a
            for i, j, a in zip(*matrix.tocoo().coords, matrix.tocoo().data.tolist(), strict=True)
        }
        for name, matrix in squares.items()
    }
