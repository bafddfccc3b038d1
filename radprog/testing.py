"""Checks of a model of your own, in the manner of scikit-learn's ``check_estimator``.

The model is one of a package beside this one, or of the catalog; CONTRIBUTING.md says how to write
one. The contract test of radprog makes the same checks on each model.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from radprog.api import build, fit
from radprog.catalog import entry_named, entry_of
from radprog.checking import check
from radprog.decompositions.run import Spec, sense_of
from radprog.result import errors_on, result_of, to_json
from radprog.saved import load_fit


def check_model(spec: Spec, data: Any) -> None:
    """Check that each method and form of a model keeps what every model of radprog keeps.

    Each method is fitted. Its result says one thing (:func:`check_result`), its certificate is
    recomputed from the data, and that of a changed objective is not. Its fit is saved, and predicts
    and errs as the run does. Each form is built.

    Parameters
    ----------
    spec : settings
        Settings of the model, such as ``Ridge(C=2.0)``.
    data : data set
        A few rows of a kind that the model takes.

    Raises
    ------
    AssertionError
        If a method or form breaks the contract. The message names it, and what is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> from radprog.testing import check_model
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> check_model(rp.SVM(kernels="linear"), data)
    """
    entry = entry_of(spec)
    for method in entry.methods:
        run = fit(spec, data, method=method)
        result = json.loads(to_json(result_of(run, data)))
        check_result(result)
        # the stored points alone give objective, bound and status; the digest covers any change
        problems = check(result, data)["problems"]
        assert not problems, f"method {method}: {'; '.join(problems)}"
        bad = {**result, "objective": 1.001 * result["objective"] + 1e-3, "digest": None}
        assert not check(bad, data)["holds"], f"method {method}: a changed objective is not seen"
        # the saved fit is the fit of the run
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "fit.npz")
            run.predictor.save(place)
            saved = load_fit(place)
        same = np.array_equal(saved.fit.predict(data.X), run.fit.predict(data.X))
        assert same, f"method {method}: the saved fit predicts other values than the run"
        check_errors(result, errors_on(entry.name, saved.fit, data))
    for form in getattr(spec, "written", entry.forms):
        build(spec, data, form=form)


def check_result(result: Mapping[str, Any]) -> None:
    """Check that the parts of a JSON result agree. Raises AssertionError with those that do not."""
    what = f"method {result['method']}: "
    objective, bound, gap = result["objective"], result["bound"], result["gap"]
    assert math.isfinite(objective), f"{what}objective {objective}"
    assert (bound is None) == (gap is None), f"{what}bound {bound}, gap {gap}"
    if bound is not None:
        # the bound is on its side, and the gap is that of the two numbers
        entry, params = entry_named(result["model"]), result["params"]
        sense = sense_of(entry.spec)
        beyond = sense * (bound - objective)
        assert beyond <= 1e-9 * max(1e-3, abs(objective), abs(bound)), f"{what}the bound crosses"
        share = abs(objective - bound) / max(abs(objective), 1e-10)
        assert math.isclose(gap, share, rel_tol=1e-6, abs_tol=1e-12), (
            f"{what}gap {gap}, not {share}"
        )
        close = share <= params["tol"] or abs(objective - bound) <= params["abs_tol"]
        assert result["certified"] == close, f"{what}certified {result['certified']}, gap {gap}"
        assert close or result["method"] in entry.local, f"{what}ended at the gap {gap}"
    words = result["status"] == "optimal", result["certified"], result["certified_by"] is not None
    assert len(set(words)) == 1, f"{what}status {result['status']}, certified {words[1]}"
    assert result["time"]["total"] >= result["time"]["solve"] >= 0.0, f"{what}{result['time']}"
    numbers = [record["iteration"] for record in result["trace"]]
    assert result["iterations"] == len(numbers), f"{what}{len(numbers)} records of the trace"
    assert all(np.diff(numbers) == 1), f"{what}the trace leaves iterations out"


def check_errors(result: Mapping[str, Any], block: Mapping[str, Any]) -> None:
    """Check that the training errors in a JSON result are those of a fit on its rows, a ``test``
    block. Raises AssertionError with the one that is not.
    """
    for reported, tested in (("training_error", "error"), ("mae", "mae")):
        if reported in result["fit"]:
            claim, value = result["fit"][reported], block[tested]
            assert abs(claim - value) <= 1e-9, f"{reported} {claim}, but the fit has {value}"
