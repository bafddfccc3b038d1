"""The same bytes whoever works, and what ``--jobs`` refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from processes import ended

from radprog.decompositions.executors.checkpoint import Checkpoint
from radprog.decompositions.executors.units import UnitAnswer

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


COMPLEXITY = ("complexity", "vkr", "train.csv", "--kernels", "poly:1-3", "--trials", 300, "--json",
              "t.json")  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("command", [TUNE, COMPRESSION, COMPLEXITY], ids=lambda words: words[0])
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
    assert "leave --jobs and --checkpoint out" in done.error


@pytest.mark.thorough
@pytest.mark.parametrize("command", [TUNE, COMPLEXITY], ids=lambda words: words[0])
@pytest.mark.parametrize("after", [1, 3])
def test_killed_and_started_again(radprog, folder, monkeypatch, command, after) -> None:
    """What a checkpoint holds is not computed again, and the table is that of a run undisturbed."""
    assert radprog(*command).code == 0
    whole = written("t.json")
    given = (*command, "--checkpoint", "kept")
    keep = Checkpoint.keep

    def dying(self: Checkpoint, number: int, answer: UnitAnswer) -> None:
        keep(self, number, answer)
        if number + 1 == after:
            raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", dying)
        assert radprog(*given).code == 9
    files = {path: path.stat().st_mtime_ns for path in Path("kept").glob("unit-*")}
    assert len(files) == after
    for _ in range(2):
        assert radprog(*given).code == 0
        assert written("t.json") == whole
        assert all(path.stat().st_mtime_ns == then for path, then in files.items())


def spoilt(name: str) -> str:
    """What a checkpoint of TUNE says when it was changed in some way."""
    sweep = Path("kept/sweep.json")
    if name == "truncated unit":
        unit = Path("kept/unit-00001.json")
        unit.write_text(unit.read_text()[:-20])
        return "unit-00001.json: truncated"
    if name == "truncated sweep":
        sweep.write_text(sweep.read_text()[:20])
        return "sweep.json: truncated"
    if name == "version":
        sweep.write_text(sweep.read_text().replace('"radprog": "', '"radprog": "9'))
        return "written by radprog 9"
    if name == "unit of another":
        unit = Path("kept/unit-00001.json")
        unit.write_text(unit.read_text().replace('"sweep": "', '"sweep": "0'))
        return "it is of another sweep"
    for path in Path("kept").iterdir():
        path.rename(path.with_suffix(".txt"))
    return "no sweep: name a new folder"


SPOILT = ("truncated unit", "truncated sweep", "version", "unit of another", "other files")


@pytest.mark.parametrize("name", SPOILT)
def test_a_checkpoint_that_was_spoilt_is_refused(once, folder, name) -> None:
    given = (*TUNE, "--checkpoint", "kept")
    Path("kept").mkdir()
    assert once(*given).code == 0
    told = spoilt(name)
    done = once(*given)
    assert (done.code, done.out) == (2, "")
    assert told in done.error


@pytest.mark.parametrize(
    ("words", "told"),
    [(("--seed", 1), "whose folds, seed differ"), (("--tol", 1e-5), "options differ"),
     (("--by", "bound"), "whose by differ"), (("--scale", "none"), "whose data differs")],
)  # fmt: skip
def test_a_checkpoint_of_another_sweep_is_refused(once, folder, words, told) -> None:
    given = (*TUNE, "--checkpoint", "kept")
    Path("kept").mkdir()
    assert once(*given).code == 0
    done = once(*given, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.error


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
