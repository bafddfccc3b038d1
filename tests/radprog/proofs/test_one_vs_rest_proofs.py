"""Proofs of classifiers one-vs-rest: one file a class, by the checker as it is."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from planted import verdict

import radprog as rp

pytest.importorskip("flint")
SPECS = [rp.VKR(kernels="poly:1-2", lam=0.01, beta=0.01), rp.SVM(kernels="linear"),
         rp.SimSVM(kernels="rbf:1", lam=0.1), rp.LPBoost(length="2", nu=0.5)]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
def test_every_classifier_is_proved(spec) -> None:
    rng = np.random.default_rng(5)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 4)) + y[:, None]
    data = rp.series(X, y) if isinstance(spec, rp.LPBoost) else rp.dataset(X, y, one_vs_rest=True)
    run = rp.fit(spec, data)
    total, bound = Fraction(0), Fraction(0)
    for label, classifier in zip(data.labels, run.extra["machines"], strict=True):
        proof = rp.prove(run, data, of_class=label)
        assert verdict(dict(proof.content), proof.data or b"").startswith("VALID")
        assert float(proof.objective) == pytest.approx(classifier["objective"], rel=1e-5)
        total, bound = total + proof.objective, bound + proof.bound
    assert float(total) == pytest.approx(run.objective, rel=1e-5)
    assert abs(total - bound) < Fraction(1e-5) * abs(total)


def test_the_command(radprog, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    rows = [f"{a:.3f},{b:.3f},{'xyz'[n % 3]}" for n, (a, b) in enumerate(rng.normal(size=(15, 2)))]
    data, run, out = (tmp_path / name for name in ("data.csv", "run.json", "proof.json"))
    data.write_text("\n".join(rows) + "\n")
    assert radprog("solve", "l1svm", data, "--one-vs-rest", "--json", run, "--quiet").code == 0
    assert "class, one of x, y, z" in radprog("prove", run, data, "-o", out).error
    told = tmp_path / "told.json"
    radprog.ok("prove", run, data, "--class", "y", "-o", out, "--json", told)
    content = json.loads(out.read_text())
    assert content["statement"]["data"]["signs"] == {"x": -1, "y": 1, "z": -1}
    assert verdict(content, data.read_bytes()).startswith("VALID: l1svm, 15 points")
    claimed = json.loads(run.read_text())["machines"][1]["objective"]
    assert json.loads(told.read_text())["claimed"]["objective"] == claimed
    assert "leave it out" in radprog("prove", "a.mps", "--vipr", "--class", "y", "-o", out).error
