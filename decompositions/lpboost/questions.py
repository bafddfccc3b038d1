"""The exact path of LPBoost in 1/nu: the soft margin is piecewise linear in it, not in nu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.fit import NEGLIGIBLE, boost, check_settings
from radprog.decompositions.lpboost.report import certify, ensemble_of
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets, assemble
from radprog.decompositions.parametric import SOLVE_TOL, Path, check_path, envelope
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags
from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.models.lpboost.programs import SoftMargin
from radprog.models.lpboost.settings import LPBoost


@dataclass(frozen=True, kw_only=True)
class Boosted:
    """An ensemble and its rho as a line in s = 1/nu:  -gamma = -rho + s mean slack.

    detail: margin rho, mean slack, number of hypotheses. chosen: hypotheses with weights (T,).
    """

    at: float
    value: float
    slope: float
    bound: float
    detail: Mapping[str, float]
    chosen: tuple[Hypothesis, ...]
    weights: FloatArray


def lpboost_path(
    spec: LPBoost,
    data: Bags,
    parameter: str,
    first: float,
    last: float,
    settings: RunSettings,
    most_rows: int,
) -> Path:
    """The soft margin  gamma = max rho - mean slack / nu  for nu from ``first`` to ``last``, as a
    path in 1/nu; the minimum of -gamma is concave in it.

    Raises OptionError for another parameter, a learner whose pricing is local and proves no bound,
    an interval that is none, or more than ``most_rows`` rows.
    """
    if parameter != "nu":
        raise OptionError(f"path of '{parameter}': expected nu")
    if not spec.exact:
        raise OptionError(
            f"learner '{spec.learner}' is priced by local search, which proves no bound: an exact "
            "path needs learner shapelet or shapelet-plus"
        )
    if not first > 0 or last > 1:
        raise OptionError(f"path of nu from {first:g} to {last:g}: expected 0 < from < to <= 1")
    check_path(first, last, data.rows, most_rows)
    check_settings(settings)
    budget = settings.budget()
    problem = assemble(spec, data)
    size = max(float(np.abs(family.features).max()) for family in problem.families)
    tight = replace(settings, tol=SOLVE_TOL, abs_tol=SOLVE_TOL * size, max_iter=None)

    def solve(at: float, neighbours: Sequence[Boosted]) -> Boosted:
        return _solved(spec, problem, at, neighbours, tight, budget)

    found = envelope(solve, 1.0 / last, 1.0 / first, budget.spent, size=size)

    def labels(line: Boosted, X: Any) -> FloatArray:
        return ensemble_of(spec, data, problem, line.chosen, line.weights).predict(X)

    return Path(
        parameter="1/nu",
        envelope=found,
        labels=labels,
        trade=("mean_slack", "minus_margin"),
        seconds=budget.seconds,
        sense=-1.0,
    )


def _solved(
    spec: LPBoost,
    problem: Shapelets,
    at: float,
    neighbours: Sequence[Boosted],
    settings: RunSettings,
    budget: Budget,
) -> Boosted:
    nu = 1.0 / at
    spec = replace(spec, nu=nu)
    problem = replace(problem, margin=SoftMargin(y=problem.margin.y, nu=nu))
    start = {(h.family, h.sign, int(h.patterns[0])): h for line in neighbours for h in line.chosen}
    oracle = boost(spec, problem, settings, budget, list(start.values())).oracle
    incumbent, margin = oracle.incumbent, problem.margin
    used = np.flatnonzero(incumbent.weights > NEGLIGIBLE * incumbent.weights.max())
    weights = incumbent.weights[used] / incumbent.weights[used].sum()
    chosen = tuple(oracle.hypotheses[t] for t in used)
    objective, bound = certify(spec, problem, chosen, weights, incumbent.d)
    margins = margin.y * sum(w * h.values for w, h in zip(weights, chosen, strict=True))
    rho = margin.rho(margins)
    slack = float(np.maximum(0.0, rho - margins).mean())
    assert bound is not None
    return Boosted(
        at=at,
        value=-objective,
        slope=slack,
        bound=-bound,
        detail={
            "margin": rho,
            "minus_margin": -rho,
            "mean_slack": slack,
            "hypotheses": float(len(chosen)),
        },
        chosen=chosen,
        weights=weights,
    )
