"""Exact proofs of drawn .lp and .mps files, judged in fractions of the text of their numbers.

The generator knows its program: rows and bounds with decimals as text. The judge solves it in
rational arithmetic (``exact_programs.py``). RADPROG_VIPRCHK names viprchk.

    python tests/attack/exact_files.py --count 60 --seed 0
"""

import random
import sys
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from exact_programs import INF, Small, conditions
from script_options import read_options
from vipr_reader import CHECKER, proved, refused

from radprog.base.errors import CapabilityError
from radprog.proofs.making import prove_program

KINDS = ("decimals", "equations", "transport", "degenerate", "crossing", "near", "free", "ranges")
Text = str | None


@dataclass
class Drawn:
    """min or max of cost'x + constant with low <= a'x <= high and lower <= x <= upper, in texts.

    whole: the variables that are integers in an .lp file."""

    cost: list[str]
    constant: str = "0"
    maximise: bool = False
    rows: list[tuple[dict[int, str], Text, Text]] = field(default_factory=list)
    lower: list[Text] = field(default_factory=list)
    upper: list[Text] = field(default_factory=list)
    whole: tuple[bool, ...] = ()

    def sides(self) -> list[tuple[dict[int, str], Text, Text]]:
        """Rows and bounds alike."""
        ends = zip(self.lower, self.upper, strict=True)
        return [*self.rows, *(({j: "1"}, low, high) for j, (low, high) in enumerate(ends))]

    def optimum(self) -> Fraction | str:
        """The optimum in the sense of the program, ``infeasible`` or ``unbounded``."""
        places, sign = range(len(self.cost)), -1 if self.maximise else 1
        rows = tuple(
            (tuple(Fraction(terms.get(j, "0")) for j in places), exact(low, -INF), exact(high, INF))
            for terms, low, high in self.rows
        )
        lower, upper = (exact(v, -INF) for v in self.lower), (exact(v, INF) for v in self.upper)
        program = Small(
            tuple(sign * Fraction(c) for c in self.cost), *map(tuple, (lower, upper)), rows
        )
        if any(low > high for _, low, high in program.sides()):
            return "infeasible"
        asked = conditions(program)
        z = asked.solved()
        if z is None:
            return "infeasible" if asked.solved(feasible=True) is None else "unbounded"
        return sign * program.value(asked.point(z)) + Fraction(self.constant)

    def lp(self) -> str:
        """The program as an .lp file."""
        objective = f" obj: {sums(dict(enumerate(self.cost)))} {signed(self.constant)}"
        lines = ["Maximize" if self.maximise else "Minimize", objective, "Subject To"]
        for r, (terms, low, high) in enumerate(self.rows):
            if low == high:
                lines.append(f" r{r}: {sums(terms)} = {low}")
            else:
                lines += [f" r{r}l: {sums(terms)} >= {low}"] * (low is not None)
                lines += [f" r{r}u: {sums(terms)} <= {high}"] * (high is not None)
        lines.append("Bounds")
        for j, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            ends = "-inf" if low is None else low, "+inf" if high is None else high
            lines.append(f" {ends[0]} <= x{j} <= {ends[1]}")
        lines += ["General"] * any(self.whole)
        lines += [f" x{j}" for j, whole in enumerate(self.whole) if whole]
        return "\n".join([*lines, "End", ""])

    def mps(self) -> str:
        """The program as a free .mps file; the side of the objective is minus its constant."""
        lines = ["NAME drawn", *["OBJSENSE", "    MAX"] * self.maximise, "ROWS", " N obj"]
        side, ranges = [f" RHS obj {minus(self.constant)}"], []
        for r, (_, low, high) in enumerate(self.rows):
            letter = "E" if low == high else "G" if low is not None else "L"
            lines.append(f" {letter} r{r}")
            side.append(f" RHS r{r} {high if low is None else low}")
            if letter == "G" and high is not None:
                ranges.append(f" RNG r{r} {decimal(Fraction(high) - Fraction(low or 0))}")
        lines.append("COLUMNS")
        for j, cost in enumerate(self.cost):
            lines.append(f" x{j} obj {cost}")
            lines += [
                f" x{j} r{r} {terms[j]}" for r, (terms, *_) in enumerate(self.rows) if j in terms
            ]
        lines += ["RHS", *side, *["RANGES", *ranges] * bool(ranges), "BOUNDS"]
        for j, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            lines.append(f" MI BND x{j}" if low is None else f" LO BND x{j} {low}")
            lines.append(f" PL BND x{j}" if high is None else f" UP BND x{j} {high}")
        return "\n".join([*lines, "ENDATA", ""])


def exact(text: Text, far: float) -> Any:
    """A side in decimals, or the infinite one."""
    return far if text is None else Fraction(text)


def decimal(value: Fraction) -> str:
    """The text of a fraction that ends after at most 12 decimals."""
    units = value * 10**12
    assert units.denominator == 1
    return f"{'-' * (units < 0)}{abs(int(units)) // 10**12}.{abs(int(units)) % 10**12:012d}"


