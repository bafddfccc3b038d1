"""Every result follows the schema, holds no NaN, and says the same thing in all its words."""

import json
from pathlib import Path

import numpy as np
import pytest
from written import follows_the_schema, result_in


def sinc_file() -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 24)
    y = np.sinc(3 * x / np.pi) + 0.05 * rng.normal(size=24)
    lines = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    Path("sinc.csv").write_text("\n".join(["x,y", *lines]) + "\n")


@pytest.mark.parametrize("method", ["colgen", "cd"])
def test_no_iterations_are_a_result_too(radprog, folder, method) -> None:
    found = radprog(
        "solve vkr train.csv --kernels poly:1-2 --method", method, "--max-iter 0 --json r.json"
    )
    result = result_in()
    assert (found.code, result["iterations"], result["trace"]) == (1, 0, [])
    assert (result["status"], result["stopped_by"]) == ("limit", "max_iter")


def test_the_absolute_tolerance_certifies_alone(radprog, folder) -> None:
    options = ("--scale", "ball", "--kernels", "poly:1-3", "--max-iter", 2, "--json", "-")
    loose = json.loads(radprog("solve", "vkr", "train.csv", *options, "--abs-tol", 1).out)
    follows_the_schema(loose)
    assert (loose["certified"], loose["certified_by"]) == (True, "abs-tol")
    assert loose["gap"] > 1e-6
    tight = json.loads(radprog("solve", "vkr", "train.csv", *options).out)
    assert (tight["certified"], tight["certified_by"]) == (False, None)


@pytest.mark.parametrize("file", ["p.lp", "p.mps"])
def test_a_constant_of_the_objective_is_a_column_with_a_name(radprog, folder, file) -> None:
    sinc_file()
    radprog.ok("export svr sinc.csv --gamma 1 --A 0.01 --eps-up 0.1 --form step-dual -o", file)
    names = json.loads(Path(f"{file}.names.json").read_text())
    assert names["columns"]["objective_constant"] == "objective_constant"
    assert radprog("verify", file).code == 0
