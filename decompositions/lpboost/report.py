"""The report on an ensemble of shapelets: certificate, predictor, sparsity, bound and figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import LEAST_DIVISOR, ON_MARGIN, TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.lpboost.ensemble import PatternEnsemble, PatternGroup, placements
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets
from radprog.decompositions.lpboost.weak_learners import SingleShapelets, constraint_block
from radprog.decompositions.run import Outcome, signs, training_block
from radprog.instances.bags import Bags
from radprog.models.bounds import (
    WEIGHED,
    compression_block,
    compression_size,
    only_solution,
    places,
)
from radprog.models.lpboost.bounds import SAMPLE_RADIUS, SAMPLE_SIGMA, shapelet_bound
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.patterns import base_values
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_dual
from radprog.models.lpboost.settings import LPBoost
from radprog.models.score_rows import OWN_ROWS_REFUSED

BALL_EXCESS = 1e-9  # how far rounding may carry a hypothesis out of its ball, relative

LOCAL_WARNING = (
    "the weak learner finds local optima: the objective is a lower bound of the optimal margin, "
    "and no upper bound is proved"
)


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Hypotheses of a problem with their weights w (T,)."""

    spec: LPBoost
    problem: Shapelets
    hypotheses: Sequence[Hypothesis]
    w: FloatArray

    @cached_property
    def scores(self) -> FloatArray:
        """The values (m,) of the ensemble on the rows."""
        return weighted_sum(self.hypotheses, self.w)

    @cached_property
    def terms(self) -> list[tuple[IntArray, FloatArray]]:
        """The patterns of each hypothesis and their coefficients, without those next to 0."""
        # coefficients below this share of the radius count as zero
        cut = 1e-9 * self.problem.radius
        return [(h.patterns[abs(h.alpha) > cut], h.alpha[abs(h.alpha) > cut])
                for h in self.hypotheses]  # fmt: skip


def outcome_of(
    spec: LPBoost,
    data: Bags,
    problem: Shapelets,
    chosen: Sequence[Hypothesis],
    weights: FloatArray,
    z: FloatArray,
    solver_bound: float | None = None,
) -> Outcome:
    """The outcome for hypotheses with weights (T,), with the bound at a dual point z = (d, mu) (m +
    R,).

    For a ball of patterns, the bound is ``solver_bound``. If the ensemble violates a constraint,
    there is no objective.
    """
    # both values from the data, then the predictor
    ensemble = Ensemble(spec, problem, chosen, weights)
    objective, bound = certified_pair(ensemble, z, solver_bound)
    d, mu = z[: problem.m], z[problem.m :]
    fit = ensemble_of(ensemble, data)
    H = np.array([h.values for h in chosen])
    # warnings of this variant of the model on these data
    warnings = [] if spec.proved else [LOCAL_WARNING]
    if not problem.all_priced:
        priced = sum(len(family.values.values) for family in problem.families)
        warnings = [
            f"time_limit: {priced} of {problem.n} patterns were priced, so no bound is proved"
        ]
    # relative spread of features that do not distinguish rows
    warnings += [
        f"{family.cut.name}: every pattern is equally similar to all rows, so no hypothesis "
        "of this length tells them apart: choose another sigma or length"
        for family in problem.families
        if problem.all_priced
        and family.values.spread() <= 1e-6 * max(family.values.largest, LEAST_DIVISOR)
    ]
    return Outcome(
        method="colgen",
        objective=objective,
        bound=bound,
        trace=[],
        fit=fit,
        summary=summarise(ensemble),
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
            **({} if spec.exact or bound is None else {"solver_bound": bound}),
        },
        program=partial(build_dual, H, problem.margin),
        columns=len(chosen),
        warnings=tuple(warnings),
        extra={
            "bounds": bounds_of(ensemble),
            "compression": lpboost_compression(ensemble, data, d),
            "figure": figure_data(data, fit),
            **constraint_block(problem.margin, weights @ H, z),
        },
    )


def weighted_sum(hypotheses: Sequence[Any], w: FloatArray) -> FloatArray:
    """The weighted sum (m,) of the values of hypotheses on the rows, for weights w (T,)."""
    return np.asarray(sum(x * h.values for x, h in zip(w, hypotheses, strict=True)))


