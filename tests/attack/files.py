"""Random .mps and .lp files with the right program beside them, valid and damaged.

A valid file is read as meant or refused; a damaged one is refused or warned of.
Run: python tests/attack/files.py --count 60 --seed 0
"""

import argparse
import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import radprog as rp
from radprog.solvers.foreign import exact_program

INF = float("inf")
NAMES = [
    "x",
    "RHS",
    "BOUNDS",
    "free",
    "e1",
    "x[1]",
    "y(2)",
    "a.b",
    "st",
    "obj2",
    "inf",
    "bin",
    "q#1",
]


def right_program(draw: random.Random) -> dict[str, Any]:
    """Names, costs, rows with both sides, bounds, integers, constant and sense."""
    names = draw.sample(NAMES, 3)
    numbers = [-2.5, -1.0, 0.125, 1.0, 3.0, 1e3]
    rows = []
    for i in range(draw.randint(1, 3)):
        low = draw.choice([-INF, -4.0, 1.0])
        high = draw.choice([INF, low, low + 6.0]) if low > -INF else draw.choice([2.0, 7.0])
        entries = {name: draw.choice(numbers) for name in draw.sample(names, draw.randint(1, 3))}
        rows.append((f"r{i}", entries, low, high))
    bounds = [
        draw.choice(
            [(0.0, INF), (0.0, 5.0), (-INF, INF), (-INF, 4.0), (2.0, INF), (3.0, 3.0), (-3.0, -1.0)]
        )
        for _ in names
    ]
    return {
        "names": names,
        "cost": [draw.choice(numbers) for _ in names],
        "rows": rows,
        "bounds": bounds,
        "integer": [draw.random() < 0.3 for _ in names],
        "constant": draw.choice([0.0, 10.0, -1.5]),
        "sense": draw.choice([1, -1]),
    }


def mps_lines(p: dict[str, Any], draw: random.Random) -> list[str]:
    lines = ["* a comment", "NAME t"]
    if p["sense"] == -1:
        lines += ["OBJSENSE", draw.choice(["    MAX", " MAXIMIZE"])]
    lines += ["ROWS", " N obj"]
    rhs, ranges = [], []
    for name, _, low, high in p["rows"]:
        letter = (
            "E"
            if low == high
            else "G"
            if high == INF
            else "L"
            if low == -INF
            else draw.choice("EGL")
        )
        lines.append(f" {letter} {name}")
        base = high if letter == "L" else low
        if low < high and letter == "E" and draw.random() < 0.5:
            base, ranges = high, [*ranges, f" R {name} {low - high!r}"]
        elif -INF < low < high < INF:
            ranges.append(
                f" R {name} {(high - low) * (1 if letter == 'E' else draw.choice([1, -1]))!r}"
            )
        rhs.append(f" S {name} {base!r}")
    if p["constant"]:
        rhs.append(f" S obj {-p['constant']!r}")
    lines.append("COLUMNS")
    for j, name in enumerate(p["names"]):
        entries = [("obj", p["cost"][j])] + [(r, e[name]) for r, e, *_ in p["rows"] if name in e]
        if p["integer"][j]:
            lines.append(" M1 'MARKER' 'INTORG'")
        while entries:
            pair, entries = entries[:2], entries[2:]
            lines.append(f" {name} " + "  ".join(f"{r} {v!r}" for r, v in pair))
        if p["integer"][j]:
            lines.append(" M2 'MARKER' 'INTEND'")
    lines += ["RHS", *rhs, *(["RANGES", *ranges] if ranges else []), "BOUNDS"]
    for name, (low, high) in zip(p["names"], p["bounds"], strict=True):
        if low == high:
            lines.append(f" FX B {name} {low!r}")
        elif (low, high) == (-INF, INF):
            lines.append(f" FR B {name}")
        else:
            both = [f" MI B {name}" if low == -INF else f" LO B {name} {low!r}"]
            both.append(f" PL B {name}" if high == INF else f" UP B {name} {high!r}")
            lines += draw.sample(both, 2)
    return [*lines, "ENDATA"]


