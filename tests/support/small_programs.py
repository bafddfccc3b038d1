"""Programs as matrices, written in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Program, Status


def make_program(
    cost: Any,
    rows: Any = (),
    row_lower: Any = -np.inf,
    row_upper: Any = np.inf,
    lower: Any = 0.0,
    upper: Any = np.inf,
    integer: Any = False,
    columns: str | Sequence[str] = (),
    names: str | Sequence[str] = (),
    quadratic: Any = None,
    quadratic_rows: Mapping[int, Any] | None = None,
    constant: float = 0.0,
) -> Program:
    """min cost'x over row_lower <= rows x <= row_upper, lower <= x <= upper.

    A number stands for every row or column. Names of columns and of rows are texts of words, or
    x(0), x(1), ... and r(0), r(1), ...
    """
    n = len(cost)
    matrix = sparse.csr_array(np.reshape(rows, (0, n)) if len(np.shape(rows)) < 2 else rows)
    m = matrix.shape[0]

    def every(value: Any, size: int, kind: type = float) -> Any:
        return np.array(np.broadcast_to(np.asarray(value, dtype=kind), (size,)))

    def words(given: str | Sequence[str]) -> tuple[str, ...]:
        return tuple(given.split() if isinstance(given, str) else given)

    return Program(
        cost=np.asarray(cost, dtype=float),
        rows=matrix,
        row_lower=every(row_lower, m),
        row_upper=every(row_upper, m),
        lower=every(lower, n),
        upper=every(upper, n),
        integer=every(integer, n, bool),
        column_names=words(columns) or tuple(f"x({j})" for j in range(n)),
        row_names=words(names) or tuple(f"r({i})" for i in range(m)),
        constant=constant,
        quadratic=None if quadratic is None else sparse.csc_array(quadratic),
        quadratic_rows={i: sparse.csc_array(Q) for i, Q in (quadratic_rows or {}).items()},
    )


def one_row(cost: float = 1.0, scale: float = 1.0, lower: float = -np.inf) -> Program:
    """min cost x, scale x >= scale."""
    return make_program(
        [cost], [[scale]], [scale], lower=[lower], upper=[np.inf], columns="x", names="row"
    )


def optimal(x: Any, claimed: float, duals: Any = None) -> SolverAnswer:
    """A claim to have the optimum; numbers stand for arrays of one."""
    point, row_duals = (None if v is None else np.array(v, float, ndmin=1) for v in (x, duals))
    return SolverAnswer(status=Status.OPTIMAL, x=point, claimed=claimed, row_duals=row_duals)


def honest(known: Any) -> SolverAnswer:
    """The optimum that is known."""
    return optimal(known.x, known.objective, known.row_duals)


def linprog_optimum(cost: Any, matrix: Any, low: Any, high: Any, upper: Any) -> float:
    """min cost'x over low <= matrix x <= high, 0 <= x <= upper, by scipy."""
    A, b = np.vstack([matrix, -matrix]), np.concatenate([high, -low])
    found = linprog(cost, A, b, bounds=[(0.0, end) for end in upper], method="highs")
    assert found.status == 0
    return float(found.fun)
