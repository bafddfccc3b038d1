"""Small programs with integers, drawn by kind, and their exact optimum by no code of the project.

The numbers of a program are its decimals: 0.1 is one tenth; shares are fractions, whose doubles are
handed over. Integer columns are enumerated, and continuous ones are solved in rational arithmetic
at each choice of the integers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from exact_programs import INF, Row, Small, Truth, conditions, whole_truth

ENUMERATED = 1 << 18  # points of a program in integers alone
HALVED = 1 << 30  # of a program with a single row
MIXED = 1 << 12  # choices of the integers beside continuous columns
LINEAR = 400  # linear programs solved for one optimum
LARGEST = 1 << 62  # numbers of 64 bits
LOOSE = Fraction(1, 10**6)  # by which a row with continuous columns may be missed, see outside


class TooLargeError(Exception):
    """The program is not solved exactly in the effort allowed."""


def exact(value: float) -> Any:
    """The decimal that is written for a float; fractions and infinities stay."""
    if isinstance(value, Fraction) or math.isinf(value):
        return value
    return Fraction(repr(float(value)))


def exactly(program: Small) -> Small:
    """The program in fractions."""
    rows = tuple((tuple(map(exact, a)), exact(lo), exact(hi)) for a, lo, hi in program.rows)
    ends = {name: tuple(map(exact, getattr(program, name))) for name in ("cost", "lower", "upper")}
    whole = program.whole or (False,) * len(program.cost)
    return replace(program, rows=rows, constant=exact(program.constant), whole=whole, **ends)


def outside(program: Small, x: Sequence[Fraction], loose: Fraction = LOOSE) -> str:
    """How a point breaks an exact program, or nothing.

    Rows and bounds of integer columns hold exactly. With continuous columns, the integers are taken
    to the side: what is left holds to the share ``loose`` of the side or of its largest term, or to
    1e-9 in a column. ``loose`` 0 allows nothing."""
    for j, whole in enumerate(program.whole):
        if whole and x[j].denominator != 1:
            return f"x{j} is {float(x[j])!r}, not whole"
    for place, (a, low, high) in enumerate(program.sides()):
        name = f"row {place}" if place < len(program.rows) else f"x{place - len(program.rows)}"
        fixed, terms = (
            [Fraction(v) * u for v, u, w in zip(a, x, program.whole, strict=True) if v and w == of]
            for of in (True, False)
        )
        activity = sum((*fixed, *terms), Fraction())
        miss = max(low - activity, activity - high)
        if miss <= 0:
            continue
        allowed = Fraction()
        if terms and loose:
            side = Fraction(low if low - activity == miss else high)
            left, column = (
                side - sum(fixed),
                max(abs(Fraction(v)) for v, w in zip(a, program.whole, strict=True) if not w),
            )
            allowed = max(
                loose * max(map(abs, [left, *terms])),
                column / 10**9,
                max(map(abs, [side, *fixed])) / 10**15,  # of doubles
            )
        if miss > allowed:
            return f"{name} is {float(activity)!r}, missed by {float(miss):.3g}"
    return ""


def optimum(program: Small) -> Truth:
    """The exact optimum. TooLargeError where the effort allowed does not reach it."""
    p = exactly(program)
    if any(low > high for _, low, high in p.sides()):
        return Truth("infeasible")
    # integer columns between whole ends, as far as the rows imply them
    p = _tightened(p)
    if p is None:
        return Truth("infeasible")
    counts = [
        high - low + 1 for low, high, whole in zip(p.lower, p.upper, p.whole, strict=True) if whole
    ]
    size = math.prod(max(v, 0) if math.isfinite(v) else math.inf for v in counts)
    pure = all(p.whole)
    if size == 0:
        return Truth("infeasible")
    if pure and size <= ENUMERATED:
        return _enumerated(p)
    if pure and size <= HALVED and len(p.rows) <= 1:
        return _halved(p)
    if not pure and size <= MIXED:
        return _mixed(p)
    if math.isinf(size):
        return _endless(p)
    raise TooLargeError


def _tightened(p: Small) -> Small | None:
    """Whole ends of integer columns, infinite ones replaced by what the rows imply; None where a
    divisor of a row of integers shows that there is no point."""
    lower, upper = list(p.lower), list(p.upper)

    def ends() -> None:
        for j, whole in enumerate(p.whole):
            if whole:
                lower[j] = Fraction(math.ceil(lower[j])) if lower[j] > -INF else lower[j]
                upper[j] = Fraction(math.floor(upper[j])) if upper[j] < INF else upper[j]

    ends()
    for a, low, high in p.rows:
        if low == high and all(w for v, w in zip(a, p.whole, strict=True) if v) and any(a):
            scale = math.lcm(*(Fraction(v).denominator for v in (*a, low)))
            if int(low * scale) % math.gcd(*(int(v * scale) for v in a)):
                return None
    for _ in range(4):
        for a, low, high in p.rows:
            for j, v in enumerate(a):
                if not v or not p.whole[j] or math.isfinite(upper[j] - lower[j]):
                    continue
                # what the other columns can reach at least and at most
                least = most = Fraction()
                for k, w in enumerate(a):
                    if k != j and w:
                        reached = w * lower[k], w * upper[k]
                        least, most = least + min(reached), most + max(reached)
                small = (low - most) / v if math.isfinite(low) and most < INF else -INF * v
                large = (high - least) / v if math.isfinite(high) and least > -INF else INF * v
                small, large = (small, large) if v > 0 else (large, small)
                lower[j] = small if math.isinf(lower[j]) else lower[j]
                upper[j] = large if math.isinf(upper[j]) else upper[j]
        ends()
    return replace(p, lower=tuple(lower), upper=tuple(upper))


def _integers(values: Sequence[Any]) -> tuple[list[int], int]:
    """Fractions as integers, and what they were multiplied by."""
    scale = math.lcm(*(Fraction(v).denominator for v in values if math.isfinite(v)))
    return [int(v * scale) if math.isfinite(v) else v for v in values], scale


def _sums(a: Sequence[int], lower: Sequence[Any], upper: Sequence[Any]) -> Any:
    """a'x at every whole x of the box, the first column changing slowest."""
    sums = np.zeros(1, dtype=np.int64)
    if (
        sum(abs(v) * max(abs(lo), abs(hi)) for v, lo, hi in zip(a, lower, upper, strict=True))
        >= LARGEST
    ):
        raise TooLargeError
    for v, lo, hi in zip(a, lower, upper, strict=True):
        sums = (sums[:, None] + v * np.arange(int(lo), int(hi) + 1, dtype=np.int64)).ravel()
    return sums


