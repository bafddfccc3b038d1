"""Limits of time and interrupts, which loops poll between steps and between blocks of rows.

``with under(limit):`` applies a limit to the code in its block, so that functions need no argument
for it. Loops call :func:`poll`, which raises OutOfBudget after the end of a limit and otherwise
does nothing. Solvers with their own time limit receive the remaining seconds. A single call into
compiled code may exceed the limit: a factorisation, an eigendecomposition, one support vector
machine. Branch and bound with integers may ignore a limit or crash, so it runs
:func:`in_a_process`.
"""

from __future__ import annotations

import contextvars
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ParamSpec, Protocol, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
EIGENDECOMPOSITION = 0.2  # seconds of 1,000 rows on one thread (benchmarks/native_calls.py)
SHORT_CALL = 1.0  # seconds by which a native call may overrun any limit
SLICE = 0.05  # seconds between two looks at a limit while a process works
SERVE = "import sys; sys.path[:] = {path!r}; from radprog.base.limits import serve; serve()"


class OutOfBudget(Exception):
    """The exception at the end of a limit.

    The code that set the limit catches it and keeps the partial result.
    """


class Limit(Protocol):
    """A limit: a time, or an interrupt flag."""

    def spent(self) -> bool:
        """Whether the time is over or the flag is set."""
        ...


_in_force: contextvars.ContextVar[tuple[Limit, ...]] = contextvars.ContextVar("limits", default=())
_served: list[bool] = []  # whether this is a process of :func:`in_a_process`
_stopped: list[bool] = []  # whether its caller asked it to stop


@contextmanager
def under(limit: Limit) -> Iterator[None]:
    """Apply a limit to the block, in addition to the current ones."""
    token = _in_force.set((*_in_force.get(), limit))
    try:
        yield
    finally:
        _in_force.reset(token)


def poll() -> None:
    """Raise OutOfBudget if a current limit is spent."""
    for limit in _in_force.get():
        if limit.spent():
            raise OutOfBudget


def poll_eigendecomposition(n: int) -> None:
    """:func:`poll` before the eigendecomposition of n rows, a call into compiled code that cannot
    be interrupted.

    Raises OutOfBudget also if the call would take longer than the remaining time.
    """
    poll()
    # cubic in the rows
    seconds = EIGENDECOMPOSITION * (n / 1000.0) ** 3
    for limit in _in_force.get():
        if seconds > max(getattr(limit, "remaining", math.inf), SHORT_CALL):
            raise OutOfBudget


def in_a_process(call: Callable[..., Result], *args: Any, patience: float = 0.0) -> Result:
    """Run call(*args), where ``call`` is a function of a module, in a separate process, and return
    its result.

    Use it for compiled code that may ignore its limit or end the process. An exception in the
    process is raised again in the caller. At a limit, the process receives a request to stop
    (:func:`asked_to_stop`). After ``patience`` seconds it is killed, and OutOfBudget is raised. The
    process has a separate session, so that Ctrl-C at the terminal reaches only the parent, which
    then ends the process. Raises RuntimeError if the process dies.
    """
    if _served:  # this process is such a one already
        return call(*args)
    # call and arguments travel by a file as stdin, the answer by stdout; communicate sends no more
    # of a long text to a pipe after its first timeout
    command = [sys.executable, "-c", SERVE.format(path=sys.path)]
    with tempfile.TemporaryFile() as message:
        pickle.dump((call, args), message)
        message.seek(0)
        # a request to stop waits, blocked, until the process listens
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process = subprocess.Popen(
                command, stdin=message, stdout=subprocess.PIPE, start_new_session=True
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    end = math.inf  # when it is ended
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                written, _ = process.communicate(timeout=SLICE)
                break
            # the limit: it is asked to stop, and ended where it does not
            if time.monotonic() >= end:
                raise OutOfBudget
            try:
                poll()
            except OutOfBudget:
                if not patience:
                    raise
                if math.isinf(end):
                    process.send_signal(signal.SIGINT)
                    end = time.monotonic() + patience
    finally:
        with suppress(ProcessLookupError):  # with the commands that it has started
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode != 0:
        if math.isfinite(end):  # it was asked to stop before it could listen
            raise OutOfBudget
        raise RuntimeError(f"its process ended with {process.returncode}")
    # its answer, or what it raised
    answer, error = pickle.loads(written)  # noqa: S301  written by this program a moment ago
    if error is not None:
        raise error
    result: Result = answer
    return result


def asked_to_stop() -> bool:
    """Whether the caller of :func:`in_a_process` has requested this process to stop."""
    return bool(_stopped)


def serve() -> None:
    """The main function of a process of :func:`in_a_process`: it reads one call from stdin and
    writes one answer to stdout.
    """
    _served.append(True)
    signal.signal(signal.SIGINT, lambda *_: _stopped.append(True))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # prints of the call go to stderr: stdout holds the answer
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    call, args = pickle.load(sys.stdin.buffer)  # noqa: S301  written by the parent process
    answer, error = None, None
    try:
        answer = call(*args)
    except Exception as failure:
        error = failure
    pickle.dump((answer, error), out)
    out.flush()
    # a request that comes while Python ends, with its handlers gone, would end the process first
    signal.signal(signal.SIGINT, signal.SIG_IGN)
