"""Weak learners of LPBoost: the hypothesis of the largest edge sum_i d_i y_i h(x_i).

Over finitely many shapelets pricing is exact and bounds every edge. Over a ball it is a difference
of convex functions, of which DCA finds local optima: they prove no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from radprog.decompositions.convex_step import ConvexStep, L1Step, Linearised, MinNormStep
from radprog.decompositions.dca import Batch, NoneActive, dca
from radprog.decompositions.loop import Budget, MaxIterations, OutOfBudget, Record, run
from radprog.decompositions.shapelets import Hypothesis, Shapelets
from radprog.models.lpboost_settings import LPBoost

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

COLUMNS = 5  # most hypotheses added in a round
DCA_ITER = 10
STARTS = 5


@dataclass(frozen=True, kw_only=True)
class Priced:
    """Hypotheses with edges above the threshold, best first; ``edge``: the largest found.

    bound: no hypothesis of the class has a larger edge at this d; None where that is not known.
    """

    hypotheses: tuple[Hypothesis, ...]
    edge: float
    bound: float | None
    detail: dict[str, float] = field(default_factory=dict)


class WeakLearner(Protocol):
    """Prices the class of hypotheses at weights d (m,)."""

    def __call__(self, d: FloatArray, threshold: float, budget: Budget) -> Priced:
        """Hypotheses whose edge exceeds ``threshold``; raises OutOfBudget."""
        ...


class SingleShapelets:
    """Exact pricing of single shapelets (``signed``: and their negatives) by one product."""

    def __init__(self, problem: Shapelets, *, signed: bool) -> None:
        self.problem, self.signed = problem, signed
        self.features = np.concatenate([family.features for family in problem.families])
        self.largest = float(np.abs(self.features).max())
        sizes = [family.n for family in problem.families]
        self.family = np.repeat(np.arange(len(sizes)), sizes)
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.series = np.concatenate(
            [
                f * problem.m + np.arange(family.n) // (family.n // problem.m)
                for f, family in enumerate(problem.families)
            ]
        )

    def __call__(self, d: FloatArray, threshold: float, budget: Budget) -> Priced:
        """The best shapelets, at most one of every series and length."""
        margin = self.problem.margin
        edges = margin.edges(self.features, d)
        sizes = np.abs(edges) if self.signed else edges
        edge = float(sizes.max())
        chosen: list[Hypothesis] = []
        taken: set[int] = set()
        candidates = np.flatnonzero(sizes > threshold)
        for k in candidates[np.argsort(-sizes[candidates], kind="stable")]:
            if int(self.series[k]) in taken:
                continue
            taken.add(int(self.series[k]))
            f = int(self.family[k])
            sign = -1.0 if edges[k] < 0 and self.signed else 1.0
            chosen.append(self.problem.single(f, int(k - self.first[f]), sign))
            if len(chosen) == COLUMNS:
                break
        bound = edge + margin.rounding(self.largest)
        return Priced(hypotheses=tuple(chosen), edge=edge, bound=bound)


class BallLearner:
    """Local pricing of a ball of combinations of patterns by DCA from several starts.

    Every length, and with orientation ``both`` every sign of the hypotheses, has a ball of its own.
    """

    def __init__(self, spec: LPBoost, problem: Shapelets, seed: int) -> None:
        self.problem = problem
        self.iterations = spec.dca_iter or DCA_ITER
        self.starts = spec.starts or STARTS
        self.rng = np.random.default_rng(seed)
        signs = (1.0, -1.0) if spec.orientation == "both" else (1.0,)
        make = L1Step if spec.learner == "l1" else MinNormStep
        self.balls = [
            Ball(problem, f, sign, make(family.gram, problem.m, problem.radius))
            for f, family in enumerate(problem.families)
            for sign in signs
        ]
        self.last: list[Hypothesis] = []

    def __call__(self, d: FloatArray, threshold: float, budget: Budget) -> Priced:
        """Local optima above the threshold; further starts only while there is none."""
        found: list[tuple[float, Hypothesis]] = []
        detail = {"dca_steps": 0.0, "starts": 0.0, "residual": 0.0}
        for stage in self._stages():
            for ball in self.balls:
                batch, trace = ball.descend(d, stage, self.iterations, self.rng, budget)
                detail["dca_steps"] += len(trace)
                detail["starts"] += len(batch.x)
                detail["residual"] = max(
                    detail["residual"], trace[-1].detail["residual"] if trace else 0.0
                )
                found += [
                    (-float(f), ball.hypothesis(x))
                    for x, f in zip(batch.x, batch.objective, strict=True)
                ]
            if max(edge for edge, _ in found) > threshold:
                break
        found.sort(key=lambda pair: -pair[0])
        self.last = [hypothesis for _, hypothesis in found]
        chosen = _distinct([h for edge, h in found if edge > threshold])
        return Priced(hypotheses=chosen[:COLUMNS], edge=found[0][0], bound=None, detail=detail)

    def _stages(self) -> list[tuple[str, ...]]:
        """Names of the starts, in the order in which they are tried."""
        names = ["best", "zero", *(["random"] * self.starts)][: self.starts]
        return [tuple(names[:1]), tuple(names[1:])] if len(names) > 1 else [tuple(names)]


def _distinct(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Those that differ on the training rows."""
    kept: list[Hypothesis] = []
    for hypothesis in hypotheses:
        scale = float(np.abs(hypothesis.values).max())
        if all(
            np.abs(hypothesis.values - other.values).max() > 1e-9 * max(scale, 1e-300)
            for other in kept
        ):
            kept.append(hypothesis)
    return tuple(kept)