def _point(place: int, lower: Sequence[Any], upper: Sequence[Any]) -> list[Fraction]:
    """The whole x at a place of ``_sums``."""
    x = []
    for lo, hi in zip(reversed(lower), reversed(upper), strict=True):
        place, digit = divmod(place, int(hi - lo) + 1)
        x.append(lo + digit)
    return x[::-1]


def _enumerated(p: Small) -> Truth:
    misses = np.zeros(1)
    for a, low, high in p.rows:
        (*whole, least, most), _ = _integers([*a, low, high])
        sums = _sums(whole, p.lower, p.upper)
        # a miss of one unit counts, whatever the size of the numbers: differences of integers
        for end, sign in ((least, 1), (most, -1)):
            if abs(end) < LARGEST:
                misses = misses + np.maximum(sign * (end - sums), 0) / max(1.0, float(abs(end)))
    costs = _sums(_integers(p.cost)[0], p.lower, p.upper)
    misses = np.broadcast_to(misses, costs.shape)
    if misses.min() > 0:
        return Truth("infeasible", x=tuple(_point(int(misses.argmin()), p.lower, p.upper)))
    best = np.flatnonzero(misses == 0)[costs[misses == 0].argmin()]
    return _found(p, _point(int(best), p.lower, p.upper))


def _found(p: Small, x: Sequence[Fraction]) -> Truth:
    size = sum(map(abs, p.terms(x)), Fraction(1))
    return Truth("optimal", p.value(x), size=size, x=tuple(x))


