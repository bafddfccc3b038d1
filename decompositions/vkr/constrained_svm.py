"""The support vector machine under constraints in its scores: one quadratic program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.errors import DataError, OptionError, SettingError
from radprog.base.limits import under
from radprog.base.tolerances import INTERIOR_SVM_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.conflicts import conflict_words
from radprog.decompositions.expansion import KernelExpansion, supporting
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import Outcome, Recomputed, RunSettings, SolverUse
from radprog.instances.dataset import Dataset
from radprog.models.compression import Compression
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.score_rows import (
    OWN_ROWS_REFUSED,
    FamilyCap,
    ScoreRow,
    ScoreRows,
    constraint_values,
)
from radprog.models.svm import build_svm_dual, curvature_loss
from radprog.models.vkr.settings import SVM
from radprog.models.vkr.svm_rows import build_constrained_dual, constrained_values, expansion_of
from radprog.solvers.program import Program, Status
from radprog.solvers.registry import solve_program

if TYPE_CHECKING:
    import pyomo.environ as pyo


def svm_dual_of(spec: SVM, data: Dataset) -> pyo.ConcreteModel:
    """The dual of the machine, with a multiplier for each constraint where there are some."""
    K, rows = KernelBank([parse_kernels(spec.kernels)[0]], data.X).gram(0), rows_of_svm(spec, data)
    if len(rows):
        return build_constrained_dual(K, data.signs, spec.C, rows)
    return build_svm_dual(K, data.signs, costs_of(spec, data))


def costs_of(spec: SVM, data: Dataset) -> float | FloatArray:
    """C, or C w_i of every row (m,): a row of weight w_i loses what w_i equal rows do."""
    return spec.C if data.weights is None else spec.C * data.weights


def rows_of_svm(spec: SVM, data: Dataset) -> ScoreRows:
    """The constraints over the points; OptionError for a cap, as there is one kernel alone."""
    rows = spec.constraints or ()
    if caps := [row.name for row in rows if isinstance(row, FamilyCap)]:
        raise OptionError(f"constraint '{caps[0]}': svm has one kernel, whose norm C weighs")
    return ScoreRows.of_points([row for row in rows if isinstance(row, ScoreRow)], data.rows)


def solve_constrained(
    spec: SVM, data: Dataset, bank: KernelBank, settings: RunSettings, budget: Budget
) -> Outcome:
    """The dual by PIQP or another solver of quadratic programs, with values that are recomputed.

    Raises SettingError with an irreducible conflict where no scores keep the constraints,
    OptionError for libsvm, which takes none.
    """
    if settings.solver == "libsvm":
        raise OptionError("libsvm takes no constraints: leave --solver out, or name a QP solver")
    rows, K, y = rows_of_svm(spec, data), bank.gram(0), data.signs
    if not rows.met(np.zeros(len(y))):
        _refuse_conflict(K, rows, settings, budget)
    with under(budget):
        program, units = _scaled(K, y, spec.C, rows)
    name = settings.solver or "piqp"
    asked = settings.for_solver(budget, None if settings.solver else INTERIOR_SVM_GAP)
    solution = solve_program(program, name, asked)
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    x = np.zeros(len(units)) if solution.x is None else solution.x * units
    outcome = outcome_at(spec, data, bank, rows, x[: len(y)], x[len(y) :])
    return replace(
        outcome,
        reason=budget.cut if cut else Reason.SOLVER,
        solver=SolverUse(name, solution.version, settings.solver_options),
    )


def _scaled(K: FloatArray, y: FloatArray, C: float, rows: ScoreRows) -> tuple[Program, FloatArray]:
    """The dual as a minimisation, in units (m + R,) of its variables: C, and C over the largest
    entry of a row; the objective over C."""
    from scipy import sparse

    units = C * np.concatenate([np.ones(len(y)), 1.0 / rows.sizes])
    images = np.vstack([np.diag(y), -rows.G]) * units[:, None]
    quadratic = images @ K @ images.T / C
    n = len(units)
    return (
        Program(
            cost=np.concatenate([-np.ones(len(y)), rows.h]) * units / C,
            rows=sparse.csr_array(images.sum(axis=1)[None, :] / C),
            row_lower=np.zeros(1),
            row_upper=np.zeros(1),
            lower=np.zeros(n),
            upper=np.append(np.ones(len(y)), np.full(len(rows), np.inf)),
            integer=np.zeros(n, dtype=np.bool_),
            column_names=tuple(f"a({i})" for i in range(n)),
            row_names=("balance",),
            quadratic=sparse.csc_array((quadratic + quadratic.T) / 2.0),
        ),
        units,
    )


def _refuse_conflict(K: FloatArray, rows: ScoreRows, settings: RunSettings, budget: Budget) -> None:
    """SettingError where no coefficients and bias keep the rows."""
    from scipy import sparse

    images = np.hstack([rows.G @ K, rows.G.sum(axis=1)[:, None]])
    images[np.abs(images) <= len(K) * np.finfo(float).eps * np.abs(rows.G).max()] = 0.0
    n, R = images.shape[1], len(rows)
    program = Program(
        cost=np.zeros(n),
        rows=sparse.csr_array(images / rows.sizes[:, None]),
        row_lower=np.full(R, -np.inf),
        row_upper=rows.h / rows.sizes,
        lower=np.full(n, -np.inf),
        upper=np.full(n, np.inf),
        integer=np.zeros(n, dtype=np.bool_),
        column_names=tuple(f"c({i})" for i in range(n)),
        row_names=tuple(f"row({r})" for r in range(R)),
    )
    told = conflict_words(program, rows.names, settings, budget)
    if told is not None:
        raise SettingError(told)


def outcome_at(
    spec: SVM, data: Dataset, bank: KernelBank, rows: ScoreRows, a: FloatArray, mu: FloatArray
) -> Outcome:
    """What multipliers a (m,) and mu (R,) are worth, with their predictor."""
    K, y = bank.gram(0), data.signs
    a, mu = np.clip(a, 0.0, spec.C), np.maximum(mu, 0.0)
    objective, bias, bound = constrained_values(K, y, spec.C, rows, a, mu)
    if not bank.kernels[0].psd:
        bound -= curvature_loss(K, spec.C, a)
    v = expansion_of(y, rows, a, mu)
    support = supporting(v, K.diagonal())
    expansion = KernelExpansion.of_kernel(bank.kernels[0].name, data.X, v, support, bias)
    values = rows.G @ (K @ v + bias)
    return Outcome(
        objective=objective if np.isfinite(objective) else None,
        bound=bound,
        fit=expansion,
        summary=expansion.summary(data.X, y, K),
        evidence={"a": a.tolist(), "mu": mu.tolist(), "bias": bias},
        program=partial(svm_dual_of, spec, data),
        columns=len(support),
        warnings=bank.warnings,
        extra={
            "compression": Compression(
                points=data.rows, delta=spec.delta, refused=OWN_ROWS_REFUSED
            ).to_dict(),
            "constraints": constraint_values(rows.of, values, rows.h, mu),
        },
    )


def recompute_constrained(spec: SVM, data: Dataset, evidence: Mapping[str, Any]) -> Recomputed:
    """What the stored multipliers are worth; DataError when they do not fit the data."""
    bank, rows = KernelBank([parse_kernels(spec.kernels)[0]], data.X), rows_of_svm(spec, data)
    a, mu = (np.asarray(evidence.get(key, ()), dtype=np.float64) for key in ("a", "mu"))
    if (a.shape, mu.shape) != ((data.rows,), (len(rows),)):
        raise DataError("the stored multipliers do not fit this data set")
    return Recomputed.of(outcome_at(spec, data, bank, rows, a, mu))
