"""Questions to linear models with few features beyond their solution: other points, features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from radprog.decompositions.linear.fit import outcome_at
from radprog.decompositions.loop import first_step
from radprog.decompositions.questions import FormSolution
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.data import Data
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW


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
