"""Weak learners of LPBoost. They search for a hypothesis with a large edge sum_i d_i y_i h(x_i).

For finitely many shapelets, pricing is exact, so the largest edge is a bound. Over a ball, the edge
is a difference of convex functions. DCA finds local optima of this difference. Local optima prove
no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from radprog.base.errors import SolverError, SolverMissingError, warn_user
from radprog.base.limits import OutOfBudget, poll
from radprog.base.tolerances import LEAST_DIVISOR, SUPPORT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.conflicts import solve_feasible
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.loop import Budget, Reason, Record, Stop, max_iterations, run
from radprog.decompositions.lpboost.convex_step import (
    ConvexStep,
    L1Step,
    MinNormStep,
    best_patterns,
)
from radprog.decompositions.lpboost.shapelets import Hypothesis, Shapelets
from radprog.decompositions.run import RunSettings
from radprog.decompositions.searching import bound_at, search_form
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_feasible
from radprog.models.lpboost.settings import LPBoost
from radprog.models.lpboost.weak_programs import WeakStep, build_l1_mip
from radprog.solvers.program import ProblemClass

COLUMNS = 10  # most hypotheses added in a round


@dataclass(frozen=True, kw_only=True)
class WeakAnswer:
    """Hypotheses of large edges, best first, with all found above the threshold. ``edge`` is the
    largest edge found.

    ``bound`` is an upper bound on the edges of the class at this d, or None.
    """

    hypotheses: tuple[Any, ...]
    edge: float
    bound: float | None
    detail: dict[str, float] = field(default_factory=dict)


#: (d, threshold, hypotheses in use by decreasing weight, budget) -> hypotheses with an edge above
#: the threshold, at row weights d (m,), or with the user's constraints at z = (d, mu) (m + R,).
#: Raises OutOfBudget.
WeakLearner = Callable[[FloatArray, float, Sequence[Any], Budget], WeakAnswer]


class SingleShapelets:
    """Exact pricing of single shapelets by one matrix product. If ``signed`` is True, their
    negatives are included.

    If the features are a screen, the product is computed in single precision. Patterns that may be
    best within its error are then evaluated in double precision, in order of their edges.
    """

    batch_size = 32  # patterns of a screen that are evaluated at once

    def __init__(self, problem: Shapelets, *, signed: bool) -> None:
        self.problem, self.signed = problem, signed
        self.largest = problem.largest
        sizes = [family.n for family in problem.families]
        self.family = np.repeat(np.arange(len(sizes)), sizes)
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.series = np.concatenate(
            [
                f * problem.m + np.arange(family.n) // (family.n // problem.m)
                for f, family in enumerate(problem.families)
            ]
        )

    def __call__(
        self, d: FloatArray, threshold: float, current: Sequence[Hypothesis], budget: Budget
    ) -> WeakAnswer:
        """The best shapelets with distinct values, at most one per series and length."""
        # edges of all, then the best that are new, one of every series and length
        edges, sizes, edge = self._edges(d)
        rounding = self._rounding(d)
        chosen: list[Hypothesis] = []
        taken: set[int] = set()
        seen: set[bytes] = set()
        candidates = np.flatnonzero(sizes > threshold)
        for k in candidates[np.argsort(-sizes[candidates], kind="stable")]:
            if int(self.series[k]) in taken:
                continue
            taken.add(int(self.series[k]))
            f = int(self.family[k])
            sign = -1.0 if self.signed and edges[k] < 0 else 1.0
            hypothesis = self.problem.single(f, int(k - self.offsets[f]), sign)
            key = hypothesis.values.tobytes()
            if key in seen or not self.problem.edge(hypothesis, d) > threshold - rounding:
                continue
            seen.add(key)
            chosen.append(hypothesis)
            if len(chosen) == COLUMNS:
                break
        bound = edge + rounding if self.problem.all_priced else None
        return WeakAnswer(hypotheses=tuple(chosen), edge=edge, bound=bound)

    def bound(self, d: FloatArray) -> float:
        """The bound on the optimum: the largest edge at d (m,), or the largest edge at z = (d, mu)
        (m + R,) plus h'mu.

        The bound includes the rounding error.
        """
        return self.problem.margin.bound(self._edges(d)[2] + self._rounding(d), d)

    def tight_shapelets(self, d: FloatArray, slack: float) -> list[Hypothesis]:
        """All shapelets, including copies, whose edge at d (m,) is within ``slack`` of the
        largest.
        """
        weights = self.problem.margin.pricing_vector(d)
        edges, sizes, best = self._edges(d)
        error = max(family.values.sums(weights)[1] for family in self.problem.families)
        # candidates by the screen, decided by their rows
        close = np.flatnonzero(sizes >= best - slack - error)
        edges[close] = exact = self._exact(close, weights)
        close = close[(np.abs(exact) if self.signed else exact) >= best - slack]
        return [
            self.problem.single(f, int(k - self.offsets[f]), -1.0 if edges[k] < 0 else 1.0)
            for k, f in zip(close.tolist(), self.family[close].tolist(), strict=True)
        ]

    def _rounding(self, d: FloatArray) -> float:
        return self.problem.margin.rounding(self.largest, d)

    def _edges(self, d: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """The edges of all shapelets, their sizes, and the largest size.

        The size is the absolute value of the edge if negatives are included, otherwise the edge
        itself. The largest edges are computed in double precision.
        """
        # one product for each length: exact, or off by the error of its screen
        weights = self.problem.margin.pricing_vector(d)
        parts = [family.values.sums(weights) for family in self.problem.families]
        edges = np.concatenate([part for part, _ in parts])
        error = max(slack for _, slack in parts)
        sizes = np.abs(edges) if self.signed else edges.copy()
        if error == 0.0:
            return edges, sizes, float(sizes.max())
        # the most promising in double precision, until no other can be larger
        order = np.argsort(-sizes, kind="stable")
        best, count = -np.inf, 0
        while count < len(order) and sizes[order[count]] + error > best:
            part = order[count : count + self.batch_size]
            edges[part] = exact = self._exact(part, weights)
            sizes[part] = np.abs(exact) if self.signed else exact
            best, count = max(best, float(sizes[part].max())), count + len(part)
        return edges, sizes, best

    def _exact(self, chosen: IntArray, weights: FloatArray) -> FloatArray:
        """The edges (r,) of shapelets (r,), computed from their rows."""
        edges = np.empty(len(chosen))
        for f, family in enumerate(self.problem.families):
            members = self.family[chosen] == f
            edges[members] = family.values.rows(chosen[members] - self.offsets[f]) @ weights
        return edges


class BallLearner:
    """Pricing over a ball of pattern combinations, by DCA from several distinct starts.

    With pricing ``exact``, the program of each ball is solved if DCA returns no hypothesis.

    There is a separate ball for each length. With orientation ``both``, each length has one ball
    per sign of the hypotheses. A DCA step depends only on the patterns at which it is linearised.
    Starts with the same patterns therefore count as equal.
    """

    def __init__(self, spec: LPBoost, problem: Shapelets, settings: RunSettings) -> None:
        self.problem, self.settings, self.searches = problem, settings, spec.pricing == "exact"
        self.iterations = spec.dca_iter or 10
        self.rng = np.random.default_rng(settings.seed)
        starts = spec.starts or 8
        order = ["best", "opposite", "best", "best", "best", "random", "best", "best"]
        names = [*order, *(["random"] * starts)][:starts]
        # two are tried at once, the others only where they lead nowhere
        self.first_starts, self.later_starts = names[:2], names[2:]
        signs = (1.0, -1.0) if spec.orientation == "both" else (1.0,)
        make = L1Step if spec.learner == "l1" else MinNormStep
        # relative gap of a convex step while pricing: DCA only needs descent
        self.balls = [
            HypothesisBall(
                problem, f, sign, make(family.gram, sign * problem.margin.y, problem.radius, 1e-5)
            )
            for f, family in enumerate(problem.families)
            for sign in signs
        ]

    def __call__(
        self, d: FloatArray, threshold: float, current: Sequence[Hypothesis], budget: Budget
    ) -> WeakAnswer:
        """Return local optima with edges above the threshold.

        DCA starts from the best shapelet, the best negative of a shapelet, and the hypotheses with
        the largest weights. If no edge exceeds the threshold, it starts from the best shapelets of
        other series and from random shapelets. ``detail`` contains the number of requested
        ``starts`` and the number of ``distinct`` starts.
        """
        # weights of rows below this share of the largest are rounding
        d = np.where(d > 1e-12 * d.max(), d, 0.0)
        optima: list[tuple[float, Hypothesis]] = []
        detail = {"dca_steps": 0.0, "starts": 0.0, "distinct": 0.0, "model_decrease": 0.0}
        seen: list[set[bytes]] = [set() for _ in self.balls]
        # two starts and the hypotheses in use first; the others only where these lead nowhere
        for stage in (self.first_starts, self.later_starts):
            for ball, ball_seen in zip(self.balls, seen, strict=True):
                points = ball.starts(stage, d, self.rng, ball_seen)
                # hypotheses in use that DCA starts from
                heaviest = ball.members(current)[:5] if stage is self.first_starts else []
                heavy_points = [ball.coefficients(h) for h in heaviest]
                points += [point for point in heavy_points if ball.is_new(point, d, ball_seen)]
                detail["starts"] += len(stage) + len(heaviest)
                detail["distinct"] += len(points)
                if not points:
                    continue
                # DCA from all of them at once
                batch, trace = ball.descend(d, np.array(points), self.iterations, budget)
                detail["dca_steps"] += len(trace)
                detail["model_decrease"] = max(
                    detail["model_decrease"], trace[-1].detail["model_decrease"]
                )
                for x, f in zip(batch.x, batch.objective, strict=True):
                    optima.append((-float(f), ball.hypothesis(x)))
            # a hypothesis that is worth a round: the other starts are left out
            if max(edge for edge, _ in optima) > threshold:
                break
        # the best of those that differ on the training rows by more than rounding
        optima.sort(key=lambda pair: -pair[0])
        chosen: list[Hypothesis] = []
        for edge, h in optima:
            tolerance = 1e-9 * max(float(np.abs(h.values).max()), LEAST_DIVISOR)
            if edge > threshold and all(
                np.abs(h.values - other.values).max() > tolerance for other in chosen
            ):
                chosen.append(h)
        # where DCA finds none, the solver's search proves that there is none
        if self.searches and not chosen:
            priced = self._search_balls(d, optima[0][0], threshold, current, budget)
            return replace(priced, detail=detail)
        chosen = chosen[:COLUMNS]
        return WeakAnswer(hypotheses=tuple(chosen), edge=optima[0][0], bound=None, detail=detail)

    def _search_balls(
        self,
        d: FloatArray,
        local: float,
        threshold: float,
        current: Sequence[Hypothesis],
        budget: Budget,
    ) -> WeakAnswer:
        """Price by the program ``weak-l1-mip`` of each ball, where DCA found the edge ``local``.

        The bound on the edges is the one of the solver's search, which is not verified.
        """
        optima: list[tuple[float, Hypothesis]] = []
        bounds: list[float | None] = []
        for ball in self.balls:
            K, positive = ball.gram.rows(np.arange(len(ball.gram))), (ball.y > 0) & (d > 0)
            # the integer program does not depend on the slopes
            slopes = np.flatnonzero(positive) * ball.Q
            step = WeakStep(K=K, y=ball.y, d=d, slopes=slopes, radius=self.problem.radius)
            model = build_l1_mip(step)
            try:
                solution, *_ = search_form(model, ProblemClass.MILP, self.settings, budget)
            except SolverMissingError:
                raise
            except SolverError as error:
                # what DCA found stays, and is not proved
                warn_user(f"pricing is not exact: {error}")
                return WeakAnswer(hypotheses=(), edge=local, bound=None)
            plus, minus = (
                np.array([entry.value for entry in part.values()], dtype=np.float64)
                for part in (model.alpha_plus, model.alpha_minus)
            )
            # its point within the ball, and the largest edge of the ball that is attained
            alpha = np.maximum(plus, 0.0) - np.maximum(minus, 0.0)
            alpha *= min(1.0, self.problem.radius / max(np.abs(alpha).sum(), LEAST_DIVISOR))
            best = ball.hypothesis(alpha)
            edge = self.problem.edge(best, d)
            largest = max([edge, *(self.problem.edge(h, d) for h in ball.members(current))])
            lower = bound_at(solution, -largest)
            bounds.append(None if lower is None else -lower)
            optima.append((edge, best))
        optima.sort(key=lambda pair: -pair[0])
        proved = [bound for bound in bounds if bound is not None]
        return WeakAnswer(
            hypotheses=tuple(h for edge, h in optima if edge > threshold),
            edge=max(local, optima[0][0]),
            bound=max(proved) if len(proved) == len(bounds) else None,
        )


class HypothesisBall:
    """The function f(u) = - sum_{y=+1} d_p max_j <u, Phi(x_p^(j))> + sum_{y=-1} d_q max_j <u,
    Phi(x_q^(j))>.

    The function is minus the edge over one ball. Its points are the coefficients alpha (n,) of all
    patterns of one length. If ``sign`` is -1, the classes are exchanged. This gives the negative
    hypotheses.
    """

    def __init__(self, problem: Shapelets, family: int, sign: float, step: ConvexStep) -> None:
        self.problem, self.family, self.sign, self.step = problem, family, sign, step
        self.y, self.positive = sign * problem.margin.y, step.positive
        self.gram, self.Q = step.gram, step.Q
        self.nearest = problem.families[family].features

    def scores(self, x: FloatArray) -> FloatArray:
        """The scores K alpha (b, n) of coefficients (b, n)."""
        scores = np.empty_like(x)
        for row, alpha in zip(scores, x, strict=True):
            poll()
            support = np.flatnonzero(alpha)
            row[:] = self.gram.combine(support, alpha[support])
        return scores

    def slopes(self, scores: FloatArray) -> IntArray:
        """The best pattern of each positive series at scores (n,). Ties go to the first."""
        return best_patterns(scores, self.positive, self.Q)

    def hypothesis(self, alpha: FloatArray) -> Hypothesis:
        """The hypothesis with coefficients (n,)."""
        support = np.flatnonzero(alpha)
        return self.problem.combination(self.family, support, alpha[support], self.sign)

    def members(self, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
        """The hypotheses that belong to this ball."""
        return [h for h in hypotheses if (h.family, h.sign) == (self.family, self.sign)]

    def coefficients(self, hypothesis: Hypothesis) -> FloatArray:
        """The coefficients alpha (n,) of a hypothesis in this ball."""
        alpha = np.zeros(len(self.gram))
        alpha[hypothesis.patterns] = hypothesis.alpha
        return alpha

    @cached_property
    def farthest(self) -> FloatArray:
        """The values (n, m) of the negatives of all single shapelets, without the sign."""
        family = self.problem.families[self.family]
        assert family.table is not None  # local learners have no streamed families
        return self.problem.radius * family.table.features(family.kernel, nearest=False)

    def candidates(
        self, name: str, d: FloatArray, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Single shapelets alpha (n,).

        The name ``best`` yields the best shapelet of each series, in order of their edges.
        ``opposite`` does the same for the negatives of shapelets, and ``random`` yields a few
        random shapelets.
        """
        # a few random shapelets, so that one of them may be a new start
        if name == "random":
            for k in rng.integers(len(self.gram), size=8):
                yield self._single(int(k), 1.0)
            return
        # the best pattern of every series, by one product
        sign = 1.0 if name == "best" else -1.0
        edges = sign * ((self.nearest if name == "best" else self.farthest) @ (d * self.y))
        places = edges.reshape(-1, self.Q).argmax(axis=1) + np.arange(self.problem.m) * self.Q
        for k in places[np.argsort(-edges[places], kind="stable")]:
            yield self._single(int(k), sign)

    def _single(self, k: int, sign: float) -> FloatArray:
        alpha = np.zeros(len(self.gram))
        alpha[k] = sign * self.problem.single(self.family, k, 1.0).alpha[0]
        return alpha

    def starts(
        self, names: Sequence[str], d: FloatArray, rng: np.random.Generator, seen: set[bytes]
    ) -> list[FloatArray]:
        """For each name, a candidate whose slopes are not in ``seen``. The slopes are added to
        ``seen``.

        If a name has no further candidates, a random candidate is used.
        """
        # a name that has no new candidate takes a random one
        sources = {name: self.candidates(name, d, rng) for name in names if name != "random"}
        points = []
        for name in names:
            source = chain(sources.get(name, ()), self.candidates("random", d, rng))
            start = next((point for point in source if self.is_new(point, d, seen)), None)
            if start is not None:
                points.append(start)
        return points

    def is_new(self, alpha: FloatArray, d: FloatArray, seen: set[bytes]) -> bool:
        """Whether the slopes of alpha (n,) are new. New slopes are recorded."""
        key = self.slopes(self.scores(alpha[None, :])[0])[d[self.positive] > 0].tobytes()
        unseen = key not in seen
        seen.add(key)
        return unseen

    def descend(
        self, d: FloatArray, starts: FloatArray, iterations: int, budget: Budget
    ) -> tuple[Batch, list[Record]]:
        """Run DCA from coefficients (b, n). Raises OutOfBudget if DCA could not finish."""
        signed = d * self.y
        scores_of: dict[int, FloatArray] = {}

        def objective(x: FloatArray, rows: IntArray) -> FloatArray:
            scores = self.scores(x)
            scores_of.update(zip(rows.tolist(), scores, strict=True))
            return np.asarray(-(scores.reshape(len(x), -1, self.Q).max(axis=2) @ signed))

        def majorise(
            x: FloatArray, rows: IntArray, budget: Budget
        ) -> tuple[FloatArray, FloatArray]:
            points, values = np.zeros_like(x), np.zeros(len(x))
            for i, row in enumerate(rows.tolist()):
                # linearise the positive series at their best patterns, minimise over the ball
                scores = scores_of[row]
                answer = self.step(d, self.slopes(scores), budget, start=(x[i], scores))
                current = -float(scores.reshape(-1, self.Q).max(axis=1) @ signed)
                if answer.value < current:
                    points[i, answer.patterns], values[i] = answer.alpha, answer.value
                else:  # the majoriser touches f here, and nothing lower was found
                    points[i], values[i] = x[i], current
            return points, values

        batch = Batch.of(starts, objective)
        stops: list[Stop] = [none_active(batch), max_iterations(iterations)]
        reason, trace = run(dca_step(batch, objective, majorise), stops, budget)
        if reason in (Reason.TIME_LIMIT, Reason.INTERRUPT):
            raise OutOfBudget
        return batch, trace


