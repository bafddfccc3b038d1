"""LPBoost over classifiers for tables: the multiclass margin program and exactly priced trees.

The program has m rows with classes y_i among K, hypotheses h_t with votes h_t(x, k), and margin
targets a_ik:

    min  (1/m) sum_i xi_i + beta sum_t w_t                                          (primal)
    s.t. sum_t w_t [h_t(x_i, y_i) - h_t(x_i, k)] >= a_ik - xi_i,  k != y_i;  w, xi >= 0

    max  (1/m) sum_ik a_ik u_ik                                                     (dual)
    s.t. sum_k u_ik <= 1;  (1/m) sum_ik G_ik(u) h_t(x_i, k) <= beta for every t;  u >= 0

The gain of a vote of row i for class k is G_ik = -u_ik for k != y_i, and G_iy = sum_k u_ik. The
left side of the second row is the edge of h_t. With targets 1 and two classes, this is the linear
program of Demiriz, Bennett and Shawe-Taylor, Linear Programming Boosting via Column Generation,
2002. If the targets are the margins of an ensemble, a solution selects a part of this ensemble. To
limit the size of this part, each hypothesis has a price beta_t and a cap w_t <= c_t. The caps
replace the second row of the dual, and add -sum_t c_t max(0, edge_t - beta_t) to the dual value.
Rows may have weights s_i with mean 1: their losses are s_i xi_i, and sum_k u_ik <= s_i.

The user's constraints are rows sum_ik A_rik f_ik <= h_r on the summed votes f = sum_t w_t h_t. With
multipliers mu_r / m >= 0, the dual value loses h'mu / m, and the gains become G_ik(u) - sum_r mu_r
A_rik. So they are signed numbers of both classes of a row, and the search for the largest edge is
the same. A feasible (u, mu) remains feasible when it is scaled down, so bounds are computed as
before. The restricted program has slacks s_r >= 0 of these rows, at a price that rises until they
are 0. Without slacks it would be infeasible for few hypotheses. The terms of rates are variables
without a price, whose rows make the multipliers of a rate a cone
(:class:`~radprog.models.score_arrays.ScoreRows`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone

from radprog.base.errors import (
    OptionError,
    RadprogError,
    SettingError,
    SolverError,
    StoppedError,
    UnfinishedError,
)
from radprog.base.limits import OutOfBudget, held_to, poll, users_code
from radprog.base.modelling import pyo
from radprog.base.tolerances import LEAST_DIVISOR, SUPPORT, UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.conflicts import listed_names, surrogate_note
from radprog.decompositions.drivers.exchange import (
    Answer,
    Cuts,
    MasterPoint,
    coefficients_of,
    exchange,
)
from radprog.decompositions.drivers.masters import LiveProgram, NewColumns, boxed_program
from radprog.decompositions.drivers.sifting import CentredMaster
from radprog.decompositions.loop import (
    NOTHING_ADDED,
    Budget,
    Loop,
    Reason,
    Record,
    Stop,
    first_step,
)
from radprog.decompositions.run import RunSettings, failures_of
from radprog.models.algebra import add_score_rows
from radprog.models.lpboost.programs import build_votes
from radprog.models.lpboost.settings import TREES
from radprog.models.score_arrays import NO_ROWS, ScoreRows, arrays_of
from radprog.models.score_rows import AnyRow
from radprog.solvers.program import SolveSettings

MOST_TREES = 80  # of depth 2 that are added in a round: 1,000 rows take 78 rounds, 100 with 40


class Learner(Protocol):
    """A search for a hypothesis with a large edge. The edge is the sum of the gains (m, K) of its
    votes.

    A learner may also have a method ``several(weights, enough)``, which is then called in place of
    ``best``. It returns a list of hypotheses, and the largest edge of all hypotheses, or None if
    this edge is not proved. Its search may stop at edges above ``enough``.
    """

    def best(self, weights: FloatArray) -> tuple[Any, float, bool]:
        """A hypothesis, its edge sum_i weights[i, h(x_i)], and whether this edge is the largest.

        The method ``predict`` of the hypothesis returns class numbers.
        """
        ...


def price_hypotheses(
    learner: Learner, gains: FloatArray, X: FloatArray, enough: float = np.inf
) -> tuple[list[tuple[Any, IntArray, float]], float | None]:
    """A learner's hypotheses for gains (m, K) of votes on rows X, each with its class numbers (m,)
    and its edge, best first, and the largest edge of all hypotheses, if the learner proves it.

    A learner with a method ``several`` may stop at edges above ``enough``. Edges are computed from
    the class numbers. Raises OptionError for an answer of another form, and for another edge than
    the learner returned.
    """
    name = type(learner).__name__

    def evaluate(hypothesis: Any) -> tuple[Any, IntArray, float]:
        codes = class_numbers(hypothesis, X, gains.shape[1])
        return hypothesis, codes, float(gains[np.arange(len(codes)), codes].sum())

    # a subclass that overrides best alone is asked by it
    methods = (vars(kind).keys() & {"best", "several"} for kind in type(learner).__mro__)
    if "several" in next(filter(None, methods), ()):
        with users_code(f"learner {name}"):
            answer: Any = learner.several(gains, enough)  # type: ignore[attr-defined]
        try:
            hypotheses, largest = answer
            # hypotheses that differ on the rows
            distinct = {entry[1].tobytes(): entry for entry in map(evaluate, hypotheses)}
            ranked = sorted(distinct.values(), key=lambda entry: -entry[2])
            return ranked, None if largest is None else max(float(largest), ranked[0][2])
        except (IndexError, TypeError, ValueError):
            raise OptionError(
                f"learner {name}: several returned {answer!r}, expected (hypotheses, edge or None)"
            ) from None
    with users_code(f"learner {name}"):
        answer = learner.best(gains)
    try:
        hypothesis, claimed, exact = answer
    except (TypeError, ValueError):
        raise OptionError(
            f"learner {name}: best returned {answer!r}, expected (hypothesis, edge, exact)"
        ) from None
    best = evaluate(hypothesis)
    edge = best[2]
    # a sum in single precision is accurate enough
    tolerance = 1e-6 * float(np.abs(gains).sum())
    if not (isinstance(claimed, Real) and abs(float(claimed) - edge) <= tolerance):
        raise OptionError(
            f"learner {name}: best returned the edge {claimed!r}, and its hypothesis has {edge:g}"
        )
    if not isinstance(exact, bool | np.bool_):
        raise OptionError(f"learner {name}: best returned exact {exact!r}, expected True or False")
    return [best], max(edge, float(claimed)) if exact else None


def class_numbers(hypothesis: Any, X: FloatArray, K: int) -> IntArray:
    """The class numbers (m,) that a hypothesis predicts. Raises OptionError for anything else."""
    try:
        codes = np.asarray(hypothesis.predict(X))
        valid = codes.shape == (len(X),) and bool(np.isin(codes, np.arange(K)).all())
    except (AttributeError, TypeError, ValueError) as error:
        raise OptionError(f"predict of {hypothesis!r}: {error}") from None
    if not valid:
        raise OptionError(
            f"predict of {hypothesis!r}: expected class numbers from 0 to {K - 1}, one a row"
        )
    return codes.astype(np.intp)


@dataclass(frozen=True, eq=False)
class VoteMargins:
    """The data of the program. ``codes`` (m,) contains classes below K, and ``targets`` has shape
    (m, K). The price ``beta`` of a unit of weight is a number or an array (T,). ``caps`` (T,)
    contains upper bounds on the weights. ``counts`` (m,) contains the weights of the rows, divided
    by their mean. ``rows`` are constraints on the m K summed votes, row by row; then there are no
    caps.

    The target of a row for its own class is ignored. A dual point z (m K + R,) holds u (m, K), row
    by row, and mu (R,).
    """

    codes: IntArray
    targets: FloatArray
    beta: float | FloatArray
    caps: FloatArray | None = None
    counts: FloatArray | None = None
    rows: ScoreRows = NO_ROWS

    @cached_property
    def units(self) -> FloatArray:
        """The units (R,) of the constraints in a master: the sums of their coefficients."""
        sums = abs(self.rows.G).sum(axis=1) + abs(self.rows.T).sum(axis=1)
        return np.where(sums > 0.0, sums, 1.0)

    def split(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The parts u (m, K) and mu (R,) of a dual point."""
        return z[: self.targets.size].reshape(self.targets.shape), z[self.targets.size :]

    @cached_property
    def costs(self) -> FloatArray:
        """The weights (m,) of the rows, with mean 1."""
        return np.ones(len(self.codes)) if self.counts is None else self.counts

    @property
    def others(self) -> NDArray[np.bool_]:
        """A mask (m, K) of the classes other than the class of the row."""
        return np.asarray(np.arange(self.targets.shape[1]) != self.codes[:, None])

    def margins(self, votes: FloatArray) -> FloatArray:
        """The margins h(x_i, y_i) - h(x_i, k) (m, K) for votes (m, K)."""
        return np.asarray(np.take_along_axis(votes, self.codes[:, None], axis=1) - votes)

    def objective(self, w: FloatArray, votes: FloatArray) -> float:
        """The primal value at weights w (T,) >= 0 with summed votes (m, K)."""
        missed = np.where(self.others, self.targets - self.margins(votes), 0.0).max(axis=1)
        # the own class gives max(0, .)
        return float((self.costs * missed).mean() + np.sum(self.beta * w))

    def multipliers(self, values: FloatArray) -> FloatArray:
        """The dual point z for the values of a master, with u >= 0, sum_k u_ik <= s_i, mu >= 0."""
        u, values = np.zeros(self.targets.shape), np.maximum(values, 0.0)
        count = len(values) - len(self.rows)
        u[self.others] = values[:count]
        u /= np.maximum(u.sum(axis=1) / self.costs, 1.0)[:, None]
        mu = self.rows.without_opposites(values[count:] / self.units)
        return np.append(u, self.rows.feasible(mu))

    def gains(self, z: FloatArray) -> FloatArray:
        """The gains (m, K) of votes at a dual point z."""
        u, mu = self.split(z)
        G = -u
        G[np.arange(len(u)), self.codes] = u.sum(axis=1)
        return G - self.rows.shift(mu).reshape(u.shape) if len(mu) else G

    def rounding(self, z: FloatArray) -> float:
        """A bound on the rounding error in the largest edge that a search returns at z, if there
        are constraints, whose terms may cancel.
        """
        u, mu = self.split(z)
        if not len(mu):
            return 0.0
        terms = float(2.0 * u.sum() + mu @ abs(self.rows.G).sum(axis=1))
        # the running sums of a search of depth 2 have three times the error of an edge
        return 12.0 * (len(u) + len(mu) + 5) * UNIT_ROUNDOFF * terms

    def priced(self, z: FloatArray, edges: ArrayLike) -> tuple[float, FloatArray]:
        """The dual value of z, and the nonnegative reduced costs of hypotheses with these
        ``edges``. Without caps, z and the edges are first scaled down so that no edge exceeds beta.

        The value is at least 0, because 0 is always a bound.
        """
        u, mu = self.split(z)
        value = float(np.where(self.others, self.targets * u, 0.0).sum()) / len(u)
        if len(mu):
            value -= float(self.rows.h @ mu + 0.5 * self.rounding(z)) / len(u)
        costs = self.beta - np.asarray(edges, dtype=np.float64)
        if self.caps is not None:
            value += float(np.minimum(costs, 0.0) @ self.caps)
        elif (largest := float(np.max(edges))) > 0.0:
            factor = min(1.0, float(np.max(self.beta)) / largest)
            value, costs = factor * value, self.beta - factor * np.asarray(edges)
        return max(0.0, value), np.maximum(costs, 0.0)

    def master(self) -> LiveProgram:
        """The program (primal) times m, without hypotheses. Its variables are xi, the slacks of
        the given constraints and the terms of rates, and its rows are in the order of u, then of
        mu.
        """
        rows, m, R, free = self.rows, len(self.codes), len(self.rows), np.inf
        costs = np.concatenate([self.costs, np.ones(rows.given), np.zeros(len(rows.owner))])
        master = LiveProgram(boxed_program(costs, np.zeros(m + R), np.full(m + R, free)))
        columns = np.nonzero(self.others)[0]
        places = np.arange(len(columns)), columns
        losses = sparse.csr_array((np.ones(len(columns)), places), shape=(len(columns), m))
        slacks = sparse.eye_array(R, rows.given), sparse.diags_array(-1.0 / self.units) @ rows.T
        matrix = sparse.csr_array(sparse.block_diag([losses, sparse.hstack(slacks)]))
        sides = np.append(self.targets[self.others], -rows.h / self.units)
        master.add(Cuts(matrix, sides, np.full(len(sides), free)))
        return master

    def dual_master(self, settings: SolveSettings) -> CentredMaster:
        """The program (dual) times m for two classes and one price, without hypotheses.

        With as few hypotheses as optima have, its bases are small, and sifting leaves out rows
        whose u is clearly 0 or 1: stumps on 10,000 rows of 20 features take 1.9 s, and 70 s of the
        program (primal) prove nothing.
        """
        targets = self.targets[self.others]
        return CentredMaster(-targets, self.costs, settings)

    def cuts(self, votes: FloatArray) -> Cuts:
        """The rows of hypotheses with votes (T, m, 2) in :meth:`dual_master`."""
        matrix = np.array([self.margins(vote)[self.others] for vote in votes])
        # a side below every activity, because sifting takes finite sides
        upper = np.full(len(votes), len(self.codes) * float(np.max(self.beta)))
        return Cuts(matrix, -1.0 - np.abs(matrix) @ self.costs, upper)

    def columns(self, votes: FloatArray, offset: int = 0) -> NewColumns:
        """The columns of hypotheses with votes (T, m, K), numbered from ``offset``."""
        size, m = len(votes), len(self.codes)
        matrix = np.array([self.margins(vote)[self.others] for vote in votes]).T
        if len(self.rows):
            matrix = np.vstack([matrix, -self.images(votes) / self.units[:, None]])
        names = tuple(f"w({offset + t})" for t in range(size))
        box = np.zeros(size), np.full(size, np.inf) if self.caps is None else self.caps
        cost = m * np.broadcast_to(self.beta, size).astype(np.float64)
        return NewColumns(sparse.csc_array(matrix), cost, *box, names)

    def images(self, votes: FloatArray) -> FloatArray:
        """The left sides (R, T) of the constraints for hypotheses with votes (T, m, K)."""
        return np.asarray(self.rows.G @ votes.reshape(len(votes), self.targets.size).T)

    def program(self, votes: FloatArray) -> pyo.ConcreteModel:
        """The whole program (primal) over hypotheses with votes (T, m, K)."""
        rows = np.nonzero(self.others)[0]
        margins = np.array([self.margins(vote)[self.others] for vote in votes])
        margins = margins.reshape(len(votes), len(rows)).T
        beta = np.broadcast_to(self.beta, len(votes))
        shares, targets = self.costs / len(self.costs), self.targets[self.others]
        model = build_votes(margins, rows, targets, beta, self.caps, shares)
        if len(self.rows):
            add_score_rows(model, self.rows, self.images(votes), list(model.weight.values()))
        return model


