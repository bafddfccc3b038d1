"""Real processes: streams kept apart, closed or gone, progress, exit codes, and Ctrl-C."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
from array import array

import pytest
from processes import PATIENCE, ended, until
from small_files import write_csv
from table_generators import waveform

from radprog.cli import main
from radprog.examples import write_examples
from radprog.terminal import output


@pytest.mark.thorough
def test_a_reader_that_goes_away_is_no_traceback(start) -> None:
    process = start("solve", "vkr", "train.csv", "--kernels", "poly:1-6", "--json", "-")
    assert process.stdout.read(1) == "{"
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=PATIENCE) in (0, 1)
    assert "Traceback" not in errors


@pytest.mark.thorough
def test_ctrl_c_before_there_is_anything(start, folder) -> None:
    """A pipe that is never closed: reading the data never ends."""
    behind, front = os.pipe()
    os.write(front, b"a,b\n1,2\n")
    process = start("solve", "vkr", "/dev/stdin", "--json", "r.json", stdin=behind)

    def read() -> bool:
        waiting = array("i", [0])
        fcntl.ioctl(front, termios.FIONREAD, waiting)
        return waiting[0] == 0

    until(read, process)
    process.send_signal(signal.SIGINT)
    code, out, errors = ended(process)
    os.close(front)
    os.close(behind)
    assert (code, out) == (1, "")
    assert errors.startswith("radprog: error: interrupted")
    assert errors.count("\n") == 1
    assert not (folder / "r.json").exists()


LONG = "long.csv --scale ball --lam 1e-6 --beta 1e-6 --tol 1e-9"


@pytest.mark.thorough
@pytest.mark.usefixtures("hangup")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c(start, folder, number) -> None:
    data = waveform(1000, seed=0)
    write_csv("long.csv", data.X, data.targets.astype(int))
    process = start("solve", "vkr", *LONG.split(), "--json", "r.json", "--verbose")
    for _ in range(3):  # some rounds are done
        assert process.stderr.readline()
    process.send_signal(number)
    code, _, errors = ended(process)
    assert code == 1, errors
    result = json.loads((folder / "r.json").read_text())
    assert (result["status"], result["stopped_by"]) == ("limit", "interrupt")
    assert not result["certified"]
    assert 0 < result["bound"] < result["objective"] <= 1
    names = {path.name for path in folder.iterdir()}
    assert names == {"long.csv", "r.json", "test.csv", "train.csv"}


PROGRAM = f"{sys.executable} -m radprog"
TABLE = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(20))
COMMANDS = ["solve l1svm t.csv --json -", "solvers", "--version", "bounds -h"]


def shell(line: str, folder, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**kept, **environment}, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("closed", [">&-", ">/dev/full"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_stdout_is_one_line(command: str, closed: str, tmp_path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    done = shell(f"{PROGRAM} {command} {closed}", tmp_path)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "error" in line or "defect" in line]
    assert len(lines) == 1
    assert lines[0].startswith("radprog: error: cannot write to standard output")


def test_all_closed_streams(tmp_path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    done = shell(f"{PROGRAM} solve l1svm t.csv --json r.json --quiet <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "r.json").read_text().startswith("{")


def test_a_pipe_is_told_once_in_a_while(empty, monkeypatch, capsys) -> None:
    write_examples(["classes"], empty)
    calls = {
        "tune l1svm few.csv --grid beta=1e-2,1e-3 --folds 2 --json -": "fits: ",
        "solve l1svm few.csv --json -": "objective",
    }
    for every in (0.0, 3600.0):
        monkeypatch.setattr(output, "LINE_SECONDS", every)
        for call, word in calls.items():
            assert main(call.split()) == 0
            found = capsys.readouterr()
            json.loads(found.out)
            lines = re.findall(r"^ *(?:fits: |1 ).*$", found.err, re.M)
            assert (word in " ".join(lines)) == (every == 0.0)
