"""Every linear form, in both formats, has one optimum in every solver that reads it."""

import json
from pathlib import Path

import pytest
from processes import PATIENCE

import radprog as rp
from radprog.exporting import names_path, verify

FORMS = ("primal", "dual", "master", "budget", "margin")
PAIRS = [
    (suffix, reader) for suffix in ("lp", "mps") for reader in ("highs", "scip", "glpk", "cbc")
]


def small(folder: Path, rows: int = 14) -> rp.Dataset:
    lines = (folder / "train.csv").read_text().split("\n")[: rows + 1]
    (folder / "few.csv").write_text("\n".join(lines) + "\n")
    return rp.read(folder / "few.csv", scale="ball")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("suffix", "reader"), PAIRS)
def test_one_optimum(radprog, folder, form, suffix, reader) -> None:
    small(folder)
    file = f"p.{suffix}"
    radprog.ok(
        "export", "vkr", "few.csv", "--scale", "ball", "--kernels", "poly:1-2,rbf:1",
        "--lam", 1e-2, "--beta", 1e-2, "--form", form, "-o", file,
    )  # fmt: skip
    verdict = verify(file, reader, time_limit=PATIENCE)
    assert verdict.agrees, verdict
    assert verdict.difference <= 1e-6
    names = json.loads(names_path(file).read_text())
    assert set(verdict.answer.x) <= set(names["columns"])
    if form != "margin":  # a value that is not trivial
        assert 0.02 < abs(names["expected_objective"]) < 0.98