def lp_lines(p: dict[str, Any], draw: random.Random) -> list[str]:
    def terms(pairs: Any) -> str:
        return " ".join(f"{'-' if v < 0 else '+'} {abs(v)!r} {n}" for n, v in pairs)

    head = {1: ["Minimize", "MIN", "minimum"], -1: ["Maximize", "max", "maximise"]}[p["sense"]]
    constant = (
        f" {'-' if p['constant'] < 0 else '+'} {abs(p['constant'])!r}" if p["constant"] else ""
    )
    lines = [
        draw.choice(head),
        " obj: " + terms(zip(p["names"], p["cost"], strict=True)) + constant,
    ]
    lines.append(draw.choice(["Subject To", "st", "S.T.", "such that"]))
    for name, entries, low, high in p["rows"]:
        compare, side = ("=", low) if low == high else (">=", low) if high == INF else ("<=", high)
        lines.append(f" {name}: {terms(entries.items())} {compare} {side!r}")
    lines.append(draw.choice(["Bounds", "BOUND"]))
    for name, (low, high) in zip(p["names"], p["bounds"], strict=True):
        lines.append(
            f" {name} free" if (low, high) == (-INF, INF) else f" {low!r} <= {name} <= {high!r}"
        )
    whole = [name for name, kind in zip(p["names"], p["integer"], strict=True) if kind]
    return [*lines, *(["General", " " + " ".join(whole)] if whole else []), "End"]


def damaged(lines: list[str], draw: random.Random) -> list[str]:
    """The lines with one fault that changes the program or leaves it open."""
    data = [
        k for k, text in enumerate(lines) if any(c.isdigit() for c in text.split()[-1]) and k > 2
    ]
    k = draw.choice([k for k in data if text_is_number(lines[k].split()[-1])])
    kind = draw.choice(["cut", "comma", "word", "twice", "unknown", "d"])
    out, words = list(lines), lines[k].split()
    if kind == "cut":
        return lines[:-1]
    if kind == "twice":
        return [*lines[: k + 1], lines[k], *lines[k + 1 :]] if lines[-1] == "ENDATA" else lines[:-1]
    last = {"comma": "1,5", "word": "abc", "unknown": "1.5 q", "d": "1.5D1"}[kind]
    out[k] = " " + " ".join([*words[:-1], last])
    return out


def text_is_number(text: str) -> bool:
    try:
        return abs(float(text)) < INF
    except ValueError:
        return False


def same(p: dict[str, Any], path: Path) -> bool:
    """Whether the file is read as this program, in floats and in fractions."""
    program, exact = exact_program(path)
    place = {name: j for j, name in enumerate(program.column_names)}
    order = [place[name] for name in p["names"]]
    matrix = np.zeros(program.rows.shape)
    for i, (_, entries, *_) in enumerate(p["rows"]):
        for name, value in entries.items():
            matrix[i, place[name]] = value
    rows = np.array([row[2:] for row in p["rows"]])
    fractions = np.zeros(matrix.shape)
    for i, row in enumerate(exact.rows):
        for j, value in row.items():
            fractions[i, j] = float(value)
    return (
        program.sense == p["sense"]
        and program.constant == p["sense"] * p["constant"] == float(exact.constant)
        and np.array_equal(program.cost[order], p["sense"] * np.array(p["cost"]))
        and np.array_equal(program.rows.toarray(), matrix)
        and np.array_equal(fractions, matrix)
        and np.array_equal(np.array([program.row_lower, program.row_upper]).T, rows)
        and [(program.lower[j], program.upper[j]) for j in order] == p["bounds"]
        and [bool(program.integer[j]) for j in order] == p["integer"]
    )


def attack(count: int, seed: int) -> tuple[list[str], int]:
    """The texts of files that are misread or silent, and how many valid files are refused."""
    draw, wrong, refusals = random.Random(seed), list[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(count):
            form, valid = ("mps", "lp")[k % 2], k % 4 < 2
            p = right_program(draw)
            if form == "lp":  # a row has one side
                p["rows"] = [
                    (n, e, lo if hi in (lo, INF) else -INF, hi) for n, e, lo, hi in p["rows"]
                ]
            lines = (mps_lines if form == "mps" else lp_lines)(p, draw)
            lines = lines if valid else damaged(lines, draw)
            path, ends = Path(folder) / f"m.{form}", draw.choice(["\n", "\r\n"])
            path.write_bytes((ends.join(lines) + ends).encode())
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    right = same(p, path) or (not valid and bool(said))
                except rp.RadprogError:
                    right, refusals = True, refusals + valid
            if not right:
                wrong.append("\n".join(lines))
    return wrong, refusals


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong, refusals = attack(options.count, options.seed)
    print(*wrong, sep="\n\n")
    print(f"{len(wrong)} of {options.count} files wrong, {refusals} valid ones refused")
    raise SystemExit(bool(wrong))
