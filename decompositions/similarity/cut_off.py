"""What clustering and label propagation answer where a limit leaves no time for more: equal
weights, and labels that meet their constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from radprog.base.limits import OutOfBudget, bounded, lifted, under
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget, Grace, Reason, Record
from radprog.decompositions.run import NO_SOLVER, Outcome, Run, RunSettings, packed
from radprog.decompositions.similarity.assembly import (
    DistanceStore,
    Instance,
    assemble,
    classes_of,
)
from radprog.decompositions.similarity.classifier import kernel_classifier
from radprog.decompositions.similarity.report import GRAPH, sizes_of
from radprog.decompositions.similarity.weight_step import weights_program
from radprog.instances.unlabelled import PartlyLabelled
from radprog.models.similarity.problem import DensityWeighted, Distances, indicator
from radprog.models.similarity.settings import (
    AUTO,
    CDSK,
    DEFAULT_BANDWIDTH,
    LPDSK,
    bandwidth_of,
)

if TYPE_CHECKING:
    import pyomo.environ as pyo

UNREAD = "unread"  # the kind of evidence that says nothing of the similarities
ASSEMBLY = 0.4  # of the grace, in which similarities may still come: their values cost time too
SAMPLED_POINTS = 500  # of which the median distance is taken where there is no time for all
NO_SIMILARITIES = "no step was made: the run was cut off before the similarities were there"
NO_STEP = "no step was made: the run ended before the first was done, and weights are equal"
EQUAL_PARTS = "labels are equal parts of the points in order of their features"
NO_VALUE = "its objective was not computed"


def equal_parts(n: int, c: int) -> IntArray:
    """Labels (n,) of c parts in a row, whose sizes differ by at most 1."""
    return np.arange(n, dtype=np.intp) * c // n


def relaxed(codes: IntArray, c: int, *, density: bool = False) -> FloatArray:
    """Y of a labelling (n,) without empty classes: (n, c) with Y'Y = (n/c) I, or for densities of
    two classes (n, 1) with y'y = n and 1'y = 0."""
    n = len(codes)
    if density:
        y = np.where(codes == 0, -1.0, 1.0) - np.where(codes == 0, -1.0, 1.0).mean()
        return np.asarray(y * np.sqrt(n / float(y @ y)))[:, None]
    return indicator(codes, c) * np.sqrt(n / (c * np.bincount(codes, minlength=c)))


def undecided(codes: IntArray, c: int) -> FloatArray:
    """Y (n, c) of given labels (n,), with equal shares in the rows without one (-1)."""
    return np.where(codes[:, None] >= 0, indicator(codes, c), 1.0 / c)


def at_equal_weights(instance: Instance, codes: IntArray) -> tuple[FloatArray, float | None]:
    """The Y of a labelling of all points, and Psi there, None where there is no time for it."""
    problem = instance.problem
    Y = relaxed(codes, instance.c, density=isinstance(problem, DensityWeighted))
    return Y, value_in_time(instance, Y)


def value_in_time(instance: Instance, Y: FloatArray) -> float | None:
    """Psi at equal weights; None where there is no time for it."""
    try:
        return bounded(instance.problem.uniform_value, Y)
    except OutOfBudget:
        return None


def unmoved(
    instance: Instance, a: FloatArray, reason: Reason, trace: Sequence[Record] | None
) -> tuple[str, ...]:
    """NO_STEP where a limit ended a run at the equal weights that it began with."""
    cut = reason.premature and trace is not None and not trace
    return (NO_STEP,) if cut and np.array_equal(a, instance.problem.uniform) else ()


def with_similarities(
    spec: CDSK | LPDSK,
    data: PartlyLabelled,
    settings: RunSettings,
    distances: DistanceStore | None,
    method: str,
    solve: Callable[[Instance, Budget], Outcome],
) -> Run:
    """What ``solve`` finds in the assembled instance; where there is no time to assemble it, what
    :func:`without_similarities` says."""
    clock = settings.clock()
    classes_of(spec, data)
    with under(clock.grace):
        try:
            with under(Grace(clock.budget, ASSEMBLY)):
                instance = bounded(assemble, spec, data, distances)
        except OutOfBudget:
            outcome = without_similarities(spec, data, method, clock.budget.reason)
        else:
            clock.ready()
            outcome = solve(instance, clock.budget)
    return packed(spec, settings, clock, outcome)


def without_similarities(
    spec: CDSK | LPDSK, data: PartlyLabelled, method: str, reason: Reason
) -> Outcome:
    """Equal weights and, of clusters, equal parts of the rows; given labels as they are."""
    with lifted():
        c, n = classes_of(spec, data), data.rows
        name = "cdsk" if isinstance(spec, CDSK) else "lpdsk"
        codes, what = (equal_parts(n, c), "clusters are equal parts of the rows")
        Y = relaxed(codes, c)
        if name == "lpdsk":
            codes, Y, what = data.codes, undecided(data.codes, c), "no row was given a label"
        elif isinstance(spec, CDSK) and spec.objective == "ise":
            Y = relaxed(codes, c, density=True)
        a = np.full(n, 1.0 / n)
        shares = {"embedding": Y.tolist()} if name == "cdsk" else {"shares": Y.tolist()}
        lam = n / 2 if spec.lam == "auto" else float(spec.lam)
        named = data.labels if name == "lpdsk" else ()
        return Outcome(
            method=method,
            reason=reason,
            objective=None,
            bound=None,
            trace=[],
            solver=NO_SOLVER,
            fit=kernel_classifier(data.X, a, codes, c, _bandwidth(spec, data), named),
            summary={
                **sizes_of(codes, a, c),
                "labels": codes.tolist(),
                "names": list(data.labels),
                "weights": a.tolist(),
                "bandwidth": None,
                "lam": lam,
                "largest_weight": 1.0,
                "box": None,
                "indefinite": None,
                "unreached": [],
                **({"objective_name": spec.objective} if isinstance(spec, CDSK) else {}),
                **dict.fromkeys(GRAPH),
                **shares,
                "accuracy": None,
                "nmi": None,
            },
            evidence={"kind": UNREAD, "a": a.tolist(), "Y": Y.tolist()},
            program=partial(_program, spec, data, Y),
            warnings=(*data.warnings, f"{NO_SIMILARITIES}: weights are equal, {what}, {NO_VALUE}"),
            extra={"bounds": []},
        )


def _bandwidth(spec: CDSK | LPDSK, data: PartlyLabelled) -> float | None:
    """That of the predictor; some points stand in for all."""
    if spec.similarity is not None:
        return None
    sample = Distances.of(data.X[:SAMPLED_POINTS])
    if spec.bandwidth == AUTO:
        return sample.first
    factor, relative = bandwidth_of(spec.bandwidth or DEFAULT_BANDWIDTH)
    return factor * (sample.median if relative else 1.0)


def _program(spec: CDSK | LPDSK, data: PartlyLabelled, Y: FloatArray) -> pyo.ConcreteModel:
    """The weight step at Y by row of the data."""
    instance = assemble(spec, data)
    return weights_program(instance.problem, Y[instance.order])
