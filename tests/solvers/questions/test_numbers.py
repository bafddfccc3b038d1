"""Planted faults of numbers and structure: each is found, with the name of its row or column."""

from dataclasses import replace

import numpy as np
import pytest
from small_programs import make_program

import radprog as rp
from radprog.solvers.program import Program
from radprog.solvers.questions.numbers import find_oddities

FREE = np.inf


def sound(seed: int) -> Program:
    """A program of 20 rows and 24 columns without any fault; the last 8 columns are binary."""
    rng = np.random.default_rng(seed)
    m, n = 20, 24
    A = rng.uniform(1.0, 9.0, (m, n)) * (rng.random((m, n)) < 0.3)
    # every row has three columns, every column two rows
    for i in range(m):
        A[i, [i % 16, (i + 5) % 16, (i + 9) % 16]] = rng.uniform(1.0, 9.0, 3)
    for j in range(n):
        A[[j % m, (j + 7) % m], j] = rng.uniform(1.0, 9.0, 2)
    upper = np.where(np.arange(n) < 16, 30.0, 1.0)
    cost, integer = rng.uniform(1.0, 5.0, n), np.arange(n) >= 16
    return make_program(cost, A, 0.4 * (A @ upper), upper=upper, integer=integer)


def planted(kind: str, seed: int) -> tuple[Program, str]:
    """A program with one fault, and the name of its row or column."""
    program, rng = sound(seed), np.random.default_rng(100 + seed)
    A, low, high = program.rows.toarray(), program.row_lower.copy(), program.row_upper.copy()
    cost, lower, upper = program.cost.copy(), program.lower.copy(), program.upper.copy()
    integer = program.integer.copy()
    i, k = rng.choice(20, 2, replace=False)
    j = int(rng.integers(16))
    row, column = f"r({i})", f"x({j})"
    name = column if "column" in kind or kind.startswith(("cost", "fract", "impl")) else row
    match kind:
        case "wide row" | "wide column":
            A[i, j] = 3e7
        case "other units":
            A[i], low[i] = A[i] * 2e-7, low[i] * 2e-7
        case "right-hand side in other units":
            low[i] = 1e9
        case "cost in other units":
            cost[j] = 1e8
        case "empty row":
            A[i], low[i] = 0.0, -1.0
        case "row without sides":
            low[i] = -FREE
        case "singleton row":
            A[i], low[i] = 0.0, 6.0
            A[i, j] = -2.0 if seed % 2 else 2.0
        case "row that always holds":
            low[i] = -1.0
        case "unused column":
            A[:, j], cost[j] = 0.0, 0.0
        case "column only in the objective":
            A[:, j] = 0.0
        case "free column":
            lower[j], upper[j] = -FREE, FREE
        case "fractional bound":
            integer[j], upper[j] = True, 2.5
        case "duplicate row" | "parallel row" | "redundant row" | "near-parallel row":
            factor = (-1.0) ** seed * rng.uniform(0.5, 3.0)
            factor = 1.0 if kind == "duplicate row" else factor
            A[i] = factor * A[k] * (1.0 + 1e-6 * rng.random(24) * (kind == "near-parallel row"))
            low[i], high[i] = (low[k] * factor, FREE) if factor > 0 else (-FREE, low[k] * factor)
            if kind == "parallel row":  # the other side of the range
                low[i], high[i] = (-FREE, 2 * low[i]) if factor > 0 else (2 * high[i], FREE)
        case "duplicate column" | "parallel column":
            factor = 1.0 if kind == "duplicate column" else 2.0
            A[:, j], cost[j] = factor * A[:, (j + 1) % 16], factor * cost[(j + 1) % 16]
        case "big M":
            # x - M z <= 0 with x <= 30, or the same as a >= row
            A[i] = 0.0
            A[i, j], A[i, 16 + seed % 8] = (1.0, -5000.0) if seed % 2 else (-1.0, 5000.0)
            low[i], high[i] = (-FREE, 0.0) if seed % 2 else (0.0, FREE)
        case "implied integer":
            A[i] = 0.0
            A[i, j], A[i, 17], A[i, 19], integer[j] = -1.0, 2.0, 3.0, True
            low[i] = high[i] = 0.0
    return make_program(cost, A, low, high, lower, upper, integer), name


