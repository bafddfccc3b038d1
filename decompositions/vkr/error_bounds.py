"""Error bounds of VKR and the support vector machine that need the data.

For Monte Carlo complexities, they add a term for the sampling error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.decompositions.analyses import FunctionClass, ball_class
from radprog.decompositions.vkr.fit import assemble, stored_coefficients
from radprog.decompositions.vkr.fit_svm import psd_bank
from radprog.instances.dataset import Dataset
from radprog.models.bounds import FITTED_SIZE, Bound, moved_by_sample, trace_bound
from radprog.models.complexity import finite_suprema, massart
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.bounds import (
    ROWS_OF_SAMPLE,
    complexity_bounds,
    fixed_diagonal,
)
from radprog.models.vkr.penalties import kernel_penalties, lemma_4_factor, trace_penalty
from radprog.models.vkr.settings import L1SVM, SVM, VKR

FEWEST, MOST_SIGNS = 20, 1000
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
    and the Monte Carlo estimate, which uses half of delta for the sampling error. Raises DataError
    if the points do not match the data.
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
    return bounds


def svm_error_bounds(
    spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, delta: float
) -> list[Bound]:
    """Theorem 21 of Bartlett and Mendelson for the kernel K + kappa^2 at margin 1, where kappa^2 is
    max K(x, x).
    """
    bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
    K, bias = bank.gram(0), float(evidence["bias"])
    c = np.asarray(evidence["a"], dtype=np.float64) * data.signs
    kappa2 = float(np.abs(K.diagonal()).max()) or 1.0
    scores = K @ c
    ball = [(math.sqrt(max(float(c @ scores), 0.0) + bias**2 / kappa2), K.diagonal() + kappa2)]
    # the norm is that of the fit, and the class may depend on the sample
    omitted = {
        FITTED_SIZE: True,
        SCALE_OF_SAMPLE: not fixed_diagonal(bank.kernels[0], data, bank),
        ROWS_OF_SAMPLE: moved_by_sample(data, bank.kernels) is not None,
    }
    caveats = tuple(caveat for caveat, holds in omitted.items() if holds)
    margins = data.signs * (scores + bias)
    name = "Bartlett and Mendelson, Theorem 21"
    return [trace_bound(name, margins, ball, delta, caveats=caveats)]


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
