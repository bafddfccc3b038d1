"""Time limits and interrupts. Loops poll them between steps and between blocks of rows.

``with under(limit):`` applies a limit to the code in its block, so that functions need no argument
for it. Loops call :func:`poll`, which raises OutOfBudget if a limit has been reached and otherwise
does nothing. Solvers with their own time limit receive the remaining seconds. A single call into
compiled code, such as a factorisation, an eigendecomposition or a support vector machine, may
exceed the limit. Branch and bound with integers may ignore a limit or crash, so it runs
:func:`in_a_process`. The number of linear algebra threads, which affects the last digits of sums,
is limited by :func:`held_to`.
"""

from __future__ import annotations

import atexit
import contextvars
import fcntl
import functools
import math
import os
import pickle
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from radprog.base.errors import RadprogError, StoppedError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
STOPS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP  # a process that gets one ends as at a limit
STOPPING = b"\nradprog: stopping with the best answer so far; Ctrl-C again: at once\n"
SHORT_CALL = 1.0  # seconds by which a native call may overrun any limit
SERVE = "import sys; sys.path[:] = {path!r}; from radprog.base.limits import serve; serve()"


class OutOfBudget(Exception):
    """The exception that is raised when a limit is reached, with any ``partial`` result.

    The code that set the limit catches it and keeps the partial result.
    """

    def __init__(self, partial: Any = None) -> None:
        super().__init__(partial)
        self.partial = partial


def never() -> bool:
    """An interrupt flag that is never set."""
    return False


@dataclass
class Limit:
    """The remaining time and the interrupt flag.

    ``used`` is the part of the time limit, in seconds, that had passed before the time ``started``.
    """

    time_limit: float | None = None
    interrupted: Callable[[], bool] = never
    used: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Time since the start of the run, in seconds."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float:
        """Remaining time in seconds, or infinity without a limit."""
        return math.inf if self.time_limit is None else self.time_limit - self.used - self.seconds

    def spent(self) -> bool:
        """Whether the time limit has been reached or the flag is set."""
        timed_out = self.time_limit is not None and self.remaining <= 0
        return timed_out or (self.interrupted is not never and self.interrupted())


_in_force: contextvars.ContextVar[tuple[Limit, ...]] = contextvars.ContextVar("limits", default=())
CALL, ANSWER, KEPT = "call", "answer", "kept"  # files of one call
_idle: list[tuple[int, Any]] = []  # processes that wait for a call, each with its caller
_served: list[str] = []  # in a process of :func:`in_a_process`, the folder of its call
_stopped: list[bool] = []  # whether its caller asked it to stop
_flags: list[list[bool]] = []  # of the active :func:`interruptible` contexts
_looks: contextvars.ContextVar[Callable[[Any], None] | None] = contextvars.ContextVar(
    "looks", default=None
)


@contextmanager
def users_code(who: str, kind: type[RadprogError] = StoppedError) -> Iterator[None]:
    """A context in which an exception of the user's code becomes one of ``kind`` that names
    ``who``.
    """
    try:
        yield
    except Exception as error:  # any error of the user's code, also one of radprog that it calls
        # what refuses an answer names its function already; an error with a run is of a call in it
        if isinstance(error, (kind, OutOfBudget)) and getattr(error, "run", None) is None:
            raise
        raise kind(f"{who} failed: {type(error).__name__}: {error}") from error


class UsersFunction:
    """A function of the user's that does not raise, such as ``stop``: a failure ends the run like a
    limit, so that what it has found is kept.

    The functions of a run share ``failures``: after the first, each returns True and calls nothing.
    They are called inside solvers and in other threads, where an exception would be lost. A copy in
    another process, whose list nobody reads, raises.
    """

    def __init__(
        self, name: str, function: Callable[..., Any], failures: list[StoppedError] | None
    ) -> None:
        self.name, self.function, self.failures = name, function, failures

    def __call__(self, *given: Any) -> Any:
        if self.failures:
            return True
        try:
            answer = self.function(*given)
            return self.name not in ("observe", "watch") and bool(answer)
        except Exception:
            try:
                with users_code(f"the function `{self.name}`"):
                    raise
            except StoppedError as failure:
                if self.failures is None:
                    raise
                self.failures.append(failure)
            return True

    def __reduce__(self) -> Any:
        return UsersFunction, (self.name, self.function, None)


@contextmanager
def under(limit: Limit) -> Iterator[None]:
    """Apply a limit to the block, in addition to the current ones."""
    token = _in_force.set((*_in_force.get(), limit))
    try:
        yield
    finally:
        _in_force.reset(token)


@contextmanager
def watched(look: Callable[[Any], None]) -> Iterator[None]:
    """Call ``look`` with what a process of :func:`in_a_process` keeps, while the caller waits."""
    token = _looks.set(look)
    try:
        yield
    finally:
        _looks.reset(token)


