"""Recomputation of the certificate of a result from its data, with numpy and without a solver."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import MALFORMED, CapabilityError, DataError, OptionError, RadprogError
from radprog.base.tolerances import GAP_FLOOR
from radprog.decompositions.loop import Reason, certified_by, crossed
from radprog.decompositions.run import Recomputed, Run, run_status
from radprog.instances.data import Data, same_numbers
from radprog.models.kernels import supplied
from radprog.result import digest_state, plain, test_block
from radprog.saved import EDITED, FROM_ARRAYS, StoredRun, no_result, result_content, supplied_by
from radprog.solvers.program import relative_gap

CLAIMS = ("status", "objective", "bound", "gap", "certified")  # of every result
TEST_CLAIMS = ("error", "mae")  # of the test block: the share of errors, or their mean size
#: Allowed relative and absolute differences of claimed and recomputed numbers, because computers
#: sum in different orders.
AGREEMENT = {"gap": (1e-9, 1e-9), "error": (1e-7, 1e-12), "mae": (1e-7, 1e-12)}
OF_VALUES = (1e-9, 1e-9 * GAP_FLOOR)

_OTHER_DATA = "the data are other ones than the result was made on: the numbers differ"
_OTHER_TEST = "the test data are other ones than the result was tested on: the numbers differ"
_SAME_NUMBERS = "the same numbers in another file"


def check(
    result: Run | Mapping[str, Any] | str | Path,
    data: Data | str | Path,
    *,
    test: Data | str | Path | None = None,
    kernels: Mapping[str, Any] | None = None,
    complexity: Any = None,
) -> dict[str, Any]:
    """Recompute the certificate of a result from its data, without a solver.

    Parameters
    ----------
    result : Run, mapping, str or Path
        A run, a loaded result, or the path of a result file.
    data, test : data set, str or Path
        The data of the fit, and the test data for the ``test`` block.
    kernels : mapping, optional
        The kernel functions k(X, Z) of the fit, by name. A result file does not contain them.
    complexity : callable or array, optional
        The penalty function of the fit. A result file does not contain it.

    Returns
    -------
    dict
        ``claimed`` and ``recomputed`` contain the values. ``digest`` is "holds", "broken" or
        "missing". ``problems`` lists the differences, and ``holds`` is True if there are none.
        ``notes`` names a file with the same numbers as the data of the fit, but other bytes.
        ``recomputed["bound_by"]`` names the solver if the bound is the end of its search, which
        cannot be recomputed, and otherwise "radprog".

    Raises
    ------
    DataError
        If the result or the data cannot be used.
    OptionError
        If there are test data, but the result has no ``test`` block.
    KernelError
        If a function is missing.
    CapabilityError
        If the result is of a learner of your own, whose hypotheses no result contains.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> report = rp.check(run, data)
    >>> report["holds"], report["digest"], report["problems"]
    (True, 'holds', [])
    """
    content, source = result_content(result, data)
    with supplied_by(result), supplied(kernels, complexity):
        stored, content = StoredRun.of(content, source), plain(content)
        try:
            claimed = {key: content[key] for key in CLAIMS}
            digest = digest_state(content)
        except (KeyError, RecursionError) as error:
            raise DataError(f"{source}: {no_result(content, error)}") from None
        if test is not None and not isinstance(content.get("test"), Mapping):
            raise OptionError(f"{source} has no test block: leave `test` out")
        if data is None:
            raise OptionError("no DATA is given: check needs the data file of the fit")
        # the data, by the options of the run and by their numbers
        train: Data = stored.read(data)
        test_data = None if test is None else stored.read(test, like=train)
        problems = [EDITED] if digest == "broken" else []
        same_data, searched = same_numbers(train, stored.held), "solver_bound" in stored.evidence
        notes = [f"{train.name}: {_SAME_NUMBERS}"] if train.sha256 != stored.held["sha256"] else []
        if not same_data:
            problems.append(FROM_ARRAYS if train.reading and not stored.reading else _OTHER_DATA)
        # the primal and dual points of the certificate, evaluated on the data
        try:
            with np.errstate(all="ignore"):  # of points that are not numbers of a fit
                points = stored.entry.recompute(stored.spec, train, stored.evidence, stored.seed)
        except CapabilityError:  # of no result of this kind, whatever its points
            raise
        except (*MALFORMED, RadprogError) as error:
            points = Recomputed(objective=None, bound=None)
            problems.append(f"its points cannot be evaluated on this data: {error}")
        # gap, certificate and status follow from objective, bound and tolerances
        pair = points.objective, points.bound
        sense = stored.spec.sense
        criterion = certified_by(*pair, stored.tol, stored.abs_tol, sense)
        is_crossed = crossed(*pair, sense)
        reason, failed = str(content.get("stopped_by")), is_crossed or pair[0] is None
        recomputed: dict[str, Any] = {
            "objective": pair[0],
            "bound": pair[1],
            "gap": relative_gap(*pair),
            "certified": criterion is not None,
            "certified_by": criterion,
            "tolerance": {"tol": stored.tol, "abs-tol": stored.abs_tol, None: None}[criterion],
            "status": None,
            "bound_by": content["solver"]["name"] if searched else "radprog",
        }
        if reason in [*Reason]:
            status = run_status(Reason(reason), certified=criterion is not None, failed=failed)
            recomputed["status"] = status.value
        if is_crossed:
            crossing = f"its bound {pair[1]!r} lies beyond its objective {pair[0]!r}"
            problems.append(f"{crossing}: one of them is wrong")
        if same_data:
            problems += _differences(claimed, recomputed, CLAIMS)
        # the test error, unless the predictor needs a matrix for new points
        if test_data is not None and same_data and points.fit is not None:
            block = plain(test_block(stored.entry.name, points.fit, test_data, train))
            claimed["test"], recomputed["test"] = content["test"], block
            wrong, test_notes = _compare_test(claimed["test"], block, test_data)
            problems, notes = [*problems, *wrong], [*notes, *test_notes]
        return {
            "schema": 1,
            "model": stored.entry.name,
            "data": train.name,
            "claimed": claimed,
            "recomputed": recomputed,
            "digest": digest,
            "problems": problems,
            "notes": notes if same_data else [],
            "holds": not problems,
        }


def _compare_test(
    claims: Mapping[str, Any], values: Mapping[str, Any], test_data: Data
) -> tuple[list[str], list[str]]:
    """The problems and notes of a test block."""
    if not same_numbers(test_data, claims):
        return [_OTHER_TEST], []
    notes = (
        [f"{test_data.name}: {_SAME_NUMBERS}"] if claims.get("sha256") != test_data.sha256 else []
    )
    return [*_differences(claims, values, TEST_CLAIMS)], notes


def _differences(
    claims: Mapping[str, Any], values: Mapping[str, Any], keys: Sequence[str]
) -> Iterator[str]:
    """The claimed and the recomputed value of each field that differs."""
    for key in keys:
        claim: Any = claims.get(key)
        value: Any = values.get(key)
        relative, absolute = AGREEMENT.get(key, OF_VALUES)
        # numbers may differ by rounding
        if {type(claim), type(value)} <= {int, float}:
            equal = math.isclose(claim, value, rel_tol=relative, abs_tol=absolute)
        else:
            equal = type(claim) is type(value) and bool(claim == value)
        if not equal:
            yield f"{key} is claimed as {textwrap.shorten(repr(claim), 120)} and is {value!r}"
