"""Proofs of vkr and l1svm: accepted by the checker, exact where they can be, else refused."""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import seeds
from planted import PLACES, refused_everywhere, sealed, verdict

import radprog as rp
from radprog import proof_checker
from radprog.models.kernels import parse_kernels

pytest.importorskip("flint")
CHECKER = Path(proof_checker.__file__).resolve()


def drawn(seed: int) -> tuple[rp.VKR | rp.L1SVM, Any]:
    """A spec and noisy points, some of them badly scaled."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(5, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(m, d)) * 10.0 ** rng.integers(-4, 4, size=d)
    if seed % 3 == 0:
        X = np.round(X, 1)  # ties
    y = np.where(X[:, 0] / np.abs(X[:, 0]).max() + 0.4 * rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    data = rp.dataset(X, y, scale=("ball", "none", "standard", "unit", "minmax")[seed % 5])
    beta = float(10.0 ** rng.uniform(-4, -1))
    if seed % 2:
        return rp.L1SVM(kernels=("linear", "poly:2", "rbf:0.5")[seed % 3], beta=beta), data
    kernels = ("poly:1-4", "linear,rbf:0.3,laplace:2", "poly:1-2,rbf:1e-2..1e0")[seed % 7 % 3]
    how = ("trace", "none", "massart", "montecarlo")[seed // 2 % 4]
    return rp.VKR(kernels=kernels, complexity=how, lam=beta, beta=beta), data


def kernel_rounding(fit: Any, X: Any) -> float:
    """How far f may be off as the certificate takes kernel values as they are computed, a proof as
    they are: nothing but for points of large features without a scaling."""
    sizes = 0.0
    for number, name in enumerate(fit.kernels):
        used = fit.kernel == number
        (kernel,) = parse_kernels(name)
        lengths = [np.sqrt([kernel(x[None], x[None])[0, 0] for x in Z])
                   for Z in (X, fit.points[used])]  # fmt: skip
        sizes += float(lengths[0].max() * (np.abs(fit.coefficients[used]) @ lengths[1]))
    return 16.0 * float(np.finfo(float).eps) * sizes


@pytest.mark.parametrize("seed", seeds(200, 24))
def test_a_random_result_is_proved(seed: int) -> None:
    spec, data = drawn(seed)
    run = rp.fit(spec, data)
    proof = rp.prove(run, data)
    assert proof.data is not None
    assert verdict(dict(proof.content), proof.data).startswith("VALID")
    assert proof.bound <= proof.objective
    assert Fraction(run.bound) <= proof.objective  # never above the exact optimum
    assert run.gap is not None
    left = 1e-9 if run.certified else 1.01 * (run.objective - run.bound) + 1e-7
    assert proof.gap <= Fraction(left + kernel_rounding(run.fit, data.X))
    assert float(proof.objective) == pytest.approx(run.objective, rel=max(1e-7, run.gap), abs=1e-8)
    exact = isinstance(spec, rp.L1SVM) and not spec.kernels.startswith("rbf")
    if proof.vertex and exact:
        assert proof.gap == 0


@pytest.fixture(scope="module")
def proofs() -> list[rp.Proof]:
    found = []
    for seed in (1, 7, 4, 10, 16):
        spec, data = drawn(seed)
        found.append(rp.prove(rp.fit(spec, data), data))
    assert all(proof.vertex for proof in found)
    assert {proof.model for proof in found} == {"vkr", "l1svm"}
    return found


@pytest.mark.parametrize("place", PLACES)
def test_a_planted_error_is_refused(place: str, proofs: list[rp.Proof]) -> None:
    refused_everywhere(proofs, place, 25)


@pytest.mark.parametrize("kernels", ["linear", "poly:1-2,rbf:1"])
def test_a_solution_without_columns_is_proved(kernels: str) -> None:
    data = rp.dataset(np.arange(6.0)[:, None], [1, -1, 1, -1, 1, -1], scale="ball")
    run = rp.fit(rp.VKR(kernels=kernels, complexity="none", beta=8.0), data)
    assert run.objective == 1.0
    proof = rp.prove(run, data)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: vkr")
    assert proof.objective == 1
    assert proof.gap < Fraction(1e-9)


def similarity(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Neither symmetric nor positive semidefinite, and not enclosed."""
    return np.tanh(X @ Z.T) + 0.25 * X[:, :1]