KINDS = (
    *("wide row", "wide column", "other units", "right-hand side in other units"),
    *("cost in other units", "empty row", "row without sides", "singleton row"),
    *("row that always holds", "unused column", "column only in the objective", "free column"),
    *("fractional bound", "duplicate row", "near-parallel row", "duplicate column", "big M"),
    *("implied integer", "parallel row", "redundant row", "parallel column", "big M"),
)
FAULTS = [(kind, 3 * number + seed) for number, kind in enumerate(KINDS) for seed in range(3)]


def test_planted_faults_are_named() -> None:
    missed = []
    for kind, seed in FAULTS:
        program, name = planted(kind, seed)
        found = [one for one in find_oddities(program)[1] if one["kind"] == kind]
        # of two copies, either may be the one that is named
        either = "duplicate" in kind or "parallel" in kind or "redundant" in kind
        if not any(name in (one["name"], one["other"] if either else "") for one in found):
            missed.append((kind, seed, name, found))
    assert len(FAULTS) == 66
    assert len(missed) <= 3, missed
    for seed in range(10):  # a sound program has no findings
        summary, found = find_oddities(sound(seed))
        assert (summary["counts"], list(found)) == ({}, [])


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_constant_serves_and_no_smaller_one(seed: int) -> None:
    """x - M z <= 0 with x <= 30: at z = 1 every x holds with the constant, and not with less."""
    program, name = planted("big M", seed)
    (one,) = [one for one in find_oddities(program)[1] if one["kind"] == "big M"]
    assert one["name"] == name
    assert one["other"] == f"x({16 + seed % 8})"
    assert one["value"] == pytest.approx(-30.0 if seed % 2 else 30.0)


@pytest.mark.parametrize("factor", [1.0, 2.0, -0.3, 1.0 / 3.0, -7.0])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("tight", "wide", "implied"),
    [
        ((-FREE, 8.0), (-FREE, 10.0), True),
        ((2.0, FREE), (1.0, FREE), True),
        ((2.0, 5.0), (2.0, FREE), True),
        ((-FREE, 8.0), (-FREE, 8.0), True),
        ((-FREE, 10.0), (8.0, FREE), False),
        ((2.0, 5.0), (3.0, 9.0), False),
        ((-FREE, 900.0), (1000.0, FREE), False),
        ((3.0, FREE), (2.0, FREE), True),
        ((2.0, 2.0), (1.0, 9.0), True),
    ],
)
def test_a_multiple_with_wider_sides_is_redundant(tight, wide, implied, swap, factor) -> None:
    """The wide row, or the tight one, times a factor; either comes first."""
    ends = [tight, sorted(factor * end for end in wide)]
    rows = np.array([[1.0, 2.0], [factor, 2.0 * factor]])
    order = [1, 0] if swap else [0, 1]
    sides = np.array(ends)[order]
    names = tuple(np.array(["tight", "wide"])[order])
    program = make_program(np.ones(2), rows[order], *sides.T, lower=-9.0, upper=999.0, names=names)
    (one,) = find_oddities(program)[1]
    kinds = ("duplicate row", "same coefficients") if factor == 1.0 else ("redundant", "parallel")
    assert one["kind"].removesuffix(" row") == kinds[not implied].removesuffix(" row")
    if tight != wide and implied and factor != 1.0:
        assert (one["name"], one["other"]) == ("wide", "tight")
        assert one["value"] == pytest.approx(factor)


def test_a_constant_that_serves_is_no_smallest_one_by_several_rows(tmp_path) -> None:
    """x + y <= 10: 10 serves, the bounds of x and y alone give 20."""
    file = tmp_path / "p.lp"
    rows = " a: x + y <= 10\n b: x + y - 1000 z <= 0\n"
    file.write_text(f"max\n o: x - 5 z\nst\n{rows}binary\n z\nend\n")
    report = rp.analyze(file)
    (one,) = report["numbers"]["findings"]
    assert one["value"] <= -10.0
    assert "big M (the value serves)" in str(report)


