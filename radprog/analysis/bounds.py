"""Comparison of all error bounds of a result with each other and with the test error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.base.sections import Part, Report, Table, amount, bounded, styled
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.catalog import entry_named
from radprog.decompositions.run import Recomputed, Run, RunSettings
from radprog.instances.data import Data
from radprog.models.bounds import (
    DELTA,
    Bound,
    about_error,
    binomial_upper,
    by_estimator,
    check_delta,
    compression_bound,
)
from radprog.models.kernels import off_rows
from radprog.models.score_rows import refuse_rows
from radprog.result import test_block
from radprog.saved import StoredRun, no_result, result_content, supplied_by
from radprog.solvers.program import refuse_no_number
from radprog.wiring import Values

COMPRESSION = "compression"
NOT_FIXED = ("delta", "quantile")  # settings that no error bound assumes to be fixed beforehand
# models whose bounds are of a classification error; l1linear only with the loss for classes
ABOUT_ERROR = ("vkr", "l1svm", "svm", "lpboost", "simsvm", "l1linear")
# The sources of bounds, by the start of their names; other bounds are from the paper of the model.
# The references of docs/explanation/bounds.md have the titles.
SOURCES = {
    COMPRESSION: "Campi and Garatti 2023, Theorem 7",
    "margin bound of shapelet ensembles": "Suehiro and others 2017, Theorem 1",
    "margin bound": "Mohri and others 2012, Corollary 6.1",
    "Bartlett and Mendelson": "Bartlett and Mendelson 2002, Theorem 21",
    "fixed point of Theorem 6": "Cortes and others 2013, Theorem 6; "
    "Kloft and Blanchard 2012, Theorem 5",
}
PAPERS = {  # by the folder of the model
    "vkr": "Cortes and others 2015",
    "mkl": "Cortes and others 2013",
    "lpboost": "Suehiro and others 2017",
    "similarity": "Yang and others 2017",
    "regression": "Anguita and others 2012",
}
STEPS_UNSEEN = (
    "of an estimator, which does not see whether a step before it took numbers from these rows"
)


UNSEEN = {"test": "test", "hold-out": "holdout"}  # bounds from rows outside the fit


class Bounds(Report):
    """Error bounds of a result. ``print`` and notebooks show them as the table of ``radprog
    bounds``.

    This class is a mapping with these keys:

    - ``model``, ``delta``
    - ``rows``: the bounds in increasing order, with the fields listed in :func:`radprog.bounds`
    - ``least``: name of the best proved bound below 1 that uses no held-out rows, or None; in the
      table, ``<- best`` marks ``lowest``
    - ``vacuous``: whether no bound is below 1
    - ``refused``: the reason why there is no compression bound
    - ``test``: the test error, or None
    - ``weakness``: what makes the fit useless on its training rows, such as predicting one class,
      or None
    - ``holdout``, ``lowest``, ``settings``, ``level``: see :func:`radprog.bounds`

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> table = rp.bounds(rp.fit(rp.VKR(kernels="poly:1"), data), data)
    >>> table["least"] is None, table["vacuous"]  # six points are too few for any bound
    (True, True)
    """

    def _parts(self) -> list[Part]:
        return bound_parts(self)


def bounds(
    result: Run | Mapping[str, Any] | str | Path,
    data: Data | str | Path | None = None,
    *,
    delta: float | None = None,
    test: Data | str | Path | None = None,
    holdout: float = 0.2,  # of the rows
) -> Bounds:
    """Compare all error bounds of a result, in increasing order.

    Parameters
    ----------
    result : Run, mapping, str or Path
        A run, a loaded result, or the path of a result file.
    data : data set, str or Path, optional
        The data of the fit, for bounds with sampled complexities. Required for a run.
    delta : float, optional
        Probability in (0, 1) that a bound fails. The default is the delta of the run.
    test : data set, str or Path, optional
        Test data. Their test error is listed next to the bounds. The default is the test error in
        the result.
    holdout : float, optional
        Fraction of the rows of ``data`` to hold out. The model is fitted to the other rows and
        tested on the held-out rows. This yields an exact binomial bound. The rows are drawn with
        the seed of the run. :func:`radprog.holdout_bound` draws different rows, so its bound
        differs. The value 0 omits this bound.

    Returns
    -------
    Bounds
        A mapping that ``print`` shows as a table. Each entry of ``rows`` contains

        - ``name`` and ``value``;
        - ``vacuous``: whether the value is at least 1;
        - ``terms``: the summands of the value;
        - ``caveats``: the gaps in the proof of the bound;
        - ``estimate``: whether the bound has caveats;
        - ``source``: the paper and the theorem; the notes on the bounds list the papers;
        - ``fixed``: the settings that must be fixed before the rows are seen.

        ``least`` is the name of the smallest bound without caveats. ``holdout`` is the bound from
        held-out rows. It holds for the fit to the other rows. ``lowest`` is the name of the
        smallest bound, including those from held-out rows and from test rows.

    Raises
    ------
    DataError
        If the result or the data cannot be used, or a run is passed without data.
    OptionError
        If ``delta`` is outside (0, 1), or the model has no classification error.

    Notes
    -----
    Each bound b_i holds with probability 1 - delta over the sample:

        P[error > b_i] <= delta,  i = 1, ..., N.

    The smallest of N bounds therefore holds with probability 1 - N delta (union bound). The bounds
    assume that the rows are independent draws, and that the settings under ``fixed`` were not
    chosen on these rows; the bound of held-out rows assumes that ``settings`` were not chosen on
    those. The entry ``level`` contains delta.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1"), data)
    >>> table = rp.bounds(run, data, delta=0.1)
    >>> values = [row["value"] for row in table["rows"]]
    >>> values == sorted(values)
    True
    >>> table["vacuous"]  # six points are too few for any bound
    True
    """
    if delta is not None:
        check_delta(delta)
    content, source = result_content(result, data)
    try:
        with supplied_by(result):
            # bounds by sampling and test rows require the data of the result
            stored = None if data is None else StoredRun.of(content, source)
            return Bounds(_table(content, stored, data, delta, test, holdout))
    except RadprogError:
        raise
    except MALFORMED as error:
        raise DataError(f"{source}: {no_result(content, error)}") from None


def _table(
    result: Mapping[str, Any],
    stored: StoredRun | None,
    data: Any,
    delta: float | None,
    test: Data | str | Path | None,
    holdout: float,
) -> dict[str, Any]:
    entry, usual = entry_named(result["model"]), result["params"].get("delta")
    model, names = entry.name, [field.name for field in fields(entry.spec)]
    settings = [*(n for n in names if n in result["params"] and n not in NOT_FIXED), "scale"]
    identity = {key: result["data"].get(key) for key in ("name", "sha256", "numbers", "rows")}
    level = delta if delta is not None else usual or DELTA
    about_error = model in ABOUT_ERROR and result["params"].get("loss", "hinge") == "hinge"
    # the bounds in the result, at the given delta
    rows = [_at_delta(bound, delta) for bound in result.get("bounds") or ()]
    block = result.get(COMPRESSION) or {"refused": None, "size": None}
    if block["refused"] is None and block["size"] is not None:
        rows.append(_compression_bound(block, delta or block["delta"]).to_dict())
    points = None
    if stored is not None and data is not None:
        data = stored.data_set(data)
        # the stored points on these rows, because a run does not contain its data
        if about_error or test is not None:
            points = stored.entry.recompute(stored.spec, data, stored.evidence, stored.seed)
            claim, value = result["objective"], points.objective
            difference = 0.0 if claim is None or value is None else abs(value - claim)
            if about_error and difference > CLAIM_TOLERANCE * max(1.0, abs(claim or 0.0)):
                raise DataError(
                    f"{data.name}: not the data of the fit: the objective is {value:.10g} there, "
                    f"and {claim:.10g} in the result"
                )
        # complexities by Monte Carlo, from the data of the result
        more = stored.entry.error_bounds(stored.spec, data, stored.evidence, stored.seed, level)
        rows += [bound.to_dict() for bound in more]
    error = _test_error(result, stored, points, data, test, level)
    # the worth of each bound: steps that its proof lacks, and its distance to the test error
    for row in rows:
        if by_estimator(result):
            row["caveats"] = [*row["caveats"], STEPS_UNSEEN]
        row["estimate"] = bool(row["caveats"])
        # the paper and theorem; in radprog.models.FOLDER.settings, the folder is the paper's
        numbered = re.findall(r"Theorem \d+|\(\d+\)", row["name"])
        paper = f"{PAPERS.get(entry.spec.__module__.split('.')[-2])}, {''.join(numbered[:1])}"
        starts = (source for start, source in SOURCES.items() if row["name"].startswith(start))
        row["source"] = next(starts, paper)
        row["above_test"] = None if error is None else row["value"] - error["error"]
        row["fixed"] = _fixed_settings(row["name"], settings)
    # in increasing order; an estimate is never the best
    rows.sort(key=lambda row: float(row["value"]))
    informative = [row for row in rows if not row["vacuous"]]
    proved = [row["name"] for row in informative if not row["estimate"]]
    # the exact binomial bound of a fit to fewer rows, and the best of all bounds
    holdout_block = _holdout_bound(result, stored, data, holdout, level) if about_error else None
    values = {row["name"]: row["value"] for row in informative if not row["estimate"]}
    if about_error and error is not None:
        values["test"] = error["upper"]
    if holdout_block is not None and holdout_block["upper"] is not None:
        values["hold-out"] = holdout_block["upper"]
    return {
        "schema": 1,
        "model": model,
        "data": identity,
        "delta": delta if delta is not None else usual,
        "level": level,
        "settings": _fixed_settings("hold-out", settings),
        "rows": rows,
        "about_error": about_error,
        "least": proved[0] if proved and about_error else None,
        "holdout": holdout_block,
        "lowest": min(values, key=lambda name: values[name], default=None),
        "vacuous": not informative,
        "weakness": result["fit"].get("weakness"),
        "refused": block["refused"],
        "sampled": data is not None,
        "samples": entry.hooks.bounds is not None,
        "test": error,
    }


def _fixed_settings(name: str, settings: Sequence[str]) -> list[str]:
    """The settings that a bound assumes to be fixed before the rows are seen."""
    return [key for key in settings if key != "tradeoff" or name.startswith("Theorem 2")]


def _compression_bound(block: Mapping[str, Any], delta: float) -> Bound:
    """The compression bound, from its two counts."""
    m, size = int(block["points"]), int(block["size"])
    value, share = compression_bound(m, size, delta), size / m
    parameters = {"m": m, "size": size, "delta": delta}
    terms = {"share": share, "confidence": value - share}
    return Bound(name=COMPRESSION, value=value, terms=terms, parameters=parameters)


def _at_delta(bound: Mapping[str, Any], delta: float | None) -> dict[str, Any]:
    """A stored bound at another delta; its confidence term is a function of log(2/delta).

    Raises OptionError for a bound that does not store the number m of points.
    """
    row = {**bound, "terms": dict(bound["terms"]), "parameters": dict(bound["parameters"])}
    old = row["parameters"].get("delta")
    if delta is None or old is None or delta == old:
        return row
    if "m" not in row["parameters"]:
        raise OptionError(
            f"delta {delta:g}: the result has the bound {row['name']} only for delta {old:g}: "
            "leave delta out"
        )
    # each theorem has its own function of log(2/delta)
    old_log, new_log = math.log(2.0 / old), math.log(2.0 / delta)
    term, m = row["terms"]["confidence"], row["parameters"]["m"]
    if row["name"] == "Theorem 1":  # sqrt(n log p / m + log(2/delta) / (2m))
        term = math.sqrt(term**2 + (new_log - old_log) / (2.0 * m))
    else:  # 3 sqrt(log(2/delta) / (2m))
        term *= math.sqrt(new_log / old_log)
    row["terms"]["confidence"], row["parameters"]["delta"] = term, delta
    # the value is the sum of the terms
    row["value"] = math.fsum(row["terms"].values())
    row["vacuous"] = not row["value"] < 1.0
    return row


def _test_error(
    result: Mapping[str, Any],
    stored: StoredRun | None,
    points: Recomputed | None,
    data: Any,
    test: Data | str | Path | None,
    level: float,
) -> dict[str, Any] | None:
    """The error on test rows with its binomial bound, by the predictor of the recomputed points.

    If ``test`` is None, returns the error in the result, or None if it has no binomial bound.
    Raises OptionError for ``test`` rows with weights.
    """
    if test is None:
        # the errors that the result has counted
        block = result.get("test")
        if not isinstance(block, Mapping) or "errors" not in block:
            return None
        if block["error_upper_bound"] is None:
            return None
        wrong, rows, name = int(block["errors"]), int(block["rows"]), block.get("name")
    else:
        if stored is None or points is None:
            raise OptionError("test rows are scored by the fit, which needs the data: give `data`")
        # the stored points as a predictor of the test rows, scaled like the training rows
        test_data = stored.read(test, like=data)
        if points.fit is None:
            raise OptionError("the result holds no predictor, so test rows have no scores")
        block = test_block(stored.entry.name, points.fit, test_data, data)
        if "errors" not in block:
            raise OptionError(f"{stored.entry.name} has no classification error")
        if test_data.weights is not None:
            raise OptionError(f"{test_data.name}: test rows have weights: leave the weights out")
        if block["error_upper_bound"] is None:
            count = f"{block['shared_rows']} of {test_data.rows} rows"
            raise OptionError(
                f"{test_data.name}: {count} are also rows of the fit, expected others"
            )
        wrong, rows, name = int(block["errors"]), test_data.rows, test_data.name
    return {
        "name": name,
        "rows": rows,
        "error": wrong / rows,
        "upper": binomial_upper(wrong, rows, level),
    }


def _holdout_bound(
    result: Mapping[str, Any], stored: StoredRun | None, data: Any, share: float, delta: float
) -> dict[str, Any] | None:
    """The exact binomial bound from held-out rows, or the reason why there is none."""
    if stored is None or not share:
        return None
    refuse_no_number("holdout", share, positive=True)
    if share >= 1:
        raise OptionError(f"holdout {share:g}: expected a share of the rows below 1")
    rows = np.random.default_rng(stored.seed).permutation(data.rows)
    size = round(share * len(rows))
    block: dict[str, Any] = {"share": share, "rows": size, "upper": None, "refused": None}
    block["seed"] = stored.seed
    try:
        if by_estimator(result):
            raise OptionError(STEPS_UNSEEN)
        data.refuse_weights("a bound by rows held out")
        refuse_rows(getattr(stored.spec, "constraints", None), "they are on all rows")
        if not 0 < size < len(rows):
            raise OptionError(f"holdout {share:g} of {len(rows)} rows: one side would be empty")
        train, test_data = data.partition(np.sort(rows[size:]), np.sort(rows[:size]))
        kernels = getattr(stored.spec, "kernels", None)
        changes: Any = {"kernels": off_rows(kernels)} if kernels else {}
        spec = replace(stored.spec, **changes)
        settings = RunSettings(method=result["method"], tol=stored.tol, seed=stored.seed)
        run = stored.entry.fit(spec, train, settings)
        errors = int(test_block(stored.entry.name, run.fit, test_data, train)["errors"])
    except RadprogError as problem:
        return {**block, "refused": str(problem)}
    block["weakness"] = run.summary.get("weakness")
    return {**block, "errors": errors, "upper": binomial_upper(errors, size, delta)}


def bound_parts(table: Values) -> list[Part]:
    """Bounds on an error, followed by the bounds on the complexity of the class."""
    test, rows = table["test"], table["rows"]
    delta = "" if table["delta"] is None or not rows else f", delta {table['delta']:.4g} of each"
    delta += ", bounds rounded up" if rows else ""
    parts: list[Part] = [
        f"{table['model']} on {table['data']['name']}: "
        f"{amount(table['data']['rows'], 'row')}{delta}"
    ]
    inner = [row for row in rows if not about_error(row)]
    outer = [row for row in rows if row not in inner] + _unseen(table)
    outer.sort(key=lambda row: float(row["value"]))
    lowest = table["lowest"] if table["about_error"] else None
    # the least bound of a useless fit is no praise of it
    weak = table["weakness"] or (table["holdout"] or {}).get("weakness")
    mark = "  <- best" if weak is None else f"  <- of a fit that {weak}"
    best = next((row for row in outer if row["name"] == lowest), None)
    for part, name in ((outer, "bound"), (inner, "complexity, no bound of an error")):
        cells = [
            (
                bounded(row["value"], ".4g"),
                styled(row["above_test"] if part is outer else None, "+.3g"),
                row["name"] + _marks(row) + (mark if row is best else ""),
            )
            for row in part
        ]
        parts.append(Table(head=("value", "above test", name), rows=cells))
    # missing bounds, with the reason
    if table["refused"] is not None:
        parts.append(f"none       compression: {table['refused']}")
    if table["refused"] is None and not rows:
        parts.append(
            "none       no bound: linear models, regressions, and results of weighted rows, of "
            "one-vs-rest or of a single complexity have none: solve with `test` has the errors on "
            "rows held out; the lines and cells of `radprog solve srm` have bounds of regressors"
        )
    elif not table["about_error"]:
        parts.append(
            f"none       compression, hold-out: the bounds of {table['model']} are about risk and "
            "complexity, not the error of a class on new rows"
        )
    parts += _best_lines(table)
    if test is not None:
        parts.append(
            f"test       {100 * test['error']:.2f} % of {test['rows']} rows of {test['name']} "
            f"wrong, at most {bounded(test['upper'], '.2%')} % by the binomial bound"
        )
    block = table["holdout"]
    if block is not None and block["refused"]:
        parts.append(f"hold-out   none: {block['refused']}")
    elif block is not None:
        parts.append(
            f"hold-out   {bounded(block['upper'], '.4g')} by the binomial bound: "
            f"{block['errors']} of {block['rows']} rows wrong, by a fit of the others; drawn by "
            f"seed {block['seed']}"
        )
    if table["samples"] and not table["sampled"]:
        parts.append("sampled    no complexities: give the `data` for Monte Carlo")
    return parts


def gap_lines(table: Values, *, listed: bool) -> list[str]:
    """Lines with the sources of bounds and with every gap in the proofs of estimates. Without
    ``listed``, one line names the option that lists the gaps.
    """
    lacking: dict[str, list[str]] = {}
    for row in table["rows"]:
        for caveat in row["caveats"]:
            lacking.setdefault(caveat, []).append(row["name"])
    if not listed:
        return ["gaps       in the proofs of estimates: `verbose` lists them"] * bool(lacking)
    sources = {
        row["name"].partition(",")[0]: f"{row['source']}; fixed before: {', '.join(row['fixed'])}"
        for row in table["rows"]
    }
    return [
        *(f"source     {name}: {source}" for name, source in sources.items()),
        *(f"gap        {'; '.join(names)}: {caveat}" for caveat, names in lacking.items()),
    ]


def _unseen(table: Values) -> list[Values]:
    """The table rows for the bounds from test rows and from held-out rows."""
    upper = {name: (table[key] or {}).get("upper") for name, key in UNSEEN.items()}
    error = None if table["test"] is None else table["test"]["error"]
    return [
        {
            "name": name,
            "value": value,
            "vacuous": value >= 1.0,
            "estimate": False,
            # the held-out rows belong to another fit, which has another test error
            "above_test": None if error is None or name == "hold-out" else value - error,
        }
        for name, value in upper.items()
        if value is not None and table["about_error"]
    ]


def _marks(row: Values) -> str:
    """The kind of a bound, with its largest summand if it is vacuous."""
    marks = ["estimate"] if row["estimate"] else []
    if row["vacuous"] and about_error(row):
        reason = ""
        if terms := row.get("terms"):
            # the largest summand, and the margin that it is divided by
            name, rho = max(terms, key=lambda name: terms[name]), row["parameters"].get("rho")
            # a margin error also counts rows that are right by less than the margin
            words = "margin error" if name == "empirical_error" else name.replace("_", " ")
            reason = f" by {words} {terms[name]:.3g}"
            reason += "" if rho is None else f" at rho {rho:.3g}"
        marks.insert(0, f"vacuous{reason}")
    form = " (of another fit)" if row["name"] == "hold-out" else ""
    return form + (f" ({', '.join(marks)})" if marks else "")


def _best_lines(table: Values) -> list[Part]:
    """Lines about the best bounds, their assumptions, and the gaps in the proofs of estimates."""
    if not table["about_error"]:
        return []
    rows = table["rows"]
    proved = [(row["name"], row["value"]) for row in rows if not row["estimate"]]
    unseen = [(row["name"], row["value"]) for row in _unseen(table)]
    lines: list[Part] = []
    if weak := table["weakness"] or (table["holdout"] or {}).get("weakness"):
        subject = "the fit" if table["weakness"] else "the fit of the rows not held out"
        lines.append(f"useless    {subject} {weak}: a constant prediction has about the same error")
    if rows and table["least"] is None:
        reason = "all are vacuous" if table["vacuous"] else "those below 1 are estimates"
        lines.append(f"best       without held-out rows: none: {reason}")
    elif rows:
        lines.append(_best_line("without held-out rows", table["least"], proved, table))
    if unseen:
        lines.append(_best_line("of all", table["lowest"], [*proved, *unseen], table))
    if estimates := [row for row in rows if row["estimate"] and not row["vacuous"]]:
        lines.append(
            f"estimate   {estimates[0]['name']}, no proved bound: "
            f"{'; '.join(estimates[0]['caveats'])}"
        )
    return lines


def _best_line(scope: str, name: str, bounds: Sequence[tuple[str, float]], table: Values) -> str:
    """The best of the ``bounds``, its assumptions, and its probability as one of several."""
    fixed: dict[str, list[str]] = {row["name"]: row["fixed"] for row in table["rows"]}
    settings = ", ".join(fixed[name] if name in fixed else table["settings"])
    assumes = {
        "test": "the test rows are independent draws, and nothing was chosen on them",
        "hold-out": f"rows are independent draws, and the settings ({settings}) were not chosen on "
        "the held-out ones; it is about a fit of the others",
    }.get(
        name,
        f"rows are independent draws, and the settings ({settings}) were fixed before these were "
        "seen",
    )
    line = f"best       {scope}: {name}, {bounded(dict(bounds)[name], '.4g')}, if {assumes}"
    delta, names = table["level"], [bound for bound, _ in bounds]
    if len(names) < 2:
        return line
    # the others may assume more
    most = max((fixed.get(bound, []) for bound in names), key=len)
    others = f" if {', '.join(most)} were fixed before" * (most != fixed.get(name, []))
    return (
        f"{line}; the best of {len(names)} proved ones ({'; '.join(names)}), each with probability "
        f"{1 - delta:.4g}, holds with {max(0.0, 1 - len(names) * delta):.4g}{others} "
        f"(with {1 - delta:.4g} by `delta={delta / len(names):.3g}`)"
    )
