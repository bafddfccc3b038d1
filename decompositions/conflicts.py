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
from radprog.models.score_rows import ScoreRow, ScoreRows
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
    x, cause, scaled = _optimal_point(program, settings, budget)
    if x is not None:
        return x
    # no point, or a solver that failed: a conflict proves that there is none
    conflict = _conflicting_rows(scaled, len(names), settings, budget)
    if conflict is None:
        raise SolverError(f"highs found no point that keeps the constraints: {cause}")
    # another row of the same rate may be enough: then the set is not proved minimal
    words = list(dict.fromkeys(names[row] for row in conflict[0]))
    decided = conflict[1] and len(words) == len(conflict[0])
    raise SettingError(conflict_words(words, kept_by, decided=decided))


def _optimal_point(
    program: Program, settings: RunSettings, budget: Budget
) -> tuple[FloatArray | None, str, Program]:
    """The optimal point (n,), or None; the word of the solver; the program as it was scaled."""
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
        return None, str(error), scaled
    if solution.status in (Status.LIMIT, Status.INTERRUPTED):
        raise OutOfBudget
    return units.restored(solution, program).x, solution.status.value, scaled


def refuse_conflict(
    rows: ScoreRows,
    images: Callable[[FloatArray], FloatArray],
    settings: RunSettings,
    budget: Budget,
    bounds: tuple[FloatArray, FloatArray] | None = None,
    scores: Callable[[FloatArray], FloatArray] | None = None,
) -> None:
    """Raise SettingError if no coefficients c (n,), free or bounded by 0, satisfy the rows.

    ``images`` maps rows G (R, m) to their products (R, n) with the scores of the coefficients. If
    ``scores`` maps c to its scores (m,), rates are kept as a whole: the rows that the least
    coefficients violate join until there are none. Contradicting rates of 6,000 points in 13
    dimensions need 10 rounds and 0.05 s; after 50 rounds nothing is decided.
    """
    has_rates = scores is not None and any(row.rate for row in rows.source)

    def conflict_of(active: Sequence[ScoreRow]) -> tuple[list[str], bool]:
        rates = [row for row in active if row.rate and has_rates]
        for number in range(2, 52):
            budget.check()
            points = ScoreRows.of_points(active, rows.G.shape[1])
            A, h = images(points.G) / points.sizes[:, None], points.h / points.sizes
            low, high = bounds or (np.full(A.shape[1], -np.inf), np.full(A.shape[1], np.inf))
            if rates and scores is not None:
                # the least coefficients, as differences of two nonnegative ones
                sides = np.concatenate([high, -low])
                parts = _program(
                    np.ones(len(sides)), np.hstack([A, -A]), h, np.zeros(len(sides)), sides
                )
                x, _, _ = _optimal_point(parts, settings, budget)
                if x is not None:
                    f = scores(x[: A.shape[1]] - x[A.shape[1] :])
                    violated = [added for row in rates for added in row.violated(f, number)]
                    if not violated:
                        return [], True
                    active = [*active, *violated]
                    continue
            program = _program(np.zeros(A.shape[1]), A, h, low, high)
            conflict = _conflicting_rows(program, len(points), settings, budget)
            if conflict is None:
                return [], not rates
            names = list(dict.fromkeys(points.row_names[row] for row in conflict[0]))
            # fewer rules than rows: another row of a rate may be enough
            return names, conflict[1] and (has_rates or len(names) == len(conflict[0]))
        return [], False

    names, decided = conflict_of(rows.source)
    if not names:
        return
    # rows of rates are cuts: leave out each constraint, with all rows that the others then need
    for name in tuple(names) if has_rates else ():
        remaining = [
            row
            for row, n in zip(rows.source, rows.row_names, strict=True)
            if n in names and n != name
        ]
        fewer, certain = conflict_of(remaining)
        names, decided = (fewer, certain) if fewer else (names, decided and certain)
    words = [name for name in dict.fromkeys(rows.row_names) if name in names]
    raise SettingError(conflict_words(words, decided=decided) + surrogate_note(rows))


def _program(
    cost: FloatArray, rows: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray
) -> Program:
    """min cost'x over rows x <= upper and the bounds."""
    return Program(
        cost=cost,
        rows=sparse.csr_array(rows),
        row_lower=np.full(len(rows), -np.inf),
        row_upper=upper,
        lower=low,
        upper=high,
    )


def _conflicting_rows(
    program: Program, count: int, settings: RunSettings, budget: Budget
) -> tuple[list[int], bool] | None:
    """Constraints in conflict and whether the set is minimal, or None if there is no conflict.

    The constraints are the first ``count`` rows; later rows are always kept. An irreducible
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
    fixed_rows = tuple(range(count, len(program.row_names)))
    rows = [
        condition.index
        for condition in conflict.conditions
        if condition.part == "row" and condition.index < count
    ]
    # leave each row out once: bounds of coefficients may take its place
    bounds, start = len(rows) < len(conflict.conditions), budget.seconds
    decided = bounds or conflict.irreducible
    for row in tuple(rows) if bounds else ():
        budget.check()
        remaining = [k for k in rows if k != row]
        part = program.of_rows((*remaining, *fixed_rows))
        timed = settings.for_own_solver(budget, max(1e-3, start + patience - budget.seconds))
        try:
            status = solve_program(part, "highs", timed).status
        except SolverError:
            status = Status.FAILED
        if status is Status.INFEASIBLE:
            rows = remaining
        decided &= status in (Status.INFEASIBLE, Status.OPTIMAL, Status.FEASIBLE)
    return rows, decided


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
    has_rates = any(row.rate for row in rows.source)
    note = "; a rate is capped by its convex surrogate, which may be far above it: try larger caps"
    return note if has_rates else ""


def listed_names(words: Sequence[str]) -> str:
    """The first names of constraints, and the number of the others."""
    suffix = f", and {len(words) - MOST_SHOWN} more" if len(words) > MOST_SHOWN else ""
    return "; ".join(words[:MOST_SHOWN]) + suffix
