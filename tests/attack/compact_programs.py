"""Random block-angular programs and programs with two stages, against the whole program.

    python tests/attack/compact_programs.py --count 300 --seed 0

Each program is taken apart by Dantzig-Wolfe, or by Benders where it has two stages. The answer is
compared with that of the solver on the whole program. It is a fault if a point violates a row, if
an optimum or a bound is wrong, if "infeasible" is, or if ``check()`` is not empty.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from script_options import TALLY, run

from radprog.decompositions.loop import Reason
from radprog.decompositions.programs.compact import CompactRun, Race
from radprog.decompositions.programs.structure import Structure, structure_of
from radprog.decompositions.run import RunSettings
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solved_by_any
from radprog.solvers.violations import relative_violation

INF = np.inf


def block_angular(rng: np.random.Generator, *, endless: bool = False) -> tuple[Program, Structure]:
    """A program of up to 9 blocks of up to 3 kinds: linear, integer or mixed.

    Rows are inequalities, equalities and ranges; columns may be free or unbounded; a few linking
    columns stand in linking rows alone. ``endless``: mixed blocks, most columns of which have no
    upper bound, integers too; costs fall along some of their rays.
    """
    sort = "mixed" if endless else rng.choice(["linear", "integer", "mixed"])
    share = {"linear": 0.0, "integer": 1.0}.get(sort, 0.8 if endless else 0.5)
    links, blocks = int(rng.integers(1, 4)), []
    for _ in range(rng.integers(1, 4)):
        n, m = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        inner = rng.integers(-3, 4 if endless else 6, (m, n)) * (rng.random((m, n)) < 0.8)
        across = rng.integers(-3, 5, (links, n)) * (rng.random((links, n)) < 0.7)
        integer, free = rng.random(n) < share, rng.random((2, n))
        lower, upper = np.zeros(n), rng.integers(1, 4, n).astype(float)
        upper[(free[0] < (0.7 if endless else 0.15)) & (endless | ~integer)] = INF
        lower[(free[1] < 0.1) & (endless | ~integer)] = -INF
        lower = lower - (rng.random() < 0.2)
        side, shape = rng.integers(0, 8, m).astype(float), rng.random(m)
        low = np.where(shape < 0.6, -INF, np.where(shape < 0.75, side, side - 4.0))
        high = np.where(shape < 0.9, side, INF)
        cost = rng.integers(-2 if endless else -5, 8 if endless else 6, n)
        part = (inner, across, cost, lower, upper, integer, low, high)
        blocks += [part] * int(rng.integers(1, 4))
    return assembled(rng, blocks, links, 0 if endless else int(rng.integers(0, 3)), sort)


def assembled(
    rng: np.random.Generator, blocks: list[Any], links: int, own: int, sort: str
) -> tuple[Program, Structure]:
    """The program of blocks (rows, linking rows, cost, bounds, integers, sides), with linking rows
    and ``own`` linking columns.
    """
    n = sum(len(part[2]) for part in blocks) + own
    m = links + sum(len(part[6]) for part in blocks)
    rows, cost = np.zeros((m, n)), np.zeros(n)
    lower, upper, integer = np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool)
    low, high, label = np.zeros(m), np.zeros(m), [-1] * m
    column, row = 0, links
    for number, (inner, across, c, least, most, whole, left, right) in enumerate(blocks):
        of, to = slice(column, column + len(c)), slice(row, row + len(left))
        rows[:links, of], rows[to, of], cost[of] = across, inner, c
        lower[of], upper[of], integer[of] = least, most, whole
        low[to], high[to] = left, right
        label[to] = [number] * len(left)
        column, row = column + len(c), row + len(left)
    if own:
        rows[:links, column:] = rng.integers(-3, 4, (links, own))
        cost[column:] = rng.integers(-4, 6, own)
        lower[column:], upper[column:] = rng.choice([0, -2], own), rng.choice([2, 5, INF], own)
        integer[column:] = (rng.random(own) < 0.5) & (sort != "linear")
    side, shape = rng.integers(0, 10, links).astype(float), rng.random(links)
    if rng.random() < 0.5:
        # sides that a point meets
        ends = np.where(np.isfinite(lower), lower, -1), np.where(np.isfinite(upper), upper, 3)
        side = rows[:links] @ np.clip(rng.integers(0, 3, n), *ends)
    low[:links] = np.where(shape < 0.5, -INF, np.where(shape < 0.7, side, side - 2.0))
    high[:links] = np.where(shape < 0.9, side, INF)
    program = Program(
        cost=cost, rows=sparse.csr_array(rows), row_lower=low, row_upper=high, lower=lower,
        upper=upper, integer=integer, constant=float(rng.integers(-3, 3)),
    )  # fmt: skip
    labels = dict(zip(program.row_names, label, strict=True))
    return program, structure_of(
        program, blocks=lambda name: None if labels[name] < 0 else labels[name]
    )


def fixed_charges(rng: np.random.Generator) -> tuple[Program, Structure]:
    """Blocks of quantities x and a binary y with x <= M y for an M of 1e5 to 1e9.

    Linking rows are demands. Blocks may be alike, and only M may bound a quantity.
    """
    links, blocks = int(rng.integers(1, 4)), []
    for _ in range(rng.integers(1, 5)):
        n, big = int(rng.integers(1, 4)), 10.0 ** rng.integers(5, 10)
        room = float(rng.integers(3, 15)) * 10.0 ** rng.integers(0, 3)
        inner = np.zeros((n + 1, n + 1))
        inner[:n, :n], inner[:n, n] = np.eye(n), -big  # x - M y <= 0
        inner[n, :n] = rng.choice([1.0, 0.7, 2.0], n)
        across = rng.integers(0, 3, (links, n + 1)).astype(float)
        across[:, n] = 0.0
        cost = np.append(rng.integers(1, 9, n), rng.integers(5, 60)).astype(float)
        upper = np.append(np.where(rng.random(n) < 0.5, INF, room), 1.0)
        whole = np.arange(n + 1) == n
        # without a capacity, only M bounds some of the quantities
        sides = np.full(n + 1, -INF), np.append(np.zeros(n), rng.choice([room, INF]))
        part = (inner, across, cost, np.zeros(n + 1), upper, whole, *sides)
        blocks += [part] * int(rng.integers(1, 3))
    program, found = assembled(rng, blocks, links, 0, "mixed")
    low = program.row_lower.copy()
    low[:links] = rng.integers(1, 12, links) * 10.0 ** rng.integers(0, 3)
    high = program.row_upper.copy()
    high[:links] = INF
    program = replace(program, row_lower=low, row_upper=high)
    return program, replace(found, program=program)


def two_stages(rng: np.random.Generator) -> tuple[Program, Structure]:
    """A program with two stages, whose first may have integers."""
    first, scenarios = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    whole = rng.random() < 0.5
    n, m = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    recourse = rng.integers(-2, 4, (m, n)).astype(float)
    technology = rng.integers(-2, 4, (m, first)).astype(float)
    rows = np.zeros((1 + scenarios * m, first + scenarios * n))
    rows[0, :first] = rng.integers(1, 4, first)
    low, high = np.full(len(rows), -INF), np.full(len(rows), INF)
    high[0] = rng.integers(2, 9)
    cost = np.append(rng.integers(-3, 6, first), np.zeros(scenarios * n)).astype(float)
    upper = np.append(rng.integers(1, 5, first).astype(float), np.full(scenarios * n, INF))
    for s in range(scenarios):
        of = slice(first + s * n, first + (s + 1) * n)
        to = slice(1 + s * m, 1 + (s + 1) * m)
        rows[to, :first], rows[to, of] = technology, recourse
        side, shape = rng.integers(-2, 7, m).astype(float), rng.random(m)
        low[to] = np.where(shape < 0.7, side, -INF)
        high[to] = np.where(shape < 0.5, INF, side + 2.0)
        cost[of] = rng.integers(0, 6, n) / scenarios
        upper[of] = np.where(rng.random(n) < 0.5, INF, 4.0)
    integer = np.zeros(len(cost), dtype=bool)
    integer[:first] = whole
    program = Program(
        cost=cost, rows=sparse.csr_array(rows), row_lower=low, row_upper=high,
        lower=np.zeros(len(cost)), upper=upper, integer=integer,
    )  # fmt: skip
    return program, structure_of(program, program.column_names[:first])


def faults_of(program: Program, run: CompactRun) -> list[str]:
    """What is wrong with an answer, by the answer to the whole program."""
    whole = solved_by_any(program, program, SolveSettings())
    faults = list(run.check())
    if run.multipliers is not None and run.root_bound is not None:
        # the multipliers of linking rows move these rows into the objective
        mu = np.array([run.multipliers.get(name, 0.0) for name in program.row_names])
        side = np.where(mu > 0.0, program.row_lower, program.row_upper)
        rows = [i for i, name in enumerate(program.row_names) if name not in run.multipliers]
        constant = program.constant + float(mu[mu != 0.0] @ side[mu != 0.0])
        moved = replace(
            program.of_rows(rows), cost=program.cost - program.rows.T @ mu, constant=constant
        )
        value = solved_by_any(moved, moved, SolveSettings()).objective
        # rounding of a reduced cost may be a ray of the solver's
        wrong = value is not None and abs(run.root_bound - value) > 1e-6 * max(1.0, abs(value))
        faults += [f"the root has the bound {value}, not {run.root_bound}"] * wrong
    if run.values:
        x = np.array([run.values[name] for name in program.column_names])
        if relative_violation(program, x) > 1e-6:
            faults.append("the point violates the program")
    if whole.objective is not None:
        room = 1e-6 * max(1.0, abs(whole.objective))
        if whole.status is Status.OPTIMAL and run.bound is not None:
            faults += ["the bound is above the optimum"] * (run.bound > whole.objective + room)
        if run.status is Status.OPTIMAL:
            off = abs((run.objective or 0.0) - whole.objective)
            faults += [f"{run.objective} is not the optimum {whole.objective}"] * (off > room)
        faults += ["it has a point"] * (run.status is Status.INFEASIBLE)
    elif run.status is Status.OPTIMAL:
        faults.append(f"optimal, but {whole.status} for the solver")
    return faults


def examine(seed: int) -> list[str]:
    """The faults of the answer to a random program that is taken apart."""
    rng = np.random.default_rng(seed)
    draw, engine = (two_stages, "benders") if seed % 3 == 2 else (block_angular, "dantzig-wolfe")
    draw = fixed_charges if seed % 6 == 3 else draw
    endless = seed % 6 == 1
    program, found = draw(rng, **({"endless": True} if endless else {}))
    if not found.kinds and (endless or draw is two_stages):
        TALLY["no blocks"] += 1
        return []
    way = "" if seed % 4 == 3 else engine
    # a search of HiGHS may follow a ray that costs nothing without end
    limit = 5.0 if endless else 60.0
    answer = Race(program, replace(RunSettings(), time_limit=limit), found, way).run()
    TALLY[answer.status.value] += 1
    if answer.reason is Reason.TIME_LIMIT and endless:
        return []
    return [f"seed {seed}: {fault}" for fault in faults_of(program, answer)]


if __name__ == "__main__":
    sys.exit(run(__doc__, examine, count=300))