class Ball:
    """f(u) = - sum_{y=+1} d_p max_j <u, Phi(x_p^(j))> + sum_{y=-1} d_q max_j <u, Phi(x_q^(j))>,
    minus the edge, over one ball. Points are coefficients alpha (n,) of all patterns of a length;
    ``sign`` -1 exchanges the classes and stands for the negatives of the hypotheses.
    """

    def __init__(self, problem: Shapelets, family: int, sign: float, step: ConvexStep) -> None:
        self.problem, self.family, self.sign, self.step = problem, family, sign, step
        y = sign * problem.margin.y
        self.positive, self.negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        self.y = y
        self.gram = problem.families[family].gram
        self.Q = len(self.gram) // problem.m

    def scores(self, x: FloatArray) -> FloatArray:
        """K alpha (b, n) for coefficients (b, n)."""
        out = np.empty_like(x)
        for row, alpha in zip(out, x, strict=True):
            used = np.flatnonzero(alpha)
            row[:] = self.gram.combine(used, alpha[used])
        return out

    def slopes(self, scores: FloatArray) -> IntArray:
        """The best pattern of every positive series at scores (n,), flat; ties: the first."""
        grouped = scores.reshape(-1, self.Q)[self.positive]
        return np.asarray(self.positive * self.Q + grouped.argmax(axis=1), dtype=np.intp)

    def hypothesis(self, alpha: FloatArray) -> Hypothesis:
        """The hypothesis of coefficients (n,)."""
        used = np.flatnonzero(alpha)
        return self.problem.combination(self.family, used, alpha[used], self.sign)

    def descend(
        self,
        d: FloatArray,
        starts: Sequence[str],
        iterations: int,
        rng: np.random.Generator,
        budget: Budget,
    ) -> tuple[Batch, list[Record]]:
        """DCA from every start; raises OutOfBudget where nothing was found in time."""
        signed = d * self.y
        known: dict[int, FloatArray] = {}

        def objective(x: FloatArray, rows: IntArray) -> FloatArray:
            scores = self.scores(x)
            known.update(zip(rows.tolist(), scores, strict=True))
            return np.asarray(-(scores.reshape(len(x), -1, self.Q).max(axis=2) @ signed))

        def majorise(
            x: FloatArray, rows: IntArray, budget: Budget
        ) -> tuple[FloatArray, FloatArray]:
            new, values = np.zeros_like(x), np.zeros(len(x))
            for i, row in enumerate(rows.tolist()):
                slopes = self.slopes(known[row])
                answer = self.step(
                    Linearised(d=d, positive=self.positive, negative=self.negative, slopes=slopes),
                    budget,
                )
                new[i, answer.patterns], values[i] = answer.alpha, answer.value
            return new, values

        batch = Batch.of(self.points(d, starts, rng), objective)
        stops = [NoneActive(batch), MaxIterations(iterations)]
        reason, trace = run(dca(batch, objective, majorise), stops, budget)
        if reason.premature and len(trace) < iterations and batch.active.any():
            raise OutOfBudget
        return batch, trace

    def points(self, d: FloatArray, starts: Sequence[str], rng: np.random.Generator) -> FloatArray:
        """Coefficients (b, n): the best single shapelet, zero, or a random shapelet."""
        problem = self.problem
        chosen = problem.families[self.family]
        x = np.zeros((len(starts), chosen.n))
        for row, start in zip(x, starts, strict=True):
            if start == "best":
                k = int(np.argmax(chosen.features @ (d * self.y)))
            elif start == "random":
                k = int(rng.integers(chosen.n))
            else:
                continue
            norm = float(chosen.kernel.norms(chosen.table.stacked[[k]])[0])
            row[k] = problem.radius / norm if norm > 0 else 0.0
        return x