def first_ensemble(
    problem: Shapelets,
    singles: SingleShapelets,
    best: Hypothesis,
    settings: RunSettings,
    budget: Budget,
) -> tuple[list[Hypothesis], FloatArray]:
    """Shapelets with weights (T,) that satisfy the constraints.

    If ``best`` satisfies the constraints, it is the only shapelet. Otherwise, if negatives are
    allowed and h >= 0, the shapelets are ``best`` and its negative. In all other cases, a linear
    program over all shapelets selects them. The restricted master over them is feasible. Its dual,
    the program that is solved, is therefore bounded. Raises SettingError with a conflict if no
    ensemble satisfies the constraints. Raises OptionError if there are too many patterns,
    OutOfBudget if the budget runs out, and SolverError if no solver can decide.
    """
    rows = problem.margin.rows
    # the best shapelet, or half of it and half of its negative, which is the score 0
    if rows.met(best.values):
        return [best], np.ones(1)
    if singles.signed and rows.met(np.zeros(problem.m)):
        negative = problem.single(best.family, int(best.patterns[0]), -best.sign)
        return [best, negative], np.full(2, 0.5)
    # a point over all shapelets; those with weight are looked up by length and place
    H = all_shapelets(problem, signed=singles.signed)
    from radprog.solvers.compile import compile_model  # loads pyomo

    program = compile_model(build_feasible(H, problem.margin))
    x = solve_feasible(program, rows.row_names, settings, budget, "ensemble keeps")
    w = np.maximum(x[: len(H)], 0.0)
    support = np.flatnonzero(w > SUPPORT * w.max())
    sizes = [family.n for family in problem.families]
    ends, n = np.cumsum(sizes), sum(sizes)
    chosen = []
    for t in support.tolist():
        f = int(np.searchsorted(ends, t % n, side="right"))
        chosen.append(problem.single(f, t % n - int(ends[f] - sizes[f]), -1.0 if t >= n else 1.0))
    return chosen, w[support] / w[support].sum()


def all_shapelets(problem: Shapelets, *, signed: bool) -> FloatArray:
    """The values (T, m) of all shapelets. If ``signed`` is True, the values of their negatives
    follow.

    Raises OptionError if there are too many.
    """
    H = np.concatenate([family.features for family in problem.families])
    return np.concatenate([H, -H]) if signed else H


def constraint_block(margin: SoftMargin, scores: FloatArray, z: FloatArray) -> dict[str, Any]:
    """The ``constraints`` block of a result at scores g (m,) and a feasible dual point z. It is
    empty if there are no constraints.
    """
    rows = margin.rows
    if not len(rows):
        return {}
    mu = z[margin.m :]
    return {"constraints": rows.values(scores, mu)}
