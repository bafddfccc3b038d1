"""Proofs with one error each, sealed anew, so that no seal gives them away."""

import copy
import hashlib
import json
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import radprog as rp
from radprog import proof_checker
from radprog.base.types import FloatArray, IntArray

PLACES = ("dual", "primal", "objective", "bound", "gap", "hash", "row", "setting", "scale")


def sealed(proof: dict[str, Any]) -> dict[str, Any]:
    """The proof with a seal that holds."""
    content = {key: value for key, value in proof.items() if key != "seal"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return {**content, "seal": hashlib.sha256(text.encode()).hexdigest()}


def verdict(proof: dict[str, Any], data: bytes) -> str:
    """What the checker says of a proof, without files."""
    try:
        return "VALID: " + proof_checker.check(json.loads(json.dumps(proof)), data)
    except Exception as error:
        return f"INVALID: {error}"


def number(value: Fraction | int) -> list[str]:
    value = Fraction(value)
    return [hex(value.numerator), hex(value.denominator)]


def value_of(pair: list[str]) -> Fraction:
    return Fraction(int(pair[0], 16), int(pair[1], 16))


def claim(proof: dict[str, Any], **ends: Fraction) -> None:
    """Objective or bound as the forger has them, and the gap between them."""
    for name, value in ends.items():
        proof[name] = number(value)
    proof["gap"] = number(abs(value_of(proof["objective"]) - value_of(proof["bound"])))


def other_digit(text: str, rng: random.Random, digits: str = "0123456789abcdef") -> str:
    """One digit of a number, never a leading zero, replaced by another."""
    start = text.index("x") + 1 if "x" in text else 0
    places = [i for i in range(start, len(text)) if text[i] in digits]
    i = rng.choice(places)
    return text[:i] + rng.choice([c for c in digits if c not in (text[i], "0")]) + text[i + 1 :]


def planted(
    proof: dict[str, Any], data: bytes, place: str, rng: random.Random
) -> tuple[dict[str, Any], bytes]:
    """Proof and data with one digit of one place changed."""
    proof = copy.deepcopy(proof)
    # a number of a point that is not 0
    if place in ("dual", "primal"):
        numbers = proof[place]["numbers"]
        i = rng.choice([i for i, text in enumerate(numbers) if int(text, 16)])
        numbers[i] = other_digit(numbers[i], rng)
    elif place in ("weights", "norm"):
        numbers = proof["primal"]["weights"] if place == "weights" else proof["dual"]["norm"][:1]
        i = rng.choice([i for i, text in enumerate(numbers) if int(text, 16)])
        numbers[i] = other_digit(numbers[i], rng)
        if place == "norm":
            proof["dual"]["norm"][0] = numbers[0]
    # a claim
    elif place in ("objective", "bound", "gap"):
        proof[place][0] = other_digit(proof[place][0], rng)
    # the data that the proof names
    elif place == "hash":
        how = proof["statement"]["data"]
        how["sha256"] = other_digit(how["sha256"], rng)
    # a price, by 2^-20 of its value
    elif place == "setting":
        settings = proof["statement"]["settings"]
        name = next(key for key in ("beta", "C", "nu", "lam") if key in settings)
        settings[name] *= 1.0 + rng.choice([-1, 1]) * 2.0**-20
    # the divisor of a feature, by 2^-30 of its value
    elif place == "scale":
        how = proof["statement"]["data"]
        how["divisor"][rng.randrange(len(how["divisor"]))] *= 1.0 + 2.0**-30
    else:  # a feature of a row that has a price, and the hash of the data with it
        lines = data.decode().split("\n")
        how = proof["statement"]["data"]
        rows = [n for n, line in enumerate(lines) if line.strip() and n + 1 not in how["left_out"]]
        priced = [i for i, text in enumerate(proof["dual"]["numbers"]) if int(text, 16)]
        n = rows[rng.choice(priced)]
        cells = lines[n].split(",")
        j = rng.choice([j for j in how["columns"] if re.search("[1-9]", cells[j])])
        first = re.search("[1-9]", cells[j])
        assert first is not None
        digit = rng.choice([c for c in "123456789" if c != first[0]])
        cells[j] = cells[j][: first.start()] + digit + cells[j][first.end() :]
        lines[n] = ",".join(cells)
        data = "\n".join(lines).encode()
        how["sha256"] = hashlib.sha256(data).hexdigest()
    return sealed(proof), data


def refused_everywhere(proofs: Sequence[rp.Proof], place: str, times: int) -> None:
    """An error of that place, planted in the proofs by turns, is refused every time."""
    rng = random.Random(place)
    for k in range(times):
        proof = proofs[k % len(proofs)]
        content, data = planted(dict(proof.content), proof.data or b"", place, rng)
        assert verdict(content, data).startswith("INVALID"), (place, k)


def noisy(
    rng: np.random.Generator, m: int, d: int, low: int, high: int
) -> tuple[FloatArray, IntArray]:
    """Features of sizes 10^low to 10^(high - 1), and noisy signs of the first."""
    X = rng.normal(size=(m, d)) * 10.0 ** rng.integers(low, high, size=d)
    y = np.where(X[:, 0] / np.abs(X[:, 0]).max() + 0.4 * rng.normal(size=m) > 0, 1, -1)
    y[:2] = 1, -1
    return X, y
