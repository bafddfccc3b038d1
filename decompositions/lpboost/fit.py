"""LPBoost over kernelized shapelets: column generation on the semi-infinite dual (3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from radprog.base.errors import OptionError, UnfinishedError
from radprog.base.types import IntArray
from radprog.decompositions.loop import Budget, first_step, ignore
from radprog.decompositions.lpboost.generation import MarginOracle
from radprog.decompositions.lpboost.report import (
    hypotheses_from,
    outcome_of,
    start_hypotheses,
    stored_point,
)
from radprog.decompositions.lpboost.shapelets import (
    Hypothesis,
    Rows,
    Shapelets,
    assemble,
    margin_of,
    pattern_cuts,
    require_bags,
    sizes_of,
    stored_table,
)
from radprog.decompositions.lpboost.trees import fit_trees, recompute_trees
from radprog.decompositions.lpboost.weak_learners import (
    BallLearner,
    SingleShapelets,
    WeakLearner,
    first_ensemble,
)
from radprog.decompositions.run import (
    Attempt,
    Recomputed,
    Run,
    RunSettings,
    attempted,
    packed,
)
from radprog.instances.bags import Bags
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.features import PatternTable
from radprog.models.lpboost.settings import LPBoost


def boost(
    spec: LPBoost,
    problem: Shapelets,
    settings: RunSettings,
    budget: Budget,
    start: Sequence[Hypothesis] = (),
) -> MarginOracle:
    """Run column generation, starting with the best shapelet at uniform weights and the hypotheses
    of ``start``.
    """
    singles = SingleShapelets(problem, signed=spec.learner == "shapelet")
    learner: WeakLearner = singles
    # of local pricing; searches are worth a round at a share of the tolerance
    slack = 1e-10 if problem.all_priced and spec.exact else 2e-3
    if problem.all_priced and not spec.exact:
        learner = BallLearner(spec, problem, settings)
        slack = 0.25 * settings.tol if learner.searches else slack
    oracle = MarginOracle(problem.margin, problem.largest, learner, slack=slack)
    # the best shapelet at uniform weights, or what keeps the constraints
    (best, *_) = singles(oracle.last_z, -np.inf, (), budget).hypotheses
    initial, weights = [best], np.ones(1)
    if spec.constraints:
        initial, weights = first_ensemble(problem, singles, best, settings, budget)
    return oracle.generate([*initial, *start], weights, settings, budget)


def fit_lpboost(spec: LPBoost, data: Rows, settings: RunSettings) -> Run:
    """Fit LPBoost. If the learner allows it, certify the result.

    Raises OptionError and DataError for invalid input, SolverError if a solver fails, and
    UnfinishedError if a limit ends the run before it has an ensemble.
    """
    check_settings(settings)
    if spec.trees:
        return fit_trees(spec, data, settings)
    data, budget = require_bags(spec, data), settings.budget()
    # the values of all pairs of patterns may take longer than the time limit: if they take more
    # than about 0.5 s, an ensemble over a sample of the patterns is computed first
    pairs = sum(sizes_of(data, cut)[1] ** 2 * cut.length for cut in pattern_cuts(spec, data))
    sampled = None
    if settings.time_limit is not None and not spec.constraints and pairs > 2e9:
        with first_step(budget):
            part = assemble(spec, data, work=2e9)
            oracle = boost(spec, part, replace(settings, observe=ignore), budget)
        outcome = outcome_of(spec, data, part, *oracle.ensemble(), oracle.z)
        sampled = oracle.finished(outcome.without_bound("d"))
    try:
        with first_step(budget):
            problem = assemble(spec, data)
        return fit_assembled(spec, data, problem, settings, budget)
    except UnfinishedError:
        if sampled is None:
            raise
        return packed(spec, settings, budget, replace(sampled, reason=budget.reason))


def check_settings(settings: RunSettings, min_rounds: int = 1) -> None:
    """Raise OptionError if settings are invalid, or if ``max_iter`` is below ``min_rounds``."""
    settings.method_of(LPBoost)
    if settings.max_iter is not None and settings.max_iter < min_rounds:
        raise OptionError(f"max_iter {settings.max_iter}: expected at least 1 round")


def fit_assembled(
    spec: LPBoost, data: Bags, problem: Shapelets, settings: RunSettings, budget: Budget
) -> Run:
    """Fit an assembled problem and return its run."""
    budget.kernels = budget.seconds
    with first_step(budget):
        start = start_hypotheses(spec, problem, settings.start)
        oracle = boost(spec, problem, settings, budget, start)
    # the certificate of the incumbent is always evaluated in full
    outcome = outcome_of(spec, data, problem, *oracle.ensemble(), oracle.z, oracle.bound)
    return packed(spec, settings, budget, oracle.finished(outcome))


def recompute_lpboost(
    spec: LPBoost, data: Rows, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The objective and bound of the stored ensemble and row weights, recomputed from the data with
    numpy.

    Without row weights, there is no bound. Raises DataError if the stored values do not match the
    data or the class of hypotheses.
    """
    if spec.trees:
        return recompute_trees(spec, data, evidence)
    data = require_bags(spec, data)
    problem = assemble(spec, data)
    w = np.asarray(evidence["w"], dtype=np.float64)
    has_rows = evidence["d"] is not None
    z = stored_point(problem.margin, evidence) if has_rows else problem.margin.uniform()
    stored = hypotheses_from(problem, evidence["hypotheses"])
    outcome = outcome_of(spec, data, problem, stored, w, z, evidence.get("solver_bound"))
    return outcome if has_rows else outcome.without_bound("d")


#: Tables of whole data sets, kept while somebody holds the data set: folds of it share them.
_shared: WeakKeyDictionary[Bags, dict[tuple[object, ...], PatternTable]] = WeakKeyDictionary()


def shared_table(spec: LPBoost, data: Bags, rows: IntArray, cut: Cut) -> PatternTable:
    """The distances between the patterns of a cut of the ``rows`` of a data set.

    They are computed once for the whole data set.
    """
    tables = _shared.setdefault(data, {})
    key = (spec.pattern_kernel, spec.normalize, spec.exact, cut)
    if key not in tables:
        tables[key] = stored_table(spec, data, cut)
    return tables[key].take(rows)


def fit_grid(
    specs: Sequence[LPBoost], data: Rows, settings: RunSettings
) -> Iterator[tuple[LPBoost, Attempt]]:
    """The runs of all ``specs``.

    Specs with the same pattern kernel share the distances between the patterns of each cut. These
    distances are computed for all rows of the data set from which ``data`` was taken. Specs with
    the same cuts share the rows of the kernel matrix.
    """
    check_settings(settings)
    for spec in specs:
        if spec.trees:
            yield spec, attempted(fit_trees, spec, data, settings)
    specs = [spec for spec in specs if not spec.trees]
    if not specs:
        return
    data = require_bags(specs[0], data)
    parent, rows = (data, np.arange(data.rows)) if data.origin is None else data.origin
    # specs that differ in nu, starts and the like alone have one set of shapelets
    groups: dict[tuple[object, ...], list[LPBoost]] = {}
    for spec in specs:
        kind = spec.pattern_kernel, spec.normalize, spec.fixed_sigma, spec.radius, spec.exact
        groups.setdefault((*kind, *pattern_cuts(spec, data)), []).append(spec)
    for group in groups.values():
        problem: Shapelets | None = None
        for spec in group:
            budget = settings.budget()
            if problem is None:
                problem = assemble(spec, data, partial(shared_table, spec, parent, rows))
            problem = replace(problem, margin=margin_of(spec, data))
            yield spec, attempted(fit_assembled, spec, data, problem, settings, budget)
