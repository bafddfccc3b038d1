"""Proofs made to deceive: claims that fit the forged points, statements that say something else."""

import functools
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from planted import claim, number, sealed, value_of, verdict

import radprog as rp
from radprog import proof_checker

pytest.importorskip("flint")


@functools.cache
def proved(model: str, m: int = 14) -> tuple[str, bytes]:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(m, 2)), 3)
    data = rp.dataset(X, np.where(X[:, 0] + 0.5 * rng.normal(size=m) > 0, 1, -1))
    specs = {
        "vkr": rp.VKR(kernels="poly:1,rbf:1", lam=0.05, beta=0.05),
        "l1svm": rp.L1SVM(kernels="poly:2", beta=0.05),
        "l1linear": rp.L1Linear(beta=0.05),
        "svm": rp.SVM(kernels="linear", C=0.5),
        "simsvm": rp.SimSVM(kernels="poly:2", lam=0.1),
        "mkl": rp.MKL(kernels="linear,poly:2", theta=0, C=0.5),
        "lpboost": rp.LPBoost(length="3", nu=0.3),
    }
    if model == "lpboost":
        data = rp.series(np.round(rng.normal(size=(8, 6)), 2), [1, -1] * 4)
    proof = rp.prove(rp.fit(specs[model], data), data)
    assert proof.data is not None
    assert verdict(dict(proof.content), proof.data).startswith("VALID")
    return proof.to_json(), proof.data


