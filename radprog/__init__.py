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
    from radprog.analysis.bounds import Bounds, bounds
    from radprog.analysis.choosing import Tuned, chosen, tune
    from radprog.analysis.complexities import Complexities, complexity
    from radprog.analysis.paths import Path, path
    from radprog.analysis.pricing import price
    from radprog.analysis.sections import Analysis, analyze
    from radprog.api import build, fit, plot, save_fit, save_run, solve
    from radprog.base.errors import (
        ArgumentError,
        ArrayError,
        CapabilityError,
        ConnectionLostError,
        ConvexityError,
        DataError,
        ExtraError,
        KernelError,
        NonlinearError,
        OptionError,
        OutputError,
        RadprogError,
        RadprogWarning,
        SettingError,
        SolverError,
        SolverMissingError,
        UnfinishedError,
        UnitError,
    )
    from radprog.checking import check
    from radprog.decompositions.loop import Record
    from radprog.decompositions.own.alternate import AlternateRun, alternate
    from radprog.decompositions.own.certify import Certificate, certify
    from radprog.decompositions.own.column_generation import ColumnRun, Rounded, column_generation
    from radprog.decompositions.own.columns import Column, PricedColumns, PricingModel
    from radprog.decompositions.own.concave import ConcavePart, concave
    from radprog.decompositions.own.cutting_planes import CutRun, Separated, cutting_planes
    from radprog.decompositions.own.dca import DCARun, dca
    from radprog.decompositions.own.result import StoppedError
    from radprog.decompositions.run import Run
    from radprog.exporting import Verdict, export, verify
    from radprog.formulating import formulate
    from radprog.instances.bags import Bags, bags, series
    from radprog.instances.dataset import Dataset, dataset, read
    from radprog.instances.grams import GramSet, gram_set, read_grams
    from radprog.instances.regression import RegressionData, read_regression, regression_data
    from radprog.instances.series import read_series
    from radprog.instances.unlabelled import PartlyLabelled, partly_labelled, read_partly_labelled
    from radprog.instances.views import ViewSet, read_views
    from radprog.loading import Loaded, load, predictor
    from radprog.models.constraints import (
        Constraint,
        equal_opportunity,
        family_cap,
        mean_score,
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
    from radprog.saved import SavedFit, load_fit
    from radprog.solvers.program import Solution

#: Where every public name is at home.
_HOME = {
    name: module
    for module, names in {
        "radprog.analysis.bounds": "Bounds bounds",
        "radprog.analysis.choosing": "Tuned chosen tune",
        "radprog.analysis.complexities": "Complexities complexity",
        "radprog.analysis.paths": "Path path",
        "radprog.analysis.pricing": "price",
        "radprog.analysis.sections": "Analysis analyze",
        "radprog.api": "build fit plot save_fit save_run solve",
        "radprog.checking": "check",
        "radprog.decompositions.loop": "Record",
        "radprog.decompositions.own.alternate": "AlternateRun alternate",
        "radprog.decompositions.own.certify": "Certificate certify",
        "radprog.decompositions.own.column_generation": "ColumnRun Rounded column_generation",
        "radprog.decompositions.own.columns": "Column PricedColumns PricingModel",
        "radprog.decompositions.own.concave": "ConcavePart concave",
        "radprog.decompositions.own.cutting_planes": "CutRun Separated cutting_planes",
        "radprog.decompositions.own.dca": "DCARun dca",
        "radprog.decompositions.own.result": "StoppedError",
        "radprog.decompositions.run": "Run",
        "radprog.exporting": "Verdict export verify",
        "radprog.formulating": "formulate",
        "radprog.instances.bags": "Bags bags series",
        "radprog.instances.dataset": "Dataset dataset read",
        "radprog.base.errors": (
            "ArgumentError ArrayError CapabilityError ConnectionLostError ConvexityError "
            "DataError ExtraError KernelError NonlinearError OptionError OutputError "
            "RadprogError RadprogWarning SettingError SolverError SolverMissingError "
            "UnfinishedError UnitError"
        ),
        "radprog.instances.grams": "GramSet gram_set read_grams",
        "radprog.instances.regression": "RegressionData read_regression regression_data",
        "radprog.instances.series": "read_series",
        "radprog.instances.unlabelled": "PartlyLabelled partly_labelled read_partly_labelled",
        "radprog.instances.views": "ViewSet read_views",
        "radprog.loading": "Loaded load predictor",
        "radprog.models.constraints": (
            "Constraint equal_opportunity family_cap mean_score monotone must_classify parity "
            "positive_rate scores"
        ),
        "radprog.models.lpboost.settings": "LPBoost",
        "radprog.models.mkl.settings": "MKL",
        "radprog.models.own_kernels": "Kernel",
        "radprog.models.regression.settings": "SRM SVR Complexity",
        "radprog.models.similarity.settings": "CDSK LPDSK SimSVM",
        "radprog.models.vkr.settings": "L1SVM SVM VKR",
        "radprog.proofs.making": "Proof prove",
        "radprog.reporting": "report",
        "radprog.reproducing": "reproduce",
        "radprog.saved": "SavedFit load_fit",
        "radprog.solvers.program": "Solution",
    }.items()
    for name in names.split()
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
    "AlternateRun",
    "Analysis",
    "ArgumentError",
    "ArrayError",
    "Bags",
    "Bounds",
    "CapabilityError",
    "Certificate",
    "Column",
    "ColumnRun",
    "Complexities",
    "Complexity",
    "ConcavePart",
    "ConnectionLostError",
    "Constraint",
    "ConvexityError",
    "CutRun",
    "DCARun",
    "DataError",
    "Dataset",
    "ExtraError",
    "GramSet",
    "Kernel",
    "KernelError",
    "LPBoost",
    "Loaded",
    "NonlinearError",
    "OptionError",
    "OutputError",
    "PartlyLabelled",
    "Path",
    "PricedColumns",
    "PricingModel",
    "Proof",
    "RadprogError",
    "RadprogWarning",
    "Record",
    "RegressionData",
    "Rounded",
    "Run",
    "SavedFit",
    "Separated",
    "SettingError",
    "SimSVM",
    "Solution",
    "SolverError",
    "SolverMissingError",
    "StoppedError",
    "Tuned",
    "UnfinishedError",
    "UnitError",
    "Verdict",
    "ViewSet",
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
    "mean_score",
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
