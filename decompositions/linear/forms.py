"""Exported forms of linear models with few features."""

from __future__ import annotations

from radprog.decompositions.forms import BuiltForm, expected_value, tight
from radprog.decompositions.linear.fit import fit_linear
from radprog.decompositions.run import RunSettings
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble
from radprog.models.linear.programs import build_dual, build_primal
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import named_rows


def linear_form(spec: L1Linear, data: Data, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``primal``, ``dual`` or ``master``, with the optimal value of a certified run.

    ``master`` is the last master of that run.
    """
    problem, known = assemble(spec, data), named_rows(spec.constraints)
    how = tight(settings, method="colgen", abs_tol=0.0)
    if form == "master":
        run = fit_linear(spec, data, how)
        at = {"iterations": len(run.trace), "atoms": run.columns, "d": run.evidence["d"]}
        iterate = {**at, **(known or {})}
        # with weights that are fixed, or a bound on prices, the master is not this program
        return BuiltForm(run.model(), expected_value(run, -1.0), -1.0, iterate)
    build, sign = (build_primal, 1.0) if form == "primal" else (build_dual, -1.0)
    return BuiltForm(
        build(problem), lambda: expected_value(fit_linear(spec, data, how), sign), sign, known
    )
