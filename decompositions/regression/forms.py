"""Explicit programs of regression with the bounded loss for export, with their optimal values."""

from __future__ import annotations

from functools import partial
from typing import Any

from radprog.base.errors import OptionError
from radprog.base.tolerances import KNOWN_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.forms import BuiltForm, proved_optimum
from radprog.decompositions.regression.branch import CellTree, complete_trees
from radprog.decompositions.regression.cccp import Radius, SignedFits, fit_starts
from radprog.decompositions.regression.complexity import signs_of
from radprog.decompositions.regression.fit import assemble, counts_of, last_step, radius_of
from radprog.decompositions.run import RunSettings
from radprog.instances.dataset import Dataset
from radprog.models.regression.problem import RegressionClass
from radprog.models.regression.programs import (
    build_global,
    build_step,
    build_step_dual,
    build_step_ivanov,
)
from radprog.models.regression.settings import SVR, Complexity


def svr_form(spec: SVR | Complexity, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``step``, ``step-dual``, ``step-ivanov`` or ``global`` for a regression or one
    sign vector.

    For a complexity, it is the first sign vector. The steps are taken at the last iterate and
    include the constant of the tangent. The forms ``step`` and ``step-dual`` belong to
    problem (4). For a class |w|^2 <= A, their weight C is derived from the inverse multiplier of
    the ball. Problem (3) then has the same solution. For problem (4), the bound A of
    ``step-ivanov`` is |w|^2 of the step.
    """
    _, problem = assemble(spec, data)
    method, radius = settings.method_of(spec), radius_of(spec)
    if isinstance(spec, SVR):
        signs = -counts_of(data)
    else:
        signs = signs_of(spec, data.rows, settings.seed, method)[0]
    if form in ("global", "step-dual") and data.weights is not None:
        data.refuse_weights(f"form '{form}'")
    if form == "global":
        return _global(problem, signs, radius)
    # the last convex step of a descent
    fits = SignedFits(problem=problem, signs=signs[None], radius=radius, settings=settings)
    ends = fit_starts(fits, spec, data, settings, settings.budget())
    step = last_step(problem, signs, ends.x[0], radius)
    iterate: dict[str, Any] = {
        "iterations": len(ends.trace),
        "slopes": step.c.tolist(),
        "tangent": step.tangent,
        "signs": signs.tolist(),
        "norm2": step.norm2,
    }
    if form == "step-ivanov":
        A = radius.A if radius.A is not None else step.norm2
        model = build_step_ivanov(problem, signs, step.c, A, step.tangent)
        # the losses of the step at its optimum, without the norm term of problem (4)
        value, gap = step.value, step.gap
        if radius.C is not None:
            value, gap = (value - 0.5 * step.norm2) / radius.C, gap / radius.C
        return BuiltForm(model, _close_value(value, gap), 1.0, {**iterate, "A": A})
    if step.weight is None:
        raise OptionError(
            f"at the last iterate the ball |w|^2 <= {radius.A:g} is not active: no finite C gives "
            "this step; export step-ivanov, or give --C"
        )
    iterate["C"] = step.weight * problem.loss.up
    # (8), or its dual (9) with the other sign
    build, sense = (build_step, 1.0) if form == "step" else (build_step_dual, -1.0)
    model = build(problem, signs, step.c, step.weight, step.tangent)
    if radius.C is None:  # the multiplier of the ball has fewer digits than the step
        return BuiltForm(model, partial(proved_optimum, model), sense, iterate)
    optimum = _close_value(step.value, step.gap)
    return BuiltForm(model, None if optimum is None else sense * optimum, sense, iterate)


def _close_value(value: float, gap: float) -> float | None:
    """The value, or None if the step was not solved accurately. Bad scaling may cause this."""
    return value if gap <= KNOWN_GAP * max(1.0, abs(value)) else None


def _global(problem: RegressionClass, signs: FloatArray, radius: Radius) -> BuiltForm:
    """Problem (3) or (4) with binary variables. For few points, branch and bound computes its
    optimum.
    """
    model = build_global(problem, signs, A=radius.A, C=radius.C)
    iterate = {"signs": signs.tolist()}
    if problem.n > 12:  # points up to which the optimum of the global form is computed
        return BuiltForm(model, None, 1.0, iterate)

    def optimum() -> float:
        start = SignedFits(problem=problem, signs=signs[None], radius=radius).constants()[0]
        tree = CellTree(problem, radius, 0.0, 1e-8, start, signs)  # of that optimum
        next(complete_trees(iter([tree]), RunSettings().budget()))
        return tree.best

    return BuiltForm(model, optimum, 1.0, iterate, ("its value is proved by branch and bound",))
