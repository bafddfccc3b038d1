"""Similarity Machine: an SVM on the flipped spectrum |S|. Its scores use the raw similarities.

The program min sum c_i hinge_i + lam a'|S|a with c_i = 1/n corresponds to an SVM with kernel |S|
and C = c / (2 lam). With J = sign(S) and the dual point mu, a = J (mu o y) / (2 lam). The primal
value and the dual value are both recomputed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll, single_threaded
from radprog.base.modelling import pyo
from radprog.base.tolerances import SUPPORT, UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import ExactPair, FormSolution, FunctionClass, ball_class
from radprog.decompositions.exact_svm import ExactSvm
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.forms import BuiltForm, expected_value, tight
from radprog.decompositions.loop import first_step
from radprog.decompositions.run import (
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    packed,
    supporting,
)
from radprog.decompositions.similarity.assembly import symmetric
from radprog.decompositions.svm import SvmDual, SvmPoint, point_of
from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import Dataset
from radprog.models.bounds import DELTA
from radprog.models.exact import ExactKernels
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import Polynomial, parse_kernels
from radprog.models.similarity.bounds import simsvm_bound
from radprog.models.similarity.programs import build_simsvm_primal
from radprog.models.similarity.settings import SimSVM
from radprog.models.similarity.svm import SimilaritySvm, parts_of
from radprog.models.svm import build_svm_dual
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solve_program


def similarity_svm(spec: SimSVM, data: Dataset) -> SimilaritySvm:
    """The checked similarity from a kernel or a file, and its flipped spectrum. Raises DataError if
    the similarity is invalid.
    """
    y, rounding = data.signs, None
    if spec.similarity is not None:
        name = f"file:{spec.similarity}"
        S = symmetric(read_matrix(spec.similarity, (data.rows, data.rows)), spec.similarity)
    else:
        kernel = parse_kernels(spec.kernels or "")[0]
        name = kernel.name
        S = symmetric(KernelBank([kernel], data.X).gram(0), name)
        if kernel.psd and kernel.base in ("inner", "squared", "cityblock"):
            # roundings of products or distances of d columns, and of their power or exponential
            degree = kernel.degree if isinstance(kernel, Polynomial) else 1
            rounding = degree * (data.X.shape[1] + 8) * UNIT_ROUNDOFF
    return SimilaritySvm.of(
        S, y, spec.lam, bias=not spec.no_bias, name=name, weights=data.weights, rounding=rounding
    )


def svm_pair(
    svm: SimilaritySvm, a: FloatArray | None, mu: FloatArray, b: float | None = None
) -> SvmPoint:
    """The primal and the dual point, with their recomputed values.

    If ``a`` is None, the coefficients are computed from mu. If ``b`` is None, the best b is used.
    """
    mu = svm.feasible(mu)
    a = svm.coefficients(mu) if a is None else a
    b = svm.offset(a) if b is None else b
    return SvmPoint(a, mu, svm.primal_value(a, b), b, svm.dual_value(mu))


@single_threaded
def fit_simsvm(spec: SimSVM, data: Dataset, settings: RunSettings) -> Run:
    """Solve the dual (by libsvm or any QP solver) or the primal, and certify the gap.

    Raises DataError unless the similarity is square, symmetric and finite.
    """
    method = settings.method_of(spec)
    # dense quadratic programs in Pyomo grow with n^2
    if method == "primal" and (n := data.rows) > 1000:
        raise OptionError(
            f"method primal writes {n}^2 terms: for more than 1000 points use method dual"
        )
    if method == "primal" and settings.solver == "libsvm":
        raise OptionError("libsvm solves the dual: use method dual, or another solver")
    budget = settings.budget()
    with first_step(budget):
        svm = similarity_svm(spec, data)
        budget.kernels = budget.seconds
        if method == "primal":
            from radprog.solvers.compile import compile_model  # loads pyomo

            poll()
            # the program as matrices, whose row duals are mu; |S| is positive semidefinite by
            # construction, and where it is 0 the program is linear
            program = compile_model(_program(svm, "primal"))
            quadratic = program.problem_class is ProblemClass.QP
            name = settings.solver or ("piqp" if quadratic else "highs")
            solution = solve_program(program, name, settings.for_solver(budget), assume_convex=True)
            x, reason = point_of(solution, name, budget)
            mu = np.zeros(svm.n) if solution.row_duals is None else np.asarray(solution.row_duals)
            use = SolverUse(name, solution.version, settings.solver_options)
            pair = replace(svm_pair(svm, x[: svm.n], mu), solver=use, reason=reason)
        else:
            # with multipliers mu / (2 lam) it is a support vector machine with the kernel |S|
            dual = SvmDual(
                K=svm.size, y=svm.y, C=svm.C, bias=svm.bias,
                evaluate=lambda alpha: svm_pair(svm, None, 2.0 * svm.lam * alpha),
            )  # fmt: skip
            pair = dual.solve(settings, budget)
    return packed(spec, settings, budget, outcome_of(data, svm, pair, method))


def outcome_of(data: Dataset, svm: SimilaritySvm, pair: SvmPoint, method: str) -> Outcome:
    """The outcome for a pair of points: its recomputed values and its predictor."""
    # the predictor scores new points by raw similarities: f(x) = sum a_i s(x, x_i) + b
    support = supporting(pair.a, svm.size.diagonal())
    expansion = KernelExpansion.of_kernel(svm.name, data.X, pair.a, support, pair.bias)
    # the bound of the theorem, which is about rows that count alike: S = S+ - S-, |S| = S+ + S-,
    # and the norms of a in both
    bounds: list[dict[str, Any]] = []
    if data.weights is None:
        parts = parts_of(svm.S, svm.size)
        norms = [max(float(pair.a @ (part @ pair.a)), 0.0) ** 0.5 for part in parts]
        diagonals = [np.maximum(np.diag(part), 0.0) for part in parts]
        margin = svm.y * (svm.S @ pair.a + pair.bias)
        sizes = (diagonals[0], diagonals[1]), (norms[0], norms[1])
        bound = simsvm_bound(margin, *sizes, pair.bias, DELTA)
        bounds.append(bound.to_dict())
    return Outcome(
        method=method,
        reason=pair.reason,
        objective=pair.objective,
        bound=pair.bound,
        solver=pair.solver,
        fit=expansion,
        summary={
            **expansion.summary(data.X, svm.y, svm.S, data.weights),
            "support_vectors": int((pair.mu > SUPPORT * svm.c).sum()),
            "negative_eigenvalues": svm.negative,
        },
        evidence={"a": pair.a.tolist(), "bias": pair.bias, "mu": pair.mu.tolist()},
        program=partial(_program, svm, method),
        columns=len(support),
        extra={"bounds": bounds},
    )


def _program(svm: SimilaritySvm, method: str) -> pyo.ConcreteModel:
    if method == "primal":
        return build_simsvm_primal(svm.S, svm.size, svm.y, svm.lam, c=svm.c, bias=svm.bias)
    # 1'mu - (mu o y)'|S|(mu o y) / (4 lam); a = J (mu o y) / (2 lam), J the spectral sign of S
    K, names = svm.size / (2.0 * svm.lam), ("simsvm_dual", "multiplier")
    return build_svm_dual(K, svm.y, svm.c, bias=svm.bias, names=names)


@single_threaded
def simsvm_form(spec: SimSVM, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``primal`` or ``dual``, with the optimal value of a certified run."""
    sign = 1.0 if form == "primal" else -1.0

    model, tightened = _program(similarity_svm(spec, data), form), tight(settings)
    return BuiltForm(model, lambda: expected_value(fit_simsvm(spec, data, tightened), sign), sign)


