"""Linear models with few features. Columns for features and rows for points are generated together.

The restricted master is the dual program over some atoms (rows) and some points (variables). The
weight d of each other point is at an end of its box, chosen by the sign of its residual. These
points enter the program as one variable, their sum (Portnoy and Koenker 1997). Pricing returns
atoms with an edge above beta and points with a residual of the opposite sign. If the features are
dense and there are at most 20,000 points, sifting chooses the points in each reduced
program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import DataError, RadprogError, SolverError
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.conflicts import refuse_conflict
from radprog.decompositions.drivers.exchange import (
    Answer,
    Cuts,
    MasterPoint,
    coefficients_of,
    exchange,
)
from radprog.decompositions.drivers.masters import (
    LiveProgram,
    boxed_program,
    live_program,
    plain_highs,
)
from radprog.decompositions.drivers.sifting import SiftedMaster, basis_words
from radprog.decompositions.linear.interior import interior_points
from radprog.decompositions.linear.primal_dual import primal_dual_points
from radprog.decompositions.loop import (
    NOTHING_ADDED,
    Budget,
    Loop,
    Reason,
    Record,
    Stop,
    first_step,
)
from radprog.decompositions.predictors import plain_values, reading, rebuilt
from radprog.decompositions.run import (
    Attempt,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    attempted,
    packed,
    signs,
    training_block,
)
from radprog.instances.data import Data
from radprog.instances.sparse import is_sparse
from radprog.instances.splits import regression_errors
from radprog.models.linear.problem import LinearProblem, assemble, stored_point
from radprog.models.linear.programs import build_dual
from radprog.models.linear.settings import L1Linear
from radprog.models.score_arrays import constraint_values
from radprog.models.score_rows import CoefficientSign
from radprog.solvers.adapters.highs import version as highs_version
from radprog.solvers.dense.boxed_simplex import AT_LOWER, AT_UPPER, BASIC

SAMPLE = 2000  # points that are solved first, where there are many more
WHOLE_POINTS = 3 * SAMPLE  # up to which all points are in the master
HIGHS_ENTRIES = 10_000  # of a dense master that HiGHS solves without sifting
ZERO_WEIGHT = 1e-12  # share of the largest coefficient below which one is rounding


# d (m,), the features of w, w and the bias, after each step of a method
Points = Iterator[tuple[FloatArray, IntArray, FloatArray, float]]


@dataclass(frozen=True, kw_only=True)
class LinearFit:
    """The predictor f(x) = sum_j w_j x_{features_j} + bias for rows with ``columns`` columns.

    If ``classes`` is True, the sign of f is the label. ``quantile`` is the level of the quantile
    loss, or None.
    """

    features: IntArray
    w: FloatArray
    bias: float
    columns: int
    classes: bool
    quantile: float | None = None
    kind = "linear"

    def scores(self, X: Any, cross: Any = None) -> FloatArray:
        """The values f (n,) for dense or sparse rows X (n, d). Raises DataError if the number of
        columns is wrong.
        """
        if X.ndim != 2 or X.shape[1] != self.columns:
            raise DataError(
                f"the fit was made on {self.columns} features, the data has shape {X.shape}"
            )
        part = (X.tocsc() if is_sparse(X) else X)[:, self.features]
        return np.asarray(part @ self.w).ravel() + self.bias

    def predict(self, X: Any, cross: Any = None) -> FloatArray:
        """For classes, the labels (n,) in {-1, +1}. Otherwise the values f (n,)."""
        scores = self.scores(X)
        return signs(scores) if self.classes else scores

    def to_dict(self) -> dict[str, Any]:
        """The plain values from which the predictor can be rebuilt."""
        return plain_values(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> LinearFit:
        """Rebuild the predictor from :meth:`to_dict`. Raises DataError if values are malformed."""
        with reading():
            fit = rebuilt(LinearFit, values)
            inside = (fit.features >= 0) & (fit.features < fit.columns)
            finite = np.isfinite(fit.w.sum() + fit.bias)
            if not inside.all() or fit.w.shape != fit.features.shape or not finite:
                raise ValueError("features and coefficients do not match")
        return fit


@dataclass
class BestPoints:
    """The best points so far: w on ``features`` with the intercept, and d with mu. Their objective
    and bound are included.
    """

    features: IntArray
    w: FloatArray
    bias: float
    d: FloatArray
    mu: FloatArray
    objective: float
    bound: float

    @staticmethod
    def trivial(problem: LinearProblem) -> BestPoints:
        """The point w = 0, b = 0, d = 0."""
        no_features, no_w = np.zeros(0, dtype=np.intp), np.zeros(0)
        value = problem.primal_value(no_features, no_w, 0.0)
        zero = np.zeros(problem.shape[0]), np.zeros(len(problem.rows))
        return BestPoints(no_features, no_w, 0.0, *zero, value, 0.0)


@dataclass(frozen=True)
class Violated:
    """Atoms (p, t) with an edge above beta and points with a residual of the opposite sign."""

    atoms: sparse.csc_array
    points: IntArray

    def __len__(self) -> int:
        return int(self.atoms.shape[1]) + len(self.points)


class FeatureMaster:
    """The restricted master. The objective is multiplied by m, so that the variables are about 1.

    The variables are d for the active points, mu, and one variable in [0, 1] that multiplies the
    weights of all other points. The rows are (X atom)'v <= m beta and, if there is an intercept,
    the balance 1'v = 0. New atoms are added to the program in HiGHS. New points require a new
    program.
    """

    def __init__(
        self, problem: LinearProblem, active: BoolArray, fixed: FloatArray, settings: RunSettings
    ) -> None:
        self.problem, self.active, self._settings = problem, active, settings
        self.fixed = np.where(active, 0.0, fixed)  # weights of the other points
        m, p = problem.shape
        self.atoms, self.images = sparse.csc_array((p, 0)), sparse.csc_array((m, 0))
        # the price of a constraint's violation, over the largest loss; it grows up to 1e9
        self.cap = 1e3 * max(problem.slopes)
        self.sifted = uses_sifting(problem, settings)
        self.words: dict[str, str] = {}  # options of HiGHS, of another method than simplex
        self._live: Any = None
        self.sizes = np.zeros(0)
        self.version = highs_version()

    def _start(self) -> None:
        """Set up a new program over the active points and all atoms."""
        problem, m, points = self.problem, self.problem.shape[0], np.flatnonzero(self.active)
        (low, high), R = problem.box, len(problem.rows)
        upper_fixed = float(len(points) < m)
        cost = np.concatenate(
            [-problem.a[points], problem.rows.h, [-m * float(problem.a @ self.fixed)]]
        )
        lower = np.concatenate([m * low[points], np.zeros(R), [0.0]])
        upper = np.concatenate([m * high[points], np.full(R, m * self.cap), [upper_fixed]])
        solver_settings = self._settings.for_solver(Budget(), MASTER_TOLERANCE)
        # x = from + turn y; where it is sifted, y is 0 or more, and its costs are 0 or less
        # (quantile loss on 20,000 x 50: 0.17 s, and 0.20 s without the turn)
        turned = self.sifted & (cost > 0.0)
        self._cost, self._turn = cost, np.where(turned, -1.0, 1.0)
        self._from = np.where(turned, upper, lower * self.sifted)
        if self.words:
            solver_settings = replace(solver_settings, solver_options=self.words)
            self._live = LiveProgram(boxed_program(cost, lower, upper), solver_settings)
        elif self.sifted:
            self._live = SiftedMaster(-np.abs(cost), upper - lower, solver_settings)
            self._live.sifting_size = HIGHS_ENTRIES
        else:
            self._live = live_program(
                boxed_program(cost, lower, upper), self._settings.solver, solver_settings
            )
        # the vector v of each variable: signs of the active points, prices, the sum of the others
        v = [sparse.csc_array(sparse.diags_array(problem.s))[:, points]]
        if R:
            v.append(-problem.rows.G.T)
        v.append(sparse.csc_array((m * problem.s * self.fixed)[:, None]))
        self._vectors = sparse.csr_array(sparse.hstack(v))
        # the slacks of rates: T'mu >= 0
        terms = problem.rows.T.T
        if K := terms.shape[0]:
            sides = sparse.csr_array((K, len(points))), terms, sparse.csr_array((K, 1))
            self._live.add(
                Cuts(sparse.csr_array(sparse.hstack(sides)), np.zeros(K), np.full(K, np.inf))
            )
        # the balance, then all atoms
        self.sizes = np.zeros(0)
        if problem.bias:
            self._append_rows(sparse.csc_array(np.ones((m, 1))), 0.0, 0.0)
        if self.images.shape[1]:
            self._append_rows(self.images, -np.inf, m * problem.beta)

    def _append_rows(self, images: sparse.csc_array, lower: float, upper: float) -> None:
        """Add the rows lower <= image'v <= upper of images (m, t)."""
        # a row is divided by its largest entry, rounded to a power of two
        largest = np.maximum.reduceat(np.append(np.abs(images.data), 0.0), images.indptr[:-1])
        sizes = np.exp2(np.round(np.log2(np.where(largest > 0.0, largest, 1.0))))
        rows: Any = sparse.csr_array(images.T @ self._vectors)
        rows.data /= np.repeat(sizes, np.diff(rows.indptr))
        low, high = lower / sizes, upper / sizes
        if self.sifted:
            # dense rows over y, with finite sides
            dense = rows.toarray()
            shift, floor = dense @ self._from, -1.0 - np.abs(dense) @ self._live.upper
            rows, low, high = dense * self._turn, np.maximum(low - shift, floor), high - shift
        self._live.add(Cuts(rows, low, high))
        self.sizes = np.concatenate([self.sizes, sizes])

    def add(self, cuts: Violated) -> None:
        """Append atoms and activate points."""
        if cuts.atoms.shape[1]:
            images = self.problem.images(cuts.atoms)
            self.atoms = sparse.csc_array(sparse.hstack([self.atoms, cuts.atoms]))
            self.images = sparse.csc_array(sparse.hstack([self.images, images]))
            if self._live is not None and not len(cuts.points):
                self._append_rows(images, -np.inf, self.problem.shape[0] * self.problem.beta)
        if len(cuts.points):
            self.active[cuts.points] = True
            self.fixed[cuts.points] = 0.0
            self._live = None

    def warm_start(self, fit: LinearFit) -> None:
        """Start the first solve from the basis of a fit. The master must contain only the atoms of
        this fit.
        """
        problem = self.problem
        self._start()
        # a point without a residual is basic; the sign of a residual determines the end of d
        r = problem.a - problem.s * problem.scores(fit.features, fit.w, fit.bias)
        # points with residuals next to 0 determine the basis of an earlier fit
        none = np.abs(r) <= 1e-7 * (1.0 + np.abs(problem.a))
        side = np.where((r > 0.0) == (self._turn[:-1] > 0.0), AT_UPPER, AT_LOWER)
        columns = np.append(np.where(none, BASIC, side), AT_LOWER)
        rows = np.full(len(self.sizes), AT_UPPER)
        self._live.hot_start(basis_words(columns), basis_words(rows))

    def switch_to_interior(self) -> None:
        """Solve by HiGHS's interior-point method from now on, each time from scratch."""
        self.words = {"solver": "ipm", "run_crossover": "off", "presolve": "on"}
        self.sifted, self._live = False, None

    def raise_cap(self) -> bool:
        """Increase the price of violated constraints. Return False if the price is already at its
        maximum.
        """
        if self.cap >= 1e9:
            return False
        self.cap *= 1e3
        self._live = None
        return True

    def solve(self, budget: Budget) -> MasterPoint:
        """The point x = (d of all points, mu) and the multipliers of the rows, in the units of the
        problem.
        """
        if self._live is None:
            self._start()
        point = self._live.solve(budget)
        if not isinstance(self._live, LiveProgram):
            self.version = self._live.version
        x = self._from + self._turn * point.x
        m, points = self.problem.shape[0], np.flatnonzero(self.active)
        d = self.fixed * x[-1]
        d[points] = x[: len(points)] / m
        mu = x[len(points) : -1] / m
        value = -float(self._cost @ x) / m
        multipliers = point.multipliers[len(self.problem.rows.owner) :] / self.sizes
        return MasterPoint(np.concatenate([d, mu]), multipliers, value)