def test_a_constant_has_the_smallest_value_that_other_rows_imply() -> None:
    """x - 5000 z <= 0, where x without a bound is in no row, or one of its own: 2 x + y <= 60."""
    program, name = planted("big M", 1)
    x = next(j for j in range(16) if program.rows[[int(name[2:-1])], [j]][0])
    row = np.zeros((1, 24))
    row[0, [x, (x + 1) % 16]] = 2.0, 1.0
    free = replace(program, upper=np.where(program.integer, program.upper, np.inf))
    capped = free.with_rows(row, [-np.inf], [60.0], ["cap"])
    for case, least in ((free, None), (capped, pytest.approx(-30.0))):
        (one,) = [one for one in find_oddities(case)[1] if one["kind"] == "big M"]
        assert (one["name"], one["value"]) == (name, least)


def plan(seed: int, factor: float, where: str) -> tuple[Program, str]:
    """Periods with rows ``use[t]`` of products x[p,t], switched by z[p], and one row of all. The
    factor is that of one entry, of a class of entries in the row of all, or of the constants.
    """
    rng, P, T = np.random.default_rng(seed), 4, 6
    n = P * T
    A = np.zeros((T + 1 + n, n + P))
    A[-n:, :n], A[T, :n] = np.eye(n), rng.integers(1, 9, n)
    for t in range(T):
        A[t, t:n:T] = rng.integers(1, 9, P)
    for p in range(P):
        A[T + 1 + p * T : T + 1 + (p + 1) * T, n + p] = -60.0 * (factor if where == "M" else 1.0)
    name, t = "", int(rng.integers(T))
    if where == "entry":
        A[t, t + T], name = A[t, t + T] * factor, f"use[{t}]"
    elif where == "row":
        A[T, : 3 * T], name = A[T, : 3 * T] * factor, "all"
    switch = [f"on[{p},{t}]" for p in range(P) for t in range(T)]
    columns = [f"x[{p},{t}]" for p in range(P) for t in range(T)] + [f"z[{p}]" for p in range(P)]
    program = make_program(
        *(rng.uniform(1.0, 5.0, n + P), A, -FREE, np.append(np.full(T + 1, 90.0), np.zeros(n))),
        upper=np.where(np.arange(n + P) < n, 60.0, 1.0),
        integer=np.arange(n + P) >= n,
        names=(*(f"use[{t}]" for t in range(T)), "all", *switch),
        columns=columns,
    )
    return program, name


@pytest.mark.parametrize("factor", [1e4, 1e-4])
@pytest.mark.parametrize("where", ["entry", "row", "M"])
@pytest.mark.parametrize("seed", range(3))
def test_units_of_a_part_of_a_row_are_found(seed, where, factor) -> None:
    """A row in grams, or one entry of it; constants that switch rows have no units."""
    program, name = plan(seed, 1e4 * factor if where == "M" and factor > 1.0 else factor, where)
    if where == "M" and factor < 1.0:
        program, name = plan(seed, 1.0, where)
    found = [one for one in find_oddities(program)[1] if "units" in one["kind"]]
    assert {one["name"] for one in found} == ({name} if name else set())


def test_quadratic_parts_are_no_copies_and_not_unused() -> None:
    program = make_program(np.zeros(2), upper=1.0, quadratic=np.diag([1.0, 0.0]))
    assert [one["name"] for one in find_oddities(program)[1]] == ["x(1)"]


def test_an_analysis_names_blocks_and_findings(tmp_path) -> None:
    """Two blocks, of which one has a row that is a bound, and one linking row."""
    file, block = tmp_path / "plan.lp", " use{}: 2 a{} + b{} >= 3\n mix{}: a{} - b{} >= 1\n"
    blocks = block.format(*"111111") + block.format(*"222222")
    goal = "min\n obj: a1 + 2 b1 + a2 + 2 b2\nst\n"
    file.write_text(f"{goal}{blocks} both: a1 + a2 + b1 + b2 <= 8\n most: 2 a1 <= 6\nend\n")
    report = rp.analyze(file)
    (one,) = report["numbers"]["findings"]
    assert (one["kind"], one["name"], one["other"]) == ("singleton row", "most", "a1")
    assert one["value"] == 3.0
    assert report["structure"]["summary"].startswith("2 blocks of 2 kinds; 1 linking row")
    assert "singleton row" in str(report)
