"""Forged proof files: the statement changed, the points repaired, claims and seal recomputed.

A forger may prove another program than the one that is meant, but the line VALID must tell them
apart. The judge reads the data by code of its own, and keeps one program for each line without its
interval: two programs under one line are a deceit. Run: ``forgeries.py --count 2000 --seed 0``.
"""

import copy
import functools
import json
import random
import re
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from planted import claim, sealed, verdict
from script_options import read_options

import radprog as rp
from radprog import proof_checker

Json = dict[str, Any]
LINE = re.compile(r"VALID: (.*), (\d+) points: the optimum is (\S+) to (\S+), gap (\S+); (.*)")


def scaled(proof: Json, rng: random.Random) -> None:
    """Another number in the settings."""
    how = proof["statement"]["settings"]
    key = rng.choice([k for k, v in how.items() if isinstance(v, float | int | bool)])
    how[key] = (
        not how[key] if isinstance(how[key], bool) else how[key] * rng.choice([0.5, 1.1, 2, 0])
    )


def rule(proof: Json, rng: random.Random) -> None:
    """Penalties, tail sums or rows that are given."""
    how, count = proof["statement"]["settings"], len(proof["statement"]["kernels"])
    if "penalties" in how:
        how["complexity"] = rng.choice(["given", "none", "trace", "poly"])
        how["penalties"] = [rng.random()] * count if how["complexity"] == "given" else None
    elif "tails" in how:
        how["tails"] = [rng.uniform(0.1, 9)] * count
    if "rows" in how and rng.random() < 0.3:
        how["rows"] = [[0.0] * proof["statement"]["data"]["rows"] + [rng.random()]]
        proof["dual"]["rows"] = ["0x0"]


def kernel(proof: Json, rng: random.Random) -> None:
    """Another kernel, or the same one in other digits."""
    names = proof["statement"]["kernels"]
    k = rng.randrange(len(names))
    kind, *numbers = names[k].split(":")
    if kind in ("rbf", "laplace", "gauss"):
        numbers[0] = rng.choice([numbers[0] + "0", f"+{numbers[0]}", "0.25", "1e-3"])
        kind = kind if kind == "gauss" else rng.choice(["rbf", "laplace"])
    elif kind == "poly":
        numbers[0] = str(rng.randint(1, 4))
    names[k] = ":".join([kind, *numbers])


def values(proof: Json, rng: random.Random) -> None:
    """Values in place of a kernel, under a name that says something."""
    statement = proof["statement"]
    m, k = statement["data"]["rows"], rng.randrange(len(statement["kernels"]))
    name = rng.choice(["file", "own", "gram"]) + rng.choice(
        ["", ":rbf:1; given: nothing", ":a.npy"]
    )
    statement["kernels"][k] = name
    wide = m + len(statement["data"]["centres"])
    statement["values"][name] = [[float(rng.randint(-2, 2))] * wide for _ in range(m)]
    how = statement["settings"]
    if how.get("complexity") in ("trace", "poly"):
        how.update(complexity="given", penalties=[0.1] * len(statement["kernels"]))


def scale(proof: Json, rng: random.Random) -> None:
    """Another shift, divisor, fill or norm of a feature."""
    how = proof["statement"]["data"]
    parts = [key for key in ("shift", "divisor", "fill", "norms") if how[key] is not None]
    key = rng.choice(parts)
    j = rng.randrange(len(how[key]))
    how[key][j] *= 1 + 2.0**-40 if key == "norms" else rng.choice([2.0**-14, 2.0, 1 + 2.0**-50])
    how[key][j] += (key != "norms" and how[key][j] == 0) * rng.random()


def columns(proof: Json, rng: random.Random) -> None:
    """Features in another order, fewer, or the label among them."""
    how = proof["statement"]["data"]
    order = list(range(len(how["columns"])))
    kind = rng.randrange(3)
    if kind == 0:
        rng.shuffle(order)
    elif kind == 1 and len(order) > 1:
        order.pop(rng.randrange(len(order)))
    for key in ("columns", "shift", "divisor", "fill"):
        if how[key] is not None:
            how[key] = [how[key][j] for j in order]
    if kind == 2:
        how["columns"].append(how["label"])
        how["shift"].append(0.0)
        how["divisor"].append(rng.choice([1.0, 0.5]))
        if how["fill"] is not None:
            how["fill"].append(0.0)


