"""A reader of VIPR 1.0 that shares nothing with the writer: tokens in, what is proved out.

Written from the description of the format; it knows the derivations ``asm`` not, ``lin`` alone.
"""

from collections.abc import Iterator
from fractions import Fraction

Row = dict[int, Fraction]


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


def proved(text: str) -> tuple[str, Fraction | None]:
    """``infeasible``, or ``optimal`` with the value; AssertionError where the proof has a hole."""
    # comments left out, a file is a sequence of words
    lines = (line for line in text.splitlines() if not line.startswith("%"))
    tokens = iter(" ".join(lines).split())
    _expect(tokens, "VER", "1.0", "VAR")
    n = int(next(tokens))
    names = [next(tokens) for _ in range(n)]
    assert len(set(names)) == n
    # no integers; the objective
    _expect(tokens, "INT", "0", "OBJ", "min")
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
        for sense, side, row in known:
            value = sum((c * x.get(j, Fraction(0)) for j, c in row.items()), Fraction(0))
            assert _meets(sense, value, side), "a point that is not feasible"
        points.append(sum((c * x.get(j, Fraction(0)) for j, c in objective.items()), Fraction(0)))
    # each derived row is a combination of earlier ones with multipliers of the right sign
    _expect(tokens, "DER")
    for _ in range(int(next(tokens))):
        next(tokens)
        sense, side = next(tokens), Fraction(next(tokens))
        row = _clean(_coefficients(tokens, objective))
        _expect(tokens, "{", "lin")
        total, combined = Fraction(0), dict[int, Fraction]()
        for i, factor in _sparse(tokens, int(next(tokens))).items():
            other, value, entries = known[i]
            allowed = {"E": True, "G": factor >= 0, "L": factor <= 0}[other]
            assert (sense == "G" and allowed) or other == sense == "E", "a multiplier of wrong sign"
            total += factor * value
            for j, c in entries.items():
                combined[j] = combined.get(j, Fraction(0)) + factor * c
        _expect(tokens, "}", "-1")
        assert _clean(combined) == row, "a derived row is not the combination"
        assert total >= side, "a derived side is not the combination's"
        known.append((sense, side, row))
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
