"""Every error bound of voted kernels on the papers' data, beside the error of a quarter held out:
``python tests/support/bounds_table.py`` prints the table of docs/explanation/notes/theory.md."""

import sys
from collections.abc import Iterator

import numpy as np
from papers_files import path_of

import radprog as rp

SPEC = rp.VKR(kernels="rbf:0.1,rbf:1,rbf:10,rbf:100", lam=1e-3, beta=1e-3)
FILES = ("ionosphere", "breastcancer", "german", "diabetes")
COLUMNS = (
    ("compression",),
    ("margin grid, Monte Carlo", "margin grid, trace"),
    ("Theorem 1, Monte Carlo", "Theorem 1, trace", "Theorem 1, Massart"),
    ("Theorem 2, trace (printed)",),
    ("Theorem 2, trace (corrected)",),
)


def musk_like(n: int = 476, d: int = 166) -> rp.Dataset:
    """Two classes along twelve directions of many features, as descriptors of molecules are."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    low = rng.normal(size=(n, 12))
    low[:, 0] += 1.6 * y
    low[:, 1] += 1.2 * y
    X = low @ rng.normal(size=(12, d)) + 0.3 * rng.normal(size=(n, d))
    return rp.dataset(X, y, scale="unit")


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
    value = {}
    for row in table["rows"]:
        form = f" ({row['form']})" if row.get("form") else ""
        value[row["name"] + form] = row["value"]
    cells = [", ".join(f"{value[key]:.3g}" for key in keys) for keys in COLUMNS]
    told = table["test"]
    error = f"{told['error']:.3f} (at most {told['upper']:.3f})"
    return f"| {name}, {train.rows} rows | {error} | {' | '.join(cells)} |\n"


if __name__ == "__main__":
    for name, data in sets():
        sys.stdout.write(line(name, data))
