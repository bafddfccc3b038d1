"""The JSON result of a run."""

from __future__ import annotations

import importlib.metadata
import resource
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.catalog import entry_named
from radprog.decompositions.expansion import signs
from radprog.decompositions.run import Fit, Run, settings_of
from radprog.instances.data import Data
from radprog.instances.splits import regression_errors
from radprog.models.bounds import DELTA, binomial_upper
from radprog.models.own_kernels import own_of, supplied
from radprog.models.ranking import area_under_curve
from radprog.models.score_rows import ScoreRow
from radprog.saved import data_of, digest_of, read_json

SCHEMA = 1
#: Parts of a result that are attributes of the run's settings, of the run, and of its records.
LIMITS = ("tol", "abs_tol", "time_limit", "max_iter", "seed", "threads")
PROVED = ("objective", "bound", "gap", "certified", "certified_by", "proved_by")
RECORDED = ("iteration", "seconds", "objective", "bound", "gap")


def radprog_version() -> str:
    """The version of radprog."""
    return importlib.metadata.version("radprog")


def peak_mb() -> float:
    """Largest resident memory of this process so far, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def classification_block(fit: Fit, test: Data) -> dict[str, Any]:
    """Error of a fit on a test set, its exact binomial upper bound at 95 %, and the area under the
    curve.

    The area is defined for two classes, and null if one of them is missing. With row weights, the
    error is a weighted share. The bound and the area are then null, because they require rows of
    equal weight.
    """
    auc = None
    if len(test.labels) == 2:
        # for two classes, the scores give both the labels and the curve
        scores = fit.scores(test.X)
        predicted = signs(scores)
        if test.weights is None and len(np.unique(test.targets)) == 2:
            auc = area_under_curve(scores, test.targets)
    else:
        predicted = fit.predict(test.X)
    # the binomial bound requires rows of equal weight
    misses = predicted != test.targets
    wrong, alike = int(misses.sum()), test.weights is None
    return {
        "rows": test.rows,
        "name": test.name,
        "errors": wrong,
        "error": test.share(misses),
        "error_upper_bound": binomial_upper(wrong, test.rows, DELTA) if alike else None,
        "delta": DELTA,
        "auc": auc,
    }


def errors_on(model: str, fit: Fit, test: Data) -> dict[str, Any]:
    """The errors of a fit on a test set."""
    # clustering and propagation have their own test
    own = entry_named(model).hooks.test
    if own is not None:
        return own(fit, test)
    # errors of classes, else errors of numbers
    if test.target is None:
        return classification_block(fit, test)
    quantile = getattr(fit, "quantile", None)
    errors = regression_errors(fit.predict(test.X), test.target, test.weights, quantile)
    return {"rows": test.rows, "name": test.name, **errors}


def data_block(data: Data) -> dict[str, Any]:
    """The ``data`` block: name, hash, size, label mapping, reading options and sum of weights of a
    data set.
    """
    return {
        **data.identity,
        "columns": data.columns,
        "labels": data.label_map or None,
        "reading": dict(data.reading),
        **({"header": data.header} if data.header else {}),
        **({} if data.weights is None else {"weight": float(data.weights.sum())}),
    }


def test_block(model: str, fit: Fit, test: Data, train: str) -> dict[str, Any]:
    """The ``test`` block: the errors of a fit on a test set, and its hashes.

    There is no bound if the numbers are those of the training data, with the hash ``train``.
    """
    block = {**errors_on(model, fit, test), "sha256": test.sha256, "numbers": test.numbers}
    if test.numbers == train and "error_upper_bound" in block:
        block["error_upper_bound"] = None
    return block


def gaps_on(fit: Fit, test: Data, rows: Sequence[ScoreRow]) -> dict[str, Any]:
    """The block ``gaps``: for each constraint, the largest difference of mean scores of its groups.

    ``rows`` compare groups of the test set; without them, the result is empty.
    """
    scores = fit.scores(test.X) if rows else np.zeros(0)
    # the largest difference of a constraint comes last
    gaps = dict(sorted((row.of, float(scores[list(row.points)] @ row.weights)) for row in rows))
    return {"gaps": gaps} if gaps else {}


def supplied_by(result: Any) -> AbstractContextManager[None]:
    """A context that supplies the functions in a run's settings to code that reads its result."""
    spec = getattr(result, "spec", None)
    penalties = own_of(getattr(spec, "complexity", None)).values()
    return supplied(own_of(getattr(spec, "kernels", None)), next(iter(penalties), None))


def result_content(result: object, data: Any = None) -> tuple[Mapping[str, Any], str]:
    """The content of a result from a run, a file or a mapping, and the name of the result in
    errors.

    For a run, ``data`` must be the data set of its fit. Raises DataError for another one, and
    OptionError for any other object.
    """
    # a run is converted to its JSON result
    if isinstance(result, Run):
        if not isinstance(data, Data):
            raise OptionError("a run is given without its data: pass the data set of the fit too")
        return result_of(result, data_of(result, data)), "result"
    if isinstance(result, Mapping):
        return result, "result"
    if not isinstance(result, str | Path):
        kind, more = type(result).__name__, ": take its run_" * hasattr(result, "run_")
        raise OptionError(f"{kind} is given, expected a run of rp.fit, its result or file{more}")
    return read_json(result, "a result of radprog solve"), str(result)


def result_of(
    run: Run, data: Data, test: Data | None = None, test_rows: Sequence[ScoreRow] = ()
) -> dict[str, Any]:
    """The result as one object: settings, solution, certificate and evidence.

    ``certificate`` contains the points from which objective and bound can be recomputed. ``digest``
    is the hash of the result without its times. ``test_rows`` compare groups of the test set.
    """
    result = {
        "schema": SCHEMA,
        "radprog": radprog_version(),
        "model": run.name,
        "method": run.method,
        "params": {
            **settings_of(run.spec),
            **{name: getattr(run.settings, name) for name in LIMITS},
        },
        "data": data_block(data),
        "solver": asdict(run.solver),
        "status": run.status.value,
        "stopped_by": run.stopped_by.value,
        **{name: getattr(run, name) for name in PROVED},
        "iterations": len(run.trace),
        "columns": run.columns,
        "time": dict(run.times),
        "peak_mb": peak_mb(),
        "trace": [
            {**{name: getattr(record, name) for name in RECORDED}, **record.detail}
            for record in run.trace
        ],
        "warnings": list(dict.fromkeys((*data.warnings, *run.warnings))),
        "fit": dict(run.summary),
        "test": None
        if test is None
        else {
            **test_block(run.name, run.fit, test, data.numbers),
            **gaps_on(run.fit, test, test_rows),
        },
        "certificate": dict(run.evidence),
        **run.extra,
    }
    # the digest covers everything above except times
    return {**result, "digest": digest_of(result)}