@contextmanager
def interruptible(
    *, quiet: bool = False, signals: Sequence[int] = STOPS
) -> Iterator[Callable[[], bool]]:
    """A context that yields a function: whether Ctrl-C was pressed.

    The second Ctrl-C stops at once. SIGTERM (from batch schedulers) and SIGHUP (from a closed
    terminal) have the same effect, unless SIGHUP is ignored (nohup).
    """
    # a list, which the handler of the signal fills
    flag: list[bool] = []
    terminals = [number for number in (1, 2) if os.isatty(number)]

    def handle(number: int, frame: FrameType | None) -> None:
        if flag:
            raise KeyboardInterrupt
        flag.append(True)
        if number == signal.SIGHUP:  # whatever is written to the terminal from here on fails
            for terminal in terminals:
                os.dup2(os.open(os.devnull, os.O_WRONLY), terminal)
        elif not quiet:
            os.write(2, STOPPING)

    # under nohup, SIGHUP stays ignored
    ignored = {signal.SIGHUP} if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else set()
    _flags.append(flag)
    handlers = {
        number: signal.signal(number, handle) for number in signals if number not in ignored
    }
    try:
        yield lambda: bool(flag)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _flags.remove(flag)


@contextmanager
def stopped_by_ctrl_c() -> Iterator[Callable[[], bool]]:
    """A context that yields a function: whether Ctrl-C was pressed.

    In threads other than the main one, or if the caller handles Ctrl-C, Ctrl-C has only the effect
    that the caller gives it.
    """
    main = threading.current_thread() is threading.main_thread()
    usual = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interruptible(signals=(signal.SIGINT,)) if usual else nullcontext():
        yield lambda: any(_flags)


@contextmanager
def signals_held() -> Iterator[list[int]]:
    """A context that yields the signals that have arrived. Their handlers run at its end.

    An exception that a handler raises inside a callback of compiled code would be lost there, and
    would leave this code in an invalid state.
    """
    received: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {n: handler for n in STOPS if callable(handler := signal.getsignal(n))}
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append(number))
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in received:
            handlers[number](number, None)


def poll() -> None:
    """Raise OutOfBudget if a current limit has been reached."""
    for limit in _in_force.get():
        if limit.spent():
            raise OutOfBudget


def poll_eigendecomposition(n: int) -> None:
    """:func:`poll` before the eigendecomposition of n rows, a call into compiled code that cannot
    be interrupted.

    Also raises OutOfBudget if the call would take longer than the remaining time.
    """
    poll()
    # cubic in the rows
    # seconds of 1,000 rows on one thread (benchmarks/native_calls.py)
    seconds = 0.2 * (n / 1000.0) ** 3
    for limit in _in_force.get():
        if seconds > max(limit.remaining, SHORT_CALL):
            raise OutOfBudget


def in_a_process(
    call: Callable[..., Result], *args: Any, patience: float = 0.0, fresh: bool = False
) -> Result:
    """Run ``call(*args)`` in a separate process, and return its result.

    ``call`` is a function of a module. Use it for compiled code that may ignore its limit or end
    the process. An exception in the process is raised again in the caller. When a limit is reached,
    the process receives a request to stop (:func:`asked_to_stop`). After ``patience`` seconds it is
    killed, and the result is its last answer of :func:`keep`. If there is no such answer,
    OutOfBudget is raised. The process has a separate session, so that Ctrl-C at the terminal
    reaches only the parent. If Ctrl-C raises KeyboardInterrupt there, the process is killed. The
    process ends with its caller. A process that answered in time is reused. A ``fresh`` call starts
    a new process. Raises RuntimeError if the process dies.
    """
    if _served:  # this process already serves calls
        return call(*args)
    # call and answer are passed as files of any length; a line and a byte announce them
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        Path(folder, CALL).write_bytes(pickle.dumps((os.getcwd(), call, args)))
        # an idle process of this caller, or a new one; a fork of the caller by others has its own
        process = None
        while _idle and process is None and not fresh:
            caller, idle = _idle.pop()
            if caller == os.getpid() and idle.poll() is None:
                process = idle
            elif caller == os.getpid():
                _end_process(idle)
        process = process or _new_process()
        with suppress(BrokenPipeError):
            process.stdin.write(os.fsencode(folder) + b"\n")
        result: Result = _answer_of(process, folder, patience, reused=not fresh)
        return result


