"""Error bounds of voted kernels on draws of four known distributions, and on the papers' data.

    python benchmarks/compression.py FILE.png [DRAWS]    # the figure and the table of the draws
    python benchmarks/compression.py bounds              # every bound and the held-out error

The results are in docs/explanation/bounds.md. The second command reads RADPROG_DATA.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import radprog as rp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from compression_draws import DELTA, DRAWS, musk_like, simulate, violations
from papers_files import path_of

SPEC = rp.VKR(kernels="rbf:0.1,rbf:1,rbf:10,rbf:100", lam=1e-3, beta=1e-3)
FILES = ("ionosphere", "breastcancer", "german", "diabetes")
COLUMNS = (
    ("compression",),
    ("Theorem 1, Monte Carlo", "Theorem 1, trace", "Theorem 1, Massart"),
    ("Theorem 2, trace",),
)


def sets() -> Iterator[tuple[str, rp.Dataset]]:
    for name in FILES:
        yield name, rp.read(str(path_of(name)), scale="unit", missing="drop")
    yield "drawn like musk", musk_like()


def line(name: str, data: rp.Dataset) -> str:
    """A row of the table: three quarters train, the rest tells the error."""
    order = np.random.default_rng(0).permutation(data.rows)
    cut = data.rows * 3 // 4
    train, test = data.take(np.sort(order[:cut])), data.take(np.sort(order[cut:]))
    table = rp.bounds(rp.fit(SPEC, train), train, test=test)
    value = {row["name"]: row["value"] for row in table["rows"]}
    cells = [", ".join(f"{value[key]:.3g}" for key in keys) for keys in COLUMNS]
    told = table["test"]
    error = f"{told['error']:.3f} (at most {told['upper']:.3f})"
    return f"| {name}, {train.rows} rows | {error} | {' | '.join(cells)} |\n"


def draws(file: str, count: int = 1000, n: int = 100) -> None:
    """The table, and the figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for part, name in zip(axes, DRAWS, strict=True):
        found = simulate(name, count, n, others=True)
        told = {key: float(np.nanmean(values)) for key, values in found.items()}
        told["refused"] = float(np.isnan(found["compression"]).mean())
        sys.stdout.write(json.dumps({"of": name, "violated": violations(found), **told}) + "\n")
        sys.stdout.flush()
        bounds = [key for key in found if key not in ("error", "within")]
        part.boxplot([found[key][~np.isnan(found[key])] for key in bounds], tick_labels=bounds,
                     showfliers=False, orientation="horizontal")  # fmt: skip
        part.axvline(told["error"], color="#15803d", label="error")
        part.axvline(told["within"], color="#a16207", linestyle=":", label="margin at most 1")
        part.axvline(1.0, color="#6b7280", linewidth=0.8)
        part.set_xscale("log")
        part.set_title(f"{name}:\nexceeded in {100 * violations(found):.1f} %")
    axes[0].invert_yaxis()
    axes[0].legend()
    for part in axes[2:]:
        part.set_xlabel(f"bound at {1 - DELTA:.0%}, n = {n}")
    figure.savefig(file, dpi=150)


if __name__ == "__main__":
    if sys.argv[1] == "bounds":
        for name, data in sets():
            sys.stdout.write(line(name, data))
    else:
        draws(sys.argv[1], *map(int, sys.argv[2:]))
