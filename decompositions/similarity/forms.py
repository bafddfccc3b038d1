"""Explicit programs of CDSK and LPDSK for export, with the optimal values of their files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, SolverMissingError
from radprog.base.limits import OutOfBudget, single_threaded
from radprog.base.tolerances import KNOWN_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import Instance, assemble, box_used
from radprog.decompositions.similarity.cdsk import SIZES_UNUSED, fit_cdsk
from radprog.decompositions.similarity.labels import labels_exist, labels_program, solve_labels
from radprog.decompositions.similarity.lpdsk import fit_lpdsk
from radprog.decompositions.similarity.weight_step import RUN_DEFAULTS, convex_minimum, curvature
from radprog.instances.dataset import Dataset
from radprog.instances.tables import UNKNOWN
from radprog.models.similarity.graphs import harmonic
from radprog.models.similarity.problem import frank_wolfe_gap, indicator
from radprog.models.similarity.programs import build_harmonic, build_joint, build_weights
from radprog.models.similarity.settings import CDSK, LPDSK
from radprog.solvers.program import relative_gap


@single_threaded
def similarity_form(
    spec: CDSK | LPDSK, data: Dataset, form: str, settings: RunSettings
) -> BuiltForm:
    """Build the form ``labels`` or ``general`` (discrete), ``weights`` or ``harmonic`` (at the last
    iterate), or ``joint`` (nonlinear).

    The optimal value of a discrete program is computed only if it is small.
    """
    if form in ("labels", "general"):
        return _discrete_form(spec, data, form, settings)
    # the last weights and Y of a run
    settings = replace(settings, method="alternate")
    if isinstance(spec, LPDSK):
        run, objective = fit_lpdsk(spec, data, settings), "ratio"
    elif spec.min_size is not None or spec.max_size is not None:
        raise OptionError(SIZES_UNUSED)
    else:
        run, objective = fit_cdsk(spec, data, settings), spec.objective
    instance = assemble(spec, data).in_data_order()
    problem = instance.problem
    a, Y = (np.asarray(run.evidence[key], dtype=np.float64) for key in ("a", "Y"))
    iterate = {"a": a.tolist(), "Y": Y.tolist(), "box": box_used(instance)}
    if form == "weights":
        return _weights_form(instance, a, Y, iterate)
    known, F = instance.codes != UNKNOWN, indicator(instance.codes, instance.c)
    if form == "joint":
        # in weights and labels, from those of the run
        if problem.n > 30:
            raise OptionError(f"form joint is for at most 30 points, the data has {problem.n}")
        labels = (F, known) if isinstance(spec, LPDSK) else None
        model = build_joint(problem, instance.c, objective, (a, Y), labels=labels)
        note = f"value at the starting point, which a local solver can only lower: {run.objective}"
        return BuiltForm(model, None, 1.0, iterate, (note, *_form_notes(instance)))
    # harmonic: Y at the last weights
    S = np.maximum(problem.similarity(a), 0.0)
    model = build_harmonic(S, F, known, problem.tau, problem.label_free(a))
    return BuiltForm(model, lambda: problem.value(a, harmonic(S, F, known)[0]), 1.0, iterate)


def _weights_form(
    instance: Instance, a: FloatArray, Y: FloatArray, iterate: dict[str, Any]
) -> BuiltForm:
    """The weight step at Y. If it is nonconvex, the result is its convex majoriser at a (the DCA
    step).

    At a, the majoriser equals Psi(., Y).
    """
    # the tangent of the concave part at a, if there is one
    problem = instance.problem
    Q, b = problem.quadratic(Y)
    split = curvature(Q)
    linear, constant = b + split.slope, split.constant
    notes = _form_notes(instance)
    if split.concave is not None:
        pull = split.concave @ a
        linear, constant = linear - 2.0 * pull, constant + float(a @ pull)
        notes = (
            f"the weight step is not convex (least eigenvalue {split.lowest:.3g} where weights sum "
            "to 0): this is its convex majoriser at the last iterate",
            *notes,
        )
    # lifted along 1, on which the convex part is 0: a constant on the simplex
    lift = float(np.abs(split.convex).max(initial=0.0)) / problem.n
    P, constant = split.convex + lift, constant - lift

    def optimum() -> float | None:
        # known where the Frank-Wolfe gap, relative, proves it
        best = convex_minimum(P, linear, problem.upper, Budget())
        product = P @ best
        value = float(best @ product + linear @ best) + constant
        gap = frank_wolfe_gap(2.0 * product + linear, best, problem.upper)
        return value if gap <= 1e-8 * max(1.0, abs(value)) else None

    model = build_weights(P, linear, problem.upper, constant)
    return BuiltForm(model, optimum, 1.0, iterate, notes)


def _discrete_form(
    spec: CDSK | LPDSK, data: Dataset, form: str, settings: RunSettings
) -> BuiltForm:
    """Program (12) for a kernel, or (25) for a given similarity.

    The bounds on cluster sizes come from the settings. For lpdsk, known labels are fixed.
    """
    if (form == "general") != (spec.similarity is not None):
        raise OptionError(
            "form general is (25) with a given similarity, form labels is (12) with a kernel"
        )
    instance = assemble(spec, data)

    def optimum() -> float | None:
        if not labels_exist(spec, instance):
            return np.inf
        # labels n c up to which the discrete program is solved for its expected value
        if instance.problem.n * instance.c > 24:
            return None
        # by a solver, where one is installed and the program is small
        budget = Budget(time_limit=settings.time_limit or 20.0)  # labels seconds
        try:
            best = solve_labels(spec, instance, RUN_DEFAULTS, budget)
        except (SolverMissingError, OutOfBudget):
            return None
        gap = relative_gap(best.objective, best.bound)
        return best.objective if gap is not None and gap <= KNOWN_GAP else None

    model = labels_program(spec, instance)
    return BuiltForm(model, optimum, 1.0, {"box": box_used(instance)}, _form_notes(instance))


def _form_notes(instance: Instance) -> tuple[str, ...]:
    """The note in an export about an upper bound on weights that is not part of the paper's
    program.
    """
    box = box_used(instance)
    if box is None:
        return ()
    return (f"weights are at most {box:.6g}, a box within the simplex of the paper's program",)
