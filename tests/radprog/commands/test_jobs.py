"""The same bytes whoever works, and what ``--jobs`` refuses."""

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import ended, until

import radprog as rp
from radprog.decompositions.sweeps.checkpoint import sweep_hash

TUNE = ("tune", "vkr", "train.csv", "--scale", "ball", "--kernels", "poly:1-3", "--folds", 3,
        "--grid", "lam=1e-1..1e-3:6", "--grid", "beta=1e-1..1e-3:5",
        "--json", "t.json")  # fmt: skip
KILLED = (*TUNE[:7], "--folds", 5, "--grid", "lam=1e-1..1e-3:6", "--grid", "beta=1e-1..1e-3:5",
          "--json", "t.json")  # fmt: skip
COMPRESSION = ("tune", "svm", "train.csv", "--kernels", "linear", "--grid", "C=0.1,1,10", "--by",
               "compression", "--json", "t.json")  # fmt: skip


def written(name: str) -> str:
    """A result, without its times."""
    found = json.loads(Path(name).read_text())
    for key in ("time", "peak_mb", "trace", "digest"):
        found.pop(key, None)
    return json.dumps(found)


def objectives(name: str) -> list[Any]:
    """Those of a trace, which tells seconds beside them."""
    trace = json.loads(Path(name).read_text()).get("trace", ())
    return [(record["iteration"], record["objective"]) for record in trace]


COMPLEXITY = ("complexity", "vkr", "train.csv", "--kernels", "poly:1-3", "--trials", 300, "--json",
              "t.json")  # fmt: skip


SRM = ("solve", "srm", "line.csv", "--gammas", "0.1,1,5", "--As", "0.1,1", "--trials", 4, "--folds",
       3, "--json", "t.json")  # fmt: skip
STARTS = ("solve", "svr", "line.csv", "--gamma", 1, "--A", 5, "--starts", 12, "--json",
          "t.json")  # fmt: skip
VECTORS = ("solve", "complexity", "line.csv", "--gamma", 1, "--A", 1, "--trials", 130, "--starts",
           3, "--json", "t.json")  # fmt: skip
CLASSES = ("solve", "vkr", "three.csv --one-vs-rest --kernels poly:1-2 --json t.json")


@pytest.fixture
def more(folder: Path) -> None:
    """A line with noise, and three classes."""
    rng = np.random.default_rng(0)
    x = np.linspace(-2.0, 2.0, 20)
    rows = zip(x.tolist(), (np.sinc(x) + 0.1 * rng.normal(size=20)).tolist(), strict=True)
    Path("line.csv").write_text("".join(f"{a!r},{b!r}\n" for a, b in rows))
    points = rng.normal(size=(30, 2)).tolist()
    rows3 = zip(points, [f"class{number % 3}" for number in range(30)], strict=True)
    Path("three.csv").write_text("".join(f"{a!r},{b!r},{name}\n" for (a, b), name in rows3))


EVERY = {"srm": SRM, "starts": STARTS, "signs": VECTORS, "classes": CLASSES, "folds": TUNE,
         "compression": COMPRESSION, "complexity": COMPLEXITY}  # fmt: skip


@pytest.mark.cases(3)
@pytest.mark.thorough
@pytest.mark.parametrize("command", EVERY.values(), ids=EVERY)
def test_two_processes_write_what_one_does(radprog, more, command) -> None:
    found = []
    for jobs in (1, 2):
        radprog.ok(*command, "--jobs", jobs)
        found.append((written("t.json"), objectives("t.json")))
    assert found[0] == found[1]


