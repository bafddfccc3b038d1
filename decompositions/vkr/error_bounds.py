"""Error bounds of VKR and the support vector machine that need the data.

The bounds use Monte Carlo complexities, the best margin on a grid fixed in advance, or both. For
Monte Carlo complexities, they add a term for the sampling error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import FunctionClass, ball_class
from radprog.decompositions.vkr.fit import assemble, stored_coefficients
from radprog.decompositions.vkr.fit_svm import psd_bank
from radprog.instances.dataset import Dataset
from radprog.models.bounds import FITTED_SIZE, Bound, moved_by_sample, trace_bound
from radprog.models.complexity import draw_signs, finite_suprema, massart
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.bounds import (
    ROWS_OF_SAMPLE,
    complexity_bounds,
    fixed_diagonal,
    grid_bound,
)
from radprog.models.vkr.penalties import kernel_penalties, lemma_4_factor, trace_penalty
from radprog.models.vkr.settings import L1SVM, SVM, VKR

FEWEST, MOST_SIGNS, SIGN_BLOCK = 20, 1000, 64
#: Complexities that the bounds of several kernels are computed with: their names and penalties.
COMPLEXITY_ROWS = (
    ("trace", "trace"),
    ("Lemma 4", "poly"),
    ("Massart", "massart"),
    ("Monte Carlo", "montecarlo"),
)
SCALE_OF_SAMPLE = "the kernels are scaled by the largest K(x, x) of known points"


def vkr_error_bounds(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, delta: float
) -> list[Bound]:
    """The bounds of Theorems 1 and 2, or the margin bound for one kernel, for several complexities.

    The complexities are the trace bound (Lemma 3), Lemma 4 for polynomial kernels, Massart's bound,
    and the Monte Carlo estimate. If all kernels are positive semidefinite, their joint margin bound
    at the best grid margin is added. Bounds with Monte Carlo estimates use half of delta for the
    sampling error. Raises DataError if the points do not match the data.
    """
    problem, _ = assemble(spec, data, seed)
    pairs, alpha, _ = stored_coefficients(problem, evidence)
    bank, m = problem.bank, problem.m
    margins = problem.y * (bank.columns(pairs) @ alpha)
    bounds: list[Bound] = []
    for name, method in COMPLEXITY_ROWS:
        trials, share = _trials(bank), delta
        try:
            r = kernel_penalties(
                bank, method, trials=trials if method == "montecarlo" else None, seed=seed
            ).r
        except OptionError:  # of a kernel without a diagonal or feature map, or no polynomial
            continue
        if method == "poly":
            r = r * lemma_4_factor(m)
        if method == "montecarlo":
            # McDiarmid: a sign changes the mean of T suprema by at most 2 M_k / (m T)
            share = delta / 2.0
            r = r + bank.max_abs * _sampling_error(len(bank.kernels), share, m, trials)
        arguments = problem, data, pairs, alpha, margins, r, method, share
        bounds += [
            _renamed(bound, f"{bound.name}, {name}", delta)
            for bound in complexity_bounds(*arguments, tradeoff=spec.tradeoff)
        ]
    # a feature map, which the class of any centre needs
    if not all(kernel.psd for kernel in bank.kernels):
        return bounds
    # f / B is a convex combination of +-K_k(., x') / kappa_k^2, B = sum kappa_k^2 |alpha_k|_1: one
    # class for all kernels, of values in [-1, 1], whose complexity is that of their union
    points = bank if bank.own_centres else KernelBank(bank.kernels, bank.X)
    sizes = [
        max(float(kernel.diagonal(Z).max()) for Z in (bank.X, bank.centres))
        for kernel in bank.kernels
    ]
    scales = np.array([size if size > 0 else 1.0 for size in sizes])
    total = float(scales[pairs[:, 0]] @ np.abs(alpha))
    values = margins / total if total > 0 else np.zeros(m)
    traces = [float(bank.kernels[k].diagonal(bank.X).sum()) / scales[k] for k in range(len(scales))]
    trace = math.sqrt(math.fsum(traces)) / m
    return [*bounds, *_grid_bounds(values, trace, points, scales, data, seed, delta)]


def svm_error_bounds(
    spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, delta: float
) -> list[Bound]:
    """The margin bound of {x -> <w, phi(x)> + b: |w|^2 + (b/kappa)^2 <= 1} at the best grid margin.

    Here kappa^2 = max K(x, x). One bound uses the trace bound on the complexity, and another uses
    the Monte Carlo estimate. The last bound is Theorem 21 of Bartlett and Mendelson for the kernel
    K + kappa^2 at margin 1.
    """
    bank, m = KernelBank([parse_kernels(spec.kernels)[0]], data.X), data.rows
    K, bias = bank.gram(0), float(evidence["bias"])
    c = np.asarray(evidence["a"], dtype=np.float64) * data.signs
    kappa2 = float(np.abs(K.diagonal()).max()) or 1.0
    # the classifier in the class, whose largest value is kappa sqrt(2)
    scores = K @ c
    size = math.sqrt(max(float(c @ scores), 0.0) + bias**2 / kappa2)
    norm, margins = size * math.sqrt(2.0 * kappa2), data.signs * (scores + bias)
    values = margins / (norm if norm > 0 else 1.0)
    trace = math.sqrt((float(K.trace()) + m * kappa2) / (2.0 * kappa2)) / m
    scales = np.array([2.0 * kappa2])
    grid = _grid_bounds(values, trace, bank, scales, data, seed, delta, bias=kappa2)
    ball = [(size, K.diagonal() + kappa2)]
    caveats = FITTED_SIZE, *grid[0].caveats
    return [
        *grid,
        trace_bound("Bartlett and Mendelson, Theorem 21", margins, ball, delta, caveats=caveats),
    ]


def _grid_bounds(
    values: FloatArray,
    trace: float,
    points: KernelBank,
    scales: FloatArray,
    data: Dataset,
    seed: int,
    delta: float,
    bias: float = 0.0,
) -> list[Bound]:
    """Two margin bounds for a class with ``values`` (m,), from the complexity bound ``trace`` and
    from a Monte Carlo estimate.

    The estimate is the mean over sign vectors s of max_k sqrt((s'K_k s + bias (1's)^2) / scales_k)
    / m.
    """
    m, trials = len(values), _trials(points)
    signs = draw_signs(m, trials, seed, "rademacher")
    norms = []
    for start in range(0, trials, SIGN_BLOCK):
        V = signs[start : start + SIGN_BLOCK].T
        # norms of the images of the sign vectors in the feature spaces
        energies = np.einsum("kjt,jt->kt", points.correlate(V), V) + bias * V.sum(axis=0) ** 2
        norms.append(np.sqrt(np.maximum(energies, 0.0) / scales[:, None]).max(axis=0) / m)
    sampled = float(np.concatenate(norms).mean()) + _sampling_error(1, delta / 2.0, m, trials)
    by_trace = grid_bound(values, trace, delta, name="margin grid, trace")
    by_signs = grid_bound(values, sampled, delta / 2.0, name="margin grid, Monte Carlo")
    # a class that depends on the sample
    caveats: tuple[str, ...] = ()
    if not all(fixed_diagonal(kernel, data, points) for kernel in points.kernels):
        caveats += (SCALE_OF_SAMPLE,)
    if moved_by_sample(data, points.kernels):
        caveats += (ROWS_OF_SAMPLE,)
    return [
        replace(_renamed(bound, bound.name, delta), caveats=(*bound.caveats, *caveats))
        for bound in (by_trace, by_signs)
    ]


def _sampling_error(families: int, delta: float, m: int, trials: int) -> float:
    """The deviation bound of the mean over T sign vectors, for suprema of values in [-1, 1]."""
    return math.sqrt(2.0 * math.log(families / delta) / (m * trials))


def _trials(bank: KernelBank) -> int:
    p, m, c = bank.shape
    # as many sign vectors as 1e10 products of kernel values and signs allow
    return int(np.clip(1e10 / (p * m * c), FEWEST, MOST_SIGNS))


def _renamed(bound: Bound, name: str, delta: float) -> Bound:
    return replace(bound, name=name, parameters={**bound.parameters, "delta": delta})


def vkr_classes(spec: VKR | L1SVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """For each kernel, the class H_k = {x -> +-K_k(x, x_j): all points x_j} with exact suprema and
    the smaller one of Massart's bound and Lemma 3, which needs a positive semidefinite kernel.
    """
    if isinstance(spec, VKR) and spec.centres is not None:
        raise OptionError("complexity is that of the points' own kernels: leave `centres` out")
    classes = []
    for kernel in parse_kernels(spec.kernels):
        bank = KernelBank([kernel], data.X)
        uppers = [(massart(bank.column_norms[0], data.rows), "Massart")]
        if kernel.psd:
            diagonal = bank.gram(0).diagonal()
            uppers.append((trace_penalty(diagonal, math.sqrt(diagonal.max())), "Lemma 3"))
        upper, method = min(uppers)
        classes.append(
            FunctionClass(
                name=kernel.name,
                m=data.rows,
                suprema=finite_suprema(bank.gram(0), both_signs=True),
                exact=True,
                upper=upper,
                upper_by=method,
            )
        )
    return classes


def svm_classes(spec: SVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class {x -> w'phi(x): |w| <= 1} of Theorem 5 of Discriminative Similarity, with B = 1.

    The suprema are exact, and the upper bound is the trace bound (55).
    """
    bank = psd_bank(spec, data)
    return [ball_class(f"{bank.kernels[0].name}, norm 1", [bank.gram(0)])]
