"""Modules that take long to import, and that most runs never use."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class Deferred(ModuleType):
    """Stands for a module that is imported when something of it is first asked for.

    Beside it stands the import itself under ``TYPE_CHECKING``, for the types.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspection asks of every object
            raise AttributeError(f"{self.__name__} is not imported yet, nor its {name}")
        return getattr(importlib.import_module(self.__name__), name)
