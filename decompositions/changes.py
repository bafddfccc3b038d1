"""Changes to a Pyomo model after its construction, by the names of its components."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from radprog.base.errors import NonlinearError
from radprog.base.modelling import pyo
from radprog.solvers.program import Program

OBJECTIVE = "the objective"  # its name among the rows


@dataclass(frozen=True)
class AsBuilt:
    """The state of a model at its construction: the names of its columns and rows, and its
    coefficients and bounds.

    Parts that are neither linear nor quadratic are stored by name, with their bounds and
    expressions.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    program: Program | None
    algebra: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(model: pyo.ConcreteModel) -> AsBuilt:
        """The current state of a model."""
        from radprog.solvers.compile import compile_model, component_names, variables_and_rows

        # matrices of a linear or quadratic model, else its algebra as text
        names = component_names(model)
        with suppress(NonlinearError):
            return AsBuilt(*names, compile_model(model))
        variables, rows = variables_and_rows(model)
        algebra: dict[str, Any] = {
            **{n: (*v.bounds, v.domain.name) for n, v in zip(names[0], variables, strict=True)},
            **{name: str(row.expr) for name, row in zip(names[1], rows, strict=True)},
        }
        for objective in model.component_data_objects(pyo.Objective, active=True):
            algebra[OBJECTIVE] = f"{objective.sense}: {objective.expr}"
        return AsBuilt(*names, None, algebra)

    def contents(self) -> Mapping[str, Any]:
        """The content of each column, each row and the objective, by name, for comparison."""
        program = self.program
        if program is None:
            return self.algebra

        def square(matrix: Any) -> Any:
            """The entries of a quadratic part, by the names of their columns."""
            if matrix is None:
                return None
            entries = zip(*matrix.tocoo().coords, matrix.tocoo().data.tolist(), strict=True)
            return {(self.columns[i], self.columns[j]): a for i, j, a in entries}

        # columns by their bounds, rows by their entries and sides
        box = zip(program.lower, program.upper, program.integer, strict=True)
        contents: dict[str, Any] = dict(zip(self.columns, box, strict=True))
        cost = {n: c for n, c in zip(self.columns, program.cost.tolist(), strict=True) if c}
        contents[OBJECTIVE] = program.sense, cost, program.constant, square(program.quadratic)
        indptr = program.rows.indptr
        for i, name in enumerate(self.rows):
            part = slice(indptr[i], indptr[i + 1])
            places = [self.columns[j] for j in program.rows.indices[part]]
            entries = dict(zip(places, program.rows.data[part].tolist(), strict=True))
            sides = program.row_lower[i], program.row_upper[i]
            contents[name] = entries, sides, square(program.quadratic_rows.get(i))
        return contents


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Changes to a model.

    ``told`` contains the names of changed, new and removed components. ``fixed`` contains the
    values of variables that were free before. ``left_out`` contains the rows that were removed or
    deactivated.
    """

    told: tuple[str, ...] = ()
    fixed: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def changes_since(built: AsBuilt, model: pyo.ConcreteModel) -> Changes:
    """The differences between the ``model`` and ``built``, its state at construction."""
    # variables that were fixed since are freed for the comparison, as they would change rows
    columns = set(built.columns)
    frozen = [v for v in model.component_data_objects(pyo.Var) if v.fixed and v.name in columns]
    for variable in frozen:
        variable.unfix()
    try:
        current = AsBuilt.of(model)
    finally:
        for variable in frozen:
            variable.fix()
    fixed = {variable.name: float(variable.value) for variable in frozen}
    # components that changed, came or went; the matrices come first, as they are often equal
    changed: list[str] = []
    old, new, same = built.program, current.program, built.rows == current.rows
    same &= built.columns == current.columns
    if not (same and old is not None and new is not None and old.same_numbers(new)):
        former, latter = built.contents(), current.contents()
        changed = [name for name in {**former, **latter} if former.get(name) != latter.get(name)]
    rows = set(current.rows)
    return Changes(
        told=tuple(dict.fromkeys(name.partition("[")[0] for name in [*fixed, *changed])),
        fixed=fixed,
        left_out=tuple(name for name in built.rows if name not in rows),
    )
