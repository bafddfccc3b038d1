"""Closed streams, a deleted folder, environment variables of colours: one line, never a defect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"{sys.executable} -m radprog"
TABLE = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(20))
COMMANDS = ["solve l1svm t.csv --json -", "solvers", "--version", "bounds -h"]


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**kept, **environment}, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("closed", [">&-", ">/dev/full"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_stdout_is_one_line(command: str, closed: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    done = shell(f"{PROGRAM} {command} {closed}", tmp_path)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "error" in line or "defect" in line]
    assert len(lines) == 1
    assert lines[0].startswith("radprog: error: cannot write to standard output")


def test_all_closed_streams(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    done = shell(f"{PROGRAM} solve l1svm t.csv --json r.json --quiet <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "r.json").read_text().startswith("{")
