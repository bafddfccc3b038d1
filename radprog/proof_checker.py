"""Check a proof of ``radprog prove`` from its data, with only the standard library.

The steps: the sizes of the text (``check_sizes``); the types of every field (``FIELDS``); the
points, from the bytes of the data (``read_points``); the kernels (``Kernel``); the work, counted by
sizes before it begins (``Problem.work``); the values of the primal and the dual point of the proof,
in integers (``voted``, ``mixed``, ``boosted``, ``linear``); the claims.

A value of a kernel is an integer n. For linear, poly and given values K = n / 2^places. For rbf,
laplace and gauss, which are irrational, n <= K 2^places <= n + 1, and the worse end counts.
Verdicts contain no unchecked text of the proof, so a forged proof cannot change their words. The
line VALID names the program that was proved: its settings, kernels, rows, columns and scaling.
"""

import collections
import csv
import decimal
import functools
import hashlib
import itertools
import json
import math
import re
import sys
from fractions import Fraction as F
from operator import mul, sub
from typing import Any

WORK = 5e8  # products of short integers, at most; about a minute
USAGE = f"""usage: python proof_checker.py PROOF DATA [WORK]
WORK: the most products of short integers that the check may take; {WORK:.0e} without it"""
LONGEST = 1 << 15  # hexadecimal digits of an integer
VERSION = 4  # of the form of a proof
BITS = 128  # binary places of values that are enclosed
DEGREE, KERNELS = 50, 1000  # the largest degree of a polynomial, the most kernels
PROOF_BYTES, DATA_BYTES = 1 << 26, 1 << 30
LISTS, ITEMS = 1 << 20, 1 << 21  # lists and objects in a proof, and their items, at most
SHOWN, LINE = 10, 200  # numbers, and characters of a part, that a verdict prints in full
GAPS = ("", "?", "na", "nan", "n/a", "#n/a", "null")  # cells without a number
DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
COUNT = re.compile(r"[1-9]\d{0,8}", re.ASCII)
HEXADECIMAL = re.compile(r"-?0x[0-9a-f]+", re.ASCII)
PARAMETERS = {"linear": 0, "poly": 1, "rbf": 1, "laplace": 1, "gauss": 2}  # numbers in the name
GIVEN_KERNELS = ("file", "own", "gram")  # kernels whose values the statement lists


class Invalid(ValueError):
    """A part of a proof that does not hold."""


class Unchecked(ValueError):
    """A proof whose check takes more work than is allowed."""


def need(holds: bool, otherwise: str) -> None:
    """Raise Invalid unless the condition holds."""
    if not holds:
        raise Invalid(otherwise)


# --- types and sizes --------------------------------------------------------------------------


def is_hexadecimal(value: Any) -> bool:
    """Whether a value is an integer in hexadecimal digits."""
    short = type(value) is str and len(value) <= LONGEST + 3
    return short and HEXADECIMAL.fullmatch(value) is not None


def is_real(value: Any) -> bool:
    """Whether a value is a finite float, or an integer that a float represents exactly."""
    if type(value) is int:
        return abs(value) <= 1 << 53
    return type(value) is float and math.isfinite(value)


def is_pair(value: Any) -> bool:
    """Whether a value is the numerator and the denominator of a fraction."""
    return type(value) is list and len(value) == 2 and all(map(is_hexadecimal, value))


def is_csv(value: Any) -> bool:
    """Whether a value has valid options of csv.reader."""
    keys = {"delimiter", "quotechar", "skipinitialspace"}
    readable = type(value) is dict and value.keys() == keys and value["skipinitialspace"] is True
    return readable and value["delimiter"] in (",", "\t", ";") and value["quotechar"] in ('"', "'")


KINDS: dict[str, Any] = {
    "truth": lambda v: type(v) is bool,
    "whole": lambda v: type(v) is int and 0 <= v < 1 << 31,
    "sign": lambda v: type(v) is int and v in (-1, 1),
    "text": lambda v: type(v) is str and len(v) <= 1 << 12,
    "rule": lambda v: type(v) is str and v in ("given", "none", "trace", "poly"),
    "object": lambda v: type(v) is dict,
    "real": is_real,
    "hexadecimal": is_hexadecimal,
    "positive": lambda v: is_hexadecimal(v) and int(v, 16) > 0,
    "pair": lambda v: is_pair(v) and int(v[1], 16) > 0,
    "csv": is_csv,
}
#: Fields and their kinds: * is a list, {} an object with such values, ? one that may be null.
FIELDS = {
    "proof": "radprog_proof=whole model=text statement=object primal=object dual=object "
    "objective=pair bound=pair gap=pair",
    "statement": "program=text numbers=text given=text* data=object kernels=text* "
    "settings=object values=real**{} bits=whole",
    "data": "sha256=text csv=csv? sparse=truth label=whole columns=whole* left_out=whole* "
    "signs=sign{} rows=whole fill=real*? shift=real* divisor=real* norms=real*? centres=real**",
}
#: The fields of the primal and the dual points of the programs below.
FRACTIONS = "numbers=hexadecimal* over=positive"
POINTS = {
    "voted": (
        f"pairs=whole** {FRACTIONS}",
        "numbers=hexadecimal* rows=hexadecimal* over=positive scale=pair",
    ),
    "mixed": (
        f"{FRACTIONS} weights=hexadecimal* below=positive bias=pair",
        f"{FRACTIONS} norm=pair",
    ),
    "boosted": ("pairs=whole** numbers=hexadecimal*", "numbers=hexadecimal*"),
    "linear": (f"{FRACTIONS} bias=pair", f"{FRACTIONS} scale=pair"),
}


