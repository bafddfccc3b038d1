"""What was changed in a Pyomo model since it was built, by the names that its components have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.errors import NonlinearError
from radprog.solvers.program import Program

if TYPE_CHECKING:
    import pyomo.environ as pyo

NAMED = 3  # members of a component that are named


@dataclass(frozen=True)
class AsBuilt:
    """Names of the columns and rows of a model, as Pyomo has them, and its numbers: None of what is
    neither linear nor quadratic, of which there are the ends of the columns and the algebra of the
    rows, and of the objective, whose name is empty."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    program: Program | None
    ends: Mapping[str, Any] = field(default_factory=dict)
    algebra: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(model: pyo.ConcreteModel) -> AsBuilt:
        """A model as it is now."""
        import pyomo.environ as pyo

        from radprog.solvers.compile import (
            compile_model,
            component_names,
            variables_and_rows,
        )

        names = component_names(model)
        with suppress(NonlinearError):
            return AsBuilt(*names, compile_model(model))
        found = variables_and_rows(model)
        ends = {n: (*v.bounds, v.domain.name) for n, v in zip(names[0], found[0], strict=True)}
        algebra = {name: str(row.expr) for name, row in zip(names[1], found[1], strict=True)}
        for objective in model.component_data_objects(pyo.Objective, active=True):
            algebra[""] = f"{objective.sense}: {objective.expr}"
        return AsBuilt(*names, None, ends, algebra)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """``told``: each in words; ``fixed``: values of variables that were free; ``left_out``: rows
    that are no longer active, or gone."""

    told: tuple[str, ...] = ()
    fixed: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def changes_since(built: AsBuilt, now: AsBuilt, model: pyo.ConcreteModel) -> Changes:
    """What is other in a ``model``, which is ``now``, than when it was ``built``."""
    import pyomo.environ as pyo  # loaded where there is a model

    old, new = built.program, now.program
    same = (built.columns, built.rows) == (now.columns, now.rows)
    if same and old is not None and new is not None and old.same_numbers(new):
        return Changes()
    rows, columns = _apart(built.rows, now.rows), _apart(built.columns, now.columns)
    off = {row.name for row in model.component_data_objects(pyo.Constraint) if not row.active}
    held = {v.name: v.value for v in model.component_data_objects(pyo.Var) if v.fixed}
    fixed = {name: float(held[name]) for name in columns[1] if name in held}
    told = [
        *_words("constraint", rows[0], "added"),
        *_words("constraint", [name for name in rows[1] if name in off], "deactivated"),
        *_words("constraint", [name for name in rows[1] if name not in off], "removed"),
        *_words("variable", columns[0], "added"),
        *_words("variable", fixed, "fixed", {name: f" = {x:g}" for name, x in fixed.items()}),
        *_words("variable", [name for name in columns[1] if name not in fixed], "removed"),
    ]
    if old is not None and new is not None:
        told += _numbers(built, now, old, new)
    elif (old is None) != (new is None):
        told.append("algebra of another kind")
    else:
        told += _words("variable", _others(built.ends, now.ends), "with other bounds")
        others = _others(built.algebra, now.algebra)
        told += _words("constraint", [name for name in others if name], "with other algebra")
        told += ["another objective"] * ("" in others)
    return Changes(told=tuple(told), fixed=fixed, left_out=tuple(rows[1]))


def _apart(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that are new, and those that are gone, in order."""
    before, after = set(old), set(new)
    return [n for n in new if n not in before], [n for n in old if n not in after]


def _others(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Names that both have, of something else."""
    return [name for name, value in old.items() if name in new and new[name] != value]


def _words(
    kind: str, names: Iterable[str], change: str, more: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A line for every component, its first members by name."""
    together: dict[str, list[str]] = {}
    for name in names:
        together.setdefault(name.partition("[")[0], []).append(name)
    for members in together.values():
        shown = ", ".join(name + (more or {}).get(name, "") for name in members[:NAMED])
        rest = len(members) - NAMED
        yield f"{kind} {shown}{f' and {rest} more' if rest > 0 else ''} {change}"


def _numbers(built: AsBuilt, now: AsBuilt, old: Program, new: Program) -> Iterator[str]:
    """Rows and columns that are still there with other numbers, and another objective. What fixed
    variables move elsewhere is their change alone."""
    own, its = _common(built.columns, now.columns)
    kept, held = _common(built.rows, now.rows)
    gone = np.setdiff1d(np.arange(len(built.columns)), own)
    added = np.setdiff1d(np.arange(len(now.columns)), its)
    before, after = old.rows[kept], new.rows[held]
    other = _touched(before[:, own] != after[:, its]) | _touched(after[:, added])
    sides = (old.row_lower[kept] != new.row_lower[held]) | (
        old.row_upper[kept] != new.row_upper[held]
    )
    curved = [
        _square(old, int(row)) != _square(new, int(place))
        for row, place in zip(kept, held, strict=True)
    ]
    if gone.size:
        bent = np.isin(kept, list(old.quadratic_rows))
        other &= ~bent
        sides &= ~(_touched(before[:, gone]) | bent)
    else:
        other |= np.array(curved, dtype=np.bool_)
    names = np.array(built.rows, dtype=object)[kept]
    yield from _words("constraint", names[other], "with other coefficients")
    yield from _words("constraint", names[sides & ~other], "with another right-hand side")
    bounds = (old.lower[own] != new.lower[its]) | (old.upper[own] != new.upper[its])
    bounds |= old.integer[own] != new.integer[its]
    yield from _words(
        "variable", np.array(built.columns, dtype=object)[own][bounds], "with other bounds"
    )
    costs = bool((old.cost[own] != new.cost[its]).any() or new.cost[added].any())
    if not gone.size:
        costs |= old.constant != new.constant or _entries(old.quadratic) != _entries(new.quadratic)
    if (costs and not (gone.size and old.quadratic is not None)) or old.sense != new.sense:
        yield "another objective"


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[Any, Any]:
    """Places of the names that both have, in the first and in the second."""
    place = {name: j for j, name in enumerate(new)}
    kept = [i for i, name in enumerate(old) if name in place]
    return np.array(kept, np.intp), np.array([place[old[i]] for i in kept], np.intp)


def _touched(matrix: Any) -> Any:
    """Rows (m,) of a sparse matrix with an entry that is not 0."""
    found = np.zeros(matrix.shape[0], dtype=np.bool_)
    found[matrix.nonzero()[0]] = True
    return found


def _square(program: Program, row: int) -> Any:
    return _entries(program.quadratic_rows.get(row))


def _entries(matrix: Any) -> Any:
    """The entries of a sparse matrix, to be compared; nothing of None."""
    if matrix is None:
        return None
    found = matrix.tocoo()
    return *(part.tolist() for part in found.coords), found.data.tolist()
