"""LPBoost over shapelets: wiring, and the data of its learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.sections import amount
from radprog.decompositions.lpboost.ensemble import PatternEnsemble
from radprog.decompositions.lpboost.fit import fit_grid, fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.lpboost.prices import (
    load_lpboost,
    lpboost_classes,
    price_lpboost,
)
from radprog.decompositions.lpboost.proof import prove_lpboost
from radprog.decompositions.lpboost.shapelets import Rows
from radprog.decompositions.lpboost.trees import TreeVotes
from radprog.decompositions.run import Run
from radprog.instances.bags import read_series
from radprog.instances.dataset import Dataset, read
from radprog.models.lpboost import settings
from radprog.telling import class_lines, per_row, score_row, theory, training_error
from radprog.wiring import Values, Wiring, read_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TERMS = read_terms("lpboost", "terms")


def hypothesis(number: int, *, points: Sequence[str], iterate: Values) -> str:
    """The description of the shapelet with index ``number``.

    For each length, ``windows`` of the iterate contains [length, number per row]. If the family is
    not plain, it also contains the family. The first half of the indices is for shapelets with the
    sign +, the second half for the sign -.
    """
    windows = iterate.get("windows", [])
    sizes = [len(points) * count for _, count, *_ in windows]
    if not sizes:
        return f"hypothesis {number}"
    # number: sign, then length and family, then series and start
    sign, place = divmod(number, sum(sizes))
    for (length, count, *family), size in zip(windows, sizes, strict=True):
        if place < size:
            row, start = divmod(place, count)
            window = " ".join(map(str, [length, *family]))
            shapelet = f"shapelet of {window} at {start} of {points[row]}"
            return f"minus {shapelet}" if sign else shapelet
        place -= size
    return f"hypothesis {number}"


def hypotheses(fit: Values) -> str:
    """The number of hypotheses in words."""
    return amount(fit["hypotheses"], "hypothesis", "hypotheses")


def ensemble_lines(result: Values) -> list[str]:
    """Lines with sparsity and pattern lengths of boosted shapelets."""
    fit = result["fit"]
    lines = [f"fit        {hypotheses(fit)}"]
    if "features" in fit:
        lines[0] += f", {fit['features']} features"
    elif "hypotheses_of" in fit:
        lines[0] += f" of {fit['hypotheses_of']} columns"
    elif "nonzero" in fit:
        lines[0] += (
            f", {fit['nonzero']} of {fit['nonzero_of']} coefficients not zero "
            f"({100 * fit['nonzero_share']:.2g} %)"
        )
    if "machines" in result:
        lines += class_lines(
            result, "gamma", lambda fit: amount(fit["hypotheses"], "hypothesis", "hypotheses")
        )
        return lines
    lines[0] += f", {training_error(fit, result)}"
    lengths = ", ".join(
        f"{part['length']} points"
        + (f" of {part['family']}" if "family" in part else "")
        + f" {part['weight']:.3g}"
        + ("" if part["sigma"] is None else f" (sigma {part['sigma']:g})")
        for part in fit.get("lengths", ())
    )
    lines += [f"weight     {lengths}"] if lengths else []
    return [*lines, *theory(result.get("bounds", ()))]


def draw(result: dict[str, Any], run: Run, data: Any) -> Figure:
    """Draw patterns on series, and the convergence.

    One series of each class is drawn several times, once for each of the patterns with the largest
    contributions w_t alpha_tk. The pattern is drawn where it matches the series best. With one
    classifier per class, the figure shows patterns of the first classifier.
    """
    from matplotlib.figure import Figure

    from radprog.figures import FIRST, GREY, SECOND, draw_convergence, literal

    # series on the left where there are any, convergence beside them
    rows = result.get("machines", [result])[0]["figure"]["rows"]
    figure = Figure(figsize=(10, 8) if rows else (6, 3.5), layout="constrained")
    places: Any = [[0, 2], [1, 2]] if rows else [[2]]
    panels = figure.subplot_mosaic(places, width_ratios=[3, 2] if rows else None)
    draw_convergence(panels[2], result)
    names = [literal(row["label"]) for row in rows]
    for number, row in enumerate(rows):
        axes, series = panels[number], np.asarray(row["series"])
        # one lane per pattern, at most five: the series, and the pattern scaled to its part of it
        height = 1.4 * (float(np.ptp(series)) or 1.0)
        for lane, pattern in enumerate(row["patterns"][:5]):
            base = series - lane * height
            axes.plot(base, color=GREY, alpha=0.6, linewidth=1)
            span = range(pattern["position"], pattern["position"] + pattern["length"])
            values, segment = np.asarray(pattern["values"]), base[span.start : span.stop]
            scaled = (values - values.mean()) * segment.std() / (float(values.std()) or 1.0)
            vote = pattern["contribution"]
            color = SECOND if vote > 0 else FIRST
            axes.plot(span, segment.mean() + scaled, color=color, linewidth=2.5)
            place, ends = (1.01, base[-1]), ("axes fraction", "data")
            words = f"{abs(vote):.2g} for\nclass {names[vote > 0]}"
            axes.annotate(words, place, va="center", xycoords=ends)
        axes.set_yticks([])
        title = f"row {row['line']}, of class {row['label']}: patterns of the largest weights"
        axes.set_title(literal(title))
        axes.set(xlabel="time, points of the series", ylabel="patterns, scaled to their place")
    return figure


def read_rows(path: str, *, learner: str | None = None, like: Any = None, **options: Any) -> Rows:
    """Read a table if ``learner`` or ``like`` is for tables, otherwise series or bags."""
    if isinstance(like, Dataset) or learner not in (None, *settings.LEARNERS):
        return read(path, like=like, **options)
    return read_series(path, like=like, **options)


def predictor(values: Mapping[str, Any]) -> PatternEnsemble | TreeVotes:
    """The predictor of a saved fit: patterns or trees."""
    kind = TreeVotes if "trees" in values else PatternEnsemble
    return kind.from_dict(values)


LPBOOST: Wiring[settings.LPBoost, Rows] = Wiring(
    kinds=("series", "bags", "dataset"),
    read=read_rows,
    fit=fit_lpboost,
    recompute=recompute_lpboost,
    predictor=predictor,
    describe=ensemble_lines,
    plot=draw,
    multipliers=partial(per_row, key="d"),
    terms=TERMS,
    labels={"hypothesis": hypothesis, "score_row": score_row},
    form=lpboost_form,
    grid=fit_grid,
    load=load_lpboost,
    price=price_lpboost,
    classes=lpboost_classes,
    prove=prove_lpboost,
)