@pytest.mark.cases(1)
@pytest.mark.thorough
@pytest.mark.parametrize("command", [STARTS, VECTORS, CLASSES], ids=lambda words: words[1])
def test_blocks_are_kept(radprog, more, command) -> None:
    """A second run computes the block that is missing alone, and the answer is the same."""
    assert radprog(*command).code == 0
    whole = written("t.json"), objectives("t.json")
    for spoil in (False, True):
        if spoil:
            Path("kept/unit-00001.json").unlink()
        files = {path: path.stat().st_mtime_ns for path in Path("kept").glob("unit-*")}
        assert radprog(*command, "--checkpoint", "kept").code == 0
        assert (written("t.json"), objectives("t.json")) == whole
        assert len(list(Path("kept").glob("unit-*"))) == (2 if command is VECTORS else 3)
        assert all(path.stat().st_mtime_ns == then for path, then in files.items())
    radprog.refused("whose seed differs", *command, "--seed", 1, "--checkpoint", "kept")


def test_machines_that_a_limit_ended_are_not_kept(radprog, more) -> None:
    """The others are, and a run that reads them builds and predicts as before."""
    data, spec = rp.read("three.csv", one_vs_rest=True), rp.L1SVM(kernels="rbf:1", beta=1e-4)
    alone = rp.fit(spec, data)
    assert not rp.fit(spec, data, max_iter=1, checkpoint="cut").certified
    assert [path.name for path in Path("cut").iterdir()] == ["sweep.json"]
    for _ in range(2):
        kept = rp.fit(spec, data, checkpoint="kept")
        assert (kept.objective, kept.bound, kept.summary) == (
            alone.objective, alone.bound, alone.summary
        )  # fmt: skip
        np.testing.assert_array_equal(kept.predict(data.X), alone.predict(data.X))
    assert rp.solve(kept.model()).objective == pytest.approx(alone.objective)
    path = Path("kept/unit-00001.json")
    stored = json.loads(path.read_text())
    stored["value"]["reason"] = "whim"
    stored["sha256"] = sweep_hash({"value": stored["value"]})
    path.write_text(json.dumps(stored))
    with pytest.raises(rp.DataError, match="not a run that a checkpoint keeps"):
        rp.fit(spec, data, checkpoint="kept")


