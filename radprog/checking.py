"""Recomputing the certificate of a result from the data with numpy alone: no solver is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from radprog.catalog import entry_named
from radprog.decompositions.loop import certified_by, relative_gap
from radprog.decompositions.vkr import assemble
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError
from radprog.instances.readers import read
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.settings import L1SVM, SVM, VKR
from radprog.models.svm import svm_dual_value, svm_feasible, svm_primal_value

AGREEMENT = 1e-9  # relative to max(|value|, 1e-10): rounding between machines

Values = tuple[float, float]


def _vkr_values(spec: VKR | L1SVM, data: Dataset, points: Mapping[str, Any], seed: int) -> Values:
    """F(alpha) and the scaled dual bound of the stored alpha and d."""
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    problem, _ = assemble(program, data, seed)
    pairs = np.asarray(points["pairs"], dtype=np.intp).reshape(-1, 2)
    alpha = np.asarray(points["alpha"], dtype=np.float64)
    d = np.asarray(points["d"], dtype=np.float64)
    p, m, c = problem.bank.shape
    inside = pairs.size == 0 or (pairs.min() >= 0 and np.all(pairs < (p, c)))
    if alpha.shape != (len(pairs),) or d.shape != (m,) or not inside:
        raise DataError("the stored points do not fit this data set")
    d = np.clip(d, 0.0, 1.0 / m)
    objective = problem.primal_value(problem.bank.columns(pairs), pairs, alpha)
    return objective, problem.dual_bound(d, problem.ratios(d))


def _svm_values(spec: SVM, data: Dataset, points: Mapping[str, Any], seed: int) -> Values:
    """Primal and dual value of the stored multipliers."""
    K = KernelBank([parse_kernels(spec.kernels)[0]], data.X).gram(0)
    a = np.asarray(points["a"], dtype=np.float64)
    if a.shape != (data.rows,):
        raise DataError("the stored multipliers do not fit this data set")
    a = svm_feasible(data.targets, spec.C, a)
    objective, _ = svm_primal_value(K, data.targets, spec.C, a)
    return objective, svm_dual_value(K, data.targets, a)


_VALUES: Mapping[str, Callable[..., Values]] = {
    "vkr": _vkr_values,
    "l1svm": _vkr_values,
    "svm": _svm_values,
}


def check_result(result: Mapping[str, Any], data_path: str) -> dict[str, Any]:
    """Claimed and recomputed objective, bound and gap; ``problems`` says what does not hold.

    Raises DataError when the result or the data cannot be used.
    """
    try:
        entry = entry_named(str(result["model"]))
        params, points = result["params"], result["certificate"]
        names = {field.name for field in fields(entry.spec)}
        spec = entry.spec(**{key: value for key, value in params.items() if key in names})
        data = read(data_path, **result["data"]["reading"])
        problems = []
        if data.sha256 != result["data"]["sha256"]:
            problems.append("the data file is another one than the result was made on (its hash)")
        objective, bound = _VALUES[entry.name](spec, data, points, int(params["seed"]))
        claimed = {key: result[key] for key in ("objective", "bound", "gap", "certified")}
        tol, abs_tol = float(params["tol"]), float(params["abs_tol"])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"not a result of radprog solve: {error!r}") from None
    for key, value in (("objective", objective), ("bound", bound)):
        claim = claimed[key]
        if claim is None or abs(claim - value) > AGREEMENT * max(abs(value), 1e-10):
            problems.append(f"{key} is claimed as {claim!r} and is {value!r}")
    certified = certified_by(objective, bound, tol, abs_tol)
    if claimed["certified"] and certified is None:
        problems.append("it is claimed as certified, but the gap is too large")
    return {
        "schema": 1,
        "model": entry.name,
        "data": data.name,
        "claimed": claimed,
        "recomputed": {
            "objective": objective,
            "bound": bound,
            "gap": relative_gap(objective, bound),
            "certified": certified is not None,
        },
        "problems": problems,
        "holds": not problems,
    }
