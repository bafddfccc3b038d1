"""A model as a stranger adds one: settings, program, predictor, fit, and at the end its two rows.

min 1/2 |w|^2 + C/2 |y - X w|^2 over w (d,), for X (n, d) and y (n,).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyomo.environ as pyo

from radprog.catalog import Entry
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import SOLVERLESS, Outcome, Recomputed, Run, RunSettings, packed
from radprog.instances.regression import RegressionData, read_regression
from radprog.instances.types import FloatArray
from radprog.models.settings import option, positive
from radprog.wiring import Term, Wiring


@dataclass(frozen=True, kw_only=True)
class Ridge:
    methods: ClassVar = ("equations",)
    forms: ClassVar = ("primal",)
    C: float = option(1.0, float, "weight of the squares, > 0")

    def __post_init__(self) -> None:
        positive("C", self.C)


def build_ridge(X: FloatArray, y: FloatArray, C: float) -> pyo.ConcreteModel:
    """min 1/2 |w|^2 + C/2 |r|^2 subject to residual[i]: r_i + x_i'w = y_i."""
    model = pyo.ConcreteModel("ridge")
    model.w, model.r = pyo.Var(range(X.shape[1])), pyo.Var(range(len(y)))
    model.residual = pyo.Constraint(
        range(len(y)),
        rule=lambda m, i: m.r[i] + pyo.sum_product(dict(enumerate(X[i])), m.w) == y[i],
    )
    squares, losses = pyo.sum_product(model.w, model.w), pyo.sum_product(model.r, model.r)
    model.objective = pyo.Objective(expr=0.5 * squares + 0.5 * C * losses)
    return model


@dataclass(frozen=True)
class Line:
    w: FloatArray
    kind: ClassVar = "line"

    def scores(self, X: FloatArray, cross: Any = None) -> FloatArray:
        return np.asarray(X @ self.w)

    predict = scores

    def to_dict(self) -> dict[str, Any]:
        return {"w": self.w.tolist()}


def outcome_of(spec: Ridge, data: RegressionData, evidence: Mapping[str, Any]) -> Outcome:
    """The objective at w, and the bound y'u - 1/2 |X'u|^2 - |u|^2 / 2C that any u (n,) gives."""
    X, y, w, u = data.X, data.targets, np.asarray(evidence["w"]), np.asarray(evidence["u"])
    return Outcome(
        objective=float(0.5 * w @ w + spec.C / 2 * np.sum((y - X @ w) ** 2)),
        bound=float(y @ u - 0.5 * np.sum((X.T @ u) ** 2) - u @ u / (2 * spec.C)),
        fit=Line(w),
        summary={"norm2": float(w @ w), "mae": float(np.abs(y - X @ w).mean())},
        evidence=evidence,
        program=partial(build_ridge, X, y, spec.C),
    )


def fit_ridge(spec: Ridge, data: RegressionData, settings: RunSettings) -> Run:
    """Solve (I + C X'X) w = C X'y; u = C (y - X w) proves it."""
    settings.check(spec, {"equations": ("max_iter", "start", *SOLVERLESS)})
    clock, X, y = settings.clock(), data.X, data.targets
    w = np.linalg.solve(np.eye(X.shape[1]) + spec.C * X.T @ X, spec.C * X.T @ y)
    points = {"w": w.tolist(), "u": (spec.C * (y - X @ w)).tolist()}
    return packed(spec, settings, clock, outcome_of(spec, data, points))


def recompute_ridge(
    spec: Ridge, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    return Recomputed.of(outcome_of(spec, data, evidence))


def form_of(spec: Ridge, data: RegressionData, form: str, settings: RunSettings) -> BuiltForm:
    run = fit_ridge(spec, data, settings)
    return BuiltForm(run.model(), run.objective)


RIDGE: Wiring[Ridge, RegressionData] = Wiring(
    data=(RegressionData,),
    read=read_regression,
    fit=fit_ridge,
    recompute=recompute_ridge,
    predictor=lambda values: Line(np.asarray(values["w"])),
    terms={"residual": Term("residual of {point}"), "w": Term("component {part} of w")},
    form=form_of,
)
ROW = Entry(title="ridge regression", spec=Ridge, wiring="ridge_model:RIDGE")
