"""The compression of a VKR, L1SVM or SVM solution, for its error bound.

See docs/explanation/theory.md for conditions and proofs. There is a bound only if the optimum is
proved unique, because it is unknown which of several optima the theorem selects.
"""

from __future__ import annotations

import numpy as np

from radprog.base.tolerances import TIGHT, VERTEX_RESIDUAL
from radprog.base.types import FloatArray
from radprog.decompositions.vkr.pricing import Incumbent
from radprog.instances.dataset import Dataset
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
from radprog.models.kernel_functions import KernelFunction
from radprog.models.score_rows import OWN_ROWS_REFUSED
from radprog.models.svm import bias_interval
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, SVM, VKR

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


def vkr_compression(
    spec: VKR | L1SVM, data: Dataset, problem: VotedKernels, incumbent: Incumbent
) -> Compression:
    """The number of points with margin at most 1 and the number of column centres, for a certified
    incumbent.

    If there is no bound, the result contains the reason.
    """
    # the conditions of the theorem: nothing but the rows themselves may depend on the sample
    program = spec.as_vkr()
    # (a refused scale names what serves for prices too)
    refused = every_reason(
        OWN_ROWS_REFUSED if spec.constraints else None,
        SAMPLED_REFUSED if problem.centre_rows is not None else None,
        _given(problem.bank),
        moved_by_sample(data, _scales_that_serve(program, problem.bank)),
        None if scaled_by_sample(data) else _priced_by_sample(program, data, problem.bank),
    )
    size = None
    if refused is None:
        size, refused = _vertex_size(problem, incumbent)
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
        OWN_ROWS_REFUSED if spec.constraints else None, _given(bank), moved_by_sample(data)
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


def _given(bank: KernelBank) -> str | None:
    given = [kernel.name for kernel in bank.kernels if kernel.base == "matrix"]
    return GIVEN.format(given[0]) if given else width_of_sample(bank.kernels)


def _priced_by_sample(spec: VKR, data: Dataset, bank: KernelBank) -> str | None:
    """The reason why prices depend on the sample, or None.

    Penalties ``trace`` and ``poly`` are functions of m and K(x, x). K(x, x) is constant for some
    kernels and for rows of norm 1.
    """
    if not _with_penalties(spec):
        return None
    if spec.complexity not in ("trace", "poly"):
        return (
            f"the penalty '{spec.complexity}' is computed from the sample: use "
            "`complexity='none'`, or trace with kernels of fixed K(x, x)"
        )
    for kernel in bank.kernels:
        if fixed_diagonal(kernel, data, bank):
            continue
        about = f"the penalty '{spec.complexity}' of kernel {kernel.name} depends on"
        if kernel.base == "inner":
            unit = "`scale='unit'` (no zero rows) or `complexity='none'`"
            return f"{about} the lengths of the rows: use {unit}"
        return f"{about} K(x, x), which need not be one number: use `complexity='none'`"
    return None


def _with_penalties(spec: VKR) -> bool:
    """Whether prices contain penalties that are computed by a method or a function."""
    return isinstance(spec.complexity, str) and spec.complexity != "none" and spec.lam > 0


def _scales_that_serve(spec: VKR, bank: KernelBank) -> str:
    """The scalings for which the kernels and prices of a run do not depend on the sample."""
    if not _with_penalties(spec):
        return SCALES
    bases = {kernel.base for kernel in bank.kernels}
    if spec.complexity in ("trace", "poly"):
        if bases <= set(FIXED_DIAGONAL):
            return SCALES
        if bases <= {*FIXED_DIAGONAL, "inner"} and bank.own_centres:
            return "`scale='unit'`"
    return f"{SCALES} with `complexity='none'`"


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


def _vertex_size(
    problem: VotedKernels, incumbent: Incumbent
) -> tuple[int, None] | tuple[None, str]:
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
