"""Local solutions by Ipopt of Pyomo models that are neither linear nor quadratic."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pyomo.environ as pyo

from radprog.base.errors import CapabilityError, DataError, SolverError
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.solvers.adapters.ipopt import WITH_POINT, run_ipopt, version
from radprog.solvers.compile import ends_of, load_duals, variables_and_rows
from radprog.solvers.derivatives import Smooth
from radprog.solvers.program import Solution, SolveSettings, Status


class SmoothModel:
    """The objective f(x) and the rows g(x) of a model, with gradients by reverse differentiation.

    x (n,) are the values of the unfixed variables. Raises CapabilityError for integer variables and
    for algebra without derivatives.
    """

    def __init__(self, model: pyo.ConcreteModel, settings: SolveSettings) -> None:
        self.variables, self.rows = variables_and_rows(model)
        for variable in self.variables:
            if not variable.is_continuous():
                raise CapabilityError(
                    f"{variable.name} is integer: Ipopt solves nonlinear models of real variables"
                )
        self.interrupted = settings.interrupted
        objectives = list(model.component_data_objects(pyo.Objective, active=True))
        if len(objectives) != 1:
            raise CapabilityError(f"one active objective is needed, not {len(objectives)}")
        self.goal = objectives[0]
        self.sense = -1.0 if self.goal.sense == pyo.maximize else 1.0
        # functions with gradients, and the places of the Jacobian's entries
        place = {id(variable): j for j, variable in enumerate(self.variables)}
        self.cost = Smooth(self.goal.expr, place)
        self.bodies = [Smooth(row.body, place) for row in self.rows]
        rows = [np.full(len(body.columns), i) for i, body in enumerate(self.bodies)]
        columns = [np.array(body.columns, dtype=np.intp) for body in self.bodies]
        empty = np.zeros(0, np.intp)
        self.at = np.concatenate([empty, *rows]), np.concatenate([empty, *columns])

    def objective(self, x: FloatArray) -> float:
        """The value of f as a minimisation.

        Where f is not defined, the value is NaN. Ipopt shortens its step if it receives NaN.
        """
        return self.sense * self.cost.value(x.tolist())

    def gradient(self, x: FloatArray) -> FloatArray:
        """The gradient of f (n,)."""
        slopes = np.zeros(len(x))
        slopes[list(self.cost.columns)] = self.cost.gradient(x.tolist())
        return self.sense * slopes

    def constraints(self, x: FloatArray) -> FloatArray:
        """The row values g (m,)."""
        point = x.tolist()
        return np.array([body.value(point) for body in self.bodies], dtype=np.float64)

    def jacobianstructure(self) -> Any:
        return self.at

    def jacobian(self, x: FloatArray) -> FloatArray:
        """The structurally nonzero entries of the Jacobian of g."""
        point = x.tolist()
        slopes = [body.gradient(point) for body in self.bodies]
        return np.array([slope for part in slopes for slope in part], dtype=np.float64)

    def pulled(self, x: FloatArray, duals: FloatArray) -> FloatArray:
        """The product (n,) of the transposed Jacobian of g and the duals (m,)."""
        rows, columns = self.at
        sums = np.zeros(len(x))
        np.add.at(sums, columns, self.jacobian(x) * duals[rows])
        return sums

    def intermediate(self, *progress: Any) -> bool:
        return not self.interrupted()


def solve_nonlinear(model: pyo.ConcreteModel, settings: SolveSettings) -> Solution:
    """Solve a model by Ipopt, starting from the current values of its variables.

    A local optimum has the status ``feasible``. ``claimed_optimal`` contains Ipopt's claim.
    Violation and objective are recomputed. A feasible point and its multipliers are loaded into the
    model; otherwise the model keeps its values. Raises CapabilityError for integer variables,
    DataError if the objective has no value at the start, and SolverError if Ipopt fails.
    """
    smooth, began = SmoothModel(model, settings), time.perf_counter()
    ends = [variable.bounds for variable in smooth.variables]
    box = ends_of([low for low, _ in ends], [high for _, high in ends])
    sides = [(pyo.value(row.lower), pyo.value(row.upper)) for row in smooth.rows]
    low, high = ends_of([side for side, _ in sides], [side for _, side in sides])
    # a variable without a value starts at the middle of its bounds, or at the number nearest to 0
    wide = box[1] - box[0] > 1e6
    middle = np.where(wide, np.clip(0.0, *box), (box[0] + np.where(wide, *box)) / 2)
    values = [variable.value for variable in smooth.variables]
    point = [m if v is None else v for v, m in zip(values, middle.tolist(), strict=True)]
    start = np.clip(np.array(point, dtype=np.float64), *box)
    if not math.isfinite(smooth.objective(start)):
        raise DataError("the objective has no value at the start: give the variables other values")
    # a quasi-Newton run: no second derivatives
    first_order = {"hessian_approximation": "limited-memory"}
    x, status, text, info = run_ipopt(smooth, start, box, (low, high), settings, **first_order)
    # the violation at Ipopt's point, in units of each row
    rows = smooth.constraints(x)
    sizes = np.maximum(1.0, np.abs(rows))
    violation = float((np.maximum(low - rows, rows - high) / sizes).max(initial=0.0))
    feasible = status in WITH_POINT and violation <= CLAIM_TOLERANCE
    if status is Status.INFEASIBLE:  # Ipopt ends at a local minimum of the violation
        raise SolverError(
            f"solver ipopt found no feasible point from these values ({text}): a model that need "
            "not be convex may have one, start elsewhere"
        )
    duals = -np.asarray(info["mult_g"], dtype=np.float64)  # Ipopt's are of f + multiplier'g
    if feasible:
        for variable, number in zip(smooth.variables, x.tolist(), strict=True):
            variable.set_value(number, skip_validation=True)
        reduced = smooth.gradient(x) - smooth.pulled(x, duals)
        load_duals(model, duals, reduced, int(smooth.sense))
    elif status in WITH_POINT or status is Status.FAILED:
        raise SolverError(f"solver ipopt found no feasible point: {text}")
    value = smooth.objective(x) if feasible else None
    optimal = feasible and status is Status.OPTIMAL
    return Solution(
        status=Status.FEASIBLE if optimal else status,
        solver="ipopt",
        version=version(),
        x=x if feasible else None,
        objective=value,
        claimed=float(info["obj_val"]) if feasible else None,
        violation=violation if feasible else None,
        row_duals=duals if feasible else None,
        reduced_costs=reduced if feasible else None,
        claimed_optimal=optimal,
        seconds=time.perf_counter() - began,
        message=f"a local solution: {text}" if optimal else text,
        options=settings.solver_options,
    )
