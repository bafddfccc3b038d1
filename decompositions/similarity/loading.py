"""Analyses of clustering, label propagation and the Similarity Machine: loaded solutions, function
classes and exact values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.decompositions.analyses import ExactPair, FormSolution, FunctionClass, ball_class
from radprog.decompositions.exact_svm import ExactSvm
from radprog.decompositions.loop import Reason, first_step
from radprog.decompositions.run import NO_SOLVER, Run, RunSettings, packed
from radprog.decompositions.similarity import cdsk, lpdsk, simsvm
from radprog.decompositions.similarity.assembly import Instance, assemble
from radprog.decompositions.similarity.labelling import Clustering
from radprog.decompositions.similarity.labels import labelled_point
from radprog.decompositions.svm import SvmSolved
from radprog.instances.dataset import Dataset
from radprog.instances.labels import UNKNOWN
from radprog.models.exact import ExactKernels
from radprog.models.kernels import parse_kernels
from radprog.models.similarity.problem import DensityWeighted, indicator
from radprog.models.similarity.settings import ALL, CDSK, LPDSK, SimSVM


def load_simsvm(
    spec: SimSVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load coefficients and mu from the primal and the multipliers of its rows, or mu from the
    dual.

    If the coefficients are missing, they are computed from mu. If mu is missing, the bound is None.
    """
    budget = settings.budget()
    with first_step(budget):
        svm = simsvm.similarity_svm(spec, data)
        budget.ready()
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
        pair = simsvm.paired(svm, a, np.zeros(svm.n) if mu is None else mu)
        outcome = simsvm.outcome_of(data, svm, SvmSolved(pair, NO_SOLVER, Reason.SOLVER), "dual")
    return packed(
        spec, settings, budget, outcome if mu is not None else outcome.without_bound("mu")
    )


def load_cdsk(
    spec: CDSK, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load and evaluate the labels and weights of the discrete program (12) or (25). There is no
    bound.

    Raises OptionError for any other form, because it is only a step of the method. Raises DataError
    if labels are not integers, or if they violate the bounds on cluster sizes.
    """
    budget, instance = settings.budget(), assemble(spec, data)
    budget.ready()
    clustering = _discrete_point(instance, points[0])
    sizes = np.bincount(clustering.codes, minlength=instance.c)
    if sizes.min() < (spec.min_size or 1) or sizes.max() > (spec.max_size or len(instance.codes)):
        raise DataError(f"the clusters of the solution have sizes {sizes.tolist()}")
    outcome = cdsk.outcome_of(spec, data, instance, clustering, "exact")
    return packed(spec, settings, budget, outcome)


def load_lpdsk(
    spec: LPDSK, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load a solution of the discrete program. Raises DataError if its labels contradict the known
    labels.
    """
    budget, instance = settings.budget(), assemble(spec, data)
    budget.ready()
    clustering = _discrete_point(instance, points[0])
    known = instance.codes != UNKNOWN
    if not np.array_equal(clustering.codes[known], instance.codes[known]):
        raise DataError("the solution has other labels than the data where they are known")
    return packed(spec, settings, budget, lpdsk.outcome_of(spec, data, instance, clustering))


def _discrete_point(instance: Instance, point: FormSolution) -> Clustering:
    """The labels and weights in a solution, in the order of the problem."""
    problem, shape = instance.problem, (instance.problem.n, instance.c)
    if point.form not in ("labels", "general") or isinstance(problem, DensityWeighted):
        raise OptionError(
            f"form '{point.form}' is a step of the method: its solution is not an answer"
        )
    label, weight = point.vector("label"), point.vector("weight")
    if label.size != np.prod(shape) or weight.size != np.prod(shape):
        raise DataError("the solution does not fit this data set: other points or clusters")
    return labelled_point(instance, label.reshape(shape), weight.reshape(shape))


def simsvm_classes(spec: SimSVM, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class {x -> w+'phi+(x) - w-'phi-(x): |w+|, |w-| <= 1} of Theorem 6 with B1 = B2 = 1 (58),
    with exact suprema.

    phi+ and phi- are the feature maps of the parts S+ and S- of the similarity matrix.
    """
    svm = simsvm.similarity_svm(spec, data)
    return [ball_class(f"{svm.name}, both norms 1", simsvm.parts_of(svm.S, svm.size))]


def cdsk_classes(spec: CDSK, data: Dataset, seed: int) -> list[FunctionClass]:
    """The class of margins {(x, y) -> h(x, y) - sum over other classes y' of h(x, y')} of Lemma 1,
    with exact suprema.

    If the similarity has two parts, the class is that of Lemma 3. With B = 1, the functions satisfy
    sum_y |h(., y)|^2 <= 1. The sum over i of sigma_i times the margin of point i is linear in the
    functions h(., y), so its supremum is sqrt(sigma'(K o G)sigma). Here G_ij = u_i'u_j, and u_i
    (c,) is 1 for the class of point i and -1 for the other classes. Functions with weights in the
    simplex form a smaller class. Raises OptionError if a row has no class, or if the kernel is
    restricted to nearest neighbours.
    """
    if spec.objective == "ise" or isinstance(spec.neighbours, int):
        option = "objective 'ise'" if spec.objective == "ise" else "neighbours"
        raise OptionError(f"{option}: complexity is that of margins by a kernel of all pairs")
    instance = assemble(replace(spec, neighbours=ALL), data)
    if (instance.codes == UNKNOWN).any():
        raise OptionError(f"{data.name}: complexity of margins needs the class of every row")
    # similarities and classes by row of the data
    problem, rows = instance.problem, np.argsort(instance.order)
    u = 2.0 * indicator(instance.codes[rows], data.n_classes) - 1.0
    parts = [problem.s] if problem.size is problem.s else simsvm.parts_of(problem.s, problem.size)
    margins = [part[np.ix_(rows, rows)] * (u @ u.T) for part in parts]
    return [ball_class(f"margins of {data.n_classes} classes", margins)]


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