def certified_pair(
    chosen: Ensemble, z: FloatArray, solver_bound: float | None = None
) -> tuple[float | None, float | None]:
    """The value gamma of (2) at weights w (T,), rounded down, and the bound at a dual point z = (d,
    mu) (m + R,).

    gamma is None if the weights violate a constraint. Without exact pricing, the bound is
    ``solver_bound``. Raises DataError if a hypothesis is outside its class, or if w or d is
    invalid.
    """
    spec, problem, margin = chosen.spec, chosen.problem, chosen.problem.margin
    # hypotheses of this class; lower bound, and upper bound: the largest edge, rounded up
    for hypothesis in chosen.hypotheses:
        check_member(spec, problem, hypothesis)
    objective = lower_value(margin, chosen.hypotheses, chosen.w, z)
    if not (spec.exact and problem.all_priced):
        return objective, solver_bound
    singles = SingleShapelets(problem, signed=spec.learner == "shapelet")
    return objective, singles.bound(margin.feasible(z))


def lower_value(
    margin: SoftMargin, hypotheses: Sequence[Any], w: FloatArray, z: FloatArray
) -> float | None:
    """The value gamma of (2) at weights w (T,), rounded down, or None if a constraint is violated.

    Raises DataError if w or the dual point z (m + R,) is invalid.
    """
    # weights and multipliers of these shapes
    if w.shape != (len(hypotheses),) or not len(w) or w.min() < 0 or abs(w.sum() - 1.0) > 1e-9:
        raise DataError("the weights of the hypotheses are not >= 0 with sum 1")
    if z.shape != (margin.m + len(margin.rows),) or not np.isfinite(z).all():
        prices = " and prices of constraints" if len(margin.rows) else ""
        raise DataError(
            f"{z.shape} weights of rows{prices}, expected {margin.m + len(margin.rows)}"
        )
    H = np.array([h.values for h in hypotheses])
    # the soft margin, rounded down
    return margin.value_down(H, w) + 0.0 if margin.rows.met(w @ H) else None  # no sign of 0


def stored_point(margin: SoftMargin, evidence: Mapping[str, Any]) -> FloatArray:
    """The dual point z = (d, mu) (m + R,) stored in the evidence."""
    parts = evidence["d"], evidence["mu"] if len(margin.rows) else []
    return np.append(*(np.asarray(part, dtype=np.float64) for part in parts))


def check_member(spec: LPBoost, problem: Shapelets, hypothesis: Hypothesis) -> None:
    """Raise DataError if a hypothesis is not in the class of the learner."""
    family = problem.families[hypothesis.family]
    alpha = hypothesis.alpha
    if hypothesis.sign < 0 and spec.learner != "shapelet" and spec.orientation != "both":
        raise DataError(f"a negative hypothesis, which learner '{spec.learner}' does not have")
    # exact learners: one pattern, scaled to the ball
    if spec.exact:
        wanted = [problem.single(hypothesis.family, int(k), 1.0) for k in hypothesis.patterns[:1]]
        if len(alpha) != 1 or not np.isclose(alpha, wanted[0].alpha, rtol=BALL_EXCESS).all():
            raise DataError("a hypothesis that is not a single shapelet of the given radius")
        return
    # balls: the norm of the coefficients, or of the kernel
    if spec.learner == "l1":
        size = float(np.abs(alpha).sum())
    else:
        K = family.kernel(*(2 * (family.stacked[hypothesis.patterns],)))
        size = max(float(alpha @ K @ alpha), 0.0) ** 0.5
    if size > problem.radius * (1.0 + BALL_EXCESS) + 1e-12:  # of rounding, in its own units
        raise DataError(f"a hypothesis of norm {size:.10g} outside radius {problem.radius:g}")


