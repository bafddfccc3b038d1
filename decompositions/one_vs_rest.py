"""One-vs-rest: for each class, a binary classifier of this class against all others.

The k programs share no variable, so they form one separable program. Its objective is the sum of
the classifiers' objectives, and its bound is the sum of their bounds. The data have ``labels``, all
classes in order, and ``codes``, the index of each row's class. Both are replaced for each
classifier.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from radprog.base.errors import MALFORMED, DataError
from radprog.base.limits import OutOfBudget
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.loop import Budget, Reason, Record, unfinished
from radprog.decompositions.run import (
    EQUAL_SCORES,
    Attempt,
    Builder,
    Fit,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    Spec,
    first_form,
    level_ties,
    limited,
    packed,
    remedy,
    weakness_of,
    weigh_alike,
)
from radprog.decompositions.sweeps.checkpoint import identity_of, sweep_hash
from radprog.decompositions.sweeps.sharing import ALONE, answers
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.instances.data import array_hash

S = TypeVar("S", bound=Spec)
Fitter = Callable[[Any, Any, RunSettings], Run]
Recomputer = Callable[[Any, Any, Mapping[str, Any], int], Recomputed]
Former = Callable[[Any, Any, str, RunSettings], BuiltForm]
ClassifierReader = Callable[[Mapping[str, Any]], Fit]  # of what to_dict gave
FitReader = Callable[[str, Mapping[str, Any]], Fit]  # kind, and what to_dict of it gave
#: Of a run: what a checkpoint keeps as it is.
_STORED = ("method", "objective", "bound", "columns", "summary", "evidence", "extra", "times")


@dataclass(frozen=True, kw_only=True, eq=False)
class OneVsRest:
    """A predictor with a classifier for each class.

    The predicted class is the class with the largest score. Ties go to the first class.
    """

    labels: tuple[str, ...]
    fits: tuple[Fit, ...]
    kind = "one_vs_rest"

    def scores(self, X: Any, cross: Any = None) -> FloatArray:
        """Scores (n, k), one column per class."""
        return level_ties(np.column_stack([fit.scores(X, cross) for fit in self.fits]))

    def predict(self, X: Any, cross: Any = None) -> FloatArray:
        """The numbers (n,) of the predicted classes, counted from 0 in the order of ``labels``."""
        return np.asarray(self.scores(X, cross).argmax(axis=1), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back."""
        return {
            "labels": list(self.labels),
            "fits": [{"kind": fit.kind, "fit": fit.to_dict()} for fit in self.fits],
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any], read: FitReader) -> OneVsRest:
        """Rebuild the predictor from :meth:`to_dict`. ``read`` reads a classifier. Raises DataError
        if values are malformed.
        """
        try:
            labels = tuple(str(label) for label in values["labels"])
            fits = tuple(read(item["kind"], item["fit"]) for item in values["fits"])
        except MALFORMED as error:
            raise DataError(f"not a saved fit: {error!r}") from None
        if len(labels) != len(fits) or len(fits) < 2:
            raise DataError(f"not a saved fit: {len(fits)} classifiers for {len(labels)} classes")
        return OneVsRest(labels=labels, fits=fits)


def against(data: Any, label: str) -> Any:
    """The data with two classes: ``label`` is +1, and every other class is -1.

    ``origin`` of the data contains the data set from which their rows were taken. Classifiers use
    this data set to share computations.
    """
    codes = (data.codes == data.labels.index(label)).astype(np.intp)
    classifier = replace(data, codes=codes, labels=(f"not {label}", label))
    if getattr(data, "origin", ()) is None:
        classifier = replace(classifier, origin=(data, np.arange(data.rows)))
    return classifier


def for_class(spec: Any, label: str) -> Any:
    """The settings of the classifier of one class: with the constraints on its scores."""
    rows = getattr(spec, "constraints", None) or ()
    allowed = tuple(row for row in rows if getattr(row, "label", None) in (None, label))
    return replace(spec, constraints=allowed or None) if rows else spec


