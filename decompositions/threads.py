"""Threads of the linear algebra: its sums depend on their number in the last digits."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Result = TypeVar("Result")
MODULES = tuple(suffix for suffix in EXTENSION_SUFFIXES if suffix.count(".") > 1)
LATE = "sklearn.utils._openmp_helpers"  # brings threads of its own once it is imported


class _Libraries(ThreadpoolController):  # type: ignore[misc]
    """Without a look at modules of Python, which hold no threads and are most of what is loaded."""

    def _make_controller_from_path(self, filepath: str) -> None:
        if not filepath.endswith(MODULES):
            super()._make_controller_from_path(filepath)


@functools.cache
def _libraries(late: bool) -> ThreadpoolController:
    """The libraries loaded by now, which take milliseconds to find."""
    import scipy.linalg  # noqa: F401  (its BLAS is held too)

    return _Libraries()


def held_to(threads: int) -> AbstractContextManager[Any]:
    """A context in which BLAS, LAPACK and OpenMP use so many threads."""
    held: AbstractContextManager[Any] = _libraries(LATE in sys.modules).limit(limits=threads)
    return held


def single_threaded(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function with one thread, whatever the machine has: the same answer on all of them."""

    @functools.wraps(function)
    def held(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        with held_to(1):
            return function(*args, **kwargs)

    return held
