"""Bounds of the error of a voted kernel machine that need its data once more: complexities by Monte
Carlo with the price of their sampling, and the best margin of a grid fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.vkr.compression import fixed_diagonal
from radprog.decompositions.vkr.fit import assemble, stored_coefficients
from radprog.decompositions.vkr.report import complexity_bounds, lacking
from radprog.instances.dataset import Dataset
from radprog.models.bounds import Bound
from radprog.models.complexity import draw_signs
from radprog.models.compression import moved_by_sample
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.bounds import grid_bound
from radprog.models.vkr.penalties import kernel_penalties
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, SVM, VKR

PRODUCTS = 1e10  # of kernel values with signs, up to which more sign vectors are drawn
FEWEST, MOST_SIGNS, SIGN_BLOCK = 20, 1000, 64
SCALE_OF_SAMPLE = "the kernels are scaled by the largest K(x, x) of known points"
ROWS_OF_SAMPLE = (
    "the rows are scaled or filled by numbers of the sample: so the class depends on it"
)
SAMPLE_CENTRES_ONLY = (
    "of the sample's own centres alone: below the complexity of the class that the theorem is about"
)


@dataclass(frozen=True, kw_only=True)
class SignedSums:
    """Means over T sign vectors: of max_k sqrt(s'K_k s) / (m kappa_k) (any centre), of
    max_j |s'K_k(., x_j)| / m per kernel (p,), and of the largest of K_k / kappa_k^2 together."""

    trials: int
    anywhere: float | None
    per_kernel: FloatArray
    together: float


def vkr_error_bounds(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, delta: float
) -> list[Bound]:
    """Theorems 1 and 2, or the margin bound of one kernel, with Massart's and the Monte Carlo
    complexity, and the margin bound of all kernels together at the best margin of a grid.

    The Monte Carlo ones spend half of delta on their sampling. DataError where points do not fit.
    """
    program = spec.as_vkr()
    problem, _ = assemble(program, data, seed)
    pairs, alpha, _ = stored_coefficients(problem, evidence)
    bank, m = problem.bank, problem.m
    margins = problem.y * (bank.columns(pairs) @ alpha)
    sums = _signed_sums(bank, seed)
    sampling = math.sqrt(2.0 * math.log(2.0 * len(bank.kernels) / delta) / (m * sums.trials))
    found = []
    for name, method, r, share in (
        ("trace", "trace", _penalties(bank, "trace"), delta),
        ("Massart", "massart", _penalties(bank, "massart"), delta),
        ("Monte Carlo", "montecarlo", sums.per_kernel + bank.max_abs * sampling, delta / 2.0),
    ):
        if r is not None:
            caveats = lacking(method, problem, data)
            given = problem, pairs, alpha, margins, r, share, caveats
            found += [
                _named(bound, f"{bound.name}, {name}", delta)
                for bound in complexity_bounds(*given, printed=True)
            ]
    return found + _presumed(_on_grid(problem, pairs, alpha, margins, sums, delta), data, bank)


def _presumed(found: Sequence[Bound], data: Dataset, bank: KernelBank) -> list[Bound]:
    """Bounds with the caveats of a class that is known only with the sample."""
    caveats: tuple[str, ...] = ()
    if not all(fixed_diagonal(kernel, data, bank) for kernel in bank.kernels):
        caveats += (SCALE_OF_SAMPLE,)
    if moved_by_sample(data) is not None:
        caveats += (ROWS_OF_SAMPLE,)
    return [replace(bound, caveats=(*bound.caveats, *caveats)) for bound in found]


def _named(bound: Bound, name: str, delta: float) -> Bound:
    return replace(bound, name=name, parameters={**bound.parameters, "delta": delta})


def _penalties(bank: KernelBank, method: str) -> FloatArray | None:
    try:
        return kernel_penalties(bank, method).r
    except OptionError:  # of a kernel without a diagonal or feature map
        return None


def _scales(bank: KernelBank) -> FloatArray:
    """At least |K_k| between points and centres (p,): the largest K_k(x, x) where a kernel is
    positive semidefinite, so kappa_k^2."""
    sizes = [
        max(float(kernel.diagonal(Z).max()) for Z in (bank.X, bank.centres))
        if kernel.psd
        else float(bank.max_abs[k])
        for k, kernel in enumerate(bank.kernels)
    ]
    return np.where(np.array(sizes) > 0, sizes, 1.0)


def _signed_sums(bank: KernelBank, seed: int) -> SignedSums:
    p, m, c = bank.shape
    trials = int(np.clip(PRODUCTS / (p * m * c), FEWEST, MOST_SIGNS))
    scales = _scales(bank)
    psd = all(kernel.psd for kernel in bank.kernels)
    signs = draw_signs(m, trials, seed, "rademacher")
    anywhere, per_kernel, together = [], [], []
    for start in range(0, trials, SIGN_BLOCK):
        V = signs[start : start + SIGN_BLOCK].T
        products = bank.correlate(V)  # (p, c, T)
        largest = np.abs(products).max(axis=1) / m
        per_kernel.append(largest)
        together.append((largest / scales[:, None]).max(axis=0))
        if psd:
            energies = np.einsum("kjt,jt->kt", products[:, :m], V)
            lengths = np.sqrt(np.maximum(energies, 0.0)) / (m * np.sqrt(scales)[:, None])
            anywhere.append(lengths.max(axis=0))
    return SignedSums(
        trials=trials,
        anywhere=float(np.concatenate(anywhere).mean()) if psd else None,
        per_kernel=np.concatenate(per_kernel, axis=1).mean(axis=1),
        together=float(np.concatenate(together).mean()),
    )


def _on_grid(
    problem: VotedKernels,
    pairs: IntArray,
    alpha: FloatArray,
    margins: FloatArray,
    sums: SignedSums,
    delta: float,
) -> list[Bound]:
    """f / B is a convex combination of +-K_k(., x') / kappa_k^2, B = sum kappa_k^2 |alpha_k|_1: one
    class for all kernels, of values in [-1, 1], whose complexity is that of their union."""
    bank, m = problem.bank, problem.m
    scales = _scales(bank)
    total = float(scales[pairs[:, 0]] @ np.abs(alpha))
    values = margins / total if total > 0 else np.zeros(m)
    sampling = math.sqrt(2.0 * math.log(2.0 / delta) / (m * sums.trials))
    found = []
    if sums.anywhere is not None:
        traces = [float(bank.diagonal(k).sum()) / scales[k] for k in range(len(scales))]
        analytic = math.sqrt(math.fsum(traces)) / m
        found.append(grid_bound(values, analytic, delta, name="margin grid, trace"))
        known = sums.anywhere + sampling
        bound = grid_bound(values, known, delta / 2.0, name="margin grid, Monte Carlo")
        found.append(_named(bound, bound.name, delta))
    known = sums.together + sampling
    bound = grid_bound(values, known, delta / 2.0, name="margin grid, Monte Carlo, own centres")
    bound = replace(bound, caveats=(*bound.caveats, SAMPLE_CENTRES_ONLY))
    found.append(_named(bound, bound.name, delta))
    return found


def svm_error_bounds(
    spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, delta: float
) -> list[Bound]:
    """The margin bound of {x -> <w, phi(x)> + b: |w|^2 + (b/kappa)^2 <= 1} at the best margin of a
    grid, kappa^2 = max K(x, x): the complexity by its trace, and by Monte Carlo."""
    bank, m = KernelBank([parse_kernels(spec.kernels)[0]], data.X), data.rows
    K, bias = bank.gram(0), float(evidence["bias"])
    c = np.asarray(evidence["a"], dtype=np.float64) * data.signs
    kappa2 = float(np.abs(K.diagonal()).max()) or 1.0
    scores = K @ c
    norm = math.sqrt(max(float(c @ scores), 0.0) + bias**2 / kappa2)
    kappa = math.sqrt(2.0 * kappa2)  # the largest value of the class
    values = data.signs * (scores + bias) / (norm * kappa if norm > 0 else 1.0)
    analytic = math.sqrt(float(K.trace()) + m * kappa2) / (m * kappa)
    trials = int(np.clip(PRODUCTS / m**2, FEWEST, MOST_SIGNS))
    signs = draw_signs(m, trials, seed, "rademacher")
    energies = np.einsum("ti,ti->t", signs @ K, signs) + kappa2 * signs.sum(axis=1) ** 2
    sampled = float(np.sqrt(np.maximum(energies, 0.0)).mean()) / (m * kappa)
    sampled += math.sqrt(2.0 * math.log(2.0 / delta) / (m * trials))
    found = [
        grid_bound(values, analytic, delta, name="margin grid, trace"),
        _named(
            grid_bound(values, sampled, delta / 2.0, name="margin grid, Monte Carlo"),
            "margin grid, Monte Carlo",
            delta,
        ),
    ]
    return _presumed(found, data, bank)
