"""The page docs/reference/comparison.md from what ``comparison.py`` measured, which writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import shifted_mean
from scipy.stats import rankdata

Json = dict[str, Any]
HEAD = """\
# Beside scikit-learn and aeon

Accuracy and processor time of the [estimators](../guides/scikit-learn.md) and of the estimators of
scikit-learn and aeon, with wins and losses. `python benchmarks/comparison.py` measures them, keeps
the results in `benchmarks/results/comparison.json`, and writes this page. A test compares the two.
`--peer PYTHON` names an interpreter with aeon. An interrupted measurement continues from its last
result.

- Test data choose nothing. 3 inner folds of the training rows choose each setting from the small
  grids below. Grids differ in size. Processor seconds are those of a whole choice.
- A `StandardScaler`, fitted on the training rows, scales the columns. Another one scales the target
  values of a regression.
- From a set with more than {rows} rows, {rows} are drawn with the shares of its classes. Rows with
  missing cells and classes of fewer than 9 rows are left out. So are the 27 protein folds of the
  data folder, because some of their classes would have 2 or 3 of {rows} rows.
- A difference of a few points between two methods on one set may be chance: the standard error of
  an accuracy of 80 % on {rows} rows is {error:.1f} points. Mean ranks are more reliable.
"""
TITLES = {
    "classes": (
        "Classifiers",
        "The table has accuracies in percent, the mean of 3 outer folds. Widths of Gaussian "
        "kernels are those for one column, divided by the number of columns.",
    ),
    "clusters": (
        "Clusterings",
        "The table has the adjusted Rand index times 100, the mean of 3 seeds. All rows are "
        "clustered, and columns are scaled over all rows. Settings are the defaults: each method "
        "gets the number of classes, and no label chooses anything.",
    ),
    "labels": (
        "Few labels",
        "The table has accuracies in percent on the rows without label, the mean of 3 draws of 5 "
        "labels a class. 3 folds of these labels choose the settings. Widths of Gaussian kernels "
        "are those for one column, divided by the number of columns.",
    ),
    "values": (
        "Regression",
        "The table has the mean absolute error in percent of that of the training median, the mean "
        "of 3 outer folds. Less is better. The data folder has no regression data, so these are "
        "scikit-learn's diabetes and friedman1, and the sinc of the regression paper. In sets with "
        "wrong values a tenth of the training values is moved by 5 standard deviations. Test "
        "values are not moved. Widths are those for one column, divided by the number of columns.",
    ),
    "series": (
        "Series",
        "The table has accuracies in percent on the test file of the archive. 3 folds of its "
        "training file choose the settings. aeon's classifiers run with their defaults. "
        "Compilation is not counted.",
    ),
}
LESS = {"values"}
SAME = 5e-5


def page(results: Json) -> str:
    """The whole page."""
    rows = results["rows"]
    parts = [HEAD.format(rows=rows, error=100 * (0.16 / rows) ** 0.5), *_left(results)]
    parts += _words(results)
    for task, (title, how) in TITLES.items():
        if not scores(results, task)[0]:
            continue
        parts += [f"## {title}\n", f"{how}\n", *_table(results, task), "", *_grids(results, task)]
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
    yield "## Wins and losses\n"
    for task, (title, _) in TITLES.items():
        sets, methods, mean, cpu = scores(results, task)
        if not sets:
            continue
        order, ours = ranks(task, mean), set(results["ours"][task])
        best = [name for name, rank in zip(methods, order, strict=True) if rank == order.min()]
        whose = "an estimator" if ours.issuperset(best) else "partly estimators"
        whose = f"{whose} of radprog" if ours.intersection(best) else "a peer"
        names = " and ".join(best)
        yield f"**{title}**: the best mean rank is that of {names} ({order.min():.2f}), {whose}.\n"
        sign = -1 if task in LESS else 1
        for mine in [method for method in methods if method in ours]:
            column = methods.index(mine)
            for other in [method for method in methods if method not in ours]:
                place = methods.index(other)
                ahead = sign * (mean[:, column] - mean[:, place])
                yield _beside(mine, other, sets, ahead, cpu[:, column].sum() / cpu[:, place].sum())
        yield ""


def _beside(mine: str, other: str, sets: list[str], ahead: Any, times: float) -> str:
    """A line of one of ours beside one peer."""
    won = [_short(name) for name, by in zip(sets, ahead, strict=True) if by > SAME]
    lost = [_short(name) for name, by in zip(sets, ahead, strict=True) if by < -SAME]
    equal = len(sets) - len(won) - len(lost)
    told = [f"{len(won)} won, {len(lost)} lost{f', {equal} equal' if equal else ''}"]
    if lost:
        told.append(f"lost on {', '.join(lost)}")
    told.append(f"{times:.2g} times the processor time of {other}")
    return f"- {mine} beside {other}: {'; '.join(told)}"


def _short(name: str) -> str:
    return name.partition("/")[2] or name
