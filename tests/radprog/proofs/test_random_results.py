"""Proofs of l1linear, svm, simsvm, mkl and lpboost: accepted by the checker, else refused."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import seeds
from planted import PLACES, noisy, refused_everywhere, sealed, verdict

import radprog as rp

pytest.importorskip("flint")
MACHINES = ("linear", "poly:3", "rbf:0.5", "laplace:1", "poly:1", "linear")
MIXES = ("linear,poly:2-3", "rbf:1e-1..1e1", "poly:2,rbf:0.5,laplace:1", "linear,poly:2")
NORMS = (1.0, 2.0, 1.5, 1.1, 3.0, 40.0)


def linear(seed: int) -> tuple[rp.L1Linear, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 30))
    X, y = noisy(rng, m, d, -1, 2)
    spec = rp.L1Linear(beta=float(10.0 ** rng.uniform(-3, -1)), bias=seed % 3 > 0)
    return spec, rp.dataset(X, y, scale=("none", "standard", "unit")[seed % 3])


def machine(seed: int) -> tuple[rp.SVM | rp.SimSVM, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(6, 50)), int(rng.integers(1, 5))
    X, y = noisy(rng, m, d, -2, 3)
    kernels, data = MACHINES[seed % 6], rp.dataset(X, y, scale=("ball", "standard")[seed % 2])
    if seed % 4 > 1:
        return rp.SimSVM(kernels=kernels, lam=1e-2, no_bias=seed % 8 > 5), data
    return rp.SVM(kernels=kernels, C=float(10.0 ** rng.integers(-2, 3))), data


def mixed(seed: int) -> tuple[rp.MKL, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    X, y = noisy(rng, m, d, -1, 2)
    lp = seed % 5 == 4
    spec = rp.MKL(
        kernels=MIXES[seed % 4],
        norm=NORMS[seed % 6],
        variant="lp" if lp else "conv",
        theta=None if lp else seed % 3 % 2,
        tail_budget=None if lp or seed % 7 else 2.5,
        normalize="none" if seed % 9 > 6 else "trace",
        C=float(10.0 ** rng.integers(-1, 3)),
        no_bias=seed % 8 > 5,
    )
    return spec, rp.dataset(X, y, scale=("ball", "standard")[seed % 2])


def boosted(seed: int) -> tuple[rp.LPBoost, rp.Bags]:
    rng = np.random.default_rng(seed)
    m, L = int(rng.integers(6, 16)), int(rng.integers(5, 14))
    X, y = rng.normal(size=(m, L)), np.where(np.arange(m) % 2, 1, -1)
    X[y > 0, 1:3] += rng.uniform(0.5, 2.5)
    learner = ("shapelet", "shapelet-plus")[seed % 2]
    nu = float(rng.choice([0.1, 0.25, 0.4, 1.0]))
    length = ("3", "2,4", "0.5")[seed % 3]
    return rp.LPBoost(learner=learner, nu=nu, length=length, radius=2.0), rp.series(X, y)


def told(proof: rp.Proof) -> str:
    return verdict(dict(proof.content), proof.data or b"")


def proved(spec: Any, data: Any) -> rp.Proof:
    return rp.prove(rp.fit(spec, data), data)


DRAWN: dict[Any, Any] = {
    linear: seeds(40, 10), machine: seeds(100, 16), mixed: seeds(60, 12), boosted: seeds(60, 12),
}  # fmt: skip


@pytest.mark.cases(32)
@pytest.mark.parametrize(("draw", "seed"), [(draw, s) for draw in DRAWN for s in DRAWN[draw]])
def test_a_random_result_is_proved(draw: Any, seed: int) -> None:
    spec, data = draw(seed)
    run = rp.fit(spec, data)
    proof = rp.prove(run, data)
    assert told(proof).startswith(f"VALID: {proof.model}, ")
    # the bound of the run is on its side of the exact optimum
    sense = spec.sense
    assert sense * (proof.objective - proof.bound) >= 0
    assert sense * (proof.objective - Fraction(run.bound)) >= 0
    least = Fraction(1e-3) if draw is boosted else proof.objective
    allowed = 2.0 * max(run.gap or 0.0, 1e-9) if draw is mixed else 1e-6
    assert proof.gap <= Fraction(allowed) * max(abs(proof.bound), least)
    if draw is linear:
        assert Fraction(run.bound) <= proof.bound <= proof.objective <= Fraction(run.objective)
    elif draw is mixed:
        assert float(proof.objective) == pytest.approx(run.objective, rel=1e-9)
        given = proof.content["statement"]["given"]
        sums = spec.theta == 1 if spec.variant == "conv" else spec.normalize == "none"
        assert given == ["the tail sums t_k"] * sums + ["the shift and divisor"]
        if spec.variant == "conv" and sums:  # of the kernels as named: times trace / n
            tails = np.divide(run.summary["tail_sums"], run.summary["trace_factors"])
            stated = proof.content["statement"]["settings"]["tails"]
            assert stated == pytest.approx(tails.tolist(), rel=1e-12)
    elif proof.vertex:
        enclosed = draw is boosted or seed % 6 in (2, 3)
        assert proof.gap == 0 or (enclosed and proof.gap < 2.0**-80 * max(1, proof.objective))


@cache
def proofs(draw: Any) -> list[rp.Proof]:
    """Of l1linear the only feature has a coefficient: one without may change and prove the same."""
    drawn = [
        draw(seed) for seed in {linear: (1,), machine: (0, 2, 5), boosted: (2,)}.get(draw, range(4))
    ]
    if draw is linear:
        drawn = [(spec, rp.dataset(data.X[:, :1], data.targets)) for spec, data in drawn]
    return [proved(*one) for one in drawn]


@pytest.mark.cases(32)
@pytest.mark.parametrize(
    ("draw", "place"),
    [
        *((linear, place) for place in PLACES),
        *((machine, place) for place in PLACES if place not in ("primal", "gap")),
        *((mixed, place) for place in (*PLACES, "weights", "norm")),
        *((boosted, place) for place in PLACES if place not in ("setting", "scale")),
    ],
)
def test_a_planted_error_is_refused(draw: Any, place: str) -> None:
    refused_everywhere(proofs(draw), place, 9)


def test_a_point_out_of_its_box_or_balance_is_refused() -> None:
    spec, data = linear(1)
    proof = proved(spec, data)
    for change, words in (("numbers", "d: its box"), ("scale", "d: its box")):
        content = {**proof.content, "dual": dict(proof.content["dual"])}
        content["dual"][change] = (
            [proof.content["dual"]["over"]] * data.rows if change == "numbers" else ["0x2", "0x1"]
        )
        assert words in verdict(sealed(content), proof.data or b"")


def test_sparse_rows_are_proved_by_a_table_of_them() -> None:
    _, data = linear(2)
    sparse = rp.sparse_data(data.X, data.targets)
    assert told(proved(rp.L1Linear(beta=0.02), sparse)).startswith("VALID")


def test_most_solutions_of_machines_are_rational() -> None:
    assert sum(proved(*machine(seed)).vertex for seed in range(8)) >= 6


def test_a_run_that_was_cut_off_leaves_a_gap() -> None:
    data = rp.dataset(np.random.default_rng(0).normal(size=(12, 2)), [1, -1] * 6)
    spec = rp.SVM(kernels="rbf:1", C=100.0)
    proof = rp.prove(rp.fit(spec, data, solver="libsvm", max_iter=1), data)
    assert proof.gap > 0
    assert told(proof).startswith("VALID: svm")


def test_a_single_kernel_is_a_support_vector_machine() -> None:
    """Two programs of the checker with one optimum: C of one is C T / t of the other."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(24, 2))
    data = rp.dataset(X, np.where(X[:, 0] + rng.normal(size=24) > 0, 1, -1))
    spec = rp.MKL(kernels="rbf:0.5", theta=0, tail_budget=12.0, C=4.0)
    mix = rp.prove(rp.fit(spec, data, tol=1e-10), data)
    alone = proved(rp.SVM(kernels="rbf:0.5", C=2.0), data)
    assert alone.vertex
    assert mix.bound <= 2 * alone.objective  # J_C(c mu) = J_(c C)(mu) / c
    assert 2 * alone.bound <= mix.objective
    assert mix.gap < Fraction(1e-9)


def test_a_file_of_series(radprog, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, data = boosted(0)
    rows = zip(data.signs.tolist(), data.X.tolist(), strict=True)
    lines = ["\t".join(map(repr, (int(y), *row))) for y, row in rows]
    Path("series.tsv").write_text("\n".join(lines) + "\n")
    options = ("--length", 3, "--json", "run.json", "--quiet")
    assert radprog("solve", "lpboost", "series.tsv", *options).code == 0
    assert radprog("prove", "run.json", "series.tsv", "-o", "proof.json").code == 0
    proof = json.loads(Path("proof.json").read_text())
    assert verdict(proof, Path("series.tsv").read_bytes()).startswith("VALID")
