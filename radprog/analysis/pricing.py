"""Bounds on the improvement of a stored result by additional candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.decompositions.analyses import PricingResult
from radprog.decompositions.loop import certified_by
from radprog.decompositions.run import Run
from radprog.models.kernels import on_rows
from radprog.saved import StoredRun, result_content, supplied_by


def price(
    result: Run | Mapping[str, Any] | str | Path,
    data: Any,
    *,
    kernels: str | Sequence[str] | None = None,
    length: str | float | Sequence[float] | None = None,
) -> dict[str, Any]:
    """Bound how much additional kernels or lengths can improve a result.

    Parameters
    ----------
    result : Run, mapping, str or Path
        A run, a loaded result, or the path of a result file.
    data : data set, str or Path
        The data of the fit.
    kernels : str or sequence of str, optional
        Candidate kernels, in the notation of the model's settings.
    length : str, float or sequence of float, optional
        Candidate pattern lengths; only for ``lpboost``.

    Returns
    -------
    dict
        Each entry of ``rows`` contains the ``name``, ``price`` (the cost of a unit), ``ratio``,
        ``floor`` and ``useless`` of a candidate, and whether it is ``present`` in the program. The
        ``floor`` of a row bounds the optimum with that candidate, and the entry ``floor`` of the
        mapping with all of them: from below, or from above if ``maximise`` is True (``lpboost``). A
        candidate can be proved useless only for a certified result.

    Raises
    ------
    DataError
        If the result cannot be used, or the data belong to another fit.
    OptionError
        If the model does not support candidates, or the option belongs to another model.

    Notes
    -----
    A candidate adds columns to the primal program and constraints to the dual. For ``vkr`` these
    are

        |sum_i u_i y_i K(x_i, x_j)| <= lam r_K + beta,  j = 1, ..., m.

    ``ratio`` is the largest left-hand side divided by the right-hand side. If it is at most 1, the
    dual point u remains feasible, so the candidate cannot improve the optimal value. Otherwise
    u / ratio is feasible, and its dual value is the ``floor``: the optimal value with the candidate
    is at least this value. For ``lpboost``, ``price`` is the bound, ``ratio`` the largest edge
    divided by it, and the optimal margin with the candidate is at most the ``floor``, the larger of
    the two. A family that is ``present`` has a ratio of at most 1, up to rounding, and no verdict.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> run = rp.fit(rp.VKR(kernels="poly:1", lam=0.1, beta=0.2), data)
    >>> table = rp.price(run, data, kernels=["rbf:1", "poly:2"])
    >>> [(row["name"], row["useless"]) for row in table["rows"]]
    [('rbf:1', True), ('poly:2', False)]
    >>> table["floor"] <= table["objective"]
    True
    """
    content, source = result_content(result, data)
    with supplied_by(result):
        stored = StoredRun.of(content, source)
        entry = stored.entry
        entry.check_can("price")
        # each model has one option for candidates
        candidates: Any = {"kernels": kernels, "length": length}[entry.priced]
        if candidates is None:
            raise OptionError(f"{entry.name} is priced by `{entry.priced}`")
        if not isinstance(candidates, str):
            several = isinstance(candidates, Sequence)
            candidates = ",".join(map(str, candidates)) if several else str(candidates)
        data = stored.data_set(data)  # the dual point belongs only to these data
        if entry.priced == "kernels":
            candidates = on_rows(candidates, data.X, data.weights)
        try:
            find = entry.hook("price", data)
            priced: PricingResult = find(
                stored.spec, data, stored.evidence, stored.seed, candidates
            )
        except RadprogError:
            raise
        except MALFORMED as error:
            raise DataError(f"{source}: its points have no prices: {error!r}") from None
    # only a certified result proves a candidate useless
    tolerances = (stored.tol, stored.abs_tol)
    sense = -1 if priced.maximise else 1
    certified = certified_by(priced.objective, priced.bound, *tolerances, sense) is not None
    return {
        "schema": 1,
        "model": entry.name,
        "data": data.identity,
        "objective": priced.objective,
        "bound": priced.bound,
        "certified": certified,
        "floor": priced.floor,
        "maximise": priced.maximise,
        "rows": [
            {**asdict(row), "useless": certified and row.keeps_bound and not row.present}
            for row in priced.candidates
        ],
        "warnings": priced.warnings,
    }
