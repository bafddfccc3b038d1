"""Ctrl-C and a time limit inside a long solve keep the best certified answer so far."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from radprog.instances.generators import waveform


@pytest.fixture
def long(folder, request) -> Path:
    """A file whose fit takes many seconds."""
    data = waveform(getattr(request, "param", 1500), seed=0)
    lines = [
        ",".join([*map(repr, point), str(int(sign))])
        for point, sign in zip(data.X.tolist(), data.targets, strict=True)
    ]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


ARGUMENTS = ("--scale", "ball", "--lam", "1e-6", "--beta", "1e-6", "--tol", "1e-9")


def check(result: dict, reason: str) -> None:
    assert (result["status"], result["stopped_by"]) == ("limit", reason)
    assert not result["certified"]
    assert 0 < result["bound"] < result["objective"] <= 1


@pytest.mark.parametrize(
    ("long", "method", "number"),
    [
        (1500, "colgen", signal.SIGINT),
        (1500, "colgen", signal.SIGTERM),
        (600, "dual", signal.SIGINT),
    ],
    indirect=["long"],
)
def test_ctrl_c(long, method, number) -> None:
    command = [sys.executable, "-m", "radprog", "solve", "vkr", str(long), *ARGUMENTS,
               "--method", method, "--json", "r.json", "--verbose"]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=long.parent
    )
    if method == "colgen":
        assert process.stderr is not None
        for _ in range(3):  # wait until some rounds are done
            process.stderr.readline()
    else:
        time.sleep(8.0)  # built and handed over by then
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 1
    check(json.loads((long.parent / "r.json").read_text()), "interrupt")
    assert sorted(path.name for path in long.parent.iterdir()) == [
        "long.csv", "r.json", "test.csv", "train.csv",
    ]  # fmt: skip


def test_time_limit(radprog, long) -> None:
    found = radprog("solve", "vkr", long, *ARGUMENTS, "--time-limit", 2, "--json", "r.json")
    assert found.code == 1
    result = json.loads(Path("r.json").read_text())
    check(result, "time_limit")
    assert result["time"]["total"] < 10
