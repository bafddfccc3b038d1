"""Exported forms of linear models with few features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from radprog.base.tolerances import EXPECTED_TOL
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.linear.fit import fit_linear
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble
from radprog.models.linear.programs import build_dual, build_primal
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import named_rows


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
