"""Signals at random moments; memory that is not there."""

import subprocess
import sys
from pathlib import Path

import pytest
from faults import COMMANDS
from processes import PATIENCE, PROGRAM

SCRIPT = Path(__file__).with_name("faults.py")


def attacked(name: str, moments: int) -> str:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--commands", name, "--count", str(moments)],
        capture_output=True, text=True, timeout=3 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_signals_inside_a_grid_leave_whole_files() -> None:
    assert attacked("tune", 1).startswith("tune: 3 signals, 0 ")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_signals_at_twenty_random_moments(name: str) -> None:
    assert attacked(name, 20).startswith(f"{name}: 60 signals, 0 faults")


@pytest.mark.thorough
@pytest.mark.parametrize("megabytes", [1500, pytest.param(2500, marks=pytest.mark.slow)])
def test_memory_that_is_not_there_is_one_line(tmp_path: Path, megabytes: int) -> None:
    """20,000 rows make a kernel matrix of 3.2 GB, where there is no room for it."""
    rows = "\n".join(f"{i % 97},{i % 89},{'xy'[i % 2]}" for i in range(20_000))
    (tmp_path / "d.csv").write_text(rows + "\n")
    words = " ".join([*PROGRAM, "solve", "svm", "d.csv", "--kernels", "rbf:1", "--json", "r.json"])
    done = subprocess.run(
        ["/bin/sh", "-c", f"ulimit -v {megabytes * 1024}; exec {words}"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("radprog: error: ")
    assert done.stderr.count("\n") == 1
    assert "memory" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv"]