def hypotheses_from(problem: Shapelets, stored: Sequence[Mapping[str, Any]]) -> list[Hypothesis]:
    """The hypotheses stored in the evidence, with their values.

    Raises DataError, OptionError or one of MALFORMED if the hypotheses do not fit the problem.
    """
    cuts = [family.cut for family in problem.families]
    hypotheses = []
    for item in stored:
        family = cuts.index(Cut.from_dict(item))
        patterns = np.asarray(item["patterns"], dtype=np.intp)
        alpha = np.asarray(item["alpha"], dtype=np.float64)
        sign = float(item["sign"])
        # patterns that exist, each once, with finite coefficients
        n = problem.families[family].n
        vectors = patterns.ndim == alpha.ndim == 1 and len(patterns) == len(alpha)
        if not vectors or not np.isin(patterns, np.arange(n)).all() or abs(sign) != 1.0:
            raise DataError("the stored hypotheses do not fit this data set")
        if len(np.unique(patterns)) < len(patterns) or not np.isfinite(alpha).all():
            raise DataError("the stored hypotheses do not fit this data set")
        hypotheses.append(evaluate(problem, family, patterns, alpha, sign))
    return hypotheses


def evaluate(
    problem: Shapelets, family: int, patterns: IntArray, alpha: FloatArray, sign: float
) -> Hypothesis:
    """A hypothesis with its values. If it is a single shapelet with sign +, its values are taken
    from the features.
    """
    if len(alpha) == 1 and alpha[0] > 0:
        single = problem.single(family, int(patterns[0]), sign)
        if single.alpha[0] == alpha[0]:
            return single
    return problem.combination(family, patterns, alpha, sign)


def start_hypotheses(spec: LPBoost, problem: Shapelets, start: Any) -> list[Hypothesis]:
    """The hypotheses of an earlier fit that are also in the class of this problem. Patterns are
    compared by their values.
    """
    if start is None:
        return []
    if not isinstance(start, PatternEnsemble):
        raise OptionError(f"start: a fit of kind '{start.kind}', expected one of lpboost")
    hypotheses = []
    for group in start.groups:
        for f, family in enumerate(problem.families):
            if (family.cut, family.kernel) != (group.cut, group.kernel):
                continue
            # patterns of the earlier fit among those of these data, to a relative difference
            stacked, sought = family.stacked, group.patterns + (group.shift - family.shift)
            nearest = base_values("distance", sought, stacked).argmin(axis=1)
            apart = np.abs(stacked[nearest] - sought).max(axis=1)
            index = np.where(apart <= 1e-9 * np.abs(stacked).max(), nearest, -1)
            for weight, alpha in zip(group.weights, group.alpha, strict=True):
                support = np.flatnonzero(alpha)
                if not len(support) or (index[support] < 0).any():
                    continue
                sign = 1.0 if weight >= 0 else -1.0
                hypothesis = evaluate(problem, f, index[support], alpha[support], sign)
                try:
                    check_member(spec, problem, hypothesis)
                except DataError:
                    continue
                hypotheses.append(hypothesis)
    return hypotheses


