"""A point that satisfies the user's constraints, or the names of constraints in conflict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from radprog.base.errors import SettingError, SolverError, UnfinishedError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.models.score_rows import ScoreRows
from radprog.solvers.program import Program, Status
from radprog.solvers.registry import solve_program
from radprog.solvers.rescale import Scaling, largest_entries

MOST_SHOWN = 8  # rows of a conflict that its error names


def solve_feasible(
    program: Program,
    names: Sequence[str],
    settings: RunSettings,
    budget: Budget,
    kept_by: str = "coefficients keep",
) -> FloatArray:
    """The optimal point (n,) of a program. :func:`conflict_words` describes ``names`` and
    ``kept_by``.

    Raises SettingError with a conflict if no point is feasible. Raises OutOfBudget if the budget
    runs out, and SolverError if no solver can decide.
    """
    # in units in which entries and costs are 1 at most
    columns = largest_entries(program.rows, axis=0)
    rows = largest_entries(program.rows @ sparse.diags_array(1.0 / columns), axis=1)
    cost = float(np.abs(program.cost / columns).max()) or 1.0
    units = Scaling(columns, 1.0 / rows, 1.0 / cost)
    scaled = units.scaled(program)
    solver_settings = settings.for_own_solver(budget, None)
    try:
        solution = solve_program(scaled, "highs", replace(solver_settings, tol=MASTER_TOLERANCE))
    except SolverError as error:
        x, why = None, str(error)
    else:
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        x, why = units.restored(solution, program).x, solution.status.value
    if x is not None:
        return x
    # no point, or a solver that failed: a conflict proves that there is none
    conflict = conflict_words(scaled, names, settings, budget, kept_by)
    if conflict is None:
        raise SolverError(f"highs found no point that keeps the constraints: {why}")
    raise SettingError(conflict)


def refuse_conflict(
    images: FloatArray,
    rows: ScoreRows,
    settings: RunSettings,
    budget: Budget,
    bounds: tuple[FloatArray, FloatArray] | None = None,
) -> None:
    """Raise SettingError if no coefficients c (n,), free or bounded, satisfy images c <= h.

    images has shape (R, n).
    """
    size = images.shape[1]
    low, high = bounds or (np.full(size, -np.inf), np.full(size, np.inf))
    program = Program(
        cost=np.zeros(size),
        rows=sparse.csr_array(images / rows.sizes[:, None]),
        row_lower=np.full(len(rows), -np.inf),
        row_upper=rows.h / rows.sizes,
        lower=low,
        upper=high,
    )
    conflict = conflict_words(program, rows.names, settings, budget)
    if conflict is not None:
        raise SettingError(conflict)


def conflict_words(
    program: Program,
    names: Sequence[str],
    settings: RunSettings,
    budget: Budget,
    kept_by: str = "coefficients keep",
) -> str | None:
    """An error message with the names of constraints in conflict, or None if there is no conflict.

    The set is minimal unless the message states otherwise.

    ``names`` contains the names of the program's first rows. These rows are the constraints. Later
    rows are always kept. ``kept_by`` describes a point that satisfies a constraint. An irreducible
    conflict of rows and bounds may contain rows that are not needed without these bounds. The
    function therefore tests whether each row can be omitted. Raises OutOfBudget if there is not
    enough time to decide.
    """
    from radprog.solvers.questions.conflict import find_conflict

    # seconds to find a conflict, and to leave its rows out, without a time limit
    patience = 60.0

    try:
        conflict = find_conflict(program, settings.for_own_solver(budget, patience))
    except UnfinishedError:
        if budget.time_limit is None and not budget.spent():
            raise SolverError(
                f"no solver decides within {patience:g} s whether the constraints can hold "
                "together: a `time_limit` gives it longer"
            ) from None
        raise OutOfBudget from None
    if conflict is None:
        return None
    # rows of the conflict that are constraints of the user
    always = tuple(range(len(names), len(program.row_names)))
    rows = [
        condition.index
        for condition in conflict.conditions
        if condition.part == "row" and condition.index < len(names)
    ]
    # leave each row out once: bounds of coefficients may take its place
    bounds, since = len(rows) < len(conflict.conditions), budget.seconds
    decided = bounds or conflict.irreducible
    for row in tuple(rows) if bounds else ():
        budget.check()
        others = [other for other in rows if other != row]
        part = program.of_rows((*others, *always))
        how = settings.for_own_solver(budget, max(1e-3, since + patience - budget.seconds))
        try:
            status = solve_program(part, "highs", how).status
        except SolverError:
            status = Status.FAILED
        if status is Status.INFEASIBLE:
            rows = others
        decided &= status in (Status.INFEASIBLE, Status.OPTIMAL, Status.FEASIBLE)
    words = [names[row] for row in rows]
    more = f", and {len(words) - MOST_SHOWN} more" if len(words) > MOST_SHOWN else ""
    listed = "; ".join(words[:MOST_SHOWN]) + more
    if len(words) == 1:
        return f"no {kept_by} the constraint: {listed}"
    spare = (
        "without any one of them the others can hold" if decided else "perhaps fewer of them cannot"
    )
    return f"{len(words)} constraints cannot hold together: {listed}; {spare}"
