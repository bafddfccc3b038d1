"""Voted Kernel Regularization: column generation, whole programs and grids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from radprog.base.errors import (
    DataError,
    KernelError,
    OptionError,
    RadprogError,
    SolverError,
    UnfinishedError,
)
from radprog.base.limits import held_to
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.exchange import coefficients_of, exchange, polish
from radprog.decompositions.drivers.masters import (
    BASIC,
    HighsMaster,
    RebuiltProgram,
    master_for,
    plain_highs,
)
from radprog.decompositions.drivers.sifting import SiftedMaster
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import NOTHING_ADDED, Budget, Loop, Reason, first_step
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
from radprog.decompositions.vkr.coordinate_descent import descend_coordinates
from radprog.decompositions.vkr.pricing import (
    Solved,
    VotedOracle,
    WarmStart,
    feasible_columns,
    merge_starts,
    refuse_rates,
)
from radprog.instances.data import row_shares
from radprog.instances.dataset import Dataset, read
from radprog.models.bounds import Bound
from radprog.models.complexity import massart
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.score_arrays import arrays_of
from radprog.models.score_rows import refuse_rows
from radprog.models.vkr.bounds import complexity_bounds, vkr_compression
from radprog.models.vkr.penalties import Penalties, kernel_penalties
from radprog.models.vkr.problem import Incumbent, VotedKernels
from radprog.models.vkr.programs import build_dual, build_primal
from radprog.models.vkr.settings import L1SVM, VKR, centre_number
from radprog.solvers.program import Status, relative_gap
from radprog.solvers.registry import solve_program
from radprog.solvers.rescale import natural_units

FEW_CENTRES = (
    "the columns are the kernels at {} of the {} points, sampled by seed {}: the certificate is "
    "over that family"
)
WHOLE_IN_HIGHS = {"presolve": "off"}  # on dense rows it gains nothing, and never looks up


def assemble(
    spec: VKR | L1SVM,
    data: Dataset,
    seed: int = 0,
    threads: int = 1,
) -> tuple[VotedKernels, Penalties]:
    """The problem of a data set and its penalties.

    The kernel bank uses ``threads`` threads. Raises DataError and OptionError, also if more centres
    than points are requested, or for sampled centres of a kernel from a file.
    """
    # centres: all points, some of them in increasing order, or the points and those of a file
    kernels, centres, rows = parse_kernels(spec.kernels), None, None
    if spec.centres is not None and (number := centre_number(spec.centres)) is not None:
        if number > data.rows:
            raise OptionError(f"centres {number}: more than the {data.rows} points")
        for kernel in kernels:
            if kernel.base == "matrix":
                raise OptionError(
                    f"centres {number} is not used by kernel {kernel.name}: it has its own"
                )
        rows = np.sort(np.random.default_rng(seed).choice(data.rows, number, replace=False))
        centres = data.X[rows]
    elif spec.centres is not None:
        extra = read(str(spec.centres), label="none", like=data).X
        centres = np.concatenate([data.X, extra])
    # the first pass over the kernels prices d = c as well
    initial = data.signs * row_shares(data.rows, data.weights)
    bank = KernelBank(kernels, data.X, centres, weights=initial, threads=threads)
    penalties = kernel_penalties(
        bank, spec.complexity, local_r=spec.local_r, trials=spec.trials, seed=seed,
        weights=data.weights,
    )  # fmt: skip
    if rows is not None:
        warning = FEW_CENTRES.format(len(rows), data.rows, seed)
        penalties = replace(penalties, warnings=(*penalties.warnings, warning))
    problem = VotedKernels(
        bank=bank,
        y=data.signs,
        penalties=penalties.r,
        lam=spec.lam,
        beta=spec.beta,
        rows=arrays_of(spec.constraints, data.rows),
        weights=data.weights,
        centre_rows=rows,
    )
    return problem, penalties


def generate_columns(
    problem: VotedKernels,
    settings: RunSettings,
    budget: Budget,
    warm: WarmStart | None = None,
    *,
    neighbours: bool = False,
) -> Solved:
    """Run column generation with the driver ``exchange``, from the warm start ``warm``.

    For ``neighbours``, the result has a warm start of its own.
    """
    incumbent = Incumbent.trivial(problem)
    oracle = VotedOracle(problem, incumbent)
    # costs are negative and cuts have finite sides, as sifting requires
    master: HighsMaster | RebuiltProgram
    if plain_highs(settings) and np.isfinite(oracle.upper).all():
        master = SiftedMaster(oracle.costs, oracle.upper, settings.for_solver(Budget()))
    else:
        master = master_for(settings, oracle.costs, oracle.upper)
    if len(problem.rows.owner):
        master.add(oracle.terms)
    # warm start: columns and a feasible point, or a basis, of a neighbour
    if warm is not None and len(warm.pairs):
        master.add(oracle.cuts(warm.pairs))
        if warm.alpha is not None:
            columns = problem.bank.columns(warm.pairs)
            value = problem.primal_value(columns, warm.pairs, warm.alpha)
            incumbent.offer_primal(warm.pairs, warm.alpha, value)
        if isinstance(master, HighsMaster) and warm.column_basis:
            master.hot_start(warm.column_basis, warm.cut_basis)
    failures: list[RadprogError] = []
    rules = settings.gap_reached(), NOTHING_ADDED
    loop = Loop(settings.stops(*rules), budget, settings.observe, failures)
    try:
        # column generation: master, pricing, columns, until the gap is met or nothing is violated
        exchange(master, oracle, loop)
        reason, trace = loop.reason, loop.trace
        # rates are violated at their price: once more at a higher one, unless they contradict
        while reason is Reason.NO_COLUMN and oracle.at_cap and oracle.cap < 1e9:
            if oracle.cap == VotedOracle.cap:
                refuse_rates(problem, settings, budget)
            oracle.cap *= 1e3
            master = master_for(settings, oracle.costs, oracle.upper)
            master.add(oracle.terms)
            master.add(oracle.again())
            stops = settings.stops(*rules, done=len(trace))
            loop = Loop(stops, budget, settings.observe, failures)
            exchange(master, oracle, loop)
            reason, trace = loop.reason, [*trace, *loop.trace]
        # a gap is left that the master's tolerances make: the vertex of its last basis closes it
        if isinstance(master, HighsMaster) and reason is Reason.NO_COLUMN:
            stops = settings.stops(*rules, done=len(trace))
            loop = Loop(stops, budget, settings.observe, failures)
            polish(master, oracle, loop, len(trace))
            reason, records = loop.reason, loop.trace
            trace = [*trace, *records]
    except KernelError as error:
        error.fit = expansion(problem, incumbent)
        raise
    # what neighbours may start from: the basis
    handover = None
    if neighbours and isinstance(master, HighsMaster):
        column_basis, cuts = master.basis()
        # basic rows have no coefficient; those far from their side will not have one soon, and the
        # others still form a basis; the ratios are those of the first columns
        basic = np.array([status == BASIC for status in cuts], dtype=bool)
        unrated = np.ones(len(oracle.pairs) - len(oracle.active_ratios))
        keep = np.flatnonzero(~basic | (np.append(oracle.active_ratios, unrated) >= 0.97))
        handover = WarmStart(oracle.pairs[keep], column_basis, [cuts[i] for i in keep])
    warnings: tuple[str, ...] = ()
    if failures:
        warnings = (f"column generation ended early: {failures[0]}",)
        handover = None
    return Solved(
        reason,
        trace,
        incumbent,
        oracle.pairs[: oracle.solved],
        master.version,
        warnings=warnings,
        warm=handover,
    )


def solve_whole(
    problem: VotedKernels, settings: RunSettings, budget: Budget, *, dual: bool
) -> Solved:
    """Solve the whole primal or dual program with one solver. Both points are certified afterwards.

    The program is scaled for the solver, because prices may be as small as its absolute tolerances.
    The scales are 1/(m Lambda) for alpha, 1/m for d, and m for the objective.
    """
    from radprog.solvers.compile import compile_model  # loads pyomo

    name, pairs = settings.solver or "highs", problem.all_pairs
    incumbent = Incumbent.trivial(problem)
    # one call of the solver, on the program in its units
    program = compile_model((build_dual if dual else build_primal)(problem))
    units = natural_units(program, 1.0 / problem.m)
    solver_settings = settings.for_solver(budget)
    if name == "highs":
        options = {**WHOLE_IN_HIGHS, **settings.solver_options}
        solver_settings = replace(solver_settings, tol=MASTER_TOLERANCE, solver_options=options)
    solution = units.restored(solve_program(units.scaled(program), name, solver_settings), program)
    stopped = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    if stopped and solution.x is None:
        budget.check()
        raise UnfinishedError(f"{name} ended at a limit of its own: {solution.message}")
    if solution.x is None or solution.claim is not None:
        raise SolverError(
            f"{name} calls the program {solution.claim}, which it cannot be: {solution.message}"
        )
    # alpha (r,) and z = (d, mu): in the primal, its variables and the multipliers of its rows; in
    # the dual, which is written as min -1'd + h'mu, the other way round
    r, size, multipliers = len(pairs), problem.m + len(problem.rows), solution.row_duals
    alpha: FloatArray | None = None
    z: FloatArray | None = None
    if dual:
        z = solution.x[:size]
    else:
        alpha = solution.x[:r] - solution.x[r : 2 * r]
    if multipliers is not None and dual:
        alpha = coefficients_of(multipliers[-r:])
    elif multipliers is not None:
        mu = coefficients_of(multipliers[problem.m : size])
        z = np.concatenate([multipliers[: problem.m], mu])
    # both points, made feasible and evaluated on the data, where they are better than 0 and c
    if alpha is not None:
        support = np.flatnonzero(alpha)
        columns = problem.bank.columns(pairs[support])
        value = problem.primal_value(columns, pairs[support], alpha[support])
        incumbent.offer_primal(pairs, alpha, value)
    if z is not None:
        z = problem.clip_to_box(z)
        incumbent.offer_dual(z, problem.dual_bound(z, problem.ratios(z))[0])
    reason = budget.reason if stopped and budget.spent() else Reason.SOLVER
    return Solved(reason, None, incumbent, pairs, solution.version)


def fit_vkr(spec: VKR | L1SVM, data: Dataset, settings: RunSettings) -> Run:
    """Fit by ``settings.method`` (colgen, direct, dual, cd) and certify the result.

    Raises UnfinishedError if a limit ends the run before its first step, OptionError and DataError
    for invalid input, and SolverError if a solver fails. Raises SettingError with a conflict if no
    coefficients satisfy the constraints.
    """
    method = settings.method_of(spec)
    if method == "cd":
        refuse_rows(spec.constraints, "method 'cd' moves one coefficient at a time: use colgen")
    budget = settings.budget()
    # kernels and penalties, then the method
    with held_to(1):  # the bank's threads work on blocks of their own
        with first_step(budget):
            problem, penalties = assemble(spec, data, settings.seed, threads=settings.threads)
            budget.kernels = budget.seconds
            if method == "cd":
                solved = descend_coordinates(problem, settings, budget)
            elif method in ("direct", "dual"):
                if not problem.rows.plain.zero:  # refuses constraints that contradict each other
                    feasible_columns(problem, settings, budget)
                try:
                    solved = solve_whole(problem, settings, budget, dual=method == "dual")
                except SolverError:
                    if len(problem.rows.owner):
                        refuse_rates(problem, settings, budget)
                    raise
            else:
                # the columns of an earlier fit, and of a first point that keeps the constraints
                warm = None if settings.start is None else known_columns(problem, settings.start)
                start = warm
                if not problem.rows.plain.zero:
                    start = feasible_columns(problem, settings, budget, warm)
                solved = generate_columns(problem, settings, budget, start)
                if not solved.trace and start is None:
                    budget.check()  # alpha = 0, from which it starts, is not a result
                if warm is not None and not len(warm.pairs):
                    nothing = (
                        "the fit to start from has no column of this problem: other data or kernels"
                    )
                    solved = replace(solved, warnings=(*solved.warnings, nothing))
        # the certificate of the incumbent is always evaluated in full
        outcome = outcome_of(spec, data, problem, penalties, solved, settings)
    return packed(spec, settings, budget, outcome)


def outcome_of(
    spec: VKR | L1SVM,
    data: Dataset,
    problem: VotedKernels,
    penalties: Penalties,
    solved: Solved,
    settings: RunSettings,
) -> Outcome:
    """The outcome for a solution, with its certificate recomputed from the data."""
    incumbent = solved.incumbent
    incumbent.certify(problem)
    method = settings.method or spec.methods[0]
    solver = None if method == "cd" else settings.solver or "highs"
    bank, pairs, alpha, d = problem.bank, incumbent.pairs, incumbent.alpha, incumbent.d
    # the share of every family in the penalty
    weight = np.zeros(bank.shape[0])
    np.add.at(weight, pairs[:, 0], np.abs(alpha) * problem.prices[pairs[:, 0]])
    names = [kernel.name for kernel in bank.kernels]
    summary: dict[str, Any] = {
        "coefficients": len(pairs),
        "support_vectors": len(np.unique(pairs[:, 1])),
        "kernels": names,
        "penalties": penalties.r.tolist(),
        "weight_per_kernel": weight.tolist(),
        **training_block(incumbent.scores, signs(incumbent.scores), problem.y, problem.weights),
        "norm": float(np.abs(alpha).sum()),
    }
    if problem.centre_rows is not None:
        summary["centre_rows"] = problem.centre_rows.tolist()
    if penalties.standard_error is not None:
        summary["penalty_standard_errors"] = penalties.standard_error.tolist()
    if penalties.local_radius is not None:
        summary["local_radius"] = penalties.local_radius.tolist()
    # the points from which objective and bound can be recomputed
    evidence = {
        "pairs": pairs.tolist(),
        "alpha": alpha.tolist(),
        "d": d[: problem.m].tolist(),
        **({"mu": d[problem.m :].tolist()} if len(problem.rows) else {}),
        "penalties": penalties.r.tolist(),
        "columns": solved.pairs.tolist(),
    }
    # error bounds of rows from one distribution, at the penalties or else Massart's complexities
    bounds: list[Bound] = []
    if problem.weights is None:
        r, kind = problem.penalties, "massart" if isinstance(spec, L1SVM) else spec.complexity
        if not r.any():
            r, kind = np.array([massart(n, problem.m) for n in bank.column_norms]), "massart"
        margins = problem.y * incumbent.scores
        arguments = problem, data, pairs, alpha, margins, r, kind, spec.delta
        bounds = complexity_bounds(*arguments, sampled=penalties.sampled)
    # what the solution says about new rows, and what its constraints are worth
    extra: dict[str, Any] = {
        "bounds": [bound.to_dict() for bound in bounds],
        "compression": vkr_compression(spec, data, problem, incumbent),
    }
    if len(rows := problem.rows):
        # the multipliers mu of the feasible point that has the bound of z = (d, mu)
        mu = d[problem.m :] * problem.dual_bound(d, problem.ratios(d))[1]
        extra["constraints"] = rows.values(incumbent.scores, mu)
    return Outcome(
        method=method,
        reason=solved.reason,
        objective=incumbent.value,
        bound=incumbent.bound,
        trace=solved.trace,
        solver=SolverUse(solver or "none", solved.version, settings.solver_options),
        fit=expansion(problem, incumbent),
        summary=summary,
        evidence=evidence,
        program=partial(build_dual, problem, solved.pairs),
        columns=len(solved.pairs),
        warnings=(*bank.warnings, *penalties.warnings, *solved.warnings),
        extra=extra,
    )


def expansion(problem: VotedKernels, incumbent: Incumbent) -> KernelExpansion:
    """The predictor that uses the coefficients of the incumbent."""
    pairs = incumbent.pairs
    return KernelExpansion(
        kernels=tuple(kernel.name for kernel in problem.bank.kernels),
        kernel=pairs[:, 0].copy(),
        centre=pairs[:, 1].copy(),
        points=problem.bank.centres[pairs[:, 1]],
        coefficients=incumbent.alpha.copy(),
    )


def known_columns(problem: VotedKernels, start: Any) -> WarmStart:
    """The columns of an earlier fit that are also in this problem, with their coefficients.

    A column matches if it has the same kernel and the same centre.
    """
    if not isinstance(start, KernelExpansion):
        raise OptionError(f"start: a fit of kind '{start.kind}', expected a kernel expansion")
    names = [kernel.name for kernel in problem.bank.kernels]
    centres = problem.bank.centres
    pairs, alpha = [], []
    # a centre is the same where its number and its features are
    for k, j, point, coefficient in zip(
        start.kernel, start.centre, start.points, start.coefficients, strict=True
    ):
        name = start.kernels[k]
        if name in names and j < len(centres) and np.array_equal(centres[j], point):
            pairs.append((names.index(name), int(j)))
            alpha.append(float(coefficient))
    return WarmStart(np.asarray(pairs, dtype=np.intp).reshape(-1, 2), alpha=np.asarray(alpha))


def recompute_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The objective and bound of the stored alpha and d, recomputed from the data. Without d there
    is no bound.

    Raises DataError if the points do not match the data.
    """
    problem, penalties = assemble(spec, data, seed)
    pairs, alpha, z = stored_coefficients(problem, evidence)
    dual_point = np.zeros(problem.m + len(problem.rows)) if z is None else z
    incumbent = Incumbent(pairs, alpha, 0.0, dual_point, 0.0, np.zeros((0, 0)))
    columns = np.asarray(evidence["columns"], dtype=np.intp).reshape(-1, 2)
    solved = Solved(Reason.SOLVER, [], incumbent, columns)
    outcome = outcome_of(spec, data, problem, penalties, solved, RunSettings())
    return outcome if z is not None else outcome.without_bound("d")


