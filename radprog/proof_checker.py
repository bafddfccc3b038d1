"""Checks a proof of ``radprog prove`` from the data alone:  python proof_checker.py PROOF DATA"""
import csv, decimal, functools, hashlib, json, math, pathlib, sys  # noqa: E401, I001
from fractions import Fraction as F
from operator import mul, sub
from typing import Any
LONGEST, GAPS = 1 << 24, ("", "?", "na", "nan")  # hexadecimal digits of an integer; no number
def need(holds: bool, otherwise: str) -> None:  # what does not hold is a ValueError
    if not holds: raise ValueError(otherwise)  # noqa: E701
def decoded(value: Any) -> Any:  # integers, of hexadecimal digits where they are texts, in lists
    if isinstance(value, list):
        return [decoded(item) for item in value]
    need(isinstance(value, str | int) and len(str(value)) <= LONGEST, "no integer of 2^24 digits")
    return int(value, 16) if isinstance(value, str) else value
def rows_of(raw: bytes, how: Any) -> tuple[list[list[float]], list[int]]:
    """every cell, shift, divisor, norm and setting is the binary float nearest to its text, and
    that float is the rational number meant; x = (cell - shift) / divisor is rounded to floats
    twice, and so is x / largest / norm where rows have norms"""
    own, want = hashlib.sha256(raw).hexdigest(), how["sha256"]
    need(own == want, f"the data are not those of the proof: hash {own}, expected {want}")
    lines = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    points, signs, scales = list[list[float]](), [], (how["shift"], how["divisor"])
    for line in (a for n, a in enumerate(lines, 1) if n not in how["left_out"] and a.strip()):
        cut = next(csv.reader([line], **how["csv"])) if how["csv"] else line.split("#")[0].split()
        known = dict(entry.split(":") for entry in cut[1:]) if how["sparse"] else {}
        cells = [known.get(str(j), "0") if how["sparse"] else cut[j] for j in how["columns"]]
        need("".join(cells).isascii() and "_" not in "".join(cells), f"no numbers: {line}")
        full = (how["fill"][j] if c.strip().lower() in GAPS else c for j, c in enumerate(cells))
        points.append([(float(v) - s) / by for v, s, by in zip(full, *scales, strict=True)])
        signs.append(how["signs"][cut[how["label"]].strip()])
    for row, norm in zip(points, how["norms"] or (), strict=bool(how["norms"])):
        row[:] = [value / peak / norm for peak in [max(map(abs, row)) or 1.0] for value in row]
    need(len(points) == how["rows"] and set(signs) <= {-1, 1}, "not the rows and signs stated")
    return points + how["centres"], signs