def fit_one_vs_rest(
    fit: Fitter,
    spec: Spec,
    data: Any,
    settings: RunSettings,
    read: ClassifierReader | None = None,
    build: Former | None = None,
) -> Run:
    """Fit one classifier per class, within one time limit for all classes together.

    If ``start`` has the same number of classifiers, each of them is the start of a fit.
    ``settings.sharing`` contains the workers and the folder for finished classifiers. The result
    does not depend on it, with one exception. The last program of a stored classifier is the
    model's first form, built by ``build``. ``read`` reads a stored predictor. The predictor of the
    run is a :class:`OneVsRest`, and ``extra["machines"]`` contains the values of each classifier.
    Raises UnfinishedError if a fit ends before its first step.
    """
    budget = settings.budget()
    settings.sharing.refuse_log(settings.log)
    settings.sharing.refuse_one("one-vs-rest", divided=True, kept=read is not None)
    # the classifiers are units of a sweep; another process gets neither an observer nor an
    # interrupt of this one
    sharing, runs = settings.sharing, []
    checkpointed = sharing.checkpoint is not None
    unit_settings = settings.for_units() if sharing.shared else replace(settings, sharing=ALONE)
    finish = None if settings.time_limit is None else time.time() + budget.remaining
    workers = min(sharing.workers, len(data.labels))
    sweep = Sweep(
        call=_fit_class,
        shared=(fit, spec, data, unit_settings, finish, workers, sharing.shared, checkpointed),
        units=[
            Unit(name=f"the classifier of class {label}", item=number)
            for number, label in enumerate(data.labels)
        ],
        identity={
            # the values that determine the classifiers for all classes
            "model": spec.model_name,
            **identity_of([spec], data, settings),
            "classes": [*data.labels, array_hash(data.codes, None)],
            "start": None if settings.start is None else sweep_hash(settings.start.to_dict()),
        }
        if checkpointed
        else {},
    )
    for number, answer in enumerate(answers(sweep, sharing, budget)):
        if answer.error is not None:
            raise answer.error
        if answer.value is None:
            raise unfinished(budget)
        # a classifier of a checkpoint is values, whose program is built when it is first wanted
        value = answer.value
        if not isinstance(value, Run):
            assert read is not None  # else the checkpoint was refused
            binary = against(data, data.labels[number])
            part = for_class(spec, data.labels[number])
            program = partial(_whole, build, part, binary, settings.for_units())
            value = stored_run(value, part, settings, read, program)
        runs.append(value)
    return combined(runs, spec, data, settings, budget)


def grid_one_vs_rest(
    grid: Callable[[Sequence[S], Any, RunSettings], Iterator[tuple[S, Attempt]]],
    specs: Sequence[S],
    data: Any,
    settings: RunSettings,
) -> Iterator[tuple[S, Attempt]]:
    """Fit several settings to data with more than two classes.

    For each class, ``grid`` fits the classifier with all settings. A fit may start from the
    solution for a neighbouring setting. All classes of a setting come before the next setting, so
    that a caller who stops has whole runs. The time limit is divided among the classes.
    """
    if settings.time_limit is not None:
        settings = replace(settings, time_limit=settings.time_limit / len(data.labels))
    # a setting of the first class, which has its own constraints only
    spec_of = {for_class(spec, data.labels[0]): spec for spec in specs}
    grids = [
        grid([for_class(spec, label) for spec in specs], against(data, label), settings)
        for label in data.labels
    ]
    for pairs in zip(*grids, strict=True):
        spec, attempts = spec_of[pairs[0][0]], [attempt for _, attempt in pairs]
        errors = [a for a in attempts if not isinstance(a, Run)]
        runs = [a for a in attempts if isinstance(a, Run)]
        if errors:
            yield spec, errors[0]
            continue
        spent = sum(run.times["total"] for run in runs)
        budget = replace(settings, used=spent).budget()
        yield spec, combined(runs, spec, data, settings, budget)


