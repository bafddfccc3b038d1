"""A run as plain values, which a checkpoint keeps, and the run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.run import Builder, Fit, Run, RunSettings, SolverUse, Spec
from radprog.instances.errors import MALFORMED, DataError

AS_THEY_ARE = ("method", "objective", "bound", "columns", "summary", "evidence", "extra", "times")


def values_of(run: Run) -> dict[str, Any]:
    """What :func:`run_of` reads back: all but the last program that was solved."""
    return {
        **{name: getattr(run, name) for name in AS_THEY_ARE},
        "reason": run.reason.value,
        "solver": asdict(run.solver),
        "trace": [asdict(record) for record in run.trace],
        "fit": run.fit.to_dict(),
        "warnings": list(run.warnings),
    }


def run_of(
    values: Mapping[str, Any],
    spec: Spec,
    settings: RunSettings,
    read: Callable[[Mapping[str, Any]], Fit],
    program: Builder,
) -> Run:
    """The run again, of the same settings; ``read`` a predictor. DataError where malformed."""
    try:
        return Run(
            **{name: values[name] for name in AS_THEY_ARE},
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