def uses_sifting(problem: LinearProblem, settings: RunSettings) -> bool:
    """Whether sifting solves the master.

    Sifting requires dense features, no constraints, at most 20,000 points, and HiGHS without
    options or a log.
    """
    is_small = problem.shape[0] <= 20_000 and not len(problem.rows)
    return is_small and not is_sparse(problem.X) and plain_highs(settings)


@dataclass
class FeatureOracle:
    """The oracle. It prices all features and all data points at a solution of the master."""

    problem: LinearProblem
    incumbent: BestPoints
    master: FeatureMaster
    tol: float
    keys: set[tuple[bytes, bytes]] = field(default_factory=set)
    solved: sparse.csc_array | None = None  # the atoms of the last solved master

    def register(self, atoms: sparse.csc_array) -> sparse.csc_array:
        """Register the atoms that the master does not contain yet, and return them."""
        entering = []
        for t in range(atoms.shape[1]):
            part = slice(atoms.indptr[t], atoms.indptr[t + 1])
            key = atoms.indices[part].tobytes(), atoms.data[part].tobytes()
            if part.start < part.stop and key not in self.keys:
                self.keys.add(key)
                entering.append(t)
        return atoms[:, entering]

    def primal(self, multipliers: FloatArray) -> FloatArray:
        """Compute the coefficients and the intercept from the multipliers of the rows. Return the
        scores of all points. Better coefficients are stored.
        """
        theta = np.maximum(coefficients_of(multipliers), 0.0)
        bias = 0.0
        if self.problem.bias:
            bias, theta = float(coefficients_of(multipliers[:1])[0]), theta[1:]
        w = np.asarray(self.master.atoms @ theta).ravel()
        self.store(w, bias)
        return np.asarray(self.master.images @ theta).ravel() + bias

    def store(self, w: FloatArray, bias: float) -> None:
        """Store w (p,) and the intercept if they are better than the best so far."""
        best = self.incumbent
        features = np.flatnonzero(np.abs(w) > ZERO_WEIGHT * np.abs(w).max(initial=0.0))
        value = self.problem.primal_value(features, w[features], bias)
        if value < best.objective:
            best.features, best.w, best.bias, best.objective = features, w[features], bias, value

    def start_from(self, sample: BestPoints, d: FloatArray) -> None:
        """Store the coefficients of a sample of the points, and the bound of the weights d (m,)."""
        w = np.zeros(self.problem.shape[1])
        w[sample.features] = sample.w
        self.store(w, sample.bias)
        self.price(d, np.zeros(0))

    def drop_small(self) -> None:
        """Remove small coefficients, as many as the tolerance allows: an interior point has no
        zeros.
        """
        best = self.incumbent
        limit = max(best.objective, best.bound + 0.5 * self.tol * best.objective)
        for share in (1e-8, 1e-6, 1e-5, 1e-4):
            large = np.abs(best.w) > share * np.abs(best.w).max(initial=0.0)
            features, w = best.features[large], best.w[large]
            value = self.problem.primal_value(features, w, best.bias)
            if value > limit:
                break
            best.features, best.w, best.objective = features, w, value

    def price(self, d: FloatArray, mu: FloatArray) -> FloatArray:
        """The products X'v (p,) at a dual point, which is stored if its bound is the best."""
        gradient, best = self.problem.pricing(d, mu), self.incumbent
        bound = self.problem.dual_bound(d, mu, gradient)
        if bound > best.bound:
            best.d, best.mu, best.bound = d, mu, bound
        return gradient

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[Violated]:
        problem, master, best = self.problem, self.master, self.incumbent
        self.solved, m = master.atoms, problem.shape[0]
        d, mu = np.clip(point.x[:m], *problem.box), problem.rows.feasible(point.x[m:])
        # price all features: the bound, and the groups with the largest edges above beta
        gradient = self.price(d, mu)
        f = self.primal(point.multipliers)
        edges = problem.edges(gradient)
        violated = np.flatnonzero(edges > problem.beta * (1.0 + 0.1 * self.tol))
        if len(violated) > 50:  # in a round
            violated = violated[np.argpartition(-edges[violated], 50)[:50]]
        atoms = self.register(problem.atoms(violated, gradient))
        # price all points that are out: those whose residual has another sign than their weight
        r = problem.a - problem.s * f
        slack = 1e-9 * (1.0 + np.abs(problem.a))
        wrong = np.where(master.fixed > 0.0, r < -slack, r > slack) & ~master.active
        cuts = Violated(atoms, np.flatnonzero(wrong))
        if (
            not len(cuts)
            and mu.max(initial=0.0) >= (1.0 - 1e-9) * master.cap
            and master.raise_cap()
        ):
            # rows are violated at their price: once more at a higher one
            detail = {"added": 1.0, "price": master.cap}
            return Answer(_finite(best.objective), best.bound, None, detail)
        detail = {"points": float(master.active.sum())}
        return Answer(_finite(best.objective), best.bound, cuts if len(cuts) else None, detail)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The result of a method: the reason why it ended, the trace, the best points and the atoms of
    the last solved master, or None for the whole program.
    """

    reason: Reason
    trace: list[Record] | None
    best: BestPoints
    atoms: sparse.csc_array | None = None
    version: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def solve_sample(
    problem: LinearProblem, settings: RunSettings, budget: Budget, start: LinearFit | None
) -> tuple[BestPoints, BoolArray, FloatArray]:
    """The coefficients of a sample of the points, the points (m,) whose residuals these leave near
    0, and the weights (m,) of the others, which are at an end of the box.
    """
    m = problem.shape[0]
    chosen = np.random.default_rng(settings.seed).choice(m, SAMPLE, replace=False)
    # a coarse solution of the sample is enough
    loose = RunSettings(tol=1e-2, solver=settings.solver, seed=settings.seed)
    part = generate(problem.sample_rows(np.sort(chosen)), loose, budget, start).best
    r = problem.a - problem.s * problem.scores(part.features, part.w, part.bias)
    share = min(1.0, max(SAMPLE / m, np.sqrt((len(part.features) + 1) / SAMPLE)))
    near = np.abs(r) <= np.quantile(np.abs(r), share)
    return part, near, np.where(r > 0.0, problem.box[1], problem.box[0])


def generate(
    problem: LinearProblem,
    settings: RunSettings,
    budget: Budget,
    start: LinearFit | None = None,
    weights: FloatArray | None = None,
) -> Ending:
    """Generate atoms and points until the gap is within the tolerance. The first master contains
    the atoms of the earlier fit ``start``; gradient steps begin at its dual ``weights`` (m,).
    """
    m, p = problem.shape
    atoms = sparse.csc_array((p, 0)) if start is None else _atoms_of(problem, start)
    active, fixed, part = np.ones(m, dtype=np.bool_), np.zeros(m), None
    if m > WHOLE_POINTS and not len(problem.rows) and not uses_sifting(problem, settings):
        part, active, fixed = solve_sample(problem, settings, budget, start)
        atoms = _atoms_of(problem, part)
    master = FeatureMaster(problem, active, fixed, settings)
    oracle = FeatureOracle(problem, BestPoints.trivial(problem), master, settings.tol)
    if atoms.shape[1]:
        master.add(Violated(oracle.register(atoms), np.zeros(0, dtype=np.intp)))
    if part is not None:  # an answer, if a limit ends the first program
        oracle.start_from(part, fixed)
    if start is not None and master.sifted:
        master.warm_start(start)
    stops = settings.stops(settings.gap_reached(), NOTHING_ADDED)
    failures: list[RadprogError] = []
    # a large gap at many columns: far from the end. Of dense features, pivots cost more
    text, plain = is_sparse(problem.X), not problem.grouped and not len(problem.rows)
    # our interior points keep small coefficients of the hinge loss, which is flat on a side: the
    # whole program by HiGHS (700 rows, 1,299 columns of levels: 3.7 s, and 72 by pivots)
    use_highs = text or min(problem.slopes) <= 0.0
    free = all(side.all() for side in problem.allowed)
    rough = text and plain and free and settings.tol >= 1e-3 and plain_highs(settings)
    limit = 225.0 if use_highs and not rough else 60.0
    # text 2,000 x 27,516, beta 1e-4: 3.5 s, and more than 60 s by simplex pivots alone
    # 5,000 points or features make 200 MB of normal equations
    dense = min(m, p) <= 5000 and free and m * p <= (5_000_000 if use_highs else 50_000_000)

    def is_far(trace: Sequence[Record]) -> bool:
        # before the first program too, if our interior points follow
        gap = (trace[-1].gap or 0.0) if trace else float(dense and not use_highs)
        return master.atoms.shape[1] * gap > limit

    far = Stop(Reason.STALLED, is_far)
    rules = [*stops, far] if plain and plain_highs(settings) and (text or dense) else stops
    loop = Loop(rules, budget, settings.observe, failures, needed=part is None)
    # a loose tolerance, as for folds: the first program of many features would take longer than
    # gradient steps from their earlier coefficients; a gap of 1e-4 takes as long by such steps
    skipped = start if rough and start is not None and len(start.w) > 50 else None
    if skipped is None:
        exchange(master, oracle, loop)
    if skipped is not None or (rough and loop.reason is Reason.STALLED):
        best, d = skipped or oracle.incumbent, oracle.incumbent.d
        if skipped is not None:
            r = problem.a - problem.s * problem.scores(best.features, best.w, best.bias)
            d = np.where(r > 0.0, problem.box[1], problem.box[0]) if weights is None else weights
        w = np.zeros(p)
        w[best.features] = best.w
        points = primal_dual_points(problem, w, best.bias, d)
        loop = follow_points(oracle, points, "gradient", loop, stops, limit=60)
    if loop.reason is Reason.STALLED and use_highs:
        # the atoms of all features, with both signs
        blocks = [problem.atoms(np.arange(p), np.full(p, sign)) for sign in (1.0, -1.0)]
        missing = oracle.register(sparse.csc_array(sparse.hstack(blocks)))
        master.switch_to_interior()
        master.add(Violated(missing, np.zeros(0, dtype=np.intp)))
        loop = Loop(stops, budget, settings.observe, failures, trace=loop.trace)
        exchange(master, oracle, loop)
        oracle.drop_small()
    elif loop.reason is Reason.STALLED:
        rules = [*interior_stops(settings), *stops[1:]]
        loop = follow_points(oracle, interior_start(oracle), "interior", loop, rules, limit=50)
        if loop.reason in (Reason.STALLED, Reason.SOLVER):  # by rounding: pivots go on
            loop = Loop(stops, budget, settings.observe, failures, trace=loop.trace)
            exchange(master, oracle, loop)
        oracle.drop_small()
    reason, trace = loop.reason, loop.trace
    warnings = tuple(f"column generation ended early: {failure}" for failure in failures)
    return Ending(
        reason=reason, trace=trace, best=oracle.incumbent, atoms=oracle.solved,
        version=master.version, options=master.words, warnings=warnings,
    )  # fmt: skip


def interior_stops(settings: RunSettings) -> tuple[Stop, Stop]:
    """Stop at a gap at which the small coefficients can be left out, or at one within the
    tolerances that no longer falls.
    """
    tight = replace(settings, tol=1e-3 * settings.tol, abs_tol=1e-3 * settings.abs_tol)
    gap_reached = settings.gap_reached()

    def has_stalled(trace: Sequence[Record]) -> bool:
        if len(trace) < 3 or not gap_reached.holds(trace):
            return False
        return (trace[-1].gap or 0.0) > 0.5 * (trace[-3].gap or 0.0)

    return tight.gap_reached(), Stop(Reason.TOLERANCE, has_stalled)


def interior_start(oracle: FeatureOracle) -> Points:
    """The points of the interior-point method, beginning with the features of the master."""
    problem, best = oracle.problem, oracle.incumbent
    edges = problem.edges(problem.pricing(best.d, best.mu))
    start = best.d / max(1.0, edges.max() / problem.beta)
    return interior_points(problem, np.unique(oracle.master.atoms.indices), start)


def follow_points(
    oracle: FeatureOracle, points: Points, name: str, prior: Loop, stops: Sequence[Stop], limit: int
) -> Loop:
    """Certify up to ``limit`` points of the method ``name``: "interior" or "gradient".

    ``prior`` is the loop of column generation. The reason is STALLED if the points are not enough,
    and STALLED or SOLVER if rounding errors stop the method.
    """
    problem, best = oracle.problem, oracle.incumbent
    cap = Stop(Reason.STALLED, lambda trace: len(trace) >= len(prior.trace) + limit)
    trace, needed = [*prior.trace], prior.needed and not prior.trace
    loop = Loop([*stops, cap], prior.budget, prior.observe, [], needed=needed, trace=trace)
    for number in loop:
        with loop.round():
            d, features, w, bias = next(points)
            coefficients = np.zeros(problem.shape[1])
            coefficients[features] = w
            oracle.solved = oracle.master.atoms  # the features of the points
            oracle.price(d, np.zeros(0))
            oracle.store(coefficients, bias)
            detail = {name: float(len(features)), "points": float(len(d))}
            seconds = loop.budget.seconds
            loop.trace.append(Record(number, seconds, best.objective, best.bound, detail))
    return loop


def _atoms_of(problem: LinearProblem, fit: LinearFit | BestPoints) -> sparse.csc_array:
    """The atoms of the groups in which a fit has nonzero coefficients, with the signs of these
    coefficients.
    """
    gradient = np.zeros(problem.shape[1])
    gradient[fit.features] = fit.w
    return problem.atoms(np.unique(problem.group[fit.features]), gradient)


def solve_whole(problem: LinearProblem, settings: RunSettings, budget: Budget) -> Ending:
    """Solve the whole primal program with one solver. Both points are certified afterwards."""
    from radprog.models.linear.programs import build_primal
    from radprog.solvers.compile import compile_model  # loads pyomo
    from radprog.solvers.program import Status
    from radprog.solvers.registry import solve_program

    name, best, (m, p) = settings.solver or "highs", BestPoints.trivial(problem), problem.shape
    solution = solve_program(
        compile_model(build_primal(problem)), name, settings.for_solver(budget, MASTER_TOLERANCE)
    )
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    if solution.x is None:
        budget.check()
        raise SolverError(f"{name} gave no point of the whole program: {solution.message}")
    # w are the first variables, d and mu the multipliers of the first rows
    w = solution.x[:p] - solution.x[p : 2 * p]
    best.bias = float(solution.x[2 * p]) if problem.bias else 0.0
    best.features = np.flatnonzero(np.abs(w) > ZERO_WEIGHT * np.abs(w).max(initial=0.0))
    best.w = w[best.features]
    if solution.row_duals is not None:
        best.d = np.clip(solution.row_duals[:m], *problem.box)
        mu = coefficients_of(solution.row_duals[m : m + len(problem.rows)])
        best.mu = problem.rows.feasible(mu)
    reason = budget.reason if cut and budget.spent() else Reason.SOLVER
    return Ending(reason=reason, trace=None, best=best, version=solution.version)


def fit_linear(spec: L1Linear, data: Data, settings: RunSettings) -> Run:
    """Fit by ``settings.method`` (colgen, direct) and certify the result.

    Raises SettingError with a conflict if no coefficients satisfy the constraints, and
    UnfinishedError if a limit ends the run before its first step.
    """
    method = settings.method_of(spec)
    budget = settings.budget()
    with first_step(budget):
        problem = assemble(spec, data)
        budget.kernels = budget.seconds
        start, weights = settings.start, None
        if isinstance(start, Run):  # the one before on a path; its d may violate the new beta
            weights = min(1.0, spec.beta / start.spec.beta) * np.array(start.evidence["d"])
            start = start.fit
        same_columns = isinstance(start, LinearFit) and start.columns == problem.shape[1]
        if start is not None and not same_columns:
            raise DataError("start: expected a linear fit of the same number of features")
        if method == "colgen":
            solved = generate(problem, settings, budget, start, weights)
        else:
            solved = solve_whole(problem, settings, budget)
        # no coefficients may satisfy the rows: a conflict among them
        ended = method == "colgen" and not solved.reason.premature
        if ended and not np.isfinite(solved.best.objective):
            refuse_rows_of(problem, settings, budget)
    outcome = outcome_of(spec, data, problem, solved, settings)
    return packed(spec, settings, budget, outcome)


def refuse_rows_of(problem: LinearProblem, settings: RunSettings, budget: Budget) -> None:
    """Raise SettingError with a conflict if no coefficients satisfy the constraints."""
    bias = float(problem.bias)

    def images(G: sparse.csr_array) -> FloatArray:
        image = G @ problem.X
        image = image.toarray() if is_sparse(image) else image
        return np.hstack([np.asarray(image), bias * G.sum(axis=1)[:, None]])

    lower, upper = problem.allowed
    low = np.append(np.where(lower, -np.inf, 0.0), -np.inf)
    high = np.append(np.where(upper, np.inf, 0.0), np.inf)
    refuse_conflict(problem.rows, images, settings, budget, (low, high))


def fit_grid(
    specs: Sequence[L1Linear], data: Data, settings: RunSettings
) -> Iterator[tuple[L1Linear, Attempt]]:
    """The runs of all specs. Specs that differ only in beta form a path, from the largest beta to
    the smallest. Each fit of a path starts from the previous one.
    """
    paths: dict[L1Linear, list[L1Linear]] = {}
    for spec in specs:
        paths.setdefault(replace(spec, beta=1.0), []).append(spec)
    for members in paths.values():
        inner = settings
        for spec in sorted(members, key=lambda spec: -spec.beta):
            run = attempted(fit_linear, spec, data, inner)
            yield spec, run
            # only column generation starts from a fit
            if isinstance(run, Run) and settings.method in (None, "colgen"):
                inner = replace(settings, start=run)


def outcome_of(
    spec: L1Linear, data: Data, problem: LinearProblem, solved: Ending, settings: RunSettings
) -> Outcome:
    """The outcome for the best points, with the objective and bound recomputed from the data."""
    best = solved.best
    objective = problem.primal_value(best.features, best.w, best.bias)
    bound = problem.dual_bound(best.d, best.mu, problem.pricing(best.d, best.mu))
    classes = spec.loss == "hinge"
    fit = LinearFit(
        features=best.features, w=best.w, bias=best.bias, columns=problem.shape[1],
        classes=classes, quantile=spec.slopes[0] if spec.loss == "quantile" else None,
    )  # fmt: skip
    f = problem.scores(best.features, best.w, best.bias)
    # the largest coefficients, each with the name or the index of its feature
    names, order = getattr(data, "features", ()), np.argsort(-np.abs(best.w), kind="stable")[:20]
    chosen = zip(best.features[order].tolist(), best.w[order].tolist(), strict=True)
    summary: dict[str, Any] = {
        "coefficients": len(best.w),
        "groups": len(np.unique(problem.group[best.features])),
        "norm": problem.norm(best.features, best.w),
        "bias": best.bias,
        "largest": [(names[j] if names else str(j), w) for j, w in chosen],
    }
    if classes:
        summary |= training_block(f, signs(f), data.signs, data.weights)
    else:
        summary |= regression_errors(f, data.targets, data.weights, fit.quantile)
    evidence: dict[str, Any] = {
        "features": best.features.tolist(), "w": best.w.tolist(), "bias": best.bias,
        "d": best.d.tolist(),
    }  # fmt: skip
    extra: dict[str, Any] = {}
    if len(problem.rows):
        evidence["mu"] = best.mu.tolist()
    if spec.constraints:
        given = problem.rows.given
        labels, values = list(problem.rows.of[:given]), problem.rows.activity(f)[:given].tolist()
        prices = best.mu[:given].tolist()
        # a sign's price: the edge that its coefficient would have with the other sign, above beta
        gradient, w = problem.pricing(best.d, best.mu), np.zeros(problem.shape[1])
        w[best.features] = best.w
        edges = problem.edges(gradient)[problem.group]
        for row in spec.constraints:
            if isinstance(row, CoefficientSign):
                j, away = row.feature, max(0.0, -row.sign * float(gradient[row.feature]))
                labels.append(row.name)
                values.append(-row.sign * w[j])
                prices.append(max(0.0, edges[j] + away - problem.beta) if away else 0.0)
        sides = np.append(problem.rows.h[:given], np.zeros(len(labels) - given))
        extra["constraints"] = constraint_values(labels, np.array(values), sides, np.array(prices))
    name = settings.solver or "highs"
    options = {str(key): str(value) for key, value in settings.solver_options.items()}
    options |= solved.options
    warnings = solved.warnings
    if not classes and not len(best.features):
        warnings += ("the fit uses no feature and predicts one value: choose a smaller beta",)
    return Outcome(
        objective=_finite(objective),
        bound=bound,
        fit=fit,
        summary=summary,
        evidence=evidence,
        program=partial(build_dual, problem, solved.atoms),
        trace=solved.trace,
        reason=solved.reason,
        solver=SolverUse(name, solved.version, options),
        columns=2 * problem.shape[1] if solved.atoms is None else int(solved.atoms.shape[1]),
        warnings=warnings,
        extra=extra,
    )


def recompute_linear(
    spec: L1Linear, data: Data, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The objective and bound of the stored points, recomputed from the data."""
    problem = assemble(spec, data)
    return outcome_at(spec, data, problem, *stored_point(problem, evidence))


def outcome_at(
    spec: L1Linear, data: Data, problem: LinearProblem, features: IntArray, w: FloatArray,
    bias: float, d: FloatArray, mu: FloatArray,
) -> Outcome:  # fmt: skip
    """The outcome for coefficients w (k,) of ``features``, the intercept, d (m,) and mu (R,)."""
    best = BestPoints(features, w, bias, d, mu, 0.0, 0.0)
    solved = Ending(reason=Reason.SOLVER, trace=None, best=best)
    return outcome_of(spec, data, problem, solved, RunSettings())
