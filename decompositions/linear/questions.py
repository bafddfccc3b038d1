"""Analyses of linear models with few features: loaded points, prices of features and exact
values.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.decompositions.exact_svm import balanced
from radprog.decompositions.linear.fit import outcome_at
from radprog.decompositions.loop import first_step
from radprog.decompositions.questions import (
    BOUND_ROUNDING,
    Candidate,
    ExactPair,
    FormSolution,
    PricingResult,
)
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.instances.arrays import read_matrix
from radprog.instances.data import Data
from radprog.instances.sparse import is_sparse
from radprog.models.linear.problem import assemble, stored_point
from radprog.models.linear.settings import L1Linear
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW
from radprog.solvers.dense.linear_systems import common

PRODUCTS = "products"  # of two features of the data


def load_linear(
    spec: L1Linear, data: Data, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """A run that certifies loaded solutions of the ``primal`` and ``dual`` forms. A missing point
    is set to 0.
    """
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


def price_linear(
    spec: L1Linear, data: Data, evidence: Mapping[str, Any], seed: int, features: str
) -> PricingResult:
    """Price additional features at the stored dual point.

    Each item in the string ``features`` is a family. The item ``products`` means products of two
    features. Any other item is a file with a matrix (m, k).
    """
    problem = assemble(spec, data)
    names = getattr(data, "features", ()) or tuple(map(str, range(problem.shape[1])))
    held, w, bias, d, mu = stored_point(problem, evidence)
    bound, candidates = problem.dual_bound(d, mu, problem.pricing(d, mu)), []
    for family in map(str.strip, features.split(",")):
        start, best, floor, name = time.perf_counter(), -1.0, bound, family
        for block, X in enumerate(_new_features(problem.X, family)):
            poll()
            # the program of these features only: d over its largest edge is a point of both
            part = replace(problem, X=X, group=np.arange(X.shape[1]), grouped=False)
            gradient = part.pricing(d, mu)
            floor = min(floor, part.dual_bound(d, mu, gradient))
            edges = part.edges(gradient)
            if (ratio := float(edges.max(initial=0.0)) / spec.beta) > best:
                best, column = ratio, int(edges.argmax())
                name = f"{family}: column {column}"
                if family == PRODUCTS:
                    name = f"{family}: {names[block]} * {names[block + column]}"
        seconds = time.perf_counter() - start
        candidates.append(
            Candidate(
                name=name, price=spec.beta, ratio=best, floor=floor, column=None,
                kernel_seconds=0.0, seconds=seconds,
                keeps_bound=floor >= bound - BOUND_ROUNDING * abs(bound),
            )
        )  # fmt: skip
    return PricingResult(
        objective=problem.primal_value(held, w, bias), bound=bound,
        floor=min(one.floor for one in candidates), candidates=tuple(candidates),
    )  # fmt: skip


def _new_features(X: Any, family: str) -> Iterator[Any]:
    """The features (m, k) of each block in a family."""
    if family != PRODUCTS:
        yield read_matrix(family, (X.shape[0], None))
        return
    # every feature times itself and those after it
    for j in range(X.shape[1]):
        own = X[:, [j]]
        others = X[:, j:]
        yield others.multiply(own).tocsc() if is_sparse(X) else others * own


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
