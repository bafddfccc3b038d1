"""The discrete problem (12), or (25), as an explicit program for a solver of integer programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import LOADED_EXCESS
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import RunSettings
from radprog.decompositions.searching import search_form
from radprog.decompositions.similarity.assembly import Instance
from radprog.decompositions.similarity.labelling import Clustering
from radprog.models.similarity.problem import DensityWeighted, indicator
from radprog.models.similarity.programs import build_labels
from radprog.models.similarity.settings import CDSK, LPDSK
from radprog.models.similarity.spectral import Embedding
from radprog.models.simplex import project
from radprog.solvers.program import ProblemClass


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
    search = search_form(model, ProblemClass.MIQP, settings, budget)
    # J of its labels and weights is evaluated from the data
    shape = instance.problem.n, instance.c
    label, weight = (
        np.array([entry.value for entry in part.values()], dtype=np.float64).reshape(shape)
        for part in (model.label, model.weight)
    )
    best = labelled_point(instance, label, weight)
    assert best.objective is not None
    bound = search.bound(best.objective)
    return replace(
        best,
        bound=bound,
        reason=search.reason,
        trace=None,
        solver=search.solver,
        evidence={"kind": "discrete", "solver_bound": bound},
    )


def labelled_point(instance: Instance, label: FloatArray, weight: FloatArray) -> Clustering:
    """The clustering of label and weight (n, c) in the order of the data.

    Raises DataError if a point has no label, or several.
    """
    label, weight = label[instance.order], weight[instance.order]
    # whole labels, one a point
    whole = np.abs(label - np.round(label)).max() <= LOADED_EXCESS
    if not whole or (np.round(label).sum(axis=1) != 1).any():
        raise DataError("the labels of the solution are fractional: every point needs one cluster")
    # the weights of a point over its classes, put back onto the simplex
    codes = label.argmax(axis=1)
    a = project(weight.sum(axis=1), instance.problem.upper)
    return Clustering(
        a=a, embedding=Embedding(indicator(codes, instance.c), np.empty(0)), codes=codes,
        objective=instance.problem.labelled_value_up(a, codes), reason=Reason.SOLVER, trace=[],
        evidence={"kind": "discrete"},
    )  # fmt: skip
