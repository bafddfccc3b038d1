"""Recomputing the certificate of a result from the data with numpy alone: no solver is called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from radprog.decompositions.loop import certified_by, crossed, relative_gap
from radprog.decompositions.run import RunStatus, sense_of
from radprog.instances.errors import DataError, RadprogError
from radprog.instances.tolerances import GAP_FLOOR, RECOMPUTED
from radprog.saved import StoredRun

CLAIMS = ("status", "objective", "bound", "gap", "certified")


def check_result(
    result: Mapping[str, Any], data_path: str, source: str = "result"
) -> dict[str, Any]:
    """Claimed and recomputed objective, bound and gap; ``problems`` says what does not hold.

    source: what the result is called in an error. Raises DataError when the result or the data
    cannot be used.
    """
    stored = StoredRun.of(result, source)
    try:
        claimed = {key: result[key] for key in CLAIMS}
    except KeyError as error:
        raise DataError(f"{source}: not a result of radprog solve: {error!r}") from None
    data = stored.read(data_path)
    problems = []
    other = data.sha256 != stored.sha256
    if other:
        problems.append("the data file is another one than the result was made on (its hash)")
    objective: float | None = None
    bound: float | None = None
    try:
        objective, bound = stored.entry.recompute(stored.spec, data, stored.evidence, stored.seed)
    except (RadprogError, KeyError, TypeError, ValueError, IndexError) as error:
        problems.append(f"its points cannot be evaluated on this data: {error}")
    sense = sense_of(stored.spec)
    gap = relative_gap(objective, bound)
    certified = certified_by(objective, bound, stored.tol, stored.abs_tol, sense)
    if crossed(objective, bound, sense):
        problems.append(
            f"its bound {bound!r} lies beyond its objective {objective!r}: one of them is wrong"
        )
    for key, value in () if other else (("objective", objective), ("bound", bound)):
        if not _same(claimed[key], value, GAP_FLOOR):
            problems.append(f"{key} is claimed as {claimed[key]!r} and is {value!r}")
    if not other and not _same(claimed["gap"], gap, 1.0):
        problems.append(f"gap is claimed as {claimed['gap']!r} and is {gap!r}")
    if certified is None and not other:
        if claimed["certified"] is not False:
            problems.append("it is claimed as certified, but the gap is too large")
        if claimed["status"] == RunStatus.OPTIMAL:
            problems.append("its status is optimal, but it has no certificate")
    return {
        "schema": 1,
        "model": stored.entry.name,
        "data": data.name,
        "claimed": claimed,
        "recomputed": {
            "objective": objective,
            "bound": bound,
            "gap": gap,
            "certified": certified is not None,
        },
        "problems": problems,
        "holds": not problems,
    }


def _same(claim: Any, value: float | None, floor: float) -> bool:
    """Whether a claimed number is a recomputed one, up to rounding; both may be missing."""
    if claim is None or value is None:
        return claim is None and value is None
    if isinstance(claim, bool) or not isinstance(claim, (int, float)):
        return False
    return math.isfinite(value) and abs(claim - value) <= RECOMPUTED * max(abs(value), floor)
