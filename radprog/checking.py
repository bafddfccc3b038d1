"""Recomputing the certificate of a result from the data with numpy alone: no solver is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from radprog.catalog import entry_named
from radprog.decompositions.loop import certified_by, relative_gap
from radprog.instances.errors import DataError

AGREEMENT = 1e-9  # relative to max(|value|, 1e-10): rounding between machines


def _same(claim: Any, value: float | None) -> bool:
    if claim is None or value is None:
        return claim is None and value is None
    return abs(float(claim) - value) <= AGREEMENT * max(abs(value), 1e-10)


def check_result(result: Mapping[str, Any], data_path: str) -> dict[str, Any]:
    """Claimed and recomputed objective, bound and gap; ``problems`` says what does not hold.

    Raises DataError when the result or the data cannot be used.
    """
    try:
        entry = entry_named(str(result["model"]))
        params, points = result["params"], result["certificate"]
        names = {field.name for field in fields(entry.spec)}
        spec = entry.spec(**{key: value for key, value in params.items() if key in names})
        data = entry.read(data_path, **result["data"]["reading"])
        problems = []
        if data.sha256 != result["data"]["sha256"]:
            problems.append("the data file is another one than the result was made on (its hash)")
        objective, bound = entry.recompute(spec, data, points, int(params["seed"]))
        claimed = {key: result[key] for key in ("objective", "bound", "gap", "certified")}
        tol, abs_tol = float(params["tol"]), float(params["abs_tol"])
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"not a result of radprog solve: {error!r}") from None
    for key, value in (("objective", objective), ("bound", bound)):
        claim = claimed[key]
        if not _same(claim, value):
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