def rows(proof: Json, rng: random.Random) -> None:
    """Rows left out, with their multipliers."""
    how = proof["statement"]["data"]
    for _ in range(rng.randint(1, 3)):
        line = rng.randint(1, how["rows"] + 1)
        if line not in how["left_out"] and how["rows"] > 3:
            how["left_out"].append(line)
            how["rows"] -= 1
            for part in ("primal", "dual"):
                own = proof[part]["numbers"]
                if "pairs" not in proof[part] and len(own) > how["rows"]:
                    own.pop(min(line, len(own)) - 1)
            if how["norms"] is not None:
                how["norms"].pop(min(line, len(how["norms"])) - 1)
    if rng.random() < 0.2:
        how["left_out"] += [10**6, 0]


def labels(proof: Json, rng: random.Random) -> None:
    """Labels turned, one turned, words added that no row has, or another column of labels."""
    how = proof["statement"]["data"]
    signs, kind = how["signs"], rng.randrange(4)
    if kind == 0:
        how["signs"] = {text: -sign for text, sign in signs.items()}
    elif kind == 1:
        signs[rng.choice(list(signs))] *= -1
    elif kind == 2:
        signs["; given: nothing\nVALID: svm"] = 1
    else:
        how["label"] = how["columns"][0]
        how["signs"] = {text: rng.choice([1, -1]) for text in cells_of(proof, how["label"])}


def cells_of(proof: Json, j: int) -> list[str]:
    """The cells of a column of the data."""
    return [line[j].strip() for line in cut(proof) if j < len(line)]


def centres(proof: Json, rng: random.Random) -> None:
    """Points that are in no data."""
    how = proof["statement"]["data"]
    how["centres"].append([rng.choice([0.0, 1.0, rng.uniform(-9, 9)]) for _ in how["columns"]])


def reading(proof: Json, rng: random.Random) -> None:
    """Another way to cut lines."""
    how = proof["statement"]["data"]
    if how["csv"] is None or rng.random() < 0.2:
        how["sparse"] = not how["sparse"]
    elif rng.random() < 0.7:
        how["csv"]["quotechar"] = "'"
    else:
        how["csv"]["delimiter"] = rng.choice([",", ";", "\t"])


FORGERIES = [scaled, rule, kernel, values, scale, columns, rows, labels, centres, reading]


def cut(proof: Json) -> list[list[str]]:
    """The lines of the data in cells, but those left out: plain splits."""
    how, lines = proof["statement"]["data"], proof["raw"].decode().splitlines()
    kept = [line for n, line in enumerate(lines, 1) if n not in how["left_out"] and line.strip()]
    return [line.split(how["csv"]["delimiter"] if how["csv"] else None) for line in kept]


def program(proof: Json) -> str:
    """What a proof is about: model, settings, kernels, points and signs, all in floats."""
    statement, how = proof["statement"], proof["statement"]["data"]
    points, signs = [], []
    for cells in cut(proof):
        entries = dict(cell.split(":") for cell in cells[1:]) if how["sparse"] else {}
        row = []
        for at, j in enumerate(how["columns"]):
            text = entries.get(str(j), "0") if how["sparse"] else cells[j].strip()
            gap = how["fill"] is not None and text in ("", "?", "NA")
            value = how["fill"][at] if gap else float(text)
            row.append((value - how["shift"][at]) / how["divisor"][at])
        points.append(row)
        signs.append(how["signs"][cells[how["label"]].strip(" '\"") if how["csv"] else cells[0]]
                     if cells[how["label"]].strip() not in how["signs"]
                     else how["signs"][cells[how["label"]].strip()])  # fmt: skip
    kernels: list[Any] = []
    for name in statement["kernels"]:
        kind, *numbers = name.split(":")
        given = statement["values"].get(name)
        kernels.append([kind, *map(float, numbers)] if given is None else given)
    settings = {k: float(v) if isinstance(v, int) else v for k, v in statement["settings"].items()}
    parts = [proof["model"], settings, kernels, points, how["centres"], signs, how["norms"]]
    return json.dumps(parts, sort_keys=True).replace("-0.0", "0.0")


