"""radprog prove: a proof of a result's file, and what it refuses."""

import gzip
import json
import re
from pathlib import Path

import pytest

from radprog import proof_checker

pytest.importorskip("flint")


@pytest.fixture
def result(once, folder) -> None:
    options = ("--kernels", "poly:1-2", "--json", "run.json", "--quiet")
    assert once("solve", "vkr", "train.csv", "--scale", "ball", *options).code == 0


def checked(data: str = "train.csv") -> str:
    """What the checker says, and its exit code."""
    lines: list[str] = []
    proof, raw = (Path(name).read_bytes() for name in ("proof.json", data))
    try:
        lines.append("VALID: " + proof_checker.check(json.loads(proof), raw))
    except ValueError as error:
        lines.append(f"INVALID: {error}")
    return lines[0]


def test_a_result_is_proved(radprog, result) -> None:
    done = radprog.ok("prove", "run.json", "train.csv", "-o", "proof.json", "--json", "told.json")
    assert re.search(r"^gap        (0, exactly|\S+, absolute); ", done.out, re.M)
    told = json.loads(Path("told.json").read_text())
    claimed = json.loads(Path("run.json").read_text())
    assert told["claimed"] == {key: claimed[key] for key in ("objective", "bound")}
    assert told["objective"] == pytest.approx(claimed["objective"], rel=1e-9)
    assert told["gap"] < 1e-20
    assert checked().startswith("VALID: vkr, ")


@pytest.mark.parametrize("scale", ["none", "standard", "minmax", "unit", "ball"])
def test_every_scaling_is_repeated(radprog, folder, scale) -> None:
    options = ("--kernels", "linear", "--json", "run.json", "--quiet")
    assert radprog("solve", "l1svm", "train.csv", "--scale", scale, *options).code == 0
    assert radprog("prove", "run.json", "train.csv", "-o", "proof.json").code == 0
    assert checked().startswith("VALID: l1svm, ")


LAYOUTS = {
    "semicolons.csv": "a; b; class\n1; 2; no\n\n2; 1; yes\n3; 1.5; yes\n0.5; 2; no\n",
    "tabs.tsv": "x\t0.25\t1\ny\t4\t1\nx\t0.5\t2\ny\t3\t2.5\n",
    "blanks.txt": "# a comment\n 1 2 1\n 2   1 2\n3 1 2\n1 4 1\n",
    "sparse.svm": "1 1:2 3:1\n-1 2:1\n1 1:1\n-1 3:4 # a comment\n",
    "quoted.csv": '"a","b","c"\n"1","2","yes"\n"2","1","no, never"\n"3","0","no, never"\n',
    "gaps.csv": "1,?,a\n2,3,b\n0,1,a\n2,2,b\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_is_read_again(radprog, tmp_path, monkeypatch, name) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(LAYOUTS[name])
    how = {"tabs.tsv": ("--label", "first"), "gaps.csv": ("--missing", "mean")}.get(name, ())
    options = ("--kernels", "linear", "--json", "run.json", "--quiet")
    assert radprog("solve", "l1svm", name, *how, *options).code == 0
    radprog.ok("prove", "run.json", name, "-o", "proof.json")
    assert checked(name).startswith("VALID: l1svm, ")


def test_what_is_no_proof_material_is_refused(radprog, result) -> None:
    for change, word in (
        ({"objective": 0.5}, "edited"),
        ({"certificate": {}, "digest": None}, "no points"),
        ({"model": "cdsk", "digest": None}, "made on other data"),
    ):
        told = json.loads(Path("run.json").read_text())
        Path("other.json").write_text(json.dumps({**told, **change}))
        radprog.refused(word, "prove", "other.json", "train.csv", "-o", "proof.json")
    Path("less.csv").write_text(Path("train.csv").read_text().rsplit("\n", 2)[0] + "\n")
    radprog.refused("the numbers differ", "prove", "run.json", "less.csv", "-o", "proof.json")
    radprog.refused("overwrite", "prove", "run.json", "train.csv", "-o", "train.csv")
    assert not Path("proof.json").exists()


def test_a_run_that_was_cut_off_is_proved(radprog, folder) -> None:
    options = ("--kernels", "poly:1-3", "--max-iter", 1, "--json", "run.json", "--quiet")
    assert radprog("solve", "vkr", "train.csv", *options).code == 1
    assert radprog("prove", "run.json", "train.csv", "-o", "proof.json").code == 0
    assert checked().startswith("VALID: vkr, ")


def test_a_packed_file_is_to_be_unpacked(radprog, folder) -> None:
    Path("train.csv.gz").write_bytes(gzip.compress(Path("train.csv").read_bytes()))
    options = ("--kernels", "linear", "--json", "run.json", "--quiet")
    assert radprog("solve", "l1svm", "train.csv.gz", *options).code == 0
    radprog.refused("unpack it first", "prove", "run.json", "train.csv.gz", "-o", "proof.json")
    assert radprog("prove", "run.json", "train.csv", "-o", "proof.json").code == 0
    assert checked().startswith("VALID: l1svm, ")
