"""The proof on the front page: what its commands print, but for digits that solvers decide."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from fences import fenced

import radprog as rp
from radprog import proof_checker

ROOT = Path(__file__).resolve().parents[3]
VERDICT = re.compile(r"VALID: (\w+, \d+ points): the optimum is (\S+) to (\S+), gap ([^\s;]+)")


def shown_verdict() -> tuple[Any, ...]:
    """What and how many points, optimum from and to, gap: the one verdict of the front page."""
    blocks = fenced(ROOT / "README.md", "", "text")
    (found,) = VERDICT.findall("\n".join(block for _, block in blocks))
    return found


@pytest.mark.thorough
def test_the_proof_of_the_front_page(classes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("flint")
    data = rp.read("train.csv", scale="unit")
    proof = rp.prove(rp.fit(rp.VKR(), data), data, "train.csv")
    proof.save("proof.json")
    assert proof_checker.main(["proof.json", "train.csv"]) == 0
    (found,) = VERDICT.findall(capsys.readouterr().out)
    what, *ends, gap = shown_verdict()
    assert found[:3] == (what, *ends)
    assert max(float(gap), proof.gap) < Fraction(1, 10**30)
