"""What was changed in a Pyomo model since it was built, by the names that its components have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from radprog.base.errors import NonlinearError
from radprog.solvers.program import Program

if TYPE_CHECKING:
    import pyomo.environ as pyo

NAMED = 3  # members of a component that are named
OBJECTIVE = ""  # its name among the rows


@dataclass(frozen=True)
class AsBuilt:
    """Names of the columns and rows of a model, as Pyomo has them, and its numbers: None of what is
    neither linear nor quadratic, of which there are the ends of the columns and the algebra of the
    rows."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    program: Program | None
    ends: Mapping[str, Any] = field(default_factory=dict)
    algebra: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(model: pyo.ConcreteModel) -> AsBuilt:
        """A model as it is now."""
        import pyomo.environ as pyo

        from radprog.solvers.compile import compile_model, component_names, variables_and_rows

        # matrices of a linear or quadratic model, else its algebra as text
        names = component_names(model)
        with suppress(NonlinearError):
            return AsBuilt(*names, compile_model(model))
        variables, rows = variables_and_rows(model)
        ends = {n: (*v.bounds, v.domain.name) for n, v in zip(names[0], variables, strict=True)}
        algebra = {name: str(row.expr) for name, row in zip(names[1], rows, strict=True)}
        for objective in model.component_data_objects(pyo.Objective, active=True):
            algebra[OBJECTIVE] = f"{objective.sense}: {objective.expr}"
        return AsBuilt(*names, None, ends, algebra)

    def numbers(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What is compared of every column, and of every row and the objective."""
        program = self.program
        if program is None:
            return self.ends, self.algebra

        def square(matrix: Any) -> Any:
            """The entries of a quadratic part by the names of their columns."""
            if matrix is None:
                return None
            entries = zip(*matrix.tocoo().coords, matrix.tocoo().data.tolist(), strict=True)
            return {(self.columns[i], self.columns[j]): a for i, j, a in entries}

        # columns by their bounds, rows by their entries and sides
        box = zip(program.lower, program.upper, program.integer, strict=True)
        cost = dict(zip(self.columns, program.cost.tolist(), strict=True))
        rows: dict[str, Any] = {
            OBJECTIVE: (
                program.sense,
                {name: value for name, value in cost.items() if value},
                program.constant,
                square(program.quadratic),
            )
        }
        indptr = program.rows.indptr
        for i, name in enumerate(self.rows):
            own = slice(indptr[i], indptr[i + 1])
            places = [self.columns[j] for j in program.rows.indices[own]]
            entries = dict(zip(places, program.rows.data[own].tolist(), strict=True))
            sides = program.row_lower[i], program.row_upper[i]
            rows[name] = entries, sides, square(program.quadratic_rows.get(i))
        return dict(zip(self.columns, box, strict=True)), rows


@dataclass(frozen=True, kw_only=True)
class Changes:
    """``told``: each in words; ``fixed``: values of variables that were free; ``left_out``: rows
    that are no longer active, or gone."""

    told: tuple[str, ...] = ()
    fixed: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def changes_since(built: AsBuilt, model: pyo.ConcreteModel) -> Changes:
    """What is other in a ``model`` than when it was ``built``."""
    import pyomo.environ as pyo  # loaded where there is a model

    # variables that are fixed by now are free while numbers are compared: what they move is theirs
    before = set(built.columns)
    held = [v for v in model.component_data_objects(pyo.Var) if v.fixed and v.name in before]
    for variable in held:
        variable.unfix()
    try:
        now = AsBuilt.of(model)
    finally:
        for variable in held:
            variable.fix()
    fixed = {variable.name: float(variable.value) for variable in held}
    old, new = built.program, now.program
    same = (built.columns, built.rows) == (now.columns, now.rows)
    # components that came, went or were fixed
    rows, columns = set(now.rows), set(now.columns)
    left_out = tuple(name for name in built.rows if name not in rows)
    told = [
        *_words("constraint", sorted(rows.difference(built.rows)), "added"),
        *_words("constraint", left_out, "left out"),
        *_words("variable", (n for n in now.columns if n not in before), "added"),
        *_words("variable", (f"{name} = {value:g}" for name, value in fixed.items()), "fixed"),
        *_words("variable", (n for n in built.columns if n not in columns), "removed"),
    ]
    if not (same and old is not None and new is not None and old.same_numbers(new)):
        # components on both sides, number by number
        pairs = zip(("variable", "constraint"), built.numbers(), now.numbers(), strict=True)
        for kind, first, second in pairs:
            others = [name for name in first if name in second and first[name] != second[name]]
            told += _words(kind, (name for name in others if name), "with other numbers")
            told += ["another objective"] * (OBJECTIVE in others)
    return Changes(told=tuple(told), fixed=fixed, left_out=left_out)


def _words(kind: str, names: Iterable[str], change: str) -> Iterator[str]:
    """A line for every component, its first members by name."""
    together: dict[str, list[str]] = {}
    for name in names:
        together.setdefault(name.partition("[")[0].partition(" ")[0], []).append(name)
    for members in together.values():
        more = f" and {len(members) - NAMED} more" if len(members) > NAMED else ""
        yield f"{kind} {', '.join(members[:NAMED])}{more} {change}"