@single_threaded
def recompute_simsvm(
    spec: SimSVM, data: Dataset, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """The values at the stored points. Without mu, there is no bound.

    Raises DataError if the points do not match the data.
    """
    # the stored points, their values, and no bound where there is no dual point
    svm = similarity_svm(spec, data)
    a = np.asarray(evidence["a"], dtype=np.float64)
    bounded = evidence["mu"] is not None
    mu = np.asarray(evidence["mu"] if bounded else np.zeros(svm.n), dtype=np.float64)
    if a.shape != (svm.n,) or mu.shape != (svm.n,):
        raise DataError("the stored points do not fit this data set")
    b = float(evidence["bias"]) if svm.bias else 0.0
    outcome = outcome_of(data, svm, svm_pair(svm, a, mu, b), "dual")
    return outcome if bounded else outcome.without_bound("mu")


def load_simsvm(
    spec: SimSVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load coefficients and mu from the primal and the multipliers of its rows, or mu from the
    dual.

    If the coefficients are missing, they are computed from mu. If mu is missing, the bound is None.
    """
    budget = settings.budget()
    with first_step(budget):
        svm = similarity_svm(spec, data)
        budget.kernels = budget.seconds
        # coefficients of a primal point, multipliers of its rows or of a dual one
        a, mu = None, None
        for point in points:
            if point.form == "dual":
                mu = point.vector("multiplier") if mu is None else mu
            else:
                a = point.vector("coefficient") if a is None else a
                if mu is None and point.multipliers is not None:
                    mu = point.multiplier("margin")
        if any(part is not None and part.shape != (svm.n,) for part in (a, mu)):
            raise DataError("the solution does not fit this data set: other points")
        pair = svm_pair(svm, a, np.zeros(svm.n) if mu is None else mu)
        outcome = outcome_of(data, svm, pair, "dual")
    return packed(
        spec, settings, budget, outcome if mu is not None else outcome.without_bound("mu")
    )


def simsvm_classes(spec: SimSVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class {x -> w+'phi+(x) - w-'phi-(x): |w+|, |w-| <= 1} of Theorem 6 with B1 = B2 = 1 (58),
    with exact suprema.

    phi+ and phi- are the feature maps of the parts S+ and S- of the similarity matrix.
    """
    svm = similarity_svm(spec, data)
    return [ball_class(f"{svm.name}, both norms 1", parts_of(svm.S, svm.size))]


def prove_simsvm(spec: SimSVM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> ExactPair:
    """The multipliers mu of a result, or the exact solution near them, with their exact objective
    and bound.

    If the kernel is positive semidefinite, |S| = S. The program is then 2 lam times a support
    vector machine with C = 1 / (2 lam n) and multipliers mu / (2 lam). Raises OptionError for a
    similarity from a file, because its eigenvalues need not be rational. Raises DataError if the
    result has no dual point.
    """
    if spec.similarity is not None:
        raise OptionError("a similarity from a file is not proved: its spectrum is not rational")
    if evidence["mu"] is None:
        raise DataError(
            "the result holds no dual point, so there is no bound to prove: solve to the end"
        )
    # 2 lam times an SVM with C = 1 / (2 lam n) and multipliers mu / (2 lam)
    unit = 2 * Fraction(spec.lam)
    svm = ExactSvm(
        exact=ExactKernels(parse_kernels(spec.kernels or ""), data.X),
        y=data.signs.astype(int).tolist(),
        C=1 / (unit * data.rows),
        unit=unit,
        bias=not spec.no_bias,
    )
    a = np.asarray(evidence["mu"], dtype=np.float64) / (2.0 * spec.lam)
    return svm.prove(a, {"lam": spec.lam})
