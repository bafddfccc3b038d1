"""Analyses of LPBoost: loaded solutions, prices and function classes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import Candidate, FormSolution, FunctionClass, PricingResult
from radprog.decompositions.drivers.exchange import coefficients_of
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.fit import recompute_lpboost
from radprog.decompositions.lpboost.report import outcome_of, stored_point
from radprog.decompositions.lpboost.shapelets import (
    Rows,
    Shapelets,
    assemble,
    require_bags,
)
from radprog.decompositions.lpboost.weak_learners import BallLearner, SingleShapelets
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.models.complexity import finite_suprema, massart, oracle_suprema
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.settings import LPBoost, parse_lengths
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW


def load_lpboost(
    spec: LPBoost, data: Rows, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load the weights of single shapelets from the primal form or from the multipliers of the dual
    form.

    The weights of the rows come from the dual form or from the multipliers of the primal form. If
    they are missing, the bound is None. Raises OptionError if the learner's hypotheses are not in
    the program, or if the form is a weak form.
    """
    if not spec.exact or any(point.form not in ("primal", "dual") for point in points):
        raise OptionError(
            "only forms primal and dual of the learners shapelet and shapelet-plus name their "
            "hypotheses: a solution of another program of lpboost is not an answer of the model"
        )
    data, budget = require_bags(spec, data), settings.budget()
    problem = assemble(spec, data)
    budget.kernels = budget.seconds
    # weights of hypotheses and of rows: variables of one program, multipliers of the other
    w, d, mu = None, None, np.zeros(0)
    for point in points:
        if point.form == "dual":
            if d is None:
                d, mu = point.vector("d"), point.vector(ROW_PRICE)
            if w is None and point.multipliers is not None:
                w = coefficients_of(point.multiplier("edge"))
        else:
            w = point.vector("weight") if w is None else w
            if d is None and point.multipliers is not None:
                d = point.multiplier("margin")
                mu = coefficients_of(point.multiplier(SCORE_ROW))
    if w is None:
        raise OptionError(
            "form 'dual' without row duals holds no weights of hypotheses: load a solution of form "
            "'primal', with this one as `dual_sol` and `dual_names`"
        )
    # shapelets in the order of the program: of all lengths, then their negatives
    signs = (1.0, -1.0) if spec.learner == "shapelet" else (1.0,)
    singles = [
        (f, k, sign) for sign in signs for f, family in enumerate(problem.families)
        for k in range(family.n)
    ]  # fmt: skip
    w = np.maximum(w, 0.0)
    sizes = (problem.m,), (len(problem.margin.rows),)
    fits = d is None or (d.shape, mu.shape) == sizes
    if w.shape != (len(singles),) or not w.any() or not fits:
        raise DataError("the solution does not fit this data set: other series or lengths")
    support = np.flatnonzero(w > SUPPORT * w.max())
    chosen = [problem.single(*singles[t]) for t in support]
    z = problem.margin.uniform() if d is None else np.append(d, mu)
    outcome = outcome_of(spec, data, problem, chosen, w[support] / w[support].sum(), z)
    return packed(spec, settings, budget, outcome if d is not None else outcome.without_bound("d"))


def price_lpboost(
    spec: LPBoost, data: Rows, evidence: Mapping[str, Any], seed: int, lengths: str
) -> PricingResult:
    """Price shapelets of other lengths at the stored row weights d of an LPBoost run.

    The optimal margin is at most the largest edge sum_i d_i y_i h(x_i) of the class at d. An
    additional length increases this bound only if its largest edge is larger. The margin is then at
    most this larger edge. The largest edge of the lengths in the program is the bound itself.
    """
    data = require_bags(spec, data)
    if not spec.exact:
        raise OptionError(
            f"learner '{spec.learner}' is priced by local search, which proves no bound: solve "
            "with `learner='shapelet'`"
        )
    # the stored dual point
    problem = assemble(spec, data)
    objective, bound = recompute_lpboost(spec, data, evidence, seed).pair
    assert bound is not None
    z = problem.margin.feasible(stored_point(problem.margin, evidence))
    present = {family.cut.length for family in problem.families}
    # a length above the series has no shapelet, so it cannot help
    items = parse_lengths(lengths)
    candidates = [
        Candidate(
            name=f"length {text} (the series have {data.span} points)", price=bound, ratio=0.0,
            floor=bound, column=None, kernel_seconds=0.0, seconds=0.0, keeps_bound=True,
        )
        for text, value in items if value > data.span
    ]  # fmt: skip
    # the largest edge of each other length at that point
    priced_lengths = ",".join(text for text, value in items if value <= data.span)
    for length in replace(spec, length=priced_lengths).lengths(data.span) if priced_lengths else ():
        start, is_present = time.perf_counter(), length in present
        family = assemble(replace(spec, length=str(length)), data)
        built = time.perf_counter()
        edge = SingleShapelets(family, signed=spec.learner == "shapelet").bound(z)
        candidates.append(
            Candidate(
                name=f"length {length}",
                price=bound,
                ratio=edge / bound if bound > 0 else (np.inf if edge > bound else 1.0),
                floor=bound if is_present else max(bound, edge),
                column=None,
                kernel_seconds=built - start,
                seconds=time.perf_counter() - built,
                keeps_bound=is_present or edge <= bound,
                present=is_present,
            )
        )
    assert objective is not None
    return PricingResult(
        objective=objective,
        bound=bound,
        floor=max(candidate.floor for candidate in candidates),
        candidates=tuple(candidates),
        maximise=True,
    )


def lpboost_classes(spec: LPBoost, data: Rows, seed: int) -> list[FunctionClass]:
    """The class of hypotheses of the learner.

    The suprema are exact for shapelets. For balls, they may be too low.
    """
    data = require_bags(spec, data)
    if data.classes:
        codes = (data.codes == 0).astype(np.intp)
        data = replace(data, codes=codes, labels=("rest", data.labels[0]))  # of no effect
    problem = assemble(spec, data)
    features = np.concatenate([family.features for family in problem.families]).T
    if spec.exact:
        signed = spec.learner == "shapelet"
        return [
            FunctionClass(
                name=f"{features.shape[1]} shapelets",
                m=data.rows,
                suprema=finite_suprema(features, both_signs=signed),
                exact=True,
                upper=massart(np.linalg.norm(features, axis=0), data.rows),
                upper_by="Massart",
            )
        ]
    return [
        FunctionClass(
            name=f"{spec.learner} ball of radius {spec.radius:g}",
            m=data.rows,
            suprema=oracle_suprema(lambda sigma: largest_sum(spec, problem, sigma, seed)),
            exact=False,
            upper=None,
        )
    ]


def largest_sum(spec: LPBoost, problem: Shapelets, sigma: FloatArray, seed: int) -> float:
    """A lower bound on sup_h sum_i sigma_i h(x_i), computed by the weak learner.

    The labels are the signs of sigma (m,), and the row weights are its absolute values.
    """
    signed = replace(problem, margin=SoftMargin(y=np.where(sigma < 0, -1.0, 1.0), nu=spec.nu))
    learner = BallLearner(replace(spec, pricing=None), signed, RunSettings(seed=seed))
    return learner(np.abs(sigma), np.inf, (), Budget()).edge
