"""Rademacher programs: learning by mathematical programming, with a certificate.

>>> import radprog as rp
>>> data = rp.read("german.csv", scale="ball")
>>> run = rp.fit(rp.VKR(kernels="poly:1-10"), data)
>>> run.objective, run.bound, run.certified

``__init__.pyi`` lists the public names and the modules that define them. Type checkers read that
file, and this module uses it to import a name at its first use.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

# The module of every public name, from the lines ``from MODULE import NAME as NAME`` of the stub.
_HOME: dict[str, str] = {}
# It is read through the loader, since the package may lie in a zip file.
_STUB = pkgutil.get_data(__name__, "__init__.pyi") or b""
for _line in _STUB.decode().splitlines():
    if _match := re.match(r"from (\S+) import (\w+) as \2$", _line):
        _HOME[_match[2]] = _match[1]

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Import public names at their first use, so that ``import radprog`` is quick."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("radprog")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    # The settings of a model that the stub does not list: a sixth paper, or another package's.
    if name[0].isupper():
        catalog = importlib.import_module("radprog.catalog")
        try:
            for entry in (*catalog.CATALOG.values(), *catalog.added_models().values()):
                if entry.spec.__name__ == name:
                    return entry.spec
        except ValueError as error:  # a package that cannot be loaded
            raise AttributeError(f"module 'radprog' has no attribute '{name}': {error}") from error
    raise AttributeError(f"module 'radprog' has no attribute '{name}'")


# Pyomo has no entry points for solvers, so they are registered here, in a tenth of a second.
importlib.import_module("radprog.pyomo_solvers")


def __dir__() -> list[str]:
    return sorted(__all__)
