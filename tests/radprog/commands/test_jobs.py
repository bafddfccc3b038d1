"""The same bytes whoever works, and what ``--jobs`` refuses."""

import json
import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from processes import ended, until
from refusals import refused
from small_files import write_csv

import radprog as rp
from radprog.decompositions.sweeps.checkpoint import sweep_hash

GRID = "--grid lam=1e-1..1e-3:6 --grid beta=1e-1..1e-3:5"
TUNE = f"tune vkr train.csv --scale ball --kernels poly:1-3 --folds 3 {GRID} --json t.json"
KILLED = TUNE.replace("--folds 3", "--folds 5") + " --checkpoint kept"
BLOCKS = {  # units of one fit
    "starts": "solve svr line.csv --gamma 1 --A 5 --starts 12 --json t.json",
    "signs": "solve complexity line.csv --gamma 1 --A 1 --trials 130 --starts 3 --json t.json",
    "classes": "solve vkr three.csv --one-vs-rest --kernels poly:1-2 --json t.json",
}
EVERY = {
    **BLOCKS,
    "srm": "solve srm line.csv --gammas 0.1,1,5 --As 0.1,1 --trials 4 --folds 3 --json t.json",
    "folds": TUNE,
    "complexity": "complexity vkr train.csv --kernels poly:1-3 --trials 300 --json t.json",
}


def written():
    """A result without its times, and the objectives of its trace."""
    found = json.loads(Path("t.json").read_text())
    trace = [(one["iteration"], one["objective"]) for one in found.pop("trace", ())]
    for key in ("time", "peak_mb", "digest"):
        found.pop(key, None)
    return json.dumps(found), trace


def units() -> list[Path]:
    return list(Path("kept").glob("unit-*"))


def children_of(process) -> list[Path]:
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [Path("/proc", pid) for task in tasks for pid in task.read_text().split()]


@pytest.fixture
def more(folder: Path) -> None:
    """A line with noise, and three classes."""
    rng, x = np.random.default_rng(0), np.linspace(-2.0, 2.0, 20)
    write_csv("line.csv", x, np.sinc(x) + 0.1 * rng.normal(size=20))
    write_csv("three.csv", rng.normal(size=(30, 2)), [f"class{number % 3}" for number in range(30)])


@pytest.mark.cases(3)
@pytest.mark.thorough
@pytest.mark.parametrize("name", EVERY)
def test_two_processes_write_what_one_does(radprog, more, name) -> None:
    found = []
    for jobs in (1, 2):
        radprog.ok(EVERY[name], "--jobs", jobs)
        found.append(written())
    assert found[0] == found[1]


@pytest.mark.cases(1)
@pytest.mark.thorough
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_kept(radprog, more, name) -> None:
    """A second run computes the block that is missing alone, and the answer is the same."""
    radprog.ok(BLOCKS[name])
    whole = written()
    for spoil in (False, True):
        if spoil:
            Path("kept/unit-00001.json").unlink()
        files = {path: path.stat().st_mtime_ns for path in units()}
        radprog.ok(BLOCKS[name], "--checkpoint kept")
        assert (written(), len(units())) == (whole, 2 if name == "signs" else 3)
        assert all(path.stat().st_mtime_ns == then for path, then in files.items())
    radprog.refused("whose seed differs", BLOCKS[name], "--seed 1 --checkpoint kept")


def test_machines_that_a_limit_ended_are_not_kept(radprog, more) -> None:
    """The others are, and a run that reads them builds and predicts as before."""
    data, spec = rp.read("three.csv", one_vs_rest=True), rp.L1SVM(kernels="rbf:1", beta=1e-4)
    alone = rp.fit(spec, data)
    assert not rp.fit(spec, data, max_iter=1, checkpoint="cut").certified
    assert [path.name for path in Path("cut").iterdir()] == ["sweep.json"]
    for _ in range(2):
        kept = rp.fit(spec, data, checkpoint="kept")
        assert (kept.objective, kept.bound) == (alone.objective, alone.bound)
        assert kept.summary == alone.summary
        np.testing.assert_array_equal(kept.predict(data.X), alone.predict(data.X))
    assert rp.solve(kept.model()).objective == pytest.approx(alone.objective)
    path = Path("kept/unit-00001.json")
    stored = json.loads(path.read_text())
    stored["value"]["reason"] = "whim"
    stored["sha256"] = sweep_hash({"value": stored["value"]})
    path.write_text(json.dumps(stored))
    words = "not a run that a checkpoint keeps"
    refused(rp.DataError, words, rp.fit, spec, data, checkpoint="kept")


