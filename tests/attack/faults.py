"""Signals at random moments: kill -9, SIGTERM and SIGINT inside solve, tune and srm.

    python tests/attack/faults.py --count 20 --seed 0 --commands solve,tune

A moment is a number of calls of functions since the command began, drawn from as many as the whole
run makes: an event, not a second. The command runs in a forked process that sends the signal to
itself. After it every output holds its old content or a whole new one, nothing else is left (but a
draft of a killed process), an interrupted process says so in one line and exits with 0 or 1, and
the same command run once more gives the result of a run that was never disturbed. Prints a line a
command; exit code 1 where any of this fails.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from determinism import plain
from script_options import read_options

ROWS = [f"{(7 * i) % 11},{(5 * i) % 13},{'xy'[(i * i) % 7 % 2]}" for i in range(24)]
NUMBERS = [f"{(7 * i) % 11},{((5 * i) % 13) / 7}" for i in range(8)]
COMMANDS = {
    "solve": "solve vkr d.csv --scale ball --kernels poly:1-2,rbf:1 --json r.json --save f.json",
    "tune": "tune svm d.csv --grid C=0.1,1,10 --folds 3 --json t.json --save f.json",
    "srm": "solve srm n.csv --gammas 0.1,1 --As 0.5,1 --trials 4 --starts 1 --folds 2 "
    "--checkpoint kept --json s.json",
}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
OLD = '{"schema": 1, "old": true}\n'
CHECKPOINT = "kept"


class Ended(NamedTuple):
    """How a process ended: its exit code, or minus the signal; what it said."""

    code: int
    said: str


def warm() -> None:
    """Import what the commands need."""
    import radprog.cli
    from radprog.catalog import CATALOG

    for entry in CATALOG.values():
        _ = entry.hooks
    assert radprog.cli.main


def forked(call: Callable[[], int], said: Path, limit: float = 600.0) -> Ended:
    """Run a call in a process of its own, whose code it returns; what it says goes to a file."""
    child = os.fork()
    if not child:
        # the child never returns from here
        code = 70
        try:
            place = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(place, 1)
            os.dup2(place, 2)
            code = call()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + limit
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        time.sleep(0.005)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            return Ended(os.waitpid(child, 0)[1], f"it did not end: {said.read_text()}")
    return Ended(os.waitstatus_to_exitcode(done[1]), said.read_text())


def ran(command: str, folder: Path, at: int = 0, number: int = 0) -> Ended:
    """Run a command in a process, which gets a signal at its ``at``-th call of a function; how
    many calls there were stands beside the folder."""

    def run() -> int:
        from radprog.__main__ import main

        calls = 0

        def watch(frame: FrameType, event: str, argument: object) -> None:
            nonlocal calls
            calls += 1
            if calls == at:
                os.kill(os.getpid(), number)

        os.chdir(folder)
        sys.argv = ["radprog", *command.split(), "--quiet"]
        sys.setprofile(watch)
        code = main()
        sys.setprofile(None)
        (folder.parent / "calls").write_text(str(calls))
        return code

    return forked(run, folder.parent / "said")


def outputs(command: str) -> list[str]:
    """The files that a command writes, but the checkpoint."""
    words = command.split()
    options = ("--json", "--save")
    return [words[i + 1] for i, word in enumerate(words) if word in options]


def prepared(place: Path, command: str) -> Path:
    """A folder with the data and with old outputs."""
    folder = place / "work"
    folder.mkdir()
    (folder / "d.csv").write_text("\n".join(ROWS) + "\n")
    (folder / "n.csv").write_text("\n".join(NUMBERS) + "\n")
    for name in outputs(command):
        (folder / name).write_text(OLD)
    return folder


def results(folder: Path, command: str) -> list[Any]:
    """What the outputs hold, without times."""
    return [plain(folder / name) for name in outputs(command)]


def faults(folder: Path, command: str, ended: Ended, number: int) -> list[str]:
    """What is wrong after a signal."""
    found = []
    # only what was killed may leave temporary files
    killed = number == signal.SIGKILL and ended.code == -signal.SIGKILL
    known = {"d.csv", "n.csv", *outputs(command), *([CHECKPOINT] if CHECKPOINT in command else [])}
    left = [path for path in folder.iterdir() if path.name not in known]
    found += [f"{path.name} is left" for path in left if not (killed and path.suffix == ".tmp")]
    # each output is the old one, or a whole new one
    for name in outputs(command):
        path = folder / name
        try:
            held = json.loads(path.read_text()) if path.exists() else {}
        except ValueError as error:
            found.append(f"{name} is half a file: {error}")
            continue
        if path.exists() and not ("old" in held or len(held) > 2):
            found.append(f"{name} holds {held}")
    # any other signal ends with a code of its own and one error
    if not killed:
        lines = [line for line in ended.said.splitlines() if line]
        if ended.code not in (0, 1):
            found.append(f"exit code {ended.code}: {ended.said}")
        if "Traceback" in ended.said or len([x for x in lines if "error" in x]) > 1:
            found.append(f"it says {ended.said}")
    return found


def attack(name: str, count: int, seed: int) -> tuple[int, list[str]]:
    """Signals at ``count`` moments each inside one command: how many were sent, what failed."""
    command, rng, found, sent = COMMANDS[name], random.Random(seed), [], 0
    with tempfile.TemporaryDirectory() as root:
        # without a signal: how many calls there are, and the result
        folder = prepared(Path(root), command)
        ended = ran(command, folder)
        if ended.code not in (0, 1):
            return 0, [f"{name}: {ended.code} without any signal: {ended.said}"]
        calls, expected = int(Path(root, "calls").read_text()), results(folder, command)
        for number in SIGNALS:
            for turn in range(count):
                place = Path(root) / f"{number}-{turn}"
                place.mkdir()
                folder, at = prepared(place, command), rng.randint(1, calls)
                ended = ran(command, folder, at, number)
                wrong = faults(folder, command, ended, number)
                # what a signal leaves must not disturb the same command, run once more
                again = ran(command, folder)
                if again.code not in (0, 1):
                    wrong.append(f"run once more: {again.code}: {again.said}")
                elif results(folder, command) != expected:
                    wrong.append("run once more it has another result")
                sent += 1
                sign = signal.Signals(number).name
                found += [f"{name}, {sign} at call {at} of {calls}: {text}" for text in wrong]
    return sent, found


if __name__ == "__main__":
    options = read_options(__doc__, count=20, commands=COMMANDS)
    warm()
    total, wrong = 0, 0
    for name in options.commands or COMMANDS:
        sent, found = attack(name, options.count, options.seed)
        total, wrong = total + sent, wrong + len(found)
        print(f"{name}: {sent} signals, {len(found)} faults", *found, sep="\n  ")
    print(f"faults: {total} signals, {wrong} faults")
    sys.exit(1 if wrong or not total else 0)
