"""What the values and multipliers that a Pyomo model holds prove, whoever found them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from radprog.decompositions.loop import certified_by, relative_gap
from radprog.decompositions.own.certificate import lagrangian_bound
from radprog.decompositions.run import RunSettings
from radprog.instances.errors import CapabilityError, OptionError
from radprog.instances.tolerances import CLAIM_TOLERANCE
from radprog.instances.types import FloatArray
from radprog.solvers.answer import relative_violation
from radprog.solvers.compile import compile_model, variables_and_rows
from radprog.solvers.convexity import check_convex
from radprog.solvers.program import Program

if TYPE_CHECKING:
    import pyomo.environ as pyo

DUALS = (
    "the model holds no multipliers: solve it by rp.solve with a solver that has them, such as "
    "highs, or declare dual = Suffix(IMPORT); if that found no solution, see rp.analyze"
)


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """Recomputed from the matrices, in the model's own sense.

    objective: at the values; violation: largest absolute one of a row or bound there; bound: of the
    optimum, from the multipliers, for any of them (-inf or inf where they bound nothing); gap:
    |objective - bound| / max(|objective|, 1e-10). certified: the values are feasible within 1e-6
    and the gap within ``tol`` ("tol") or the difference within ``abs_tol`` ("abs-tol").
    """

    objective: float
    bound: float
    gap: float | None
    violation: float
    certified_by: str | None

    @property
    def certified(self) -> bool:
        return self.certified_by is not None


def certify(
    model: pyo.ConcreteModel,
    *,
    tol: float = RunSettings.tol,
    abs_tol: float = RunSettings.abs_tol,
) -> Certificate:
    """Prove a solved model optimal, or tell how far from it: nothing is solved.

    Of a linear program the bound is the Lagrangian of its rows at the multipliers in the suffix
    ``dual``, least over the bounds of the variables, weakened by the rounding of its sums; of a
    convex quadratic one that of its linearisation at the values, which lies below it everywhere.
    Multipliers may have either sign, as solvers differ in it: that of the better bound is taken.

    Raises CapabilityError for integer variables, which multipliers do not bound, and for what is
    neither linear nor quadratic, ConvexityError for what is not convex, OptionError where values or
    multipliers are missing.
    """
    program = compile_model(model)
    if program.integer.any():
        raise CapabilityError(
            f"a {program.problem_class} is not certified: multipliers say nothing of integers. "
            "Certify its relaxation, compare run.round() with the bound of rp.column_generation, "
            "or export it and let two solvers answer: rp.verify"
        )
    check_convex(program)
    x, duals = _held(model, program)
    plane = linearised(program, x)
    value = program.objective(x)
    feasible = relative_violation(program, x) <= CLAIM_TOLERANCE
    best = value if feasible else None
    bound = max(lagrangian_bound(plane, sign * duals, best=best, x=x) for sign in (1.0, -1.0))
    objective, bound = program.sense * value, program.sense * bound
    return Certificate(
        objective=objective,
        bound=bound,
        gap=relative_gap(objective, bound),
        violation=program.violation(x),
        certified_by=certified_by(objective, bound, tol, abs_tol, program.sense)
        if feasible
        else None,
    )


def linearised(program: Program, x: FloatArray) -> Program:
    """The linear program of the tangents of a convex one at x (n,): its optimum lies below."""
    cost, constant = program.cost, program.constant
    if program.quadratic is not None:
        slope = program.quadratic @ x
        cost, constant = cost + slope, constant - 0.5 * float(x @ slope)
    rows = sparse.lil_array(program.rows) if program.quadratic_rows else program.rows
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    for row, matrix in program.quadratic_rows.items():
        slope = matrix @ x
        rows[[row]] += slope[None]
        lower[row] += 0.5 * float(x @ slope)
        upper[row] += 0.5 * float(x @ slope)
    return replace(
        program,
        cost=cost,
        constant=constant,
        rows=sparse.csr_array(rows),
        row_lower=lower,
        row_upper=upper,
        quadratic=None,
        quadratic_rows={},
    )


def _held(model: Any, program: Program) -> tuple[FloatArray, FloatArray]:
    """Values (n,) and multipliers (m,) of the model; OptionError where there are none."""
    variables, constraints = variables_and_rows(model)
    for variable in variables:
        if variable.value is None:
            raise OptionError(
                f"{variable.name} has no value: solve the model first, or it has no solution: "
                "see rp.analyze"
            )
    suffix = model.component("dual")
    if constraints and (suffix is None or not any(row in suffix for row in constraints)):
        raise OptionError(DUALS)
    x = np.array([float(variable.value) for variable in variables], dtype=np.float64)
    duals = np.array([float(suffix.get(row, 0.0) or 0.0) for row in constraints])
    return x, duals.reshape(program.row_lower.shape)
