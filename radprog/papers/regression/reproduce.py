"""Structural Risk Minimization and Rademacher Complexity for Regression, Figure 2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from radprog.decompositions.regression.srm import fit_srm
from radprog.decompositions.run import RunSettings
from radprog.instances.generators import SMALL, sinc
from radprog.models.regression.settings import SRM
from radprog.reproduce import Job, Row

NOISE = {"std": SMALL, "variance": math.sqrt(SMALL)}
SEEDS = 4
GRID, TRIALS = "1e-3..1e2:10", 20
QUICK_SEEDS, QUICK_GRID, QUICK_TRIALS = 2, "1e-3..1e2:4", 5


def rows(job: Job) -> Iterator[Row]:
    """Figure 2 for several seeds of the noise: the class of least bound, and on its gamma the
    radius of least mean absolute percentage error against the function without noise."""
    grid, trials, seeds = (
        (QUICK_GRID, QUICK_TRIALS, QUICK_SEEDS) if job.quick else (GRID, TRIALS, SEEDS)
    )
    spec = SRM(gammas=grid, As=grid, trials=trials)
    cells = len(spec.gamma_values) * len(spec.A_values)
    job.total = len(job.sets) * seeds * cells
    for name in job.sets:
        for seed in range(job.seed, job.seed + seeds):
            data = sinc(small=NOISE[name], seed=seed)
            label = f"0.05 the {name}, seed {seed}"
            settings = RunSettings(
                seed=seed,
                interrupted=job.interrupted,
                observe=job.watcher(label),
            )
            run = fit_srm(spec, data, settings)
            job.check()
            found: list[dict[str, Any]] = run.extra["cells"]
            best = found[run.extra["chosen"]["bound"]]
            line = [cell for cell in found if cell["gamma"] == best["gamma"]]
            least = min(line, key=lambda cell: cell["mape"])
            h = run.fit.scores(data.X)
            assert data.truth is not None
            yield {
                "set": name,
                "seed": seed,
                **{key: best[key] for key in ("gamma", "A", "bound", "complexity")},
                **{key: best[key] for key in ("standard_error", "empirical", "mape")},
                "least_A": least["A"],
                "least_mape": least["mape"],
                "coincide": least["A"] == best["A"],
                "paper_coincide": True,
                "trials": trials,
                "curve": [
                    {key: cell[key] for key in ("A", "bound", "standard_error", "mape")}
                    for cell in line
                ],
                "points": {
                    "x": data.raw[:, 0].tolist(),
                    "y": data.targets.tolist(),
                    "truth": np.asarray(data.truth).tolist(),
                    "h": h.tolist(),
                },
            }
