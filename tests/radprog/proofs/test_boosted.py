"""Proofs of lpboost with its exact pricers: accepted by the checker, or refused when edited."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from effort import seeds
from planted import refused_everywhere, verdict

import radprog as rp

pytest.importorskip("flint")


def drawn(seed: int) -> tuple[rp.LPBoost, rp.Bags]:
    rng = np.random.default_rng(seed)
    m, L = int(rng.integers(6, 16)), int(rng.integers(5, 14))
    X, y = rng.normal(size=(m, L)), np.where(np.arange(m) % 2, 1, -1)
    X[y > 0, 1:3] += rng.uniform(0.5, 2.5)
    learner = ("shapelet", "shapelet-plus")[seed % 2]
    nu = float(rng.choice([0.1, 0.25, 0.4, 1.0]))
    length = ("3", "2,4", "0.5")[seed % 3]
    return rp.LPBoost(learner=learner, nu=nu, length=length, radius=2.0), rp.series(X, y)


@pytest.mark.parametrize("seed", seeds(60, 12))
def test_a_certified_run_is_proved(seed: int) -> None:
    spec, data = drawn(seed)
    run = rp.fit(spec, data)
    assert run.certified
    proof = rp.prove(run, data)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: lpboost")
    assert proof.objective <= proof.bound
    assert Fraction(run.bound) >= proof.objective  # an upper bound, never below the exact optimum
    assert proof.gap <= Fraction(1e-6) * max(abs(proof.bound), Fraction(1e-3))
    assert not proof.vertex or proof.gap < 2.0**-80


@pytest.mark.parametrize("place", ["dual", "primal", "objective", "bound", "gap", "hash", "row"])
def test_a_planted_error_is_refused(place: str) -> None:
    spec, data = drawn(2)
    refused_everywhere([rp.prove(rp.fit(spec, data), data)], place, 6)


def test_a_file_of_series(radprog, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, data = drawn(0)
    rows = zip(data.signs.tolist(), data.X.tolist(), strict=True)
    lines = ["\t".join(map(repr, (int(y), *row))) for y, row in rows]
    Path("series.tsv").write_text("\n".join(lines) + "\n")
    options = ("--length", 3, "--json", "run.json", "--quiet")
    assert radprog("solve", "lpboost", "series.tsv", *options).code == 0
    assert radprog("prove", "run.json", "series.tsv", "-o", "proof.json").code == 0
    proof = json.loads(Path("proof.json").read_text())
    assert verdict(proof, Path("series.tsv").read_bytes()).startswith("VALID")


def test_what_has_no_exact_certificate_is_refused() -> None:
    _, data = drawn(0)
    for spec in (
        rp.LPBoost(learner="l1", length="3"),
        rp.LPBoost(pattern_kernel="distance", length="3"),
        rp.LPBoost(normalize=True, length="3"),
        rp.LPBoost(families="plain,diff", length="3"),
    ):
        with pytest.raises(rp.RadprogError, match="lpboost is proved with"):
            rp.prove(rp.fit(spec, data, max_iter=2), data)
