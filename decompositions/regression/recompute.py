"""What the stored functions of a result are worth: estimates, bounds and the predictor again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.decompositions.regression.assembly import assemble, radius_of, values_of
from radprog.decompositions.regression.cccp import Radius
from radprog.decompositions.regression.cells import ClassEstimate
from radprog.decompositions.regression.complexity import ESTIMATE_WORDS, certified, signs_of
from radprog.decompositions.regression.fit import (
    outcome_of,
    regressor,
    summarise,
)
from radprog.decompositions.regression.srm import srm_class, srm_signs
from radprog.decompositions.run import Recomputed
from radprog.instances.errors import DataError
from radprog.instances.regression import RegressionData, regression_errors
from radprog.instances.types import FloatArray
from radprog.models.complexity import standard_error
from radprog.models.kernel_functions import RBF
from radprog.models.regression.bounds import error_bound, least, upper_bounds
from radprog.models.regression.problem import RegressionClass, complexity_terms
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
    found = outcome_of(spec, data, kernel, problem, coefficients, bias, proved or None)
    pieces = {"pieces": len(evidence["pieces"])} if proved else {}
    return Recomputed.of(found, extra={"starts": spec.starts, **pieces}, late=("fit.rank",))


def recompute_complexity(
    spec: Complexity, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The estimate that the stored functions, of the first sign vectors or of all, prove from
    below, with numpy alone, and the certified upper bound unless every piece was solved for it."""
    kernel, problem = assemble(spec, data)
    exact, n = evidence["method"] == "exact", data.rows
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    T = len(coefficients)
    signs = signs_of(spec, n, seed, str(evidence["method"]))[:T]
    if "function" in evidence:
        last = evidence["function"]
        coefficients = np.concatenate([coefficients, [last["coefficients"]]])
        bias = np.append(bias, float(last["bias"]))
    rows = np.concatenate([signs, -np.ones((len(coefficients) - T, n))])
    values, norms = values_of(problem, rows, coefficients, bias, radius_of(spec))
    terms = complexity_terms(signs, -values[:T])
    extra: dict[str, Any] = {
        "kind": spec.kind,
        "trials": T,
        "standard_error": 0.0 if exact else standard_error(terms),
        "starts": None if exact else spec.starts,
        "plain_mean": float((-2.0 / n) * values[:T].mean()),
    }
    if not exact:
        limits = upper_bounds(problem, signs, spec.radius, spec.kind)
        extra |= {"estimate": ESTIMATE_WORDS, **certified(limits)}
    found = Recomputed(
        objective=float(terms.mean()),
        bound=None,
        extra=extra,
        late=("fit.rank", "certified_upper", "certified_upper_by"),
    )
    if len(values) == T:
        return found
    function = coefficients[T], float(bias[T])
    return replace(
        found,
        fit=regressor(kernel, data, *function),
        summary=summarise(kernel, problem, *function, float(norms[T])),
        extra={**extra, "empirical_error": float(values[T] / n)},
    )


def recompute_srm(
    spec: SRM, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """Bound (2) of the chosen class from the stored functions, and the certified upper bounds of
    all classes, with numpy alone."""
    chosen = float(evidence["gamma"]), float(evidence["A"])
    known = _classes(spec, evidence)
    if chosen not in known:
        raise DataError(
            f"the stored class gamma = {chosen[0]:g}, A = {chosen[1]:g} is not in the grid"
        )
    index, signs = known.index(chosen), srm_signs(spec, data.rows, seed)
    problems = {gamma: srm_class(spec, data, gamma) for gamma in {gamma for gamma, _ in known}}
    cells = {i: _limits(spec, problems[at[0]], signs, at) for i, at in enumerate(known)}
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    problem, kernel = problems[chosen[0]], RBF(chosen[0]).name
    cell, norm2 = _estimate(spec, data, problem, signs, coefficients, bias, chosen[1])
    cells[index] = cell = {**cells[index], **cell}
    function = coefficients[-1], float(bias[-1])
    return Recomputed(
        objective=cell["bound"],
        bound=None,
        fit=regressor(kernel, data, *function),
        summary={
            "gamma": chosen[0],
            "A": chosen[1],
            **summarise(kernel, problem, *function, norm2),
        },
        extra={
            "kind": spec.kind,
            "trials": len(signs),
            "starts": spec.starts,
            "estimate": ESTIMATE_WORDS,
            "cells": cells,
            "chosen": {"bound": index},
            "standard_error": cell["standard_error"],
            "certified_upper": cell["certified_upper"],
        },
        late=("fit.rank", "cells", "certified_upper"),
    )


def _classes(spec: SRM, evidence: Mapping[str, Any]) -> list[tuple[float, float]]:
    """(gamma, A) of the lines of the table: of the whole grid, or those that a limit has left."""
    grid = spec.classes
    numbers = evidence.get("classes", range(len(grid)))
    if not set(numbers) <= set(range(len(grid))):
        raise DataError(f"the stored classes {numbers}: there are {len(grid)} in the grid")
    return [grid[number] for number in numbers]


def _limits(
    spec: SRM, problem: RegressionClass, signs: FloatArray, place: tuple[float, float]
) -> ClassEstimate:
    """What a line of the table says of its class alone."""
    upper = least(upper_bounds(problem, signs, place[1], spec.kind))
    return {
        "gamma": place[0],
        "A": place[1],
        "rank": problem.rank,
        "certified_upper": upper.value,
        "certified_by": upper.name,
    }


def _estimate(
    spec: SRM,
    data: RegressionData,
    problem: RegressionClass,
    signs: FloatArray,
    coefficients: FloatArray,
    bias: FloatArray,
    A: float,
) -> tuple[ClassEstimate, float]:
    """What a line says of the functions (T + 1, n) for signs (T, n) and, last, of least empirical
    error; and |w|^2 of this one."""
    n, rows = data.rows, np.concatenate([signs, -np.ones((1, data.rows))])
    values, norms = values_of(problem, rows, coefficients, bias, Radius(A=A))
    terms = complexity_terms(signs, -values[:-1])
    empirical, estimate = float(values[-1] / n), float(terms.mean())
    classes = len(spec.classes)
    truth = data.targets if data.truth is None else data.truth
    return {
        "empirical": empirical,
        "complexity": estimate,
        "standard_error": standard_error(terms),
        "bound": error_bound(empirical, estimate, n, spec.delta, classes).value,
        "bound_one_class": error_bound(empirical, estimate, n, spec.delta).value,
        **regression_errors(problem.images(coefficients[-1:])[0] + bias[-1], truth),
    }, float(norms[-1])