def _halved(p: Small) -> Truth:
    """One row: every half of the columns is enumerated, and the halves meet."""
    a, low, high = p.rows[0] if p.rows else ((0,) * len(p.cost), -INF, INF)
    (*weights, least, most), _ = _integers([*a, low, high])
    if math.isinf(most):  # at least: at most of minus the weights
        weights, least, most = [-v for v in weights], -most, -least
    half = len(p.cost) // 2
    parts = [slice(half), slice(half, None)]
    w, c = (
        [_sums(values[part], p.lower[part], p.upper[part]) for part in parts]
        for values in (weights, _integers(p.cost)[0])
    )
    # the right half by weight; of equal weights the cheapest comes first
    order = np.lexsort((c[1], w[1]))
    weight, cost = w[1][order], c[1][order]
    if least == most:
        at = np.minimum(np.searchsorted(weight, least - w[0]), len(weight) - 1)
        misses = np.abs(w[0] + weight[at] - least)
    elif math.isinf(least):
        # the cheapest of those that fit beside the left half
        room = most - w[0] if math.isfinite(most) else np.full(len(w[0]), LARGEST)
        cheapest = np.minimum.accumulate(cost)
        new = np.concatenate([[True], cheapest[1:] < cheapest[:-1]])
        where = np.maximum.accumulate(np.where(new, np.arange(len(cost)), 0))
        at = where[np.maximum(np.searchsorted(weight, room, side="right") - 1, 0)]
        misses = np.maximum(weight[at] - room, 0)
    else:
        raise TooLargeError
    # the cheapest of all, or the one that misses least
    fits = np.flatnonzero(misses == 0)
    left = int(fits[(c[0] + cost[at])[fits].argmin()] if len(fits) else misses.argmin())
    ends = zip((left, int(order[at[left]])), parts, strict=True)
    x = tuple(v for k, part in ends for v in _point(k, p.lower[part], p.upper[part]))
    return _found(p, x) if len(fits) else Truth("infeasible", x=x)


def _mixed(p: Small) -> Truth:
    """Every choice of the integers, the most promising first; the rest is a linear program."""
    whole = [j for j, w in enumerate(p.whole) if w]
    rest = [j for j, w in enumerate(p.whole) if not w]
    free = sum(
        (min(p.cost[j] * e for e in (p.lower[j], p.upper[j])) for j in rest if p.cost[j]),
        Fraction(p.constant),
    )
    # what a choice costs at least, and whether the rows of integers alone hold
    choices = []
    for z in product(*(range(int(p.lower[j]), int(p.upper[j]) + 1) for j in whole)):
        fixed = dict(zip(whole, map(Fraction, z), strict=True))
        if all(_reachable(p, row, fixed) for row in p.rows):
            choices.append((free + sum(p.cost[j] * v for j, v in fixed.items()), fixed))
    choices.sort(key=lambda choice: choice[0])
    best, lowest = Truth("infeasible"), None
    for tried, (least, fixed) in enumerate(choices):
        if best.status == "optimal" and least >= best.value and least >= lowest:
            break
        if tried == LINEAR:
            raise TooLargeError
        found = completed(p, fixed, Fraction())
        loose = completed(p, fixed, LOOSE)
        if found.status == "unbounded":
            return found
        if loose.status == "optimal" and (lowest is None or loose.value < lowest):
            lowest = loose.value
        if found.status == "optimal" and (best.status != "optimal" or found.value < best.value):
            best = found
    if best.status == "infeasible" and lowest is not None:
        raise TooLargeError  # a tolerance may call it feasible
    return best if lowest is None else replace(best, leeway=best.value - lowest)


def _reachable(p: Small, row: Row, fixed: dict[int, Fraction]) -> bool:
    """Whether the continuous columns can bring a row between its sides, up to the tolerance."""
    a, low, high = row
    least = most = Fraction()
    for j, v in enumerate(a):
        if v:
            ends = [v * fixed[j]] if j in fixed else [v * p.lower[j], v * p.upper[j]]
            least, most = least + min(ends), most + max(ends)
    if any(v and not w for v, w in zip(a, p.whole, strict=True)):
        by = 2 * LOOSE * max((abs(s) for s in (low, high) if math.isfinite(s)), default=0)
        by += 2 * LOOSE * sum(abs(a[j] * v) for j, v in fixed.items())
        least, most = least - by, most + by
    return bool(least <= high and most >= low)