def stored_coefficients(
    problem: VotedKernels, evidence: Mapping[str, Any]
) -> tuple[IntArray, FloatArray, FloatArray | None]:
    """The columns (r, 2), alpha (r,) and z = (d, mu) of a result, where d is in [0, 1/m]^m and
    mu >= 0.

    z is None if the result has no d. Raises DataError if the values do not match the data.
    """
    pairs = np.asarray(evidence["pairs"], dtype=np.intp).reshape(-1, 2)
    alpha = np.asarray(evidence["alpha"], dtype=np.float64)
    d = None if evidence["d"] is None else np.asarray(evidence["d"], dtype=np.float64)
    mu = np.asarray(evidence.get("mu", ()), dtype=np.float64)
    p, m, c = problem.bank.shape
    inside = pairs.size == 0 or (pairs.min() >= 0 and bool(np.all(pairs < (p, c))))
    fits = d is None or (d.shape == (m,) and mu.shape == (len(problem.rows),))
    if alpha.shape != (len(pairs),) or not inside or not fits:
        raise DataError("the stored points do not fit this data set")
    return pairs, alpha, None if d is None else problem.clip_to_box(np.concatenate([d, mu]))


VotedSettings: TypeAlias = VKR | L1SVM


def gap_at_prices(problem: VotedKernels, incumbent: Incumbent) -> Callable[[FloatArray], float]:
    """The relative gap of the certified points of an incumbent as a function of the prices (p,).

    At prices Lambda' the objective of the coefficients is hinge + sum_k Lambda'_k norms_k, where
    norms_k = sum_j |alpha_kj|. The dual point d, scaled by min(room, 1 / max_k(largest_k /
    Lambda'_k)), gives a lower bound. Here largest_k = max_j |A_kj . d| and room = 1 / max_i(d_i /
    c_i).
    """
    norms = np.zeros(len(problem.prices))
    np.add.at(norms, incumbent.pairs[:, 0], np.abs(incumbent.alpha))
    hinge = incumbent.objective - float(problem.prices @ norms)
    total = float(incumbent.d.sum())
    divisor = problem.m * float((incumbent.d / problem.boxes).max())  # 1 / room
    largest = incumbent.ratios.max(axis=1) * problem.prices

    def gap(prices: FloatArray) -> float:
        stretch = 1.0 / max(divisor, float((largest / prices).max()))
        return relative_gap(hinge + float(prices @ norms), total * stretch) or 0.0

    return gap


