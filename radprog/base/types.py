"""Array types by the type of their entries, and modules that are imported late."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


class Deferred(ModuleType):
    """A placeholder for a module that is imported at the first use of an attribute.

    For type checkers, import the module a second time under ``TYPE_CHECKING``.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # attributes that inspection reads of every object
            raise AttributeError(f"{self.__name__} is not imported yet, nor its {name}")
        return getattr(importlib.import_module(self.__name__), name)
