"""Explicit programs of multiple kernel learning for export, with the optimal values of their
files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.tolerances import EXPECTED_TOL, KNOWN_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.forms import BuiltForm, expected_value, proved_optimum, tight
from radprog.decompositions.mkl.exchange import ValueOracle, minimise_over_ball
from radprog.decompositions.mkl.fit import check_points, fit_mkl
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.dataset import MklData
from radprog.models.mkl.kernel_sets import KernelSet, kernel_set
from radprog.models.mkl.problem import MultipleKernels, ball_of, problem_of, tail_budget
from radprog.models.mkl.programs import (
    build_dc,
    build_multiclass,
    build_primal,
    build_qcqp,
    build_svm,
)
from radprog.models.mkl.settings import MKL

PRIMAL_NOTE = (
    "the cone row of a kernel without weight turns a solver's feasibility tolerance e into an "
    "error of order sqrt(e)"
)


def mkl_form(spec: MKL, data: MklData | None, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``qcqp``, ``silp``, ``primal``, ``svm``, ``step``, ``multiclass`` or ``dc``.

    The expected value comes from a certified run or from solving the program. The forms ``silp``,
    ``svm`` and ``step`` are built at the last iterate of a run. Raises OptionError if the variant
    does not have this form.
    """
    if form not in spec.written:
        joint = " with multiclass joint" if spec.multiclass == "joint" else ""
        raise OptionError(
            f"form '{form}' is not one of variant '{spec.variant}'{joint}: expected "
            f"{', '.join(spec.written)}"
        )
    kernels = kernel_set(spec, data)
    problem = problem_of(spec, kernels)
    # programs of the whole problem, whose value a certified run has
    optimum = partial(_value, spec, kernels, settings)
    if form == "multiclass":
        if spec.loss != "hinge":
            raise OptionError("form 'multiclass' is written for the hinge loss")
        joint_spec = replace(spec, multiclass="joint")
        problem, ball = problem_of(joint_spec, kernels), None
        # one fixed kernel makes it a quadratic program, several one with quadratic rows
        K = kernels.K
        if spec.variant == "unif":
            K = problem.combine(np.full(kernels.M, 1.0 / kernels.M))[None]
        else:
            ball = ball_of(joint_spec, problem)
        codes = problem.labels.argmax(axis=0)
        model = build_multiclass(K, codes, problem.costs, ball, bias=not spec.no_bias)
        return BuiltForm(model, partial(_value, joint_spec, kernels, settings, -1), -1.0)
    if form == "dc":
        check_points(kernels.n)
        mu = np.asarray(
            fit_mkl(spec, None, settings, kernels).evidence["weights"], dtype=np.float64
        )
        start = ValueOracle(problem)(mu, EXPECTED_TOL)
        model = build_dc(problem, spec.cutoff, spec.tail_bound(kernels.n), spec.p, start)
        return BuiltForm(model, optimum, 1.0)
    if form == "qcqp":
        return BuiltForm(build_qcqp(problem, ball_of(spec, problem)), partial(optimum, -1), -1.0)
    if form == "primal":
        model = build_primal(problem, ball_of(spec, problem))
        return BuiltForm(model, optimum, 1.0, None, (PRIMAL_NOTE,))
    # programs at the last iterate of a run
    run = _run(spec, kernels, settings)
    mu = np.asarray(run.evidence["weights"], dtype=np.float64)
    if form == "step":
        return _step(spec, problem, mu, settings)
    iterate = {"iterations": len(run.trace), "mu": mu.tolist()}
    if form == "silp":
        # the last restricted master: a linear program for norm 1, which is solved for its value;
        # for other norms the value is that of a certified run
        iterate["cuts"] = run.columns
        if spec.p == 1.0:
            return BuiltForm(run.model(), lambda: proved_optimum(run.model()), 1.0, iterate)
        return BuiltForm(run.model(), run.objective if run.certified else None, 1.0, iterate)
    exact = ValueOracle(problem)(mu, EXPECTED_TOL)
    return BuiltForm(build_svm(problem, mu, exact.a), -exact.objective, -1.0, iterate)


def _run(spec: MKL, kernels: KernelSet, settings: RunSettings) -> Run:
    """The run that gives the value or iterate of a form."""
    if spec.variant != "dc":
        settings = tight(settings)
    return fit_mkl(spec, None, settings, kernels)


def _value(spec: MKL, kernels: KernelSet, settings: RunSettings, sign: int = 1) -> float | None:
    """The optimum times ``sign``, if a run proves this optimum."""
    return expected_value(_run(spec, kernels, settings), sign)


def _step(spec: MKL, problem: MultipleKernels, mu: FloatArray, settings: RunSettings) -> BuiltForm:
    """The program of an exact DCA step at the weights mu (M,), with its optimal value."""
    constraint = tail_budget(spec, problem)
    v = constraint.supergradient(constraint.tail(mu))
    ball = constraint.inner(v)
    dual = ValueOracle(problem)(mu, EXPECTED_TOL).a
    iterate = {"mu": mu.tolist(), "slopes": v.tolist()}

    def optimum() -> float | None:
        tightened = RunSettings(tol=EXPECTED_TOL, abs_tol=0.0, threads=settings.threads)
        values, budget = ValueOracle(problem), settings.budget()
        best, _, _ = minimise_over_ball(values, ball, ball.c * mu, tightened, budget)
        return -best.value.objective if best.gap <= KNOWN_GAP else None

    return BuiltForm(build_qcqp(problem, ball, dual), optimum, -1.0, iterate)
