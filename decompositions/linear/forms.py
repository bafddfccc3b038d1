"""Exported forms of linear models with few features, and what their solutions are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from radprog.base.tolerances import EXPECTED_TOL
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.linear.fit import fit_linear, outcome_at
from radprog.decompositions.loop import first_step
from radprog.decompositions.questions import FormSolution
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble
from radprog.models.linear.programs import build_dual, build_primal
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW, named_rows


def linear_form(spec: L1Linear, data: Data, form: str, settings: RunSettings) -> BuiltForm:
    """Form primal, dual or master, whose value comes from a certified run; the master is the last
    one of that run."""
    problem, known = assemble(spec, data), named_rows(spec.constraints)
    tight = replace(settings, method="colgen", tol=min(settings.tol, EXPECTED_TOL), abs_tol=0.0)
    solve: Callable[[], Run] = partial(fit_linear, spec, data, tight)
    if form == "master":
        run = solve()
        iterate = {"iterations": len(run.trace), "atoms": run.columns, **(known or {})}
        # with weights that are fixed, or a bound on prices, the master is not this program
        return BuiltForm(run.model(), _signed(-1.0, run), -1.0, iterate)
    build, sign = (build_primal, 1.0) if form == "primal" else (build_dual, -1.0)
    return BuiltForm(build(problem), lambda: _signed(sign, solve()), sign, known)


def _signed(sign: float, run: Run) -> float | None:
    """The value of a certified run as a minimisation."""
    return sign * run.objective if run.certified and run.objective is not None else None


def load_linear(
    spec: L1Linear, data: Data, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """The solutions of forms primal and dual as a certified run; a point that is missing is 0."""
    budget = settings.budget()
    with first_step(budget):
        m, p = data.rows, data.columns or 0
        w, bias, d, mu = np.zeros(p), 0.0, np.zeros(m), np.zeros(len(spec.constraints or ()))
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
                        held = point.multiplier(name)
                        w += sign * held if len(held) else 0.0
                    balance = point.multiplier("balance")
                    bias = -float(balance[0]) if len(balance) else 0.0
        outcome = outcome_at(spec, data, w, bias, d, mu)
    return packed(spec, settings, budget, outcome)
