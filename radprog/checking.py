"""Recomputing the certificate of a result from its data with numpy alone: no solver is called."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.base.tolerances import GAP_FLOOR
from radprog.decompositions.loop import Reason, certified_by, crossed, relative_gap
from radprog.decompositions.run import Recomputed, Run, run_status, sense_of
from radprog.instances.data import Data
from radprog.models.own_kernels import supplied
from radprog.result import suited, supplied_by, test_block, told_result
from radprog.saved import EDITED, StoredRun, digest_state, plain

RECOMPUTED = 1e-9  # relative to max(|value|, GAP_FLOOR), absolute for gaps: between two machines
RECOMPUTED_DETAIL = 1e-7  # of the test error that a result claims, relative
DETAIL_FLOOR = 1e-12  # absolute difference of test errors that is none

CLAIMS = ("status", "objective", "bound", "gap", "certified")  # that every result makes
_LONGEST = 120  # characters of a value in a message
_OTHER_DATA = "the data file is another one than the result was made on (its hash)"
_FROM_ARRAYS = (
    "the result was made from arrays, so that no file has its hash: check it in Python, "
    "rp.check(result, data)"
)
_OTHER_TEST = "the test file is another one than the result was tested on (its hash)"


def check(
    result: Run | Mapping[str, Any] | str | Path,
    data: Data | str | Path,
    *,
    test: Data | str | Path | None = None,
    kernels: Mapping[str, Any] | None = None,
    complexity: Any = None,
) -> dict[str, Any]:
    """The certificate of a result beside what is recomputed from its data, without any solver.

    result: a run, the file of one, or its content. data, test: as they were given to the run.
    kernels, complexity: functions by name, and the penalty, that a file's result was made with.
    ``problems`` of what is returned says what does not hold, and ``holds`` whether there is nothing
    of the kind. Raises DataError, OptionError; KernelError where a function is missing.
    """
    content, source = told_result(result, data)
    with supplied_by(result), supplied(kernels, complexity):
        return check_result(content, _place(data), source, None if test is None else _place(test))


def _place(data: Data | str | Path) -> Data | str:
    return data if isinstance(data, Data) else str(data)


def check_result(
    result: Mapping[str, Any],
    data: Data | str,
    source: str = "result",
    test: Data | str | None = None,
) -> dict[str, Any]:
    """The certificate of a result beside the recomputed one; ``problems`` says what does not hold.

    ``digest``: holds, broken or missing. data, test: a file, or the data; the latter for the
    ``test`` block. source: what the result is called in an error. Raises DataError when the result
    or the data cannot be used, OptionError for a test file without a block.
    """
    stored, result = StoredRun.of(result, source), plain(result)
    try:
        claimed = {key: result[key] for key in CLAIMS}
        digest = digest_state(result)
    except KeyError as error:
        raise DataError(f"{source}: not a result of radprog solve: {error!r}") from None
    except RecursionError:
        raise DataError(f"{source}: not a result of radprog solve: nested too deeply") from None
    if test is not None and not isinstance(result.get("test"), Mapping):
        raise OptionError(f"{source} has no test block: leave --test out")
    train: Data = stored.read(data) if isinstance(data, str) else suited(stored.entry, data)
    held = stored.entry.read(test, like=train) if isinstance(test, str) else test
    problems = [EDITED] if digest == "broken" else []
    same_data = train.sha256 == stored.sha256
    if not same_data:
        arrays = train.reading and not stored.reading
        problems.append(_FROM_ARRAYS if arrays else _OTHER_DATA)
    # the primal and dual points of the certificate, evaluated on the data
    try:
        with np.errstate(all="ignore"):  # of points that are no numbers of a fit
            points = stored.entry.recompute(stored.spec, train, stored.evidence, stored.seed)
    except (*MALFORMED, RadprogError) as error:
        points = Recomputed(objective=None, bound=None)
        problems.append(f"its points cannot be evaluated on this data: {error}")
    recomputed = _certificate(result, stored, points)
    objective, bound = recomputed["objective"], recomputed["bound"]
    if crossed(objective, bound, sense_of(stored.spec)):
        problems.append(
            f"its bound {bound!r} lies beyond its objective {objective!r}: one of them is wrong"
        )
    if same_data:
        problems += _differences(result, _compared(result, recomputed, points))
    # the test block, where the predictor needs no matrix for new points
    if held is not None and same_data and points.fit is not None:
        claimed["test"] = result["test"]
        recomputed["test"] = plain(test_block(stored.entry.name, points.fit, held))
        if claimed["test"].get("sha256") not in (None, held.sha256):
            problems.append(_OTHER_TEST)
        else:
            problems += _differences(claimed["test"], recomputed["test"], "test.")
    return {
        "schema": 1,
        "model": stored.entry.name,
        "data": train.name,
        "claimed": claimed,
        "recomputed": recomputed,
        "digest": digest,
        "problems": problems,
        "holds": not problems,
    }


def _certificate(
    result: Mapping[str, Any], stored: StoredRun, points: Recomputed
) -> dict[str, Any]:
    """Objective and bound of the points, and what follows from them and the tolerances."""
    # the bound of a program that was changed by its user is about another one
    pair = points.objective, None if result.get("changed") else points.bound
    # gap, certificate and status follow from objective, bound and tolerances
    sense = sense_of(stored.spec)
    by = certified_by(*pair, stored.tol, stored.abs_tol, sense)
    reason, status = str(result.get("stopped_by")), None
    if reason in [*Reason]:
        is_crossed = crossed(*pair, sense)
        status = run_status(Reason(reason), certified=by is not None, crossed=is_crossed).value
    return {
        "objective": pair[0],
        "bound": pair[1],
        "gap": relative_gap(*pair),
        "certified": by is not None,
        "certified_by": by,
        "tolerance": {"tol": stored.tol, "abs-tol": stored.abs_tol, None: None}[by],
        "status": status,
    }


def _compared(
    result: Mapping[str, Any], recomputed: Mapping[str, Any], points: Recomputed
) -> dict[str, Any]:
    """The recomputed values that the result is held to."""
    # the tolerance that was met is no claim of a result
    values = {key: value for key, value in recomputed.items() if key != "tolerance"}
    if recomputed["certified"]:
        values["stopped_by"] = Reason.TOLERANCE.value
    return values


def _differences(
    claims: Mapping[str, Any], values: Mapping[str, Any], block: str = ""
) -> Iterator[str]:
    """What is claimed beside what it is, for each value that differs; of a block, null is no
    claim."""
    for key, value in values.items():
        if key == "name" or key not in claims or (block and claims[key] is None):
            continue
        if not _same(key, claims[key], value):
            claim, found = (textwrap.shorten(repr(x), _LONGEST) for x in (claims[key], value))
            yield f"{block}{key} is claimed as {claim} and is {found}"


def _same(key: str, claim: Any, value: Any) -> bool:
    """Whether a claimed value is a recomputed one, numbers up to rounding."""
    if not _is_number(value) or not _is_number(claim):
        return type(claim) is type(value) and bool(claim == value)
    if key == "gap":
        allowed = RECOMPUTED * max(abs(value), 1.0)
    elif key in ("objective", "bound"):
        allowed = RECOMPUTED * max(abs(value), GAP_FLOOR)
    else:
        allowed = RECOMPUTED_DETAIL * abs(value) + DETAIL_FLOOR
    return math.isfinite(value) and abs(claim - value) <= allowed


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
