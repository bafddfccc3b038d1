"""Exported forms of linear models with few features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.forms import BuiltForm, expected_value, tight
from radprog.decompositions.linear.fit import ZERO_WEIGHT, fit_linear, outcome_at
from radprog.decompositions.loop import first_step
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble
from radprog.models.linear.programs import build_dual, build_primal
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW, named_rows


def linear_form(spec: L1Linear, data: Data, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``primal``, ``dual`` or ``master``, with the optimal value of a certified run.

    ``master`` is the last master of that run.
    """
    problem, names = assemble(spec, data), named_rows(spec.constraints)
    tightened = tight(settings, method="colgen", abs_tol=0.0)
    if form == "master":
        run = fit_linear(spec, data, tightened)
        entries = {"iterations": len(run.trace), "atoms": run.columns, "d": run.evidence["d"]}
        iterate = {**entries, **(names or {})}
        # with weights that are fixed, or a bound on prices, the master is not this program
        return BuiltForm(run.model(), expected_value(run, -1.0), -1.0, iterate)
    build, sign = (build_primal, 1.0) if form == "primal" else (build_dual, -1.0)
    return BuiltForm(
        build(problem), lambda: expected_value(fit_linear(spec, data, tightened), sign), sign, names
    )


def load_linear(
    spec: L1Linear, data: Data, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """A run that certifies loaded solutions of the ``primal`` and ``dual`` forms. A missing point
    is set to 0.
    """
    budget = settings.budget()
    with first_step(budget):
        m, p = data.rows, data.columns or 0
        problem = assemble(spec, data)
        w, bias, d, mu = np.zeros(p), 0.0, np.zeros(m), np.zeros(len(problem.rows))
        for point in points:
            if point.form == "primal":
                w = point.vector("plus") - point.vector("minus")
                bias = point.values["bias"][()]
                if point.multipliers is not None:
                    d, mu = point.multiplier("margin"), -point.multiplier(SCORE_ROW)
            else:
                d, mu = point.vector("weight"), point.vector(ROW_PRICE)
                if point.multipliers is not None and spec.groups is None and point.form == "dual":
                    w = np.zeros(p)
                    for name, sign in (("correlation", -1.0), ("correlation_below", 1.0)):
                        values = point.multiplier(name)
                        signed = problem.allowed[1 if sign < 0.0 else 0] != 0.0
                        w[signed] += sign * values if len(values) else 0.0
                    balance = point.multiplier("balance")
                    bias = -float(balance[0]) if len(balance) else 0.0
        support = np.flatnonzero(np.abs(w) > ZERO_WEIGHT * np.abs(w).max(initial=0.0))
        outcome = outcome_at(spec, data, problem, support, w[support], bias, d, mu)
    return packed(spec, settings, budget, outcome)
