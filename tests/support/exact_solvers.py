"""Exact solvers of linear programs that share nothing with the package: Lemke's method, and
QSopt_ex (``esolver`` of the Debian package qsopt-ex), which reads fractions."""

import math
import os
import re
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from exact_programs import Small, truth_of
from processes import PATIENCE

Row = dict[int, Fraction]


def _rows(program: Any) -> Iterator[tuple[Row, str, Fraction]]:
    """Every finite side of every row and bound: (coefficients, sense, side)."""
    # rows of the matrix, then the bounds of variables as rows of one entry
    matrix = program.rows.tocsr()
    for i, (low, high) in enumerate(zip(program.row_lower, program.row_upper, strict=True)):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        entries = zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)
        yield from _sides({j: Fraction(v) for j, v in entries}, float(low), float(high))
    for j, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        yield from _sides({j: Fraction(1)}, float(low), float(high))


def _sides(row: Row, low: float, high: float) -> Iterator[tuple[Row, str, Fraction]]:
    if low == high:
        yield row, "E", Fraction(low)
        return
    if not math.isinf(low):
        yield row, "G", Fraction(low)
    if not math.isinf(high):
        yield row, "L", Fraction(high)


def by_lemke(program: Any) -> Fraction:
    """The optimum by Lemke's method over fractions."""
    rows = zip(program.rows.toarray(), program.row_lower, program.row_upper, strict=True)
    small = Small(
        cost=tuple(map(float, program.cost)),
        lower=tuple(map(float, program.lower)),
        upper=tuple(map(float, program.upper)),
        rows=tuple((tuple(map(float, a)), float(low), float(high)) for a, low, high in rows),
    )
    truth = truth_of(small)
    assert truth.status == "optimal"
    return truth.value


def by_qsopt(program: Any, folder: Path) -> Fraction:
    """The optimum as QSopt_ex prints it."""
    # one row a side; variables are free, as their bounds are rows
    rows, n = list(_rows(program)), len(program.cost)
    columns: list[list[str]] = [[] for _ in range(n)]
    for j, value in enumerate(program.cost):
        if value:
            columns[j].append(f" x{j} obj {Fraction(float(value))}")
    for i, (row, _, _) in enumerate(rows):
        for j, coefficient in row.items():
            columns[j].append(f" x{j} r{i} {coefficient}")
    lines = [
        "NAME p",
        "ROWS",
        " N obj",
        *(f" {sense} r{i}" for i, (_, sense, _) in enumerate(rows)),
    ]
    lines += ["COLUMNS", *(line for column in columns for line in column), "RHS"]
    lines += [f" rhs r{i} {side}" for i, (_, _, side) in enumerate(rows) if side]
    lines += ["BOUNDS", *(f" FR b x{j}" for j in range(n)), "ENDATA", ""]
    # the numbers stand in the file as fractions
    (folder / "p.mps").write_text("\n".join(lines))
    subprocess.run(
        ["esolver", "-O", "p.sol", "p.mps"],
        cwd=folder, env={**os.environ}, capture_output=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    # its answer is a fraction too
    text = (folder / "p.sol").read_text()
    assert "OPTIMAL" in text.splitlines()[0]
    found = re.search(r"Value = (\S+)", text)
    return Fraction(found[1])