def combined(
    runs: Sequence[Run], spec: Spec, data: Any, settings: RunSettings, budget: Budget
) -> Run:
    """The run that combines the classifiers of all classes."""
    # sums of objectives and bounds, the traces one after the other
    first, budget.kernels = runs[0], sum(run.times["kernels"] for run in runs)
    offsets = np.cumsum([0.0, *(run.times["total"] for run in runs)])
    records = [
        replace(
            record,
            seconds=record.seconds + offset,
            detail={**record.detail, "machine": float(number)},
        )
        for number, (run, offset) in enumerate(zip(runs, offsets.tolist(), strict=False))
        for record in run.trace
    ]
    # the reason is that of a run that a limit ended, else of a run without a certificate
    open_ends = [run.reason for run in runs if not run.certified]
    reasons = [*(reason for reason in open_ends if reason.premature), *open_ends, Reason.TOLERANCE]
    # the predictions of all together, unless they need the values of a kernel from a file
    fit = OneVsRest(labels=tuple(data.labels), fits=tuple(run.fit for run in runs))
    weak: dict[str, Any] = {}
    with suppress(DataError):
        scores = fit.scores(data.X)
        if weakness := weakness_of(scores, scores.argmax(axis=1), data.codes, data.weights):
            weak["weakness"] = weakness
    # a classifier of a rare class may well say no to every row, but equal scores carry nothing
    warnings: list[str] = []
    for label, run in zip(data.labels, runs, strict=True):
        weakness = run.summary.get("weakness")
        warnings += (text for text in run.warnings if weakness is None or weakness not in text)
        if weakness and weakness.startswith(EQUAL_SCORES):
            advice = remedy(run.spec, weakness, run.extra)
            if data.weights is not None and weigh_alike(data.codes, data.weights):
                # weights that are alike over all classes are not so for one against the rest
                advice = "fit each class with class_weight='balanced' (OneVsRestClassifier)"
            advice = limited(run.reason) or advice
            warnings.append(f"the classifier of class {label} {weakness}: {advice}")
    outcome = Outcome(
        method=first.method,
        solver=first.solver,
        reason=reasons[0],
        objective=_total([run.objective for run in runs]),
        bound=None if any(run.crossed for run in runs) else _total([run.bound for run in runs]),
        trace=[replace(record, iteration=number) for number, record in enumerate(records)],
        fit=fit,
        summary=_summary([run.summary for run in runs]) | weak,
        evidence={"machines": [run.evidence for run in runs]},
        program=partial(_together, [run.program for run in runs]),
        columns=None if first.columns is None else sum(run.columns or 0 for run in runs),
        warnings=tuple(dict.fromkeys(warnings)),
        extra={
            "machines": [
                {
                    "label": label,
                    "objective": run.objective,
                    "bound": run.bound,
                    "gap": run.gap,
                    "certified": run.certified,
                    "stopped_by": run.stopped_by.value,
                    "fit": dict(run.summary),
                    **run.extra,
                }
                for label, run in zip(data.labels, runs, strict=True)
            ]
        },
    )
    return packed(spec, settings, budget, outcome)


def _fit_class(shared: Any, number: int, inside: Inside) -> Any:
    """The classifier of one class: its run, or stored values from a checkpoint."""
    fit, spec, data, settings, finish, workers, is_shared, checkpointed = shared
    # its share of the time until ``finish``, so many working at once
    limit, start = None, settings.start
    if finish is not None:
        limit = max((finish - time.time()) / math.ceil((len(data.labels) - number) / workers), 1e-3)
    if isinstance(start, OneVsRest) and start.labels == tuple(data.labels):
        start = start.fits[number]
    interrupted = inside.interrupted if is_shared else settings.interrupted
    timed = replace(settings, used=0.0, start=start, time_limit=limit, interrupted=interrupted)
    label = data.labels[number]
    run: Run = fit(for_class(spec, label), against(data, label), timed)
    if not checkpointed:
        return run
    # the next run of the sweep fits what a limit has ended anew
    if run.reason.premature and not run.certified:
        raise OutOfBudget(run)
    return stored_values(run)


def stored_values(run: Run) -> dict[str, Any]:
    """The values that :func:`stored_run` reads: all values except the last program."""
    return {
        **{name: getattr(run, name) for name in _STORED},
        "reason": run.reason.value,
        "solver": asdict(run.solver),
        "trace": [asdict(record) for record in run.trace],
        "fit": run.fit.to_dict(),
        "warnings": list(run.warnings),
    }