class VoteOracle:
    """The oracle. It prices hypotheses with a learner, and stores the best weights, the best bound
    and the trace. ``dual`` states whether the points are those of the program (dual).
    """

    def __init__(self, problem: VoteMargins, learner: Learner, X: FloatArray, dual: bool) -> None:
        self.problem, self.learner, self.X, self.dual = problem, learner, X, dual
        self.hypotheses: list[Any] = []
        self.votes: list[FloatArray] = []
        self.known: set[bytes] = set()  # the class numbers of all columns of the program (primal)
        self.weights, self.objective = np.zeros(0), np.inf
        self.bound: float | None = None
        # feasible multipliers, whose value is the bound; the last ones of a master
        self.inside = self.outside = np.zeros(problem.targets.size + len(problem.rows))
        self.missed = False  # whether the last point violates constraints
        self.least = np.inf  # objective of all points, also of those
        self.trace: list[Record] = []
        self.reason = Reason.SOLVER  # once it has ended

    @property
    def prices(self) -> FloatArray:
        """The prices (R,) of the rows: multipliers of the bound, or of the last master."""
        z = self.outside if self.bound is None else self.inside
        return self.problem.split(z)[1] / len(self.X)

    def summed_votes(self, w: FloatArray) -> FloatArray:
        """The votes (m, K) of the hypotheses with weights w (T,)."""
        zero = np.zeros(self.problem.targets.shape)
        return np.asarray(sum((a * b for a, b in zip(w, self.votes, strict=False)), zero))

    def register(self, hypotheses: Sequence[Any], votes: Sequence[FloatArray]) -> Any:
        """Store hypotheses with their votes (m, K), and return their columns in the master."""
        stacked, offset = np.array(votes), len(self.votes)
        # with high prices of slacks, the tolerance of a master leaves its own columns large edges
        if not self.dual:
            self.known.update(vote.argmax(axis=1).tobytes() for vote in votes)
        self.hypotheses += hypotheses
        self.votes += votes
        return self.problem.cuts(stacked) if self.dual else self.problem.columns(stacked, offset)

    def offer(self, point: MasterPoint, rounding: float = 0.0) -> None:
        """Store the weights (T,) of the hypotheses at a point of the master, unless they violate a
        constraint, or their recomputed objective is above the best one by more than the relative
        ``rounding``.
        """
        problem, m = self.problem, len(self.X)
        offset = m + len(problem.rows)
        w = np.maximum(coefficients_of(point.multipliers) if self.dual else point.x[offset:], 0.0)
        votes = self.summed_votes(w)
        self.missed = not problem.rows.met(votes.ravel())
        objective = problem.objective(w, votes)
        self.least = min(self.least, objective)
        if not self.missed and objective <= self.objective * (1.0 + rounding):
            self.weights, self.objective = w, objective

    def is_start(self, trace: Sequence[Record]) -> bool:
        """Whether the weights, which violate constraints, are near those without constraints."""
        return self.missed and self.least - (self.bound or 0.0) <= 1e-3 * self.least

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Cuts | NewColumns]:
        problem, (m, K) = self.problem, self.problem.targets.shape
        self.offer(point)
        dual_point = np.append(point.x, np.zeros(len(problem.rows)))
        outside = problem.multipliers(dual_point if self.dual else point.multipliers)
        self.outside, beta = outside, float(np.max(problem.beta))
        gains = problem.gains(outside)
        # first price half way to the best feasible multipliers, where bounds are better; a column
        # violated there is violated at the master's point too (400 rows, 40 trees a round: 4.7 s,
        # 6.8 s without)
        for share in (0.5, 1.0) if self.bound else (1.0,):
            z = self.inside + share * (outside - self.inside)
            z[z <= 1e-7] = 0.0  # of points inside: a search leaves out rows without gains
            z[problem.targets.size :] = problem.rows.feasible(problem.split(z)[1])
            # relative excess of an edge over beta that is worth a column
            rounding = problem.rounding(z)
            enough = beta * (1.0 + 1e-9) * m + rounding
            priced, largest = price_hypotheses(self.learner, problem.gains(z), self.X, enough)
            # the bound, where no hypothesis has a larger edge
            if largest is not None:
                largest += rounding
                bound = problem.priced(z, largest / m)[0]
                if self.bound is None or bound > self.bound:
                    self.bound, self.inside = bound, z / max(1.0, largest / (beta * m))
            # columns whose reduced costs beta - edge are negative
            entering = [
                (hypothesis, np.eye(K)[codes])
                for hypothesis, codes, edge in priced
                if max(edge, gains[np.arange(m), codes].sum()) > enough
                and codes.tobytes() not in self.known
            ]
            if entering:
                break
        add = self.register(*map(list, zip(*entering, strict=True))) if entering else None
        objective = None if self.objective == np.inf else self.objective
        return Answer(objective, self.bound, add, {"edge": priced[0][2] / m})