def completed(p: Small, fixed: dict[int, Fraction], loose: Fraction) -> Truth:
    """The best continuous columns beside fixed integers, by rows that are loosened."""
    rest = [j for j in range(len(p.cost)) if j not in fixed]
    rows = []
    for a, low, high in p.rows:
        taken = sum((a[j] * v for j, v in fixed.items()), Fraction())
        kept = tuple(a[j] for j in rest)
        if any(kept):
            # the tolerance of a row: a share of its side
            low, high = (
                side - taken + sign * loose * abs(side - taken) if math.isfinite(side) else side
                for side, sign in ((low, -1), (high, 1))
            )
        elif not low <= taken <= high:
            return Truth("infeasible")
        else:
            continue
        rows.append((kept, low, high))
    linear = Small(
        *(tuple(values[j] for j in rest) for values in (p.cost, p.lower, p.upper)), tuple(rows)
    )
    asked = conditions(linear)
    z = asked.solved()
    if z is None:
        feasible = asked.solved(feasible=True) is not None
        return Truth("unbounded" if feasible else "infeasible")
    values = {**fixed, **dict(zip(rest, asked.point(z), strict=True))}
    return _found(p, [values[j] for j in range(len(p.cost))])


def _endless(p: Small) -> Truth:
    """Integer columns without ends: branch and bound, or a point and a ray of the relaxation."""
    asked = conditions(p)
    if asked.solved() is None:
        if asked.solved(feasible=True) is None:
            return Truth("infeasible")
        # rational data: one point makes it unbounded (Meyer 1974)
        ends = [*zip(p.lower, p.upper, strict=True)]
        lower = tuple(max(v, min(u, Fraction(0)) - 6) for v, u in ends)
        upper = tuple(min(u, max(v, Fraction(0)) + 6) for v, u in ends)
        near = replace(p, cost=(Fraction(),) * len(p.cost), lower=lower, upper=upper)
        if optimum(near).status == "optimal":
            return Truth("unbounded")
        raise TooLargeError
    found = whole_truth(p, most=60)
    if found.status == "unknown" or not all(p.whole):
        raise TooLargeError
    return Truth(found.status, found.value, size=1 + abs(found.value))


# The kinds


@dataclass(frozen=True)
class Drawn:
    """A program with what is known of its optimum."""

    kind: str
    program: Small
    known: Truth


def draw(seed: int, kinds: Sequence[str] = ()) -> Drawn:
    """The program of a seed, of one of the kinds, with its optimum."""
    rng = random.Random(f"integers {seed}")
    while True:
        kind = rng.choice(kinds or [*KINDS])
        program = _dressed(rng, kind, KINDS[kind](rng))
        try:
            return Drawn(kind, program, optimum(program))
        except TooLargeError:
            continue


def _dressed(rng: random.Random, kind: str, program: Small) -> Small:
    """A constant, no objective at all, the other sense."""
    if rng.random() < 0.25:
        program = replace(program, constant=float(rng.choice((1, -40, 66, 1e6, 0.1))))
    if rng.random() < 0.1 and kind != "unbounded":
        program = replace(program, cost=(0.0,) * len(program.cost))
    return replace(program, maximise=program.maximise or rng.random() < 0.3)


def _number(rng: random.Random, digits: int) -> int:
    return rng.randint(10 ** (digits - 1), 10**digits - 1)


def _binaries(n: int) -> dict[str, Any]:
    return {"lower": (0.0,) * n, "upper": (1.0,) * n, "whole": (True,) * n}


