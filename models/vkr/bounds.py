"""Generalisation bounds of VKR: as functions of arrays, and those of a solution, with the
compression of a VKR, L1SVM or SVM solution for its error bound. Logarithms are natural.

Sources: Voted Kernel Regularization (Cortes et al.), Theorems 1 and 2; Boosting kernelized
shapelets, Lemma 2.

A classifier is f = sum_kj alpha_kj K_k(., x'_j) with alpha (p, c). The theorems are for convex
combinations of functions with values in [-1, 1], so f is rescaled. Let M_k >= |K_k|, B = sum_k M_k
|alpha_k|_1 and rho = 1/max(1, B). The function rho f is such a combination. Its margin error at rho
counts the points with y f <= 1. The complexity term is the same for all scales of the K_k.

See docs/explanation/theory.md for the conditions and proofs of the compression bound. There is one
only if the optimum is proved unique, because it is unknown which of several optima the theorem
selects.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import ON_MARGIN, TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray, IntArray
from radprog.instances.dataset import Dataset
from radprog.models.bounds import (
    SCALES,
    Bound,
    check_delta,
    compression_block,
    compression_size,
    moved_by_sample,
    only_solution,
    places,
)
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import KernelFunction
from radprog.models.score_rows import OWN_ROWS_REFUSED
from radprog.models.svm import bias_interval
from radprog.models.vkr.penalties import OWN_PENALTY
from radprog.models.vkr.problem import Incumbent, VotedKernels
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
_FITTED_SCALE = (
    "the scale rho was chosen by the fit, while the theorem fixes it in advance: a term of order "
    "sqrt(log log(2/rho) / m) is left out"
)
EXPECTED_COMPLEXITY = (
    "r_k stands in for the expected complexity of family k: the deviation of the empirical from "
    "the expected one is left out"
)
SAMPLE_CENTRES = (
    "r_k is a complexity over the sample's centres only, below that of the family, whose centres "
    "are arbitrary points"
)
LOCAL_COMPLEXITY = (
    "r_k is the complexity of only the functions of small mean square, which those of the fit "
    "need not be"
)
SAMPLE_RANGE = (
    "the size M_k of kernel k is the largest |K_k| between known points, the theorem needs it over "
    "the input space"
)
TRACE_OF_SAMPLE = (
    "r_k has the largest K(x, x) of known points, the theorem needs it over the input space"
)
ROWS_OF_SAMPLE = (
    "the rows are scaled or filled by numbers of the sample, or a width is set by it: so the class "
    "depends on it"
)
SAMPLED_MEAN = "r_k is a mean over random sign vectors, whose sampling error is left out"
CLIPPED = "n is 1: the printed ceiling is 0 or negative for so small a rho"
LACKING = (EXPECTED_COMPLEXITY, SAMPLE_CENTRES, SAMPLE_RANGE)  # where nothing is known of r and M
_UNPROVED = (
    "no complete proof of its constants is known, and the proof in print ends with the share of "
    "margins up to 3 rho / 2, not rho: a number to compare, no certificate"
)


def margin_error(margins: FloatArray) -> float:
    """The share of points with y f(x) <= 1 + 1e-9; ``margins`` are y_i f(x_i), (m,)."""
    # an optimum of a linear program has many points on the margin, give or take rounding
    return float(np.mean(margins <= 1 + ON_MARGIN))


def theorem_1(
    alpha: FloatArray,
    kernel_sizes: FloatArray,
    penalties: FloatArray,
    margins: FloatArray,
    *,
    delta: float,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound R_rho + (4/rho) sum alpha r + (2/rho) sqrt(log p / m) + sqrt(n log p / m + l).

    Source: Voted Kernel Regularization (Cortes et al.), Theorem 1. With probability 1 - delta, R(f)
    is at most this bound. Here n is ceil((4/rho^2) log(rho^2 m / log p)), l is log(2/delta) / (2m),
    and the sum is rho sum_k |alpha_k|_1 r_k. If the ceiling is below 1, n is 1, because the root
    could be undefined. The term with log p is above 1 in this case.

    ``alpha`` (p, c) contains the coefficients, ``kernel_sizes`` (p,) the numbers M_k >= |K_k|, and
    ``penalties`` (p,) the penalties r_k in units of K. ``margins`` (m,) are y_i f(x_i). ``lacking``
    has the caveats about r and M. Raises OptionError for p = 1 (see ``margin_bound``) or delta
    outside (0, 1).
    """
    inverse_rho, complexity = _rescale(alpha, kernel_sizes, penalties, delta)
    m, p = len(margins), len(alpha)
    # n functions are drawn in the proof, by which the margin is approximated
    square = inverse_rho * inverse_rho
    argument = m / (square * math.log(p))
    n = max(1, math.ceil(4 * square * math.log(argument))) if argument > 1 else 1
    terms = {
        "margin_error": margin_error(margins),
        "complexity": 4 * complexity,
        "families": 2 * inverse_rho * math.sqrt(math.log(p) / m),
        "confidence": math.sqrt(n * math.log(p) / m + math.log(2 / delta) / (2 * m)),
    }
    parameters = {"m": m, "p": p, "delta": delta, "rho": 1 / inverse_rho, "n": n}
    caveats = (_FITTED_SCALE, *lacking, *([] if argument > 1 else [CLIPPED]))
    return Bound.summed("Theorem 1", terms, caveats=caveats, parameters=parameters)


