"""Real processes: started in a group of their own, waited for by events, ended with their test."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PROGRAM = (sys.executable, "-m", "radprog")
PATIENCE = 600.0  # seconds until something that never happens fails a test: no measure of speed

Process = subprocess.Popen[str]
Start = Callable[..., Process]


@contextmanager
def processes(folder: Path) -> Iterator[Start]:
    """Start ``radprog ARGUMENTS`` in a folder; what still runs at the end is killed, with all that
    it started."""
    started: list[Process] = []

    def start(*arguments: object, stdin: int | None = None) -> Process:
        # a shell's background job ignores Ctrl-C, and so would its processes
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(
            [*PROGRAM, *map(str, arguments)], cwd=folder, text=True, start_new_session=True,
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        signal.signal(signal.SIGINT, before)
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


def until(happened: Callable[[], bool], process: Process) -> None:
    """Wait for an event that a running process brings about."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.02)):
        if happened():
            return
        if process.poll() is not None:
            raise AssertionError(f"ended before it happened: {process.communicate()}")
        pause.wait(0.02)
    raise AssertionError(f"did not happen in {PATIENCE} s")


def ended(process: Process) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a process that ends by itself."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, out, errors


def call(*arguments: object, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run ``radprog ARGUMENTS`` to its end."""
    options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*PROGRAM, *map(str, arguments)], cwd=folder, text=True, timeout=PATIENCE, **options
    )