def stored_run(
    values: Mapping[str, Any],
    spec: Spec,
    settings: RunSettings,
    read: ClassifierReader,
    program: Builder,
) -> Run:
    """The run rebuilt from its plain values, with the same settings. ``read`` reads the predictor.

    Raises DataError if values are malformed.
    """
    try:
        return Run(
            **{name: values[name] for name in _STORED},
            reason=Reason(values["reason"]),
            solver=SolverUse(**values["solver"]),
            trace=[Record(**record) for record in values["trace"]],
            fit=read(values["fit"]),
            warnings=tuple(values["warnings"]),
            program=program,
            spec=spec,
            tol=settings.tol,
            abs_tol=settings.abs_tol,
            settings=settings.for_units(),
        )
    except MALFORMED as error:
        raise DataError(f"not a run that a checkpoint keeps: {error!r}") from None


def _whole(build: Former | None, spec: Spec, data: Any, settings: RunSettings) -> pyo.ConcreteModel:
    """The model's first form for one classifier."""
    assert build is not None
    return build(spec, data, first_form(spec), settings).model


def recompute_one_vs_rest(
    recompute: Recomputer, spec: Spec, data: Any, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The sums of the recomputed objectives and bounds of all classifiers. Raises DataError if a
    classifier is missing.
    """
    classifiers = evidence["machines"]
    if len(classifiers) != len(data.labels):
        raise DataError(f"{len(classifiers)} classifiers for {len(data.labels)} classes")
    values = [
        recompute(for_class(spec, label), against(data, label), classifier, seed)
        for label, classifier in zip(data.labels, classifiers, strict=True)
    ]
    fits = tuple(value.fit for value in values if value.fit is not None)
    return Recomputed(
        objective=_total([value.objective for value in values]),
        bound=_total([value.bound for value in values]),
        fit=OneVsRest(labels=tuple(data.labels), fits=fits) if len(fits) == len(values) else None,
    )


def form_one_vs_rest(
    build: Former, spec: Spec, data: Any, form: str, settings: RunSettings
) -> BuiltForm:
    """The forms of all classifiers as one separable program. Its optimal value is the sum of their
    optimal values.
    """
    classifiers = [
        build(for_class(spec, label), against(data, label), form, settings) for label in data.labels
    ]
    return BuiltForm(
        _together([partial(getattr, classifier, "model") for classifier in classifiers]),
        lambda: _total([classifier.expected for classifier in classifiers]),
        classifiers[0].sense,
        {"machines": [classifier.iterate for classifier in classifiers]},
        tuple(note for classifier in classifiers for note in classifier.notes),
    )


def _total(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def _summary(classifiers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of the counts and the means of the shares that all classifiers have. Other entries
    are omitted.
    """
    summary: dict[str, Any] = {"machines": len(classifiers)}
    for name, first in classifiers[0].items():
        values = [classifier[name] for classifier in classifiers if name in classifier]
        if len(values) < len(classifiers):
            continue
        if isinstance(first, int) and not isinstance(first, bool):
            summary[name] = sum(values)
        elif isinstance(first, float) and name.endswith("_share"):
            summary[name] = sum(values) / len(values)
    return summary


def _together(programs: Sequence[Builder]) -> pyo.ConcreteModel:
    """One program with a block for each classifier. Its objective is the sum of the classifiers'
    objectives.
    """
    program = pyo.ConcreteModel(name="one_vs_rest")
    terms, sense = [], pyo.minimize
    for number, build in enumerate(programs):
        model = build()
        for objective in model.component_data_objects(pyo.Objective, active=True):
            terms.append(objective.expr)
            sense = objective.sense
            objective.deactivate()
        for suffix in list(model.component_objects(pyo.Suffix)):
            model.del_component(suffix)
        program.add_component(f"class{number}", model)
    program.objective = pyo.Objective(expr=pyo.quicksum(terms), sense=sense)
    return program