def boost_votes(
    problem: VoteMargins,
    learner: Learner,
    X: FloatArray,
    settings: RunSettings,
    budget: Budget,
) -> VoteOracle:
    """Run column generation over the hypotheses of a learner on rows X (m, d). Each round adds one
    hypothesis, or several trees.

    Raises SettingError if no ensemble satisfies the constraints, and UnfinishedError if a limit
    ended the run before there was one. A learner that fails ends it like a limit.
    """
    # prices of constraints need more digits
    rows, (m, K) = problem.rows, problem.targets.shape
    settings = replace(settings, tol=settings.tol * 1e-3) if len(rows) else settings
    size = 1.0 + float(np.max(problem.beta))
    with first_step(budget):
        oracle = VoteOracle(problem, learner, X, K == 2)
        trace = oracle.trace
        master: Any = problem.master()
        if oracle.dual:
            master = problem.dual_master(settings.for_solver(Budget()))
        # the price of a slack rises until the constraints hold; without them there is one. A solver
        # may fail at the high ones (costs up to 1e11): what the lower ones proved is the answer
        failures: list[RadprogError] = []
        # of two classes, first without the constraints, which may hold: 1,000 rows 0.7 s, and 4 s
        # with them; otherwise its hypotheses are a start
        raised = [1e3, 1e6, 1e9] if len(rows) else []
        for price in [0.0, *raised] if oracle.dual else raised or [0.0]:
            criteria = [settings.gap_reached(), NOTHING_ADDED]
            if price:
                if oracle.dual:
                    master, oracle.dual = problem.master(), False
                    votes, hypotheses = oracle.votes, oracle.hypotheses
                    oracle.votes, oracle.hypotheses = [], []
                    master.add(oracle.register(hypotheses, votes))
                master.reprice(slice(m, m + rows.given), np.full(rows.given, price * size * m))
            elif len(rows):
                criteria.append(Stop(Reason.STALLED, oracle.is_start))
            stops = settings.stops(*criteria, done=len(trace))
            earlier = oracle.bound is not None
            loop = Loop(stops, budget, settings.observe, failures, needed=not trace)
            with held_to(settings.threads):
                exchange(master, oracle, loop)
                if oracle.dual:
                    master.finish(oracle, loop)
            trace += loop.trace
            oracle.reason = loop.reason
            for failure in failures:
                # a learner of the user's: the caller raises this with what was found
                kept = failures_of(settings) if trace else None
                if isinstance(failure, StoppedError) and kept is not None:
                    kept.append(failure)
                    oracle.reason = Reason.INTERRUPT
                elif isinstance(failure, StoppedError) or not earlier:
                    raise failure
            if oracle.reason.premature or failures:
                break
            if not oracle.missed and (price or not len(rows) or oracle.reason is Reason.TOLERANCE):
                break
    if oracle.objective == np.inf:
        if oracle.reason.premature:
            raise UnfinishedError(f"{oracle.reason.value}: no ensemble keeps the constraints yet")
        # sum w >= (bound - 1) / (1 + beta) of an ensemble with this bound, as xi <= 1 + sum w
        prices = (oracle.prices * problem.units)[: rows.given]
        min_weight = ((oracle.bound or 0.0) - 1.0) / size
        if oracle.bound is not None and min_weight < 1e3:
            reason = "the restricted master misses constraints that an ensemble can keep"
            raise failures[0] if failures else SolverError(reason)
        heavy = np.flatnonzero(prices > 1e-6 * prices.max())
        listed = listed_names(list(dict.fromkeys(rows.row_names[r] for r in heavy)))
        condition = f"with a total weight up to {min_weight:.1g} "
        condition = condition if oracle.bound is not None else "that the learner finds "
        words = f"no ensemble {condition}keeps the constraints: {listed}{surrogate_note(rows)}"
        raise SettingError(words)
    return oracle


