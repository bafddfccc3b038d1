"""Choosing settings over a grid: folds, protocols, tie rule."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.catalog import entry_named
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.dataset import Dataset
from radprog.instances.errors import OptionError
from radprog.models.kernels import parse_kernels

IntArray = NDArray[np.intp]

TIE_RULE = "among cells of equal score the first: the strongest regularisation, largest lam first"
DECREASING = ("lam", "beta")  # options whose larger value regularises more
SLOWEST = {"kernels": 1, "lam": 2, "beta": 3}  # order of the axes, others first


def parse_list(name: str, text: str) -> list[str]:
    """Values of ``a,b,c`` or ``a..b:N`` (N points in equal steps of the logarithm) as texts."""
    if ".." in text and ":" in text and "," not in text and name != "kernels":
        ends, _, count = text.rpartition(":")
        first, _, last = ends.partition("..")
        try:
            low, high, n = float(first), float(last), int(count)
        except ValueError:
            raise OptionError(f"grid {name}='{text}': expected a..b:N") from None
        if not (low > 0 and high > 0 and n >= 1):
            raise OptionError(f"grid {name}='{text}': expected a, b > 0 and N >= 1")
        return [f"{value:.12g}" for value in np.geomspace(low, high, n)]
    if name == "kernels":
        if ";" in text:
            return [item.strip() for item in text.split(";")]
        return [kernel.name for kernel in parse_kernels(text)]
    return [item.strip() for item in text.split(",")]


def parse_grid(model: str, entries: Sequence[str], base: Mapping[str, Any]) -> list[Any]:
    """All settings of a grid, strongest regularisation first.

    entries: NAME=LIST each; base: options held fixed. For kernels the list is of single kernels,
    or of whole SPECs separated by ``;``. Raises OptionError for a name that the model does not
    have, a value that cannot be read, or an option both fixed and varied.
    """
    spec_type = entry_named(model).spec
    known = {field.name: field for field in fields(spec_type)}
    axes: list[list[tuple[str, Any]]] = []
    for text in entries:
        flag, equals, values = text.partition("=")
        name = flag.strip().replace("-", "_")
        if not equals or name not in known:
            raise OptionError(f"grid '{text}': expected NAME=LIST with NAME in {', '.join(known)}")
        if name in base or any(axis[0][0] == name for axis in axes):
            raise OptionError(f"option {name} is given twice, once in --grid")
        parse = known[name].metadata["parse"]
        axis = []
        for value in parse_list(name, values):
            try:
                axis.append((name, parse(value)))
            except ValueError:
                raise OptionError(f"grid {name}: '{value}' is not a number") from None
        if name in DECREASING:
            axis.sort(key=lambda item: -item[1])
        elif name == "C":
            axis.sort(key=lambda item: float(item[1]))
        axes.append(axis)
    axes.sort(key=lambda axis: SLOWEST.get(axis[0][0], 0))
    return [spec_type(**{**base, **dict(choice)}) for choice in itertools.product(*axes)]


@dataclass(frozen=True)
class Fold:
    """Row numbers of one round: fit on train, choose on validation, report on test (or None)."""

    train: IntArray
    validation: IntArray
    test: IntArray | None


def make_folds(n: int, folds: int, protocol: str, seed: int) -> list[Fold]:
    """Folds of a random permutation of n rows.

    cv: fold i validates, the rest trains. paper (Voted Kernel Regularization, section 6): fold i
    tests, fold i + 1 validates, the rest trains. holdout: the first of ``folds`` parts validates.
    """
    least = 3 if protocol == "paper" else 2
    if not least <= folds <= n:
        raise OptionError(f"folds {folds}: protocol {protocol} needs {least} to {n} of them")
    parts = np.array_split(np.random.default_rng(seed).permutation(n), folds)

    def rest(*out: int) -> IntArray:
        return np.sort(np.concatenate([part for i, part in enumerate(parts) if i not in out]))

    if protocol == "holdout":
        return [Fold(rest(0), np.sort(parts[0]), None)]
    if protocol == "cv":
        return [Fold(rest(i), np.sort(parts[i]), None) for i in range(folds)]
    return [
        Fold(rest(i, (i + 1) % folds), np.sort(parts[(i + 1) % folds]), np.sort(parts[i]))
        for i in range(folds)
    ]


def _error(run: Run, data: Dataset) -> float:
    return float((run.fit.predict(data.X) != data.targets).mean())


def _score(run: Run, validation: Dataset, by: str) -> float:
    if by == "error":
        return _error(run, validation)
    bounds = run.extra.get("bounds")
    if not bounds:
        raise OptionError(f"model {run.name} has no generalisation bound to choose by")
    return float(bounds[0]["value"])


Watcher = Callable[[int, int], None]


def tune(
    model: str,
    specs: Sequence[Any],
    data: Dataset,
    settings: RunSettings,
    *,
    folds: int = 5,
    protocol: str = "cv",
    by: str = "error",
    watch: Watcher = lambda done, total: None,
) -> dict[str, Any]:
    """Score every setting on every fold and choose the one of least mean score.

    Scaling and penalties are fitted on each fold's training rows alone. Ties: TIE_RULE. ``watch``
    is told how many fits of how many are done. The table holds, per setting, mean validation
    error, mean test error (protocol paper), worst gap, whether all fits are certified, and mean
    numbers of coefficients and support vectors. An interrupt ends it after the running fit: the
    choice is then over settings scored on all folds so far finished.
    """
    entry = entry_named(model)
    rounds = make_folds(data.rows, folds, protocol, settings.seed)
    total = len(rounds) * len(specs)
    rows: list[list[dict[str, Any]]] = []
    done = 0
    for number, fold in enumerate(rounds):
        scored = []
        for spec, run, parts in _fits(entry.fit_grid, specs, data, fold, settings):
            train, validation, test = parts
            cell = {
                "score": _score(run, validation, by),
                "error": _error(run, validation),
                "test_error": None if test is None else _error(run, test),
                "gap": run.gap,
                "certified": run.certified,
                "iterations": len(run.trace),
                "coefficients": run.summary["coefficients"],
                "support_vectors": run.summary["support_vectors"],
                "train_rows": train.rows,
            }
            scored.append((list(specs).index(spec), cell))
            done += 1
            watch(done, total)
            if settings.interrupted():
                break
        if settings.interrupted() and len(scored) < len(specs):
            break
        rows.append([cell for _, cell in sorted(scored, key=lambda item: item[0])])
        if settings.interrupted() and number + 1 < len(rounds):
            break
    if not rows:
        raise KeyboardInterrupt
    return _table(model, specs, rows, len(rounds), protocol, by, folds, settings.seed)


def _fits(
    fit_grid: Any, specs: Sequence[Any], data: Dataset, fold: Fold, settings: RunSettings
) -> Iterator[tuple[Any, Run, tuple[Dataset, Dataset, Dataset | None]]]:
    train, validation = data.partition(fold.train, fold.validation)
    test = None if fold.test is None else data.partition(fold.train, fold.test)[1]
    for spec, run in fit_grid(specs, train, replace(settings)):
        yield spec, run, (train, validation, test)


def _table(
    model: str,
    specs: Sequence[Any],
    rows: Sequence[Sequence[Mapping[str, Any]]],
    planned: int,
    protocol: str,
    by: str,
    folds: int,
    seed: int,
) -> dict[str, Any]:
    varied = [
        field.name
        for field in fields(specs[0])
        if len({getattr(spec, field.name) for spec in specs}) > 1
    ]
    cells = []
    for c, spec in enumerate(specs):
        column = [row[c] for row in rows]

        def mean(key: str, column: list[Mapping[str, Any]] = column) -> float | None:
            values = [cell[key] for cell in column]
            return None if None in values else float(np.mean(values))

        gaps = [cell["gap"] for cell in column]
        cells.append(
            {
                "params": {name: getattr(spec, name) for name in varied},
                "score": mean("score"),
                "error": mean("error"),
                "error_std": float(np.std([cell["error"] for cell in column])),
                "test_error": mean("test_error"),
                "test_error_std": None
                if column[0]["test_error"] is None
                else float(np.std([cell["test_error"] for cell in column])),
                "gap": None if None in gaps else max(gaps),
                "certified": all(cell["certified"] for cell in column),
                "iterations": int(sum(cell["iterations"] for cell in column)),
                "coefficients": mean("coefficients"),
                "support_vectors": mean("support_vectors"),
            }
        )
    scores = [float(np.mean([row[c]["score"] for row in rows])) for c in range(len(specs))]
    best = int(np.argmin(scores))
    return {
        "schema": 1,
        "model": model,
        "protocol": protocol,
        "by": by,
        "folds": folds,
        "folds_finished": len(rows),
        "complete": len(rows) == planned,
        "seed": seed,
        "tie_rule": TIE_RULE,
        "ties": int(sum(score == scores[best] for score in scores)),
        "best": cells[best],
        "best_index": best,
        "certified": all(cell["certified"] for cell in cells),
        "cells": cells,
    }