@functools.cache
def honest() -> list[tuple[str, bytes]]:
    """Proofs of every model, of tables and of files with headers, gaps, words and svmlight."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(12, 3)), 3)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=12) > 0, 1, -1)
    specs: list[Any] = [
        rp.VKR(kernels="poly:1,rbf:1", lam=0.05, beta=0.05),
        rp.L1SVM(kernels="poly:2", beta=0.05),
        rp.L1Linear(beta=0.05),
        rp.SVM(kernels="linear", C=0.5),
        rp.SimSVM(kernels="poly:2", lam=0.1),
        rp.MKL(kernels="linear,poly:2", theta=0, C=0.5),
        rp.LPBoost(length="3", nu=0.3),
    ]
    made = []
    for number, spec in enumerate(specs):
        series = isinstance(spec, rp.LPBoost)
        data: Any = rp.series(np.round(rng.normal(size=(6, 5)), 2), [1, -1] * 3) if series else (
            rp.dataset(X, y, scale=["none", "standard", "unit", "ball"][number % 4])
        )  # fmt: skip
        proof = rp.prove(rp.fit(spec, data), data)
        made.append((proof.to_json(), proof.data or b""))
    with tempfile.TemporaryDirectory() as folder:
        words, svmlight = Path(folder) / "words.csv", Path(folder) / "rows.svm"
        texts = [["" if i == j else str(v) for j, v in enumerate(row)] for i, row in enumerate(X)]
        names = np.where(y > 0, "good", "bad")
        lines = [";".join([*row, name]) for row, name in zip(texts, names, strict=True)]
        words.write_text("\n".join(["a;b;c;kind", *lines, ""]))
        sparse = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(row)) for row in X]
        pairs = zip(y, sparse, strict=True)
        svmlight.write_text("".join(f"{sign} {line}\n" for sign, line in pairs))
        for path, missing in ((words, "mean"), (svmlight, "error")):
            read = rp.read(str(path), scale="standard", missing=missing)
            proof = rp.prove(rp.fit(specs[0], read), read, path)
            made.append((proof.to_json(), path.read_bytes()))
    return made


def repaired(proof: Json) -> Any:
    """The verdict after the forger has made dual points feasible and has recomputed the claims."""
    raw, statement = proof["raw"], proof["statement"]
    values, _ = proof_checker.CHECKS[proof["model"]]
    statement["given"] = proof_checker.given(statement)
    zeros = ["0x0"] * statement["data"]["rows"]
    duals = [
        proof["dual"],
        *({**proof["dual"], "numbers": n} for n in (zeros, ["0x1"] * len(zeros))),
    ]
    for dual in duals:
        try:
            problem = proof_checker.Problem(raw, statement, 1e9)
            points = map(proof_checker.decoded, (proof["primal"], dual))
            ends = values(problem, *points)
        except Exception:  # the next repair
            continue
        forged = {key: value for key, value in proof.items() if key != "raw"}
        forged["dual"] = dual
        claim(forged, objective=ends[0], bound=ends[1])
        line = verdict(sealed(forged), raw)
        if line.startswith("VALID"):
            found = LINE.fullmatch(line)
            assert found is not None, line
            low, high = found.group(3, 4)
            assert max(Fraction(low), Fraction(float(low))) <= min(ends), line
            assert min(Fraction(high), Fraction(float(high))) >= max(ends), line
        return line
    return "INVALID: no repair"


def attack(count: int, seed: int) -> tuple[int, list[str]]:
    """How many forgeries are valid proofs of something, and those whose line deceives."""
    rng, valid, deceits = random.Random(seed), 0, []
    meant: dict[str, str] = {}
    for number in range(count + len(honest())):
        text, raw = honest()[number % len(honest())]
        proof = json.loads(text) | {"raw": raw}
        kinds = [] if number < len(honest()) else rng.sample(FORGERIES, rng.choice([1, 1, 2, 3]))
        for kind in kinds:
            try:
                kind(proof, rng)
            except (IndexError, KeyError):  # a change that this proof has no place for
                continue
        line = repaired(copy.deepcopy(proof))
        if not line.startswith("VALID"):
            assert kinds, line
            continue
        valid += bool(kinds)
        found = LINE.fullmatch(line)
        if found is None or not line.isascii() or not line.isprintable() or len(line) > 4000:
            deceits.append(f"not one line: {line!r}")
            continue
        key, about = f"{found[1]} {found[2]} {found[6]}", program(proof)
        if meant.setdefault(key, about) != about:
            deceits.append(f"{[kind.__name__ for kind in kinds]}: {line}")
    return valid, deceits


if __name__ == "__main__":
    options = read_options(__doc__, count=2000)
    valid, deceits = attack(options.count, options.seed)
    print(*deceits[:20], sep="\n")
    print(f"{options.count} forgeries: {valid} valid proofs of something, {len(deceits)} deceits")
    sys.exit(bool(deceits))
