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
    from radprog.instances.grams import gram_set, read_grams
    from radprog.instances.readers import read
    from radprog.instances.views import read_views
    from radprog.models.mkl_settings import MKL
    from radprog.models.settings import L1SVM, SVM, VKR
    from radprog.saved import load_fit

_HOME = {
    "L1SVM": "radprog.models.settings",
    "MKL": "radprog.models.mkl_settings",
    "RadprogError": "radprog.instances.errors",
    "SVM": "radprog.models.settings",
    "VKR": "radprog.models.settings",
    "build": "radprog.api",
    "dataset": "radprog.instances.arrays",
    "export": "radprog.exporting",
    "fit": "radprog.api",
    "gram_set": "radprog.instances.grams",
    "load_fit": "radprog.saved",
    "read": "radprog.instances.readers",
    "read_grams": "radprog.instances.grams",
    "read_views": "radprog.instances.views",
    "save_fit": "radprog.api",
    "solve": "radprog.api",
    "verify": "radprog.exporting",
}

__all__ = [
    "L1SVM",
    "MKL",
    "SVM",
    "VKR",
    "RadprogError",
    "build",
    "dataset",
    "export",
    "fit",
    "gram_set",
    "load_fit",
    "read",
    "read_grams",
    "read_views",
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
