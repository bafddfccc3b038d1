"""A call that is to be refused, in one line, as ``numpy.testing.assert_raises_regex`` is."""

from collections.abc import Callable
from typing import Any

import pytest


def refused(
    error: type[Exception] | tuple[type[Exception], ...],
    words: str,
    call: Callable[..., Any],
    /,
    *given: Any,
    **options: Any,
) -> None:
    """The call raises this error, with a message in which the pattern ``words`` is found.

    What is given is computed before: an error of its own fails the test."""
    __tracebackhide__ = True
    with pytest.raises(error, match=words):
        call(*given, **options)
