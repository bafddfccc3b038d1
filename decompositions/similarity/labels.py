"""Results of a clustering, and the discrete problem (12), or (25), as a program for a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from radprog.base.errors import DataError, OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import LOADED_EXCESS
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.decompositions.searching import bound_at, search_form
from radprog.decompositions.similarity.assembly import Instance
from radprog.models.similarity.problem import DensityWeighted, indicator
from radprog.models.similarity.programs import build_labels
from radprog.models.similarity.settings import CDSK, LPDSK
from radprog.models.similarity.spectral import Embedding
from radprog.models.simplex import project
from radprog.solvers.program import ProblemClass


@dataclass(frozen=True, kw_only=True)
class Clustering:
    """The end point of a method: weights a (n,), their embedding and the objective.

    All arrays are in the order of the problem. The objective is None if it was not evaluated.
    ``eigenvalues`` are the eigenvalues of the Laplacian at a. ``lowest`` is the smallest eigenvalue
    of the last nonconvex weight step. ``codes`` (n,) are the labels; None for a relaxation, before
    its embedding is rounded. ``bound`` is a bound on the optimum of the discrete problem.
    """

    a: FloatArray
    embedding: Embedding
    objective: float | None
    reason: Reason = Reason.SOLVER
    trace: Sequence[Record] | None = ()
    eigenvalues: FloatArray | None = None
    lowest: float | None = None
    solver: SolverUse = field(default_factory=lambda: SolverUse("scipy", scipy.__version__, {}))
    codes: IntArray | None = None
    bound: float | None = None
    eigengap: float | None = None
    distortion: float | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def labels_program(spec: CDSK | LPDSK, instance: Instance) -> pyo.ConcreteModel:
    """Program (12) or (25), with the points in the order of the data.

    The bounds on cluster sizes come from the settings. For lpdsk, known labels are fixed. Raises
    OptionError if the program does not exist, is too large, or has no labelling.
    """
    instance = instance.in_data_order()
    if isinstance(instance.problem, DensityWeighted):
        raise OptionError("objective 'ise' has no form labels")
    n, c = instance.problem.n, instance.c
    if n * n * c > 60_000:
        raise OptionError(
            f"the program of {n} points and {c} clusters has {n * n * c} products, at most 60000 "
            "are written: take fewer points, or method alternate"
        )
    if isinstance(spec, LPDSK):
        return build_labels(instance.problem, c, (1, n), instance.codes)
    return build_labels(instance.problem, c, (spec.min_size or 1, spec.max_size or n))


def labels_exist(spec: CDSK | LPDSK, instance: Instance) -> bool:
    """Whether the bounds on the cluster sizes allow a labelling. For lpdsk, the data are one."""
    n, c = instance.problem.n, instance.c
    return isinstance(spec, LPDSK) or c * (spec.min_size or 1) <= n <= c * (spec.max_size or n)


def solve_labels(
    spec: CDSK | LPDSK, instance: Instance, settings: RunSettings, budget: Budget
) -> Clustering:
    """The best labelling and weights that the solver finds, with the solver's bound.

    Raises OptionError if no labelling has the sizes, and the errors of :func:`search_form`.
    """
    if not labels_exist(spec, instance):
        raise OptionError(
            f"no labelling of {instance.problem.n} points into {instance.c} clusters of "
            f"{getattr(spec, 'min_size', None) or 1} to {getattr(spec, 'max_size', None) or 'all'}"
        )
    model = labels_program(spec, instance)
    solution, reason, use = search_form(model, ProblemClass.MIQP, settings, budget)
    # J of its labels and weights is evaluated from the data
    shape = instance.problem.n, instance.c
    label, weight = (
        np.array([entry.value for entry in part.values()], dtype=np.float64).reshape(shape)
        for part in (model.label, model.weight)
    )
    best = labelled_point(instance, label, weight)
    assert best.objective is not None
    bound = bound_at(solution, best.objective)
    return replace(
        best,
        bound=bound,
        reason=reason,
        trace=None,
        solver=use,
        evidence={"kind": "discrete", "solver_bound": bound},
    )


def labelled_point(instance: Instance, label: FloatArray, weight: FloatArray) -> Clustering:
    """The clustering of label and weight (n, c) in the order of the data.

    Raises DataError if a point has no label, or several.
    """
    label, weight = label[instance.order], weight[instance.order]
    # whole labels, one a point
    is_integer = np.abs(label - np.round(label)).max() <= LOADED_EXCESS
    if not is_integer or (np.round(label).sum(axis=1) != 1).any():
        raise DataError("the labels of the solution are fractional: every point needs one cluster")
    # the weights of a point over its classes, put back onto the simplex
    codes = label.argmax(axis=1)
    a = project(weight.sum(axis=1), instance.problem.upper)
    return Clustering(
        a=a, embedding=Embedding(indicator(codes, instance.c), np.empty(0)), codes=codes,
        objective=instance.problem.labelled_value_up(a, codes), evidence={"kind": "discrete"},
    )  # fmt: skip


def loaded_point(instance: Instance, point: FormSolution) -> Clustering:
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
