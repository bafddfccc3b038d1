"""Rademacher complexities of the classes behind the classifiers, under the same sign vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from radprog.catalog import Entry, entry_of
from radprog.decompositions.loop import Budget, Grace, NamedWatcher, never
from radprog.decompositions.questions import FunctionClass
from radprog.decompositions.run import RunSettings
from radprog.instances.errors import UnfinishedError
from radprog.instances.limits import OutOfBudget, under
from radprog.models.complexity import SIGN_KINDS, Estimate, class_complexity
from radprog.result import data_block, radprog_version, suited


def complexity(
    spec: Any,
    data: Any,
    *,
    trials: int = 100,
    exact: bool = False,
    kind: str = SIGN_KINDS[0],
    seed: int = 0,
    time_limit: float | None = None,
    interrupted: Callable[[], bool] = never,
    used: float = 0.0,
    watch: NamedWatcher = lambda name, done, total: None,
) -> dict[str, Any]:
    """Estimate (1/m) E sup_h sum sigma_i h(x_i) of every class of functions of a classifier.

    trials: random sign vectors; exact: all of them in their place (few points). kind: rademacher,
    or discrepancy: sign vectors that sum to 0. time_limit keeps what is done; used: seconds of it
    that are gone. watch is told a class, and how many sign vectors of how many are done.
    ``classes`` have value, standard error, trials, whether suprema are exact, and a certified upper
    bound where there is one. Raises OptionError, DataError, UnfinishedError.
    """
    entry = entry_of(spec)
    asked = RunSettings(seed=seed, time_limit=time_limit, interrupted=interrupted, used=used)
    return complexity_table(
        entry,
        spec,
        suited(entry, data),
        trials=None if exact else trials,
        kind=kind,
        seed=seed,
        budget=asked.budget(),
        watch=watch,
    )


def complexity_table(
    entry: Entry,
    spec: Any,
    data: Any,
    *,
    trials: int | None,
    kind: str,
    seed: int,
    budget: Budget,
    watch: NamedWatcher = lambda name, done, total: None,
) -> dict[str, Any]:
    """(1/m) E sup_h sum sigma_i h(x_i) of every class of a model.

    trials: random sign vectors, or None for all of them (few points). Rows hold value, standard
    error, trials, whether suprema are exact, and a certified upper bound where there is one; it is
    of random signs, not of the discrepancy. Raises OptionError, DataError, UnfinishedError.
    """
    rows: list[dict[str, Any]] = []
    count = None
    try:
        with under(Grace(budget)):
            classes = entry.function_classes(spec, data, seed)
            count = len(classes)
            for item in classes:
                found = _estimate(item, trials, kind, seed, budget, watch)
                if found is None:
                    break
                row = {"class": item.name, **asdict(found)}
                upper = (item.upper, item.upper_by) if kind == "rademacher" else (None, None)
                rows.append(row | dict(zip(("certified_upper", "upper_by"), upper, strict=True)))
    except OutOfBudget:
        pass
    if not rows:
        raise UnfinishedError(f"{budget.reason.value}: ended before two sign vectors were done")
    complete = len(rows) == count and not budget.spent()
    return {
        "schema": 1,
        "radprog": radprog_version(),
        "model": entry.name,
        "params": {key: value for key, value in asdict(spec).items() if value is not None},
        "kind": kind,
        "seed": seed,
        "enumerated": trials is None,
        "complete": complete,
        "stopped_by": "completion" if complete else budget.reason.value,
        "data": data_block(data),
        "classes": rows,
    }


def _estimate(
    item: FunctionClass,
    trials: int | None,
    kind: str,
    seed: int,
    budget: Budget,
    watch: NamedWatcher,
) -> Estimate | None:
    """That of one class, over the sign vectors that the budget allows."""

    def stop(done: int, total: int) -> bool:
        watch(item.name, done, total)
        return budget.spent()

    return class_complexity(
        item.suprema, item.m, trials=trials, seed=seed, kind=kind, exact=item.exact, stop=stop
    )
