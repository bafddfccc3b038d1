"""Proofs of vkr and l1svm under rows G f <= h: kept exactly, and priced in the bound."""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from effort import seeds
from planted import claim, noisy, sealed, value_of, verdict

import radprog as rp

pytest.importorskip("flint")
Json = dict[str, Any]


def drawn(seed: int) -> tuple[rp.VKR | rp.L1SVM, Any, list[Any]]:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(12, 40))
    X, y = noisy(rng, m, 3, -2, 3)
    data = rp.dataset(X, y, scale=("ball", "standard", "unit")[seed % 3])
    rows = [rp.positive_rate(0.45), rp.parity((np.arange(m) % 3 > 0).astype(int), 0.01)]
    if seed % 2:
        rows = [rp.monotone([(2, 3)], 0.1), rp.scores(np.eye(m)[4], 0.2)]
    if seed % 4 > 1:
        return rp.VKR(kernels="poly:1,rbf:1", complexity="trace", lam=0.01, beta=0.01), data, rows
    return rp.L1SVM(kernels=("poly:2", "rbf:0.5")[seed % 5 % 2], beta=0.005), data, rows


def proof_of(seed: int) -> tuple[rp.Proof, rp.Run]:
    spec, data, rows = drawn(seed)
    run = rp.fit(spec, data, constraints=rows, tol=1e-9)
    return rp.prove(run, data), run


@pytest.mark.parametrize("seed", seeds(40, 6))
def test_a_constrained_result_is_proved(seed: int) -> None:
    proof, run = proof_of(seed)
    told = verdict(dict(proof.content), proof.data or b"")
    assert told.startswith("VALID")
    assert "; given: " in told
    assert "the rows of G f <= h" in told.split("; given: ")[1]
    assert proof.bound <= proof.objective
    assert Fraction(run.bound) <= proof.objective
    assert proof.gap <= Fraction(1e-8)
    if proof.vertex and proof.content["statement"]["kernels"] == ["poly:2"]:
        assert proof.gap == 0


@pytest.fixture(scope="module")
def proved() -> tuple[str, bytes]:
    proof, _ = proof_of(0)
    assert proof.vertex
    assert any(int(text, 16) for text in proof.content["dual"]["rows"])
    return proof.to_json(), proof.data or b""


def set_rows(change: Callable[[list[list[float]]], Any]) -> Callable[[Json], Any]:
    return lambda proof: change(proof["statement"]["settings"]["rows"])


def priced(proof: Json, factor: int) -> None:
    """The price of a row that has one, times a factor, and the claims that this would make."""
    dual, settings = proof["dual"], proof["statement"]["settings"]
    r = next(r for r, text in enumerate(dual["rows"]) if int(text, 16))
    n = int(dual["rows"][r], 16)
    dual["rows"][r] = hex(factor * n)
    side, scale = Fraction(settings["rows"][r][-1]), value_of(dual["scale"])
    less = scale * (factor - 1) * n * side / int(dual["over"], 16)
    claim(proof, bound=value_of(proof["bound"]) - less)


def loose(proof: Json) -> int:
    return next(r for r, text in enumerate(proof["dual"]["rows"]) if not int(text, 16))


def tighter(proof: Json) -> None:
    """A row without a price, so that no claim changes, to a side that no score keeps."""
    proof["statement"]["settings"]["rows"][loose(proof)][-1] = -64.0


def without(proof: Json) -> None:
    proof["statement"]["settings"]["rows"].clear()
    proof["dual"]["rows"].clear()


FORGED: dict[str, Callable[[Json], Any]] = {
    "no price": lambda proof: priced(proof, 0),
    "twice the price": lambda proof: priced(proof, 2),
    "a price below 0": lambda proof: priced(proof, -1),
    "another side": lambda proof: tighter(proof),
    "another coefficient": set_rows(lambda rows: rows[0].__setitem__(3, 8.0)),
    "a row less": set_rows(lambda rows: rows.pop()),
    "a side less": set_rows(lambda rows: rows[0].pop()),
    "a column more": set_rows(lambda rows: rows[0].insert(0, 0.0)),
    "no rows": without,
    "rows not told": lambda proof: proof["statement"].update(given=[]),
    "no setting": lambda proof: proof["statement"]["settings"].pop("rows"),
    "no number": set_rows(lambda rows: rows[0].__setitem__(0, None)),
}


@pytest.mark.parametrize("how", FORGED)
def test_what_is_forged_is_refused(how: str, proved: tuple[str, bytes]) -> None:
    text, raw = proved
    assert verdict(json.loads(text), raw).startswith("VALID")
    proof = json.loads(text)
    FORGED[how](proof)
    said = verdict(sealed(proof), raw)
    assert said.startswith("INVALID"), how
    assert "that of the points" not in said
