"""LPBoost over kernelized shapelets: column generation on the semi-infinite dual (3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from radprog.base.errors import OptionError, SolverError
from radprog.base.tolerances import SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.exchange import (
    Answer,
    Cuts,
    MasterPoint,
    coefficients_of,
    exchange,
)
from radprog.decompositions.drivers.masters import master_for
from radprog.decompositions.loop import (
    Budget,
    NothingAdded,
    Reason,
    Record,
    first_step,
    run,
)
from radprog.decompositions.lpboost.ball_search import ExactBallLearner
from radprog.decompositions.lpboost.report import (
    bounds_of,
    certified_pair,
    ensemble_of,
    figure_data,
    hypotheses_from,
    lpboost_compression,
    start_hypotheses,
    summarise,
    warnings_of,
)
from radprog.decompositions.lpboost.shapelets import (
    Hypothesis,
    Shapelets,
    assemble,
    margin_of,
    pattern_cuts,
    stored_table,
)
from radprog.decompositions.lpboost.weak_learners import (
    BallLearner,
    SingleShapelets,
    WeakLearner,
    constraint_block,
    first_ensemble,
)
from radprog.decompositions.run import (
    NO_SOLVER,
    Attempt,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    attempted,
    packed,
    sense_of,
)
from radprog.decompositions.threads import held_to
from radprog.instances.bags import Bags
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.features import PatternTable
from radprog.models.lpboost.programs import build_dual
from radprog.models.lpboost.settings import LPBoost

LOCAL_VIOLATION = 2e-3  # relative violation of a column that is worth a round of a local pricer
EXACT_VIOLATION = 1e-10  # relative violation of a column that is worth a round of an exact pricer

DEFAULT_ROUNDS = 100


@dataclass
class BestEnsemble:
    """The best ensemble and the best dual point z = (d, mu) (m + R,) so far, with their recomputed
    values.

    ``weights`` (t,) are the weights of the first t hypotheses. ``objective`` is gamma of (2), which
    is at most the optimum. ``bound`` is an upper bound, or None if pricing is a local search.
    """

    z: FloatArray
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    objective: float = -np.inf
    bound: float | None = None
    trees: Sequence[Mapping[str, Any]] = ()  # of the search that proves the bound


class MarginOracle:
    """The oracle: it prices hypotheses at a point of the master, and makes ensembles from
    multipliers.

    The master is  min g,  sum u = 1/cap,  sum_i u_i y_i h_t(x_i) / s <= g / cap,  0 <= u <= 1. For
    rows with weights, the upper bounds are their caps divided by cap. Here d = cap u, gamma = s g
    and cap = 1/(nu m). s is the size of the values, and the weights w are the coefficients of the
    rows. Constraints add variables q_r = S_r mu_r >= 0 with S_r = sum_i |G_ri|. Their cost is h_r /
    (S_r s), and they add -q_r (G h_t(X))_r / (S_r s cap) to the left side.
    """

    def __init__(self, problem: Shapelets, learner: WeakLearner, *, exact: bool) -> None:
        self.problem, self.learner, self.exact = problem, learner, exact
        self.hypotheses: list[Hypothesis] = []
        margin = problem.margin
        self.incumbent = BestEnsemble(z=margin.uniform())
        self.last_z = self.incumbent.z
        self.scale = max(family.values.largest for family in problem.families) or 1.0
        self.cap, sums = margin.cap, np.abs(margin.rows.G).sum(axis=1)
        self.units = np.where(sums > 0.0, sums, 1.0)  # q = units mu

    @property
    def values(self) -> FloatArray:
        """The values H (T, m) of the current hypotheses."""
        return np.array([h.values for h in self.hypotheses]).reshape(-1, self.problem.m)

    def variables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The costs, upper bounds and lower bounds of the master's variables u, q, g."""
        m, prices = self.problem.m, self.problem.margin.rows.h / (self.units * self.scale)
        none, free = np.zeros(m + len(prices)), np.full(len(prices) + 1, np.inf)
        costs = np.concatenate([np.zeros(m), prices, [1.0]])
        boxes = self.problem.margin.caps / self.cap
        return costs, np.append(boxes, free), np.append(none, -np.inf)

    def point(self, x: FloatArray) -> FloatArray:
        """The feasible dual point z = (d, mu) (m + R,) of a point of the master."""
        m = self.problem.m
        return self.problem.margin.feasible(np.append(x[:m] * self.cap, x[m:-1] / self.units))

    def mass(self) -> Cuts:
        """The first row of the master, sum u = 1/cap."""
        m, R = self.problem.m, len(self.units)
        row = np.append(np.ones(m), np.zeros(R + 1))[None, :]
        total = np.array([1.0 / self.cap])
        return Cuts(row, total, total)

    def cuts(self, new: Sequence[Hypothesis]) -> Cuts:
        """Register hypotheses and return their rows."""
        self.hypotheses += new
        values, margin = np.array([h.values for h in new]), self.problem.margin
        parts = [values * (margin.y / self.scale)]
        if len(self.units):
            parts.append(-(values @ margin.rows.G.T) / (self.units * self.scale * self.cap))
        matrix = np.hstack([*parts, np.full((len(new), 1), -1.0 / self.cap)])
        return Cuts(matrix, np.full(len(new), -np.inf), np.zeros(len(new)))

    def ensemble(self) -> tuple[list[Hypothesis], FloatArray]:
        """The hypotheses of the incumbent with positive weight, and their weights, with sum 1."""
        weights = self.incumbent.weights
        used = np.flatnonzero(weights > SUPPORT * weights.max())
        return [self.hypotheses[t] for t in used], weights[used] / weights[used].sum()

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts]:
        margin, incumbent = self.problem.margin, self.incumbent
        H = self.values
        # Algorithm 1, line 6: weights of hypotheses are the multipliers of their rows
        w = np.maximum(coefficients_of(point.multipliers[1:]), 0.0)
        with np.errstate(over="ignore"):
            total = float(w.sum())
        if not 0.0 < total < np.inf:
            raise SolverError("the restricted master gave no multipliers of hypotheses above 0")
        w /= total
        self.offer(w, H)
        # the weights of rows, and what an edge must exceed to be worth a round
        z = self.last_z = self.point(point.x)
        gamma = float(margin.edges(H, z).max())
        slack = EXACT_VIOLATION if self.exact else LOCAL_VIOLATION
        threshold = gamma + slack * max(abs(gamma), EXACT_VIOLATION * self.scale)
        if len(self.units):
            threshold = max(threshold, gamma + margin.rounding(self.scale, z))
        # line 3: the hypotheses of the largest edges, and the bound where pricing is exact
        order = np.argsort(-w, kind="stable")
        current = [self.hypotheses[t] for t in order if w[t] > 0]
        priced = self.learner(z, threshold, current, budget)
        bound = None if priced.bound is None else margin.bound(priced.bound, z)
        if bound is None:
            incumbent.z = z
        elif incumbent.bound is None or bound < incumbent.bound:
            incumbent.bound, incumbent.z, incumbent.trees = bound, z, priced.trees
        detail = {
            "gamma": gamma,
            "edge": priced.edge,
            "columns": float(len(self.hypotheses)),
            "used": float(np.count_nonzero(w > SUPPORT * w.max())),
            **priced.detail,
        }
        cuts = self.cuts(priced.hypotheses) if priced.hypotheses else None
        return Answer(incumbent.objective, incumbent.bound, cuts, detail)

    def offer(self, w: FloatArray, H: FloatArray) -> None:
        """Keep the weights w (T,) of hypotheses H (T, m) if they satisfy the constraints and are
        better.
        """
        margin, scores = self.problem.margin, w @ H
        objective = margin.value(margin.y * scores)
        if objective > self.incumbent.objective and margin.rows.met(scores):
            self.incumbent.objective, self.incumbent.weights = objective, w


