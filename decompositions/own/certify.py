"""What the values and multipliers that a Pyomo model holds prove, whoever found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo

from radprog.base.errors import CapabilityError, OptionError
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.loop import relative_gap, tolerance_met
from radprog.decompositions.run import RunSettings
from radprog.solvers.answer import relative_violation
from radprog.solvers.certificate import dual_bound
from radprog.solvers.compile import compile_model, variables_and_rows
from radprog.solvers.convexity import check_convex
from radprog.solvers.options import finite_number, refuse_no_number
from radprog.solvers.program import Program

DUALS = (
    "the model holds no multipliers: solve it by rp.solve with a solver that has them, such as "
    "highs, or declare dual = Suffix(IMPORT); if that found no solution, see rp.analyze"
)


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """Recomputed from the matrices, in the model's own sense.

    objective: at the values; violation: largest absolute one of a row or bound there; bound: of the
    optimum, from the multipliers, for any of them (-inf or inf where they bound nothing); gap:
    |objective - bound| / max(|objective|, 1e-10). certified: the values are feasible within 1e-6,
    relative to max(1, |bound|) or, of rows of small numbers alone, to the size of these
    (:func:`~radprog.solvers.answer.relative_violation`), and the gap within ``tol`` ("tol") or the
    difference within ``abs_tol`` ("abs-tol"). These are what ``rp.solve`` calls optimal by.
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
    """Prove a solved model optimal, or say how far from it: nothing is solved.

    Of a linear program the bound is the Lagrangian of its rows at the multipliers in the suffix
    ``dual``, least over the bounds of the variables, weakened by the rounding of its sums; of a
    convex quadratic one that of its linearisation at the values, or at values next to them at which
    the gradient vanishes in free variables: any lies below it everywhere.
    Multipliers may have either sign, as solvers differ in it: that of the better bound is taken.

    Parameters
    ----------
    model : ConcreteModel
        With values, and with multipliers in its suffix ``dual``.
    tol, abs_tol : float
        Relative and absolute gap of a certificate.

    Returns
    -------
    Certificate

    Raises
    ------
    CapabilityError
        For integer variables, which multipliers do not bound, and for what is neither linear nor
        quadratic.
    ConvexityError
        For what is not convex.
    OptionError
        Where values or multipliers are missing, or a tolerance is no number.
    """
    refuse_no_number("tol", tol, finite=True)
    refuse_no_number("abs_tol", abs_tol, finite=True)
    program = compile_model(model)
    if program.integer.any():
        raise CapabilityError(
            f"a {program.problem_class} is not certified: multipliers say nothing of integers. "
            "Certify its relaxation, compare run.round() with the bound of rp.column_generation, "
            "or export it and let two solvers answer: rp.verify"
        )
    check_convex(program)
    # objective and violation at the values, bound by weak duality
    x, duals = _held(model, program)
    value = program.objective(x)
    feasible = relative_violation(program, x) <= CLAIM_TOLERANCE
    # solvers differ in the sign of multipliers: the better bound counts
    bounds = [dual_bound(program, sign * duals, x=x, best=value) for sign in (1.0, -1.0)]
    bound = max(found.value for found in bounds)
    # values that violate rows within the tolerance may be below the optimum, and below its bound
    by = tolerance_met(value, bound, tol, abs_tol) if feasible else None
    return Certificate(
        objective=program.sense * value,
        bound=program.sense * bound,
        gap=relative_gap(value, bound),
        violation=program.violation(x),
        certified_by=by,
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
    known = suffix is not None and suffix.ctype is pyo.Suffix
    if constraints and not (known and any(row in suffix for row in constraints)):
        raise OptionError(DUALS)
    x = np.array([_number(v, v.value, "value") for v in variables], dtype=np.float64)
    held = [_number(row, suffix.get(row, 0.0) or 0.0, "multiplier") for row in constraints]
    return x, np.array(held, dtype=np.float64).reshape(program.row_lower.shape)


def _number(part: Any, held: Any, what: str) -> float:
    """What a variable or row holds; OptionError where that is no finite number."""
    number = finite_number(held)
    if number is None:
        raise OptionError(f"{part.name} has the {what} {held!r}, expected a finite number")
    return number