def holds(kind: str, value: Any) -> bool:
    """Whether a value has a kind of KINDS, or consists of such values."""
    if kind.endswith("?"):
        return value is None or holds(kind[:-1], value)
    if kind.endswith("{}"):
        return type(value) is dict and all(holds(kind[:-2], item) for item in value.values())
    if kind.endswith("*"):
        return type(value) is list and all(holds(kind[:-1], item) for item in value)
    return bool(KINDS[kind](value))


def check_fields(value: Any, fields: str, where: str) -> None:
    """Raise Invalid unless an object has these fields and no others, each of its kind."""
    kinds = dict(field.split("=") for field in fields.split())
    same = type(value) is dict and value.keys() == kinds.keys()
    need(same, f"{where}: expected {', '.join(kinds)}, and no more")
    for key, kind in kinds.items():
        plain = kind.rstrip("*{}")
        need(holds(kind, value[key]), f"{where}.{key}: not {plain}, or of too many digits")


def decoded(value: Any) -> Any:
    """Lists and objects with integers in place of hexadecimal digits."""
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return int(value, 16) if isinstance(value, str) else value


# --- words ------------------------------------------------------------------------------------


def short(texts: list[str]) -> str:
    """Texts in one line. Where they are many or long, the line ends with their number and hash."""
    line = ", ".join(texts)
    if len(texts) <= SHOWN and len(line) <= LINE:
        return line
    return f"{', '.join(texts[:SHOWN])[:LINE]} ... ({len(texts)} in all, {code(line)})"


def code(text: str) -> str:
    """The first digits of a hash."""
    return f"sha256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def listed(value: Any) -> str:
    """A value of the statement."""
    if type(value) is not list:
        return "none" if value is None else str(value)
    if len(value) > 1 and value == value[:1] * len(value):
        return f"{value[0]} each"
    return short([json.dumps(item) for item in value]) or "none"


def spans(numbers: list[int]) -> str:
    """Integers in their order, with neighbours as first-last."""
    groups = itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    runs = [[n for _, n in group] for _, group in groups]
    return short(["-".join(dict.fromkeys(map(str, (run[0], run[-1])))) for run in runs])


def outwards(low: F, high: F) -> tuple[float, float]:
    """Floats around an interval; it lies between their decimal texts too."""
    need(max(abs(low), abs(high)) < F(sys.float_info.max), "values beyond all floats")
    below, above = float(low), float(high)
    while max(F(below), F(repr(below))) > low:
        below = math.nextafter(below, -math.inf)
    while min(F(above), F(repr(above))) < high:
        above = math.nextafter(above, math.inf)
    return below, above


def upwards(gap: F) -> str:
    """Three digits that are at least a number."""
    context = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    return f"{context.divide(*map(decimal.Decimal, gap.as_integer_ratio())):.3g}"


def scaling(how: Any, points: list[list[float]]) -> str:
    """The steps from cells to points, and what the points are after them."""
    if how["norms"] is None and not any(how["shift"]) and set(how["divisor"]) == {1}:
        return "none"
    m, columns = len(points), list(zip(*points, strict=True))
    means = [math.fsum(v / m for v in column) for column in columns]
    pairs = zip(columns, means, strict=True)
    sizes = [math.hypot(*(v - mean for v in column)) / math.sqrt(m) for column, mean in pairs]
    norms = [math.hypot(*row) for row in points]
    parts = {"means": means, "deviations": sizes, "norms of rows": norms}
    after = (f"{key} {min(part):.6g} to {max(part):.6g}" for key, part in parts.items())
    over = f", rows over norms ({code(str(how['norms']))})" * (how["norms"] is not None)
    both = f"shift {listed(how['shift'])}, divisor {listed(how['divisor'])}"
    return f"{both}{over}, which makes {', '.join(after)}"


# --- data -------------------------------------------------------------------------------------


