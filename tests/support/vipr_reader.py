"""A reader of VIPR 1.0 that shares nothing with the writer: tokens in, what is proved out.

Written from the description of the format: ``asm``, ``lin``, ``rnd`` and ``uns``.
"""

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from fractions import Fraction

#: viprchk: that of RADPROG_VIPRCHK, or the one on the path.
CHECKER = os.environ.get("RADPROG_VIPRCHK") or shutil.which("viprchk")

Row = dict[int, Fraction]


def refused(text: str) -> str:
    """What viprchk says of a certificate that it does not accept; "" without viprchk."""
    if CHECKER is None:
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".vipr") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([CHECKER, file.name], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    accepted = done.returncode == 0 and "Successfully verified" in said
    return "" if accepted else f"viprchk: {said[-300:]}"


def _sparse(tokens: Iterator[str], count: int) -> Row:
    return {int(next(tokens)): Fraction(next(tokens)) for _ in range(count)}


def _coefficients(tokens: Iterator[str], objective: Row) -> Row:
    word = next(tokens)
    return dict(objective) if word == "OBJ" else _sparse(tokens, int(word))


def _expect(tokens: Iterator[str], *words: str) -> None:
    for word in words:
        found = next(tokens)
        assert found == word, f"{found} in place of {word}"


def _clean(row: Row) -> Row:
    return {j: value for j, value in row.items() if value}


def _meets(sense: str, value: Fraction, side: Fraction) -> bool:
    return {"E": value == side, "G": value >= side, "L": value <= side}[sense]


def _implies(known: tuple[str, Fraction, Row], row: tuple[str, Fraction, Row]) -> bool:
    """Whether a row has no point, or is the other with a side that is no weaker."""
    sense, side, entries = known
    if not _clean(entries) and not _meets(sense, Fraction(0), side):
        return True
    return sense == row[0] == "G" and _clean(entries) == row[2] and side >= row[1]


def proved(text: str) -> tuple[str, Fraction | None]:
    """``infeasible``, or ``optimal`` with the value; AssertionError where the proof has a hole."""
    # comments left out, a file is a sequence of words
    lines = (line for line in text.splitlines() if not line.startswith("%"))
    tokens = iter(" ".join(lines).split())
    _expect(tokens, "VER", "1.0", "VAR")
    n = int(next(tokens))
    names = [next(tokens) for _ in range(n)]
    assert len(set(names)) == n
    # the integers and the objective
    _expect(tokens, "INT")
    integers = {int(next(tokens)) for _ in range(int(next(tokens)))}
    _expect(tokens, "OBJ", "min")
    objective = _sparse(tokens, int(next(tokens)))
    # the rows, with those that are bounds: what is taken for granted
    _expect(tokens, "CON")
    m, bounds = int(next(tokens)), int(next(tokens))
    assert bounds <= m
    known: list[tuple[str, Fraction, Row]] = []
    for _ in range(m):
        next(tokens)
        sense, side = next(tokens), Fraction(next(tokens))
        known.append((sense, side, _coefficients(tokens, objective)))
    # what is to be proved: infeasible, or an optimum in a range
    _expect(tokens, "RTP")
    goal = next(tokens)
    ends = [next(tokens), next(tokens)] if goal == "range" else []
    # each point meets every row; its objective bounds the optimum from above
    _expect(tokens, "SOL")
    points = []
    for _ in range(int(next(tokens))):
        next(tokens)
        x = _sparse(tokens, int(next(tokens)))
        assert all(x.get(j, Fraction(0)).denominator == 1 for j in integers)
        for sense, side, row in known:
            value = sum((c * x.get(j, Fraction(0)) for j, c in row.items()), Fraction(0))
            assert _meets(sense, value, side), "a point that is not feasible"
        points.append(sum((c * x.get(j, Fraction(0)) for j, c in objective.items()), Fraction(0)))
    # each derived row follows from earlier ones, under the assumptions on which they rest
    _expect(tokens, "DER")
    rests: list[set[int]] = [set() for _ in known]
    for _ in range(int(next(tokens))):
        next(tokens)
        sense, side = next(tokens), Fraction(next(tokens))
        row = _clean(_coefficients(tokens, objective))
        _expect(tokens, "{")
        reason = next(tokens)
        if reason == "asm":
            _expect(tokens, "}", "-1")
            rests.append({len(known)})
            known.append((sense, side, row))
            continue
        if reason == "uns":
            one, first, two, second = (int(next(tokens)) for _ in range(4))
            _expect(tokens, "}", "-1")
            # the assumptions leave no integer point out
            (left, k, body), (right, above, other) = known[first], known[second]
            assert (left, right) == ("L", "G")
            assert body == other
            assert above == k + 1
            assert k.denominator == 1
            assert all(j in integers and c.denominator == 1 for j, c in body.items())
            for place in (one, two):
                assert _implies(known[place], (sense, side, row)), "an unsplit of another row"
            rests.append((rests[one] - {first}) | (rests[two] - {second}))
            known.append((sense, side, row))
            continue
        assert reason in ("lin", "rnd")
        total, combined = Fraction(0), dict[int, Fraction]()
        rest = set[int]()
        for i, factor in _sparse(tokens, int(next(tokens))).items():
            other_sense, value, entries = known[i]
            allowed = {"E": True, "G": factor >= 0, "L": factor <= 0}[other_sense]
            allowed = (sense == "G" and allowed) or other_sense == sense == "E"
            assert allowed, "a multiplier of wrong sign"
            total += factor * value
            rest |= rests[i]
            for j, c in entries.items():
                combined[j] = combined.get(j, Fraction(0)) + factor * c
        _expect(tokens, "}", "-1")
        assert _clean(combined) == row, "a derived row is not the combination"
        if reason == "rnd":
            assert all(j in integers and c.denominator == 1 for j, c in row.items())
            total = Fraction(math.ceil(total))
        assert total >= side, "a derived side is not the combination's"
        rests.append(rest)
        known.append((sense, side, row))
    assert not rests[-1], "the last row rests on an assumption"
    # the last derived row: 0 >= positive, or the objective above the lower end
    assert next(tokens, None) is None
    sense, side, row = known[-1]
    if goal == "infeas":
        assert not row
        assert not _meets(sense, Fraction(0), side)
        return "infeasible", None
    low, high = map(Fraction, ends)
    assert row == _clean(objective)
    assert side >= low
    assert min(points) <= high
    return "optimal", high if low == high else None
