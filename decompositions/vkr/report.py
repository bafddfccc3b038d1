"""The report of a Voted Kernel Regularization solution: certificate, predictor and bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.expansion import KernelExpansion, signs, training_block
from radprog.decompositions.run import Outcome, RunSettings, SolverUse
from radprog.decompositions.vkr.compression import fixed_diagonal, of_sample, vkr_compression
from radprog.decompositions.vkr.pricing import Incumbent, Solved, constraint_block
from radprog.instances.dataset import Dataset
from radprog.models.bounds import Bound
from radprog.models.complexity import massart
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
from radprog.models.vkr.settings import COMPLEXITIES, L1SVM, VKR


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
    return Outcome(
        method=method,
        reason=solved.reason,
        objective=incumbent.value,
        bound=incumbent.bound,
        trace=solved.trace,
        solver=SolverUse(solver or "none", solved.version, settings.solver_options),
        fit=expansion(problem, incumbent),
        summary=summarise(problem, penalties, incumbent),
        evidence={
            "pairs": incumbent.pairs.tolist(),
            "alpha": incumbent.alpha.tolist(),
            "d": incumbent.d[: problem.m].tolist(),
            **({"mu": incumbent.d[problem.m :].tolist()} if len(problem.rows) else {}),
            "penalties": penalties.r.tolist(),
            "columns": solved.pairs.tolist(),
        },
        program=partial(build_dual, problem, solved.pairs),
        columns=len(solved.pairs),
        warnings=(*problem.bank.warnings, *penalties.warnings, *solved.warnings),
        extra={
            "bounds": generalisation_bounds(spec, data, problem, incumbent),
            "compression": vkr_compression(spec, data, problem, incumbent).to_dict(),
            **constraint_block(problem, incumbent),
        },
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


def summarise(problem: VotedKernels, penalties: Penalties, incumbent: Incumbent) -> dict[str, Any]:
    """The ``fit`` block of a result: counts, the weight of each family, penalties and screening."""
    pairs, alpha = incumbent.pairs, incumbent.alpha
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
    return summary