def minus(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


def signed(text: str) -> str:
    return f"- {text[1:]}" if text.startswith("-") else f"+ {text}"


def sums(terms: dict[int, str]) -> str:
    return " ".join(f"{signed(c)} x{j}" for j, c in terms.items() if float(c)) or "0 x0"


def draw(rng: random.Random) -> Drawn:
    """A program of one of KINDS."""
    kind, n, digits = rng.choice(KINDS), rng.randint(2, 3), rng.randint(1, 4)

    def number(low: float, high: float) -> str:
        text = f"{rng.uniform(low, high):.{digits}f}"
        return text if Fraction(text) else "0.1"

    drawn = Drawn([number(-3, 5) for _ in range(n)], maximise=rng.random() < 0.4)
    drawn.constant = rng.choice(["0", number(-20, 20), number(-20, 20), "1e1", "-0.1"])
    drawn.lower, drawn.upper = ["0"] * n, [number(2, 9) for _ in range(n)]
    point = [Fraction(number(0, 2)) for _ in range(n)]
    slack = "0.0001" if kind == "near" else "0"
    if kind == "transport":
        # supplies and demands of one sum, 2 x 2
        a, b, c = (Fraction(number(0.1, 3)) for _ in range(3))
        d = a + b - c
        drawn = Drawn([number(0.1, 5) for _ in range(4)], drawn.constant, drawn.maximise)
        drawn.lower, drawn.upper = ["0"] * 4, [None] * 4
        for pair, side in (((0, 1), a), ((2, 3), b), ((0, 2), c), ((1, 3), d)):
            drawn.rows.append((dict.fromkeys(pair, "1"), decimal(side), decimal(side)))
        return drawn
    for r in range(rng.randint(1, 4)):
        terms = {j: number(-2, 4) for j in range(n) if rng.random() < 0.8 or j == r % n}
        value = sum((Fraction(c) * point[j] for j, c in terms.items()), Fraction(0))
        if kind in ("equations", "near"):
            # met by the point in decimals, or missed by less than any tolerance
            off = Fraction(rng.choice(["0", "1e-12"])) * (kind == "near")
            drawn.rows.append((terms, decimal(value + off), decimal(value + off)))
            drawn.rows += [(terms, None, decimal(value))] * (slack != "0")
        elif kind == "degenerate":
            drawn.rows += [(terms, decimal(value), None), (terms, decimal(value), None)]
        elif kind == "ranges":
            drawn.rows.append((terms, decimal(value - 1), decimal(value + Fraction("0.3"))))
        else:
            end = decimal(value - Fraction(number(0, 3)))
            above = rng.random() < 0.5
            drawn.rows.append((terms, end if above else None, None if above else end))
    if kind == "crossing":
        j = rng.randrange(n)
        drawn.lower[j], drawn.upper[j] = rng.choice([("3", "2"), ("0.3", "0.1"), ("-0.1", "-0.2")])
    if kind == "free":
        drawn.lower[0] = None if rng.random() < 0.7 else number(-9, -1)
        drawn.upper[0] = None if rng.random() < 0.5 else drawn.upper[0]
    return drawn


def terms_of(drawn: Drawn) -> set[tuple[str, Fraction, frozenset[tuple[str, Fraction]]]]:
    """Every finite side as sense, side and coefficients by name."""
    sides = set()
    for terms, low, high in drawn.sides():
        row = frozenset((f"x{j}", Fraction(c)) for j, c in terms.items())
        same = low is not None and high is not None and Fraction(low) == Fraction(high)
        for sense, end in (("E", low),) if same else (("G", low), ("L", high)):
            if end is not None:
                sides.add((sense, Fraction(end), row))
    return sides


def taken(text: str, n: int) -> set[tuple[str, Fraction, frozenset[tuple[str, Fraction]]]]:
    """The same of the constraints of a certificate, without that of a constant."""
    words = iter(text.split())
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


def judge(drawn: Drawn, path: Path) -> str:
    """What is wrong about the proof of a file; empty if nothing is."""
    true = drawn.optimum()
    try:
        text, table = prove_program(path)
    except CapabilityError as error:
        return "" if true == "unbounded" and "unbounded" in str(error) else f"{true}, but {error}"
    said = "infeasible" if table["infeasible"] else Fraction(table["fraction"])
    verdict, value = proved(text)
    inner = value if value is None or not drawn.maximise else -value
    if said != true or (inner if verdict == "optimal" else verdict) != true:
        return f"{true}, but {said}, and by the certificate {verdict} {inner}"
    if taken(text, len(drawn.cost)) != terms_of(drawn):
        return "the certificate has other constraints than the file"
    return refused(text)


def attack(count: int, seed: int, folder: Path) -> tuple[dict[str, int], list[str]]:
    """The numbers of answers by kind, and what is wrong."""
    rng, seen, wrong = random.Random(seed), dict[str, int](), list[str]()
    for number in range(count):
        drawn = draw(rng)
        form = ("lp", "mps")[number % 2]
        path = folder / f"{seed}-{number}.{form}"
        path.write_text(drawn.lp() if form == "lp" else drawn.mps())
        true = drawn.optimum()
        kind = true if isinstance(true, str) else "optimal"
        seen[kind] = seen.get(kind, 0) + 1
        try:
            found = judge(drawn, path)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found:
            wrong.append(f"{path.name}: {found}\n{path.read_text()}")
    return seen, wrong


if __name__ == "__main__":
    options = read_options(__doc__, count=60)
    with tempfile.TemporaryDirectory() as place:
        answers, errors = attack(options.count, options.seed, Path(place))
    print(*errors[:5], sep="\n")
    print(f"{options.count} files, {answers}, viprchk {CHECKER is not None}: {len(errors)} wrong")
    sys.exit(bool(errors))
