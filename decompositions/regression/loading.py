"""Evaluation of other programs' solutions of exported forms of bounded SVR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from radprog.base.errors import DataError
from radprog.base.tolerances import LOADED_EXCESS
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.regression.assembly import assemble, in_class, radius_of
from radprog.decompositions.regression.fit import counts_of, outcome_of
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.dataset import Dataset
from radprog.models.regression.problem import bounded_loss_bias
from radprog.models.regression.settings import SVR


def load_svr(
    spec: SVR, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load w and b from a step or from the form ``global``, or the coefficients g from
    ``step-dual``.

    For the dual step, the optimal b is computed. The bounded losses are evaluated; there is no
    bound.
    """
    budget = settings.budget()
    kernel, problem = assemble(spec, data)
    budget.ready()
    radius, point = radius_of(spec), points[0]
    if point.form == "step-dual":
        g = point.vector("g")
        if g.shape != (data.rows,):
            raise DataError("the solution does not fit this data set: other points")
        # w = F'g; b is chosen best below
        w, b = problem.factor.T @ g, np.zeros(1)
    else:
        w, b = point.vector("w"), point.vector("b")
    if w.shape != (problem.rank,) or b.shape != (1,):
        raise DataError("the solution does not fit this data set: another rank of the kernel")
    # inside of the ball, where the form has one
    warnings: tuple[str, ...] = ()
    if radius.A is not None and w @ w > radius.A * (1.0 + LOADED_EXCESS):
        outside = f"the solution has |w|^2 = {w @ w:.10g}, above A = {radius.A:.10g}"
        if point.form in ("step-ivanov", "global"):
            raise DataError(outside)
        warnings = (f"{outside}, which this form only prices: it was scaled down",)
    x = np.append(w, b)[None]
    if point.form == "step-dual":
        signs = -counts_of(data)[None]
        x[:, -1] = bounded_loss_bias(problem.functions(x), problem.y[None], signs, problem.loss)[0]
    coefficients, bias = in_class(problem, x, radius.A)
    outcome = outcome_of(spec, data, kernel, problem, coefficients, bias)
    return packed(spec, settings, budget, replace(outcome, warnings=(*outcome.warnings, *warnings)))
