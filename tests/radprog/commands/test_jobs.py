"""The same bytes whoever works, and what ``--jobs`` refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from processes import ended

TUNE = ("tune", "vkr", "train.csv", "--scale", "ball", "--kernels", "poly:1-3", "--folds", 3,
        "--grid", "lam=1e-1..1e-3:6", "--grid", "beta=1e-1..1e-3:5",
        "--json", "t.json")  # fmt: skip
COMPRESSION = ("tune", "svm", "train.csv", "--kernels", "linear", "--grid", "C=0.1,1,10", "--by",
               "compression", "--json", "t.json")  # fmt: skip


def written(name: str) -> str:
    """A result, without its times."""
    found = json.loads(Path(name).read_text())
    for key in ("time", "peak_mb", "trace", "digest"):
        found.pop(key, None)
    return json.dumps(found)


@pytest.mark.thorough
@pytest.mark.parametrize("command", [TUNE, COMPRESSION], ids=lambda words: words[-3])
def test_two_processes_write_the_bytes_of_one(radprog, folder, command) -> None:
    found = []
    for jobs in (1, 2):
        done = radprog(*command, "--jobs", jobs)
        assert done.code == 0, done.err
        found.append((done.out, written("t.json")))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--jobs", 0), "jobs 0: expected a whole number >= 1, or all"),
        (("--jobs", -2), "jobs -2"),
        (("--jobs", "many"), "--jobs"),
        (("--jobs", 2, "--log", "s.log"), "s.log: 2 processes"),
    ],
)
def test_refused(radprog, folder, words, told) -> None:
    done = radprog(*TUNE, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.error
    assert not Path("t.json").exists()


def test_a_criterion_of_its_own_takes_one_process(radprog, folder) -> None:
    done = radprog("tune", "cdsk", "train.csv", "--grid", "clusters=2,3", "--jobs", 2)
    assert done.code == 2
    assert "leave --jobs out" in done.error


@pytest.mark.thorough
def test_ctrl_c_ends_all_processes_and_keeps_what_was_found(start, folder) -> None:
    grid = ("--grid", "lam=1e-1..1e-3:50", "--grid", "beta=1e-1..1e-3:40", "--folds", 20)
    process = start(*TUNE[:7], *grid, "--json", "t.json", "--jobs", 2, "--verbose")
    line = next(line for line in process.stderr if " s left" in line)
    assert "of 40000" in line
    process.send_signal(signal.SIGINT)
    code, _, errors = ended(process)
    assert code == 1, errors
    assert "Traceback" not in errors
