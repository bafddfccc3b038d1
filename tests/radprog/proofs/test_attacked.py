"""Proofs made to deceive: claims that fit the forged points, statements that say something else."""

import functools
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import claim, number, sealed, value_of, verdict

import radprog as rp
from radprog import proof_checker

pytest.importorskip("flint")
Json = dict[str, Any]


@functools.cache
def proved(model: str) -> tuple[str, bytes]:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(14, 2)), 3)
    data: Any = rp.dataset(X, np.where(X[:, 0] + 0.5 * rng.normal(size=14) > 0, 1, -1))
    specs: dict[str, Any] = {
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


def one_multiplier_more(proof: Json) -> None:
    """A point that is none, at the top of the box: 1'a grows by C, and nothing else changes."""
    over = int(proof["dual"]["over"], 16)
    proof["dual"]["numbers"].append(hex(over // 4))
    claim(proof, bound=value_of(proof["bound"]) + Fraction(over // 4, over))


def norm_below_zero(proof: Json) -> None:
    """No multipliers, so that no norm is too small, and a bound that the norm alone makes."""
    dual, how = proof["dual"], proof["statement"]["settings"]
    dual["numbers"], dual["norm"] = ["0x0"] * len(dual["numbers"]), number(-64)
    claim(proof, bound=32 * Fraction(how.get("budget", 1)))


def settings(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"]["settings"].update(values)


def statement(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"].update(values)


def data(**values: Any) -> Callable[[Json], None]:
    return lambda proof: proof["statement"]["data"].update(values)


def table_for_a_kernel(proof: Json) -> None:
    """Values of a kernel that has a name, all half of what they are."""
    m = len(proof["dual"]["numbers"])
    proof["statement"]["values"] = {proof["statement"]["kernels"][0]: [[0.0] * m] * m}


def float_for_an_integer(proof: Json) -> None:
    proof["dual"]["over"] = float(int(proof["dual"]["over"], 16))


def swapped(part: str) -> Callable[[Json], None]:
    def swap(proof: Json) -> None:
        numbers = proof[part]["numbers"]
        used = [i for i, text in enumerate(numbers) if int(text, 16)]
        other = next(j for j, text in enumerate(numbers) if text != numbers[used[0]])
        numbers[used[0]], numbers[other] = numbers[other], numbers[used[0]]

    return swap


def sign(proof: Json) -> None:
    numbers = proof["dual"]["numbers"]
    i = next(i for i, text in enumerate(numbers) if int(text, 16))
    numbers[i] = hex(-int(numbers[i], 16))


def omitted(part: str) -> Callable[[Json], None]:
    return lambda proof: proof[part]["numbers"].pop()


def kernels_swapped(proof: Json) -> None:
    proof["statement"]["kernels"].reverse()


def row_swapped(proof: Json) -> None:
    proof["primal"]["pairs"][0][1] += 1


def words(proof: Json) -> None:
    said = proof["statement"]["program"]
    proof["statement"]["program"] = said.replace("<=", "<", 1).replace("min", "max", 1)


def label_turned(proof: Json) -> None:
    signs = proof["statement"]["data"]["signs"]
    signs.update({label: -value for label, value in signs.items()})
    signs[next(iter(signs))] *= -1


def column_missing(proof: Json) -> None:
    how = proof["statement"]["data"]
    for key in ("columns", "shift", "divisor"):
        how[key] = how[key][:-1]


def signs_as_floats(proof: Json) -> None:
    signs = proof["statement"]["data"]["signs"]
    signs.update({label: float(value) for label, value in signs.items()})


def digits_of_another_script(proof: Json) -> None:
    numbers = proof["dual"]["numbers"]
    i = next(i for i, text in enumerate(numbers) if "1" in text)
    numbers[i] = numbers[i].replace("1", "\uff11")


LONG = hex(1 << 4 * proof_checker.LONGEST)

FORGED: dict[str, dict[str, Callable[[Json], None]]] = {
    "vkr": {
        "kernels swapped": kernels_swapped,
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
        "fewer bits": statement(bits=64),
        "very many bits": statement(bits=10**8),
        "a price of very many digits": settings(beta="1e999999999"),
        "a number beyond all floats": settings(beta=10**400),
        "a huge degree": statement(kernels=["poly:200000000", "rbf:1"]),
        "a degree beyond the most": statement(kernels=["poly:1", "poly:51"]),
        "digits of another script": statement(kernels=["poly:1", "rbf:\uff11"]),
        "digits with a line between": statement(kernels=["poly:1", "rbf:0_1"]),
        "a length that nothing has": statement(kernels=["poly:1", "rbf:1:0"]),
        "one kernel twice": statement(kernels=["poly:1", "poly:1"]),
        "very many rows left out": data(left_out=[-1]),
        "an index below 0": lambda proof: proof["primal"]["pairs"][0].__setitem__(0, -1),
        "a short centre": data(centres=[[0.5]]),
    },
    "l1svm": {
        "numbers in other words": statement(numbers="every number is the decimal that is written"),
        "more given than is": statement(given=["the penalties r_k"]),
        "other words": words,
        "a note": lambda proof: proof.update(note="and its test error is 0"),
        "a further setting": settings(weights=[2, 1]),
        "a further key of the data": data(weights=[2, 1]),
        "a further key of the statement": statement(scale="unit"),
        "weights swapped": swapped("dual"),
        "coefficients swapped": swapped("primal"),
        "sign": sign,
        "weight omitted": omitted("dual"),
        "coefficient omitted": omitted("primal"),
        "row swapped": row_swapped,
        "a float": float_for_an_integer,
        "a sign that is a float": signs_as_floats,
        "an integer of another script": digits_of_another_script,
        "an integer of very many digits": lambda proof: proof["primal"].update(over=LONG),
        "a column twice": data(columns=[1, 1]),
        "a quote of its own": lambda proof: proof["statement"]["data"]["csv"].update(quotechar="1"),
        "an infinite shift": data(shift=[float("inf"), 0.0]),
        "no number": data(shift=[float("nan"), 0.0]),
        "label": label_turned,
        "column": column_missing,
        "columns swapped": data(columns=[1, 0]),
        "a row left out": data(left_out=[3]),
        "rows": data(rows=13),
        "version": lambda proof: proof.update(radprog_proof="3"),
        "model": lambda proof: proof.update(model="svm"),
    },
    "svm": {
        "one multiplier more": one_multiplier_more,
        "a norm below 0": norm_below_zero,
        "a budget": settings(budget=0.5),
        "lam beside C": settings(lam=0.5),
        "a table": table_for_a_kernel,
        "no bias": settings(bias=False),
        "sign": sign,
        "weights swapped": swapped("dual"),
        "junk": lambda proof: proof["statement"].update(settings={"bias": True, "unit": 1}),
    },
    "simsvm": {"one multiplier more": one_multiplier_more, "C": settings(C=5.0)},
    "mkl": {
        "one multiplier more": one_multiplier_more,
        "tails not stated": settings(tails=[1.0, 1.0]),
        "a norm below 0": norm_below_zero,
        "a budget below 0": settings(budget=-1.0),
        "a norm below 1": settings(norm=0.5),
        "a huge norm": settings(norm=1e300),
        "kernels swapped": kernels_swapped,
    },
    "lpboost": {
        "radius": settings(radius=-1.0),
        "no radius": settings(radius=0.0),
        "nu": settings(nu=-0.3),
        "one sign": settings(signed=False),
        "sign": sign,
        "weight omitted": omitted("dual"),
        "no windows": lambda proof: proof["statement"].update(
            kernels=[proof["statement"]["kernels"][0].rsplit(":", 1)[0]]
        ),
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
           "rbf:5e-324", "gauss:1:999999999", 10**9, 10**400]  # fmt: skip


@pytest.mark.parametrize("model", FORGED)
def test_no_value_makes_the_check_run_on(model: str) -> None:
    """Every field of numbers, by itself, and what is at its first place."""
    text, raw = proved(model)
    places = [("statement",), ("statement", "data"), ("statement", "settings"), ("primal",),
              ("dual",), ()]  # fmt: skip
    rng = np.random.default_rng(0)
    for where in places:
        for key in functools.reduce(lambda part, name: part[name], where, json.loads(text)):
            proof = json.loads(text)
            part = functools.reduce(lambda part, name: part[name], where, proof)
            value = HOSTILE[int(rng.integers(len(HOSTILE)))]
            first = isinstance(part[key], list) and part[key] and rng.random() < 0.5
            part[key] = [value, *part[key][1:]] if first else value
            began = time.process_time()
            verdict(sealed(proof), raw)
            assert time.process_time() - began < 3.0, (key, value)


CROWDED: dict[str, Callable[[Json], Any]] = {
    "very many kernels": lambda proof: proof["statement"].update(
        kernels=[f"rbf:{k}e-3" for k in range(1, 1001)]
    ),
    "laplace": lambda proof: proof["statement"].update(
        kernels=[f"laplace:{k}" for k in range(1, 401)]
    ),
    "pairs that repeat": lambda proof: proof["primal"].update(
        pairs=[[0, 0]] * 200_000, numbers=["0x1"] * 200_000
    ),
    "long numbers and every degree": lambda proof: (
        proof["statement"].update(kernels=[f"poly:{k}" for k in range(1, 51)]),
        proof["dual"].update(numbers=[LONG[:-1]] * 60),
    ),
    "many digits": lambda proof: (
        proof["statement"]["data"].update(shift=[5e-324] * 2, divisor=[1e-300] * 2),
        proof["statement"].update(kernels=["poly:1"]),
        proof["dual"].update(numbers=[LONG[:-1]] * 60),
    ),
    "columns that no line has": lambda proof: proof["statement"]["data"].update(
        sparse=True, csv=None, label=0, columns=[*range(700_000)], shift=[0] * 700_000,
        divisor=[1] * 700_000,
    ),
}  # fmt: skip


@functools.cache
def sixty() -> tuple[str, bytes]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 2)), 3)
    data = rp.dataset(X, np.where(X[:, 0] > 0, 1, -1))
    run = rp.fit(rp.VKR(kernels="poly:1,rbf:1", lam=0.05, beta=0.05), data)
    proof = rp.prove(run, data)
    return proof.to_json(), proof.data or b""


@pytest.mark.parametrize("how", CROWDED)
def test_the_work_is_counted_before_it_begins(how: str) -> None:
    text, raw = sixty()
    proof = json.loads(text)
    CROWDED[how](proof)
    proof["statement"]["given"] = proof_checker.given(proof["statement"])
    began = time.process_time()
    assert verdict(sealed(proof), raw).startswith("INVALID")
    assert time.process_time() - began < 4.0


def test_more_work_is_done_where_it_is_allowed(tmp_path: Path, capsys, monkeypatch) -> None:
    text, raw = sixty()
    (tmp_path / "proof.json").write_text(text)
    (tmp_path / "data.csv").write_bytes(raw)
    monkeypatch.setattr(proof_checker, "WORK", 1e5)
    monkeypatch.setattr(proof_checker.check, "__defaults__", (1e5,))
    files = [str(tmp_path / "proof.json"), str(tmp_path / "data.csv")]
    assert proof_checker.main(files) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "1e+05 are allowed" in err
    assert proof_checker.main([*files, err.split("add ")[1].split()[0]]) == 0


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


def test_prove_prints_the_command_that_checks(tmp_path: Path, capsys, monkeypatch) -> None:
    from radprog.cli import main

    monkeypatch.chdir(tmp_path)
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
    assert proof_checker.main([proof, data, str(0.98 * float(work))]) == 2


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


def test_a_bound_beyond_the_objective_needs_no_point_that_is_none() -> None:
    """Forged claims that the points do not bear: each of them alone, and all together."""
    text, raw = proved("svm")
    for name in ("objective", "bound", "gap"):
        proof = json.loads(text)
        proof[name] = number(value_of(proof[name]) + Fraction(1, 10**30))
        assert "that of the points" in verdict(sealed(proof), raw)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"bits":128', '"bits":128,"bits":128'),
        ('"rows":14', '"rows":15,"rows":14'),
        ('"left_out":[]', '"left_out":[NaN]'),
        ('"left_out":[]', '"left_out":[Infinity]'),
    ],
)
def test_text_that_readers_may_read_differently(old, new, tmp_path, capsys) -> None:
    text, raw = proved("l1svm")
    assert text.count(old) == 1
    (tmp_path / "data.csv").write_bytes(raw)
    for content, valid in ((text, True), (text.replace(old, new), False), (text + "{}", False)):
        (tmp_path / "proof.json").write_text(content)
        code = proof_checker.main([str(tmp_path / "proof.json"), str(tmp_path / "data.csv")])
        assert (code == 0) == valid, capsys.readouterr().out


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
    assert found is not None
    factors = [1.0, 1.0]
    if normalize == "trace":
        factors = [np.trace(K) / 14 for K in (X @ X.T, (X @ X.T + 1) ** 2)]
    sums = np.multiply(run.summary["tail_sums"], factors)
    assert [float(text) for text in found.groups()] == pytest.approx(sums.tolist(), rel=1e-9)
