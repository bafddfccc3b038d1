"""The section Accuracy of docs/reference/benchmarks.md, from the results of ``comparison.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import shifted_mean
from scipy.stats import rankdata

Json = dict[str, Any]
HEAD = """\
## Accuracy

radprog's [estimators](../guides/scikit-learn.md) beside those of scikit-learn and aeon.
`python benchmarks/comparison.py --peer PYTHON` measures all of them, where `PYTHON` has aeon.

- **Choice of settings.** Cross-validation with 3 folds of the training rows chooses each setting
  from the small grids below. Processor seconds include the whole cross-validation.
- **Scaling.** A `StandardScaler`, fitted to the training rows, scales the columns. In regression
  tasks, a second one scales the targets.
- **Rows.** From a data set with more than {rows} rows, {rows} rows are drawn, stratified by class.
  Rows with missing cells and classes with fewer than 9 rows are left out.
- **Chance.** The standard error of an accuracy of 80 % on {rows} rows is {error:.1f} points, so a
  difference of a few points on one data set may be chance. Mean ranks are more reliable.
"""
TITLES = {
    "classes": (
        "Classifiers",
        "The table shows accuracies in percent, averaged over 3 outer folds. In the grids, the "
        "gamma of a Gaussian kernel is divided by the number of columns.",
    ),
    "clusters": (
        "Clusterings",
        "The table shows the adjusted Rand index times 100, averaged over 3 seeds. All rows are "
        "clustered, and the scaling of the columns uses all rows. The methods receive the number "
        "of classes and use their default settings. Labels do not influence any choice.",
    ),
    "labels": (
        "Few labels",
        "The table shows accuracies in percent on the rows without a label, averaged over 3 "
        "draws. In each draw, 5 rows of each class have a label. Cross-validation with 3 folds "
        "of these rows chooses the settings. In the grids, the gamma of a Gaussian kernel is "
        "divided by the number of columns.",
    ),
    "values": (
        "Regression",
        "The table shows mean absolute errors, averaged over 3 outer folds. They are in percent "
        "of the error of a constant prediction, the median of the training targets. Less is "
        "better. The data folder contains no regression data. The data are therefore "
        "scikit-learn's diabetes and friedman1, and the sinc data of the regression paper. In "
        "sets with wrong values, a tenth of the training targets, but no test target, is moved "
        "by 5 standard deviations. In the grids, the gamma of a Gaussian kernel is divided by "
        "the number of columns.",
    ),
    "series": (
        "Series",
        "The table shows accuracies in percent on the test file of the archive. "
        "Cross-validation with 3 folds of the training file chooses the settings. The "
        "classifiers of aeon use their defaults, and their compilation time is not counted.",
    ),
}
LESS = {"values"}
SAME = 5e-5


def page(results: Json) -> str:
    """The whole section."""
    rows = results["rows"]
    parts = [HEAD.format(rows=rows, error=100 * (0.16 / rows) ** 0.5), *_left(results)]
    parts += _words(results)
    for task, (title, how) in TITLES.items():
        if not scores(results, task)[0]:
            continue
        parts += [f"### {title}\n", f"{how}\n", *_table(results, task), "", *_grids(results, task)]
    machine = results["machine"]
    told = [f"{name} {value}" for name, value in results["versions"].items()]
    load = f", {machine['cores']} cores, load {machine['load_before']:.1f} before"
    parts.append(
        f"Measured {results['date']}, commit `{results['commit'][:10]}`, on "
        f"{machine['processor']}{load}. A busy machine raises the processor seconds of all "
        f"methods. One thread; Python {results['python']}, {', '.join(told)}.\n"
    )
    return "\n".join(parts)


def _left(results: Json) -> Iterator[str]:
    """What was not measured."""
    left = results["left"]
    if not left:
        return
    total = len(left) + len(results["units"])
    yield f"{len(left)} of {total} runs are still to be made. A table below has the data sets"
    yield "on which all of its methods were run. These runs are missing:\n"
    for task, (title, _) in TITLES.items():
        told: dict[str, list[str]] = {}
        for unit in left:
            if unit["task"] == task:
                told.setdefault(_short(unit["data"]), []).append(unit["method"])
        run = {_short(unit["data"]) for unit in results["units"] if unit["task"] == task}
        named = [d if d not in run else f"{d} ({', '.join(told[d])})" for d in told]
        if named:
            yield f"- {title}: {'; '.join(named)}"
    yield ""


def scores(results: Json, task: str) -> tuple[list[str], list[str], Any, Any]:
    """Data sets that all methods were run on, methods, mean scores and processor seconds (sets,
    methods)."""
    units = [unit for unit in results["units"] if unit["task"] == task]
    known = {unit["method"] for unit in units}
    methods = [method for method in results["grids"][task] if method in known]
    runs = Counter(unit["data"] for unit in units)
    sets = [data for data, count in runs.items() if count == len(methods)]
    units = [unit for unit in units if unit["data"] in sets]
    mean, cpu = np.full((2, len(sets), len(methods)), np.nan)
    for unit in units:
        place = sets.index(unit["data"]), methods.index(unit["method"])
        mean[place], cpu[place] = np.mean(unit["scores"]), unit["cpu"]
    return sets, methods, mean, cpu


def ranks(task: str, mean: Any) -> Any:
    """Mean rank (methods,) over the sets, 1 the best; equal ones share."""
    sign = 1 if task in LESS else -1
    found = [rankdata(sign * np.round(row, 4)) for row in mean]
    return np.mean(found, axis=0)


def _table(results: Json, task: str) -> Iterator[str]:
    sets, methods, mean, cpu = scores(results, task)
    yield f"| data | {' | '.join(methods)} |"
    yield f"|---{'|---' * len(methods)}|"
    for name, row in zip(sets, mean, strict=True):
        yield f"| {_short(name)} | {' | '.join(f'{100 * value:.1f}' for value in row)} |"
    yield f"| mean | {' | '.join(f'{100 * value:.1f}' for value in mean.mean(axis=0))} |"
    yield f"| mean rank | {' | '.join(f'{value:.2f}' for value in ranks(task, mean))} |"
    yield f"| processor s, all sets | {' | '.join(f'{v:.1f}' for v in cpu.sum(axis=0))} |"
    means = [f"{shifted_mean(column.tolist()):.2f}" for column in cpu.T]
    yield f"| geometric mean of the seconds, shifted by 1 s | {' | '.join(means)} |"


def _grids(results: Json, task: str) -> Iterator[str]:
    _, methods, _, _ = scores(results, task)
    warned: dict[str, set[str]] = {method: set() for method in methods}
    for unit in results["units"]:
        if unit["task"] == task:
            warned[unit["method"]] |= set(unit["warnings"])
    if set(results["grids"][task].values()) == {"nothing chosen"}:
        return
    for method in methods:
        told = sorted(warned[method])
        note = f"; some fits ended with {', '.join(told)}" if told else ""
        yield f"- {method}: {results['grids'][task][method]}{note}"
    yield ""


def _words(results: Json) -> Iterator[str]:
    """Who wins, and for each of ours where it is above and below each peer."""
    yield "### Wins and losses\n"
    yield "The tables show the number of data sets on which a radprog estimator is better, worse or"
    yield "equally good. The time ratio is its processor time for the whole cross-validation, with"
    yield "the choice of settings from its own grid, divided by that of the other one.\n"
    for task, (title, _) in TITLES.items():
        sets, methods, mean, cpu = scores(results, task)
        if not sets:
            continue
        order, ours = ranks(task, mean), set(results["ours"][task])
        best = [name for name, rank in zip(methods, order, strict=True) if rank == order.min()]
        whose = "an estimator" if ours.issuperset(best) else "partly estimators"
        whose = f"{whose} of radprog" if ours.intersection(best) else "not an estimator of radprog"
        names = " and ".join(best)
        yield f"**{title}**: {names} has the best mean rank, {order.min():.2f}. It is {whose}.\n"
        yield "| estimator of radprog | compared with | won | lost | equal | time ratio | lost on |"
        yield "|---|---|---|---|---|---|---|"
        sign = -1 if task in LESS else 1
        for mine in [method for method in methods if method in ours]:
            column = methods.index(mine)
            for other in [method for method in methods if method not in ours]:
                place = methods.index(other)
                ahead = sign * (mean[:, column] - mean[:, place])
                yield _beside(mine, other, sets, ahead, cpu[:, column].sum() / cpu[:, place].sum())
        yield ""


def _beside(mine: str, other: str, sets: list[str], ahead: Any, times: float) -> str:
    """The row of the table for one of ours and one peer."""
    won = [_short(name) for name, by in zip(sets, ahead, strict=True) if by > SAME]
    lost = [_short(name) for name, by in zip(sets, ahead, strict=True) if by < -SAME]
    equal = len(sets) - len(won) - len(lost)
    counts = f"{len(won)} | {len(lost)} | {equal}"
    return f"| {mine} | {other} | {counts} | {times:.2g} | {', '.join(lost)} |"


def _short(name: str) -> str:
    return name.partition("/")[2] or name
