"""LPDSK: label propagation by discriminative similarity (program (28) with the trace over pairs).

The method alternates between the harmonic step and the weight step. The harmonic step computes Y at
the unlabelled rows. The weight step uses DCA if it is nonconvex. Both steps minimise Psi(a, Y), the
reported objective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import single_threaded
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.loop import Budget, Record, first_step, run, stalled
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, packed
from radprog.decompositions.similarity.assembly import (
    Instance,
    assemble,
    box_notes,
    collapse_warnings,
    stored_points,
)
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.decompositions.similarity.labels import Clustering, loaded_point, solve_labels
from radprog.decompositions.similarity.report import bounds_of, least_cut_of, summarise
from radprog.decompositions.similarity.weight_step import (
    solver_of,
    weight_step,
    weights_program,
)
from radprog.instances.dataset import Dataset
from radprog.instances.tables import UNKNOWN
from radprog.models.similarity.graphs import harmonic
from radprog.models.similarity.problem import indicator
from radprog.models.similarity.settings import AUTO, LPDSK
from radprog.models.similarity.sparse import SparseWeighted
from radprog.models.similarity.spectral import Embedding


@dataclass
class Propagation:
    """The state of the alternation: weights, Y and objective.

    Rows that no label reaches have Y = 0.
    """

    instance: Instance
    settings: RunSettings
    a: FloatArray
    Y: FloatArray
    value: float
    harmonic_weights: FloatArray  # the weights of the last harmonic step
    detail: dict[str, float] = field(default_factory=dict)  # of the last weight step
    lowest: float | None = None  # eigenvalue of the last weight step that was not convex

    @staticmethod
    def start(instance: Instance, settings: RunSettings) -> Propagation:
        """Uniform weights and their harmonic step, that is, label propagation on the given
        similarity.
        """
        a = instance.problem.uniform
        Y = _harmonic(instance, a)
        return Propagation(instance, settings, a, Y, instance.problem.value(a, Y), a)

    def harmonic_step(self, budget: Budget) -> None:
        """Compute the best Y for the weights."""
        budget.check()
        # where the weights stay as they were, so does Y: 2,000 points 79 ms, 126 by solving again
        if np.array_equal(self.a, self.harmonic_weights):
            return
        Y, self.harmonic_weights = _harmonic(self.instance, self.a), self.a
        value = self.instance.problem.value(self.a, Y)
        if self._no_worse(value):
            self.Y, self.value = Y, value

    def weight_step(self, budget: Budget) -> None:
        """Compute the best weights for Y. If the step is nonconvex, only improve the weights."""
        # Psi(., Y) = a'Qa + b'a over the box: programs at once, as gradients alone stall
        Q, b = self.instance.problem.quadratic(self.Y)
        point, steps, lowest = weight_step(
            Q, b, self.instance.problem.upper, self.a, budget,
            settings=self.settings, gradient_steps=0,
        )  # fmt: skip
        self.detail = {"weight_gap": point.gap, "dca_steps": float(steps)}
        self.detail["convex"] = float(steps > 0 and lowest is None)
        self.lowest = self.lowest if lowest is None else lowest
        if self._no_worse(point.value):
            self.a, self.value = point.x, point.value

    def _no_worse(self, value: float) -> bool:
        # what rounding may add to the objective
        return value <= self.value + 1e-13 * max(1.0, abs(self.value))


def _harmonic(instance: Instance, a: FloatArray) -> FloatArray:
    S, F = instance.problem.similarity(a), indicator(instance.codes, instance.c)
    entries = S.data if isinstance(instance.problem, SparseWeighted) else S
    np.maximum(entries, 0.0, out=entries)  # the box keeps S >= 0 but for rounding
    return harmonic(S, F, instance.codes != UNKNOWN)[0]


def assign_labels(Y: FloatArray, codes: IntArray, lost: BoolArray, *, class_mass: bool) -> IntArray:
    """The class with the largest entry of Y, for each row. Given labels do not change. Rows that no
    label reaches have the class -1.

    With ``class_mass``, the columns of Y are first scaled (Zhu, Ghahramani and Lafferty). The class
    shares of unlabelled rows then equal those of labelled rows. If all entries of a row are equal,
    the class of the row is -1.
    """
    known = codes != UNKNOWN
    free = ~known & ~lost
    labels = codes.copy()
    shares = Y[free]
    # class mass normalisation: columns scaled to the class shares of the labelled rows
    if class_mass and len(shares):
        prior = np.bincount(codes[known], minlength=Y.shape[1]) / known.sum()
        mass = shares.sum(axis=0)
        shares = shares * np.where(mass > 0, prior / np.where(mass > 0, mass, 1.0), 0.0)
    # the largest share, but for a tie of all classes
    if len(shares):
        # difference of two shares that counts as none
        flat = np.ptp(shares, axis=1) <= 1e-12 * shares.max(axis=1, initial=0.0)
        unclear = flat & (Y.shape[1] > 1)
        labels[free] = np.where(unclear, UNKNOWN, shares.argmax(axis=1))
    return labels


@single_threaded
def fit_lpdsk(spec: LPDSK, data: Dataset, settings: RunSettings) -> Run:
    """Label the unlabelled rows. Rows in a component without labels keep the label -1.

    Raises OptionError and DataError under the conditions of :func:`assemble`.
    """
    exact = settings.method_of(spec) == "exact"
    unused = {"trace": spec.trace != "half", "class_mass": spec.class_mass} if exact else {}
    for name, is_set in unused.items():
        if is_set:
            raise OptionError(f"{name} is not used by method exact")
    budget = settings.budget()
    with first_step(budget):
        instance = assemble(spec, data)
        budget.kernels = budget.seconds
        # (12) with the known labels fixed, by a solver of integer programs
        if exact:
            best = solve_labels(spec, instance, settings, budget)
            return packed(spec, settings, budget, outcome_of(spec, data, instance, best))
        use = solver_of(settings)
        # alternate from equal weights: the weight step, then the harmonic step, until a round
        # lowers the objective by next to nothing
        state = Propagation.start(instance, settings)
        steps = [state.weight_step, state.harmonic_step]
        step = alternation(steps, lambda: state.value, lambda: None)

        def record_step(iteration: int, budget: Budget) -> Record:
            return replace(step(iteration, budget), detail=state.detail)

        # relative decrease of the objective at which a propagation of labels ends
        stops = settings.stops(stalled(1e-9), most=100)  # most label rounds
        reason, trace = run(record_step, stops, budget, settings.observe, needed=True)
    # the objective is evaluated once more where alternating ended
    clustering = Clustering(
        a=state.a, embedding=Embedding(state.Y, np.empty(0)), reason=reason, trace=trace,
        objective=instance.problem.value(state.a, state.Y), lowest=state.lowest, solver=use,
    )  # fmt: skip
    outcome = outcome_of(spec, data, instance, clustering, state.detail.get("weight_gap"))
    return packed(spec, settings, budget, outcome)


def outcome_of(
    spec: LPDSK,
    data: Dataset,
    instance: Instance,
    clustering: Clustering,
    weight_gap: float | None = None,
) -> Outcome:
    """The outcome for an alternation, or for a labelling by the method ``exact``."""
    # labels, by row of the problem, and rows that none reaches, by row of the data
    a, Y = clustering.a, clustering.embedding.Y
    exact = clustering.codes is not None
    codes, lost, fit = label_rows(spec, data, instance, a, Y)
    labels, unreached = instance.restored(codes), np.flatnonzero(instance.restored(lost))
    # rows that stay without a label
    notes, unlabelled = list[str](), int((labels == UNKNOWN).sum())
    if data.known.all():
        notes.append("every row has a label, so none is spread: leave unknown ones empty in a file")
    if unreached.size:
        name = data.row_name(int(unreached[0]))
        notes.append(
            f"no label reaches {unreached.size} rows (first: {name}): they are left without one "
            "(-1)"
        )
    # a class that others may have swallowed, of 10 rows or more by its share of the labels
    fixed, spread = labels[data.known], labels[~data.known & (labels != UNKNOWN)]
    count = partial(np.bincount, minlength=instance.c)
    share = count(fixed) / max(len(fixed), 1) * len(spread)
    for k in np.flatnonzero((share >= 10.0) & (count(spread) < 0.1 * share)).tolist():
        notes.append(
            f"class {data.labels[k]} has {count(fixed)[k]} of {len(fixed)} labels and "
            f"{count(spread)[k]} of {len(spread)} other rows: another class may have taken its "
            "rows; more labels, another scale or another bandwidth may help"
        )
    if unlabelled and not unreached.size:
        notes.append(f"{unlabelled} rows have no largest class share: left without a label")
    return Outcome(
        method="exact" if exact else "alternate",
        reason=clustering.reason,
        objective=clustering.objective,
        bound=clustering.bound,
        trace=clustering.trace,
        solver=clustering.solver,
        fit=fit,
        summary={
            **summarise(instance, a, codes, data),
            "shares": instance.restored(Y).tolist(),
            "unreached": unreached.tolist(),
            "least_cut": least_cut_of(instance, a),
            "weight_gap": weight_gap,
            "least_curvature": clustering.lowest,
        },
        evidence={
            **clustering.evidence,
            "a": instance.restored(a).tolist(),
            "Y": instance.restored(Y).tolist(),
            **({"bandwidth": instance.bandwidth} if spec.bandwidth == AUTO else {}),
        },
        program=partial(weights_program, instance, Y),
        warnings=(
            *instance.warnings,
            *(box_notes(instance, a) if exact else ()),
            *collapse_warnings(instance, a, codes, None, data),
            *notes,
        ),
        extra={"bounds": bounds_of(instance, a, codes)},
    )


def label_rows(
    spec: LPDSK, data: Dataset, instance: Instance, a: FloatArray, Y: FloatArray
) -> tuple[IntArray, BoolArray, KernelClassifier]:
    """The predictor and the classes (n,) for weights a (n,) and Y (n, c), in the order of the
    problem.

    Also returns a mask (n,) of the rows that no label reaches. Y = 0 at these rows.
    """
    lost = np.asarray(~Y.any(axis=1))
    codes = assign_labels(Y, instance.codes, lost, class_mass=spec.class_mass)
    fit = KernelClassifier.of(
        data.X,
        instance.restored(a),
        instance.restored(codes),
        instance.c,
        instance.bandwidth,
        data.labels,
    )
    return codes, lost, fit


@single_threaded
def recompute_lpdsk(
    spec: LPDSK, data: Dataset, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """The values at the stored points, recomputed with numpy. Raises DataError if the points do not
    match the data.
    """
    instance = assemble(spec, data, evidence.get("bandwidth"))
    a, Y = stored_points(evidence, instance)
    # Y must hold the given labels; the objective and the predictor follow from the points
    known = instance.codes != UNKNOWN
    F = indicator(instance.codes, instance.c)
    if Y.shape != F.shape or not np.array_equal(Y[known], F[known]):
        raise DataError("the stored Y does not hold the given labels")
    fit = label_rows(spec, data, instance, a, Y)[2]
    if evidence.get("kind") != "discrete":
        return Recomputed(objective=instance.problem.value(a, Y), bound=None, fit=fit)
    # (12) of a labelling; its bound is the solver's
    codes = Y.argmax(axis=1)
    if not np.array_equal(Y, indicator(codes, instance.c)):
        raise DataError("the stored Y is not that of a labelling")
    objective = instance.problem.labelled_value_up(a, codes)
    return Recomputed(objective=objective, bound=evidence.get("solver_bound"), fit=fit)


def load_lpdsk(
    spec: LPDSK, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load a solution of the discrete program. Raises DataError if its labels contradict the known
    labels.
    """
    budget, instance = settings.budget(), assemble(spec, data)
    budget.kernels = budget.seconds
    clustering = loaded_point(instance, points[0])
    known = instance.codes != UNKNOWN
    assert clustering.codes is not None
    if not np.array_equal(clustering.codes[known], instance.codes[known]):
        raise DataError("the solution has other labels than the data where they are known")
    return packed(spec, settings, budget, outcome_of(spec, data, instance, clustering))