@dataclass(frozen=True)
class Split:
    """A tree. Rows with feature <= threshold go left. If a side is a number, it is a class."""

    feature: int
    threshold: float
    left: Split | int
    right: Split | int

    @property
    def features(self) -> set[int]:
        """The features of all splits."""
        features = (side.features for side in (self.left, self.right) if isinstance(side, Split))
        return {self.feature}.union(*features)

    def decreases(self, X: FloatArray, classes: FloatArray, into: FloatArray) -> None:
        """Add the decrease of the Gini impurity at each split to that of its feature, in ``into``
        (d,), for rows X (n, d) and their weights by class (n, K).
        """
        left = X[:, self.feature] <= self.threshold
        sums = [classes.sum(axis=0), classes[left].sum(axis=0), classes[~left].sum(axis=0)]
        # a node of weight W with shares p of the classes has the impurity W (1 - sum_k p_k^2)
        parent, *children = (node.sum() - (node @ node) / max(node.sum(), 1e-300) for node in sums)
        into[self.feature] += parent - sum(children)
        for rows, side in ((left, self.left), (~left, self.right)):
            if isinstance(side, Split):
                side.decreases(X[rows], classes[rows], into)

    def predict(self, X: FloatArray) -> IntArray:
        """The predicted class numbers (n,) of rows X (n, d)."""
        parts = [
            np.full(len(X), side) if isinstance(side, int) else side.predict(X)
            for side in (self.left, self.right)
        ]
        return np.where(X[:, self.feature] <= self.threshold, *parts)