def read_points(raw: bytes, how: Any) -> tuple[list[list[float]], list[int], list[str]]:
    """every cell, shift, divisor, norm and setting is the binary float nearest to its text, and
    that float is the rational number meant; x = (cell - shift) / divisor is rounded to floats
    twice, and so is x / largest / norm where rows have norms"""
    own = hashlib.sha256(raw).hexdigest()
    need(own == how["sha256"], f"the data are not those of the proof: hash {own}")
    columns, shift, divisor, fill = (how[key] for key in ("columns", "shift", "divisor", "fill"))
    width, left_out, sparse = len(columns), set(how["left_out"]), how["sparse"]
    need(0 < width == len(set(columns)), "data.columns: none, or one twice")
    need(len(shift) == len(divisor) == width, "data: shift and divisor: expected one a column")
    need(fill is None or len(fill) == width, "data.fill: expected one a column")
    need(not (sparse and (how["label"] or how["csv"])), "data.label: of svmlight it is first")
    lines = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines_of_text = [number for number, line in enumerate(lines, 1) if line.strip()]
    points, signs, labels, cuts, gaps = list[list[float]](), list[int](), [], set[int](), 0
    for number in lines_of_text:
        if number in left_out:
            continue
        need(len(points) < how["rows"], "data.rows: not the rows of the data")
        line = lines[number - 1]
        # a line in cells: of CSV, or between blanks; svmlight names those that are not 0
        cells = next(csv.reader([line], **how["csv"])) if how["csv"] else line.split("#")[0].split()
        if sparse:
            entries = once([entry.split(":") for entry in cells[1:]])
            cuts.add(max([0, *map(int, entries)]))
            features = [entries.get(str(j), "0").strip() for j in columns]
        else:
            cuts.add(len(cells))
            features = [cells[j].strip() for j in columns]
        # cells as floats, gaps filled, then scaled
        row = []
        for j, cell in enumerate(features):
            gap = fill is not None and (cell.lower() in GAPS or cell == "None")
            need(gap or DECIMAL.fullmatch(cell) is not None, f"data: line {number}: no number")
            row.append(((fill[j] if gap else float(cell)) - shift[j]) / divisor[j])
            gaps += gap
        points.append(row)
        labels.append(cells[how["label"]].strip())
        signs.append(how["signs"][labels[-1]])
    need(sparse or len(cuts) == 1, "data: lines of different numbers of cells")
    if how["norms"] is not None:
        need(len(how["norms"]) == len(points), "data.norms: expected one a row")
        for row, norm in zip(points, how["norms"], strict=True):
            # by the largest entry first, lest squares overflow; a row of zeros has the norm 1
            peak = max(map(abs, row)) or 1.0
            row[:] = [value / peak for value in row]
            length = math.hypot(*row) or 1.0
            # it was summed in floats
            near = abs(norm - length) <= 2.0**-30 * length
            need(near, "data.norms: not those of the rows")
            row[:] = [value / norm for value in row]
    need(0 < len(points) == how["rows"], "data.rows: not the rows of the data")
    # what a reader compares with the file
    left = [number for number in lines_of_text if number in left_out]
    held = sorted(collections.Counter(zip(signs, labels, strict=True)).items(), reverse=True)
    sides = short([f"{json.dumps(label)} is {sign:+d} ({n})" for (sign, label), n in held])
    among = ", THE LABEL AMONG THEM" * (how["label"] in columns and not sparse)
    cut = "in svmlight" if sparse else "between blanks"
    if how["csv"]:
        cut = "between {delimiter!r}, quoted by {quotechar!r}".format(**how["csv"])
    words = [
        f"rows {len(points)} of {len(lines_of_text)} lines, left out: {spans(left) or 'none'}",
        f"label in column {how['label'] + 1}: {sides}",
        f"features in columns {spans([j + (not sparse) for j in columns])} of {max(cuts)} {cut}"
        f"{among}",
        f"scaling {scaling(how, points)}" + f", {gaps} gaps filled by {listed(fill)}" * (gaps > 0),
        f"centres beside the rows: {listed(how['centres'])}",
    ]
    points += how["centres"]
    need(all(len(row) == width for row in points), "data.centres: points of another length")
    need(all(map(math.isfinite, (v for row in points for v in row))), "data: beyond all floats")
    return points, signs, words


# --- kernels ----------------------------------------------------------------------------------


