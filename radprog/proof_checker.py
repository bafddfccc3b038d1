"""Checks a proof of ``radprog prove`` from the data alone:  python proof_checker.py PROOF DATA

Its points are taken, not what they are worth: that is computed here, in integers. A kernel value is
n / 2^places, or in [n, n + 1] / 2^places where it is none (roots, exponentials)."""

# fmt: off
import csv
import hashlib
import json
import math
import sys
from fractions import Fraction
from operator import mul, sub
from pathlib import Path
from typing import Any

Rows = list[list[int]]
LONGEST, GAPS = 1 << 24, ("", "?", "na", "nan")  # hexadecimal digits of an integer; no number

def need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
def decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    need(len(str(value)) <= LONGEST, f"an integer of {len(str(value))} digits; {LONGEST} are read")
    return int(value, 16) if isinstance(value, str) and "0x" in value else value
def rows_of(raw: bytes, how: Any) -> tuple[list[list[float]], list[int]]:
    """Points and signs of the data file, as the statement reads it."""
    need(hashlib.sha256(raw).hexdigest() == how["sha256"], "the data are others: their hash")
    lines = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    points, signs, scales = list[list[float]](), [], (how["shift"], how["divisor"])
    for number, line in enumerate(lines, 1):
        if number in how["left_out"] or not line.strip():
            continue
        cut = next(csv.reader([line], **how["csv"])) if how["csv"] else line.split("#")[0].split()
        known = dict(entry.split(":") for entry in cut[1:]) if how["sparse"] else {}
        cells = [known.get(str(j), "0") if how["sparse"] else cut[j] for j in how["columns"]]
        full = (how["fill"][j] if c.strip().lower() in GAPS else c for j, c in enumerate(cells))
        points.append([(float(v) - s) / by for v, s, by in zip(full, *scales, strict=True)])
        signs.append(how["signs"][cut[how["label"]].strip()])
    for row, norm in zip(points, how["norms"] or (), strict=bool(how["norms"])):
        row[:] = [value / peak / norm for peak in [max(map(abs, row)) or 1.0] for value in row]
    need(len(points) == how["rows"] and set(signs) <= {-1, 1}, "not the rows and signs stated")
    return points + how["centres"], signs

def decay(n: int, shift: int, bits: int) -> int:
    """floor(2^bits exp(-n / 2^shift)): the argument halved, a series, the result squared."""
    width = bits + 64
    while n:
        t = (n << width) >> shift
        if t >> width > bits:
            return 0
        halvings, k, term, total = (t >> width).bit_length() + 8, 0, 1 << width, 1 << width
        while term:  # of exp(-r), r = t / 2^(width + halvings) < 2^-8: terms alternate and fall
            k += 1
            term = (term * t >> width + halvings) // k
            total += -term if k % 2 else term
        for _ in range(halvings):
            total = total * total >> width
        error = 2 * k + 4 << halvings  # 2 k + 2 of series and argument; e -> 2 e + 1 by a squaring
        low, high = (total - error) >> width - bits, (total + error) >> width - bits
        if low == high:
            return low
        width += 64
    return 1 << bits