@dataclass(frozen=True, kw_only=True)
class Boosted:
    """The result of column generation, from which the outcome is made."""

    reason: Reason
    trace: list[Record]
    oracle: MarginOracle
    version: str


def learner_of(spec: LPBoost, problem: Shapelets, seed: int, tol: float) -> WeakLearner:
    """The weak learner that the settings select; ``tol`` is the tolerance of the certificate."""
    if spec.exact:
        return SingleShapelets(problem, signed=spec.learner == "shapelet")
    if spec.proved:
        return ExactBallLearner(spec, problem, seed, tol)
    return BallLearner(spec, problem, seed)


def boost(
    spec: LPBoost,
    problem: Shapelets,
    settings: RunSettings,
    budget: Budget,
    start: Sequence[Hypothesis] = (),
) -> Boosted:
    """Run column generation (Algorithm 1) with the driver ``exchange``.

    It starts from the best shapelet at uniform weights, and from the hypotheses of ``start``.
    """
    # the master, with the best shapelet at uniform weights, or what keeps the constraints
    learner = learner_of(spec, problem, settings.seed, settings.tol)
    oracle = MarginOracle(problem, learner, exact=spec.exact)
    master = master_for(settings, *oracle.variables())
    master.add(oracle.mass())
    singles = SingleShapelets(problem, signed=spec.learner == "shapelet")
    (best, *_) = singles(oracle.last_z, -np.inf, (), budget).hypotheses
    first, weights = [best], np.ones(1)
    if spec.constraints:
        first, weights = first_ensemble(problem, singles, best, settings, budget)
    master.add(oracle.cuts([*first, *start]))
    # rounds until the bounds meet, no hypothesis is worth one, or a limit is reached
    met = settings.gap_reached(sense_of(spec))
    stops = settings.stops(met, NothingAdded(), most=DEFAULT_ROUNDS)
    # on systems of a hundred rows more threads of linear algebra only wait for each other
    with held_to(settings.threads):
        step = exchange(master, oracle)
        reason, trace = run(step, stops, budget, settings.observe, needed=True)
    # no round gave weights: those that the run began with are an ensemble
    if not len(oracle.incumbent.weights):
        oracle.offer(weights, oracle.values[: len(weights)])
    return Boosted(reason=reason, trace=trace, oracle=oracle, version=master.version)


