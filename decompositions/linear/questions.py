"""Questions to linear models with few features beyond their solution: other points, features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.decompositions.linear.fit import outcome_at
from radprog.decompositions.loop import first_step
from radprog.decompositions.questions import ExactPair, FormSolution
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble, stored_point
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW
from radprog.solvers.dense.linear_systems import common


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


def prove_linear(spec: L1Linear, data: Data, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored w, b and d, d balanced and scaled, and their values in exact arithmetic.

    Raises OptionError for what the checker has no program of: other losses, groups, signs and
    constraints.
    """
    if spec.loss != "hinge" or spec.groups or spec.signs != "free" or spec.constraints:
        raise OptionError(
            "l1linear is proved with loss hinge, without groups, signs and constraints: export "
            "another program, and prove its file by radprog prove FILE.mps --vipr"
        )
    problem = assemble(spec, data)
    features, coefficients, bias, stored, _ = stored_point(problem, evidence)
    (m, p), y = problem.shape, data.signs.astype(int).tolist()
    # d in its box, then balanced by one weight that has room for what the sum is off
    top = Fraction(1, m)
    d = [min(max(Fraction(value), Fraction(0)), top) for value in stored.tolist()]
    off = sum(map(mul, d, y)) if spec.bias else Fraction(0)
    able = (i for i, value in enumerate(d) if 0 <= value - off * y[i] <= top)
    if off:
        i = next(able, None)
        d = [Fraction(0)] * m if i is None else [*d[:i], d[i] - off * y[i], *d[i + 1 :]]
    # every feature's edge, in fractions of the entries that are not 0, and what it adds to scores
    beta, largest = Fraction(spec.beta), Fraction(0)
    w, b = list(map(Fraction, coefficients.tolist())), Fraction(bias)
    scores = [b] * m
    held = dict(zip(features.tolist(), w, strict=True))
    for j, (rows, entries) in enumerate(problem.columns()):
        poll()
        values = list(map(Fraction, entries))
        terms = (value * y[i] * d[i] for i, value in zip(rows, values, strict=True))
        largest = max(largest, abs(sum(terms, Fraction(0))))
        if j in held:
            for i, value in zip(rows, values, strict=True):
                scores[i] += held[j] * value
    scale = min(Fraction(1), beta / largest) if largest else Fraction(1)
    losses = sum((max(Fraction(0), 1 - s * f) for s, f in zip(y, scores, strict=True)), Fraction(0))
    numbers, over = common([held.get(j, Fraction(0)) for j in range(p)])
    weights, below = common([*d, top])
    return ExactPair(
        kernels=("linear",),
        settings={"beta": spec.beta, "bias": spec.bias},
        primal={"numbers": numbers, "over": over, "bias": b},
        dual={"numbers": weights[:-1], "over": below, "scale": scale},
        objective=losses / m + beta * sum(map(abs, w), Fraction(0)),
        bound=scale * sum(d, Fraction(0)),
        vertex=False,
    )
