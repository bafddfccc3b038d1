"""Exported forms of VKR, L1SVM and the SVM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError, SettingError
from radprog.base.tolerances import AGREEMENT
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.drivers.exchange import coefficients_of
from radprog.decompositions.forms import BuiltForm, expected_value, proved_optimum, tight
from radprog.decompositions.loop import Reason, first_step
from radprog.decompositions.run import Run, RunSettings, packed
from radprog.decompositions.vkr.fit import FEW_CENTRES, assemble, fit_vkr, outcome_of
from radprog.decompositions.vkr.fit_svm import fit_svm, outcome_at, svm_dual_of
from radprog.decompositions.vkr.pricing import Solved
from radprog.instances.dataset import Dataset
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW, named_rows
from radprog.models.vkr.problem import Incumbent, VotedKernels
from radprog.models.vkr.programs import (
    build_budget,
    build_dual,
    build_margin,
    build_primal,
    margin_objective,
)
from radprog.models.vkr.settings import L1SVM, SVM, VKR


def vkr_form(spec: VKR | L1SVM, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``primal``, ``dual``, ``master``, ``budget`` or ``margin`` of VKR.

    If the centres are sampled, the form contains the indices of the sampled points.
    """
    if spec.rho is not None and form not in ("budget", "margin"):
        raise OptionError(f"rho is not used by form '{form}'")
    problem, _ = assemble(spec, data, settings.seed)
    built = _form(spec, problem, data, form, settings)
    rows = problem.centre_rows
    if rows is None:
        return built
    iterate = {**(built.iterate or {}), "centre_rows": rows.tolist()}
    note = FEW_CENTRES.format(len(rows), data.rows, settings.seed)
    return replace(built, iterate=iterate, notes=(*built.notes, note))


def _form(
    spec: VKR | L1SVM, problem: VotedKernels, data: Dataset, form: str, settings: RunSettings
) -> BuiltForm:
    """The form of a problem.

    The expected value comes from a certified run of column generation. For the forms ``primal`` and
    ``dual`` without constraints, it is computed on demand. ``master`` is the last master of the
    run. ``budget`` and ``margin`` use 1/rho. Its default is the norm of the run's coefficients.
    """
    names = named_rows(spec.constraints)
    tightened = tight(settings, method="colgen", abs_tol=0.0)
    solve = partial(fit_vkr, replace(spec, rho=None), data, tightened)
    # whole programs without constraints have a point: they need no run to be built
    if form in ("primal", "dual") and not spec.constraints:
        build, sign = (build_primal, 1.0) if form == "primal" else (build_dual, -1.0)
        return BuiltForm(build(problem), lambda: expected_value(solve(), sign), sign)
    try:
        run = solve()
    except SettingError as error:
        # constraints that contradict each other: the primal shows them, with no value
        if form != "primal":
            raise
        return BuiltForm(build_primal(problem), math.inf, 1.0, names, (str(error),))
    value = expected_value(run)
    if form == "primal":
        return BuiltForm(build_primal(problem), value, 1.0, names)
    if form == "dual":
        return BuiltForm(build_dual(problem), expected_value(run, -1.0), -1.0, names)
    if form == "master":
        pairs = np.asarray(run.evidence["columns"], dtype=np.intp).reshape(-1, 2)
        master_value = run.trace[-1].detail["master"] / problem.m if run.trace else -1.0
        entries = {"iterations": len(run.trace), "columns": pairs.tolist(), "d": run.evidence["d"]}
        iterate = {**entries, **(names or {})}
        return BuiltForm(build_dual(problem, pairs), master_value, -1.0, iterate)
    # a bound 1/rho in place of beta: at the norm of the solution both have that solution
    norm = float(np.abs(run.evidence["alpha"]).sum())
    if spec.rho is None and norm == 0.0:
        raise OptionError("the solution is alpha = 0, so the budget 1/rho would be 0: give `rho`")
    budget = norm if spec.rho is None else 1.0 / spec.rho
    iterate = {"rho": 1.0 / budget, **(names or {})}
    if form == "margin":
        return _margin(problem, budget, run, iterate, settings)
    expected = None if spec.rho is not None or value is None else value - spec.beta * norm
    return BuiltForm(build_budget(problem, budget), expected, 1.0, iterate)