def _floats(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(map(float, values))


def _row(n: int, low: float, high: float, entries: dict[int, float]) -> Row:
    """low <= sum of entries x_j <= high."""
    return tuple(entries.get(j, 0.0) for j in range(n)), low, high


def knapsack(rng: random.Random) -> Small:
    """Weights of 7 to 10 digits, and a capacity that a subset misses by a unit or fills."""
    n, digits = rng.choice((4, 6, 8, 12, 16, 24, 30)), rng.randint(7, 10)
    w = [_number(rng, digits) for _ in range(n)]
    rows: list[Row] = []
    for _ in range(1 if n > 16 else rng.choice((1, 1, 2))):
        chosen = rng.sample(range(n), rng.randint(1, n - 1))
        side = float(sum(w[i] for i in chosen) - rng.choice((0, 1, 1, 2, 3)))
        rows.append((_floats(w), -INF, side))
        w = [v + rng.choice((0, 1, -1, _number(rng, digits))) for v in w]
    profit = rng.choice((
        [float(v) for v in rows[0][0]],
        [float(rng.randint(1, 99)) for _ in range(n)],
        [float(len(rows) * v // 10**6) + rng.randint(0, 3) for v in rows[0][0]],
    ))  # fmt: skip
    if rng.random() < 0.3:  # a cover of a demand
        return Small(
            tuple(profit), rows=tuple((a, side + rng.choice((0, 2)), INF) for a, _, side in rows),
            **_binaries(n),
        )  # fmt: skip
    program = Small(_floats(-v for v in profit), rows=tuple(rows), **_binaries(n), maximise=True)
    if n <= 8 and rng.random() < 0.3:
        program = replace(program, upper=_floats(rng.randint(1, 3) for _ in range(n)))
    return program


def subset(rng: random.Random) -> Small:
    """Numbers that are to add up to a sum, whole or in cents."""
    n, digits = rng.choice((4, 5, 7, 9, 12, 20, 30)), rng.randint(4, 10)
    if n > 12:  # a search of millions of nodes is no test of words
        digits = min(digits, 6)
    cents = rng.random() < 0.4
    a = [_number(rng, rng.randint(max(2, digits - 2), digits)) for _ in range(n)]
    if rng.random() < 0.3:  # of a common divisor
        a = [50 * v for v in a]
    chosen = rng.sample(range(n), rng.randint(1, n - 1))
    total = sum(a[i] for i in chosen) + rng.choice((0, 0, 1, -1, 2, 3))
    cost = rng.choice((
        [0.0] * n, [1.0] * n, [float(rng.randint(-9, 9)) for _ in range(n)],
    ))  # fmt: skip
    unit = 100 if cents else 1
    row = (_floats(Fraction(v, unit) for v in a), *[float(Fraction(total, unit))] * 2)
    return Small(tuple(cost), rows=(row,), **_binaries(n))  # type: ignore[arg-type]


def shares(rng: random.Random) -> Small:
    """Weights divided by a total: a sum of shares, and groups that have a part of all that is
    chosen. Units are 1e-3 to 1e-8, and equalities are met, or missed by one."""
    n, digits = rng.choice((3, 4, 6, 8, 12, 16)), rng.choice((1, 2, 3, 4, 6, 8))
    w = [_number(rng, digits) for _ in range(n)]
    total = rng.choice((sum(w), sum(w), 3, 7, 360, _number(rng, digits + 1)))
    x = [rng.randint(0, 1) for _ in range(n)]
    rows: list[Row] = []
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.6:
            a = [Fraction(v, total) for v in w]
        else:  # p/q of all that is chosen is of a group
            p, q = rng.choice(((1, 3), (2, 3), (1, 7), (3, 7), (1, 6)))
            a = [(Fraction(rng.random() < 0.5) - Fraction(p, q)) * v for v in w]
        side = sum((v * u for v, u in zip(a, x, strict=True)), Fraction())
        side += rng.choice((0, 0, 1, -1)) * min(abs(v) for v in a if v) / min(w)
        rows.append((tuple(a), *rng.choice(((side, side), (side, INF), (-INF, side)))))  # type: ignore[arg-type]
        w = [_number(rng, digits) for _ in range(n)] if rng.random() < 0.5 else w
    cost = rng.choice((
        [rng.randint(-9, 9) for _ in range(n)],
        [Fraction(rng.randint(-99, 99), total) for _ in range(n)],
        [*rows[0][0]],
    ))  # fmt: skip
    program = Small(tuple(cost), rows=tuple(rows), **_binaries(n))
    # a column that is bought at a price, in the first row, where a unit is above the tolerance
    if digits <= 3 and rng.random() < 0.5:
        (a, low, high), *others = rows
        others = [((*b, 0.0), *ends) for b, *ends in others]
        return replace(
            program, cost=(*cost, 3.0), rows=(((*a, 1.0), low, high), *others),
            lower=(0.0,) * (n + 1), upper=(*(1.0,) * n, 0.5), whole=(*(True,) * n, False),
        )  # fmt: skip
    return program


def big_m(rng: random.Random) -> Small:
    """Fixed charges: y <= M b, a need, a share of what is made; M of 1e4 to 1e8."""
    n, M = rng.randint(1, 5), float(rng.choice((1e4, 1e5, 1e6, 1e7, 1e8)))
    whole = (*(True,) * n, *(rng.random() < 0.2 for _ in range(n)))
    need = float(rng.choice((0.5, 1, 3, 5, 40)))
    charge = [float(rng.choice((1, 10, 100, 1000)) * (1 + i)) for i in range(n)]
    rows: list[Row] = [_row(2 * n, -INF, 0.0, {i: -M, n + i: 1.0}) for i in range(n)]
    rows.append(((*(0.0,) * n, *(1.0,) * n), need, INF))
    if rng.random() < 0.4:  # a least amount of what runs
        i = rng.randrange(n)
        rows.append(_row(2 * n, 0.0, INF, {i: -float(rng.choice((0.25, 2, 7))), n + i: 1.0}))
    top = rng.choice((INF, INF, M, 2 * need))
    made = [float(rng.choice((1, 1, 0.5, 2))) for _ in range(n)]
    return Small(
        (*charge, *made), (0.0,) * 2 * n, (*(1.0,) * n, *(top,) * n), tuple(rows), (), whole
    )


def tiny(rng: random.Random) -> Small:
    """Some rows of another kind in units of 1e-9 to 1e-3."""
    program = rng.choice((switched, general, blocks, big_m, equality))(rng)
    rows = []
    power = rng.randint(3, 9)
    for a, low, high in program.rows:
        by = Fraction(1, 10**power) if rng.random() < 0.6 else Fraction(1)
        rows.append(
            (_floats(by * exact(v) for v in a),
             *(float(by * exact(s)) if math.isfinite(s) else s for s in (low, high)))
        )  # fmt: skip
    return replace(program, rows=tuple(rows))


def switched(rng: random.Random) -> Small:
    """max profit'x - price'z over x <= M z and x within small caps, alone and together."""
    n, M = rng.randint(2, 4), float(rng.choice((1e4, 1e6, 1e7)))
    caps = [rng.randint(10, 90) / 10 for _ in range(n)]
    rows: list[Row] = []
    for i in range(n):
        rows.append(_row(2 * n, -INF, 0.0, {i: 1.0, n + i: -M}))
        rows.append(_row(2 * n, -INF, caps[i], {i: 1.0}))
    total = float(exact(round(sum(caps) * rng.choice((0.3, 0.6)), 1)))
    rows.append(((*(1.0,) * n, *(0.0,) * n), -INF, total))
    profit = [-rng.randint(10, 90) / 10 for _ in range(n)]
    price = [rng.randint(10, 200) / 10 for _ in range(n)]
    whole = (*(False,) * n, *(True,) * n)
    upper = (*(INF,) * n, *(1.0,) * n)
    return Small((*profit, *price), (0.0,) * 2 * n, upper, tuple(rows), (), whole, maximise=True)


def equality(rng: random.Random) -> Small:
    """Equality rows of integers, some of which no whole point meets."""
    n, m = rng.randint(3, 6), rng.randint(1, 2)
    size = rng.choice((5, 50, 10**4, 10**6))
    lower, upper = [float(rng.choice((0, 0, -3))) for _ in range(n)], []
    x = [int(v) + rng.randint(0, 4) for v in lower]
    upper = [float(v + rng.randint(0, 3)) for v in x]
    rows: list[Row] = []
    for _ in range(m):
        divisor = rng.choice((1, 1, 2, 3, 6))
        a = [divisor * rng.randint(-size if rng.random() < 0.3 else 1, size) for _ in range(n)]
        side = float(sum(v * u for v, u in zip(a, x, strict=True)) + rng.choice((0, 0, 0, 1)))
        rows.append((_floats(a), side, side))
    if rng.random() < 0.15 and rows[0][1] >= 0 and min(rows[0][0]) > 0:
        upper, lower = [INF] * n, [0.0] * n  # the row alone holds the columns
    cost = _floats(rng.randint(-9, 9) for _ in range(n))
    return Small(cost, tuple(lower), tuple(upper), tuple(rows), (), (True,) * n)


def blocks(rng: random.Random) -> Small:
    """Blocks of integers and continuous columns, and a row over all of them."""
    n = rng.randint(1, 2)
    cost, lower, upper, whole, entries = [], [], [], [], []
    rows: list[tuple[dict[int, float], float, float]] = []
    for _ in range(n):
        first = len(cost)
        shape = [True] * rng.randint(1, 3) + [False] * rng.randint(1, 2)
        for is_whole in shape:
            low = float(rng.choice((0, 0, -2)))
            lower.append(low)
            upper.append(low + rng.randint(1, 3) if is_whole else rng.choice((INF, 10.0, 4.5)))
            cost.append(rng.choice((-1, 1, 1)) * rng.randint(1, 90) / 10)
            entries.append(float(rng.randint(1, 9)))
            whole.append(is_whole)
        for _ in range(rng.randint(1, 2)):
            part = {j: rng.randint(1, 50) / 10 for j in range(first, len(cost))}
            rows.append((part, -INF, rng.randint(20, 300) / 10))
    side = float(rng.randint(2, 20))
    rows.append((dict(enumerate(entries)), *rng.choice(((side, INF), (-INF, side), (side, side)))))
    full = tuple(_row(len(cost), low, high, part) for part, low, high in rows)
    return Small(tuple(cost), tuple(lower), tuple(upper), full, (), tuple(whole))


def general(rng: random.Random) -> Small:
    """Integers between negative and positive ends, far ones among them, rows of all senses."""
    n, m = rng.randint(1, 6), rng.randint(1, 4)
    size, far = rng.choice((3, 9, 99)), rng.choice((0, 0, 0, 10**4, 10**6, 10**9))
    lower = [float(rng.randint(-4, 2) + rng.choice((0, far, -far))) for _ in range(n)]
    upper = [v + rng.randint(0 if rng.random() < 0.1 else 1, 5) for v in lower]
    x = [rng.randint(int(v), int(u)) for v, u in zip(lower, upper, strict=True)]
    rows: list[Row] = []
    for _ in range(m):
        a = [rng.randint(-size, size) if rng.random() < 0.8 else 0 for _ in range(n)]
        activity, slack = float(sum(map(int.__mul__, a, x))), float(rng.choice((0, 0, 1, 5)))
        ends = rng.choice(((-INF, activity + slack), (activity - slack, INF),
                           (activity - slack, activity + 1), (activity, activity)))  # fmt: skip
        rows.append((_floats(a), *ends))
    cost = _floats(rng.randint(-size, size) for _ in range(n))
    # ends that are not whole
    lower = [v - rng.choice((0, 0, 0, 0.5, 0.3)) for v in lower]
    upper = [v + rng.choice((0, 0, 0, 0.5, 0.7)) for v in upper]
    return Small(cost, tuple(lower), tuple(upper), tuple(rows), (), (True,) * n)


def infeasible(rng: random.Random) -> Small:
    """Rows that fractions meet and whole numbers do not, or none meets."""
    program = rng.choice((general, equality, blocks, big_m))(rng)
    n, how = len(program.cost), rng.random()
    whole = [j for j, w in enumerate(program.whole) if w]
    a = [0.0] * n
    if how < 0.4:  # between two whole numbers
        for j in rng.sample(whole, min(len(whole), rng.randint(1, 3))):
            a[j] = float(rng.choice((2, 4, -2)))
        side = 2.0 * rng.randint(-2, 2)
        row = (tuple(a), side + 0.5, side + 1.5)
    elif how < 0.7:  # one more than the most
        for j in whole:
            if program.upper[j] < INF:
                a[j] = float(rng.randint(1, 10 ** rng.choice((1, 6))))
        row = (tuple(a), 1.0 + sum(v * u for v, u in zip(a, program.upper, strict=True) if v), INF)
    else:  # a row against another one
        a, low, high = rng.choice(program.rows)  # type: ignore[assignment]
        row = (tuple(a), high + 1, INF) if high < INF else (tuple(a), -INF, low - 1)
    return replace(program, rows=(*program.rows, row))


def unbounded(rng: random.Random) -> Small:
    """Columns without ends, some along which the objective falls for ever."""
    n, m = rng.randint(2, 4), rng.randint(1, 3)
    whole = [rng.random() < 0.7 for _ in range(n)]
    whole[0] = True
    lower = [rng.choice((0.0, 0.0, -INF, -3.0)) for _ in range(n)]
    upper = [rng.choice((INF, INF, 5.0)) for _ in range(n)]
    x = [rng.randint(0, 3) for _ in range(n)]
    rows: list[Row] = []
    for _ in range(m):
        a = [rng.randint(-4, 4) for _ in range(n)]
        activity = float(sum(map(int.__mul__, a, x)) + rng.choice((0, 1)))
        low = activity - 2 if rng.random() < 0.3 else -INF
        rows.append((_floats(a), low, activity))
    cost = _floats(rng.randint(-5, 4) for _ in range(n))
    return Small(cost, tuple(lower), tuple(upper), tuple(rows), (), tuple(whole))


def units(rng: random.Random) -> Small:
    """A mixed program of small numbers; rows, continuous columns and objective in other units."""
    nz, nx = rng.randint(1, 3), rng.randint(1, 3)
    n, wild = nz + nx, rng.random() < 0.3
    rows: list[tuple[list[int], float, float]] = []
    for _ in range(rng.randint(1, 4)):
        a = [rng.randint(-5, 6) * (rng.random() < 0.8) for _ in range(n)]
        side = float(rng.randint(-4, 9))
        rows.append((a, *rng.choice(((-INF, side), (-INF, side), (side, INF), (side, side)))))
    for j in range(nz, n) if rng.random() < 0.5 else ():  # a switch of a column
        a = [0] * n
        a[rng.randrange(nz)], a[j] = -(10 ** rng.randint(1, 7)), 1
        rows.append((a, -INF, 0.0))
    rows = [row for row in rows if any(row[0])]
    cost = [Fraction(rng.randint(-30, 30)) for _ in range(nz)]
    cost += [Fraction(rng.choice((-1, 1)) * rng.randint(0, 90), 10) for _ in range(nx)]
    lower = [0] * nz + [rng.choice((0, 0, -2)) for _ in range(nx)]
    upper = [rng.choice((1, 1, 1, 3)) for _ in range(nz)]
    upper += [rng.choice((4, Fraction(73, 10), Fraction(9, 10), INF)) for _ in range(nx)]
    # what a row, a column and the objective are multiplied by, as powers of ten
    powers = (0, 0, -8, -7, -6, -4, 4, 6, 8) if wild else (0, 0, -3, -2, 2, 3)
    by = [Fraction(10) ** rng.choice(powers) for _ in rows]
    powers = (0, 0, 0, -3, 3, -5, 5) if wild else (0, 0, -3, 3, -4, 4)
    unit = [Fraction(1)] * nz + [Fraction(10) ** rng.choice(powers) for _ in range(nx)]
    goal = Fraction(10) ** rng.choice((0, 0, -7, -4, 4, 7) if wild else (0, 0, 0, -4, -5, 3))
    return Small(
        _floats(goal * c / u for c, u in zip(cost, unit, strict=True)),
        _floats(low * u for low, u in zip(lower, unit, strict=True)),
        _floats(high * u if high < INF else high for high, u in zip(upper, unit, strict=True)),
        tuple(
            (
                _floats(r * v / u for v, u in zip(a, unit, strict=True)),
                *(float(r * Fraction(s)) if math.isfinite(s) else s for s in ends),
            )
            for (a, *ends), r in zip(rows, by, strict=True)
        ),
        (),
        (*(True,) * nz, *(False,) * nx),
    )


def long(rng: random.Random) -> Small:
    """Subset sums of decimals of 12 to 15 digits, missed by a unit of the last one, or met."""
    n, digits = rng.randint(3, 6), rng.randint(12, 14)  # the sum may have one more
    a, places = [_number(rng, digits) for _ in range(n)], rng.choice((0, 2, 2, 5, digits))
    total = sum(v for v in a if rng.random() < 0.5) or a[0]
    ends = float(Fraction(total + rng.choice((0, 1, -1, 2)), 10**places))
    low, high = rng.choice(((ends, ends), (ends, ends), (-INF, ends), (ends, INF)))
    row = (_floats(Fraction(v, 10**places) for v in a), low, high)
    cost = rng.choice(([1.0] * n, [-1.0] * n, [float(rng.randint(-9, 9)) for _ in range(n)]))
    return Small(tuple(cost), rows=(row,), **_binaries(n))


KINDS: dict[str, Callable[[random.Random], Small]] = {
    "knapsack": knapsack,
    "subset": subset,
    "shares": shares,
    "big M": big_m,
    "tiny rows": tiny,
    "equality": equality,
    "blocks": blocks,
    "general": general,
    "infeasible": infeasible,
    "unbounded": unbounded,
    "units": units,
    "long": long,
}
