"""Mathematical programs solved by decomposition, with a bound that you can recompute.

>>> import radprog as rp
>>> data = rp.read("german.csv", scale="ball")
>>> run = rp.fit(rp.VKR(kernels="poly:1-10"), data)
>>> run.objective, run.bound, run.certified

``__init__.pyi`` lists the public names and the modules that define them. Type checkers read that
file, and this module uses it to import a name at its first use.
"""

from __future__ import annotations

import importlib.util
import os.path
import pkgutil
import re
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType, SimpleNamespace
from typing import Any

# The module of every public name, from the lines ``from MODULE import NAME as NAME`` of the stub.
_HOME: dict[str, str] = {}
# It is read through the loader, since the package may lie in a zip file.
_STUB = pkgutil.get_data(__name__, "__init__.pyi") or b""
for _line in _STUB.decode().splitlines():
    if _match := re.match(r"from (\S+) import (\w+) as \2$", _line):
        _HOME[_match[2]] = _match[1]

__all__ = list(_HOME)
_LAYERS = {f"radprog.{name}" for name in ("instances", "models", "solvers", "decompositions")}


def __getattr__(name: str) -> Any:
    """Import public names at their first use, so that ``import radprog`` is quick."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("radprog")
    if name in _HOME:
        # a pricer that calls rp.Column comes here once
        return globals().setdefault(name, getattr(importlib.import_module(_HOME[name]), name))
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


def _after_pyomo(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
    """The specification of ``pyomo.environ``, whose import then registers radprog's solvers.

    Pyomo has no entry points for solvers, and to import it here would take a second.
    """
    if name != "pyomo.environ":
        return None
    sys.meta_path.remove(_FINDER)
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            importlib.import_module("radprog.pyomo_solvers")

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
    return spec


def _beside(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
    """The specification of another layer, found last and beside this folder: Python that is started
    in a checkout takes this folder before an installed radprog.
    """
    layer = name in _LAYERS
    return PathFinder.find_spec(name, [os.path.dirname(__path__[0])]) if layer else None


sys.meta_path.append(SimpleNamespace(find_spec=_beside))
if "pyomo.environ" in sys.modules:
    importlib.import_module("radprog.pyomo_solvers")
else:
    _FINDER = SimpleNamespace(find_spec=_after_pyomo)
    sys.meta_path.insert(0, _FINDER)


def __dir__() -> list[str]:
    return sorted(__all__)