def _margin(
    problem: VotedKernels,
    budget: float,
    run: Run,
    iterate: dict[str, Any],
    settings: RunSettings,
) -> BuiltForm:
    """The form ``margin``. For few points, a mixed-integer solver computes its optimal value. This
    value is discarded if the known solution is better.
    """
    # what the hinge solution is worth in this program
    pairs = np.asarray(run.evidence["pairs"], dtype=np.intp).reshape(-1, 2)
    alpha = np.asarray(run.evidence["alpha"], dtype=np.float64)
    hinge = margin_objective(problem, problem.bank.columns(pairs), pairs, alpha)
    margin = partial(build_margin, problem, budget)

    def optimum() -> float | None:
        if problem.m > 40:  # points of a mixed-integer program that is solved to its optimum
            return None
        # rebuilt, because the objective of the exported program may have been deactivated; at most
        # 60 s where the settings have no limit
        value = proved_optimum(margin(), settings.for_own_solver(settings.budget(), 60.0))
        if value is not None and norm <= budget and value > hinge * (1.0 + AGREEMENT):
            return None  # the hinge solution is better: large constants misled the search
        return value

    norm = float(np.abs(alpha).sum())
    worth = (
        "no less than the optimum of this file"
        if norm <= budget
        else f"its norm {norm:.4g} is above 1/rho, so that it may be less than this file's optimum"
    )
    note = f"{worth}; margin objective of the hinge solution: {hinge:.6g}"
    return BuiltForm(margin(), optimum, 1.0, iterate, (note,))


def svm_form(spec: SVM, data: Dataset, form: str, settings: RunSettings) -> BuiltForm:
    """Build the form ``dual`` of a support vector machine, with the optimal value of a certified
    run.
    """
    model, tightened = svm_dual_of(spec, data), tight(settings)
    return BuiltForm(
        model,
        lambda: expected_value(fit_svm(spec, data, tightened), -1.0),
        -1.0,
        named_rows(spec.constraints),
    )


def load_vkr(
    spec: VKR | L1SVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load alpha and d. alpha comes from a primal form or the multipliers of a dual form. d comes
    from a dual form or the multipliers of a primal form.

    If d is missing, the bound is None. Raises OptionError if no form contains alpha.
    """
    budget = settings.budget()
    problem, penalties = assemble(replace(spec, rho=None), data, settings.seed)
    budget.kernels = budget.seconds
    # alpha are variables of a primal form and multipliers of a dual one; d the other way round
    pairs, alpha, d, mu = None, None, None, np.zeros(0)
    p, m, c = problem.bank.shape
    for point in points:
        if point.form in ("dual", "master"):
            if d is None:
                d, mu = point.vector("weight"), point.vector(ROW_PRICE)
            if alpha is None and point.multipliers is not None:
                pairs = point.indices("correlation", multipliers=True)
                alpha = coefficients_of(point.multiplier("correlation"))
        else:
            if alpha is None:
                pairs = point.indices("alpha_plus")
                if len(pairs) != p * c or point.indices("alpha_minus") != pairs:
                    raise DataError("the solution lacks coefficients of this data set's columns")
                alpha = point.vector("alpha_plus") - point.vector("alpha_minus")
            if d is None and point.multipliers is not None:
                d = point.multiplier("margin")
                mu = coefficients_of(point.multiplier(SCORE_ROW))
    if alpha is None or pairs is None:
        raise OptionError(
            f"form '{points[0].form}' without row duals holds no coefficients: load a solution of "
            "form 'primal', with this one as `dual_sol` and `dual_names`"
        )
    # both points on these data
    columns = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    sizes = (m,), (len(problem.rows),)
    if not bool(np.all(columns < (p, c))) or (d is not None and (d.shape, mu.shape) != sizes):
        raise DataError("the solution does not fit this data set: other points, kernels or rows")
    support = alpha != 0.0
    point_z = np.zeros(m + len(problem.rows)) if d is None else np.concatenate([d, mu])
    z = problem.clip_to_box(point_z)
    incumbent = Incumbent(columns[support], alpha[support], 0.0, z, 0.0, np.zeros((p, c)))
    # solvers leave a box by a tolerance, which is small beside 1/m
    moved = float(np.abs(z - point_z).max(initial=0.0))
    note = f"the dual point of the file leaves 0 <= d <= 1/m: moved into it by {moved:.2g}"
    repaired = (note,) if moved > 1e-6 * float(problem.costs.max()) else ()
    solved = Solved(Reason.SOLVER, [], incumbent, columns, warnings=repaired)
    outcome = outcome_of(spec, data, problem, penalties, solved, settings)
    return packed(spec, settings, budget, outcome if d is not None else outcome.without_bound("d"))


def load_svm(
    spec: SVM, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load the multipliers of the points and of the constraints from the dual. Compute the
    objective and the bound.
    """
    budget = settings.budget()
    with first_step(budget):
        a = points[0].vector("a")
        mu = points[0].vector(ROW_PRICE) if spec.constraints else np.zeros(0)
        outcome = outcome_at(spec, data, a, mu)
    return packed(spec, settings, budget, outcome)