def fit_lpboost(spec: LPBoost, data: Bags, settings: RunSettings) -> Run:
    """Fit LPBoost and certify the result if the learner allows it.

    Raises OptionError and DataError for invalid input, SolverError if a solver fails, and
    UnfinishedError if a limit ends the run before it has an ensemble.
    """
    check_settings(settings)
    budget = settings.budget()
    with first_step(budget):
        problem = assemble(spec, data)
    return fit_assembled(spec, data, problem, settings, budget)


def check_settings(settings: RunSettings, least: int = 1) -> None:
    """Raise OptionError for invalid settings, and for fewer rounds than ``least``."""
    settings.check(LPBoost)
    if settings.max_iter is not None and settings.max_iter < least:
        raise OptionError(f"max_iter {settings.max_iter}: expected at least 1 round")


def fit_assembled(
    spec: LPBoost, data: Bags, problem: Shapelets, settings: RunSettings, budget: Budget
) -> Run:
    """Fit an assembled problem and return its run."""
    budget.ready()
    with first_step(budget):
        start = start_hypotheses(spec, problem, settings.start)
        boosted = boost(spec, problem, settings, budget, start)
    # the certificate of the incumbent is evaluated in full, whatever ended the run
    oracle = boosted.oracle
    outcome = replace(
        outcome_of(
            spec, data, problem, *oracle.ensemble(), oracle.incumbent.z, oracle.incumbent.trees
        ),
        reason=boosted.reason,
        trace=boosted.trace,
        solver=SolverUse(settings.solver or "highs", boosted.version, settings.solver_options),
        program=partial(build_dual, oracle.values, problem.margin),
        columns=len(oracle.hypotheses),
    )
    return packed(spec, settings, budget, outcome)


