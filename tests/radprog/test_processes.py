"""Real processes: streams kept apart, exit codes, and Ctrl-C."""

import fcntl
import json
import os
import signal
import termios
from array import array

import pytest
from processes import PATIENCE, call, ended, until


@pytest.mark.thorough
def test_json_goes_alone_through_a_pipe(folder) -> None:
    done = call(
        "solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--json", "-", "--verbose",
        folder=folder,
    )  # fmt: skip
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["certified"]
    assert len(done.stderr.splitlines()) >= result["iterations"]
    assert "\x1b" not in done.stdout + done.stderr  # no colours or cursor moves in a pipe


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