@functools.lru_cache(1 << 20)
def decay(n: int, shift: int, bits: int, digits: int = 0) -> int:  # floor(2^bits e^(-n / 2^shift))
    if not 0 < n < bits + 1 << shift:
        return 0 if n else 1 << bits
    c = decimal.Context(prec=digits or bits // 3 + 20)
    value = c.multiply(c.exp(c.divide(-n, 1 << shift)), 1 << bits)
    low, high = (int(f(value, c.scaleb(bits + 9 << bits, 1 - c.prec))) for f in (c.subtract, c.add))
    return low if low == high else decay(n, shift, bits, 2 * c.prec)
def within(x: list[F], p: F) -> bool:  # |x|_p <= 1 for x >= 0, p = 0 for infinity
    c, power = decimal.Context(prec=90), p.as_integer_ratio()
    powers = [c.power(c.divide(*v.as_integer_ratio()), c.divide(*power)) for v in x if p]
    return 0 <= min(x) <= max(x) <= 1 and (len(x) < 2 or sum(map(F, powers)) + F(1, 10**60) <= 1)
class Kernel:  # n, or in [n, n + 1], / 2^places, of points or windows; raw: of points as products
    def __init__(self, name: str, m: int, bits: int, points: Any, raw: bool) -> None:
        self.kind, number, length = (*("linear" if raw else name).split(":"), "0", "0")[:3]
        e = max(v.as_integer_ratio()[1] for row in points for v in row).bit_length() - 1
        z = [[int(F(v) * (1 << e)) for v, _ in zip(row, points[0], strict=True)] for row in points]
        self.e, self.bits, self.length, self.x, self.raw = e, bits, int(length), z[:m], raw
        self.wide = int(self.kind in ("rbf", "laplace", "gauss"))
        self.rate, below = F(float(number)).as_integer_ratio()
        self.shift = (e if self.kind == "laplace" else 2 * e) + below.bit_length() - 1
        self.places = bits if self.wide else 2 * e * (self.rate or 1)
        known = self.wide and self.rate > 0 and (self.kind == "gauss") == (self.length > 0)
        need(raw or known or name in ("linear", f"poly:{self.rate or 1}"), f"no kernel: {name}")
        z = [w for series in z for w in self.windows(series)] if self.length else z
        self.z = [[(i == j) << e for i in range(len(z[0]))] for j in range(len(z[0]))] if raw else z
    def windows(self, x: list[int]) -> list[list[int]]:  # all of its length, of a series
        return [x[i : i + n] for n in [self.length or len(x)] for i in range(len(x) + 1 - n)]
    def __call__(self, x: list[int], z: list[int]) -> int:
        if not self.wide:
            return int((sum(map(mul, x, z)) + ((self.rate > 0) << 2 * self.e)) ** (self.rate or 1))
        power = 1 if self.kind == "laplace" else 2
        sizes = (sum(abs(gap) ** power for gap in map(sub, w, z)) for w in self.windows(x))
        return decay(min(sizes) * self.rate, self.shift, self.bits)
class Problem:  # points, signs (m), settings and kernels of a statement, which says what is given
    def __init__(self, raw: bytes, statement: Any) -> None:
        points, self.y = rows_of(raw, statement["data"])
        self.bits, self.m, self.how = statement["bits"], len(self.y), statement["settings"]
        how, values = self.how, statement["values"]
        named = ((name, values.get(name)) for name in statement["kernels"])
        self.kernels = [Kernel(k, self.m, self.bits, v or points, bool(v)) for k, v in named]
        kinds = {(k.kind == "gauss", not k.raw or "beta" in how) for k in self.kernels}
        some = (("tails", "the tail"), ("penalties", "the penalties r_k"), ("rows", "the rows"))
        told = [*map("the values of {}".format, values), *(t for key, t in some if how.get(key))]
        stated = [text[: len(own)] for text, own in zip(statement["given"], told, strict=True)]
        need(stated == told and kinds == {("nu" in how, True)}, "other kernels, or more is given")
        self.places = max(kernel.places for kernel in self.kernels)
    def scores(self, pairs: list[list[int]], alpha: list[int]) -> tuple[list[int], int]:
        total, doubt = [0] * self.m, 0
        for n, (k, j) in (item for item in zip(alpha, pairs, strict=True) if item[0]):
            kernel, n = self.kernels[k], n << self.places - self.kernels[k].places
            total = [s + n * kernel(x, kernel.z[j]) for s, x in zip(total, kernel.x, strict=True)]
            doubt += abs(n) * kernel.wide
        return list(map(mul, total, self.y)), doubt  # y_i sum_kj alpha_kj K_kj(x_i) 2^places, +-
    def edge(self, d: list[int], kernel: Kernel, *, signed: bool = False) -> F:  # >= |A_kj' d|
        used = [(n * y, x) for n, y, x in zip(d, self.y, kernel.x, strict=True) if n]
        sums, doubt = (sum(n * kernel(x, z) for n, x in used) for z in kernel.z), sum(map(abs, d))
        return F(max(sums if signed else map(abs, sums)) + kernel.wide * doubt, 1 << kernel.places)
    def prices(self) -> Any:  # lam r_k + beta, from below and from above
        how, given = self.how["complexity"], self.how["penalties"]
        need((how == "given") == bool(given) and self.how["lam"] >= 0, "penalties or lam")
        for k, kernel in enumerate(self.kernels):
            own = [F(kernel(z, z), 1 << kernel.places) for z in kernel.z]
            many = math.comb(len(kernel.z[0]) + kernel.rate, kernel.rate) if how == "poly" else 0
            trace, peak = sum(own[: self.m], F(0)) / self.m**2, max(own)
            q = peak * {"given": F(0), "none": F(0), "trace": trace, "poly": peak * many}[how]
            ruled = given or how == "none" or (not kernel.raw and how in ("trace", kernel.kind))
            need(ruled, f"no penalties of given values, and of {kernel.kind} none by {how}")
            low = F(given[k]) if given else F(math.isqrt(int(q * 4**self.bits)), 1 << self.bits)
            ends = low, low + F(not given and low * low != q, 1 << self.bits)
            yield [F(self.how["lam"]) * end + F(self.how["beta"]) for end in ends]
    def expanded(self, point: Any, v: list[int], below: int, C: F, b: F) -> tuple[F, F, F]:
        """1'a, |f|^2 and sum_i max(0, 1 - y_i (f(x_i) + b)), f = sum_kj v_k a_j y_j K_k(., x_j)."""
        a, over, y = point["numbers"], point["over"], self.y
        need((sum(map(mul, a, y)) if self.how["bias"] else b) == 0, "a is not balanced, or b is")
        need(len(a) == len(y) and 0 <= min(a) <= max(a) <= C * over and over > 0 < below, "a: box")
        pairs = [[k, j] for k, n in enumerate(v) if n for j in range(self.m)]
        scores, doubt = self.scores(pairs, [v[k] * a[j] * y[j] for k, j in pairs])
        one = over * below << self.places
        margins = (F(s - doubt, one) + n * b for s, n in zip(scores, y, strict=True))
        square = F(sum(map(mul, a, scores)) + doubt * sum(a), over * one)
        return F(sum(a), over), square, sum((1 - s for s in margins if s < 1), F(0))
def voted(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """min over alpha with G f <= h of (1/m) sum_i max(0, 1 - y_i f(x_i)) + sum_kj p_k |alpha_kj|,
    f(x) = sum_kj alpha_kj K_k(x, z_j), p_k = lam r_k + beta, rows: of G for f(x_1), ..., f(x_m)
    and last of h; at least 1'd - h'u for d in [0, 1/m]^m, u >= 0 with, for all k and j,
    |sum_i (y_i d_i - (G'u)_i) K_k(x_i, z_j)| <= p_k"""
    prices, alpha, pairs = list(problem.prices()), primal["numbers"], primal["pairs"]
    (scores, doubt), one = problem.scores(pairs, alpha), primal["over"] << problem.places
    losses = F(sum(max(0, one - score + doubt) for score in scores), one * problem.m)
    norm = sum(prices[k][1] * abs(n) for n, (k, _) in zip(alpha, pairs, strict=True))
    d, u, below, scale = dual["numbers"], dual["rows"], dual["over"], F(*dual["scale"])
    need(min([*d, *u]) >= 0 < scale <= 1 <= one and max(d) * problem.m <= below, "d or u: its box")
    left, gain = list(map(F, d)), F(sum(d))  # left: d_i - y_i (G'u)_i
    for n, (*g, h) in zip(u, problem.how["rows"], strict=True):
        g = [F(c) * y for c, y in zip(g, problem.y, strict=True)]
        need(sum(map(mul, g, scores)) + doubt * sum(map(abs, g)) <= F(h) * one, "G f is beyond h")
        left, gain = [v - n * c for v, c in zip(left, g, strict=True)], gain - n * F(h)
    unit = max(v.denominator for v in left)
    for (low, _), kernel in zip(prices, problem.kernels, strict=True):
        edge = problem.edge([int(v * unit) for v in left], kernel)
        need(edge * scale <= low * below * unit, f"d is not feasible at {kernel.kind}")
    return losses + F(norm, primal["over"]), scale * gain / below
def mixed(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """unit times min over w, b, v >= 0 with |(t_k v_k)_k|_p <= T of 1/2 sum_k |w_k|^2 / v_k + C
    sum_i max(0, 1 - y_i (sum_k <w_k, phi_k(x_i)> + b)), <phi_k(x), phi_k(z)> = K_k(x, z), t_k the
    trace sum_i K_k(x_i, x_i) or given; at least unit times 1'a - T/2 |(q_k / t_k)_k|_(p/(p-1)) for
    a in [0, C]^m, y'a = 0 if there is a bias b, q_k = sum_ij a_i a_j y_i y_j K_k(x_i, x_j); unit 1,
    if lam is given 2 lam and C = 1/(unit m); without T one kernel, t = T = 1: v = 1, the machine"""
    how, unit = problem.how, 2 * F(problem.how.get("lam", 0.5))
    C = 1 / unit / problem.m if "lam" in how else F(how["C"])
    T, p = F(how.get("budget", 1)), F(how.get("norm", 1))
    v, below, b, norm = primal["weights"], primal["below"], F(*primal["bias"]), F(*dual["norm"])
    own = [F(sum(k(x, x) for x in k.x), 1 << k.places) for k in problem.kernels]
    t, some = [*map(F, how.get("tails") or own)] if "budget" in how else [F(1)], range(len(own))
    need(min(v) >= 0 < T and within([t[k] * v[k] / below / T for k in some], p), "v: its ball")
    parts = [problem.expanded(dual, [int(j == k) for j in some], 1, C, b) for k in some]
    slopes = [q and q / t[k] / norm for k, (_, q, _) in enumerate(parts)]
    need(norm >= 0 and 1 <= p < 10**20 and within(slopes, p / (p - 1) if p > 1 else F(0)), "norm")
    _, square, losses = problem.expanded(primal, v, below, C, b)
    return unit * (square / 2 + C * losses), unit * (parts[0][0] - T * norm / 2)
def boosted(problem: Problem, primal: Any, dual: Any) -> tuple[F, F]:
    """max over w >= 0, 1'w = 1, rho of rho - sum_i max(0, rho - y_i g(x_i)) / (nu m), where g is
    sum_kj w_kj h_kj and h_kj(x) is +-radius max over windows of K_k(., z_j) (or + alone); at most
    max_kj sum_i d_i y_i h_kj(x_i) for d >= 0, 1'd = 1, d <= 1/(nu m)"""
    w, d, signed = primal["numbers"], dual["numbers"], problem.how["signed"]
    cap = min(F(1), 1 / (F(problem.how["nu"]) * problem.m))
    inside = sum(d) > 0 and min(d) >= 0 and max(d) <= cap * sum(d) and any(w)
    value, left, radius = F(0), F(1), F(problem.how["radius"])
    need(inside and (signed or min(w) >= 0) and radius > 0, "d, w or radius is not in its box")
    scores, doubt = problem.scores(primal["pairs"], w)
    for score in sorted(scores):
        value, left = value + min(cap, left) * (score - doubt), left - min(cap, left)
    most = max(problem.edge(d, kernel, signed=not signed) for kernel in problem.kernels)
    return radius * value / (sum(map(abs, w)) << problem.places), radius * most / sum(d)
VOTED, MIXED = (voted, "lam beta complexity penalties rows"), (mixed, "C norm budget tails bias")
CHECKS = {"vkr": VOTED, "l1svm": VOTED, "svm": (mixed, "C bias"), "simsvm": (mixed, "lam bias"),
          "mkl": MIXED, "lpboost": (boosted, "nu radius signed")}  # and their settings, all used
def check(proof: Any, raw: bytes) -> str:  # what is proved, in words, from the bytes of the data
    need(proof.get("radprog_proof") == 2, f"version {proof.get('radprog_proof')}, expected 2")
    seal, statement, (values, used) = proof.pop("seal"), proof["statement"], CHECKS[proof["model"]]
    text = json.dumps(proof, sort_keys=True, separators=(",", ":")).encode()
    need(hashlib.sha256(text).hexdigest() == seal, "the proof was edited: its seal")
    sizes, keys = [len(part) for part in (proof, statement, statement["data"])], used.split()
    need(sizes == [8, 8, 13] and {*keys} == {*statement["settings"]}, "other than what is checked")
    words = [str(said.__doc__).split() for said in (values, rows_of)]
    need([statement[key].split() for key in ("program", "numbers")] == words, "another program")
    work = Problem(raw, statement)
    ends = values(work, *({k: decoded(v) for k, v in proof[p].items()} for p in ("primal", "dual")))
    (low, high), gap = sorted(map(float, ends)), abs(ends[0] - ends[1])
    for claim, end in zip(("objective", "bound", "gap"), (*ends, gap), strict=True):
        need(F(*decoded(proof[claim])) == end, f"the {claim} is not that of the points")
    line = f"{work.m} points: the optimum is {low} to {high}, gap {float(gap):.3g}"
    return "; given: ".join([f"{proof['model']}, {line}", *statement["given"]])
def once(pairs: Any) -> Any:  # a JSON object in which no key comes twice
    return dict(pairs) if len(dict(pairs)) == len(pairs) else need(False, f"twice in {pairs[:9]}")
def main(arguments: list[str]) -> int:  # 0 valid, 1 invalid, 2 where a file cannot be read
    try:
        proof, data = (pathlib.Path(path).read_bytes() for path in arguments)
        line = f"VALID: {check(json.loads(proof, object_pairs_hook=once, parse_constant=F), data)}"
    except OSError as error:  # there is nothing to check
        return sys.stderr.write(f"proof_checker: error: {error}\n") and 2
    except Exception as error:  # a check that failed, or what a damaged proof makes Python say
        line = f"INVALID: {error if type(error) is ValueError else repr(error)}"
    return sys.stdout.write(ascii(line)[1:-1] + "\n") and int(line.startswith("INVALID"))
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) == 3 else sys.stderr.write(f"{__doc__}\n") and 2)
