"""The JSON result of a run: its content, its text and its digest."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import math
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from radprog.base.sections import UNSAFE
from radprog.catalog import entry_named
from radprog.decompositions.run import Fit, Run, settings_of, signs
from radprog.instances.data import Data
from radprog.instances.splits import regression_errors
from radprog.models.bounds import DELTA, binomial_upper
from radprog.models.ranking import area_under_curve

UNSIGNED = ("digest", "time", "peak_mb")  # keys that the digest of a result or fit omits
ENCODE = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode
AS_THEY_ARE = frozenset({int, bool, str, type(None)})  # types whose values are all JSON values
#: Parts of a result that are attributes of the run's settings, of the run, and of its records.
LIMITS = ("tol", "abs_tol", "time_limit", "max_iter", "seed", "threads")
PROVED = ("objective", "bound", "gap", "certified", "certified_by", "proved_by")
RECORDED = ("iteration", "seconds", "objective", "bound", "gap")


def plain(value: Any, *, canonical: bool = False) -> Any:
    """The value in JSON types; NaN and infinity become null.

    In ``canonical`` values, whole floats are integers.
    """
    # the common types first: results hold long lists of numbers
    kind = type(value)
    if kind is float:
        if not math.isfinite(value):
            return None
        # floats up to here are written as integers in the digested text
        return int(value) if canonical and value.is_integer() and abs(value) <= 2.0**53 else value
    if kind in AS_THEY_ARE:
        return value
    if isinstance(value, list | tuple):
        # lists of thousands of numbers are checked all at once
        kinds = set(map(type, value))
        is_plain = kinds <= AS_THEY_ARE or (
            kinds == {float}
            and math.isfinite(sum(value))
            and not (canonical and any(map(float.is_integer, value)))
        )
        return list(value) if is_plain else [plain(item, canonical=canonical) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item, canonical=canonical) for key, item in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), canonical=canonical)
    if isinstance(value, np.generic):
        return plain(value.item(), canonical=canonical)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_json(value: Any) -> str:
    """JSON text with all digits of floating-point numbers. A list without objects is one line.

    Control characters and invalid bytes in file names are escaped.
    """
    text = _indented(plain(value), "\n") + "\n"
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _indented(value: Any, line: str) -> str:
    """The JSON text of a plain value; ``line`` is a line break with the current indent."""
    inner = line + " "
    if isinstance(value, dict) and value:
        items = (f"{inner}{ENCODE(key)}: {_indented(item, inner)}" for key, item in value.items())
        return "{" + ",".join(items) + line + "}"
    if isinstance(value, list) and dict in map(type, value):
        return "[" + ",".join(inner + _indented(item, inner) for item in value) + line + "]"
    return ENCODE(value)


def digest_of(result: Mapping[str, Any]) -> str:
    """The SHA-256 of the content of a result or a saved fit, in hexadecimal digits.

    The hash covers the canonical JSON: the keys are sorted, there are no blanks, and whole
    numbers have no decimal point. The keys in ``UNSIGNED`` and the seconds of the trace are left
    out. Two runs that differ only in their times therefore have the same hash. Anyone can compute
    the hash. It shows that a file was changed, but not by whom.
    """
    # times differ from run to run and are left out
    claims = {key: value for key, value in result.items() if key not in UNSIGNED}
    trace = claims.get("trace") or ()
    claims["trace"] = [
        {key: value for key, value in record.items() if not str(key).startswith("seconds")}
        if isinstance(record, Mapping)
        else record
        for record in (trace if isinstance(trace, Sequence) else [trace])
    ]
    # canonical JSON: sorted keys, no blanks, whole floats as integers
    text = json.dumps(
        plain(claims, canonical=True),
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()


def digest_state(result: Mapping[str, Any]) -> str:
    """Whether the digest of a result ``holds``, is ``broken`` or is ``missing``."""
    if result.get("digest") is None:
        return "missing"
    return "holds" if result["digest"] == digest_of(result) else "broken"


@functools.cache
def radprog_version() -> str:
    """The version of radprog."""
    return importlib.metadata.version("radprog")


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
    test_hook = entry_named(model).hooks.test
    if test_hook is not None:
        return test_hook(fit, test)
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
    # the name of each class number: -1 and 1 for two classes, else 0, 1, ...
    numbers = ("-1", "1") if data.signed else map(str, range(len(data.labels)))
    labels = dict(zip(numbers, data.labels, strict=True))
    # each run of consecutive file rows by its first row, counted from 1, in the data and the file
    lines = {}
    if data.lines is not None:
        starts = np.flatnonzero(np.diff(data.lines, prepend=data.lines[:1] - 2) != 1)
        lines = {"lines": [[int(start) + 1, int(data.lines[start])] for start in starts]}
    return {
        **data.identity,
        "columns": data.columns,
        "labels": labels or None,
        **({"label_type": data.label_type} if labels else {}),
        "reading": dict(data.reading),
        **({"header": data.header} if data.header else {}),
        **lines,
        **({} if data.weights is None else {"weight": float(data.weights.sum())}),
    }


def test_block(model: str, fit: Fit, test: Data, train: Data) -> dict[str, Any]:
    """The ``test`` block: the errors of a fit on a test set, and its hashes.

    There is no bound if a row is also one of the training data, whose error says nothing of others.
    """
    block = {**errors_on(model, fit, test), "sha256": test.sha256, "numbers": test.numbers}
    if test.weights is not None:
        block["weight"] = float(test.weights.sum())
    block["shared_rows"] = test.rows_in(train)
    if block["shared_rows"] and "error_upper_bound" in block:
        block["error_upper_bound"] = None
    return block


def result_of(
    run: Run, data: Data, test: Data | None = None, gaps: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The result as one object: settings, solution, certificate and evidence.

    ``certificate`` contains the points from which objective and bound can be recomputed. ``digest``
    is the hash of the result without its times. ``gaps`` has the largest difference of the mean
    scores of groups of the test set, for each constraint.
    """
    # largest resident memory of this process so far: bytes on macOS, KiB elsewhere
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = {
        "schema": 1,
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
        "peak_mb": peak / (2**20 if sys.platform == "darwin" else 2**10),
        "trace": [
            {**{name: getattr(record, name) for name in RECORDED}, **record.detail}
            for record in run.trace
        ],
        "warnings": list(dict.fromkeys((*data.warnings, *run.warnings))),
        "fit": dict(run.summary),
        "test": None
        if test is None
        else {
            **test_block(run.name, run.fit, test, data),
            **({"gaps": gaps} if gaps else {}),
        },
        "certificate": dict(run.evidence),
        **run.extra,
    }
    # the digest covers everything above except times
    return {**result, "digest": digest_of(result)}
