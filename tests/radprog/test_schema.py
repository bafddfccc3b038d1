"""Every result follows the schema, holds no NaN, and says the same thing in all its words."""

import json

import pytest
from written import follows_the_schema, result_in


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