class ExhaustiveTrees:
    """An exhaustive search for the largest edge over all trees of depth 1 or 2 on rows X (m, d).

    For depth 1, the search takes O(m d K) operations. For depth 2, it takes as many operations for
    each root split that may be the best.
    """

    def __init__(self, X: FloatArray, depth: int) -> None:
        self.depth = depth
        # all rows by the values of each feature (d, m), of which a search takes some
        self._all = X, np.argsort(X, axis=0, kind="stable").T
        self._restrict(np.arange(len(X)))
        # roots (feature, threshold) of the last trees of depth 2 with large edges, and how often
        # trees were asked for
        self._roots: list[tuple[int, float]] = []
        self._calls = 0

    def _restrict(self, rows: IntArray) -> None:
        """Search on these rows alone."""
        X, order = self._all
        place = np.full(len(X), -1)
        place[rows] = np.arange(len(rows))
        order = place[order]
        self.X, self._order = X[rows], order[order >= 0].reshape(len(order), -1).T
        # a split lies where the value changes, or behind all
        self._values = values = np.take_along_axis(self.X, self._order, axis=0)
        self._splits = np.append(values[1:] > values[:-1], np.ones((1, X.shape[1]), bool), axis=0)
        # the same, feature by feature in blocks of 16 down the rows, with one row behind the last
        behind = (0, -len(rows) % 16), (0, 0)
        self._blocks, splits = (
            np.pad(part, behind, constant_values=value).T.reshape(-1, 16).T.copy()
            for part, value in ((self._order, len(rows)), (self._splits, True))
        )
        self._ties, self._triangle = np.nonzero(~splits), np.tri(16)

    def best(self, weights: FloatArray) -> tuple[Split, float, bool]:
        """The tree with the largest edge for gains (m, K)."""
        trees, largest = self.several(weights, np.inf)
        return trees[0], largest or 0.0, True

    def several(self, weights: FloatArray, enough: float) -> tuple[list[Split], float | None]:
        """Trees with large edges for gains (m, K), and the largest edge of all trees. The best tree
        is the first.

        Stumps are the best four of each feature whose places are at least a twentieth of the rows
        apart. With one of each feature, 1,000 rows take 2.9 s instead of 1.8 s.

        There is at most one tree of depth 2 for each root. If such trees with edges above
        ``enough`` are found at the roots of the last trees or of the best stumps, no other roots
        are searched, and the largest edge is None. Every fourth search is of all roots, which gives
        bounds on the way.
        """
        if self.depth > 1:
            # rows without gains change no edge: at an optimum these are half of the rows
            rows = np.flatnonzero(weights.any(axis=1)) if weights.any() else np.arange(1)
            self._restrict(rows)
            weights = weights[rows]
        sums = self._sums(weights)
        edges = self._edges(sums)
        # two classes need the difference only, for trees of depth 2: 66 us a root, 236 with both
        if len(sums) == 2:
            self._gains = np.append(weights[:, 1] - weights[:, 0], 0.0)
            sums = self._running_sums(self._gains)
        places, sizes = list[tuple[int, int]](), list[float]()
        for _ in range(4 if self.depth == 1 else 1):
            # the best stump of each feature farther away than those before
            peaks = edges.argmax(axis=0)
            places += [(int(i), j) for j, i in enumerate(peaks)]
            sizes += edges.max(axis=0).tolist()
            edges[np.abs(np.arange(len(edges))[:, None] - peaks) <= len(edges) // 20] = -np.inf
        if self.depth == 1:
            order = np.argsort(-np.array(sizes), kind="stable")[:60]
            best = [places[t] for t in order if sizes[t] > -np.inf]
            return [self._stump(weights, place) for place in best], max(sizes)
        # heuristic: the best stumps on either side of promising roots
        is_full = not np.isfinite(enough) or self._calls % 4 == 0
        self._calls += bool(np.isfinite(enough))
        previous = [self._place_of(*root) for root in self._roots]
        tried = {} if is_full else dict.fromkeys([*previous, *places])
        roots, largest = {place: self._edge_at(weights, sums, place) for place in tried}, None
        # all, unless ten trees are worth a round of the master: 28.8 s for 31.3
        if is_full or sum(edge > enough for edge in roots.values()) <= 10:
            largest = self._search_roots(weights, sums, max(sizes), roots)
        ranked = sorted(roots, key=lambda place: -roots[place])
        if largest is None:
            ranked = [place for place in ranked if roots[place] > enough]
        ranked = ranked[:MOST_TREES]
        cuts = map(self._split_at, ranked)
        self._roots = list(dict.fromkeys([*cuts, *self._roots]))[: 2 * MOST_TREES]
        return [self._two_stumps(weights, sums, place) for place in ranked], largest

    def _edge_at(self, weights: FloatArray, sums: FloatArray, place: tuple[int, int]) -> float:
        """The largest edge of the trees with this root. ``sums`` are those of both classes'
        difference by :meth:`_running_sums`, or of all classes if there are more.
        """
        if sums.ndim > 2:
            rows, side = self._order[: place[0] + 1, place[1]], np.zeros(weights.shape)
            side[rows] = weights[rows]
            left = self._sums(side)
            return float(self._edges(left).max() + self._edges(sums - left).max())
        # with two classes, a stump has the edge (sum of all gains + max(|D|, |2 D_left - D|)) / 2
        edge = float(weights.sum())
        for part in self._sides(sums, place):
            D = float(part[-1, -1])
            edge += max(abs(D), 2.0 * float(part.max()) - D, D - 2.0 * float(part.min()))
        return 0.5 * edge

    def _sides(self, sums: FloatArray, place: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
        """The :meth:`_running_sums` of the rows on either side of a root, out of all ``sums``."""
        rows, side = self._order[: place[0] + 1, place[1]], np.zeros(len(self._gains))
        side[rows] = self._gains[rows]
        left = self._running_sums(side)
        return left, sums - left

    def _search_roots(
        self,
        weights: FloatArray,
        sums: FloatArray,
        edge: float,
        roots: dict[tuple[int, int], float],
    ) -> float:
        """The largest edge of trees of depth 2, where ``edge`` is that of a stump. The edges of
        ``known`` roots are used, and those of other roots are added.
        """
        # a row that changes sides of the root changes its edge by at most the range of its gains
        moved = np.cumsum(np.ptp(weights, axis=1)[self._order], axis=0)
        upper = np.where(self._splits, edge + np.minimum(moved, moved[-1] - moved), -np.inf)
        # the rounding error of a sum over all rows, in the bounds of a search of depth 2
        slack = 20.0 * len(weights) * np.finfo(float).eps * np.abs(weights).sum()

        def take(place: tuple[int, int]) -> None:
            """The bounds of the neighbours."""
            i, j = place
            upper[:, j] = np.minimum(upper[:, j], roots[place] + np.abs(moved[:, j] - moved[i, j]))
            upper[place] = -np.inf

        # roots by their bounds, with the best stump on either side
        for place in roots:
            take(place)
        best = max(roots.values(), default=-np.inf)
        while upper.flat[index := int(upper.argmax())] >= best - slack:
            poll()
            i, j = divmod(index, upper.shape[1])
            roots[i, j] = self._edge_at(weights, sums, (i, j))
            best = max(best, roots[i, j])
            take((i, j))
        return best

    def _two_stumps(self, weights: FloatArray, sums: FloatArray, root: tuple[int, int]) -> Split:
        """The best tree with this root. ``sums`` are those of :meth:`_edge_at`."""
        feature, threshold = self._split_at(root)
        ends = []
        if sums.ndim == 2:
            width = sums.shape[1] // self.X.shape[1]
            for part in self._sides(sums, root):
                # 2 D_left - D is the largest or the smallest, or all rows are on the left
                lefts = part.ravel()
                places = np.array([lefts.argmax(), lefts.argmin(), len(lefts) - 1])
                place = int(places[np.abs(2.0 * lefts[places] - lefts[-1]).argmax()])
                row, column = divmod(place, sums.shape[1])
                j, block = divmod(column, width)
                split = self._split_at((min(16 * block + row, len(self.X) - 1), j))
                ends.append(Split(*split, int(lefts[place] > 0.0), int(lefts[place] < lefts[-1])))
            return Split(feature, threshold, *ends)
        mask = self.X[:, feature, None] <= threshold
        for part in (np.where(side, weights, 0.0) for side in (mask, ~mask)):
            edges = self._edges(self._sums(part))
            ends.append(self._stump(part, divmod(int(edges.argmax()), edges.shape[1])))
        return Split(feature, threshold, *ends)

    def _sums(self, weights: FloatArray) -> FloatArray:
        """The cumulative sums (K, m, d) of the gains over the rows, sorted by each feature."""
        # the classes first: their largest is that of whole planes
        return np.asarray(np.cumsum(np.take(weights.T, self._order, axis=1), axis=1))

    def _running_sums(self, gains: FloatArray) -> FloatArray:
        """The cumulative sums of gains (m + 1,), the last of them 0, in the order of ``_blocks``; 0
        where no split lies.
        """
        # one product with a triangle, then the sums of the blocks before: 42 us for 20 features of
        # 1,000 rows, 72 us of numpy's cumsum
        sums = self._triangle @ gains.take(self._blocks, mode="clip")
        ends = sums[-1].reshape(self.X.shape[1], -1)
        sums += (np.cumsum(ends, axis=1) - ends).ravel()
        sums[self._ties] = 0.0
        return np.asarray(sums)

    def _edges(self, sums: FloatArray) -> FloatArray:
        """The edges (m, d) of the stumps. Each side votes for its best class."""
        edges = reduce(np.maximum, sums) + reduce(np.maximum, sums[:, -1:] - sums)
        edges[~self._splits] = -np.inf
        return np.asarray(edges)

    def _split_at(self, place: tuple[int, int]) -> tuple[int, float]:
        """The feature and threshold of a place. If possible, the threshold is the midpoint of two
        values.
        """
        i, feature = place
        values = self._values[i : i + 2, feature]
        middle = float(values[0] + 0.5 * (values[-1] - values[0]))
        inside = np.isfinite(middle) and middle < values[-1]
        return int(feature), middle if inside else float(values[0])

    def _place_of(self, feature: int, threshold: float) -> tuple[int, int]:
        """The place of a root. One that no row is left of has that behind all rows."""
        values = self._values[:, feature]
        return (int(values.searchsorted(threshold, "right")) - 1) % len(values), feature

    def _stump(self, weights: FloatArray, place: tuple[int, int]) -> Split:
        """The stump of a place."""
        feature, threshold = self._split_at(place)
        is_left = self.X[:, feature] <= threshold
        ends = [int(weights[side].sum(axis=0).argmax()) for side in (is_left, ~is_left)]
        return Split(feature, threshold, *ends)


class FittedTrees:
    """A heuristic learner without a bound: it fits a scikit-learn classifier to weighted rows."""

    def __init__(self, estimator: Any, X: FloatArray, codes: IntArray) -> None:
        self.estimator, self.X, self.codes = estimator, X, codes

    def best(self, weights: FloatArray) -> tuple[Any, float, bool]:
        """A classifier fitted to the rows with nonzero gains. The label of a row is the class with
        the largest gain, its own one without constraints. Its weight is this gain less the mean.
        """
        excess = weights.max(axis=1) - weights.mean(axis=1)
        rows = excess > 0.0 if excess.any() else np.ones(len(excess), dtype=bool)
        codes = np.where(excess > 0.0, weights.argmax(axis=1), self.codes)
        fitted = clone(self.estimator)
        fitted.fit(self.X[rows], codes[rows], sample_weight=excess[rows] if excess.any() else None)
        votes = np.asarray(fitted.predict(self.X), dtype=np.intp)
        return fitted, float(np.take_along_axis(weights, votes[:, None], axis=1).sum()), False


def vote_rows(
    constraints: Sequence[AnyRow], labels: Sequence[str], places: IntArray, m: int
) -> ScoreRows:
    """Constraints on the scores of n points, as rows on the m K votes of a program whose row
    ``places`` (n,) a point is.

    The score of class k is the sum of votes for k, less that for other classes. A row without a
    label is on the score of the second of two classes.
    """
    scores = arrays_of(constraints, len(places))
    S, merge = scores.given, (np.ones(len(places)), (np.arange(len(places)), places))
    G = sparse.csr_array(scores.G @ sparse.csr_array(merge, shape=(len(places), m)))
    # the terms of a rate at one row of the program are one term with the sum of their shares
    kinks = np.column_stack([scores.owner, G.indices[G.indptr[S] :], G.data[G.indptr[S] :]])
    _, first, inverse = np.unique(kinks, axis=0, return_index=True, return_inverse=True)
    shares = np.zeros(len(first))
    np.add.at(shares, inverse.ravel(), scores.shares)
    kept = np.append(np.arange(S), S + first)
    G, owner = sparse.csr_array(G[kept]), scores.owner[first]
    # copies of a point are as a weight is: their sums differ by rounding only
    largest = np.maximum(abs(G).max(axis=1).toarray().ravel(), LEAST_DIVISOR)
    G.data = _rounded(G.data, np.repeat(largest, np.diff(G.indptr)))
    shares = _rounded(shares, np.maximum(shares.max(initial=0.0), LEAST_DIVISOR))
    # the votes for the class of a row, less those for the others
    classes = [getattr(row, "label", None) or labels[1] for row in constraints]
    sides = np.where(np.array(classes)[:, None] == np.array(labels), 1.0, -1.0)
    sides = sides[np.append(np.arange(S), owner)]
    K, counts = len(labels), np.diff(G.indptr)
    places = (K * G.indices[:, None] + np.arange(K)).ravel()
    values = (G.data[:, None] * np.repeat(sides, counts, axis=0)).ravel()
    return replace(
        scores,
        G=sparse.csr_array((values, places, K * G.indptr), shape=(len(kept), m * K)),
        h=scores.h[kept],
        names=tuple(scores.names[r] for r in kept),
        of=tuple(scores.of[r] for r in kept),
        owner=owner,
        shares=shares,
    )


def _rounded(values: FloatArray, largest: FloatArray) -> FloatArray:
    """The values, rounded to 40 binary digits of the largest ones."""
    unit = np.exp2(np.ceil(np.log2(largest)) - 40.0)
    return np.asarray(np.round(values / unit) * unit)


def learner_for(learner: Any, X: FloatArray, codes: IntArray) -> Learner:
    """The learner for a name, an object with a method ``best``, a scikit-learn classifier, or a
    function of (X, codes).
    """
    if isinstance(learner, str):
        return ExhaustiveTrees(X, TREES[learner])
    if hasattr(learner, "best"):
        user_learner: Learner = learner
        return user_learner
    if hasattr(learner, "fit"):
        return FittedTrees(learner, X, codes)
    make: Callable[[FloatArray, IntArray], Learner] = learner
    return make(X, codes)


@dataclass(frozen=True, eq=False)
class Thinned:
    """Certified weights (T,) of the hypotheses of an ensemble.

    ``prices`` (T,) are nonnegative reduced costs. A unit of weight has the price ``beta`` for
    hypotheses without weight, and the given price for the others.
    """

    beta: float
    weights: FloatArray
    prices: FloatArray
    objective: float
    bound: float


def thin_votes(
    votes: FloatArray,
    problem: VoteMargins,
    beta: float,
    limit: int | None,
    budget: Budget,
    start: FloatArray,
) -> Thinned:
    """The optimal weights of hypotheses with votes (T, m, K) at the price ``beta``.

    If ``limit`` is set, only this number of hypotheses is kept. They are the hypotheses with the
    largest weights. The price of the others becomes the smallest price at which they have no
    weight. A budget that ends leaves the weights of the solver's last point, or ``start`` (T,), at
    most ``limit`` of them positive, where those lose more.
    """
    master, m = problem.master(), len(problem.codes)
    master.add(problem.columns(votes))
    caps = np.full(len(votes), np.inf) if problem.caps is None else problem.caps

    def solve() -> tuple[FloatArray, FloatArray, FloatArray]:
        """Solve from the last basis, and return weights, multipliers and edges."""
        try:
            point: Any = master.solve(budget)
            x, multipliers = point.x, point.multipliers
        except OutOfBudget:
            point = master.highs.getSolution()
            x, multipliers = np.array(point.col_value), np.array(point.row_dual)
            # a solver that had no time to begin has no point
            if len(x) != m + len(votes):
                x, multipliers = np.zeros(m + len(votes)), np.zeros(problem.others.sum())
        w = np.clip(x[m:], 0.0, caps)
        w[w <= SUPPORT * w.max(initial=0.0)] = 0.0
        u = problem.multipliers(multipliers)
        return w, u, np.tensordot(votes, problem.gains(u), axes=2) / m

    def loss(w: FloatArray) -> float:
        return problem.objective(w, np.tensordot(w, votes, axes=1))

    w, u, edges = solve()
    price = beta
    if limit is not None and problem.caps is not None and np.count_nonzero(w) > limit:
        # the largest weights stay; the others have the cap 0, and their prices follow
        largest = np.argsort(-w, kind="stable")[:limit]
        caps = np.zeros(len(votes))
        caps[largest] = problem.caps[largest]
        master.bound(slice(m, None), np.zeros(len(votes)), caps)
        w = np.minimum(w, caps)
        if not budget.spent():
            w, u, edges = solve()
        price = max(beta, float(edges[w == 0.0].max(initial=beta)))
    if budget.spent():
        w = min(w, start, key=loss)
    bound, prices = replace(problem, beta=np.where(w > 0.0, beta, price)).priced(u, edges)
    return Thinned(price, w, prices, loss(w), bound)