def outcome_of(
    spec: LPBoost,
    data: Bags,
    problem: Shapelets,
    chosen: Sequence[Hypothesis],
    weights: FloatArray,
    z: FloatArray,
    trees: Sequence[Mapping[str, Any]] = (),
) -> Outcome:
    """The outcome of hypotheses with weights (T,), with the bound of a dual point z = (d, mu) (m +
    R,).

    If an exact search proved the bound at z, its trees are part of the proof. If the ensemble
    violates a constraint, there is no objective.
    """
    # both values from the data, then the predictor
    objective, bound = certified_pair(spec, problem, chosen, weights, z, trees)
    d, mu = z[: problem.m], z[problem.m :]
    ensemble = ensemble_of(spec, data, problem, chosen, weights)
    H = np.array([h.values for h in chosen])
    return Outcome(
        method="colgen",
        reason=Reason.SOLVER,
        objective=objective,
        bound=bound,
        trace=[],
        solver=NO_SOLVER,
        fit=ensemble,
        summary=summarise(problem, chosen, weights),
        evidence={
            "hypotheses": [
                {
                    **problem.families[h.family].cut.to_dict(),
                    "sign": h.sign,
                    "patterns": h.patterns.tolist(),
                    "alpha": h.alpha.tolist(),
                }
                for h in chosen
            ],
            "w": weights.tolist(),
            "d": d.tolist(),
            **({"mu": mu.tolist()} if len(problem.margin.rows) else {}),
            **({"search": list(trees)} if trees else {}),
        },
        program=partial(build_dual, H, problem.margin),
        columns=len(chosen),
        warnings=warnings_of(spec, problem, chosen, weights),
        extra={
            "bounds": bounds_of(spec, problem, chosen, weights),
            "compression": lpboost_compression(spec, data, problem, chosen, weights, d).to_dict(),
            "figure": figure_data(data, ensemble, d),
            **constraint_block(problem.margin, weights @ H, z),
        },
    )


def recompute_lpboost(
    spec: LPBoost, data: Bags, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """Objective and bound of the stored ensemble and weights, recomputed from the data with numpy.

    If the weights of rows are missing, there is no bound. Raises DataError if the stored values do
    not fit the data or the class of hypotheses.
    """
    problem = assemble(spec, data)
    w = np.asarray(evidence["w"], dtype=np.float64)
    has_rows = evidence["d"] is not None
    rows = len(problem.margin.rows)
    z = problem.margin.uniform()
    if has_rows:
        mu = evidence["mu"] if rows else []
        z = np.append(*(np.asarray(part, dtype=np.float64) for part in (evidence["d"], mu)))
    stored = hypotheses_from(problem, evidence["hypotheses"])
    outcome = outcome_of(spec, data, problem, stored, w, z, evidence.get("search", ()))
    return Recomputed.of(outcome if has_rows else outcome.without_bound("d"))


#: Tables of whole data sets, kept while somebody holds the data set: folds of it share them.
_shared: WeakKeyDictionary[Bags, dict[tuple[object, ...], PatternTable]] = WeakKeyDictionary()


def shared_table(spec: LPBoost, data: Bags, rows: IntArray, cut: Cut) -> PatternTable:
    """Distances between the patterns of a cut of the ``rows`` of a data set.

    They are computed once, for all rows of the data set.
    """
    kept = _shared.setdefault(data, {})
    key = (spec.pattern_kernel, spec.normalize, spec.exact, cut)
    if key not in kept:
        kept[key] = stored_table(spec, data, cut)
    return kept[key].take(rows)


def fit_grid(
    specs: Sequence[LPBoost], data: Bags, settings: RunSettings
) -> Iterator[tuple[LPBoost, Attempt]]:
    """The runs of all ``specs``.

    Specs with the same pattern kernel share the distances between the patterns of each cut. These
    are computed for all rows of the data set from which ``data`` was taken. Specs with the same
    cuts share the rows of the kernel matrix.
    """
    check_settings(settings)
    whole, rows = (data, np.arange(data.rows)) if data.origin is None else data.origin
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
                problem = assemble(spec, data, partial(shared_table, spec, whole, rows))
            problem = replace(problem, margin=margin_of(spec, data))
            yield spec, attempted(fit_assembled, spec, data, problem, settings, budget)
