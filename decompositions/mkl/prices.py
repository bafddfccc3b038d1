"""Analyses of multiple kernel learning: loaded solutions, prices and function classes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import LOADED_EXCESS
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import (
    BOUND_ROUNDING,
    Candidate,
    FormSolution,
    FunctionClass,
    PricingResult,
    local_class,
)
from radprog.decompositions.loop import Reason, first_step
from radprog.decompositions.mkl.exchange import ValueOracle
from radprog.decompositions.mkl.fit import Learned, outcome_of, values_of
from radprog.decompositions.run import NO_SOLVER, Run, RunSettings, packed
from radprog.instances.dataset import MklData
from radprog.models.complexity import kernel_suprema
from radprog.models.kernels import kernel_text, parse_kernels
from radprog.models.mkl.bounds import complexity_upper
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import ball_of, problem_of
from radprog.models.mkl.programs import build_svm
from radprog.models.mkl.settings import DEFAULT_KERNELS, MKL


def load_mkl(
    spec: MKL, data: MklData | None, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load kernel weights mu from the form ``primal`` or ``silp``, and evaluate J at mu.

    The bound comes from the dual points of the form ``qcqp``. Without them, it is None. Raises
    OptionError if no form contains mu.
    """
    budget = settings.budget()
    with first_step(budget):
        # the loaded points
        mu, a = None, None
        for point in points:
            if point.form in ("primal", "silp"):
                mu = point.vector("mu") if mu is None else mu
            elif point.form == "qcqp":
                a = point.vector("a") if a is None else a
        if mu is None:
            raise OptionError(
                f"form '{points[0].form}' holds no weights of kernels: load a solution of form "
                "primal or silp, with one of qcqp as `dual_sol` and `dual_names`"
            )
        problem = problem_of(spec, kernel_set(spec, data))
        shape = problem.labels.shape
        if mu.shape != (problem.kernels.M,) or (a is not None and a.size != np.prod(shape)):
            raise DataError("the solution does not fit this data set: other points or kernels")
        # weights inside their ball, which solvers leave by a tolerance
        mu = np.maximum(mu, 0.0)
        length = ball_of(spec, problem).length(mu)
        if length > 1.0 + LOADED_EXCESS:
            raise DataError(f"the weights break their constraint by a factor {length:.10g}")
        mu = mu / max(length, 1.0)
        budget.kernels = budget.seconds
        # J(mu) is a minimum: support vector machines attain it
        values = ValueOracle(problem)
        value = values(mu)
    learned = Learned(
        value=value, reason=Reason.SOLVER, trace=[], dual=None if a is None else a.reshape(shape),
        program=partial(build_svm, problem, mu), solver=NO_SOLVER,
    )  # fmt: skip
    return packed(spec, settings, budget, outcome_of(spec, values, learned, settings, "load"))


