"""The number of linear algebra threads, which affects the last digits of sums."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

Given = ParamSpec("Given")
Result = TypeVar("Result")
OPENMP = "sklearn.utils._openmp_helpers"  # has a separate thread pool once it is imported


@functools.cache
def _libraries(openmp: bool) -> ThreadpoolController:
    """The loaded libraries. They are cached, because the search for them takes milliseconds."""
    import scipy.linalg  # noqa: F401  (its BLAS is held too)

    return ThreadpoolController()


def held_to(threads: int) -> AbstractContextManager[Any]:
    """A context in which BLAS, LAPACK and OpenMP use this number of threads."""
    held: AbstractContextManager[Any] = _libraries(OPENMP in sys.modules).limit(limits=threads)
    return held


def single_threaded(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorate a function to use one linear algebra thread, so that its results are the same on
    every machine.
    """

    @functools.wraps(function)
    def held(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        with held_to(1):
            return function(*args, **kwargs)

    return held
