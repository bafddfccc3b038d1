"""The convex-concave procedure on signed bounded losses, for many sign vectors and starts.

The procedure is Algorithm 1 of the paper, run by the driver ``dca``. It alternates between the
slopes (6) and the step (8) until the true objective stops decreasing. A step solves a hinge
regression for the whole batch (:mod:`radprog.solvers.dense.hinges`), subject to |w|^2 <= A. After
the step, the intercept is replaced by an exact minimiser of the true objective. Each computed
supremum is attained by a function of the class. It is therefore a lower bound on the true supremum.

Suprema over one class are related. The best functions for some sign vectors are therefore used as
starting points for others (:func:`fit_signs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from radprog.base.limits import OutOfBudget, single_threaded
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.loop import (
    Budget,
    Reason,
    Record,
    Stop,
    Watcher,
    max_iterations,
    run,
)
from radprog.decompositions.run import RunSettings
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import answers
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.instances.dataset import Dataset
from radprog.models.regression.problem import (
    Hinges,
    RegressionClass,
    bounded_loss_bias,
    convex_part,
    piece,
    slopes,
    tangent_constant,
)
from radprog.models.regression.programs import build_step, build_step_ivanov, tikhonov_radius
from radprog.solvers.dense.active_hinges import HIGH_RANK, solve_hinges_of_rank
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution
from radprog.solvers.registry import solve_model


@dataclass(frozen=True, kw_only=True)
class Radius:
    """The constraint |w|^2 <= A of problem (3), or the objective 1/2 |w|^2 + C times the losses of
    problem (4).
    """

    A: float | None = None
    C: float | None = None

    def norm(self, n: float) -> float:
        """A bound on |w|^2 that holds throughout every descent."""
        return tikhonov_radius(self.C or 0.0, n) if self.A is None else self.A

    def price(self, up: float) -> float:
        """The weight of |w|^2 / 2 relative to the hinges (losses times up). It is 0 for problem
        (3).
        """
        return 0.0 if self.C is None else up / self.C

    def objective(self, problem: RegressionClass, x: FloatArray, signs: FloatArray) -> FloatArray:
        """The true objective (B,) at x (B, r + 1) for sign vectors (B, n)."""
        return self.total(x, problem.objective(problem.functions(x), signs))

    def total(self, x: FloatArray, losses: FloatArray) -> FloatArray:
        """The objective for losses (B,) or (..., B) at x (B, r + 1)."""
        if self.C is None:
            return losses
        norms: FloatArray = np.einsum("ij,ij->i", x[:, :-1], x[:, :-1])
        return 0.5 * norms + self.C * losses


def far_kink(problem: RegressionClass, A: float) -> float:
    """A value greater than all |h_i|. A hinge that starts there has no effect."""
    low, high = problem.bias_box(A)
    return 4.0 * (high - low) + float(np.abs(problem.y).max()) + 1.0


@dataclass(frozen=True)
class StepCounts:
    """The numbers and accuracies of the convex steps."""

    solved: int = 0
    doubtful: int = 0
    worst_gap: float = 0.0

    def joined(self, other: StepCounts) -> StepCounts:
        """The combined numbers of two descents."""
        return StepCounts(
            self.solved + other.solved,
            self.doubtful + other.doubtful,
            max(self.worst_gap, other.worst_gap),
        )


@dataclass(kw_only=True)
class SignedFits:
    """The problem for a batch of sign vectors (B, n): its objective, majoriser and starting points.

    If ``settings`` name a registered solver, this solver solves the explicit program of each step.
    """

    problem: RegressionClass
    signs: FloatArray
    radius: Radius
    settings: RunSettings = field(default_factory=RunSettings)
    steps: StepCounts = field(default_factory=StepCounts)

    def __post_init__(self) -> None:
        self.previous: tuple[IntArray, HingeSolution] | None = None  # rows of the step before
        problem, counts = self.problem, np.abs(self.signs)
        # weights of points enter as costs of their hinges
        weighed = not np.isin(counts, (0.0, 1.0)).all()
        self.costs = counts[0] if weighed else None  # of all rows the same
        self.norm = self.radius.norm(float(counts[0].sum()) if weighed else problem.n)
        self.box = problem.bias_box(self.norm)
        far = far_kink(problem, self.norm)
        self.hinges = convex_part(problem.y, self.signs, problem.loss, far)
        self.flat = self.norm == 0.0 or problem.rank == 0
        self.scale = (1.0 if self.radius.C is None else self.radius.C) / problem.loss.up

    def objective(self, x: FloatArray, rows: IntArray) -> FloatArray:
        """The true objective (b,) at x (b, r + 1) for the rows (b,)."""
        return self.radius.objective(self.problem, x, self.signs[rows])

    def objectives(self, x: FloatArray) -> FloatArray:
        """The true objective (B, P) of each sign vector at each point x (P, r + 1)."""
        losses = -self.signs @ self.problem.loss(self.problem.y - self.problem.functions(x)).T
        return self.radius.total(x, losses)

    def majorise(
        self, x: FloatArray, rows: IntArray, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """Compute the slopes (6) at x. Return the minimiser of (8) with its best intercept, and the
        minimum.

        At x, the majoriser equals the current objective. If an inaccurate step has a larger value,
        x is kept and the descent of this row ends.
        """
        problem, signs = self.problem, self.signs[rows]
        if self.flat:
            x = self.with_best_bias(np.zeros_like(x), rows)
            return x, self.objective(x, rows)
        # (6): the slopes of the concave part at the iterate, and the constant of the tangent
        h = problem.functions(x)
        c = slopes(h, problem.y, signs, problem.loss)
        tangent = tangent_constant(h, problem.y, signs, problem.loss, c)
        # (8): the convex step
        moved, model = self.step(c, tangent, rows, budget)
        # where a loss just ends, both of its slopes are possible: with integer targets one may
        # descend where the other does not
        wider = replace(problem.loss, up=problem.loss.up * (1.0 + 1e-9))
        wide_slopes = slopes(h, problem.y, signs, wider)
        ends = np.flatnonzero((wide_slopes != c).any(axis=1))
        if ends.size:
            tangent = tangent_constant(h, problem.y, signs, problem.loss, wide_slopes)[ends]
            retried, value = self.step(wide_slopes[ends], tangent, rows[ends], budget)
            best = value < model[ends]
            moved[ends[best]], model[ends[best]] = retried[best], value[best]
        # keep the iterate where the step was solved so badly that its value rose
        present = self.objective(x, rows)
        better = model <= present
        return np.where(better[:, None], moved, x), np.where(better, model, present)

    def step(
        self, c: FloatArray, tangent: FloatArray, rows: IntArray, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """The minimisers (b, r + 1) of steps with slopes c (b, n), with the best intercepts, and
        the minima.
        """
        solve = self._one_by_one if self.settings.solver else self._batched
        x, model = solve(c, tangent, rows, self.hinges.take(rows), budget)
        return self.with_best_bias(x, rows), model

    def with_best_bias(self, x: FloatArray, rows: IntArray) -> FloatArray:
        """The points x, each with the best intercept for the true objective if this improves it."""
        problem, signs = self.problem, self.signs[rows]
        g = x[:, :-1] @ problem.factor.T
        b, value = bounded_loss_bias(g, problem.y, signs, problem.loss)
        # kept where it is no better: ties would move for ever
        present = problem.objective(g + x[:, -1:], signs)
        return np.concatenate([x[:, :-1], np.where(value <= present, b, x[:, -1])[:, None]], axis=1)

    def program(self, hinges: Hinges, c: FloatArray) -> HingeProgram:
        """The programs of steps with slopes c (b, n). The objective of a step is ``scale`` times
        the objective of its program.
        """
        return HingeProgram(
            F=self.problem.factor,
            t1=hinges.t1,
            t2=hinges.t2,
            c=c,
            box=self.box,
            radius=float(np.sqrt(self.norm)),
            price=self.radius.price(self.problem.loss.up),
            costs=self.costs,
            gram=self.problem.gram if self.problem.rank >= HIGH_RANK else None,
        )

    def _batched(
        self, c: FloatArray, tangent: FloatArray, rows: IntArray, hinges: Hinges, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        # warm start: the solution of the step before, if of the same rows, differs by a few slopes
        start = None
        if self.previous is not None and np.isin(rows, self.previous[0]).all():
            start = self.previous[1].take(np.searchsorted(self.previous[0], rows))
        solution = solve_hinges_of_rank(
            self.program(hinges, c),
            tolerance=1e-9,  # gap of a convex step of bounded losses, relative to 1 + |value|
            poll=budget.check,
            start=start,
        )
        self.previous = rows, solution
        # count the steps whose relative duality gap is above 1e-6: the result warns of them
        gaps = (solution.value - solution.bound) / (1.0 + np.abs(solution.value))
        doubtful, worst = int((gaps > 1e-6).sum()), float(gaps.max(initial=0.0))
        self.steps = self.steps.joined(StepCounts(len(rows), doubtful, worst))
        x = np.concatenate([solution.w, solution.b[:, None]], axis=1)
        return x, self.scale * (solution.value + hinges.constant + tangent)

    def _one_by_one(
        self, c: FloatArray, tangent: FloatArray, rows: IntArray, hinges: Hinges, budget: Budget
    ) -> tuple[FloatArray, FloatArray]:
        """Solve each step as an explicit program with a registered solver."""
        problem, A = self.problem, self.radius.A
        x, up = np.zeros((len(rows), problem.rank + 1)), problem.loss.up
        for k, row in enumerate(rows):
            budget.check()
            signs = self.signs[row]
            if A is None:
                model = build_step(problem, signs, c[k], self.scale, float(tangent[k]))
            else:
                model = build_step_ivanov(problem, signs, c[k], A, float(tangent[k]))
            solution = solve_model(
                model, self.settings.solver or "", self.settings.for_solver(budget)
            )
            if solution.x is not None:
                x[k] = solution.x[: problem.rank + 1]
            budget.check()
        # solvers leave the ball by their tolerance: scale back onto it, and evaluate the step
        if A is not None:
            norms = np.sqrt(np.einsum("ij,ij->i", x[:, :-1], x[:, :-1]) / A)
            x[:, :-1] /= np.maximum(norms, 1.0)[:, None]
        h = problem.functions(x)
        losses = (hinges.value(h) + (c * h).sum(axis=1) + tangent) / up
        self.steps = self.steps.joined(StepCounts(len(rows)))
        return x, self.radius.total(x, losses)

    def constants(self) -> FloatArray:
        """The best constant functions, as points (B, r + 1)."""
        x = np.zeros((len(self.signs), self.problem.rank + 1))
        return self.with_best_bias(x, np.arange(len(x)))

    def start(self, kind: int, rng: np.random.Generator, budget: Budget) -> FloatArray:
        """Starting points (B, r + 1) of one of seven kinds. No single kind leads to the best
        optimum in all cases.

        - 0: a step with slopes 0, that is, support vector regression on the minimised losses
        - 1: the median of y as a constant function; its intercept is not optimised
        - 2: the best constant function, that is, the optimum for A = 0
        - 3: the optimum of a random convex piece with a random share of the minimised losses
          saturated
        - 4: a step whose slopes are the signs of a random smooth function; for minimised losses,
          only the signs of its largest values
        - 5: like 4, but with white noise in place of the smooth function
        - 6: a random function with |w|^2 = A and a random intercept
        """
        problem, signs = self.problem, self.signs
        self.previous = None
        B, rows = len(signs), np.arange(len(signs))
        x, none = np.zeros((B, problem.rank + 1)), np.zeros(B)
        if kind == 2 or self.flat:
            return self.constants()
        if kind == 0:
            return self.step(np.zeros_like(signs), none, rows, budget)[0]
        # the median of y, weighted as the points are
        costs = np.ones(problem.n) if self.costs is None else self.costs
        order = np.argsort(problem.y, kind="stable")
        passed, half = np.cumsum(costs[order]), float(costs.sum()) / 2.0
        low, high = np.searchsorted(passed, half), np.searchsorted(passed, half, side="right")
        upper = order[min(int(high), problem.n - 1)]
        x[:, -1] = (problem.y[order[low]] + problem.y[upper]) / 2.0
        if kind == 1:
            return x
        w, share = rng.standard_normal((B, problem.rank)), rng.uniform(size=(B, 1))
        if kind == 3:
            # a random choice of convex pieces, one for each point
            chance = np.where(signs > 0, 0.5, share)
            choice = (rng.uniform(size=signs.shape) < chance).astype(np.intp)
            hinges = piece(problem.y, signs, problem.loss, far_kink(problem, self.norm), choice)
            return self._batched(np.zeros_like(signs), none, rows, hinges, budget)[0]
        if kind == 6:
            length = np.sqrt(self.norm if self.radius.C is None else self.norm / 3.0)
            x[:, :-1] = w * (length / np.linalg.norm(w, axis=1))[:, None]
            x[:, -1] += rng.uniform(-1.0, 1.0, B) * (np.ptp(problem.y) + problem.loss.up)
            return x
        # kinds 4 and 5: slopes by the signs of a pattern
        pattern = w @ problem.factor.T if kind == 4 else rng.standard_normal(signs.shape)
        ranks = np.abs(pattern).argsort(axis=1).argsort(axis=1) / problem.n
        slope = np.where(pattern < 0, -1.0, 1.0)
        c = np.where(signs > 0, slope, np.where((signs < 0) & (ranks >= share), slope, 0.0))
        c = c * np.abs(signs)
        return self.step(c, none, rows, budget)[0]

    def starts(
        self, kinds: Sequence[int], rng: np.random.Generator, budget: Budget
    ) -> list[FloatArray]:
        """Starting points of the given kinds."""
        points = [self.start(kind, rng, budget) for kind in kinds]
        if list(kinds) != [0]:  # random steps are not neighbours of those that follow
            self.previous = None
        return points


def start_kinds(starts: int, carried: bool, among: bool = False) -> list[int]:
    """The kinds of the ``starts`` starting points. The first kind is always used.

    If ``carried`` is True, a solution of another problem is an additional start. It is at least as
    good as the best constant, so this constant is omitted. If ``among`` is True, several sign
    vectors exchange functions. Both constants are then omitted, because random starts are more
    diverse.
    """
    # without the median (1) and the best constant (2), or the latter alone
    left_out = {1, 2} if among else {2} if carried else set()
    order = [k for k in range(7) if k not in left_out]
    # the last four kinds are random, and drawn again
    fixed = len(order) - 4
    return [order[k if k < fixed else fixed + (k - fixed) % 4] for k in range(starts)]


@dataclass(frozen=True)
class Fits:
    """The best points (B, r + 1) with their objectives (B,), and the step counts of the descents.

    ``distinct`` (B,) contains the number of distinct starting points of each sign vector.
    """

    x: FloatArray
    values: FloatArray
    reason: Reason
    trace: list[Record]
    steps: StepCounts
    distinct: IntArray

    @property
    def cut(self) -> bool:
        """Whether a time limit or an interrupt ended the descent."""
        return self.reason in (Reason.TIME_LIMIT, Reason.INTERRUPT)


#: The best values (B,) of sign vectors -> the objective of a trace record: by default the smallest.
Monitor = Callable[[FloatArray], float]


def descend_from(
    fits: SignedFits,
    budget: Budget,
    starts: Sequence[FloatArray],
    *,
    limit: int | None = None,
    offset: int = 0,
    monitor: Monitor = np.min,
) -> Fits:
    """Descend from several starts (B, r + 1), and keep the best end point of each sign vector.

    ``limit`` is the maximum number of iterations. ``offset`` is the number of the first trace
    record. If several starts are equal, only the first is used. If the budget runs out, the descent
    ends at the current points. Raises OutOfBudget if no step was made.
    """
    # one batch: every sign vector from every start
    count, B = len(starts), len(fits.signs)
    tiled = replace(fits, signs=np.tile(fits.signs, (count, 1)))
    tiled.previous = fits.previous if count == 1 else None
    batch = Batch.of(np.concatenate(starts), tiled.objective)
    # starts of a row nearer to an earlier one than this, relative to their largest entry, are one
    points, same = np.stack(starts), np.zeros((count, B), dtype=bool)
    for k in range(1, count):
        apart = np.abs(points[:k] - points[k]).max(axis=2)
        same[k] = (apart <= 1e-6 * (1.0 + np.abs(points[k]).max(axis=1))).any(axis=0)
    batch.active[:] = ~same.ravel()
    # a row ends when its objective falls by no more than this, relative
    step = dca_step(batch, tiled.objective, tiled.majorise, tolerance=1e-8)

    def record_step(iteration: int, budget: Budget) -> Record:
        record = step(iteration, budget)
        best = batch.objective.reshape(count, B).min(axis=0)
        return replace(record, iteration=offset + iteration, objective=float(monitor(best)))

    stops: list[Stop] = [none_active(batch), *([] if limit is None else [max_iterations(limit)])]
    # Algorithm 1: slopes and convex steps, until no row moves
    reason, trace = run(record_step, stops, budget, fits.settings.observe, needed=True)
    # the best end of each sign vector
    values = batch.objective.reshape(count, B)
    chosen = values.argmin(axis=0)
    rows = np.arange(B)
    x = batch.x.reshape(count, B, -1)[chosen, rows]
    distinct = count - same.sum(axis=0)
    return Fits(x, values[chosen, rows], reason, trace, tiled.steps, distinct)


def fit_signs(
    fits: SignedFits,
    budget: Budget,
    *,
    starts: int,
    rng: np.random.Generator,
    carried: Sequence[FloatArray] = (),
    monitor: Monitor = np.min,
) -> Fits:
    """Descend from ``starts`` points per sign vector, and keep the best of each.

    With several sign vectors, (starts - 1) // 2 of these points come from other sign vectors.
    ``carried`` contains additional starts (B, r + 1). The result is at least as good as these
    starts. After two steps of every descent, the functions of other sign vectors are tried for each
    sign vector. Its descent continues from the best of these functions and from its own point. This
    is repeated for every start taken from another sign vector. The last descent continues until it
    converges. If the budget runs out or ``max_iter`` iterations are reached, the best points so far
    are returned. Raises OutOfBudget if no step was made.
    """
    rounds, limit = (starts - 1) // 2 if len(fits.signs) > 1 else 0, fits.settings.max_iter

    def descend_further(count: int, points: Sequence[FloatArray], trace: Sequence[Record]) -> Fits:
        """Run the next descent; ``count`` exchanges remain."""
        steps = None if limit is None else limit - len(trace)
        if count:  # two steps of every descent, after which an exchange follows
            steps = 2 if steps is None else min(2, steps)
        offset = len(trace)
        return descend_from(fits, budget, points, limit=steps, offset=offset, monitor=monitor)

    # descents of starting points of every sign vector's own
    kinds = start_kinds(starts - rounds, bool(carried), among=rounds > 0)
    ends = descend_further(rounds, [*carried, *fits.starts(kinds, rng, budget)], [])
    fits = replace(fits, steps=StepCounts())
    for count in reversed(range(rounds)):
        if ends.cut or (limit is not None and len(ends.trace) >= limit):
            break
        # exchange: beside its own best point each descends from the best that others have reached
        try:
            exchanged, tried = exchange_functions(fits, ends.x, budget)
            continued = descend_further(count, [ends.x, exchanged], ends.trace)
        except OutOfBudget:
            return replace(ends, reason=budget.reason)
        ends = replace(
            continued,
            trace=[*ends.trace, *continued.trace],
            steps=ends.steps.joined(tried).joined(continued.steps),
            distinct=ends.distinct + continued.distinct - 1,
        )
    return ends


def exchange_functions(
    fits: SignedFits, x: FloatArray, budget: Budget
) -> tuple[FloatArray, StepCounts]:
    """The best point (B, r + 1) for each sign vector after one step from functions of other sign
    vectors.

    The negatives of these functions are included. The steps start from the six functions with the
    smallest objectives. x (B, r + 1) contains the current function of each sign vector.
    """
    # the objective of every sign vector at the functions of others, its own left out
    B, pool = len(x), x[:200]  # functions that others try
    functions = np.concatenate([pool, -pool])
    values = fits.objectives(functions)
    np.fill_diagonal(values[:, : len(pool)], np.inf)
    # one step from the best six of them, of which the best end is the new start
    order = np.argsort(values, axis=1, kind="stable")[:, :6].T
    copies = replace(fits, signs=np.tile(fits.signs, (len(order), 1)), steps=StepCounts())
    rows = np.arange(order.size)
    moved, _ = copies.majorise(functions[order.ravel()], rows, budget)
    best = copies.objective(moved, rows).reshape(-1, B).argmin(axis=0)
    return moved.reshape(-1, B, x.shape[1])[best, np.arange(B)], copies.steps


#: The indices of the items of a block, and the seed of its random numbers.
Block = tuple[range, int | tuple[int, ...]]


def blocks_of(count: int, size: int, seed: int | tuple[int, ...]) -> list[Block]:
    """Divide ``count`` items into blocks of ``size``.

    The first block has the seed ``seed``, and block b the seed (seed, b).
    """
    plain = seed if isinstance(seed, tuple) else (seed,)
    return [
        (range(start, min(start + size, count)), (*plain, b) if b else seed)
        for b, start in enumerate(range(0, count, size))
    ]


def progress(settings: RunSettings, budget: Budget, counted: str) -> Watcher:
    """A watcher of a sweep: it tells the observer how many are done, as ``counted``."""

    def watch(finished: int, total: int) -> None:
        detail = {counted: float(finished), "of": float(total)}
        settings.observe(Record(finished - 1, budget.seconds, None, None, detail))

    return watch


#: Descends the batch of a block, of what all share: a function of a module.
Descend = Callable[[Any, Block, RunSettings, Budget], Fits]


@dataclass(kw_only=True)
class Descents:
    """Blocks of starts or of sign vectors, with their descents and common data.

    Each block depends only on the problem and its own seed. The result therefore does not depend on
    the workers. ``unit`` describes the content of a block. ``join`` computes the joint objective of
    all blocks so far from the objective of the next block.
    """

    descend: Descend
    shared: Any
    blocks: Sequence[Block]
    unit: str
    spec: Any
    data: Dataset
    join: Callable[[float], float]
    trace: list[Record] = field(default_factory=list)
    steps: StepCounts = field(default_factory=StepCounts)
    reason: Reason = Reason.CRITICAL

    def fits(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """The result of each block, in order.

        If a limit ends a block, its current points are returned and no further block is computed.
        Raises OutOfBudget if the first block makes no step.
        """
        settings.sharing.refuse_log(settings.log)
        # by workers where there are some, else here
        shared = settings.sharing.shared or settings.sharing.checkpoint is not None
        count = 0
        for fits in (self._by_workers if shared else self._here)(settings, budget):
            self.trace += [self._joined(record) for record in fits.trace]
            self.steps = self.steps.joined(fits.steps)
            if fits.reason is not Reason.CRITICAL:
                self.reason = fits.reason
            count += 1
            yield fits
            if fits.cut:
                return
        if not count:
            raise OutOfBudget
        if count < len(self.blocks):
            self.reason = budget.reason

    def _joined(self, record: Record) -> Record:
        """Convert a record of the next block to a record of all blocks."""
        value = None if record.objective is None else self.join(record.objective)
        return replace(record, iteration=len(self.trace) + record.iteration, objective=value)

    def _here(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """The blocks, computed one after another in this process."""

        def observe(record: Record) -> None:
            settings.observe(self._joined(record))

        descend, watched = single_threaded(self.descend), replace(settings, observe=observe)
        for block in self.blocks:
            try:
                yield descend(self.shared, block, watched, budget)
            except OutOfBudget:
                return

    def _by_workers(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """The blocks, computed as units of a sweep. The time in a record is the total time of its
        block and all earlier blocks, in seconds.
        """
        # one unit a block
        alone, elapsed = settings.for_units(), 0.0
        units = [
            Unit(name=f"{self.unit} {span[0]} to {span[-1]}", item=(span, seed), size=len(span))
            for span, seed in self.blocks
        ]
        sweep = Sweep(
            call=_descend_block,
            shared=(self.descend, self.shared, alone),
            units=units,
            identity=identity_of([self.spec], self.data, alone) | {"blocks": self.unit},
        )
        for answer in answers(sweep, settings.sharing, budget, progress(settings, budget, "done")):
            if answer.error is not None:
                raise answer.error
            if answer.value is None:
                return
            # the values of :func:`_descend_block`, its times after those of earlier blocks
            values = answer.value
            trace = [Record(**record) for record in values["trace"]]
            trace = [replace(record, seconds=elapsed + record.seconds) for record in trace]
            elapsed = trace[-1].seconds if trace else elapsed
            yield Fits(
                x=np.asarray(values["x"]),
                values=np.asarray(values["values"]),
                reason=budget.reason if answer.cut else Reason(values["reason"]),
                trace=trace,
                steps=StepCounts(**values["steps"]),
                distinct=np.asarray(values["distinct"], dtype=np.intp),
            )


def _descend_block(shared: Any, block: Block, inside: Inside) -> Any:
    """Compute one block in a worker and return plain values."""
    descend, common, settings = shared
    alone = replace(settings, interrupted=inside.interrupted)
    fits = descend(common, block, alone, alone.budget())
    values = asdict(fits)
    if fits.cut:
        raise OutOfBudget(values)
    return values


def descend_starts(fits: SignedFits, block: Block, settings: RunSettings, budget: Budget) -> Fits:
    """The best end point over the starts in a block."""
    span, seed = block
    fits = replace(fits, settings=settings, steps=StepCounts())
    # the kinds of start of this block alone
    kinds = start_kinds(span.stop, carried=False)[span.start :]
    points = fits.starts(kinds, np.random.default_rng(seed), budget)
    return descend_from(fits, budget, points, limit=settings.max_iter)


def fit_starts(
    fits: SignedFits, spec: Any, data: Dataset, settings: RunSettings, budget: Budget
) -> Fits:
    """The best end point over all starts of one sign vector (1, n). Ties go to the first.

    If the budget runs out, the best end point so far is returned. Raises OutOfBudget if there is
    none.
    """
    # blocks of five starts, the default number, or fewer where an iteration multiplies more than
    # 2^28 numbers: a limit then finds some done; a class of constants has one block of equal starts
    work = fits.problem.n * (fits.problem.rank + 1) ** 2
    size = spec.starts if fits.flat else min(5, max(1, 2**28 // work))
    best: list[Fits] = []
    descents = Descents(
        descend=descend_starts,
        shared=replace(fits, settings=settings.for_units()),
        blocks=blocks_of(spec.starts, size, settings.seed),
        unit="starts",
        spec=spec,
        data=data,
        join=lambda value: min([value, *(float(ends.values[0]) for ends in best)]),
    )
    distinct = 0
    for ends in descents.fits(settings, budget):
        distinct += int(ends.distinct[0])
        if not best or ends.values[0] < best[0].values[0]:
            best[:] = [ends]
    return replace(
        best[0],
        reason=descents.reason,
        trace=descents.trace,
        steps=descents.steps,
        distinct=np.array([distinct]),
    )
