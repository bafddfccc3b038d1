"""The support vector machine: its dual is solved by libsvm or a QP solver, and the solution is
certified.

Linear constraints on the scores introduce multipliers in the dual.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import DataError, OptionError, SolverError
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import ExactPair
from radprog.decompositions.conflicts import refuse_conflict
from radprog.decompositions.exact_svm import ExactSvm
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import Budget, first_step
from radprog.decompositions.run import (
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    packed,
    supporting,
)
from radprog.decompositions.svm import SvmDual, SvmPoint
from radprog.decompositions.vkr.pricing import independent_columns
from radprog.instances.dataset import Dataset
from radprog.models.complexity import psd_spectrum
from radprog.models.exact import ExactKernels
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.score_arrays import ScoreRows, arrays_of
from radprog.models.score_rows import refuse_rows
from radprog.models.svm import (
    build_svm_dual,
    coefficients,
    curvature_loss,
    svm_feasible,
    svm_values,
)
from radprog.models.vkr.bounds import svm_compression
from radprog.models.vkr.settings import SVM


def evaluate_svm(
    K: FloatArray, y: FloatArray, C: float | FloatArray, rows: ScoreRows | None, x: FloatArray
) -> SvmPoint:
    """The feasible point near the multipliers x = (a, mu) (m + R,), with its objective and
    bound.
    """
    if rows is None:
        a = svm_feasible(y, C, x)
        return SvmPoint(a, np.zeros(0), *svm_values(K, y, C, a))
    # with rows 1'v = 0 is not kept here: its error is taken off the bound
    a = np.clip(x[: len(y)], 0.0, C)
    mu = rows.without_opposites(rows.feasible(x[len(y) :]))
    return SvmPoint(a, mu, *svm_values(K, y, C, a, rows, mu))


def fit_svm(spec: SVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual with libsvm (default) or any QP solver, and certify the gap to the primal
    value.

    ``max_iter`` limits the iterations of libsvm. If it is set, libsvm is the only solver. With
    constraints, the default solver is PIQP. Raises OptionError unless the kernel matrix is
    symmetric positive semidefinite. Otherwise the dual is nonconvex. Raises SettingError with a
    conflict if no scores satisfy the constraints.
    """
    settings.method_of(spec)
    if spec.constraints and settings.solver == "libsvm":
        raise OptionError("libsvm takes no constraints: leave `solver` out, or name a QP solver")
    budget = settings.budget()
    with first_step(budget):
        # a kernel matrix that is not PSD has no convex dual
        bank = psd_bank(spec, data)
        K, y, C, rows = bank.gram(0), data.signs, costs_of(spec, data), rows_of_svm(spec, data)
        budget.kernels = budget.seconds
        try:
            arrays = None if rows is None else (rows.G, rows.T, rows.h)
            evaluate = partial(evaluate_svm, K, y, C, rows)
            dual = SvmDual(K=K, y=y, C=C, evaluate=evaluate, rows=arrays)
            solved = dual.solve(settings, budget)
        except SolverError:
            # constraints that contradict each other leave the dual unbounded
            refuse_rows_of(K, rows, settings, budget)
            raise
        if not np.isfinite(solved.objective):
            refuse_rows_of(K, rows, settings, budget)
    return packed(spec, settings, budget, outcome_of(spec, data, bank, rows, solved))


def refuse_rows_of(
    K: FloatArray, rows: ScoreRows | None, settings: RunSettings, budget: Budget
) -> None:
    """Raise SettingError with a conflict if no scores f = K c + b 1 satisfy the constraints."""
    if rows is None or rows.zero:
        return
    columns = np.column_stack([K, np.ones(len(K))])
    columns = columns[:, independent_columns(columns)]

    def images(G: sparse.csr_array) -> FloatArray:
        # what rounding left of 0 is 0
        products = np.asarray(G @ columns)
        products[np.abs(products) <= len(K) * np.finfo(float).eps * abs(G).max()] = 0.0
        return products

    refuse_conflict(rows, images, settings, budget)


def psd_bank(spec: SVM, data: Dataset) -> KernelBank:
    """The kernel of the points. Raises OptionError if its matrix is not positive semidefinite."""
    bank = KernelBank([parse_kernels(spec.kernels)[0]], data.X)
    kernel = bank.kernels[0]
    if kernel.psd:
        return bank
    try:
        psd_spectrum(bank.gram(0))
    except OptionError as error:
        raise OptionError(f"kernel {kernel.name}: {error}, and svm needs one") from None
    return bank


