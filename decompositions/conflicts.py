"""A point that satisfies the user's constraints, or the names of constraints in conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from radprog.base.errors import SettingError, SolverError, UnfinishedError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.models.score_arrays import ScoreRows
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
    """The optimal point (n,) of a program. :func:`conflict_words` describes ``kept_by``.

    ``names`` contains the names of the program's first rows. These rows are the constraints. Later
    rows are always kept. Raises SettingError with a conflict if no point is feasible. Raises
    OutOfBudget if the budget runs out, and SolverError if no solver can decide.
    """
    # in units in which entries and costs are 1 at most
    columns = largest_entries(program.rows, axis=0)
    rows = largest_entries(program.rows @ sparse.diags_array(1.0 / columns), axis=1)
    cost = float(np.abs(program.cost / columns).max()) or 1.0
    units = Scaling(columns, 1.0 / rows, 1.0 / cost)
    scaled, x = units.scaled(program), None
    solver_settings = settings.for_own_solver(budget, None)
    try:
        solution = solve_program(scaled, "highs", replace(solver_settings, tol=MASTER_TOLERANCE))
    except SolverError as error:
        cause = str(error)
    else:
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        x, cause = units.restored(solution, program).x, solution.status.value
    if x is not None:
        return x
    # no point, or a solver that failed: a conflict proves that there is none
    conflict = _conflicting_names(scaled, names, settings, budget)
    if conflict is None:
        raise SolverError(f"highs found no point that keeps the constraints: {cause}")
    raise SettingError(conflict_words(conflict[0], kept_by, decided=conflict[1]))


def refuse_conflict(
    rows: ScoreRows,
    images: Callable[[sparse.csr_array], FloatArray],
    settings: RunSettings,
    budget: Budget,
    bounds: tuple[FloatArray, FloatArray] | None = None,
) -> None:
    """Raise SettingError if no coefficients c (n,), free or bounded by 0, satisfy the rows.

    ``images`` maps rows G (R, m) to their products (R, n) with the scores of the coefficients.
    """
    A, K = images(rows.G), len(rows.owner)
    low, high = bounds or (np.full(A.shape[1], -np.inf), np.full(A.shape[1], np.inf))
    program = Program(
        cost=np.zeros(A.shape[1] + K),
        rows=sparse.diags_array(1.0 / rows.sizes) @ sparse.hstack([sparse.csr_array(A), rows.T]),
        row_lower=np.full(len(rows), -np.inf),
        row_upper=rows.h / rows.sizes,
        lower=np.append(low, np.zeros(K)),
        upper=np.append(high, np.full(K, np.inf)),
    )
    conflict = _conflicting_names(program, rows.row_names, settings, budget)
    if conflict is not None:
        raise SettingError(conflict_words(conflict[0], decided=conflict[1]) + surrogate_note(rows))


def _conflicting_names(
    program: Program, names: Sequence[str], settings: RunSettings, budget: Budget
) -> tuple[list[str], bool] | None:
    """Constraints in conflict and whether the set is minimal, or None if there is no conflict.

    ``names`` are those of the constraints of the first rows; later rows are always kept. An
    irreducible conflict of rows and bounds may contain rows that are not needed without these
    bounds, or without other rows of their constraints. The function therefore tests whether each
    constraint can be omitted. Raises OutOfBudget if there is not enough time to decide.
    """
    from radprog.solvers.questions.conflict import find_conflict

    # seconds to find a conflict, and to leave its constraints out, without a time limit
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
    rows = [c.index for c in conflict.conditions if c.part == "row" and c.index < len(names)]
    words = list(dict.fromkeys(names[row] for row in sorted(rows)))
    # leave each constraint out once: bounds of coefficients may take its place
    bounds, start = len(words) < len(conflict.conditions), budget.seconds
    decided = bounds or conflict.irreducible
    for name in tuple(words) if bounds else ():
        budget.check()
        remaining = {word for word in words if word != name}
        kept = [
            r for r in range(len(program.row_upper)) if r >= len(names) or names[r] in remaining
        ]
        timed = settings.for_own_solver(budget, max(1e-3, start + patience - budget.seconds))
        try:
            status = solve_program(program.of_rows(kept), "highs", timed).status
        except SolverError:
            status = Status.FAILED
        if status is Status.INFEASIBLE:
            words.remove(name)
        decided &= status in (Status.INFEASIBLE, Status.OPTIMAL, Status.FEASIBLE)
    return words, decided


def conflict_words(
    words: Sequence[str], kept_by: str = "coefficients keep", *, decided: bool
) -> str:
    """An error message with the names of constraints in conflict.

    ``kept_by`` describes a point that satisfies a constraint. The set is minimal if ``decided``.
    """
    listed = listed_names(words)
    if len(words) == 1:
        return f"no {kept_by} the constraint: {listed}"
    spare = (
        "without any one of them the others can hold" if decided else "perhaps fewer of them cannot"
    )
    return f"{len(words)} constraints cannot hold together: {listed}; {spare}"


def surrogate_note(rows: ScoreRows) -> str:
    """What a message on a conflict says of rates, if there are any among the rows."""
    note = "; a rate is capped by its convex surrogate, which may be far above it: try larger caps"
    return note if len(rows.owner) else ""


def listed_names(words: Sequence[str]) -> str:
    """The first names of constraints, and the number of the others."""
    suffix = f", and {len(words) - MOST_SHOWN} more" if len(words) > MOST_SHOWN else ""
    return "; ".join(words[:MOST_SHOWN]) + suffix