def one_multiplier_more(proof) -> None:
    """A point that is none, at the top of the box: 1'a grows by C, and nothing else changes."""
    over = int(proof["dual"]["over"], 16)
    proof["dual"]["numbers"].append(hex(over // 4))
    claim(proof, bound=value_of(proof["bound"]) + Fraction(over // 4, over))


def norm_below_zero(proof) -> None:
    """No multipliers, so that no norm is too small, and a bound that the norm alone makes."""
    dual, how = proof["dual"], proof["statement"]["settings"]
    dual["numbers"], dual["norm"] = ["0x0"] * len(dual["numbers"]), number(-64)
    claim(proof, bound=32 * Fraction(how.get("budget", 1)))


def settings(**values):
    return lambda proof: proof["statement"]["settings"].update(values)


def statement(**values):
    return lambda proof: proof["statement"].update(values)


def data(**values):
    return lambda proof: proof["statement"]["data"].update(values)


def table_for_a_kernel(proof) -> None:
    """Values of a kernel that has a name, all half of what they are."""
    m = len(proof["dual"]["numbers"])
    proof["statement"]["values"] = {proof["statement"]["kernels"][0]: [[0.0] * m] * m}


def words(proof) -> None:
    said = proof["statement"]["program"]
    proof["statement"]["program"] = said.replace("<=", "<", 1).replace("min", "max", 1)


def signs_as_floats(proof) -> None:
    signs = proof["statement"]["data"]["signs"]
    signs.update({label: float(value) for label, value in signs.items()})


def digits_of_another_script(proof) -> None:
    numbers = proof["dual"]["numbers"]
    i = next(i for i, text in enumerate(numbers) if "1" in text)
    numbers[i] = numbers[i].replace("1", "\uff11")


def no_windows(proof) -> None:
    proof["statement"]["kernels"][0] = proof["statement"]["kernels"][0].rpartition(":")[0]


LONG = hex(1 << 4 * proof_checker.LONGEST)

FORGED = {
    "vkr": {
        "an unknown penalty": settings(complexity="local"),
        "penalties beside a rule": settings(penalties=[1e-3, 1e-3]),
        "penalties not stated": settings(penalties=[1e-3, 1e-3], complexity="given"),
        "a rule of another kernel": settings(complexity="rbf"),
        "poly of rbf": settings(complexity="poly"),
        "lam below 0": settings(lam=-0.05),
        "a table": table_for_a_kernel,
        "windows of points": statement(kernels=["poly:1", "rbf:1:1"]),
        "gauss": statement(kernels=["poly:1", "gauss:1:2"]),
        "a huge rate": statement(kernels=["poly:1", "rbf:1e308"]),
        "a degree beyond the most": statement(kernels=["poly:1", "poly:51"]),
        "digits of another script": statement(kernels=["poly:1", "rbf:\uff11"]),
        "a length that nothing has": statement(kernels=["poly:1", "rbf:1:0"]),
        "one kernel twice": statement(kernels=["poly:1", "poly:1"]),
        "very many rows left out": data(left_out=[-1]),
        "an index below 0": lambda proof: proof["primal"]["pairs"][0].__setitem__(0, -1),
        "a short centre": data(centres=[[0.5]]),
    },
    "l1svm": {
        "more given than is": statement(given=["the penalties r_k"]),
        "other words": words,
        "weight omitted": lambda proof: proof["dual"]["numbers"].pop(),
        "a sign that is a float": signs_as_floats,
        "an integer of another script": digits_of_another_script,
        "a column twice": data(columns=[1, 1]),
        "a quote of its own": lambda proof: proof["statement"]["data"]["csv"].update(quotechar="1"),
    },
    "svm": {
        "one multiplier more": one_multiplier_more,
        "a norm below 0": norm_below_zero,
        "a budget": settings(budget=0.5),
        "lam beside C": settings(lam=0.5),
        "a table": table_for_a_kernel,
    },
    "simsvm": {"one multiplier more": one_multiplier_more},
    "mkl": {
        "one multiplier more": one_multiplier_more,
        "tails not stated": settings(tails=[1.0, 1.0]),
        "a budget below 0": settings(budget=-1.0),
        "a norm below 1": settings(norm=0.5),
    },
    "lpboost": {
        "radius": settings(radius=-1.0),
        "no radius": settings(radius=0.0),
        "no windows": no_windows,
    },
}


@pytest.mark.parametrize(
    ("model", "how"), [(model, how) for model, kinds in FORGED.items() for how in kinds]
)
def test_what_is_forged_is_refused(model: str, how: str) -> None:
    text, raw = proved(model)
    proof = json.loads(text)
    FORGED[model][how](proof)
    assert verdict(sealed(proof), raw).startswith("INVALID"), how


@pytest.mark.parametrize("model", ["vkr", "mkl", "lpboost"])
def test_a_verdict_has_no_text_of_the_proof(model: str) -> None:
    text, raw = proved(model)
    for key, value in json.loads(text)["statement"].items():
        for forged in ("forged", {"forged": "forged"}, ["forged"], {"forged": [[1.0]]}):
            proof = json.loads(text)
            more = isinstance(value, dict) and isinstance(forged, dict)
            proof["statement"][key] = {**value, **forged} if more else forged
            said = verdict(sealed(proof), raw)
            assert said.startswith("INVALID")
            assert "forged" not in said


def test_norms_are_those_of_the_rows() -> None:
    table = rp.dataset(np.random.default_rng(1).normal(size=(12, 2)), [1, -1] * 6, scale="unit")
    proof = rp.prove(rp.fit(rp.L1SVM(kernels="linear", beta=0.05), table), table)
    content = json.loads(proof.to_json())
    norms = content["statement"]["data"]["norms"]
    content["statement"]["data"]["norms"] = [2.0 * norm for norm in norms]
    assert "data.norms" in verdict(sealed(content), proof.data or b"")


HOSTILE = ["1e999999999", 1e308, 5e-324, -1, True, None, [], {}, LONG, LONG[:-1], "poly:200000000",
           "rbf:5e-324", "gauss:1:999999999", 10**9, 10**400, float("nan"), "rbf:0_1"]  # fmt: skip


@pytest.mark.parametrize("model", FORGED)
def test_no_value_is_taken_or_makes_the_check_run_on(model: str) -> None:
    """Every field, by itself, and what is at its first place; and a field more."""
    text, raw = proved(model)
    places = [("statement",), ("statement", "data"), ("statement", "settings"), ("primal",),
              ("dual",), ()]  # fmt: skip
    rng = np.random.default_rng(0)
    for where in places:
        fields = functools.reduce(lambda part, name: part[name], where, json.loads(text))
        for key, old in [*fields.items(), ("more", 0.5)]:
            proof = json.loads(text)
            part = functools.reduce(lambda part, name: part[name], where, proof)
            value = HOSTILE[int(rng.integers(len(HOSTILE)))]
            first = isinstance(old, list) and old and rng.random() < 0.5
            part[key] = [value, *old[1:]] if first else value
            began = time.process_time()
            said = verdict(sealed(proof), raw)
            assert time.process_time() - began < 3.0, (key, value)
            assert said.startswith("INVALID") or part[key] == old or key == "seal", (key, value)


CROWDED = {
    "very many kernels": statement(kernels=[f"rbf:{k}e-3" for k in range(1, 1001)]),
    "laplace": statement(kernels=[f"laplace:{k}" for k in range(1, 401)]),
    "pairs that repeat": lambda proof: proof["primal"].update(
        pairs=[[0, 0]] * 200_000, numbers=["0x1"] * 200_000
    ),
    "long numbers and every degree": lambda proof: (
        proof["statement"].update(kernels=[f"poly:{k}" for k in range(1, 51)]),
        proof["dual"].update(numbers=[LONG[:-1]] * 60),
    ),
    "many digits": lambda proof: (
        data(shift=[5e-324] * 2, divisor=[1e-300] * 2)(proof),
        proof["statement"].update(kernels=["poly:1"]),
        proof["dual"].update(numbers=[LONG[:-1]] * 60),
    ),
    "columns that no line has": data(
        sparse=True, csv=None, label=0, columns=[*range(700_000)], shift=[0] * 700_000,
        divisor=[1] * 700_000,
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", CROWDED)
def test_the_work_is_counted_before_it_begins(how: str) -> None:
    text, raw = proved("vkr", 60)
    proof = json.loads(text)
    CROWDED[how](proof)
    proof["statement"]["given"] = proof_checker.given(proof["statement"])
    began = time.process_time()
    assert verdict(sealed(proof), raw).startswith("INVALID")
    assert time.process_time() - began < 20.0  # minutes, if it began


@pytest.mark.parametrize("model", sorted(proof_checker.CHECKS))
def test_the_printed_work_is_enough(model: str) -> None:
    text, raw = proved(model)
    with pytest.raises(proof_checker.Unchecked) as refusal:
        proof_checker.check(json.loads(text), raw, 0.999 * needed(model))
    printed = str(refusal.value).split("add ")[1].split()[0]
    assert needed(model) <= float(printed) <= 1.01 * needed(model)
    assert proof_checker.check(json.loads(text), raw, float(printed))


def needed(model: str) -> float:
    """The work by the checker's own count."""
    text, raw = proved(model)
    proof = json.loads(text)
    problem = proof_checker.Problem(raw, proof["statement"], float("inf"))
    return problem.work(proof_checker.CHECKS[model][0], proof["primal"], proof["dual"])


def test_prove_prints_the_command_that_checks(empty: Path, capsys, monkeypatch) -> None:
    from radprog.cli import main

    rng = np.random.default_rng(3)
    rows = [f"{x:.3f},{y:.3f},{'yes' if x > 0 else 'no'}" for x, y in rng.normal(size=(30, 2))]
    Path("few.csv").write_text("\n".join(["a,b,kind", *rows]) + "\n")
    assert main(["solve", "svm", "few.csv", "--json", "run.json", "-q"]) == 0
    prove = ["prove", "run.json", "few.csv", "-o", "a proof.json"]
    assert main(prove) == 0
    assert "proof_checker" not in capsys.readouterr().out
    monkeypatch.setattr(proof_checker, "WORK", 1.0)
    assert main(prove) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    *_, proof, data, work = shlex.split(line)
    assert proof_checker.main([proof, data, work]) == 0
    capsys.readouterr()
    assert proof_checker.main([proof, data, str(0.98 * float(work))]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "text",
    ['{"a":[' + "[]," * 12_000_000 + "[]]}", "[" * 300_000, '{"a":[' + "1," * 3_000_000 + "1]}",
     '{"a":' + "1" * 10_000_000 + "}"],
    ids=["lists", "nested", "numbers", "digits"],
)  # fmt: skip
def test_a_text_that_takes_memory_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "proof.json").write_text(text)
    (tmp_path / "data.csv").write_text("1,2\n")
    limit = 'ulimit -v 600000; exec "$0" "$1" proof.json data.csv'
    words = ["bash", "-c", limit, sys.executable, proof_checker.__file__]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("INVALID: ")


def test_text_that_readers_may_read_differently(tmp_path, capsys) -> None:
    text, raw = proved("l1svm")
    (tmp_path / "data.csv").write_bytes(raw)
    for old, new in (
        ('"bits":128', '"bits":128'),
        ('"bits":128', '"bits":128,"bits":128'),
        ('"rows":14', '"rows":15,"rows":14'),
        ('"left_out":[]', '"left_out":[NaN]'),
        ('"left_out":[]', '"left_out":[Infinity]'),
        (text, text + "{}"),
    ):
        assert text.count(old) == 1
        (tmp_path / "proof.json").write_text(text.replace(old, new))
        code = proof_checker.main([str(tmp_path / "proof.json"), str(tmp_path / "data.csv")])
        assert (code == 0) == (old == new), capsys.readouterr().out


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "inf", "1e999", "0x1", "", "nan"])
def test_cells_that_are_no_plain_numbers(cell: str) -> None:
    text, raw = proved("l1svm")
    lines = raw.decode().split("\n")
    lines[0] = ",".join([*lines[0].split(",")[:-1], cell])
    table = "\n".join(lines).encode()
    proof = json.loads(text)
    proof["statement"]["data"]["sha256"] = proof_checker.hashlib.sha256(table).hexdigest()
    assert verdict(sealed(proof), table).startswith("INVALID")


@pytest.mark.parametrize("normalize", ["trace", "none"])
def test_tail_sums_of_a_proof_are_of_unscaled_kernels(normalize: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(14, 3))
    data = rp.dataset(X, np.where(X[:, 0] + 0.5 * rng.normal(size=14) > 0, 1, -1))
    run = rp.fit(rp.MKL(kernels="linear,poly:2", theta=1, normalize=normalize), data)
    proof = rp.prove(run, data)
    assert proof.data is not None
    line = verdict(dict(proof.content), proof.data)
    found = re.search(r"tails of unscaled kernels ([^,]+), ([^,;]+)", line)
    factors = [1.0, 1.0]
    if normalize == "trace":
        factors = [np.trace(K) / 14 for K in (X @ X.T, (X @ X.T + 1) ** 2)]
    sums = np.multiply(run.summary["tail_sums"], factors)
    assert [float(text) for text in found.groups()] == pytest.approx(sums.tolist(), rel=1e-9)


def test_any_edit_breaks_the_seal() -> None:
    text, raw = proved("l1svm")
    for key in ("bound", "objective", "statement"):
        content = {**json.loads(text), key: json.loads(proved("vkr")[0])[key]}
        assert "seal" in verdict(content, raw)


def test_a_proof_prints_no_terminal_codes(tmp_path, capsys) -> None:
    data, proof = tmp_path / "data", tmp_path / "proof"
    text, raw = proved("l1svm")
    data.write_bytes(raw)
    proof.write_text(json.dumps(json.loads(text) | {"radprog_proof": "\x1b[2K\x9b1GVALID\u202e"}))
    assert proof_checker.main([str(proof), str(data)]) == 1
    told = capsys.readouterr().out
    assert told.startswith("INVALID: version")
    assert told.isascii()
    assert told.strip().isprintable()


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    """A copy of the file, an empty path, no site-packages: only the standard library."""
    text, raw = proved("l1svm")
    (tmp_path / "proof.json").write_text(text)
    (tmp_path / "data.csv").write_bytes(raw)
    alone = shutil.copy(proof_checker.__file__, tmp_path / "alone.py")
    words = [sys.executable, "-I", "-S", alone, "proof.json", "data.csv"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("VALID: l1svm, ")
    (tmp_path / "data.csv").write_bytes(raw + b" \n")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("INVALID: the data are not those of the proof: hash ")
    assert hashlib.sha256((tmp_path / "data.csv").read_bytes()).hexdigest() in done.stdout


def test_what_is_no_proof_is_refused_in_one_line(tmp_path: Path, capsys) -> None:
    given = [tmp_path / "proof.json", tmp_path / "data.csv"]
    names = list(map(str, given))
    given[1].write_text("1,2\n")
    for text in ("", "{}", "[]", "null", '{"radprog_proof": 1}', '{"radprog_proof": 3}', "\x00"):
        given[0].write_text(text)
        assert proof_checker.main(names) == 1
        out = capsys.readouterr().out
        assert (out.startswith("INVALID: "), out.count("\n")) == (True, 1)
    assert proof_checker.main(names[:1]) == 1
    # a file that cannot be read has no verdict
    capsys.readouterr()
    for missing in given:
        text = missing.read_text()
        missing.unlink()
        assert proof_checker.main(names) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), missing.name in err) == ("", 1, True)
        assert err.startswith("proof_checker: error: ")
        missing.write_text(text)
    assert proof_checker.main([str(tmp_path), str(tmp_path)]) == 2  # a folder


def test_long_numbers_are_refused(monkeypatch) -> None:
    text, raw = proved("l1svm")
    monkeypatch.setattr(proof_checker, "LONGEST", 10)
    assert "digits" in verdict(sealed(json.loads(text)), raw)
