"""What candidates that were not tried could improve at most, of a result that is at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.decompositions.loop import certified_by
from radprog.decompositions.questions import PricingResult
from radprog.decompositions.run import Run
from radprog.result import result_content, supplied_by
from radprog.saved import StoredRun


def price(
    result: Run | Mapping[str, Any] | str | Path,
    data: Any,
    *,
    kernels: str | Sequence[str] | None = None,
    length: str | float | Sequence[float] | None = None,
) -> dict[str, Any]:
    """Whether kernels or lengths that were not tried can improve an answer: proof, or best case.

    result: a run, the file of one, or its content; data: what it was made on, or its file. kernels:
    candidates, as of the model; length: of lpboost, candidate lengths. ``rows`` have each
    candidate's name, price, ratio (at most 1: the dual point stays feasible), floor and whether it
    is useless, which is said of certified results alone; ``floor`` is that of all together. Raises
    DataError, OptionError where the model has no candidates or is priced by the other option.
    """
    content, source = result_content(result, data)
    with supplied_by(result):
        stored = StoredRun.of(content, source)
        return _priced(stored, data, {"kernels": kernels, "length": length})


def _priced(stored: StoredRun, data: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The table of one result."""
    entry, source = stored.entry, stored.source
    # each model has one option that names candidates
    candidates = options[entry.priced]
    if candidates is None and "price" in entry.can:
        raise OptionError(f"{entry.name} is priced by --{entry.priced}")
    if candidates is not None and not isinstance(candidates, str):
        several = isinstance(candidates, Sequence)
        candidates = ",".join(map(str, candidates)) if several else str(candidates)
    data = stored.data_set(data)  # the dual point is one of these data alone
    try:
        find = entry.hook("price", data)
        priced: PricingResult = find(
            stored.spec, data, stored.evidence, stored.seed, candidates or ""
        )
    except RadprogError:
        raise
    except MALFORMED as error:
        raise DataError(f"{source}: its points have no prices: {error!r}") from None
    # useless is proved only where objective and bound are certified
    tolerances = (stored.tol, stored.abs_tol)
    sense = -1 if priced.maximise else 1
    certified = certified_by(priced.objective, priced.bound, *tolerances, sense) is not None
    return {
        "schema": 1,
        "model": entry.name,
        "data": {"name": data.name, "sha256": data.sha256},
        "objective": priced.objective,
        "bound": priced.bound,
        "certified": certified,
        "floor": priced.floor,
        "maximise": priced.maximise,
        "rows": [
            {**asdict(row), "useless": certified and row.keeps_bound} for row in priced.candidates
        ],
        "warnings": priced.warnings,
    }
