"""Exact solvers of linear programs that share nothing with the package: a tableau of fractions, and
QSopt_ex (``esolver`` of the Debian package qsopt-ex), which reads fractions."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from processes import PATIENCE

Row = dict[int, Fraction]


def _rows(program: Any) -> Iterator[tuple[Row, str, Fraction]]:
    """Every finite side of every row and bound: (coefficients, sense, side)."""
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


def by_tableau(program: Any) -> Fraction:
    """The optimum by two phases of Bland's rule over fractions: x = u - v, u, v >= 0, and rows
    of either sense with slacks and artificial variables."""
    n, rows = len(program.cost), list(_rows(program))
    m = len(rows)
    width = 2 * n + 2 * m
    T: list[list[Fraction]] = []
    for i, (row, sense, side) in enumerate(rows):
        line = [Fraction(0)] * (width + 1)
        for j, value in row.items():
            line[j], line[n + j] = value, -value
        line[2 * n + i] = Fraction({"E": 0, "G": -1, "L": 1}[sense])
        line[width] = side
        if side < 0:
            line = [-value for value in line]
        line[2 * n + m + i] = Fraction(1)
        T.append(line)
    basis = [2 * n + m + i for i in range(m)]
    cost = [Fraction(float(c)) for c in program.cost]
    phases = (
        [Fraction(0)] * (2 * n + m) + [Fraction(1)] * m,
        [*cost, *(-c for c in cost), *[Fraction(0)] * (2 * m)],
    )
    value = Fraction(0)
    for number, c in enumerate(phases):
        allowed = width if number == 0 else 2 * n + m
        value = _minimised(T, basis, c, allowed)
        if number == 0:
            assert value == 0, "no feasible point"
            for r, j in enumerate(basis):
                enters = next((k for k in range(2 * n + m) if j >= 2 * n + m and T[r][k]), None)
                if enters is not None:
                    _pivot(T, basis, r, enters)
    return value


def _pivot(T: list[list[Fraction]], basis: list[int], r: int, enters: int) -> None:
    pivot = T[r][enters]
    T[r] = [value / pivot if value else value for value in T[r]]
    for i, line in enumerate(T):
        if i != r and line[enters]:
            T[i] = _without(line, T[r], line[enters])
    basis[r] = enters


def _without(line: list[Fraction], other: list[Fraction], factor: Fraction) -> list[Fraction]:
    return [a - factor * b if b else a for a, b in zip(line, other, strict=True)]


def _minimised(
    T: list[list[Fraction]], basis: list[int], c: list[Fraction], allowed: int
) -> Fraction:
    """Bland's rule to the end; the value."""
    width = len(c)
    reduced = [*c, Fraction(0)]
    for line, j in zip(T, basis, strict=True):
        if c[j]:
            reduced = [r - c[j] * v for r, v in zip(reduced, line, strict=True)]
    while True:
        enters = next((j for j in range(allowed) if reduced[j] < 0), None)
        if enters is None:
            return -reduced[width]
        ratios = [
            (line[width] / line[enters], basis[i], i)
            for i, line in enumerate(T)
            if line[enters] > 0
        ]
        r = min(ratios)[2]
        _pivot(T, basis, r, enters)
        reduced = _without(reduced, T[r], reduced[enters])


def by_qsopt(program: Any, folder: Path) -> Fraction:
    """The optimum as QSopt_ex prints it."""
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
    (folder / "p.mps").write_text("\n".join(lines))
    subprocess.run(
        ["esolver", "-O", "p.sol", "p.mps"],
        cwd=folder, env={**os.environ}, capture_output=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    text = (folder / "p.sol").read_text()
    assert "OPTIMAL" in text.splitlines()[0]
    found = re.search(r"Value = (\S+)", text)
    assert found is not None
    return Fraction(found[1])