def theorem_2(
    alpha: FloatArray,
    kernel_sizes: FloatArray,
    penalties: FloatArray,
    margins: FloatArray,
    *,
    delta: float,
    tradeoff: float = 2.0,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound K/(K-1) R_rho + (6K/rho) sum alpha r + terms of order log(m)/m, for a K > 1.

    Source: Voted Kernel Regularization (Cortes et al.), Theorem 2, with the constants of its proof.
    The terms are 16 F log p/(rho^2 m) + F log(2/delta)/m + F (2n - 1) log p/m with F = max(5K, 2K +
    14/3) and n = ceil((8/rho^2) log(rho^2 (1 + K/(K-1)) m / (16 F log p))). The paper prints 8 F
    and n F with F = 5K, which its inequality (4) does not give, and 6K/rho in place of max(6K,
    12)/rho. If the ceiling is below 1, n is 1. ``tradeoff`` is K. The other arguments and the
    errors are as in ``theorem_1``.
    """
    inverse_rho, complexity = _rescale(alpha, kernel_sizes, penalties, delta)
    m, p, log_p = len(margins), len(alpha), math.log(len(alpha))
    square, ratio = inverse_rho * inverse_rho, tradeoff / (tradeoff - 1)
    # with V <= r / K the proof has 2K + 14/3, at most 5K only for K >= 14/9; the ramp from rho/2 to
    # rho has the slope 2/rho, and with it the proof has 12/rho, at most 6K/rho only for K >= 2
    five, six = max(5 * tradeoff, 2 * tradeoff + 14 / 3), max(6 * tradeoff, 12.0)
    # u = rho^2 / 8, v_1 = 1 + K/(K-1), v_2 = 2 five log p / m, of which the paper prints half
    constant = 16 * five
    argument = (1 + ratio) * m / (square * constant * log_p)
    n = max(1, math.ceil(8 * square * math.log(argument))) if argument > 1 else 1
    terms = {
        "margin_error": ratio * margin_error(margins),
        "complexity": six * complexity,
        "families": constant * square * log_p / m,
        "confidence": five * math.log(2 / delta) / m,
        "sampling": five * (2 * n - 1) * log_p / m,
    }
    parameters = {"m": m, "p": p, "delta": delta, "rho": 1 / inverse_rho, "n": n, "K": tradeoff}
    caveats = (_UNPROVED, _FITTED_SCALE, *lacking, *([] if argument > 1 else [CLIPPED]))
    return Bound.summed("Theorem 2", terms, caveats=caveats, parameters=parameters)


def margin_bound(
    alpha: FloatArray,
    penalty: float,
    margins: FloatArray,
    *,
    delta: float,
    lacking: tuple[str, ...] = LACKING,
) -> Bound:
    """The bound R_rho + (2/rho) r + 3 sqrt(log(2/delta) / (2m)) on R(f), for a single family.

    Source: Boosting kernelized shapelets, Lemma 2 (Mohri et al., 2012, Corollary 6.1). The
    empirical complexity needs log(2/delta), where the paper prints log(1/delta). Here rho =
    1/|alpha|_1, so rho f is a convex combination of +-K(., x'_j), and (2/rho) r is 2 |alpha|_1 r.
    The functions need not be bounded.

    ``alpha`` is (c,) or (1, c). ``penalty`` is r, the empirical Rademacher complexity or an upper
    bound on it. The other arguments are as in ``theorem_1``. The bound needs neither the
    expected complexity nor M_k. Raises OptionError for p > 1 or delta outside (0, 1).
    """
    weights = np.atleast_2d(alpha)
    if weights.ndim != 2 or len(weights) != 1:
        raise OptionError(f"alpha of shape {np.shape(alpha)}: this bound is for one kernel (p = 1)")
    check_delta(delta)
    m, norm = len(margins), float(np.abs(weights).sum())
    terms = {
        "margin_error": margin_error(margins),
        "complexity": 2 * norm * penalty,
        "confidence": 3 * math.sqrt(math.log(2 / delta) / (2 * m)),
    }
    parameters = {"m": m, "p": 1, "delta": delta, "norm": norm}
    needed = [caveat for caveat in lacking if caveat not in (EXPECTED_COMPLEXITY, SAMPLE_RANGE)]
    caveats = (_FITTED_SCALE, *needed)
    return Bound.summed("margin bound", terms, caveats=caveats, parameters=parameters)


def _rescale(
    alpha: FloatArray, kernel_sizes: FloatArray, penalties: FloatArray, delta: float
) -> tuple[float, float]:
    """1/rho of f as a convex combination of the families divided by their M_k, and sum_k
    |alpha_k|_1 r_k.

    See the module docstring.
    """
    if alpha.ndim != 2 or len(alpha) < 2:
        raise OptionError(
            f"alpha of shape {alpha.shape}: Theorems 1 and 2 need p > 1 kernels, alpha (p, c); "
            "for one kernel use margin_bound"
        )
    check_delta(delta)
    norms = np.abs(alpha).sum(axis=1)
    return max(1.0, float(kernel_sizes @ norms)), float(penalties @ norms)


def complexity_bounds(
    problem: VotedKernels,
    data: Dataset,
    pairs: IntArray,
    alpha: FloatArray,
    margins: FloatArray,
    r: FloatArray,
    method: object,
    delta: float,
    *,
    tradeoff: float | None = None,
    sampled: bool = False,
) -> list[Bound]:
    """The bound of Theorem 1, or the margin bound for one kernel, with the caveats.

    The coefficients alpha (r,) belong to the columns ``pairs`` (r, 2). The margins have shape (m,),
    and the complexities r (p,) are those of ``method``. If ``tradeoff`` is a number K, Theorem 2 is
    added. ``sampled``: r are means over drawn signs, without a deviation. The caveats are the
    unproved properties of the sizes M_k and of r. If K(x, x) is a constant that does not depend on
    the sample, M_k is this constant. The penalties ``trace`` and ``poly`` are then functions of m
    and this constant, so they bound the expected complexity.
    """
    # K(x, x) known before the sample: sizes are known, and penalties are not functions of it
    bank, name = problem.bank, method if isinstance(method, str) else "given"
    among = bank.own_centres or problem.centre_rows is not None  # so that |K_k| takes K(x, x)
    fixed = among and all(k.psd and fixed_diagonal(k, data, bank) for k in bank.kernels)
    diagonal = name in ("trace", "poly")
    # what a complexity that is computed from the sample leaves out
    moved = moved_by_sample(data, bank.kernels)
    omitted = {
        EXPECTED_COMPLEXITY: not (fixed and diagonal),
        SAMPLE_CENTRES: name in ("massart", "montecarlo"),
        TRACE_OF_SAMPLE: diagonal and not fixed,
        LOCAL_COMPLEXITY: name == "local",
        SAMPLED_MEAN: sampled,
        OWN_PENALTY: name not in COMPLEXITIES,
        ROWS_OF_SAMPLE: moved is not None,
        SAMPLE_RANGE: not fixed,
    }
    caveats = tuple(caveat for caveat, holds in omitted.items() if holds)
    # the theorem at the coefficients as an array (p, c)
    p, _, c = problem.bank.shape
    coefficients = np.zeros((p, c))
    coefficients[pairs[:, 0], pairs[:, 1]] = alpha
    if p == 1:
        return [margin_bound(coefficients, float(r[0]), margins, delta=delta, lacking=caveats)]
    arguments = (coefficients, problem.bank.max_abs, r, margins)
    bounds = [theorem_1(*arguments, delta=delta, lacking=caveats)]
    if tradeoff is not None:
        bounds.append(theorem_2(*arguments, delta=delta, tradeoff=tradeoff, lacking=caveats))
    return bounds


def fixed_diagonal(kernel: KernelFunction, data: Dataset, bank: KernelBank) -> bool:
    """Whether K(x, x) is the same number for all x, known independently of the sample."""
    if kernel.base in FIXED_DIAGONAL:
        return True
    # inner products of rows that scaling brought to length 1
    unit = kernel.base == "inner" and bank.own_centres and data.scaling == "unit"
    return unit and bool(data.X.any(axis=1).all())


def vkr_compression(
    spec: VKR | L1SVM, data: Dataset, problem: VotedKernels, incumbent: Incumbent
) -> dict[str, Any]:
    """The compression block of a certified incumbent: the number of points with margin at most 1
    plus the number of column centres, or the reason why there is no bound.
    """
    # the scalings for which kernels and prices do not depend on the sample, and why the prices do
    bank, none = problem.bank, "`complexity='none'`"
    method, scales, priced = spec.complexity, SCALES, None
    if isinstance(method, str) and method in ("trace", "poly") and spec.lam > 0:
        # functions of m and K(x, x): constant for some kernels, and for rows of norm 1
        bases = {kernel.base for kernel in bank.kernels} - set(FIXED_DIAGONAL)
        if bases:
            unit = bases <= {"inner"} and bank.own_centres
            scales = "`scale='unit'`" if unit else f"{SCALES} with {none}"
        moving = [k for k in bank.kernels if not fixed_diagonal(k, data, bank)]
        if moving:
            priced = f"the penalty '{method}' of kernel {moving[0].name} depends on "
            priced += (
                f"the lengths of the rows: use `scale='unit'` (no zero rows) or {none}"
                if moving[0].base == "inner"
                else f"K(x, x), which need not be one number: use {none}"
            )
    elif isinstance(method, str) and method != "none" and spec.lam > 0:
        scales = f"{SCALES} with {none}"
        priced = (
            f"the penalty '{method}' is computed from the sample: use {none}, or trace with "
            "kernels of fixed K(x, x)"
        )
    matrices = [kernel.name for kernel in bank.kernels if kernel.base == "matrix"]
    # the conditions of the theorem: nothing but the rows themselves may depend on the sample
    # (a refused scale names what serves for prices too)
    reasons = (
        OWN_ROWS_REFUSED if spec.constraints else None,
        SAMPLED_REFUSED if problem.centre_rows is not None else None,
        GIVEN.format(matrices[0]) if matrices else None,
        moved_by_sample(data, () if matrices else bank.kernels, scales),
        priced if data.scaling in ("none", "unit") else None,
    )
    refused = "; ".join(filter(None, reasons)) or None
    size, refused = (None, refused) if refused else vertex_size(problem, incumbent)
    return compression_block(data.rows, spec.delta, size, refused)


def svm_compression(
    spec: SVM, data: Dataset, bank: KernelBank, scores: FloatArray, bias: float, gap: float
) -> dict[str, Any]:
    """The number of training points of a support vector machine with margin at most 1, or the
    reason why there is no bound.

    ``scores`` (m,) is Kc at the solution, ``bias`` minimises its hinge losses, and ``gap`` is the
    objective minus the bound. The objective is 1-strongly convex in w, so |w - w*| <= sqrt(2 gap).
    The error of a score without the intercept is therefore at most shift = sqrt(2 gap max K(x, x)).
    The same holds for the end points of the interval of optimal intercepts. All points with margin
    at most 1 + slack are counted, where slack is 2 shift plus half the length of this interval.
    """
    row_reason = OWN_ROWS_REFUSED if spec.constraints else None
    (kernel,) = bank.kernels
    matrix_reason = GIVEN.format(kernel.name) if kernel.base == "matrix" else None
    reasons = filter(None, (row_reason, matrix_reason, moved_by_sample(data, bank.kernels)))
    refused = "; ".join(reasons) or None
    size = None
    if refused is None:
        # how far scores, and the ends of the interval of biases, may be from the optimum's
        shift = float(np.sqrt(2.0 * max(gap, 0.0) * np.abs(kernel.diagonal(bank.X)).max()))
        low, high = bias_interval(scores, data.signs)
        slack = TIGHT + 2.0 * shift + (high - low) / 2.0
        # points whose side of the margin is unknown count; with too many there is no bound
        if slack < 0.5:  # of margins, in their own units: an error is one of size 1
            size = compression_size(
                data.signs * (scores + bias), 1.0, np.arange(data.rows), NO_COLUMNS, slack
            )
        elif shift > (high - low) / 4.0:
            refused = f"margins are known to {slack:.2g} only: a smaller `tol` or another `solver`"
        else:
            refused = f"the bias may be anything from {low:.4g} to {high:.4g}: another `C`"
    return compression_block(data.rows, spec.delta, size, refused)


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
        solution = only_solution(columns[rows], np.where(inside[1, rows], 1.0, -1.0))
        if solution is None:
            return None, OTHERS.format(len(tight), len(rows))
        alpha = solution
    # the other conditions of optimality
    margins = problem.y * (columns @ alpha)
    edges = columns.T @ (problem.y * incumbent.d)
    is_vertex = (
        np.abs(margins - problem.y * incumbent.scores).max() <= VERTEX_RESIDUAL
        and margins[share < 1.0 - TIGHT].min(initial=1.0) >= 1.0 - VERTEX_RESIDUAL
        and margins[share > TIGHT].max(initial=1.0) <= 1.0 + VERTEX_RESIDUAL
        and (alpha * np.sign(edges)).min(initial=0.0) >= -TIGHT * np.abs(alpha).max(initial=0.0)
    )
    if not is_vertex:
        return None, NOT_AN_OPTIMUM
    # what it rests on: points of margin up to 1, and centres that are points
    used_places = np.setdiff1d(place[tight[:, 1]], place[m:])
    return compression_size(margins, 1.0, place[:m], used_places, VERTEX_RESIDUAL), None
