"""Arrays by the type of their entries, whose shapes are given where they are used; late modules."""

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
    """Stands for a module, slow to import, until something of it is first asked for.

    Beside it stands the import itself under ``TYPE_CHECKING``, for the types.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspection asks of every object
            raise AttributeError(f"{self.__name__} is not imported yet, nor its {name}")
        return getattr(importlib.import_module(self.__name__), name)
