"""Explicit programs of LPBoost for export, with the optimal values of their files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from radprog.base.errors import OptionError, SettingError
from radprog.base.limits import OutOfBudget
from radprog.base.modelling import pyo
from radprog.base.tolerances import AGREEMENT
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.forms import BuiltForm, expected_value, proved_optimum, tight
from radprog.decompositions.loop import Budget, first_step
from radprog.decompositions.lpboost.convex_step import L1Step, MinNormStep
from radprog.decompositions.lpboost.fit import boost, check_settings, fit_assembled
from radprog.decompositions.lpboost.generation import MarginOracle
from radprog.decompositions.lpboost.shapelets import Rows, Shapelets, assemble, require_bags
from radprog.decompositions.lpboost.trees import assemble_trees, boost_trees
from radprog.decompositions.lpboost.weak_learners import BallLearner, HypothesisBall, all_shapelets
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.bags import Bags
from radprog.models.lpboost.programs import build_dual, build_primal
from radprog.models.lpboost.settings import LPBoost
from radprog.models.lpboost.weak_programs import (
    WeakStep,
    build_l1_dual,
    build_l1_mip,
    build_l1_step,
    build_min_norm,
    build_rkhs_step,
    check_size,
)
from radprog.models.score_rows import named_rows, refuse_rows

MARGIN_PROGRAMS: Mapping[str, tuple[Callable[..., pyo.ConcreteModel], float]] = {
    "primal": (build_primal, -1.0),
    "dual": (build_dual, 1.0),
}
WEAK_PROGRAMS: Mapping[str, Callable[[WeakStep], pyo.ConcreteModel]] = {
    "weak-l1": build_l1_step,
    "weak-l1-dual": build_l1_dual,
    "weak-l1-mip": build_l1_mip,
    "weak-rkhs": build_rkhs_step,
    "weak-minnorm": build_min_norm,
}


def lpboost_form(spec: LPBoost, data: Rows, form: str, settings: RunSettings) -> BuiltForm:
    """Build a form of LPBoost; ``spec.forms`` lists them.

    The forms ``primal`` and ``dual`` are programs (2) and (3). For the shapelet learners, they
    contain all single shapelets; otherwise they contain the hypotheses of a run. The forms
    ``weak-*`` are the weak learner's step at the last weights of a run with these settings. If
    ``max_iter`` is 0, the weights are equal. The step is linearised at the best shapelet. For the
    learners l1 and rkhs, it is linearised at the end point of DCA from this shapelet. If there are
    several lengths, the first is used. Raises OptionError if a form is unsuitable or too large.
    """
    if form in ("weak-rkhs", "weak-minnorm") and spec.pattern_kernel == "distance":
        raise OptionError(f"form '{form}' needs a positive semidefinite kernel: gauss or linear")
    check_settings(settings, min_rounds=0)
    tightened = tight(settings)
    if spec.trees and form in ("primal", "dual"):
        trees, budget = assemble_trees(spec, data), tightened.budget()
        with first_step(budget):
            return _last_form(form, boost_trees(trees, tightened, budget))
    data = require_bags(spec, data)
    problem = assemble(spec, data)
    if form in ("primal", "dual"):
        return _margin_form(spec, data, problem, form, tightened)
    refuse_rows(spec.constraints, f"form '{form}' is one of the weak learner, without them")
    # the least size, before the run: negative rows carry the weight that positive ones cannot
    margin, family = problem.margin, problem.families[0]
    count = math.ceil(float(1.0 - margin.caps[margin.y > 0].sum()) / margin.caps.max() - AGREEMENT)
    rivals = family.n // problem.m * max(1, count)
    if form != "weak-rkhs":  # its rank takes n^3 steps
        check_size(rivals * (rivals + 1) // 2 if form == "weak-minnorm" else 2 * family.n * rivals)
    oracle = boost(spec, problem, tightened, settings.budget())
    return _weak_form(spec, problem, form, oracle, settings)


def _last_form(form: str, oracle: MarginOracle) -> BuiltForm:
    """Program (2) or (3) over the hypotheses of the last iterate."""
    H, margin = oracle.values, oracle.margin
    iterate: dict[str, object] = {"iterations": len(oracle.trace), "hypotheses": len(H)}
    if len(margin.rows):
        iterate["score_rows"] = list(margin.rows.names)
    build, sign = MARGIN_PROGRAMS[form]

    def value() -> float | None:
        best = proved_optimum(build_dual(H, margin))
        return None if best is None else sign * best

    return BuiltForm(build(H, margin), value, sign, iterate)


def _margin_form(
    spec: LPBoost, data: Bags, problem: Shapelets, form: str, settings: RunSettings
) -> BuiltForm:
    """Program (2) or (3) over all single shapelets. Its optimal value comes from a certified run.

    For local pricing, the program is over the hypotheses of the last iterate.
    """
    if not spec.exact:
        return _last_form(form, boost(spec, problem, settings, settings.budget()))
    build, sign = MARGIN_PROGRAMS[form]
    # the program of every shapelet does not depend on the iterate
    signed = spec.learner == "shapelet"
    H = all_shapelets(problem, signed=signed)
    settings = replace(settings, max_iter=None)

    @cache
    def certified_run() -> Run:
        return fit_assembled(spec, data, problem, settings, settings.budget())

    def optimum() -> float | None:
        return expected_value(certified_run(), sign)

    expected: Callable[[], float | None] | float = optimum
    notes: tuple[str, ...] = ()
    if spec.constraints:
        # whether any ensemble keeps the constraints shows in a run
        try:
            certified_run()
        except SettingError as error:
            if form == "dual":
                raise
            expected, notes = math.inf, (str(error),)
    # the names of the shapelets and of the constraints
    windows = [
        [family.cut.length, family.n // problem.m, *list(family.cut.to_dict().values())[1:]]
        for family in problem.families
    ]
    iterate = {"windows": windows, "signed": signed, **(named_rows(spec.constraints) or {})}
    return BuiltForm(build(H, problem.margin), expected, sign, iterate, notes)


def _weak_form(
    spec: LPBoost, problem: Shapelets, form: str, oracle: MarginOracle, settings: RunSettings
) -> BuiltForm:
    step, slopes = weak_step(spec, problem, oracle.last_z, settings)
    family = problem.families[0]
    model = WEAK_PROGRAMS[form](step)
    iterate = {
        "iterations": len(oracle.trace),
        **family.cut.to_dict(),
        "sigma": family.kernel.sigma,
        "d": step.d.tolist(),
        "slopes": step.slopes.tolist(),
    }
    if form == "weak-l1-mip":
        # binaries up to which the exact pricer is solved for its expected value
        if (binaries := len(step.positive) * step.Q) > 60:
            note = f"{binaries} binaries: not solved for its expected value"
            return BuiltForm(model, None, 1.0, iterate, (note,))

        def search_optimum() -> float | None:
            # 20 seconds; a value within the tolerances of a search is dropped
            value = proved_optimum(model, settings.for_own_solver(settings.budget(), 20.0))
            size = step.radius * float(np.abs(step.K).max() * step.d.sum())
            return None if value is None or abs(value) < AGREEMENT * size else value

        return BuiltForm(model, search_optimum, 1.0, iterate)

    def optimum() -> float:
        solver = L1Step if form.startswith("weak-l1") else MinNormStep
        # relative gap of a convex step that is exported
        solve_step = solver(family.gram, step.y, problem.radius, 1e-12)
        value = solve_step(step.d, slopes, Budget()).value
        if form == "weak-minnorm":
            return (value / problem.radius) ** 2
        return -value if form == "weak-l1-dual" else value

    notes = ("the step's value is -radius sqrt(objective)",) if form == "weak-minnorm" else ()
    return BuiltForm(model, optimum, -1.0 if form == "weak-l1-dual" else 1.0, iterate, notes)


def weak_step(
    spec: LPBoost, problem: Shapelets, d: FloatArray, settings: RunSettings
) -> tuple[WeakStep, IntArray]:
    """The convex step for the first length at weights d (m,): the data of its explicit program, and
    the slopes of all positive series for :class:`L1Step` or :class:`MinNormStep`.
    """
    # rows of next to no weight have none, as in pricing
    family, y = problem.families[0], problem.margin.y
    # weights of rows below this share of the largest are rounding
    d = np.where(d > 1e-12 * d.max(), d, 0.0)
    ball = HypothesisBall(problem, 0, 1.0, L1Step(family.gram, y, problem.radius))
    if not spec.exact:
        ball = BallLearner(spec, problem, settings).balls[0]
    # linearise at the best shapelet, or where DCA ends from it
    point = next(ball.candidates("best", d, np.random.default_rng(settings.seed)))
    if not spec.exact:
        try:
            batch, _ = ball.descend(d, point[None, :], spec.dca_iter or 10, settings.budget())
            point = batch.x[0]
        except OutOfBudget:
            pass
    # the explicit program has the series with weight alone
    slopes = ball.slopes(ball.scores(point[None, :])[0])
    K, weighted = family.gram.rows(np.arange(family.n)), d[ball.positive] > 0
    return WeakStep(K=K, y=y, d=d, slopes=slopes[weighted], radius=problem.radius), slopes
