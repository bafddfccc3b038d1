"""Rademacher programs: learning by mathematical programming, with a certificate.

>>> import radprog as rp
>>> data = rp.read("german.csv", scale="ball")
>>> run = rp.fit(rp.VKR(kernels="poly:1-10"), data)
>>> run.objective, run.bound, run.certified
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from radprog.api import build, fit, save_fit, solve
    from radprog.exporting import export, verify
    from radprog.instances.arrays import dataset
    from radprog.instances.errors import RadprogError
    from radprog.instances.readers import read
    from radprog.models.settings import L1SVM, SVM, VKR
    from radprog.saved import load_fit

_HOME = {
    "L1SVM": "radprog.models.settings",
    "RadprogError": "radprog.instances.errors",
    "SVM": "radprog.models.settings",
    "VKR": "radprog.models.settings",
    "build": "radprog.api",
    "dataset": "radprog.instances.arrays",
    "export": "radprog.exporting",
    "fit": "radprog.api",
    "load_fit": "radprog.saved",
    "read": "radprog.instances.readers",
    "save_fit": "radprog.api",
    "solve": "radprog.api",
    "verify": "radprog.exporting",
}

__all__ = [
    "L1SVM",
    "SVM",
    "VKR",
    "RadprogError",
    "build",
    "dataset",
    "export",
    "fit",
    "load_fit",
    "read",
    "save_fit",
    "solve",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that ``import radprog`` is quick."""
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'radprog' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
