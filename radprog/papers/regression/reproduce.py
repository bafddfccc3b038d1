"""The computation of Structural Risk Minimization and Rademacher Complexity for Regression, Figure
2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import Run
from radprog.instances.generators import SMALL, sinc
from radprog.instances.regression import RegressionData
from radprog.instances.splits import error_of_mean
from radprog.models.regression.settings import SRM
from radprog.reproducing import Job, Row, paired_test, table, tables

NOISE = {"std": SMALL, "variance": math.sqrt(SMALL)}
SEEDS = 4
GRID_POINTS = 501  # points of the drawn function
GRID, TRIALS = "1e-3..1e2:10", 100
QUICK_SEEDS, QUICK_GRID, QUICK_TRIALS = 2, "0.167,0.599,2.15,7.74", 20  # near the full choice
STARTS = 2
#: The name of a criterion, its signs, its key in ``chosen`` of a result, and its key in a cell.
CRITERIA = (
    ("RC", "rademacher", "bound", "bound"),
    ("MD", "discrepancy", "bound", "bound"),
    ("folds", "rademacher", "cross_validation", "cv_error"),
    ("BIC", "rademacher", "bic", "bic"),
    ("VC", "rademacher", "vc", "vc"),
)


def rows(job: Job) -> Iterator[Row]:
    """Figure 2 for several seeds of the noise, with one row per criterion.

    A row contains the class that the criterion chooses. It also contains the radius A for which,
    with the same gamma, the mean absolute percentage error against the function without noise is
    smallest.
    """
    grid, trials, seeds = (
        (QUICK_GRID, QUICK_TRIALS, QUICK_SEEDS) if job.quick else (GRID, TRIALS, SEEDS)
    )
    spec = SRM(gammas=grid, As=grid, trials=trials, starts=STARTS)
    kinds = tuple(dict.fromkeys(kind for _, kind, _, _ in CRITERIA))
    cells = len(spec.classes)
    job.total = len(job.sets) * seeds * len(kinds) * cells
    for name in job.sets:
        for seed in range(job.seed, job.seed + seeds):
            data = sinc(small=NOISE[name], seed=seed)
            runs: dict[str, Run] = {}
            for kind in kinds:
                label = f"0.05 the {name}, seed {seed}, {kind}"
                settings = replace(job.settings(label, observe=job.watcher(label)), seed=seed)
                runs[kind] = fit_srm(replace(spec, kind=kind), data, settings)
                job.check()
            yield from _sample_rows(spec, data, runs, {"set": name, "seed": seed})


def _sample_rows(
    spec: SRM, data: RegressionData, runs: Mapping[str, Run], sample: Row
) -> Iterator[Row]:
    """One row per criterion on one sample, from the grids of both kinds of signs.

    The row of the criterion ``RC`` has the data of the figure.
    """
    for by, kind, chosen, key in CRITERIA:
        cells: list[dict[str, Any]] = runs[kind].extra["cells"]
        index = runs[kind].extra["chosen"][chosen]
        if index is None:
            continue
        # the chosen class, and the radius of least error for its gamma
        best = cells[index]
        line = [cell for cell in cells if cell["gamma"] == best["gamma"]]
        least = min(line, key=lambda cell: cell["mape"])
        yield {
            **sample,
            "by": by,
            "value": best[key],
            **{key: best[key] for key in ("gamma", "A", "bound", "complexity")},
            **{key: best[key] for key in ("standard_error", "empirical", "mape")},
            "least_A": least["A"],
            "least_mape": least["mape"],
            "coincide": least["A"] == best["A"],
            "paper_coincide": True if by == "RC" else None,
            "edge": on_edge(spec, best, least["A"]),
            "trials": spec.trials,
            "classes": len(spec.classes),
            "delta": spec.delta,
            **(_drawn(data, runs, line) if by == "RC" else {}),
        }


def _drawn(data: RegressionData, runs: Mapping[str, Run], line: Sequence[Row]) -> Row:
    """The data of the figure: the cells of one gamma, both kinds of bounds, and the function."""
    run = runs["rademacher"]
    places = [(cell["gamma"], cell["A"]) for cell in line]
    others = {(cell["gamma"], cell["A"]): cell for cell in runs["discrepancy"].extra["cells"]}
    # the function chosen, at the points and between them
    at = np.linspace(data.X.min(), data.X.max(), GRID_POINTS)
    assert data.truth is not None
    return {
        "curve": [
            {key: cell[key] for key in ("A", "bound", "standard_error", "mape")}
            | {"discrepancy": others[place]["bound"]}
            for place, cell in zip(places, line, strict=True)
        ],
        "points": {
            "x": data.raw[:, 0].tolist(),
            "y": data.targets.tolist(),
            "truth": np.asarray(data.truth).tolist(),
            "h": run.fit.scores(data.X).tolist(),
        },
        "function": {"at": at.tolist(), "h": run.fit.scores(at[:, None]).tolist()},
    }


def on_edge(spec: SRM, best: Mapping[str, Any], least_A: float) -> str | None:
    """The minimisers that are on the edge of the grid.

    A smaller value may exist beyond this edge.
    """
    least = {
        "gamma*": (best["gamma"], spec.gamma_values),
        "A*": (best["A"], spec.A_values),
        "A of least MAPE": (least_A, spec.A_values),
    }
    names = [name for name, (x, grid) in least.items() if x in (min(grid), max(grid))]
    return ", ".join(names) or None


def claims(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How often the chosen A has the least error, for each interpretation of the noise level and
    each criterion.
    """
    lines = []
    for name, by in dict.fromkeys((row["set"], row["by"]) for row in rows):
        samples = [row for row in rows if (row["set"], row["by"]) == (name, by)]
        same = [row for row in samples if row["coincide"]]
        edge = sum(row["edge"] is not None for row in same)
        mape = float(np.mean([row["mape"] for row in samples]))
        lines.append(
            f"0.05 as the {name} of the noise: the A that {by} chooses is that of least MAPE for "
            f"{len(same)} of {len(samples)} samples"
            + (f", {edge} of these with a minimiser on the edge of the grid" if edge else "")
            + f"; MAPE {mape:.1f} % on average"
            + (f", against RC {_against(rows, name, samples)}" if by != "RC" else "")
            + ("; the paper shows one, where it is" if by == "RC" else "")
        )
    return lines


def _against(
    rows: Sequence[Mapping[str, Any]], name: str, samples: Sequence[Mapping[str, Any]]
) -> str:
    """The paired test of a criterion's errors against those of ``RC``, over the seeds."""
    base = {row["seed"]: row["mape"] for row in rows if (row["set"], row["by"]) == (name, "RC")}
    pairs = [row["mape"] - base[row["seed"]] for row in samples if row["seed"] in base]
    return paired_test(float(np.mean(pairs)), error_of_mean(pairs) or 0.0, len(pairs))


def draw_rows(rows: Sequence[Mapping[str, Any]], path: str, title: str) -> None:
    """Draw the figure of the rows with the criterion ``RC``."""
    from radprog.papers.regression.plot import plot_choices

    plot_choices([row for row in rows if row["by"] == "RC"], path, title)


TABLES = tables(table("svr-figure2", rows, draw_rows, claims))