def svm_dual_of(spec: SVM, data: Dataset) -> pyo.ConcreteModel:
    """The dual program with a multiplier for each constraint."""
    K = KernelBank([parse_kernels(spec.kernels)[0]], data.X).gram(0)
    return build_svm_dual(K, data.signs, costs_of(spec, data), rows_of_svm(spec, data))


def costs_of(spec: SVM, data: Dataset) -> float | FloatArray:
    """The cost of each row: C, or C w_i (m,) for weights w_i.

    A row with weight w_i has the same loss as w_i equal rows.
    """
    return spec.C if data.weights is None else spec.C * data.weights


def rows_of_svm(spec: SVM, data: Dataset) -> ScoreRows | None:
    """The constraints on the scores, or None."""
    return arrays_of(spec.constraints, data.rows) if spec.constraints else None


def outcome_of(
    spec: SVM,
    data: Dataset,
    bank: KernelBank,
    rows: ScoreRows | None,
    point: SvmPoint,
) -> Outcome:
    """The outcome for a point: its recomputed values and its predictor."""
    kernel, K, y = bank.kernels[0], bank.gram(0), data.signs
    # a given matrix may be indefinite within its tolerance
    bound = point.bound
    if not kernel.psd:
        bound -= curvature_loss(K, costs_of(spec, data), point.a)
    # f = sum_i v_i k(., x_i) + b over the points whose coefficient counts
    v = coefficients(y, point.a, rows, point.mu)
    support = supporting(v, K.diagonal())
    expansion = KernelExpansion.of_kernel(kernel.name, data.X, v, support, point.bias)
    scores = K @ v
    evidence: dict[str, Any] = {"a": point.a.tolist(), "bias": point.bias}
    extra: dict[str, Any] = {}
    # what it rests on, and what its constraints are worth
    compression = svm_compression(spec, data, bank, scores, point.bias, point.objective - bound)
    if rows is not None:
        evidence["mu"] = point.mu.tolist()
        extra["constraints"] = rows.values(scores + point.bias, point.mu)
    return Outcome(
        reason=point.reason,
        objective=point.objective if np.isfinite(point.objective) else None,
        bound=bound,
        solver=point.solver,
        fit=expansion,
        summary=expansion.summary(data.X, y, K, data.weights),
        evidence=evidence,
        program=partial(svm_dual_of, spec, data),
        columns=len(support),
        warnings=bank.warnings,
        extra={"compression": compression, **extra},
    )


def recompute_svm(spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> Recomputed:
    """The objective and bound of the stored multipliers, recomputed from the data.

    Raises DataError if they do not match the data.
    """
    a, mu = (np.asarray(evidence.get(key, ()), dtype=np.float64) for key in ("a", "mu"))
    return outcome_at(spec, data, a, mu)


def outcome_at(spec: SVM, data: Dataset, a: FloatArray, mu: FloatArray) -> Outcome:
    """The outcome for multipliers a (m,) of the points and mu (R,) of the constraints. Raises
    DataError if a shape is wrong.
    """
    bank, rows = KernelBank([parse_kernels(spec.kernels)[0]], data.X), rows_of_svm(spec, data)
    if a.shape != (data.rows,):
        raise DataError("the multipliers do not fit this data set: other points")
    if mu.shape != (0 if rows is None else len(rows),):
        raise DataError("the multipliers do not fit the constraints: other rows")
    costs = costs_of(spec, data)
    point = evaluate_svm(bank.gram(0), data.signs, costs, rows, np.concatenate([a, mu]))
    return outcome_of(spec, data, bank, rows, point)


def prove_svm(spec: SVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The stored multipliers, or the exact solution near them, with their objective and bound in
    exact arithmetic.

    Raises DataError if the multipliers do not match the data. Raises OptionError if the values of
    the kernel cannot be enclosed.
    """
    refuse_rows(spec.constraints, "of svm with constraints on scores is nothing proved")
    exact = ExactSvm(
        exact=ExactKernels(parse_kernels(spec.kernels), data.X),
        y=data.signs.astype(int).tolist(),
        C=Fraction(spec.C),
        unit=Fraction(1),
        bias=True,
    )
    return exact.prove(np.asarray(evidence["a"], dtype=np.float64), {"C": spec.C})