def price_mkl(
    spec: MKL, data: Any, evidence: Mapping[str, Any], seed: int, kernels: str
) -> PricingResult:
    """Price every kernel in the SPEC ``kernels`` at the stored dual point a, for the variants conv
    and lp.

    The bound is  s - 1/2 max <q, mu>  over the weights, with q_m = z'K_m z and z = a y. For norm 1,
    the bound does not change if the candidate's q/c is at most the largest q/c of the run's
    kernels. For a larger norm, every kernel has a positive weight, so a candidate always lowers the
    bound. The point a is scaled to the best bound with the candidate.
    """
    if spec.variant not in ("conv", "lp"):
        raise OptionError(f"variant '{spec.variant}' is not convex: only conv and lp are priced")
    if spec.grams is not None:
        raise OptionError("kernels given as matrices: there is no point to evaluate others on")
    if evidence.get("dual") is None:
        raise DataError("the result holds no dual point, so it has no prices: solve to the end")
    problem = problem_of(spec, kernel_set(spec, data))
    ball, a = ball_of(spec, problem), np.asarray(evidence["dual"], dtype=np.float64)
    if a.shape != problem.labels.shape:
        raise DataError("the stored dual points do not fit this data set")
    value, bound = values_of(spec, problem, evidence)
    assert bound is not None
    # the largest energy per price of the kernels in the program
    support = ball.support(problem.energies(problem.feasible(a)))
    # every candidate alone: its weight, and its share of the largest energy
    base = spec.kernels or DEFAULT_KERNELS
    candidates, names = [], kernel_text(base)
    for kernel in parse_kernels(kernels):
        start, is_present = time.perf_counter(), kernel.name in problem.kernels.names
        # the energy of the candidate at the same dual point
        single = problem_of(spec, kernel_set(replace(spec, kernels=kernel.name), data))
        built = time.perf_counter()
        single_ball = ball_of(spec, single)
        gain = single_ball.support(single.energies(single.feasible(a), raised=True))
        seconds = time.perf_counter() - built
        floor = bound
        if not is_present:
            floor = _mkl_floor(spec, data, kernel_text([kernel_text(base), kernel.name]), a, bound)
            names = kernel_text([names, kernel.name])
        candidates.append(
            Candidate(
                name=kernel.name,
                price=float(single_ball.c[0]),
                ratio=gain / support,
                floor=floor,
                column=None,
                kernel_seconds=built - start,
                seconds=seconds,
                keeps_bound=floor >= bound - BOUND_ROUNDING * abs(bound),
                present=is_present,
            )
        )
    # all of them together
    together = _mkl_floor(spec, data, names, a, bound)
    return PricingResult(
        objective=value.objective, bound=bound, floor=together, candidates=tuple(candidates)
    )


def _mkl_floor(spec: MKL, data: Any, kernels: str, a: FloatArray, bound: float) -> float:
    """The bound of the program over ``kernels`` at the best multiple of a. It is at most
    ``bound``.
    """
    problem = problem_of(spec, kernel_set(replace(spec, kernels=kernels), data))
    ball, a = ball_of(spec, problem), problem.feasible(a)
    curve = ball.support(problem.energies(a))
    # the dual value of t a is largest at s / curve, within the box
    best = min(1.0, problem.gain(a) / curve) if curve > 0 else 1.0
    return min(bound, max(problem.dual_bound(ball.support, t * a) for t in (1.0, best)))


def mkl_classes(spec: MKL, data: Any, seed: int) -> list[FunctionClass]:
    """The class {x -> w'phi_mu(x): |w| <= 1, mu in the set of the variant}, with exact suprema.

    The supremum sup_h sum sigma_i h(x_i) = sqrt(max_mu sigma'K_mu sigma) is computed from the
    support function of the set of mu. For ``dc`` with norm 1, it equals the supremum for ``conv``.
    T is a sum of smallest eigenvalues. It is concave and homogeneous, so sum mu_m T(K_m) <=
    T(K_mu). The set for dc is therefore a subset of the set for conv. It contains the vertices
    budget e_m / T(K_m) of the set for conv, and the maximum is attained at one of them. By Jensen's
    inequality, the complexity for norm 1 is at most sqrt(sum over m of tr(K_m) / T(K_m) budget) /
    n. For local complexities, each kernel has its own class, with the largest weight of this kernel
    in the set.
    """
    if spec.variant == "dc" and spec.p != 1.0:
        raise OptionError(f"complexity of variant dc is known for norm 1, not {spec.p:g}")
    problem = problem_of(spec, kernel_set(spec, data))
    kernels = problem.kernels
    # the support function of the set of mu, which gives the supremum of the class
    if spec.variant == "unif":

        def support(q: FloatArray) -> float:
            return float(q.mean())
    else:
        support = ball_of(spec, problem).support

    def local(r: float) -> list[FunctionClass]:
        if spec.variant == "unif":
            return [local_class("unif", kernels.K.mean(axis=0), r)]
        each = zip(kernels.names, kernels.K, ball_of(spec, problem).c, strict=True)
        return [local_class(f"{name} alone", K / c, r) for name, K, c in each]

    return [
        FunctionClass(
            name=f"{spec.variant}, {kernels.M} kernels",
            m=kernels.n,
            suprema=kernel_suprema(kernels.K, support),
            exact=True,
            upper=complexity_upper(spec, problem),
            upper_by="Jensen",
            local=local,
        )
    ]
