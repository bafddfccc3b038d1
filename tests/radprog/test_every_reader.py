"""Every linear form, in both formats, has one optimum in every solver that reads it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from processes import PATIENCE
from program_files import read_file_with

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
    done = radprog(
        "export", "vkr", "few.csv", "--scale", "ball", "--kernels", "poly:1-2,rbf:1",
        "--lam", 1e-2, "--beta", 1e-2, "--form", form, "-o", file,
    )  # fmt: skip
    assert done.code == 0, done.err
    verdict = verify(file, reader, time_limit=PATIENCE)
    assert verdict.agrees, verdict
    assert verdict.difference is not None
    assert verdict.difference <= 1e-6
    names = json.loads(names_path(file).read_text())
    assert set(verdict.answer.x) <= set(names["columns"])
    if form != "margin":  # a value that is not trivial
        assert 0.02 < abs(names["expected_objective"]) < 0.98


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "reader"), PAIRS)
def test_tiny_prices_are_judged_by_the_objective_itself(folder, suffix, reader) -> None:
    data = small(folder, 20)
    spec = rp.VKR(kernels="poly:1-3", lam=1e-6, beta=1e-6)
    run = rp.fit(spec, data, tol=1e-9)
    assert run.bound is not None
    rp.export(rp.build(spec, data, form="primal"), folder / f"p.{suffix}")
    answer = read_file_with(reader, folder / f"p.{suffix}")
    problem = {(k, j): 0.0 for k in range(3) for j in range(data.rows)}
    for (k, j), _ in list(problem.items()):
        plus = answer.x.get(f"alpha_plus({k}.{j})", 0.0)
        problem[k, j] = plus - answer.x.get(f"alpha_minus({k}.{j})", 0.0)
    K = [(data.X @ data.X.T + 1.0) ** degree for degree in (1, 2, 3)]
    scores = sum(problem[k, j] * K[k][:, j] for k, j in problem)
    penalties = run.evidence["penalties"]
    value = float(np.maximum(0.0, 1.0 - data.targets * scores).mean()) + sum(
        (1e-6 * penalties[k] + 1e-6) * abs(value) for (k, _), value in problem.items()
    )
    assert value >= run.bound
    # Absolute tolerances of 1e-6 to 1e-7 per row are what these solvers promise, no more.
    assert value <= run.objective + 2e-5