@functools.lru_cache(1 << 20)
def decay(n: int, shift: int, digits: int = 0) -> int:
    """floor(2^BITS exp(-n / 2^shift)) for n >= 0."""
    if n == 0:
        return 1 << BITS
    if n >= (BITS + 1) << shift:  # exp(-x) < 2^-BITS
        return 0
    if n << BITS < 1 << shift:  # 1 - 2^-BITS < exp(-x) < 1
        return (1 << BITS) - 1
    # quotient and exponential of decimals are correctly rounded: the value lies within low, high
    context = decimal.Context(prec=digits or BITS // 3 + 20)
    value = context.multiply(context.exp(context.divide(-n, 1 << shift)), 1 << BITS)
    doubt = context.scaleb(BITS + 9 << BITS, 1 - context.prec)
    low, high = int(context.subtract(value, doubt)), int(context.add(value, doubt))
    # both have one floor, or more digits tell them apart
    return low if low == high else decay(n, shift, 2 * context.prec)


def integers(rows: list[list[float]]) -> tuple[list[list[int]], int]:
    """Floats as integers over 2^e, and e."""
    e = max(F(v).denominator for row in rows for v in row).bit_length() - 1
    return [[int(F(v) * (1 << e)) for v in row] for row in rows], e


def allow(products: float, most: float) -> None:
    """Raise Unchecked for more than the allowed work, in products of short integers."""
    if products > most:
        raise Unchecked(
            f"the check takes about {upwards(F(products))} products, and {most:.3g} are allowed: "
            f"to allow them, add {upwards(F(products))} to the command"
        )


def times(a: int, b: int) -> float:
    """The work of a product of integers of a and b bits, in products of short ones."""
    return 1.0 + a * b / (1 << 17)


def given(statement: Any) -> list[str]:
    """What a statement takes from the proof, and not from the data."""
    how, data = statement["settings"], statement["data"]
    numbered = enumerate(statement["kernels"], 1)
    parts = {
        **{f"the values of kernel {k}": name in statement["values"] for k, name in numbered},
        "the tail sums t_k": how.get("tails"),
        "the penalties r_k": how.get("penalties"),
        "the rows of G f <= h": how.get("rows"),
        "the shift and divisor": any(data["shift"]) or set(data["divisor"]) != {1},
        "the norms, to 1e-9": data["norms"],
        "the fill of gaps": data["fill"],
        "the centres": data["centres"],
    }
    return [words for words, present in parts.items() if present]


class IntKernel:
    """One kernel: ``x``, its left arguments (m); ``z``, its right arguments, which are points,
    windows of series (gauss), or columns of given values; ``places``, the binary places of its
    values. ``rows`` are the points times 2^e."""

    def __init__(
        self, name: str, m: int, rows: list[list[int]], e: int, values: Any, most: float
    ) -> None:
        self.kind, *numbers = name.split(":")
        self.tabulated, self.degree, self.length, self.rate = values is not None, 1, 0, 0
        self.enclosed = int(self.kind in ("rbf", "laplace", "gauss"))
        if self.tabulated:
            need(self.kind in GIVEN_KERNELS, "values under the name of a kernel that has its own")
            need(len(values) == m and len(set(map(len, values))) == 1, "values: expected (m, c)")
            self.x, self.places = integers(values)
            self.z: Any = range(len(values[0]))
            self.name, self.size = f"given ({listed(values)})", 1 << 11
            return
        need(PARAMETERS.get(self.kind) == len(numbers), "kernels: one that is not checked")
        if self.kind == "poly":
            need(COUNT.fullmatch(numbers[0]) is not None, "kernels: a degree that is not a number")
            self.degree = int(numbers[0])
            need(self.degree <= DEGREE, f"kernels: a degree above {DEGREE}")
        self.one = 1 << 2 * e if self.kind == "poly" else 0
        if self.enclosed:
            # exp(-rate |x - z|^2), or of |x - z|_1: distances over 2^2e or 2^e, rates over below
            need(DECIMAL.fullmatch(numbers[0]) is not None, "kernels: a rate that is not a number")
            rate = float(numbers[0])
            need(0 < rate < math.inf, "kernels: a rate that is not above 0")
            self.rate, below = rate.as_integer_ratio()
            numbers[0] = str(rate)
            self.power = 1 if self.kind == "laplace" else 2
            self.shift = self.power * e + below.bit_length() - 1
        if self.kind == "gauss":
            need(COUNT.fullmatch(numbers[1]) is not None, "kernels: a length that is not a number")
            self.length = int(numbers[1])
            count = len(rows[0]) + 1 - self.length
            need(count > 0, "kernels: a window longer than the series")
            allow(float(m * len(rows) * count**2 * self.length), most)
        self.places = BITS if self.enclosed else 2 * e * self.degree
        most = 1 << 16  # binary places of any value
        need(self.places <= most, f"kernels: values of more than {most} binary places")
        self.x, self.features = rows[:m], len(rows[0])
        # the name with the numbers that count; bits of the arguments and of the values
        self.name = ":".join([self.kind, *numbers])
        self.bits = max(abs(v) for row in rows for v in row).bit_length()
        self.size = self.degree * (2 * self.bits + self.features.bit_length() + 1)
        self.size = BITS if self.enclosed else self.size
        self.z = [window for row in rows for window in self.windows(row)]

    def work(self) -> float:
        """The products of short integers that one value takes."""
        if self.tabulated:
            return 1.0
        one = self.features * times(self.bits, self.bits) + 10
        if self.enclosed:  # an exponential of a decimal takes as long as some 1,000 products
            return one * len(self.windows(self.x[0])) + 1000 if self.length else one + 1000
        return one + times(self.size, self.size)

    def windows(self, x: list[int]) -> list[list[int]]:
        """The pieces of a series with the kernel's length; a point is one piece."""
        length = self.length or len(x)
        return [x[i : i + length] for i in range(len(x) + 1 - length)]

    def __call__(self, x: list[int], z: Any) -> int:
        """The value n at x and z."""
        if self.tabulated:
            return int(x[z])
        if not self.enclosed:  # z'x, or (z'x + 1)^degree
            return int((sum(map(mul, x, z)) + self.one) ** self.degree)
        # the nearest window has the largest value
        windows = self.windows(x) if self.length else (x,)
        sizes = (sum(abs(gap) ** self.power for gap in map(sub, w, z)) for w in windows)
        return decay(min(sizes) * self.rate, self.shift)


# --- programs ---------------------------------------------------------------------------------


def within(x: list[F], p: F) -> bool:
    """Whether |x|_p <= 1 for x >= 0, with p = 0 for infinity; powers have errors below 1e-60."""
    if not 0 <= min(x) <= max(x) <= 1:
        return False
    if len(x) < 2 or not p:
        return True
    context = decimal.Context(prec=90)
    exponent = context.divide(*p.as_integer_ratio())
    # x from above in 400 binary places, so that long fractions become short ones
    ends = [-((-v.numerator << 400) // v.denominator) for v in x]
    powers = [F(context.power(context.divide(n, 1 << 400), exponent)) for n in ends]
    return sum(powers) + F(1, 10**60) <= 1


class Problem:
    """Points, signs y (m), settings and kernels of a statement, whose ``given`` must list every
    value that is not recomputed."""

    def __init__(self, raw: bytes, statement: Any, most: float) -> None:
        data, names, values = (statement[key] for key in ("data", "kernels", "values"))
        self.how, self.cells = statement["settings"], 100.0 * data["rows"] * len(data["columns"])
        allow(self.cells, most)
        points, self.y, self.words = read_points(raw, data)
        self.m = len(self.y)
        need(0 < len(set(names)) == len(names) <= KERNELS, f"kernels: 1 to {KERNELS}, all unlike")
        need(values.keys() <= {*names}, "values: of a kernel that is not there")
        rows, e = integers(points)
        self.kernels = [IntKernel(name, self.m, rows, e, values.get(name), most) for name in names]
        self.places = max(kernel.places for kernel in self.kernels)
        # the statement must list every value that is not recomputed
        need(statement["given"] == given(statement), "statement.given: not what is given")
        # windows belong to lpboost; values need not be positive semidefinite, as mixed asks for
        windows = {kernel.kind == "gauss" for kernel in self.kernels}
        need(windows == {"nu" in self.how}, "kernels: not those of the model")
        need(not values or "beta" in self.how, "values: not of this model")
        # what a reader compares with the program that is meant
        units = {"tails": "tails of unscaled kernels"}
        settings = ", ".join(f"{units.get(k, k)} {listed(value)}" for k, value in self.how.items())
        kernels = short([kernel.name for kernel in self.kernels])
        self.words = [f"settings {settings}", f"kernels {kernels}", *self.words]

    def work(self, values: Any, primal: Any, dual: Any) -> float:
        """The products of short integers that the data and the values of the points take, by their
        sizes."""
        m, pairs = self.m, len(primal.get("pairs", ()))
        columns = [len(kernel.z) for kernel in self.kernels]
        need(pairs <= sum(columns), "primal.pairs: more than there are columns")
        # bits of the numbers of the points; sums of fractions have divisors of as many bits
        bits = 4 * max(map(len, re.findall(r"0x[0-9a-f]*", json.dumps([primal, dual]))), default=0)
        constraints = len(self.how.get("rows") or ())
        total = self.cells + m * (8.0 * times(bits, bits) + constraints * times(bits, 1 << 11))
        if values is linear:
            kernel = self.kernels[0]
            return float(total + m * kernel.features * times(bits, kernel.bits))
        # every column at every row: once for edges, twice for the two points of mixed
        each = [kernel.work() + times(bits, kernel.size) for kernel in self.kernels]
        passes = 2 if values is mixed else 1
        total += passes * m * sum(map(mul, columns, each))
        return float(total + pairs * m * max(each))

    def scores(self, pairs: list[list[int]], alpha: list[int]) -> tuple[list[int], int]:
        """y_i sum_kj alpha_kj K_kj(x_i) 2^places (m), and a bound on the error of each."""
        total, doubt = [0] * self.m, 0
        for n, (k, j) in zip(alpha, pairs, strict=True):
            if n:
                kernel, scaled = self.kernels[k], n << self.places - self.kernels[k].places
                column = (kernel(x, kernel.z[j]) for x in kernel.x)
                total = [s + scaled * value for s, value in zip(total, column, strict=True)]
                doubt += abs(scaled) * kernel.enclosed
        return list(map(mul, total, self.y)), doubt

    def edge(self, d: list[int], kernel: IntKernel, *, signed: bool = False) -> F:
        """An upper bound on max_j |sum_i d_i y_i K(x_i, z_j)|; no absolute value if ``signed``."""
        used = [(n * y, x) for n, y, x in zip(d, self.y, kernel.x, strict=True) if n]
        sums = (sum(n * kernel(x, z) for n, x in used) for z in kernel.z)
        largest = max(sums if signed else map(abs, sums))
        return F(largest + kernel.enclosed * sum(map(abs, d)), 1 << kernel.places)

    def prices(self) -> list[tuple[F, F]]:
        """Lower and upper bounds on lam r_k + beta for every kernel."""
        how, r, lam = self.how["complexity"], self.how["penalties"], F(self.how["lam"])
        need((how == "given") == (r is not None) and lam >= 0, "settings: penalties, or lam")
        need(r is None or len(r) == len(self.kernels), "penalties: expected one a kernel")
        prices = []
        for k, kernel in enumerate(self.kernels):
            low = high = F(r[k]) if r else F(0)
            if how in ("trace", "poly"):
                need(not kernel.tabulated, "no penalties of given values by this rule")
                need(how in ("trace", kernel.kind), "no penalties of this kernel by this rule")
                # r_k^2: the largest K(z, z) times sum_i K(x_i, x_i) / m^2, or times itself and the
                # number of monomials
                own = [F(kernel(z, z), 1 << kernel.places) for z in kernel.z]
                monomials = math.comb(kernel.features + kernel.degree, kernel.degree)
                mean = sum(own[: self.m]) / self.m**2
                square = max(own) * (mean if how == "trace" else max(own) * monomials)
                low = high = F(math.isqrt(int(square * 4**BITS)), 1 << BITS)
                if low * low != square:
                    high += F(1, 1 << BITS)
            prices.append((lam * low + F(self.how["beta"]), lam * high + F(self.how["beta"])))
        return prices

    def expanded(self, point: Any, v: list[int], below: int, C: F, b: F) -> tuple[F, F, F]:
        """1'a, |f|^2 and sum_i max(0, 1 - y_i (f(x_i) + b)), f = sum_kj v_k a_j y_j K_k(., x_j)."""
        a, over, y = point["numbers"], point["over"], self.y
        balanced = sum(map(mul, a, y)) == 0 if self.how["bias"] else b == 0
        need(balanced, "a is not balanced, or b is not 0 without a bias")
        need(len(a) == self.m and 0 <= min(a) <= max(a) <= C * over, "a is not in its box")
        pairs = [[k, j] for k, n in enumerate(v) if n for j in range(self.m)]
        scores, doubt = self.scores(pairs, [v[k] * a[j] * y[j] for k, j in pairs])
        # scores over one, the bias over its denominator: losses over both, in integers
        one, (up, under) = over * below << self.places, b.as_integer_ratio()
        margins = ((s - doubt) * under + sign * up * one for s, sign in zip(scores, y, strict=True))
        losses = F(sum(max(0, one * under - margin) for margin in margins), one * under)
        square = F(sum(map(mul, a, scores)) + doubt * sum(a), over * one)
        return F(sum(a), over), square, losses


def voted(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """min over alpha with G f <= h of (1/m) sum_i max(0, 1 - y_i f(x_i)) + sum_kj p_k |alpha_kj|,
    f(x) = sum_kj alpha_kj K_k(x, z_j), p_k = lam r_k + beta, rows: of G for f(x_1), ..., f(x_m)
    and last of h; at least 1'd - h'u for d in [0, 1/m]^m, u >= 0 with, for all k and j,
    |sum_i (y_i d_i - (G'u)_i) K_k(x_i, z_j)| <= p_k"""
    # the objective of alpha: losses of the margins from below, prices from above
    prices, alpha, pairs = problem.prices(), primal["numbers"], primal["pairs"]
    (scores, doubt), one = problem.scores(pairs, alpha), primal["over"] << problem.places
    losses = F(sum(max(0, one - score + doubt) for score in scores), one * problem.m)
    norm = sum((prices[k][1] * abs(n) for n, (k, _) in zip(alpha, pairs, strict=True)), F(0))
    # the boxes of d and u
    d, u, below, scale = dual["numbers"], dual["rows"], dual["over"], F(*dual["scale"])
    shapes = (problem.m, len(problem.how["rows"]))
    need((len(d), len(u)) == shapes, f"d and u have {len(d)} and {len(u)} values, not {shapes}")
    need(min([*d, *u]) >= 0, "d or u is below 0")
    need(max(d) * problem.m <= below, "a dual value d_i is above 1/m")
    need(0 < scale <= 1, "the scale of the dual point is not in (0, 1]")
    # G f <= h at alpha; left: d_i - y_i (G'u)_i, and gain 1'd - h'u
    left, gain = list(map(F, d)), F(sum(d))
    for n, (*g, h) in zip(u, problem.how["rows"], strict=True):
        g = [F(c) * y for c, y in zip(g, problem.y, strict=True)]
        need(sum(map(mul, g, scores)) + doubt * sum(map(abs, g)) <= F(h) * one, "G f is beyond h")
        left, gain = [v - n * c for v, c in zip(left, g, strict=True)], gain - n * F(h)
    # every column's constraint, with left as integers over unit
    unit = max(v.denominator for v in left)
    for (low, _), kernel in zip(prices, problem.kernels, strict=True):
        edge = problem.edge([int(v * unit) for v in left], kernel)
        need(edge * scale <= low * below * unit, f"d is not feasible at a {kernel.kind} kernel")
    return losses + F(norm, primal["over"]), scale * gain / below


def mixed(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """unit times min over w, b, v >= 0 with |(t_k v_k)_k|_p <= T of 1/2 sum_k |w_k|^2 / v_k + C
    sum_i max(0, 1 - y_i (sum_k <w_k, phi_k(x_i)> + b)), <phi_k(x), phi_k(z)> = K_k(x, z), t_k the
    trace sum_i K_k(x_i, x_i) or given; at least unit times 1'a - T/2 |(q_k / t_k)_k|_(p/(p-1)) for
    a in [0, C]^m, y'a = 0 if there is a bias b, q_k = sum_ij a_i a_j y_i y_j K_k(x_i, x_j); unit 1,
    if lam is given 2 lam and C = 1/(unit m); without T one kernel, t = T = 1: v = 1, the machine"""
    how, kernels = problem.how, problem.kernels
    unit = 2 * F(how["lam"]) if "lam" in how else F(1)
    need(unit > 0, "settings.lam: expected a number above 0")
    C = 1 / unit / problem.m if "lam" in how else F(how["C"])
    T, p = F(how.get("budget", 1)), F(how.get("norm", 1))
    v, below, b, norm = primal["weights"], primal["below"], F(*primal["bias"]), F(*dual["norm"])
    # t: traces, or as given, or 1 for the one kernel of a machine
    t = [F(value) for value in how.get("tails") or ()]
    if "budget" not in how:
        t = [F(1)]
    elif how["tails"] is None:
        t = [F(sum(kernel(x, x) for x in kernel.x), 1 << kernel.places) for kernel in kernels]
    need(len(t) == len(v) == len(kernels), "weights or tails: expected one a kernel")
    # v in its ball
    need(T > 0 and min(v) >= 0 and 1 <= p < 10**20, "weights, budget or norm is out of its range")
    need(within([n * size / below / T for n, size in zip(v, t, strict=True)], p), "v: its ball")
    # |q / t| in the dual norm is at most norm
    parts = [
        problem.expanded(dual, [int(j == k) for j in range(len(t))], 1, C, b) for k in range(len(t))
    ]
    need(norm >= 0, "norm is below 0")
    slopes = [q and q / size / norm for (_, q, _), size in zip(parts, t, strict=True)]
    need(within(slopes, p / (p - 1) if p > 1 else F(0)), "norm is less than that of the slopes")
    # the objective of the point, and 1'a - T norm / 2
    _, square, losses = problem.expanded(primal, v, below, C, b)
    return unit * (square / 2 + C * losses), unit * (parts[0][0] - T * norm / 2)


def boosted(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """max over w >= 0, 1'w = 1, rho of rho - sum_i max(0, rho - y_i g(x_i)) / (nu m), where g is
    sum_kj w_kj h_kj and h_kj(x) is +-radius max over windows of K_k(., z_j) (or + alone); at most
    max_kj sum_i d_i y_i h_kj(x_i) for d >= 0, 1'd = 1, d <= 1/(nu m)"""
    how, w, d = problem.how, primal["numbers"], dual["numbers"]
    nu, radius, signed = F(how["nu"]), F(how["radius"]), how["signed"]
    need(nu > 0 and radius > 0, "nu or radius is not above 0")
    # the boxes of w and d, whose sums are taken as 1
    cap = min(F(1), 1 / (nu * problem.m))
    need(any(w) and (signed or min(w) >= 0), "w is not in its box")
    need(sum(d) > 0 and min(d) >= 0 and max(d) <= cap * sum(d), "d is not in its box")
    # the best rho: the mean of the least scores, each with a share of at most cap
    scores, doubt = problem.scores(primal["pairs"], w)
    value, left = F(0), F(1)
    for score in sorted(scores):
        value, left = value + min(cap, left) * (score - doubt), left - min(cap, left)
    # the largest edge of all columns
    most = max(problem.edge(d, kernel, signed=not signed) for kernel in problem.kernels)
    return radius * value / (sum(map(abs, w)) << problem.places), radius * most / sum(d)


def linear(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """min over w, b of (1/m) sum_i max(0, 1 - y_i (w'x_i + b)) + beta sum_j |w_j|, b = 0 without a
    bias; at least 1'd for d in [0, 1/m]^m, y'd = 0 if there is a bias, and, for all features j,
    |sum_i y_i d_i x_ij| <= beta"""
    (kernel,), how, y, m = problem.kernels, problem.how, problem.y, problem.m
    w, b, beta, e = primal["numbers"], F(*primal["bias"]), F(how["beta"]), kernel.places // 2
    need(kernel.kind == "linear", "kernels: expected linear, whose arguments are the features")
    need(len(w) == kernel.features and beta > 0, "w or beta: one a feature, above 0")
    # the objective of w and b: features are integers over 2^e
    one = primal["over"] << e
    margins = (s * (F(sum(map(mul, w, x)), one) + b) for s, x in zip(y, kernel.x, strict=True))
    losses = sum((max(F(0), 1 - margin) for margin in margins), F(0))
    # the box and the balance of d, then every feature's edge
    d, below, scale = dual["numbers"], dual["over"], F(*dual["scale"])
    need(len(d) == m and min(d) >= 0 and max(d) * m <= below and 0 < scale <= 1, "d: its box")
    signed = list(map(mul, d, y))
    need((sum(signed) if how["bias"] else b) == 0, "d is not balanced, or b is not 0 without bias")
    edge = max(abs(sum(map(mul, signed, column))) for column in zip(*kernel.x, strict=True))
    need(edge * scale <= (beta * below) * (1 << e), "d is not feasible at a feature")
    return losses / m + beta * F(sum(map(abs, w)), primal["over"]), scale * F(sum(d), below)


#: By model: the function that computes the values of its points, and the settings that it uses.
VOTED = voted, "lam=real beta=real complexity=rule penalties=real*? rows=real**"
CHECKS = {
    "vkr": VOTED,
    "l1svm": VOTED,
    "svm": (mixed, "C=real bias=truth"),
    "simsvm": (mixed, "lam=real bias=truth"),
    "mkl": (mixed, "C=real norm=real budget=real tails=real*? bias=truth"),
    "l1linear": (linear, "beta=real bias=truth"),
    "lpboost": (boosted, "nu=real radius=real signed=truth"),
}


# --- the verdict ------------------------------------------------------------------------------


def check(proof: Any, raw: bytes, most: float = WORK) -> str:
    """The statement that a proof and the bytes of its data prove.

    Raises Invalid if they prove none, and Unchecked for more work than ``most``.
    """
    # the version and the seal
    need(type(proof) is dict and proof.get("radprog_proof") == VERSION, f"version: not {VERSION}")
    seal = proof.pop("seal", None)
    text = json.dumps(proof, sort_keys=True, separators=(",", ":")).encode()
    need(hashlib.sha256(text).hexdigest() == seal, "the proof was edited: its seal")
    # every field, before anything is computed
    check_fields(proof, FIELDS["proof"], "proof")
    statement, model = proof["statement"], proof["model"]
    need(model in CHECKS, f"proof.model: expected one of {', '.join(CHECKS)}")
    values, settings = CHECKS[model]
    check_fields(statement, FIELDS["statement"], "statement")
    check_fields(statement["data"], FIELDS["data"], "data")
    check_fields(statement["settings"], settings, "settings")
    for part, fields in zip(("primal", "dual"), POINTS[values.__name__], strict=True):
        check_fields(proof[part], fields, part)
    need(statement["bits"] == BITS, f"statement.bits: expected {BITS}")
    # the words of the statement are those of this file
    for key, function in (("program", values), ("numbers", read_points)):
        words = str(function.__doc__).split()
        need(statement[key].split() == words, f"statement.{key}: other words than are checked")
    # the values of the points equal the claims
    problem = Problem(raw, statement, most)
    allow(problem.work(values, proof["primal"], proof["dual"]), most)
    ends = values(problem, decoded(proof["primal"]), decoded(proof["dual"]))
    gap = abs(ends[0] - ends[1])
    for claim, end in zip(("objective", "bound", "gap"), (*ends, gap), strict=True):
        up, under = decoded(proof[claim])
        same = up * end.denominator == under * end.numerator
        need(same, f"the {claim} is not that of the points")
    low, high = outwards(*sorted(ends))
    line = f"{model}, {problem.m} points: the optimum is {low} to {high}, gap {upwards(gap)}"
    taken = [f"given: {', '.join(statement['given'])}"] if statement["given"] else []
    return "; ".join([line, *problem.words, *taken])


def check_sizes(raw: bytes) -> None:
    """Raise Invalid for a JSON text with so many lists or items that they take much memory."""
    lists, items = raw.count(b"[") + raw.count(b"{"), raw.count(b",") + raw.count(b":")
    fits = len(raw) <= PROOF_BYTES and lists <= LISTS and items <= ITEMS
    need(fits, f"a proof of more than {PROOF_BYTES} bytes, {LISTS} lists or {ITEMS} items")


def once(pairs: list[Any]) -> dict[str, Any]:
    """A JSON object; repeated keys are invalid, because readers differ in the one that counts."""
    need(len(dict(pairs)) == len(pairs), "a key comes twice")
    return dict(pairs)


def content(path: str, most: int) -> bytes:
    """The bytes of a file, up to a limit."""
    with open(path, "rb") as stream:
        raw = stream.read(most + 1)
    need(len(raw) <= most, f"a file of more than {most} bytes")
    return raw


def main(arguments: list[str]) -> int:
    """Print the verdict; returns 0 if valid, 1 if invalid, 2 if there is no verdict."""
    try:
        path, table, *work = arguments
        proof, raw = content(path, PROOF_BYTES), content(table, DATA_BYTES)
        if proof.startswith(b"VER "):
            raise Unchecked("a certificate in VIPR: viprchk checks it")
        check_sizes(proof)
        loaded = json.loads(proof, object_pairs_hook=once)
        line, code = f"VALID: {check(loaded, raw, *map(float, work))}", 0
    except (OSError, Unchecked) as error:  # no verdict
        sys.stderr.write(f"proof_checker: error: {error}\n")
        return 2
    except Invalid as error:
        line, code = f"INVALID: {error}", 1
    except Exception as error:  # errors of Python from a damaged proof
        line, code = f"INVALID: not of the form of a proof ({type(error).__name__})", 1
    sys.stdout.write(f"{line}\n")
    return code


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or not all(map(DECIMAL.fullmatch, sys.argv[3:])):
        sys.stderr.write(f"{USAGE}\n")
        sys.exit(2)
    sys.exit(main(sys.argv[1:]))
