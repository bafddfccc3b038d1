"""Twelve families of programs with blocks, as .mps files that say nothing of their structure.

    python benchmarks/families.py FOLDER --seed 1000 --size small

Each file is named after its family and seed. Half of them have shuffled rows and columns.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path

import highspy
import numpy as np
from packing import assignment, triplets, uniform
from scipy import sparse

from radprog.solvers.adapters.highs import pass_program
from radprog.solvers.program import Program

INF = np.inf
Rng = np.random.Generator


class Draft:
    """A program that is written column by column and row by row."""

    def __init__(self) -> None:
        self.columns: list[tuple[float, float, float, bool]] = []
        self.rows: list[tuple[float, float]] = []
        self.entries: list[tuple[int, int, float]] = []

    def column(
        self, cost: float = 0.0, lower: float = 0.0, upper: float = INF, *, whole: bool = False
    ) -> int:
        """The number of a new column."""
        self.columns.append((float(cost), float(lower), float(upper), whole))
        return len(self.columns) - 1

    def binary(self, cost: float = 0.0) -> int:
        """The number of a new binary column."""
        return self.column(cost, 0.0, 1.0, whole=True)

    def row(self, low: float, high: float, *terms: tuple[float, int]) -> None:
        """Append low <= sum of value x column <= high."""
        for value, j in terms:
            self.entries.append((len(self.rows), j, float(value)))
        self.rows.append((float(low), float(high)))

    def program(self, rng: Rng | None = None) -> Program:
        """The program; its rows and columns in a random order of ``rng``."""
        r, c, values = (np.array(part) for part in zip(*self.entries, strict=True))
        m, n = len(self.rows), len(self.columns)
        row = np.arange(m) if rng is None else rng.permutation(m)
        column = np.arange(n) if rng is None else rng.permutation(n)
        cost, lower, upper, whole = (np.array(part) for part in zip(*self.columns, strict=True))
        low, high = np.array(self.rows).T
        old, of = np.argsort(column), np.argsort(row)
        matrix = sparse.coo_array((values, (row[r], column[c])), (m, n)).tocsr()
        return Program(
            cost=cost[old], rows=matrix, row_lower=low[of], row_upper=high[of],
            lower=lower[old], upper=upper[old], integer=whole[old].astype(bool),
        )  # fmt: skip


def packed(sizes: list[int], room: int, bins: int) -> Draft:
    """Bin packing."""
    d = Draft()
    used = [d.binary(1.0) for _ in range(bins)]
    x = [[d.binary() for _ in used] for _ in sizes]
    for of in x:
        d.row(1, 1, *((1, j) for j in of))
    for b, y in enumerate(used):
        terms = [(s, of[b]) for s, of in zip(sizes, x, strict=True)]
        d.row(-INF, 0, (-room, y), *terms)
    return d


def bins_used(sizes: list[int], room: int) -> int:
    """The bins that first fit decreasing uses, and two more."""
    left: list[int] = []
    for size in sorted(sizes, reverse=True):
        place = next((b for b, free in enumerate(left) if free >= size), -1)
        if place < 0:
            left.append(room)
        left[place] -= size
    return len(left) + 2


def packing_u(rng: Rng, n: int) -> Draft:
    """Bin packing of class U."""
    sizes, room = uniform(n, int(rng.integers(1 << 30)))
    return packed(sizes, room, bins_used(sizes, room))


def packing_t(rng: Rng, n: int) -> Draft:
    """Bin packing of class T: triplets."""
    sizes, room = triplets(n, int(rng.integers(1 << 30)))
    return packed(sizes, room, bins_used(sizes, room))


def cutting(rng: Rng, m: int, most: int = 8, low: int = 100, high: int = 500) -> Draft:
    """Cutting stock: m widths on rolls of 1000."""
    widths, demand = rng.integers(low, high, m), rng.integers(1, most + 1, m)
    rolls = bins_used(np.repeat(widths, demand).tolist(), 1000)
    d = Draft()
    used = [d.binary(1.0) for _ in range(rolls)]
    x = [
        [d.column(0, 0, min(1000 // w, k), whole=True) for _ in used]
        for w, k in zip(widths, demand, strict=True)
    ]
    for of, k in zip(x, demand, strict=True):
        d.row(k, INF, *((1, j) for j in of))
    for b, y in enumerate(used):
        d.row(-INF, 0, (-1000, y), *((w, of[b]) for w, of in zip(widths, x, strict=True)))
    return d


def assigned(kind: str, agents: int, jobs: int) -> Callable[[Rng], Draft]:
    """Generalised assignment of class C or D."""

    def draw(rng: Rng) -> Draft:
        costs, loads, room = assignment(kind, agents, jobs, int(rng.integers(1 << 30)))
        d = Draft()
        x = [[d.binary(c) for c in of] for of in costs]
        for j in range(jobs):
            d.row(1, 1, *((1, of[j]) for of in x))
        for of, load, most in zip(x, loads, room, strict=True):
            d.row(-INF, most, *zip(load, of, strict=True))
        return d

    return draw


def knapsacks(rng: Rng, m: int, n: int) -> Draft:
    """Multiple knapsacks of unequal sizes; values are about the weights."""
    weight = rng.integers(10, 100, n)
    value = weight + rng.integers(-10, 11, n)
    room = rng.dirichlet(np.full(m, 20.0)) * 0.5 * weight.sum()
    d = Draft()
    x = [[d.binary(-v) for v in value] for _ in range(m)]
    for j in range(n):
        d.row(-INF, 1, *((1, of[j]) for of in x))
    for of, most in zip(x, room, strict=True):
        d.row(-INF, int(most), *zip(weight, of, strict=True))
    return d


def facilities(rng: Rng, F: int, C: int, ratio: float = 4.0) -> Draft:
    """Capacitated facility location."""
    at, of = rng.random((F, 2)), rng.random((C, 2))
    demand, room = rng.integers(5, 36, C), rng.integers(10, 161, F)
    room = np.ceil(room * ratio * demand.sum() / room.sum())
    far = np.sqrt(((at[:, None] - of[None]) ** 2).sum(-1)) * 10 * demand
    d = Draft()
    open_ = [
        d.binary(round(v)) for v in rng.uniform(0, 90, F) + rng.uniform(100, 110, F) * room**0.5
    ]
    x = [[d.column(round(v, 2), 0, 1) for v in row] for row in far]
    for c in range(C):
        d.row(1, 1, *((1, row[c]) for row in x))
    for y, row, s in zip(open_, x, room, strict=True):
        d.row(-INF, 0, (-s, y), *zip(demand, row, strict=True))
    for y, row in zip(open_, x, strict=True):
        for j in row:
            d.row(-INF, 0, (-1, y), (1, j))
    return d


def lots(rng: Rng, N: int, T: int) -> Draft:
    """Lot sizing with setup times on one resource."""
    demand = rng.integers(20, 180, (N, T)) * (rng.random((N, T)) < 0.85)
    setup, hold = rng.integers(150, 600, N), rng.uniform(0.4, 1.2, N).round(2)
    times = rng.integers(10, 40, N)
    d = Draft()
    x = [[d.column() for _ in range(T)] for _ in range(N)]
    s = [[d.column(hold[i]) for _ in range(T)] for i in range(N)]
    y = [[d.binary(setup[i]) for _ in range(T)] for i in range(N)]
    extra = [d.column(200.0) for _ in range(T)]
    for i, t in itertools.product(range(N), range(T)):
        before = [(1, s[i][t - 1])] if t else []
        d.row(demand[i, t], demand[i, t], (1, x[i][t]), *before, (-1, s[i][t]))
    for i, t in itertools.product(range(N), range(T)):
        d.row(-INF, 0, (1, x[i][t]), (-demand[i, t:].sum() - 1, y[i][t]))
    room = int(1.15 * (demand.sum() + times.sum() * T * 0.5) / T)
    for t in range(T):
        terms = [*((1, x[i][t]) for i in range(N)), *((times[i], y[i][t]) for i in range(N))]
        d.row(-INF, room, *terms, (-1, extra[t]))
    return d


def commitment(rng: Rng, G: int, T: int) -> Draft:
    """Unit commitment with start costs, least times on and off, demand and reserve."""
    d, units = Draft(), []
    for _ in range(G):
        least = int(rng.choice([20, 25, 55, 130, 150]))
        most, up = least * rng.uniform(2, 4), int(rng.integers(1, 9))
        fixed, slope = rng.uniform(400, 1000), rng.uniform(16, 28)
        on = [d.binary(round(fixed + slope * least, 2)) for _ in range(T)]
        start = [d.binary(round(rng.uniform(30, 5000), 2)) for _ in range(T)]
        stop = [d.binary() for _ in range(T)]
        parts = [[d.column(round(slope * (1 + 0.06 * k), 3)) for _ in range(T)] for k in range(3)]
        units.append((least, most, on, parts))
        for t in range(T):
            for part in parts:
                d.row(-INF, 0, (-(most - least) / 3, on[t]), (1, part[t]))
            before = [(-1, on[t - 1])] if t else []
            d.row(*([float(rng.random() < 0.5)] * 2 if not t else (0, 0)),
                  (1, on[t]), *before, (-1, start[t]), (1, stop[t]))  # fmt: skip
            window = range(max(0, t - up + 1), t + 1)
            d.row(-INF, 0, (-1, on[t]), *((1, start[k]) for k in window))
            d.row(-INF, 1, (1, on[t]), *((1, stop[k]) for k in window))
    total = sum(most for _, most, _, _ in units)
    for t in range(T):
        need = round(total * (0.55 + 0.2 * np.sin(t / 3.5)) * rng.uniform(0.97, 1.03))
        short = d.column(500.0)
        d.row(need, INF, (1, short), *((least, on[t]) for least, _, on, _ in units),
              *((1, part[t]) for *_, parts in units for part in parts))  # fmt: skip
        d.row(
            round(1.1 * need), INF, (1, short), *((round(most), on[t]) for _, most, on, _ in units)
        )
    return d


def arcs(rng: Rng, N: int, A: int) -> list[tuple[int, int]]:
    """A ring and random arcs."""
    found = [(k, (k + 1) % N) for k in range(N)]
    while len(found) < A:
        u, v = rng.integers(0, N, 2).tolist()
        if u != v and (u, v) not in found:
            found.append((u, v))
    return found


def network(rng: Rng, N: int, A: int, K: int) -> Draft:
    """Fixed-charge network design of K commodities."""
    edges, d = arcs(rng, N, A), Draft()
    demand, base = rng.integers(10, 30, K), rng.integers(1, 10, A)
    y = [d.binary(v) for v in rng.integers(100, 300, A)]
    x = [
        [d.column(round(base[a] * k * rng.uniform(0.8, 1.2), 2), 0, 1) for k in demand]
        for a in range(A)
    ]
    for k in range(K):
        s, t = rng.choice(N, 2, replace=False)
        for i in range(N):
            side = float(i == s) - float(i == t)
            out = [(1, x[a][k]) for a, (u, _) in enumerate(edges) if u == i]
            d.row(side, side, *out, *((-1, x[a][k]) for a, (_, v) in enumerate(edges) if v == i))
    for a in range(A):
        room = int(rng.integers(60, 100) + demand.sum() * (a < N))
        d.row(-INF, 0, (-room, y[a]), *zip(demand, x[a], strict=True))
    for a, k in itertools.product(range(A), range(K)):
        d.row(-INF, 0, (-1, y[a]), (1, x[a][k]))
    return d


def machines(rng: Rng, m: int, n: int, families: int = 5) -> Draft:
    """Jobs on machines with setups of their families and a second resource; a job may stay out."""
    times, costs = rng.integers(10, 60, (m, n)), rng.integers(20, 90, (m, n))
    second, of = rng.integers(1, 6, n), rng.integers(0, families, n)
    setup = rng.integers(10, 25, families)
    d = Draft()
    x = [[d.binary(c) for c in row] for row in costs]
    z = [[d.binary(s) for s in setup] for _ in range(m)]
    out = [d.binary(300) for _ in range(n)]
    for j in range(n):
        d.row(1, 1, *((1, x[i][j]) for i in range(m)), (1, out[j]))
    for i in range(m):
        room = int(0.85 * times[i].sum() / m)
        d.row(-INF, room, *zip(times[i], x[i], strict=True), *zip(setup, z[i], strict=True))
    for i in range(m):
        d.row(-INF, int(1.15 * second.sum() / m), *zip(second, x[i], strict=True))
    for i, j in itertools.product(range(m), range(n)):
        d.row(-INF, 0, (1, x[i][j]), (-1, z[i][of[j]]))
    return d


def flows(rng: Rng, N: int, A: int, K: int) -> Draft:
    """Multicommodity flow, linear, with columns that buy capacity; four flows a commodity."""
    edges, d = arcs(rng, N, A), Draft()
    base = rng.uniform(5, 90, A)
    x = [[d.column(round(b * rng.uniform(0.9, 1.1), 3)) for _ in range(K)] for b in base]
    more = [d.column(2000.0) for _ in range(A)]
    for k in range(K):
        sides = np.zeros(N)
        ends = rng.choice(N, 8, replace=False)
        sizes = rng.integers(5, 31, 4)
        sides[ends[:4]], sides[ends[4:]] = sizes, -sizes
        for i, side in enumerate(sides.tolist()):
            out = [(1, x[a][k]) for a, (u, _) in enumerate(edges) if u == i]
            d.row(side, side, *out, *((-1, x[a][k]) for a, (_, v) in enumerate(edges) if v == i))
    for a in range(A):
        d.row(-INF, rng.integers(20, 91), *((1, j) for j in x[a]), (-1, more[a]))
    return d


def two_stages(rng: Rng, F: int, C: int, S: int, *, whole: bool = False) -> Draft:
    """Capacities of F facilities, then flows to C customers in S scenarios."""
    d, most = Draft(), rng.integers(60, 200, F)
    cost = rng.uniform(8, 16, F).round(2)
    far = rng.uniform(1, 100, (F, C))
    if whole:
        first = [d.binary(round(c * b)) for c, b in zip(cost, most, strict=True)]
    else:
        first = [d.column(c, 0, b) for c, b in zip(cost, most, strict=True)]
    base = rng.integers(5, 30, C)
    short, last = 340.0, []
    for _ in range(S):
        x = [[d.column(far[f, c] / S) for c in range(C)] for f in range(F)]
        out = [d.column(short / S) for _ in range(C)]
        for c in range(C):
            need = round(base[c] * rng.uniform(0.5, 1.5))
            d.row(need, INF, *((1, x[f][c]) for f in range(F)), (1, out[c]))
        works = rng.choice([0.0, 0.5, 1.0], F, p=[0.1, 0.2, 0.7])
        last += [(x[f], first[f], works[f] * (most[f] if whole else 1.0)) for f in range(F)]
    for of, y, share in last:
        d.row(-INF, 0, *([(-share, y)] if share else []), *((1, j) for j in of))
    d.row(-INF, 3 if whole else int(0.4 * most.sum()), *((1, y) for y in first))
    return d


def family(size: str) -> dict[str, Callable[[Rng], Draft]]:
    """The families and their draws: small, middle or large."""
    k = ("small", "middle", "large").index(size)
    return {
        "packing-u": lambda r: packing_u(r, (80, 160, 300)[k]),
        "packing-t": lambda r: packing_t(r, (45, 90, 150)[k]),
        "cutting": lambda r: cutting(r, (12, 20, 35)[k], (6, 9, 12)[k]),
        "assign-c": assigned("C", *((5, 50), (10, 80), (15, 120))[k]),
        "assign-d": assigned("D", *((4, 24), (6, 40), (12, 60))[k]),
        "knapsacks": lambda r: knapsacks(r, *((5, 40), (8, 60), (10, 90))[k]),
        "facilities": lambda r: facilities(r, *((20, 40), (40, 70), (90, 120))[k]),
        "lots": lambda r: lots(r, *((6, 10), (10, 15), (18, 20))[k]),
        "commitment": lambda r: commitment(r, *((8, 12), (15, 24), (30, 36))[k]),
        "network": lambda r: network(r, *((10, 40, 10), (14, 60, 14), (20, 90, 25))[k]),
        "machines": lambda r: machines(r, *((4, 25), (6, 40), (8, 60))[k]),
        "flows": lambda r: flows(r, *((40, 160, 30), (60, 320, 60), (100, 600, 150))[k]),
        "stages-lp": lambda r: two_stages(r, 15, 20, (50, 1000, 3250)[k]),
        "stages-mip": lambda r: two_stages(r, 12, 15, (40, 200, 2150)[k], whole=True),
    }


def main() -> None:
    """Write a file of each family, every second one shuffled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--size", choices=("small", "middle", "large"), default="small")
    parser.add_argument("--pairs", action="store_true", help="each file as drawn and shuffled")
    parser.add_argument("--only", nargs="*", default=[], help="names of families")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True, parents=True)
    for k, (name, draw) in enumerate(family(options.size).items()):
        if options.only and name not in options.only:
            continue
        rng = np.random.default_rng(options.seed + k)
        draft = draw(rng)
        orders = [None, rng] if options.pairs else [rng if (options.seed + k) % 2 else None]
        for order in orders:
            highs = highspy.Highs()
            highs.silent()
            pass_program(highs, draft.program(order))
            word = "shuffled" if order is not None else "drawn"
            highs.writeModel(str(options.folder / f"{name}-{options.seed + k}-{word}.mps"))


if __name__ == "__main__":
    main()