def ensemble_of(chosen: Ensemble, data: Bags) -> PatternEnsemble:
    """The predictor. It contains only the patterns with nonzero weight."""
    groups, problem, hypotheses, terms = [], chosen.problem, chosen.hypotheses, chosen.terms
    for f, family in enumerate(problem.families):
        # hypotheses of this family
        members = [t for t, h in enumerate(hypotheses) if h.family == f and len(terms[t][0])]
        if not members:
            continue
        # the patterns of this length that any hypothesis has, and their coefficients
        patterns = np.unique(np.concatenate([terms[t][0] for t in members]))
        alpha = np.zeros((len(members), len(patterns)))
        for row, t in zip(alpha, members, strict=True):
            row[np.searchsorted(patterns, terms[t][0])] = terms[t][1]
        Q = family.n // problem.m
        groups.append(
            PatternGroup(
                cut=family.cut,
                kernel=family.kernel,
                shift=family.shift,
                patterns=family.stacked[patterns],
                alpha=alpha,
                weights=np.array([chosen.w[t] * hypotheses[t].sign for t in members]),
                origin=np.stack([patterns // Q, patterns % Q], axis=1),
            )
        )
    return PatternEnsemble(
        data_kind=data.kind,
        shape=data.X.shape[1:],
        normalize=chosen.spec.normalize,
        groups=tuple(groups),
    )


def summarise(chosen: Ensemble) -> dict[str, Any]:
    """The ``fit`` block of a result.

    Sparsity is the share of nonzero coefficients among the n coefficients of each used hypothesis
    (Section 6.2 of the paper). ``hypotheses_of`` counts the columns of the program, unless the
    hypotheses are a ball.
    """
    spec, problem, hypotheses, w = chosen.spec, chosen.problem, chosen.hypotheses, chosen.w
    both = 2 if spec.learner == "shapelet" else 1  # a shapelet, and its negative
    # sparsity: coefficients of all hypotheses, and distinct patterns
    terms = [patterns for patterns, _ in chosen.terms]
    nonzero = sum(map(len, terms))
    possible = sum(problem.families[h.family].n for h in hypotheses)
    distinct = {(h.family, int(k)) for h, term in zip(hypotheses, terms, strict=True) for k in term}
    return {
        "hypotheses": len(hypotheses),
        **({"hypotheses_of": both * problem.n} if spec.exact else {}),
        "nonzero": nonzero,
        "nonzero_of": possible,
        "nonzero_share": nonzero / possible,
        "coefficients": nonzero,
        "support_vectors": len(distinct),
        **margin_numbers(problem.margin, chosen.scores),
        "lengths": [
            {
                **family.cut.to_dict(),
                "sigma": family.kernel.sigma,
                "patterns": family.n,
                "weight": float(
                    sum(x for x, h in zip(w, hypotheses, strict=True) if h.family == f)
                ),
                **({"sigma_sample": family.sample} if family.sample else {}),
            }
            for f, family in enumerate(problem.families)
        ],
    }


def margin_numbers(margin: SoftMargin, scores: FloatArray) -> dict[str, Any]:
    """The margin rho of an ensemble with scores (m,), the share of rows with a smaller margin, and
    the entries about the training rows.
    """
    margins = margin.y * scores
    rho = margin.rho(margins)
    # a margin below this counts as 0
    return {
        "rho": rho,
        "below_rho": margin.share(margins < rho * (1.0 - ON_MARGIN) - 1e-15),
        **training_block(scores, signs(scores), margin.y, margin.weights),
    }


def bounds_of(chosen: Ensemble) -> list[dict[str, Any]]:
    """The margin bound at the fit's rho, as JSON-compatible values.

    There is no bound if rho <= 0. There is none for the similarity ``distance``, because it has no
    feature map. There is none for weighted rows, because they are not drawn from one distribution.
    """
    spec, problem, margin = chosen.spec, chosen.problem, chosen.problem.margin
    margins = margin.y * chosen.scores
    rho = margin.rho(margins)
    if spec.pattern_kernel == "distance" or not rho > 0 or margin.weights is not None:
        return []
    # images of the Gaussian kernel have the norm 1
    gauss = spec.pattern_kernel == "gauss"
    chosen_sigma = (SAMPLE_SIGMA,) if spec.fixed_sigma is None else ()
    bound = shapelet_bound(
        margins,
        rho,
        [(family.n // problem.m, family.patterns.shape[2]) for family in problem.families],
        radius=problem.radius,
        R=max(float(f.kernel.norms(f.stacked).max()) for f in problem.families),
        delta=spec.delta,
        single=spec.exact or spec.pattern_kernel == "linear",
        lacking=chosen_sigma if gauss else (SAMPLE_RADIUS,),
    )
    return [bound.to_dict()]


def figure_data(data: Bags, ensemble: PatternEnsemble) -> dict[str, Any]:
    """The data for the figure of a fit: for each class, the row with the largest margin.

    On each such row, the patterns with the largest contributions are shown at their best matches.
    Rows that are not plain series are omitted.
    """
    rows = []
    if data.X.ndim == 2:
        y = data.targets
        margins = y * ensemble.scores(data.X)
        for sign, label in zip((-1.0, 1.0), data.labels, strict=True):
            members = np.flatnonzero(y == sign)
            # the row that is classified most clearly, and the patterns where they lie nearest
            row = int(members[np.argmax(margins[members])])
            placed: list[dict[str, Any]] = []
            for group in ensemble.groups:
                placed += placements(group, data.X[row], ensemble)
            placed.sort(key=lambda item: -abs(item["contribution"]))
            rows.append(
                {
                    "row": row,
                    "line": data.line(row),
                    "label": label,
                    "series": data.X[row].tolist(),
                    "patterns": placed[:12],
                }
            )
    return {"rows": rows}


def lpboost_compression(chosen: Ensemble, data: Bags, d: FloatArray) -> dict[str, Any]:
    """The compression of an ensemble for its error bound, or the reason why there is no bound.

    The compression consists of the rows with margin at most rho, and a series for each used
    pattern. See docs/explanation/theory.md for the conditions and the proof.
    """
    spec = chosen.spec
    # reasons that need no computation first
    sampled = spec.pattern_kernel == "gauss" and spec.fixed_sigma is None
    reasons = (
        None if data.weights is None else WEIGHED,
        OWN_ROWS_REFUSED if spec.constraints else None,
        None
        if spec.exact
        else f"learner '{spec.learner}' searches a ball, which the theorem does not cover: use "
        "`learner='shapelet'`",
        "sigma is chosen from the sample's patterns: give `sigma` a number" if sampled else None,
        None if chosen.problem.all_priced else "not all patterns were priced: give more time",
    )
    refused = "; ".join(filter(None, reasons)) or None
    size = None
    if refused is None:
        size, refused = _size(chosen, data, d)
    return compression_block(data.rows, spec.delta, size, refused)


def _size(chosen: Ensemble, data: Bags, d: FloatArray) -> tuple[int, None] | tuple[None, str]:
    """The size k if the optimum (w, rho) is proved unique, otherwise the reason why it is not
    proved unique.

    At the optimal d, every optimal w is 0 on shapelets whose edge is below the largest edge. The
    margin is rho where d is neither 0 nor 1/(nu m). If a pattern occurs in two series, it gives two
    equal shapelets, and either may have the weight. There is then no bound.
    """
    problem, margin = chosen.problem, chosen.problem.margin
    place = places(data.X.reshape(data.rows, -1))
    # shapelets that may have weight, and rows with margin rho in every ensemble
    singles = SingleShapelets(problem, signed=chosen.spec.learner == "shapelet")
    d = margin.feasible(d)
    scale = singles.largest or 1.0
    tight, share = singles.tight_shapelets(d, TIGHT * scale), d / margin.cap
    rows = np.flatnonzero((share > TIGHT) & (share < 1.0 - TIGHT))
    # margins of rho and weights of sum 1: the solution of these equations must be unique
    H = np.array([h.values for h in tight]) * margin.y / scale
    sums = np.append(np.ones(len(tight)), 0.0)
    equations = np.vstack([np.column_stack([H[:, rows].T, -np.ones(len(rows))]), sums])
    solution = only_solution(equations, np.append(np.zeros(len(rows)), 1.0))
    if solution is None:
        return None, (
            f"other ensembles may be as good: {len(tight)} shapelets are tight, {len(rows)} "
            "margins are rho whatever the ensemble; another `nu` or `length`"
        )
    # this solution must be the current ensemble, and satisfy the other optimality conditions
    w, rho = solution[:-1], float(solution[-1])
    margins = w @ H
    scores = chosen.w @ np.array([h.values for h in chosen.hypotheses]) * margin.y / scale
    is_vertex = (
        np.abs(margins - scores).max() <= VERTEX_RESIDUAL
        and margins[share < 1.0 - TIGHT].min(initial=rho) >= rho - VERTEX_RESIDUAL
        and margins[share > TIGHT].max(initial=rho) <= rho + VERTEX_RESIDUAL
        and w.min() >= -TIGHT
    )
    if not is_vertex:
        return None, (
            "the ensemble is not an exact vertex of the program: let it end by itself (a larger "
            "`time_limit` or `max_iter`, a smaller `tol`)"
        )
    if rho <= VERTEX_RESIDUAL:
        return None, (
            f"rho = {rho * scale:.3g} is not a positive margin, so that an error need not be below "
            "it: another `nu`"
        )
    # the sample may leave out all but rows of margin at most rho and the series of patterns
    series = [int(h.patterns[0]) // (problem.families[h.family].n // problem.m) for h in tight]
    series_places = np.unique(place[series])
    return compression_size(margins, rho, place, series_places, VERTEX_RESIDUAL), None
