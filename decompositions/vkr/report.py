"""The report of a Voted Kernel Regularization solution: certificate, predictor, bounds, and the
compression of a VKR, L1SVM or SVM solution for its error bound.

See docs/explanation/theory.md for the conditions and proofs of the compression bound. There is one
only if the optimum is proved unique, because it is unknown which of several optima the theorem
selects.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from radprog.base.tolerances import TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.expansion import KernelExpansion, signs, training_block
from radprog.decompositions.run import Outcome, RunSettings, SolverUse
from radprog.decompositions.vkr.pricing import Incumbent, Solved
from radprog.instances.dataset import Dataset
from radprog.models.bounds import Bound
from radprog.models.complexity import massart
from radprog.models.compression import (
    SCALES,
    Compression,
    every_reason,
    moved_by_sample,
    only_solution,
    places,
    rests_on,
    scaled_by_sample,
    unit_rows,
    width_of_sample,
)
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import KernelFunction
from radprog.models.score_rows import OWN_ROWS_REFUSED, constraint_values
from radprog.models.svm import bias_interval
from radprog.models.vkr.bounds import (
    EXPECTED_COMPLEXITY,
    LACKING,
    LOCAL_COMPLEXITY,
    ROWS_OF_SAMPLE,
    SAMPLE_CENTRES,
    SAMPLE_RANGE,
    TRACE_OF_SAMPLE,
    margin_bound,
    theorem_1,
    theorem_2,
)
from radprog.models.vkr.penalties import OWN_PENALTY, Penalties
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.programs import build_dual
from radprog.models.vkr.settings import COMPLEXITIES, L1SVM, SVM, VKR

FIXED_DIAGONAL = ("squared", "cityblock")  # bases of kernels whose K(x, x) is the same for every x
GIVEN = "kernel '{}' is known only on these points: whether it depends on the sample is not"
NOT_AN_OPTIMUM = (
    "the solution is not an exact vertex of the program: let it end by itself (method colgen, a "
    "larger `time_limit` or `max_iter`, a smaller `tol`)"
)
NO_DUALS = "it needs duals, which show that no other solution is as good: load them too"
SAMPLED_REFUSED = "no compression bound is known for sampled centres: leave `centres` out"
NO_COLUMNS = np.zeros(0, dtype=np.intp)
OTHERS = (
    "other solutions may be as good: {} columns are tight, {} margins hold with equality "
    "whatever the solution; another `beta` or kernel"
)


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
    pairs, alpha, d = incumbent.pairs, incumbent.alpha, incumbent.d
    # share of every family in the penalty
    weight = np.zeros(problem.bank.shape[0])
    np.add.at(weight, pairs[:, 0], np.abs(alpha) * problem.prices[pairs[:, 0]])
    names = [kernel.name for kernel in problem.bank.kernels]
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
    # families that no optimal solution needs, for any solution of the solver
    useless = problem.useless()
    summary["useless_kernels"] = [name for name, drop in zip(names, useless, strict=True) if drop]
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
    # what the solution says about new rows, and what its constraints are worth
    extra: dict[str, Any] = {
        "bounds": generalisation_bounds(spec, data, problem, incumbent),
        "compression": vkr_compression(spec, data, problem, incumbent).to_dict(),
    }
    rows, caps = problem.rows, problem.caps
    if len(rows) or len(caps):
        _, mu, nu = problem.split(d)
        values = np.concatenate([rows.G @ incumbent.scores, caps.sums(pairs[:, 0], alpha)])
        bounds, prices = np.concatenate([rows.h, caps.limits]), np.concatenate([mu, nu])
        extra["constraints"] = constraint_values((*rows.of, *caps.names), values, bounds, prices)
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
        warnings=(*problem.bank.warnings, *penalties.warnings, *solved.warnings),
        extra=extra,
    )


def generalisation_bounds(
    spec: VKR | L1SVM, data: Dataset, problem: VotedKernels, incumbent: Incumbent
) -> list[dict[str, Any]]:
    """The bound of Theorem 1 (p > 1), or the margin bound for one kernel, at a certified incumbent.

    Without penalties, Massart's bounds on the complexities are used. There are no bounds for
    weighted rows, because such rows are not drawn from one distribution.
    """
    if problem.weights is not None:
        return []
    # complexities: the penalties, or Massart's bound where there are none
    p, m, _ = problem.bank.shape
    r, method = problem.penalties, "massart" if isinstance(spec, L1SVM) else spec.complexity
    if not r.any():
        method = "massart"
        norms = problem.bank.column_norms
        r = np.array([massart(norms[k], m) for k in range(p)])
    bounds = complexity_bounds(
        problem,
        incumbent.pairs,
        incumbent.alpha,
        problem.y * incumbent.scores,
        r,
        spec.delta,
        lacking(method, problem, data),
    )
    return [bound.to_dict() for bound in bounds]


def lacking(method: object, problem: VotedKernels, data: Dataset) -> tuple[str, ...]:
    """The unproved properties (caveats) of the sizes M_k and of the complexities r_k computed by
    ``method``.

    If K(x, x) is a constant that does not depend on the sample, M_k is this constant. The penalties
    ``trace`` and ``poly`` are then functions of m and this constant, so they bound the expected
    complexity.
    """
    # K(x, x) known before the sample: sizes are known, and penalties are not functions of it
    bank, caveats = problem.bank, [EXPECTED_COMPLEXITY]
    name = method if isinstance(method, str) else "given"
    among = bank.own_centres or problem.centre_rows is not None  # so that |K_k| takes K(x, x)
    fixed = among and all(k.psd and fixed_diagonal(k, data, bank) for k in bank.kernels)
    if fixed and name in ("trace", "poly"):
        caveats = []
    # what a complexity that is computed from the sample leaves out
    if name in ("massart", "montecarlo"):
        caveats.append(SAMPLE_CENTRES)
    if name in ("trace", "poly") and not fixed:
        caveats.append(TRACE_OF_SAMPLE)
    if name == "local":
        caveats.append(LOCAL_COMPLEXITY)
    if name not in COMPLEXITIES:
        caveats.append(OWN_PENALTY)
    if of_sample(data, bank):
        caveats.append(ROWS_OF_SAMPLE)
    return tuple(caveats) if fixed else (*caveats, SAMPLE_RANGE)


def complexity_bounds(
    problem: VotedKernels,
    pairs: IntArray,
    alpha: FloatArray,
    margins: FloatArray,
    r: FloatArray,
    delta: float,
    caveats: tuple[str, ...] = LACKING,
    *,
    tradeoff: float | None = None,
) -> list[Bound]:
    """The bound of Theorem 1, or the margin bound for one kernel, with the caveats.

    The coefficients alpha (r,) belong to the columns ``pairs`` (r, 2). The margins have shape (m,),
    and the complexities r have shape (p,). If ``tradeoff`` is a number K, Theorem 2 is added.
    """
    p, _, c = problem.bank.shape
    whole = np.zeros((p, c))
    whole[pairs[:, 0], pairs[:, 1]] = alpha
    if p == 1:
        return [margin_bound(whole, float(r[0]), margins, delta=delta, lacking=caveats)]
    given = (whole, problem.bank.max_abs, r, margins)
    bounds = [theorem_1(*given, delta=delta, lacking=caveats)]
    if tradeoff is not None:
        bounds.append(theorem_2(*given, delta=delta, tradeoff=tradeoff, lacking=caveats))
    return bounds


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


def vkr_compression(
    spec: VKR | L1SVM, data: Dataset, problem: VotedKernels, incumbent: Incumbent
) -> Compression:
    """The number of points with margin at most 1 and the number of column centres, for a certified
    incumbent.

    If there is no bound, the result contains the reason.
    """
    # the conditions of the theorem: nothing but the rows themselves may depend on the sample
    # (a refused scale names what serves for prices too)
    scales, priced = price_dependence(spec.as_vkr(), data, problem.bank)
    refused = every_reason(
        OWN_ROWS_REFUSED if spec.constraints else None,
        SAMPLED_REFUSED if problem.centre_rows is not None else None,
        kernel_dependence(problem.bank),
        moved_by_sample(data, scales),
        None if scaled_by_sample(data) else priced,
    )
    size, refused = (None, refused) if refused else vertex_size(problem, incumbent)
    return Compression(points=data.rows, size=size, delta=spec.delta, refused=refused)


def svm_compression(
    spec: SVM, data: Dataset, bank: KernelBank, scores: FloatArray, bias: float, gap: float
) -> Compression:
    """The number of training points of a support vector machine with margin at most 1, or the
    reason why there is no bound.

    ``scores`` (m,) is Kc at the solution, ``bias`` minimises its hinge losses, and ``gap`` is the
    objective minus the bound. The objective is 1-strongly convex in w, so |w - w*| <= sqrt(2 gap).
    The error of a score without the intercept is therefore at most shift = sqrt(2 gap max K(x, x)).
    The same holds for the end points of the interval of optimal intercepts. All points with margin
    at most 1 + slack are counted, where slack is 2 shift plus half the length of this interval.
    """
    refused = every_reason(
        OWN_ROWS_REFUSED if spec.constraints else None,
        kernel_dependence(bank),
        moved_by_sample(data),
    )
    size = None
    if refused is None:
        # how far scores, and the ends of the interval of biases, may be from the optimum's
        shift = float(np.sqrt(2.0 * max(gap, 0.0) * np.abs(bank.diagonal(0)).max()))
        low, high = bias_interval(scores, data.signs)
        slack = TIGHT + 2.0 * shift + (high - low) / 2.0
        # points whose side of the margin is unknown count; with too many there is no bound
        if slack < 0.5:  # of margins, in their own units: an error is one of size 1
            size = rests_on(
                data.signs * (scores + bias), 1.0, np.arange(data.rows), NO_COLUMNS, slack
            )
        elif shift > (high - low) / 4.0:
            refused = f"margins are known to {slack:.2g} only: a smaller `tol` or another `solver`"
        else:
            refused = f"the bias may be anything from {low:.4g} to {high:.4g}: another `C`"
    return Compression(points=data.rows, size=size, delta=spec.delta, refused=refused)


def kernel_dependence(bank: KernelBank) -> str | None:
    """The reason why a kernel depends on the sample, or may depend on it, or None."""
    given = [kernel.name for kernel in bank.kernels if kernel.base == "matrix"]
    return GIVEN.format(given[0]) if given else width_of_sample(bank.kernels)


def price_dependence(spec: VKR, data: Dataset, bank: KernelBank) -> tuple[str, str | None]:
    """The scalings for which kernels and prices do not depend on the sample, and the reason why the
    prices do, or None.
    """
    method, none = spec.complexity, "`complexity='none'`"
    if not isinstance(method, str) or method == "none" or not spec.lam > 0:
        return SCALES, None
    if method not in ("trace", "poly"):
        return f"{SCALES} with {none}", (
            f"the penalty '{method}' is computed from the sample: use "
            f"{none}, or trace with kernels of fixed K(x, x)"
        )
    # trace and poly are functions of m and K(x, x): constant for some kernels, and for rows of
    # norm 1
    bases = {kernel.base for kernel in bank.kernels} - set(FIXED_DIAGONAL)
    unit = bases <= {"inner"} and bank.own_centres
    scales = "`scale='unit'`" if unit else f"{SCALES} with {none}"
    for kernel in bank.kernels:
        if fixed_diagonal(kernel, data, bank):
            continue
        about = f"the penalty '{method}' of kernel {kernel.name} depends on"
        if kernel.base == "inner":
            use = f"`scale='unit'` (no zero rows) or {none}"
            return scales, f"{about} the lengths of the rows: use {use}"
        return scales, f"{about} K(x, x), which need not be one number: use {none}"
    return scales if bases else SCALES, None


def fixed_diagonal(kernel: KernelFunction, data: Dataset, bank: KernelBank) -> bool:
    """Whether K(x, x) is the same number for all x, known independently of the sample."""
    if kernel.base in FIXED_DIAGONAL:
        return True
    return kernel.base == "inner" and unit_rows(data) and bank.own_centres


def of_sample(data: Dataset, bank: KernelBank) -> bool:
    """Whether the class of functions depends on the sample, through its scaling or a kernel
    width.
    """
    return moved_by_sample(data) is not None or width_of_sample(bank.kernels) is not None


def vertex_size(problem: VotedKernels, incumbent: Incumbent) -> tuple[int, None] | tuple[None, str]:
    """The compression size k if the optimum is proved unique, otherwise the reason.

    For any optimal dual point d, every optimal alpha is 0 where |A_kj . d| < Lambda_k. Its margins
    are 1 where 0 < d_i < 1/m. If these equations have linearly independent columns, they have at
    most one solution. If this solution satisfies the other optimality conditions, alpha and d are
    optimal.
    """
    if not incumbent.d.any():  # a loaded point alone
        return None, NO_DUALS
    if float(incumbent.ratios.max(initial=0.0)) > 1.0 + TIGHT:
        return None, NOT_AN_OPTIMUM
    m, share = problem.m, problem.m * incumbent.d
    # equal points are one: columns at the same place are one column
    place = places(problem.bank.centres)
    tight = np.argwhere(incumbent.ratios >= 1.0 - TIGHT)
    tight = np.unique(np.stack([tight[:, 0], place[tight[:, 1]]], axis=1), axis=0)
    # margins are 1 where the weights of the equal rows of one label are neither all 0 nor all 1/m
    copies, weight = np.zeros((2, m)), np.zeros((2, m))
    label = (problem.y > 0).astype(np.intp)
    np.add.at(copies, (label, place[:m]), 1.0)
    np.add.at(weight, (label, place[:m]), share)
    inside = (weight > TIGHT) & (weight < copies - TIGHT)
    rows = np.flatnonzero(inside.any(axis=0))
    # the only solution of these equations
    columns = problem.bank.columns(tight)
    alpha = np.zeros(len(tight))
    if len(tight):
        alone = only_solution(columns[rows], np.where(inside[1, rows], 1.0, -1.0))
        if alone is None:
            return None, OTHERS.format(len(tight), len(rows))
        alpha = alone
    # the other conditions of optimality
    margins = problem.y * (columns @ alpha)
    edges = columns.T @ (problem.y * incumbent.d)
    met = (
        np.abs(margins - problem.y * incumbent.scores).max() <= VERTEX_RESIDUAL
        and margins[share < 1.0 - TIGHT].min(initial=1.0) >= 1.0 - VERTEX_RESIDUAL
        and margins[share > TIGHT].max(initial=1.0) <= 1.0 + VERTEX_RESIDUAL
        and (alpha * np.sign(edges)).min(initial=0.0) >= -TIGHT * np.abs(alpha).max(initial=0.0)
    )
    if not met:
        return None, NOT_AN_OPTIMUM
    # what it rests on: points of margin up to 1, and centres that are points
    used = np.setdiff1d(place[tight[:, 1]], place[m:])
    return rests_on(margins, 1.0, place[:m], used, VERTEX_RESIDUAL), None