def quadratic(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return 0.5 * (X @ Z.T + 0.5) ** 2


@pytest.mark.parametrize("how", ["none", "trace", "massart"])
@pytest.mark.parametrize("of", ["file", "callable"])
def test_values_that_are_not_enclosed_are_taken_as_given(of: str, how: str, tmp_path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    data = rp.dataset(X, np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1, -1))
    values = quadratic if how == "trace" else similarity
    np.save(tmp_path / "K.npy", values(X, X))
    kernel = f"file:{tmp_path / 'K.npy'}" if of == "file" else values
    spec = rp.VKR(kernels=[kernel, "poly:1", "rbf:0.5"], complexity=how, lam=0.01, beta=0.01)
    proof = rp.prove(rp.fit(spec, data), data)
    assert proof.vertex
    assert proof.gap < 2.0**-80
    statement = proof.content["statement"]
    name = statement["kernels"][0]
    assert statement["given"][0] == "the values of kernel 1"
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: vkr")
    content = json.loads(proof.to_json())
    table = content["statement"]["values"][name]
    i = next(i for i, n in enumerate(content["dual"]["numbers"]) if int(n, 16))
    table[i] = [64.0 * value for value in table[i]]
    assert verdict(sealed(content), proof.data or b"").startswith("INVALID")
    del content["statement"]["values"][name]
    assert verdict(sealed(content), proof.data or b"").startswith("INVALID")


def test_any_edit_breaks_the_seal(proofs: list[rp.Proof]) -> None:
    for key in ("bound", "objective", "statement"):
        content = {**proofs[0].content, key: proofs[1].content[key]}
        assert "seal" in verdict(content, proofs[0].data or b"")


def test_a_proof_prints_no_terminal_codes(proofs, tmp_path, capsys) -> None:
    data, proof = tmp_path / "data", tmp_path / "proof"
    data.write_bytes(proofs[0].data or b"")
    proof.write_text(json.dumps({**proofs[0].content, "radprog_proof": "\x1b[2K\x9b1GVALID\u202e"}))
    assert proof_checker.main([str(proof), str(data)]) == 1
    told = capsys.readouterr().out
    assert told.startswith("INVALID: version")
    assert told.isascii()
    assert told.strip().isprintable()


def test_the_checker_needs_the_standard_library_alone() -> None:
    for node in ast.walk(ast.parse(CHECKER.read_text())):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            assert node.module in sys.stdlib_module_names


def test_the_checker_runs_alone(tmp_path: Path, proofs: list[rp.Proof]) -> None:
    """A copy of the file, an empty path, no site-packages: only the standard library."""
    proofs[0].save(tmp_path / "proof.json", tmp_path / "data.csv")
    alone = shutil.copy(CHECKER, tmp_path / "alone.py")
    words = [sys.executable, "-I", "-S", alone, "proof.json", "data.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("VALID: l1svm, ")
    (tmp_path / "data.csv").write_bytes((proofs[0].data or b"") + b" \n")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("INVALID: the data are not those of the proof: hash ")
    assert hashlib.sha256((tmp_path / "data.csv").read_bytes()).hexdigest() in done.stdout


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"radprog_proof": 1}', '{"radprog_proof": 3}', "\x00"]
)
def test_what_is_no_proof_is_refused_in_one_line(text: str, tmp_path: Path, capsys) -> None:
    (tmp_path / "proof.json").write_text(text)
    (tmp_path / "data.csv").write_text("1,2\n")
    given = [str(tmp_path / "proof.json"), str(tmp_path / "data.csv")]
    assert proof_checker.main(given) == 1
    out = capsys.readouterr().out
    assert out.startswith("INVALID: ")
    assert out.count("\n") == 1
    assert proof_checker.main(given[:1]) == 1


@pytest.mark.parametrize("missing", ["proof.json", "data.csv"])
def test_a_file_that_cannot_be_read_is_no_verdict(missing: str, tmp_path: Path, capsys) -> None:
    for name in ("proof.json", "data.csv"):
        (tmp_path / name).write_text("{}")
    (tmp_path / missing).unlink()
    assert proof_checker.main([str(tmp_path / name) for name in ("proof.json", "data.csv")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("proof_checker: error: ")
    assert missing in err
    assert err.count("\n") == 1
    assert proof_checker.main([str(tmp_path), str(tmp_path)]) == 2  # a folder


def test_truncated_and_huge_proofs_are_refused(proofs: list[rp.Proof], monkeypatch) -> None:
    content = json.loads(proofs[0].to_json())
    data = proofs[0].data or b""
    for key in content:
        assert verdict({k: v for k, v in content.items() if k != key}, data).startswith("INVALID")
    monkeypatch.setattr(proof_checker, "LONGEST", 10)
    assert "digits" in verdict(sealed(content), data)
