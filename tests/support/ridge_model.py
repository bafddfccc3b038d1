"""A model as a stranger adds one: settings, program, fit, and at the end its two rows.

min 1/2 |w|^2 + C/2 |y - X w|^2 over w (d,), for X (n, d) and labels y (n,), -1 or +1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyomo.environ as pyo

from radprog.base.settings import Settings, option
from radprog.base.types import FloatArray
from radprog.catalog import Entry
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import Outcome, Run, RunSettings, packed
from radprog.instances.dataset import Dataset, read
from radprog.models.algebra import linear
from radprog.models.settings import SOLVERLESS, positive
from radprog.wiring import Term, Wiring


@dataclass(frozen=True, kw_only=True)
class Ridge(Settings):
    methods: ClassVar = ("equations",)
    forms: ClassVar = ("primal",)
    unused: ClassVar = {"equations": ("max_iter", "start", *SOLVERLESS)}
    C: float = option(1.0, float, "weight of the squares, > 0", check=positive)


def build_ridge(X: FloatArray, y: FloatArray, C: float) -> pyo.ConcreteModel:
    """min 1/2 |w|^2 + C/2 |r|^2 subject to residual[i]: r_i + x_i'w = y_i."""
    model = pyo.ConcreteModel("ridge")
    # the residual is a variable of its own, so that its row has a multiplier: u
    model.w, model.r = pyo.Var(range(X.shape[1])), pyo.Var(range(len(y)))
    w, rows = list(model.w.values()), range(len(y))
    model.residual = pyo.Constraint(rows, rule=lambda m, i: m.r[i] + linear(X[i], w) == y[i])
    squares, losses = pyo.sum_product(model.w, model.w), pyo.sum_product(model.r, model.r)
    model.objective = pyo.Objective(expr=0.5 * squares + 0.5 * C * losses)
    return model


def outcome_of(spec: Ridge, data: Dataset, evidence: Mapping[str, Any]) -> Outcome:
    """The objective at w = X'u, and the bound y'u - 1/2 |X'u|^2 - |u|^2 / 2C, of any u (n,)."""
    # stationarity of the Lagrangian in w: w = X'u
    X, y, u = data.X, data.signs, np.asarray(evidence["u"])
    w, fit = X.T @ u, KernelExpansion.of_kernel("linear", X, u, np.arange(data.rows), 0.0)
    # weak duality: the second is at most the first for any u, equal at the solution
    return Outcome(
        objective=float(0.5 * w @ w + spec.C / 2 * np.sum((y - X @ w) ** 2)),
        bound=float(y @ u - 0.5 * w @ w - u @ u / (2 * spec.C)),
        fit=fit,
        summary=fit.summary(X, y, X @ X.T),
        evidence=evidence,
        program=partial(build_ridge, X, y, spec.C),
    )


def fit_ridge(spec: Ridge, data: Dataset, settings: RunSettings) -> Run:
    """Solve (X X' + I/C) u = y."""
    settings.method_of(spec)
    budget = settings.budget()
    # one factorisation of the dual's optimality conditions: no iterations, no solver
    u = np.linalg.solve(data.X @ data.X.T + np.eye(data.rows) / spec.C, data.signs)
    return packed(spec, settings, budget, outcome_of(spec, data, {"u": u.tolist()}))


def form_of(spec: Ridge, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    run = fit_ridge(spec, data, settings)
    return BuiltForm(run.model(), run.objective)


RIDGE: Wiring[Ridge, Dataset] = Wiring(
    kinds=("dataset",),
    read=read,
    fit=fit_ridge,
    recompute=lambda spec, data, evidence, seed: outcome_of(spec, data, evidence),
    predictor=KernelExpansion.from_dict,
    terms={"residual": Term("residual of {point}"), "w": Term("component {part} of w")},
    form=form_of,
)
ROW = Entry(title="ridge regression of the labels", spec=Ridge)
