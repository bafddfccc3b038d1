"""Linear models with few features in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.decompositions.analyses import (
    ExactPair,
)
from radprog.decompositions.exact_svm import balanced
from radprog.instances.data import Data
from radprog.models.linear.problem import assemble, stored_point
from radprog.models.linear.settings import L1Linear
from radprog.solvers.dense.linear_systems import common


def prove_linear(spec: L1Linear, data: Data, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored w, b and d, with their objective and bound in exact arithmetic. d is first
    balanced and scaled.

    Raises OptionError for programs that the checker does not support. These are programs with
    groups, signs, constraints, or a loss other than the hinge loss.
    """
    if spec.loss != "hinge" or spec.groups or spec.signs != "free" or spec.constraints:
        raise OptionError(
            "l1linear is proved with loss hinge, without groups, signs and constraints: export "
            "another program, and prove its file by 'radprog prove FILE.mps --vipr'"
        )
    problem = assemble(spec, data)
    features, coefficients, bias, stored, _ = stored_point(problem, evidence)
    (m, p), y = problem.shape, data.signs.astype(int).tolist()
    # d in its box, then balanced
    top = Fraction(1, m)
    d = [min(max(Fraction(value), Fraction(0)), top) for value in stored.tolist()]
    if spec.bias:
        d = balanced(d, y, top)
    # every feature's edge, in fractions of the entries that are not 0, and what it adds to scores
    beta, largest = Fraction(spec.beta), Fraction(0)
    w, b = list(map(Fraction, coefficients.tolist())), Fraction(bias)
    scores = [b] * m
    nonzero = dict(zip(features.tolist(), w, strict=True))
    for j, (rows, entries) in enumerate(problem.columns()):
        poll()
        values = list(map(Fraction, entries))
        terms = (value * y[i] * d[i] for i, value in zip(rows, values, strict=True))
        largest = max(largest, abs(sum(terms, Fraction(0))))
        if j in nonzero:
            for i, value in zip(rows, values, strict=True):
                scores[i] += nonzero[j] * value
    scale = min(Fraction(1), beta / largest) if largest else Fraction(1)
    losses = sum((max(Fraction(0), 1 - s * f) for s, f in zip(y, scores, strict=True)), Fraction(0))
    numbers, over = common([nonzero.get(j, Fraction(0)) for j in range(p)])
    weights, denominator = common([*d, top])
    return ExactPair(
        kernels=("linear",),
        settings={"beta": spec.beta, "bias": spec.bias},
        primal={"numbers": numbers, "over": over, "bias": b},
        dual={"numbers": weights[:-1], "over": denominator, "scale": scale},
        objective=losses / m + beta * sum(map(abs, w), Fraction(0)),
        bound=scale * sum(d, Fraction(0)),
        vertex=False,
    )