@pytest.mark.thorough
@pytest.mark.parametrize("after", [1, 4])
def test_a_driver_that_was_killed_outright(radprog, start, folder, after) -> None:
    process = start(*KILLED.split(), "--jobs", 2)
    until(lambda: len(units()) >= after, process)
    process.kill()
    process.wait()
    Path("t.json").unlink(missing_ok=True)  # it may have been quicker
    count = len(units())
    done = radprog.ok(KILLED)
    assert re.search(rf"continuing: {count} units found, \d+ of 150 fits", done.err)
    again = written()
    radprog.ok(KILLED.replace("--checkpoint kept", ""))
    assert written() == again


SPOILT = {  # a file of the checkpoint, what is replaced in it, and what is said
    "truncated unit": ("unit-00001.json", r"(?s).{20}$", "", "unit-00001.json: truncated"),
    "edited unit": ("unit-00001.json", r'"score": 0\.', '"score": 0.9', "truncated, edited"),
    "truncated sweep": ("sweep.json", r"(?s)(?<=^.{20}).*", "", "sweep.json: truncated"),
    "version": ("sweep.json", '"radprog": "', '"radprog": "9', "written by radprog 9"),
    "no hash": ("unit-00001.json", r', "sha256": "[0-9a-f]*"', "", "truncated, edited"),
    "unit of another": ("unit-00001.json", '"sweep": "', '"sweep": "0', "it is of another sweep"),
}


OTHERS = {  # words that make another sweep of the command
    "": "no sweep: name a new folder",  # other files
    "--seed 1": "whose folds, seed differ",
    "--tol 1e-5": "options differ",
    "--by bound": "whose by differ",
    "--scale none": "whose data differs (--scale)",
    "--missing mean": "whose data differs (--missing): name a new folder",
}


@pytest.mark.parametrize("name", [*SPOILT, *OTHERS])
def test_a_checkpoint_that_was_spoilt_or_is_of_another_sweep_is_refused(once, folder, name) -> None:
    Path("kept").mkdir()
    once.ok(TUNE, "--checkpoint kept")
    words, told = (name, OTHERS[name]) if name in OTHERS else ("", "")
    if name in SPOILT:
        file, pattern, text, told = SPOILT[name]
        path = Path("kept", file)
        path.write_text(re.sub(pattern, text, path.read_text(), count=1))
    for path in () if name else [*Path("kept").iterdir()]:
        path.rename(path.with_suffix(".txt"))
    once.refused(told, TUNE, "--checkpoint kept", words)


@pytest.mark.thorough
def test_workers_end_with_a_caller_that_is_killed(start, folder, monkeypatch) -> None:
    """And so does the folder with what they share."""
    monkeypatch.setenv("TMPDIR", str(folder / "shared"))
    (folder / "shared").mkdir()
    long = TUNE.replace(":6", ":50").replace(":5 ", ":40 ").replace("--folds 3", "--folds 20")
    process = start(*long.split(), "--jobs", 2, "--verbose")
    assert any("fits: " in line for line in process.stderr)
    workers = children_of(process)
    assert len(workers) > 1
    assert any((folder / "shared").iterdir())
    process.kill()
    process.wait()
    for _ in range(1000):
        if not any(map(running, workers)) and not [*(folder / "shared").glob("radprog-*")]:
            return
        time.sleep(0.01)
    raise AssertionError("workers of a caller that is gone")


def running(process: Path) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.thorough
def test_ctrl_c_reaches_workers_that_are_starting(start, folder) -> None:
    """A terminal sends it to all processes, also while they import."""
    process = start(*KILLED.split(), "--jobs", 2)

    def begun() -> bool:
        return any(b"/numpy/" in (one / "maps").read_bytes() for one in children_of(process))

    until(begun, process)
    os.killpg(process.pid, signal.SIGINT)
    code, _, errors = ended(process)
    assert code == 1, errors
    assert "Traceback" not in errors
    assert f"{len(units())} units are kept in kept: the same command continues" in errors
