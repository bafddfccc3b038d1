"""Exact proofs of drawn .lp and .mps files, judged in fractions of the text of their numbers.

The generator knows its program: rows and bounds in decimals. The judge solves it in rational
arithmetic (``exact_programs.py``). RADPROG_VIPRCHK names viprchk.

    python tests/attack/exact_files.py --count 60 --seed 0
"""

import math
import random
import sys
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from exact_programs import INF, Small, conditions, lp, text
from integer_programs import exactly
from script_options import TALLY, run
from side_routes import _linear
from vipr_reader import proved, refused

from radprog.base.errors import CapabilityError
from radprog.proofs.making import prove_program

KINDS = ("decimals", "decimals", "transport", "degenerate", "crossing", "near")
Side = tuple[str, Fraction, frozenset[tuple[str, Fraction]]]


def optimum(program: Small) -> Fraction | str:
    """The optimum in the sense of the program, ``infeasible`` or ``unbounded``."""
    if any(low > high for _, low, high in program.sides()):
        return "infeasible"
    asked = conditions(program)
    z = asked.solved()
    if z is None:
        return "infeasible" if asked.solved(feasible=True) is None else "unbounded"
    return program.value(asked.point(z)) * (-1 if program.maximise else 1)


def mps(program: Small) -> str:
    """The program as a free .mps file; the side of the objective is minus its constant."""
    sign = -1 if program.maximise else 1
    lines = ["NAME drawn", *["OBJSENSE", "    MAX"] * program.maximise, "ROWS", " N obj"]
    side, ranges = [f" RHS obj {text(-sign * program.constant)}"], []
    for r, (_, low, high) in enumerate(program.rows):
        letter = "E" if low == high else "G" if low > -INF else "L"
        lines.append(f" {letter} r{r}")
        side.append(f" RHS r{r} {text(high if low == -INF else low)}")
        if letter == "G" and high < INF:
            ranges.append(f" RNG r{r} {text(high - low)}")
    lines.append("COLUMNS")
    for j, cost in enumerate(program.cost):
        lines.append(f" x{j} obj {text(sign * cost)}")
        lines += [f" x{j} r{r} {text(a[j])}" for r, (a, *_) in enumerate(program.rows) if a[j]]
    lines += ["RHS", *side, *["RANGES", *ranges] * bool(ranges), "BOUNDS"]
    for j, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        lines.append(f" LO BND x{j} {text(low)}" if low > -INF else f" MI BND x{j}")
        lines.append(f" UP BND x{j} {text(high)}" if high < INF else f" PL BND x{j}")
    return "\n".join([*lines, "ENDATA", ""])


WRITERS = {"lp": lp, "mps": mps}


def draw(rng: random.Random) -> Small:
    """A program of one of KINDS: a linear one, in decimals, that is changed."""
    kind, decimals = rng.choice(KINDS), Fraction(rng.randint(1, 9999), 10 ** rng.randint(1, 4))
    n = rng.randint(2, 3)
    p = exactly(_linear(rng, n, rng.randint(1, 4)))
    rows = [(tuple(decimals * v for v in a), decimals * lo, decimals * hi) for a, lo, hi in p.rows]
    if kind == "transport":
        # supplies and demands of one sum, 2 x 2
        a, b, c = (Fraction(rng.randint(1, 3000), 1000) for _ in range(3))
        sides = (((0, 1), a), ((2, 3), b), ((0, 2), c), ((1, 3), a + b - c))
        rows = [(tuple(Fraction(j in pair) for j in range(4)), side, side) for pair, side in sides]
        cost = tuple(Fraction(rng.randint(1, 50), 10) for _ in range(4))
        p = Small(cost, (0,) * 4, (INF,) * 4)
    elif kind == "degenerate":
        rows *= 2
    elif kind == "near":
        # met by a point in decimals, or missed by less than any tolerance
        a, x = rows[0][0], [Fraction(rng.randint(0, 20), 10) for _ in range(n)]
        value = sum((v * u for v, u in zip(a, x, strict=True)), Fraction(0))
        off = value + Fraction(rng.choice(["0", "1e-12"]))
        rows = [(a, off, off), (a, -INF, value)]
    elif kind == "crossing":
        low, high = rng.choice([("3", "2"), ("0.3", "0.1"), ("-0.1", "-0.2")])
        p = replace(p, lower=(Fraction(low), *p.lower[1:]), upper=(Fraction(high), *p.upper[1:]))
    constant = rng.choice([0, Fraction(rng.randint(-2000, 2000), 100), 10, Fraction("-0.1")])
    return replace(p, rows=tuple(rows), constant=constant, maximise=rng.random() < 0.4)


def terms_of(program: Small) -> set[Side]:
    """Every finite side as sense, side and coefficients by name."""
    sides = set()
    for a, low, high in program.sides():
        row = frozenset((f"x{j}", Fraction(c)) for j, c in enumerate(a) if c)
        for sense, end in (("E", low),) if low == high else (("G", low), ("L", high)):
            if math.isfinite(end):
                sides.add((sense, Fraction(end), row))
    return sides


def taken(certificate: str, n: int) -> set[Side]:
    """The same of the constraints of a certificate, without that of a constant."""
    words = iter(certificate.split())
    while next(words) != "VAR":
        pass
    names, sides = [next(words) for _ in range(int(next(words)))], set()
    while next(words) != "CON":
        pass
    count, _ = int(next(words)), next(words)
    for _ in range(count):
        next(words)
        sense, side = next(words), Fraction(next(words))
        row = [(int(next(words)), Fraction(next(words))) for _ in range(int(next(words)))]
        if all(j < n for j, _ in row):
            sides.add((sense, side, frozenset((names[j], value) for j, value in row)))
    return sides


def judge(program: Small, true: Fraction | str, path: Path) -> str:
    """What is wrong about the proof of a file; empty if nothing is."""
    try:
        certificate, table = prove_program(path)
    except CapabilityError as error:
        return "" if true == "unbounded" and "unbounded" in str(error) else f"{true}, but {error}"
    said = "infeasible" if table["infeasible"] else Fraction(table["fraction"])
    verdict, value = proved(certificate)
    inner = value if value is None or not program.maximise else -value
    if said != true or (inner if verdict == "optimal" else verdict) != true:
        return f"{true}, but {said}, and by the certificate {verdict} {inner}"
    if taken(certificate, len(program.cost)) != terms_of(program):
        return "the certificate has other constraints than the file"
    return refused(certificate)


def examine(seed: int) -> list[str]:
    """What is wrong about the proof of the file of a seed."""
    program, form = draw(random.Random(seed)), ("lp", "mps")[seed % 2]
    true = optimum(program)
    TALLY[true if isinstance(true, str) else "optimal"] += 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{seed}.{form}")
        path.write_text(WRITERS[form](program))
        try:
            found = judge(program, true, path)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        return [f"{path.name}: {found}\n{path.read_text()}"] if found else []


if __name__ == "__main__":
    sys.exit(run(__doc__, examine, count=60))
