"""Rademacher programs: learning by mathematical programming, with a certificate.

>>> import radprog as rp
>>> data = rp.read("german.csv", scale="ball")
>>> run = rp.fit(rp.VKR(kernels="poly:1-10"), data)
>>> run.objective, run.bound, run.certified
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from radprog.analysis.bounds import bounds
    from radprog.analysis.choosing import chosen, tune
    from radprog.analysis.complexities import complexity
    from radprog.analysis.paths import path
    from radprog.analysis.pricing import price
    from radprog.analysis.sections import analyze
    from radprog.api import build, fit, plot, save_fit, save_run, solve
    from radprog.checking import check
    from radprog.decompositions.own.alternate import alternate
    from radprog.decompositions.own.certify import Certificate, certify
    from radprog.decompositions.own.column_generation import column_generation
    from radprog.decompositions.own.columns import Column, PricedColumns, PricingModel
    from radprog.decompositions.own.concave import concave
    from radprog.decompositions.own.cutting_planes import Separated, cutting_planes
    from radprog.decompositions.own.dca import dca
    from radprog.exporting import export, verify
    from radprog.formulating import formulate
    from radprog.instances.bags import bags, series
    from radprog.instances.dataset import dataset, read
    from radprog.instances.errors import RadprogError
    from radprog.instances.grams import gram_set, read_grams
    from radprog.instances.regression import read_regression, regression_data
    from radprog.instances.series import read_series
    from radprog.instances.unlabelled import partly_labelled, read_partly_labelled
    from radprog.instances.views import read_views
    from radprog.loading import load, predictor
    from radprog.models.constraints import (
        equal_opportunity,
        family_cap,
        monotone,
        must_classify,
        parity,
        positive_rate,
        scores,
    )
    from radprog.models.lpboost.settings import LPBoost
    from radprog.models.mkl.settings import MKL
    from radprog.models.own_kernels import Kernel
    from radprog.models.regression.settings import SRM, SVR, Complexity
    from radprog.models.similarity.settings import CDSK, LPDSK, SimSVM
    from radprog.models.vkr.settings import L1SVM, SVM, VKR
    from radprog.proofs.making import Proof, prove
    from radprog.reporting import report
    from radprog.reproducing import reproduce
    from radprog.saved import load_fit

_HOME = {
    **dict.fromkeys(
        (
            "equal_opportunity",
            "family_cap",
            "monotone",
            "must_classify",
            "parity",
            "positive_rate",
            "scores",
        ),
        "radprog.models.constraints",
    ),
    "Column": "radprog.decompositions.own.columns",
    "PricedColumns": "radprog.decompositions.own.columns",
    "PricingModel": "radprog.decompositions.own.columns",
    "Separated": "radprog.decompositions.own.cutting_planes",
    "alternate": "radprog.decompositions.own.alternate",
    "Certificate": "radprog.decompositions.own.certify",
    "certify": "radprog.decompositions.own.certify",
    "concave": "radprog.decompositions.own.concave",
    "dca": "radprog.decompositions.own.dca",
    "column_generation": "radprog.decompositions.own.column_generation",
    "cutting_planes": "radprog.decompositions.own.cutting_planes",
    "CDSK": "radprog.models.similarity.settings",
    "Complexity": "radprog.models.regression.settings",
    "Kernel": "radprog.models.own_kernels",
    "L1SVM": "radprog.models.vkr.settings",
    "MKL": "radprog.models.mkl.settings",
    "LPDSK": "radprog.models.similarity.settings",
    "LPBoost": "radprog.models.lpboost.settings",
    "RadprogError": "radprog.instances.errors",
    "SRM": "radprog.models.regression.settings",
    "SVM": "radprog.models.vkr.settings",
    "SVR": "radprog.models.regression.settings",
    "SimSVM": "radprog.models.similarity.settings",
    "VKR": "radprog.models.vkr.settings",
    "analyze": "radprog.analysis.sections",
    "bags": "radprog.instances.bags",
    "bounds": "radprog.analysis.bounds",
    "build": "radprog.api",
    "check": "radprog.checking",
    "dataset": "radprog.instances.dataset",
    "export": "radprog.exporting",
    "fit": "radprog.api",
    "formulate": "radprog.formulating",
    "gram_set": "radprog.instances.grams",
    "load_fit": "radprog.saved",
    "partly_labelled": "radprog.instances.unlabelled",
    "Proof": "radprog.proofs.making",
    "prove": "radprog.proofs.making",
    "read": "radprog.instances.dataset",
    "read_grams": "radprog.instances.grams",
    "read_views": "radprog.instances.views",
    "read_partly_labelled": "radprog.instances.unlabelled",
    "read_regression": "radprog.instances.regression",
    "read_series": "radprog.instances.series",
    "regression_data": "radprog.instances.regression",
    "save_fit": "radprog.api",
    "save_run": "radprog.api",
    "series": "radprog.instances.bags",
    "solve": "radprog.api",
    "chosen": "radprog.analysis.choosing",
    "tune": "radprog.analysis.choosing",
    "complexity": "radprog.analysis.complexities",
    "path": "radprog.analysis.paths",
    "plot": "radprog.api",
    "predictor": "radprog.loading",
    "price": "radprog.analysis.pricing",
    "load": "radprog.loading",
    "report": "radprog.reporting",
    "reproduce": "radprog.reproducing",
    "verify": "radprog.exporting",
}

__all__ = [
    "CDSK",
    "L1SVM",
    "LPDSK",
    "MKL",
    "SRM",
    "SVM",
    "SVR",
    "VKR",
    "Certificate",
    "Column",
    "Complexity",
    "Kernel",
    "LPBoost",
    "PricedColumns",
    "PricingModel",
    "Proof",
    "RadprogError",
    "Separated",
    "SimSVM",
    "alternate",
    "analyze",
    "bags",
    "bounds",
    "build",
    "certify",
    "check",
    "chosen",
    "column_generation",
    "complexity",
    "concave",
    "cutting_planes",
    "dataset",
    "dca",
    "equal_opportunity",
    "export",
    "family_cap",
    "fit",
    "formulate",
    "gram_set",
    "load",
    "load_fit",
    "monotone",
    "must_classify",
    "parity",
    "partly_labelled",
    "path",
    "plot",
    "positive_rate",
    "predictor",
    "price",
    "prove",
    "read",
    "read_grams",
    "read_partly_labelled",
    "read_regression",
    "read_series",
    "read_views",
    "regression_data",
    "report",
    "reproduce",
    "save_fit",
    "save_run",
    "scores",
    "series",
    "solve",
    "tune",
    "verify",
]


#: Former names, each with the present one and the version that will no longer have it.
_RENAMED: dict[str, tuple[str, str]] = {}


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that ``import radprog`` is quick."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("radprog")
    if name in _RENAMED:
        present, gone = _RENAMED[name]
        told = f"radprog.{name} is radprog.{present} now, and goes in version {gone}"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        return __getattr__(present)
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name[0].isupper():  # settings of a model that is not named here
        catalog = importlib.import_module("radprog.catalog").CATALOG
        for entry in catalog.values():
            if entry.spec.__name__ == name:
                return entry.spec
    raise AttributeError(f"module 'radprog' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
