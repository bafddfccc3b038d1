"""radprog prove: a proof of a result's file, and what it refuses."""

import gzip
import json
import re
from pathlib import Path

import pytest
from planted import verdict

pytest.importorskip("flint")


@pytest.fixture
def result(once, folder) -> None:
    once.ok("solve vkr train.csv --scale ball --kernels poly:1-2 --json run.json")


def checked(data: str = "train.csv") -> str:
    """What the checker says."""
    return verdict(json.loads(Path("proof.json").read_text()), Path(data).read_bytes())


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
    radprog.ok("solve l1svm train.csv --kernels linear --json run.json --scale", scale)
    radprog.ok("prove run.json train.csv -o proof.json")
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
def test_every_layout_is_read_again(radprog, empty, name) -> None:
    Path(name).write_text(LAYOUTS[name])
    how = {"tabs.tsv": ("--label", "first"), "gaps.csv": ("--missing", "mean")}.get(name, ())
    radprog.ok("solve l1svm", name, *how, "--kernels linear --json run.json")
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


def test_a_packed_file_is_to_be_unpacked(radprog, folder) -> None:
    Path("train.csv.gz").write_bytes(gzip.compress(Path("train.csv").read_bytes()))
    radprog.ok("solve l1svm train.csv.gz --kernels linear --json run.json")
    radprog.refused("unpack it first", "prove", "run.json", "train.csv.gz", "-o", "proof.json")
    radprog.ok("prove run.json train.csv -o proof.json")
    assert checked().startswith("VALID: l1svm, ")
