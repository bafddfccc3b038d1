"""Every result follows the schema, holds no NaN, and says the same thing in all its words."""

from __future__ import annotations

import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SCHEMA = json.loads((resources.files("radprog") / "result.schema.json").read_text())

CASES = [
    ("vkr", ("--kernels", "poly:1-2", "--method", method)) for method in
    ("colgen", "direct", "dual", "cd")
] + [
    ("vkr", ("--kernels", "rbf:0.1,linear", "--complexity", name))
    for name in ("massart", "montecarlo", "local", "none")
] + [
    ("vkr", ("--kernels", "poly:1-3", "--complexity", "poly")),
    ("vkr", ("--kernels", "poly:1-3", "--max-iter", "0")),
    ("vkr", ("--kernels", "poly:1-3", "--lam", "100")),
    ("l1svm", ("--kernels", "rbf:1",)),
    ("svm", ("--kernels", "poly:2",)),
    ("svm", ("--kernels", "poly:2", "--solver", "piqp")),
]  # fmt: skip


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers(item)]
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, float) else []


@pytest.mark.parametrize(("model", "options"), CASES, ids=lambda value: str(value))
def test_results(radprog, folder, model, options) -> None:
    found = radprog(
        "solve", model, "train.csv", "--scale", "ball", *options, "--test", "test.csv",
        "--json", "r.json",
    )  # fmt: skip
    text = Path("r.json").read_text()
    assert "NaN" not in text
    assert "Infinity" not in text
    result = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    assert all(math.isfinite(number) for number in numbers(result))
    assert result["bound"] <= result["objective"] * (1 + 1e-12)
    gap = abs(result["objective"] - result["bound"]) / max(abs(result["objective"]), 1e-10)
    assert result["gap"] == pytest.approx(gap)
    assert result["certified"] == (gap <= 1e-6 or result["objective"] - result["bound"] <= 1e-9)
    assert (result["status"] == "optimal") == result["certified"]
    assert (result["stopped_by"] == "tolerance") == result["certified"]
    assert found.code == (0 if result["certified"] or "cd" in options else 1)
    assert result["time"]["total"] >= result["time"]["solve"] >= 0
    for line in result["trace"]:
        assert line["bound"] <= result["objective"] * (1 + 1e-9)
    assert radprog("check", "r.json", "train.csv").code == 0


def test_the_schema_can_fail(radprog, folder) -> None:
    radprog("solve", "vkr", "train.csv", "--kernels", "linear", "--json", "r.json")
    result = json.loads(Path("r.json").read_text())
    result["status"] = "splendid"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(result)