@pytest.mark.thorough
@pytest.mark.parametrize("after", [1, 4])
def test_a_driver_that_was_killed_outright(radprog, start, folder, after) -> None:
    process = start(*KILLED, "--jobs", 2, "--checkpoint", "kept")
    until(lambda: len(list(Path("kept").glob("unit-*"))) >= after, process)
    process.kill()
    process.wait()
    Path("t.json").unlink(missing_ok=True)  # it may have been quicker
    assert radprog(*KILLED, "--checkpoint", "kept").code == 0
    again = written("t.json")
    assert radprog(*KILLED).code == 0
    assert written("t.json") == again


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="asks the kernel for children")
def test_a_worker_that_was_killed_outright(radprog, start, folder) -> None:
    """Half way, one of two: its units are done again, and the table is that of one process."""
    process = start(*KILLED, "--jobs", 2, "--checkpoint", "kept")
    until(lambda: len(list(Path("kept").glob("unit-*"))) >= 5, process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [
        int(child)
        for child in children
        if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    code, _, errors = ended(process)
    assert code == 0, errors
    found = written("t.json")
    assert radprog(*KILLED).code == 0
    assert written("t.json") == found


SPOILT = {  # a file of the checkpoint, what is replaced in it, and what is said
    "truncated unit": ("unit-00001.json", r"(?s).{20}$", "", "unit-00001.json: truncated"),
    "edited unit": ("unit-00001.json", r'"score": 0\.', '"score": 0.9', "truncated, edited"),
    "truncated sweep": ("sweep.json", r"(?s)(?<=^.{20}).*", "", "sweep.json: truncated"),
    "version": ("sweep.json", '"radprog": "', '"radprog": "9', "written by radprog 9"),
    "unit without its hash": (
        "unit-00001.json",
        r', "sha256": "[0-9a-f]*"',
        "",
        "truncated, edited",
    ),
    "unit of another": ("unit-00001.json", '"sweep": "', '"sweep": "0', "it is of another sweep"),
}


@pytest.mark.parametrize("name", [*SPOILT, "other files"])
def test_a_checkpoint_that_was_spoilt_is_refused(once, folder, name) -> None:
    given = (*TUNE, "--checkpoint", "kept")
    Path("kept").mkdir()
    assert once(*given).code == 0
    if name in SPOILT:
        file, pattern, text, told = SPOILT[name]
        path = Path("kept", file)
        path.write_text(re.sub(pattern, text, path.read_text(), count=1))
    else:
        told = "no sweep: name a new folder"
        for path in Path("kept").iterdir():
            path.rename(path.with_suffix(".txt"))
    once.refused(told, *given)


@pytest.mark.parametrize(
    ("words", "told"),
    [(("--seed", 1), "whose folds, seed differ"), (("--tol", 1e-5), "options differ"),
     (("--by", "bound"), "whose by differ"), (("--scale", "none"), "whose data differs (--scale)"),
     (("--missing", "mean"), "whose data differs (--missing): name a new folder")],
)  # fmt: skip
def test_a_checkpoint_of_another_sweep_is_refused(once, folder, words, told) -> None:
    given = (*TUNE, "--checkpoint", "kept")
    Path("kept").mkdir()
    assert once(*given).code == 0
    once.refused(told, *given, *words)


@pytest.mark.thorough
def test_workers_end_with_a_caller_that_is_killed(start, folder, monkeypatch) -> None:
    """And so does the folder with what they share."""
    monkeypatch.setenv("TMPDIR", str(folder / "shared"))
    (folder / "shared").mkdir()
    grid = ("--grid", "lam=1e-1..1e-3:50", "--grid", "beta=1e-1..1e-3:40", "--folds", 20)
    process = start(*TUNE[:7], *grid, "--json", "t.json", "--jobs", 2, "--verbose")
    assert any(" s left" in line for line in process.stderr)
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    workers = [Path("/proc", pid) for task in tasks for pid in task.read_text().split()]
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
def test_ctrl_c_ends_all_processes_and_keeps_what_was_found(start, folder) -> None:
    grid = ("--grid", "lam=1e-1..1e-3:50", "--grid", "beta=1e-1..1e-3:40", "--folds", 20)
    process = start(*TUNE[:7], *grid, "--json", "t.json", "--jobs", 2, "--verbose")
    line = next(line for line in process.stderr if " s left" in line)
    assert "of 40000" in line
    process.send_signal(signal.SIGINT)
    code, _, errors = ended(process)
    assert code == 1, errors
    assert "Traceback" not in errors


@pytest.mark.thorough
def test_ctrl_c_reaches_workers_that_are_starting(start, folder) -> None:
    """A terminal sends it to all processes, also while they import."""
    process = start(*KILLED, "--jobs", 2, "--checkpoint", "kept")

    def begun() -> bool:
        tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
        children = [Path("/proc", pid) for task in tasks for pid in task.read_text().split()]
        return any(b"/numpy/" in (child / "maps").read_bytes() for child in children)

    until(begun, process)
    os.killpg(process.pid, signal.SIGINT)
    code, _, errors = ended(process)
    assert code == 1, errors
    assert "Traceback" not in errors
    kept = len(list(Path("kept").glob("unit-*")))
    assert f"{kept} units are kept in kept: the same command continues" in errors


@pytest.mark.thorough
def test_a_sweep_says_what_it_continues_with(radprog, folder) -> None:
    radprog.ok(*TUNE, "--checkpoint", "kept")
    Path("kept/unit-00001.json").unlink()
    units = len(list(Path("kept").glob("unit-*")))
    done = radprog.ok(*TUNE, "--checkpoint", "kept")
    found = re.search(rf"continuing: {units} units found, (\d+) of 90 fits", done.err)
    assert found
    assert 0 < int(found[1]) < 90