def root(q: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Neighbours n / 2^bits of the root of q; twice the root where it is such a number."""
    low = Fraction(math.isqrt(math.floor(q * 4**bits)), 1 << bits)
    return low, low + Fraction(low * low != q, 1 << bits)

class Kernel:
    """K(x, z) of points in integers / 2^e; with a length max K of the windows of a series x."""
    def __init__(self, name: str, e: int, bits: int, x: Rows, z: Rows) -> None:
        self.kind, number, length = (*name.split(":"), "0", "0")[:3]
        self.e, self.bits, self.length, self.x = e, bits, int(length), x
        self.wide = int(self.kind in ("rbf", "laplace", "gauss"))
        self.rate, below = Fraction(float(number)).as_integer_ratio()
        self.shift = (e if self.kind == "laplace" else 2 * e) + below.bit_length() - 1
        self.places = bits if self.wide else 2 * e * (self.rate or 1)
        need(self.wide > 0 or (self.kind in ("linear", "poly") and below == 1), f"kernel {name}")
        self.z = [w for series in x for w in self.windows(series)] if self.length else z
    def windows(self, x: list[int]) -> Rows:
        return [x[i : i + n] for n in [self.length or len(x)] for i in range(len(x) + 1 - n)]
    def __call__(self, x: list[int], z: list[int]) -> int:
        if not self.wide:
            base = sum(map(mul, x, z))
            return base if self.kind == "linear" else int((base + (1 << 2 * self.e)) ** self.rate)
        power = 1 if self.kind == "laplace" else 2
        sizes = (sum(abs(gap) ** power for gap in map(sub, w, z)) for w in self.windows(x))
        return decay(min(sizes) * self.rate, self.shift, self.bits)
class Problem:
    def __init__(self, raw: bytes, statement: Any) -> None:
        points, self.y = rows_of(raw, statement["data"])
        ratios = [[value.as_integer_ratio() for value in row] for row in points]
        e = max(below.bit_length() - 1 for row in ratios for _, below in row)
        z = [[above * ((1 << e) // below) for above, below in row] for row in ratios]
        self.bits, self.m, self.how = statement["bits"], len(self.y), statement["settings"]
        self.kernels = [Kernel(name, e, self.bits, z[: self.m], z) for name in statement["kernels"]]
        self.places = max(kernel.places for kernel in self.kernels)
    def scores(self, pairs: Rows, alpha: list[int]) -> tuple[list[int], int]:
        """y_i sum_kj alpha_kj K_k(x_i, z_j) 2^places, and how far up or down each may be."""
        total, doubt = [0] * self.m, 0
        for n, (k, j) in (item for item in zip(alpha, pairs, strict=True) if item[0]):
            kernel, n = self.kernels[k], n << self.places - self.kernels[k].places
            total = [s + n * kernel(x, kernel.z[j]) for s, x in zip(total, kernel.x, strict=True)]
            doubt += abs(n) * kernel.wide
        return list(map(mul, total, self.y)), doubt
    def edge(self, d: list[int], k: int, *, signed: bool = False) -> Fraction:
        """At least |sum_i d_i y_i K_k(x_i, z_j)|, or signed that sum, for every j."""
        kernel = self.kernels[k]
        used = [(n * y, x) for n, y, x in zip(d, self.y, kernel.x, strict=True) if n]
        sums = (sum(n * kernel(x, z) for n, x in used) for z in kernel.z)
        most = max(sums if signed else map(abs, sums)) + kernel.wide * sum(d)
        return Fraction(most, 1 << kernel.places)
    def prices(self) -> list[list[Fraction]]:
        """lam r_k + beta, from below and from above."""
        how, given, found = self.how["complexity"], self.how["penalties"], list[list[Fraction]]()
        lam, beta = Fraction(self.how["lam"]), Fraction(self.how["beta"])
        for k, kernel in enumerate(self.kernels):
            own = [Fraction(kernel(z, z), 1 << kernel.places) for z in kernel.z]
            many = math.comb(len(kernel.z[0]) + kernel.rate, kernel.rate) if how == "poly" else 0
            trace = sum(own[: self.m], Fraction(0)) / self.m**2
            q = max(own) * {"trace": trace, "poly": max(own) * many}.get(how, Fraction(0))
            ends = (Fraction(given[k]),) * 2 if how == "given" else root(q, self.bits)
            found.append([lam * end + beta for end in ends])
        need(min(found)[0] > 0, "a price that is not positive")
        return found

def voted(problem: Problem, primal: Any, dual: Any) -> tuple[Fraction, Fraction]:
    """min over alpha of (1/m) sum_i max(0, 1 - y_i sum_kj alpha_kj K_k(x_i, z_j)) + sum_kj p_k
    |alpha_kj|, p_k = lam r_k + beta; at least 1'd for d in [0, 1/m]^m with, for all k and j,
    |sum_i d_i y_i K_k(x_i, z_j)| <= p_k"""
    prices, alpha, pairs = problem.prices(), primal["numbers"], primal["pairs"]
    (scores, doubt), one = problem.scores(pairs, alpha), primal["over"] << problem.places
    losses = Fraction(sum(max(0, one - score + doubt) for score in scores), one * problem.m)
    norm = sum(prices[k][1] * abs(n) for n, (k, _) in zip(alpha, pairs, strict=True))
    d, below, scale = dual["numbers"], dual["over"], Fraction(*dual["scale"])
    inside = min(d) >= 0 and max(d) * problem.m <= below and 0 < scale <= 1 and one > 0
    need(inside, "d is not in its box, or a denominator not positive")
    for k, (low, _) in enumerate(prices):
        need(problem.edge(d, k) * scale <= low * below, f"d is not feasible at kernel {k}")
    return losses + norm / primal["over"], scale * sum(d) / below

def machine(problem: Problem, primal: Any, dual: Any) -> tuple[Fraction, Fraction]:
    """unit times min over w, b of 1/2 |w|^2 + C sum_i max(0, 1 - y_i (<w, phi(x_i)> + b)), where
    w = sum_i a_i y_i phi(x_i), <phi(x), phi(z)> = K(x, z); at least unit times 1'a - 1/2 |w|^2,
    a in [0, C]^m, y'a = 0 if there is a bias b; unit 1, or if lam is given 2 lam, C = 1/(unit m)"""
    how, y, m, a, over = problem.how, problem.y, problem.m, dual["numbers"], dual["over"]
    unit = 2 * Fraction(how["lam"]) if "lam" in how else Fraction(1)
    C, b = Fraction(how["C"]) if "C" in how else 1 / unit / m, Fraction(*primal["bias"])
    balanced = sum(map(mul, a, y)) == 0 if how["bias"] else b == 0
    need(balanced and over > 0 and min(a) >= 0 and max(a) <= C * over, "a is not in its box")
    scores, doubt = problem.scores([[0, i] for i in range(m)], list(map(mul, a, y)))
    one = over << problem.places
    half = Fraction(sum(map(mul, a, scores)) + doubt * sum(a), 2 * over * one)
    margins = (Fraction(s - doubt, one) + sign * b for s, sign in zip(scores, y, strict=True))
    losses = sum(1 - margin for margin in margins if margin < 1)
    return unit * (half + C * losses), unit * (Fraction(sum(a), over) - half)

def boosted(problem: Problem, primal: Any, dual: Any) -> tuple[Fraction, Fraction]:
    """max over w >= 0, 1'w = 1, rho of rho - sum_i max(0, rho - y_i g(x_i)) / (nu m), where g is
    sum_kj w_kj h_kj and h_kj(x) is +-radius max over windows of K_k(., z_j) (or + alone); at most
    max_kj sum_i d_i y_i h_kj(x_i) for d >= 0, 1'd = 1, d <= 1/(nu m)"""
    w, d, signed = primal["numbers"], dual["numbers"], problem.how["signed"]
    cap = min(Fraction(1), 1 / (Fraction(problem.how["nu"]) * problem.m))
    inside = sum(d) > 0 and min(d) >= 0 and max(d) <= cap * sum(d) and any(w)
    need(inside and (signed or min(w) >= 0), "d or w is not in its box")
    scores, doubt = problem.scores(primal["pairs"], w)
    value, left, radius = Fraction(0), Fraction(1), Fraction(problem.how["radius"])
    for score in sorted(scores):
        value, left = value + min(cap, left) * (score - doubt), left - min(cap, left)
    most = max(problem.edge(d, k, signed=not signed) for k in range(len(problem.kernels)))
    return radius * value / (sum(map(abs, w)) << problem.places), radius * most / sum(d)
CHECKS = {"vkr": voted, "l1svm": voted, "svm": machine, "simsvm": machine, "lpboost": boosted}
def check(proof: Any, raw: bytes) -> str:
    need(proof["radprog_proof"] == 1, f"a proof of version {proof['radprog_proof']}, expected 1")
    seal, statement, model = proof.pop("seal"), proof["statement"], proof["model"]
    text = json.dumps(proof, sort_keys=True, separators=(",", ":")).encode()
    need(hashlib.sha256(text).hexdigest() == seal, "the proof was edited: its seal")
    need(statement["program"].split() == str(CHECKS[model].__doc__).split(), "another program")
    problem, claims = Problem(raw, proof.pop("statement")), decoded(proof)
    ends = CHECKS[model](problem, claims["primal"], claims["dual"])
    (low, high), gap = sorted(map(float, ends)), abs(ends[0] - ends[1])
    for claim, end in zip(("objective", "bound", "gap"), (*ends, gap), strict=True):
        need(Fraction(*claims[claim]) == end, f"the {claim} is not that of the points")
    return f"{model}, {problem.m} points: the optimum is {low} to {high}, gap {float(gap):.3g}"
def main(arguments: list[str]) -> int:
    try:
        proof, data = (Path(path).read_bytes() for path in arguments)
        line = f"VALID: {check(json.loads(proof), data)}"
    except Exception as error:  # a check that failed, or what a damaged proof makes Python say
        line = f"INVALID: {error if type(error) is ValueError else repr(error)}"
    sys.stdout.write(" ".join(line.split()) + "\n")
    return 0 if line.startswith("VALID") else 1

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
