"""Limits of time and interrupts, kept wherever work may take longer than a second.

``with under(limit):`` puts one in force; nothing needs to be handed on. Loops over blocks call
:func:`poll`; a call into native code that frees the interpreter runs in :func:`bounded`, one that
does not in :func:`isolated`. All three raise OutOfBudget once the limit is spent, and none does
anything where no limit is in force. What a solver with a limit of its own is told is another
matter: the seconds left.
"""

from __future__ import annotations

import contextvars
import importlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")
SLICE = 0.05  # seconds between two looks at a limit while native code runs
SERVE = "import sys; sys.path[:] = {path!r}; from radprog.base.limits import serve; serve()"


class OutOfBudget(Exception):
    """Raised where a limit is spent: whoever put it in force keeps what there is."""


class Limit(Protocol):
    """Time, or the absence of an interrupt, that may be spent."""

    def spent(self) -> bool:
        """Whether to stop now."""
        ...


_in_force: contextvars.ContextVar[tuple[Limit, ...]] = contextvars.ContextVar("limits", default=())
_given_up: list[threading.Thread] = []


@contextmanager
def under(limit: Limit) -> Iterator[None]:
    """Put a limit in force, beside those that are."""
    token = _in_force.set((*_in_force.get(), limit))
    try:
        yield
    finally:
        _in_force.reset(token)


@contextmanager
def lifted() -> Iterator[None]:
    """No limit in force: for small work that an answer cannot do without."""
    token = _in_force.set(())
    try:
        yield
    finally:
        _in_force.reset(token)


def poll() -> None:
    """Raise OutOfBudget where a limit in force is spent."""
    for limit in _in_force.get():
        if limit.spent():
            raise OutOfBudget


def limited() -> bool:
    """Whether a limit is in force."""
    return bool(_in_force.get())


def bounded(call: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """call(*args, **kwargs), which frees the interpreter, in a thread that is given up on when a
    limit in force is spent; the thread ends with the call, or with the process."""
    if not limited():
        return call(*args, **kwargs)
    poll()
    answers: list[Result] = []
    errors: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            answers.append(call(*args, **kwargs))
        except BaseException as error:  # raised again below
            errors.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    try:
        while not ended.wait(SLICE):
            poll()
    except BaseException:
        _given_up.append(thread)
        raise
    if errors:
        raise errors[0]
    return answers[0]


def imported(name: str) -> ModuleType:
    """A module whose import, of a second or two on a busy machine, is :func:`bounded`: one that is
    given up on is not left half done, as its thread ends it."""
    known = sys.modules.get(name)
    if known is not None and not getattr(known.__spec__, "_initializing", False):
        return known
    return bounded(importlib.import_module, name)


def isolated(call: Callable[..., Result], *args: Any) -> Result:
    """call(*args), a function of a module, in a process that is ended when a limit in force is
    spent: for native code that holds the interpreter. What it raises is raised here.

    Raises RuntimeError where the process dies.
    """
    if not limited():
        return call(*args)
    poll()
    return in_a_process(call, *args)


def in_a_process(call: Callable[..., Result], *args: Any) -> Result:
    """The same in any case: for native code that may end the process."""
    command = [sys.executable, "-c", SERVE.format(path=sys.path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        told, _ = bounded(process.communicate, pickle.dumps((call, args)))
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        raise RuntimeError(f"the process of {call.__name__} ended with {process.returncode}")
    answer, error = pickle.loads(told)  # noqa: S301  written by this program a moment ago
    if error is not None:
        raise error
    result: Result = answer
    return result


def serve() -> None:
    """What the process of :func:`isolated` does: one call, read from stdin, answered on stdout."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    call, args = pickle.load(sys.stdin.buffer)  # noqa: S301  written by the parent process
    answer, error = None, None
    try:
        answer = call(*args)
    except Exception as failure:
        error = failure
    pickle.dump((answer, error), out)
    out.flush()


def given_up() -> bool:
    """Whether a call that was given up on still runs: the process must not wait for it at its
    end, nor tear down libraries under it."""
    return any(thread.is_alive() for thread in _given_up)
