"""Areas under the curve of all variants on data like the transcription start sites of the paper.

python benchmarks/mkl_ordering.py [--repeats 10]: five kernels with the spectra of Figure 2; 100
training points, C and (for conv and dc) theta chosen on 400 validation points, 800 test points.
Prints mean and standard error over the repeats, and the paired difference to l1.
"""

from __future__ import annotations

import argparse

import numpy as np

from radprog.decompositions.mkl.grid import fit_grid
from radprog.decompositions.run import RunSettings
from radprog.instances.tss import tss_like
from radprog.models.mkl_settings import MKL
from radprog.models.ranking import area_under_curve

VARIANTS = {
    "unif": {"variant": "unif"},
    "l2": {"variant": "lp", "norm": 2.0},
    "l1": {"variant": "lp"},
    "conv, p = 1": {"variant": "conv"},
    "conv, p = 2": {"variant": "conv", "norm": 2.0},
    "dc": {"variant": "dc", "starts": 3},
    "l1, centred kernels": {"variant": "lp", "center": True},
}
CS = (1.0, 10.0)
THETAS = (1, 2, 4, 8)


def areas(repeat: int) -> dict[str, float]:
    """Test area of every variant at the settings that validate best."""
    data = tss_like(1300, repeat)
    train, rest = data.partition(np.arange(100), np.arange(100, 1300))
    found = {}
    for name, options in VARIANTS.items():
        thetas = THETAS if options["variant"] in ("conv", "dc") else (None,)
        specs = [MKL(C=C, theta=theta, **options) for theta in thetas for C in CS]
        scores = [
            run.fit.scores(rest.X) for _, run in fit_grid(specs, train, RunSettings(tol=1e-3))
        ]
        chosen = max(scores, key=lambda f: area_under_curve(f[:400], rest.targets[:400]))
        found[name] = area_under_curve(chosen[400:], rest.targets[400:])
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    rows = [areas(repeat) for repeat in range(repeats)]
    base = np.array([row["l1"] for row in rows])
    for name in VARIANTS:
        values = np.array([row[name] for row in rows])
        error = values.std(ddof=1) / np.sqrt(repeats)
        difference = values - base
        spread = difference.std(ddof=1) / np.sqrt(repeats)
        print(
            f"{name:<22}{100 * values.mean():6.2f} +- {100 * error:.2f}   "
            f"against l1 {100 * difference.mean():+6.2f} +- {100 * spread:.2f}"
        )


if __name__ == "__main__":
    main()
