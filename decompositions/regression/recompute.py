"""What the stored functions of a result are worth: estimates, bounds and the predictor again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.decompositions.regression.assembly import assemble, radius_of, values_of
from radprog.decompositions.regression.cccp import Radius
from radprog.decompositions.regression.complexity import signs_of
from radprog.decompositions.regression.fit import (
    outcome_of,
    regressor,
)
from radprog.decompositions.regression.srm import srm_class, srm_signs
from radprog.decompositions.run import Recomputed
from radprog.instances.regression import RegressionData
from radprog.models.kernel_functions import RBF
from radprog.models.regression.bounds import error_bound
from radprog.models.regression.problem import complexity_terms
from radprog.models.regression.settings import SRM, SVR, Complexity

PROOF = ("pieces", "multipliers", "multipliers_of")  # of evidence: what proves a bound


def recompute_svr(
    spec: SVR, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """What the stored function is worth, from the data with numpy alone; the bound of the stored
    pieces where there are any."""
    proved = {key: evidence[key] for key in PROOF if key in evidence}
    kernel, problem = assemble(spec, data, proved=bool(proved))
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)[None]
    bias = np.asarray([evidence["bias"]], dtype=np.float64)
    outcome = outcome_of(spec, data, kernel, problem, coefficients, bias, proved or None)
    return Recomputed.of(outcome)


def recompute_complexity(
    spec: Complexity, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The estimate that the stored functions, of the first sign vectors or of all, prove from
    below, with numpy alone."""
    kernel, problem = assemble(spec, data)
    n = data.rows
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    # the sign vectors that the functions are for, and last the one of least error
    T = len(coefficients)
    signs = signs_of(spec, n, seed, str(evidence["method"]))[:T]
    if "function" in evidence:
        last = evidence["function"]
        coefficients = np.concatenate([coefficients, [last["coefficients"]]])
        bias = np.append(bias, float(last["bias"]))
    rows = np.concatenate([signs, -np.ones((len(coefficients) - T, n))])
    values, _ = values_of(problem, rows, coefficients, bias, radius_of(spec))
    terms = complexity_terms(signs, -values[:T])
    last = len(values) > T
    fit = regressor(kernel, data, coefficients[T], float(bias[T])) if last else None
    return Recomputed(objective=float(terms.mean()), bound=None, fit=fit)


def recompute_srm(
    spec: SRM, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """Bound (2) of the chosen class from the stored functions, with numpy alone."""
    gamma, A = chosen = float(evidence["gamma"]), float(evidence["A"])
    if chosen not in _classes(spec, evidence):
        raise DataError(f"the stored class gamma = {gamma:g}, A = {A:g} is not in the grid")
    n, signs = data.rows, srm_signs(spec, data.rows, seed)
    problem = srm_class(spec, data, gamma)
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    # a function for each sign vector, and last that of least empirical error: signs of -1
    rows = np.concatenate([signs, -np.ones((1, n))])
    values, _ = values_of(problem, rows, coefficients, bias, Radius(A=A))
    complexity = float(complexity_terms(signs, -values[:-1]).mean())
    empirical = float(values[-1] / n)
    bound = error_bound(empirical, complexity, n, spec.delta, len(spec.classes))
    fit = regressor(RBF(gamma).name, data, coefficients[-1], float(bias[-1]))
    return Recomputed(objective=bound.value, bound=None, fit=fit)


def _classes(spec: SRM, evidence: Mapping[str, Any]) -> list[tuple[float, float]]:
    """(gamma, A) of the lines of the table: of the whole grid, or those that a limit has left."""
    grid = spec.classes
    numbers = evidence.get("classes", range(len(grid)))
    if not set(numbers) <= set(range(len(grid))):
        raise DataError(f"the stored classes {numbers}: there are {len(grid)} in the grid")
    return [grid[number] for number in numbers]
