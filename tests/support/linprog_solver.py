"""A solver as a stranger adds one: SciPy's linprog, for linear programs with duals."""

import numpy as np
import scipy
from scipy.optimize import linprog

from radprog.base.errors import OptionError
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status

DECLARED = Declared(classes=frozenset({ProblemClass.LP}), duals=True)
STATUS = {  # every word of linprog
    0: Status.OPTIMAL,
    1: Status.LIMIT,
    2: Status.INFEASIBLE,
    3: Status.UNBOUNDED,
    4: Status.FAILED,
}


def version() -> str:
    """Version of SciPy."""
    return str(scipy.__version__)


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Rows become equations and inequalities; a multiplier is d objective / d side."""
    if settings.solver_options:
        raise OptionError(f"linprog has no option {', '.join(settings.solver_options)}")
    # split rows low <= A x <= high: equations, sides above, and sides below with their sign turned
    rows, low, high = program.rows.toarray(), program.row_lower, program.row_upper
    equal = low == high
    above, below = np.isfinite(high) & ~equal, np.isfinite(low) & ~equal
    found = linprog(
        program.cost,
        A_ub=np.vstack([rows[above], -rows[below]]),
        b_ub=np.concatenate([high[above], -low[below]]),
        A_eq=rows[equal],
        b_eq=low[equal],
        bounds=list(zip(program.lower, program.upper, strict=True)),
        options={} if settings.time_limit is None else {"time_limit": settings.time_limit},
    )
    # no optimum: the status alone, no point or dual is claimed
    if found.status != 0:
        return SolverAnswer(status=STATUS[found.status], message=found.message)
    # a row of two sides has two multipliers, and the side below its sign turned back
    duals = np.zeros(len(low))
    duals[above] += found.ineqlin.marginals[: above.sum()]
    duals[below] -= found.ineqlin.marginals[above.sum() :]
    duals[equal] = found.eqlin.marginals
    return SolverAnswer(
        status=Status.OPTIMAL, x=found.x, claimed=found.fun + program.constant, row_duals=duals
    )
