"""Small data files, written into the working folder."""

from pathlib import Path
from typing import Any

import numpy as np


def csv_text(*columns: Any, head: str = "", sep: str = ",") -> str:
    """A table of columns, a matrix being several; numbers in all their digits."""
    parts = [
        part
        for column in map(np.asarray, columns)
        for part in (column.T if column.ndim > 1 else [column])
    ]
    rows = zip(*(part.tolist() for part in parts), strict=True)
    return "".join(
        f"{line}\n" for line in [*[head] * bool(head), *(sep.join(map(str, row)) for row in rows)]
    )


def write_csv(name: str | Path, *columns: Any, head: str = "") -> None:
    """The table in a file, with tabs in one of that name."""
    path = Path(name)
    path.write_text(csv_text(*columns, head=head, sep="\t" if path.suffix == ".tsv" else ","))


def write_few(rows: int) -> None:
    """few.csv: the first rows of train.csv, below its header."""
    lines = Path("train.csv").read_text().split("\n")[: rows + 1]
    Path("few.csv").write_text("\n".join(lines) + "\n")


def write_series() -> None:
    """s.tsv: eight series of two classes, one of them with a bump."""
    rng = np.random.default_rng(0)
    X = 0.3 * rng.normal(size=(8, 14))
    X[1::2, 5:9] += 2.0
    lines = ["\t".join([str(i % 2), *map(repr, x)]) for i, x in enumerate(X.tolist())]
    Path("s.tsv").write_text("\n".join(lines) + "\n")


def written(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    """A file of this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
