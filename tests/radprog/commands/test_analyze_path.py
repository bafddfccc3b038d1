"""radprog analyze --path: an exact path from the command line."""

import json
from pathlib import Path

import pytest

ARGUMENTS = ("analyze", "vkr", "train.csv", "--scale", "ball", "--kernels", "poly:1-2")


@pytest.mark.thorough
def test_the_whole_path(radprog, folder) -> None:
    done = radprog.ok(
        *ARGUMENTS, "--path beta=1e-3..1 --validate test.csv --json path.json --plot path.png"
    )
    block = json.loads(Path("path.json").read_text())
    pieces = block["pieces"]
    assert [piece["to"] for piece in pieces[:-1]] == block["breakpoints"]
    assert [piece["from"] for piece in pieces[1:]] == block["breakpoints"]
    assert (pieces[0]["from"], pieces[-1]["to"]) == (1e-3, 1.0)
    assert (block["complete"], block["certified"]) == (True, True)
    assert block["gap"] < 1e-8
    assert f"{len(pieces)} pieces" in done.out
    best = block["validation"]
    assert best["error"] == min(piece["validation_error"] for piece in pieces)
    assert any(low <= best["choice"] <= high for low, high in best["intervals"])
    assert Path("path.png").read_bytes()[:4] == b"\x89PNG"
    solved = radprog("solve", *ARGUMENTS[1:], "--beta", best["choice"], "--test test.csv --json -")
    assert json.loads(solved.out)["test"]["error"] == pytest.approx(best["error"])


@pytest.mark.thorough
def test_from_zero_and_without_validation(radprog, folder) -> None:
    done = radprog.ok(*ARGUMENTS, "--path", "lam=0..0.5", "--json", "-", "--plot", "path.svg")
    block = json.loads(done.out)
    assert block["validation"] is None
    assert block["from"] == 0
    assert "path of lam from 0 to 0.5" in done.err


def test_a_path_cut_off_exits_with_1(radprog, folder) -> None:
    done = radprog(*ARGUMENTS, "--path", "beta=1e-4..1", "--time-limit", "0.001", "--json", "-")
    assert done.code == 1
    block = json.loads(done.out)
    assert (block["complete"], block["certified"]) == (False, False)
    assert "STOPPED" in done.err