def _answer_of(process: Any, folder: str, patience: float, *, reused: bool) -> Any:
    """The answer of a process, or what it raised; ``reused``: it then waits for another call."""
    deadline, answered = math.inf, None  # when it is ended; whether it answered, or died
    look, stored, seen = _looks.get(), Path(folder, KEPT), 0
    reply = Path(folder, ANSWER)
    try:
        poller = select.poll()
        poller.register(process.stdout, select.POLLIN)
        while answered is None and time.monotonic() < deadline:
            try:
                if poller.poll(50.0):  # milliseconds between two looks at a limit
                    answered = process.stdout.read(1) != b""
                elif math.isinf(deadline):
                    poll()
                    new = stored.stat().st_mtime_ns if look and stored.exists() else seen
                    if look is not None and new != seen:
                        seen = new
                        look(pickle.loads(stored.read_bytes())[0])  # noqa: S301  ours
            except OutOfBudget:  # it receives a request to stop, and is ended if it does not
                if not patience:
                    raise
                process.send_signal(signal.SIGINT)
                deadline = time.monotonic() + patience
        if answered is False:  # its exit code comes a moment later
            with suppress(subprocess.TimeoutExpired):
                process.wait(SHORT_CALL)
    finally:
        if answered and math.isinf(deadline) and reused:
            _idle.append((os.getpid(), process))
        else:
            _end_process(process)
    if not answered:
        if math.isinf(deadline):
            raise RuntimeError(f"its process ended with {process.returncode}")
        # it was ended, or asked to stop before it could listen: what it has kept
        reply = stored
        if not reply.exists():
            raise OutOfBudget
    answer, error = pickle.loads(reply.read_bytes())  # noqa: S301  written a moment ago
    if error is not None:
        raise error
    return answer


@contextmanager
def blocked(*signals: int) -> Iterator[None]:
    """Block signals in this thread, and in processes that it starts until these unblock them."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _new_process() -> Any:
    """A new process that waits for a call."""
    command = [sys.executable, "-c", SERVE.format(path=sys.path)]
    # a request to stop waits, blocked, until the process listens
    with blocked(signal.SIGINT):
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )


def _end_process(process: Any) -> None:
    """End a process, with the commands that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()


@atexit.register
def _end_idle() -> None:
    """End the idle processes of this caller."""
    while _idle:
        caller, process = _idle.pop()
        if caller == os.getpid():
            _end_process(process)


def asked_to_stop() -> bool:
    """Whether the caller of :func:`in_a_process` has requested this process to stop."""
    return bool(_stopped)


def keep(answer: object) -> None:
    """Leave an answer for the caller of :func:`in_a_process`, in case it kills this process."""
    if _served:
        new = Path(_served[0], "new")
        new.write_bytes(pickle.dumps((answer, None)))
        new.replace(Path(_served[0], KEPT))


def serve() -> None:
    """The main function of a process of :func:`in_a_process`: it takes calls until stdin ends."""
    _served.append("")
    signal.signal(signal.SIGINT, lambda *_: _stopped.append(True))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # SIGIO from stdin reaches the commands of this process too
    fcntl.fcntl(0, fcntl.F_SETOWN, -os.getpid())
    orphaned = select.poll()
    orphaned.register(0, 0)
    # stdout says that there is an answer: prints of a call go to stderr, those of compiled code
    # nowhere
    replies, sys.stdout = os.fdopen(os.dup(1), "wb"), sys.stderr
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in iter(sys.stdin.buffer.readline, b""):
        folder = _served[0] = os.fsdecode(line[:-1])
        message = Path(folder, CALL).read_bytes()
        # written by the parent process, with the folder in which it now is
        place, call, args = pickle.loads(message)  # noqa: S301
        os.chdir(place)
        _end_with_caller(wanted=True)
        if orphaned.poll(0):  # it ended before
            break
        answer, error = None, None
        try:
            answer = call(*args)
        except Exception as failure:
            error = failure
        Path(folder, ANSWER).write_bytes(pickle.dumps((answer, error)))
        _end_with_caller(wanted=False)  # its next call is no end
        replies.write(b".")
        replies.flush()


def _end_with_caller(*, wanted: bool) -> None:
    """Let the kernel end this process, even in compiled code, when the caller's end of stdin closes
    (SIGIO).
    """
    flags = fcntl.fcntl(0, fcntl.F_GETFL) & ~os.O_ASYNC
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC * wanted)


OPENMP = "sklearn.utils._openmp_helpers"  # has a separate thread pool once it is imported


@functools.cache
def _libraries(openmp: bool) -> Any:
    """The loaded libraries. They are cached, because the search for them takes milliseconds."""
    import scipy.linalg  # noqa: F401  (its BLAS is held too)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def held_to(threads: int) -> AbstractContextManager[Any]:
    """A context in which BLAS, LAPACK and OpenMP use this number of threads."""
    context: AbstractContextManager[Any] = _libraries(OPENMP in sys.modules).limit(limits=threads)
    return context


def single_threaded(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Decorate a function to use one linear algebra thread, so that its results are the same on
    every machine.
    """

    @functools.wraps(function)
    def held(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with held_to(1):
            return function(*args, **kwargs)

    return held