def fit_grid(
    specs: Sequence[VotedSettings], data: Dataset, settings: RunSettings
) -> Iterator[tuple[VotedSettings, Attempt]]:
    """The runs of all specs, in the order in which they are solved.

    Specs that differ only in lam and beta share kernels and penalties. They are solved in order of
    decreasing lam, then beta. Each fit starts from the basis of the solved problem with the
    smallest gap at the new prices. The used columns of the two problems with the next smallest gaps
    are added. The basis remains a basis, because a change of prices only scales the rows. A single
    spec and specs with constraints are fitted one by one. So are specs with methods other than
    column generation in HiGHS.
    """
    # german, 12 pairs of lam and beta, 5 folds: 5.6 s, 15.1 one by one
    by_columns = settings.method in (None, "colgen") and settings.solver in (None, "highs")
    if len(specs) < 2 or not by_columns or any(spec.constraints for spec in specs):
        for spec in specs:
            yield spec, attempted(fit_vkr, spec, data, settings)
        return
    # settings of the same kernels and penalties make one path
    paths: dict[VotedSettings, list[VotedSettings]] = {}
    for spec in specs:
        ones: Any = {field.name: 1.0 for field in fields(spec) if field.name in ("lam", "beta")}
        paths.setdefault(replace(spec, **ones), []).append(spec)
    for shared, members in paths.items():
        with held_to(1):  # the bank's threads work on blocks of their own
            problem, penalties = assemble(shared, data, settings.seed, threads=settings.threads)
        solved: list[tuple[WarmStart, Callable[[FloatArray], float]]] = []
        for spec in sorted(members, key=lambda spec: (-spec.lam, -spec.beta)):
            budget = settings.budget()
            priced = problem.at_prices(spec.lam, spec.beta)
            # the neighbour with the smallest gap here provides its basis, the next ones columns
            # (ionosphere, 49 settings: 1.55 s, 2.68 by the nearest prices; german 19.7 and 17.1)
            prices = priced.prices
            solved.sort(key=lambda neighbour: neighbour[1](prices))
            warm = merge_starts([neighbour for neighbour, _ in solved[:3]])
            with held_to(1):
                columns = generate_columns(priced, settings, budget, warm, neighbours=True)
                outcome = outcome_of(spec, data, priced, penalties, columns, settings)
            yield spec, packed(spec, settings, budget, outcome)
            if columns.warm is not None:
                solved.append((columns.warm, gap_at_prices(priced, columns.incumbent)))
