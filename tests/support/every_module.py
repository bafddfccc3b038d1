"""Import every module of radprog, and print what that did; the gate runs it on the built wheel."""

import importlib
import json
import pkgutil
import sys

FOLDERS = ("instances", "models", "solvers", "decompositions")
OPTIONAL = ("pyscipopt", "clarabel", "cyipopt", "matplotlib")  # what modules need at once


def main() -> None:
    """Raises ImportError where a module cannot be imported though all that it needs is there."""
    names = set()
    for root in ("radprog", *(f"radprog.{folder}" for folder in FOLDERS)):
        path = importlib.import_module(root).__path__
        names |= {root, *(found.name for found in pkgutil.walk_packages(path, f"{root}."))}
    for name in sorted(names):
        try:
            importlib.import_module(name)
        except ImportError as error:
            if error.name not in OPTIONAL:
                raise
    radprog = sys.modules["radprog"]
    hidden = [n for n in radprog.__all__ if isinstance(getattr(radprog, n), type(sys))]
    top_level = [folder for folder in FOLDERS if folder in sys.modules]
    json.dump({"modules": sorted(names), "hidden": hidden, "top_level": top_level}, sys.stdout)


if __name__ == "__main__":
    main()
